"""A corpus as the tests for damage see it, and what these share: statistics, runs of equal values, holes, breaks."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import combinations, pairwise
from statistics import NormalDist
from typing import TypeAlias

import numpy as np

from metaeval.records import BoolArray, Corpus, FloatArray, IntArray
from metaeval.scientific import sparse

# Fewer segments show nothing.
FEWEST = 20
# The probability of what is not chance.
RARE = 1e-9
# Characters in a word, on average, above which a script is taken to have no spaces.
_LONG = 15

# In which texts or whose judgments something was found, and what was seen.
Found: TypeAlias = tuple[str, str]
Test = Callable[["View"], Iterator[Found]]


class View:
    """Texts and judgments of a corpus as arrays, each made when it is first asked for."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus, self.n = corpus, corpus.n_segments
        self.texts = (*corpus.candidates, *corpus.references.values())
        self.n_systems = len(corpus.systems)
        kinds = ["system"] * self.n_systems + ["reference"] * len(corpus.references)
        both = zip(kinds, (*corpus.systems, *corpus.references), strict=True)
        self.names = [f"{kind} {name!r}" for kind, name in both]

    @cached_property
    def equal(self) -> IntArray:
        """A number for each text, the same for equal ones, -1 for one that is absent or empty: (texts, segments)."""
        known: dict[str | None, int] = {}
        numbers = [[known.setdefault(one, len(known)) if one else -1 for one in texts] for texts in self.texts]
        return np.array(numbers, dtype=np.int64).reshape(len(self.texts), self.n)

    @cached_property
    def varied(self) -> bool:
        """Whether the texts are texts, and no placeholders."""
        return len(np.unique(self.equal)) > self.n and self.n >= FEWEST

    @cached_property
    def bags(self) -> list[sparse.csr_array]:
        """For each text the weights of its words, rare ones heavy, of length 1 or empty: (segments, words)."""
        sizes = np.array([(len(words), sum(map(len, words))) for words in self._words()], dtype=np.int64)
        pieces: Iterable[list[str]] = self._words()
        if sizes[:, 1].sum() > _LONG * sizes[:, 0].sum():
            pieces = (["".join(pair) for pair in pairwise("".join(words))] for words in pieces)
        known: dict[str, int] = {}
        # A text at a time: the words of all of them would be many times as large as the texts.
        ids, starts = array("i"), [0]
        for words in pieces:
            ids.extend(known.setdefault(one, len(known)) for one in words)
            starts.append(len(ids))
        shape = (len(sizes), max(len(known), 1))
        all_ = sparse.csr_array((np.ones(len(ids)), np.array(ids, dtype=np.intc), starts), shape=shape)
        all_.sum_duplicates()
        all_.data[:] = 1
        weight = np.log(len(sizes) / np.maximum(np.bincount(all_.indices, minlength=shape[1]), 1))
        all_.data *= weight[all_.indices]
        norms = np.sqrt(np.asarray(all_.multiply(all_).sum(axis=1)).ravel())
        all_.data /= np.repeat(np.where(norms > 0, norms, 1), np.diff(all_.indptr))
        return [all_[place * self.n : (place + 1) * self.n] for place in range(len(self.texts))]

    def _words(self) -> Iterator[list[str]]:
        """Give the words of each text, one text after the other."""
        return ((one or "").lower().split() for texts in self.texts for one in texts)

    def others(self, place: int) -> tuple[sparse.csr_array, FloatArray]:
        """Return the sum of the texts that one is compared with, and their numbers: (segments, words), (segments,).

        These are all others for a system, and the systems for a reference.
        """
        whole, present = self.sums[place >= self.n_systems]
        if place >= self.n_systems:
            return whole, present
        return whole - self.bags[place], present - (self.equal[place] >= 0)

    @cached_property
    def sums(self) -> list[tuple[sparse.csr_array, FloatArray]]:
        """The sums of the bags of all texts and of the systems, and their numbers: (segments, words), (segments,)."""
        present = np.cumsum(self.equal >= 0, axis=0, dtype=np.float64)
        ends = (len(self.bags), self.n_systems)
        return [(sum(self.bags[1:end], self.bags[0]), present[end - 1]) for end in ends]

    @cached_property
    def likeness(self) -> FloatArray:
        """The mean similarity of each text with the others of its segment, from 0 to 1: (texts, segments)."""
        rows = []
        for place, bag in enumerate(self.bags):
            whole, count = self.others(place)
            rows.append(np.asarray(bag.multiply(whole).sum(axis=1)).ravel() / np.maximum(count, 1))
        return np.array(rows)

    @cached_property
    def cells(self) -> list[FloatArray]:
        """For each criterion the mean judgment of each item, higher being better: (systems, segments)."""
        judged, found = self.corpus.judgments, []
        for number, criterion in enumerate(self.corpus.criteria):
            mask = judged.criterion == number
            at, size = judged.system[mask] * self.n + judged.segment[mask], self.n_systems * self.n
            total, count = (np.bincount(at, weights, size) for weights in (judged.score[mask], None))
            mean = np.divide(total, count, out=np.full(size, np.nan), where=count > 0)
            found.append(mean.reshape(self.n_systems, self.n) * (1 if criterion.higher_is_better else -1))
        return found

    @cached_property
    def mean(self) -> FloatArray:
        """The mean of the criteria, each of deviation 1: (systems, segments); nan where there is no judgment."""
        known = [standard(cells) for cells in self.cells if np.isfinite(cells).any()]
        return np.asarray(np.mean(known, axis=0))

    @cached_property
    def expected(self) -> FloatArray:
        """What to expect of `mean`, from other systems in the segment and from the text: (systems, segments)."""
        own = centred(self.mean, (1,))
        left = np.isfinite(own).sum(axis=0) - np.isfinite(own)
        total = np.nansum(own, axis=0) - np.nan_to_num(own)
        others = np.divide(total, left, out=np.full(own.shape, np.nan), where=left > 0)
        texts = self.residuals[1] if self.varied else 0 * own
        return np.array([standard(row) + standard(text) for row, text in zip(others, texts, strict=True)])

    @cached_property
    def residuals(self) -> tuple[FloatArray, FloatArray]:
        """The mean of the criteria and the likeness of the texts, less systems and segments: (systems, segments)."""
        texts = np.where(self.equal >= 0, self.likeness, np.nan)[: self.n_systems]
        return centred(self.mean), centred(np.where(np.isfinite(self.mean), texts, np.nan))


def standard(values: FloatArray) -> FloatArray:
    """Return values less their mean, by their standard deviation; 0 where they do not vary."""
    known = values[np.isfinite(values)]
    spread = known.std() if len(known) else 0.0
    return (values - known.mean()) / spread if spread > 0 else values * 0


def centred(values: FloatArray, axes: Sequence[int] = (0, 1, 0, 1)) -> FloatArray:
    """Return residuals of the means over some axes, of systems and of segments unless given: (systems, segments)."""
    for axis in axes:
        count = np.isfinite(values).sum(axis=axis, keepdims=True)
        values = values - np.nansum(values, axis=axis, keepdims=True) / np.maximum(count, 1)
    return values


def far(count: int, rare: float) -> float:
    """Return the standard deviations beyond which none of so many normal values is but with a small probability."""
    return NormalDist().inv_cdf(1 - rare / max(count, 1))


def copies(values: IntArray) -> Iterator[tuple[int, int, int, int]]:
    """Give the pairs of rows that are equal for longer than chance makes them, with the first and the last place.

    A run is longer than chance if its probability is below `RARE`, by the share of equal values outside the run, or
    inside it in nine of ten other pairs; or if hardly any other value differs.

    Parameters
    ----------
    values : (rows, segments) int array
        -1 for what is absent.
    """
    pairs = list(combinations(range(len(values)), 2))
    same = [(values[a] == values[b]) & (values[a] >= 0) for a, b in pairs]
    for (a, b), here in zip(pairs, same, strict=True):
        present = np.flatnonzero((values[a] >= 0) & (values[b] >= 0))
        start, length = longest(here[present])
        if length < max(FEWEST // 2, len(present) // 20):
            continue
        run = present[start : start + length]
        outside = (here[present].sum() - length + 1) / (len(present) - length + 2)
        others = [one[run].mean() for one in same if one is not here]
        usual = float(np.quantile(others, 0.9)) if others else outside
        is_long = max(outside if length < 0.9 * len(present) else 0, usual) ** length * len(present) < RARE
        if len(np.unique(values[a, run])) >= min(length / 2, 10) and (is_long or here[present].mean() >= 0.98 > usual):
            yield a, b, int(run[0]), int(run[-1])


def longest(mask: BoolArray) -> tuple[int, int]:
    """Return the start and the length of the longest run of true values: (values,)."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], mask, [0]])))
    if not len(edges):
        return 0, 0
    starts, lengths = edges[::2], edges[1::2] - edges[::2]
    place = int(np.argmax(lengths))
    return int(starts[place]), int(lengths[place])


def hole(present: BoolArray) -> tuple[int, int] | None:
    """Return the first and last place of a run of absent values that is far longer than the others: (segments,)."""
    start, length = longest(~present)
    rest = ~present
    rest[start : start + length] = False
    if length == len(present) or length < max(5, len(present) // 20, 4 * longest(rest)[1] + 1):
        return None
    # By chance, or where values are missing here and there.
    inside = (rest.sum() + 1) / (len(present) - length + 2)
    return (start, start + length - 1) if inside**length * len(present) < RARE else None


def r_of(x: FloatArray, y: FloatArray) -> float:
    """Return Pearson's correlation where both are known; nan where too few are, or they do not vary."""
    both = np.isfinite(x + y)
    return float(np.mean(standard(x[both]) * standard(y[both]))) or np.nan if both.sum() >= FEWEST else np.nan


def break_of(values: FloatArray) -> tuple[int, float]:
    """Return the number of values from which the later differ most, and Kolmogorov's statistic of ranks: (values,)."""
    ranks = np.argsort(np.argsort(values, kind="stable"), kind="stable") - (len(values) - 1) / 2
    sums = np.abs(np.cumsum(ranks))
    place = int(np.argmax(sums))
    return place + 1, float(sums[place] * math.sqrt(12 / len(values)) / len(values))


def t_of(values: FloatArray) -> float:
    """Return the mean in standard errors; 0 where there is none: (values,)."""
    values = values[np.isfinite(values)]
    spread = values.std() if len(values) >= FEWEST else 0.0
    return float(values.mean() / spread * math.sqrt(len(values))) if spread > 0 else 0.0
