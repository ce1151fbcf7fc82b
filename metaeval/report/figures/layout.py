"""Where everything of a figure stands, in inches.

All sizes are known before anything is drawn, so nothing is cut off or covered at any width. What is too high for one
page goes on on the next.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from metaeval.report.figures.look import Look
from metaeval.report.figures.measure import LEADING, broken, height, inches, widest, wrapped
from metaeval.report.figures.sheet import Entry, NoRoom, Panel, Sheet

# Inches: around a page, between panels, between an axis and its numbers, and the least that shows data.
EDGE, GAP, PAD, _LEAST = 0.06, 0.14, 0.06, 0.7
# The highest data of a panel whose height follows from its width.
_HIGHEST = 4.0
# How much of its height a panel keeps where that saves a page.
_LOWER = 0.6
# Inches: the sample of a line in a key, and the room between the entries of a key.
SAMPLE, _BETWEEN = 0.32, 0.16
# Which share of a page's width names beside the lines may take.
_ENDS = 0.34


@dataclass(frozen=True)
class Grid:
    """Inches of a grid of panels: what stands around the data of each, and the data."""

    across: int
    label: float
    left: float
    right: float
    ends: float
    data: float
    tops: list[float]
    bottoms: list[float]
    heights: list[float]
    panels: list[Panel]
    below: float

    def row(self, number: int) -> range:
        """Return which panels stand in a row."""
        return range(number * self.across, min((number + 1) * self.across, len(self.panels)))

    def needs(self, number: int) -> float:
        """Return how high a row is."""
        places = self.row(number)
        return sum(max(values[k] for k in places) for values in (self.tops, self.heights, self.bottoms)) + GAP


@dataclass(frozen=True)
class Page:
    """A page: which rows of panels it has, how wide it is, its words, and the room above and below the panels."""

    sheet: Sheet
    look: Look
    grid: Grid
    rows: Sequence[int]
    total: float
    heading: str
    caption: str
    above: float
    below: float
    columns: Sequence[Sequence[tuple[Entry, str]]]


def laid_out(sheet: Sheet, look: Look) -> list[Page]:
    """Return where everything of a figure stands, on as many pages as it needs.

    Raises
    ------
    NoRoom
        If a row of panels is higher than the height that was asked for, or wider than the width.
    """
    ends = _ends_beside(sheet, look)
    grid = _grid(sheet, look, ends)
    total = look.inches or max(_total(grid), 2.8)
    heading = wrapped(sheet.heading, total - 2 * EDGE, look.large) if look.title else ""
    caption = wrapped(sheet.caption, total - 2 * EDGE, look.tiny) if look.caption else ""
    columns, below = ([], 0.0) if ends else _key_columns(sheet.key, total, look)
    above = height(heading, look.large) + (GAP / 2 if heading else 0)
    fixed = above + height(caption, look.tiny) + (PAD if caption else 0) + below + 2 * EDGE + grid.below
    rows = range(-(-len(grid.panels) // grid.across))
    room = look.tallest - fixed
    if not grid.panels[0].y.inches:
        # Heights are free: one row has all of a height that was asked for, and a little lower more may be on one page.
        taller = (room - sum(map(grid.needs, rows))) / len(rows)
        least = [_LEAST if look.height and len(rows) == 1 else max(_LEAST, _LOWER * one) for one in grid.heights]
        if (taller < 0 or (look.height and len(rows) == 1)) and (
            len(rows) == 1 or all(one + taller >= low for one, low in zip(grid.heights, least, strict=True))
        ):
            grid = replace(grid, heights=[max(one + taller, low) for one, low in zip(grid.heights, least, strict=True)])
    for row in rows:
        if look.height and grid.needs(row) > room + 1e-6:
            raise NoRoom(f"height = {look.height:g} leaves no room; give at least {fixed + grid.needs(row):.1f}.")
    return [
        Page(sheet, look, grid, some, total, heading, caption, above, below, columns)
        for some in _packed([grid.needs(row) for row in rows], room)
    ]


def _packed(heights: Sequence[float], room: float) -> list[list[int]]:
    """Return which rows stand on which page, about as many on each."""
    found: list[list[int]] = [[]]
    n_pages = max(1, int(np.ceil(sum(heights) / room)))
    share, used = sum(heights) / n_pages, 0.0
    for row, one in enumerate(heights):
        if found[-1] and (used + one > room + 1e-6 or used + one / 2 > share):
            found.append([])
            used = 0.0
        found[-1].append(row)
        used += one
    return found


def _ends_beside(sheet: Sheet, look: Look) -> float:
    """Return the inches that names beside the last panel take; 0 where they stand below."""
    if not sheet.key or not any(entry.end for entry in sheet.key):
        return 0.0
    needed = GAP + SAMPLE + 0.12 + widest((entry.label for entry in sheet.key), look.small)
    total = look.inches
    if total is None:
        fits, across = needed <= 2.4, sheet.most
    else:
        fits = needed <= _ENDS * total
        across = int((total - needed) / (sheet.least + 0.45))
    lines = sum(height(entry.label, look.small) for entry in sheet.key)
    data = sheet.wide if total is None else (total - needed) / len(sheet.panels) - 0.5
    return needed if fits and across >= len(sheet.panels) and lines <= max(data * sheet.ratio, _LEAST) else 0.0


def _total(grid: Grid) -> float:
    return 2 * EDGE + grid.label + grid.across * (grid.left + grid.data + grid.right) + grid.ends


def _grid(sheet: Sheet, look: Look, ends: float) -> Grid:
    """Return how wide and high the parts of all panels are."""
    panels = list(sheet.panels)
    left = max(widest((text for _, text in panel.y.marks), look.small) for panel in panels) + PAD
    right = GAP + max(
        (inches(panel.x.marks[-1][1], look.small) / 2 for panel in panels if panel.x.marks and not panel.heads),
        default=0,
    )
    own = max(panel.x.inches for panel in panels)
    # What all panels of a row share is said once.
    is_shared, beside = len({panel.y.label for panel in panels}) == 1, left
    least = own or sheet.least
    lines = 1
    for _ in range(10):
        label = lines * look.text * LEADING / 72 + 0.04 if any(panel.y.label for panel in panels) else 0.0
        left, label = (beside, label) if is_shared else (beside + label, 0.0)
        around = 2 * EDGE + label + ends
        if look.inches is None:
            across, data = min(len(panels), sheet.most), own or sheet.wide
        else:
            across = int((look.inches - around) / (left + least + right))
            if across < 1 and look.inches - around - left - right < min(least, _LEAST) - 1e-6:
                raise NoRoom(f"width = {look.inches:g} leaves no room for data; choose a wider one, or shorten names.")
            across = max(1, min(across, len(panels)))
            across = -(-len(panels) // -(-len(panels) // across))  # as few empty places as can be
            data = own or (look.inches - around) / across - left - right
        heights = [panel.y.inches or min(max(data * sheet.ratio, _LEAST), _HIGHEST) for panel in panels]
        labels = [broken(panel.y.label, one, look.text) for panel, one in zip(panels, heights, strict=True)]
        needed = max((label.count("\n") + 1 for label in labels), default=1)
        if needed <= lines:
            break
        lines = needed
    room = data + right - 0.04 if across > 1 or look.inches is None else data + right
    made = [
        replace(
            panel,
            title=broken(panel.title, room, look.text),
            note=broken(panel.note, room, look.tiny),
            x=replace(panel.x, label=wrapped(panel.x.label, data + left / 2, look.text)),
            y=replace(panel.y, label=label if place % across == 0 or not is_shared else ""),
        )
        for place, (panel, label) in enumerate(zip(panels, labels, strict=True))
    ]
    heads = [heads_above(panel, look) for panel in made]
    tops = [
        height(panel.title, look.text) + height(panel.note, look.tiny) + PAD + (one if panel.heads else 0)
        for panel, one in zip(made, heads, strict=True)
    ]
    # What stands below all panels stands below the lowest of a column alone.
    is_shared = len({panel.x.label for panel in made}) == 1
    below = height(made[0].x.label, look.text) if is_shared else 0.0
    bottoms = [
        (0.0 if is_shared else height(panel.x.label, look.text)) + (0.0 if panel.heads else one)
        for panel, one in zip(made, heads, strict=True)
    ]
    return Grid(across, label, left, right, ends, data, tops, bottoms, heights, made, below)


def heads_above(panel: Panel, look: Look) -> float:
    """Return how high what is written at the x axis of a panel is."""
    texts = [text for _, text in panel.x.marks]
    high = widest(texts, look.small) if panel.turned else max((height(text, look.small) for text in texts), default=0)
    return high + 1.6 * PAD if texts else 0.0


def _key_columns(key: Sequence[Entry], total: float, look: Look) -> tuple[list[list[tuple[Entry, str]]], float]:
    """Return the columns of a key with the lines of each name, and how high it is."""
    if not key:
        return [], 0.0
    sample = sample_width(key, look)
    room = total - 2 * EDGE
    width = min(sample + widest((entry.label for entry in key), look.small) + _BETWEEN, room)
    n_columns = max(1, min(len(key), int(room / width)))
    names = [(entry, broken(entry.label, room / n_columns - sample - 0.04, look.small)) for entry in key]
    down = -(-len(names) // n_columns)
    columns = [names[k : k + down] for k in range(0, len(names), down)]
    high = max(sum(height(text, look.small) for _, text in column) for column in columns)
    return columns, high + GAP


def sample_width(key: Iterable[Entry], look: Look) -> float:
    """Return how wide what stands before a name is."""
    return max(SAMPLE if entry.style else inches(entry.mark, look.small) for entry in key) + 0.1
