"""Rank the metrics of each task and of their average: by the published rule, and by one joint resampling.

Sources
-------
The published rule is that of WMT's metrics tasks (Freitag et al. 2022, 2023, 2024), as mt-metrics-eval has it: values
in order, clusters by the permutation test PERM-BOTH (Deutsch, Dror and Roth 2021), averages of values mapped to 0 to 1.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from metaeval.config.defaults import ALPHA
from metaeval.correlation.multiple_tests import clusters
from metaeval.correlation.shared_task import PermutedTask, permuted_task
from metaeval.correlation.significant_pairs import SignificantPairs
from metaeval.datamodel.corpus import FloatArray
from metaeval.errors import listing
from metaeval.experiment.tasks import SharedTask, Task
from metaeval.results.model import RunData
from metaeval.results.rows import TaskAverage, TaskScore, TaskTest
from metaeval.runtime.parallel import Call, Executor
from metaeval.runtime.progress import Progress, Step
from metaeval.runtime.randomness import generator
from metaeval.shared_tasks.averages import average_clusters, split_weights
from metaeval.shared_tasks.cells import CellScores
from metaeval.shared_tasks.joint import JointErrors, joint_family

# Values that agree to so many digits are equal; their metrics are ordered by name.
_TIE_DIGITS = 12


@dataclass(frozen=True)
class _Family:
    """Intervals, clusters and p-values of metrics, and corrected p-values of pairs, as far as there are any."""

    limits: Mapping[str, tuple[float, float]]
    clusters: Mapping[str, int | None]
    p: Mapping[tuple[str, str], float]
    p_worse: Mapping[str, float]

    def p_of(self, first: str, second: str) -> float:
        """Return the p-value of two metrics, in any order."""
        return self.p.get((first, second), self.p.get((second, first), math.nan))


@dataclass(frozen=True)
class _Ranked:
    """A task whose metrics are ranked.

    Attributes
    ----------
    cells : sequence of CellScores
    shares : sequence of float
        The weight of each of them in the value of the task.
    weight : float
        Of the task in the averages.
    order : list of str
        The metrics that have a rank, from the best.
    rows : list of TaskScore
        In this order, then those without a rank.
    permuted : list of (PermutedTask, float)
        Of `order`, with the weight of each in the value of the task; empty without the published test.
    tests : list of TaskTest
    """

    cells: Sequence[CellScores]
    shares: Sequence[float]
    weight: float
    order: list[str]
    rows: list[TaskScore]
    permuted: list[tuple[PermutedTask, float]]
    tests: list[TaskTest]

    @property
    def lowest(self) -> float:
        """The least possible value of its coefficient; the largest is 1."""
        return self.cells[0].coefficient.lowest


def rank_tasks(
    run: RunData,
    shared: SharedTask,
    cells_of: Mapping[str, Sequence[CellScores]],
    executor: Executor,
    progress: Progress,
) -> None:
    """Add the tables of tasks, their tests and their averages to a run.

    Parameters
    ----------
    run : RunData
    shared : SharedTask
    cells_of : mapping of str to sequence of CellScores
        By the title of the task.
    executor : Executor
    progress : callable
    """
    tasks = [task for task in shared.tasks if cells_of[task.title]]
    if by := shared.ranking.weights_by:
        weights = split_weights([task.attributes for task in tasks], by).tolist()
    else:
        weights = [task.weight for task in tasks]
    metrics = sorted({metric for cells in cells_of.values() for cell in cells for metric in cell.rows})
    # Exchanges are products and kernels, which run side by side.
    calls = [
        Call(_ranked, (task, weight / sum(weights), cells_of[task.title], metrics, shared))
        for task, weight in zip(tasks, weights, strict=True)
    ]
    ranked: list[_Ranked] = []
    for number, task in enumerate(executor.run(calls, "threads")):
        progress(Step("rank", tasks[number].title, number, len(tasks) + 1))
        ranked.append(task)
        run.tables.tasks.extend(task.rows)
        run.tables.task_tests.extend(task.tests)
    progress(Step("rank", "averages", len(tasks), len(tasks) + 1))
    averages, tests = _averages(ranked, metrics, shared)
    run.tables.averages.extend(averages)
    run.tables.task_tests.extend(tests)
    all_cells = [cell for cells in cells_of.values() for cell in cells]
    run.warnings += [
        *_documents_in_part([cell for cell in all_cells if cell.replicates]),
        *_published_by_segment(all_cells, shared),
    ]


def _documents_in_part(cells: Sequence[CellScores]) -> list[str]:
    """Return a message on corpora that have some documents of the same names, but do not draw them together."""
    drawn = {corpus: {cell.documents for cell in cells if cell.corpus == corpus} for corpus in _corpora(cells)}
    in_part: list[str] = []
    for corpus, other_corpus in itertools.permutations(drawn, 2):
        names = set().union(*drawn[other_corpus])
        if any(not names.isdisjoint(documents) for documents in drawn[corpus] - drawn[other_corpus]):
            in_part += corpus, other_corpus
    if not in_part:
        return []
    message = (
        f"{listing(dict.fromkeys(in_part))}: these corpora have documents of the same names, but not all of them or in "
        "another order, so that no replicate draws them together. In averages their errors are added as if they were "
        "wholly correlated: intervals are rather too wide than too narrow. If the documents are other texts, rename "
        "them."
    )
    return [message]


def _published_by_segment(cells: Sequence[CellScores], shared: SharedTask) -> list[str]:
    """Return a message on the published test of corpora whose segments are in documents."""
    of_documents = [cell for cell in cells if cell.n_documents]
    if not (of_documents and shared.ranking.permutations):
        return []
    # As simulated: two metrics of one law, whose noise differs between 20 documents of 10 segments.
    message = (
        f"{', '.join(_corpora(of_documents))}: documents have several segments, which the published test (PERM-BOTH) "
        "takes as independent. So clusters can part metrics that are equally good. In simulations with 20 documents it "
        "did so, instead of in 5 %, in 18 % by correlations of systems, in 62 % by acc_eq of segments, and in 40 % by "
        "the average. The joint tests, which draw whole documents, do not."
    )
    return [message]


def _corpora(cells: Sequence[CellScores]) -> list[str]:
    """Return the names of the corpora, each once."""
    return list(dict.fromkeys(cell.corpus for cell in cells))


def _ranked(
    task: Task, weight: float, cells: Sequence[CellScores], metrics: Sequence[str], shared: SharedTask
) -> _Ranked:
    coefficient = cells[0].coefficient
    pooled = coefficient.pools_pairs and task.settings.together and task.settings.level == "system"
    sizes = [_n_correlated(cell, pairs=pooled) for cell in cells]
    n = sum(sizes)
    shares = [size / n if pooled and n else 1 / len(cells) for size in sizes]
    values = {metric: _value(metric, cells, shares) for metric in metrics}
    missing = {metric: _missing(metric, task, cells, values[metric]) for metric in metrics}
    order = _in_order({metric: value for metric, value in values.items() if not missing[metric]})
    permuted = _permuted(cells, shares, order, shared, task.title, pooled=pooled)
    p = _p(permuted)
    if len(cells) == 1:
        family = _own_family(cells[0])
    else:
        errors = JointErrors(order)
        for cell, share in zip(cells, shares, strict=True):
            errors.add(cell.corpus, cell.units, cell.replicates, share, cell.sample_size, cell.documents)
        family = _joint_family(order, values, errors, cells, coefficient.lowest)
    published = _published(order, p, shared)
    rows = [
        TaskScore(
            task=task.title,
            corpora=task.attributes["corpora"],
            level=task.settings.level,
            coefficient=task.attributes["coefficient"],
            average_by=cells[0].experiment.correlation.average_by,
            weight=weight,
            metric=metric,
            value=values[metric],
            **_places(metric, order, published, family),
            n=n,
            missing=missing[metric],
            variant="; ".join(filter(None, (task.settings.title, task.attributes["filter"]))),
        )
        for metric in [*order, *(metric for metric in metrics if missing[metric])]
    ]
    tests = _tests(task.title, order, values, p, family)
    return _Ranked(cells, shares, weight, order, rows, permuted, tests)


def _counted_rank(row: TaskScore, ranked: _Ranked) -> float:
    """Return the rank that counts in the average: the cluster, where the published test was made."""
    rank = row.cluster if ranked.permuted else row.rank
    return math.nan if rank is None else float(rank)


def _in_order(values: Mapping[str, float]) -> list[str]:
    """Return metrics from the best to the worst, equal ones by name."""
    return sorted(values, key=lambda metric: (-round(values[metric], _TIE_DIGITS), metric))


def _places(metric: str, order: Sequence[str], published: Mapping[str, int], family: _Family) -> dict[str, Any]:
    """Return the interval of a metric, and its places by the published rule and by a family of tests: columns."""
    lower, upper = family.limits.get(metric, (math.nan, math.nan))
    rank = order.index(metric) + 1 if metric in order else None
    cluster_joint = family.clusters.get(metric) if rank else None
    return {
        "lower": lower,
        "upper": upper,
        "rank": rank,
        "cluster": published.get(metric),
        "rank_joint": rank if cluster_joint else None,
        "cluster_joint": cluster_joint,
        "p_worse": family.p_worse.get(metric, math.nan) if rank else math.nan,
    }


def _published(order: Sequence[str], p: FloatArray | None, shared: SharedTask) -> dict[str, int]:
    """Return clusters by the published rule; none without its test, as of a constant metric."""
    if p is None:
        return {}
    tested = np.flatnonzero(np.isfinite(p).any(axis=1))
    numbers = clusters(range(len(tested)), p[np.ix_(tested, tested)], shared.ranking.alpha, inclusive=True)
    return {order[metric]: number for metric, number in zip(tested.tolist(), numbers.tolist(), strict=True)}


def _n_correlated(cell: CellScores, *, pairs: bool) -> int:
    """Count the systems, segments or documents that are correlated, or pairs of systems."""
    n_documents, n_systems = (int(size) for size in cell.human.shape)
    if pairs:
        if isinstance(cell.coefficient, SignificantPairs):
            return cell.coefficient.n_pairs
        return n_systems * (n_systems - 1) // 2
    of_systems = cell.experiment.documents.units.is_whole or cell.coefficient.needs_all_cells
    return n_systems if of_systems else n_documents


def _value(metric: str, cells: Sequence[CellScores], shares: Sequence[float]) -> float:
    if any(metric not in cell.rows for cell in cells):
        return math.nan
    return math.fsum(share * cell.rows[metric].mean for cell, share in zip(cells, shares, strict=True))


def _missing(metric: str, task: Task, cells: Sequence[CellScores], value: float) -> str:
    """Return the reason why a metric has no value in a task; "" if it has one."""
    has = [cell.corpus for cell in cells if metric in cell.rows]
    without = [cell.corpus for cell in task.cells if cell.corpus not in has]
    if without:
        return "no scores" if len(task.cells) == 1 else f"no scores of {listing(without)}"
    lacking = dict.fromkeys(name for cell in cells for name in cell.lacking.get(metric, ()))
    if lacking:
        return f"no scores of {listing(lacking)}"
    return "undefined" if math.isnan(value) else ""


def _own_family(cell: CellScores) -> _Family:
    """Return the intervals, clusters and p-values of an experiment."""
    return _Family(
        {metric: (row.lower, row.upper) for metric, row in cell.rows.items()},
        {metric: row.cluster for metric, row in cell.rankings.items()},
        {(test.metric_a, test.metric_b): test.p_corrected for test in cell.tests},
        {metric: row.p_worse for metric, row in cell.rankings.items()},
    )


def _joint_family(
    order: Sequence[str], values: Mapping[str, float], errors: JointErrors, cells: Sequence[CellScores], lowest: float
) -> _Family:
    """Return the intervals, clusters and p-values of weighted means, which are from `lowest` to 1."""
    settings = cells[0].experiment
    alpha = settings.tests[0].alpha if settings.tests else ALPHA
    level = settings.uncertainty.confidence_level
    joint = joint_family(np.array([values[metric] for metric in order]), errors, alpha=alpha, confidence_level=level)
    limits = np.clip([joint.lower, joint.upper], lowest, 1.0).T
    return _Family(
        dict(zip(order, map(tuple, limits.tolist()), strict=True)),
        {metric: number or None for metric, number in zip(order, joint.clusters.tolist(), strict=True)},
        {
            (first, second): float(joint.p[a, b])
            for (a, first), (b, second) in itertools.combinations(enumerate(order), 2)
        },
        dict(zip(order, joint.p_worse.tolist(), strict=True)),
    )


def _permuted(
    cells: Sequence[CellScores],
    shares: Sequence[float],
    order: Sequence[str],
    shared: SharedTask,
    title: str,
    *,
    pooled: bool,
) -> list[tuple[PermutedTask, float]]:
    """Return the published test of a task by corpus; none if it is not asked for, or metrics have several scores."""
    n = shared.ranking.permutations
    if not n or len(order) < 2 or any(metric not in cell.scores for cell in cells for metric in order):
        return []
    coefficient = cells[0].coefficient
    average_by = cells[0].experiment.correlation.average_by
    rng = generator(cells[0].experiment.seed, "tasks", title)
    scores = [np.stack([cell.scores[metric] for metric in order]) for cell in cells]
    if pooled and not coefficient.needs_items:
        human = np.concatenate([cell.human for cell in cells], axis=1)
        sizes = [cell.human.shape[1] for cell in cells]
        return [(permuted_task(np.concatenate(scores, axis=2), human, coefficient, average_by, n, rng, sizes=sizes), 1)]
    return [
        (permuted_task(of_cell, cell.human, cell.coefficient, average_by, n, rng), share)
        for of_cell, cell, share in zip(scores, cells, shares, strict=True)
    ]


def _p(permuted: Sequence[tuple[PermutedTask, float]]) -> FloatArray | None:
    """Return the p-values of a weighted mean of statistics."""
    if len(permuted) < 2:
        return permuted[0][0].p if permuted else None
    return average_clusters([task for task, _ in permuted], [share for _, share in permuted]).p


def _tests(
    title: str, order: Sequence[str], values: Mapping[str, float], p: FloatArray | None, family: _Family
) -> list[TaskTest]:
    """Return the tests of all pairs of metrics that are ranked."""
    tests = []
    for (a, first), (b, second) in itertools.combinations(enumerate(order), 2):
        published = math.nan if p is None else float(p[a, b])
        tests.append(
            TaskTest(title, first, second, values[first] - values[second], published, family.p_of(first, second))
        )
    return tests


def _averages(
    ranked: Sequence[_Ranked], metrics: Sequence[str], shared: SharedTask
) -> tuple[list[TaskAverage], list[TaskTest]]:
    """Return the averages of all tasks, and the tests of all pairs of metrics that have one."""
    rows_of = [{row.metric: row for row in task.rows if row.rank is not None} for task in ranked]
    lacks = {
        metric: [task.rows[0].task for task, rows in zip(ranked, rows_of, strict=True) if metric not in rows]
        for metric in metrics
    }
    values: dict[str, float] = {}
    ranks: dict[str, float] = {}
    for metric in metrics:
        if lacks[metric]:
            continue
        parts = []
        for task, of_task in zip(ranked, rows_of, strict=True):
            row = of_task[metric]
            parts.append((task.weight, (row.value - task.lowest) / (1 - task.lowest), _counted_rank(row, task)))
        values[metric] = math.fsum(weight * value for weight, value, _ in parts)
        ranks[metric] = math.fsum(weight * rank for weight, _, rank in parts)
    order = _in_order(values)
    errors = JointErrors(order)
    for task in ranked:
        for cell, share in zip(task.cells, task.shares, strict=True):
            weight = task.weight * share / (1 - task.lowest)
            errors.add(cell.corpus, cell.units, cell.replicates, weight, cell.sample_size, cell.documents)
    family = _joint_family(order, values, errors, ranked[0].cells, 0.0)
    permuted = []
    for task in ranked:
        positions = [task.order.index(metric) for metric in order]
        permuted += [(of_cell.among(positions), task.weight * share) for of_cell, share in task.permuted]
    p = _p(permuted) if len(order) > 1 and all(task.permuted for task in ranked) else None
    published = _published(order, p, shared)
    rows = [
        TaskAverage(
            metric=metric,
            average_correlation=values.get(metric, math.nan),
            average_rank=ranks.get(metric, math.nan),
            **_places(metric, order, published, family),
            n_tasks=len(ranked) - len(lacks[metric]),
            missing=listing(lacks[metric]) if lacks[metric] else "",
        )
        for metric in [*order, *(metric for metric in metrics if lacks[metric])]
    ]
    return rows, _tests("", order, values, p, family)
