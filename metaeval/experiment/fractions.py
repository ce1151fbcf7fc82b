"""The noise ceiling of the documents of an experiment, and what fraction of it the metrics reach: rows of ceiling.tsv.

Human scores agree with one another up to a point, which bounds what a metric can reach. Where judgments are averaged,
the ceiling is that of the mean of all judgments; where one judgment is drawn (rule ``draw``), it is that of a single
judgment, the root of the inter-judge coefficient. The level of chance is what the metric gets when the systems' human
scores are exchanged.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from metaeval.contracts import Coefficient
from metaeval.correlation.averages import Relation, systems_scored
from metaeval.correlation.ceiling import (
    CeilingRow,
    ceiling_by_document,
    ceiling_of,
    ceilings,
    fraction_of_ceiling,
    length_factor,
    stepped_up,
)
from metaeval.correlation.chance import chance_level
from metaeval.experiment.cells import Cell
from metaeval.experiment.executor import Call
from metaeval.experiment.grid import Grid
from metaeval.experiment.redrawn import blocks
from metaeval.experiment.resample import Resampler
from metaeval.pooling import JudgedValues
from metaeval.randomness import generator
from metaeval.records import Documents, FloatArray
from metaeval.results.rows import CHANCE, FRACTION, Ceiling

# Shuffles, and replicates of the ceiling, are no more than this: their bounds need no more digits.
_ENOUGH = 1000


def ceiling_calls(one: Grid) -> list[Call]:
    """Return what takes long of :func:`ceiling_rows`: agreement of people, levels of chance of metrics, and halves."""
    cell, lines, scores = one.cell, one.lines, one.scores
    settings, coefficients = cell.experiment, _coefficients(cell)
    how = settings.judgments.ceiling, _by_cell(cell), settings.correlation.average_by
    people = cell.scores.items, cell.scores.documents, [*coefficients.values()], *how, _names(cell, "ceiling")
    calls = [Call(_of_judges, people, what=f"{cell.path}: the noise ceiling")]
    n_shuffles, level = min(settings.uncertainty.replicates, _ENOUGH), settings.uncertainty.confidence_level
    for text in coefficients:
        for line, of_line in zip(lines, scores, strict=True):
            if line.is_metric:
                scored = systems_scored(of_line)
                defined = np.isfinite(of_line[..., scored]).all(axis=(0, 2))
                # With several reference subsets the first stands for all: chance knows none of them.
                sides = of_line[0][..., scored][defined], cell.scores.human[:, scored][defined], line.relations[text]
                given = (*sides, settings.correlation.average_by, n_shuffles, level, _names(cell, "chance"))
                calls.append(Call(_chance, given, what=f"{cell.path}: the level of chance of {line.name}"))
    if not settings.documents.units.is_whole:
        # Of whole corpora each replicate has halves of its own, which need the draws.
        halved = (one for one in coefficients.values() if _has_replicates(cell, one))
        calls += [Call(_halves, _halves_of(cell, one, cell.scores.documents), what=calls[0].what) for one in halved]
    return calls


def _coefficients(cell: Cell) -> dict[str, Coefficient]:
    # One that is calibrated on both sides' scores has none: a constant metric, and no shuffle, is its floor. Nor has
    # one whose pairs were chosen by all of the judgments.
    every = cell.experiment.correlation.coefficients
    return {named.written: named.kind for named in every if not (named.kind.is_fitted or named.kind.needs_items)}


def ceiling_rows(one: Grid, resampler: Resampler, made: Sequence[Any]) -> list[Ceiling]:
    """Return the noise ceiling of the documents of a cell, and each metric's fraction of it and level of chance.

    Parameters
    ----------
    one : Grid
    resampler : Resampler
    made : sequence
        What :func:`ceiling_calls` give.
    """
    cell, coefficients = one.cell, _coefficients(one.cell)
    people, *others = made
    # For each coefficient a level of chance for each metric, and then the halves for each.
    of_chance = iter(others)
    halves = iter(others[len(coefficients) * sum(line.is_metric for line in one.lines) :])
    rows: list[Ceiling] = []
    for (text, coefficient), of_judges in zip(coefficients.items(), people, strict=True):
        of_judges = [*of_judges, *_of_one_judgment(cell, coefficient, of_judges)]
        rows.extend(Ceiling(cell.key(coefficient=text), **vars(row)) for row in of_judges)
        values = {row.kind: row.value for row in of_judges}
        ceiling = values.get("ceiling of one judgment", values.get("ceiling", float("nan")))
        replicates = _ceiling_replicates(one, coefficient, resampler, halves)
        for number, line in enumerate(one.lines):
            if not line.is_metric:
                continue
            key, mean = cell.key(line.preprocessing, text, line.name), one.mean(number, text)
            if coefficient.is_odd and systems_scored(one.scores[number]).all():
                limits = (np.nan, np.nan)
                value = float(mean / ceiling) if ceiling > 0 else np.nan
                if replicates is not None and one.replicates is not None:
                    fraction = fraction_of_ceiling(
                        value,
                        one.replicates.values[number, text][: len(replicates)],
                        replicates,
                        cell.drawn(len(cell.corpus.systems)),
                        confidence_level=cell.experiment.uncertainty.confidence_level,
                        weights=one.replicates.weights,
                        largest=1 / ceiling if ceiling > 0 else np.inf,
                    )
                    limits = (fraction.lower, fraction.upper)
                rows.append(Ceiling(key, FRACTION, value, *limits))
            rows.append(Ceiling(key, CHANCE, *next(of_chance).tolist()))
    return rows


def _of_judges(
    items: JudgedValues,
    documents: Documents,
    coefficients: Sequence[Coefficient],
    n_draws: int,
    by_cell: bool,
    average_by: str,
    names: _Names,
) -> list[list[CeilingRow]]:
    """Return the rows of the agreement of people, for each coefficient."""
    relations = [(coefficient, average_by) for coefficient in coefficients]
    return ceilings(items, documents, relations, n_draws=n_draws, rng=generator(*names), by_cell=by_cell)


def _by_cell(cell: Cell) -> bool:
    """Return whether coefficients of single segments are across the systems that were judged."""
    return cell.experiment.documents.units.is_single and not (cell.scores.items.counts > 0).all()


def _of_one_judgment(cell: Cell, coefficient: Coefficient, rows: list[CeilingRow]) -> list[CeilingRow]:
    """Return the ceiling of a metric that is correlated with one drawn judgment of each item."""
    if cell.experiment.judgments.rule != "draw" or not coefficient.is_odd:
        return []
    (inter,) = (row for row in rows if row.kind == "inter-judge")
    return [replace(inter, kind="ceiling of one judgment", value=float(ceiling_of(inter.value)), sd=np.nan)]


def _has_replicates(cell: Cell, coefficient: Coefficient) -> bool:
    """Return whether the ceiling is computed in the replicates of segments too."""
    settings = cell.experiment
    whole = settings.documents.units.is_whole
    averaged = settings.judgments.rule != "draw" and not settings.documents.units.is_drawn
    resampled = settings.needs_replicates and cell.resample not in ("systems", "both")
    return resampled and averaged and coefficient.is_odd and (whole or settings.correlation.average_by == "item")


def _ceiling_replicates(
    one: Grid, coefficient: Coefficient, resampler: Resampler, halves: Iterator[FloatArray]
) -> FloatArray | None:
    """Return the ceiling in the replicates of segments, of documents from the next halves; None where it has none."""
    cell = one.cell
    if not _has_replicates(cell, coefficient):
        return None
    whole = cell.experiment.documents.units.is_whole
    of_documents = np.empty(0) if whole else next(halves)
    if one.replicates is None or not one.replicates.values:
        return None
    resamples = resampler.resamples(cell)
    assert resamples.segments is not None
    counts, n_replicates = resamples.segments, len(resamples)
    if resamples.weights is None:
        n_replicates = min(_ENOUGH, n_replicates)
    defined, known = ~np.isnan(of_documents), np.nan_to_num(of_documents, nan=0.0)
    found = []
    for rows in blocks(n_replicates, 4 * counts.shape[1], n_replicates):
        drawn = counts[rows.start : min(rows.stop, n_replicates)]
        if whole:
            found.append(_halves(*_halves_of(cell, coefficient, Documents(counts=drawn))))
        else:
            weights = drawn.astype(np.float64)
            number = weights @ defined
            found.append(np.divide(weights @ known, number, out=np.full(len(weights), np.nan), where=number > 0))
    return ceiling_of(stepped_up(np.concatenate(found), length_factor(cell.scores.items.counts)))


def _halves_of(
    cell: Cell, coefficient: Coefficient, documents: Documents
) -> tuple[JudgedValues, Documents, Coefficient, int, bool, str, _Names]:
    """Return what :func:`_halves` takes."""
    how = cell.experiment.judgments.ceiling, _by_cell(cell), cell.experiment.correlation.average_by
    return cell.scores.items, documents, coefficient, *how, _names(cell, "ceiling of replicates")


def _halves(
    items: JudgedValues,
    documents: Documents,
    coefficient: Coefficient,
    n_draws: int,
    by_cell: bool,
    average_by: str,
    names: _Names,
) -> FloatArray:
    """Return the agreement of halves of the judgments, the same halves each time: (documents,)."""
    rng = generator(*names)
    return ceiling_by_document(items, documents, coefficient, n_draws=n_draws, rng=rng, by_cell=by_cell)


def _chance(
    scores: FloatArray,
    human: FloatArray,
    relation: Relation,
    average_by: str,
    n_shuffles: int,
    confidence_level: float,
    names: _Names,
) -> FloatArray:
    """Return the mean of the level of chance, and its interval: (3,)."""
    rng = generator(*names)
    level = chance_level(
        scores, human, relation, average_by, n_shuffles=n_shuffles, rng=rng, confidence_level=confidence_level
    )
    return np.array([level.mean, level.lower, level.upper])


# The seed, and what is drawn.
_Names: TypeAlias = tuple[int, str, str, int]


def _names(cell: Cell, what: str) -> _Names:
    return cell.experiment.seed, what, cell.judged.criterion.name, cell.scores.length or 0
