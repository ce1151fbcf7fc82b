"""Tables and texts as callers have them, frames of several libraries, lists and mappings, as columns of Python."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from metaeval.errors import UsageError
from metaeval.parameters.arguments import shown

# A lone surrogate: what Python makes of a byte that is not UTF-8 in file names, and of some escapes in JSON.
_SURROGATE = re.compile("[\ud800-\udfff]")


def is_frame(value: object) -> bool:
    """Return whether something is a table of pandas, polars or Arrow, and not one column of it."""
    stream = hasattr(value, "__arrow_c_stream__") and not (hasattr(value, "dtype") or hasattr(value, "type"))
    return stream or (hasattr(value, "columns") and not isinstance(value, type))


def columns_of(argument: str, value: Any) -> dict[str, list[Any]]:
    """Return the columns of a table by their names.

    Parameters
    ----------
    argument : str
        What the parameter is called, for messages.
    value : object
        A table of pandas, polars or any library that has Arrow's C stream, a list of dicts, or a dict of columns.

    Returns
    -------
    dict of str to list
        All equally long. Missing values are None, and whole numbers have no decimals.

    Raises
    ------
    UsageError
        If it is something else.
    """
    import pandas as pd  # scoring must not wait for it

    try:
        table = value
        if hasattr(value, "get_columns"):  # polars, which needs no pyarrow for it
            table = {column.name: column.to_list() for column in value.get_columns()}
        elif is_frame(value) and not isinstance(value, pd.DataFrame):
            import pyarrow

            table = pyarrow.table(value).to_pydict()
        if not isinstance(table, list | Mapping | pd.DataFrame):
            raise TypeError("it is no table")
        frame = pd.DataFrame(table, dtype=object)
    except Exception as error:  # whatever the library of the table raises
        raise UsageError(
            f"`{argument}` must be a table of pandas, polars or Arrow (which needs pyarrow), a list of dicts, or a "
            f"dict of columns; got {shown(value)}: {str(error)[:100].rstrip('.')}."
        ) from error
    names = list(frame.columns)
    if wrong := [name for name in names if not isinstance(name, str) or names.count(name) > 1]:
        raise UsageError(f"`{argument}`: each column must have a name of its own, a text; got {shown(wrong[0])}.")
    return {str(name): [*map(_plain, frame[name].tolist(), frame[name].isna().tolist())] for name in names}


def _plain(value: Any, missing: bool) -> Any:
    value = value.item() if hasattr(value, "item") and getattr(value, "shape", None) == () else value
    if missing:
        return None
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return str(value) if isinstance(value, str) else value


def _plain_text(segment: Any, missing: bool) -> Any:
    """Return a text as a plain string, and NaN of a table as None."""
    if isinstance(segment, str):
        return str(segment)
    return None if missing and segment != segment else segment


def named_texts(argument: str, value: Any, *, absent: bool = False) -> dict[str, tuple[str | None, ...]]:
    """Return texts by name, whatever holds them.

    Parameters
    ----------
    argument : str
        What the parameter is called, such as ``references``.
    value : object
        Lists by name; a table with a column for each text; one list; or as sacreBLEU has references, a list of lists.
    absent : bool
        Whether None may stand for a segment without a text.

    Returns
    -------
    dict of str to tuple of (str or None)
        The segments of each text. One alone is called ``reference``, those of a list ``reference1`` and so on.

    Raises
    ------
    UsageError
        If it is something else, or a text is no Unicode text.
    """
    noun = argument.removesuffix("s")
    is_table = is_frame(value)
    texts: Mapping[Any, Any] = {noun: value}
    if is_table or isinstance(value, Mapping):
        texts = columns_of(argument, value) if is_table else value
    elif isinstance(value, list | tuple) and value and all(isinstance(segments, list | tuple) for segments in value):
        texts = {f"{noun}{number}": segments for number, segments in enumerate(value, start=1)}
    checked: dict[str, tuple[str | None, ...]] = {}
    for name, segments in texts.items():
        if not isinstance(name, str):
            raise UsageError(f"`{argument}`: the name of a text must be text; got {shown(name)}.")
        subject = f"`{argument}`" if texts is not value and len(texts) == 1 else f"`{argument}[{name!r}]`"
        if (
            not isinstance(segments, Iterable)
            or isinstance(segments, str | bytes | Path | Mapping)
            or is_frame(segments)
        ):
            hint = (
                "" if isinstance(value, Mapping) else " A corpus is given as load_corpus(NAME), files to score_files."
            )
            raise UsageError(f"{subject} must be a list with one text for each segment; got {shown(segments)}.{hint}")
        missing = not isinstance(segments, list | tuple)  # a column of a table has NaN where there is nothing
        given_texts = tuple(segments)
        if {*map(type, given_texts)} == {str}:
            # Most often one look at all is enough.
            whole = "".join(given_texts)
            if whole.isascii() or not _SURROGATE.search(whole):
                checked[str(name)] = given_texts
                continue
        plain = tuple(_plain_text(segment, missing) for segment in given_texts)
        for number, segment in enumerate(plain, start=1):
            if not isinstance(segment, str) and not (absent and segment is None):
                must = "text, or None where there is none" if absent else "text"
                raise UsageError(f"{subject}, segment {number}: must be {must}; got {shown(segment)}.")
            if segment and not segment.isascii() and _SURROGATE.search(segment):
                raise UsageError(
                    f"{subject}, segment {number}: has a lone surrogate, which is not a character: {segment[:60]!r}. "
                    "It probably stands for a byte that is not UTF-8; decode the text with its real encoding."
                )
        checked[str(name)] = plain
    return checked
