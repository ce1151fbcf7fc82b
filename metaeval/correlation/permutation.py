"""Permutation tests between two metrics: their scores are exchanged, and the difference is taken again.

If two metrics are made alike, it does not matter which gave which score. So scores are exchanged, at random or in every
possible way; p is the share of exchanges with a difference at least as large as the observed one. Each metric is first
standardised over all cells. Metrics that agree equally well, with unequal noise and bias, are not made alike.

What is exchanged decides what p is an inference to: whole segments (new segments, same systems), whole systems (new
systems, same segments), or each cell (PERM-BOTH, meant for both; in our calibration for new segments only).

Sources
-------
Deutsch, Dror and Roth (2021): A statistical analysis of summarization evaluation metrics using resampling methods.
Phipson and Smyth (2010): Permutation p-values should never be zero. Statistical Applications in Genetics and Molecular
Biology 9. The observed difference counts as one of the random ones.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from metaeval.components.coefficient import Coefficient
from metaeval.components.design import Design
from metaeval.components.documents import DocumentUnits
from metaeval.components.mean_coefficient import MeanCoefficient
from metaeval.components.test import Comparison
from metaeval.correlation.alternatives import Sided, check_alternative
from metaeval.correlation.array_helpers import on_one_scale, parts, snapped
from metaeval.correlation.averages import arrange_rows, correlate_sets, mean_of_defined
from metaeval.correlation.exchanges import Exchange, groups_of
from metaeval.correlation.sign_sums import signed_sums
from metaeval.correlation.tolerances import EQUAL, EQUAL_EXCHANGED
from metaeval.datamodel.array_checks import check_finite
from metaeval.datamodel.corpus import FloatArray
from metaeval.datamodel.resampling import Swaps
from metaeval.errors import UsageError, unknown

AVERAGE_BY = ("item", "system", "none", "averages")

# Signs in a batch of replicates, which fit into a cache of the processor.
_BATCH_SIGNS = 1 << 16


@dataclass(frozen=True)
class Permutation(Sided, name="permutation", sources=("deutsch2021",)):
    """The scores of two metrics are exchanged at random (Deutsch, Dror and Roth 2021; PERM-BOTH over both)."""

    axes: ClassVar[tuple[str, ...]] = ("systems", "segments", "both")
    exchanges: ClassVar[bool] = True
    is_random: ClassVar[bool] = True
    needs_scores: ClassVar[bool] = True
    words: ClassVar[str] = "paired permutation test"
    tested: ClassVar[str] = "equal make-up of two metrics over {axis}, not only equal correlation"

    def described(
        self, replicates: str, resampled: str, axis: str, documents: DocumentUnits, coefficient: Coefficient
    ) -> str:
        """Describe what is exchanged, and how often."""
        unit = "documents" if documents.unit == "documents" else "segments"
        exchanged = {"systems": "of whole systems", "segments": f"of whole {unit}", "both": "of single outputs"}
        return f"a permutation test that exchanges their standardised scores {exchanged[axis]} ({replicates})"

    def check(self, design: Design, axis: str) -> None:
        """Check that scores can be exchanged: of vectors, and of documents that share no segments."""
        if design.takes_grid:
            raise UsageError(
                f"the test 'permutation' does not take the coefficient {design.coefficients[0].written!r}; choose the "
                "test 'bootstrap'."
            )
        fitted = [coefficient.written for coefficient in design.coefficients if coefficient.kind.is_fitted]
        if fitted:
            raise UsageError(
                f"the test 'permutation' does not take the coefficient {fitted[0]!r}, which is calibrated on the "
                "scores that it would exchange; choose the test 'bootstrap', or another coefficient, such as 'pearson'."
            )
        scaled = [coefficient.written for coefficient in design.coefficients if coefficient.kind.changes_with_scale]
        if scaled:
            raise UsageError(
                f"the test 'permutation' does not take the coefficient {scaled[0]!r}: it puts two metrics on one "
                "scale, with which the coefficient may change; choose the test 'standard-error'. Of a function that "
                "does not change, say so: its attribute `changes_with_scale` is False."
            )
        if design.orientation == "raw":
            raise UsageError(
                "the test 'permutation' exchanges the scores of two metrics, which must be high for good on both "
                "sides: `correlation.orientation` must be 'aligned'; got 'raw'."
            )
        if design.documents.is_drawn and axis != "systems":
            raise UsageError(
                f"the test 'permutation' over {axis} exchanges scores document by document, and pseudo-documents share "
                "segments; choose over = 'systems', or the test 'bootstrap'."
            )

    def generalises_to(self, axis: str, unit: str, resampled: str) -> str:
        """Name what p is an inference to: new systems, or new text where segments or single cells are exchanged."""
        return "new systems, same texts" if axis == "systems" else f"new {unit}, same systems"

    def compare(self, estimate: MeanCoefficient) -> Comparison:
        """Test two metrics by exchanging their scores."""
        assert estimate.scores is not None
        metric_a, metric_b, human, average_by, swaps = estimate.scores
        assert swaps is not None
        alternative = self.alternative
        coefficient = estimate.coefficient
        return permutation_test(metric_a, metric_b, human, coefficient, average_by, swaps, alternative=alternative)


def permutation_test(
    metric_a: npt.ArrayLike,
    metric_b: npt.ArrayLike,
    human: npt.ArrayLike,
    coefficient: Coefficient,
    average_by: str,
    swaps: Swaps,
    *,
    alternative: str = "two-sided",
) -> Comparison:
    """Test whether two metrics agree equally well with human scores.

    Scores must be high for good on all sides: an error rate is sign-flipped before, because its scores are going to
    stand beside those of the other metric. A threshold of the coefficient, such as that of a tie, is in standard
    deviations of a metric's scores.

    The statistic is one function of exchanged scores, whatever was exchanged: in each replicate, as in the data, the
    mean runs over the groups that have a value for both metrics there. A group that is undefined in the data but not
    in a replicate counts in that replicate.

    Parameters
    ----------
    metric_a, metric_b, human : (documents, systems) array_like
        Finite numbers. A document may be a segment.
    coefficient : Coefficient
        Pearson, pairwise accuracy and Kendall's variant 23 without a threshold are fast; others are computed anew from
        the exchanged scores.
    average_by : "item", "system", "none" or "averages"
        What is correlated: the systems of each document, the documents of each system, all cells, or the
        systems' means over the documents (exchanged first, then averaged).
    swaps : Swaps
        What is exchanged in each replicate; its shape has the documents or 1, and the systems or 1.
    alternative : "two-sided", "less" or "greater"
        ``greater``: the first metric agrees better.

    Returns
    -------
    Comparison
        With p = (b + 1) / (m + 1), or b / m if the m replicates are all there are, b of them as extreme as the data. A
        replicate without any value counts as if its difference were large.

    Raises
    ------
    ValueError
        If shapes differ or a number is not finite.
    UsageError
        If the average_by or the alternative is unknown.
    """
    check_alternative(alternative)
    observed, replicates = permuted_differences(metric_a, metric_b, human, coefficient, average_by, swaps)
    undefined = np.isnan(replicates)
    size = {"two-sided": np.abs, "greater": np.positive, "less": np.negative}[alternative]
    extreme = size(replicates) >= size(observed) - EQUAL_EXCHANGED
    n_extreme = int((extreme | undefined).sum())
    n = len(replicates)
    p = n_extreme / n if swaps.exact else (n_extreme + 1) / (n + 1)
    n_undefined = int(undefined.sum())
    p = np.nan if np.isnan(observed) else p
    distribution = "exact" if swaps.exact else "random"
    return Comparison(observed, p, n - n_undefined, 0, n_undefined, distribution)


def permuted_differences(
    metric_a: npt.ArrayLike,
    metric_b: npt.ArrayLike,
    human: npt.ArrayLike,
    coefficient: Coefficient,
    average_by: str,
    swaps: Swaps,
) -> tuple[float, FloatArray]:
    """Return the observed difference, and those of the replicates: (replicates,).

    Parameters and errors are those of `permutation_test`.
    """
    if average_by not in AVERAGE_BY:
        raise UsageError(unknown("average_by", average_by, AVERAGE_BY))
    scores = [np.asarray(values, dtype=np.float64) for values in (metric_a, metric_b, human)]
    shapes = [values.shape for values in scores]
    for name, values in zip(("metric_a", "metric_b", "human"), scores, strict=True):
        if values.ndim != 2 or values.shape != shapes[0]:
            raise ValueError(f"`{name}` must be (documents, systems), as all three; got {shapes}.")
        check_finite(name, values)
    if not scores[0].size:
        raise ValueError(f"`metric_a`, `metric_b` and `human` must hold scores; got the shape {shapes[0]}.")
    if not all(cells in (1, axis) for cells, axis in zip(swaps.shape, shapes[2], strict=True)):
        raise ValueError(f"`swaps` must fit scores of the shape {shapes[2]}; got {swaps.shape}.")
    first, second = on_one_scale(*scores[:2])
    if average_by == "averages":
        return _differences_of_averages(first, second, scores[2], coefficient, swaps)
    judged = np.ones(shapes[2], dtype=bool)
    signs = np.broadcast_to(np.arange(math.prod(swaps.shape)).reshape(swaps.shape), shapes[2]).ravel()
    cells = np.stack([first, second]).reshape(2, -1)
    groups = groups_of(judged, average_by)
    exchange = Exchange(cells, scores[2].ravel(), judged, groups, coefficient, swaps, signs)
    a, b, human = (arrange_rows(side, average_by) for side in (first, second, scores[2]))
    observed = mean_of_defined(coefficient(a, human) - coefficient(b, human), axis=0)
    return float(observed), exchange.differences()[0]


def _differences_of_averages(
    a: FloatArray, b: FloatArray, human: FloatArray, coefficient: Coefficient, swaps: Swaps
) -> tuple[float, FloatArray]:
    """Return the observed difference of the coefficients of the systems' means, and those of the replicates.

    With a sign s for each cell, -1 where scores are exchanged and 1 elsewhere, the score that stands at the first
    metric is (a + b) / 2 + s (a - b) / 2. So the means of all replicates are one product of signs and scores.
    """
    middle = (a + b) / 2.0
    half = (a - b) / 2.0
    # What all systems have in common in a document does not matter, and would only cost digits.
    middle = (middle - middle.mean(axis=1, keepdims=True)).mean(axis=0)
    documents, systems = swaps.shape
    if systems == 1:
        half = half - half.mean(axis=1, keepdims=True)
        moved = signed_sums(swaps, half.sum(axis=0, keepdims=True) if documents == 1 else half)
    elif documents == 1:
        moved = swaps.signs(slice(None), np.float64)[:, 0] * half.sum(axis=0)
    else:
        moved = np.empty((len(swaps), systems))
        for rows in parts(len(swaps), max(1, _BATCH_SIGNS // human.size)):
            moved[rows] = np.einsum("rds,ds->rs", swaps.signs(rows, np.float64), half)
    moved = np.concatenate([half.sum(axis=0, keepdims=True), moved]) / len(half)
    people = np.broadcast_to(human.mean(axis=0), moved.shape)
    first, second = (snapped(middle + turn * moved, EQUAL) for turn in (1.0, -1.0))
    differences = correlate_sets(coefficient, first, people) - correlate_sets(coefficient, second, people)
    return float(differences[0]), differences[1:]
