"""Counts of n-grams of token ids."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence

from metaeval.records import Segments

NgramCounts = Counter[tuple[int, ...]]


def segment_ids(segments: Segments) -> list[list[int]]:
    """Return the token ids of each segment as a list."""
    ids, offsets = segments.ids.tolist(), segments.offsets.tolist()
    return [ids[start:end] for start, end in itertools.pairwise(offsets)]


def count_ngrams(ids: Sequence[int], order: int) -> NgramCounts:
    """Return how often each n-gram of one order occurs."""
    return Counter(zip(*(ids[start:] for start in range(order)), strict=False))


def largest_counts(counts: Sequence[NgramCounts]) -> NgramCounts:
    """Return the largest count of each n-gram in any one of several texts."""
    largest: NgramCounts = Counter()
    for each in counts:
        largest |= each
    return largest


def clipped_matches(candidate: NgramCounts, largest: NgramCounts) -> int:
    """Return the number of matches, each n-gram counted at most as often as in any one reference."""
    return sum(min(count, largest[ngram]) for ngram, count in candidate.items() if ngram in largest)
