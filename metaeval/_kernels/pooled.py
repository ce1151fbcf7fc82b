"""The kernels that add what documents hold, and round sums; None where nothing was compiled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from metaeval import _kernels

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.integer[Any]]
_HALF = (1 << 64) - 1


def pool(values: Floats, segments: Ints, indices: Ints) -> Floats | None:
    """Return the sums of the statistics of each document: (documents, systems, statistics).

    Parameters
    ----------
    values : (systems, all segments, statistics) float array
    segments : (segments,) int array
        Those that indices name.
    indices : (documents, length) int array
    """
    if _kernels.COMPILED is None or not (values.size and indices.size):
        return None
    sums = np.empty((len(indices), len(values), values.shape[2]))
    values, segments = np.ascontiguousarray(values), np.ascontiguousarray(segments, dtype=np.int64)
    indices = np.ascontiguousarray(indices, dtype=np.int32)
    _kernels.COMPILED.pool(values, segments, indices, len(values), values.shape[2], len(indices), sums)
    return sums


def draw_judged(
    values: Floats, starts: Ints, counts: Ints, segments: Ints, generators: Sequence[np.random.Generator], *, two: bool
) -> Floats | None:
    """Return the sums of drawn judgments and how many they are: (1 or 2, documents, systems, 2).

    Parameters
    ----------
    values : (judgments,) float array
    starts, counts : (systems, segments) int arrays
        Of the judgments of each item.
    segments : (documents, length) int array
    generators : sequence of Generator
        A new PCG64 for each system.
    two : bool
        Whether another judgment of each item is drawn too.
    """
    if _kernels.COMPILED is None or not segments.size or not generators:
        return None
    numbers = [one.bit_generator.state["state"] for one in generators]
    words = [(part >> 64, part & _HALF) for one in numbers for part in (one["state"], one["inc"])]
    shape = (1 + two, len(segments), len(generators))
    found = np.empty((2, *shape))
    _kernels.COMPILED.draw_judged(
        np.array(words, dtype=np.uint64),
        np.ascontiguousarray(segments, dtype=np.int32),
        np.ascontiguousarray(starts, dtype=np.int64),
        np.ascontiguousarray(counts, dtype=np.int64),
        values,
        len(segments),
        np.empty(segments.size if two else 0, dtype=np.int32),
        *found,
    )
    return np.moveaxis(found, 0, -1)


def settle(scores: Floats, scale: Floats | float) -> Floats | None:
    """Return scores rounded to 40 bits of a scale, or of one for each.

    Parameters
    ----------
    scores : float array of any shape
    scale : float, or float array of that shape
    """
    scales = np.ascontiguousarray(scale, dtype=np.float64)
    if _kernels.COMPILED is None or (scales.size != 1 and scales.shape != scores.shape):
        return None
    found = np.empty(scores.shape)
    _kernels.COMPILED.settle(np.ascontiguousarray(scores, dtype=np.float64), scales, found)
    return found
