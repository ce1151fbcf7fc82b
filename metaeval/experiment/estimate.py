"""Mean coefficients of metrics in a setting, and their replicates, for intervals and tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from metaeval.components.interval import ConfidenceInterval, Interval
from metaeval.components.mean_coefficient import MeanCoefficient
from metaeval.components.test import Test
from metaeval.correlation.averages import systems_scored
from metaeval.correlation.influence import leave_one_out
from metaeval.datamodel.corpus import BoolArray
from metaeval.experiment.setting import Setting
from metaeval.results.rows import ONLY_SYSTEM_SCORES


def mean_coefficient(setting: Setting, numbers: Sequence[int], text: str) -> MeanCoefficient:
    """Return the mean coefficient of one scorer of a setting, or of two that have scores of the same systems.

    Parameters
    ----------
    setting : Setting
    numbers : sequence of one or two int
        The positions of the scorers.
    text : str
        The name of the coefficient.
    """
    systems = systems_scored(setting.scores[numbers[0]])
    n_systems = int(systems.sum())
    kind = setting.experiment.documents.units
    groups = setting.judged_documents if kind.is_whole or kind.is_drawn else setting.documents_of_segments
    return MeanCoefficient(
        coefficients=[setting.counted(number, text) for number in numbers],
        coefficient=setting.coefficients[text].of_systems(systems),
        n_documents=int(documents_scored(setting, numbers).sum()),
        n_systems=n_systems,
        confidence_level=setting.experiment.uncertainty.confidence_level,
        sample_sizes=setting.units(n_systems),
        groups=groups,
        pooled=setting.is_pooled,
    )


def with_replicates(
    estimate: MeanCoefficient, setting: Setting, numbers: Sequence[int], text: str, kind: Interval | Test
) -> MeanCoefficient:
    """Return a mean coefficient with the replicates that an interval or a test needs."""
    replicates = setting.replicates
    assert replicates is not None
    jackknife = []
    if len(numbers) == 1:
        jackknife = [means[text].beside(numbers[0], numbers[0]) for means in replicates.jackknife]
    return replace(
        estimate,
        replicates=replicates.means_of(numbers, text, denoised=kind.is_denoised),
        weights=replicates.resamples.weights,
        n_units=setting.fewest_units(estimate.n_used),
        jackknife=jackknife,
    )


def interval_of(setting: Setting, number: int, text: str) -> ConfidenceInterval:
    """Return the confidence interval of the mean coefficient of a scorer, or the reason why it has none."""
    uncertainty = setting.experiment.uncertainty
    interval = uncertainty.interval
    is_stored = setting.scorers[number].is_stored or setting.has_stored_people
    if is_stored and interval.needs_replicates and uncertainty.resample != "systems":
        return ConfidenceInterval(undefined_because=ONLY_SYSTEM_SCORES)
    if interval.needs_replicates and setting.why_no_replicates:
        return ConfidenceInterval(undefined_because=setting.why_no_replicates)
    estimate = mean_coefficient(setting, [number], text)
    if interval.leaves_out_systems:
        systems = systems_scored(setting.scores[number])
        scores = setting.scores[number][0][0][systems]
        human = setting.human[0][systems]
        relation = setting.scorers[number].relations[text]
        estimate = replace(estimate, jackknife=[leave_one_out(scores, human, relation)])
    elif interval.needs_replicates:
        estimate = with_replicates(estimate, setting, [number], text, interval)
    return interval.confidence_interval(estimate)


def documents_scored(setting: Setting, numbers: Sequence[int]) -> BoolArray:
    """Mark the documents with scores of all these metrics for the systems that the first one scored: (documents,).

    Of a metric that has scores for each reference subset, those for the first subset decide.
    """
    systems = systems_scored(setting.scores[numbers[0]])
    complete = [(np.isfinite(setting.scores[number][0]) | ~systems).all(axis=1) for number in numbers]
    return np.asarray(np.logical_and.reduce(complete))
