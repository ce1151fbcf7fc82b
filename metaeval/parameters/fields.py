"""Declared parameters: one declaration gives the default, the check, the error message and the documentation.

A metric, a preprocessing, a coefficient or a section of a config is a frozen dataclass whose fields are made by
:func:`parameter`. :func:`build` makes one from what the user wrote.
"""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from metaeval.errors import UsageError, present_name, unknown
from metaeval.parameters.named_objects import written_of

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
    check: Callable[[str], object] | None = None,
    parse: Callable[[str], object] | None = None,
    tables: Mapping[str, type] | None = None,
) -> Any:
    """Declare a field of a dataclass as a parameter.

    Parameters
    ----------
    default : object, optional
        The value when none is given; without it the parameter is required.
    doc : str
        One sentence on what it means.
    factory : callable, optional
        Makes the default, for values that are not plain.
    choices : sequence, optional
        The values allowed.
    minimum, maximum : float, optional
        The smallest and the largest number allowed; for a list, in each of its places.
    check : callable, optional
        Raises UsageError for a text that is not allowed; for a list, called for each of its places.
    parse : callable, optional
        Makes what a text stands for, of which the field holds a `Named`; for a list, one in each of its places. The
        class of the field inherits from `Parsed`.
    tables : mapping of str to type, optional
        For a list of tables of several kinds: the dataclass of each, by the value of the key ``kind``.

    Returns
    -------
    Field
        For a dataclass, in the place of a default.
    """
    facts = {
        "doc": doc,
        "choices": tuple(choices) if choices else None,
        "minimum": minimum,
        "maximum": maximum,
        "check": check,
        "parse": parse,
        "tables": tables,
    }
    if factory is not None:
        return dataclasses.field(default_factory=factory, metadata=facts)
    return dataclasses.field(default=default, metadata=facts)


def merged(base: Mapping[str, Any], *later: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings over those of a base, tables key by key, all else as a whole.

    Parameters
    ----------
    base : mapping
        What holds where nothing else is said.
    *later : mapping
        Later ones win over earlier ones.

    Returns
    -------
    dict
        A new one; what is in it may be shared.
    """
    result = dict(base)
    for settings in later:
        for key, value in settings.items():
            are_tables = isinstance(value, Mapping) and isinstance(result.get(key), Mapping)
            result[key] = merged(result[key], value) if are_tables else value
    return result


@dataclass(frozen=True)
class Named(Generic[T]):
    """A kind and its name as the user wrote it: texts are printed, and never parsed a second time.

    Attributes
    ----------
    written : str
        Such as ``spearman(ties="uncorrected")``.
    kind : object
        What it stands for.
    """

    written: str
    kind: T

    def __str__(self) -> str:
        return self.written


class Parsed:
    """A dataclass some of whose fields are texts that stand for something; what they stand for is made once."""

    def __post_init__(self) -> None:
        for item in dataclasses.fields(self):  # type: ignore[arg-type]  # of a dataclass
            if parse := item.metadata.get("parse"):
                given = getattr(self, item.name)
                several = given if isinstance(given, tuple) else (given,)
                named = tuple(Named(value, parse(value)) if isinstance(value, str) else value for value in several)
                object.__setattr__(self, item.name, named if isinstance(given, tuple) else named[0])


@dataclass(frozen=True)
class Description:
    """A description of one parameter, for help and documentation.

    Attributes
    ----------
    name : str
        Of the parameter.
    default : object
        The value when none is given; ``dataclasses.MISSING`` if one must be given.
    choices : tuple of object, or None
        The values allowed, where they can be listed.
    doc : str
        What it means.
    """

    name: str
    default: object
    choices: tuple[object, ...] | None
    doc: str


def describe(cls: type) -> tuple[Description, ...]:
    """Return the parameters of a dataclass in the order of their declaration.

    Parameters
    ----------
    cls : type
        A dataclass whose fields were made by :func:`parameter`.

    Returns
    -------
    tuple of Description
        One for each parameter.
    """
    return tuple(
        Description(item.name, item.default, item.metadata.get("choices"), str(item.metadata.get("doc", "")))
        for item in dataclasses.fields(cls)
        if item.init
    )


def build(
    cls: type[T], values: Mapping[str, object], *, subject: str, locate: Locate | None = None, noun: str = "parameter"
) -> T:
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
    noun : str
        What a name is called in messages: a parameter, or a key.

    Returns
    -------
    object
        An instance of `cls`.

    Raises
    ------
    UsageError
        If a name is unknown, a required one is missing, or a value is not allowed.
    """
    return _Builder(subject, locate or (lambda path: ""), noun).build(cls, values, ())


def check_fields(made: Any, subject: str) -> None:
    """Check what an object of such a dataclass was made with in Python against the choices and limits of its fields.

    Parameters
    ----------
    made : object
        A dataclass whose fields are made by `parameter`.
    subject : str
        What it is, for messages: ``coefficient 'kendall'``.

    Raises
    ------
    UsageError
        If a value is not allowed.
    """
    builder = _Builder(subject, lambda path: "", "parameter")
    for item in dataclasses.fields(made):
        builder.check_one(getattr(made, item.name), item.metadata, (item.name,))


@dataclass(frozen=True)
class _Builder:
    """Builds dataclasses from what one user wrote; `path` leads from the whole to the value at hand."""

    subject: str
    locate: Locate
    noun: str

    def build(self, cls: type[T], values: Mapping[str, object], path: Path) -> T:
        """Return an instance of a dataclass."""
        fields = {item.name: item for item in dataclasses.fields(cls) if item.init}  # type: ignore[arg-type]
        hints = _hints(cls)
        for name in values:
            if name not in fields:
                where = f"{self.dotted(path)}: " if path else ""
                # A class may say what became of a parameter that it had once.
                former: Mapping[str, str] = getattr(cls, "former_parameters", {})
                raise self.error((*path, name), f"{where}{former.get(name) or unknown(self.noun, name, fields)}")
        chosen: dict[str, Any] = {}
        for name, item in fields.items():
            here = (*path, name)
            if name in values:
                if item.metadata.get("tables"):
                    chosen[name] = self.conform_tables(values[name], item.metadata["tables"], here)
                else:
                    chosen[name] = self.check(self.conform(values[name], hints[name], here), item.metadata, here)
            elif item.default is dataclasses.MISSING and item.default_factory is dataclasses.MISSING:
                doc = f" ({item.metadata['doc']})" if "doc" in item.metadata else ""
                raise self.error(path, f"{self.dotted(here)} is missing{doc}.")
        return cls(**chosen)

    def dotted(self, path: Path) -> str:
        """Return a path as messages have it."""
        dotted = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)
        return f"`{dotted.lstrip('.')}`"

    def error(self, path: Path, message: str) -> UsageError:
        """Return the error of a value, with the place where it stands."""
        return UsageError(message, place=self.locate(path), subject=f"{self.subject}: ")

    def refuse(self, path: Path, must: str, value: object) -> UsageError:
        """Return the error for a value that is not what it must be."""
        return self.error(path, f"{self.dotted(path)} must be {must}; got {value!r}.")

    def check(self, value: object, facts: Mapping[str, Any], path: Path) -> Any:
        """Return a value of the right type, or each of a list, checked, and made into what it stands for."""
        if isinstance(value, tuple):
            return tuple(self.check_one(item, facts, (*path, index)) for index, item in enumerate(value))
        return self.check_one(value, facts, path)

    def check_one(self, value: object, facts: Mapping[str, Any], here: Path) -> Any:
        """Check one value against choices, limits and the declared check, if there are any."""
        if "doc" not in facts:
            return value
        if facts["choices"] and value not in facts["choices"]:
            raise self.refuse(here, f"one of {', '.join(map(repr, facts['choices']))}", value)
        if isinstance(value, int | float) and not isinstance(value, bool):
            low, high = facts["minimum"], facts["maximum"]
            if (low is not None and not value >= low) or (high is not None and not value <= high):
                words = (("least", low), ("most", high))
                limits = (f"at {word} {limit:.15g}" for word, limit in words if limit is not None)
                raise self.refuse(here, " and ".join(limits), value)
        parse = facts["check"] or facts["parse"]
        if parse and isinstance(value, str):
            try:
                parsed = parse(value)
            except UsageError as error:
                raise UsageError(str(error), place=self.locate(here)) from error
            return Named(written_of(value), parsed) if facts["parse"] else value
        return value

    def conform(self, value: object, hint: Any, path: Path) -> Any:
        """Return the value as the type that the hint asks for, or raise."""
        origin, arguments = typing.get_origin(hint), typing.get_args(hint)
        if origin in (typing.Union, types.UnionType):
            return self.conform_union(value, hint, path)
        if origin is typing.Literal and isinstance(value, str | int | float) and value in arguments:
            return value
        if origin is Named:
            return self.conform(value, str, path)
        if origin is tuple and isinstance(value, list | tuple):
            hints = arguments if arguments[-1] is not ... else [arguments[0]] * len(value)
            if len(value) != len(hints):
                raise self.refuse(path, f"a list of {len(hints)}", value)
            return tuple(self.conform(item, hints[index], (*path, index)) for index, item in enumerate(value))
        if origin is Mapping and isinstance(value, Mapping):
            return {name: self.conform(item, arguments[1], (*path, name)) for name, item in value.items()}
        if dataclasses.is_dataclass(hint) and isinstance(value, Mapping):
            return self.build(typing.cast("type[Any]", hint), value, path)
        if hint is float and isinstance(value, int) and not isinstance(value, bool):
            if abs(value) > _LARGEST_INTEGER:
                raise self.error(
                    path,
                    f"{self.dotted(path)} must be at most 1e300 in size; got a whole number of more than 300 digits.",
                )
            return float(value)
        if hint in _TYPE_WORDS and isinstance(value, hint) and (hint is bool or not isinstance(value, bool)):
            return value
        raise self.refuse(path, _wording(hint), value)

    def conform_tables(self, value: object, kinds: Mapping[str, type], path: Path) -> tuple[Any, ...]:
        """Return tables of several kinds, each as the dataclass of its kind."""
        if not isinstance(value, list | tuple):
            raise self.refuse(path, "a list", value)
        built: list[Any] = []
        for index, table in enumerate(value):
            here = (*path, index)
            if not isinstance(table, Mapping):
                raise self.refuse(here, "a table", table)
            if "kind" not in table:
                raise self.error(here, f"{self.dotted((*here, 'kind'))} is missing (one of {', '.join(kinds)}).")
            kind = table["kind"]
            if not isinstance(kind, str) or kind not in kinds:
                where = (*here, "kind")
                names = ", ".join(map(repr, kinds))
                renamed = present_name("figure", kind) if path[-1:] == ("figures",) else ""
                raise self.error(where, f"{self.dotted(where)} must be one of {names}; got {kind!r}.{renamed}")
            values = {key: item for key, item in table.items() if key != "kind"}
            parameters = {item.name for item in dataclasses.fields(kinds[kind])}
            for key in values:
                if key in parameters:
                    continue
                owners = [name for name, cls in kinds.items() if key in {item.name for item in dataclasses.fields(cls)}]
                if owners:
                    message = f"`{key}` belongs to the kind {' or '.join(map(repr, owners))}, not to {kind!r}."
                    raise self.error((*here, key), message)
            built.append(self.build(kinds[kind], values, here))
        return tuple(built)

    def conform_union(self, value: object, hint: Any, path: Path) -> Any:
        """Return the value as the first alternative that takes it."""
        kinds = typing.get_args(hint)
        if value is None and type(None) in kinds:
            return None
        kinds = tuple(kind for kind in kinds if kind is not type(None))
        for kind in kinds:
            try:
                return self.conform(value, kind, path)
            except UsageError:
                # A list that was meant as a list deserves the message about its item.
                if len(kinds) == 1 or (isinstance(value, list | tuple) and typing.get_origin(kind) is tuple):
                    raise
        raise self.refuse(path, " or ".join(map(_wording, kinds)), value)


_hints: Callable[[type], dict[str, Any]] = functools.cache(typing.get_type_hints)
_LARGEST_INTEGER = 10**300
_TYPE_WORDS = {int: "a whole number", float: "a number", str: "text", bool: "true or false"}


def _wording(hint: Any) -> str:
    if typing.get_origin(hint) is tuple:
        return "a list"
    if typing.get_origin(hint) is typing.Literal:
        return " or ".join(map(repr, typing.get_args(hint)))
    return _TYPE_WORDS.get(hint, "a table")
