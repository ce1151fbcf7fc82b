"""How figures are laid out: their widths, panels, captions and labels, and how they are written.

A figure is as wide as it needs to be, or as a column or a page of a journal, so that it needs no scaling there.
"""

from __future__ import annotations

import itertools
import pickle
import re
import textwrap
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from metaeval.report.figures.placing import draw
from metaeval.report.figures.style import MARKS, figure_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Inches: the column of a two-column page, and its text.
WIDTHS = {"column": 3.3, "page": 6.9}
FORMATS = ("svg", "pdf", "png")
# Letters of one point of size in an inch of a line, on average.
_LETTERS_PER_INCH = 72 / 0.57
# Where a line of a name may end, the best first: before a parameter, behind a sign that opens nothing, anywhere.
_ENDS = (r",(?=\w+=)", r"""(?:[^\w"'(\[]|_)(?![\d,)\]])""", ".")
# Points: the names of lines beside a panel.
_LABEL = 8
# Inches: the samples of lines in a legend, and the room around them.
_HANDLES = 0.7
# Points that the numbers below an axis must be apart.
_APART = 1.5

_METADATA: dict[str, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": "metaeval"},
    "pdf": {"CreationDate": None, "Creator": "metaeval"},
    "png": {"Software": "metaeval"},
}


@dataclass(frozen=True)
class Sheet:
    """A figure with panels beside and below one another.

    Attributes
    ----------
    figure : Figure
    panels : list of Axes
        Row by row.
    across, down : int
        How many stand beside one another, and below one another.
    """

    figure: Figure
    panels: list[Axes]
    across: int
    down: int

    @property
    def first(self) -> list[Axes]:
        """The first panel of each row."""
        return self.panels[:: self.across]

    @property
    def bottom(self) -> list[Axes]:
        """The panels that have none below them."""
        return self.panels[-self.across :]

    def set_titles(self, titles: Sequence[str], size: float, *, beside: float, below: int = 0) -> None:
        """Write a title above each panel, in lines that fit it.

        Parameters
        ----------
        titles : sequence of str
        size : float
            Points.
        beside : float
            Inches that stand beside all panels of a row.
        below : int
            Lines of smaller words that need room below a title.
        """
        width = (self.figure.get_figwidth() - beside) / self.across - 0.2
        broken = [broken_name(title, width, size) for title in titles]
        for panel, title in zip(self.panels, broken, strict=True):
            panel.set_title(title, fontsize=size, pad=5 + 9.5 * below)
        lines = max(new.count("\n") - old.count("\n") for new, old in zip(broken, titles, strict=True))
        more = lines * 1.2 * size + 9.5 * max(0, below - 1)
        self.figure.set_figheight(self.figure.get_figheight() + self.down * more / 72)

    def label_ends(self, ends: Mapping[str, float], handles: Mapping[str, Any], *, can_grow: bool) -> None:
        """Name lines at their right ends in the last panel; where that has no room for the names, in a legend.

        All is drawn, and all other words are written.

        Parameters
        ----------
        ends : mapping of str to float
            The height of the end of each line in the last panel, by its name; ``nan`` if it has none.
        handles : mapping of str to Artist
            The lines, by their names; other panels have the same.
        can_grow : bool
            Whether the figure may become wider, so that a wide legend takes nothing from the panels.
        """
        figure = self.figure
        order = sorted(ends, key=lambda name: -np.inf if np.isnan(ends[name]) else ends[name], reverse=True)
        # Names take their width from the panels, and so does a legend beside them: there, long names are broken.
        total = figure.get_figwidth()
        is_narrow = total < 5
        names = order if is_narrow or _widest(order) <= 0.25 * total else broken_names(order, 0.22 * total)[0]
        most = 0.3 * total
        fit = sum(map(_height, names)) <= self._room and _widest(names) <= most
        if fit and len(self.panels) == self.down * self.across:
            own = [(handles[name], ends[name]) for name in order]
            self._annotate(names, [(float(line.get_xdata()[-1]), y, str(line.get_color())) for line, y in own])
            return
        lines = [handles[name] for name in order]
        if not is_narrow:
            names = broken_names(order, 0.37 * total)[0]
            if can_grow:
                figure.set_figwidth(total + max(0.0, _widest(names) + _HANDLES - most))
            figure.set_figheight(max(figure.get_figheight(), (sum(map(_height, names)) + 7 * len(names)) / 72 + 0.9))
            figure.legend(lines, names, loc="outside right center", handlelength=3.2, labelspacing=0.8, fontsize=_LABEL)
            return
        # Too narrow for that: above the first panel and its title.
        names = broken_names(order, total - _HANDLES - 0.45)[0]
        more = 0.19 * len(names) + 0.13 * sum(name.count("\n") for name in names)
        figure.set_figheight(figure.get_figheight() + more)
        self.panels[0].legend(lines, names, fontsize=_LABEL, **MARKS["legend above"])

    def label_ends_at(self, x: float, ends: Mapping[str, float]) -> None:
        """Name heights at the right of the last panel, none covering another.

        Parameters
        ----------
        x : float
            Where the heights end.
        ends : mapping of str to float
            Heights, descending, by their names.
        """
        self._annotate(list(ends), [(x, height, "#444444") for height in ends.values()])

    @property
    def _room(self) -> float:
        """The points that names beside a panel have from top to bottom."""
        return (self.figure.get_figheight() / self.down - 0.9) * 72

    def _annotate(self, names: Sequence[str], ends: Sequence[tuple[float, float, str]]) -> None:
        """Write names beside the last panel, each with a line to its end: x, y and colour."""
        panel = self.panels[-1]
        low, high = panel.get_ylim()
        points = self._room / (high - low)
        heights = np.array([(y if np.isfinite(y) else low) * points for _, y, _ in ends])
        places = spread(heights, [_height(name) for name in names], low * points, high * points) / points
        for name, middle, (x, y, color) in zip(names, places, ends, strict=True):
            line = {**MARKS["line to an end"], "color": color} if np.isfinite(y) else None
            end, place = (x, y if np.isfinite(y) else middle), (1.05, (middle - low) / (high - low))
            look = {"fontsize": _LABEL, "color": _darker(color), **MARKS["name of an end"]}
            panel.annotate(name, end, place, arrowprops=line, **look)

    def thin_out(self, panels: Sequence[Axes]) -> None:
        """Leave out those numbers below an axis that would touch others; the ends stay before what is between them.

        The figure is complete: where there is room is known only when it is laid out.

        Parameters
        ----------
        panels : sequence of Axes
            Whose ticks have been set, with their texts.
        """
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        # Measured on a copy: each drawing moves the panels a little, and those that fit shall stay where they are.
        copy = pickle.loads(pickle.dumps(self.figure))
        renderer = FigureCanvasAgg(copy).get_renderer()  # type: ignore[no-untyped-call]
        with warnings.catch_warnings():
            # Such as of letters that a font lacks: it comes when the figure itself is drawn.
            warnings.simplefilter("ignore")
            draw(copy)
        gap = _APART * self.figure.dpi / 72
        taken: list[Any] = []  # also by panels before, whose last number stands near the first of the next
        for panel in panels:
            labels = panel.get_xticklabels()
            measured = copy.axes[self.figure.axes.index(panel)].get_xticklabels()
            boxes = [label.get_window_extent(renderer) for label in measured]
            kept: list[int] = []
            for place in sorted(range(len(labels)), key=lambda place: (place not in (0, len(labels) - 1), place)):
                box = boxes[place].padded(gap, 0)
                if not any(box.overlaps(other) for other in taken):
                    kept.append(place)
                    taken.append(boxes[place])
            if len(kept) < len(labels):
                texts = [label.get_text() if place in kept else "" for place, label in enumerate(labels)]
                panel.set_xticks(panel.get_xticks(), texts)


def panels_of(
    n_panels: int,
    width: str | None,
    *,
    panel: tuple[float, float],
    extra: tuple[float, float],
    narrowest: float = 2.0,
    most: int = 4,
    **shared: Any,
) -> Sheet:
    """Return a figure with panels beside one another, as far as its width goes, and below one another.

    Parameters
    ----------
    n_panels : int
    width : str or None
        One of `WIDTHS`; None for as wide as the panels like to be.
    panel : (float, float)
        The width and height that a panel likes to have, in inches.
    extra : (float, float)
        Width and height of what stands around them all.
    narrowest : float
        The width below which panels are set below one another.
    most : int
        Panels in a row at most, where the width is free.
    **shared
        For `matplotlib.figure.Figure.subplots`: ``sharex``, ``sharey``.
    """
    from matplotlib.figure import Figure

    if width is None:
        across = min(n_panels, most)
        total = panel[0] * across + extra[0]
    else:
        total = WIDTHS[width]
        across = max(1, min(n_panels, int((total - extra[0]) / narrowest)))
    down = -(-n_panels // across)
    across = -(-n_panels // down)  # as few empty places as can be
    figure = Figure(figsize=(total, panel[1] * down + extra[1]), layout="constrained")
    axes = figure.subplots(down, across, squeeze=False, **shared).ravel().tolist()
    for spare in axes[n_panels:]:
        spare.set_axis_off()
    return Sheet(figure, axes[:n_panels], across, down)


def wrapped(figure: Figure, text: str, size: float) -> str:
    """Return a text in lines that fit the width of a figure."""
    letters = int((figure.get_figwidth() - 0.2) * _LETTERS_PER_INCH / size)
    return "\n".join("\n".join(textwrap.wrap(line, letters, break_on_hyphens=False)) for line in text.split("\n"))


def inches(text: str, size: float) -> float:
    """Return how wide the widest line of a text is in points of a size."""
    from matplotlib.backends.backend_agg import RendererAgg
    from matplotlib.font_manager import FontProperties

    measure: Any = RendererAgg(1, 1, 720).get_text_width_height_descent  # type: ignore[no-untyped-call]
    font = FontProperties(size=size)
    with warnings.catch_warnings():
        # Such as of letters that a font lacks: it comes when the figure itself is drawn.
        warnings.simplefilter("ignore")
        return max(float(measure(line, font, False)[0]) for line in text.split("\n")) / 720


def broken_name(name: str, width: float, size: float) -> str:
    """Return a name in lines that fit a width in inches.

    It is broken before a parameter if it can be, or else behind a sign, or else anywhere.
    """
    if "\n" in name:
        return "\n".join(broken_name(line, width, size) for line in name.split("\n"))
    letters = len(name)
    while letters > 1 and inches(name, size) > width:
        letters -= 1
        line = f".{{1,{letters - 1}}}"
        ways = "|".join(line + end for end in (".$", *_ENDS))
        name = "\n".join(re.findall(f"{ways}|.", name.replace("\n", "")))
    return name


def broken_names(names: Sequence[str], width: float, size: float = _LABEL) -> tuple[list[str], np.ndarray[Any, Any]]:
    """Return names of rows in lines that fit a width in inches, and how high each row is: 1 for one line."""
    broken = [broken_name(name, width, size) for name in names]
    return broken, np.array([1 + 0.5 * name.count("\n") for name in broken])


def add_words(figure: Figure, heading: str, caption: str) -> None:
    """Write a heading above and a caption below the panels, and make room for what does not fit in one line."""
    heading, caption = wrapped(figure, heading, 10), wrapped(figure, caption, 7.5)
    figure.suptitle(heading, x=0.01, ha="left", fontsize=10)
    write_caption(figure, caption)
    more = 0.17 * heading.count("\n") + 0.13 * caption.count("\n")
    figure.set_figheight(figure.get_figheight() + more)


def write_caption(figure: Figure, caption: str) -> None:
    """Write a caption in place of the one that there is."""
    figure.supxlabel(caption, x=0.01, ha="left", fontsize=7.5, color="#555555")


def _widest(names: Sequence[str]) -> float:
    """Return the inches that the longest line of some names takes beside a panel."""
    return max((inches(name, _LABEL) for name in names), default=0.0)


def _height(name: str) -> float:
    """Return the points that a name takes beside a panel."""
    return 10.0 * (1 + name.count("\n"))


def _darker(colour: str) -> tuple[float, ...]:
    """Return a colour dark enough to be read as text on white."""
    from matplotlib.colors import to_rgb

    rgb = np.array(to_rgb(colour))
    lightness = float(rgb @ [0.2126, 0.7152, 0.0722])
    return tuple((rgb * min(1.0, 0.38 / max(lightness, 1e-9))).tolist())


def spread(heights: np.ndarray[Any, Any], sizes: Sequence[float], low: float, high: float) -> np.ndarray[Any, Any]:
    """Move labels apart so that none covers another, as little as needed.

    Parameters
    ----------
    heights : (labels,) float array
        Where they would like to be, descending.
    sizes : sequence of float
        How high each is.
    low, high : float
        ConfidenceInterval for their middles; labels that have no room leave the lower one.
    """
    from scipy.optimize import isotonic_regression

    if not len(heights):
        return heights
    gaps = [(one + other) / 2 for one, other in itertools.pairwise(sizes)]
    below = np.concatenate([[0.0], np.cumsum(gaps)])
    # Labels that touch move together, to the mean of where they would like to be.
    places = isotonic_regression(heights + below, increasing=False).x - below
    return np.asarray(np.minimum(np.maximum(places, low + below[-1] - below), high - below))


def file_part(text: str) -> str:
    """Return a text as part of a file name: letters and digits of any script, dots, plus signs and hyphens."""
    return re.sub(r"[^\w.+-]+", "-", text).strip("-")


def save_figure(figure: Figure, path: Path) -> Path:
    """Write a figure in the format that its file is named for; no date is written, so that bytes can be compared."""
    suffix = path.suffix[1:]
    with figure_style():
        figure.savefig(path, format=suffix, metadata=_METADATA[suffix])
    return path


def save_figures(figures: Mapping[str, Figure], directory: Path, formats: Sequence[str] = FORMATS) -> list[Path]:
    """Write each figure in each format and return the paths."""
    directory.mkdir(parents=True, exist_ok=True)
    return [
        save_figure(figure, directory / f"{name}.{suffix}") for name, figure in figures.items() for suffix in formats
    ]
