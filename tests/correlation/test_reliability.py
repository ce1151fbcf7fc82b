"""Spearman and Brown's formula, shares of a ceiling and the level of chance: by hand and by enumeration."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.correlation.reliability import ceiling_of, chance_level, fraction_of_ceiling, stepped_up
from metaeval.kinds import COEFFICIENTS

PEARSON, SPEARMAN = COEFFICIENTS.named("pearson"), COEFFICIENTS.named("spearman")


def test_stepped_up_by_hand():
    # 2 * 0.6 / 1.6; 3 * 0.5 / 2; a correlation of 0 or 1 stays; below 0 it falls.
    np.testing.assert_allclose(stepped_up([0.6, 0.0, 1.0, -0.2], 2.0), [0.75, 0.0, 1.0, -0.5], atol=1e-15)
    assert stepped_up(0.5, 3.0) == pytest.approx(0.75, abs=1e-15)
    assert np.isnan(stepped_up([-0.5, -0.6], 3.0)).tolist() == [True, True]


@given(st.floats(-0.3, 1.0), st.floats(1.0, 2.0), st.floats(1.0, 2.0))
def test_stepping_up_twice_is_stepping_up_by_the_product(r, first, second):
    once = stepped_up(r, first * second)
    assert stepped_up(stepped_up(r, first), second) == pytest.approx(float(once), abs=1e-9)


def test_the_formula_of_errors():
    # Truth of variance 1 and errors of variance 3: one judgment has reliability 1/4, the mean of six 1 / (1 + 3/6).
    assert stepped_up(0.25, 6.0) == pytest.approx(2 / 3, abs=1e-15)
    np.testing.assert_allclose(ceiling_of([0.25, 1.0, -0.1, np.nan]), [0.5, 1.0, 0.0, np.nan])


def test_shares_and_what_has_none():
    metric = np.array([0.2, 0.4, 0.6, 0.8, np.nan, 0.5, 0.5])
    ceiling = np.array([0.8, 0.8, 0.8, 0.8, 0.8, 0.0, -0.1])
    share = fraction_of_ceiling(metric, ceiling, confidence_level=0.5)
    # Of 0.25, 0.5, 0.75, 1: the quartiles as numpy interpolates them.
    assert (share.lower, share.upper) == pytest.approx((0.4375, 0.8125), abs=1e-15)
    assert (share.n_used, share.n_undefined) == (4, 3)
    # With probabilities: 0.25 alone has 0.7.
    weighted = fraction_of_ceiling(
        metric[:4], ceiling[:4], confidence_level=0.5, weights=np.array([0.7, 0.1, 0.1, 0.1])
    )
    assert (weighted.lower, weighted.upper) == (0.25, 0.5)
    nothing = fraction_of_ceiling(metric[:2], np.zeros(2))
    assert np.isnan([nothing.lower, nothing.upper]).all()
    assert (nothing.n_used, nothing.n_undefined) == (0, 2)
    with pytest.raises(ValueError, match="must be equally long"):
        fraction_of_ceiling(metric, ceiling[:2])


@pytest.mark.parametrize("average_by", ["item", "system", "none"])
def test_every_order_of_few_systems(average_by):
    rng = np.random.default_rng(4)
    metric, human = rng.normal(size=(2, 5, 3))
    found = chance_level(metric, human, PEARSON, average_by, n_shuffles=6, rng=rng)
    means = []
    for order in itertools.permutations(range(3)):
        shuffled = human[:, list(order)]
        if average_by == "none":
            pairs = [(metric.ravel(), shuffled.ravel())]
        else:
            pairs = list(zip(metric, shuffled, strict=True))
            pairs = pairs if average_by == "item" else list(zip(metric.T, shuffled.T, strict=True))
        means.append(np.mean([np.corrcoef(*pair)[0, 1] for pair in pairs]))
    assert found.exact
    assert found.mean == pytest.approx(np.mean(means), abs=1e-12)
    assert (found.lower, found.upper) == pytest.approx(tuple(np.quantile(means, [0.025, 0.975])), abs=1e-12)
    if average_by == "item":
        assert found.mean == pytest.approx(0.0, abs=1e-12)


def test_drawn_orders_approach_all_orders():
    rng = np.random.default_rng(5)
    metric, human = rng.normal(size=(2, 4, 6))
    exact = chance_level(metric, human, SPEARMAN, "item", n_shuffles=720, rng=rng)
    drawn = chance_level(metric, human, SPEARMAN, "item", n_shuffles=719, rng=np.random.default_rng(6))
    again = chance_level(metric, human, SPEARMAN, "item", n_shuffles=719, rng=np.random.default_rng(6))
    assert (exact.exact, drawn.exact) == (True, False)
    assert drawn == again
    # A coefficient spreads by less than 0.5 here, so the mean of 719 errs by less than 0.02 (one s.d.).
    assert drawn.mean == pytest.approx(exact.mean, abs=0.08)
    assert (drawn.lower, drawn.upper) == pytest.approx((exact.lower, exact.upper), abs=0.12)


def test_one_order_holds_for_all_documents():
    # Documents that are copies of one another must not make chance look certain.
    metric, human = np.arange(5.0), np.array([2.0, 0, 1, 4, 3])
    one = chance_level(metric[None], human[None], PEARSON, "item", n_shuffles=120, rng=np.random.default_rng(0))
    many = chance_level(
        np.tile(metric, (50, 1)),
        np.tile(human, (50, 1)),
        PEARSON,
        "item",
        n_shuffles=120,
        rng=np.random.default_rng(0),
    )
    assert (many.lower, many.upper) == pytest.approx((one.lower, one.upper), abs=1e-12)
    assert one.upper > 0.8


def test_a_constant_side_has_no_chance_level():
    found = chance_level(np.ones((2, 3)), np.ones((2, 3)), PEARSON, "item", n_shuffles=10, rng=np.random.default_rng(0))
    assert np.isnan([found.mean, found.lower, found.upper]).all()
    assert (found.n_used, found.n_undefined) == (0, 6)
