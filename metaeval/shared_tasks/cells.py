"""Values, scores and replicates of a task on one corpus, from its experiment."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from metaeval.components.coefficient import Coefficient
from metaeval.config.schema import Experiment
from metaeval.correlation.pairwise_accuracy import PairwiseAccuracy
from metaeval.correlation.significant_pairs import SignificantPairs
from metaeval.datamodel.corpus import CONSTANT, BoolArray, FloatArray, IntArray
from metaeval.errors import UsageError, listing
from metaeval.experiment.tasks import TaskCell
from metaeval.results.grid import draws_of
from metaeval.results.keys import Key
from metaeval.results.model import RunData
from metaeval.results.rows import Correlation, MetricRank, TestResult
from metaeval.runtime.randomness import generator
from metaeval.sampling.resamples import draw_resamples

# The parts of the key of a number that may differ, each with the key of a config that chooses one.
_CHOSEN_BY = {"criterion": "criteria", "subset": "references", "preprocessing": "preprocessing"}


@dataclass(frozen=True)
class CellScores:
    """Values, scores and replicates of the metrics of a task on one corpus.

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
        The units that these draw: replicates of the same units of a corpus, or of the same units and documents, are the
        same draws.
    documents : tuple of str
        The names of the documents that are drawn, in their order; () without names.
    n_documents : int
        How many documents the segments are in, where documents are drawn with all of their segments; 0 elsewhere.
    sample_size : float
        The number of units; of documents, the number of documents of equal size with the same information.
    coefficient : Coefficient
        The coefficient of the task, restricted to pairs of systems if it chooses some.
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
    """Return the values, scores and replicates of an experiment that was just computed.

    Raises
    ------
    UsageError
        If it has several numbers for a metric, as of several criteria.
    """
    correlations = [row for row in run.tables.correlations if row.key.metric != CONSTANT]
    rows = {row.key.metric: row for row in correlations}
    key = _only_key([row.key for row in correlations], cell, task)
    human = np.zeros((0, 0))
    human_sign = 1
    lacking: dict[str, tuple[str, ...]] = {}
    scores: dict[str, FloatArray] = {}
    replicates: dict[str, FloatArray] = {}
    units = ""
    size = math.inf
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
        human = grid.human
        of_metric = grid.scores(position)
        scored = np.isfinite(of_metric).reshape(-1, of_metric.shape[-1]).any(axis=0)
        if not scored.all():
            lacking[metric] = tuple(grid.systems[k] for k in np.flatnonzero(~scored))
        elif of_metric.ndim == 2:
            scores[metric] = of_metric * sign
        if (pairs := grid.pairs(named.written)) is not None:
            coefficient = _on_chosen_pairs(named.kind, pairs)
        of_text, drawn = _replicates(run, row, cell.experiment)
        if of_text is not None:
            replicates[metric] = of_text
            units = drawn
            size = grid.sample_size
    rankings = (rank for rank in run.tables.rankings if rank.over and rank.key.place == key)
    return CellScores(
        corpus=cell.corpus,
        experiment=cell.experiment,
        rows=rows,
        rankings={rank.key.metric: rank for rank in rankings},
        tests=[test for test in run.tables.tests if CONSTANT not in (test.metric_a, test.metric_b)],
        lacking=lacking,
        human=human * human_sign,
        scores=scores,
        replicates=replicates,
        units=units,
        documents=documents,
        n_documents=n_documents,
        sample_size=size,
        coefficient=coefficient,
    )


def _on_chosen_pairs(coefficient: Coefficient, pairs: BoolArray) -> Coefficient:
    """Return a coefficient on the pairs of systems that it chose."""
    assert isinstance(coefficient, PairwiseAccuracy)
    assert not isinstance(coefficient.epsilon, str)
    return SignificantPairs(pairs, coefficient.epsilon, coefficient.human_test, coefficient.alpha)


def _only_key(keys: Sequence[Key], cell: TaskCell, task: str) -> Key | None:
    """Return the only key of the numbers of a task on a corpus, without the metric; None without numbers."""
    without_metric = list(dict.fromkeys(key.place for key in keys))
    for name, setting in _CHOSEN_BY.items():
        values = list(dict.fromkeys(getattr(key, name) for key in without_metric))
        if len(values) > 1:
            raise UsageError(
                f"the task {task!r}: {cell.corpus} has several values of {name}, {listing(values)}, and a task takes "
                f"one: choose it with `{setting}`, for some corpora in [by_corpus.{cell.corpus}]."
            )
    return without_metric[0] if without_metric else None


def _replicates(run: RunData, row: Correlation, experiment: Experiment) -> tuple[FloatArray | None, str]:
    """Return a coefficient in replicates of the text, and the units that these draw; None if there are none.

    A mean over segments has none of its own: each is a mean of as many segments drawn again.
    """
    grid = run.grid(row.key)
    n_replicates = experiment.uncertainty.replicates
    replicates = run.replicates(row.key)
    if replicates is not None:
        return replicates, grid.draws
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
    sums, numbers = (np.bincount(groups, weights=w, minlength=n_units) for w in (np.nan_to_num(values), defined))
    with np.errstate(invalid="ignore"):
        return drawn @ sums / (drawn @ numbers), draws_of(n_replicates, n_units, row.resampled, experiment.seed)


@lru_cache(maxsize=2)
def _drawn(seed: int, n_units: int, n_replicates: int, *, listed: bool) -> FloatArray | None:
    """Count how often replicates draw each unit, as those of other levels do; None where all draws are listed."""
    rngs: dict[str, Any] = {f"rng_{unit}": generator(seed, "bootstrap", unit) for unit in ("segments", "systems")}
    drawn = draw_resamples("segments", n_units, 1, n_replicates, **rngs, listed=listed)
    return None if drawn.weights is not None or drawn.segments is None else drawn.segments[:].astype(np.float64)
