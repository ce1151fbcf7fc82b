"""Averages of metrics over the tasks of a metrics shared task, and which of them differ.

Weights are split evenly over what tasks differ in; coefficients are stretched to 0 to 1. The p-value of a difference of
averages takes the draws of each task's own permutation test: draw by draw their differences are added up, with the
weights, and p is the share that is at least the observed difference. So tasks count as independent.

Sources
-------
The rules are those of mt-metrics-eval, the program of WMT's metrics shared tasks (Freitag et al. 2022 to 2024).
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from metaeval.correlation.multiple_tests import clusters
from metaeval.correlation.shared_task import PermutedTask, both_p
from metaeval.datamodel.corpus import FloatArray, IntArray
from metaeval.errors import UsageError, unknown


@dataclass(frozen=True)
class TaskAverages:
    """Averages of metrics over tasks, with their p-values and clusters.

    Attributes
    ----------
    values : (metrics,) float array
        From 0 to 1; ``nan`` for a metric that has none in some task.
    p : (metrics, metrics) float array
        At [a, b] the p-value that a is better than b.
    clusters : (metrics,) int array
        1 for the best; 0 for a metric without a value.
    """

    values: FloatArray
    p: FloatArray
    clusters: IntArray


def split_weights(attributes: Sequence[Mapping[str, object]], by: Sequence[str]) -> FloatArray:
    """Return weights of tasks that add up to 1: split evenly over the values of attributes in turn.

    Parameters
    ----------
    attributes : sequence of mapping
        Of each task, such as ``{"corpus": "en-de", "level": "segment"}``.
    by : sequence of str
        The first is split first; what is left in the end is split evenly over its tasks.

    Returns
    -------
    (tasks,) float array

    Raises
    ------
    UsageError
        If a task lacks an attribute.
    """
    weights = np.zeros(len(attributes))

    def split(tasks: Sequence[int], left: Sequence[str], share: float) -> None:
        if not left:
            weights[list(tasks)] = share / len(tasks)
            return
        parts: dict[object, list[int]] = {}
        for task in tasks:
            if left[0] not in attributes[task]:
                raise UsageError(unknown("attribute of tasks", left[0], list(attributes[task])))
            parts.setdefault(attributes[task][left[0]], []).append(task)
        for part in parts.values():
            split(part, left[1:], share / len(parts))

    if len(attributes):
        split(range(len(attributes)), by, 1.0)
    return weights


def average_clusters(
    tasks: Sequence[PermutedTask], weights: npt.ArrayLike, *, alpha: float = 0.05, undefined: str = "exclude"
) -> TaskAverages:
    """Return averages of metrics over tasks, and the clusters of metrics that do not differ significantly.

    A coefficient r whose least value is -1 counts as (r + 1) / 2. A task with fewer draws than another repeats them.

    Parameters
    ----------
    tasks : sequence of PermutedTask
        Of the same metrics in the same order.
    weights : (tasks,) array_like
        They add up to 1.
    alpha : float
        Significant is p <= alpha, as in shared tasks.
    undefined : "exclude" or "zero"
        Whether a metric without a coefficient in a task has no average, or the coefficient counts 0.

    Raises
    ------
    ValueError
        If there are no tasks, they differ in the number of metrics, or weights do not fit.
    """
    shares = np.asarray(weights, dtype=np.float64)
    sizes = [len(task.values) for task in tasks]
    if len(set(sizes)) != 1:
        raise ValueError(f"`tasks` must have the same metrics; got {sizes} of them.")
    are_shares = shares.shape == (len(tasks),) and np.isclose(shares.sum(), 1.0)
    if not are_shares:
        raise ValueError(
            f"`weights` must be one for each of {len(tasks)} tasks and add up to 1; got {shares.tolist()}."
        )
    values = np.zeros(len(tasks[0].values))
    n = max(task.nulls.shape[1] for task in tasks)
    nulls = np.zeros((len(tasks[0].nulls), n))
    for task, share in zip(tasks, shares, strict=True):
        of_task = np.nan_to_num(task.values, nan=0.0) if undefined == "zero" else task.values
        values += share * (of_task - task.lowest) / (1.0 - task.lowest)
        nulls += share / (1.0 - task.lowest) * np.resize(task.nulls.T, (n, len(nulls))).T
    p = np.full((len(values), len(values)), np.nan)
    for (a, b), drawn in zip(itertools.combinations(range(len(values)), 2), nulls, strict=True):
        if not np.isnan(difference := values[a] - values[b]):
            p[a, b], p[b, a] = both_p(difference, drawn)
    numbers = np.zeros(len(values), dtype=np.intp)
    ranked = np.flatnonzero(~np.isnan(values))
    order = np.argsort(-values[ranked], kind="stable")
    numbers[ranked] = clusters(order, p[np.ix_(ranked, ranked)], alpha, inclusive=True)
    return TaskAverages(values, p, numbers)
