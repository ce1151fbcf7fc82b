"""Intervals from replicates: what a coefficient would be on other segments, or with other systems.

Sources
-------
Efron (1987): Better bootstrap confidence intervals. Journal of the American Statistical Association 82.
Lin and Och (2004): Automatic evaluation of machine translation quality using longest common subsequence and
skip-bigram statistics. Percentile limits of resampled segments.
Deutsch, Dror and Roth (2021): A statistical analysis of summarization evaluation metrics using resampling methods.
Resampling of segments, systems, or both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from metaeval.correlation.vectors import check_alternative
from metaeval.records import FloatArray

METHODS = ("normal", "bootstrap", "fisher", "none")
LIMITS = ("percentile", "bca")

# Differences closer than this are equal: coefficients of equal rank orders may differ by rounding.
_EQUAL = 1e-12
# BCa takes a third moment from the values without each unit. Of 3 systems these are correlations across 2, which are 1
# or -1; of 4, four values across 3. And of 4 units there are but 35 different draws to take a shifted percentile of.
FEWEST_FOR_BCA = 5


@dataclass(frozen=True)
class BootstrapInterval:
    """Limits from bootstrap replicates.

    Attributes
    ----------
    lower, upper : float
        ``nan`` where they are undefined.
    n_used, n_undefined : int
        Replicates with a value, and degenerate ones without: the same system or segment was drawn all over again, or
        one side was constant. The limits are taken over those with a value.
    undefined_because : str
        Why there are no limits; "" if there are, or if the value itself is undefined.
    """

    lower: float
    upper: float
    n_used: int
    n_undefined: int
    undefined_because: str = ""


def bootstrap_interval(
    value: float,
    replicates: FloatArray,
    *,
    limits: str = "percentile",
    confidence_level: float = 0.95,
    weights: FloatArray | None = None,
    jackknife: Sequence[FloatArray] = (),
    n_units: int | None = None,
) -> BootstrapInterval:
    """Return the limits of a value from its bootstrap replicates.

    Replicates that are all equal tell nothing of how sure a value is, and give no limits.

    Parameters
    ----------
    value : float
        From the data as they are; used by ``bca`` only.
    replicates : (replicates,) float array
        ``nan`` where undefined.
    limits : "percentile" or "bca"
        Percentiles of the replicates, or Efron's, corrected for bias and acceleration.
    confidence_level : float
        Between 0 and 1.
    weights : (replicates,) float array, optional
        The probability of each replicate where all possible ones are listed. A limit is then the smallest replicate up
        to which the probability is reached; otherwise it lies between two neighbours, as numpy's quantiles do.
    jackknife : sequence of (units,) float arrays
        For ``bca``: the values without each unit, one array for each kind of unit that was resampled; of fewer units
        than `FEWEST_FOR_BCA` there are no such limits.
    n_units : int, optional
        What the replicates were drawn from; one unit gives no limits.

    Raises
    ------
    ValueError
        If ``bca`` has no jackknife values.
    """
    defined = ~np.isnan(replicates)
    used = replicates[defined]
    chances = None if weights is None else weights[defined]
    n_undefined = len(replicates) - len(used)
    if np.isnan(value):
        return BootstrapInterval(np.nan, np.nan, len(used), n_undefined)
    tails = np.array([(1.0 - confidence_level) / 2.0, (1.0 + confidence_level) / 2.0])
    fewest = min((len(values) for values in jackknife), default=FEWEST_FOR_BCA)
    because = ""
    if n_units is not None and n_units < 2:
        because = "there is one unit to draw from"
    elif not len(used):
        because = "no replicate has a value"
    elif np.ptp(used) <= _EQUAL:
        because = "all replicates are equal"
    elif limits == "bca" and fewest < FEWEST_FOR_BCA:
        because = f"BCa needs {FEWEST_FOR_BCA} units or more to draw from, and there are {fewest}"
    elif limits == "bca":
        tails = _corrected(tails, value, used, chances, jackknife)
        because = "all replicates lie on one side of the value, which BCa cannot correct" if np.isnan(tails[0]) else ""
    if because:
        return BootstrapInterval(np.nan, np.nan, len(used), n_undefined, because)
    lower, upper = np.quantile(used, tails) if chances is None else _weighted_quantiles(used, chances, tails)
    return BootstrapInterval(float(lower), float(upper), len(used), n_undefined)


def _corrected(
    tails: FloatArray,
    value: float,
    used: FloatArray,
    chances: FloatArray | None,
    jackknife: Sequence[FloatArray],
) -> FloatArray:
    """Return the percentiles that stand for the tails once bias and acceleration are taken into account."""
    if not jackknife:
        raise ValueError("`bca` needs the values without each unit.")
    # A replicate that draws each unit once is the sample in another order, and equal but for the last bits.
    same = np.isclose(used, value, rtol=1e-12, atol=1e-12)
    below = np.average((used < value) & ~same, weights=chances) + np.average((used < value) | same, weights=chances)
    z0 = float(ndtri(below / 2.0))
    # Of several samples, the accelerations of each are weighted by their numbers of units, as in Efron and Tibshirani.
    cubes = squares = 0.0
    for values in jackknife:
        defined = values[~np.isnan(values)]
        if len(defined) > 1:
            influence = (defined.mean() - defined) * (len(defined) - 1)
            cubes += float((influence**3).sum()) / len(defined) ** 3
            squares += float((influence**2).sum()) / len(defined) ** 2
    acceleration = cubes / (6.0 * squares**1.5) if squares > 0 else 0.0
    if not np.isfinite(z0):
        return np.full(2, np.nan)
    shifted = z0 + ndtri(tails)
    return np.asarray(ndtr(z0 + shifted / (1.0 - acceleration * shifted)))


def _weighted_quantiles(used: FloatArray, chances: FloatArray, tails: FloatArray) -> FloatArray:
    order = np.argsort(used, kind="stable")
    reached = np.cumsum(chances[order])
    # A probability that is reached exactly must not be missed by rounding.
    places = np.searchsorted(reached, tails * reached[-1] - _EQUAL, side="left")
    return np.asarray(used[order][np.minimum(places, len(used) - 1)])


@dataclass(frozen=True)
class BootstrapTest:
    """A paired bootstrap of the difference between two metrics.

    Attributes
    ----------
    difference, lower, upper : float
        Of the first metric's coefficient minus the second's, with percentile limits; ``nan`` where all replicates give
        the same difference.
    p : float
        Two-sided; 1 for equal metrics; ``nan`` if no replicate has a value.
    n_used, n_undefined : int
        Replicates in which both have a value, and others.
    """

    difference: float
    lower: float
    upper: float
    p: float
    n_used: int
    n_undefined: int


def bootstrap_test(
    difference: float,
    first: FloatArray,
    second: FloatArray,
    *,
    alternative: str = "two-sided",
    confidence_level: float = 0.95,
    weights: FloatArray | None = None,
    n_units: int | None = None,
) -> BootstrapTest:
    """Test the difference of two metrics by the share of replicates on the other side of 0.

    p = (b + 1) / (m + 1), where b of m replicates are at 0 or beyond; the smaller side counts twice if two-sided.
    So p is below 5 % where the 95 % percentile limits leave out 0, up to the 1 that is added.

    Parameters
    ----------
    difference : float
        On the data as they are.
    first, second : (replicates,) float arrays
        Coefficients of both metrics in the same replicates; ``nan`` where undefined.
    alternative : "two-sided", "greater" or "less"
        ``greater``: the first metric agrees better.
    confidence_level : float
    weights : (replicates,) float array, optional
        The probability of each replicate where all possible ones are listed; then nothing is added to b and m.
    n_units : int, optional
        What the replicates were drawn from. Where few units all point the same way, so does every replicate, and p
        would be 0. The sign test knows better: p is at least 2**-n on each side.

    Raises
    ------
    UsageError
        If the alternative is unknown.
    """
    check_alternative(alternative)
    differences = first - second
    differences[np.abs(differences) < _EQUAL] = 0.0
    interval = bootstrap_interval(
        difference, differences, confidence_level=confidence_level, weights=weights, n_units=n_units
    )
    used = ~np.isnan(differences)
    if not used.any() or np.isnan(difference):
        return BootstrapTest(difference, np.nan, np.nan, np.nan, interval.n_used, interval.n_undefined)
    if weights is None:
        not_above = (int((differences[used] <= 0).sum()) + 1) / (interval.n_used + 1)
        not_below = (int((differences[used] >= 0).sum()) + 1) / (interval.n_used + 1)
    else:
        not_above = float(np.average(differences[used] <= 0, weights=weights[used]))
        not_below = float(np.average(differences[used] >= 0, weights=weights[used]))
    if n_units is not None:
        not_above, not_below = max(not_above, 0.5**n_units), max(not_below, 0.5**n_units)
    two_sided = min(1.0, 2.0 * min(not_above, not_below))
    p = {"greater": not_above, "less": not_below, "two-sided": two_sided}[alternative]
    return BootstrapTest(difference, interval.lower, interval.upper, p, interval.n_used, interval.n_undefined)
