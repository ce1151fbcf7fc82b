"""The noise ceiling of the documents of an experiment, and what fraction of it the metrics reach: rows of ceiling.tsv.

Human scores agree with one another up to a point, which bounds what a metric can reach. Where judgments are averaged,
the ceiling is that of the mean of all judgments; where one judgment is drawn (rule ``draw``), it is that of a single
judgment, the root of the inter-judge coefficient. The level of chance is what the metric gets when the systems' human
scores are exchanged.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from metaeval.contracts import Coefficient
from metaeval.correlation.ceiling import (
    ROWS,
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
from metaeval.experiment.redrawn import blocks
from metaeval.experiment.resample import Resampler
from metaeval.experiment.testing import CellLines
from metaeval.randomness import generator
from metaeval.records import Documents, FloatArray
from metaeval.results.keys import Key
from metaeval.results.rows import Ceiling
from metaeval.store import kept

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
    relations = [(coefficient, average_by) for coefficient in coefficients.values()]

    def correlate_people() -> FloatArray:
        of_judges = ceilings(
            cell.scores.items,
            cell.scores.documents,
            relations,
            n_draws=n_draws,
            rng=_rng(cell, "ceiling"),
            by_cell=_by_cell(cell),
        )
        rows = [
            (n, ROWS.index(row.kind), *list(vars(row).values())[1:]) for n, rows in enumerate(of_judges) for row in rows
        ]
        return np.array(rows, dtype=np.float64).reshape(-1, 8)

    parts = ("ceilings", *_of_people(cell, cell.scores.documents, "ceiling"), repr(relations))
    found: list[list[CeilingRow]] = [[] for _ in relations]
    for number, kind, value, sd, drawn, used, share, undefined in kept(
        "replicates", parts, correlate_people, (None, 8)
    ).tolist():
        row = CeilingRow(ROWS[int(kind)], value, sd, int(drawn), int(used), share, int(undefined))
        found[int(number)].append(row)
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
    counts, n_replicates = resamples.segments, len(resamples)
    if resamples.weights is None:
        n_replicates = min(_ENOUGH, n_replicates)

    def halves_of(documents: Documents) -> FloatArray:
        """Return the agreement of halves of the judgments, the same halves each time: (documents,)."""
        parts = ("halves", *_of_people(cell, documents, "ceiling of replicates"), repr(coefficient))
        return kept("replicates", parts, partial(correlate_halves, documents), (len(documents),))

    def correlate_halves(documents: Documents) -> FloatArray:
        return ceiling_by_document(
            cell.scores.items,
            documents,
            coefficient,
            n_draws=settings.judgments.ceiling,
            rng=_rng(cell, "ceiling of replicates"),
            by_cell=_by_cell(cell),
        )

    of_documents = np.empty(0) if whole else halves_of(cell.scores.documents)
    defined, known = ~np.isnan(of_documents), np.nan_to_num(of_documents, nan=0.0)
    found = []
    for rows in blocks(n_replicates, 4 * counts.shape[1], n_replicates):
        drawn = counts[rows.start : min(rows.stop, n_replicates)]
        if whole:
            found.append(halves_of(Documents(counts=drawn)))
        else:
            weights = drawn.astype(np.float64)
            number = weights @ defined
            found.append(np.divide(weights @ known, number, out=np.full(len(weights), np.nan), where=number > 0))
    return ceiling_of(stepped_up(np.concatenate(found), length_factor(cell.scores.items.counts)))


def _chance(one: CellLines, number: int, key: Key) -> Ceiling:
    cell, line, settings = one.cell, one.lines[number], one.cell.experiment
    scored = systems_scored(one.scores[number])
    scores, human = one.scores[number][..., scored], cell.scores.human[:, scored]
    defined = np.isfinite(scores).all(axis=(0, 2))
    relation, n_shuffles = line.relations[key.coefficient], min(settings.uncertainty.replicates, _ENOUGH)
    confidence_level = settings.uncertainty.confidence_level

    def shuffle() -> FloatArray:
        # With several reference subsets the first stands for all: chance knows none of them.
        level = chance_level(
            scores[0][defined],
            human[defined],
            relation,
            settings.correlation.average_by,
            n_shuffles=n_shuffles,
            rng=_rng(cell, "chance"),
            confidence_level=confidence_level,
        )
        return np.array([level.mean, level.lower, level.upper])

    sides = (scores[0][defined], human[defined], type(relation).__name__, repr(relation.coefficient))
    how = (settings.correlation.average_by, n_shuffles, confidence_level, *_names(cell, "chance"))
    return Ceiling(key, "chance", *kept("replicates", ("chance", *sides, *how), shuffle, (3,)).tolist())


def _of_people(cell: Cell, documents: Documents, what: str) -> tuple[object, ...]:
    """Return all that a ceiling depends on beside the coefficient."""
    items = cell.scores.items
    held = documents.indices if documents.counts is None else documents.counts
    how = (cell.experiment.judgments.ceiling, _by_cell(cell), cell.experiment.correlation.average_by)
    return items.values, items.counts, held, *how, *_names(cell, what)


def _names(cell: Cell, what: str) -> tuple[int | str, ...]:
    return cell.experiment.seed, what, cell.judged.criterion.name, cell.scores.length or 0


def _rng(cell: Cell, what: str) -> np.random.Generator:
    seed, *names = _names(cell, what)
    return generator(int(seed), *names)
