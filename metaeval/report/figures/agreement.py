"""How well every two judges agree."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from metaeval.errors import UsageError, listing
from metaeval.report.figures.data import FigureData
from metaeval.report.figures.judge_pairs import FEWEST_SHARED, judge_pairs, judged_items
from metaeval.report.figures.layout import WIDTHS, add_words, broken_names, inches
from metaeval.report.figures.parts import FigurePart, PartedFigure
from metaeval.report.figures.squares import fill_cell, square_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_JUDGES = 20


@dataclass(frozen=True)
class Agreement(PartedFigure):
    """Spearman's correlation of every two judges, and how many items they share.

    Correlations below the diagonal, items in common above. Only judges who share 10 items with some other; at most 20,
    those who share most; the caption counts the rest. Those who agree most with the others stand first.
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

    def draw_part(self, part: FigurePart, data: FigureData) -> Figure | None:
        """Draw a square table of the judges; nothing where no two share enough items."""
        judged = judged_items(part.rows)
        names, counts = list(judged.columns), judge_pairs(judged)
        if not counts:
            return None
        broken, _ = broken_names(names, 0.4 * (self.inches or WIDTHS["page"]))
        margin = max(inches(name, 8) for name in broken) + 0.25
        most = MOST_JUDGES if self.inches is None else min(MOST_JUDGES, int((self.inches - margin) / 0.3))
        totals = {name: sum(n for pair, n in counts.items() if name in pair) for name in names}
        sharing = sorted((name for name in names if totals[name]), key=lambda name: -totals[name])
        chosen = sharing[:most]
        values = judged[chosen].corr("spearman", min_periods=FEWEST_SHARED).mask(np.eye(len(chosen), dtype=bool))
        defined = values.to_numpy()[np.isfinite(values)]
        low, high = min(defined, default=0.0), max(defined, default=1.0)
        order = list(values.mean().fillna(-2.0).sort_values(ascending=False, kind="stable").index)
        size = 0.4 * len(order) if self.inches is None else self.inches - margin
        cell = min(0.42, size / len(order))
        width = self.inches or max(cell * len(order) + margin, 3.3)
        labels = [broken[names.index(name)] for name in order]
        figure, panel = square_figure(labels, (width, cell * len(order) + margin + 0.45))
        font = 7.0 if cell >= 0.34 else 6.0
        for (y, one), (x, other) in itertools.product(enumerate(order), repeat=2):
            n_shared = counts.get((one, other), counts.get((other, one)))
            if x == y:
                fill_cell(panel, x, y, "#F2F2F2")
            elif x > y and n_shared:
                panel.text(x, y, str(n_shared), ha="center", va="center", fontsize=font - 0.5, color="#666666")
            elif n_shared:
                value: Any = values.at[one, other]
                share = (value - low) / (high - low) if high > low else 0.0
                grey = str(1 - 0.45 * share) if value == value else "white"
                fill_cell(panel, x, y, grey)
                text = f"{value:.2f}".replace("0.", ".", 1) if value == value else "\N{EN DASH}"
                panel.text(x, y, text, ha="center", va="center", fontsize=font)
        n_left = len(names) - len(chosen)
        more = f" {n_left} more judge{'s are' if n_left > 1 else ' is'} not shown: they share fewer items."
        caption = f"Below: Spearman, where two judges share {FEWEST_SHARED} items or more. Above: items in common."
        add_words(
            figure, part.heading(f"{part.values['criterion']}: agreement of judges"), caption + more * (n_left > 0)
        )
        return figure
