"""What a reader finds wrong or remarkable in the files of a corpus."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Literal

from metaeval.errors import CorpusError

Severity = Literal["error", "warning", "note"]
_SHOWN = 20


@dataclass(frozen=True)
class Problem:
    """One finding: its severity, the place as ``file:line``, and a sentence."""

    severity: Severity
    place: str
    message: str

    def __str__(self) -> str:
        return f"{self.place}: {self.message}"


@dataclass
class Problems:
    """A list of findings that a reader fills while it goes on as far as it can."""

    found: list[Problem] = field(default_factory=list)

    def error(self, place: object, message: str) -> None:
        """Add something that makes the corpus unusable."""
        self.found.append(Problem("error", str(place), message))

    def warning(self, place: object, message: str) -> None:
        """Add something that is probably a mistake."""
        self.found.append(Problem("warning", str(place), message))

    def note(self, place: object, message: str) -> None:
        """Add something worth knowing."""
        self.found.append(Problem("note", str(place), message))

    @property
    def errors(self) -> list[Problem]:
        """The findings that make the corpus unusable."""
        return [problem for problem in self.found if problem.severity == "error"]

    def raise_errors(self) -> None:
        """Raise a CorpusError that tells all errors, if there are any."""
        errors = [str(problem) for problem in self.errors]
        if not errors:
            return
        lines = errors[:_SHOWN]
        if len(errors) > _SHOWN:
            lines.append(f"... and {len(errors) - _SHOWN} more; `metaeval corpus check` lists them all.")
        raise CorpusError("\n".join(lines))

    def summary(self) -> str:
        """Return the number of findings of each severity as prose."""
        counts = Counter(problem.severity for problem in self.found)
        words: list[Severity] = ["error", "warning", "note"]
        return ", ".join(f"{counts[word]} {word}{'' if counts[word] == 1 else 's'}" for word in words)
