"""A metric on trial: it measures texts by whichever contract it follows, here or in a process of its own."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from metaeval.errors import MetricError
from metaeval.metrics import AnyMetric, get_metric
from metaeval.metrics.contract import measure
from metaeval.metrics.text_metric import TextMetric
from metaeval.plugins.loaded import time_limit
from metaeval.records import Corpus, FloatArray, Segments
from metaeval.text.encoding import treat
from metaeval.text.preprocessing import Preprocessing

Texts = Sequence[str | None]


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

    def at(self, systems: Any = slice(None), segments: Any = slice(None)) -> Measured:
        """Return those of some systems and segments."""
        return Measured(self.statistics[systems][:, segments], self.scores[systems][:, segments])


@dataclass(frozen=True)
class Trial:
    """A metric by its name, and how its texts are treated.

    Attributes
    ----------
    written : str
        As the user wrote it.
    metric : Metric or TextMetric
    preprocessing : Preprocessing
        Of metrics that read tokens.
    printed : io.StringIO
        What it has printed to stdout in this process.
    """

    written: str
    metric: AnyMetric
    preprocessing: Preprocessing
    printed: io.StringIO = field(default_factory=io.StringIO, compare=False)

    @property
    def reads_references(self) -> bool:
        """Whether the scores depend on references."""
        return not isinstance(self.metric, TextMetric) or self.metric.uses_references

    def measure(self, corpus: Corpus, names: Sequence[str] | None = None) -> Measured:
        """Return statistics and scores of all segments against some references, all unless told.

        Raises
        ------
        MetricError
            If the metric fails, in whichever way.
        """
        chosen = tuple(corpus.references) if names is None else tuple(names)
        try:
            with contextlib.redirect_stdout(self.printed):
                statistics = self._statistics(corpus, chosen)
                return Measured(statistics, np.asarray(self.metric.score(statistics)))
        except MetricError:
            raise
        except Exception as error:
            raise MetricError(f"metric {self.written!r}: {type(error).__name__}: {error}.") from error

    def score(self, statistics: FloatArray) -> FloatArray:
        """Return the scores of pooled statistics, (..., statistics) to (...)."""
        with contextlib.redirect_stdout(self.printed):
            return np.asarray(self.metric.score(statistics))

    def _statistics(self, corpus: Corpus, names: Sequence[str]) -> FloatArray:
        if isinstance(self.metric, TextMetric):
            return self.metric.measure(dataclasses.replace(corpus, references=dict(corpus.references)), names)
        treated = treat(self.preprocessing, corpus.candidates, {name: corpus.references[name] for name in names})
        return measure(self.metric, treated.candidates, list(treated.references.values())).values

    def changes(self, corpus: Corpus) -> str:
        """Return what of its arguments the metric changes; nothing if it changes none.

        Functions run in another process, where :func:`elsewhere` looks at this. What fails is told by other checks.
        """
        item: Any = getattr(self.metric, "item", self.metric)
        with contextlib.redirect_stdout(self.printed):
            if isinstance(self.metric, TextMetric):
                references, names = dict(corpus.references), list(corpus.references)
                with contextlib.suppress(Exception):
                    item.measure(dataclasses.replace(corpus, references=references), names)
                return "" if (references, names) == (corpus.references, list(corpus.references)) else "the references"
            treated = treat(self.preprocessing, corpus.candidates, corpus.references)
            texts = {"the references": list(treated.references.values()), "the candidates": list(treated.candidates)}
            before = {name: [_content(one) for one in several] for name, several in texts.items()}
            with contextlib.suppress(Exception):
                prepared = item.prepare(list(texts["the references"]))
                for one in texts["the candidates"]:
                    item.statistics(one, prepared)
            return next((name for name, old in before.items() if [_content(one) for one in texts[name]] != old), "")


def _content(segments: Segments) -> tuple[object, ...]:
    return segments.texts, segments.ids.tobytes(), segments.offsets.tobytes(), tuple(segments.vocabulary)


def part(corpus: Corpus, segments: Sequence[int] | None = None, systems: Sequence[int] | None = None) -> Corpus:
    """Return some segments or systems of a corpus, in the order given."""
    rows = range(corpus.n_segments) if segments is None else segments
    chosen = range(len(corpus.systems)) if systems is None else systems
    return dataclasses.replace(
        corpus,
        systems=tuple(corpus.systems[k] for k in chosen),
        candidates=tuple(tuple(corpus.candidates[k][i] for i in rows) for k in chosen),
        references={name: tuple(texts[i] for i in rows) for name, texts in corpus.references.items()},
        sources=None if corpus.sources is None else tuple(corpus.sources[i] for i in rows),
        segment_ids=tuple(corpus.segment_ids[i] for i in rows),
        documents=None if corpus.documents is None else tuple(corpus.documents[i] for i in rows),
    )


def with_candidates(corpus: Corpus, candidates: Mapping[str, Texts]) -> Corpus:
    """Return a corpus with other candidates."""
    return dataclasses.replace(corpus, systems=tuple(candidates), candidates=tuple(map(tuple, candidates.values())))


def repeated_corpus(corpus: Corpus) -> Corpus:
    """Return a corpus with all its segments twice, the second time with ids of their own."""
    twice = part(corpus, [*range(corpus.n_segments)] * 2)
    ids = (*corpus.segment_ids, *(f"{id_} (again)" for id_ in corpus.segment_ids))
    return dataclasses.replace(twice, segment_ids=ids)


_CHILD = """
import pickle, sys
path, request = pickle.load(sys.stdin.buffer)
sys.path[:] = path
from metaeval.plugins.conformance.trial import answer
answer(request)
"""


@dataclass(frozen=True)
class Elsewhere:
    """What a process that began anew found.

    Attributes
    ----------
    measured : Measured or None
        None if the metric could not be made there.
    failure : str
        Why not.
    """

    measured: Measured | None
    failure: str = ""


def elsewhere(trial: Trial, corpus: Corpus) -> Elsewhere:
    """Measure texts in a process that begins anew, in which sets have another order."""
    try:
        sent: bytes | None = pickle.dumps(trial.metric)
    except Exception:
        sent = None  # it is made there by its name
    request = pickle.dumps((trial.written, sent, trial.preprocessing.written, corpus))
    seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory) / "answer"
        try:
            done = subprocess.run(
                [sys.executable, "-P", "-c", _CHILD],
                input=pickle.dumps(([os.path.abspath(entry) for entry in sys.path], (request, str(place)))),
                capture_output=True,
                env={**os.environ, "PYTHONHASHSEED": seed},
                timeout=3 * time_limit(),  # the process limits what a plug-in takes for each answer
            )
        except subprocess.TimeoutExpired:
            return Elsewhere(None, f"it took more than {3 * time_limit():g} seconds")
        if not place.exists():
            lines = done.stderr.decode("utf-8", "backslashreplace").split("\n")
            last = next((line for line in reversed(lines) if line.strip()), f"exit code {done.returncode}")
            return Elsewhere(None, last)
        found: Elsewhere = pickle.loads(place.read_bytes())
        return found


def answer(request: tuple[bytes, str]) -> None:
    """Measure what another process asks for, and write the answer to a file: the other end of :func:`elsewhere`."""
    from metaeval.text.preprocessing import get_preprocessing

    written, sent, preprocessing, corpus = pickle.loads(request[0])
    try:
        metric = get_metric(written) if sent is None else pickle.loads(sent)
        found = Elsewhere(Trial(written, metric, get_preprocessing(preprocessing)).measure(corpus))
    except Exception as error:
        found = Elsewhere(None, f"{type(error).__name__}: {error}")
    Path(request[1]).write_bytes(pickle.dumps(found))
