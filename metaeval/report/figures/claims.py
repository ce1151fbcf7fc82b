"""The claims of a paper as a forest plot: the difference that decided each of them, with its interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from metaeval.errors import UsageError
from metaeval.report.figures.dots import Dots, draw_dots
from metaeval.report.figures.look import SizedFigure
from metaeval.report.figures.parts import figure_parts
from metaeval.report.labels import labelled

if TYPE_CHECKING:
    from metaeval.report.figures.data import FigureData
    from metaeval.report.figures.parts import FigurePart
    from metaeval.report.figures.picture import Picture


@dataclass(frozen=True)
class Claims(SizedFigure):
    """The claims of a paper, a row each: the difference that decided its verdict, with the interval of that.

    A positive difference speaks for the claim. A filled point: the claim holds; a hollow one: it fails or is undecided,
    as its name says.
    """

    kind: ClassVar[str] = "claims"

    def draw(self, data: FigureData, title: str) -> dict[str, Any]:
        """Draw a figure for each corpus.

        Raises
        ------
        UsageError
            If the run has no claims, or none of them has a difference.
        """
        table = pd.DataFrame(labelled(data.run).tables.records("claims"))
        if not len(table):
            raise UsageError(f"the figure {self.kind!r} needs the claims of a paper, and the run has none: `claims`.")
        parts = figure_parts(table, self.kind, ["corpus"], title, data)
        figures = {part.name: self._draw_part(part) for part in parts}
        found = {name: figure for name, figure in figures.items() if figure is not None}
        if not found:
            raise UsageError(f"the figure {self.kind!r} shows differences, and no claim of the run has one.")
        return found

    def _draw_part(self, part: FigurePart) -> Picture | None:
        rows = part.rows
        shown = rows[np.isfinite(rows["difference"].astype(float))]
        if not len(shown):
            return None
        names = [
            f"{claim}. {statement}: {verdict}"
            for claim, statement, verdict in zip(shown["claim"], shown["statement"], shown["verdict"], strict=True)
        ]
        points = shown.assign(name=names, mean=shown["difference"], filled=shown["verdict"] == "holds")
        n_left = len(rows) - len(shown)
        caption = (
            "Points: the difference that decided the claim; positive speaks for it. Lines: its interval, corrected for "
            "the comparisons of the claim. Filled: the claim holds."
        )
        caption += f" {n_left} claim{'s have' if n_left > 1 else ' has'} no difference." if n_left else ""
        return draw_dots(
            self, [Dots("claims", "", points)], names, label="difference", heading=part.heading("claims of the paper"),
            caption=caption, zero=True,
        )  # fmt: skip
