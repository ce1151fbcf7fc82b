"""Intervals and tests that are a standard error and Student's t, and the fewest units that allow one.

Two kinds. Where a mean is taken over units that are independent, such as segments, its standard error is that of a
mean (``t``). Elsewhere it is the standard deviation of bootstrap replicates (``standard-error``). Neither has a
smallest p, so that a correction for many pairs leaves them decisive; and an interval excludes 0 exactly where its p is
significant.

Sources
-------
The fewest units are those from which on intervals had about their coverage in the calibration (docs/calibration.md).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from metaeval.components.coefficient import Coefficient
from metaeval.components.design import Design
from metaeval.components.documents import DocumentUnits
from metaeval.components.interval import ConfidenceInterval, Interval
from metaeval.components.mean_coefficient import MeanCoefficient
from metaeval.components.test import Comparison
from metaeval.correlation.alternatives import Sided
from metaeval.correlation.bootstrap_intervals import too_few_defined
from metaeval.correlation.tolerances import EQUAL
from metaeval.datamodel.corpus import BoolArray, FloatArray, IntArray
from metaeval.errors import UsageError
from metaeval.scipy_parts import special

# Of what is drawn again, or of what a mean is over; documents of unequal size count as `effective` says.
MIN_UNITS = {"segments": 10, "documents": 3, "systems": 5}
# With fewer documents than this, their number is what makes an interval wide.
FEW_DOCUMENTS = 10
# With fewer than this, intervals of means over pseudo-documents hold too seldom where documents differ much.
FEW_DOCUMENTS_TO_DRAW_FROM = 20
# A coefficient over all segments pooled, or over the segments of each system, needs more: rare errors decide it.
MIN_POOLED_SEGMENTS = 100
MIN_REPLICATES = 50


class Counts(NamedTuple):
    """The numbers of differences: with a value, of these the ones that are 0, and without a value."""

    used: int
    zero: int
    undefined: int


def too_few(units: Mapping[str, float], n_documents: int = 0, *, pooled: bool = False) -> str:
    """Explain why there are too few units for an interval or a test; "" where there are enough.

    Parameters
    ----------
    units : mapping of {"segments", "documents", "systems"} to float
        How many there are of what is drawn again, or taken a mean over; of documents, as many of equal size as say as
        much.
    n_documents : int
        How many documents there are, for the message; 0 where they have one size.
    pooled : bool
        Whether a coefficient pools segments.
    """
    for name, number in units.items():
        fewest = MIN_POOLED_SEGMENTS if pooled and name == "segments" else MIN_UNITS[name]
        if number < fewest:
            if name == "documents" and n_documents:
                return f"undecided: {few_documents(n_documents, number)} {'is' if n_documents == 1 else 'are'} too few"
            needed = f"{fewest} {name} that are pooled" if fewest == MIN_POOLED_SEGMENTS else f"{fewest} {name}"
            if not float(number).is_integer():
                return f"it needs at least {needed}, and a system was judged on {number:.1f} on average"
            return f"it needs at least {needed}, and there {'is' if number == 1 else 'are'} {number:g}"
    return ""


def few_documents(number: int, equal: float) -> str:
    """Return in words how many documents there are, and how many of equal size would say as much."""
    documents = f"{number} document{'s' * (number != 1)}"
    return documents if abs(number - equal) < 0.05 else f"{documents}, as good as {equal:.1f} of equal size,"


def freedom(units: Mapping[str, float], n_replicates: int | None = None) -> float:
    """Return the degrees of freedom of a standard error: those of the replicates, or of the units if they are fewer."""
    numbers = [*units.values(), *([] if n_replicates is None else [n_replicates])]
    return max(min(numbers) - 1, 1)


def t_in_words(df: float) -> str:
    """Return the name of a t distribution: its degrees of freedom, to a tenth where they are no whole number."""
    return f"t({df:.0f})" if float(df).is_integer() else f"t({df:.1f})"


def half_width(error: float, df: float, confidence_level: float) -> float:
    """Return the half width of an interval."""
    return float(special.stdtrit(df, (1.0 + confidence_level) / 2.0)) * error


def p_of(statistic: float, df: float, alternative: str) -> float:
    """Return the p-value of Student's t."""
    if alternative == "two-sided":
        return float(2.0 * special.stdtr(df, -abs(statistic)))
    return float(special.stdtr(df, -statistic if alternative == "greater" else statistic))


def effective(groups: IntArray) -> float:
    """Return the number of groups of equal size that would say as much: (sum n)**2 / sum n**2, of their sizes n."""
    sizes = np.unique(groups, return_counts=True)[1].astype(np.float64)
    return float(sizes.sum() ** 2 / np.square(sizes).sum()) if len(sizes) else 0.0


def error_of_mean(values: FloatArray, groups: IntArray | None = None) -> tuple[float, float]:
    """Return the standard error of a mean, and how many independent units there are.

    It is that of the means without each unit (the jackknife, CR3): sqrt((D - 1) / D * sum of u**2 / (1 - h)**2), with D
    units, h the share of the values that a unit has, and u what it adds to the mean beyond its share.

    Parameters
    ----------
    values : (n,) float array
        All defined.
    groups : (n,) int array, optional
        Values with the same number, such as those of the segments of a document, need not be independent. The groups
        are the units then, and a large one leaves fewer units than there are groups.

    Returns
    -------
    (float, float)
        ``nan`` of fewer than two units.
    """
    if groups is None:
        groups = np.arange(len(values))
    _, places, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    n = len(sizes)
    if n < 2:
        return math.nan, float(n)
    sums = np.bincount(places, weights=values - values.mean())
    others = len(values) - sizes
    return float(np.sqrt((n - 1) / n * np.square(sums / others).sum())), effective(groups)


def mean_of(replicates: FloatArray, weights: FloatArray | None) -> float:
    """Return the mean of replicates; of all that there can be, each with its probability."""
    return float(replicates.mean() if weights is None else np.average(replicates, weights=weights))


def deviation(replicates: FloatArray, weights: FloatArray | None) -> float:
    """Return the standard deviation of replicates; of all that there can be, each with its probability."""
    if weights is None:
        return float(replicates.std(ddof=1))
    mean = np.average(replicates, weights=weights)
    return float(np.sqrt(np.average(np.square(replicates - mean), weights=weights)))


def why_no_error(replicates: FloatArray, weights: FloatArray | None) -> str:
    """Explain why replicates, (replicates,), give no standard error; "" if they do."""
    defined = ~np.isnan(replicates)
    if not defined.any():
        return "no replicate has a value"
    if too_few_defined(defined, weights):
        return "more than half of the replicates have no value"
    n_defined, n = int(defined.sum()), len(replicates)
    if weights is None and n_defined < MIN_REPLICATES:
        number = f"{n} were drawn" if n_defined == n else f"{n_defined} of {n} have a value"
        return f"it needs at least {MIN_REPLICATES} bootstrap replicates, and {number}"
    return ""


def _why_no_spread(estimate: MeanCoefficient, *, over_systems: bool) -> str:
    """Explain why the spread of the replicates gives no interval and no test; "" if it does.

    Parameters
    ----------
    estimate : MeanCoefficient
    over_systems : bool
        Whether there must be enough systems too, although the same ones are in each replicate.
    """
    sizes = estimate.sample_sizes
    if over_systems:
        sizes = {**sizes, "systems": estimate.n_systems}
    because = too_few(sizes, _n_groups(estimate.groups), pooled=estimate.pooled)
    return because or why_no_error(estimate.replicate_values, estimate.weights)


def _n_groups(groups: IntArray | None) -> int:
    return 0 if groups is None else len(np.unique(groups))


def _error_of_values(estimate: MeanCoefficient) -> tuple[float, float, str]:
    """Return the standard error of the mean of independent values, its degrees of freedom, and why these are too few.

    The reason is "" where they are enough.
    """
    values, groups = estimate.values, estimate.groups
    defined = ~np.isnan(values)
    groups = None if groups is None else groups[defined]
    error, n = error_of_mean(values[defined], groups)
    unit = next((name for name in estimate.sample_sizes if name != "systems"), "segments")
    return error, n - 1, too_few({unit: n}, _n_groups(groups))


def _continuity(estimate: MeanCoefficient) -> float:
    """Return half of what one pair of systems changes in the difference of two coefficients that count pairs.

    Two metrics that are nearly alike differ in the order of a pair, and their difference takes no values between.
    """
    is_one = len(estimate.values) == estimate.n_documents == 1
    return estimate.coefficient.step(estimate.n_systems) / 2.0 if estimate.is_difference and is_one else 0.0


def limits_around(estimate: MeanCoefficient, error: float, df: float) -> tuple[float, float]:
    """Return the interval of a mean coefficient, or of a difference, by its standard error and degrees of freedom.

    It does not reach beyond what the estimate can be.
    """
    half = half_width(error, df, estimate.confidence_level) + _continuity(estimate)
    lowest = estimate.coefficient.lowest
    highest = 1.0
    if estimate.is_difference:
        lowest, highest = lowest - highest, highest - lowest
    return max(estimate.value - half, lowest), min(estimate.value + half, highest)


@dataclass(frozen=True)
class Student(Interval, name="t", sources=("student1908",)):
    """The t interval of a mean over segments or documents that share no segment.

    The segments of one real document need not be independent: where the corpus names documents, they are its units.
    """

    made: ClassVar[str] = "t, over {resampled}"
    of_values: ClassVar[bool] = True

    def check(self, design: Design) -> None:
        """Check that there are independent values."""
        _check_items("interval", design)

    def described(self, replicates: str, resampled: str, documents: DocumentUnits, coefficient: Coefficient) -> str:
        """Return over what the mean is taken, and what is independent."""
        return f"are those of Student's t for the mean over {_independent(resampled, documents)}"

    def confidence_interval(self, estimate: MeanCoefficient) -> ConfidenceInterval:
        """Return mean -+ t standard errors, of a coefficient or of a difference."""
        if np.isnan(estimate.value):
            return ConfidenceInterval()
        error, df, because = _error_of_values(estimate)
        if because or error <= EQUAL:
            return ConfidenceInterval(undefined_because=because or "all coefficients are equal")
        return ConfidenceInterval(*limits_around(estimate, error, df))


@dataclass(frozen=True)
class StandardError(Interval, name="standard-error", sources=("efron1979",)):
    """The estimate -+ t standard deviations of its bootstrap replicates."""

    made: ClassVar[str] = "standard error of a bootstrap over {resampled}"
    needs_replicates: ClassVar[bool] = True

    def described(self, replicates: str, resampled: str, documents: DocumentUnits, coefficient: Coefficient) -> str:
        """Describe the interval."""
        return (
            "reach t standard errors (Student's t) to each side of the estimate, where the standard error is the "
            f"standard deviation of the coefficient in {replicates}"
        )

    def confidence_interval(self, estimate: MeanCoefficient) -> ConfidenceInterval:
        """Return the interval of a coefficient or of a difference from its replicates, or why there is none."""
        defined = ~np.isnan(estimate.replicate_values)
        used = estimate.replicate_values[defined]
        weights = None if estimate.weights is None else estimate.weights[defined]
        counts = len(used), len(defined) - len(used)
        if np.isnan(estimate.value):
            return ConfidenceInterval(np.nan, np.nan, *counts)
        because = _why_no_spread(estimate, over_systems=self.is_denoised)
        if because or np.ptp(used) <= EQUAL:
            return ConfidenceInterval(np.nan, np.nan, *counts, because or "all replicates are equal")
        df = freedom(estimate.sample_sizes, None if weights is not None else len(used))
        return ConfidenceInterval(*self.limits(estimate, defined, df), *counts)

    def limits(self, estimate: MeanCoefficient, defined: BoolArray, df: float) -> tuple[float, float]:
        """Return estimate -+ t standard deviations of the replicates that have a value."""
        weights = None if estimate.weights is None else estimate.weights[defined]
        return limits_around(estimate, deviation(estimate.replicate_values[defined], weights), df)


def _independent(resampled: str, documents: DocumentUnits) -> str:
    """Name the units of a mean, and what is taken as independent where that is something else."""
    if documents.unit == "documents":
        return "documents"
    if resampled == "documents":
        return "segments, with a jackknife standard error that takes whole documents as independent"
    return "segments, which are taken as independent"


def _check_items(noun: str, design: Design) -> None:
    of_items = design.average_by == "item" and not (design.documents.is_whole or design.documents.is_drawn)
    if not of_items or design.takes_grid:
        raise UsageError(
            f"the {noun} 't' is for a mean over segments or real documents (`correlation.average_by` 'item'); got "
            f"`documents.kind` {design.documents.name!r}, averaged by {design.average_by!r}. Leave it out for the "
            "default."
        )
    if design.resample in ("systems", "both"):
        raise UsageError(
            f"the {noun} 't' is over segments or documents: `uncertainty.resample` must be 'segments', 'documents' or "
            f"'text'; got {design.resample!r}. Leave it out for the default."
        )


def compared(estimate: MeanCoefficient, error: float, df: float, counts: Counts, alternative: str) -> Comparison:
    """Return the test of a difference by its standard error, with its interval.

    Parameters
    ----------
    estimate : MeanCoefficient
        Of two metrics.
    error : float
        The standard error.
    df : float
        Its degrees of freedom.
    counts : Counts
    alternative : str
    """
    difference = estimate.value
    if error <= EQUAL:
        # Equal metrics are equal; what differs by the same amount everywhere is not known to differ elsewhere.
        p, because = (1.0, "") if abs(difference) <= EQUAL else (np.nan, "the difference is the same everywhere")
        return Comparison(difference, p, *counts, t_in_words(df), untested_because=because)
    statistic = float(np.sign(difference)) * max(abs(difference) - _continuity(estimate), 0.0) / error
    p = p_of(statistic, df, alternative)
    lower, upper = limits_around(estimate, error, df)
    return Comparison(difference, p, *counts, t_in_words(df), statistic, lower, upper)


def _count(differences: FloatArray) -> Counts:
    """Count the differences by what they are."""
    defined = differences[~np.isnan(differences)]
    return Counts(len(defined), int((np.abs(defined) <= EQUAL).sum()), len(differences) - len(defined))


def _untested(estimate: MeanCoefficient, because: str, n_undefined: int) -> Comparison:
    """Return a difference that was not tested, with the reason."""
    return Comparison(estimate.value, np.nan, 0, 0, n_undefined, "", untested_because=because)


@dataclass(frozen=True)
class PairedT(Sided, name="t", sources=("student1908",)):
    """The paired t test, over segments or documents that share no segment."""

    axes: ClassVar[tuple[str, ...]] = ("documents",)
    gives_interval: ClassVar[bool] = True
    words: ClassVar[str] = "paired t-test"
    tested: ClassVar[str] = "equal mean coefficients on segments like these"

    def check(self, design: Design, axis: str) -> None:
        """Check that there are independent values."""
        _check_items("test", design)

    def described(
        self, replicates: str, resampled: str, axis: str, documents: DocumentUnits, coefficient: Coefficient
    ) -> str:
        """Return over what it is, and what is independent."""
        return f"a paired t test over {_independent(resampled, documents)}"

    def compare(self, estimate: MeanCoefficient) -> Comparison:
        """Test two metrics on the documents where both have a coefficient."""
        counts = _count(estimate.values)
        error, df, because = _error_of_values(estimate)
        if because:
            return _untested(estimate, because, counts.undefined)
        return compared(estimate, error, df, counts, self.alternative)


@dataclass(frozen=True)
class StandardErrorTest(Sided, name="standard-error", sources=("efron1979",)):
    """The difference of two metrics by the standard deviation of its bootstrap replicates."""

    axes: ClassVar[tuple[str, ...]] = ("replicates",)
    needs_replicates: ClassVar[bool] = True
    gives_interval: ClassVar[bool] = True
    words: ClassVar[str] = "t-test by the standard error of the bootstrap"
    tested: ClassVar[str] = "equal coefficients, by the standard error of their difference"

    def described(
        self, replicates: str, resampled: str, axis: str, documents: DocumentUnits, coefficient: Coefficient
    ) -> str:
        """Describe the test."""
        return f"a t test of their difference, whose standard error is its standard deviation in {replicates}"

    def compare(self, estimate: MeanCoefficient) -> Comparison:
        """Test two metrics by their replicates, or say why not."""
        defined: BoolArray = ~np.isnan(estimate.replicate_values)
        counts = _count(estimate.replicate_values)
        if because := _why_no_spread(estimate, over_systems=self.is_denoised):
            return _untested(estimate, because, counts.undefined)
        df = freedom(estimate.sample_sizes, None if estimate.weights is not None else counts.used)
        return self._tested(estimate, defined, df, counts)

    def _tested(self, estimate: MeanCoefficient, defined: BoolArray, df: float, counts: Counts) -> Comparison:
        """Test by the spread of the difference in the replicates that have a value."""
        weights = None if estimate.weights is None else estimate.weights[defined]
        return compared(estimate, deviation(estimate.replicate_values[defined], weights), df, counts, self.alternative)
