"""Tests between the metrics of an experiment, and minimum significant differences."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from metaeval.contracts import Comparison, MeanCoefficient, OrientedScores, Test
from metaeval.correlation.averages import systems_scored
from metaeval.correlation.families import minimum_significant_difference
from metaeval.errors import UsageError
from metaeval.experiment.cells import STORED, Cell, scores_of_lines
from metaeval.experiment.estimate import documents_scored, mean_coefficient, with_replicates
from metaeval.experiment.executor import SERIAL, Call, Executor
from metaeval.experiment.grid import Grid
from metaeval.names import Signature
from metaeval.randomness import generator
from metaeval.records import CONSTANT, FloatArray
from metaeval.results.keys import DocumentKind, Key
from metaeval.results.rows import MinimumDifference, TestResult
from metaeval.sampling.documents import single
from metaeval.sampling.resamples import draw_swaps
from metaeval.schema import Experiment, TestSettings


def compare_cell(one: Grid, preprocessing: str, executor: Executor = SERIAL) -> list[TestResult]:
    """Test every two metrics of a cell against each other; the pairs are the family of the correction.

    Each metric is tested against a constant one too, where there is one and the coefficient is not calibrated; these
    are a family by themselves. Tests that pair several cells are left to :func:`compare_cells`.
    """
    rows: list[TestResult] = []
    metrics, constant = one.numbers(preprocessing), one.constant(preprocessing)
    for text in one.lines[0].relations:
        families = [list(itertools.combinations(metrics, 2))]
        # A calibrated coefficient is never below that of a constant metric, not even of noise: p would be no evidence.
        is_fitted = one.cell.coefficients[text].is_fitted
        if constant is not None and not is_fitted and not np.isnan(one.mean(constant, text)):
            families.append([(metric, constant) for metric in metrics])
        for settings in one.cell.experiment.tests:
            for pairs in families if not settings.pairs_cells else ():
                key = one.cell.key(preprocessing, text)
                rows.extend(_rows(one.cell, key, settings, _compare_pairs(one, pairs, text, settings, executor)))
    return rows


def compare_cells(cells: Sequence[Grid]) -> list[TestResult]:
    """Test metrics over the cells of one corpus, of which there is one at least: lengths, reference subsets, or both.

    The cells of each criterion are compared by themselves.
    """
    rows: list[TestResult] = []
    experiment = cells[0].cell.experiment
    treatments = list(dict.fromkeys(line.preprocessing for line in cells[0].lines))
    for settings in experiment.tests:
        if not settings.pairs_cells:
            continue
        for preprocessing, text in itertools.product(treatments, cells[0].lines[0].relations):
            for part in _paired_cells(cells, settings.axis):
                rows.extend(_compare_across(part, preprocessing, text, settings))
    return rows


def _paired_cells(cells: Sequence[Grid], axis: str) -> list[list[Grid]]:
    """Return the groups of cells that differ on the axis alone."""
    groups: dict[tuple[str, ...], list[Grid]] = {}
    for one in cells:
        subset, length = str(one.cell.judged.group), str(one.cell.scores.length)
        fixed = {"lengths": (subset,), "subsets": (length,), "cells": ()}[axis]
        groups.setdefault((one.cell.judged.criterion.name, *fixed), []).append(one)
    return list(groups.values())


def _compare_across(part: Sequence[Grid], preprocessing: str, text: str, settings: TestSettings) -> list[TestResult]:
    """Test every two metrics against each other, paired over some cells."""
    cell = part[0].cell
    if len(part) < 2:
        raise UsageError(
            f"the test {settings.named.written!r} over {settings.axis} needs several of them; {cell.corpus.name}, "
            f"{cell.judged.criterion.name} has one."
        )
    lines, numbers = part[0].lines, part[0].numbers(preprocessing)
    means = {number: np.array([one.mean(number, text) for one in part]) for number in numbers}
    tested = []
    for first, second in itertools.combinations(numbers, 2):
        estimate = MeanCoefficient(
            coefficients=[means[first], means[second]],
            coefficient=cell.coefficients[text],
            n_documents=cell.scores.human.shape[0],
            n_systems=cell.scores.human.shape[1],
        )
        tested.append(_Tested(lines[first].name, lines[second].name, settings.test.compare(estimate)))
    key = cell.key(preprocessing, text)
    if settings.axis in ("lengths", "cells"):
        key = replace(key, documents=DocumentKind(key.documents.kind))
    if settings.axis in ("subsets", "cells"):
        key = key.of(subset="")
    return _rows(cell, key, settings, tested)


@dataclass(frozen=True)
class _Tested:
    """Hold the outcome of a test of two metrics, and what it is made of where its interval can have another level.

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
    one: Grid, pairs: Sequence[tuple[int, int]], text: str, settings: TestSettings, executor: Executor
) -> list[_Tested]:
    """Test the metrics of each pair against each other; side by side where the test exchanges scores, which is long."""
    if settings.test.exchanges:
        return [*executor.run([Call(_compare, (one, *pair, text, settings)) for pair in pairs], "threads")]
    return [_compare(one, *pair, text, settings) for pair in pairs]


def _compare(one: Grid, first: int, second: int, text: str, settings: TestSettings) -> _Tested:
    """Test two metrics of a cell against each other, or say why not."""
    test, names = settings.test, (one.lines[first].name, one.lines[second].name)
    if not np.array_equal(systems_scored(one.scores[first]), systems_scored(one.scores[second])):
        # Coefficients across different systems: their difference says nothing of the metrics.
        because = "one of them lacks scores of some system"
        return _Tested(*names, Comparison(np.nan, np.nan, 0, 0, 0, "", untested_because=because))
    estimate = mean_coefficient(one, [first, second], text)
    resampled = one.cell.resample if test.needs_replicates else settings.axis
    of_text = (test.needs_replicates or test.exchanges) and resampled != "systems"
    if of_text and (one.lines[first].is_stored or one.lines[second].is_stored):
        return _Tested(*names, Comparison(estimate.value, np.nan, 0, 0, 0, "", untested_because=STORED))
    if test.needs_replicates:
        estimate = with_replicates(estimate, one, [first, second], text, test)
    if test.needs_scores:
        estimate = replace(estimate, scores=_scores(one, first, second, settings))
    return _Tested(*names, test.compare(estimate), estimate if test.gives_interval else None)


def _scores(one: Grid, first: int, second: int, settings: TestSettings) -> OrientedScores:
    """Return the scores of two metrics and of people that a test needs, with where a permutation exchanges them."""
    experiment, test = one.cell.experiment, settings.test
    scores = _oriented(one, first, second, test)
    if not test.exchanges:
        return scores
    if experiment.documents.units.is_whole and settings.axis != "systems":
        scores = _segment_scores(one, first, second, settings)
    (n_documents, n_systems), n = scores.human.shape, experiment.uncertainty.replicates
    rng = generator(experiment.seed, "permutation", settings.axis)
    swaps = draw_swaps(settings.axis, n_documents, n_systems, n, rng=rng)
    return scores._replace(swaps=swaps)


def _oriented(one: Grid, first: int, second: int, test: Test) -> OrientedScores:
    """Return the scores of two metrics and of people, of documents and systems that both metrics have scores of."""
    numbers = first, second
    if any(len(one.scores[number]) > 1 for number in numbers):
        raise UsageError(
            f"the test {test.name!r} needs one score of a metric for each document, and with references.combine = "
            '"correlations" there is one for each reference subset; choose "scores".'
        )
    human, systems = one.cell.scores.human, systems_scored(one.scores[first])
    if test.exchanges and np.isnan(human[:, systems]).any():
        raise UsageError(
            f"the test {test.name!r} exchanges the scores of all items, and not all of them were judged; choose "
            "the test 'bootstrap', or judgments.require = \"all\"."
        )
    documents = documents_scored(one, numbers)
    scores = [one.scores[first][0], one.scores[second][0], human]
    if not systems.all():
        scores = [values[:, systems] for values in scores]
    if not documents.all():
        scores = [values[documents] for values in scores]
    return _with_signs(one, first, second, scores, one.cell.experiment.correlation.average_by)


def _with_signs(one: Grid, first: int, second: int, scores: Sequence[FloatArray], average_by: str) -> OrientedScores:
    """Return the scores of two metrics and of people, high where they mean good."""
    (sign_a, sign_human), (sign_b, _) = one.lines[first].signs, one.lines[second].signs
    metric_a, metric_b, human = scores
    return OrientedScores(metric_a * sign_a, metric_b * sign_b, human * sign_human, average_by)


def _segment_scores(one: Grid, first: int, second: int, settings: TestSettings) -> OrientedScores:
    """Return the scores of single segments, (segments, systems), of which the corpus scores are the means.

    Raises
    ------
    UsageError
        If a corpus score is something else than the mean of the segments' scores.
    """
    scores, lines, numbers = one.cell.scores, [one.lines[first], one.lines[second]], (first, second)
    systems, n_segments = systems_scored(one.scores[first]), len(scores.segments)
    of_segments = scores_of_lines(lines, replace(scores, documents=single(range(n_segments))))
    metrics = [of_line[0][:, systems] for of_line in of_segments]
    wholes = [one.scores[number][0][0][systems] for number in numbers]
    for line, values, whole in zip(lines, metrics, wholes, strict=True):
        if not np.allclose(values.mean(axis=0), whole, rtol=1e-9, atol=1e-9 * float(np.abs(whole).max(initial=0.0))):
            raise UsageError(
                f"the test {settings.named.written!r} over {settings.axis} exchanges scores of segments, and the "
                f"corpus score of {line.name} is not the mean of these, with equal weights; choose over = 'systems', "
                "or the test 'bootstrap'."
            )
    # Metrics exchange their scores, and human scores stay what they are, whichever segments they are means of.
    human = np.broadcast_to(scores.human[:, systems], metrics[0].shape)
    return _with_signs(one, first, second, [*metrics, human], "averages")


def _rows(cell: Cell, key: Key, settings: TestSettings, tested: Sequence[_Tested]) -> list[TestResult]:
    """Return the rows of a family of tests, with p corrected for their number."""
    test, correction = settings.test, settings.correction.kind
    corrected = correction([one.result.p for one in tested])
    named = test.signature.with_items(over=settings.axis, correction=correction.name, family=len(tested))
    chance: tuple[tuple[str, object], ...] = ()
    if test.needs_replicates:
        chance = cell.resampling_items
    elif test.is_random:
        chance = (("resamples", cell.experiment.uncertainty.replicates),)
    elif test.gives_interval:
        chance = (("units", cell.resampled),)
    signature: Signature = cell.signature(named.with_pairs(chance), cell.coefficients[key.coefficient])
    rows = []
    for one, p in zip(tested, corrected.tolist(), strict=True):
        result, is_smallest = one.result, is_smallest_p(test, one.result)
        needed = _needed(test, result.p, p, settings.alpha) if is_smallest else None
        lower, upper = _adjusted_interval(test, one, p) if needed is None else (np.nan, np.nan)
        outcome = {name: value for name, value in vars(result).items() if name != "distribution"}
        rows.append(
            TestResult(
                key=key,
                metric_a=one.metric_a,
                metric_b=one.metric_b,
                test=settings.named.written,
                over=settings.axis,
                correction=correction.name,
                alternative=test.alternative,
                adjusted_lower=lower,
                adjusted_upper=upper,
                p_corrected=p,
                is_smallest_p=is_smallest,
                needs_resamples=needed,
                resampled=cell.resampled if test.needs_replicates or test.gives_interval else "",
                signature=str(signature.with_items(distribution=result.distribution)),
                **outcome,
            )
        )
    return rows


def _adjusted_interval(test: Test, one: _Tested, corrected: float) -> tuple[float, float]:
    """Return the interval of a difference at the level of its corrected p, if two-sided, so that both decide alike."""
    result, estimate = one.result, one.estimate
    if estimate is None or np.isnan(corrected) or np.isnan(result.lower) or test.alternative != "two-sided":
        return np.nan, np.nan
    if not 0 < result.p < corrected:  # a p of 0, or one that is not corrected, leaves the interval as it is
        return result.lower, result.upper
    level = 1.0 - (1.0 - estimate.confidence_level) * (result.p / corrected)
    again = test.compare(replace(estimate, confidence_level=level))
    return again.lower, again.upper


def _needed(test: Test, p: float, corrected: float, alpha: float) -> int | None:
    """Return how many replicates could make the smallest p significant; None where it is, or as many are drawn."""
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
    experiment: Experiment, cells: Sequence[Grid], tests: Sequence[TestResult]
) -> list[MinimumDifference]:
    """Find the difference from which on all compared pairs are significant (Melamed, Turian), over all lengths."""
    n_references = {str(one.cell.judged.group): one.cell.n_references for one in cells}
    groups: dict[tuple[Key, str, str], list[TestResult]] = {}
    for row in tests:
        if row.metric_b == CONSTANT:
            continue
        key = replace(row.key, documents=DocumentKind(row.key.documents.kind))
        groups.setdefault((key, row.test, row.over), []).append(row)
    alpha = {(settings.named.written, settings.axis): settings.alpha for settings in experiment.tests}
    rows = []
    for (key, test, over), part in groups.items():
        level = alpha[test, over]
        p = [row.p_corrected for row in part]
        differences = [row.difference for row in part]
        sizes = [(abs(size), one) for size, one in zip(differences, p, strict=True) if not np.isnan([size, one]).any()]
        rows.append(
            MinimumDifference(
                key=key,
                test=test,
                over=over,
                alpha=level,
                minimum_significant_difference=minimum_significant_difference(differences, p, level),
                largest_not_significant=max((size for size, one in sizes if not one < level), default=np.nan),
                largest_difference=max((size for size, _ in sizes), default=np.nan),
                n_pairs=len(part),
                n_significant=int(sum(one < level for one in p)),
                n_references=n_references.get(key.subset, np.nan),
            )
        )
    return rows
