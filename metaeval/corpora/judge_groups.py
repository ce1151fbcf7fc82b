"""The judge groups of a corpus, checked against its judges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from metaeval.corpora.problems import Problems
from metaeval.errors import listing, unknown
from metaeval.records import EVERYBODY, JudgeGroup


def check_groups(groups: Sequence[JudgeGroup], judges: Sequence[str], place: object, problems: Problems) -> None:
    """Note what is wrong with judge groups.

    Parameters
    ----------
    groups : sequence of JudgeGroup
    judges : sequence of str
        All judges of the corpus.
    place : object
        The file that declares the groups.
    problems : Problems
        Where it is noted.
    """
    if not judges:
        return
    for name, count in Counter(group.name for group in groups).items():
        if count > 1:
            problems.error(place, f"judge group {name!r} is declared {count} times.")
        if not name or name == EVERYBODY or name in judges:
            taken = "stands for all judges" if name == EVERYBODY else "is a judge" if name else "is no name"
            problems.error(place, f"judge group {name!r} must have a name of its own; {name!r} {taken}.")
    default = [group.name for group in groups if group.default]
    if len(default) > 1:
        problems.error(place, f"one judge group may be the default; got {listing(default)}.")
    of_judge: dict[str, str] = {}
    for group in groups:
        for pattern in group.judges:
            if not JudgeGroup(group.name, (pattern,)).members(judges).any():
                message = unknown("judge", pattern, judges)
                problems.error(place, f"judge group {group.name!r}: {message} No judge of the corpus matches it.")
        for name, member in zip(judges, group.members(judges).tolist(), strict=True):
            if member and of_judge.setdefault(name, group.name) != group.name:
                both = listing([of_judge[name], group.name])
                problems.error(place, f"judge {name!r} must be in one judge group; is in {both}.")
