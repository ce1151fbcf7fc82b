"""Completion of arguments in a shell: known names, then files.

A prompt must answer at once, so a list imports what it needs when it is asked for. Registries and presets know names
without what they stand for, and keys of a config are those of its JSON Schema.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from metaeval.runtime.files import shipped

_ENTRIES = Path(__file__).parents[1] / "corpora" / "download" / "entries"


def offered(lists: str, prefix: str, arguments: argparse.Namespace) -> list[str]:
    """Return the words that the shell offers.

    Parameters
    ----------
    lists : str
        Names of `LISTS`.
    prefix : str
        What was typed of the word so far.
    arguments : Namespace
        What was typed before it.
    """
    words: list[str] = []
    for name in lists.split():
        # At a prompt there is no place for an error, and other words may be what is wanted.
        try:
            words.extend(word for word in LISTS[name](prefix, arguments) if word.startswith(prefix))
        except Exception:
            continue
    return list(dict.fromkeys(words))


def _paths(prefix: str, arguments: argparse.Namespace, *, wanted: str = "") -> Iterator[str]:
    """Yield the files and directories whose paths begin as what was typed; `wanted` is the suffix of files, or "/"."""
    folder, _, name = prefix.rpartition("/")
    typed = f"{folder}/" if "/" in prefix else ""
    for entry in sorted(os.scandir(os.path.expanduser(typed) or "."), key=lambda entry: entry.name):
        if not entry.name.startswith(name) or (entry.name.startswith(".") and not name):
            continue
        if entry.is_dir():
            yield f"{typed}{entry.name}/"
        elif wanted != "/" and entry.name.endswith(wanted):
            yield f"{typed}{entry.name}"


def _names(target: str, prefix: str, arguments: argparse.Namespace) -> Iterable[str]:
    """Return the names in a registry at a place, such as ``metaeval.components.registries:TESTS``."""
    module, _, name = target.partition(":")
    names: Iterable[str] = getattr(import_module(module), name)
    return names


def _public() -> list[str]:
    return sorted(path.stem for path in _ENTRIES.glob("*.toml"))


def _corpora() -> list[str]:
    """Return the names of the corpora that ship, can be simulated, or can be fetched."""
    from metaeval.corpora.simulation.presets import PRESETS

    return [*sorted(path.parent.name for path in shipped("data").glob("*/corpus.toml")), *PRESETS, *_public()]


def _described(arguments: argparse.Namespace, part: str) -> Iterator[str]:
    """Yield the names of criteria, or of judge groups, of the corpora that were named before."""
    import tomllib

    from metaeval.corpora.simulation.presets import PRESETS

    given = (getattr(arguments, name, None) for name in ("corpora", "corpus", "ratings"))
    named: str | list[str] = next(filter(None, given), [])
    for name in [named] if isinstance(named, str) else named:
        places = [shipped("data") / name / "corpus.toml", Path(name) / "corpus.toml", _ENTRIES / f"{name}.toml"]
        described = next((path for path in places if path.is_file()), None)
        if described is not None:
            content = tomllib.loads(described.read_text(encoding="utf-8"))
            yield from (item["name"] for item in content.get(part, []))
        elif name in PRESETS and part == "criteria":
            yield from PRESETS[name].criteria


def _metrics() -> list[str]:
    """Return the metrics that come with metaeval, and those of installed packages."""
    from importlib.metadata import entry_points

    from metaeval.components.registries import METRICS

    return [*METRICS, *sorted({point.name for point in entry_points(group="metaeval.metrics")}), "scores:"]


def _own_metrics(prefix: str, arguments: argparse.Namespace) -> Iterator[str]:
    """Yield the files that metrics may be in, a Python file with its functions and classes once it is named."""
    file, colon, _ = prefix.rpartition(":")
    if colon and file.endswith(".py"):
        import ast

        for node in ast.parse(Path(file).expanduser().read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
                yield f"{file}:{node.name}"
        return
    kind = "scores:" if prefix.startswith("scores:") else ""
    for path in _paths(prefix.removeprefix(kind), arguments):
        yield f"{kind}{path}:" if path.endswith(".py") else f"{kind}{path}"


def _config_keys() -> Iterator[str]:
    """Yield the keys of a config that can be overridden, each with the ``=`` that follows it."""
    schema: dict[str, Any] = json.loads((shipped("configs") / "schema.json").read_text(encoding="utf-8"))
    for name, key in schema["properties"].items():
        if name != "panels":
            yield from (f"{name}.{inner}=" for inner in key["properties"]) if "properties" in key else [f"{name}="]


LISTS: dict[str, Callable[[str, argparse.Namespace], Iterable[str]]] = {
    "paths": _paths,
    "directories": partial(_paths, wanted="/"),
    "toml_files": partial(_paths, wanted=".toml"),
    "configs": lambda *_: sorted(path.stem for path in shipped("configs").glob("*.toml")),
    "config_keys": lambda *_: _config_keys(),
    "corpora": lambda *_: _corpora(),
    "presets": partial(_names, "metaeval.corpora.simulation.presets:PRESETS"),
    "public": lambda *_: _public(),
    "criteria": lambda _, arguments: _described(arguments, "criteria"),
    "judge_groups": lambda _, arguments: ["all", *_described(arguments, "judge_groups")],
    "metrics": lambda *_: _metrics(),
    "own_metrics": _own_metrics,
    "preprocessing": partial(_names, "metaeval.components.registries:PREPROCESSING"),
    "tokenizers": partial(_names, "metaeval.text.tokenizers:TOKENIZERS"),
    "coefficients": partial(_names, "metaeval.components.registries:COEFFICIENTS"),
    "tests": partial(_names, "metaeval.components.registries:TESTS"),
    "figures": partial(_names, "metaeval.components.registries:FIGURES"),
    "settings": partial(_names, "metaeval.results.row_matching:SETTINGS"),
    "levels": lambda *_: ("system", "segment", "documents"),
    "formats": partial(_names, "metaeval.components.registries:READERS"),
}
