"""acc_eq, pairwise accuracy with a calibrated threshold, against mt-metrics-eval and in bootstrap replicates."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from metaeval.components.registries import COEFFICIENTS
from metaeval.correlation.array_helpers import on_one_scale
from metaeval.correlation.averages import correlate, correlate_sets, orient
from metaeval.correlation.ceiling import _related
from metaeval.correlation.chance_level import means_in_orders
from metaeval.correlation.influence import leave_one_out
from metaeval.correlation.pairwise_accuracy import PairwiseAccuracy, calibrated_means, tie_calibration
from metaeval.correlation.permutation import permuted_differences
from metaeval.errors import UsageError
from metaeval.sampling.resamples import draw_swaps
from tests.support import tasks

ACC_EQ = COEFFICIENTS.named("acc_eq")


@pytest.mark.parametrize("pair", ["cs-uk", "en-de", "ja-zh"])
def test_it_equals_mt_metrics_eval(pair):
    # Its running sum of floats takes any of the equally good thresholds.
    for row in tasks.where(tasks.table("acc_eq"), lang=pair):
        systems, human = tasks.human(pair, row["gold"])
        metric, present = tasks.metric(pair, row["metric"], systems), ~np.isnan(human)
        average_by = {"item": "item", "sys": "system"}[row["avg_by"]]
        assert len(systems) == int(row["systems"])
        for name, column in (("pairwise-accuracy", "uncalibrated_eps0"), ("acc_eq", "calibrated")):
            values = correlate(metric, human, COEFFICIENTS.named(name), average_by, where=present)
            value = np.nanmean(values)
            assert float(row[column]) == pytest.approx(value if row["variant"] == "acc23" else 2 * value - 1, abs=1e-9)
        turned = [grid if average_by == "item" else grid.T for grid in (metric, human, present)]
        epsilon = ACC_EQ.fitted(*turned).epsilon
        assert float(row["epsilon_smallest_optimal"]) <= epsilon <= float(row["epsilon_largest_optimal"])


def test_a_threshold_of_another_language_pair_equals_mt_metrics_eval():
    golds = {"cs-uk": "esa", "en-de": "mqm", "ja-zh": "mqm"}
    for row in tasks.table("acc_eq_transfer"):
        pair = row["applied_to"]
        systems, human = tasks.human(pair, golds[pair])
        accuracy = COEFFICIENTS.named(f"pairwise-accuracy(epsilon={row['epsilon']})")
        metric = tasks.metric(pair, row["metric"], systems)
        values = correlate(metric, human, accuracy, "item", where=~np.isnan(human))
        assert float(row["acc_eq"]) == pytest.approx(np.nanmean(values), abs=1e-9)


def test_one_threshold_serves_all_rows():
    # Row 1: metric 0 0.1 5, people 1 1 2; a threshold of 0.1 makes all three pairs right, instead of two. Row 2 has two
    # values 0.1 apart, which people order too: right, and wrong with 0.1. (2/3 + 1) / 2 is more than (1 + 0) / 2.
    metric, human = np.array([[0, 0.1, 5], [0, 0.1, np.nan]]), np.array([[1.0, 1, 2], [1, 2, np.nan]])
    present = ~np.isnan(human)
    assert correlate(metric, human, ACC_EQ, "item", where=present).tolist() == [2 / 3, 1.0]
    assert correlate(metric[:1], human[:1], ACC_EQ, "item").tolist() == [1.0]
    # An error rate: the same scores with the other sign.
    turned = orient(ACC_EQ, same_direction=False, orientation="aligned")
    assert correlate(-metric, human, turned, "item", where=present).tolist() == [2 / 3, 1.0]
    # Over all cells together there is one row, over systems there are three.
    assert correlate(metric, human, ACC_EQ, "none", where=present).tolist() == [
        tie_calibration(metric[present], human[present]).accuracy
    ]
    assert np.nanmean(correlate(metric, human, ACC_EQ, "system", where=present)) == pytest.approx(
        tie_calibration(metric.T, human.T, where=present.T).accuracy, abs=1e-15
    )


def test_what_it_says_of_itself():
    assert (ACC_EQ.title, ACC_EQ.is_fitted, ACC_EQ.per_right_pair, ACC_EQ.lowest) == ("acc_eq", True, None, 0.0)
    assert ACC_EQ.signature_items == (("epsilon", "auto"),)
    fitted = ACC_EQ.fitted(np.array([[0, 0.1, 5]]), np.array([[1.0, 1, 2]]))
    assert fitted.signature_items == (("epsilon", "auto"), ("threshold", "0.1"))
    assert (fitted.title, fitted.is_fitted, fitted.per_right_pair) == ("acc_eq", False, None)
    # No digit is lost, and what is fitted stays.
    assert ACC_EQ.fitted(np.array([[0.3, 0.31]]), np.ones((1, 2))).signature_items[1] == ("threshold", repr(0.31 - 0.3))
    assert fitted.fitted(np.array([[0, 5.0, 9]]), np.array([[1.0, 1, 2]])) == fitted
    plain = COEFFICIENTS.named("pairwise-accuracy")
    assert (plain.title, plain.is_fitted, plain.per_right_pair) == ("pairwise-accuracy", False, 1.0)
    assert plain.fitted(np.zeros((1, 2)), np.zeros((1, 2))) is plain
    assert PairwiseAccuracy("auto")([0, 0.1, 5], [1, 1, 2]) == 1.0


@pytest.mark.parametrize("shape", [(1, 1), (0, 3), (2, 0), (0, 0)])
def test_without_a_pair_it_is_undefined(shape):
    fitted = ACC_EQ.fitted(np.zeros(shape), np.zeros(shape))
    assert fitted.epsilon == 0
    assert np.isnan(fitted(np.zeros(shape), np.zeros(shape))).all()
    assert (
        np.isnan(calibrated_means(np.zeros(shape), np.zeros(shape), np.ones((2, shape[0]), int))).tolist() == [True] * 2
    )
    one_each = np.eye(3, dtype=bool)
    assert np.isnan(correlate(np.zeros((3, 3)), np.zeros((3, 3)), ACC_EQ, "item", where=one_each)).all()


@pytest.mark.parametrize("bad", ["automatic", -1, float("nan"), None])
def test_other_thresholds_are_refused(bad):
    with pytest.raises(UsageError, match="`epsilon` must be at least 0 or 'auto'; got"):
        PairwiseAccuracy(bad)


def test_other_texts_are_refused_by_name():
    with pytest.raises(UsageError, match="`epsilon` must be a number or 'auto'; got 'best'"):
        COEFFICIENTS.named('pairwise-accuracy(epsilon="best")')


def test_a_constant_metric_gets_the_share_of_human_ties():
    # People 1 1 2: one pair of three is tied; 1 2 3: none.
    human = np.array([[1.0, 1, 2], [1, 2, 3]])
    for name in ("pairwise-accuracy", "acc_eq"):
        assert correlate(np.full((2, 3), 0.7), human, COEFFICIENTS.named(name), "item").tolist() == [1 / 3, 0.0]
    # On the scale of tau, twice that minus 1.
    tau = COEFFICIENTS.named('kendall(variant="23")')
    assert correlate(np.full((2, 3), 0.7), human, tau, "item").tolist() == [-1 / 3, -1.0]
    assert tau.lowest == -1.0


cases = st.tuples(st.integers(1, 5), st.integers(2, 6)).flatmap(
    lambda shape: st.tuples(
        hnp.arrays(float, shape, elements=st.integers(0, 6).map(float)),
        hnp.arrays(float, shape, elements=st.integers(0, 3).map(float)),
        hnp.arrays(bool, shape),
        hnp.arrays(int, (4, shape[0]), elements=st.integers(0, 3)),
    )
)


def plainly(metric, human, drawn, present):
    rows = np.repeat(np.arange(len(metric)), drawn)
    if not (present[rows].sum(axis=1) > 1).any():
        return np.nan
    return tie_calibration(metric[rows], human[rows], where=present[rows]).accuracy


@given(cases)
def test_replicates_equal_the_calibration_of_rows_as_often_as_drawn(case):
    metric, human, present, counts = case
    metric = np.where(present, metric / 8, np.nan)
    own = ACC_EQ.replicated_means(metric, human, counts, present)
    np.testing.assert_array_equal(own, [plainly(metric, human, drawn, present) for drawn in counts])
    turned = orient(ACC_EQ, same_direction=False, orientation="aligned")
    np.testing.assert_array_equal(turned.replicated_means(-metric, human, counts, present), own)
    # One of each is no replicate at all.
    whole = correlate(metric, human, ACC_EQ, "item", where=present)
    if not np.isnan(whole).all():
        once = ACC_EQ.replicated_means(metric, human, np.ones((1, len(metric)), int), present)
        assert np.nanmean(whole) == pytest.approx(once[0], abs=1e-12)


def test_replicates_of_rows_of_many_lengths():
    # 2 to 30 values: their numbers of pairs have no small common multiple.
    rng = np.random.default_rng(8)
    metric, human = rng.normal(size=(58, 30)), rng.integers(0, 4, (58, 30)).astype(float)
    present = np.arange(30) < 2 + np.arange(58)[:, None] % 29
    counts = rng.multinomial(58, np.full(58, 1 / 58), size=9)
    expected = [plainly(metric, human, drawn, present) for drawn in counts]
    np.testing.assert_allclose(calibrated_means(metric, human, counts, where=present), expected, rtol=1e-12)


def test_replicates_do_not_depend_on_the_size_of_parts(monkeypatch):
    rng = np.random.default_rng(9)
    metric, human, counts = rng.normal(size=(30, 12)), rng.integers(0, 4, (30, 12)), rng.integers(0, 3, (5, 30))
    whole = calibrated_means(metric, human, counts)
    monkeypatch.setattr("metaeval.correlation.pairwise_accuracy._BATCH_DIFFERENCES", 1)
    assert calibrated_means(metric, human, counts).tolist() == whole.tolist()


def few(seed, shape=(4, 5)):
    rng = np.random.default_rng(seed)
    return np.round(rng.normal(size=shape), 1), rng.integers(0, 3, shape).astype(float)


@pytest.mark.parametrize("average_by", ["item", "system", "none", "averages"])
@pytest.mark.parametrize("unit", ["segments", "systems", "both"])
def test_a_permutation_calibrates_each_replicate(average_by, unit):
    (a, human), (b, _) = few(1), few(2)
    swaps = draw_swaps(unit, *human.shape, 40, rng=np.random.default_rng(3))
    observed, replicates = permuted_differences(a, b, human, ACC_EQ, average_by, swaps)
    a, b = on_one_scale(a, b)

    def mean(metric):
        if average_by == "averages":
            return float(ACC_EQ(np.round(metric.mean(axis=0), 9), human.mean(axis=0)))
        return np.mean(correlate(metric, human, ACC_EQ, average_by))

    assert observed == pytest.approx(mean(a) - mean(b), abs=1e-12)
    for value, signs in zip(replicates, swaps.signs(slice(None)), strict=True):
        expected = mean(np.where(signs < 0, b, a)) - mean(np.where(signs < 0, a, b))
        assert value == pytest.approx(expected, abs=1e-12)


def test_the_level_of_chance_calibrates_each_order():
    metric, human = few(4, (6, 3))
    orders = np.array(list(itertools.permutations(range(3))))
    found = means_in_orders(metric, human, orders, ACC_EQ, "item")
    expected = [tie_calibration(metric, human[:, order]).accuracy for order in orders]
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_each_system_left_out_calibrates_anew():
    metric, human = few(5, (6, 4))
    without = [np.delete(np.arange(4), left) for left in range(4)]
    expected = [tie_calibration(metric[:, kept], human[:, kept]).accuracy for kept in without]
    np.testing.assert_allclose(leave_one_out(metric, human, ACC_EQ).mean(axis=0), expected, atol=1e-12)
    one = [tie_calibration(metric[0, kept], human[0, kept]).accuracy for kept in without]
    np.testing.assert_allclose(leave_one_out(metric[0], human[0], ACC_EQ), one, atol=1e-12)
    assert leave_one_out(np.zeros(0), np.zeros(0), ACC_EQ).shape == (0,)


@pytest.mark.parametrize("average_by", ["item", "system", "none"])
def test_the_noise_ceiling_calibrates_each_split(average_by):
    first, second = few(7, (3, 6, 4))
    whole = np.ones((6, 4), dtype=bool)
    own = _related(first, second, whole, ACC_EQ, average_by)
    for found, one, other in zip(own, first, second, strict=True):
        np.testing.assert_array_equal(found, correlate(one, other, ACC_EQ, average_by))


def test_sets_lie_along_any_axis():
    metric, human = few(6, (3, 4, 5))
    for axis in (0, 1):
        own = correlate_sets(ACC_EQ, metric, human, axis=axis)
        for number in range(metric.shape[axis]):
            m, h = metric.take(number, axis), human.take(number, axis)
            np.testing.assert_array_equal(own.take(number, axis), correlate(m, h, ACC_EQ, "item"))


def test_what_is_wrong_in_counts_is_told():
    scores = np.zeros((3, 2))
    with pytest.raises(ValueError, match=r"`counts` must be \(replicates, rows\) for 3 rows; got \(4, 2\)"):
        calibrated_means(scores, scores, np.ones((4, 2), int))
    for bad in (-1, 65_536):
        with pytest.raises(ValueError, match="`counts` must be from 0 to 65535"):
            calibrated_means(scores, scores, np.full((1, 3), bad))
    with pytest.raises(ValueError, match="pairwise-accuracy is not fitted"):
        COEFFICIENTS.named("pairwise-accuracy").replicated_means(scores, scores, np.ones((1, 3), int))
