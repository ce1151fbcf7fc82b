"""The scores of metrics and people for the same documents, and what is made of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from metaeval.correlation.averages import coefficients_of_lines, summarise
from metaeval.experiment.cells import Cell, Line, scores_of_lines
from metaeval.experiment.undefined import why_undefined
from metaeval.records import CONSTANT, FloatArray
from metaeval.results.rows import Undefined

if TYPE_CHECKING:
    from metaeval.experiment.resample import Replicates


class Grid:
    """The scores of the lines of a cell, their coefficients, and the replicates of these if there are any.

    Parameters
    ----------
    cell : Cell
        A corpus, a criterion, a group of reference subsets and a length; `cell.scores.human` is (documents, systems).
    lines : sequence of Line
        Metrics, and a constant metric or a second draw of judgments.

    Attributes
    ----------
    scores : list of (subsets or 1, documents, systems) float arrays
        Of each line; ``nan`` where there is none.
    replicates : Replicates or None
        None until they are made, and where no interval and no test needs them.
    """

    def __init__(self, cell: Cell, lines: Sequence[Line]) -> None:
        self.cell, self.lines = cell, lines
        self.scores: list[FloatArray] = scores_of_lines(lines, cell.scores)
        for number, line in enumerate(lines):
            if line.published is not None:
                self.scores[number] = line.published[np.newaxis, np.newaxis]
        self.replicates: Replicates | None = None

    @cached_property
    def coefficients(self) -> Mapping[tuple[int, str], FloatArray]:
        """The coefficients by the position of the line and the name: (documents,), (systems,) or (1,)."""
        average_by, human = self.cell.experiment.correlation.average_by, self.cell.scores.human
        found: dict[tuple[int, str], FloatArray] = {}
        for text in self.lines[0].relations:
            pairs = [(one, line.relations[text]) for line, one in zip(self.lines, self.scores, strict=True)]
            for number, values in enumerate(coefficients_of_lines(pairs, human, average_by)):
                found[number, text] = values
        return found

    def numbers(self, preprocessing: str) -> list[int]:
        """Return the positions of the metrics of a preprocessing."""
        return [
            number for number, line in enumerate(self.lines) if line.is_metric and line.preprocessing == preprocessing
        ]

    def constant(self, preprocessing: str) -> int | None:
        """Return the position of the constant metric beside those of a preprocessing, if there is one."""
        places = (
            n for n, line in enumerate(self.lines) if (line.name, line.preprocessing) == (CONSTANT, preprocessing)
        )
        return next(places, None)

    def mean(self, number: int, text: str) -> float:
        """Return the mean coefficient of a line, as it is reported."""
        return summarise(self.counted(number, text)).mean

    def reasons(self, number: int, text: str) -> Undefined:
        """Return how many coefficients of a line are undefined, by the cause."""
        values = self.coefficients[number, text]
        average_by = self.cell.experiment.correlation.average_by
        return why_undefined(self.scores[number], self.cell.scores.human, np.isnan(values), average_by)

    def counted(self, number: int, text: str) -> FloatArray:
        """Return the coefficients of a line, an undefined one as 0 where the experiment wants it so."""
        values = self.coefficients[number, text]
        return np.nan_to_num(values, nan=0.0) if self.cell.experiment.correlation.undefined == "zero" else values
