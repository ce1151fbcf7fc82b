"""Sums of weights with the signs of permutation replicates, for tests that are linear in the exchanges."""

from __future__ import annotations

import numpy as np

from metaeval.datamodel.corpus import FloatArray
from metaeval.datamodel.resampling import Swaps, sign_table

# Replicates and bytes of cells in a batch, whose signs fit into a cache of the processor.
_BATCH_REPLICATES = 128
_BATCH_BYTES = 64
# Whole numbers up to this are exact in single precision.
_MAX_EXACT_IN_FLOAT32 = 1 << 24


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
    largest = float(np.abs(weights).sum(axis=0).max(initial=0.0))
    is_exact = bool((weights == np.round(weights)).all()) and largest < _MAX_EXACT_IN_FLOAT32
    dtype: type[np.float32] | type[np.float64] = np.float32 if is_exact else np.float64
    table = sign_table(dtype)
    n_replicates, n_bytes = swaps.packed.shape
    padded = np.zeros((8 * n_bytes, weights.shape[1]), dtype)
    padded[: len(weights)] = weights
    sums = np.zeros((n_replicates, weights.shape[1]))
    for row in range(0, n_replicates, _BATCH_REPLICATES):
        rows = swaps.packed[row : row + _BATCH_REPLICATES]
        for byte in range(0, n_bytes, _BATCH_BYTES):
            packed = rows[:, byte : byte + _BATCH_BYTES]
            signs = table.take(packed, axis=0).reshape(len(packed), -1)
            sums[row : row + _BATCH_REPLICATES] += signs @ padded[8 * byte : 8 * (byte + _BATCH_BYTES)]
    return sums
