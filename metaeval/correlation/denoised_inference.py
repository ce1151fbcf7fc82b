"""The interval and the test of denoised replicates: these systems on other test sets of this size.

Pearson's and Spearman's coefficients are taken on Fisher's scale, z = atanh r, where the spread of a good metric is not
lost beside that of a poor one. There the statistic of a difference is the mean of its replicates over their standard
deviation, and its interval the inversion of that. With m the mean of both z, and a difference d of these,

    d  ->  tanh(m + d/2) - tanh(m - d/2)

takes it back to coefficients; it is 0 exactly where d is, so that the interval excludes 0 exactly where p is
significant. Other coefficients take few values, of which means and standard deviations say more than percentiles do:
their interval is the estimate -+ t standard deviations, and so is that of a difference. Where they count pairs, half of
what one pair changes is added, and taken off the statistic: two metrics that are nearly alike may differ in one pair of
systems, which nearly all replicates then show.

The interval of one coefficient on Fisher's scale covers t standard deviations around the estimate as well as around the
mean of its replicates, which both aim at the mean over test sets of this size.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from metaeval.components.coefficient import Coefficient
from metaeval.components.design import Design
from metaeval.components.documents import DocumentUnits
from metaeval.components.mean_coefficient import MeanCoefficient
from metaeval.components.test import Comparison
from metaeval.correlation.standard_error import (
    Counts,
    StandardError,
    StandardErrorTest,
    compared,
    deviation,
    half_width,
    mean_of,
    p_of,
    t_in_words,
)
from metaeval.correlation.tolerances import EQUAL
from metaeval.datamodel.corpus import BoolArray, FloatArray
from metaeval.errors import UsageError


def _check(noun: str, design: Design) -> None:
    of_systems = design.documents.is_whole or (design.takes_grid and design.coefficients[0].kind.needs_all_cells)
    if not of_systems or not design.one_score:
        raise UsageError(
            f"the {noun} 'denoised' is for scores of whole systems, of which a metric has one each. Leave it out for "
            "the default."
        )
    scaled = [coefficient.written for coefficient in design.coefficients if coefficient.kind.changes_with_scale]
    if scaled:
        raise UsageError(
            f"the {noun} 'denoised' takes off what all systems have in common, with which the coefficient "
            f"{scaled[0]!r} may change. Leave it out for the default. Of a function that does not change, say so: its "
            "attribute `changes_with_scale` is False."
        )
    if design.resample in ("systems", "both"):
        raise UsageError(
            f"the {noun} 'denoised' takes off the noise of segments: `uncertainty.resample` must be 'segments', "
            f"'documents' or 'text'; got {design.resample!r}. Leave it out for the default."
        )


def on_fisher_scale(values: FloatArray, coefficient: Coefficient, n_systems: int) -> FloatArray:
    """Return atanh of a coefficient across systems; 1 is taken as halfway to the next value, or as nearly 1.

    A coefficient that is not stretched is returned as it is.
    """
    most = coefficient.largest_on_fisher_scale(n_systems)
    return np.asarray(np.arctanh(np.clip(values, -most, most)) if coefficient.has_fisher_scale else values)


def from_fisher_scale(z: float, coefficient: Coefficient, n_systems: int) -> float:
    """Return the coefficient of a bound on Fisher's scale; what reaches the last value of the scale reaches 1.

    A bound of a coefficient without this scale is cut off at its least or largest value.
    """
    if not coefficient.has_fisher_scale:
        return min(max(z, coefficient.lowest), 1.0)
    r = float(np.tanh(z))
    return float(np.sign(r)) if abs(r) >= coefficient.largest_on_fisher_scale(n_systems) - EQUAL else r


@dataclass(frozen=True)
class DenoisedInterval(StandardError, name="denoised", sources=("efron1979", "fisher1921")):
    """Interval of the mean coefficient of these systems on other test sets of this size."""

    made: ClassVar[str] = "bootstrap over {resampled}, noise removed"
    is_denoised: ClassVar[bool] = True

    def check(self, design: Design) -> None:
        """Check that there are scores of whole systems."""
        _check("interval", design)

    def described(self, replicates: str, resampled: str, documents: DocumentUnits, coefficient: Coefficient) -> str:
        """Return a description of its width and scale."""
        if not coefficient.has_fisher_scale:
            return super().described(replicates, resampled, documents, coefficient)
        return (
            "reach, on Fisher's z scale, from t standard deviations (Student's t) below the lower to as many above the "
            f"higher of two centres, the estimate and the mean of {replicates}"
        )

    def limits(self, estimate: MeanCoefficient, defined: BoolArray, df: float) -> tuple[float, float]:
        """Return the limits on Fisher's scale, where the coefficient has one."""
        coefficient, n_systems = estimate.coefficient, estimate.n_systems
        if not coefficient.has_fisher_scale:
            return super().limits(estimate, defined, df)
        z, center, error = _on_fisher_scale(estimate, defined)
        half = half_width(error, df, estimate.confidence_level)
        if estimate.is_difference:
            middle = (mean_of(z[0], _weights(estimate, defined)) + mean_of(z[1], _weights(estimate, defined))) / 2.0
            lower, upper = (
                np.tanh(middle + d / 2.0) - np.tanh(middle - d / 2.0) for d in (center - half, center + half)
            )
            # Rank correlations of metrics that are nearly alike take one value in most replicates.
            return (float(lower), float(upper)) if lower <= estimate.value <= upper else (np.nan, np.nan)
        centers = float(on_fisher_scale(np.asarray(estimate.value), coefficient, n_systems)), center
        lower = min(centers) - half
        upper = max(centers) + half
        return from_fisher_scale(lower, coefficient, n_systems), from_fisher_scale(upper, coefficient, n_systems)


@dataclass(frozen=True)
class DenoisedTest(StandardErrorTest, name="denoised", sources=("efron1979", "fisher1921")):
    """Test of equal agreement of two metrics with human judgments on other test sets of this size."""

    is_denoised: ClassVar[bool] = True
    words: ClassVar[str] = "bootstrap test (noise removed)"
    tested: ClassVar[str] = "equal mean coefficients on other test sets of this size"

    def check(self, design: Design, axis: str) -> None:
        """Check that there are scores of whole systems."""
        _check("test", design)

    def described(
        self, replicates: str, resampled: str, axis: str, documents: DocumentUnits, coefficient: Coefficient
    ) -> str:
        """Return a description of the test statistic and its scale."""
        if not coefficient.has_fisher_scale:
            return super().described(replicates, resampled, axis, documents, coefficient)
        return (
            "a t test of their difference on Fisher's z scale, its mean divided by its standard deviation in "
            f"{replicates}"
        )

    def _tested(self, estimate: MeanCoefficient, defined: BoolArray, df: float, counts: Counts) -> Comparison:
        if not estimate.coefficient.has_fisher_scale:
            return super()._tested(estimate, defined, df, counts)
        _, mean, error = _on_fisher_scale(estimate, defined)
        if error <= EQUAL:
            return compared(estimate, 0.0, df, counts, self.alternative)
        # Replicates that point the other way than the estimate show neither.
        t = mean / error if mean * estimate.value > 0 else 0.0
        limits = DenoisedInterval().limits(estimate, defined, df)
        return Comparison(estimate.value, p_of(t, df, self.alternative), *counts, t_in_words(df), t, *limits)


def _weights(estimate: MeanCoefficient, defined: BoolArray) -> FloatArray | None:
    return None if estimate.weights is None else estimate.weights[defined]


def _on_fisher_scale(estimate: MeanCoefficient, defined: BoolArray) -> tuple[list[FloatArray], float, float]:
    """Return the replicates of each metric on Fisher's scale, and mean and standard deviation of the estimate there.

    Those of a difference are of the difference on that scale.
    """
    weights = _weights(estimate, defined)
    z = [
        on_fisher_scale(of_metric[defined], estimate.coefficient, estimate.n_systems)
        for of_metric in estimate.replicates
    ]
    compared = z[0] - z[1] if estimate.is_difference else z[0]
    return z, mean_of(compared, weights), deviation(compared, weights)
