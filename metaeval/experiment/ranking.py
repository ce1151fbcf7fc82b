"""The ranks of metrics, their clusters, and which are not significantly worse than the best."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from metaeval.correlation.families import against_best, clusters, top_cluster_by_intervals
from metaeval.records import CONSTANT, FloatArray
from metaeval.results.keys import Key
from metaeval.results.rows import Correlation, MetricRank, TestResult
from metaeval.schema import Experiment


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
        # Coefficients across fewer systems have no rank among the others, nor has what is undefined.
        most = max(row.n_systems for row in metrics)
        defined = [row for row in metrics if not np.isnan(row.mean) and row.n_systems == most]
        ranked = sorted(defined, key=lambda row: row.mean, reverse=True)
        without = [row for row in metrics if row not in ranked]
        bounded = [row for row in ranked if not np.isnan(row.lower)]
        if bounded:
            means, lower, upper = ([getattr(row, name) for row in bounded] for name in ("mean", "lower", "upper"))
            # Without an interval of the best, none overlaps with it.
            equal = top_cluster_by_intervals(means, lower, upper) & (bounded[0] is ranked[0])
            others = [row for row in metrics if row not in bounded]
            rows.extend(_ranking(bounded, others, "intervals", "", None, equal.tolist()))
        for settings in experiment.tests:
            asked = (settings.named.written, settings.axis)
            of_test = [one for one in tested.get(key, []) if (one.test, one.over) == asked]
            if of_test:
                # Nor has a metric that is in no test, as its scores are stored for whole systems.
                p = _matrix(ranked, of_test, lambda row: row.p_corrected)
                in_tests: list[int] = np.flatnonzero(~np.isnan(p).all(axis=1)).tolist()
                p = p[np.ix_(in_tests, in_tests)]
                tried = [ranked[place] for place in in_tests]
                untried = [row for row in ranked if row not in tried]
                found = clusters(range(len(tried)), p, settings.alpha).tolist()
                # Clusters below a best metric that could not be tested would look as if they began with it.
                undecided = any(one.needs_resamples is not None for one in of_test if one.metric_b != CONSTANT)
                if undecided or in_tests[:1] != [0]:
                    found = None
                worse = p[0] if len(tried) else np.zeros(0)
                if settings.correction.kind.bounds_any and len(tried):
                    plain = _matrix(tried, of_test, lambda row: row.p)
                    worse = against_best(plain, p).min(axis=0, initial=1.0, where=~np.isnan(plain))
                equal_to_best = [in_tests[0] == 0 and not one < settings.alpha for one in worse.tolist()]
                rows.extend(_ranking(tried, [*untried, *without], *asked, found, equal_to_best, worse.tolist()))
    return rows


def _matrix(
    ranked: Sequence[Correlation], tests: Sequence[TestResult], p_of: Callable[[TestResult], float]
) -> FloatArray:
    """Return the p-values that the metric of a row is better than that of a column; 1 where it is not."""
    place = {row.key.metric: number for number, row in enumerate(ranked)}
    p = np.full((len(ranked), len(ranked)), np.nan)
    for row in tests:
        if row.metric_a not in place or row.metric_b not in place or np.isnan(row.p_corrected):
            continue  # a metric without any coefficient has no rank
        first, second = place[row.metric_a], place[row.metric_b]
        better, worse = (first, second) if row.difference > 0 else (second, first)
        p[better, worse], p[worse, better] = p_of(row), 1.0
    return p


def _ranking(
    ranked: Sequence[Correlation],
    without: Sequence[Correlation],
    method: str,
    over: str,
    found: Sequence[int] | None,
    equal: Sequence[bool],
    worse: Sequence[float] | None = None,
) -> list[MetricRank]:
    rows = [
        MetricRank(
            row.key,
            method,
            over,
            place + 1,
            row.mean,
            None if found is None else found[place],
            equal[place],
            np.nan if worse is None else worse[place],
        )
        for place, row in enumerate(ranked)
    ]
    return rows + [MetricRank(row.key, method, over, None, row.mean, None, False, np.nan) for row in without]
