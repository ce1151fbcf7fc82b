"""Scores that came with a corpus: a file of them is read when they are first asked for."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat

import numpy as np

from metaeval.corpora.judgment_columns import Rows, positions, repeats
from metaeval.corpora.problems import Problems
from metaeval.datamodel.annotations import GivenScores, GivenTable
from metaeval.datamodel.corpus import FloatArray, IntArray
from metaeval.errors import listing


@dataclass(frozen=True)
class ScoreRows:
    """Scores as they stand in one table.

    Attributes
    ----------
    rows : Rows
        Where they stand.
    systems : sequence of (str or None)
        Of each row; None where the reader has noted that it is wrong.
    units : sequence, or int array
        Of each row: the name of a document or domain, or "" for a whole system; an array has the indices of segments,
        -1 where the reader has noted that there is none.
    values : sequence of float
    """

    rows: Rows
    systems: Sequence[str | None]
    units: Sequence[Hashable] | IntArray
    values: Sequence[float] | FloatArray


def reader_of(rows: ScoreRows | None) -> Callable[[], ScoreRows | None]:
    """Return a reader of rows that were read already."""
    return lambda: rows


@dataclass(frozen=True)
class ScoreFile:
    """A file of scores, of a metric, or human ones that are no judgments.

    Attributes
    ----------
    location : str
        The file, for messages.
    name, origin, level : str
        As in :class:`~metaeval.datamodel.annotations.GivenScores`.
    read : callable
        Reads it, and notes what is wrong among the problems of the corpus; None if it cannot be read.
    """

    location: str
    name: str
    origin: str
    level: str
    read: Callable[[], ScoreRows | None]

    def scores(self, names: Sequence[str], units: Mapping[str, Sequence[str]], problems: Problems) -> GivenScores:
        """Return the scores, not yet read.

        Parameters
        ----------
        names : sequence of str
            Systems and references of the corpus.
        units : mapping of str to sequence of str
            The segments, documents and domains of the corpus, by level.
        problems : Problems
            Takes what is wrong.
        """

        def read() -> GivenTable:
            before = len(problems.entries)
            rows = self.read()
            table = None if rows is None else self._table(rows, names, units.get(self.level, ()), problems)
            new_problems = Problems(problems.entries[before:])
            new_problems.raise_errors()
            assert table is not None
            # What is remarkable is noted with the scores, which may be long after the corpus was read.
            return GivenTable(*table, new_problems.with_severity("warning"))

        return GivenScores(self.name, self.origin, self.level, read)

    def _table(
        self, scores: ScoreRows, names: Sequence[str], units: Sequence[str], problems: Problems
    ) -> tuple[tuple[str, ...], tuple[str, ...], FloatArray]:
        """Return the systems that are scored, the units, and the scores."""
        named = {name for name in {*scores.systems} if name is not None}
        scored = [name for name in names if name in named]
        if len(scored) < len(named):
            left_out = listing(sorted(named.difference(scored)))
            problems.warning(
                self.location, f"scores {left_out}, of which the corpus has no texts; these scores are left out."
            )
        row_of = positions(scored)
        column_of = positions(units or [""])
        rows = np.fromiter(map(row_of.get, scores.systems, repeat(-1)), np.int64, len(scores.systems))
        if isinstance(scores.units, np.ndarray):
            columns = scores.units.astype(np.int64)
        else:
            columns = np.fromiter(map(column_of.get, scores.units, repeat(-1)), np.int64, len(scores.units))
        known = np.flatnonzero((rows >= 0) & (columns >= 0))
        cells = rows[known] * len(column_of) + columns[known]
        if len(cells) and np.bincount(cells).max() > 1:
            for _, second in repeats(cells):
                at = int(known[second])
                unit = f", {self.level} {units[columns[at]]!r}," if units else ""
                problems.error(scores.rows.location_of(at), f"scores {scores.systems[at]!r}{unit} a second time.")
        values = np.full((len(scored), len(column_of)), np.nan)
        values[rows[known], columns[known]] = np.asarray(scores.values, dtype=np.float64)[known]
        return tuple(scored), tuple(units), values
