"""How a page is drawn, once it is known where everything stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from metaeval.report.figures.layout import EDGE, GAP, PAD, SAMPLE, Grid, Page, heads_above, laid_out, sample_width
from metaeval.report.figures.look import Look
from metaeval.report.figures.measure import height, inches
from metaeval.report.figures.sheet import Entry, Panel, Sheet, spread

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def pages(sheet: Sheet, look: Look) -> list[Figure]:
    """Lay out and draw a figure, on as many pages as it needs; errors as `metaeval.report.figures.layout.laid_out`."""
    return [_draw_page(page) for page in laid_out(sheet, look)]


def _draw_page(page: Page) -> Figure:
    """Draw some rows of panels with all that stands around them."""
    from metaeval.report.figures.picture import Picture

    look, grid, rows, total = page.look, page.grid, page.rows, page.total
    heading, caption, above, below = page.heading, page.caption, page.above, page.below
    foot = EDGE + (height(caption, look.tiny) + PAD if caption else 0.0)
    high = EDGE + above + sum(grid.needs(row) for row in rows) + grid.below + below + foot
    figure = Picture(figsize=(total, high))
    if heading:
        figure.suptitle(
            heading, x=EDGE / total, y=1 - EDGE / high, ha="left", va="top", fontsize=look.large, linespacing=1.15
        )
    if caption:
        place = {"x": EDGE / total, "y": EDGE / high, "ha": "left", "va": "bottom", "linespacing": 1.15}
        figure.supxlabel(caption, fontsize=look.tiny, color="#555555", **place)
    y = high - EDGE - above
    for row in rows:
        places = grid.row(row)
        y -= max(grid.tops[k] for k in places) + max(grid.heights[k] for k in places)
        for column, k in enumerate(places):
            x = EDGE + grid.label + column * (grid.left + grid.data + grid.right) + grid.left
            # Panels of one row begin at one height.
            bottom = y + max(grid.heights[m] for m in places) - grid.heights[k]
            bounds = (x / total, bottom / high, grid.data / total, grid.heights[k] / high)
            is_lowest = not grid.below or k + grid.across > grid.row(rows[-1])[-1]
            _draw_panel(figure, grid.panels[k], bounds, look, grid.data, is_lowest=is_lowest)
        y -= max(grid.bottoms[k] for k in places) + GAP
    if grid.ends:
        _write_ends(figure, page.sheet, look, grid)
    elif page.columns:
        _write_key(figure, page.columns, foot + below - GAP / 2, look)
    for axes in figure.axes:
        for label in axes.get_yticklabels():
            if label.get_text().replace("\n", "") in page.sheet.italic:
                label.set_fontstyle("italic")
    return figure


def _draw_panel(figure: Figure, panel: Panel, bounds: Any, look: Look, width: float, *, is_lowest: bool) -> None:
    axes = figure.add_axes(bounds, label=panel.name)
    x, y = panel.x, panel.y
    if x.is_log:
        axes.set_xscale("log")
    axes.set_xlim(*((x.high, x.low) if x.is_inverted else (x.low, x.high)))
    axes.set_ylim(*((y.high, y.low) if y.is_inverted else (y.low, y.high)))
    axes.set_xticks([place for place, _ in x.marks], _thinned(panel, width, look))
    axes.set_yticks([place for place, _ in y.marks], [text for _, text in y.marks], linespacing=1.1)
    axes.minorticks_off()
    if panel.heads:
        axes.tick_params(length=0, pad=2.5, top=False, bottom=False, labeltop=True, labelbottom=False)
        axes.tick_params(axis="x", labelrotation=90 if panel.turned else 0)
        axes.grid(visible=False)
        axes.spines[:].set_visible(False)
    axes.set_xlabel(x.label if is_lowest else "", labelpad=1.5)
    axes.set_ylabel(y.label, labelpad=2)
    above = heads_above(panel, look) if panel.heads else 0.0
    if panel.note.strip():
        axes.annotate(
            panel.note, (0, 1), (0, 72 * above + 2.5), "axes fraction", "offset points", fontsize=look.tiny,
            color="#444444", va="bottom", annotation_clip=False, linespacing=1.15,
        )  # fmt: skip
    if panel.title:
        pad = 72 * (above + height(panel.note, look.tiny)) + 0.4 * look.text
        # Where nothing stands above the axes, matplotlib need not measure what does.
        axes.set_title(panel.title, loc="left", y=None if panel.heads else 1.0, pad=pad, linespacing=1.15)
    panel.paint(axes)


def _thinned(panel: Panel, width: float, look: Look) -> list[str]:
    """Return what is written below an axis, without what would touch others; the ends stay before what is between."""
    marks = panel.x.marks
    if panel.heads:
        return [text for _, text in marks]
    middles = panel.x.place([place for place, _ in marks]) * width if marks else []
    kept: dict[int, tuple[float, float]] = {}
    for k in sorted(range(len(marks)), key=lambda k: (k not in (0, len(marks) - 1), marks[k][0] % 10 != 0, k)):
        half = inches(marks[k][1], look.small) / 2 + 0.03
        span = (middles[k] - half, middles[k] + half)
        if not any(span[0] < high and low < span[1] for low, high in kept.values()):
            kept[k] = span
    return [text if k in kept else "" for k, (_, text) in enumerate(marks)]


def _write_ends(figure: Figure, sheet: Sheet, look: Look, grid: Grid) -> None:
    """Write names beside the last panel, each with a sample of its line and a thread to its end."""
    from matplotlib.lines import Line2D

    axes, panel = figure.axes[-1], grid.panels[-1]
    total, high = figure.get_size_inches()
    box = axes.get_position()
    left, low, data = box.x0 * total, box.y0 * high, box.height * high
    order = sorted(sheet.key, key=lambda entry: -(entry.end[1] if entry.end else -np.inf))
    wanted = [float(panel.y.place(entry.end[1])) * data if entry.end else 0.0 for entry in order]
    sizes = [height(entry.label, look.small) for entry in order]
    middles = spread(np.array(wanted), sizes, sizes[-1] / 2, data - sizes[0] / 2)
    x = box.x1 * total + 0.16
    for entry, middle in zip(order, middles, strict=True):
        y = low + float(middle)
        if entry.end:
            ending = (
                left + float(panel.x.place(entry.end[0])) * box.width * total,
                low + float(panel.y.place(entry.end[1])) * data,
            )
            color = entry.style["color"] if entry.style else "#999999"
            xs, ys = [ending[0] + 0.04, x - 0.03], [ending[1], y]
            figure.add_artist(
                Line2D([one / total for one in xs], [one / high for one in ys], color=color, linewidth=0.5)
            )
        _write_entry(figure, entry, entry.label, (x, y), SAMPLE + 0.06, look)


def _write_key(figure: Figure, columns: Sequence[Sequence[tuple[Entry, str]]], top: float, look: Look) -> None:
    """Write a key in columns below the panels."""
    total = figure.get_figwidth() - 2 * EDGE
    sample = sample_width((entry for column in columns for entry, _ in column), look)
    for number, column in enumerate(columns):
        y = top
        for entry, text in column:
            size = height(text, look.small)
            _write_entry(figure, entry, text, (EDGE + number * total / len(columns), y - size / 2), sample, look)
            y -= size


def _write_entry(
    figure: Figure, entry: Entry, text: str, place: tuple[float, float], sample: float, look: Look
) -> None:
    from matplotlib.lines import Line2D

    total, high = figure.get_size_inches()
    x, y = place
    if entry.style:
        xs = [x / total, (x + SAMPLE / 2) / total, (x + SAMPLE) / total]
        figure.add_artist(Line2D(xs, [y / high] * 3, markevery=[1], **entry.style))
    elif entry.mark:
        right = x + sample - 0.08
        figure.text(right / total, y / high, entry.mark, ha="right", va="center", fontsize=look.small, color="#444444")
    figure.text(
        (x + sample) / total, y / high, text, va="center", fontsize=look.small, linespacing=1.1, gid=f"name of {text}"
    )
