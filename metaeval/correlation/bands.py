"""Coefficients among good systems: which systems or pairs of systems count, and what a narrower range does by itself.

A coefficient falls where systems differ less in quality, also for a metric that is as good among good systems as
elsewhere. How far it falls then is simulated: the scores of the metric are a line through the human scores plus
deviations from it, and the deviations are exchanged between systems at random, so that they are as large for good
systems as for others.

Sources
-------
In `bibliography.toml`: mathur2020 (the best systems only).
"""

from __future__ import annotations

import numpy as np

from metaeval.correlation.averages import Relation
from metaeval.datamodel.corpus import BoolArray, FloatArray

# How many metrics are simulated for a metric; for a function of the user's, which is called for each, fewer.
_N_SIMULATED = 1000
_N_SIMULATED_OF_FUNCTION = 200
# By what the deviations are multiplied, so that a coefficient of ranks is that of the data over all systems.
_SCALES = np.geomspace(1 / 16, 16, 49)
# Deviations that are smaller than this share of the scores' spread are none.
_NO_DEVIATION = 1e-9


def best_systems(human: FloatArray, k: int, *, higher_is_better: bool = True) -> BoolArray:
    """Mark the k best systems by people, (systems,): more where some tie with the last of them.

    Parameters
    ----------
    human : (systems,) float array
        Finite numbers.
    k : int
        From 1 to the number of systems.
    higher_is_better : bool
        The direction of the human scores.
    """
    scores = human if higher_is_better else -human
    return np.asarray(scores >= np.sort(scores)[-k])


def near_pairs(human: FloatArray, distance: float) -> BoolArray:
    """Mark the pairs of systems that people score within a distance of each other: (systems, systems).

    Parameters
    ----------
    human : (systems,) float array
    distance : float
        A pair that is exactly so far apart counts.
    """
    near = np.abs(human[:, np.newaxis] - human) <= distance
    np.fill_diagonal(near, val=False)
    return np.asarray(near)


def number_of_simulated(coefficient: Relation) -> int:
    """Return how many metrics are simulated for a metric and a coefficient."""
    return _N_SIMULATED_OF_FUNCTION if coefficient.coefficient.is_user_function else _N_SIMULATED


def equally_good_metrics(
    metric: FloatArray, human: FloatArray, coefficient: Relation, *, n_draws: int, rng: np.random.Generator
) -> FloatArray:
    """Return scores of simulated metrics that agree equally well everywhere, and over all systems as this one does.

    Parameters
    ----------
    metric, human : (systems,) float arrays
        Finite numbers.
    coefficient : Relation
        That over all systems, which each simulated metric has in common with `metric`. One of ranks has few values, and
        the nearest is taken.
    n_draws : int
        Simulated metrics.
    rng : numpy.random.Generator

    Returns
    -------
    (n_draws, systems) float array
        ``nan`` where a side is constant.
    """
    centred = human - human.mean()
    spread, size = float(centred @ centred), float(np.linalg.norm(metric - metric.mean()))
    if spread == 0.0 or size == 0.0:
        return np.full((n_draws, len(human)), np.nan)
    line = metric.mean() + float(metric @ centred) / spread * centred
    deviations = metric - line
    length = float(np.linalg.norm(deviations))
    if length <= _NO_DEVIATION * size:
        return np.tile(metric, (n_draws, 1))
    drawn = rng.permuted(np.broadcast_to(deviations, (n_draws, len(human))), axis=1)
    # What the exchange moved along the line is taken off: the slope and the spread around it stay those of the data.
    drawn -= drawn.mean(axis=1, keepdims=True) + np.outer(drawn @ centred / spread, centred)
    lengths = np.linalg.norm(drawn, axis=1, keepdims=True)
    drawn *= np.divide(length, lengths, out=np.zeros_like(lengths), where=lengths > _NO_DEVIATION * size)
    if coefficient.coefficient.of_moments:
        return np.asarray(line + drawn)
    scaled = line + _SCALES[:, np.newaxis, np.newaxis] * drawn
    away = np.abs(coefficient(scaled, np.broadcast_to(human, scaled.shape)) - coefficient(metric, human))
    # Of several that are equally near, the one with deviations most like those of the data.
    order = np.argsort(np.abs(np.log(_SCALES)), kind="stable")
    nearest = order[np.argmin(np.nan_to_num(away, nan=np.inf)[order], axis=0)]
    return np.asarray(scaled[nearest, np.arange(n_draws)])
