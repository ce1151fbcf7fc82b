"""Numbering of tokens, so that every metric compares integers and no metric tokenizes again."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from metaeval.datamodel.corpus import Segments, TreatedTexts
from metaeval.kernels import encode as kernels
from metaeval.text.preprocessing import Preprocessing

Texts = Sequence[str | None]


# Characters that are tokenized together; the memory that this takes is about ten times as large.
_CHUNK_CHARACTERS = 1 << 23


def encode(preprocessing: Preprocessing, texts: Sequence[Texts]) -> list[Segments]:
    """Encode texts together: equal tokens get equal ids in all of them.

    Parameters
    ----------
    preprocessing : Preprocessing
    texts : sequence of sequences of (str or None)
        Axes (texts, segments); an absent segment (None) has no tokens.

    Returns
    -------
    list of Segments
        One for each text. Ids are numbered in the order in which tokens are met.
    """
    chunk_size = _CHUNK_CHARACTERS
    if preprocessing.takes_notes:
        chunk_size = sum(len(segment or "") for text in texts for segment in text)
    numbering = _TokenNumbering(preprocessing, chunk_size)
    encoded = [part for group in _groups(texts, chunk_size) for part in numbering.encode(*group, len(texts))]
    vocabulary = numbering.vocabulary
    if preprocessing.stem:
        # Words of the same stem become one token.
        numbers: dict[str, int] = {}
        of_word = [numbers.setdefault(stem, len(numbers)) for stem in preprocessing.stems(vocabulary)]
        stems = np.array(of_word, dtype=np.int32)
        encoded = [(stems[ids], offsets) for ids, offsets in encoded]
        vocabulary = list(numbers)
    return [
        Segments(tuple(text), ids, offsets, vocabulary) for text, (ids, offsets) in zip(texts, encoded, strict=True)
    ]


def _groups(texts: Sequence[Texts], chunk_size: int) -> Iterator[tuple[list[list[str]], int]]:
    """Yield texts that are encoded together, and their characters: as many texts as have `chunk_size` at most, or one.

    An absent segment is "".
    """
    group = list[list[str]]()
    size = 0
    for text in texts:
        segments = [segment or "" for segment in text]
        length = sum(map(len, segments))
        if group and size + length > chunk_size:
            yield group, size
            group = []
            size = 0
        group.append(segments)
        size += length
    if group:
        yield group, size


@dataclass
class _TokenNumbering:
    """The tokens met so far, each with its id; as long as all texts are encoded at once, only their vocabulary."""

    preprocessing: Preprocessing
    chunk_size: int
    ids: dict[str, int] = field(default_factory=dict)
    whole_vocabulary: Sequence[str] | None = None

    @property
    def vocabulary(self) -> Sequence[str]:
        """The token of each id."""
        return list(self.ids) if self.whole_vocabulary is None else self.whole_vocabulary

    def encode(
        self, texts: Sequence[list[str]], size: int, n_texts: int
    ) -> list[tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]]:
        """Return the ids of the tokens of each of some texts, and its offsets among them.

        They have `size` characters; there are `n_texts` in all.
        """
        flat = texts[0] if len(texts) == 1 else list(itertools.chain.from_iterable(texts))
        if len(texts) == n_texts and size <= self.chunk_size:
            ids, offsets, self.whole_vocabulary = _cut_and_number(self.preprocessing, flat)
        else:
            numbered = [self._number(part) for part in self._parts(flat)]
            ids = np.concatenate([of_part for of_part, _ in numbered])
            offsets = np.zeros(len(flat) + 1, dtype=np.int64)
            np.cumsum(np.concatenate([lengths for _, lengths in numbered]), out=offsets[1:])
        ends = itertools.accumulate(map(len, texts))
        bounds = [(end - len(text), end) for text, end in zip(texts, ends, strict=True)]
        return [
            (ids[offsets[start] : offsets[end]], offsets[start : end + 1] - offsets[start]) for start, end in bounds
        ]

    def _parts(self, segments: list[str]) -> Iterator[list[str]]:
        """Yield segments in parts of about `chunk_size` characters."""
        ends = np.cumsum(np.fromiter(map(len, segments), dtype=np.int64, count=len(segments)))
        bounds = np.searchsorted(ends, np.arange(self.chunk_size, ends[-1], self.chunk_size)).tolist()
        for start, stop in itertools.pairwise(dict.fromkeys([0, *bounds, len(segments)])):
            yield segments[start:stop]

    def _number(self, texts: list[str]) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        """Return the ids of the tokens of some texts, and how many tokens each has."""
        ids, offsets, words = _cut_and_number(self.preprocessing, texts)
        all_ids = self.ids
        new_ids = np.fromiter(
            (all_ids.setdefault(word, len(all_ids)) for word in words), dtype=np.int32, count=len(words)
        )
        return new_ids[ids], np.diff(offsets)


def _cut_and_number(
    preprocessing: Preprocessing, texts: Sequence[str]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64], Sequence[str]]:
    """Return the ids of all tokens, the offsets of the texts among them, and the different tokens, before stemming."""
    by_word = preprocessing.by_word(texts)
    if by_word is None:
        return number_tokens(preprocessing.cut(texts))
    ids, offsets, words = number_tokens(by_word[0])
    numbers: dict[str, int] = {}
    cut = list[list[int]]()
    for word in words:
        tokens_of_word = by_word[1](word).split()
        cut.append([numbers.setdefault(token, len(numbers)) for token in tokens_of_word])
    # The tokens of a word take its place. Words come in the order in which they are met, and so do tokens.
    counts = np.fromiter(map(len, cut), dtype=np.int32, count=len(cut))
    tokens = np.fromiter(itertools.chain.from_iterable(cut), dtype=np.int32, count=int(counts.sum()))
    of_words = counts[ids]
    ends = np.zeros(len(ids) + 1, dtype=np.int64)
    np.cumsum(of_words, out=ends[1:])
    places = np.repeat((np.cumsum(counts) - counts)[ids] - ends[:-1], of_words)
    places += np.arange(len(places))
    return tokens[places], ends[offsets], list(numbers)


def number_tokens(texts: Sequence[str]) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64], Sequence[str]]:
    """Return the ids of all tokens, the offsets of the texts among them, and the different tokens.

    White space separates tokens.
    """
    compiled = kernels.encode(texts)
    if compiled is not None:
        return compiled
    tokens = [text.split() for text in texts]
    offsets = np.zeros(len(tokens) + 1, dtype=np.int64)
    np.cumsum([len(of_text) for of_text in tokens], out=offsets[1:])
    numbers: dict[str, int] = {}
    ids = np.fromiter(
        (numbers.setdefault(token, len(numbers)) for token in itertools.chain.from_iterable(tokens)),
        dtype=np.int32,
        count=int(offsets[-1]),
    )
    return ids, offsets, list(numbers)


def treat(preprocessing: Preprocessing, candidates: Sequence[Texts], references: Mapping[str, Texts]) -> TreatedTexts:
    """Preprocess all texts of a corpus.

    Parameters
    ----------
    preprocessing : Preprocessing
    candidates : sequence of sequences of (str or None)
        Axes (systems, segments).
    references : mapping of str to sequence of (str or None)
        By name.

    Returns
    -------
    TreatedTexts
        Equal tokens have equal ids in all of them.
    """
    encoded = encode(preprocessing, [*references.values(), *candidates])
    of_references = dict(zip(references, encoded[: len(references)], strict=True))
    return TreatedTexts(preprocessing.signature, tuple(encoded[len(references) :]), of_references)
