"""Write configs/schema.json, by which editors complete and check configs, from the schema of experiments."""

from __future__ import annotations

import collections.abc
import dataclasses
import json
import types
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from metaeval.config.schema import Experiment
from metaeval.experiment.config_file import OF_THE_WHOLE
from metaeval.experiment.tasks import RankingSettings, TaskSettings
from metaeval.papers.config import Printed
from metaeval.parameters.fields import Named

PATH = Path(__file__).parents[1] / "configs" / "schema.json"
_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean"}
Schema = dict[str, Any]


def config_schema() -> Schema:
    """Return the JSON Schema of a config: an experiment, what a paper prints of it, its panels and tasks."""
    experiment, printed = _table(Experiment), _table(Printed)
    of_panels = {name: key for name, key in experiment["properties"].items() if name not in OF_THE_WHOLE}
    panels = {
        "type": "array",
        "description": "parts of the experiment with settings of their own, key by key",
        "items": {"type": "object", "properties": of_panels, "required": ["title"], "additionalProperties": False},
    }
    of_tasks = _table(TaskSettings)["properties"]
    filters = {
        "type": "array",
        "description": "tables such as [filter], for a task each",
        "items": experiment["properties"]["filter"],
    }
    own = {name: key for name, key in of_panels.items() if name not in of_tasks} | of_tasks | {"filters": filters}
    tasks = {
        "type": "array",
        "description": "what a shared task compares, on each corpus, with settings of an experiment of their own",
        "items": {"type": "object", "properties": own, "additionalProperties": False},
    }
    of_corpora = {name: key for name, key in of_panels.items() if name not in ("title", "corpora")}
    by_corpus = {
        "type": "object",
        "description": "settings for the corpora that a name or a pattern fits",
        "additionalProperties": {"type": "object", "properties": of_corpora, "additionalProperties": False},
    }
    beside = {
        "panels": panels,
        "tasks": tasks,
        "ranking": {"description": "how the metrics of all tasks are ranked", **_table(RankingSettings)},
        "by_corpus": by_corpus,
    }
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Config of metaeval",
        "description": "An experiment: which metrics are compared with which human judgments, and how.",
        "type": "object",
        "properties": experiment["properties"] | printed["properties"] | beside,
        # A panel may have what the whole has not.
        "anyOf": [{"required": experiment["required"]}, {"required": ["panels"]}, {"required": ["tasks"]}],
        "additionalProperties": False,
        "definitions": {
            item.name: {"anyOf": [_table(cls, kind={"const": name}) for name, cls in _kinds(tables).items()]}
            for item in dataclasses.fields(Experiment)
            if (tables := item.metadata.get("tables"))
        },
    }


def _kinds(tables: Mapping[str, type]) -> dict[str, type]:
    """Return the kinds of a table, with those that are not offered: a config may name them."""
    return {name: tables[name] for name in (*tables, *getattr(tables, "unlisted", ()))}


def _table(cls: type, **fixed: Schema) -> Schema:
    """Return the schema of a table that a dataclass describes, with further keys that are required."""
    hints = typing.get_type_hints(cls)
    fields = [item for item in dataclasses.fields(cls) if item.init]
    none = dataclasses.MISSING
    needed = [item.name for item in fields if item.default is none and item.default_factory is none]
    return {
        "type": "object",
        "properties": fixed | {item.name: _key(item, hints[item.name]) for item in fields},
        **({"required": [*fixed, *needed]} if fixed or needed else {}),
        "additionalProperties": False,
    }


def _key(item: dataclasses.Field[Any], hint: Any) -> Schema:
    """Return the schema of a key."""
    facts = item.metadata
    if facts["tables"]:
        # The experiment, its panels, tasks and corpora have the same.
        found: Schema = {"type": "array", "items": {"$ref": f"#/definitions/{item.name}"}}
    else:
        found = _value(hint, facts)
    found = {"description": facts["doc"], **found}
    if isinstance(item.default, tuple):
        return found | {"default": list(item.default)}
    # A text that is no choice stands for what the other keys decide.
    plain = isinstance(item.default, str | int | float) and item.default in found.get("enum", [item.default])
    return found | ({"default": item.default} if plain else {})


def _value(hint: Any, facts: typing.Mapping[str, Any]) -> Schema:
    """Return the schema of a value, with the choices and limits of its key."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        kinds = [_value(one, facts) for one in arguments if one is not types.NoneType]
        return kinds[0] if len(kinds) == 1 else {"anyOf": kinds}
    if origin is tuple:
        return {"type": "array", "items": _value(arguments[0], facts)}
    if origin is typing.Literal:
        return {"enum": list(arguments)}
    if origin is collections.abc.Mapping:
        return {"type": "object", "additionalProperties": _value(arguments[1], facts)}
    if dataclasses.is_dataclass(hint) and hint is not Named:
        return _table(typing.cast(type, hint))
    found: Schema = {"type": _TYPES[str if origin is Named else hint]}
    if facts["choices"]:
        found["enum"] = list(facts["choices"])
    limits = {"minimum": facts["minimum"], "maximum": facts["maximum"]} if hint in (int, float) else {}
    return found | {name: limit for name, limit in limits.items() if limit is not None}


def main() -> None:
    PATH.write_text(json.dumps(config_schema(), indent=0, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
