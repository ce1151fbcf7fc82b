"""JSON Lines, Parquet, Arrow and Excel, as tables of text."""

from __future__ import annotations

import datetime
import io
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from metaeval.corpora.formats.delimited import Frame, frame_of, json_objects, too_wide
from metaeval.corpora.lines import Files, largest_size
from metaeval.corpora.problems import repeated
from metaeval.errors import UsageError, listing

# What libraries raise where a file is not what its name says, besides their own errors.
_BROKEN = (OSError, ValueError, LookupError, ArithmeticError, RuntimeError, MemoryError)
# Whether a column of a name is read: yes, or None where that is seen by its values.
Wanted = Callable[[str], bool | None]


def from_json(path: Path, files: Files, wanted: Wanted, sheet: str = "") -> Frame | None:
    """Read the wanted columns of a JSON Lines file, and those of numbers; None after noting what is wrong."""
    columns, unread, lines = dict[str, list[Any]](), dict[str, None](), list[int]()
    # Equal texts are one object, so that a table of a million judgments stays small.
    known: dict[str, str] = {}
    seen: set[str] = set()
    before = len(files.problems.errors)
    for line, found in json_objects(files, path):
        if not found.keys() <= seen:
            for name, value in found.items():
                if name not in seen and (wanted(name) or _is_number(value)):
                    columns[name] = [None] * len(lines)
                elif name not in seen:
                    unread[name] = None
            seen.update(found)
            if too_wide(len(seen), f"{files.place(path)}:{line}", files.problems):
                return None
        lines.append(line)
        for name, column in columns.items():
            value = found.get(name)
            column.append(known.setdefault(value, value) if value.__class__ is str else value)
    if not lines:
        if len(files.problems.errors) == before:
            files.error(path, "has no rows.")
        return None
    return _frame(files, files.place(path), columns, lines, tuple(unread))


def from_parquet(path: Path, files: Files, wanted: Wanted, sheet: str = "") -> Frame | None:
    """Read the wanted columns of a Parquet file, and those of numbers; rows count from 1. None as in `from_json`."""
    content, place = files.content(path), files.place(path)
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise UsageError("Parquet needs pyarrow: pip install 'metaeval[parquet]'.") from error
    if content is None:
        return None
    try:
        file = pyarrow.parquet.ParquetFile(pyarrow.BufferReader(content))
        facts, schema = file.metadata, file.schema_arrow
        size = sum(facts.row_group(number).total_byte_size for number in range(facts.num_row_groups))
        # A cell takes a byte at least, however well a column of equal cells is packed.
        if max(size, facts.num_rows * facts.num_columns) > largest_size(len(content)):
            files.error(
                place, f"has {facts.num_rows} rows of {size} bytes together, which is too much for a file of its size."
            )
            return None
        return _from_arrow(files, place, schema, wanted, lambda chosen: file.read(columns=chosen))
    except (pyarrow.ArrowException, *_BROKEN) as error:
        files.error(place, f"is no Parquet file that can be read: {str(error)[:200]}.")
        return None


def from_arrow(path: Path, files: Files, wanted: Wanted, sheet: str = "") -> Frame | None:
    """Read an Arrow file or stream, or a Feather file, as `from_parquet` reads Parquet."""
    content, place = files.content(path), files.place(path)
    try:
        import pyarrow
        import pyarrow.feather
    except ImportError as error:
        raise UsageError("Arrow needs pyarrow: pip install 'metaeval[parquet]'.") from error
    if content is None:
        return None
    try:
        # What is neither a file of Arrow nor one of Feather may be a stream.
        packed = content.startswith((b"ARROW1", b"FEA1"))
        buffer = pyarrow.BufferReader(content)
        table = pyarrow.feather.read_table(buffer) if packed else pyarrow.ipc.open_stream(buffer).read_all()
        table.validate(full=True)
        if table.num_rows * table.num_columns > largest_size(len(content)):
            files.error(place, f"has {table.num_rows} rows, which is too much for a file of its size.")
            return None
        return _from_arrow(files, place, table.schema, wanted, table.select)
    except (pyarrow.ArrowException, *_BROKEN) as error:
        files.error(place, f"is no Arrow file that can be read: {str(error)[:200]}.")
        return None


def _from_arrow(
    files: Files, place: str, schema: Any, wanted: Wanted, read: Callable[[list[str]], Any]
) -> Frame | None:
    """Return the wanted columns of an Arrow table, and those of numbers."""
    import pyarrow.types

    kinds = pyarrow.types
    names = schema.names
    if too_wide(len(names), place, files.problems):
        return None
    numeric = {one.name for one in schema if kinds.is_integer(one.type) or kinds.is_floating(one.type)}
    chosen = [name for name in dict.fromkeys(names) if wanted(name) or name in numeric]
    twice = [name for name in repeated(names) if name in chosen]
    if twice:
        files.error(place, f"names columns twice: {listing(twice)}.")
        return None
    table = read(chosen)
    columns = {name: table.column(name).to_pylist() for name in chosen}
    unread = tuple(name for name in names if name not in columns)
    return _frame(files, place, columns, range(1, table.num_rows + 1), unread)


def from_excel(path: Path, files: Files, wanted: Wanted, sheet: str = "") -> Frame | None:
    """Read one sheet of an Excel file, the first unless it is named; None after noting what is wrong."""
    content, place, hint = files.content(path), files.place(path), ""
    if content is None:
        return None
    try:
        import pandas as pd
        import python_calamine
    except ImportError as error:
        raise UsageError("Excel files need python-calamine: pip install 'metaeval[xlsx]'.") from error
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            size = sum(one.file_size for one in archive.infolist())
        if size > largest_size(len(content)):
            files.error(place, f"unpacks to {size} bytes, which is too much for a file of its size.")
            return None
        with pd.ExcelFile(io.BytesIO(content), engine="calamine") as book:
            sheets = [str(name) for name in book.sheet_names]
            if sheet and sheet not in sheets:
                files.error(place, f"has no sheet {sheet!r}; it has {listing(sheets)}.")
                return None
            if not sheet and len(sheets) > 1:
                typed = f"--source-format 'table(sheet=\"{sheets[1]}\")'"
                hint = f"Of the sheets {listing(sheets)}, {sheets[0]!r} was read; {typed} reads another."
                files.note(place, hint)
            cells = pd.read_excel(book, sheet_name=sheet or sheets[0], header=None, dtype=object, na_filter=False)
    except (python_calamine.CalamineError, zipfile.BadZipFile, *_BROKEN) as error:
        files.error(place, f"is no Excel file that can be read: {str(error)[:200]}.")
        return None
    if too_wide(cells.shape[1], place, files.problems):
        return None
    columns = [[_cell(value) for value in cells[column]] for column in cells.columns]
    lines = [row for row in range(len(cells)) if any(column[row] for column in columns)]
    if not lines:
        files.error(place, "has no rows.")
        return None
    columns = [[column[row] for row in lines] for column in columns]
    numbers = [row + 1 for row in lines]
    found = frame_of(
        place, numbers, columns, True, files.problems, lambda cells: {n for n, one in enumerate(cells) if not one}
    )
    return None if found is None else replace(found, hint=hint)


# What reads a file, by its suffix.
FRAMES: dict[str, Callable[[Path, Files, Wanted, str], Frame | None]] = {
    **dict.fromkeys((".jsonl", ".ndjson"), from_json),
    ".parquet": from_parquet,
    **dict.fromkeys((".arrow", ".feather", ".ipc"), from_arrow),
    ".xlsx": from_excel,
}


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _cell(value: Any) -> str:
    """Return a cell of a spreadsheet as text; a whole number has no decimals there."""
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, datetime.datetime | datetime.date | datetime.time):
        return value.isoformat()
    return str(value)


def _frame(
    files: Files, place: str, columns: dict[str, list[Any]], lines: Sequence[int], unread: tuple[str, ...]
) -> Frame | None:
    """Return a table of the values as text; None after noting those that cannot be text."""
    texts, absent = dict[str, list[str]](), dict[str, set[int]]()
    for name, column in columns.items():
        known: dict[str, str] = {}
        shown: list[str] = []
        bad: list[int] = []
        missing: set[int] = set()
        for row, value in enumerate(column):
            if value.__class__ is str:
                shown.append(value)
            elif value is None or value != value:  # NaN, which is not equal to itself, stands for none
                shown.append("")
                missing.add(row)
            elif isinstance(value, bool | int | float) and abs(value) < 1e300:
                text = repr(value)
                shown.append(known.setdefault(text, text))
            else:
                shown.append("")
                bad.append(row)
        for row in bad[:1]:
            more = f" ({len(bad)} rows in all)" if len(bad) > 1 else ""
            files.error(
                f"{place}:{lines[row]}", f"{name!r} must be a text or a number; got {str(column[row])[:40]!r}{more}."
            )
        texts[name], absent[name] = shown, missing
        if bad:
            texts.pop(name)
    if len(texts) < len(columns):
        return None
    return Frame(place, lines, texts, absent, unread)
