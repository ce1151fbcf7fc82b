"""What differs between two runs as text for people."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from metaeval.errors import listing
from metaeval.report.tables import Rows, aligned

NOTHING = "no difference"
_NAMES = {"inputs": "Inputs that differ", "signatures": "Keys of signatures that differ (of numbers in both runs)"}
_LONGEST = 60
_MOST_ITEMS = 6
_OTHERS = ("sd", "n_used", "n_undefined", "replicates_used", "replicates_undefined")
_KINDS = {
    "limits": {"lower", "upper"},
    "sd or counts": set(_OTHERS),
}


def differences_text(old: str, new: str, n_compared: int, parts: Mapping[str, Rows]) -> str:
    """Return the differences between two runs.

    Parameters
    ----------
    old, new : str
        The directories.
    n_compared : int
        Correlations that both have.
    parts : mapping of str to rows
        As `metaeval.report.diff.RunsDiff` has them: inputs, signatures, numbers, tests, claims and tables.

    Returns
    -------
    str
        ``no difference``, or: what each run is called, then a section for each part that is not empty. A column that
        has one value in all rows stands above its table.
    """
    numbers = parts["numbers"]
    head = f"old: {old}\nnew: {new}"
    if not any(len(rows) for rows in parts.values()):
        return f"{head}\n{NOTHING} ({_n(n_compared, 'correlation')} in both)"
    sections = [head]
    for part, title in _NAMES.items():
        if parts[part]:
            rows = [{**row, **dict(zip(("old", "new"), _apart_values(row), strict=True))} for row in parts[part]]
            sections.append(_section(title, rows, ()))
    sections.append("\n".join([*_missing(parts["tables"]), _summary(n_compared, parts)]))
    moved = [row for row in numbers if row["found"] == "both"]
    if moved:
        sections.append(_section("Correlations that differ", list(map(_readable, moved)), ("found",)))
    single = [row for row in numbers if row["found"] != "both"]
    if single:
        dropped = ("change", "old interval", "new interval", "outside", "differs")
        sections.append(_section("Correlations of one run alone", list(map(_readable, single)), dropped))
    crossed = [row for row in parts["tests"] if row["found"] == "both"]
    if crossed:
        rows = [{**row, "old": _p(row["old"]), "new": _p(row["new"])} for row in crossed]
        sections.append(_section("Tests whose corrected p is on the other side of alpha", rows, ("found",)))
    single = [row for row in parts["tests"] if row["found"] != "both"]
    if single:
        rows = [{**row, "old": _p(row["old"]), "new": _p(row["new"])} for row in single]
        sections.append(_section("Tests of one run alone", rows, ("old_alpha", "new_alpha", "became")))
    if parts["claims"]:
        shown = ("corpus", "statement", "found", "old", "new")
        rows = [{key: row[key] for key in shown} for row in parts["claims"]]
        sections.append(_section("Claims with other verdicts", rows, ()))
    if parts["tables"]:
        # As text: a table without rows is not a missing one.
        rows = [
            {
                **row,
                **{run: "no file" if row[run] is None else str(row[run]) for run in ("old", "new")},
                "only": f"{row['only']} only" if row["only"] else "",
            }
            for row in parts["tables"]
        ]
        sections.append(_section("Tables that differ, with their rows", rows, ()))
    return "\n\n".join(sections)


def _missing(tables: Rows) -> list[str]:
    """Return a sentence for each table that one run lacks."""
    return [f"{run.upper()} has no {row['table']}." for row in tables for run in ("old", "new") if row[run] is None]


def _summary(n_compared: int, parts: Mapping[str, Rows]) -> str:
    numbers = parts["numbers"]
    moved = [row for row in numbers if row["found"] == "both"]
    if not n_compared and not numbers:
        return "Neither run has a correlation."
    apart = _apart(numbers) if not n_compared else ""
    if apart:
        return f"No correlation stands in the same place in both runs: {apart}."
    if not numbers:
        signed = any(row["kind"] == "correlations" for row in parts["signatures"])
        return f"{_n(n_compared, 'correlation')} in both runs; {'signatures only differ' if signed else 'none moved'}."
    said = [f"{_n(n_compared, 'correlation')} in both runs"]
    differing = [set(_differing(row)) for row in moved]
    if moved:
        changes = [abs(row["change"]) for row in moved if not math.isnan(row["change"])]
        size = f", by {_signed(max(changes)).lstrip('+')} at most" if any(changes) else ""
        said.append(f"{_n(sum('mean' in names for names in differing), 'mean')} moved{size}")
        for what, names in _KINDS.items():
            if number := sum(not names.isdisjoint(found) for found in differing):
                said.append(f"{what} of {number} moved")
        with_limits = [row for row in moved if row["outside"]]
        if with_limits:
            said.append(f"{sum(row['outside'] == 'yes' for row in with_limits)} left their old interval")
    elif n_compared:
        said.append("none moved")
    said.extend(
        f"{number} in the {run} run alone"
        for run in ("old", "new")
        if (number := sum(row["found"] == f"only {run}" for row in numbers))
    )
    return "; ".join(said) + "."


def _apart(numbers: Rows) -> str:
    """Return which columns of places have no value in common, with their values, where each run has rows."""
    sides = [[row for row in numbers if row["found"] == f"only {run}"] for run in ("old", "new")]
    if not all(sides):
        return ""
    told = []
    for name in _WHERE:
        first, second = ({str(row[name]) for row in side} for side in sides)
        if not first & second:
            told.append(f"{name} {listing(sorted(first), 3)} and {listing(sorted(second), 3)}")
    return "; ".join(told) or "their columns are combined in other ways"


def _n(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _readable(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row for people: intervals as one text, and what else differs with its two values."""
    values = {name: row[name] for name in row if name in (*_WHERE, "found", "old", "new", "outside")}
    differs = _differing(row)
    values["change"] = _signed(row["change"])
    values["old interval"] = _interval(row["lower"], row["upper"])
    moved = "lower" in differs or "upper" in differs
    values["new interval"] = _interval(row["new_lower"], row["new_upper"]) if moved else ""
    values["differs"] = ", ".join(
        f"{name} {row[f'old_{name}']:.4g} to {row[f'new_{name}']:.4g}" if f"old_{name}" in row else name
        for name in differs
    )
    order = (*_WHERE, "found", "old", "new", "change", "old interval", "new interval", "outside", "differs")
    return {name: values[name] for name in order}


def _differing(row: Mapping[str, Any]) -> list[str]:
    """Return the columns of a number that differ between the runs; none where one run alone has it."""
    if row["found"] != "both":
        return []
    pairs = {"mean": ("old", "new"), "lower": ("lower", "new_lower"), "upper": ("upper", "new_upper")}
    pairs |= {name: (f"old_{name}", f"new_{name}") for name in _OTHERS}
    values = {name: (row[old], row[new]) for name, (old, new) in pairs.items()}
    return [name for name, (old, new) in values.items() if old != new and not (math.isnan(old) and math.isnan(new))]


def _interval(lower: float, upper: float) -> str:
    return "" if math.isnan(lower) else f"[{lower:.3f}, {upper:.3f}]"


def _signed(change: float) -> str:
    """Return a change with its sign; a small one keeps its digits."""
    if math.isnan(change):
        return ""
    return f"{change:+.3f}" if change == 0 or abs(change) >= 0.0005 else f"{change:+.1e}"


def _p(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"


def _apart_values(row: Mapping[str, Any]) -> tuple[object, object]:
    """Return the old and the new value so short that they can be shown, yet still unlike each other."""
    old, new = row["old"], row["new"]
    if not (isinstance(old, str) and isinstance(new, str)):
        return _shown(old), _shown(new)
    if max(len(old), len(new)) <= _LONGEST:
        return old, new
    items = _items(old), _items(new)
    if None not in items:
        first, second = (Counter(found) for found in items)
        removed, added = list((first - second).elements()), list((second - first).elements())
        # Of two lists with the same items, or of one item in place of another, the texts tell more.
        if len(removed) + len(added) and (len(removed), len(added)) != (1, 1):
            return _change("removed", removed), _change("added", added)
        if removed:
            old, new = removed[0], added[0]
    shorter, longer = sorted((old, new), key=len)
    place = next((at for at, sign in enumerate(shorter) if sign != longer[at]), len(shorter))
    # One place for both, or two windows of a text that repeats itself could be equal.
    start = max(0, min(place - _LONGEST // 3, len(longer) - _LONGEST))
    return _window(old, start), _window(new, start)


def _shown(value: object) -> object:
    return "-" if value is None else _window(value, 0) if isinstance(value, str) else value


def _items(text: str) -> list[str] | None:
    """Return the items of a list written as JSON; None for anything else."""
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return [json.dumps(item, ensure_ascii=False) for item in found] if isinstance(found, list) else None


def _change(word: str, items: Sequence[str]) -> str:
    if not items:
        return f"{word} nothing"
    shown = ", ".join(_window(item, 0) for item in items[:_MOST_ITEMS])
    return f"{word} {shown}" + (f" and {len(items) - _MOST_ITEMS} more" if len(items) > _MOST_ITEMS else "")


def _window(value: str, start: int) -> str:
    """Return the part of a text that begins at a place, with dots where there is more."""
    end = start + _LONGEST
    return f"{'...' if start else ''}{value[start:end]}{'...' if end < len(value) else ''}"


def _section(title: str, rows: Rows, dropped: Sequence[str]) -> str:
    """Return a table under a title; what is the same in many rows is told once, and empty columns are left out."""
    columns = [name for name in rows[0] if name not in dropped]
    said = []
    if len(rows) > 1:
        for name in [name for name in columns if name in _PLACES]:
            values = {row[name] for row in rows}
            if len(values) == 1:
                columns.remove(name)
                said.append(f"{name} {values.pop()}")
    columns = [name for name in columns if any(row[name] not in ("", None) for row in rows)]
    said = [text for text in said if not text.endswith(" ")]
    heading = f"{title} ({', '.join(said)})" if said else title
    return f"{heading}\n{aligned(rows, columns)}"


_WHERE = ("panel", "corpus", "preprocessing", "subset", "criterion", "average_by", "length", "coefficient", "metric")
_PLACES = (
    "panel",
    "corpus",
    "preprocessing",
    "subset",
    "criterion",
    "average_by",
    "length",
    "coefficient",
    "test",
    "over",
)
