"""Versions of the packages that the code of a plug-in uses, as far as its files say."""

from __future__ import annotations

import ast
import functools
import importlib.metadata
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path


def packages_used(files: Iterable[str], module: str = "") -> list[str]:
    """Return the packages that files of Python import, also inside functions, with their versions: ``torch 2.4.0``.

    Parameters
    ----------
    files : iterable of str
    module : str
        The module of an installed plug-in, whose package and what that requires are among them.
    """
    names = {name for file in files for name in _imported(file)}
    distributions = {distribution for name in names for distribution in _distributions().get(name, ())}
    if module:  # who imports nothing does not wait for the list of all packages
        for distribution in _distributions().get(module.partition(".")[0], ()):
            distributions |= {distribution, *_required(distribution)}
    versions = {}
    for name in distributions:
        with suppress(importlib.metadata.PackageNotFoundError):
            versions[name] = importlib.metadata.version(name)
    return [f"{name} {version}" for name, version in sorted(versions.items())]


def _imported(file: str) -> set[str]:
    """Return the names of the modules outside the standard library that a file imports anywhere."""
    try:
        tree = ast.parse(Path(file).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return set()
    modules = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            modules.add(node.module.partition(".")[0])
    return modules - sys.stdlib_module_names


def _required(distribution: str) -> list[str]:
    requirements = importlib.metadata.requires(distribution) or []
    return [re.split(r"[^\w.-]", line, maxsplit=1)[0] for line in requirements if "extra ==" not in line]


@functools.cache
def _distributions() -> Mapping[str, Sequence[str]]:
    return importlib.metadata.packages_distributions()
