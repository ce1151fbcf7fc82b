"""What a task needs of an experiment on one corpus: values, scores, and replicates of the text."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from metaeval.contracts import Coefficient
from metaeval.correlation.pairwise import PairwiseAccuracy
from metaeval.correlation.significant_pairs import SignificantPairs
from metaeval.correlation.standard_error import effective
from metaeval.errors import UsageError, listing
from metaeval.experiment.tasks import TaskCell
from metaeval.randomness import generator
from metaeval.records import CONSTANT, BoolArray, FloatArray, IntArray
from metaeval.results.grid import Grid, draws_of
from metaeval.results.keys import Key
from metaeval.results.model import RunData
from metaeval.results.rows import Correlation, MetricRank, TestResult
from metaeval.sampling.resamples import draw_resamples
from metaeval.schema import Experiment

# What of the key of a number may differ, and the key of a config that chooses one.
_CHOSEN_BY = {"criterion": "criteria", "subset": "references", "preprocessing": "preprocessing"}


@dataclass(frozen=True)
class CellScores:
    """How the metrics of a task do on one corpus.

    Attributes
    ----------
    corpus : str
    experiment : Experiment
    rows : mapping of str to Correlation
        By metric, as all that follows.
    rankings : mapping of str to MetricRank
        By the tests of the experiment.
    tests : sequence of TestResult
    lacking : mapping of str to tuple of str
        The systems that a metric has no score of.
    human : (documents, systems) float array
        High for good; ``nan`` where nobody judged.
    scores : mapping of str to (documents, systems) float array
        High for good, of metrics that lack no system and have one score of each.
    replicates : mapping of str to (replicates,) float array
        The coefficients in replicates of the text.
    units : str
        What these draw: those of the same units of a corpus, or of the same units and documents, are the same draws.
    documents : tuple of str
        The names of the documents that are drawn, in their order; () without names.
    n_documents : int
        How many documents the segments are in, where documents are drawn with all of their segments; 0 elsewhere.
    sample_size : float
        How many units there are; of documents, how many of equal size would say as much.
    coefficient : Coefficient
        The one that is taken, on the pairs of systems that it chose, if it did.
    """

    corpus: str
    experiment: Experiment
    rows: Mapping[str, Correlation]
    rankings: Mapping[str, MetricRank]
    tests: Sequence[TestResult]
    lacking: Mapping[str, tuple[str, ...]]
    human: FloatArray
    scores: Mapping[str, FloatArray]
    replicates: Mapping[str, FloatArray]
    units: str
    documents: tuple[str, ...]
    n_documents: int
    sample_size: float
    coefficient: Coefficient


def cell_scores(run: RunData, cell: TaskCell, task: str) -> CellScores:
    """Return what a task needs of an experiment that was just computed.

    Raises
    ------
    UsageError
        If it has several numbers for a metric, as of several criteria.
    """
    rows = {row.key.metric: row for row in run.tables.correlations if row.key.metric != CONSTANT}
    place = _one_place([row.key for row in run.tables.correlations if row.key.metric != CONSTANT], cell, task)
    human, human_sign = np.zeros((0, 0)), 1
    lacking, scores, replicates, units, size = {}, {}, {}, "", math.inf
    documents: tuple[str, ...] = ()
    n_documents = 0
    named = cell.experiment.correlation.coefficients[0]
    coefficient = named.kind
    for metric, row in rows.items():
        grid = run.grid(row.key)
        position = grid.position(row.key)
        documents = () if grid.drawn_documents is None else tuple(grid.drawn_documents.tolist())
        n_documents = 0 if grid.documents_of_segments is None else len(documents)
        sign, human_sign = grid.metrics[position].signs
        human, found = grid.human, grid.scores(position)
        has = np.isfinite(found).reshape(-1, found.shape[-1]).any(axis=0)
        if not has.all():
            lacking[metric] = tuple(grid.systems[place] for place in np.flatnonzero(~has))
        elif found.ndim == 2:
            scores[metric] = found * sign
        if (pairs := grid.pairs(named.written)) is not None:
            coefficient = _chosen(named.kind, pairs)
        of_text, drawn = _replicates(run, row, cell.experiment)
        if of_text is not None:
            replicates[metric], units, size = of_text, drawn, _sample_size(run.grid(row.key))
    return CellScores(
        cell.corpus,
        cell.experiment,
        rows,
        {one.key.metric: one for one in run.tables.rankings if one.over and one.key.of(metric="") == place},
        [one for one in run.tables.tests if CONSTANT not in (one.metric_a, one.metric_b)],
        lacking,
        human * human_sign,
        scores,
        replicates,
        units,
        documents,
        n_documents,
        size,
        coefficient,
    )


def _chosen(coefficient: Coefficient, pairs: BoolArray) -> Coefficient:
    """Return a coefficient on the pairs of systems that it chose."""
    assert isinstance(coefficient, PairwiseAccuracy)
    assert not isinstance(coefficient.epsilon, str)
    return SignificantPairs(pairs, coefficient.epsilon, coefficient.human_test, coefficient.alpha)


def _one_place(keys: Sequence[Key], cell: TaskCell, task: str) -> Key | None:
    places = list(dict.fromkeys(key.of(metric="") for key in keys))
    for name, setting in _CHOSEN_BY.items():
        found = list(dict.fromkeys(getattr(place, name) for place in places))
        if len(found) > 1:
            raise UsageError(
                f"the task {task!r}: {cell.corpus} has several values of {name}, {listing(found)}, and a task takes "
                f"one: choose it with `{setting}`, for some corpora in [by_corpus.{cell.corpus}]."
            )
    return places[0] if places else None


def _replicates(run: RunData, row: Correlation, experiment: Experiment) -> tuple[FloatArray | None, str]:
    """Return a coefficient in replicates of the text, and what these draw; None where there are none.

    A mean over segments has none of its own: each is a mean of as many segments drawn again.
    """
    grid, n_replicates = run.grid(row.key), experiment.uncertainty.replicates
    found = run.replicates(row.key)
    if found is not None:
        return found, grid.draws
    values = grid.coefficients(row.key.coefficient)[grid.position(row.key)]
    if experiment.correlation.average_by != "item" or len(values) < 2:
        return None, ""
    groups: IntArray | None = grid.documents_of_segments if row.key.documents.units.is_single else None
    has_documents = groups is not None
    if groups is None:
        groups = np.arange(len(values))
    n_units = int(groups.max()) + 1
    drawn = _drawn(experiment.seed, n_units, n_replicates, listed=not has_documents)
    if drawn is None:
        return None, ""
    defined = ~np.isnan(values) | (experiment.correlation.undefined == "zero")
    sums, numbers = (np.bincount(groups, weights=one, minlength=n_units) for one in (np.nan_to_num(values), defined))
    with np.errstate(invalid="ignore"):
        return drawn @ sums / (drawn @ numbers), draws_of(n_replicates, n_units, row.resampled, experiment.seed)


def _sample_size(grid: Grid) -> float:
    documents = grid.documents_of_segments
    return float(grid.n_units or len(grid.human)) if documents is None else effective(documents)


@lru_cache(maxsize=2)
def _drawn(seed: int, n_units: int, n_replicates: int, *, listed: bool) -> FloatArray | None:
    """Return how often replicates draw each unit, as those of other levels do; None where all draws are listed."""
    rngs: dict[str, Any] = {f"rng_{what}": generator(seed, "bootstrap", what) for what in ("segments", "systems")}
    drawn = draw_resamples("segments", n_units, 1, n_replicates, **rngs, listed=listed)
    return None if drawn.weights is not None or drawn.segments is None else drawn.segments[:].astype(np.float64)
