"""Counts of n-grams of token ids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

NgramCounts = Counter[tuple[int, ...]]


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
