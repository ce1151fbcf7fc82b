"""The effective reference length: one length that stands for those of several references.

BLEU and NIST penalise candidates that are shorter, and error rates may divide edits by it.
"""

from __future__ import annotations

import numpy as np

from metaeval.datamodel.corpus import FloatArray, IntArray


def effective_length(rule: str, lengths: FloatArray, candidate: FloatArray | IntArray) -> FloatArray:
    """Return the one length that stands for those of several references: (segments,).

    Parameters
    ----------
    rule : {"average", "closest", "shortest", "longest"}
        The closest to the candidate is the shorter one on ties.
    lengths : (references, segments) float array
        ``nan`` where a reference is absent; what comes of a segment without any has no meaning.
    candidate : (references, segments) or (segments,) float array
        The length of the candidate; ``nan`` at most where the reference is absent.

    Returns
    -------
    (segments,) float array
    """
    present = ~np.isnan(lengths)
    if rule == "average":
        return np.asarray(np.nansum(lengths, axis=0) / np.maximum(1, present.sum(axis=0)))
    if rule == "longest":
        return np.asarray(np.where(present, lengths, 0).max(axis=0))
    among = present
    if rule == "closest":
        difference = np.where(present, np.abs(lengths - candidate), np.inf)
        among = present & (difference == difference.min(axis=0))
    return np.asarray(np.where(among, lengths, np.inf).min(axis=0))
