"""Replicates of whole corpora: each is a document, a row of segment weights, so that all are scored at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from metaeval.correlation.averages import line_coefficients, systems_scored
from metaeval.correlation.vectors import parts
from metaeval.experiment.cells import Cell, Line, scores_of_lines
from metaeval.experiment.humans import HumanScores, human_scores
from metaeval.experiment.redrawn import blocks, without_copies
from metaeval.records import Documents, FloatArray, IntArray
from metaeval.replicates import Resamples

Values = dict[tuple[int, str], FloatArray]
# Scores of replicates that are made together, of lines of whole corpora.
_AT_ONCE = 1 << 24
# The place of the human scores among the lines whose scores are kept.
PEOPLE = -1


def of_whole(
    cell: Cell,
    lines: Sequence[Line],
    scores: Sequence[FloatArray],
    resamples: Resamples,
    kept: dict[int, list[FloatArray]] | None,
) -> Values:
    """Return the coefficients of whole corpora made of the segments and systems of each replicate.

    The scores of the systems in replicates of the segments go to `kept`, by the line, a part after the other.
    """
    average_by = cell.experiment.correlation.average_by
    values: Values = {(number, text): np.empty(0) for number, line in enumerate(lines) for text in line.relations}
    n_drawn = cell.scores.items.counts.size if cell.experiment.judgments.rule == "draw" else len(cell.scores.segments)
    for rows in blocks(len(resamples), n_drawn):
        systems = None if resamples.systems is None else resamples.systems[rows]
        replicate = cell.scores
        if resamples.segments is not None:
            replicate = _rescored(cell, resamples.segments[rows], rows.start)
            if kept is not None:
                kept.setdefault(PEOPLE, []).append(replicate.human)
        again: Iterator[FloatArray] = iter(())
        if resamples.segments is not None:
            again = _scored_again([line for line in lines if not line.is_stored], replicate, len(scores[0]))
        for number, line in enumerate(lines):
            if line.is_stored and resamples.segments is not None:
                nothing = np.full(len(replicate.human), np.nan)
                values.update({(number, text): np.append(values[number, text], nothing) for text in line.relations})
                continue
            found = scores[number] if resamples.segments is None else next(again)
            if kept is not None and resamples.segments is not None and len(found) == 1:
                kept.setdefault(number, []).append(found[0])
            metric, human = _with_systems(found, replicate.human, systems)
            unjudged, scored = ~np.isfinite(human).all(axis=1), systems_scored(found)
            if systems is not None and not scored.all():
                human = np.where(scored[systems], human, np.nan)
            for text, relation in line.relations.items():
                # Each replicate is a document of its own, whatever the one document is averaged by.
                by_system = "item" if average_by == "none" else average_by
                part = line_coefficients(metric, human, relation, by_system)
                if systems is not None:
                    part = without_copies(part, np.isfinite(human), systems, relation, by_system)
                # A replicate that drew no judgment of some system is no replicate of the corpus.
                part[unjudged] = np.nan
                values[number, text] = np.concatenate([values[number, text], part])
    return values


def _scored_again(lines: Sequence[Line], replicate: HumanScores, n_subsets: int) -> Iterator[FloatArray]:
    """Give the scores of replicates by each line."""
    # What several lines count is added once, but few scores are held at once that nobody keeps.
    for some in parts(len(lines), max(1, _AT_ONCE // max(1, n_subsets * replicate.human.size))):
        yield from scores_of_lines(lines[some], replicate)


def _rescored(cell: Cell, counts: npt.NDArray[np.uint16], start: int) -> HumanScores:
    """Return documents with each segment as often as `counts` (replicates, segments) says, and their scores."""
    scores = cell.scores
    if cell.experiment.judgments.rule == "draw":
        everything = np.broadcast_to(np.arange(counts.shape[1], dtype=np.int32), counts.shape)
        documents = Documents(indices=np.repeat(everything.ravel(), counts.ravel()).reshape(len(counts), -1))
    else:
        documents = Documents(counts=counts)
    names = ("judgments of replicates", cell.judged.criterion.name, start)
    two, systems = scores.second is not None, cell.corpus.systems
    human, second = human_scores(scores.items, documents, cell.experiment, systems, [names], two=two)
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
