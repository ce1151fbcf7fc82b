"""Warnings about intervals and tests that err more often than stated, and about coefficients without a value."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np

from metaeval.config.schema import CorrelationSettings, Experiment
from metaeval.correlation.standard_error import (
    FEW_DOCUMENTS,
    FEW_DOCUMENTS_TO_DRAW_FROM,
    MIN_UNITS,
    effective,
    few_documents,
)
from metaeval.datamodel.corpus import CONSTANT, Corpus
from metaeval.errors import as_typed, listing
from metaeval.report.phrases import coefficient_words, grouped
from metaeval.results.keys import DocumentKind
from metaeval.results.model import Tables
from metaeval.results.rows import ONLY_SYSTEM_SCORES, Cause, Correlation


def warnings_of(experiment: Experiment, n_metrics: int) -> list[str]:
    """Return a sentence for each interval or test of an experiment, of so many metrics, that can be misread."""
    return [*_interval_warnings(experiment), *_test_warnings(experiment), *_too_few_replicates(experiment, n_metrics)]


def _interval_warnings(experiment: Experiment) -> list[str]:
    messages = list(experiment.uncertainty.interval.warnings(experiment.design))
    coefficients = experiment.correlation.coefficients
    with_scale = [coefficient_words(named.written) for named in coefficients if named.kind.changes_with_scale]
    if with_scale and len(with_scale) < len(coefficients) and experiment.documents.units.is_whole:
        others = listing(
            coefficient_words(named.written) for named in coefficients if not named.kind.changes_with_scale
        )
        messages.append(
            f"{others}: intervals and tests are those that {with_scale[0]} allows, whose value may change with the "
            "scale of a metric; put it into a panel of its own, and the others have their usual ones."
        )
    return messages


def _test_warnings(experiment: Experiment) -> list[str]:
    design = experiment.design
    unit = experiment.documents.units.unit
    tests = [settings.test for settings in experiment.tests]
    messages = [
        message for settings in experiment.tests for message in settings.test.warnings(design, settings.axis, tests)
    ]
    # The units that random tests resample or permute.
    drawn = {
        design.resample if settings.test.needs_replicates else settings.axis
        for settings in experiment.tests
        if settings.test.is_random
    }
    permuted = {settings.axis for settings in experiment.tests if settings.test.exchanges}
    if drawn & {"text", "segments", "documents"} or "both" in permuted:
        messages.append(
            f"p-values of the bootstrap over {unit}, and of permutations of {unit} or both, generalise to new {unit}, "
            "not to new systems, on which the order of two metrics may differ (docs/calibration.md)."
        )
    if "systems" in drawn:
        messages.append(
            "tests that resample or permute few systems have an inflated Type I error, 6 to 8 % instead of 5 % with 10 "
            "or 20 systems, and hardly any power with 5 (docs/calibration.md)."
        )
    return list(dict.fromkeys(messages))


def _too_few_replicates(experiment: Experiment, n_metrics: int) -> list[str]:
    """Return a message for each test that cannot be significant, because no corrected p can be small enough."""
    messages = []
    n_pairs = math.comb(n_metrics, 2)
    n_resamples = experiment.uncertainty.replicates
    for settings in experiment.tests:
        test = settings.test
        if not (test.is_random and settings.correction.kind.bounds_any):
            continue
        n_sides = test.sides
        smallest = n_sides * n_pairs / (n_resamples + 1)
        if smallest >= settings.alpha:
            needed = math.ceil(n_sides * n_pairs / settings.alpha)
            messages.append(
                f"the test {settings.named.written!r}: with {n_resamples} replicates and {n_pairs} pairs of metrics, "
                f"no p-value corrected by {settings.correction.kind.title} can be below {smallest:.3g}, so nothing "
                f"can be significant at {settings.alpha:g}; set uncertainty.n_resamples to {needed} or more."
            )
    return messages


def without_interval(correlations: Sequence[Correlation]) -> list[str]:
    """Return a message for each reason why coefficients of a corpus and criterion have no confidence interval."""
    without = Counter((row.key.corpus, row.key.criterion, row.no_interval_because) for row in correlations)
    totals = Counter((row.key.corpus, row.key.criterion) for row in correlations)
    return [
        f"{corpus}, {criterion}: {number} of {totals[corpus, criterion]} coefficients have no confidence interval: "
        + (
            f'{because}; uncertainty.resample = "systems" draws systems.'
            if because == ONLY_SYSTEM_SCORES
            else f"{because}."
        )
        for (corpus, criterion, because), number in without.items()
        if because
    ]


def undefined_coefficients(correlations: Sequence[Correlation], settings: CorrelationSettings) -> list[str]:
    """Return a message for each metric whose coefficients are partly undefined."""
    of_metrics = (row for row in correlations if row.key.metric != CONSTANT)
    messages = []
    for key, part in grouped(of_metrics, lambda row: row.key.with_names(documents=DocumentKind())).items():
        undefined = sum(row.n_undefined for row in part)
        if undefined:
            total = sum(row.n_used for row in part) + (undefined if settings.undefined == "exclude" else 0)
            causes: Counter[Cause] = Counter()
            for row in part:
                causes.update(row.undefined.causes)
            listed = ", ".join(f"{cause}: {number}" for cause, number in causes.items())
            messages.append(
                f"{key.corpus}, {key.criterion}, {key.metric}: {undefined} of {total} coefficients "
                f"({coefficient_words(key.coefficient)}) are undefined ({listed})."
            )
    return messages


def notes_on_documents(corpus: Corpus, experiment: Experiment, judged_on: float, tables: Tables) -> list[str]:
    """Return warnings about intervals over few judged documents, from which pseudo-documents may be drawn.

    Parameters
    ----------
    corpus : Corpus
    experiment : Experiment
    judged_on : float
        The mean number of documents that a system was judged on, as many of equal size as say as much; of several
        criteria, the greatest.
    tables : Tables
        Results, which may have no interval for other reasons.
    """
    units = experiment.documents.units
    has_limits = experiment.needs_replicates or experiment.uncertainty.interval.of_values
    draws_documents = experiment.uncertainty.resample in ("text", "documents") and units.unit != "documents"
    if corpus.documents is None or not has_limits or not draws_documents:
        return []
    judged = np.unique(corpus.judgments.segment) if len(corpus.judgments) else np.arange(corpus.n_segments)
    numbers = np.unique(np.array(corpus.documents)[judged], return_inverse=True)[1]
    n_documents = len(np.unique(numbers))
    equal = effective(numbers)
    if n_documents == len(numbers):
        return []
    there = few_documents(n_documents, equal)
    segments = as_typed(terminal="--resample segments", python="`uncertainty.resample` = 'segments'")
    by_segment = f"{segments} draws segments instead, as if those of a document were independent."
    undecided = "what other texts would show is undecided"
    if equal < MIN_UNITS["documents"]:
        are = "is" if n_documents == 1 else "are"
        return [f"{there} {are} too few for intervals and tests: {undecided}; {by_segment}"]
    if judged_on < MIN_UNITS["documents"]:
        few = f"a system was judged on {judged_on:.1f} of the {n_documents} documents on average"
        return [f"{few}, too few for intervals and tests: {undecided}; {by_segment}"]
    limits = [*(row.lower for row in tables.correlations), *(row.lower for row in tables.tests)]
    if not any(map(math.isfinite, limits)):
        return []
    notes = []
    if equal < FEW_DOCUMENTS:
        notes.append(f"there are {there} and intervals are wide because they are few; {by_segment}")
    if units.is_drawn and equal < FEW_DOCUMENTS_TO_DRAW_FROM:
        # As simulated: docs/calibration.md.
        notes.append(
            "where metrics are much better on some documents than on others, 95 % intervals of means over "
            "pseudo-documents contain the true value in only 91 to 93 %, and equally good metrics are found different "
            f"in 5 to 7 %, as simulated with 3 to 16 documents; there are {there.rstrip(',')}."
        )
    return notes
