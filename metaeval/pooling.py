"""The one place that adds: a document's statistics are the sum over its segments.

Metric scores and judgments are added by the same code here, so they cannot be averaged differently.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from metaeval._kernels import pooled as kernels
from metaeval.records import BoolArray, Documents, FloatArray, IntArray


@dataclass(frozen=True)
class JudgedValues:
    """The judgments on one criterion, sorted so that those of one item stand together.

    Attributes
    ----------
    values : (judgments,) float array
        Scores, normalised or not.
    starts : (systems, segments) int array
        Where the judgments of each item begin in `values`.
    counts : (systems, segments) int array
        How many there are.
    """

    values: FloatArray
    starts: IntArray
    counts: IntArray


@dataclass(frozen=True)
class Statistics:
    """The additive numbers of a metric.

    Attributes
    ----------
    table : (systems, segments, columns) float array
        ``nan`` where a segment cannot be scored, because it has no reference of the subset. Several metrics may have
        one table, where what more than one of them counts stands once.
    names : tuple of str
        One for each statistic.
    columns : tuple of int, optional
        Where each of them stands in the table; all of it unless given.
    """

    table: FloatArray
    names: tuple[str, ...]
    columns: tuple[int, ...] | None = None

    @property
    def values(self) -> FloatArray:
        """The numbers alone: (systems, segments, statistics)."""
        return self.table if self.columns is None else self.table[..., self.columns]

    def narrowed(self, names: tuple[str, ...], columns: Sequence[int]) -> Statistics:
        """Return some of them.

        Parameters
        ----------
        names : tuple of str
            What they are called.
        columns : sequence of int
            Their positions.

        Returns
        -------
        Statistics
            With the same table.
        """
        own = range(self.table.shape[-1]) if self.columns is None else self.columns
        return Statistics(self.table, names, tuple(own[column] for column in columns))


def ordered_sum(values: Iterable[float]) -> float:
    """Add numbers from the first to the last, each sum rounded: the same bits in every version of Python.

    Since Python 3.12 ``sum`` carries the rounding errors along, and gives other last digits than before.

    Parameters
    ----------
    values : iterable of float

    Returns
    -------
    float
        0 of nothing.
    """
    total = 0.0
    for value in values:
        total += value
    return total


# Segments whose statistics are added at once. The parts are always the same ones, so that sums have the same bits
# whatever else is done in parts.
_SEGMENTS = 1 << 14
# Numbers that are held in another order at once.
_AT_ONCE = 1 << 24


def whole(n_segments: int) -> Documents:
    """Return one document that holds every segment."""
    return Documents(indices=np.arange(n_segments, dtype=np.int32)[None, :], labels=("all",))


def pool(
    values: FloatArray, documents: Documents, segments: IntArray | None = None, items: BoolArray | None = None
) -> FloatArray:
    """Add the statistics of the segments of each document.

    Parameters
    ----------
    values : (systems, all segments, statistics) float array
        Finite on all segments that a document holds.
    documents : Documents
        Rows of segment weights.
    segments : (segments,) int array, optional
        What the documents point into, ascending; all of them unless given.
    items : (systems, segments) bool array, optional
        The items that count, others being 0; all of them unless given.

    Returns
    -------
    (documents, systems, statistics) float array
        Integer statistics add without error up to 2**53.
    """
    if segments is None or len(segments) == values.shape[1]:
        segments = np.arange(values.shape[1])

    n_systems, _, n_statistics = values.shape

    def rows(places: slice | IntArray, systems: slice = slice(None)) -> FloatArray:
        """Return the statistics of some segments in rows: (places, systems * statistics)."""
        chosen = segments[places]
        is_run = isinstance(places, slice) and len(chosen) > 0 and chosen[-1] - chosen[0] == len(chosen) - 1
        found = values[systems, chosen[0] : chosen[-1] + 1] if is_run else values[systems, chosen]
        if items is not None:
            found = np.where(items[systems, places, np.newaxis], found, 0.0)
        return np.ascontiguousarray(found.transpose(1, 0, 2)).reshape(len(chosen), -1)

    if documents.counts is not None:
        pooled = weigh(documents.counts, rows)
    else:
        assert documents.indices is not None
        found = None if items is not None else kernels.pool(values, segments, documents.indices)
        if found is not None:
            return found
        if documents.indices.shape[1] == 1:
            pooled = rows(documents.indices[:, 0])
        else:
            # Each column is added by itself, so that some systems at a time have the same sums.
            step = max(1, _AT_ONCE // max(1, len(segments) * n_statistics))
            few = (slice(start, start + step) for start in range(0, n_systems, step))
            pooled = np.hstack([_gather_and_add(rows(slice(None), one), documents.indices) for one in few])
    return pooled.reshape(len(documents), n_systems, n_statistics)


class Sums:
    """The sums of the statistics of documents, made once for all metrics that have the same table.

    Parameters
    ----------
    statistics : sequence of Statistics
        Those that are asked for.
    documents, segments, items
        As for :func:`pool`.
    """

    def __init__(
        self,
        statistics: Sequence[Statistics],
        documents: Documents,
        segments: IntArray | None = None,
        items: BoolArray | None = None,
    ) -> None:
        self._where = documents, segments, items
        self._made: dict[int, tuple[FloatArray, list[int]]] = {}
        needed: dict[int, tuple[FloatArray, set[int]]] = {}
        for one in statistics:
            if one.columns is not None:
                needed.setdefault(id(one.table), (one.table, set()))[1].update(one.columns)
        for name, (table, columns) in needed.items():
            some = sorted(columns)
            chosen = table if len(some) == table.shape[-1] else table[..., some]
            if documents.counts is not None:
                # Beside other columns, products of fractions with counts may have other last digits.
                held = chosen if segments is None else chosen[:, segments]
                whole = (np.rint(held) == held).all(axis=(0, 1))
                some, chosen = (
                    [column for column, is_whole in zip(some, whole, strict=True) if is_whole],
                    chosen[..., whole],
                )
            if some:
                self._made[name] = pool(chosen, *self._where), some

    def of(self, statistics: Statistics) -> FloatArray:
        """Return what :func:`pool` gives for the statistics of a metric: (documents, systems, statistics)."""
        sums, columns = self._made.get(id(statistics.table), (np.empty(0), []))
        if statistics.columns is None or not {*statistics.columns} <= {*columns}:
            return pool(statistics.values, *self._where)
        own = [columns.index(column) for column in statistics.columns]
        return np.moveaxis(np.moveaxis(sums, -1, 0)[own], 0, -1)


def weigh(counts: npt.NDArray[Any], rows: Callable[[slice], FloatArray]) -> FloatArray:
    """Return the product of counts with a table that need not be there as a whole.

    Parameters
    ----------
    counts : (documents, segments) array
        Of any numbers.
    rows : callable
        Gives some rows of the table, (some segments, columns).

    Returns
    -------
    (documents, columns) float array
    """
    n_segments = counts.shape[1]
    total: FloatArray | None = None
    for start in range(0, max(1, n_segments), _SEGMENTS):
        part = slice(start, start + _SEGMENTS)
        some, table = counts[:, part], rows(part)
        # Whole numbers add without error in single precision too, which is twice as fast.
        kind = np.float32 if _is_small(some, table) else np.float64
        found = np.ascontiguousarray(some, dtype=kind) @ table.astype(kind, copy=False)
        product = found.astype(np.float64, copy=False)
        total = product if total is None else np.add(total, product, out=total)
    assert total is not None
    return total


def _is_small(counts: npt.NDArray[Any], table: FloatArray) -> bool:
    """Return whether all products and their sums are whole numbers that single precision has."""
    if not (counts.size and table.size and np.issubdtype(counts.dtype, np.integer)):
        return False
    most = max(float(table.max()), -float(table.min()))
    n_drawn = int(counts.sum(axis=1, dtype=np.int64).max())
    return n_drawn * most < 1 << 24 and bool((np.rint(table) == table).all())


def pool_drawn(values: FloatArray, drawn: IntArray) -> FloatArray:
    """Add the drawn judgments of each document and system.

    Parameters
    ----------
    values : (judgments,) float array
        Their scores.
    drawn : (documents, systems, length) int array
        Positions in `values`; its length where there is no judgment.

    Returns
    -------
    (documents, systems, 2) float array
        Sums and counts, as :func:`pool` gives for fixed statistics.
    """
    n_documents, n_systems, length = drawn.shape
    pooled = np.empty((n_documents, n_systems, 2))
    table = np.append(values, 0.0)
    pooled[..., 0] = _gather_and_add(table, drawn.reshape(-1, length)).reshape(n_documents, n_systems)
    pooled[..., 1] = (drawn < len(values)).sum(axis=-1)
    return pooled


def _gather_and_add(table: FloatArray, indices: IntArray) -> FloatArray:
    """Return the sums of the rows of a table (n, ...) that each row of `indices` (sums, length) names.

    It is the product with a sparse matrix that has a 1 for each index: compiled, and added in the order of the indices.
    """
    if indices.shape[1] == 1:
        return np.asarray(table[indices[:, 0]])
    if len(indices) == 1:
        # One sum needs no matrix; a running sum adds in the same order.
        return np.asarray(np.cumsum(table[indices[0]], axis=0)[-1:])
    from scipy.sparse import csr_array

    n_sums, length = indices.shape
    starts = np.arange(0, indices.size + 1, length, dtype=indices.dtype)
    weights = csr_array((np.ones(indices.size), indices.ravel(), starts), shape=(n_sums, len(table)))
    return np.asarray(weights @ table)


def mean_of_sums(pooled: FloatArray, scale: float | None) -> FloatArray:
    """Return the means behind pooled (sum, count) statistics, equal where they are mathematically equal.

    See :func:`settle`.

    Parameters
    ----------
    pooled : (..., 2) float array
        Sums and counts.
    scale : float or None
        The largest magnitude among the values that were added; None for means that are not rounded.

    Returns
    -------
    (...) float array
        ``nan`` where the count is 0.
    """
    return means_of(pooled[..., 0], pooled[..., 1], scale)


def means_of(sums: FloatArray, counts: FloatArray, scale: float | None) -> FloatArray:
    """Return the means behind sums and counts that go with them, as :func:`mean_of_sums` does."""
    held = counts > 0
    means = sums / counts if held.all() else np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=held)
    return means if scale is None else settle(means, scale)


def settle(scores: FloatArray, scale: FloatArray | float) -> FloatArray:
    """Round sums to 40 bits of a scale, so that what is mathematically equal is equal.

    Two systems can have the same judgments in another order; their sums then differ in the last bits, and a rank
    correlation would see a difference where there is none. The same happens to fractions that a metric adds.

    Parameters
    ----------
    scores : float array of any shape
    scale : float, or float array that goes with `scores`
        The largest magnitude among the numbers that were added; that of each score itself where these have one sign and
        may be of very different sizes.

    Returns
    -------
    float array of the same shape
        ``nan`` where the score is.
    """
    found = kernels.settle(scores, scale)
    if found is not None:
        return found
    exponent = np.frexp(scale)[1]
    # The very largest numbers would be rounded to infinity.
    with np.errstate(over="ignore"):
        settled = np.ldexp(np.round(np.ldexp(scores, 40 - exponent)), exponent - 40)
    return np.where(np.isinf(settled), scores, settled)
