"""Pairwise accuracy and the calibration of ties against mt-metrics-eval, hand counts, a plain search, and laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import metaeval
from metaeval.correlation.coefficients import get_coefficient
from metaeval.correlation.kendall import kendall
from metaeval.correlation.pairwise import TieCalibration, pairwise_accuracy, tie_calibration
from metaeval.errors import UsageError
from tests.correlation.test_kendall import PAIRS, pairs, read, scores
from tests.support.gold import GOLD, needs_gold


@needs_gold
@pytest.mark.parametrize("case", read("tiny_vectors.json") if GOLD.is_dir() else [])
def test_tiny_vectors_equal_mt_metrics_eval(case):
    assert case["acc23"] == pytest.approx(float(pairwise_accuracy(case["x"], case["y"])), abs=1e-12)


@needs_gold
@pytest.mark.parametrize("pair", PAIRS)
def test_groupings_equal_mt_metrics_eval(pair):
    expected = read("gold.json")["correlations"][pair]
    human, metric = (scores(column) for column in pair.split("|"))
    own = {"system_pairwise_accuracy": pairwise_accuracy(metric.mean(axis=1), human.mean(axis=1))}
    for epsilon in (0.0, 0.25, 1.0):
        key = f"mtme_kendallvariants_acc23_eps{epsilon}_avg"
        own[f"{key}_none"] = pairwise_accuracy(metric.ravel(), human.ravel(), epsilon=epsilon)
        own[f"{key}_item"] = pairwise_accuracy(metric.T, human.T, epsilon=epsilon).mean()
        own[f"{key}_sys"] = pairwise_accuracy(metric, human, epsilon=epsilon).mean()
    for key, value in own.items():
        assert expected[key] == pytest.approx(float(value), abs=1e-9), key
    agree, n_pairs = expected["system_pairwise_agree_and_pairs"]
    assert agree / n_pairs == pytest.approx(float(own["system_pairwise_accuracy"]), abs=1e-12)


@needs_gold
@pytest.mark.parametrize("pair", PAIRS)
def test_calibration_equals_mt_metrics_eval(pair):
    # With all pairs, not its default sample of a tenth. Its tau 23 is 2 accuracy - 1.
    expected = read("gold.json")["correlations"][pair]
    human, metric = (scores(column) for column in pair.split("|"))
    present = scores("human_missing") == 0
    for name, own in (
        ("none", tie_calibration(metric.ravel(), human.ravel())),
        ("item", tie_calibration(metric.T, human.T)),
        ("sys", tie_calibration(metric, human)),
    ):
        for variant, value in (("acc23", own.accuracy), ("23", 2 * own.accuracy - 1)):
            figure = expected[f"mtme_tiescalibrated_{variant}_avg_{name}"]
            assert figure["value"] == pytest.approx(value, abs=1e-9), name
            assert figure["epsilon"] == pytest.approx(own.epsilon, abs=1e-12), name
    figure = expected["missing_mtme_tiescalibrated_acc23_avg_none"]
    own = tie_calibration(metric[present], human[present])
    assert (figure["value"], figure["epsilon"]) == pytest.approx((own.accuracy, own.epsilon), abs=1e-9)


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
    assert expected == pytest.approx(float(pairwise_accuracy([1, 1, 2, 4], [1, 1, 2, 2], epsilon=epsilon)), abs=1e-15)


def test_calibration_by_hand():
    # Metric 0 0.1 5, people 1 1 2: only the difference of 0.1 is one that people do not see.
    assert tie_calibration([0, 0.1, 5], [1, 1, 2]) == TieCalibration(epsilon=0.1, accuracy=1.0)
    # In a second row people order all three pairs, as the metric does by at most 0.1: that tie loses more than it wins.
    assert tie_calibration([[0, 0.1, 5], [0, 0.05, 0.1]], [[1, 1, 2], [1, 2, 3]]) == TieCalibration(0.0, 5 / 6)
    # Any threshold gives a constant metric the same; the smallest is taken.
    assert tie_calibration([3, 3, 3], [1, 1, 2]) == TieCalibration(epsilon=0.0, accuracy=1 / 3)


@given(
    st.tuples(st.integers(1, 4), st.integers(2, 12)).flatmap(
        lambda shape: st.tuples(*(hnp.arrays(float, shape, elements=st.integers(0, 6).map(float)) for _ in range(2)))
    )
)
def test_calibration_finds_what_a_plain_search_finds(pair):
    metric, human = pair[0] / 8, pair[1]
    # Every difference of two scores of a row is tried; an accuracy at equal counts may differ by rounding.
    tried = {0.0} | {abs(a - b) for row in metric.tolist() for a in row for b in row}
    found = {epsilon: float(pairwise_accuracy(metric, human, epsilon=epsilon).mean()) for epsilon in sorted(tried)}
    best = max(found.values())
    own = tie_calibration(metric, human)

    assert best == pytest.approx(own.accuracy, abs=1e-12)
    assert own.epsilon == next(epsilon for epsilon, value in found.items() if value > best - 1e-9)


@given(pairs, st.sampled_from([0.0, 1.0, 3.0]))
def test_accuracy_is_tau_23_on_another_scale(pair, epsilon):
    x, y = pair
    tau = kendall(x, y, variant="23", epsilon=epsilon)
    np.testing.assert_allclose(pairwise_accuracy(x, y, epsilon=epsilon), (1 + tau) / 2, atol=1e-12)


@given(pairs)
def test_laws(pair):
    x, y = pair
    order = np.argsort(np.sin(np.arange(len(x)) * 12.9898))
    value = pairwise_accuracy(x, y)

    assert 0 <= value <= 1
    assert value == pairwise_accuracy(y, x) == pairwise_accuracy(x[order], y[order])
    assert value == pairwise_accuracy(np.exp(x), y**3)
    assert pairwise_accuracy(x, x) == 1.0
    np.testing.assert_array_equal(pairwise_accuracy(np.stack([x, y]), np.stack([y, y])), [value, 1.0])


@given(pairs)
def test_turning_a_metric_round_swaps_the_ordered_pairs_only(pair):
    # Each pair is right either way round (tied by both), neither way (tied by one), or exactly one way.
    x, y = pair
    tied = (x[:, None] == x).astype(int) + (y[:, None] == y)
    upper = np.triu_indices(len(x), 1)
    share = (np.sum(tied[upper] == 0) + 2 * np.sum(tied[upper] == 2)) / len(upper[0])
    assert share == pytest.approx(float(pairwise_accuracy(x, y) + pairwise_accuracy(-x, y)), abs=1e-12)


def test_two_systems_and_fewer():
    assert pairwise_accuracy([1, 2], [5, 6]) == 1.0
    assert pairwise_accuracy([1, 2], [6, 5]) == 0.0
    assert pairwise_accuracy([1, 1], [5, 6]) == 0.0
    assert pairwise_accuracy([1, 1], [5, 5]) == 1.0
    assert np.isnan(pairwise_accuracy([1], [5]))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("function", [pairwise_accuracy, tie_calibration])
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
    accuracy = get_coefficient("pairwise-accuracy(epsilon=1)")
    assert accuracy.signature_items == (("epsilon", "1"),)
    assert float(accuracy(np.array([1.0, 1, 2, 4]), np.array([1.0, 1, 2, 2]))) == 0.5  # the hand count above
    with pytest.raises(UsageError, match=r"`epsilon` must be at least 0; got -1"):
        get_coefficient("pairwise-accuracy(epsilon=-1)")
    with pytest.raises(UsageError, match=r"`epsilon` must be at least 0; got -1"):
        pairwise_accuracy([1, 2], [1, 2], epsilon=-1)


def test_an_experiment_on_the_demo_corpus(tmp_path):
    # One score that is high for good and one error rate; every value is counted again from the saved scores.
    names = ["kendall", "pairwise-accuracy"]
    result = metaeval.run(
        "turian2003-chinese",
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
    saved = np.load(result.directory / "documents.npz")
    table = result.correlations.set_index(["metric", "coefficient", "length"])
    for length in (1, 4):
        human = saved[f"demo/ref1/adequacy/{length}/human"]
        for metric, sign in (("bleu(order=1)", 1), ("wer", -1)):
            path = next(
                key for key in saved if key.startswith(f"demo/ref1/adequacy/{length}/") and key.endswith(metric)
            )
            same = np.sign(sign * (saved[path][:, :, None] - saved[path][:, None])) == np.sign(
                human[:, :, None] - human[:, None]
            )
            first, second = np.triu_indices(human.shape[1], 1)
            accuracy = same[:, first, second].mean(axis=1)
            np.testing.assert_allclose(saved[f"{path}/pairwise-accuracy"], accuracy, atol=1e-12)
            np.testing.assert_allclose(saved[f"{path}/kendall"], kendall(sign * saved[path], human), atol=1e-12)
            row = table.loc[(metric, "pairwise-accuracy", length)]
            assert accuracy.mean() == pytest.approx(row["mean"], abs=1e-12)
            assert "|coefficient:pairwise-accuracy|epsilon:0|" in row["signature"]
            assert "|coefficient:kendall|variant:b|epsilon:0|" in table.loc[(metric, "kendall", length)]["signature"]
            assert row["mean"] > 0.5
