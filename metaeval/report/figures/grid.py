"""The bitext grid of a segment as a picture."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from metaeval.report.figures.settings import Look
from metaeval.report.figures.style import MARKS
from metaeval.report.grid import Block, Grid, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_CELL_INCHES = 0.21
_MAX_WORD_LETTERS = 18
_LINE_INCHES = 0.16

GRID_LOOK = Look()


def draw_grid(grid: Grid) -> Figure:
    """Draw a bitext grid.

    Small grey dots are hits; outlined blocks are the runs of the matching, whose hits are large and black; those that
    the cap deletes are hollow, and one that counts a fraction is half filled.
    """
    from matplotlib.figure import Figure

    rows = len(grid.candidate)
    columns = grid.starts[-1] + len(grid.references[-1])
    down, across = (
        shortened(words, _MAX_WORD_LETTERS) for words in (grid.candidate, [w for r in grid.references for w in r])
    )
    left = 0.085 * max(map(len, down), default=1) + 0.15
    top = 0.085 * max(map(len, across), default=1) + 0.15
    width = max(left + _CELL_INCHES * max(columns, 1) + 0.12, 3.3)
    lines = textwrap.wrap(_caption(grid), int(width * 15))
    bottom = _LINE_INCHES * (len(lines) + 1.6)
    height = top + _CELL_INCHES * max(rows, 1) + bottom
    with GRID_LOOK.settings():
        figure = Figure(figsize=(width, height))
        bounds = (
            left / width,
            bottom / height,
            _CELL_INCHES * max(columns, 1) / width,
            _CELL_INCHES * max(rows, 1) / height,
        )
        panel = figure.add_axes(bounds)
        panel.set_axis_off()
        panel.set_xlim(-0.5, max(columns, 1) - 0.5)
        panel.set_ylim(max(rows, 1) - 0.5, -0.5)
        _draw_frames(panel, grid)
        for row, word in enumerate(down):
            panel.text(-0.8, row, word, ha="right", va="center", fontsize=8)
        names = iter(across)
        for number, (start, words) in enumerate(zip(grid.starts, grid.references, strict=True), start=1):
            for column in range(start, start + len(words)):
                panel.text(column, -0.8, next(names), ha="center", va="bottom", rotation=90, fontsize=8)
            if len(grid.references) > 1 and words:
                middle = start + (len(words) - 1) / 2
                label = f"{'reference' if len(words) > 4 else 'ref'} {number}" if len(words) > 2 else str(number)
                panel.text(middle, rows - 0.3, label, ha="center", va="top", fontsize=8, color="#555555")
        _draw_hits(panel, grid)
        figure.text(0.06 / width, 0.05 / height, "\n".join(lines), fontsize=7.5, color="#333333", va="bottom")
    return figure


def _draw_frames(panel: Axes, grid: Grid) -> None:
    from matplotlib.patches import Rectangle

    rows = len(grid.candidate)
    for start, words in zip(grid.starts, grid.references, strict=True):
        corner = (start - 0.5, -0.5)
        panel.hlines([row - 0.5 for row in range(1, rows)], corner[0], corner[0] + len(words), "#E4E4E4", linewidth=0.5)
        panel.vlines([corner[0] + k for k in range(1, len(words))], -0.5, rows - 0.5, "#E4E4E4", linewidth=0.5)
        panel.add_patch(Rectangle(corner, len(words), rows, **MARKS["frame of a reference"]))


def _draw_hits(panel: Axes, grid: Grid) -> None:
    chosen = {(block.row + k, block.column + k) for block in grid.blocks for k in range(block.length)}
    others = [hit for hit in grid.hits if hit not in chosen]
    panel.plot([column for _, column in others], [row for row, _ in others], **MARKS["hit"])
    for block in grid.blocks:
        _draw_block(panel, block)


def _draw_block(panel: Axes, block: Block) -> None:
    from matplotlib.patches import Rectangle

    whole = int(block.kept)
    part = block.kept > whole
    side = whole + part
    if side:
        corner = (block.column - 0.45, block.row - 0.45)
        size = side - 0.1
        panel.add_patch(Rectangle(corner, size, size, facecolor="#E9E9E9", edgecolor="black", linewidth=1.1, zorder=2))
    for step in range(block.length):
        if step < whole:
            fill = "full"
        elif step < side:
            fill = "left"
        else:
            fill = "none"
        panel.plot(block.column + step, block.row + step, fillstyle=fill, **MARKS["hit of a run"])


def _caption(grid: Grid) -> str:
    lengths = [len(words) for words in grid.references]
    runs = ", ".join(f"{block.kept:g}" for block in grid.blocks if block.kept)
    deleted = f" Hollow: {grid.n_deleted:g} hits deleted by the cap of {grid.cap:g}." if grid.n_deleted else ""
    return (
        f"{grid.metric}: runs of {runs or 'no'} hits, size {grid.size:.3f}; candidate {len(grid.candidate)} tokens, "
        f"{'mean ' if len(lengths) > 1 else ''}reference {sum(lengths) / len(lengths):.4g}; precision "
        f"{grid.precision:.3f}, recall {grid.recall:.3f}, F {grid.f:.3f}.{deleted}"
    )
