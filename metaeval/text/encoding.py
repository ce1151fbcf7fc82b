"""Tokens become integer ids, so that every metric compares numbers and no metric tokenizes again."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from metaeval._kernels import encode as kernels
from metaeval.records import Segments, TreatedTexts
from metaeval.text.preprocessing import Preprocessing

Texts = Sequence[str | None]


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
    flat = [segment if segment is not None else "" for text in texts for segment in text]
    ids, offsets, vocabulary = number_tokens(preprocessing.cut(flat))
    if preprocessing.stem:
        # Words of the same stem become one token.
        numbers: dict[str, int] = {}
        of_word = [numbers.setdefault(stem, len(numbers)) for stem in preprocessing.stems(vocabulary)]
        ids, vocabulary = np.array(of_word, dtype=np.int32)[ids], list(numbers)
    ends = np.cumsum([len(text) for text in texts])
    found = []
    for text, end in zip(texts, ends.tolist(), strict=True):
        start = end - len(text)
        part = ids[offsets[start] : offsets[end]]
        found.append(Segments(tuple(text), part, offsets[start : end + 1] - offsets[start], vocabulary))
    return found


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
