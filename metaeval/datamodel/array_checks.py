"""Checks of the arrays that callers give."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from metaeval.datamodel.corpus import BoolArray, FloatArray


def checked(x: npt.ArrayLike, y: npt.ArrayLike, *, where: BoolArray | None = None) -> tuple[FloatArray, FloatArray]:
    """Return two arrays (..., n) as floats of equal shape.

    Parameters
    ----------
    x, y : (..., n) array_like
    where : (..., n) bool array, optional
        The places that will be read; what stands elsewhere is not looked at.

    Raises
    ------
    ValueError
        If the shapes differ or a number is not finite.
    """
    first = np.asarray(x, dtype=np.float64)
    second = np.asarray(y, dtype=np.float64)
    if first.shape != second.shape or first.ndim < 1:
        raise ValueError(f"`x` and `y` must have the same shape; got {first.shape} and {second.shape}.")
    for name, values in (("x", first), ("y", second)):
        check_finite(name, values, where=where)
    return first, second


def check_finite(name: str, values: FloatArray, *, where: BoolArray | None = None) -> None:
    """Raise ValueError, which names the place, if a number is not finite."""
    finite = np.isfinite(values)
    if where is not None:
        finite |= ~where
    if not finite.all():
        index = tuple(int(index) for index in np.argwhere(~finite)[0])
        raise ValueError(f"`{name}` must be finite; got {values[index]} at index {index}.")
