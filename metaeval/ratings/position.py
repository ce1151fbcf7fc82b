"""Position: what a judge prefers because of where two outputs stand.

A judge that was asked in both orders of the same pairs shows it. Of one that was asked in one order, the share of
verdicts for what stood first is known, which may be high because the better outputs stood there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from metaeval.datamodel.corpus import FloatArray, IntArray
from metaeval.ratings.means import MIN_CLUSTERS, Interval, clustered_mean, mean_interval, share_interval
from metaeval.ratings.table import Ratings
from metaeval.scipy_parts import special


@dataclass(frozen=True)
class Position:
    """The answers of a judge in both orders of the same pairs.

    Attributes
    ----------
    judge : str
    items : int
        Pairs with a verdict in both orders.
    lost : int
        Pairs with a verdict in one order only.
    consistent, first_twice, second_twice, tie_once : Interval
        Shares of pairs: the same output both times, what stood first both times, what stood second both times, a tie
        in one of the orders only.
    preference_for_first : Interval
        From -1, always the second, to 1, always the first.
    p : float
        Of its being 0.
    first_of_decided : float
        The share of verdicts without a tie that are for what stood first.
    accuracy_first, accuracy_swapped : float
        The share of right verdicts in each order; ``nan`` where no truth is known.
    """

    judge: str
    items: int
    lost: int
    consistent: Interval
    first_twice: Interval
    second_twice: Interval
    tie_once: Interval
    preference_for_first: Interval
    p: float
    first_of_decided: float
    accuracy_first: float
    accuracy_swapped: float


@dataclass(frozen=True)
class FirstShare:
    """The share of what stood first among the preferences of a judge that was asked in one order of each pair.

    Attributes
    ----------
    judge : str
    decided, ties : int
        Pairs with a verdict for one output, and for neither.
    lost : int
        Pairs that people rated and the judge did not.
    first : Interval
        The share of the decided ones that are for what stood first.
    people : float
        The same of what people prefer of these pairs, in the order that the judge was shown; of a truth, what is right.
    """

    judge: str
    decided: int
    ties: int
    lost: int
    first: Interval
    people: float


def first_share(ratings: Ratings, rater: int) -> FirstShare | None:
    """Estimate how often a judge prefers what stood first; None if its order is not known, or it was asked in both.

    Parameters
    ----------
    ratings : Ratings
        Of preferences.
    rater : int
    """
    in_order = np.stack([answers_in_order(ratings, rater, shown) for shown in (1, -1)])
    is_answered = ~np.isnan(in_order)
    if not is_answered.any() or is_answered.all(axis=0).any():
        return None
    # 1 for what stood first, and -1 for what stood second.
    by_place = np.where(is_answered[0], in_order[0], -in_order[1])
    is_decided = np.abs(by_place) == 1
    is_person = np.array([kind != "automatic" for kind in ratings.rater_kinds], dtype=bool)[ratings.rater]
    shown = np.where(is_answered[0], 1, -1)[ratings.item]
    of_people = (ratings.value * shown)[is_person & is_decided[ratings.item]]
    of_people = of_people[of_people != 0]
    rated_by_people = np.unique(ratings.item[is_person])
    rated = np.unique(ratings.item[ratings.rater == rater])
    return FirstShare(
        judge=ratings.raters[rater],
        decided=int(is_decided.sum()),
        ties=int((by_place == 0).sum()),
        lost=len(np.setdiff1d(rated_by_people, rated)),
        first=share_interval(np.where(is_decided, (by_place == 1) * 1.0, np.nan), ratings.cluster),
        people=float((of_people > 0).mean()) if len(of_people) else math.nan,
    )


def answers_in_order(ratings: Ratings, rater: int, shown: int) -> FloatArray:
    """Return the preferences of a rater in one order, (items,); ``nan`` where it gave none, 0 where several differ."""
    rows = (ratings.rater == rater) & (ratings.shown == shown)
    counts = np.bincount(ratings.item[rows], minlength=len(ratings.items))
    sums = np.bincount(ratings.item[rows], ratings.value[rows], minlength=len(ratings.items))
    means = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    return np.where(np.abs(means) == 1, means, np.where(np.isnan(means), np.nan, 0.0))


def position_of(ratings: Ratings, rater: int, truth: FloatArray | None = None) -> Position | None:
    """Estimate the effect of the order of two outputs on a judge; None where it was not asked in both orders.

    Parameters
    ----------
    ratings : Ratings
        Of preferences.
    rater : int
    truth : (items,) float array, optional
    """
    first_order = answers_in_order(ratings, rater, 1)
    second_order = answers_in_order(ratings, rater, -1)
    is_answered = ~np.isnan(first_order) & ~np.isnan(second_order)
    if not is_answered.any():
        return None
    cluster = ratings.cluster[is_answered]
    first = first_order[is_answered]
    second = second_order[is_answered]
    for_first = np.concatenate([first[first != 0] == 1, second[second != 0] == -1])
    preference = (first - second) / 2
    return Position(
        judge=ratings.raters[rater],
        items=int(is_answered.sum()),
        lost=int((np.isnan(first_order) != np.isnan(second_order)).sum()),
        consistent=share_interval((first == second) * 1.0, cluster),
        first_twice=share_interval(((first == 1) & (second == -1)) * 1.0, cluster),
        second_twice=share_interval(((first == -1) & (second == 1)) * 1.0, cluster),
        tie_once=share_interval(((first == 0) != (second == 0)) * 1.0, cluster),
        preference_for_first=mean_interval(preference, cluster),
        p=_p_of_zero(preference, cluster),
        first_of_decided=float(for_first.mean()) if len(for_first) else math.nan,
        accuracy_first=_share_right(first_order, truth),
        accuracy_swapped=_share_right(second_order, truth),
    )


def _share_right(answers: FloatArray, truth: FloatArray | None) -> float:
    """Return the share of answers that are right; ``nan`` where no truth is known."""
    if truth is None:
        return math.nan
    is_answered = ~np.isnan(answers)
    return float((answers[is_answered] == truth[is_answered]).mean())


def _p_of_zero(values: FloatArray, cluster: IntArray) -> float:
    mean = clustered_mean(values, cluster)
    if mean.effective < MIN_CLUSTERS or not mean.error > 0:
        return math.nan
    return float(2 * special.stdtr(mean.effective - 1, -abs(mean.value) / mean.error))
