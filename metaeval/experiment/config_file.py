"""Read the TOML file of an experiment: overrides, panels, and the line of a wrong value.

Relative paths are relative to the config.
"""

from __future__ import annotations

import itertools
import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from metaeval.config.schema import Experiment
from metaeval.errors import UsageError, as_typed, unknown
from metaeval.experiment.overrides import ByCorpus, Panel, inside_of
from metaeval.experiment.paths import with_absolute_paths
from metaeval.experiment.tasks import SharedTask, shared_task
from metaeval.parameters.calls import file_part
from metaeval.parameters.fields import Locate, build, merged
from metaeval.results.store import CONFIG
from metaeval.runtime.atomic_directory import MANIFEST
from metaeval.runtime.files import read_file, shipped

Rest = TypeVar("Rest")


@dataclass(frozen=True)
class LoadedConfig:
    """An experiment, panel by panel or task by task, with the table it was built from, for the record of the run."""

    name: str
    # What all panels share: title, source and seed are those of the config.
    experiment: Experiment
    panels: tuple[Panel, ...]
    content: Mapping[str, Any]
    shared: SharedTask | None = None


# What messages call the table of a value.
_SUBJECT = "the config: "
# Letters of a value that a message shows at most.
_MAX_LETTERS_SHOWN = 80
# Keys that a panel cannot set: a run has one of each.
OF_THE_WHOLE = ("source", "seed", "panels")
# Keys of a config that are neither those of an experiment nor published numbers.
_TABLES_OF_PARTS = ("panels", "by_corpus", "tasks", "ranking")


def shipped_configs() -> dict[str, Path]:
    """Return the configs that come with metaeval, by name."""
    return {path.stem: path for path in sorted(shipped("configs").glob("*.toml"))}


def given_config(verb: str, defaults: Mapping[str, Any], given: Mapping[str, Any]) -> LoadedConfig:
    """Return the config that a call of a verb stands for.

    Parameters
    ----------
    verb : str
        Its name, for messages and the record of the run.
    defaults, given : mapping
        Keys of a config: those of the verb, and those of its caller, which win.

    Raises
    ------
    UsageError
        If a key is unknown or a value is not allowed.
    """
    content = merged(defaults, given)
    return _loaded(verb, content, lambda keys: "", verb)


def read_config(
    config: str | Path | Mapping[str, Any],
    rest: type[Rest],
    *,
    overrides: Sequence[str | Mapping[str, Any]] = (),
    corpora: Sequence[str] = (),
) -> tuple[LoadedConfig, Rest]:
    """Read a config: an experiment, and what else is in it.

    Parameters
    ----------
    config : str or Path, or mapping
        The name of a config that ships, or a TOML file; or what would stand in one.
    rest : type
        A dataclass whose fields, made by `metaeval.parameters.fields.parameter`, are the keys that are not the
        experiment's.
    overrides : sequence of str or mapping
        ``key=value`` with dotted keys and TOML values, such as ``documents.count=200``; or these as mappings, where a
        table changes the keys that it has. They win over panels too.
    corpora : sequence of str
        Names or paths that replace those of the config; paths are relative to the current directory.

    Raises
    ------
    UsageError
        If the file is missing or not TOML, a key is unknown or a value is not allowed.
    """
    is_mapping = isinstance(config, Mapping)
    path = Path("config") if isinstance(config, Mapping) else _find(config)
    text = "" if is_mapping else _read(path)
    try:
        content = dict(config) if isinstance(config, Mapping) else dict(tomllib.loads(text))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"{path}: is not valid TOML: {_reason(error)}.") from error
    content = with_absolute_paths(content, path.parent)
    origins: dict[tuple[str, ...], str] = {}
    in_file = set(content)
    for names, value, written in itertools.chain.from_iterable(map(_each_key, overrides)):
        _set(content, names, value)
        origins[names] = f"{_option()} {written}: "
    if corpora:
        _set(content, ("corpora",), list(corpora))
        origins[("corpora",)] = as_typed(terminal="--corpus: ", python="`corpora`: ")
    if origins.keys() & {("corpora",), ("metrics",), ("published",)}:
        content = with_absolute_paths(content, Path.cwd())

    def locate(keys: tuple[str | int, ...]) -> str:
        for overridden, origin in origins.items():
            # A table that is not in the file comes from the override that made it.
            is_made_by_it = overridden[: len(keys)] == keys and bool(keys) and keys[0] not in in_file
            if is_made_by_it or keys[: len(overridden)] == overridden:
                return origin
        return "" if is_mapping else f"{path}:{_line_of(text, keys)}: "

    try:
        return _built(_name_of(path), content, rest, locate)
    except UsageError as error:
        if error.place in origins.values():
            # It says where the value stands, which is neither in the config nor in a panel.
            raise UsageError(error.message, place=error.place) from error
        if error.place or (is_mapping and not origins):
            raise
        # A rule about several keys at once has no line of its own.
        path = Path("the config") if is_mapping else path
        where = f"{path} with {', '.join(origin.strip(': ') for origin in origins.values())}" if origins else str(path)
        raise UsageError(f"{where}: {error}") from error


def _name_of(path: Path) -> str:
    """Return the name of a config; that of a run's own is the name it was run by."""
    if path.name == CONFIG:
        try:
            return str(json.loads((path.parent / MANIFEST).read_text(encoding="utf-8"))["config"])
        except (OSError, ValueError, KeyError, TypeError):
            pass
    return path.stem


def _built(name: str, content: dict[str, Any], rest: type[Rest], locate: Locate) -> tuple[LoadedConfig, Rest]:
    """Build the experiments of a config, and the rest of its keys."""
    others = [item.name for item in fields(rest)]  # type: ignore[arg-type]  # a dataclass
    known = [*(item.name for item in fields(Experiment)), *others, *_TABLES_OF_PARTS]
    for key in content:
        if key not in known:
            raise UsageError(unknown("key", key, known), place=locate((key,)), subject=_SUBJECT)
    of_rest = {key: value for key, value in content.items() if key in others}
    of_experiment = {key: value for key, value in content.items() if key not in others}
    built = build(rest, of_rest, subject="the config", locate=locate, noun="key")
    return replace(_loaded(name, of_experiment, locate, "the config"), content=content), built


def _loaded(name: str, content: Mapping[str, Any], locate: Locate, subject: str) -> LoadedConfig:
    """Return the experiments of a config: its panels, or its tasks."""
    base = {key: value for key, value in content.items() if key not in _TABLES_OF_PARTS}
    by_corpus = ByCorpus(content.get("by_corpus", {}), locate)
    if "tasks" in content:
        shared = shared_task(content, base, by_corpus, locate)
        tasks = [Panel(task.title, tuple(cell.experiment for cell in task.cells)) for task in shared.tasks]
        return LoadedConfig(name, tasks[0].experiments[0], tuple(tasks), content, shared)
    if "ranking" in content:
        raise UsageError("`ranking` belongs to [[tasks]], and there are none.", place=locate(("ranking",)))
    experiments: list[Experiment] = []
    panels: list[Panel] = []
    for title, called, table, of_panel in _tables(content, base, locate):
        build_part = partial(build, Experiment, subject=called if title else subject, locate=of_panel, noun="key")
        experiments.append(build_part(table))
        parts = (experiments[-1] if part is table else build_part(part) for part in by_corpus.split(table))
        panels.append(Panel(title, tuple(parts)))
    return LoadedConfig(name, experiments[0], tuple(panels), content)


def _tables(
    content: Mapping[str, Any], base: Mapping[str, Any], locate: Locate
) -> Iterator[tuple[str, str, dict[str, Any], Locate]]:
    """Yield for each panel its title, its name in messages, the table of its experiment, and how to locate a value."""
    panels = content.get("panels", [])

    def refused(message: str, *keys: str | int) -> UsageError:
        return UsageError(message, place=locate(("panels", *keys)), subject=_SUBJECT)

    if not isinstance(panels, list) or not all(isinstance(panel, Mapping) for panel in panels):
        raise refused(f"`panels` must be a list of tables; got {panels!r}.")
    if not panels:
        yield "", "the config", dict(base), locate
    titles: list[str] = []
    for number, panel in enumerate(panels):
        title = panel.get("title")
        here = f"`panels[{number}]`"
        if not isinstance(title, str) or not title.strip():
            raise refused(f"{here} must have a `title` of its own; got {title!r}.", number)
        if file_part(title) in titles:
            message = f"{here}: another panel has the title {title!r}, or one with the same file names."
            raise refused(message, number, "title")
        titles.append(file_part(title))
        allowed = [item.name for item in fields(Experiment) if item.name not in OF_THE_WHOLE]
        for key in panel:
            if key not in allowed:
                raise refused(f"{here}: {unknown('key', key, allowed)}", number, key)
        table = {**merged(base, panel), "title": content.get("title", title)}
        yield title, f"the panel {title!r}", table, inside_of(panel, ("panels", number), locate)


def _find(name_or_path: str | Path) -> Path:
    configs = shipped_configs()
    if str(name_or_path) in configs:
        return configs[str(name_or_path)]
    path = Path(name_or_path)
    if path.is_dir():
        raise UsageError(f"{path}: is a directory; a config is a TOML file.")
    if not path.exists():
        raise UsageError(f"{unknown('config', name_or_path, configs)} There is no file at that path either.")
    return path


def _read(path: Path) -> str:
    try:
        return read_file(path).decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: is not UTF-8, at byte {error.start}; a config is a TOML file.") from error
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}.") from error


def overridden(overrides: Sequence[str | Mapping[str, Any]]) -> dict[str, Any]:
    """Return the content that overrides alone make, as :func:`read_config` takes them."""
    content: dict[str, Any] = {}
    for names, value, _ in itertools.chain.from_iterable(map(_each_key, overrides)):
        _set(content, names, value)
    return content


def _reason(error: Exception) -> str:
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error)


def _each_key(override: str | Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], Any, str]]:
    """Yield the path of each key of an override, its value, and the override as text."""
    if isinstance(override, str):
        yield *_parsed(override), override
        return
    for key, value in override.items():
        names = tuple(key.split("."))
        if isinstance(value, Mapping) and value:
            for inner_names, inner_value, written in _each_key(value):
                yield (*names, *inner_names), inner_value, f"{key}.{written}"
        else:
            yield names, value, f"{key}={json.dumps(value, ensure_ascii=False, default=str)}"


def _parsed(override: str) -> tuple[tuple[str, ...], Any]:
    """Return the path of an override, and its value."""
    key, equals, value = override.partition("=")
    names = tuple(name.strip() for name in key.split("."))
    if not equals or not all(names):
        raise UsageError(f"{_option()} must be key=value, such as documents.count=200; got {override!r}.")
    try:
        parsed = tomllib.loads(f"value = {value}")
        if set(parsed) != {"value"}:
            raise UsageError(f"{_option()} {override}: is more than one value.")
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        shown = override[:_MAX_LETTERS_SHOWN]
        written = value.strip()[:_MAX_LETTERS_SHOWN]
        raise UsageError(
            f"{_option()} {shown}: {written!r} is not a TOML value ({_reason(error)}). Text and lists need quotes: "
            f'\'{key.strip()}="text"\', \'{key.strip()}=["one", "two"]\'.'
        ) from error
    return names, parsed["value"]


def _option() -> str:
    """Return the name of overrides in messages."""
    return as_typed(terminal="--set", python="`overrides`")


def _set(content: dict[str, Any], names: tuple[str, ...], value: Any) -> None:
    """Set one value in the content of a config, and take it out of the panels, which would hide it."""
    table: Any = content
    for depth, name in enumerate(names[:-1], start=1):
        if isinstance(table.get(name), list):
            where = ".".join(names[:depth])
            whole = as_typed(terminal=f"--set '{where}=[...]'", python=f"{{'{where}': [...]}}")
            raise UsageError(f"{_option()} {'.'.join(names)}: `{where}` is a list; give all of it: {whole}.")
        # The tables of the file itself stay as they are: each level that changes is copied.
        table[name] = dict(table[name]) if isinstance(table.get(name), dict) else {}
        table = table[name]
    table[names[-1]] = value
    if value is None:
        del table[names[-1]]
    if names != ("title",) and isinstance(content.get("panels"), list):
        content["panels"] = [_without(panel, names) for panel in content["panels"]]


def _without(table: Any, names: tuple[str, ...]) -> Any:
    if not isinstance(table, dict) or names[0] not in table:
        return table
    if len(names) == 1:
        return {key: value for key, value in table.items() if key != names[0]}
    return {**table, names[0]: _without(table[names[0]], names[1:])}


# The header of a table in TOML.
_HEADER = re.compile(r"\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?\s*(#.*)?")


def _line_of(text: str, keys: tuple[str | int, ...]) -> int:
    """Return the line of a TOML file in which a key stands, or that of the table it belongs to, or 1."""
    section: list[str | int] = []
    seen: dict[str, int] = {}
    best = 1
    depth = 0
    for number, line in enumerate(text.split("\n"), start=1):
        header = _HEADER.fullmatch(line)
        if header:
            name = header.group(2)
            section = list(_places(name, seen))
            if header.group(1) == "[[":
                seen[name] = seen.get(name, -1) + 1
                # The lists of tables inside it start again.
                seen = {other: count for other, count in seen.items() if not other.startswith(f"{name}.")}
                section = list(_places(name, seen))
        else:
            key, equals, _ = line.partition("=")
            if not equals or key.lstrip().startswith("#"):
                continue
            section_keys = [part.strip().strip('"') for part in key.split(".")]
            here: tuple[str | int, ...] = (*section, *section_keys)
            if keys[: len(here)] == here and len(here) > depth:
                best = number
                depth = len(here)
            continue
        here = tuple(section)
        if keys[: len(here)] == here and len(here) > depth:
            best = number
            depth = len(here)
    return best


def _places(name: str, seen: Mapping[str, int]) -> Iterator[str | int]:
    """Yield the keys of a header such as ``panels.references``; after a list of tables, the number of its last one."""
    parts = [part.strip() for part in name.split(".")]
    for depth, part in enumerate(parts, start=1):
        yield part
        number = seen.get(".".join(parts[:depth]))
        if number is not None:
            yield number
