"""Influence of single systems on a coefficient across systems.

Few systems, one of them far from the others, can give a high coefficient to a metric that cannot order the rest. Three
views of that: without each system in turn, without outliers, and among the best systems only.

Conventions. Arrays are (systems,) or (documents, systems). The human score of a system is its mean
over the documents, and the same systems are taken in each document.

Sources
-------
In `bibliography.toml`: mathur2020 (outliers, and the best systems only); leys2013 (the constants of the rule).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from metaeval.correlation.averages import Relation, correlate_sets
from metaeval.correlation.bands import best_systems
from metaeval.datamodel.array_checks import checked
from metaeval.datamodel.corpus import BoolArray, FloatArray, IntArray
from metaeval.errors import UsageError, unknown
from metaeval.parameters.calls import parse_call
from metaeval.parameters.fields import build, parameter

# The median absolute deviation (MAD) of normal scores, times this, is their standard deviation.
_MAD_TO_SD = 1.483
# Systems further than so many standard deviations from the median are outliers.
_CUTOFF_SDS = 2.5
# Fewer systems say nothing: among three, one of six orders is perfect.
_MIN_SYSTEMS = 4


def leave_one_out(metric: npt.ArrayLike, human: npt.ArrayLike, coefficient: Relation) -> FloatArray:
    """Return the coefficient across systems without each system in turn.

    Parameters
    ----------
    metric, human : (systems,) or (documents, systems) array_like
        Finite numbers.
    coefficient : Coefficient, as it comes or oriented

    Returns
    -------
    (systems,) or (documents, systems) float array
        The place is that of the system left out; ``nan`` where undefined.

    Raises
    ------
    ValueError
        If the shapes differ or a number is not finite.
    """
    x, y = checked(metric, human)
    n = x.shape[-1]
    others = np.array([[other for other in range(n) if other != left] for left in range(n)], dtype=np.intp)
    others = others.reshape(n, max(n - 1, 0))
    return correlate_sets(coefficient, x[..., others], y[..., others], axis=x.ndim - 1)


def outlier_systems(human: npt.ArrayLike, *, cutoff: float = _CUTOFF_SDS) -> BoolArray:
    """Find the systems whose human scores are far from the others.

    An outlier is farther from the median than `cutoff` times 1.483 MAD; MAD is the median of these distances.

    Parameters
    ----------
    human : (systems,) or (documents, systems) array_like
        Finite numbers; of documents, the mean is taken.
    cutoff : float
        2.5 in Mathur et al.

    Returns
    -------
    (systems,) bool array
        All False where the MAD is 0, because half of the systems or more share one score: there is no distance
        to compare with.

    Raises
    ------
    ValueError
        If a number is not finite.
    """
    scores = _system_means(checked(human, human)[0])
    if not len(scores):
        return np.zeros(0, dtype=bool)
    distances = np.abs(scores - np.median(scores))
    spread = _MAD_TO_SD * float(np.median(distances))
    return np.asarray((distances > cutoff * spread) & (spread > 0))


@dataclass(frozen=True)
class Mad:
    """The rule of :func:`outlier_systems`, as a filter names it."""

    threshold: float = parameter(_CUTOFF_SDS, doc="in 1.483 median absolute deviations from the median", minimum=0)

    def __str__(self) -> str:
        return f"mad(threshold={self.threshold:g})"

    def outliers(self, human: FloatArray) -> BoolArray:
        """Mark the systems that are outliers, of their human scores: (systems,)."""
        return outlier_systems(human, cutoff=self.threshold)


def get_outliers(text: str) -> Mad | None:
    """Return the rule of a name such as ``mad(threshold=3)``; None for "".

    Raises
    ------
    UsageError
        If the name or a parameter is unknown.
    """
    if not text:
        return None
    call = parse_call(text)
    if call.name != "mad":
        raise UsageError(unknown("rule for outliers", call.name, ["mad"], "rules"))
    return build(Mad, call.arguments, subject="the rule 'mad'")


def without_outliers(metric: npt.ArrayLike, human: npt.ArrayLike, coefficient: Relation) -> FloatArray:
    """Correlate metric and human scores across the systems that are no outliers.

    Parameters
    ----------
    metric, human : (systems,) or (documents, systems) array_like
        Finite numbers. The metric's score of a system plays no part in its being an outlier.
    coefficient : Coefficient, as it comes or oriented

    Returns
    -------
    () or (documents,) float array
        ``nan`` where undefined.

    Raises
    ------
    ValueError
        If the shapes differ or a number is not finite.
    """
    x, y = checked(metric, human)
    is_typical = ~outlier_systems(y)
    return coefficient(x[..., is_typical], y[..., is_typical])


def top_systems(
    metric: npt.ArrayLike,
    human: npt.ArrayLike,
    coefficient: Relation,
    sizes: Sequence[int] | None = None,
    *,
    higher_is_better: bool = True,
) -> tuple[IntArray, FloatArray]:
    """Correlate metric and human scores among the k best systems, for several k.

    That coefficients fall as k falls is not the metric's fault alone: a narrower range lowers any correlation.

    Parameters
    ----------
    metric, human : (systems,) or (documents, systems) array_like
        Finite numbers.
    coefficient : Coefficient, as it comes or oriented
    sizes : sequence of int, optional
        The numbers of systems; from all down to 4 unless given.
    higher_is_better : bool
        The direction of the human scores.

    Returns
    -------
    (k,) int array
        How many systems were taken: more where systems tie with the last of them.
    (k,) or (documents, k) float array
        The coefficients; ``nan`` where undefined.

    Raises
    ------
    ValueError
        If the shapes differ, a number is not finite, or a size is not from 1 to the number of systems.
    """
    x, y = checked(metric, human)
    n = x.shape[-1]
    numbers = np.asarray(range(n, _MIN_SYSTEMS - 1, -1) if sizes is None else sizes, dtype=np.intp)
    if ((numbers < 1) | (numbers > n)).any():
        raise ValueError(f"`sizes` must be from 1 to {n}, the number of systems; got {numbers.tolist()}.")
    people = _system_means(y)
    taken = [best_systems(people, int(size), higher_is_better=higher_is_better) for size in numbers]
    coefficients = [coefficient(x[..., top], y[..., top]) for top in taken]
    n_systems = np.array([top.sum() for top in taken], dtype=np.intp)
    return n_systems, np.stack(coefficients, axis=-1) if coefficients else np.zeros((*x.shape[:-1], 0))


def _system_means(human: FloatArray) -> FloatArray:
    """Return the mean human score of each system over the documents: (systems,)."""
    return np.asarray(human.reshape(-1, human.shape[-1]).mean(axis=0) if human.size else human.reshape(-1))
