"""The canvas of a figure: panels in matplotlib's constrained layout, a key, and words around them."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metaeval.report.figures.settings import Look, NoRoom
from metaeval.report.figures.text_sizes import height, inches, widest, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from metaeval.report.figures.picture import Picture
    from metaeval.report.figures.style import LineStyle

# Around a figure, between its parts, and the sample of a line in a key.
EDGE_INCHES = 0.05
GAP_INCHES = 0.08
SAMPLE_INCHES = 0.3
# The height of a page's text, the width of a figure that may have any, and the least side of a panel.
PAGE_HEIGHT_INCHES = 9.2
FREE_WIDTH_INCHES = 6.3
MIN_SIDE_INCHES = 0.45
# The share of its height that a panel keeps where it must be lower: a panel of rows, and one of free height.
_MIN_ROWS_SHARE = 0.8
_MIN_FREE_SHARE = 0.5


@dataclass(frozen=True)
class Entry:
    """An entry of a key: its name, the style of its line, and where this ends in the last panel, if it does."""

    label: str
    style: LineStyle
    end: tuple[float, float] | None = None


class Canvas:
    """Panels of one size, in rows, with what all of them share written once.

    Parameters
    ----------
    look : Look
    n : int
        How many panels.
    least, wide : float
        The width in inches that a panel has at least, and where the width of the figure is free.
    most : int
        How many stand in a row at most.
    tall : float, optional
        The height of a panel; by default `ratio` times its width, and lower where a page needs it.
    names : float
        The inches that the names beside panels take, at the left of a row, or of each panel if that `shares` no ``y``.
    shares : str
        Which axes all panels have in common, ``x``, ``y`` or both.
    """

    def __init__(
        self, look: Look, n: int, *, least: float = 1.1, wide: float = 2.3, most: int = 3, tall: float = 0.0,
        ratio: float = 0.75, names: float = 0.45, shares: str = "xy",
    ) -> None:  # fmt: skip
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.layout_engine import ConstrainedLayoutEngine
        from matplotlib.ticker import MaxNLocator

        from metaeval.report.figures.picture import Picture

        names_per_panel = 0.0 if "y" in shares else names
        fixed_width = names - names_per_panel + 3 * EDGE_INCHES
        room = (look.inches or FREE_WIDTH_INCHES) - fixed_width
        across = max(1, min(n, most, int(room / ((least if look.inches else wide * 0.8) + names_per_panel))))
        self.across = -(-n // -(-n // across))  # as few empty places as can be
        self.rows = -(-n // self.across)
        self.width = look.inches or min(FREE_WIDTH_INCHES, self.across * (wide + names_per_panel) + fixed_width)
        self.data = (self.width - fixed_width) / self.across - names_per_panel
        self.look = look
        self.shares = shares
        self.is_free = not tall
        self.tall = tall or min(max(self.data * ratio, 0.8), 2.6)
        self.widest_data = np.inf
        self.margin = 0.0
        self.is_table = False
        self.labels = {"x": "", "y": ""}
        # Not the engine of the figure: one that has or had an engine is drawn twice for each of its files.
        self.engine = ConstrainedLayoutEngine(w_pad=0.03, h_pad=0.03, wspace=0.0, hspace=0.0)
        self.figure: Picture = Picture((self.width, self.rows * (self.tall + 1.5) + 3))
        self.figure.set_layout_engine("none")
        FigureCanvasAgg(self.figure)
        axes = self.figure.subplots(self.rows, self.across, squeeze=False).ravel()
        for spare in axes[n:]:
            spare.remove()
        self.panels: list[Axes] = list(axes[:n])
        for axis in (axis for panel in self.panels for axis in (panel.xaxis, panel.yaxis)):
            axis.set_major_locator(MaxNLocator("auto", steps=[1, 2, 2.5, 5, 10], min_n_ticks=3))

    def title(self, panel: Axes, name: str, title: str = "", note: str = "") -> None:
        """Name a panel, and write a title above it, with a note below that in small letters."""
        look = self.look
        panel.set_label(name)
        title = wrapped(title, self.data, look.text)
        note = wrapped(note, self.data, look.tiny)
        if note:
            panel.annotate(
                note, (0, 1), (0, 2.5), "axes fraction", "offset points", fontsize=look.tiny, color="#444444",
                va="bottom", annotation_clip=False, linespacing=1.15,
            )  # fmt: skip
        panel.set_title(title, loc="left", y=1.0, pad=72 * height(note, look.tiny) + 3, linespacing=1.1)

    def finish(self, heading: str, caption: str, key: Sequence[Entry] = ()) -> Picture:
        """Write the key, the labels of axes, the heading and the caption, and lay out all of it for good.

        The names of a key stand at the ends of lines where there is one row of panels and room, and else below.

        Raises
        ------
        NoRoom
            If it does not fit the page, or the size that was asked for.
        """
        figure = self.figure
        look = self.look
        text = self.width - 2 * EDGE_INCHES
        figure.heading = heading
        figure.caption = caption
        for k, panel in enumerate(self.panels):
            panel.tick_params(which="minor", length=0)
            if "y" in self.shares:
                panel.tick_params(labelleft=k % self.across == 0)
            if "x" in self.shares and not self.is_table:
                panel.tick_params(labelbottom=k + self.across >= len(self.panels))
        is_beside = self._has_room_beside(key)
        text = self.width - 2 * EDGE_INCHES
        above = below = 0.0
        title: Any = None
        placed: list[tuple[Any, float]] = []
        if look.title and heading:
            shown = wrapped(heading, text, look.large)
            title = figure.suptitle(shown, fontsize=look.large, ha="left", va="top", linespacing=1.15)
            title.set_in_layout(False)
            above = height(shown, look.large) + GAP_INCHES / 2
        if look.caption and caption:
            shown = wrapped(caption, text, look.tiny)
            style: dict[str, Any] = {"fontsize": look.tiny, "color": "#444444", "linespacing": 1.15}
            placed.append((figure.text(0, 0, shown, va="bottom", gid="caption", **style), below))
            below += height(shown, look.tiny) + GAP_INCHES / 2
        legend = None if is_beside or not key else self._legend(key)
        if legend is not None:
            placed.append((legend, below))
            below += legend.get_window_extent().height / figure.dpi + GAP_INCHES
        x_label, y_label = self._axis_labels()
        if x_label is not None:
            placed.append((x_label, below))
            below += height(x_label.get_text(), look.text) + 0.01
        left = 0.0 if y_label is None else height(y_label.get_text(), look.text)
        self._lay_out(above, below, left)
        for panel in self.panels if not self.is_table else ():
            self._thin(panel)
        if is_beside:
            self._write_ends(key)
        while self._lay_out(above, below, left):
            pass
        for panel in self.panels:  # the solver of the layout differs in the last digits from one time to the next
            panel.set_position(np.round(panel.get_position().bounds, 5))
        self._place(placed, title, x_label, y_label)
        return figure

    def _place(self, placed: Sequence[tuple[Any, float]], heading: Any, x_label: Any, y_label: Any) -> None:
        """Put what stands around the panels where it belongs, now that the height of the figure is known."""
        figure = self.figure
        total = self.figure.get_figheight()
        boxes = [panel.get_position() for panel in self.panels]
        middle = (min(box.x0 for box in boxes) + max(box.x1 for box in boxes)) / 2
        for artist, offset in placed:
            position = (middle if artist is x_label else EDGE_INCHES / self.width, (EDGE_INCHES + offset) / total)
            if hasattr(artist, "set_bbox_to_anchor"):
                artist.set_bbox_to_anchor(position, figure.transFigure)
            else:
                artist.set_position(position)
        if y_label is not None:
            y_label.set_position((EDGE_INCHES / self.width, (min(b.y0 for b in boxes) + max(b.y1 for b in boxes)) / 2))
        if heading is not None:
            heading.set_position((EDGE_INCHES / self.width, 1 - EDGE_INCHES / total))

    def _axis_labels(self) -> tuple[Any, Any]:
        """Write once what the axes of all panels are."""
        size = self.look.text
        high = self.rows * self.tall + (self.rows - 1) * 0.3
        x = wrapped(self.labels["x"], self.width - 0.4, size)
        y = wrapped(self.labels["y"], high, size)
        x_label = self.figure.supxlabel(x, va="bottom", fontsize=size) if x else None
        y_label = self.figure.supylabel(y, ha="left", fontsize=size, linespacing=1.1) if y else None
        for label in filter(None, (x_label, y_label)):
            label.set_in_layout(False)
        return x_label, y_label

    def _legend(self, key: Sequence[Entry]) -> Any:
        """Write a key below the panels, in as many columns as there is room for."""
        from matplotlib.lines import Line2D

        size = self.look.small
        names = [wrapped(entry.label, self.width - SAMPLE_INCHES - 0.3, size) for entry in key]
        columns = max(
            1, min(len(key), int((self.width - 2 * EDGE_INCHES) / (widest(names, size) + SAMPLE_INCHES + 0.22)))
        )
        legend = self.figure.legend(
            [Line2D([], [], **entry.style) for entry in key], names, loc="lower left", fontsize=size,
            ncols=-(-len(key) // -(-len(key) // columns)), borderpad=0, borderaxespad=0,
            handlelength=72 * SAMPLE_INCHES / size, handletextpad=0.6, columnspacing=1.4, labelspacing=0.25,
        )  # fmt: skip
        legend.set_in_layout(False)
        for text in legend.get_texts():
            text.set_gid(f"name of {text.get_text()}")
        return legend

    def _has_room_beside(self, key: Sequence[Entry]) -> bool:
        if self.rows > 1 or not any(entry.end for entry in key):
            return False
        names = [entry.label for entry in key]
        taken = widest(names, self.look.small) + SAMPLE_INCHES + 0.25
        if not self.look.inches:
            self.width = min(self.width + taken, FREE_WIDTH_INCHES + 1)
            self.figure.set_figwidth(self.width)
        is_wide = (self.width - taken - 0.45) / self.across >= 1.0 and taken <= 0.36 * self.width
        return is_wide and sum(height(name, self.look.small) for name in names) <= self.tall

    def _lay_out(self, above: float, below: float, left: float) -> bool:
        """Lay out the panels, and make the figure as high as they need; return whether it was not.

        Raises
        ------
        NoRoom
            As `finish`.
        """
        figure = self.figure
        asked_height = self.look.height
        figure_width, figure_height = figure.get_size_inches()
        x = EDGE_INCHES + left + self.margin
        y = EDGE_INCHES + below
        self.engine.set(
            rect=(
                x / figure_width,
                y / figure_height,
                1 - (x + EDGE_INCHES + self.margin) / figure_width,
                1 - (y + EDGE_INCHES + above) / figure_height,
            )
        )
        with warnings.catch_warnings(record=True) as caught:  # such as of letters that a font lacks, which come again
            warnings.simplefilter("always")
            self.engine.execute(figure)
        has_collapsed = any("collapsed to zero" in str(warning.message) for warning in caught)
        box = self.panels[0].get_position()
        if has_collapsed or box.width * figure_width < min(MIN_SIDE_INCHES, self.widest_data) - 0.01:
            raise NoRoom(
                f"`width` = {figure_width:g} inches leaves no room for data; choose a wider one, or shorten names."
            )
        height_around = figure_height * (1 - self.rows * box.height)
        max_height = asked_height or PAGE_HEIGHT_INCHES
        if not self.is_free:
            min_share = _MIN_ROWS_SHARE
        elif asked_height:
            min_share = MIN_SIDE_INCHES / self.tall
        else:
            min_share = _MIN_FREE_SHARE
        min_height = height_around + self.rows * self.tall * min_share
        if min_height > max_height + 1e-6:
            problem = (
                f"`height` = {asked_height:g} leaves no room; give"
                if asked_height
                else "a page has no room for it; it takes"
            )
            raise NoRoom(f"{problem} at least {min_height:.1f} inches. Or show less, such as one criterion.")
        new_height = (
            max_height if asked_height and self.is_free else min(height_around + self.rows * self.tall, max_height)
        )
        excess = max(0.0, box.width * figure_width - self.widest_data)
        figure.set_figheight(round(new_height, 3))
        self.tall = (new_height - height_around) / self.rows
        self.margin += excess / 2
        return bool(abs(new_height - figure_height) > 0.005 or excess > 0.005)

    def _thin(self, panel: Axes) -> None:
        """Leave out numbers that would touch others; below an axis with named places the ends stay."""
        from matplotlib.ticker import FixedLocator, MaxNLocator

        wide = panel.get_position().width * self.width
        size = self.look.small
        if not isinstance(panel.yaxis.get_major_locator(), FixedLocator):
            most = int(np.clip(self.tall / (2 * height("0", size)), 2, 6))
            panel.yaxis.set_major_locator(MaxNLocator(most, steps=[1, 2, 2.5, 5, 10], min_n_ticks=min(3, most)))
        if not isinstance(panel.xaxis.get_major_locator(), FixedLocator):
            low, high = sorted(panel.get_xlim())
            for most in range(6, 0, -1):
                locator = MaxNLocator(most, steps=[1, 2, 2.5, 5, 10])
                panel.xaxis.set_major_locator(locator)
                slack = 1e-9 * (high - low)
                places = [value for value in locator.tick_values(low, high) if low - slack <= value <= high + slack]
                texts = panel.xaxis.get_major_formatter().format_ticks(places)
                if len(places) < 2 or widest(texts, size) + 0.06 <= wide * (places[1] - places[0]) / (high - low):
                    return
            return
        places = list(panel.get_xticks())
        texts = [label.get_text() for label in panel.get_xticklabels()]
        middles = (
            panel.transData.transform([(position, panel.get_ylim()[0]) for position in places])[:, 0] / self.figure.dpi
        )
        halves = [inches(text, size) / 2 + 0.03 for text in texts]
        shown: list[int] = []
        if panel.get_xscale() == "log":
            for k in sorted(range(len(texts)), key=lambda k: (k not in (0, len(texts) - 1), places[k] % 10 != 0, k)):
                if all(abs(middles[k] - middles[m]) >= halves[k] + halves[m] for m in shown):
                    shown.append(k)
        else:
            for step in range(1, len(texts) + 1):
                shown = list(range(0, len(texts), step))
                if all(middles[m] - middles[k] >= halves[k] + halves[m] for k, m in itertools.pairwise(shown)):
                    break
        panel.set_xticks(places, [text if k in shown else "" for k, text in enumerate(texts)])

    def _write_ends(self, key: Sequence[Entry]) -> None:
        """Write names beside the last panel, each with a sample of its line and a thread to its end."""
        from matplotlib.lines import Line2D
        from matplotlib.patches import ConnectionPatch
        from matplotlib.transforms import ScaledTranslation

        panel = self.panels[-1]
        figure = self.figure
        size = self.look.small
        tall = self.tall
        inside = panel.transData - panel.transAxes
        wanted = [0.0 if entry.end is None else float(inside.transform(entry.end)[1]) * tall for entry in key]
        order = sorted(range(len(key)), key=lambda k: -wanted[k])
        sizes = [height(key[k].label, size) for k in order]
        middles = spread(np.array([wanted[k] for k in order]), sizes, sizes[-1] / 2, tall - sizes[0] / 2)
        for entry, middle in zip((key[k] for k in order), middles, strict=True):
            # In inches from a point of the right edge.
            edge: Any = panel.transAxes
            transform = figure.dpi_scale_trans + ScaledTranslation(1, float(middle) / tall, edge)
            xs = [0.14, 0.14 + SAMPLE_INCHES / 2, 0.14 + SAMPLE_INCHES]
            figure.add_artist(Line2D(xs, [0] * 3, markevery=[1], transform=transform, **entry.style))
            if entry.end:
                colour = entry.style["color"]
                thread = ConnectionPatch(
                    entry.end, (0.11, 0), panel.transData, transform, color=colour, lw=0.5, shrinkA=3
                )
                figure.add_artist(thread).set_in_layout(False)
            panel.text(
                0.2 + SAMPLE_INCHES, 0, entry.label, transform=transform, va="center", fontsize=size, linespacing=1.1,
                gid=f"name of {entry.label}",
            )  # fmt: skip


def limits_around(values: Any, share: float = 0.05) -> tuple[float, float]:
    """Return the ends of an axis that shows all values, with a share of their range as room."""
    defined = np.asarray(values, dtype=float)
    defined = defined[np.isfinite(defined)]
    low, high = (float(defined.min()), float(defined.max())) if len(defined) else (0.0, 1.0)
    room = share * (high - low) or 0.05
    return low - room, high + room


def spread(wanted: np.ndarray[Any, Any], heights: Sequence[float], low: float, high: float) -> np.ndarray[Any, Any]:
    """Move labels apart so that none covers another, as little as needed.

    Parameters
    ----------
    wanted : (labels,) float array
        The middles that they would have by themselves, descending.
    heights : sequence of float
    low, high : float
        Limits for their middles; where there is no room for all, the last ones go below `low`.
    """
    from scipy.optimize import isotonic_regression

    if not len(wanted):
        return wanted
    gaps = [(first + second) / 2 for first, second in itertools.pairwise(heights)]
    # How far below the first each label is where all of them touch. With that added, labels are far enough apart where
    # the numbers descend, which is what the regression brings about; then it is taken off again.
    below = np.concatenate([[0.0], np.cumsum(gaps)])
    # Labels that touch move together, to the mean of their wanted middles.
    middles = isotonic_regression(wanted + below, increasing=False).x - below
    return np.asarray(np.minimum(np.maximum(middles, low + below[-1] - below), high - below))
