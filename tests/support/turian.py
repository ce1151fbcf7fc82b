"""GTM as Turian, Shen and Melamed (2003) describe it, as plainly as it can be written: what other code is tested by."""

from __future__ import annotations

import math
from collections.abc import Sequence


def greedy_runs(candidate: Sequence[int], references: Sequence[Sequence[int]]) -> list[tuple[int, int, int]]:
    """Take the longest run of hits, then the longest run of what is free, until no hit is free.

    A hit is a cell of the grid whose tokens are equal; a run is a diagonal of hits. The columns are the references side
    by side, with a barrier after each that no run crosses. A hit is free while no run that was taken has its row or its
    column. Of equally long runs, that which begins last in the candidate is taken, then that which begins last in the
    references: this is the order of the General Text Matcher 1.4, which the paper leaves open.

    Returns
    -------
    list of (length, row, column)
        In the order in which they are taken.
    """
    columns = [token for reference in references for token in (*reference, None)]
    free = {(r, c) for r, token in enumerate(candidate) for c, other in enumerate(columns) if token == other}
    runs = []
    while free:
        length, row, column = max((_length(free, r, c), r, c) for r, c in free)
        runs.append((length, row, column))
        free = {(r, c) for r, c in free if not (row <= r < row + length or column <= c < column + length)}
    return runs


def _length(free: set[tuple[int, int]], row: int, column: int) -> int:
    length = 1
    while (row + length, column + length) in free:
        length += 1
    return length


def size(candidate: Sequence[int], references: Sequence[Sequence[int]], exponent: float, *, whole_cap: bool) -> float:
    """Return the size of the greedy matching: (sum of length ** exponent) ** (1 / exponent).

    No more hits count than the candidate has tokens, or than the references have on average. The others are deleted
    from the shortest runs, of equally short ones from that which was taken last; a fraction of a hit may stay unless
    the cap is a whole number.
    """
    cap = min(len(candidate), sum(map(len, references)) / len(references))
    hits = float(math.floor(cap) if whole_cap else cap)
    lengths = []
    for length, _, _ in greedy_runs(candidate, references):
        lengths.append(min(length, hits))
        hits -= lengths[-1]
    return math.fsum(length**exponent for length in lengths) ** (1 / exponent)
