"""Coefficients as a table of numbers on grey."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from metaeval.report.figures.captions import setting_words
from metaeval.report.figures.intervals import in_order
from metaeval.report.figures.matrix import Cell, by_column, matrix, number
from metaeval.report.figures.per_part import FigurePart, MetricsFigure
from metaeval.report.phrases import preprocessing_words
from metaeval.report.rankings import STAR, rankings_of

if TYPE_CHECKING:
    from metaeval.report.figures.picture import Picture


@dataclass(frozen=True)
class HeatTable(MetricsFigure):
    """Coefficients as numbers on grey: the best of a column in bold, those not significantly worse with a star.

    Metrics down, in the order of the ranking by the first criterion; criteria and preprocessing across. A darker cell
    is a higher coefficient, from the lowest of its column to the highest. Without a test, metrics whose intervals
    overlap with that of the best are starred, as in Lin and Och (2004).
    """

    kind: ClassVar[str] = "heat-table"
    columns: ClassVar[tuple[str, ...]] = ("corpus", "subset", "average_by", "length", "coefficient")

    def draw_part(self, part: FigurePart) -> Picture:
        """Draw a cell for each number."""
        data = part.data
        rows = part.rows
        names = list(self.metrics) or in_order(rows)
        names = [metric for metric in names if metric in set(rows["metric"])]
        places = list(dict.fromkeys(zip(rows["criterion"], rows["preprocessing"], strict=True)))
        several = rows["preprocessing"].nunique() > 1
        values = np.full((len(names), len(places)), np.nan)
        cells = {}
        best = rows.groupby(["criterion", "preprocessing"])["mean"].transform("max")
        for row, is_best in zip(rows.to_dict("records"), rows["mean"] == best, strict=True):
            position = names.index(row["metric"]), places.index((row["criterion"], row["preprocessing"]))
            values[position] = row["mean"]
            cells[position] = Cell(number(row["mean"], "undefined"), STAR if row["star"] else "", bold=bool(is_best))
        heads = [
            f"{data.label(criterion)}\n{preprocessing_words(preprocessing)}" if several else data.label(criterion)
            for criterion, preprocessing in places
        ]
        caption = "Bold: the best of a column. Darker: higher, within a column."
        if rows["star"].any():
            meanings = dict.fromkeys(ranking.star_words for ranking in rankings_of(data.run) if ranking.starred)
            caption += f" {STAR} {'; or '.join(meanings)}."
        kinds = list(rows["documents"]) if "documents" in rows else []
        setting = setting_words(part.values | ({} if several else {"preprocessing": places[0][1]}), *kinds[:1])
        canvas = matrix(self, [data.label(metric) for metric in names], heads, by_column(values), cells)
        canvas.panels[0].set_label("table")
        return canvas.finish(part.heading(part.quantity + (setting and f" ({setting})")), caption)
