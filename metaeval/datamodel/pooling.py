"""Sums over documents: a document's statistics are the sum over its segments.

Metric scores and judgments are added by the same code here, so they cannot be averaged differently.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from metaeval.datamodel.corpus import BoolArray, Documents, FloatArray, IntArray
from metaeval.kernels import pool_documents as kernels


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


@dataclass(frozen=True, eq=False)
class StatisticsTable:
    """The counts of one or several metrics in each segment, each column once; compared by identity.

    Attributes
    ----------
    values : (systems, segments, columns) float array
        ``nan`` where a segment cannot be scored, because it has no reference of the subset.
    """

    values: FloatArray

    @cached_property
    def is_whole(self) -> BoolArray:
        """True where all numbers of a column are whole: (columns,)."""
        by_system = [((np.rint(values) == values) | np.isnan(values)).all(axis=0) for values in self.values]
        return np.asarray(np.all(by_system, axis=0))

    def of_systems(self, places: IntArray) -> StatisticsTable:
        """Return the numbers of some systems, by their positions: (kept,)."""
        return self if len(places) == len(self.values) else StatisticsTable(self.values[places])


class Column(NamedTuple):
    """The location of a statistic: a table, and the position of a column in it."""

    table: StatisticsTable
    position: int


@dataclass(frozen=True)
class Statistics:
    """The additive numbers of a metric.

    Attributes
    ----------
    columns : tuple of Column
        Where each of them stands. Metrics that count the same have the same column.
    names : tuple of str
        One for each statistic.
    """

    columns: tuple[Column, ...]
    names: tuple[str, ...]

    @classmethod
    def of_values(cls, values: FloatArray, names: tuple[str, ...]) -> Statistics:
        """Return numbers as statistics that no other metric shares.

        Parameters
        ----------
        values : (systems, segments, statistics) float array
            Of one metric.
        names : tuple of str
            One for each statistic.

        Returns
        -------
        Statistics
            With a table of their own.
        """
        table = StatisticsTable(values)
        return cls(tuple(Column(table, position) for position in range(len(names))), names)

    @property
    def n_systems(self) -> int:
        """The number of systems."""
        return len(self.columns[0].table.values)

    @property
    def tables(self) -> tuple[StatisticsTable, ...]:
        """The tables in which they stand."""
        return tuple(dict.fromkeys(column.table for column in self.columns))

    @property
    def are_whole(self) -> bool:
        """True if all of them are whole numbers."""
        return all(table.is_whole[position] for table, position in self.columns)

    @property
    def is_whole_table(self) -> bool:
        """True if they are all columns of one table, in order."""
        table = self.columns[0].table
        return self.columns == tuple(Column(table, position) for position in range(table.values.shape[-1]))

    @property
    def values(self) -> FloatArray:
        """The numbers alone: (systems, segments, statistics)."""
        if self.is_whole_table:
            return self.columns[0].table.values
        return np.stack([column.table.values[..., column.position] for column in self.columns], axis=-1)


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
_SEGMENTS_AT_ONCE = 1 << 14
# Numbers that are copied at once, into another order or beside those of other metrics.
_NUMBERS_AT_ONCE = 1 << 24


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
        numbers = values[systems, chosen[0] : chosen[-1] + 1] if is_run else values[systems, chosen]
        if items is not None:
            numbers = np.where(items[systems, places, np.newaxis], numbers, 0.0)
        return np.ascontiguousarray(numbers.transpose(1, 0, 2)).reshape(len(chosen), -1)

    if documents.counts is not None:
        pooled = weigh(documents.counts, rows)
    else:
        assert documents.indices is not None
        compiled = None if items is not None else kernels.pool_documents(values, segments, documents.indices)
        if compiled is not None:
            return compiled
        if documents.indices.shape[1] == 1:
            pooled = rows(documents.indices[:, 0])
        else:
            # Each column is added by itself, so that some systems at a time have the same sums.
            step = max(1, _NUMBERS_AT_ONCE // max(1, len(segments) * n_statistics))
            batches = (slice(start, start + step) for start in range(0, n_systems, step))
            pooled = np.hstack([_gather_and_add(rows(slice(None), batch), documents.indices) for batch in batches])
    return pooled.reshape(len(documents), n_systems, n_statistics)


class Sums:
    """The sums of the statistics of several metrics; a column that more than one of them has is added once.

    Parameters
    ----------
    statistics : sequence of Statistics
        Of the same systems and segments.
    are_counted : bool
        Whether documents are counts of their segments.
    """

    def __init__(self, statistics: Sequence[Statistics], *, are_counted: bool) -> None:
        needed: dict[StatisticsTable, set[int]] = {}
        for metric in statistics:
            # Beside other columns, products of fractions with counts may have other last digits.
            if not are_counted or metric.are_whole:
                for table, position in metric.columns:
                    needed.setdefault(table, set()).add(position)
        parts = []
        for table, positions in needed.items():
            parts.append(tuple(Column(table, position) for position in sorted(positions)))
        columns = tuple(itertools.chain.from_iterable(parts))
        if sum(table.values[..., 0].size for table, _ in columns) <= _NUMBERS_AT_ONCE:
            parts = [columns] if columns else []
        self._parts = [Statistics(part, ()).values for part in parts]
        numbers = {column: number for number, column in enumerate(columns)}
        # Of each metric the rows of its sums among those of all columns, or else its own numbers.
        self._rows: list[list[int] | Statistics] = []
        for metric in statistics:
            is_shared = {*metric.columns} <= {*columns}
            self._rows.append([numbers[column] for column in metric.columns] if is_shared else metric)
        self._n_columns = len(columns)

    def pool(
        self, documents: Documents, segments: IntArray | None = None, items: BoolArray | None = None
    ) -> Iterator[FloatArray]:
        """Yield the result of :func:`pool` for the statistics of each metric: (documents, systems, statistics)."""
        each = [np.moveaxis(pool(values, documents, segments, items), -1, 0) for values in self._parts]
        sums = each[0] if len(each) == 1 else np.concatenate(each or [np.empty(0)])
        for rows in self._rows:
            if isinstance(rows, Statistics):
                yield pool(rows.values, documents, segments, items)
            else:
                chosen = sums if rows == [*range(self._n_columns)] else sums[rows]
                yield np.moveaxis(chosen, 0, -1)


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
    for start in range(0, max(1, n_segments), _SEGMENTS_AT_ONCE):
        part = slice(start, start + _SEGMENTS_AT_ONCE)
        part_counts = counts[:, part]
        table = rows(part)
        # Whole numbers add without error in single precision too, which is twice as fast.
        dtype = np.float32 if _is_small(part_counts, table) else np.float64
        part_product = np.ascontiguousarray(part_counts, dtype=dtype) @ table.astype(dtype, copy=False)
        product = part_product.astype(np.float64, copy=False)
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
    is_counted = counts > 0
    if is_counted.all():
        means = sums / counts
    else:
        means = np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=is_counted)
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
    rounded = kernels.round_to_scale(scores, scale)
    if rounded is not None:
        return rounded
    exponent = np.frexp(scale)[1]
    # The very largest numbers would be rounded to infinity.
    with np.errstate(over="ignore"):
        settled = np.ldexp(np.round(np.ldexp(scores, 40 - exponent)), exponent - 40)
    return np.where(np.isinf(settled), scores, settled)
