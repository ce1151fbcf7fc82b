"""Progress of long work: a record for each step, and what counts the parts of a stage."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class Step:
    """A step of long work: the stage, and how much of it is done.

    ``str(step)`` is the line to be shown. A stage begins with a step where nothing is done yet; stages that take
    long go on with steps that count what is done, with the same `stage` and `what`.

    Parameters
    ----------
    stage : str
        The stage in one word: ``"read"``, ``"score"``, ``"correlate"``, ...
    what : str
        What the stage works on, such as ``"12 metrics, 4 reference subsets"``.
    done : int
        How many parts are done; 0 where the stage begins.
    total : int, optional
        How many parts there are; None where the stage does not count, or does not know.

    Examples
    --------
    >>> str(Step("score", "12 metrics"))
    'score      12 metrics'
    >>> str(Step("score", "12 metrics", done=3, total=24))
    'score      12 metrics (3 of 24)'
    """

    stage: str
    what: str
    done: int = 0
    total: int | None = None

    def __str__(self) -> str:
        line = f"{self.stage:<10} {self.what}"
        if not self.done:
            return line
        return f"{line} ({self.done})" if self.total is None else f"{line} ({self.done} of {self.total})"


Progress: TypeAlias = Callable[[Step], None]

_NO_STEP = Step("", "")


def silent(step: Step) -> None:
    """Ignore a step; what a function does with its progress by default.

    Parameters
    ----------
    step : Step
        What is ignored.
    """


class Tally:
    """Counts what is done of a stage, and reports it.

    Parameters
    ----------
    progress : callable
        Called with a :class:`Step` whenever more is done, never where nothing is.
    step : Step
        The stage as it begins.
    total : int, optional
        How many parts there are.

    Examples
    --------
    >>> tally = Tally(print, Step("correlate", "metrics with human judgments"), total=3)
    >>> tally.add(2)
    correlate  metrics with human judgments (2 of 3)
    """

    def __init__(self, progress: Progress = silent, step: Step = _NO_STEP, total: int | None = None) -> None:
        self._progress = progress
        self._step = step
        self._total = total
        self._done = 0

    def expect(self, total: int) -> None:
        """Begin to count, from nothing.

        Parameters
        ----------
        total : int
            How many parts there are.
        """
        self._total = total
        self._done = 0

    def add(self, number: int = 1) -> None:
        """Count parts as done.

        Parameters
        ----------
        number : int
            How many; less than 0 where work was lost and must be done again.
        """
        self.reach(self._done + number)

    def reach(self, done: int) -> None:
        """Report how many parts are done in all.

        Parameters
        ----------
        done : int
            The number of parts; nothing is reported where it has not changed, or nothing is done.
        """
        if done != self._done:
            self._done = done
            if done > 0:
                self._progress(Step(self._step.stage, self._step.what, done, self._total))
