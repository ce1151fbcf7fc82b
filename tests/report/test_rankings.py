"""The rankings of a run, from rows made by hand."""

from __future__ import annotations

import math

from metaeval.datamodel.corpus import CONSTANT
from metaeval.report.rankings import JOINT, ranked_rows, rankings_of
from tests.support.results import correlation, key_of, ranking, run_of, task_score, task_test, test_result

NAN = float("nan")


def ranks(method="bootstrap", over="replicates", **stars):
    return [
        ranking(method=method, over=over, metric=name, top_cluster=p >= 0.05, p_worse=p, cluster=1 + (p < 0.05))
        for name, p in stars.items()
    ]


def test_metrics_stand_from_the_best_to_the_worst_with_star_and_the_p_it_rests_on():
    rows = [correlation(mean, metric=name) for name, mean in {"C": 0.3, "A": 0.75, "B": 0.5}.items()]
    # The difference of A and B is that on the documents where both have a coefficient.
    tests = [test_result("B", "A", difference=-0.2), test_result("A", "C", difference=0.45), test_result("B", "C")]
    (found,) = rankings_of(run_of(*rows, tests=tests, rankings=ranks(A=1.0, B=0.3, C=0.01)))
    assert [(one.metric, one.rank, one.star, one.p, one.cluster) for one in found.metrics] == [
        ("A", 1, True, 1.0, 1),
        ("B", 2, True, 0.3, 1),
        ("C", 3, False, 0.01, 2),
    ]
    assert [one.difference for one in found.metrics] == [0.0, 0.2, 0.45]
    assert found.starred == ("A", "B")
    assert found.key == key_of(metric="")
    assert (found.method, found.over, found.is_tested) == ("bootstrap", "replicates", True)


def test_equal_values_share_a_rank_and_what_lacks_a_system_has_none():
    rows = [correlation(mean, metric=name) for name, mean in {"A": 0.5, "B": 0.5, "C": 0.4, "D": NAN}.items()]
    rows.append(correlation(0.9, metric="E", n_systems=7))
    rows.append(correlation(0.6, metric=CONSTANT))
    (found,) = rankings_of(run_of(*rows))
    assert [(one.metric, one.rank) for one in found.metrics] == [("A", 1), ("B", 1), ("C", 3), ("D", None), ("E", None)]
    assert found.constant is not None
    assert found.constant.value == 0.6
    assert found.starred == ()
    assert found.star_words == ""


def test_a_test_decides_wherever_there_is_one_and_else_intervals_do():
    rows = [correlation(mean, metric=name) for name, mean in {"A": 0.75, "B": 0.5}.items()]
    by_intervals = ranks("intervals", "", A=NAN, B=NAN)
    by_intervals = [ranking(metric=name, top_cluster=True) for name in "AB"]
    (found,) = rankings_of(run_of(*rows, rankings=by_intervals))
    assert found.starred == ("A", "B")
    assert found.star_words == "the confidence interval overlaps with that of the best"
    tests = [test_result("A", "B", 0.01)]
    (found,) = rankings_of(run_of(*rows, tests=tests, rankings=[*by_intervals, *ranks(A=1.0, B=0.01)]))
    assert found.starred == ("A",)
    assert found.star_words == "not significantly worse than the best"


def test_each_row_of_correlations_has_its_metric_of_the_ranking():
    rows = [correlation(0.3, metric="C"), correlation(0.75, metric="A"), correlation(0.9, metric="A", length=20)]
    judges = correlation(0.9, metric="inter-judge", preprocessing="")
    found = ranked_rows(run_of(*rows, judges))
    assert [one and (one.metric, one.rank, one.value) for one in found] == [
        ("C", 2, 0.3),
        ("A", 1, 0.75),
        ("A", 1, 0.9),
        None,
    ]


def test_a_task_has_the_published_rank_and_cluster_and_the_star_of_the_joint_tests():
    rows = [
        task_score("t", "A", 0.75, rank=1, cluster=1, p_worse=1.0),
        task_score("t", "B", 0.5, rank=2, cluster=2, p_worse=0.05),
        task_score("t", "C", 0.25, rank=3, cluster=2, p_worse=0.04),
        task_score("t", "D", NAN, rank=None, cluster=None, missing="no scores"),
    ]
    (found,) = rankings_of(run_of(tasks=rows, task_tests=[task_test("t", "A", "B", p_joint=0.05)]))
    assert found.task == "t"
    assert [(one.metric, one.rank, one.cluster, one.star) for one in found.metrics] == [
        ("A", 1, 1, True),
        ("B", 2, 2, True),
        ("C", 3, 2, False),
        ("D", None, None, False),
    ]
    assert [one.difference for one in found.metrics[:3]] == [0.0, 0.25, 0.5]
    assert math.isnan(found.metrics[3].p)
    assert found.method == JOINT
