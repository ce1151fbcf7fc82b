"""The arguments of the public verbs, each declared once.

The signature of a verb is its declaration: names, types and defaults stand there, and an :class:`Argument` in the
annotation says how it is typed in a shell. What an argument means stands in the docstring, or in the declaration if
several verbs share it. :func:`verb` completes docstrings and makes checks, the command line makes options.
"""

from __future__ import annotations

import collections.abc
import functools
import inspect
import re
import textwrap
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, TypeVar

from metaeval.errors import UsageError
from metaeval.parameters.arguments import listener, number, shown, text, whole_number

F = TypeVar("F", bound=Callable[..., Any])


class Argument(NamedTuple):
    """Facts of an argument beside its name, type and default: ``Annotated[int, Argument("N")]``.

    Attributes
    ----------
    metavar : str
        What help calls a value.
    flags : str
        The names of its option, such as ``-m --metric``. Without any, what must be given by name is an option of the
        name that it has in Python, and all else takes the place where it stands.
    complete : str
        The lists of :mod:`metaeval.cli.completers` that a shell offers.
    doc : str
        What it means, in a phrase, if that does not stand in the docstring of the function.
    choices : tuple of str
        The values allowed in a shell, if the type does not say them as ``Literal``; the verb checks them itself.
    minimum : float, optional
        The smallest number allowed.
    repeated : bool
        Whether each of several values has a flag of its own, so that none swallows what takes a place.
    """

    metavar: str = ""
    flags: str = ""
    complete: str = ""
    doc: str = ""
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    repeated: bool = False


class Declared(NamedTuple):
    """An argument in the signature of a function.

    Attributes
    ----------
    name : str
    hint : object
        Its type.
    argument : Argument
    default : object
        ``inspect.Parameter.empty`` where it must be given.
    by_name : bool
        Whether it must be given by name.
    doc : str
        What it means, in a phrase; what stands between backticks is code.
    """

    name: str
    hint: Any
    argument: Argument
    default: Any
    by_name: bool
    doc: str

    @property
    def kinds(self) -> set[Any]:
        """The types that its values have, None and what holds several among them."""
        return set(_kinds(self.hint))

    @property
    def many(self) -> bool:
        """True if it takes several values."""
        return collections.abc.Iterable in self.kinds

    @property
    def is_listener(self) -> bool:
        """True if it is a function that is called with each step, which no shell can give."""
        return collections.abc.Callable in self.kinds

    @property
    def flags(self) -> list[str]:
        """The names of its option; none if it takes the place where it stands."""
        return self.argument.flags.split() or ([f"--{self.name.replace('_', '-')}"] if self.by_name else [])

    @property
    def is_required(self) -> bool:
        """True if it must be given."""
        return self.default is inspect.Parameter.empty

    @property
    def type_words(self) -> str:
        """Its type as docstrings have it: ``str or Path, or iterable of them``, ``int, default 1``."""
        kinds = dict.fromkeys(_kinds(self.hint))
        unnamed = (types.NoneType, collections.abc.Iterable)
        *others, last = (getattr(kind, "__name__", kind) for kind in kinds if kind not in unnamed)
        words = f"{', '.join(others)} or {last}" if others else last
        if self.is_listener:
            words = "callable"
        elif self.argument.choices and bool not in kinds:
            words = "{" + ", ".join(map(_quoted, self.argument.choices)) + "}"
        elif self.many:
            words += ", or iterable of them" if others else f" or iterable of {words}"
        if self.is_required or self.default == ():
            return words
        plain = isinstance(self.default, str | int | float)
        return f"{words}, default {_quoted(self.default)}" if plain else f"{words}, optional"

    def checked(self, given: Any) -> Any:
        """Return one number, text, listener, true or false, which it must be; names and paths are left to the verb."""
        kinds = self.kinds - {types.NoneType}
        if self.many or (given is None and types.NoneType in self.kinds):
            return given
        if self.is_listener:
            return listener(given)
        if kinds == {int}:
            return whole_number(self.name, given, least=self.argument.minimum)
        if kinds == {float}:
            return number(self.name, given)
        if kinds == {bool}:
            if not isinstance(given, bool):
                raise UsageError(f"`{self.name}` must be True or False; got {shown(given)}.")
            return given
        return text(self.name, given) if kinds == {str} else given


def _kinds(hint: Any) -> Iterable[Any]:
    """Return the types in a hint; one that stands in quotes, because it is not imported, gives their names."""
    origin = typing.get_origin(hint) or hint
    if isinstance(hint, typing.ForwardRef):
        return hint.__forward_arg__.replace(" | None", "").split(" | ")
    if origin is typing.Literal:
        return list(dict.fromkeys(type(value) for value in typing.get_args(hint)))
    if origin in (typing.Union, types.UnionType):
        return [kind for part in typing.get_args(hint) for kind in _kinds(part)]
    return [origin, *_kinds(typing.get_args(hint)[0])] if origin is collections.abc.Iterable else [origin]


def literals(hint: Any) -> list[str]:
    """Return the texts that a hint allows, such as ``Literal["corpus", "segment"] | None``; none where any will do."""
    if typing.get_origin(hint) is typing.Literal:
        return list(typing.get_args(hint))
    return list(dict.fromkeys(text for part in typing.get_args(hint) for text in literals(part)))


def _quoted(value: object) -> str:
    return (f'"{value}"' if '"' not in value else f"'{value}'") if isinstance(value, str) else repr(value)


# The section of a docstring, and an entry of it: a name, its type if that is said, and what it means.
_SECTION = re.compile(r"^Parameters\n-+\n(.*?)(?=^\w[\w ]*\n-{3,}$|\Z)", re.MULTILINE | re.DOTALL)
_ENTRY = re.compile(r"^(\**)(\w+)(?: : (.+))?\n((?:(?: +.*)?\n)*)", re.MULTILINE)


def declared(function: Callable[..., Any]) -> dict[str, Declared]:
    """Return the declared arguments of a function, by name; its module must not postpone annotations."""
    section = _SECTION.search(inspect.cleandoc(function.__doc__ or "") + "\n")
    docs = {entry[2]: " ".join(entry[4].split()) for entry in _ENTRY.finditer(section[1] if section else "")}
    declarations = {}
    for name, parameter in inspect.signature(function).parameters.items():
        argument = next(iter(getattr(parameter.annotation, "__metadata__", ())), None)
        if isinstance(argument, Argument):
            doc = re.sub(r"(?<!\.)\.$", "", docs.get(name, argument.doc).replace("``", "`"))
            doc = doc if doc[1:2].isupper() else doc[:1].lower() + doc[1:]
            by_name = parameter.kind is parameter.KEYWORD_ONLY
            hint = parameter.annotation.__origin__
            argument = argument._replace(choices=argument.choices or tuple(literals(hint)))
            declarations[name] = Declared(name, hint, argument, parameter.default, by_name, doc)
    return declarations


def described(function: Callable[..., Any]) -> str:
    """Return the description of a function: its docstring before the section on parameters."""
    return _SECTION.split(inspect.cleandoc(function.__doc__ or "") + "\n")[0].strip()


def verb(function: F) -> F:
    """Make a function with declared arguments a public verb.

    Its docstring is completed: what the declarations say of arguments and their types is put in. Numbers, texts and
    listeners are checked before it is called. What :func:`declared` gives is its attribute `arguments`.

    Parameters
    ----------
    function : callable

    Returns
    -------
    callable
        The verb. Its signature has plain types.
    """
    arguments = declared(function)
    signature = inspect.signature(function)

    @functools.wraps(function)
    def checked(*given: Any, **named: Any) -> Any:
        try:
            bound = signature.bind(*given, **named)
        except TypeError:
            return function(*given, **named)  # Python says what is wrong
        for name, value in bound.arguments.items():
            if name in arguments:
                bound.arguments[name] = arguments[name].checked(value)
        return function(*bound.args, **bound.kwargs)

    plain = [
        parameter.replace(annotation=getattr(arguments[name].hint, "__forward_arg__", arguments[name].hint))
        if name in arguments
        else parameter
        for name, parameter in signature.parameters.items()
    ]
    checked.arguments = arguments  # type: ignore[attr-defined]
    checked.__signature__ = signature.replace(parameters=plain)  # type: ignore[attr-defined]
    checked.__doc__ = function.__doc__ and _completed(inspect.cleandoc(function.__doc__) + "\n", signature, arguments)
    return typing.cast(F, checked)


def _completed(doc: str, signature: inspect.Signature, arguments: Mapping[str, Declared]) -> str:
    """Return a docstring whose section on parameters has all of them, in the order of the signature."""
    section = _SECTION.search(doc)
    entry_of = {entry[2]: entry for entry in _ENTRY.finditer(section[1] if section else "")}
    entries = []
    for name in signature.parameters:
        entry = entry_of.get(name)
        argument = arguments.get(name)
        if argument is None or (entry and entry[3]):
            entries.append(entry_of[name][0].rstrip())
            continue
        phrase = re.sub(r"(?<![:`\w])`([^`]+)`", r"``\1``", argument.argument.doc)
        shared = textwrap.indent(textwrap.fill(f"{phrase[:1].upper()}{phrase[1:]}.", 112), "    ")
        entries.append(f"{name} : {argument.type_words}\n{entry[4].rstrip() if entry else shared}")
    made = "\n".join(["Parameters", "----------", *entries, "", ""])
    if section:
        return doc[: section.start()] + made + doc[section.end() :]
    others = re.search(r"^\w[\w ]*\n-{3,}$", doc, re.MULTILINE)
    section_start = others.start() if others else len(doc)
    return doc[:section_start] + made + doc[section_start:]
