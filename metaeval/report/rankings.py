"""The rankings of a run: its metrics from the best to the worst at each place, as every view shows them.

A terminal, Markdown, LaTeX, JSON, data frames, the page and figures read order, rank, star and p from here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from metaeval.components.registries import CORRECTIONS
from metaeval.config.defaults import ALPHA
from metaeval.correlation.tolerances import EQUAL
from metaeval.datamodel.corpus import CONSTANT
from metaeval.report.phrases import grouped
from metaeval.results.keys import Key
from metaeval.results.model import RunData
from metaeval.results.rows import (
    BY_INTERVALS,
    Ceiling,
    Correlation,
    Influence,
    MetricRank,
    TaskAverage,
    TaskScore,
    TaskTest,
    TestResult,
)

RowT = TypeVar("RowT", Correlation, TestResult, MetricRank, Ceiling, Influence)
STAR = "*"
# What decides the star of a task.
JOINT = "joint resampling"


@dataclass(frozen=True)
class RankedMetric:
    """A metric in a ranking.

    Attributes
    ----------
    metric : str
    value, lower, upper : float
        The coefficient, or the average of tasks, with its confidence interval; ``nan`` where undefined.
    rank : int or None
        By value, from 1; equal values share a rank. None of a metric without a value, and of one that lacks systems
        or tasks that others have.
    cluster : int or None
        A new one starts where some member of the one above is significantly better; of a task by the published test.
    star : bool
        Whether it is the best or not significantly worse than the best, by the rule of the ranking.
    p : float
        What the star rests on: the p-value of the hypothesis that no other metric is better. ``nan`` without a test.
    difference : float
        The coefficient of the best less its own.
    """

    metric: str
    value: float
    lower: float = math.nan
    upper: float = math.nan
    rank: int | None = None
    cluster: int | None = None
    star: bool = False
    p: float = math.nan
    difference: float = math.nan


@dataclass(frozen=True)
class Ranking:
    """The metrics at one place, from the best to the worst.

    Attributes
    ----------
    key : Key
        The place: corpus, preprocessing, references, criterion, documents and coefficient. Empty for a task.
    task : str or None
        The title of a task, "" of the average of all; None where the place is none of a task.
    metrics : tuple of RankedMetric
        From the best to the worst. Those without a rank come last.
    constant : RankedMetric or None
        A metric that gives every text the same score, where the coefficient gives such a metric a value.
    method, over : str
        What decides who has a star: a test, as the run writes it, with what pairs the metrics; ``intervals``, those
        that overlap with the interval of the best (Lin and Och 2004), where there is no test; "" without either.
    of_each : bool
        Whether the star has its error rate for each metric by itself (Hsu's comparisons with the best).
    """

    key: Key
    task: str | None
    metrics: tuple[RankedMetric, ...]
    constant: RankedMetric | None = None
    method: str = ""
    over: str = ""
    of_each: bool = False

    @property
    def is_tested(self) -> bool:
        """True if a test decides which metrics have a star."""
        return self.method not in ("", BY_INTERVALS)

    @property
    def starred(self) -> tuple[str, ...]:
        """The metrics that have a star."""
        return tuple(metric.metric for metric in self.metrics if metric.star)

    @property
    def star_words(self) -> str:
        """Meaning of the star, for a legend; "" if no metric has one."""
        if not self.starred:
            return ""
        if not self.is_tested:
            return "the confidence interval overlaps with that of the best"
        by_itself = ", each metric by itself" if self.of_each and len(self.metrics) > 2 else ""
        return f"not significantly worse than the best{by_itself}"

    def find(self, metric: str) -> RankedMetric | None:
        """Return a metric of the ranking, or the constant one; None where it has no such metric."""
        every = [*self.metrics, *([] if self.constant is None else [self.constant])]
        return next((ranked for ranked in every if ranked.metric == metric), None)


def rankings_of(run: RunData) -> list[Ranking]:
    """Return the rankings of a run, live or loaded: one a place, in the order of its correlations.

    Of a run of tasks: that of the average, where there are several tasks, and one of each task.

    Parameters
    ----------
    run : RunData
    """
    if run.tables.tasks:
        return _task_rankings(run)
    tests = by_place(run.tables.tests)
    ranks = by_place(run.tables.rankings)
    rows = by_place(row for row in run.tables.correlations if not row.key.is_of_judges)
    rankings = (
        _ranking_at_place(key, rows_of_place, tests.get(key, []), ranks.get(key, []))
        for key, rows_of_place in rows.items()
    )
    return [ranking for ranking in rankings if ranking.metrics]


def ranked_rows(run: RunData) -> list[RankedMetric | None]:
    """Return the ranked metric of each row of the correlations of a run; None of judges, and in a run of tasks.

    Parameters
    ----------
    run : RunData
    """
    ranked: dict[Key, RankedMetric] = {}
    for ranking in [] if run.tables.tasks else rankings_of(run):
        for metric in (*ranking.metrics, *([] if ranking.constant is None else [ranking.constant])):
            ranked[ranking.key.with_names(metric=metric.metric)] = metric
    return [None if row.key.is_of_judges else ranked.get(row.key) for row in run.tables.correlations]


def rank_columns(run: RunData) -> dict[str, list[Any]]:
    """Return rank, star and p_worse of each row of the correlations of a run, by the name of the column.

    Parameters
    ----------
    run : RunData
    """
    rows = ranked_rows(run)
    return {
        "rank": [None if metric is None else metric.rank for metric in rows],
        "star": [metric is not None and metric.star for metric in rows],
        "p_worse": [math.nan if metric is None else metric.p for metric in rows],
    }


def in_order(rows: Sequence[Correlation]) -> list[Correlation]:
    """Return the metrics of a place from the best to the worst; those that lack systems that others have come last."""
    most = max((row.n_systems for row in rows), default=0)
    return sorted(rows, key=lambda row: (row.n_systems == most, sortable(row.mean)), reverse=True)


def sortable(value: float) -> float:
    """Return a number, and one below all others where there is none."""
    return -math.inf if math.isnan(value) else value


def by_place(rows: Iterable[RowT]) -> dict[Key, list[RowT]]:
    """Return rows by their keys without a metric."""
    return grouped(rows, lambda row: row.key.place)


def _ranking_at_place(
    key: Key, rows: Sequence[Correlation], tests: Sequence[TestResult], ranks: Sequence[MetricRank]
) -> Ranking:
    metrics = in_order([row for row in rows if row.key.metric != CONSTANT])
    # The first test decides; where there is none, intervals do.
    methods = dict.fromkeys((row.method, row.over) for row in ranks)
    method, over = next(
        (method_and_over for method_and_over in methods if method_and_over[0] != BY_INTERVALS),
        next(iter(methods), ("", "")),
    )
    by_metric = {row.key.metric: row for row in ranks if (row.method, row.over) == (method, over)}
    deciding = [test for test in tests if (test.test, test.over) == (method, over)]
    n_systems = max((row.n_systems for row in metrics), default=0)
    values = [row.mean for row in metrics if row.n_systems == n_systems and not math.isnan(row.mean)]
    ranked = []
    for row in metrics:
        has_rank = row.n_systems == n_systems and not math.isnan(row.mean)
        metric_rank = by_metric.get(row.key.metric)
        ranked.append(
            RankedMetric(
                row.key.metric,
                row.mean,
                row.lower,
                row.upper,
                rank=_rank(row.mean, values) if has_rank else None,
                cluster=None if metric_rank is None else metric_rank.cluster,
                star=metric_rank is not None and metric_rank.top_cluster and len(by_metric) > 1,
                p=math.nan if metric_rank is None else metric_rank.p_worse,
                difference=_difference(metrics[0], row, deciding),
            )
        )
    constant = next((row for row in rows if row.key.metric == CONSTANT), None)
    return Ranking(
        key,
        None,
        tuple(ranked),
        constant=None if constant is None else RankedMetric(CONSTANT, constant.mean, constant.lower, constant.upper),
        method=method,
        over=over,
        of_each=bool(deciding) and CORRECTIONS[deciding[0].correction].bounds_any,
    )


def _rank(value: float, values: Iterable[float]) -> int:
    return 1 + sum(other > value + EQUAL for other in values)


def _difference(best: Correlation, row: Correlation, tests: Sequence[TestResult]) -> float:
    """Return the difference of the best to a metric as tested, on the documents where both have a coefficient."""
    for test in tests:
        if {test.metric_a, test.metric_b} == {best.key.metric, row.key.metric} and not math.isnan(test.difference):
            return test.difference if test.metric_a == best.key.metric else -test.difference
    return best.mean - row.mean


def _task_rankings(run: RunData) -> list[Ranking]:
    by_task = grouped(run.tables.tasks, lambda row: row.task)
    tests = grouped(run.tables.task_tests, lambda row: row.task)
    alpha = run.facts.get("ranking", {}).get("alpha_joint", ALPHA)
    rankings = []
    if len(by_task) > 1:
        rankings.append(_task_ranking("", run.tables.averages, tests.get("", []), alpha))
    return [*rankings, *(_task_ranking(task, rows, tests.get(task, []), alpha) for task, rows in by_task.items())]


def _task_ranking(
    title: str, rows: Sequence[TaskScore] | Sequence[TaskAverage], tests: Sequence[TaskTest], alpha: float
) -> Ranking:
    """Return the ranking of a task; ranks and clusters are those of the published rule."""
    is_tested = any(not math.isnan(test.p_joint) for test in tests)
    best = max((row.value for row in rows if not math.isnan(row.value)), default=math.nan)
    metrics = [
        RankedMetric(
            row.metric,
            row.value,
            row.lower,
            row.upper,
            rank=row.rank,
            cluster=row.cluster,
            star=is_tested and row.p_worse >= alpha,
            p=row.p_worse,
            difference=best - row.value,
        )
        for row in rows
    ]
    return Ranking(Key(), title, tuple(metrics), method=JOINT if is_tested else "", of_each=True)
