"""Systems and pairs of a band, and what a narrower range alone does, against hand calculations and laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.components.registries import COEFFICIENTS
from metaeval.correlation.averages import Oriented
from metaeval.correlation.bands import best_systems, equally_good_metrics, near_pairs
from metaeval.correlation.influence import top_systems

NAMES = ("pearson", "spearman", "kendall", "pairwise-accuracy")
scores = st.lists(st.integers(-20, 20).map(float), min_size=5, max_size=12)


def simulated(metric, human, name, inside, n_draws=400, seed=1):
    coefficient = COEFFICIENTS.named(name)
    metric, human = np.asarray(metric, dtype=float), np.asarray(human, dtype=float)

    drawn = equally_good_metrics(metric, human, coefficient, n_draws=n_draws, rng=np.random.default_rng(seed))
    if np.isnan(drawn).any():
        return np.full(n_draws, np.nan)
    return coefficient(drawn[:, inside], np.broadcast_to(human[inside], drawn[:, inside].shape))


def test_the_best_are_chosen_in_the_direction_of_the_judgments_and_ties_come_with_them():
    human = np.array([3.0, 1.0, 2.0, 2.0, 5.0])
    assert best_systems(human, 2).tolist() == [True, False, False, False, True]
    assert best_systems(human, 3).tolist() == [True, False, True, True, True]
    assert best_systems(human, 2, higher_is_better=False).tolist() == [False, True, True, True, False]


@given(scores, st.integers(1, 5), st.booleans())
def test_the_best_are_those_that_the_influence_of_systems_takes(human, k, higher):
    values = np.array(human)
    number, _ = top_systems(values, values, COEFFICIENTS.named("pearson"), [k], higher_is_better=higher)
    taken = best_systems(values, k, higher_is_better=higher)
    assert taken.sum() == number[0] >= k
    turned = values if higher else -values
    assert turned[taken].min() > turned[~taken].max(initial=-np.inf)


def test_near_pairs_are_within_the_distance():
    # Distances: 1 of the first two, 2 of the last two, 3 of the outer two.
    assert near_pairs(np.array([0.0, 1.0, 3.0]), 1.0).tolist() == [
        [False, True, False],
        [True, False, False],
        [False, False, False],
    ]
    assert near_pairs(np.array([0.0, 1.0, 3.0]), 2.0).sum() == 4


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=5, max_size=9))
def test_accuracy_on_all_pairs_is_pairwise_accuracy(pairs):
    metric, human = np.array(pairs, dtype=float).T
    coefficient = COEFFICIENTS.named("pairwise-accuracy")
    every = coefficient.among_pairs(~np.eye(len(human), dtype=bool))
    assert every(metric, human) == pytest.approx(float(coefficient(metric, human)), abs=1e-12)
    turned = Oriented(coefficient).among_pairs(~np.eye(len(human), dtype=bool))
    assert turned(metric, human) == pytest.approx(float(Oriented(coefficient)(metric, human)), abs=1e-12)


def test_only_counts_of_pairs_have_some_of_them():
    pairs = np.ones((3, 3), dtype=bool)
    for name in ("pearson", "kendall", 'pairwise-accuracy(epsilon="auto")'):
        with pytest.raises(ValueError, match="counts no pairs"):
            COEFFICIENTS.named(name).among_pairs(pairs)


@given(st.integers(0, 1000))
def test_simulated_metrics_have_the_correlation_of_the_data_over_all_systems(seed):
    rng = np.random.default_rng(seed)
    human = rng.normal(size=10)
    metric = human * rng.choice([-1, 1]) + rng.normal(size=10)
    everything = np.ones(10, dtype=bool)
    values = simulated(metric, human, "pearson", everything, n_draws=20, seed=seed)
    np.testing.assert_allclose(values, np.corrcoef(metric, human)[0, 1], atol=1e-9)


@pytest.mark.parametrize("name", ["spearman", "kendall", "pairwise-accuracy"])
def test_simulated_metrics_have_about_the_ranks_of_the_data_over_all_systems(name):
    rng = np.random.default_rng(3)
    human = rng.normal(size=15)
    metric = human + rng.normal(size=15)
    coefficient = COEFFICIENTS.named(name)
    values = simulated(metric, human, name, np.ones(15, dtype=bool))
    # Kendall changes by 2 / 105 a pair, and one scale of 49 is a few pairs from the next at most.
    np.testing.assert_allclose(values, float(coefficient(metric, human)), atol=0.1)
    assert abs(values.mean() - float(coefficient(metric, human))) < 0.02


def test_the_middle_of_a_narrower_range_is_that_of_thorndike():
    # Pearson's law of selection, r u / sqrt(1 - r^2 + r^2 u^2) with u the ratio of the standard deviations of people's
    # scores (Thorndike 1949, case 2), for many systems: here r = .8, and of 2000 normal scores the best half, whose
    # standard deviation is .603 of all: .8 * .603 / sqrt(.36 + .64 * .3636) = .627.
    rng = np.random.default_rng(5)
    human = rng.normal(size=2000)
    noise = rng.normal(size=2000)
    centred = (human - human.mean()) / human.std()
    noise -= noise.mean() + (noise @ centred) / 2000 * centred
    metric = 0.8 * centred + 0.6 * noise / noise.std()
    assert np.median(simulated(metric, human, "pearson", best_systems(human, 1000))) == pytest.approx(0.627, abs=0.01)


def test_a_perfect_metric_is_perfect_in_every_band_and_a_constant_one_has_none():
    human = np.arange(8.0)
    inside = best_systems(human, 5)
    assert simulated(2 * human + 1, human, "pearson", inside).tolist() == pytest.approx([1.0] * 400)
    assert np.isnan(simulated(np.ones(8), human, "pearson", inside)).all()
    assert np.isnan(simulated(human, np.ones(8), "pearson", inside)).all()


@pytest.mark.parametrize("name", NAMES)
def test_the_unit_of_a_metric_does_not_matter(name):
    rng = np.random.default_rng(8)
    human = rng.normal(size=9)
    metric = human + rng.normal(size=9)
    inside = best_systems(human, 6)
    first, second = (simulated(one, human, name, inside) for one in (metric, 1000 * metric - 7))
    np.testing.assert_allclose(first, second, atol=1e-9)
