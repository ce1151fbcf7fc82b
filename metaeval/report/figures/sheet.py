"""What a figure consists of: panels with their axes, a key, heading and caption."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from metaeval.errors import UsageError
from metaeval.report.figures.style import LineStyle

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Which share of a page's width names beside panels may take.
NAMES = 0.4


class NoRoom(UsageError):
    """Raised when a figure has no room for what it shows, before any of it is written."""


@dataclass(frozen=True)
class Axis:
    """One axis of a panel.

    Attributes
    ----------
    low, high : float
        Its ends.
    ticks : sequence of (float, str)
        Where something is written at it, and what; None for round numbers.
    label : str
    inches : float
        How long it is; 0 as there is room.
    is_log, is_inverted : bool
    """

    low: float
    high: float
    ticks: Sequence[tuple[float, str]] | None = None
    label: str = ""
    inches: float = 0.0
    is_log: bool = False
    is_inverted: bool = False

    @property
    def marks(self) -> Sequence[tuple[float, str]]:
        """What is written at it."""
        return round_numbers(self.low, self.high) if self.ticks is None else self.ticks

    def place(self, values: Any) -> Any:
        """Return where values stand, from 0 at the left or bottom to 1."""
        low, high, values = (np.log(one) if self.is_log else np.asarray(one) for one in (self.low, self.high, values))
        share = (values - low) / (high - low)
        return 1 - share if self.is_inverted else share


@dataclass(frozen=True)
class Panel:
    """A panel: its axes, and what paints its data.

    Attributes
    ----------
    name : str
        Of its Axes.
    x, y : Axis
    paint : callable
        Is called with the Axes, whose limits are set.
    title, note : str
        Above it, large and small.
    heads : bool
        Whether it is a table: what is written at its x axis stands above it, and it has no lines around.
    turned : bool
        Whether that is turned.
    """

    name: str
    x: Axis
    y: Axis
    paint: Callable[[Axes], None]
    title: str = ""
    note: str = ""
    heads: bool = False
    turned: bool = False


@dataclass(frozen=True)
class Entry:
    """An entry of a key: a sample of a line or a number, its name, and where its line ends in the last panel."""

    label: str
    style: LineStyle | None = None
    mark: str = ""
    end: tuple[float, float] | None = None


@dataclass(frozen=True)
class Sheet:
    """All that a figure shows.

    Attributes
    ----------
    heading, caption : str
    panels : sequence of Panel
        Row by row.
    key : sequence of Entry
        Beside the last panel where there is one row of panels and room, at the heights of their ends; else below.
    wide : float
        The inches that the data of a panel like to have.
    least : float
        The inches below which fewer panels stand beside one another.
    ratio : float
        How high the data of a panel are for their width, unless their y axis has a length.
    most : int
        Panels in a row at most, where the width is free.
    """

    heading: str
    caption: str
    panels: Sequence[Panel]
    key: Sequence[Entry] = ()
    wide: float = 2.6
    least: float = 1.0
    ratio: float = 0.9
    most: int = 3
    italic: Collection[str] = field(default=())


def round_numbers(low: float, high: float, most: int = 5) -> list[tuple[float, str]]:
    """Return round numbers between two, at most so many, with how they are written."""
    span = high - low
    if not np.isfinite(span) or span <= 0:
        return [(low, f"{low:.3g}")]
    for power, step in itertools.product(range(int(np.floor(np.log10(span))) - 1, 12), (1.0, 2.0, 2.5, 5.0)):
        size = step * 10.0**power
        first, last = np.ceil(low / size - 1e-9), np.floor(high / size + 1e-9)
        if last - first < most:
            digits = max(0, -power + (step == 2.5))
            numbers = [size * k for k in range(int(first), int(last) + 1)]
            return [(one, f"{one:.{digits}f}".replace("-", "\N{MINUS SIGN}")) for one in numbers]
    return [(low, f"{low:.3g}")]


def spread(heights: np.ndarray[Any, Any], sizes: Sequence[float], low: float, high: float) -> np.ndarray[Any, Any]:
    """Move labels apart so that none covers another, as little as needed.

    Parameters
    ----------
    heights : (labels,) float array
        Where they would like to be, descending.
    sizes : sequence of float
        How high each is.
    low, high : float
        Limits for their middles; labels that have no room leave the lower one.
    """
    from scipy.optimize import isotonic_regression

    if not len(heights):
        return heights
    gaps = [(one + other) / 2 for one, other in itertools.pairwise(sizes)]
    below = np.concatenate([[0.0], np.cumsum(gaps)])
    # Labels that touch move together, to the mean of where they would like to be.
    places = isotonic_regression(heights + below, increasing=False).x - below
    return np.asarray(np.minimum(np.maximum(places, low + below[-1] - below), high - below))
