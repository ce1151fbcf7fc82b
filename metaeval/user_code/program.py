"""A program of any kind as a metric: it reads segments as lines of JSON and writes scores as lines of JSON.

It is started once for all systems, and its input ends after the last segment. An answer has the ``id`` of its
segment, which no other segment has; ``segment`` is the id that the corpus has::

    in   {"id": "17", "segment": "doc3:2", "system": "A", "candidate": "...", "references": ["..."], "source": "..."}
    out  {"id": "17", "score": 0.25}

Answers may come in any order. Everything else belongs on stderr, which is shown as it comes.
"""

from __future__ import annotations

import codecs
import hashlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, Any, ClassVar, Literal

import numpy as np

from metaeval.datamodel.corpus import FloatArray
from metaeval.errors import MetricError, UsageError
from metaeval.metrics.text_metric import better
from metaeval.parameters.calls import Signature
from metaeval.parameters.fields import parameter
from metaeval.runtime.shutdown import child_process
from metaeval.user_code.external_metric import Batch, ExternalMetric
from metaeval.user_code.returned import UnusableError, as_number
from metaeval.version import VERSION

_LARGEST_SCRIPT_BYTES = 10_000_000
# Seconds that a program may take to end after its last answer, or after it has closed its output.
_EXIT_TIMEOUT_SECONDS = 10.0
_CHUNK_BYTES = 65536
_TAIL_CHARACTERS = 2000
_TAIL_LINES = 3
_MAX_SHOWN_CHARACTERS = 100


@dataclass(frozen=True)
class Program(ExternalMetric):
    """A program that scores segments: one line of JSON in, one line out, for each segment."""

    former_parameters: ClassVar[Mapping[str, str]] = {
        "stdin": "`stdin` is no longer needed, leave it out: a program gets the segments of all systems, and then its "
        "input ends.",
        "timeout": "`timeout` is no longer there, leave it out: a program has no limit of time, and Ctrl-C ends it.",
    }

    command: str = parameter(doc="the program and its arguments, as for a shell, which is not used")
    name: str = parameter("program", doc="what the metric is called in tables")
    higher_is_better: bool = parameter(True, doc="whether a high score is good")
    uses_references: bool = parameter(True, doc="whether the program gets the references and needs one")
    parallel: bool = parameter(False, doc="whether it may run several times at once, as often as there are jobs")

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
    def label(self) -> str:
        """The name, where the user gave one."""
        return "" if self.name == type(self).name else " ".join(self.name.split())

    @cached_property
    def signature(self) -> Signature:
        """Name, the command without directories, a digest of each file in it, and version."""
        return self._signature_of_program.with_pairs([("version", VERSION)])

    @cached_property
    def _signature_of_program(self) -> Signature:
        words = [_without_directory(word) for word in shlex.split(self.command)]
        pairs = (("command", " ".join(words)), ("references", self.uses_references), ("better", better(self)))
        return Signature(self.name).with_pairs(pairs)

    @property
    def identity(self) -> Sequence[Any]:
        """Its command, and when the files in that were changed."""
        files = [Path(shutil.which(word) or word) for word in shlex.split(self.command)]
        states = [(str(file), file.stat().st_size, file.stat().st_mtime_ns) for file in files if file.is_file()]
        return str(self._signature_of_program), self.command, states

    @property
    def described(self) -> str:
        """The making of the score, as far as that is known, in sentences."""
        texts = "candidate and references" if self.uses_references else "the candidate"
        return (
            f"The program {shlex.split(self.command)[0]} gives a score for each segment, of which it gets {texts}, and "
            "the source where there is one. The score of a document is the mean of the scores of its segments; "
            f"{better(self)} is better."
        )

    @property
    def side_by_side(self) -> Literal["", "programs"]:
        """``programs`` if several of it may run at once, or else ""."""
        return "programs" if self.parallel else ""

    @property
    def subject(self) -> str:
        """The program, in messages."""
        return f"program {self.name!r}"

    def read_by(self, batch: Batch) -> dict[str, Any]:
        """Return all that the program reads of a batch, but for the numbers of the segments."""
        ids = [batch.corpus.segment_ids[segment] for segment in batch.segments]
        return {"segment": ids, "system": batch.name, **batch.columns()}

    def ask(self, batches: Sequence[Batch]) -> Iterator[tuple[Batch, FloatArray]]:
        """Run the program once, and give the scores of each batch as soon as all of them are there."""
        firsts = np.cumsum([0, *(len(batch.segments) for batch in batches)]).tolist()
        scores = [np.full(len(batch.segments), np.nan) for batch in batches]
        missing = [len(batch.segments) for batch in batches]
        position_of = dict[str, tuple[int, int]]()
        for number, first in enumerate(firsts[:-1]):
            for position in range(len(batches[number].segments)):
                position_of[str(first + position + 1)] = (number, position)
        answered = set[str]()
        with tempfile.TemporaryFile() as rows:
            for number, batch in enumerate(batches):
                rows.writelines(self._rows(batch, firsts[number] + 1))
            rows.seek(0)
            with self._started(rows) as process:
                errors = _Stderr(process)
                for line in _lines(process):
                    id_, score = self._answer(line)
                    if id_ not in position_of or id_ in answered:
                        fault = "a second time" if id_ in answered else "which no segment has"
                        raise MetricError(f"{self.subject}: answered with the id {id_!r} {fault}.")
                    number, position = position_of[id_]
                    try:
                        scores[number][position] = as_number(score)
                    except UnusableError as error:
                        raise MetricError(f"{self.subject}, {_words(batches[number], position)}: {error}.") from None
                    answered.add(id_)
                    missing[number] -= 1
                    if not missing[number]:
                        yield batches[number], scores[number]
                    if len(answered) == len(position_of):
                        break
                ending = _how_it_ended(process)
                errors.join(_EXIT_TIMEOUT_SECONDS)
                if len(answered) < len(position_of):
                    unanswered = next(id_ for id_ in position_of if id_ not in answered)
                    number, position = position_of[unanswered]
                    raise MetricError(
                        f"{self.subject}: {ending}; it has answered {len(answered)} of {len(position_of)} segments and "
                        f"not yet the id {unanswered!r} ({_words(batches[number], position)}).{errors.last_lines}"
                    )

    @contextmanager
    def _started(self, rows: IO[bytes]) -> Iterator[subprocess.Popen[bytes]]:
        """Run the program inside the block, with a file as its input."""
        # Python keeps back what it prints to a pipe unless it is asked not to, and answers are written as they come.
        environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
        with ExitStack() as stack:
            try:
                process = stack.enter_context(
                    child_process(
                        shlex.split(self.command),
                        stdin=rows,
                        stdout=subprocess.PIPE,
                        stderr=subprocess.PIPE,
                        bufsize=0,
                        env=environment,
                    )
                )
            except OSError as error:
                raise MetricError(f"{self.subject}: cannot be started: {error.strerror} ({self.command}).") from error
            # What a program leaves behind when it ends would hold its output open.
            threading.Thread(target=_end_group, args=(process,), daemon=True).start()
            yield process

    def _rows(self, batch: Batch, first: int) -> Iterator[bytes]:
        """Yield the lines that the program reads of a batch."""
        columns = batch.columns()
        for position, segment in enumerate(batch.segments):
            row = {"id": str(first + position), "segment": batch.corpus.segment_ids[segment], "system": batch.name}
            row |= {"candidate": columns["candidate"][position]}
            row |= {name: columns[name][position] for name in ("references", "source") if name in columns}
            yield json.dumps(row).encode() + b"\n"

    def _answer(self, line: bytes) -> tuple[str, object]:
        """Return the id and the score of an answer."""
        text = line.decode("utf-8", "backslashreplace").rstrip("\r\n")
        try:
            answer = json.loads(text)
        except ValueError:
            answer = None
        if not isinstance(answer, dict) or "id" not in answer or "score" not in answer:
            raise MetricError(
                f'{self.subject}: an answer must look like {{"id": "17", "score": 0.25}}; got '
                f"{text[:_MAX_SHOWN_CHARACTERS]!r}. Anything else belongs on stderr."
            )
        return str(answer["id"]), answer["score"]


class _Stderr(threading.Thread):
    """Passes on what a program writes to stderr, as it comes, and keeps the end of it."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        super().__init__(daemon=True)
        self._pipe = process.stderr
        self._tail = ""
        self.start()

    def run(self) -> None:
        """Read until the program closes its stderr."""
        decode = codecs.getincrementaldecoder("utf-8")("backslashreplace").decode
        for chunk in _chunks(self._pipe):
            text = decode(chunk)
            self._tail = (self._tail + text)[-_TAIL_CHARACTERS:]
            with suppress(AttributeError, OSError, ValueError):  # there is no stderr, or it was closed
                sys.stderr.write(text)
                sys.stderr.flush()

    @property
    def last_lines(self) -> str:
        """A sentence with the last lines; "" if there are none."""
        lines = [line.strip() for line in re.split(r"[\r\n]+", self._tail) if line.strip()]
        return f" Its last lines on stderr: {' / '.join(lines[-_TAIL_LINES:])}" if lines else ""


def _chunks(pipe: IO[bytes] | None) -> Iterator[bytes]:
    with suppress(OSError, ValueError):  # it was closed
        while pipe is not None and (chunk := pipe.read(_CHUNK_BYTES)):
            yield chunk


def _lines(process: subprocess.Popen[bytes]) -> Iterator[bytes]:
    """Yield the lines that a program writes, each as soon as it is there."""
    rest = b""
    for chunk in _chunks(process.stdout):
        *lines, rest = (rest + chunk).split(b"\n")
        yield from lines
    if rest:
        yield rest


def _how_it_ended(process: subprocess.Popen[bytes]) -> str:
    """Wait for the end of a program that has written all that it will, and say how it ended."""
    try:
        code = process.wait(_EXIT_TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        return "it closed its output and went on"
    if code < 0:
        with suppress(ValueError):
            return f"it was ended by signal {signal.Signals(-code).name}"
    return f"it ended with exit code {code}"


def _end_group(process: subprocess.Popen[bytes]) -> None:
    process.wait()
    if os.name == "posix":
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)


def _words(batch: Batch, position: int) -> str:
    return f"system {batch.name!r}, {batch.words(position)}"


def _without_directory(word: str) -> str:
    """Return a word of a command without directories; of a file of text, such as a script, with a digest."""
    path = Path(word)
    name = path.name if os.sep in word else word
    if path.is_file() and path.stat().st_size < _LARGEST_SCRIPT_BYTES:
        content = path.read_bytes()
        if b"\0" not in content[:1024]:
            return f"{name}@{hashlib.sha256(content).hexdigest()[:8]}"
    return name
