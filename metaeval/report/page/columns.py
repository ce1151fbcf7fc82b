"""Tables of a run as columns for a page: what is shown in each cell, and what it is sorted by."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

TextRows = Sequence[Mapping[str, str]]
# More rows than these are shown on request.
FIRST_ROWS = 200
# Signatures are most of a table; where they are longer in all, they stay in the file.
_MOST_SIGNATURES = 400_000
_WHOLE = "whole"
_SHORT = "short"
_AS_PRINTED = "as printed"
# Digits after the point, or another way to show a number. All other columns hold text.
_FORMS: dict[str, int | str] = {
    **dict.fromkeys(("mean", "sd", "lower", "upper", "difference", "value", "change", "ours", "share", "chance"), 3),
    **dict.fromkeys(
        ("minimum_significant_difference", "largest_not_significant", "largest_difference", "statistic"), 3
    ),
    **dict.fromkeys(("p", "p_corrected", "alpha", "margin"), _SHORT),
    **dict.fromkeys(("published", "published_lower", "published_upper"), _AS_PRINTED),
    **dict.fromkeys(("length", "rank", "cluster", "claim", "example", "splits"), _WHOLE),
}
# These say where a row belongs.
_PLACE = (
    "panel",
    "corpus",
    "preprocessing",
    "subset",
    "criterion",
    "average_by",
    "length",
    "coefficient",
    "quantity",
    "label",
)
# What these tables begin with, for people; the other columns follow as they are.
_FIRST = {
    "claims": (
        "claim",
        "paper",
        "verdict",
        "why",
        "notes",
        "difference",
        "lower",
        "upper",
        "statement",
        "chosen",
        "over",
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
    """

    name: str
    cells: tuple[str, ...]
    values: tuple[float | None, ...] | None = None
    same: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return the column for a script; texts that come again are kept once."""
        words = list(dict.fromkeys(self.cells))
        number = {word: place for place, word in enumerate(words)}
        found: dict[str, Any] = {"name": self.name, "words": words, "at": [number[cell] for cell in self.cells]}
        if self.values is not None:
            found["values"] = list(self.values)
        if self.same:
            found["same"] = True
        return found


@dataclass(frozen=True)
class Table:
    """A table of a run; `without` names columns that are in its file alone."""

    name: str
    title: str
    caption: str
    columns: tuple[Column, ...]
    n_rows: int
    without: tuple[str, ...] = ()

    @property
    def shown(self) -> list[Column]:
        """The columns that are shown."""
        return [column for column in self.columns if not column.same]

    @property
    def same(self) -> list[tuple[str, str]]:
        """Names and cells of the columns that the caption tells."""
        return [(column.name, column.cells[0]) for column in self.columns if column.same]

    @property
    def first_rows(self) -> list[list[tuple[Column, str]]]:
        """The rows that are shown at first: the column and the cell, of each cell."""
        return [[(column, column.cells[row]) for column in self.shown] for row in range(min(self.n_rows, FIRST_ROWS))]

    def to_dict(self) -> dict[str, Any]:
        """Return the table for a script."""
        return {"n": self.n_rows, "columns": [column.to_dict() for column in self.columns]}


def make_table(name: str, title: str, caption: str, rows: TextRows) -> Table:
    """Return a table of a run.

    Parameters
    ----------
    name : str
        Of its file.
    title, caption : str
        For people.
    rows : sequence of mappings of str to str
        As the file has them, one row or more.
    """
    columns, without = [], []
    first = [column for column in _FIRST.get(name, ()) if column in rows[0]]
    for column in dict.fromkeys([*first, *rows[0]]):
        texts = tuple(row[column] for row in rows)
        if column == "signature" and sum(map(len, texts)) > _MOST_SIGNATURES:
            without.append(column)
        elif not any(texts):
            continue  # such as the replicates of a run without any
        else:
            found = _column(name, column, texts)
            same = column in _PLACE and len(texts) > 1 and len(set(texts)) == 1
            columns.append(replace(found, same=same))
    return Table(name, title, caption, tuple(columns), len(rows), tuple(without))


def _column(table: str, name: str, texts: tuple[str, ...]) -> Column:
    form = _OF_EXAMPLES.get(name) if table == "examples" else None
    form = _FORMS.get(name) if form is None else form
    if form is None and name.startswith(("n_", "replicates_")):
        form = _WHOLE
    numbers = None if form is None else _numbers(texts)
    if form is None or numbers is None:
        return Column(name, texts)
    cells = tuple(shown(text, form) for text in texts)
    return Column(name, cells, tuple(_sortable(number) for number in numbers))


def _numbers(texts: tuple[str, ...]) -> list[float] | None:
    try:
        return [math.nan if not text else float(text) for text in texts]
    except ValueError:
        return None


def _sortable(number: float) -> float | None:
    # JSON has no infinity; one sorts above everything.
    return None if math.isnan(number) else math.copysign(1e308, number) if math.isinf(number) else number


def shown(text: str, form: int | str = 3) -> str:
    """Return a number of a table as it is shown.

    Parameters
    ----------
    text : str
        As the table has it; "" where there is none.
    form : int or str
        Digits after the point; or ``whole``, ``short`` (three digits in all) or ``as printed``.
    """
    if not text or form == _AS_PRINTED:
        return text
    number = float(text)
    if not math.isfinite(number):
        return text
    if form == _SHORT:
        return f"{number:.3g}"
    if form == _WHOLE or not isinstance(form, int):
        return f"{number:.0f}" if number.is_integer() else text
    rounded = f"{number:.{form}f}"
    return rounded if float(rounded) else rounded.lstrip("-")  # no negative zero
