"""The noise ceiling of the documents of an experiment, and what fraction of it the metrics reach: rows of ceiling.tsv.

Human scores agree with one another up to a point, which bounds what a metric can reach. Where judgments are averaged,
the ceiling is that of the mean of all judgments; where one judgment is drawn (rule ``draw``), it is that of a single
judgment, the root of the inter-judge coefficient. The level of chance is what the metric gets when the systems' human
scores are exchanged.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import chain
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
from metaeval.correlation.replicated_means import blocks
from metaeval.experiment.executor import Call, Executor
from metaeval.experiment.setting import Setting
from metaeval.pooling import JudgedValues
from metaeval.progress import Tally
from metaeval.randomness import generator
from metaeval.records import Documents, FloatArray
from metaeval.results.rows import CHANCE, FRACTION, Ceiling

# Shuffles, and replicates of the ceiling, are no more than this: their bounds need no more digits.
_ENOUGH = 1000


def ceiling_parts(settings: Sequence[Setting], executor: Executor, tally: Tally) -> list[list[Any]]:
    """Return what takes long of the ceilings of settings: see :func:`ceiling_rows`; nothing if none is wanted."""
    if not (settings and settings[0].experiment.judgments.ceiling):
        return []
    calls = [_calls(one) for one in settings]
    found = []
    # Processes: many short calls of numpy.
    with closing(executor.run([*chain(*calls)], "processes")) as made:
        for of_setting in calls:
            found.append([next(made) for _ in of_setting])
            tally.add()
    return found


def _calls(setting: Setting) -> list[Call]:
    """Return the calls that give the agreement of people, the levels of chance of metrics, and halves."""
    experiment, coefficients = setting.experiment, _coefficients(setting)
    documents, average_by = setting.documents, experiment.correlation.average_by
    how = experiment.judgments.ceiling, _by_item(setting), average_by
    people = documents.items, documents.weights, [*coefficients.values()], *how, _names(setting, "ceiling")
    calls = [Call(_of_judges, people, what=f"{setting.name}: the noise ceiling")]
    n_shuffles, level = min(experiment.uncertainty.replicates, _ENOUGH), experiment.uncertainty.confidence_level
    for text in coefficients:
        for scorer, scores in zip(setting.scorers, setting.scores, strict=True):
            if scorer.is_metric:
                scored = systems_scored(scores)
                defined = np.isfinite(scores[..., scored]).all(axis=(0, 2))
                # With several reference subsets the first stands for all: chance knows none of them.
                sides = scores[0][..., scored][defined], setting.human[:, scored][defined], scorer.relations[text]
                given = (*sides, average_by, n_shuffles, level, _names(setting, "chance"))
                calls.append(Call(_chance, given, what=f"{setting.name}: the level of chance of {scorer.name}"))
    if not experiment.documents.units.is_whole:
        # Of whole corpora each replicate has halves of its own, which need the draws.
        halved = (one for one in coefficients.values() if _has_replicates(setting, one))
        calls += [Call(_halves, _halves_of(setting, one, documents.weights), what=calls[0].what) for one in halved]
    return calls


def _coefficients(setting: Setting) -> dict[str, Coefficient]:
    # One that is calibrated on both sides' scores has none: a constant metric, and no shuffle, is its floor. Nor has
    # one whose pairs were chosen by all of the judgments.
    every = setting.experiment.correlation.coefficients
    return {named.written: named.kind for named in every if not (named.kind.is_fitted or named.kind.needs_items)}


def ceiling_rows(setting: Setting, made: Sequence[Any]) -> list[Ceiling]:
    """Return the noise ceiling of the documents of a setting, and each metric's fraction of it and level of chance.

    Parameters
    ----------
    setting : Setting
        With its replicates, if it needs some.
    made : sequence
        What :func:`ceiling_parts` give for it.
    """
    coefficients = _coefficients(setting)
    people, *others = made
    # For each coefficient a level of chance for each metric, and then the halves for each.
    of_chance = iter(others)
    halves = iter(others[len(coefficients) * sum(one.is_metric for one in setting.scorers) :])
    rows: list[Ceiling] = []
    for (text, coefficient), of_judges in zip(coefficients.items(), people, strict=True):
        of_judges = [*of_judges, *_of_one_judgment(setting, coefficient, of_judges)]
        rows.extend(Ceiling(setting.key(coefficient=text), **vars(row)) for row in of_judges)
        values = {row.kind: row.value for row in of_judges}
        ceiling = values.get("ceiling of one judgment", values.get("ceiling", float("nan")))
        replicates = _ceiling_replicates(setting, coefficient, halves)
        for number, scorer in enumerate(setting.scorers):
            if not scorer.is_metric:
                continue
            key, mean = setting.key(scorer.preprocessing, text, scorer.name), setting.mean(number, text)
            if coefficient.is_odd and systems_scored(setting.scores[number]).all():
                limits = (np.nan, np.nan)
                value = float(mean / ceiling) if ceiling > 0 else np.nan
                if replicates is not None and setting.replicates is not None:
                    (of_metric,) = setting.replicates.of([number], text, denoised=False)
                    fraction = fraction_of_ceiling(
                        value,
                        of_metric[: len(replicates)],
                        replicates,
                        setting.units(len(setting.corpus.systems)),
                        confidence_level=setting.experiment.uncertainty.confidence_level,
                        weights=setting.replicates.resamples.weights,
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


def _by_item(setting: Setting) -> bool:
    """Return whether coefficients of single segments are across the systems that were judged."""
    return setting.experiment.documents.units.is_single and not (setting.documents.items.counts > 0).all()


def _of_one_judgment(setting: Setting, coefficient: Coefficient, rows: list[CeilingRow]) -> list[CeilingRow]:
    """Return the ceiling of a metric that is correlated with one drawn judgment of each item."""
    if setting.experiment.judgments.rule != "draw" or not coefficient.is_odd:
        return []
    (inter,) = (row for row in rows if row.kind == "inter-judge")
    return [replace(inter, kind="ceiling of one judgment", value=float(ceiling_of(inter.value)), sd=np.nan)]


def _has_replicates(setting: Setting, coefficient: Coefficient) -> bool:
    """Return whether the ceiling is computed in the replicates of segments too."""
    experiment = setting.experiment
    whole = experiment.documents.units.is_whole
    averaged = experiment.judgments.rule != "draw" and not experiment.documents.units.is_drawn
    resampled = experiment.needs_replicates and setting.resample not in ("systems", "both")
    return resampled and averaged and coefficient.is_odd and (whole or experiment.correlation.average_by == "item")


def _ceiling_replicates(setting: Setting, coefficient: Coefficient, halves: Iterator[FloatArray]) -> FloatArray | None:
    """Return the ceiling in the replicates of segments, of documents from the next halves; None where it has none."""
    if not _has_replicates(setting, coefficient):
        return None
    whole = setting.experiment.documents.units.is_whole
    of_documents = np.empty(0) if whole else next(halves)
    if setting.replicates is None or not setting.replicates.means:
        return None
    resamples = setting.replicates.resamples
    assert resamples.segments is not None
    counts, n_replicates = resamples.segments, len(resamples)
    if resamples.weights is None:
        n_replicates = min(_ENOUGH, n_replicates)
    defined, known = ~np.isnan(of_documents), np.nan_to_num(of_documents, nan=0.0)
    found = []
    for rows in blocks(n_replicates, 4 * counts.shape[1], n_replicates):
        drawn = counts[rows.start : min(rows.stop, n_replicates)]
        if whole:
            found.append(_halves(*_halves_of(setting, coefficient, Documents(counts=drawn))))
        else:
            weights = drawn.astype(np.float64)
            number = weights @ defined
            found.append(np.divide(weights @ known, number, out=np.full(len(weights), np.nan), where=number > 0))
    return ceiling_of(stepped_up(np.concatenate(found), length_factor(setting.documents.items.counts)))


def _halves_of(
    setting: Setting, coefficient: Coefficient, documents: Documents
) -> tuple[JudgedValues, Documents, Coefficient, int, bool, str, _Names]:
    """Return what :func:`_halves` takes."""
    how = setting.experiment.judgments.ceiling, _by_item(setting), setting.experiment.correlation.average_by
    return setting.documents.items, documents, coefficient, *how, _names(setting, "ceiling of replicates")


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


def _names(setting: Setting, what: str) -> _Names:
    return setting.experiment.seed, what, setting.criterion.name, setting.documents.length or 0
