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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt

from metaeval.contracts import Coefficient, Comparison, Design, MeanCoefficient
from metaeval.correlation.averages import in_each, in_rows, mean_of_defined
from metaeval.correlation.coefficients import of_length_one, pearson
from metaeval.correlation.pairs import exchange_weights
from metaeval.correlation.signs import signed_sums
from metaeval.correlation.vectors import Sided, check_alternative, check_finite, on_one_scale, parts, snapped
from metaeval.errors import UsageError, unknown
from metaeval.records import FloatArray
from metaeval.resampling import Swaps

AVERAGE_BY = ("item", "system", "none", "averages")

# Differences this close are equal. It is above what rounding does to a mean of coefficients, whatever the block that a
# replicate is computed in: 1e-14, or 1e-12 where what systems have in common in a document is 10,000 times what
# distinguishes them. It is below the step of an accuracy over 400,000 cells pooled.
_EQUAL = 1e-11
# Averages of standardised scores this close are tied.
_TIED = 1e-12
# Cells handled at once: such that exchanged scores take some megabytes, and signs stay in a cache.
_AT_ONCE = 1 << 19
_IN_CACHE = 1 << 16
# A variance that is a smaller share of all squares that its sums are parts of is computed again from the scores: what
# rounding leaves of a sum of all squares less themselves is no variance.
_CANCELLED = 1e-2

_Signs: TypeAlias = npt.NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Permutation(Sided, name="permutation", sources=("deutsch2021",)):
    """The scores of two metrics are exchanged at random (Deutsch, Dror and Roth 2021; PERM-BOTH over both)."""

    axes: ClassVar[tuple[str, ...]] = ("systems", "segments", "both")
    exchanges: ClassVar[bool] = True
    is_random: ClassVar[bool] = True
    needs_scores: ClassVar[bool] = True
    tested: ClassVar[str] = "equal make-up of two metrics over {axis}, not only equal correlation"

    def check(self, design: Design, axis: str) -> None:
        """Check that scores can be exchanged: of vectors, and of documents that share no segments."""
        if design.takes_grid:
            raise UsageError(
                f"the test 'permutation' does not take the coefficient {design.coefficients[0].written!r}; choose the "
                "test 'bootstrap'."
            )
        fitted = [one.written for one in design.coefficients if one.kind.is_fitted]
        if fitted:
            raise UsageError(
                f"the test 'permutation' does not take the coefficient {fitted[0]!r}, which is calibrated on the "
                "scores that it would exchange; choose the test 'bootstrap', or another coefficient, such as 'pearson'."
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
        """Return what p is an inference to: new systems, or new text where segments or single cells are exchanged."""
        return "new systems, same texts" if axis == "systems" else f"new {unit}, same systems"

    def compare(self, estimate: MeanCoefficient) -> Comparison:
        """Test two metrics by exchanging their scores."""
        assert estimate.scores is not None
        metric_a, metric_b, human, average_by, swaps = estimate.scores
        assert swaps is not None
        alternative, coefficient = self.alternative, estimate.coefficient
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
    extreme = size(replicates) >= size(observed) - _EQUAL
    n_extreme, n = int((extreme | undefined).sum()), len(replicates)
    p, n_undefined = n_extreme / n if swaps.exact else (n_extreme + 1) / (n + 1), int(undefined.sum())
    p, distribution = np.nan if np.isnan(observed) else p, "exact" if swaps.exact else "random"
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
    scores = [np.asarray(one, dtype=np.float64) for one in (metric_a, metric_b, human)]
    shapes = [one.shape for one in scores]
    for name, one in zip(("metric_a", "metric_b", "human"), scores, strict=True):
        if one.ndim != 2 or one.shape != shapes[0]:
            raise ValueError(f"`{name}` must be (documents, systems), as all three; got {shapes}.")
        check_finite(name, one)
    if not scores[0].size:
        raise ValueError(f"`metric_a`, `metric_b` and `human` must hold scores; got the shape {shapes[0]}.")
    if not all(cells in (1, axis) for cells, axis in zip(swaps.shape, shapes[2], strict=True)):
        raise ValueError(f"`swaps` must fit scores of the shape {shapes[2]}; got {swaps.shape}.")
    first, second = on_one_scale(*scores[:2])
    return _Exchange(first, second, scores[2], coefficient, average_by, swaps).differences()


@dataclass(frozen=True)
class _Exchange:
    """Two metrics whose scores (documents, systems) are exchanged, and how their difference is taken.

    :meth:`_plainly` is the definition: exchange the scores of a replicate, take both coefficients again, and subtract.
    All other ways give its numbers faster. They rest on one fact: with a sign s for each cell, -1 where scores are
    exchanged and 1 elsewhere, the score that stands at the first metric is (a + b) / 2 + s (a - b) / 2, and at the
    second (a + b) / 2 - s (a - b) / 2. Where the difference is linear in the signs, all replicates are one product of
    the signs and some weights, which are taken from the data once.
    """

    a: FloatArray
    b: FloatArray
    human: FloatArray
    coefficient: Coefficient
    average_by: str
    swaps: Swaps

    def differences(self) -> tuple[float, FloatArray]:
        """Return the observed difference, and those of the replicates."""
        if self.average_by == "averages":
            return self._of_averages()
        a, b, human = (in_rows(values, self.average_by) for values in (self.a, self.b, self.human))
        in_groups = self.coefficient(a, human) - self.coefficient(b, human)
        # What is fitted to all groups changes with any of them.
        if self._signs_shape()[1] == 1 and not self.coefficient.is_fitted:
            replicates = self._of_whole_groups(in_groups)
        elif self.coefficient.per_right_pair is not None:
            replicates = self._of_pairs(a, b, human, self.coefficient.per_right_pair)
        elif self.coefficient.of_moments:
            replicates = self._of_moments(a, b, human)
        else:
            replicates = self._plainly(a, b, human)
        return float(mean_of_defined(in_groups, axis=0)), replicates

    def _plainly(self, a: FloatArray, b: FloatArray, human: FloatArray) -> FloatArray:
        """Return the differences of coefficients that are computed from the exchanged scores: (replicates,)."""
        replicates = np.empty(len(self.swaps))
        for rows in self._blocks(_AT_ONCE):
            exchanged = self._signs(rows) < 0
            people = np.broadcast_to(human, (len(exchanged), *human.shape))
            first, second = np.where(exchanged, b, a), np.where(exchanged, a, b)
            found = in_each(self.coefficient, first, people) - in_each(self.coefficient, second, people)
            replicates[rows] = mean_of_defined(found, axis=1)
        return replicates

    def _signs_shape(self) -> tuple[int, int]:
        """Return the (groups or 1, members or 1) of the signs."""
        documents, systems = self.swaps.shape
        if self.average_by == "none":
            return 1, 1 if documents == systems == 1 else self.human.size
        return (systems, documents) if self.average_by == "system" else (documents, systems)

    def _signs(self, rows: slice) -> _Signs:
        """Return the signs of some replicates: (rows, groups or 1, members or 1)."""
        signs = self.swaps.signs(rows, np.float64)
        if self.average_by == "none":
            return np.broadcast_to(signs, (len(signs), *self.human.shape)).reshape(len(signs), 1, -1)
        return signs.transpose(0, 2, 1) if self.average_by == "system" else signs

    def _blocks(self, at_once: int) -> Iterator[slice]:
        """Yield the replicates in parts of about so many cells."""
        return parts(len(self.swaps), max(1, at_once // self.human.size))

    def _dots(self, weights: FloatArray) -> FloatArray:
        """Return the sums of weights (groups, members or 1, k) times signs for each replicate: (replicates, k)."""
        if self.average_by == "none" and weights.shape[1] > 1:
            weights = weights.reshape(*self.human.shape, -1)
        elif self.average_by == "system":
            weights = weights.swapaxes(0, 1)
        together = tuple(axis for axis in (0, 1) if self.swaps.shape[axis] == 1)
        return signed_sums(self.swaps, weights.sum(axis=together, keepdims=True).reshape(-1, weights.shape[2]))

    def _of_whole_groups(self, in_groups: FloatArray) -> FloatArray:
        """Return the differences where each group, (groups,), is exchanged as a whole and keeps or negates its own."""
        defined = ~np.isnan(in_groups)
        if not defined.any():
            return np.full(len(self.swaps), np.nan)
        return self._dots(np.where(defined, in_groups, 0.0)[:, None, None])[:, 0] / int(defined.sum())

    def _of_pairs(self, a: FloatArray, b: FloatArray, human: FloatArray, scale: float) -> FloatArray:
        """Return the differences of coefficients that grow by `scale` with the share of right pairs: (replicates,)."""
        # At least 2: a cell alone in its group is exchanged with the whole of it.
        n = human.shape[1]
        moved = self._dots(exchange_weights(a, b, human)[..., None])[:, 0]
        return np.asarray(moved * (scale / (len(human) * n * (n - 1))))

    def _of_moments(self, a: FloatArray, b: FloatArray, human: FloatArray) -> FloatArray:
        """Return the differences of Pearson's coefficients: (replicates,)."""
        people, constant = of_length_one(human), (human == human[:, :1]).all(axis=1)
        centre = (a + b).mean(axis=1, keepdims=True) / 2.0
        powers = [np.stack([one, people * one, np.square(one)], axis=2) for one in (a - centre, b - centre)]
        weights, totals = (powers[0] - powers[1]) / 2.0, (powers[0] + powers[1]).sum(axis=1) / 2.0
        least = _CANCELLED * totals[:, 2]
        replicates, is_pooled = np.empty(len(self.swaps)), self.average_by == "none"
        pooled = self._dots(weights)[:, None] if is_pooled else weights
        for rows in self._blocks(_AT_ONCE):
            moved = pooled[rows] if is_pooled else _sums(self._signs(rows), weights)
            first, second = ([totals[:, k] + turn * moved[..., k] for k in range(3)] for turn in (1.0, -1.0))
            found, other = (pearson_of_sums(one, human.shape[1], least) for one in (first, second))
            found -= other
            # Where little is left of large terms, or a side is constant, only the scores themselves can decide.
            again, groups = np.nonzero(np.isnan(found) & ~constant)
            found[:, constant] = np.nan
            if len(again):
                signs = self._signs(rows)
                exchanged = signs[again, groups if signs.shape[1] > 1 else 0] < 0
                one, other = np.where(exchanged, b[groups], a[groups]), np.where(exchanged, a[groups], b[groups])
                found[again, groups] = pearson(one, human[groups]) - pearson(other, human[groups])
            replicates[rows] = mean_of_defined(found, axis=1)
        return replicates

    def _of_averages(self) -> tuple[float, FloatArray]:
        """Return the observed difference between the averages' coefficients, and those of the replicates."""
        middle, half = (self.a + self.b) / 2.0, (self.a - self.b) / 2.0
        # What all systems have in common in a document does not matter, and would only cost digits.
        middle = (middle - middle.mean(axis=1, keepdims=True)).mean(axis=0)
        documents, systems = self.swaps.shape
        if systems == 1:
            half = half - half.mean(axis=1, keepdims=True)
            moved = signed_sums(self.swaps, half.sum(axis=0, keepdims=True) if documents == 1 else half)
        elif documents == 1:
            moved = self.swaps.signs(slice(None), np.float64)[:, 0] * half.sum(axis=0)
        else:
            moved = np.empty((len(self.swaps), systems))
            for rows in self._blocks(_IN_CACHE):
                moved[rows] = np.einsum("rds,ds->rs", self.swaps.signs(rows, np.float64), half)
        moved = np.concatenate([half.sum(axis=0, keepdims=True), moved]) / len(half)
        human = np.broadcast_to(self.human.mean(axis=0), moved.shape)
        first, second = (snapped(middle + turn * moved, _TIED) for turn in (1.0, -1.0))
        differences = in_each(self.coefficient, first, human) - in_each(self.coefficient, second, human)
        return float(differences[0]), differences[1:]


def _sums(signs: _Signs, weights: FloatArray) -> FloatArray:
    """Return the sums over members of signs (rows, groups or 1, members) times weights (groups, members, k).

    They are (rows, groups, k).
    """
    groups, members, _ = weights.shape
    if signs.shape[1] == 1:
        flat = signs[:, 0] @ weights.transpose(1, 0, 2).reshape(members, -1)
        return np.asarray(flat).reshape(len(signs), groups, -1)
    return np.asarray(np.matmul(signs.transpose(1, 0, 2), weights).transpose(1, 0, 2))


def pearson_of_sums(given: Sequence[FloatArray], n: int, least: FloatArray) -> FloatArray:
    """Return Pearson's coefficients from sums over n scores, which are overwritten.

    Parameters
    ----------
    given : three (...) float arrays
        The sums of the scores, of their products with human scores of mean 0 and length 1, and of their squares.
    n : int
    least : float array
        Variances, times n, that say nothing, and all below; its shape is broadcast to that of the sums.

    Returns
    -------
    (...) float array
        ``nan`` where the variance says nothing: there only the scores themselves can decide.
    """
    sums, products, squares = given
    np.square(sums, out=sums)
    sums /= n
    variance = squares - sums
    variance[variance <= least] = np.nan
    return np.asarray(np.clip(products / np.sqrt(variance), -1.0, 1.0))
