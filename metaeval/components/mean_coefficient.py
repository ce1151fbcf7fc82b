"""The input of intervals and tests: the mean coefficient of one metric, or of two on the same documents."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from metaeval.components.coefficient import Coefficient
    from metaeval.datamodel.corpus import FloatArray, IntArray
    from metaeval.datamodel.resampling import Swaps


class OrientedScores(NamedTuple):
    """The scores of metrics A and B and of people, high where they mean good, so that the coefficient needs no sign.

    Attributes
    ----------
    metric_a, metric_b, human : (documents, systems) float arrays
        Of the documents where both metrics have scores.
    average_by : {"item", "system", "none", "averages"}
        What is correlated: the systems of each document, the documents of each system, all of them together, or the
        means of the systems over the documents.
    swaps : Swaps or None
        Where a permutation test exchanges the scores of the metrics.
    """

    metric_a: FloatArray
    metric_b: FloatArray
    human: FloatArray
    average_by: str
    swaps: Swaps | None = None


@dataclass(frozen=True, kw_only=True)
class MeanCoefficient:
    """The mean coefficient of one metric, or of two on the same documents: the input of intervals and tests.

    A row of a table that users get, with its interval, is a `metaeval.Estimate`.

    Attributes
    ----------
    coefficients : sequence of one or two (n,) float arrays
        Of each metric the coefficients that are averaged, along the axis that a test pairs: of documents, of systems,
        or one. Where undefined ``nan``, or 0 if the experiment counts them so.
    coefficient : Coefficient
        What they are.
    n_documents, n_systems : int
        How many documents and systems have scores of the metrics; where several cells are paired, in the first cell.
    confidence_level : float
        Of the interval, between 0 and 1.
    replicates : sequence of one or two (replicates,) float arrays
        The mean coefficient of each metric in bootstrap replicates, over the documents where all the metrics have one;
        ``nan`` where undefined. Empty unless asked for.
    weights : (replicates,) float array or None
        The probability of each replicate, where every possible one is listed once.
    n_units : int or None
        The fewest units, such as segments, that the replicates were drawn from.
    jackknife : sequence of (units,) float arrays
        The mean coefficient of one metric without each unit, an array for each kind of unit; empty unless asked for.
    sample_sizes : mapping of {"segments", "documents", "systems"} to float
        How many independent units there are of each kind that is drawn again, or else that the mean is over; of
        documents, how many of equal size would say as much.
    groups : (n,) int array or None
        Of coefficients of single segments, the real document of each, where documents are the independent units.
    pooled : bool
        Whether a coefficient pools segments, of which there must be more then.
    scores : OrientedScores or None
        Of two metrics, for a test that needs them. The others get none, as all pairs of metrics may be held at once.
    """

    coefficients: Sequence[FloatArray]
    coefficient: Coefficient
    n_documents: int
    n_systems: int
    confidence_level: float = 0.95
    replicates: Sequence[FloatArray] = ()
    weights: FloatArray | None = None
    n_units: int | None = None
    jackknife: Sequence[FloatArray] = ()
    sample_sizes: Mapping[str, float] = field(default_factory=dict)
    groups: IntArray | None = None
    pooled: bool = False
    scores: OrientedScores | None = None

    @property
    def is_difference(self) -> bool:
        """True if it has two metrics, so that value, replicates and interval are those of A - B."""
        return len(self.coefficients) > 1

    @property
    def values(self) -> FloatArray:
        """The coefficients, or the differences A - B; ``nan`` where undefined: (n,)."""
        return _one_or_difference(self.coefficients)

    @property
    def replicate_values(self) -> FloatArray:
        """The mean coefficient, or the difference A - B, in each replicate; ``nan`` where undefined: (replicates,)."""
        return _one_or_difference(self.replicates)

    @property
    def value(self) -> float:
        """The mean coefficient, or the mean difference where both are defined; ``nan`` where none is."""
        defined = self._defined
        return float(defined.mean()) if len(defined) else math.nan

    @property
    def sd(self) -> float:
        """The standard deviation of the values (n - 1); ``nan`` for fewer than two."""
        defined = self._defined
        return float(defined.std(ddof=1)) if len(defined) > 1 else math.nan

    @property
    def n_used(self) -> int:
        """The number of values that are defined."""
        return len(self._defined)

    @property
    def _defined(self) -> FloatArray:
        import numpy as np  # help must not wait for it

        values = self.values
        defined: FloatArray = values[~np.isnan(values)]
        return defined


def _one_or_difference(metrics: Sequence[FloatArray]) -> FloatArray:
    """Return the array of one metric, or the difference of two."""
    first, *others = metrics
    return first - others[0] if others else first
