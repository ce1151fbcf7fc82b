"""Figures: each is one function from tidy tables to matplotlib figures.

Figures are drawn without a display, and the same tables give the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from metaeval.errors import UsageError
from metaeval.report.correlation_figures import correlation_by_length, correlation_by_references
from metaeval.report.figure_data import FigureData, FigureOptions
from metaeval.report.layout import (
    FORMATS,
    WIDTHS,
    file_part,
    save_figures,
)
from metaeval.report.nist_figure import nist_share
from metaeval.report.people_figures import agreement, judges, scatter
from metaeval.report.placing import Unplaced, settle
from metaeval.report.style import figure_style
from metaeval.report.table_figures import heat_table, intervals

__all__ = [
    "FIGURES",
    "FORMATS",
    "WIDTHS",
    "FigureData",
    "FigureOptions",
    "correlation_by_length",
    "draw_figure",
    "intervals",
    "save_figures",
]

# From the kind of a figure to the function that draws it: a name and a matplotlib figure for each that there is.
FIGURES: dict[str, Callable[[FigureData, FigureOptions], dict[str, Any]]] = {
    "correlation-by-length": lambda data, options: correlation_by_length(data.correlations, options),
    "correlation-by-references": lambda data, options: correlation_by_references(data.correlations, options),
    "intervals": lambda data, options: intervals(data.correlations, options),
    "heat-table": lambda data, options: heat_table(data.correlations, data.rankings, options),
    "scatter": lambda data, options: scatter(data.documents(), data.correlations, options, data.signs),
    "judges": lambda data, options: judges(data.judgments(), data.seed, options),
    "agreement": lambda data, options: agreement(data.judgments(), options),
    "nist-share": lambda data, options: nist_share(data.scores(), options),
}


class NoRoom(UsageError):
    """Raised when a figure has no room for what it shows, before any of it is written."""


def draw_figure(kind: str, data: FigureData, options: FigureOptions) -> dict[str, Any]:
    """Return the figures of a kind by the names of their files, which tell what was asked for besides the kind.

    Parameters
    ----------
    kind : str
        One of `FIGURES`.
    data : FigureData
    options : FigureOptions

    Raises
    ------
    UsageError
        If the tables do not hold what the figure needs.
    NoRoom
        If the figure has no room for what it shows.
    """
    together = ["together"] if options.together else []
    words = (*together, *map(file_part, options.judges), options.width, options.title and file_part(options.title))
    asked = "".join(f"-{word}" for word in words if word)
    try:
        with figure_style():
            figures = FIGURES[kind](data, replace(options, simulated=data.simulated))
            for figure in figures.values():
                settle(figure)
    except Unplaced as error:
        of_width = f' of width = "{options.width}" ({WIDTHS[options.width]} in)' if options.width else ""
        wider = {"column": 'Choose width = "page", or leave width out', "page": "Leave width out", None: "Draw fewer"}
        raise NoRoom(
            f"the figure {kind!r}{of_width} has no room: {error}. {wider[options.width]}, or shorten names."
        ) from None
    return {kind + asked + name[len(kind) :]: figure for name, figure in figures.items()}
