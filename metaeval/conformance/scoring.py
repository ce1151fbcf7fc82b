"""Score texts with a metric that is checked, and compare what it gave at different times."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from metaeval.conformance.finding import Finding, fails, note, ok
from metaeval.datamodel.corpus import BoolArray, Corpus, FloatArray
from metaeval.errors import MetricError
from metaeval.metrics import AnyMetric
from metaeval.metrics.contract import measure
from metaeval.metrics.text_metric import TextMetric
from metaeval.text.encoding import treat
from metaeval.text.preprocessing import Preprocessing
from metaeval.user_code.running import StderrWriter

# Relative differences up to this come from adding in another order, as neural metrics do.
ROUNDING = 1e-5
# Relative differences up to this come from arithmetic on numbers of 64 bits.
EXACT = 1e-12


@dataclass(frozen=True)
class Scores:
    """Statistics and scores of texts.

    Attributes
    ----------
    statistics : (systems, segments, statistics) float array
    scores : (systems, segments) float array
    """

    statistics: FloatArray
    scores: FloatArray

    def at(self, segments: Any) -> Scores:
        """Return those of some segments, in the order given."""
        return Scores(self.statistics[:, segments], self.scores[:, segments])

    @classmethod
    def joined(cls, parts: Iterable[Scores], axis: int) -> Scores:
        """Return several along the axis of the systems, 0, or that of the segments, 1."""
        statistics, scores = zip(*((part.statistics, part.scores) for part in parts), strict=True)
        return cls(np.concatenate(statistics, axis), np.concatenate(scores, axis))


@dataclass(frozen=True)
class CheckedMetric:
    """A metric, and the preprocessing of its texts.

    Attributes
    ----------
    name : str
        As the user wrote it.
    metric : Metric or TextMetric
    preprocessing : Preprocessing
        Of metrics that read tokens.
    output : StderrWriter
        What it has printed.
    """

    name: str
    metric: AnyMetric
    preprocessing: Preprocessing
    output: StderrWriter = field(default_factory=StderrWriter, compare=False)

    @property
    def reads_references(self) -> bool:
        """True if the scores depend on references."""
        return not isinstance(self.metric, TextMetric) or self.metric.uses_references

    def score_texts(self, corpus: Corpus, names: Sequence[str] | None = None) -> Scores:
        """Return statistics and scores of all segments against some references, or all.

        Raises
        ------
        MetricError
            If the metric fails, in whichever way.
        """
        chosen = tuple(corpus.references) if names is None else tuple(names)
        try:
            with contextlib.redirect_stdout(self.output):
                if isinstance(self.metric, TextMetric):
                    copy = dataclasses.replace(corpus, references=dict(corpus.references))
                    statistics = self.metric.measure(copy, chosen)
                else:
                    references = {name: corpus.references[name] for name in chosen}
                    treated = treat(self.preprocessing, corpus.candidates, references)
                    statistics = measure(self.metric, treated.candidates, list(treated.references.values())).values
                return Scores(statistics, np.asarray(self.metric.score(statistics)))
        except MetricError:
            raise
        except Exception as error:
            raise MetricError(f"metric {self.name!r}: {type(error).__name__}: {error}.") from error

    def score_pooled(self, statistics: FloatArray) -> FloatArray:
        """Return the scores of pooled statistics, (..., statistics) to (...)."""
        with contextlib.redirect_stdout(self.output):
            return np.asarray(self.metric.score(statistics))

    def expects_score(self, corpus: Corpus) -> BoolArray:
        """Mark the texts that must have a score, having a reference where these are read: (systems, segments)."""
        has_candidate = _are_present(corpus.candidates)
        if not self.reads_references:
            return has_candidate
        return has_candidate & _are_present(corpus.references.values()).any(axis=0)


def _are_present(rows: Iterable[Sequence[str | None]]) -> BoolArray:
    """Mark the texts that are not absent: (rows, segments)."""
    return np.array([[text is not None for text in texts] for texts in rows], dtype=bool)


@dataclass(frozen=True)
class Difference:
    """The largest difference between two arrays of scores or statistics.

    Attributes
    ----------
    system, segment : int
        Where it is.
    numbers : str
        Both numbers.
    relative : float
        The difference divided by the largest number.
    """

    system: int
    segment: int
    numbers: str
    relative: float


def largest_difference(first: Scores, then: Scores) -> Difference | None:
    """Return the largest difference in scores, or else in statistics; None if every bit is the same."""
    return _largest("score", first.scores, then.scores) or _largest("statistics", first.statistics, then.statistics)


def _largest(noun: str, a: FloatArray, b: FloatArray) -> Difference | None:
    differs = ~((a == b) | (np.isnan(a) & np.isnan(b)))
    if not differs.any():
        return None
    with np.errstate(invalid="ignore"):
        sizes = np.where(differs, np.nan_to_num(np.abs(a - b), nan=np.inf, posinf=np.inf), 0.0)
    where = np.unravel_index(int(np.argmax(sizes)), sizes.shape)
    relative = float(sizes[where] / (np.nanmax(np.abs(a), initial=0.0) or 1.0))
    return Difference(int(where[0]), int(where[1]), f"{noun} {number(a[where])}, then {number(b[where])}", relative)


@dataclass(frozen=True)
class ScoredTexts:
    """Texts that all have a score, and the scores that a metric gave at first.

    Attributes
    ----------
    metric : CheckedMetric
    corpus : Corpus
    first : Scores
    """

    metric: CheckedMetric
    corpus: Corpus
    first: Scores

    @cached_property
    def again(self) -> Scores:
        """Scores of a second call."""
        return self.metric.score_texts(self.corpus)

    @property
    def are_repeatable(self) -> bool:
        """True if a second call gives the same, but for rounding."""
        difference = largest_difference(self.first, self.again)
        return difference is None or difference.relative <= ROUNDING

    @property
    def sign(self) -> int:
        """1 if higher scores are better, or else -1."""
        return 1 if self.metric.metric.higher_is_better else -1

    def text_words(self, system: int, segment: int) -> str:
        """Return a segment, a system and the beginning of the candidate, in words."""
        return text_words(self.corpus, system, segment)

    def must_equal(self, other: Scores, same: str, differs: str, *, expected: Scores | None = None) -> Finding:
        """Return that scores and statistics are the same: ok to the last bit, a note but for rounding, or it fails."""
        difference = largest_difference(expected or self.first, other)
        if difference is None:
            return ok(f"{same}, to the last bit.")
        example = f"{self.text_words(difference.system, difference.segment)}: {difference.numbers}"
        if difference.relative <= ROUNDING:
            return note(f"{same}, but for rounding.", example)
        return fails(f"{differs}.", example)

    def may_differ(self, other: Scores, same: str, differs: str) -> Finding:
        """Return that scores are the same, or a note; which of equal references was taken may show in statistics."""
        difference = _largest("score", self.first.scores, other.scores)
        if difference is None or difference.relative <= EXACT:
            return ok(f"{same}.")
        n_changed = int((np.abs(self.first.scores - other.scores) > EXACT).sum())
        example = f"{self.text_words(difference.system, difference.segment)}: {difference.numbers}"
        return note(f"{differs}: {n_changed} of {other.scores.size} scores change.", example)


def part(corpus: Corpus, segments: Sequence[int] | None = None, systems: Sequence[int] | None = None) -> Corpus:
    """Return some segments or systems of a corpus, in the order given, without judgments."""
    rows = range(corpus.n_segments) if segments is None else segments
    chosen = range(len(corpus.systems)) if systems is None else systems

    def at_rows(texts: Sequence[str | None]) -> list[str | None]:
        return [texts[i] for i in rows]

    bare = Corpus.of_texts(
        {corpus.systems[k]: at_rows(corpus.candidates[k]) for k in chosen},
        {name: at_rows(texts) for name, texts in corpus.references.items()},
    )
    return dataclasses.replace(
        bare,
        name=corpus.name,
        sources=None if corpus.sources is None else tuple(corpus.sources[i] for i in rows),
        segment_ids=tuple(corpus.segment_ids[i] for i in rows),
        documents=None if corpus.documents is None else tuple(corpus.documents[i] for i in rows),
    )


def with_candidates(corpus: Corpus, candidates: Mapping[str, Sequence[str | None]]) -> Corpus:
    """Return a corpus with other candidates."""
    return dataclasses.replace(corpus, systems=tuple(candidates), candidates=tuple(map(tuple, candidates.values())))


def number(value: float) -> str:
    """Return a number with six digits."""
    return f"{value:.6g}"


def short(text: str | None, max_characters: int = 48) -> str:
    """Return the beginning of a text, in quotes."""
    if text is None:
        return "no text"
    return f'"{text}"' if len(text) <= max_characters else f'"{text[: max_characters - 3]}..."'


def text_words(corpus: Corpus, system: int, segment: int) -> str:
    """Return a segment, a system and the beginning of the candidate, in words."""
    candidate = corpus.candidates[system][segment]
    return f"segment {corpus.segment_ids[segment]!r}, system {corpus.systems[system]!r}, {short(candidate)}"
