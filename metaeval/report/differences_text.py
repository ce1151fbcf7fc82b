"""Differences between two runs as people read them: in sentences, and in tables under headings in words."""

from __future__ import annotations

import json
import math
import re
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from metaeval.errors import as_typed, counted
from metaeval.report.conclusions import conclusions_text
from metaeval.report.phrases import joined_names
from metaeval.report.places_in_words import Wording, column_head, column_words, varying_columns
from metaeval.report.tables import Rows, SummaryTable, aligned, fixed
from metaeval.report.terminal_table import fitted, wrapped
from metaeval.results.across import listed
from metaeval.results.differences import OTHERS, differing
from metaeval.results.row_matching import PLACE_COLUMNS, SETTINGS, columns_of_settings
from metaeval.results.tables import Record

if TYPE_CHECKING:
    from metaeval.report.diff import RunsDiff

Row = Mapping[str, Any]
# What a narrow terminal shows before all else.
_FIRST_COLUMNS = (
    "metric",
    "other metric",
    "table",
    "key",
    "run",
    "p",
    "old",
    "new",
    "old p",
    "new p",
    "change",
    "length",
)
# Limits of brief text: rows of a table, and inputs in a sentence.
_MAX_ROWS = 5
_MAX_INPUTS = 3
# Limits of any text: items of a list, and letters of a value.
_MAX_ITEMS = 6
_MAX_LETTERS = 60
_MAX_LIST_LETTERS = 40
# Letters of a digest, as in signatures.
_MAX_DIGEST_LETTERS = 8
_RUNS = ("old", "new")
# Parts of a config that change no number and no verdict: the sentence on inputs has them where nothing else differs.
_PRESENTATION = {"title", "source", "labels", "figures"}
# What a correlation has besides its mean and its interval.
_OTHER_NUMBERS = {
    "sd": "standard deviation",
    "n_used": "documents",
    "n_undefined": "undefined documents",
    "replicates_used": "replicates",
    "replicates_undefined": "undefined replicates",
}


# Settings that have an article in a sentence.
_WITH_ARTICLE = ("panel", "corpus", "criterion", "coefficient")


@dataclass(frozen=True)
class _Section:
    """A table under its heading: the rows that are shown, and how many there are."""

    heading: str
    rows: Rows
    n_rows: int
    is_result: bool = False

    @property
    def columns(self) -> list[str]:
        """The columns that any row has something in."""
        return [name for name in self.rows[0] if any(row[name] not in ("", None) for row in self.rows)]


def differences_text(diff: RunsDiff, width: int | None = None, *, brief: bool = False) -> str:
    """Return the differences between two runs.

    Parameters
    ----------
    diff : RunsDiff
    width : int, optional
        Of a line.
    brief : bool
        Whether a table has its first rows only, with a count of the others, and tables that nobody has to act on are
        only named.

    Returns
    -------
    str
        ``no difference``, or: what changed in conclusions, which inputs differ, what became of the correlations, and a
        table for each part that is not empty. What is the same in all rows of a table stands in its heading.
    """
    directories = _lines([f"old: {diff.old}", f"new: {diff.new}"], width)
    if diff.is_empty:
        return f"{directories}\nno difference ({counted(diff.n_compared, 'correlation')} in both)"
    sections = _sections(diff, brief=brief)
    pieces = [
        _lines(_opening(diff, brief=brief), width),
        _lines([_summary(diff, brief=brief), *_missing_files(diff)], width),
        *(_table(section, width) for section in sections if section.is_result),
        directories,
        *(_table(section, width) for section in sections if not section.is_result),
        _lines(_left_out(diff) if brief else [], width),
    ]
    return "\n\n".join(filter(None, pieces))


def differences_tables(diff: RunsDiff) -> list[SummaryTable]:
    """Return all tables of the differences between two runs, with what changed in sentences above the first.

    Parameters
    ----------
    diff : RunsDiff
    """
    compared = {"compared": diff.n_compared, "differ": 0}
    if diff.is_empty:
        return [SummaryTable(f"{diff.old} and {diff.new}: nothing differs", [compared])]
    # Why the runs cannot be compared is a note.
    answers = [line for line in _opening(diff, brief=False) if line != why_apart(diff)]
    answers += [_summary(diff, brief=False), *_missing_files(diff), f"Old run: {diff.old}. New run: {diff.new}."]
    sections = _sections(diff, brief=False) or [_Section("Correlations", [compared], 1)]
    return [
        SummaryTable(section.heading, section.rows, answers=[] if number else answers)
        for number, section in enumerate(sections)
    ]


def why_apart(diff: RunsDiff) -> str:
    """Return why no metric has a correlation at the same place in both runs; "" where one has.

    Parameters
    ----------
    diff : RunsDiff
    """
    separation = diff.found.separation
    return separation.sentence(diff.wording.setting_values, column_words) if separation else ""


def _lines(texts: Iterable[str], width: int | None) -> str:
    return "\n".join(text if width is None else wrapped(text, width, "  ") for text in texts)


def _table(section: _Section, width: int | None) -> str:
    rows, names = section.rows, section.columns
    table = [aligned(rows, names)] if width is None else fitted(rows, width, names, _FIRST_COLUMNS)
    n_more = section.n_rows - len(rows)
    more = [f"{n_more} more: {_verbose()} has all."] if n_more else []
    return "\n".join([_lines([section.heading], width), *table, *more])


def _verbose() -> str:
    return as_typed(terminal="--verbose", python="`verbose=True`")


def _opening(diff: RunsDiff, *, brief: bool) -> list[str]:
    """Return why the runs cannot be compared, if so, what changed in conclusions, and which inputs differ."""
    separation = diff.found.separation
    # Of other metrics another one is the best: nothing has changed.
    is_ranked = separation is None or not all(separation.metrics)
    places, changes = (diff.places, diff.changes) if is_ranked else ((), ())
    claims = diff.parts["claims"]
    conclusions = conclusions_text(places, changes, claims, diff.n_claims, diff.wording, brief=brief)
    first = [why_apart(diff), *conclusions[:1], _inputs_sentence(diff)]
    return [*filter(None, first), *conclusions[1:]]


def _inputs_sentence(diff: RunsDiff) -> str:
    """Name the settings in spite of which the runs are compared, and other inputs, from the old value to the new."""
    wording = diff.wording
    settings = []
    for name, values in diff.found.setting_values.items():
        changed = " -> ".join(wording.setting_values(name, of_run) for of_run in values)
        settings.append(f"{'the ' if name in _WITH_ARTICLE else ''}{column_words(name)} ({changed})")
    inputs = _inputs_of_numbers(_other_inputs(diff))
    named = _named(inputs)
    others = [f"{row['key']}: {_change_words(_two_values(row, _MAX_LIST_LETTERS))}" for row in named]
    n_facts = sum(row["kind"] == "corpus" for row in inputs)
    n_rest = len(inputs) - len(named) - n_facts
    others += [counted(n, noun) for n, noun in ((n_rest, "other"), (n_facts, "corpus fact")) if n]
    lines = []
    if settings:
        lines.append(f"The runs differ in {joined_names(settings)}, and are compared in spite of that.")
    if others:
        noun = "Other inputs" if settings or diff.apart else "Inputs"
        lines.append(f"{noun} that differ: {'; '.join(others)}.")
    return " ".join(lines) or ("" if diff.apart or diff.parts["inputs"] else "The inputs are the same.")


def _change_words(row: Row) -> str:
    """Return the two values of an input in a sentence; of a list that has items alone, these."""
    old, new = ("not set" if row[run] == "-" else row[run] for run in _RUNS)
    return f"{old} -> {new}" if old and new else f"now {old or new}"


def _other_inputs(diff: RunsDiff) -> list[Row]:
    """Return the inputs that differ and are named in no other sentence."""
    separation = diff.found.separation
    settings = [*diff.found.setting_values, *(separation.values if separation else ())]
    said = {key for name in settings for key in SETTINGS[name].keys}
    said |= {"metrics"} if separation and all(separation.metrics) else set()
    return [row for row in diff.parts["inputs"] if row["kind"] != "file" and row["key"] not in said]


def _inputs_of_numbers(inputs: Sequence[Row]) -> Sequence[Row]:
    """Return the inputs that can change numbers or verdicts; all where none of them can."""
    return [
        row for row in inputs if row["kind"] != "config" or re.split(r"[.[]", row["key"])[0] not in _PRESENTATION
    ] or inputs


def _named(inputs: Sequence[Row]) -> list[Row]:
    """Return the inputs that a sentence names: the first ones, without facts of corpora."""
    kinds = ("seed", "config", "version")
    return [row for kind in kinds for row in inputs if row["kind"] == kind][:_MAX_INPUTS]


def _rows_of_both_runs(rows: Rows) -> list[Row]:
    return [row for row in rows if row["found"] == "both"]


def _rows_of_one_run(rows: Rows) -> list[Row]:
    return [row for row in rows if row["found"] != "both"]


def _run(row: Row) -> str:
    """Return which run alone has a row: ``old`` or ``new``."""
    return str(row["found"]).removeprefix("only ")


def _sections(diff: RunsDiff, *, brief: bool) -> list[_Section]:
    """Return the tables that have rows; in brief those that somebody may act on."""
    wording = diff.wording
    parts = diff.parts
    # What the runs are compared in spite of is said in a sentence.
    across = columns_of_settings(diff.across)
    limit = _MAX_ROWS if brief else None
    # Those that left their interval come first.
    correlations = sorted(_rows_of_both_runs(parts["numbers"]), key=lambda row: row["outside"] != "yes")
    moved = [row for row in correlations if _has_moved(row)]
    title = "Correlations that changed" if moved else "Correlations whose intervals or counts changed"
    cells_of = _moved_correlation if brief else _whole_correlation
    tests = _rows_of_both_runs(parts["tests"])
    levels = _level_words(tests)
    sections = [
        _placed(title, moved if brief else correlations, lambda row: cells_of(row, wording), wording, across, limit),
        _placed(
            "Significance tests with another outcome",
            tests,
            lambda row: _test_cells(row, wording, has_levels=not levels),
            wording,
            across,
            limit,
            levels,
        ),
    ]
    if not brief:
        inputs = list(map(_two_values, parts["inputs"]))
        lone = [_rows_of_one_run(parts[name]) for name in ("numbers", "tests", "claims")]
        signatures = list(map(_two_values, parts["signatures"]))
        tables = list(map(_table_cells, parts["tables"]))
        sections += [
            _Section("Inputs that differ", inputs, len(inputs)),
            _placed("Correlations of one run alone", lone[0], lambda row: _lone_correlation(row, wording), wording),
            _placed("Significance tests of one run alone", lone[1], lambda row: _lone_test(row, wording), wording),
            _lone_claims(lone[2], wording),
            _Section("Keys of signatures that differ (of numbers in both runs)", signatures, len(signatures)),
            _Section("Tables that differ, with their rows", tables, len(tables)),
        ]
    return [section for section in sections if section.rows]


def _placed(
    title: str,
    rows: Sequence[Row],
    cells_of: Callable[[Row], Record],
    wording: Wording,
    dropped: Sequence[str] = (),
    limit: int | None = None,
    heading_end: str = "",
) -> _Section:
    """Return a table of rows that have a place: what is the same in all of them is said in the heading."""
    columns = [name for name in (*PLACE_COLUMNS, "test", "over") if rows and name in rows[0] and name not in dropped]
    varying = varying_columns(rows, columns)
    same = {name: rows[0][name] for name in columns if len({row[name] for row in rows}) == 1}
    heading = wording.heading(title, same)
    cells = [
        {column_head(name): wording.cell(name, row[name]) for name in varying} | cells_of(row) for row in rows[:limit]
    ]
    return _Section(heading + heading_end, cells, len(rows), is_result=True)


def _has_moved(row: Row) -> bool:
    """Return whether a correlation itself is another one, not only its interval or a count."""
    return "mean" in differing(row)


def _moved_correlation(row: Row, wording: Wording) -> Record:
    """Return a correlation of both runs in brief."""
    return {
        "metric": wording.name(row["metric"]),
        "old": row["old"],
        "new": row["new"],
        "change": _signed(row["change"]),
        "left its old interval": _interval_left(row) if row["outside"] == "yes" else "",
    }


def _whole_correlation(row: Row, wording: Wording) -> Record:
    """Return a correlation of both runs with all that differs."""
    differs = differing(row)
    moved = {"lower", "upper"} & {*differs}
    return {
        "metric": wording.name(row["metric"]),
        "old": row["old"],
        "new": row["new"],
        "change": _signed(row["change"]) if _has_moved(row) else "",
        "old interval": _interval_text(row["lower"], row["upper"]),
        "left it": "yes" if row["outside"] == "yes" else "",
        "new interval": _interval_text(row["new_lower"], row["new_upper"]) if moved else "",
        "other changes": ", ".join(_other_number(row, name) for name in OTHERS if name in differs),
    }


def _other_number(row: Row, name: str) -> str:
    old, new = ("none" if math.isnan(row[f"{run}_{name}"]) else f"{row[f'{run}_{name}']:.4g}" for run in _RUNS)
    return f"{_OTHER_NUMBERS[name]} {old} to {new}"


def _lone_correlation(row: Row, wording: Wording) -> Record:
    run = _run(row)
    interval = (
        _interval_text(row["lower"], row["upper"])
        if run == "old"
        else _interval_text(row["new_lower"], row["new_upper"])
    )
    return {"metric": wording.name(row["metric"]), "run": run, "value": row[run], "interval": interval}


def _level_words(tests: Sequence[Row]) -> str:
    """Return which p is significant, where that is the same in all tests."""
    levels = {(row["old_alpha"], row["new_alpha"]) for row in tests}
    if len(levels) != 1:
        return ""
    ((old, new),) = levels
    return f"; significant: p < {old:g}" + (f" in the old run, p < {new:g} in the new one" if old != new else "")


def _test_cells(row: Row, wording: Wording, *, has_levels: bool) -> Record:
    """Return a test of both runs, with the levels below which p is significant where they differ between tests."""
    metrics = {column_head(name): wording.name(row[name]) for name in ("metric_a", "metric_b")}
    p = {f"{run} p": _p_words(row[run], row[f"{run}_alpha"]) for run in _RUNS}
    levels = {f"{run} level": f"{row[f'{run}_alpha']:g}" for run in _RUNS} if has_levels else {}
    return {**metrics, **p, **levels, "outcome": row["became"]}


def _lone_test(row: Row, wording: Wording) -> Record:
    run = _run(row)
    metrics = {column_head(name): wording.name(row[name]) for name in ("metric_a", "metric_b")}
    return {**metrics, "run": run, "p": _p_words(row[run])}


def _p_words(p: float, alpha: float = math.nan) -> str:
    """Return a p-value with three digits, and with more where these would put it on the other side of the level."""
    if math.isnan(p):
        return "undefined"
    if p < 0.001 and not alpha < 0.001:
        return "< 0.001"
    if math.isnan(alpha) or (p >= 0.001 and (float(fixed(p)) < alpha) == (p < alpha)):
        return fixed(p)
    return f"{p:.4g}"


def _lone_claims(rows: Sequence[Row], wording: Wording) -> _Section:
    corpora = {row["corpus"] for row in rows}
    heading = wording.heading("Claims of one run alone", {"corpus": min(corpora)} if len(corpora) == 1 else {})
    cells = [
        {
            "statement": wording.claim(row),
            "corpus": wording.name(row["corpus"]) if len(corpora) > 1 else "",
            "run": _run(row),
            "verdict": row[_run(row)],
        }
        for row in rows
    ]
    return _Section(heading, cells, len(cells))


def _table_cells(row: Row) -> Record:
    """Return a table as text: one without rows is not a missing one."""
    rows = {run: "no file" if row[run] is None else str(row[run]) for run in _RUNS}
    return {**row, **rows, "only": f"{row['only']} only" if row["only"] else ""}


def _missing_files(diff: RunsDiff) -> list[str]:
    """Name the files that one of the runs lacks, in a sentence for each run."""
    sentences = []
    for run in _RUNS:
        names = [row["table"] for row in diff.parts["tables"] if row[run] is None]
        names += [row["key"] for row in diff.parts["inputs"] if row["kind"] == "file" and row[run] is None]
        if names:
            sentences.append(f"The {run} run has no {joined_names(names, ' or ')}.")
    return sentences


def _summary(diff: RunsDiff, *, brief: bool) -> str:
    """Return a sentence on what became of the correlations."""
    rows = diff.parts["numbers"]
    if not diff.n_compared and not rows:
        return "Neither run has a correlation."
    alone = []
    for run in _RUNS:
        lone = [row for row in _rows_of_one_run(rows) if _run(row) == run]
        if lone:
            metrics = list(dict.fromkeys(diff.wording.metric(row["metric"]) for row in lone))
            named = f" ({', '.join(metrics)})" if len(metrics) <= _MAX_INPUTS else ""
            alone.append(f"{len(lone)} in the {run} run alone{named}")
    in_both = (
        f"{counted(diff.n_compared, 'correlation')} in both runs"
        if diff.n_compared
        else "No correlation is in both runs"
    )
    changes = []
    if moved := _rows_of_both_runs(rows):
        changes = _moves(moved, brief=brief)
    elif diff.n_compared:
        has_other_signatures = any(row["kind"] == "correlations" for row in diff.parts["signatures"])
        changes = ["only signatures differ" if has_other_signatures and not alone else "none changed"]
    return f"{'; '.join([in_both, *changes, *alone])}."


def _moves(rows: Sequence[Row], *, brief: bool) -> list[str]:
    """Return how many correlations changed, by how much, and how many left their old intervals."""
    n_moved = sum(map(_has_moved, rows))
    changes = [abs(row["change"]) for row in rows if abs(row["change"]) > 0]
    parts = [f"{n_moved or 'none'} changed"]
    if changes:
        parts[0] += f", by {'at most ' if len(changes) > 1 else ''}{_size(max(changes))}"
    if len(changes) > 2:
        parts[0] += f" and typically {_size(statistics.median(changes))} (the median)"
    if n_moved > len(changes):
        n_undefined = n_moved - len(changes)
        parts.append(f"{n_undefined} {'is' if n_undefined == 1 else 'are'} undefined in one of the runs")
    outside = Counter(row["outside"] for row in rows if row["outside"] and _has_moved(row))
    if outside:
        n_outside = outside["yes"]
        their, plural = ("their", "s") if n_outside > 1 else ("its", "")
        parts.append(f"{n_outside or 'none'} left {their} old confidence interval{plural}")
    ends = [end for row in rows for end in _moves_of_ends(row)]
    # Where correlations changed, that their intervals did goes without saying.
    if ends and not (brief and n_moved):
        n_intervals = sum(bool(_moves_of_ends(row)) for row in rows)
        parts.append(f"{counted(n_intervals, 'interval')} changed, by at most {_size(max(ends))} at an end")
    n_others = sum(not {*OTHERS}.isdisjoint(differing(row)) for row in rows)
    if n_others and not (brief and (n_moved or ends)):
        parts.append(f"standard deviations or counts of {n_others} changed")
    return parts


def _moves_of_ends(row: Row) -> list[float]:
    """Return by how much the ends of an interval moved that both runs have."""
    moves = (abs(row[f"new_{name}"] - row[name]) for name in ("lower", "upper"))
    return [move for move in moves if move > 0]


def _left_out(diff: RunsDiff) -> list[str]:
    """Name what brief text leaves out."""
    inputs = _other_inputs(diff)
    numbers, tests, claims = (diff.parts[name] for name in ("numbers", "tests", "claims"))
    counts = [
        (len(inputs) - len(_named(_inputs_of_numbers(inputs))), "other input", ""),
        (
            sum(not _has_moved(row) for row in _rows_of_both_runs(numbers)),
            "correlation",
            " whose intervals or counts changed",
        ),
        (len(_rows_of_one_run(numbers)), "correlation", " of one run alone"),
        (len(_rows_of_one_run(tests)), "significance test", " of one run alone"),
        (len(_rows_of_one_run(claims)), "claim", " of one run alone"),
    ]
    parts = [f"{counted(n, noun)}{which}" for n, noun, which in counts if n]
    for noun, part, column in (("keys of signatures", "signatures", "key"), ("tables", "tables", "table")):
        if names := list(dict.fromkeys(row[column] for row in diff.parts[part])):
            parts.append(f"{noun} that differ ({listed(names, _MAX_ITEMS)})")
    return [f"{_verbose()} also lists: {'; '.join(parts)}."] if parts else []


def _two_values(row: Row, max_list_letters: int = _MAX_LETTERS) -> Record:
    """Return a key with its two values for people: of long lists what one has alone, of long texts where they part."""
    old, new = ("-" if row[run] is None else str(row[run]) for run in _RUNS)
    if row["kind"] == "corpus" and str(row["key"]).endswith(".digest"):
        return {**row, "old": old[:_MAX_DIGEST_LETTERS], "new": new[:_MAX_DIGEST_LETTERS]}
    items = _items(old), _items(new)
    if max(len(old), len(new)) > (max_list_letters if any(items) else _MAX_LETTERS):
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


def _interval_text(lower: float, upper: float, digits: int = 3) -> str:
    return "" if math.isnan(lower) else f"[{lower:.{digits}f}, {upper:.{digits}f}]"


def _interval_left(row: Row) -> str:
    """Return the old interval, with the digits that show that the new value, as it is printed, is outside."""
    new = float(fixed(row["new"]))
    digits = (n for n in range(3, 7) if not round(row["lower"], n) <= new <= round(row["upper"], n))
    return _interval_text(row["lower"], row["upper"], next(digits, 6))


def _signed(change: float) -> str:
    """Return a change with its sign; a small one has its digits."""
    return "" if math.isnan(change) else f"{'-' if change < 0 else '+'}{_size(abs(change))}"


def _size(change: float) -> str:
    return f"{change:.3f}" if change == 0 or change >= 0.0005 else f"{change:.1e}"
