"""Base of the checks: a corpus as arrays, and statistics that tell damage from chance."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import combinations, pairwise
from statistics import NormalDist

import numpy as np

from metaeval.datamodel.corpus import BoolArray, Corpus, FloatArray, IntArray
from metaeval.scipy_parts import sparse

# With fewer segments nothing is said of a corpus, and with fewer values nothing of their correlation.
MIN_SEGMENTS = 20
# A run of equal or missing values is no chance if its probability is below this.
MAX_CHANCE = 1e-9
# Words of more characters, on average, belong to a script without blanks.
MAX_WORD_CHARACTERS = 15
# Sums of squares below this are those of equal values, but for rounding.
ROUNDING = 1e-12
# Subjects that a warning names; it counts the others.
MAX_NAMED = 3


class CheckedCorpus:
    """The texts and judgments of a corpus as arrays, each made when it is first needed.

    Arrays of texts are (texts, segments), with the systems first and then the references; those of judgments are
    (systems, segments).

    Attributes
    ----------
    corpus : Corpus
    n_systems, n_segments : int
    names : list of str
        ``system 'A'`` or ``reference 'ref1'`` for each text.
    texts : tuple of tuples of (str or None)
    """

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self.n_systems = len(corpus.systems)
        self.n_segments = corpus.n_segments
        self.names = [f"system {name!r}" for name in corpus.systems]
        self.names += [f"reference {name!r}" for name in corpus.references]
        self.texts = (*corpus.candidates, *corpus.references.values())

    @cached_property
    def text_numbers(self) -> IntArray:
        """A number for each text, the same for equal texts and -1 for one that is empty or absent."""
        number_of: dict[str, int] = {}
        numbers = np.full((len(self.texts), self.n_segments), -1, dtype=np.int64)
        for row, texts in enumerate(self.texts):
            for segment, text in enumerate(texts):
                if text:
                    numbers[row, segment] = number_of.setdefault(text, len(number_of))
        return numbers

    @cached_property
    def has_texts(self) -> bool:
        """True if the texts are texts, and not placeholders."""
        return len(np.unique(self.text_numbers)) > self.n_segments

    @cached_property
    def word_vectors(self) -> list[sparse.csr_array]:
        """The words of the segments of each text as vectors of length 1, rare words heavy (tf-idf): (segments, words).

        In a script without blanks the words are pairs of characters.
        """
        sizes = np.array([(len(words), sum(map(len, words))) for words in self._words()], dtype=np.int64)
        words_of_texts: Iterable[list[str]] = self._words()
        if sizes[:, 1].sum() > MAX_WORD_CHARACTERS * sizes[:, 0].sum():
            words_of_texts = (["".join(pair) for pair in pairwise("".join(words))] for words in words_of_texts)
        id_of: dict[str, int] = {}
        # One text after the other: the words of all at once would take many times the memory of the texts.
        ids = array("i")
        starts = [0]
        for words in words_of_texts:
            ids.extend(id_of.setdefault(word, len(id_of)) for word in words)
            starts.append(len(ids))
        shape = (len(sizes), max(len(id_of), 1))
        vectors = sparse.csr_array((np.ones(len(ids)), np.array(ids, dtype=np.intc), starts), shape=shape)
        vectors.sum_duplicates()
        texts_with_word = np.maximum(np.bincount(vectors.indices, minlength=shape[1]), 1)
        vectors.data = np.log(len(sizes) / texts_with_word)[vectors.indices]
        norms = np.sqrt(np.asarray(vectors.multiply(vectors).sum(axis=1)).ravel())
        vectors.data /= np.repeat(np.where(norms > 0, norms, 1), np.diff(vectors.indptr))
        n = self.n_segments
        return [vectors[text * n : (text + 1) * n] for text in range(len(self.texts))]

    def _words(self) -> Iterator[list[str]]:
        return ((text or "").lower().split() for texts in self.texts for text in texts)

    @cached_property
    def _sums(self) -> list[tuple[sparse.csr_array, IntArray]]:
        """The sum of the word vectors of each segment and their number, of all texts and of the systems alone."""
        counts = np.cumsum(self.text_numbers >= 0, axis=0)
        ends_of_texts = (len(self.texts), self.n_systems)
        return [(sum(self.word_vectors[1:end], self.word_vectors[0]), counts[end - 1]) for end in ends_of_texts]

    def other_texts(self, text: int) -> tuple[sparse.csr_array, IntArray]:
        """Return the sum of the word vectors of the other texts of each segment, and their number.

        A system is compared with the other systems and the references, a reference with the systems.
        """
        total, count = self._sums[text >= self.n_systems]
        if text < self.n_systems:
            return total - self.word_vectors[text], count - (self.text_numbers[text] >= 0)
        return total, count

    @cached_property
    def similarity(self) -> FloatArray:
        """The mean cosine between a text and the other texts of its segment, from 0 to 1."""
        rows = []
        for text, vectors in enumerate(self.word_vectors):
            total, count = self._sums[text >= self.n_systems]
            cosines = np.asarray(vectors.multiply(total).sum(axis=1)).ravel()
            if text < self.n_systems:  # the total has the text itself
                cosines = cosines - np.asarray(vectors.multiply(vectors).sum(axis=1)).ravel()
                count = count - (self.text_numbers[text] >= 0)
            rows.append(cosines / np.maximum(count, 1))
        return np.array(rows)

    @cached_property
    def judgments(self) -> list[FloatArray]:
        """The mean judgment of each item on each criterion, higher being better; nan where there is none."""
        judgments = self.corpus.judgments
        n_items = self.n_systems * self.n_segments
        means = []
        for number, criterion in enumerate(self.corpus.criteria):
            rows = judgments.criterion == number
            items = judgments.system[rows].astype(np.int64) * self.n_segments + judgments.segment[rows]
            mean = np.bincount(items, judgments.score[rows], n_items) / np.bincount(items, minlength=n_items)
            sign = 1 if criterion.higher_is_better else -1
            means.append(sign * mean.reshape(self.n_systems, self.n_segments))
        return means

    @cached_property
    def mean_judgment(self) -> FloatArray:
        """The mean of the criteria that were judged, each with a standard deviation of 1."""
        return np.asarray(
            np.mean([standardised(means) for means in self.judgments if np.isfinite(means).any()], axis=0)
        )

    @cached_property
    def relative_similarity(self) -> FloatArray:
        """The similarity of each judged text, less the means of its segment and system: (systems, segments).

        nan where a text is absent or was not judged, and everywhere with fewer than three systems, of which texts do
        not show which are better.
        """
        similarity = np.full(self.mean_judgment.shape, np.nan)
        if self.has_texts and self.n_systems >= 3:
            present = (self.text_numbers[: self.n_systems] >= 0) & np.isfinite(self.mean_judgment)
            similarity[present] = self.similarity[: self.n_systems][present]
        return less_means(less_means(similarity, 0), 1)

    @cached_property
    def predicted_judgment(self) -> FloatArray:
        """Expectation of each judgment: the mean of the other systems in the segment, plus the relative similarity.

        Each of the two has a standard deviation of 1 along a system: (systems, segments).
        """
        judgments = less_means(self.mean_judgment, 1)
        n_others = np.isfinite(judgments).sum(axis=0) - np.isfinite(judgments)
        others = (np.nansum(judgments, axis=0) - np.nan_to_num(judgments)) / n_others
        texts = np.nan_to_num(self.relative_similarity)
        return np.array([standardised(a) + standardised(b) for a, b in zip(others, texts, strict=True)])


def warning(findings: Sequence[str], advice: str) -> str | None:
    """Return findings and advice as one message; None without findings."""
    if not findings:
        return None
    rest_counted = [f"and {len(findings) - MAX_NAMED} more"] if len(findings) > MAX_NAMED else []
    return f"{'; '.join([*findings[:MAX_NAMED], *rest_counted])}. {advice}"


def standardised(values: FloatArray) -> FloatArray:
    """Return values less their mean, divided by their standard deviation; 0 where they do not vary."""
    present = values[np.isfinite(values)]
    spread = present.std() if len(present) else 0.0
    return (values - present.mean()) / spread if spread > 0 else values * 0


def less_means(values: FloatArray, axis: int) -> FloatArray:
    """Return values less their mean along an axis; nan where there is no value."""
    count = np.isfinite(values).sum(axis=axis, keepdims=True)
    return np.asarray(values - np.nansum(values, axis=axis, keepdims=True) / np.maximum(count, 1))


def correlation(x: FloatArray, y: FloatArray) -> float:
    """Return Pearson's correlation of what both know; nan for too few values, or such that do not vary."""
    both_known = np.isfinite(x) & np.isfinite(y)
    if both_known.sum() < MIN_SEGMENTS or not np.ptp(x[both_known]) or not np.ptp(y[both_known]):
        return np.nan
    return float(np.mean(standardised(x[both_known]) * standardised(y[both_known])))


def t_statistic(values: FloatArray) -> float:
    """Return the mean in units of its standard error; 0 for too few values, or such that do not vary."""
    values = values[np.isfinite(values)]
    spread = values.std() if len(values) >= MIN_SEGMENTS else 0.0
    return float(values.mean() / spread * len(values) ** 0.5) if spread > 0 else 0.0


def chance_limit(probability: float, n_tests: int) -> float:
    """Return the standard deviations that chance exceeds in any of some tests with a probability (Bonferroni)."""
    return NormalDist().inv_cdf(1 - probability / max(n_tests, 1))


def longest_run(mask: BoolArray) -> tuple[int, int]:
    """Return the start and the length of the longest run of true values: (values,)."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], mask, [0]])))
    if not len(edges):
        return 0, 0
    starts = edges[::2]
    lengths = edges[1::2] - edges[::2]
    longest = int(np.argmax(lengths))
    return int(starts[longest]), int(lengths[longest])


def missing_block(present: BoolArray) -> tuple[int, int] | None:
    """Return the first and last place of a block of missing values, if hardly any others are missing: (segments,).

    The block is at least five values and a twentieth of all, four times the next longest, and so long that values
    missing as often as they do outside it would make one with a probability below `MAX_CHANCE`.
    """
    start, length = longest_run(~present)
    others = ~present
    others[start : start + length] = False
    if length == len(present) or length < max(5, len(present) // 20, 4 * longest_run(others)[1] + 1):
        return None
    share_outside = (others.sum() + 1) / (len(present) - length + 2)
    return (start, start + length - 1) if share_outside**length * len(present) < MAX_CHANCE else None


def copied_blocks(values: IntArray) -> Iterator[tuple[int, int, int, int]]:
    """Yield each pair of rows that are equal for longer than chance makes them, with the first and the last place.

    The longest run of equal values is at least ten values and a twentieth of all, has different values inside it, and
    either a probability below `MAX_CHANCE`, by how often the two rows are equal outside it and nine of ten other pairs
    are equal inside it; or the two rows are equal in 98 % of all places, which these other pairs are not.

    Parameters
    ----------
    values : (rows, segments) int array
        -1 where a value is missing.
    """
    pairs = list(combinations(range(len(values)), 2))
    equal = [(values[a] == values[b]) & (values[a] >= 0) for a, b in pairs]
    for (a, b), of_pair in zip(pairs, equal, strict=True):
        present = np.flatnonzero((values[a] >= 0) & (values[b] >= 0))
        start, length = longest_run(of_pair[present])
        if length < max(MIN_SEGMENTS // 2, len(present) // 20):
            continue
        run = present[start : start + length]
        share_outside = (of_pair[present].sum() - length + 1) / (len(present) - length + 2)
        others = [of_other[run].mean() for of_other in equal if of_other is not of_pair]
        share_of_others = float(np.quantile(others, 0.9)) if others else share_outside
        # Of rows that are equal nearly everywhere too little lies outside the run to say how often they are.
        share = max(share_outside if length < 0.9 * len(present) else 0, share_of_others)
        by_chance = share**length * len(present) >= MAX_CHANCE
        nearly_equal = of_pair[present].mean() >= 0.98 > share_of_others
        if len(np.unique(values[a, run])) >= min(length / 2, 10) and (nearly_equal or not by_chance):
            yield a, b, int(run[0]), int(run[-1])
