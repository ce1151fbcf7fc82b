"""What the defaults say of corpora drawn from the models: the outcomes that calibrate_defaults.py counts.

The kinds themselves are called, with what an experiment would give them.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from calibration.models import (
    EXCHANGEABLE,
    LENGTH,
    NOISE,
    SOFT,
    Model,
    draw_quality,
    draw_systems,
    drawn_segments,
    equal_noise,
    population,
    segments,
)
from metaeval.components.coefficient import Coefficient
from metaeval.components.interval import ConfidenceInterval
from metaeval.components.mean_coefficient import MeanCoefficient, OrientedScores
from metaeval.components.registries import COEFFICIENTS
from metaeval.components.test import Comparison
from metaeval.correlation.averages import correlate
from metaeval.correlation.bootstrap_intervals import bootstrap_interval
from metaeval.correlation.coefficients import Pearson
from metaeval.correlation.denoised import Denoised
from metaeval.correlation.denoised_inference import DenoisedInterval, DenoisedTest
from metaeval.correlation.fisher_intervals import Fisher
from metaeval.correlation.influence import leave_one_out
from metaeval.correlation.jackknife import Jackknife
from metaeval.correlation.multiple_tests import against_best, clusters, holm
from metaeval.correlation.paired_bootstrap import bootstrap_test
from metaeval.correlation.standard_error import PairedT, Student
from metaeval.correlation.williams import Williams
from metaeval.datamodel.corpus import FloatArray
from metaeval.runtime.randomness import generator
from metaeval.sampling.resamples import draw_resamples

REPLICATES = 800
# Of a corpus: the truths, the test, the intervals, the percentiles of denoised replicates of the difference, and the
# percentile bootstrap that was the default before.
PERCENTILES = ("percentile_lower", "percentile_upper")
FIELDS = (
    *("true_d", "true_a", "true_b", "d", "p", "statistic", "lower", "upper"),
    *("a", "a_lower", "a_upper", "b", "b_lower", "b_upper"),
    *PERCENTILES,
    *("old_p", "old_lower", "old_upper", "old_a_lower", "old_a_upper"),
)


def estimate_of(coefficient: Coefficient, values: Sequence[float], n_systems: int, **known: Any) -> MeanCoefficient:
    """Return the coefficients of one metric or of two across systems, one each."""
    coefficients = [np.array([value]) for value in values]
    return MeanCoefficient(
        coefficients=coefficients, coefficient=coefficient, n_documents=1, n_systems=n_systems, **known
    )


def row_of(
    truths: tuple[float, float],
    values: Sequence[float],
    comparison: Comparison,
    intervals: Sequence[ConfidenceInterval],
) -> dict[str, float]:
    """Return the outcome of a corpus."""
    found = {"true_d": truths[0] - truths[1], "true_a": truths[0], "true_b": truths[1]}
    found |= {"d": comparison.difference, "p": comparison.p, "lower": comparison.lower, "upper": comparison.upper}
    found["statistic"] = comparison.statistic
    for name, value, one in zip("ab", values, intervals, strict=True):
        found |= {name: value, f"{name}_lower": one.lower, f"{name}_upper": one.upper}
    return found


def by_system(
    text: str,
    lines: FloatArray,
    replicates: FloatArray,
    grid: FloatArray,
    drawn: dict[str, int],
    truths: tuple[float, float],
) -> dict[str, float]:
    """Return the outcome of the defaults for scores of whole systems.

    `lines` are (3, systems), the replicates (replicates, 3, systems), the grid (segments, 3, systems).
    """
    coefficient, n_systems = COEFFICIENTS.named(text), lines.shape[1]
    if coefficient.takes_grid:
        values = [float(coefficient(grid[:, line], grid[:, 2])) for line in (0, 1)]
        relations = [coefficient.among_systems(grid[:, line], grid[:, 2]) for line in (0, 1)]
    else:
        values = [float(coefficient(lines[line], lines[2])) for line in (0, 1)]
        relations = [coefficient, coefficient]
    centred = Denoised(lines, replicates)
    intervals = []
    for line in (0, 1):
        known = {"replicates": centred.coefficients([line], [relations[line]]), "sample_sizes": drawn}
        intervals.append(
            DenoisedInterval().confidence_interval(estimate_of(coefficient, [values[line]], n_systems, **known))
        )
    known = {"replicates": centred.coefficients([0, 1], relations), "sample_sizes": drawn}
    estimate = estimate_of(coefficient, values, n_systems, **known)
    found = row_of(truths, values, DenoisedTest().compare(estimate), intervals)
    found |= dict(zip(PERCENTILES, np.nanpercentile(estimate.replicate_values, [2.5, 97.5]), strict=True))
    if text == "pearson":
        raw = [Pearson()(replicates[:, line], replicates[:, 2]) for line in (0, 1)]
        tested = bootstrap_test(estimate.value, *raw)
        before = bootstrap_interval(values[0], raw[0])
        found |= {"old_p": tested.p, "old_lower": tested.lower, "old_upper": tested.upper}
        found |= {"old_a_lower": before.lower, "old_a_upper": before.upper}
    return found


def simulate(
    model: Model, n_systems: int, n: int, counts: dict[str, int], number: int, seed: int
) -> tuple[dict[str, FloatArray], int]:
    """Draw systems and corpora of them; return the outcomes by coefficient, (corpora, fields), and the discarded."""
    parts, known, discarded = draw_systems(model, n_systems, n, list(counts), number, seed)
    stacked = parts.stacked()
    rows: dict[str, list[list[float]]] = {text: [] for text in counts}
    unit, units, size = ("documents", n // LENGTH, LENGTH) if model.documents else ("segments", n, 1)
    for corpus in range(max(counts.values())):
        rng = generator(seed, "corpus", model.name, n_systems, n, number, corpus)
        of_corpus = stacked[drawn_segments(model, (n,), rng)]
        resamples = draw_resamples("segments", units, n_systems, REPLICATES, rng_segments=rng, rng_systems=rng)
        assert resamples.segments is not None
        weights = np.repeat(resamples.segments / n, size, axis=1)
        whole, drawn = parts.like(of_corpus.mean(axis=0)), parts.like(weights @ of_corpus)
        for text in (text for text, count in counts.items() if corpus < count):
            noise_a, *truth = known[text]
            grid = parts.like(of_corpus).lines(noise_a) if text == SOFT else np.empty(0)
            found = by_system(
                text, whole.lines(noise_a), drawn.lines(noise_a), grid, {unit: units}, (truth[0], truth[1])
            )
            rows[text].append([found.get(field, math.nan) for field in FIELDS])
    return {text: np.array(found) for text, found in rows.items()}, discarded


def simulate_segments(
    model: Model, n_systems: int, n: int, counts: dict[str, int], number: int, seed: int
) -> tuple[dict[str, FloatArray], int]:
    """As `simulate`, of a mean over segments; the truth is the mean over these corpora and as many others."""
    rng = generator(seed, "systems by segment", model.name, n_systems, n, number)
    parts, ((text, count),) = population(model, n_systems, rng), counts.items()
    coefficient, groups = COEFFICIENTS.named(text), np.arange(n) // LENGTH if model.documents else None
    unit, units = ("documents", n // LENGTH) if model.documents else ("segments", n)
    assert model.noise_a is not None
    stacked, rows, means = parts.stacked(), [], []
    for corpus in range(2 * count):
        rng = generator(seed, "corpus by segment", model.name, n_systems, n, number, corpus)
        one = parts.like(stacked[drawn_segments(model, (n,), rng)])
        where = one.judged > 0
        lines = replace(one, judged=np.ones(where.shape)).lines(model.noise_a).transpose(1, 0, 2)
        both = [correlate(lines[line], lines[2], coefficient, "item", where=where) for line in (0, 1)]
        values = [float(np.nanmean(one)) for one in both]
        means.append(values)
        if corpus >= count:
            continue
        pair = MeanCoefficient(
            coefficients=both,
            coefficient=coefficient,
            n_documents=n,
            n_systems=n_systems,
            sample_sizes={unit: units},
            groups=groups,
        )
        intervals = [Student().confidence_interval(replace(pair, coefficients=[one])) for one in both]
        found = row_of((0.0, 0.0), values, PairedT().compare(pair), intervals)
        rows.append([found.get(field, math.nan) for field in FIELDS])
    done = np.array(rows)
    done[:, 1:3] = np.mean(means)
    return {text: done}, 0


def tested_pairs(
    stacked: FloatArray, rng: np.random.Generator, replicates: int
) -> tuple[FloatArray, list[tuple[int, int]], FloatArray, FloatArray]:
    """Return the coefficients of metrics, and the pairs of metrics with their differences and p.

    The scores are (segments, metrics and people, systems), with those of people last.
    """
    n, n_lines, n_systems = stacked.shape
    coefficient, pairs = COEFFICIENTS.named("pearson"), list(itertools.combinations(range(n_lines - 1), 2))
    drawn = draw_resamples("segments", n, n_systems, replicates, rng_segments=rng, rng_systems=rng).segments
    assert drawn is not None
    means = (drawn / n @ stacked.reshape(n, -1)).reshape(replicates, n_lines, n_systems)
    lines, centred = stacked.mean(axis=0), Denoised(stacked.mean(axis=0), means)
    values = Pearson()(lines[:-1], np.broadcast_to(lines[-1], lines[:-1].shape))
    p, d = np.empty(len(pairs)), np.empty(len(pairs))
    for place, (a, b) in enumerate(pairs):
        known = {"replicates": centred.coefficients((a, b), [coefficient] * 2), "sample_sizes": {"segments": n}}
        estimate = estimate_of(coefficient, [values[a], values[b]], n_systems, **known)
        p[place], d[place] = DenoisedTest().compare(estimate).p, estimate.value
    return values, pairs, d, p


def better_than(pairs: Sequence[tuple[int, int]], d: FloatArray, p: FloatArray, n_metrics: int) -> FloatArray:
    """Return p that the metric of a row is better than that of a column: 1 where it is not, nan without a pair."""
    found = np.full((n_metrics, n_metrics), np.nan)
    for (a, b), one, ahead in zip(pairs, p, d > 0, strict=True):
        better, worse = (a, b) if ahead else (b, a)
        found[better, worse], found[worse, better] = one, 1.0
    return found


def family(n_metrics: int, mixed: bool, corpora: range, seed: int) -> list[list[float]]:
    """Return what the tests of all pairs of metrics find in each corpus.

    Returns
    -------
    list of lists of float
        Whether there is a false rejection; whether there are several clusters; whether a given best metric is left out
        of the set of those that are not significantly worse than the best; whether it holds all tied best; how many it
        holds; and the share of the true differences that is found.
    """
    n_systems, n, rows = 20, 300, []
    # In the mix, the best metrics tie, and the noise of the others grows from one to the next.
    tied = max(2, 3 * n_metrics // 10) if mixed else n_metrics
    noises = NOISE * np.concatenate([np.ones(tied), np.linspace(1.5, 6.0, n_metrics - tied)])
    for corpus in corpora:
        rng = generator(seed, "family", n_metrics, int(mixed), corpus)
        latent, human = segments(EXCHANGEABLE, draw_quality(n_systems, rng), n, rng)
        grid = [latent + noise * rng.standard_normal(latent.shape) for noise in noises]
        stacked = np.stack([*grid, human], axis=1)
        values, pairs, d, p = tested_pairs(stacked, rng, REPLICATES)
        equal = np.array([second < tied for _, second in pairs])
        corrected = holm(p)
        plain = [better_than(pairs, d, one, n_metrics) for one in (p, corrected)]
        left_out = np.nanmin(against_best(*plain), axis=0) < 0.05
        found, turned = corrected < 0.05, d < 0
        several = clusters(np.argsort(-values, kind="stable"), plain[1], 0.05).max() > 1
        right = float((found & ~turned)[~equal].mean()) if mixed else math.nan
        false = bool(found[equal].any() or (found & turned)[~equal].any())
        rows.append([false, several, left_out[0], not left_out[:tied].any(), n_metrics - left_out.sum(), right])
    return rows


def of_new_systems(
    outliers: bool, model: Model, n_systems: int, corpora: range, seed: int
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Draw systems and a test set of 200 segments; return their scores: of people, A without noise, its noise, B."""
    n, found = 200, []
    for corpus in corpora:
        rng = generator(seed, "new systems", int(outliers), model.name, n_systems, corpus)
        quality = draw_quality(n_systems, rng) - 1.5 * outliers * (rng.random(n_systems) < 0.1)
        latent, human = (one.mean(axis=0) for one in segments(model, quality, n, rng))
        bias_a, bias_b, z, of_b = rng.standard_normal((4, n_systems)) * np.array([[1], [1], [n**-0.5], [n**-0.5]])
        found.append([human, latent + model.bias_a * bias_a, z, latent + model.bias_b * bias_b + model.noise_b * of_b])
    human, fixed, z, b = np.array(found).transpose(1, 0, 2)
    return human, fixed, z, b


def for_new_systems(
    outliers: bool, model: Model, n_systems: int, count: int, most: int, seed: int
) -> tuple[float, FloatArray, FloatArray, FloatArray]:
    """Return how Williams' test, the jackknife and Fisher's interval do where systems are new.

    Returns
    -------
    float
        The true coefficient of both metrics, over `most` systems on each of 10 sets of segments.
    (4,) float array
        In percent, how often A and B are better at 5 %, and at 1 %.
    (2, 2) float array
        In percent, how often the jackknife's and Fisher's interval hold the truth, of A and B.
    (2,) float array
        Their median widths.
    """
    human, fixed, z, b = of_new_systems(outliers, model, most, range(-10, 0), seed)
    target = float(Pearson()(b, human).mean())
    noise_a = model.noise_a or equal_noise(lambda noise: float(Pearson()(fixed + noise * z, human).mean()) > target)
    assert noise_a is not None
    truth = (target + float(Pearson()(fixed + noise_a * z, human).mean())) / 2.0
    human, fixed, z, b = of_new_systems(outliers, model, n_systems, range(count), seed)
    size, inside, widths = np.zeros(4), np.zeros((2, 2)), []
    for lines in np.stack([fixed + noise_a * z, b, human], axis=1):
        values = [float(Pearson()(one, lines[2])) for one in lines[:2]]
        scores = OrientedScores(lines[:1], lines[1:2], lines[2:], "item")
        tested = Williams().compare(estimate_of(Pearson(), values, n_systems, scores=scores))
        ahead = np.array([tested.difference > 0, tested.difference < 0])
        size += [*(ahead & (tested.p <= 0.05)), *(ahead & (tested.p <= 0.01))]
        for side, value in enumerate(values):
            without = leave_one_out(lines[side], lines[2], Pearson())
            estimate = estimate_of(Pearson(), [value], n_systems, jackknife=[without])
            for row, one in enumerate(
                (Jackknife().confidence_interval(estimate), Fisher().confidence_interval(estimate))
            ):
                inside[row, side] += one.lower <= truth <= one.upper
                widths.append(one.upper - one.lower)
    medians = np.array([np.nanmedian(widths[start::2]) for start in (0, 1)])
    return truth, 100 * size / count, 100 * inside / count, medians
