"""The kernel that splits the judgments of items at random: keys in, parts out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from metaeval import kernels

Floats = npt.NDArray[np.float64]
# The most judgments of an item that the kernel takes.
_MAX_JUDGMENTS = 64


def split_judgments(
    values: Floats,
    keys: Floats,
    longer: npt.NDArray[np.bool_],
    places: npt.NDArray[np.int64],
    step: int,
    parts: Sequence[Floats],
) -> bool:
    """Write both sides of parts of judgments that are put in the order of their keys; return whether this was done.

    Parameters
    ----------
    values : (items, count) float array
        The judgments of items that have equally many.
    keys : (draws, items, count) float array
    longer : (draws, items) bool array
        Whether the first half of an odd number has one more; of an even number, an empty array.
    places : (items,) int array
        Where the first draw of each item stands on each side.
    step : int
        How much further the next draw stands.
    parts : sequence of three (2, ...) float arrays
        For one judgment and another, for one and the mean of the others, and for means of halves; empty ones are left.
    """
    if kernels.COMPILED is None or values.shape[1] > _MAX_JUDGMENTS:
        return False
    kernels.COMPILED.split_judgments(values, keys, longer, places, len(keys), step, *parts)
    return True
