"""Metric and human scores of systems for a page: points of scatter plots, and where the orders differ."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from metaeval.datamodel.corpus import CONSTANT, FloatArray
from metaeval.results.grid import Array
from metaeval.results.keys import DocumentKind, Key
from metaeval.results.model import RunData


@dataclass(frozen=True)
class SystemScores:
    """The scores of systems at a place, means over its documents; ``nan`` where a side has none.

    Attributes
    ----------
    systems : tuple of str
    metric, human : (systems,) float array
    signs : (int, int)
        What both are multiplied by so that high is good.
    """

    systems: tuple[str, ...]
    metric: FloatArray
    human: FloatArray
    signs: tuple[int, int]

    def ranks(self) -> tuple[list[tuple[str, int, int]], int]:
        """Return the systems that both scored with their ranks, by metric and by people, and how many these are."""
        has_both = np.isfinite(self.metric) & np.isfinite(self.human)
        sides = [sign * side[has_both] for sign, side in zip(self.signs, (self.metric, self.human), strict=True)]
        of_metric, of_people = (1 + (side[np.newaxis] > side[:, np.newaxis]).sum(axis=1) for side in sides)
        names = [name for name, has in zip(self.systems, has_both.tolist(), strict=True) if has]
        return list(zip(names, of_metric.tolist(), of_people.tolist(), strict=True)), len(names)


def scores_at(run: RunData, key: Key) -> SystemScores | None:
    """Return the scores of systems at the place of a metric; None where the run has none.

    Parameters
    ----------
    run : RunData
    key : Key
    """
    grid = run.find_grid(key)
    if grid is None:
        return None
    position = grid.position(key)
    metric, human = (_means(side, len(grid.systems)) for side in (grid.scores(position), grid.human))
    return SystemScores(grid.systems, metric, human, grid.metrics[position].signs)


def _means(scores: Array, n_systems: int) -> FloatArray:
    """Return the means of scores (..., systems) over all that comes before, of what is there."""
    rows: FloatArray = np.asarray(scores, dtype=np.float64).reshape(-1, n_systems)
    there = np.isfinite(rows)
    count = there.sum(axis=0)
    return np.where(count, np.where(there, rows, 0.0).sum(axis=0) / np.maximum(count, 1), np.nan)


def systems_of(run: RunData) -> dict[str, Any]:
    """Return the points of scatter plots for a script.

    Parameters
    ----------
    run : RunData

    Returns
    -------
    dict
        ``lists``: lists of names of systems and of scores, each once, however many rows have it. ``rows``: of rows of
        correlations, by their index as text: [systems, metric scores, human scores, sign of the metric, sign of the
        human scores], of which the first three are indices into ``lists``. Of documents of several lengths only the
        rows of the longest are there; their means are nearly those of the others.
    """
    longest: dict[Key, int] = {}
    for row in run.tables.correlations:
        any_length = row.key.with_names(documents=DocumentKind(row.key.documents.kind))
        longest[any_length] = max(longest.get(any_length, 0), row.key.length or 0)
    lists: list[Sequence[Any]] = []
    place_in_lists: dict[Hashable, int] = {}

    def added(key: Hashable, values: Sequence[Any]) -> int:
        """Return the index of a list in `lists`, adding it unless one of the same key is there."""
        if key not in place_in_lists:
            place_in_lists[key] = len(lists)
            lists.append(values)
        return place_in_lists[key]

    rows = {}
    for row_index, row in enumerate(run.tables.correlations):
        any_length = row.key.with_names(documents=DocumentKind(row.key.documents.kind))
        grid = run.find_grid(row.key)
        if grid is None or row.key.is_of_judges or row.key.metric == CONSTANT:
            continue
        if (row.key.length or 0) < longest[any_length]:
            continue
        scores = scores_at(run, row.key)
        assert scores is not None
        systems = added(scores.systems, scores.systems)
        metric = added((grid.key, grid.position(row.key)), [short(value) for value in scores.metric.tolist()])
        human = added((grid.key, "human"), [short(value) for value in scores.human.tolist()])
        rows[str(row_index)] = [systems, metric, human, *scores.signs]
    return {"lists": lists, "rows": rows}


def short(value: float | None) -> float | None:
    """Return a number with five digits, which is more than a page shows; None where there is none."""
    return None if value is None or not math.isfinite(value) else float(f"{value:.5g}")
