"""The kernel of running sums in replicates: steps in, the largest sums out; None where nothing was compiled."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from metaeval import kernels

Floats = npt.NDArray[np.float64]


def largest_running_sums(
    steps: npt.NDArray[np.int32], starts: Floats, weights: Floats, counts: npt.NDArray[np.uint16]
) -> Floats | None:
    """Return the largest of the running sums of steps in each replicate: (replicates,).

    Parameters
    ----------
    steps : (steps,) int32 array
        r adds the weight of row r, as often as the row was drawn; ``~r`` takes it away.
    starts, weights : (rows,) float arrays
        The first sum is that of the starts, each as often as its row was drawn.
    counts : (replicates, rows) uint16 array
        How often each row was drawn.
    """
    if kernels.COMPILED is None:
        return None
    largest = np.empty(len(counts))
    kernels.COMPILED.largest_running_sums(steps, starts, weights, counts, len(counts), largest)
    return largest
