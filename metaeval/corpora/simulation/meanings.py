"""Meanings: what a segment says, before any word is chosen.

A meaning is a list of clauses of concepts. A concept is a number in a list of the lexicon; the first concepts of a list
are drawn more often than the last, and names and numbers make a long tail of rare words, as in real text.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random

from metaeval.corpora.simulation.words import MONTHS, Noun, Verb, noun, verb
from metaeval.datamodel.pooling import ordered_sum

N_NAMES = 4000
# The chances of a determiner, added up.
_DETERMINERS = ((0.5, "the"), (0.68, "a"), (0.84, "plural"), (0.92, "quantity"), (1, "number"))
# Attempts to add something before a clause counts as full.
_PATIENCE = 12


@dataclass
class Phrase:
    """A noun phrase: a head with a determiner, adjectives and perhaps an of-phrase; or a name."""

    head_list: str
    head: int
    determiner: str  # "the", "a", "plural", "quantity", "number", "mass" or "name"
    quantity: int = 0
    adjectives: list[int] = field(default_factory=list)
    of: Phrase | None = None
    name: int | None = None  # of a person who is also described
    foreign: bool = False  # left untranslated


@dataclass
class Adjunct:
    """A time, place or reason: a concept of the lexicon, or a date."""

    kind: str  # "TIMES", "WHERES", "REASONS" or "date"
    concept: int


@dataclass
class Clause:
    """Who did what: kind is the list of the verb; a reporting clause has another clause inside."""

    kind: str
    subject: Phrase
    verb: int
    object: Phrase | None = None
    content: Clause | None = None
    adverb: int | None = None
    adjuncts: list[Adjunct] = field(default_factory=list)
    negated: bool = False


@dataclass
class Meaning:
    """A segment: a fragment (a phrase alone), or clauses with an opener and the words that join them."""

    fragment: Phrase | None
    clauses: list[Clause]
    opener: int | None = None
    joiners: list[int] = field(default_factory=list)


@cache
def lexicon() -> dict[str, tuple[tuple[str, ...], ...]]:
    """Return the lists of the lexicon: their concepts, each with its variants."""
    concepts: dict[str, list[tuple[str, ...]]] = {}
    for line in (Path(__file__).parent / "lexicon.txt").read_text(encoding="utf-8").split("\n"):
        if line.startswith("["):
            of_list = concepts.setdefault(line.strip("[]"), [])
        elif line and not line.startswith("#"):
            of_list.append(tuple(variant.strip() for variant in line.split("|")))
    return {name: tuple(listed) for name, listed in concepts.items()}


def concepts(name: str) -> tuple[tuple[str, ...], ...]:
    """Return the concepts of a list of the lexicon, each with its variants."""
    return lexicon()[name]


@cache
def nouns(name: str) -> tuple[tuple[Noun, ...], ...]:
    """Return the nouns of a list, inflected."""
    return tuple(tuple(map(noun, variants)) for variants in concepts(name))


@cache
def verbs(name: str) -> tuple[tuple[Verb, ...], ...]:
    """Return the verbs of a list, inflected."""
    return tuple(tuple(map(verb, variants)) for variants in concepts(name))


def draw_concept(rng: Random, name: str) -> int:
    """Draw a concept; the earlier in its list, the likelier."""
    return int(rng.random() ** 2.2 * len(concepts(name)))


def draw_adjunct(rng: Random, kind: str) -> Adjunct:
    """Draw an adjunct; all dates are equally likely."""
    return Adjunct(kind, int(rng.random() * 336) if kind == "date" else draw_concept(rng, kind))


def draw_meaning(rng: Random, length: int) -> Meaning:
    """Draw a meaning that takes about `length` words."""
    if length < 6:
        phrase = _phrase(rng, ("MATTERS", "THINGS", "GROUPS", "PEOPLE"))
        phrase.name, phrase.of = None, None
        phrase.determiner = "plural" if length < 3 else "the"
        phrase.adjectives = [draw_concept(rng, "ADJECTIVES") for _ in range(max(0, length - 2))]
        return Meaning(phrase, [])
    meaning = Meaning(None, [_clause(rng, length)])
    words = _words_of_clause(meaning.clauses[0])
    misses = 0
    if length > 12 and rng.random() < 0.3:
        meaning.opener = draw_concept(rng, "OPENERS")
        words += 2.5
    while words < length - 2:
        if length - words > 9:
            added = _clause(rng, length - words)
            meaning.clauses.append(added)
            meaning.joiners.append(draw_concept(rng, "JOINERS"))
            words += 1.3 + _words_of_clause(added)
        else:
            added_words = _extend(rng, meaning.clauses[int(rng.random() * len(meaning.clauses))], length - words)
            words += added_words
            misses = 0 if added_words else misses + 1
            if misses > _PATIENCE:
                break
    return meaning


def _clause(rng: Random, room: float) -> Clause:
    """Draw a clause that fits into so many words."""
    kind = rng.random()
    subject_lists = ("PEOPLE", "PEOPLE", "GROUPS") if rng.random() < 0.85 else ("MATTERS", "PLACES")
    if kind < 0.18 and room > 14:
        inner = _clause(rng, min(room - 5, 13))
        return Clause("REPORTING", _phrase(rng, ("PEOPLE", "GROUPS")), draw_concept(rng, "REPORTING"), content=inner)
    if kind < 0.32:
        clause = Clause("INTRANSITIVE", _phrase(rng, subject_lists), draw_concept(rng, "INTRANSITIVE"))
    else:
        object_lists = ("MATTERS", "THINGS", "MATTERS") if rng.random() < 0.9 else ("MASS",)
        clause = Clause(
            "TRANSITIVE",
            _phrase(rng, subject_lists),
            draw_concept(rng, "TRANSITIVE"),
            object=_phrase(rng, object_lists),
        )
    wanted = min(room, 9 + 9 * rng.random()) - 1
    for _ in range(_PATIENCE):
        words = _words_of_clause(clause)
        if words >= wanted:
            break
        _extend(rng, clause, room - words)
    return clause


def _extend(rng: Random, clause: Clause, room: float) -> float:
    """Add something that fits the room and return how many words it takes, about; 0 if nothing fits."""
    while clause.content is not None and rng.random() < 0.7:
        clause = clause.content
    before = _words_of_clause(clause)
    described = [
        phrase for phrase in (clause.subject, clause.object) if phrase is not None and phrase.determiner != "name"
    ]
    choice = rng.random()
    if choice < 0.3 and described:
        phrase = described[int(rng.random() * len(described))]
        if len(phrase.adjectives) < 2:
            phrase.adjectives.append(draw_concept(rng, "ADJECTIVES"))
    elif choice < 0.55 and described and room >= 3:
        phrase = described[int(rng.random() * len(described))]
        if phrase.of is None and phrase.name is None:
            phrase.of = _phrase(rng, ("PLACES", "GROUPS", "MATTERS", "PEOPLE"))
    elif choice < 0.65 and clause.adverb is None:
        clause.adverb = draw_concept(rng, "ADVERBS")
    elif room >= 3:
        kinds_there = {adjunct.kind for adjunct in clause.adjuncts}
        kinds_there |= {"date", "TIMES"} if kinds_there & {"date", "TIMES"} else set()
        kinds = [kind for kind in ("TIMES", "WHERES", "REASONS", "date") if kind not in kinds_there]
        if kinds:
            kind = kinds[int(rng.random() * len(kinds))]
            clause.adjuncts.append(draw_adjunct(rng, kind))
    return _words_of_clause(clause) - before


def _phrase(rng: Random, lists: tuple[str, ...]) -> Phrase:
    """Draw a noun phrase whose head is of one of some lists."""
    name = lists[int(rng.random() * len(lists))]
    phrase = Phrase(name, draw_concept(rng, name), "the")
    chance = rng.random()
    if name == "MASS":
        phrase.determiner = "mass"
    elif name == "PEOPLE" and chance < 0.3:
        phrase.name = int(rng.random() ** 2.5 * N_NAMES)
    elif name in ("PLACES", "GROUPS") and chance < 0.25:
        phrase.determiner = "name"
        phrase.name = int(rng.random() ** 2.5 * N_NAMES)
    else:
        phrase.determiner = next(determiner for below, determiner in _DETERMINERS if chance < below)
        if phrase.determiner == "quantity":
            phrase.quantity = draw_concept(rng, "QUANTITIES")
        elif phrase.determiner == "number":
            phrase.quantity = 2 + int(rng.random() ** 4 * 9000)
    return phrase


@cache
def _mean_words(name: str, concept: int) -> float:
    variants = concepts(name)[concept]
    return sum(len(variant.partition("/")[0].split()) for variant in variants) / len(variants)


def _words_of_phrase(phrase: Phrase) -> float:
    if phrase.determiner == "name":
        words = 1.0
    else:
        of_adjectives = ordered_sum(_mean_words("ADJECTIVES", adjective) for adjective in phrase.adjectives)
        words = _mean_words(phrase.head_list, phrase.head) + of_adjectives
        if phrase.determiner == "quantity":
            words += _mean_words("QUANTITIES", phrase.quantity)
        words += phrase.determiner in ("the", "a", "number")
        words += 0 if phrase.name is None else 2
    return words + (1.0 + _words_of_phrase(phrase.of) if phrase.of else 0.0)


def _words_of_clause(clause: Clause) -> float:
    words = _words_of_phrase(clause.subject) + _mean_words(clause.kind, clause.verb)
    words += 0 if clause.object is None else _words_of_phrase(clause.object)
    words += 0 if clause.content is None else 1 + _words_of_clause(clause.content)
    words += 0 if clause.adverb is None else _mean_words("ADVERBS", clause.adverb)
    for adjunct in clause.adjuncts:
        words += 3 if adjunct.kind == "date" else _mean_words(adjunct.kind, adjunct.concept)
    return words


def date_variants(concept: int) -> tuple[str, ...]:
    """Return the ways to write a date."""
    month, day = divmod(concept, 28)
    return f"on {day + 1} {MONTHS[month]}", f"on {MONTHS[month]} {day + 1}"
