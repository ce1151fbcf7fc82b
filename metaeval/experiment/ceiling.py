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

from metaeval.components.coefficient import Coefficient
from metaeval.config.defaults import ALPHA
from metaeval.correlation.averages import Relation, systems_scored
from metaeval.correlation.ceiling import CeilingRow, ceiling_of, ceilings
from metaeval.correlation.chance_level import ChanceLevel, best_of_chance, means_in_orders, orders_of_systems
from metaeval.datamodel.corpus import Documents, FloatArray, IntArray
from metaeval.datamodel.pooling import JudgedValues
from metaeval.experiment.setting import Setting
from metaeval.results.rows import BEST_OF_CHANCE, CHANCE, FRACTION, Ceiling
from metaeval.runtime.parallel import Call, Executor
from metaeval.runtime.progress import Tally
from metaeval.runtime.randomness import generator

# More orders of the systems would only add digits to the bounds.
_MAX_SHUFFLES = 1000


def _n_shuffles(setting: Setting) -> int:
    """Return in how many orders of the systems a metric by itself is correlated with human scores."""
    return min(setting.experiment.uncertainty.replicates, _MAX_SHUFFLES)


def ceiling_parts(settings: Sequence[Setting], executor: Executor, tally: Tally) -> list[list[Any]]:
    """Return the slow parts of the ceilings of settings, for :func:`ceiling_rows`; none if no ceiling is wanted."""
    if not (settings and settings[0].experiment.judgments.ceiling):
        return []
    calls = [_calls(setting) for setting in settings]
    results = []
    # Processes: many short calls of numpy.
    with closing(executor.run([*chain(*calls)], "processes")) as made:
        for of_setting in calls:
            results.append([next(made) for _ in of_setting])
            tally.add()
    return results


def _calls(setting: Setting) -> list[Call]:
    """Return the calls that give the agreement of people and the levels of chance of metrics."""
    experiment = setting.experiment
    documents = setting.documents
    average_by = experiment.correlation.average_by
    coefficients = _coefficients(setting)
    people = (
        documents.items,
        documents.weights,
        [*coefficients.values()],
        experiment.judgments.ceiling,
        _by_item(setting),
        average_by,
        _names(setting, "ceiling"),
    )
    calls = [Call(_agreement_of_people, people, label=f"{setting.name}: the noise ceiling")]
    n_shuffles = _n_shuffles(setting)
    for text in coefficients:
        for number, among in _exchanged(setting):
            scorer = setting.scorers[number]
            scores = setting.scores[number]
            exchanged = np.array(among)
            scored = systems_scored(scores)
            defined = np.isfinite(scores[..., scored]).all(axis=(0, 2))
            # With several reference subsets the first stands for all: chance knows none of them.
            arguments = (
                scores[0][..., scored][defined],
                setting.human[:, exchanged][defined],
                scorer.relations[text],
                np.flatnonzero(scored[exchanged]),
                average_by,
                n_shuffles,
                _names(setting, "chance"),
            )
            calls.append(Call(_in_exchanges, arguments, label=f"{setting.name}: the level of chance of {scorer.name}"))
    return calls


# A mask of the systems of a corpus.
_Systems: TypeAlias = tuple[bool, ...]


@dataclass(frozen=True)
class _Family:
    """The metrics of a preprocessing that scored the most systems, the best of which is compared with chance.

    The systems are all that any of them scored.
    """

    preprocessing: str
    numbers: Sequence[int]
    systems: _Systems


def _scored(setting: Setting) -> dict[int, _Systems]:
    """Mark the systems that each metric scored."""
    lines = enumerate(zip(setting.scorers, setting.scores, strict=True))
    return {number: tuple(systems_scored(scores).tolist()) for number, (scorer, scores) in lines if scorer.is_metric}


def _families(setting: Setting) -> list[_Family]:
    scored = _scored(setting)
    by_preprocessing: dict[str, list[int]] = {}
    for number in scored:
        by_preprocessing.setdefault(setting.scorers[number].preprocessing, []).append(number)
    families = []
    for preprocessing, metrics in by_preprocessing.items():
        most = max(sum(scored[number]) for number in metrics)
        numbers = [number for number in metrics if sum(scored[number]) == most]
        systems = np.any([scored[number] for number in numbers], axis=0)
        families.append(_Family(preprocessing, numbers, tuple(systems.tolist())))
    return families


def _exchanged(setting: Setting) -> list[tuple[int, _Systems]]:
    """List the metrics correlated with exchanged human scores, and the systems among which these are exchanged.

    Each metric among the systems that it scored, and, if that is something else, among those of its family.
    """
    of_families = [(number, family.systems) for family in _families(setting) for number in family.numbers]
    return list(dict.fromkeys([*_scored(setting).items(), *of_families]))


def _coefficients(setting: Setting) -> dict[str, Coefficient]:
    """Return the coefficients that have a ceiling and a level of chance, by name.

    One that is calibrated on the scores of both sides has none: its floor is a constant metric, not a shuffle. Nor has
    one whose pairs were chosen by all of the judgments.
    """
    coefficients = {}
    for named in setting.experiment.correlation.coefficients:
        if not (named.kind.is_fitted or named.kind.needs_items):
            coefficients[named.written] = named.kind
    return coefficients


def ceiling_rows(setting: Setting, made: Sequence[Any]) -> list[Ceiling]:
    """Return the noise ceiling of the documents of a setting, and each metric's fraction of it and level of chance.

    Parameters
    ----------
    setting : Setting
    made : sequence
        The results of :func:`ceiling_parts` for it.
    """
    coefficients = _coefficients(setting)
    confidence_level = setting.experiment.uncertainty.confidence_level
    people, *others = made
    scored = _scored(setting)
    calls = iter(others)
    rows: list[Ceiling] = []
    for (text, coefficient), of_people in zip(coefficients.items(), people, strict=True):
        of_people = [*of_people, *_ceiling_of_one_judgment(setting, coefficient, of_people)]
        rows.extend(Ceiling(setting.key(coefficient=text), **vars(row)) for row in of_people)
        values = {row.kind: row.value for row in of_people}
        ceiling = values.get("ceiling of one judgment", values.get("ceiling", float("nan")))
        of_chance = {exchange: next(calls) for exchange in _exchanged(setting)}
        for number, scorer in enumerate(setting.scorers):
            if not scorer.is_metric:
                continue
            key = setting.key(scorer.preprocessing, text, scorer.name)
            mean = setting.mean(number, text)
            if coefficient.is_odd and systems_scored(setting.scores[number]).all():
                rows.append(Ceiling(key, FRACTION, float(mean / ceiling) if ceiling > 0 else np.nan))
            means, exact = of_chance[number, scored[number]]
            shuffled = means if exact else means[: _n_shuffles(setting)]
            level = ChanceLevel.from_means(shuffled, exact=exact, confidence_level=confidence_level)
            rows.append(Ceiling(key, CHANCE, level.mean, level.lower, level.upper))
        for family in _families(setting):
            key = setting.key(family.preprocessing, text)
            of_metrics = [of_chance[number, family.systems] for number in family.numbers]
            together = np.array([means for means, _ in of_metrics])
            exact = of_metrics[0][1]
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


def _ceiling_of_one_judgment(setting: Setting, coefficient: Coefficient, rows: list[CeilingRow]) -> list[CeilingRow]:
    """Return the ceiling of a metric that is correlated with one drawn judgment of each item."""
    if setting.experiment.judgments.rule != "draw" or not coefficient.is_odd:
        return []
    (inter,) = (row for row in rows if row.kind == "inter-judge")
    return [replace(inter, kind="ceiling of one judgment", value=float(ceiling_of(inter.value)), sd=np.nan)]


def _in_exchanges(
    scores: FloatArray,
    human: FloatArray,
    relation: Relation,
    positions: IntArray,
    average_by: str,
    n_shuffles: int,
    names: _Names,
) -> tuple[FloatArray, bool]:
    """Return the mean coefficients where the systems of `human` are exchanged, and whether in each possible way.

    The systems of the metric are at `positions` among those of `human`. The orders are drawn from one seed, so they are
    the same for all metrics of a setting whose human scores are those of the same systems. For a single metric the
    first `n_shuffles` are enough; the best of several metrics is compared with chance at a level that does not depend
    on the number of replicates.
    """
    orders, exact = orders_of_systems(human.shape[1], n_shuffles, generator(*names), n_drawn=_MAX_SHUFFLES)
    # The last bits of sums depend on how the orders lie in memory.
    of_scored = np.ascontiguousarray(orders[:, positions])
    return means_in_orders(scores, human, of_scored, relation, average_by), exact


# The name of a generator: the seed, the purpose, the criterion and the length.
_Names: TypeAlias = tuple[int, str, str, int]


def _names(setting: Setting, purpose: str) -> _Names:
    return setting.experiment.seed, purpose, setting.criterion.name, setting.documents.length or 0
