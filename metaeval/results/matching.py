"""Which rows of two runs are the same number, however their names are written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from metaeval.errors import MetaevalError
from metaeval.kinds import METRICS
from metaeval.metrics import get_metric
from metaeval.names import parse_call
from metaeval.results.model import RunData
from metaeval.results.rows import TestResult
from metaeval.results.tables import Record, record_of
from metaeval.sampling.references import names_of
from metaeval.text.preprocessing import get_preprocessing

Pair = tuple[Record | None, Record | None]


@cache
def meaning(column: str, text: str) -> str:
    """Return a text that is the same for all ways of writing the same preprocessing, metric, coefficient or subset."""
    try:
        return _MEANINGS[column](text)
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


def _call(text: str) -> str:
    return str(parse_call(text))


def _subset(text: str) -> str:
    kind, names = names_of(text)
    return f"{kind} {'+'.join(sorted(names))}" if names else text


_MEANINGS: dict[str, Callable[[str], str]] = {
    "preprocessing": _preprocessing,
    **dict.fromkeys(("metric", "metric_a", "metric_b"), _metric),
    **dict.fromkeys(("coefficient", "test"), _call),
    "subset": _subset,
}


def _read(column: str, value: Any) -> Any:
    return meaning(column, value) if column in _MEANINGS else value


def matched(name: str, runs: Sequence[RunData], keys: Sequence[str]) -> list[Pair]:
    """Return the rows of a table of two runs in pairs; see :func:`paired`."""
    return paired([[record_of(turned(row)) for row in getattr(run.tables, name)] for run in runs], keys)


def paired(tables: Sequence[Sequence[Record]], keys: Sequence[str]) -> list[Pair]:
    """Return the rows of two tables in pairs: those that stand in the same place.

    Where one run alone has panels, a row is paired with that of the only panel which has its place.

    Parameters
    ----------
    tables : pair of sequences of rows
        The old and the new one.
    keys : sequence of str
        The columns that tell the place.

    Returns
    -------
    list of pairs
        In the order of the old table, then those only in the new one; None stands for the row that is not there.
    """
    has_panels = [_has_panels(table) for table in tables]
    found: list[dict[tuple[object, ...], Record]] = []
    for table, with_panels in zip(tables, has_panels, strict=True):
        places = [tuple(_read(key, row[key]) for key in keys) for row in table]
        if with_panels and not all(has_panels) and "panel" in keys:
            at = keys.index("panel")
            bare = [(*place[:at], "", *place[at + 1 :]) for place in places]
            often = Counter(bare)
            places = [short if often[short] == 1 else place for place, short in zip(places, bare, strict=True)]
        seen: Counter[tuple[object, ...]] = Counter()
        by_place = {}
        for row, place in zip(table, places, strict=True):
            seen[place] += 1
            # Two rows of one place, which no run writes, are distinguished by their order.
            by_place[(*place, seen[place])] = row
        found.append(by_place)
    old, new = found
    return [(row, new.get(place)) for place, row in old.items()] + [
        (None, row) for place, row in new.items() if place not in old
    ]


def _has_panels(table: Sequence[Mapping[str, Any]]) -> bool:
    return any(row.get("panel") for row in table)


def unmatched(tables: Sequence[Sequence[Mapping[str, str]]], without: Sequence[str] = ()) -> int:
    """Return how many rows of the longer remainder have no equal in the other table, both as texts.

    Neither the order of rows, nor the way of writing names, nor panels that one run alone has make a difference, nor
    do columns that are to be left out.
    """
    if tables[0] == tables[1]:
        return 0
    ignored = (*without, *(() if all(map(_has_panels, tables)) else ("panel",)))
    counts = [
        Counter(
            frozenset((key, _read(key, value)) for key, value in row.items() if value and key not in ignored)
            for row in table
        )
        for table in tables
    ]
    return max((counts[0] - counts[1]).total(), (counts[1] - counts[0]).total())


def turned(row: Any) -> Any:
    """Return a test with its two metrics in one order; a one-sided test, and any other row, stays as it is."""
    if not isinstance(row, TestResult) or row.alternative != "two-sided":
        return row
    if meaning("metric", row.metric_a) <= meaning("metric", row.metric_b):
        return row
    # Taken from 0, so that 0 has no sign.
    difference, lower, upper = 0.0 - row.difference, 0.0 - row.upper, 0.0 - row.lower
    return replace(row, metric_a=row.metric_b, metric_b=row.metric_a, difference=difference, lower=lower, upper=upper)
