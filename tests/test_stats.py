"""The statistics on plain arrays: scipy's values, figures of other programs, hand calculations, laws, errors."""

from __future__ import annotations

import dataclasses
import inspect
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import metaeval
from metaeval import stats
from metaeval.components.registries import COEFFICIENTS
from tests.correlation.test_kendall import PAIRS
from tests.support import tasks
from tests.support.gold import stats_gold, stats_scores

NAN = float("nan")
ALONG = {
    "pearson": (stats.pearson, scipy.stats.pearsonr, {}, {}),
    "spearman": (stats.spearman, scipy.stats.spearmanr, {}, {}),
    "kendall b": (stats.kendall, scipy.stats.kendalltau, {}, {}),
    "kendall c": (stats.kendall, scipy.stats.kendalltau, {"variant": "c"}, {"variant": "c"}),
}


def fresh(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


# Vectors, along an axis


@pytest.mark.parametrize("name", ALONG)
@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_each_vector_along_an_axis_equals_scipy(name, axis):
    own, other, settings, options = ALONG[name]
    rng = np.random.default_rng(3)
    x, y = rng.integers(0, 9, (7, 6, 5)), rng.integers(0, 9, (7, 6, 5))
    found = own(x, y, axis=axis, **settings)
    rows = [np.moveaxis(side, axis, -1).reshape(-1, x.shape[axis]) for side in (x, y)]
    expected = [other(a, b, **options).statistic for a, b in zip(*rows, strict=True)]
    assert found.shape == np.delete(x, 0, axis).sum(axis).shape
    np.testing.assert_allclose(found.ravel(), expected, atol=1e-12)
    together = own(x, y, axis=None, **settings)
    assert together == pytest.approx(other(x.ravel(), y.ravel(), **options).statistic, abs=1e-12)
    assert type(together) is float


@pytest.mark.parametrize("pair", PAIRS)
def test_axes_are_the_groupings_of_mt_metrics_eval(pair):
    # Scores are (systems, segments): along the systems it groups by item, along the segments by system.
    expected = stats_gold("gold.json")["correlations"][pair]
    human, metric = (stats_scores(column) for column in pair.split("|"))
    for average, axis in (("item", 0), ("sys", 1), ("none", None)):
        for name, own in (("pearson", stats.pearson), ("spearman", stats.spearman), ("kendall_b", stats.kendall)):
            value = np.nanmean(own(metric, human, axis=axis))
            assert expected[f"mtme_{name}_avg_{average}"] == pytest.approx(value, abs=1e-9), (name, average)
        for epsilon in (0.0, 0.25, 1.0):
            value = np.mean(stats.pairwise_accuracy(metric, human, axis=axis, epsilon=epsilon))
            key = f"mtme_kendallvariants_acc23_eps{epsilon}_avg_{average}"
            assert expected[key] == pytest.approx(value, abs=1e-9)


def test_thresholds_and_the_variants_of_wmt_by_hand():
    # People 1 2 3, metric 0 2 1: pairs 12 and 13 are right, 23 is wrong and within 1 of the metric, and of people.
    x, y = [0, 2, 1], [1, 2, 3]
    assert stats.kendall(x, y, variant="wmt14") == pytest.approx(1 / 3)
    assert stats.kendall(x, y, variant="wmt14", gap=2) == pytest.approx(1)  # 13 alone is 2 apart
    # With a threshold of 1, 13 and 23 are tied in the metric: one right of three; (1 - 0 - 2) / 3.
    assert stats.pairwise_accuracy(x, y, epsilon=1) == pytest.approx(1 / 3)
    assert stats.kendall(x, y, variant="wmt10", epsilon=1) == pytest.approx(-1 / 3)


def test_ordinal_ranks_come_from_the_seed():
    values = [stats.spearman([1, 1, 2, 2, 3], [1, 2, 3, 4, 5], ties="ordinal", seed=seed) for seed in range(30)]
    # Each of the two pairs is in either order: 1 less 6 sum of d^2 / 120 for sums of 0, 2 and 4.
    assert {round(value, 12) for value in values} == {1.0, 0.9, 0.8}
    assert values[1] == stats.spearman([1, 1, 2, 2, 3], [1, 2, 3, 4, 5], ties="ordinal")


SIDES = st.tuples(st.integers(2, 12), st.integers(1, 4)).flatmap(
    lambda shape: st.tuples(*(hnp.arrays(float, shape, elements=st.integers(-9, 9).map(float)) for _ in range(2)))
)
FUNCTIONS = [stats.pearson, stats.spearman, stats.kendall, stats.pairwise_accuracy]


@pytest.mark.parametrize("function", FUNCTIONS)
@given(sides=SIDES, data=st.data())
def test_laws_of_what_is_correlated_along_an_axis(function, sides, data):
    x, y = sides
    found = function(x, y)
    order = data.draw(st.permutations(range(len(x))))
    np.testing.assert_allclose(function(x[order], y[order]), found, atol=1e-12)
    np.testing.assert_allclose(function(x.T, y.T, axis=1), found, atol=1e-12)
    np.testing.assert_allclose(function(x.T, y.T, axis=-1), found, atol=1e-12)
    np.testing.assert_allclose(function(y, x), found, atol=1e-12)
    if function is not stats.pairwise_accuracy:
        np.testing.assert_allclose(function(-x, y), -found, atol=1e-12)
    single = function(x[:, 0], y[:, 0])
    assert single == pytest.approx(float(found[0]), abs=1e-12, nan_ok=True)
    assert function(x, y, axis=None) == pytest.approx(function(x.ravel(), y.ravel()), abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_other_axes_are_broadcast(function):
    rng = np.random.default_rng(5)
    metrics, human = rng.integers(0, 5, (3, 8, 6)), rng.integers(0, 5, (8, 6))
    found = function(metrics, human, axis=-1)
    assert found.shape == (3, 8)
    np.testing.assert_array_equal(found, [function(one, human, axis=1) for one in metrics])
    np.testing.assert_array_equal(function(human, metrics, axis=1), [function(human, one) for one in metrics])


@pytest.mark.parametrize("function", FUNCTIONS)
def test_lists_series_and_frames_give_what_arrays_give(function):
    x, y = [3, 1, 4, 1, 5], [2.0, 7.0, 1.0, 8.0, 2.0]
    expected = function(np.array(x), np.array(y))
    index = list("edcba")  # not looked at
    for one, other in (
        (x, tuple(y)),
        (pd.Series(x, index=index), pd.Series(y)),
        (pd.Series(x, dtype="Int64"), pl.Series(y)),
        (pd.Series(x, dtype="int64[pyarrow]"), pd.Series(y, dtype="object")),
        (pl.Series(x), np.ma.array(y, mask=[False] * 5)),
    ):
        assert function(one, other) == expected
    frames = pd.DataFrame({"a": x, "b": y}), pl.DataFrame({"a": y, "b": x})
    assert function(*frames).tolist() == [expected, function(y, x)]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_too_few_and_constant_numbers_are_undefined(function):
    assert np.isnan(function([], []))
    assert np.isnan(function([1], [1]))
    assert np.isnan(function(np.ones((1, 3)), np.ones((1, 3)))).all()
    assert np.isnan(function([2, 2, 2], [1, 2, 3])) == (function is not stats.pairwise_accuracy)


# Documents and systems


def test_acc_eq_by_hand():
    # Document 1 has the pairs of two judged systems, document 2 those of three, document 3 none. Without a threshold
    # the first is right, as are 12 and 13 of the second; people tie 23, which the metric has 0.5 apart. A threshold of
    # 0.5 makes it right, and no other pair is so close: (1 + 1) / 2.
    metric = [[5, 1, NAN], [0, 3, 3.5], [1, 2, 3]]
    human = [[9, 1, 4], [1, 2, 2], [NAN, 7, NAN]]
    assert stats.acc_eq(metric, human) == stats.AccEqResult(accuracy=1.0, epsilon=0.5, pairs=4, documents=2)
    assert stats.pairwise_accuracy(metric[1], human[1]) == pytest.approx(2 / 3)
    assert stats.pairwise_accuracy(metric[1], human[1], epsilon=0.5) == 1
    nothing = stats.acc_eq([[1, NAN]], [[NAN, 1]])
    assert dataclasses.astuple(nothing) == pytest.approx((NAN, NAN, 0, 0), nan_ok=True)


def test_darr_by_hand():
    # Document 1: people 90 60 40, metric 3 2 2. Pairs 12 and 13 are apart by 25 and right; 23 is closer.
    # Document 2: people 10 80, system 3 was not judged: one pair, wrong.
    # Document 3: people 0 25 50, metric 1 1 0: 12 is tied by the metric, 13 and 23 are wrong. 2 right, 4 wrong.
    human = [[90, 60, 40], [10, 80, NAN], [0, 25, 50]]
    metric = [[3, 2, 2], [2, 1, 9], [1, 1, 0]]
    assert stats.darr(metric, human) == pytest.approx(-2 / 6)
    # All pairs that differ: 23 of document 1 is tied by the metric, which is wrong too.
    assert stats.darr(metric, human, gap=0) == pytest.approx(-3 / 7)
    assert stats.darr([1, 2], [1, 50]) == 1.0
    assert np.isnan(stats.darr([1, 2], [1, 20]))
    assert stats.darr(np.ma.array(metric[2], mask=[False, False, True]), human[2]) == -1.0


def test_pairwise_difference_pearson_equals_examples_and_scipy():
    # Origin: stats_test.py of google-research/mt-metrics-eval; two systems, three segments, three digits.
    metric, human = [[2, 3], [1, 3], [4, 7]], [[1, 4], [2, 5], [3, 6]]
    assert stats.pairwise_difference_pearson(metric, human) == pytest.approx(0.926, abs=5e-4)
    metric, human = [[3, 20], [15, 4], [1, 24]], [[1, 10], [5, 2], [NAN, 12]]
    assert stats.pairwise_difference_pearson(metric, human) == pytest.approx(0.968, abs=5e-4)
    # All differences in both orders.
    x, y = np.random.default_rng(2).normal(size=(2, 9, 4))
    differences = [(side[:, :, None] - side[:, None]).ravel() for side in (x, y)]
    differences = [side[np.tile(~np.eye(4, dtype=bool).ravel(), 9)] for side in differences]
    expected = scipy.stats.pearsonr(*differences).statistic
    assert stats.pairwise_difference_pearson(x, y) == pytest.approx(expected, abs=1e-12)
    assert stats.pairwise_difference_pearson(x[0], y[0]) == pytest.approx(stats.pearson(x[0], y[0]), abs=1e-12)


GRIDS = st.tuples(st.integers(1, 6), st.integers(2, 5)).flatmap(
    lambda shape: st.tuples(
        *(hnp.arrays(float, shape, elements=st.one_of(st.integers(0, 9).map(float), st.just(NAN))) for _ in range(2))
    )
)


@pytest.mark.parametrize(
    ("function", "name"), [(stats.darr, "darr"), (stats.pairwise_difference_pearson, "pairwise-difference-pearson")]
)
@given(grids=GRIDS, data=st.data())
def test_laws_of_grids(function, name, grids, data):
    x, y = grids
    found = function(x, y)
    assert type(found) is float
    assert found == pytest.approx(float(COEFFICIENTS.named(name)(x, y)), abs=0, nan_ok=True)
    documents, systems = (data.draw(st.permutations(range(n))) for n in x.shape)
    turned = function(x[documents][:, systems], y[documents][:, systems])
    assert turned == pytest.approx(found, abs=1e-12, nan_ok=True)
    # What a document adds to all its systems does not matter, and cells that are missing are missing on both sides.
    assert function(x + 100 * np.arange(len(x))[:, None], y) == pytest.approx(found, abs=1e-9, nan_ok=True)
    assert function(np.where(np.isnan(y), np.nan, x), y) == pytest.approx(found, abs=1e-12, nan_ok=True)


def test_soft_pairwise_accuracy_by_hand_and_as_an_experiment_has_it():
    # One document: a replicate exchanges it or does not. The share e of replicates that equal a difference not 0 is
    # about 1/2, and the others have its opposite: p of (e/2 + 1/2) / (m + 1) for the better system, about 1/4.
    one = stats.soft_pairwise_accuracy([[2, 1]], [[2, 1]])
    assert one.value == 1.0
    assert one.human_p[0, 1] == pytest.approx(0.25, abs=0.03)  # four standard errors of 1000 replicates
    assert one.human_p[0, 1] + one.human_p[1, 0] == pytest.approx(1, abs=1e-12)
    assert np.isnan(np.diag(one.metric_p)).all()
    # Ties have 1/2 on both sides; against 1/4 that is 1 - 1/4.
    assert stats.spa([[1, 1]], [[2, 1]]).value == pytest.approx(0.75, abs=0.03)
    x, y = np.random.default_rng(1).normal(size=(2, 20, 5))
    own = stats.soft_pairwise_accuracy(x, y, n_resamples=200, seed=4, tails="wmt")
    name = 'soft-pairwise-accuracy(n_resamples=200, seed=4, tails="wmt")'
    assert own.value == float(COEFFICIENTS.named(name)(x, y))
    pairs = np.triu_indices(5, 1)
    assert own.value == pytest.approx(1 - np.abs(own.metric_p - own.human_p)[pairs].mean(), abs=1e-12)


def test_soft_pairwise_accuracy_of_several_metrics_and_its_alias():
    metrics, human = np.random.default_rng(2).normal(size=(3, 12, 4)), np.random.default_rng(3).normal(size=(12, 4))
    found = stats.soft_pairwise_accuracy(metrics, human)
    assert found.metric_p.shape == (3, 4, 4)
    assert found.value.tolist() == [stats.spa(one, human).value for one in metrics]
    assert stats.spa is stats.soft_pairwise_accuracy
    # The systems in another order: with half of those that are equal, no order matters.
    order = [2, 0, 3, 1]
    assert stats.spa(metrics[0][:, order], human[:, order]).value == pytest.approx(found.value[0], abs=1e-12)
    for shape in ((5, 1), (0, 3)):
        nothing = stats.spa(np.ones((2, *shape)), np.ones(shape))
        assert np.isnan(nothing.value).all()
        assert (nothing.metric_p.shape, nothing.human_p.shape) == ((2, *shape[1:] * 2), shape[1:] * 2)


# Raters

# Krippendorff (2011), four observers and twelve units.
OBSERVERS = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
)


@pytest.mark.parametrize(("level", "expected"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_krippendorff_alpha_equals_his_example(level, expected):
    found = stats.krippendorff_alpha(OBSERVERS, level=level)
    assert found == pytest.approx(expected, abs=5e-4)
    assert stats.krippendorff_alpha(OBSERVERS[::-1, ::-1], level=level) == pytest.approx(found, abs=1e-12)
    for table in (pd.DataFrame(OBSERVERS).astype("Int64"), pl.DataFrame(OBSERVERS), np.ma.masked_invalid(OBSERVERS)):
        assert stats.krippendorff_alpha(table, level=level) == found


def test_krippendorff_alpha_without_agreement_to_measure():
    for ratings in ([[1, NAN], [NAN, 2]], [[1, 1], [1, 1]], [[NAN]], np.empty((2, 0))):
        assert np.isnan(stats.krippendorff_alpha(ratings))


def test_cohen_kappa_equals_scikit_learn():
    # Two raters, eight items, by hand: 4 of 8 are equal, by chance 3/16: (1/2 - 3/16) / (1 - 3/16) = 5/13. Four differ
    # by 1, and all 64 pairs of a rating of the one and one of the other by 100, their squares by 242.
    # cohen_kappa_score of scikit-learn 1.9.1 has 0.6799999999999999 and 0.8677685950413223 of the weighted ones.
    x, y = [1, 2, 3, 3, 4, 5, 5, 2], [1, 3, 3, 2, 4, 4, 5, 1]
    assert stats.cohen_kappa(x, y) == pytest.approx(5 / 13, abs=1e-15)
    assert stats.cohen_kappa(x, y, weights="linear") == pytest.approx(0.6799999999999999, abs=1e-12)
    assert stats.cohen_kappa(x, y, weights="quadratic") == pytest.approx(0.8677685950413223, abs=1e-12)
    assert np.isnan([stats.cohen_kappa([], []), stats.cohen_kappa([2, 2], [2, 2])]).all()


@pytest.mark.parametrize("pair", [("h1", "h2"), ("h1", "h3"), ("h2", "h3")])
def test_agreement_on_preferences_equals_irrcac_and_krippendorff(pair):
    # irrCAC 0.4.4 and scikit-learn 1.9.1 (kappa), krippendorff 0.9.0 (alpha), of items that both judged; a, tie, b.
    (row,) = tasks.where(tasks.table("preference_agreement"), pair="|".join(pair))
    grades = {"a": -1.0, "tie": 0.0, "b": 1.0}
    given = tasks.table("preferences", "gold/tasks/inputs")
    both = np.array([[grades.get(one[name], NAN) for one in given] for name in pair])
    x, y = both[:, ~np.isnan(both).any(axis=0)]
    assert len(x) == int(row["n"])
    for weights, column in ((None, "cohen"), ("linear", "cohen_linear"), ("quadratic", "cohen_quadratic")):
        assert float(row[column]) == pytest.approx(stats.cohen_kappa(x, y, weights=weights), abs=1e-9)
    for level in ("nominal", "ordinal"):
        assert float(row[f"krippendorff_{level}"]) == pytest.approx(
            stats.krippendorff_alpha(both, level=level), abs=1e-9
        )


@given(sides=SIDES, data=st.data())
@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_laws_of_kappa(sides, data, weights):
    x, y = (side[:, 0] for side in sides)
    found = stats.cohen_kappa(x, y, weights=weights)
    order = data.draw(st.permutations(range(len(x))))
    assert stats.cohen_kappa(y[order], x[order], weights=weights) == pytest.approx(found, abs=1e-12, nan_ok=True)
    assert np.isnan(found) or stats.cohen_kappa(x, x, weights=weights) in (
        pytest.approx(1),
        pytest.approx(NAN, nan_ok=True),
    )


# Errors

LINE, TABLE = [1, 2, 3], [[1, 2], [3, 4]]
ERRORS = [
    (stats.pearson, ([1, None, 3], LINE), {}, "`x` must be finite; got nan at index (1,)."),
    (stats.spearman, (LINE, [1, 2, NAN]), {}, "`y` must be finite; got nan at index (2,)."),
    # The index is that of the array as it was given, whatever the axis.
    (stats.kendall, ([[1, 2], [3, np.inf]], TABLE), {"axis": 1}, "`x` must be finite; got inf at index (1, 1)."),
    (stats.pearson, (TABLE, [[1, 2], [NAN, 4]]), {"axis": None}, "`y` must be finite; got nan at index (1, 0)."),
    (stats.pearson, (np.ma.array(LINE, mask=[0, 1, 0]), LINE), {}, "`x` must be finite; got nan at index (1,)."),
    (
        stats.pearson,
        (["a", "b"], [1, 2]),
        {},
        "`x` must be numbers, in a list or an array; got ['a', 'b']: it holds text; number labels first",
    ),
    (
        stats.pearson,
        ([1, 2], pd.Series(["1", "2"])),
        {},
        "`y` must be numbers, in a list or an array; got a value of type",
    ),
    (
        stats.pearson,
        ([1, 2j], [1, 2]),
        {},
        "`x` must be numbers, in a list or an array; got [1, 2j]: its type is complex",
    ),
    (stats.pearson, ([1, [2, 3]], [1, 2]), {}, "`x` must be numbers, in a list or an array; got [1, [2, 3]]: "),
    (stats.pearson, (1, 2), {}, "`x` and `y` must be lists or arrays of numbers; got two numbers, 1.0 and 2.0."),
    (
        stats.pearson,
        (LINE, [1, 2]),
        {},
        "`x` and `y` must have the same length along axis 0; got the shapes (3,) and (2,).",
    ),
    (
        stats.pearson,
        (np.ones((2, 3)), np.ones((4, 3))),
        {"axis": 1},
        "`x` and `y` must have the same shape, or shapes that",
    ),
    (
        stats.pearson,
        (np.ones((2, 3)), np.ones((3, 2))),
        {"axis": None},
        "`x` and `y` must have the same shape where `axis`",
    ),
    (
        stats.pearson,
        (LINE, LINE),
        {"axis": 1},
        "`axis` must be from -1 to 0, or None; got 1 for the shapes (3,) and (3,)",
    ),
    (stats.pearson, (LINE, LINE), {"axis": "rows"}, "`axis` must be from -1 to 0, or None; got 'rows' for"),
    (stats.spearman, (LINE, LINE), {"ties": "min"}, "coefficient 'spearman': `ties` must be one of 'average', 'uncorr"),
    (stats.spearman, (LINE, LINE), {"seed": 2}, "coefficient 'spearman': `seed` is for ties='ordinal'"),
    (stats.spearman, (LINE, LINE), {"seed": 0.5}, "`seed` must be a whole number, at least 0; got 0.5."),
    (stats.kendall, (LINE, LINE), {"variant": "a"}, "coefficient 'kendall': `variant` must be one of 'b', 'c', '23'"),
    (stats.kendall, (LINE, LINE), {"epsilon": "auto"}, "`epsilon` must be a number, at least 0; got 'auto'."),
    (stats.kendall, (LINE, LINE), {"gap": 5}, "coefficient 'kendall': `gap` must be 0 for variant 'b'; got 5"),
    (stats.pairwise_accuracy, (LINE, LINE), {"epsilon": -1}, "`epsilon` must be a number, at least 0; got -1."),
    (stats.acc_eq, (TABLE, LINE), {}, "`x` and `y` must have the same shape, (documents, systems) or (systems,); got"),
    (stats.acc_eq, ([[1, np.inf]], [[1, 2]]), {}, "`x` must be finite; got inf at index (0, 1)."),
    (stats.darr, (TABLE, TABLE), {"gap": NAN}, "`gap` must be a number, at least 0; got nan."),
    (
        stats.darr,
        (np.ones((2, 2, 2)), np.ones((2, 2, 2))),
        {},
        "`x` and `y` must have the same shape, (documents, systems)",
    ),
    (
        stats.pairwise_difference_pearson,
        (TABLE, [TABLE[0]]),
        {},
        "`x` and `y` must have the same shape, (documents, syst",
    ),
    (
        stats.spa,
        (TABLE, LINE),
        {},
        "`y` must be (documents, systems), and `x` of the same shape, or (metrics, documents",
    ),
    (stats.spa, ([[1, NAN]], [[1, 2]]), {}, "`x` must be finite; got nan at index (0, 1)."),
    (stats.spa, (TABLE, TABLE), {"n_resamples": 0}, "`n_resamples` must be a whole number, at least 1; got 0."),
    (stats.spa, (TABLE, TABLE), {"n_resamples": 10**9}, "coefficient 'soft-pairwise-accuracy': `n_resamples` must be"),
    (stats.spa, (TABLE, TABLE), {"seed": -1}, "`seed` must be a whole number, at least 0; got -1."),
    (
        stats.spa,
        (TABLE, TABLE),
        {"tails": "both"},
        "coefficient 'soft-pairwise-accuracy': `tails` must be one of 'mid'",
    ),
    (stats.cohen_kappa, (TABLE, TABLE), {}, "`x` and `y` must be vectors of equal length; got the shapes (2, 2) and"),
    (stats.cohen_kappa, ([1, NAN], [1, 2]), {}, "`x` must be finite; got nan at index (1,)."),
    (
        stats.cohen_kappa,
        (LINE, LINE),
        {"weights": "cubic"},
        "`weights` must be None, 'linear' or 'quadratic'; got 'cubic'.",
    ),
    (stats.krippendorff_alpha, (LINE,), {}, "`ratings` must be (raters, items); got the shape (3,)."),
    (stats.krippendorff_alpha, ([[1, np.inf]],), {}, "`ratings` must be finite; got inf at index (0, 1)."),
    (
        stats.krippendorff_alpha,
        (TABLE,),
        {"level": "ratio"},
        "`level` must be one of ('nominal', 'ordinal', 'interval')",
    ),
]


@pytest.mark.parametrize(("function", "sides", "options", "message"), ERRORS)
def test_wrong_input_is_a_value_error_that_names_the_argument(function, sides, options, message):
    with pytest.raises(ValueError) as caught:  # noqa: PT011  # the message is compared whole
        function(*sides, **options)
    assert str(caught.value).startswith(message)


def test_every_function_is_among_those_with_wrong_input():
    functions = {getattr(stats, name) for name in stats.__all__ if inspect.isfunction(getattr(stats, name))}
    assert {function for function, *_ in ERRORS} == functions


# The module


def test_it_is_there_when_it_is_asked_for_and_not_before():
    heavy = "print(sorted({'metaeval.stats', 'numpy', 'scipy'} & set(sys.modules)))"
    assert fresh(f"import sys, metaeval; {heavy}") == "[]\n"
    assert fresh("import metaeval; print(metaeval.stats.pearson([1, 2, 4], [1, 2, 4]) > 0.999)") == "True\n"
    assert fresh("from metaeval import stats; import metaeval.stats as again; print(stats is again)") == "True\n"
    assert fresh("from metaeval import *; print(stats.__name__)") == "metaeval.stats\n"


def test_numbers_in_the_place_of_metrics_lead_to_it():
    with pytest.raises(metaeval.UsageError, match=r"two lists of numbers, take metaeval\.stats\.pearson\(x, y\)"):
        metaeval.correlate([0.1, 0.2], [3, 4])
