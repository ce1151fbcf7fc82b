"""Tables separated by tabs, commas or other signs, as columns of text with the line of each row."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import repeat
from typing import Any

from metaeval.corpora.judgment_columns import Rows, is_written_number
from metaeval.corpora.problems import Problems, repeated
from metaeval.corpora.text_files import Files, cut, split_lines
from metaeval.errors import counted, listing

_SEPARATORS = ("\t", ",", ";", "|")
_MAX_FIELD_CHARACTERS = 16 << 20
MAX_COLUMNS = 2000
_SEPARATOR_LINE = re.compile(r"sep=(.)\r?\n")  # what Excel reads before the header
_SAMPLE_LINES = 5  # lines
_HEAD_CHARACTERS = 1 << 16
_MAX_HEADER_ROWS = 20  # rows in which titles and the names of columns are looked for
# What the reader of quoted tables says, in words that help.
_CAUSES_OF_CSV_ERRORS = {
    "new-line character": "a carriage return stands outside of quotation marks, without a line feed behind it",
    "field larger": f"a field is longer than {_MAX_FIELD_CHARACTERS} characters; is a quotation mark missing?",
    "unexpected end": "a quotation mark is opened and never closed",
    "expected after": "something stands between a closing quotation mark and the next column",
}


@dataclass(frozen=True)
class Frame(Rows):
    """A table of text: its rows, and what stands in them.

    Attributes
    ----------
    columns : dict of str to list of str
        By name, all equally long.
    absent : dict of str to set of int
        The rows where a column has nothing, not even "".
    unread : tuple of str
        Columns that were not wanted.
    hint : str
        What else may be read, where these are the wrong columns.
    values : dict of str to list of object
        Columns whose values hold others, as lists and objects of JSON do; None where nothing stands.
    paths : dict of str to str
        Where the columns come from that stood inside the values of another: ``evaluation.score``.
    headers : dict of str to tuple of str
        What stands in each of several rows of names, above each column; the first has what stands to its left.
    settings : dict of str to object
        What was found about the layout while it was loaded, as parameters of :class:`Table` that say the same.
    """

    columns: dict[str, list[str]]
    absent: dict[str, set[int]] = field(default_factory=dict)
    unread: tuple[str, ...] = ()
    hint: str = ""
    values: dict[str, list[Any]] = field(default_factory=dict)
    paths: dict[str, str] = field(default_factory=dict)
    headers: dict[str, tuple[str, ...]] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.lines)

    @property
    def names(self) -> list[str]:
        """The names of all columns, also of those that cannot be read."""
        return list(dict.fromkeys((*self.columns, *self.values, *self.unread)))

    def at(self, rows: Sequence[int]) -> Frame:
        """Return a table of some rows, in that order; a row may be there several times."""
        places = dict[int, list[int]]()
        for new, row in enumerate(rows):
            places.setdefault(row, []).append(new)
        return replace(
            self,
            lines=[self.lines[row] for row in rows],
            columns={name: [cells[row] for row in rows] for name, cells in self.columns.items()},
            absent={
                name: {new for row in missing for new in places.get(row, ())} for name, missing in self.absent.items()
            },
            values={name: [cells[row] for row in rows] for name, cells in self.values.items()},
        )

    def without(self, *names: str) -> Frame:
        """Return the table without some columns."""
        return replace(
            self,
            columns={name: cells for name, cells in self.columns.items() if name not in names},
            absent={name: missing for name, missing in self.absent.items() if name not in names},
            values={name: cells for name, cells in self.values.items() if name not in names},
        )

    def with_column(self, name: str, cells: Sequence[str], path: str = "") -> Frame:
        """Return the table with a column of text, in the place of one of that name if there is one."""
        return replace(
            self,
            columns={**self.columns, name: [*cells]},
            absent={other: rows for other, rows in self.absent.items() if other != name},
            values={other: cells for other, cells in self.values.items() if other != name},
            paths={**self.paths, name: path} if path else self.paths,
        )

    def with_values(self, name: str, cells: Sequence[Any], path: str = "") -> Frame:
        """Return the table with a column of any values, as text if none of them holds others."""
        if any(isinstance(cell, dict | list | tuple) for cell in cells):
            remaining = self.without(name)
            return replace(remaining, values={**remaining.values, name: [*cells]})
        missing = {row for row, cell in enumerate(cells) if cell is None or cell != cell}
        frame = self.with_column(
            name, ["" if row in missing else text_of(cell) for row, cell in enumerate(cells)], path
        )
        return replace(frame, absent={**frame.absent, name: missing})


def text_of(value: object) -> str:
    """Return a value of JSON as a cell of text."""
    return value if isinstance(value, str) else repr(value)


def separator_of(head: str) -> str:
    """Return the sign that cuts the first line of a table into most parts; a tab if there is none."""
    first = head.partition("\n")[0]
    return max(_SEPARATORS, key=first.count) if any(sign in first for sign in _SEPARATORS) else "\t"


def separator_in(head: str, fits: Callable[[str], bool]) -> str | None:
    """Return the sign that cuts the first lines of a file into columns, None if it does not look like a table.

    Blanks do where two names of columns at least are known, as `fits` says.
    """
    lines = [line for line in head.split("\n")[:_SAMPLE_LINES] if line.strip()]
    if len(lines) > 2 and len(head.split("\n")) <= _SAMPLE_LINES and head[-1:] != "\n":
        lines.pop()  # it may have been cut off
    sign = separator_of(head)
    counts = {line.count(sign) for line in lines}
    if len(lines) > 1 and 0 not in counts and (len(counts) == 1 or any(map(fits, lines[0].split(sign)))):
        return sign
    widths = {len(line.split()) for line in lines}
    blanks = len(lines) > 1 and len(widths) == 1 and sum(map(fits, lines[0].split())) > 1
    return " " if blanks and not any(counts) else None


def read_delimited(
    text: str | None,
    location: str,
    problems: Problems,
    separator: str | None = None,
    *,
    header_rows: int = 1,
    skip_rows: int = 0,
    quoting: bool | None = None,
    extra: str | None = None,
    fits: Callable[[str], bool] = lambda name: False,
    guess: bool = False,
) -> Frame | None:
    """Read a table of text.

    Parameters
    ----------
    text : str or None
        What stands in the file; None where it cannot be read, which was noted.
    location : str
        The file, for messages.
    problems : Problems
    separator : str, optional
        One character, a blank for any number of them; found in the first line if none is given.
    header_rows : int, default 1
        How many rows name the columns; without any they are called 1, 2, ...
    skip_rows : int, default 0
        How many rows stand above these.
    quoting : bool, optional
        Whether fields may stand in quotation marks; by default yes unless tabs or blanks separate.
    extra : str, optional
        What begins names that stand in the header without a column of their own.
    fits : callable, optional
        Whether the name of a column is known: names that are separate columns where blanks do that.
    guess : bool, default False
        Whether titles above the names of the columns, and a second row of names, are looked for.

    Returns
    -------
    Frame or None
        None after noting what is wrong.
    """
    if text is None:
        return None
    lines: Sequence[int]
    text = text.removeprefix("\ufeff")
    if declared := _SEPARATOR_LINE.match(text):
        separator = separator or declared[1]
        text = "\n" + text[declared.end() :]
    separator = separator or separator_in(text[:_HEAD_CHARACTERS], fits) or separator_of(text)
    if separator == " ":
        text = "\n".join("\t".join(line.split()) for line in text.split("\n"))
        separator = "\t"
        quoting = False
    if extra is not None:
        text = _without_extra(text, separator, extra)
    quoted = separator != "\t" if quoting is None else quoting
    if quoted:
        rows_and_lines = _quoted_rows(text, separator, location, problems)
        if rows_and_lines is None:
            return None
        rows, lines = rows_and_lines[0][skip_rows:], rows_and_lines[1][skip_rows:]
        widths = [len(row) for row in rows]
    else:
        # A carriage return before a line feed belongs to the end of the line in a table.
        plain = split_lines(text.replace("\r\n", "\n"))
        lines = range(1, len(plain) + 1)
        if "" in plain:
            lines = [number for number, line in enumerate(plain, start=1) if line]
            plain = tuple(filter(None, plain))
        plain = plain[skip_rows:]
        lines = lines[skip_rows:]
        widths = [count + 1 for count in map(str.count, plain, repeat(separator))]
    if not widths:
        problems.error(location, "has no rows.")
        return None
    if too_wide(widths[0], f"{location}:{lines[0]}", problems):
        return None
    if _ragged(widths, lines, rows[0] if quoted else plain[0].split(separator), location, problems):
        return None
    columns = list(map(list, zip(*rows, strict=True))) if quoted else cut(plain, separator, widths[0])
    if not quoted and quoting is None and any(map(_is_quoted, set().union(*columns))):
        problems.warning(
            location,
            "has fields in quotation marks, which were taken as a part of the text; if they are not, read it with "
            "quoting=True.",
        )
    layout = header_in(columns) if guess and header_rows == 1 and not skip_rows else {}
    above = layout.get("skip_rows", 0)
    columns = [column[above:] for column in columns]
    lines = lines[above:]
    header_rows = layout.get("header_rows", header_rows)
    named = name_columns(columns, location, lines[0], problems, header_rows)
    if named is None:
        return None
    headers = _headers(columns, header_rows) if header_rows > 1 else {}
    return Frame(location, lines[header_rows:], named, headers=headers, settings=layout)


def header_in(columns: Sequence[Sequence[Any]]) -> dict[str, Any]:
    """Return the numbers of rows above the names of columns and with names, where these are not none and one.

    A row in which only one of three cells or more has something is a title. Names stand in two rows where the first of
    them lacks names that the second has, as where cells are merged, and no number stands in the second.
    """
    top = zip(*(column[:_MAX_HEADER_ROWS] for column in columns), strict=True)
    rows = [["" if cell is None else str(cell).strip() for cell in row] for row in top]
    titles = 0
    while len(columns) > 2 and titles + 2 < len(rows) and sum(map(bool, rows[titles])) == 1:
        titles += 1
    if not titles and len(rows) and sum(map(bool, rows[0])) == len(columns) == len(set(rows[0])):
        return {}
    layout = {"skip_rows": titles} if titles else {}
    if len(rows) <= titles + 2:
        return layout
    first, second = rows[titles : titles + 2]
    joined = _joined_names([first, second])
    lacking = [index for index, name in enumerate(first) if not name]
    is_second = (
        bool(lacking)
        and all(second[index] for index in lacking)
        and not any(map(is_written_number, second))
        and len(set(joined)) == len(joined)
    )
    return {**layout, "header_rows": 2} if is_second else layout


def _joined_names(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the names of columns that stand in several rows; an empty cell belongs to the name on its left."""
    names = [""] * max(map(len, rows), default=0)
    for at, row in enumerate(rows):
        last = ""
        is_last = at == len(rows) - 1
        for column, cell in enumerate(row):
            last = cell or last
            below = any(row_below[column] for row_below in rows[at + 1 :])
            part = cell if is_last or not below else last
            names[column] = f"{names[column]} {part}".strip()
    return names


def _headers(columns: Sequence[Sequence[str]], header_rows: int) -> dict[str, tuple[str, ...]]:
    """Return the cells in the rows of names above each column, by the name that both give it."""
    rows = [*zip(*(column[:header_rows] for column in columns), strict=True)]
    filled = [*rows]
    last = ""
    above = list[str]()
    for cell, below in zip(rows[0], rows[-1], strict=True):
        last = cell or (last if below else "")
        above.append(last)
    filled[0] = tuple(above)
    return dict(zip(_joined_names(rows), zip(*filled, strict=True), strict=True))


def too_wide(width: int, location: str, problems: Problems) -> bool:
    """Return whether a table has more columns than any table has, which is noted."""
    if width > MAX_COLUMNS:
        problems.error(
            location,
            f"has {width} columns; a table has at most {MAX_COLUMNS}. Is the separator right, or has each row names "
            "of its own?",
        )
    return width > MAX_COLUMNS


def name_columns(
    columns: Sequence[list[Any]], location: str, line: int, problems: Problems, header_rows: int = 1
) -> dict[str, list[Any]] | None:
    """Return columns by their names, which are their first cells or numbers; None after noting what is wrong.

    A column without a name in which nothing stands is none: spreadsheets are written with such.
    """
    if header_rows:
        top = [["" if cell is None else str(cell).strip() for cell in column[:header_rows]] for column in columns]
        names = _joined_names([*zip(*top, strict=True)]) if header_rows > 1 else [cells[0] for cells in top]
    else:
        names = [str(at) for at in range(1, len(columns) + 1)]
    cells_of_columns = [column[header_rows:] for column in columns]
    named_columns = [
        (name, column) for name, column in zip(names, cells_of_columns, strict=True) if name or any(column)
    ]
    twice = named_twice(repeated(name for name, _ in named_columns), f"{location}:{line}", problems)
    return None if twice else dict(named_columns)


def named_twice(names: Sequence[str], location: str, problems: Problems) -> bool:
    """Return whether there are names that several columns have, which is noted."""
    if names:
        twice = f"names columns twice: {listing(names)}."
        nameless = (
            "has several columns without a name. Where titles stand above the names, give their number, as in "
            "`skip_rows=1`; where names stand in two rows, `header_rows=2`."
        )
        problems.error(location, nameless if "" in names else twice)
    return bool(names)


def _ragged(
    widths: Sequence[int], lines: Sequence[int], first: Sequence[str], location: str, problems: Problems
) -> bool:
    """Return whether rows have another number of columns than the first, which is noted once."""
    wrong = [row for row, width in enumerate(widths) if width != widths[0]]
    if wrong:
        different_widths = sorted({widths[row] for row in wrong})
        between = f", of {different_widths[0]} to {different_widths[-1]} columns" if len(different_widths) > 1 else ""
        all_ = f" ({len(wrong)} lines in all{between})" if len(wrong) > 1 else ""
        shown = listing((name[:20] for name in first), 5)
        must = f"must have {counted(widths[0], 'column')}, as the first line, {shown}"
        problems.error(f"{location}:{lines[wrong[0]]}", f"{must}; got {widths[wrong[0]]}.{all_}")
    return bool(wrong)


def _is_quoted(text: str) -> bool:
    return text[:1] == '"' and text[-1:] == '"' and len(text) > 1


def _without_extra(text: str, separator: str, extra: str) -> str:
    """Return a table without the names of its header that begin with `extra`, if the next line lacks such columns."""
    header, end, body = text.partition("\n")
    names = header.split(separator)
    present = [name for name in names if not name.startswith(extra)]
    width = body.partition("\n")[0].count(separator) + 1
    return separator.join(present) + end + body if len(names) > width == len(present) else text


def _quoted_rows(
    text: str, separator: str, location: str, problems: Problems
) -> tuple[list[list[str]], list[int]] | None:
    """Return rows whose fields may stand in quotation marks, and their first lines; None after noting an error."""
    rows = []
    lines = []
    last_line = 0  # of the row before
    # Only line feeds end a line, so that other characters stay inside their fields.
    reader = csv.reader((line + "\n" for line in split_lines(text)), delimiter=separator, strict=True)
    limit_before = csv.field_size_limit(_MAX_FIELD_CHARACTERS)
    try:
        for row in reader:
            # Spreadsheets write an empty row as separators alone; it is left out.
            if any(row) or len(row) == 1:
                rows.append(row)
                lines.append(last_line + 1)
            last_line = reader.line_num
    except csv.Error as error:
        causes = (cause for words, cause in _CAUSES_OF_CSV_ERRORS.items() if words in str(error))
        cause = next(causes, str(error))
        problems.error(f"{location}:{last_line + 1}", f"is not a table separated by {separator!r}: {cause}.")
        return None
    finally:
        csv.field_size_limit(limit_before)
    return rows, lines


# What parse_json returns for a text that is no JSON; None is a value there.
BROKEN = object()


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON, whose keys must differ."""
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError(f"it names {listing(repeated(name for name, _ in pairs))} twice")
    return members


# Reads JSON whose objects must not name a key twice.
JSON = json.JSONDecoder(object_pairs_hook=_unique)


def parse_json(text: str, location: str, problems: Problems) -> Any:
    """Parse a JSON text; BROKEN after noting what is wrong."""
    try:
        return JSON.decode(text)
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        problems.error(location, f"is not valid JSON: {reason}.")
        return BROKEN


def json_objects(text: str | None, location: str, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of JSON Lines with their lines; what is no object is noted."""
    for number, line in enumerate(split_lines((text or "").removeprefix("\ufeff")), start=1):
        if not line.strip():
            continue
        value = parse_json(line, f"{location}:{number}", problems)
        if isinstance(value, dict):
            yield number, value
        elif value is not BROKEN:
            problems.error(f"{location}:{number}", f"must be an object in braces; got {line[:40]!r}.")


def json_number(files: Files, value: object, location: str, noun: str) -> float | None:
    """Return a finite number of a JSON file, or None after noting what it is instead."""
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300:
        return float(value)
    files.error(location, f"{noun} must be a finite number; got {str(value)[:40]!r}.")
    return None
