"""Kendall's coefficients against scipy, mt-metrics-eval, nlpstats, hand counts, and laws."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from metaeval.components.registries import COEFFICIENTS
from metaeval.correlation.kendall import VARIANTS, Kendall
from metaeval.correlation.pair_counts import count_pairs
from metaeval.errors import UsageError
from tests.support.gold import stats_gold, stats_scores

SYMMETRIC = ("b", "c", "23")
ODD = ("b", "c", "wmt13", "wmt14")
PAIRS = [f"{human}|metric{metric}" for human in ("human", "adequacy") for metric in "ABC"]
# Up to 64 values are compared pair by pair, more are sorted.
pairs = st.integers(2, 90).flatmap(
    lambda n: st.tuples(*(hnp.arrays(float, n, elements=st.integers(-9, 9).map(float)) for _ in range(2)))
)


def kendall(x, y, **parameters):
    return Kendall(**parameters)(x, y)


def count_plainly(x, y, epsilon=0.0, gap=0.0):
    """Count concordant, discordant, tied by x only, tied by y only, tied by both, with one comparison a pair."""
    counts = [0, 0, 0, 0, 0]
    for (x1, y1), (x2, y2) in itertools.combinations(zip(x, y, strict=True), 2):
        by_x, by_y = abs(x1 - x2) <= epsilon, y1 == y2 or abs(y1 - y2) < gap
        if by_x or by_y:
            counts[4 if by_x and by_y else 2 if by_x else 3] += 1
        else:
            counts[0 if (x1 > x2) == (y1 > y2) else 1] += 1
    return counts


def counted(x, y, **options):
    counts = count_pairs(np.asarray(x, float), np.asarray(y, float), **options)
    return [counts.concordant, counts.discordant, counts.metric_ties, counts.human_ties, counts.both_ties]


@pytest.mark.parametrize("case", stats_gold("tiny_vectors.json"))
def test_tiny_vectors_equal_scipy_and_mt_metrics_eval(case):
    # Origin: scipy.stats 1.17.1 (b, c), google-research/mt-metrics-eval (23).
    for name, variant in (("kendall_b", "b"), ("kendall_c", "c"), ("tau23", "23")):
        own = kendall(case["x"], case["y"], variant=variant)
        if case[name] is None:
            assert np.isnan(own)
        else:
            assert case[name] == pytest.approx(float(own), abs=1e-12)


@pytest.mark.parametrize("pair", PAIRS)
def test_averages_equal_scipy_mt_metrics_eval_and_nlpstats(pair):
    # Origin: scipy 1.17.1 (flat, system), mt-metrics-eval (mtme_*), nlpstats (input, global, system).
    expected = stats_gold("gold.json")["correlations"][pair]
    human, metric = (stats_scores(column) for column in pair.split("|"))
    flat, across_systems = kendall(metric.ravel(), human.ravel()), kendall(metric.T, human.T)
    of_means = kendall(metric.mean(axis=1), human.mean(axis=1))
    own = {
        "kendall_b_flat": flat,
        "kendall_c_flat": kendall(metric.ravel(), human.ravel(), variant="c"),
        "nlpstats_global_kendall": flat,
        "nlpstats_input_kendall": np.nanmean(across_systems),
        "nlpstats_system_kendall": of_means,
        "system_kendall_b": of_means,
        "mtme_kendall_b_avg_none": flat,
        "mtme_kendall_b_avg_item": np.nanmean(across_systems),
        "mtme_kendall_b_avg_sys": np.nanmean(kendall(metric, human)),
        "mtme_kendall_like_thresh1_flat": kendall(metric.ravel(), human.ravel(), variant="wmt10", gap=1.0),
    }
    for variant, epsilon in itertools.product(("b", "23"), (0.0, 0.25, 1.0)):
        options = {"variant": variant, "epsilon": epsilon}
        key = f"mtme_kendallvariants_{variant}_eps{epsilon}_avg"
        own[f"{key}_none"] = kendall(metric.ravel(), human.ravel(), **options)
        own[f"{key}_item"] = np.nanmean(kendall(metric.T, human.T, **options))
        own[f"{key}_sys"] = np.nanmean(kendall(metric, human, **options))
    for key, value in own.items():
        figure = expected[key]
        assert (figure[0] if isinstance(figure, list) else figure) == pytest.approx(float(value), abs=1e-9), key


@pytest.mark.parametrize("pair", PAIRS)
def test_the_counts_equal_those_of_mt_metrics_eval(pair):
    # Its Kendall-like coefficient keeps the pairs whose human scores differ by 1 or more; metric ties are discordant.
    _, _, n_pairs, concordant, rest = stats_gold("gold.json")["correlations"][pair]["mtme_kendall_like_thresh1_flat"]
    human, metric = (stats_scores(column).ravel() for column in pair.split("|"))
    c, d, metric_ties, human_ties, both_ties = (int(count) for count in counted(metric, human, gap=1.0))

    assert (concordant, rest) == (c, d + metric_ties)
    assert n_pairs == 240 * 239 // 2 - human_ties - both_ties


@pytest.mark.parametrize(
    ("variant", "options", "expected"),
    [
        # Metric 1 1 2 3 4, people 1 2 2 1 3. Concordant: 13 15 25 35 45; discordant: 24 34; tied by the metric only:
        # 12; by people only: 14 23.
        ("b", {}, (5 - 2) / np.sqrt((5 + 2 + 1) * (5 + 2 + 2))),
        ("c", {}, 2 * (5 - 2) / (5**2 * (3 - 1) / 3)),
        ("23", {}, (5 - 2 - 1 - 2) / 10),
        ("wmt10", {}, (5 - 2 - 1) / (5 + 2 + 1)),
        ("wmt13", {}, (5 - 2) / (5 + 2)),
        ("wmt14", {}, (5 - 2) / (5 + 2 + 1)),
        # Human scores that differ by 2: the concordant 15 and 45.
        ("wmt10", {"gap": 2.0}, 1.0),
        # With differences of 1 tied, the metric orders 14 15 24 25 35 only, and ties 12 13 23 34 45.
        ("23", {"epsilon": 1.0}, (3 + 1 - 1 - 4 - 1) / 10),
        ("wmt14", {"epsilon": 1.0}, (3 - 1) / (3 + 1 + 4)),
    ],
)
def test_a_hand_count(variant, options, expected):
    assert expected == pytest.approx(float(kendall([1, 1, 2, 3, 4], [1, 2, 2, 1, 3], variant=variant, **options)))


@given(pairs)
def test_b_and_c_equal_scipy(pair):
    x, y = pair
    for variant in ("b", "c"):
        # scipy warns of nothing and gives nan for a constant side, as here.
        expected = stats.kendalltau(x, y, variant=variant).statistic
        np.testing.assert_allclose(kendall(x, y, variant=variant), expected, atol=1e-12)


@given(pairs, st.sampled_from([0.0, 1.0, 2.5]), st.sampled_from([0.0, 1.0, 3.0]))
def test_counts_equal_one_comparison_a_pair(pair, epsilon, gap):
    x, y = pair
    assert count_plainly(x, y, epsilon, gap) == counted(x, y, epsilon=epsilon, gap=gap)


@given(st.integers(65, 400), st.integers(1, 500), st.integers(0, 2**32 - 1))
def test_many_values_are_counted_as_few_are(n, n_distinct, seed):
    # A gap below the least difference of the human scores changes nothing, but is counted pair by pair.
    x, y = np.random.default_rng(seed).integers(0, n_distinct, (2, 3, n)).astype(float)
    np.testing.assert_array_equal(counted(x, y, gap=0.5), counted(x, y))


@given(pairs, st.sampled_from(VARIANTS))
def test_many_at_once_equal_one_by_one(pair, variant):
    x, y = pair
    first, second = np.stack([[x, y], [x[::-1], x]]), np.stack([[y, x], [y, x]])
    one_by_one = [[kendall(first[i, j], second[i, j], variant=variant) for j in range(2)] for i in range(2)]
    np.testing.assert_array_equal(kendall(first, second, variant=variant), one_by_one)


@pytest.mark.parametrize("n", [100, 70, 12])
def test_more_rows_than_are_handled_at_once(n):
    # 2^18 numbers are handled at once.
    x, y = np.random.default_rng(n).integers(0, 30, (2, (1 << 18) // n + 5, n)).astype(float)
    tau = kendall(x, y)
    for row in (0, 1, len(x) - 6, len(x) - 5, len(x) - 1):
        assert stats.kendalltau(x[row], y[row]).statistic == pytest.approx(tau[row], abs=1e-12)


@given(pairs, st.sampled_from(VARIANTS))
def test_the_order_of_systems_does_not_matter(pair, variant):
    x, y = pair
    order = np.argsort(np.sin(np.arange(len(x)) * 12.9898))
    np.testing.assert_array_equal(kendall(x, y, variant=variant), kendall(x[order], y[order], variant=variant))


@given(pairs)
def test_symmetry_and_sign(pair):
    x, y = pair
    for variant in SYMMETRIC:
        np.testing.assert_array_equal(kendall(x, y, variant=variant), kendall(y, x, variant=variant))
    for variant in VARIANTS:
        assert COEFFICIENTS.named(f'kendall(variant="{variant}")').is_odd == (variant in ODD)
        if variant in ODD:
            np.testing.assert_array_equal(kendall(x, y, variant=variant), -kendall(-x, y, variant=variant))


@given(pairs, st.sampled_from(VARIANTS))
def test_monotone_maps_change_nothing(pair, variant):
    x, y = pair
    np.testing.assert_array_equal(kendall(x, y, variant=variant), kendall(np.exp(x), y**3, variant=variant))


@given(pairs)
def test_without_ties_all_variants_are_one(pair):
    x, y = (np.argsort(side, kind="stable").astype(float) for side in pair)
    for variant in VARIANTS:
        np.testing.assert_allclose(kendall(x, y, variant=variant), kendall(x, y), atol=1e-12)


@given(pairs)
def test_metric_ties_cost_most_in_2010_and_nothing_in_2013(pair):
    x, y = pair
    by_2010, by_2013, by_2014 = (kendall(x, y, variant=variant) for variant in ("wmt10", "wmt13", "wmt14"))
    if np.ptp(y) > 0:
        assert -1 <= by_2010 <= by_2014 <= 1
        if not np.isnan(by_2013):
            assert abs(by_2014) <= abs(by_2013) <= 1


@pytest.mark.parametrize("variant", VARIANTS)
def test_two_systems(variant):
    assert kendall([1, 2], [3, 4], variant=variant) == 1.0
    assert kendall([1, 2], [4, 3], variant=variant) == -1.0
    assert np.isnan(kendall([1], [2], variant=variant))
    assert np.isnan(kendall(np.empty((3, 0)), np.empty((3, 0)), variant=variant)).tolist() == [True] * 3


@pytest.mark.parametrize("n", [4, 70])
@pytest.mark.parametrize(
    ("variant", "constant_metric", "constant_human"),
    [
        ("b", np.nan, np.nan),
        ("c", np.nan, np.nan),
        ("23", -1.0, -1.0),
        ("wmt10", -1.0, np.nan),
        ("wmt13", np.nan, np.nan),
        ("wmt14", 0.0, np.nan),
    ],
)
def test_a_constant_side(n, variant, constant_metric, constant_human):
    some, constant = np.arange(n), np.full(n, 0.1)
    np.testing.assert_array_equal(kendall(constant, some, variant=variant), constant_metric)
    np.testing.assert_array_equal(kendall(some, constant, variant=variant), constant_human)


def test_differences_too_large_for_a_number():
    assert kendall([-1.7e308, 1.7e308, 0.0], [1, 3, 2]) == 1.0


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite_are_refused_with_their_place(bad):
    x = np.zeros((2, 3))
    x[1, 2] = bad
    with pytest.raises(ValueError, match=rf"`y` must be finite; got {bad} at index \(1, 2\)"):
        kendall(np.zeros((2, 3)), x)
    with pytest.raises(ValueError, match="must have the same shape"):
        kendall([1, 2], [1, 2, 3])


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("kendall", (("variant", "b"), ("epsilon", "0"))),
        ('kendall(variant="c")', (("variant", "c"),)),
        ('kendall(variant="wmt10", gap=25)', (("variant", "wmt10"), ("epsilon", "0"), ("gap", "25"))),
        ('kendall(variant="23", epsilon=0.25)', (("variant", "23"), ("epsilon", "0.25"))),
    ],
)
def test_signatures(text, items):
    assert items == COEFFICIENTS.named(text).signature_items


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('kendall(variant="d")', r"`variant` must be one of 'b', 'c', '23', .*; got 'd'"),
        ("kendall(epsilon=-1)", r"`epsilon` must be at least 0; got -1"),
        ('kendall(variant="c", epsilon=1)', r"`epsilon` must be 0 for variant 'c'.*; got 1\.0"),
        ("kendall(gap=25)", r"`gap` must be 0 for variant 'b'; got 25\.0"),
    ],
)
def test_parameters_that_do_not_fit_are_refused(text, message):
    with pytest.raises(UsageError, match=message):
        COEFFICIENTS.named(text)


def test_the_function_refuses_what_configs_refuse():
    with pytest.raises(UsageError, match=r"`variant` must be one of .*; got 'a'"):
        kendall([1, 2], [1, 2], variant="a")
    with pytest.raises(UsageError, match=r"`epsilon` must be at least 0; got nan"):
        kendall([1, 2], [1, 2], epsilon=float("nan"))
