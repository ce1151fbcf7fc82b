"""Pairwise accuracy and the calibration of ties against mt-metrics-eval, hand counts, a plain search, and laws."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import metaeval
from metaeval.components.registries import COEFFICIENTS
from metaeval.correlation import pairwise_accuracy as pairwise
from metaeval.correlation.kendall import Kendall
from metaeval.correlation.pair_counts import _agreements_by_sorting, agreements
from metaeval.correlation.pairwise_accuracy import PairwiseAccuracy, TieCalibration, tie_calibration
from metaeval.errors import UsageError
from tests.correlation.test_kendall import PAIRS, pairs
from tests.support.configs import BY_LENGTH
from tests.support.gold import stats_gold, stats_scores
from tests.support.grids import grid_of


@pytest.mark.parametrize("case", stats_gold("tiny_vectors.json"))
def test_tiny_vectors_equal_mt_metrics_eval(case):
    assert case["acc23"] == pytest.approx(float(PairwiseAccuracy()(case["x"], case["y"])), abs=1e-12)


@pytest.mark.parametrize("pair", PAIRS)
def test_averages_equal_mt_metrics_eval(pair):
    expected = stats_gold("gold.json")["correlations"][pair]
    human, metric = (stats_scores(column) for column in pair.split("|"))
    own = {"system_pairwise_accuracy": PairwiseAccuracy()(metric.mean(axis=1), human.mean(axis=1))}
    for epsilon in (0.0, 0.25, 1.0):
        key = f"mtme_kendallvariants_acc23_eps{epsilon}_avg"
        own[f"{key}_none"] = PairwiseAccuracy(epsilon)(metric.ravel(), human.ravel())
        own[f"{key}_item"] = PairwiseAccuracy(epsilon)(metric.T, human.T).mean()
        own[f"{key}_sys"] = PairwiseAccuracy(epsilon)(metric, human).mean()
    for key, value in own.items():
        assert expected[key] == pytest.approx(float(value), abs=1e-9), key
    agree, n_pairs = expected["system_pairwise_agree_and_pairs"]
    assert agree / n_pairs == pytest.approx(float(own["system_pairwise_accuracy"]), abs=1e-12)


@pytest.mark.parametrize("pair", PAIRS)
def test_calibration_equals_mt_metrics_eval(pair):
    # With all pairs, not its default sample of a tenth. Its tau 23 is 2 accuracy - 1.
    expected = stats_gold("gold.json")["correlations"][pair]
    human, metric = (stats_scores(column) for column in pair.split("|"))
    present = stats_scores("human_missing") == 0
    for name, own in (
        ("none", tie_calibration(metric.ravel(), human.ravel())),
        ("item", tie_calibration(metric.T, human.T)),
        ("sys", tie_calibration(metric, human)),
    ):
        for variant, value in (("acc23", own.accuracy), ("23", 2 * own.accuracy - 1)):
            figure = expected[f"mtme_tiescalibrated_{variant}_avg_{name}"]
            assert figure["value"] == pytest.approx(value, abs=1e-9), name
            assert figure["epsilon"] == pytest.approx(own.epsilon, abs=1e-12), name
    missing = np.where(present, human, np.nan)
    for name, own in (
        ("none", tie_calibration(metric.ravel(), missing.ravel(), where=present.ravel())),
        ("none", tie_calibration(metric[present], human[present])),
        ("item", tie_calibration(metric.T, missing.T, where=present.T)),
        ("sys", tie_calibration(metric, missing, where=present)),
    ):
        figure = expected[f"missing_mtme_tiescalibrated_acc23_avg_{name}"]
        assert (figure["value"], figure["epsilon"]) == pytest.approx((own.accuracy, own.epsilon), abs=1e-9), name


@pytest.mark.parametrize(
    ("epsilon", "expected"),
    [
        # Metric 1 1 2 4, people 1 1 2 2. 12 is tied by both; 13 14 23 24 are ordered alike; 34 by the metric only.
        (0.0, 5 / 6),
        # Differences of 1 tied: 13 and 23 too are tied by the metric, and wrong.
        (1.0, 3 / 6),
        # Of 2: 34 is right as well. Of 3: all are tied, two rightly.
        (2.0, 4 / 6),
        (3.0, 2 / 6),
    ],
)
def test_a_hand_count(epsilon, expected):
    assert expected == pytest.approx(float(PairwiseAccuracy(epsilon)([1, 1, 2, 4], [1, 1, 2, 2])), abs=1e-15)


def test_calibration_by_hand():
    # Metric 0 0.1 5, people 1 1 2: only the difference of 0.1 is one that people do not see.
    assert tie_calibration([0, 0.1, 5], [1, 1, 2]) == TieCalibration(0.1, 1.0, 1)
    # In a second row people order all three pairs, as the metric does by at most 0.1: that tie loses more than it wins.
    assert tie_calibration([[0, 0.1, 5], [0, 0.05, 0.1]], [[1, 1, 2], [1, 2, 3]]) == TieCalibration(0.0, 5 / 6, 2)
    # Any threshold gives a constant metric the same; the smallest is taken.
    assert tie_calibration([3, 3, 3], [1, 1, 2]) == TieCalibration(0.0, 1 / 3, 1)


@given(
    st.tuples(st.integers(1, 4), st.integers(2, 12)).flatmap(
        lambda shape: st.tuples(*(hnp.arrays(float, shape, elements=st.integers(0, 6).map(float)) for _ in range(2)))
    )
)
def test_calibration_finds_what_a_plain_search_finds(pair):
    metric, human = pair[0] / 8, pair[1]
    # Every difference of two scores of a row is tried; an accuracy at equal counts may differ by rounding.
    tried = {0.0} | {abs(a - b) for row in metric.tolist() for a in row for b in row}
    found = {epsilon: float(PairwiseAccuracy(epsilon)(metric, human).mean()) for epsilon in sorted(tried)}
    best = max(found.values())
    own = tie_calibration(metric, human)

    assert best == pytest.approx(own.accuracy, abs=1e-12)
    assert own.epsilon == next(epsilon for epsilon, value in found.items() if value > best - 1e-9)


def test_calibration_with_missing_values_by_hand():
    # The first row has three pairs: metric 0 1 5, people 1 1 2; a threshold of 1 makes all three right, instead of two.
    # The second has one pair, which people order as the metric does, by 0.5: right, and wrong with 1. Three pairs of
    # four are right either way, but the mean of the rows is (2/3 + 1) / 2 or (1 + 0) / 2. The last row has no pair.
    metric = [[0, 1, 5], [0, np.nan, 0.5], [np.inf, 2, np.nan]]
    human = [[1, 1, 2], [1, 1, 2], [1, 1, 1]]
    present = [[1, 1, 1], [1, 0, 1], [0, 1, 0]]
    assert tie_calibration(metric, human, where=present) == TieCalibration(0.0, 5 / 6, 2)
    # The first row twice: (2/3 + 2/3 + 1) / 3 or (1 + 1 + 0) / 3.
    assert tie_calibration([metric[0], *metric], [human[0], *human], where=[present[0], *present]) == TieCalibration(
        0.0, pytest.approx(7 / 9), 3
    )
    # Four times: (4 * 2/3 + 1) / 5 or (4 + 0) / 5, which is more.
    assert tie_calibration(
        [metric[0]] * 4 + metric[1:2], [human[0]] * 4 + human[1:2], where=[present[0]] * 4 + present[1:2]
    ) == (TieCalibration(1.0, 4 / 5, 5))


@given(
    st.tuples(st.integers(1, 5), st.integers(2, 9)).flatmap(
        lambda shape: st.tuples(
            hnp.arrays(float, shape, elements=st.integers(0, 6).map(float)),
            hnp.arrays(float, shape, elements=st.integers(0, 6).map(float)),
            hnp.arrays(bool, shape),
        )
    ),
    st.sampled_from([pairwise._MAX_EXACT_COUNT, 1]),
)
def test_calibration_with_missing_values_finds_what_a_plain_search_finds(case, exact):
    # Thresholds are often equally good, in sums of thirds, sixths and tenths: counted in whole units, or rounded as in
    # rows of so many lengths that their numbers of pairs have no small common multiple.
    metric, human, present = case[0] / 8, case[1], case[2]
    rows = [(x[here], y[here]) for x, y, here in zip(metric, human, present, strict=True) if here.sum() > 1]
    if not rows:
        with pytest.raises(ValueError, match="at least one pair"):
            tie_calibration(metric, human, where=present)
        return
    tried = {0.0} | {abs(a - b) for row, _ in rows for a in row.tolist() for b in row.tolist()}
    found = {e: np.mean([float(PairwiseAccuracy(e)(x, y)) for x, y in rows]) for e in sorted(tried)}
    with mock.patch.object(pairwise, "_MAX_EXACT_COUNT", exact):
        own = tie_calibration(np.where(present, metric, np.nan), human, where=present)

    assert max(found.values()) == pytest.approx(own.accuracy, abs=1e-12)
    assert own.epsilon == next(epsilon for epsilon, value in found.items() if value > max(found.values()) - 1e-9)
    assert own.n_rows == len(rows)


def test_calibration_does_not_depend_on_the_size_of_parts(monkeypatch):
    metric, human = np.random.default_rng(5).integers(0, 20, size=(2, 30, 12)).astype(float)
    present = np.random.default_rng(6).random((30, 12)) < 0.8
    whole = tie_calibration(metric, human, where=present)
    monkeypatch.setattr(pairwise, "_BATCH_DIFFERENCES", 1)
    assert tie_calibration(metric, human, where=present) == whole


@pytest.mark.parametrize("exact", [pairwise._MAX_EXACT_COUNT, 1])
def test_rounding_does_not_choose_among_equally_good_thresholds(exact, monkeypatch):
    # On these rows of several lengths, no threshold and one of 1 give 41 / 112. The sum of the shares of one length
    # after the other differs in its last bit.
    monkeypatch.setattr(pairwise, "_MAX_EXACT_COUNT", exact)
    rng = np.random.default_rng(2333)
    metric, human = rng.integers(0, 5, size=(2, 8, 7)).astype(float)
    present = rng.random((8, 7)) < 0.8
    own = tie_calibration(metric, human, where=present)
    assert (own.epsilon, own.accuracy) == (0.0, pytest.approx(41 / 112, abs=1e-15))


def test_calibration_refuses_a_mask_of_another_shape():
    with pytest.raises(ValueError, match=r"`where` must have the shape of `metric`, \(2, 3\); got \(3,\)"):
        tie_calibration(np.zeros((2, 3)), np.zeros((2, 3)), where=[True, True, False])
    with pytest.raises(ValueError, match=r"`y` must be finite; got nan at index \(0, 1\)"):
        tie_calibration([[0, 1.0]], [[0, np.nan]], where=[[True, True]])


@given(
    st.tuples(st.integers(1, 3), st.integers(1, 12)).flatmap(
        lambda shape: st.tuples(*(hnp.arrays(float, shape, elements=st.integers(0, 4).map(float)) for _ in range(3)))
    )
)
def test_places_on_which_a_value_agrees(case):
    values, metric, human = case
    signs = np.sign(values[:, :, None] - metric[:, None]), np.sign(human[:, :, None] - human[:, None])
    expected = (signs[0] == signs[1]).sum(axis=2)
    np.testing.assert_array_equal(agreements(values, metric, human), expected)
    np.testing.assert_array_equal([_agreements_by_sorting(*row) for row in zip(*case, strict=True)], expected)


@given(pairs, st.sampled_from([0.0, 1.0, 3.0]))
def test_accuracy_is_tau_23_on_another_scale(pair, epsilon):
    x, y = pair
    tau = Kendall("23", epsilon)(x, y)
    np.testing.assert_allclose(PairwiseAccuracy(epsilon)(x, y), (1 + tau) / 2, atol=1e-12)


@given(pairs)
def test_laws(pair):
    x, y = pair
    order = np.argsort(np.sin(np.arange(len(x)) * 12.9898))
    value = PairwiseAccuracy()(x, y)

    assert 0 <= value <= 1
    assert value == PairwiseAccuracy()(y, x) == PairwiseAccuracy()(x[order], y[order])
    assert value == PairwiseAccuracy()(np.exp(x), y**3)
    assert PairwiseAccuracy()(x, x) == 1.0
    np.testing.assert_array_equal(PairwiseAccuracy()(np.stack([x, y]), np.stack([y, y])), [value, 1.0])


@given(pairs)
def test_turning_a_metric_round_swaps_the_ordered_pairs_only(pair):
    # Each pair is right either way round (tied by both), neither way (tied by one), or exactly one way.
    x, y = pair
    tied = (x[:, None] == x).astype(int) + (y[:, None] == y)
    upper = np.triu_indices(len(x), 1)
    share = (np.sum(tied[upper] == 0) + 2 * np.sum(tied[upper] == 2)) / len(upper[0])
    assert share == pytest.approx(float(PairwiseAccuracy()(x, y) + PairwiseAccuracy()(-x, y)), abs=1e-12)


def test_two_systems_and_fewer():
    assert PairwiseAccuracy()([1, 2], [5, 6]) == 1.0
    assert PairwiseAccuracy()([1, 2], [6, 5]) == 0.0
    assert PairwiseAccuracy()([1, 1], [5, 6]) == 0.0
    assert PairwiseAccuracy()([1, 1], [5, 5]) == 1.0
    assert np.isnan(PairwiseAccuracy()([1], [5]))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("function", [PairwiseAccuracy(), tie_calibration])
def test_numbers_that_are_not_finite_are_refused(function, bad):
    with pytest.raises(ValueError, match=rf"`x` must be finite; got {bad} at index \(1,\)"):
        function([0.0, bad, 1.0], [1, 2, 3])
    with pytest.raises(ValueError, match="must have the same shape"):
        function([1, 2], [1, 2, 3])


@pytest.mark.parametrize("shape", [(1,), (3, 1), (0, 4), (2, 0)])
def test_calibration_needs_a_pair(shape):
    with pytest.raises(ValueError, match="at least one pair"):
        tie_calibration(np.zeros(shape), np.zeros(shape))


def test_by_name():
    accuracy = COEFFICIENTS.named("pairwise-accuracy(epsilon=1)")
    assert accuracy.signature_items == (("epsilon", "1"),)
    assert float(accuracy(np.array([1.0, 1, 2, 4]), np.array([1.0, 1, 2, 2]))) == 0.5  # the hand count above
    with pytest.raises(UsageError, match=r"`epsilon` must be at least 0; got -1"):
        COEFFICIENTS.named("pairwise-accuracy(epsilon=-1)")
    with pytest.raises(UsageError, match=r"`epsilon` must be at least 0 or 'auto'; got -1"):
        PairwiseAccuracy(-1)


def test_an_experiment_on_the_demo_corpus(tmp_path):
    # One score that is high for good and one error rate; every value is counted again from the saved scores.
    names = ["kendall", "pairwise-accuracy"]
    result = metaeval.run(
        BY_LENGTH,
        overrides=[
            'corpora=["demo"]',
            'metrics=["bleu(order=1)", "wer"]',
            'criteria=["adequacy"]',
            f"correlation.coefficients={names}".replace("'", '"'),
            "documents.count=30",
            "documents.lengths=[1, 4]",
            "tests=[]",
        ],
        output=tmp_path / "run",
    )
    table = result.correlations.set_index(["metric", "coefficient", "length"])
    for length in (1, 4):
        grid = grid_of(result, length=length)
        human = grid.human
        for metric, sign in (("bleu(order=1)", 1), ("wer", -1)):
            position, scores = grid.position(metric), grid.scores(metric)
            same = np.sign(sign * (scores[:, :, None] - scores[:, None])) == np.sign(human[:, :, None] - human[:, None])
            first, second = np.triu_indices(human.shape[1], 1)
            accuracy = same[:, first, second].mean(axis=1)
            np.testing.assert_allclose(grid.coefficients("pairwise-accuracy")[position], accuracy, atol=1e-12)
            expected = Kendall()(sign * scores, human)
            np.testing.assert_allclose(grid.coefficients("kendall")[position], expected, atol=1e-12)
            row = table.loc[(metric, "pairwise-accuracy", length)]
            assert accuracy.mean() == pytest.approx(row["mean"], abs=1e-12)
            assert "|coefficient:pairwise-accuracy|epsilon:0|" in row["signature"]
            assert "|coefficient:kendall|variant:b|epsilon:0|" in table.loc[(metric, "kendall", length)]["signature"]
            assert row["mean"] > 0.5
