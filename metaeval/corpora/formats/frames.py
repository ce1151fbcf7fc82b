"""JSON Lines and Parquet, as tables of text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from metaeval.corpora.formats.delimited import Frame, json_objects
from metaeval.corpora.lines import Files, largest_size
from metaeval.corpora.problems import repeated
from metaeval.errors import UsageError, listing


def from_json(path: Path, files: Files, wanted: Callable[[str], bool]) -> Frame | None:
    """Read the wanted columns of a JSON Lines file; None after noting what is wrong."""
    columns, unread, lines = dict[str, list[Any]](), dict[str, None](), list[int]()
    # Equal texts are one object, so that a table of a million judgments stays small.
    known: dict[str, str] = {}
    seen: set[str] = set()
    before = len(files.problems.errors)
    for line, found in json_objects(files, path):
        if not found.keys() <= seen:
            for name in found:
                if name not in seen and wanted(name):
                    columns[name] = [None] * len(lines)
                elif name not in seen:
                    unread[name] = None
            seen.update(found)
        lines.append(line)
        for name, column in columns.items():
            value = found.get(name)
            column.append(known.setdefault(value, value) if value.__class__ is str else value)
    if not lines:
        if len(files.problems.errors) == before:
            files.error(path, "has no rows.")
        return None
    return _frame(files, files.place(path), columns, lines, tuple(unread))


def from_parquet(path: Path, files: Files, wanted: Callable[[str], bool]) -> Frame | None:
    """Read the wanted columns of a Parquet file, whose rows are counted from 1; None after noting what is wrong."""
    place = files.place(path)
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise UsageError("Parquet needs pyarrow: pip install 'metaeval[parquet]'.") from error
    content = files.content(path)
    if content is None:
        return None
    try:
        file = pyarrow.parquet.ParquetFile(pyarrow.BufferReader(content))
        facts, names = file.metadata, file.schema_arrow.names
        size = sum(facts.row_group(number).total_byte_size for number in range(facts.num_row_groups))
        # A cell takes a byte at least, however well a column of equal cells is packed.
        if max(size, facts.num_rows * facts.num_columns) > largest_size(len(content)):
            files.error(
                place, f"has {facts.num_rows} rows of {size} bytes together, which is too much for a file of its size."
            )
            return None
        chosen = [name for name in dict.fromkeys(names) if wanted(name)]
        twice = [name for name in repeated(names) if name in chosen]
        if twice:
            files.error(place, f"names columns twice: {listing(twice)}.")
            return None
        table = file.read(columns=chosen)
        columns = {name: table.column(name).to_pylist() for name in chosen}
    except (pyarrow.ArrowException, OSError, ValueError, KeyError, OverflowError) as error:
        files.error(place, f"is no Parquet file that can be read: {str(error)[:200]}.")
        return None
    unread = tuple(name for name in names if name not in columns)
    return _frame(files, place, columns, range(1, facts.num_rows + 1), unread)


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
