"""From comparisons to the verdict on a claim: each is for it, against it or open, and `decide` weighs all of them."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from metaeval.papers.claims.points import Spread
from metaeval.report.tables import Estimated

HOLDS = "holds"
FAILS = "fails"
UNDECIDED = "undecided"
NOT_APPLICABLE = "not applicable"
FOR, AGAINST, OPEN = "for", "against", "open"


def _side_words(difference: float) -> str:
    """Return in words where the first of two lies: above, below or equal to the second."""
    if difference > 0:
        return "above"
    return "below" if difference < 0 else "equal to"


@dataclass(frozen=True)
class ComparisonWords:
    """A finding at one place, in words.

    Attributes
    ----------
    first, second : str
        What is compared, in plain words, such as ``bleu with 3 references``.
    place : str
        Such as ``adequacy, mean of 9 lengths``.
    number : float, or None
        What `second` is, where it is no quantity of the run.
    is_turned : bool
        Whether a positive difference says that `second` is above `first`.
    sentence, short_sentence : str
        In place of what is compared, where it has its own number: with it and without.
    short_place : str
        The place without preprocessing, coefficient and panel.
    """

    first: str = ""
    second: str = ""
    place: str = ""
    number: float | None = None
    is_turned: bool = False
    sentence: str = ""
    short_sentence: str = ""
    short_place: str = ""

    def compared(self, difference: float) -> str:
        """Return the pair and which of both is higher, without numbers: ``bleu below ter (adequacy)``."""
        value = -difference if self.is_turned else difference
        side = "and" if math.isnan(value) else _side_words(value)
        text = self.short_sentence or f"{self.first} {side} {self.second}"
        return f"{text} ({self.short_place})" if self.short_place else text

    def sentence_with(self, difference: float, lower: float, upper: float) -> str:
        """Return the sentence with a difference and its limits, which are ``nan`` where there are none."""
        end = f" ({self.place})" if self.place else ""
        if self.sentence:
            return f"{self.sentence}{end}"
        value, low, high = (-difference, -upper, -lower) if self.is_turned else (difference, lower, upper)
        if math.isnan(value):
            subject = self.first if self.number is not None else f"the difference of {self.first} and {self.second}"
            return f"{subject} has no value{end}"
        side = _side_words(value)
        if self.number is not None:
            value, low, high = (number + self.number for number in (value, low, high))
            return f"{self.first} is {Estimated(value, low, high)}, {side} {self.number:g}{end}"
        if value < 0:
            value, low, high = -value, -high, -low
        if not value:
            interval = "" if math.isnan(low) else f", with a difference of {Estimated(value, low, high)}"
            return f"{self.first} is equal to {self.second}{interval}{end}"
        number = str(Estimated(value, low, high))
        # A difference that is rounded to 0 is none that an order could have.
        by = number.replace("0.000", "less than 0.0005", 1) if number.startswith("0.000") else number
        return f"{self.first} is {side} {self.second} by {by}{end}"


@dataclass(frozen=True)
class Comparison:
    """A difference that supports a claim or does not.

    Attributes
    ----------
    relation : str
    words : ComparisonWords
        What was compared, and where: the words for a reader.
    candidate : hashable
        The place it belongs to, with the metric that ``each`` stands for there.
    difference : float
        Positive where it supports the relation; for ``equals`` the first less the second.
    spread : Spread
    margin : float
    """

    relation: str
    words: ComparisonWords
    candidate: Hashable
    difference: float
    spread: Spread
    margin: float

    def limits(self, error: float) -> tuple[float, float]:
        """Return the confidence interval with the chance `error` beyond each bound, or the range over the systems.

        They are ``nan`` where there is neither, and where nothing varies although the difference is not 0: a handful
        of replicates that are all alike, as those of two systems can be, shows no certainty.
        """
        if self.spread.limits is not None:
            return self.spread.limits
        if self.spread.limits_at is not None:
            return self.spread.limits_at(error)
        if self.spread.standard_error == 0 and self.difference != 0:
            return math.nan, math.nan
        half = self.spread.quantile(error) * self.spread.standard_error
        return self.difference - half, self.difference + half

    def support(self, error: float) -> tuple[float, float]:
        """Return the least and the most favourable bound, as distances on the side of the claim."""
        lower, upper = self.limits(error)
        if self.relation != "equals":
            return lower - self.margin, upper - self.margin
        if math.isnan(lower) or math.isnan(upper):
            return math.nan, math.nan
        nearest = 0.0 if lower <= 0 <= upper else min(abs(lower), abs(upper))
        return self.margin - max(abs(lower), abs(upper)), self.margin - nearest

    @property
    def favour(self) -> float:
        """The distance of the difference on the side of the claim; ``-inf`` where there is no difference."""
        if math.isnan(self.difference):
            return -math.inf
        return (self.margin - abs(self.difference)) if self.relation == "equals" else self.difference - self.margin

    def outcome(self, error_for: float, error_against: float) -> str:
        """Return whether it is for the claim, against it, or open, at the error of each; the exact is never open."""
        least, most = self.support(error_for)[0], self.support(error_against)[1]
        if least > 0 or (least == 0 and self.relation not in ("above", "below")):
            return FOR
        return AGAINST if most < 0 or self.spread.is_exact else OPEN


@dataclass(frozen=True)
class Decision:
    """A verdict, and what it rests on.

    Attributes
    ----------
    verdict : str
    deciding : Comparison
    lower, upper : float
        The bounds by which it was decided.
    corrected : int
        For how many comparisons these are corrected; 1: not at all.
    outcomes : tuple of str
        Of all comparisons.
    """

    verdict: str
    deciding: Comparison
    lower: float
    upper: float
    corrected: int
    outcomes: tuple[str, ...]


def decide(comparisons: Sequence[Comparison], over: str, confidence_level: float) -> Decision:
    """Return the verdict over all comparisons.

    A claim that is to hold *everywhere* (or on average, for each pair) holds if every comparison is for it, each at
    the plain confidence level: the chance that all of several intervals lie on the wrong side is no larger than that of
    one of them, so nothing has to be corrected (the intersection-union principle). It fails if some comparison is
    against it; one of many can be so by chance, so there the intervals are those of Bonferroni, with the error shared
    among all comparisons.

    A claim that is to hold *somewhere* is the opposite case: it holds if at some place all pairs are for it, with the
    error shared among the places, one of which is chosen; it fails if every place has something against it, with the
    error shared among the pairs of a place, one of which is enough.

    What decides is, where the claim holds, the comparison with the lowest lower bound (somewhere: of the place where
    that is highest); where it fails, the one with the lowest upper bound, and where it is undecided, the one with
    the least favourable difference (somewhere: of the place where these are highest, the nearest to the claim). For
    ``equals``, bounds and differences count by their distance from the margin.

    Parameters
    ----------
    comparisons : sequence of Comparison
        Not empty.
    over : "everywhere", "somewhere" or "average"
    confidence_level : float
        Of an interval; 0 to 1.
    """
    error = (1.0 - confidence_level) / 2.0
    somewhere = over == "somewhere"
    candidates: dict[Hashable, list[int]] = {}
    for number, comparison in enumerate(comparisons):
        candidates.setdefault(comparison.candidate if somewhere else None, []).append(number)
    # One place, and all comparisons in it, where it is to hold everywhere.
    error_for = error / len(candidates)
    error_against = error / max(map(len, candidates.values()))
    outcomes = [comparison.outcome(error_for, error_against) for comparison in comparisons]
    holding = [part for part in candidates.values() if all(outcomes[number] == FOR for number in part)]
    failing = [part for part in candidates.values() if any(outcomes[number] == AGAINST for number in part)]
    if holding:
        verdict = HOLDS
        shown = holding
    elif len(failing) == len(candidates):
        verdict = FAILS
        shown = failing
    else:
        # What left it undecided is open: not what is for the claim, nor a place that has something against it.
        left = [part for part in candidates.values() if part not in failing]
        verdict = UNDECIDED
        shown = [[number for number in part if outcomes[number] == OPEN] for part in left]

    def least(number: int) -> float:
        comparison = comparisons[number]
        if verdict == UNDECIDED:
            return comparison.favour
        value = comparison.support(error_for)[0] if verdict == HOLDS else comparison.support(error_against)[1]
        return math.inf if math.isnan(value) else value

    deciding_number = max((min(part, key=least) for part in shown), key=least)
    deciding = comparisons[deciding_number]
    supports = verdict == HOLDS or (verdict == UNDECIDED and deciding.favour >= 0)
    used = error_for if supports else error_against
    lower, upper = deciding.limits(used)
    return Decision(verdict, deciding, lower, upper, round(error / used), tuple(outcomes))
