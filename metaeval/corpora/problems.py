"""Errors, warnings and notes on the files of a corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from metaeval.errors import CorpusError, ReadingNote, as_typed, counted

Severity = Literal["error", "warning", "note"]
_MAX_SHOWN_ERRORS = 20
_MAX_SHOWN_LINES = 5


def repeated(names: Iterable[str]) -> list[str]:
    """Return the names that are there more than once, sorted."""
    return sorted(name for name, count in Counter(names).items() if count > 1)


def in_lines(lines: Iterable[int]) -> str:
    """Return the first few of some lines, such as ``in lines 2, 3``; a line that is given twice counts once."""
    different = sorted(set(lines))
    shown = ", ".join(map(str, different[:_MAX_SHOWN_LINES]))
    if len(different) > _MAX_SHOWN_LINES:
        shown += f" and {len(different) - _MAX_SHOWN_LINES} more"
    return f"in line {shown}" if len(different) == 1 else f"in lines {shown}"


@dataclass(frozen=True)
class Problem:
    """An error, warning or note on the files of a corpus.

    Attributes
    ----------
    severity : {"error", "warning", "note"}
        Whether it makes the corpus unusable, is probably a mistake, or worth knowing.
    location : str
        As ``file:line``.
    message : str
        A sentence.
    """

    severity: Severity
    location: str
    message: str

    def __str__(self) -> str:
        return f"{self.location}: {self.message}"


@dataclass
class Problems:
    """Errors, warnings and notes on the files of a corpus; a reader adds them and goes on as far as it can.

    Attributes
    ----------
    entries : list of Problem
        In the order in which they were found.
    """

    entries: list[Problem] = field(default_factory=list)

    def error(self, location: object, message: str) -> None:
        """Add something that makes the corpus unusable.

        Parameters
        ----------
        location : object
            Where, as ``file:line``.
        message : str
            A sentence.
        """
        self.entries.append(Problem("error", str(location), message))

    def warning(self, location: object, message: str) -> None:
        """Add something that is probably a mistake.

        Parameters
        ----------
        location : object
            Where, as ``file:line``.
        message : str
            A sentence.
        """
        self.entries.append(Problem("warning", str(location), message))

    def note(self, location: object, message: str) -> None:
        """Add something worth knowing.

        Parameters
        ----------
        location : object
            Where, as ``file:line``.
        message : str
            A sentence.
        """
        self.entries.append(Problem("note", str(location), message))

    @property
    def errors(self) -> list[Problem]:
        """The findings that make the corpus unusable."""
        return [problem for problem in self.entries if problem.severity == "error"]

    def reading_notes(self) -> tuple[ReadingNote, ...]:
        """Return the warnings as notes of results.

        Returns
        -------
        tuple of ReadingNote
            Each with its place, as ``file:line: message``.
        """
        return tuple(map(ReadingNote, self.with_severity("warning")))

    def with_severity(self, severity: Severity) -> tuple[str, ...]:
        """Return the findings of a severity, each with its place.

        Parameters
        ----------
        severity : {"error", "warning", "note"}

        Returns
        -------
        tuple of str
            In the order in which they were found.
        """
        return tuple(str(problem) for problem in self.entries if problem.severity == severity)

    def raise_errors(self) -> None:
        """Raise an error that lists all errors, if there are any.

        Raises
        ------
        CorpusError
            If there is one.
        """
        errors = [str(problem) for problem in self.errors]
        if not errors:
            return
        lines = errors[:_MAX_SHOWN_ERRORS]
        if len(errors) > _MAX_SHOWN_ERRORS:
            check = as_typed(terminal="`metaeval corpus check`", python="for files, metaeval.check_corpus(...)")
            lines.append(f"... and {len(errors) - _MAX_SHOWN_ERRORS} more; {check} lists them all.")
        raise CorpusError("\n".join(lines))

    def summary(self) -> str:
        """Return the number of findings of each severity as prose.

        Returns
        -------
        str
            Such as ``0 errors, 1 warning, 3 notes``.
        """
        counts = Counter(problem.severity for problem in self.entries)
        words: list[Severity] = ["error", "warning", "note"]
        return ", ".join(counted(counts[word], word) for word in words)


class Strict(Problems):
    """Raises the first error."""

    def error(self, location: object, message: str) -> None:
        """Raise an error, with its place."""
        raise CorpusError(f"{location}: {message}")
