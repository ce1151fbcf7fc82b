"""Replicates of system scores whose centre is denoised: intervals and tests that aim at test sets of this size.

The score of a system is a mean over segments: a true score plus noise. A bootstrap over segments adds noise once more
to scores that hold it already, so that its coefficients lie too low, most for metrics with much noise, and a test
between two metrics prefers the one with less. Here the noise that is in the scores is taken off the centre of the
replicates first. Then the replicates of a coefficient have about the mean and the spread that it has over test sets of
this size.

Notation: `values` are the scores on the data as they are, (lines, systems), the human scores one line among them;
`replicates` the same scores in bootstrap replicates, (replicates, lines, systems).

Why not the usual percentiles. Let f be a coefficient, and mu the scores on unlimited segments. Over test sets of n
segments its mean is about f(mu) + c/n, where the c of a noisy metric is the larger, and negative. A replicate starts at
scores that have the noise already, so that the mean of the replicates is about f(mu) + 2 c/n: lower by c/n than what
they stand for, and by more for a noisy metric than for a quiet one. A bias-corrected bootstrap moves towards f(mu),
the coefficient on unlimited segments, which is something else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from metaeval.correlation.averages import Relation
from metaeval.records import BoolArray, FloatArray, IntArray

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
        A line that is constant stays so.
    """
    n_systems = values.shape[-1]
    mean = values.mean(axis=-1, keepdims=True)
    centred = values - mean
    # What rounding leaves of equal scores is no variance.
    scale = np.sqrt(np.square(centred).sum(axis=-1) / (n_systems - 1))
    scale = np.where(np.ptp(values, axis=-1) > 0, scale, 0.0)
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
    return np.where(np.ptp(values, axis=-1, keepdims=True) > 0, moved, values)


def _turned(matrix: FloatArray) -> FloatArray:
    return np.swapaxes(matrix, -1, -2)


class Denoised:
    """The scores of systems in bootstrap replicates, for coefficients whose centre is denoised.

    Parameters
    ----------
    values : (lines, systems) float array
        On the data as they are; the human scores are the last line.
    replicates : (replicates, lines, systems) float array
        In replicates that draw the same units for all lines. One without the score of some line has no value.
    """

    def __init__(self, values: FloatArray, replicates: FloatArray) -> None:
        self._values = values
        # A line after the other, as they are read.
        self._replicates = np.ascontiguousarray(replicates.transpose(1, 0, 2))
        self._defined: BoolArray = np.asarray(np.isfinite(self._replicates).all(axis=2))
        # Where all lines have the same replicates, as nearly always, so has every set of them.
        together = bool((self._defined == self._defined[-1]).all()) and bool(np.isfinite(values).all())
        self._noise = None
        if together and self._defined[-1].sum() > 1 and values.shape[1] > 1:
            self._noise = noise_covariance(values, replicates[self._defined[-1]])

    def of_line(self, line: int, relation: Relation) -> FloatArray:
        """Return a coefficient of one line with the human scores in each replicate: (replicates,)."""
        lines = (line, len(self._values) - 1)
        (moved,) = self._moved(np.array([lines]))
        return self._coefficients(lines, lines, relation, moved[0], moved[1])

    def of_pairs(
        self, pairs: Sequence[tuple[int, int]], relations: Sequence[Relation]
    ) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Give the coefficients of two lines in each replicate, (replicates,) each, centred together, for all pairs."""
        human = len(self._values) - 1
        lines = np.array([(first, second, human) for first, second in pairs], dtype=np.intp).reshape(-1, 3)
        for (first, second, _), moved in zip(lines.tolist(), self._moved(lines), strict=True):
            three = (first, second, human)
            yield (
                self._coefficients((first, human), three, relations[first], moved[0], moved[2]),
                self._coefficients((second, human), three, relations[second], moved[1], moved[2]),
            )

    def _moved(self, lines: IntArray) -> FloatArray:
        """Return what is added to the scores of some lines at a time, (sets, lines): (sets, lines, systems)."""
        values = self._values[lines]
        if self._noise is not None:
            return denoised(values, self._noise[lines[:, :, None], lines[:, None, :]]) - values
        found = np.full(values.shape, np.nan)
        for place, own in enumerate(lines):
            used = self._defined[own].all(axis=0)
            if used.sum() > 1 and values.shape[2] > 1 and np.isfinite(values[place]).all():
                noise = noise_covariance(values[place], self._replicates[own][:, used].transpose(1, 0, 2))
                found[place] = denoised(values[place], noise) - values[place]
        return found

    def _coefficients(
        self,
        pair: tuple[int, int],
        together: tuple[int, ...],
        relation: Relation,
        of_metric: FloatArray,
        of_human: FloatArray,
    ) -> FloatArray:
        """Return the coefficients of a line and the human scores where all lines of a set have scores."""
        found = np.full(self._replicates.shape[1], np.nan)
        if np.isfinite(of_metric).all() and np.isfinite(of_human).all():
            used = self._defined[list(together)].all(axis=0)
            line, human = (self._replicates[one][used] for one in pair)
            found[used] = relation(line + of_metric, human + of_human)
        return found
