"""The noise ceiling of the documents of an experiment, and what fraction of it the metrics reach: rows of ceiling.tsv.

Human scores agree with one another up to a point, which bounds what a metric can reach. Where judgments are averaged,
the ceiling is that of the mean of all judgments; where one judgment is drawn (rule ``draw``), it is that of a single
judgment, the root of the inter-judge coefficient. The level of chance is what the metric gets when the systems' human
scores are exchanged.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from metaeval.contracts import Coefficient
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
from metaeval.experiment.cells import Cell, systems_scored
from metaeval.experiment.resample import Resampler
from metaeval.experiment.testing import CellLines
from metaeval.randomness import generator
from metaeval.records import Documents, FloatArray
from metaeval.results.keys import Key
from metaeval.results.rows import Ceiling

FRACTION = "fraction of ceiling"
# Shuffles, and replicates of the ceiling, are no more than this: their bounds need no more digits.
_ENOUGH = 1000


def ceiling_rows(one: CellLines, resampler: Resampler) -> list[Ceiling]:
    """Return the noise ceiling of the documents of a cell, and each metric's fraction of it and level of chance."""
    cell, n_draws = one.cell, one.cell.experiment.judgments.ceiling
    average_by = cell.experiment.correlation.average_by
    # One that is calibrated on both sides' scores has none: a constant metric, and no shuffle, is its floor. Nor has
    # one whose pairs were chosen by all of the judgments.
    every = cell.experiment.correlation.coefficients
    coefficients = {
        named.written: named.kind for named in every if not (named.kind.is_fitted or named.kind.needs_items)
    }
    found = ceilings(
        cell.scores.items,
        cell.scores.documents,
        [(coefficient, average_by) for coefficient in coefficients.values()],
        n_draws=n_draws,
        rng=_rng(cell, "ceiling"),
        by_cell=_by_cell(cell),
    )
    rows: list[Ceiling] = []
    for (text, coefficient), of_judges in zip(coefficients.items(), found, strict=True):
        of_judges = [*of_judges, *_of_one_judgment(cell, coefficient, of_judges)]
        rows.extend(Ceiling(cell.key(coefficient=text), **vars(row)) for row in of_judges)
        values = {row.kind: row.value for row in of_judges}
        ceiling = values.get("ceiling of one judgment", values.get("ceiling", float("nan")))
        replicates = _ceiling_replicates(one, coefficient, resampler)
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
                    )
                    limits = (fraction.lower, fraction.upper)
                rows.append(Ceiling(key, FRACTION, value, *limits))
            rows.append(_chance(one, number, key))
    return rows


def _by_cell(cell: Cell) -> bool:
    """Return whether coefficients of single segments are across the systems that were judged."""
    return cell.experiment.documents.units.is_single and not (cell.scores.items.counts > 0).all()


def _of_one_judgment(cell: Cell, coefficient: Coefficient, rows: list[CeilingRow]) -> list[CeilingRow]:
    """Return the ceiling of a metric that is correlated with one drawn judgment of each item."""
    if cell.experiment.judgments.rule != "draw" or not coefficient.is_odd:
        return []
    (inter,) = (row for row in rows if row.kind == "inter-judge")
    return [replace(inter, kind="ceiling of one judgment", value=float(ceiling_of(inter.value)), sd=np.nan)]


def _ceiling_replicates(one: CellLines, coefficient: Coefficient, resampler: Resampler) -> FloatArray | None:
    """Return the ceiling in the replicates of the segments; None where it has no replicates."""
    cell, settings = one.cell, one.cell.experiment
    whole = settings.documents.units.is_whole
    resampled = one.replicates is not None and cell.resample not in ("systems", "both") and one.replicates.values
    averaged = settings.judgments.rule != "draw" and not settings.documents.units.is_drawn
    if not (resampled and averaged and coefficient.is_odd and (whole or settings.correlation.average_by == "item")):
        return None
    resamples = resampler.resamples(cell)
    assert resamples.segments is not None
    counts = resamples.segments if resamples.weights is not None else resamples.segments[:_ENOUGH]
    weights = counts.astype(np.float64)
    documents = Documents(counts=weights) if whole else cell.scores.documents
    halves = ceiling_by_document(
        cell.scores.items,
        documents,
        coefficient,
        n_draws=settings.judgments.ceiling,
        rng=_rng(cell, "ceiling of replicates"),
        by_cell=_by_cell(cell),
    )
    if not whole:
        defined = ~np.isnan(halves)
        number = weights @ defined
        total = weights @ np.nan_to_num(halves, nan=0.0)
        halves = np.divide(total, number, out=np.full(len(weights), np.nan), where=number > 0)
    return ceiling_of(stepped_up(halves, length_factor(cell.scores.items.counts)))


def _chance(one: CellLines, number: int, key: Key) -> Ceiling:
    cell, line, settings = one.cell, one.lines[number], one.cell.experiment
    scored = systems_scored(one.scores[number])
    scores, human = one.scores[number][..., scored], cell.scores.human[:, scored]
    defined = np.isfinite(scores).all(axis=(0, 2))
    # With several reference subsets the first stands for all: chance knows none of them.
    level = chance_level(
        scores[0][defined],
        human[defined],
        line.relations[key.coefficient],
        settings.correlation.average_by,
        n_shuffles=min(settings.uncertainty.replicates, _ENOUGH),
        rng=_rng(cell, "chance"),
        confidence_level=settings.uncertainty.confidence_level,
    )
    return Ceiling(key, "chance", level.mean, level.lower, level.upper)


def _rng(cell: Cell, what: str) -> np.random.Generator:
    return generator(cell.experiment.seed, what, cell.judged.criterion.name, cell.scores.length or 0)
