r"""GTM: precision, recall and F of a matching that rewards long runs.

.. math:: P = \mathrm{size} / |c|, \quad R = \mathrm{size} / |r|, \quad F = 2 P R / (P + R),
          \qquad \mathrm{size} = \Big(\sum_{\mathrm{runs}} \mathrm{length}^e\Big)^{1/e}

Sizes and lengths are added over the segments of a document (the root is taken in each segment). Scores are from 0 to 1.

Conventions. With e = 1 the size is the overlap of the two bags of tokens. With several references the matching is made
against all of them side by side, then its hits are capped at min(\|c\|, mean reference length) by deleting from shorter
runs first, and \|r\| is the mean length. The General Text Matcher takes the cap as it is, so that the last run can keep
a fraction of a hit (``cap="float"``); the papers delete whole hits (``cap="whole"``). With e > 1, ties between runs of
equal length are settled by their position, so the order of the references can matter.

The more references there are, the more segments the cap reaches: 0, 21, 41 and 63 % of the summaries of SummEval with
1, 3, 5 and 11 references, at e = 1 and with the tokenizer 13a (means over up to 16 random subsets of the references).
There the size is the shorter of the two lengths, so that with e = 1 the score of the segment depends on lengths alone.

Sources
-------
In `bibliography.toml`: melamed2003 (equation 1); turian2003 (greedy matching). General Text Matcher 1.4, New York
University: order of runs, cap.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from metaeval.datamodel.corpus import BoolArray, FloatArray, Segments
from metaeval.kernels import segment_pairs
from metaeval.metrics.descriptions import Described
from metaeval.metrics.division import quotient
from metaeval.metrics.gtm_matching import (
    KeptRun,
    Run,
    column_positions,
    exact_matching,
    greedy_matching,
    greedy_sizes,
    keep_hits,
    matching_size,
    maximal_runs,
    side_by_side,
)
from metaeval.metrics.keys import CANDIDATE_LENGTH, StatisticKey, reference_length
from metaeval.metrics.reference_metric import ByReference, PreparedReference
from metaeval.metrics.segments import present_references, segment_ids
from metaeval.parameters.calls import Signature
from metaeval.parameters.fields import parameter
from metaeval.version import VERSION


@dataclass(frozen=True)
class Alignment:
    """The bitext grid of a segment and the matching chosen in it.

    Attributes
    ----------
    runs : tuple of Run
        All maximal runs: the hits of the grid are their cells. Columns count over all references side by side, with one
        more after each.
    chosen : tuple of KeptRun
        The runs of the matching, by descending length, with the hits that the cap leaves them.
    cap : float
        How many hits may stay.
    proven : bool
        Whether the matching is what was asked for; false where the exact search ended early.
    """

    runs: tuple[Run, ...]
    chosen: tuple[KeptRun, ...]
    cap: float
    proven: bool


@dataclass(frozen=True)
class Gtm(Described, ByReference[Sequence[int]], name="gtm", title="GTM"):
    """The General Text Matcher: F-measure of matching runs; the defaults equal GTM 1.4 to the last digit."""

    exponent: float = parameter(1.0, doc="how much long runs are rewarded; 1: not at all", minimum=1.0, maximum=50.0)
    search: str = parameter("greedy", doc="longest runs first, or the true maximum (slow)", choices=("greedy", "exact"))
    cap: str = parameter(
        "float",
        doc="whether the cap on hits may leave a fraction of a hit or deletes whole ones",
        choices=("float", "whole"),
    )
    mean: str = parameter("f", doc="F, precision or recall", choices=("f", "precision", "recall"))
    time_limit: float = parameter(
        10.0,
        doc="seconds for the exact search of one segment; what it proves depends on the machine",
        minimum=0.0,
        maximum=1e6,
    )

    @property
    def statistic_names(self) -> tuple[str, ...]:
        """Size of the matching, candidate length, mean reference length; for the exact search, what is unproven."""
        names = ("match_size", "candidate_length", "reference_length")
        return (*names, "unproven") if self._searches_exactly else names

    @property
    def statistic_keys(self) -> tuple[StatisticKey, ...]:
        """List what each statistic depends on; precision, recall and F have the same ones."""
        size, *others = (StatisticKey(name, replace(self, mean="f")) for name in self.statistic_names)
        return (size, CANDIDATE_LENGTH, reference_length("average"), *others[2:])

    @property
    def _searches_exactly(self) -> bool:
        return self.search == "exact" and self.exponent > 1

    @property
    def signature(self) -> Signature:
        """Name, parameters and version."""
        search = f"{self.search}({self.time_limit:g}s)" if self._searches_exactly else self.search
        return Signature("GTM").with_items(
            exponent=f"{self.exponent:g}", search=search, cap=self.cap, mean=self.mean, version=VERSION
        )

    def compare_all(
        self, candidates: Segments, references: Sequence[PreparedReference[Sequence[int]]]
    ) -> list[PreparedReference[Sequence[int]]]:
        """Return the references as they are: they are matched all together, for a token is matched once."""
        return list(references)

    def facts_of_subset(self, references: Sequence[PreparedReference[Sequence[int]]]) -> FloatArray:
        """Return the mean length of the references of each segment: (segments,), ``nan`` where there is none."""
        lengths = np.stack([reference.lengths for reference in references])
        return quotient(np.nansum(lengths, axis=0), (~np.isnan(lengths)).sum(axis=0), otherwise=np.nan)

    def combine_all(
        self, candidates: Segments, subset: FloatArray, comparisons: Sequence[PreparedReference[Sequence[int]]]
    ) -> FloatArray:
        """Return size and lengths of each segment: (segments, statistics).

        With the exact search, ``unproven`` is 1 where the time limit or the size of the grid left the best matching
        found unproven: the size is then a lower bound.
        """
        lengths, mean_lengths = candidates.lengths, subset
        caps = np.minimum(lengths, mean_lengths)
        if self.cap == "whole":
            caps = np.floor(caps)
        references = [reference.segments for reference in comparisons]
        sizes = None if self._searches_exactly else self._compiled_sizes(candidates, references, caps)
        if sizes is None:
            columns = [column_positions(texts) for texts in present_references(references)]
            sizes, proven = self._match_all(candidates, columns * comparisons[0].n_systems, caps)
        rows = np.stack([sizes, lengths, mean_lengths, *([~proven] if self._searches_exactly else [])], axis=1)
        rows[np.isnan(mean_lengths)] = np.nan
        return rows

    def _compiled_sizes(
        self, candidates: Segments, references: Sequence[Segments], caps: FloatArray
    ) -> FloatArray | None:
        barrier = segment_pairs.vocabulary_size(candidates.ids, *(texts.ids for texts in references))
        grid = side_by_side(references, barrier)
        if self.exponent == 1:
            overlap = segment_pairs.bag_overlap((candidates.ids, candidates.offsets, *grid))
            return None if overlap is None else np.minimum(overlap, caps)
        return greedy_sizes(candidates, grid, caps, self.exponent)

    def _match_all(
        self, candidates: Segments, columns: Sequence[Mapping[int, Sequence[int]]], caps: FloatArray
    ) -> tuple[FloatArray, BoolArray]:
        """Return the size of the matching of each segment and whether it is proven: the plain definition."""
        sizes, proven = np.full(len(candidates), np.nan), np.ones(len(candidates), dtype=bool)
        texts = zip(segment_ids(candidates), columns, caps.tolist(), strict=True)
        for segment, (ids, positions, cap) in enumerate(texts):
            if not math.isnan(cap):
                sizes[segment], proven[segment] = self._match(ids, positions, cap)
        return sizes, proven

    def _match(self, candidate: Sequence[int], columns: Mapping[int, Sequence[int]], cap: float) -> tuple[float, bool]:
        """Return the size of the matching and whether it is what was asked for."""
        if self.exponent == 1:
            overlap = sum(min(count, len(columns.get(token, ()))) for token, count in Counter(candidate).items())
            return min(overlap, cap), True
        runs = maximal_runs(candidate, columns)
        if self.search == "exact":
            matching = exact_matching(runs, self.exponent, cap, self.time_limit)
            return matching.power_sum ** (1.0 / self.exponent), matching.proven
        return matching_size([run.length for run in greedy_matching(runs)], cap, self.exponent), True

    def align(self, candidate: Sequence[int], references: Sequence[Sequence[int]]) -> Alignment:
        """Return the matching whose size is the score's, run by run, to be shown.

        Parameters
        ----------
        candidate : sequence of int
            Token ids of a segment.
        references : sequence of sequences of int
            Those of its references, one at least.
        """
        cap = min(len(candidate), sum(map(len, references)) / len(references))
        if self.cap == "whole":
            cap = math.floor(cap)
        runs = maximal_runs(candidate, column_positions(references))
        if self._searches_exactly:
            matching = exact_matching(runs, self.exponent, cap, self.time_limit)
            return Alignment(tuple(runs), tuple(matching.runs), float(cap), matching.proven)
        return Alignment(tuple(runs), tuple(keep_hits(greedy_matching(runs), cap)), float(cap), True)

    def score(self, statistics: FloatArray) -> FloatArray:
        """Return F, precision or recall, 0 to 1, of pooled statistics: (..., statistics) to (...)."""
        size, candidate, reference = (statistics[..., k] for k in range(3))
        if self.mean == "f":
            return quotient(2.0 * size, candidate + reference)
        return quotient(size, candidate if self.mean == "precision" else reference)
