"""Judges one by one and two by two: who agrees with whom, who gives more or less than others, who decides the order.

All comparisons rest on the same items. A judge's *residual* on an item is his or her score minus the mean of the other
judges there: what is left when the item's quality is taken off.

Weighted kappa is 1 - (mean difference of the two judges) / (mean difference of any score of the one and any score of
the other), with differences of the scores as they are (linear) or squared (quadratic); for grades 1, 2, 3, ... these
are the usual weights (Cohen 1968, by its key in `bibliography.toml`: cohen1968).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metaeval.judgments.agreement import ItemJudgments, judgment_pairs
from metaeval.pooling import settle
from metaeval.records import BoolArray, FloatArray, IntArray


@dataclass(frozen=True)
class PairAgreement:
    """The pairs of judges that have an item in common; all arrays are (pairs,).

    Attributes
    ----------
    first, second : int arrays
        Indices of judges.
    n_shared : int array
        Items that both judged.
    pearson, spearman, kappa_linear, kappa_quadratic : float arrays
        ``nan`` where fewer items are shared than asked for, or where a judge gave the same score to all of them (for
        kappa: where both gave the same one score).
    difference : float array
        Mean of the first judge's scores minus those of the second; ``nan`` where fewer items are shared.
    """

    first: IntArray
    second: IntArray
    n_shared: IntArray
    pearson: FloatArray
    spearman: FloatArray
    kappa_linear: FloatArray
    kappa_quadratic: FloatArray
    difference: FloatArray

    def __len__(self) -> int:
        return len(self.first)


def pair_agreement(judgments: ItemJudgments, min_shared: int) -> PairAgreement:
    """Compare every two judges on the items that both judged.

    Parameters
    ----------
    judgments : ItemJudgments
    min_shared : int
        Pairs with fewer items in common have no coefficients.
    """
    one, other = judgment_pairs(judgments)
    if not len(one):
        none, nothing = np.empty(0, dtype=np.int64), np.empty(0)
        return PairAgreement(none, none, none, nothing, nothing, nothing, nothing, nothing)
    keys = judgments.judge[one].astype(np.int64) * judgments.n_judges + judgments.judge[other]
    order = np.argsort(keys, kind="stable")
    found, starts, counts = np.unique(keys[order], return_index=True, return_counts=True)
    first, second = np.divmod(found, judgments.n_judges)
    groups = _Groups(starts, counts)
    x, y = judgments.score[one[order]], judgments.score[other[order]]
    linear, quadratic = _kappas(groups, x, y)
    difference = groups.mean(x - y)
    columns = [
        _pearson(groups, x, y),
        _pearson(groups, groups.midranks(x), groups.midranks(y)),
        linear,
        quadratic,
        difference,
    ]
    return PairAgreement(first, second, counts, *(np.where(counts >= min_shared, column, np.nan) for column in columns))


@dataclass(frozen=True)
class _Groups:
    """Values that stand together by group."""

    starts: IntArray
    counts: IntArray

    @property
    def of(self) -> IntArray:
        """Return the group of each value: (values,)."""
        return np.repeat(np.arange(len(self.counts)), self.counts)

    def sum(self, x: FloatArray) -> FloatArray:
        """Return the sum of each group: (groups,)."""
        return np.asarray(np.add.reduceat(x, self.starts))

    def mean(self, x: FloatArray) -> FloatArray:
        """Return the mean of each group: (groups,)."""
        return self.sum(x) / self.counts

    def centred(self, x: FloatArray) -> FloatArray:
        """Return values less the mean of their group: (values,)."""
        return np.asarray(x - self.mean(x)[self.of])

    def constant(self, x: FloatArray) -> BoolArray:
        """Return whether all values of a group are equal: (groups,)."""
        return np.asarray(np.minimum.reduceat(x, self.starts) == np.maximum.reduceat(x, self.starts))

    def midranks(self, x: FloatArray) -> FloatArray:
        """Return the ranks within each group; equal values share the mean of their ranks: (values,)."""
        of = self.of
        order = np.lexsort((x, of))
        same = np.concatenate([[False], (np.diff(x[order]) == 0) & (np.diff(of[order]) == 0)])
        run = np.cumsum(~same) - 1
        places = np.arange(len(x), dtype=np.float64)
        means = np.bincount(run, weights=places) / np.bincount(run)
        ranks = np.empty(len(x))
        ranks[order] = means[run]
        return ranks - self.starts[of] + 1.0


def _pearson(groups: _Groups, x: FloatArray, y: FloatArray) -> FloatArray:
    """Return Pearson's correlation in each group: (groups,); ``nan`` where a side is constant."""
    dx, dy = groups.centred(x), groups.centred(y)
    norm = np.sqrt(groups.sum(dx**2) * groups.sum(dy**2))
    r = np.full(len(groups.counts), np.nan)
    np.divide(groups.sum(dx * dy), norm, out=r, where=~(groups.constant(x) | groups.constant(y)))
    return np.asarray(np.clip(r, -1.0, 1.0))


def _kappas(groups: _Groups, x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return linear and quadratic kappa of each group: two (groups,) arrays."""
    n = len(groups.counts)
    by_chance = _mean_distance(groups, x, y)
    linear, quadratic = np.full(n, np.nan), np.full(n, np.nan)
    np.divide(groups.mean(np.abs(x - y)), by_chance, out=linear, where=by_chance > 0)
    spread = groups.mean(groups.centred(x) ** 2) + groups.mean(groups.centred(y) ** 2)
    squared = spread + (groups.mean(x) - groups.mean(y)) ** 2
    np.divide(groups.mean((x - y) ** 2), squared, out=quadratic, where=by_chance > 0)
    return 1.0 - linear, 1.0 - quadratic


def _mean_distance(groups: _Groups, x: FloatArray, y: FloatArray) -> FloatArray:
    """Return the mean of |a - b| over all a of x and all b of y of each group: (groups,).

    It is the area between two distribution functions F and G, the integral of F (1 - G) + G (1 - F): memory grows with
    the number of values, not with their pairs.
    """
    values = np.concatenate([x, y])
    of = np.concatenate([groups.of, groups.of])
    order = np.lexsort((values, of))
    values, of = values[order], of[order]
    is_x = (order < len(x)).astype(np.float64)
    counts = groups.counts[of]
    # Values of each side up to here, from the beginning of the group, whose both sides take twice its place.
    below_x = np.cumsum(is_x) - groups.starts[of]
    below_y = np.cumsum(1.0 - is_x) - groups.starts[of]
    f, g = below_x / counts, below_y / counts
    gaps = np.append(np.diff(values), 0.0)
    # Behind the last value of a group both functions are 1, so that the gap to the next group counts nothing.
    both = _Groups(2 * groups.starts, 2 * groups.counts)
    return both.sum((f * (1.0 - g) + g * (1.0 - f)) * gaps)


@dataclass(frozen=True)
class JudgeHabits:
    """What is remarkable in single judges; all arrays are (judges,).

    Attributes
    ----------
    n : int array
        Judgments.
    mean, sd : float arrays
        Of the scores; `sd` with n - 1, ``nan`` for a single one.
    extreme : float array
        Share of scores at either end of the scale.
    n_shared : int array
        Judgments of items that others judged too.
    offset, offset_lower, offset_upper : float arrays
        Mean residual: how much higher than the others' the judge's scores are on the same items, with an interval by
        Student's t.
    adjusted : float array
        The same where all judges had judged all items of their group: see :func:`adjusted_offsets`.
    drift, drift_lower, drift_upper : float arrays
        Slope of the residual against the place among the judge's judgments, for 100 judgments, with an interval by
        Student's t. It presumes that the file keeps the order of judging.
    """

    n: IntArray
    mean: FloatArray
    sd: FloatArray
    extreme: FloatArray
    n_shared: IntArray
    offset: FloatArray
    offset_lower: FloatArray
    offset_upper: FloatArray
    adjusted: FloatArray
    drift: FloatArray
    drift_lower: FloatArray
    drift_upper: FloatArray


def judge_habits(judgments: ItemJudgments, low: float, high: float, *, confidence_level: float = 0.95) -> JudgeHabits:
    """Describe each judge.

    Parameters
    ----------
    judgments : ItemJudgments
    low, high : float
        The ends of the scale; where they are infinite, the lowest and highest score given stand for them.
    confidence_level : float
        Of the intervals of `offset` and `drift`, which take residuals for independent of one another.

    Returns
    -------
    JudgeHabits
        For all judges of the corpus; those without a judgment have n = 0 and ``nan``.
    """
    score, judge, n_judges = judgments.score, judgments.judge, judgments.n_judges
    n = np.bincount(judge, minlength=n_judges)
    mean = _over(np.bincount(judge, weights=score, minlength=n_judges), n)
    squares = np.bincount(judge, weights=(score - mean[judge]) ** 2, minlength=n_judges)
    ends = (
        low if np.isfinite(low) else float(score.min(initial=np.inf)),
        high if np.isfinite(high) else float(score.max(initial=-np.inf)),
    )
    extreme = _over(np.bincount(judge, weights=(score == ends[0]) | (score == ends[1]), minlength=n_judges), n)
    counts = judgments.counts[judgments.item]
    shared = counts > 1
    by, x = judge[shared], judgments.position[shared].astype(np.float64)
    totals = np.bincount(judgments.item, weights=score)[judgments.item]
    residual = score[shared] - (totals[shared] - score[shared]) / (counts[shared] - 1)
    offset, offset_half, n_shared = _mean_with_interval(by, residual, n_judges, confidence_level)
    drift, drift_half = _slope_with_interval(by, 0.01 * x, residual, n_judges, confidence_level)
    return JudgeHabits(
        n,
        mean,
        np.sqrt(_over(squares, n - 1)),
        extreme,
        n_shared,
        offset,
        offset - offset_half,
        offset + offset_half,
        adjusted_offsets(judgments),
        drift,
        drift - drift_half,
        drift + drift_half,
    )


def adjusted_offsets(judgments: ItemJudgments) -> FloatArray:
    """Return how much higher each judge's scores are than those of the others, whoever they shared items with.

    A judge who met severe partners only looks lenient beside them. So a score is taken for the sum of what the item
    deserves and what is the judge's own, and these are fitted by least squares. A judge's own part less the mean of
    those of all others in the group (judges who are connected by items in common, see `Design`) is the same as the mean
    residual where all of them judged all items.

    Returns
    -------
    (judges,) float array
        ``nan`` for a judge without an item in common with another.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components
    from scipy.sparse.linalg import lsqr

    n_judges, counts = judgments.n_judges, judgments.counts[judgments.item]
    first, second = judgment_pairs(judgments)
    a, b = judgments.judge[first], judgments.judge[second]
    n_shared = np.bincount(judgments.judge[counts > 1], minlength=n_judges)
    # The normal equations, from which the items have been eliminated.
    share = 1.0 / judgments.counts[judgments.item[first]]
    own = np.bincount(judgments.judge, weights=1.0 - 1.0 / counts, minlength=n_judges)
    judges = np.arange(n_judges)
    places = (np.concatenate([judges, a, b]), np.concatenate([judges, b, a]))
    matrix = coo_array((np.concatenate([own, -share, -share]), places), shape=(n_judges, n_judges)).tocsr()
    means = np.bincount(judgments.item, weights=judgments.score) / judgments.counts
    right = np.bincount(judgments.judge, weights=judgments.score - means[judgments.item], minlength=n_judges)
    # Of the solutions, which differ by a constant for each group, the shortest is found: its groups have mean 0.
    parts = lsqr(matrix, right, atol=1e-14, btol=1e-14)[0]
    group = connected_components(matrix, directed=False)[1]
    size = np.bincount(group)[group]
    return np.where(n_shared > 0, parts * size / np.maximum(size - 1, 1), np.nan)


def _over(total: FloatArray | IntArray, count: FloatArray | IntArray) -> FloatArray:
    """Divide; ``nan`` where the count is not positive."""
    quotient = np.full(len(total), np.nan)
    np.divide(total, count, out=quotient, where=count > 0)
    return quotient


def _mean_with_interval(
    by: IntArray, x: FloatArray, n_groups: int, confidence_level: float
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return the mean of each group, half the width of its interval, and the sizes: three (groups,) arrays."""
    n = np.bincount(by, minlength=n_groups)
    mean = _over(np.bincount(by, weights=x, minlength=n_groups), n)
    squares = np.bincount(by, weights=(x - mean[by]) ** 2, minlength=n_groups)
    error = np.sqrt(_over(_over(squares, n - 1), n))
    return mean, error * _quantile(n - 1, confidence_level), n


def _slope_with_interval(
    by: IntArray, x: FloatArray, y: FloatArray, n_groups: int, confidence_level: float
) -> tuple[FloatArray, FloatArray]:
    """Return the least-squares slope of y on x in each group, and half the width of its interval: (groups,) arrays."""
    n = np.bincount(by, minlength=n_groups)
    dx = x - _over(np.bincount(by, weights=x, minlength=n_groups), n)[by]
    dy = y - _over(np.bincount(by, weights=y, minlength=n_groups), n)[by]
    xx = np.bincount(by, weights=dx * dx, minlength=n_groups)
    slope = _over(np.bincount(by, weights=dx * dy, minlength=n_groups), np.where(n > 1, xx, 0.0))
    left = np.bincount(by, weights=(dy - slope[by] * dx) ** 2, minlength=n_groups)
    error = np.sqrt(_over(_over(left, n - 2), xx))
    return slope, error * _quantile(n - 2, confidence_level)


def _quantile(freedom: IntArray, confidence_level: float) -> FloatArray:
    """Return the quantile of Student's t for a two-sided interval: (n,); ``nan`` without a degree of freedom."""
    from scipy.special import stdtrit

    return np.asarray(np.where(freedom > 0, stdtrit(np.maximum(freedom, 1), 0.5 + confidence_level / 2.0), np.nan))


def is_sorted(judgments: ItemJudgments) -> bool:
    """Return whether every judge's judgments stand in the file by system or by segment, as a table that was sorted."""
    order = np.lexsort((judgments.position, judgments.judge))
    judge = judgments.judge[order]
    system = judgments.system[judgments.item[order]].astype(np.int64)
    segment = judgments.segment[judgments.item[order]].astype(np.int64)
    same = np.diff(judge) == 0
    by_system = np.diff(system * judgments.n_segments + segment) > 0
    by_segment = np.diff(segment * judgments.n_systems + system) > 0
    return bool(by_system[same].all() or by_segment[same].all())


@dataclass(frozen=True)
class LeftOut:
    """The means of the systems, from all judges and without each of them.

    Attributes
    ----------
    means : (systems,) float array
        The mean over a system's judged items of the items' means; ``nan`` for a system without judgments.
    without : (judges, systems) float array
        The same without each judge; items that nobody else judged are missing then.
    items_lost : (judges,) int array
        How many those are.
    """

    means: FloatArray
    without: FloatArray
    items_lost: IntArray


def leave_judges_out(judgments: ItemJudgments) -> LeftOut:
    """Return the means of the systems with all judges and without each."""
    totals = np.bincount(judgments.item, weights=judgments.score, minlength=len(judgments.counts))
    values = totals / np.maximum(judgments.counts, 1)
    sums = np.bincount(judgments.system, weights=values, minlength=judgments.n_systems)
    n_items = np.bincount(judgments.system, minlength=judgments.n_systems)
    # An item changes for its own judges only.
    counts = judgments.counts[judgments.item]
    alone = counts == 1
    others = np.where(alone, 0.0, (totals[judgments.item] - judgments.score) / np.maximum(counts - 1, 1))
    shape = (judgments.n_judges, judgments.n_systems)
    places = np.ravel_multi_index((judgments.judge, judgments.system[judgments.item]), shape)
    size = shape[0] * shape[1]
    change = np.bincount(places, weights=others - values[judgments.item], minlength=size).reshape(shape)
    lost = np.bincount(places, weights=alone, minlength=size).reshape(shape)
    left = n_items - lost
    without = np.divide(sums + change, left, out=np.full(shape, np.nan), where=left > 0)
    # Means that are mathematically equal are made equal: a tie is no change of places.
    scale = float(np.abs(judgments.score).max(initial=0.0))
    return LeftOut(
        settle(_over(sums, n_items), scale), settle(without, scale), np.asarray(lost.sum(axis=1).astype(np.int64))
    )
