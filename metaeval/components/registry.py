"""Kinds by name: what stands behind `bleu`, `spearman` or `holm` is imported when it is first asked for.

A registry line is a name and a place, ``"bleu": "metaeval.metrics.bleu:Bleu"``. So the names are known
to the shell and to a config without importing what they stand for, and a layer can name what is above it without
importing it.
"""

from __future__ import annotations

import ast
import importlib
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

T = TypeVar("T")


def load(target: str) -> Any:
    """Return the object at a place, such as ``metaeval.metrics.bleu:Bleu``, or a module, ``metaeval.stats``."""
    path, _, name = target.partition(":")
    module = importlib.import_module(path)
    return getattr(module, name) if name else module


def exported(stub: Path) -> dict[str, str]:
    """Return the places of the names that a file for type checkers imports.

    What it imports from its own package, ``from metaeval import stats as stats``, is a module.
    """
    lines = ast.parse(stub.read_text(encoding="utf-8")).body
    imports = (line for line in lines if isinstance(line, ast.ImportFrom))
    package = stub.parent.name
    return {
        alias.name: f"{line.module}{'.' if line.module == package else ':'}{alias.name}"
        for line in imports
        for alias in line.names
    }


@cache
def later(target: str) -> Callable[[str], Any]:
    """Return a function that is imported when it is first called."""

    def call(text: str) -> Any:
        return load(target)(text)

    return call


class Registry(MutableMapping[str, type[T]]):
    """Classes by name.

    Parameters
    ----------
    noun : str
        What one of them is called, for messages.
    places : mapping of str to str
        The module and the class of each name.
    synonyms : mapping of str to str, optional
        What else the field calls a kind, and the name with parameters that it stands for.
    load_own_with : str, optional
        The place of a function that gives the kind of a user's own object by its name, or None.
    unlisted : mapping of str to str, optional
        Kinds that a config may name, and that are not offered: neither in lists nor in completion and documentation.
    """

    def __init__(
        self,
        noun: str,
        places: Mapping[str, str],
        synonyms: Mapping[str, str] | None = None,
        load_own_with: str = "",
        unlisted: Mapping[str, str] | None = None,
    ) -> None:
        self.noun = noun
        self.load_own_with = load_own_with
        self.unlisted = tuple(unlisted or ())
        self.places = (*places.values(), *(unlisted or {}).values())
        self.synonyms = dict(synonyms or {})
        self._classes: dict[str, type[T] | str] = {**places, **(unlisted or {})}

    def __getitem__(self, name: str) -> type[T]:
        kind = self._classes[name]
        if isinstance(kind, str):
            kind = self._classes[name] = load(kind)
        return kind

    def __setitem__(self, name: str, kind: type[T]) -> None:
        self._classes[name] = kind

    def __delitem__(self, name: str) -> None:
        del self._classes[name]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._classes

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._classes if name not in self.unlisted)

    def __len__(self) -> int:
        return len(self._classes) - len(self.unlisted)

    def knows(self, name: str) -> bool:
        """Return whether a name, without parameters, is one of a kind or a synonym."""
        return name in self or name in self.synonyms

    def named(self, text: str) -> T:
        """Return the kind of a name with its parameters, such as ``bleu`` or ``spearman(ties="uncorrected")``.

        A synonym takes the parameters of what it stands for, but those that it sets itself.

        Parameters
        ----------
        text : str
            As users write it.

        Returns
        -------
        object
            An instance of the class of the name.

        Raises
        ------
        UsageError
            If the name or a parameter is unknown, or a value is not allowed.
        """
        # Imported here, because whoever presses Tab asks for names alone.
        from metaeval.errors import UsageError, unknown
        from metaeval.parameters.calls import parse_call
        from metaeval.parameters.fields import build

        # The name of an own object has a colon, as in my.py:name.
        if self.load_own_with and ":" in text and (own_object := load(self.load_own_with)(text)) is not None:
            return cast("T", own_object)
        hint = " A function of yours is named FILE.py:NAME." if self.load_own_with else ""
        try:
            call = parse_call(text)
        except UsageError as error:
            raise UsageError(f"{error}{hint}") from error
        if not self.knows(call.name):
            names = (*self, *self.synonyms)
            raise UsageError(f"{unknown(self.noun, call.name, names)}{hint}")
        meant = parse_call(call.name if call.name in self else self.synonyms[call.name])
        if repeated := meant.arguments.keys() & call.arguments.keys():
            raise UsageError(
                f"{self.noun} {call.name!r} is {meant}, so that it has no parameter {min(repeated)!r}; got {call}."
            )
        return build(self[meant.name], {**meant.arguments, **call.arguments}, subject=f"{self.noun} {call.name!r}")
