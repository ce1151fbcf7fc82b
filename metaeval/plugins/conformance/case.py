"""A metric and the texts of one trial; differences between two measurements of them, in words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from metaeval.plugins.conformance.findings import COMPARED, Finding, found
from metaeval.plugins.conformance.trial import Measured, Trial, elsewhere
from metaeval.records import BoolArray, Corpus, FloatArray

# Differences up to this share of the largest number come from adding in another order, as neural metrics do.
ROUNDING = 1e-5
# What arithmetic on numbers of 64 bits may leave.
EXACT = 1e-12


@dataclass(frozen=True)
class Case:
    """A metric and texts that it gives scores for.

    Attributes
    ----------
    trial : Trial
    corpus : Corpus
        Every text that is present has a score.
    measured : Measured
        What the metric made of them at first.
    """

    trial: Trial
    corpus: Corpus
    measured: Measured

    @cached_property
    def elsewhere(self) -> Measured | str:
        """What a process that began anew made of them, or why it could not."""
        return elsewhere(self.trial, self.corpus)

    @cached_property
    def again(self) -> Measured:
        """What the metric made of them at the second call."""
        return self.trial.measure(self.corpus)

    @property
    def repeats(self) -> bool:
        """Whether two calls give the same, but for rounding."""
        found = difference(self.measured, self.again)
        return found is None or found.relative <= ROUNDING

    @property
    def sign(self) -> int:
        """What makes high scores good."""
        return 1 if self.trial.metric.higher_is_better else -1

    def compare(self, other: Measured, name: str, *, expected: Measured | None = None) -> Finding:
        """Return ``ok`` if two measurements are the same, ``note`` if nearly, or else ``fails``; in named words."""
        words, largest = COMPARED[name], difference(expected or self.measured, other)
        if largest is None:
            return found("same bits", **words)
        return found("rounded" if largest.relative <= ROUNDING else "different", self.show(largest), **words)

    def compare_scores(self, other: Measured, name: str) -> Finding:
        """Return ``ok`` if the scores of two measurements are the same, or else ``note``."""
        words, difference = COMPARED[name], largest("score", self.measured.scores, other.scores)
        if difference is None or difference.relative <= EXACT:
            return found("same", **words)
        changed = int((np.abs(self.measured.scores - other.scores) > EXACT).sum())
        return found("changes", self.show(difference), changed=changed, n=other.scores.size, **words)

    def show(self, found: Difference) -> str:
        """Return where two measurements differ, and how."""
        return f"{self.place(*found.where)}: {found.what} {number(found.first)}, then {number(found.then)}"

    def place(self, system: int, segment: int) -> str:
        """Return a segment, a system and the beginning of the candidate."""
        return place(self.corpus, system, segment)


@dataclass(frozen=True)
class Difference:
    """The largest difference between two measurements: of which system and segment, and relative to the largest."""

    where: tuple[int, int]
    what: str
    first: float
    then: float
    relative: float


def difference(first: Measured, then: Measured) -> Difference | None:
    """Return the largest difference in scores, or else in statistics; None if every bit is the same."""
    return largest("score", first.scores, then.scores) or largest("statistics", first.statistics, then.statistics)


def largest(what: str, a: FloatArray, b: FloatArray) -> Difference | None:
    """Return the largest difference between two arrays whose first axes are systems and segments; None if none."""
    wrong = ~((a == b) | (np.isnan(a) & np.isnan(b)))
    if not wrong.any():
        return None
    with np.errstate(invalid="ignore"):
        size = np.where(wrong, np.nan_to_num(np.abs(a - b), nan=np.inf, posinf=np.inf), 0.0)
    where = np.unravel_index(int(np.argmax(size)), size.shape)
    relative = float(size[where] / (np.nanmax(np.abs(a), initial=0.0) or 1.0))
    return Difference((int(where[0]), int(where[1])), what, float(a[where]), float(b[where]), relative)


def number(value: float) -> str:
    """Return a number with as many digits as set it apart from its neighbours in a table."""
    return f"{value:.6g}"


def short(text: str | None, longest: int = 48) -> str:
    """Return the beginning of a text, in quotes."""
    if text is None:
        return "no text"
    return f'"{text}"' if len(text) <= longest else f'"{text[: longest - 3]}..."'


def place(corpus: Corpus, system: int, segment: int) -> str:
    """Return a segment, a system and the beginning of the candidate."""
    candidate = corpus.candidates[system][segment]
    return f"segment {corpus.segment_ids[segment]!r}, system {corpus.systems[system]!r}, {short(candidate)}"


def expected_scores(trial: Trial, corpus: Corpus) -> BoolArray:
    """Return where there must be a score: (systems, segments)."""
    given = np.array([[text is not None for text in texts] for texts in corpus.candidates], dtype=bool)
    if not trial.reads_references:
        return given
    return given & np.array([[text is not None for text in texts] for texts in corpus.references.values()]).any(axis=0)
