"""How a figure of any kind is drawn: without a display, and the same tables give the same bytes."""

from __future__ import annotations

from typing import Any

from metaeval.contracts import Figure
from metaeval.errors import UsageError
from metaeval.report.figures.data import FigureData
from metaeval.report.figures.layout import WIDTHS, file_part
from metaeval.report.figures.placing import Unplaced, settle
from metaeval.report.figures.style import figure_style


class NoRoom(UsageError):
    """Raised when a figure has no room for what it shows, before any of it is written."""


def draw_figure(figure: Figure, data: FigureData, title: str = "") -> dict[str, Any]:
    """Return figures by the names of their files, which say what was asked for besides the kind.

    Parameters
    ----------
    figure : Figure
        What is asked for.
    data : FigureData
    title : str
        Of the panel of the experiment that it belongs to; "" if there are none.

    Raises
    ------
    UsageError
        If the tables do not hold what the figure needs.
    NoRoom
        If the figure has no room for what it shows.
    """
    words = (*figure.words, figure.width, title and file_part(title))
    asked = "".join(f"-{word}" for word in words if word)
    try:
        with figure_style():
            drawn = figure.draw(data, title)
            for one in drawn.values():
                settle(one)
    except Unplaced as error:
        of_width = f' of width = "{figure.width}" ({WIDTHS[figure.width]} in)' if figure.width else ""
        wider = {"column": 'Choose width = "page", or leave width out', "page": "Leave width out", None: "Draw fewer"}
        raise NoRoom(
            f"the figure {figure.kind!r}{of_width} has no room: {error}. {wider[figure.width]}, or shorten names."
        ) from None
    return {figure.kind + asked + name[len(figure.kind) :]: one for name, one in drawn.items()}
