"""What differs between two finished runs, as data frames and as text for people."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from metaeval.errors import UsageError, counted, listing, unknown
from metaeval.report.frames import frame
from metaeval.report.tables import Rows, SummaryTable, aligned, as_json, tsv
from metaeval.report.tabular import Tabular
from metaeval.report.widths import fitted, wrapped
from metaeval.results.differences import NUMBER, OTHERS, PARTS, PLACE, differing, find_differences
from metaeval.results.tables import Record


@dataclass(frozen=True, eq=False, repr=False)
class RunsDiff(Tabular):
    """What differs between two runs, the old and the new one.

    Each part is a data frame of its own: changing it changes nothing else. What one run does not have is None there.

    ``inputs`` has the columns kind, key, old and new. ``signatures`` has these, by kind scores, correlations or
    tests, and n, how many numbers of that kind have the two values. ``numbers`` has the columns of the place, found
    (in which run), old, new, change, lower and upper (the old interval), new_lower and new_upper, outside (yes or
    no: whether the new mean has left the old interval; nothing where the old mean was not inside one, or a mean is
    undefined), differs (which columns do), and for sd and each count its value in both runs, such as old_sd and
    new_sd. ``tests`` has those whose corrected p-value crossed alpha, was defined in one run only, or that one run
    alone has. ``tables`` has the columns table, old, new (their rows; None without the file), differ (rows that
    have no equal in the other run), and only (``signatures`` where nothing else differs).

    Attributes
    ----------
    old, new : str
        The directories.
    n_compared : int
        Rows of correlations.tsv that both runs have.
    parts : mapping of str to sequence of dict
        The rows of each part by its name, with None for what is absent.
    """

    old: str
    new: str
    n_compared: int
    parts: Mapping[str, Sequence[Record]]

    inputs = frame("Keys of the config, facts of corpora, versions, and the seed.")
    signatures = frame("Keys of signatures, of numbers that both runs have.")
    numbers = frame(
        "Rows of correlations.tsv that are not the same, those in both runs first, by the size of the change."
    )
    tests = frame("Comparisons of two metrics that crossed alpha.")
    claims = frame("Claims with other verdicts, or that one run alone has.")
    tables = frame("All tables that are not the same.")

    def _frame(self, part: str) -> pd.DataFrame:
        # As objects, so that None, text and numbers in one column stay what they are.
        rows = list(self.parts[part])
        return pd.DataFrame(rows, columns=list(rows[0] if rows else PARTS[part]), dtype=object)

    @property
    def is_empty(self) -> bool:
        """Whether the runs are the same in all that is compared."""
        return not any(self.parts.values())

    def rows(self, part: str) -> list[Record]:
        """Return the rows of one of the data frames.

        Parameters
        ----------
        part : str
            The name of the data frame: ``inputs``, ``signatures``, ``numbers``, ``tests``, ``claims`` or ``tables``.

        Returns
        -------
        list of dict of str to object
            The rows, with None for what is absent.

        Raises
        ------
        UsageError
            If there is no such part.
        """
        if part not in PARTS:
            raise UsageError(unknown("part", part, PARTS))
        return [dict(row) for row in self.parts[part]]

    def to_frame(self) -> pd.DataFrame:
        """Return all parts as one new data frame.

        Returns
        -------
        DataFrame
            The name of the part in the column ``part``, and the columns of all parts, as objects: None where a part
            has not the column, or a run not the value.
        """
        return pd.DataFrame(self._all_rows(), dtype=object)

    def _all_rows(self) -> list[Record]:
        rows = [{"part": part, **row} for part, of_part in self.parts.items() for row in of_part]
        columns = dict.fromkeys(name for row in rows for name in row)
        return [{name: row.get(name) for name in columns} for row in rows]

    def text(self, kind: str = "table", width: int | None = None) -> str:
        """Return the differences as text.

        Parameters
        ----------
        kind : {"table", "tsv", "json"}, default "table"
            For people, in words; as one table; or as an object with a list for each part.
        width : int, optional
            Letters of a line for readers, who then see the outcome first; as long as they are unless given.

        Returns
        -------
        str
            The differences.
        """
        if kind == "tsv":
            return tsv(self._all_rows(), ("part",) if self.is_empty else None).rstrip("\n")
        if kind == "json":
            parts = {part: json.loads(as_json(rows)) for part, rows in self.parts.items()}
            facts = {"old": self.old, "new": self.new, "n_compared": self.n_compared}
            return json.dumps({**facts, **parts}, indent=1, ensure_ascii=False)
        return differences_text(self.old, self.new, self.n_compared, self.parts, width)

    def _tables_for_people(self) -> list[SummaryTable]:
        runs = f"{self.old} and {self.new}"
        if self.is_empty:
            return [SummaryTable(f"{runs}: nothing differs", [{"compared": self.n_compared, "differ": 0}])]
        return [SummaryTable(f"{runs}: {part}", rows) for part, rows in self.parts.items() if rows]

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        counts = ", ".join(f"{len(rows)} {part}" for part, rows in self.parts.items())
        return f"RunsDiff({self.old!r}, {self.new!r}: {counts})"


def diff_runs(old: Path, new: Path) -> RunsDiff:
    """Compare two finished runs.

    Rows of tables are those of one number where their places mean the same: a preprocessing, metric or coefficient may
    be written in another way, and the column of panels may be there or not. A table that a run lacks counts as empty.

    Parameters
    ----------
    old, new : Path
        Directories of runs.

    Returns
    -------
    RunsDiff
        All that differs.

    Raises
    ------
    UsageError
        If a directory is none of a run.
    CorpusError
        If a file of a run cannot be read as what it is.
    """
    return RunsDiff(str(old), str(new), *find_differences(old, new))


# What is the same in all rows of a table stands above it, of these columns.
_TOLD_ONCE = (*PLACE, "test", "over")
# What a narrow terminal shows before all else.
_TELLS_MOST = ("metric", "metric_a", "metric_b", "table", "old", "new", "change", "outside", "criterion", "length")
# Letters of a value, and items of a list, that a table shows at most.
_LONGEST, _MOST_ITEMS = 60, 6


def differences_text(old: str, new: str, n_compared: int, parts: Mapping[str, Rows], width: int | None = None) -> str:
    """Return the differences between two runs.

    Parameters
    ----------
    old, new : str
        The directories.
    n_compared : int
        Correlations that both have.
    parts : mapping of str to rows
        As `RunsDiff` has them.
    width : int, optional
        Of a line; the sentence on the correlations then comes first.

    Returns
    -------
    str
        ``no difference``, or: what each run is called, then a section for each part that is not empty. A column that
        has one value in all rows stands above its table.
    """
    head = f"old: {old}\nnew: {new}"
    if not any(parts.values()):
        return f"{head}\nno difference ({counted(n_compared, 'correlation')} in both)"
    inputs, signatures = (
        [{**row, **dict(zip(("old", "new"), _shown_apart(row["old"], row["new"]), strict=True))} for row in parts[part]]
        for part in ("inputs", "signatures")
    )
    numbers = list(map(_readable, parts["numbers"]))
    tests = [
        {**row, **{run: "" if row[run] is None else f"{row[run]:.4g}" for run in ("old", "new")}}
        for row in parts["tests"]
    ]
    claims = [{key: row[key] for key in ("corpus", "statement", "found", "old", "new")} for row in parts["claims"]]
    # As text: a table without rows is not a missing one.
    tables = [
        {
            **row,
            **{run: "no file" if row[run] is None else str(row[run]) for run in ("old", "new")},
            "only": f"{row['only']} only" if row["only"] else "",
        }
        for row in parts["tables"]
    ]
    lacking = [
        f"{run.upper()} has no {row['table']}." for row in parts["tables"] for run in ("old", "new") if row[run] is None
    ]
    of_both = ("change", "old interval", "new interval", "outside", "differs")
    crossed = "Tests whose corrected p is on the other side of alpha"
    outcome = "\n".join([*lacking, _summary(n_compared, parts)])
    sections = [
        *([head] if width is None else [wrapped(outcome, width), head]),
        _section("Inputs that differ", inputs, width=width),
        _section("Keys of signatures that differ (of numbers in both runs)", signatures, width=width),
        outcome if width is None else "",
        _section("Correlations that differ", _found(numbers, both=True), ("found",), width=width),
        _section("Correlations of one run alone", _found(numbers, both=False), of_both, width=width),
        _section(crossed, _found(tests, both=True), ("found",), width=width),
        _section(
            "Tests of one run alone", _found(tests, both=False), ("old_alpha", "new_alpha", "became"), width=width
        ),
        _section("Claims with other verdicts", claims, width=width),
        _section("Tables that differ, with their rows", tables, width=width),
    ]
    return "\n\n".join(filter(None, sections))


def _found(rows: Rows, *, both: bool) -> list[Mapping[str, Any]]:
    """Return the rows that both runs have, or those that one alone has."""
    return [row for row in rows if (row["found"] == "both") == both]


def _section(title: str, rows: Rows, dropped: Sequence[str] = (), *, width: int | None) -> str:
    """Return a table under a title; what is the same in many rows is said once, and empty columns are left out."""
    if not rows:
        return ""
    values = {name: {row[name] for row in rows} for name in rows[0] if name not in dropped}
    filled = {name: of_rows for name, of_rows in values.items() if of_rows - {"", None}}
    once = [name for name in filled if name in _TOLD_ONCE and len(rows) > 1 and len(filled[name]) == 1]
    said = ", ".join(f"{name} {rows[0][name]}" for name in once)
    title, names = f"{title} ({said})" if said else title, [name for name in filled if name not in once]
    if width is None:
        return f"{title}\n{aligned(rows, names)}"
    return "\n".join([wrapped(title, width, "  "), *fitted(rows, width, names, _TELLS_MOST)])


def _summary(n_compared: int, parts: Mapping[str, Rows]) -> str:
    """Return a sentence on what became of the correlations."""
    numbers = parts["numbers"]
    in_both = f"{counted(n_compared, 'correlation')} in both runs"
    if not n_compared and not numbers:
        return "Neither run has a correlation."
    single = {run: [row for row in numbers if row["found"] == f"only {run}"] for run in ("old", "new")}
    if not n_compared and all(single.values()):
        return f"No correlation stands in the same place in both runs: {_apart(*single.values())}."
    if not numbers:
        signed = any(row["kind"] == "correlations" for row in parts["signatures"])
        return f"{in_both}; {'signatures only differ' if signed else 'none moved'}."
    said = [in_both]
    moved = _found(numbers, both=True)
    if moved:
        differ = [set(differing(row)) for row in moved]
        changes = [abs(row["change"]) for row in moved if not math.isnan(row["change"])]
        size = f", by {_signed(max(changes)).lstrip('+')} at most" if any(changes) else ""
        said.append(f"{counted(sum('mean' in names for names in differ), 'mean')} moved{size}")
        for what, names in (("intervals", {"lower", "upper"}), ("sd or counts", set(OTHERS))):
            if number := sum(not names.isdisjoint(found) for found in differ):
                said.append(f"{what} of {number} moved")
        outside = Counter(row["outside"] for row in moved if row["outside"])
        if outside:
            said.append(f"{outside['yes']} left their old interval")
    elif n_compared:
        said.append("none moved")
    said += [f"{len(rows)} in the {run} run alone" for run, rows in single.items() if rows]
    return "; ".join(said) + "."


def _apart(old: Rows, new: Rows) -> str:
    """Return which columns of places have no value in common, with their values."""
    found = []
    for name in NUMBER:
        first, second = ({str(row[name]) for row in rows} for rows in (old, new))
        if not first & second:
            found.append(f"{name} {listing(sorted(first), 3)} and {listing(sorted(second), 3)}")
    return "; ".join(found) or "their columns are combined in other ways"


def _readable(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a correlation for people: intervals as one text, and what else differs with its two values."""
    differs = differing(row)
    has_moved = "lower" in differs or "upper" in differs
    return {
        **{name: row[name] for name in (*NUMBER, "found", "old", "new")},
        "change": _signed(row["change"]),
        "old interval": _interval(row["lower"], row["upper"]),
        "new interval": _interval(row["new_lower"], row["new_upper"]) if has_moved else "",
        "outside": row["outside"],
        "differs": ", ".join(
            f"{name} {row[f'old_{name}']:.4g} to {row[f'new_{name}']:.4g}" if name in OTHERS else name
            for name in differs
        ),
    }


def _interval(lower: float, upper: float) -> str:
    return "" if math.isnan(lower) else f"[{lower:.3f}, {upper:.3f}]"


def _signed(change: float) -> str:
    """Return a change with its sign; a small one keeps its digits."""
    if math.isnan(change):
        return ""
    return f"{change:+.3f}" if change == 0 or abs(change) >= 0.0005 else f"{change:+.1e}"


def _shown_apart(old: object, new: object) -> tuple[object, object]:
    """Return the old and the new value so short that they can be shown, yet still unlike each other."""
    if not (isinstance(old, str) and isinstance(new, str)):
        first, second = (
            "-" if value is None else _window(value) if isinstance(value, str) else value for value in (old, new)
        )
        return first, second
    if max(len(old), len(new)) <= _LONGEST:
        return old, new
    items = _items(old), _items(new)
    if None not in items:
        first, second = (Counter(found) for found in items)
        removed, added = list((first - second).elements()), list((second - first).elements())
        # Of two lists with the same items, or of one item in place of another, the texts show more.
        if len(removed) + len(added) and (len(removed), len(added)) != (1, 1):
            return _change("removed", removed), _change("added", added)
        if removed:
            old, new = removed[0], added[0]
    shorter, longer = sorted((old, new), key=len)
    place = next((at for at, sign in enumerate(shorter) if sign != longer[at]), len(shorter))
    # One place for both, or two windows of a text that repeats itself could be equal.
    start = max(0, min(place - _LONGEST // 3, len(longer) - _LONGEST))
    return _window(old, start), _window(new, start)


def _items(text: str) -> list[str] | None:
    """Return the items of a list written as JSON; None for anything else."""
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return [json.dumps(item, ensure_ascii=False) for item in found] if isinstance(found, list) else None


def _change(word: str, items: Sequence[str]) -> str:
    more = f" and {len(items) - _MOST_ITEMS} more" if len(items) > _MOST_ITEMS else ""
    return f"{word} {', '.join(map(_window, items[:_MOST_ITEMS])) or 'nothing'}{more}"


def _window(value: str, start: int = 0) -> str:
    """Return the part of a text that begins at a place, with dots where there is more."""
    end = start + _LONGEST
    return f"{'...' if start else ''}{value[start:end]}{'...' if end < len(value) else ''}"
