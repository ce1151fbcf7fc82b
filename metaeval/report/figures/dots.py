"""Points with their intervals, a row for each name, in the same order in all panels."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metaeval.report.figures.canvas import (
    EDGE_INCHES,
    FREE_WIDTH_INCHES,
    PAGE_HEIGHT_INCHES,
    Canvas,
    Entry,
    limits_around,
)
from metaeval.report.figures.captions import decimals
from metaeval.report.figures.style import MARKS
from metaeval.report.figures.text_sizes import height, widest, wrapped

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from metaeval.report.figures.picture import Picture
    from metaeval.report.figures.settings import Look

# The largest share of a figure's width for names beside panels, and the largest width where that of the figure is free.
_NAMES_SHARE = 0.38
_FREE_NAMES_INCHES = 2.6
# The height of a row with letters of 8 points; and the space below and above a name that stands above its row.
_ROW_INCHES = 0.165
_BELOW_NAME_INCHES = 0.16
_ABOVE_NAME_INCHES = 0.05
_TABLE_HEADS = ("name", "point", "lower end", "upper end", "mark")


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
    layout = _rows(look, names, n_panels=len(panels))
    values = [panel.rows[["mean", "lower", "upper"]].to_numpy(float).ravel() for panel in panels]
    values += [np.array([value for _, value in panel.ticks]) for panel in panels]
    values += [np.array([panel.line - panel.spread, panel.line + panel.spread]) for panel in panels]
    low, high = limits or limits_around(np.concatenate([*values, np.zeros(int(zero))]), 0.04)
    name_width = 0.0 if layout.are_names_above else widest(layout.names, look.small) + 0.1
    panel_height = layout.ends[-1]
    # Where the width is free, high panels are narrow, so that more of them stand side by side.
    panel_width = 2.0 if panel_height < PAGE_HEIGHT_INCHES / 3 else 1.2
    canvas = Canvas(look, len(panels), least=0.75, wide=panel_width, most=5, tall=panel_height, names=name_width)
    for axes, panel in zip(canvas.panels, panels, strict=True):
        canvas.title(axes, panel.name, panel.title, panel.note)
        axes.set(xlim=(low, high), ylim=(layout.ends[-1], 0))
        _write_names(axes, layout, look.small)
        if zero:
            axes.axvline(0, color="#444444", linewidth=0.8, zorder=1.5)
        if np.isfinite(panel.line):
            axes.axvline(panel.line, color="#444444", linewidth=1.0, linestyle=(0, (8, 2)), zorder=1.5)
            axes.axvspan(panel.line - panel.spread, panel.line + panel.spread, color="#444444", alpha=0.1, linewidth=0)
        rows = panel.rows[panel.rows["name"].isin(names)]
        places = [layout.middles[name] for name in rows["name"]]
        axes.hlines(places, rows["lower"], rows["upper"], color="#777777", linewidth=1.4, zorder=2, gid="intervals")
        shapes = list(rows["marker"]) if "marker" in rows else [MARKS["point"]["marker"]] * len(rows)
        for (is_filled, gid), marker in itertools.product(
            ((True, "points"), (False, "hollow points")), dict.fromkeys(shapes)
        ):
            styles = zip(rows["filled"], shapes, strict=True)
            chosen = [bool(filled) == is_filled and shape == marker for filled, shape in styles]
            heights = list(itertools.compress(places, chosen))
            axes.plot(rows["mean"][chosen], heights, zorder=3, gid=gid, **point_style(filled=is_filled, marker=marker))
        for name, value in panel.ticks:
            middle = layout.middles[name]
            bounds = (middle - layout.halves[name], middle + layout.halves[name])
            axes.vlines(value, *bounds, color="#444444", linewidth=1.0, zorder=2.5, gid=f"margin of {name}")
    canvas.labels["x"] = label
    canvas.figure.numbers = [
        _TABLE_HEADS,
        *itertools.chain.from_iterable(_table_rows(panel, names) for panel in panels),
    ]
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
    size = look.small
    scale = look.font_size / 8
    beside = [wrapped(name, _NAMES_SHARE * look.inches if look.inches else _FREE_NAMES_INCHES, size) for name in names]
    above = [wrapped(name, (look.inches or FREE_WIDTH_INCHES) - 6 * EDGE_INCHES, size) for name in names]
    sizes_beside = [max(height(name, size) + 0.04, _ROW_INCHES * scale) for name in beside]
    sizes_above = [height(name, size) + (_ABOVE_NAME_INCHES + _BELOW_NAME_INCHES) * scale for name in above]
    are_above = n_panels == 1 and sum(sizes_above) < sum(sizes_beside)
    sizes = sizes_above if are_above else sizes_beside
    row_ends = [0.0, *itertools.accumulate(sizes)]
    parts = [_BELOW_NAME_INCHES * scale if are_above else row for row in sizes]
    middles = {name: end - part / 2 for name, end, part in zip(names, row_ends[1:], parts, strict=True)}
    halves = {name: 0.4 * part for name, part in zip(names, parts, strict=True)}
    return _Rows(above if are_above else beside, row_ends, middles, halves, are_above)


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
            0, start + _ABOVE_NAME_INCHES * size / 7.2, name, transform=axes.get_yaxis_transform(), fontsize=size,
            va="top", linespacing=1.1, bbox=white, zorder=2.8,
        )  # fmt: skip


def _table_rows(panel: Dots, names: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the rows of a panel as they are read, in the order of the names."""
    rows = panel.rows.set_index("name")
    shown = [name for name in names if name in rows.index]
    numbers = rows.loc[shown, ["mean", "lower", "upper"]].to_numpy(float)
    marks = rows["mark"] if "mark" in rows else rows["filled"].map({True: "filled", False: "hollow"})
    marks = marks.loc[shown]
    title_words = f", {panel.title}" if panel.title else ""
    return [
        (f"{name}{title_words}", *map(decimals, row), mark)
        for name, row, mark in zip(shown, numbers, marks, strict=True)
    ]


def point_style(*, filled: bool, marker: str) -> dict[str, Any]:
    """Return the style of a point: arguments of matplotlib."""
    return {**MARKS["point"], "marker": marker, "markerfacecolor": "black" if filled else "white"}
