"""Coefficients as points with their intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from metaeval.parameters import parameter
from metaeval.report.figures.dots import Dots, dots_sheet
from metaeval.report.figures.lines import CEILING_WORDS, ceiling_of
from metaeval.report.figures.parts import FigurePart, MetricsFigure
from metaeval.report.figures.sheet import Sheet
from metaeval.report.words import interval_caption, quantity, subset_words


@dataclass(frozen=True)
class Intervals(MetricsFigure):
    """Each coefficient as a point with its interval, the best on top.

    One panel a criterion, each in the order of its own coefficients unless metrics are named. The noise ceiling is a
    line where the run has one.
    """

    kind: ClassVar[str] = "intervals"
    columns: ClassVar[tuple[str, ...]] = ("corpus", "preprocessing", "subset", "average_by", "length", "coefficient")

    range: tuple[float, float] | None = parameter(None, doc="the ends of the axis of correlations, such as [0, 1]")

    def sheet(self, part: FigurePart) -> Sheet:
        """Return a panel for each criterion."""
        rows, values = part.rows, part.values
        ceilings, panels = ceiling_of(part), []
        for criterion in part.criteria:
            own = rows[rows["criterion"] == criterion]
            if not self.metrics:
                own = own.sort_values("mean", ascending=False, na_position="last", kind="stable")
            ceiling = ceilings.get(criterion)
            line = (np.nan, 0.0) if ceiling is None else tuple(ceiling[["value", "sd"]].iloc[0].fillna(0.0))
            label = quantity(values["coefficient"])
            panels.append(Dots(criterion, part.data.label(criterion), label, own, *map(float, line)))
        words, why_none = interval_caption(rows.to_dict("records"))
        caption = f"Lines: {words}." if words else f"Points: mean coefficients{why_none and '; '}{why_none}."
        caption += f" {CEILING_WORDS}" if ceilings else ""
        heading = part.heading(f"{values['preprocessing']}, {subset_words(values['subset'])}")
        labels = {name: part.data.label(name) for name in part.metrics}
        return dots_sheet(self, panels, labels, heading=heading, caption=caption, limits=self.range)
