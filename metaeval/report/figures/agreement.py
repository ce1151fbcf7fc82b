"""Figure of the agreement of every two judges."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from metaeval.errors import UsageError, listing
from metaeval.report.figures.judge_pairs import MIN_SHARED_ITEMS, judge_pairs, judged_items
from metaeval.report.figures.matrix import Cell, matrix, number
from metaeval.report.figures.per_part import FigurePart, PartedFigure
from metaeval.report.figures.run_frames import FigureData

if TYPE_CHECKING:
    from metaeval.report.figures.picture import Picture

MAX_JUDGES = 20


@dataclass(frozen=True)
class Agreement(PartedFigure):
    """Spearman's correlation of every two judges, and how many items they share.

    Correlations below the diagonal, darker the higher, items in common above. Only judges who share 10 items with some
    other; at most 20, those who share most; the caption counts the rest. Those who agree most with the others stand
    first.
    """

    kind: ClassVar[str] = "agreement"
    columns: ClassVar[tuple[str, ...]] = ("corpus", "criterion")

    def table(self, data: FigureData) -> pd.DataFrame:
        """Return the judgments as published."""
        return data.judgments()

    def draw(self, data: FigureData, title: str) -> dict[str, Any]:
        """Return the figures by their names.

        Raises
        ------
        UsageError
            If no two judges of any corpus share 10 items.
        """
        figures = super().draw(data, title)
        if not figures:
            corpora = listing(dict.fromkeys(data.judgments()["corpus"]))
            raise UsageError(
                f"no two judges of {corpora} share {MIN_SHARED_ITEMS} items; there is no agreement to draw."
            )
        return figures

    def draw_part(self, part: FigurePart) -> Picture | None:
        """Draw a square of the judges; nothing where no two share enough items."""
        judged = judged_items(part.rows)
        names = list(judged.columns)
        counts = judge_pairs(judged)
        if not counts:
            return None
        totals = {name: sum(n for pair, n in counts.items() if name in pair) for name in names}
        chosen = sorted((name for name in names if totals[name]), key=lambda name: -totals[name])[:MAX_JUDGES]
        values = judged[chosen].corr("spearman", min_periods=MIN_SHARED_ITEMS).mask(np.eye(len(chosen), dtype=bool))
        order = list(values.mean().fillna(-2.0).sort_values(ascending=False, kind="stable").index)
        shades = np.full((len(order), len(order)), np.nan)
        cells = {}
        for (y, first), (x, second) in itertools.permutations(enumerate(order), 2):
            n_shared = counts.get((first, second), counts.get((second, first)))
            if n_shared and x > y:
                cells[y, x] = Cell((str(n_shared), ""), faint=True)
            elif n_shared:
                value: Any = values.at[first, second]
                shades[y, x] = max(value, 0.0) if value == value else 0.0
                cells[y, x] = Cell(number(value)[-1:])
        n_left = len(names) - len(chosen)
        left_out_words = f" {n_left} more judge{'s are' if n_left > 1 else ' is'} not shown: they share fewer items."
        criterion = part.data.label(part.values["criterion"])
        canvas = matrix(self, order, order, shades, cells, square=True)
        caption = f"Below the diagonal: Spearman, where two judges share {MIN_SHARED_ITEMS} items or more."
        counts_are_there = any(text.get_text().isdigit() for text in canvas.panels[0].texts)
        caption += " Above: items in common." if counts_are_there else ""
        canvas.panels[0].set_label("square")
        return canvas.finish(part.heading(f"{criterion}, agreement of judges"), caption + left_out_words * (n_left > 0))
