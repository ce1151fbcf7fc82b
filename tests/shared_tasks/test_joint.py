"""The joint resampling of many tasks, against its definition in plain steps."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from metaeval.shared_tasks.joint import JointErrors, joint_family


def replicates(seed, n_metrics=3, n=200):
    rng = np.random.default_rng(seed)
    return {name: rng.normal(size=n) for name in "ABC"[:n_metrics]}


def test_tasks_of_one_draw_add_up_replicate_by_replicate_and_corpora_are_independent():
    first, second, other = replicates(1), replicates(2), replicates(3)
    errors = JointErrors("ABC")
    errors.add("en-de", "segments", first, 0.25)
    errors.add("en-de", "segments", second, 0.25)
    errors.add("ja-zh", "segments", other, 0.5)
    of_means, of_differences = errors.errors()
    # By hand: the mean of a corpus's tasks in each replicate, its variance, and the sum of these over corpora.
    of_pair = [0.25 * first[name] + 0.25 * second[name] for name in "ABC"]
    of_other = [0.5 * other[name] for name in "ABC"]
    for a, name in enumerate("ABC"):
        assert of_means[a] == pytest.approx(math.hypot(of_pair[a].std(ddof=1), of_other[a].std(ddof=1)))
        assert (name, of_differences[a, a]) == (name, pytest.approx(0.0, abs=1e-12))
        for b in range(a):
            apart = [(one[a] - one[b]).std(ddof=1) for one in (of_pair, of_other)]
            assert of_differences[a, b] == pytest.approx(math.hypot(*apart))


def test_tasks_of_other_segments_count_as_wholly_correlated():
    first, second = replicates(1), replicates(2)
    errors = JointErrors("ABC")
    errors.add("en-de", "98 segments", first, 0.5)
    errors.add("en-de", "120 segments", second, 0.5)
    expected = [0.5 * first[name].std(ddof=1) + 0.5 * second[name].std(ddof=1) for name in "ABC"]
    assert errors.errors()[0] == pytest.approx(expected)


def test_corpora_of_the_same_documents_add_up_replicate_by_replicate():
    first, second = replicates(1), replicates(2)
    errors = JointErrors("ABC")
    errors.add("en-de", "200 of 9 documents", first, 0.5, 9.0, ("a", "b"))
    errors.add("en-cs", "200 of 9 documents", second, 0.5, 7.5, ("a", "b"))
    of_means, of_differences = errors.errors()
    # By hand: the mean of both in each replicate.
    both = {name: 0.5 * first[name] + 0.5 * second[name] for name in "ABC"}
    assert of_means == pytest.approx([one.std(ddof=1) for one in both.values()])
    assert of_differences[0, 2] == pytest.approx((both["A"] - both["C"]).std(ddof=1))
    # The smaller of both effective numbers of documents, less 1.
    assert errors.degrees == 6.5


@pytest.mark.parametrize(
    ("documents", "correlation"),
    [(("a", "c"), 1), (("b", "a"), 1), (("c", "d"), 0), ((), 0)],
    ids=["one in common", "another order", "none in common", "no names"],
)
def test_corpora_that_share_some_documents_count_as_wholly_correlated(documents, correlation):
    first, second = replicates(1), replicates(2)
    errors = JointErrors("ABC")
    errors.add("en-de", "200 of 20", first, 0.5, 20.0, ("a", "b"))
    errors.add("en-cs", "200 of 20", second, 0.5, 20.0, documents)
    one, other = (np.array([0.5 * some[name].std(ddof=1) for name in "ABC"]) for some in (first, second))
    # The variance of a sum of two.
    expected = np.sqrt(one**2 + other**2 + 2 * correlation * one * other)
    assert errors.errors()[0] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("documents", "size", "is_enough"),
    [((), 9, False), ((), 10, True), (("a", "b"), 2.9, False), (("a", "b"), 3, True)],
)
def test_too_few_units_have_no_error(documents, size, is_enough):
    # As in the table of a task: at least 10 segments, or 3 documents.
    errors = JointErrors("ABC")
    errors.add("en-de", "200", replicates(1), 1.0, size, documents)
    assert np.isfinite(errors.errors()[0]).all() == is_enough


def test_corpora_are_independent_of_one_another_where_both_share_documents_with_a_third():
    errors, parts = JointErrors("ABC"), [replicates(seed) for seed in (1, 2, 3)]
    for corpus, part, documents in zip(("x", "y", "z"), parts, (("a", "b"), ("b", "c"), ("c", "d")), strict=True):
        errors.add(corpus, "2 documents", part, 1.0, 9.0, documents)
    x, y, z = (np.array([part[name].std(ddof=1) for name in "ABC"]) for part in parts)
    assert errors.errors()[0] == pytest.approx(np.sqrt(x**2 + y**2 + z**2 + 2 * x * y + 2 * y * z))


def test_a_metric_without_replicates_has_no_test_and_others_keep_theirs():
    errors = JointErrors("ABC")
    errors.add("en-de", "", replicates(1, 2), 1.0)
    values = np.array([3.0, 0.0, 1.0])
    found = joint_family(values, errors, alpha=0.05, confidence_level=0.95)
    error = errors.errors()[1][0, 1]
    # One test alone: nothing to correct.
    assert found.p[0, 1] == pytest.approx(2 * stats.t.sf(3.0 / error, 199))
    assert np.isnan(found.p[2, :2]).all()
    half = stats.t.ppf(0.975, 199) * errors.errors()[0][0]
    assert (found.lower[0], found.upper[0]) == (pytest.approx(3.0 - half), pytest.approx(3.0 + half))


def test_equal_metrics_have_p_1_and_one_cluster():
    one = replicates(1)["A"]
    errors = JointErrors("AB")
    errors.add("en-de", "", {"A": one, "B": one}, 1.0)
    found = joint_family(np.array([0.5, 0.5]), errors, alpha=0.05, confidence_level=0.95)
    assert found.p[0, 1] == 1.0
    assert found.clusters.tolist() == [1, 1]


def test_p_values_are_corrected_for_all_pairs():
    errors = JointErrors("ABC")
    errors.add("en-de", "", replicates(4), 1.0)
    values = np.array([9.0, 4.0, 0.0])
    found = joint_family(values, errors, alpha=0.05, confidence_level=0.95)
    of_differences = errors.errors()[1]
    plain = sorted(
        2 * stats.t.sf(abs(values[a] - values[b]) / of_differences[a, b], 199) for a, b in ((0, 1), (0, 2), (1, 2))
    )
    # Holm: the smallest three times, the next twice, the largest once, and never less than the one before.
    expected = [3 * plain[0], max(3 * plain[0], 2 * plain[1]), max(3 * plain[0], 2 * plain[1], plain[2])]
    assert sorted([found.p[0, 1], found.p[0, 2], found.p[1, 2]]) == pytest.approx(expected)
    assert found.clusters.tolist() == [1, 2, 3]


def test_nothing_drawn_is_no_test():
    found = joint_family(np.array([0.5, 0.4]), JointErrors("AB"), alpha=0.05, confidence_level=0.95)
    assert np.isnan(found.p).all()
    assert np.isnan(found.lower).all()
    assert found.clusters.tolist() == [0, 0]


def test_undefined_replicates_leave_the_others_out_of_nothing():
    one, two = replicates(1)["A"], replicates(2)["A"]
    holes = np.where(np.arange(200) % 4 == 0, np.nan, two)
    errors = JointErrors("AB")
    errors.add("en-de", "", {"A": one, "B": holes}, 1.0)
    of_means, of_differences = errors.errors()
    defined = ~np.isnan(holes)
    assert of_means == pytest.approx([one.std(ddof=1), holes[defined].std(ddof=1)])
    assert of_differences[0, 1] == pytest.approx((one - two)[defined].std(ddof=1))


def test_a_task_without_replicates_leaves_the_error_of_the_mean_unknown():
    errors = JointErrors("AB")
    errors.add("en-de", "segments", replicates(1, 2), 0.5)
    errors.add("en-de", "", {}, 0.5)
    found = joint_family(np.array([0.5, 0.4]), errors, alpha=0.05, confidence_level=0.95)
    assert np.isnan(found.p).all()
    assert np.isnan(found.upper).all()


def test_no_metric_and_one_metric():
    assert joint_family(np.zeros(0), JointErrors(""), alpha=0.05, confidence_level=0.95).clusters.tolist() == []
    errors = JointErrors("A")
    errors.add("en-de", "", replicates(1, 1), 1.0)
    found = joint_family(np.array([0.5]), errors, alpha=0.05, confidence_level=0.95)
    assert found.clusters.tolist() == [1]
    assert found.lower[0] < 0.5 < found.upper[0]
