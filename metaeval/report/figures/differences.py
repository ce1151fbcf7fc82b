"""The differences of all metrics to the best, with the intervals of the family of all pairs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import pandas as pd

from metaeval.report.figures.dots import Dots, dots_sheet
from metaeval.report.figures.parts import FigurePart, TestsFigure
from metaeval.report.figures.sheet import Sheet
from metaeval.report.words import quantity, subset_words


@dataclass(frozen=True)
class Differences(TestsFigure):
    """Differences to the best metric as points, with the intervals of the family of all pairs: a forest plot.

    One panel a criterion, the smallest difference on top. An interval is at the level of the corrected p, so that it
    excludes 0 where the best is significantly better; a pair whose test gives no such interval is a point.
    """

    kind: ClassVar[str] = "differences"
    columns: ClassVar[tuple[str, ...]] = (
        *("corpus", "preprocessing", "subset", "average_by", "length", "coefficient", "test", "over"),
    )

    def sheet(self, part: FigurePart) -> Sheet | None:
        """Return a panel for each criterion; nothing where no metric has a coefficient."""
        data, values, panels = part.data, part.values, []
        means = part.select(data.of_metrics, besides=["test", "over"])
        for criterion in part.criteria:
            ranked = means[means["criterion"] == criterion].dropna(subset=["mean"])
            tests = part.rows[part.rows["criterion"] == criterion]
            if not len(ranked):
                continue
            best = str(ranked["metric"].iloc[int(ranked["mean"].argmax())])
            pairs: Any = tests.to_dict("records")
            rows = [_against(best, row) for row in pairs if best in (row["metric_a"], row["metric_b"])]
            of_best = pd.DataFrame(rows, columns=["metric", "mean", "lower", "upper"]).sort_values(
                "mean", kind="stable"
            )
            label = f"difference in {quantity(values['coefficient'])}"
            title = f"{data.label(criterion)}: {data.label(best)} minus"
            panels.append(Dots(criterion, title, label, of_best, 0.0))
        if not panels:
            return None
        correction = part.rows["correction"].iloc[0]
        has_lines = part.rows["adjusted_lower"].notna().any()
        lines = "Lines: confidence intervals at the level of the corrected p" if has_lines else "No intervals"
        caption = f"Points: the best less the metric of the row. {lines} ({values['test']}, {correction})."
        heading = part.heading(f"{values['preprocessing']}, {subset_words(values['subset'])}")
        labels = {name: data.label(name) for name in data.metrics}
        return dots_sheet(self, panels, labels, heading=heading, caption=caption)


def _against(best: str, row: Mapping[str, Any]) -> tuple[str, float, float, float]:
    """Return the other metric of a test, and how much the best is above it, with the interval."""
    difference, lower, upper = (row[name] for name in ("difference", "adjusted_lower", "adjusted_upper"))
    if row["metric_a"] == best:
        return row["metric_b"], difference, lower, upper
    return row["metric_a"], -difference, -upper, -lower
