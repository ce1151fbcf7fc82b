"""Coefficients as a table of numbers on grey."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from metaeval.report.figures.cells import Cell, Head, number, table_sheet
from metaeval.report.figures.parts import FigurePart, MetricsFigure, written
from metaeval.report.figures.sheet import Sheet
from metaeval.report.summary import EQUAL, top_clusters
from metaeval.report.words import interval_words, quantity, subset_words, without_common_parameters

_PLACE = ("corpus", "preprocessing", "subset", "criterion", "average_by", "length", "coefficient", "metric")


@dataclass(frozen=True)
class HeatTable(MetricsFigure):
    """Coefficients as numbers on grey: the best of a column framed, those not significantly worse starred.

    Metrics down, criteria and preprocessing across. A darker cell is a higher coefficient: white is 0 or less, the
    darkest 1. Without a test, metrics whose intervals overlap with that of the best are starred, as in Lin and Och
    (2004).
    """

    kind: ClassVar[str] = "heat-table"
    columns: ClassVar[tuple[str, ...]] = ("corpus", "subset", "average_by", "length", "coefficient")

    def sheet(self, part: FigurePart) -> Sheet:
        """Return a cell for each number, and heads above."""
        data = part.data
        short, common = without_common_parameters(list(dict.fromkeys(part.rows["preprocessing"])))
        rows = part.rows.assign(shown=part.rows["preprocessing"].map(short))
        several = rows["shown"].nunique() > 1
        places = list(dict.fromkeys(zip(rows["criterion"], rows["shown"], strict=True)))
        rankings = data.rankings.to_dict("records")
        equals = top_clusters((_place(row), (row["method"], row["over"]), row["top_cluster"]) for row in rankings)
        best = rows.groupby(["criterion", "shown"])["mean"].transform("max")
        names = part.metrics
        cells = {
            (names.index(row["metric"]), places.index((row["criterion"], row["shown"]))): Cell(
                min(max(row["mean"], 0.0), 1.0) if row["mean"] == row["mean"] else 0.0,
                number(row["mean"], "undefined"),
                bold=is_best,
                framed=is_best,
                mark=EQUAL if _place(row) in equals and not is_best else "",
            )
            for row, is_best in zip(rows.to_dict("records"), rows["mean"] == best, strict=True)
        }
        heads = [
            Head(shown, data.label(criterion)) if several else Head(data.label(criterion))
            for criterion, shown in places
        ]
        caption = "Framed: the best of a column."
        if equals:
            tests = [written(one) for one in dict.fromkeys(data.rankings["method"]) if one != "intervals"]
            overlaps = f"overlaps with the interval of the best ({interval_words(rows.iloc[0])})"
            caption += f" {EQUAL} {f'not significantly worse (test {tests[0]!r})' if tests else overlaps}."
        words = [quantity(part.values["coefficient"]), subset_words(part.values["subset"]), common]
        heading = part.heading(", ".join(filter(None, words)))
        return table_sheet(self, [data.label(one) for one in names], heads, cells, heading=heading, caption=caption)


def _place(row: Mapping[Any, Any]) -> tuple[str, ...]:
    # The length of documents that have none is None in one table, and not a number in another.
    return tuple(written(row[key]) for key in _PLACE)
