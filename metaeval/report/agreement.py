"""Inter-annotator agreement as text: for people with words around it and long tables cut; for programs as it is."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any

from metaeval.report.tables import Rows, aligned, as_json, tsv
from metaeval.report.words import TEXTS, in_lines
from metaeval.resources import tables_of
from metaeval.results.inter_annotator import AgreementRow, AgreementSettings
from metaeval.results.tables import records

_WIDTH = 120
_COLUMNS = tables_of(__file__)

# Of long tables, how many rows of each criterion are shown, by what they are sorted, and which these are.
_CUTS: Mapping[str, tuple[int, Callable[[Any], float], str]] = {
    "pairs": (6, lambda row: -row.shared, "those with most items in common"),
    "judges": (12, lambda row: -row.n, "those with most judgments"),
    "systems": (4, lambda row: math.inf if math.isnan(row.kendall) else row.kendall, "those who change most"),
}


def agreement_text(tables: Mapping[str, Rows], kind: str) -> str:
    """Return tables for programs: one of ``tsv`` and ``json``.

    Parameters
    ----------
    tables : mapping of str to rows
    kind : "tsv" or "json"
        Tables of TSV follow one another with an empty line between, and begin with a column that names the table unless
        there is only one; JSON has an object with a list for each table.
    """
    if kind == "json":
        return json.dumps({name: json.loads(as_json(rows)) for name, rows in tables.items()}, indent=1)
    named = {
        name: [{"table": name, **row} for row in rows] if len(tables) > 1 else rows for name, rows in tables.items()
    }
    return "\n".join(tsv(rows) for rows in named.values()).rstrip("\n")


def agreement_summary(
    tables: Mapping[str, Sequence[AgreementRow]], settings: AgreementSettings, *, full: bool = False
) -> str:
    """Return tables for people.

    Parameters
    ----------
    tables : mapping of str to rows
        Any of those of `metaeval.results.inter_annotator`.
    settings : AgreementSettings
        What the words speak of.
    full : bool
        Whether long tables are shown whole.
    """
    sections = []
    for name, rows in tables.items():
        shown, which, rest = rows, "", []
        if name in _CUTS and not full:
            most, key, these = _CUTS[name]
            by_criterion = groupby(rows, attrgetter("criterion"))
            shown = [row for _, of_one in by_criterion for row in sorted(of_one, key=key)[:most]]
            if len(shown) < len(rows):
                which, rest = f", {these}", [f"... and {len(rows) - len(shown)} more: `--table {name}` shows all."]
        words = TEXTS["agreement"][name].format(
            settings=settings,
            level=f"{100 * settings.confidence_level:.4g} %",
            which=which,
            preprocessing=getattr(rows[0], "preprocessing", ""),
            each="" if full else " `--table metrics` shows each judge.",
        )
        lines = _LINES[name](shown, rows, full)
        columns = list(dict.fromkeys(column for line in lines for column in line))
        sections.append("\n".join([*in_lines(words, _WIDTH), "", aligned(lines, columns), *rest]))
    return "\n\n".join(sections)


# Each function below gives the lines of a table, from the rows that are shown, all rows, and whether nothing is cut.
_Rows = Sequence[Any]
_Lines = list[dict[str, Any]]


def _plain(name: str) -> Callable[[_Rows, _Rows, bool], _Lines]:
    return lambda shown, rows, full: [_cells(name, row) for row in shown]


def _cells(name: str, row: Any, **texts: object) -> dict[str, Any]:
    """Return what stands in the columns of a table, with some texts that are not fields of the row."""
    columns: Mapping[str, str] = _COLUMNS[name]
    return {
        head: form.format(row=row, **texts) if "{" in form else getattr(row, form) for head, form in columns.items()
    }


def _alpha(shown: _Rows, rows: _Rows, full: bool) -> _Lines:
    lines: dict[str, dict[str, Any]] = {}
    for row in shown:
        head = {name: getattr(row, name) for name in ("criterion", "segments", "items", "judgments")}
        lines.setdefault(row.criterion, head)[row.level] = _interval(row.alpha, row.lower, row.upper, 3, sign="")
    return list(lines.values())


def _ceiling(shown: _Rows, rows: _Rows, full: bool) -> _Lines:
    names = {
        ("segment", "none"): "segments, pooled",
        ("segment", "item"): "each segment",
        ("corpus", "item"): "whole test set",
    }
    lines: dict[tuple[str, ...], dict[str, Any]] = {}
    for row in shown:
        documents = names[row.documents, row.average_by]
        key = {"criterion": row.criterion, "documents": documents, "coefficient": row.coefficient}
        lines.setdefault(tuple(key.values()), {**key, "items": row.items})[row.kind] = row.value
    return list(lines.values())


def _pairs(shown: _Rows, rows: _Rows, full: bool) -> _Lines:
    return records(shown)


def _judges(shown: _Rows, rows: _Rows, full: bool) -> _Lines:
    digits = 1 if any(abs(row.mean) >= 10 for row in rows) else 2
    return [
        _cells(
            "judges",
            row,
            digits=digits,
            offset=_interval(row.offset, row.offset_lower, row.offset_upper, digits),
            adjusted=_number(row.adjusted, digits, "+"),
            drift=_interval(row.drift, row.drift_lower, row.drift_upper, digits),
        )
        for row in shown
    ]


def _systems(shown: _Rows, rows: _Rows, full: bool) -> _Lines:
    lines: _Lines = [_cells("systems", row) for row in shown]
    # What is left of a line, less what is said of the others; a single system is always named.
    room = _WIDTH - len(aligned(lines).split("\n")[1]) - len("   and 99 more")
    for line, row in zip(lines, shown, strict=True):
        line["change places"] = row.moved if full else _shortened(row.moved, room)
    return lines


def _shortened(moved: str | None, longest: int) -> str | None:
    """Return those who move farthest, as far as there is room, and how many more there are."""
    names = moved.split("; ") if moved else []
    kept = names[:1]
    for name in names[1:]:
        if len("; ".join([*kept, name])) > longest:
            break
        kept.append(name)
    rest = len(names) - len(kept)
    return "; ".join(kept) + (f" and {rest} more" if rest else "")


def _metrics(shown: _Rows, rows: _Rows, full: bool) -> _Lines:
    ranked = ("pearson", "spearman", "kendall")
    if full:
        lines = [line | {f"rank_{name}": f"{line[f'rank_{name}']:g}" for name in ranked} for line in records(shown)]
        return [{key: value for key, value in line.items() if key != "preprocessing"} for line in lines]
    by_metric: dict[tuple[str, str], list[Any]] = {}
    for row in shown:
        by_metric.setdefault((row.criterion, row.metric), []).append(row)
    lines = []
    for (criterion, metric), (with_all, *without) in by_metric.items():
        defined = [row for row in without if row.segments]
        for name in ranked:
            values, ranks = ([getattr(row, key) for row in defined] or [math.nan] for key in (name, f"rank_{name}"))
            lines.append(
                {
                    "criterion": criterion,
                    "metric": metric,
                    "coefficient": name,
                    "segments": with_all.segments,
                    "all judges": getattr(with_all, name),
                    "rank": f"{getattr(with_all, f'rank_{name}'):g}",
                    "lowest without one": min(values),
                    "highest": max(values),
                    "ranks": f"{min(ranks):g} to {max(ranks):g}",
                    "judges": len(defined),
                }
            )
    return lines


_LINES: Mapping[str, Callable[[_Rows, _Rows, bool], _Lines]] = {
    "design": _plain("design"),
    "alpha": _alpha,
    "ceiling": _ceiling,
    "pair-means": _plain("pair-means"),
    "pairs": _pairs,
    "judges": _judges,
    "systems": _systems,
    "metrics": _metrics,
}


def _number(value: float, digits: int, sign: str = "") -> str:
    return "nan" if math.isnan(value) else f"{value:{sign}.{digits}f}"


def _interval(value: float, lower: float, upper: float, digits: int, sign: str = "+") -> str:
    if math.isnan(value) or math.isnan(lower):
        return _number(value, digits, sign)
    return f"{_number(value, digits, sign)} [{_number(lower, digits, sign)}, {_number(upper, digits, sign)}]"
