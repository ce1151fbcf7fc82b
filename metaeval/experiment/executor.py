"""The one place where calls are made side by side, in threads or in processes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, Literal

from metaeval.errors import MetaevalError

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
    """

    jobs: int = 1

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
        try:
            with safe:
                yield from Parallel(n_jobs=jobs, prefer=kind, return_as="generator")(
                    delayed(function)(*arguments) for function, arguments in calls
                )
        except BrokenProcessPool as error:
            raise MetaevalError(
                "a worker process was ended from outside, or could not start, probably because memory ran out; a "
                f"smaller number of jobs (here {jobs}) needs less."
            ) from error


SERIAL = Executor()


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
