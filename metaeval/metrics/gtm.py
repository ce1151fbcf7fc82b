r"""GTM: precision, recall and F of a matching that rewards long runs.

.. math:: P = \mathrm{size} / |c|, \quad R = \mathrm{size} / |r|, \quad F = 2 P R / (P + R),
          \qquad \mathrm{size} = \Big(\sum_{\mathrm{runs}} \mathrm{length}^e\Big)^{1/e}

Sizes and lengths are added over the segments of a document (the root is taken in each segment). Scores are from 0 to 1.

Conventions. With e = 1 the size is the overlap of the two bags of tokens. With several references the matching is made
against all of them side by side, then its hits are capped at min(\|c\|, mean reference length) by deleting from shorter
runs first, and \|r\| is the mean length. The General Text Matcher takes the cap as it is, so that the last run can keep
a fraction of a hit (``cap="float"``); the papers delete whole hits (``cap="whole"``). With e > 1, ties between runs of
equal length are settled by their position, so the order of the references can matter.

Sources
-------
In `bibliography.toml`: melamed2003 (equation 1); turian2003 (greedy matching). General Text Matcher 1.4, New York
University: order of runs, cap.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from metaeval.metrics.matching import (
    capped_power_sum,
    column_positions,
    exact_matching,
    greedy_matching,
    maximal_runs,
)
from metaeval.metrics.segments import present_references, segment_ids
from metaeval.names import Signature
from metaeval.parameters import parameter
from metaeval.records import FloatArray, Segments
from metaeval.version import VERSION


@dataclass(frozen=True)
class PreparedReferences:
    """What GTM needs of one reference subset.

    Attributes
    ----------
    columns : list (segments) of mappings from token id to columns of the grid
    mean_lengths : list (segments) of float or None
        None where the segment has no reference.
    """

    columns: list[dict[int, list[int]]]
    mean_lengths: list[float | None]


@dataclass(frozen=True)
class Gtm:
    """The General Text Matcher: F-measure of matching runs; the defaults equal GTM 1.4 to the last digit."""

    name: ClassVar[str] = "gtm"
    title: ClassVar[str] = "GTM"
    sources: ClassVar[tuple[str, ...]] = ("turian2003", "melamed2003")
    higher_is_better: ClassVar[bool] = True

    exponent: float = parameter(1.0, doc="how much long runs are rewarded; 1: not at all", minimum=1.0, maximum=100.0)
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
    def _searches_exactly(self) -> bool:
        return self.search == "exact" and self.exponent > 1

    @property
    def signature(self) -> Signature:
        """Name, parameters and version."""
        search = f"{self.search}({self.time_limit:g}s)" if self._searches_exactly else self.search
        return Signature("GTM").with_items(
            exponent=f"{self.exponent:g}", search=search, cap=self.cap, mean=self.mean, version=VERSION
        )

    @property
    def described(self) -> str:
        """How the score is computed, in plain words."""
        if self.exponent == 1:
            matching = (
                "Matches tokens of the candidate with equal tokens of the references, each at most once. The size of "
                "the matching is the number of its tokens, whatever their order, so that the "
                f"{self.search} search has nothing to choose."
            )
        else:
            e = f"{self.exponent:g}"
            search = {
                "greedy": "Runs are taken greedily, the longest first and equally long ones by their position.",
                "exact": f"The largest matching is searched for, {self.time_limit:g} seconds in each segment at most.",
            }
            matching = (
                "Matches runs of tokens of the candidate with equal runs in the references, each token at most once; "
                f"the size of the matching is (sum of length^{e})^(1/{e}) over its runs. {search[self.search]}"
            )
        cap = {"float": "leaves a fraction of a token", "whole": "is rounded down"}[self.cap]
        score = {
            "f": "F, the harmonic mean of precision, size over candidate length, and recall, size over (average) "
            "reference length",
            "precision": "precision, size over candidate length",
            "recall": "recall, size over (average) reference length",
        }[self.mean]
        return (
            f"{matching} Several references lie side by side, and no more tokens count than the candidate or the "
            f"average reference has (a fraction in this average {cap}); the shortest runs are cut first. "
            f"The score is {score}. "
            "A document adds up sizes and lengths over its segments before it divides; scores are from 0 to 1, and "
            "higher is better."
        )

    def prepare(self, references: Sequence[Segments]) -> PreparedReferences:
        """Lay the references of each segment side by side, once for all systems."""
        texts_of = present_references(references)
        columns = [column_positions(texts) for texts in texts_of]
        means = [sum(map(len, texts)) / len(texts) if texts else None for texts in texts_of]
        return PreparedReferences(columns, means)

    def statistics(self, candidates: Segments, prepared: PreparedReferences) -> FloatArray:
        """Return size and lengths of each segment: (segments, statistics).

        With the exact search, ``unproven`` is 1 where the time limit or the size of the grid left the best matching
        found unproven: the size is then a lower bound.
        """
        rows = np.full((len(candidates), len(self.statistic_names)), np.nan)
        for segment, text in enumerate(segment_ids(candidates)):
            mean_length = prepared.mean_lengths[segment]
            if mean_length is None:
                continue
            size, proven = self._match(text, prepared.columns[segment], min(len(text), mean_length))
            rows[segment, :3] = size, len(text), mean_length
            if self._searches_exactly:
                rows[segment, 3] = not proven
        return rows

    def _match(self, candidate: Sequence[int], columns: dict[int, list[int]], cap: float) -> tuple[float, bool]:
        """Return the size of the matching and whether it is what was asked for."""
        if self.cap == "whole":
            cap = math.floor(cap)
        if self.exponent == 1:
            counts: dict[int, int] = {}
            for token in candidate:
                counts[token] = counts.get(token, 0) + 1
            overlap = sum(min(count, len(columns.get(token, ()))) for token, count in counts.items())
            return min(overlap, cap), True
        runs = maximal_runs(candidate, columns)
        if self.search == "exact":
            power_sum, proven = exact_matching(runs, self.exponent, cap, self.time_limit)
        else:
            lengths = [run.length for run in greedy_matching(runs)]
            power_sum, proven = capped_power_sum(lengths, cap, self.exponent), True
        return power_sum ** (1.0 / self.exponent), proven

    def score(self, statistics: FloatArray) -> FloatArray:
        """Return F, precision or recall, 0 to 1, of pooled statistics: (..., statistics) to (...)."""
        size, candidate, reference = (statistics[..., k] for k in range(3))
        if self.mean == "f":
            above, below = 2.0 * size, candidate + reference
        else:
            above, below = size, candidate if self.mean == "precision" else reference
        result: FloatArray = np.divide(above, below, out=np.zeros(size.shape), where=below > 0)
        return result
