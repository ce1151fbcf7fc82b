"""The claims of a paper as a forest plot: the difference that decided each of them, with its interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from metaeval.errors import UsageError
from metaeval.report.display_names import labelled
from metaeval.report.figures.canvas import Entry
from metaeval.report.figures.dots import Dots, draw_dots, point_style
from metaeval.report.figures.per_part import figure_parts
from metaeval.report.figures.settings import SizedFigure

if TYPE_CHECKING:
    from metaeval.report.figures.per_part import FigurePart
    from metaeval.report.figures.picture import Picture
    from metaeval.report.figures.run_frames import FigureData

# Whether the mark of a verdict is filled, and its shape.
_VERDICT_MARKS = {"holds": (True, "o"), "undecided": (False, "o"), "fails": (False, "X")}


@dataclass(frozen=True)
class Claims(SizedFigure):
    """The claims of a paper, a row each: the difference that decided its verdict, with the interval of that.

    A row names what was compared and which was higher. A positive difference speaks for the claim; the mark is that of
    the verdict, and a short line stands at the margin of a claim that has one.
    """

    kind: ClassVar[str] = "claims"
    of_run: ClassVar[bool] = True

    def draw(self, data: FigureData, title: str) -> dict[str, Any]:
        """Draw a figure for each corpus.

        Raises
        ------
        UsageError
            If the run has no claims, or none of them has a difference.
        """
        table = pd.DataFrame(labelled(data.whole).tables.records("claims"))
        if not len(table):
            raise UsageError(f"the figure {self.kind!r} needs the claims of a paper, and the run has none: `claims`.")
        parts = figure_parts(table, self.kind, ["corpus"], title, data)
        figures = {part.name: self._draw_part(part) for part in parts}
        drawn = {name: figure for name, figure in figures.items() if figure is not None}
        if not drawn:
            raise UsageError(f"the figure {self.kind!r} shows differences, and no claim of the run has one.")
        return drawn

    def _draw_part(self, part: FigurePart) -> Picture | None:
        rows = part.rows
        shown = rows[np.isfinite(rows["difference"].astype(float))]
        if not len(shown):
            return None
        names = [f"{claim}. {pair}" for claim, pair in zip(shown["claim"], shown["compared"], strict=True)]
        marks = [_VERDICT_MARKS[verdict] for verdict in shown["verdict"]]
        points = shown.assign(
            name=names,
            mean=shown["difference"],
            mark=shown["verdict"],
            filled=[filled for filled, _ in marks],
            marker=[marker for _, marker in marks],
        )
        margins = [
            (name, value)
            for name, margin, statement in zip(names, shown["margin"], shown["statement"], strict=True)
            for value in ([-margin, margin] if " equals " in statement else [margin])
            if margin
        ]
        key = [
            Entry(verdict, {**point_style(filled=filled, marker=marker), "linestyle": "none"})
            for verdict, (filled, marker) in _VERDICT_MARKS.items()
            if verdict in set(shown["verdict"])
        ]
        n_left = len(rows) - len(shown)
        caption = (
            "Points: the difference that decided the claim; positive speaks for it, unless it says that two are equal. "
            "Lines: its interval, corrected for the comparisons of the claim."
        )
        caption += " Short lines: the margin of a claim." if margins else ""
        caption += f" {n_left} claim{'s have' if n_left > 1 else ' has'} no difference." if n_left else ""
        return draw_dots(
            self, [Dots("claims", "", points, ticks=margins)], names, label="difference", caption=caption, zero=True,
            heading=part.heading("claims of the paper"), key=key,
        )  # fmt: skip
