"""Kernels on n-grams. A text is ids (tokens,) int32 with offsets (segments + 1,) int64."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from metaeval import kernels
from metaeval.kernels.segment_pairs import Ids, Offsets, vocabulary_size

# For each token, a bit for each order.
Hits = npt.NDArray[np.unsignedinteger[Any]]


def ngram_hits(
    candidate: Ids,
    candidate_offsets: Offsets,
    references: Ids,
    offsets: Offsets,
    n_references: int,
    longest: int,
    where: Ids | None = None,
) -> Hits | None:
    """Return the clipped matches with each reference: (references, tokens), a bit for an order; None without kernels.

    Up to 8 orders are bytes. The references stand one after the other. `where`, (tokens,), gets a place among the ids
    of the references where the longest n-gram stands that begins at a token and that a reference has. See
    `metaeval.metrics.ngrams.ngram_hits`.
    """
    if kernels.COMPILED is None:
        return None
    hits: Hits = np.empty((n_references, len(candidate)), dtype=np.uint8 if longest <= 8 else np.uint32)
    size = vocabulary_size(candidate, references)
    texts = (candidate, candidate_offsets, references, offsets)
    where = np.empty(0, dtype=np.int32) if where is None else where
    kernels.COMPILED.ngram_hits(*texts, n_references, size, longest, hits.view(np.uint8), where)
    return hits


def ngram_matches(
    candidate: Ids, candidate_offsets: Offsets, references: Ids, offsets: Offsets, n_references: int, longest: int
) -> npt.NDArray[np.int32] | None:
    """Count the hits with each reference: (references, segments, orders); None without kernels."""
    if kernels.COMPILED is None:
        return None
    matches = np.empty((n_references, len(candidate_offsets) - 1, longest), dtype=np.int32)
    size = vocabulary_size(candidate, references)
    kernels.COMPILED.ngram_matches(
        candidate, candidate_offsets, references, offsets, n_references, size, longest, matches
    )
    return matches


def _hits_as_bytes(hits: Hits, longest: int) -> npt.NDArray[np.uint8]:
    """Return the hits as bytes: of each token one byte for up to 8 orders, else four."""
    return hits.astype(np.uint8 if longest <= 8 else np.uint32, copy=False).view(np.uint8)


def count_hits(hits: Hits, offsets: Offsets, longest: int) -> npt.NDArray[np.int32] | None:
    """Return the hits of each segment and order: (tokens,) to (segments, orders); None without kernels.

    There may be hits of longer n-grams, which are not looked at.
    """
    if kernels.COMPILED is None:
        return None
    counts = np.empty((len(offsets) - 1, longest), dtype=np.int32)
    kernels.COMPILED.count_hits(_hits_as_bytes(hits, longest), offsets, longest, counts)
    return counts


@dataclass(frozen=True)
class NumberedNgrams:
    """The n-grams of a collection of texts, but for those that follow from others: their first n - 1 tokens occur once.

    Attributes
    ----------
    unigrams : int
        Ids below it are the numbers of unigrams.
    numbers : (tokens, longest - 1) int32 array
        The numbers of the longer n-grams that begin at each token; -1 where none does.
    counts : (n-grams,) int32 array
        How often each occurs.
    prefixes : (n-grams,) int32 array
        The number of its first n - 1 tokens; -1 for a unigram.
    """

    unigrams: int
    numbers: npt.NDArray[np.int32]
    counts: npt.NDArray[np.int32]
    prefixes: npt.NDArray[np.int32]


def number_ngrams(ids: Ids, offsets: Offsets, longest: int) -> NumberedNgrams | None:
    """Return the n-grams of a collection, up to a length; None without kernels."""
    if kernels.COMPILED is None:
        return None
    unigrams = vocabulary_size(ids)
    numbers = np.empty((len(ids), longest - 1), dtype=np.int32)
    counts, prefixes = (np.empty(unigrams + numbers.size, dtype=np.int32) for _ in range(2))
    n_ngrams = kernels.COMPILED.number_ngrams(ids, offsets, unigrams, longest, numbers, counts, prefixes)
    for array in (counts, prefixes):
        array.resize(n_ngrams, refcheck=False)
    return NumberedNgrams(unigrams, numbers, counts, prefixes)


def count_numbers(ngrams: NumberedNgrams, texts: Sequence[tuple[Ids, Ids]]) -> Ids:
    """Count each n-gram in some texts, from the ids and numbers of each: (n-grams,)."""
    assert kernels.COMPILED is not None
    counts = np.zeros(len(ngrams.prefixes), dtype=np.int32)
    for ids, numbers in texts:
        kernels.COMPILED.count_numbers(ids, numbers, numbers.shape[1] + 1, counts)
    return counts


def sum_information(
    offsets: Offsets, where: Ids, references: Ids, numbers: Ids, information: npt.NDArray[np.float64], hits: Hits
) -> npt.NDArray[np.float64]:
    """Return the information of the marked n-grams of each segment and order: (segments, orders).

    Parameters
    ----------
    offsets : (segments + 1,) int64 array
        Of a candidate.
    where, hits : (tokens,) arrays
        Of :func:`ngram_hits`; hits of longer n-grams are not looked at.
    references : (reference tokens,) int32 array
        The ids that `where` speaks of.
    numbers : (reference tokens, orders - 1) int32 array
        The n-grams that begin there; -1 carries nothing.
    information : (n-grams,) float array

    Returns
    -------
    (segments, orders) float array
        Each sum is that of the exact numbers, rounded once, so that equal bags of n-grams give equal sums.
    """
    assert kernels.COMPILED is not None
    longest = numbers.shape[1] + 1
    sums = np.empty((len(offsets) - 1, longest))
    kernels.COMPILED.sum_information(
        offsets, longest, where, references, numbers, information, _hits_as_bytes(hits, longest), sums
    )
    return sums
