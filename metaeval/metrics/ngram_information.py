r"""The information of n-grams: what NIST lets a match count.

.. math:: \mathrm{info}(w_1 \dots w_n) = \log_2 \frac{\mathrm{count}(w_1 \dots w_{n-1})}{\mathrm{count}(w_1 \dots w_n)}

It is counted in all segments of all references of a subset; the prefix of a unigram is the number of their tokens.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from metaeval.datamodel.corpus import FloatArray, Segments
from metaeval.kernels import ngrams as kernels
from metaeval.kernels.ngrams import Hits
from metaeval.metrics.ngrams import NgramCounts, count_ngrams
from metaeval.metrics.reference_metric import PreparedReference
from metaeval.metrics.segments import joined, segment_ids

Information = Mapping[tuple[int, ...], float]


class NumberedReference(NamedTuple):
    """The n-grams of a reference for kernels: those that begin at each token, numbered for all references."""

    numbers: npt.NDArray[np.int32]
    ngrams: kernels.NumberedNgrams


def number_references(references: Sequence[Segments], longest: int) -> list[NumberedReference] | None:
    """Return the n-grams of each reference, numbered for all of them together; None without kernels."""
    together = joined(references)
    ngrams = kernels.number_ngrams(together.ids, together.offsets, longest)
    if ngrams is None:
        return None
    numbered, end = list[NumberedReference](), 0
    for texts in references:
        numbers = ngrams.numbers[end : end + len(texts.ids)]
        end += len(texts.ids)
        numbered.append(NumberedReference(numbers, ngrams))
    return numbered


def information_by_number(references: Sequence[PreparedReference[Sequence[int]]]) -> FloatArray:
    """Return the information of n-grams by their numbers, in bits: (n-grams,); something of those that none has."""
    ngrams: kernels.NumberedNgrams = references[0].facts.ngrams
    tokens = [(reference.segments.ids, reference.facts.numbers) for reference in references]
    are_all = len({*map(id, references)}) == len(references) and sum(len(ids) for ids, _ in tokens) == len(
        ngrams.numbers
    )
    counts = ngrams.counts if are_all else kernels.count_numbers(ngrams, tokens)
    above = counts[ngrams.prefixes]
    above[: ngrams.unigrams] = counts[: ngrams.unigrams].sum()
    information = np.maximum(above, 1) / np.maximum(counts, 1)
    return np.log2(information, out=information)


def information_in(references: Sequence[Segments], longest: int) -> Information:
    """Return the information of the n-grams of references, up to a length: the plain definition."""
    counts: list[NgramCounts] = [Counter() for _ in range(longest)]
    for ids in segment_ids(joined(references)):
        for order, count in enumerate(counts, 1):
            count.update(count_ngrams(ids, order))
    return information_of(counts)


def information_of(counts: Sequence[NgramCounts]) -> Information:
    """Return the information of each n-gram, in bits: from 0 to that of a token that occurs once.

    Parameters
    ----------
    counts : sequence (orders, from 1 on) of Counter
        How often each n-gram occurs in all references of the corpus.
    """
    prefixes: list[NgramCounts] = [Counter({(): counts[0].total()}), *counts]
    return {
        ngram: math.log2(shorter[ngram[:-1]] / count)
        for shorter, longer in zip(prefixes, counts, strict=False)
        for ngram, count in longer.items()
    }


def matched_information(candidates: Segments, hits: Hits, information: Information, longest: int) -> FloatArray:
    """Return the information of the hits of each segment and order: (segments, orders)."""
    rows = np.zeros((len(candidates), longest))
    bits, start = hits.tolist(), 0
    for segment, ids in enumerate(segment_ids(candidates)):
        for order in range(1, longest + 1):
            # The exact sum rounded once, so that candidates with the same n-grams in another order are equal.
            rows[segment, order - 1] = math.fsum(
                information[tuple(ids[position : position + order])]
                for position in range(len(ids))
                if bits[start + position] >> (order - 1) & 1
            )
        start += len(ids)
    return rows
