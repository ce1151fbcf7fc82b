"""Systems damage meaning and form separately, each at a rate of its own.

Meaning: a part is left out, replaced by another, left untranslated, or a clause is negated. Form: articles,
inflections, agreement, prepositions, capitals and order go wrong. Each text comes with the share of its meaning that is
damaged, weighted by importance, and the share of its chances to err that were taken: its latent adequacy and fluency.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from typing import NamedTuple

from metaeval.corpora.simulation.meanings import N_NAMES, Adjunct, Clause, Meaning, Phrase, draw_adjunct, draw_concept
from metaeval.corpora.simulation.sentences import Token, Tokens, Writer, as_text
from metaeval.corpora.simulation.words import FILLERS


@dataclass(frozen=True)
class System:
    """The errors of a system.

    Attributes
    ----------
    name : str
    meaning_rate, form_rate : float
        Chances that a part of the meaning, and that a place of the form, is damaged, in a segment of mean difficulty.
    verbosity : float
        Superfluous words for each word.
    """

    name: str
    meaning_rate: float
    form_rate: float
    verbosity: float


class Translation(NamedTuple):
    """A text and its latent qualities, from 0 (all damaged) to 1."""

    text: str
    adequacy: float
    fluency: float


def translate(rng: Random, meaning: Meaning, system: System, difficulty: float) -> Translation:
    """Write a meaning as a system does.

    Parameters
    ----------
    rng : Random
        Only uniform numbers are taken.
    meaning : Meaning
        It is not changed.
    system : System
    difficulty : float
        Multiplies the rates; 1 on average.
    """
    damage = _MeaningDamage(rng, min(0.9, system.meaning_rate * difficulty))
    parts = Writer(rng, habit=0.75).say(damage.meaning(meaning))
    form = _FormDamage(rng, min(0.9, system.form_rate * difficulty))
    text = as_text(form.tokens(parts, system.verbosity), stop=meaning.fragment is None)
    return Translation(form.capital(text), 1.0 - damage.share, 1.0 - form.share)


class _Damage:
    """Adds up the weights of the chances to err, and of those that were taken."""

    def __init__(self, rng: Random, rate: float) -> None:
        self.rng, self.rate = rng, rate
        self.total = self.lost = 0.0

    @property
    def share(self) -> float:
        return self.lost / self.total if self.total else 0.0

    def _hit(self, weight: float = 1) -> bool:
        self.total += weight
        hit = self.rng.random() < self.rate
        self.lost += weight if hit else 0.0
        return hit


class _MeaningDamage(_Damage):
    """Copies a meaning with damages."""

    def meaning(self, meaning: Meaning) -> Meaning:
        if meaning.fragment is not None:
            return replace(meaning, fragment=self._phrase(meaning.fragment))
        opener = None if meaning.opener is None or self._hit(0.5) else meaning.opener
        return replace(meaning, clauses=[self._clause(clause) for clause in meaning.clauses], opener=opener)

    def _clause(self, clause: Clause) -> Clause:
        verb, negated = clause.verb, clause.negated
        if self._hit(2.0):
            if self.rng.random() < 0.35:
                negated = not negated
            else:
                verb = draw_concept(self.rng, clause.kind)
        adverb = clause.adverb
        if adverb is not None and self._hit(0.7):
            adverb = None if self.rng.random() < 0.45 else draw_concept(self.rng, "ADVERBS")
        adjuncts = [damaged for adjunct in clause.adjuncts if (damaged := self._adjunct(adjunct)) is not None]
        subject = self._phrase(clause.subject)
        patient = None if clause.object is None else self._phrase(clause.object)
        content = None if clause.content is None else self._clause(clause.content)
        return Clause(clause.kind, subject, verb, patient, content, adverb, adjuncts, negated)

    def _adjunct(self, adjunct: Adjunct) -> Adjunct | None:
        if not self._hit(1.5):
            return adjunct
        return None if self.rng.random() < 0.45 else draw_adjunct(self.rng, adjunct.kind)

    def _phrase(self, phrase: Phrase) -> Phrase:
        head, foreign, name = phrase.head, phrase.foreign, phrase.name
        if self._hit(2.0):
            if self.rng.random() < 0.3:
                foreign = True
            else:
                head = draw_concept(self.rng, phrase.head_list)
                name = None if name is None else int(self.rng.random() * N_NAMES)
        adjectives = [adjective for adjective in phrase.adjectives if not self._hit(0.7)]
        of = None if phrase.of is None or self._hit(1.0) else self._phrase(phrase.of)
        determiner = "the" if foreign and phrase.determiner == "name" else phrase.determiner
        return Phrase(phrase.head_list, head, determiner, phrase.quantity, adjectives, of, name, foreign)


class _FormDamage(_Damage):
    """Damages the form of a sentence; a chance to err is as heavy as another."""

    def tokens(self, parts: list[Tokens], verbosity: float) -> Tokens:
        parts = list(parts)
        for index in range(len(parts) - 1):
            if self._hit():
                parts[index], parts[index + 1] = parts[index + 1], parts[index]
        tokens: Tokens = []
        for token in (token for part in parts for token in part):
            wrong = token.error is not None and self._hit()
            tokens.append(Token(token.error or "") if wrong else token)
            if verbosity and self.rng.random() < verbosity:
                tokens.append(Token(FILLERS[int(self.rng.random() ** 1.5 * len(FILLERS))]))
        return tokens

    def capital(self, text: str) -> str:
        """Begin with a capital, unless that goes wrong too."""
        return text if self._hit() else text[:1].upper() + text[1:]
