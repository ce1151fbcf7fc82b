r"""chrF: the F score of the n-grams of characters that a candidate has in common with its best reference.

.. math:: \mathrm{chrF} = 100 \, (1 + \beta^2) \, \frac{P \, R}{\beta^2 P + R}

P and R are the means, over the orders of which both texts have n-grams, of matches over the candidate's n-grams and of
matches over the reference's. With n-grams of words as further orders it is chrF++.

Conventions. They are those of sacreBLEU, in every detail, and so is the signature. Of several references, the one with
the best score of the segment counts, the first of equal ones. An order of which the reference has no n-grams does not
count for the candidate either. A document adds the counts of its segments.

Sources
-------
In `bibliography.toml`: popovic2015; popovic2017 (chrF++); post2018 (sacreBLEU).
"""

from __future__ import annotations

import string
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from metaeval import kernels
from metaeval.datamodel.corpus import BoolArray, Corpus, FloatArray, IntArray
from metaeval.kernels.encode import characters, encode
from metaeval.kernels.ngrams import ngram_matches
from metaeval.kernels.segment_pairs import Ids, Offsets
from metaeval.metrics.descriptions import Described
from metaeval.metrics.division import quotient
from metaeval.metrics.ngrams import NgramCounts, clipped_matches, count_ngrams
from metaeval.metrics.sacrebleu_metrics import SacreBleuMetric
from metaeval.metrics.sacrebleu_signatures import sacrebleu_signature
from metaeval.parameters.calls import Signature
from metaeval.parameters.fields import parameter

# What stands for an order without n-grams.
_TINY = 1e-16
# Characters that are compared at once: what this takes is about thirty times as large.
_CHARACTERS_AT_ONCE = 1 << 22

# Segments of a text.
Texts = Sequence[str | None]
# N-grams of the candidate, of the reference and of both, each (orders, references, segments).
Counts = tuple[IntArray, IntArray, IntArray]


@dataclass(frozen=True)
class Chrf(Described, SacreBleuMetric, name="chrf", title="chrF"):
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

    @property
    def signature(self) -> Signature:
        """Return the signature of sacreBLEU, with the version of metaeval."""
        pairs = {
            "case": "lc" if self.lowercase else "mixed",
            "eff": not self.eps_smoothing,
            "nc": self.char_order,
            "nw": self.word_order,
            "space": self.whitespace,
        }
        return sacrebleu_signature(f"chrF{self.beta}{'+' * self.word_order}", pairs)

    @property
    def side_by_side(self) -> Literal["", "processes"]:
        """Take other processes only where it counts in Python."""
        return "processes" if kernels.COMPILED is None else ""

    def ngrams(self, text: str) -> list[NgramCounts]:
        """Count each n-gram of a text: of characters of order 1, 2, ..., then of words."""
        if self.lowercase:
            text = text.lower()
        letters = text if self.whitespace else "".join(text.split())
        words = with_punctuation_apart(text)
        return [
            *(count_ngrams(letters, order) for order in range(1, self.char_order + 1)),
            *(count_ngrams(words, order) for order in range(1, self.word_order + 1)),
        ]

    def compare(self, candidate: Sequence[NgramCounts], reference: Sequence[NgramCounts]) -> list[tuple[int, int, int]]:
        """Return the n-grams of a candidate, of one reference and of both, of each order: the plain definition."""
        return [
            (ours.total() if theirs else 0, theirs.total(), clipped_matches(ours, theirs))
            for ours, theirs in zip(candidate, reference, strict=True)
        ]

    def measure(self, corpus: Corpus, references: Sequence[str]) -> FloatArray:
        """Return the statistics of the best reference of each segment: (systems, segments, statistics)."""
        return next(self.measure_subsets(corpus, [references]))

    def measure_subsets(self, corpus: Corpus, subsets: Sequence[Sequence[str]]) -> Iterator[FloatArray]:
        """Yield the statistics with each of several reference subsets, comparing once with each reference."""
        for subset in subsets:
            self.check_references(subset)
        used = list(dict.fromkeys(name for subset in subsets for name in subset))
        texts = [corpus.references[name] for name in used]
        shape = (len(corpus.systems), corpus.n_segments, len(self.statistic_names))
        of_subsets = [np.empty(shape) for _ in subsets]
        for rows in _parts([*corpus.candidates, *texts]):
            pairs = self._compare_all([text[rows] for text in corpus.candidates], [text[rows] for text in texts])
            for of_subset, subset in zip(of_subsets, subsets, strict=True):
                part = of_subset[:, rows]
                part[:] = pairs.of_best([used.index(name) for name in subset]).reshape(part.shape)
        yield from of_subsets

    def _compare_all(self, candidates: Sequence[Texts], references: Sequence[Texts]) -> _Pairs:
        """Compare all systems with each reference."""
        counts = self._compiled_counts(candidates, references)
        if counts is None:
            counts = self._plain_counts(candidates, references)
        is_reference = np.tile([[text is not None for text in texts] for texts in references], len(candidates))
        is_candidate = np.array([text is not None for texts in candidates for text in texts], dtype=bool)
        return _Pairs(counts, np.where(is_reference, self._scores(*counts), -np.inf), is_candidate)

    def _plain_counts(self, candidates: Sequence[Texts], references: Sequence[Texts]) -> Counts:
        """Return :meth:`compare` of all pairs of texts, the segments of one system after those of another."""
        of_references = [[self.ngrams(text or "") for text in texts] for texts in references]
        rows = [
            [self.compare(ngrams, of_reference[segment]) for of_reference in of_references]
            for texts in candidates
            for segment, ngrams in enumerate(self.ngrams(text or "") for text in texts)
        ]
        candidate, reference, matches = np.array(rows, dtype=np.int64).transpose(3, 2, 1, 0)
        return candidate, reference, matches

    def _compiled_counts(self, candidates: Sequence[Texts], references: Sequence[Texts]) -> Counts | None:
        """Return the same by compiled kernels, or None without them."""
        flat = [text or "" for texts in (*references, *candidates) for text in texts]
        if self.lowercase:
            flat = list(map(str.lower, flat))
        n_references = len(references) * len(references[0])
        kinds = [(self.char_order, characters(flat, keep_space=self.whitespace))]
        words = encode(flat, marks_apart=True) if self.word_order else None
        kinds += [(self.word_order, words[:2])] if words else []
        compared = [_matches(len(references), n_references, order, *encoded) for order, encoded in kinds if encoded]
        if not compared:
            return None
        candidate, reference, matches = (np.concatenate(part) for part in zip(*compared, strict=True))
        reference = np.tile(reference, len(candidates))
        # N-grams of a candidate are not counted where the reference has none of the order.
        return np.where(reference > 0, candidate[:, None], 0), reference, matches

    def _scores(self, candidate: IntArray, reference: IntArray, matches: IntArray) -> FloatArray:
        """Return the scores of n-gram counts (orders, ...), added and divided in the order of sacreBLEU: (...)."""
        factor = self.beta**2
        score, precisions, recalls, orders = (np.zeros(np.shape(candidate)[1:]) for _ in range(4))
        for n_candidate, n_reference, n_matches in zip(candidate, reference, matches, strict=True):
            is_effective = (n_candidate > 0) & (n_reference > 0)
            precision = quotient(n_matches, n_candidate, _TINY)
            recall = quotient(n_matches, n_reference, _TINY)
            if self.eps_smoothing:
                score = score + _f_score(precision, recall, factor, _TINY)
            precisions = precisions + precision * is_effective
            recalls = recalls + recall * is_effective
            orders = orders + is_effective
        if self.eps_smoothing:
            return 100 * score / len(matches)
        orders = np.maximum(orders, 1)
        return 100 * _f_score(precisions / orders, recalls / orders, factor, 0.0)

    def score(self, statistics: FloatArray) -> FloatArray:
        """Return chrF, 0 to 100, of pooled statistics: (..., statistics) to (...)."""
        counts = np.moveaxis(statistics.reshape(*statistics.shape[:-1], -1, 3), (-2, -1), (1, 0))
        missing = np.isnan(statistics).any(axis=-1)
        return np.asarray(np.where(missing, np.nan, self._scores(*counts)))


def with_punctuation_apart(text: str) -> list[str]:
    """Return the words of a text, a mark of ASCII's punctuation at the end of each apart, or else at its beginning."""
    words: list[str] = []
    for word in text.split():
        if len(word) > 1 and word[-1] in string.punctuation:
            words += [word[:-1], word[-1]]
        elif len(word) > 1 and word[0] in string.punctuation:
            words += [word[0], word[1:]]
        else:
            words.append(word)
    return words


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
    """Yield segments in parts of about `_CHARACTERS_AT_ONCE` characters, at least one segment."""
    lengths = np.cumsum([sum(len(text or "") for text in segment) for segment in zip(*texts, strict=True)])
    start = 0
    while start < len(lengths):
        before = lengths[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(lengths, before + _CHARACTERS_AT_ONCE, side="right")))
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
