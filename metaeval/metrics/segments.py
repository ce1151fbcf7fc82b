"""Token ids by segment, as lists: the form that the plain definitions of the metrics read."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from metaeval.datamodel.corpus import FloatArray, Segments
from metaeval.kernels.segment_pairs import Texts


def segment_ids(segments: Segments) -> list[list[int]]:
    """Return the token ids of each segment."""
    ids, offsets = segments.ids.tolist(), segments.offsets.tolist()
    return [ids[start:end] for start, end in itertools.pairwise(offsets)]


def present_references(references: Sequence[Segments]) -> list[list[list[int]]]:
    """Return, for each segment, the token ids of the references that it has, in the order given."""
    ids = [segment_ids(reference) for reference in references]
    present = [reference.present.tolist() for reference in references]
    return [
        [ids[k][segment] for k in range(len(references)) if present[k][segment]]
        for segment in range(len(references[0]))
    ]


def joined(texts: Sequence[Segments]) -> Segments:
    """Return several texts, such as all systems, as one text: their segments one after the other."""
    if len(texts) == 1:
        return texts[0]
    lengths = np.concatenate([text.lengths for text in texts])
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return Segments(
        tuple(itertools.chain.from_iterable(text.texts for text in texts)),
        np.concatenate([text.ids for text in texts]),
        offsets,
        texts[0].vocabulary,
    )


def texts_of(candidates: Segments, *references: Segments) -> Texts:
    """Return a candidate and references, one after the other, as kernels take them."""
    together = joined(references)
    return candidates.ids, candidates.offsets, together.ids, together.offsets


def in_columns(*columns: npt.NDArray[Any]) -> FloatArray:
    """Return columns (rows,) side by side, (rows, columns), each in one piece, since what follows reads one of them."""
    numbers = np.empty((len(columns), len(columns[0])))
    for row, column in zip(numbers, columns, strict=True):
        row[:] = column
    return numbers.T


def part_of(texts: Segments, rows: slice) -> Segments:
    """Return some segments in a row, which share the memory of all."""
    offsets = texts.offsets[rows.start : rows.stop + 1]
    ids = texts.ids[offsets[0] : offsets[-1]]
    return Segments(texts.texts[rows], ids, offsets - offsets[0], texts.vocabulary)
