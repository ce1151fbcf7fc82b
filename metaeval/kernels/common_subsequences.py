"""Kernels on what two sequences share in order: see `metaeval.metrics.subsequences`.

They give a number for each pair of segments, (segments,). A text is ids (tokens,) int32 with offsets (segments + 1,)
int64. A candidate may hold several systems, one after the other: a multiple of the reference's segments. All return
None where nothing was compiled.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from metaeval.kernels.segment_pairs import Texts, for_pairs, for_references

Floats = npt.NDArray[np.float64]
Singles = Literal["none", "all", "but-last"]

# As in kernels.h.
_SINGLES_CODES: tuple[Singles, ...] = ("none", "all", "but-last")
_UNLIMITED_REACH = 2**31 - 1


def lcs_length(texts: Texts, n_references: int = 1) -> npt.NDArray[np.int32] | None:
    """Return the lengths of longest common subsequences: (references, segments)."""
    return for_references("lcs_length", texts, n_references)


def weighted_lcs(texts: Texts, weights: Floats) -> Floats | None:
    """Return WLCS of the paper, from the weights of runs of 0, 1, 2, ... tokens up to the longest segment."""
    return for_pairs("weighted_lcs", texts, weights, dtype=np.float64)


def weighted_runs(texts: Texts, weights: Floats) -> Floats | None:
    """Return the weight of the runs that ROUGE-1.5.5 finds, from weights as for :func:`weighted_lcs`."""
    return for_pairs("weighted_runs", texts, weights, dtype=np.float64)


def skip_bigram_hits(texts: Texts, skip: int | None, singles: Singles) -> npt.NDArray[np.int64] | None:
    """Return the clipped matches of pairs with at most `skip` tokens between the two (None: any number).

    Single tokens can match too: all of them, or all but the last of each segment.
    """
    reach = _UNLIMITED_REACH if skip is None else min(skip + 1, _UNLIMITED_REACH)
    return for_pairs("skip_bigrams", texts, reach, _SINGLES_CODES.index(singles), dtype=np.int64)
