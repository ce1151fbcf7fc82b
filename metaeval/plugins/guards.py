"""Users' objects that follow one of our contracts: they run here, and their errors become ours, with their place.

Their scores are taken of pooled statistics thousands of times, which no other process could answer as fast.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import operator
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from metaeval.errors import MetaevalError
from metaeval.metrics import get_metric
from metaeval.metrics.plugin_names import Target
from metaeval.metrics.sacrebleu_metrics import EngineMetric
from metaeval.metrics.text_metric import TextMetric
from metaeval.names import Signature
from metaeval.parameters import Description, describe
from metaeval.plugins import worker
from metaeval.plugins.process_metric import segment_words
from metaeval.plugins.sentences import refuse, say
from metaeval.records import Corpus, FloatArray, Segments
from metaeval.runtime.cache import cached

# One thread at a time: what is printed is redirected for the whole process.
_ONE_AT_A_TIME = threading.RLock()


@dataclass
class Guard:
    """Watches the code of a plug-in: its errors become ours, and what it prints goes to stderr.

    Attributes
    ----------
    subject : str
        At the beginning of messages.
    out : Counting
        What was printed.
    where : tuple of str
        What to say of where it runs.
    """

    subject: str
    out: worker.Counting = field(default_factory=worker.Counting)
    where: tuple[str, ...] = ()

    @contextlib.contextmanager
    def watching(self, doing: str) -> Iterator[None]:
        """Watch what is done inside the block.

        Raises
        ------
        MetricError
            For any exception, also the end of the program; Ctrl-C and our own errors pass.
        """
        try:
            with _ONE_AT_A_TIME, contextlib.redirect_stdout(self.out):
                yield
        except (KeyboardInterrupt, MetaevalError):
            raise
        except BaseException as error:
            cause = worker.failure(error)
            why = cause.get("error") or cause["refused"]
            raise say.error("failed", where=f"{self.subject}: {doing}", why=why) from error

    def numbers(self, values: Any, shape: tuple[int, ...], what: str) -> FloatArray:
        """Return values as an array of numbers.

        Raises
        ------
        MetricError
            If they have another shape or are no numbers.
        """
        try:
            found: FloatArray = np.array(values, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise say.error("no_numbers", subject=self.subject, what=what, values=values) from error
        refuse(found.shape != shape, "shape", subject=self.subject, what=what, must=shape, given=found)
        return found


@dataclass(frozen=True)
class _Guarded:
    """What guarded objects of both contracts share: they answer as the object does."""

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
    def told(self) -> str:
        """What the class of the object says that it is."""
        return (type(self.item).__doc__ or "").strip()

    @property
    def parameters(self) -> tuple[Description, ...]:
        """Of the object, if it has any."""
        declared = dataclasses.is_dataclass(self.item) and not isinstance(self.item, EngineMetric)
        return describe(type(self.item)) if declared else ()

    def score(self, statistics: FloatArray) -> FloatArray:
        """Return the scores of pooled statistics (..., statistics): (...)."""
        with self.guard.watching("the score of pooled statistics"):
            values = self.item.score(statistics)
        found = self.guard.numbers(values, statistics.shape[:-1], "scores")
        refuse(np.isinf(found).any(), "infinite_score", subject=self.guard.subject)
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        # Another process loads the file again: what a file defines cannot be sent.
        return get_metric, (self.written,)

    def _checked(self, found: FloatArray, guard: Guard, segment: Callable[[int], str]) -> FloatArray:
        """Return the statistics of one system, (segments, statistics), if they are finite and can be scored."""
        infinite = np.flatnonzero(np.isinf(found).any(axis=1))
        if len(infinite):
            raise say.error("infinite_statistics", subject=f"{guard.subject}, {segment(int(infinite[0]))}")
        # What would fail when documents are scored is better known now.
        present = found[~np.isnan(found).any(axis=1)]
        if len(present):
            self.score(present.sum(axis=0))
            self.score(present)
        return found


class GuardedTokens(_Guarded):
    """A plug-in that follows `Metric`."""

    def prepare(self, references: Sequence[Segments]) -> Any:
        """Return what depends on the references alone."""
        with self.guard.watching("preparing the references"):
            return self.item.prepare([_read_only(one) for one in references])

    def statistics(self, candidates: Segments, prepared: Any) -> FloatArray:
        """Return the statistics of one system, (segments, statistics), checked."""
        with self.guard.watching("the statistics"):
            values = self.item.statistics(_read_only(candidates), prepared)
        found = self.guard.numbers(values, (len(candidates), len(self.statistic_names)), "statistics")
        return self._checked(found, self.guard, lambda segment: f"segment {segment + 1}")


def _read_only(segments: Segments) -> Segments:
    """Return segments that other metrics can go on using, whatever this one does."""
    ids, offsets = segments.ids.view(), segments.offsets.view()
    ids.flags.writeable = offsets.flags.writeable = False
    return Segments(segments.texts, ids, offsets, segments.vocabulary)


class GuardedTexts(_Guarded, TextMetric):
    """A plug-in that follows `TextMetric`, or an object of sacreBLEU."""

    uses_references = property(lambda self: bool(self.item.uses_references))

    def measure(self, corpus: Corpus, references: Sequence[str]) -> FloatArray:
        """Return the statistics of all systems, checked; one system at a time."""
        found = []
        for name, candidates in zip(corpus.systems, corpus.candidates, strict=True):
            texts = [corpus.references[name] for name in references]
            seen = (name, candidates, texts, corpus.sources, corpus.segment_ids, corpus.documents)
            measure = functools.partial(self._measure, corpus, references, name, candidates)
            shape = (corpus.n_segments, len(self.statistic_names))
            found.append(cached("scores", (self.written, str(self.signed), self.packages, *seen), measure, shape))
        return np.stack(found)

    def _measure(
        self, corpus: Corpus, references: Sequence[str], name: str, candidates: Sequence[str | None]
    ) -> FloatArray:
        """Return the statistics of one system, (segments, statistics), checked."""
        guard = dataclasses.replace(self.guard, subject=f"{self.guard.subject}, system {name!r}")
        one = dataclasses.replace(
            corpus, systems=(name,), candidates=(tuple(candidates),), references=dict(corpus.references)
        )
        with guard.watching("measuring"):
            values = self.item.measure(one, tuple(references))
        statistics = guard.numbers(values, (1, corpus.n_segments, len(self.statistic_names)), "statistics")[0]
        return self._checked(statistics, guard, functools.partial(segment_words, corpus))

    def notes(self, corpus: Corpus) -> tuple[str, ...]:
        """Return what the object notes, and where it runs."""
        with self.guard.watching("asking for notes"):
            own = tuple(map(str, self.item.notes(corpus))) if hasattr(self.item, "notes") else ()
        return (*own, *self.guard.where)
