"""A program of any kind as a metric: it reads segments as lines of JSON and writes scores as lines of JSON.

It is started once and told of all segments of a system, then of the next system::

    told    {"id": "17", "system": "A", "candidate": "...", "references": ["...", "..."], "source": "..."}
    answer  {"id": "17", "score": 0.25}

The answers of one system may come in any order, and each must come within the time limit of the one before it. A
program must write its answers as it goes (flush its output), and everything else to stderr.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from metaeval.errors import MetricError, UsageError
from metaeval.metrics.text_metric import TextMetric, as_statistics
from metaeval.names import Signature
from metaeval.parameters import parameter
from metaeval.plugins.conversation import Conversation, Ended, Silence
from metaeval.plugins.functions import DEFAULT_TIMEOUT, segment_words
from metaeval.plugins.worker import Refused, as_number
from metaeval.records import Corpus, FloatArray
from metaeval.version import VERSION

_LARGEST_SCRIPT = 10_000_000


@dataclass(frozen=True)
class Program(TextMetric):
    """A program that scores segments: one line of JSON in, one line out, for each segment."""

    command: str = parameter(doc="the program and its arguments, as for a shell, which is not used")
    name: str = parameter("program", doc="what the metric is called in tables")
    higher_is_better: bool = parameter(True, doc="whether a high score is good")
    uses_references: bool = parameter(True, doc="whether the program is told the references and needs one")
    timeout: float = parameter(
        DEFAULT_TIMEOUT, doc="seconds that it may take from one line to the next", minimum=0.01, maximum=1e6
    )

    def __post_init__(self) -> None:
        try:
            words = shlex.split(self.command)
        except ValueError as error:
            raise UsageError(f"program: `command` must be a command line; got {self.command!r} ({error}).") from error
        if not words:
            raise UsageError("program: `command` must name a program; got nothing.")
        if shutil.which(words[0]) is None:
            raise UsageError(f"program {self.name!r}: there is no program {words[0]!r} (command {self.command!r}).")

    @property
    def title(self) -> str:
        """The name."""
        return self.name

    @property
    def sources(self) -> tuple[str, ...]:
        """Nothing is known of a program's sources."""
        return ()

    @cached_property
    def signature(self) -> Signature:
        """Name, the command without directories, a digest of each file in it, and version."""
        words = [_without_directory(word) for word in shlex.split(self.command)]
        pairs = (("command", " ".join(words)), ("references", self.uses_references))
        better = "higher" if self.higher_is_better else "lower"
        return Signature(self.name).with_pairs((*pairs, ("better", better), ("version", VERSION)))

    @property
    def described(self) -> str:
        """How the score is made, as far as that is known."""
        better = "higher" if self.higher_is_better else "lower"
        told = "candidate and references" if self.uses_references else "the candidate"
        return (
            f"The program {shlex.split(self.command)[0]} gives a score for each segment, of which it is told {told}, "
            "and the source where there is one. The score of a document is the mean of the scores of its segments; "
            f"{better} is better."
        )

    def measure(self, corpus: Corpus, references: Sequence[str]) -> FloatArray:
        """Return the scores of all segments as sums and counts: (systems, segments, 2)."""
        scores = np.full((len(corpus.systems), corpus.n_segments), np.nan)
        try:
            for position in range(len(corpus.systems)):
                self._score_system(corpus, position, references, scores[position])
        except BaseException:
            # Whatever it would still answer belongs to nothing.
            self._end()
            raise
        return as_statistics(scores)

    @property
    def _subject(self) -> str:
        return f"program {self.name!r}"

    def _talk(self) -> Conversation:
        """Return the running program; it is started where it does not run, and ends with this object."""
        talk: Conversation | None = self.__dict__.get("_conversation")
        if talk is None or not talk.running:
            try:
                # Python keeps back what it prints to a pipe if it is not told otherwise.
                talk = Conversation(shlex.split(self.command), {"PYTHONUNBUFFERED": "1"})
            except OSError as error:
                raise MetricError(f"{self._subject}: cannot be started: {error.strerror} ({self.command}).") from error
            self.__dict__["_conversation"] = talk
        return talk

    def _end(self) -> None:
        talk: Conversation | None = self.__dict__.pop("_conversation", None)
        if talk is not None:
            talk.kill()

    def _score_system(self, corpus: Corpus, position: int, references: Sequence[str], scores: FloatArray) -> None:
        system, waiting = corpus.systems[position], {}
        talk = self._talk()
        for segment, candidate in enumerate(corpus.candidates[position]):
            present = [text for name in references if (text := corpus.references[name][segment]) is not None]
            if candidate is None or (self.uses_references and not present):
                continue
            told: dict[str, Any] = {"id": corpus.segment_ids[segment], "system": system, "candidate": candidate}
            if self.uses_references:
                told["references"] = present
            if corpus.sources is not None:
                told["source"] = corpus.sources[segment]
            waiting[corpus.segment_ids[segment]] = segment
            talk.tell(json.dumps(told))
        subject, answered = f"{self._subject}, system {system!r}", set[str]()
        while len(answered) < len(waiting):
            open_ids = (id_ for id_ in waiting if id_ not in answered)
            line = self._hear(talk, subject, f"{len(answered)} of {len(waiting)}", corpus, waiting[next(open_ids)])
            id_, score = _parsed(line, subject)
            if id_ not in waiting or id_ in answered:
                what = "a second time" if id_ in answered else "which is none that it was told of this system"
                raise MetricError(f"{subject}: answered with the id {id_!r} {what}: {line[:100]!r}.")
            try:
                scores[waiting[id_]] = as_number(score)
            except Refused as error:
                raise MetricError(f"{subject}, {segment_words(corpus, waiting[id_])}: {error}.") from None
            answered.add(id_)

    def _hear(self, talk: Conversation, subject: str, done: str, corpus: Corpus, first_open: int) -> str:
        waiting = f"it has answered {done} segments and not yet {segment_words(corpus, first_open)}"
        try:
            return talk.hear(self.timeout)
        except Silence:
            raise MetricError(
                f"{subject}: gave no line for {self.timeout:g} seconds (parameter `timeout`); {waiting}. Does it keep "
                "its output back (flush after each line), or wait for the end of its input?"
            ) from None
        except Ended as error:
            last = f" Its last lines on stderr: {' / '.join(talk.errors[-3:])}" if talk.errors else ""
            raise MetricError(f"{subject}: {error}; {waiting}.{last}") from None


def _parsed(line: str, subject: str) -> tuple[str, object]:
    """Return the id and the score of an answer."""
    must = 'an answer must look like {"id": "17", "score": 0.25}; got'
    try:
        answer = json.loads(line)
    except ValueError:
        raise MetricError(f"{subject}: {must} {line[:100]!r}. Anything else belongs on stderr.") from None
    if not isinstance(answer, dict) or "id" not in answer or "score" not in answer:
        raise MetricError(f"{subject}: {must} {line[:100]!r}.")
    return str(answer["id"]), answer["score"]


def _without_directory(word: str) -> str:
    """Return a word of a command without directories; of a file of text, such as a script, with a digest."""
    path = Path(word)
    name = path.name if os.sep in word else word
    if path.is_file() and path.stat().st_size < _LARGEST_SCRIPT:
        content = path.read_bytes()
        if b"\0" not in content[:1024]:
            return f"{name}@{hashlib.sha256(content).hexdigest()[:8]}"
    return name
