"""Make calls side by side: joblib does it in worker processes and threads, dask on other machines."""

from __future__ import annotations

import io
import logging
import multiprocessing
import os
import pickle
import platform
import signal
import sys
import threading
import time
import traceback
import uuid
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from metaeval import kernels
from metaeval.errors import MetaevalError, UsageError, as_typed
from metaeval.runtime.byte_sizes import DEFAULT_MEMORY, memory_size
from metaeval.runtime.platform_fingerprint import fingerprint
from metaeval.runtime.shutdown import die_with_parent, terminal_signals_blocked
from metaeval.version import VERSION

# Processes for what Python itself computes; threads for kernels, which run side by side there; "programs" are threads
# that wait for other programs, so that there may be more of them than processors.
Kind: TypeAlias = Literal["processes", "threads", "programs"]
# Arrays of more bytes are mapped into the memory of workers; smaller ones are sent with every call.
_LARGEST_SENT_BYTES = 1 << 16
# Arrays begin at multiples of so many bytes.
_ALIGNMENT_BYTES = 64
# Seconds in which joblib surely hands a call to a worker.
_HANDOVER_SECONDS = 0.1
# Seconds in which a scheduler of dask must answer, and its first worker be there.
_DASK_TIMEOUT_SECONDS = 30


# What must be the same in all processes of a run: see `facts`.
Facts: TypeAlias = tuple[str, bool, str]


class WorkerError(MetaevalError):
    """Raised when a worker ended, or would compute other numbers than this process."""


@dataclass(frozen=True)
class Call:
    """A function and its arguments, to be called here or in a worker.

    Attributes
    ----------
    function : callable
    arguments : tuple
        What several calls have in common is sent once.
    label : str
        What is computed, for messages.
    """

    function: Callable[..., Any]
    arguments: tuple[Any, ...] = ()
    label: str = ""

    def make(self) -> Any:
        """Make the call."""
        return self.function(*self.arguments)


@dataclass(frozen=True)
class Executor:
    """Make the calls of an experiment, one after the other or side by side; results are the same bits.

    Attributes
    ----------
    jobs : int
        How many calls are made at once on this machine; `configured_jobs` knows what the user's joblib says.
    memory : int
        About how many bytes all of them together may take beside a corpus, its statistics and results: what is larger
        is computed in parts. The results are the same bits for any number.
    cluster : distributed.Client or None
        Whose workers make the calls of processes.
    """

    jobs: int = 1
    memory: int = memory_size("memory", DEFAULT_MEMORY)
    cluster: Any = None

    @property
    def n_workers(self) -> int:
        """The number of calls that run at once in processes, here or on the cluster."""
        return self.jobs if self.cluster is None else int(sum(self.cluster.nthreads().values()))

    @property
    def of_each(self) -> int:
        """The bytes that each call may take."""
        return self.memory // self.jobs

    def run(self, calls: Sequence[Call], kind: Kind) -> Generator[Any, None, None]:
        """Make calls, and give what they return in their order.

        Parameters
        ----------
        calls : sequence of Call
        kind : {"processes", "threads", "programs"}

        Raises
        ------
        Exception
            What the first call raised, in the order of the calls, that raised something.
        WorkerError
            If a worker ended, or would compute other numbers.
        """
        if kind == "processes" and self.cluster is not None:
            return _on_cluster(self.cluster, calls)
        in_worker = kind == "processes" and multiprocessing.current_process().daemon  # which must not have children
        if self.jobs == 1 or len(calls) < 2 or in_worker:
            return (call.make() for call in calls)
        if kind == "processes":
            return _in_processes(calls, self.jobs)
        return _in_threads(calls, self.jobs if kind == "programs" else _within_processors(self.jobs))


SERIAL = Executor()


def configured_jobs(jobs: int) -> int:
    """Return the number of calls made at once: `jobs` if more than one, else as ``joblib.parallel_config`` says."""
    # Whoever has configured joblib has imported it; nobody else has to wait for its import.
    if jobs > 1 or "joblib" not in sys.modules:
        return jobs
    from joblib import effective_n_jobs

    return int(effective_n_jobs(None))


def _within_processors(jobs: int) -> int:
    """Return no more jobs than processors that this process may use, but two where two are wanted."""
    from joblib import cpu_count

    return min(jobs, max(2, int(cpu_count())))


def _in_threads(calls: Sequence[Call], jobs: int) -> Generator[Any, None, None]:
    from joblib import Parallel, delayed

    parallel = Parallel(n_jobs=jobs, backend="threading", return_as="generator", batch_size=1)
    return _results(calls, lambda: parallel(delayed(_attempt)(call) for call in calls))


def _in_processes(calls: Sequence[Call], jobs: int) -> Generator[Any, None, None]:
    """Make calls by the backend that joblib is configured for, by default processes of its own."""
    from joblib import Parallel, delayed
    from joblib.parallel import LokyBackend, get_active_backend

    backend, _ = get_active_backend()
    if isinstance(backend, LokyBackend):  # others may have the processors of other machines
        jobs = _within_processors(jobs)
    return_as = "generator" if backend.supports_return_generator else "list"
    parallel = Parallel(
        n_jobs=jobs,
        return_as=return_as,
        batch_size=1,
        max_nbytes=_LARGEST_SENT_BYTES,
        mmap_mode="r",
        initializer=_begin_worker,
        initargs=(os.getpid(),),
    )

    if getattr(backend, "supports_sharedmem", False):  # threads: nothing is sent
        return _results(calls, lambda: parallel(delayed(_attempt)(call) for call in calls))

    def results() -> Iterator[Any]:
        packed = _pack(calls)
        expected = facts()
        is_over = threading.Event()
        numbers = takewhile(lambda _: not is_over.is_set(), range(len(calls)))
        with _starting_workers():
            made = parallel(delayed(_make_in_worker)(expected, *packed, number) for number in numbers)
        try:
            for result in made:  # noqa: UP028 - `yield from` would close it before joblib gets no more calls
                yield result
        except GeneratorExit:
            # A thread of joblib that still hands a call to a worker when all are killed would print a traceback.
            is_over.set()
            time.sleep(_HANDOVER_SECONDS)
            if isinstance(made, Generator):
                made.close()
            raise

    return _results(calls, results)


def _results(
    calls: Sequence[Call], start: Callable[[], Iterable[Any]], killed: type[Exception] = BrokenExecutor
) -> Generator[Any, None, None]:
    """Yield results in the order of the calls, or raise what the first of them raised.

    Parameters
    ----------
    calls : sequence of Call
    start : callable
        Begins to make them, and returns their results or `_Raised`, in order.
    killed : type
        What says that a worker was killed.
    """
    made: Iterable[Any] = ()
    done = 0
    try:
        made = start()
        for result in made:
            if isinstance(result, _Raised):
                raise result.error
            yield result
            done += 1
    except killed as error:
        raise _worker_ended(calls[done]) from error
    except UnicodeEncodeError as error:
        raise MetaevalError(
            f"joblib cannot share data in a directory whose path has letters such as {error.object[error.start]!r}; "
            "set the environment variable JOBLIB_TEMP_FOLDER to one of plain letters, or take "
            f"{as_typed(terminal='--jobs 1', python='`jobs=1`')}, which needs none."
        ) from error
    except pickle.PicklingError as error:
        # joblib hands on the traceback of its thread, whose last line is the reason.
        reason = str(error.__cause__ or error).strip('\n"').splitlines()[-1]
        raise MetaevalError(
            f"{calls[done].label or 'a call'}: the data that worker processes share cannot be written to a temporary "
            f"file ({reason}); set the environment variable JOBLIB_TEMP_FOLDER to a directory with more room, or take "
            f"{as_typed(terminal='--jobs 1', python='`jobs=1`')}, which needs none."
        ) from error
    finally:
        if isinstance(made, Generator):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # joblib warns that some results were not used
                made.close()


def _worker_ended(call: Call) -> WorkerError:
    return WorkerError(
        f"{call.label or 'a call'}: a worker process ended before it or one of the next calls had a result, probably "
        f"because memory ran out; fewer processes ({as_typed(terminal='--jobs', python='`jobs`')}) need less."
    )


class _Raised:
    """An error as a result: joblib would raise the first in time, which is not the first in order.

    Parameters
    ----------
    error : Exception
    """

    def __init__(self, error: Exception) -> None:
        self.error = error


def _attempt(call: Call) -> Any:
    """Make a call in a thread of this process."""
    try:
        return call.make()
    except Exception as error:
        return _Raised(error)


def _make_in_worker(
    expected: Facts,
    name: str,
    sizes: npt.NDArray[np.int64],
    data: npt.NDArray[np.uint8],
    number: int,
) -> Any:
    """Make one of the calls that were packed, unless this process would compute other numbers."""
    try:
        check_worker(expected)
        return _unpack(name, sizes, data)[number].make()
    except Exception as error:
        if not isinstance(error, MetaevalError):
            error.add_note("".join(traceback.format_exception(error)))
        return _Raised(_picklable(error))


def _begin_worker(parent: int) -> None:
    """Let this process end with the one that has started it, which alone handles Ctrl-C."""
    die_with_parent(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _picklable(error: Exception) -> Exception:
    """Return an error that another process can read."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        substitute = RuntimeError(f"{type(error).__name__}: {error}")
        for note in error.__notes__:
            substitute.add_note(note)
        return substitute
    return error


def facts() -> Facts:
    """Return what decides the numbers of this process: version, compiled kernels or not, and fingerprint."""
    return VERSION, kernels.COMPILED is not None, fingerprint()


def check_worker(expected: Facts) -> None:
    """Refuse to work for a process that computes other numbers than this one.

    Raises
    ------
    WorkerError
        If what it computes differs.
    """
    version, compiled, rounding = facts()
    where = f"the worker on {platform.node()}"
    if version != expected[0]:
        raise WorkerError(
            f"{where} has metaeval {version}, and this process {expected[0]}; install the same version there."
        )
    if compiled != expected[1]:
        with_, without = (where, "this process") if compiled else ("this process", where)
        raise WorkerError(
            f"{with_} uses the compiled kernels, and {without} does not; install metaeval again where a C compiler is "
            f"found, and set {kernels.VARIABLE} alike on both."
        )
    if rounding != expected[2]:
        raise WorkerError(
            f"{where} rounds otherwise (fingerprint {rounding}, here {expected[2]}), because its processor, or a "
            "library, is another; take workers of one kind of processor, with the same versions of numpy and scipy."
        )


def _pack(calls: Sequence[Call]) -> tuple[str, npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
    """Return calls as one array with a name, and the sizes of its parts: a pickle, and the arrays of its arguments.

    joblib maps that array into the memory of workers, which so share all arrays, and dask sends it to each worker once.
    """
    try:
        import cloudpickle
    except ImportError:  # joblib has had its own before 1.6
        from joblib.externals import cloudpickle

    buffers: list[pickle.PickleBuffer] = []
    stream = io.BytesIO()
    try:
        cloudpickle.CloudPickler(stream, protocol=5, buffer_callback=buffers.append).dump([*calls])
    except Exception as error:
        raise MetaevalError(
            f"{calls[0].label or 'a call'}: it cannot be sent to worker processes ({type(error).__name__}: {error}); "
            f"{as_typed(terminal='--jobs 1', python='`jobs=1`')} needs none."
        ) from error
    parts = [stream.getbuffer(), *(buffer.raw() for buffer in buffers)]
    sizes = np.array([part.nbytes for part in parts])
    starts = _starts(sizes)
    data = np.zeros(starts[-1], np.uint8)
    for start, part in zip(starts, parts, strict=False):
        data[start : start + part.nbytes] = part
    return uuid.uuid4().hex, sizes, data


def _starts(sizes: npt.NDArray[np.int64]) -> list[int]:
    """Return the starts of parts of such sizes, and the end of the last one."""
    return [0, *np.cumsum(-(-sizes // _ALIGNMENT_BYTES) * _ALIGNMENT_BYTES).tolist()]


# The calls that this worker unpacked last, by their name.
_UNPACKED: dict[str, Sequence[Call]] = {}


def _unpack(name: str, sizes: npt.NDArray[np.int64], data: npt.NDArray[np.uint8]) -> Sequence[Call]:
    """Return the calls of an array; their own arrays are views of it, which cannot be written."""
    calls = _UNPACKED.get(name)
    if calls is None:
        if isinstance(data, np.memmap):
            # joblib waits a second in the end for workers that hold what it has opened.
            data = np.memmap(str(data.filename), data.dtype, "r", data.offset, data.shape)
        elif data.ctypes.data % 16:  # it came by a network
            data = data.copy()
        data.flags.writeable = False
        first, *others = (
            data[start : start + size].data for start, size in zip(_starts(sizes), sizes.tolist(), strict=False)
        )
        calls = pickle.loads(first, buffers=others)
        _UNPACKED.clear()
        _UNPACKED[name] = calls
    return calls


@contextmanager
def _starting_workers() -> Iterator[None]:
    """Start processes inside the block: they do not look for modules in the current directory.

    joblib's tracker of temporary files, which is among them, does not warn of those that it removes after a kill.
    """
    filters = [os.environ.get("PYTHONWARNINGS"), "ignore:resource_tracker"]
    inherited = {"PYTHONSAFEPATH": "1", "PYTHONWARNINGS": ",".join(filter(None, filters))}
    before = {name: os.environ.get(name) for name in inherited}
    os.environ.update(inherited)
    try:
        with terminal_signals_blocked():
            _start_trackers()
        with terminal_signals_blocked():  # once more: starting a tracker lets Ctrl-C through
            yield
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})


def _start_trackers() -> None:
    """Start the processes that remove what multiprocessing and loky leave behind, if they are not there."""
    from multiprocessing import resource_tracker

    from joblib.externals.loky.backend import resource_tracker as loky_tracker

    for tracker in (resource_tracker, loky_tracker):
        tracker.ensure_running()


@contextmanager
def dask_cluster(address: str | None) -> Iterator[Any]:
    """Connect to the scheduler of a dask cluster, and give the client, or None without an address.

    Raises
    ------
    UsageError
        If dask is not installed, or no scheduler or no worker is there.
    WorkerError
        If a worker has no metaeval.
    MetaevalError
        If the scheduler ends.
    """
    if address is None:
        yield None
        return
    try:
        from distributed import Client
        from distributed.comm.addressing import resolve_address
        from distributed.comm.core import CommClosedError
    except ImportError as error:
        raise UsageError(f"`scheduler` needs dask; install it: pip install 'metaeval[dask]' ({error}).") from error
    try:
        resolve_address(address)  # with an address of no known kind a client tries for a minute
        client: Any = Client(address, set_as_default=False, timeout=_DASK_TIMEOUT_SECONDS)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise UsageError(
            f"`scheduler` {address!r}: no scheduler of dask answers there ({error}); start one with "
            "`dask scheduler`, which prints its address, and its workers with `dask worker ADDRESS`."
        ) from error
    with _quiet_dask(), client:
        try:
            _check_cluster(client)
            yield client
        except MetaevalError:
            raise
        except Exception as error:
            # Calls may hear of it before the client does.
            if client.status == "running" and not isinstance(error, (CancelledError, CommClosedError)):
                raise
            client.close()
            raise MetaevalError(
                f"the scheduler at {address}, or the last of its workers, is gone; start it again and give the same "
                "command."
            ) from error


def _check_cluster(client: Any) -> None:
    """Wait for the first worker, and refuse workers where metaeval is not installed."""
    try:
        client.wait_for_workers(1, timeout=_DASK_TIMEOUT_SECONDS)
    except TimeoutError as error:
        raise UsageError(
            f"the scheduler of dask has no worker after {_DASK_TIMEOUT_SECONDS} seconds; start some with "
            "`dask worker ADDRESS`."
        ) from error
    for address, function in client.run(pickle.loads, pickle.dumps(_make_in_worker), on_error="return").items():
        if isinstance(function, (ImportError, AttributeError)):
            raise WorkerError(
                f"the worker at {address} has no metaeval ({function}); install metaeval {VERSION} there."
            )


def _on_cluster(client: Any, calls: Sequence[Call]) -> Generator[Any, None, None]:
    """Make calls by the workers of dask, whose futures say that a worker was killed; joblib would wait for ever."""
    from distributed import KilledWorker

    def results() -> Iterator[Any]:
        name, *arrays = _pack(calls)
        # Each worker has them, so that they are not lost with one.
        sizes, data = client.scatter(arrays, broadcast=True, hash=False)
        futures = [
            client.submit(_make_in_worker, facts(), name, sizes, data, number, pure=False)
            for number in range(len(calls))
        ]
        try:
            while futures:
                yield futures[0].result()
                del futures[0]
        finally:
            if futures and client.status == "running":
                client.cancel(futures)

    return _results(calls, results, KilledWorker)


@contextmanager
def _quiet_dask() -> Iterator[None]:
    """Keep dask from printing tracebacks of what is said in a sentence here, as of a scheduler that is gone."""
    logs = [logging.getLogger(name) for name in ("distributed", "distributed.client")]
    levels = [log.level for log in logs]
    for log in logs:
        log.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for log, level in zip(logs, levels, strict=True):
            log.setLevel(level)
