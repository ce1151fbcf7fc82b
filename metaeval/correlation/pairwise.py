"""Pairwise accuracy: on how many pairs a metric decides as human scores do, and which metric differences are ties.

Sources
-------
Kocmi, Federmann, Grundkiewicz, Junczys-Dowmunt, Matsushita and Menezes (2021): To ship or not to ship: An extensive
evaluation of automatic metrics for machine translation. The pairs are of systems.
Deutsch, Foster and Freitag (2023): Ties matter: Meta-evaluating modern metrics with pairwise accuracy and tie
calibration. The pairs are of translations.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt

from metaeval.contracts import Coefficient
from metaeval.correlation.pairs import count_pairs
from metaeval.correlation.vectors import checked
from metaeval.errors import UsageError
from metaeval.parameters import parameter
from metaeval.records import BoolArray, FloatArray, IntArray

# Differences handled at once: bounds the memory, whatever the number of values.
_AT_ONCE = 1 << 20
# Whole numbers below this keep a distance of more than _EQUAL, as a share.
_EXACT = 1 << 32
# Accuracies that differ by no more, as a share, are equal but for rounding.
_EQUAL = 1e-12


@dataclass(frozen=True)
class PairwiseAccuracy(Coefficient):
    """The share of pairs that the metric orders, or leaves tied, as human scores do."""

    name: ClassVar[str] = "pairwise-accuracy"
    sources: ClassVar[tuple[str, ...]] = ("kocmi2021", "deutsch2023")
    # With the sign flipped, an ordered pair that was right is wrong, but a tie that was right stays right.
    is_odd: ClassVar[bool] = False
    lowest: ClassVar[float] = 0.0

    epsilon: float = parameter(0.0, doc="metric scores that differ by no more are tied", minimum=0)

    def __post_init__(self) -> None:
        if not self.epsilon >= 0:
            raise UsageError(f"coefficient 'pairwise-accuracy': `epsilon` must be at least 0; got {self.epsilon!r}.")

    @property
    def per_right_pair(self) -> float | None:
        """1: it is the share of the right ones."""
        return 1.0 if self.epsilon == 0 else None

    @property
    def signature_items(self) -> tuple[tuple[str, str], ...]:
        """The difference that is a tie."""
        return (("epsilon", f"{self.epsilon:.15g}"),)

    def __call__(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """Correlate metric scores with human scores (..., n) along their last axis: (...)."""
        counts = count_pairs(*checked(x, y), epsilon=self.epsilon)
        right, total = counts.concordant + counts.both_ties, counts.total
        return np.asarray(np.divide(right, total, out=np.full(total.shape, np.nan), where=total > 0))


def pairwise_accuracy(x: npt.ArrayLike, y: npt.ArrayLike, *, epsilon: float = 0.0) -> FloatArray:
    """Return the share of pairs on which metric and human scores agree, along the last axis.

    A pair tied on both sides counts as right, one tied on a single side as wrong, over all pairs. With ``epsilon=0`` it
    is Kocmi et al.'s accuracy, where the signs of two differences must be equal; with any, it is Deutsch et al.'s
    accuracy with ties (acc23), which is (1 + ``kendall(variant="23")``) / 2.

    Parameters
    ----------
    x, y : (..., n) array_like
        Finite numbers: metric scores and human scores.
    epsilon : float
        Metric scores that differ by no more are tied.

    Returns
    -------
    (...) float array
        From 0 to 1; ``nan`` where n < 2. A constant side is no reason to be undefined: its ties are right or wrong.

    Raises
    ------
    ValueError
        If the shapes differ or a number is not finite.
    UsageError
        If epsilon is negative.
    """
    return PairwiseAccuracy(epsilon)(*checked(x, y))


@dataclass(frozen=True)
class TieCalibration:
    """The threshold that suits a metric best, and what it gives.

    Attributes
    ----------
    epsilon : float
        Scores of the metric that differ by no more are best taken as tied; the smallest such threshold.
    accuracy : float
        The mean pairwise accuracy of the rows with it, from 0 to 1.
    n_rows, n_without_pairs : int
        The rows that the mean is taken over, and those left out because fewer than two values are present.
    """

    epsilon: float
    accuracy: float
    n_rows: int
    n_without_pairs: int


def tie_calibration(
    metric: npt.ArrayLike, human: npt.ArrayLike, *, where: npt.ArrayLike | None = None
) -> TieCalibration:
    """Find the threshold for ties with the highest mean pairwise accuracy (Deutsch et al. 2023).

    The definition: take each difference between two scores of the metric as the threshold in turn, and 0; the best is
    the one with the highest mean of `pairwise_accuracy` over the rows. All pairs are considered, none is sampled, but
    no accuracy is computed again: while the threshold grows, a pair that is tied in human scores becomes right once its
    difference is reached, and a pair that both sides ordered alike becomes wrong. So two sorted lists of differences
    count the right pairs of every threshold. Time grows as n^2 log(n), memory as the pairs tied in human scores.

    The accuracy is that on the data that chose the threshold; for other data, give the threshold to
    ``pairwise-accuracy``.

    The mean is taken over rows, so a pair in a row where values are missing weighs more than one in a full row.

    Parameters
    ----------
    metric, human : (..., n) array_like
        Finite numbers where present. One threshold is found for all rows together; pairs are formed inside rows.
    where : (..., n) array_like of bool, optional
        The values that are present; all of them by default. A row of fewer than two is left out of the mean.

    Raises
    ------
    ValueError
        If the shapes differ, a number that is present is not finite, or there is no pair.
    """
    present = None if where is None else np.asarray(where, dtype=bool)
    if present is not None and present.shape != np.shape(metric):
        raise ValueError(f"`where` must have the shape of `metric`, {np.shape(metric)}; got {present.shape}.")
    x, y = checked(metric, human, where=present)
    if present is None:
        present = np.ones(x.shape, dtype=bool)
    n = max(x.shape[-1], 1)
    blocks = list(_rows_of_one_length(x.reshape(-1, n), y.reshape(-1, n), present.reshape(-1, n)))
    n_rows = sum(len(values) for values, _ in blocks)
    if not n_rows:
        raise ValueError(f"`metric` and `human` must hold at least one pair; got the shape {np.shape(metric)}.")
    # Only the difference of a pair that is tied in human scores makes anything right; all others need not be tried.
    gains = [_sorted_of(block, _tied_by_humans) for block in blocks]
    thresholds = np.concatenate([[0.0], *gains])
    if len(blocks) > 1:
        thresholds.sort()
    # In whole numbers as far as possible: thresholds that are equally good must be equal to the last bit.
    pairs = [values.shape[1] * (values.shape[1] - 1) // 2 for values, _ in blocks]
    common = math.lcm(*pairs)
    unit = common if common * n_rows < _EXACT else 1
    right = np.zeros(len(thresholds))
    for block, gained, n_pairs in zip(blocks, gains, pairs, strict=True):
        lost, agreed = _counts_up_to(block, thresholds)
        right += (np.searchsorted(gained, thresholds, side="right") + agreed - lost) * (unit / n_pairs)
    best = int(np.argmax(right >= right.max() * (1 - _EQUAL)))
    return TieCalibration(
        epsilon=float(thresholds[best]),
        accuracy=float(right[best]) / (n_rows * unit),
        n_rows=n_rows,
        n_without_pairs=x.size // n - n_rows,
    )


_Block: TypeAlias = tuple[FloatArray, FloatArray]


def _rows_of_one_length(x: FloatArray, y: FloatArray, present: BoolArray) -> Iterator[_Block]:
    """Yield the present values of all rows that have equally many, at least two: (rows, values) of x and of y."""
    lengths = present.sum(axis=1)
    for length in np.unique(lengths[lengths > 1]).tolist():
        rows = lengths == length
        here = present[rows]
        yield x[rows][here].reshape(-1, length), y[rows][here].reshape(-1, length)


def _differences(block: _Block, at_once: int) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Yield the differences of x and of y (pairs), about so many at once, but never fewer than of one place."""
    first, second = (np.ascontiguousarray(values.T) for values in block)
    n, n_rows = first.shape
    place = 0
    with np.errstate(over="ignore"):
        while place < n - 1:
            last = place + 1
            while last < n - 1 and (last - place) * (n - place) * n_rows < at_once:
                last += 1
            yield (
                np.concatenate([(first[i + 1 :] - first[i]).ravel() for i in range(place, last)]),
                np.concatenate([(second[i + 1 :] - second[i]).ravel() for i in range(place, last)]),
            )
            place = last


def _tied_by_humans(dx: FloatArray, dy: FloatArray) -> FloatArray:
    """Return the differences, without sign, of the pairs that are tied in human scores."""
    return np.asarray(np.abs(dx[dy == 0]))


def _ordered_alike(dx: FloatArray, dy: FloatArray) -> FloatArray:
    """Return the differences, without sign, of the pairs that both sides order in the same way."""
    return np.asarray(np.abs(dx[((dx > 0) == (dy > 0)) & (dx != 0) & (dy != 0)]))


def _sorted_of(block: _Block, kind: Callable[[FloatArray, FloatArray], FloatArray]) -> FloatArray:
    return np.sort(np.concatenate([kind(dx, dy) for dx, dy in _differences(block, _AT_ONCE)]))


def _counts_up_to(block: _Block, thresholds: FloatArray) -> tuple[IntArray, int]:
    """Return how many pairs ordered alike differ by no more than each threshold, and how many there are."""
    counts = np.zeros(len(thresholds), dtype=np.int64)
    total = 0
    # Each part is searched for every threshold, so the parts grow with the number of thresholds.
    for dx, dy in _differences(block, max(_AT_ONCE, len(thresholds))):
        agreed = np.sort(_ordered_alike(dx, dy))
        counts += np.searchsorted(agreed, thresholds, side="right")
        total += len(agreed)
    return counts, total
