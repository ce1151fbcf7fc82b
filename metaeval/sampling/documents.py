"""Documents: all segments, single ones, real documents, or pseudo-documents of random segments.

Pseudo-documents follow Turian, Shen and Melamed (2003): for each length, many documents of that many segments drawn at
random from the eligible ones. Documents overlap; without replacement no segment is twice in one, except in
replicates, which may hold a segment more than once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from metaeval.components.documents import DocumentUnits
from metaeval.datamodel.corpus import Corpus, Documents, IntArray
from metaeval.datamodel.pooling import whole
from metaeval.errors import UsageError

# Gives documents drawn at random, from the numbers of segments to draw from and in a document.
Draw = Callable[[int, int], Documents]


@dataclass(frozen=True)
class Whole(DocumentUnits):
    """The whole corpus: one document that holds every segment."""

    name: ClassVar[str] = "all"
    title: ClassVar[str] = "system level"
    is_whole: ClassVar[bool] = True
    # As campaigns do that judge only part of the items.
    require: ClassVar[str] = "any"

    def fixed_length(self, n_segments: int, length: int | None) -> int:
        """Return the number of all segments."""
        return n_segments

    def make(self, corpus: Corpus, segments: IntArray, length: int | None, draw: Draw) -> Documents:
        """Return the document."""
        return whole(len(segments))


@dataclass(frozen=True)
class Single(DocumentUnits):
    """Single segments."""

    name: ClassVar[str] = "segments"
    title: ClassVar[str] = "single segments"
    is_single: ClassVar[bool] = True
    require: ClassVar[str] = "any"

    def fixed_length(self, n_segments: int, length: int | None) -> int:
        """Return 1."""
        return 1

    def make(self, corpus: Corpus, segments: IntArray, length: int | None, draw: Draw) -> Documents:
        """Return a document for each segment."""
        return single(corpus.numbers[segments].tolist())


@dataclass(frozen=True)
class Real(DocumentUnits):
    """The real documents of a corpus."""

    name: ClassVar[str] = "real"
    title: ClassVar[str] = "real documents"
    unit: ClassVar[str] = "documents"

    def fixed_length(self, n_segments: int, length: int | None) -> None:
        """Return None: real documents differ in length."""

    def make(self, corpus: Corpus, segments: IntArray, length: int | None, draw: Draw) -> Documents:
        """Return the documents that have some of the segments."""
        if corpus.documents is None:
            raise UsageError(f"the corpus {corpus.name!r} has no documents; add documents.tsv.")
        return real([corpus.documents[segment] for segment in segments])


@dataclass(frozen=True)
class Pseudo(DocumentUnits):
    """Pseudo-documents, drawn at random."""

    name: ClassVar[str] = "pseudo"
    title: ClassVar[str] = "pseudo-documents"
    is_drawn: ClassVar[bool] = True

    def make(self, corpus: Corpus, segments: IntArray, length: int | None, draw: Draw) -> Documents:
        """Return documents of so many segments."""
        assert length is not None
        return draw(len(segments), length)


def single(numbers: Sequence[int]) -> Documents:
    """Return one document for each segment, labelled with the segment's number."""
    indices = np.arange(len(numbers), dtype=np.int32)[:, None]
    return Documents(indices=indices, labels=tuple(str(number) for number in numbers))


def real(document_of_segment: Sequence[str]) -> Documents:
    """Return the real documents, in the order of their first segments.

    Parameters
    ----------
    document_of_segment : sequence (segments) of str
        The document of each segment that may be used.
    """
    names = tuple(dict.fromkeys(document_of_segment))
    row = {name: position for position, name in enumerate(names)}
    counts = np.zeros((len(names), len(document_of_segment)), dtype=np.uint8)
    counts[[row[name] for name in document_of_segment], np.arange(len(document_of_segment))] = 1
    return Documents(counts=counts, labels=names)


def draw_documents(
    n_segments: int, length: int, count: int, rng: np.random.Generator, *, replacement: bool = False
) -> Documents:
    """Draw pseudo-documents.

    Parameters
    ----------
    n_segments : int
        The number of segments to draw from.
    length : int
        Segments in a document.
    count : int
        Documents.
    rng : Generator
        Only uniform numbers are taken from it.
    replacement : bool, default False
        Whether a segment can be in a document more than once.

    Returns
    -------
    Documents
        Indices (count, length).

    Raises
    ------
    UsageError
        If there are fewer segments than a document without replacement needs.
    """
    if n_segments < 1 or (not replacement and length > n_segments):
        raise UsageError(
            f"documents of {length} segments cannot be drawn without replacement from {n_segments} eligible ones; "
            "choose shorter lengths or `replacement = true`."
        )
    uniform = rng.random((length, count))
    if replacement:
        return Documents(indices=np.ascontiguousarray((uniform * n_segments).astype(np.int32).T))
    return Documents(indices=np.ascontiguousarray(_floyd(uniform, n_segments).T))


def _floyd(uniform: npt.NDArray[np.float64], n_segments: int) -> npt.NDArray[np.int32]:
    """Return a random subset for each column of uniform numbers: (length, documents).

    Floyd's algorithm (Bentley and Floyd 1987, Programming pearls: a sample of brilliance), for all documents at once:
    step i draws from the first n_segments - length + i + 1 segments, and takes the last of these where the drawn one is
    already in the document. Its cost depends on the length alone, not on the number of segments.
    """
    length, count = uniform.shape
    chosen = np.empty((length, count), dtype=np.int32)
    for step in range(length):
        last = n_segments - length + step
        drawn = (uniform[step] * (last + 1)).astype(np.int32)
        taken = (chosen[:step] == drawn).any(axis=0)
        chosen[step] = np.where(taken, last, drawn)
    return chosen
