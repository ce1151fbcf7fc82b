"""Names beside points, placed so that none covers another name or a point."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from metaeval.report.figures.placing import draw
from metaeval.report.figures.style import MARKS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LONGEST = 22
# Where a name may stand, in points from its point: near before far, and to the right before anywhere else.
_DISTANCES = (5.0, 9.0, 14.0, 20.0, 28.0, 38.0)
_ANGLES = (0, 90, 270, 180, 45, 315, 135, 225, 20, 340, 160, 200, 70, 110, 250, 290)

Box = tuple[float, float, float, float]


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
    lost = 0
    for panel, rows in panels:
        points = panel.transData.transform(np.column_stack([rows["score"], rows["human"]]).astype(float).reshape(-1, 2))
        frame = panel.get_window_extent(renderer)
        unit = figure.dpi / 72
        dots: list[Box] = [(x - 3 * unit, y - 3 * unit, x + 3 * unit, y + 3 * unit) for x, y in points.tolist()]
        taken: list[Box] = []
        # Crowded points choose first.
        crowd = [sum(math.dist(one, other) for other in points.tolist()) for one in points.tolist()]
        for k in sorted(range(len(points)), key=lambda k: crowd[k]):
            name = str(rows["system"].iloc[k])
            name = name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "\N{HORIZONTAL ELLIPSIS}"
            text = panel.text(0, 0, name, fontsize=6.5)
            extent = text.get_window_extent(renderer)
            text.remove()
            found = _room(points[k].tolist(), (extent.width, extent.height), unit, list(frame.extents), dots, taken)
            if found is None:
                lost += 1
                continue
            distance, box = found
            taken.append(box)
            middle = ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)
            offset = ((middle[0] - points[k][0]) / unit, (middle[1] - points[k][1]) / unit)
            line = MARKS["line to a point"] if distance > _DISTANCES[0] else None
            place = (float(rows["score"].iloc[k]), float(rows["human"].iloc[k]))
            panel.annotate(name, place, offset, arrowprops=line, **MARKS["name of a point"])
    return lost


def _room(
    point: Sequence[float],
    size: tuple[float, float],
    unit: float,
    frame: Sequence[float],
    dots: Sequence[Box],
    taken: Sequence[Box],
) -> tuple[float, Box] | None:
    """Return the nearest free box for a name of a size, with its distance; None if there is none."""
    for distance, angle in itertools.product(_DISTANCES, _ANGLES):
        across, up = math.cos(math.radians(angle)), math.sin(math.radians(angle))
        x = point[0] + distance * unit * across + size[0] / 2 * _side(across)
        y = point[1] + distance * unit * up + size[1] / 2 * _side(up)
        box = (x - size[0] / 2, y - size[1] / 2, x + size[0] / 2, y + size[1] / 2)
        inside = frame[0] <= box[0] and frame[1] <= box[1] and box[2] <= frame[2] and box[3] <= frame[3]
        if inside and not any(_overlap(box, other) for other in itertools.chain(dots, taken)):
            return distance, box
    return None


def _side(part: float) -> float:
    return 0.0 if abs(part) < 0.35 else math.copysign(1.0, part)


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
