"""The kernel of p-values of the normal distribution: scores in, agreements out; None where nothing was compiled."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from metaeval import kernels

Floats = npt.NDArray[np.float64]
# Nodes in a standard deviation, and the last one, in standard deviations. With five derivatives the error is below
# 1e-13.
_NODES_PER_SD = 32
_LAST_NODE_SD = 8.5


def p_value_agreement(x: Floats, y: Floats, x_scale: Floats, y_scale: Floats) -> Floats | None:
    """Return 1 less the mean distance of p-values of differences of systems, of each line from y: (lines, rows).

    Parameters
    ----------
    x : (lines, rows, systems) float array
    y : (rows, systems) float array
        At least two systems. The difference of two, times its scale, is the argument of the distribution function.
    x_scale, y_scale : (lines, pairs) and (pairs,) float arrays
        In the order of `numpy.triu_indices`.
    """
    if kernels.COMPILED is None:
        return None
    agreement = np.empty(x.shape[:2])
    scores = np.ascontiguousarray(x), np.ascontiguousarray(y)
    kernels.COMPILED.p_value_agreement(*scores, x_scale, y_scale, _table(), len(x), x.shape[2], agreement)
    return agreement


@cache
def _table() -> Floats:
    """Return the distribution function and its derivatives over factorials at each node: (nodes, 6)."""
    from metaeval.scipy_parts import special

    z = np.arange(-_LAST_NODE_SD * _NODES_PER_SD, _LAST_NODE_SD * _NODES_PER_SD + 1) / _NODES_PER_SD
    density = np.exp(-np.square(z) / 2.0) / np.sqrt(2.0 * np.pi)
    # A derivative of the density is the density times a polynomial of Hermite.
    hermite = [np.ones(len(z)), z, z**2 - 1, z**3 - 3 * z, z**4 - 6 * z**2 + 3]
    terms = [density * polynomial / divisor for polynomial, divisor in zip(hermite, (1, -2, 6, -24, 120), strict=True)]
    return np.ascontiguousarray(np.stack([special.ndtr(z), *terms], axis=1))
