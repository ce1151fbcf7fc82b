"""Choose the settings in spite of which two runs are compared, and say what to type where they cannot be."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from metaeval.errors import UsageError, as_typed
from metaeval.results.model import RunData
from metaeval.results.row_matching import (
    NUMBER,
    PLACE_COLUMNS,
    SETTINGS,
    ambiguous,
    columns_of_settings,
    meaning,
    paired,
    separating,
    value_of,
)
from metaeval.results.tables import Record, record_of

Runs = tuple[RunData, RunData]
Names = tuple[Path, Path]
# The rows of each run that stand in one place without some settings.
UnpairedRows = tuple[list[Record], list[Record]]
_NOTHING_IN_COMMON = "No metric has a correlation at the same place in both runs; they differ in"


@dataclass(frozen=True)
class Separation:
    """Why no metric has a correlation at the same place in both runs.

    Attributes
    ----------
    values : mapping of str to pair of sequences of str
        The settings of which the runs have no value in common, with the values of each.
    metrics : pair of sequences of str
        The metrics of each run, where they have none in common; else two empty ones.
    command : str
        What to type to compare them, "" where nothing compares them.
    """

    values: Mapping[str, tuple[Sequence[str], Sequence[str]]]
    metrics: tuple[Sequence[str], Sequence[str]] = ((), ())
    command: str = ""

    def sentence(
        self,
        in_words: Callable[[str, Sequence[str]], str] = lambda _, values: listed(values),
        name_words: Callable[[str], str] = str,
    ) -> str:
        """Return why, in a sentence, and what to type.

        Parameters
        ----------
        in_words : callable
            Lists values, from the name of the setting, or ``metrics``, and the values; as they are written unless
            given.
        name_words : callable
            Gives the name of a setting in a sentence; as it is typed unless given.
        """
        pairs = {**self.values, **({"metrics": self.metrics} if all(self.metrics) else {})}
        differences = [
            f"{name_words(name)}: {in_words(name, old)} against {in_words(name, new)}"
            for name, (old, new) in pairs.items()
        ]
        where = ", and in ".join(differences) or "the values of their settings, which are combined in other ways"
        way_out = f" {self.command} compares them in spite of that." if self.command else ""
        return f"{_NOTHING_IN_COMMON} {where}.{way_out}"


def settings_left_out(runs: Runs, names: Names, across: tuple[str, ...]) -> tuple[tuple[str, ...], Separation | None]:
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
    (tuple of str, Separation or None)
        The settings; and why no metric is at the same place in both runs, None where one is.

    Raises
    ------
    UsageError
        If several places of a run are the same without the settings.
    """
    rows = [[record_of(row) for row in run.tables.correlations if not row.key.is_of_judges] for run in runs]
    places = [list({tuple(row[name] for name in PLACE_COLUMNS): row for row in table}.values()) for table in rows]
    differ = separating(places)
    if unpaired := ambiguous(places, PLACE_COLUMNS, across):
        fewer = tuple(name for name in across if name in differ)
        way_out = "Make a run with one of them."
        if _in_common(rows, fewer) and not ambiguous(places, PLACE_COLUMNS, fewer):
            way_out = f"{_command(names, fewer)} compares them."
        raise UsageError(f"{_several(unpaired, names, across)} {way_out}")
    if not all(rows) or _in_common(rows, across):
        return across, None
    for settings in dict.fromkeys([tuple(differ), tuple(dict.fromkeys([*across, *differ]))]):
        if _in_common(rows, settings) and not ambiguous(places, PLACE_COLUMNS, settings):
            if len(settings) == 1 and not across:
                return settings, None
            return across, Separation(differ, command=_command(names, settings))
    old, new = (sorted({row["metric"] for row in table}) for table in rows)
    shares_metric = {meaning("metric", name) for name in old} & {meaning("metric", name) for name in new}
    return across, Separation(differ) if shares_metric else Separation(differ, (old, new))


def _in_common(rows: Sequence[Sequence[Record]], across: Sequence[str]) -> bool:
    return any(None not in pair for pair in paired(rows, NUMBER, across))


def listed(values: Iterable[str], limit: int = 3, separator: str = ", ") -> str:
    """Return values as text, the first of them where there are many."""
    texts = list(dict.fromkeys(values))
    rest_counted = [f"{len(texts) - limit} more"] if len(texts) > limit else []
    return separator.join([*texts[:limit], *rest_counted])


def _command(names: Names, across: Sequence[str]) -> str:
    """Return the command that compares two runs across some settings."""
    old, new = map(str, names)
    option, argument = (f" --across {' '.join(across)}", f", across={list(across)!r}") if across else ("", "")
    return as_typed(
        terminal=f"`metaeval diff {shlex.quote(old)} {shlex.quote(new)}{option}`",
        python=f"`metaeval.diff_runs({old!r}, {new!r}{argument})`",
    )


def _several(unpaired: UnpairedRows, names: Names, across: Sequence[str]) -> str:
    """Explain why places cannot be matched across some settings."""
    columns = columns_of_settings([setting for setting in across if any(_varies(rows, setting) for rows in unpaired)])
    have = [
        f"{name} has {listed(value_of(row, columns) for row in rows)}"
        for name, rows in zip(names, unpaired, strict=True)
    ]
    typed = as_typed(terminal=f"--across {' '.join(across)}", python=f"across={list(across)!r}")
    return (
        f"`{typed}`: several places of a run are the same without it, and which of them to compare cannot be told: "
        f"{', and '.join(have)}."
    )


def _varies(rows: Sequence[Record], setting: str) -> bool:
    return len({value_of(row, SETTINGS[setting].columns) for row in rows}) > 1


def dotted(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the keys of a config with their values, but for `seed`, which the manifest has."""
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
