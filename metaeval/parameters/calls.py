"""Names with parameters, such as ``gtm(exponent=2)``, and signatures, such as ``BLEU|order:4|mean:geometric``.

Metrics, preprocessing, coefficients and tests are named by one string that is the same in configs, on the command line,
in tables and in legends. A signature is the string that says all that determined a number; its grammar is sacreBLEU's.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from metaeval.errors import UsageError

_CALL = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9_.-]*)\s*(?:\((.*)\))?\s*", re.DOTALL)


@dataclass(frozen=True)
class Call:
    """A parsed name: `name`, its `arguments`, and the text `written` by the user (not compared)."""

    name: str
    arguments: Mapping[str, object]
    written: str = field(compare=False)

    def __str__(self) -> str:
        """Return the canonical form: arguments in alphabetical order, no blanks inside."""
        if not self.arguments:
            return self.name
        inner = ",".join(f"{key}={_literal(value)}" for key, value in sorted(self.arguments.items()))
        return f"{self.name}({inner})"


def _literal(value: object) -> str:
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)  # every JSON text is a Python literal of the same meaning
    if isinstance(value, list | tuple):
        return "[" + ",".join(_literal(item) for item in value) + "]"
    return repr(value)


def spelt_as(name: str, known: Iterable[str]) -> str:
    """Return the known name that is meant: the same, else the only one that differs in capitals alone.

    A name that is not known, or could be several, comes back as it is.
    """
    names = list(dict.fromkeys(known))
    same_letters = [candidate for candidate in names if candidate.casefold() == name.casefold()]
    return same_letters[0] if name not in names and len(same_letters) == 1 else name


def with_prefix(text: str, prefixes: Iterable[str]) -> tuple[str, str]:
    """Return the text before a colon, if it is one of some prefixes, and the rest: ``("segment", "kendall")``.

    Without such a prefix, the first is "" and the rest is the text.
    """
    prefix, _, rest = text.partition(":")
    return (prefix.strip(), rest) if prefix.strip() in prefixes and rest else ("", text)


def parse_call(text: str) -> Call:
    """Parse a name with optional parameters, whose values are Python literals.

    Parameters
    ----------
    text : str
        For example ``bleu``, ``gtm(exponent=2)`` or ``case(tokenizer="13a")``.

    Returns
    -------
    Call
        Printing it gives the canonical form; parsing that form gives an equal call.

    Raises
    ------
    UsageError
        If the text has another form.
    """
    match = _CALL.fullmatch(text)
    if not match:
        separated = " ".join(text.replace(",", " ").split())
        hint = f" Several names stand side by side: {separated}." if "," in text and "(" not in text else ""
        raise UsageError(f"a name must look like bleu or gtm(exponent=2); got {text!r}.{hint}")
    name, inner = match.groups()
    if inner is None or not inner.strip():
        return Call(name, {}, _one_line(text))
    form = f"the parameters of {name!r} must be written parameter=value, with Python literals as values; got ({inner})."
    try:
        call = ast.parse(f"f({inner}\n)", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise UsageError(form) from error
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
        raise UsageError(form)
    arguments: dict[str, object] = {}
    for keyword in call.keywords:
        if keyword.arg is None or keyword.arg in arguments:
            raise UsageError(form)
        try:
            arguments[keyword.arg] = ast.literal_eval(keyword.value)
        except (ValueError, TypeError) as error:
            raise UsageError(f"{form} Text needs quotes: {keyword.arg}={ast.unparse(keyword.value)!r}.") from error
    return Call(name, arguments, _one_line(text))


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


@dataclass(frozen=True)
class Signature:
    """A record of everything that determined a number: a name and keys with values, in order.

    ``str(signature)`` gives ``name|key:value|...``. A ``|`` or ``%`` inside a name or value is written ``%7C`` or
    ``%25``, so that :meth:`parse` gives the same signature back.

    Attributes
    ----------
    name : str
        Of what made the number.
    items : tuple of (str, str)
        Keys with their values.

    Examples
    --------
    >>> str(Signature("BLEU").with_items(order=4, smooth=False))
    'BLEU|order:4|smooth:no'
    """

    name: str
    items: tuple[tuple[str, str], ...] = ()

    def with_items(self, **items: object) -> Signature:
        """Return the signature with further keys at its end.

        Parameters
        ----------
        **items : object
            Keys with their values; an underscore in a key becomes a hyphen.

        Returns
        -------
        Signature
            A new one.
        """
        return self.with_pairs((key.replace("_", "-"), value) for key, value in items.items())

    def with_pairs(self, pairs: Iterable[tuple[str, object]]) -> Signature:
        """Return the signature with further pairs at its end.

        Parameters
        ----------
        pairs : iterable of (str, object)
            Keys with their values.

        Returns
        -------
        Signature
            A new one.
        """
        added = tuple((key, _plain(value)) for key, value in pairs)
        return Signature(self.name, self.items + added)

    def __str__(self) -> str:
        parts = [_escape(self.name), *(f"{_escape(key)}:{_escape(value)}" for key, value in self.items)]
        return "|".join(parts)

    @classmethod
    def parse(cls, text: str) -> Signature:
        """Read a signature back from its text.

        Parameters
        ----------
        text : str
            What ``str(signature)`` gave.

        Returns
        -------
        Signature
            The same one.
        """
        name, *rest = text.split("|")
        pairs = (part.partition(":") for part in rest)
        return cls(_unescape(name), tuple((_unescape(key), _unescape(value)) for key, _, value in pairs))


def signature_changes(old: str, new: str) -> list[tuple[str, str | None, str | None]]:
    """Return the keys whose values differ in two signatures, with both values; of a key that stands twice, both.

    The name has the key ``(name)``; a key that a signature has not has the value None.
    """
    first, second = _by_key(old), _by_key(new)
    return [
        (key, first.get(key), second.get(key))
        for key in dict.fromkeys([*first, *second])
        if first.get(key) != second.get(key)
    ]


def _by_key(text: str) -> dict[str, str]:
    if not text:
        return {}
    signature = Signature.parse(text)
    values = {"(name)": signature.name}
    for key, value in signature.items:
        values[key] = f"{values[key]}, {value}" if key in values else value
    return values


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return "+".join(str(item) for item in value)
    return str(value)


@lru_cache(maxsize=1 << 12)
def _escape(text: str) -> str:
    return text.replace("%", "%25").replace("|", "%7C").replace("\n", "%0A")


def _unescape(text: str) -> str:
    return text.replace("%0A", "\n").replace("%7C", "|").replace("%25", "%")


def file_part(text: str) -> str:
    """Return a text as part of a file name: letters and digits of any script, dots, plus signs and hyphens."""
    return re.sub(r"[^\w.+-]+", "-", text).strip("-")
