from __future__ import annotations

import itertools
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.components.registries import TESTS
from metaeval.correlation.wilcoxon import Wilcoxon
from metaeval.errors import UsageError
from tests.support.gold import stats_gold, stats_scores


def cases() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    a, b, adequacy = (stats_scores(column) for column in ("metricA", "metricB", "adequacy"))
    return {
        "A_vs_B_system0": (a[0], b[0]),
        "adequacy_s00_vs_s01": (adequacy[0], adequacy[1]),
        "adequacy_s00_vs_s01_first12": (adequacy[0, :12], adequacy[1, :12]),
        "metricA_s00_vs_s01_first10": (a[0, :10], a[1, :10]),
    }


def test_signed_ranks_equal_scipy_in_every_variant():
    # Origin: scipy.stats.wilcoxon 1.17.1, and exhaustive enumeration of the signs.
    gold = stats_gold("gold.json")["wilcoxon"]
    compared = 0
    for name, (x, y) in cases().items():
        default = Wilcoxon()(x, y)
        expected = gold[name]
        assert expected["n"] == default.n_used
        assert expected["n_nonzero"] == default.n_used - default.n_zero
        assert [expected["W_plus"], expected["W_minus"]] == [default.statistic, Wilcoxon()(y, x).statistic]
        for key, value in expected.items():
            approximate = re.fullmatch(r"scipy_(.*)_(wilcox|pratt|zsplit)_correction=(True|False)_approx", key)
            exact = re.fullmatch(r"scipy_(.*)_exact|exhaustive_p_(greater|less|two_sided)(?:_by_deviation)?", key)
            if approximate:
                alternative, zeros, correction = approximate.groups()
                test = Wilcoxon(zeros, correction == "True", "approx", alternative)
            elif exact:
                test = Wilcoxon(method="exact", alternative=(exact[1] or exact[2]).replace("_", "-"))
            else:
                continue
            p = value if isinstance(value, float) else value["p"]
            assert p == pytest.approx(test(x, y).p, abs=1e-9), (name, key)
            compared += 1
    assert compared == 4 * 18 + 2 * 3 + 2 * 3


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=9))
def test_exact_p_equals_enumeration_of_all_signs(differences):
    # Pairs without a difference drop out; the others keep their mid-ranks and take every sign.
    x = np.array(differences, float)
    moved = x[x != 0]
    p = Wilcoxon(method="exact", alternative="greater")(x, np.zeros(len(x))).p
    if not len(moved):
        assert p == 1.0
        return
    size = np.abs(moved)
    ranks = [(size < one).sum() + ((size == one).sum() + 1) / 2 for one in size]
    observed = sum(rank for rank, one in zip(ranks, moved, strict=True) if one > 0)
    sums = [
        sum(r for r, up in zip(ranks, signs, strict=True) if up)
        for signs in itertools.product((0, 1), repeat=len(moved))
    ]
    assert p == pytest.approx(np.mean(np.array(sums) >= observed - 1e-9), abs=1e-12)


def test_equal_metrics_give_p_of_one():
    x = np.linspace(0, 1, 7)
    result = Wilcoxon()(x, x)

    assert (result.p, result.n_used, result.n_zero) == (1.0, 7, 7)


def test_undefined_pairs_are_left_out():
    x, y = np.array([1.0, np.nan, 3.0, 5.0]), np.array([0.5, 2.0, np.nan, 1.0])

    found = Wilcoxon()(x, y)
    assert found.n_undefined == 2
    assert replace(found, n_undefined=0) == Wilcoxon()(x[[0, 3]], y[[0, 3]])


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=80), st.integers(0, 99))
def test_swapping_the_metrics_swaps_the_tails(values, seed):
    x = np.array(values)
    y = np.random.default_rng(seed).permutation(x)
    greater, less = (Wilcoxon(alternative=one) for one in ("greater", "less"))

    assert greater(x, y).p == pytest.approx(less(y, x).p, abs=1e-12)
    assert Wilcoxon()(x, y).p == pytest.approx(Wilcoxon()(y, x).p, abs=1e-12)
    assert 0 <= Wilcoxon()(x, y).p <= 1


def test_nothing_to_compare_is_undefined():
    assert np.isnan(Wilcoxon()([np.nan], [1.0]).p)


def test_the_exact_distribution_of_many_pairs_is_refused():
    with pytest.raises(UsageError, match="the exact distribution of 400 pairs takes too long; it is for up to 300"):
        Wilcoxon(method="exact")(np.arange(400.0), np.zeros(400))


@pytest.mark.parametrize(
    ("x", "y"), [([1.0, 2.0], [1.0]), ([[1.0, 2.0]], [[2.0, 1.0]])], ids=["other lengths", "no vectors"]
)
def test_only_vectors_of_equal_length_are_paired(x, y):
    with pytest.raises(ValueError, match="`x` and `y` must be vectors of equal length; got "):
        Wilcoxon()(x, y)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"zeros": "prat"}, "`zeros` must be one of .*; got 'prat'"),
        ({"method": "asymptotic"}, "`method` must be one of .*; got 'asymptotic'"),
        ({"alternative": "more"}, "`alternative` must be one of .*; got 'more'"),
    ],
)
def test_what_it_does_not_know_is_told(settings, message):
    with pytest.raises(UsageError, match=message):
        Wilcoxon(**settings)


def test_tests_by_name():
    assert TESTS.named('wilcoxon(zeros="pratt")') == Wilcoxon(zeros="pratt")
    with pytest.raises(UsageError, match="unknown test 'no-such'"):
        TESTS.named("no-such")
    with pytest.raises(UsageError, match="no exact distribution"):
        TESTS.named('wilcoxon(zeros="zsplit",method="exact")')
