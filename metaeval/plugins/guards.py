"""Objects of plug-ins that follow one of our contracts: they run here, and their errors are told with their place."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from metaeval.errors import MetaevalError, MetricError, UsageError, listing
from metaeval.metrics.contract import Metric
from metaeval.metrics.plugin_names import Target
from metaeval.metrics.sacrebleu_metrics import EngineMetric
from metaeval.metrics.text_metric import TextMetric
from metaeval.names import Call, Signature
from metaeval.parameters import Description, build, describe
from metaeval.plugins import worker as plugin_worker
from metaeval.plugins.functions import Loaded, segment_words
from metaeval.records import Corpus, FloatArray, Segments

_COMMON = ("name", "title", "higher_is_better", "statistic_names", "signature", "score")
_NEEDED = {"token": (*_COMMON, "prepare", "statistics"), "text": (*_COMMON, "uses_references", "measure")}


def load_guarded(loaded: Loaded, call: Call, written: str) -> Metric | TextMetric:
    """Return an object that follows a contract, made with the parameters of the user, behind a guard.

    Raises
    ------
    UsageError
        If a parameter is wrong, or the object lacks a part of the contract.
    MetricError
        If making it fails.
    """
    target, kind = loaded.target, loaded.facts["kind"]
    subject = f"metric {written.strip()!r}"
    guard = Guard(subject)
    with guard.watching("loading it"):
        item = _load_here(target)
    if isinstance(item, type):
        _check_declared(item, call, subject)
        with guard.watching("making it"):
            item = build(item, call.arguments, subject=subject) if dataclasses.is_dataclass(item) else item()
    elif call.arguments:
        raise UsageError(f"{subject}: {target.name} is an object that is made already, so it takes no parameters.")
    if kind == "sacrebleu":
        with guard.watching("asking what it counts"):
            item = EngineMetric.of(target.name, item)
    else:
        with guard.watching("asking what it is"):
            lacking = [name for name in _NEEDED[kind] if not hasattr(item, name)]
        if lacking:
            raise UsageError(f"{subject}: it lacks what a metric must have: {listing(lacking)}.")
    if not isinstance(item.higher_is_better, bool):
        raise UsageError(f"{subject}: `higher_is_better` must be True or False; got {item.higher_is_better!r}.")
    with guard.watching("asking for its signature"):
        signature = item.signature
    if not isinstance(signature, Signature):
        raise UsageError(f"{subject}: `signature` must be a metaeval.names.Signature; got {signature!r}.")
    cls = GuardedTokens if kind == "token" else GuardedTexts
    return cast("Metric | TextMetric", cls(written, signature.with_pairs(loaded.origin), item, guard, target))


def _load_here(target: Target) -> Any:
    before = list(sys.path)
    if target.file:
        sys.path.insert(0, os.path.dirname(target.file))
    try:
        return plugin_worker.find_object(plugin_worker.load_module(target.file or None, target.module), target.name)
    finally:
        sys.path[:] = before


def _check_declared(cls: type, call: Call, subject: str) -> None:
    """Check that the parameters of a class are declared as ours are."""
    if not dataclasses.is_dataclass(cls):
        if call.arguments:
            raise UsageError(f"{subject}: {cls.__name__} is no dataclass, so it takes no parameters.")
        return
    plain = [item.name for item in dataclasses.fields(cls) if item.init and "doc" not in item.metadata]
    if plain:
        raise UsageError(
            f"{subject}: the fields {listing(plain)} of {cls.__name__} must be declared as parameters, with "
            "metaeval.parameters.parameter(default, doc=...)."
        )


# One thread at a time: what is printed is redirected for the whole process.
_ONE_AT_A_TIME = threading.RLock()


@dataclass
class Guard:
    """Watches the code of a plug-in: its errors become ours, and what it prints goes to stderr."""

    subject: str
    printed: int = 0

    @contextlib.contextmanager
    def watching(self, doing: str) -> Iterator[None]:
        """Watch what is done inside the block.

        Raises
        ------
        MetricError
            For any exception, also the end of the program; Ctrl-C and our own errors pass.
        """
        out = plugin_worker.Counting()
        try:
            with _ONE_AT_A_TIME, contextlib.redirect_stdout(out):
                yield
        except (KeyboardInterrupt, MetaevalError):
            raise
        except BaseException as error:
            told = plugin_worker.failure(error)
            place = f" ({told['place']})" if told.get("place") else ""
            cause = told.get("error") or told["refused"]
            raise MetricError(f"{self.subject}: {doing}: {cause.rstrip('.')}{place}.") from error
        finally:
            self.printed += out.printed

    def check(self, values: Any, shape: tuple[int, ...], what: str) -> FloatArray:
        """Return values as an array of numbers.

        Raises
        ------
        MetricError
            If they have another shape or are no numbers.
        """
        try:
            found: FloatArray = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise MetricError(f"{self.subject}: {what} must be numbers; got {values!r:.60}.") from error
        if found.shape != shape:
            raise MetricError(f"{self.subject}: {what} must have the shape {shape}; got {found.shape}.")
        return found

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know."""
        return (f"it printed {self.printed} characters to stdout, which went to stderr.",) if self.printed else ()


class _Guarded:
    """What guarded objects of both contracts share: they answer as the object does."""

    written: str
    signed: Signature
    item: Any
    guard: Guard
    target: Target

    @property
    def name(self) -> str:
        """Of the object."""
        return str(self.item.name)

    @property
    def title(self) -> str:
        """Of the object."""
        return str(self.item.title)

    @property
    def signature(self) -> Signature:
        """Of the object, with a digest of its file."""
        return self.signed

    @property
    def higher_is_better(self) -> bool:
        """Of the object."""
        return bool(self.item.higher_is_better)

    @property
    def sources(self) -> tuple[str, ...]:
        """Of the object, if it tells any."""
        return tuple(getattr(self.item, "sources", ()))

    @property
    def described(self) -> str:
        """Of the object, if it tells it."""
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

    @property
    def statistic_names(self) -> tuple[str, ...]:
        """Of the object."""
        return tuple(self.item.statistic_names)

    def score(self, statistics: FloatArray) -> FloatArray:
        """Return the scores of pooled statistics (..., statistics): (...)."""
        with self.guard.watching("the score of pooled statistics"):
            values = self.item.score(statistics)
        found = self.guard.check(values, statistics.shape[:-1], "scores")
        if np.isinf(found).any():
            raise MetricError(f"{self.guard.subject}: the score of pooled statistics is infinite.")
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        # Another process loads the file again: what a file defines cannot be sent.
        return (_again, (self.written,))


def _again(written: str) -> Metric | TextMetric:
    from metaeval.metrics import get_metric

    return get_metric(written)


@dataclass(frozen=True)
class GuardedTokens(_Guarded):
    """A plug-in that follows `Metric`."""

    written: str
    signed: Signature
    item: Any = field(compare=False)
    guard: Guard = field(compare=False)
    target: Target = field(compare=False)
    __reduce__ = _Guarded.__reduce__

    def prepare(self, references: Sequence[Segments]) -> Any:
        """Return what depends on the references alone."""
        with self.guard.watching("preparing the references"):
            return self.item.prepare([_read_only(one) for one in references])

    def statistics(self, candidates: Segments, prepared: Any) -> FloatArray:
        """Return the statistics of one system, (segments, statistics), checked."""
        with self.guard.watching("the statistics"):
            values = self.item.statistics(_read_only(candidates), prepared)
        found = self.guard.check(values, (len(candidates), len(self.statistic_names)), "statistics").copy()
        infinite = np.flatnonzero(np.isinf(found).any(axis=1))
        if len(infinite):
            raise MetricError(f"{self.guard.subject}, segment {infinite[0] + 1}: the statistics are infinite.")
        # What would fail when documents are scored is better known now.
        present = ~np.isnan(found).any(axis=1)
        if present.any():
            self.score(found[present].sum(axis=0))
            self.score(found[present])
        return found


def _read_only(segments: Segments) -> Segments:
    """Return segments that other metrics can go on using, whatever this one does."""
    ids, offsets = segments.ids.view(), segments.offsets.view()
    ids.flags.writeable = offsets.flags.writeable = False
    return Segments(segments.texts, ids, offsets, segments.vocabulary)


@dataclass(frozen=True)
class GuardedTexts(_Guarded, TextMetric):
    """A plug-in that follows `TextMetric`, or an object of sacreBLEU."""

    written: str
    signed: Signature
    item: Any = field(compare=False)
    guard: Guard = field(compare=False)
    target: Target = field(compare=False)
    __reduce__ = _Guarded.__reduce__

    @property
    def uses_references(self) -> bool:
        """Of the object."""
        return bool(self.item.uses_references)

    def measure(self, corpus: Corpus, references: Sequence[str]) -> FloatArray:
        """Return the statistics of all systems, checked; one system is measured at a time."""
        return np.concatenate([self._measure_one(corpus, k, references) for k in range(len(corpus.systems))])

    def notes(self, corpus: Corpus) -> tuple[str, ...]:
        """Return what the object tells, and whether it has printed."""
        with self.guard.watching("asking for notes"):
            told = tuple(map(str, self.item.notes(corpus))) if hasattr(self.item, "notes") else ()
        return (*told, *self.guard.notes)

    def _measure_one(self, corpus: Corpus, system: int, references: Sequence[str]) -> FloatArray:
        one = dataclasses.replace(
            corpus,
            systems=(corpus.systems[system],),
            candidates=(corpus.candidates[system],),
            references=cast("Mapping[str, tuple[str | None, ...]]", dict(corpus.references)),
        )
        guard = Guard(f"{self.guard.subject}, system {corpus.systems[system]!r}")
        try:
            with guard.watching("measuring"):
                values = self.item.measure(one, tuple(references))
            found = guard.check(values, (1, corpus.n_segments, len(self.statistic_names)), "statistics").copy()
            wrong = np.flatnonzero(np.isinf(found[0]).any(axis=1))
            if len(wrong):
                raise MetricError(
                    f"{guard.subject}, {segment_words(corpus, int(wrong[0]))}: the statistics are infinite."
                )
            present = ~np.isnan(found[0]).any(axis=1)
            if present.any():
                with guard.watching("the score of pooled statistics"):
                    self.score(found[0][present].sum(axis=0))
        finally:
            self.guard.printed += guard.printed
        return found
