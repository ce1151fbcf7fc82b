r"""ROUGE-S: pairs of words in the same order, with words between them (skip-bigrams).

.. math:: R = \mathrm{SKIP2}(c, r) / \mathrm{pairs}(r), \quad P = \mathrm{SKIP2}(c, r) / \mathrm{pairs}(c)

SKIP2 counts the pairs that both have. A pair that occurs several times counts as often as it does in both. The totals
are the pairs that may count: all, n (n - 1) / 2, or those with at most `skip` tokens between the two.
`metaeval.metrics.rouge` has F, several references and documents.

ROUGE-SU (``unigram=True``) counts single tokens as well, so that a text of one token has something to match. The script
ROUGE-1.5.5 leaves out the last token of each text (``program="1.5.5"``).

Sources
-------
In `bibliography.toml`: linoch2004; lin2004 (ROUGE-SU; the script ROUGE-1.5.5.pl: multiplicity, its unigrams).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metaeval.datamodel.corpus import FloatArray, IntArray, Segments
from metaeval.errors import UsageError
from metaeval.kernels import common_subsequences as kernels
from metaeval.metrics.ngrams import NgramCounts, clipped_matches
from metaeval.metrics.reference_metric import PreparedReference
from metaeval.metrics.rouge import Overlap, Rouge, overlaps
from metaeval.metrics.segments import texts_of
from metaeval.metrics.subsequences import count_skip_bigrams
from metaeval.parameters.fields import parameter


@dataclass(frozen=True)
class RougeS(Rouge[NgramCounts], name="rouge-s", title="ROUGE-S"):
    """F-measure of skip-bigrams: pairs of words in order, at any distance (S*) or with at most `skip` between them."""

    skip: int | None = parameter(
        None, doc="the most tokens between the two of a pair, 0 for bigrams; any number where none is given", minimum=0
    )
    unigram: bool = parameter(False, doc="whether single tokens count too (ROUGE-SU)")
    program: str = parameter(
        "paper",
        doc="with `unigram`: all tokens count, or all but the last as in the script ROUGE-1.5.5",
        choices=("paper", "1.5.5"),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.program == "1.5.5" and not self.unigram:
            raise UsageError("metric 'rouge-s': `program` changes unigrams only; it needs unigram=True.")

    def _own_items(self) -> dict[str, object]:
        unigram = f"yes[{self.program}]" if self.unigram else "no"
        return {"skip": "any" if self.skip is None else self.skip, "unigram": unigram}

    def view(self, ids: Sequence[int]) -> NgramCounts:
        """Return the counts of its pairs, and of its tokens if they count."""
        counts = count_skip_bigrams(ids, self.skip)
        if self.unigram:
            counts += Counter((token,) for token in (ids[:-1] if self.program == "1.5.5" else ids))
        return counts

    def compare(self, candidate: NgramCounts, reference: NgramCounts) -> Overlap:
        """Return hits and totals against one reference."""
        return Overlap(clipped_matches(candidate, reference), reference.total(), candidate.total())

    def compare_compiled(self, candidates: Segments, reference: PreparedReference[NgramCounts]) -> FloatArray | None:
        """Return :meth:`compare` of all segments by a compiled kernel: (segments, 3)."""
        singles: kernels.Singles = "none"
        if self.unigram:
            singles = "but-last" if self.program == "1.5.5" else "all"
        hits = kernels.skip_bigram_hits(texts_of(candidates, reference.segments), self.skip, singles)
        if hits is None:
            return None
        return overlaps(hits, self._totals(reference.token_counts), self._totals(candidates.lengths))

    def _totals(self, lengths: IntArray) -> IntArray:
        """Count the pairs, and single tokens if they count, of texts of these lengths: (segments,)."""
        followed = np.maximum(lengths - 1, 0)
        longest = int(followed.max(initial=0))
        # The pairs at distance d are length - d, for each d up to the farthest.
        farthest = np.minimum(followed, longest if self.skip is None else min(self.skip + 1, longest))
        pairs = farthest * lengths - farthest * (farthest + 1) // 2
        if not self.unigram:
            return np.asarray(pairs)
        return np.asarray(pairs + (followed if self.program == "1.5.5" else lengths))
