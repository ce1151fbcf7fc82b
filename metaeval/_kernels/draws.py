"""The kernel that counts draws: random words in, counts out; None where nothing was compiled."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from metaeval import _kernels


def count_draws(words: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint16] | None:
    """Return how often each unit is drawn in each replicate: (replicates, units).

    Parameters
    ----------
    words : (replicates, units) uint32 array
        Word w stands for unit w * units // 2**32.

    Raises
    ------
    OverflowError
        If a unit is drawn more than 65,535 times.
    """
    if _kernels.COMPILED is None:
        return None
    counts = np.empty(words.shape, dtype=np.uint16)
    _kernels.COMPILED.count_draws(words, *words.shape, counts)
    return counts
