"""Metrics that others bring: a function or an object of a Python file, or of an installed package.

Functions run in a process of their own (`metaeval.plugins.worker`): one that hangs, crashes, prints or changes
what it is given does no harm to anything else. Objects that follow one of our contracts, whose scores are taken of
pooled statistics thousands of times, run here, behind guards (`metaeval.plugins.guards`).
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from metaeval.errors import MetricError, UsageError, listing, unknown
from metaeval.metrics.plugin_names import Target
from metaeval.metrics.text_metric import TextMetric, as_statistics
from metaeval.names import Call, Signature
from metaeval.parameters import Description
from metaeval.plugins import worker as plugin_worker
from metaeval.plugins.conversation import Conversation, Ended, Silence
from metaeval.records import Corpus, FloatArray
from metaeval.version import VERSION

TIMEOUT = "METAEVAL_METRIC_TIMEOUT"
DEFAULT_TIMEOUT = 600.0
_DIGITS = 8


def time_limit() -> float:
    """Return how many seconds a plug-in may take for an answer.

    Raises
    ------
    UsageError
        If the environment variable is no positive number.
    """
    text = os.environ.get(TIMEOUT, "")
    try:
        seconds = float(text) if text else DEFAULT_TIMEOUT
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= threading.TIMEOUT_MAX:
        raise UsageError(f"the environment variable {TIMEOUT} must be a positive number of seconds; got {text!r}.")
    return seconds


@dataclass
class Loaded:
    """An object in its own process, and what that process has told of it."""

    target: Target
    facts: Mapping[str, Any]
    talk: Conversation
    digests: Mapping[str, str]  # of its files, by path
    lock: threading.Lock = field(default_factory=threading.Lock)
    printed: int = 0

    @property
    def fresh(self) -> bool:
        """Whether the process still answers, and no file has changed since it was started."""
        return self.talk.running and self.digests == _digests(list(self.digests))

    @property
    def digest(self) -> str:
        """SHA-256 of the file, or of the list of all files if there are several."""
        if len(self.digests) == 1:
            return next(iter(self.digests.values()))
        lines = (f"{Path(file).name}\t{digest}\n" for file, digest in self.digests.items())
        return hashlib.sha256("".join(lines).encode()).hexdigest()

    @property
    def origin(self) -> tuple[tuple[str, str], ...]:
        """What a signature says of where the code is from: an installed package, and a digest."""
        # The other modules of a package are not digested, so its version must stand for them.
        package = () if self.target.file else (("package", self.target.place.replace(" ", "-")),)
        return (*package, ("file", self.digest[:_DIGITS]))


_LOADED: dict[Target, Loaded] = {}


def _digests(files: Sequence[str]) -> dict[str, str]:
    found = {}
    for file in files:
        try:
            found[file] = hashlib.sha256(Path(file).read_bytes()).hexdigest()
        except OSError:
            found[file] = ""
    return found


def load(target: Target, subject: str) -> Loaded:
    """Return an object, loaded in a process of its own; again if its files have changed.

    Raises
    ------
    UsageError
        If the file has no such object, or it is no metric.
    MetricError
        If the file cannot be imported.
    """
    known = _LOADED.get(target)
    if known is not None and known.fresh:
        return known
    if known is not None:
        known.talk.close()
    talk = Conversation([sys.executable, "-P", plugin_worker.__file__], {"PYTHONUNBUFFERED": "1"})
    request = {
        "do": "load",
        "path": [os.path.abspath(entry) if entry else os.getcwd() for entry in sys.path],
        "file": target.file or None,
        "module": target.module or None,
        "object": target.name,
    }
    facts = _ask(talk, request, f"{subject}: {target.place}", "loading it")
    if "refused" in facts:
        talk.close()
        raise UsageError(f"{subject}: {facts['refused']}.")
    if facts["kind"] == "nothing":
        talk.close()
        raise UsageError(
            f"{subject}: name an object of the file, as in {target.place}:{(facts['has'] or ['name'])[0]}; it has "
            f"{listing(facts['has'])}."
        )
    found = Loaded(target, facts, talk, _digests(facts.get("files", ())), printed=facts.get("printed", 0))
    _LOADED[target] = found
    return found


def _ask(talk: Conversation, request: Mapping[str, Any], subject: str, doing: str) -> dict[str, Any]:
    """Send a request and return its first answer; an error that the plug-in raised becomes ours."""
    try:
        talk.tell(json.dumps(request))
        answer: dict[str, Any] = _hear(talk, subject, doing)
    except BaseException:
        talk.kill()
        raise
    if "error" in answer:
        talk.close()
        raise MetricError(f"{subject}: {doing}: {_told(answer)}.")
    return answer


def _hear(talk: Conversation, subject: str, doing: str) -> dict[str, Any]:
    """Return the next answer of a worker."""
    seconds = time_limit()
    try:
        answer: dict[str, Any] = json.loads(talk.hear(seconds))
    except Silence:
        raise MetricError(
            f"{subject}: {doing} took more than {seconds:g} seconds, the limit (environment variable {TIMEOUT})."
        ) from None
    except Ended as error:
        last = f"; the last line on stderr: {talk.errors[-1]!r}" if talk.errors else ""
        raise MetricError(f"{subject}: {doing}: its process {error}{last}.") from None
    return answer


def _told(answer: Mapping[str, Any]) -> str:
    if "refused" in answer:
        return str(answer["refused"])
    return f"{answer['error'].rstrip('.')}" + (f" ({answer['place']})" if answer["place"] else "")


class Shown(str):
    """A default as another process has shown it."""

    def __repr__(self) -> str:
        return str(self)


@dataclass(frozen=True, kw_only=True)
class PluginFunction(TextMetric):
    """A function of somebody else, called for each segment or for all segments of a system at once.

    Attributes
    ----------
    name : str
        Of the function.
    title : str
        Its attribute `title`, or its name.
    higher_is_better : bool
        Its attribute `higher_is_better`; true if it has none.
    uses_references : bool
        Whether it has a parameter for references.
    arguments : tuple of (name, value)
        What the user set.
    """

    name: str
    title: str
    higher_is_better: bool
    uses_references: bool
    arguments: tuple[tuple[str, Any], ...]
    digest: str
    subject: str = field(compare=False)
    loaded: Loaded = field(repr=False, compare=False)

    def __hash__(self) -> int:
        # Arguments may be lists, which have no hash; equal functions have equal digests.
        return hash((self.name, self.digest))

    @classmethod
    def of(cls, loaded: Loaded, call: Call, subject: str) -> PluginFunction:
        """Return the metric of a loaded function with parameters.

        Raises
        ------
        UsageError
            If a parameter is unknown or missing, or an attribute of the function has the wrong type.
        """
        facts = loaded.facts
        for name in call.arguments:
            if name not in facts["parameters"]:
                raise UsageError(f"{subject}: {unknown('parameter', name, facts['parameters'])}")
        for name in facts["required"]:
            if name not in call.arguments:
                hint = "" if facts["references"] else " If it stands for the references, call it `references`: a list."
                raise UsageError(f"{subject}: `{name}` is missing; {loaded.target.name} has no default for it.{hint}")
        higher, title = facts["higher_is_better"], facts["title"]
        if higher not in (None, True, False):
            raise UsageError(f"{subject}: its attribute `higher_is_better` must be True or False; got {higher!r}.")
        arguments = tuple(sorted(call.arguments.items()))
        name = loaded.target.name
        return cls(
            name=name,
            title=str(title or name),
            higher_is_better=higher is not False,
            uses_references=facts["references"],
            arguments=arguments,
            digest=loaded.digest,
            subject=subject,
            loaded=loaded,
        )

    @property
    def sources(self) -> tuple[str, ...]:
        """The attribute `sources` of the function."""
        return tuple(self.loaded.facts["cite"])

    @property
    def signature(self) -> Signature:
        """Name, parameters, digest of the file, and version."""
        set_here = {name: repr(value) for name, value in self.arguments}
        shown = {name: set_here.get(name, default) for name, default in self.loaded.facts["parameters"].items()}
        pairs = (*sorted(shown.items()), *self.loaded.origin, ("version", VERSION))
        return Signature(self.name).with_pairs(pairs)

    @property
    def described(self) -> str:
        """What its author says, and how it is called."""
        told = " ".join(self.loaded.facts["told"].split("\n\n")[0].split())
        what = "all segments of a system at once" if self._many else "each segment"
        said = f"{told.rstrip('.')}. " if told else ""
        better = "higher" if self.higher_is_better else "lower"
        return (
            f"{said}The function {self.name} of {self.loaded.target.place} gives a score for {what}. The score of a "
            f"document is the mean of the scores of its segments; {better} is better."
        )

    def measure(self, corpus: Corpus, references: Sequence[str]) -> FloatArray:
        """Return the scores of all segments as sums and counts: (systems, segments, 2)."""
        loaded = self._started()
        with loaded.lock:
            scores = np.array(
                [self._score_system(loaded, corpus, position, references) for position in range(len(corpus.systems))]
            )
        return as_statistics(scores.reshape(len(corpus.systems), corpus.n_segments))

    def notes(self, corpus: Corpus) -> tuple[str, ...]:
        """Return what was assumed, and whether it has printed."""
        found = []
        if self.loaded.facts["higher_is_better"] is None:
            found.append(
                f"it is assumed that higher is better; if not, set `{self.name}.higher_is_better = False` in "
                f"{self.loaded.target.place}."
            )
        current = _LOADED.get(self.loaded.target, self.loaded)
        if current.printed:
            found.append(f"it printed {current.printed} characters to stdout, which went to stderr.")
        return tuple(found)

    @property
    def told(self) -> str:
        """What the author of the function says."""
        return str(self.loaded.facts["told"])

    @property
    def parameters(self) -> tuple[Description, ...]:
        """The parameters of the function beside the texts."""
        return tuple(
            Description(name, Shown(default), None, f"of the function {self.name}")
            for name, default in self.loaded.facts["parameters"].items()
        )

    @property
    def _many(self) -> bool:
        return bool(self.loaded.facts["kind"] == "batch")

    def _started(self) -> Loaded:
        """Return the running process; a metric stays what it was when it was named, whatever becomes of its file."""
        loaded = load(self.loaded.target, self.subject)
        if loaded.digest != self.digest:
            raise MetricError(f"{self.subject}: {loaded.target.place} has changed since the metric was named.")
        return loaded

    def _score_system(self, loaded: Loaded, corpus: Corpus, system: int, references: Sequence[str]) -> FloatArray:
        facts, subject = loaded.facts, f"{self.subject}, system {corpus.systems[system]!r}"
        if facts["source_needed"] and corpus.sources is None:
            raise MetricError(f"{subject}: it needs sources, and the corpus {corpus.name!r} has none.")
        names = [plugin_worker.MANY[k] if self._many else plugin_worker.ONE[k] for k in (0, 1, 2)]
        use_source = facts["source"] and corpus.sources is not None
        names = [names[0], *names[1:2] * facts["references"], *names[2:] * use_source]
        segments, rows = [], []
        for segment, candidate in enumerate(corpus.candidates[system]):
            present = [text for name in references if (text := corpus.references[name][segment]) is not None]
            if candidate is None or (self.uses_references and not present):
                continue
            source = [corpus.sources[segment]] if use_source and corpus.sources is not None else []
            segments.append(segment)
            rows.append([candidate, *([present] if self.uses_references else []), *source])
        scores = np.full(corpus.n_segments, np.nan)
        if not rows:
            return scores
        request = {
            "do": "score",
            "many": self._many,
            "arguments": repr(dict(self.arguments)),
            "names": names,
            "rows": rows,
        }
        try:
            loaded.talk.tell(json.dumps(request))
            for segment, answer in zip(segments, self._answers(loaded, corpus, subject, segments), strict=True):
                scores[segment] = answer
        except BaseException:
            loaded.talk.kill()
            raise
        return scores

    def _answers(self, loaded: Loaded, corpus: Corpus, subject: str, segments: Sequence[int]) -> Iterator[float]:
        for position, segment in enumerate(segments):
            where = f"{subject}, {segment_words(corpus, segment)}"
            # Of a call for all segments, no answer tells where it failed before the first has come.
            at = subject if self._many and position == 0 else where
            answer = _hear(loaded.talk, at, "scoring")
            loaded.printed += answer.get("printed", 0)
            if "score" not in answer:
                at = where if "refused" in answer and "printed" in answer else at
                raise MetricError(f"{at}: {_told(answer)}.")
            yield answer["score"]


def segment_words(corpus: Corpus, segment: int) -> str:
    """Return the name of a segment in messages: its number, and its id where that is another."""
    id_ = corpus.segment_ids[segment]
    return f"segment {segment + 1}" + (f" (id {id_!r})" if id_ != str(segment + 1) else "")
