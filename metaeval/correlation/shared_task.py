"""The permutation test of metrics shared tasks: all metrics of a task against each other, with the same exchanges.

Each metric is standardised over all cells of the task, documents by systems. In a draw, each cell is exchanged between
two metrics with probability 1/2, and both statistics are taken again. The p-value that one is better is the share of
draws with a difference at least as large as the observed one; the observed one itself does not count.

What is exchanged depends on the statistic:

=========================  ============================================================================================
statistic                  exchanged
=========================  ============================================================================================
soft pairwise accuracy     the cells; its own replicates stay the same. A pair of metrics stops after each 100 draws if
                           its p is below .02 or above .5, and its draws are repeated
accuracy with a threshold  the verdicts on pairs of cells, with the threshold that each metric has for its own scores
others                     the cells
=========================  ============================================================================================

A metric keeps some of its cells, and takes those of the other elsewhere. So whatever is a sum over cells is one sum
over what the first keeps, plus one over what the second gives: two numbers of single metrics, which serve all pairs.

Sources
-------
Deutsch, Dror and Roth (2021): A statistical analysis of summarization evaluation metrics using resampling methods
(PERM-BOTH). The rules of stopping, of empty means and of verdicts are those of mt-metrics-eval, the program of WMT's
metrics shared tasks.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from metaeval.contracts import Coefficient
from metaeval.correlation.averages import correlate, in_rows, mean_of_defined
from metaeval.correlation.coefficients import of_length_one, pearson
from metaeval.correlation.pairs import exchange_weights
from metaeval.correlation.pairwise import PairwiseAccuracy
from metaeval.correlation.permutation import AVERAGE_BY, pearson_of_sums
from metaeval.correlation.refusals import refuse
from metaeval.correlation.signs import signed_sums
from metaeval.correlation.soft import SoftPairwiseAccuracy
from metaeval.correlation.soft_nulls import soft_nulls
from metaeval.correlation.vectors import check_finite, on_one_scale, parts
from metaeval.errors import UsageError, unknown
from metaeval.randomness import random_bytes
from metaeval.records import BoolArray, FloatArray, IntArray
from metaeval.resampling import Swaps

# Differences this close are equal: above what rounding does, below the step of an accuracy over many pairs.
_EQUAL = 1e-11
# A variance that is a smaller share of the squares it is left of is computed again from the scores themselves.
_CANCELLED = 1e-4
# Numbers handled at once, such that they stay in a cache; and cells of which verdicts are exchanged.
_AT_ONCE = 1 << 17
_VERDICTS = 1 << 16
_MOST_VERDICTS = 1 << 12


@dataclass(frozen=True)
class PermutedTask:
    """The statistics of the metrics of a task, and whether one metric is better than another.

    Attributes
    ----------
    values : (metrics,) float array
        The mean over the groups that have one; ``nan`` where none has.
    p : (metrics, metrics) float array
        At [a, b] the p-value that a is better than b; ``nan`` for a metric that is constant or has no value.
    nulls : (pairs, draws) float array
        The differences in the draws, of the pairs of metrics in the order of `itertools.combinations`.
    lowest : float
        The smallest value that the coefficient can have; the largest is 1.
    """

    values: FloatArray
    p: FloatArray
    nulls: FloatArray
    lowest: float

    def null(self, a: int, b: int) -> FloatArray:
        """Return the differences of metric a from metric b in the draws: (draws,)."""
        if a > b:
            return -self.null(b, a)
        n = len(self.values)
        # Of a metric from itself there are none.
        return self.nulls[a * n - a * (a + 1) // 2 + b - a - 1] if a < b else np.zeros(self.nulls.shape[1])

    def among(self, metrics: Sequence[int]) -> PermutedTask:
        """Return the task of some metrics, in this order."""
        pairs = [self.null(a, b) for a, b in itertools.combinations(metrics, 2)]
        nulls = np.stack(pairs) if pairs else np.empty((0, self.nulls.shape[1]))
        return PermutedTask(self.values[list(metrics)], self.p[np.ix_(metrics, metrics)], nulls, self.lowest)


def permuted_task(
    scores: npt.ArrayLike,
    human: npt.ArrayLike,
    coefficient: Coefficient,
    average_by: str,
    n: int,
    rng: np.random.Generator,
    *,
    sizes: Sequence[int] | None = None,
) -> PermutedTask:
    """Test between all metrics of a task by exchanging their scores.

    A group without a coefficient is left out of a mean; a draw in which no group has one counts 0.

    Parameters
    ----------
    scores : (metrics, documents, systems) array_like
        High for good, finite where somebody judged. A document may be a segment, or the whole corpus.
    human : (documents, systems) array_like
        High for good; ``nan`` where nobody judged: these cells take no part. Soft pairwise accuracy takes the documents
        of which every system was judged.
    coefficient : Coefficient
    average_by : "item", "system" or "none"
    n : int
        Draws.
    rng : numpy.random.Generator
    sizes : sequence of int, optional
        The numbers of systems of several corpora, which stand side by side: pairs are formed inside a corpus, and right
        ones are counted over all of them. For pairwise accuracy without a threshold.

    Raises
    ------
    ValueError
        If shapes do not fit, a number that counts is not finite, or there is none.
    UsageError
        If `average_by` is unknown, the coefficient cannot be pooled, or there are too many pairs in a group.
    """
    given, people = np.asarray(scores, dtype=np.float64), np.asarray(human, dtype=np.float64)
    if average_by not in AVERAGE_BY[:3]:
        raise UsageError(unknown("average_by", average_by, AVERAGE_BY[:3]))
    fit = people.ndim == 2 and given.ndim == 3 and given.shape[1:] == people.shape
    refuse(not fit, "task_shapes", scores=given, human=people)
    refuse(n < 1, "task_number", n=n)
    if sizes is not None:
        has_pairs = isinstance(coefficient, PairwiseAccuracy) and coefficient.per_right_pair
        refuse(not has_pairs, "task_pooled", given=coefficient)
        refuse(sum(sizes) != people.shape[1] or len(people) != 1, "task_sizes", sizes=sizes, human=people)
    judged = np.isfinite(people)
    if isinstance(coefficient, SoftPairwiseAccuracy):
        judged &= judged.all(axis=1, keepdims=True)
    refuse(not judged.any(), "task_unjudged")
    for name, values in (("human", people[judged]), ("scores", given[:, judged])):
        check_finite(name, values)
    return _Task(given, people, judged, coefficient, average_by, n, rng, sizes).permuted()


@dataclass(frozen=True)
class _Task:
    """What `permuted_task` is given; the statistics of two metrics with exchanged scores are :meth:`_plainly`'s.

    All other ways give its numbers faster.
    """

    scores: FloatArray
    human: FloatArray
    judged: BoolArray
    coefficient: Coefficient
    average_by: str
    n: int
    rng: np.random.Generator
    sizes: Sequence[int] | None

    def permuted(self) -> PermutedTask:
        """Return values, differences and p-values."""
        raw, coefficient = self.scores[:, self.judged], self.coefficient
        constant = (raw == raw[:, :1]).all(axis=1)
        values = self._values(self.scores)
        n_used, standard = None, np.stack(on_one_scale(*raw)) if len(raw) else raw
        if isinstance(coefficient, SoftPairwiseAccuracy):
            rows = self.judged.any(axis=1)
            swaps, grids = self._swaps(standard.shape[1]), self._grids(standard)[:, rows]
            tested = np.where(constant, np.nan, values)
            nulls, n_used = soft_nulls(grids, self.human[rows], coefficient, tested, swaps)
        elif isinstance(coefficient, PairwiseAccuracy) and not coefficient.per_right_pair:
            nulls = self._of_verdicts(raw)
        elif coefficient.per_right_pair is not None:
            nulls = self._of_pairs(standard, coefficient.per_right_pair)
        elif coefficient.of_moments:
            nulls = self._of_moments(standard)
        else:
            nulls = self._plainly(standard)
            # A threshold is in standard deviations here.
            values = np.where(np.isnan(values), values, self._values(self._grids(standard)))
        p = np.full((len(raw), len(raw)), np.nan)
        for pair, (a, b) in enumerate(_pairs(len(raw))):
            if constant[a] or constant[b]:
                nulls[pair] = 0.0
            elif not np.isnan(apart := values[a] - values[b]):
                drawn = nulls[pair] if n_used is None else nulls[pair, : n_used[pair]]
                p[a, b], p[b, a] = both_p(apart, drawn)
        return PermutedTask(self._values(self.scores), p, nulls, coefficient.lowest)

    def _values(self, grids: FloatArray) -> FloatArray:
        """Return the statistics of metrics (metrics, documents, systems): (metrics,)."""
        values = np.full(len(grids), np.nan)
        for place, scores in enumerate(grids):
            if self.sizes is not None:
                people = self.human[self.judged]
                each = [self.coefficient(scores[self.judged][cells], people[cells]) for cells in self._groups()]
                pairs = [cells.size * (cells.shape[1] - 1) for cells in self._groups()]
                means = [one.mean() for one in each]
                values[place] = np.average(means, weights=pairs) if pairs else np.nan
                continue
            rows = self.judged.any(axis=1) if self.coefficient.needs_all_cells else slice(None)
            found = correlate(
                scores[rows], self.human[rows], self.coefficient, self.average_by, where=self.judged[rows]
            )
            values[place] = mean_of_defined(found, axis=0)
        return values

    def _grids(self, flat: FloatArray) -> FloatArray:
        """Arrange scores of cells (..., cells) as (..., documents, systems), with ``nan`` elsewhere."""
        grids = np.full((*flat.shape[:-1], *self.judged.shape), np.nan)
        grids[..., self.judged] = flat
        return grids

    def _groups(self) -> list[IntArray]:
        """Return the cells of the groups that have a pair, (groups, cells), the groups of one size together."""
        numbers = np.full(self.judged.shape, -1)
        numbers[self.judged] = np.arange(self.judged.sum())
        if self.sizes is not None:
            rows = [part.ravel() for part in np.split(numbers, np.cumsum(self.sizes)[:-1], axis=1)]
        else:
            rows = list(in_rows(numbers, self.average_by))
        by_size: dict[int, list[IntArray]] = {}
        for row in rows:
            cells = row[row >= 0]
            if len(cells) > 1:
                by_size.setdefault(len(cells), []).append(cells)
        return [np.stack(cells) for cells in by_size.values()]

    def _swaps(self, n_cells: int) -> Swaps:
        """Draw exchanges of cells."""
        n_bytes = -(-n_cells // 8)
        return Swaps(random_bytes(self.rng, self.n * n_bytes).reshape(self.n, -1), (n_cells, 1), exact=False)

    def _plainly(self, standard: FloatArray) -> FloatArray:
        """Return differences of statistics that are computed from exchanged scores: (pairs, draws)."""
        swaps, people, pairs = self._swaps(standard.shape[1]), self.human[self.judged], _pairs(len(standard))
        nulls = np.zeros((len(pairs), self.n))
        step = max(1, _AT_ONCE // standard.shape[1])
        for rows in parts(self.n, step):
            exchanged = swaps.signs(rows)[:, :, 0] < 0
            for pair, (a, b) in enumerate(pairs):
                for one, other, sign in ((a, b, 1.0), (b, a, -1.0)):
                    nulls[pair, rows] += sign * self._mean(np.where(exchanged, standard[other], standard[one]), people)
        return nulls

    def _mean(self, drawn: FloatArray, people: FloatArray) -> FloatArray:
        """Return the statistics of scores in draws, (draws, cells): (draws,)."""
        if self.coefficient.takes_grid:
            human = self._grids(people)
            found = [float(self.coefficient(grid, human)) for grid in self._grids(drawn)]
            return np.asarray(np.nan_to_num(np.array(found), nan=0.0))
        each = [
            self.coefficient(drawn[:, cells], np.broadcast_to(people[cells], (len(drawn), *cells.shape)))
            for cells in self._groups()
        ]
        together = np.concatenate([np.empty((len(drawn), 0)), *each], axis=1)
        return np.asarray(np.nan_to_num(mean_of_defined(together, axis=1), nan=0.0))

    def _of_pairs(self, standard: FloatArray, scale: float) -> FloatArray:
        """Return differences of statistics that grow by `scale` with the share of right pairs: (pairs, draws)."""
        groups, people, pairs = self._groups(), self.human[self.judged], _pairs(len(standard))
        swaps, nulls = self._swaps(standard.shape[1]), np.zeros((len(pairs), self.n))
        n_groups = sum(map(len, groups))
        n_pairs = sum(cells.size * (cells.shape[1] - 1) for cells in groups)
        # What the right pairs of each group are shares of; whole numbers where it is the same for all of them.
        shares = [
            n_groups * cells.shape[1] * (cells.shape[1] - 1) if self.sizes is None else n_pairs for cells in groups
        ]
        step = max(1, 32 * _VERDICTS // standard.shape[1])
        for part in parts(len(pairs) if groups else 0, step):
            weights = np.zeros((standard.shape[1], len(pairs[part])))
            for cells, share in zip(groups, shares, strict=True):
                for column, (a, b) in enumerate(pairs[part]):
                    moved = exchange_weights(standard[a][cells], standard[b][cells], people[cells])
                    weights[cells, column] = moved * (shares[0] / share)
            nulls[part] = signed_sums(swaps, weights).T * (scale / shares[0])
        return nulls

    def _of_verdicts(self, raw: FloatArray) -> FloatArray:
        """Return differences of accuracies whose verdicts on pairs are exchanged: (pairs, draws)."""
        assert isinstance(self.coefficient, PairwiseAccuracy)
        people, groups = self.human[self.judged], self._groups()
        largest = max((cells.shape[1] for cells in groups), default=0)
        refuse(largest > _MOST_VERDICTS, "task_groups", largest=largest, most=_MOST_VERDICTS)
        given = in_rows(self.human, self.average_by), in_rows(self.judged, self.average_by)
        fitted = [self.coefficient.fitted(in_rows(one, self.average_by), *given).epsilon for one in self.scores]
        epsilons: FloatArray = np.array(fitted, dtype=np.float64)[:, None, None]
        sums = np.zeros((self.n, len(raw)))
        for cells in groups:
            first, later = np.triu_indices(cells.shape[1], 1)
            for places in parts(len(first), _VERDICTS):
                for part in parts(len(cells), max(1, _VERDICTS // len(first))):
                    one, other = cells[part][:, first[places]], cells[part][:, later[places]]
                    apart, human = raw[:, one] - raw[:, other], people[one] - people[other]
                    verdicts = np.where(np.abs(apart) <= epsilons, 0.0, np.sign(apart))
                    right = (verdicts == np.sign(human)).reshape(len(raw), -1).T
                    sums += signed_sums(self._swaps(len(right)), right.astype(np.float64)) / len(first)
        return _differences(sums / sum(map(len, groups)))

    def _of_moments(self, standard: FloatArray) -> FloatArray:
        """Return differences of Pearson's coefficients: (pairs, draws)."""
        n_metrics, people = len(standard), self.human[self.judged]
        swaps = self._swaps(standard.shape[1])
        total, count = np.zeros((self.n, n_metrics, n_metrics)), np.zeros((self.n, n_metrics, n_metrics))
        for cells in self._groups():
            cells = cells[(people[cells] != people[cells[:, :1]]).any(axis=1)]
            human = of_length_one(people[cells])
            step = max(1, _AT_ONCE // max(cells.shape[1], n_metrics**2))
            for rows in parts(self.n, step):
                kept = (swaps.signs(rows, np.float64)[:, :, 0] > 0).astype(np.float64)
                for group, people_of_it in zip(cells, human, strict=True):
                    related = _exchanged_pearson(kept[:, group], standard[:, group], people_of_it)
                    defined = ~np.isnan(related)
                    total[rows] += np.where(defined, related, 0.0)
                    count[rows] += defined
        means = np.divide(total, count, out=total, where=count > 0)
        first, later = np.triu_indices(n_metrics, 1)
        return np.ascontiguousarray((means[:, first, later] - means[:, later, first]).T)


def both_p(apart: float, drawn: FloatArray) -> tuple[float, float]:
    """Return how often a drawn difference is at least as large as the observed one, and as small."""
    larger, smaller = (float((sign * drawn >= sign * apart - _EQUAL).mean()) for sign in (1.0, -1.0))
    return larger, smaller


def _pairs(n: int) -> list[tuple[int, int]]:
    return list(itertools.combinations(range(n), 2))


def _differences(values: FloatArray) -> FloatArray:
    """Return the differences of metrics (draws, metrics) in pairs: (pairs, draws)."""
    first, later = np.triu_indices(values.shape[1], 1)
    return np.ascontiguousarray((values[:, first] - values[:, later]).T)


def _exchanged_pearson(kept: FloatArray, scores: FloatArray, human: FloatArray) -> FloatArray:
    """Return the coefficients of metrics that take the scores of another where they do not keep their own.

    Parameters
    ----------
    kept : (draws, cells) float array
        1 where scores are kept, else 0.
    scores : (metrics, cells) float array
    human : (cells,) float array
        Of mean 0 and length 1.

    Returns
    -------
    (draws, metrics, metrics) float array
        At [:, a, b] that of metric a, which takes scores of b; ``nan`` where all are equal, and where a is b.
    """
    n_metrics, n_cells = scores.shape
    # What all metrics have in common does not matter, and would only cost digits.
    scores = scores - scores.mean()
    powers = np.concatenate([scores, scores * human, np.square(scores)]).T
    own = (kept @ powers).reshape(-1, 3, n_metrics)
    totals = powers.sum(axis=0).reshape(3, n_metrics)
    given = totals - own
    sums = [own[:, k, :, None] + given[:, k, None, :] for k in range(3)]
    least = _CANCELLED / 2.0 * (totals[2][:, None] + totals[2])
    found, same = pearson_of_sums(sums, n_cells, least), np.eye(n_metrics, dtype=bool)
    bad = np.isnan(found) & ~same
    found[:, same] = np.nan
    # Where little is left of large squares, only the scores themselves can decide.
    draws, one, other = np.nonzero(bad)
    if len(draws):
        again = np.where(kept[draws] > 0, scores[one], scores[other])
        found[draws, one, other] = pearson(again, np.broadcast_to(human, again.shape))
    return found
