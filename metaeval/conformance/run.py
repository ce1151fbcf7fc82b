"""Run every check of a metric on small texts, and on those of a corpus if there is one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from metaeval.conformance.checks import (
    CHECKS,
    every_text_has_a_score,
    prints_nothing,
    run_check,
    unscored_texts,
)
from metaeval.conformance.examples import example_corpus
from metaeval.conformance.finding import Finding, fails
from metaeval.conformance.scoring import CheckedMetric, ScoredTexts, part
from metaeval.datamodel.corpus import Corpus
from metaeval.errors import MetricError, UsageError
from metaeval.metrics import AnyMetric
from metaeval.metrics.selection import NamedMetric, check_texts
from metaeval.metrics.text_metric import TextMetric
from metaeval.runtime.cache import disabled
from metaeval.runtime.progress import Progress, Step
from metaeval.scores.precomputed import Precomputed
from metaeval.text.preprocessing import get_preprocessing

# Of a corpus; more would take long and show little more.
MAX_SEGMENTS = 30
MAX_SYSTEMS = 4
# Longer candidates are scored once; the checks that score all texts many times leave their segments out.
MAX_WORDS = 100


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
        Of which the first `MAX_SEGMENTS` segments of the first `MAX_SYSTEMS` systems are used.
    preprocessing : str
        The preprocessing of texts, if the metric reads tokens.
    progress : callable
        Called with a :class:`~metaeval.runtime.progress.Step` at the beginning of each check.

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
    if isinstance(metric, TextMetric) and metric.of_whole_systems(corpus or example_corpus()):
        raise UsageError(
            f"metric {name!r} gives one number for a whole system, and the checks need scores of segments."
        )
    checked = CheckedMetric(name, metric, get_preprocessing(preprocessing))
    texts = [example_corpus()]
    if corpus is not None:
        check_texts(corpus, [NamedMetric(name, metric)])
        segments = range(min(MAX_SEGMENTS, corpus.n_segments))
        systems = range(min(MAX_SYSTEMS, len(corpus.systems)))
        texts.append(part(corpus, segments, systems))
    findings: list[Finding] = []
    with disabled():  # whether it says the same again shows when it is asked again
        for number, part_checked in enumerate(texts):
            by_check = _on_texts(checked, part_checked, progress, examples=number == 0)
            findings += [replace(finding, check=check, texts=part_checked.name) for check, finding in by_check.items()]
    # What was printed is known when everything has been called.
    return (replace(prints_nothing(checked), check="standard output"), *findings)


def _on_texts(metric: CheckedMetric, corpus: Corpus, progress: Progress, *, examples: bool) -> Mapping[str, Finding]:
    """Return the findings of all checks on some texts."""
    progress(Step("check", f"{metric.name}: which texts of {corpus.name} have a score"))
    problems = unscored_texts(metric, corpus)
    findings = every_text_has_a_score(corpus, problems, examples=examples)
    unscored = {segment for _, segment in problems}
    is_long = [False] * corpus.n_segments
    for texts_of_system in corpus.candidates:
        for i, text in enumerate(texts_of_system):
            is_long[i] |= len((text or "").split()) > MAX_WORDS
    is_complete = np.asarray(metric.expects_score(corpus).all(axis=0))
    segments = [i for i in range(corpus.n_segments) if is_complete[i] and i not in unscored and not is_long[i]]
    if not segments:
        return findings
    chosen = part(corpus, segments)
    try:
        texts = ScoredTexts(metric, chosen, metric.score_texts(chosen))
    except MetricError as error:
        return {**findings, "same again": fails("It fails on texts that it has scored before.", str(error))}
    lost = np.argwhere(~np.isfinite(texts.first.scores)).tolist()
    if lost:
        finding = fails("It has no score for texts that it has scored before.", texts.text_words(*lost[0]))
        return {**findings, "same again": finding}
    for name, check in CHECKS.items():
        progress(Step("check", f"{metric.name}: {name}, on {corpus.name}"))
        findings[name] = run_check(check, texts)
    return findings
