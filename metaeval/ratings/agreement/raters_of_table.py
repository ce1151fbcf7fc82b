"""Agreement of the raters of a table of ratings: of every two, and of all people and all automatic judges.

The share of equal answers has Wilson's interval, kappa, Scott's pi, AC1 and alpha that of the jackknife
(:mod:`metaeval.ratings.jackknife`); documents, segments or items are drawn again with all their ratings.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from metaeval.corpora.judgment_columns import NUMBER
from metaeval.datamodel.corpus import BoolArray, FloatArray, IntArray
from metaeval.errors import UsageError, as_typed, counted, listing
from metaeval.ratings.agreement.coefficients import (
    ALPHA,
    COHEN,
    MOVED_BY_UNSEEN_ANSWERS,
    alpha_of_numbers,
    coefficients,
    coefficients_without_each,
    equal_shares,
    quadratic_kappa_of_numbers,
    sums_by_cluster,
    sums_of_numbers,
    sums_of_two,
)
from metaeval.ratings.jackknife import MIN_SKEWED_ITEMS, too_skewed
from metaeval.ratings.means import Interval, interval_without_each, share_interval
from metaeval.ratings.table import Ratings, ScaleKind, unused_columns

# The alpha to report, and the kappa beside it, by what ratings are.
MAIN_ALPHA: Mapping[ScaleKind, str] = {
    "label": "alpha_nominal",
    "preference": "alpha_nominal",
    "grade": "alpha_ordinal",
    "number": "alpha_interval",
}
MAIN_KAPPA: Mapping[ScaleKind, str] = {
    "label": "kappa",
    "preference": "kappa",
    "grade": "kappa_quadratic",
    "number": "kappa_quadratic",
}
# All coefficients, in the order of tables.
COEFFICIENTS = (*COHEN, "scott", *MOVED_BY_UNSEEN_ANSWERS, *ALPHA)
# Those that need no order of the answers.
_NOMINAL = ("kappa", "scott", *MOVED_BY_UNSEEN_ANSWERS, "alpha_nominal")
# Of fewer raters a row of all of them would say what that of the pair says.
MIN_RATERS_OF_A_GROUP = 3


@dataclass(frozen=True)
class RatersAgreement:
    """Agreement of two raters, or of all of a kind.

    Attributes
    ----------
    raters : tuple of str
    group : {"people", "judges", ""}
        Of which kind they are all; "" for two raters.
    n_items, clusters : int
        Items that two of them rated, and the documents or segments that these are in.
    raw : Interval
        The share of equal answers: of the pairs of ratings of an item, averaged over items. ``nan`` for numbers.
    decided_items : int
        Of preferences: the items that two of them decided, without those who said neither; else 0.
    raw_decided : Interval
        The share of equal answers among these.
    coefficients : mapping of str to Interval
        By the names in `COEFFICIENTS`. Cohen's kappas of more than two raters are means over their pairs, weighted by
        items, without interval. ``nan`` where one does not apply.
    always : str
        The answer that all of them always give; "" where there are several.
    """

    raters: tuple[str, ...]
    group: str
    n_items: int
    clusters: int
    raw: Interval
    decided_items: int
    raw_decided: Interval
    coefficients: Mapping[str, Interval]
    always: str = ""

    @property
    def name(self) -> str:
        """The raters in words."""
        return f"all {self.group}" if self.group else ", ".join(self.raters)


@dataclass(frozen=True)
class RatingsFindings:
    """Agreement of the raters of a table.

    Attributes
    ----------
    groups : tuple of RatersAgreement
        Of all people and of all judges, where there are three or more; two are a pair.
    pairs : tuple of RatersAgreement
        Of every two raters with an item in common: people, then people and judges, then judges.
    n_answers : int
        Different answers that could be given; 0 for numbers.
    is_stated : bool
        Whether somebody said which answers could be given, or they are only those that were.
    main : RatersAgreement
        The one that the answer is about: all people, or two of them if there are no more, else all judges, else the
        first pair.
    warnings : tuple of str
    """

    groups: tuple[RatersAgreement, ...]
    pairs: tuple[RatersAgreement, ...]
    n_answers: int
    is_stated: bool
    main: RatersAgreement
    warnings: tuple[str, ...]


def agreement_of_raters(
    ratings: Ratings, *, categories: Sequence[str], min_shared: int, confidence_level: float
) -> RatingsFindings:
    """Return the agreement of the raters of a table.

    Parameters
    ----------
    ratings : Ratings
    categories : sequence of str
        All answers that could be given; none where only those that were are known.
    min_shared : int
        Items that two raters must share to be compared.
    confidence_level : float

    Raises
    ------
    UsageError
        If no item has two ratings, or categories lack an answer.
    """
    once, repeated = ratings.once()
    rated_twice = np.bincount(once.item, minlength=len(ratings.items)) > 1
    if not rated_twice.any():
        raise UsageError(_nothing_in_common(ratings))
    measured = _Measured.from_ratings(once, categories, confidence_level)
    is_judge = np.array([kind == "automatic" for kind in ratings.rater_kinds], dtype=bool)
    pairs = measured.pairs(is_judge, min_shared)
    groups = []
    for group, is_member in (("people", ~is_judge), ("judges", is_judge)):
        group_agreement = measured.agreement_of_group(group, is_member, pairs, min_shared)
        groups += [group_agreement] if group_agreement is not None else []
    notes = _notes(once, measured, pairs, min_shared)
    two_people = [pair for pair in pairs if set(pair.raters) <= set(ratings.people)]
    order = {"people": 0, "": 1 if two_people else 3, "judges": 2}
    main = min([*groups, *pairs], key=lambda agreement: order[agreement.group])
    return RatingsFindings(
        tuple(groups),
        tuple(pairs),
        measured.n_possible,
        measured.is_stated,
        main,
        (*filter(None, [repeated]), *notes),
    )


def _nothing_in_common(ratings: Ratings) -> str:
    """Return the text of the error where there is no agreement to measure."""
    who = listing(ratings.raters, 8)
    typed = as_typed(terminal="--people NAME NAME ...", python="people=[NAME, NAME, ...]")
    if len(ratings.raters) < 2:
        return (
            f"{ratings.source}: must have two raters, whose agreement is to be measured; it has {who}."
            f"{unused_columns(ratings)} Name their columns: {typed}."
        )
    return (
        f"{ratings.source}: must have items that two raters rated; each of {counted(len(ratings.items), 'item')} has "
        f"one rating, by one of {who}. Are items called the same in the rows of all raters?"
    )


@dataclass(frozen=True, eq=False)
class _Measured:
    """Ratings with numbered answers, of which agreement is measured.

    Attributes
    ----------
    ratings : Ratings
        One for each item and rater.
    answer : (ratings,) int array
    values : (answers,) float array
        What the answers are as numbers, in ascending order.
    n_possible : int
        How many answers could be given; 0 for numbers.
    is_stated : bool
    level : float
    """

    ratings: Ratings
    answer: IntArray
    values: FloatArray
    n_possible: int
    is_stated: bool
    level: float

    @classmethod
    def from_ratings(cls, once: Ratings, categories: Sequence[str], level: float) -> _Measured:
        """Take ratings in which each rater has one answer for an item, and number their answers."""
        values, answer = np.unique(once.value, return_inverse=True)
        n_possible, is_stated = _possible(once, values, categories)
        return cls(once, answer, values, n_possible, is_stated, level)

    def pairs(self, is_judge: BoolArray, min_shared: int) -> list[RatersAgreement]:
        """Return the agreement of every two raters with an item in common, people first."""
        ratings = self.ratings
        n_raters = len(ratings.raters)
        rows_of = [np.flatnonzero(ratings.rater == rater) for rater in range(n_raters)]
        items_of = [set(ratings.item[rows].tolist()) for rows in rows_of]
        order = sorted(combinations(range(n_raters), 2), key=lambda pair: int(is_judge[[*pair]].sum()))
        agreements = []
        for lower, higher in order:
            # Of a person and a judge the judge comes first.
            first, second = (higher, lower) if is_judge[higher] and not is_judge[lower] else (lower, higher)
            shared = items_of[lower] & items_of[higher]
            if not shared:
                continue
            names = (ratings.raters[first], ratings.raters[second])
            if len(shared) < min_shared:
                because = f"{counted(len(shared), 'item')} in common, and {min_shared} are needed"
                agreements.append(_uncompared(names, len(shared), because))
                continue
            rows = np.concatenate([rows_of[first], rows_of[second]])
            rows = rows[np.isin(ratings.item[rows], list(shared))]
            agreements.append(self._agreement_of_rows(rows, names, ""))
        return agreements

    def agreement_of_group(
        self, group: str, is_member: BoolArray, pairs: Sequence[RatersAgreement], min_shared: int
    ) -> RatersAgreement | None:
        """Return the agreement of all raters of a kind; None for fewer than three, or without an item in common."""
        names = tuple(name for name, has in zip(self.ratings.raters, is_member.tolist(), strict=True) if has)
        rows = np.flatnonzero(is_member[self.ratings.rater])
        if len(names) < MIN_RATERS_OF_A_GROUP or not (np.bincount(self.ratings.item[rows], minlength=1) > 1).any():
            return None
        agreement = self._agreement_of_rows(rows, names, group)
        coefficients_of_group = dict(agreement.coefficients)
        of_group = [pair for pair in pairs if set(pair.raters) <= set(names) and pair.n_items >= min_shared]
        for name in COHEN:
            values = np.array([pair.coefficients[name].value for pair in of_group])
            weights = np.array([pair.n_items for pair in of_group])[~np.isnan(values)]
            mean = float(np.average(values[~np.isnan(values)], weights=weights)) if len(weights) else math.nan
            # A mean over pairs has no limits; `missing_because` says why.
            because = "it is the mean over pairs" if len(weights) else "no pair has one"
            coefficients_of_group[name] = Interval(mean, missing_because=because)
        return replace(agreement, coefficients=coefficients_of_group)

    def _agreement_of_rows(self, rows: IntArray, names: tuple[str, ...], group: str) -> RatersAgreement:
        """Return the agreement in some rows."""
        ratings = self.ratings
        item = ratings.item[rows]
        rater = ratings.rater[rows]
        answer = self.answer[rows]
        if not group:
            # The first rater comes first in the table, wherever the raters stand.
            rater = np.where(rater == ratings.raters.index(names[0]), 0, 1)
        counts = np.bincount(item, minlength=len(ratings.items))
        is_paired = counts > 1
        cluster_of_paired = ratings.cluster[is_paired]
        n_paired = int(is_paired.sum())
        raw = Interval(math.nan)
        if ratings.kind != "number":
            raw = self._raw(item, answer, group)
        n_decided = 0
        raw_decided = Interval(math.nan)
        if ratings.kind == "preference":
            decided = ratings.value[rows] != 0
            n_decided = int((np.bincount(item[decided], minlength=1) > 1).sum())
            raw_decided = self._raw(item[decided], answer[decided], group)
        if ratings.kind == "number":
            made = self._coefficients_of_numbers(item, rater, ratings.value[rows], group)
        else:
            made = self._coefficients_of_answers(item, rater, answer, raw)
        given = np.unique(answer[is_paired[item]])
        always = ratings.words(float(self.values[given[0]])) if len(given) == 1 else ""
        return RatersAgreement(
            raters=names,
            group=group,
            n_items=n_paired,
            clusters=len(np.unique(cluster_of_paired)),
            raw=raw,
            decided_items=n_decided,
            raw_decided=raw_decided,
            coefficients=made,
            always=always,
        )

    def _raw(self, item: IntArray, answer: IntArray, group: str) -> Interval:
        """Return the share of equal answers; where two raters rated each item, an item counts once."""
        shares = equal_shares(item, answer, len(self.ratings.items))
        if np.isnan(shares).all():
            return Interval(math.nan, missing_because="no item has two such ratings")
        n_ratings = int((~np.isnan(shares[item])).sum()) if group else 0
        return share_interval(shares, self.ratings.cluster, n_ratings, self.level)

    def _coefficients_of_answers(
        self, item: IntArray, rater: IntArray, answer: IntArray, raw: Interval
    ) -> dict[str, Interval]:
        """Return the coefficients of labels, preferences and grades."""
        items, codes = np.unique(item, return_inverse=True)
        clusters, cluster = np.unique(self.ratings.cluster[items], return_inverse=True)
        is_paired = np.bincount(codes) > 1
        sums = sums_by_cluster(codes, rater, answer, cluster, len(clusters), len(self.values))
        is_ordered = self.ratings.kind != "label"
        values = coefficients(sums.total(), self.values, self.n_possible, is_ordered=is_ordered)
        without = coefficients_without_each(sums, self.values, self.n_possible, is_ordered=is_ordered)
        paired_shares = np.bincount(answer[is_paired[codes]], minlength=len(self.values))
        because = too_skewed(int(is_paired.sum()), float(paired_shares.max() / paired_shares.sum()))
        has_pairs = sums.items > 0
        intervals = {}
        for name in COEFFICIENTS:
            if not is_ordered and name not in _NOMINAL:
                intervals[name] = Interval(math.nan, missing_because="labels have no order")
                continue
            value = float(values[name])
            if name == "brennan_prediger":
                intervals[name] = _rescaled(raw, self.n_possible, value)
                continue
            counts = has_pairs if name in (*COHEN, *ALPHA) else sums.rated > 0
            interval = interval_without_each(value, without[name][counts], cluster[is_paired], self.level)
            is_refused = because and interval.has_ends and name not in MOVED_BY_UNSEEN_ANSWERS
            intervals[name] = Interval(value, missing_because=because) if is_refused else interval
        return intervals

    def _coefficients_of_numbers(
        self, item: IntArray, rater: IntArray, value: FloatArray, group: str
    ) -> dict[str, Interval]:
        """Return the coefficients of numbers."""
        intervals = {name: Interval(math.nan, missing_because="ratings are numbers") for name in COEFFICIENTS}
        is_paired = np.bincount(item, minlength=len(self.ratings.items))[item] > 1
        items, codes = np.unique(item[is_paired], return_inverse=True)
        clusters, cluster = np.unique(self.ratings.cluster[items], return_inverse=True)
        sums = sums_of_numbers(codes, value[is_paired], cluster, len(clusters))
        alpha = float(alpha_of_numbers(sums.sum(axis=0)))
        without = alpha_of_numbers(sums.sum(axis=0) - sums)
        intervals["alpha_interval"] = interval_without_each(alpha, without, cluster, self.level)
        if not group:
            order = np.lexsort((rater, item))
            first, second = value[order].reshape(-1, 2).T
            sums = sums_of_two(first, second, cluster, len(clusters))
            kappa = float(quadratic_kappa_of_numbers(sums.sum(axis=0)))
            without = quadratic_kappa_of_numbers(sums.sum(axis=0) - sums)
            intervals["kappa_quadratic"] = interval_without_each(kappa, without, cluster, self.level)
        return intervals


def _possible(once: Ratings, values: FloatArray, categories: Sequence[str]) -> tuple[int, bool]:
    """Return the number of answers that could be given, and whether somebody said so."""
    called = as_typed(terminal="--categories", python="`categories`")
    if once.kind == "number" or (categories and once.kind == "preference"):
        if categories:
            noun = "numbers" if once.kind == "number" else "preferences"
            raise UsageError(
                f"{once.source}: {called} must be left out, because ratings are {noun}, not labels or grades."
            )
        return 0, True
    if once.kind == "preference":
        return len(values), False
    is_ordered_words = once.kind == "grade" and bool(once.categories)
    if not categories:
        return (len(once.categories), True) if is_ordered_words else (len(values), False)
    given = [once.words(answer) for answer in values.tolist()]
    stated = list(dict.fromkeys(f"{float(answer):g}" if NUMBER.fullmatch(answer) else answer for answer in categories))
    if lacking := [answer for answer in given if answer not in stated]:
        raise UsageError(
            f"{once.source}: {called} must name all answers that could be given; it lacks {listing(lacking, 4)}, which "
            "the table has."
        )
    return len(stated), True


def _rescaled(raw: Interval, n_possible: int, value: float) -> Interval:
    """Return Brennan and Prediger's coefficient with the interval of the share of equal answers, on its scale."""
    q = max(n_possible, 2)
    lower, upper = ((q * end - 1) / (q - 1) for end in (raw.lower, raw.upper))
    return Interval(value, lower, upper, raw.missing_because)


def _uncompared(names: tuple[str, ...], n_items: int, because: str) -> RatersAgreement:
    unknown = Interval(math.nan, missing_because=because)
    return RatersAgreement(names, "", n_items, 0, unknown, 0, unknown, dict.fromkeys(COEFFICIENTS, unknown))


def _notes(once: Ratings, measured: _Measured, pairs: Sequence[RatersAgreement], min_shared: int) -> list[str]:
    """Return warnings to a reader of the figures."""
    notes = []
    counts = np.bincount(once.item, minlength=len(once.items))
    if n_single := int((counts == 1).sum()):
        be = "is" if n_single == 1 else "are"
        notes.append(f"{counted(n_single, 'item')} rated by one rater {be} left out: two are needed.")
    few = [pair for pair in pairs if pair.n_items < min_shared]
    if few:
        have = "shares" if len(few) == 1 else "share"
        notes.append(
            f"{len(few)} of {counted(len(pairs), 'pair')} of raters {have} fewer than {min_shared} items, and "
            f"{'has' if len(few) == 1 else 'have'} no coefficients."
        )
    if len(measured.values) > 1:
        constant = [
            f"{name} always says {once.words(float(of_rater[0]))!r}"
            for rater, name in enumerate(once.raters)
            if len(of_rater := once.value[once.rater == rater]) >= min_shared and len(np.unique(of_rater)) == 1
        ]
        if constant:
            shown = ", ".join(constant[:4]) + (f" and {len(constant) - 4} more" if len(constant) > 4 else "")
            notes.append(f"{shown}: kappa with anybody is 0 or undefined then, whatever the others say.")
    crowd = [name for name, kind in zip(once.raters, once.rater_kinds, strict=True) if kind == "crowd"]
    if crowd:
        notes.append(f"{listing(crowd, 4)} are places of a crowd: a pair of them is no pair of persons.")
    n_clusters = len(np.unique(once.cluster[counts > 1]))
    if once.kind == "number" and n_clusters < MIN_SKEWED_ITEMS:
        notes.append(
            f"the intervals rest on {counted(n_clusters, once.cluster_noun)}: where most numbers are alike and a few "
            "far off, intervals of alpha from fewer than 100 hold too seldom."
        )
    return notes
