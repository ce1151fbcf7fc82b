"""Corrections, clusters and equals of the best against scipy, the papers' statements, hand examples, and laws."""

from __future__ import annotations

import csv
import re

import numpy as np
import pytest
import scipy.stats
from hypothesis import assume, given
from hypothesis import strategies as st

from metaeval.components.registries import CORRECTIONS
from metaeval.correlation.multiple_tests import (
    against_best,
    benjamini_hochberg,
    clusters,
    holm,
    minimum_significant_difference,
    top_cluster_by_intervals,
)
from metaeval.errors import UsageError
from tests.support.gold import of_others

chances = st.floats(0, 1)


def test_holm_by_hand():
    # Sorted 0.01, 0.03, 0.04 times 3, 2, 1 gives 0.03, 0.06, 0.04; a later one is never smaller: 0.03, 0.06, 0.06.
    assert holm([0.03, 0.01, 0.04]) == pytest.approx([0.06, 0.03, 0.06], abs=1e-15)
    assert holm([]).tolist() == []


def test_benjamini_and_hochberg_by_hand():
    # Sorted 0.01, 0.03, 0.04, 0.5 times 4/1, 4/2, 4/3, 4/4: 0.04, 0.06, 0.0533, 0.5; an earlier one is never greater
    # than a later: 0.04, 0.0533, 0.0533, 0.5.
    assert benjamini_hochberg([0.03, 0.5, 0.01, 0.04]) == pytest.approx([4 / 75, 0.5, 0.04, 4 / 75], abs=1e-15)
    assert benjamini_hochberg([]).tolist() == []


@pytest.mark.parametrize("correction", ["holm", "benjamini-hochberg"])
def test_what_could_not_be_tested_is_not_in_the_family(correction):
    # Two hypotheses: Holm 0.01 * 2 and 0.04 * 1; Benjamini and Hochberg 0.01 * 2 / 1 and 0.04 * 2 / 2.
    own = CORRECTIONS[correction]()([0.04, np.nan, 0.01])
    assert own[[0, 2]] == pytest.approx([0.04, 0.02], abs=1e-15)
    assert np.isnan(own[1])
    assert np.isnan(CORRECTIONS[correction]()([np.nan, np.nan])).all()


@given(st.lists(chances, min_size=1, max_size=30))
def test_benjamini_and_hochberg_equal_scipy(p):
    np.testing.assert_allclose(benjamini_hochberg(p), scipy.stats.false_discovery_control(p, method="bh"), atol=1e-14)


def test_against_the_best_by_hand():
    # Three metrics, the best first: p is 0.02 (first, second), 0.001 (first, third), 0.04 (second, third). Each has
    # two rivals: times 2 is 0.04, 0.002, 0.08; Holm gives 0.04, 0.003, 0.04, and the smaller counts.
    p = np.array([[np.nan, 0.02, 0.001], [1, np.nan, 0.04], [1, 1, np.nan]])
    corrected = np.array([[np.nan, 0.04, 0.003], [1, np.nan, 0.04], [1, 1, np.nan]])
    expected = np.array([[np.nan, 0.04, 0.002], [1, np.nan, 0.04], [1, 1, np.nan]])
    np.testing.assert_allclose(against_best(p, corrected), expected)
    # Of two metrics it is the test itself.
    two = np.array([[np.nan, 0.03], [1, np.nan]])
    np.testing.assert_allclose(against_best(two, two), two)


def test_a_truly_best_metric_is_rarely_left_out_among_many():
    # Scores of 30 equal metrics, each with the error 1, of which any may be called the best.
    rng = np.random.default_rng(5)
    left_out = []
    for _ in range(1000):
        scores = rng.normal(size=30)
        z = (scores[:, None] - scores[None, :]) / np.sqrt(2)
        p = np.where(z > 0, 2 * scipy.stats.norm.sf(np.abs(z)), 1.0)
        np.fill_diagonal(p, np.nan)
        above = np.triu_indices(30, 1)
        corrected = np.full((30, 30), np.nan)
        of_pairs = holm(np.minimum(p, p.T)[above])
        corrected[above] = corrected.T[above] = of_pairs
        corrected[(p == 1) & ~np.isnan(p)] = 1.0
        left_out.append(np.nanmin(against_best(p, corrected), axis=0)[0] < 0.05)
    # 5 % at most; 71 of 1000 or more would have a chance of 1 in 700.
    assert np.sum(left_out) < 71


@given(st.lists(chances, min_size=1, max_size=30), st.floats(0, 0.99))
def test_holm_rejects_what_its_steps_reject(p, alpha):
    # The procedure itself: from the smallest on, reject while p <= alpha / (hypotheses left).
    rejected = set()
    for step, place in enumerate(np.argsort(p, kind="stable").tolist()):
        left = len(p) - step
        assume(abs(p[place] * left - alpha) > 1e-9)  # at the limit rounding decides
        if p[place] * left > alpha:
            break
        rejected.add(place)
    assert set(np.flatnonzero(holm(p) <= alpha).tolist()) == rejected


@given(st.lists(chances, min_size=1, max_size=20), st.randoms(use_true_random=False))
def test_laws_of_corrections(p, shuffler):
    order = list(range(len(p)))
    shuffler.shuffle(order)
    for function in (holm, benjamini_hochberg):
        own = function(p)
        assert ((own >= p) & (own <= 1)).all()
        np.testing.assert_array_equal(function([p[place] for place in order]), own[order])
    assert (benjamini_hochberg(p) <= holm(p) + 1e-15).all()
    np.testing.assert_array_equal(CORRECTIONS["none"]()(p), p)


def upper_triangle(*entries: float) -> np.ndarray:
    """Return a matrix of p-values, row better than column, from the entries above the diagonal, row by row."""
    n = int((1 + np.sqrt(1 + 8 * len(entries))) / 2)
    matrix = np.full((n, n), np.nan)
    matrix[np.triu_indices(n, 1)] = entries
    return matrix


@pytest.mark.parametrize(
    ("p", "expected"),
    [
        # The cases of mt-metrics-eval (68a481a) for its AssignRanks: 0 is significant, 1 is not.
        (upper_triangle(1, 1, 1, 1, 1, 1), [1, 1, 1, 1]),
        (upper_triangle(1, 0, 1, 1, 1, 1), [1, 1, 2, 2]),
        (upper_triangle(0, 1, 1, 1, 1, 0), [1, 2, 2, 3]),
        (upper_triangle(0, 0, 0, 0, 0, 0), [1, 2, 3, 4]),
        # Only B beats C; only A beats C: other rules put the three together.
        (upper_triangle(1, 1, 0), [1, 1, 2]),
        (upper_triangle(1, 0, 1), [1, 1, 2]),
        # A beats C and D, but C opened a cluster of its own, and does not beat D.
        (upper_triangle(1, 0, 0, 1, 1, 1), [1, 1, 2, 2]),
        # What could not be tested beats nobody.
        (upper_triangle(np.nan, np.nan, 0), [1, 1, 2]),
        (np.zeros((1, 1)), [1]),
        (np.zeros((0, 0)), []),
    ],
)
def test_clusters_by_hand(p, expected):
    assert clusters(range(len(p)), p, 0.05).tolist() == expected


def test_clusters_follow_the_order_and_read_one_side_only():
    # Metric 2 is best, then 0, then 1; 2 beats 1. What stands for the pairs the other way round is not read.
    p = np.zeros((3, 3))
    p[2, 0], p[2, 1], p[0, 1] = 0.6, 0.01, 0.2
    assert clusters([2, 0, 1], p, 0.05).tolist() == [1, 2, 1]
    # Significant is below alpha, not at it.
    assert clusters([2, 0, 1], p, 0.01).tolist() == [1, 1, 1]


@given(st.integers(1, 8).flatmap(lambda n: st.lists(chances, min_size=n * n, max_size=n * n)), chances)
def test_laws_of_clusters(entries, alpha):
    n = int(np.sqrt(len(entries)))
    p = np.array(entries).reshape(n, n)
    own = clusters(range(n), p, alpha)
    beats = np.triu(p < alpha, 1)

    assert own[0] == 1
    assert set(np.diff(own).tolist()) <= {0, 1}
    assert not beats[own[:, None] == own].any()
    for first in np.flatnonzero(np.diff(own)) + 1:
        assert beats[own == own[first] - 1, first].any()


def table(criterion: str, preprocessing: str, coefficient: str) -> dict[str, tuple[float, float, float]]:
    """Return value and limits of each metric from Lin and Och (2004), table 1."""
    with of_others("published/lin_och_2004_table1.tsv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    found = {
        row["metric"]: (float(row["value"]), float(row["lower95"]), float(row["upper95"]))
        for row in rows
        if (row["criterion"], row["condition"], row["coefficient"]) == (criterion, preprocessing, coefficient)
    }
    assert len(found) == 15
    return found


def equals(rows: dict[str, tuple[float, float, float]]) -> set[str]:
    """Return the metrics that are the best or its equals."""
    return {
        name
        for name, equal in zip(rows, top_cluster_by_intervals(*zip(*rows.values(), strict=True)), strict=True)
        if equal
    }


def test_statements_of_lin_and_och():
    adequacy = table("adequacy", "stem", "pearson")
    assert max(adequacy, key=lambda name: adequacy[name][0]) == "ROUGE-S*"
    # BLEU4 and BLEU12 lie significantly below; ROUGE-L is indistinguishable from the best.
    assert not equals(adequacy) & {"BLEU4", "BLEU12", "WER", "PER", "ROUGE-W", "ROUGE-S0", "GTM20", "GTM30"}
    assert equals(adequacy) >= {"ROUGE-S*", "ROUGE-L", "ROUGE-S4", "ROUGE-S9", "GTM10"}
    # In fluency with case, all are indistinguishable from the best but WER and GTM 1.0. BLEU12, ROUGE-S0 and GTM30
    # share the printed best, .87; the interval of BLEU12 alone, which the text calls the highest, leaves out WER only.
    fluency = table("fluency", "case", "pearson")
    assert set(fluency) - equals(fluency) == {"WER", "GTM10"}
    # Among ROUGE-L, S*, S4 and S9, L is best by Spearman, and by Pearson the equal of the best.
    for criterion, preprocessing in (("adequacy", "stem"), ("fluency", "case")):
        names = ("ROUGE-L", "ROUGE-S*", "ROUGE-S4", "ROUGE-S9")
        ranked = {name: row for name, row in table(criterion, preprocessing, "spearman").items() if name in names}
        assert ranked["ROUGE-L"][0] == max(row[0] for row in ranked.values())
        assert "ROUGE-L" in equals(
            {name: row for name, row in table(criterion, preprocessing, "pearson").items() if name in names}
        )


def test_equals_of_the_best_by_hand():
    # The best is .9 [.8, 1]: .85 [.7, .8] touches it, .7 [.6, .79] does not; undefined is no equal.
    values, lower, upper = [0.85, 0.9, 0.7, np.nan, 0.95], [0.7, 0.8, 0.6, 0.0, np.nan], [0.8, 1.0, 0.79, 1.0, 1.0]
    assert top_cluster_by_intervals(values, lower, upper).tolist() == [True, True, False, False, False]
    # Two best: the third overlaps with the wide interval of the first, not with that of the second.
    assert top_cluster_by_intervals([0.9, 0.9, 0.8], [0.5, 0.88, 0.75], [0.95, 0.92, 0.85]).tolist() == [
        True,
        True,
        False,
    ]
    # A lower value can have the higher limits, so that its interval lies above.
    assert top_cluster_by_intervals([0.9, 0.8], [0.5, 0.92], [0.91, 0.95]).tolist() == [True, False]
    assert top_cluster_by_intervals([np.nan], [0.0], [1.0]).tolist() == [False]
    assert top_cluster_by_intervals([], [], []).tolist() == []


@pytest.mark.parametrize(
    ("differences", "p", "expected"),
    [
        # Signs do not matter: .3 and .2 are significant, .15 is not, so .1 does not count though it is.
        ([0.1, -0.2, 0.3, 0.15], [0.01, 0.04, 0.001, 0.2], 0.2),
        # Two of .2, one of them not significant: they fall together.
        ([0.2, 0.2, -0.3], [0.01, 0.2, 0.01], 0.3),
        ([0.1 + 0.2, 0.3, 0.4], [0.01, 0.2, 0.01], 0.4),  # .1 + .2 is .3 but for rounding
        ([0.1, 0.2], [0.01, 0.01], 0.1),
        ([0.1, 0.2], [0.01, 0.05], np.inf),  # p < alpha, not p <= alpha
        ([0.0], [1.0], np.inf),
        ([0.1, np.nan, 0.2, 0.3], [0.01, 0.9, np.nan, 0.01], 0.1),  # two pairs were compared
        ([np.nan], [np.nan], np.nan),
        ([], [], np.nan),
    ],
)
def test_minimum_significant_differences_by_hand(differences, p, expected):
    assert minimum_significant_difference(differences, p, 0.05) == pytest.approx(expected, abs=1e-15, nan_ok=True)


@given(st.lists(st.tuples(st.integers(-9, 9), st.sampled_from([0.01, 0.2, np.nan])), max_size=12))
def test_the_minimum_significant_difference_is_what_a_plain_search_finds(pairs):
    differences, p = [size / 8 for size, _ in pairs], [chance for _, chance in pairs]
    compared = [(abs(size), chance) for size, chance in zip(differences, p, strict=True) if chance == chance]
    holds = [size for size, _ in compared if all(chance < 0.05 for other, chance in compared if other >= size)]
    expected = min(holds, default=np.inf if compared else np.nan)
    own = minimum_significant_difference(differences, p, 0.05)
    assert expected == pytest.approx(own, abs=0, nan_ok=True)


def test_refusals():
    assert tuple(CORRECTIONS) == ("holm", "benjamini-hochberg", "none")
    with pytest.raises(UsageError, match=r"unknown correction 'bonferroni'\. Known corrections: 'holm'"):
        CORRECTIONS.named("bonferroni")
    for correction in CORRECTIONS:
        with pytest.raises(ValueError, match=r"must be from 0 to 1; got 1\.5"):
            CORRECTIONS[correction]()([0.1, 1.5, np.nan])
        with pytest.raises(ValueError, match=r"must be a vector; got the shape \(1, 2\)"):
            CORRECTIONS[correction]()([[0.1, 0.2]])
    with pytest.raises(ValueError, match=re.escape("`p` must be (2, 2) for 2 metrics; got the shape (3, 3)")):
        clusters([0, 1], np.zeros((3, 3)), 0.05)
    with pytest.raises(ValueError, match=re.escape("`order` must hold each of 0 to 1 once; got [1, 1]")):
        clusters([1, 1], np.zeros((2, 2)), 0.05)
    with pytest.raises(ValueError, match=r"`lower` must not be above `upper`; got 0\.6 and 0\.5 at index 1"):
        top_cluster_by_intervals([0.5, 0.55], [0.4, 0.6], [0.6, 0.5])
    with pytest.raises(ValueError, match="vectors of equal length"):
        top_cluster_by_intervals([0.5], [0.4, 0.6], [0.6, 0.5])
    with pytest.raises(ValueError, match="vectors of equal length"):
        minimum_significant_difference([0.5], [0.4, 0.6], 0.05)
