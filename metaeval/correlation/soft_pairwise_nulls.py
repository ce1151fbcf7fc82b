"""Soft pairwise accuracies of metrics that exchange cells, for the permutation test of a shared task.

A metric that takes the scores of another where it does not keep its own has, in each replicate of the p-values of
systems, a sum over what it keeps plus a sum over what it is given. Both are made once for each metric and draw.
"""

from __future__ import annotations

import itertools

import numpy as np

from metaeval.correlation.array_helpers import parts
from metaeval.correlation.soft_pairwise_accuracy import SoftPairwiseAccuracy, accuracies, null_sums, twice_counted
from metaeval.correlation.tolerances import EQUAL_EXCHANGED
from metaeval.datamodel.corpus import BoolArray, FloatArray, IntArray
from metaeval.datamodel.resampling import Swaps

# After every so many draws, a pair of metrics stops whose p is below or above these.
_DRAWS_BETWEEN_STOPS = 100
_STOP_BELOW_P = 0.02
_STOP_ABOVE_P = 0.5
# Numbers in a batch of pairs of metrics: bounds the memory.
_BATCH_NUMBERS = 1 << 20


def soft_nulls(
    scores: FloatArray, human: FloatArray, coefficient: SoftPairwiseAccuracy, values: FloatArray, swaps: Swaps
) -> tuple[FloatArray, IntArray]:
    """Return the differences of metrics in draws, and how many of these are not repetitions.

    Parameters
    ----------
    scores : (metrics, documents, systems) float array
        On one scale.
    human : (documents, systems) float array
    coefficient : SoftPairwiseAccuracy
    values : (metrics,) float array
        The observed ones; ``nan`` for metrics that are not tested, whose differences are 0.
    swaps : Swaps
        Of all cells, one draw each.

    Returns
    -------
    (pairs, draws) float array
        The pairs of metrics in the order of `itertools.combinations`.
    (pairs,) int array
    """
    n = len(swaps)
    system_swaps = coefficient.swaps(len(human))
    human_counts = twice_counted(*null_sums(human[None], system_swaps), coefficient.tails)[0]
    metrics = _Metrics(scores, coefficient, system_swaps)
    pairs = np.array(list(itertools.combinations(range(len(scores)), 2)), dtype=np.intp).reshape(-1, 2)
    nulls = np.zeros((len(pairs), n))
    n_used = np.full(len(pairs), n)
    observed = values[pairs[:, 0]] - values[pairs[:, 1]]
    active = np.flatnonzero(~np.isnan(observed))
    for draw in range(n):
        if not len(active):
            break
        keeps = swaps.signs(slice(draw, draw + 1))[0].reshape(human.shape) > 0
        nulls[active, draw] = metrics.differences(pairs[active], keeps, human_counts)
        done = draw + 1
        if done % _DRAWS_BETWEEN_STOPS == 0 and done < n:
            drawn = nulls[active, :done] * np.where(observed[active] < 0, -1.0, 1.0)[:, None]
            p = (drawn >= np.abs(observed[active])[:, None] - EQUAL_EXCHANGED).mean(axis=1)
            stops = (p < _STOP_BELOW_P) | (p > _STOP_ABOVE_P)
            nulls[active[stops]] = nulls[active[stops]][:, np.arange(n) % done]
            n_used[active[stops]] = done
            active = active[~stops]
    return nulls, n_used


class _Metrics:
    """Metrics that exchange cells, with their sums in the replicates of the p-values of systems.

    Parameters
    ----------
    scores : (metrics, documents, systems) float array
    coefficient : SoftPairwiseAccuracy
    swaps : Swaps
        Of documents, between systems.
    """

    def __init__(self, scores: FloatArray, coefficient: SoftPairwiseAccuracy, swaps: Swaps) -> None:
        # A constant of all metrics and systems cancels, and would only cost digits.
        self._scores = scores - scores.mean(axis=(0, 2), keepdims=True)
        self._signs = np.asarray(swaps.signs(slice(None), np.float64)[:, :, 0], dtype=np.float64)
        self._size = np.abs(self._scores).sum(axis=1)
        self._totals = self._scores.sum(axis=1)
        self._sums = _products(self._scores, self._signs)
        self._tails = coefficient.tails
        self._n_counted = len(swaps) + (1 if coefficient.tails == "mid" and not swaps.exact else 0)

    def differences(self, pairs: IntArray, keeps: BoolArray, human_counts: IntArray) -> FloatArray:
        """Return the differences of the first of two metrics from the second in a draw: (pairs,).

        Parameters
        ----------
        pairs : (pairs, 2) int array
        keeps : (documents, systems) bool array
            The cells that are not exchanged.
        human_counts : (systems, systems) int array
            What `twice_counted` counts of human scores.
        """
        metrics, places = np.unique(pairs, return_inverse=True)
        first, later = places.reshape(-1, 2).T
        takers = np.concatenate([first, later])
        givers = np.concatenate([later, first])
        kept = np.where(keeps, self._scores[metrics], 0.0)
        kept_totals = kept.sum(axis=1)
        kept_sums = _products(kept, self._signs)
        given_totals = self._totals[metrics] - kept_totals
        given_sums = self._sums[metrics] - kept_sums
        sizes = self._size[metrics]
        values = np.empty(len(takers))
        for part in parts(len(takers), max(1, _BATCH_NUMBERS // self._sums[0].size)):
            a = takers[part]
            b = givers[part]
            of_sides = kept_totals[a] + given_totals[b], sizes[a] + sizes[b]
            counts = twice_counted(kept_sums, *of_sides, self._tails, (given_sums, a, b))
            values[part] = accuracies(counts, human_counts, self._n_counted)
        return np.asarray(values[: len(pairs)] - values[len(pairs) :])


def _products(scores: FloatArray, signs: FloatArray) -> FloatArray:
    """Return the sums of scores (metrics, documents, systems) with signs: (metrics, systems, replicates)."""
    flat = scores.transpose(0, 2, 1).reshape(-1, scores.shape[1])
    return np.asarray(flat @ signs.T).reshape(len(scores), scores.shape[2], -1)
