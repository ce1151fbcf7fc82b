"""The processes that joblib starts or reaches, and how they end."""

from __future__ import annotations

import atexit
import functools
import gc
import math
import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Future
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from metaeval.corpora.directories import temporary_directory
from metaeval.errors import UsageError
from metaeval.runtime.shutdown import die_with_parent

# Bytes that must be free in memory for what processes share.
_ROOM = 2e9
# Seconds after which a process that nobody has asked anything ends.
_IDLE = 300
# Seconds in which a scheduler and its first worker must be there.
_PATIENCE = 30


@contextmanager
def reached(scheduler: str | None) -> Iterator[None]:
    """Let calls go to the workers of dask, if the address of their scheduler is given.

    Raises
    ------
    UsageError
        If dask is not installed, or nobody answers there.
    WorkerError
        If a worker has no metaeval.
    MetaevalError
        If the scheduler ends.
    """
    if scheduler is None:
        yield
        return
    try:
        from distributed import Client
        from distributed.comm.addressing import resolve_address
    except ImportError as error:
        raise UsageError(f"`scheduler` needs dask; install it: pip install 'metaeval[dask]' ({error}).") from error
    from metaeval.experiment.by_dask import used

    try:
        resolve_address(scheduler)  # a client that fails for it ends a minute later
        client: Any = Client(scheduler, set_as_default=False, timeout=_PATIENCE)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise UsageError(
            f"`scheduler` {scheduler!r}: no scheduler of dask answers there ({error}); start one with "
            "`dask scheduler`, which prints its address, and its workers with `dask worker ADDRESS`."
        ) from error
    with used(client, scheduler, _PATIENCE):
        yield


def chosen(jobs: int) -> tuple[Any, int]:
    """Return the backend that ``joblib.parallel_config`` names around this call, and how many calls it makes at once.

    Parameters
    ----------
    jobs : int
        How many are wanted at least, of our own processes, for which the backend is None.

    Raises
    ------
    UsageError
        If no worker is there in time.
    """
    # Whoever has chosen another backend has loaded joblib; nobody else need wait for it.
    if "joblib.parallel" in sys.modules:
        from joblib.parallel import LokyBackend, get_active_backend

        found, wanted = get_active_backend()
        try:
            most: int = found.effective_n_jobs(found.default_n_jobs if wanted is None else wanted)
        except TimeoutError as error:
            raise UsageError(
                f"the scheduler of dask has no worker after {_PATIENCE} seconds; start some with `dask worker ADDRESS`."
            ) from error
        if type(found) is not LokyBackend:
            return found, most
        jobs = max(jobs, most)
    # A process that must not have children makes its calls itself.
    return None, 1 if multiprocessing.current_process().daemon else jobs


def settings(backend: Any) -> dict[str, Any]:
    """Return the arguments of ``joblib.Parallel`` for a backend that somebody has named."""
    return {"return_as": "generator" if backend.supports_return_generator else "list"}


def within_processors(jobs: int) -> int:
    """Return so many jobs, or two or more, as many as processors that this process may use: a queue gives it some."""
    if jobs <= 2:
        return jobs
    from joblib import cpu_count

    return min(jobs, max(2, int(cpu_count())))


def has_died(error: BaseException | None) -> bool:
    """Return whether an error says that a process was lost, and not what a call raised."""
    # The last ones are dask's, and loky's where others of its processes have died.
    return isinstance(error, BrokenExecutor) or type(error).__name__ in ("KilledWorker", "ShutdownExecutorError")


@contextmanager
def safe_path() -> Iterator[None]:
    """Let processes that are started not look for modules in the current directory, where anything may lie."""
    with _environment(PYTHONSAFEPATH="1"):
        yield


@contextmanager
def _environment(**values: str) -> Iterator[None]:
    """Set variables that processes inherit."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


class Processes:
    """The processes of this machine that make calls; they stay for the next calls, until this process ends."""

    def __init__(self) -> None:
        self._executor: Any = None
        self._number = 0
        self._first: Future[Any] = Future()
        self._lock = threading.Lock()

    def are_started(self, number: int) -> bool:
        """Return whether so many were started."""
        return self._executor is not None and self._number >= number

    def are_there(self, number: int) -> bool:
        """Return whether so many were started, and one has answered."""
        return self.are_started(number) and self._first.done()

    def start(self, number: int, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Start so many, unless there are; return the first call, which is made once one can."""
        with self._lock:
            if self._executor is None or self._number < number:
                self._end()
                self._executor, self._number = _started(number), number
                atexit.register(self._forget)
                self._first = self._executor.submit(function, *arguments)
            return self._first

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Let one of them make a call."""
        executor = self._executor
        if executor is None:
            raise BrokenExecutor("the processes were ended")
        future: Future[Any] = executor.submit(function, *arguments)
        return future

    def end(self) -> None:
        """End them; those that are started next are others."""
        with self._lock:
            self._end()

    def _forget(self) -> None:
        """Let them end with this process: what takes its modules apart finds no executor."""
        executor, self._executor = self._executor, None
        if executor is not None:
            executor.shutdown(wait=False)

    def _end(self) -> None:
        executor, self._executor = self._executor, None
        if executor is not None:
            executor.shutdown(kill_workers=True)


PROCESSES = Processes()


def _settle_down(parent: int, thresholds: tuple[int, int, int]) -> None:
    """Prepare a process that was started by this parent, which looks for garbage so often."""
    from joblib.externals.loky import process_executor

    die_with_parent(parent)
    gc.set_threshold(*thresholds)
    # Every second loky looks for garbage, and ends a process that holds 300 MB more than after its first call; data of
    # that size are nothing unusual here, and the next process would have to import all and open them again.
    process_executor._MEMORY_LEAK_CHECK_DELAY = math.inf


def _started(number: int) -> Any:
    """Return what starts so many processes, which end when this one has ended, however it did."""
    from multiprocessing import resource_tracker

    from joblib import cpu_count
    from joblib.externals.loky.backend import resource_tracker as trackers
    from joblib.externals.loky.process_executor import ProcessPoolExecutor
    from joblib.parallel import LokyBackend

    # They clear up after all others, so a terminal that goes away must not end them first; other signals do not.
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGHUP]) if os.name == "posix" else []
    # What they still find then, where this process was ended in the middle of it, is no news to its user.
    with safe_path(), _environment(PYTHONWARNINGS="ignore:resource_tracker"):
        for one in (resource_tracker, trackers):
            one.ensure_running()
    if os.name == "posix":
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    threads = str(max(1, cpu_count() // (number + 1)))
    environment = {name: os.environ.get(name, threads) for name in LokyBackend.MAX_NUM_THREADS_VARS}
    return ProcessPoolExecutor(
        number,
        timeout=_IDLE,
        initializer=_settle_down,
        initargs=(os.getpid(), gc.get_threshold()),
        # They do not look for modules in the current directory, where anything may lie.
        env={**environment, "PYTHONSAFEPATH": "1"},
    )


@functools.cache
def folder() -> str:
    """Return the directory, in memory if there is room, for the arrays that processes share; it vanishes in the end."""
    memory = Path("/dev/shm")
    roomy = memory.is_dir() and os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > _ROOM
    stack = ExitStack()
    parent = Path(os.environ.get("JOBLIB_TEMP_FOLDER") or (memory if roomy else tempfile.gettempdir()))
    parent.mkdir(parents=True, exist_ok=True)
    found = stack.enter_context(temporary_directory(parent, "metaeval-jobs-"))
    atexit.register(stack.close)
    return str(found)
