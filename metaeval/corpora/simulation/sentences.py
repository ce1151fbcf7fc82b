"""Meanings become sentences: one choice of words and order among many.

A token carries the word and the error that a careless writer makes of it: ``""`` drops it, None means there is none.
"""

from __future__ import annotations

from itertools import zip_longest
from random import Random
from typing import NamedTuple

from metaeval.corpora.simulation.meanings import Adjunct, Clause, Meaning, Phrase, concepts, date_variants, nouns, verbs
from metaeval.corpora.simulation.words import Verb, article
from metaeval.runtime.files import tables_of

_SYLLABLE = tables_of(__file__)
_ERRORS = {"the": "", "a": "", "an": "", "in": "at", "on": "in", "at": "on", "of": ""}
_PLURAL = ("plural", "quantity", "number")


class Token(NamedTuple):
    """A word and what a careless writer makes of it."""

    text: str
    error: str | None = None


Tokens = list[Token]


class Writer:
    """Says meanings; each writer chooses words and order by its own generator.

    Parameters
    ----------
    rng : Random
        Only uniform numbers are taken.
    habit : float
        The share of choices that fall on the first variant, as every writer has favourite words.
    """

    def __init__(self, rng: Random, habit: float) -> None:
        self.rng = rng
        self.habit = habit

    def say(self, meaning: Meaning) -> list[Tokens]:
        """Return the constituents of the sentence, in order, without capital and full stop."""
        if meaning.fragment is not None:
            return [self._phrase(meaning.fragment)]
        parts: list[Tokens] = []
        if meaning.opener is not None and self.rng.random() < 0.6:
            parts.append([*_plain(self._variant("OPENERS", meaning.opener)), Token(",", "")])
        for number, clause in enumerate(meaning.clauses):
            if number:
                joiner = _plain(self._variant("JOINERS", meaning.joiners[number - 1]))
                parts.append([Token(",", ""), *joiner] if self.rng.random() < 0.6 else joiner)
            parts.extend(self._clause(clause))
        return [part for part in parts if part]

    def _choose(self, n: int) -> int:
        return 0 if self.rng.random() < self.habit else int(self.rng.random() * n)

    def _variant(self, name: str, concept: int) -> str:
        variants = concepts(name)[concept]
        return variants[self._choose(len(variants))]

    def _clause(self, clause: Clause) -> list[Tokens]:
        """Return the constituents of a clause, active or passive, with what stands in front."""
        rng = self.rng
        subject = self._phrase(clause.subject)
        verb = verbs(clause.kind)[clause.verb]
        chosen = verb[self._choose(len(verb))]
        # An adverb may go without saying.
        says_how = clause.adverb is not None and rng.random() < 0.85
        adverb = _plain(self._variant("ADVERBS", clause.adverb or 0)) if says_how else []
        adjuncts = [self._adjunct(adjunct) for adjunct in clause.adjuncts]
        front: Tokens = []
        if adjuncts and clause.adjuncts[0].kind in ("TIMES", "date") and rng.random() < 0.5:
            front = [*adjuncts.pop(0), Token(",", "")]
        if len(adjuncts) > 1 and rng.random() < 0.5:
            adjuncts.reverse()
        if clause.content is not None:
            that = [Token("that", "")] if rng.random() < 0.75 else []
            return [front, subject, _finite(chosen, clause.negated), that, *self._clause(clause.content)]
        if clause.object is not None and rng.random() < 0.4:
            # The passive turns subject and object round.
            patient = self._phrase(clause.object)
            was = Token("were", "was") if clause.object.determiner in _PLURAL else Token("was", "were")
            negation = [Token("not")] if clause.negated else []
            done = [was, *negation, *_words(chosen.participle, chosen.base), Token("by", "from")]
            return [front, patient, done, subject, adverb, *adjuncts]
        action = _finite(chosen, clause.negated)
        patient = self._phrase(clause.object) if clause.object is not None else []
        if adverb and len(adverb) == 1 and rng.random() < 0.5:
            return [front, subject, [*adverb, *action], patient, *adjuncts]
        return [front, subject, action, patient, adverb, *adjuncts]

    def _adjunct(self, adjunct: Adjunct) -> Tokens:
        if adjunct.kind == "date":
            variants = date_variants(adjunct.concept)
            words = variants[self._choose(2)].split()
            return [Token(words[0], "in"), *map(Token, words[1:])]
        return _plain(self._variant(adjunct.kind, adjunct.concept))

    def _phrase(self, phrase: Phrase) -> Tokens:
        is_name = phrase.determiner == "name"
        tokens = [Token(self._name(phrase.name or 0, 1))] if is_name else self._described(phrase)
        if phrase.of is not None:
            inner = self._phrase(phrase.of)
            if phrase.of.of is None and phrase.of.name is None and len(inner) < 4 and self.rng.random() < 0.5:
                # The genitive takes the place of the determiner: the company's plan.
                last = inner[-1].text
                owner = [*inner[:-1], Token(last + ("'" if last.endswith("s") else "'s"), last)]
                return owner + (tokens[1:] if phrase.determiner in ("the", "a") else tokens)
            tokens = [*tokens, Token("of", ""), *inner]
        return tokens

    def _described(self, phrase: Phrase) -> Tokens:
        """Return the words of a phrase that is not a bare name."""
        # So may an adjective.
        adjectives_said = [adjective for adjective in phrase.adjectives if self.rng.random() < 0.85]
        adjectives = [
            Token(word) for adjective in adjectives_said for word in self._variant("ADJECTIVES", adjective).split()
        ]
        if phrase.foreign:
            return [*adjectives, Token(foreign_word(phrase.head))]
        if phrase.determiner == "mass":
            head = _plain(self._variant("MASS", phrase.head))
            return [Token("the", ""), *adjectives, *head] if self.rng.random() < 0.5 else adjectives + head
        variants = nouns(phrase.head_list)[phrase.head]
        noun = variants[self._choose(len(variants))]
        if phrase.determiner in _PLURAL:
            head = _words(noun.plural, noun.singular)
            if phrase.determiner == "plural":
                return [Token("the", ""), *adjectives, *head] if self.rng.random() < 0.4 else adjectives + head
            if phrase.determiner == "quantity":
                return _plain(self._variant("QUANTITIES", phrase.quantity)) + adjectives + head
            return [Token(f"{phrase.quantity:,}"), *adjectives, *head]
        head = _words(noun.singular, noun.plural)
        first = (adjectives + head)[0].text
        determiner = Token(article(first), "") if phrase.determiner == "a" else Token("the", "")
        if phrase.name is None:
            return [determiner, *adjectives, *head]
        name = [Token(part) for part in self._name(phrase.name, 2).split()]
        if self.rng.random() < 0.5:
            return [*(Token(word.text) for word in adjectives + head), *name]
        return [*name, Token(",", ""), determiner, *adjectives, *head, Token(",", "")]

    def _name(self, number: int, parts: int) -> str:
        """Return a name; some writers transliterate it in another way."""
        name = make_name(number, parts)
        return name.replace("ou", "u").replace("kh", "k") if self.rng.random() < 0.4 else name


def make_name(number: int, parts: int) -> str:
    """Return the name that belongs to a number, in one or two parts, each with a capital."""
    state = number * 2_654_435_761 + parts * 40_503 + 12_345
    words = []
    for _ in range(parts):
        syllables = ""
        for _ in range(2):
            state = (state * 1_103_515_245 + 12_345) % 2**31
            shifted = state >> 8
            for part, step in (("onsets", 1), ("nuclei", 31), ("codas", 997)):
                syllables += _SYLLABLE[part][shifted // step % len(_SYLLABLE[part])]
        words.append(syllables.capitalize())
    return " ".join(words)


def foreign_word(number: int) -> str:
    """Return the word of the source language that belongs to a number: of nouns, their concept."""
    return make_name(number + 7919, 1).lower()


def as_text(tokens: Tokens, *, stop: bool) -> str:
    """Join tokens: no blank before a comma, no doubled comma, a capital at the beginning, a full stop at the end."""
    text = ""
    for token in tokens:
        if token.text == ",":
            if text and not text.endswith(","):
                text += ","
        elif token.text:
            text += (" " if text else "") + token.text
    text = text.rstrip(",")
    return text + "." if stop and text else text


def _plain(text: str) -> Tokens:
    return [Token(word, _ERRORS.get(word)) for word in text.split()]


def _words(right: str, wrong: str) -> Tokens:
    """Return the words of an inflected form; the word that differs from the other form carries it as its error."""
    pairs = zip_longest(words := right.split(), wrong.split()[: len(words)])
    return [Token(word, None if other == word else other) for word, other in pairs]


def _finite(verb: Verb, negated: bool) -> Tokens:
    return [Token("did", "do"), Token("not"), *_plain(verb.base)] if negated else _words(verb.past, verb.base)
