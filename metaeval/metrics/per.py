r"""PER: the error rate of bags of tokens, which does not see their order.

.. math:: \mathrm{edits} = \max(|c|, |r|) - \mathrm{overlap}

The overlap counts each token as often as both texts have it. What is left of the shorter text is substituted, and the
surplus of the longer one inserted or deleted. PER is at most WER for one reference.

Conventions. The surplus is taken in each segment. Scripts that take it of a whole corpus let surpluses in both
directions cancel out and print a lower rate. What the rate divides by, and what happens with several references,
ties and empty references, stands in `metaeval.metrics.error_rate`.

Sources
-------
In `bibliography.toml`: tillmann1997; niessen2000 (several references).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metaeval.datamodel.corpus import IntArray, Segments
from metaeval.kernels import segment_pairs
from metaeval.metrics.error_rate import ErrorRate
from metaeval.metrics.reference_metric import PreparedReference
from metaeval.metrics.segments import texts_of


@dataclass(frozen=True)
class Per(ErrorRate, name="per", title="PER"):
    """Position-independent error rate; several references as in mWER."""

    @staticmethod
    def _edits(candidate: Sequence[int], reference: Sequence[int]) -> int:
        overlap = (Counter(candidate) & Counter(reference)).total()
        return max(len(candidate), len(reference)) - overlap

    @staticmethod
    def _compiled_edits(
        candidates: Segments, references: Sequence[PreparedReference[Sequence[int]]]
    ) -> Sequence[IntArray] | IntArray | None:
        edits = []
        for reference in references:
            overlap = segment_pairs.bag_overlap(texts_of(candidates, reference.segments))
            if overlap is None:
                return None
            edits.append(np.maximum(candidates.lengths, reference.token_counts) - overlap)
        return edits
