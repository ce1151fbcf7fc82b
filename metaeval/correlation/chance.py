"""The level of chance: what a metric reaches where human scores are unrelated to the systems."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

from metaeval.correlation.averages import Relation, correlate, in_each, in_lines, mean_of_defined, summarise
from metaeval.correlation.coefficients import of_length_one
from metaeval.correlation.intervals import bootstrap_interval
from metaeval.records import FloatArray, IntArray

# Scores that are exchanged at once: bounds the memory.
_AT_ONCE = 1 << 20


@dataclass(frozen=True)
class ChanceLevel:
    """What a metric reaches where human scores are unrelated to the systems.

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


def chance_level(
    metric: FloatArray,
    human: FloatArray,
    coefficient: Relation,
    average_by: str,
    *,
    n_shuffles: int,
    rng: np.random.Generator,
    confidence_level: float = 0.95,
) -> ChanceLevel:
    """Correlate a metric with human scores whose systems have been exchanged at random.

    One order of the systems holds for all documents of a shuffle: the documents are of the same systems, and often
    share segments, so that orders drawn for each document would make the mean look more certain than it is.

    Parameters
    ----------
    metric, human : (documents, systems) float arrays
        `human` may be ``nan``, where nobody judged; what stands there moves with it.
    coefficient : Relation
    average_by : "item", "system" or "none"
    n_shuffles : int
        Where there are no more orders than this, each is taken once and nothing is drawn.
    rng : Generator
    confidence_level : float
        Of the percentiles.
    """
    n_systems = human.shape[1]
    exact = n_systems < 12 and math.factorial(n_systems) <= n_shuffles
    if exact:
        orders = np.array(list(itertools.permutations(range(n_systems))), dtype=np.int64).reshape(-1, n_systems)
    else:
        orders = rng.random((n_shuffles, n_systems)).argsort(axis=1)
    judged = np.isfinite(human)
    plain = coefficient.coefficient
    if plain.of_moments and (judged.all(axis=1) | ~judged.any(axis=1)).all():
        means = _of_moments(metric[judged[:, 0]], human[judged[:, 0]], orders, average_by)
        means = means if plain is coefficient else -means
    else:
        step = max(1, _AT_ONCE // max(1, human.size))
        parts = [orders[start : start + step] for start in range(0, len(orders), step)]
        means = np.concatenate([_shuffled(metric, human, part, coefficient, average_by) for part in parts])
    found = bootstrap_interval(0.0, means, confidence_level=confidence_level)
    return ChanceLevel(summarise(means).mean, found.lower, found.upper, found.n_used, found.n_undefined, exact)


def _of_moments(metric: FloatArray, human: FloatArray, orders: IntArray, average_by: str) -> FloatArray:
    """Return the mean of Pearson's coefficients in each order of the systems: (orders,).

    A coefficient is a sum of products of standard scores, which the order leaves as they are. So what a system of the
    metric makes with one of the human scores is summed once, and an order only says which of these sums to take.
    """
    if not metric.size:
        return np.full(len(orders), np.nan)
    if average_by == "system":
        metric, human = metric.T, human.T
    rows = [one.reshape(1, -1) if average_by == "none" else one for one in (metric, human)]
    constant = [(one == one[:, :1]).all(axis=1, keepdims=True) for one in rows]
    metric, human = (
        np.where(same, np.nan, of_length_one(one)).reshape(metric.shape)
        for one, same in zip(rows, constant, strict=True)
    )
    places = np.arange(orders.shape[1])
    if average_by == "system":
        return mean_of_defined((metric @ human.T)[places, orders], axis=1)
    defined = np.isfinite(metric).all(axis=1) & np.isfinite(human).all(axis=1)
    n_defined = len(rows[0]) if average_by == "none" and defined.all() else int(defined.sum())
    if not n_defined:
        return np.full(len(orders), np.nan)
    return np.asarray((metric[defined].T @ human[defined])[places, orders].sum(axis=1) / n_defined)


def _shuffled(
    metric: FloatArray, human: FloatArray, orders: IntArray, coefficient: Relation, average_by: str
) -> FloatArray:
    """Return the mean coefficient of each order of the systems: (orders,)."""
    judged = np.isfinite(human)
    if average_by != "item" or (coefficient.coefficient.is_fitted and not judged.all()):
        each = (correlate(metric, human[:, order], coefficient, average_by, where=judged[:, order]) for order in orders)
        return np.array([summarise(values).mean for values in each])
    found, whole = np.empty((len(human), len(orders))), judged.all(axis=1)
    found[whole] = _in_orders(metric[whole], np.ascontiguousarray(human[whole][:, orders]), coefficient)
    part = human[~whole][:, orders]
    scores = np.broadcast_to(metric[~whole, None], part.shape)
    cells = [values.reshape(-1, human.shape[1]) for values in (scores, part, judged[~whole][:, orders])]
    found[~whole] = correlate(cells[0], cells[1], coefficient, average_by, where=cells[2] > 0).reshape(part.shape[:2])
    return mean_of_defined(found, axis=0)


def _in_orders(metric: FloatArray, shuffled: FloatArray, coefficient: Relation) -> FloatArray:
    """Correlate the documents of a metric (documents, n) with human scores in each order: (documents, orders)."""
    kind = coefficient.coefficient
    if kind.of_moments:  # an order leaves what is made of the metric's side as it is
        human = kind.of_side(shuffled, is_human=True)
        return np.asarray(in_lines([coefficient], [kind.of_side(metric)[:, None]], human)[0])
    return in_each(coefficient, np.broadcast_to(metric[:, None], shuffled.shape), shuffled, axis=1)
