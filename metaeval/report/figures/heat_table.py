"""Coefficients as a table of numbers on grey."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from metaeval.report.figures.cells import Cell, Head, number, table_sheet
from metaeval.report.figures.parts import FigurePart, MetricsFigure
from metaeval.report.figures.sheet import Sheet
from metaeval.report.rankings import STAR, rankings_of
from metaeval.report.words import quantity, subset_words, without_common_parameters


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
        best = rows.groupby(["criterion", "shown"])["mean"].transform("max")
        names = part.metrics
        cells = {
            (names.index(row["metric"]), places.index((row["criterion"], row["shown"]))): Cell(
                min(max(row["mean"], 0.0), 1.0) if row["mean"] == row["mean"] else 0.0,
                number(row["mean"], "undefined"),
                bold=is_best,
                framed=is_best,
                mark=STAR if row["star"] and not is_best else "",
            )
            for row, is_best in zip(rows.to_dict("records"), rows["mean"] == best, strict=True)
        }
        heads = [
            Head(shown, data.label(criterion)) if several else Head(data.label(criterion))
            for criterion, shown in places
        ]
        caption = "Framed: the best of a column."
        if rows["star"].any():
            meanings = dict.fromkeys(one.star_words for one in rankings_of(data.run) if one.starred)
            caption += f" {STAR} {'; or '.join(meanings)}."
        words = [quantity(part.values["coefficient"]), subset_words(part.values["subset"]), common]
        heading = part.heading(", ".join(filter(None, words)))
        return table_sheet(self, [data.label(one) for one in names], heads, cells, heading=heading, caption=caption)
