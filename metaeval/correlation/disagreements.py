"""Disagreements of metric and human scores about two systems: the documents, and the segments that cause them.

They put the systems of a document in two orders. Both sides are standardised across the systems (mean
0, standard deviation 1, high is good), so that no scale counts. The contradiction of two systems is the product of
their two differences where these point in opposite ways; that of a document is the largest one among its pairs. Where
coefficients are taken over documents and systems pooled, both sides are standardised over all of these. Equal
contradictions, such as all those of two systems, are ordered by the same product over all documents and systems.

The segments of that document are ordered by the product of the same two differences, between the segment scores of the
metric and between the judgments as the experiment reduces them, where both point as they do in the document; then by
the difference in human scores.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from metaeval.correlation.array_helpers import parts
from metaeval.datamodel.corpus import FloatArray, IntArray

N_DOCUMENTS = N_SEGMENTS = 3
# Pairs of systems in a batch of documents: bounds the memory.
_BATCH_PAIRS = 4_000_000
# Contradictions that agree to so many digits are equal.
_TIE_DIGITS = 9


@dataclass(frozen=True)
class Disagreement:
    """Two systems that metric and human scores put in opposite orders.

    Attributes
    ----------
    document : int
        Its row.
    preferred : int
        The system that the metric puts above the other.
    other : int
        The system that human scores put above it.
    by_metric, by_people : float
        By how much, in standard deviations; both above 0.
    """

    document: int
    preferred: int
    other: int
    by_metric: float
    by_people: float

    @property
    def contradiction(self) -> float:
        """The product of both differences."""
        return self.by_metric * self.by_people


def find_disagreements(
    metric: FloatArray, people: FloatArray, *, pooled: bool = False, most: int = N_DOCUMENTS
) -> list[Disagreement]:
    """Return the documents with the largest contradictions, each with its pair of systems.

    Parameters
    ----------
    metric : (subsets or 1, documents, systems) float array
        High is good; standardised scores are averaged over the subsets.
    people : (documents, systems) float array
        High is good; ``nan`` where nobody judged.
    pooled : bool, default False
        Whether scores are standardised over all documents and systems, not in each document.
    most : int
        How many documents at most.

    Returns
    -------
    list of Disagreement
        By descending contradiction; equal ones by that of the same pair where scores are standardised over all
        documents and systems, then by their rows. Documents without two judged systems in opposite orders, or without
        the metric's score of a judged one, are left out.
    """
    judged = np.isfinite(people)
    scored = np.isfinite(metric) | ~judged
    rows: IntArray = np.flatnonzero((scored.all() or scored.all(axis=(0, 2))) & (np.count_nonzero(judged, axis=1) > 1))
    if not len(rows):
        return []
    metric = np.where(judged, metric, np.nan)[:, rows]
    people = people[np.newaxis, rows]
    m, h = (_standardised(side, pooled).mean(axis=0) for side in (metric, people))
    largest = _largest(m, h)
    rounded = largest.round(_TIE_DIGITS)
    least = np.partition(rounded, -most)[-most] if len(rows) > most else 0.0
    # Only documents that can be among the first need their pair.
    chosen = np.flatnonzero(rounded >= least)
    preferred, other = _pairs(m[chosen], h[chosen])
    over_all = np.zeros(len(chosen))
    if len(chosen) > 1:
        x, y = (m, h) if pooled else (_standardised(side, True).mean(axis=0) for side in (metric, people))
        over_all = (x[chosen, preferred] - x[chosen, other]) * (y[chosen, other] - y[chosen, preferred])
    disagreements = []
    for number in np.lexsort((-over_all, -rounded[chosen]))[:most].tolist():
        row = chosen[number]
        i = int(preferred[number])
        j = int(other[number])
        if largest[row] > 0:
            disagreements.append(
                Disagreement(int(rows[row]), i, j, float(m[row, i] - m[row, j]), float(h[row, j] - h[row, i]))
            )
    return disagreements


@cache
def _pairs_of_systems(n_systems: int) -> tuple[IntArray, IntArray]:
    """Return both systems of each pair."""
    return np.triu_indices(n_systems, 1)


def _largest(m: FloatArray, h: FloatArray) -> FloatArray:
    """Return the largest contradiction of each document, 0 where there is none; a pair that lacks a score counts 0."""
    first, second = _pairs_of_systems(m.shape[1])
    largest = np.empty(len(m))
    # A pair has the same product in both orders. Documents are the last axis, over which numpy is fast.
    for part in parts(len(m), max(1, _BATCH_PAIRS // max(1, len(first)))):
        by_metric, by_people = (np.ascontiguousarray(side[part].T) for side in (m, h))
        product = (by_metric[first] - by_metric[second]) * (by_people[second] - by_people[first])
        largest[part] = np.fmax.reduce(product, axis=0, initial=0.0)
    return largest


def _pairs(m: FloatArray, h: FloatArray) -> tuple[IntArray, IntArray]:
    """Return of each document the pair of systems with its largest contradiction, the first one of these."""
    n_documents, n_systems = m.shape
    pairs = np.empty(n_documents, dtype=np.int64)
    for part in parts(n_documents, max(1, _BATCH_PAIRS // n_systems**2)):
        by_metric = m[part, :, None] - m[part, None, :]
        by_people = h[part, None, :] - h[part, :, None]
        # Several times as fast as a choice by masks; a nan counts as 0.
        product = np.fmax(by_metric, 0.0) * np.fmax(by_people, 0.0)
        pairs[part] = product.reshape(-1, n_systems**2).argmax(axis=1)
    first, second = np.divmod(pairs, n_systems)
    return first, second


def _standardised(values: FloatArray, pooled: bool) -> FloatArray:
    """Return (subsets, documents, systems) scores with mean 0 and standard deviation 1; 0 where all are equal.

    ``nan`` is ignored, and stays ``nan``.
    """
    axes = (1, 2) if pooled else (2,)
    # The same numbers, and faster, where nothing is missing.
    is_whole = not np.isnan(values).any()
    most, least, mean = (np.max, np.min, np.mean) if is_whole else (np.nanmax, np.nanmin, np.nanmean)
    # Rounding must not make equal scores different.
    same = most(values, axis=axes, keepdims=True) == least(values, axis=axes, keepdims=True)
    centred = values - mean(values, axis=axes, keepdims=True)
    spread = np.sqrt(mean(np.square(centred), axis=axes, keepdims=True))
    standardised: FloatArray = np.divide(
        centred, spread, out=np.where(np.isnan(values), np.nan, 0.0), where=~same & (spread > 0)
    )
    return standardised


def causes_of(metric: FloatArray | None, people: FloatArray) -> IntArray:
    """Return the segments of a document that cause its disagreement.

    Parameters
    ----------
    metric : (segments, 2) float array or None
        The scores of the system that the metric prefers, and of the other, in each segment; high is good. None where
        the metric has none.
    people : (segments, 2) float array
        The human scores; high is good, ``nan`` without a judgment.

    Returns
    -------
    (causes,) int array
        At most `N_SEGMENTS` rows, the largest cause first: by the product of both differences where both point as in
        the document, then by the difference in human scores. Those in which these do not prefer the other are left
        out, unless all are so: a document can rest on drawn judgments that differ from their mean.
    """
    by_people = np.nan_to_num(people[:, 1] - people[:, 0])
    by_metric = np.zeros(len(people)) if metric is None else np.nan_to_num(metric[:, 0] - metric[:, 1])
    product = np.maximum(by_metric, 0.0) * np.maximum(by_people, 0.0)
    order: IntArray = np.lexsort((np.arange(len(people)), -by_people, -product))
    return order[: max(1, min(N_SEGMENTS, int((by_people > 0).sum())))]
