"""Names beside points, placed so that none covers another name or a point."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from metaeval.records import FloatArray
from metaeval.report.figures.placing import draw, meet
from metaeval.report.figures.style import MARKS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LONGEST = 22
# Where a name may stand, in points from its point: near before far, and to the right before anywhere else.
_DISTANCES = (5.0, 9.0, 14.0, 20.0, 28.0, 38.0)
_ANGLES = (0, 90, 270, 180, 45, 315, 135, 225, 20, 340, 160, 200, 70, 110, 250, 290)
# Points from the middle of a point to its edge.
_RADIUS = 3.0


def write_names(figure: Figure, panels: Sequence[tuple[Axes, pd.DataFrame]]) -> int:
    """Write the name of each system beside its point, and return how many names found no room.

    Parameters
    ----------
    figure : Figure
        Complete but for the names; they change its layout no more.
    panels : sequence of (Axes, DataFrame)
        With the columns score, human and system: the points.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas = FigureCanvasAgg(figure)
    draw(figure)
    figure.set_layout_engine("none")
    renderer = canvas.get_renderer()  # type: ignore[no-untyped-call]
    unit, lost = figure.dpi / 72, 0
    for panel, rows in panels:
        places = rows[["score", "human"]].to_numpy(dtype=float)
        points = panel.transData.transform(places)
        low, high = np.array(panel.get_window_extent(renderer).extents).reshape(2, 2)
        taken = np.hstack([points - _RADIUS * unit, points + _RADIUS * unit])
        # Crowded points choose first.
        crowd = np.linalg.norm(points[:, np.newaxis] - points, axis=2).sum(axis=1)
        for k in np.argsort(crowd, kind="stable"):
            name = str(rows["system"].iloc[k])
            name = name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "\N{HORIZONTAL ELLIPSIS}"
            text = panel.text(0, 0, name, fontsize=6.5)
            size: FloatArray = np.array(text.get_window_extent(renderer).size)
            text.remove()
            distances, middles = _around(points[k], size, unit)
            boxes = np.hstack([middles - size / 2, middles + size / 2])
            inside = (boxes[:, :2] >= low).all(axis=1) & (boxes[:, 2:] <= high).all(axis=1)
            free = np.flatnonzero(inside & ~meet(boxes, taken).any(axis=1))
            if not len(free):
                lost += 1
                continue
            nearest = free[0]
            taken = np.vstack([taken, boxes[nearest]])
            offset = ((middles[nearest] - points[k]) / unit).tolist()
            line = MARKS["line to a point"] if distances[nearest] > _DISTANCES[0] else None
            panel.annotate(name, places[k].tolist(), offset, arrowprops=line, **MARKS["name of a point"])
    return lost


def _around(point: FloatArray, size: FloatArray, unit: float) -> tuple[FloatArray, FloatArray]:
    """Return how far the middle of a name of a size may be, the nearest first, and where: (places,), (places, 2)."""
    distances, angles = np.array(list(itertools.product(_DISTANCES, np.radians(_ANGLES)))).T
    directions = np.column_stack([np.cos(angles), np.sin(angles)])
    sides = np.where(np.abs(directions) < 0.35, 0.0, np.sign(directions))
    return distances, point + unit * distances[:, np.newaxis] * directions + size / 2 * sides
