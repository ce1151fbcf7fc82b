"""Users' objects that follow one of our contracts: they run here, and their errors become ours, with their place."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from metaeval.datamodel.corpus import Corpus, FloatArray, Segments
from metaeval.errors import MetricError
from metaeval.metrics import get_metric
from metaeval.metrics.naming import Target
from metaeval.metrics.sacrebleu_metrics import EngineMetric
from metaeval.metrics.text_metric import TextMetric
from metaeval.parameters.calls import Signature
from metaeval.parameters.fields import Description, describe
from metaeval.runtime.cache import cached
from metaeval.user_code.external_metric import segment_words
from metaeval.user_code.importing import Surroundings
from metaeval.user_code.running import StderrWriter, errors_named, stdout_on_stderr


@dataclass
class Guard:
    """Runs the code of a user: its errors become ours, and what it prints goes to stderr.

    Attributes
    ----------
    subject : str
        What messages begin with.
    surroundings : Surroundings
        Its folder, and the modules that it has imported from there.
    output : StderrWriter
        What it has printed.
    """

    subject: str
    surroundings: Surroundings = field(default_factory=lambda: Surroundings(""))
    output: StderrWriter = field(default_factory=StderrWriter)

    @contextlib.contextmanager
    def surrounded(self) -> Iterator[None]:
        """Let code run inside the block as its author expects; exceptions pass."""
        with stdout_on_stderr(self.output), self.surroundings.active():
            yield

    @contextlib.contextmanager
    def running(self, doing: str, passing: tuple[type[BaseException], ...] = (MetricError,)) -> Iterator[None]:
        """Let code run inside the block, and name what it does in messages: see `errors_named`."""
        with errors_named(f"{self.subject}: {doing}", passing), self.surrounded():
            yield

    def numbers(self, values: Any, shape: tuple[int, ...], noun: str) -> FloatArray:
        """Return values as an array of numbers.

        Raises
        ------
        MetricError
            If they have another shape or are no numbers.
        """
        try:
            array: FloatArray = np.array(values, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise MetricError(f"{self.subject}: {noun} must be numbers; got {values!r:.60}.") from error
        if array.shape != shape:
            raise MetricError(f"{self.subject}: {noun} must have the shape {shape}; got {array.shape}.")
        return array


@dataclass(frozen=True)
class _Guarded:
    """Base of guarded objects of both contracts: they answer as the object does."""

    written: str
    signed: Signature
    item: Any = field(compare=False)
    guard: Guard = field(compare=False)
    target: Target = field(compare=False)
    packages: Sequence[str] = field(default=(), compare=False)

    name = property(operator.attrgetter("item.name"))
    title = property(operator.attrgetter("item.title"))
    higher_is_better = property(operator.attrgetter("item.higher_is_better"))
    statistic_names = property(lambda self: tuple(self.item.statistic_names))
    signature = property(operator.attrgetter("signed"))

    @property
    def sources(self) -> tuple[str, ...]:
        """Of the object, if it has any."""
        return tuple(getattr(self.item, "sources", ()))

    @property
    def described(self) -> str:
        """Of the object, if it has a description."""
        return str(getattr(self.item, "described", "") or f"An object of {self.target.place}.")

    @property
    def docstring(self) -> str:
        """The docstring of the class of the object."""
        return (type(self.item).__doc__ or "").strip()

    @property
    def parameters(self) -> tuple[Description, ...]:
        """Of the object, if it has any."""
        declared = dataclasses.is_dataclass(self.item) and not isinstance(self.item, EngineMetric)
        return describe(type(self.item)) if declared else ()

    def score(self, statistics: FloatArray) -> FloatArray:
        """Return the scores of pooled statistics (..., statistics): (...)."""
        with self.guard.running("the score of pooled statistics"):
            values = self.item.score(statistics)
        scores = self.guard.numbers(values, statistics.shape[:-1], "scores")
        if np.isinf(scores).any():
            raise MetricError(f"{self.guard.subject}: the score of pooled statistics is infinite.")
        return scores

    def __reduce__(self) -> tuple[Any, ...]:
        # Another process loads the file again: what a file defines cannot be sent.
        return get_metric, (self.written,)

    def _checked(self, statistics: FloatArray, guard: Guard, segment: Callable[[int], str]) -> FloatArray:
        """Return the statistics of one system, (segments, statistics), if they are finite and can be scored."""
        infinite = np.flatnonzero(np.isinf(statistics).any(axis=1))
        if len(infinite):
            raise MetricError(f"{guard.subject}, {segment(int(infinite[0]))}: the statistics are infinite.")
        # What would fail when documents are scored is better known now.
        present = statistics[~np.isnan(statistics).any(axis=1)]
        if len(present):
            self.score(present.sum(axis=0))
            self.score(present)
        return statistics


class GuardedTokens(_Guarded):
    """A plug-in that follows `Metric`."""

    def prepare(self, references: Sequence[Segments]) -> Any:
        """Prepare what depends on the references alone."""
        with self.guard.running("preparing the references"):
            return self.item.prepare([_read_only(reference) for reference in references])

    def statistics(self, candidates: Segments, prepared: Any) -> FloatArray:
        """Return the statistics of one system, (segments, statistics), checked."""
        with self.guard.running("the statistics"):
            values = self.item.statistics(_read_only(candidates), prepared)
        statistics = self.guard.numbers(values, (len(candidates), len(self.statistic_names)), "statistics")
        return self._checked(statistics, self.guard, lambda segment: f"segment {segment + 1}")


def _read_only(segments: Segments) -> Segments:
    """Return segments that other metrics can go on using, whatever this one does."""
    ids = segments.ids.view()
    offsets = segments.offsets.view()
    ids.flags.writeable = False
    offsets.flags.writeable = False
    return Segments(segments.texts, ids, offsets, segments.vocabulary)


class GuardedTexts(_Guarded, TextMetric):
    """A plug-in that follows `TextMetric`, or an object of sacreBLEU."""

    uses_references = property(lambda self: bool(self.item.uses_references))

    def measure(self, corpus: Corpus, references: Sequence[str]) -> FloatArray:
        """Return the statistics of all systems, checked; one system at a time."""
        statistics = []
        for name, candidates in zip(corpus.systems, corpus.candidates, strict=True):
            texts = [corpus.references[name] for name in references]
            read = (name, candidates, texts, corpus.sources, corpus.segment_ids, corpus.documents)
            measure = functools.partial(self._measure, corpus, references, name, candidates)
            shape = (corpus.n_segments, len(self.statistic_names))
            statistics.append(cached("scores", (self.written, str(self.signed), self.packages, *read), measure, shape))
        return np.stack(statistics)

    def _measure(
        self, corpus: Corpus, references: Sequence[str], name: str, candidates: Sequence[str | None]
    ) -> FloatArray:
        """Return the statistics of one system, (segments, statistics), checked."""
        guard = dataclasses.replace(self.guard, subject=f"{self.guard.subject}, system {name!r}")
        system_alone = dataclasses.replace(
            corpus, systems=(name,), candidates=(tuple(candidates),), references=dict(corpus.references)
        )
        with guard.running("measuring"):
            values = self.item.measure(system_alone, tuple(references))
        statistics = guard.numbers(values, (1, corpus.n_segments, len(self.statistic_names)), "statistics")[0]
        return self._checked(statistics, guard, functools.partial(segment_words, corpus))

    def notes(self, corpus: Corpus) -> tuple[str, ...]:
        """Return the notes of the object."""
        with self.guard.running("asking for notes"):
            return tuple(map(str, self.item.notes(corpus))) if hasattr(self.item, "notes") else ()
