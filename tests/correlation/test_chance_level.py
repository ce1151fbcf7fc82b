"""The level of chance by enumeration of the orders of the systems."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

from metaeval.components.registries import COEFFICIENTS
from metaeval.correlation.averages import Oriented, correlate
from metaeval.correlation.chance_level import ChanceLevel, best_of_chance, means_in_orders, orders_of_systems

PEARSON, SPEARMAN, KENDALL = map(COEFFICIENTS.named, ("pearson", "spearman", "kendall"))


def chance_level(metric, human, coefficient, average_by, *, n_shuffles, rng):
    orders, exact = orders_of_systems(human.shape[1], n_shuffles, rng)
    return ChanceLevel.from_means(means_in_orders(metric, human, orders, coefficient, average_by), exact=exact)


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


def test_the_best_of_chance_by_every_order_of_the_systems():
    # Of three metrics the highest coefficient in each of the 24 orders; 5 % of 24 are 1.2, so one order is above.
    rng = np.random.default_rng(8)
    metrics, human = rng.normal(size=(3, 1, 4)), rng.normal(size=(1, 4))
    orders, exact = orders_of_systems(4, 24, rng)
    means = np.array([means_in_orders(one, human, orders, PEARSON, "item") for one in metrics])
    mean, level = best_of_chance(means, exact=exact)
    highest = sorted(
        max(stats.pearsonr(one[0], human[0, list(order)]).statistic for one in metrics)
        for order in itertools.permutations(range(4))
    )
    assert exact
    assert mean == pytest.approx(np.mean(highest), abs=1e-12)
    assert level == pytest.approx(highest[-2], abs=1e-12)


@pytest.mark.parametrize(
    ("n_orders", "exact", "above"),
    [
        # All orders, the data among them: 5 % of 120 and 720; of fewer than 20 the highest alone.
        (120, True, 6),
        (720, True, 36),
        (24, True, 1),
        (6, True, 1),
        (2, True, 1),
        # Drawn, with the data as one more: 5 % of 1001, 101 and 20 are 50, 5 and 1, of which the data are one.
        (1000, False, 49),
        (100, False, 4),
        (19, False, 0),
    ],
)
def test_of_one_metric_the_level_is_exceeded_in_five_percent_of_its_own_orders(n_orders, exact, above):
    means = np.random.default_rng(n_orders).permutation(n_orders) / 10
    mean, level = best_of_chance(means[None], exact=exact)
    assert (means > level).sum() == above
    assert level in means
    assert mean == pytest.approx(means.mean())


def test_too_few_drawn_orders_have_no_level():
    # Above all of 18 is the nineteenth, with a chance of 1/19, which is more than 5 %.
    mean, level = best_of_chance(np.arange(18.0)[None], exact=False)
    assert (mean, np.isnan(level)) == (8.5, True)
    assert np.isnan(best_of_chance(np.full((2, 30), np.nan), exact=False)).all()


def test_metrics_of_noise_are_above_the_level_of_the_best_in_five_percent_of_corpora():
    # 15 metrics that know nothing of 8 systems, half of them alike. Of 600 corpora 30 are expected, and 46 or more, or
    # 14 or fewer, with a chance below 1 in 200 each (binomial).
    rng, passed, each = np.random.default_rng(9), 0, 0
    for _ in range(600):
        metrics, human = rng.normal(size=(15, 1, 8)), rng.normal(size=(1, 8))
        metrics[:8] = metrics[0] + 0.3 * metrics[:8]
        orders, exact = orders_of_systems(8, 200, rng)
        means = np.array([means_in_orders(one, human, orders, PEARSON, "item") for one in metrics])
        found = max(np.corrcoef(one[0], human[0])[0, 1] for one in metrics)
        passed += found > best_of_chance(means, exact=exact)[1]
        each += found > np.quantile(means[-1], 0.975)
    assert 14 < passed < 46
    assert each > 90


def test_more_orders_begin_with_the_fewer_ones():
    few, exact = orders_of_systems(7, 30, np.random.default_rng(1))
    many, _ = orders_of_systems(7, 30, np.random.default_rng(1), n_drawn=50)
    assert (len(few), len(many), exact) == (30, 50, False)
    assert (many[:30] == few).all()
    # All orders, where there are no more than asked for, are not drawn.
    assert len(orders_of_systems(3, 30, np.random.default_rng(1), n_drawn=50)[0]) == 6


@pytest.mark.parametrize("coefficient", [PEARSON, KENDALL])
@pytest.mark.parametrize("n_unjudged", [0, 1])
def test_a_metric_of_some_systems_gets_human_scores_of_all(coefficient, n_unjudged):
    # Three systems have scores of the metric; in each order of the five that people judged they get three of these.
    rng = np.random.default_rng(10)
    metric, human, places = rng.normal(size=(2, 3)), rng.normal(size=(2, 5)), np.array([0, 2, 4])
    human[:n_unjudged, 1] = np.nan
    orders, _ = orders_of_systems(5, 120, rng)
    found = means_in_orders(metric, human, orders[:, places], coefficient, "item")
    for mean, order in zip(found, itertools.permutations(range(5)), strict=True):
        of_metric = human[:, np.array(order)[places]]
        each = [
            correlate(x[None], y[None], coefficient, "item", where=np.isfinite(y)[None])
            for x, y in zip(metric, of_metric, strict=True)
        ]
        assert mean == pytest.approx(np.nanmean(each), abs=1e-12)
