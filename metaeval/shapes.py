"""Tables and texts as callers have them, frames of several libraries, lists and mappings, as columns of Python."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from metaeval.arguments import shown
from metaeval.errors import UsageError, listing

_TABLE = "a table of pandas, polars or Arrow, a list of dicts, or a dict of columns"


def is_frame(given: object) -> bool:
    """Return whether something is a table of pandas, polars or Arrow, and not one column of it."""
    stream = hasattr(given, "__arrow_c_stream__") and not hasattr(given, "dtype") and not hasattr(given, "type")
    return stream or (hasattr(given, "columns") and not isinstance(given, type))


def columns_of(argument: str, given: Any) -> dict[str, list[Any]]:
    """Return the columns of a table by their names.

    Parameters
    ----------
    argument : str
        What the parameter is called, for messages.
    given : object
        A table of pandas, polars or any library that has Arrow's C stream, a list of dicts, or a dict of columns.

    Returns
    -------
    dict of str to list
        All equally long. Missing values are None, and whole numbers have no decimals.

    Raises
    ------
    UsageError
        If it is something else, columns differ in length, or a name is no text or stands twice.
    """
    try:
        pairs = _pairs(given)
    except ImportError as error:
        raise UsageError(
            f"`{argument}`: a table of this kind needs pyarrow: pip install 'metaeval[parquet]'."
        ) from error
    except Exception as error:  # whatever the library of the table raises
        raise UsageError(f"`{argument}` must be {_TABLE}; got {shown(given)} ({str(error)[:100]}).") from error
    names = [name for name, _ in pairs]
    if wrong := [name for name in names if not isinstance(name, str)]:
        raise UsageError(f"`{argument}`: columns must have names of text; got {shown(wrong[0])}.")
    if len(set(names)) < len(names):
        raise UsageError(
            f"`{argument}` names columns twice: {listing(sorted({one for one in names if names.count(one) > 1}))}."
        )
    if len({len(column) for _, column in pairs}) > 1:
        lengths = ", ".join(f"{name}: {len(column)}" for name, column in pairs)
        raise UsageError(f"`{argument}` must have columns of one length; got {lengths}.")
    return {str(name): [_plain(value) for value in column] for name, column in pairs}


def _pairs(given: Any) -> list[tuple[Any, list[Any]]]:
    if isinstance(given, Mapping):
        if any(isinstance(column, str) for column in given.values()):
            raise TypeError("a column is a text")
        return [(name, list(column)) for name, column in given.items()]
    if hasattr(given, "iloc"):  # pandas
        return [(name, given.iloc[:, place].astype(object).tolist()) for place, name in enumerate(given.columns)]
    if hasattr(given, "get_columns"):  # polars, which needs no pyarrow for it
        return [(column.name, column.to_list()) for column in given.get_columns()]
    if is_frame(given):
        import pyarrow

        table = pyarrow.table(given)
        return [(name, column.to_pylist()) for name, column in zip(table.column_names, table.columns, strict=True)]
    rows = [] if isinstance(given, str | bytes) else list(given)
    if not rows or not all(isinstance(row, Mapping) for row in rows):
        raise TypeError("no rows" if isinstance(given, Sequence) and not len(given) else "no table")
    return [(name, [row.get(name) for row in rows]) for name in dict.fromkeys(name for row in rows for name in row)]


def _plain(value: Any) -> Any:
    if value.__class__ is str:
        return value
    if hasattr(value, "item") and getattr(value, "shape", None) == ():
        value = value.item()
    if isinstance(value, str):
        return str(value)
    if value is None or (isinstance(value, float) and value != value) or type(value).__name__ in ("NAType", "NaTType"):
        return None
    return int(value) if isinstance(value, float) and value.is_integer() else value


def named_texts(noun: str, given: Any) -> dict[str, tuple[Any, ...]]:
    """Return texts by name, whatever holds them: nothing is known of single segments yet.

    Parameters
    ----------
    noun : {"candidate", "output", "reference", "source"}
        What a text is, for names and messages.
    given : object
        Lists by name; a table with a column for each text; one list; or as sacreBLEU has references, a list of lists.

    Returns
    -------
    dict of str to tuple
        The segments of each text. One alone is called as the noun, those of a list ``reference1`` and so on.

    Raises
    ------
    UsageError
        If it is something else.
    """
    if is_frame(given):
        texts: Mapping[Any, Any] = columns_of(f"{noun}s", given)
    elif isinstance(given, Mapping):
        texts = given
    elif isinstance(given, list | tuple) and given and all(isinstance(one, list | tuple) for one in given):
        texts = {f"{noun}{number}": one for number, one in enumerate(given, start=1)}
    else:
        texts = {noun: given}
    found = {}
    for name, segments in texts.items():
        if not isinstance(name, str):
            raise UsageError(f"the name of a {noun} must be text; got {shown(name)}.")
        if isinstance(segments, str):
            hint = (
                "" if isinstance(given, Mapping) else ". A corpus is given as load_corpus(NAME), files to score_files"
            )
            raise UsageError(
                f"a text must be a list with one string for each segment; got the string {segments[:40]!r}{hint}."
            )
        if not isinstance(segments, Iterable) or isinstance(segments, bytes | Path | Mapping) or is_frame(segments):
            raise UsageError(f"{noun} {name!r} must be a list with one string for each segment; got {shown(segments)}.")
        found[str(name)] = tuple(str(one) if isinstance(one, str) else one for one in segments)
    return found
