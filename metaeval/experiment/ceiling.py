"""The noise ceiling: how well people agree with people on the same documents, which no metric can be asked to surpass.

The judgments of each item are split in two parts that share none (`metaeval.judgments.parts`), both parts are pooled
to documents as the scores of metrics are, and related by the same coefficient. From the halves of all judgments,
Spearman and Brown's formula gives the reliability of the whole, and the root of that is the ceiling
(`metaeval.correlation.reliability`).

================  ==================================================================================================
row               is the mean, over draws, of the coefficient between
================  ==================================================================================================
inter-judge       one judgment of each item, and another
one-against-rest  one judgment of each item, and the mean of the others
split-half        the means of two random halves of the judgments of each item
reliability       the mean of all judgments, and the mean of as many by other people (by formula, from split-half)
ceiling           the mean of all judgments, and what infinitely many people would say (the root of the reliability)
================  ==================================================================================================
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from metaeval.contracts import Coefficient
from metaeval.correlation.reliability import ceiling_of, stepped_up
from metaeval.judgments.parts import KINDS, draw_parts, length_factor, usable
from metaeval.pooling import mean_of_sums, pool
from metaeval.records import BoolArray, Documents, FloatArray, IntArray, JudgedValues

# The rows of a coefficient, in their order.
ROWS = (*KINDS, "reliability", "ceiling")

# How many numbers a block of draws may hold at once.
_BLOCK = 1_000_000


@dataclass(frozen=True)
class CeilingRow:
    """One way to say how well people agree.

    Attributes
    ----------
    kind : str
        See the module.
    value : float
        The mean over draws; ``nan`` if no draw has one, and for reliability and ceiling if the formula has none.
    sd : float
        The spread of single draws about it (n - 1): the chance of the draw, not that of the judges or segments.
    n_draws : int
        Draws with a value.
    n_items_used : int
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
    n_items_used: int
    share_of_items: float
    n_undefined: int


def ceilings(
    judged: JudgedValues,
    documents: Documents,
    coefficient: Coefficient,
    average_by: str,
    *,
    n_draws: int,
    rng: np.random.Generator,
) -> list[CeilingRow]:
    """Return how well people agree with people on some documents.

    Parameters
    ----------
    judged : JudgedValues
        Restricted to the segments that `documents` points into. Items with one judgment are left out: a document's
        score is the mean over its other items.
    documents : Documents
        A document in which some system has no item left has no coefficient; ``none`` leaves out the score alone.
    coefficient : Coefficient
        As it comes: both sides have one direction.
    average_by : "item", "system" or "none"
    n_draws : int
        How often the judgments of all items are split anew.
    rng : Generator

    Returns
    -------
    list of CeilingRow
        In the order of `ROWS`. ``reliability`` and ``ceiling`` are there for correlations only, not for accuracies and
        such (coefficients that are not odd); they are meant for Pearson's, and approximate for others.
    """
    (rows,) = ceilings_of_several(judged, documents, [(coefficient, average_by)], n_draws=n_draws, rng=rng)
    return rows


def ceilings_of_several(
    judged: JudgedValues,
    documents: Documents,
    relations: Sequence[tuple[Coefficient, str]],
    *,
    n_draws: int,
    rng: np.random.Generator,
) -> list[list[CeilingRow]]:
    """Do the same for several coefficients, each with what it is averaged by, all from the same draws."""
    use = usable(judged)
    held = _held(documents, judged.counts.shape[1])
    n_used = int(use[:, held].sum())
    n_judged = int((judged.counts[:, held] > 0).sum())
    values: list[dict[str, list[FloatArray]]] = [{kind: [] for kind in KINDS} for _ in relations]
    undefined = [dict.fromkeys(KINDS, 0) for _ in relations]
    if n_used:
        for block in _drawn_documents(judged, documents, use, n_draws, rng):
            for place, (coefficient, average_by) in enumerate(relations):
                for kind, (first, second, whole) in block.items():
                    found = _related(first, second, whole, coefficient, average_by)
                    values[place][kind].append(_means(found))
                    undefined[place][kind] += int(np.isnan(found).sum())
    factor = length_factor(judged.counts[:, held][use[:, held]]) if n_used else np.nan
    results = []
    for place, (coefficient, _) in enumerate(relations):
        draws = {kind: np.concatenate(values[place][kind]) if n_used else np.empty(0) for kind in KINDS}
        rows = [_row(kind, draws[kind], undefined[place][kind], n_used, n_judged) for kind in KINDS]
        if coefficient.is_odd:
            rows.extend(_reliability(draws["split-half"], undefined[place]["split-half"], n_used, n_judged, factor))
        results.append(rows)
    return results


def ceiling_by_document(
    judged: JudgedValues, documents: Documents, coefficient: Coefficient, *, n_draws: int, rng: np.random.Generator
) -> tuple[FloatArray, float]:
    """Return the mean split-half coefficient across systems of each document, and the length factor.

    Parameters
    ----------
    judged, documents, coefficient, n_draws, rng
        As for :func:`ceilings`.

    Returns
    -------
    (documents,) float array
        ``nan`` where no draw has a value.
    float
        How many times longer all judgments are than a half, for `stepped_up`.
    """
    use = usable(judged)
    if not use.any():
        return np.full(len(documents), np.nan), np.nan
    total, number = np.zeros(len(documents)), np.zeros(len(documents))
    for block in _drawn_documents(judged, documents, use, n_draws, rng):
        first, second, whole = block["split-half"]
        complete = whole.all(axis=1)
        values = coefficient(np.ascontiguousarray(first[:, complete]), np.ascontiguousarray(second[:, complete]))
        total[complete] += np.nansum(values, axis=0)
        number[complete] += (~np.isnan(values)).sum(axis=0)
    halves = np.divide(total, number, out=np.full(len(documents), np.nan), where=number > 0)
    return halves, length_factor(judged.counts[use])


def _held(documents: Documents, n_segments: int) -> IntArray:
    """Return the segments that any of the documents holds."""
    if documents.indices is not None:
        return np.unique(documents.indices)
    assert documents.counts is not None
    return np.flatnonzero((documents.counts > 0).any(axis=0))


Sides = tuple[FloatArray, FloatArray, BoolArray]


def _drawn_documents(
    judged: JudgedValues, documents: Documents, use: BoolArray, n_draws: int, rng: np.random.Generator
) -> Iterator[dict[str, Sides]]:
    """Give the scores of the documents by both parts, (draws, documents, systems), and where they have any."""
    n_systems, n_segments = use.shape
    weights = pool(use[..., None].astype(np.float64), documents)[..., 0]
    scale = float(np.abs(judged.values).max(initial=0.0))
    block = max(1, _BLOCK // max(1, n_systems * max(n_segments, len(documents))))
    for start in range(0, n_draws, block):
        size = min(block, n_draws - start)
        parts = draw_parts(judged, size, rng)
        yield {
            kind: (
                _scores(parts.first[kind], weights, documents, scale),
                _scores(parts.second[kind], weights, documents, scale),
                weights > 0,
            )
            for kind in KINDS
        }


def _scores(values: FloatArray, weights: FloatArray, documents: Documents, scale: float) -> FloatArray:
    """Return the mean of each document by one part: (draws, documents, systems)."""
    n_draws, n_systems, n_segments = values.shape
    sums = pool(values.reshape(n_draws * n_systems, n_segments, 1), documents)[..., 0]
    sums = sums.reshape(len(documents), n_draws, n_systems).transpose(1, 0, 2)
    return mean_of_sums(np.stack([sums, np.broadcast_to(weights, sums.shape)], axis=-1), scale)


def _related(
    first: FloatArray, second: FloatArray, whole: BoolArray, coefficient: Coefficient, average_by: str
) -> FloatArray:
    """Relate the scores of each draw: (draws, coefficients)."""
    if average_by == "none":
        return coefficient(first[:, whole], second[:, whole])[:, None]
    complete = whole.all(axis=1)
    first, second = first[:, complete], second[:, complete]
    if average_by == "system":
        first, second = first.swapaxes(1, 2), second.swapaxes(1, 2)
    return coefficient(np.ascontiguousarray(first), np.ascontiguousarray(second))


def _means(found: FloatArray) -> FloatArray:
    """Return the mean coefficient of each draw over those that are defined: (draws,)."""
    defined = ~np.isnan(found)
    counts = defined.sum(axis=1)
    means = np.full(len(found), np.nan)
    np.divide(np.where(defined, found, 0.0).sum(axis=1), counts, out=means, where=counts > 0)
    return means


def _row(kind: str, draws: FloatArray, n_undefined: int, n_used: int, n_judged: int) -> CeilingRow:
    defined = draws[~np.isnan(draws)]
    value = float(defined.mean()) if len(defined) else np.nan
    sd = float(defined.std(ddof=1)) if len(defined) > 1 else np.nan
    return CeilingRow(kind, value, sd, len(defined), n_used, n_used / n_judged if n_judged else np.nan, n_undefined)


def _reliability(halves: FloatArray, n_undefined: int, n_used: int, n_judged: int, factor: float) -> list[CeilingRow]:
    """Return the rows that follow from the draws of split-half: by their mean, with the spread of single draws."""
    mean = _row("", halves, n_undefined, n_used, n_judged)
    if not mean.n_draws:
        return [_row(kind, halves, n_undefined, n_used, n_judged) for kind in ("reliability", "ceiling")]
    by_draw = stepped_up(halves, factor)
    reliability = stepped_up(mean.value, factor)
    rows = []
    for kind, draws, value in (
        ("reliability", by_draw, reliability),
        ("ceiling", ceiling_of(by_draw), ceiling_of(reliability)),
    ):
        spread = _row(kind, draws, n_undefined, n_used, n_judged)
        rows.append(CeilingRow(kind, float(value), spread.sd, spread.n_draws, n_used, mean.share_of_items, n_undefined))
    return rows
