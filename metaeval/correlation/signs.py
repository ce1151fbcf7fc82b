"""Sums of weights with the signs of permutation replicates: what tests are made of that are linear in the exchanges."""

from __future__ import annotations

import numpy as np

from metaeval.records import FloatArray
from metaeval.resampling import Swaps, sign_table

# Replicates and bytes of cells handled at once: their signs stay in a cache.
_REPLICATES = 128
_BYTES = 64
# Whole numbers up to this are exact in single precision.
_EXACT = 1 << 24


def signed_sums(swaps: Swaps, weights: FloatArray) -> FloatArray:
    """Return the sums of weights, each with the sign of its cell, in each replicate.

    Parameters
    ----------
    swaps : Swaps
    weights : (cells, k) float array
        The cells in the order of ``swaps.shape``.

    Returns
    -------
    (replicates, k) float array
        Exact where the weights are whole numbers.
    """
    whole = bool((weights == np.round(weights)).all()) and float(np.abs(weights).sum(axis=0).max(initial=0.0)) < _EXACT
    dtype: type[np.float32] | type[np.float64] = np.float32 if whole else np.float64
    table = sign_table(dtype)
    n_replicates, n_bytes = swaps.packed.shape
    padded = np.zeros((8 * n_bytes, weights.shape[1]), dtype)
    padded[: len(weights)] = weights
    sums = np.zeros((n_replicates, weights.shape[1]))
    for row in range(0, n_replicates, _REPLICATES):
        rows = swaps.packed[row : row + _REPLICATES]
        for byte in range(0, n_bytes, _BYTES):
            packed = rows[:, byte : byte + _BYTES]
            signs = table.take(packed, axis=0).reshape(len(packed), -1)
            sums[row : row + _REPLICATES] += signs @ padded[8 * byte : 8 * (byte + _BYTES)]
    return sums
