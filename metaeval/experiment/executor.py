"""The one place where calls are made side by side, in threads or in processes."""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from metaeval.corpora.directories import temporary_directory
from metaeval.endings import end_with
from metaeval.errors import MetaevalError
from metaeval.sizes import DEFAULT_MEMORY, memory_size

# A function and its arguments.
Work = tuple[Callable[..., Any], tuple[Any, ...]]


@dataclass(frozen=True)
class Executor:
    """What makes the calls of an experiment: one after the other, or side by side by joblib.

    Results are the same bits for any number of jobs.

    Attributes
    ----------
    jobs : int
        How many calls are made at once.
    memory : int
        About how many bytes all of them together may take beside a corpus, its statistics and results: what is larger
        is computed in parts. The results are the same bits for any number.
    """

    jobs: int = 1
    memory: int = memory_size("memory", DEFAULT_MEMORY)

    @property
    def of_each(self) -> int:
        """The bytes that each call may take."""
        return self.memory // self.jobs

    def run(self, calls: Sequence[Work], kind: Literal["processes", "threads"]) -> Iterator[Any]:
        """Make calls and give what they return, in their order, each as soon as all before it are there.

        Parameters
        ----------
        calls : sequence of (function, arguments)
            More at once than there are calls or processors would wait for one another, so they are not started.
        kind : {"processes", "threads"}
            Kernels run side by side in threads; what Python itself runs one at a time needs processes.

        Raises
        ------
        MetaevalError
            If a process was ended from outside.
        """
        jobs = min(self.jobs, len(calls), max(2, os.cpu_count() or 1))
        if jobs < 2:
            for function, arguments in calls:
                yield function(*arguments)
            return
        from joblib import Parallel, delayed
        from joblib.externals.loky.process_executor import BrokenProcessPool

        safe: AbstractContextManager[None] = _safe_path() if kind == "processes" else nullcontext()
        backend = {"backend": _processes(), "temp_folder": _folder()} if kind == "processes" else {"prefer": kind}
        try:
            with safe:
                yield from Parallel(n_jobs=jobs, return_as="generator", **backend)(
                    delayed(function)(*arguments) for function, arguments in calls
                )
        except BrokenProcessPool as error:
            raise MetaevalError(
                "a worker process was ended from outside, or could not start, probably because memory ran out; a "
                f"smaller number of jobs (here {jobs}) needs less."
            ) from error


SERIAL = Executor()
# Bytes that must be free in memory for what processes share.
_ROOM = 2e9


@contextmanager
def _safe_path() -> Iterator[None]:
    """Let processes that are started not look for modules in the current directory, where anything may lie."""
    name = "PYTHONSAFEPATH"
    before = os.environ.get(name)
    os.environ[name] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def _processes() -> Any:
    """Return what starts processes that end when this one has ended, however it did."""
    from multiprocessing import resource_tracker

    from joblib.externals.loky.backend import resource_tracker as trackers
    from joblib.parallel import LokyBackend

    # They clear up after all others, so a terminal that goes away must not end them first; other signals do not.
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGHUP]) if os.name == "posix" else []
    for one in (resource_tracker, trackers):
        one.ensure_running()
    if os.name == "posix":
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)

    class Processes(LokyBackend):  # type: ignore[misc]
        def configure(self, *arguments: Any, **settings: Any) -> Any:
            started = {"initializer": end_with, "initargs": (os.getpid(),)}
            return super().configure(*arguments, **{**settings, **started})

    return Processes()


@functools.cache
def _folder() -> str:
    """Return the directory, in memory if there is room, for the arrays that processes share; it vanishes in the end."""
    memory = Path("/dev/shm")
    roomy = memory.is_dir() and os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > _ROOM
    stack = ExitStack()
    parent = Path(os.environ.get("JOBLIB_TEMP_FOLDER") or (memory if roomy else tempfile.gettempdir()))
    parent.mkdir(parents=True, exist_ok=True)
    found = stack.enter_context(temporary_directory(parent, "metaeval-jobs-"))
    atexit.register(stack.close)
    return str(found)
