"""The answer of a run with several settings, from rows made by hand."""

from __future__ import annotations

import numpy as np
import pytest

from metaeval.comparison.terminal import brief_text
from metaeval.records import CONSTANT
from metaeval.report.answer import answers_of
from metaeval.report.places import places_of
from metaeval.results.keys import DocumentKind
from metaeval.results.model import RunData
from metaeval.results.rows import CHANCE, Ceiling
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
            ceiling += [Ceiling(key_of(metric=name, length=length), CHANCE, 0.0, upper=chance) for name in means]
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


def said_of_the_third(p, p_worse):
    """Return what is said of a metric by its corrected p against the best, and by the p that it is as good as any."""
    rows = [correlation(mean, metric=name) for name, mean in {"A": 0.9, "B": 0.8, "C": 0.7}.items()]
    tests = [test_result("A", "B", 0.6), test_result("A", "C", p), test_result("B", "C", 0.004)]
    stars = {"A": 1.0, "B": 0.6, "C": p_worse}
    rankings = [
        ranking(method="bootstrap", over="replicates", metric=name, p_worse=one, top_cluster=one >= 0.05)
        for name, one in stars.items()
    ]
    found = run_of(*rows, tests=tests, rankings=rankings)
    (place,) = places_of(found)
    (told,) = answers_of(found)
    return told, place.mark("C")


def test_a_metric_without_a_star_is_said_to_be_worse_and_one_with_it_is_not():
    # The star is by 0.05, as all tests of a comparison are.
    for p_worse, is_worse in ((0.001, True), (0.03, True), (0.0499, True), (0.05, False), (0.2, False)):
        told, star = said_of_the_third(0.2, p_worse)
        assert ("Significantly worse" in told, star) == (is_worse, "" if is_worse else "*"), p_worse
    for p, is_better in ((0.001, True), (0.03, True), (0.0499, True), (0.05, False)):
        told, _ = said_of_the_third(p, 0.001)
        assert told.startswith("A agrees better with adequacy than C (0.90 against 0.70") == is_better, p


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
    ceiling = [Ceiling(key_of(metric="A"), CHANCE, 0.0, upper=0.6)]
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
