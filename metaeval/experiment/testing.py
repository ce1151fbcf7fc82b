"""Tests between the metrics of an experiment, and minimum significant differences."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from metaeval.contracts import Comparison, Evidence, OrientedScores, Test
from metaeval.correlation.averages import systems_scored
from metaeval.correlation.families import minimum_significant_difference
from metaeval.errors import UsageError
from metaeval.experiment.cells import STORED, Cell, scores_of_lines
from metaeval.experiment.executor import SERIAL, Call, Executor
from metaeval.experiment.grid import Grid
from metaeval.names import Signature
from metaeval.randomness import generator
from metaeval.records import CONSTANT, BoolArray, FloatArray
from metaeval.results.keys import DocumentKind, Key
from metaeval.results.rows import MinimumDifference, TestResult
from metaeval.sampling.documents import single
from metaeval.sampling.resamples import draw_swaps
from metaeval.schema import Experiment, TestSettings

# Replicates of which a test takes a millisecond.
_MANY = 20_000


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
                calls = [Call(_compare, (one, *pair, text, settings)) for pair in pairs]
                # Exchanges are products and kernels, and what looks at many replicates is long enough for threads.
                is_long = settings.test.exchanges or one.cell.experiment.uncertainty.replicates >= _MANY
                made_by = executor if is_long else SERIAL
                results = [*made_by.run(calls, "threads")]
                names = [(one.lines[first].name, one.lines[second].name) for first, second in pairs]
                rows.extend(_rows(one.cell, one.cell.key(preprocessing, text), settings, names, results, made_by))
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
                rows.extend(_across(part, preprocessing, text, settings))
    return rows


def _paired_cells(cells: Sequence[Grid], axis: str) -> list[list[Grid]]:
    """Return the groups of cells that differ on the axis alone."""
    groups: dict[tuple[str, ...], list[Grid]] = {}
    for one in cells:
        subset, length = str(one.cell.judged.group), str(one.cell.scores.length)
        fixed = {"lengths": (subset,), "subsets": (length,), "cells": ()}[axis]
        groups.setdefault((one.cell.judged.criterion.name, *fixed), []).append(one)
    return list(groups.values())


def _across(part: Sequence[Grid], preprocessing: str, text: str, settings: TestSettings) -> list[TestResult]:
    cell = part[0].cell
    if len(part) < 2:
        raise UsageError(
            f"the test {settings.named.written!r} over {settings.axis} needs several of them; {cell.corpus.name}, "
            f"{cell.judged.criterion.name} has one."
        )
    test, coefficient = settings.test, cell.coefficients[text]
    numbers = part[0].numbers(preprocessing)
    means = {number: np.array([one.mean(number, text) for one in part]) for number in numbers}
    pairs = list(itertools.combinations(numbers, 2))
    results = []
    for first, second in pairs:
        differences = means[first] - means[second]
        evidence = Evidence(
            coefficients_a=means[first],
            coefficients_b=means[second],
            difference=float("nan") if np.isnan(differences).all() else float(np.nanmean(differences)),
            n_documents=cell.scores.human.shape[0],
            n_systems=cell.scores.human.shape[1],
            coefficient=coefficient,
            average_by=cell.experiment.correlation.average_by,
        )
        results.append(_Tried(test.compare(evidence)))
    names = [(part[0].lines[first].name, part[0].lines[second].name) for first, second in pairs]
    key = cell.key(preprocessing, text)
    if settings.axis in ("lengths", "cells"):
        key = replace(key, documents=DocumentKind(key.documents.kind))
    if settings.axis in ("subsets", "cells"):
        key = key.of(subset="")
    return _rows(cell, key, settings, names, results)


@dataclass(frozen=True)
class _Tried:
    """The outcome of a test, and the evidence for its interval at another level; None where there was none."""

    result: Comparison
    evidence: Evidence | None = None


def _compare(one: Grid, first: int, second: int, text: str, settings: TestSettings) -> _Tried:
    test, cell = settings.test, one.cell
    experiment = cell.experiment
    values_a, values_b = one.counted(first, text), one.counted(second, text)
    both = ~(np.isnan(values_a) | np.isnan(values_b))
    difference = float((values_a[both] - values_b[both]).mean()) if both.any() else float("nan")
    if not np.array_equal(systems_scored(one.scores[first]), systems_scored(one.scores[second])):
        # Coefficients across different systems: their difference says nothing of the metrics.
        because = "one of them lacks scores of some system"
        return _Tried(Comparison(np.nan, np.nan, 0, 0, 0, "", untested_because=because))
    drawn = cell.resample if test.needs_replicates else settings.axis
    of_text = (test.needs_replicates or test.exchanges) and drawn != "systems"
    if of_text and (one.lines[first].is_stored or one.lines[second].is_stored):
        return _Tried(Comparison(difference, np.nan, 0, 0, 0, "", untested_because=STORED))
    documents, systems = _scored_by_both(one, first, second)
    n_documents, n_systems = int(documents.sum()), int(systems.sum())
    scores = _oriented(one, first, second, documents, systems, test) if test.needs_scores else None
    average_by = experiment.correlation.average_by
    swaps = None
    if test.exchanges:
        if experiment.documents.units.is_whole and settings.axis != "systems":
            scores = _segment_scores(one, first, second, settings)
            n_documents, average_by = len(scores.human), "averages"
        swaps = draw_swaps(
            settings.axis,
            n_documents,
            n_systems,
            experiment.uncertainty.replicates,
            rng=generator(experiment.seed, "permutation", settings.axis),
        )
    found, replicates = one.replicates, list[FloatArray]()
    if found is not None and test.needs_replicates:
        replicates = found.of([first, second], text, denoised=test.is_denoised)
    evidence = Evidence(
        coefficients_a=values_a,
        coefficients_b=values_b,
        difference=difference,
        n_documents=n_documents,
        n_systems=n_systems,
        scores=scores,
        coefficient=cell.coefficients[text].of_systems(systems_scored(one.scores[first])),
        average_by=average_by,
        replicates=replicates,
        n_units=units_drawn(cell, int(both.sum())),
        weights=found.weights if found is not None else None,
        confidence_level=experiment.uncertainty.confidence_level,
        swaps=swaps,
        groups=cell.groups,
        drawn=cell.drawn(n_systems),
        pooled=cell.pooled,
    )
    return _Tried(test.compare(evidence), evidence if test.gives_interval else None)


def units_drawn(cell: Cell, n_documents: int) -> int:
    """Return the fewest units that a bootstrap draws from: segments, documents with both coefficients, or systems."""
    n_systems, of_text = len(cell.corpus.systems), cell.n_units
    if not cell.experiment.documents.units.is_whole and cell.experiment.correlation.average_by == "item":
        of_text = min(len(cell.scores.segments), n_documents, of_text)
    sizes = {"segments": of_text, "documents": of_text, "systems": n_systems}
    return sizes.get(cell.resample, min(of_text, n_systems))


def _scored_by_both(one: Grid, first: int, second: int) -> tuple[BoolArray, BoolArray]:
    """Return which documents and which systems have scores of two metrics, (documents,) and (systems,)."""
    systems = systems_scored(one.scores[first])
    defined = [np.isfinite(one.scores[number][0]) | ~systems for number in (first, second)]
    return defined[0].all(axis=1) & defined[1].all(axis=1), systems


def _oriented(
    one: Grid, first: int, second: int, documents: BoolArray, systems: BoolArray, test: Test
) -> OrientedScores:
    """Return the scores of two metrics and of people, of these documents and systems, high where they mean good."""
    numbers = first, second
    if any(len(one.scores[number]) > 1 for number in numbers):
        raise UsageError(
            f"the test {test.name!r} needs one score of a metric for each document, and with references.combine = "
            '"correlations" there is one for each reference subset; choose "scores".'
        )
    human = one.cell.scores.human
    if test.exchanges and np.isnan(human[:, systems]).any():
        raise UsageError(
            f"the test {test.name!r} exchanges the scores of all items, and not all of them were judged; choose "
            "the test 'bootstrap', or judgments.require = \"all\"."
        )
    signs = [one.lines[number].signs for number in numbers]
    found = [one.scores[number][0] for number in numbers] + [human]
    if not systems.all():
        found = [values[:, systems] for values in found]
    if not documents.all():
        found = [values[documents] for values in found]
    return OrientedScores(found[0] * signs[0][0], found[1] * signs[1][0], found[2] * signs[0][1])


def _segment_scores(one: Grid, first: int, second: int, settings: TestSettings) -> OrientedScores:
    """Return the scores of single segments, (segments, systems), of which the corpus scores are the means.

    Raises
    ------
    UsageError
        If a corpus score is something else than the mean of the segments' scores.
    """
    scores = one.cell.scores
    kept = systems_scored(one.scores[first])
    segments = single(range(len(scores.segments)))
    # Metrics exchange their scores, and human scores stay what they are, whichever segments they are means of.
    human = np.broadcast_to(scores.human[:, kept], (len(scores.segments), int(kept.sum())))
    of_segments = replace(scores, documents=segments)
    lines = [one.lines[first], one.lines[second]]
    found = [of_line[0][:, kept] for of_line in scores_of_lines(lines, of_segments)]
    wholes = [one.scores[number][0][0][kept] for number in (first, second)]
    for name, values, whole in zip((lines[0].name, lines[1].name), found, wholes, strict=True):
        if not np.allclose(values.mean(axis=0), whole, rtol=1e-9, atol=1e-9 * float(np.abs(whole).max(initial=0.0))):
            raise UsageError(
                f"the test {settings.named.written!r} over {settings.axis} exchanges scores of segments, and the "
                f"corpus score of {name} is not the mean of these, with equal weights; choose over = 'systems', or the "
                "test 'bootstrap'."
            )
    return OrientedScores(found[0] * lines[0].signs[0], found[1] * lines[1].signs[0], human * lines[0].signs[1])


def _rows(
    cell: Cell,
    key: Key,
    settings: TestSettings,
    names: Sequence[tuple[str, str]],
    tried: Sequence[_Tried],
    executor: Executor = SERIAL,
) -> list[TestResult]:
    test, correction = settings.test, settings.correction.kind
    corrected = correction([one.result.p for one in tried])
    tested = test.signature.with_items(over=settings.axis, correction=correction.name, family=len(tried))
    chance: tuple[tuple[str, object], ...] = ()
    if test.needs_replicates:
        chance = cell.resampling_items
    elif test.is_random:
        chance = (("resamples", cell.experiment.uncertainty.replicates),)
    elif test.gives_interval:
        chance = (("units", cell.resampled),)
    signature: Signature = cell.signature(tested.with_pairs(chance), cell.coefficients[key.coefficient])
    limits = executor.run([Call(_adjusted, (test, *one)) for one in zip(tried, corrected, strict=True)], "threads")
    found = []
    for (first, second), one, p, adjusted in zip(names, tried, corrected, limits, strict=True):
        result, is_smallest = one.result, is_smallest_p(test, one.result)
        needed = _needed(test, result.p, float(p), settings.alpha) if is_smallest else None
        told = {name: value for name, value in vars(result).items() if name != "distribution"}
        found.append(
            TestResult(
                key=key,
                metric_a=first,
                metric_b=second,
                test=settings.named.written,
                over=settings.axis,
                correction=correction.name,
                alternative=test.alternative,
                adjusted_lower=adjusted[0] if needed is None else np.nan,
                adjusted_upper=adjusted[1] if needed is None else np.nan,
                p_corrected=float(p),
                is_smallest_p=is_smallest,
                needs_resamples=needed,
                resampled=cell.resampled if test.needs_replicates or test.gives_interval else "",
                signature=str(signature.with_items(distribution=result.distribution)),
                **told,
            )
        )
    return found


def _adjusted(test: Test, one: _Tried, corrected: float) -> tuple[float, float]:
    """Return the interval of a difference at the level of its corrected p, if two-sided, so that both decide alike."""
    if one.evidence is None or np.isnan(corrected) or np.isnan(one.result.lower) or test.alternative != "two-sided":
        return np.nan, np.nan
    if not 0 < one.result.p < corrected:  # a p of 0, or one that is not corrected, leaves the interval as it is
        return one.result.lower, one.result.upper
    level = 1.0 - (1.0 - one.evidence.confidence_level) * (one.result.p / float(corrected))
    again = test.compare(replace(one.evidence, confidence_level=level))
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
