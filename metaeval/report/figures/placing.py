"""Whether a figure has room for what it shows: matplotlib draws what has none cut off, or over something else."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text

# Points that boxes of texts may share: they hold the room of letters that reach above and below.
_SHARED = 1.0
# Inches: in less, nobody sees data.
_LEAST = (0.4, 0.15)


class Unplaced(Exception):
    """A figure has no room for all that it shows; the message says for what."""


def settle(figure: Figure) -> None:
    """Lay a figure out for good, so that all formats, and further drawing, find the same places.

    Raises
    ------
    Unplaced
        If a text would be cut off, or cover another or the data, or nothing is left for the data.
    """
    draw(figure)
    figure.set_layout_engine("none")
    wrong = misplaced(figure)
    if wrong:
        raise Unplaced(f"{wrong}. The longest name in it is {_longest(figure)!r}")


def draw(figure: Figure) -> None:
    """Let the parts of a figure find their places.

    Raises
    ------
    Unplaced
        If texts take all of its width or height.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "constrained_layout not applied", UserWarning)
        try:
            # Panels of a fixed shape, and new ticks, find their places only when they are drawn again.
            for _ in range(2):
                figure.draw_without_rendering()
        except UserWarning as error:
            if not str(error).startswith("constrained_layout"):
                raise
            raise Unplaced(f"nothing is left for the data. The longest name in it is {_longest(figure)!r}") from None


def misplaced(figure: Figure) -> str:
    """Return what has no room in a figure that has been laid out; "" if all has."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.text import Text

    renderer = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]
    shared = _SHARED * figure.dpi / 72
    panels = [panel for panel in figure.axes if panel.axison or panel.has_data()]
    areas = np.array([panel.bbox.extents for panel in panels]).reshape(-1, 4)
    sizes = (areas[:, 2:] - areas[:, :2]) / figure.dpi
    if (sizes < _LEAST).any():
        return "hardly anything is left for the data"
    texts = _texts(figure)
    # The box of the words alone: that of an annotation also holds its line.
    boxes = np.array([Text.get_window_extent(text, renderer).extents for text in texts]).reshape(-1, 4)
    boxes += [shared, shared, -shared, -shared]
    whole = np.array(figure.bbox.extents)
    for text, box in zip(texts, boxes, strict=True):
        if (box[:2] < whole[:2]).any() or (box[2:] > whole[2:]).any():
            return f"{text.get_text()!r} would be cut off"
    for one, other in np.argwhere(np.triu(meet(boxes, boxes), k=1)).tolist():
        return f"{texts[other].get_text()!r} would stand over {texts[one].get_text()!r}"
    free = {text: place for place, panel in enumerate(panels) for text in panel.texts}
    for one, area in np.argwhere(meet(boxes, areas)).tolist():
        box, limits = boxes[one], areas[area]
        if free.get(texts[one]) != area or (box[:2] < limits[:2]).any() or (box[2:] > limits[2:]).any():
            return f"{texts[one].get_text()!r} would stand over the data"
    return ""


def meet(first: np.ndarray[Any, Any], second: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return which boxes (n, 4) of the first have a part of which of the second (m, 4): (n, m)."""
    one, other = first[:, None], second[None]
    return np.asarray(((one[..., :2] < other[..., 2:]) & (other[..., :2] < one[..., 2:])).all(axis=2))


def _texts(figure: Figure) -> list[Text]:
    """Return the texts that are drawn."""
    from matplotlib.text import Text

    hidden = {text for panel in figure.axes for text in _not_drawn(panel)}
    found = [text for text in figure.findobj(Text) if isinstance(text, Text) and text not in hidden]
    return [text for text in found if text.get_visible() and text.get_text().strip()]


def _not_drawn(panel: Axes) -> list[Any]:
    """Return the numbers of ticks beyond the ends of an axis, or of axes that are off: matplotlib keeps them."""
    found = []
    for axis in (panel.xaxis, panel.yaxis):
        low, high = sorted(axis.get_view_interval())
        for tick in [*axis.get_major_ticks(), *axis.get_minor_ticks()]:
            if not panel.axison or not low - 1e-9 <= tick.get_loc() <= high + 1e-9:
                found += [tick.label1, tick.label2]
        if not panel.axison:
            found += [axis.label, axis.offsetText]
    return found


def _longest(figure: Figure) -> str:
    """Return the longest text but heading and caption, in one line."""
    words = {figure.get_suptitle(), figure.get_supxlabel()}
    texts = (text.get_text() for text in _texts(figure))
    return max((text.replace("\n", "") for text in texts if text not in words), key=len, default="")
