"""Tables separated by tabs, commas or other signs, as columns of text with the line of each row."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from metaeval.corpora.lines import Files, cut, split_lines
from metaeval.errors import listing

_SEPARATORS = ("\t", ",", ";", "|")


@dataclass(frozen=True)
class Frame:
    """A table: text columns by name, and the line of each row."""

    place: str
    columns: dict[str, list[str]]
    lines: Sequence[int]

    def __len__(self) -> int:
        return len(self.lines)


def separator_of(head: str) -> str:
    """Return the sign that cuts the first line of a table into most parts; a tab if there is none."""
    first = head.partition("\n")[0]
    return max(_SEPARATORS, key=first.count) if any(sign in first for sign in _SEPARATORS) else "\t"


def read_delimited(
    files: Files, path: Path, separator: str | None = None, *, header: bool = True, quoting: bool | None = None
) -> Frame | None:
    """Read a table of text.

    Parameters
    ----------
    files : Files
    path : Path
    separator : str, optional
        One character; found in the first line if none is given.
    header : bool, default True
        Whether the first line names the columns; otherwise they are called 1, 2, ...
    quoting : bool, optional
        Whether fields may stand in quotation marks; by default yes unless tabs separate.

    Returns
    -------
    Frame or None
        None after noting what is wrong.
    """
    text = files.text(path)
    if text is None:
        return None
    place, problems = files.place(path), files.problems
    text = text.removeprefix("\ufeff")
    separator = separator or separator_of(text)
    quoted = separator != "\t" if quoting is None else quoting
    if quoted:
        rows, lines = _quoted_rows(text, separator, place, files)
        widths = [len(row) for row in rows]
    else:
        # A carriage return before a line feed belongs to the end of the line in a table.
        split = split_lines(text.replace("\r\n", "\n"))
        lines = [number for number, line in enumerate(split, start=1) if line]
        plain = [line for line in split if line]
        widths = [line.count(separator) + 1 for line in plain]
    if not widths:
        problems.error(place, "has no rows.")
        return None
    wrong = [row for row, width in enumerate(widths) if width != widths[0]]
    for row in wrong:
        problems.error(f"{place}:{lines[row]}", f"must have {widths[0]} columns, as the first line; got {widths[row]}.")
    if wrong:
        return None
    columns = list(map(list, zip(*rows, strict=True))) if quoted else cut(plain, separator, widths[0])
    if not quoted and quoting is None and any(map(_is_quoted, set().union(*columns))):
        problems.warning(
            place,
            "has fields in quotation marks, which were taken as a part of the text; if they are not, read it with "
            "quoting=True.",
        )
    names = [column.pop(0).strip() for column in columns] if header else [str(n) for n in range(1, len(columns) + 1)]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        problems.error(f"{place}:{lines[0]}", f"names columns twice: {listing(twice)}.")
        return None
    return Frame(place, dict(zip(names, columns, strict=True)), lines[1:] if header else lines)


def _is_quoted(field: str) -> bool:
    return field[:1] == '"' and field[-1:] == '"' and len(field) > 1


def _quoted_rows(text: str, separator: str, place: str, files: Files) -> tuple[list[list[str]], list[int]]:
    rows, lines, before = [], [], 0
    # Only line feeds end a line, so that other characters stay inside their fields.
    reader = csv.reader((line + "\n" for line in split_lines(text)), delimiter=separator, strict=True)
    try:
        for row in reader:
            if row:
                rows.append(row)
                lines.append(before + 1)
            before = reader.line_num
    except csv.Error as error:
        files.problems.error(f"{place}:{before + 1}", f"is not a table separated by {separator!r}: {error}.")
        return [], []
    return rows, lines


# What parse_json returns for a text that is no JSON; None is a value there.
BROKEN = object()


def parse_json(files: Files, text: str, place: str) -> Any:
    """Return what a JSON text says, or BROKEN after noting what is wrong."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        files.problems.error(place, f"is not valid JSON: {reason}.")
        return BROKEN


def json_objects(files: Files, path: Path) -> list[tuple[int, dict[str, Any]]]:
    """Return the objects of a JSON Lines file with their lines; what is no object is noted."""
    text = files.text(path)
    if text is None:
        return []
    place, found = files.place(path), []
    for number, line in enumerate(split_lines(text.removeprefix("\ufeff")), start=1):
        if not line.strip():
            continue
        value = parse_json(files, line, f"{place}:{number}")
        if isinstance(value, dict):
            found.append((number, value))
        elif value is not BROKEN:
            files.problems.error(f"{place}:{number}", f"must be an object in braces; got {line[:40]!r}.")
    return found


def json_number(files: Files, value: object, place: str, what: str) -> float | None:
    """Return a finite number of a JSON file, or None after noting what it is instead."""
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300:
        return float(value)
    files.problems.error(place, f"{what} must be a finite number; got {str(value)[:40]!r}.")
    return None
