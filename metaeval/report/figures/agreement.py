"""How well every two judges agree."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from metaeval.errors import UsageError, listing
from metaeval.report.figures.cells import Cell, Head, number, table_sheet
from metaeval.report.figures.data import FigureData
from metaeval.report.figures.judge_pairs import FEWEST_SHARED, judge_pairs, judged_items
from metaeval.report.figures.parts import FigurePart, PartedFigure
from metaeval.report.figures.sheet import Sheet
from metaeval.report.figures.squares import DIAGONAL

MOST_JUDGES = 20


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
            raise UsageError(f"no two judges of {corpora} share {FEWEST_SHARED} items; there is no agreement to draw.")
        return figures

    def sheet(self, part: FigurePart) -> Sheet | None:
        """Return a square of the judges; nothing where no two share enough items."""
        judged = judged_items(part.rows)
        names, counts = list(judged.columns), judge_pairs(judged)
        if not counts:
            return None
        totals = {name: sum(n for pair, n in counts.items() if name in pair) for name in names}
        chosen = sorted((name for name in names if totals[name]), key=lambda name: -totals[name])[:MOST_JUDGES]
        values = judged[chosen].corr("spearman", min_periods=FEWEST_SHARED).mask(np.eye(len(chosen), dtype=bool))
        order = list(values.mean().fillna(-2.0).sort_values(ascending=False, kind="stable").index)
        cells: dict[tuple[int, int], Cell] = {(k, k): DIAGONAL for k in range(len(order))}
        for (y, one), (x, other) in itertools.permutations(enumerate(order), 2):
            n_shared = counts.get((one, other), counts.get((other, one)))
            if n_shared and x > y:
                cells[y, x] = Cell(0.0, (str(n_shared),), faint=True)
            elif n_shared:
                value: Any = values.at[one, other]
                cells[y, x] = Cell(max(value, 0.0) if value == value else 0.0, number(value)[-1:])
        n_left = len(names) - len(chosen)
        more = f" {n_left} more judge{'s are' if n_left > 1 else ' is'} not shown: they share fewer items."
        caption = f"Below: Spearman, where two judges share {FEWEST_SHARED} items or more. Above: items in common."
        criterion = part.data.label(part.values["criterion"])
        return table_sheet(
            self, order, [Head(name) for name in order], cells, square=True,
            heading=part.heading(f"{criterion}: agreement of judges"), caption=caption + more * (n_left > 0),
        )  # fmt: skip
