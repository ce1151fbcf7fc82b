"""The kernels that add what documents hold, and round sums; None where nothing was compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from metaeval import kernels

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.integer[Any]]


def pool_documents(values: Floats, segments: Ints, indices: Ints) -> Floats | None:
    """Return the sums of the statistics of each document: (documents, systems, statistics).

    Each statistic lies in one piece.

    Parameters
    ----------
    values : (systems, all segments, statistics) float array
    segments : (segments,) int array
        Those that indices name.
    indices : (documents, length) int array
    """
    if kernels.COMPILED is None or not (values.size and indices.size):
        return None
    sums = np.empty((values.shape[2], len(indices), len(values)))
    values, segments = np.ascontiguousarray(values), np.ascontiguousarray(segments, dtype=np.int64)
    indices = np.ascontiguousarray(indices, dtype=np.int32)
    kernels.COMPILED.pool_documents(values, segments, indices, len(values), values.shape[2], len(indices), sums)
    return sums.transpose(1, 2, 0)


def draw_judgments(
    values: Floats, starts: Ints, counts: Ints, segments: Ints, words: npt.NDArray[np.uint32], *, two: bool
) -> Floats | None:
    """Return the sums of drawn judgments and how many they are: (1 or 2, documents, systems, 2).

    Parameters
    ----------
    values : (judgments,) float array
    starts, counts : (systems, segments) int arrays
        Of the judgments of each item.
    segments : (documents, length) int array
    words : (repeats, systems, words) uint32 array
        What the generators are seeded with, of each system in each of so many equal parts of the documents.
    two : bool
        Whether another judgment of each item is drawn too.
    """
    if kernels.COMPILED is None or not (segments.size and words.size):
        return None
    states = np.empty((*words.shape[:2], 4), dtype=np.uint64)
    kernels.COMPILED.seed_generators(words, words.shape[0] * words.shape[1], states)
    n_systems = words.shape[1]
    drawn = np.empty((2, 1 + two, len(segments), n_systems))
    kernels.COMPILED.draw_judgments(
        states,
        np.ascontiguousarray(segments, dtype=np.int32),
        np.ascontiguousarray(starts, dtype=np.int64),
        np.ascontiguousarray(counts, dtype=np.int64),
        values,
        n_systems,
        len(segments),
        int(two),
        *drawn,
    )
    return np.moveaxis(drawn, 0, -1)


def round_to_scale(scores: Floats, scale: Floats | float) -> Floats | None:
    """Return scores rounded to 40 bits of a scale, or of one for each.

    Parameters
    ----------
    scores : float array of any shape
    scale : float, or float array of that shape
    """
    scales = np.ascontiguousarray(scale, dtype=np.float64)
    if kernels.COMPILED is None or (scales.size != 1 and scales.shape != scores.shape):
        return None
    rounded = np.empty(scores.shape)
    kernels.COMPILED.round_to_scale(np.ascontiguousarray(scores, dtype=np.float64), scales, rounded)
    return rounded
