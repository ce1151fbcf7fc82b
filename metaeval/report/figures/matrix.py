"""Tables of numbers on grey, and squares of metrics: rows and columns are names."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from metaeval.datamodel.corpus import FloatArray
from metaeval.report.figures.canvas import EDGE, FREE_WIDTH, Canvas
from metaeval.report.figures.settings import Look, NoRoom
from metaeval.report.figures.text_sizes import LEADING, height, inches, widest, wrapped

# Inches: around a number, the least and the preferred side of an empty cell, a turned head, and names at most where the
# width is free.
_AROUND, _LEAST, _SIDE, _HEAD, _FREE_NAMES = 0.08, 0.09, 0.2, 1.3, 2.2
_NAMES = 0.38
# The smallest letters that are read, in points; and how large raised numbers are beside those before them.
_SMALLEST, _RAISED = 5.5, 0.85
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Cell:
    """Cell of a matrix: texts in the order of preference, a mark or superscript behind them, and their style.

    At most one of mark and raised number.
    """

    texts: tuple[str, ...] = ()
    mark: str = ""
    raised: str = ""
    bold: bool = False
    faint: bool = False


def number(value: float, undefined: str = "\N{EN DASH}") -> tuple[str, ...]:
    """Return how a coefficient is written: with three digits, or with two where there is less room."""
    if value != value:
        return (undefined,)
    written = [f"{value:.{digits}f}".replace("-", "\N{MINUS SIGN}") for digits in (3, 2)]
    return tuple(text if abs(value) >= 1 else text.replace("0.", ".", 1) for text in written)


def by_column(values: FloatArray) -> FloatArray:
    """Return shades from 0 for the lowest of a column to 1 for the highest; ``nan`` where there is no value."""
    low, high = (bound(values, axis=0) for bound in (np.fmin.reduce, np.fmax.reduce))
    shares: FloatArray = (values - low) / np.where(high > low, high - low, np.inf)
    return shares


def matrix(
    look: Look,
    names: Sequence[str],
    heads: Sequence[str],
    shades: FloatArray,
    cells: dict[tuple[int, int], Cell],
    *,
    darkest: float = 0.42,
    square: bool = False,
    italic: Collection[str] = (),
) -> Canvas:
    """Paint a table, and return its canvas, to be finished.

    Parameters
    ----------
    look : Look
    names, heads : sequence of str
        Of the rows and columns.
    shades : (rows, columns) float array
        From 0 for white to 1 for the darkest; ``nan`` where nothing is painted.
    cells : dict of (int, int) to Cell
        By row and column.
    darkest : float
        How dark 1 is.
    square : bool
        Whether the columns are the rows once more.
    italic : collection of str
        The names in italics.

    Raises
    ------
    NoRoom
        If the columns are too narrow for their numbers.
    """
    size, total = look.small, look.inches or FREE_WIDTH
    shown = [wrapped(name, _NAMES * total if look.inches else _FREE_NAMES, size) for name in names]
    room = total - widest(shown, size) - 2 * EDGE - 0.1
    most = room / len(heads)
    written = [0, 1]
    needed = [_needed(cells.values(), which, size) for which in written]
    side = min(most, max(needed[0] + _AROUND, _SIDE if square else 0.42))
    labels, way, side = _heads(look, heads, side, most, square=square)
    if way == "numbers":
        shown = [f"{k}  {name}" if square else name for k, name in enumerate(shown, start=1)]
    which = 0 if needed[0] <= side - 0.02 else 1
    points = min(size, size * (side - 0.02) / needed[which]) if needed[which] else size
    smallest = _SMALLEST / (_RAISED if any(cell.raised for cell in cells.values()) else 1)
    if points < smallest - 0.01 or side < _LEAST:
        wide = total + len(heads) * max(_LEAST - side, needed[1] * smallest / size + 0.02 - side)
        raise NoRoom(f"its {len(heads)} columns have no room in {total:g} inches; give `width` = {wide + 0.1:.1f}.")
    lowest = side if square and way != "numbers" else min(side, 0.16) if square else 0.19 * look.font_size / 8
    smaller = min(size, 72 * lowest / LEADING) if max(name.count("\n") for name in shown) == 0 else size
    sizes = [max(height(name, smaller) + 0.05 * ("\n" in name), lowest) for name in shown]
    tops = np.array([0.0, *itertools.accumulate(sizes)])
    canvas = Canvas(look, 1, tall=float(tops[-1]), most=1, wide=side * len(heads), names=widest(shown, smaller) + 0.1)
    canvas.is_table, canvas.widest_data = True, side * len(heads)
    (axes,) = canvas.panels
    axes.pcolormesh(
        np.arange(len(heads) + 1) - 0.5, tops, np.where(np.isnan(shades), 0, shades * darkest), cmap="Greys", vmin=0,
        vmax=1, edgecolors="#DDDDDD" if square else "white", linewidth=0.6, gid="cells",
    )  # fmt: skip
    axes.set(xlim=(-0.5, len(heads) - 0.5), ylim=(tops[-1], 0))
    middles = (tops[:-1] + tops[1:]) / 2
    axes.set_yticks(middles, shown, fontsize=smaller, linespacing=1.1)
    axes.set_xticks(range(len(heads)), labels, fontsize=min(size, 72 * side) if way == "turned" else size)
    axes.xaxis.tick_top()
    axes.tick_params(length=0, pad=2.5)
    axes.tick_params(axis="x", labelrotation=90 if way == "turned" else 0)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    for label, name in zip(axes.get_yticklabels(), names, strict=True):
        if name in italic:
            label.set_fontstyle("italic")
    of_marks = _behind(cells.values(), points)
    for (row, column), cell in cells.items():
        _write(axes, cell, (column, middles[row]), which, points, of_marks, f"{names[row]}, {heads[column]}")
    empty = Cell()
    canvas.figure.numbers = [
        ("name", *heads),
        *(
            (name, *(_read(cells.get((row, column), empty)) for column in range(len(heads))))
            for row, name in enumerate(names)
        ),
    ]
    return canvas


def _read(cell: Cell) -> str:
    """Return what stands in a cell as one text."""
    text = "".join(cell.texts[:1])
    return f"{text} {cell.mark}" if text and cell.mark else f"{text}{cell.raised.translate(_SUPERSCRIPTS)}"


def _needed(cells: Collection[Cell], which: int, size: float) -> float:
    """Return how wide the widest number is, with the widest mark, in inches."""
    numbers = (
        inches(cell.texts[min(which, len(cell.texts) - 1)], size) * (1.14 if cell.bold else 1)
        for cell in cells
        if cell.texts
    )
    return max(numbers, default=0.0) + _behind(cells, size)


def _behind(cells: Collection[Cell], size: float) -> float:
    """Return how wide the widest mark or raised number is, in inches."""
    marks = widest((cell.mark for cell in cells), size)
    return max(marks, widest((cell.raised for cell in cells), size * _RAISED))


def _heads(look: Look, heads: Sequence[str], side: float, most: float, *, square: bool) -> tuple[list[str], str, float]:
    """Return what stands above the columns; whether it is flat, turned, or numbers; and how wide columns are."""
    size = look.small
    room = max(side, min(most, 0.35 if square else 1.1)) - 0.06
    flat = [wrapped(head, room, size) for head in heads]
    are_words_whole = [text.replace("\n", " ") for text in flat] == [head.replace("\n", " ") for head in heads]
    if max(text.count("\n") for text in flat) < 4 and are_words_whole:
        return flat, "flat", min(most, max(side, widest(flat, size) + 0.08))
    turned = [wrapped(head, _HEAD, size) for head in heads]
    needed = max(text.count("\n") + 1 for text in turned) * size * LEADING / 72
    # Letters of one line may be smaller.
    if needed <= most or not any("\n" in text for text in turned):
        return turned, "turned", min(most, max(side, needed))
    return [str(k) for k in range(1, len(heads) + 1)], "numbers", side


def _write(
    axes: Any, cell: Cell, place: tuple[float, float], which: int, points: float, of_marks: float, name: str
) -> None:
    """Write a number into its cell, and what stands behind it: numbers stand below one another, and so do marks."""
    if not cell.texts:
        return
    text = cell.texts[min(which, len(cell.texts) - 1)]
    # What stands in cells takes no room beside them: the layout need not measure it.
    style: dict[str, Any] = {"fontsize": points, "weight": "bold" if cell.bold else "normal", "in_layout": False}
    style |= {"color": "#666666"} if cell.faint else {}
    if not of_marks:
        axes.text(*place, text, ha="center", va="center", gid=name, **style)
        return
    wide = inches(text, points) * (1.14 if cell.bold else 1)
    right = 72 * (wide - of_marks) / 2
    both: dict[str, Any] = {"textcoords": "offset points", "va": "center_baseline", "in_layout": False}
    axes.annotate(text, place, (right, 0), ha="right", gid=name, **{**both, **style})
    if cell.mark:
        axes.annotate(cell.mark, place, (right, 0), ha="left", fontsize=points, **both)
    if cell.raised:
        axes.annotate(cell.raised, place, (right, 0.3 * points), ha="left", fontsize=points * _RAISED, **both)
