"""The processes that joblib starts or reaches, and how they end."""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from metaeval.corpora.directories import temporary_directory
from metaeval.endings import end_with
from metaeval.errors import UsageError, unknown

# Bytes that must be free in memory for what processes share.
_ROOM = 2e9
# Seconds in which a scheduler and its first worker must be there.
_PATIENCE = 30


BACKENDS = ("processes", "dask")


@contextmanager
def reached(backend: str, scheduler: str | None) -> Iterator[None]:
    """Let calls go to where a user wants them made.

    Parameters
    ----------
    backend : {"processes", "dask"}
    scheduler : str, optional
        The address of that of dask.

    Raises
    ------
    UsageError
        If dask is not installed, no address is given, or nobody answers there.
    """
    if backend not in BACKENDS:
        raise UsageError(unknown("backend", backend, BACKENDS))
    if (backend == "dask") != (scheduler is not None):
        raise UsageError(
            "--backend dask and --scheduler ADDRESS belong together: `dask scheduler` prints the address, such as "
            "tcp://127.0.0.1:8786."
        )
    if scheduler is None:
        yield
        return
    from joblib import parallel_config

    try:
        from distributed import Client
    except ImportError as error:
        raise UsageError(f"--backend dask needs dask; install it: pip install 'metaeval[dask]' ({error}).") from error
    try:
        client: Any = Client(scheduler, set_as_default=False, timeout=_PATIENCE)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise UsageError(
            f"--scheduler {scheduler}: no scheduler of dask answers there ({error}); start one with `dask scheduler`, "
            "which prints its address, and its workers with `dask worker ADDRESS`."
        ) from error
    with client, parallel_config(backend="dask", client=client, wait_for_workers_timeout=_PATIENCE):
        yield


def chosen(jobs: int) -> tuple[Any, int]:
    """Return the backend that ``joblib.parallel_config`` names around this call, and how many calls it makes at once.

    Parameters
    ----------
    jobs : int
        How many are wanted at least, of joblib's own processes, for which the backend is None.

    Raises
    ------
    UsageError
        If no worker is there in time.
    """
    from joblib.parallel import LokyBackend, get_active_backend

    found, wanted = get_active_backend()
    try:
        most: int = found.effective_n_jobs(found.default_n_jobs if wanted is None else wanted)
    except TimeoutError as error:
        raise UsageError(
            f"the scheduler of dask has no worker after {_PATIENCE} seconds; start some with `dask worker ADDRESS`."
        ) from error
    return (None, max(jobs, most)) if type(found) is LokyBackend else (found, most)


def settings(backend: Any) -> dict[str, Any]:
    """Return the arguments of ``joblib.Parallel`` for a backend, or else for our processes."""
    if backend is None:
        return {"return_as": "generator", "backend": _processes(), "temp_folder": _folder()}
    return {"return_as": "generator" if backend.supports_return_generator else "list"}


def has_died(error: Exception) -> bool:
    """Return whether an error says that a process was lost, and not what a call raised."""
    from concurrent.futures import BrokenExecutor

    return isinstance(error, BrokenExecutor) or type(error).__name__ == "KilledWorker"  # the latter is dask's


@contextmanager
def safe_path() -> Iterator[None]:
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
