"""The statistics of a metric on a corpus, by preprocessing and reference subset."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from metaeval.datamodel.corpus import IntArray
from metaeval.datamodel.pooling import Column, Statistics
from metaeval.metrics.keys import StatisticKey
from metaeval.metrics.selection import NamedMetric
from metaeval.parameters.calls import Signature
from metaeval.sampling.references import ReferenceSubset

# The column of each statistic of the same texts, under one preprocessing, with one reference subset.
Counted = dict[StatisticKey, Column]
# The same by the name, digest and filter of a corpus, the preprocessing and the reference subset.
CountedOnCorpus = dict[tuple[tuple[str, str, str], Signature, ReferenceSubset], Counted]


@dataclass(frozen=True)
class Measured:
    """The statistics of one metric under one preprocessing and one reference subset.

    Attributes
    ----------
    preprocessing, preprocessing_signature, subset, named, statistics
        The metric, the texts that it scored, and its statistics.
    """

    preprocessing: str
    preprocessing_signature: Signature
    subset: ReferenceSubset
    named: NamedMetric
    statistics: Statistics


def select_systems(measured: Sequence[Measured], positions: IntArray) -> list[Measured]:
    """Return the statistics of some systems only, by their positions: (kept,)."""
    all_tables = {table for item in measured for table in item.statistics.tables}
    tables = {table: table.of_systems(positions) for table in all_tables}

    def of_some(statistics: Statistics) -> Statistics:
        columns = tuple(Column(tables[table], number) for table, number in statistics.columns)
        return replace(statistics, columns=columns)

    return [replace(item, statistics=of_some(item.statistics)) for item in measured]
