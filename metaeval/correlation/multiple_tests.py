"""Families of tests: corrected p-values, and what the tests of all pairs show of the metrics together.

Sources
-------
In `bibliography.toml`: holm1979; benjamini1995; hsu1984 (comparisons with the best); linoch2004 (statistical equals of
the best). The clusters are those of the metrics shared tasks of WMT. The papers give their alpha as confidence: their
.95 is 0.05 here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from metaeval.components.correction import Correction
from metaeval.correlation.tolerances import EQUAL
from metaeval.datamodel.corpus import BoolArray, FloatArray, IntArray


def holm(p: npt.ArrayLike) -> FloatArray:
    """Return p-values corrected by Holm's method, which controls the family-wise error rate.

    The smallest of m p-values is multiplied by m, the next by m - 1, and so on; none is left below the one before.

    Parameters
    ----------
    p : (hypotheses,) array_like
        From 0 to 1. A hypothesis that could not be tested (``nan``) stays so and does not count.

    Returns
    -------
    (hypotheses,) float array

    Raises
    ------
    ValueError
        If it is no vector, or a p-value lies outside 0 to 1.
    """
    values, order = _ordered(p)
    corrected = np.full(len(values), np.nan)
    corrected[order] = np.minimum(1.0, np.maximum.accumulate(values[order] * np.arange(len(order), 0, -1)))
    return corrected


def benjamini_hochberg(p: npt.ArrayLike) -> FloatArray:
    """Return p-values corrected by Benjamini and Hochberg's method, which controls the false discovery rate.

    The k-th smallest of m p-values is multiplied by m / k; none becomes greater than the one after. It presumes
    tests that are independent or positively dependent.

    Parameters
    ----------
    p : (hypotheses,) array_like
        From 0 to 1. A hypothesis that could not be tested (``nan``) stays so and does not count.

    Returns
    -------
    (hypotheses,) float array

    Raises
    ------
    ValueError
        If it is no vector, or a p-value lies outside 0 to 1.
    """
    values, order = _ordered(p)
    corrected = np.full(len(values), np.nan)
    scaled = values[order] * (len(order) / np.arange(1, len(order) + 1))
    corrected[order] = np.minimum(1.0, np.minimum.accumulate(scaled[::-1])[::-1])
    return corrected


@dataclass(frozen=True)
class Holm(Correction, name="holm", sources=("holm1979",)):
    """Holm's correction, which controls the family-wise error rate."""

    title: ClassVar[str] = "Holm"
    bounds_any: ClassVar[bool] = True

    def __call__(self, p: npt.ArrayLike) -> FloatArray:
        """Return corrected p-values; see :func:`holm`."""
        return holm(p)


@dataclass(frozen=True)
class BenjaminiHochberg(Correction, name="benjamini-hochberg", sources=("benjamini1995",)):
    """Benjamini and Hochberg's correction, which controls the false discovery rate."""

    title: ClassVar[str] = "Benjamini and Hochberg"

    def __call__(self, p: npt.ArrayLike) -> FloatArray:
        """Return corrected p-values; see :func:`benjamini_hochberg`."""
        return benjamini_hochberg(p)


@dataclass(frozen=True)
class Uncorrected(Correction, name="none"):
    """No correction: each p-value as it is."""

    def __call__(self, p: npt.ArrayLike) -> FloatArray:
        """Return the p-values as they are."""
        return _ordered(p)[0]


def _ordered(p: npt.ArrayLike) -> tuple[FloatArray, IntArray]:
    """Return p-values, and the places of those that are not ``nan`` from the smallest to the greatest."""
    values = np.array(p, dtype=np.float64)
    if values.ndim != 1:
        raise ValueError(f"p-values of a family must be a vector; got the shape {values.shape}.")
    if ((values < 0) | (values > 1)).any():
        raise ValueError(f"p-values must be from 0 to 1; got {values[(values < 0) | (values > 1)][0]}.")
    tested = np.flatnonzero(~np.isnan(values))
    return values, tested[np.argsort(values[tested], kind="stable")]


def clusters(order: npt.ArrayLike, p: npt.ArrayLike, alpha: float, *, inclusive: bool = False) -> IntArray:
    """Return the cluster of each metric by WMT's rule: 1 for the best, then 2, and so on.

    Walk down the ranking. A metric joins the current cluster unless a member of it is significantly better; then it
    opens the next cluster. So a metric is beaten by no member of its own cluster, and the first of a cluster is beaten
    by a member of the cluster above. It need not be beaten by all of these, and the others need not be beaten by any.

    Other rules give other clusters. Let the order be A, B, C. If only B beats C, then C opens a cluster here; a rule
    that asks only the best of a cluster puts all three together, for A does not beat C. If only A beats C, then C opens
    a cluster here; a rule that asks only the neighbour puts all together, for B does not beat C, and so does a rule by
    which a line is drawn only where all above it beat all below.

    Parameters
    ----------
    order : (metrics,) array_like of int
        The metrics from the best to the worst, as indices into `p`.
    p : (metrics, metrics) array_like
        The p-value, corrected or not, of the test between two metrics. Only ``p[better, worse]`` is read, better by
        the order; so it may come from a two-sided test, or from one of whether the row is better than the column.
        ``nan``: could not be tested; that beats nobody.
    alpha : float
        Significant is p < alpha.
    inclusive : bool
        Whether p = alpha is significant too, as in shared tasks.

    Returns
    -------
    (metrics,) int array

    Raises
    ------
    ValueError
        If the order is no ordering of the metrics, or `p` is not square.
    """
    ranking = np.asarray(order, dtype=np.intp)
    values = np.asarray(p, dtype=np.float64)
    n = len(ranking)
    if values.shape != (n, n):
        raise ValueError(f"`p` must be ({n}, {n}) for {n} metrics; got the shape {values.shape}.")
    if sorted(ranking.tolist()) != list(range(n)):
        raise ValueError(f"`order` must hold each of 0 to {n - 1} once; got {ranking.tolist()}.")
    cluster_of = np.zeros(n, dtype=np.intp)
    members: list[int] = []
    number = 1
    for metric in ranking.tolist():
        rivals = values[members, metric]
        if ((rivals < alpha) | (inclusive & (rivals == alpha))).any():
            number += 1
            members = []
        members.append(metric)
        cluster_of[metric] = number
    return cluster_of


def against_best(p: npt.ArrayLike, corrected: npt.ArrayLike) -> FloatArray:
    """Return p-values of "not significantly worse than the best", a family of its own.

    A metric is left out of the set, and has no star, if another one is better with p < alpha. It has n - 1 rivals, so p
    is multiplied by n - 1 and not by the number of pairs (Hsu's comparisons with the best, by Bonferroni's inequality).
    Where Holm's correction over all pairs gives a smaller p, that one is taken, so that no metric of the set is
    significantly worse than another by Holm. The truly best metric is left out in at most alpha of all corpora:
    only errors in its disfavour do so, which have probability alpha / 2 here and alpha / 2 in Holm's family.

    Parameters
    ----------
    p : (metrics, metrics) array_like
        Two-sided, that the metric of a row is better than that of a column; 1 the other way round; ``nan`` where there
        is no test.
    corrected : (metrics, metrics) array_like
        The same, corrected by Holm over all pairs.

    Returns
    -------
    (metrics, metrics) float array
        The p of each pair in this family; the smallest of a column is that of its metric.
    """
    plain = np.asarray(p, dtype=np.float64)
    return np.minimum(np.minimum(1.0, plain * max(len(plain) - 1, 1)), np.asarray(corrected, dtype=np.float64))


def top_cluster_by_intervals(values: npt.ArrayLike, lower: npt.ArrayLike, upper: npt.ArrayLike) -> BoolArray:
    """Find the metrics that are statistical equals of the best by Lin and Och: the intervals overlap.

    Intervals that share one point overlap. Where several metrics share the best value, an equal overlaps with each of
    them. This is no test of a difference: two metrics on the same data can differ significantly although their
    intervals overlap, and a metric whose interval is wide is the equal of many.

    Parameters
    ----------
    values, lower, upper : (metrics,) array_like
        Coefficients, higher for better, and the bounds of their intervals; ``nan`` where undefined.

    Returns
    -------
    (metrics,) bool array
        True for the best too. False where something is undefined; all are False if there is no best.

    Raises
    ------
    ValueError
        If the shapes differ, or a lower bound is above its upper one.
    """
    best, low, high = (np.asarray(numbers, dtype=np.float64) for numbers in (values, lower, upper))
    fit = best.shape == low.shape == high.shape and best.ndim == 1
    if not fit:
        raise ValueError(
            f"`values`, `lower` and `upper` must be vectors of equal length; got the shapes {best.shape}, {low.shape} "
            f"and {high.shape}."
        )
    if (low > high).any():
        index = int(np.flatnonzero(low > high)[0])
        raise ValueError(f"`lower` must not be above `upper`; got {low[index]} and {high[index]} at index {index}.")
    whole = ~(np.isnan(best) | np.isnan(low) | np.isnan(high))
    if not whole.any():
        return whole
    first = whole & (best == best[whole].max())
    return np.asarray(whole & (high >= low[first].max()) & (low <= high[first].min()))


def minimum_significant_difference(differences: npt.ArrayLike, p: npt.ArrayLike, alpha: float) -> float:
    """Return the smallest difference from which on every compared pair is significant.

    Parameters
    ----------
    differences : (pairs,) array_like
        Of two coefficients each; their signs do not matter. Equal magnitudes stand or fall together.
    p : (pairs,) array_like
        Of the test between the two. A pair of which the difference or p is ``nan`` was not compared.
    alpha : float
        Significant is p < alpha.

    Returns
    -------
    float
        The magnitude of a difference that occurs; infinite if the greatest is not significant; ``nan`` if no pair was
        compared. A smaller difference can be significant as well.

    Raises
    ------
    ValueError
        If the two are not vectors of equal length.
    """
    sizes = np.abs(np.asarray(differences, dtype=np.float64))
    values = np.asarray(p, dtype=np.float64)
    if sizes.shape != values.shape or sizes.ndim != 1:
        raise ValueError(
            f"`differences` and `p` must be vectors of equal length; got the shapes {sizes.shape} and {values.shape}."
        )
    compared = ~(np.isnan(sizes) | np.isnan(values))
    if not compared.any():
        return np.nan
    sizes = sizes[compared]
    significant = values[compared] < alpha
    greatest_miss = sizes[~significant].max(initial=-np.inf)
    beyond = sizes[sizes > greatest_miss + EQUAL]
    return float(beyond.min(initial=np.inf))
