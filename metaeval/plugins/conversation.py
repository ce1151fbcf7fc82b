"""Another process that reads lines and answers in lines: programs that score, and the code of plug-ins.

Three threads do the reading and writing, so that neither side ever waits for the other to make room in a pipe.
"""

from __future__ import annotations

import contextlib
import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import IO

from metaeval.errors import MetricError
from metaeval.plugins.sentences import say
from metaeval.runtime.shutdown import end_child, start_child

_TAIL_LINES = 3
_GRACE = 2.0
# Seconds for what an ended process has written last; whoever it has left behind may hold its pipes for ever.
_LAST = 0.5
# Seconds without an answer after which whoever listens is warned.
PATIENCE = 10.0
_CHUNK = 65536


class KilledError(MetricError):
    """A signal has ended a process before it had an answer, as a system does where memory is short."""


class Conversation:
    """A running process.

    Parameters
    ----------
    command : sequence of str
        The program and its arguments; no shell reads them.

    Attributes
    ----------
    lock : threading.Lock
        For whoever asks something, so that the answers are their own.

    Raises
    ------
    OSError
        If the program cannot be started.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self.lock = threading.Lock()
        self._process = start_child(
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            # A thread that waits in an unbuffered pipe holds no lock, so the pipe can be closed.
            bufsize=0,
            # Python keeps back what it prints to a pipe unless it is asked not to.
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        process = self._process
        self._requests: queue.Queue[bytes | None] = queue.Queue()
        self._answers: queue.Queue[bytes | None] = queue.Queue()
        self._errors: deque[str] = deque(maxlen=_TAIL_LINES)
        self._threads = [
            threading.Thread(target=_write, args=(process.stdin, self._requests), daemon=True),
            threading.Thread(target=_read, args=(process.stdout, self._answers), daemon=True),
            threading.Thread(target=_pass_on, args=(process.stderr, self._errors), daemon=True),
        ]
        for thread in self._threads:
            thread.start()
        self._stop = weakref.finalize(self, _stop, process, self._requests, self._threads)

    def send(self, line: str) -> None:
        """Send a line; it waits in memory until the process reads it."""
        self._requests.put(line.encode("utf-8", "surrogatepass") + b"\n")

    def end_input(self) -> None:
        """Close the input of the process when it has read all that was sent."""
        self._requests.put(None)

    def hear(
        self,
        doing: str,
        seconds: float,
        limit: str,
        *,
        state: str = "",
        hint: str = "",
        overdue: Callable[[], None] = lambda: None,
    ) -> str:
        """Return the next line of the process, without its end.

        Parameters
        ----------
        doing : str
            Who is asked for what, at the beginning of messages.
        seconds : float
            How long the line may take.
        limit : str
            Where the user sets the seconds.
        state : str
            What has been answered so far.
        hint : str
            Why there may be no line in time.
        overdue : callable
            Called after `PATIENCE` seconds without a line.

        Raises
        ------
        MetricError
            If no line comes in time, or none will come because the process has ended.
        """
        try:
            line = self._next(seconds, overdue)
        except queue.Empty:
            raise say.error("overdue", doing=doing, seconds=seconds, limit=limit, state=state, hint=hint) from None
        if line is None:
            self._answers.put(None)
            ended = self._how_it_ended()
            last = f" Its last lines on stderr: {' / '.join(self._errors)}" if self._errors else ""
            error = say.error("ended", doing=doing, ended=ended, state=state, last=last)
            raise KilledError(str(error)) if (self._process.returncode or 0) < 0 else error
        return line.decode("utf-8", "backslashreplace")

    def _next(self, seconds: float, overdue: Callable[[], None]) -> bytes | None:
        first = min(seconds, PATIENCE)
        try:
            return self._answers.get(timeout=first)
        except queue.Empty:
            if first == seconds:
                raise
        overdue()
        return self._answers.get(timeout=seconds - first)

    @property
    def running(self) -> bool:
        """Whether the process still answers."""
        return self._stop.alive and self._process.poll() is None

    @contextlib.contextmanager
    def asked(self) -> Iterator[None]:
        """Hold the conversation while something is asked: after an error, whatever would come belongs to nothing."""
        with self.lock:
            try:
                yield
            except BaseException:
                self.kill()
                raise

    def close(self) -> None:
        """End the process: its input is closed, and it is killed if it does not end soon."""
        self._stop()

    def kill(self) -> None:
        """End the process at once, with all that it has started."""
        end_child(self._process)
        self._stop()

    def _how_it_ended(self) -> str:
        try:
            code = self._process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            return "closed its output and went on"
        # What it wrote last may still be on its way.
        self._threads[2].join(_GRACE)
        if code < 0:
            with contextlib.suppress(ValueError):
                return f"was ended by signal {signal.Signals(-code).name}"
        return f"ended with exit code {code}"


def _write(pipe: IO[bytes], lines: queue.Queue[bytes | None]) -> None:
    with contextlib.suppress(OSError, ValueError):
        while (line := lines.get()) is not None:
            rest = memoryview(line)
            while rest:
                rest = rest[pipe.write(rest) :]
    with contextlib.suppress(OSError, ValueError):
        pipe.close()


def _lines(pipe: IO[bytes], ends: bytes) -> Iterator[bytes]:
    """Give the lines with their ends, of which there are several kinds."""
    parts: list[bytes] = []
    with contextlib.suppress(OSError, ValueError):
        while chunk := pipe.read(_CHUNK):
            for piece in re.split(rb"(?<=[%s])" % ends, chunk):
                parts.append(piece)
                if piece and piece[-1:] in ends:
                    yield b"".join(parts)
                    parts = []
    if any(parts):
        yield b"".join(parts)


def _read(pipe: IO[bytes], answers: queue.Queue[bytes | None]) -> None:
    for line in _lines(pipe, b"\n"):
        answers.put(line.rstrip(b"\r\n"))
    answers.put(None)


def _pass_on(pipe: IO[bytes], errors: deque[str]) -> None:
    # A bar of progress is shown as it grows: it goes back to the beginning of its line.
    for line in _lines(pipe, b"\r\n"):
        text = line.decode("utf-8", "backslashreplace")
        if text.strip():
            errors.append(text.strip())
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.write(text)
            sys.stderr.flush()


def _stop(
    process: subprocess.Popen[bytes], requests: queue.Queue[bytes | None], threads: Sequence[threading.Thread]
) -> None:
    requests.put(None)
    try:
        with contextlib.suppress(subprocess.TimeoutExpired, KeyboardInterrupt):
            process.wait(_GRACE)
    finally:
        # Also what the process has left behind, which would hold the pipes open.
        end_child(process)
    end = time.monotonic() + _LAST
    for thread in threads:
        thread.join(max(0.0, end - time.monotonic()))
    for pipe in filter(None, (process.stdout, process.stderr)):
        with contextlib.suppress(OSError, ValueError):
            pipe.close()
