"""English inflection: as much as the simulated sentences need."""

from __future__ import annotations

from typing import NamedTuple

from metaeval.runtime.files import tables_of

_VOWELS = "aeiou"
_DOUBLING, MONTHS, FILLERS = (tables_of(__file__)[name].split() for name in ("doubling", "months", "fillers"))


class Noun(NamedTuple):
    """A countable noun in both numbers."""

    singular: str
    plural: str


class Verb(NamedTuple):
    """A verb by its principal parts; a particle follows each."""

    base: str
    past: str
    participle: str


def noun(text: str) -> Noun:
    """Return the noun of an entry: ``minister``, ``child/children``, ``head of state/heads of state``."""
    singular, _, plural = text.partition("/")
    head, space, last = singular.rpartition(" ")
    return Noun(singular, plural or head + space + _plural(last))


def verb(text: str) -> Verb:
    """Return the verb of an entry: ``announce``, ``carry out``, ``build/built/built``."""
    base, *forms = text.split("/")
    first, space, particle = base.partition(" ")
    past, participle = forms if len(forms) == 2 else [_past(first) + space + particle] * 2
    return Verb(base, past, participle)


def article(word: str) -> str:
    """Return the indefinite article that goes before a word."""
    lowered = word.lower()
    if lowered.startswith(("hour", "honest", "honour", "heir")):
        return "an"
    if lowered.startswith(("uni", "use", "usu", "eu", "one", "u-")) and not lowered.startswith(("unin", "unim")):
        return "a"
    return "an" if lowered[:1] in _VOWELS else "a"


def _plural(word: str) -> str:
    if word.endswith(("s", "x", "z", "ch", "sh")):
        return word + "es"
    if word.endswith("y") and word[-2:-1] not in _VOWELS:
        return word[:-1] + "ies"
    return word + "s"


def _past(word: str) -> str:
    if word.endswith("e"):
        return word + "d"
    if word.endswith("y") and word[-2:-1] not in _VOWELS:
        return word[:-1] + "ied"
    return (word + word[-1] if word in _DOUBLING else word) + "ed"
