"""Tests between the metrics of an experiment, and minimum significant differences."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from metaeval.components.mean_coefficient import MeanCoefficient, OrientedScores
from metaeval.components.test import Comparison, Test
from metaeval.config.schema import Experiment, TestSettings
from metaeval.correlation.averages import systems_scored
from metaeval.correlation.multiple_tests import minimum_significant_difference
from metaeval.datamodel.corpus import CONSTANT, FloatArray
from metaeval.errors import UsageError
from metaeval.experiment.estimate import documents_scored, mean_coefficient, with_replicates
from metaeval.experiment.scorers import segment_scores
from metaeval.experiment.setting import Setting
from metaeval.parameters.calls import Signature
from metaeval.results.keys import DocumentKind, Key
from metaeval.results.rows import LACKS_SYSTEMS, ONLY_SYSTEM_SCORES, MinimumDifference, TestResult
from metaeval.runtime.parallel import Call, Executor
from metaeval.runtime.randomness import generator
from metaeval.sampling.documents import single
from metaeval.sampling.resamples import draw_swaps


def significance_rows(setting: Setting, preprocessing: str, executor: Executor) -> list[TestResult]:
    """Test every two metrics of a setting against each other; the pairs are the family of the correction.

    Each metric is tested against a constant one too, where there is one and the coefficient is not calibrated; these
    are a family by themselves. Tests that pair several settings are left to :func:`significance_rows_across`.
    """
    rows: list[TestResult] = []
    metrics = setting.metrics(preprocessing)
    constant = setting.constant(preprocessing)
    for text in setting.coefficients:
        families = [list(itertools.combinations(metrics, 2))]
        # A calibrated coefficient is never below that of a constant metric, not even of noise: p would be no evidence.
        is_fitted = setting.coefficients[text].is_fitted
        if constant is not None and not is_fitted and not np.isnan(setting.mean(constant, text)):
            families.append([(metric, constant) for metric in metrics])
        for test_settings in setting.experiment.tests:
            for pairs in families if not test_settings.pairs_cells else ():
                key = setting.key(preprocessing, text)
                tested = _compare_pairs(setting, pairs, text, test_settings, executor)
                rows.extend(_rows(setting, key, test_settings, tested))
    return rows


def significance_rows_across(settings: Sequence[Setting]) -> list[TestResult]:
    """Test metrics over the settings of one corpus, one at least: lengths, reference subsets, or both.

    The settings of each criterion are compared by themselves.
    """
    rows: list[TestResult] = []
    experiment = settings[0].experiment
    treatments = list(dict.fromkeys(scorer.preprocessing for scorer in settings[0].scorers))
    for test_settings in experiment.tests:
        if not test_settings.pairs_cells:
            continue
        for preprocessing, text in itertools.product(treatments, settings[0].coefficients):
            for part in _paired_settings(settings, test_settings.axis):
                rows.extend(_compare_across(part, preprocessing, text, test_settings))
    return rows


def _paired_settings(settings: Sequence[Setting], axis: str) -> list[list[Setting]]:
    """Return the groups of settings that differ on the axis alone."""
    groups: dict[tuple[str, ...], list[Setting]] = {}
    for setting in settings:
        subset = str(setting.group)
        length = str(setting.documents.length)
        fixed = {"lengths": (subset,), "subsets": (length,), "cells": ()}[axis]
        groups.setdefault((setting.criterion.name, *fixed), []).append(setting)
    return list(groups.values())


def _compare_across(
    paired: Sequence[Setting], preprocessing: str, text: str, test_settings: TestSettings
) -> list[TestResult]:
    """Test every two metrics against each other, paired over some settings."""
    setting = paired[0]
    if len(paired) < 2:
        raise UsageError(
            f"the test {test_settings.named.written!r} over {test_settings.axis} needs several of them; "
            f"{setting.corpus.name}, {setting.criterion.name} has one."
        )
    scorers = setting.scorers
    numbers = setting.metrics(preprocessing)
    means = {number: np.array([other.mean(number, text) for other in paired]) for number in numbers}
    tested = []
    for first, second in itertools.combinations(numbers, 2):
        estimate = MeanCoefficient(
            coefficients=[means[first], means[second]],
            coefficient=setting.coefficients[text],
            n_documents=setting.human.shape[0],
            n_systems=setting.human.shape[1],
        )
        tested.append(Tested(scorers[first].name, scorers[second].name, test_settings.test.compare(estimate)))
    key = setting.key(preprocessing, text)
    if test_settings.axis in ("lengths", "cells"):
        key = replace(key, documents=DocumentKind(key.documents.kind))
    if test_settings.axis in ("subsets", "cells"):
        key = key.with_names(subset="")
    return _rows(setting, key, test_settings, tested)


@dataclass(frozen=True)
class Tested:
    """The result of a test of two metrics, with its estimate where the interval can have another level.

    Attributes
    ----------
    metric_a, metric_b : str
        The names of the metrics.
    result : Comparison
    estimate : MeanCoefficient or None
        Of a test that gives an interval.
    """

    metric_a: str
    metric_b: str
    result: Comparison
    estimate: MeanCoefficient | None = None


def _compare_pairs(
    setting: Setting, pairs: Sequence[tuple[int, int]], text: str, test_settings: TestSettings, executor: Executor
) -> list[Tested]:
    """Test the metrics of each pair against each other; in threads where the test exchanges scores, which is slow."""
    if test_settings.test.exchanges:
        return [*executor.run([Call(compare_two, (setting, *pair, text, test_settings)) for pair in pairs], "threads")]
    return [compare_two(setting, *pair, text, test_settings) for pair in pairs]


def compare_two(setting: Setting, first: int, second: int, text: str, test_settings: TestSettings) -> Tested:
    """Test two metrics of a setting against each other, or return the reason why that is impossible."""
    test = test_settings.test
    names = (setting.scorers[first].name, setting.scorers[second].name)
    if not np.array_equal(systems_scored(setting.scores[first]), systems_scored(setting.scores[second])):
        return Tested(*names, Comparison(np.nan, np.nan, 0, 0, 0, "", untested_because=LACKS_SYSTEMS))
    estimate = mean_coefficient(setting, [first, second], text)
    resampled = setting.resampled_axis if test.needs_replicates else test_settings.axis
    of_text = (test.needs_replicates or test.exchanges) and resampled != "systems"
    is_stored = setting.has_stored_people or any(setting.scorers[number].is_stored for number in (first, second))
    if of_text and is_stored:
        return Tested(*names, Comparison(estimate.value, np.nan, 0, 0, 0, "", untested_because=ONLY_SYSTEM_SCORES))
    if test.needs_replicates and (because := setting.why_no_replicates):
        return Tested(*names, Comparison(estimate.value, np.nan, 0, 0, 0, "", untested_because=because))
    if test.needs_replicates:
        estimate = with_replicates(estimate, setting, [first, second], text, test)
    if test.needs_scores:
        estimate = replace(estimate, scores=_scores(setting, first, second, test_settings))
    return Tested(*names, test.compare(estimate), estimate if test.gives_interval else None)


def _scores(setting: Setting, first: int, second: int, test_settings: TestSettings) -> OrientedScores:
    """Return the scores of two metrics and of people that a test needs, with the exchanges of a permutation test."""
    experiment = setting.experiment
    test = test_settings.test
    scores = _oriented(setting, first, second, test)
    if not test.exchanges:
        return scores
    if experiment.documents.units.is_whole and test_settings.axis != "systems":
        scores = _segment_scores(setting, first, second, test_settings)
    (n_documents, n_systems) = scores.human.shape
    n = experiment.uncertainty.replicates
    rng = generator(experiment.seed, "permutation", test_settings.axis)
    swaps = draw_swaps(test_settings.axis, n_documents, n_systems, n, rng=rng)
    return scores._replace(swaps=swaps)


def _oriented(setting: Setting, first: int, second: int, test: Test) -> OrientedScores:
    """Return the scores of two metrics and of people, for the documents and systems that both metrics scored."""
    numbers = first, second
    if any(len(setting.scores[number]) > 1 for number in numbers):
        raise UsageError(
            f"the test {test.name!r} needs one score of a metric for each document, and with references.combine = "
            '"correlations" there is one for each reference subset; choose "scores".'
        )
    human = setting.human
    systems = systems_scored(setting.scores[first])
    if test.exchanges and np.isnan(human[:, systems]).any():
        raise UsageError(
            f"the test {test.name!r} exchanges the scores of all items, and not all of them were judged; choose "
            "the test 'bootstrap', or judgments.require = \"all\"."
        )
    documents = documents_scored(setting, numbers)
    scores = [setting.scores[first][0], setting.scores[second][0], human]
    if not systems.all():
        scores = [values[:, systems] for values in scores]
    if not documents.all():
        scores = [values[documents] for values in scores]
    return _with_signs(setting, first, second, scores, setting.experiment.correlation.average_by)


def _with_signs(
    setting: Setting, first: int, second: int, scores: Sequence[FloatArray], average_by: str
) -> OrientedScores:
    """Return the scores of two metrics and of people, high where they mean good."""
    (sign_a, sign_human) = setting.scorers[first].signs
    (sign_b, _) = setting.scorers[second].signs
    metric_a, metric_b, human = scores
    return OrientedScores(metric_a * sign_a, metric_b * sign_b, human * sign_human, average_by)


def _segment_scores(setting: Setting, first: int, second: int, test_settings: TestSettings) -> OrientedScores:
    """Return the scores of single segments, (segments, systems), of which the corpus scores are the means.

    Raises
    ------
    UsageError
        If a corpus score is something else than the mean of the segments' scores.
    """
    documents = setting.documents
    numbers = (first, second)
    scorers = [setting.scorers[number] for number in numbers]
    systems = systems_scored(setting.scores[first])
    of_segments = segment_scores(scorers, documents, single(range(len(documents.segments))))
    metrics = [of_metric[0][:, systems] for of_metric in of_segments]
    wholes = [setting.scores[number][0][0][systems] for number in numbers]
    for scorer, values, whole in zip(scorers, metrics, wholes, strict=True):
        if not np.allclose(values.mean(axis=0), whole, rtol=1e-9, atol=1e-9 * float(np.abs(whole).max(initial=0.0))):
            raise UsageError(
                f"the test {test_settings.named.written!r} over {test_settings.axis} exchanges scores of segments, and "
                f"the corpus score of {scorer.name} is not the mean of these, with equal weights; choose over = "
                "'systems', or the test 'bootstrap'."
            )
    # Only metrics exchange scores: each segment has the human scores of the corpus.
    human = np.broadcast_to(documents.human[:, systems], metrics[0].shape)
    return _with_signs(setting, first, second, [*metrics, human], "averages")


def _rows(setting: Setting, key: Key, test_settings: TestSettings, tested: Sequence[Tested]) -> list[TestResult]:
    """Return the rows of a family of tests, with p corrected for their number."""
    test = test_settings.test
    correction = test_settings.correction.kind
    corrected = correction([outcome.result.p for outcome in tested])
    named = test.signature.with_items(over=test_settings.axis, correction=correction.name, family=len(tested))
    items: tuple[tuple[str, object], ...] = ()
    if test.needs_replicates:
        items = setting.resampling_items
    elif test.is_random:
        items = (("resamples", setting.experiment.uncertainty.replicates),)
    elif test.gives_interval:
        items = (("units", setting.resampled),)
    signature: Signature = setting.signature(named.with_pairs(items), setting.coefficients[key.coefficient])
    rows = []
    for outcome, p in zip(tested, corrected.tolist(), strict=True):
        result = outcome.result
        is_smallest = is_smallest_p(test, result)
        needed = _resamples_needed(test, result.p, p, test_settings.alpha) if is_smallest else None
        lower, upper = _adjusted_interval(test, outcome, p) if needed is None else (np.nan, np.nan)
        columns = {name: value for name, value in vars(result).items() if name != "distribution"}
        rows.append(
            TestResult(
                key=key,
                metric_a=outcome.metric_a,
                metric_b=outcome.metric_b,
                test=test_settings.named.written,
                over=test_settings.axis,
                correction=correction.name,
                alternative=test.alternative,
                adjusted_lower=lower,
                adjusted_upper=upper,
                p_corrected=p,
                is_smallest_p=is_smallest,
                needs_resamples=needed,
                resampled=setting.resampled if test.needs_replicates or test.gives_interval else "",
                signature=str(signature.with_items(distribution=result.distribution)),
                **columns,
            )
        )
    return rows


def _adjusted_interval(test: Test, outcome: Tested, corrected: float) -> tuple[float, float]:
    """Return the interval of a two-sided difference at the level of its corrected p, so that both agree."""
    result = outcome.result
    estimate = outcome.estimate
    if estimate is None or np.isnan(corrected) or np.isnan(result.lower) or test.alternative != "two-sided":
        return np.nan, np.nan
    if not 0 < result.p < corrected:  # a p of 0, or one that is not corrected, leaves the interval as it is
        return result.lower, result.upper
    level = 1.0 - (1.0 - estimate.confidence_level) * (result.p / corrected)
    adjusted = test.compare(replace(estimate, confidence_level=level))
    return adjusted.lower, adjusted.upper


def _resamples_needed(test: Test, p: float, corrected: float, alpha: float) -> int | None:
    """Return the number of replicates that could make the smallest p significant; None if it is significant."""
    if not corrected >= alpha:
        return None
    return math.ceil(test.sides * (corrected / p) / alpha)


def is_smallest_p(test: Test, result: Comparison) -> bool:
    """Return whether the p of a test is the smallest that its random replicates can give."""
    if not test.is_random or result.distribution != "random":
        return False
    smallest = test.sides / (result.n_used + 1)
    return smallest < 1 and math.isclose(result.p, smallest, rel_tol=1e-9)


def minimum_difference_rows(
    experiment: Experiment, settings: Sequence[Setting], tests: Sequence[TestResult]
) -> list[MinimumDifference]:
    """Find the difference from which on all compared pairs are significant (Melamed, Turian), over all lengths."""
    n_references = {str(setting.group): setting.n_references for setting in settings}
    groups: dict[tuple[Key, str, str], list[TestResult]] = {}
    for row in tests:
        if row.metric_b == CONSTANT:
            continue
        key = replace(row.key, documents=DocumentKind(row.key.documents.kind))
        groups.setdefault((key, row.test, row.over), []).append(row)
    alpha = {
        (test_settings.named.written, test_settings.axis): test_settings.alpha for test_settings in experiment.tests
    }
    rows = []
    for (key, test, over), family in groups.items():
        level = alpha[test, over]
        p_values = [row.p_corrected for row in family]
        differences = [row.difference for row in family]
        sizes = [
            (abs(difference), p)
            for difference, p in zip(differences, p_values, strict=True)
            if not np.isnan([difference, p]).any()
        ]
        rows.append(
            MinimumDifference(
                key=key,
                test=test,
                over=over,
                alpha=level,
                minimum_significant_difference=minimum_significant_difference(differences, p_values, level),
                largest_not_significant=max((size for size, p in sizes if not p < level), default=np.nan),
                largest_difference=max((size for size, _ in sizes), default=np.nan),
                n_pairs=len(family),
                n_significant=int(sum(p < level for p in p_values)),
                n_references=n_references.get(key.subset, np.nan),
            )
        )
    return rows
