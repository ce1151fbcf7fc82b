"""Intervals from replicates: what a coefficient would be on other segments, or with other systems.

Sources
-------
Efron (1987): Better bootstrap confidence intervals. Journal of the American Statistical Association 82.
Lin and Och (2004): Automatic evaluation of machine translation quality using longest common subsequence and
skip-bigram statistics. Percentile intervals over resampled segments.
Deutsch, Dror and Roth (2021): A statistical analysis of summarization evaluation metrics using resampling methods.
Resampling of segments, systems, or both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from metaeval.components.coefficient import Coefficient
from metaeval.components.design import Design
from metaeval.components.documents import DocumentUnits
from metaeval.components.interval import ConfidenceInterval, Interval
from metaeval.components.mean_coefficient import MeanCoefficient
from metaeval.correlation.tolerances import EQUAL
from metaeval.datamodel.corpus import BoolArray, FloatArray
from metaeval.errors import UsageError
from metaeval.scipy_parts import special

# BCa takes a third moment from the values without each unit. Of 3 systems these are correlations across 2, which are 1
# or -1; of 4, four values across 3. And of 4 units there are but 35 different draws to take a shifted percentile of.
MIN_UNITS_FOR_BCA = 5
# Where more replicates than this have no value, the others are a choice among them that nobody made.
MAX_UNDEFINED_SHARE = 0.5


@dataclass(frozen=True)
class Normal(Interval, name="normal"):
    """The normal interval of a mean: how well the drawn documents determine the mean over all that could be drawn.

    It does not generalise to another corpus.
    """

    made: ClassVar[str] = "normal, of the mean on this corpus"
    is_of_new: ClassVar[bool] = False

    def described(self, replicates: str, resampled: str, documents: DocumentUnits, coefficient: Coefficient) -> str:
        """Name the units of the mean."""
        return (
            "are those of a normal mean over the coefficients of the documents in this corpus, and do not extend to "
            "other texts"
        )

    def confidence_interval(self, estimate: MeanCoefficient) -> ConfidenceInterval:
        """Return mean -+ z sd / sqrt(n)."""
        mean, n = estimate.value, estimate.n_used
        if n < 2:
            return ConfidenceInterval()
        half = float(special.ndtri(0.5 + estimate.confidence_level / 2.0)) * estimate.sd / np.sqrt(n)
        return ConfidenceInterval(mean - half, mean + half)


@dataclass(frozen=True)
class NoInterval(Interval, name="none"):
    """No interval."""

    is_none: ClassVar[bool] = True
    is_of_new: ClassVar[bool] = False

    def confidence_interval(self, estimate: MeanCoefficient) -> ConfidenceInterval:
        """Return nothing."""
        return ConfidenceInterval()


@dataclass(frozen=True)
class Percentile(Interval, name="percentile", sources=("deutsch2021",)):
    """Percentiles of bootstrap replicates (Lin and Och 2004)."""

    made: ClassVar[str] = "bootstrap over {resampled}"
    needs_replicates: ClassVar[bool] = True
    # In a sentence.
    percentiles: ClassVar[str] = "percentiles"

    def described(self, replicates: str, resampled: str, documents: DocumentUnits, coefficient: Coefficient) -> str:
        """Return of what it takes percentiles."""
        return f"are {self.percentiles} of {replicates}"

    def warnings(self, design: Design) -> tuple[str, ...]:
        """Return that percentiles lie low: resampling adds noise to scores that have it."""
        units = design.documents
        if design.resample == "systems" or not (units.is_whole or units.is_drawn):
            return ()
        about = "new segments and systems" if design.resample == "both" else "new segments, not to new systems"
        why = "They are biased downward, because resampling adds segment noise (docs/calibration.md)"
        if units.is_drawn:
            drawn = "A replicate holds some segments twice"
            if design.resample not in ("segments", "both"):
                drawn += ", or half of the documents of a corpus that names them"
            why = f"{drawn}. So an interval can lie to one side of its estimate, or miss it (docs/calibration.md)"
        return (f"the intervals generalise to {about}. {why}.",)

    def confidence_interval(self, estimate: MeanCoefficient) -> ConfidenceInterval:
        """Return the percentiles."""
        return bootstrap_interval(
            estimate.value,
            estimate.replicate_values,
            limits=self.name,
            confidence_level=estimate.confidence_level,
            weights=estimate.weights,
            jackknife=estimate.jackknife,
            n_units=estimate.n_units,
        )


@dataclass(frozen=True)
class BiasCorrected(Percentile, name="bca", sources=("efron1987", "deutsch2021")):
    """Percentiles of bootstrap replicates, corrected for bias and acceleration (Efron 1987: BCa)."""

    made: ClassVar[str] = "BCa bootstrap over {resampled}"
    percentiles: ClassVar[str] = "bias-corrected and accelerated percentiles (BCa)"
    needs_jackknife: ClassVar[bool] = True

    def check(self, design: Design) -> None:
        """Check that there is a coefficient without each unit."""
        if design.documents.is_drawn:
            raise UsageError(
                '`uncertainty.limits = "bca"` needs the coefficient without each segment, and pseudo-documents do not '
                'have it: they are drawn again in each replicate. Choose "percentile".'
            )
        if design.draws_judgments:
            raise UsageError("`uncertainty.limits = \"bca\"` needs the rule 'mean' or 'median'; got 'draw'.")


def bootstrap_interval(
    value: float,
    replicates: FloatArray,
    *,
    limits: str = "percentile",
    confidence_level: float = 0.95,
    weights: FloatArray | None = None,
    jackknife: Sequence[FloatArray] = (),
    n_units: int | None = None,
) -> ConfidenceInterval:
    """Return the confidence interval of a value from its bootstrap replicates.

    Replicates that are all equal say nothing about the uncertainty of a value, and give no interval.

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
        The probability of each replicate where all possible ones are listed. A bound is then the smallest replicate up
        to which the probability is reached; otherwise it lies between two neighbours, as numpy's quantiles do.
    jackknife : sequence of (units,) float arrays
        For ``bca``: the values without each unit, one array for each kind of unit that was resampled; of fewer units
        than `MIN_UNITS_FOR_BCA` there is no such interval.
    n_units : int, optional
        What the replicates were drawn from; one unit gives no interval.

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
        return ConfidenceInterval(np.nan, np.nan, len(used), n_undefined)
    tails = np.array([(1.0 - confidence_level) / 2.0, (1.0 + confidence_level) / 2.0])
    fewest = min((len(values) for values in jackknife), default=MIN_UNITS_FOR_BCA)
    because = ""
    if n_units is not None and n_units < 2:
        because = "there is one unit to draw from"
    elif not len(used):
        because = "no replicate has a value"
    elif too_few_defined(defined, weights):
        because = "more than half of the replicates have no value"
    elif np.ptp(used) <= EQUAL:
        because = "all replicates are equal"
    elif limits == "bca" and fewest < MIN_UNITS_FOR_BCA:
        because = f"BCa needs {MIN_UNITS_FOR_BCA} units or more to draw from, and there are {fewest}"
    elif limits == "bca":
        tails = _corrected(tails, value, used, chances, jackknife)
        because = "all replicates lie on one side of the value, which BCa cannot correct" if np.isnan(tails[0]) else ""
    if because:
        return ConfidenceInterval(np.nan, np.nan, len(used), n_undefined, because)
    lower, upper = np.quantile(used, tails) if chances is None else _weighted_quantiles(used, chances, tails)
    return ConfidenceInterval(float(lower), float(upper), len(used), n_undefined)


def too_few_defined(defined: BoolArray, weights: FloatArray | None) -> bool:
    """Return whether most replicates, (replicates,), have no value, each with its probability if that is given."""
    return bool(np.average(~defined, weights=weights) > MAX_UNDEFINED_SHARE)


def _corrected(
    tails: FloatArray, value: float, used: FloatArray, chances: FloatArray | None, jackknife: Sequence[FloatArray]
) -> FloatArray:
    """Return the percentiles that stand for the tails once bias and acceleration are taken into account."""
    if not jackknife:
        raise ValueError("`bca` needs the values without each unit.")
    # A replicate that draws each unit once is the sample in another order, and equal but for the last bits.
    same = np.isclose(used, value, rtol=EQUAL, atol=EQUAL)
    below = np.average((used < value) & ~same, weights=chances) + np.average((used < value) | same, weights=chances)
    z0 = float(special.ndtri(below / 2.0))
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
    shifted = z0 + special.ndtri(tails)
    return np.asarray(special.ndtr(z0 + shifted / (1.0 - acceleration * shifted)))


def _weighted_quantiles(used: FloatArray, chances: FloatArray, tails: FloatArray) -> FloatArray:
    order = np.argsort(used, kind="stable")
    reached = np.cumsum(chances[order])
    # A probability that is reached exactly must not be missed by rounding.
    places = np.searchsorted(reached, tails * reached[-1] - EQUAL, side="left")
    return np.asarray(used[order][np.minimum(places, len(used) - 1)])
