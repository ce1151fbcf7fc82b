"""Kernels that give a number for each pair of segments: ids and offsets in, one array out.

A text is ids (tokens,) int32 with offsets (segments + 1,) int64. A candidate may hold several systems, one after the
other: a multiple of the reference's segments. All return None where nothing was compiled.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from metaeval._kernels import COMPILED

Ids = npt.NDArray[np.int32]
Offsets = npt.NDArray[np.int64]


def vocabulary_size(*texts: Ids) -> int:
    """Return a number above all ids."""
    return 1 + max((int(ids.max()) for ids in texts if len(ids)), default=0)


def edit_distance(
    candidate: Ids, candidate_offsets: Offsets, reference: Ids, reference_offsets: Offsets
) -> npt.NDArray[np.int32] | None:
    """Return the edit distance of each pair of segments: (segments,); see `metaeval.metrics.wer`."""
    return _run("edit_distance", candidate, candidate_offsets, reference, reference_offsets)


def bag_overlap(
    candidate: Ids, candidate_offsets: Offsets, reference: Ids, reference_offsets: Offsets
) -> npt.NDArray[np.int32] | None:
    """Return the number of tokens in common of each pair of segments: (segments,); see `metaeval.metrics.per`."""
    return _run("bag_overlap", candidate, candidate_offsets, reference, reference_offsets)


def _run(
    kernel: str, candidate: Ids, candidate_offsets: Offsets, reference: Ids, reference_offsets: Offsets
) -> npt.NDArray[np.int32] | None:
    if COMPILED is None:
        return None
    result = np.empty(len(candidate_offsets) - 1, dtype=np.int32)
    size = vocabulary_size(candidate, reference)
    getattr(COMPILED, kernel)(candidate, candidate_offsets, reference, reference_offsets, size, result)
    return result
