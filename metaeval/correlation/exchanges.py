"""Metrics that exchange their scores: the differences that permutation tests compare the observed one with.

A cell is a document (often a segment) of a system. In a draw, two metrics exchange their scores of some cells, and both
coefficients are taken again. :meth:`Exchange.by_definition` is the definition, and takes any coefficient. The other
ways give its numbers faster, for coefficients in which little must be computed anew:

==========================  ==========================================================================================
way                         why it is enough
==========================  ==========================================================================================
`swap_whole_groups`         where all cells of a group go together, its two coefficients change places, no more
`count_right_pairs`         the difference of two shares of right pairs is linear in the signs of the cells
`correlate_sums`            Pearson's is made of sums over cells, and such a sum is one over what a metric keeps, plus
                            one over what it is given: numbers of single metrics, which serve all pairs
==========================  ==========================================================================================
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metaeval.components.coefficient import Coefficient
from metaeval.correlation.array_helpers import parts
from metaeval.correlation.averages import arrange_rows, correlate_sets, mean_of_defined
from metaeval.correlation.coefficients import Pearson, of_length_one
from metaeval.correlation.pair_counts import exchange_weights
from metaeval.correlation.sign_sums import signed_sums
from metaeval.correlation.tolerances import CANCELLED_EXCHANGED
from metaeval.datamodel.corpus import BoolArray, FloatArray, IntArray
from metaeval.datamodel.resampling import Swaps

# Cells whose exchanged scores are held at once, which takes some megabytes.
CELLS_AT_ONCE = 1 << 19
# Numbers of sums of products that are handled at once, so that they stay in a cache.
NUMBERS_IN_CACHE = 1 << 17
# Weights of cells, one for each pair of metrics, that are held at once.
WEIGHTS_AT_ONCE = 1 << 21


def groups_of(judged: BoolArray, average_by: str, sizes: Sequence[int] | None = None) -> list[IntArray]:
    """Return the cells that each coefficient is taken over, of the groups that have a pair.

    Parameters
    ----------
    judged : (documents, systems) bool array
        The cells that there are; they are numbered row by row.
    average_by : "item", "system" or "none"
    sizes : sequence of int, optional
        The numbers of systems of several corpora that stand side by side: each of these is a group.

    Returns
    -------
    list of (groups, cells) int arrays
        The groups of one size together.
    """
    numbers = np.full(judged.shape, -1)
    numbers[judged] = np.arange(judged.sum())
    rows = (
        list(arrange_rows(numbers, average_by))
        if sizes is None
        else [part.ravel() for part in np.split(numbers, np.cumsum(sizes)[:-1], axis=1)]
    )
    by_size: dict[int, list[IntArray]] = {}
    for row in rows:
        cells = row[row >= 0]
        if len(cells) > 1:
            by_size.setdefault(len(cells), []).append(cells)
    return [np.stack(cells) for cells in by_size.values()]


@dataclass(frozen=True)
class Exchange:
    """Metrics of which two at a time exchange scores.

    Attributes
    ----------
    scores : (metrics, cells) float array
        On one scale, since scores of one metric are going to stand among those of another.
    human : (cells,) float array
    judged : (documents, systems) bool array
        Where the cells stand, row by row.
    groups : sequence of (groups, cells) int arrays
        What :func:`groups_of` gives.
    coefficient : Coefficient
    swaps : Swaps
        The signs of each draw, -1 for an exchange.
    sign_of_cell : (cells,) int array
        The number of the sign that moves each cell; cells that go together have the same.
    needs_both_metrics : bool
        Whether a mean runs over the groups that have a coefficient for both metrics, and is ``nan`` without any; else
        over those of each metric, and 0 without any.
    pools_pairs : bool
        Whether the right pairs of all groups are counted together, so that larger groups weigh more.
    """

    scores: FloatArray
    human: FloatArray
    judged: BoolArray
    groups: Sequence[IntArray]
    coefficient: Coefficient
    swaps: Swaps
    sign_of_cell: IntArray
    needs_both_metrics: bool = True
    pools_pairs: bool = False

    def differences(self) -> FloatArray:
        """Return the differences of two metrics in the draws, in the order of `itertools.combinations`: (pairs, draws).

        They are those of the first of a pair from the second, of the mean coefficients over the groups.
        """
        are_whole = all((self.sign_of_cell[cells] == self.sign_of_cell[cells[:, :1]]).all() for cells in self.groups)
        # What is fitted to all groups changes with any of them.
        if are_whole and self.needs_both_metrics and not (self.coefficient.is_fitted or self.coefficient.takes_grid):
            return self.swap_whole_groups()
        if self.coefficient.per_right_pair is not None:
            return self.count_right_pairs(self.coefficient.per_right_pair)
        return self.correlate_sums() if self.coefficient.of_moments else self.by_definition()

    def by_definition(self) -> FloatArray:
        """Return the differences of coefficients that are computed from the exchanged scores: (pairs, draws)."""
        pairs = self._pairs()
        differences = np.empty((len(pairs), len(self.swaps)))
        for draws in parts(len(self.swaps), max(1, CELLS_AT_ONCE // max(1, len(self.human)))):
            is_exchanged = self._is_exchanged(draws, self.sign_of_cell)
            in_groups = [is_exchanged.take(cells, axis=1) for cells in self.groups]
            for number, (a, b) in enumerate(pairs):
                first, second = (self._coefficients(*order, is_exchanged, in_groups) for order in ((a, b), (b, a)))
                if self.needs_both_metrics:
                    differences[number, draws] = mean_of_defined(first - second, axis=1)
                else:
                    means = [np.nan_to_num(mean_of_defined(side, axis=1), nan=0.0) for side in (first, second)]
                    differences[number, draws] = means[0] - means[1]
        return differences

    def swap_whole_groups(self) -> FloatArray:
        """Return the differences where the cells of each group are exchanged together: (pairs, draws)."""
        of_groups = np.concatenate([np.empty(0, np.intp), *(self.sign_of_cell[cells[:, 0]] for cells in self.groups)])
        of_metric = [
            np.concatenate(
                [np.empty(0), *(self.coefficient(metric_scores[cells], self.human[cells]) for cells in self.groups)]
            )
            for metric_scores in self.scores
        ]
        differences = np.stack([of_metric[a] - of_metric[b] for a, b in self._pairs()])
        defined = ~np.isnan(differences)
        moved = [
            np.bincount(of_groups, weights=np.nan_to_num(difference), minlength=self._n_signs)
            for difference in differences
        ]
        sums = self._sums(np.stack(moved, axis=1))
        n_defined = defined.sum(axis=1, keepdims=True)
        return np.asarray(np.divide(sums, n_defined, out=np.full(sums.shape, np.nan), where=n_defined > 0))

    def count_right_pairs(self, scale: float) -> FloatArray:
        """Return the differences of coefficients that grow by `scale` with the share of right pairs: (pairs, draws).

        What a sign moves is a whole number of pairs (`exchange_weights`), so that sums of them are exact.
        """
        pairs = self._pairs()
        n_groups = sum(map(len, self.groups))
        if not n_groups:
            return np.full((len(pairs), len(self.swaps)), np.nan if self.needs_both_metrics else 0.0)
        # What the right pairs of a group are shares of, counted twice.
        of_pooled = sum(cells.size * (cells.shape[1] - 1) for cells in self.groups)
        shares = [
            of_pooled if self.pools_pairs else n_groups * cells.shape[1] * (cells.shape[1] - 1) for cells in self.groups
        ]
        differences = np.empty((len(pairs), len(self.swaps)))
        for part in parts(len(pairs), max(1, WEIGHTS_AT_ONCE // len(self.human))):
            weights = np.zeros((self._n_signs, len(pairs[part])))
            for cells, share in zip(self.groups, shares, strict=True):
                for column, (a, b) in enumerate(pairs[part]):
                    moved = exchange_weights(self.scores[a][cells], self.scores[b][cells], self.human[cells])
                    np.add.at(weights[:, column], self.sign_of_cell[cells], moved * (shares[0] / share))
            differences[part] = self._sums(weights) * (scale / shares[0])
        return differences

    def correlate_sums(self) -> FloatArray:
        """Return the differences of Pearson's coefficients: (pairs, draws)."""
        n_metrics, n_draws = len(self.scores), len(self.swaps)
        first, later = np.triu_indices(n_metrics, 1)
        # Of each pair: the one that takes scores of the other, and the other that takes its own.
        takes, gives = np.concatenate([first, later]), np.concatenate([later, first])
        total, count = np.zeros((2, n_draws, len(takes)))
        for cells in self.groups:
            people = self.human[cells]
            varies = (people != people[:, :1]).any(axis=1)
            cells = cells[varies]
            people = of_length_one(people[varies])
            size = max(cells.shape[1], len(takes))
            for draws in parts(n_draws, max(1, NUMBERS_IN_CACHE // size)):
                n_drawn = len(range(*draws.indices(n_draws)))
                for some in parts(len(cells), max(1, NUMBERS_IN_CACHE // (size * n_drawn))):
                    keeps = ~self._is_exchanged(draws, self.sign_of_cell[cells[some]].ravel())
                    keeps = keeps.reshape(n_drawn, -1, cells.shape[1]).swapaxes(0, 1)
                    scores = self.scores[:, cells[some]].swapaxes(0, 1)
                    related = exchanged_pearson(keeps, scores, people[some], takes, gives)
                    defined = ~np.isnan(related)
                    if self.needs_both_metrics:
                        defined &= np.roll(defined, len(first), axis=2)
                    total[draws] += np.where(defined, related, 0.0).sum(axis=0)
                    count[draws] += defined.sum(axis=0)
        means = np.divide(total, count, out=total, where=count > 0)
        if self.needs_both_metrics:
            means[count == 0] = np.nan
        return np.ascontiguousarray((means[:, : len(first)] - means[:, len(first) :]).T)

    @property
    def _n_signs(self) -> int:
        """The number of signs in a draw: one for all cells that are exchanged together."""
        return self.swaps.shape[0] * self.swaps.shape[1]

    def _pairs(self) -> list[tuple[int, int]]:
        return list(itertools.combinations(range(len(self.scores)), 2))

    def _is_exchanged(self, draws: slice, sign_of_cell: IntArray) -> BoolArray:
        """Mark the cells that are exchanged in some draws, by the signs that move them: (draws, cells)."""
        packed = np.asarray(self.swaps.packed[draws])
        # The bits of a byte as `numpy.packbits` has them, the first on top.
        return np.asarray(packed[:, sign_of_cell >> 3] & (128 >> (sign_of_cell & 7)).astype(np.uint8) > 0)

    def _sums(self, weights: FloatArray) -> FloatArray:
        """Return the sums of weights, (signs, pairs), with the signs of the draws: (pairs, draws)."""
        return np.ascontiguousarray(signed_sums(self.swaps, weights).T)

    def _coefficients(self, a: int, b: int, is_exchanged: BoolArray, in_groups: Sequence[BoolArray]) -> FloatArray:
        """Return the coefficients of metric a, which takes scores of b where they are exchanged: (draws, groups)."""
        if self.coefficient.takes_grid:
            grids = np.full((len(is_exchanged), *self.judged.shape), np.nan)
            human = np.full(self.judged.shape, np.nan)
            grids[:, self.judged] = np.where(is_exchanged, self.scores[b], self.scores[a])
            human[self.judged] = self.human
            return np.array([[float(self.coefficient(grid, human))] for grid in grids]).reshape(-1, 1)
        each = [
            correlate_sets(
                self.coefficient,
                np.where(of_group, self.scores[b][cells], self.scores[a][cells]),
                np.broadcast_to(self.human[cells], of_group.shape),
            )
            for cells, of_group in zip(self.groups, in_groups, strict=True)
        ]
        return np.concatenate([np.empty((len(is_exchanged), 0)), *each], axis=1)


def exchanged_pearson(
    keeps: BoolArray, scores: FloatArray, human: FloatArray, takes: IntArray, gives: IntArray
) -> FloatArray:
    """Return the coefficients of metrics that take the scores of another where they do not keep their own.

    Parameters
    ----------
    keeps : (groups, draws, cells) bool array
        Where a metric keeps its own scores.
    scores : (groups, metrics, cells) float array
    human : (groups, cells) float array
        Each of mean 0 and length 1.
    takes, gives : (pairs,) int arrays
        The metric that takes scores, and that which gives them.

    Returns
    -------
    (groups, draws, pairs) float array
        ``nan`` where all scores are equal.
    """
    n_groups, n_metrics, n_cells = scores.shape
    # What all metrics have in common does not matter, and would only cost digits.
    scores = scores - scores.mean(axis=(1, 2), keepdims=True)
    powers = np.concatenate([scores, scores * human[:, np.newaxis], np.square(scores)], axis=1)
    powers = np.ascontiguousarray(powers.swapaxes(1, 2))
    of_own = (keeps.astype(np.float64, order="C") @ powers).reshape(n_groups, -1, 3, n_metrics)
    totals = powers.sum(axis=1).reshape(n_groups, 1, 3, n_metrics)
    of_other = totals - of_own
    sums, products, squares = (of_own[:, :, k, takes] + of_other[:, :, k, gives] for k in range(3))
    variance = squares - np.square(sums) / n_cells
    variance[variance <= CANCELLED_EXCHANGED / 2.0 * (totals[:, :, 2, takes] + totals[:, :, 2, gives])] = np.nan
    coefficients = np.asarray(np.clip(products / np.sqrt(variance), -1.0, 1.0))
    # Where little is left of large squares, only the scores themselves can decide.
    unknown = np.isnan(coefficients)
    if unknown.any():
        groups, draws, pairs = np.nonzero(unknown)
        own_scores = scores[groups, takes[pairs]]
        other_scores = scores[groups, gives[pairs]]
        coefficients[groups, draws, pairs] = Pearson()(
            np.where(keeps[groups, draws], own_scores, other_scores), human[groups]
        )
    return coefficients
