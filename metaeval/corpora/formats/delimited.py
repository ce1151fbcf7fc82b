"""Tables separated by tabs, commas or other signs, as columns of text with the line of each row."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any

from metaeval.corpora.columns import Rows
from metaeval.corpora.formats.nested import Nested
from metaeval.corpora.lines import Files, cut, split_lines
from metaeval.corpora.pandas_code import literal
from metaeval.corpora.problems import Problems, repeated, sentence
from metaeval.errors import counted, listing

_SEPARATORS = ("\t", ",", ";", "|")
_LONGEST_FIELD = 16 << 20
MOST_COLUMNS = 2000
_SAID = re.compile(r"sep=(.)\r?\n")  # what Excel reads before the header
_LOOKED_AT = 5  # lines
_HEAD = 1 << 16
# What the reader of quoted tables says, in words that help.
_CAUSES = {
    "new-line character": "a carriage return stands outside of quotation marks, without a line feed behind it",
    "field larger": f"a field is longer than {_LONGEST_FIELD} characters; is a quotation mark missing?",
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
    nested : dict of str to Nested
        Columns that were not wanted, whose values hold others.
    load : str
        The expression by which pandas reads the table; "" where it is one of Python.
    """

    columns: dict[str, list[str]]
    absent: dict[str, set[int]] = field(default_factory=dict)
    unread: tuple[str, ...] = ()
    hint: str = ""
    nested: dict[str, Nested] = field(default_factory=dict)
    load: str = ""

    def __len__(self) -> int:
        return len(self.lines)


def separator_of(head: str) -> str:
    """Return the sign that cuts the first line of a table into most parts; a tab if there is none."""
    first = head.partition("\n")[0]
    return max(_SEPARATORS, key=first.count) if any(sign in first for sign in _SEPARATORS) else "\t"


def separator_in(head: str, fits: Callable[[str], bool]) -> str | None:
    """Return the sign that cuts the first lines of a file into columns, None if it does not look like a table.

    Blanks do where two names of columns at least are known, as `fits` says.
    """
    lines = [line for line in head.split("\n")[:_LOOKED_AT] if line.strip()]
    if len(lines) > 2 and len(head.split("\n")) <= _LOOKED_AT and head[-1:] != "\n":
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
    place: str,
    problems: Problems,
    separator: str | None = None,
    *,
    header: bool = True,
    quoting: bool | None = None,
    extra: str | None = None,
    fits: Callable[[str], bool] = lambda name: False,
) -> Frame | None:
    """Read a table of text.

    Parameters
    ----------
    text : str or None
        What stands in the file; None where it cannot be read, which was noted.
    place : str
        The file, for messages.
    problems : Problems
    separator : str, optional
        One character, a blank for any number of them; found in the first line if none is given.
    header : bool, default True
        Whether the first line names the columns; otherwise they are called 1, 2, ...
    quoting : bool, optional
        Whether fields may stand in quotation marks; by default yes unless tabs or blanks separate.
    extra : str, optional
        What begins names that stand in the header without a column of their own.
    fits : callable, optional
        Whether the name of a column is known: names that are separate columns where blanks do that.

    Returns
    -------
    Frame or None
        None after noting what is wrong.
    """
    if text is None:
        return None
    lines: Sequence[int]
    text = text.removeprefix("\ufeff")
    if said := _SAID.match(text):
        separator, text = separator or said[1], "\n" + text[said.end() :]
    separator = separator or separator_in(text[:_HEAD], fits) or separator_of(text)
    if separator == " ":
        text, separator, quoting = "\n".join("\t".join(line.split()) for line in text.split("\n")), "\t", False
    if extra is not None:
        text = _without_extra(text, separator, extra)
    quoted = separator != "\t" if quoting is None else quoting
    if quoted:
        found = _quoted_rows(text, separator, place, problems)
        if found is None:
            return None
        rows, lines = found
        widths = [len(row) for row in rows]
    else:
        # A carriage return before a line feed belongs to the end of the line in a table.
        plain = split_lines(text.replace("\r\n", "\n"))
        lines = range(1, len(plain) + 1)
        if "" in plain:
            lines = [number for number, line in enumerate(plain, start=1) if line]
            plain = tuple(filter(None, plain))
        widths = [count + 1 for count in map(str.count, plain, repeat(separator))]
    if not widths:
        problems.error(place, "has no rows.")
        return None
    if too_wide(widths[0], f"{place}:{lines[0]}", problems):
        return None
    if _ragged(widths, lines, rows[0] if quoted else plain[0].split(separator), place, problems):
        return None
    columns = list(map(list, zip(*rows, strict=True))) if quoted else cut(plain, separator, widths[0])
    if not quoted and quoting is None and any(map(_is_quoted, set().union(*columns))):
        problems.warning(place, sentence("quotation_marks"))
    named = name_columns(columns, place, lines[0], problems, header=header)
    options = ", ".join([f"sep={separator!r}"] * (separator != ",") + ["dtype=str"] + ["header=None"] * (not header))
    load = f"pandas.read_csv({literal(place)}, {options})"
    return None if named is None else Frame(place, lines[1:] if header else lines, named, load=load)


def too_wide(width: int, place: str, problems: Problems) -> bool:
    """Return whether a table has more columns than any table has, which is noted."""
    if width > MOST_COLUMNS:
        problems.error(place, sentence("too_wide", width=width, most=MOST_COLUMNS))
    return width > MOST_COLUMNS


def name_columns(
    columns: Sequence[list[Any]], place: str, line: int, problems: Problems, *, header: bool = True
) -> dict[str, list[Any]] | None:
    """Return columns by their names, which are their first cells or numbers; None after noting what is wrong.

    A column without a name in which nothing stands is none: spreadsheets are written with such.
    """
    names = [str(column.pop(0) or "").strip() if header else str(at) for at, column in enumerate(columns, start=1)]
    kept = [(name, column) for name, column in zip(names, columns, strict=True) if name or any(column)]
    twice = named_twice(repeated(name for name, _ in kept), f"{place}:{line}", problems)
    return None if twice else dict(kept)


def named_twice(names: Sequence[str], place: str, problems: Problems) -> bool:
    """Return whether there are names that several columns have, which is noted."""
    if names:
        twice = f"names columns twice: {listing(names)}."
        nameless = "has several columns without a name. The first row must name them: delete titles above it."
        problems.error(place, nameless if "" in names else twice)
    return bool(names)


def _ragged(widths: Sequence[int], lines: Sequence[int], first: Sequence[str], place: str, problems: Problems) -> bool:
    """Return whether rows have another number of columns than the first, which is noted once."""
    wrong = [row for row, width in enumerate(widths) if width != widths[0]]
    if wrong:
        found = sorted({widths[row] for row in wrong})
        between = f", of {found[0]} to {found[-1]} columns" if len(found) > 1 else ""
        all_ = f" ({len(wrong)} lines in all{between})" if len(wrong) > 1 else ""
        shown = listing((name[:20] for name in first), 5)
        must = f"must have {counted(widths[0], 'column')}, as the first line, {shown}"
        problems.error(f"{place}:{lines[wrong[0]]}", f"{must}; got {widths[wrong[0]]}.{all_}")
    return bool(wrong)


def _is_quoted(text: str) -> bool:
    return text[:1] == '"' and text[-1:] == '"' and len(text) > 1


def _without_extra(text: str, separator: str, extra: str) -> str:
    """Return a table without the names of its header that begin with `extra`, if the next line lacks such columns."""
    header, end, rest = text.partition("\n")
    names = header.split(separator)
    kept = [name for name in names if not name.startswith(extra)]
    width = rest.partition("\n")[0].count(separator) + 1
    return separator.join(kept) + end + rest if len(names) > width == len(kept) else text


def _quoted_rows(text: str, separator: str, place: str, problems: Problems) -> tuple[list[list[str]], list[int]] | None:
    rows, lines, before = [], [], 0
    # Only line feeds end a line, so that other characters stay inside their fields.
    reader = csv.reader((line + "\n" for line in split_lines(text)), delimiter=separator, strict=True)
    limit = csv.field_size_limit(_LONGEST_FIELD)
    try:
        for row in reader:
            # A spreadsheet writes rows in which nothing stands as separators alone.
            if any(row) or len(row) == 1:
                rows.append(row)
                lines.append(before + 1)
            before = reader.line_num
    except csv.Error as error:
        cause = next((cause for words, cause in _CAUSES.items() if words in str(error)), str(error))
        problems.error(f"{place}:{before + 1}", f"is not a table separated by {separator!r}: {cause}.")
        return None
    finally:
        csv.field_size_limit(limit)
    return rows, lines


# What parse_json returns for a text that is no JSON; None is a value there.
BROKEN = object()


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON, whose keys must differ."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError(f"it names {listing(repeated(name for name, _ in pairs))} twice")
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_unique)


def parse_json(text: str, place: str, problems: Problems) -> Any:
    """Return what a JSON text says, or BROKEN after noting what is wrong."""
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        problems.error(place, f"is not valid JSON: {reason}.")
        return BROKEN


def json_objects(text: str | None, place: str, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    """Give the objects of JSON Lines with their lines; what is no object is noted."""
    for number, line in enumerate(split_lines((text or "").removeprefix("\ufeff")), start=1):
        if not line.strip():
            continue
        value = parse_json(line, f"{place}:{number}", problems)
        if isinstance(value, dict):
            yield number, value
        elif value is not BROKEN:
            problems.error(f"{place}:{number}", f"must be an object in braces; got {line[:40]!r}.")


def json_number(files: Files, value: object, place: str, what: str) -> float | None:
    """Return a finite number of a JSON file, or None after noting what it is instead."""
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300:
        return float(value)
    files.error(place, f"{what} must be a finite number; got {str(value)[:40]!r}.")
    return None
