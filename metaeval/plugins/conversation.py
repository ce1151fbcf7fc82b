"""Another process that is told lines and answers in lines: programs that score, and the code of plug-ins.

Three threads do the reading and writing, so that neither side ever waits for the other to make room in a pipe.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
import weakref
from collections import deque
from collections.abc import Mapping, Sequence
from typing import IO

_TAIL_LINES = 20
_GRACE = 2.0


class Silence(Exception):
    """Raised when no line came in time."""


class Ended(Exception):
    """Raised when the process has ended, or closed its output; the text says how it ended."""


class Conversation:
    """A running process.

    Parameters
    ----------
    command : sequence of str
        The program and its arguments; no shell reads them.
    environment : mapping of str to str
        What is added to the environment of this process.

    Raises
    ------
    OSError
        If the program cannot be started.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
        # A session of its own: the process and all that it starts can be ended together.
        self._process = subprocess.Popen(
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **(environment or {})},
            start_new_session=os.name == "posix",
        )
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self._told: queue.Queue[bytes | None] = queue.Queue()
        self._answers: queue.Queue[bytes | None] = queue.Queue()
        self._errors: deque[str] = deque(maxlen=_TAIL_LINES)
        self._threads = [
            threading.Thread(target=_write, args=(process.stdin, self._told), daemon=True),
            threading.Thread(target=_read, args=(process.stdout, self._answers), daemon=True),
            threading.Thread(target=_pass_on, args=(process.stderr, self._errors), daemon=True),
        ]
        for thread in self._threads:
            thread.start()
        pipes = (process.stdout, process.stderr)
        self._stop = weakref.finalize(self, _stop, process, self._told, self._threads, pipes)

    def tell(self, line: str) -> None:
        """Send a line; it waits in memory until the process reads it."""
        self._told.put(line.encode("utf-8", "surrogatepass") + b"\n")

    def hear(self, seconds: float) -> str:
        """Return the next line of the process, without its end.

        Raises
        ------
        Silence
            If none comes within `seconds`.
        Ended
            If none will come.
        """
        try:
            line = self._answers.get(timeout=seconds)
        except queue.Empty:
            raise Silence from None
        if line is None:
            self._answers.put(None)
            raise Ended(self._how_it_ended())
        return line.decode("utf-8", "backslashreplace")

    @property
    def errors(self) -> tuple[str, ...]:
        """The last lines that the process wrote to stderr."""
        return tuple(self._errors)

    @property
    def running(self) -> bool:
        """Whether the process still answers."""
        return self._stop.alive and self._process.poll() is None

    def close(self) -> None:
        """End the process: it is told that nothing follows, and killed if it does not end soon."""
        self._stop()

    def kill(self) -> None:
        """End the process at once, with all that it has started."""
        _kill(self._process)
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
            pipe.write(line)
            if lines.empty():
                pipe.flush()
    with contextlib.suppress(OSError, ValueError):
        pipe.close()


def _read(pipe: IO[bytes], answers: queue.Queue[bytes | None]) -> None:
    with contextlib.suppress(OSError, ValueError):
        for line in pipe:
            answers.put(line.rstrip(b"\r\n"))
    answers.put(None)


def _pass_on(pipe: IO[bytes], errors: deque[str]) -> None:
    with contextlib.suppress(OSError, ValueError):
        for line in pipe:
            text = line.decode("utf-8", "backslashreplace")
            errors.append(text.rstrip())
            with contextlib.suppress(OSError, ValueError):
                sys.stderr.write(text)


def _kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(OSError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:  # pragma: no cover - on Windows
            process.kill()


def _stop(
    process: subprocess.Popen[bytes],
    told: queue.Queue[bytes | None],
    threads: Sequence[threading.Thread],
    pipes: Sequence[IO[bytes]],
) -> None:
    told.put(None)
    try:
        with contextlib.suppress(subprocess.TimeoutExpired, KeyboardInterrupt):
            process.wait(_GRACE)
    finally:
        # Also what the process has left behind, which would hold the pipes open.
        _kill(process)
        process.wait()
    for thread in threads:
        thread.join(_GRACE)
    for pipe in pipes:
        with contextlib.suppress(OSError, ValueError):
            pipe.close()
