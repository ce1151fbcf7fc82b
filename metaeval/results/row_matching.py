"""Match the rows of two runs: those whose places mean the same, but for settings that are left out.

A preprocessing, metric, coefficient or subset may be written in another way, and one of the runs may have no panels.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from metaeval.components.registries import METRICS
from metaeval.errors import MetaevalError, UsageError, unknown
from metaeval.metrics import get_metric
from metaeval.parameters.calls import parse_call
from metaeval.results.tables import Record
from metaeval.sampling.references import names_of
from metaeval.text.preprocessing import get_preprocessing

Pair = tuple[Record | None, Record | None]
Row = Mapping[str, Any]


class Setting(NamedTuple):
    """A setting of a place.

    Attributes
    ----------
    columns : tuple of str
        Its columns in the tables of a run.
    keys : tuple of str
        The keys of a config that give it.
    """

    columns: tuple[str, ...]
    keys: tuple[str, ...] = ()


SETTINGS: Mapping[str, Setting] = {
    "panel": Setting(("panel",)),
    "corpus": Setting(("corpus",), ("corpora",)),
    "preprocessing": Setting(("preprocessing",), ("preprocessing",)),
    "references": Setting(("subset",), ("references.subsets", "references.sizes", "references.names")),
    "criterion": Setting(("criterion",), ("criteria",)),
    "judges": Setting(("judges",), ("judgments.judges",)),
    "documents": Setting(("documents", "length"), ("documents.lengths", "documents.kind")),
    "average_by": Setting(("average_by",), ("correlation.average_by",)),
    "coefficient": Setting(("coefficient",), ("correlation.coefficients",)),
}
PLACE_COLUMNS = tuple(column for setting in SETTINGS.values() for column in setting.columns)
NUMBER = (*PLACE_COLUMNS, "metric")
# Other names of settings: those of columns.
_ALIASES = {"subset": "references", "length": "documents"}


def settings_named(names: Sequence[str]) -> tuple[str, ...]:
    """Return the settings that are named, each once.

    Raises
    ------
    UsageError
        If a name is none of a setting.
    """
    settings = [_ALIASES.get(name, name) for name in names]
    for name in settings:
        if name not in SETTINGS:
            known = unknown("setting", name, [*SETTINGS, *_ALIASES])
            raise UsageError(f"{known} Runs that differ in anything else, such as the seed, are compared as they are.")
    return tuple(dict.fromkeys(settings))


def columns_of_settings(settings: Sequence[str]) -> tuple[str, ...]:
    """Return the columns of some settings."""
    return tuple(column for name in settings for column in SETTINGS[name].columns)


@cache
def meaning(column: str, text: Any) -> Any:
    """Return a text that is the same for all ways of writing the same preprocessing, metric, coefficient or subset."""
    if column not in _NORMALISED:
        return text
    try:
        return _NORMALISED[column](text)
    except MetaevalError:
        # Of a plug-in, a file, or another version.
        return text


def _preprocessing(text: str) -> str:
    preprocessing = get_preprocessing(text)
    return f"{preprocessing.lowercase} {preprocessing.stem} {preprocessing.tokenizer}"


def _metric(text: str) -> str:
    # The code of others is not run for this.
    call = parse_call(text)
    return str(get_metric(text).signature if call.name in METRICS else call)


def _subset(text: str) -> str:
    kind, names = names_of(text)
    return f"{kind} {'+'.join(sorted(names))}" if names else text


# Functions that give equal texts to values with the same meaning, by column.
_NORMALISED: dict[str, Callable[[str], str]] = {
    "preprocessing": _preprocessing,
    **dict.fromkeys(("metric", "metric_a", "metric_b"), _metric),
    **dict.fromkeys(("coefficient", "test"), lambda text: str(parse_call(text))),
    "subset": _subset,
}


def _meaning_of(row: Row, columns: Sequence[str]) -> tuple[object, ...]:
    return tuple(meaning(name, row[name]) if name in _NORMALISED else row[name] for name in columns)


def paired(tables: Sequence[Sequence[Record]], columns: Sequence[str], across: Sequence[str] = ()) -> list[Pair]:
    """Return the rows of two tables in pairs: those that stand in the same place.

    Where one run alone has panels, a row is paired with that of the only panel which has its place. Where settings are
    left out, rows that agree in these too are paired first, and then one row that is left of each table. Of more, none
    can be paired: `ambiguous` finds them.

    Parameters
    ----------
    tables : pair of sequences of rows
        The old and the new one.
    columns : sequence of str
        Those of the place.
    across : sequence of str
        The settings that are left out.

    Returns
    -------
    list of pairs
        In the order of the old table, then those only in the new one; None stands for the row that is not there.
    """
    pairs = [pair for old, new in _groups(tables, columns, across) for pair in _pairs(old, new, columns, across)]
    return [pair for pair in pairs if pair[0] is not None] + [pair for pair in pairs if pair[0] is None]


def ambiguous(
    tables: Sequence[Sequence[Record]], columns: Sequence[str], across: Sequence[str]
) -> tuple[list[Record], list[Record]] | None:
    """Return rows of two tables that settings left out make the same place, so that none can be paired.

    Returns
    -------
    (list of rows, list of rows) or None
        The rows of the old and of the new table at the first such place; None where there is none.
    """
    for old, new in _groups(tables, columns, across):
        pairs = _pairs(old, new, columns, across)
        unpaired = (
            [row for row, other in pairs if row and not other],
            [other for row, other in pairs if other and not row],
        )
        if all(unpaired):
            return unpaired
    return None


def _groups(
    tables: Sequence[Sequence[Record]], columns: Sequence[str], across: Sequence[str]
) -> list[tuple[list[Record], list[Record]]]:
    """Return the rows of both tables by their places without some settings."""
    left_out = columns_of_settings(across)
    used = [name for name in columns if name not in left_out]
    has_panels = [_has_panels(table) for table in tables]
    groups: dict[tuple[object, ...], tuple[list[Record], list[Record]]] = {}
    for side, table in enumerate(tables):
        keys = [_meaning_of(row, used) for row in table]
        if has_panels[side] and not all(has_panels) and "panel" in used:
            position = used.index("panel")
            without_panel = [(*key[:position], "", *key[position + 1 :]) for key in keys]
            counts = Counter(without_panel)
            keys = [
                shortened if counts[shortened] == 1 else key for key, shortened in zip(keys, without_panel, strict=True)
            ]
        for row, key in zip(table, keys, strict=True):
            groups.setdefault(key, ([], []))[side].append(row)
    return list(groups.values())


def _pairs(old: list[Record], new: list[Record], columns: Sequence[str], across: Sequence[str]) -> list[Pair]:
    """Return rows of one place in pairs; two rows of one table without any difference are paired by their order."""
    left_out = [name for name in columns_of_settings(across) if name in columns]
    pairs: list[Pair] = []
    others = [(_meaning_of(row, left_out), row) for row in new]
    unpaired = []
    for row in old:
        at = next((at for at, (value, _) in enumerate(others) if value == _meaning_of(row, left_out)), None)
        if at is None:
            unpaired.append(row)
        else:
            pairs.append((row, others.pop(at)[1]))
    if len(unpaired) == len(others) == 1:
        return [*pairs, (unpaired[0], others[0][1])]
    return [*pairs, *((row, None) for row in unpaired), *((None, row) for _, row in others)]


def separating(tables: Sequence[Sequence[Row]]) -> dict[str, tuple[list[str], list[str]]]:
    """Return the settings of which two tables have no value in common, each with its values in both.

    What plays no part in a row, such as the length of documents that differ in length, is no value.
    """
    values_by_setting = {}
    for name, setting in SETTINGS.items():
        values = [dict(_values(table, setting.columns)) for table in tables]
        if all(values) and not values[0].keys() & values[1].keys():
            values_by_setting[name] = (list(values[0].values()), list(values[1].values()))
    return values_by_setting


def _values(table: Sequence[Row], columns: Sequence[str]) -> Iterator[tuple[tuple[object, ...], str]]:
    """Yield the values of a setting by their meaning."""
    for row in table:
        if text := value_of(row, columns):
            yield _meaning_of(row, columns), text


def value_of(row: Row, columns: Sequence[str]) -> str:
    """Return the value of a setting as text: ``pseudo of length 10``; "" where it plays no part."""
    texts = [f"of length {row[name]}" if name == "length" else str(row[name]) for name in columns if row[name]]
    return " ".join(texts)


def _has_panels(table: Sequence[Row]) -> bool:
    return any(row.get("panel") for row in table)


def unmatched(tables: Sequence[Sequence[Mapping[str, str]]], without: Sequence[str] = ()) -> int:
    """Count the rows of the longer remainder that have no equal in the other table, both as texts.

    Neither the order of rows, nor the way of writing names, nor panels that one run alone has make a difference, nor
    do columns that are to be left out.
    """
    if tables[0] == tables[1]:
        return 0
    ignored = (*without, *(() if all(map(_has_panels, tables)) else ("panel",)))
    counts = []
    for table in tables:
        names = [[name for name, value in row.items() if value and name not in ignored] for row in table]
        counts.append(
            Counter(
                frozenset(zip(used, _meaning_of(row, used), strict=True))
                for row, used in zip(table, names, strict=True)
            )
        )
    return max((counts[0] - counts[1]).total(), (counts[1] - counts[0]).total())
