"""The source: each meaning in an invented language, from which the systems might have translated.

A concept has one word there, whichever synonym English takes, and the head that a system leaves untranslated is that
word. The verb comes last, adjectives follow their noun, particles mark subject, object and owner; names and numbers are
those of the meaning. Only the order of the parts is chosen at random.
"""

from __future__ import annotations

from random import Random

from metaeval.corpora.simulation.meanings import Adjunct, Clause, Meaning, Phrase
from metaeval.corpora.simulation.sentences import foreign_word, make_name
from metaeval.runtime.files import tables_of

_SUBJECT = "ul"
_OBJECT = "em"
_OWNER = "ath"
_THAT = "iko"
_NOT = "nei"
_ONE = "hin"
_SEVERAL = "ori"
# The lists that are no nouns: each has words of its own, a thousand numbers from those of another.
_OTHERS = tables_of(__file__)["lists"]


def say_source(rng: Random, meaning: Meaning) -> str:
    """Return the sentence of a meaning.

    Parameters
    ----------
    rng : Random
        Only uniform numbers are taken.
    meaning : Meaning
        It is not changed.
    """
    if meaning.fragment is not None:
        text = " ".join(_phrase(meaning.fragment))
    else:
        words = [] if meaning.opener is None else [_word("OPENERS", meaning.opener) + ","]
        for number, clause in enumerate(meaning.clauses):
            words += [_word("JOINERS", meaning.joiners[number - 1])] if number else []
            words += _clause(rng, clause)
        text = " ".join(words) + "."
    return text[:1].upper() + text[1:]


def _word(name: str, concept: int) -> str:
    return foreign_word(concept + 1000 * (1 + _OTHERS.index(name)))


def _clause(rng: Random, clause: Clause) -> list[str]:
    parts = [[*_phrase(clause.subject), _SUBJECT]]
    if clause.object is not None:
        parts.insert(int(rng.random() < 0.7), [*_phrase(clause.object), _OBJECT])
    for adjunct in clause.adjuncts:
        parts.insert(int(rng.random() * (len(parts) + 1)), _adjunct(adjunct))
    words = [word for part in parts for word in part]
    words += [] if clause.adverb is None else [_word("ADVERBS", clause.adverb)]
    words += [_word(clause.kind, clause.verb), *([_NOT] if clause.negated else [])]
    return words if clause.content is None else [*words, _THAT, *_clause(rng, clause.content)]


def _adjunct(adjunct: Adjunct) -> list[str]:
    if adjunct.kind != "date":
        return [_word(adjunct.kind, adjunct.concept)]
    month, day = divmod(adjunct.concept, 28)
    return [_word("MONTHS", month), str(day + 1)]


def _phrase(phrase: Phrase) -> list[str]:
    """Return the words of a noun phrase in the invented language."""
    owner = [] if phrase.of is None else [*_phrase(phrase.of), _OWNER]
    if phrase.determiner == "name":
        return [*owner, make_name(phrase.name or 0, 1)]
    before = {"a": _ONE, "number": f"{phrase.quantity:,}"}.get(phrase.determiner)
    if phrase.determiner == "quantity":
        before = _word("QUANTITIES", phrase.quantity)
    return [
        *owner,
        *([] if before is None else [before]),
        foreign_word(phrase.head),
        *([_SEVERAL] if phrase.determiner == "plural" else []),
        *(_word("ADJECTIVES", adjective) for adjective in phrase.adjectives),
        *([] if phrase.name is None else [make_name(phrase.name, 2)]),
    ]
