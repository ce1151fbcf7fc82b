"""Kernels that give a number for each pair of segments: ids and offsets in, one array out.

A text is ids (tokens,) int32 with offsets (segments + 1,) int64. A candidate may hold several systems, one after the
other: a multiple of the reference's segments. All return None where nothing was compiled.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from metaeval import kernels

Ids = npt.NDArray[np.int32]
Offsets = npt.NDArray[np.int64]
# The ids and offsets of the candidate, then those of the reference.
Texts = tuple[Ids, Offsets, Ids, Offsets]


def vocabulary_size(*texts: Ids) -> int:
    """Return a number above all ids."""
    return 1 + max((int(ids.max()) for ids in texts if len(ids)), default=0)


def for_pairs(
    kernel: str, texts: Texts, *arguments: object, dtype: type[np.generic], shape: tuple[int, ...] = ()
) -> npt.NDArray[Any] | None:
    """Return the result of a kernel for each pair of segments: (segments, *shape); None without kernels.

    Parameters
    ----------
    kernel : str
    texts : tuple of arrays
        The ids and offsets of the candidate, then those of the reference.
    *arguments
        What else the kernel takes, as the compiled function takes it.
    dtype : type
        Of what is found.
    shape : tuple of int
        Of what is found for one pair.
    """
    if kernels.COMPILED is None:
        return None
    candidate, candidate_offsets, reference, _ = texts
    results = np.empty((len(candidate_offsets) - 1, *shape), dtype)
    getattr(kernels.COMPILED, kernel)(*texts, vocabulary_size(candidate, reference), *arguments, results)
    return results


def for_references(kernel: str, texts: Texts, n_references: int) -> npt.NDArray[np.int32] | None:
    """Return the results of a kernel with each of several references, one after the other: (references, segments)."""
    if kernels.COMPILED is None:
        return None
    results = np.empty((n_references, len(texts[1]) - 1), dtype=np.int32)
    getattr(kernels.COMPILED, kernel)(*texts, n_references, vocabulary_size(texts[0], texts[2]), results)
    return results


def edit_distance(texts: Texts, n_references: int = 1) -> npt.NDArray[np.int32] | None:
    """Return edit distances: (references, segments); see `metaeval.metrics.wer`."""
    return for_references("edit_distance", texts, n_references)


def bag_overlap(texts: Texts) -> npt.NDArray[np.int32] | None:
    """Return the number of tokens in common of each pair of segments: (segments,); see `metaeval.metrics.per`."""
    return for_pairs("bag_overlap", texts, dtype=np.int32)
