"""Coefficients of agreement beyond chance, from sums over items.

Everything that a coefficient needs of some items can be added: how often two raters gave which two answers, how often
any two raters of an item did, and how often each answer occurs. So a coefficient without some of the items is that of
the other sums.

================  ==================================================================================================
coefficient       agreement by chance, of raters who answer at random
================  ==================================================================================================
Cohen's kappa     each with their own shares of the answers; of two raters
Scott's pi        all with the mean shares of the answers; of more than two raters it is Fleiss' kappa
AC1               sum of p (1 - p) / (q - 1), where p are the mean shares of q answers
Brennan-Prediger  1 / q
alpha             that of any two of the ratings that have a partner
================  ==================================================================================================

The q answers are those that could be given: one that nobody gave moves AC1 and Brennan-Prediger, and no other.

Sources
-------
In `bibliography.toml`: cohen1960, cohen1968 (weighted kappa), scott1955, fleiss1971, gwet2008 (AC1), brennan1981,
krippendorff2011.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from metaeval.correlation.tolerances import EQUAL
from metaeval.datamodel.corpus import FloatArray, IntArray

COHEN = ("kappa", "kappa_linear", "kappa_quadratic")
ALPHA = ("alpha_nominal", "alpha_ordinal", "alpha_interval")
# Of these, the value depends on the answers that could be given.
MOVED_BY_UNSEEN_ANSWERS = ("ac1", "brennan_prediger")
# How many numbers tables without each cluster may have at once.
_MAX_CELLS = 2_000_000


@dataclass(frozen=True)
class Sums:
    """Sums over items of what coefficients need; leading axes are those of several sums, such as one for each cluster.

    Attributes
    ----------
    paired : (..., answers, answers) float array
        Ordered pairs of ratings of the same item, of which each counts 1 / (m - 1) for an item of m ratings.
    table : (..., answers, answers) float array
        Pairs of ratings of the same item, the answer of the rater who comes first by that of the other.
    items, rated : (...,) float arrays
        Items with two ratings or more, and with any.
    agreeing : (...,) float array
        The share of the pairs of ratings of an item that are equal, added over items with two or more.
    shares : (..., answers) float array
        The share of the ratings of an item that are each answer, added over items with any.
    """

    paired: FloatArray
    table: FloatArray
    items: FloatArray
    rated: FloatArray
    agreeing: FloatArray
    shares: FloatArray

    def total(self) -> Sums:
        """Return the sums over all clusters."""
        return Sums(*(getattr(self, field.name).sum(axis=self._axis(field.name)) for field in fields(self)))

    def without_each(self) -> Sums:
        """Return the sums without each of the clusters."""
        return self._taken_from(self.total())

    def blocks_without_each(self, size: int) -> Iterator[Sums]:
        """Yield the sums (clusters, ...) without each of the clusters, some clusters at a time."""
        whole = self.total()
        for start in range(0, len(self.items), size):
            block = Sums(*(getattr(self, field.name)[start : start + size] for field in fields(self)))
            yield block._taken_from(whole)

    def _taken_from(self, whole: Sums) -> Sums:
        """Return other sums less each of the clusters."""
        parts = (
            (getattr(whole, field.name), getattr(self, field.name), self._axis(field.name)) for field in fields(self)
        )
        return Sums(*(np.expand_dims(total, axis) - part for total, part, axis in parts))

    def _axis(self, name: str) -> int:
        """Return the axis of the clusters, the last before that of answers."""
        return {"paired": -3, "table": -3, "shares": -2}.get(name, -1)


def sums_by_cluster(
    item: IntArray, rater: IntArray, answer: IntArray, cluster: IntArray, n_clusters: int, n_answers: int
) -> Sums:
    """Return the sums of each cluster, of ratings of which a rater gave one to an item.

    Parameters
    ----------
    item, rater, answer : (ratings,) int arrays
        The answers are numbered from 0 on.
    cluster : (items,) int array
        The cluster of each item, from 0 on.
    n_clusters, n_answers : int

    Returns
    -------
    Sums
        Of each cluster, (clusters,) and so on.
    """
    order = np.lexsort((rater, item))
    item = item[order]
    answer = answer[order]
    _, starts, counts = np.unique(item, return_index=True, return_counts=True)
    of_rating = cluster[item]

    def added(cells: IntArray, shape: tuple[int, ...], weights: Any) -> FloatArray:
        return np.bincount(cells, weights, minlength=int(np.prod(shape))).reshape(shape).astype(np.float64)

    square = (n_clusters, n_answers, n_answers)
    paired = np.zeros(square)
    table = np.zeros(square)
    agreeing = np.zeros(n_clusters)
    for count in np.unique(counts[counts > 1]).tolist():
        places = starts[counts == count][:, None] + np.arange(count)
        left, right = (places[:, side].ravel() for side in np.triu_indices(count, 1))
        at = of_rating[left] * n_answers
        ones = np.ones(len(left))
        pairs = added((at + answer[left]) * n_answers + answer[right], square, ones)
        table += pairs
        paired += (pairs + pairs.swapaxes(-2, -1)) / (count - 1)
        agreeing += added(of_rating[left], (n_clusters,), (answer[left] == answer[right]) * 2.0 / count / (count - 1))
    of_item = cluster[item[starts]]
    return Sums(
        paired,
        table,
        added(of_item, (n_clusters,), (counts > 1) * 1.0),
        added(of_item, (n_clusters,), np.ones(len(of_item))),
        agreeing,
        added(of_rating * n_answers + answer, (n_clusters, n_answers), 1.0 / np.repeat(counts, counts)),
    )


def coefficients(sums: Sums, values: FloatArray, n_possible: int, *, is_ordered: bool = True) -> dict[str, FloatArray]:
    """Return all coefficients of sums.

    Parameters
    ----------
    sums : Sums
        With any leading axes.
    values : (answers,) float array
        The numbers that the answers are, in ascending order, for weights and for the alpha of an interval scale.
    n_possible : int
        How many different answers could be given, at least those that were.
    is_ordered : bool, default True
        Whether the order of the answers means something; else coefficients that rest on it are ``nan``.

    Returns
    -------
    dict of str to (...,) float array
        `raw`, the mean share of equal pairs, and the coefficients; ``nan`` where one is not defined, as where all
        ratings are equal, which leaves `raw`, AC1 and Brennan-Prediger. Cohen's kappas are those of two raters.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        raw = sums.agreeing / sums.items
        shares = sums.shares / sums.rated[..., None]
        # Where all give the same answer, it makes no difference how many others there are.
        q = max(n_possible, 2)
        chances = {
            "scott": np.square(shares).sum(axis=-1),
            "ac1": (shares * (1 - shares)).sum(axis=-1) / (q - 1),
            "brennan_prediger": np.full(np.shape(raw), 1 / q),
        }
        beyond_chance = {
            name: np.where(chance < 1 - EQUAL, (raw - chance) / (1 - chance), np.nan)
            for name, chance in chances.items()
        }
        kappas = _cohen(sums.table, values, is_ordered=is_ordered)
        return {"raw": raw, **kappas, **beyond_chance, **_alphas(sums.paired, values, is_ordered=is_ordered)}


def coefficients_without_each(
    sums: Sums, values: FloatArray, n_possible: int, *, is_ordered: bool = True
) -> dict[str, FloatArray]:
    """Return all coefficients of sums (clusters, ...) without each of the clusters; see :func:`coefficients`."""
    size = max(1, _MAX_CELLS // len(values) ** 2)
    blocks = [
        coefficients(block, values, n_possible, is_ordered=is_ordered) for block in sums.blocks_without_each(size)
    ]
    return {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]}


def _cohen(table: FloatArray, values: FloatArray, *, is_ordered: bool) -> dict[str, FloatArray]:
    """Return Cohen's kappas of tables of two raters."""
    observed = table / table.sum(axis=(-2, -1), keepdims=True)
    expected = observed.sum(axis=-1)[..., :, None] * observed.sum(axis=-2)[..., None, :]
    distance = np.abs(values[:, None] - values[None, :])
    kappas = {}
    for name, weight in zip(COHEN, ((distance > 0) * 1.0, distance, distance**2), strict=True):
        if not is_ordered and name != COHEN[0]:
            kappas[name] = np.full(table.shape[:-2], np.nan)
            continue
        by_chance = (weight * expected).sum(axis=(-2, -1))
        kappa = 1 - (weight * observed).sum(axis=(-2, -1)) / by_chance
        kappas[name] = np.where(by_chance > EQUAL, kappa, np.nan)
    return kappas


def _alphas(paired: FloatArray, values: FloatArray, *, is_ordered: bool) -> dict[str, FloatArray]:
    """Return Krippendorff's alphas of tables of pairs of ratings."""
    counts = paired.sum(axis=-1)
    n = counts.sum(axis=-1)
    ranks = np.cumsum(counts, axis=-1) - counts / 2
    is_several = (counts > EQUAL * n[..., None]).sum(axis=-1) > 1
    alphas = {}
    for name, scale in zip(ALPHA, (None, ranks, np.broadcast_to(values, counts.shape)), strict=True):
        if not is_ordered and scale is not None:
            alphas[name] = np.full(n.shape, np.nan)
            continue
        if scale is None:
            observed = n - np.trace(paired, axis1=-2, axis2=-1)
            expected = n**2 - np.square(counts).sum(axis=-1)
        else:
            squares = np.square(scale[..., :, None] - scale[..., None, :])
            observed = (squares * paired).sum(axis=(-2, -1))
            expected = (squares * counts[..., :, None] * counts[..., None, :]).sum(axis=(-2, -1))
        alphas[name] = np.where(is_several, 1 - observed * (n - 1) / expected, np.nan)
    return alphas


def sums_of_numbers(item: IntArray, value: FloatArray, cluster: IntArray, n_clusters: int) -> FloatArray:
    """Sum the alpha of numbers by cluster: (clusters, 4), over items with two ratings or more.

    The columns are the ratings, their sum, their squares, and the squares of their distances from the mean of their
    item, weighted by m / (m - 1) for an item of m ratings.

    Parameters
    ----------
    item : (ratings,) int array
    value : (ratings,) float array
    cluster : (items,) int array
    n_clusters : int
    """
    counts = np.bincount(item, minlength=len(cluster))
    is_paired = counts[item] > 1
    item = item[is_paired]
    value = value[is_paired]
    value = value - value.mean() if len(value) else value
    means = np.bincount(item, value, minlength=len(cluster)) / np.maximum(counts, 1)
    within = (value - means[item]) ** 2 * (counts[item] / (counts[item] - 1))
    columns = (np.ones(len(item)), value, value**2, within)
    return np.stack([np.bincount(cluster[item], column, minlength=n_clusters) for column in columns], axis=1)


def alpha_of_numbers(sums: FloatArray) -> FloatArray:
    """Return Krippendorff's alpha of an interval scale of sums (..., 4); ``nan`` where all numbers are equal."""
    n, total, squares, within = np.moveaxis(sums, -1, 0)
    spread = n * squares - total**2
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(spread > EQUAL * n * squares, 1 - within * (n - 1) / spread, np.nan)


def sums_of_two(x: FloatArray, y: FloatArray, cluster: IntArray, n_clusters: int) -> FloatArray:
    """Sum the quadratic kappa of two raters by cluster: (clusters, 6).

    Parameters
    ----------
    x, y : (items,) float arrays
        What the two gave to the items that both rated.
    cluster : (items,) int array
    n_clusters : int
    """
    middle = (x.mean() + y.mean()) / 2 if len(x) else 0.0
    x = x - middle
    y = y - middle
    columns = (np.ones(len(x)), x, y, x**2, y**2, (x - y) ** 2)
    return np.stack([np.bincount(cluster, column, minlength=n_clusters) for column in columns], axis=1)


def quadratic_kappa_of_numbers(sums: FloatArray) -> FloatArray:
    """Return the quadratic kappa of two raters of sums (..., 6); ``nan`` where all numbers are equal.

    It is 1 less the mean squared difference over that of any number of the one and any of the other.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        n, *others = np.moveaxis(sums, -1, 0)
        x, y, xx, yy, differences = (total / n for total in others)
        by_chance = (xx - x**2) + (yy - y**2) + (x - y) ** 2
        return np.where(by_chance > EQUAL * (xx + yy), 1 - differences / by_chance, np.nan)


def equal_shares(item: IntArray, answer: IntArray, n_items: int) -> FloatArray:
    """Return the share of the pairs of ratings of each item that are equal, (items,); ``nan`` for fewer than two.

    Parameters
    ----------
    item, answer : (ratings,) int arrays
    n_items : int
    """
    m = np.bincount(item, minlength=n_items)
    cells, counts = np.unique(np.stack([item, answer]), axis=1, return_counts=True)
    equal = np.bincount(cells[0], counts * (counts - 1), minlength=n_items)
    return np.where(m > 1, equal / np.maximum(m * (m - 1), 1), np.nan)
