"""The alternative annotator test, as it was published: whether a judge may replace one of the people.

A person is set against the judge item by item: how alike is each to the other people? The judge wins an item where it
is at least as much alike; so does the person. Where the share of items that the person wins is not more than that of
the judge by epsilon, by a t-test whose p-values are corrected for all people, the judge beats that person. It passes
where it beats half of the people.

Sources
-------
In `bibliography.toml`: calderon2025; benjamini2001 (the correction).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from metaeval.datamodel.corpus import FloatArray
from metaeval.errors import UsageError, as_typed
from metaeval.ratings.table import Ratings
from metaeval.scipy_parts import special

# People with fewer items are left out.
MIN_ITEMS = 30
PASSING_SHARE = 0.5
# The false discovery rate of the published test, whatever the default of experiments is.
ALPHA = 0.05


@dataclass(frozen=True)
class AlternativeAnnotator:
    """Result of the alternative annotator test for one judge.

    Attributes
    ----------
    judge : str
    epsilon : float
        How much the judge may fall short of a person.
    winning_rate : float
        The share of people whom it beats.
    advantage : float
        The chance that it is at least as close to the others as a person, over people.
    passed : bool
    people : tuple of str
        Those with enough items.
    p : tuple of float
        Of each of them, not corrected.
    missing_because : str
        Why there is no result; "" where there is one.
    """

    judge: str
    epsilon: float
    winning_rate: float = math.nan
    advantage: float = math.nan
    passed: bool = False
    people: tuple[str, ...] = ()
    p: tuple[float, ...] = ()
    missing_because: str = ""


def alternative_annotator_test(ratings: Ratings, judge: str, epsilon: float) -> AlternativeAnnotator:
    """Apply the alternative annotator test to a judge.

    Agreement is the share of the others who say the same of labels and preferences, and minus the root of the mean
    squared difference from them of grades and numbers.

    Parameters
    ----------
    ratings : Ratings
    judge : str
    epsilon : float
        From 0 to 1.

    Raises
    ------
    UsageError
        If epsilon is not from 0 to 1.
    """
    if not 0 <= epsilon <= 1:
        called = as_typed(terminal="--epsilon", python="`epsilon`")
        raise UsageError(f"{called} must be from 0 to 1; got {epsilon:g}.")
    people, judges = ratings.matrix()
    answers = judges[:, ratings.judges.index(judge)]
    is_used = ~np.isnan(answers) & ((~np.isnan(people)).sum(axis=1) > 1)
    people = people[is_used]
    answers = answers[is_used]
    names = list[str]()
    p = list[float]()
    advantages = list[float]()
    for index, name in enumerate(ratings.people):
        rated = ~np.isnan(people[:, index])
        if rated.sum() < MIN_ITEMS:
            continue
        others = np.delete(people[rated], index, axis=1)
        of_judge = _agreement(answers[rated], others, ratings)
        of_person = _agreement(people[rated, index], others, ratings)
        difference = (of_person >= of_judge) * 1.0 - (of_judge >= of_person) * 1.0
        p.append(_p_below(difference, epsilon))
        advantages.append(float((of_judge >= of_person).mean()))
        names.append(name)
    if not names:
        why = f"nobody rated {MIN_ITEMS} items that the judge and another person rated too"
        return AlternativeAnnotator(judge, epsilon, missing_because=why)
    rate = _rejected(np.array(p)) / len(p)
    return AlternativeAnnotator(
        judge,
        epsilon,
        winning_rate=rate,
        advantage=float(np.mean(advantages)),
        passed=rate >= PASSING_SHARE,
        people=tuple(names),
        p=tuple(p),
    )


def _agreement(answers: FloatArray, others: FloatArray, ratings: Ratings) -> FloatArray:
    """Measure the agreement of an answer with the others of each item; an item has one at least."""
    is_defined = ~np.isnan(others)
    if ratings.is_ordered:
        likeness = np.where(is_defined, (answers[:, None] - np.where(is_defined, others, 0.0)) ** 2, 0.0)
    else:
        likeness = np.where(is_defined & (answers[:, None] == others), 1.0, 0.0)
    means: FloatArray = likeness.sum(axis=1) / is_defined.sum(axis=1)
    return -np.sqrt(means) if ratings.is_ordered else means


def _p_below(values: FloatArray, bound: float) -> float:
    """Return the one-sided p of the t-test that a mean is below a bound."""
    error = float(values.std(ddof=1)) / math.sqrt(len(values))
    if not error > 0:
        return 0.0 if values.mean() < bound else 1.0
    return float(special.stdtr(len(values) - 1, (float(values.mean()) - bound) / error))


def _rejected(p: FloatArray) -> int:
    """Count the hypotheses rejected by Benjamini and Yekutieli's method, which holds under any dependence."""
    n = len(p)
    bounds = np.arange(1, n + 1) / n * ALPHA / float((1 / np.arange(1, n + 1)).sum())
    below = np.flatnonzero(np.sort(p) <= bounds)
    return int(below[-1]) + 1 if len(below) else 0
