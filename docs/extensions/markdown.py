"""What the generated pages are written with: escapes, tables, docstrings, and parameters in words."""

from __future__ import annotations

import collections.abc
import contextlib
import dataclasses
import inspect
import io
import re
import types
import typing
from collections.abc import Iterable, Sequence
from typing import Any

from metaeval.components.figure import Figure
from metaeval.parameters.fields import Named

_KINDS = {int: "whole number", float: "number", str: "text", bool: "true or false"}
_PLURALS = {int: "whole numbers", float: "numbers", str: "texts", bool: "true or false"}


def escaped(text: str) -> str:
    """Return plain text as Markdown that shows it as it stands; what is between backticks is code."""
    pieces = re.split(r"(`+[^`]+`+)", text)
    return "".join(
        piece.replace("``", "`") if piece.startswith("`") else re.sub(r"([\\*_\[\]<>|$#{}])", r"\\\1", piece)
        for piece in pieces
    )


def code(text: str) -> str:
    """Return a text as inline code."""
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def sentence(text: str) -> str:
    """Return a phrase as a sentence."""
    text = text.strip()
    return text if not text else text[0].upper() + text[1:] + ("" if text[-1] in ".!?" else ".")


def docstring(item: object) -> str:
    """Return the first part of a docstring, before its sections, as Markdown."""
    text = inspect.getdoc(item) or ""
    before = re.split(r"^\w[\w ]*\n-{3,}$", text, maxsplit=1, flags=re.MULTILINE)[0].strip()
    before = re.sub(r":\w+:`~?(?:[\w.]*\.)?([^`]+)`", r"`\1`", before)
    return escaped(before)


def restructured(text: str) -> str:
    """Return reStructuredText as a block of a Markdown page; its sections become paragraphs with a bold head."""
    text = re.sub(r"^(\w[\w ]*)\n-{3,}$", r".. rubric:: \1\n", text, flags=re.MULTILINE)
    text = re.sub(r"(?<!\w)`` (\S) ``(?!\w)", r"``\1``", text)
    return f"````{{eval-rst}}\n{text.strip()}\n````"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of cells that are Markdown already."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(map(_cell, line)) + " |" for line in lines)


def _cell(text: str) -> str:
    """Return a cell in one line; bars do not end it."""
    return re.sub(r"(?<!\\)\|", r"\|", " ".join(text.split("\n")))


def page(name: str, *parts: str) -> dict[str, str]:
    """Return a page by its path, made of the parts that are not empty."""
    return {f"{name}.md": "\n\n".join(part for part in parts if part) + "\n"}


def contents(names: Iterable[str]) -> str:
    """Return the table of contents of the pages beside an index."""
    return "```{toctree}\n:hidden:\n\n" + "\n".join(names) + "\n```"


def anchor(*parts: str) -> str:
    """Return the target for what follows: ``key-documents-lengths``."""
    return f"({name_of(*parts)})="


def name_of(*parts: str) -> str:
    """Return the name of a target."""
    return "-".join(re.sub(r"[^a-z0-9]+", "-", part.lower()).strip("-") for part in parts)


def type_words(hint: Any) -> str:
    """Return a type in words that users know."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is Named:
        return type_words(str)
    if origin in (typing.Union, types.UnionType):
        return " or ".join(type_words(one) for one in arguments if one is not type(None))
    if origin is typing.Literal:
        return (
            "one of " + ", ".join(code(_toml(one)) for one in arguments)
            if len(arguments) > 1
            else code(_toml(arguments[0]))
        )
    if origin is tuple:
        inner = str if typing.get_origin(arguments[0]) is Named else arguments[0]
        if isinstance(inner, types.UnionType):
            return "list of " + " or ".join(_PLURALS[one] for one in typing.get_args(inner))
        is_table = dataclasses.is_dataclass(inner) or issubclass(inner, Figure)
        return "list of tables" if is_table else f"list of {_PLURALS[inner]}"
    if origin is collections.abc.Mapping:
        return f"table, each value {type_words(arguments[1])}"
    return "table" if dataclasses.is_dataclass(hint) else _KINDS[hint]


def limits(item: dataclasses.Field[Any]) -> str:
    """Return the limits of a parameter in words."""
    words = (("at least", item.metadata.get("minimum")), ("at most", item.metadata.get("maximum")))
    return ", ".join(f"{word} {_number(limit)}" for word, limit in words if limit is not None)


def _number(limit: float) -> str:
    return f"{int(limit):,}" if limit == int(limit) else f"{limit:.15g}"


def default(item: dataclasses.Field[Any], *, toml: bool = False) -> str:
    """Return the default of a parameter as users write it, or that there is none."""
    value = item.default_factory() if item.default_factory is not dataclasses.MISSING else item.default
    if value is dataclasses.MISSING:
        return "required"
    return "none" if value is None else code(_toml(value) if toml else repr(value))


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return f'"{value}"' if isinstance(value, str) else str(value)


def parameters(cls: type) -> str:
    """Return the table of a dataclass's parameters, or a sentence if it has none."""
    items = [item for item in dataclasses.fields(cls) if item.init]
    if not items:
        return "It has no parameters."
    hints = typing.get_type_hints(cls)
    rows = []
    for item in items:
        choices = [code(repr(choice)) for choice in item.metadata.get("choices") or ()]
        allowed = ", ".join(choices) or "; ".join(filter(None, [type_words(hints[item.name]), limits(item)]))
        rows.append([code(item.name), default(item), allowed, escaped(item.metadata["doc"])])
    return table(["parameter", "default", "allowed", "meaning"], rows)


def told(statements: Sequence[str]) -> str:
    """Run statements of Python and return them as an interpreter shows them, with what they print and give."""
    names: dict[str, object] = {}
    shown = []
    for statement in statements:
        first, *more = statement.splitlines()
        shown += [f">>> {first}", *(f"... {line}" for line in more)]
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(statement, "example", "single"), names)
        shown += printed.getvalue().splitlines()
    return "```python\n" + "\n".join(shown) + "\n```"
