"""Pairwise accuracy: on how many pairs a metric decides as people do, and which differences of a metric mean nothing.

Sources
-------
Kocmi, Federmann, Grundkiewicz, Junczys-Dowmunt, Matsushita and Menezes (2021): To ship or not to ship: An extensive
evaluation of automatic metrics for machine translation. The pairs are of systems.
Deutsch, Foster and Freitag (2023): Ties matter: Meta-evaluating modern metrics with pairwise accuracy and tie
calibration. The pairs are of translations.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from metaeval.correlation.pairs import count_pairs
from metaeval.correlation.vectors import checked
from metaeval.errors import UsageError
from metaeval.parameters import parameter
from metaeval.records import FloatArray


@dataclass(frozen=True)
class PairwiseAccuracy:
    """The share of pairs that the metric orders, or leaves tied, as people do."""

    name: ClassVar[str] = "pairwise-accuracy"
    # Turned round, an ordered pair that was right is wrong, but a tie that was right stays right.
    is_odd: ClassVar[bool] = False

    epsilon: float = parameter(0.0, doc="metric scores that differ by no more are tied", minimum=0)

    def __post_init__(self) -> None:
        if not self.epsilon >= 0:
            raise UsageError(f"coefficient 'pairwise-accuracy': `epsilon` must be at least 0; got {self.epsilon!r}.")

    @property
    def signature_items(self) -> tuple[tuple[str, str], ...]:
        """The difference that is a tie."""
        return (("epsilon", f"{self.epsilon:.15g}"),)

    def __call__(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """Relate metric scores to human scores (..., n) along their last axis: (...)."""
        counts = count_pairs(*checked(x, y), epsilon=self.epsilon)
        right, total = counts.concordant + counts.both_ties, counts.total
        return np.asarray(np.divide(right, total, out=np.full(total.shape, np.nan), where=total > 0))


def pairwise_accuracy(x: npt.ArrayLike, y: npt.ArrayLike, *, epsilon: float = 0.0) -> FloatArray:
    """Return the share of pairs on which metric and people agree, along the last axis.

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
        The mean pairwise accuracy with it, from 0 to 1.
    """

    epsilon: float
    accuracy: float


def tie_calibration(metric: npt.ArrayLike, human: npt.ArrayLike) -> TieCalibration:
    """Find the threshold for ties with the highest mean pairwise accuracy (Deutsch et al. 2023).

    All pairs are considered, none is sampled; time grows as n^2 log(n), memory as the pairs that people see tied. The
    accuracy is that on the data that chose the threshold; for other data, give the threshold to ``pairwise-accuracy``.

    Parameters
    ----------
    metric, human : (..., n) array_like
        Finite numbers. One threshold is found for all rows together; pairs are formed inside rows.

    Raises
    ------
    ValueError
        If the shapes differ, a number is not finite, or there is no pair.
    """
    x, y = checked(metric, human)
    n = x.shape[-1]
    x, y = x.reshape(-1, max(n, 1)), y.reshape(-1, max(n, 1))
    if n < 2 or not len(x):
        raise ValueError(f"`metric` and `human` must hold at least one pair; got the shape {np.shape(metric)}.")
    counts = count_pairs(x, y)
    right = int((counts.concordant + counts.both_ties).sum())
    # Growing epsilon makes a pair right where people see a tie, and wrong where both sides agreed on an order. So the
    # best epsilon is 0 or the difference of a pair that people see tied.
    gains = np.concatenate([np.abs(metric)[(human == 0) & (metric != 0)] for metric, human in _differences(x, y)])
    thresholds, number = np.unique(gains, return_counts=True)
    losses = np.zeros(len(thresholds) + 1, dtype=np.int64)
    for dx, dy in _differences(x, y):
        agreed = np.abs(dx)[(dx != 0) & (dy != 0) & ((dx > 0) == (dy > 0))]
        losses += np.bincount(np.searchsorted(thresholds, agreed, side="left"), minlength=len(losses))
    change = np.concatenate([[0], np.cumsum(number) - np.cumsum(losses[:-1])])
    best = int(np.argmax(change))
    return TieCalibration(
        epsilon=float(thresholds[best - 1]) if best else 0.0,
        accuracy=(right + int(change[best])) / (len(x) * (n * (n - 1) // 2)),
    )


def _differences(x: FloatArray, y: FloatArray) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Yield the differences of x and of y (rows, n), from one value of each row to all after it."""
    with np.errstate(over="ignore"):
        for place in range(x.shape[1] - 1):
            yield x[:, place + 1 :] - x[:, place : place + 1], y[:, place + 1 :] - y[:, place : place + 1]
