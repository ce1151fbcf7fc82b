"""Means with errors by cluster, by hand and by laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from metaeval.ratings.means import clustered_mean, coefficient_interval, mean_interval, share_interval, skewed_mean

NAN = float("nan")


def test_a_clustered_mean_by_hand():
    # Residuals -1.5 -0.5 | 0.5 1.5, sums -2 and 2: sqrt((4 + 4) * 2 / 1) / 4 = 1. Two clusters of equal size.
    mean = clustered_mean(np.array([1.0, 2, 3, 4]), np.array([7, 7, 3, 3]))
    assert (mean.value, mean.error, mean.items, mean.clusters, mean.effective) == (2.5, 1.0, 4, 2, 2)
    # Sizes 3 and 1: (3 + 1)^2 / (9 + 1) = 1.6 clusters, rounded.
    assert clustered_mean(np.array([1.0, 2, 3, 4, NAN]), np.array([1, 1, 1, 2, 3])).effective == 2
    nothing = clustered_mean(np.array([NAN]), np.array([0]))
    assert (np.isnan(nothing.value), nothing.items) == (True, 0)


def test_the_interval_of_single_items_is_that_of_student():
    values = np.array([3.0, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8])
    found = mean_interval(values, np.arange(12))
    lower, upper = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    assert (found.lower, found.upper) == pytest.approx((lower, upper), abs=1e-12)
    assert "too few" in mean_interval(values[:9], np.arange(9)).missing_because


def test_shares_by_hand():
    # 80 of 100: the error is sqrt(.16 / 99), so n is 99; t(99, .975) = 1.984217, z2 = 3.937117.
    # (.8 + z2 / 198) / (1 + z2 / 99) = .7885256; half sqrt(z2 (.16 / 99 + z2 / 39204)) / (1 + z2 / 99) = .0790653.
    found = share_interval(np.repeat([1.0, 0.0], [80, 20]), np.arange(100))
    assert (found.lower, found.upper) == pytest.approx((0.7885256 - 0.0790653, 0.7885256 + 0.0790653), abs=1e-6)
    # All of 20: n = 20, t(19, .975) = 2.0930241, so that the lower end is 20 / (20 + 4.3807498) = .8203193.
    found = share_interval(np.ones(20), np.arange(20))
    assert (found.lower, found.upper) == pytest.approx((0.8203193, 1.0), abs=1e-6)


def test_halls_transformed_t_by_hand():
    # 1 to 9 and 55: mean 10, sum of squares 2310, error sqrt(2310 / 9 / 10) = 5.06623; third moment 8910, so that the
    # skewness is 8910 / 231^1.5 = 2.53780, a = .802523. T = 1.973854, h(T) = 1.973854 + 1.042236 + .183441 + .133754.
    # t(9, .975) = 2.262157: 3 / a (cbrt(1 + a (2.262157 - a / 6)) - 1) = 1.472376, and of -2.262157 it is -7.377604.
    found = skewed_mean(np.array([1.0, 2, 3, 4, 5, 6, 7, 8, 9, 55]), np.arange(10))
    assert found.error == pytest.approx(5.06623, abs=1e-5)
    assert (found.lower, found.upper) == pytest.approx((10 - 5.06623 * 1.472376, 10 + 5.06623 * 7.377604), abs=3e-4)
    assert found.p == pytest.approx(2 * stats.t.sf(3.333285, 9), abs=1e-6)
    # One-sided, t(9, .95) = 1.833113: 3 / a (cbrt(1 + a (1.833113 - a / 6)) - 1) = 1.241441.
    assert found.bound == pytest.approx(10 - 5.06623 * 1.241441, abs=1e-4)


def test_without_skewness_hall_is_student():
    values = np.concatenate([np.arange(1.0, 8), -np.arange(1.0, 8)]) + 0.5
    found = skewed_mean(values, np.arange(14))
    reference = stats.ttest_1samp(values, 0)
    assert found.p == pytest.approx(reference.pvalue, abs=1e-12)
    assert (found.lower, found.upper) == pytest.approx(tuple(reference.confidence_interval(0.95)), abs=1e-9)
    assert found.bound == pytest.approx(reference.confidence_interval(0.90)[0], abs=1e-9)


@given(st.lists(st.integers(-5, 9), min_size=12, max_size=40).filter(lambda of: len({*of} - {0}) > 1))
def test_the_ends_of_halls_interval_are_where_its_p_is_the_level(values):
    x = np.array(values, dtype=float)
    found = skewed_mean(x, np.arange(len(x)))
    if found.has_ends:
        for end in (found.lower, found.upper):
            shifted = skewed_mean(x - end, np.arange(len(x)))
            assert shifted.p == pytest.approx(0.05, abs=1e-6)
        mirrored = skewed_mean(-x, np.arange(len(x)))
        assert (mirrored.lower, mirrored.upper) == pytest.approx((-found.upper, -found.lower), abs=1e-9)


def test_what_cannot_be_estimated_has_a_reason():
    few = skewed_mean(np.repeat([1.0, 0.0], [9, 91]), np.arange(100))
    assert np.isnan([few.lower, few.upper, few.bound, few.p]).all()
    assert few.missing_because == "they differ in only 9 of 100 items or documents, and a test needs 10"
    assert "the same everywhere" in skewed_mean(np.full(20, -1.0), np.arange(20)).missing_because
    assert "9 items or documents are too few" in skewed_mean(np.arange(9.0), np.arange(9)).missing_because


def test_the_jackknife_of_a_mean_has_the_error_of_the_mean():
    rng = np.random.default_rng(3)
    values, cluster = rng.uniform(-0.5, 0.8, 60), np.repeat(np.arange(20), 3)
    found = coefficient_interval(lambda means: means[..., 0], values[:, None], cluster)
    mean = clustered_mean(values, cluster)
    # Without each of 20 equal documents, the mean moves by 1/19 of the document's distance from it.
    u = np.array([values[cluster == one].mean() for one in range(20)]) - mean.value
    equal = (u**2).sum() ** 2 / (u**4).sum()
    half = stats.t.ppf(0.975, equal - 1) * mean.error
    assert (found.lower, found.upper) == pytest.approx((mean.value - half, mean.value + half), abs=1e-9)
