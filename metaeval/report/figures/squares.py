"""Squares whose rows and columns are the same names: what figures of pairs share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def square_figure(labels: Sequence[str], size: tuple[float, float]) -> tuple[Figure, Axes]:
    """Return a figure with a square of cells, without any yet, and names at its left and above it.

    Parameters
    ----------
    labels : sequence of str
        The names, in lines.
    size : (float, float)
        Width and height of the figure, in inches.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    panel = figure.subplots()
    panel.set_xlim(-0.5, len(labels) - 0.5)
    panel.set_ylim(len(labels) - 0.5, -0.5)
    panel.set_aspect("equal")
    panel.set_yticks(range(len(labels)), labels)
    panel.set_xticks(range(len(labels)), labels, rotation=90)
    panel.tick_params(length=0, top=False, bottom=False, labeltop=True, labelbottom=False)
    panel.grid(visible=False)
    panel.spines[:].set_visible(False)
    return figure, panel


def fill_cell(panel: Axes, x: int, y: int, colour: str, *, edge: str = "white", linewidth: float = 0.6) -> None:
    """Fill a cell of a square."""
    from matplotlib.patches import Rectangle

    corner = (x - 0.5, y - 0.5)
    panel.add_patch(Rectangle(corner, 1, 1, facecolor=colour, edgecolor=edge, linewidth=linewidth, clip_on=False))
