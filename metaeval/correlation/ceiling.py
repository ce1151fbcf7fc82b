"""The noise ceiling: the coefficient that a perfect metric would have with judgments as noisy as these.

It is the root of a reliability, which is estimated from parts of the judgments: those of each item are split into two
parts that share none, anew in every draw; both parts are pooled to documents as the scores of metrics are, and
correlated by the same coefficient.

================  ==================================================================================================
row               is the mean, over draws, of the coefficient between
================  ==================================================================================================
inter-judge       one judgment of each item, and another
one-against-rest  one judgment of each item, and the mean of the others
split-half        the means of two random halves of the judgments of each item; of an odd number, the draw says which
                  half has one more
reliability       the mean of all judgments, and the mean of as many by other judges (by formula, from split-half)
ceiling           the mean of all judgments, and that of infinitely many (the root of the reliability)
================  ==================================================================================================

The formulas take human scores for truth plus error, errors of different judgments being independent, of equal variance
and unrelated to the truth. Then (Spearman 1910, Brown 1910) the correlation r between two equal parts of the judgments
is the reliability of one part, and that of parts k times as long is k r / (1 + (k - 1) r). A metric that is the truth
itself correlates with the observed scores by the square root of their reliability (Spearman 1904). All of this holds
for Pearson's correlation; for rank correlations it is customary, and an approximation.

Where the halves correlate below 0, reliability and ceiling are undefined: a share of truth cannot be negative, and the
formula, which knows no lower bound, gives figures such as -2. Errors are then not independent, or there is no truth to
be seen in these judgments.

Sources, by their keys in `bibliography.toml`: spearman1904, spearman1910, brown1910.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from metaeval.components.coefficient import Coefficient
from metaeval.correlation.averages import arrange_rows, correlate, correlate_sets, mean_of_defined, summarise
from metaeval.datamodel.corpus import BoolArray, Documents, FloatArray, IntArray
from metaeval.datamodel.pooling import JudgedValues, means_of, pool
from metaeval.kernels import split_judgments as kernels

# How the judgments of an item are split.
KINDS = ("inter-judge", "one-against-rest", "split-half")

# Numbers in a batch of draws, at most: bounds the memory.
_BATCH_NUMBERS = 1_000_000


@dataclass(frozen=True)
class CeilingRow:
    """A correlation of human scores with human scores.

    Attributes
    ----------
    kind : str
        See the module.
    value : float
        The mean over draws; ``nan`` if no draw has one, and for reliability and ceiling if halves correlate below 0.
    sd : float
        The spread of single draws about it (n - 1): the chance of the draw, not that of the judges or segments.
    n_draws : int
        Draws with a value.
    items_used : int
        Items of the documents that have two judgments or more, each counted once.
    share_of_items : float
        Their share of the documents' items that have any judgment.
    n_undefined : int
        Coefficients without a value over all draws, because one side was constant.
    """

    kind: str
    value: float
    sd: float
    n_draws: int
    items_used: int
    share_of_items: float
    n_undefined: int


def ceilings(
    judged: JudgedValues,
    documents: Documents,
    relations: Sequence[tuple[Coefficient, str]],
    *,
    n_draws: int,
    rng: np.random.Generator,
    by_cell: bool = False,
) -> list[list[CeilingRow]]:
    """Correlate human scores with human scores of the same documents.

    Parameters
    ----------
    judged : JudgedValues
        Restricted to the segments that `documents` points into. Items with one judgment are left out: a document's
        score is the mean over its other items.
    documents : Documents
        A document in which some system has no item left has no coefficient; ``none`` leaves out the score alone.
    relations : sequence of (Coefficient, str)
        Coefficients as they come, since both sides have one direction; each with what it is averaged by: ``item``,
        ``system`` or ``none``. All are of the same draws.
    n_draws : int
        How often the judgments of all items are split.
    rng : Generator
    by_cell : bool, default False
        Whether a document's coefficient is across those systems that have an item left.

    Returns
    -------
    list of list of CeilingRow
        For each relation, in the order of the module's table. ``reliability`` and ``ceiling`` are there for
        correlations only, not for accuracies and such (coefficients that are not odd); they are meant for Pearson's,
        and approximate for others.
    """
    counts = judged.counts[:, _segments_of(documents)]
    n_used, n_judged = int((counts > 1).sum()), int((counts > 0).sum())
    share = n_used / n_judged if n_judged else np.nan
    factor = length_factor(counts)
    means: dict[tuple[int, str], list[FloatArray]] = defaultdict(lambda: [np.empty(0)])
    undefined: Counter[tuple[int, str]] = Counter()
    for block in _drawn_documents(judged, documents, n_draws, rng):
        for (number, relation), (kind, sides) in itertools.product(enumerate(relations), block.items()):
            coefficients = _related(*sides, *relation, by_cell=by_cell)
            means[number, kind].append(mean_of_defined(coefficients, axis=1))
            undefined[number, kind] += int(np.isnan(coefficients).sum())
    results = []
    for number, (coefficient, _) in enumerate(relations):
        draws = {kind: np.concatenate(means[number, kind]) for kind in KINDS}
        by_formula: dict[str, float] = {}
        if coefficient.is_odd:
            undefined[number, "reliability"] = undefined[number, "ceiling"] = undefined[number, "split-half"]
            draws["reliability"] = stepped_up(draws["split-half"], factor)
            draws["ceiling"] = ceiling_of(draws["reliability"])
            # From the mean of the draws; single draws only show the spread.
            reliability = float(stepped_up(summarise(draws["split-half"]).mean, factor))
            reliability = reliability if reliability >= 0 else np.nan
            by_formula = {"reliability": reliability, "ceiling": float(ceiling_of(reliability))}
        rows = []
        for kind, values in draws.items():
            summary = summarise(values)
            value = by_formula.get(kind, summary.mean)
            sd = np.nan if np.isnan(value) else summary.sd
            rows.append(CeilingRow(kind, value, sd, summary.n_used, n_used, share, undefined[number, kind]))
        results.append(rows)
    return results


def draw_parts(judged: JudgedValues, n_draws: int, rng: np.random.Generator) -> dict[str, FloatArray]:
    """Draw two parts of the judgments of all items: each draw puts the judgments of each item in a random order.

    Parameters
    ----------
    judged : JudgedValues
    n_draws : int
    rng : Generator
        Only uniform numbers are taken from it.

    Returns
    -------
    mapping of each of `KINDS` to a (2, draws, systems, segments) float array
        The values of both parts; 0 where an item has fewer than two judgments.
    """
    parts = {kind: np.zeros((2, n_draws, *judged.counts.shape)) for kind in KINDS}
    for count in np.unique(judged.counts[judged.counts > 1]):
        items = judged.counts == count
        values = judged.values[judged.starts[items][:, None] + np.arange(count)]
        keys = rng.random((n_draws, *values.shape))
        longer = rng.random((n_draws, len(values) if count % 2 else 0)) < 0.5
        positions = np.flatnonzero(items)
        if not kernels.split_judgments(values, keys, longer, positions, judged.counts.size, list(parts.values())):
            for kind, sides in _split(values, keys, longer).items():
                parts[kind][..., items] = sides
    return parts


def _split(values: FloatArray, keys: FloatArray, longer: BoolArray) -> dict[str, FloatArray]:
    """Return both parts of each kind of judgments (items, count) in the order of their keys: (2, draws, items)."""
    count = values.shape[1]
    small = count // 2
    ordered = np.take_along_axis(values[None], keys.argsort(axis=-1, kind="stable"), axis=-1)
    sums = ordered.cumsum(axis=-1)
    first = ordered[..., 0]
    half = sums[..., small - 1]
    total = sums[..., -1]
    sizes = np.full(half.shape, small)
    if count % 2:
        half = np.where(longer, sums[..., small], half)
        sizes += longer
    sides = (
        (first, ordered[..., 1]),
        (first, (total - first) / (count - 1)),
        (half / sizes, (total - half) / (count - sizes)),
    )
    return dict(zip(KINDS, map(np.stack, sides), strict=True))


def _segments_of(documents: Documents) -> IntArray:
    """Return the segments that occur in any of the documents."""
    if documents.indices is not None:
        return np.unique(documents.indices)
    assert documents.counts is not None
    return np.flatnonzero((documents.counts > 0).any(axis=0))


def _drawn_documents(
    judged: JudgedValues, documents: Documents, n_draws: int, rng: np.random.Generator
) -> Iterator[dict[str, tuple[FloatArray, FloatArray, BoolArray]]]:
    """Yield the scores of the documents by both parts, (draws, documents, systems), and a mask of those that exist."""
    n_systems, n_segments = judged.counts.shape
    weights = pool((judged.counts > 1)[..., None].astype(np.float64), documents)[..., 0]
    if not weights.any():
        return
    scale = float(np.abs(judged.values).max(initial=0.0))

    def add(part: FloatArray) -> FloatArray:
        return pool(part.reshape(-1, n_segments, 1), documents).reshape(len(documents), -1, n_systems)

    def scores(part: FloatArray) -> FloatArray:
        return means_of(add(part), weights[:, np.newaxis], scale).transpose(1, 0, 2)

    block = max(1, _BATCH_NUMBERS // max(1, n_systems * max(n_segments, len(documents))))
    for start in range(0, n_draws, block):
        n = min(block, n_draws - start)
        parts = draw_parts(judged, n, rng)
        yield {kind: (scores(first), scores(second), weights > 0) for kind, (first, second) in parts.items()}


def _related(
    first: FloatArray,
    second: FloatArray,
    whole: BoolArray,
    coefficient: Coefficient,
    average_by: str,
    *,
    by_cell: bool = False,
) -> FloatArray:
    """Correlate the scores of each draw: (draws, coefficients)."""
    if average_by == "none":
        return correlate_sets(coefficient, first[:, whole], second[:, whole])[:, None]
    if by_cell:
        first = arrange_rows(first, average_by)
        second = arrange_rows(second, average_by)
        whole = arrange_rows(whole, average_by)
        n = first.shape[2]
        cells = np.tile(whole, (len(first), 1))
        values = correlate(first.reshape(-1, n), second.reshape(-1, n), coefficient, "item", where=cells)
        return values.reshape(first.shape[:2])
    complete = whole.all(axis=1)
    # Contiguous rows, so that sums have the same last bits always.
    if average_by != "item" or not complete.all():
        first, second = (np.ascontiguousarray(arrange_rows(side[:, complete], average_by)) for side in (first, second))
    return np.ascontiguousarray(correlate_sets(coefficient, first, second))


def length_factor(counts: IntArray) -> float:
    """Return the ratio of all judgments to a random half of them, on average.

    The error variance of a mean of k judgments is proportional to 1 / k. So the factor is the mean of 1 / k over both
    halves of all items, divided by that over all items: 2 where all numbers are even, 2.25 where all are three.

    Parameters
    ----------
    counts : int array of any shape
        The numbers of judgments of the items; those with fewer than 2 are left out.

    Returns
    -------
    float
        ``nan`` if none is left.
    """
    counts = counts[counts > 1]
    if not len(counts):
        return np.nan
    small = counts // 2
    return float((0.5 / small + 0.5 / (counts - small)).mean() / (1.0 / counts).mean())


def stepped_up(r: npt.ArrayLike, factor: float) -> FloatArray:
    """Return the reliability of human scores that rest on `factor` times as many judgments (Spearman and Brown).

    Parameters
    ----------
    r : array_like of any shape
        The correlation between two parts of equal length: from -1 to 1.
    factor : float
        At least 1.

    Returns
    -------
    float array of that shape
        At most 1; negative where r is, without lower bound, and then no reliability. ``nan`` where
        r <= -1 / (factor - 1), where the formula has no value.
    """
    r = np.asarray(r, dtype=np.float64)
    below = 1.0 + (factor - 1.0) * r
    reliability = np.full(r.shape, np.nan)
    np.divide(factor * r, below, out=reliability, where=below > 0)
    return reliability


def ceiling_of(reliability: npt.ArrayLike) -> FloatArray:
    """Return the correlation of a perfect metric with scores of this reliability: its root, undefined below 0."""
    values = np.asarray(reliability, dtype=np.float64)
    return np.asarray(np.sqrt(np.where(values >= 0, values, np.nan)))
