"""Reliability of human scores, and what it allows a metric: the noise ceiling, fractions of it, the level of chance.

Human scores are taken for truth plus error, errors of different judgments being independent, of equal variance and
unrelated to the truth. Then (Spearman 1910, Brown 1910) the correlation r between two equal parts of the judgments is
the reliability of one part, and that of parts k times as long is k r / (1 + (k - 1) r). A metric that is the truth
itself correlates with the observed scores by the square root of their reliability (Spearman 1904). All of this holds
for Pearson's correlation; for rank correlations it is customary, and an approximation.

Sources, by their keys in `bibliography.toml`: spearman1904, spearman1910, brown1910.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from metaeval.correlation.averages import Relation, correlate
from metaeval.correlation.intervals import BootstrapInterval, bootstrap_interval
from metaeval.records import FloatArray, IntArray

# Scores that are exchanged at once: bounds the memory.
_AT_ONCE = 1 << 20


def stepped_up(r: npt.ArrayLike, factor: float) -> FloatArray:
    """Return the reliability of human scores that rest on `factor` times as many judgments (Spearman and Brown).

    Parameters
    ----------
    r : array_like of any shape
        The correlation between two parts of equal length: from -1 to 1.
    factor : float
        At least 1.

    Returns
    -------
    float array of that shape
        At most 1; negative where r is, without lower bound. ``nan`` where r <= -1 / (factor - 1), from where on the
        formula turns round.
    """
    r = np.asarray(r, dtype=np.float64)
    below = 1.0 + (factor - 1.0) * r
    reliability = np.full(r.shape, np.nan)
    np.divide(factor * r, below, out=reliability, where=below > 0)
    return reliability


def ceiling_of(reliability: npt.ArrayLike) -> FloatArray:
    """Return the correlation of a perfect metric with scores of this reliability: its root, or 0 if it is negative."""
    return np.asarray(np.sqrt(np.maximum(0.0, np.asarray(reliability, dtype=np.float64))))


def fraction_of_ceiling(
    metric: FloatArray,
    ceiling: FloatArray,
    *,
    confidence_level: float = 0.95,
    weights: FloatArray | None = None,
) -> BootstrapInterval:
    """Return the limits of the fraction of the ceiling that a metric reaches, from bootstrap replicates of both.

    Parameters
    ----------
    metric, ceiling : (replicates,) float arrays
        The coefficient of the metric and the ceiling in the same replicates; ``nan`` where undefined.
    confidence_level : float
        Between 0 and 1.
    weights : (replicates,) float array, optional
        The probability of each replicate where all possible ones are listed.

    Returns
    -------
    BootstrapInterval
        Percentiles of the metric's coefficient divided by the ceiling. A replicate has no fraction where the
        coefficient is undefined or the ceiling is not positive.

    Raises
    ------
    ValueError
        If the numbers of replicates differ.
    """
    if metric.shape != ceiling.shape or metric.ndim != 1:
        raise ValueError(f"`metric` and `ceiling` must be equally long; got {metric.shape} and {ceiling.shape}.")
    fractions = np.divide(metric, ceiling, out=np.full(metric.shape, np.nan), where=ceiling > 0)
    # The limits come from the replicates alone; any defined value stands for the one of the data.
    return bootstrap_interval(0.0, fractions, confidence_level=confidence_level, weights=weights)


@dataclass(frozen=True)
class ChanceLevel:
    """What a metric gets where people say nothing of the systems.

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
    """Relate a metric to human scores whose systems have been exchanged at random.

    One order of the systems holds for all documents of a shuffle: the documents are of the same systems, and often
    share segments, so that orders drawn for each document would make the mean look surer than it is.

    Parameters
    ----------
    metric, human : (documents, systems) float arrays
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
    orders = _every_order(n_systems) if exact else rng.random((n_shuffles, n_systems)).argsort(axis=1)
    means = np.concatenate([_shuffled(metric, human, part, coefficient, average_by) for part in _parts(orders, human)])
    found = bootstrap_interval(0.0, means, confidence_level=confidence_level)
    return ChanceLevel(_mean(means), found.lower, found.upper, found.n_used, found.n_undefined, exact)


def _parts(orders: IntArray, human: FloatArray) -> list[IntArray]:
    """Return the orders in parts that exchange about `_AT_ONCE` scores each."""
    step = max(1, _AT_ONCE // max(1, human.size))
    return [orders[start : start + step] for start in range(0, len(orders), step)]


def _shuffled(
    metric: FloatArray, human: FloatArray, orders: IntArray, coefficient: Relation, average_by: str
) -> FloatArray:
    """Return the mean coefficient of each order of the systems: (orders,)."""
    if average_by != "item":
        return np.array([_mean(correlate(metric, human[:, order], coefficient, average_by)) for order in orders])
    people = human[:, orders]
    values = coefficient(np.broadcast_to(metric[:, None], people.shape), people)
    defined = ~np.isnan(values)
    number = defined.sum(axis=0)
    total = np.where(defined, values, 0.0).sum(axis=0)
    means: FloatArray = np.divide(total, number, out=np.full(len(orders), np.nan), where=number > 0)
    return means


def _every_order(n: int) -> IntArray:
    return np.array(list(itertools.permutations(range(n))), dtype=np.int64).reshape(-1, n)


def _mean(values: FloatArray) -> float:
    """Return the mean of the values that are defined; ``nan`` if none is."""
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else math.nan
