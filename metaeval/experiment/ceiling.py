"""The noise ceiling of the documents of an experiment, and what fraction of it the metrics reach: rows of ceiling.tsv.

Human scores agree with one another up to a point, which bounds what a metric can reach. Where judgments are averaged,
the ceiling is that of the mean of all judgments; where one judgment is drawn (rule ``draw``), it is that of a single
judgment, the root of the inter-judge coefficient. The level of chance is what the metric gets when the systems' human
scores are exchanged; that of the best, what the highest of the metrics of a preprocessing gets in the same exchanges.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, TypeAlias

import numpy as np

from metaeval.contracts import Coefficient
from metaeval.correlation.averages import Relation, systems_scored
from metaeval.correlation.ceiling import CeilingRow, ceiling_of, ceilings
from metaeval.correlation.chance import ChanceLevel, best_of_chance, means_in_orders, orders_of_systems
from metaeval.defaults import ALPHA
from metaeval.experiment.setting import Setting
from metaeval.pooling import JudgedValues
from metaeval.progress import Tally
from metaeval.randomness import generator
from metaeval.records import Documents, FloatArray, IntArray
from metaeval.results.rows import BEST_OF_CHANCE, CHANCE, FRACTION, Ceiling
from metaeval.runtime.parallel import Call, Executor

# Shuffles are no more than this: their bounds need no more digits.
_ENOUGH = 1000


def _n_shuffles(setting: Setting) -> int:
    """Return in how many orders of the systems a metric by itself is correlated with human scores."""
    return min(setting.experiment.uncertainty.replicates, _ENOUGH)


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
    """Return the calls that give the agreement of people and the levels of chance of metrics."""
    experiment, coefficients = setting.experiment, _coefficients(setting)
    documents, average_by = setting.documents, experiment.correlation.average_by
    how = experiment.judgments.ceiling, _by_item(setting), average_by
    people = documents.items, documents.weights, [*coefficients.values()], *how, _names(setting, "ceiling")
    calls = [Call(_agreement_of_people, people, what=f"{setting.name}: the noise ceiling")]
    n_shuffles = _n_shuffles(setting)
    for text in coefficients:
        for number, among in _exchanged(setting):
            scorer, scores, exchanged = setting.scorers[number], setting.scores[number], np.array(among)
            scored = systems_scored(scores)
            defined = np.isfinite(scores[..., scored]).all(axis=(0, 2))
            # With several reference subsets the first stands for all: chance knows none of them.
            sides = scores[0][..., scored][defined], setting.human[:, exchanged][defined], scorer.relations[text]
            given = (*sides, np.flatnonzero(scored[exchanged]), average_by, n_shuffles, _names(setting, "chance"))
            calls.append(Call(_in_exchanges, given, what=f"{setting.name}: the level of chance of {scorer.name}"))
    return calls


# Which systems of a corpus are meant.
_Systems: TypeAlias = tuple[bool, ...]


@dataclass(frozen=True)
class _Family:
    """The metrics of a preprocessing that scored the most systems, the best of which is told from chance.

    The systems are all that any of them scored.
    """

    preprocessing: str
    numbers: Sequence[int]
    systems: _Systems


def _scored(setting: Setting) -> dict[int, _Systems]:
    """Return which systems each metric scored."""
    lines = enumerate(zip(setting.scorers, setting.scores, strict=True))
    return {number: tuple(systems_scored(scores).tolist()) for number, (scorer, scores) in lines if scorer.is_metric}


def _families(setting: Setting) -> list[_Family]:
    found, scored = [], _scored(setting)
    for preprocessing in dict.fromkeys(setting.scorers[number].preprocessing for number in scored):
        own = [number for number in scored if setting.scorers[number].preprocessing == preprocessing]
        most = max(sum(scored[number]) for number in own)
        numbers = [number for number in own if sum(scored[number]) == most]
        systems = tuple(any(some) for some in zip(*(scored[number] for number in numbers), strict=True))
        found.append(_Family(preprocessing, numbers, systems))
    return found


def _exchanged(setting: Setting) -> list[tuple[int, _Systems]]:
    """Return which metrics are correlated with exchanged human scores, and among which systems these are exchanged.

    Each metric among the systems that it scored, and, if that is something else, among those of its family.
    """
    of_families = [(number, family.systems) for family in _families(setting) for number in family.numbers]
    return list(dict.fromkeys([*_scored(setting).items(), *of_families]))


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
    made : sequence
        What :func:`ceiling_parts` give for it.
    """
    coefficients, confidence_level = _coefficients(setting), setting.experiment.uncertainty.confidence_level
    people, *others = made
    scored = _scored(setting)
    calls = iter(others)
    rows: list[Ceiling] = []
    for (text, coefficient), of_people in zip(coefficients.items(), people, strict=True):
        of_people = [*of_people, *_of_one_judgment(setting, coefficient, of_people)]
        rows.extend(Ceiling(setting.key(coefficient=text), **vars(row)) for row in of_people)
        values = {row.kind: row.value for row in of_people}
        ceiling = values.get("ceiling of one judgment", values.get("ceiling", float("nan")))
        of_chance = {one: next(calls) for one in _exchanged(setting)}
        for number, scorer in enumerate(setting.scorers):
            if not scorer.is_metric:
                continue
            key, mean = setting.key(scorer.preprocessing, text, scorer.name), setting.mean(number, text)
            if coefficient.is_odd and systems_scored(setting.scores[number]).all():
                rows.append(Ceiling(key, FRACTION, float(mean / ceiling) if ceiling > 0 else np.nan))
            means, exact = of_chance[number, scored[number]]
            own = means if exact else means[: _n_shuffles(setting)]
            level = ChanceLevel.from_means(own, exact=exact, confidence_level=confidence_level)
            rows.append(Ceiling(key, CHANCE, level.mean, level.lower, level.upper))
        for family in _families(setting):
            key, made_of = (
                setting.key(family.preprocessing, text),
                [of_chance[one, family.systems] for one in family.numbers],
            )
            together, exact = np.array([means for means, _ in made_of]), made_of[0][1]
            mean, upper = best_of_chance(together, exact=exact, alpha=ALPHA)
            rows.append(Ceiling(key, BEST_OF_CHANCE, mean, upper=upper, n_draws=together.shape[1]))
    return rows


def _agreement_of_people(
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


def _in_exchanges(
    scores: FloatArray,
    human: FloatArray,
    relation: Relation,
    places: IntArray,
    average_by: str,
    n_shuffles: int,
    names: _Names,
) -> tuple[FloatArray, bool]:
    """Return the mean coefficients where the systems of `human` are exchanged, and whether in each possible way.

    The systems of the metric are at `places` among those of `human`. The orders are drawn from one seed: they are the
    same for all metrics of a setting whose human scores are those of the same systems. Of a metric by itself the first
    `n_shuffles` are enough; the best of several metrics is to be told from chance at a level that does not depend on
    how many replicates there are.
    """
    orders, exact = orders_of_systems(human.shape[1], n_shuffles, generator(*names), n_drawn=_ENOUGH)
    # Sums have their last bits from how the orders lie in memory.
    placed = np.ascontiguousarray(orders[:, places])
    return means_in_orders(scores, human, placed, relation, average_by), exact


# The seed, and what is drawn.
_Names: TypeAlias = tuple[int, str, str, int]


def _names(setting: Setting, what: str) -> _Names:
    return setting.experiment.seed, what, setting.criterion.name, setting.documents.length or 0
