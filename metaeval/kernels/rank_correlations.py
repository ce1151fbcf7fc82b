"""The kernels of rank correlations: scores in; coefficients, ranks or pairs out; None where nothing was compiled."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from metaeval import kernels

Floats = npt.NDArray[np.float64]
# Longer vectors are sorted instead.
MOST = 64
# Where ties are put in an order: longer ones have no room for a place and a part of a score in 32 bits.
ORDERED_MOST = 1 << 29


def spearman(x: Floats, y: Floats, *, corrected: bool) -> Floats | None:
    """Return Spearman's coefficients of lines with the same human scores: (lines, ...).

    Parameters
    ----------
    x : (lines, ..., n) float array
        Finite numbers, at least two and at most `MOST` in each vector.
    y : (..., n) float array
    corrected : bool
        Whether for ties; else by the formula that presumes none, on the same mid-ranks.
    """
    if kernels.COMPILED is None or not 2 <= y.shape[-1] <= MOST:
        return None
    coefficients = np.empty(x.shape[:-1])
    x, y = np.ascontiguousarray(x), np.ascontiguousarray(y)
    kernels.COMPILED.spearman(x, y, len(x), y.shape[-1], int(corrected), coefficients)
    return coefficients


def count_pairs(x: Floats, y: Floats, *, epsilon: float, gap: float) -> npt.NDArray[np.int64] | None:
    """Count the pairs of each kind: (5, rows); see `metaeval.correlation.pair_counts`.

    Parameters
    ----------
    x, y : (rows, n) float arrays
        Finite numbers; None is returned for vectors of more than `MOST`.
    epsilon, gap : float
    """
    if kernels.COMPILED is None or not 1 <= x.shape[1] <= MOST:
        return None
    counts = np.empty((5, len(x)), dtype=np.int64)
    x, y = np.ascontiguousarray(x, dtype=np.float64), np.ascontiguousarray(y, dtype=np.float64)
    kernels.COMPILED.count_pairs(x, y, x.shape[1], float(epsilon), float(gap), counts)
    return counts


def ordinal_ranks(x: Floats, start: np.uint64) -> Floats | None:
    """Return the ranks 1 to n along the last axis; equal values stand in an order drawn from `start` and the vector.

    Parameters
    ----------
    x : (..., n) float array
        Finite numbers.
    start : uint64
    """
    if kernels.COMPILED is None or not 1 <= x.shape[-1] <= ORDERED_MOST:
        return None
    ranks = np.empty(x.shape)
    kernels.COMPILED.ordinal_ranks(np.ascontiguousarray(x), np.array([start], np.uint64), x.shape[-1], ranks)
    return ranks
