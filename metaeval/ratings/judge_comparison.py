"""Comparison of automatic judges with people: each judge against one person and against a constant answer.

For each item, a is how alike the judge is to a person of the item, b how alike two of its people are, and c how alike
the best answer that looks at no item is to a person. Their means over items are set side by side, and the difference of
a and b is the question: does the judge agree with a person as much as people do with one another? Judge and person
are both compared with single persons, so that the difference is fair, which agreement with a majority is not.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from metaeval.correlation.multiple_tests import holm
from metaeval.datamodel.corpus import BoolArray, FloatArray, IntArray
from metaeval.errors import UsageError, as_typed, counted, listing
from metaeval.ratings.alternative_annotator import AlternativeAnnotator, alternative_annotator_test
from metaeval.ratings.dependence import AsNumbers, Dependence, Severity, dependences, severities
from metaeval.ratings.equivalents import person_equivalents
from metaeval.ratings.jackknife import too_skewed
from metaeval.ratings.likeness import PeopleRatings, likeness, own_ratings, without_person
from metaeval.ratings.means import (
    CONFIDENCE_LEVEL,
    MIN_CLUSTERS,
    Difference,
    Interval,
    clustered_mean,
    coefficient_interval,
    mean_interval,
    share_interval,
    skewed_mean,
)
from metaeval.ratings.position import FirstShare, Position, answers_in_order, first_share, position_of
from metaeval.ratings.table import Ratings, unused_columns
from metaeval.report.phrases import named_in_sentence
from metaeval.scipy_parts import special

# People from whom on an interval may be for people like these, and not for these alone.
MIN_PEOPLE = 5
# A share of items without a verdict of the judge from which on they are also counted as wrong.
MAX_SHARE_WITHOUT_VERDICT = 0.01
# How often a coin prefers the better of two outputs.
COIN = 0.5
# The margin for which a plan of items is printed, in shares.
PLANNED_MARGIN = 0.05


@dataclass(frozen=True)
class PersonAgainstJudge:
    """A person and a judge, both compared with the other people of the person's items.

    Attributes
    ----------
    judge, person : str
    items : int
    agreement : Interval
        How alike the person is to the others.
    difference : Difference
        Of the judge's likeness to the others, less that of the person.
    equivalents : Interval
        How many persons this person is worth, with the others as the truth; the yardstick for the judge.
    """

    judge: str
    person: str
    items: int
    agreement: Interval
    difference: Difference
    equivalents: Interval


@dataclass(frozen=True)
class LabelUse:
    """Use of one label: its frequency, and how often it is repeated where a person gives it.

    Attributes
    ----------
    judge, label : str
    judge_share, people_share : float
        Of all answers.
    judge_too, person_too : float
        The share of the answers of the judge, and of another person, that are the label where a person says it.
    """

    judge: str
    label: str
    judge_share: float
    people_share: float
    judge_too: float
    person_too: float


@dataclass(frozen=True)
class JudgedJudge:
    """Results for one judge.

    Attributes
    ----------
    judge : str
    items, clusters, people : int
        Items that the judge and enough people rated, what they are in, and how many people these were.
    people_per_item : float
    without_verdict : int
        Items that people rated and the judge did not.
    agreement, person, constant : Interval
        How alike the judge, one person, and the best constant answer are to a person.
    agreement_as_wrong : Interval
        That of the judge, where items without a verdict count as wrong; ``nan`` where these are few.
    constant_answer : str
    difference : Difference
        Of the judge, less one person.
    difference_without_offset : Difference
        Of grades and numbers: the same after the judge's mean difference from people was taken off.
    population : Interval
        The difference, with an interval that also holds for other people like these; from 5 people on.
    over_constant : Difference
        The likeness of the judge less that of the constant answer; where the right answer is always the same, as the
        chosen output of a pair, less that of a coin, and of grades and numbers ``nan``.
    equivalents : Interval
        To how many persons the judge is equivalent.
    offset : Interval
        Of grades and numbers: how much higher than people the judge is on average.
    kappa, person_kappa : Interval
        Of labels and preferences: agreement beyond that of independent answers as frequent as these.
    nothing_to_validate : str
        Why these items can validate no judge; "" where they can.
    smallest_margin : float
        The judge is as good as a person to within this, one-sided at 95 %; ``nan`` where that is not known.
    items_needed : int or None
        About how many items would show a margin of 0.05 of a judge that is as good as a person.
    """

    judge: str
    items: int
    clusters: int
    people: int
    people_per_item: float
    without_verdict: int
    agreement: Interval
    person: Interval
    constant: Interval
    agreement_as_wrong: Interval
    constant_answer: str
    difference: Difference
    difference_without_offset: Difference
    population: Interval
    over_constant: Difference
    equivalents: Interval
    offset: Interval
    kappa: Interval
    person_kappa: Interval
    nothing_to_validate: str

    @property
    def smallest_margin(self) -> float:
        """The smallest loss of agreement that is excluded; see the attributes."""
        if self.nothing_to_validate or math.isnan(self.difference.bound):
            return math.nan
        return max(0.0, -self.difference.bound)

    @property
    def items_needed(self) -> int | None:
        """About how many items would be needed; see the attributes."""
        if math.isnan(self.difference.error) or not self.difference.error > 0:
            return None
        quantile = float(special.ndtri(CONFIDENCE_LEVEL))
        return math.ceil(self.difference.items * (quantile * self.difference.error / PLANNED_MARGIN) ** 2)


@dataclass(frozen=True)
class JudgePair:
    """Two judges on the items that both rated.

    Attributes
    ----------
    judge_a, judge_b : str
    items : int
    difference : Difference
        Of the likeness of the first to people, less that of the second.
    p_corrected : float
        By Holm, over all pairs.
    """

    judge_a: str
    judge_b: str
    items: int
    difference: Difference
    p_corrected: float

    @property
    def is_significant(self) -> bool:
        """True if the two differ significantly on these items."""
        return self.p_corrected < 1 - CONFIDENCE_LEVEL

    @property
    def better(self) -> str:
        """The judge that is more like people on these items; over all of its own items it may be less."""
        return self.judge_a if self.difference.value > 0 else self.judge_b

    @property
    def worse(self) -> str:
        """The judge that is less like people on these items."""
        return self.judge_b if self.difference.value > 0 else self.judge_a


@dataclass(frozen=True)
class JudgeFindings:
    """Results for all judges of a table, and for the people beside them.

    Attributes
    ----------
    judges : tuple of JudgedJudge
        The best first.
    people : tuple of PersonAgainstJudge
    labels : tuple of LabelUse
    pairs : tuple of JudgePair
    positions : tuple of Position
        Of judges that were asked in both orders of the same pairs.
    first_shares : tuple of FirstShare
        Of judges that were asked in one order of each pair, which is known.
    severities : tuple of Severity
        Of numbers, grades and two labels: of each judge over all items, and by system.
    dependences : tuple of Dependence
        What each judge gives for length, where lengths are known, and to its own system, where that was named.
    alternative : tuple of AlternativeAnnotator
        Where the rule was asked for.
    ranks : mapping of str to (int, int)
        The best and the worst rank of each judge among all, which hold together at 95 %.
    warnings : tuple of str
    """

    judges: tuple[JudgedJudge, ...]
    people: tuple[PersonAgainstJudge, ...]
    labels: tuple[LabelUse, ...]
    pairs: tuple[JudgePair, ...]
    positions: tuple[Position, ...]
    first_shares: tuple[FirstShare, ...]
    severities: tuple[Severity, ...]
    dependences: tuple[Dependence, ...]
    alternative: tuple[AlternativeAnnotator, ...]
    ranks: dict[str, tuple[int, int]]
    warnings: tuple[str, ...]

    @property
    def compared_judge(self) -> JudgedJudge:
        """The first judge that is compared with one person, whose items and people stand for all; else the first."""
        return next((judged for judged in self.judges if not math.isnan(judged.person.value)), self.judges[0])


def judge_findings(
    ratings: Ratings,
    *,
    truth: str = "",
    rule: str | None = None,
    epsilon: float = 0.0,
    own: Mapping[str, Sequence[str]] | None = None,
    same_scale: bool = False,
) -> JudgeFindings:
    """Compare the automatic judges of a table of ratings with people.

    Parameters
    ----------
    ratings : Ratings
    truth : str
        The rater that is right by definition; "" for none.
    rule : {"alt-test"}, optional
        A published rule whose result is wanted too.
    epsilon : float
        Of the rule.
    own : mapping of str to sequence of str, optional
        The own systems of judges.
    same_scale : bool
        Whether people and judges use the scale alike, so that what a judge gives for length is known of items with
        one person each.

    Raises
    ------
    UsageError
        If there are no judges, or no people who rated the same items.
    """
    once, repeated = ratings.once()
    # Where one rater is right by definition, the answers in both orders are averaged, and none is taken for a tie.
    is_person = np.array([kind != "automatic" for kind in ratings.rater_kinds], dtype=bool)
    people = PeopleRatings.from_ratings(once, is_person[once.rater])
    answers = {name: _answers_of(ratings, once, name, average_orders=bool(truth)) for name in ratings.judges}
    are_averaged = any(values.ndim == 2 for values in answers.values())
    warnings = [repeated] if repeated and not are_averaged else []
    _check_common(ratings, people, answers)
    judged = [_judged(ratings, people, name, values, truth) for name, values in answers.items()]
    warnings += _notes(ratings, people, answers, judged, compares=not truth)
    pairs = _pairs(ratings, people, answers)
    judged.sort(key=lambda judge: -judge.agreement.value)
    by_person = list[PersonAgainstJudge]()
    labels = list[LabelUse]()
    positions = list[Position]()
    first_shares = list[FirstShare]()
    alternative = list[AlternativeAnnotator]()
    of_truth = _truth_of(ratings, once, truth)
    worth = {} if truth else _worth_of_people(ratings, once, people)
    for judge in judged:
        by_person += _by_person(ratings, people, judge.judge, answers[judge.judge], worth)
        labels += _labels(ratings, people, judge.judge, answers[judge.judge])
        position = position_of(ratings, ratings.raters.index(judge.judge), of_truth)
        positions += [] if position is None else [position]
        share = first_share(ratings, ratings.raters.index(judge.judge)) if ratings.kind == "preference" else None
        first_shares += [] if share is None else [share]
        if rule is not None:
            alternative.append(alternative_annotator_test(ratings, judge.judge, epsilon))
    numbers = AsNumbers.from_ratings(ratings, people, {judge.judge: _single(answers[judge.judge]) for judge in judged})
    return JudgeFindings(
        judges=tuple(judged),
        people=tuple(by_person),
        labels=tuple(labels),
        pairs=tuple(pairs),
        positions=tuple(positions),
        first_shares=tuple(first_shares),
        severities=severities(ratings, numbers),
        dependences=dependences(ratings, numbers, own=own or {}, truth=bool(truth), same_scale=same_scale),
        alternative=tuple(alternative),
        ranks=_ranks([judge.judge for judge in judged], pairs),
        warnings=tuple(warnings),
    )


def _answers_of(ratings: Ratings, once: Ratings, name: str, *, average_orders: bool) -> FloatArray:
    """Return the answers of a rater, (items,), or (2, items) where orders are to be averaged and an item has both."""
    rater = ratings.raters.index(name)
    if average_orders:
        orders = np.stack([answers_in_order(ratings, rater, shown) for shown in (1, -1)])
        if (~np.isnan(orders)).all(axis=0).any():
            return orders
    answers = np.full(len(ratings.items), np.nan)
    rows = once.rater == rater
    answers[once.item[rows]] = once.value[rows]
    return answers


def _alike(people: PeopleRatings, answers: FloatArray) -> FloatArray:
    """Measure the likeness of a judge to a person of each item, (items,); the mean of both orders if there are two."""
    if answers.ndim == 1:
        return people.likeness_to(answers)
    # An item with a verdict in one order alone is left out.
    return (people.likeness_to(answers[0]) + people.likeness_to(answers[1])) / 2


def _single(answers: FloatArray) -> FloatArray:
    """Return one answer for each item: of two orders, neither where they contradict each other."""
    return answers if answers.ndim == 1 else np.where(answers[0] == answers[1], answers[0], answers.sum(axis=0) * 0)


def _truth_of(ratings: Ratings, once: Ratings, truth: str) -> FloatArray | None:
    if not truth or ratings.kind != "preference":
        return None
    return _answers_of(ratings, once, truth, average_orders=False)


def _check_common(ratings: Ratings, people: PeopleRatings, answers: dict[str, FloatArray]) -> None:
    """Refuse a table without judges, without people, or without an item that both rated."""
    if not answers:
        typed = as_typed(terminal="--judge NAME", python="judges=[NAME]")
        raise UsageError(
            f"{ratings.source}: must have an automatic judge; the raters are {listing(ratings.raters, 8)}, none of "
            f"whom has the name of a judge or a model.{unused_columns(ratings)} Name it: {typed}."
        )
    if not len(people.value):
        raise UsageError(
            f"{ratings.source}: must have ratings of people beside those of judges; all raters are automatic: "
            f"{listing(ratings.raters, 8)}.{unused_columns(ratings)} If they have a file of their own, name it too. "
            f"Name who is a person, {as_typed(terminal='--people NAME ...', python='people=[NAME, ...]')}, or who is "
            f"right by definition, {as_typed(terminal='--truth NAME', python='truth=NAME')}."
        )
    for name, values in answers.items():
        if np.isnan(_alike(people, values)).all():
            raise UsageError(_no_item_in_common(ratings, people, name, values))


def _no_item_in_common(ratings: Ratings, people: PeopleRatings, judge: str, answers: FloatArray) -> str:
    """Return the message for a judge that rated no item that people rated."""
    is_rated = ~np.isnan(answers.reshape(-1, people.n_items)).any(axis=0)
    in_orders = " in both orders" if answers.ndim == 2 else ""
    of_people = listing([ratings.items[item] for item in np.flatnonzero(people.counts).tolist()], 3)
    of_judge = listing([ratings.items[item] for item in np.flatnonzero(is_rated).tolist()], 3)
    typed = as_typed(terminal="--columns item=COLUMN", python='columns=["item=COLUMN"]')
    return (
        f"{ratings.source}: the judge {judge!r} must have rated items that people rated{in_orders}, and has rated "
        f"none of them{in_orders}; people rated {of_people}, and the judge {of_judge}{in_orders}. Call an item the "
        f"same in the rows of both, or name the column in which it is: {typed}."
    )


def _agreement_interval(values: FloatArray, cluster: IntArray, people: PeopleRatings) -> Interval:
    """Return the mean likeness to people with its interval: of a share, or of distances."""
    if people.is_ordered:
        return mean_interval(values, cluster)
    return share_interval(values, cluster, len(people.value))


def _judged(ratings: Ratings, people: PeopleRatings, name: str, answers: FloatArray, truth: str) -> JudgedJudge:
    """Compare one judge with people."""
    cluster = ratings.cluster
    is_ordered = ratings.is_ordered
    alike = _alike(people, answers)
    compares = not truth and bool((people.counts[~np.isnan(alike)] > 1).any())
    is_rated = people.counts > (1 if compares else 0)
    is_used = is_rated & ~np.isnan(alike)
    used_people = people.where(is_used)
    single_answers = _single(answers)
    to_people = np.where(is_used, alike, np.nan)
    among_people = np.where(is_used, people.among, np.nan)
    constant_answer = used_people.constant_answer()
    to_constant = used_people.likeness_to(np.full(people.n_items, constant_answer))
    constant = _agreement_interval(to_constant, cluster, used_people)
    nothing_to_validate = _nothing_to_validate(ratings, among_people, to_constant) if compares else ""
    if truth and len(np.unique(used_people.value)) < 2:
        constant = Interval(math.nan, missing_because="the right answer is always the same")
        # Without a scale between the answers, a coin stands for what says nothing of an item.
        to_constant = np.full(people.n_items, math.nan if is_ordered else COIN)
    n_without_verdict = int((is_rated & ~is_used).sum())
    agreement_as_wrong = Interval(math.nan)
    if not is_ordered and n_without_verdict > MAX_SHARE_WITHOUT_VERDICT * is_rated.sum():
        agreement_as_wrong = share_interval(np.where(is_used, alike, 0.0)[is_rated], cluster[is_rated])
    offset = kappa = person_kappa = Interval(math.nan)
    if is_ordered:
        offset = mean_interval(np.where(is_used, single_answers - people.mean_by_item(people.value), np.nan), cluster)
    else:
        kappa, person_kappa = _kappas(ratings, used_people, single_answers, is_used, compares=compares)
    against_people = _AgainstPeople.impossible(truth)
    if compares:
        against_people = _AgainstPeople.from_answers(ratings, used_people, single_answers, offset.value)
    n_items = int(is_used.sum())
    return JudgedJudge(
        judge=name,
        items=n_items,
        clusters=len(np.unique(cluster[is_used])),
        people=len(np.unique(used_people.rater)),
        people_per_item=len(used_people.value) / max(n_items, 1),
        without_verdict=n_without_verdict,
        agreement=_agreement_interval(to_people, cluster, used_people),
        person=_agreement_interval(among_people, cluster, used_people) if compares else Interval(math.nan),
        constant=constant,
        agreement_as_wrong=agreement_as_wrong,
        constant_answer=ratings.words(constant_answer),
        difference=against_people.difference,
        difference_without_offset=against_people.difference_without_offset,
        population=against_people.population,
        over_constant=skewed_mean(to_people - to_constant, cluster),
        equivalents=against_people.equivalents,
        offset=offset,
        kappa=kappa,
        person_kappa=person_kappa,
        nothing_to_validate=nothing_to_validate,
    )


@dataclass(frozen=True)
class _AgainstPeople:
    """The fields of a `JudgedJudge` that need items that two people rated."""

    difference: Difference
    difference_without_offset: Difference
    population: Interval
    equivalents: Interval

    @classmethod
    def impossible(cls, truth: str) -> _AgainstPeople:
        """Return that nothing is known, and why."""
        because = "each item with a verdict was rated by one person, and it takes two"
        if truth:
            because = "one rater is right by definition, so that there is no person to compare it with"
        unknown = Difference(math.nan, missing_because=because)
        return cls(unknown, unknown, unknown, unknown)

    @classmethod
    def from_answers(
        cls, ratings: Ratings, people: PeopleRatings, answers: FloatArray, offset: float
    ) -> _AgainstPeople:
        """Compare a judge with one person.

        Parameters
        ----------
        ratings : Ratings
        people : PeopleRatings
            Of the items with a verdict of the judge and two people or more, the others left out.
        answers : (items,) float array
            Those of the judge.
        offset : float
            The judge's mean difference from people; ``nan`` of labels and preferences.
        """
        cluster = ratings.cluster
        difference = skewed_mean(people.likeness_to(answers) - people.among, cluster)
        without_offset = Difference(math.nan)
        if ratings.is_ordered:
            without_offset = skewed_mean(people.likeness_to(answers - offset) - people.among, cluster)
        raters = np.unique(people.rater).tolist()
        is_crowd = any(ratings.rater_kinds[rater] == "crowd" for rater in raters)
        if is_crowd:
            population = Interval(math.nan, missing_because="the places of a crowd are no people")
        elif len(raters) < MIN_PEOPLE:
            because = f"{len(raters)} people are too few, {MIN_PEOPLE} are needed"
            population = Interval(math.nan, missing_because=because)
        else:
            population = _population(ratings, people, answers, difference)
        equivalents = person_equivalents(
            answers, people, cluster, are_people=not is_crowd, is_label=ratings.kind == "label"
        )
        return cls(difference, without_offset, population, equivalents)


def _nothing_to_validate(ratings: Ratings, among_people: FloatArray, to_constant: FloatArray) -> str:
    """Explain why items can validate no judge: people are not shown to agree more than with a constant answer."""
    gain = skewed_mean(among_people - to_constant, ratings.cluster)
    if gain.missing_because and gain.value > 0:
        return ""  # too few items for an interval, which the difference says too
    lower = gain.value if math.isnan(gain.lower) else gain.lower
    if lower > 0:
        return ""
    return "people are not shown to agree with one another more than with a constant answer"


def _kappas(
    ratings: Ratings, people: PeopleRatings, answers: FloatArray, is_used: BoolArray, *, compares: bool
) -> tuple[Interval, Interval]:
    """Return kappa of a judge and a person, and of two people; what is expected comes from all answers to the items."""
    items = np.flatnonzero(is_used & ~np.isnan(answers))
    distinct = np.unique(np.concatenate([people.value, answers[items]]))
    person_shares = np.stack(
        [people.mean_by_item((people.value == answer) * 1.0)[items] for answer in distinct], axis=1
    )
    judge_shares = (answers[items, None] == distinct) * 1.0
    n_answers = len(distinct)
    cluster = ratings.cluster[items]

    def kappa(means: FloatArray) -> FloatArray:
        """Return the kappas of (..., 1 + 2 n) means: observed agreement, and how often each of two says what."""
        expected = (means[..., 1 : n_answers + 1] * means[..., n_answers + 1 :]).sum(axis=-1)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(expected < 1, (means[..., 0] - expected) / (1 - expected), np.nan)

    def with_interval(observed: FloatArray, shares: FloatArray) -> Interval:
        """Return kappa of a rater with these shares of the answers to each item, and of a person."""
        coefficient = coefficient_interval(kappa, np.column_stack([observed, shares, person_shares]), cluster)
        because = too_skewed(len(items), float(((shares + person_shares) / 2).mean(axis=0).max()))
        return Interval(coefficient.value, missing_because=because) if because and coefficient.has_ends else coefficient

    of_judge = with_interval((person_shares * judge_shares).sum(axis=1), judge_shares)
    return of_judge, with_interval(people.among[items], person_shares) if compares else Interval(math.nan)


def _population(ratings: Ratings, people: PeopleRatings, answers: FloatArray, difference: Difference) -> Interval:
    """Return the difference with an interval for people like these, by the errors over items and over people."""
    raters = np.unique(people.rater)
    without_one = list[float]()
    for rater in raters.tolist():
        others = people.rater != rater
        counts = np.bincount(people.item[others], minlength=people.n_items)
        sums = np.bincount(
            people.item[others],
            likeness(answers[people.item[others]], people.value[others], is_ordered=people.is_ordered),
            minlength=people.n_items,
        )
        likeness_to_others = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
        without_one.append(float(np.nanmean(likeness_to_others - without_person(people, rater))))
    n_people = len(without_one)
    error = math.sqrt(
        difference.error**2
        + (n_people - 1) / n_people * float(((np.array(without_one) - np.mean(without_one)) ** 2).sum())
    )
    effective = clustered_mean(np.where(people.counts > 0, 1.0, np.nan), ratings.cluster).effective
    if math.isnan(difference.lower):
        return Interval(difference.value, missing_because=difference.missing_because)
    half = error * float(special.stdtrit(min(n_people, effective) - 1, 0.5 + CONFIDENCE_LEVEL / 2))
    return Interval(difference.value, difference.value - half, difference.value + half)


def _by_person(
    ratings: Ratings, people: PeopleRatings, judge: str, answers: FloatArray, worth: Mapping[int, Interval]
) -> list[PersonAgainstJudge]:
    """Return each person beside the judge, both compared with the others of the person's items."""
    if not worth:
        return []
    rows = []
    n_people = people.counts.astype(float)
    to_all = people.likeness_to(answers)
    for rater, equivalents in worth.items():
        own_answers, own_likeness = own_ratings(people, rater)
        to_person = likeness(answers, own_answers, is_ordered=people.is_ordered)
        to_others = np.where(n_people > 1, (n_people * to_all - to_person) / np.maximum(n_people - 1, 1), np.nan)
        difference = skewed_mean(to_others - own_likeness, ratings.cluster)
        # Where only items of the judge count, so that all rows are over the same ones.
        likeness_of_person = np.where(np.isnan(to_others), np.nan, own_likeness)
        used_people = people.where(~np.isnan(likeness_of_person))
        row = PersonAgainstJudge(
            judge=judge,
            person=ratings.raters[rater],
            items=difference.items,
            agreement=_agreement_interval(likeness_of_person, ratings.cluster, used_people),
            difference=difference,
            equivalents=equivalents,
        )
        rows.append(row)
    return rows


def _worth_of_people(ratings: Ratings, once: Ratings, people: PeopleRatings) -> dict[int, Interval]:
    """Estimate the worth in persons of each person, with the others as the truth, but for people with few items."""
    equivalents = {}
    is_person = np.array([kind != "automatic" for kind in ratings.rater_kinds], dtype=bool)
    for rater in np.unique(people.rater).tolist():
        own_answers, _ = own_ratings(people, rater)
        if ratings.rater_kinds[rater] != "person" or (~np.isnan(own_answers)).sum() < MIN_CLUSTERS:
            continue
        others = PeopleRatings.from_ratings(once, is_person[once.rater] & (once.rater != rater))
        equivalents[rater] = person_equivalents(own_answers, others, ratings.cluster, is_label=ratings.kind == "label")
    return equivalents


def _labels(ratings: Ratings, people: PeopleRatings, judge: str, answers: FloatArray) -> list[LabelUse]:
    """Count how often each label is used, and given again where a person gives it."""
    if ratings.is_ordered:
        return []
    answers = _single(answers)
    is_used = ~np.isnan(answers) & (people.counts > 0)
    chosen = people.where(is_used)
    values = np.unique(np.concatenate([chosen.value, answers[is_used]])).tolist()
    has_others = chosen.counts[chosen.item] > 1
    uses = []
    for value in values:
        has_label = chosen.value == value
        judge_too = (answers[chosen.item] == value)[has_label]
        repeated = chosen.rest[has_label & has_others]
        uses.append(
            LabelUse(
                judge,
                ratings.words(value),
                float((answers[is_used] == value).mean()),
                float(has_label.mean()),
                float(judge_too.mean()) if len(judge_too) else math.nan,
                float(repeated.mean()) if len(repeated) else math.nan,
            )
        )
    return uses


def _pairs(ratings: Ratings, people: PeopleRatings, answers: dict[str, FloatArray]) -> list[JudgePair]:
    """Return all pairs of judges on the items that both rated, with p corrected by Holm."""
    alike = {name: _alike(people, values) for name, values in answers.items()}
    names = sorted(alike, key=lambda name: -float(np.nanmean(alike[name])))
    pairs = []
    for index, first in enumerate(names):
        for second in names[index + 1 :]:
            difference = skewed_mean(alike[first] - alike[second], ratings.cluster)
            pairs.append(JudgePair(first, second, difference.items, difference, math.nan))
    corrected = holm([pair.difference.p for pair in pairs]).tolist() if pairs else []
    return [replace(pair, p_corrected=p) for pair, p in zip(pairs, corrected, strict=True)]


def _ranks(names: Sequence[str], pairs: Sequence[JudgePair]) -> dict[str, tuple[int, int]]:
    """Return the best and worst rank of each judge: 1 + those that are better, all - those that are worse."""
    n_better = Counter(pair.worse for pair in pairs if pair.is_significant)
    n_worse = Counter(pair.better for pair in pairs if pair.is_significant)
    return {name: (1 + n_better[name], len(names) - n_worse[name]) for name in names}


def _notes(
    ratings: Ratings,
    people: PeopleRatings,
    answers: dict[str, FloatArray],
    judged: Sequence[JudgedJudge],
    *,
    compares: bool,
) -> list[str]:
    """Return warnings to a reader of the figures; `compares` says whether judges are compared with people."""
    notes = []
    for judge in judged:
        if judge.without_verdict:
            n = counted(judge.without_verdict, "item")
            wrong = judge.agreement_as_wrong
            also = (
                "" if math.isnan(wrong.value) else f"; counted as wrong they would make its agreement {wrong.value:.3f}"
            )
            notes.append(f"{judge.judge} has no verdict on {n} that people rated: left out{also}.")
        if judge.nothing_to_validate:
            notes.append(f"Nothing can be validated on these items: {judge.nothing_to_validate}.")
        elif judge.difference.missing_because and not math.isnan(judge.difference.value):
            because = judge.difference.missing_because
            notes.append(f"{judge.judge} and one person: no interval of their difference, for {because}.")
        above = judge.over_constant
        if compares and above.has_ends and not above.lower > 0 and not judge.nothing_to_validate:
            worse = (
                "agrees less with people" if judge.over_constant.upper < 0 else "is not shown to agree more with people"
            )
            notes.append(f"{judge.judge} {worse} than always answering {judge.constant_answer!r} would.")
        notes += _other_answers(ratings, people, judge.judge, answers[judge.judge])
    n_single = int((people.counts == 1).sum())
    compared = [judge.judge for judge in judged if not math.isnan(judge.person.value)]
    if n_single and compared:
        be = "is" if n_single == 1 else "are"
        whose = "" if len(compared) == len(judged) else f" for {named_in_sentence(compared)}"
        notes.append(f"{counted(n_single, 'item')} rated by one person {be} left out{whose}: two are needed.")
    return [*dict.fromkeys(notes)]


def _other_answers(ratings: Ratings, people: PeopleRatings, judge: str, answers: FloatArray) -> list[str]:
    """Warn of a judge that always answers the same, or otherwise than people can."""
    rated = answers[..., people.counts > 0]
    distinct = np.unique(rated[~np.isnan(rated)])
    human_values = np.unique(people.value)
    if len(distinct) == 1 and len(human_values) > 1:
        return [f"{judge} always answers {ratings.words(float(distinct[0]))!r}."]
    if ratings.is_ordered:
        of_judge = f"{distinct.min():g} to {distinct.max():g}"
        of_people = f"{human_values.min():g} to {human_values.max():g}"
        scale = f"{judge} goes from {of_judge}, people from {of_people}: are they on one scale?"
        return [scale] if distinct.min() < human_values.min() or distinct.max() > human_values.max() else []
    if ratings.kind == "preference" and len(human_values) == 1:
        return []  # the better output is always the same, as in a table of chosen and rejected ones
    others = [ratings.words(value) for value in distinct.tolist() if value not in human_values]
    if ratings.kind == "label" and len(others) == len(distinct):
        human_words = listing([ratings.words(value) for value in human_values.tolist()], 4)
        raise UsageError(
            f"{ratings.source}: the judge {judge!r} and people must have answers in common; it says "
            f"{listing(others, 4)}, people say {human_words}. Write the same words for the same answers."
        )
    if not others:
        return []
    n = int((~np.isnan(rated) & ~np.isin(rated, human_values)).sum())
    empty = " If it is no answer, leave the cells empty." if ratings.kind == "label" else ""
    said = f"{judge} says {listing(others, 4)}, which people never say, on {counted(n, 'item')}"
    return [f"{said}; each counts as a disagreement.{empty}"]
