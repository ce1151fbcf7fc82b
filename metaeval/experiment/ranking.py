"""The ranks of metrics, their clusters, and which are not significantly worse than the best."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from metaeval.config.schema import Experiment
from metaeval.correlation.multiple_tests import against_best, clusters, top_cluster_by_intervals
from metaeval.datamodel.corpus import CONSTANT, FloatArray
from metaeval.results.keys import Key
from metaeval.results.rows import Correlation, MetricRank, TestResult


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
    of_setting: dict[Key, list[Correlation]] = {}
    for row in correlations:
        if row.key.metric != CONSTANT:
            of_setting.setdefault(row.key.of(metric=""), []).append(row)
    tested: dict[Key, list[TestResult]] = {}
    for test in tests:
        tested.setdefault(test.key, []).append(test)
    rows: list[MetricRank] = []
    for key, metrics in of_setting.items():
        # Undefined coefficients have no rank, nor have those across fewer systems than the others.
        most_systems = max(row.n_systems for row in metrics)
        defined = [row for row in metrics if not np.isnan(row.mean) and row.n_systems == most_systems]
        ranked = sorted(defined, key=lambda row: row.mean, reverse=True)
        without = [row for row in metrics if row not in ranked]
        bounded = [row for row in ranked if not np.isnan(row.lower)]
        if bounded:
            means, lower, upper = ([getattr(row, name) for row in bounded] for name in ("mean", "lower", "upper"))
            # Without an interval of the best, none overlaps with it.
            starred_by_overlap = top_cluster_by_intervals(means, lower, upper) & (bounded[0] is ranked[0])
            others = [row for row in metrics if row not in bounded]
            rows.extend(_ranking(bounded, others, "intervals", "", None, starred_by_overlap.tolist()))
        for settings in experiment.tests:
            test_name = (settings.named.written, settings.axis)
            of_test = [row for row in tested.get(key, []) if (row.test, row.over) == test_name]
            if of_test:
                # A metric in no test has no rank either, such as one whose scores are stored for whole systems.
                p = _matrix(ranked, of_test, lambda row: row.p_corrected)
                in_tests: list[int] = np.flatnonzero(~np.isnan(p).all(axis=1)).tolist()
                p = p[np.ix_(in_tests, in_tests)]
                compared = [ranked[number] for number in in_tests]
                not_compared = [row for row in ranked if row not in compared]
                numbers = clusters(range(len(compared)), p, settings.alpha).tolist()
                # Clusters below a best metric that could not be tested would look as if they began with it.
                undecided = any(row.needs_resamples is not None for row in of_test if row.metric_b != CONSTANT)
                if undecided or in_tests[:1] != [0]:
                    numbers = None
                worse = p[0] if len(compared) else np.zeros(0)
                if settings.correction.kind.bounds_any and len(compared):
                    plain = _matrix(compared, of_test, lambda row: row.p)
                    worse = against_best(plain, p).min(axis=0, initial=1.0, where=~np.isnan(plain))
                p_worse = worse.tolist()
                starred = [in_tests[0] == 0 and not p_value < settings.alpha for p_value in p_worse]
                others = [*not_compared, *without]
                rows.extend(_ranking(compared, others, *test_name, numbers, starred, p_worse))
    return rows


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
            number + 1,
            row.mean,
            None if cluster_numbers is None else cluster_numbers[number],
            starred[number],
            np.nan if worse is None else worse[number],
        )
        for number, row in enumerate(ranked)
    ]
    return rows + [MetricRank(row.key, method, over, None, row.mean, None, False, np.nan) for row in without]
