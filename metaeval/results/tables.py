"""Tables of typed rows: as records, as text of a file, and back.

A table is written with a header and tabs; a float reads back to the same bits, an undefined number is ``nan``, what
does not apply is empty, and yes and no are written so. A key is written as its columns.
"""

from __future__ import annotations

import typing
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from types import NoneType
from typing import Any, TypeVar

from metaeval.errors import CorpusError, UsageError

Record = dict[str, Any]
RowT = TypeVar("RowT")


@dataclass(frozen=True)
class Column:
    """A column of a table: its name, the fields that lead to its value, and the type of that."""

    name: str
    path: tuple[str, ...]
    kind: type
    may_be_absent: bool

    def value(self, text: str) -> Any:
        """Return the value of a cell; raise ValueError if it is none of the type."""
        if not text and self.may_be_absent:
            return None
        return ("no", "yes").index(text) == 1 if self.kind is bool else self.kind(text)


def cell_text(value: Any) -> str:
    """Return a value as a file has it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return repr(float(value)) if isinstance(value, float) else str(value)


_COLUMNS_OF_ROWS: dict[type, tuple[Column, ...]] = {}


def columns_of(row: type) -> tuple[Column, ...]:
    """Return the columns of a kind of row, in the order of its fields."""
    if row not in _COLUMNS_OF_ROWS:
        without = getattr(row, "without", ())
        _COLUMNS_OF_ROWS[row] = tuple(column for column in _columns(row, ()) if column.name not in without)
    return _COLUMNS_OF_ROWS[row]


_TYPES_OF_FIELDS: dict[type, dict[str, Any]] = {}


def hints_of(cls: type) -> dict[str, Any]:
    """Return the types of the fields of a record."""
    if cls not in _TYPES_OF_FIELDS:
        hints = typing.get_type_hints(cls)
        _TYPES_OF_FIELDS[cls] = {item.name: hints[item.name] for item in fields(cls)}
    return _TYPES_OF_FIELDS[cls]


def _columns(cls: type, path: tuple[str, ...]) -> Iterable[Column]:
    hints = hints_of(cls)
    for item in fields(cls):
        hint = hints[item.name]
        item_path = (*path, item.name)
        if is_dataclass(hint):
            yield from _columns(typing.cast("type", hint), item_path)
            continue
        if item.metadata.get("column", "") is None:
            continue
        kinds = typing.get_args(hint) or (hint,)
        (kind,) = (kind_or_none for kind_or_none in kinds if kind_or_none is not NoneType)
        yield Column(str(item.metadata.get("column", item.name)), item_path, kind, NoneType in kinds)


def record_of(row: Any) -> Record:
    """Return a row as values by the names of its columns."""
    record: Record = {}
    for column in columns_of(type(row)):
        value = row
        for name in column.path:
            value = getattr(value, name)
        record[column.name] = value
    return record


def fields_of(record: Any, *names: str) -> Record:
    """Return some attributes of a record by their names."""
    return {name: getattr(record, name) for name in names}


def texts_of(row: Any) -> dict[str, str]:
    """Return a row as a file has it, by the names of its columns."""
    return {name: cell_text(value) for name, value in record_of(row).items()}


def records(rows: Iterable[Any]) -> list[Record]:
    """Return rows as values by the names of their columns."""
    return [record_of(row) for row in rows]


def row_of(row: type[RowT], values: Mapping[str, Any]) -> RowT:
    """Return a row of values by the names of its columns."""
    return typing.cast("RowT", _record_of(row, (), {column.path: values[column.name] for column in columns_of(row)}))


def _record_of(cls: type, path: tuple[str, ...], values: Mapping[tuple[str, ...], Any]) -> Any:
    hints = hints_of(cls)
    chosen = {}
    for item in fields(cls):
        item_path = (*path, item.name)
        if item_path in values:
            chosen[item.name] = values[item_path]
        elif is_dataclass(hints[item.name]):
            chosen[item.name] = _record_of(typing.cast("type", hints[item.name]), item_path, values)
    return cls(**chosen)


def text_of(kind: type, rows: Sequence[Any]) -> str:
    """Return a table as the text of its file."""
    columns = columns_of(kind)
    lines = ["\t".join(column.name for column in columns)]
    lines.extend("\t".join(texts_of(row).values()) for row in rows)
    return "\n".join(lines) + "\n"


def read_rows(kind: type[RowT], path: Path) -> list[RowT]:
    """Read a table; none without the file.

    Raises
    ------
    CorpusError
        If the file is not what a run writes: it has other columns, or a value is of another type.
    """
    columns = columns_of(kind)
    try:
        return [
            row_of(kind, {column.name: column.value(cell) for column, cell in zip(columns, cells, strict=True)})
            for cells in read_cells(path, [column.name for column in columns])
        ]
    except ValueError as error:
        raise CorpusError(f"{path}: is not what a run writes: {error}.") from error


def read_cells(path: Path, columns: Sequence[str]) -> list[list[str]]:
    """Return the lines of a table with these columns; none without the file.

    Raises
    ------
    CorpusError
        If the table has other columns.
    """
    text = read_text(path)
    if text is None:
        return []
    header, *lines = [line.split("\t") for line in text.removesuffix("\n").split("\n")]
    if header != [*columns]:
        raise CorpusError(f"{path}: is not what a run writes: its columns are {', '.join(header)}.")
    return lines


def read_text(path: Path) -> str | None:
    """Return the content of a file of a run; None where there is none.

    Raises
    ------
    CorpusError, UsageError
        If it is not UTF-8, or cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise CorpusError(f"{path}: is not UTF-8, at byte {error.start}.") from error
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror}).") from error
