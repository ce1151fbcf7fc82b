"""Tables as people keep them in spreadsheets: sheets of one book, merged cells, and rows below that are no items."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path

from metaeval.corpora.problems import Problems
from metaeval.corpora.tables.delimited import Frame
from metaeval.corpora.tables.load import SHEET, Wanted, from_spreadsheet, sheet_names
from metaeval.corpora.text_files import Files
from metaeval.errors import counted, listing
from metaeval.ratings.recognition import ROLES, Columns, plain


def frames_of_book(path: Path, files: Files, recognise: Callable[[Frame], Columns]) -> list[Frame]:
    """Return the tables of ratings of a book of Excel or OpenDocument: one for each sheet that holds ratings.

    Sheets with the same columns, among which a value and no rater, are of one rater each, who is called like the sheet.
    A book with one sheet, or without ratings that are recognised, gives the table of its first sheet.

    Parameters
    ----------
    path : Path
    files : Files
    recognise : callable
        Returns what the columns of a table hold.
    """
    names = sheet_names(path, files)
    if len(names) < 2:
        frame = from_spreadsheet(path, files, Wanted(lambda _: None))
        return [] if frame is None else [frame]
    frames = dict[str, Frame]()
    for name in names:
        # A sheet that is no table, such as one of instructions, is none of the user's errors.
        frame = from_spreadsheet(path, Files(files.directory, Problems()), Wanted(lambda _: None, sheet=name))
        if frame is not None and len(frame):
            frames[name] = frame
    columns = {name: recognise(frame) for name, frame in frames.items()}
    chosen = [name for name, of in columns.items() if of.is_long or of.answers or of.by_scores]
    values = [name for name in frames if name not in chosen and _has_values_alone(frames[name])]
    first = frames[values[0]].columns.keys() if values else {}
    raters = [name for name in values if frames[name].columns.keys() == first]
    if len(raters) > 1:
        files.note(files.location(path), f"each sheet is taken for a rater of its name: {listing(raters)}.")
    else:
        raters = []
    used = [name for name in frames if name in (*chosen, *raters)] or [*frames][:1]
    unread = [name for name in names if name not in used]
    if unread:
        files.note(files.location(path), f"sheets in which no ratings were found are not read: {listing(unread)}.")
    made = list[Frame]()
    for name in used:
        frame = frames[name].with_column("rater", [name] * len(frames[name])) if name in raters else frames[name]
        location = f"{frame.location}, sheet {name!r}" if len(used) > 1 else frame.location
        made.append(replace(frame.without(SHEET), location=location))
    return made


def _has_values_alone(frame: Frame) -> bool:
    """Return whether a table has a column of items and one of values, and none of raters."""
    plain_names = {plain(name) for name in frame.columns}
    has = {role: bool(plain_names & {*ROLES[role]}) for role in ("item", "segment", "value", "rater")}
    return (has["item"] or has["segment"]) and has["value"] and not has["rater"]


def with_items(frame: Frame, columns: Columns) -> tuple[Frame, list[str]]:
    """Return a table in which each row has an item, and what was done with those that have none.

    Where cells were merged, the item stands in the first row of those that belong to it alone, so that the others get
    it from above, if each row then is another rating. Rows without an item that are not of this kind, such as totals,
    are left out.
    """
    further = [columns.roles[role] for role in ("turn", "system") if role in columns.roles]
    ids = [name for name in columns.keys if name not in further]
    frame, notes = _without_copies(frame, columns)
    cells = {name: [cell.strip() for cell in frame.columns[name]] for name in ids}
    blank = [row for row in range(len(frame)) if ids and not any(of[row] for of in cells.values())]
    if not blank or len(blank) == len(frame):
        return frame, notes
    rest = [name for name in further if name in columns.keys]
    rest += [columns.roles["rater"]] if columns.is_long else []
    filled = _filled(cells, blank)
    rows = range(len(frame))
    others = [tuple(frame.columns[name][row].strip() for name in rest) for row in rows]
    keys = [(*(of[row] for of in filled.values()), *others[row]) for row in rows]
    if rest and blank[0] > 0 and all(all(others[row]) for row in blank) and len(set(keys)) == len(keys):
        for name, of in filled.items():
            frame = frame.with_column(name, of)
        n = counted(len(blank), "empty cell")
        return frame, [*notes, f"{n} of {listing(ids)} filled from the row above, as where cells were merged"]
    lines = listing([f"{frame.lines[row]}" for row in blank], 3).replace("'", "")
    stays = [row for row in rows if row not in set(blank)]
    noun = f"row without {listing(ids)}" if len(blank) == 1 else f"rows without {listing(ids)}"
    return frame.at(stays), [*notes, f"{len(blank)} {noun} left out, in line {lines}"]


def _without_copies(frame: Frame, columns: Columns) -> tuple[Frame, list[str]]:
    """Return a table of items without rows that are the same as one above in all columns."""
    if columns.is_long or not columns.keys:
        return frame, []
    first = dict[tuple[str, ...], int]()
    for row, cells in enumerate(zip(*frame.columns.values(), strict=True)):
        first.setdefault(cells, row)
    n = len(frame) - len(first)
    if not n:
        return frame, []
    noun = "row is a copy of one above and" if n == 1 else "rows are copies of others above and"
    return frame.at([*first.values()]), [f"{n} {noun} left out"]


def _filled(cells: dict[str, list[str]], blank: Collection[int]) -> dict[str, list[str]]:
    """Return columns in which blank rows have what stands above them."""
    filled = dict[str, list[str]]()
    empty = set(blank)
    for name, of in cells.items():
        last, column = "", list[str]()
        for row, cell in enumerate(of):
            last = last if row in empty else cell
            column.append(last)
        filled[name] = column
    return filled
