"""The denoised interval and test: by the formulas of their docstrings, laws, and what they say of simulated metrics."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from metaeval.components.mean_coefficient import MeanCoefficient
from metaeval.correlation.coefficients import Pearson, Spearman
from metaeval.correlation.denoised import Denoised, noise_covariance
from metaeval.correlation.denoised_inference import DenoisedInterval, DenoisedTest, from_fisher_scale, on_fisher_scale
from metaeval.correlation.kendall import Kendall
from metaeval.correlation.paired_bootstrap import bootstrap_test
from metaeval.correlation.standard_error import PairedT, StandardError, StandardErrorTest, Student

SEGMENTS, SYSTEMS = {"segments": 200}, 12


@pytest.fixture(name="replicates", scope="module")
def _replicates():
    rng = np.random.default_rng(1)
    quality = rng.normal(0, 0.35, SYSTEMS)
    human = quality + rng.normal(0, 1, (200, SYSTEMS))
    metrics = [quality + rng.normal(0, noise, (200, SYSTEMS)) for noise in (1.0, 4.0)]
    lines = np.stack([*metrics, human], axis=1)
    weights = rng.multinomial(200, np.full(200, 1 / 200), size=800) / 200
    values = lines.mean(axis=0)
    return values, Denoised(values, np.einsum("bn,nlk->blk", weights, lines))


def of_one(r, replicates, coefficient, **settings):
    defaults = {"coefficient": coefficient, "n_documents": 1, "n_systems": SYSTEMS, "sample_sizes": SEGMENTS}
    return MeanCoefficient(coefficients=[np.array([r])], replicates=[replicates], **{**defaults, **settings})


def of_two(values, pair, coefficient, **settings):
    defaults = {"coefficient": coefficient, "n_documents": 1, "n_systems": SYSTEMS, "sample_sizes": SEGMENTS}
    coefficients = coefficient(values[:2], values[[2, 2]]).reshape(2, 1)
    return MeanCoefficient(coefficients=[*coefficients], replicates=pair, **{**defaults, **settings})


def test_the_interval_covers_t_standard_deviations_of_both_centres(replicates):
    values, denoised = replicates
    r = float(Pearson()(values[1], values[2]))
    (of_line,) = denoised.coefficients([1], [Pearson()])
    found = DenoisedInterval().confidence_interval(of_one(r, of_line, Pearson()))
    z = np.arctanh(of_line)
    # 800 replicates of 200 segments: the fewer give the degrees of freedom.
    half = stats.t.ppf(0.975, 199) * z.std(ddof=1)
    centres = np.arctanh(r), z.mean()
    expected = np.tanh(min(centres) - half), np.tanh(max(centres) + half)
    assert (found.lower, found.upper) == pytest.approx(expected, abs=1e-12)
    assert found.lower <= r <= found.upper


def test_the_test_and_its_interval_are_one(replicates):
    values, denoised = replicates
    pair = denoised.coefficients([0, 1], [Pearson()] * 2)
    found = DenoisedTest().compare(of_two(values, pair, Pearson()))
    z = np.arctanh(pair[0]) - np.arctanh(pair[1])
    t = z.mean() / z.std(ddof=1)
    assert (found.statistic, found.p) == pytest.approx((t, 2 * stats.t.sf(abs(t), 199)), rel=1e-9)
    # At the level of its own p, the interval ends at 0.
    at_p = DenoisedTest().compare(of_two(values, pair, Pearson(), confidence_level=1 - found.p))
    assert min(abs(at_p.lower), abs(at_p.upper)) == pytest.approx(0, abs=1e-9)
    assert found.lower <= found.difference <= found.upper
    turned = DenoisedTest().compare(of_two(values[[1, 0, 2]], pair[::-1], Pearson()))
    assert (turned.p, turned.lower, turned.upper) == pytest.approx((found.p, -found.upper, -found.lower), abs=1e-12)
    one_sided = [
        DenoisedTest(alternative=one).compare(of_two(values, pair, Pearson())).p for one in ("less", "greater")
    ]
    assert sum(one_sided) == pytest.approx(1)
    assert 2 * min(one_sided) == pytest.approx(found.p)


@pytest.mark.parametrize("kind", [Pearson(), Spearman(), Kendall()])
@pytest.mark.parametrize(
    ("interval", "test"), [(DenoisedInterval(), DenoisedTest()), (StandardError(), StandardErrorTest())]
)
def test_the_interval_of_a_difference_is_that_of_its_test(replicates, kind, interval, test):
    values, denoised = replicates
    estimate = of_two(values, denoised.coefficients([0, 1], [kind] * 2), kind)
    found, tested = interval.confidence_interval(estimate), test.compare(estimate)
    assert (found.lower, found.upper) == (tested.lower, tested.upper)
    assert found.lower <= tested.difference <= found.upper


def test_the_interval_of_a_mean_difference_is_that_of_its_test():
    metric_a, metric_b = np.random.default_rng(2).normal(size=(2, 40))
    estimate = MeanCoefficient(
        coefficients=[metric_a, metric_b], coefficient=Pearson(), n_documents=40, n_systems=5, sample_sizes=SEGMENTS
    )
    found, tested = Student().confidence_interval(estimate), PairedT().compare(estimate)
    # scipy's paired t test and its interval.
    outside = stats.ttest_rel(metric_a, metric_b).confidence_interval()
    assert (found.lower, found.upper) == (tested.lower, tested.upper) == pytest.approx((outside.low, outside.high))


def test_listed_replicates_without_a_value_take_their_weights_with_them(replicates):
    # Ten replicates without a value change nothing: not even where each replicate has a probability, here the same.
    values, denoised = replicates
    pair = denoised.coefficients([0, 1], [Pearson()] * 2)
    longer = [np.append(one, np.full(10, np.nan)) for one in pair]
    settings = {"weights": np.full(810, 1 / 810), "sample_sizes": SEGMENTS}
    found = DenoisedTest().compare(of_two(values, longer, Pearson(), **settings))
    whole = DenoisedTest().compare(of_two(values, pair, Pearson(), weights=np.full(800, 1 / 800)))
    assert found.n_undefined == 10
    assert (found.p, found.lower, found.upper) == pytest.approx((whole.p, whole.lower, whole.upper), rel=1e-9)


def test_listed_replicates_count_as_often_as_they_come():
    # Three of them with probabilities 1/6, 2/6 and 3/6 are six without; a sample would be divided by five, all by six.
    rng = np.random.default_rng(4)
    values, listed = rng.normal(size=(2, 5)), rng.normal(size=(3, 2, 5))
    once = noise_covariance(values, listed, np.array([1, 2, 3]) / 6)
    assert once == pytest.approx(noise_covariance(values, np.repeat(listed, [1, 2, 3], axis=0)) * 5 / 6, rel=1e-12)


def test_equal_metrics_have_p_1_and_other_units_change_nothing(replicates):
    values, denoised = replicates
    a, b = denoised.coefficients([0, 0], [Pearson()] * 2)
    same = DenoisedTest().compare(of_two(values[[0, 0, 2]], (a, b), Pearson()))
    assert (same.p, same.difference) == (1.0, 0.0)
    assert np.isnan(same.lower)


def test_fisher_scale_ends_halfway_to_1():
    # Of 8 systems the largest Spearman coefficient below 1 is 1 - 12/504.
    top = on_fisher_scale(np.array([1.0, 1 - 12 / 504]), Spearman(), 8)
    assert top == pytest.approx(np.arctanh([1 - 6 / 504, 1 - 12 / 504]))
    assert from_fisher_scale(float(top[0]), Spearman(), 8) == 1.0
    assert from_fisher_scale(-9.0, Pearson(), 8) == -1.0
    assert from_fisher_scale(0.5, Pearson(), 8) == pytest.approx(np.tanh(0.5))


@pytest.mark.parametrize(
    ("known", "told"),
    [
        ({"n_systems": 4}, "it needs at least 5 systems, and there are 4"),
        ({"sample_sizes": {"segments": 9}}, "it needs at least 10 segments, and there are 9"),
        ({"sample_sizes": {"documents": 2}}, "it needs at least 3 documents, and there are 2"),
    ],
)
def test_too_few_units_have_no_interval(replicates, known, told):
    values, denoised = replicates
    r = float(Pearson()(values[0], values[2]))
    for coefficient in (Pearson(), Kendall()):
        found = DenoisedInterval().confidence_interval(
            of_one(r, denoised.coefficients([0], [coefficient])[0], coefficient, **known)
        )
        assert found.undefined_because == told
        assert np.isnan([found.lower, found.upper]).all()


def test_a_noisy_metric_is_not_worse_for_its_noise():
    """Two metrics with the same mean Pearson correlation over test sets: the noisy one unbiased, the quiet one biased.

    Plain replicates have the noise of the segments twice, and find the quiet metric better far too often.
    """
    rng = np.random.default_rng(11)
    n, n_systems = 200, 20
    quality, bias = 0.35 * rng.normal(size=n_systems), 0.25 * rng.normal(size=n_systems)

    def means(noise, count):
        latent = quality + rng.normal(0, np.sqrt(1 / n), (count, n_systems))
        human = latent + rng.normal(0, np.sqrt(1 / n), (count, n_systems))
        quiet = latent + bias + rng.normal(0, np.sqrt(0.1 / n), (count, n_systems))
        noisy = latent + rng.normal(0, noise / np.sqrt(n), (count, n_systems))
        return Pearson()(noisy, human).mean(), Pearson()(quiet, human).mean()

    low, high = 0.1, 60.0
    for _ in range(25):
        middle = np.sqrt(low * high)
        noisy, quiet = means(middle, 4000)
        low, high = (middle, high) if noisy > quiet else (low, middle)
    found, plain = [], []
    for _ in range(200):
        latent = quality + rng.normal(size=(n, n_systems))
        human = latent + rng.normal(size=(n, n_systems))
        lines = [
            latent + low * rng.normal(size=latent.shape),
            latent + bias + np.sqrt(0.1) * rng.normal(size=latent.shape),
        ]
        everything = np.stack([*lines, human], axis=1)
        weights = rng.multinomial(n, np.full(n, 1 / n), size=300) / n
        values = everything.mean(axis=0)
        drawn = (weights @ everything.reshape(n, -1)).reshape(300, 3, n_systems)
        pair = Denoised(values, drawn).coefficients([0, 1], [Pearson()] * 2)
        one = of_two(values, pair, Pearson())
        found.append(DenoisedTest().compare(one))
        of_a, of_b = (Pearson()(drawn[:, place], drawn[:, 2]) for place in (0, 1))
        plain.append(bootstrap_test(one.value, of_a, of_b))
    # 5 % of 200 are 10; 19 or more have a chance below 1 in 200.
    assert sum(one.p < 0.05 for one in found) < 19
    assert sum(one.p < 0.05 and one.difference < 0 for one in plain) >= 19


def test_replicates_against_the_estimate_show_nothing(replicates):
    values, denoised = replicates
    pair = denoised.coefficients([0, 1], [Pearson()] * 2)
    one = of_two(values, pair, Pearson())
    assert DenoisedTest().compare(one).statistic * one.value > 0
    turned = DenoisedTest().compare(replace(one, coefficients=one.coefficients[::-1]))
    assert (turned.statistic, turned.p) == (0.0, 1.0)
    # An interval that does not reach the estimate is none.
    assert np.isnan([turned.lower, turned.upper]).all()
