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

from collections.abc import Sequence

import numpy as np

from metaeval.correlation.averages import Relation, correlate_lines
from metaeval.correlation.tolerances import MIN_VARIANCE_SHARE
from metaeval.datamodel.corpus import BoolArray, FloatArray


def noise_covariance(values: FloatArray, replicates: FloatArray, weights: FloatArray | None = None) -> FloatArray:
    """Return the covariance of the noise of a system's scores, estimated from replicates.

    Parameters
    ----------
    values : (lines, systems) float array
    replicates : (replicates, lines, systems) float array
        Two or more, of the same draws for all lines.
    weights : (replicates,) float array, optional
        The probability of each replicate, where every possible one is listed once.

    Returns
    -------
    (lines, lines) float array
        Without what all systems share in a replicate, which no coefficient across systems sees.
    """
    noise = replicates - values
    noise = noise - np.average(noise, axis=0, weights=weights)
    noise -= noise.mean(axis=2, keepdims=True)
    n_replicates, _, n_systems = noise.shape
    degrees = n_replicates - 1
    if weights is not None:
        noise *= np.sqrt(weights / weights.sum())[:, np.newaxis, np.newaxis]
        degrees = 1  # all that there can be, and no sample of them
    flattened = noise.transpose(1, 0, 2).reshape(-1, n_replicates * n_systems)
    return np.asarray(flattened @ flattened.T / (degrees * (n_systems - 1)))


def denoised(values: FloatArray, noise: FloatArray) -> FloatArray:
    """Return scores whose covariance over systems lacks that of the noise.

    With S the covariance of the scores and S = R R', the scores x become m + R V sqrt(max(D, 0)) V' R^+ (x - m), where
    V D V' = R^+ (S - N) R^+': the least change that gives S - N, or what is nearest to it without negative variance.

    Parameters
    ----------
    values : (lines, systems) float array
    noise : (lines, lines) float array

    Returns
    -------
    (lines, systems) float array
        A line that is constant stays so.
    """
    mean = values.mean(axis=1, keepdims=True)
    is_constant = np.ptp(values, axis=1, keepdims=True) == 0
    # On one scale, so that the rank does not depend on the units of a metric; a constant line has nothing to be scaled.
    scale = np.where(is_constant, 1.0, values.std(axis=1, ddof=1, keepdims=True))
    z = np.where(is_constant, 0.0, (values - mean) / scale)
    sizes, directions = np.linalg.eigh(z @ z.T / (values.shape[1] - 1))
    positive = sizes > MIN_VARIANCE_SHARE * sizes[-1]
    lengths = np.sqrt(sizes[positive])
    directions = directions[:, positive]
    root = directions * lengths
    inverse = (directions / lengths).T
    left, turn = np.linalg.eigh(inverse @ (root @ root.T - noise / (scale * scale.T)) @ inverse.T)
    shrunk = turn * np.sqrt(np.maximum(left, 0.0)) @ turn.T
    return np.where(is_constant, values, mean + scale * (root @ shrunk @ inverse @ z))


class Denoised:
    """The scores of systems in bootstrap replicates, for coefficients whose centre is denoised.

    Parameters
    ----------
    values : (lines, systems) float array
        On the data as they are; the human scores are the last line.
    replicates : (replicates, lines, systems) float array
        In replicates that draw the same units for all lines.
    weights : (replicates,) float array, optional
        The probability of each replicate, where every possible one is listed once.
    """

    def __init__(self, values: FloatArray, replicates: FloatArray, weights: FloatArray | None = None) -> None:
        self._values, self._weights = values, weights
        # A line after the other, as they are read.
        self._replicates = np.ascontiguousarray(replicates.transpose(1, 0, 2))
        self._defined: BoolArray = np.asarray(np.isfinite(self._replicates).all(axis=2))
        # Of all lines that every replicate has, at once: pairs of them share it.
        self._whole: BoolArray = np.asarray(self._defined.all(axis=1)) & np.isfinite(values).all(axis=1)
        self._noise = np.full((len(values), len(values)), np.nan)
        if len(replicates) > 1 and values.shape[1] > 1:
            of_whole = noise_covariance(values[self._whole], replicates[:, self._whole], weights)
            self._noise[np.ix_(self._whole, self._whole)] = of_whole

    def coefficients(self, lines: Sequence[int], relations: Sequence[Relation]) -> list[FloatArray]:
        """Return the coefficients of some lines with the human scores, centred together.

        Parameters
        ----------
        lines : sequence of int
        relations : sequence of Relation
            Of these lines.

        Returns
        -------
        list of (replicates,) float array
            One for each line; ``nan`` in replicates that lack a score of one of them, and throughout where the data do.
        """
        with_human = [*lines, -1]
        used: BoolArray = np.asarray(self._defined[with_human].all(axis=0))
        values = self._values[with_human]
        is_whole = bool(self._whole[with_human].all())
        coefficients = np.full((len(lines), len(used)), np.nan)
        if used.sum() > 1 and values.shape[1] > 1 and np.isfinite(values).all():
            moved = self._replicates[with_human] if is_whole else self._replicates[with_human][:, used]
            noise = self._noise[np.ix_(with_human, with_human)]
            if not is_whole:
                weights = None if self._weights is None else self._weights[used]
                noise = noise_covariance(values, moved.swapaxes(0, 1), weights)
            moved += (denoised(values, noise) - values)[:, None]
            kinds = [relation.coefficient for relation in relations]
            sides = [kind.prepare(side) for kind, side in zip(kinds, moved[:-1], strict=True)]
            coefficients[:, used] = correlate_lines(relations, sides, kinds[0].prepare(moved[-1], is_human=True))
        return list(coefficients)
