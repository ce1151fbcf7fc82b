"""End cleanly when a signal arrives: child processes are killed, and temporary files removed.

A signal raises an exception in the main thread, and ``with`` blocks clean up as for any error. A second signal waits
for no block: it removes the temporary files and ends the process.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import subprocess

# Linux: the signal that a process gets when the thread that started it has ended (linux/prctl.h).
_PR_SET_PDEATHSIG = 1
_PARENT_POLL_S = 0.5

_temporary_paths: set[str] = set()
_children: set[subprocess.Popen[Any]] = set()


class Ended(KeyboardInterrupt):
    """Raised in the main thread by SIGTERM and SIGHUP.

    Parameters
    ----------
    number : int
        The number of the signal.

    Attributes
    ----------
    name : str
        Its name.
    code : int
        The exit code of a command that it ends.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.name = signal.Signals(number).name
        self.code = 128 + number


@contextlib.contextmanager
def removed_at_exit(path: Path) -> Iterator[None]:
    """Remove a file or directory after the block, or earlier where a second signal ends the process."""
    name = os.path.abspath(path)
    _temporary_paths.add(name)
    try:
        yield
    finally:
        _remove(name)
        _temporary_paths.discard(name)


def _remove(path: str) -> None:
    shutil.rmtree(path, ignore_errors=True)
    with contextlib.suppress(OSError):
        os.unlink(path)


@contextlib.contextmanager
def handled_signals(report: Callable[[BaseException], object]) -> Iterator[None]:
    """Inside the block, kill children on SIGTERM, SIGHUP and Ctrl-C, and raise `Ended` or `KeyboardInterrupt`.

    Outside the main thread nothing changes, nor does a signal that is ignored, as by ``nohup``, or handled by others.

    Parameters
    ----------
    report : callable
        Takes the first exception, and prints it where a second signal ends the process at once.
    """
    defaults = {"SIGINT": signal.default_int_handler, "SIGTERM": signal.SIG_DFL, "SIGHUP": signal.SIG_DFL}
    owner = os.getpid()
    raised = list[BaseException]()
    is_main = threading.current_thread() is threading.main_thread()
    numbers = [getattr(signal, name) for name in defaults if is_main and hasattr(signal, name)]
    before = {
        number: signal.getsignal(number) for number in numbers if signal.getsignal(number) is defaults[number.name]
    }

    def handle(number: int, _frame: FrameType | None) -> None:
        if os.getpid() != owner:  # a fork, which has started none of the children
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)
            return
        kill_children()
        raised.append(KeyboardInterrupt() if number == signal.SIGINT else Ended(number))
        if len(raised) > 1:
            try:
                for path in [*_temporary_paths]:
                    _remove(path)
                report(raised[0])
            finally:
                os._exit(getattr(raised[0], "code", 128 + signal.SIGINT))
        raise raised[0]

    for number in before:
        signal.signal(number, handle)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def kill_children() -> None:
    """Kill the programs of `child_process`, and all processes of multiprocessing and loky."""
    for process in [*_children]:
        _kill(process)
    if "multiprocessing" in sys.modules:
        from multiprocessing import active_children

        for child in active_children():
            with contextlib.suppress(OSError):
                os.kill(child.pid or 0, signal.SIGKILL) if os.name == "posix" else child.terminate()


def _kill(process: subprocess.Popen[Any]) -> None:
    """Kill a program with its process group."""
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL) if os.name == "posix" else process.kill()


@contextlib.contextmanager
def child_process(command: Sequence[str], **options: Any) -> Iterator[subprocess.Popen[Any]]:
    """Run a program in a process group of its own; after the block the group is killed, and the pipes are closed.

    Signals kill the group too. On Linux the program also ends with this process, however that ends; but the system
    looks at the thread that starts a program, so this is so for the main thread only.

    Parameters
    ----------
    command : sequence of str
        The program and its arguments.
    **options
        Those of `subprocess.Popen`.
    """
    import subprocess  # `--help` needs neither
    from ctypes import CDLL

    if sys.platform == "linux" and threading.current_thread() is threading.main_thread():
        prctl = CDLL(None).prctl
        parent = os.getpid()

        def die_with_this_process() -> None:
            prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != parent:  # it has ended before
                os._exit(1)

        options["preexec_fn"] = die_with_this_process
    process = subprocess.Popen(command, start_new_session=os.name == "posix", **options)
    _children.add(process)
    try:
        yield process
    finally:
        _kill(process)
        process.wait()
        _children.discard(process)
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                with contextlib.suppress(OSError):  # what was not written yet, nobody reads
                    pipe.close()


@contextlib.contextmanager
def terminal_signals_blocked() -> Iterator[None]:
    """Start worker processes inside the block: Ctrl-C and the loss of the terminal reach this process alone.

    Otherwise a worker prints a traceback, and the resource trackers of loky, which clean up after the others, end
    first. Starting these lets Ctrl-C through again, so they must be started before the workers.
    """
    if os.name != "posix":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT, signal.SIGHUP])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def die_with_parent(parent: int | None = None) -> None:
    """End this worker process soon after the one that has started it, however that ends.

    Linux could send a signal, but does so when the thread ends that started the worker, which other threads may need.

    Parameters
    ----------
    parent : int, optional
        The id of that process.
    """
    known = os.getppid() if parent is None else parent

    def poll() -> None:
        while os.getppid() == known:
            time.sleep(_PARENT_POLL_S)
        os._exit(1)

    if os.name == "posix":  # on Windows the id stays the same
        threading.Thread(target=poll, daemon=True).start()


def _forget_all() -> None:
    """In a fork: leave children and files to the process that has made them."""
    _temporary_paths.clear()
    _children.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)
