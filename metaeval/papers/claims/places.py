"""Where the terms of a claim can be compared, and the comparisons that are made there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from metaeval.papers.claims.matching import NotApplicableError, choose_values, find_metric, find_values
from metaeval.papers.claims.points import Point, spread_of
from metaeval.papers.claims.settings import LISTS, ClaimSettings
from metaeval.papers.claims.statement import (
    EACH,
    EVERY_OTHER,
    JUDGES,
    METRIC,
    NUMBER,
    NUMBERS,
    QUALIFIERS,
    Term,
)
from metaeval.papers.claims.verdicts import Comparison

Place = tuple[Any, ...]
Parts = list[tuple[float, Point]]
_FALLING = ("below", "at most")


@dataclass(frozen=True)
class _Side:
    """A term whose metric is known: the points it can mean, and the values of its qualifiers."""

    term: Term
    metric: str
    at: Mapping[str, Any]

    @property
    def words(self) -> str:
        named = (
            replace(self.term, kind=METRIC, name=self.metric) if self.term.kind in (EACH, EVERY_OTHER) else self.term
        )
        return str(named)


@dataclass(frozen=True)
class _Found:
    """A comparison of two terms at one place, before differences are averaged."""

    pair: tuple[int, int]
    relation: str
    place: Place
    words: str
    difference: float
    constant: float
    parts: Parts


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
        What a reader must know: numbers of references or lengths that the claim names and the corpus has not.

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
        self.claim, self.statement = claim, claim.parsed
        self.of_metrics = [point for point in points if not point.of_judges]
        self.of_judges = [point for point in points if point.of_judges]
        self.metrics = list(dict.fromkeys(point.metric for point in self.of_metrics))
        self.same = ""
        self._tables: dict[tuple[Any, ...], dict[Place, list[Point]]] = {}
        self.keys = tuple(key for key in QUALIFIERS if key not in self.statement.qualified)
        if self.statement.has(JUDGES) and not self.of_judges:
            raise NotApplicableError("the experiment has no inter-judge line (`judgments.inter_judge`)")
        self.notes: list[str] = []
        self.chosen: dict[str, list[Any]] = {}
        for key, name in LISTS.items():
            if getattr(claim, name):
                self.chosen[key], notes = choose_values(key, getattr(claim, name), self._known(key))
                self.notes.extend(notes)
        self.told = {key for key in ("panel", "coefficient") if len(set(self._known(key))) > 1}

    def _known(self, key: str) -> list[Any]:
        points = self.of_metrics if key == "preprocessing" else [*self.of_metrics, *self.of_judges]
        return [point.keys[key] for point in points]

    def comparisons(self) -> list[Comparison]:
        """Return the comparisons, averaged over the places if so wanted."""
        found: list[Comparison] = []
        average, some = self.claim.over == "average", False
        for number, chains in enumerate(self._chains()):
            some = some or bool(chains)
            at_places = [one for chain in chains for one in self._at_places(chain)]
            if chains and not at_places and self.claim.each:
                name = self.claim.each[number]
                raise NotApplicableError(f"no place has a number for every term of {str(self.statement)!r} with {name}")
            if average:
                groups: dict[tuple[Any, ...], list[_Found]] = {}
                for one in at_places:
                    groups.setdefault((one.pair, one.words, self._curve(one.place)), []).append(one)
                # Two panels with the very same curve count once; with some places in common they are two.
                curves: dict[tuple[Any, ...], list[_Found]] = {}
                for part in groups.values():
                    signatures = tuple(point.signature for one in part for _, point in one.parts)
                    curves.setdefault((part[0].pair, part[0].words, signatures), part)
                found.extend(self._averaged(part, number) for part in curves.values())
            else:
                found.extend(self._single(one, number) for one in at_places)
        if not some:
            raise NotApplicableError(f"both sides of {str(self.statement)!r} are the same here: {self.same}")
        if not found:
            raise NotApplicableError(f"no place has a number for every term of {str(self.statement)!r}")
        return found

    def _chains(self) -> Iterator[list[list[_Side]]]:
        """Give, for each metric that ``each`` stands for, the chains of sides that are compared together."""
        statement = self.statement
        named = [find_metric(term.name, self.metrics) for term in statement.terms if term.kind == METRIC]
        each: list[str] = [""]
        if statement.has(EACH):
            each = [find_metric(name, self.metrics) for name in self.claim.each] or self.metrics
        others = [metric for metric in self.metrics if metric not in named] if statement.has(EVERY_OTHER) else [""]
        if not others:
            raise NotApplicableError(f"the experiment has no metric besides {', '.join(named)}")
        qualifiers = [
            {key: self._one_value(term, key, value) for key, value in term.qualifiers} for term in statement.terms
        ]
        for of_each in each:
            chains = []
            for other in others:
                of_kind = {EACH: of_each, EVERY_OTHER: other, JUDGES: JUDGES, NUMBER: ""}
                names = iter(named)
                chain = [
                    _Side(term, next(names) if term.kind == METRIC else of_kind[term.kind], at)
                    for term, at in zip(statement.terms, qualifiers, strict=True)
                ]
                # A metric is not compared with itself when its turn as `each` comes.
                pairs = ((chain[i], chain[j]) for i, j in statement.pairs)
                alike = [one for one, other in pairs if (one.metric, one.at) == (other.metric, other.at)]
                if not alike:
                    chains.append(chain)
                else:
                    self.same = ", ".join(
                        f"{key} {value:g}" if key in NUMBERS else f"{key} {value}" for key, value in alike[0].at.items()
                    )
                    self.same = self.same or alike[0].words
            yield chains

    def _one_value(self, term: Term, key: str, wanted: object) -> Any:
        values = find_values(key, wanted, self._known(key))
        if len(values) > 1:
            raise NotApplicableError(f"[{key}={wanted}] of {term.bare} can be {' or '.join(map(repr, values))}")
        return values[0]

    def _points(self, side: _Side) -> dict[Place, list[Point]]:
        """Return the points of a side by their places; the preprocessing of the judges is empty."""
        own = (side.term.kind, side.metric, tuple(side.at.items()))
        if own not in self._tables:
            table = self._tables[own] = {}
            of_judges = side.term.kind == JUDGES
            for point in self.of_judges if of_judges else self.of_metrics:
                fits = (of_judges or point.metric == side.metric) and all(
                    point.keys[key] == value for key, value in side.at.items()
                )
                if fits and all(
                    point.keys[key] in values
                    for key, values in self.chosen.items()
                    if not (of_judges and key == "preprocessing")
                ):
                    table.setdefault(tuple(point.keys[key] for key in self.keys), []).append(point)
        return self._tables[own]

    def _at_places(self, chain: Sequence[_Side]) -> Iterator[_Found]:
        """Give the comparisons of neighbours wherever all sides have points."""
        leading = [side for side in chain if side.term.kind not in (JUDGES, NUMBER)]
        leading = leading or [side for side in chain if side.term.kind == JUDGES]
        seen: set[tuple[str, ...]] = set()
        for place in self._points(leading[0]):
            pairs = {
                (i, j): (
                    (chain[i], self._at(chain[i], chain[j], place)),
                    (chain[j], self._at(chain[j], chain[i], place)),
                )
                for i, j in self.statement.pairs
            }
            sides = [side for pair in pairs.values() for side in pair]
            if not all(points or side.term.kind == NUMBER for side, points in sides):
                continue
            signatures = tuple(point.signature for _, points in sides for point in points)
            if self.claim.over == "average" or signatures not in seen:
                seen.add(signatures)
                for pair, (first_side, second_side) in pairs.items():
                    yield self._compared(pair, place, first_side, second_side)

    def _curve(self, place: Place) -> Place:
        """Return a place without what varies along a curve."""
        return tuple(value for key, value in zip(self.keys, place, strict=True) if key not in NUMBERS)

    def _at(self, side: _Side, partner: _Side, place: Place) -> list[Point]:
        """Return the points of a side at a place; nothing for a number, which has none and needs none."""
        if side.term.kind == NUMBER:
            return []
        if side.term.kind != JUDGES:
            return self._points(side).get(place, [])
        here = dict(zip(self.keys, place, strict=True))
        references = partner.at.get("references", here.get("references"))
        references = side.at.get("references", references)
        wanted = {
            key: value for key, value in (here | dict(side.at)).items() if key not in ("preprocessing", "references")
        }
        found = [point for point in self.of_judges if all(point.keys[key] == wanted[key] for key in wanted)]
        return [point for point in found if point.keys["references"] == references] or found

    def _compared(
        self, pair: tuple[int, int], place: Place, first: tuple[_Side, list[Point]], second: tuple[_Side, list[Point]]
    ) -> _Found:
        relation = self.statement.relations[pair[0]]
        ordered = (second, first) if relation in _FALLING else (first, second)
        difference, constant, parts = 0.0, 0.0, []
        for sign, (side, points) in zip((1.0, -1.0), ordered, strict=True):
            weight = sign * side.term.factor
            if side.term.kind == NUMBER:
                constant += weight * side.term.number
                continue
            difference += weight * float(np.mean([point.mean for point in points]))
            parts += [(weight / len(points), point) for point in points]
        words = " - ".join(side.words for side, _ in ordered)
        return _Found(pair, relation, place, words, difference + constant, constant, parts)

    def _single(self, one: _Found, each: int) -> Comparison:
        spread = spread_of(one.parts, one.constant)
        words = ", ".join([one.words, *self._place_words(one.place)])
        return Comparison(one.relation, words, (each, one.place), one.difference, spread, self.claim.margin)

    def _averaged(self, places: Sequence[_Found], each: int) -> Comparison:
        defined = [one for one in places if not np.isnan(one.difference)]
        words = [places[0].words]
        if len(places) == 1:
            words += self._place_words(places[0].place)
        else:
            words += [*self._place_words(places[0].place, NUMBERS), f"mean over {len(defined)} places"]
        if len(defined) < len(places):
            words[-1] += f" ({len(places) - len(defined)} without a coefficient)"
        used = defined or list(places)
        difference = float(np.mean([one.difference for one in used]))
        parts = [(weight / len(used), point) for one in used for weight, point in one.parts]
        spread = spread_of(parts, places[0].constant)
        return Comparison(places[0].relation, ", ".join(words), (each, ()), difference, spread, self.claim.margin)

    def _place_words(self, place: Place, without: Sequence[str] = ()) -> list[str]:
        here = {key: value for key, value in zip(self.keys, place, strict=True) if key not in without}
        words = [str(here[key]) for key in ("criterion", "preprocessing") if here.get(key)]
        for key, noun in (("references", "reference"), ("length", "segment")):
            if here.get(key) is not None:
                words.append(f"{here[key]:g} {noun}{'' if here[key] == 1 else 's'}")
        if "coefficient" in self.told and here.get("coefficient"):
            words.append(str(here["coefficient"]))
        return [*words, f"panel {here['panel']!r}"] if "panel" in self.told and here.get("panel") else words
