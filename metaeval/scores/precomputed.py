"""Scores that were computed before: the base of those of files and of those of a corpus, and the latter.

Conventions. A segment without a score is missing, not 0: the score of a document is the mean of the scores present, and
a document with none has no score. Of a system without any score nothing is correlated. Scores stored for whole systems
serve for the whole corpus alone, and no part of it has one.
"""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any, ClassVar

import numpy as np

from metaeval.datamodel.annotations import GivenScores
from metaeval.datamodel.corpus import BoolArray, Corpus, FloatArray
from metaeval.errors import MetricError, UsageError, listing, unknown
from metaeval.metrics.naming import short_name
from metaeval.metrics.text_metric import TextMetric, better
from metaeval.parameters.calls import Signature
from metaeval.parameters.fields import parameter
from metaeval.version import VERSION

# Largest distance of stored scores from means, in standard deviations between systems.
_ROUNDING_DEVIATIONS = 0.01


class Precomputed(TextMetric):
    """Base of scores of a file and scores of the corpus: a dataclass whose first field says which they are."""

    uses_references = False
    needs_texts = False
    # What stands before the colon of its short name.
    prefix: ClassVar[str]

    def typed(self, **changes: Any) -> str:
        """Return the words to type for it, with other parameters."""
        changed = replace(self, **changes)  # type: ignore[type-var]  # a dataclass
        first, *others = dataclasses.fields(changed)  # type: ignore[arg-type]
        parameters = {}
        for field in others:
            value = getattr(changed, field.name)
            if value != field.default:
                parameters[field.name] = list(value) if isinstance(value, tuple) else value
        return short_name(self.prefix, getattr(changed, first.name), parameters)

    @abstractmethod
    def values(self, corpus: Corpus) -> tuple[FloatArray, tuple[str, ...]]:
        """Return the scores and what to note.

        Returns
        -------
        (systems, segments) or (systems, 1) float array
            ``nan`` where there is none; one column at system level.
        tuple of str
        """

    def measure(self, corpus: Corpus, references: Sequence[str]) -> FloatArray:
        """Return sums and counts, (systems, segments, 2); a missing score is a sum and a count of 0.

        Raises
        ------
        CorpusError
            If the scores do not fit the corpus; with file, line and value.
        """
        scores = np.broadcast_to(self.values(corpus)[0], (len(corpus.systems), corpus.n_segments))
        missing = np.isnan(scores)
        statistics = np.stack([np.where(missing, 0.0, scores), np.where(missing, 0.0, 1.0)], axis=-1)
        statistics[missing & ~_present(corpus)] = np.nan
        return statistics

    def notes(self, corpus: Corpus) -> tuple[str, ...]:
        """Describe what is missing or left over, with numbers."""
        return self.values(corpus)[1]

    def _missing(self, scores: FloatArray, corpus: Corpus) -> tuple[str, ...]:
        """Return a note on the segments without a score, though the system has a text and other scores."""
        present = _present(corpus)
        present[np.isnan(scores).all(axis=1)] = False
        missing = np.isnan(scores) & present
        if not missing.any() or scores.shape[1] != corpus.n_segments:
            return ()
        counts = {name: int(count) for name, count in zip(corpus.systems, missing.sum(axis=1), strict=True) if count}
        systems = ", ".join(f"{count} of {name}" for name, count in counts.items())
        first = int(np.flatnonzero(missing.any(axis=0))[0])
        note = (
            f"{missing.sum()} of {present.sum()} segments of systems have no score ({systems}; the first is segment "
            f"{corpus.numbers[first]}); the score of a document is the mean of those present, and a document with none "
            "has none."
        )
        return (note,)


def without_scores(systems: Iterable[str]) -> str:
    """Return the note, without its full stop, that a metric has no scores of some systems, and what follows."""
    return (
        f"has no scores of {listing(systems)}; its coefficients are over the other systems, and it is not tested "
        "against metrics that have more"
    )


def _present(corpus: Corpus) -> BoolArray:
    """Mark the texts that systems have: (systems, segments)."""
    return np.array([[text is not None for text in texts] for texts in corpus.candidates], dtype=bool)


def are_means(stored: FloatArray, scores: FloatArray) -> bool:
    """Return whether scores of whole systems are the means of their segments' scores, but for rounding.

    Then nothing is lost by these, and segments can be drawn again. Printed with four digits, as by COMET, scores of
    systems differ from the means by less than a hundredth of the standard deviation between systems.

    Parameters
    ----------
    stored : (systems,) float array
        ``nan`` where there is none.
    scores : (systems, segments) float array
        ``nan`` where there is none.
    """
    is_stored = ~np.isnan(stored)
    filled = ~np.isnan(scores[is_stored])
    means = np.where(filled, scores[is_stored], 0).sum(axis=1) / np.maximum(filled.sum(axis=1), 1)
    farthest = np.abs(means - stored[is_stored]).max(initial=0.0)
    return bool(filled.any(axis=1).all() and farthest <= _ROUNDING_DEVIATIONS * np.std(stored[is_stored]))


@dataclass(frozen=True)
class CorpusScores(Precomputed):
    """Scores that came with the corpus, of a metric or human ones; those of all metrics that a pattern fits."""

    prefix: ClassVar[str] = "precomputed"

    name: str = parameter(doc="the name of the scores in the corpus; * stands for any letters, as in BLEU*")
    system: str = parameter(
        "auto",
        doc="the score of a whole system: the one stored for it, to its last digit, or the mean of its segments' "
        "scores; auto: the mean where the stored ones are means but for rounding, the stored ones elsewhere",
        choices=("auto", "stored", "mean"),
    )
    higher_is_better: bool = parameter(True, doc="whether a high score is good")
    missing: str = parameter(
        "leave-out",
        doc="what becomes of a system without any score: it is left out of the metric's coefficients, or has 0 "
        "everywhere (zero), as in mt-metrics-eval",
        choices=("leave-out", "zero"),
    )

    # Of which levels scores are taken, the first that there is.
    levels: ClassVar[tuple[str, ...]] = ("segment", "system")

    @property
    def title(self) -> str:
        """The name of the scores."""
        return self.name

    @property
    def signature(self) -> Signature:
        """Name, direction and version; the corpus stands in the signature of every score."""
        pairs = (("name", self.name), ("system", self.system))
        missing = (("missing", self.missing),) if self.missing == "zero" else ()
        return Signature("precomputed").with_pairs((*pairs, ("better", better(self)), *missing, ("version", VERSION)))

    @property
    def described(self) -> str:
        """The making of the score of a document, in sentences."""
        stored = "The score of a whole system is the one that is stored for it, if there is one. "
        whole = stored if self.system != "mean" else ""
        return (
            f"The scores {self.name} that came with the corpus. {whole}The score of a document is the mean of the "
            f"scores of its segments that are present; {better(self)} is better."
        )

    def metrics_in(self, corpus: Corpus, notes: list[str]) -> Mapping[str, TextMetric] | None:
        """Return the metrics that a pattern fits, by the names that a user writes; of human scores none."""
        of_metrics = list(dict.fromkeys(scores.name for scores in corpus.scores if scores.origin == "metric"))
        if "*" not in self.name or self.name in of_metrics:
            self._scores_in(corpus)
            return None
        fitting = [name for name in of_metrics if fnmatchcase(name, self.name)]
        min_systems = min(2, len(corpus.systems))
        metrics = dict[str, CorpusScores]()
        for scores in corpus.scores:
            n_systems = len({*scores.systems} & {*corpus.systems})
            if scores.name in fitting and scores.level in self.levels and n_systems >= min_systems:
                metrics[scores.name] = replace(self, name=scores.name)
        if not metrics:
            raise UsageError(
                f"{self.typed()}: corpus {corpus.name!r} came with no scores of metrics of such a name; it has "
                f"{listing(of_metrics)}. Scores in files are named scores:FILE."
            )
        left_out = [name for name in fitting if name not in metrics]
        if left_out:
            names = listing(left_out)
            notes.append(f"scores of documents alone, or of fewer than {min_systems} systems, are left out: {names}.")
        return {metric.typed(): metric for metric in metrics.values()}

    def variant(self, corpus: Corpus) -> tuple[str, tuple[str, ...] | None]:
        """Return the parts of the name before and behind a hyphen: src, all, or references with points between."""
        names = {*corpus.references, *corpus.judged_references}
        name, hyphen, used = self.name.rpartition("-")
        if hyphen and used in ("src", "all"):
            return name, tuple(corpus.references) if used == "all" else ()
        references = tuple(used.split("."))
        return (name, references) if hyphen and names.issuperset(references) else (self.name, None)

    def of_whole_systems(self, corpus: Corpus) -> bool:
        """Return whether the corpus has system-level scores only."""
        return self._scores_in(corpus).level == "system"

    def at_level(self, corpus: Corpus, *, whole: bool) -> TextMetric:
        """Return the system-level scores, as they were submitted, where only these are asked for."""
        levels = {scores.level for scores in corpus.scores if scores.name == self.name}
        if not whole or self.system == "mean" or "system" not in levels:
            return self
        parameters = (self.name, self.system, self.higher_is_better, self.missing)
        stored = _StoredScores(*parameters)
        if "segment" in levels and are_means(stored.values(corpus)[0][:, 0], self.values(corpus)[0]):
            return self if self.system == "auto" else _PublishedMeans(*parameters)
        return stored

    def scores_system(self, corpus: Corpus, name: str) -> bool:
        """Return whether there are scores of that name."""
        return name in self._scores_in(corpus).systems

    def values(self, corpus: Corpus) -> tuple[FloatArray, tuple[str, ...]]:
        """Return the scores of the systems of a corpus and what to note.

        Raises
        ------
        UsageError
            If the corpus has no such scores.
        MetricError
            If at most one system has some.
        """
        stored = self._scores_in(corpus)
        levels = {item.level for item in corpus.scores if item.name == self.name}
        scores = np.full((len(corpus.systems), stored.values.shape[1]), np.nan)
        for position, name in enumerate(corpus.systems):
            if name in stored.systems:
                scores[position] = stored.values[stored.systems.index(name)]
        lacking = [name for name, row in zip(corpus.systems, scores, strict=True) if np.isnan(row).all()]
        if len(corpus.systems) - len(lacking) < min(2, len(corpus.systems)):
            raise MetricError(
                f"the scores {self.name!r} of corpus {corpus.name!r} lack the systems {listing(lacking)}; they have "
                f"{listing(stored.systems)}."
            )
        notes = list(stored.remarks)
        if stored.level == "system" and levels >= {"segment", "system"}:
            notes.append(
                "the scores stored for whole systems are used, which cover all segments, judged or not; with "
                'system="mean" the means of segment scores are.'
            )
        if lacking and self.missing == "zero":
            scores[[name in lacking for name in corpus.systems]] = 0.0
            notes.append(f"has no scores of {listing(lacking)}; they count 0, as asked by missing = 'zero'.")
        elif lacking:
            notes.append(f"{without_scores(lacking)}.")
        return scores, (*notes, *self._missing(scores, corpus))

    def _scores_in(self, corpus: Corpus) -> GivenScores:
        """Return the scores of that name which a corpus has, at the level that is wanted."""
        named = [scores for scores in corpus.scores if scores.name == self.name]
        if not named:
            names = dict.fromkeys(scores.name for scores in corpus.scores)
            message = unknown("scores", self.name, names, "scores that came with it")
            hint = " Scores of whole systems do not hold for the segments that a filter leaves." if corpus.whole else ""
            if not names:
                hint += (
                    f' A column of a table is read as such where its format says so: table(metrics=["{self.name}"]).'
                )
            raise UsageError(f"precomputed: corpus {corpus.name!r}: {message}{hint}")
        levels = ("segment",) if self.system == "mean" else self.levels
        for level in levels:
            for scores in named:
                if scores.level == level:
                    return scores
        present = listing(scores.level + "s" for scores in named)
        needed = " or ".join(level + "s" for level in levels)
        raise UsageError(
            f"precomputed: corpus {corpus.name!r} has {self.name!r} for {present} alone; needed are {needed}."
        )


@dataclass(frozen=True)
class _StoredScores(CorpusScores):
    """The scores that are stored for whole systems, where only these are asked for."""

    levels: ClassVar[tuple[str, ...]] = ("system",)


@dataclass(frozen=True)
class _PublishedMeans(CorpusScores):
    """Scores of whole systems as they were published; they are means of segments' scores, which can be drawn again."""

    def system_scores(self, corpus: Corpus) -> FloatArray:
        """Return the published scores (systems,), which differ from the means by rounding."""
        return _StoredScores(self.name, self.system, self.higher_is_better, self.missing).values(corpus)[0][:, 0]
