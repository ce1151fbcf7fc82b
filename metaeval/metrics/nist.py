r"""NIST: n-gram precision in which a match counts the information that it carries.

.. math:: \mathrm{NIST} = \sum_n \frac{\sum_{\mathrm{matches}} \mathrm{info}(w_1 \dots w_n)}{t_n}
          \cdot \exp\Big(\beta \ln^2 \min(c/r, 1)\Big), \qquad
          \mathrm{info}(w_1 \dots w_n) = \log_2 \frac{\mathrm{count}(w_1 \dots w_{n-1})}{\mathrm{count}(w_1 \dots w_n)}

t_n are the candidate's n-grams, c its length and r the average reference length, all added over the segments of a
document; beta is ln(1/2) / ln(3/2)^2, so that the penalty is 1/2 for a candidate of two thirds of the length. Scores
are 0 or more, without a fixed maximum: the information depends on the references.

Conventions. Information is counted in all segments of all references of the subset; the prefix of a unigram is the
number of their tokens. So it belongs to the corpus: pseudo-documents and resamples keep it, and they add. A program run
on each document by itself would take the information from that document; that does not add and is not offered. Matches
are clipped at the largest count in any one reference. An order of which the candidate has no n-grams contributes 0, and
an empty candidate scores 0. The order of the references does not matter. Repeating all of them changes nothing;
repeating one of several changes information and average length.

``information=False`` lets every n-gram count 1: the sum of the clipped precisions, times the penalty. Turian et al.
(2003) plot an "unweighted NIST" without a formula, and this is our reading of it; the mean instead of the sum is the
same up to a factor, other penalties are not.

Differences from other programs. mteval takes a prefix that is the token ``0`` as if it were empty; here it is a token
like all others. The formula printed by Finch et al. (2004) divides inside the sum over matches; mteval, which they ran,
divides the sum.

Sources
-------
In `bibliography.toml`: doddington2002; turian2003 (unweighted); mteval (pooling of sums, clipping, penalty).
"""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from metaeval._kernels import ngrams as kernels
from metaeval._kernels.ngrams import Hits
from metaeval.metrics.by_reference import PreparedReference
from metaeval.metrics.ngrams import NgramCounts, NgramMetric, count_hits, count_ngrams, hits_with_any, ngram_hits
from metaeval.metrics.quotients import quotient
from metaeval.metrics.segments import joined, repeated, segment_ids
from metaeval.names import Signature
from metaeval.parameters import parameter
from metaeval.records import FloatArray, Segments
from metaeval.version import VERSION

# The penalty is 1/2 where the candidate has two thirds of the reference length.
_BETA = math.log(1 / 2) / math.log(3 / 2) ** 2

Information = Mapping[tuple[int, ...], float]


class Known(NamedTuple):
    """What NIST's kernels know of a reference: the n-grams that begin at each token, numbered for all references."""

    numbers: npt.NDArray[np.int32]
    ngrams: kernels.NumberedNgrams


class Compared(NamedTuple):
    """The hits with a reference; and for kernels where all references have them, and what stands there."""

    hits: Hits
    places: tuple[npt.NDArray[np.int32], ...]


@dataclass(frozen=True)
class References:
    """What NIST needs of one reference subset.

    Attributes
    ----------
    lengths : (references, segments) float array
        In tokens; ``nan`` where a reference is absent.
    information : mapping from n-gram to float, or None
        In bits, from all segments, for all orders; None where every n-gram weighs 1.
    by_number : (n-grams,) float array, or None
        The same by the numbers of n-grams, for kernels.
    """

    lengths: FloatArray
    information: Information | None = None
    by_number: FloatArray | None = None


@dataclass(frozen=True)
class Nist(NgramMetric, name="nist", title="NIST"):
    """NIST of order 5 as in mteval, and variants without its weights or its penalty."""

    decides: ClassVar[str] = "information"

    order: int = parameter(5, doc="the longest n-grams; all orders from 1 to this one count", minimum=1, maximum=30)
    information: bool = parameter(
        True, doc="whether a match counts its information; if not, it counts 1: our reading of Turian's unweighted NIST"
    )
    brevity: bool = parameter(True, doc="whether candidates shorter than the references are penalised")

    @property
    def used_orders(self) -> range:
        """The orders that count, ascending."""
        return range(1, self.order + 1)

    @property
    def counted(self) -> str:
        """What stands for the matches of an order: their information, unless they count 1 each."""
        return "information" if self.information else "matches"

    @property
    def signature(self) -> Signature:
        """Name, parameters and version."""
        return Signature("NIST").with_items(
            order=self.order, information=self.information, brevity=self.brevity, version=VERSION
        )

    def known_of_each(self, references: Sequence[Segments]) -> Sequence[Known | None]:
        """Return the n-grams of each reference, numbered for all of them together."""
        together = joined(references)
        ngrams = kernels.number_ngrams(together.ids, together.offsets, self.order) if self.information else None
        if ngrams is None:
            return [None] * len(references)
        known, end = list[Known](), 0
        for texts in references:
            numbers = ngrams.numbers[end : end + len(texts.ids)]
            end += len(texts.ids)
            known.append(Known(numbers, ngrams))
        return known

    def known_of_part(self, reference: PreparedReference[Sequence[int]], rows: slice) -> Known | None:
        """Return the n-grams that begin in some segments."""
        known: Known | None = reference.known
        start, end = reference.segments.offsets[[rows.start, rows.stop]]
        return known and known._replace(numbers=known.numbers[start:end])

    def look_at_subset(self, references: Sequence[PreparedReference[Sequence[int]]]) -> References:
        """Count the n-grams of all references and weigh them."""
        lengths = super().look_at_subset(references)
        if not self.information:
            return References(lengths)
        if references[0].known is not None:
            return References(lengths, by_number=_information(references))
        counts: list[NgramCounts] = [Counter() for _ in self.used_orders]
        for ids in segment_ids(joined([one.segments for one in references])):
            for order, count in zip(self.used_orders, counts, strict=True):
                count.update(count_ngrams(ids, order))
        return References(lengths, information_of(counts))

    def compare_all(
        self, candidates: Segments, references: Sequence[PreparedReference[Sequence[int]]]
    ) -> list[Compared]:
        """Return, for each reference, the hits that begin at each token, and where all of them have these."""
        texts = [one.segments for one in references]
        if references[0].known is None:
            return [Compared(hits, ()) for hits in ngram_hits(candidates, texts, self.order)]
        where = np.empty(len(candidates.ids), dtype=np.int32)
        found = ngram_hits(candidates, texts, self.order, where)
        ids, numbers = joined(texts).ids, references[0].known.ngrams.numbers
        if len(ids) < len(numbers):  # a part of the segments
            numbers = np.concatenate([one.known.numbers for one in references])
        return [Compared(hits, (where, ids, numbers)) for hits in found]

    def look_at_part(self, subset: References, rows: slice) -> References:
        """Return the lengths of some segments; information is that of the whole corpus."""
        return replace(subset, lengths=subset.lengths[:, rows])

    def combine_all(self, candidates: Segments, subset: References, comparisons: Sequence[Compared]) -> FloatArray:
        """Return information or matches, totals and lengths of each segment: (segments, statistics)."""
        hits = hits_with_any([one.hits for one in comparisons])
        length, lengths = candidates.lengths, repeated(subset.lengths, len(candidates))
        absent = np.isnan(lengths)
        if subset.by_number is not None:
            where, ids, numbers = comparisons[0].places
            matched = kernels.sum_information(candidates.offsets, where, ids, numbers, subset.by_number, hits)
        elif subset.information is not None:
            matched = matched_information(candidates, hits, subset.information, self.order)
        else:
            matched = count_hits(hits, candidates.offsets, self.order).astype(float)
        totals = [np.maximum(0, length - order + 1) for order in self.used_orders]
        mean_length = np.nansum(lengths, axis=0) / np.maximum(1, (~absent).sum(axis=0))
        rows = np.column_stack([matched, *totals, length, mean_length]).astype(float)
        rows[absent.all(axis=0)] = np.nan
        return rows

    def score(self, statistics: FloatArray) -> FloatArray:
        """Return NIST, 0 or more, of pooled statistics: (..., statistics) to (...)."""
        of_orders = (quotient(statistics[..., k], statistics[..., self.order + k]) for k in range(self.order))
        score: FloatArray = functools.reduce(np.add, of_orders)
        return score * brevity_penalty(statistics[..., -2], statistics[..., -1]) if self.brevity else score


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


def _information(references: Sequence[PreparedReference[Sequence[int]]]) -> FloatArray:
    """Return the information of n-grams by their numbers, in bits: (n-grams,); something of those that none has."""
    ngrams: kernels.NumberedNgrams = references[0].known.ngrams
    tokens = [(one.segments.ids, one.known.numbers) for one in references]
    are_all = len({*map(id, references)}) == len(references) and sum(len(ids) for ids, _ in tokens) == len(
        ngrams.numbers
    )
    counts = ngrams.counts if are_all else kernels.count_numbers(ngrams, tokens)
    above = counts[ngrams.prefixes]
    above[: ngrams.unigrams] = counts[: ngrams.unigrams].sum()
    information = np.maximum(above, 1) / np.maximum(counts, 1)
    return np.log2(information, out=information)


def brevity_penalty(candidate: FloatArray, reference: FloatArray) -> FloatArray:
    """Return the factor, 0 to 1, for candidates shorter than the average reference: (...) and (...) to (...)."""
    ratio = quotient(candidate, reference, otherwise=1.0)
    with np.errstate(divide="ignore"):  # of nothing, which gives 0
        logarithm = np.log(np.minimum(ratio, 1.0))
    return np.asarray(np.exp(_BETA * np.square(logarithm)))
