"""Conformance of a metric, for its author: every check on small texts, and on those of a corpus if there is one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from metaeval.errors import MetricError, UsageError
from metaeval.metrics import AnyMetric
from metaeval.metrics.selection import NamedMetric, check_texts
from metaeval.metrics.text_metric import TextMetric
from metaeval.plugins.conformance.case import Case
from metaeval.plugins.conformance.checks import CHECKS
from metaeval.plugins.conformance.examples import EMPTY_OR_SHORT, example_corpus
from metaeval.plugins.conformance.findings import Finding, found
from metaeval.plugins.conformance.itself import about_itself
from metaeval.plugins.conformance.scored import about_scores, scored_segments
from metaeval.plugins.conformance.trial import Trial, part
from metaeval.plugins.precomputed import Precomputed
from metaeval.progress import Progress, Step
from metaeval.records import Corpus
from metaeval.runtime.cache import disabled
from metaeval.text.preprocessing import get_preprocessing

# Of a corpus; more would take long and show little more.
MOST_SEGMENTS, MOST_SYSTEMS = 30, 4


def check_metric(
    name: str, metric: AnyMetric, corpus: Corpus | None, preprocessing: str, progress: Progress
) -> tuple[Finding, ...]:
    """Check a metric on the example texts, and on the beginning of a corpus.

    Parameters
    ----------
    name : str
        With parameters or without.
    metric : Metric or TextMetric
        That of the name.
    corpus : Corpus or None
        Of which the first `MOST_SEGMENTS` segments of the first `MOST_SYSTEMS` systems are used.
    preprocessing : str
        The preprocessing of texts, if the metric reads tokens.
    progress : callable
        Called with a :class:`~metaeval.progress.Step` at the beginning of each check.

    Returns
    -------
    tuple of Finding
        What each check found, on the metric itself first.

    Raises
    ------
    UsageError
        If the metric stands for scores that were computed before, is named by a signature, scores whole systems alone,
        or needs references that the corpus has not.
    """
    if isinstance(metric, Precomputed):
        raise UsageError(
            f"metric {name!r} stands for scores that were computed before, and the checks need scores of other texts; "
            "check the metric that made them."
        )
    if stated := getattr(metric, "stated", None):
        raise UsageError(
            f"metric {name!r} fixes the number of references, and the checks need several numbers of them; check "
            f"{str(stated.call)!r}."
        )
    is_whole = isinstance(metric, TextMetric) and metric.of_whole_systems(corpus or example_corpus())
    if is_whole:
        raise UsageError(
            f"metric {name!r} gives one number for a whole system, and the checks need scores of segments."
        )
    trial = Trial(name, metric, get_preprocessing(preprocessing))
    texts = [example_corpus()]
    if corpus is not None:
        check_texts(corpus, [NamedMetric(name, metric)])
        segments, systems = range(min(MOST_SEGMENTS, corpus.n_segments)), range(min(MOST_SYSTEMS, len(corpus.systems)))
        texts.append(part(corpus, segments, systems))
    findings: list[Finding] = []
    cases: list[Case | None] = []
    with disabled():  # whether it says the same again shows when it is asked again
        for one in texts:
            outcomes, case = _on_texts(trial, one, progress, examples=one is texts[0])
            findings += _findings(outcomes, one.name)
            cases.append(case)
        # What was printed is known when everything has been called; still the metric itself comes first.
        progress(Step("check", f"{name}: signature, pickling and more"))
        return (*_findings(about_itself(trial, texts[0], cases[0]), ""), *findings)


def _findings(outcomes: Mapping[str, Finding], texts: str) -> list[Finding]:
    return [replace(one, check=check, texts=texts) for check, one in outcomes.items()]


def _on_texts(
    trial: Trial, corpus: Corpus, progress: Progress, *, examples: bool
) -> tuple[dict[str, Finding], Case | None]:
    """Return what all checks find, and the texts that have a score as a case, if there are any."""
    progress(Step("check", f"{trial.written}: which texts of {corpus.name} have a score"))
    segments, slow, problems = scored_segments(trial, corpus, shorten=not examples)
    outcomes = about_scores(corpus, problems, EMPTY_OR_SHORT if examples else (), slow)
    chosen = part(corpus, [segment for segment in segments if segment not in slow])
    if not chosen.n_segments:
        return outcomes, None
    try:
        case = Case(trial, chosen, trial.measure(chosen))
    except MetricError as error:
        return {**outcomes, "same again": found("failing again", str(error))}, None
    lost = np.argwhere(~np.isfinite(case.measured.scores))
    if len(lost):
        return {**outcomes, "same again": found("lost", case.place(*map(int, lost[0])))}, None
    for name, check in CHECKS.items():
        progress(Step("check", f"{trial.written}: {name}, on {corpus.name}"))
        outcomes[name] = check(case)
    return outcomes, case
