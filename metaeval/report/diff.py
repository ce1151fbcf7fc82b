"""Differences between two finished runs, as data frames and as text."""

from __future__ import annotations

import json
import math
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any

import pandas as pd

from metaeval.errors import UsageError, as_typed, counted, unknown
from metaeval.report.conclusions import CONCLUSION, conclusions_text, find_conclusions
from metaeval.report.results import frame
from metaeval.report.tables import Rows, SummaryTable, aligned, as_json, tsv
from metaeval.report.tabular import Tabular
from metaeval.report.terminal_table import fitted, wrapped
from metaeval.results.across import listed
from metaeval.results.differences import OTHERS, differing, find_differences
from metaeval.results.differences import PARTS as OTHER_PARTS
from metaeval.results.row_matching import NUMBER, PLACE_COLUMNS, SETTINGS, columns_of_settings, settings_named
from metaeval.results.store import read_run
from metaeval.results.tables import Record

PARTS = {"settings": OTHER_PARTS["settings"], "conclusions": CONCLUSION, **OTHER_PARTS}


@dataclass(frozen=True, eq=False, repr=False)
class RunsDiff(Tabular):
    """Differences between two runs, an old and a new one.

    Each part is a data frame of its own: changing it changes nothing else. What one run does not have is None there.

    ``settings`` has the columns setting, old and new. ``conclusions`` has the columns of the place, what (``order``,
    ``best`` or ``star``), metric (of a star), old, new, and starred (of the best: whether that of each run has a star
    in the other one too). ``inputs`` has the columns kind, key, old and new. ``signatures`` has these, by kind scores,
    correlations or tests, and n, how many numbers of that kind have the two values. ``numbers`` has the columns of the
    place (of a setting that was left out, both values), found (in which run), old, new, change, lower and upper (the
    old interval), new_lower and new_upper, outside (yes or no: whether the new mean has left the old interval; nothing
    where the old mean was not inside one, or a mean is undefined), differs (which columns do), and for sd and each
    count its value in both runs, such as old_sd and new_sd. ``tests`` has those whose corrected p-value crossed alpha,
    was defined in one run only, or that one run alone has. ``tables`` has the columns table, old, new (their rows; None
    without the file), differ (rows that have no equal in the other run), and only (``signatures`` where nothing else
    differs).

    Attributes
    ----------
    old, new : str
        The directories.
    across : tuple of str
        The settings that were left out of places, so that numbers were compared in spite of them.
    n_compared : int
        Rows of correlations.tsv that both runs have.
    n_claims : int
        Claims that both runs have.
    places : tuple of dict
        The places where both runs rank metrics: their columns, and what a star says there.
    apart : str
        Where no metric has a correlation in both runs, why, and what compares them; else "".
    parts : mapping of str to sequence of dict
        The rows of each part by its name, with None for what is absent.
    """

    old: str
    new: str
    across: tuple[str, ...]
    n_compared: int
    n_claims: int
    places: tuple[Record, ...]
    apart: str
    parts: Mapping[str, Sequence[Record]]

    settings = frame("Settings that were left out of places, with their values in both runs.")
    conclusions = frame("Places where the order of metrics, the best metric or a star is not the same.")
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
        """True if the runs do not differ in any compared part."""
        return not any(self.parts.values())

    @property
    def notes(self) -> tuple[str, ...]:
        """Why no metric is compared, where that is so."""
        return (self.apart,) if self.apart else ()

    def rows(self, part: str) -> list[Record]:
        """Return the rows of one of the data frames.

        Parameters
        ----------
        part : str
            The name of the data frame: ``settings``, ``conclusions``, ``inputs``, ``signatures``, ``numbers``,
            ``tests``, ``claims`` or ``tables``.

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

    def text(self, kind: str = "table", width: int | None = None, *, verbose: bool = False) -> str:
        """Return the differences as text.

        Parameters
        ----------
        kind : {"table", "tsv", "json"}, default "table"
            For people, in words; as one table; or as an object with a list for each part.
        width : int, optional
            Letters of a line for people, in brief: the first rows of each table. Everything, in lines as long as they
            are, unless given.
        verbose : bool, default False
            Whether lines of a width have all rows too.

        Returns
        -------
        str
            The differences.
        """
        if kind == "tsv":
            return tsv(self._all_rows(), ("part",) if self.is_empty else None).rstrip("\n")
        if kind == "json":
            facts = {name: getattr(self, name) for name in ("old", "new", "across", "n_compared", "n_claims", "apart")}
            parts = {part: json.loads(as_json(rows)) for part, rows in self.parts.items()}
            return json.dumps({**facts, "n_places": len(self.places), **parts}, indent=1, ensure_ascii=False)
        return differences_text(self, width, brief=width is not None and not verbose)

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


def diff_runs(old: Path, new: Path, across: Sequence[str] = ()) -> RunsDiff:
    """Compare two finished runs.

    Rows of tables are those of one number where their places mean the same: a preprocessing, metric or coefficient may
    be written in another way, and the column of panels may be there or not. A table that a run lacks counts as empty.

    Parameters
    ----------
    old, new : Path
        Directories of runs.
    across : sequence of str
        Settings that are left out of places. The one setting that alone keeps all places apart is left out anyway.

    Returns
    -------
    RunsDiff
        All that differs.

    Raises
    ------
    UsageError
        If a directory is none of a run, a name is none of a setting, or places are the same without the settings.
    CorpusError
        If a file of a run cannot be read as what it is.
    """
    settings = settings_named(across)
    runs = read_run(old), read_run(new)
    differences = find_differences(runs, (old, new), settings)
    places, changes = find_conclusions(runs, differences.across)
    parts = {name: changes if name == "conclusions" else differences.parts[name] for name in PARTS}
    counts = differences.n_compared, differences.n_claims
    return RunsDiff(str(old), str(new), differences.across, *counts, tuple(places), differences.apart, parts)


# What is the same in all rows of a table stands above it, of these columns.
_HEADING_COLUMNS = (*PLACE_COLUMNS, "test", "over")
# What a narrow terminal shows before all else.
_FIRST_COLUMNS = ("metric", "metric_a", "metric_b", "table", "old", "new", "change", "outside", "criterion", "length")
# Limits of brief text: rows of a table, inputs in a line, items of a list, and letters of a value.
_MAX_ROWS = 10
_MAX_INPUTS = 3
_MAX_ITEMS = 6
_MAX_LETTERS = 60


def differences_text(diff: RunsDiff, width: int | None = None, *, brief: bool = False) -> str:
    """Return the differences between two runs.

    Parameters
    ----------
    diff : RunsDiff
    width : int, optional
        Of a line.
    brief : bool
        Whether a table has its first rows only, with a count of the others.

    Returns
    -------
    str
        ``no difference``, or: which settings differ, what changed in conclusions, what became of the correlations, and
        a table for each part that is not empty. A column that has one value in all rows stands above its table.
    """
    directories = f"old: {diff.old}\nnew: {diff.new}"
    parts = diff.parts
    if diff.is_empty:
        return f"{directories}\nno difference ({counted(diff.n_compared, 'correlation')} in both)"
    correlations, tests, claims = (parts[name] for name in ("numbers", "tests", "claims"))
    conclusions = conclusions_text(diff.places, parts["conclusions"], claims, diff.n_claims, brief=brief)
    settings = _settings_line(diff)
    # That nothing changed comes before anything else.
    has_changed = parts["conclusions"] or any(row["found"] == "both" for row in claims)
    opening_lines = [diff.apart, *([settings, *conclusions] if has_changed else [*conclusions, settings])]
    missing_tables = [
        f"{run.upper()} has no {row['table']}." for row in parts["tables"] for run in ("old", "new") if row[run] is None
    ]
    dropped_of_both_runs = {"found", *columns_of_settings(diff.across)}
    dropped_of_one_run = {
        "change",
        "old interval",
        "new interval",
        "outside",
        "differs",
        "old_alpha",
        "new_alpha",
        "became",
    }
    sections: list[tuple[str, Rows, set[str]]] = [
        ("Correlations that differ", list(map(_correlation, _in_both(correlations))), dropped_of_both_runs),
        (
            "Tests whose corrected p is on the other side of alpha",
            list(map(_test, _in_both(tests))),
            dropped_of_both_runs,
        ),
        ("Correlations of one run alone", list(map(_correlation, _rows_of_one_run(correlations))), dropped_of_one_run),
        ("Tests of one run alone", list(map(_test, _rows_of_one_run(tests))), dropped_of_one_run),
        ("Claims of one run alone", [_claim(row) for row in _rows_of_one_run(claims)], set()),
        ("Inputs that differ", list(map(_two_values, parts["inputs"])), set()),
        (
            "Keys of signatures that differ (of numbers in both runs)",
            list(map(_two_values, parts["signatures"])),
            set(),
        ),
        ("Tables that differ, with their rows", list(map(_table, parts["tables"])), set()),
    ]
    summary_lines = [_summary(diff.n_compared, correlations, signed=bool(parts["signatures"])), *missing_tables]
    opening, summary, directories = (
        "\n".join(_line(line, width) for line in lines if line)
        for lines in (opening_lines, summary_lines, [directories])
    )
    tables = [_section(*section, width=width, limit=_MAX_ROWS if brief else None) for section in sections]
    moved_correlations, moved_tests, *other_tables = tables
    pieces = [opening, summary, moved_correlations, moved_tests, directories, *other_tables]
    return "\n\n".join(filter(None, pieces))


def _line(text: str, width: int | None) -> str:
    return text if width is None else wrapped(text, width, "  ")


def _in_both(rows: Rows) -> list[Mapping[str, Any]]:
    return [row for row in rows if row["found"] == "both"]


def _rows_of_one_run(rows: Rows) -> list[Mapping[str, Any]]:
    return [row for row in rows if row["found"] != "both"]


def _settings_line(diff: RunsDiff) -> str:
    """List the settings and other inputs that differ, from the old value to the new one."""
    settings = [f"{row['setting']}: {row['old']} -> {row['new']}" for row in diff.parts["settings"]]
    compared_keys = {key for name in diff.across for key in SETTINGS[name].keys}
    inputs = [row for row in diff.parts["inputs"] if row["key"] not in (*compared_keys, "title", "source")]
    of_config = [row for kind in ("seed", "config") for row in inputs if row["kind"] == kind]
    keys = [f"{row['key']}: {row['old']} -> {row['new']}" for row in map(_two_values, of_config)]
    counts = Counter(row["kind"] for row in inputs if row["kind"] not in ("seed", "config"))
    rest_counted = [counted(len(keys) - _MAX_INPUTS, "other config key")] if len(keys) > _MAX_INPUTS else []
    others = [*keys[:_MAX_INPUTS], *rest_counted, *(counted(n, _INPUT_NOUNS[kind]) for kind, n in counts.items())]
    lines = [f"Compared in spite of {'; '.join(settings)}."] if settings else []
    lines += [f"{'Other inputs' if settings else 'Inputs'} that differ: {'; '.join(others)}."] if others else []
    return " ".join(lines) or "The inputs are the same."


# What an input of each kind is called where it is only counted.
_INPUT_NOUNS = {"corpus": "corpus fact", "version": "version", "file": "file"}


def _section(title: str, rows: Rows, dropped: set[str], *, width: int | None, limit: int | None) -> str:
    """Return a table under a title; what is the same in many rows is said once, and empty columns are left out."""
    if not rows:
        return ""
    values = {name: {row[name] for row in rows} for name in rows[0] if name not in dropped}
    filled = {name: of_rows for name, of_rows in values.items() if of_rows - {"", None}}
    constant = [name for name in filled if name in _HEADING_COLUMNS and len(rows) > 1 and len(filled[name]) == 1]
    common = ", ".join(f"{name} {rows[0][name]}" for name in constant)
    title = f"{title} ({common})" if common else title
    names = [name for name in filled if name not in constant]
    shown = rows[:limit]
    table = [aligned(shown, names)] if width is None else fitted(shown, width, names, _FIRST_COLUMNS)
    whole = as_typed(terminal="--verbose", python="`verbose=True`")
    rest_counted = [f"{len(rows) - len(shown)} more: {whole} has all."] if len(shown) < len(rows) else []
    return "\n".join([_line(title, width), *table, *rest_counted])


def _summary(n_compared: int, correlations: Rows, *, signed: bool) -> str:
    """Return a sentence on what became of the correlations."""
    if not n_compared and not correlations:
        return "Neither run has a correlation."
    in_both = f"{counted(n_compared, 'correlation')} in both runs"
    if not correlations:
        return f"{in_both}; {'signatures only differ' if signed else 'none moved'}."
    parts = [in_both]
    moved = _in_both(correlations)
    if moved:
        differ = [set(differing(row)) for row in moved]
        changes = [abs(row["change"]) for row in moved if abs(row["change"]) > 0]
        size = f", by {_size(max(changes))} at most" if changes else ""
        size += f" and {_size(statistics.median(changes))} typically (the median)" if len(changes) > 2 else ""
        parts.append(f"{counted(sum('mean' in names for names in differ), 'mean')} moved{size}")
        for noun, names in (("intervals", {"lower", "upper"}), ("sd or counts", set(OTHERS))):
            if number := sum(not names.isdisjoint(of_row) for of_row in differ):
                parts.append(f"{noun} of {number} moved")
        outside = Counter(row["outside"] for row in moved if row["outside"])
        if outside:
            parts.append(f"{outside['yes']} left their old interval")
    elif n_compared:
        parts.append("none moved")
    only_in = Counter(row["found"] for row in _rows_of_one_run(correlations))
    parts += [f"{only_in[f'only {run}']} in the {run} run alone" for run in ("old", "new") if only_in[f"only {run}"]]
    return "; ".join(parts) + "."


def _correlation(row: Mapping[str, Any]) -> Record:
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


def _test(row: Mapping[str, Any]) -> Record:
    return {**row, **{run: "" if row[run] is None else f"{row[run]:.4g}" for run in ("old", "new")}}


def _claim(row: Mapping[str, Any]) -> Record:
    return {name: row[name] for name in ("corpus", "statement", "found", "old", "new")}


def _table(row: Mapping[str, Any]) -> Record:
    """Return a table for people, as text: one without rows is not a missing one."""
    rows = {run: "no file" if row[run] is None else str(row[run]) for run in ("old", "new")}
    return {**row, **rows, "only": f"{row['only']} only" if row["only"] else ""}


def _two_values(row: Mapping[str, Any]) -> Record:
    """Return a key with its two values for people: of long lists what one has alone, of long texts where they part."""
    old, new = ("-" if row[run] is None else str(row[run]) for run in ("old", "new"))
    if max(len(old), len(new)) > _MAX_LETTERS:
        items = _items(old), _items(new)
        removed, added = ([item for item in items[at] if item not in items[1 - at]] for at in (0, 1))
        if removed or added:
            old = f"without {listed(removed, _MAX_ITEMS)}" if removed else ""
            new = f"with {listed(added, _MAX_ITEMS)}" if added else ""
        else:
            n_equal = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))
            start = max(0, n_equal - _MAX_LETTERS // 3)
            old, new = (f"...{text[start:]}" if start else text for text in (old, new))
    return {**row, "old": old, "new": new}


def _items(text: str) -> list[str]:
    """Return the items of a list written as JSON; none of anything else."""
    try:
        items = json.loads(text)
    except ValueError:
        return []
    return [json.dumps(item, ensure_ascii=False) for item in items] if isinstance(items, list) else []


def _interval(lower: float, upper: float) -> str:
    return "" if math.isnan(lower) else f"[{lower:.3f}, {upper:.3f}]"


def _signed(change: float) -> str:
    """Return a change with its sign; a small one has its digits."""
    return "" if math.isnan(change) else f"{'-' if change < 0 else '+'}{_size(abs(change))}"


def _size(change: float) -> str:
    return f"{change:.3f}" if change == 0 or change >= 0.0005 else f"{change:.1e}"
