"""The check of two arrays that are to be related."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from metaeval.records import FloatArray


def checked(x: npt.ArrayLike, y: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return two arrays (..., n) as floats of equal shape.

    Raises
    ------
    ValueError
        If the shapes differ or a number is not finite.
    """
    first, second = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if first.shape != second.shape or first.ndim < 1:
        raise ValueError(f"`x` and `y` must have the same shape; got {first.shape} and {second.shape}.")
    for name, values in (("x", first), ("y", second)):
        finite = np.isfinite(values)
        if not finite.all():
            place = tuple(int(index) for index in np.argwhere(~finite)[0])
            raise ValueError(f"`{name}` must be finite; got {values[place]} at index {place}.")
    return first, second
