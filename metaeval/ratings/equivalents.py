"""Person equivalents: the mean of how many people is as correlated with the truth as an automatic judge.

With b the covariance of the judge with a person, c that of two people, w and v the variances of the judge and of a
person, all of deviations from each rater's own mean, the squared correlation of the judge with the truth that people
share is B / c, B = b² / w. The mean of k people of reliability r = c / v has k r / (1 + (k - 1) r). Where the two are
equal, k = B (v - c) / (c (c - B)).

Sources
-------
In `bibliography.toml`: fieller1954 (intervals of a ratio); spearman1910 and brown1910 (means of several raters).
"""

from __future__ import annotations

import math

import numpy as np

from metaeval.correlation.standard_error import effective
from metaeval.correlation.tolerances import EQUAL
from metaeval.datamodel.corpus import BoolArray, FloatArray, IntArray
from metaeval.ratings.likeness import PeopleRatings
from metaeval.ratings.means import CONFIDENCE_LEVEL, MIN_CLUSTERS, Interval, few_clusters
from metaeval.scipy_parts import special

# With fewer items, intervals held too seldom in the calibration.
MIN_ITEMS = 50
# Of more labels than this there is no person equivalent: each of them would be too rare.
MAX_LABELS = 20
_MAX_ROUNDS = 500
_CONVERGENCE_TOLERANCE = 1e-10


def person_equivalents(
    answers: FloatArray,
    people: PeopleRatings,
    cluster: IntArray,
    *,
    are_people: bool = True,
    is_label: bool = False,
) -> Interval:
    """Return to how many people a judge is equivalent, with Fieller's interval, whose upper end may be infinite.

    Parameters
    ----------
    answers : (items,) float array
        Those of the judge, ``nan`` where there is none.
    people : PeopleRatings
    cluster : (items,) int array
    are_people : bool
        Whether a rater is one person with a mean of its own, and not a place in a crowd.
    is_label : bool
        Whether values are labels, each of which is then a variable of its own.
    """
    use = ~np.isnan(answers) & (people.counts > 1)
    chosen = people.where(use)
    if not use.any():
        return Interval(math.nan, missing_because="no item has a judge and two people")
    n_clusters = round(effective(cluster[use]))
    n_items = int(use.sum())
    if n_clusters < MIN_CLUSTERS:
        too_few = f"{few_clusters(n_clusters)}, {MIN_CLUSTERS} are needed"
        return Interval(math.nan, missing_because=too_few)
    if n_items < MIN_ITEMS:
        return Interval(math.nan, missing_because=f"{n_items} items are too few, {MIN_ITEMS} are needed")
    labels = np.unique(chosen.value) if is_label else np.zeros(0)
    if len(labels) > MAX_LABELS:
        return Interval(math.nan, missing_because=f"{len(labels)} labels are too many, at most {MAX_LABELS} allow it")
    moments = moments_by_item(answers, chosen, use, labels, are_people=are_people)
    return _equivalents(moments, cluster[use], n_clusters)


def moments_by_item(
    answers: FloatArray,
    people: PeopleRatings,
    use: BoolArray,
    labels: FloatArray,
    *,
    are_people: bool = True,
    around_zero: bool = False,
) -> FloatArray:
    """Return the products b, c, w and v of each item that is used, (items, 4); those of labels are summed.

    Parameters
    ----------
    answers : (items,) float array
        Those of the judge.
    people : PeopleRatings
        Of the items that are used alone.
    use : (items,) bool array
        Items with an answer of the judge and two people or more.
    labels : (labels,) float array
        Values that are variables of their own; empty where values are numbers.
    are_people : bool
        Whether each rater has a mean of its own.
    around_zero : bool
        Whether products are of the values themselves, and not of deviations from the means of raters.
    """
    items = np.flatnonzero(use)
    new_number = np.full(people.n_items, -1)
    new_number[items] = np.arange(len(items))
    item = new_number[people.item]
    n = people.counts[items].astype(float)
    total = np.zeros((len(items), 4))
    for label in labels.tolist() or [None]:
        judge = answers[items] if label is None else (answers[items] == label) * 1.0
        value = people.value if label is None else (people.value == label) * 1.0
        if not around_zero:
            judge = judge - judge.mean()
            value = value - _rater_offsets(value, item, people.rater if are_people else np.zeros_like(people.rater), n)
        sums = np.bincount(item, value, minlength=len(items))
        squares = np.bincount(item, value**2, minlength=len(items))
        total += np.stack([judge * sums / n, (sums**2 - squares) / (n * (n - 1)), judge**2, squares / n], axis=1)
    return total


def _rater_offsets(value: FloatArray, item: IntArray, rater: IntArray, n: FloatArray) -> FloatArray:
    """Return for each rating the mean of its rater, by least squares of item and rater: items may be incomplete."""
    raters, codes = np.unique(rater, return_inverse=True)
    counts = np.bincount(codes).astype(float)
    offset = np.zeros(len(raters))
    level = np.zeros(len(n))
    for _ in range(_MAX_ROUNDS):
        level = np.bincount(item, value - offset[codes], minlength=len(n)) / n
        previous = offset
        offset = np.bincount(codes, value - level[item]) / counts
        if np.abs(offset - previous).max(initial=0.0) < _CONVERGENCE_TOLERANCE:
            break
    rater_means: FloatArray = offset[codes] + level.mean()
    return rater_means


def _equivalents(moments: FloatArray, cluster: IntArray, n_clusters: int) -> Interval:
    """Return k of the mean moments, and the set of k at which B (v - c) - k c (c - B) is not significantly not 0."""
    b, c, w, v = moments.mean(axis=0).tolist()
    codes = np.unique(cluster, return_inverse=True)[1]
    deviations = moments - moments.mean(axis=0)
    sums = np.stack([np.bincount(codes, column) for column in deviations.T], axis=1)
    covariance = sums.T @ sums * len(sums) / (len(sums) - 1) / len(moments) ** 2
    t = float(special.stdtrit(n_clusters - 1, 0.5 + CONFIDENCE_LEVEL / 2))
    if not c > t * math.sqrt(covariance[1, 1]):
        return Interval(math.nan, missing_because="these people are not shown to agree more than by chance")
    if v - c <= EQUAL * v:
        why = "these people never disagree, so that one of them is worth as much as all"
        return Interval(math.nan, missing_because=why)
    if not w > 0:
        return Interval(0.0, missing_because="the judge always gives the same answer")
    judged = b * b / w  # B
    gradient = np.array([2 * b / w, 0.0, -b * b / w**2, 0.0])
    top = judged * (v - c)
    bottom = c * (c - judged)
    of_top = gradient * (v - c) + np.array([0.0, -judged, 0.0, judged])
    of_bottom = np.array([0.0, 2 * c - judged, 0.0, 0.0]) - c * gradient
    variances = [float(x @ covariance @ y) for x, y in ((of_top, of_top), (of_top, of_bottom), (of_bottom, of_bottom))]
    if b <= 0:
        value = 0.0
    elif bottom > 0:
        value = top / bottom
    else:
        value = math.inf
    lower, upper = _fieller(top, bottom, variances, t)
    if b - t * math.sqrt(covariance[0, 0]) <= 0:
        lower = 0.0
    return Interval(value, max(lower, 0.0), max(upper, 0.0))


def _fieller(top: float, bottom: float, variances: list[float], t: float) -> tuple[float, float]:
    """Return the ends of the set of k at which top - k bottom lies within t standard errors of 0.

    The set is an interval; or, where the bottom may be 0, it reaches to infinity, or is everything.
    """
    of_top, of_both, of_bottom = variances
    square = bottom**2 - t**2 * of_bottom
    linear = -2 * (top * bottom - t**2 * of_both)
    rest = top**2 - t**2 * of_top
    root = linear**2 - 4 * square * rest
    if root < 0 or square == 0:
        return 0.0, math.inf
    ends = sorted((-linear + sign * math.sqrt(root)) / (2 * square) for sign in (-1, 1))
    return (ends[0], ends[1]) if square > 0 else (ends[1], math.inf)
