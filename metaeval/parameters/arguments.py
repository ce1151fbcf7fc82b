"""Checks of the arguments that callers pass, which bring each into one form."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from metaeval.errors import UsageError
from metaeval.parameters.named_objects import HELD, Held, Placed
from metaeval.runtime.progress import Progress


def names(argument: str, given: object, *, path: bool = False, noun: str = "a name") -> list[str]:
    """Return the names of a caller as a list of strings; one name alone is a list of one, never of its letters.

    Parameters
    ----------
    argument : str
        What the parameter is called, for messages.
    given : object
        A name, or any iterable of names.
    path : bool, default False
        Whether a path may stand for a name.
    noun : str, default "a name"
        What one of them is called, for messages.

    Returns
    -------
    list of str
        The names, as plain strings.

    Raises
    ------
    UsageError
        If it is something else.
    """
    kinds = (str, Path) if path else str
    one_of = f"{noun} or a path" if path else noun
    is_single = isinstance(given, kinds)
    items = [given] if is_single else given
    if not isinstance(items, Iterable) or isinstance(items, bytes | Mapping) or hasattr(items, "columns"):
        raise UsageError(f"`{argument}` must be {one_of}, or a list of these; got {shown(given)}.")
    texts = []
    for number, item in enumerate(items):
        # As a path, "" would be the current directory.
        if not isinstance(item, kinds) or (path and item == ""):
            position = argument if is_single else f"{argument}[{number}]"
            raise UsageError(f"`{position}` must be {one_of}; got {shown(item)}.")
        texts.append(_text(item))
    return texts


def _text(name: str | Path) -> str:
    return name if isinstance(name, Placed) else str(name)


def held(text: str | Path, argument: str) -> Any:
    """Return the object that a name stands for; None for the name of something else.

    Parameters
    ----------
    text : str or Path
        As `metrics` or `corpora` have it.
    argument : str
        Which of the two, for messages.

    Returns
    -------
    object or None
        What the caller gave.

    Raises
    ------
    UsageError
        If the name stood for an object of another process.
    """
    if isinstance(text, Held):
        return text.item
    if str(text).startswith(HELD):
        raise UsageError(
            f"{str(text)!r} was an object of the Python process that made the run; give it again there, as in "
            f'metaeval.run("config.toml", overrides={{"{argument}": [...]}}).'
        )
    return None


def shown(value: Any) -> str:
    """Return a value for a message: whole if it is small, else its type."""
    text = repr(value)
    return text if len(text) <= 60 and "\n" not in text else f"a value of type {type(value).__name__}"


def text(argument: str, given: object) -> str:
    """Return a caller's argument as text.

    Parameters
    ----------
    argument : str
        What the parameter is called, for messages.
    given : object
        A string.

    Returns
    -------
    str
        The text.

    Raises
    ------
    UsageError
        If it is something else.
    """
    if not isinstance(given, str):
        raise UsageError(f"`{argument}` must be text; got {shown(given)}.")
    return str(given)


def number(argument: str, given: object) -> float:
    """Return a number, whole where it was given so.

    Parameters
    ----------
    argument : str
        What the parameter is called, for messages.
    given : object
        A number.

    Returns
    -------
    float
        The number.

    Raises
    ------
    UsageError
        If it is something else.
    """
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise UsageError(f"`{argument}` must be a number; got {shown(given)}.")
    return given


def listener(given: Progress) -> Progress:
    """Return the function that a caller wants to be called with each step.

    Parameters
    ----------
    given : callable
        A function of one argument.

    Returns
    -------
    callable
        The same.

    Raises
    ------
    UsageError
        If it cannot be called.
    """
    if not callable(given):
        raise UsageError(f"`progress` must be a function that takes a Step, such as print; got {shown(given)}.")
    return given


def path_of(argument: str, given: object, *, must: str = "a path") -> Path:
    """Return a caller's argument as a path.

    Parameters
    ----------
    argument : str
        What the parameter is called, for messages.
    given : object
        A path, as text or as a `Path`.
    must : str, default "a path"
        What it must be, for messages.

    Returns
    -------
    Path
        The path.

    Raises
    ------
    UsageError
        If it is something else, or empty.
    """
    if not isinstance(given, str | Path) or not str(given):
        raise UsageError(f"`{argument}` must be {must}; got {shown(given)}.")
    return Path(given)


def run_directory(argument: str, given: object) -> Path:
    """Return the directory of a run that a caller gave as a path, or as the record of the run.

    Parameters
    ----------
    argument : str
        What the parameter is called, for messages.
    given : object
        A path, or a `Run`.

    Returns
    -------
    Path
        The directory.

    Raises
    ------
    UsageError
        If it is something else.
    """
    return path_of(argument, getattr(given, "directory", given), must="a Run, or the directory of one")


def whole_number(argument: str, given: object, *, least: float | None = None) -> int:
    """Return a whole number.

    Parameters
    ----------
    argument : str
        What the parameter is called, for messages.
    given : object
        A number; those of numpy are numbers too.
    least : float, optional
        The smallest that is allowed.

    Returns
    -------
    int
        The number.

    Raises
    ------
    UsageError
        If it is something else.
    """
    try:
        integer = None if isinstance(given, bool) else operator.index(given)  # type: ignore[arg-type]  # TypeError if none
    except TypeError:
        integer = None
    if integer is None:
        raise UsageError(f"`{argument}` must be a whole number; got {shown(given)}.")
    if least is not None and integer < least:
        raise UsageError(f"`{argument}` must be at least {least}; got {integer}.")
    return integer
