"""Checks that measure the same texts again in another way: what must stay, and what may."""

from __future__ import annotations

import dataclasses

import numpy as np

from metaeval.plugins.conformance.case import EXACT, OUTCOMES, ROUNDING, Case, Outcome, difference, number
from metaeval.plugins.conformance.trial import Measured, part, with_candidates
from metaeval.randomness import generator

NO_REFERENCES = Outcome("ok", "It does not read references.")


def same_again(case: Case) -> Outcome:
    """Check that two calls, and a new process, give the same."""
    found = case.compare(case.again, "Two calls give the same", "Two calls with the same texts give different scores")
    if found.outcome == "fails":
        return found
    there = case.elsewhere
    if there.measured is None:
        return Outcome("note", f"{found.finding[:-1]}; in a new process it could not be made.", there.failure)
    fresh = case.compare(
        there.measured,
        "Two calls and a new process give the same",
        "A new process gives other scores. Do they depend on the order of a set, on hash(), or on what came before?",
    )
    return max(fresh, found, key=lambda one: OUTCOMES.index(one.outcome))


def order_of_segments(case: Case) -> Outcome:
    """Check that scores follow their segments."""
    order = generator(0, "order").permutation(case.corpus.n_segments)
    measured = case.trial.measure(part(case.corpus, order.tolist()))
    back = measured.at(segments=np.argsort(order))
    return case.compare(
        back,
        "In another order of the segments, each has the score that it had",
        "In another order of the segments, a segment has another score",
    )


def order_of_references(case: Case) -> Outcome:
    """Tell whether the order of the references matters."""
    if not case.trial.reads_references:
        return NO_REFERENCES
    if len(case.corpus.references) == 1:
        return Outcome("ok", "There is only one reference.")
    other = case.trial.measure(case.corpus, list(case.corpus.references)[::-1])
    return _told(case, other, "The order of the references does not matter", "The order of the references matters")


def reference_twice(case: Case) -> Outcome:
    """Tell whether it matters that a reference is given twice."""
    if not case.trial.reads_references:
        return NO_REFERENCES
    name = next(iter(case.corpus.references))
    references = {**case.corpus.references, f"{name} again": case.corpus.references[name]}
    other = case.trial.measure(dataclasses.replace(case.corpus, references=references))
    return _told(
        case, other, "A reference given twice counts once", "A reference given twice counts otherwise than once"
    )


def _told(case: Case, other: Measured, same: str, differs: str) -> Outcome:
    # Scores alone: which of equally good references was taken may show in the statistics.
    found = difference(
        Measured(case.measured.scores[..., None], case.measured.scores), Measured(other.scores[..., None], other.scores)
    )
    if found is None or found.relative <= EXACT:
        return Outcome("ok", f"{same}.")
    changed = int((np.abs(case.measured.scores - other.scores) > EXACT).sum())
    return Outcome("note", f"{differs}: {changed} of {other.scores.size} scores change.", case.show(found))


def absent_references(case: Case) -> Outcome:
    """Check that an absent reference is as if it were not there, and that without any there is no score."""
    if not case.trial.reads_references:
        return NO_REFERENCES
    corpus, names = case.corpus, list(case.corpus.references)
    present = [[name for name in names if corpus.references[name][i] is not None] for i in range(corpus.n_segments)]
    if case.corpus.n_segments > 1:
        bare = {name: (*texts[:-1], None) for name, texts in corpus.references.items()}
        last = case.trial.measure(dataclasses.replace(corpus, references=bare)).at(segments=slice(-1, None))
        wrong = np.flatnonzero(~np.isnan(last.statistics[:, 0]).all(axis=-1))
        if len(wrong):
            return Outcome(
                "fails",
                "A segment without any reference has statistics; they must be nan there, because absent is not zero.",
                f"{case.place(int(wrong[0]), corpus.n_segments - 1)}: "
                f"{', '.join(map(number, last.statistics[wrong[0], 0].tolist()))}",
            )
    segment = next((i for i, found in enumerate(present) if len(found) > 1), None)
    if segment is None:
        return Outcome("ok", "Without any reference a segment has no statistics.")
    one = part(corpus, [segment])
    kept = present[segment][1:]
    absent: dict[str, tuple[str | None, ...]] = {**one.references, present[segment][0]: (None,)}
    with_absent = case.trial.measure(dataclasses.replace(one, references=absent))
    return dataclasses.replace(case, corpus=one).compare(
        with_absent,
        "Without any reference a segment has no statistics; one that lacks some has the score that the others give",
        "An absent reference changes the score; it must be as if it were not there",
        expected=case.trial.measure(one, kept),
    )


def segment_alone(case: Case) -> Outcome:
    """Check that a segment alone is scored as among others, and tell what matters if not."""
    corpus, n = case.corpus, case.corpus.n_segments
    alone = [case.trial.measure(part(corpus, [segment])) for segment in range(n)]
    joined = Measured(
        np.concatenate([one.statistics for one in alone], axis=1), np.concatenate([one.scores for one in alone], axis=1)
    )
    found = case.compare(joined, "A segment alone is scored as among all others", "")
    if found.outcome != "fails":
        return found
    # Every second segment keeps its candidates; the others change theirs among themselves.
    mixed = []
    for kept in (0, 1):
        turned = [i if i % 2 == kept else _next_other(i, n) for i in range(n)]
        candidates = {
            name: tuple(texts[i] for i in turned) for name, texts in zip(corpus.systems, corpus.candidates, strict=True)
        }
        mixed.append(case.trial.measure(with_candidates(corpus, candidates)))
    rows = [mixed[i % 2].at(segments=[i]) for i in range(n)]
    among_others = Measured(
        np.concatenate([one.statistics for one in rows], axis=1), np.concatenate([one.scores for one in rows], axis=1)
    )
    other = difference(case.measured, among_others)
    if other is not None and other.relative > ROUNDING:
        return Outcome(
            "fails",
            "The score of a segment depends on the candidates of other segments, so documents drawn from the corpus "
            "have scores that nothing else gives them.",
            case.show(other),
        )
    return Outcome(
        "note",
        "The score of a segment depends on the other segments: not on their candidates, but on their references or "
        "number. So it belongs to the corpus, as that of NIST does.",
        found.example,
    )


def _next_other(segment: int, n_segments: int) -> int:
    """Return the next segment of the same parity, the first after the last."""
    return segment + 2 if segment + 2 < n_segments else segment % 2


def system_alone(case: Case) -> Outcome:
    """Check that a system alone is scored as among others."""
    n = len(case.corpus.systems)
    if n == 1:
        return Outcome("ok", "There is only one system.")
    alone = [case.trial.measure(part(case.corpus, systems=[k])) for k in range(n)]
    joined = Measured(np.concatenate([one.statistics for one in alone]), np.concatenate([one.scores for one in alone]))
    return case.compare(
        joined, "A system alone is scored as among others", "The scores of a system depend on the other systems"
    )
