"""Commands of metaeval that are ended in the middle: what they leave, and what the same command then gives.

All that a command starts inherits a mark in its environment, by which it is found, wherever it went.
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import cycle, islice
from pathlib import Path

from tests.support.processes import HANGS, heed_all

# What a run does not write with the same bytes each time; that a kept array is the same is not seen from its file.
NOT_THE_SAME = ("times.json", "arrays")
# What nobody else calls so.
MARK = "METAEVAL_TEST_MARK"
# Nothing that was started lives longer than that after a command, on however busy a machine.
SOON = 10.0
# Where a command puts what vanishes in the end, in its own directory, so that others are not taken for its own.
PLACES = {"METAEVAL_CACHE": "cache", "TMPDIR": "tmp", "JOBLIB_TEMP_FOLDER": "shared"}
# What was computed before a command was ended is kept, and used when it is repeated.
SETTINGS = {**PLACES, "METAEVAL_CACHE_LIMIT": "1G"}
# How the names of temporary files and directories begin or end.
TEMPORARY = ("*.metaeval-partial", "joblib_memmapping_folder_*", ".writer", ".new-*")

PLUGIN = """
def words(candidate, references):
    return sum(len(set(candidate.split()) & set(one.split())) for one in references)
words.higher_is_better = True
"""
# Its replicates are made in processes.
BY_LENGTH = """
title = "Documents of two lengths"
corpora = ["demo"]
metrics = ["wer", "per"]
criteria = ["adequacy"]
figures = []

[references]
subsets = ["ref1"]

[documents]
kind = "pseudo"
lengths = [2, 5]
count = 5

[judgments]
normalise = "z"

[uncertainty]
method = "bootstrap"
n_resamples = 20
"""
WHOLE = """
title = "Whole systems"
corpora = ["demo"]
metrics = ["bleu", "mine.py:words"]

[documents]
kind = "all"

[uncertainty]
n_resamples = 100
"""


@dataclass(frozen=True)
class Command:
    """A command, and the directory that it writes.

    Attributes
    ----------
    arguments : tuple of str
    output : str
        Relative to the directory in which it is run; empty if it only prints.
    again : bool
        Whether it may be given once more where its output is.
    """

    arguments: tuple[str, ...]
    output: str
    again: bool = True


_COMPARE = ("compare", "--corpus", "demo", "-m", "bleu", "wer", "mine.py:words", "--resamples", "200", "--ceiling", "0")
COMMANDS = {
    "run": Command(("run", "by_length.toml", "--output", "out", "--jobs", "2"), "out"),
    "run, a function": Command(("run", "whole.toml", "--output", "out"), "out"),
    "compare": Command(_COMPARE, ""),
    "compare, two jobs": Command((*_COMPARE, "--output", "out", "--jobs", "2"), "out"),
    "convert": Command(("corpus", "convert", "demo", "out"), "out", again=False),
    "simulate": Command(("corpus", "simulate", "btec", "out", "--segments", "300"), "out", again=False),
    "first use": Command(("corpus", "show", "mtc-arabic-2003"), "cache"),
}


def prepare(directory: Path) -> Path:
    """Empty a directory, and write what commands read."""
    shutil.rmtree(directory, ignore_errors=True)
    for name in PLACES.values():
        (directory / name).mkdir(parents=True)
    for name, content in (("mine.py", PLUGIN), ("by_length.toml", BY_LENGTH), ("whole.toml", WHOLE)):
        (directory / name).write_text(content)
    return directory


@dataclass
class Started:
    """A running command."""

    arguments: Sequence[str]
    directory: Path
    mark: str = field(default_factory=lambda: uuid.uuid4().hex)

    def __post_init__(self) -> None:
        with (self.directory / "stdout").open("wb") as out, (self.directory / "stderr").open("wb") as err:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "metaeval", *self.arguments],
                cwd=self.directory,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                env={**os.environ, **SETTINGS, MARK: self.mark},
                start_new_session=True,
                preexec_fn=heed_all,
            )

    @property
    def told(self) -> str:
        """What it has printed to stderr."""
        return (self.directory / "stderr").read_text()

    def living(self) -> list[str]:
        """Return the commands of all processes that it has started and that live, its own too."""
        found = []
        for pid in self._pids():
            with contextlib.suppress(OSError):
                found.append(Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode())
        return found

    def _pids(self) -> list[int]:
        wanted, found = f"{MARK}={self.mark}".encode(), []
        for path in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if wanted in (path / "environ").read_bytes().split(b"\0"):
                    found.append(int(path.name))
        return found

    def left(self) -> tuple[list[str], float]:
        """Wait until all has ended; return what lives all the same, and the seconds that were waited."""
        start = time.monotonic()
        while (living := self.living()) and time.monotonic() < start + SOON:
            time.sleep(0.05)
        return living, time.monotonic() - start

    def end(self) -> None:
        """Kill what lives, so that a test leaves nothing."""
        self.process.kill()
        self.process.wait(HANGS)
        for pid in self._pids():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def temporary(directory: Path) -> list[str]:
    """Return the temporary files and directories below a directory, and all in places for nothing else."""
    found = {path for pattern in TEMPORARY for path in directory.rglob(pattern)}
    found |= {path for name in ("tmp", "shared") for path in (directory / name).glob("*")}
    return sorted(str(path.relative_to(directory)) for path in found)


def tree(directory: Path) -> dict[str, bytes]:
    """Return the content of each file below a directory, but for what differs each time."""
    return {
        path.relative_to(directory).as_posix(): path.read_bytes()
        for path in sorted(directory.rglob("*"))
        if path.is_file() and not {*path.parts} & {*NOT_THE_SAME}
    }


@dataclass(frozen=True)
class Undisturbed:
    """What a command gives that nobody ends."""

    files: dict[str, bytes]
    printed: bytes
    seconds: float


def finish(command: Command, directory: Path) -> Undisturbed:
    """Run a command to its end, and return what it gives; it leaves nothing."""
    start = time.monotonic()
    started = Started(command.arguments, directory)
    try:
        assert started.process.wait(HANGS) == 0, started.told
        seconds = time.monotonic() - start
        assert (living := started.left()[0]) == [], living
    finally:
        started.end()
    assert (found := temporary(directory)) == [], found
    printed = (directory / "stdout").read_bytes()
    assert printed
    return Undisturbed(tree(directory / command.output) if command.output else {}, printed, seconds)


@dataclass(frozen=True)
class Ended:
    """What a command was that a signal has ended.

    Attributes
    ----------
    code : int
        Its exit code.
    seconds, seconds_left : float
        Until it had ended, and from then on until all that it had started had.
    living, temporary : list of str
        What it left.
    told : str
        What it printed to stderr.
    """

    code: int
    seconds: float
    seconds_left: float
    living: list[str]
    temporary: list[str]
    told: str


def end(started: Started, number: int, *, group: bool = False) -> Ended:
    """Send a signal to a command, or to its whole process group as a terminal does; return what is left of it."""
    start = time.monotonic()
    with contextlib.suppress(ProcessLookupError):
        (os.killpg if group else os.kill)(started.process.pid, number)
    code = started.process.wait(HANGS)
    seconds = time.monotonic() - start
    living, more = started.left()
    return Ended(code, seconds, more, living, temporary(started.directory), started.told)


@dataclass(frozen=True)
class Moment:
    """When a command is ended, and how.

    Attributes
    ----------
    share : float
        Of the time that it takes.
    number : int
        Of the signal.
    group : bool
        Whether all its processes get the signal that do not live in groups of their own.
    """

    share: float
    number: int
    group: bool

    def __str__(self) -> str:
        return f"{signal.Signals(self.number).name}{' to all' if self.group else ''} at {self.share:.3f}"


def check(command: Command, directory: Path, moment: Moment, expected: Undisturbed) -> Ended:
    """Assert that a command that is ended in the middle leaves nothing, and that it then gives what it always gives."""
    number, started = moment.number, Started(command.arguments, directory)
    try:
        time.sleep(moment.share * expected.seconds)
        found = end(started, number, group=moment.group)
    finally:
        started.end()
    told = f"{moment} of {expected.seconds:.2f} s: {found}"
    assert found.living == [], told
    # It may have ended before, or not have begun to listen.
    codes = (0, -number) if number == signal.SIGKILL else (0, -number, 128 + number)
    assert found.code in codes, told
    if found.code > 0:
        assert found.temporary == [], told
        assert "Traceback" not in found.told, told
        assert found.told.endswith(f"ended by {signal.Signals(number).name}; what was not finished is not kept.\n"), (
            told
        )
    output = directory / command.output
    if not command.again and output.exists():
        # What stands there is whole.
        assert tree(output) == expected.files, told
        shutil.rmtree(output)
    if number == signal.SIGKILL:  # the next command leaves it alone for a day
        for left in directory.rglob("*.metaeval-partial"):
            shutil.rmtree(left)
    if moment.group and number == signal.SIGKILL:  # nobody is left to remove what joblib has written
        for left in (directory / "shared").glob("joblib_memmapping_folder_*"):
            shutil.rmtree(left)
    after = finish(command, directory)
    assert sorted(after.files) == sorted(expected.files), told
    assert [name for name, content in after.files.items() if content != expected.files[name]] == [], told
    assert after.printed == expected.printed, told
    return found


SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP) if os.name == "posix" else ()


def draw(n: int, seed: int) -> list[tuple[str, Moment]]:
    """Return commands, and moments drawn at random."""
    rng = random.Random(seed)
    return [
        (name, Moment(rng.random(), rng.choice(SIGNALS), rng.random() < 0.5)) for name in islice(cycle(COMMANDS), n)
    ]
