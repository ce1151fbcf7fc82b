"""Figures of tables made by hand: each test gives what the kind is drawn from."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from metaeval.report.drawable import asked_figure
from metaeval.report.figures.run_frames import FigureData

# The attributes of the data that a function gives.
_LATER = ("scores", "documents", "judgments")


def figures(kind: str, *, asked: dict[str, Any] | None = None, **tables: Any) -> dict[str, Any]:
    """Return the figures of a kind, with what is asked for, from some attributes of `FigureData`."""
    data = FigureData(
        **{name: (lambda table=value: table) if name in _LATER else value for name, value in tables.items()}
    )
    if len(data.correlations) and "star" not in data.correlations:
        data = replace(data, correlations=data.correlations.assign(star=False))
    figure = asked_figure(kind, asked or {})
    with figure.settings():
        return dict(figure.draw(data, ""))


def by_length(correlations: pd.DataFrame, **asked: Any) -> dict[str, Any]:
    """Return the figures of correlations against length."""
    return figures("correlation-by-length", correlations=correlations, asked=asked)


def key_of_lines(figure: Any) -> list[str]:
    """Return the names in the key of a figure, column by column from top to bottom."""
    renderer = FigureCanvasAgg(figure).get_renderer()
    names = [text for text in figure.findobj(Text) if str(text.get_gid()).startswith("name of ")]
    boxes = [text.get_window_extent(renderer) for text in names]
    order = sorted(range(len(names)), key=lambda k: (round(boxes[k].x0), -boxes[k].y0))
    return [names[k].get_text() for k in order]


def has_key_beside(figure: Any) -> bool:
    """Return whether the names of a key stand at the ends of lines, and not below the panels."""
    return not figure.legends


def names_of(panel: Any) -> list[str]:
    """Return the names of the rows of a table, in one line each."""
    return [label.get_text().replace("\n", " ") for label in panel.get_yticklabels()]


def heads_of(panel: Any) -> list[str]:
    """Return the heads of the columns of a table, in one line each."""
    return [label.get_text().replace("\n", " ") for label in panel.get_xticklabels()]


def shades(panel: Any) -> Any:
    """Return how dark the cells of a table are, from 0 for white to 1 for black: (rows, columns)."""
    (cells,) = (one for one in panel.collections if one.get_gid() == "cells")
    return np.asarray(cells.get_array())
