"""Parts of a corpus beside texts and judgments: criteria, scores of metrics and of people, marked errors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt


def read_only(*arrays: npt.NDArray[Any]) -> None:
    """Make arrays refuse to be written to, so that what was identified by its content stays what it is.

    Parameters
    ----------
    *arrays : array
        Of any shape and type.
    """
    for array in arrays:
        array.setflags(write=False)


@dataclass(frozen=True)
class Criterion:
    """A criterion of human judgment, such as adequacy.

    Attributes
    ----------
    name : str
        Such as ``adequacy``.
    low, high : float
        The range of its scores; infinite where it is unknown.
    higher_is_better : bool
        Its direction.
    """

    name: str
    low: float
    high: float
    higher_is_better: bool


@dataclass(frozen=True, eq=False, repr=False)
class GivenTable:
    """Scores as they stand in a file, once it is read; see `GivenScores`."""

    systems: tuple[str, ...]
    units: tuple[str, ...]
    values: npt.NDArray[np.float64]
    remarks: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        read_only(self.values)


class GivenScores:
    """Scores that came with a corpus, of a metric or human ones; their file is read when they are first asked for.

    Parameters
    ----------
    name : str
        Of the metric, or of the human evaluation.
    origin : {"metric", "human"}
        Who scored.
    level : {"segment", "document", "domain", "system"}
        What has a score.
    read : callable
        Reads the file; it raises a CorpusError where that is wrong.
    """

    def __init__(self, name: str, origin: str, level: str, read: Callable[[], GivenTable]) -> None:
        self.name = name
        self.origin = origin
        self.level = level
        self._read = read

    def __reduce__(self) -> tuple[object, ...]:
        # What reads a file cannot go to another process; what was read can.
        return GivenScores.of, (self.name, self.origin, self.level, self.systems, self.units, self.values)

    @classmethod
    def of(
        cls,
        name: str,
        origin: str,
        level: str,
        systems: tuple[str, ...],
        units: tuple[str, ...],
        values: npt.NDArray[np.float64],
    ) -> GivenScores:
        """Return scores that are there already.

        Parameters
        ----------
        name, origin, level : str
            As above.
        systems, units : tuple of str
            Of the rows and the columns.
        values : (systems, units) float array
            ``nan`` where there is none; one column at system level.

        Returns
        -------
        GivenScores
        """
        return cls(name, origin, level, partial(GivenTable, systems, units, values))

    @cached_property
    def _table(self) -> GivenTable:
        return self._read()

    @property
    def systems(self) -> tuple[str, ...]:
        """Systems, or references that were scored like systems."""
        return self._table.systems

    @property
    def units(self) -> tuple[str, ...]:
        """Segment ids, names of documents or domains, or nothing at system level."""
        return self._table.units

    @property
    def values(self) -> npt.NDArray[np.float64]:
        """The scores, (systems, units); ``nan`` where there is none, and one column at system level."""
        return self._table.values

    @property
    def remarks(self) -> tuple[str, ...]:
        """Notes from reading the file, such as on systems of which the corpus has no texts."""
        return self._table.remarks


@dataclass(frozen=True, eq=False, repr=False)
class ErrorSpans:
    """Errors that judges marked in texts: one row an error, as parallel arrays.

    Attributes
    ----------
    names, judges, severities, categories : tuple of str
        What `text`, `judge`, `severity` and `category` point to; a name is that of a system or a reference.
    text, segment, judge, severity, category : (spans,) int arrays
        Indices; `segment` into the segments of the corpus. A name "" is a severity or category that is not given.
    start, end : (spans,) int arrays
        Characters (code points) from 0; the end lies behind the last one. Both are -1 where something is missing.
    in_source : (spans,) bool array
        Whether the span is one of the source and not of the text.
    """

    names: tuple[str, ...]
    judges: tuple[str, ...]
    severities: tuple[str, ...]
    categories: tuple[str, ...]
    text: npt.NDArray[np.integer]
    segment: npt.NDArray[np.integer]
    judge: npt.NDArray[np.integer]
    start: npt.NDArray[np.integer]
    end: npt.NDArray[np.integer]
    severity: npt.NDArray[np.integer]
    category: npt.NDArray[np.integer]
    in_source: npt.NDArray[np.bool_]

    def __post_init__(self) -> None:
        read_only(*(value for value in vars(self).values() if isinstance(value, np.ndarray)))

    def __len__(self) -> int:
        return len(self.text)

    def __repr__(self) -> str:
        return f"ErrorSpans({len(self)} by {len(self.judges)} judges)"
