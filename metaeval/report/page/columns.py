"""Tables of a run as columns for a page: what is shown in each cell, and what it is sorted by."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from metaeval.report.tables import fixed
from metaeval.report.task_matrix import METRIC, TaskMatrix
from metaeval.results.keys import Key
from metaeval.results.rows import Cause, Undefined
from metaeval.results.tables import Record, cell_text, columns_of

# More rows than these are shown on request.
FIRST_ROWS = 50
_SHORT = "short"
_AS_PRINTED = "as printed"
# Another form than three digits after the point.
_FORMS: dict[str, int | str] = {
    **dict.fromkeys(("p", "p_corrected", "p_joint", "alpha", "margin", "n_references", "confidence_level"), _SHORT),
    **dict.fromkeys(("published", "published_lower", "published_upper"), _AS_PRINTED),
}
# Why coefficients are undefined, in words by column: told where there are such.
CAUSES = {column.name: str(cause) for column, cause in zip(columns_of(Undefined), Cause, strict=True)}
# These say where a row belongs.
_PLACE = (
    *(column.name for column in columns_of(Key) if column.name != "metric"),
    *("interval", "confidence_level", "resampled", "n_systems", "n_documents", "n_segments", "n_references"),
    *("over", "alternative", "quantity", "label"),
)
# What these tables begin with, for people; the other columns follow as they are.
_FIRST = {
    "claims": (
        *("claim", "paper", "verdict", "why", "notes"),
        *("difference", "lower", "upper", "statement", "chosen", "over"),
    ),
    "examples": ("example", "paper", "verdict", "value", "ours", "metric"),
}
_OF_EXAMPLES: dict[str, int | str] = {"value": _AS_PRINTED, "ours": 4, "difference": 4}


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    name : str
    cells : tuple of str
        As they are shown.
    values : tuple of (float or None), or None
        What rows are sorted by; None in place of what is undefined or absent. None for a column of text.
    same : bool
        Whether it says where a row belongs and is the same in all rows, so that the caption can tell it once.
    clusters : tuple of (int or None)
        Of the cells, where they have any.
    """

    name: str
    cells: tuple[str, ...]
    values: tuple[float | None, ...] | None = None
    same: bool = False
    clusters: tuple[int | None, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the column for a script; texts that come again are kept once."""
        words = list(dict.fromkeys(self.cells))
        number = {word: place for place, word in enumerate(words)}
        found: dict[str, Any] = {"name": self.name, "words": words, "at": [number[cell] for cell in self.cells]}
        if self.values is not None:
            found["values"] = list(self.values)
        if self.same:
            found["same"] = True
        if self.clusters:
            found["clusters"] = self.clusters
        return found


@dataclass(frozen=True)
class Table:
    """A table of a run.

    Attributes
    ----------
    name, title, caption : str
    columns : tuple of Column
    n_rows : int
    without : tuple of str
        Columns that are in its file alone.
    file : str
        Where all of it is.
    notes : tuple of str
        What is said above it.
    tasks : tuple of (str or None)
        The tasks that its columns are of.
    """

    name: str
    title: str
    caption: str
    columns: tuple[Column, ...]
    n_rows: int
    without: tuple[str, ...] = ()
    file: str = ""
    notes: tuple[str, ...] = ()
    tasks: tuple[str | None, ...] = ()

    @property
    def shown(self) -> list[Column]:
        """The columns that are shown."""
        return [column for column in self.columns if not column.same]

    @property
    def same(self) -> list[tuple[str, str]]:
        """Names and cells of the columns that the caption tells."""
        return [(column.name, column.cells[0]) for column in self.columns if column.same]

    @property
    def first_rows(self) -> list[list[tuple[Column, str, int | None]]]:
        """The rows that are shown at first: the column, the cell and its cluster, of each cell."""
        return [
            [(column, column.cells[row], column.clusters[row] if column.clusters else None) for column in self.shown]
            for row in range(min(self.n_rows, FIRST_ROWS))
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the table for a script."""
        tasks = {"tasks": self.tasks} if self.tasks else {}
        return {"n": self.n_rows, "columns": [column.to_dict() for column in self.columns], **tasks}


def make_table(name: str, title: str, caption: str, rows: Sequence[Record], notes: tuple[str, ...] = ()) -> Table:
    """Return a table of a run.

    Parameters
    ----------
    name : str
        Of its file.
    title, caption : str
        For people.
    rows : sequence of Record
        One row or more.
    notes : tuple of str
        What is said above it.
    """
    columns, without = [], []
    first = [column for column in _FIRST.get(name, ()) if column in rows[0]]
    for column in dict.fromkeys([*first, *rows[0]]):
        values = [row[column] for row in rows]
        if column == "signature":
            without.append(column)  # for programs; those of the scores are among the details of a page
        elif _says_nothing(column, values):
            continue  # such as the replicates of a run without any
        else:
            found = _column(name, column, values)
            same = column in _PLACE and len(values) > 1 and len(set(found.cells)) == 1
            columns.append(replace(found, same=same))
    return Table(name, title, caption, tuple(columns), len(rows), tuple(without), f"{name}.tsv", notes)


def matrix_table(matrix: TaskMatrix, title: str) -> Table:
    """Return the matrix of a shared task as a table of a page; cells are sorted by their values."""
    rows = matrix.rows()
    columns = [Column(METRIC, tuple(str(row[METRIC]) for row in rows))]
    for name, placed in matrix.placed.items():
        values = [placed.get(metric, (None, math.nan))[1] for metric in matrix.averages]
        cells = tuple(str(row[name]).strip() for row in rows)
        clusters = tuple(placed.get(metric, (None, math.nan))[0] for metric in matrix.averages)
        head = name.replace("\n", ", ")
        columns.append(Column(head, cells, tuple(_number(value, 3) for value in values), clusters=clusters))
    file, notes = "tasks.tsv and averages.tsv", tuple(matrix.notes())
    titles = [task.title for task in matrix.tasks]
    tasks = (*[None] * (len(columns) - len(titles)), *titles)
    legend = matrix.legend("table")
    return Table("matrix", title, legend, tuple(columns), len(rows), file=file, notes=notes, tasks=tasks)


def _says_nothing(column: str, values: Sequence[Any]) -> bool:
    """Return whether a column is empty in all rows, or counts a cause of what is undefined that there is not."""
    return all(value is None or value == "" for value in values) or (column in CAUSES and not any(values))


def _column(table: str, name: str, values: Sequence[Any]) -> Column:
    form = _OF_EXAMPLES.get(name) if table == "examples" else None
    form = _FORMS.get(name, 3) if form is None else form
    try:
        numbers = tuple(None if value is None else _number(value, form) for value in values)
    except ValueError:
        return Column(name, tuple(map(cell_text, values)))
    return Column(name, tuple("" if value is None else shown(value, form) for value in values), numbers)


def _number(value: Any, form: int | str) -> float | None:
    """Return what a number is sorted by; a text is one only where it is the number that a paper prints."""
    if isinstance(value, bool) or (isinstance(value, str) and form != _AS_PRINTED):
        raise ValueError(value)
    number = float(value)
    # JSON has no infinity; one sorts above everything.
    return None if math.isnan(number) else math.copysign(1e308, number) if math.isinf(number) else number


def shown(number: float | str, form: int | str = 3) -> str:
    """Return a number of a table as it is shown.

    Parameters
    ----------
    number : float or str
        A text is shown as it is.
    form : int or str
        Digits after the point, of a number that is not whole by its kind; or ``short`` (three digits in all) or
        ``as printed``.
    """
    if isinstance(number, int | str) or not math.isfinite(number):
        return str(number)
    if form == _AS_PRINTED:
        return repr(float(number))
    if form == _SHORT:
        return f"{number:.3g}"
    return fixed(number, int(form))
