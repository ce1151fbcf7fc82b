"""Choose the settings in spite of which two runs are compared, and say what to type where they cannot be."""

from __future__ import annotations

import json
import shlex
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from metaeval.components.registries import DOCUMENTS
from metaeval.errors import UsageError, as_typed
from metaeval.results.model import RunData
from metaeval.results.row_matching import (
    NUMBER,
    PLACE,
    SETTINGS,
    ambiguous,
    columns_of_settings,
    meaning,
    paired,
    separating,
    value_of,
)
from metaeval.results.store import CONFIG
from metaeval.results.tables import Record, record_of

Runs = tuple[RunData, RunData]
Names = tuple[Path, Path]
# The rows of each run that stand in one place without some settings.
Alone = tuple[list[Record], list[Record]]
_NOTHING_IN_COMMON = "No metric has a correlation at the same place in both runs; they differ in"


def settings_left_out(runs: Runs, names: Names, across: tuple[str, ...]) -> tuple[tuple[str, ...], str]:
    """Return the settings to leave out of places when two runs are compared.

    Where no metric has a correlation at the same place in both, because of one setting alone, that is left out.

    Parameters
    ----------
    runs : pair of RunData
        The old and the new one.
    names : pair of Path
        Their directories.
    across : tuple of str
        The settings that are asked for.

    Returns
    -------
    (tuple of str, str)
        The settings; and why no metric is at the same place in both runs, with what to type, or "" where one is.

    Raises
    ------
    UsageError
        If several places of a run are the same without the settings.
    """
    rows = [[record_of(row) for row in run.tables.correlations if not row.key.is_of_judges] for run in runs]
    places = [list({tuple(row[name] for name in PLACE): row for row in table}.values()) for table in rows]
    differ = separating(places)
    if alone := ambiguous(places, PLACE, across):
        fewer = tuple(name for name in across if name in differ)
        way_out = _rerun(alone, runs, names, across)
        if _in_common(rows, fewer) and not ambiguous(places, PLACE, fewer):
            way_out = f" {_command(names, fewer)} compares them."
        raise UsageError(f"{_several(alone, names, across)}{way_out}")
    if not all(rows) or _in_common(rows, across):
        return across, ""
    for wanted in dict.fromkeys([tuple(differ), tuple(dict.fromkeys([*across, *differ]))]):
        if _in_common(rows, wanted) and not ambiguous(places, PLACE, wanted):
            if len(wanted) == 1 and not across:
                return wanted, ""
            in_spite = f" {_command(names, wanted)} compares them in spite of that."
            return across, f"{_NOTHING_IN_COMMON} {_in_words(differ)}.{in_spite}"
    metrics = [sorted({row["metric"] for row in table}) for table in rows]
    apart = [_in_words(differ)] if differ else []
    if not {meaning("metric", name) for name in metrics[0]} & {meaning("metric", name) for name in metrics[1]}:
        apart.append(f"metrics: {listed(metrics[0])} against {listed(metrics[1])}")
    where = ", and in ".join(apart) or "the values of their settings, which are combined in other ways"
    alone = ambiguous(places, PLACE, tuple(differ)) if len(differ) == len(apart) == 1 else None
    return across, f"{_NOTHING_IN_COMMON} {where}.{_rerun(alone, runs, names, tuple(differ)) if alone else ''}"


def _in_common(rows: Sequence[Sequence[Record]], across: Sequence[str]) -> bool:
    return any(None not in pair for pair in paired(rows, NUMBER, across))


def _in_words(differ: Mapping[str, tuple[Sequence[str], Sequence[str]]]) -> str:
    """Return settings with their values in both runs."""
    return ", and in ".join(f"{name}: {listed(old)} against {listed(new)}" for name, (old, new) in differ.items())


def listed(values: Iterable[str], limit: int = 3) -> str:
    """Return values as text, the first of them where there are many."""
    texts = list(dict.fromkeys(values))
    more = [f"{len(texts) - limit} more"] if len(texts) > limit else []
    return ", ".join([*texts[:limit], *more])


def _command(names: Names, across: Sequence[str]) -> str:
    """Return what compares two runs across some settings."""
    old, new = map(str, names)
    option, argument = (f" --across {' '.join(across)}", f", across={list(across)!r}") if across else ("", "")
    return as_typed(
        terminal=f"`metaeval diff {shlex.quote(old)} {shlex.quote(new)}{option}`",
        python=f"`metaeval.diff_runs({old!r}, {new!r}{argument})`",
    )


def _several(alone: Alone, names: Names, across: Sequence[str]) -> str:
    """Return why places cannot be matched across some settings."""
    columns = columns_of_settings([one for one in across if any(_varies(rows, one) for rows in alone)])
    have = [
        f"{name} has {listed(value_of(row, columns) for row in rows)}" for name, rows in zip(names, alone, strict=True)
    ]
    asked = as_typed(terminal=f"--across {' '.join(across)}", python=f"across={list(across)!r}")
    return (
        f"`{asked}`: several places of a run are the same without it, and which of them to compare cannot be told: "
        f"{', and '.join(have)}."
    )


def _varies(rows: Sequence[Record], setting: str) -> bool:
    return len({value_of(row, SETTINGS[setting].columns) for row in rows}) > 1


def _rerun(alone: Alone, runs: Runs, names: Names, across: Sequence[str]) -> str:
    """Return what makes a run with one of several places that are the same across some settings."""
    at = 0 if len(alone[0]) > 1 else 1
    name, config, rows = names[at], runs[at].config, alone[at]
    content = tomllib.loads(config)
    given, overrides = dict(dotted(content)), {}
    for one in across:
        columns, keys = SETTINGS[one]
        has_list = one != "documents" or DOCUMENTS[rows[0]["documents"]]().is_drawn
        if keys and has_list and _varies(rows, one):
            overrides[keys[0]] = [rows[0][columns[-1]]]
    # Panels have settings of their own, a path is not the name of its corpus, and subsets may be drawn.
    is_known = [given.get(key, "all") == "all" or value[0] in given[key] for key, value in overrides.items()]
    if not overrides or "panels" in content or not all(is_known):
        return ""
    options = "".join(f" --set {shlex.quote(f'{key}={json.dumps(value)}')}" for key, value in overrides.items())
    path = str(name / CONFIG)
    line = as_typed(
        terminal=f"`metaeval run {shlex.quote(path)}{options} --output DIR`",
        python=f"`metaeval.run({path!r}, overrides={overrides!r}, output='DIR')`",
    )
    return f" {line} makes a run that has one of them."


def dotted(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Give the keys of a config with their values, but for `seed`, which the manifest has."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if name or key != "seed":
                yield from dotted(inner, f"{name}.{key}" if name else key)
    elif isinstance(value, list) and value and all(isinstance(item, Mapping) for item in value):
        for number, item in enumerate(value):
            # A panel keeps its name where another one is put before it.
            label = item["title"] if name == "panels" and "title" in item else number
            yield from dotted(item, f"{name}[{label}]")
    else:
        yield name, value
