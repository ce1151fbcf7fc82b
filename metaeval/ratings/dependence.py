"""Dependence of a judge on what should not matter: its severity, the length of what it rates, its own system.

The severity of a judge is the mean of its ratings, less that of the people of the same items. What a judge gives for
length beyond people is the b of J = kappa T + b x + error, where J is the judge, x the length, and T what people have
in common; kappa brings people to the scale of the judge. T is not known, and the mean of people is T with an error:
a regression on it explains too little of the judge, and length explains the rest wherever better items are longer.
With the covariance of two people in place of the variance of their mean, both equations have what they need:

    cov(J, person) = kappa cov(person, another person) + b cov(person, x)
    cov(J, x)      = kappa cov(person, x)              + b var(x)

What people like about length themselves is in T, and no difference.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from metaeval.correlation.multiple_tests import holm
from metaeval.correlation.tolerances import EQUAL
from metaeval.datamodel.corpus import BoolArray, FloatArray, IntArray
from metaeval.ratings.equivalents import moments_by_item
from metaeval.ratings.likeness import PeopleRatings
from metaeval.ratings.means import MIN_CLUSTERS, Difference, clustered_mean, few_clusters, student_mean
from metaeval.ratings.table import Ratings

# Where length explains more than this share of what people have in common, the two cannot be told apart.
MAX_EXPLAINED_SHARE = 0.9
# With fewer items of the own system, or of others, their difference is not estimated.
MIN_ITEMS_OF_A_KIND = 10
LENGTH = "length"
OWN_SYSTEM = "own system"


@dataclass(frozen=True)
class Severity:
    """Mean of a judge's ratings, less that of people, over the items of one system or of all.

    Attributes
    ----------
    judge : str
    system : str
        "" for all items.
    difference : Difference
        Positive where the judge gives more; of two labels, the share of the second.
    p_corrected : float
        By Holm, over all judges and systems; ``nan`` for all items.
    """

    judge: str
    system: str
    difference: Difference
    p_corrected: float = math.nan


@dataclass(frozen=True)
class Dependence:
    """The points that a judge gives for length or to its own system and people do not.

    Attributes
    ----------
    judge : str
    on : {"length", "own system"}
    systems : tuple of str
        The own systems.
    slope : Difference
        In units of the judge's ratings, for twice the length, or for the own system; of labels the share of the second
        one, and of preferences the share of pairs.
    scale : float
        What one unit of people's ratings is in the judge's.
    is_scale_assumed : bool
        Whether that is 1 because a user said so.
    p_corrected : float
        By Holm, over all judges.
    """

    judge: str
    on: str
    systems: tuple[str, ...]
    slope: Difference
    scale: float = math.nan
    is_scale_assumed: bool = False
    p_corrected: float = math.nan


def slope_beyond_people(
    answers: FloatArray,
    people: PeopleRatings,
    covariate: FloatArray,
    cluster: IntArray,
    *,
    segment: IntArray | None = None,
    is_right: bool = False,
    same_scale: bool = False,
    are_people: bool = True,
    around_zero: bool = False,
) -> tuple[Difference, float]:
    """Estimate what a judge gives for a covariate beyond people, with the interval of Student's t, and kappa.

    The error is that of sums by cluster of all that goes into the slope, kappa among them.

    Parameters
    ----------
    answers : (items,) float array
        Those of the judge, ``nan`` where there is none.
    people : PeopleRatings
    covariate : (items,) float array
        ``nan`` where it is not known.
    cluster : (items,) int array
    segment : (items,) int array, optional
        The covariate is taken as its deviation from the mean of each segment, if several items share one.
    is_right : bool
        Whether there is one rater who is right by definition.
    same_scale : bool
        Whether kappa is 1 where items have one person each; without this there is no slope.
    are_people : bool
        Whether each rater has a mean of its own, which a place in a crowd has not.
    around_zero : bool
        Whether values and the covariate have a natural 0, as preferences between two outputs have.
    """
    use = ~np.isnan(answers) & (people.counts > 0) & ~np.isnan(covariate)
    n_items = int(use.sum())
    n_clusters = clustered_mean(np.where(use, 0.0, np.nan), cluster).effective
    missing = Difference(math.nan, items=n_items, clusters=n_clusters)
    if n_clusters < MIN_CLUSTERS:
        too_few = f"{few_clusters(n_clusters)}, {MIN_CLUSTERS} are needed"
        return replace(missing, missing_because=too_few), math.nan
    used_people = people.where(use)
    human = used_people.mean_by_item(used_people.value)[use]
    judge = answers[use]
    x = covariate[use]
    if not around_zero:
        human = human - human.mean()
        judge = judge - judge.mean()
        x = _within_segments(x, None if segment is None else segment[use])
    spread = float((x**2).mean())
    if not spread > EQUAL:
        return replace(missing, missing_because="it is the same for all items"), math.nan
    of_judge = judge * x
    of_people = human * x
    has_two = use & (people.counts > (0 if is_right else 1))
    if same_scale and not has_two.any():
        slope = float((of_judge - of_people).mean()) / spread
        return student_mean((of_judge - of_people - slope * x**2) / spread + slope, cluster[use]), 1.0
    n_two = int(has_two.sum())
    if n_two < MIN_CLUSTERS:
        why = f"{n_two} items were rated by two people or more, and {MIN_CLUSTERS} are needed"
        return replace(missing, missing_because=f"{why} to bring people's ratings to the judge's scale"), math.nan
    if is_right:
        moments = _moments_with_truth(answers, people.where(has_two), has_two, around_zero=around_zero)
    else:
        moments = moments_by_item(
            answers, people.where(has_two), has_two, np.zeros(0), are_people=are_people, around_zero=around_zero
        )
    agreement = student_mean(moments[:, 1], cluster[has_two])
    if not is_right and not agreement.has_ends:
        return replace(missing, missing_because=agreement.missing_because), math.nan
    if not (agreement.value > EQUAL if is_right else agreement.lower > 0):
        why = (
            "the right answer is always the same"
            if is_right
            else "these people are not shown to agree more than by chance"
        )
        return replace(missing, missing_because=why), math.nan
    rows = np.zeros((n_items, 5))
    rows[:, :3] = np.stack([of_judge, of_people, x**2], axis=1)
    # Means over the items with two people, as values whose mean over all items is the same.
    rows[has_two[use], 3:] = (moments[:, :2] - moments[:, :2].mean(axis=0)) * n_items / n_two
    rows[:, 3:] += moments[:, :2].mean(axis=0)
    return _solved(rows, cluster[use])


def _solved(rows: FloatArray, cluster: IntArray) -> tuple[Difference, float]:
    """Return b and kappa of both equations, from the products of each item whose means they hold.

    Parameters
    ----------
    rows : (items, 5) float array
        Judge x covariate, people x covariate, covariate x covariate, judge x person, person x another person.
    """
    judge_x, person_x, x_x, judge_person, person_person = rows.mean(axis=0).tolist()
    top = judge_x * person_person - person_x * judge_person
    bottom = x_x * person_person - person_x**2
    if bottom < (1 - MAX_EXPLAINED_SHARE) * x_x * person_person:
        why = "people's ratings follow it so closely that the two cannot be told apart"
        return Difference(math.nan, missing_because=why, items=len(rows)), math.nan
    slope = top / bottom
    gradient_of_top = np.array([person_person, -judge_person, 0.0, -person_x, judge_x])
    gradient_of_bottom = np.array([0.0, -2 * person_x, person_person, 0.0, x_x])
    influence = (rows - rows.mean(axis=0)) @ (gradient_of_top - slope * gradient_of_bottom) / bottom
    scale = (judge_person - slope * person_x) / person_person
    return student_mean(influence + slope, cluster), scale


def _within_segments(x: FloatArray, segment: IntArray | None) -> FloatArray:
    """Return the deviations of a covariate from the mean of its segment, or of all where no segment has several."""
    if segment is not None:
        codes = np.unique(segment, return_inverse=True)[1]
        counts = np.bincount(codes)
        if (counts > 1).any():
            deviations: FloatArray = x - (np.bincount(codes, x) / counts)[codes]
            return deviations
    around_mean: FloatArray = x - x.mean()
    return around_mean


def _moments_with_truth(answers: FloatArray, people: PeopleRatings, use: BoolArray, *, around_zero: bool) -> FloatArray:
    """Return the products of judge and truth, and of the truth with itself, (items, 2)."""
    truth = people.mean_by_item(people.value)[use]
    judge = answers[use]
    if not around_zero:
        truth = truth - truth.mean()
        judge = judge - judge.mean()
    return np.stack([judge * truth, truth**2], axis=1)


@dataclass(frozen=True)
class AsNumbers:
    """Ratings as numbers, of which more is more of the same.

    Attributes
    ----------
    people : PeopleRatings
    answers : mapping of str to (items,) float array
        Of each judge.
    missing_because : str
        Why the ratings are no such numbers; "" where they are.
    """

    people: PeopleRatings
    answers: Mapping[str, FloatArray]
    missing_because: str = ""

    @classmethod
    def from_ratings(cls, ratings: Ratings, people: PeopleRatings, answers: Mapping[str, FloatArray]) -> AsNumbers:
        """Return numbers and grades as they are, two labels as 0 and 1, and preferences as half a win more or less."""
        if ratings.is_ordered:
            return cls(people, answers)
        if ratings.kind == "preference":
            return cls.mapped(people, answers, lambda value: value / 2)
        values = np.unique(ratings.value)
        if len(values) != 2:
            return cls(people, answers, f"{len(values)} labels have no order")
        return cls.mapped(people, answers, lambda value: np.where(np.isnan(value), np.nan, (value == values[1]) * 1.0))

    @classmethod
    def mapped(
        cls, people: PeopleRatings, answers: Mapping[str, FloatArray], change: Callable[[FloatArray], FloatArray]
    ) -> AsNumbers:
        """Return other values for the same ratings."""
        return cls(
            replace(people, value=change(people.value)), {name: change(values) for name, values in answers.items()}
        )


def severities(ratings: Ratings, numbers: AsNumbers) -> tuple[Severity, ...]:
    """Estimate how much more each judge gives than people, over all items and by system, with p corrected by Holm."""
    if numbers.missing_because or ratings.kind == "preference":
        return ()
    systems = np.array(ratings.facts.get("system", ("",) * len(ratings.items)))
    names = [name for name in dict.fromkeys(systems.tolist()) if name]
    overall = list[Severity]()
    by_system = list[Severity]()
    for judge, answers in numbers.answers.items():
        excess = answers - numbers.people.mean_by_item(numbers.people.value)
        overall.append(Severity(judge, "", student_mean(excess, ratings.cluster)))
        for name in names if len(names) > 1 else ():
            of_system = np.where(systems == name, excess, np.nan)
            by_system.append(Severity(judge, name, student_mean(of_system, ratings.cluster)))
    corrected = holm([severity.difference.p for severity in by_system]).tolist() if by_system else []
    return (*overall, *(replace(severity, p_corrected=p) for severity, p in zip(by_system, corrected, strict=True)))


def dependences(
    ratings: Ratings,
    numbers: AsNumbers,
    *,
    own: Mapping[str, Sequence[str]],
    truth: bool = False,
    same_scale: bool = False,
) -> tuple[Dependence, ...]:
    """Estimate what judges give for length, if the table has lengths, and to their own systems, if some are named.

    Parameters
    ----------
    ratings : Ratings
    numbers : AsNumbers
    own : mapping of str to sequence of str
        The own systems of judges.
    truth : bool
        Whether there is one rater who is right by definition.
    same_scale : bool
        Whether people and judges use the scale alike, so that one person an item is enough.
    """
    is_pairs = ratings.kind == "preference"
    length = _log_length(ratings)
    wanted = list[tuple[str, str, tuple[str, ...], FloatArray]]()
    if length is not None:
        wanted += [(judge, LENGTH, (), length) for judge in numbers.answers]
    wanted += [(judge, OWN_SYSTEM, tuple(systems), _is_own(ratings, systems)) for judge, systems in own.items()]
    segments = ratings.facts.get("segment")
    segment = None if segments is None or is_pairs else np.unique(np.array(segments), return_inverse=True)[1]
    rows = list[Dependence]()
    for judge, on, systems, covariate in wanted:
        because = numbers.missing_because or (
            _too_few_of_a_kind(covariate, is_pairs=is_pairs) if on == OWN_SYSTEM else ""
        )
        if because:
            rows.append(Dependence(judge, on, systems, Difference(math.nan, missing_because=because)))
            continue
        slope, scale = slope_beyond_people(
            numbers.answers[judge], numbers.people, covariate, ratings.cluster, segment=segment, is_right=truth,
            same_scale=same_scale, are_people="crowd" not in ratings.rater_kinds, around_zero=is_pairs,
        )  # fmt: skip
        is_assumed = same_scale and not truth and not (numbers.people.counts > 1).any()
        rows.append(Dependence(judge, on, systems, slope, scale, is_assumed and not math.isnan(scale)))
    corrected = list[Dependence]()
    for on in (LENGTH, OWN_SYSTEM):
        corrected += _corrected([row for row in rows if row.on == on])
    return tuple(corrected)


def _corrected(rows: Sequence[Dependence]) -> list[Dependence]:
    corrected = holm([row.slope.p for row in rows]).tolist() if rows else []
    return [replace(row, p_corrected=p) for row, p in zip(rows, corrected, strict=True)]


def _log_length(ratings: Ratings) -> FloatArray | None:
    """Return the binary logarithm of the length of each item, or of the ratio of the two outputs of a pair."""
    names = ("length_a", "length_b") if ratings.kind == "preference" else ("length",)
    if any(name not in ratings.facts for name in names):
        return None
    lengths = [np.array([float(length or "nan") for length in ratings.facts[name]]) for name in names]
    first, *others = [np.log2(np.where(length > 0, length, np.nan)) for length in lengths]
    logs: FloatArray = first - others[0] if others else first
    return logs


def _is_own(ratings: Ratings, systems: Sequence[str]) -> FloatArray:
    """Return 1 for items of own systems and 0 for others; of pairs 1 where the first is own, -1 where the second is."""
    names = ("system_a", "system_b") if ratings.kind == "preference" else ("system",)
    first, *others = [np.isin(np.array(ratings.facts[name]), list(systems)).astype(np.float64) for name in names]
    contrast: FloatArray = first - others[0] if others else first
    return contrast


def _too_few_of_a_kind(is_own: FloatArray, *, is_pairs: bool) -> str:
    """Explain why items of own systems cannot be compared with others; "" where they can."""
    counts = {"of its own system": int((is_own != 0).sum())}
    if not is_pairs:
        counts["of other systems"] = int((is_own == 0).sum())
    return next(
        (f"{n} items {kind} are too few, {MIN_ITEMS_OF_A_KIND} are needed" for kind, n in counts.items()
         if n < MIN_ITEMS_OF_A_KIND), "",
    )  # fmt: skip
