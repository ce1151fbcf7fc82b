"""Replicates of an experiment: the same documents, scores and coefficients from segments or systems drawn again.

A replicate of the whole corpus is a row of segment weights, as any document is. Of segments and of real documents, the
documents themselves are drawn again. Random documents are drawn again from the segments of the replicate, as many as in
the experiment, with their judgments: so the spread of the replicates is that of the published number on new text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from metaeval.correlation.grouping import Relation
from metaeval.experiments.cells import Cell, Line, line_coefficients
from metaeval.experiments.humans import HumanScores, human_scores
from metaeval.randomness import generator
from metaeval.records import Documents, FloatArray, IntArray, Resamples
from metaeval.sampling.documents import draw_documents
from metaeval.sampling.resamples import draw_resamples

# Rows of weights that are held as numbers at once.
_BLOCK = 1000

Values = dict[tuple[int, str], FloatArray]


@dataclass(frozen=True)
class Replicates:
    """The coefficients of the lines of a cell in bootstrap replicates.

    Attributes
    ----------
    values : mapping of (line, coefficient) to (replicates,) float array
        Mean coefficients, by the position of the line and the name of the coefficient; ``nan`` where undefined.
    weights : (replicates,) float array, or None
        See `Resamples`.
    jackknife : mapping of (line, coefficient) to list of (units,) float arrays
        Without each segment, without each system, as far as these are resampled; empty unless asked for.
    """

    values: Values
    weights: FloatArray | None
    jackknife: Mapping[tuple[int, str], Sequence[FloatArray]] = field(default_factory=dict)


class Resampler:
    """Draws the replicates of a corpus once, and computes the coefficients of cells in them.

    Parameters
    ----------
    jobs : int
        How many replicates of random documents are computed at once; it changes no bit.
    """

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs
        self._drawn: dict[tuple[str, int, int, int, int], Resamples] = {}

    def replicates(self, cell: Cell, lines: Sequence[Line], scores: Sequence[FloatArray]) -> Replicates:
        """Return the coefficients of lines in the replicates of a cell.

        Parameters
        ----------
        cell : Cell
        lines : sequence of Line
        scores : sequence of (subsets or 1, documents, systems) float arrays
            Of the lines, on the documents of the cell.
        """
        settings, kind = cell.experiment.uncertainty, cell.experiment.documents.kind
        resamples = self.resamples(cell)
        if kind == "random":
            return Replicates(self._of_random(cell, lines, resamples), resamples.weights)
        values = self._computed(cell, lines, scores, resamples)
        if settings.method != "bootstrap" or settings.limits != "bca":
            return Replicates(values, resamples.weights)
        left_out = [self._computed(cell, lines, scores, one) for one in _without_each(resamples)]
        return Replicates(values, resamples.weights, {key: [part[key] for part in left_out] for key in values})

    def resamples(self, cell: Cell) -> Resamples:
        """Return what the replicates of a cell draw again; the same for all cells with equally many units."""
        settings, seed = cell.experiment.uncertainty, cell.experiment.seed
        units = len(cell.scores.segments)
        if cell.experiment.documents.kind in ("segments", "real"):
            units = len(cell.scores.documents)
        key = (settings.resample, units, cell.scores.human.shape[1], settings.n_resamples, seed)
        if key not in self._drawn:
            self._drawn[key] = draw_resamples(
                *key[:4],
                rng_segments=generator(seed, "bootstrap", "segments"),
                rng_systems=generator(seed, "bootstrap", "systems"),
            )
        return self._drawn[key]

    def _computed(
        self, cell: Cell, lines: Sequence[Line], scores: Sequence[FloatArray], resamples: Resamples
    ) -> Values:
        if cell.experiment.documents.kind == "all":
            return _of_whole(cell, lines, scores, resamples)
        undefined = cell.experiment.correlation.undefined
        grouping = cell.experiment.correlation.grouping
        return {
            (number, text): _of_units(found, cell.scores.human, relation, grouping, undefined, resamples)
            for number, (line, found) in enumerate(zip(lines, scores, strict=True))
            for text, relation in line.relations.items()
        }

    def _of_random(self, cell: Cell, lines: Sequence[Line], resamples: Resamples) -> Values:
        from joblib import Parallel, delayed

        rows = Parallel(n_jobs=self._jobs, prefer="threads")(
            delayed(_random_replicate)(cell, lines, resamples, number) for number in range(len(resamples))
        )
        keys = [(number, text) for number, line in enumerate(lines) for text in line.relations]
        table = np.array(rows)
        return {key: table[:, place] for place, key in enumerate(keys)}


def _of_whole(cell: Cell, lines: Sequence[Line], scores: Sequence[FloatArray], resamples: Resamples) -> Values:
    """Return the coefficients of whole corpora made of the segments and systems of each replicate."""
    undefined, grouping = cell.experiment.correlation.undefined, cell.experiment.correlation.grouping
    values: Values = {(number, text): np.empty(0) for number, line in enumerate(lines) for text in line.relations}
    for start in range(0, len(resamples), _BLOCK):
        rows = slice(start, start + _BLOCK)
        systems = None if resamples.systems is None else resamples.systems[rows]
        replicate = cell.scores
        if resamples.segments is not None:
            replicate = _rescored(cell, resamples.segments[rows], start)
        for number, line in enumerate(lines):
            found = scores[number] if resamples.segments is None else line.scores_of(replicate)
            metric, human = _with_systems(found, replicate.human, systems)
            for text, relation in line.relations.items():
                # Each replicate is a document of its own, whatever the grouping of the one document.
                by_system = "system" if grouping == "pooled" else grouping
                part = line_coefficients(metric, human, relation, by_system)
                values[number, text] = np.concatenate([values[number, text], _filled(part, undefined)])
    return values


def _rescored(cell: Cell, counts: IntArray, start: int) -> HumanScores:
    """Return documents with each segment as often as `counts` (replicates, segments) says, and their scores."""
    scores = cell.scores
    if cell.experiment.judgments.rule == "draw":
        everything = np.broadcast_to(np.arange(counts.shape[1], dtype=np.int32), counts.shape)
        documents = Documents(indices=np.repeat(everything.ravel(), counts.ravel()).reshape(len(counts), -1))
    else:
        documents = Documents(counts=counts.astype(np.float64))
    names = ("judgments of replicates", cell.judged.criterion.name, start)
    human, second = human_scores(
        scores.items, documents, cell.experiment, cell.corpus.systems, names, two=scores.second is not None
    )
    return replace(scores, documents=documents, human=human, second=second)


def _with_systems(metric: FloatArray, human: FloatArray, systems: IntArray | None) -> tuple[FloatArray, FloatArray]:
    """Return scores (subsets or 1, documents, systems) and (documents, systems) of the systems of each replicate."""
    if systems is None:
        return metric, human
    if len(human) == 1:
        return metric[:, 0][:, systems], human[0][systems]
    return np.take_along_axis(metric, np.broadcast_to(systems, (len(metric), *systems.shape)), axis=2), (
        np.take_along_axis(human, systems, axis=1)
    )


def _of_units(
    metric: FloatArray,
    human: FloatArray,
    relation: Relation,
    grouping: str,
    undefined: str,
    resamples: Resamples,
) -> FloatArray:
    """Return the mean coefficients of documents that are drawn again as they are: (replicates,)."""
    if grouping == "system" and resamples.systems is None:
        assert resamples.segments is not None
        values = _filled(line_coefficients(metric, human, relation, grouping), undefined)
        defined = (~np.isnan(values)).astype(np.float64)
        counts = resamples.segments.astype(np.float64)
        totals, numbers = counts @ np.nan_to_num(values, nan=0.0), counts @ defined
        return np.asarray(np.divide(totals, numbers, out=np.full(len(counts), np.nan), where=numbers > 0))
    found = np.empty(len(resamples))
    everything = np.arange(len(human))
    for number in range(len(resamples)):
        documents = everything if resamples.segments is None else np.repeat(everything, resamples.segments[number])
        one, people = metric[:, documents], human[documents]
        if resamples.systems is not None:
            one, people = one[:, :, resamples.systems[number]], people[:, resamples.systems[number]]
        found[number] = _mean(_filled(line_coefficients(one, people, relation, grouping), undefined))
    return found


def _random_replicate(cell: Cell, lines: Sequence[Line], resamples: Resamples, number: int) -> list[float]:
    """Return the mean coefficients of random documents from the segments of one replicate, line by line."""
    experiment, scores = cell.experiment, cell.scores
    settings, seed = experiment.documents, experiment.seed
    assert scores.length is not None
    n_segments = len(scores.segments)
    # The inter-judge line can have segments, and so draws, of its own.
    names = ("replicates", "inter-judge" if lines[0].condition == "" else "documents", scores.length, number)
    drawn = draw_documents(
        n_segments, scores.length, settings.count, generator(seed, *names), replacement=settings.replacement
    )
    assert drawn.indices is not None
    documents = drawn
    if resamples.segments is not None:
        slots = np.repeat(np.arange(n_segments, dtype=np.int32), resamples.segments[number])
        documents = Documents(indices=slots[drawn.indices])
    human, second = human_scores(
        scores.items,
        documents,
        experiment,
        cell.corpus.systems,
        ("judgments", *names, cell.judged.criterion.name),
        two=scores.second is not None,
    )
    replicate = replace(scores, documents=documents, human=human, second=second)
    systems = None if resamples.systems is None else resamples.systems[number]
    people = human if systems is None else human[:, systems]
    values = []
    for line in lines:
        metric = line.scores_of(replicate)
        metric = metric if systems is None else metric[:, :, systems]
        for relation in line.relations.values():
            found = line_coefficients(metric, people, relation, experiment.correlation.grouping)
            values.append(_mean(_filled(found, experiment.correlation.undefined)))
    return values


def _filled(values: FloatArray, undefined: str) -> FloatArray:
    return np.nan_to_num(values, nan=0.0) if undefined == "zero" else values


def _mean(values: FloatArray) -> float:
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else float("nan")


def _without_each(resamples: Resamples) -> list[Resamples]:
    """Return replicates that leave out one segment each, and one system each, as far as these are resampled."""
    found = []
    if resamples.segments is not None:
        n_segments = resamples.segments.shape[1]
        found.append(
            Resamples(np.ones((n_segments, n_segments), np.uint16) - np.eye(n_segments, dtype=np.uint16), None)
        )
    if resamples.systems is not None:
        n_systems = resamples.systems.shape[1]
        others = [[other for other in range(n_systems) if other != system] for system in range(n_systems)]
        found.append(Resamples(None, np.array(others, dtype=np.int32)))
    return found
