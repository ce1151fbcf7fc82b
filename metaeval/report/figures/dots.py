"""Points with their intervals, a row for each name, in the same order in all panels."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metaeval.report.figures.canvas import EDGE, FREE_WIDTH, PAGE_HEIGHT, Canvas, Entry, limits_around
from metaeval.report.figures.captions import decimals
from metaeval.report.figures.style import MARKS
from metaeval.report.figures.text_sizes import height, widest, wrapped

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from metaeval.report.figures.picture import Picture
    from metaeval.report.figures.settings import Look

# The share of a figure's width that names beside panels take at most, and the inches where the width is free.
_NAMES, _FREE_NAMES = 0.38, 2.6
# Inches of a row with letters of 8 points; and of what stands below a name above its row, and over that.
_ROW, _BELOW, _ABOVE = 0.165, 0.16, 0.05
_HEADS = ("name", "point", "lower end", "upper end", "mark")


@dataclass(frozen=True)
class Dots:
    """A panel of points.

    Attributes
    ----------
    name, title, note : str
        Of the panel, above it, and below the title in small letters.
    rows : DataFrame
        With the columns name, mean, lower, upper and filled, and optionally marker and mark, which says what the
        marker is; at most one row a name.
    line, spread : float
        Where a broken line goes through all rows, and how wide its band is on each side; ``nan`` for none.
    ticks : sequence of (str, float)
        Where a short line crosses the row of a name.
    """

    name: str
    title: str
    rows: pd.DataFrame
    line: float = float("nan")
    spread: float = 0.0
    ticks: Sequence[tuple[str, float]] = ()
    note: str = ""


def draw_dots(
    look: Look,
    panels: Sequence[Dots],
    names: Sequence[str],
    *,
    label: str,
    heading: str,
    caption: str,
    limits: tuple[float, float] | None = None,
    zero: bool = False,
    key: Sequence[Entry] = (),
) -> Picture:
    """Draw panels that have the same names in the same order.

    Parameters
    ----------
    look : Look
    panels : sequence of Dots
    names : sequence of str
        Of the rows, from top to bottom.
    label : str
        Of the x axes.
    heading, caption : str
    limits : (float, float), optional
        Of all x axes; as the points need unless given.
    zero : bool
        Whether a line marks 0.
    key : sequence of Entry
        What the marks are.
    """
    rows_of = _rows(look, names, n_panels=len(panels))
    every = [one.rows[["mean", "lower", "upper"]].to_numpy(float).ravel() for one in panels]
    every += [np.array([value for _, value in one.ticks]) for one in panels]
    every += [np.array([one.line - one.spread, one.line + one.spread]) for one in panels]
    low, high = limits or limits_around(np.concatenate([*every, np.zeros(int(zero))]), 0.04)
    room = 0.0 if rows_of.are_names_above else widest(rows_of.names, look.small) + 0.1
    tall = rows_of.ends[-1]
    # Where the width is free, high panels are narrow, so that more of them stand side by side.
    wide = 2.0 if tall < PAGE_HEIGHT / 3 else 1.2
    canvas = Canvas(look, len(panels), least=0.75, wide=wide, most=5, tall=tall, names=room)
    for axes, one in zip(canvas.panels, panels, strict=True):
        canvas.title(axes, one.name, one.title, one.note)
        axes.set(xlim=(low, high), ylim=(rows_of.ends[-1], 0))
        _write_names(axes, rows_of, look.small)
        if zero:
            axes.axvline(0, color="#444444", linewidth=0.8, zorder=1.5)
        if np.isfinite(one.line):
            axes.axvline(one.line, color="#444444", linewidth=1.0, linestyle=(0, (8, 2)), zorder=1.5)
            axes.axvspan(one.line - one.spread, one.line + one.spread, color="#444444", alpha=0.1, linewidth=0)
        rows = one.rows[one.rows["name"].isin(names)]
        places = [rows_of.middles[name] for name in rows["name"]]
        axes.hlines(places, rows["lower"], rows["upper"], color="#777777", linewidth=1.4, zorder=2, gid="intervals")
        shapes = list(rows["marker"]) if "marker" in rows else [MARKS["point"]["marker"]] * len(rows)
        for (is_filled, gid), marker in itertools.product(
            ((True, "points"), (False, "hollow points")), dict.fromkeys(shapes)
        ):
            looks = zip(rows["filled"], shapes, strict=True)
            chosen = [bool(filled) == is_filled and shape == marker for filled, shape in looks]
            heights = list(itertools.compress(places, chosen))
            axes.plot(rows["mean"][chosen], heights, zorder=3, gid=gid, **point_style(filled=is_filled, marker=marker))
        for name, value in one.ticks:
            middle = rows_of.middles[name]
            ends = (middle - rows_of.halves[name], middle + rows_of.halves[name])
            axes.vlines(value, *ends, color="#444444", linewidth=1.0, zorder=2.5, gid=f"margin of {name}")
    canvas.labels["x"] = label
    canvas.figure.numbers = [_HEADS, *itertools.chain.from_iterable(_written(one, names) for one in panels)]
    return canvas.finish(heading, caption, key)


@dataclass(frozen=True)
class _Rows:
    """Layout of the rows of a panel, in inches from its top: lines of the names, ends, and centres of the points."""

    names: Sequence[str]
    ends: Sequence[float]
    middles: Mapping[str, float]
    halves: Mapping[str, float]
    are_names_above: bool


def _rows(look: Look, names: Sequence[str], *, n_panels: int) -> _Rows:
    """Return the rows: with names beside them, or above them where there is one panel and that takes less height."""
    size, scale = look.small, look.font_size / 8
    beside = [wrapped(name, _NAMES * look.inches if look.inches else _FREE_NAMES, size) for name in names]
    above = [wrapped(name, (look.inches or FREE_WIDTH) - 6 * EDGE, size) for name in names]
    sizes_beside = [max(height(name, size) + 0.04, _ROW * scale) for name in beside]
    sizes_above = [height(name, size) + (_ABOVE + _BELOW) * scale for name in above]
    are_above = n_panels == 1 and sum(sizes_above) < sum(sizes_beside)
    sizes = sizes_above if are_above else sizes_beside
    ends = [0.0, *itertools.accumulate(sizes)]
    parts = [_BELOW * scale if are_above else row for row in sizes]
    middles = {name: end - part / 2 for name, end, part in zip(names, ends[1:], parts, strict=True)}
    halves = {name: 0.4 * part for name, part in zip(names, parts, strict=True)}
    return _Rows(above if are_above else beside, ends, middles, halves, are_above)


def _write_names(axes: Axes, rows: _Rows, size: float) -> None:
    """Write the names of rows beside the panel, or above each row in it."""
    beside = [""] * len(rows.names) if rows.are_names_above else rows.names
    axes.set_yticks(list(rows.middles.values()), beside, linespacing=1.1)
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    if not rows.are_names_above:
        return
    axes.spines["left"].set_visible(False)
    white = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
    for name, start in zip(rows.names, rows.ends[:-1], strict=True):
        axes.text(
            0, start + _ABOVE * size / 7.2, name, transform=axes.get_yaxis_transform(), fontsize=size, va="top",
            linespacing=1.1, bbox=white, zorder=2.8,
        )  # fmt: skip


def _written(panel: Dots, names: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the rows of a panel as they are read, in the order of the names."""
    rows = panel.rows.set_index("name")
    shown = [name for name in names if name in rows.index]
    numbers = rows.loc[shown, ["mean", "lower", "upper"]].to_numpy(float)
    marks = rows["mark"] if "mark" in rows else rows["filled"].map({True: "filled", False: "hollow"})
    marks = marks.loc[shown]
    place = f", {panel.title}" if panel.title else ""
    return [
        (f"{name}{place}", *map(decimals, row), mark) for name, row, mark in zip(shown, numbers, marks, strict=True)
    ]


def point_style(*, filled: bool, marker: str) -> dict[str, Any]:
    """Return how a point is drawn: arguments of matplotlib."""
    return {**MARKS["point"], "marker": marker, "markerfacecolor": "black" if filled else "white"}
