"""Counting the pairs on which metric and human scores agree, disagree or are tied.

Few values, and ties with a threshold, are counted pair by pair (few by a kernel). Many values are sorted: a discordant
pair is then an inversion, and inversions are counted bit by bit of the ranks, for all rows at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metaeval.correlation.array_helpers import parts
from metaeval.datamodel.corpus import FloatArray, IntArray
from metaeval.kernels import rank_correlations as kernels

# Up to this many values, comparing all pairs is faster than sorting.
_MAX_VALUES_TO_COMPARE = kernels.MOST
# Up to this many values, each is compared with all others to count its agreements.
_MAX_VALUES_WITH_ALL = 512
# Numbers in a batch of rows: bounds the memory, whatever the number of rows.
_BATCH_NUMBERS = 1 << 18


@dataclass(frozen=True)
class PairCounts:
    """Numbers of pairs of values by kind, for each row: arrays (...) of whole numbers.

    Attributes
    ----------
    concordant, discordant : int array
        Pairs that both sides order, in the same or in opposite ways.
    metric_ties, human_ties, both_ties : int array
        Pairs tied on the metric's side only, on the human side only, and on both.
    """

    concordant: IntArray
    discordant: IntArray
    metric_ties: IntArray
    human_ties: IntArray
    both_ties: IntArray

    @property
    def total(self) -> IntArray:
        """The number of all pairs, n (n - 1) / 2."""
        return self.concordant + self.discordant + self.metric_ties + self.human_ties + self.both_ties


def count_pairs(metric: FloatArray, human: FloatArray, *, epsilon: float = 0.0, gap: float = 0.0) -> PairCounts:
    """Count the pairs of values along the last axis by kind.

    Parameters
    ----------
    metric, human : (..., n) float arrays
        Finite, of equal shape.
    epsilon : float
        Metric scores that differ by no more are tied.
    gap : float
        Human scores that differ by less are tied, as are equal ones.
    """
    n = metric.shape[-1]
    rows = metric.shape[:-1]
    x, y = (side.reshape(-1, n) if n else np.empty((0, 0)) for side in (metric, human))
    counts = kernels.count_pairs(x, y, epsilon=epsilon, gap=gap)
    if counts is None:
        counts = np.zeros((5, int(np.prod(rows))), dtype=np.int64)
        by_sorting = n > _MAX_VALUES_TO_COMPARE and epsilon == 0 and gap == 0
        for part in parts(len(x), max(1, _BATCH_NUMBERS // max(1, n))):
            counts[:, part] = _by_sorting(x[part], y[part]) if by_sorting else _by_pairs(x[part], y[part], epsilon, gap)
    return PairCounts(*(kind.reshape(rows) for kind in counts))


def agreements(values: FloatArray, metric: FloatArray, human: FloatArray) -> IntArray:
    """Count, for each position, the positions on which a value there would agree with human scores.

    Position i agrees with position j if ``values[i]`` is above, equal to or below ``metric[j]`` as ``human[i]`` is
    above, equal to or below ``human[j]``.

    Parameters
    ----------
    values, metric, human : (rows, n) float arrays
        Finite. Time grows as n log(n) for each row, memory as n.

    Returns
    -------
    (rows, n) int array
        From 0 to n; a place is compared with itself too.
    """
    if values.shape[1] > _MAX_VALUES_WITH_ALL:
        return np.array([_agreements_by_sorting(*row) for row in zip(values, metric, human, strict=True)])
    value, other, people = (np.ascontiguousarray(scores.T) for scores in (values, metric, human))
    counts = np.zeros(value.shape, dtype=np.int64)
    for position in range(len(value)):
        above = (value > other[position]) == (people > people[position])
        counts += above & ((value < other[position]) == (people < people[position]))
    return np.ascontiguousarray(counts.T)


def exchange_weights(a: FloatArray, b: FloatArray, human: FloatArray) -> FloatArray:
    """Return by how much a sign of each place moves the right pairs of a, less those of b, all counted twice.

    A pair of places with signs s and t, -1 where a and b exchange their scores, makes the difference D (s + t) / 2 +
    F (s - t) / 2, where D is what it makes unexchanged and F what it makes when only its second place is. So each place
    has a weight: half of what its own score of the first metric agrees with (scores of both elsewhere) minus the same
    for the second.

    Parameters
    ----------
    a, b, human : (rows, n) float arrays

    Returns
    -------
    (rows, n) float array
        Whole numbers. The difference of the shares of right pairs is the sum of signs times weights / (n (n - 1)).
    """
    weights = np.zeros(human.shape)
    for other in (a, b):
        weights += agreements(a, other, human) - agreements(b, other, human)
    return weights


def _agreements_by_sorting(values: FloatArray, metric: FloatArray, human: FloatArray) -> IntArray:
    """Count as `agreements` does, in one row: (n,)."""
    order = np.argsort(metric, kind="stable")
    ordered = metric[order]
    ranks = _dense_ranks(human[None])[0]
    below, up_to = (np.searchsorted(ordered, values, side=side) for side in ("left", "right"))
    # Of the places below or up to a value in the metric, those below or up to the own human score.
    prefixes = np.concatenate([below, below, up_to, up_to])
    limits = np.concatenate([ranks, ranks + 1] * 2)
    lower, lower_tied, tied_lower, all_tied = _counts_below(ranks[order], prefixes, limits).reshape(4, -1)
    not_above = np.searchsorted(np.sort(human), human, side="right")
    higher = len(human) - not_above - (up_to - all_tied)
    return np.asarray(lower + higher + (all_tied - tied_lower - lower_tied + lower))


def _counts_below(numbers: IntArray, prefixes: IntArray, limits: IntArray) -> IntArray:
    """Count, among the first so many numbers, those below a limit: (queries,).

    Bit by bit from the top: where the limit has a 1, the numbers that agree with it so far and have a 0 are below it.
    The numbers are parted by that bit, and a query goes on in its part.
    """
    starts = np.zeros_like(prefixes)
    ends = prefixes
    counts = np.zeros(len(limits), dtype=np.int64)
    for bit in reversed(range(int(limits.max(initial=0)).bit_length())):
        ones = (numbers >> bit) & 1
        zeros_before = np.concatenate([[0], np.cumsum(1 - ones)])
        first, last = zeros_before[starts], zeros_before[ends]
        takes = (limits >> bit) & 1 == 1
        counts += np.where(takes, last - first, 0)
        n_zeros = zeros_before[-1]
        starts = np.where(takes, n_zeros + starts - first, first)
        ends = np.where(takes, n_zeros + ends - last, last)
        numbers = np.concatenate([numbers[ones == 0], numbers[ones == 1]])
    return counts


def _by_pairs(x: FloatArray, y: FloatArray, epsilon: float, gap: float) -> IntArray:
    """Compare each value (rows, n) with all after it."""
    first = np.ascontiguousarray(x.T)
    second = np.ascontiguousarray(y.T)
    n, n_rows = first.shape
    counts = np.zeros((5, n_rows), dtype=np.int64)
    # A difference beyond the largest number is infinite, which compares as it must.
    with np.errstate(over="ignore"):
        for position in range(n - 1):
            metric = first[position + 1 :] - first[position]
            human = second[position + 1 :] - second[position]
            metric_tied = np.abs(metric) <= epsilon
            human_tied = (human == 0) | (np.abs(human) < gap)
            tied = metric_tied | human_tied
            concordant = ((metric > 0) == (human > 0)) & ~tied
            in_metric = metric_tied.sum(axis=0)
            in_human = human_tied.sum(axis=0)
            in_any = tied.sum(axis=0)
            agree = concordant.sum(axis=0)
            counts[0] += agree
            counts[1] += n - 1 - position - in_any - agree
            counts[2] += in_any - in_human
            counts[3] += in_any - in_metric
            counts[4] += in_metric + in_human - in_any
    return counts


def _by_sorting(x: FloatArray, y: FloatArray) -> IntArray:
    """Count from the rows (rows, n) in the order of x and, where x is equal, of y."""
    n = x.shape[1]
    order = np.lexsort((y, x), axis=-1)
    ranks = _dense_ranks(y)
    x = np.take_along_axis(x, order, axis=1)
    ranks_by_x = np.take_along_axis(ranks, order, axis=1)
    new_x = _starts(x)
    in_metric = _pairs_within(new_x)
    in_human = _pairs_within(_starts(np.sort(ranks, axis=1)))
    in_both = _pairs_within(new_x | _starts(ranks_by_x))
    discordant = _inversions(ranks_by_x)
    in_any = in_metric + in_human - in_both
    concordant = n * (n - 1) // 2 - in_any - discordant
    return np.stack([concordant, discordant, in_any - in_human, in_any - in_metric, in_both])


def _starts(ordered: FloatArray | IntArray) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Mark the beginnings of runs of equal neighbours along the last axis."""
    starts = np.ones(ordered.shape, dtype=bool)
    starts[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    return starts


def _pairs_within(starts: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> IntArray:
    """Return the number of pairs inside the runs: each value makes one with all before it in its run."""
    places = np.arange(starts.shape[1])
    return np.asarray((places - np.maximum.accumulate(np.where(starts, places, 0), axis=1)).sum(axis=1))


def _dense_ranks(values: FloatArray) -> IntArray:
    """Return ranks from 0 along the last axis; equal values share one and the next value has the next."""
    order = np.argsort(values, axis=1, kind="stable")
    ranks = np.empty(values.shape, dtype=np.int64)
    steps = _starts(np.take_along_axis(values, order, axis=1)).cumsum(axis=1) - 1
    np.put_along_axis(ranks, order, steps, axis=1)
    return ranks


def _inversions(ranks: IntArray) -> IntArray:
    """Count the pairs in each row of which the earlier is greater.

    The highest bit in which two numbers differ orders them. So, bit by bit from the top: among the numbers that agree
    in all higher bits, kept in the order of the row, each 0 is inverted with the 1s before it.
    """
    counts = np.zeros(len(ranks), dtype=np.int64)
    for bit in reversed(range(int(ranks.max(initial=0)).bit_length())):
        ones = (ranks >> bit) & 1
        before = ones.cumsum(axis=1) - ones
        inside = before - np.maximum.accumulate(np.where(_starts(ranks >> (bit + 1)), before, 0), axis=1)
        counts += ((1 - ones) * inside).sum(axis=1)
        ranks = np.take_along_axis(ranks, np.argsort(ranks >> bit, axis=1, kind="stable"), axis=1)
    return counts
