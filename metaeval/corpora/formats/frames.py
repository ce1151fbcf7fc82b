"""JSON Lines, Parquet, Arrow and Excel, as tables of text."""

from __future__ import annotations

import datetime
import io
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from metaeval.corpora.formats.delimited import Frame, json_objects, name_columns, named_twice, too_wide
from metaeval.corpora.lines import Files, largest_size, packed_or_not
from metaeval.corpora.problems import repeated
from metaeval.errors import UsageError, listing
from metaeval.names import Call

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
    for line, found in json_objects(*files.opened(path)):
        if not found.keys() <= seen:
            for name, value in found.items():
                if name not in seen and (wanted(name) or value.__class__ in (int, float)):
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
    return text_frame(files, files.place(path), columns, lines, tuple(unread))


def from_arrow(path: Path, files: Files, wanted: Wanted, sheet: str = "") -> Frame | None:
    """Read the wanted columns, and those of numbers, of Parquet, Feather or Arrow; rows count from 1. None as above."""
    place, is_parquet = files.place(path), packed_or_not(path).suffix.lower() == ".parquet"
    kind = "Parquet" if is_parquet else "Arrow"
    try:
        import pyarrow
        import pyarrow.feather
        import pyarrow.parquet
    except ImportError as error:
        raise UsageError(f"{kind} needs pyarrow: pip install 'metaeval[parquet]'.") from error
    content = files.content(path)
    if content is None:
        return None
    buffer = pyarrow.BufferReader(content)
    try:
        if is_parquet:
            file = pyarrow.parquet.ParquetFile(buffer)
            facts, schema = file.metadata, file.schema_arrow
            n, size = facts.num_rows, sum(facts.row_group(at).total_byte_size for at in range(facts.num_row_groups))
        else:
            # What is neither a file of Arrow nor one of Feather may be a stream.
            is_file = content.startswith((b"ARROW1", b"FEA1"))
            whole = pyarrow.feather.read_table(buffer) if is_file else pyarrow.ipc.open_stream(buffer).read_all()
            whole.validate(full=True)
            schema, n, size = whole.schema, whole.num_rows, whole.nbytes
        types = pyarrow.types
        numeric = {one.name for one in schema if types.is_integer(one.type) or types.is_floating(one.type)}
        chosen = [name for name in dict.fromkeys(schema.names) if wanted(name) or name in numeric]
        twice = [name for name in repeated(schema.names) if name in chosen]
        # A cell takes a byte at least, however well a column of equal cells is packed.
        if max(size, n * len(schema)) > largest_size(len(content)):
            files.error(place, f"has {n} rows of {size} bytes together, which is too much for a file of its size.")
            return None
        if too_wide(len(schema), place, files.problems) or named_twice(twice, place, files.problems):
            return None
        table = file.read(columns=chosen) if is_parquet else whole.select(chosen)
        columns = {name: table.column(name).to_pylist() for name in chosen}
    except (pyarrow.ArrowException, *_BROKEN) as error:
        files.error(place, f"is no {kind} file that can be read: {str(error)[:200]}.")
        return None
    unread = tuple(name for name in schema.names if name not in columns)
    return text_frame(files, place, columns, range(1, n + 1), unread)


def from_excel(path: Path, files: Files, wanted: Wanted, sheet: str = "") -> Frame | None:
    """Read one sheet of an Excel file, the first unless it is named; None after noting what is wrong."""
    content, place, hint = files.content(path), files.place(path), ""
    if content is None:
        return None
    import pandas as pd  # here and not above: most corpora are no Excel files
    import python_calamine

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
                typed = files.typed(str(Call("table", {"sheet": sheets[1]}, "")))
                hint = f"Of the sheets {listing(sheets)}, {sheets[0]!r} was read; {typed} reads another."
                files.note(place, hint)
            cells = pd.read_excel(book, sheet_name=sheet or sheets[0], header=None, dtype=object, na_filter=False)
    except (python_calamine.CalamineError, zipfile.BadZipFile, *_BROKEN) as error:
        files.error(place, f"is no Excel file that can be read: {str(error)[:200]}.")
        return None
    if too_wide(cells.shape[1], place, files.problems):
        return None
    rows = [(line, row) for line, row in enumerate(cells.to_numpy().tolist(), start=1) if any(one != "" for one in row)]
    if not rows:
        files.error(place, "has no rows.")
        return None
    # Nothing in a cell is nothing; dates are text.
    columns = [
        [str(one) if isinstance(one, datetime.date | datetime.time) else None if one == "" else one for one in column]
        for column in zip(*(row for _, row in rows), strict=True)
    ]
    lines = [line for line, _ in rows]
    named = name_columns(columns, place, lines[0], files.problems)
    found = None if named is None else text_frame(files, place, named, lines[1:])
    return None if found is None else replace(found, hint=hint)


# What reads a file, by its suffix.
FRAMES: dict[str, Callable[[Path, Files, Wanted, str], Frame | None]] = {
    **dict.fromkeys((".jsonl", ".ndjson"), from_json),
    **dict.fromkeys((".parquet", ".arrow", ".feather", ".ipc"), from_arrow),
    ".xlsx": from_excel,
}


def text_frame(
    files: Files,
    place: str,
    columns: dict[str, list[Any]],
    lines: Sequence[int] | None = None,
    unread: tuple[str, ...] = (),
) -> Frame | None:
    """Return a table of the values as text; None after noting those that cannot be text.

    Without `lines`, rows are counted from 1.
    """
    lines = range(1, len(next(iter(columns.values()), ())) + 1) if lines is None else lines
    texts, absent, before = dict[str, list[str]](), dict[str, set[int]](), len(files.problems.errors)
    for name, column in columns.items():
        known: dict[str, str] = {}
        shown, bad, missing = list[str](), list[int](), set[int]()
        for row, value in enumerate(column):
            if value.__class__ is str:
                shown.append(value)
                continue
            text = ""
            if value is None or value != value:  # NaN, which is not equal to itself, stands for none
                missing.add(row)
            elif isinstance(value, bool | int | float) and abs(value) < 1e300:
                text = repr(value)
            else:
                bad.append(row)
            shown.append(known.setdefault(text, text))
        if bad:
            got = f"{str(column[bad[0]])[:40]!r}{f' ({len(bad)} rows in all)' if len(bad) > 1 else ''}"
            files.error(f"{place}:{lines[bad[0]]}", f"{name!r} must be a text or a number; got {got}.")
        texts[name], absent[name] = shown, missing
    return None if len(files.problems.errors) > before else Frame(place, lines, texts, absent, unread)
