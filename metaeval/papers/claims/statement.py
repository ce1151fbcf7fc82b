"""What a claim states: terms and relations between them, such as ``gtm(exponent=1) above nist above bleu``.

A statement is a chain of terms, in which each two neighbours are compared, and any two that are to be equal:

====================================================  ==========================================================
``above``, ``below``, ``at least``, ``at most``       the relations
``equals``                                            within a margin
``bleu``, ``gtm(exponent=2)``, ``my.py:f``            a metric as configs name it; one with blanks in quotes
``each``                                              the same metric wherever it stands: a comparison for each one
``every other``                                       all metrics that the statement does not name
``inter-judge``                                       the agreement of two judges
``0.9``                                               a number
``2 * bleu``                                          twice what a metric has
``bleu[references=3]``, ``each[preprocessing=stem]``      a metric there alone; several are separated by commas
====================================================  ==========================================================
"""

from __future__ import annotations

import ast
import itertools
import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NoReturn

from metaeval.errors import UsageError, listing, unknown

RELATIONS = ("above", "below", "at least", "at most", "equals")
NUMBERS = ("references", "length")
# The largest number that there is.
MOST = "most"
QUALIFIERS = ("criterion", "preprocessing", "references", "length", "coefficient", "panel")
METRIC, EACH, EVERY_OTHER, JUDGES, NUMBER = "metric", "each", "every other", "inter-judge", "number"

Value = str | float
# What a kind of term has no need to say: judges read neither treated texts nor references.
_FREE = {JUDGES: ("preprocessing", "references"), NUMBER: QUALIFIERS}

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?=[\s*\[]|$)")
_RELATION = re.compile(r"(?:above|below|at\s+least|at\s+most|equals)(?=\s|$)")
_WORD = re.compile(r"[^\s\[\]()*\"']+")
_SPECIAL = re.compile(r"(each|every\s+other|inter-judge)(?=[\s\[]|$)")
_KEY = re.compile(r"[\w-]+")
_BARE = re.compile(r"[^\s,=\[\]()\"']+(?:\s*\()?")


@dataclass(frozen=True)
class Term:
    """One side of a comparison.

    Attributes
    ----------
    kind : str
        ``metric``, ``each``, ``every other``, ``inter-judge`` or ``number``.
    name : str
        Of a metric, as it is written.
    number : float
        The value of a number.
    factor : float
        What the value is multiplied by; above 0.
    qualifiers : tuple of (str, str or float)
        Where the value is taken, by `QUALIFIERS`; numbers, or ``most``, for ``references`` and ``length``.
    """

    kind: str
    name: str = ""
    number: float = 0.0
    factor: float = 1.0
    qualifiers: tuple[tuple[str, Value], ...] = ()

    def __str__(self) -> str:
        """Return the term as it can be read again."""
        return f"{_factor(self.factor)}{self.bare}"

    @property
    def bare(self) -> str:
        """The term without its factor."""
        if self.kind == NUMBER:
            return repr(self.number)
        name = _quoted(self.name, _is_name(self.name)) if self.kind == METRIC else self.kind
        if not self.qualifiers:
            return name
        return f"{name}[{', '.join(f'{key}={_value(value)}' for key, value in self.qualifiers)}]"


def _factor(factor: float) -> str:
    return "" if factor == 1.0 else f"{_value(factor)} * "


def _value(value: Value) -> str:
    if isinstance(value, str):
        return _quoted(value, _is_bare(value))
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def _quoted(text: str, plain: bool) -> str:
    return text if plain else json.dumps(text, ensure_ascii=False)


@dataclass(frozen=True)
class Statement:
    """A chain of terms.

    Attributes
    ----------
    terms : tuple of Term
        Two or more.
    relations : tuple of str
        Of `RELATIONS`; one between each two neighbours.
    """

    terms: tuple[Term, ...]
    relations: tuple[str, ...]
    written: str = field(default="", compare=False)

    def __str__(self) -> str:
        """Return the statement as it can be read again."""
        parts = [str(self.terms[0])]
        for relation, term in zip(self.relations, self.terms[1:], strict=True):
            parts += [relation, str(term)]
        return " ".join(parts)

    @property
    def qualified(self) -> tuple[str, ...]:
        """What the terms themselves say of where they stand."""
        said = {key for term in self.terms for key, _ in term.qualifiers}
        return tuple(key for key in QUALIFIERS if key in said)

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Which terms are compared: neighbours, for an order carries over, and all that are to be equal."""
        pairs = itertools.combinations(range(len(self.terms)), 2)
        return tuple((i, j) for i, j in pairs if j == i + 1 or set(self.relations[i:j]) == {"equals"})

    def has(self, kind: str) -> bool:
        """Return whether there is a term of a kind."""
        return any(term.kind == kind for term in self.terms)


def parse_statement(text: str) -> Statement:
    """Read a statement.

    Parameters
    ----------
    text : str
        Such as ``bleu[references=3] above bleu[references=1]``.

    Returns
    -------
    Statement
        Its text, read again, gives an equal statement.

    Raises
    ------
    UsageError
        If it is not one, or says something that cannot be compared.
    """
    reader = _Reader(text)
    terms, relations = [reader.term()], [reader.relation()]
    terms.append(reader.term())
    while not reader.at_end():
        relations.append(reader.relation())
        terms.append(reader.term())
    statement = Statement(tuple(terms), tuple(relations), text)
    _check(statement)
    return statement


def _check(statement: Statement) -> None:
    where = f"the statement {statement.written!r}"
    kinds = [term.kind for term in statement.terms]
    if EVERY_OTHER in kinds and (len(kinds) > 2 or kinds.count(EVERY_OTHER) > 1 or EACH in kinds):
        raise UsageError(
            f"{where}: 'every other' belongs to a chain of two terms, beside a metric, inter-judge or a number."
        )
    for first, second in ((statement.terms[i], statement.terms[j]) for i, j in statement.pairs):
        if first.kind == second.kind == NUMBER:
            raise UsageError(f"{where} compares two numbers, {first} and {second}; one side must be a metric.")
        if (first.kind, first.name, first.qualifiers) == (second.kind, second.name, second.qualifiers):
            raise UsageError(f"{where} compares {first.bare!r} with itself.")
    for term in statement.terms:
        own = {key for key, _ in term.qualifiers}
        for key in statement.qualified:
            if key not in own and key not in _FREE.get(term.kind, ()):
                raise UsageError(
                    f"{where}: another term says at which {key} it stands, and {term.bare!r} does not; "
                    f"say [{key}=...] for it too."
                )


class _Reader:
    """Reads a statement from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._place = 0

    def at_end(self) -> bool:
        """Pass over blanks, and return whether nothing follows."""
        while self._text[self._place : self._place + 1].isspace():
            self._place += 1
        return self._place == len(self._text)

    def term(self) -> Term:
        """Read a term."""
        factor = 1.0
        if self.at_end() or _RELATION.match(self._text, self._place):
            self._fail("a metric, each, every other, inter-judge or a number")
        number = _NUMBER.match(self._text, self._place)
        if number:
            value = float(number.group())
            if not math.isfinite(value):
                self._fail("a number that a computer can hold")
            self._place = number.end()
            if not self._takes("*"):
                if self._takes("["):
                    self._fail("a relation, for a number takes no [...]", back=1)
                return Term(NUMBER, number=value)
            if value <= 0:
                self._fail("a factor above 0", back=self._place - number.start())
            factor = value
            self.at_end()
            if _NUMBER.match(self._text, self._place) or _RELATION.match(self._text, self._place):
                self._fail("a metric, each, every other or inter-judge")
        special = _SPECIAL.match(self._text, self._place)
        if special:
            self._place = special.end()
            kind, name = " ".join(special.group().split()), ""
        else:
            kind, name = METRIC, self._name()
        qualifiers = self._qualifiers(kind) if self._takes("[") else ()
        return Term(kind, name, factor=factor, qualifiers=qualifiers)

    def relation(self) -> str:
        """Read a relation."""
        self.at_end()
        match = _RELATION.match(self._text, self._place)
        if not match:
            self._fail("a relation", f" Known relations: {listing(RELATIONS)}.")
        self._place = match.end()
        return " ".join(match.group().split())

    def _takes(self, sign: str) -> bool:
        taken = not self.at_end() and self._text[self._place] == sign
        self._place += taken
        return taken

    def _name(self) -> str:
        if self._text[self._place : self._place + 1] in ('"', "'"):
            return self._string()
        start = self._place
        match = _WORD.match(self._text, self._place)
        if not match:
            self._fail("a metric, each, every other, inter-judge or a number")
        self._place = end = match.end()
        if self._takes("("):
            self._pass_parameters()
            end = self._place
        self._place = end
        return self._text[start:end]

    def _pass_parameters(self) -> None:
        """Go behind the parenthesis that closes one that was read; those inside quotes do not count."""
        depth = 1
        while depth:
            if self._place == len(self._text):
                self._fail("a closing parenthesis")
            sign = self._text[self._place]
            if sign in "\"'":
                self._string()
                continue
            depth += (sign == "(") - (sign == ")")
            self._place += 1

    def _string(self) -> str:
        start, mark = self._place, self._text[self._place]
        place = start + 1
        while place < len(self._text) and self._text[place] != mark:
            place += 1 + (self._text[place] == "\\")
        if place >= len(self._text):
            self._fail(f"a closing {mark}", back=start - len(self._text))
        self._place = place + 1
        try:
            value = ast.literal_eval(self._text[start : self._place])
        except (ValueError, SyntaxError):
            self._place = start
            self._fail("text in quotes")
        return str(value)

    def _qualifiers(self, kind: str) -> tuple[tuple[str, Value], ...]:
        found: dict[str, Value] = {}
        while True:
            self.at_end()
            match = _KEY.match(self._text, self._place)
            key = match.group() if match else ""
            if key not in QUALIFIERS:
                hint = f" {unknown('key', key, QUALIFIERS)}" if key else f" Known keys: {listing(QUALIFIERS)}."
                self._fail("a key with its value, such as references=3", hint)
            if kind == JUDGES and key == "preprocessing":
                self._fail("another key: judges read no treated texts, so inter-judge has no preprocessing")
            if key in found:
                self._fail("each key once")
            self._place += len(key)
            if not self._takes("="):
                self._fail("'='")
            found[key] = self._value(key)
            if self._takes("]"):
                return tuple(found.items())
            if not self._takes(","):
                self._fail("',' or ']'")

    def _value(self, key: str) -> Value:
        self.at_end()
        start = self._place
        if self._text[start : start + 1] in ('"', "'") and key not in NUMBERS:
            return self._string()
        match = _BARE.match(self._text, start)
        if not match:
            self._fail(f"a value of {key}")
        self._place = match.end()
        if match.group().endswith("("):
            self._pass_parameters()
        value = self._text[start : self._place]
        if key not in NUMBERS or value == MOST:
            return value
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not 1 <= number < math.inf:
            self._place = start
            self._fail(f"a number, 1 or more, or {MOST}")
        return number

    def _fail(self, expected: str, hint: str = "", *, back: int = 0) -> NoReturn:
        place = self._place - max(back, 0)
        rest = self._text[place:].split()
        got = repr(rest[0]) if rest else "the end"
        raise UsageError(f"the statement {self._text!r}, character {place + 1}: expected {expected}; got {got}.{hint}")


def _is_name(text: str) -> bool:
    """Return whether the name of a metric is read as itself without quotes."""
    return _reads(text, lambda reader: reader.term() == Term(METRIC, text))


def _is_bare(text: str) -> bool:
    """Return whether a value is read as itself without quotes."""
    return _reads(text, lambda reader: reader._value("criterion") == text and text[:1] not in "\"'")


def _reads(text: str, check: Callable[[_Reader], bool]) -> bool:
    reader = _Reader(text)
    try:
        return check(reader) and reader.at_end()
    except UsageError:
        return False
