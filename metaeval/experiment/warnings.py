"""Warnings about intervals and tests: where coverage or Type I error is not as stated (docs/calibration.md)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from metaeval.config.schema import Experiment
from metaeval.errors import listing
from metaeval.results.rows import Correlation


def warnings_of(experiment: Experiment, n_metrics: int) -> list[str]:
    """Return a sentence for each interval or test of an experiment, of so many metrics, that can be misread."""
    return [*_of_intervals(experiment), *_of_tests(experiment), *_too_few_replicates(experiment, n_metrics)]


def _of_intervals(experiment: Experiment) -> list[str]:
    messages = list(experiment.uncertainty.interval.warnings(experiment.design))
    coefficients = experiment.correlation.coefficients
    with_scale = [named.written for named in coefficients if named.kind.changes_with_scale]
    if with_scale and len(with_scale) < len(coefficients) and experiment.documents.units.is_whole:
        others = listing(named.written for named in coefficients if not named.kind.changes_with_scale)
        messages.append(
            f"{others}: intervals and tests are those that {with_scale[0]!r} allows, whose value may change with the "
            "scale of a metric; put it into a panel of its own, and the others have their usual ones."
        )
    return messages


def _of_tests(experiment: Experiment) -> list[str]:
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
        f"{because}."
        for (corpus, criterion, because), number in without.items()
        if because
    ]
