"""JSON Lines, Parquet, Arrow and Excel, as tables of text."""

from __future__ import annotations

import datetime
import io
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from metaeval.corpora.formats.delimited import Frame, json_objects, name_columns, named_twice, too_wide
from metaeval.corpora.formats.nested import Nested, is_nested
from metaeval.corpora.headers import columns_for, fits_any, is_no_rating, is_role_but_score, names_rating, plain
from metaeval.corpora.lines import Files, largest_size, packed_or_not
from metaeval.corpora.pandas_code import literal, written
from metaeval.corpora.problems import repeated
from metaeval.errors import UsageError, listing
from metaeval.names import Call

# What libraries raise where a file is not what its name says, besides their own errors.
_BROKEN = (OSError, ValueError, LookupError, ArithmeticError, RuntimeError, MemoryError)
_NUMBERS: tuple[Any, ...] = (bool, int, float, Decimal)
_MOST_ROWS_ABOVE = 50  # the names of columns, where other sheets are looked at
# How pandas reads a sheet as it is.
_RAW: dict[str, Any] = {"header": None, "dtype": object, "na_filter": False}
# Whether a column of a name is read: yes, or None where that is seen by its values.
Wanted = Callable[[str], bool | None]


def from_json(path: Path, files: Files, wanted: Wanted, sheet: str = "") -> Frame | None:
    """Read a JSON Lines file; None after noting what is wrong."""
    columns, nested, lines = dict[str, list[Any]](), dict[str, Nested](), list[int]()
    # Equal texts are one object, so that a table of a million judgments stays small.
    known: dict[str, str] = {}
    before = len(files.problems.errors)
    for line, found in json_objects(*files.opened(path)):
        if not found.keys() <= columns.keys():
            columns.update((name, [None] * len(lines)) for name in found if name not in columns)
        if too_wide(len(columns), f"{files.place(path)}:{line}", files.problems):
            return None
        for name, column in columns.items():
            value = found.get(name)
            if value.__class__ in (dict, list) and not (wanted(name) and is_role_but_score(name)):
                nested.setdefault(name, Nested.after(len(lines))).add(line, value)
                value = None
            elif name in nested:
                nested[name].add(line, None)
            column.append(known.setdefault(value, value) if value.__class__ is str else value)
        lines.append(line)
    if not lines:
        if len(files.problems.errors) == before:
            files.error(path, "has no rows.")
        return None
    load = f"pandas.read_json({literal(files.place(path))}, lines=True, dtype=False)"
    return text_frame(files, files.place(path), columns, lines, wanted=wanted, nested=nested, load=load)


def from_arrow(path: Path, files: Files, wanted: Wanted, sheet: str = "") -> Frame | None:
    """Read the wanted columns of Parquet, Feather or Arrow, and those of text, numbers and nested values.

    Rows count from 1. None as above.
    """
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
        readable = {one.name for one in schema if _is_readable(one.type, types)}
        chosen = [name for name in dict.fromkeys(schema.names) if wanted(name) or name in readable]
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
    load = f"pandas.read_{'parquet' if is_parquet else 'feather'}({literal(place)})"
    return text_frame(files, place, columns, range(1, n + 1), unread, wanted=wanted, load=load)


def _is_readable(type_: Any, types: Any) -> bool:
    """Return whether values of a type of Arrow may be texts, numbers or ratings inside others."""
    if types.is_dictionary(type_):
        return _is_readable(type_.value_type, types)
    text = types.is_string(type_) or types.is_large_string(type_)
    number = types.is_integer(type_) or types.is_floating(type_) or types.is_decimal(type_) or types.is_boolean(type_)
    return bool(text or number or types.is_nested(type_))


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
                headers = {
                    one: _names_in(pd.read_excel(book, sheet_name=one, nrows=_MOST_ROWS_ABOVE, **_RAW))
                    for one in sheets
                }
                if lost := _sheets_lost(headers):
                    files.error(place, _why_lost(lost, sheets[0], headers[sheets[0]], place, files))
                    return None
                files.note(place, hint)
            cells = pd.read_excel(book, sheet_name=sheet or sheets[0], **_RAW)
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
    of_sheet = f"sheet_name={sheet!r}, " if sheet else ""
    load = f'pandas.read_excel({literal(place)}, {of_sheet}dtype=str, engine="calamine")'
    found = None if named is None else text_frame(files, place, named, lines[1:], wanted=wanted, load=load)
    return None if found is None else replace(found, hint=hint)


def _names_in(cells: Any) -> list[str]:
    """Return the names of the columns of a sheet: what stands in its first row that is not empty."""
    rows = ([str(one).strip() for one in row if one != ""] for row in cells.to_numpy().tolist())
    return next(filter(None, rows), [])


def _sheets_lost(names: Mapping[str, Sequence[str]]) -> dict[str, Sequence[str]]:
    """Return the sheets that would be lost if the first were read alone, with the names of their columns.

    These have the columns of the first, or ratings of segments. There are none where the first is no table.
    """
    first = next(iter(names.values()))
    others = list(names.items())[1:]
    if not any(map(fits_any, first)):
        return {}
    return {sheet: of for sheet, of in others if set(first) <= set(of) or _holds_ratings(of)}


def _holds_ratings(names: Sequence[str]) -> bool:
    """Return whether a table with columns of these names holds ratings of segments."""
    named = [name for role in ("segment", "line", "source") for name in columns_for(role, names) if plain(name) != "id"]
    return bool(named) and any(names_rating(name) and not is_no_rating(name) for name in names)


def _why_lost(lost: Mapping[str, Sequence[str]], first: str, names: Sequence[str], place: str, files: Files) -> str:
    """Return what to say of sheets that would be lost where the first, with columns of these names, is read alone."""
    typed = [files.typed(str(Call("table", {"sheet": sheet}, ""))) for sheet in (first, *lost)]
    alone = f"To read {first!r} alone, type {typed[0]}."
    told = f"of several sheets only the first, {first!r}, would be read, and the ratings of {listing(lost)} lost."
    if not all(set(names) <= set(of) for of in lost.values()):
        return f"{told} Name the file once for each sheet, each time with its format: {'; '.join(typed)}. {alone}"
    whose = next((role for role in ("system", "judge") if not columns_for(role, names)), "")
    sheets = literal([first, *lost])
    read = f'pandas.read_excel({literal(place)}, sheet_name={sheets}, engine="calamine")'
    steps = [f"t = pandas.concat({read})"]
    other = ""
    if whose:
        steps = [f't = pandas.concat({read}, names=["{whose}"]).reset_index("{whose}")']
        other = f', here in a column "{whose}"' + (
            ', or "judge" where each is of one judge' if whose == "system" else ""
        )
    steps.append(written(place))
    one = f"Put all rows into one table, with the name of the sheet{other}" if whose else "Put all rows into one table"
    return f"{told} {one}, with pandas: `import pandas; {'; '.join(steps)}`. {alone}"


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
    *,
    wanted: Wanted = lambda name: True,
    nested: Mapping[str, Nested] | None = None,
    load: str = "",
) -> Frame | None:
    """Return a table of the values as text; None after noting those that are wanted and cannot be text.

    Without `lines`, rows are counted from 1. Of columns that are not wanted, those with values that hold others are
    summed up, and those with values of other kinds, such as times, are left out. `nested` has such columns, whose
    values were taken away, and `load` the expression by which pandas reads the table.
    """
    lines = range(1, len(next(iter(columns.values()), ())) + 1) if lines is None else lines
    texts, absent, before = dict[str, list[str]](), dict[str, set[int]](), len(files.problems.errors)
    holding, left_out = dict(nested or {}), list(unread)
    for name, column in columns.items():
        known: dict[str, str] = {}
        shown, bad, missing = list[str](), list[int](), set[int]()
        if any(hasattr(kind, "tolist") for kind in {*map(type, column)}):  # arrays of numpy
            column = [one.tolist() if hasattr(one, "tolist") else one for one in column]
        for row, value in enumerate(column):
            if value.__class__ is str:
                shown.append(value)
                continue
            text = ""
            if value is None or (not is_nested(value) and value != value):  # NaN is not equal to itself
                missing.add(row)
            elif isinstance(value, _NUMBERS) and abs(value) < 1e300:
                text = str(value) if isinstance(value, Decimal) else repr(value)
            else:
                bad.append(row)
            shown.append(known.setdefault(text, text))
        # What is wrong with ratings is said by whoever knows the other columns.
        has_nested = any(is_nested(column[row]) for row in bad)
        is_wanted = wanted(name) and (is_role_but_score(name) or not has_nested)
        if not is_wanted and has_nested:
            holding[name] = Nested()
            for line, value in zip(lines, column, strict=True):
                holding[name].add(line, value if is_nested(value) else None)
        elif not is_wanted and name not in holding and bad:
            left_out.append(name)
            continue
        elif bad:
            got = f"{str(column[bad[0]])[:40]!r}{f' ({len(bad)} rows in all)' if len(bad) > 1 else ''}"
            files.error(f"{place}:{lines[bad[0]]}", f"{name!r} must be a text or a number; got {got}.")
        if name in holding and all(not text for text in shown):
            continue
        texts[name], absent[name] = shown, missing
    if len(files.problems.errors) > before:
        return None
    return Frame(place, lines, texts, absent, tuple(left_out), nested=holding, load=load)
