"""daRR and pairwise difference Pearson against mt-metrics-eval, all pairs, hand counts, and laws.

The daRR that the metrics task of 2020 published stands in tests/experiment/test_shared_tasks.py.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from metaeval.components.registries import COEFFICIENTS
from metaeval.correlation.averages import correlate, orient
from metaeval.correlation.coefficients import Pearson
from metaeval.correlation.kendall import Kendall
from metaeval.errors import UsageError
from tests.support import tasks

DARR, PDP = COEFFICIENTS.named("darr"), COEFFICIENTS.named("pdp")


@pytest.mark.parametrize(("pair", "criterion"), [("cs-uk", "esa"), ("en-de", "mqm"), ("ja-zh", "mqm")])
def test_pdp_equals_mt_metrics_eval(pair, criterion):
    # It gives 0 where a coefficient is undefined. A system that a metric lacks has 0 everywhere.
    systems, human = tasks.human(pair, criterion)
    rows = [row for row in tasks.table("tasks_k0") if "pdp" in row["corr_fcn_args"] and row["lang"] == pair]
    assert len(rows) == 7
    for row in rows:
        assert (row["gold"], row["use_outliers"], row["human"]) == (criterion, "False", "True")
        own = float(PDP(tasks.metric(pair, row["metric"], systems), human))
        assert np.isnan(own) == (row["metric"] in ("const", "sentinel[noref]"))
        assert float(row["corr"]) == pytest.approx(np.nan_to_num(own), abs=1e-9), row


def test_pdp_equals_the_examples_of_mt_metrics_eval():
    # Origin: stats_test.py of mt-metrics-eval; two systems, three segments, three digits.
    assert float(PDP(np.array([[2.0, 3], [1, 3], [4, 7]]), np.array([[1.0, 4], [2, 5], [3, 6]]))) == pytest.approx(
        0.926, abs=5e-4
    )
    missing = np.array([[1.0, 10], [5, 2], [np.nan, 12]])
    assert float(PDP(np.array([[3.0, 20], [15, 4], [1, 24]]), missing)) == pytest.approx(0.968, abs=5e-4)


def test_a_hand_count():
    # Document 1: people 90 60 40, metric 3 2 2. Pairs 12 and 13 are apart by 25 and ordered alike; 23 is not.
    # Document 2: people 10 80, system 3 was not judged: one pair, discordant.
    # Document 3: people 0 25 50, metric 1 1 0: 12 is tied by the metric, 13 and 23 discordant.
    # So 2 right, 1 + 3 wrong: -2/6.
    human = np.array([[90, 60, 40], [10, 80, np.nan], [0, 25, 50]])
    metric = np.array([[3.0, 2, 2], [1, 0, 5], [1, 1, 0]])
    assert DARR(metric, human) == -2 / 6
    # The mean of the documents would be (1 - 1 - 1) / 3. With a gap of 26, pair 12 of document 3 and 23 are left out:
    # 2 right, 2 wrong.
    assert COEFFICIENTS.named("darr(gap=26)")(metric, human) == 0.0
    # A gap of 0 leaves human ties out, all other pairs in: 23 of document 1 is a tie of the metric, so wrong.
    assert COEFFICIENTS.named("darr(gap=0)")(metric, human) == (2 - 5) / 7
    # Differences of documents 1 and 2, people 1 and 2 and 2, metric 2 and 1 and nothing: both orders give the products
    # 2 (2 + 2), squares 2 (1 + 4) and 2 (4 + 1).
    assert float(PDP(np.array([[2.0, 0], [7, 6]]), np.array([[1.0, 0], [3, 1]]))) == pytest.approx(4 / 5, abs=1e-15)


grids = st.tuples(st.integers(1, 5), st.integers(1, 6)).flatmap(
    lambda shape: st.tuples(
        hnp.arrays(float, shape, elements=st.integers(-4, 4).map(float) | st.just(np.nan)),
        hnp.arrays(float, shape, elements=st.integers(0, 4).map(lambda k: 12.5 * k) | st.just(np.nan)),
    )
)


def all_pairs(metric, human):
    """Return the differences of metric and human scores of all pairs of systems on a document."""
    found = [
        (m[i] - m[j], h[i] - h[j])
        for m, h in zip(metric, human, strict=True)
        for i, j in itertools.combinations(range(len(m)), 2)
    ]
    return [(dm, dh) for dm, dh in found if not np.isnan(dm + dh)]


@given(grids, st.sampled_from([0.0, 12.5, 25.0]))
def test_darr_counts_all_pairs(grid, gap):
    metric, human = grid
    counted = [dm * dh for dm, dh in all_pairs(metric, human) if dh and abs(dh) >= gap]
    own = COEFFICIENTS.named(f"darr(gap={gap})")(metric, human)
    if counted:
        assert float(own) == pytest.approx(np.mean([1 if product > 0 else -1 for product in counted]), abs=1e-15)
    else:
        assert np.isnan(own)


@given(grids)
def test_pdp_is_pearson_of_all_differences_in_both_orders(grid):
    metric, human = grid
    pairs = all_pairs(metric, human)
    both = np.array([*pairs, *((-dm, -dh) for dm, dh in pairs)]).reshape(-1, 2)
    own = PDP(metric, human)
    if len(pairs) and np.ptp(both, axis=0).all():
        assert stats.pearsonr(*both.T)[0] == pytest.approx(float(own), abs=1e-12)
    else:
        assert np.isnan(own)


@given(grids)
def test_laws(grid):
    metric, human = grid
    order = np.argsort(np.sin(np.arange(metric.shape[1]) * 12.9898))
    shift, scale = np.arange(len(metric))[:, None] * 1000.0, 2.0
    for coefficient in (DARR, PDP):
        own = coefficient(metric, human)
        assert np.isnan(own) or -1 <= own <= 1
        # Neither the order of systems nor what all systems of a document share matters.
        np.testing.assert_allclose(coefficient(metric[:, order], human[:, order]), own, atol=1e-12)
        np.testing.assert_allclose(coefficient(scale * metric + shift, human - shift), own, atol=1e-9)
        # A mask is as missing cells.
        seen = ~np.isnan(human)
        np.testing.assert_array_equal(correlate(metric, np.nan_to_num(human), coefficient, "none", where=seen), [own])
        turned = orient(coefficient, same_direction=False, orientation="aligned")
        np.testing.assert_allclose(correlate(-metric, human, turned, "none"), [own], atol=1e-15)


def test_one_document_is_a_vector():
    x, y = np.random.default_rng(1).normal(0, 30, (2, 1, 20))
    assert float(PDP(x, y)) == pytest.approx(float(Pearson()(x, y)[0]), abs=1e-14)
    assert float(DARR(x, y)) == Kendall("wmt10", gap=25)(x, y)[0]


def test_a_constant_metric():
    # Also one that is constant on each document: it knows only which are hard.
    human = np.array([[90.0, 60, 10], [5, 80, 40]])
    for metric in (np.full((2, 3), 0.1), np.array([[0.1] * 3, [0.7] * 3])):
        assert DARR(metric, human) == DARR.lowest == -1.0
        assert np.isnan(PDP(metric, human))
    assert np.isnan(PDP(human, np.full((2, 3), 0.1)))
    assert np.isnan(DARR(human, np.full((2, 3), 0.1)))


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_sizes_at_the_ends_of_the_range(scale):
    x, y = np.random.default_rng(2).normal(size=(2, 6, 5))
    assert float(PDP(scale * x, y)) == pytest.approx(float(PDP(x, y)), abs=1e-12)


@pytest.mark.parametrize("shape", [(0, 3), (3, 1), (3, 0), (0, 0)])
def test_without_a_pair_they_are_undefined(shape):
    for coefficient in (DARR, PDP):
        value = coefficient(np.zeros(shape), np.zeros(shape))
        assert value.shape == ()
        assert np.isnan(value)


def test_what_they_say_of_themselves():
    for coefficient, title, odd in ((DARR, "daRR", False), (PDP, "PDP", True)):
        assert (coefficient.takes_grid, coefficient.needs_all_cells, coefficient.lowest) == (True, False, -1.0)
        assert (coefficient.title, coefficient.is_odd, coefficient.is_fitted) == (title, odd, False)
    assert DARR.signature_items == (("gap", "25"),)
    assert PDP.signature_items == ()
    with pytest.raises(UsageError, match="`gap` must be at least 0; got -1"):
        COEFFICIENTS.named("darr(gap=-1)")
    with pytest.raises(UsageError, match="`gap` must be at least 0; got nan"):
        type(DARR)(float("nan"))


@pytest.mark.parametrize("coefficient", [DARR, PDP])
def test_what_is_wrong_is_told(coefficient):
    with pytest.raises(ValueError, match="must have the same shape"):
        coefficient(np.zeros((2, 3)), np.zeros((3, 2)))
    with pytest.raises(ValueError, match=r"must be \(documents, systems\); got \(3,\)"):
        coefficient(np.zeros(3), np.zeros(3))
    with pytest.raises(ValueError, match=r"`x` must be finite; got inf at index \(0, 1\)"):
        coefficient(np.array([[0, np.inf, np.nan]]), np.zeros((1, 3)))
