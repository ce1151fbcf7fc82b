"""Our numbers against those that a paper prints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pandas as pd

from metaeval.errors import UsageError
from metaeval.report.figures.data import FigureData
from metaeval.report.figures.parts import FigurePart, MetricsFigure
from metaeval.report.figures.sheet import Axis, Entry, Panel, Sheet
from metaeval.report.figures.style import GREY, MOST_LINES, line_styles
from metaeval.report.words import quantity

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class PublishedNumbers(MetricsFigure):
    """Our numbers against the printed numbers of the paper, a point each, on the line where they are equal.

    One panel a criterion and coefficient, both axes alike; the number of points, the mean and the largest distance
    stand above each. Up to eight metrics have markers of their own.
    """

    kind: ClassVar[str] = "published"
    columns: ClassVar[tuple[str, ...]] = ("corpus",)

    def table(self, data: FigureData) -> pd.DataFrame:
        """Return the printed numbers beside ours.

        Raises
        ------
        UsageError
            If the run has none.
        """
        if not len(data.published):
            raise UsageError(f"the figure {self.kind!r} needs printed numbers, and the run has none: `published`.")
        return data.published

    def sheet(self, part: FigurePart) -> Sheet | None:
        """Return a panel for each criterion and coefficient; nothing where no pair of numbers is defined."""
        rows = part.rows[np.isfinite(part.rows[["published", "ours"]].astype(float)).all(axis=1)]
        if not len(rows):
            return None
        both = rows[["published", "ours"]].to_numpy(float)
        room = 0.05 * (both.max() - both.min()) or 0.05
        low, high = float(both.min() - room), float(both.max() + room)
        is_marked = len(part.metrics) <= MOST_LINES
        styles = line_styles(part.metrics, numbers=part.data.style_numbers)
        plain = {"color": "black", "marker": "o", "markerfacecolor": "none", "markeredgewidth": 0.7}

        def panel(criterion: str, coefficient: str, own: pd.DataFrame) -> Panel:
            def paint(axes: Axes) -> None:
                axes.plot([low, high], [low, high], color=GREY, linewidth=1, zorder=1)
                for metric, some in own.groupby("metric", sort=False):
                    look = dict(styles[str(metric)] if is_marked else plain) | {"linestyle": "none", "markersize": 3.6}
                    axes.plot(some["published"], some["ours"], gid=str(metric), **look)

            distance = (own["ours"] - own["published"]).abs()
            note = f"n = {len(own)}, mean distance {distance.mean():.3f}, largest {distance.max():.3f}"
            title = f"{part.data.label(criterion)}, {quantity(coefficient)}"
            x, y = (Axis(low, high, label=label) for label in ("published", "ours"))
            return Panel(f"{criterion}, {coefficient}", x, y, paint, title, note)

        panels = [
            panel(criterion, coefficient, rows[(rows["criterion"] == criterion) & (rows["coefficient"] == coefficient)])
            for criterion, coefficient in dict.fromkeys(zip(rows["criterion"], rows["coefficient"], strict=True))
        ]
        key = [Entry(part.data.label(one), {**styles[one], "linestyle": "none"}) for one in part.metrics * is_marked]
        heading = part.heading("our numbers against the published ones")
        return Sheet(heading, "On the grey line they are equal.", panels, key, least=1.1, ratio=1.0)
