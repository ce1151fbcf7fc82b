"""Permutation tests against mt-metrics-eval, nlpstats, exhaustive enumeration, hand counts, and plain definitions."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from metaeval.components.registries import COEFFICIENTS
from metaeval.correlation import exchanges, permutation
from metaeval.correlation.array_helpers import snapped
from metaeval.correlation.permutation import permutation_test, permuted_differences
from metaeval.datamodel.resampling import Swaps
from metaeval.errors import UsageError
from metaeval.sampling.resamples import draw_swaps
from tests.support.gold import stats_gold, stats_scores

PEARSON = COEFFICIENTS.named("pearson")
FAST = ["pearson", "pairwise-accuracy", 'kendall(variant="23")']
SLOW = ["spearman", "kendall", "pairwise-accuracy(epsilon=0.5)"]
AVERAGE_BY = ["item", "system", "none", "averages"]


def drawn(what: str, shape: tuple[int, int], n: int, seed: int = 1) -> Swaps:
    return draw_swaps(what, *shape, n, rng=np.random.default_rng(seed))


def patterns(swaps: Swaps) -> np.ndarray:
    """Return what is exchanged: (replicates, documents or 1, systems or 1)."""
    bits = np.unpackbits(swaps.packed, axis=1)[:, : swaps.shape[0] * swaps.shape[1]]
    return bits.reshape(-1, *swaps.shape).astype(bool)


def error_of_drawing(result) -> float:
    """Return the standard error of p, the share of so many random replicates."""
    return np.sqrt(result.p * (1 - result.p) / (result.n_used + result.n_undefined))


def plain(a, b, human, coefficient, average_by, swaps) -> np.ndarray:
    """Exchange, group, relate and average, one replicate after the other, as the definition says."""
    both = np.stack([(one - one.mean()) / (one.std() or 1.0) for one in (a, b)])
    # With two or three cells, standard scores of different metrics are often equal but for rounding.
    a, b = snapped(both.ravel(), 1e-12).reshape(both.shape)
    found = []
    for exchanged in patterns(swaps):
        values = []
        for metric in (np.where(exchanged, b, a), np.where(exchanged, a, b)):
            if average_by == "averages":
                pair = snapped(metric.mean(axis=0)[None], 1e-12), human.mean(axis=0)[None]
            elif average_by == "none":
                pair = metric.reshape(1, -1), human.reshape(1, -1)
            else:
                pair = (metric.T, human.T) if average_by == "system" else (metric, human)
            values.append(coefficient(*pair))
        differences = values[0] - values[1]
        defined = differences[~np.isnan(differences)]
        found.append(defined.mean() if len(defined) else np.nan)
    return np.array(found)


@pytest.mark.parametrize(
    ("first", "second"),
    [("metricA", "metricC"), ("metricC", "metricA"), ("metricC", "metricB"), ("metricA", "metricB")],
)
@pytest.mark.parametrize(("average", "average_by"), [("none", "none"), ("item", "item")])
def test_equals_mt_metrics_eval(first, second, average, average_by):
    # Origin: PermutationSigDiff, without early stopping. Its p is that the second metric is better.
    key = f"mtme PermutationSigDiff corr1={second} corr2={first} pearson avg={average}"
    expected = stats_gold("gold.json")["permutation"][key]
    a, b, human = (stats_scores(column).T for column in (first, second, "human"))
    result = permutation_test(a, b, human, PEARSON, average_by, drawn("both", a.shape, 8000), alternative="greater")
    error = np.hypot(expected["mc_standard_error"], error_of_drawing(result))

    assert expected["delta"] == pytest.approx(result.difference, abs=1e-9)
    assert expected["p"] == pytest.approx(result.p, abs=4 * error)


@pytest.mark.parametrize(("level", "average_by"), [("system", "averages"), ("input", "item")])
@pytest.mark.parametrize("what", ["systems", "inputs", "both"])
def test_equals_nlpstats(level, average_by, what):
    # Its "both" exchanges whole systems and then whole segments: a cell that is in both stands where it was.
    expected = stats_gold("gold.json")["permutation"][f"nlpstats A>C vs human level={level} pearson perm={what}"]
    a, b, human = (stats_scores(column).T for column in ("metricA", "metricC", "human"))
    # Eight systems at random, not each of their 256 exchanges once.
    systems = Swaps(drawn("systems", (1, 40), 8000).packed[:, :1], (1, 8), exact=False)
    segments = drawn("segments", a.shape, 8000, seed=2)
    crossed = np.packbits((patterns(systems) ^ patterns(segments)).reshape(8000, -1), axis=1)
    swaps = {"systems": systems, "inputs": segments, "both": Swaps(crossed, a.shape, exact=False)}[what]
    result = permutation_test(a, b, human, PEARSON, average_by, swaps, alternative="greater")
    error = np.hypot(expected["mc_standard_error"], error_of_drawing(result))

    assert expected["p"] == pytest.approx(result.p, abs=4 * error)


def test_an_exhaustive_enumeration():
    # Origin: scipy's pearsonr on all 4096 exchanges of 4 segments x 3 systems.
    expected = stats_gold("gold.json")["permutation"][
        "own exhaustive 4096 PERM-BOTH first 3 systems x first 4 segments A>C flat pearson"
    ]
    a, b, human = (stats_scores(column).T[:4, :3] for column in ("metricA", "metricC", "human"))
    swaps = drawn("both", (4, 3), 4096)
    greater, both, less = (
        permutation_test(a, b, human, PEARSON, "none", swaps, alternative=alternative)
        for alternative in ("greater", "two-sided", "less")
    )

    assert greater.distribution == "exact"
    assert expected["delta"] == pytest.approx(greater.difference, abs=1e-9)
    assert (expected["p_greater"], expected["p_two_sided"]) == (greater.p, both.p)
    # Exchanging everything mirrors the distribution, so that p of less is 1 - p of greater + the share of equal ones.
    assert less.p == pytest.approx(1 - greater.p + 1 / 4096)


def test_a_hand_count():
    # People 1 2 3; metric A 1 2 3 agrees on all 3 pairs, B 3 2 1 on none: the difference is 1. Standardised they are
    # -s 0 s and s 0 -s. Exchanging the middle changes nothing. Exchanging one end alone gives s 0 s and -s 0 -s: each
    # agrees on one pair of three. Exchanging both ends turns the difference round. So of 8 patterns 2 each have the
    # differences 1 and -1, and 4 have 0.
    scored = [[[1.0, 2, 3]], [[3.0, 2, 1]], [[1.0, 2, 3]]]
    swaps = drawn("systems", (1, 3), 8)
    accuracy = COEFFICIENTS.named("pairwise-accuracy")
    observed, replicates = permuted_differences(*scored, accuracy, "item", swaps)
    p = {
        alternative: permutation_test(*scored, accuracy, "item", swaps, alternative=alternative).p
        for alternative in ("two-sided", "greater", "less")
    }

    assert observed == 1.0
    assert sorted(replicates.tolist()) == [-1, -1, 0, 0, 0, 0, 1, 1]
    assert p == {"two-sided": 4 / 8, "greater": 2 / 8, "less": 1.0}


def test_random_replicates_count_the_observed_difference():
    # 99 replicates of which none exchanges anything: all are as extreme, (99 + 1) / (99 + 1); and if all exchange
    # everything, the difference is turned round: none is as great, (0 + 1) / (99 + 1).
    a, b, human = [[1.0, 2, 3, 4]], [[2.0, 1, 3, 4]], [[1.0, 2, 3, 5]]
    for byte, p in ((0, 1.0), (255, 0.01)):
        swaps = Swaps(np.full((99, 1), byte, dtype=np.uint8), (1, 4), exact=False)
        assert p == permutation_test(a, b, human, PEARSON, "item", swaps, alternative="greater").p


cases = st.tuples(st.integers(1, 6), st.integers(1, 6)).flatmap(
    lambda shape: st.tuples(
        *(
            st.one_of(
                hnp.arrays(float, shape, elements=st.integers(0, 3).map(float)),
                st.integers(0, 2**32 - 1).map(lambda seed: np.random.default_rng(seed).normal(size=shape)),
            )
            for _ in range(3)
        )
    )
)


# A metric that is 0 everywhere: its sum of squares, as what is left of that of both metrics, is not 0 but rounding.
ZEROS = (np.random.default_rng(382).normal(size=(2, 2)), np.zeros((2, 2)), np.random.default_rng(0).normal(size=(2, 2)))


@example(ZEROS, "segments", "pearson")
@given(cases, st.sampled_from(["segments", "systems", "both"]), st.sampled_from(FAST + SLOW))
def test_equals_the_plain_definition(case, what, name):
    coefficient = COEFFICIENTS.named(name)
    swaps = drawn(what, case[0].shape, 20)
    for average_by in AVERAGE_BY:
        _, replicates = permuted_differences(*case, coefficient, average_by, swaps)
        np.testing.assert_allclose(replicates, plain(*case, coefficient, average_by, swaps), atol=1e-12, rtol=0)


@pytest.mark.parametrize("name", FAST)
@pytest.mark.parametrize("average_by", AVERAGE_BY)
@pytest.mark.parametrize("what", ["segments", "systems", "both"])
def test_many_cells_equal_the_plain_definition(name, average_by, what):
    # More values in a group than are compared one by one; ties on all sides; scores that differ little about a mean
    # that differs much; a document and a system without any differences.
    rng = np.random.default_rng(5)
    a = np.round(rng.normal(size=(600, 3)), 1)
    b = 100.0 * rng.normal(size=(600, 1)) + rng.normal(size=(600, 3))
    human = rng.integers(1, 6, size=(600, 3)).astype(float)
    a[0], b[1], human[2], human[:, 2] = 2.0, 3.0, 4.0, 5.0
    swaps = drawn(what, a.shape, 7)
    coefficient = COEFFICIENTS.named(name)
    observed, replicates = permuted_differences(a, b, human, coefficient, average_by, swaps)
    unchanged = plain(
        a, b, human, coefficient, average_by, Swaps(np.zeros((1, 1), dtype=np.uint8), (1, 1), exact=False)
    )

    np.testing.assert_allclose(replicates, plain(a, b, human, coefficient, average_by, swaps), atol=1e-12, rtol=0)
    assert observed == pytest.approx(unchanged[0], abs=1e-12)


def test_little_that_is_left_of_large_terms_is_computed_again():
    # In each document A and B are 10 apart, and their own spread is a thousandth: unexchanged, sums of squares lose
    # eight digits.
    rng = np.random.default_rng(7)
    human, noise_a, noise_b = rng.normal(size=(3, 40, 6))
    level = 5.0 * np.where(np.arange(40) % 2, 1.0, -1.0)[:, None]
    a, b = level + 1e-3 * noise_a, -level + 1e-3 * noise_b
    expected = np.mean([stats.pearsonr(*row).statistic for row in zip(a, human, strict=True)]) - np.mean(
        [stats.pearsonr(*row).statistic for row in zip(b, human, strict=True)]
    )
    unchanged = Swaps(np.zeros((1, 30), dtype=np.uint8), (40, 6), exact=False)
    assert expected == pytest.approx(permuted_differences(a, b, human, PEARSON, "item", unchanged)[1][0], abs=1e-11)


def test_what_systems_have_in_common_costs_no_digits_of_averages():
    # Documents differ a million times as much as systems do. The replicate without exchanges must equal the data, and
    # the one with all of them must mirror it.
    rng = np.random.default_rng(9)
    human, a, b = (1e6 * rng.normal(size=(9, 1)) + rng.normal(size=(9, 4)) for _ in range(3))
    swaps = drawn("segments", (9, 4), 512)
    observed, replicates = permuted_differences(a, b, human, PEARSON, "averages", swaps)
    assert swaps.exact
    assert observed == pytest.approx(replicates[0], abs=1e-13)
    assert observed == pytest.approx(-replicates[-1], abs=1e-13)


@pytest.mark.parametrize("name", [*FAST, "spearman"])
@pytest.mark.parametrize("average_by", AVERAGE_BY)
def test_results_do_not_depend_on_the_size_of_blocks(name, average_by, monkeypatch):
    a, b = np.round(np.random.default_rng(3).normal(size=(2, 12, 4)), 1)
    human = np.random.default_rng(4).integers(0, 3, size=(12, 4)).astype(float)
    swaps = drawn("both", (12, 4), 97)
    results = []
    for size in (1, 300, 1 << 20):
        monkeypatch.setattr(exchanges, "CELLS_AT_ONCE", size)
        monkeypatch.setattr(exchanges, "NUMBERS_IN_CACHE", size)
        monkeypatch.setattr(permutation, "_BATCH_SIGNS", size)
        results.append(permutation_test(a, b, human, COEFFICIENTS.named(name), average_by, swaps))
    assert results[0].p == results[1].p == results[2].p
    assert results[0].difference == pytest.approx(results[2].difference, abs=1e-13)


@pytest.mark.parametrize("name", FAST + SLOW)
@pytest.mark.parametrize("average_by", AVERAGE_BY)
@pytest.mark.parametrize("unit", [(0.1, 0.7), (7.0, 1000.0)])
def test_one_metric_in_two_units_is_equal_to_itself(name, average_by, unit):
    # Many sentences score 0, as with BLEU; rounding must not order them.
    rng = np.random.default_rng(8)
    a = np.maximum(0.0, rng.normal(size=(9, 5))) / 3
    human = rng.integers(0, 4, size=(9, 5)).astype(float)
    swaps = drawn("both", (9, 5), 60)
    for alternative in ("two-sided", "greater", "less"):
        result = permutation_test(
            a, unit[0] * a + unit[1], human, COEFFICIENTS.named(name), average_by, swaps, alternative=alternative
        )
        assert result.p == 1.0
        assert result.difference == pytest.approx(0.0, abs=1e-12)


def test_values_apart_by_rounding_become_equal():
    # Neighbours by size are joined to the least of their run, each row by itself.
    values = np.array([[3.0, 1.0, 1.0 + 1e-13, 2.0, 1.0 - 1e-13], [1.0, 1.1, 1.2, 1.3, 1.0]])
    expected = [[3.0, 1.0 - 1e-13, 1.0 - 1e-13, 2.0, 1.0 - 1e-13], [1.0, 1.1, 1.2, 1.3, 1.0]]
    assert snapped(values, 1e-12).tolist() == expected
    assert snapped(values, 0.5).tolist() == [[3.0, 1.0 - 1e-13, 1.0 - 1e-13, 2.0, 1.0 - 1e-13], [1.0] * 5]


def test_size_under_equal_metrics():
    # Two metrics with noise of the same kind: p is uniform, so 5 % of 400 tests are 20, with an s.d. of 4.4. The step
    # of p, 1 / 200, is no matter.
    rng = np.random.default_rng(10)
    found = []
    for seed in range(400):
        quality = rng.normal(size=(12, 6))
        human, a, b = (quality + rng.normal(size=(12, 6)) for _ in range(3))
        found.append(permutation_test(a, b, human, PEARSON, "none", drawn("both", (12, 6), 199, seed)).p)
    assert 5 < np.sum(np.array(found) <= 0.05) < 37
    assert stats.kstest(found, "uniform").pvalue > 0.001


def test_exchanging_the_metrics_turns_the_test_round():
    a, b, human = np.random.default_rng(11).normal(size=(3, 8, 4))
    swaps = drawn("both", (8, 4), 500)
    first = permutation_test(a, b, human, PEARSON, "item", swaps, alternative="greater")
    second = permutation_test(b, a, human, PEARSON, "item", swaps, alternative="less")
    assert first.p == second.p
    assert first.difference == pytest.approx(-second.difference, abs=1e-15)


def test_documents_without_a_value_count_where_they_have_one():
    # In the first document, A is constant: only the second has an observed difference. Exchanging one score of the
    # first gives it one. Its B is -1 0 1 of people's -1 0 1, and A 0 0 0, all with the same mean and s.d. as they stand
    # in both documents together.
    a = np.array([[0.0, 0, 0], [-1, 0, 1]])
    b = np.array([[-1.0, 0, 1], [0, 0, 0]])
    human = np.array([[-1.0, 0, 1], [-1, 0, 1]])
    # Both documents lack a value for one of the metrics.
    nothing = Swaps(np.zeros((3, 1), dtype=np.uint8), (2, 3), exact=False)
    result = permutation_test(a, b, human, PEARSON, "item", nothing)
    assert np.isnan([result.difference, result.p]).all()
    assert (result.n_used, result.n_undefined) == (0, 3)
    # With B 1 -2 1 there instead, the second has r = 1 for A, and 0 for B.
    b[1] = [1, -2, 1]
    result = permutation_test(a, b, human, PEARSON, "item", nothing)
    assert result.difference == pytest.approx(1.0, abs=1e-12)
    assert (result.n_used, result.n_undefined, result.p) == (3, 0, 1.0)
    # Exchanging the last score of the first document, both sides have a value there: (0 0 s) and (-s 0 0), s from B's
    # scale, have r = sqrt(3) / 2 both. So the mean of the two documents is half as much.
    last = Swaps(np.packbits([[0, 0, 1, 0, 0, 0]], axis=1), (2, 3), exact=False)
    _, replicates = permuted_differences(a, b, human, PEARSON, "item", last)
    assert replicates.tolist() == pytest.approx([0.5], abs=1e-12)


def test_replicates_without_a_value_count_against_a_difference():
    # Systems exchanged as wholes in one document: A 0 1, B 1 0, people 0 1. Exchanging the first only makes both
    # constant, as does the second only; exchanging none or both gives the differences 2 and -2.
    result = permutation_test(
        [[0.0, 1]], [[1.0, 0]], [[0.0, 1]], PEARSON, "item", drawn("systems", (1, 2), 4), alternative="greater"
    )
    assert result.difference == pytest.approx(2.0, abs=1e-15)
    assert (result.distribution, result.n_used, result.n_undefined, result.p) == ("exact", 2, 2, 3 / 4)


def test_a_constant_metric_and_constant_people():
    human = np.arange(6.0).reshape(2, 3)
    swaps = drawn("both", (2, 3), 10)
    for scored in ((np.full((2, 3), 0.1), human, human), (human, human**2, np.full((2, 3), 0.1))):
        result = permutation_test(*scored, PEARSON, "none", swaps)
        assert np.isnan(result.p)
        assert np.isnan(result.difference)
    # An accuracy has a value: a constant metric is wrong on each of the 15 pairs.
    accuracy = COEFFICIENTS.named("pairwise-accuracy")
    result = permutation_test(human, np.full((2, 3), 0.1), human, accuracy, "none", swaps)
    assert result.difference == 1.0


def test_what_is_wrong_is_told():
    a = np.zeros((2, 3))
    swaps = drawn("both", (2, 3), 4)
    with pytest.raises(UsageError, match="unknown average_by 'document'"):
        permutation_test(a, a, a, PEARSON, "document", swaps)
    with pytest.raises(UsageError, match=r"unknown alternative 'grater'; did you mean 'greater'\?"):
        permutation_test(a, a, a, PEARSON, "none", swaps, alternative="grater")
    with pytest.raises(ValueError, match=r"`swaps` must fit scores of the shape \(2, 3\); got \(3, 2\)"):
        permutation_test(a, a, a, PEARSON, "none", drawn("both", (3, 2), 4))
    with pytest.raises(ValueError, match=r"`metric_b` must be \(documents, systems\)"):
        permutation_test(a, a[:1], a, PEARSON, "none", swaps)
    with pytest.raises(ValueError, match="must hold scores"):
        permutation_test(a[:0], a[:0], a[:0], PEARSON, "none", swaps)
    for place, bad in itertools.product(range(3), (np.nan, np.inf)):
        scored = [a.copy() for _ in range(3)]
        scored[place][1, 2] = bad
        name = ("metric_a", "metric_b", "human")[place]
        with pytest.raises(ValueError, match=rf"`{name}` must be finite; got {bad} at index \(1, 2\)"):
            permutation_test(*scored, PEARSON, "none", swaps)
