r"""WER and mWER: the edit distance of tokens over the reference length.

An edit inserts, deletes or substitutes one token; each costs 1. With several references it is Nießen's mWER. What the
rate divides by, and what happens with ties and empty references, stands in `metaeval.metrics.error_rate`.

Sources
-------
In `bibliography.toml`: levenshtein1966; niessen2000 (several references).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metaeval.datamodel.corpus import IntArray, Segments
from metaeval.kernels import segment_pairs
from metaeval.metrics.error_rate import ErrorRate
from metaeval.metrics.reference_metric import PreparedReference
from metaeval.metrics.segments import texts_of


@dataclass(frozen=True)
class Wer(ErrorRate, name="wer", title="WER"):
    """Word error rate; with several references the multi-reference rate mWER."""

    @staticmethod
    def _edits(candidate: Sequence[int], reference: Sequence[int]) -> int:
        return edit_distance(candidate, reference)

    @staticmethod
    def _compiled_edits(
        candidates: Segments, references: Sequence[PreparedReference[Sequence[int]]]
    ) -> Sequence[IntArray] | IntArray | None:
        texts = texts_of(candidates, *(reference.segments for reference in references))
        return segment_pairs.edit_distance(texts, n_references=len(references))


def edit_distance(first: Sequence[int], second: Sequence[int]) -> int:
    """Return the fewest insertions, deletions and substitutions that turn one row of tokens into another.

    Parameters
    ----------
    first, second : sequence of int
        Token ids. Exchanging the two changes nothing.
    """
    shorter, longer = sorted((first, second), key=len)
    tokens = np.array(longer, dtype=np.int64)
    positions = np.arange(len(longer) + 1)
    # distances[j]: from what was read of the shorter row to the first j tokens of the longer one.
    distances = positions
    for token in shorter:
        reached = distances + 1
        np.minimum(reached[1:], distances[:-1] + (tokens != token), out=reached[1:])
        # Position j can also be reached from any i before it by j - i insertions: the least reached[i] - i, plus j.
        distances = np.minimum.accumulate(reached - positions) + positions
    return int(distances[-1])
