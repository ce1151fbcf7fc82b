"""Soft pairwise accuracy against mt-metrics-eval, exhaustive enumeration, hand counts, and laws."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

import metaeval
from metaeval.components.registries import COEFFICIENTS
from metaeval.correlation import sign_sums as signs
from metaeval.correlation.pairwise_accuracy import PairwiseAccuracy
from metaeval.correlation.soft_pairwise_accuracy import soft_pairwise_accuracy
from metaeval.datamodel.resampling import Swaps
from metaeval.errors import UsageError
from metaeval.sampling.resamples import draw_swaps
from tests.correlation.test_kendall import PAIRS
from tests.support import tasks
from tests.support.gold import stats_gold, stats_scores
from tests.support.grids import grid_of


def drawn(n_documents: int, n: int, seed: int = 1) -> Swaps:
    return draw_swaps("segments", n_documents, 1, n, rng=np.random.default_rng(seed))


@pytest.mark.parametrize("pair", PAIRS)
def test_equals_mt_metrics_eval(pair):
    # Its replicates are drawn otherwise, and summed in single precision. Four standard errors of both sides, from
    # values of 20 seeds.
    expected = stats_gold("gold.json")["correlations"][pair]
    human, metric = (stats_scores(column).T for column in pair.split("|"))
    values = [
        float(soft_pairwise_accuracy(metric, human, drawn(30, 1000, seed), tails="wmt").value) for seed in range(20)
    ]
    for n in (1000, 50_000):
        error = np.std(values, ddof=1) * (1000 / n) ** 0.5
        own = float(soft_pairwise_accuracy(metric, human, drawn(30, n, 21), tails="wmt").value)
        assert expected[f"mtme_soft_pairwise_accuracy_{n}perm_seed4"] == pytest.approx(own, abs=4 * 2**0.5 * error)


def test_an_exhaustive_enumeration():
    # Origin: all 1024 ways to exchange the scores of two systems on ten segments.
    expected = stats_gold("gold.json")["permutation"][
        "own exhaustive 1024 paired sign-flip p(s00>s01) first 10 segments"
    ]
    metrics = np.stack([stats_scores(column).T[:10, :2] for column in ("metricA", "metricB", "metricC")])
    own = soft_pairwise_accuracy(metrics, stats_scores("human").T[:10, :2], drawn(10, 1024), tails="wmt")

    assert own.exact
    assert own.human_p[0, 1] == expected["human"]
    assert own.metric_p[:, 0, 1].tolist() == [expected[name] for name in ("metricA", "metricB", "metricC")]
    assert own.value.tolist() == [1 - abs(expected["human"] - expected[f"metric{name}"]) for name in "ABC"]


def test_a_hand_count():
    # Differences of system 1 from 2 on two segments. People 3 and 1: the sums +-3 +-1 are 4 2 -2 -4, one of four is at
    # least 4; of 2 from 1, all four are at least -4. Metric 2 and -1: 3 1 -1 -3, the observed 1 is reached by two; of 2
    # from 1, -1 by three. So 1 - |2/4 - 1/4|.
    metric, human = [[2.0, 0], [0, 1]], [[3.0, 0], [1, 0]]
    own = soft_pairwise_accuracy(metric, human, drawn(2, 4), tails="wmt")
    assert own.exact
    assert (own.n_resamples, float(own.value)) == (4, 0.75)
    assert (own.human_p[0, 1], own.human_p[1, 0]) == (1 / 4, 1.0)
    assert (own.metric_p[0, 1], own.metric_p[1, 0]) == (2 / 4, 3 / 4)
    assert np.isnan(own.human_p.diagonal()).all()
    # The observed sum itself counts half: 0 and 1/2 of four, 1 and 1/2 of four.
    own = soft_pairwise_accuracy(metric, human, drawn(2, 4))
    assert (own.human_p[0, 1], own.human_p[1, 0]) == (1 / 8, 7 / 8)
    assert (own.metric_p[0, 1], own.metric_p[1, 0], float(own.value)) == (3 / 8, 5 / 8, 0.75)


def test_random_replicates():
    # Nothing is exchanged in 9 of 19 replicates, everything in 10. Of the better system 9 equal the observed difference
    # and none is larger, of the other 9 and 10. So mid (9/2 + 1/2) / 20 and (10 + 9/2 + 1/2) / 20; wmt 9/19 and 1.
    packed = np.array([[0]] * 9 + [[255]] * 10, dtype=np.uint8)
    swaps = Swaps(packed, (3, 1), exact=False)
    for tails, better, worse in (("mid", 5 / 20, 15 / 20), ("wmt", 9 / 19, 1.0)):
        own = soft_pairwise_accuracy([[2.0, 0]] * 3, [[0.0, 2]] * 3, swaps, tails=tails)
        assert own.metric_p[0, 1] == own.human_p[1, 0] == better
        assert own.metric_p[1, 0] == own.human_p[0, 1] == worse
        assert float(own.value) == pytest.approx(1 - (worse - better), abs=1e-15)


arrays = st.tuples(st.integers(1, 6), st.integers(2, 5)).flatmap(
    lambda shape: st.tuples(
        hnp.arrays(float, (3, *shape), elements=st.integers(-4, 4).map(float)),
        hnp.arrays(float, shape, elements=st.integers(-4, 4).map(float)),
    )
)


@given(arrays)
def test_laws(pair):
    metrics, human = pair
    swaps = drawn(len(human), 64)
    own = soft_pairwise_accuracy(metrics, human, swaps)
    first, later = np.triu_indices(human.shape[1], 1)

    assert np.all((own.value >= 0) & (own.value <= 1))
    # Many metrics at once are as one by one.
    for metric, value, p in zip(metrics, own.value, own.metric_p, strict=True):
        one = soft_pairwise_accuracy(metric, human, swaps)
        assert value == one.value
        np.testing.assert_array_equal(p, one.metric_p)
    # A metric that is as people, in any unit and with any difficulty of segments, is as sure as they are.
    assert soft_pairwise_accuracy(7.0 * human + 3.3, human, swaps).value == 1.0
    assert soft_pairwise_accuracy(human + 1e12 * np.arange(len(human))[:, None], human, swaps).value == 1.0
    # One of two systems is the better one. With wmt, either order is as extreme or more in each replicate.
    np.testing.assert_allclose(own.human_p[first, later] + own.human_p[later, first], 1.0, atol=1e-15)
    wmt = soft_pairwise_accuracy(metrics, human, swaps, tails="wmt")
    assert np.all(wmt.human_p[first, later] + wmt.human_p[later, first] >= 1.0)
    # The definitions themselves, for exact replicates.
    turns = np.array(list(itertools.product([1, -1], repeat=len(human))))
    differences, observed = turns @ (human[:, first] - human[:, later]), (human[:, first] - human[:, later]).sum(axis=0)
    at_least, more = (differences >= observed).mean(axis=0), (differences > observed).mean(axis=0)
    np.testing.assert_allclose(wmt.human_p[first, later], at_least, atol=1e-15)
    np.testing.assert_allclose(own.human_p[first, later], (at_least + more) / 2, atol=1e-15)


@given(arrays, st.booleans(), st.randoms(use_true_random=False))
def test_with_mid_the_order_of_systems_changes_no_digit(pair, exact, random):
    # Coarse scores, so that many sums are equal; exact replicates and random ones.
    metrics, human = pair
    swaps = drawn(len(human), 64 if exact else 13)
    order = random.sample(range(human.shape[1]), human.shape[1])
    own, other = (soft_pairwise_accuracy(metrics[..., o], human[:, o], swaps) for o in (slice(None), order))
    np.testing.assert_array_equal(own.value, other.value)
    np.testing.assert_array_equal(own.human_p[np.ix_(order, order)], other.human_p)


def test_with_wmt_it_matters():
    # One segment, people 2 1 0, a metric that ties all: each p of the metric is 1; of people 1/2 in this order, else 1.
    swaps = drawn(1, 2)
    human = np.array([[2.0, 1, 0]])
    for order, expected in (([0, 1, 2], 1 / 2), ([2, 1, 0], 1.0)):
        assert soft_pairwise_accuracy(np.zeros((1, 3)), human[:, order], swaps, tails="wmt").value == expected
        # Of people 1/4 or 3/4, of the metric 1/2.
        assert soft_pairwise_accuracy(np.zeros((1, 3)), human[:, order], swaps).value == 3 / 4


SYNTHETIC = [("cs-uk", "esa", False), ("en-de", "mqm", False), ("en-de", "mqm", True), ("ja-zh", "mqm", False)]


@pytest.mark.parametrize(("pair", "criterion", "outliers"), SYNTHETIC)
def test_shared_tasks(pair, criterion, outliers):
    # mt-metrics-eval draws 1000 replicates and sums in single precision, which breaks ties of a coarse metric.
    # The other columns are of 100,000 replicates.
    expected = tasks.where(tasks.table("spa"), lang=pair, outliers=str(outliers))
    systems, human = tasks.human(pair, criterion, outliers)
    metrics = np.stack([tasks.metric(pair, row["metric"], systems) for row in expected])
    judged = ~np.isnan(human).any(axis=1)
    assert {(int(row["systems"]), int(row["segments"])) for row in expected} == {(len(systems), judged.sum())}
    swaps = draw_swaps("segments", int(judged.sum()), 1, 20_000, rng=np.random.default_rng(1))
    own = {
        tails: soft_pairwise_accuracy(metrics[:, judged], human[judged], swaps, tails=tails).value
        for tails in ("mid", "wmt")
    }
    for row, mid, wmt in zip(expected, own["mid"], own["wmt"], strict=True):
        far = 0.008 if row["metric"] == "lexic" else 0.006
        assert float(row["spa_mtme_alphabetical"]) == pytest.approx(wmt, abs=far)
        assert float(row["spa_100k"]) == pytest.approx(wmt, abs=0.002)
        assert float(row["spa_100k_midp"]) == pytest.approx(mid, abs=0.002)


def test_p_values_of_shared_tasks():
    systems, human = tasks.human("cs-uk", "esa")
    judged = ~np.isnan(human).any(axis=1)
    rows = tasks.where(tasks.table("spa_pvalues"), lang="cs-uk")
    names = sorted({row["scores"] for row in rows} - {"HUMAN"})
    metrics = np.stack([tasks.metric("cs-uk", name, systems) for name in names])[:, judged]
    swaps = draw_swaps("segments", int(judged.sum()), 1, 100_000, rng=np.random.default_rng(1))
    own = {tails: soft_pairwise_accuracy(metrics, human[judged], swaps, tails=tails) for tails in ("mid", "wmt")}
    for row in rows:
        name, place = row["scores"], (systems.index(row["system_i"]), systems.index(row["system_j"]))
        mid, wmt = ((one.metric_p[names.index(name)] if name in names else one.human_p)[place] for one in own.values())
        assert float(row["p_mtme_i_better"]) == pytest.approx(wmt, abs=0.07 if name == "lexic" else 0.065)
        assert float(row["p_100k"]) == pytest.approx(wmt, abs=0.007)
        assert float(row["midp_100k"]) == pytest.approx(mid, abs=0.007)


def test_a_constant_metric_has_a_value():
    # It is 1/2 sure of everything. People are sure of one of three pairs: 1/16 on four segments, 1/2 where they tie.
    human = np.array([[1.0, 0, 0]] * 4)
    own = soft_pairwise_accuracy(np.zeros((4, 3)), human, drawn(4, 16))
    # Twice 1/2 - 1/32: the sums of +-1 four times are at most 4, which one of 16 is.
    assert float(own.value) == pytest.approx(1 - 2 / 3 * (1 / 2 - 1 / 32), abs=1e-15)


def test_what_it_says_of_itself():
    plain, wmt = COEFFICIENTS.named("spa"), COEFFICIENTS.named("pce")
    assert (plain.lowest, plain.takes_grid, plain.needs_all_cells, plain.tails) == (0.0, True, True, "mid")
    assert plain.signature_items == (("permutations", "1000"), ("permutation-seed", "1"), ("tails", "mid"))
    assert wmt.signature_items[2] == ("tails", "wmt")
    with pytest.raises(UsageError, match="`tails` must be one of 'mid', 'wmt'; got 'low'"):
        COEFFICIENTS.named('spa(tails="low")')
    with pytest.raises(UsageError, match="`tails` must be one of 'mid', 'wmt'; got 'low'"):
        type(plain)(tails="low")
    with pytest.raises(UsageError, match=r"`tails` must be one of \('mid', 'wmt'\); got 'low'"):
        soft_pairwise_accuracy(np.zeros((1, 2)), np.zeros((1, 2)), drawn(1, 2), tails="low")


def test_p_equals_the_paired_test_of_scipy():
    # 12 documents: scipy enumerates the 4096 exchanges too.
    x, y = np.random.default_rng(2).normal(size=(2, 12))
    own = soft_pairwise_accuracy(np.stack([x, y], axis=1), np.stack([y, x], axis=1), drawn(12, 4096), tails="wmt")
    expected = stats.permutation_test(
        (x, y), lambda a, b: np.sum(a) - np.sum(b), permutation_type="samples", alternative="greater"
    )
    assert expected.pvalue == pytest.approx(own.metric_p[0, 1], abs=1e-15)
    assert expected.pvalue == pytest.approx(own.human_p[1, 0], abs=1e-15)


@pytest.mark.parametrize("shape", [(5, 1), (0, 3)], ids=["one system", "no document"])
def test_without_a_pair_of_systems_or_a_document_it_is_undefined(shape):
    value = COEFFICIENTS.named("soft-pairwise-accuracy")(np.zeros(shape), np.zeros(shape))
    assert value.shape == ()
    assert np.isnan(value)


def test_rounding_does_not_break_ties():
    # Differences of 0.1 and 0.2 in many units: sums that are equal must count as at least equal.
    human = np.array([[0.1, 0.0], [0.2, 0.0], [0.3, 0.0], [-0.6, 0.0]])
    units = (1, 10, 3, 1 / 7, 1e-9)
    p = [soft_pairwise_accuracy(human * unit, human, drawn(4, 16), tails="wmt").metric_p[0, 1] for unit in units]
    # 10 units: 1 2 3 -6 sum to 0; the 16 sums of +-1 +-2 +-3 +-6 are 12 10 8 6 6 4 2 0 0 -2 -4 -6 -6 -8 -10 -12.
    assert p == [9 / 16] * 5


def test_it_tends_to_pairwise_accuracy_as_differences_grow_clear():
    # Where every difference is sure, p is 0 or 1.
    noise = 1e-3 * np.random.default_rng(3).normal(size=(2, 40, 5))
    human, metric = np.arange(5.0) + noise[0], np.array([0.0, 2, 1, 3, 5]) + noise[1]
    own = soft_pairwise_accuracy(metric, human, drawn(40, 5000))
    assert float(own.value) == pytest.approx(
        float(PairwiseAccuracy()(metric.mean(axis=0), human.mean(axis=0))), abs=1e-3
    )
    assert float(own.value) == pytest.approx(0.9, abs=1e-3)


def test_results_do_not_depend_on_the_size_of_blocks(monkeypatch):
    metric, human = np.random.default_rng(4).integers(0, 3, size=(2, 30, 6)).astype(float)
    first = soft_pairwise_accuracy(metric, human, drawn(30, 101))
    monkeypatch.setattr(signs, "_BATCH_REPLICATES", 7)
    monkeypatch.setattr(signs, "_BATCH_BYTES", 1)
    second = soft_pairwise_accuracy(metric, human, drawn(30, 101))
    np.testing.assert_array_equal(first.metric_p, second.metric_p)
    np.testing.assert_array_equal(first.human_p, second.human_p)


def test_what_is_wrong_is_told():
    good = np.zeros((3, 2))
    with pytest.raises(ValueError, match=r"at least two systems; got \(3, 1\)"):
        soft_pairwise_accuracy(good[:, :1], good[:, :1], drawn(3, 5))
    with pytest.raises(ValueError, match=r"`metric` must end in the shape of `human`, \(3, 2\); got \(2, 2\)"):
        soft_pairwise_accuracy(good[:2], good, drawn(3, 5))
    with pytest.raises(ValueError, match=r"whole documents, \(3, 1\); got \(3, 2\)"):
        soft_pairwise_accuracy(good, good, draw_swaps("both", 3, 2, 5, rng=np.random.default_rng(1)))
    bad = good.copy()
    bad[2, 1] = np.nan
    with pytest.raises(ValueError, match=r"`metric` must be finite; got nan at index \(2, 1\)"):
        soft_pairwise_accuracy(bad, good, drawn(3, 5))
    with pytest.raises(ValueError, match=r"`human` must be finite; got nan at index \(2, 1\)"):
        soft_pairwise_accuracy(good, bad, drawn(3, 5))


def test_in_an_experiment_it_takes_the_grid_of_segments():
    settings = {
        "criteria": ["adequacy"],
        "preprocessing": ["case"],
        "documents": {"kind": "segments"},
        "correlation": {"coefficients": ["soft-pairwise-accuracy(n_resamples=200)"], "average_by": "none"},
        "uncertainty": {"n_resamples": 5},
    }
    found = metaeval.correlate("demo", ["rouge-l", "ter"], tests=[{"method": "bootstrap"}], **settings)
    grid = grid_of(found)
    *metrics, constant = found.estimates
    assert (constant.metric, constant.value > 0.4) == ("constant", True)
    for one, sign in zip(metrics, (1, -1), strict=True):
        metric = sign * grid.scores(one.metric)
        # The same pairs with other exchanges: p-values of 20,000 replicates differ from those of 200 by a few percent.
        swaps = draw_swaps("segments", 120, 8, 20_000, rng=np.random.default_rng(1))
        expected = soft_pairwise_accuracy(metric, grid.human, swaps).value
        assert one.value == pytest.approx(float(expected), abs=0.02)
        assert "coefficient:soft-pairwise-accuracy|permutations:200|permutation-seed:1|tails:mid|" in one.signature
        assert len(set(one.replicates)) == 5
    again = metaeval.correlate("demo", ["ter"], **settings).estimates[0]
    assert again.value == found.estimates[1].value


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"correlation": {"coefficients": ["soft-pairwise-accuracy"], "average_by": "item"}},
            "`correlation.average_by` must be 'none' or left out; got 'item'",
        ),
        ({"correlation": {"coefficients": ["pearson", "soft-pairwise-accuracy"]}}, "together, and 'pearson' vectors"),
        (
            {"correlation": {"coefficients": ["soft-pairwise-accuracy"], "average_by": "none"}},
            "`documents.kind` must be 'segments' or 'real'; got 'all'",
        ),
    ],
)
def test_it_is_refused_where_there_is_no_grid(settings, message):
    with pytest.raises(UsageError, match=message):
        metaeval.correlate("demo", ["ter"], **settings)
