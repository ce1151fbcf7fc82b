"""Tables of numbers on grey, and squares of metrics: rows and columns are names."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from metaeval.datamodel.corpus import FloatArray
from metaeval.report.figures.canvas import EDGE_INCHES, FREE_WIDTH_INCHES, Canvas
from metaeval.report.figures.settings import Look, NoRoom
from metaeval.report.figures.text_sizes import LEADING, height, inches, widest, wrapped

# The padding around a number, the smallest and the preferred side of an empty cell, and the height of a turned head.
_PADDING_INCHES = 0.08
_MIN_SIDE_INCHES = 0.09
_SIDE_INCHES = 0.2
_HEAD_INCHES = 1.3
# The largest share of a figure's width for names, and the largest width where that of the figure is free.
_NAMES_SHARE = 0.38
_FREE_NAMES_INCHES = 2.2
# The smallest letters that are legible; and the size of raised numbers relative to the numbers before them.
_MIN_POINTS = 5.5
_RAISED_SHARE = 0.85
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
    """Write a coefficient with three digits, or with two where there is less room."""
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
    size = look.small
    total = look.inches or FREE_WIDTH_INCHES
    row_labels = [wrapped(name, _NAMES_SHARE * total if look.inches else _FREE_NAMES_INCHES, size) for name in names]
    room = total - widest(row_labels, size) - 2 * EDGE_INCHES - 0.1
    max_side = room / len(heads)
    variants = [0, 1]
    number_widths = [_number_width(cells.values(), variant, size) for variant in variants]
    side = min(max_side, max(number_widths[0] + _PADDING_INCHES, _SIDE_INCHES if square else 0.42))
    labels, head_style, side = _heads(look, heads, side, max_side, square=square)
    if head_style == "numbers":
        row_labels = [f"{k}  {name}" if square else name for k, name in enumerate(row_labels, start=1)]
    variant = 0 if number_widths[0] <= side - 0.02 else 1
    points = min(size, size * (side - 0.02) / number_widths[variant]) if number_widths[variant] else size
    smallest = _MIN_POINTS / (_RAISED_SHARE if any(cell.raised for cell in cells.values()) else 1)
    if points < smallest - 0.01 or side < _MIN_SIDE_INCHES:
        least_side = max(_MIN_SIDE_INCHES, number_widths[1] * smallest / size + 0.02)
        width = total
        # Names, too, take more room in a wider figure, in fewer lines.
        while (needed := _width_beside_columns(names, width, size) + len(heads) * least_side) > width + 1e-6:
            width = needed
        raise NoRoom(f"its {len(heads)} columns have no room in {total:g} inches; give `width` = {width + 0.1:.1f}.")
    if not square:
        min_height = 0.19 * look.font_size / 8
    elif head_style == "numbers":
        min_height = min(side, 0.16)
    else:
        min_height = side
    label_size = min(size, 72 * min_height / LEADING) if max(name.count("\n") for name in row_labels) == 0 else size
    sizes = [max(height(name, label_size) + 0.05 * ("\n" in name), min_height) for name in row_labels]
    tops = np.array([0.0, *itertools.accumulate(sizes)])
    canvas = Canvas(
        look, 1, tall=float(tops[-1]), most=1, wide=side * len(heads), names=widest(row_labels, label_size) + 0.1
    )
    canvas.is_table = True
    canvas.widest_data = side * len(heads)
    (axes,) = canvas.panels
    axes.pcolormesh(
        np.arange(len(heads) + 1) - 0.5, tops, np.where(np.isnan(shades), 0, shades * darkest), cmap="Greys", vmin=0,
        vmax=1, edgecolors="#DDDDDD" if square else "white", linewidth=0.6, gid="cells",
    )  # fmt: skip
    axes.set(xlim=(-0.5, len(heads) - 0.5), ylim=(tops[-1], 0))
    middles = (tops[:-1] + tops[1:]) / 2
    axes.set_yticks(middles, row_labels, fontsize=label_size, linespacing=1.1)
    axes.set_xticks(range(len(heads)), labels, fontsize=min(size, 72 * side) if head_style == "turned" else size)
    axes.xaxis.tick_top()
    axes.tick_params(length=0, pad=2.5)
    axes.tick_params(axis="x", labelrotation=90 if head_style == "turned" else 0)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    for label, name in zip(axes.get_yticklabels(), names, strict=True):
        if name in italic:
            label.set_fontstyle("italic")
    mark_width = _mark_width(cells.values(), points)
    for (row, column), cell in cells.items():
        _write(axes, cell, (column, middles[row]), variant, points, mark_width, f"{names[row]}, {heads[column]}")
    empty = Cell()
    canvas.figure.numbers = [
        ("name", *heads),
        *(
            (name, *(_cell_text(cells.get((row, column), empty)) for column in range(len(heads))))
            for row, name in enumerate(names)
        ),
    ]
    return canvas


def _width_beside_columns(names: Sequence[str], width: float, size: float) -> float:
    """Return the inches that all but the columns take in a figure whose width is given."""
    return widest([wrapped(name, _NAMES_SHARE * width, size) for name in names], size) + 2 * EDGE_INCHES + 0.1


def _cell_text(cell: Cell) -> str:
    """Return the content of a cell as one text."""
    text = "".join(cell.texts[:1])
    return f"{text} {cell.mark}" if text and cell.mark else f"{text}{cell.raised.translate(_SUPERSCRIPTS)}"


def _number_width(cells: Collection[Cell], which: int, size: float) -> float:
    """Return the width of the widest number, with the widest mark, in inches."""
    numbers = (
        inches(cell.texts[min(which, len(cell.texts) - 1)], size) * (1.14 if cell.bold else 1)
        for cell in cells
        if cell.texts
    )
    return max(numbers, default=0.0) + _mark_width(cells, size)


def _mark_width(cells: Collection[Cell], size: float) -> float:
    """Return the width of the widest mark or raised number, in inches."""
    marks = widest((cell.mark for cell in cells), size)
    return max(marks, widest((cell.raised for cell in cells), size * _RAISED_SHARE))


def _heads(look: Look, heads: Sequence[str], side: float, most: float, *, square: bool) -> tuple[list[str], str, float]:
    """Return the heads of the columns; whether they are flat, turned, or numbers; and the width of columns."""
    size = look.small
    room = max(side, min(most, 0.35 if square else 1.1)) - 0.06
    flat = [wrapped(head, room, size) for head in heads]
    are_words_whole = [text.replace("\n", " ") for text in flat] == [head.replace("\n", " ") for head in heads]
    if max(text.count("\n") for text in flat) < 4 and are_words_whole:
        return flat, "flat", min(most, max(side, widest(flat, size) + 0.08))
    turned = [wrapped(head, _HEAD_INCHES, size) for head in heads]
    needed = max(text.count("\n") + 1 for text in turned) * size * LEADING / 72
    # Letters of one line may be smaller.
    if needed <= most or not any("\n" in text for text in turned):
        return turned, "turned", min(most, max(side, needed))
    return [str(k) for k in range(1, len(heads) + 1)], "numbers", side


def _write(
    axes: Any, cell: Cell, position: tuple[float, float], which: int, points: float, of_marks: float, name: str
) -> None:
    """Write a number into its cell, and what stands behind it: numbers stand below one another, and so do marks."""
    if not cell.texts:
        return
    text = cell.texts[min(which, len(cell.texts) - 1)]
    # What stands in cells takes no room beside them: the layout need not measure it.
    style: dict[str, Any] = {"fontsize": points, "weight": "bold" if cell.bold else "normal", "in_layout": False}
    style |= {"color": "#666666"} if cell.faint else {}
    if not of_marks:
        axes.text(*position, text, ha="center", va="center", gid=name, **style)
        return
    wide = inches(text, points) * (1.14 if cell.bold else 1)
    right = 72 * (wide - of_marks) / 2
    shared_style: dict[str, Any] = {"textcoords": "offset points", "va": "center_baseline", "in_layout": False}
    axes.annotate(text, position, (right, 0), ha="right", gid=name, **{**shared_style, **style})
    if cell.mark:
        axes.annotate(cell.mark, position, (right, 0), ha="left", fontsize=points, **shared_style)
    if cell.raised:
        axes.annotate(
            cell.raised, position, (right, 0.3 * points), ha="left", fontsize=points * _RAISED_SHARE, **shared_style
        )
