"""Tables of numbers on grey: what figures whose rows and columns are names share."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from metaeval.report.figures.look import Look
from metaeval.report.figures.measure import LEADING, broken, height, inches, widest
from metaeval.report.figures.sheet import NAMES, Axis, Entry, Panel, Sheet
from metaeval.report.figures.style import MARKS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Inches: what a turned head is high at most, what stands around a number, the side of a cell without one, and the least
# width of the column of marks.
_HEAD, _AROUND, _SIDE, _MARK = 1.4, 0.07, 0.2, 0.09
# The smallest letters that are read, in points.
_SMALLEST = 5.0
# How much wider bold letters are.
_BOLD = 1.14


@dataclass(frozen=True)
class Cell:
    """A cell: how dark it is, from 0 to 1, what stands in it in the order of preference, and how; a mark behind it."""

    share: float = 0.0
    texts: tuple[str, ...] = ()
    bold: bool = False
    framed: bool = False
    mark: str = ""
    faint: bool = False

    def width(self, which: int, size: float) -> float:
        """Return how wide one of its texts is in points of a size, in inches."""
        return inches(self.texts[which], size) * (_BOLD if self.bold else 1.0) if self.texts else 0.0


@dataclass(frozen=True)
class Head:
    """What stands above a column, and above a group of them."""

    name: str
    group: str = ""

    @property
    def words(self) -> str:
        """Both in one."""
        return ", ".join(filter(None, (self.group, self.name)))


def number(value: float, undefined: str = "\N{EN DASH}") -> tuple[str, ...]:
    """Return how a coefficient is written: with three digits, or with two where there is less room."""
    if value != value:
        return (undefined,)
    written = [f"{value:.{digits}f}".replace("-", "\N{MINUS SIGN}") for digits in (3, 2)]
    return tuple(text if abs(value) >= 1 else text.replace("0.", ".", 1) for text in written)


def table_sheet(
    look: Look,
    names: Sequence[str],
    heads: Sequence[Head],
    cells: Mapping[tuple[int, int], Cell],
    *,
    heading: str,
    caption: str,
    square: bool = False,
    italic: Collection[str] = (),
) -> Sheet:
    """Return a table as panels: as many columns in each as the width has room for, and as many rows as a page has.

    Parameters
    ----------
    look : Look
    names : sequence of str
        Of the rows.
    heads : sequence of Head
        Of the columns.
    cells : mapping of (int, int) to Cell
        By row and column.
    heading, caption : str
    square : bool
        Whether the columns are the rows once more, and cells are as high as wide.
    italic : collection of str
        The names in italics.
    """
    total, size = look.inches or 40.0, look.small
    lines = [broken(name, NAMES * look.inches if look.inches else 2.6, size) for name in names]
    marks = {cell.mark for cell in cells.values() if cell.mark}
    mark = max(_MARK, widest(marks, size) + 0.02) if marks else 0.0
    longest, shortest = (max((cell.width(which, size) for cell in cells.values()), default=0.0) for which in (0, -1))
    best = max(longest + _AROUND + mark, _SIDE)
    least = max(shortest * _SMALLEST / size + 0.03 + mark, 0.13)
    room = total - widest(lines, size) - 0.42
    labels, needed, way = _labels(look, heads, best, least, room, square=square)
    if way == "numbers" and square:
        lines = [f"{k}  {line}" for k, line in enumerate(lines, start=1)]
        room -= 0.2
    side = max(least, needed)
    across = max(1, min(len(heads), int(room / side)))
    across = -(-len(heads) // -(-len(heads) // across))
    side = min(max(best, needed), room / across)
    # All numbers have as many digits as the widest has room for.
    widths = [
        max((one.width(min(which, len(one.texts) - 1), size) for one in cells.values()), default=0.0)
        for which in (0, 1)
    ]
    digits = 0 if widths[0] <= side - 0.02 - mark else 1
    sizes = [max(height(line, size) + 0.05, side if square else 0.21 * look.font_size / 9) for line in lines]
    tall = look.tallest - 1.9 - (widest(labels, size) if way == "turned" else 0.3)
    flat = way != "turned"
    panels = [
        _panel(look, (lines, sizes, rows), (heads, labels, columns), cells, (side, digits, mark), turned=not flat)
        for rows in _runs(sizes, max(tall, max(sizes)))
        for columns in (range(k, min(k + across, len(heads))) for k in range(0, len(heads), across))
    ]
    key = [Entry(head.words, mark=label) for head, label in zip(heads, labels, strict=True)]
    shown = [line.replace("\n", "") for name, line in zip(names, lines, strict=True) if name in italic]
    return Sheet(heading, caption, panels, key if way == "numbers" and not square else (), most=1, italic=shown)


def _labels(
    look: Look, heads: Sequence[Head], best: float, least: float, room: float, *, square: bool
) -> tuple[list[str], float, str]:
    """Return what stands above columns, how wide these must be for it, and whether it is flat, turned or numbers."""
    size = look.small
    flat = [broken(head.words if square else head.name, max(best, 0.75), size) for head in heads]
    needed = widest(flat, size) + 0.08
    is_low = all(text.count("\n") < 3 for text in flat) and needed <= (1.5 * best if square else max(0.85, best))
    if is_low and len(heads) * max(needed, least) <= room:
        return flat, needed, "flat"
    turned = [broken(head.words, _HEAD, size) for head in heads]
    needed = max(text.count("\n") + 1 for text in turned) * size * LEADING / 72 + 0.02
    if len(heads) * max(least, needed) <= room or needed <= 1.6 * least:
        return turned, needed, "turned"
    numbers = [str(k) for k in range(1, len(heads) + 1)]
    return numbers, widest(numbers, size) + 0.03, "numbers"


def _runs(sizes: Sequence[float], room: float) -> list[range]:
    """Return which rows stand on a page."""
    runs, first, used = [], 0, 0.0
    for row, one in enumerate(sizes):
        if used + one > room + 1e-9:
            runs.append(range(first, row))
            first, used = row, 0.0
        used += one
    return [*runs, range(first, len(sizes))]


def _panel(
    look: Look,
    down: tuple[Sequence[str], Sequence[float], range],
    across: tuple[Sequence[Head], Sequence[str], range],
    cells: Mapping[tuple[int, int], Cell],
    cell_size: tuple[float, int, float],
    *,
    turned: bool,
) -> Panel:
    """Return some rows and columns of a table; heights are inches, and a column is 1 wide."""
    side, digits, mark = cell_size
    (names, sizes, rows), (heads, labels, columns) = down, across
    tops = [0.0, *itertools.accumulate(sizes[row] for row in rows)]
    middles = [(one + other) / 2 for one, other in itertools.pairwise(tops)]
    groups = [(group, list(some)) for group, some in itertools.groupby(columns, lambda column: heads[column].group)]
    is_grouped = not turned and any(group for group, _ in groups)

    def paint(axes: Axes) -> None:
        for place, row in enumerate(rows):
            for column in columns:
                if cell := cells.get((row, column)):
                    _paint(
                        axes,
                        cell,
                        (column - columns[0], tops[place], side, sizes[row]),
                        (digits, mark),
                        look,
                        f"{names[row]}, {heads[column].words}".replace("\n", ""),
                    )
        for group, some in groups:
            if some[0] != columns[0]:
                axes.axvline(some[0] - columns[0] - 0.5, color="white", linewidth=4, zorder=2.5)
            if is_grouped:
                middle = (some[0] + some[-1]) / 2 - columns[0]
                words = broken(group, side * len(some), look.tiny)
                above = 72 * max(height(labels[column], look.small) for column in columns) + 8
                axes.annotate(
                    words, (middle, 1), (0, above), ("data", "axes fraction"), "offset points",
                    ha="center", va="bottom", fontsize=look.tiny, annotation_clip=False,
                )  # fmt: skip

    lines = max(broken(group, side * len(some), look.tiny).count("\n") for group, some in groups)
    return Panel(
        f"rows {rows[0] + 1} to {rows[-1] + 1}, columns {columns[0] + 1} to {columns[-1] + 1}",
        Axis(
            -0.5, len(columns) - 0.5, [(k, labels[one]) for k, one in enumerate(columns)], inches=side * len(columns)
        ),
        Axis(
            0, tops[-1], [(one, names[row]) for one, row in zip(middles, rows, strict=True)], inches=tops[-1],
            is_inverted=True,
        ),
        paint,
        note="\n".join([" "] * (lines + 1)) if is_grouped else "",
        heads=True,
        turned=turned,
    )  # fmt: skip


def _paint(
    axes: Axes, cell: Cell, box: tuple[float, float, float, float], digits: tuple[int, float], look: Look, name: str
) -> None:
    """Paint a cell: the middle of its column, its top, and its width and height in inches."""
    from matplotlib.patches import Rectangle

    x, top, side, size = box
    grey = str(1 - 0.42 * cell.share) if not cell.faint else str(1 - 0.75 * cell.share)
    place = (x - 0.5, top)
    edge = "#DDDDDD" if cell.faint else "white"
    axes.add_patch(Rectangle(place, 1, size, facecolor=grey, edgecolor=edge, linewidth=0.6, gid=name))
    if cell.framed:
        inner = (x - 0.5 + 0.025 / side, top + 0.02)
        axes.add_patch(Rectangle(inner, 1 - 0.05 / side, size - 0.04, **MARKS["frame of the best"]))
    if not cell.texts:
        return
    # Marks have a column of their own, so that numbers stand below one another.
    room = side - 0.02 - digits[1]
    which = min(digits[0], len(cell.texts) - 1)
    points = min(look.small, look.small * room / max(cell.width(which, look.small), 1e-9), 72 * size / LEADING)
    words: dict[str, Any] = {"fontsize": points, "weight": "bold" if cell.bold else "normal"}
    if cell.faint:
        words["color"] = "#666666"
    axes.text(x - digits[1] / side / 2, top + size / 2, cell.texts[which], ha="center", va="center", gid=name, **words)
    if cell.mark:
        axes.text(x + 0.5 - digits[1] / side, top + size / 2, cell.mark, ha="left", va="center", fontsize=look.small)
