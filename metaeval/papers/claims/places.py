"""Places where the terms of a claim can be compared, and the comparisons there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from metaeval.errors import counted
from metaeval.papers.claims.metric_names import NotApplicableError, choose_values, find_metric, find_values
from metaeval.papers.claims.points import Point, spread_of
from metaeval.papers.claims.settings import LISTS, TOP_CLUSTER, ClaimSettings
from metaeval.papers.claims.verdicts import Comparison, ComparisonWords
from metaeval.parameters.claim_statements import (
    EACH,
    EVERY_OTHER,
    JUDGES,
    METRIC,
    MOST,
    NUMBER,
    NUMBERS,
    QUALIFIERS,
    Term,
)
from metaeval.report.claim_words import TOP_CLUSTER_WORDS, count_words, qualifier_words, with_panel_title

# The value of each key that no term qualifies.
Place = tuple[Any, ...]
Pair = tuple[int, int]


@dataclass(frozen=True)
class _Side:
    """A term whose metric is known: the values of its qualifiers, and its points by their places."""

    term: Term
    metric: str
    at: Mapping[str, Any]
    points: Mapping[Place, Sequence[Point]]

    @property
    def words(self) -> str:
        """The metric and where it is taken, in plain words: ``bleu with 3 references``."""
        if self.term.kind == NUMBER:
            return f"{self.term.number:g}"
        factor = f"{self.term.factor:g} times " if self.term.factor != 1 else ""
        return " ".join(filter(None, [f"{factor}{self.metric}", self.place_words]))

    @property
    def place_words(self) -> str:
        """The settings at which the side is taken, in words, with the number that ``most`` stands for."""
        values = {key: self.at[key] if value == MOST else value for key, value in self.term.qualifiers}
        return qualifier_words(values.items())


@dataclass(frozen=True)
class _Difference:
    """The difference of two terms at one place: a constant, and points with their weights; and the value of each."""

    place: Place
    words: ComparisonWords
    value: float
    constant: float
    parts: Sequence[tuple[float, Point]]
    values: tuple[float, float]


def compare_terms(claim: ClaimSettings, points: Sequence[Point]) -> tuple[list[Comparison], list[str]]:
    """Compare the terms of a claim wherever all of them have a number.

    A place is a value of each key that no term qualifies. The judges' line belongs to every preprocessing; where other
    terms say at how many references they stand, it is taken there too, or over all of its references if it has none
    there. Several reference subsets of one size are averaged. In a chain of ``equals`` every two terms are compared, in
    any other neighbours are. An average is taken over lengths and numbers of references, the places of one curve; each
    criterion, preprocessing, coefficient and panel has its own. Places of two panels with the very same numbers count
    once.

    Parameters
    ----------
    claim : ClaimSettings
    points : sequence of Point
        Of one corpus.

    Returns
    -------
    list of Comparison
        Not empty.
    list of str
        Notes: numbers of references or lengths that the claim names and the corpus has not.

    Raises
    ------
    NotApplicableError
        If a metric or a value of the claim is not there, or no place has all terms.
    """
    comparer = _Comparer(claim, points)
    return comparer.comparisons(), comparer.notes


class _Comparer:
    """Makes the comparisons of a claim on the points of a corpus."""

    def __init__(self, claim: ClaimSettings, points: Sequence[Point]) -> None:
        self.claim = claim
        self.statement = claim.parsed
        self.of_judges = [point for point in points if point.of_judges]
        if self.statement.has(JUDGES) and not self.of_judges:
            raise NotApplicableError("the experiment has no inter-judge line (`judgments.inter_judge`)")
        of_metrics = [point for point in points if not point.of_judges]
        self.metrics = list(dict.fromkeys(point.metric for point in of_metrics))
        # Judges read no preprocessed texts.
        self.known = {key: [point.keys[key] for point in points] for key in QUALIFIERS}
        self.known["preprocessing"] = [point.keys["preprocessing"] for point in of_metrics]
        self.keys = tuple(key for key in QUALIFIERS if key not in self.statement.qualified)
        self.notes: list[str] = []
        self.points = list(points)
        for key, name in LISTS.items():
            if meant := getattr(claim, name):
                chosen, notes = choose_values(key, meant, self.known[key])
                self.notes.extend(notes)
                self.points = [
                    point
                    for point in self.points
                    if point.keys[key] in chosen or (point.of_judges and key == "preprocessing")
                ]
        self.same = ""

    def comparisons(self) -> list[Comparison]:
        """Return the comparisons for each metric that ``each`` stands for."""
        comparisons: list[Comparison] = []
        differ = False
        for number, chains in enumerate(self.chains()):
            compared = [comparison for chain in chains for comparison in self.compare(chain, number)]
            if chains and not compared and self.claim.each:
                of = f" with {self.claim.each[number]}"
                raise NotApplicableError(f"no place has a number for every term of {str(self.statement)!r}{of}")
            comparisons.extend(compared)
            differ = differ or bool(chains)
        if not differ:
            raise NotApplicableError(f"both sides of {str(self.statement)!r} are the same here: {self.same}")
        if not comparisons:
            raise NotApplicableError(f"no place has a number for every term of {str(self.statement)!r}")
        return comparisons

    def chains(self) -> Iterator[list[list[_Side]]]:
        """Give, for each metric that ``each`` stands for, the chains of sides that are compared together."""
        statement = self.statement
        named = {term.name: find_metric(term.name, self.metrics) for term in statement.terms if term.kind == METRIC}
        all_of_each = [""]
        others = [""]
        if statement.has(EACH):
            all_of_each = [find_metric(name, self.metrics) for name in self.claim.each] or self.metrics
        if statement.has(EVERY_OTHER):
            others = [metric for metric in self.metrics if metric not in named.values()]
        if not others:
            raise NotApplicableError(f"the experiment has no metric besides {', '.join(named.values())}")
        places = [{key: self.one_value(term, key, value) for key, value in term.qualifiers} for term in statement.terms]
        for of_each in all_of_each:
            chains = []
            for other in others:
                of_kind = {EACH: of_each, EVERY_OTHER: other, JUDGES: JUDGES, NUMBER: ""}
                chain = [
                    self.side(term, named[term.name] if term.kind == METRIC else of_kind[term.kind], at)
                    for term, at in zip(statement.terms, places, strict=True)
                ]
                # A metric is not compared with itself when its turn as `each` comes.
                pairs = ((chain[i], chain[j]) for i, j in statement.pairs)
                equal_sides = [
                    first for first, second in pairs if (first.metric, first.at) == (second.metric, second.at)
                ]
                if equal_sides:
                    at = equal_sides[0].at.items()
                    words = [f"{key} {value:g}" if key in NUMBERS else f"{key} {value}" for key, value in at]
                    self.same = ", ".join(words) or equal_sides[0].words
                else:
                    chains.append(chain)
            yield chains

    def one_value(self, term: Term, key: str, meant: object) -> Any:
        """Return the value that a term names."""
        values = find_values(key, meant, self.known[key])
        several = " or ".join(map(repr, values))
        if len(values) > 1:
            raise NotApplicableError(f"[{key}={meant}] of {term.bare} can be {several}")
        return values[0]

    def side(self, term: Term, metric: str, at: Mapping[str, Any]) -> _Side:
        """Return a term with the points that it means."""
        places: dict[Place, list[Point]] = {}
        for point in self.points:
            is_meant = point.metric == metric and point.of_judges == (term.kind == JUDGES)
            if is_meant and all(point.keys[key] == value for key, value in at.items()):
                places.setdefault(tuple(point.keys[key] for key in self.keys), []).append(point)
        return _Side(term, metric, at, places)

    def compare(self, chain: Sequence[_Side], number: int) -> Iterator[Comparison]:
        """Yield the comparisons of a chain, for each place that has all sides or for each curve of such places."""
        average = self.claim.over == "average"
        pairs = self.statement.pairs
        # A place is one of the first metric, or of the judges where there is none.
        leading = min(chain, key=lambda side: {JUDGES: 1, NUMBER: 2}.get(side.term.kind, 0))
        curves: dict[Place, list[dict[Pair, _Difference]]] = {}
        for place in leading.points:
            differences = {pair: self.difference(chain, pair, place) for pair in pairs}
            complete = {pair: difference for pair, difference in differences.items() if difference is not None}
            if len(complete) == len(pairs):
                curves.setdefault(self.without_numbers(place) if average else place, []).append(complete)
        # Of two panels with the very same numbers one counts: at a place all numbers, along a curve those of a pair.
        numbers_seen = set()
        for places in curves.values():
            for pair in pairs:
                compared = [
                    difference for place in places for difference in ([place[pair]] if average else place.values())
                ]
                numbers = (pair, *(point.signature for difference in compared for _, point in difference.parts))
                if numbers not in numbers_seen:
                    numbers_seen.add(numbers)
                    yield self.comparison([place[pair] for place in places], self.statement.relations[pair[0]], number)

    def without_numbers(self, place: Place) -> Place:
        """Return a place without what varies along a curve."""
        return tuple(value for key, value in zip(self.keys, place, strict=True) if key not in NUMBERS)

    def difference(self, chain: Sequence[_Side], pair: Pair, place: Place) -> _Difference | None:
        """Return the difference of a pair at a place, positive if it supports the claim; None if a side is missing."""
        first, second = chain[pair[0]], chain[pair[1]]
        sides = [(first, self.at(first, second, place)), (second, self.at(second, first, place))]
        if self.statement.relations[pair[0]] in ("below", "at most"):
            sides.reverse()
        value = 0.0
        constant = 0.0
        parts: list[tuple[float, Point]] = []
        values: list[float] = []
        for sign, (side, points) in zip((1.0, -1.0), sides, strict=True):
            weight = sign * side.term.factor
            if side.term.kind == NUMBER:
                constant += weight * side.term.number
                values.append(side.term.number)
            elif points:
                values.append(float(np.mean([point.mean for point in points])))
                value += weight * values[-1]
                parts += [(weight / len(points), point) for point in points]
            else:
                return None
        # A quantity is named before the number that it is compared with.
        (higher, _), (lower, _) = sides
        is_turned = higher.term.kind == NUMBER
        subject, other = (lower, higher) if is_turned else (higher, lower)
        of_subject, of_other = values[::-1] if is_turned else values
        number = other.term.factor * other.term.number if other.term.kind == NUMBER else None
        words = ComparisonWords(subject.words, other.words, number=number, is_turned=is_turned)
        if self.claim.quantity == TOP_CLUSTER:
            words = replace(words, first=subject.place_words, second=other.place_words)
        return _Difference(place, words, value + constant, constant, parts, (of_subject, of_other))

    def at(self, side: _Side, partner: _Side, place: Place) -> Sequence[Point]:
        """Return the points of a side at a place, which has a preprocessing and references that judges may lack."""
        if side.term.kind != JUDGES:
            return side.points.get(place, [])
        keys = dict(zip(self.keys, place, strict=True)) | dict(partner.at) | dict(side.at)
        references = keys.pop("references", None)
        keys.pop("preprocessing", None)
        points = [point for point in self.of_judges if all(point.keys[key] == keys[key] for key in keys)]
        return [point for point in points if point.keys["references"] == references] or points

    def comparison(self, places: Sequence[_Difference], relation: str, number: int) -> Comparison:
        """Return the comparison at a place, or the average over several; undefined ones are left out and counted."""
        words = self.place_words(places[0].place, NUMBERS if len(places) > 1 else ())
        used = [difference for difference in places if not np.isnan(difference.value)]
        if len(places) > 1:
            words.append(
                f"mean of {counted(len(used), *self.curve_words([difference.place for difference in places]))}"
            )
        if len(used) < len(places) and self.claim.over == "average":
            words[-1] += f", {len(places) - len(used)} without a coefficient"
        used = used or list(places)
        value = float(np.mean([difference.value for difference in used]))
        spread = spread_of(
            [(weight / len(used), point) for difference in used for weight, point in difference.parts], used[0].constant
        )
        unshown = ("preprocessing", "coefficient", "panel", *(NUMBERS if len(places) > 1 else ()))
        short = self.place_words(places[0].place, unshown)
        if len(places) > 1:
            short.append(
                f"mean of {counted(len(used), *self.curve_words([difference.place for difference in places]))}"
            )
        comparison_words = replace(
            places[0].words, place=self._with_panel_title(places[0], words), short_place=", ".join(short)
        )
        if self.claim.quantity == TOP_CLUSTER:
            comparison_words = _counted(comparison_words, *np.mean([difference.values for difference in used], axis=0))
        return Comparison(relation, comparison_words, (number, places[0].place), value, spread, self.claim.margin)

    def curve_words(self, places: Sequence[Place]) -> tuple[str, str]:
        """Return the nouns for the places of a curve, one of them and several: ``length`` and ``lengths``."""
        values = {key: {place[number] for place in places} for number, key in enumerate(self.keys) if key in NUMBERS}
        varying = [key for key, values_there in values.items() if len(values_there) > 1]
        nouns: dict[tuple[str, ...], tuple[str, str]] = {
            ("length",): ("length", "lengths"),
            ("references",): ("number of references", "numbers of references"),
        }
        return nouns.get((*varying,), ("place", "places"))

    def place_words(self, place: Place, without: Sequence[str] = ()) -> list[str]:
        """Return a place in words without its panel: the coefficient only where it varies."""
        shown = {key: value for key, value in zip(self.keys, place, strict=True) if key not in without}
        words = [str(shown[key]) for key in ("criterion", "preprocessing") if shown.get(key)]
        for key, noun in (("references", "reference"), ("length", "segment")):
            if shown.get(key) is not None:
                words.append(f"{shown[key]:g} {noun}{'' if shown[key] == 1 else 's'}")
        if shown.get("coefficient") and len(set(self.known["coefficient"])) > 1:
            words.append(shown["coefficient"])
        return words

    def _with_panel_title(self, difference: _Difference, words: Sequence[str]) -> str:
        """Return a place in words with the panel that it belongs to, where there are several."""
        panel = dict(zip(self.keys, difference.place, strict=True)).get("panel") or ""
        return with_panel_title(panel if len(set(self.known["panel"])) > 1 else "", ", ".join(words))


def _counted(words: ComparisonWords, first: float, second: float) -> ComparisonWords:
    """Return the words for two numbers of metrics in a top cluster, or for one beside a number of the claim."""
    counts = [f"{count:.3g} {place}".strip() for count, place in ((first, words.first), (second, words.second))]
    relation = "equals" if first == second else ("above" if first > second else "below")
    short = count_words(relation, words.first, words.second, number=words.number)
    sentence = ", ".join(counts if words.number is None else counts[:1])
    return replace(words, sentence=f"{TOP_CLUSTER_WORDS}: {sentence}", short_sentence=f"{TOP_CLUSTER_WORDS}: {short}")
