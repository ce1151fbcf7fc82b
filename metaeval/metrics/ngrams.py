"""Counts of n-grams of token ids."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from metaeval.datamodel.corpus import IntArray, Segments
from metaeval.kernels import ngrams as kernels
from metaeval.kernels.ngrams import Hits
from metaeval.metrics.segments import joined, segment_ids

# Of token ids, or of characters and words.
NgramCounts = Counter[tuple[Any, ...]]


def count_ngrams(tokens: Sequence[Any], order: int) -> NgramCounts:
    """Count each n-gram of one order."""
    return Counter(zip(*(tokens[start:] for start in range(order)), strict=False))


def clipped_matches(candidate: NgramCounts, largest: NgramCounts) -> int:
    """Return the number of matches, each n-gram counted at most as often as in any one reference."""
    return sum(min(count, largest[ngram]) for ngram, count in candidate.items() if ngram in largest)


def ngram_hits(
    candidates: Segments,
    references: Sequence[Segments],
    longest: int,
    where: npt.NDArray[np.int32] | None = None,
    *,
    n_systems: int = 1,
) -> list[Hits]:
    """Mark the n-grams of a candidate that are clipped matches with each reference.

    The k-th occurrence of an n-gram in a segment of the candidate is a hit if the reference has it at least k times. So
    the hits of an n-gram are the smaller of its two counts, and a hit with any of several references is a match that is
    clipped at the largest count in any one of them.

    Parameters
    ----------
    candidates : Segments
        Of all systems, one after the other.
    references : sequence of Segments
    longest : int
        The longest n-grams, at most 32.
    where : (tokens,) int32 array, optional
        Gets places of n-grams, for compiled kernels: see `metaeval.kernels.ngrams.ngram_hits`.
    n_systems : int

    Returns
    -------
    list (references) of (tokens,) unsigned integer arrays
        Bit n - 1 says whether the n-gram that begins at the token is a hit.
    """
    together = joined(references)
    compiled = kernels.ngram_hits(
        candidates.ids, candidates.offsets, together.ids, together.offsets, len(references), longest, where
    )
    if compiled is not None:
        return list(compiled)
    return [_hits(candidates, joined([texts] * n_systems), longest) for texts in references]


def _hits(candidates: Segments, reference: Segments, longest: int) -> Hits:
    """Return the hits with one reference of as many segments: the plain definition."""
    hits = np.zeros(len(candidates.ids), dtype=np.uint32)
    start = 0
    for ids, theirs in zip(segment_ids(candidates), segment_ids(reference), strict=True):
        for order in range(1, longest + 1):
            left = count_ngrams(theirs, order)
            for position, ngram in enumerate(zip(*(ids[shift:] for shift in range(order)), strict=False)):
                if left[ngram] > 0:
                    left[ngram] -= 1
                    hits[start + position] |= np.uint32(1 << (order - 1))
        start += len(ids)
    return hits


def hits_with_any(comparisons: Sequence[Hits]) -> Hits:
    """Return the hits with any of several references: matches that are clipped at the largest count in any one."""
    return functools.reduce(np.bitwise_or, comparisons)  # as an array of all, they would be copied first


def count_hits(hits: Hits, offsets: npt.NDArray[np.int64], longest: int) -> IntArray:
    """Return the hits of each segment and order: (tokens,) and (segments + 1,) to (segments, orders)."""
    compiled = kernels.count_hits(hits, offsets, longest)
    if compiled is not None:
        return compiled
    counts = np.zeros((len(offsets) - 1, longest), dtype=np.int64)
    for order in range(longest):
        sums = np.concatenate([[0], np.cumsum(hits >> np.uint32(order) & 1)])
        counts[:, order] = sums[offsets[1:]] - sums[offsets[:-1]]
    return counts
