"""Metrics that compare a candidate with each reference separately, and then take what they need of all comparisons.

A comparison with one reference serves every subset that the reference is in, so an experiment on hundreds of subsets of
the same references compares once and chooses hundreds of times.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Generic, TypeVar, cast

import numpy as np

from metaeval.datamodel.corpus import BoolArray, FloatArray, IntArray, Segments
from metaeval.metrics.keys import StatisticKey
from metaeval.metrics.segments import part_of, segment_ids

# What a metric needs of one text.
View = TypeVar("View")


class PreparedReference(Generic[View]):
    """A reference, prepared once for all systems: its segments, and what the plain definition reads of them.

    Attributes
    ----------
    segments : Segments
        Each once, however many systems it is compared with.
    facts : object
        What the metric needs of it that depends on all references of all subsets.
    n_systems : int
        How many systems it is compared with at once, one after the other.
    """

    def __init__(self, metric: ByReference[View], segments: Segments, facts: Any = None) -> None:
        self.segments = segments
        self.facts = facts
        self.n_systems = 1
        self._metric = metric

    def part(self, rows: slice) -> PreparedReference[View]:
        """Return some segments in a row."""
        return PreparedReference(self._metric, part_of(self.segments, rows), self._metric.facts_of_part(self, rows))

    def for_systems(self, n_systems: int) -> PreparedReference[View]:
        """Return the same reference, to be compared with several systems, one after the other."""
        repeated = copy.copy(self)
        repeated.n_systems = n_systems
        return repeated

    @property
    def present(self) -> BoolArray:
        """Mark the segments that are there, again for each system: (systems * segments,)."""
        return np.tile(self.segments.present, self.n_systems)

    @property
    def token_counts(self) -> IntArray:
        """Count the tokens of each segment, again for each system: (systems * segments,); 0 where it is absent."""
        return np.tile(self.segments.lengths, self.n_systems)

    @property
    def lengths(self) -> FloatArray:
        """Count them, with ``nan`` where a segment is absent."""
        return np.where(self.present, self.token_counts, np.nan)

    @cached_property
    def views(self) -> list[View]:
        """List what the metric sees of each segment."""
        return [self._metric.view(ids) for ids in segment_ids(self.segments)]


class ByReference(ABC, Generic[View]):
    """Compare a candidate with each reference, and combine what is needed of all comparisons.

    Several systems may be compared at once, one after the other (`metaeval.metrics.segments.joined`), because kernels
    then look at the references once. The frame repeats for each system what it hands to a plain definition, which sees
    as many segments of candidates as of references.
    """

    @property
    @abstractmethod
    def statistic_names(self) -> tuple[str, ...]:
        """Name the columns of the statistics."""

    @property
    def statistic_keys(self) -> tuple[StatisticKey, ...]:
        """List what each statistic depends on: the metric, unless it says which other metrics count the same."""
        return tuple(StatisticKey(name, self) for name in self.statistic_names)

    def view(self, ids: Sequence[int]) -> View:
        """Prepare a text for the plain definition: its tokens, unless a metric says otherwise."""
        return cast("View", ids)

    @abstractmethod
    def compare_all(self, candidates: Segments, references: Sequence[PreparedReference[View]]) -> list[Any]:
        """Compare one system with each reference: one object for a reference."""

    def facts_of_references(self, references: Sequence[Segments]) -> Sequence[Any]:
        """Return what is needed of each of all references that any subset has; done once for all subsets."""
        return [None] * len(references)

    def facts_of_part(self, reference: PreparedReference[View], rows: slice) -> Any:
        """Return the facts of some segments of a prepared reference."""
        return None

    def facts_of_subset(self, references: Sequence[PreparedReference[View]]) -> Any:
        """Return what :meth:`combine_all` needs of a subset as a whole; done once for all systems."""
        return None

    def facts_of_rows(self, subset: Any, rows: IntArray) -> Any:
        """Return the facts of a subset for some segments, by their positions, which an array has last."""
        return None if subset is None else subset[..., rows]

    @abstractmethod
    def combine_all(self, candidates: Segments, subset: Any, comparisons: Sequence[Any]) -> FloatArray:
        """Return the statistics of a system from its comparisons with the references of a subset.

        The shape is (segments, statistics); rows are ``nan`` where a segment has none of the references.
        """

    def prepare_each(self, references: Sequence[Segments]) -> list[PreparedReference[View]]:
        """Return all references that any subset has, each prepared once for all systems."""
        facts = self.facts_of_references(references)
        return [PreparedReference(self, *pair) for pair in zip(references, facts, strict=True)]

    def prepare(self, references: Sequence[Segments]) -> tuple[list[PreparedReference[View]], Any]:
        """Return the references, each prepared once for all systems, and the facts of them together."""
        prepared = self.prepare_each(references)
        return prepared, self.facts_of_subset(prepared)

    def statistics(self, candidates: Segments, prepared: tuple[list[PreparedReference[View]], Any]) -> FloatArray:
        """Return the statistics of one system: (segments, statistics); ``nan`` where there is no reference."""
        references, subset = prepared
        return self.combine_all(candidates, subset, self.compare_all(candidates, references))


class PairMetric(ByReference[View]):
    """A metric whose comparison of two segments is a few numbers."""

    @abstractmethod
    def compare(self, candidate: View, reference: View) -> Sequence[float]:
        """Return the numbers of a candidate and one reference: the plain definition."""

    @abstractmethod
    def combine(self, pairs: FloatArray) -> FloatArray:
        """Return statistics from comparisons.

        Parameters
        ----------
        pairs : (references, segments, numbers) float array
            ``nan`` where a segment lacks the reference; every segment has at least one.

        Returns
        -------
        (segments, statistics) float array
        """

    def compare_compiled(self, candidates: Segments, reference: PreparedReference[View]) -> FloatArray | None:
        """Return :meth:`compare` of all segments by compiled kernels, (segments, numbers), or None without them."""
        return None

    def compare_each_compiled(
        self, candidates: Segments, references: Sequence[PreparedReference[View]]
    ) -> Sequence[FloatArray | None]:
        """Return it for each of several references."""
        return [self.compare_compiled(candidates, reference) for reference in references]

    def compare_all(self, candidates: Segments, references: Sequence[PreparedReference[View]]) -> list[FloatArray]:
        """Return the numbers for each reference: (segments, numbers), ``nan`` where the reference is absent."""
        comparisons, views = [], None
        for reference, numbers in zip(references, self.compare_each_compiled(candidates, references), strict=True):
            if numbers is None:
                if views is None:
                    views = [self.view(ids) for ids in segment_ids(candidates)]
                pairs = zip(views, reference.views * reference.n_systems, strict=True)
                rows = [self.compare(*pair) for pair in pairs]
                numbers = np.array(rows, dtype=np.float64).reshape(len(rows), len(rows[0]) if rows else 1)
            numbers[~reference.present] = np.nan
            comparisons.append(numbers)
        return comparisons

    def combine_all(self, candidates: Segments, subset: None, comparisons: Sequence[FloatArray]) -> FloatArray:
        """Return the statistics of the segments that have a reference, ``nan`` for the others."""
        pairs = np.stack(comparisons)
        scorable = ~np.isnan(pairs[..., 0]).all(axis=0)
        if scorable.all():
            return self.combine(pairs)
        rows = np.full((len(candidates), len(self.statistic_names)), np.nan)
        if scorable.any():
            rows[scorable] = self.combine(pairs[:, scorable])
        return rows
