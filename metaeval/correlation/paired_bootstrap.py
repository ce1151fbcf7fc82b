"""The paired bootstrap: the difference of two metrics in replicates that both share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from metaeval.components.coefficient import Coefficient
from metaeval.components.documents import DocumentUnits
from metaeval.components.mean_coefficient import MeanCoefficient
from metaeval.components.test import Comparison
from metaeval.correlation.alternatives import Sided, check_alternative, p_by
from metaeval.correlation.bootstrap_intervals import bootstrap_interval, too_few_defined
from metaeval.correlation.tolerances import EQUAL
from metaeval.datamodel.corpus import FloatArray


@dataclass(frozen=True)
class PairedBootstrap(Sided, name="bootstrap", sources=("deutsch2021",)):
    """The difference in replicates of the data, drawn once for all metrics.

    On pseudo-documents each replicate draws the segments again and then the documents from these: the counterpart
    of the signed-rank test over documents whose p is an inference to new text.
    """

    axes: ClassVar[tuple[str, ...]] = ("replicates",)
    needs_replicates: ClassVar[bool] = True
    is_random: ClassVar[bool] = True
    gives_interval: ClassVar[bool] = True
    words: ClassVar[str] = "paired bootstrap test"
    tested: ClassVar[str] = (
        "equal coefficients, by the share of replicates on each side of 0; it favours metrics with little noise"
    )

    def described(
        self, replicates: str, resampled: str, axis: str, documents: DocumentUnits, coefficient: Coefficient
    ) -> str:
        """Name the unit that is counted."""
        return f"the paired bootstrap, which counts on which side of 0 their difference lies in {replicates}"

    @property
    def sides(self) -> int:
        """2 where p is twice the smaller side."""
        return 2 if self.alternative == "two-sided" else 1

    def compare(self, estimate: MeanCoefficient) -> Comparison:
        """Test two metrics by their replicates."""
        first, second = estimate.replicates
        return bootstrap_test(
            estimate.value,
            first,
            second,
            alternative=self.alternative,
            confidence_level=estimate.confidence_level,
            weights=estimate.weights,
            n_units=estimate.n_units,
        )


def bootstrap_test(
    difference: float,
    first: FloatArray,
    second: FloatArray,
    *,
    alternative: str = "two-sided",
    confidence_level: float = 0.95,
    weights: FloatArray | None = None,
    n_units: int | None = None,
) -> Comparison:
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

    Returns
    -------
    Comparison
        With the percentile interval, which is ``nan`` where all replicates give the same difference. p is 1 for equal
        metrics, and ``nan`` if more than half of the replicates have no value.

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
    n_used = int(used.sum())
    counts = n_used, 0, len(used) - n_used, "random" if weights is None else "exact"
    if np.isnan(difference):
        return Comparison(difference, np.nan, *counts)
    if not n_used or too_few_defined(used, weights):
        return Comparison(
            difference, np.nan, *counts, untested_because="more than half of the replicates have no value"
        )
    sides = differences[used] <= 0, differences[used] >= 0
    if weights is None:
        not_above, not_below = ((int(side.sum()) + 1) / (len(side) + 1) for side in sides)
    else:
        not_above, not_below = (float(np.average(side, weights=weights[used])) for side in sides)
    if n_units is not None:
        not_above = max(not_above, 0.5**n_units)
        not_below = max(not_below, 0.5**n_units)
    p = float(p_by(alternative, less=not_below, greater=not_above))
    return Comparison(difference, p, *counts, lower=interval.lower, upper=interval.upper)
