"""A table as it was loaded, brought into the layout that is read: a row for each rating, and a column for each role."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import TYPE_CHECKING

from metaeval.corpora.judgment_rows import FILE_NAME
from metaeval.corpora.tables.comparisons import comparison_in
from metaeval.corpora.tables.delimited import Frame
from metaeval.corpora.tables.headers import columns_for, holds_scores
from metaeval.corpora.tables.json_rows import KEYS
from metaeval.corpora.tables.layouts import BySystem, Crossed, filled_down
from metaeval.corpora.tables.load import SHEET
from metaeval.corpora.tables.nested import unnested
from metaeval.corpora.tables.samples import without_samples
from metaeval.corpora.text_files import Files
from metaeval.errors import listing, unknown

if TYPE_CHECKING:
    from metaeval.corpora.formats.table import Table

# Rows with these words in their first column, and without a system, hold no ratings.
_NAMES_OF_TOTALS = {
    *("mean", "means", "average", "averages", "avg", "total", "totals", "sum", "median", "sd", "std", "stdev", "n"),
    *("mittelwert", "durchschnitt", "summe", "gesamt", "moyenne", "media", "promedio", "gemiddelde"),
}


@dataclass(frozen=True)
class Prepared:
    """A table in the layout that is read.

    Attributes
    ----------
    frame : Frame
    table : Table
        What is known of its columns.
    user : Table
        What the user says of the file, with what was found about its layout: parameters that a user may type.
    findings : dict of str to str
        What was found, in words.
    """

    frame: Frame
    table: Table
    user: Table
    findings: dict[str, str] = field(default_factory=dict)


def prepare(frame: Frame, user: Table, files: Files) -> Prepared | None:
    """Return a table in the layout that is read, as far as the user and the shape of the file say how.

    Parameters
    ----------
    frame : Frame
    user : Table
        What the user says.
    files : Files
        Takes what is wrong.

    Returns
    -------
    Prepared or None
        None after noting what is wrong.
    """
    head = f"{frame.location}:1"
    is_typed = user.columns or user.criteria or user.judges or user.systems or user.system
    if not is_typed and not columns_for("system", frame.names) and (compared := comparison_in(frame.names)):
        files.error(head, compared)
        return None
    findings = {
        name: f"{count} {'row' if count == 1 else 'rows'} {where}"
        for name, where in (("skip_rows", "above the names of columns"), ("header_rows", "with names of columns"))
        if (count := frame.settings.get(name, 0))
    }
    user = replace(user, **frame.settings)
    if unfilled := [entry for entry in user.labels if entry.endswith("=?")]:
        files.error(head, f"`labels`: put a number in the place of the question mark in {listing(unfilled)}.")
        return None
    named = _with_one_name(frame, user, files)
    if named is None:
        return None
    if "sheet" in named.settings:
        role = _role_of_sheets(named, user)
        if role is None:
            ways = " or ".join(
                files.typed(user.written(columns=(*user.columns, f"{of_sheets}={SHEET}")))
                for of_sheets in ("system", "judge")
            )
            problem = "has several sheets with the same columns."
            files.error(head, f"{problem} Say whether each is of a system or of a judge: {ways}.")
            return None
        if role:
            user = replace(user, columns=(*user.columns, f"{role}={SHEET}"))
        findings["sheets"] = f"all sheets{f', each of a {role}' if role else ''}"
    for role, column in _roles_of_keys(named, user).items():
        user = replace(user, columns=(*user.columns, f"{role}={column}"))
    flat = unnested(named, user, files)
    if flat is None:
        return None
    findings |= flat.findings
    user = flat.user
    for name in user.fill_down:
        if name not in flat.frame.columns:
            files.error(head, f"`fill_down`: {unknown('column', name, [*flat.frame.columns])}")
            return None
    filled = _without_totals(filled_down(flat.frame, user.fill_down), user, files)
    single = without_samples(filled, user, files)
    return None if single is None else _long(single, user, findings, files)


def _with_one_name(frame: Frame, user: Table, files: Files) -> Frame | None:
    """Return a table with columns of the system and the judge that the user names for all rows; None after an error."""
    for role in ("system", "judge"):
        name: str = getattr(user, role)
        if not name:
            continue
        if role in frame.names:
            problem = f"has a column {role!r}, and `{role}` names one {role} for all rows"
            files.error(f"{frame.location}:1", f"{problem}: leave one of them out.")
            return None
        stem = PurePath(frame.location.removesuffix(".gz")).stem
        frame = frame.with_column(role, [name.replace(FILE_NAME, stem)] * len(frame))
    return frame


def _long(frame: Frame, user: Table, findings: dict[str, str], files: Files) -> Prepared | None:
    """Return a table with a row for each system and judge that the user says to have a column; None after an error."""
    head = f"{frame.location}:1"
    table = user
    by_system = None
    if both := [name for name in user.judges if name in user.systems]:
        files.error(head, f"`judges` and `systems` must have no name in common; got {listing(both)} in both.")
        return None
    # Columns of systems may be of judges as well: then a row is made for each system before the judges are looked for.
    if user.systems and (user.judges or _crossed_by_user(frame, user) is None):
        numbers = [name for name, cells in frame.columns.items() if holds_scores(name, cells, user.number)]
        by_system = BySystem.named([*frame.columns], numbers, user.systems)
        absent = [
            column for column in user.systems if column not in frame.columns and "*" not in column and "?" not in column
        ]
        if by_system is None or absent:
            name = (absent or [*user.systems])[0]
            files.error(head, f"`systems`: {unknown('column', name, [*frame.columns])}")
            return None
        frame = by_system.rows(frame)
        table = replace(table, systems=(), columns=(*table.columns, "system=system"))
    crossed = _crossed_by_user(frame, table)
    if crossed is not None:
        role = "judge" if table.judges else "system"
        frame = crossed.rows(frame, role)
        table = replace(table, judges=(), systems=(), columns=(*table.columns, f"{role}={role}"))
    elif table.judges and len(table.criteria) > 1:
        pairs = f"{table.criteria[0]} {table.judges[0]}"
        problem = f"`judges` and `criteria` cross where a column is of each pair of them, such as {pairs!r}"
        files.error(head, f"{problem}; the columns are {listing(frame.names)}. With other columns, name one criterion.")
        return None
    elif by_system is not None and (problem := _unknown_judge(by_system, frame, table)):
        files.error(head, problem)
        return None
    return Prepared(frame, table, user, findings)


def _unknown_judge(by_system: BySystem, frame: Frame, table: Table) -> str:
    """Return what is wrong with the judges that are named beside systems; "" for nothing."""
    absent = [name for name in table.judges if name not in frame.columns and name not in frame.values]
    if not absent:
        return ""
    columns = [
        pair for parts in by_system.column.values() for pair in parts.items() if pair[0] not in ("text", "score")
    ]
    if not columns:
        example = f"{next(iter(by_system.column))} {absent[0]}"
        return f"`judges`: no column has the name of a system and of a judge, such as {example!r}."
    judges = dict.fromkeys(judge for judge, _ in columns)
    return (
        f"`judges`: {unknown('judge', absent[0], judges)} These stand beside the names of systems in columns such as "
        f"{columns[0][1]!r}."
    )


def _crossed_by_user(frame: Frame, user: Table) -> Crossed | None:
    """Return columns that cross the criteria and the judges, or systems, that the user names; None if these do not."""
    others = user.judges or user.systems
    if not others or not user.criteria or any(column in frame.columns for column in (*others, *user.criteria)):
        return None
    criteria = {column or name: name for name, _, column in (entry.partition("=") for entry in user.criteria)}
    return Crossed.named([*frame.columns], [*criteria], others)


def _roles_of_keys(frame: Frame, user: Table) -> dict[str, str]:
    """Return the columns of systems and segments among the keys that rows of JSON stood under: systems are fewer."""
    chosen = {entry.partition("=")[0] for entry in user.columns}
    columns = [name for name in KEYS if name in frame.columns]
    free = [role for role in ("system", "segment") if role not in chosen and not columns_for(role, frame.names)]
    if len(columns) == 1:
        return {free[-1]: columns[0]} if free else {}
    columns.sort(key=lambda name: len(set(frame.columns[name])))
    return dict(zip(("system", "segment"), columns, strict=True)) if len(free) == len(columns) == 2 else {}


def _role_of_sheets(frame: Frame, user: Table) -> str | None:
    """Return whether each sheet is of a system or of a judge; "" where columns name both, None if nothing says it."""
    chosen = {entry.partition("=")[0] for entry in user.columns}
    named = chosen | {role for role in ("system", "judge") if columns_for(role, frame.columns)}
    if any(entry.endswith(f"={SHEET}") for entry in user.columns):
        return ""
    if "system" in named:
        return "" if "judge" in named else "judge"
    if "judge" in named:
        return "system"
    texts = columns_for("text", frame.columns)
    if not texts:
        return None
    segments = columns_for("segment", frame.columns) or columns_for("source", frame.columns)
    keys = frame.columns[segments[0]] if segments else [""] * len(frame)
    known = dict[str, str]()
    # Judges of one system rate the same texts.
    differ = any(known.setdefault(key, text) != text for key, text in zip(keys, frame.columns[texts[0]], strict=True))
    return "system" if differ and segments else None


def _without_totals(frame: Frame, user: Table, files: Files) -> Frame:
    """Return a table without rows of means or totals at its end, which are noted."""
    systems = [entry.partition("=")[2] for entry in user.columns if entry.startswith("system=")]
    systems = systems or columns_for("system", frame.columns)
    if not systems or systems[0] not in frame.columns or not len(frame):
        return frame
    first = next(iter(frame.columns.values()))
    last = len(frame)
    while (
        last
        and first[last - 1].strip().lower().rstrip(".:") in _NAMES_OF_TOTALS
        and not frame.columns[systems[0]][last - 1]
    ):
        last -= 1
    if last == len(frame):
        return frame
    lines = ", ".join(str(line) for line in frame.lines[last:])
    files.note(frame.location, f"line {lines}: {first[last]!r} begins no rating, and is left out.")
    return frame.at(range(last))
