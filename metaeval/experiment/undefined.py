"""Count coefficients without a value, by the cause."""

from __future__ import annotations

import numpy as np

from metaeval.correlation.averages import arrange_rows, systems_scored
from metaeval.datamodel.corpus import BoolArray, FloatArray
from metaeval.results.rows import Undefined


def why_undefined(scores: FloatArray, human: FloatArray, undefined: BoolArray, average_by: str) -> Undefined:
    """Count the undefined coefficients, by the cause.

    Parameters
    ----------
    scores : (subsets or 1, documents, systems) float array
    human : (documents, systems) float array
    undefined : (coefficients,) bool array
    average_by : str
        The unit that has a coefficient: "item", "system" or "none".
    """
    if not undefined.any():
        return Undefined()
    scored = systems_scored(scores)
    judged = np.isfinite(human) & scored
    # (subsets, coefficients, values of each), with a mask of the values that exist.
    metric = scores
    people = np.where(judged, human, np.nan)
    if average_by != "item":
        complete = (np.isfinite(scores).all(axis=0) | ~judged).all(axis=1)
        metric = metric[:, complete]
        people = people[complete]
    metric = arrange_rows(metric, average_by)[:, undefined]
    people = arrange_rows(people, average_by)[undefined]
    present = np.isfinite(people)
    lacking: BoolArray = np.asarray((~np.isfinite(metric) & present).any(axis=(0, 2))) | ~present.any(axis=1)
    of_metric = _constant(metric, present).any(axis=0) & ~lacking
    of_people = _constant(people, present) & ~lacking
    return Undefined(
        no_score=int(lacking.sum()),
        both_constant=int((of_metric & of_people).sum()),
        metric_constant=int((of_metric & ~of_people).sum()),
        human_constant=int((of_people & ~of_metric).sum()),
        too_few=int((~(lacking | of_metric | of_people)).sum()),
    )


def _constant(values: FloatArray, present: BoolArray) -> BoolArray:
    """Return whether the values that are present are equal along the last axis; one value is no constant."""
    low = np.where(present, values, np.inf).min(axis=-1, initial=np.inf)
    high = np.where(present, values, -np.inf).max(axis=-1, initial=-np.inf)
    return np.asarray((low == high) & (present.sum(axis=-1) > 1))
