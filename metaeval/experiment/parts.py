"""The parts of a plan that several processes work at, each by itself."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from metaeval.errors import UsageError

T = TypeVar("T")


@dataclass(frozen=True)
class Part:
    """One of several parts of equal size: every `of`-th task, from `number` on, which is counted from 0."""

    number: int
    of: int

    def of_many(self, tasks: Sequence[T]) -> Sequence[T]:
        """Return those of this part."""
        return tasks[self.number :: self.of]

    def of_groups(self, groups: Sequence[T]) -> dict[T, Part]:
        """Return what is done here of each of several groups of tasks.

        As many as can be have one process each, which alone reads what they need; all share what is left over.
        """
        n_whole = len(groups) - len(groups) % self.of
        own = dict.fromkeys(self.of_many(groups[:n_whole]), WHOLE)
        return own | dict.fromkeys(groups[n_whole:], self)

    def __str__(self) -> str:
        return f"{self.number + 1}/{self.of}"


WHOLE = Part(0, 1)


def given_part(shard: str) -> Part:
    """Return the part that a user asks for.

    Raises
    ------
    UsageError
        If it is none.
    """
    found = re.fullmatch(r"(\d{1,6})/(\d{1,6})", shard, re.ASCII)
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        hint = "; they are counted from 1: --shard $SLURM_ARRAY_TASK_ID/4 with --array=1-4" * shard.startswith("0/")
        raise UsageError(
            f"`shard` must be K/N, the number of a shard and how many there are, such as 2/4; got {shard!r}{hint}."
        )
    return Part(int(found[1]) - 1, int(found[2]))
