"""A program of any kind as a metric: it reads segments as lines of JSON and writes scores as lines of JSON.

It is started once, gets all segments of a system, and then those of the next system; with ``stdin="close"`` it is
started for each system, and its input ends after the last segment::

    in   {"id": "17", "system": "A", "candidate": "...", "references": ["...", "..."], "source": "..."}
    out  {"id": "17", "score": 0.25}

The answers of one system may come in any order, and each must come within the time limit of the one before it. A
program must write its answers as it goes (flush its output), and everything else to stderr.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import shutil
import warnings
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from metaeval.errors import MetaevalWarning
from metaeval.metrics.text_metric import better
from metaeval.names import Signature
from metaeval.parameters import parameter
from metaeval.plugins import conversation
from metaeval.plugins.conversation import Conversation
from metaeval.plugins.loaded import DEFAULT_TIMEOUT, lane_number
from metaeval.plugins.process_metric import ProcessMetric, Row
from metaeval.plugins.sentences import refuse, say
from metaeval.version import VERSION

_LARGEST_SCRIPT = 10_000_000


@dataclass(frozen=True)
class Program(ProcessMetric):
    """A program that scores segments: one line of JSON in, one line out, for each segment."""

    command: str = parameter(doc="the program and its arguments, as for a shell, which is not used")
    name: str = parameter("program", doc="what the metric is called in tables")
    higher_is_better: bool = parameter(True, doc="whether a high score is good")
    uses_references: bool = parameter(True, doc="whether the program gets the references and needs one")
    timeout: float = parameter(
        DEFAULT_TIMEOUT, doc="seconds that it may take from one line to the next", minimum=0.01, maximum=1e6
    )
    stdin: str = parameter(
        "open",
        doc="open: it is started once for all systems; close: its input ends after each system, for a program that "
        "reads all of it before it answers, and it is started for each",
        choices=("open", "close"),
    )
    parallel: bool = parameter(False, doc="whether it may run several times at once, as often as there are jobs")

    def __post_init__(self) -> None:
        try:
            words = shlex.split(self.command)
        except ValueError as error:
            raise say.error("command_line", given=self.command, error=error) from error
        refuse(not words, "command_empty")
        is_there = shutil.which(words[0]) is not None
        refuse(not is_there, "program_missing", name=self.name, word=words[0], command=self.command)

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
        words = [_without_directory(word) for word in shlex.split(self.command)]
        pairs = (("command", " ".join(words)), ("references", self.uses_references))
        return Signature(self.name).with_pairs((*pairs, ("better", better(self)), ("version", VERSION)))

    @property
    def identity(self) -> Sequence[Any]:
        """Its command, and when the files in that were changed."""
        files = [Path(shutil.which(word) or word) for word in shlex.split(self.command)]
        known = [(str(file), file.stat().st_size, file.stat().st_mtime_ns) for file in files if file.is_file()]
        return str(self.signature), self.command, known

    @property
    def described(self) -> str:
        """How the score is made, as far as that is known."""
        read = "candidate and references" if self.uses_references else "the candidate"
        return say("program_described", program=shlex.split(self.command)[0], read=read, better=better(self))

    @property
    def side_by_side(self) -> Literal["", "programs"]:
        """Whether several of it may run at once."""
        return "programs" if self.parallel else ""

    @property
    def subject(self) -> str:
        """The program, in messages."""
        return f"program {self.name!r}"

    def start(self) -> Conversation:
        """Return the running program, which ends with this object."""
        name = f"_process-{lane_number()}"
        process: Conversation | None = self.__dict__.get(name)
        if process is None or not process.running:
            try:
                process = Conversation(shlex.split(self.command))
            except OSError as error:
                raise say.error("not_started", subject=self.subject, error=error, command=self.command) from error
            if self.stdin == "open":
                self.__dict__[name] = process
        return process

    def ask(self, process: Conversation, rows: Sequence[Row]) -> Sequence[Hashable]:
        """Send the segments of a system, a line each; an answer carries the id."""
        for row in rows:
            process.send(json.dumps(row))
        if self.stdin == "close":
            process.end_input()
        return [row["id"] for row in rows]

    def hear(
        self, process: Conversation, subject: str, waiting: Mapping[Any, str], n_rows: int
    ) -> tuple[Hashable, object]:
        """Return the id and the score of an answer, which may be any."""
        state = say("answers", n=n_rows - len(waiting), of=n_rows, first=next(iter(waiting.values())))
        likely = say("flushed") if self.stdin == "open" else ""

        def overdue() -> None:
            if not self.__dict__.get("_told"):
                self.__dict__["_told"] = True
                told = f"{subject}: no answer for {conversation.PATIENCE:g} seconds; {state}.{likely}"
                warnings.warn(told, MetaevalWarning, stacklevel=2)

        line = process.hear(
            f"{subject}: scoring", self.timeout, "parameter `timeout`", state=f"; {state}", hint=likely, overdue=overdue
        )
        try:
            answer = json.loads(line)
        except ValueError:
            answer = None
        if not isinstance(answer, dict) or "id" not in answer or "score" not in answer:
            raise say.error("answer_form", subject=subject, line=line[:100])
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
