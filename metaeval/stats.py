"""Compute the statistics of meta-evaluation from plain arrays: two arrays in, a number out, no corpus needed.

>>> from metaeval import stats
>>> round(stats.kendall([0.3, 0.1, 0.8, 0.6], [2, 1, 4, 4]), 3)
0.913

The functions follow `scipy.stats`: the metric's scores come first (``x``), the human scores second (``y``), both so
that high is good, and arrays of several axes are correlated along ``axis=0`` unless another is given. Lists, arrays,
and series and frames of pandas or polars are matched by position; the index of pandas is ignored. One number is a
float, several are an array. An undefined value is ``nan``; wrong input is a ValueError that names the argument.

====================================  ==========================  =====================================================
function                              takes                       missing values (``nan``)
====================================  ==========================  =====================================================
`pearson`, `spearman`, `kendall`,     vectors, along ``axis``     an error
`pairwise_accuracy`
`acc_eq`, `darr`,                     (documents, systems)        left out on both sides, cell by cell
`pairwise_difference_pearson`
`soft_pairwise_accuracy`              (documents, systems)        an error
`cohen_kappa`                         two vectors                 an error
`krippendorff_alpha`                  (raters, items)             not rated
====================================  ==========================  =====================================================

A document is usually a segment. These are the same definitions that `metaeval.compare` and `metaeval.agreement` use,
which add what two arrays cannot give: intervals, tests, and judgments and texts that belong together.
"""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import numpy as np
import numpy.typing as npt

from metaeval.components.coefficient import Coefficient
from metaeval.correlation import pairwise_accuracy as pairwise
from metaeval.correlation import soft_pairwise_accuracy as soft
from metaeval.correlation.coefficients import Pearson, Spearman
from metaeval.correlation.kendall import Kendall
from metaeval.correlation.within_documents import DifferencePearson, RelativeRanking
from metaeval.datamodel.array_checks import check_finite
from metaeval.datamodel.corpus import Criterion, FloatArray, Judgments
from metaeval.errors import UsageError
from metaeval.parameters.arguments import shown
from metaeval.ratings.agreement import krippendorff as alpha
from metaeval.ratings.agreement import raters
from metaeval.ratings.agreement.items import sort_by_item

__all__ = [
    "AccEqResult",
    "SoftPairwiseAccuracyResult",
    "acc_eq",
    "cohen_kappa",
    "darr",
    "kendall",
    "krippendorff_alpha",
    "pairwise_accuracy",
    "pairwise_difference_pearson",
    "pearson",
    "soft_pairwise_accuracy",
    "spa",
    "spearman",
]


# Vectors, along an axis.


def pearson(x: npt.ArrayLike, y: npt.ArrayLike, *, axis: int | None = 0) -> float | FloatArray:
    """Return Pearson's product-moment correlation.

    Parameters
    ----------
    x, y : array_like
        Metric scores and human scores: finite numbers, equally many along `axis`. All other axes are broadcast, so that
        several metrics are correlated with the same human scores at once.
    axis : int or None
        The axis along which to correlate. None correlates all numbers of two arrays of one shape together.

    Returns
    -------
    float or array
        From -1 to 1; ``nan`` where a side is constant or has fewer than two numbers.

    Raises
    ------
    ValueError
        If something is no finite number, or the shapes do not fit.

    Notes
    -----
    It is `scipy.stats.pearsonr` without the p-value, which presumes independent pairs of normal scores: systems on one
    test set, or segments of one system, are not such pairs.

    Examples
    --------
    >>> from metaeval import stats
    >>> round(stats.pearson([1, 2, 3, 4, 5], [2, 1, 4, 3, 5]), 12)
    0.8

    Two documents with three systems each, across the systems:

    >>> stats.pearson([[1, 2, 3], [1, 2, 3]], [[2, 4, 6], [3, 3, 3]], axis=1).round(12)
    array([ 1., nan])
    """
    return _along(Pearson(), x, y, axis)


def spearman(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    axis: int | None = 0,
    ties: Literal["average", "uncorrected", "ordinal"] = "average",
    seed: int = 1,
) -> float | FloatArray:
    """Return Spearman's rank correlation.

    Parameters
    ----------
    x, y : array_like
        Metric scores and human scores, as in `pearson`.
    axis : int or None
        The axis along which to correlate. None correlates all numbers of two arrays of one shape together.
    ties : "average", "uncorrected" or "ordinal"
        Pearson's correlation of the ranks, where equal values share the mean of theirs; the formula 1 - 6 sum(d^2) /
        (n^3 - n), which presumes that there are no ties, of the same ranks; or that formula of ranks 1 to n, where
        equal values are put in an order drawn at random.
    seed : int
        Random seed for the order of equal values; only with ``ties="ordinal"``.

    Returns
    -------
    float or array
        From -1 to 1; ``nan`` where there are fewer than two numbers, and with ``ties="average"`` where a side is
        constant.

    Raises
    ------
    ValueError
        If something is no finite number, the shapes do not fit, `ties` is unknown, or a seed is given without
        ``ties="ordinal"``.

    References
    ----------
    Spearman (1904), The proof and measurement of association between two things. Kendall (1945), The treatment of ties
    in ranking problems.

    Examples
    --------
    >>> from metaeval import stats
    >>> round(stats.spearman([1, 2, 2, 3], [1, 2, 3, 4]), 6)
    0.948683
    >>> round(stats.spearman([1, 2, 2, 3], [1, 2, 3, 4], ties="uncorrected"), 6)
    0.95
    """
    return _along(_made(Spearman, ties=ties, seed=_whole("seed", seed, 0)), x, y, axis)


def kendall(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    axis: int | None = 0,
    variant: Literal["b", "c", "23", "wmt10", "wmt13", "wmt14"] = "b",
    epsilon: float = 0.0,
    gap: float = 0.0,
) -> float | FloatArray:
    """Return Kendall's rank correlation, or one of its variants, which differ in how they count ties.

    Parameters
    ----------
    x, y : array_like
        Metric scores and human scores, as in `pearson`. The variants b, c and 23 are symmetric, those of WMT are not.
    axis : int or None
        The axis along which to correlate. None correlates all numbers of two arrays of one shape together.
    variant : "b", "c", "23", "wmt10", "wmt13" or "wmt14"
        See below.
    epsilon : float
        Metric scores that differ by no more are tied; not for c.
    gap : float
        Human scores that differ by less are tied; for the variants of WMT, which leave out human ties.

    Returns
    -------
    float or array
        From -1 to 1; ``nan`` where there is nothing to divide by: for b and c where a side is constant, for wmt13 where
        no pair is ordered by both sides, for wmt10 and wmt14 where no human scores differ, for all where there are
        fewer than two numbers.

    Raises
    ------
    ValueError
        If something is no finite number, the shapes do not fit, the variant is unknown, or a threshold is negative or
        not for the variant.

    Notes
    -----
    Of all pairs, C are concordant, D discordant, M tied in `x` only, H tied in `y` only, and B tied in both.

    =======  =================================================================================
    variant  value
    =======  =================================================================================
    b        (C - D) / sqrt((C + D + M) (C + D + H))
    c        2 (C - D) / (n^2 (k - 1) / k), k being the fewer of the distinct values of a side
    23       (C + B - D - M - H) / (C + D + M + H + B)
    wmt10    (C - D - M) / (C + D + M)
    wmt13    (C - D) / (C + D)
    wmt14    (C - D) / (C + D + M)
    =======  =================================================================================

    The variants b and c are those of `scipy.stats.kendalltau`.

    References
    ----------
    Kendall (1945), The treatment of ties in ranking problems. Stuart (1953), The estimation and comparison of strengths
    of association in contingency tables. Macháček and Bojar (2013, 2014), Results of the WMT13 (WMT14) metrics shared
    task. Deutsch, Foster and Freitag (2023), Ties matter.

    Examples
    --------
    >>> from metaeval import stats
    >>> round(stats.kendall([1, 2, 2, 3], [1, 2, 3, 4]), 6)
    0.912871

    One of the six pairs is tied in the metric, and the other five are concordant: (5 - 1) / 6.

    >>> round(stats.kendall([1, 2, 2, 3], [1, 2, 3, 4], variant="23"), 6)
    0.666667
    """
    limits = {"epsilon": _threshold("epsilon", epsilon), "gap": _threshold("gap", gap)}
    return _along(_made(Kendall, variant=variant, **limits), x, y, axis)


def pairwise_accuracy(
    x: npt.ArrayLike, y: npt.ArrayLike, *, axis: int | None = 0, epsilon: float = 0.0
) -> float | FloatArray:
    """Return the share of pairs that the metric orders, or leaves tied, as human scores do.

    Parameters
    ----------
    x, y : array_like
        Metric scores and human scores, as in `pearson`.
    axis : int or None
        The axis along which to form pairs. None pairs all numbers of two arrays of one shape.
    epsilon : float
        Metric scores that differ by no more are tied. `acc_eq` finds the best.

    Returns
    -------
    float or array
        From 0 to 1; ``nan`` where there are fewer than two numbers. A pair that is tied on both sides is right, one
        that is tied on a single side is wrong.

    Raises
    ------
    ValueError
        If something is no finite number, the shapes do not fit, or `epsilon` is negative.

    References
    ----------
    Kocmi et al. (2021), To ship or not to ship: the pairs are of systems. Deutsch, Foster and Freitag (2023), Ties
    matter: the pairs are of translations.

    Examples
    --------
    The metric orders five of the six pairs right, and ties one that people order.

    >>> from metaeval import stats
    >>> round(stats.pairwise_accuracy([1, 2, 2, 3], [1, 2, 3, 4]), 6)
    0.833333
    """
    return _along(pairwise.PairwiseAccuracy(_threshold("epsilon", epsilon)), x, y, axis)


# Documents and systems.


@dataclass(frozen=True)
class AccEqResult:
    """Pairwise accuracy with a calibrated threshold for ties.

    Attributes
    ----------
    accuracy : float
        The mean over documents of the share of right pairs, from 0 to 1; ``nan`` where there is no pair.
    epsilon : float
        The threshold: metric scores that differ by no more are tied. The smallest of those that are equally good.
    pairs : int
        How many pairs there are, in all documents together.
    documents : int
        How many documents have a pair; the mean is taken over these.
    """

    accuracy: float
    epsilon: float
    pairs: int
    documents: int


def acc_eq(x: npt.ArrayLike, y: npt.ArrayLike) -> AccEqResult:
    """Return pairwise accuracy with the threshold for ties that suits the metric best.

    Each document compares its systems. One threshold serves all documents: of 0 and all differences between two scores
    of the metric, it is the one with the highest mean accuracy over documents.

    Parameters
    ----------
    x, y : (documents, systems) array_like
        Metric scores and human scores. Cells that are ``nan`` on either side are left out. Vectors are one document;
        transposed, each system compares its documents.

    Returns
    -------
    AccEqResult
        The accuracy, the threshold, and of how many pairs. The accuracy is that on the scores that chose the threshold;
        for other scores, give the threshold to `pairwise_accuracy`.

    Raises
    ------
    ValueError
        If something is no number or infinite, or the shapes do not fit.

    References
    ----------
    Deutsch, Foster and Freitag (2023), Ties matter: Meta-evaluating modern metrics with pairwise accuracy and tie
    calibration.

    Examples
    --------
    People find the first two equal. With a threshold of 0.1 the metric does so too, and all three pairs are right.

    >>> from metaeval import stats
    >>> stats.acc_eq([0, 0.1, 5], [1, 1, 2])
    AccEqResult(accuracy=1.0, epsilon=0.1, pairs=3, documents=1)
    """
    metric, human = _grids(x, y)
    present = ~(np.isnan(metric) | np.isnan(human))
    sizes = present.sum(axis=1)
    pairs = int((sizes * (sizes - 1) // 2).sum())
    if not pairs:
        return AccEqResult(np.nan, np.nan, 0, 0)
    best = pairwise.tie_calibration(metric, human, where=present)
    return AccEqResult(best.accuracy, best.epsilon, pairs, best.n_rows)


def darr(x: npt.ArrayLike, y: npt.ArrayLike, *, gap: float = 25.0) -> float:
    """Return daRR, the agreement on pairs of systems that people tell apart, as in WMT 2017 to 2020.

    The pairs are of systems on one document, those of all documents taken together: (C - D) / (C + D), where C are
    concordant and D discordant. A pair that the metric ties is discordant.

    Parameters
    ----------
    x, y : (documents, systems) array_like
        Metric scores and human scores. Cells that are ``nan`` on either side are left out. Vectors are one document.
    gap : float
        Human scores that differ by less make no pair. The default is that of WMT, for scores from 0 to 100.

    Returns
    -------
    float
        From -1 to 1; ``nan`` where there is no pair.

    Raises
    ------
    ValueError
        If something is no number or infinite, the shapes do not fit, or `gap` is negative.

    References
    ----------
    Bojar, Graham and Kamran (2017), Results of the WMT17 metrics shared task. Mathur et al. (2020), Results of the
    WMT20 metrics shared task.

    Examples
    --------
    Of three pairs, one has human scores less than 25 apart; of the other two the metric orders one right and ties one.

    >>> from metaeval import stats
    >>> stats.darr([0.4, 0.9, 0.9], [40, 60, 90])
    0.0
    """
    return float(RelativeRanking(_threshold("gap", gap))(*_grids(x, y)))


def pairwise_difference_pearson(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """Return pairwise difference Pearson: that of the differences of two systems on one document.

    The differences of all documents together, each in both orders. What a document adds to the scores of all its
    systems does not matter.

    Parameters
    ----------
    x, y : (documents, systems) array_like
        Metric scores and human scores. Cells that are ``nan`` on either side are left out. Vectors are one document,
        and the value is that of `pearson`.

    Returns
    -------
    float
        From -1 to 1; ``nan`` where no document has scores that differ on the one side, or on the other.

    Raises
    ------
    ValueError
        If something is no number or infinite, or the shapes do not fit.

    References
    ----------
    DiIanni and Deutsch (2025), Don't sweat the small stuff: Segment-level meta-evaluation based on pairwise difference
    correlation.

    Examples
    --------
    Both differences are right, but for the document the metric adds 100 to.

    >>> from metaeval import stats
    >>> stats.pairwise_difference_pearson([[1, 2], [104, 102]], [[1, 2], [4, 2]])
    1.0
    """
    return float(DifferencePearson()(*_grids(x, y)))


@dataclass(frozen=True, eq=False)
class SoftPairwiseAccuracyResult:
    """Soft pairwise accuracy and the p-values that it compares.

    Attributes
    ----------
    value : float or (metrics,) array
        From 0 to 1; ``nan`` where there are fewer than two systems, or no document.
    metric_p : (systems, systems) or (metrics, systems, systems) array
        At [i, j] the one-sided p-value that the metric finds system i better than system j; ``nan`` for i = j.
    human_p : (systems, systems) array
        The same of human scores.
    """

    value: float | FloatArray
    metric_p: FloatArray
    human_p: FloatArray


def soft_pairwise_accuracy(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    n_resamples: int = 1000,
    seed: int = 1,
    tails: Literal["mid", "wmt"] = "mid",
) -> SoftPairwiseAccuracyResult:
    """Return soft pairwise accuracy: whether a metric is as certain as people that one system is better than another.

    It is 1 less the mean difference between the p-values of metric and human scores over the pairs of systems. The
    p-values are those of a permutation test, in which two systems exchange their scores on some documents. `spa` is
    the same function by the name that the field uses.

    Parameters
    ----------
    x : (documents, systems) or (metrics, documents, systems) array_like
        Metric scores, of one metric or of several, which share the replicates.
    y : (documents, systems) array_like
        Human scores.
    n_resamples : int
        Replicates of the permutation tests.
    seed : int
        Random seed of the replicates.
    tails : "mid" or "wmt"
        How replicates count that equal the observed difference: half, or all, as in the shared tasks. With ``wmt`` the
        value depends on the order of the systems.

    Returns
    -------
    SoftPairwiseAccuracyResult
        The value and the p-values.

    Raises
    ------
    ValueError
        If something is no finite number, the shapes do not fit, or an option is out of its range.

    References
    ----------
    Thompson, Mathur, Deutsch and Khayrallah (2024), Improving statistical significance in human evaluation of automatic
    metrics via soft pairwise accuracy.

    Examples
    --------
    People find the first system better on all of ten documents, the metric on half of them.

    >>> from metaeval import stats
    >>> human = [[2, 1]] * 10
    >>> metric = [[2, 1], [1, 2]] * 5
    >>> result = stats.soft_pairwise_accuracy(metric, human)
    >>> round(result.value, 1)
    0.5
    >>> result.human_p.round(1)
    array([[nan,  0.],
           [ 1., nan]])
    >>> result.metric_p.round(1)
    array([[nan, 0.5],
           [0.5, nan]])
    """
    n_resamples = _whole("n_resamples", n_resamples, 1)
    seed = _whole("seed", seed, 0)
    coefficient = _made(soft.SoftPairwiseAccuracy, n_resamples=n_resamples, seed=seed, tails=tails)
    metric, human = _numbers("x", x), _numbers("y", y)
    if human.ndim != 2 or metric.ndim not in (2, 3) or metric.shape[-2:] != human.shape:
        raise ValueError(
            "`y` must be (documents, systems), and `x` of the same shape, or (metrics, documents, systems); got the "
            f"shapes {metric.shape} and {human.shape} of `x` and `y`."
        )
    check_finite("x", metric)
    check_finite("y", human)
    n_documents, n_systems = human.shape
    if n_systems < 2 or not n_documents:
        p = np.full((*metric.shape[:-2], n_systems, n_systems), np.nan)
        return SoftPairwiseAccuracyResult(
            _plain(np.full(metric.shape[:-2], np.nan)), p, np.full((n_systems, n_systems), np.nan)
        )
    result = soft.soft_pairwise_accuracy(metric, human, coefficient.swaps(n_documents), tails=tails)
    return SoftPairwiseAccuracyResult(_plain(result.value), result.metric_p, result.human_p)


spa = soft_pairwise_accuracy


# Raters.


def cohen_kappa(x: npt.ArrayLike, y: npt.ArrayLike, *, weights: Literal["linear", "quadratic"] | None = None) -> float:
    """Return Cohen's kappa, the agreement of two raters beyond what chance gives.

    Parameters
    ----------
    x, y : (items,) array_like
        What each of the two gave to the same items; of labels, their numbers.
    weights : "linear", "quadratic" or None
        What two ratings differ by: 1 unless they are equal (None, which is the one for labels), their distance, or its
        square.

    Returns
    -------
    float
        1 for perfect agreement, 0 for what chance gives, below 0 for less; ``nan`` where all ratings are equal, or
        there are none.

    Raises
    ------
    ValueError
        If something is no finite number, the two are not vectors of equal length, or `weights` is unknown.

    Notes
    -----
    The distance is that of the numbers: for grades 1, 2, 3, ... the value is that of scikit-learn's
    ``cohen_kappa_score``, which takes distances of places among the grades that occur.

    References
    ----------
    Cohen (1960), A coefficient of agreement for nominal scales. Cohen (1968), Weighted kappa.

    Examples
    --------
    Two of four are equal. Chance gives 1/2 too, as each rater has two of each label.

    >>> from metaeval import stats
    >>> stats.cohen_kappa([0, 0, 1, 1], [0, 1, 0, 1])
    0.0
    """
    names = (None, "linear", "quadratic")
    if weights not in names:
        raise ValueError(f"`weights` must be None, 'linear' or 'quadratic'; got {weights!r}.")
    first, second = _numbers("x", x), _numbers("y", y)
    if first.ndim != 1 or first.shape != second.shape:
        raise ValueError(
            f"`x` and `y` must be vectors of equal length; got the shapes {first.shape} and {second.shape}."
        )
    check_finite("x", first)
    check_finite("y", second)
    return raters.cohen_kappas(first, second)[names.index(weights)]


def krippendorff_alpha(
    ratings: npt.ArrayLike, *, level: Literal["nominal", "ordinal", "interval"] = "interval"
) -> float:
    """Return Krippendorff's alpha, the agreement of any number of raters beyond what chance gives.

    Parameters
    ----------
    ratings : (raters, items) array_like
        ``nan`` where a rater did not rate an item. Items with fewer than two ratings do not count.
    level : "nominal", "ordinal" or "interval"
        What the ratings are: labels, grades of which only the order counts, or numbers.

    Returns
    -------
    float
        1 for perfect agreement, 0 for what chance gives, below 0 for less; ``nan`` where no item has two ratings, or
        all ratings of those that have are equal.

    Raises
    ------
    ValueError
        If something is no number or infinite, `ratings` is no table, or `level` is unknown.

    References
    ----------
    Krippendorff (2004), Content analysis: An introduction to its methodology. Krippendorff (2011), Computing
    Krippendorff's alpha-reliability.

    Examples
    --------
    Three items were rated twice, and only the second differs: the mean square of the differences within items is 2 / 6.
    That of any two of the six ratings is 58 / 30.

    >>> from metaeval import stats
    >>> nan = float("nan")
    >>> round(stats.krippendorff_alpha([[1, 2, 3, nan], [1, 3, 3, 4]]), 3)
    0.828
    """
    table = _numbers("ratings", ratings)
    if table.ndim != 2:
        raise ValueError(f"`ratings` must be (raters, items); got the shape {table.shape}.")
    given = ~np.isnan(table)
    check_finite("ratings", table, where=given)
    if level not in alpha.LEVELS:
        raise ValueError(f"`level` must be one of {alpha.LEVELS}; got {level!r}.")
    rater, item = np.nonzero(given)
    if not len(item):
        return np.nan
    none = np.zeros(len(item), dtype=np.int64)
    names = tuple(str(number) for number in range(len(table)))
    judgments = Judgments(names, none, none, item, rater, table[given])
    criterion = Criterion("ratings", -np.inf, np.inf, True)
    (value,) = alpha.krippendorff_alpha(sort_by_item(judgments, criterion, ["items"], table.shape[1]), level)
    return float(value)


# What the arguments become.

_Made = TypeVar("_Made", bound=Coefficient)


def _made(kind: type[_Made], **parameters: Any) -> _Made:
    """Return a coefficient with its parameters; raise ValueError if one is wrong."""
    try:
        return kind(**parameters)
    except UsageError as error:
        raise ValueError(str(error)) from None


def _threshold(name: str, given: float) -> float:
    """Return a difference that counts as none; raise ValueError if it is no number from 0."""
    if not isinstance(given, numbers.Real) or not given >= 0:
        raise ValueError(f"`{name}` must be a number, at least 0; got {given!r}.")
    return float(given)


def _whole(name: str, given: int, least: int) -> int:
    """Return a whole number; raise ValueError if it is none, or too small."""
    if not isinstance(given, numbers.Integral) or given < least:
        raise ValueError(f"`{name}` must be a whole number, at least {least}; got {given!r}.")
    return int(given)


def _numbers(name: str, given: npt.ArrayLike) -> FloatArray:
    """Return an argument as an array of floats, where missing values (masked, None, pandas.NA) are ``nan``."""
    any_of_it: Any = given
    try:
        if isinstance(given, np.ma.MaskedArray):
            values = any_of_it.astype(np.float64).filled(np.nan)
        elif hasattr(given, "iloc"):  # pandas
            values = any_of_it.to_numpy(na_value=np.nan)
        else:
            values = np.asarray(given)
        has_text = values.dtype.kind == "O" and any(isinstance(value, str) for value in values.flat)
        if values.dtype.kind in "biufO" and not has_text:
            return np.asarray(values, dtype=np.float64)
        cause = f"its type is {values.dtype}"
        if has_text or values.dtype.kind in "SU":
            cause = "it holds text; number labels first, as pandas.factorize does"
    except (TypeError, ValueError) as error:
        cause = str(error).rstrip(".")
    raise ValueError(f"`{name}` must be numbers, in a list or an array; got {shown(given)}: {cause}.")


def _along(coefficient: Coefficient, x: npt.ArrayLike, y: npt.ArrayLike, axis: int | None) -> float | FloatArray:
    """Correlate two arrays along an axis, and broadcast the others."""
    first, second = _numbers("x", x), _numbers("y", y)
    check_finite("x", first)
    check_finite("y", second)
    shapes = f"the shapes {first.shape} and {second.shape}"
    if axis is None:
        if first.shape != second.shape:
            raise ValueError(f"`x` and `y` must have the same shape where `axis` is None; got {shapes}.")
        return _plain(coefficient(first.ravel(), second.ravel()))
    n_axes = max(first.ndim, second.ndim)
    if not n_axes:
        raise ValueError(f"`x` and `y` must be lists or arrays of numbers; got two numbers, {first} and {second}.")
    if not isinstance(axis, numbers.Integral) or not -n_axes <= axis < n_axes:
        raise ValueError(
            f"`axis` must be from {-n_axes} to {n_axes - 1}, or None; got {axis!r} for {shapes} of `x` and `y`."
        )
    # As in numpy, axes are matched from the last one, and missing ones stand before the first.
    sides = [np.moveaxis(side.reshape((1,) * (n_axes - side.ndim) + side.shape), axis, -1) for side in (first, second)]
    if sides[0].shape[-1] != sides[1].shape[-1]:
        raise ValueError(f"`x` and `y` must have the same length along axis {axis}; got {shapes}.")
    try:
        sides = [np.ascontiguousarray(side) for side in np.broadcast_arrays(*sides)]
    except ValueError:
        raise ValueError(f"`x` and `y` must have the same shape, or shapes that broadcast; got {shapes}.") from None
    return _plain(coefficient(*sides))


def _grids(x: npt.ArrayLike, y: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return two arrays as (documents, systems); vectors become one document."""
    first, second = _numbers("x", x), _numbers("y", y)
    if first.shape != second.shape or first.ndim not in (1, 2):
        raise ValueError(
            "`x` and `y` must have the same shape, (documents, systems) or (systems,); got the shapes "
            f"{first.shape} and {second.shape}."
        )
    for name, values in (("x", first), ("y", second)):
        check_finite(name, values, where=~np.isnan(values))
    return np.atleast_2d(first), np.atleast_2d(second)


def _plain(values: FloatArray) -> float | FloatArray:
    """Return an array of no axes as a float."""
    return float(values) if np.ndim(values) == 0 else values
