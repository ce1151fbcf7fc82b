"""Our numbers against those that a paper prints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from metaeval.errors import UsageError
from metaeval.report.figures.canvas import Canvas, Entry, limits_around
from metaeval.report.figures.captions import decimals, quantity_words
from metaeval.report.figures.per_part import FigurePart, MetricsFigure, written
from metaeval.report.figures.run_frames import FigureData
from metaeval.report.figures.style import GREY, MAX_LINES, line_styles

if TYPE_CHECKING:
    from metaeval.report.figures.picture import Picture

# What the printed numbers of one metric may differ in.
_PANEL_COLUMNS = ("preprocessing", "subset", "criterion", "length", "coefficient")


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

    def draw_part(self, part: FigurePart) -> Picture | None:
        """Draw a panel for each criterion and coefficient; nothing where no pair of numbers is defined."""
        rows: Any = part.rows[np.isfinite(part.rows[["published", "ours"]].astype(float)).all(axis=1)]
        if not len(rows):
            return None
        limits = limits_around(rows[["published", "ours"]])
        is_marked = len(part.metrics) <= MAX_LINES
        styles = line_styles(part.metrics, numbers=part.data.style_numbers)
        plain = {"color": "black", "marker": "o", "markerfacecolor": "none", "markeredgewidth": 0.7}
        places = list(dict.fromkeys(zip(rows["criterion"], rows["coefficient"], strict=True)))
        canvas = Canvas(self, len(places), least=1.1, wide=2.0, ratio=1.0)
        for axes, (criterion, coefficient) in zip(canvas.panels, places, strict=True):
            of_panel = rows[(rows["criterion"] == criterion) & (rows["coefficient"] == coefficient)]
            distance = (of_panel["ours"] - of_panel["published"]).abs()
            note = f"n = {len(of_panel)}, mean distance {distance.mean():.3f}, largest {distance.max():.3f}"
            title = f"{part.data.label(criterion)}, {quantity_words(coefficient)}"
            canvas.title(axes, f"{criterion}, {coefficient}", title, note)
            axes.set(xlim=limits, ylim=limits)
            axes.plot(limits, limits, color=GREY, linewidth=1, zorder=1)
            for metric, some in of_panel.groupby("metric", sort=False):
                look = dict(styles[str(metric)] if is_marked else plain) | {"linestyle": "none", "markersize": 3.6}
                axes.plot(some["published"], some["ours"], gid=str(metric), **look)
        canvas.labels = {"x": "published", "y": "ours"}
        canvas.figure.numbers = _numbers(rows, part)
        key = [
            Entry(part.data.label(metric), {**styles[metric], "linestyle": "none"})
            for metric in part.metrics * is_marked
        ]
        return canvas.finish(
            part.heading("our numbers against the published ones"), "On the grey line they are equal.", key
        )


def _numbers(rows: pd.DataFrame, part: FigurePart) -> list[tuple[str, ...]]:
    """Return the drawn numbers as a table, the heads first: the metric of a point, what varies, and both numbers."""
    varying = [column for column in _PANEL_COLUMNS if rows[column].nunique(dropna=False) > 1]
    return [
        ("metric", *varying, "published", "ours"),
        *(
            (
                part.data.label(row["metric"]), *(part.data.label(written(row[column])) for column in varying),
                decimals(row["published"]), decimals(row["ours"]),
            )
            for row in rows.to_dict("records")
        ),
    ]  # fmt: skip
