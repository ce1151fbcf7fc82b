"""A metric on trial: it scores texts by whichever contract it follows, here or in a process that begins anew."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import pickle
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from metaeval.errors import MetricError
from metaeval.metrics import AnyMetric, get_metric
from metaeval.metrics.contract import measure
from metaeval.metrics.text_metric import TextMetric
from metaeval.plugins.running import StderrWriter
from metaeval.records import Corpus, FloatArray, Segments
from metaeval.text.encoding import treat
from metaeval.text.preprocessing import Preprocessing, get_preprocessing


@dataclass(frozen=True)
class Measured:
    """What a metric made of texts.

    Attributes
    ----------
    statistics : (systems, segments, statistics) float array
    scores : (systems, segments) float array
    """

    statistics: FloatArray
    scores: FloatArray

    def at(self, segments: Any) -> Measured:
        """Return those of some segments, in the order given."""
        return Measured(self.statistics[:, segments], self.scores[:, segments])

    @classmethod
    def joined(cls, parts: Iterable[Measured], axis: int) -> Measured:
        """Return several along the axis of the systems, 0, or that of the segments, 1."""
        statistics, scores = zip(*((one.statistics, one.scores) for one in parts), strict=True)
        return cls(np.concatenate(statistics, axis), np.concatenate(scores, axis))


@dataclass(frozen=True)
class Trial:
    """A metric by its name, and the preprocessing of its texts.

    Attributes
    ----------
    written : str
        As the user wrote it.
    metric : Metric or TextMetric
    preprocessing : Preprocessing
        Of metrics that read tokens.
    out : StderrWriter
        What it has printed in this process, unless a guard stands before it.
    """

    written: str
    metric: AnyMetric
    preprocessing: Preprocessing
    out: StderrWriter = field(default_factory=StderrWriter, compare=False)

    @property
    def reads_references(self) -> bool:
        """Whether the scores depend on references."""
        return not isinstance(self.metric, TextMetric) or self.metric.uses_references

    def measure(self, corpus: Corpus, names: Sequence[str] | None = None) -> Measured:
        """Return statistics and scores of all segments against some references, or all.

        Raises
        ------
        MetricError
            If the metric fails, in whichever way.
        """
        chosen = tuple(corpus.references) if names is None else tuple(names)
        try:
            with contextlib.redirect_stdout(self.out):
                statistics = self._statistics(corpus, chosen)
                return Measured(statistics, np.asarray(self.metric.score(statistics)))
        except MetricError:
            raise
        except Exception as error:
            raise MetricError(f"metric {self.written!r}: {type(error).__name__}: {error}.") from error

    def score(self, statistics: FloatArray) -> FloatArray:
        """Return the scores of pooled statistics, (..., statistics) to (...)."""
        with contextlib.redirect_stdout(self.out):
            return np.asarray(self.metric.score(statistics))

    def _statistics(self, corpus: Corpus, names: Sequence[str]) -> FloatArray:
        if isinstance(self.metric, TextMetric):
            return self.metric.measure(dataclasses.replace(corpus, references=dict(corpus.references)), names)
        treated = treat(self.preprocessing, corpus.candidates, {name: corpus.references[name] for name in names})
        return measure(self.metric, treated.candidates, list(treated.references.values())).values

    def changes(self, corpus: Corpus) -> str:
        """Return which of its arguments the metric changes if nothing protects them; nothing if none.

        Its errors are found by other checks.
        """
        item: Any = getattr(self.metric, "item", self.metric)
        with contextlib.redirect_stdout(self.out):
            if isinstance(self.metric, TextMetric):
                references = dict(corpus.references)
                with contextlib.suppress(Exception):
                    item.measure(dataclasses.replace(corpus, references=references), list(references))
                return "" if references == corpus.references else "the references"
            treated = treat(self.preprocessing, corpus.candidates, corpus.references)
            texts = {"the references": [*treated.references.values()], "the candidates": [*treated.candidates]}
            before = {name: [_content(one) for one in several] for name, several in texts.items()}
            with contextlib.suppress(Exception):
                prepared = item.prepare(list(texts["the references"]))
                for one in texts["the candidates"]:
                    item.statistics(one, prepared)
        return next((name for name, old in before.items() if [_content(one) for one in texts[name]] != old), "")


def _content(segments: Segments) -> tuple[object, ...]:
    return segments.texts, segments.ids.tobytes(), segments.offsets.tobytes(), tuple(segments.vocabulary)


def part(corpus: Corpus, segments: Sequence[int] | None = None, systems: Sequence[int] | None = None) -> Corpus:
    """Return some segments or systems of a corpus, in the order given, without judgments."""
    rows = range(corpus.n_segments) if segments is None else segments
    chosen = range(len(corpus.systems)) if systems is None else systems
    bare = Corpus.of_texts(
        {corpus.systems[k]: [corpus.candidates[k][i] for i in rows] for k in chosen},
        {name: [texts[i] for i in rows] for name, texts in corpus.references.items()},
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


# What a process that begins anew may take.
_LONGEST_SECONDS = 1800.0
_CHILD = """
import pickle, sys
path, parent, request = pickle.load(sys.stdin.buffer)
sys.path[:] = path
from metaeval.runtime.shutdown import die_with_parent
die_with_parent(parent)
from metaeval.plugins.conformance.trial import answer
answer(request)
"""


def elsewhere(trial: Trial, corpus: Corpus) -> Measured | str:
    """Score texts in a process that begins anew, in which sets have another order; return why if it cannot."""
    try:
        sent: bytes | None = pickle.dumps(trial.metric)
    except Exception:
        sent = None  # it is made there by its name
    request = pickle.dumps((trial.written, sent, trial.preprocessing.written, corpus))
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-c", _CHILD],
            input=pickle.dumps(([os.path.abspath(entry) for entry in sys.path], os.getpid(), request)),
            capture_output=True,
            env={**os.environ, "PYTHONHASHSEED": "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"},
            timeout=_LONGEST_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return f"it took more than {_LONGEST_SECONDS:g} seconds"
    if done.stdout:
        found: Measured | str = pickle.loads(done.stdout)
        return found
    lines = done.stderr.decode("utf-8", "backslashreplace").split("\n")
    return next((line for line in reversed(lines) if line.strip()), f"exit code {done.returncode}")


def answer(request: bytes) -> None:
    """Score what another process asks for, and write what was found to stdout: the other end of :func:`elsewhere`."""
    out = os.dup(1)
    os.dup2(2, 1)  # what the metric prints
    written, sent, preprocessing, corpus = pickle.loads(request)
    found: Measured | str
    try:
        metric = get_metric(written) if sent is None else pickle.loads(sent)
        found = Trial(written, metric, get_preprocessing(preprocessing)).measure(corpus)
    except Exception as error:
        found = f"{type(error).__name__}: {error}"
    with os.fdopen(out, "wb") as file:
        pickle.dump(found, file)
