"""Williams' test against mt-metrics-eval, nlpstats, a hand calculation, a simulation of its null, and laws."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from metaeval.components.registries import COEFFICIENTS
from metaeval.correlation.coefficients import Pearson
from metaeval.correlation.williams import Williams, williams
from metaeval.errors import UsageError
from tests.support.gold import stats_gold, stats_scores

PEARSON = COEFFICIENTS.named("pearson")
correlations = st.floats(-0.95, 0.95)


def gold():
    return stats_gold("gold.json")["williams"]


def test_three_correlations_equal_mt_metrics_eval():
    compared = 0
    for key, expected in gold().items():
        if not (match := re.fullmatch(r"r12=(\S+) r13=(\S+) r23=(\S+) n=(\d+)", key)):
            continue
        a, b, ab, n = (float(text) for text in match.groups())
        own = {one: float(williams(a, b, ab, n, alternative=one).p) for one in ("two-sided", "greater", "less")}
        assert expected["mtme_two_sided"] == pytest.approx(own["two-sided"], abs=1e-9), key
        # It takes the magnitude of t. With r12 < r13 its one-sided p is that of the other direction; ours is 1 - p.
        assert expected["mtme_one_sided"] == pytest.approx(own["greater" if a >= b else "less"], abs=1e-9), key
        if a < b:
            assert 1 - expected["mtme_one_sided"] == pytest.approx(own["greater"], abs=1e-9), key
        compared += 1
    assert compared == 6


def test_scores_equal_nlpstats():
    a, b, human = (stats_scores(column) for column in ("metricA", "metricB", "human"))
    compared = 0
    for key, expected in gold().items():
        if not (match := re.fullmatch(r"nlpstats metricA,metricB vs human (system|global) (\w+) (\S+)", key)):
            continue
        level, coefficient, alternative = match.groups()
        vectors = [one.mean(axis=1) if level == "system" else one.ravel() for one in (a, b, human)]
        own = Williams(alternative)(*vectors, COEFFICIENTS.named(coefficient))
        assert expected == pytest.approx(own.p, abs=1e-9), key
        assert own.n_used == {"system": 8, "global": 240}[level]
        compared += 1
    assert compared == 18


def test_a_calculation_by_hand():
    # r_a .8, r_b .6, r_ab .5, n 4: K = 1 - .64 - .36 - .25 + .48 = .23; the sum below the line is
    # 2 * 3 * .23 + .49 * .125 = 1.44125; t = .2 * sqrt(3 * 1.5 / 1.44125). With one degree of freedom the
    # t distribution is Cauchy's: p = 2 (1/2 - arctan(t) / pi).
    t = 0.2 * np.sqrt(4.5 / 1.44125)
    found = williams(0.8, 0.6, 0.5, 4)
    assert t == pytest.approx(float(found.statistic), abs=1e-14)
    assert 1 - 2 * np.arctan(t) / np.pi == pytest.approx(float(found.p), abs=1e-14)
    assert float(found.difference) == pytest.approx(0.2)


@given(correlations, correlations, correlations, st.integers(4, 60))
def test_laws(a, b, ab, n):
    found = {one: williams(a, b, ab, n, alternative=one) for one in ("two-sided", "greater", "less")}
    swapped = williams(b, a, ab, n, alternative="less")
    turned = williams(-a, -b, ab, n, alternative="less")
    matrix = np.array([[1, a, b], [a, 1, ab], [b, ab, 1]])

    assume(abs(np.linalg.det(matrix)) > 1e-9)
    assert np.isnan(found["greater"].p) == (np.linalg.det(matrix) < 0)
    np.testing.assert_allclose([swapped.p, turned.p], [found["greater"].p] * 2, atol=1e-12)
    np.testing.assert_allclose(found["greater"].p + found["less"].p, 1 + 0 * found["less"].p, atol=1e-12)
    tails = np.minimum(found["greater"].p, found["less"].p)
    np.testing.assert_allclose(found["two-sided"].p, 2 * tails, atol=1e-12)
    if np.linalg.det(matrix) > 0:
        assert np.sign(found["greater"].statistic) == np.sign(a - b)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("name", ["pearson", "spearman", "kendall"])
def test_equal_metrics_give_p_of_one(name, alternative):
    human, metric = np.array([1.0, 2.0, 4.0, 3.0, 7.0, 5.0]), np.array([0.1, 0.7, 0.3, 0.2, 0.8, 0.9])
    for other in (metric, 3 * metric + 0.1):
        own = Williams(alternative)(metric, other, human, COEFFICIENTS.named(name))
        assert (own.p, own.statistic) == (1.0, 0.0)
        assert own.difference == pytest.approx(0.0, abs=1e-15)
    # Rounding makes no difference of what is none.
    assert williams(0.5, 0.5 + 1e-15, 1 - 1e-15, 10, alternative=alternative).p == 1.0


def test_undefined():
    for a, b, ab, n in (
        (0.8, 0.6, 0.5, 3),  # no degree of freedom
        (0.9, 0.1, 0.9, 20),  # no three variables have these correlations: the determinant is -.478
        (1.0, 0.8, 0.8, 20),  # perfect: the determinant is 0
        (0.5, 0.5, 1.0, 3),  # equal, but too few
        (np.nan, 0.5, 0.2, 20),
    ):
        found = williams(a, b, ab, n)
        assert np.isnan(found.p), (a, b, ab, n)
        assert np.isnan(found.statistic)
    human = np.arange(6.0)
    assert np.isnan(Williams()(np.ones(6), human**2, human, PEARSON).p)
    # A determinant of 0 stays 0 though r_b and r_ab are rounded differently.
    assert np.isnan(Williams()(2 * human / 3 + 0.1, np.array([0.3, 0.1, 0.7, 0.2, 0.9, 0.8]), human, PEARSON).p)


def test_many_at_once_equal_one_by_one():
    a, b, n = np.array([[0.8], [0.2]]), np.array([0.6, 0.1, np.nan]), np.array([9, 20, 20])
    found = williams(a, b, 0.5, n, alternative="greater")
    single = [
        [float(williams(x, y, 0.5, k, alternative="greater").p) for y, k in zip(b, n, strict=True)] for x in a[:, 0]
    ]
    np.testing.assert_array_equal(found.p, single)


def test_its_size_on_equal_normal_metrics():
    # Two metrics, each the human score plus noise of its own, in 4,000 samples of 12 systems. A share of .05 has a
    # standard error of .0034; the limits are four of them.
    rng = np.random.default_rng(20260101)
    human, one, other = rng.standard_normal((3, 4000, 12))
    a, b = human + one, human + other
    p = williams(Pearson()(a, human), Pearson()(b, human), Pearson()(a, b), 12).p
    assert 0.036 < np.mean(p < 0.05) < 0.064


def test_refusals():
    with pytest.raises(ValueError, match=r"`r_b` must be a correlation from -1 to 1; got 1\.5"):
        williams(0.5, 1.5, 0.2, 10)
    with pytest.raises(
        UsageError, match=r"unknown alternative 'more'\. Known alternatives: 'two-sided', 'less', 'greater'\."
    ):
        williams(0.5, 0.4, 0.2, 10, alternative="more")
    for name in ("pairwise-accuracy", 'kendall(variant="c")', 'spearman(ties="uncorrected")'):
        with pytest.raises(UsageError, match=r"must be 'pearson', 'spearman' .* or 'kendall'"):
            Williams()([1, 2, 3, 4], [1, 2, 4, 3], [2, 1, 3, 4], COEFFICIENTS.named(name))
    with pytest.raises(ValueError, match=r"must be finite; got nan at index \(1,\)"):
        Williams()([1, np.nan, 3], [1, 2, 3], [1, 2, 3], PEARSON)
    with pytest.raises(ValueError, match=r"must be vectors; got the shape \(1, 3\)"):
        Williams()([[1, 2, 3]], [[1, 2, 4]], [[1, 2, 3]], PEARSON)
    with pytest.raises(ValueError, match="must have the same shape"):
        Williams()([1, 2, 3], [1, 2], [1, 2, 3], PEARSON)


def test_signature():
    assert str(Williams("less").signature) == "williams|alternative:less"
