"""Fisher intervals against nlpstats, scipy, a hand calculation, a simulation, and laws."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from hypothesis import assume, given
from hypothesis import strategies as st

import metaeval
from metaeval.components.registries import COEFFICIENTS
from metaeval.correlation.coefficients import Pearson
from metaeval.correlation.fisher_intervals import fisher_interval
from metaeval.errors import UsageError
from tests.support.gold import stats_gold, stats_scores
from tests.support.grids import grid_of

NAMES = ("pearson", "spearman", "kendall")
PEARSON = COEFFICIENTS.named("pearson")


def test_intervals_equal_nlpstats():
    gold = stats_gold("gold.json")["bootstrap_and_fisher"]
    metric, human = stats_scores("metricA"), stats_scores("human")
    compared = 0
    for name in NAMES:
        coefficient = COEFFICIENTS.named(name)
        for level, r, n in (
            ("system", coefficient(metric.mean(axis=1), human.mean(axis=1)), 8),
            # The mean over the 30 segments, with the number of systems of one of them.
            ("input", coefficient(metric.T, human.T).mean(), 8),
            ("global", coefficient(metric.ravel(), human.ravel()), 240),
        ):
            own = fisher_interval(r, n, coefficient)
            expected = gold[f"nlpstats fisher A vs human {level} {name} 95%"]
            assert expected["lower"] == pytest.approx(float(own[0]), abs=1e-9), (name, level)
            assert expected["upper"] == pytest.approx(float(own[1]), abs=1e-9), (name, level)
            compared += 1
    assert compared == sum("fisher" in key for key in gold) == 9


@given(
    st.lists(st.tuples(st.floats(-9, 9), st.floats(-9, 9)), min_size=5, max_size=30), st.sampled_from([0.5, 0.9, 0.99])
)
def test_pearson_equals_scipy(pairs, level):
    x, y = np.round(np.array(pairs), 3).T
    y = y + x + np.arange(len(x)) / 7
    x = x - np.arange(len(x))[::-1] / 3
    r = float(Pearson()(x, y))
    assume(abs(r) < 1 - 1e-6)  # near 1 the two differ by rounding
    expected = scipy.stats.pearsonr(x, y).confidence_interval(level)
    own = fisher_interval(r, len(x), PEARSON, confidence_level=level)
    assert tuple(expected) == pytest.approx((float(own[0]), float(own[1])), abs=1e-8)


def test_a_calculation_by_hand():
    # r = 0, n = 103: z +- 1.959964 / 10. Spearman's v at r = 0 is 1 too. Kendall's: n = 104, sqrt(.437) = .661060.
    for name, n, half in (("pearson", 103, 0.1959964), ("spearman", 103, 0.1959964), ("kendall", 104, 0.1295654)):
        own = fisher_interval(0.0, n, COEFFICIENTS.named(name))
        assert np.tanh(half) == pytest.approx(float(own[1]), abs=1e-7)
        assert -np.tanh(half) == pytest.approx(float(own[0]), abs=1e-7)
    # Spearman .8: v = 1.32, artanh .8 = ln(9) / 2 = 1.098612; n = 23: 1.959964 * sqrt(.066) = .503524.
    own = fisher_interval(0.8, 23, COEFFICIENTS.named("spearman"))
    assert [np.tanh(0.595088), np.tanh(1.602136)] == pytest.approx([float(own[0]), float(own[1])], abs=1e-6)


@given(st.floats(-0.999, 0.999), st.integers(5, 400), st.sampled_from(NAMES), st.floats(0.01, 0.98))
def test_laws(r, n, name, level):
    coefficient = COEFFICIENTS.named(name)
    own = fisher_interval(r, n, coefficient, confidence_level=level)
    wider = fisher_interval(r, n, coefficient, confidence_level=level + 0.01)
    sharper = fisher_interval(r, 4 * n, coefficient, confidence_level=level)
    turned = fisher_interval(-r, n, coefficient, confidence_level=level)

    assert -1 <= wider[0] < own[0] < r < own[1] < wider[1] <= 1
    assert own[0] < sharper[0] < sharper[1] < own[1]
    np.testing.assert_allclose([turned[0], turned[1]], [-own[1], -own[0]], atol=1e-14)


@pytest.mark.parametrize("name", NAMES)
def test_no_interval(name):
    fewest = 5 if name == "kendall" else 4
    r, n = np.array([0.5, 0.5, 1.0, -1.0, np.nan]), np.array([fewest, fewest - 1, 99, 99, 99])
    own = fisher_interval(r, n, COEFFICIENTS.named(name))
    assert np.isnan(own[0]).tolist() == np.isnan(own[1]).tolist() == [False, True, True, True, True]


def test_coverage_on_normal_scores():
    # True correlation .6 in 4,000 samples of 15: a share of .95 has a standard error of .0034; the limits are four.
    rng = np.random.default_rng(20260102)
    x, noise = rng.standard_normal((2, 4000, 15))
    own = fisher_interval(Pearson()(x, 0.6 * x + 0.8 * noise), 15, PEARSON)
    assert 0.936 < np.mean((own[0] <= 0.6) & (own[1] >= 0.6)) < 0.964


def test_refusals():
    for name in ("pairwise-accuracy", 'kendall(variant="23")', "kendall(epsilon=1)", 'spearman(ties="uncorrected")'):
        with pytest.raises(
            UsageError, match=r"no interval by formula .* it is for 'pearson', 'spearman' .* and 'kendall'"
        ):
            fisher_interval(0.5, 10, COEFFICIENTS.named(name))
    for level in (0.0, 1.0, 95):
        with pytest.raises(UsageError, match="`confidence_level` must be between 0 and 1; got"):
            fisher_interval(0.5, 10, PEARSON, confidence_level=level)
    with pytest.raises(ValueError, match=r"`r` must be a correlation from -1 to 1; got -1\.2"):
        fisher_interval([0.5, -1.2], 10, PEARSON)


def test_in_an_experiment_it_is_that_of_the_systems():
    settings = {"preprocessing": ["case"], "uncertainty": {"method": "fisher", "confidence_level": 0.9}}
    found = metaeval.correlate("demo", ["ter"], criteria=["adequacy"], **settings)
    pearson_row, spearman_row = found.estimates
    grid = grid_of(found)
    expected = scipy.stats.pearsonr(-grid.scores("ter")[0], grid.human[0]).confidence_interval(0.9)
    assert (pearson_row.lower, pearson_row.upper) == pytest.approx((expected.low, expected.high), abs=1e-12)
    assert spearman_row.upper - spearman_row.lower > 0
    assert "interval:fisher(0.9)" in pearson_row.signature
    with pytest.raises(UsageError, match=r"`documents.kind` must be 'all'; got 'segments'"):
        metaeval.correlate("demo", ["ter"], documents={"kind": "segments"}, uncertainty={"method": "fisher"})
    with pytest.raises(UsageError, match="no interval by formula is known for"):
        metaeval.correlate(
            "demo", ["ter"], correlation={"coefficients": ["pairwise-accuracy"]}, uncertainty={"method": "fisher"}
        )
