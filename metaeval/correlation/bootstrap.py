"""The paired bootstrap: the difference of two metrics in replicates that both share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from metaeval.contracts import Comparison, Evidence, Test
from metaeval.correlation.intervals import EQUAL, bootstrap_interval, too_few_defined
from metaeval.correlation.vectors import ALTERNATIVES, check_alternative
from metaeval.parameters import parameter
from metaeval.records import FloatArray

# By what a bootstrap draws again, as tables have it.
_GENERALISES_TO = {
    "segments": "new segments, same systems",
    "documents": "new documents, same systems",
    "systems": "new systems, same texts",
    "segments+systems": "new segments and systems",
    "documents+systems": "new documents and systems",
}


def generalises_to(resampled: str) -> str:
    """Return what a bootstrap is an inference to; "" where nothing is drawn again."""
    return _GENERALISES_TO.get(resampled, "")


@dataclass(frozen=True)
class PairedBootstrap(Test):
    """The difference in replicates of the data, drawn once for all metrics.

    On pseudo-documents each replicate draws the segments again and then the documents from these: the counterpart
    of the signed-rank test over documents whose p is an inference to new text.
    """

    name: ClassVar[str] = "bootstrap"
    sources: ClassVar[tuple[str, ...]] = ("deutsch2021",)
    axes: ClassVar[tuple[str, ...]] = ("replicates",)
    needs_replicates: ClassVar[bool] = True
    is_random: ClassVar[bool] = True
    gives_interval: ClassVar[bool] = True

    alternative: str = parameter("two-sided", doc="which differences count against equality", choices=ALTERNATIVES)

    @property
    def sides(self) -> int:
        """2 where p is twice the smaller side."""
        return 2 if self.alternative == "two-sided" else 1

    def hypothesis(self, axis: str) -> str:
        """Return what is tested."""
        return "equal coefficients, by the share of replicates on each side of 0; it favours metrics with little noise"

    def generalises_to(self, axis: str, unit: str, resampled: str) -> str:
        """Return what p is an inference to: other units of what is drawn again."""
        return generalises_to(resampled)

    def compare(self, evidence: Evidence) -> Comparison:
        """Test two metrics by their replicates."""
        assert evidence.replicates_a is not None
        assert evidence.replicates_b is not None
        result = bootstrap_test(
            evidence.difference,
            evidence.replicates_a,
            evidence.replicates_b,
            alternative=self.alternative,
            confidence_level=evidence.confidence_level,
            weights=evidence.weights,
            n_units=evidence.n_units,
        )
        return Comparison(
            difference=result.difference,
            p=result.p,
            n_used=result.n_used,
            n_zero=0,
            n_undefined=result.n_undefined,
            distribution="random" if evidence.weights is None else "exact",
            lower=result.lower,
            upper=result.upper,
            untested_because="more than half of the replicates have no value"
            if np.isnan(result.p) and not np.isnan(result.difference)
            else "",
        )


@dataclass(frozen=True)
class BootstrapTest:
    """A paired bootstrap of the difference between two metrics.

    Attributes
    ----------
    difference, lower, upper : float
        Of the first metric's coefficient minus the second's, with its percentile interval; ``nan`` where all
        replicates give the same difference.
    p : float
        Two-sided; 1 for equal metrics; ``nan`` if more than half of the replicates have no value.
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
    So p is below 5 % where the 95 % percentile interval excludes 0, up to the 1 that is added.

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
    differences[np.abs(differences) < EQUAL] = 0.0
    interval = bootstrap_interval(
        difference, differences, confidence_level=confidence_level, weights=weights, n_units=n_units
    )
    used = ~np.isnan(differences)
    if not used.any() or too_few_defined(used, weights) or np.isnan(difference):
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
