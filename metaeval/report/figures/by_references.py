"""Mean correlation against the number of references (Finch et al. 2004)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pandas as pd

from metaeval.contracts import Design, refuse
from metaeval.kinds import DOCUMENTS
from metaeval.report.figures.data import FigureData
from metaeval.report.figures.lines import Line, caption_of, draw_lines
from metaeval.report.figures.parts import FigurePart, PartedFigure
from metaeval.report.figures.style import line_styles

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class CorrelationByReferences(PartedFigure):
    """Mean correlation against the number of references.

    One line a metric, one panel a criterion. The number is that of the subset, or the mean that segments have where
    subsets differ. The band is the interval of the table. Where several subsets have the same number, each is a dot,
    and the line goes through their means without a band.
    """

    kind: ClassVar[str] = "correlation-by-references"
    columns: ClassVar[tuple[str, ...]] = ("corpus", "preprocessing", "average_by", "length", "coefficient")

    def check(self, design: Design) -> None:
        """Check that there are subsets of several sizes."""
        refuse(
            not design.several_sizes,
            "the figure 'correlation-by-references' needs subsets of several sizes: `references.subsets` "
            f"'every' or 'random' with several `references.sizes`, or a list; got {design.subsets!r}.",
        )

    def table(self, data: FigureData) -> pd.DataFrame:
        """Return the correlations of metrics, with the number of references as `x`."""
        return data.of_metrics.assign(x=data.of_metrics["n_references"].astype(float))

    def draw_part(self, part: FigurePart, data: FigureData) -> Figure:
        """Draw the lines of metrics, and a dot for each of several subsets of one size."""
        from matplotlib.ticker import MaxNLocator

        rows, line_through = part.rows, part.rows
        caption = caption_of(rows)
        point = ["metric", "criterion", "x"]
        several = rows.duplicated(point).any()
        if several:
            means = rows.groupby(point, sort=False, as_index=False)["mean"].mean()
            line_through = means.assign(lower=np.nan, upper=np.nan)
            caption = caption_of(rows, bands=False)
            caption += " Small dots: single reference subsets; lines: the means of those of one size."
        metrics = list(dict.fromkeys(rows["metric"]))
        styles = line_styles(metrics)
        lines = [Line(name, styles[name], line_through[line_through["metric"] == name]) for name in metrics]
        numbers = sorted(set(rows["x"]))

        def dress(panel: Axes, criterion: str) -> None:
            if several:
                for metric, dots in rows[rows["criterion"] == criterion].groupby("metric", sort=False):
                    color = styles[str(metric)]["color"]
                    panel.scatter(dots["x"], dots["mean"], s=9, color=color, alpha=0.8, linewidth=0, zorder=2)
            if len(numbers) <= 16:
                panel.set_xticks(numbers, [f"{number:g}" for number in numbers])
            else:
                panel.xaxis.set_major_locator(MaxNLocator(8, integer=True))
            panel.set_xlabel("references")

        length = part.values["length"]
        is_whole = DOCUMENTS[rows["documents"].iloc[0]].is_whole
        of_length = f", documents of {length} segments" if length and not is_whole else ""
        heading = part.heading(f"{part.values['preprocessing']}{of_length}")
        return draw_lines(lines, rows, dress, width=self.width, heading=heading, caption=caption)
