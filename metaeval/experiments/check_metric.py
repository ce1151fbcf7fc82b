"""Conformance of a metric, for its author: every check on small texts, and on those of a corpus if there is one."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from metaeval.errors import MetricError, UsageError
from metaeval.experiments.conformance.case import OUTCOMES, Case, Outcome
from metaeval.experiments.conformance.itself import about_itself
from metaeval.experiments.conformance.repetition import (
    absent_references,
    order_of_references,
    order_of_segments,
    reference_twice,
    same_again,
    segment_alone,
    system_alone,
)
from metaeval.experiments.conformance.scored import about_scores, scored_segments
from metaeval.experiments.conformance.sense import adding_up, direction, identical, speed, ties, value_range
from metaeval.experiments.conformance.texts import EMPTY_OR_SHORT, example_corpus
from metaeval.experiments.conformance.trial import Trial, part
from metaeval.experiments.measure import NamedMetric, check_references
from metaeval.metrics import get_metric
from metaeval.metrics.precomputed import Precomputed
from metaeval.progress import Progress, Step
from metaeval.records import Corpus
from metaeval.report.summary import SummaryTable
from metaeval.report.tables import formatted
from metaeval.report.tabular import Tabular
from metaeval.text.preprocessing import get_preprocessing

# Of a corpus; more would take long and show little more.
MOST_SEGMENTS, MOST_SYSTEMS = 30, 4


@dataclass(frozen=True)
class Finding:
    """What one check found.

    Attributes
    ----------
    check : str
        What was checked.
    texts : str
        Those that it was made on: ``examples``, the name of a corpus, or nothing if it needs none.
    outcome : {"ok", "note", "fails"}
        Whether all is well, there is something to know, or the metric must be mended.
    finding : str
        A sentence.
    example : str
        Texts and numbers that show it, shortened.
    """

    check: str
    texts: str
    outcome: str
    finding: str
    example: str


@dataclass(frozen=True, repr=False)
class MetricReport(Tabular):
    """What there is to know of a metric before it is used.

    Attributes
    ----------
    metric : str
        As the user wrote it.
    signature : str
        All that determines its scores.
    better : {"higher", "lower"}
        As the metric declares it.
    findings : tuple of Finding
        What each check found.
    """

    metric: str
    signature: str
    better: str
    findings: tuple[Finding, ...]

    @property
    def rows(self) -> list[dict[str, str]]:
        """A row for each finding: metric, check, texts, outcome, finding, example."""
        return [{"metric": self.metric, **vars(finding)} for finding in self.findings]

    @property
    def failures(self) -> tuple[Finding, ...]:
        """The findings that say that the metric must be mended."""
        return tuple(finding for finding in self.findings if finding.outcome == "fails")

    def text(self, kind: str = "table") -> str:
        """Return the report as text.

        Parameters
        ----------
        kind : {"table", "tsv", "json", "md", "latex"}, default "table"
            For people, with words around it; or the rows in one of the other formats.

        Returns
        -------
        str
            The report.
        """
        if kind != "table":
            return formatted(self.rows, kind)
        lines = [f"{self.metric}: {self.better} is better", f"signature {self.signature}"]
        width = max(len(finding.check) for finding in self.findings)
        indent = " " * (width + 9)
        for texts in dict.fromkeys(finding.texts for finding in self.findings):
            lines += ["", {"": "the metric itself", "examples": "on examples"}.get(texts, f"on {texts}")]
            for finding in self.findings:
                if finding.texts == texts:
                    head = f"{finding.outcome:<5}  {finding.check:<{width}}  "
                    lines += textwrap.wrap(head + finding.finding, 120, subsequent_indent=indent, **_WHOLE)
                    if finding.example:
                        shown = f"e.g. {finding.example}"
                        lines += textwrap.wrap(
                            shown, 120, initial_indent=indent, subsequent_indent=indent + "     ", **_WHOLE
                        )
        counts = {name: sum(finding.outcome == name for finding in self.findings) for name in OUTCOMES}
        return "\n".join([*lines, "", f"{counts['ok']} ok, {counts['note']} to note, {counts['fails']} failed"])

    def to_frame(self) -> pd.DataFrame:
        """Return the findings as a new data frame, a row each.

        Returns
        -------
        DataFrame
            ``metric``, ``check``, ``texts``, ``outcome``, ``finding`` and ``example``, all text.
        """
        return pd.DataFrame(self.rows)

    def _tables_for_people(self) -> list[SummaryTable]:
        rows = [{name: row[name] for name in ("check", "texts", "outcome", "finding")} for row in self.rows]
        return [SummaryTable(f"{self.metric}: {self.better} is better; {self.signature}", rows)]

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"MetricReport({self.metric!r}, {len(self.findings)} findings, {len(self.failures)} failures)"


_WHOLE: Mapping[str, Any] = {"break_long_words": False, "break_on_hyphens": False}


def check_named_metric(name: str, corpus: Corpus | None, preprocessing: str, progress: Progress) -> MetricReport:
    """Check a metric on the example texts, and on the beginning of a corpus.

    Parameters
    ----------
    name : str
        With parameters or without.
    corpus : Corpus or None
        Of which the first `MOST_SEGMENTS` segments of the first `MOST_SYSTEMS` systems are used.
    preprocessing : str
        How texts are treated, if the metric reads tokens.
    progress : callable
        Told a :class:`~metaeval.progress.Step` at the beginning of each check.

    Returns
    -------
    MetricReport
        What was found.

    Raises
    ------
    UsageError
        If there is no such metric, or it stands for scores that were computed before, or needs references that the
        corpus has not.
    MetricError
        If the code of a plug-in cannot be loaded.
    """
    metric = get_metric(name)
    if isinstance(metric, Precomputed):
        raise UsageError(
            f"metric {name!r} stands for scores that were computed before, and the checks need scores of other texts; "
            "check the metric that made them."
        )
    trial = Trial(name, metric, get_preprocessing(preprocessing))
    texts = [example_corpus()]
    if corpus is not None:
        check_references(corpus, [NamedMetric(name, metric)])
        segments, systems = range(min(MOST_SEGMENTS, corpus.n_segments)), range(min(MOST_SYSTEMS, len(corpus.systems)))
        bare = Corpus.of_texts(dict(zip(corpus.systems, corpus.candidates, strict=True)), corpus.references)
        kept = ("name", "sources", "segment_ids", "documents")
        texts.append(part(replace(bare, **{item: getattr(corpus, item) for item in kept}), segments, systems))
    findings: list[Finding] = []
    cases: list[Case | None] = []
    for one in texts:
        found, case = _on_texts(trial, one, progress, examples=one is texts[0])
        findings += found
        cases.append(case)
    # What was printed is known when everything has been called; still the metric itself comes first.
    progress(Step("check", f"{name}: signature, pickling and more"))
    itself = _findings(about_itself(trial, texts[0], cases[0]), "")
    better = "higher" if metric.higher_is_better else "lower"
    return MetricReport(name, str(metric.signature), better, (*itself, *findings))


def _findings(outcomes: Iterable[tuple[str, Outcome]], texts: str) -> list[Finding]:
    return [Finding(check, texts, one.outcome, one.finding, one.example) for check, one in outcomes]


def _on_texts(trial: Trial, corpus: Corpus, progress: Progress, *, examples: bool) -> tuple[list[Finding], Case | None]:
    """Return what all checks find, and the texts that have a score as a case, if there are any."""
    progress(Step("check", f"{trial.written}: which texts of {corpus.name} have a score"))
    segments, slow, problems = scored_segments(trial, corpus, shorten=not examples)
    findings = _findings(about_scores(corpus, problems, EMPTY_OR_SHORT if examples else (), slow), corpus.name)
    chosen = part(corpus, [segment for segment in segments if segment not in slow])
    if not chosen.n_segments:
        return findings, None
    try:
        case = Case(trial, chosen, trial.measure(chosen))
    except MetricError as error:
        failed = Outcome("fails", "It fails on texts that it has scored before.", str(error))
        return findings + _findings([("same again", failed)], corpus.name), None
    lost = np.argwhere(~np.isfinite(case.measured.scores))
    if len(lost):
        told = "It has no score for texts that it has scored before."
        failed = Outcome("fails", told, case.place(*map(int, lost[0])))
        return findings + _findings([("same again", failed)], corpus.name), None
    return findings + _findings(_about_case(case, progress), corpus.name), case


# Those that compare two measurements have no meaning for a metric that gives other scores each time.
_CHECKS: Mapping[str, tuple[Callable[[Case], Outcome], bool]] = {
    "same again": (same_again, False),
    "order of segments": (order_of_segments, True),
    "order of references": (order_of_references, True),
    "reference twice": (reference_twice, True),
    "absent references": (absent_references, True),
    "segment alone": (segment_alone, True),
    "system alone": (system_alone, True),
    "range": (value_range, False),
    "identical candidate": (identical, True),
    "direction": (direction, True),
    "ties": (ties, False),
    "adding up": (adding_up, True),
    "speed": (speed, False),
}


def _about_case(case: Case, progress: Progress) -> Iterator[tuple[str, Outcome]]:
    """Run all checks on texts that have a score."""
    for name, (check, needs_same) in _CHECKS.items():
        progress(Step("check", f"{case.trial.written}: {name}, on {case.corpus.name}"))
        try:
            if needs_same and not case.repeats:
                yield name, Outcome("note", "Not checked, because two calls with the same texts give different scores.")
            else:
                yield name, check(case)
        except MetricError as error:
            yield name, Outcome("fails", "It fails on texts of this check.", str(error))
