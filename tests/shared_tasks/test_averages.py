"""Averages over the tasks of a shared task against mt-metrics-eval, their weights, and clusters by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from metaeval.correlation.multiple_tests import clusters
from metaeval.correlation.shared_task import PermutedTask
from metaeval.errors import UsageError
from metaeval.shared_tasks.averages import average_clusters, split_weights
from tests.correlation.test_permuted_task import METRICS, NAMES, task
from tests.support import tasks

SETS = {
    "WMT23": None,
    "WMT24": ("lang",),
    "WMT24.lang>level": ("lang", "level"),
    "WMT24.uniform=None": (),
    "all.level>lang>corr_fcn": ("level", "lang", "corr_fcn"),
}


def weighted(name):
    """Return the tasks of a set and their weights there."""
    rows = tasks.table("wmt_weights")
    # The weights are those of the set without a wish for any.
    rows = tasks.where(rows, task_set=name.replace(".uniform=None", ""))
    return [row["task"] for row in rows], np.array([float(row["weight"]) for row in rows])


@pytest.mark.parametrize("name", [name for name, by in SETS.items() if by is not None])
def test_weights_of_mt_metrics_eval(name):
    names, expected = weighted(name)
    attributes = [dict(zip(("corr_fcn", "level", "lang"), one.split("."), strict=True)) for one in names]
    np.testing.assert_allclose(split_weights(attributes, SETS[name]), expected, atol=1e-10, rtol=0)


def of_table(name):
    """Return the table's own values of a task, the least of its coefficient, and no draws."""
    rows = {row["metric"]: float(row["corr"]) for row in tasks.where(tasks.table("wmt_tasks"), task=name)}
    lowest = -1.0 if name.startswith("pearson") else 0.0
    return PermutedTask(np.array([rows[one] for one in METRICS]), np.full((7, 7), np.nan), np.zeros((21, 1)), lowest)


@pytest.mark.parametrize("name", list(SETS))
def test_averages_of_mt_metrics_eval(name):
    names, weights = weighted(name)
    # Values of the table, without chance, and draws of our own.
    parts = [replace(of_table(one), nulls=task(one).nulls) for one in names]
    found = average_clusters(parts, weights / weights.sum())
    for row in tasks.where(tasks.table("wmt_averages"), task_set=name):
        assert found.values[METRICS.index(row["metric"])] == pytest.approx(float(row["avg_corr"]), abs=1e-9), row
    constant = ("const", "sentinel[noref]")
    for row in tasks.where(tasks.table("wmt_averages_pvalues"), task_set=name):
        # Two constant metrics differ in soft pairwise accuracy there, by the order of systems.
        if not (row["better"] in constant and row["worse"] in constant):
            p = found.p[METRICS.index(row["better"]), METRICS.index(row["worse"])]
            assert p == pytest.approx(float(row["p_mtme"]), abs=0.06), row


def test_draws_are_added_up_by_hand():
    # Weights 1/4 and 3/4; the first stretched from -1 to 1. Values (.5 + 1) / 2 / 4 + 3/4 * .8 = .7875 and
    # (.1 + 1) / 2 / 4 + 3/4 * .6 = .5875: apart .2. Draws of the first, halved and weighted: .1 -.1, repeated for the
    # four of the second: .15 .15 -.15 .075. Sums .25 .05 -.05 -.025: one of four is at least .2.
    one = PermutedTask(np.array([0.5, 0.1]), np.full((2, 2), np.nan), np.array([[0.8, -0.8]]), -1.0)
    other = PermutedTask(np.array([0.8, 0.6]), np.full((2, 2), np.nan), np.array([[0.2, 0.2, -0.2, 0.1]]), 0.0)
    found = average_clusters([one, other], [1 / 4, 3 / 4], alpha=0.25)
    np.testing.assert_allclose(found.values, [0.7875, 0.5875])
    assert found.p[0, 1] == 1 / 4
    # At most alpha, as in shared tasks.
    assert found.clusters.tolist() == [1, 2]


def test_a_metric_without_a_value_has_no_average():
    nothing = PermutedTask(np.array([np.nan, 0.4]), np.full((2, 2), np.nan), np.zeros((1, 2)), -1.0)
    found = average_clusters([nothing], [1.0])
    np.testing.assert_array_equal(found.values, [np.nan, 0.7])
    assert found.clusters.tolist() == [0, 1]
    # Counted 0, that is 1/2 of 0 to 1.
    np.testing.assert_allclose(average_clusters([nothing], [1.0], undefined="zero").values, [0.5, 0.7])


def test_whether_p_may_equal_alpha():
    p = [[np.nan, 0.05], [1, np.nan]]
    assert clusters([0, 1], p, 0.05).tolist() == [1, 1]
    assert clusters([0, 1], p, 0.05, inclusive=True).tolist() == [1, 2]


def test_what_does_not_fit_is_refused():
    one = PermutedTask(np.array([0.5, 0.1]), np.full((2, 2), np.nan), np.zeros((1, 2)), -1.0)
    with pytest.raises(ValueError, match="same metrics"):
        average_clusters([], [])
    with pytest.raises(ValueError, match="add up to 1"):
        average_clusters([one], [0.5])
    with pytest.raises(UsageError, match="attribute of tasks"):
        split_weights([{"level": "segment"}], ["levels"])
    assert split_weights([], ["level"]).tolist() == []


def test_all_tasks_of_the_gold_are_used():
    assert {row["task"] for row in tasks.table("wmt_weights")} == set(NAMES)
