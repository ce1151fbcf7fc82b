"""Coefficients as points with their intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from metaeval.report.figures.data import FigureData
from metaeval.report.figures.layout import add_words, broken_names, inches, panels_of
from metaeval.report.figures.parts import FigurePart, PartedFigure
from metaeval.report.words import interval_words, quantity, subset_words

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Intervals(PartedFigure):
    """Each coefficient as a point with its interval, the best on top.

    One panel a criterion; metrics stand in the order of the first criterion in all panels.
    """

    kind: ClassVar[str] = "intervals"
    columns: ClassVar[tuple[str, ...]] = ("corpus", "preprocessing", "subset", "average_by", "length", "coefficient")

    def draw_part(self, part: FigurePart, data: FigureData) -> Figure:
        """Draw a panel for each criterion."""
        from matplotlib.ticker import MaxNLocator

        metrics, values = part.rows, part.values
        criteria = list(dict.fromkeys(metrics["criterion"]))
        first = metrics[metrics["criterion"] == criteria[0]].sort_values("mean", ascending=False, na_position="last")
        names = list(dict.fromkeys([*first["metric"], *metrics["metric"]]))
        broken, lines = broken_names(names, self.beside)
        places = dict(zip(names, (0.5 - np.cumsum(lines) + lines / 2).tolist(), strict=True))
        beside = max(inches(name, 8) for name in broken) + 0.3
        size, around = (2.4, 0.28 * float(lines.sum()) + 0.5), (beside, 0.9)
        sheet = panels_of(len(criteria), self.width, panel=size, extra=around, narrowest=1.6, sharex=True, sharey=True)
        for panel, criterion in zip(sheet.panels, criteria, strict=True):
            rows = metrics[metrics["criterion"] == criterion]
            heights = [places[name] for name in rows["metric"]]
            panel.hlines(heights, rows["lower"], rows["upper"], color="#777777", linewidth=1.6, zorder=2)
            panel.plot(rows["mean"], heights, linestyle="none", marker="o", color="black", markersize=4.5, zorder=3)
            panel.set_yticks(list(places.values()), broken)
            panel.set_ylim(0.4 - lines.sum(), 0.6)
        sheet.set_titles(criteria, 10, beside=beside)
        for panel in sheet.bottom:
            panel.set_xlabel(quantity(values["coefficient"]))
            panel.tick_params(labelbottom=True)
            low, high = panel.get_xlim()
            ticks = [tick for tick in MaxNLocator(4, steps=[1, 2, 5, 10]).tick_values(low, high) if low <= tick <= high]
            panel.set_xticks(ticks, panel.xaxis.get_major_formatter().format_ticks(ticks))
        words = interval_words(metrics.iloc[0])
        caption = f"Lines: {words}." if words and metrics["lower"].notna().any() else "Points: mean coefficients."
        add_words(sheet.figure, part.heading(f"{values['preprocessing']}, {subset_words(values['subset'])}"), caption)
        sheet.thin_out(sheet.bottom)
        return sheet.figure
