"""Points with their intervals, a row for each metric: what figures of coefficients and of differences share."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metaeval.report.figures.look import Look
from metaeval.report.figures.measure import broken, height
from metaeval.report.figures.sheet import NAMES, Axis, Panel, Sheet

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Dots:
    """A panel of points: its title and label, its rows by metric, and what stands behind the points.

    Attributes
    ----------
    name, title, label : str
        Of the panel, above it, and below it.
    rows : DataFrame
        With the columns metric, mean, lower and upper, the best first.
    line, spread : float
        Where a line goes through all rows, and how wide its band is on each side; ``nan`` for none.
    """

    name: str
    title: str
    label: str
    rows: pd.DataFrame
    line: float = float("nan")
    spread: float = 0.0


def dots_sheet(
    look: Look,
    panels: Sequence[Dots],
    labels: Mapping[str, str],
    *,
    heading: str,
    caption: str,
    limits: tuple[float, float] | None = None,
) -> Sheet:
    """Return panels with a row for each metric, as many of them as a page has room for.

    Parameters
    ----------
    look : Look
    panels : sequence of Dots
    labels : mapping of str to str
        What metrics are called.
    heading, caption : str
    limits : (float, float), optional
        Of all x axes; as the points need unless given.
    """
    most = NAMES * look.inches if look.inches else 3.2
    every = np.concatenate([one.rows[["mean", "lower", "upper"]].to_numpy(float).ravel() for one in panels])
    every = np.concatenate([every, *([one.line - one.spread, one.line + one.spread] for one in panels)])
    low, high = limits or _ends(every[np.isfinite(every)])
    room = max(look.tallest - 2.1, 0.8)
    made = []
    for one in panels:
        names = [broken(labels[name], most, look.small) for name in one.rows["metric"]]
        sizes = [max(height(name, look.small) + 0.05, 0.2 * look.font_size / 9) for name in names]
        first = 0
        while first < len(sizes):
            last = first + 1
            while last < len(sizes) and sum(sizes[first : last + 1]) <= room:
                last += 1
            shown = slice(first, last)
            title = one.title if first == 0 else f"{one.title} (continued)"
            made.append(_panel(one, title, names[shown], sizes[shown], one.rows.iloc[shown], (low, high)))
            first = last
    return Sheet(heading, caption, made, wide=2.4, least=1.1)


def _panel(
    one: Dots, title: str, names: Sequence[str], sizes: Sequence[float], rows: pd.DataFrame, limits: tuple[float, float]
) -> Panel:
    tops = [0.0, *itertools.accumulate(sizes)]
    middles = [(above + below) / 2 for above, below in itertools.pairwise(tops)]

    def paint(axes: Axes) -> None:
        axes.grid(visible=False, axis="y")
        if np.isfinite(one.line):
            axes.axvline(one.line, color="#444444", linewidth=1.0, linestyle=(0, (8, 2)), zorder=1.5)
            axes.axvspan(one.line - one.spread, one.line + one.spread, color="#444444", alpha=0.1, linewidth=0)
        axes.hlines(middles, rows["lower"], rows["upper"], color="#777777", linewidth=1.6, zorder=2, gid="intervals")
        look: dict[str, Any] = {"linestyle": "none", "marker": "o", "color": "black", "markersize": 4.5}
        axes.plot(rows["mean"], middles, zorder=3, gid="points", **look)

    y = Axis(0, tops[-1], list(zip(middles, names, strict=True)), inches=tops[-1], is_inverted=True)
    return Panel(one.name, Axis(*limits, label=one.label), y, paint, title)


def _ends(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> tuple[float, float]:
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
    room = 0.04 * (high - low) or 0.05
    return low - room, high + room
