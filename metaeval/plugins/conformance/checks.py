"""The checks on texts that have a score: a line of `CHECKS` each.

Those here score the same texts in another way, to see what must stay the same and what need not; whether the numbers
make sense is checked in `sense`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from metaeval.errors import MetricError
from metaeval.plugins.conformance import sense
from metaeval.plugins.conformance.case import Case, number
from metaeval.plugins.conformance.findings import OUTCOMES, Finding, found
from metaeval.plugins.conformance.trial import Measured, part
from metaeval.randomness import generator


@dataclass(frozen=True)
class Check:
    """One check.

    Attributes
    ----------
    run : callable
        Scores the texts of a case in another way, with the results in the places of the first; or returns what it
        finds.
    compared : str
        Whose words in findings.toml say what is found of two measurements.
    must : bool
        Whether scores and statistics must be the same. If not, a difference of scores is noted; which of equally good
        references was taken may show in the statistics.
    compares : bool
        Whether two measurements are compared, which has no meaning for a metric that gives other scores each time.
    references : bool
        Whether it is about references.
    """

    run: Callable[[Case], Measured | Finding]
    compared: str = ""
    must: bool = True
    compares: bool = True
    references: bool = False

    def __call__(self, case: Case) -> Finding:
        """Return what is found, also where the metric fails or the check has no meaning."""
        if self.references and not case.trial.reads_references:
            return found("no references")
        try:
            if self.compares and not case.repeats:
                return found("uncompared")
            made = self.run(case)
        except MetricError as error:
            return found("failing", str(error))
        if isinstance(made, Finding):
            return made
        return (case.compare if self.must else case.compare_scores)(made, self.compared)


def same_again(case: Case) -> Finding:
    """Check that two calls, and a new process, give the same."""
    here = case.compare(case.again, "same again")
    if here.outcome == "fails":
        return here
    there = case.elsewhere
    if isinstance(there, str):
        return found("not made", there, before=here.finding[:-1])
    return max(case.compare(there, "new process"), here, key=lambda one: OUTCOMES.index(one.outcome))


def shuffled(case: Case) -> Measured:
    """Score the segments in another order."""
    order = generator(0, "order").permutation(case.corpus.n_segments)
    return case.trial.measure(part(case.corpus, order.tolist())).at(np.argsort(order))


def references_reversed(case: Case) -> Measured | Finding:
    """Score against the references in the opposite order."""
    if len(case.corpus.references) == 1:
        return found("one reference")
    return case.trial.measure(case.corpus, list(case.corpus.references)[::-1])


def reference_twice(case: Case) -> Measured:
    """Score against the references and the first once more."""
    name, texts = next(iter(case.corpus.references.items()))
    references = {**case.corpus.references, f"{name} again": texts}
    return case.trial.measure(dataclasses.replace(case.corpus, references=references))


def systems_alone(case: Case) -> Measured | Finding:
    """Score each system alone."""
    n = len(case.corpus.systems)
    if n == 1:
        return found("one system")
    return Measured.joined((case.trial.measure(part(case.corpus, systems=[k])) for k in range(n)), axis=0)


def absent_references(case: Case) -> Finding:
    """Check that an absent reference is as if it were not there, and that without any there is no score."""
    corpus, names = case.corpus, list(case.corpus.references)
    if corpus.n_segments > 1:
        bare = {name: (*texts[:-1], None) for name, texts in corpus.references.items()}
        last = case.trial.measure(dataclasses.replace(corpus, references=bare)).statistics[:, -1]
        wrong = np.flatnonzero(~np.isnan(last).all(axis=-1)).tolist()
        if wrong:
            shown = ", ".join(map(number, last[wrong[0]].tolist()))
            return found("scored without references", f"{case.place(wrong[0], corpus.n_segments - 1)}: {shown}")
    if len(names) == 1:
        return found("none without references")
    absent = {**corpus.references, names[0]: (None,) * corpus.n_segments}
    measured = case.trial.measure(dataclasses.replace(corpus, references=absent))
    return case.compare(measured, "absent references", expected=case.trial.measure(corpus, names[1:]))


def segment_alone(case: Case) -> Finding:
    """Check that a segment alone is scored as among others, and find out what matters if not."""
    corpus, n = case.corpus, case.corpus.n_segments
    alone = Measured.joined((case.trial.measure(part(corpus, [segment])) for segment in range(n)), axis=1)
    first = case.compare(alone, "segment alone")
    if first.outcome != "fails":
        return first
    # Every second segment keeps its candidates; the others get those of the next one of their kind.
    mixed = []
    for kept in (0, 1):
        turned = [i if i % 2 == kept else (i + 2 if i + 2 < n else i % 2) for i in range(n)]
        candidates = part(corpus, turned).candidates
        mixed.append(case.trial.measure(dataclasses.replace(corpus, candidates=candidates)))
    other = case.compare(Measured.joined((mixed[i % 2].at([i]) for i in range(n)), axis=1), "segment alone")
    return other if other.outcome == "fails" else found("belongs to corpus", first.example)


CHECKS: Mapping[str, Check] = {
    "same again": Check(same_again, compares=False),
    "order of segments": Check(shuffled, "order of segments"),
    "order of references": Check(references_reversed, "order of references", must=False, references=True),
    "reference twice": Check(reference_twice, "reference twice", must=False, references=True),
    "absent references": Check(absent_references, references=True),
    "segment alone": Check(segment_alone),
    "system alone": Check(systems_alone, "system alone"),
    "range": Check(sense.value_range, compares=False),
    "identical candidate": Check(sense.identical, references=True),
    "direction": Check(sense.direction),
    "ties": Check(sense.ties, compares=False),
    "adding up": Check(sense.adding_up),
    "speed": Check(sense.speed, compares=False),
}
