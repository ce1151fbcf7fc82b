"""Doccano: texts with marked errors, and no ratings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from metaeval.corpora.exports.base import Export, Made, cells_of, error_of, table_of
from metaeval.corpora.tables.delimited import Frame
from metaeval.corpora.tables.nested import ERRORS
from metaeval.corpora.text_files import Files

_MARK_COLUMNS = ("label", "labels", "entities")


def _error(mark: object) -> dict[str, Any] | None:
    """Return an error that is written ``[0, 3, "Major"]``, or as an object; None for anything else."""
    if isinstance(mark, list) and len(mark) == 3 and isinstance(mark[0], int) and isinstance(mark[1], int):
        return error_of(mark[0], mark[1], str(mark[2]))
    if isinstance(mark, Mapping) and {"start_offset", "end_offset", "label"} <= mark.keys():
        return error_of(mark["start_offset"], mark["end_offset"], str(mark["label"]))
    return None


def _marks(frame: Frame) -> str | None:
    """Return the column whose cells are lists of errors."""
    for name in _MARK_COLUMNS:
        cells = [cell for cell in frame.values.get(name, ()) if cell]
        if cells and all(isinstance(cell, list) and all(map(_error, cell)) for cell in cells):
            return name
    return None


def _is_doccano(frame: Frame) -> bool:
    return {"id", "text"} <= set(frame.columns) and _marks(frame) is not None


def _doccano(frame: Frame, files: Files) -> Frame | None:
    name = _marks(frame)
    own_columns = {"id", "Comments", "relations", name}
    others = {
        column: cells_of(frame, column) for column in (*frame.columns, *frame.values) if column not in own_columns
    }
    rows: list[Made] = [
        (at, {**{column: values[at] for column, values in others.items()}, ERRORS: [*map(_error, cells or ())]})
        for at, cells in enumerate(frame.values[str(name)])
    ]
    return table_of(frame, rows, (), [column for column in frame.names if column in own_columns and column != name])


DOCCANO = Export("Doccano", _is_doccano, _doccano)
