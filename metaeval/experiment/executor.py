"""The one place where calls are made side by side, in threads or in processes."""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeAlias

from metaeval.errors import MetaevalError
from metaeval.experiment import backends
from metaeval.experiment.workers import Facts, Raised, Shared, facts, load, make
from metaeval.sizes import DEFAULT_MEMORY, memory_size

Kind: TypeAlias = Literal["processes", "threads", "programs"]
# Seconds of work that must be left, so that others are worth starting: it takes them most of a second of a processor.
_WORTH = 2.0
# Seconds after which this is looked at, again and again.
_LOOK = 0.2
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

    def elsewhere(self, expected: Facts, folder: str | None = None) -> tuple[Any, ...]:
        """Return the function that makes it in another process, and its arguments; without a folder, anywhere."""
        sent = None
        if self.shared is not None:
            sent = self.shared.sent if folder is None else self.shared.file(folder)
        return make, expected, sent, self.function, self.arguments


@dataclass(frozen=True)
class Executor:
    """What makes the calls of an experiment: one after the other, or side by side.

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

        Processes that are there already begin at once; all else begins when the first result is asked for.

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
        jobs = min(backends.within_processors(most) if is_of_this_machine else most, len(calls))
        if active is not None:
            return _by_joblib(calls, jobs, active)
        if kind == "processes" and jobs > 1:
            return _ByProcesses(calls, jobs).results()
        return _Beside(calls, jobs, at_once=kind == "threads").results()

    def start_ahead(self, *modules: str) -> None:
        """Start the processes that calls will be left to, and have modules imported there."""
        active, most = backends.chosen(self.jobs)
        jobs = backends.within_processors(most)
        if active is None and jobs > 1:
            backends.PROCESSES.start(jobs - 1, load, modules)


SERIAL = Executor()


def pays(spent: float, made: int, left: int) -> bool:
    """Return whether others are worth starting, from how long it took to make some calls, and how many are left."""
    return made > 0 and spent >= _LOOK and spent / made * left > _WORTH


class _Beside:
    """Calls that this thread makes one after the other; others take the next ones too, once they are let.

    Parameters
    ----------
    calls : sequence of Call
    jobs : int
        How many are made at once, with those of this thread.
    at_once : bool
        Whether others are let from the first on, and not only where it is known that the calls take long.
    """

    def __init__(self, calls: Sequence[Call], jobs: int, *, at_once: bool = False) -> None:
        self.calls, self.others, self.at_once = calls, max(1, jobs) - 1, at_once
        self.futures: dict[int, Future[Any]] = {}
        self.lock = threading.Lock()
        self.over = threading.Event()
        self.threads: list[threading.Thread] = []
        self._spent, self._made, self._begun = 0.0, 0, 0.0
        self._taken = 0

    def results(self) -> Generator[Any, None, None]:
        try:
            self._look()
            for number in range(len(self.calls)):
                while not (number in self.futures and self.futures[number].done()) and (own := self.take()):
                    self._make(*own)
                yield self.result(number)  # what was given is not held any longer
        finally:
            # After an error nothing of the others goes on behind the caller's back.
            self.over.set()
            self.end()

    def take(self) -> tuple[Call, Future[Any]] | None:
        """Return the next call that nobody makes, and where its result goes; None if there is none."""
        with self.lock:
            if self._taken == len(self.calls) or self.over.is_set():
                return None
            self._taken += 1
            future = self.futures[self._taken - 1] = Future()
            return self.calls[self._taken - 1], future

    def _make(self, call: Call, future: Future[Any]) -> None:
        self._begun = time.perf_counter()
        _answer(call.make, future)
        self._spent += time.perf_counter() - self._begun
        self._begun, self._made = 0.0, self._made + 1

    def _look(self) -> None:
        """Let others, at once or when it pays."""
        if self.others and self.at_once:
            self.let_others()
        elif self.others and not self.threads:
            threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        while not self._pays():
            if self.over.wait(_LOOK):
                return
        if self.are_there():
            self.let_others()

    def _pays(self) -> bool:
        begun = self._begun
        spent = self._spent + (time.perf_counter() - begun if begun else 0.0)
        return pays(spent, self._made + bool(begun), len(self.calls) - self._taken)

    def are_there(self) -> bool:
        """Return whether the others are there, once they are; they are not if all is over before."""
        return True

    def let_others(self) -> None:
        """Let others take what is left."""
        with self.lock:
            for _ in range(0 if self.over.is_set() else self.others):
                self.threads.append(threading.Thread(target=self._work, daemon=True))
                self.threads[-1].start()

    def _work(self) -> None:
        while own := self.take():
            call, future = own
            _answer(partial(self.elsewhere, call), future)
            if backends.has_died(future.exception()):
                return

    def elsewhere(self, call: Call) -> Any:
        """Make a call beside this thread."""
        return call.make()

    def result(self, number: int) -> Any:
        """Return the result of a call, or raise what it raised."""
        return self.futures.pop(number).result()

    def end(self) -> None:
        """Wait for what others still do."""
        with self.lock:
            started = self.threads
        for one in started:
            one.join()


def _answer(make: Callable[[], Any], future: Future[Any]) -> None:
    try:
        future.set_result(make())
    except Exception as error:
        future.set_exception(error)


class _ByProcesses(_Beside):
    """The same where each of the others is a process, and a thread that waits for it."""

    def __init__(self, calls: Sequence[Call], jobs: int) -> None:
        super().__init__(calls, jobs)
        self._folder = backends.folder()  # here, before the threads that need it
        if backends.PROCESSES.are_there(self.others):
            calls[0].elsewhere(facts(), self._folder)  # what is shared is sent as it is now
            self.let_others()

    def _pays(self) -> bool:
        return backends.PROCESSES.are_started(self.others) or super()._pays()

    def are_there(self) -> bool:
        # Nothing is started while this process ends, which has to clean up behind all that was.
        with self.lock:
            if self.over.is_set():
                return False
            first = backends.PROCESSES.start(self.others, load, [self.calls[0].function.__module__])
        while not wait([first], _LOOK).done:
            if self.over.is_set():
                return False
        return True

    def elsewhere(self, call: Call) -> Any:
        return _returned(backends.PROCESSES.submit(*call.elsewhere(facts(), self._folder)).result())

    def result(self, number: int) -> Any:
        if backends.has_died(self.futures[number].exception()):
            self._again()
        return super().result(number)

    def _again(self) -> None:
        """Make again, one by one, what was lost when a process ended, and then let others."""
        super().end()
        self.threads = []
        backends.PROCESSES.end()
        for place, one in self.futures.items():
            if backends.has_died(one.exception()):
                self.futures[place] = Future()
                _answer(partial(_alone, self.calls[place], self.others + 1, self._once), self.futures[place])
        self._look()

    def _once(self, call: Call) -> Any:
        backends.PROCESSES.start(1, load, [call.function.__module__])
        try:
            return self.elsewhere(call)
        except Exception as error:
            if backends.has_died(error):
                backends.PROCESSES.end()
            raise

    def end(self) -> None:
        """Let go what others still do."""


def _by_joblib(calls: Sequence[Call], jobs: int, backend: Any) -> Generator[Any, None, None]:
    """Make calls where a backend of joblib has them made; those that were lost with their process are made again."""
    from joblib import Parallel, delayed

    def made(some: Sequence[Call], jobs: int) -> Any:
        # One by one, so that it is known which were being made when a process ended.
        side_by_side = Parallel(n_jobs=jobs, batch_size=1, **backends.settings(backend))
        tasks = (one.elsewhere(expected) for one in some)
        with backends.safe_path():
            return side_by_side(delayed(function)(*arguments) for function, *arguments in tasks)

    expected, done = facts(), 0
    while done < len(calls):
        found = made(calls[done:], jobs)
        try:
            for one in found:
                done += 1
                yield _returned(one)
        except Exception as error:
            if not backends.has_died(error):
                raise
            for call in calls[done : done + 2 * jobs]:
                one = _alone(call, jobs, lambda call: next(iter(made([call], 2))))
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


def _alone(call: Call, jobs: int, once: Callable[[Call], Any]) -> Any:
    """Make a call again, and nothing beside it, so that it is known which one ends its process.

    Raises
    ------
    LostError
        If it does, unless others go on without it.
    """
    for _ in range(_TRIES - 1):
        try:
            return once(call)
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
