"""Replicates of system scores whose centre is denoised: intervals and tests that aim at test sets of this size.

The score of a system is a mean over segments: a true score plus noise. A bootstrap over segments adds noise once more
to scores that hold it already, so that its coefficients lie too low, most for metrics with much noise, and a test
between two metrics prefers the one with less. Here the noise that is in the scores is taken off the centre of the
replicates first. Then the replicates of a coefficient have about the mean and the spread that it has over test sets of
this size.

Notation: `values` are the scores on the data as they are, (lines, systems), the human scores one line among them;
`replicates` the same scores in bootstrap replicates, (replicates, lines, systems).
"""

from __future__ import annotations

import numpy as np

from metaeval.records import FloatArray

# Directions of less variance than this, as a share of the largest, are rounding.
_RANK = 1e-10


def noise_covariance(values: FloatArray, replicates: FloatArray) -> FloatArray:
    """Return the covariance of the noise of a system's scores, estimated from replicates.

    Parameters
    ----------
    values : (lines, systems) float array
    replicates : (replicates, lines, systems) float array
        Two or more, of the same draws for all lines.

    Returns
    -------
    (lines, lines) float array
        Without what all systems share in a replicate, which no coefficient across systems sees.
    """
    noise = replicates - values
    noise = noise - noise.mean(axis=0)
    noise -= noise.mean(axis=2, keepdims=True)
    n_replicates, _, n_systems = noise.shape
    together = noise.transpose(1, 0, 2).reshape(noise.shape[1], -1)
    return np.asarray(together @ together.T / ((n_replicates - 1) * (n_systems - 1)))


def denoised(values: FloatArray, noise: FloatArray) -> FloatArray:
    """Return scores whose covariance over systems lacks that of the noise.

    With S the covariance of the scores and S = R R', the scores x become m + R V sqrt(max(D, 0)) V' R^+ (x - m), where
    V D V' = R^+ (S - N) R^+': the least change that gives S - N, or what is nearest to it without negative variance.

    Parameters
    ----------
    values : (..., lines, systems) float array
    noise : (..., lines, lines) float array

    Returns
    -------
    (..., lines, systems) float array
        As they were where a line is constant.
    """
    n_systems = values.shape[-1]
    mean = values.mean(axis=-1, keepdims=True)
    centred = values - mean
    scale = np.sqrt(np.square(centred).sum(axis=-1) / (n_systems - 1))
    is_constant = (scale <= 0).any(axis=-1)
    # On one scale, so that the rank does not depend on the units of a metric.
    scale = np.where(scale > 0, scale, 1.0)
    z = centred / scale[..., None]
    sizes, directions = np.linalg.eigh(z @ _turned(z) / (n_systems - 1))
    kept = sizes > _RANK * sizes[..., -1:]
    lengths = np.sqrt(np.where(kept, sizes, 1.0)) * kept
    root = directions * lengths[..., None, :]
    inverse = _turned(directions * np.divide(1.0, lengths, out=np.zeros_like(lengths), where=kept)[..., None, :])
    scaled = noise / (scale[..., :, None] * scale[..., None, :])
    left, turn = np.linalg.eigh(inverse @ (root @ _turned(root) - scaled) @ _turned(inverse))
    shrunk = turn * np.sqrt(np.maximum(left, 0.0))[..., None, :] @ _turned(turn)
    moved = mean + scale[..., None] * (root @ shrunk @ inverse @ z)
    return np.where(is_constant[..., None, None], values, moved)


def _turned(matrix: FloatArray) -> FloatArray:
    return np.swapaxes(matrix, -1, -2)


def shifts(values: FloatArray, noise: FloatArray) -> FloatArray:
    """Return what is added to each replicate of scores, (..., lines, systems), so that its centre is denoised."""
    return denoised(values, noise) - values
