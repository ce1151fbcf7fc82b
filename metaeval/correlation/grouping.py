"""Which scores are related to which: grouping, orientation, and the summary of many coefficients.

========  ==================================================================  =================
grouping  one coefficient for each                                            its other names
========  ==================================================================  =================
system    document, across the systems (Turian, Finch, Lin and Och)           item, input
document  system, across the documents                                        sys
pooled    documents and systems all together (Melamed)                        none, global
grid      the same, knowing which is which: soft pairwise accuracy
========  ==================================================================  =================
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy.special import ndtri

from metaeval.correlation.coefficients import Coefficient
from metaeval.records import BoolArray, FloatArray

GROUPINGS = ("system", "document", "pooled", "grid")
ORIENTATIONS = ("aligned", "raw")
UNDEFINED = ("exclude", "zero")


# What relates metric scores to human scores (..., n) along their last axis, giving (...).
Relation: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]


def correlate(
    metric: FloatArray, human: FloatArray, coefficient: Relation, grouping: str, *, where: BoolArray | None = None
) -> FloatArray:
    """Relate metric scores to human scores.

    Parameters
    ----------
    metric, human : (documents, systems) float arrays
    coefficient : Coefficient, as it comes or oriented
    grouping : "system", "document", "pooled" or "grid"
        A coefficient that takes a grid goes with ``grid`` alone.
    where : (documents, systems) bool array, optional
        The cells to take; others are as if they were not there, and may hold ``nan``.

    Returns
    -------
    (documents,), (systems,) or (1,) float array
        ``nan`` where undefined.
    """
    if grouping == "grid":
        return coefficient(metric, human).reshape(1)
    if grouping == "pooled":
        metric, human = metric.reshape(1, -1), human.reshape(1, -1)
        where = None if where is None else where.reshape(1, -1)
    elif grouping == "document":
        metric, human, where = metric.T, human.T, None if where is None else where.T
    if where is None or where.all():
        return coefficient(metric, human)
    values = np.full(len(metric), np.nan)
    numbers = where.sum(axis=1)
    # The cells to take stand first in each row, in their order; rows with equally many are related together.
    order = np.argsort(~where, axis=1, kind="stable")
    for number in np.unique(numbers[numbers > 0]):
        rows = numbers == number
        taken = order[rows, :number]
        values[rows] = coefficient(
            np.take_along_axis(metric[rows], taken, axis=1), np.take_along_axis(human[rows], taken, axis=1)
        )
    return values


def orient(coefficient: Coefficient, *, same_direction: bool, orientation: str) -> Relation:
    """Return a coefficient that is high for agreement (aligned), or as it comes (raw).

    Where high is good on one side and low on the other, the coefficient is negated, and the scores are not. Only a
    coefficient that is not odd, such as an accuracy, takes the negative scores: no sign gives its aligned value.
    """
    if orientation != "aligned" or same_direction:
        return coefficient
    if coefficient.is_odd:
        return lambda metric, human: -coefficient(metric, human)
    return lambda metric, human: coefficient(-metric, human)


@dataclass(frozen=True)
class Summary:
    """The mean of many coefficients and what is known of it.

    Attributes
    ----------
    mean : float
        ``nan`` if every coefficient is undefined.
    sd : float
        Standard deviation over the coefficients (n - 1); ``nan`` for fewer than two.
    lower, upper : float
        Limits of the interval for the mean; ``nan`` where there is none.
    n_used, n_undefined : int
        How many coefficients the mean is taken over, and how many have no value.
    """

    mean: float
    sd: float
    lower: float
    upper: float
    n_used: int
    n_undefined: int


def summarise(coefficients: FloatArray, *, undefined: str, interval: str, confidence_level: float) -> Summary:
    """Summarise coefficients by their mean.

    Parameters
    ----------
    coefficients : (n,) float array
        ``nan`` where undefined.
    undefined : "exclude" or "zero"
        Whether an undefined coefficient is left out or counts 0; it is counted either way.
    interval : "normal", or another method, which gives no limits here
        ``normal``: mean -+ z sd / sqrt(n). It tells how well the drawn documents determine the mean over all documents
        that could be drawn from this corpus, not what another corpus would give.
    confidence_level : float
        Between 0 and 1.
    """
    defined = coefficients[~np.isnan(coefficients)]
    n_undefined = len(coefficients) - len(defined)
    used = np.nan_to_num(coefficients, nan=0.0) if undefined == "zero" else defined
    if not len(used):
        return Summary(np.nan, np.nan, np.nan, np.nan, 0, n_undefined)
    mean = float(used.mean())
    if len(used) < 2:
        return Summary(mean, np.nan, np.nan, np.nan, len(used), n_undefined)
    sd = float(used.std(ddof=1))
    if interval != "normal":
        return Summary(mean, sd, np.nan, np.nan, len(used), n_undefined)
    half = float(ndtri(0.5 + confidence_level / 2.0)) * sd / np.sqrt(len(used))
    return Summary(mean, sd, mean - half, mean + half, len(used), n_undefined)
