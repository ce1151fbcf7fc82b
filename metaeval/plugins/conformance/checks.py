"""The checks on texts that have a score: a line of `CHECKS` each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from metaeval.errors import MetricError
from metaeval.plugins.conformance import relations, sense
from metaeval.plugins.conformance.case import Case
from metaeval.plugins.conformance.findings import Finding, found
from metaeval.plugins.conformance.trial import Measured


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


CHECKS: Mapping[str, Check] = {
    "same again": Check(relations.same_again, compares=False),
    "order of segments": Check(relations.shuffled, "order of segments"),
    "order of references": Check(relations.references_reversed, "order of references", must=False, references=True),
    "reference twice": Check(relations.reference_twice, "reference twice", must=False, references=True),
    "absent references": Check(relations.absent_references, references=True),
    "segment alone": Check(relations.segment_alone),
    "system alone": Check(relations.systems_alone, "system alone"),
    "range": Check(sense.value_range, compares=False),
    "identical candidate": Check(sense.identical, references=True),
    "direction": Check(sense.direction),
    "ties": Check(sense.ties, compares=False),
    "adding up": Check(sense.adding_up),
    "speed": Check(sense.speed, compares=False),
}
