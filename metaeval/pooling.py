"""The one place that adds: a document's statistics are the sum over its segments.

Metrics and people are pooled by the same two functions, so they cannot be averaged differently.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from metaeval.records import Documents, FloatArray


def pool(values: FloatArray, documents: Documents) -> FloatArray:
    """Add the statistics of the segments of each document.

    Parameters
    ----------
    values : (systems, segments, statistics) float array
        Finite on all segments that a document holds.
    documents : Documents
        Rows of segment weights.

    Returns
    -------
    (documents, systems, statistics) float array
        Integer statistics add without error up to 2**53.
    """
    n_systems, n_segments, n_statistics = values.shape
    flat = np.ascontiguousarray(values.transpose(1, 0, 2)).reshape(n_segments, n_systems * n_statistics)
    if documents.indices is not None:
        # A sparse matrix with a 1 for each drawn segment: its product is a compiled gather-and-add, in drawn order.
        n_documents, length = documents.indices.shape
        rows = np.arange(n_documents + 1) * length
        ones = np.ones(documents.indices.size)
        weights = csr_array((ones, documents.indices.ravel(), rows), shape=(n_documents, n_segments))
        pooled = weights @ flat
    else:
        assert documents.counts is not None
        n_documents = documents.counts.shape[0]
        pooled = documents.counts @ flat
    return np.asarray(pooled, dtype=np.float64).reshape(n_documents, n_systems, n_statistics)


def mean_of_sums(pooled: FloatArray, scale: float) -> FloatArray:
    """Return the means behind pooled (sum, count) statistics, equal where they are mathematically equal.

    Two systems can have the same judgments in another order; their sums then differ in the last bits, and a rank
    correlation would see a difference where there is none. So a mean is rounded to a multiple of 2**-40 of the scale.

    Parameters
    ----------
    pooled : (..., 2) float array
        Sums and counts.
    scale : float
        The largest magnitude among the values that were added.

    Returns
    -------
    (...) float array
        ``nan`` where the count is 0.
    """
    totals, counts = pooled[..., 0], pooled[..., 1]
    means: FloatArray = np.divide(totals, counts, out=np.full(totals.shape, np.nan), where=counts > 0)
    if not scale > 0:
        return means
    grid = 2.0 ** (np.ceil(np.log2(scale)) - 40)
    return np.asarray(np.round(means / grid) * grid)
