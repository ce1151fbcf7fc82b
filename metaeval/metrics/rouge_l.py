r"""ROUGE-L: the longest common subsequence of candidate and reference.

.. math:: R = \mathrm{LCS}(c, r) / |r|, \quad P = \mathrm{LCS}(c, r) / |c|

A common subsequence keeps the order of the words and may have gaps on both sides. A segment is one sequence: there is
no union over several sentences, as in ROUGE's summary level. `metaeval.metrics.rouge` has F, several references and
documents.

Sources
-------
In `bibliography.toml`: linoch2004; lin2004 (whose script ROUGE-1.5.5.pl has the same ROUGE-L for one sentence).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from metaeval.datamodel.corpus import FloatArray, Segments
from metaeval.kernels import common_subsequences as kernels
from metaeval.metrics.reference_metric import PreparedReference
from metaeval.metrics.rouge import Overlap, Rouge, overlaps
from metaeval.metrics.segments import texts_of
from metaeval.metrics.subsequences import lcs_length


@dataclass(frozen=True)
class RougeL(Rouge[Sequence[int]], name="rouge-l", title="ROUGE-L"):
    """F-measure of the longest common subsequence."""

    def _own_items(self) -> dict[str, object]:
        return {}

    def compare(self, candidate: Sequence[int], reference: Sequence[int]) -> Overlap:
        """Return hits and totals against one reference."""
        return Overlap(lcs_length(candidate, reference), len(reference), len(candidate))

    def compare_each_compiled(
        self, candidates: Segments, references: Sequence[PreparedReference[Sequence[int]]]
    ) -> Sequence[FloatArray | None]:
        """Return :meth:`compare` of all segments by a compiled kernel: (segments, 3) for each reference."""
        texts = texts_of(candidates, *(reference.segments for reference in references))
        hits = kernels.lcs_length(texts, n_references=len(references))
        if hits is None:
            return [None] * len(references)
        length = candidates.lengths
        return [
            overlaps(of_one, reference.token_counts, length) for of_one, reference in zip(hits, references, strict=True)
        ]
