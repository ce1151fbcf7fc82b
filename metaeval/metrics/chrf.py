r"""chrF: the F score of the n-grams of characters that a candidate has in common with its best reference.

.. math:: \mathrm{chrF} = 100 \, (1 + \beta^2) \, \frac{P \, R}{\beta^2 P + R}

P and R are the means, over the orders of which both texts have n-grams, of matches over the candidate's n-grams and of
matches over the reference's. With n-grams of words as further orders it is chrF++.

Conventions. They are those of sacreBLEU, in every detail, and so is the signature; it computes the scores itself where
nothing was compiled. Of several references, the one with the best score of the segment counts, the first of equal ones.

Sources
-------
In `bibliography.toml`: popovic2015; popovic2017 (chrF++); post2018 (sacreBLEU).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from metaeval import _kernels
from metaeval._kernels.encode import characters, encode
from metaeval._kernels.ngrams import ngram_matches
from metaeval._kernels.pairs import Ids, Offsets
from metaeval.metrics.described import Described
from metaeval.metrics.quotients import quotient
from metaeval.metrics.sacrebleu_metrics import CountedBySacreBleu
from metaeval.parameters import parameter
from metaeval.records import BoolArray, Corpus, FloatArray, IntArray

# What stands for an order without n-grams.
_TINY = 1e-16
# Characters that are compared at once: what this takes is about thirty times as large.
_AT_ONCE = 1 << 22


@dataclass(frozen=True)
class Chrf(Described, CountedBySacreBleu, name="chrf", title="chrF"):
    """chrF, the F score of character n-grams, as sacreBLEU counts them; with word n-grams chrF++."""

    char_order: int = parameter(6, doc="the longest n-grams of characters", minimum=1, maximum=100)
    word_order: int = parameter(0, doc="the longest n-grams of words; 2 is chrF++", minimum=0, maximum=100)
    beta: int = parameter(2, doc="how many times as much recall counts as precision", minimum=1, maximum=1000)
    lowercase: bool = parameter(False, doc="whether texts are lower-cased")
    whitespace: bool = parameter(False, doc="whether blanks are characters")
    eps_smoothing: bool = parameter(
        False, doc="whether orders without n-grams count almost nothing, as in chrF++.py, instead of being left out"
    )

    @property
    def statistic_names(self) -> tuple[str, ...]:
        """N-grams of the candidate, of the reference and of both, of each order."""
        kinds = [("char", n) for n in range(1, self.char_order + 1)]
        kinds += [("word", n) for n in range(1, self.word_order + 1)]
        parts = ("candidate", "reference", "matches")
        return tuple(f"{part}_{kind}_{n}" for kind, n in kinds for part in parts)

    @cached_property
    def engine(self) -> Any:
        """The object of sacreBLEU."""
        from sacrebleu.metrics.chrf import CHRF

        return CHRF(self.char_order, self.word_order, self.beta, self.lowercase, self.whitespace, self.eps_smoothing)

    @property
    def side_by_side(self) -> Literal["", "processes"]:
        """It takes other processes only where it counts in Python."""
        return "processes" if _kernels.COMPILED is None else ""

    def measure(self, corpus: Corpus, references: Sequence[str]) -> FloatArray:
        """Return the statistics of the best reference of each segment: (systems, segments, statistics)."""
        if _kernels.COMPILED is None:
            return super().measure(corpus, references)
        return next(self.measure_subsets(corpus, [references]))

    def measure_subsets(self, corpus: Corpus, subsets: Sequence[Sequence[str]]) -> Iterator[FloatArray]:
        """Give the statistics with each of several reference subsets, comparing once with each reference."""
        if _kernels.COMPILED is None:
            yield from super().measure_subsets(corpus, subsets)
            return
        if self.stated:
            for subset in subsets:
                self.stated.check_references(subset)
        used = list(dict.fromkeys(name for subset in subsets for name in subset))
        shape = (len(corpus.systems), corpus.n_segments, len(self.statistic_names))
        found = [np.empty(shape) for _ in subsets]
        for rows in _parts([*corpus.candidates, *(corpus.references[name] for name in used)]):
            pairs = self._compare(corpus, used, rows)
            for of_subset, subset in zip(found, subsets, strict=True):
                part = of_subset[:, rows]
                part[:] = pairs.of_best([used.index(name) for name in subset]).reshape(part.shape)
        yield from found

    def _compare(self, corpus: Corpus, references: Sequence[str], rows: slice) -> _Pairs:
        """Compare some segments of all systems with each reference."""
        texts = [corpus.references[name][rows] for name in references] + [text[rows] for text in corpus.candidates]
        flat = ["" if text is None else text for of_text in texts for text in of_text]
        if self.lowercase:
            flat = list(map(str.lower, flat))
        present = np.array([text is not None for of_text in texts for text in of_text], dtype=bool)
        n_references = len(references) * len(texts[0])
        kinds = [(self.char_order, characters(flat, keep_space=self.whitespace))]
        words = encode(flat, marks_apart=True) if self.word_order else None
        kinds += [(self.word_order, words[:2])] if words else []
        compared = [_matches(len(references), n_references, order, *encoded) for order, encoded in kinds if encoded]
        candidate, reference, matches = (np.concatenate(part) for part in zip(*compared, strict=True))
        times = len(corpus.systems)
        of_references = np.tile(present[:n_references].reshape(len(references), -1), times)
        reference = np.tile(reference, times)
        # N-grams of a candidate are not counted where the reference has none of the order.
        counts = np.where(reference > 0, candidate[:, None], 0), reference, matches
        return _Pairs(counts, np.where(of_references, self._scores(*counts), -np.inf), present[n_references:])

    def _scores(self, candidate: IntArray, reference: IntArray, matches: IntArray) -> FloatArray:
        """Return the scores of n-gram counts (orders, ...), added and divided in the order of sacreBLEU: (...)."""
        factor = self.beta**2
        score, precisions, recalls, orders = (np.zeros(np.shape(candidate)[1:]) for _ in range(4))
        for n_candidate, n_reference, n_matches in zip(candidate, reference, matches, strict=True):
            both = (n_candidate > 0) & (n_reference > 0)
            precision, recall = quotient(n_matches, n_candidate, _TINY), quotient(n_matches, n_reference, _TINY)
            if self.eps_smoothing:
                score = score + _f_score(precision, recall, factor, _TINY)
            precisions, recalls, orders = precisions + precision * both, recalls + recall * both, orders + both
        if self.eps_smoothing:
            return 100 * score / len(matches)
        orders = np.maximum(orders, 1)
        return 100 * _f_score(precisions / orders, recalls / orders, factor, 0.0)

    def score(self, statistics: FloatArray) -> FloatArray:
        """Return the scores of pooled statistics (..., statistics): (...), all at once."""
        counts = np.moveaxis(statistics.reshape(*statistics.shape[:-1], -1, 3), (-2, -1), (1, 0))
        missing = np.isnan(statistics).any(axis=-1)
        return np.asarray(np.where(missing, np.nan, self._scores(*counts)))


def _f_score(precision: FloatArray, recall: FloatArray, factor: float, nothing: float) -> FloatArray:
    return quotient((1 + factor) * precision * recall, factor * precision + recall, nothing)


@dataclass(frozen=True)
class _Pairs:
    """Candidates compared with references.

    Attributes
    ----------
    counts : three (orders, references, segments) int arrays
        How many n-grams the candidate has, the reference, and both.
    scores : (references, segments) float array
        Minus infinity where the reference is absent.
    present : (segments,) bool array
        Whether there is a candidate.
    """

    counts: tuple[IntArray, IntArray, IntArray]
    scores: FloatArray
    present: BoolArray

    def of_best(self, subset: Sequence[int]) -> FloatArray:
        """Return the statistics with the best of some references: (segments, statistics)."""
        scores = self.scores[subset]
        best = np.array(subset)[scores.argmax(axis=0)]
        counts = np.stack([part[:, best, np.arange(len(best))] for part in self.counts], axis=-1)
        rows = counts.transpose(1, 0, 2).reshape(len(best), -1).astype(float)
        rows[~self.present | np.isneginf(scores.max(axis=0))] = np.nan
        return rows


def _parts(texts: Sequence[Sequence[str | None]]) -> Iterator[slice]:
    """Give segments in parts of about `_AT_ONCE` characters, at least one segment."""
    lengths = np.cumsum([sum(len(text or "") for text in segment) for segment in zip(*texts, strict=True)])
    start = 0
    while start < len(lengths):
        before = lengths[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(lengths, before + _AT_ONCE, side="right")))
        yield slice(start, stop)
        start = stop


def _matches(
    n_references: int, n_segments: int, longest: int, ids: Ids, offsets: Offsets
) -> tuple[IntArray, IntArray, IntArray]:
    """Return n-grams of candidates (orders, segments), and of references and of both (orders, references, segments).

    Of the segments, those of the references stand first: `n_segments` in all, reference by reference.
    """
    start = offsets[n_segments]
    of_references = (ids[:start], offsets[: n_segments + 1])
    matches = ngram_matches(ids[start:], offsets[n_segments:] - start, *of_references, n_references, longest)
    assert matches is not None
    totals = np.maximum(0, np.diff(offsets) - np.arange(longest)[:, None])
    reference = totals[:, :n_segments].reshape(longest, n_references, -1)
    return totals[:, n_segments:], reference, matches.transpose(2, 0, 1)
