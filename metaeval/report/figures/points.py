"""Numbers beside points, placed so that none covers another number or a point; a key says what they stand for."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from metaeval.records import FloatArray
from metaeval.report.figures.measure import LEADING, inches
from metaeval.report.figures.style import MARKS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Where a number may stand, in points from its point: near before far, and to the right before anywhere else.
_DISTANCES = (4.0, 8.0, 13.0, 19.0, 27.0, 37.0, 50.0, 66.0)
_ANGLES = (0, 90, 270, 180, 45, 315, 135, 225, 20, 340, 160, 200, 70, 110, 250, 290)
# Points from the middle of a point to its edge.
_RADIUS = 2.5


def write_numbers(axes: Axes, places: FloatArray, numbers: Sequence[str], size: float) -> int:
    """Write a number beside each point, and return how many have no room.

    Parameters
    ----------
    axes : Axes
        With its final place and limits.
    places : (points, 2) float array
    numbers : sequence of str
    size : float
        Points of the letters.
    """
    scale = 72 / axes.figure.dpi
    points = axes.transData.transform(places) * scale
    box = axes.get_window_extent()
    low, high = np.array([box.x0, box.y0]) * scale, np.array([box.x1, box.y1]) * scale
    taken = np.hstack([points - _RADIUS, points + _RADIUS])
    lost = 0
    # Crowded points choose first.
    crowd = np.linalg.norm(points[:, np.newaxis] - points, axis=2).sum(axis=1)
    for k in np.argsort(crowd, kind="stable"):
        extent = np.array([72 * inches(numbers[k], size) + 1.0, size * LEADING])
        distances, middles = _around(points[k], extent)
        boxes = np.hstack([middles - extent / 2, middles + extent / 2])
        inside = (boxes[:, :2] >= low).all(axis=1) & (boxes[:, 2:] <= high).all(axis=1)
        free = np.flatnonzero(inside & ~meet(boxes, taken).any(axis=1))
        if not len(free):
            lost += 1
            continue
        nearest = free[0]
        taken = np.vstack([taken, boxes[nearest]])
        offset = (middles[nearest] - points[k]).tolist()
        line = MARKS["line to a point"] if distances[nearest] > _DISTANCES[1] else None
        look: dict[str, Any] = {**MARKS["name of a point"], "fontsize": size}
        axes.annotate(numbers[k], places[k].tolist(), offset, arrowprops=line, **look)
    return lost


def _around(point: FloatArray, extent: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return how far the middle of a text of a size may be, the nearest first, and where: (places,), (places, 2)."""
    distances, angles = np.array(list(itertools.product(_DISTANCES, np.radians(_ANGLES)))).T
    directions = np.column_stack([np.cos(angles), np.sin(angles)])
    sides = np.where(np.abs(directions) < 0.35, 0.0, np.sign(directions))
    return distances, point + distances[:, np.newaxis] * directions + extent / 2 * sides


def meet(first: FloatArray, second: FloatArray) -> np.ndarray[Any, Any]:
    """Return which boxes (n, 4) of the first have a part of which of the second (m, 4): (n, m)."""
    one, other = first[:, None], second[None]
    return np.asarray(((one[..., :2] < other[..., 2:]) & (other[..., :2] < one[..., 2:])).all(axis=2))
