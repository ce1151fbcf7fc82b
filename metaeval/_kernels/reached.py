"""The kernel that counts differences of systems in replicates: sums in, counts out; None where nothing was compiled."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from metaeval import _kernels

Floats = npt.NDArray[np.float64]


def count_reached(sums: Floats, least: Floats) -> npt.NDArray[np.int64] | None:
    """Return in how many replicates the difference of two systems is at least a bound: (sides, systems, systems).

    Parameters
    ----------
    sums : (sides, systems, replicates) float array
    least : (sides, systems, systems) float array
        At [:, i, j] the bound of system i less system j.
    """
    if _kernels.COMPILED is None:
        return None
    counts = np.empty(least.shape, dtype=np.int64)
    given = np.ascontiguousarray(sums), np.ascontiguousarray(least)
    _kernels.COMPILED.count_reached(*given, sums.shape[1], sums.shape[2], counts)
    return counts
