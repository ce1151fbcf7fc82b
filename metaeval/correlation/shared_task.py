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

How the differences of others are computed is in `metaeval.correlation.exchanges`.

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

from metaeval.components.coefficient import Coefficient
from metaeval.correlation.array_helpers import on_one_scale, parts
from metaeval.correlation.averages import arrange_rows, correlate, mean_of_defined
from metaeval.correlation.exchanges import Exchange, groups_of
from metaeval.correlation.pairwise_accuracy import PairwiseAccuracy
from metaeval.correlation.permutation import AVERAGE_BY
from metaeval.correlation.sign_sums import signed_sums
from metaeval.correlation.soft_pairwise_accuracy import SoftPairwiseAccuracy
from metaeval.correlation.soft_pairwise_nulls import soft_nulls
from metaeval.correlation.tolerances import EQUAL_EXCHANGED
from metaeval.datamodel.array_checks import check_finite
from metaeval.datamodel.corpus import BoolArray, FloatArray, IntArray
from metaeval.datamodel.resampling import Swaps
from metaeval.errors import UsageError, unknown
from metaeval.runtime.randomness import random_bytes

# Verdicts on pairs in a batch, and scores of a group whose pairs are exchanged, at most.
_BATCH_VERDICTS = 1 << 16
_MAX_SCORES_OF_VERDICTS = 1 << 12


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
    metrics = np.asarray(scores, dtype=np.float64)
    people = np.asarray(human, dtype=np.float64)
    if average_by not in AVERAGE_BY[:3]:
        raise UsageError(unknown("average_by", average_by, AVERAGE_BY[:3]))
    fit = people.ndim == 2 and metrics.ndim == 3 and metrics.shape[1:] == people.shape
    if not fit:
        raise ValueError(
            "`scores` must be (metrics, documents, systems) and `human` (documents, systems); got the shapes "
            f"{metrics.shape} and {people.shape}."
        )
    if n < 1:
        raise ValueError(f"`n` must be at least 1; got {n}.")
    if sizes is not None:
        has_pairs = isinstance(coefficient, PairwiseAccuracy) and coefficient.per_right_pair
        if not has_pairs:
            raise UsageError(
                "only the pairs of 'pairwise-accuracy' are pooled over corpora; got the coefficient "
                f"{coefficient.name!r}. Average the tasks of the corpora instead."
            )
        if sum(sizes) != people.shape[1] or len(people) != 1:
            raise ValueError(f"`sizes` must add up to the systems of one document; got {sizes} for {people.shape}.")
    if coefficient.changes_with_scale:
        raise UsageError(
            f"the test of a task puts all metrics on one scale, with which the coefficient {coefficient.title!r} may "
            "change. Of a function that does not change, say so: its attribute `changes_with_scale` is False."
        )
    judged = np.isfinite(people)
    if isinstance(coefficient, SoftPairwiseAccuracy):
        judged &= judged.all(axis=1, keepdims=True)
    if not judged.any():
        raise ValueError("`human` must hold scores; none is finite that counts.")
    for name, values in (("human", people[judged]), ("scores", metrics[:, judged])):
        check_finite(name, values)
    return _Task(metrics, people, judged, coefficient, average_by, n, rng, sizes).permuted()


@dataclass(frozen=True)
class _Task:
    """Hold the arguments of `permuted_task`, and make its test of them."""

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
        raw = self.scores[:, self.judged]
        coefficient = self.coefficient
        constant = (raw == raw[:, :1]).all(axis=1)
        values = self._values(self.scores)
        n_used = None
        standard = np.stack(on_one_scale(*raw)) if len(raw) else raw
        if isinstance(coefficient, SoftPairwiseAccuracy):
            rows = self.judged.any(axis=1)
            swaps = self._swaps(standard.shape[1])
            grids = self._grids(standard)[:, rows]
            tested = np.where(constant, np.nan, values)
            nulls, n_used = soft_nulls(grids, self.human[rows], coefficient, tested, swaps)
        elif isinstance(coefficient, PairwiseAccuracy) and not coefficient.per_right_pair:
            nulls = self._verdict_differences(raw)
        else:
            nulls = self._exchange(standard).differences()
            if coefficient.per_right_pair is None and not coefficient.of_moments:
                # A threshold is in standard deviations here.
                values = np.where(np.isnan(values), values, self._values(self._grids(standard)))
        p = np.full((len(raw), len(raw)), np.nan)
        for pair, (a, b) in enumerate(_pairs(len(raw))):
            if constant[a] or constant[b]:
                nulls[pair] = 0.0
            elif not np.isnan(difference := values[a] - values[b]):
                drawn = nulls[pair] if n_used is None else nulls[pair, : n_used[pair]]
                p[a, b], p[b, a] = both_p(difference, drawn)
        return PermutedTask(self._values(self.scores), p, nulls, coefficient.lowest)

    def _values(self, grids: FloatArray) -> FloatArray:
        """Return the statistics of metrics (metrics, documents, systems): (metrics,)."""
        values = np.full(len(grids), np.nan)
        for number, scores in enumerate(grids):
            if self.sizes is not None:
                people = self.human[self.judged]
                each = [self.coefficient(scores[self.judged][cells], people[cells]) for cells in self._groups()]
                pairs = [cells.size * (cells.shape[1] - 1) for cells in self._groups()]
                means = [values.mean() for values in each]
                values[number] = np.average(means, weights=pairs) if pairs else np.nan
                continue
            rows = self.judged.any(axis=1) if self.coefficient.needs_all_cells else slice(None)
            coefficients = correlate(
                scores[rows], self.human[rows], self.coefficient, self.average_by, where=self.judged[rows]
            )
            values[number] = mean_of_defined(coefficients, axis=0)
        return values

    def _grids(self, flat: FloatArray) -> FloatArray:
        """Arrange scores of cells (..., cells) as (..., documents, systems), with ``nan`` elsewhere."""
        grids = np.full((*flat.shape[:-1], *self.judged.shape), np.nan)
        grids[..., self.judged] = flat
        return grids

    def _groups(self) -> list[IntArray]:
        """Return the cells of the groups that have a pair, (groups, cells), the groups of one size together."""
        return groups_of(self.judged, self.average_by, self.sizes)

    def _swaps(self, n_cells: int) -> Swaps:
        """Draw exchanges of cells."""
        n_bytes = -(-n_cells // 8)
        return Swaps(random_bytes(self.rng, self.n * n_bytes).reshape(self.n, -1), (n_cells, 1), exact=False)

    def _exchange(self, standard: FloatArray) -> Exchange:
        """Return the metrics, with scores (metrics, cells), whose cells are exchanged one by one."""
        n_cells = standard.shape[1]
        return Exchange(
            standard,
            self.human[self.judged],
            self.judged,
            self._groups(),
            self.coefficient,
            self._swaps(n_cells),
            np.arange(n_cells),
            needs_both_metrics=False,
            pools_pairs=self.sizes is not None,
        )

    def _verdict_differences(self, raw: FloatArray) -> FloatArray:
        """Return differences of accuracies whose verdicts on pairs are exchanged: (pairs, draws)."""
        assert isinstance(self.coefficient, PairwiseAccuracy)
        people = self.human[self.judged]
        groups = self._groups()
        largest = max((cells.shape[1] for cells in groups), default=0)
        if largest > _MAX_SCORES_OF_VERDICTS:
            raise UsageError(
                "the test of a task exchanges every pair of a group of a coefficient with a threshold, and a group has "
                f'{largest} scores (at most {_MAX_SCORES_OF_VERDICTS}); choose average_by = "item".'
            )
        human_rows = arrange_rows(self.human, self.average_by), arrange_rows(self.judged, self.average_by)
        fitted = [
            self.coefficient.fitted(arrange_rows(grid, self.average_by), *human_rows).epsilon for grid in self.scores
        ]
        epsilons: FloatArray = np.array(fitted, dtype=np.float64)[:, None, None]
        sums = np.zeros((self.n, len(raw)))
        for cells in groups:
            first, later = np.triu_indices(cells.shape[1], 1)
            for places in parts(len(first), _BATCH_VERDICTS):
                for part in parts(len(cells), max(1, _BATCH_VERDICTS // len(first))):
                    first_cells = cells[part][:, first[places]]
                    second_cells = cells[part][:, later[places]]
                    differences = raw[:, first_cells] - raw[:, second_cells]
                    human_differences = people[first_cells] - people[second_cells]
                    verdicts = np.where(np.abs(differences) <= epsilons, 0.0, np.sign(differences))
                    right = (verdicts == np.sign(human_differences)).reshape(len(raw), -1).T
                    sums += signed_sums(self._swaps(len(right)), right.astype(np.float64)) / len(first)
        return _differences(sums / sum(map(len, groups)))


def both_p(observed: float, drawn: FloatArray) -> tuple[float, float]:
    """Return the shares of drawn differences that are at least as large as the observed one, and as small."""
    larger, smaller = (float((sign * drawn >= sign * observed - EQUAL_EXCHANGED).mean()) for sign in (1.0, -1.0))
    return larger, smaller


def _pairs(n: int) -> list[tuple[int, int]]:
    return list(itertools.combinations(range(n), 2))


def _differences(values: FloatArray) -> FloatArray:
    """Return the differences of metrics (draws, metrics) in pairs: (pairs, draws)."""
    first, later = np.triu_indices(values.shape[1], 1)
    return np.ascontiguousarray((values[:, first] - values[:, later]).T)
