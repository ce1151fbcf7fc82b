"""Computations that stop where they need replicates of pseudo-documents, so that those of several are made together."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import chain
from typing import TypeAlias, TypeVar

from metaeval.experiment.correlate import Planned
from metaeval.experiment.executor import Executor
from metaeval.experiment.resample import Resampler

T = TypeVar("T")
# It gives the cells of what it is at, is sent what has planned their replicates, and returns its results.
Steps: TypeAlias = Generator[Planned, Resampler | None, T]


def in_step(
    runs: Sequence[Steps[T]], executor: Executor, within: Callable[[int], AbstractContextManager[object]]
) -> list[T]:
    """Go through several computations, so that the replicates that they wait for are planned together.

    Parameters
    ----------
    runs : sequence of generators
    executor : Executor
        Makes the replicates. While what waits holds statistics of a quarter of its memory, nothing else is begun.
    within : callable
        Gives the context in which one of them is gone on with, from its place.
    """
    results: dict[int, T] = {}
    waiting: dict[int, Planned] = {}

    def go_on(place: int, resampler: Resampler | None) -> None:
        with within(place):
            try:
                waiting[place] = runs[place].send(resampler)
            except StopIteration as end:
                results[place] = end.value

    def held() -> int:
        """Return the bytes of the statistics of what waits."""
        return sum(dict(chain(*(one.tables.items() for one in waiting.values()))).values())

    not_begun = deque(range(len(runs)))
    while not_begun or waiting:
        if not_begun and (not waiting or 4 * held() < executor.memory):
            go_on(not_begun.popleft(), None)
            continue
        resampler = Resampler(executor)
        resampler.plan([*chain(*(one.cells for one in waiting.values()))])
        ready, waiting = [*waiting], {}
        for place in ready:
            go_on(place, resampler)
        del resampler  # it holds all that it has planned
    return [results[place] for place in sorted(results)]


def completed(run: Steps[T], executor: Executor) -> T:
    """Go through a computation that shares no replicates with others, and return its results."""
    (found,) = in_step([run], executor, lambda place: nullcontext())
    return found
