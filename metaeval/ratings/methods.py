"""A paragraph for the methods section of a paper: how judges were compared with people."""

from __future__ import annotations

import math

from metaeval.bibliography import OWN, find_source
from metaeval.errors import counted
from metaeval.ratings.alternative_annotator import MIN_ITEMS
from metaeval.ratings.dependence import LENGTH, OWN_SYSTEM
from metaeval.ratings.judge_comparison import JudgeFindings
from metaeval.ratings.means import CONFIDENCE_LEVEL
from metaeval.ratings.table import Ratings
from metaeval.report.methods.paragraph import Cited, Methods, Sentence
from metaeval.report.tables import fixed
from metaeval.version import VERSION


def methods_of_judges(findings: JudgeFindings, ratings: Ratings, *, truth: str, margin: float | None) -> Methods:
    """Describe what was done, with its sources.

    Parameters
    ----------
    findings : JudgeFindings
    ratings : Ratings
    truth : str
        The rater that is right by definition; "" for none.
    margin : float or None
        The margin that was named.
    """
    sentences: list[Sentence] = [*_data(findings, ratings, truth), *_comparison(ratings, truth, margin)]
    sentences += _statistics(findings, ratings, truth)
    sentences += _beyond_people(findings)
    sentences += _rule(findings)
    sentences.append((f"all figures were computed with metaeval {VERSION}", _cited(OWN)))
    return Methods(tuple(sentences), {})


def _cited(*keys: str) -> Cited:
    return Cited(tuple(find_source(key) for key in keys))


def _data(findings: JudgeFindings, ratings: Ratings, truth: str) -> list[Sentence]:
    """Describe what was rated by whom."""
    first = findings.compared_judge
    noun = {"number": "numbers", "grade": "grades", "label": "labels", "preference": "preferences"}[ratings.kind]
    within = "" if ratings.cluster_noun == "item" else f" of {counted(first.clusters, ratings.cluster_noun)}"
    on = f" on {ratings.criterion}" if ratings.criterion else ""
    judges = counted(len(findings.judges), "automatic judge")
    whom = f"{truth}, which is taken for right," if truth else counted(first.people, "person", "people")
    each = "" if truth or first.people == 1 else f", each item by {fixed(first.people_per_item, 1)} people"
    n = counted(first.items, "item")
    be = "was" if first.items == 1 else "were"
    return [(f"{n}{within} {be} rated{on} by {whom} and by {judges}{each}; ratings are {noun}",)]


def _comparison(ratings: Ratings, truth: str, margin: float | None) -> list[Sentence]:
    """Describe what was compared."""
    if truth:
        best = "the most frequent answer" if not ratings.is_ordered else "the median"
        quantity = "the mean distance from it" if ratings.is_ordered else "the share of items on which it is right"
        return [(f"of each judge, {quantity} was compared with that of {best}",)]
    alike = "their absolute difference" if ratings.is_ordered else "the share of items on which they are equal"
    constant = "the median" if ratings.is_ordered else "the most frequent answer"
    named = "" if margin is None else f"; a loss of {margin:g} was taken for acceptable before the results were seen"
    whom = f"single persons, single persons with one another, and {constant} with single persons"
    compared = f"each judge was compared with {whom}, and the difference of the first two was tested{named}"
    return [(f"how alike two raters are is {alike}",), (compared,)]


def _statistics(findings: JudgeFindings, ratings: Ratings, truth: str) -> list[Sentence]:
    """Describe how intervals and tests were made."""
    over = f"{CONFIDENCE_LEVEL * 100:g} % confidence intervals are over {ratings.cluster_noun}s"
    levels = "Student's t" if ratings.is_ordered else "Wilson's for the effective number of ratings"
    of_levels: Sentence = (f"{over}: of means, {levels}",)
    if not ratings.is_ordered:
        of_levels = (*of_levels, _cited("wilson1927"))
    sentences: list[Sentence] = [(*of_levels, "; of differences, that of Hall's transformed t", _cited("hall1992"))]
    if not truth:
        worth = (
            "person equivalents are the number of people whose mean is as correlated with what people have in common"
        )
        sentences.append((f"{worth} as the judge is, with Fieller's interval", _cited("fieller1954")))
    if len(findings.judges) > 1:
        sentences.append(("judges were compared in all pairs, with Holm's correction", _cited("holm1979")))
    return sentences


def _beyond_people(findings: JudgeFindings) -> list[Sentence]:
    """Describe how the points that judges give for length, or to their own systems, were estimated."""
    known = [dependence for dependence in findings.dependences if not math.isnan(dependence.slope.value)]
    if not known:
        return []
    things = {LENGTH: "doubled length", OWN_SYSTEM: "its own system"}
    whats = " and for ".join(words for on, words in things.items() if any(dependence.on == on for dependence in known))
    if all(dependence.is_scale_assumed for dependence in known):
        how = "the slope of the difference between judge and person, taken to be on one scale"
    else:
        how = (
            "a slope beside that on what people have in common, from the covariances of the judge, people and the "
            "covariate, with the covariance of two people in place of a variance"
        )
    holm = ", corrected by Holm over judges" if len(findings.judges) > 1 else ""
    return [(f"what a judge gives for {whats} beyond people is {how}, with the interval of Student's t{holm}",)]


def _rule(findings: JudgeFindings) -> list[Sentence]:
    """Name the published rule that was applied."""
    if not findings.alternative:
        return []
    epsilon = f"{findings.alternative[0].epsilon:g}"
    rule = f"the alternative annotator test was made with epsilon {epsilon} for people with at least {MIN_ITEMS} items"
    return [(rule, _cited("calderon2025"))]
