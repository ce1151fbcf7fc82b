"""The one place where calls are made side by side, in threads or in processes."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from metaeval.errors import MetaevalError
from metaeval.experiment import backends
from metaeval.experiment.workers import Facts, Raised, Shared, facts, make
from metaeval.sizes import DEFAULT_MEMORY, memory_size

Kind: TypeAlias = Literal["processes", "threads", "programs"]
# About the seconds that it takes to start other processes: this one works for as long before, and twice as much must be
# left.
_DELAY = 1.0
# How often a call may be begun in a process that ends before it has an answer.
_TRIES = 3


class LostError(MetaevalError):
    """The processes that made a call ended before it had an answer."""


@dataclass(frozen=True)
class Call:
    """A call that may be made in another process.

    Attributes
    ----------
    function : callable
    arguments : tuple
    shared : Shared, optional
        Whose value is the first argument, before the others.
    what : str
        What is computed, for messages.
    stands_alone : bool
        Whether the others go on without it: where its process ends again and again, the error is what it returns.
    """

    function: Callable[..., Any]
    arguments: tuple[Any, ...] = ()
    shared: Shared | None = None
    what: str = ""
    stands_alone: bool = False

    def make(self) -> Any:
        """Make it here."""
        return self.function(*(() if self.shared is None else (self.shared.value,)), *self.arguments)

    def elsewhere(self, expected: Facts) -> tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]:
        """Return it as joblib takes it."""
        sent = None if self.shared is None else self.shared.sent
        return make, (expected, sent, self.function, self.arguments), {}


@dataclass(frozen=True)
class Executor:
    """What makes the calls of an experiment: one after the other, or side by side by joblib.

    Results are the same bits for any number of jobs.

    Attributes
    ----------
    jobs : int
        How many calls are made at once, unless ``joblib.parallel_config`` wants more; with a backend that it names, as
        many as that makes.
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

    def run(self, calls: Sequence[Call], kind: Kind) -> Generator[Any, None, None]:
        """Make calls and give what they return, in their order, each as soon as all before it are there.

        Parameters
        ----------
        calls : sequence of Call
            More at once than there are calls or processors would wait for one another, so they are not started.
        kind : {"processes", "threads", "programs"}
            Kernels run side by side in threads; what Python itself runs one at a time needs processes. Calls that wait
            for programs need threads alone, but these are worth starting only for what takes long, as processes are.

        Raises
        ------
        LostError
            If the processes that made a call ended from outside, again and again, and it does not stand alone.
        WorkerError
            If a process would compute other numbers than this one.
        """
        active, most = backends.chosen(self.jobs) if kind == "processes" else (None, self.jobs)
        is_of_this_machine = active is None and kind != "programs"
        jobs = min(most, len(calls), max(2, os.cpu_count() or 1) if is_of_this_machine else most)
        done = 0
        if active is None and kind != "threads":
            before = _OWN.seconds
            while done < len(calls) and (jobs < 2 or not _OWN.pays(kind, before, done, len(calls) - done)):
                done += 1
                yield _OWN.timed(calls[done - 1])
        if kind == "processes" and done < len(calls):
            _OWN.started = _OWN.started or active is None
            with backends.safe_path():
                yield from _in_processes(calls[done:], jobs, active)
        else:
            yield from _in_threads(calls[done:], jobs)


SERIAL = Executor()


class _Own:
    """How long this process has made calls that others might have made, and whether others are there already."""

    seconds = 0.0
    started = False

    def pays(self, kind: Kind, before: float, done: int, left: int) -> bool:
        """Return whether calls should be left to others, from how long those of the same kind took so far."""
        if kind == "processes" and self.started:
            return True
        spent = self.seconds - before
        return done > 0 and self.seconds >= _DELAY and spent / done * left > 2 * _DELAY

    def timed(self, call: Call) -> Any:
        start = time.perf_counter()
        try:
            return call.make()
        finally:
            self.seconds += time.perf_counter() - start


_OWN = _Own()


def _in_threads(calls: Sequence[Call], jobs: int) -> Generator[Any, None, None]:
    if jobs < 2:
        yield from (call.make() for call in calls)
        return
    threads = ThreadPoolExecutor(jobs)
    try:
        for future in [threads.submit(call.make) for call in calls]:
            yield future.result()
    finally:
        # After an error nothing of the others goes on behind the caller's back.
        threads.shutdown(cancel_futures=True)


def _in_processes(calls: Sequence[Call], jobs: int, backend: Any) -> Generator[Any, None, None]:
    """Make calls in other processes; those that were lost with their process are made again."""
    from joblib import Parallel

    expected, done = facts(), 0
    while done < len(calls):
        # One by one, so that it is known which were being made when a process ended.
        side_by_side = Parallel(n_jobs=jobs, batch_size=1, **backends.settings(backend))
        found = side_by_side(call.elsewhere(expected) for call in calls[done:])
        try:
            for one in found:
                done += 1
                yield _returned(one)
        except Exception as error:
            if not backends.has_died(error):
                raise
            for call in calls[done : done + 2 * jobs]:
                one = _alone(call, expected, jobs, backend)
                done += 1
                yield _returned(one)
        finally:
            if not isinstance(found, list):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # that calls were given up, as they should be
                    found.close()


def _returned(found: Any) -> Any:
    if isinstance(found, Raised):
        raise found.error
    return found


def _alone(call: Call, expected: Facts, jobs: int, backend: Any) -> Any:
    """Make a call again, and nothing beside it, so that it is known which one ends its process.

    Raises
    ------
    LostError
        If it does, unless others go on without it.
    """
    from joblib import Parallel

    for _ in range(_TRIES - 1):
        try:
            return next(iter(Parallel(n_jobs=2, **backends.settings(backend))([call.elsewhere(expected)])))
        except Exception as error:
            if not backends.has_died(error):
                raise
    lost = LostError(
        f"{call.what or 'a call'}: the worker process ended {_TRIES} times before it had an answer, probably because "
        f"memory ran out or it was killed; a smaller number of jobs (here {jobs}) needs less."
    )
    if not call.stands_alone:
        raise lost
    return lost
