"""What must not outlive this process, and how signals end it.

Plug-ins have process groups of their own, so that nobody else ends them: a shell watches over all of them, and kills
them when this process has ended, however it did.
"""

from __future__ import annotations

import atexit
import contextlib
import glob
import os
import select
import shutil
import signal
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

# Seconds that unwinding may take after a signal; then the process ends where it stands.
_GRACE = 0.7
# Seconds between two looks at the parent.
_LOOK = 0.3
# Each line replaces the list of groups; at the end of the file they are killed.
# A signal for all processes of a job must not end it before that.
_WATCH = (
    'trap "" HUP INT TERM; while read -r line; do groups=$line; done; '
    'for group in $groups; do kill -s KILL -- "-$group"; done'
)

# Patterns of the names of directories and files that must not outlive this process.
TEMPORARY: set[str] = set()
# Held by threads that write such a file, which this process may not wait for.
WRITING = threading.Lock()


@contextlib.contextmanager
def vanishing(path: Path) -> Iterator[None]:
    """Remove a directory or a file after the block, or where there is no time to unwind."""
    pattern = glob.escape(str(path))
    TEMPORARY.add(pattern)
    try:
        yield
    finally:
        _remove(pattern)
        TEMPORARY.discard(pattern)


class Ended(KeyboardInterrupt):
    """Raised in the main thread when a signal asks for the end, as Ctrl-C does.

    Parameters
    ----------
    number : int
        Of the signal.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.name, self.code = signal.Signals(number).name, 128 + number


class _Watch:
    """The process groups that live, and the shell that watches over them."""

    def __init__(self) -> None:
        # What garbage collection ends may be released while the lock is held.
        self.lock = threading.RLock()
        self.groups: dict[int, None] = {}
        self.process: subprocess.Popen[bytes] | None = None
        self.pipe = -1

    def tell(self) -> None:
        """Tell the shell which groups live."""
        if os.name != "posix":  # pragma: no cover - on Windows
            return
        with self.lock:
            try:
                self._tell()
            except OSError:  # somebody has ended it
                self.close()
                # Where no more processes can be started, a plug-in is of more use than its watch.
                with contextlib.suppress(OSError):
                    self._tell()

    def _tell(self) -> None:
        if self.process is None:
            if self.pipe < 0:
                # Finalizers run in reverse order, so this one after those of the plug-ins, which are begun later.
                weakref.finalize(_Watch, self.close)
            import subprocess  # help must not wait for it

            read, write = os.pipe()
            try:
                self.process = subprocess.Popen(
                    ["/bin/sh", "-c", _WATCH],
                    stdin=read,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    cwd="/",
                    start_new_session=True,
                )
                self.pipe = write
            finally:
                os.close(read)
                if self.process is None:
                    os.close(write)
        os.write(self.pipe, (" ".join(map(str, self.groups)) + "\n").encode())

    def close(self) -> None:
        """End the shell, which kills what still lives."""
        process, self.process = self.process, None
        if process is not None:
            import subprocess

            os.close(self.pipe)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_GRACE)

    def forget(self) -> None:
        """In a process that was forked: leave all to the one that has started them."""
        process, self.process = self.process, None
        if process is not None:
            os.close(self.pipe)
            process.returncode = 0  # another one waits for it
        self.lock = threading.RLock()
        self.groups.clear()


def _begin_anew() -> None:
    """In a process that was forked: hold no lock that a thread of the other one holds, and end nothing of it."""
    global WRITING
    WRITING = threading.Lock()
    TEMPORARY.clear()
    _WATCHED.forget()


_WATCHED = _Watch()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)


def keep(group: int) -> None:
    """Let a process group end with this process at the latest."""
    _WATCHED.groups[group] = None
    _WATCHED.tell()


def release(group: int) -> None:
    """Forget a process group that has ended."""
    if _WATCHED.groups.pop(group, group) is None:
        _WATCHED.tell()


def end_with(parent: int) -> None:
    """End this process soon after the one that has started it.

    Parameters
    ----------
    parent : int
        The id of that one.
    """

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_LOOK)
        os._exit(1)

    if os.name == "posix":
        threading.Thread(target=watch, daemon=True).start()


def _kill_all() -> None:
    """Kill all processes that were started: nobody will read what they would still give."""
    for group in list(_WATCHED.groups):
        with contextlib.suppress(OSError):
            os.killpg(group, signal.SIGKILL)
    if "multiprocessing" in sys.modules:
        from multiprocessing import active_children

        for pid in [child.pid for child in active_children()]:
            if pid is not None:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)


@contextlib.contextmanager
def heeding_signals(tell: Callable[[BaseException], object]) -> Iterator[None]:
    """Raise `Ended` inside the block for SIGTERM and SIGHUP, and end all workers and plug-ins at once, also for Ctrl-C.

    A signal that is ignored, as by ``nohup``, or heeded by somebody else, stays so.

    Parameters
    ----------
    tell : callable
        It tells the user why all ends, where the block does not end by itself in time.
    """
    usual = {"SIGTERM": signal.SIG_DFL, "SIGHUP": signal.SIG_DFL, "SIGINT": signal.default_int_handler}
    numbers = [getattr(signal, name) for name in usual if hasattr(signal, name)]
    main = threading.current_thread() is threading.main_thread()
    before = {one: signal.getsignal(one) for one in numbers if main and os.name == "posix"}
    before = {one: what for one, what in before.items() if what is usual[one.name]}

    def handle(number: int, _: object) -> None:
        if number != signal.SIGINT:
            # The end must not be ended: schedulers send several.
            for one in before:
                signal.signal(one, signal.SIG_IGN)
        # Threads that wait for workers lose them now, which is no error to show.
        threading.excepthook = lambda _: None
        _kill_all()
        raise KeyboardInterrupt if number == signal.SIGINT else Ended(number)

    if not before:
        yield
        return
    read, write = os.pipe()
    os.set_blocking(write, False)
    wakeup, shown = signal.set_wakeup_fd(write, warn_on_full_buffer=False), threading.excepthook
    threading.Thread(target=_limit, args=(read, set(before), tell), daemon=True).start()
    for one in before:
        signal.signal(one, handle)
    try:
        yield
    finally:
        for one, what in before.items():
            signal.signal(one, what)
        signal.set_wakeup_fd(wakeup)
        threading.excepthook = shown
        os.close(write)


def leave(code: int) -> NoReturn:
    """End this process after what was left to its end; it would take longer to take its memory apart too.

    Parameters
    ----------
    code : int
        Its exit code.
    """
    atexit._run_exitfuncs()
    _clear()
    os._exit(code)


def _clear() -> None:
    """Remove what is temporary; from now on nothing more is begun."""
    WRITING.acquire(timeout=_LOOK)
    _remove(*TEMPORARY)


def _remove(*patterns: str) -> None:
    for path in [path for pattern in patterns for path in glob.glob(pattern)]:
        shutil.rmtree(path, ignore_errors=True)
        with contextlib.suppress(OSError):
            os.unlink(path)


def _limit(pipe: int, numbers: set[int], tell: Callable[[BaseException], object]) -> None:
    """End the process some time after a signal, wherever its main thread is; but not once the pipe is closed."""
    told = b"\0"
    while told and told[0] not in numbers:
        told = os.read(pipe, 1)
    end = time.monotonic() + _GRACE
    more = told
    while more and (left := end - time.monotonic()) > 0:
        if select.select([pipe], [], [], left)[0]:
            more = os.read(pipe, 1)
    if not more:
        os.close(pipe)
        return
    _kill_all()
    _clear()
    # Whoever should read what is told may have stopped reading.
    error = KeyboardInterrupt() if told[0] == signal.SIGINT else Ended(told[0])
    teller = threading.Thread(target=tell, args=(error,), daemon=True)
    teller.start()
    teller.join(_LOOK)
    os._exit(getattr(error, "code", 1))
