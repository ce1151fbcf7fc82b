"""Points with their intervals, a row for each name, in the same order in all panels."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metaeval.report.figures.canvas import Canvas, Entry, limits_around
from metaeval.report.figures.measure import height, widest, wrapped
from metaeval.report.figures.style import MARKS

if TYPE_CHECKING:
    import pandas as pd

    from metaeval.report.figures.look import Look
    from metaeval.report.figures.picture import Picture

# The share of a figure's width that names beside panels take at most, and the inches where the width is free.
_NAMES, _FREE_NAMES = 0.38, 2.6
# Inches of a row with letters of 8 points.
_ROW = 0.165
_HEADS = ("name", "point", "lower end", "upper end", "mark")


@dataclass(frozen=True)
class Dots:
    """A panel of points.

    Attributes
    ----------
    name, title : str
        Of the panel, and above it.
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
    size = look.small
    room = _NAMES * look.inches if look.inches else _FREE_NAMES
    shown = [wrapped(name, room, size) for name in names]
    sizes = [max(height(name, size) + 0.04, _ROW * look.font_size / 8) for name in shown]
    tops = [0.0, *itertools.accumulate(sizes)]
    middles = {name: (one + other) / 2 for name, (one, other) in zip(names, itertools.pairwise(tops), strict=True)}
    every = [one.rows[["mean", "lower", "upper"]].to_numpy(float).ravel() for one in panels]
    every += [np.array([value for _, value in one.ticks]) for one in panels]
    every += [np.array([one.line - one.spread, one.line + one.spread]) for one in panels]
    low, high = limits or limits_around(np.concatenate([*every, np.zeros(int(zero))]), 0.04)
    canvas = Canvas(look, len(panels), least=0.75, wide=2.0, most=5, tall=tops[-1], names=widest(shown, size) + 0.1)
    for axes, one in zip(canvas.panels, panels, strict=True):
        canvas.title(axes, one.name, one.title)
        axes.set(xlim=(low, high), ylim=(tops[-1], 0))
        axes.set_yticks(list(middles.values()), shown, linespacing=1.1)
        axes.tick_params(axis="y", length=0)
        axes.grid(visible=False, axis="y")
        if zero:
            axes.axvline(0, color="#444444", linewidth=0.8, zorder=1.5)
        if np.isfinite(one.line):
            axes.axvline(one.line, color="#444444", linewidth=1.0, linestyle=(0, (8, 2)), zorder=1.5)
            axes.axvspan(one.line - one.spread, one.line + one.spread, color="#444444", alpha=0.1, linewidth=0)
        rows = one.rows[one.rows["name"].isin(names)]
        places = [middles[name] for name in rows["name"]]
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
            half = 0.4 * sizes[list(names).index(name)]
            ends = (middles[name] - half, middles[name] + half)
            axes.vlines(value, *ends, color="#444444", linewidth=1.0, zorder=2.5, gid=f"margin of {name}")
    canvas.labels["x"] = label
    canvas.figure.numbers = [_HEADS, *itertools.chain.from_iterable(_written(one, names) for one in panels)]
    return canvas.finish(heading, caption, key)


def _written(panel: Dots, names: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the rows of a panel as they are read, in the order of the names."""
    rows = panel.rows.set_index("name")
    shown = [name for name in names if name in rows.index]
    numbers = rows.loc[shown, ["mean", "lower", "upper"]].to_numpy(float)
    marks = rows["mark"] if "mark" in rows else rows["filled"].map({True: "filled", False: "hollow"})
    marks = marks.loc[shown]
    place = f", {panel.title}" if panel.title else ""
    return [
        (f"{name}{place}", *("" if np.isnan(value) else f"{value:.3f}" for value in row), mark)
        for name, row, mark in zip(shown, numbers, marks, strict=True)
    ]


def point_style(*, filled: bool, marker: str) -> dict[str, Any]:
    """Return how a point is drawn: arguments of matplotlib."""
    return {**MARKS["point"], "marker": marker, "markerfacecolor": "black" if filled else "white"}
