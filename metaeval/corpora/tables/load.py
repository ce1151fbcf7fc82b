"""Files of tables, loaded as text: JSON, Parquet, Arrow, Excel and OpenDocument, or a data frame."""

from __future__ import annotations

import datetime
import io
import zipfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from metaeval.corpora.problems import repeated
from metaeval.corpora.tables.delimited import (
    JSON,
    Frame,
    header_in,
    json_objects,
    name_columns,
    named_twice,
    text_of,
    too_wide,
)
from metaeval.corpora.tables.headers import (
    columns_for,
    fits_any,
    is_name,
    is_no_rating,
    is_role_but_score,
    names_rating,
    plain,
)
from metaeval.corpora.tables.json_rows import rows_of_json
from metaeval.corpora.tables.nested import is_nested, is_vector_of_numbers
from metaeval.corpora.text_files import Files, largest_size, packed_or_not
from metaeval.errors import UsageError, as_typed, listing
from metaeval.parameters.calls import Call

# Errors that libraries raise where a file is not what its name says, besides their own errors.
_ERRORS_OF_LIBRARIES = (OSError, ValueError, LookupError, ArithmeticError, RuntimeError, MemoryError)
_NUMBER_TYPES: tuple[Any, ...] = (bool, int, float, Decimal)
_MAX_ROWS_ABOVE = 50  # the names of columns, where other sheets are looked at
# The name that stands for all sheets, and the column with that of each.
ALL_SHEETS = "*"
SHEET = "sheet"
# Arguments with which pandas reads a sheet as it is.
_RAW_SHEET_ARGUMENTS: dict[str, Any] = {"header": None, "dtype": object, "na_filter": False}


@dataclass(frozen=True)
class Wanted:
    """The columns, sheet and rows of a file to read.

    Attributes
    ----------
    column : callable
        Returns whether a column of a name is read: yes, or None where that is seen by its values.
    sheet : str
        Of Excel or OpenDocument: the name of a sheet, "" for the first, or "*" for all.
    header_rows, skip_rows : int
        How many rows name the columns, and how many stand above them.
    keeps_values : callable
        Returns whether values that hold others are kept whatever their columns are called, by the names of these.
    """

    column: Callable[[str], bool | None] = lambda name: True
    sheet: str = ""
    header_rows: int = 1
    skip_rows: int = 0
    keeps_values: Callable[[Collection[str]], bool] = lambda names: False

    @property
    def guess(self) -> bool:
        """True if titles and a second row of names are looked for."""
        return self.header_rows == 1 and not self.skip_rows


class PartLine(int):
    """The row of a sheet or of a file of a folder, shown with the name of that: ``7 of sheet 'Anna'``."""

    part: str

    @classmethod
    def in_part(cls, line: int, part: str) -> PartLine:
        """Return a row of a part."""
        made = cls(line)
        made.part = part
        return made

    def __str__(self) -> str:
        return f"{int(self)} of {self.part}"

    def __format__(self, spec: str) -> str:
        return str(self)


def from_json(path: Path, files: Files, wanted: Wanted) -> Frame | None:
    """Read JSON Lines, or JSON whose value holds a table; None after noting what is wrong."""
    text, location, problems = files.opened(path)
    if text is None:
        return None
    before = len(problems.errors)
    rows: Iterator[tuple[int, dict[str, Any]]] | None
    if packed_or_not(path).suffix.lower() == ".json":
        try:
            rows = rows_of_json(text)
        except (ValueError, RecursionError) as error:
            rows = json_objects(text, location, problems) if _is_lines(text) else None
            if rows is None:
                files.error(path, f"is not valid JSON: {str(error)[:200] or 'it is nested too deeply'}.")
                return None
        if rows is None:
            files.error(
                path,
                "is JSON without a table in it. A table is a list of objects, one for each judgment or text, with its "
                "segment, system and score under keys of their own; or such objects under the names of systems.",
            )
            return None
    else:
        rows = json_objects(text, location, problems)
    columns = dict[str, list[Any]]()
    lines = list[int]()
    # Equal texts are one object, so that a table of a million judgments stays small.
    known: dict[str, str] = {}
    vectors = dict[str, None]()
    for line, row in rows:
        if not row.keys() <= columns.keys():
            columns.update((name, [None] * len(lines)) for name in row if name not in columns)
        if too_wide(len(columns), f"{location}:{line}", problems):
            return None
        for name, column in columns.items():
            value = row.get(name)
            if value.__class__ is list and is_vector_of_numbers(value):
                vectors[name] = value = None  # those of many rows would fill the memory
            column.append(known.setdefault(value, value) if value.__class__ is str else value)
        lines.append(line)
    if not lines:
        if len(problems.errors) == before:
            files.error(path, "has no rows.")
        return None
    is_kept = wanted.keeps_values(columns)
    unread = tuple(name for name in vectors if all(value is None for value in columns[name]))
    columns = {name: column for name, column in columns.items() if name not in unread}
    return text_frame(files, location, columns, lines, unread, wanted=(lambda name: None) if is_kept else wanted.column)


def _is_lines(text: str) -> bool:
    """Return whether a text that is no JSON may be JSON Lines: its first line is an object."""
    first = text.removeprefix("\ufeff").lstrip().partition("\n")[0].strip()
    return first[:1] == "{" and first[-1:] == "}"


def from_arrow(path: Path, files: Files, wanted: Wanted) -> Frame | None:
    """Read the wanted columns of Parquet, Feather or Arrow, and those of text, numbers and nested values.

    Rows count from 1. None as above.
    """
    location = files.location(path)
    is_parquet = packed_or_not(path).suffix.lower() == ".parquet"
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
            n = facts.num_rows
            size = sum(facts.row_group(at).total_byte_size for at in range(facts.num_row_groups))
        else:
            # What is neither a file of Arrow nor one of Feather may be a stream.
            is_file = content.startswith((b"ARROW1", b"FEA1"))
            arrow_table = pyarrow.feather.read_table(buffer) if is_file else pyarrow.ipc.open_stream(buffer).read_all()
            arrow_table.validate(full=True)
            schema, n, size = arrow_table.schema, arrow_table.num_rows, arrow_table.nbytes
        types = pyarrow.types
        readable = {field.name for field in schema if _is_readable(field.type, types)}
        chosen = [name for name in dict.fromkeys(schema.names) if wanted.column(name) or name in readable]
        twice = [name for name in repeated(schema.names) if name in chosen]
        # A cell takes a byte at least, however well a column of equal cells is packed.
        if max(size, n * len(schema)) > largest_size(len(content)):
            files.error(location, f"has {n} rows of {size} bytes together, which is too much for a file of its size.")
            return None
        if too_wide(len(schema), location, files.problems) or named_twice(twice, location, files.problems):
            return None
        table = file.read(columns=chosen) if is_parquet else arrow_table.select(chosen)
        columns = {name: table.column(name).to_pylist() for name in chosen}
    except (pyarrow.ArrowException, *_ERRORS_OF_LIBRARIES) as error:
        files.error(location, f"is no {kind} file that can be read: {str(error)[:200]}.")
        return None
    unread = tuple(name for name in schema.names if name not in columns)
    return text_frame(files, location, columns, range(1, n + 1), unread, wanted=wanted.column)


def _is_readable(type_: Any, types: Any) -> bool:
    """Return whether values of a type of Arrow may be texts, numbers or ratings inside others."""
    if types.is_dictionary(type_):
        return _is_readable(type_.value_type, types)
    text = types.is_string(type_) or types.is_large_string(type_)
    number = types.is_integer(type_) or types.is_floating(type_) or types.is_decimal(type_) or types.is_boolean(type_)
    return bool(text or number or types.is_nested(type_))


def from_spreadsheet(path: Path, files: Files, wanted: Wanted) -> Frame | None:
    """Read a sheet of Excel or OpenDocument, the first unless it is named, or all; None after noting what is wrong."""
    content = files.content(path)
    location = files.location(path)
    hint = ""
    sheet = wanted.sheet
    if content is None:
        return None
    import pandas as pd  # here and not above: most corpora are no spreadsheets
    import python_calamine

    settings = dict[str, Any]()
    try:
        if zipfile.is_zipfile(io.BytesIO(content)):
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                size = sum(entry.file_size for entry in archive.infolist())
            if size > largest_size(len(content)):
                files.error(location, f"unpacks to {size} bytes, which is too much for a file of its size.")
                return None
        with pd.ExcelFile(io.BytesIO(content), engine="calamine") as book:
            sheets = [str(name) for name in book.sheet_names]
            if sheet not in (*sheets, "", ALL_SHEETS):
                files.error(location, f"has no sheet {sheet!r}; it has {listing(sheets)}.")
                return None
            chosen = [sheet or sheets[0]]
            if sheet in ("", ALL_SHEETS) and len(sheets) > 1:
                headers = {
                    name: _names_in(pd.read_excel(book, sheet_name=name, nrows=_MAX_ROWS_ABOVE, **_RAW_SHEET_ARGUMENTS))
                    for name in sheets
                }
                tables = [name for name in sheets if any(map(fits_any, headers[name]))]
                first = next(iter(tables), sheets[0]) if sheet else sheets[0]
                lost = _sheets_lost(first, headers)
                same_columns = [name for name in sheets if set(headers[name]) == set(headers[first])]
                if not set(lost) <= set(same_columns):
                    files.error(location, _why_lost(lost, first, files))
                    return None
                if sheet or lost:
                    chosen = same_columns
                    settings = {} if sheet else {"sheet": ALL_SHEETS}
                    if left := [name for name in sheets if name not in same_columns]:
                        files.note(location, f"the sheets {listing(left)} have other columns, and are not read.")
                else:
                    typed = files.typed(str(Call("table", {"sheet": sheets[1]}, "")))
                    hint = f"Of the sheets {listing(sheets)}, {sheets[0]!r} was read; {typed} reads another."
                    files.note(location, hint)
            raw = {name: pd.read_excel(book, sheet_name=name, **_RAW_SHEET_ARGUMENTS) for name in chosen}
    except (python_calamine.CalamineError, zipfile.BadZipFile, *_ERRORS_OF_LIBRARIES) as error:
        files.error(location, f"is no spreadsheet that can be read: {str(error)[:200]}.")
        return None
    is_named = len(chosen) > 1 or sheet == ALL_SHEETS
    frames = [_sheet_frame(files, location, name if is_named else "", cells, wanted) for name, cells in raw.items()]
    complete = [frame for frame in frames if frame is not None]
    if len(complete) < len(frames):
        return None
    joined = _joined(complete, chosen, files, location) if is_named else complete[0]
    return None if joined is None else replace(joined, hint=hint, settings={**joined.settings, **settings})


def sheet_names(path: Path, files: Files) -> list[str]:
    """Return the names of the sheets of a book of Excel or OpenDocument; none where it cannot be read."""
    content = files.content(path)
    if content is None:
        return []
    import pandas as pd
    import python_calamine

    try:
        with pd.ExcelFile(io.BytesIO(content), engine="calamine") as book:
            return [str(name) for name in book.sheet_names]
    except (python_calamine.CalamineError, zipfile.BadZipFile, *_ERRORS_OF_LIBRARIES):
        return []  # what is wrong is said where the first sheet is read


def _sheet_frame(files: Files, location: str, sheet: str, cells: Any, wanted: Wanted) -> Frame | None:
    """Return the table of a sheet; None after noting what is wrong."""
    where = f"{location}, sheet {sheet!r}" if sheet else location
    if too_wide(cells.shape[1], where, files.problems):
        return None
    rows = [
        (line, row) for line, row in enumerate(cells.to_numpy().tolist(), start=1) if any(cell != "" for cell in row)
    ]
    if not rows:
        files.error(where, "has no rows.")
        return None
    # Nothing in a cell is nothing; dates are text.
    cells_of_columns = zip(*(row for _, row in rows[wanted.skip_rows :]), strict=True)
    columns = [[*map(_cell_value, column)] for column in cells_of_columns]
    lines = [PartLine.in_part(line, f"sheet {sheet!r}") if sheet else line for line, _ in rows[wanted.skip_rows :]]
    if not lines:
        files.error(where, f"has no rows below the {wanted.skip_rows} that are skipped.")
        return None
    layout = header_in(columns) if wanted.guess else {}
    above = layout.get("skip_rows", 0)
    header_rows = layout.get("header_rows", wanted.header_rows)
    columns = [column[above:] for column in columns]
    lines = lines[above:]
    named = name_columns(columns, where, lines[0], files.problems, header_rows)
    if named is None:
        return None
    frame = text_frame(files, location, named, lines[header_rows:], wanted=wanted.column)
    return None if frame is None else replace(frame, settings=layout)


def _cell_value(cell: Any) -> Any:
    """Return the value of a cell of a sheet: dates and times as text, None where nothing stands."""
    if isinstance(cell, datetime.date | datetime.time):
        return str(cell)
    return None if cell == "" else cell


def _joined(frames: Sequence[Frame], sheets: Sequence[str], files: Files, location: str) -> Frame | None:
    """Return the rows of several sheets as one table, with a column that names the sheet; None after an error."""
    if any(SHEET in frame.names for frame in frames):
        files.error(
            location, f"has a column {SHEET!r}, which is to hold the names of its sheets; give it another name."
        )
        return None
    named = [frame.with_column(SHEET, [name] * len(frame)) for frame, name in zip(frames, sheets, strict=True)]
    return _one_after_another(named, location)


def _one_after_another(frames: Sequence[Frame], location: str) -> Frame:
    """Return the rows of several tables as one."""
    columns: dict[str, list[str]] = {name: [] for frame in frames for name in frame.columns}
    absent: dict[str, set[int]] = {name: set() for name in columns}
    values: dict[str, list[Any]] = {name: [] for frame in frames for name in frame.values if name not in columns}
    lines = list[int]()
    for frame in frames:
        start = len(lines)
        for name, column in columns.items():
            cells = frame.columns.get(name)
            column += cells if cells is not None else [""] * len(frame)
            missing = frame.absent.get(name, ()) if cells is not None else range(len(frame))
            absent[name].update(start + row for row in missing)
        for name, column in values.items():
            column += frame.values.get(name, [None] * len(frame))
        lines += frame.lines
    unread = tuple(dict.fromkeys(name for frame in frames for name in frame.unread))
    return Frame(location, lines, columns, absent, unread, values=values, settings=frames[0].settings)


def is_dataset(names: Collection[str]) -> bool:
    """Return whether a directory with files of these names was written by ``save_to_disk`` of Hugging Face datasets."""
    return "state.json" in names or "dataset_dict.json" in names


def from_dataset(path: Path, files: Files, wanted: Wanted) -> Frame | None:
    """Read what ``save_to_disk`` of Hugging Face datasets wrote; None after noting what is wrong.

    Rows count from 1 in all of its files together.
    """
    splits = sorted(state.parent.name for state in path.glob("*/state.json"))
    if splits:
        problem = f"holds a data set for each of {listing(splits)}."
        files.error(path, f"{problem} Name one of these directories, such as {files.location(path / splits[0])}.")
        return None
    if not (path / "state.json").is_file():
        files.error(
            path,
            "is a directory, which the format table reads only where `save_to_disk` of Hugging Face datasets wrote it. "
            "Where there are several sources, give each its format, and nothing to those that are recognised: "
            + as_typed(
                terminal="--source-format '' --source-format 'table(...)'", python="source_formats=['', 'table(...)']"
            )
            + ".",
        )
        return None
    state = files.text(path / "state.json")
    try:
        listed = [] if state is None else [entry["filename"] for entry in JSON.decode(state)["_data_files"]]
        inside = [path / name for name in listed if Path(name).name == name]
    except (ValueError, LookupError, TypeError) as error:
        files.error(path / "state.json", f"does not list the files of a data set: {str(error)[:200]}.")
        return None
    frames = [from_arrow(file, files, wanted) for file in inside]
    read = [frame for frame in frames if frame is not None]
    if not frames or len(read) < len(frames):
        if not frames:
            files.error(path, "has no files with rows.")
        return None
    location = files.location(path)
    lines = list[int]()
    start = 0
    for frame in read:
        lines += [start + line for line in frame.lines]
        start += len(frame)
    return replace(_one_after_another(read, location), lines=lines)


def from_logs(path: Path, names: Sequence[str], files: Files, wanted: Wanted) -> Frame | None:
    """Read files of JSON in a folder as one table; None after noting what is wrong."""
    frames = [from_json(path / name, files, wanted) for name in names]
    read = [
        replace(frame, lines=[PartLine.in_part(line, name) for line in frame.lines])
        for name, frame in zip(names, frames, strict=True)
        if frame is not None
    ]
    return None if not frames or len(read) < len(frames) else _one_after_another(read, files.location(path))


def _names_in(cells: Any) -> list[str]:
    """Return the names of the columns of a sheet: what stands in its first row that has more than a title."""
    rows = [[str(cell).strip() for cell in row if cell != ""] for row in cells.to_numpy().tolist()]
    wide = [row for row in rows if len(row) > 1]
    return next(iter(wide or filter(None, rows)), [])


def _sheets_lost(first: str, names: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the sheets that would be lost if the first were read alone, by the names of the columns of all.

    These have the columns of the first, or ratings of segments. There are none where the first is no table.
    """
    first_names = names[first]
    if not any(map(fits_any, first_names)):
        return []
    return [
        sheet
        for sheet, columns in names.items()
        if sheet != first and (set(first_names) <= set(columns) or _holds_ratings(columns))
    ]


def _holds_ratings(names: Sequence[str]) -> bool:
    """Return whether a table with columns of these names holds ratings of segments."""
    named = [name for role in ("segment", "line", "source") for name in columns_for(role, names) if plain(name) != "id"]
    return bool(named) and any(names_rating(name) and not is_no_rating(name) for name in names)


def _why_lost(lost: Sequence[str], first: str, files: Files) -> str:
    """Explain that sheets would be lost where the first is read alone: they have other columns."""
    typed = [files.typed(str(Call("table", {"sheet": sheet}, ""))) for sheet in (first, *lost)]
    return (
        f"of several sheets only the first, {first!r}, would be read, and the ratings of {listing(lost)} lost, whose "
        f"columns are others. Name the file once for each sheet, each time with its format: {'; '.join(typed)}. To "
        f"read {first!r} alone, type {typed[0]}."
    )


def _is_list_of_words(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(word, str | int) for word in value)


# What reads a file, by its suffix.
FRAMES: dict[str, Callable[[Path, Files, Wanted], Frame | None]] = {
    **dict.fromkeys((".jsonl", ".ndjson", ".json", ".manifest"), from_json),
    **dict.fromkeys((".parquet", ".arrow", ".feather", ".ipc"), from_arrow),
    **dict.fromkeys((".xlsx", ".xls", ".ods"), from_spreadsheet),
}


def text_frame(
    files: Files,
    location: str,
    columns: Mapping[str, list[Any]],
    lines: Sequence[int] | None = None,
    unread: tuple[str, ...] = (),
    *,
    wanted: Callable[[str], bool | None] = lambda name: True,
) -> Frame | None:
    """Return a table of the values as text; None after noting those that are wanted and cannot be text.

    Without `lines`, rows are counted from 1. Columns with values that hold others are kept as they are, and those that
    are not wanted and have values of other kinds, such as times, are left out.
    """
    lines = range(1, len(next(iter(columns.values()), ())) + 1) if lines is None else lines
    texts = dict[str, list[str]]()
    absent = dict[str, set[int]]()
    before = len(files.problems.errors)
    values = dict[str, list[Any]]()
    left_out = list(unread)
    for name, column in columns.items():
        known: dict[str, str] = {}
        shown = list[str]()
        bad = list[int]()
        missing = set[int]()
        if any(hasattr(kind, "tolist") for kind in {*map(type, column)}):  # arrays of numpy
            column = [value.tolist() if hasattr(value, "tolist") else value for value in column]
        for row, value in enumerate(column):
            if value.__class__ is str:
                shown.append(value)
                continue
            text = ""
            if value is None or (not is_nested(value) and value != value):  # NaN is not equal to itself
                missing.add(row)
            elif isinstance(value, _NUMBER_TYPES) and abs(value) < 1e300:
                text = str(value) if isinstance(value, Decimal) else text_of(value)
            else:
                bad.append(row)
            shown.append(known.setdefault(text, text))
        if is_name(name) and all(_is_list_of_words(column[row]) for row in bad):
            shown = [" ".join(map(str, column[row])) if row in bad else text for row, text in enumerate(shown)]
            bad = []
        has_nested = any(is_nested(column[row]) for row in bad)
        if bad and all(is_nested(value) and is_vector_of_numbers(value) for value in map(column.__getitem__, bad)):
            left_out.append(name)
            continue
        if has_nested and not (wanted(name) and is_role_but_score(name)):
            values[name] = [
                value if value is not None and (is_nested(value) or value == value) else None for value in column
            ]
            continue
        if bad and not wanted(name):
            left_out.append(name)
            continue
        if bad:
            got = f"{str(column[bad[0]])[:40]!r}{f' ({len(bad)} rows in all)' if len(bad) > 1 else ''}"
            files.error(f"{location}:{lines[bad[0]]}", f"{name!r} must be a text or a number; got {got}.")
        texts[name], absent[name] = shown, missing
    if len(files.problems.errors) > before:
        return None
    return Frame(location, lines, texts, absent, tuple(left_out), values=values)
