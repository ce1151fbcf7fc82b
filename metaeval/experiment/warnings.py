"""What a reader of intervals and tests must know: where they do not keep what they promise (docs/calibration.md)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from metaeval.correlation.averages import correlate
from metaeval.correlation.bootstrap import generalises_to
from metaeval.correlation.pairwise import PairwiseAccuracy
from metaeval.errors import UsageError
from metaeval.kinds import COEFFICIENTS, INTERVALS, TESTS
from metaeval.metrics import get_metric, is_built_in
from metaeval.records import FloatArray
from metaeval.results.rows import Correlation, TestResult
from metaeval.schema import Experiment

# Ties in one pair of twenty. On single segments of the corpora of this project, smoothing BLEU moved its pairwise
# accuracy by 0.01 to 0.06 where BLEU tied more pairs than this, and by less where it tied fewer.
_MANY_TIES = 0.05
# The calibration has 5, 10 and 20 systems. Fewer than this are nearer to 5, where hardly anything can be found.
_ENOUGH_SYSTEMS = 8


def warnings_of(experiment: Experiment) -> list[str]:
    """Return a sentence for each interval or test of an experiment that can be misread."""
    return [*_of_intervals(experiment), *_of_tests(experiment), *_too_few_replicates(experiment)]


def _of_intervals(experiment: Experiment) -> list[str]:
    settings = experiment.uncertainty
    units = experiment.documents.units
    resamples = settings.interval.needs_replicates and settings.resample != "systems"
    if not (resamples and (units.is_whole or units.is_drawn)):
        return []
    about = "other segments for these systems" if settings.resample == "segments" else "other segments and systems"
    why = "they lie low, because each replicate adds the noise of segments once more (docs/calibration.md)"
    if units.is_drawn:
        why = (
            "the documents of a replicate hold some segments twice, so that the limits need not lie evenly around a "
            "mean and may even leave it out"
        )
    return [f"the limits speak about {about}; {why}."]


def _of_tests(experiment: Experiment) -> list[str]:
    design, unit = experiment.design, experiment.documents.units.unit
    tests = [settings.test for settings in experiment.tests]
    found = [
        message for settings in experiment.tests for message in settings.test.warnings(design, settings.axis, tests)
    ]
    # What the p of a test that resamples or permutes is taken from.
    drawn = {
        design.resample if settings.test.needs_replicates else settings.axis
        for settings in experiment.tests
        if settings.test.is_random
    }
    permuted = {settings.axis for settings in experiment.tests if settings.test.exchanges}
    if ("segments" in drawn) or ("both" in permuted):
        found.append(
            f"p-values of the bootstrap over {unit}, and of permutations of {unit} or both, speak about other "
            f"{unit} for these systems; on other systems the order of two metrics may differ (docs/calibration.md)."
        )
    if "systems" in drawn:
        found.append(
            "tests that resample or permute few systems find somewhat too much, 6 to 8 % instead of 5 % with 10 or 20 "
            "systems, and nothing with 5 (docs/calibration.md)."
        )
    return list(dict.fromkeys(found))


def _too_few_replicates(experiment: Experiment) -> list[str]:
    """Return a message for each test that cannot find anything, because no corrected p can be small enough."""
    messages = []
    n_pairs, n_resamples = math.comb(len(experiment.metrics), 2), experiment.uncertainty.n_resamples
    for settings in experiment.tests:
        test = settings.test
        if not (test.is_random and settings.correction.kind.bounds_any):
            continue
        n_sides = test.sides
        smallest = n_sides * n_pairs / (n_resamples + 1)
        if smallest >= settings.alpha:
            needed = math.ceil(n_sides * n_pairs / settings.alpha)
            messages.append(
                f"the test {settings.method.written!r}: of {n_resamples} replicates and {n_pairs} pairs of metrics, no "
                f"random p corrected by {settings.correction.kind.title} is below {smallest:.3g}, so nothing can be "
                f"significant at {settings.alpha:g}; set uncertainty.n_resamples to {needed} or more."
            )
    return messages


def notes_on_table(
    ranked: Sequence[Correlation], tests: Sequence[TestResult], human: FloatArray, ties: Mapping[str, float]
) -> list[str]:
    """Return how to read a table of a comparison, and what in its data misleads.

    Parameters
    ----------
    ranked : sequence of Correlation
        The metrics of one place.
    tests : sequence of TestResult
        The tests of this place.
    human : (documents, systems) float array
    ties : mapping of str to float
        For each metric, the share of pairs of systems with equal scores.
    """
    notes = [_of_limits_and_p(ranked[0], tests), *_without_interval(ranked, tests)]
    notes += _of_few_systems(ranked[0], tests, human.shape[-1])
    if ranked[0].key.documents.units.is_single:
        notes += [*_of_ties(ties), *_of_human_ties(ranked[0], human)]
    return notes


def _spoken_of(row: TestResult) -> str:
    """Return what the p of a test is an inference to."""
    return TESTS.named(row.test).generalises_to(row.over, row.key.documents.units.unit, row.resampled)


def _of_limits_and_p(row: Correlation, tests: Sequence[TestResult]) -> str:
    about = generalises_to(INTERVALS[row.interval].about or row.resampled)
    notes = f"[ ]: 95 % limits, each by itself{f' ({about})' if about else ''}."
    if not tests:
        return notes
    notes += f" p: test {tests[0].test!r} ({_spoken_of(tests[0])}), corrected for all pairs of metrics."
    if any(one.is_smallest_p and one.p_corrected < 1 for one in tests):
        notes += " <=: it cannot be smaller with so few replicates."
    return (
        f"{notes}\ncluster: down the table, a metric begins a new one where any of the present one is significantly "
        "better."
    )


def _without_interval(ranked: Sequence[Correlation], tests: Sequence[TestResult]) -> list[str]:
    """Return why coefficients, or differences of two, have no limits."""
    of: dict[str, list[str]] = {}
    for row in ranked:
        if row.no_interval_because:
            of.setdefault(row.no_interval_because, []).append(row.key.metric)
    found = [f"No limits of {', '.join(metrics)}: {because}." for because, metrics in of.items()]
    # Other tests have no limits of a difference anyway.
    has_limits = bool(tests) and TESTS.named(tests[0].test).gives_interval
    if has_limits and not of and any(one.p == 1 and one.lower != one.lower and not _is_nan(one) for one in tests):
        found.append("No limits of a difference: all replicates give the same one.")
    return found


def _is_nan(row: TestResult) -> bool:
    return row.difference != row.difference


def without_interval(correlations: Sequence[Correlation]) -> list[str]:
    """Return a message for each reason why coefficients of a corpus and criterion have no limits."""
    of = Counter((row.key.corpus, row.key.criterion, row.no_interval_because) for row in correlations)
    total = Counter((row.key.corpus, row.key.criterion) for row in correlations)
    return [
        f"{corpus}, {criterion}: {number} of {total[corpus, criterion]} coefficients have no limits: {because}."
        for (corpus, criterion, because), number in of.items()
        if because
    ]


def _of_few_systems(row: Correlation, tests: Sequence[TestResult], n_systems: int) -> list[str]:
    is_grid = COEFFICIENTS.named(row.key.coefficient).takes_grid
    across = row.key.average_by == "item" or is_grid or row.key.documents.units.is_whole
    resampled = row.resampled or "systems"
    if not across or n_systems >= _ENOUGH_SYSTEMS or "systems" in resampled:
        return []
    of_text = bool(tests) and "other systems" not in _spoken_of(tests[0])
    what = f"limits{' and p' if of_text else ''} over {resampled}"
    note = (
        f"{n_systems} systems: {what} say nothing of other systems, of which so few can show little: in the "
        "calibration, with 5 systems, no test that keeps its level for other systems found a difference in more than "
        "6 % of the corpora (docs/calibration.md)."
    )
    return [note]


def _of_ties(ties: Mapping[str, float]) -> list[str]:
    many = {name: share for name, share in ties.items() if share > _MANY_TIES and _can_be_smoothed(name)}
    if not many:
        return []
    found = " and ".join(f"{name} in {100 * share:.1f} %" for name, share in many.items())
    note = (
        f"Many pairs of systems are tied by {found} of the pairs: without smoothing, a segment that lacks matches of "
        'an order has 0. Smoothing tells those with some matches apart: bleu(smooth="exp").'
    )
    return [note]


def _can_be_smoothed(name: str) -> bool:
    """Return whether a metric has a smoothing, and it is off."""
    metric: Any = get_metric(name)
    if not is_built_in(metric) or getattr(metric, "smooth", None) != "none":
        return False
    try:
        replace(metric, smooth="exp")
    except UsageError:  # other parameters, such as an arithmetic mean, make it needless
        return False
    return True


def _of_human_ties(row: Correlation, human: FloatArray) -> list[str]:
    coefficient = COEFFICIENTS.named(row.key.coefficient)
    if not isinstance(coefficient, PairwiseAccuracy):
        return []
    # A constant metric is right in the pairs that people see tied, and in no others.
    right = correlate(np.zeros_like(human), human, coefficient, row.key.average_by)
    tied = 0.0 if np.isnan(right).all() else float(np.nanmean(right))
    if tied <= _MANY_TIES:
        return []
    note = (
        f"People's scores are tied in {100 * tied:.1f} % of the pairs: a metric that always says the same has the "
        f"pairwise accuracy {tied:.3f}."
    )
    if coefficient.epsilon == 0:
        note += (
            " Calibrate ties before metrics are compared: metaeval.correlation.pairwise.tie_calibration finds the "
            "threshold for a metric, which pairwise-accuracy(epsilon=...) takes."
        )
    return [note]
