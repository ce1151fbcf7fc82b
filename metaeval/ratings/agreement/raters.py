"""Judges one by one and two by two: who agrees with whom, who gives more or less than others, who decides the order.

All comparisons rest on the same items. A judge's *residual* on an item is his or her score minus the mean of the other
judges there: what is left when the item's quality is taken off.

Cohen's kappa is 1 - (mean difference of the two judges) / (mean difference of any score of the one and any score of
the other). Unweighted, as for labels, two scores differ by 1 unless they are equal (Cohen 1960). Weighted (Cohen 1968),
they differ by their distance (linear) or its square (quadratic); for grades 1, 2, 3, ... these are the usual weights.
Sources, by their keys in `bibliography.toml`: cohen1960, cohen1968.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metaeval.datamodel.corpus import BoolArray, FloatArray, IntArray
from metaeval.datamodel.pooling import mean_of_sums
from metaeval.ratings.agreement.items import ItemJudgments, judgment_pairs
from metaeval.results.agreement import JudgeHabits, Pair


def compare_pairs(judgments: ItemJudgments, min_shared: int) -> list[Pair]:
    """Compare every two judges on the items that both judged; those who share none are no pair.

    Parameters
    ----------
    judgments : ItemJudgments
    min_shared : int
        Pairs with fewer items in common have no coefficients.
    """
    import pandas as pd

    first, second = judgment_pairs(judgments)
    if not len(first):
        return []
    names = judgments.judges
    keys = judgments.judge[first] * len(names) + judgments.judge[second]
    order = np.argsort(keys, kind="stable")
    pairs, starts, counts = np.unique(keys[order], return_index=True, return_counts=True)
    groups = _Groups(starts, counts)
    x, y = judgments.score[first[order]], judgments.score[second[order]]
    ranks = pd.DataFrame({"x": x, "y": y}).groupby(groups.group).rank()
    spearman = groups.pearson(ranks["x"].to_numpy(), ranks["y"].to_numpy())
    columns = [groups.pearson(x, y), spearman, *groups.kappas(x, y), groups.mean(x - y)]
    numbers = np.where(counts >= min_shared, columns, np.nan)
    return [
        Pair(judgments.criterion.name, names[pair // len(names)], names[pair % len(names)], shared, *of_pair)
        for pair, shared, of_pair in zip(pairs.tolist(), counts.tolist(), numbers.T.tolist(), strict=True)
    ]


def cohen_kappas(x: FloatArray, y: FloatArray) -> tuple[float, float, float]:
    """Return unweighted, linear and quadratic kappa of the scores that two judges gave to the same items, (items,).

    ``nan`` where all scores are equal, or there are none.
    """
    if not len(x):
        return np.nan, np.nan, np.nan
    groups = _Groups(np.zeros(1, dtype=np.int64), np.array([len(x)]))
    unweighted, linear, quadratic = (float(kappa[0]) for kappa in groups.kappas(x, y))
    return unweighted, linear, quadratic


@dataclass(frozen=True)
class _Groups:
    """Values that stand together by group, of any sizes; what is calculated for all groups at once is (groups,)."""

    starts: IntArray
    counts: IntArray

    @property
    def group(self) -> IntArray:
        """Return the group of each value: (values,)."""
        return np.repeat(np.arange(len(self.counts)), self.counts)

    def sum(self, x: FloatArray) -> FloatArray:
        """Return the sum of each group."""
        return np.asarray(np.add.reduceat(x, self.starts))

    def mean(self, x: FloatArray) -> FloatArray:
        """Return the mean of each group."""
        return self.sum(x) / self.counts

    def centred(self, x: FloatArray) -> FloatArray:
        """Return values less the mean of their group: (values,)."""
        return np.asarray(x - self.mean(x)[self.group])

    def differ(self, x: FloatArray) -> BoolArray:
        """Return whether any two values of a group differ."""
        return np.asarray(np.minimum.reduceat(x, self.starts) != np.maximum.reduceat(x, self.starts))

    def pearson(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """Return Pearson's correlation in each group; ``nan`` where a side is constant."""
        dx, dy = self.centred(x), self.centred(y)
        norm = np.sqrt(self.sum(dx**2) * self.sum(dy**2))
        return np.clip(_over(self.sum(dx * dy), norm, self.differ(x) & self.differ(y)), -1.0, 1.0)

    def kappas(self, x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return unweighted, linear and quadratic kappa of each group."""
        by_chance = self.mean_distance(x, y)
        spread = self.mean(self.centred(x) ** 2) + self.mean(self.centred(y) ** 2)
        squared = spread + (self.mean(x) - self.mean(y)) ** 2
        unequal = _over(self.mean(x != y), 1.0 - self.share_equal(x, y), by_chance > 0)
        linear = _over(self.mean(np.abs(x - y)), by_chance, by_chance > 0)
        return 1.0 - unequal, 1.0 - linear, 1.0 - _over(self.mean((x - y) ** 2), squared, by_chance > 0)

    def share_equal(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """Return the share of equal pairs among all a of x and all b of y of each group."""
        values, codes = np.unique(np.concatenate([x, y]), return_inverse=True)
        keys = np.tile(self.group, 2) * len(values) + codes
        (of_x, n_x), (of_y, n_y) = (np.unique(half, return_counts=True) for half in (keys[: len(x)], keys[len(x) :]))
        common_keys, in_x, in_y = np.intersect1d(of_x, of_y, assume_unique=True, return_indices=True)
        equal = np.bincount(common_keys // len(values), weights=n_x[in_x] * n_y[in_y], minlength=len(self.counts))
        return np.asarray(equal / np.square(self.counts))

    def mean_distance(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """Return the mean of |a - b| over all a of x and all b of y of each group.

        It is the area between two distribution functions F and G, the integral of F (1 - G) + G (1 - F): memory grows
        with the number of values, not with their pairs.
        """
        values = np.concatenate([x, y])
        group = np.tile(self.group, 2)
        order = np.lexsort((values, group))
        values = values[order]
        group = group[order]
        # Values of each side up to here, from the beginning of the group, whose both sides take twice its place.
        is_x = (order < len(x)).astype(np.float64)
        f = (np.cumsum(is_x) - self.starts[group]) / self.counts[group]
        g = (np.cumsum(1.0 - is_x) - self.starts[group]) / self.counts[group]
        gaps = np.append(np.diff(values), 0.0)
        # Behind the last value of a group both functions are 1, so that the gap to the next group counts nothing.
        both_sides = _Groups(2 * self.starts, 2 * self.counts)
        return both_sides.sum((f * (1.0 - g) + g * (1.0 - f)) * gaps)


def judge_habits(judgments: ItemJudgments, *, confidence_level: float = 0.95) -> list[JudgeHabits]:
    """Describe each judge who has a judgment.

    Parameters
    ----------
    judgments : ItemJudgments
        Where the scale of the criterion is infinite, the lowest and highest score given stand for its ends.
    confidence_level : float
        Of the intervals of `offset` and `drift`, which take residuals for independent of one another.
    """
    score = judgments.score
    judge = judgments.judge
    n_judges = len(judgments.judges)
    criterion = judgments.criterion
    n = np.bincount(judge, minlength=n_judges)
    mean = _over(np.bincount(judge, weights=score, minlength=n_judges), n)
    squares = np.bincount(judge, weights=(score - mean[judge]) ** 2, minlength=n_judges)
    low = criterion.low if np.isfinite(criterion.low) else score.min()
    high = criterion.high if np.isfinite(criterion.high) else score.max()
    extreme = _over(np.bincount(judge, weights=(score == low) | (score == high), minlength=n_judges), n)
    counts = judgments.counts[judgments.item]
    shared = counts > 1
    by = judge[shared]
    position = judgments.position[shared].astype(np.float64)
    totals = np.bincount(judgments.item, weights=score)[judgments.item]
    residual = score[shared] - (totals[shared] - score[shared]) / (counts[shared] - 1)
    columns: list[FloatArray | IntArray] = [
        n,
        mean,
        np.sqrt(_over(squares, n - 1)),
        extreme,
        np.bincount(by, minlength=n_judges),
        *_mean_with_interval(by, residual, n_judges, confidence_level),
        adjusted_offsets(judgments),
        *_slope_with_interval(by, 0.01 * position, residual, n_judges, confidence_level),
    ]
    of_judges = zip(judgments.judges, *(column.tolist() for column in columns), strict=True)
    return [JudgeHabits(criterion.name, name, number, *rest) for name, number, *rest in of_judges if number]


def adjusted_offsets(judgments: ItemJudgments) -> FloatArray:
    """Estimate by how much each judge's scores are higher than those of the others, whoever they shared items with.

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

    n_judges = len(judgments.judges)
    counts = judgments.counts[judgments.item]
    first, second = judgment_pairs(judgments)
    judge_a, judge_b = judgments.judge[first], judgments.judge[second]
    n_shared = np.bincount(judgments.judge[counts > 1], minlength=n_judges)
    # The normal equations, from which the items have been eliminated.
    share = 1.0 / judgments.counts[judgments.item[first]]
    diagonal = np.bincount(judgments.judge, weights=1.0 - 1.0 / counts, minlength=n_judges)
    judges = np.arange(n_judges)
    places = (np.concatenate([judges, judge_a, judge_b]), np.concatenate([judges, judge_b, judge_a]))
    matrix = coo_array((np.concatenate([diagonal, -share, -share]), places), shape=(n_judges, n_judges)).tocsr()
    means = np.bincount(judgments.item, weights=judgments.score) / judgments.counts
    right_side = np.bincount(judgments.judge, weights=judgments.score - means[judgments.item], minlength=n_judges)
    # Of the solutions, which differ by a constant for each group, the shortest is found: its groups have mean 0.
    offsets = lsqr(matrix, right_side, atol=1e-14, btol=1e-14)[0]
    group = connected_components(matrix, directed=False)[1]
    size = np.bincount(group)[group]
    return np.where(n_shared > 0, offsets * size / np.maximum(size - 1, 1), np.nan)


def _over(total: FloatArray | IntArray, count: FloatArray | IntArray, defined: BoolArray | None = None) -> FloatArray:
    """Divide; ``nan`` where it is not defined, by default where the count is not positive."""
    quotient = np.full(len(total), np.nan)
    np.divide(total, count, out=quotient, where=count > 0 if defined is None else defined)
    return quotient


def _mean_with_interval(by: IntArray, x: FloatArray, n_groups: int, confidence_level: float) -> list[FloatArray]:
    """Return the mean of each group, and the ends of its interval: (groups,) arrays."""
    n = np.bincount(by, minlength=n_groups)
    mean = _over(np.bincount(by, weights=x, minlength=n_groups), n)
    squares = np.bincount(by, weights=(x - mean[by]) ** 2, minlength=n_groups)
    error = np.sqrt(_over(_over(squares, n - 1), n))
    return _with_interval(mean, error, n - 1, confidence_level)


def _slope_with_interval(
    by: IntArray, x: FloatArray, y: FloatArray, n_groups: int, confidence_level: float
) -> list[FloatArray]:
    """Return the least-squares slope of y on x in each group, and the ends of its interval: (groups,) arrays."""
    n = np.bincount(by, minlength=n_groups)
    dx = x - _over(np.bincount(by, weights=x, minlength=n_groups), n)[by]
    dy = y - _over(np.bincount(by, weights=y, minlength=n_groups), n)[by]
    xx = np.bincount(by, weights=dx * dx, minlength=n_groups)
    slope = _over(np.bincount(by, weights=dx * dy, minlength=n_groups), np.where(n > 1, xx, 0.0))
    residual_squares = np.bincount(by, weights=(dy - slope[by] * dx) ** 2, minlength=n_groups)
    error = np.sqrt(_over(_over(residual_squares, n - 2), xx))
    return _with_interval(slope, error, n - 2, confidence_level)


def _with_interval(
    values: FloatArray, error: FloatArray, freedom: IntArray, confidence_level: float
) -> list[FloatArray]:
    """Return values and the ends of their intervals by Student's t, ``nan`` without a degree of freedom."""
    from scipy.special import stdtrit

    half = error * np.where(freedom > 0, stdtrit(np.maximum(freedom, 1), 0.5 + confidence_level / 2.0), np.nan)
    return [values, values - half, values + half]


def means_without_judges(judgments: ItemJudgments) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return the means of the systems with all judges and without each.

    A system's mean is that of its judged items' means.

    Returns
    -------
    (systems,) float array
        From all judges; ``nan`` for a system without judgments.
    (judges, systems) float array
        Without each judge; items that nobody else judged are missing then.
    (judges,) int array
        How many those are.
    """
    totals = np.bincount(judgments.item, weights=judgments.score, minlength=len(judgments.counts))
    values = totals / np.maximum(judgments.counts, 1)
    shape = (len(judgments.judges), len(judgments.systems))
    sums = np.bincount(judgments.system, weights=values, minlength=shape[1])
    n_items = np.bincount(judgments.system, minlength=shape[1])
    # An item changes for its own judges only.
    counts = judgments.counts[judgments.item]
    is_only = counts == 1
    others = np.where(is_only, 0.0, (totals[judgments.item] - judgments.score) / np.maximum(counts - 1, 1))
    places = np.ravel_multi_index((judgments.judge, judgments.system[judgments.item]), shape)
    size = shape[0] * shape[1]
    change = np.bincount(places, weights=others - values[judgments.item], minlength=size).reshape(shape)
    lost = np.bincount(places, weights=is_only, minlength=size).reshape(shape)
    # Means that are mathematically equal are made equal: a tie is no change of places.
    scale = float(np.abs(judgments.score).max(initial=0.0))
    with_all = mean_of_sums(np.stack([sums, n_items], axis=-1), scale)
    without = mean_of_sums(np.stack([sums + change, n_items - lost], axis=-1), scale)
    return with_all, without, lost.sum(axis=1).astype(np.int64)
