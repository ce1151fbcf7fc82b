"""Choose judges: a group, some by name, or all."""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from metaeval.datamodel.corpus import EVERYBODY, BoolArray, Corpus
from metaeval.errors import UsageError, as_typed, listing, unknown


@dataclass(frozen=True)
class ChosenJudges:
    """The judges of an experiment.

    Attributes
    ----------
    members : (judges,) bool array
        A mask of the judges of systems.
    words : str
        The request, as signatures print it: ``experts``, ``ann+b*``, ``all``.
    slots : tuple of str
        Those of them that are slots, each filled by different annotators.
    """

    members: BoolArray
    words: str
    slots: tuple[str, ...]


def choose_judges(corpus: Corpus, request: str | Sequence[str] | None = None) -> ChosenJudges:
    """Return the judges that a request chooses.

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
    judges = corpus.judgments.judges
    groups = {group.name: group for group in corpus.judge_groups}
    default = [group.name for group in corpus.judge_groups if group.default]
    names = [request] if isinstance(request, str) else list(request or default or [EVERYBODY])
    members = np.zeros(len(judges), dtype=bool)
    for name in names:
        if name == EVERYBODY:
            members[:] = True
            continue
        if name in groups:
            chosen = groups[name].members(judges)
        else:
            chosen = np.array([fnmatch.fnmatchcase(judge, name) for judge in judges], dtype=bool)
        if name in groups and not chosen.any():
            raise UsageError(
                f"corpus {corpus.name!r}: the judge group {name!r} ({listing(groups[name].judges)}) must have judged "
                f"systems; it has not. Take other judges with "
                f"{as_typed(terminal='--judges', python='`judges`')} (`judgments.judges`): {EVERYBODY!r}, or "
                f"of {listing(judges)}."
            )
        if not chosen.any():
            of = (
                ("judge or group", name, [*groups, *judges], "judges and groups") if groups else ("judge", name, judges)
            )
            raise UsageError(f"corpus {corpus.name!r}: {unknown(*of)}")
        members |= chosen
    of_slots = sum(
        (group.members(judges) for group in groups.values() if not group.persons), np.zeros(len(judges), bool)
    )
    slots = tuple(judge for judge, slot in zip(judges, (of_slots & members).tolist(), strict=True) if slot)
    return ChosenJudges(members, "+".join(names), slots)


def judged_by(corpus: Corpus, request: str | Sequence[str] | None = None) -> Corpus:
    """Return a corpus with the judgments of systems by the judges that :func:`choose_judges` returns."""
    members = choose_judges(corpus, request).members
    return replace(corpus, judgments=corpus.judgments.where(members[corpus.judgments.judge]))
