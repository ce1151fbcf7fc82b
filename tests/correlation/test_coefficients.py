from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from metaeval.components.registries import COEFFICIENTS
from metaeval.correlation.coefficients import Pearson, Spearman, midranks
from metaeval.errors import UsageError
from tests.support.gold import stats_gold, stats_scores

vectors = hnp.arrays(float, st.integers(2, 90), elements=st.integers(-9, 9).map(float))
pairs = st.integers(2, 90).flatmap(
    lambda n: st.tuples(*(hnp.arrays(float, n, elements=st.integers(-9, 9).map(float)) for _ in range(2)))
)


def pearson(x, y):
    return Pearson()(x, y)


def spearman(x, y, **parameters):
    return Spearman(**parameters)(x, y)


@pytest.mark.parametrize("case", stats_gold("tiny_vectors.json"))
def test_tiny_vectors_equal_scipy(case):
    # Origin: scipy.stats 1.17.1, and the formula without correction for ties.
    for name, own in (
        ("pearson", pearson(case["x"], case["y"])),
        ("spearman", spearman(case["x"], case["y"])),
        ("spearman_uncorrected", spearman(case["x"], case["y"], ties="uncorrected")),
    ):
        if case[name] is None:
            assert np.isnan(own)
        else:
            assert case[name] == pytest.approx(float(own), abs=1e-12)


@pytest.mark.parametrize(
    "pair", ["human|metricA", "human|metricB", "human|metricC", "adequacy|metricA", "adequacy|metricC"]
)
def test_averages_equal_scipy_mt_metrics_eval_and_nlpstats(pair):
    # Origin: scipy 1.17.1 (flat, system), google-research/mt-metrics-eval (avg_*), nlpstats (input, global, system).
    expected = stats_gold("gold.json")["correlations"][pair]
    x, y = (stats_scores(column) for column in pair.split("|"))
    for name, function in (("pearson", pearson), ("spearman", spearman)):
        flat = float(function(x.ravel(), y.ravel()))
        by_segment, by_system = function(x.T, y.T), function(x, y)
        own = {
            f"{name}_flat": flat,
            f"nlpstats_global_{name}": flat,
            f"mtme_{name}_avg_none": flat,
            f"system_{name}": float(function(x.mean(axis=1), y.mean(axis=1))),
            f"nlpstats_system_{name}": float(function(x.mean(axis=1), y.mean(axis=1))),
            f"nlpstats_input_{name}": float(np.nanmean(by_segment)),
            f"mtme_{name}_avg_item": float(np.nanmean(by_segment)),
            f"mtme_{name}_avg_sys": float(np.nanmean(by_system)),
        }
        for key, value in own.items():
            assert expected[key] == pytest.approx(value, abs=1e-9), key
    uncorrected = spearman(x.ravel(), y.ravel(), ties="uncorrected")
    assert expected["spearman_flat_uncorrected_1_minus_6d2"] == pytest.approx(float(uncorrected), abs=1e-9)


def test_midranks_equal_scipy():
    expected = stats_gold("gold.json")["ranks_average"]["adequacy_s00"]
    assert expected == midranks(stats_scores("adequacy")[0]).tolist()


@given(pairs)
def test_many_at_once_equal_one_by_one(pair):
    x, y = pair
    both = np.stack([x, y, x[::-1]])
    for function in (pearson, spearman):
        many = function(both, np.stack([y, x, y]))
        np.testing.assert_array_equal(many, [function(x, y), function(y, x), function(x[::-1], y)])


@given(st.integers(65, 200), st.integers(0, 2**32 - 1))
def test_sorting_and_counting_give_the_same_ranks(n, seed):
    # Up to 64 values are counted, more are sorted: the first 64 among values that all are larger have the same ranks.
    x = np.random.default_rng(seed).integers(0, 20, 64).astype(float)
    assert midranks(x).tolist() == midranks(np.concatenate([x, np.full(n - 64, 99.0)]))[:64].tolist()


@given(pairs)
def test_coefficients_are_symmetric_and_do_not_depend_on_the_order_of_systems(pair):
    x, y = pair
    order = np.argsort(np.sin(np.arange(len(x)) * 12.9898))
    for function in (pearson, spearman):
        np.testing.assert_allclose(function(x, y), function(y, x), atol=1e-12)
        np.testing.assert_allclose(function(x, y), function(x[order], y[order]), atol=1e-12)
        np.testing.assert_allclose(function(x, y), -function(x, -y), atol=1e-12)


@given(pairs, st.floats(0.01, 100), st.floats(-100, 100))
def test_pearson_does_not_change_under_affine_maps(pair, scale, shift):
    x, y = pair
    mapped = scale * x + shift
    assume(len(np.unique(mapped)) == len(np.unique(x)))
    np.testing.assert_allclose(pearson(x, y), pearson(mapped, y), atol=1e-9)


@given(pairs)
def test_spearman_does_not_change_under_monotone_maps(pair):
    x, y = pair
    np.testing.assert_array_equal(spearman(x, y), spearman(np.exp(x), y**3))


@given(vectors)
def test_a_vector_agrees_with_itself(x):
    assume(len(np.unique(x)) > 1)
    assert spearman(x, x) == 1.0
    assert pearson(x, x) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("function", [pearson, spearman])
def test_a_constant_side_is_undefined_even_if_its_mean_is_rounded(function):
    # The mean of ten times 0.1 is 0.09999999999999999.
    assert np.isnan(function(np.full(10, 0.1), np.arange(10.0)))
    assert np.isnan(function(np.arange(10.0), np.full(10, 0.1)))
    assert np.isnan(function([1.0], [2.0]))


@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_huge_and_tiny_numbers(scale):
    assert pearson(np.array([1.0, 2, 4]) * scale, [1, 2, 4]) == pytest.approx(1.0, abs=1e-12)


def test_a_small_spread_about_a_large_mean():
    assert pearson(np.array([1.0, 2, 4]) + 1e9, [1, 2, 4]) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("function", [pearson, spearman])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite_are_refused_with_their_place(function, bad):
    x = np.zeros((2, 3))
    x[1, 2] = bad
    with pytest.raises(ValueError, match=rf"`y` must be finite; got {bad} at index \(1, 2\)"):
        function(np.zeros((2, 3)), x)


def test_shapes_must_agree():
    with pytest.raises(ValueError, match="must have the same shape"):
        pearson([1, 2], [1, 2, 3])


def test_without_ties_an_order_for_ties_changes_nothing():
    x, y = np.random.default_rng(1).normal(size=(2, 40, 12))
    for seed in range(3):
        np.testing.assert_allclose(spearman(x, y, ties="ordinal", seed=seed), spearman(x, y), atol=1e-15)


def test_a_hand_count_of_orders_of_ties():
    # Metric 1 1 2, people 1 2 3: the metric's ranks are 1 2 3, with r = 1, or 2 1 3, with 1 - 6 * 2 / 24 = 0.5.
    found = [float(spearman([1, 1, 2], [1, 2, 3], ties="ordinal", seed=seed)) for seed in range(400)]
    assert set(found) == {1.0, 0.5}
    assert stats.binomtest(found.count(1.0), 400).pvalue > 0.001


tied = st.integers(2, 7).flatmap(
    lambda n: st.tuples(*(hnp.arrays(float, n, elements=st.integers(0, 2).map(float)) for _ in range(2)))
)


# The same examples each time: of very many, some are five standard errors away by chance.
@settings(max_examples=25, derandomize=True)
@given(tied)
def test_the_mean_over_orders_of_ties(pair):
    # Ties are broken on each side by itself, so the expected product of two ranks is that of the two mid-ranks, also
    # where both sides are the same vector. The sum of squares is that of the ranks 1 to n, whatever the order.
    x, y = pair
    n, m = len(x), 500
    found = np.array([float(spearman(x, y, ties="ordinal", seed=seed)) for seed in range(m)])
    centre = (n + 1) / 2
    expected = np.sum((stats.rankdata(x) - centre) * (stats.rankdata(y) - centre)) / ((n**3 - n) / 12)
    assert expected == pytest.approx(found.mean(), abs=5 * found.std(ddof=1) / m**0.5 + 1e-12)
    if len(set(x)) == len(set(y)) == n:
        assert found.std() == 0.0


def test_every_order_of_ties_is_equally_likely_in_other_rows_too():
    # Three tied systems beside one that differs in each row: against people's 1 2 3 4 the six orders of the first three
    # ranks have d = 0 (r = 1), two with 2 (0.8), two with 6 (0.4), one with 8 (0.2).
    rows = np.random.default_rng(2).normal(size=3000)
    x = np.stack([np.zeros(3000), np.zeros(3000), np.zeros(3000), 10.0 + rows], axis=1)
    found = spearman(x, np.tile([1.0, 2, 3, 4], (3000, 1)), ties="ordinal")
    values, counts = np.unique(np.round(found, 9), return_counts=True)
    assert values.tolist() == [0.2, 0.4, 0.8, 1.0]
    assert stats.chisquare(counts, [500, 1000, 1000, 500]).pvalue > 0.001


@given(tied, st.integers(0, 99))
def test_the_order_of_ties_depends_on_the_vector_alone(pair, seed):
    x, y = pair
    alone = spearman(x, y, ties="ordinal", seed=seed)
    others = spearman(np.stack([y, x, x + 1]), np.stack([y, y, x]), ties="ordinal", seed=seed)
    deep = spearman(np.broadcast_to(x, (2, 3, len(x))), np.broadcast_to(y, (2, 3, len(x))), ties="ordinal", seed=seed)
    assert alone == others[1]
    assert (deep == alone).all()
    # Zeros of either sign are one number.
    assert alone == spearman(np.where(x == 0, -0.0, x), y, ties="ordinal", seed=seed)


def test_with_an_order_for_ties_a_constant_side_has_a_value():
    x, y = np.full((500, 5), 0.1), np.random.default_rng(3).normal(size=(500, 5))
    values = spearman(x, y, ties="ordinal")
    assert not np.isnan(values).any()
    # The metric's order is the same in all rows, since the vector is; people's differ: the mean is 0 within 5 standard
    # errors of sqrt(1 / (n - 1) / 500).
    assert abs(values.mean()) < 5 * (1 / 4 / 500) ** 0.5
    assert np.isnan(spearman(x[:, :1], y[:, :1], ties="ordinal")).all()


def test_an_order_for_ties_by_name():
    ordinal = COEFFICIENTS.named('spearman(ties="ordinal", seed=7)')
    assert ordinal.signature_items == (("ties", "ordinal"), ("seed", "7"))
    assert COEFFICIENTS.named('spearman(ties="ordinal")').signature_items == (("ties", "ordinal"), ("seed", "1"))
    assert COEFFICIENTS.named("spearman").signature_items == (("ties", "average"),)
    assert float(ordinal(np.array([1.0, 2]), np.array([1.0, 2]))) == 1.0
    with pytest.raises(
        UsageError, match="`seed` is for ties='ordinal', which draws an order; got 7 with ties='average'"
    ):
        COEFFICIENTS.named("spearman(seed=7)")
    with pytest.raises(UsageError, match="`seed` must be at least 0; got -1"):
        COEFFICIENTS.named('spearman(ties="ordinal", seed=-1)')
    with pytest.raises(UsageError, match=r"`ties` must be one of .*; got 'dense'"):
        spearman([1, 2], [1, 2], ties="dense")
    with pytest.raises(UsageError, match="`seed` must be at least 0; got -1"):
        spearman([1, 2], [1, 2], ties="ordinal", seed=-1)


def test_coefficients_by_name():
    x, y = [1, 2, 2, 3], [1, 2, 3, 4]
    uncorrected = COEFFICIENTS.named('spearman(ties="uncorrected")')

    # Gold, tiny_vectors.json, second case.
    assert float(uncorrected(np.array(x, float), np.array(y, float))) == pytest.approx(0.95, abs=1e-12)
    assert uncorrected.signature_items == (("ties", "uncorrected"),)
    with pytest.raises(UsageError, match=r"unknown coefficient 'spearmann'; did you mean 'spearman'\?"):
        COEFFICIENTS.named("spearmann")


@pytest.mark.parametrize("n", [100, 9000, 20_000])
def test_a_row_has_the_same_bits_alone_and_among_others(n):
    rng = np.random.default_rng(n)
    x, y = rng.normal(size=(2, 4, 3, n))
    alone = [[float(pearson(one, other)) for one, other in zip(*rows, strict=True)] for rows in zip(x, y, strict=True)]
    assert pearson(x, y).tolist() == alone
