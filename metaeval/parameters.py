"""Declared parameters: one declaration gives the default, the check, the error message and the documentation.

A metric, a condition, a coefficient or a section of a config is a frozen dataclass whose fields are made by
:func:`parameter`. :func:`build` makes one from what the user wrote.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from metaeval.errors import UsageError, listing, unknown

T = TypeVar("T")
Path = tuple[str | int, ...]
Locate = Callable[[Path], str]


def parameter(
    default: Any = dataclasses.MISSING,
    *,
    doc: str,
    factory: Callable[[], Any] | None = None,
    choices: Sequence[object] | None = None,
    minimum: float | None = None,
    maximum: float | None = None,
) -> Any:
    """Declare a field of a dataclass as a parameter.

    Parameters
    ----------
    default
        The value when none is given; without it the parameter is required.
    doc : str
        One sentence on what it means.
    factory : callable, optional
        Makes the default, for values that are not plain.
    choices : sequence, optional
        The values allowed.
    minimum, maximum : float, optional
        The smallest and the largest number allowed; for a list, in each of its places.
    """
    facts = {"doc": doc, "choices": tuple(choices) if choices else None, "minimum": minimum, "maximum": maximum}
    if factory is not None:
        return dataclasses.field(default_factory=factory, metadata=facts)
    return dataclasses.field(default=default, metadata=facts)


@dataclass(frozen=True)
class Description:
    """What there is to know of one parameter, for help and documentation."""

    name: str
    default: object
    choices: tuple[object, ...] | None
    doc: str


def describe(cls: type) -> tuple[Description, ...]:
    """Return the parameters of a dataclass in the order of their declaration."""
    return tuple(
        Description(item.name, item.default, item.metadata.get("choices"), str(item.metadata.get("doc", "")))
        for item in dataclasses.fields(cls)
        if item.init
    )


def non_default(instance: object) -> dict[str, object]:
    """Return the parameters of a built object that differ from their defaults."""
    return {
        item.name: getattr(instance, item.name)
        for item in dataclasses.fields(instance)  # type: ignore[arg-type]
        if getattr(instance, item.name) != item.default
    }


def build(cls: type[T], values: Mapping[str, object], *, subject: str, locate: Locate | None = None) -> T:
    """Make a dataclass from what the user wrote.

    Parameters
    ----------
    cls : type
        A dataclass whose fields were made by :func:`parameter`.
    values : mapping
        Names and values; lists stand for tuples, mappings for nested dataclasses.
    subject : str
        What is being made, for messages: ``metric 'bleu'``.
    locate : callable, optional
        Gives the place of a value, such as ``my.toml:7``, from its path.

    Raises
    ------
    UsageError
        If a name is unknown, a required one is missing, or a value is not allowed.
    """
    return _build(cls, values, subject, locate or (lambda path: ""), ())


def _build(cls: type[T], values: Mapping[str, object], subject: str, locate: Locate, path: Path) -> T:
    fields = {item.name: item for item in dataclasses.fields(cls) if item.init}  # type: ignore[arg-type]
    hints = typing.get_type_hints(cls)
    for name in values:
        if name not in fields:
            place = locate((*path, name))
            raise UsageError(f"{place}{subject}: {unknown('parameter', name, fields)}")
    chosen: dict[str, Any] = {}
    for name, item in fields.items():
        if name not in values:
            if item.default is dataclasses.MISSING and item.default_factory is dataclasses.MISSING:
                raise UsageError(f"{locate(path)}{subject}: `{name}` is missing ({item.metadata['doc']})")
            continue
        here = (*path, name)
        value = _conform(values[name], hints[name], f"{subject}: `{name}`", locate, here)
        _check_allowed(value, item.metadata, f"{locate(here)}{subject}: `{name}`")
        chosen[name] = value
    return cls(**chosen)


def _check_allowed(value: object, facts: Mapping[str, Any], what: str) -> None:
    for one in value if isinstance(value, tuple) else (value,):
        if facts["choices"] and one not in facts["choices"]:
            raise UsageError(f"{what} must be one of {listing(facts['choices'])}; got {one!r}.")
        if isinstance(one, int | float) and not isinstance(one, bool):
            low, high = facts["minimum"], facts["maximum"]
            if (low is not None and not one >= low) or (high is not None and not one <= high):
                limits = " and ".join(
                    f"at {word} {limit:g}" for word, limit in (("least", low), ("most", high)) if limit is not None
                )
                raise UsageError(f"{what} must be {limits}; got {one!r}.")


def _conform(value: object, hint: Any, what: str, locate: Locate, path: Path) -> Any:
    """Return the value as the type that the hint asks for, or raise."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return _conform_union(value, hint, what, locate, path)
    if origin is typing.Literal:
        if value in arguments:
            return value
        raise UsageError(f"{locate(path)}{what} must be one of {listing(arguments)}; got {value!r}.")
    if origin is tuple:
        if not isinstance(value, list | tuple):
            raise UsageError(f"{locate(path)}{what} must be a list; got {value!r}.")
        inner = arguments[0]
        return tuple(
            _conform(item, inner, f"{what}[{index}]", locate, (*path, index)) for index, item in enumerate(value)
        )
    if dataclasses.is_dataclass(hint):
        if not isinstance(value, Mapping):
            raise UsageError(f"{locate(path)}{what} must be a table; got {value!r}.")
        return _build(typing.cast("type[Any]", hint), value, what.replace("`", ""), locate, path)
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, hint) and not (hint is not bool and isinstance(value, bool)):
        return value
    raise UsageError(f"{locate(path)}{what} must be {_KINDS.get(hint, hint.__name__)}; got {value!r}.")


_KINDS = {int: "a whole number", float: "a number", str: "text", bool: "true or false"}


def _conform_union(value: object, hint: Any, what: str, locate: Locate, path: Path) -> Any:
    kinds = typing.get_args(hint)
    if value is None and type(None) in kinds:
        return None
    kinds = tuple(kind for kind in kinds if kind is not type(None))
    refusals = []
    for kind in kinds:
        try:
            return _conform(value, kind, what, locate, path)
        except UsageError as error:
            refusals.append(error)
    # A list that was meant as a list deserves the message about its item, not the one about the other alternative.
    lists = [error for kind, error in zip(kinds, refusals, strict=True) if typing.get_origin(kind) is tuple]
    if isinstance(value, list | tuple) and lists:
        raise lists[0]
    if len(refusals) == 1:
        raise refusals[0]
    must = " or ".join(_wording(kind) for kind in kinds)
    raise UsageError(f"{locate(path)}{what} must be {must}; got {value!r}.")


def _wording(kind: Any) -> str:
    if typing.get_origin(kind) is tuple:
        return "a list"
    if typing.get_origin(kind) is typing.Literal:
        return " or ".join(repr(item) for item in typing.get_args(kind))
    return _KINDS.get(kind) or str(kind.__name__)
