"""Shared tasks through the public way in, held against mt-metrics-eval's own figures on the synthetic test set."""

from __future__ import annotations

import math
from itertools import combinations

import pytest

import metaeval
from tests.support import tasks
from tests.support.gold import of_others

TREE = "gold/tasks/inputs/synth"
# Their names of coefficients, and ours.
COEFFICIENTS = {
    "accuracy": "pairwise-accuracy",
    "pearson": "pearson",
    "KendallWithTiesOpt": "acc_eq",
    "pce": "soft-pairwise-accuracy",
}
# Draws of theirs; what rests on as many of ours differs by chance.
DRAWS = 1000
CONFIG = """
title = "Tasks"
corpora = []
metrics = ['precomputed:*(system="stored",missing="zero")']
criteria = ["mqm"]
references.names = ["refA"]
judgments.require = "any"
filter.humans = ["*"]
uncertainty.n_resamples = 60
figures = []

[ranking]
permutations = 0
primary = ["neural", "qe", "partial", "const"]
baselines = ["lexic", "ter", "sentinel"]

[[tasks]]
together = true
coefficient = "pairwise-accuracy"
judgments.rule = "stored"

[[tasks]]
coefficient = "pearson"
judgments.rule = "stored"

[[tasks]]
level = "segment"
coefficient = "pearson"
average_by = "none"

[[tasks]]
level = "segment"
coefficient = "acc_eq"
average_by = "item"

[by_corpus.cs-uk]
criteria = ["esa"]

[by_corpus.en-de]
filter.without = ["OUT"]
"""
SOFT = """
[[tasks]]
coefficient = 'soft-pairwise-accuracy(tails="wmt")'
judgments.require = "all"
"""


def run(directory, text=CONFIG, *overrides):
    path = directory / "tasks.toml"
    path.write_text(text, encoding="utf-8")
    return metaeval.run(path, corpora=of_others(TREE), overrides=overrides, output=directory / "run")


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    return run(tmp_path_factory.mktemp("gold"), CONFIG + SOFT, f"ranking.permutations={DRAWS}").data.tables


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    return run(tmp_path_factory.mktemp("plain")).data.tables


def of_task(name, rows):
    """Return our rows of one of their tasks, such as ``pearson.seg.en-de``, by metric."""
    coefficient, level, pair = name.split(".")
    found = {
        row.metric: row
        for row in rows
        if row.coefficient == COEFFICIENTS[coefficient]
        and row.level == {"sys": "system", "seg": "segment"}[level]
        and row.corpora == {"all": "cs-uk, en-de, ja-zh"}.get(pair, pair)
    }
    assert found
    return found


def theirs():
    """Return their values and clusters by task and metric."""
    found: dict[str, dict[str, tuple[float, int]]] = {}
    for row in tasks.table("wmt_tasks"):
        found.setdefault(row["task"], {})[row["metric"]] = float(row["corr"]), int(row["cluster"])
    assert len(found) == 13
    return found


@pytest.mark.parametrize("name", sorted(theirs()))
def test_values_and_ranks_of_all_metrics(name, found):
    ours, expected = of_task(name, found.tasks), theirs()[name]
    # Soft pairwise accuracy is random: .006, and .008 for scores of one decimal; nothing is known of constant scores.
    tolerance = {"pce": 0.008}.get(name.partition(".")[0], 1e-9)
    for metric, (value, _) in expected.items():
        if math.isnan(ours[metric].value):
            assert (ours[metric].missing, value, ours[metric].rank) == ("undefined", 0.0, None)
        elif tolerance < 1e-6 or metric not in ("const", "sentinel[noref]"):
            assert ours[metric].value == pytest.approx(value, abs=tolerance)
    ranked = sorted((row for row in ours.values() if row.rank), key=lambda row: row.rank)
    if tolerance < 1e-6:
        assert [row.metric for row in ranked] == [one for one in expected if ours[one].rank]


@pytest.mark.parametrize("name", sorted(theirs()))
def test_clusters_where_chance_decides_nothing(name, found):
    ours = of_task(name, found.tasks)
    # Soft accuracies are random themselves, and so is their order.
    if name.startswith("pce") or any(row["task"] == name and near(row) for row in tasks.table("wmt_pvalues")):
        assert all(row.cluster for row in ours.values() if row.rank and row.metric not in CONSTANT)
        return
    expected = {one: cluster for one, (_, cluster) in theirs()[name].items() if one not in CONSTANT}
    assert {one: ours[one].cluster for one in expected} == expected


# The same score for all systems of a segment; a constant metric has no test here, and an artefact there.
CONSTANT = ("const", "sentinel[noref]")


def near(row):
    """Return whether p is less than four standard errors from 0.05, for one of the metrics that are compared here."""
    if not row["p_own_20000_draws"] or {row["better"], row["worse"]} & set(CONSTANT):
        return False
    p = float(row["p_own_20000_draws"])
    return abs(p - 0.05) < 4 * math.sqrt(max(p * (1 - p), 1e-6) * (1 / DRAWS + 1 / 20000)) + 1e-9


def test_some_clusters_are_held_against_theirs():
    decided = {row["task"] for row in tasks.table("wmt_pvalues")} - {
        row["task"] for row in tasks.table("wmt_pvalues") if near(row) or row["task"].startswith("pce")
    }
    assert len(decided) >= 4


def test_p_values_of_the_published_test(found):
    expected = {(row["task"], row["better"], row["worse"]): row for row in tasks.table("wmt_pvalues")}
    checked = 0
    for name in theirs():
        title = next(iter(of_task(name, found.tasks).values())).task
        for test in (one for one in found.task_tests if one.task == title):
            row = expected.get((name, test.better, test.worse))
            if row is None or not row["p_own_20000_draws"] or math.isnan(test.p):
                continue
            p, draws = float(row["p_own_20000_draws"]), 100 if name.startswith("pce") else DRAWS
            # Where soft accuracies stop early, they have as few draws as theirs; they have errors of their own besides.
            more = 0.02 if name.startswith("pce") else 0.0
            assert test.p == pytest.approx(p, abs=4 * math.sqrt(p * (1 - p) * (1 / draws + 1 / 20000)) + 2e-3 + more)
            checked += 1
    assert checked > 120


def test_weights_and_averages_of_the_tasks_of_2023(plain):
    weights = {row["task"]: float(row["weight"]) for row in tasks.where(tasks.table("wmt_weights"), task_set="WMT23")}
    for name, weight in weights.items():
        (ours,) = {row.weight for row in of_task(name, plain.tasks).values()}
        assert ours == pytest.approx(weight, abs=1e-9)
    expected = tasks.where(tasks.table("wmt_averages"), task_set="WMT23")
    ours = {row.metric: row for row in plain.averages}
    for row in expected:
        if row["metric"] not in CONSTANT:
            assert ours[row["metric"]].average_correlation == pytest.approx(float(row["avg_corr"]), abs=1e-9)
        else:
            # They count what is undefined as 0.
            assert math.isnan(ours[row["metric"]].average_correlation)
            assert ours[row["metric"]].missing


def test_average_ranks_are_weighted_clusters(found):
    rows: dict[str, list] = {}
    for row in found.tasks:
        rows.setdefault(row.metric, []).append(row)
    checked = 0
    for average in found.averages:
        of_metric = rows[average.metric]
        if all(row.cluster for row in of_metric) and average.n_tasks == 13:
            assert average.average_rank == pytest.approx(sum(row.weight * row.cluster for row in of_metric), abs=1e-12)
            checked += 1
    assert checked >= 4


def test_without_permutations_ranks_are_plain_and_clusters_are_not_made(plain):
    assert {row.cluster for row in plain.tasks} == {None}
    ranked = [row for row in plain.tasks if row.rank]
    assert {row.rank for row in ranked} == set(range(1, 8))
    best = plain.averages[0]
    own = [row for row in ranked if row.metric == best.metric]
    assert best.average_rank == pytest.approx(sum(row.weight * row.rank for row in own), abs=1e-12)


def test_weights_are_split_over_attributes_in_turn(tmp_path):
    text = CONFIG.replace("permutations = 0", 'permutations = 0\nweights_by = ["level", "corpora", "coefficient"]')
    rows = run(tmp_path, text + SOFT).data.tables.tasks
    for row in tasks.where(tasks.table("wmt_weights"), task_set="all.level>lang>corr_fcn"):
        (ours,) = {one.weight for one in of_task(row["task"], rows).values()}
        assert ours == pytest.approx(float(row["weight"]), abs=1e-9)


def test_a_metric_that_lacks_systems_is_shown_and_not_ranked(tmp_path):
    text = CONFIG.replace(',missing="zero"', "")
    tables = run(tmp_path, text).data.tables
    lacking = {row.task: row for row in tables.tasks if row.metric == "partial"}
    assert len(lacking) == 10
    assert lacking["en-de, system, pearson"].missing == "no scores of 's07'"
    assert lacking["ja-zh, system, pearson"].missing == "no scores of 's02', 's10'"
    assert lacking["en-de, system, pearson"].rank is None
    # README of the gold: .96 without the system, .51 where it counts 0.
    assert lacking["en-de, system, pearson"].value == pytest.approx(0.96, abs=0.005)
    assert lacking["cs-uk, system, pearson"].missing == ""
    average = next(row for row in tables.averages if row.metric == "partial")
    assert (average.n_tasks, math.isnan(average.average_correlation)) == (3, True)
    assert "ja-zh, segment, acc_eq, item" in average.missing


KOCMI = """
[[tasks]]
title = "all"
together = true
coefficient = "pairwise-accuracy"
judgments.rule = "stored"

[[tasks]]
title = "{title}"
together = true
judgments.rule = "stored"
coefficient = [{coefficients}]
"""


@pytest.mark.parametrize(("test", "column"), [("rank-sum", "ranksum"), ("signed-rank", "wilcoxon_signed")])
def test_accuracy_on_the_pairs_that_people_tell_apart(test, column, tmp_path):
    alphas = ("0.05", "0.01", "0.001")
    names = [f'pairwise-accuracy(pairs="human-significant",human_test="{test}",alpha={alpha})' for alpha in alphas]
    head = CONFIG.partition("[[tasks]]")[0]
    tail = "[by_corpus" + CONFIG.partition("[by_corpus")[2]
    text = head + KOCMI.format(title="some", coefficients=", ".join(f"'{name}'" for name in names)) + tail
    rows = run(tmp_path, text).data.tables.tasks
    checked = 0
    for row in tasks.table("kocmi_accuracy"):
        for name, alpha in [("pairwise-accuracy", None), *zip(names, alphas, strict=True)]:
            asked = ("none", 1.0) if alpha is None else (column, float(alpha))
            if (row["human_filter"], float(row["alpha"])) == asked:
                ours = next(one for one in rows if (one.coefficient, one.metric) == (name, row["metric"]))
                assert ours.n == int(row["pairs"])
                assert ours.value == pytest.approx(int(row["agree"]) / int(row["pairs"]), abs=1e-12)
                checked += 1
    assert checked == 28


def test_pairs_are_compared_once(plain):
    for title in {row.task for row in plain.tasks}:
        order = sorted((row for row in plain.tasks if row.task == title and row.rank), key=lambda row: row.rank)
        expected = [(one.metric, other.metric) for one, other in combinations(order, 2)]
        of_it = [row for row in plain.task_tests if row.task == title]
        assert [(row.better, row.worse) for row in of_it] == expected
        assert all(row.difference >= -1e-12 for row in of_it)
