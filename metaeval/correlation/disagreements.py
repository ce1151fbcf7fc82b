"""Where metric and human scores disagree about two systems: the documents, and the segments that cause it.

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

import numpy as np

from metaeval.correlation.vectors import parts
from metaeval.records import FloatArray, IntArray

N_DOCUMENTS = N_SEGMENTS = 3
_PAIRS_AT_ONCE = 4_000_000
_DIGITS_OF_TIES = 9  # Contradictions that agree to so many are equal.


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
    known = np.isfinite(metric) | ~judged
    rows: IntArray = np.flatnonzero((known.all() or known.all(axis=(0, 2))) & (np.count_nonzero(judged, axis=1) > 1))
    if not len(rows):
        return []
    metric = np.where(judged, metric, np.nan)
    m = _standardised(metric[:, rows], pooled).mean(axis=0)
    h = _standardised(people[np.newaxis, rows], pooled)[0]
    n_systems = people.shape[1]
    step = max(1, _PAIRS_AT_ONCE // n_systems**2)
    largest, pairs = np.empty(len(rows)), np.empty(len(rows), dtype=np.int64)
    for part in parts(len(rows), step):
        by_metric = m[part, :, None] - m[part, None, :]
        by_people = h[part, None, :] - h[part, :, None]
        # Several times as fast as a choice by masks; a nan counts as 0.
        product = (np.fmax(by_metric, 0.0) * np.fmax(by_people, 0.0)).reshape(-1, n_systems**2)
        pairs[part] = product.argmax(axis=1)
        largest[part] = product[np.arange(len(product)), pairs[part]]
    one, other = np.divmod(pairs, n_systems)
    over_all = (
        _over_all(m, h, one, other)
        if pooled
        else _over_all(
            _standardised(metric[:, rows], True).mean(axis=0),
            _standardised(people[np.newaxis, rows], True)[0],
            one,
            other,
        )
    )
    found = []
    for place in np.lexsort((-over_all, -largest.round(_DIGITS_OF_TIES)))[:most].tolist():
        if largest[place] > 0:
            i, j = int(one[place]), int(other[place])
            found.append(
                Disagreement(int(rows[place]), i, j, float(m[place, i] - m[place, j]), float(h[place, j] - h[place, i]))
            )
    return found


def _over_all(m: FloatArray, h: FloatArray, one: IntArray, other: IntArray) -> FloatArray:
    """Return the contradiction of a pair of each document, from scores standardised over all documents."""
    at = np.arange(len(h))
    return np.asarray((m[at, one] - m[at, other]) * (h[at, other] - h[at, one]))


def _standardised(values: FloatArray, pooled: bool) -> FloatArray:
    """Return (subsets, documents, systems) scores with mean 0 and standard deviation 1; 0 where all are equal.

    What is ``nan`` is as if it were not there, and stays so.
    """
    axes = (1, 2) if pooled else (2,)
    # The same numbers, and faster, where nothing is missing.
    is_whole = not np.isnan(values).any()
    std, most, least, mean = (
        (np.std, np.max, np.min, np.mean) if is_whole else (np.nanstd, np.nanmax, np.nanmin, np.nanmean)
    )
    spread = std(values, axis=axes, keepdims=True)
    # What is left by rounding among equal scores is no difference.
    same = most(values, axis=axes, keepdims=True) == least(values, axis=axes, keepdims=True)
    centred = values - mean(values, axis=axes, keepdims=True)
    standardised: FloatArray = np.divide(
        centred, spread, out=np.where(np.isnan(values), np.nan, 0.0), where=~same & (spread > 0)
    )
    return standardised


def causes_of(metric: FloatArray | None, people: FloatArray, *, most: int = N_SEGMENTS) -> IntArray:
    """Return which segments of a document cause its disagreement.

    Parameters
    ----------
    metric : (segments, 2) float array or None
        The scores of the system that the metric prefers, and of the other, in each segment; high is good. None where
        the metric has none.
    people : (segments, 2) float array
        The human scores; high is good, ``nan`` without a judgment.
    most : int
        How many at most.

    Returns
    -------
    (causes,) int array
        Rows, the largest cause first: by the product of both differences where both point as in the document, then by
        the difference in human scores. Those in which these do not prefer the other are left out, unless all are so: a
        document can rest on drawn judgments that differ from their mean.
    """
    by_people = np.nan_to_num(people[:, 1] - people[:, 0])
    by_metric = np.zeros(len(people)) if metric is None else np.nan_to_num(metric[:, 0] - metric[:, 1])
    product = np.maximum(by_metric, 0.0) * np.maximum(by_people, 0.0)
    order: IntArray = np.lexsort((np.arange(len(people)), -by_people, -product))
    return order[: max(1, min(most, int((by_people > 0).sum())))]
