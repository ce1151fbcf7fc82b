"""What the shell offers for an argument: names that are known, then files.

The names stand in modules that import numpy, scipy or pandas, for which nobody waits at a prompt. So they are read from
the source of these modules, which tests compare with the registries.
"""

from __future__ import annotations

import argparse
import ast
import os
import tomllib
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from metaeval.resources import shipped

_PACKAGE = Path(__file__).parents[1]
_Action = TypeVar("_Action", bound=argparse.Action)

Completer = Callable[..., list[str]]


def completed_by(action: _Action, *sources: Callable[[str, argparse.Namespace], Iterable[str]]) -> _Action:
    """Say what the shell offers for the values of an action, and return the action.

    Parameters
    ----------
    action : argparse.Action
    *sources : callable
        Each gives words for what was typed (str) and the arguments before it (Namespace).
    """

    def completer(prefix: str, parsed_args: argparse.Namespace, **_: object) -> list[str]:
        found: list[str] = []
        for source in sources:
            # At a prompt there is no place for an error, and other words may be what is wanted.
            try:
                found.extend(word for word in source(prefix, parsed_args) if word.startswith(prefix))
            except Exception:
                continue
        return list(dict.fromkeys(found))

    action.completer = completer  # type: ignore[attr-defined]
    return action


def paths(prefix: str, arguments: argparse.Namespace | None = None, *, wanted: str = "") -> Iterator[str]:
    """Give the files and directories whose paths begin as what was typed.

    Parameters
    ----------
    prefix : str
    arguments : Namespace, optional
        The arguments before it, which do not matter.
    wanted : str
        The suffix of files; ``/`` for directories alone.
    """
    folder, _, name = prefix.rpartition("/")
    typed = f"{folder}/" if "/" in prefix else ""
    for entry in sorted(os.scandir(os.path.expanduser(typed) or "."), key=lambda entry: entry.name):
        if not entry.name.startswith(name) or (entry.name.startswith(".") and not name):
            continue
        if entry.is_dir():
            yield f"{typed}{entry.name}/"
        elif wanted != "/" and entry.name.endswith(wanted):
            yield f"{typed}{entry.name}"


directories = partial(paths, wanted="/")
toml_files = partial(paths, wanted=".toml")


def configs(prefix: str, arguments: argparse.Namespace) -> list[str]:
    """Return the names of the configs that ship."""
    return sorted(path.stem for path in shipped("configs").glob("*.toml"))


def corpora(prefix: str, arguments: argparse.Namespace) -> list[str]:
    """Return the names of the corpora that ship, can be simulated, or can be fetched."""
    ours = sorted(path.parent.name for path in shipped("data").glob("*/corpus.toml"))
    return [*ours, *presets(prefix, arguments), *public(prefix, arguments)]


def presets(prefix: str, arguments: argparse.Namespace) -> list[str]:
    """Return the names of the corpora that can be simulated."""
    return list(_presets())


def public(prefix: str, arguments: argparse.Namespace) -> list[str]:
    """Return the names of the corpora that can be fetched."""
    return sorted(path.stem for path in (_PACKAGE / "corpora" / "entries").glob("*.toml"))


def criteria(prefix: str, arguments: argparse.Namespace) -> list[str]:
    """Return the criteria of the corpus that was named before, as far as its description tells them."""
    return [item["name"] for content in _described(arguments) for item in content.get("criteria", [])]


def _described(arguments: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Give the descriptions of the corpora that were named before."""
    named = getattr(arguments, "corpus", None) or []
    for name in [named] if isinstance(named, str) else named:
        places = [shipped("data") / name, Path(name)]
        descriptions = [place / "corpus.toml" for place in places] + [_PACKAGE / "corpora" / "entries" / f"{name}.toml"]
        described = next((path for path in descriptions if path.is_file()), None)
        if described is None:
            yield {"criteria": [{"name": criterion} for criterion in _presets().get(name, ())]}
        else:
            yield tomllib.loads(described.read_text(encoding="utf-8"))


def judge_groups(prefix: str, arguments: argparse.Namespace) -> list[str]:
    """Return the judge groups of the corpora that were named before, and the word for all judges."""
    return ["all", *(item["name"] for content in _described(arguments) for item in content.get("judge_groups", []))]


def metrics(prefix: str, arguments: argparse.Namespace) -> list[str]:
    """Return the metrics that come with metaeval, and those of installed packages."""
    from importlib.metadata import entry_points

    installed = sorted({point.name for point in entry_points(group="metaeval.metrics")})
    return [*_keys("metrics/__init__.py", "METRICS"), *installed, "scores:"]


def own_metrics(prefix: str, arguments: argparse.Namespace) -> Iterator[str]:
    """Give the files that metrics may be in, a Python file with its functions and classes once it is named."""
    file, colon, _ = prefix.rpartition(":")
    if colon and file.endswith(".py"):
        for node in ast.parse(Path(file).expanduser().read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
                yield f"{file}:{node.name}"
        return
    kind = "scores:" if prefix.startswith("scores:") else ""
    for path in paths(prefix.removeprefix(kind)):
        yield f"{kind}{path}:" if path.endswith(".py") else f"{kind}{path}"


def preprocessing(prefix: str, arguments: argparse.Namespace) -> list[str]:
    """Return the treatments of texts."""
    return _keys("text/preprocessing.py", "PREPROCESSING")


def tokenizers(prefix: str, arguments: argparse.Namespace) -> list[str]:
    """Return the tokenizers."""
    return ["none", *_keys("text/tokenizers.py", "_NAMED")]


def coefficients(prefix: str, arguments: argparse.Namespace) -> list[str]:
    """Return the coefficients."""
    return _keys("correlation/coefficients.py", "COEFFICIENTS")


def tests(prefix: str, arguments: argparse.Namespace) -> list[str]:
    """Return the tests."""
    return _keys("correlation/significance.py", "TESTS")


def source_formats(prefix: str, arguments: argparse.Namespace) -> list[str]:
    """Return the formats of corpora."""
    return _keys("corpora/formats/__init__.py", "READERS")


def config_keys(prefix: str, arguments: argparse.Namespace) -> list[str]:
    """Return the keys of a config that can be overridden, each with the ``=`` that follows it."""
    classes = _fields("experiment/schema.py")
    keys: list[str] = []
    for name, kind in classes["Experiment"].items():
        keys += [f"{name}.{inner}=" for inner in classes[kind]] if kind in classes else [f"{name}="]
    return keys + [f"{name}=" for name in _fields("papers/config.py")["Printed"]]


def _keys(module: str, name: str) -> list[str]:
    """Return the keys of a dictionary in a module that is not imported."""
    assigned: dict[str, Any] = {}
    for node in ast.parse((_PACKAGE / module).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            assigned |= {target.id: node.value for target in targets if isinstance(target, ast.Name)}
    value = assigned[name]
    dictionary: Any = value.args[0] if isinstance(value, ast.Call) else value
    return [key.value for key in dictionary.keys]


def _presets() -> dict[str, tuple[str, ...]]:
    """Return the names of the corpora that can be simulated, each with its criteria."""
    found = {}
    for node in ast.walk(ast.parse((_PACKAGE / "corpora" / "simulation" / "presets.py").read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Preset":
            own = {item.arg: item.value for item in node.keywords}.get("criteria")
            criteria = ast.literal_eval(own) if own is not None else ("adequacy", "fluency")
            found[ast.literal_eval(node.args[0])] = criteria
    return found


def _fields(module: str) -> dict[str, dict[str, str]]:
    """Return the fields of each class in a module that is not imported, with what stands for their types."""
    return {
        node.name: {
            item.target.id: item.annotation.id if isinstance(item.annotation, ast.Name) else ""
            for item in node.body
            if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)
        }
        for node in ast.parse((_PACKAGE / module).read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef)
    }
