"""Influence of single systems against scipy, hand examples, plain loops, and laws."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from metaeval.components.registries import COEFFICIENTS
from metaeval.correlation.influence import leave_one_out, outlier_systems, top_systems, without_outliers

NAMES = ("pearson", "spearman", "kendall", "pairwise-accuracy")
PEARSON = COEFFICIENTS.named("pearson")
# Five systems that the metric cannot order, and one that is far worse and decides all.
HUMAN = np.array([4.0, 4.1, 4.2, 4.3, 4.4, 1.0])
METRIC = np.array([0.52, 0.55, 0.50, 0.51, 0.53, 0.10])
grids = st.tuples(st.integers(1, 3), st.integers(4, 9)).flatmap(
    lambda shape: st.tuples(*(hnp.arrays(float, shape, elements=st.integers(0, 20).map(float)) for _ in range(2)))
)


def test_leave_one_out_equals_scipy():
    assert scipy.stats.pearsonr(METRIC, HUMAN)[0] > 0.98
    expected = [
        scipy.stats.pearsonr(np.delete(METRIC, place), np.delete(HUMAN, place))[0] for place in range(len(HUMAN))
    ]
    own = leave_one_out(METRIC, HUMAN, PEARSON)
    np.testing.assert_allclose(own, expected, atol=1e-12)
    # Without the last system nothing is left: by hand, deviations of the metric are -.2, 2.8, -2.2, -1.2, .8 and of
    # people -2, -1, 0, 1, 2, products .4 - 2.8 + 0 - 1.2 + 1.6 = -2; r = -2 / sqrt(14.8 * 10).
    assert -2 / np.sqrt(148) == pytest.approx(float(own[-1]), abs=1e-12)


@given(grids, st.sampled_from(NAMES))
def test_leave_one_out_equals_a_plain_loop(pair, name):
    metric, human = pair
    coefficient = COEFFICIENTS.named(name)
    own = leave_one_out(metric, human, coefficient)
    assert own.shape == metric.shape
    for document, system in np.ndindex(metric.shape):
        left = np.delete(metric[document], system), np.delete(human[document], system)
        np.testing.assert_allclose(own[document, system], coefficient(*left), atol=1e-12)


def test_few_systems_left_are_undefined():
    assert np.isnan(leave_one_out([1, 2], [2, 1], PEARSON)).tolist() == [True, True]
    assert np.isnan(leave_one_out([1], [2], PEARSON)).tolist() == [True]
    assert leave_one_out(np.zeros((2, 0)), np.zeros((2, 0)), PEARSON).shape == (2, 0)


@pytest.mark.parametrize(
    ("human", "expected"),
    [
        # Median 4.15; distances .15 .05 .05 .15 .25 3.15, their median .15; 2.5 * 1.483 * .15 = .556.
        (HUMAN, [5]),
        # Median 3; distances 2 1 0 1 x: MAD 1, so the limit is 2.5 * 1.483 = 3.7075 above or below.
        ([1, 2, 3, 4, 6.7074], []),
        ([1, 2, 3, 4, 6.7076], [4]),
        ([-0.7076, 2, 3, 4, 5], [0]),
        # More than half share a score: nothing to compare the distance with.
        ([3, 3, 3, 3, 9], []),
        ([5], []),
        ([], []),
        # Two documents, whose means are 1, 2, 3, 4 and 10.
        ([[0, 4, 2, 5, 19], [2, 0, 4, 3, 1]], [4]),
    ],
)
def test_outliers_by_hand(human, expected):
    assert np.flatnonzero(outlier_systems(human)).tolist() == expected


def test_an_outlier_is_beyond_the_limit_not_at_it():
    # With a limit of 0 all are outliers but the median itself.
    assert outlier_systems([1, 2, 4], cutoff=0).tolist() == [True, False, True]


@given(hnp.arrays(float, st.integers(1, 15), elements=st.integers(-50, 50).map(float)))
def test_outliers_equal_the_rule_with_the_mad_of_scipy(human):
    mad = scipy.stats.median_abs_deviation(human)
    expected = (np.abs(human - np.median(human)) / (1.483 * mad) > 2.5) if mad else np.zeros(len(human), bool)
    np.testing.assert_array_equal(outlier_systems(human), expected)
    # Neither the unit nor the direction of the scores matters, but the number of systems does.
    np.testing.assert_array_equal(outlier_systems(7 - 2 * human), expected)
    assert expected.sum() <= len(human) / 2


def test_without_outliers():
    own = without_outliers(METRIC, HUMAN, PEARSON)
    assert outlier_systems(HUMAN).tolist() == [False] * 5 + [True]
    assert -2 / np.sqrt(148) == pytest.approx(float(own), abs=1e-12)
    # Outliers of the metric are none; and in documents the same systems are left out everywhere.
    assert without_outliers(HUMAN, np.arange(6), PEARSON) == PEARSON(HUMAN, np.arange(6.0))
    both = without_outliers(np.stack([METRIC, METRIC]), np.stack([HUMAN, HUMAN[[1, 0, 2, 3, 4, 5]]]), PEARSON)
    assert both.shape == (2,)
    assert both == pytest.approx(
        [float(PEARSON(METRIC[:5], HUMAN[:5])), float(PEARSON(METRIC[:5], HUMAN[[1, 0, 2, 3, 4]]))], abs=1e-12
    )


def test_the_best_systems_equal_scipy():
    taken, own = top_systems(METRIC, HUMAN, PEARSON)
    # By people the order is 4, 3, 2, 1, 0, 5.
    expected = [
        scipy.stats.pearsonr(METRIC[best], HUMAN[best])[0]
        for best in ([4, 3, 2, 1, 0, 5], [4, 3, 2, 1, 0], [4, 3, 2, 1])
    ]
    assert taken.tolist() == [6, 5, 4]
    np.testing.assert_allclose(own, expected, atol=1e-12)
    # Where low is good, the best are the others.
    _, low = top_systems(METRIC, HUMAN, PEARSON, [3], higher_is_better=False)
    np.testing.assert_allclose(low, [scipy.stats.pearsonr(METRIC[[5, 0, 1]], HUMAN[[5, 0, 1]])[0]])


def test_tied_systems_stay_together_among_the_best():
    human = np.array([3.0, 5.0, 4.0, 4.0, 1.0])
    taken, own = top_systems([1, 2, 4, 3, 5], human, COEFFICIENTS.named("kendall"), [1, 2, 3, 4])
    assert taken.tolist() == [1, 3, 3, 4]
    assert np.isnan(own[0])
    # 5 4 4 against 2 4 3: two discordant pairs and one tied by people: -2 / sqrt(3 * 2).
    assert own[1:3] == pytest.approx([-2 / np.sqrt(6)] * 2, abs=1e-12)


@given(grids, st.sampled_from(NAMES))
def test_laws_of_the_best_systems(pair, name):
    metric, human = pair
    coefficient = COEFFICIENTS.named(name)
    taken, own = top_systems(metric, human, coefficient)
    n = metric.shape[1]
    order = np.argsort(np.sin(np.arange(n) * 12.9898))

    sizes = range(n, 3, -1)
    assert len(taken) == len(sizes)
    assert (taken >= sizes).all()
    np.testing.assert_allclose(own[:, 0], coefficient(metric, human), atol=1e-12)
    _, again = top_systems(metric[:, order], human[:, order], coefficient)
    np.testing.assert_allclose(again, own, atol=1e-12)


def test_fewer_than_four_systems_have_no_series():
    assert top_systems(np.zeros((2, 3)), np.zeros((2, 3)), PEARSON)[1].shape == (2, 0)


@pytest.mark.parametrize("function", [leave_one_out, without_outliers, top_systems])
def test_refusals(function):
    with pytest.raises(ValueError, match=r"`y` must be finite; got nan at index \(1,\)"):
        function([1, 2, 3, 4], [1, np.nan, 3, 4], PEARSON)
    with pytest.raises(ValueError, match="must have the same shape"):
        function([1, 2, 3, 4], [1, 2, 3], PEARSON)


def test_sizes_that_cannot_be():
    for size in (0, 7):
        with pytest.raises(ValueError, match=rf"`sizes` must be from 1 to 6, the number of systems; got \[{size}\]"):
            top_systems(METRIC, HUMAN, PEARSON, [size])
