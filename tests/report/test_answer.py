"""The answer of a run with several settings, from rows made by hand."""

from __future__ import annotations

import numpy as np
import pytest

from metaeval.comparison.terminal import brief_text
from metaeval.records import CONSTANT
from metaeval.report.answer import answers_of
from metaeval.report.places import places_of
from metaeval.report.rankings import rankings_of
from metaeval.results.keys import DocumentKind
from metaeval.results.model import RunData
from metaeval.results.rows import BEST_OF_CHANCE, Ceiling
from tests.support.grids import made_grid
from tests.support.results import correlation, key_of, ranking, run_of, test_result

LENGTHS = (5, 10)


def run(means, tests=(), *, over=True, chance=None, p_worse=0.01):
    """Return a run with the same coefficients, and tests (metric, metric, p), at two lengths of documents."""
    rows, of_tests, rankings, ceiling = [], [], [], []
    for length in LENGTHS:
        rows += [correlation(mean, metric=name, length=length, replicates_used=500) for name, mean in means.items()]
        at = length if over else None
        of_tests += [test_result(a, b, p, key=key_of(length=at)) for a, b, p in tests]
        rankings += [
            ranking(method="bootstrap", over="replicates", metric=name, length=length, p_worse=p_worse)
            for name in means
        ]
        if chance is not None:
            ceiling += [Ceiling(key_of(metric="", length=length), BEST_OF_CHANCE, 0.0, upper=chance)]
    return run_of(*rows, tests=of_tests, rankings=rankings, ceiling=ceiling)


def test_the_best_is_clear_only_where_it_is_better_than_each_other_metric():
    # C is worse than B for sure, but not than A, which is the best: no metric is better than all others.
    undecided = run({"A": 0.9, "B": 0.8, "C": 0.7}, [("A", "B", 0.4), ("A", "C", 0.3), ("B", "C", 0.001)])
    of = "adequacy, pearson: highest coefficient in 2 settings (document length)"
    assert answers_of(undecided) == [f"{of}: A in 2; significantly better than all others in 0 of 2."]
    clear = run({"A": 0.9, "B": 0.8}, [("A", "B", 0.01)])
    assert answers_of(clear) == [f"{of}: A in 2; significantly better than all others in 2 of 2."]


def test_a_panel_of_one_coefficient_goes_without_its_name():
    rows = [correlation(0.9, metric="A", panel="system, pearson")]
    rows += [correlation(0.8, metric="A", panel="segment, kendall", coefficient="kendall")]
    assert answers_of(run_of(*rows)) == [
        "system, pearson: A is the only metric.",
        "segment, kendall: A is the only metric.",
    ]
    rows += [correlation(0.7, metric="A", panel="segment, kendall", coefficient="spearman")]
    assert answers_of(run_of(*rows))[2] == "segment, kendall: spearman: A is the only metric."


def test_two_metrics_share_the_highest_coefficient():
    tied = [correlation(0.5, metric="A"), correlation(0.5, metric="B"), correlation(0.4, metric="C")]
    (told,) = answers_of(run_of(*tied))
    assert told == "A and B share the highest coefficient with adequacy (0.50); nothing was tested."
    (told,) = answers_of(run_of(tied[1], tied[2]))
    assert told == "B has the highest coefficient with adequacy (0.50); nothing was tested."


def test_one_metric_is_no_winner():
    alone = run({"A": 0.9}, [("A", "constant", 0.001)])
    assert answers_of(alone) == ["adequacy, pearson: A is the only metric, in 2 settings (document length)."]


def test_coefficients_within_those_of_exchanged_systems_win_nothing():
    noise = run({"A": 0.3, "B": 0.2}, [("A", "B", 0.01)], chance=0.6)
    assert answers_of(noise) == [
        "adequacy, pearson: no metric is shown to agree in any of 2 settings (document length)."
    ]


def said_of_the_third(p, p_worse, p_of_second=0.2):
    """Return what is said of the third of three metrics, and its star.

    By its corrected p against the best and the second, and by Hsu's p that it is as good as any.
    """
    rows = [correlation(mean, metric=name) for name, mean in {"A": 0.9, "B": 0.8, "C": 0.7}.items()]
    tests = [test_result("A", "B", 0.6), test_result("A", "C", p), test_result("B", "C", p_of_second)]
    stars = {"A": 1.0, "B": 0.6, "C": p_worse}
    rankings = [
        ranking(method="bootstrap", over="replicates", metric=name, p_worse=one, top_cluster=one >= 0.05)
        for name, one in stars.items()
    ]
    found = run_of(*rows, tests=tests, rankings=rankings)
    (place,) = places_of(found)
    (told,) = answers_of(found)
    return told, place.mark("C")


def test_a_metric_is_said_to_be_worse_by_p_that_is_corrected_for_all_pairs():
    for p, is_worse in ((0.001, True), (0.03, True), (0.0499, True), (0.05, False), (0.2, False)):
        told, _ = said_of_the_third(0.2, 0.001, p)
        assert ("Significantly worse" in told) == is_worse, p
        told, _ = said_of_the_third(p, 0.001)
        assert told.startswith("A agrees better with adequacy than C (0.90 against 0.70") == is_worse, p
    told, _ = said_of_the_third(0.2, 0.001, 0.004)
    assert told == (
        "Significantly worse than some other metric, and so not the best: C (0.70 against 0.80 of B, p = 0.004); no "
        "significant difference in agreement with adequacy between A and B (0.90 against 0.80, p = 0.600)."
    )


def test_what_lacks_a_star_alone_is_not_said_to_be_worse():
    # A star is of one metric by itself: of many metrics that know nothing, some lack theirs.
    for p_worse, star in ((0.001, ""), (0.0499, ""), (0.05, "*"), (0.2, "*")):
        assert said_of_the_third(0.2, p_worse) == (
            "No significant difference in agreement with adequacy between A and either of B (0.90 against 0.80, p = "
            "0.600) and C (0.90 against 0.70, p = 0.200).",
            star,
        )


def test_the_rival_that_is_named_is_the_one_of_the_smallest_p():
    rows = [correlation(mean, metric=name) for name, mean in {"A": 0.9, "B": 0.8, "D": 0.75, "C": 0.7}.items()]
    # C is worse than D with the smaller p, and than B; that it is better than B in a pair counts for nothing.
    tests = [test_result(a, "C", p) for a, p in (("A", 0.2), ("B", 0.03), ("D", 0.01))]
    tests += [test_result("A", "B", 0.5), test_result("A", "D", 0.5), test_result("D", "B", 0.001, difference=-0.1)]
    rankings = [ranking(method="bootstrap", over="replicates", metric=name, p_worse=1.0) for name in "ABCD"]
    (told,) = answers_of(run_of(*rows, tests=tests, rankings=rankings))
    assert told.startswith(
        "Significantly worse than some other metric, and so not the best: D (0.75 against 0.80 of B, p = 0.001) and C "
        "(0.70 against 0.75 of D, p = 0.010); no significant difference"
    )


def test_no_difference_is_told_where_the_best_is_within_chance():
    # The level is that of the best of all metrics; at the level itself nothing is shown.
    means, tests = {"A": 0.7, "B": 0.2}, [test_result("A", "B", 0.001)]
    rows = [correlation(mean, metric=name) for name, mean in means.items()]
    rankings = [ranking(method="bootstrap", over="replicates", metric=name, p_worse=0.01) for name in means]
    for level, highest in ((0.69, ""), (0.7, "0.700"), (0.72, "0.70"), (float("nan"), "")):
        ceiling = [Ceiling(key_of(metric=""), BEST_OF_CHANCE, 0.1, upper=level)]
        (told,) = answers_of(run_of(*rows, tests=tests, rankings=rankings, ceiling=ceiling))
        assert told == (
            "No metric is shown to agree with adequacy: the highest coefficient, that of A "
            f"({highest}), is within what exchanged systems give the best of 2 metrics (up to "
            f"{level:.{len(highest) - 2}f})."
            if highest
            else "A agrees better with adequacy than B (0.70 against 0.20, p = 0.001)."
        )


def test_settings_where_nothing_agrees_have_no_best_metric_that_is_significant():
    # Of two lengths, the second has coefficients within chance.
    found = run({"A": 0.9, "B": 0.8}, [("A", "B", 0.01)])
    found.tables.ceiling.append(Ceiling(key_of(metric="", length=10), BEST_OF_CHANCE, 0.1, upper=0.95))
    assert answers_of(found) == [
        "adequacy, pearson: highest coefficient in 2 settings (document length): A in 2; significantly better than all "
        "others in 1 of 2. No metric is shown to agree in 1 of 2."
    ]


def test_a_star_of_several_rivals_is_said_to_be_of_each_metric_by_itself():
    names = "ABC"
    rows = [correlation(0.9, metric=name) for name in names]
    tests = [test_result("A", "B"), test_result("A", "C"), test_result("B", "C")]
    ranks = [ranking(method="bootstrap", over="replicates", metric=name) for name in names]
    (found,) = rankings_of(run_of(*rows, tests=tests, rankings=ranks))
    assert found.star_words == "not significantly worse than the best, each metric by itself"
    (found,) = rankings_of(run_of(*rows[:2], tests=tests[:1], rankings=ranks[:2]))
    assert found.star_words == "not significantly worse than the best"


ACC_EQ = 'pairwise-accuracy(epsilon="auto")'


def calibrated(lower, scores, human_ties):
    """Return the answer of a metric with calibrated ties, from where its interval begins and what share people tie."""
    key = key_of(coefficient=ACC_EQ, documents=DocumentKind("segments", 1), metric="A")
    rows = [correlation(0.5, key=key, lower=lower), correlation(human_ties, key=key.of(metric=CONSTANT))]
    sides = {"A": scores, CONSTANT: np.zeros_like(scores)}
    (told,) = answers_of(run_of(*rows, grids=[made_grid(key, human=scores, scores=sides, systems=tuple("abcd"))]))
    return told


def test_noise_with_ties_is_right_about_ties_of_people_and_about_half_of_the_rest():
    # Of the six pairs of four systems, the first document ties three and the second none: a quarter of all. People tie
    # a fifth. Ties of the metric are right where people tie, .25 x .2; of the other pairs, those that people do not tie
    # are right half of the time, .75 x .8 / 2. Together .35.
    scores = np.array([[1.0, 1.0, 1.0, 2.0], [1.0, 2.0, 3.0, 4.0]])
    assert " Not shown to be better than noise with as many ties: A (0.5000, and noise 0.3500)." in calibrated(
        0.35, scores, 0.2
    )
    assert "noise" not in calibrated(0.3501, scores, 0.2)
    # The same of pairs drawn at random.
    rng = np.random.default_rng(3)
    order = np.where(rng.random(200_000) < 0.25, 0, rng.choice([-1, 1], 200_000))
    people = np.where(rng.random(200_000) < 0.2, 0, rng.choice([-1, 1], 200_000))
    assert (order == people).mean() == pytest.approx(0.35, abs=0.005)


def test_what_lacks_a_system_is_not_what_the_highest_coefficient_is_of():
    rows = [correlation(0.3, metric="A", n_systems=9, replicates_used=500)]
    rows += [correlation(0.8, metric="B", n_systems=8, replicates_used=500)]
    ceiling = [Ceiling(key_of(metric=""), BEST_OF_CHANCE, 0.0, upper=0.6)]
    assert answers_of(run_of(*rows, ceiling=ceiling)) == [
        "No metric that scored all systems is shown to agree with adequacy: the highest coefficient, that of A (0.30), "
        "is within what exchanged systems give (up to 0.60)."
    ]


def test_tests_over_all_lengths_together_are_tests():
    together = run({"A": 0.9, "B": 0.8}, [("A", "B", 0.01)], over=False)
    of = "adequacy, pearson: highest coefficient in 2 settings (document length)"
    assert answers_of(together) == [f"{of}: A in 2; tests are over 'replicates', see tests.tsv."]
    untested = run({"A": 0.9, "B": 0.8})
    assert answers_of(untested) == [f"{of}: A in 2; nothing was tested."]


def test_where_there_is_nothing_but_a_constant_there_is_no_place():
    assert places_of(run_of(correlation(0.1, metric="constant"))) == []
    assert (
        brief_text(RunData(), [], 80, verbose=False).strip()
        == "`verbose=True` explains the table and has every warning."
    )
