"""Figures of tables made by hand: each test gives what the kind is drawn from."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd

from metaeval.report.drawable import asked_figure
from metaeval.report.figures.data import FigureData

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
    """Return the names in the key of a figure, from top to bottom."""
    names = [text for text in figure.texts if str(text.get_gid()).startswith("name of ")]
    return [
        text.get_text() for text in sorted(names, key=lambda text: (text.get_position()[0], -text.get_position()[1]))
    ]
