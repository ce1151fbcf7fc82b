"""[filter]: which systems, documents and segments of a corpus take part, as a user writes it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from metaeval.components.registry import later
from metaeval.errors import UsageError, as_typed, unknown
from metaeval.parameters.arguments import names
from metaeval.parameters.fields import Named, Parsed, parameter

Value = str | float | tuple[str | float, ...]


@dataclass(frozen=True)
class FilterSettings(Parsed):
    """[filter]: what of each corpus takes part; everything unless something is named."""

    systems: tuple[str, ...] = parameter((), doc="names of systems that stay, or patterns such as online-*")
    without: tuple[str, ...] = parameter((), doc="names or patterns of systems that are left out")
    humans: tuple[str, ...] = parameter(
        (),
        doc="references that are systems instead, by name; a pattern such as * stands for those that were judged and "
        "are not named in [references]",
    )
    outliers: Named[Any] = parameter(
        "",
        doc="leave out systems whose human score is far from the others: mad, or mad(threshold=3), in median absolute "
        "deviations",
        parse=later("metaeval.correlation.influence:get_outliers"),
    )
    documents: tuple[str, ...] = parameter((), doc="names or patterns of documents that stay")
    where: Mapping[str, Value] = parameter(
        factory=dict,
        doc="segments that stay, by a fact such as domain, by document or by source_length in characters: a value, a "
        "list of values, or of numbers a range such as 10..50, 10.. or ..50",
    )

    @property
    def items(self) -> dict[str, tuple[str, ...]]:
        """The settings as texts, by the dotted names of their keys; empty where everything takes part."""
        texts: dict[str, tuple[str, ...]] = {}
        for key in _FILTER_KEYS:
            setting = getattr(self, key)
            if key == "where":
                for fact, value in setting.items():
                    values = value if isinstance(value, tuple) else (value,)
                    texts[f"where.{fact}"] = tuple(map(_text, values))
            elif key == "outliers":
                if setting.kind is not None:
                    texts["outliers"] = (str(setting.kind),)
            elif setting:
                texts[key] = setting
        return texts

    def __str__(self) -> str:
        return ";".join(f"{key}={','.join(values)}" for key, values in self.items.items())


def _text(value: str | float) -> str:
    """Return a value as files have it: 5, not 5.0."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


_FILTER_KEYS = tuple(item.name for item in fields(FilterSettings))


def filter_of(given: Mapping[str, Any] | str | Iterable[str]) -> dict[str, Any]:
    """Return the keys of [filter] that a caller gave: a table, or texts such as ``where.domain=news``.

    Raises
    ------
    UsageError
        If a text is no key with a value, or the key is unknown.
    """
    if isinstance(given, Mapping):
        return {key: [value] if isinstance(value, str) and key in _LIST_KEYS else value for key, value in given.items()}
    settings: dict[str, Any] = {}
    for text in names("filter", given):
        key, equals, value = (part.strip() for part in text.partition("="))
        name, dot, fact = key.partition(".")
        if not (equals and value) or (name == "where") != bool(dot and fact):
            raise UsageError(
                f"{_option()} must be KEY=VALUE, such as without=NAME,NAME or where.domain=news, with one of the keys "
                f"{', '.join(_FILTER_KEYS)}; got {text!r}."
            )
        if name not in _FILTER_KEYS:
            raise UsageError(f"{_option()} {text}: {unknown('key', name, _FILTER_KEYS)}")
        several = [value] if name == "outliers" and value[0] != '"' else _values(value, text)
        if not several:
            raise UsageError(f"{_option()} {text}: `{key}` must name at least one, or be left out.")
        if name in _LIST_KEYS:
            settings[name] = [*settings.get(name, ()), *several]
            continue
        table = settings.setdefault("where", {}) if fact else settings
        last = fact or name
        if last in table:
            raise UsageError(
                f"{_option()} {text}: `{key}` was given before; give all its values at once, as in {key}=A,B."
            )
        table[last] = several[0] if len(several) == 1 else several
    return settings


def _option() -> str:
    """Name the argument in messages."""
    return as_typed(terminal="--filter", python="`filter`")


_LIST_KEYS = tuple(name for name in _FILTER_KEYS if name not in ("outliers", "where"))


def _values(value: str, text: str) -> list[Any]:
    """Return words that commas separate, or values of TOML."""
    if value[0] not in '["':
        return [word.strip() for word in value.split(",") if word.strip()]
    try:
        parsed = tomllib.loads(f"value = {value}")["value"]
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"{_option()} {text}: {value!r} is not a value of TOML ({error}).") from error
    return parsed if isinstance(parsed, list) else [parsed]
