"""Soft pairwise accuracies of metrics that exchange cells: what the test of a shared task draws.

A metric that takes the scores of another where it does not keep its own has, in each replicate of the p-values of
systems, a sum over what it keeps plus a sum over what it is given. Both are made once for each metric and draw.
"""

from __future__ import annotations

import itertools

import numpy as np

from metaeval.correlation.soft import SoftPairwiseAccuracy, accuracies, null_sums, twice_counted
from metaeval.correlation.tolerances import EQUAL_EXCHANGED
from metaeval.correlation.vectors import parts
from metaeval.records import FloatArray, IntArray
from metaeval.resampling import Swaps

# After so many draws each, a pair of metrics whose p is below or above these stops.
_BLOCK, _TOO_SMALL, _TOO_LARGE = 100, 0.02, 0.5
# Numbers handled at once: bounds the memory.
_AT_ONCE = 1 << 20


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
    n_systems, n = human.shape[1], len(swaps)
    own = coefficient.swaps(len(human))
    m = len(own) + (1 if coefficient.tails == "mid" and not own.exact else 0)
    people = twice_counted(*null_sums(human[None], own), coefficient.tails)[0]
    # What all metrics and systems have in common does not matter, and would only cost digits.
    scores = scores - scores.mean(axis=(0, 2), keepdims=True)
    signs = np.asarray(own.signs(slice(None), np.float64)[:, :, 0], dtype=np.float64)
    size, totals, sums = np.abs(scores).sum(axis=1), scores.sum(axis=1), _products(scores, signs)
    pairs = np.array(list(itertools.combinations(range(len(scores)), 2)), dtype=np.intp).reshape(-1, 2)
    nulls, n_used = np.zeros((len(pairs), n)), np.full(len(pairs), n)
    apart = values[pairs[:, 0]] - values[pairs[:, 1]]
    going = np.flatnonzero(~np.isnan(apart))
    step = max(1, _AT_ONCE // (n_systems * len(own)))
    for draw in range(n if len(going) else 0):
        keeps = swaps.signs(slice(draw, draw + 1))[0].reshape(human.shape) > 0
        metrics, sides = np.unique(pairs[going], return_inverse=True)
        first, later = sides.reshape(-1, 2).T
        one, other = np.concatenate([first, later]), np.concatenate([later, first])
        kept = np.where(keeps, scores[metrics], 0.0)
        kept_totals, kept_sums = kept.sum(axis=1), _products(kept, signs)
        given_totals, given_sums, sizes = totals[metrics] - kept_totals, sums[metrics] - kept_sums, size[metrics]
        related = np.empty(len(one))
        for part in parts(len(one), step):
            a, b = one[part], other[part]
            of_sides = kept_totals[a] + given_totals[b], sizes[a] + sizes[b]
            counts = twice_counted(kept_sums, *of_sides, coefficient.tails, (given_sums, a, b))
            related[part] = accuracies(counts, people, m)
        nulls[going, draw] = related[: len(going)] - related[len(going) :]
        done = draw + 1
        if done % _BLOCK == 0 and done < n:
            drawn = nulls[going, :done] * np.where(apart[going] < 0, -1.0, 1.0)[:, None]
            p = (drawn >= np.abs(apart[going])[:, None] - EQUAL_EXCHANGED).mean(axis=1)
            stops = (p < _TOO_SMALL) | (p > _TOO_LARGE)
            nulls[going[stops]] = nulls[going[stops]][:, np.arange(n) % done]
            n_used[going[stops]] = done
            going = going[~stops]
            if not len(going):
                break
    return nulls, n_used


def _products(scores: FloatArray, signs: FloatArray) -> FloatArray:
    """Return the sums of scores (metrics, documents, systems) with signs: (metrics, systems, replicates)."""
    flat = scores.transpose(0, 2, 1).reshape(-1, scores.shape[1])
    return np.asarray(flat @ signs.T).reshape(len(scores), scores.shape[2], -1)
