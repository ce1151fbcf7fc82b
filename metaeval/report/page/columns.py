"""Tables of a page: tests between metrics, the matrix of a set of tasks, and its tasks; what is shown in each cell."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from metaeval.components.registries import TESTS
from metaeval.report.phrases import coefficient_words, preprocessing_words, subset_words
from metaeval.report.tables import fixed
from metaeval.report.task_matrix import METRIC, TaskMatrix
from metaeval.results.model import RunData
from metaeval.results.rows import TaskScore, TestResult

# More rows than these are shown on request.
FIRST_ROWS = 50
# Longer tables stay in their files.
MAX_ROWS = 5000
# What pairs two metrics in a test, where a reader knows no such word or it goes without saying.
_PAIRING_WORDS = {"cells": " over settings", "replicates": "", "": ""}
# Stands where there is no number.
NONE = "\N{EN DASH}"


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    name : str
        Its head, by which a filter asks for it.
    cells : tuple of str
        As they are shown.
    values : tuple of (float or None), or None
        What rows are sorted by; None in place of what is undefined or absent. None for a column of text.
    same : bool
        Whether it says where a row belongs and is the same in all rows, so that the caption says it once.
    clusters : tuple of (int or None)
        Of the cells, where they have any.
    """

    name: str
    cells: tuple[str, ...]
    values: tuple[float | None, ...] | None = None
    same: bool = False
    clusters: tuple[int | None, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the column for a script; texts that come again are stored once."""
        words = list(dict.fromkeys(self.cells))
        number = {word: index for index, word in enumerate(words)}
        record: dict[str, Any] = {"name": self.name, "words": words, "at": [number[cell] for cell in self.cells]}
        if self.values is not None:
            record["values"] = list(self.values)
        if self.same:
            record["same"] = True
        if self.clusters:
            record["clusters"] = self.clusters
        return record


@dataclass(frozen=True)
class Table:
    """A table of a page.

    Attributes
    ----------
    name : str
        The anchor of its section.
    title, caption : str
    columns : tuple of Column
    n_rows : int
    files : tuple of str
        Where all of it is, beside the page.
    notes : tuple of str
        What is said above it.
    tasks : tuple of (str or None)
        The tasks that its columns are of.
    is_folded : bool
        Whether a reader opens it first.
    """

    name: str
    title: str
    caption: str
    columns: tuple[Column, ...]
    n_rows: int
    files: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    tasks: tuple[str | None, ...] = ()
    is_folded: bool = True

    @property
    def shown(self) -> list[Column]:
        """The columns that are shown."""
        return [column for column in self.columns if not column.same]

    @property
    def same(self) -> list[tuple[str, str]]:
        """Names and cells of the columns that the caption has."""
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


def comparisons_table(run: RunData) -> Table | None:
    """Return the tests between metrics; None where there are none, or more than a page holds.

    Parameters
    ----------
    run : RunData
        With labels.
    """
    rows = run.tables.tests
    if not 0 < len(rows) <= MAX_ROWS:
        return None
    columns = [
        *_places(rows),
        _words("test", [words_of_test(row) for row in rows], is_place=True),
        _words("metric", [row.metric_a for row in rows]),
        _words("compared with", [row.metric_b for row in rows]),
        _numbers("difference", [row.difference for row in rows], signed),
        _words("interval", [limits(row.lower, row.upper) for row in rows]),
        _numbers("p", [row.p for row in rows], p_value),
        _numbers("p, corrected", [row.p_corrected for row in rows], p_value),
        _words("not tested, because", [row.untested_because for row in rows]),
    ]
    caption = (
        "Every two metrics compared. The difference is that of their coefficients, with its confidence interval: above "
        "0, the first metric agrees better. The p-value is corrected for all pairs of a criterion."
    )
    columns = [column for column in columns if any(cell not in ("", NONE) for cell in column.cells)]
    return Table("tests", "Tests between metrics", caption, tuple(columns), len(rows), ("tests.tsv",))


def words_of_test(row: TestResult) -> str:
    """Return the name of a test, and the units over which it pairs the metrics."""
    return f"{TESTS.named(row.test).words}{_PAIRING_WORDS.get(row.over, f' over {row.over}')}"


def tasks_table(run: RunData) -> Table | None:
    """Return the coefficients of the metrics in each task; None where there are none, or more than a page holds."""
    rows = run.tables.tasks
    if not 0 < len(rows) <= MAX_ROWS:
        return None

    def words_column(name: str, value: Callable[[TaskScore], Any], *, is_place: bool = False) -> Column:
        return _words(name, [str(value(row)) for row in rows], is_place=is_place)

    def count_column(name: str, value: Callable[[TaskScore], int | None]) -> Column:
        return _numbers(name, [value(row) for row in rows], str)

    columns = [
        words_column("task", lambda row: row.task),
        words_column("corpora", lambda row: row.corpora, is_place=True),
        words_column("level", lambda row: row.level, is_place=True),
        words_column("coefficient", lambda row: coefficient_words(row.coefficient), is_place=True),
        words_column("variant", lambda row: row.variant, is_place=True),
        words_column("metric", lambda row: row.metric),
        _numbers("value", [row.value for row in rows], fixed),
        words_column("interval", lambda row: limits(row.lower, row.upper)),
        count_column("rank", lambda row: row.rank),
        count_column("WMT rank", lambda row: row.cluster),
        count_column("n", lambda row: row.n),
        words_column("missing", lambda row: row.missing),
    ]
    columns = [column for column in columns if any(cell not in ("", NONE) for cell in column.cells)]
    caption = "The coefficient of each metric in each task; n: what is correlated, or pairs of systems."
    return Table("tasks", "All tasks", caption, tuple(columns), len(rows), ("tasks.tsv",))


def matrix_table(matrix: TaskMatrix) -> Table:
    """Return the matrix of a shared task; cells are sorted by their values."""
    rows = matrix.rows()
    columns = [Column(METRIC, tuple(str(row[METRIC]) for row in rows))]
    heads = matrix.column_words
    for name, placed in matrix.placed.items():
        values = [placed.get(metric, (None, math.nan))[1] for metric in matrix.averages]
        cells = tuple(str(row[name]).strip() for row in rows)
        clusters = tuple(placed.get(metric, (None, math.nan))[0] for metric in matrix.averages)
        columns.append(Column(heads[name], cells, tuple(map(_finite, values)), clusters=clusters))
    titles = [task.title for task in matrix.tasks]
    return Table(
        "matrix",
        "The metrics in all tasks",
        matrix.legend("table"),
        tuple(columns),
        len(rows),
        ("tasks.tsv", "averages.tsv"),
        tuple(matrix.notes()),
        (*[None] * (len(columns) - len(titles)), *titles),
        is_folded=False,
    )


def _places(rows: Sequence[TestResult]) -> list[Column]:
    """Return the columns that say where tests belong."""
    keys = [row.key for row in rows]
    lengths = [key.length if key.documents.units.is_drawn else None for key in keys]
    columns = [
        _words("part", [key.panel for key in keys], is_place=True),
        _words("corpus", [key.corpus for key in keys], is_place=True),
        _words("preprocessing", [preprocessing_words(key.preprocessing) for key in keys], is_place=True),
        _words("against", [subset_words(key.subset) for key in keys], is_place=True),
        _words("criterion", [key.criterion for key in keys], is_place=True),
        _words("coefficient", [coefficient_words(key.coefficient) for key in keys], is_place=True),
        _numbers("segments", lengths, str),
    ]
    return [
        replace(column, same=column.same or (column.name == "segments" and len(set(lengths)) == 1))
        for column in columns
    ]


def _words(name: str, cells: Iterable[str], *, is_place: bool = False) -> Column:
    shown = tuple(cells)
    return Column(name, shown, same=is_place and len(shown) > 1 and len(set(shown)) == 1)


def _numbers(name: str, values: Sequence[float | None], form: Callable[[Any], str]) -> Column:
    numbers = tuple(map(_finite, values))
    cells = tuple(NONE if number is None else form(value) for number, value in zip(numbers, values, strict=True))
    return Column(name, cells, numbers)


def _finite(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else value


def limits(lower: float, upper: float) -> str:
    """Return a confidence interval in brackets; "" where there is none."""
    return f"[{fixed(lower)}, {fixed(upper)}]" if math.isfinite(lower) and math.isfinite(upper) else ""


def signed(value: float) -> str:
    """Return a difference with its sign."""
    return f"{'+' if value > 0 else ''}{fixed(value)}"


def p_value(value: float) -> str:
    """Return a p-value with three digits, or that it is below the smallest of these; `NONE` where there is none."""
    if not math.isfinite(value):
        return NONE
    return "< 0.001" if value < 0.001 else fixed(value)
