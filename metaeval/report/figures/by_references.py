"""Mean correlation against the number of references (Finch et al. 2004)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pandas as pd

from metaeval.components.design import Design
from metaeval.errors import UsageError
from metaeval.report.figures.captions import points_words
from metaeval.report.figures.lines import Line, LinesFigure, XAxis, draw_lines
from metaeval.report.figures.per_part import FigurePart
from metaeval.report.figures.run_frames import FigureData
from metaeval.report.figures.style import line_styles

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from metaeval.report.figures.picture import Picture


@dataclass(frozen=True)
class CorrelationByReferences(LinesFigure):
    """Mean correlation against the number of references.

    One line a metric, one panel a criterion. The number is that of the subset, or the mean that segments have where
    subsets differ. The band is the interval of the table. Where several subsets have the same number, each is a dot,
    and the line goes through their means without a band.
    """

    kind: ClassVar[str] = "correlation-by-references"
    columns: ClassVar[tuple[str, ...]] = ("corpus", "preprocessing", "average_by", "length", "coefficient")

    def check(self, design: Design) -> None:
        """Check that there are subsets of several sizes."""
        _check(design.several_sizes, design.subsets)

    def table(self, data: FigureData) -> pd.DataFrame:
        """Return the correlations of metrics, with the number of references as `x`; errors as `check`."""
        table = data.of_metrics
        _check(len(table) and table["n_references"].nunique() > 1, ", ".join(dict.fromkeys(table.get("subset", ()))))
        return data.of_metrics.assign(x=data.of_metrics["n_references"].astype(float))

    def draw_part(self, part: FigurePart) -> Picture:
        """Draw the lines of metrics, and a dot for each of several subsets of one size."""
        rows = part.rows
        line_through = part.rows
        caption = points_words(part.rows)
        point = ["metric", "criterion", "x"]
        several = bool(rows.duplicated(point).any())
        if several:
            means = rows.groupby(point, sort=False, as_index=False)["mean"].mean()
            line_through = means.assign(lower=np.nan, upper=np.nan)
            caption += " Small dots: single reference subsets; lines: the means of those of one size."
        styles = line_styles(part.metrics, self.colours, part.data.style_numbers)
        lines = [
            Line(metric, part.data.label(metric), styles[metric], line_through[line_through["metric"] == metric])
            for metric in part.metrics
        ]

        def dots(axes: Axes, criterion: str) -> None:
            of_criterion = rows[rows["criterion"] == criterion]
            for metric in dict.fromkeys(line.get_gid() for line in axes.get_lines() if line.get_gid() in styles):
                of_metric = of_criterion[of_criterion["metric"] == metric]
                axes.scatter(
                    of_metric["x"], of_metric["mean"], s=9, color=styles[str(metric)]["color"], linewidth=0, zorder=2
                )

        numbers = sorted(set(rows["x"]))
        room = 0.04 * (numbers[-1] - numbers[0]) or 0.5
        ticks = [(number, f"{number:g}") for number in numbers]
        x = XAxis(numbers[0] - room, numbers[-1] + room, ticks, "references")
        heading = part.heading(f"{part.quantity} by number of references" + (part.setting and f" ({part.setting})"))
        return draw_lines(self, part, lines, x, heading=heading, caption=caption, also=dots if several else None)


def _check(several_sizes: object, subsets: object) -> None:
    if not several_sizes:
        raise UsageError(
            "the figure 'correlation-by-references' needs subsets of several sizes: `references.subsets` 'every' or "
            f"'random' with several `references.sizes`, or a list; got {subsets!r}."
        )
