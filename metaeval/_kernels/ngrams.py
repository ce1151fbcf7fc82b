"""Kernels on n-grams. A text is ids (tokens,) int32 with offsets (segments + 1,) int64."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from metaeval import _kernels
from metaeval._kernels.pairs import Ids, Offsets, vocabulary_size


def ngram_hits(
    candidate: Ids, candidate_offsets: Offsets, references: Ids, offsets: Offsets, n_references: int, longest: int
) -> npt.NDArray[np.uint32] | None:
    """Return the clipped matches with each reference: (references, tokens), a bit for an order; None without kernels.

    The references stand one after the other. See `metaeval.metrics.ngrams.ngram_hits`.
    """
    if _kernels.COMPILED is None:
        return None
    hits = np.empty((n_references, len(candidate)), dtype=np.uint32)
    size = vocabulary_size(candidate, references)
    _kernels.COMPILED.ngram_hits(candidate, candidate_offsets, references, offsets, n_references, size, longest, hits)
    return hits


def ngram_matches(
    candidate: Ids, candidate_offsets: Offsets, references: Ids, offsets: Offsets, n_references: int, longest: int
) -> npt.NDArray[np.int32] | None:
    """Return how many hits there are with each reference: (references, segments, orders); None without kernels."""
    if _kernels.COMPILED is None:
        return None
    matches = np.empty((n_references, len(candidate_offsets) - 1, longest), dtype=np.int32)
    size = vocabulary_size(candidate, references)
    _kernels.COMPILED.ngram_matches(
        candidate, candidate_offsets, references, offsets, n_references, size, longest, matches
    )
    return matches


def count_hits(hits: npt.NDArray[np.uint32], offsets: Offsets, longest: int) -> npt.NDArray[np.int32] | None:
    """Return the hits of each segment and order: (tokens,) to (segments, orders); None without kernels."""
    if _kernels.COMPILED is None:
        return None
    counts = np.empty((len(offsets) - 1, longest), dtype=np.int32)
    _kernels.COMPILED.count_hits(hits, offsets, longest, counts)
    return counts


@dataclass(frozen=True)
class NgramTable:
    """The n-grams of a collection of texts.

    Attributes
    ----------
    bits : int
        The table has 2**bits places.
    keys, numbers : (places,) uint64 and int32 arrays
        The table: where an n-gram stands, and its number.
    counts : (n-grams,) int64 array
    prefixes : (n-grams,) int32 array
        The number of the first n - 1 tokens; -1 for a unigram.
    longest : int
    """

    bits: int
    keys: npt.NDArray[np.uint64]
    numbers: npt.NDArray[np.int32]
    counts: npt.NDArray[np.int64]
    prefixes: npt.NDArray[np.int32]
    longest: int


def count_ngrams(ids: Ids, offsets: Offsets, longest: int) -> NgramTable | None:
    """Return the n-grams of a collection, up to a length; None without kernels."""
    if _kernels.COMPILED is None:
        return None
    room = len(ids) * longest
    bits = max(4, (room * 3 // 2).bit_length())  # a third of the places, at least, stay empty
    keys, numbers = np.zeros(1 << bits, dtype=np.uint64), np.zeros(1 << bits, dtype=np.int32)
    counts, prefixes = np.empty(room, dtype=np.int64), np.empty(room, dtype=np.int32)
    found = _kernels.COMPILED.count_ngrams(
        ids, offsets, vocabulary_size(ids), longest, bits, keys, numbers, counts, prefixes
    )
    return NgramTable(bits, keys, numbers, counts[:found].copy(), prefixes[:found].copy(), longest)


def sum_information(
    table: NgramTable,
    information: npt.NDArray[np.float64],
    candidate: Ids,
    candidate_offsets: Offsets,
    hits: npt.NDArray[np.uint32],
) -> npt.NDArray[np.float64]:
    """Return the information of the marked n-grams of each segment and order: (segments, orders).

    Each sum is that of the exact numbers, rounded once, so that equal bags of n-grams give equal sums.
    """
    assert _kernels.COMPILED is not None
    sums = np.empty((len(candidate_offsets) - 1, table.longest))
    _kernels.COMPILED.sum_information(
        candidate,
        candidate_offsets,
        vocabulary_size(candidate),
        table.longest,
        table.bits,
        table.keys,
        table.numbers,
        information,
        hits,
        sums,
    )
    return sums
