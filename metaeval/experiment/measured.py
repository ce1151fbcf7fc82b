"""The statistics of metrics as the rest of an experiment sees them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from metaeval.metrics.keys import StatisticKey
from metaeval.metrics.selection import NamedMetric
from metaeval.names import Signature
from metaeval.pooling import Column, Statistics
from metaeval.records import IntArray
from metaeval.sampling.references import ReferenceSubset

# Where each statistic stands that was counted of the same texts, under one preprocessing, with one reference subset.
Counted = dict[StatisticKey, Column]
# The same by the name, digest and filter of a corpus, the preprocessing and the reference subset.
CountedOnCorpus = dict[tuple[tuple[str, str, str], Signature, ReferenceSubset], Counted]


@dataclass(frozen=True)
class Measured:
    """The statistics of one metric under one preprocessing and one reference subset.

    Attributes
    ----------
    preprocessing, preprocessing_signature, subset, named, statistics
        What was measured of what.
    """

    preprocessing: str
    preprocessing_signature: Signature
    subset: ReferenceSubset
    named: NamedMetric
    statistics: Statistics


def of_systems(measured: Sequence[Measured], places: IntArray) -> list[Measured]:
    """Return the statistics of some systems alone, by their positions: (kept,)."""
    tables = {
        table: table.of_systems(places) for table in {table for item in measured for table in item.statistics.tables}
    }

    def of_some(statistics: Statistics) -> Statistics:
        columns = tuple(Column(tables[table], place) for table, place in statistics.columns)
        return replace(statistics, columns=columns)

    return [replace(item, statistics=of_some(item.statistics)) for item in measured]
