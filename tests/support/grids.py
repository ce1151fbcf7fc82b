"""The grid of a run that a test is about, and grids made by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from metaeval.report.results import Results
from metaeval.results.grid import Grid, GridMetric, setting_of
from metaeval.results.keys import Key
from metaeval.results.model import RunData


def grid_of(run: Results | RunData, *, is_of_judges: bool = False, **names: Any) -> Grid:
    """Return the one grid of a run whose key has some names, such as ``criterion="adequacy"`` and ``length=1``."""
    grids = [one for one in run.grids if one.is_of_judges == is_of_judges]
    (grid,) = [one for one in grids if all(getattr(one.key, name) == value for name, value in names.items())]
    return grid


def made_grid(
    key: Key,
    *,
    human: np.ndarray,
    scores: Mapping[str, np.ndarray],
    coefficients: Mapping[str, np.ndarray] | None = None,
    systems: tuple[str, ...] = (),
    documents: tuple[str, ...] = (),
    signs: tuple[int, int] = (1, 1),
    orientation: str = "aligned",
    undefined: str = "exclude",
    sample_size: float = 1000.0,
    **others: Any,
) -> Grid:
    """Return the grid of a row with a key; `scores` are by the metrics, all of the preprocessing of the key."""
    return Grid.from_arrays(
        key=setting_of(key),
        metrics=tuple(GridMetric(key.preprocessing, name, signs) for name in scores),
        systems=systems,
        documents=documents,
        subsets=(),
        orientation=orientation,
        undefined=undefined,
        sample_size=sample_size,
        human=human,
        scores=list(scores.values()),
        coefficients=coefficients or {},
        **others,
    )
