"""Pairwise accuracy on the pairs of systems that people tell apart: scipy, shared tasks, hand counts, an experiment."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

import metaeval
from metaeval.components.registries import COEFFICIENTS
from metaeval.correlation.significant_pairs import SignificantPairs, human_p
from metaeval.correlation.wilcoxon import rank_sum_p
from metaeval.errors import UsageError
from tests.correlation.test_permuted_task import METRICS, PAIRS, stored, stored_human
from tests.support import tasks

TESTS = {"ranksum": "rank-sum", "wilcoxon_signed": "signed-rank"}


@pytest.mark.parametrize("pair", PAIRS)
def test_pairs_of_people(pair):
    systems, human = tasks.human(pair, PAIRS[pair])
    for column, human_test in TESTS.items():
        p = human_p(human, human_test)
        np.testing.assert_array_equal(p, p.T)
        for row in tasks.where(tasks.table("kocmi_human_pairs"), lang=pair):
            found = p[systems.index(row["system_i"]), systems.index(row["system_j"])]
            assert found == pytest.approx(float(row[f"p_{column}"]), abs=1e-8), row


@pytest.mark.parametrize("metric", METRICS)
def test_accuracies_pooled_over_language_pairs(metric):
    for row in tasks.where(tasks.table("kocmi_accuracy"), metric=metric):
        right, pairs = 0, 0
        for pair, criterion in PAIRS.items():
            systems, human = tasks.human(pair, criterion)
            scores, people = stored(pair, metric, systems), stored_human(pair, systems)
            if row["human_filter"] == "none":
                n = len(systems) * (len(systems) - 1) // 2
                right += round(float(COEFFICIENTS.named("pairwise-accuracy")(scores, people)) * n)
            else:
                name = f'(pairs="human-significant", human_test="{TESTS[row["human_filter"]]}", alpha={row["alpha"]})'
                of_items = COEFFICIENTS.named(f"pairwise-accuracy{name}").of_items(human)
                n = of_items.n_pairs
                right += round(float(of_items(scores, people)) * n)
            pairs += n
        assert (right, pairs) == (int(row["agree"]), int(row["pairs"])), row


def test_a_step_is_what_one_pair_changes():
    # Three systems, of which people tell the first from both others: two pairs count. The metric orders both right, or
    # one of them wrong: 1 and 1/2.
    told_apart = np.array([[False, True, True], [True, False, False], [True, False, False]])
    accuracy = SignificantPairs(told_apart, 0.0, "rank-sum", 0.05)
    human = np.array([1.0, 2.0, 3.0])
    assert [float(accuracy(np.array(metric), human)) for metric in ([1.0, 2.0, 3.0], [2.0, 1.0, 3.0])] == [1.0, 0.5]
    assert accuracy.step(3) == 0.5
    assert SignificantPairs(np.zeros((3, 3), dtype=bool), 0.0, "rank-sum", 0.05).step(3) == 0.0


@given(
    hnp.arrays(float, st.integers(1, 12), elements=st.integers(0, 4)),
    hnp.arrays(float, st.integers(1, 12), elements=st.integers(0, 4)),
)
def test_the_rank_sum_test_is_that_of_scipy(x, y):
    expected = stats.mannwhitneyu(x, y, method="asymptotic").pvalue if np.ptp([*x, *y]) else 1.0
    assert rank_sum_p(x, y) == pytest.approx(expected, abs=1e-12)
    assert rank_sum_p(y, np.append(x, np.nan)) == pytest.approx(expected, abs=1e-12)


def test_the_rank_sum_test_of_nothing():
    assert np.isnan(rank_sum_p(np.array([np.nan]), np.ones(2)))


def items():
    """Return human scores of 20 items of three systems: the third is far above, the others are alike."""
    rng = np.random.default_rng(1)
    return rng.normal(size=(20, 3)) + np.array([0.0, 0.1, 5.0])


def test_a_hand_count():
    # People tell the third system from both others, not these from one another. The metric orders one of the two pairs.
    coefficient = COEFFICIENTS.named('pairwise-accuracy(pairs="human-significant")').of_items(items())
    assert coefficient.n_pairs == 2
    assert float(coefficient(np.array([2.0, 0, 1]), np.array([0.0, 0.1, 5]))) == 1 / 2
    # Without the second system, and with the systems in another order.
    assert coefficient.of_systems(np.array([True, False, True])).n_pairs == 1
    turned = coefficient.of_systems(np.array([2, 1, 0]))
    assert float(turned(np.array([1.0, 0, 2]), np.array([5, 0.1, 0.0]))) == 1 / 2
    # Nobody tells the first two apart.
    alone = coefficient.of_systems(np.array([0, 1]))
    assert np.isnan(alone(np.zeros((4, 2)), np.ones((4, 2)))).tolist() == [True] * 4
    # A metric that ties a pair is wrong.
    tied = COEFFICIENTS.named('pairwise-accuracy(epsilon=1, pairs="human-significant")').of_items(items())
    assert float(tied(np.array([2.0, 0, 3]), np.array([0.0, 0.1, 5]))) == 1 / 2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("pairwise-accuracy(alpha=0.01)", 'write pairwise-accuracy(pairs="human-significant", human_test="rank-sum"'),
        ('pairwise-accuracy(human_test="signed-rank")', "choose the pairs that people tell apart"),
        ('pairwise-accuracy(epsilon="auto", pairs="human-significant")', "is for scores of segments"),
        ('pairwise-accuracy(pairs="significant")', "'human-significant'"),
        ('pairwise-accuracy(pairs="human-significant", human_test="t")', "'rank-sum'"),
        ('pairwise-accuracy(pairs="human-significant", alpha=0)', "alpha"),
    ],
)
def test_parameters_that_do_not_fit_are_refused(call, message):
    with pytest.raises(UsageError, match=re.escape(message)):
        COEFFICIENTS.named(call)


def test_items_must_be_given():
    with pytest.raises(UsageError, match="of_items"):
        COEFFICIENTS.named('pairwise-accuracy(pairs="human-significant")')(np.zeros(3), np.ones(3))


NAME = 'pairwise-accuracy(pairs="human-significant", alpha=0.01)'
NAMES = ["neural-refA", "ter-refA", "partial-refA"]


def correlated(coefficients, **settings):
    return metaeval.correlate(
        f"{tasks.of_others('gold/tasks/inputs/synth')}.en-de",
        [f"precomputed:{name}" for name in NAMES],
        criteria=["mqm"],
        correlation={"coefficients": coefficients},
        seed=1,
        **settings,
    )


def test_an_experiment():
    tests = [{"method": "permutation", "over": "systems"}, {"method": "bootstrap"}]
    found = correlated(
        [NAME], uncertainty={"method": "bootstrap", "n_resamples": 50}, judgments={"ceiling": 5}, tests=tests
    )
    names, human = tasks.human("en-de", "mqm", outliers=True)
    systems = [name for name in names if name != "refB"]
    people = human[:, [names.index(name) for name in systems]]
    for row, metric in zip(found.data.tables.correlations, NAMES, strict=True):
        # The tables give a metric 0 for the system that it lacks; here it is left out.
        kept = [place for place, name in enumerate(systems) if (metric, name) != ("partial-refA", "s07")]
        scores = tasks.metric("en-de", metric.removesuffix("-refA"), systems).mean(axis=0)
        pairs = [
            (i, j)
            for i, j in itertools.combinations(kept, 2)
            if stats.mannwhitneyu(people[:, i], people[:, j], method="asymptotic").pvalue < 0.01
        ]
        means = people.mean(axis=0)
        right = [np.sign(scores[i] - scores[j]) == np.sign(means[i] - means[j]) for i, j in pairs]
        assert row.mean == pytest.approx(np.mean(right)), metric
        assert row.lower <= row.mean <= row.upper
        assert f"pairs:human-significant({len(pairs)}/{len(kept) * (len(kept) - 1) // 2})" in row.signature
    # A constant metric gets nothing for ties, and there is neither a ceiling nor an influence of single systems.
    assert found.data.tables.ceiling == found.data.tables.influence == []
    p = {(row.test, row.metric_b): row.p for row in found.data.tables.tests if row.metric_a.endswith("neural-refA")}
    assert 0 < p["permutation", "precomputed:ter-refA"] <= 1
    assert 0 < p["bootstrap", "precomputed:ter-refA"] <= 1


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"documents": {"kind": "segments"}}, "compares whole systems: `documents.kind` must be 'all'"),
        ({"uncertainty": {"resample": "systems"}}, "`uncertainty.resample` must be"),
        ({"uncertainty": {"method": "jackknife"}}, "'jackknife' leaves out systems"),
    ],
)
def test_experiments_that_it_does_not_fit_are_refused(settings, message):
    with pytest.raises(UsageError, match=re.escape(message)):
        correlated([NAME], **settings)
