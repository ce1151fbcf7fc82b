from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from metaeval.components.mean_coefficient import MeanCoefficient
from metaeval.correlation.averages import coefficients_of_lines, correlate, line_coefficients, orient, summarise
from metaeval.correlation.bootstrap_intervals import Normal
from metaeval.correlation.coefficients import Pearson, Spearman
from metaeval.correlation.kendall import Kendall
from metaeval.correlation.pairwise_accuracy import PairwiseAccuracy
from tests.correlation.test_kendall import PAIRS
from tests.support.gold import stats_gold, stats_scores

RNG = np.random.default_rng(3)
METRIC, HUMAN = RNG.normal(size=(2, 5, 4))


def scipy_pearson(x, y):
    return stats.pearsonr(x, y).statistic


@pytest.mark.parametrize(
    ("average_by", "expected"),
    [
        ("item", [scipy_pearson(METRIC[d], HUMAN[d]) for d in range(5)]),
        ("system", [scipy_pearson(METRIC[:, s], HUMAN[:, s]) for s in range(4)]),
        ("none", [scipy_pearson(METRIC.ravel(), HUMAN.ravel())]),
    ],
)
def test_averages(average_by, expected):
    assert expected == pytest.approx(correlate(METRIC, HUMAN, Pearson(), average_by), abs=1e-12)


@pytest.mark.parametrize(
    ("same", "orientation", "sign"), [(True, "aligned", 1), (False, "aligned", -1), (True, "raw", 1), (False, "raw", 1)]
)
def test_only_the_aligned_coefficient_of_opposite_directions_is_turned(same, orientation, sign):
    oriented = orient(Pearson(), same_direction=same, orientation=orientation)
    assert (sign * Pearson()(METRIC, HUMAN)).tolist() == oriented(METRIC, HUMAN).tolist()


@pytest.mark.parametrize(("orientation", "expected"), [("aligned", 5 / 6), ("raw", 2 / 6)])
def test_an_accuracy_of_opposite_directions_is_that_of_the_scores_turned_round(orientation, expected):
    # Of 6 pairs, one is tied on both sides, the last goes the same way, and 4 go opposite ways. So 5 are right where a
    # low metric score is good, and 2 are right as the scores come.
    errors, human = np.array([1.0, 1, 2, 3]), np.array([9.0, 9, 3, 4])
    oriented = orient(PairwiseAccuracy(), same_direction=False, orientation=orientation)
    assert float(oriented(errors, human)) == pytest.approx(expected, abs=1e-15)


def normal(values):
    return Normal().confidence_interval(
        MeanCoefficient(coefficients=[values], coefficient=Pearson(), n_documents=3, n_systems=4)
    )


def test_summary_of_known_numbers():
    # Mean 0.3, s.d. sqrt(0.02 / 2) = 0.1, interval 0.3 -+ 1.959964 * 0.1 / sqrt(3).
    values = np.array([0.2, np.nan, 0.3, 0.4])
    summary = summarise(values, undefined="exclude")
    limits = normal(values)
    half = 1.959963984540054 * 0.1 / np.sqrt(3)

    assert (summary.n_used, summary.n_undefined) == (3, 1)
    assert [0.3, 0.1, 0.3 - half, 0.3 + half] == pytest.approx([summary.mean, summary.sd, limits.lower, limits.upper])


def test_one_value_has_no_interval():
    limits = normal(np.array([0.3]))

    assert np.isnan([limits.lower, limits.upper]).all()


def test_undefined_can_count_zero_and_is_still_counted():
    summary = summarise(np.array([0.6, np.nan]), undefined="zero")

    assert (summary.mean, summary.n_used, summary.n_undefined) == (0.3, 2, 1)


@pytest.mark.parametrize("values", [[], [np.nan, np.nan]])
def test_nothing_defined_is_undefined_not_zero(values):
    summary = summarise(np.array(values), undefined="exclude")

    assert np.isnan(summary.mean)
    assert (summary.n_used, summary.n_undefined) == (0, len(values))


@pytest.mark.parametrize("pair", PAIRS)
def test_missing_cells_equal_mt_metrics_eval(pair):
    expected = stats_gold("gold.json")["correlations"][pair]
    human, metric = (stats_scores(column).T for column in pair.split("|"))
    present = stats_scores("human_missing").T == 0
    human = np.where(present, human, np.nan)
    for name, own in (("pearson", Pearson()), ("kendall_b", Kendall())):
        for average_by, theirs in (("none", "none"), ("item", "item"), ("system", "sys")):
            values = correlate(metric, human, own, average_by, where=present)
            assert expected[f"missing_mtme_{name}_avg_{theirs}"] == pytest.approx(np.nanmean(values), abs=1e-9)


def test_cells_that_are_not_taken_play_no_part():
    metric, human = np.random.default_rng(1).normal(size=(2, 5, 4))
    where = np.ones((5, 4), bool)
    where[0, 1] = where[3] = where[4, :3] = False
    spoilt = np.where(where, metric, np.nan)
    found = correlate(spoilt, human, Pearson(), "item", where=where)
    assert found[0] == pytest.approx(Pearson()(metric[0, [0, 2, 3]], human[0, [0, 2, 3]]), abs=1e-15)
    assert found[1:3] == pytest.approx(Pearson()(metric[1:3], human[1:3]), abs=1e-15)
    assert np.isnan(found[3:]).all()
    whole = correlate(metric, human, Pearson(), "item", where=np.ones((5, 4), bool))
    assert whole.tolist() == correlate(metric, human, Pearson(), "item").tolist()


@pytest.mark.parametrize("average_by", ["item", "system", "none"])
@pytest.mark.parametrize("kind", [Pearson(), Spearman(ties="ordinal"), Kendall(), PairwiseAccuracy()], ids=repr)
@pytest.mark.parametrize("missing", ["nothing", "metric", "human"])
def test_lines_have_the_coefficients_that_each_has_alone(average_by, kind, missing):
    rng = np.random.default_rng(5)
    human = rng.integers(0, 4, (6, 5)) / 3
    scores = [rng.integers(0, 9, (n_subsets, 6, 5)) / 7 for n_subsets in (1, 3)]
    if missing != "nothing":
        {"metric": scores[1][0], "human": human}[missing][2, 3] = np.nan
    relations = [orient(kind, same_direction=same, orientation="aligned") for same in (True, False)]
    found = coefficients_of_lines([*zip(scores, relations, strict=True)], human, average_by)
    for of_line, one, relation in zip(found, scores, relations, strict=True):
        np.testing.assert_array_equal(of_line, line_coefficients(one, human, relation, average_by))
