"""The checks on texts that have a score: a line of `CHECKS` each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from metaeval.errors import MetricError
from metaeval.plugins.conformance import relations, sense
from metaeval.plugins.conformance.case import EXACT, Case, Outcome, largest
from metaeval.plugins.conformance.trial import Measured


@dataclass(frozen=True)
class Check:
    """One check.

    Attributes
    ----------
    run : callable
        Scores the texts of a case in another way, with the results in the places of the first; or returns what it
        finds.
    same, differs : str
        What is found of two measurements, without a full stop.
    must : bool
        Whether scores and statistics must be the same. If not, a difference of scores is noted; which of equally good
        references was taken may show in the statistics.
    compares : bool
        Whether two measurements are compared, which has no meaning for a metric that gives other scores each time.
    references : bool
        Whether it is about references.
    """

    run: Callable[[Case], Measured | Outcome]
    same: str = ""
    differs: str = ""
    must: bool = True
    compares: bool = True
    references: bool = False

    def __call__(self, case: Case) -> Outcome:
        """Return what is found, also where the metric fails or the check has no meaning."""
        if self.references and not case.trial.reads_references:
            return Outcome("ok", "It does not read references.")
        try:
            if self.compares and not case.repeats:
                return Outcome("note", "Not checked, because two calls with the same texts give different scores.")
            found = self.run(case)
        except MetricError as error:
            return Outcome("fails", "It fails on texts of this check.", str(error))
        if isinstance(found, Outcome):
            return found
        if self.must:
            return case.compare(found, self.same, self.differs)
        difference = largest("score", case.measured.scores, found.scores)
        if difference is None or difference.relative <= EXACT:
            return Outcome("ok", f"{self.same}.")
        changed = int((np.abs(case.measured.scores - found.scores) > EXACT).sum())
        finding = f"{self.differs}: {changed} of {found.scores.size} scores change."
        return Outcome("note", finding, case.show(difference))


CHECKS: Mapping[str, Check] = {
    "same again": Check(relations.same_again, compares=False),
    "order of segments": Check(
        relations.shuffled,
        "In another order of the segments, each has the score that it had",
        "In another order of the segments, a segment has another score",
    ),
    "order of references": Check(
        relations.references_reversed,
        "The order of the references does not matter",
        "The order of the references matters",
        must=False,
        references=True,
    ),
    "reference twice": Check(
        relations.reference_twice,
        "A reference given twice counts once",
        "A reference given twice counts differently from one given once",
        must=False,
        references=True,
    ),
    "absent references": Check(relations.absent_references, references=True),
    "segment alone": Check(relations.segment_alone),
    "system alone": Check(
        relations.systems_alone,
        "A system alone is scored as among others",
        "The scores of a system depend on the other systems",
    ),
    "range": Check(sense.value_range, compares=False),
    "identical candidate": Check(sense.identical, references=True),
    "direction": Check(sense.direction),
    "ties": Check(sense.ties, compares=False),
    "adding up": Check(sense.adding_up),
    "speed": Check(sense.speed, compares=False),
}
