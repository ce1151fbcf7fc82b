"""JSON that is no JSON Lines, as rows: a list of objects, or objects by the names of systems, segments or columns."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from metaeval.corpora.tables.delimited import JSON
from metaeval.corpora.tables.headers import fits_any

Row = tuple[int, dict[str, Any]]
# What the keys of objects that hold rows are called as columns, from the outside in.
KEYS = ("key 1", "key 2")
# The column with what stands around a list of rows: the object in which that is, without it.
AROUND = "around the rows"
# The lists of logs of Inspect and of DeepEval that hold their samples, beside lists of figures.
_KEYS_OF_MAIN_LISTS = ("samples", "testCases")
_BLANK_CHARACTERS = " \t\r\n"
_MAX_SAMPLED = 10  # places that may be those of a list


def rows_of_json(text: str) -> Iterator[Row] | None:
    """Return the rows of a JSON text, each with the line where it begins; None if it holds no table.

    The rows are the objects of a list, or of the only list of objects under a key (twice the same key, ``results`` in
    ``results``), beside others with `AROUND`; objects under keys, or under keys under keys, which become the columns
    `KEYS`; or what stands at each place of lists or objects that are columns.

    Parameters
    ----------
    text : str
        A whole file.

    Raises
    ------
    ValueError
        If it is no JSON, with the reason.
    """
    text = text.removeprefix("\ufeff")
    start = len(text) - len(text.lstrip(_BLANK_CHARACTERS))
    if text[start : start + 1] == "[":
        value = JSON.decode(text)  # what is wrong is said before the first row
        return _elements(text, start) if value and _are_objects(value) else None
    value = JSON.decode(text)
    if not isinstance(value, dict) or not value:
        return None
    lists = _lists_of_objects(value)
    if len(lists) == 1:
        key, inner = next(iter(lists.items()))
        around = {name: other_value for name, other_value in value.items() if name != key}
        return ((line, {**row, AROUND: around}) for line, row in _with_lines(text, key, inner))
    inner = [*value.values()]
    if all(isinstance(inner_value, list) for inner_value in inner) and len({*map(len, inner)}) == 1:
        return ((1, dict(zip(value, cells, strict=True))) for cells in zip(*inner, strict=True))
    if not _are_objects(inner):
        return None
    if any(map(fits_any, value)) and not any(fits_any(key) for cells in inner for key in cells):
        # As pandas writes a table: by column, then by row.
        keys = dict.fromkeys(key for cells in inner for key in cells)
        return ((1, {column: cells.get(key) for column, cells in value.items()}) for key in keys)
    if all(_are_objects([*rows.values()]) and rows for rows in inner):
        outer, second = KEYS
        return (
            (1, {outer: key, second: inner_key, **row})
            for key, rows in value.items()
            for inner_key, row in rows.items()
        )
    return ((1, {KEYS[0]: key, **row}) for key, row in value.items())


def _lists_of_objects(value: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Return the lists of objects under keys of an object, or under a key twice; beside others, the main one alone."""
    lists = {key: inner for key, inner in value.items() if isinstance(inner, list) and inner and _are_objects(inner)}
    twice = {key: inner.get(key) for key, inner in value.items() if isinstance(inner, Mapping)}
    chosen = lists or {
        key: inner for key, inner in twice.items() if isinstance(inner, list) and inner and _are_objects(inner)
    }
    main = next((key for key in _KEYS_OF_MAIN_LISTS if key in chosen), None)
    return chosen if main is None else {main: chosen[main]}


def _with_lines(text: str, key: str, rows: list[Any]) -> Iterator[Row]:
    """Yield the rows of a list under a key, each with the line where it begins, as far as that is found."""
    beginnings = re.finditer(re.escape(json.dumps(key, ensure_ascii=False)) + r"\s*:\s*(?=\[)", text)
    for beginning in islice(beginnings, _MAX_SAMPLED):
        elements = _elements_or_none(text, beginning.end(), rows)
        if elements is not None:
            return elements
    return ((1, row) for row in rows)


def _are_objects(values: list[Any]) -> bool:
    return all(isinstance(value, Mapping) for value in values)


def _elements(text: str, start: int) -> Iterator[Row]:
    """Yield the elements of a list that begins there, each with its line."""
    decode = JSON.raw_decode
    line = 1
    counted = 0
    at = start + 1
    while True:
        while text[at] in _BLANK_CHARACTERS + ",":
            at += 1
        if text[at] == "]":
            return
        line += text.count("\n", counted, at)
        counted = at
        value, at = decode(text, at)
        yield line, value


def _elements_or_none(text: str, start: int, expected: list[Any]) -> Iterator[Row] | None:
    """Return the elements of a list, unless another stands at that place: a text may look like its key."""
    try:
        elements = list(_elements(text, start))
    except (ValueError, IndexError):
        return None
    return iter(elements) if [row for _, row in elements] == expected else None
