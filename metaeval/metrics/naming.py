"""Read names of metrics that are not built in: files of Python, installed packages, files of scores.

=========================================  ==========================================================
``my_metric.py:name(parameter=3)``         an object of a Python file
``name(parameter=3)``                      an entry point of an installed package
``scores:FILE(metric="A")``                short for ``scores(file="FILE",metric="A")``; a directory is a file too
``precomputed:NAME``                       short for ``precomputed(name="NAME")``
=========================================  ==========================================================
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from metaeval.errors import UsageError
from metaeval.parameters.calls import Call, parse_call

if TYPE_CHECKING:
    import importlib.metadata

_FILE = re.compile(r"\s*(?P<file>.+?\.py)(?::\s*(?P<object>[^\W\d][\w.]*)?\s*(?P<arguments>\(.*\))?)?\s*", re.DOTALL)
_FIRST = {"scores": "file", "precomputed": "name"}
_SHORT = re.compile(rf"\s*(?P<kind>{'|'.join(_FIRST)}):(?P<rest>.+)", re.DOTALL)


@dataclass(frozen=True)
class Target:
    """Locate the object of a plug-in.

    Attributes
    ----------
    place : str
        For messages: the file as the user wrote it, or the package with its version.
    file : str
        Its absolute path; "" for a module that is installed.
    module : str
        The module, where there is no file.
    name : str
        The object in it; "" if the user named none.
    use : str
        What it is to be, ``metric`` or ``tokenizer``.
    """

    place: str
    file: str
    module: str
    name: str
    use: str = "metric"


@cache
def _entry_points(use: str) -> Mapping[str, importlib.metadata.EntryPoint]:
    import importlib.metadata  # scoring a file must not wait for it

    return {point.name: point for point in importlib.metadata.entry_points(group=f"metaeval.{use}s")}


def installed(use: str = "metric") -> dict[str, str]:
    """Return the objects that installed packages have for a use, by name, with package and version, not loaded."""
    return {name: _package(point) for name, point in sorted(_entry_points(use).items())}


def _package(point: importlib.metadata.EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist is not None else "unknown package"


def is_file(text: str) -> bool:
    """Return whether a text names an object of a Python file."""
    return bool(_FILE.fullmatch(text))


def file_target(text: str, use: str = "metric") -> tuple[Target, Call]:
    """Return the target of a file and its object, and its parameters.

    Raises
    ------
    UsageError
        If there is no such file, or the parameters are not well written.
    """
    match = _FILE.fullmatch(text)
    assert match is not None
    file, name = match["file"], match["object"] or ""
    path = Path(file).expanduser()
    if not path.is_file():
        raise UsageError(
            f"{use} {text.strip()!r}: there is no file {str(path)!r} (the current directory is {str(Path.cwd())!r}; "
            "what a config names is relative to the config)."
        )
    return Target(file, str(path.resolve()), "", name, use), _file_call(match)


def _file_call(match: re.Match[str]) -> Call:
    return parse_call(f"{match['object'] or 'metric'}{match['arguments'] or ''}")


def without_directory(text: str) -> str:
    """Return the name of an object of a file, the same however its parameters are written and wherever the file is."""
    match = _FILE.fullmatch(text)
    assert match is not None
    return f"{Path(match['file']).name}:{_file_call(match)}"


def with_path(text: str, change: Callable[[Path], str]) -> str:
    """Return the name of a metric with another path of its file; as it is where it names none."""
    if match := _FILE.fullmatch(text):
        return f"{change(Path(match['file']).expanduser())}{text[match.end('file') :]}"
    try:
        call = short_call(text) or parse_call(text)
    except UsageError:
        return text  # whoever makes the metric says what is wrong
    file = call.arguments.get("file")
    if call.name != "scores" or not isinstance(file, str):
        return text
    others = {name: value for name, value in call.arguments.items() if name != "file"}
    return str(Call(f"scores:{change(Path(file).expanduser())}", others, ""))


def installed_target(name: str, use: str = "metric") -> Target | None:
    """Return the target of an object of an installed package; None if there is none of the name."""
    point = _entry_points(use).get(name)
    if point is None:
        return None
    return Target(_package(point), "", point.module, point.attr or "", use)


def short_call(text: str) -> Call | None:
    """Return the call that ``scores:FILE`` or ``precomputed:NAME`` is short for; None for other texts.

    Raises
    ------
    UsageError
        If parameters follow that are not well written, or give the file or the name again.
    """
    match = _SHORT.fullmatch(text)
    if match is None:
        return None
    kind, rest = match["kind"], match["rest"].strip()
    arguments: dict[str, object] = {}
    # A file may have brackets in its name, and so may a metric among the parameters.
    if rest.endswith(")") and not (kind == "scores" and os.path.exists(os.path.expanduser(rest))):
        openings = [index for index, letter in enumerate(rest) if letter == "(" and index > 0]
        for opening in openings:
            try:
                arguments = dict(parse_call(kind + rest[opening:]).arguments)
            except UsageError:
                if opening == openings[-1]:
                    raise
            else:
                rest = rest[:opening].strip()
                break
    if _FIRST[kind] in arguments:
        raise UsageError(f"{text.strip()!r} gives `{_FIRST[kind]}` twice.")
    return Call(kind, {_FIRST[kind]: rest, **arguments}, text.strip())


def short_name(kind: str, first: str, arguments: Mapping[str, object]) -> str:
    """Return the shortest text of which :func:`short_call`, or else a parser of calls, makes a call.

    Parameters
    ----------
    kind : {"scores", "precomputed"}
    first : str
        The file, or the name of scores.
    arguments : mapping of str to object
        All others.
    """
    whole, rest = Call(kind, {_FIRST[kind]: first, **arguments}, ""), Call(kind, arguments, "")
    text = f"{kind}:{first}{str(rest).removeprefix(kind)}"
    try:
        return text if short_call(text) == whole else str(whole)
    except UsageError:  # brackets in the name
        return str(whole)
