"""The level of chance by enumeration of the orders of the systems."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

from metaeval.correlation.averages import Oriented, correlate
from metaeval.correlation.chance import chance_level
from metaeval.kinds import COEFFICIENTS

PEARSON, SPEARMAN, KENDALL = map(COEFFICIENTS.named, ("pearson", "spearman", "kendall"))


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
        np.tile(metric, (50, 1)), np.tile(human, (50, 1)), PEARSON, "item", n_shuffles=120, rng=np.random.default_rng(0)
    )
    assert (many.lower, many.upper) == pytest.approx((one.lower, one.upper), abs=1e-12)
    assert one.upper > 0.8


def test_a_constant_side_has_no_chance_level():
    found = chance_level(np.ones((2, 3)), np.ones((2, 3)), PEARSON, "item", n_shuffles=10, rng=np.random.default_rng(0))
    assert np.isnan([found.mean, found.lower, found.upper]).all()
    assert (found.n_used, found.n_undefined) == (0, 6)


@pytest.mark.parametrize(
    ("coefficient", "of_scipy"), [(PEARSON, stats.pearsonr), (SPEARMAN, stats.spearmanr), (KENDALL, stats.kendalltau)]
)
@pytest.mark.parametrize("n_partly", [1, 4])
def test_what_was_not_judged_moves_with_the_order(coefficient, of_scipy, n_partly):
    rng = np.random.default_rng(7)
    metric, human = rng.normal(size=(2, 4, 4))
    human[:n_partly, 2] = np.nan
    human[0, 1] = np.nan if n_partly > 1 else human[0, 1]
    found = chance_level(metric, human, coefficient, "item", n_shuffles=24, rng=rng)
    means = []
    for order in itertools.permutations(range(4)):
        pairs = [(x[np.isfinite(y)], y[np.isfinite(y)]) for x, y in zip(metric, human[:, list(order)], strict=True)]
        means.append(np.mean([of_scipy(*pair).statistic for pair in pairs]))
    assert found.exact
    assert (found.mean, found.lower, found.upper) == pytest.approx(
        (np.mean(means), *np.quantile(means, [0.025, 0.975])), abs=1e-12
    )


@pytest.mark.parametrize("average_by", ["item", "system", "none"])
@pytest.mark.parametrize("flipped", [False, True])
def test_pearson_is_correlated_in_each_order(average_by, flipped):
    # The definition: the human scores change places, and everything is correlated again. Some documents were not
    # judged, and on one the metric is constant.
    rng = np.random.default_rng(2)
    metric, human = rng.normal(size=(6, 4)), rng.normal(size=(6, 4))
    human[2], metric[4] = np.nan, 1.0
    relation = Oriented(PEARSON) if flipped else PEARSON
    found = chance_level(metric, human, relation, average_by, n_shuffles=100, rng=rng)
    means = [
        np.nanmean(correlate(metric, human[:, order], relation, average_by, where=np.isfinite(human)))
        for order in itertools.permutations(range(4))
    ]
    assert found.exact
    assert found.n_used == 24
    assert found.mean == pytest.approx(np.mean(means), abs=1e-12)
    assert (found.lower, found.upper) == pytest.approx(tuple(np.quantile(means, [0.025, 0.975])), abs=1e-12)
    nobody = chance_level(metric, np.full((6, 4), np.nan), relation, average_by, n_shuffles=100, rng=rng)
    assert np.isnan(nobody.mean)
