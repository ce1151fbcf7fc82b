"""The level of chance: coefficients of a metric, or the best of several, if human scores are unrelated to systems.

The systems of the human scores are exchanged at random. One order of the systems holds for all documents: these are of
the same systems, and often share segments, so that orders drawn for each document would make the mean look more certain
than it is.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

from metaeval.correlation.array_helpers import parts
from metaeval.correlation.averages import (
    Relation,
    correlate,
    correlate_lines,
    correlate_sets,
    mean_of_defined,
    summarise,
)
from metaeval.correlation.bootstrap_intervals import bootstrap_interval
from metaeval.correlation.coefficients import of_length_one
from metaeval.correlation.tolerances import WHOLE
from metaeval.datamodel.corpus import FloatArray, IntArray

# Scores in a batch of exchanges: bounds the memory.
_BATCH_SCORES = 1 << 20


@dataclass(frozen=True)
class ChanceLevel:
    """The mean coefficients of a metric where human scores are unrelated to the systems.

    Attributes
    ----------
    mean : float
        Of the mean coefficients over the shuffles.
    lower, upper : float
        Their percentiles.
    n_used, n_undefined : int
        Shuffles with a coefficient, and those without.
    exact : bool
        Whether every order of the systems was taken once.
    """

    mean: float
    lower: float
    upper: float
    n_used: int
    n_undefined: int
    exact: bool

    @classmethod
    def from_means(cls, means: FloatArray, *, exact: bool, confidence_level: float = 0.95) -> ChanceLevel:
        """Summarise the mean coefficients of orders of the systems, (orders,)."""
        interval = bootstrap_interval(0.0, means, confidence_level=confidence_level)
        summary = summarise(means)
        return cls(summary.mean, interval.lower, interval.upper, summary.n_used, summary.n_undefined, exact)


def orders_of_systems(
    n_systems: int, n_shuffles: int, rng: np.random.Generator, *, n_drawn: int | None = None
) -> tuple[IntArray, bool]:
    """Return orders of systems, (orders, systems), and whether they are all that there are, each once.

    Parameters
    ----------
    n_systems : int
    n_shuffles : int
        Where there are no more orders than this, each is taken once and nothing is drawn.
    rng : Generator
    n_drawn : int, optional
        How many orders to draw, if they are not listed; by default `n_shuffles`. The first ones do not depend on it.
    """
    if n_systems < 12 and math.factorial(n_systems) <= n_shuffles:
        permutations = np.array(list(itertools.permutations(range(n_systems))), dtype=np.int64)
        return permutations.reshape(-1, n_systems), True
    return rng.random((n_shuffles if n_drawn is None else n_drawn, n_systems)).argsort(axis=1), False


def means_in_orders(
    metric: FloatArray, human: FloatArray, orders: IntArray, coefficient: Relation, average_by: str
) -> FloatArray:
    """Return the mean coefficient of a metric with human scores in each order of the systems: (orders,).

    Parameters
    ----------
    metric : (documents, systems) float array
    human : (documents, columns) float array
        ``nan`` where nobody judged; missing scores are exchanged too.
    orders : (orders, systems) int array
        For each system of the metric, the column of `human` that it gets.
    coefficient : Relation
    average_by : "item", "system" or "none"
    """
    judged = np.isfinite(human)
    plain = coefficient.coefficient
    is_whole = orders.shape[1] == human.shape[1] and bool((judged.all(axis=1) | ~judged.any(axis=1)).all())
    if plain.of_moments and is_whole:
        means = _means_from_moments(metric[judged[:, 0]], human[judged[:, 0]], orders, average_by)
        return means if plain is coefficient else -means
    batches = parts(len(orders), max(1, _BATCH_SCORES // max(1, human.size)))
    return np.concatenate([_shuffled(metric, human, orders[batch], coefficient, average_by) for batch in batches])


def best_of_chance(means: FloatArray, *, exact: bool, alpha: float = 0.05) -> tuple[float, float]:
    """Return the coefficient of the best of several metrics where human scores are unrelated to the systems.

    Of many metrics without any information, some metric has a high coefficient. Each order of the systems gives the
    highest coefficient of all metrics, and the level is exceeded in at most alpha of the orders. So where human scores
    are unrelated to the systems, the best of the metrics is above it in at most alpha of all corpora, whatever the
    metrics have in common (a permutation test by the maximum). If all possible orders are fewer than 1 / alpha, only
    the highest exceeds the level.

    Parameters
    ----------
    means : (metrics, orders) float array
        Mean coefficients, by :func:`means_in_orders`; the orders must be the same for all metrics.
    exact : bool
        Whether these are all orders, among them that of the data.
    alpha : float

    Returns
    -------
    mean, level : float
        Of the highest coefficients. The level is ``nan`` where too few orders were drawn.
    """
    highest = np.fmax.reduce(means, axis=0)
    highest = np.sort(highest[~np.isnan(highest)])[::-1]
    n = len(highest)
    # The data are one order more, if they are not among these. The margin is for the rounding of alpha times a number.
    rank = max(1, math.floor(alpha * n + WHOLE)) if exact else math.floor(alpha * (n + 1) + WHOLE) - 1
    level = float(highest[rank]) if 0 <= rank < n else np.nan
    return (float(highest.mean()) if n else np.nan), level


def _means_from_moments(metric: FloatArray, human: FloatArray, orders: IntArray, average_by: str) -> FloatArray:
    """Return the mean of Pearson's coefficients in each order of the systems: (orders,).

    A coefficient is a sum of products of standard scores, which do not depend on the order. So the products of a system
    of the metric with each of the human scores are summed once, and an order selects some of these sums.
    """
    if not metric.size:
        return np.full(len(orders), np.nan)
    if average_by == "system":
        metric = metric.T
        human = human.T
    shape = metric.shape
    rows = [side.reshape(1, -1) if average_by == "none" else side for side in (metric, human)]
    standard = []
    for side in rows:
        is_constant = (side == side[:, :1]).all(axis=1, keepdims=True)
        standard.append(np.where(is_constant, np.nan, of_length_one(side)).reshape(shape))
    metric, human = standard
    systems = np.arange(orders.shape[1])
    if average_by == "system":
        return mean_of_defined((metric @ human.T)[systems, orders], axis=1)
    defined = np.isfinite(metric).all(axis=1) & np.isfinite(human).all(axis=1)
    n_defined = len(rows[0]) if average_by == "none" and defined.all() else int(defined.sum())
    if not n_defined:
        return np.full(len(orders), np.nan)
    return np.asarray((metric[defined].T @ human[defined])[systems, orders].sum(axis=1) / n_defined)


def _shuffled(
    metric: FloatArray, human: FloatArray, orders: IntArray, coefficient: Relation, average_by: str
) -> FloatArray:
    """Return the mean coefficient of each order of the systems: (orders,)."""
    judged = np.isfinite(human)
    if average_by != "item" or (coefficient.coefficient.is_fitted and not judged.all()):
        values_of_orders = (
            correlate(metric, human[:, order], coefficient, average_by, where=judged[:, order]) for order in orders
        )
        return np.array([summarise(values).mean for values in values_of_orders])
    coefficients = np.empty((len(human), len(orders)))
    whole = judged.all(axis=1)
    coefficients[whole] = _in_orders(metric[whole], np.ascontiguousarray(human[whole][:, orders]), coefficient)
    incomplete = human[~whole][:, orders]
    scores = np.broadcast_to(metric[~whole, None], incomplete.shape)
    cells = [values.reshape(-1, orders.shape[1]) for values in (scores, incomplete, judged[~whole][:, orders])]
    coefficients[~whole] = correlate(cells[0], cells[1], coefficient, average_by, where=cells[2] > 0).reshape(
        incomplete.shape[:2]
    )
    return mean_of_defined(coefficients, axis=0)


def _in_orders(metric: FloatArray, shuffled: FloatArray, coefficient: Relation) -> FloatArray:
    """Correlate the documents of a metric (documents, n) with human scores in each order: (documents, orders)."""
    kind = coefficient.coefficient
    if kind.of_moments:  # the prepared scores of the metric do not depend on the order
        human = kind.prepare(shuffled, is_human=True)
        return np.asarray(correlate_lines([coefficient], [kind.prepare(metric)[:, None]], human)[0])
    return correlate_sets(coefficient, np.broadcast_to(metric[:, None], shuffled.shape), shuffled, axis=1)
