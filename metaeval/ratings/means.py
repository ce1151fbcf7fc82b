"""Means over items with errors by cluster: a document or an item is drawn again, and its ratings stay together.

Intervals are two-sided, and of 95 % where there is no `level`. What cannot be estimated is ``nan``, with a reason.

Sources
-------
In `bibliography.toml`: hall1992 (the transformed t); wilson1927 (shares); tukey1958 (the jackknife).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from metaeval.correlation.standard_error import effective
from metaeval.correlation.tolerances import EQUAL
from metaeval.datamodel.corpus import FloatArray, IntArray
from metaeval.ratings.jackknife import jackknife_interval
from metaeval.scipy_parts import special

CONFIDENCE_LEVEL = 0.95
# Calibrated from this number of clusters on; with fewer there is no interval.
MIN_CLUSTERS = 10
# A test of a difference needs as many clusters in which there is one.
MIN_DIFFERENT_CLUSTERS = 10


@dataclass(frozen=True)
class ClusteredMean:
    """A mean, and its standard error by cluster.

    Attributes
    ----------
    value : float
    error : float
        The standard error; ``nan`` of one cluster.
    items : int
        The number of values.
    clusters : int
        The number of clusters that they are in.
    effective : int
        The number of clusters of equal size that say as much.
    """

    value: float
    error: float
    items: int
    clusters: int
    effective: int


@dataclass(frozen=True)
class Interval:
    """An estimate with its confidence interval.

    Attributes
    ----------
    value : float
    lower, upper : float
        The ends of the interval; ``nan`` where there is none.
    missing_because : str
        Why there is no value or no interval; "" where both are there.
    """

    value: float
    lower: float = math.nan
    upper: float = math.nan
    missing_because: str = ""

    @property
    def has_ends(self) -> bool:
        """True if both ends of the interval are defined."""
        return not (math.isnan(self.lower) or math.isnan(self.upper))


@dataclass(frozen=True)
class Difference(Interval):
    """A mean difference with its interval, and the test of 0.

    Attributes
    ----------
    error : float
        Its standard error.
    bound : float
        The lower confidence bound, one-sided: in 95 % of cases the true difference is not below it.
    p : float
        Two-sided.
    items, clusters : int
        What the mean is over.
    """

    error: float = math.nan
    bound: float = math.nan
    p: float = math.nan
    items: int = 0
    clusters: int = 0


def clustered_mean(values: FloatArray, cluster: IntArray) -> ClusteredMean:
    """Return a mean with its standard error by cluster; values that are ``nan`` are left out.

    Parameters
    ----------
    values, cluster : (items,) arrays
        The clusters are numbered, in any order.
    """
    is_defined = ~np.isnan(values)
    values = values[is_defined]
    codes = np.unique(cluster[is_defined], return_inverse=True)[1]
    if not len(values):
        return ClusteredMean(math.nan, math.nan, 0, 0, 0)
    mean = float(values.mean())
    sizes = np.bincount(codes)
    sums = np.bincount(codes, values - mean)
    n = len(sizes)
    error = math.sqrt(float((sums**2).sum()) * n / (n - 1)) / len(values) if n > 1 else math.nan
    return ClusteredMean(mean, error, len(values), n, round(effective(codes)))


def mean_interval(values: FloatArray, cluster: IntArray) -> Interval:
    """Return a mean with the interval of Student's t over clusters."""
    mean = clustered_mean(values, cluster)
    if mean.effective < MIN_CLUSTERS:
        return Interval(mean.value, missing_because=_too_few(mean.clusters, mean.effective))
    half = mean.error * float(special.stdtrit(mean.effective - 1, 0.5 + CONFIDENCE_LEVEL / 2))
    return Interval(mean.value, mean.value - half, mean.value + half)


def student_mean(values: FloatArray, cluster: IntArray) -> Difference:
    """Return a mean with the interval and the test of 0 of Student's t over clusters."""
    mean = clustered_mean(values, cluster)
    untested = Difference(mean.value, error=mean.error, items=mean.items, clusters=mean.clusters)
    if mean.effective < MIN_CLUSTERS:
        return _refused(untested, _too_few(mean.clusters, mean.effective))
    if not mean.error > EQUAL:
        return _refused(untested, "it is the same everywhere, so that its error cannot be estimated")
    one_sided, two_sided = (
        mean.error * float(special.stdtrit(mean.effective - 1, at))
        for at in (CONFIDENCE_LEVEL, 0.5 + CONFIDENCE_LEVEL / 2)
    )
    return Difference(
        mean.value,
        mean.value - two_sided,
        mean.value + two_sided,
        error=mean.error,
        bound=mean.value - one_sided,
        p=float(2 * special.stdtr(mean.effective - 1, -abs(mean.value) / mean.error)),
        items=mean.items,
        clusters=mean.clusters,
    )


def share_interval(
    values: FloatArray, cluster: IntArray, n_ratings: int = 0, level: float = CONFIDENCE_LEVEL
) -> Interval:
    """Return a share, a mean of values from 0 to 1, with Wilson's interval for the effective number of ratings.

    The effective number is p (1 - p) / error², but not more than there are ratings; where all values are 0 or all are
    1, it is the number of clusters. So the interval has a width even there. Quantiles are those of Student's t.

    Parameters
    ----------
    values, cluster : (items,) arrays
    n_ratings : int
        The number of ratings whose means by item the values are; 0 where each is one.
    level : float
    """
    mean = clustered_mean(values, cluster)
    if not mean.items:
        return Interval(math.nan, missing_because="there is no item")
    if mean.effective < MIN_CLUSTERS:
        return Interval(mean.value, missing_because=_too_few(mean.clusters, mean.effective))
    p = mean.value
    n = float(mean.effective)
    if mean.error > 0 and 0 < p < 1:
        n = min(p * (1 - p) / mean.error**2, max(n_ratings, mean.items))
    z2 = float(special.stdtrit(max(mean.effective - 1, 1), 0.5 + level / 2)) ** 2
    middle = (p + z2 / (2 * n)) / (1 + z2 / n)
    half = math.sqrt(z2 * (p * (1 - p) / n + z2 / (4 * n * n))) / (1 + z2 / n)
    return Interval(p, max(middle - half, 0.0), min(middle + half, 1.0))


def skewed_mean(values: FloatArray, cluster: IntArray) -> Difference:
    """Return a mean of skewed values with the interval and test of Hall's transformed t over clusters.

    T, the distance of the mean from the true one over its error, is skewed where the values are. h(T) = T + a T²/3 +
    a² T³/27 + a/6 is nearly Student's t, where a is the skewness of the sums by cluster over the square root of the
    number of clusters of equal size that say as much. The ends come from the inverse of h.
    """
    mean = clustered_mean(values, cluster)
    is_defined = ~np.isnan(values)
    codes = np.unique(cluster[is_defined], return_inverse=True)[1]
    n_different = int((np.bincount(codes, np.abs(values[is_defined])) > EQUAL).sum()) if mean.items else 0
    untested = Difference(mean.value, error=mean.error, items=mean.items, clusters=mean.clusters)
    if mean.effective < MIN_CLUSTERS:
        return _refused(untested, _too_few(mean.clusters, mean.effective))
    if n_different < MIN_DIFFERENT_CLUSTERS:
        differ = f"they differ in only {n_different} of {mean.clusters} items or documents"
        return _refused(untested, f"{differ}, and a test needs {MIN_DIFFERENT_CLUSTERS}")
    if not mean.error > EQUAL:
        return _refused(untested, "the difference is the same everywhere, so that its error cannot be estimated")
    sums = np.bincount(codes, values[is_defined] - mean.value)
    skewness = float((sums**3).mean() / sums.std() ** 3) / math.sqrt(mean.effective)

    def quantile(at: float) -> float:
        """Return the quantile of T at which h(T) is the quantile of Student's t."""
        t = float(special.stdtrit(mean.effective - 1, at))
        return t if abs(skewness) < 1e-6 else 3 / skewness * (float(np.cbrt(1 + skewness * (t - skewness / 6))) - 1)

    def transformed(t: float) -> float:
        return t + skewness * t**2 / 3 + skewness * skewness * t**3 / 27 + skewness / 6

    tail = (1 - CONFIDENCE_LEVEL) / 2
    return Difference(
        mean.value,
        mean.value - mean.error * quantile(1 - tail),
        mean.value - mean.error * quantile(tail),
        error=mean.error,
        bound=mean.value - mean.error * quantile(CONFIDENCE_LEVEL),
        p=float(2 * special.stdtr(mean.effective - 1, -abs(transformed(mean.value / mean.error)))),
        items=mean.items,
        clusters=mean.clusters,
    )


def coefficient_interval(
    coefficient: Callable[[FloatArray], FloatArray],
    values: FloatArray,
    cluster: IntArray,
) -> Interval:
    """Return a coefficient from -1 to 1 of some means, with the interval of the jackknife over clusters.

    Parameters
    ----------
    coefficient : callable
        Takes means, (..., variables), and returns the coefficient of each, (...).
    values : (items, variables) float array
    cluster : (items,) int array
    """
    codes = np.unique(cluster, return_inverse=True)[1]
    sizes = np.bincount(codes).astype(float)
    sums = np.stack([np.bincount(codes, column) for column in values.T], axis=1)
    without_each = coefficient((sums.sum(axis=0) - sums) / np.maximum(sizes.sum() - sizes, 1)[:, None])
    return interval_without_each(float(coefficient(values.mean(axis=0))), without_each, codes)


def interval_without_each(
    value: float, without_each: FloatArray, cluster: IntArray, level: float = CONFIDENCE_LEVEL
) -> Interval:
    """Return a coefficient with the interval of the jackknife over clusters; see :func:`jackknife_interval`.

    Parameters
    ----------
    value : float
    without_each : (clusters,) float array
        The coefficient without each cluster.
    cluster : (items,) int array
        Of each item.
    level : float
    """
    if math.isnan(value):
        return Interval(value, missing_because="it is not defined: all answers are the same")
    n_effective = round(effective(cluster))
    if n_effective < MIN_CLUSTERS:
        return Interval(value, missing_because=_too_few(len(np.unique(cluster)), n_effective))
    interval = jackknife_interval(value, without_each, level, "items or documents")
    return Interval(value, interval.lower, interval.upper, interval.undefined_because)


def _refused(mean: Difference, because: str) -> Difference:
    return Difference(mean.value, missing_because=because, error=mean.error, items=mean.items, clusters=mean.clusters)


def _too_few(clusters: int, effective: int) -> str:
    needs = f"an interval needs {MIN_CLUSTERS}"
    if effective < clusters:
        return f"{clusters} documents or segments of different size count for {effective}, and {needs}"
    return f"{few_clusters(effective)}, for {needs}"


def few_clusters(n: int) -> str:
    """Say that there are too few items or documents."""
    return "1 item or document is too few" if n == 1 else f"{n} items or documents are too few"
