"""The greedy matching of a candidate and its references, compiled: see `metaeval.metrics.gtm_matching`."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from metaeval import kernels
from metaeval.kernels.segment_pairs import Ids, Offsets, vocabulary_size

Floats = npt.NDArray[np.float64]


def greedy_matching(
    candidate: Ids,
    candidate_offsets: Offsets,
    references: Ids,
    offsets: Offsets,
    caps: Floats,
    weights: Floats,
) -> tuple[Floats, Floats] | None:
    """Return the runs that the cap leaves in each segment; None without kernels.

    Parameters
    ----------
    candidate, references : (tokens,) int32 arrays
        The candidate may hold several systems, one after the other: a multiple of the references' segments. The
        references of a segment stand side by side, with an id between them that the candidate does not have.
    candidate_offsets, offsets : (segments + 1,) int64 arrays
    caps : (segments,) float array
        Of the candidate's segments; ``nan`` where nothing is to be matched.
    weights : (lengths,) float array
        Of runs of 0, 1, 2, ... tokens, up to the shorter of the longest segments.

    Returns
    -------
    whole : (segments,) float array
        The weight of the runs that the cap leaves whole, added in the order in which they are taken.
    rest : (segments,) float array
        The hits of the run at which the cap is reached, 0 if it is not.
    """
    if kernels.COMPILED is None:
        return None
    whole, rest = np.empty(len(candidate_offsets) - 1), np.empty(len(candidate_offsets) - 1)
    size = vocabulary_size(candidate, references)
    kernels.COMPILED.greedy_matching(
        candidate, candidate_offsets, references, offsets, size, caps, weights, whole, rest
    )
    return whole, rest
