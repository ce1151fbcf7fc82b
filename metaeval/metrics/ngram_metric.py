"""Metrics that add up statistics of n-grams, and what counts these, for one metric or for several at once."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from metaeval.datamodel.corpus import FloatArray, IntArray, Segments
from metaeval.kernels import ngrams as kernels
from metaeval.kernels.ngrams import Hits
from metaeval.metrics.descriptions import Described
from metaeval.metrics.effective_length import effective_length
from metaeval.metrics.keys import CANDIDATE_LENGTH, StatisticKey, reference_length
from metaeval.metrics.ngram_information import (
    Information,
    NumberedReference,
    information_by_number,
    information_in,
    matched_information,
    number_references,
)
from metaeval.metrics.ngrams import count_hits, hits_with_any, ngram_hits
from metaeval.metrics.reference_metric import ByReference, PreparedReference
from metaeval.metrics.segments import joined
from metaeval.parameters.calls import Signature
from metaeval.version import VERSION


class Compared(NamedTuple):
    """Hold the hits with a reference, and for kernels that sum information the places of hits in the references."""

    hits: Hits
    places: tuple[npt.NDArray[np.int32], ...]


@dataclass(frozen=True)
class SubsetFacts:
    """Hold what is needed of one reference subset.

    Attributes
    ----------
    lengths : (references, segments) float array
        In tokens; ``nan`` where a reference is absent.
    information : mapping from n-gram to float, or None
        In bits, from all segments, for all orders; None where it is not counted, or kernels do so.
    by_number : (n-grams,) float array, or None
        The same by the numbers of n-grams, for kernels.
    """

    lengths: FloatArray
    information: Information | None = None
    by_number: FloatArray | None = None


class NgramCounter(ByReference[Sequence[int]]):
    """Counts what its keys say, of n-grams and of lengths; n-grams are matched once, whatever is counted of them."""

    @property
    @abstractmethod
    def statistic_keys(self) -> tuple[StatisticKey, ...]:
        """List what is counted: ``matches``, ``information`` or ``totals`` of an order, and lengths."""

    @property
    def statistic_names(self) -> tuple[str, ...]:
        """Name the columns of the statistics."""
        return tuple(key.name for key in self.statistic_keys)

    def _longest(self, *kinds: str) -> int:
        """Return the longest n-grams of which something is counted; 0 if nothing is."""
        return max((key.by for key in self.statistic_keys if key.what in kinds), default=0)

    def facts_of_references(self, references: Sequence[Segments]) -> Sequence[NumberedReference | None]:
        """Return the n-grams of each reference, numbered for all of them together, if information is counted."""
        longest = self._longest("information")
        numbered = number_references(references, longest) if longest else None
        return [None] * len(references) if numbered is None else numbered

    def facts_of_part(self, reference: PreparedReference[Sequence[int]], rows: slice) -> NumberedReference | None:
        """Return the n-grams that begin in some segments."""
        facts: NumberedReference | None = reference.facts
        start, end = reference.segments.offsets[[rows.start, rows.stop]]
        return facts and facts._replace(numbers=facts.numbers[start:end])

    def facts_of_subset(self, references: Sequence[PreparedReference[Sequence[int]]]) -> SubsetFacts:
        """Return the lengths of the references, and the information of their n-grams if that is counted."""
        lengths, longest = np.stack([reference.lengths for reference in references]), self._longest("information")
        if not longest:
            return SubsetFacts(lengths)
        if references[0].facts is not None:
            return SubsetFacts(lengths, by_number=information_by_number(references))
        return SubsetFacts(lengths, information_in([reference.segments for reference in references], longest))

    def facts_of_rows(self, subset: SubsetFacts, rows: IntArray) -> SubsetFacts:
        """Return the lengths of some segments; information is that of the whole corpus."""
        return replace(subset, lengths=subset.lengths[:, rows])

    def compare_all(
        self, candidates: Segments, references: Sequence[PreparedReference[Sequence[int]]]
    ) -> list[Compared]:
        """Return, for each reference, the hits that begin at each token, and where all of them have these."""
        texts, longest = [reference.segments for reference in references], self._longest("matches", "information") or 1
        if references[0].facts is None:
            hits_of_each = ngram_hits(candidates, texts, longest, n_systems=references[0].n_systems)
            return [Compared(hits, ()) for hits in hits_of_each]
        where = np.empty(len(candidates.ids), dtype=np.int32)
        hits_of_each = ngram_hits(candidates, texts, longest, where, n_systems=references[0].n_systems)
        ids, numbers = joined(texts).ids, references[0].facts.ngrams.numbers
        if len(ids) < len(numbers):  # a part of the segments
            numbers = np.concatenate([reference.facts.numbers for reference in references])
        return [Compared(hits, (where, ids, numbers)) for hits in hits_of_each]

    def combine_all(self, candidates: Segments, subset: SubsetFacts, comparisons: Sequence[Compared]) -> FloatArray:
        """Return the counts of each segment: (segments, statistics); ``nan`` where there is no reference."""
        hits = hits_with_any([comparison.hits for comparison in comparisons])
        length, lengths = candidates.lengths, subset.lengths
        n_matched = self._longest("matches")
        matches = count_hits(hits, candidates.offsets, n_matched) if n_matched else np.empty((len(candidates), 0))
        information = self._information(candidates, subset, comparisons, hits)

        def column(key: StatisticKey) -> FloatArray | IntArray:
            match key.what:
                case "matches":
                    return matches[:, key.by - 1]
                case "information":
                    return information[:, key.by - 1]
                case "totals":
                    # Those of a document do not follow from its length, because a segment that is shorter than an
                    # n-gram has none rather than a negative number.
                    return np.maximum(0, length - (int(key.by) - 1))
                case "candidate_length":
                    return length
                case "reference_length":
                    return effective_length(key.by, lengths, length)
            raise AssertionError(key)

        rows = np.empty((len(candidates), len(self.statistic_keys)))
        for number, key in enumerate(self.statistic_keys):
            rows[:, number] = column(key)
        rows[np.isnan(lengths).all(axis=0)] = np.nan
        return rows

    def _information(
        self, candidates: Segments, subset: SubsetFacts, comparisons: Sequence[Compared], hits: Hits
    ) -> FloatArray:
        """Return the information of the matches of each segment and order: (segments, orders)."""
        if subset.by_number is not None:
            where, ids, numbers = comparisons[0].places
            return kernels.sum_information(candidates.offsets, where, ids, numbers, subset.by_number, hits)
        if subset.information is not None:
            return matched_information(candidates, hits, subset.information, self._longest("information"))
        return np.empty((len(candidates), 0))


class NgramMetric(Described, NgramCounter):
    """A metric whose score is computed of statistics of n-grams of some orders, and of lengths.

    What it counts is said by its keys alone, so that one :class:`JointCounter` counts for all such metrics.
    """

    @property
    def matched(self) -> Literal["matches", "information"]:
        """Name the weights of the matches of an order."""
        return "matches"

    @property
    @abstractmethod
    def used_orders(self) -> Sequence[int]:
        """List the orders that count, ascending."""

    @property
    @abstractmethod
    def length_rule(self) -> str:
        """Name the rule for the length that stands for those of several references."""

    @cached_property
    def statistic_keys(self) -> tuple[StatisticKey, ...]:
        """List the matches of each order, the n-grams of the candidate, its length, and that of the reference."""
        return (
            *(StatisticKey(self.matched, order) for order in self.used_orders),
            *(StatisticKey("totals", order) for order in self.used_orders),
            CANDIDATE_LENGTH,
            reference_length(self.length_rule),
        )


@dataclass(frozen=True)
class JointCounter(NgramCounter):
    """Counts what several metrics need of n-grams.

    Attributes
    ----------
    keys : tuple of StatisticKey
        Each once.
    """

    keys: tuple[StatisticKey, ...]

    @property
    def statistic_keys(self) -> tuple[StatisticKey, ...]:
        """List what is counted."""
        return self.keys

    @property
    def signature(self) -> Signature:
        """Name the counts, and the version: all that determines the numbers of given tokens."""
        return Signature("n-grams").with_items(counted=", ".join(map(str, self.keys)), version=VERSION)
