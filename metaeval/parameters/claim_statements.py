"""Statements of claims: terms and relations between them, such as ``gtm(exponent=1) above nist above bleu``.

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
``bleu[references=3]``, ``each[preprocessing=stem]``  a metric there alone; several are separated by commas
====================================================  ==========================================================

The patterns below are the words of this language, `_Reader` is its grammar, and `_check_can_be_compared` refuses what
cannot be compared.
"""

from __future__ import annotations

import ast
import itertools
import json
import math
import re
from dataclasses import dataclass
from typing import NoReturn

from metaeval.errors import UsageError, listing, unknown

RELATIONS = ("above", "below", "at least", "at most", "equals")
NUMBERS = ("references", "length")
# The largest number that there is.
MOST = "most"
QUALIFIERS = ("criterion", "preprocessing", "references", "length", "coefficient", "panel")
METRIC = "metric"
EACH = "each"
EVERY_OTHER = "every other"
JUDGES = "inter-judge"
NUMBER = "number"

Value = str | float
# The keys that a kind of term need not name: judges read no preprocessed texts and no references.
_NEED_NOT_NAME = {JUDGES: ("preprocessing", "references"), NUMBER: QUALIFIERS}

_STRING = r"""(?:"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+')"""
_PARAMETERS = rf"""(?:[^()"']|{_STRING})*+"""
for _ in range(3):
    # Parentheses inside parentheses; those in quotes do not count.
    _PARAMETERS = rf"""(?:[^()"']|{_STRING}|\({_PARAMETERS}\))*+"""
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?=[\s*\[]|$)"
_RELATION = r"(?:above|below|at\s+least|at\s+most|equals)(?=\s|$)"
_SPECIAL = r"(?:each|every\s+other|inter-judge)(?=[\s\[]|$)"
# The name of a metric and the value of a key, where they need no quotes.
_NAME = rf"""(?!{_NUMBER}|{_RELATION}|{_SPECIAL})[^\s\[\]()*"']+(?:\s*\({_PARAMETERS}\))?"""
_VALUE = rf"""[^\s,=\[\]()"']+(?:\s*\({_PARAMETERS}\))?"""


@dataclass(frozen=True)
class Term:
    """A side of a comparison.

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
        return self.bare if self.factor == 1.0 else f"{_shown(self.factor)} * {self.bare}"

    @property
    def bare(self) -> str:
        """The term without its factor."""
        if self.kind == NUMBER:
            return repr(self.number)
        name = _quoted(self.name, _NAME) if self.kind == METRIC else self.kind
        places = ", ".join(f"{key}={_shown(value)}" for key, value in self.qualifiers)
        return f"{name}[{places}]" if places else name


def _shown(value: Value) -> str:
    if isinstance(value, str):
        return _quoted(value, _VALUE)
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def _quoted(text: str, plain: str) -> str:
    """Return a text as it stands in a statement: in quotes unless it has the pattern of a plain one."""
    return text if re.fullmatch(plain, text, re.DOTALL) else json.dumps(text, ensure_ascii=False)


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

    def __str__(self) -> str:
        """Return the statement as it can be read again."""
        later_terms = zip(self.relations, self.terms[1:], strict=True)
        return " ".join([str(self.terms[0]), *(f"{relation} {term}" for relation, term in later_terms)])

    @property
    def qualified(self) -> tuple[str, ...]:
        """The keys of the places that the terms themselves name."""
        named = {key for term in self.terms for key, _ in term.qualifiers}
        return tuple(key for key in QUALIFIERS if key in named)

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """The pairs of terms to compare: neighbours, for an order is transitive, and all that are to be equal."""
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
        If it is not one, or compares what cannot be compared.
    """
    reader = _Reader(text)
    terms = [reader.term()]
    relations = []
    while len(terms) == 1 or not reader.at_end():
        relations.append(reader.relation())
        terms.append(reader.term())
    statement = Statement(tuple(terms), tuple(relations))
    _check_can_be_compared(statement, f"the statement {text!r}")
    return statement


def _check_can_be_compared(statement: Statement, subject: str) -> None:
    """Check that each pair of terms can be compared, and that all name the same keys; `subject` begins messages."""
    kinds = [term.kind for term in statement.terms]
    is_beside_one_term = len(kinds) == 2 and kinds.count(EVERY_OTHER) == 1 and EACH not in kinds
    if EVERY_OTHER in kinds and not is_beside_one_term:
        raise UsageError(
            f"{subject}: 'every other' belongs to a chain of two terms, beside a metric, inter-judge or a number."
        )
    for first, second in ((statement.terms[i], statement.terms[j]) for i, j in statement.pairs):
        are_numbers = first.kind == second.kind == NUMBER
        if are_numbers:
            raise UsageError(f"{subject} compares two numbers, {first} and {second}; one side must be a metric.")
        are_same = (first.kind, first.name, first.qualifiers) == (second.kind, second.name, second.qualifiers)
        if are_same:
            raise UsageError(f"{subject} compares {first.bare!r} with itself.")
    for term, key in itertools.product(statement.terms, statement.qualified):
        is_named = key in dict(term.qualifiers) or key in _NEED_NOT_NAME.get(term.kind, ())
        if not is_named:
            raise UsageError(
                f"{subject}: another term names a {key}, and {term.bare!r} does not; write [{key}=...] after it too."
            )


class _Reader:
    """Reads a statement from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._position = self._last = 0  # where the next word begins, and where the last one began

    def at_end(self) -> bool:
        """Return whether nothing but blanks follows."""
        return not self._text[self._position :].strip()

    def relation(self) -> str:
        """Read a relation."""
        hint = f" Known relations: {listing(RELATIONS)}."
        return " ".join(self._take(_RELATION, "a relation", hint).split())

    def term(self) -> Term:
        """Read a term: a number, or a metric or the like with what it is multiplied by and where it is taken."""
        factor = 1.0
        expected = "a metric, each, every other, inter-judge or a number"
        if number := self._take(_NUMBER):
            start = self._last
            factor = float(number)
            expected = "a metric, each, every other or inter-judge"
            if not math.isfinite(factor):
                self._fail("a number that a computer can hold", at=start)
            if self._take(r"\["):
                self._fail("a relation, for a number takes no [...]", at=self._last)
            if not self._take(r"\*"):
                return Term(NUMBER, number=factor)
            if factor <= 0:
                self._fail("a factor above 0", at=start)
        kind = " ".join(self._take(_SPECIAL).split())
        name = "" if kind else self._take_text(_NAME, expected)
        return Term(kind or METRIC, name, factor=factor, qualifiers=self._qualifiers(kind))

    def _qualifiers(self, kind: str) -> tuple[tuple[str, Value], ...]:
        values: dict[str, Value] = {}
        while self._take("," if values else r"\["):
            expected = "a key with its value, such as references=3"
            key = self._take(r"[\w-]+", expected, f" Known keys: {listing(QUALIFIERS)}.")
            if key not in QUALIFIERS:
                self._fail(expected, f" {unknown('key', key, QUALIFIERS)}", at=self._last)
            if kind == JUDGES and key == "preprocessing":
                expected = "another key: judges read no preprocessed texts, so inter-judge has no preprocessing"
                self._fail(expected, at=self._last)
            if key in values:
                self._fail("each key once", at=self._last)
            self._take("=", "'='")
            values[key] = self._number(key) if key in NUMBERS else self._take_text(_VALUE, f"a value of {key}")
        if values:
            self._take(r"\]", "',' or ']'")
        return tuple(values.items())

    def _number(self, key: str) -> Value:
        text = self._take(_VALUE, f"a value of {key}")
        if text == MOST:
            return text
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not 1 <= number < math.inf:
            self._fail(f"a number, 1 or more, or {MOST}", at=self._last)
        return number

    def _take_text(self, plain: str, expected: str) -> str:
        """Read a text of a pattern, or any in quotes."""
        text = self._take(f"{_STRING}|{plain}", expected)
        if text[0] not in "\"'":
            return text
        try:
            return str(ast.literal_eval(text))
        except (ValueError, SyntaxError):
            self._fail("text in quotes", at=self._last)

    def _take(self, pattern: str, expected: str = "", hint: str = "") -> str:
        """Read what has a pattern, behind blanks; where nothing has, return "", or raise if it is expected."""
        match = re.compile(rf"\s*({pattern})", re.DOTALL).match(self._text, self._position)
        if match:
            self._last = match.start(1)
            self._position = match.end()
            return match.group(1)
        if expected:
            self._fail(expected, hint)
        return ""

    def _fail(self, expected: str, hint: str = "", *, at: int | None = None) -> NoReturn:
        remaining = self._text[self._position if at is None else at :].lstrip()
        got = repr(remaining.split()[0]) if remaining else "the end"
        if re.match(r"[\"'(]", remaining) and not re.match(rf"{_STRING}|\({_PARAMETERS}\)", remaining, re.DOTALL):
            hint = f" Is the closing {'parenthesis' if remaining[0] == '(' else remaining[0]} missing?"
        character = len(self._text) - len(remaining) + 1
        raise UsageError(f"the statement {self._text!r}, character {character}: expected {expected}; got {got}.{hint}")
