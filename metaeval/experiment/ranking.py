"""The ranks of metrics, their clusters, and which are not significantly worse than the best."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from metaeval.config.schema import Experiment, TestSettings
from metaeval.correlation.multiple_tests import against_best, clusters, top_cluster_by_intervals
from metaeval.datamodel.corpus import CONSTANT, FloatArray
from metaeval.report.phrases import grouped
from metaeval.results.rows import BY_INTERVALS, Correlation, MetricRank, TestResult


def ranking_rows(
    experiment: Experiment, correlations: Sequence[Correlation], tests: Sequence[TestResult]
) -> list[MetricRank]:
    """Rank the metrics of settings, and mark which are in the top cluster and which form clusters.

    Parameters
    ----------
    experiment : Experiment
    correlations : sequence of Correlation
        Of metrics.
    tests : sequence of TestResult
        Of the same settings.

    Returns
    -------
    list of MetricRank
        For each setting and metric, from the best to the worst: by ``intervals`` (Lin and Och: overlapping with that of
        the best) where there are any, and by each test.
    """
    by_place = grouped((row for row in correlations if row.key.metric != CONSTANT), lambda row: row.key.place)
    tests_by_place = grouped(tests, lambda test: test.key)
    rows: list[MetricRank] = []
    for place, metrics in by_place.items():
        # Undefined coefficients have no rank, nor have those across fewer systems than the others.
        most_systems = max(row.n_systems for row in metrics)
        defined = [row for row in metrics if not np.isnan(row.mean) and row.n_systems == most_systems]
        ranked = sorted(defined, key=lambda row: row.mean, reverse=True)
        without = [row for row in metrics if row not in ranked]
        rows.extend(_by_intervals(metrics, ranked))
        for settings in experiment.tests:
            test_name = (settings.named.written, settings.axis)
            of_test = [row for row in tests_by_place.get(place, []) if (row.test, row.over) == test_name]
            if of_test:
                rows.extend(_by_test(ranked, without, of_test, settings))
    return rows


def _by_intervals(metrics: Sequence[Correlation], ranked: Sequence[Correlation]) -> list[MetricRank]:
    """Return the ranking of metrics by their intervals; nothing where none has one."""
    bounded = [row for row in ranked if not np.isnan(row.lower)]
    if not bounded:
        return []
    means, lower, upper = ([getattr(row, name) for row in bounded] for name in ("mean", "lower", "upper"))
    # Without an interval of the best, none overlaps with it.
    starred = top_cluster_by_intervals(means, lower, upper) & (bounded[0] is ranked[0])
    others = [row for row in metrics if row not in bounded]
    return _ranking(bounded, others, BY_INTERVALS, "", None, starred.tolist())


def _by_test(
    ranked: Sequence[Correlation],
    without: Sequence[Correlation],
    tests: Sequence[TestResult],
    settings: TestSettings,
) -> list[MetricRank]:
    """Return the ranking of metrics by a test; a metric in no test has no rank, such as one whose scores are stored."""
    p = _matrix(ranked, tests, lambda row: row.p_corrected)
    in_tests: list[int] = np.flatnonzero(~np.isnan(p).all(axis=1)).tolist()
    p = p[np.ix_(in_tests, in_tests)]
    compared = [ranked[number] for number in in_tests]
    numbers = clusters(range(len(compared)), p, settings.alpha).tolist()
    # Clusters below a best metric that could not be tested would look as if they began with it.
    undecided = any(row.needs_resamples is not None for row in tests if row.metric_b != CONSTANT)
    if undecided or in_tests[:1] != [0]:
        numbers = None
    worse = p[0] if len(compared) else np.zeros(0)
    if settings.correction.kind.bounds_any and len(compared):
        plain = _matrix(compared, tests, lambda row: row.p)
        worse = against_best(plain, p).min(axis=0, initial=1.0, where=~np.isnan(plain))
    p_worse = worse.tolist()
    starred = [in_tests[0] == 0 and not p_value < settings.alpha for p_value in p_worse]
    others = [*(row for row in ranked if row not in compared), *without]
    return _ranking(compared, others, settings.named.written, settings.axis, numbers, starred, p_worse)


def _matrix(
    ranked: Sequence[Correlation], tests: Sequence[TestResult], p_of: Callable[[TestResult], float]
) -> FloatArray:
    """Return the p-values that the metric of a row is better than that of a column; 1 where it is not."""
    number_of = {row.key.metric: number for number, row in enumerate(ranked)}
    p = np.full((len(ranked), len(ranked)), np.nan)
    for row in tests:
        if row.metric_a not in number_of or row.metric_b not in number_of or np.isnan(row.p_corrected):
            continue  # a metric without any coefficient has no rank
        first, second = number_of[row.metric_a], number_of[row.metric_b]
        better, worse = (first, second) if row.difference > 0 else (second, first)
        p[better, worse] = p_of(row)
        p[worse, better] = 1.0
    return p


def _ranking(
    ranked: Sequence[Correlation],
    without: Sequence[Correlation],
    method: str,
    over: str,
    cluster_numbers: Sequence[int] | None,
    starred: Sequence[bool],
    worse: Sequence[float] | None = None,
) -> list[MetricRank]:
    """Return the rows of ranked metrics, and of those without a rank."""
    rows = [
        MetricRank(
            row.key,
            method,
            over,
            rank=number + 1,
            mean=row.mean,
            cluster=None if cluster_numbers is None else cluster_numbers[number],
            top_cluster=starred[number],
            p_worse=np.nan if worse is None else worse[number],
        )
        for number, row in enumerate(ranked)
    ]
    return rows + [
        MetricRank(row.key, method, over, rank=None, mean=row.mean, cluster=None, top_cluster=False) for row in without
    ]
