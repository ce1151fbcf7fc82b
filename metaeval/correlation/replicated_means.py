"""Mean coefficients in replicates that draw documents as they are, or systems, or both: item by item where possible.

Scores stay as they are. Where each document has a coefficient of its own, that stays too, and the mean of a replicate
weights it by how often the document was drawn: all replicates are one product of counts and coefficients. Else each
replicate is correlated again.

Two metrics are compared over the documents where both have a coefficient, so there are means of all pairs of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from metaeval.correlation.array_helpers import parts
from metaeval.correlation.averages import Oriented, Relation, line_coefficients, systems_scored
from metaeval.correlation.tolerances import CANCELLED_REPLICATE
from metaeval.datamodel.corpus import BoolArray, FloatArray, IntArray
from metaeval.datamodel.resampling import Resamples, Rows

# Replicates in a batch, and counts of them, at most: bounds the memory.
_BATCH_REPLICATES = 1000
_BATCH_COUNTS = 1 << 27
# Batches in one call of an executor.
_BATCHES_PER_CALL = 16

# The scores of a metric, (subsets or 1, documents, systems), and how they are correlated.
_Metric: TypeAlias = tuple[FloatArray, Relation]


class PairedMeans(NamedTuple):
    """The mean coefficients of metrics in replicates, over the documents where another metric has one too.

    Attributes
    ----------
    means : (replicates, metrics, groups) float array
        Of each metric beside one of a group, whose metrics all lack the same documents.
    groups : (metrics,) int array
        That of each metric.
    """

    means: FloatArray
    groups: IntArray

    @classmethod
    def empty(cls, n_replicates: int, groups: IntArray) -> PairedMeans:
        """Return an empty array of means, in which those of a pair are contiguous."""
        room = np.empty((len(groups), 1 + int(groups.max(initial=-1)), n_replicates))
        return cls(np.moveaxis(room, 2, 0), groups)

    @classmethod
    def alone(cls, means: FloatArray) -> PairedMeans:
        """Take means (metrics, replicates) that are the same whatever the other metric is."""
        return cls(means.T[:, :, np.newaxis], np.zeros(len(means), dtype=np.int64))

    def beside(self, metric: int, other: int) -> FloatArray:
        """Return the means of a metric over the documents where both have a coefficient: (replicates,)."""
        return self.means[:, metric, self.groups[other]]


def blocks(n: int, n_counts: int, most: int = _BATCH_REPLICATES) -> Iterator[slice]:
    """Yield the rows of each batch of replicates.

    The batches do not depend on the memory, because a product may have other last digits in other ones.

    Parameters
    ----------
    n : int
        How many there are.
    n_counts : int
        The counts of each, or whatever takes two bytes.
    most : int
        Replicates in a batch, at most.
    """
    return parts(n, max(1, min(most, _BATCH_COUNTS // max(1, n_counts))))


def parts_of_calls(n: int, n_documents: int) -> Iterator[slice]:
    """Yield the replicates of documents in the parts that may be computed in parallel: several `blocks` each."""
    step = next(blocks(n, 4 * n_documents), slice(0, 1)).stop
    return (slice(part.start, min(part.stop, n)) for part in parts(n, _BATCHES_PER_CALL * step))


def _within(part: slice, rows: slice) -> slice:
    return slice(part.start + rows.start, part.start + rows.stop)


def replicated_means(
    scores: Sequence[FloatArray],
    human: FloatArray,
    relations: Sequence[Relation],
    average_by: str,
    undefined: str,
    resamples: Resamples,
    part: slice,
) -> PairedMeans:
    """Return mean coefficients in some replicates that draw documents as they are, or systems.

    Parameters
    ----------
    scores : sequence of (subsets or 1, documents, systems) float arrays
        Of each metric.
    human : (documents, systems) float array
    relations : sequence of Relation
        Of each metric, of one coefficient.
    average_by, undefined : str
        As the experiment has them.
    resamples : Resamples
    part : slice
        One of `parts_of_calls`.
    """
    metrics = list(zip(scores, relations, strict=True))
    if resamples.systems is None:
        assert resamples.segments is not None
        if average_by == "item" and relations[0].coefficient.is_fitted:
            return _fitted_means(metrics, human, undefined, resamples.segments[part])
        if average_by == "item":
            return _weighted_value_means(metrics, human, undefined, resamples.segments, part)
        if all(_is_of_moments(*metric) for metric in metrics):
            return _means_from_sums(metrics, human, average_by, undefined, resamples.segments, part)
    return _one_by_one(metrics, human, average_by, undefined, resamples, part)


def _weighted_value_means(
    metrics: Sequence[_Metric], human: FloatArray, undefined: str, draws: Rows, part: slice
) -> PairedMeans:
    """Return the means of the coefficients of documents, each weighted by how often its document is drawn."""
    values = np.stack(
        [filled(line_coefficients(scores, human, relation, "item"), undefined) for scores, relation in metrics]
    )
    defined = (~np.isnan(values)).astype(np.float64)
    without_nan = np.nan_to_num(values, nan=0.0)
    group_of: dict[bytes, int] = {}
    groups = np.array([group_of.setdefault(mask.tobytes(), len(group_of)) for mask in defined])
    first = [defined[np.flatnonzero(groups == group)[0]] for group in range(len(group_of))]
    sums = [((without_nan * mask).T, (defined * mask).T) for mask in first]
    n_replicates = part.stop - part.start
    paired = PairedMeans.empty(n_replicates, groups)
    for rows in blocks(n_replicates, 4 * len(human)):
        counts = draws[_within(part, rows)].astype(np.float64)
        for group, (totals, numbers) in enumerate(sums):
            paired.means[rows, :, group] = _divided(counts @ totals, counts @ numbers)
    return paired


def _means_from_sums(
    metrics: Sequence[_Metric], human: FloatArray, average_by: str, undefined: str, draws: Rows, part: slice
) -> PairedMeans:
    """Return the means of Pearson's coefficients that are taken from sums of each document."""
    paired = PairedMeans.empty(part.stop - part.start, np.arange(len(metrics)))
    by_replicate = np.stack(
        [_means_from_moments(*metric, human, average_by, draws, part) for metric in metrics], axis=1
    )
    for number, values in enumerate(by_replicate):
        paired.means[number] = paired_means(np.stack([filled(coefficients, undefined) for coefficients in values]))
    return paired


def _one_by_one(
    metrics: Sequence[_Metric], human: FloatArray, average_by: str, undefined: str, resamples: Resamples, part: slice
) -> PairedMeans:
    """Return the means of coefficients that are computed again in each replicate."""
    paired = PairedMeans.empty(part.stop - part.start, np.arange(len(metrics)))
    everything = np.arange(len(human))
    for number in range(part.start, part.stop):
        documents = everything if resamples.segments is None else np.repeat(everything, resamples.segments[number])
        people = human[documents]
        systems = slice(None) if resamples.systems is None else resamples.systems[number]
        of_documents = [
            filled(coefficients_of_draw(scores[:, documents], people, systems, relation, average_by), undefined)
            for scores, relation in metrics
        ]
        paired.means[number - part.start] = paired_means(np.stack(of_documents))
    return paired


def _is_of_moments(scores: FloatArray, relation: Relation) -> bool:
    """Return whether a coefficient is Pearson's, of one score in every document of each system that it has any of."""
    return (
        relation.coefficient.of_moments
        and len(scores) == 1
        and bool(np.isfinite(scores[..., systems_scored(scores)]).all())
    )


def _means_from_moments(
    scores: FloatArray, relation: Relation, human: FloatArray, average_by: str, counts: Rows, part: slice
) -> FloatArray:
    """Return Pearson's coefficients of a metric, (replicates, 1 or systems), from sums of each document."""
    scored = systems_scored(scores)
    x = scores[0][:, scored]
    y = human[:, scored]
    judged = np.isfinite(y)
    # Centred, so that little cancels.
    x, y = (np.where(judged, side - side[judged].mean() if judged.any() else 0.0, 0.0) for side in (x, y))
    moments = np.stack([judged.astype(np.float64), x, y, x * x, y * y, x * y], axis=1)
    groups = moments.sum(axis=2, keepdims=True) if average_by == "none" else moments
    n_replicates = part.stop - part.start
    coefficients = np.full((n_replicates, groups.shape[2] if average_by == "none" else len(scored)), np.nan)
    columns = slice(None) if average_by == "none" else scored
    for rows in blocks(n_replicates, 4 * len(human)):
        drawn = counts[_within(part, rows)].astype(np.float64) @ groups.reshape(len(groups), -1)
        n, of_x, of_y, of_xx, of_yy, of_xy = np.moveaxis(drawn.reshape(-1, *groups.shape[1:]), 1, 0)
        n = np.maximum(n, 1.0)
        spreads = of_xx - of_x * of_x / n, of_yy - of_y * of_y / n
        # Where nothing is left but rounding, only the scores can say whether one side is constant.
        sure = (spreads[0] > CANCELLED_REPLICATE * of_xx) & (spreads[1] > CANCELLED_REPLICATE * of_yy)
        spread = np.where(sure, spreads[0] * spreads[1], 1.0)
        values = np.where(sure, np.clip((of_xy - of_x * of_y / n) / np.sqrt(spread), -1.0, 1.0), np.nan)
        coefficients[rows, columns] = -values if isinstance(relation, Oriented) else values
        for number in rows.start + np.flatnonzero(~sure.all(axis=1)):
            documents = np.repeat(np.arange(len(human)), counts[part.start + int(number)])
            coefficients[number] = coefficients_of_draw(
                scores[:, documents], human[documents], slice(None), relation, average_by
            )
    return coefficients


def coefficients_of_draw(
    scores: FloatArray, human: FloatArray, systems: slice | IntArray, relation: Relation, average_by: str
) -> FloatArray:
    """Return the coefficients of documents with some systems, which may be drawn more than once."""
    drawn = scores[:, :, systems]
    people = human[:, systems]
    values = line_coefficients(drawn, people, relation, average_by)
    if isinstance(systems, slice):
        return values
    cells = np.isfinite(people) & systems_scored(drawn)
    return without_copies(values, cells, np.broadcast_to(systems, cells.shape), relation, average_by)


def without_copies(
    values: FloatArray, cells: BoolArray, systems: IntArray, relation: Relation, average_by: str
) -> FloatArray:
    """Return coefficients that count ties without the pairs of a system with itself, where it was drawn twice.

    Such a pair is tied on both sides, so that it would count as right: of N pairs with c copies among them, the mean
    v becomes (N v - c) / (N - c). Other coefficients stay as they are.

    Parameters
    ----------
    values : (rows,) float array, or (1,) where all rows have one
        One for each document across the systems drawn; ``nan`` where only copies are left.
    cells : (rows, drawn) bool array
        Which are there.
    systems : (rows, drawn) int array
        Their systems.
    relation : Relation
    average_by : str
    """
    if average_by == "system" or not relation.coefficient.counts_ties:
        return values
    if relation.coefficient.takes_grid:
        # It compares systems, once each.
        cells = cells[:1] | True
        systems = systems[:1]
    n = cells.sum(axis=1)
    same = (systems[:, :, None] == systems[:, None, :]) & cells[:, :, None] & cells[:, None, :]
    copies = (same.sum(axis=(1, 2)) - n) / 2
    pairs = n * (n - 1) / 2
    if average_by == "none" and not relation.coefficient.takes_grid:
        copies = copies.sum(keepdims=True)
        pairs = n.sum(keepdims=True) * (n.sum(keepdims=True) - 1) / 2
    left = pairs - copies
    return np.asarray(np.divide(values * pairs - copies, left, out=np.full(values.shape, np.nan), where=left > 0))


def _fitted_means(metrics: Sequence[_Metric], human: FloatArray, undefined: str, counts: IntArray) -> PairedMeans:
    """Return the means of a coefficient that is fitted to all documents of a replicate."""
    judged = np.isfinite(human)
    cells = [judged & systems_scored(scores) for scores, _ in metrics]
    whole = [
        (np.isfinite(scores) | ~judged_cells).all(axis=(0, 2)) & (judged_cells.sum(axis=1) > 1)
        for (scores, _), judged_cells in zip(metrics, cells, strict=True)
    ]
    paired = PairedMeans.empty(len(counts), np.arange(len(metrics)))
    for number, (scores, relation) in enumerate(metrics):
        judged_cells = cells[number]
        of_documents: dict[bytes, FloatArray] = {}
        for beside, of_other in enumerate(whole):
            # An undefined coefficient that counts 0 leaves no document out.
            rows = whole[number] if undefined == "zero" else whole[number] & of_other
            if rows.tobytes() not in of_documents:
                drawn = np.ascontiguousarray(counts[:, rows])
                by_subset = [
                    relation.replicated_means(subset[rows], human[rows], drawn, judged_cells[rows]) for subset in scores
                ]
                share = drawn.sum(axis=1) / counts.sum(axis=1) if undefined == "zero" else 1.0
                of_documents[rows.tobytes()] = np.mean(by_subset, axis=0) * share
            paired.means[:, number, beside] = of_documents[rows.tobytes()]
    return paired


def paired_means(values: FloatArray) -> FloatArray:
    """Return means of coefficients (..., metrics, n), where another metric has one too: (..., metrics, metrics).

    On the diagonal are the means over all that a metric has; ``nan`` where there is nothing.
    """
    is_defined = ~np.isnan(values)
    defined = is_defined.astype(np.float64)
    # Many products of two matrices each, whose digits do not depend on how many there are.
    others = defined.swapaxes(-1, -2)
    return _divided(np.where(is_defined, values, 0.0) @ others, defined @ others)


def _divided(totals: FloatArray, numbers: FloatArray) -> FloatArray:
    means: FloatArray = np.divide(totals, numbers, out=np.full(totals.shape, np.nan), where=numbers > 0)
    return means


def filled(values: FloatArray, undefined: str) -> FloatArray:
    """Return coefficients (..., n) with 0 where undefined, if so wanted; a replicate without any has no value."""
    if undefined != "zero":
        return values
    return np.where(np.isnan(values).all(axis=-1, keepdims=True), values, np.nan_to_num(values, nan=0.0))
