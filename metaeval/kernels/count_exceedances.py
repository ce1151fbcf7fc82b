"""The kernel that counts differences of systems in replicates: sums in, counts out; None where nothing was compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from metaeval import kernels

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.integer[Any]]


def count_exceedances(
    sums: Floats, least: Floats, added: Floats | None = None, first: Ints | None = None, second: Ints | None = None
) -> npt.NDArray[np.int64] | None:
    """Return in how many replicates the difference of two systems is at least a bound: (sides, systems, systems).

    Parameters
    ----------
    sums : (sides, systems, replicates) float array
    least : (sides, systems, systems) float array
        At [:, i, j] the bound of system i less system j.
    added : (..., systems, replicates) float array, optional
        If given, the sums of a side are ``sums[first] + added[second]``.
    first, second : (sides,) int arrays, optional
    """
    if kernels.COMPILED is None:
        return None
    counts = np.empty(least.shape, dtype=np.int64)
    places = [np.arange(len(least)) if first is None else first, np.empty(0, np.int32) if second is None else second]
    floats = [np.ascontiguousarray(array) for array in (sums, np.empty(0) if added is None else added)]
    ints = [np.ascontiguousarray(array, dtype=np.int32) for array in places]
    kernels.COMPILED.count_exceedances(*floats, *ints, np.ascontiguousarray(least), *sums.shape[1:], counts)
    return counts
