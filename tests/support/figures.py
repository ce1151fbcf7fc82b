"""Figures of tables made by hand: each test gives what the kind is drawn from."""

from __future__ import annotations

from typing import Any

import pandas as pd

from metaeval.kinds import FIGURES
from metaeval.report.figures.data import FigureData
from metaeval.report.figures.style import figure_style

# The attributes of the data that a function gives.
_LATER = ("scores", "documents", "judgments")


def figures(kind: str, *, asked: dict[str, Any] | None = None, **tables: Any) -> dict[str, Any]:
    """Return the figures of a kind, with what is asked for, from some attributes of `FigureData`."""
    nothing = pd.DataFrame()
    given = dict.fromkeys(("correlations", "rankings", *_LATER), nothing) | {"seed": 1} | tables
    data = FigureData(
        **{name: (lambda table=value: table) if name in _LATER else value for name, value in given.items()}
    )
    with figure_style():
        return dict(FIGURES[kind](**(asked or {})).draw(data, ""))


def by_length(correlations: pd.DataFrame, **asked: Any) -> dict[str, Any]:
    """Return the figures of correlations against length."""
    return figures("correlation-by-length", correlations=correlations, asked=asked)
