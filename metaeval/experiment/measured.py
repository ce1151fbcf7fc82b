"""The statistics of metrics as the rest of an experiment sees them: what several metrics count is held once."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from metaeval.metrics import is_built_in
from metaeval.metrics.named import NamedMetric
from metaeval.metrics.ngrams import NgramMetric
from metaeval.names import Signature
from metaeval.pooling import Statistics
from metaeval.records import Corpus, FloatArray, IntArray
from metaeval.sampling.references import ReferenceSubset
from metaeval.store import digest


@dataclass(frozen=True)
class Measured:
    """The statistics of one metric under one preprocessing and one reference subset.

    Attributes
    ----------
    preprocessing, preprocessing_signature, subset, named, statistics
        What was measured of what.
    digests : tuple of str
        Of each statistic, where they are known.
    """

    preprocessing: str
    preprocessing_signature: Signature
    subset: ReferenceSubset
    named: NamedMetric
    statistics: Statistics
    digests: tuple[str, ...] = ()

    def narrowed(self, named: NamedMetric, columns: Sequence[int]) -> Measured:
        """Return what another metric, whose statistics are some of these, has."""
        statistics = self.statistics.narrowed(named.kind.statistic_names, columns)
        digests = tuple(self.digests[column] for column in columns) if self.digests else ()
        return replace(self, named=named, statistics=statistics, digests=digests)


def of_systems(measured: Sequence[Measured], places: IntArray) -> list[Measured]:
    """Return the statistics of some systems alone, by their positions: (kept,)."""
    tables = {id(item.statistics.table): item.statistics.table for item in measured}
    kept = {name: table if len(places) == len(table) else table[places] for name, table in tables.items()}

    def of_some(item: Measured) -> Measured:
        table = kept[id(item.statistics.table)]
        if table is item.statistics.table:
            return item
        return replace(item, statistics=replace(item.statistics, table=table), digests=())

    return [of_some(item) for item in measured]


class Shelf:
    """What was measured of a corpus, for the panels that come next, and the tables that metrics share.

    Parameters
    ----------
    memory : int
        Of which a quarter may be held.
    """

    def __init__(self, memory: int) -> None:
        self._memory = memory
        self._texts: tuple[object, ...] = ()
        self._held: dict[tuple[str, ReferenceSubset], dict[NamedMetric, Measured]] = {}

    def find(
        self,
        corpus: Corpus,
        treatments: Mapping[str, Signature],
        subsets: Sequence[ReferenceSubset],
        named: NamedMetric,
    ) -> list[Measured]:
        """Return the statistics of a metric under each preprocessing and subset; nothing unless all are there.

        They are there too where another metric has them.
        """
        texts = corpus.candidates, corpus.references
        if len(self._texts) != 2 or any(a is not b for a, b in zip(self._texts, texts, strict=True)):
            self._texts, self._held = texts, {}
        places = list(itertools.product(treatments, subsets))
        held = [self._held.get(place, {}) for place in places]
        for other in held[0] if held else ():
            columns = _columns_in(named, other)
            found = [one[other] for one in held if other in one]
            same = [treatments[item.preprocessing] == item.preprocessing_signature for item in found]
            if columns and len(found) == len(places) and all(same):
                return [item.narrowed(named, columns) for item in found]
        return []

    def join(self, measured: list[Measured]) -> None:
        """Have one table for each preprocessing and reference subset, where every column stands once.

        Many metrics count the same: the tokens of candidates, the n-grams of each order. So this is held, sent to
        processes and added once. Tables that would not fit into memory twice stay as they are.

        Parameters
        ----------
        measured : list of Measured
            Of the corpus that was asked for last; it is changed, and held as far as there is room.
        """
        together: dict[tuple[str, ReferenceSubset], list[int]] = {}
        for number, item in enumerate(measured):
            if is_built_in(item.named.kind):
                together.setdefault((item.preprocessing, item.subset), []).append(number)
        for place, numbers in together.items():
            before = self._held.setdefault(place, {})
            joined = _joined([measured[number] for number in numbers], [*before.values()], self._memory)
            before |= {item.named: item for item in joined}
            for number, item in zip(numbers, joined, strict=True):
                measured[number] = item
        every = [item.statistics.table for items in self._held.values() for item in items.values()]
        if 4 * sum({id(table): table.nbytes for table in every}.values()) > self._memory:
            self._held = {}


def _columns_in(named: NamedMetric, other: NamedMetric) -> list[int] | None:
    """Return where the statistics of a metric stand among those of another one, if that has them all."""
    metric = named.kind
    if named == other:
        return [*range(len(metric.statistic_names))]
    return metric.columns_in(other.kind) if isinstance(metric, NgramMetric) else None


def _joined(measured: Sequence[Measured], before: Sequence[Measured], memory: int) -> list[Measured]:
    """Return statistics of the same texts and references with one table, or with those that are there before."""
    tables = {id(one.statistics.table): one.statistics.table for one in measured}
    if len(tables) + len(before) == 1 or 2 * sum(table.nbytes for table in tables.values()) > memory:
        return [*measured]
    columns: dict[str, FloatArray] = {}
    of_tables: dict[int, list[str]] = {}
    for name, table in tables.items():
        each = np.ascontiguousarray(np.moveaxis(table, -1, 0))
        of_tables[name] = [digest(column) for column in each]
        columns |= zip(of_tables[name], each, strict=True)
    known: dict[int, tuple[FloatArray, dict[str, int]]] = {}
    for one in (one for one in before if one.digests):
        _, where = known.setdefault(id(one.statistics.table), (one.statistics.table, {}))
        where |= zip(one.digests, one.statistics.columns or (), strict=True)
    digests = []
    for one in measured:
        own, chosen = of_tables[id(one.statistics.table)], one.statistics.columns
        digests.append(tuple(own if chosen is None else [own[column] for column in chosen]))
    left = [names for names in digests if not any({*names} <= where.keys() for _, where in known.values())]
    if left:
        needed = dict.fromkeys(itertools.chain(*left))
        joined = np.stack([columns[name] for name in needed], axis=-1)
        known[id(joined)] = joined, {name: place for place, name in enumerate(needed)}
    found = []
    for one, names in zip(measured, digests, strict=True):
        table, where = next(both for both in known.values() if {*names} <= both[1].keys())
        statistics = Statistics(table, one.statistics.names, tuple(where[name] for name in names))
        found.append(replace(one, statistics=statistics, digests=names))
    return found
