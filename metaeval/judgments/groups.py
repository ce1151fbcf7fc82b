"""Whose judgments are taken: a group of judges, some by name, or all."""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from metaeval.errors import UsageError, as_typed, listing, unknown
from metaeval.records import EVERYBODY, BoolArray, Corpus


@dataclass(frozen=True)
class ChosenJudges:
    """The judges of an experiment.

    Attributes
    ----------
    members : (judges,) bool array
        Which judges of the judgments of systems they are.
    words : str
        What was asked for, as signatures print it: ``experts``, ``ann+b*``, ``all``.
    slots : tuple of str
        Those of them that are slots, each filled by different annotators.
    """

    members: BoolArray
    words: str
    slots: tuple[str, ...]


def choose_judges(corpus: Corpus, request: str | Sequence[str] | None = None) -> ChosenJudges:
    """Return the judges that were asked for.

    Parameters
    ----------
    corpus : Corpus
    request : str or sequence of str, optional
        Names of groups and of judges, patterns such as ``expert*``, or ``all``, which stands for everybody also where
        a judge has that name. Without any, the default group of the corpus; all judges where it has none.

    Raises
    ------
    UsageError
        If there is no such judge or group, or none of the group judged a system.
    """
    known, groups = corpus.judgments.judges, {group.name: group for group in corpus.judge_groups}
    default = [group.name for group in corpus.judge_groups if group.default]
    names = [request] if isinstance(request, str) else list(request or default or [EVERYBODY])
    members = np.zeros(len(known), dtype=bool)
    for name in names:
        if name == EVERYBODY:
            members[:] = True
            continue
        if name in groups:
            found = groups[name].members(known)
        else:
            found = np.array([fnmatch.fnmatchcase(judge, name) for judge in known], dtype=bool)
        if name in groups and not found.any():
            raise UsageError(
                f"corpus {corpus.name!r}: the judge group {name!r} ({listing(groups[name].judges)}) must have judged "
                f"systems; it has not. Take other judges with "
                f"{as_typed(terminal='--judges', python='`judges`')} (`judgments.judges`): {EVERYBODY!r}, or "
                f"of {listing(known)}."
            )
        if not found.any():
            of = ("judge or group", name, [*groups, *known], "judges and groups") if groups else ("judge", name, known)
            raise UsageError(f"corpus {corpus.name!r}: {unknown(*of)}")
        members |= found
    of_slots = sum((group.members(known) for group in groups.values() if not group.persons), np.zeros(len(known), bool))
    slots = tuple(judge for judge, slot in zip(known, (of_slots & members).tolist(), strict=True) if slot)
    return ChosenJudges(members, "+".join(names), slots)


def judged_by(corpus: Corpus, request: str | Sequence[str] | None = None) -> Corpus:
    """Return a corpus with the judgments of systems by those alone whom :func:`choose_judges` returns."""
    members = choose_judges(corpus, request).members
    return replace(corpus, judgments=corpus.judgments.where(members[corpus.judgments.judge]))
