"""GTM: hand calculations and laws; tests/test_worked_examples.py has the examples of papers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.errors import UsageError
from metaeval.metrics import get_metric
from tests.support.gold import gold, inputs, lines
from tests.support.scores import corpus_score, statistics

words = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=9).map(" ".join)
VARIANTS = ["gtm", "gtm(exponent=2)", "gtm(exponent=3)", 'gtm(exponent=2,cap="whole")', "gtm(mean='recall')"]


def edge(set_name, case, metric):
    """Return the statistics of an edge case."""
    index = lines(gold(f"inputs/{set_name}/ids.txt")).index(case)
    candidates, references = inputs(set_name)
    return metric.statistics(candidates["sys0"], metric.prepare(list(references.values())))[index]


def test_a_cap_with_a_half_keeps_half_a_hit_or_deletes_it():
    # Gold, edge2 mean_len_half: the cap of 4.5 keeps 4^2 + 0.5^2 under e = 2 as GTM 1.4 does; whole hits keep 4^2.
    assert edge("edge2", "mean_len_half", get_metric("gtm(exponent=2)"))[0] == pytest.approx(
        math.sqrt(16.25), abs=1e-12
    )
    assert edge("edge2", "mean_len_half", get_metric('gtm(exponent=2,cap="whole")'))[0] == 4.0


def test_f_precision_and_recall_by_hand():
    # "a b c d" against "a b x": overlap 2; P = 2/4, R = 2/3, F = 4/7.
    assert corpus_score("gtm(mean='precision')", ["a b c d"], ["a b x"]) == pytest.approx(1 / 2, abs=1e-15)
    assert corpus_score("gtm(mean='recall')", ["a b c d"], ["a b x"]) == pytest.approx(2 / 3, abs=1e-15)
    assert corpus_score("gtm", ["a b c d"], ["a b x"]) == pytest.approx(4 / 7, abs=1e-15)


def test_sizes_are_added_after_the_root():
    # Sizes 2 (one run of 2) and sqrt(2) (two runs of 1): P = (2 + sqrt 2) / 4.
    expected = (2 + math.sqrt(2)) / 4
    assert corpus_score("gtm(exponent=2,mean='precision')", ["a b", "a b"], ["a b", "b a"]) == pytest.approx(expected)


def test_runs_do_not_cross_from_one_reference_to_the_next():
    # "a b" with references "a" and "b": two runs of 1, capped at the mean length 1.
    assert statistics("gtm(exponent=2)", ["a b"], ["a"], ["b"]).tolist() == [[1.0, 2.0, 1.0]]


def test_absent_references_are_not_empty_ones():
    rows = statistics("gtm", ["a b", "a b", "a b"], ["a b", None, ""], [None, None, "a b c d"])

    assert rows[0].tolist() == [2, 2, 2]
    assert np.isnan(rows[1]).all()
    assert rows[2].tolist() == [2, 2, 2]


@pytest.mark.parametrize("name", VARIANTS)
def test_nothing_in_common_scores_zero(name):
    for candidate, reference in (("", "a"), ("a", ""), ("", ""), ("a", "b")):
        assert corpus_score(name, [candidate], [reference]) == 0.0


@pytest.mark.parametrize("name", VARIANTS)
@given(st.lists(words.filter(bool), min_size=1, max_size=4))
def test_a_text_against_itself_is_perfect(name, texts):
    assert corpus_score(name, texts, texts) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("name", VARIANTS)
@given(st.lists(st.tuples(words, words, words), min_size=1, max_size=4))
def test_scores_are_from_0_to_1(name, texts):
    candidates, first, second = (list(column) for column in zip(*texts, strict=True))
    assert 0 <= corpus_score(name, candidates, first, second) <= 1 + 1e-12


@given(words, words, words)
def test_the_order_of_references_does_not_matter_without_reward_for_runs(candidate, first, second):
    assert corpus_score("gtm", [candidate], [first], [second]) == corpus_score("gtm", [candidate], [second], [first])


@given(words, words, st.sampled_from([1.5, 2, 3]))
def test_rewarding_runs_never_raises_the_size(candidate, reference, exponent):
    more = statistics(f"gtm(exponent={exponent})", [candidate], [reference])[0, 0]
    assert more <= statistics("gtm", [candidate], [reference])[0, 0] + 1e-9


def test_the_largest_exponent():
    # The runs have 1300 tokens and 1: (1300^50 + 1)^(1/50) is 1300 to the last digit.
    run = " ".join(map(str, range(1300)))
    for search in ("greedy", "exact"):
        rows = statistics(f"gtm(exponent=50,search={search!r})", [f"{run} one end"], [f"{run} other end"])
        assert rows[:, :3].tolist() == [[pytest.approx(1300, rel=1e-14), 1302, 1302]]


def test_the_exact_search_tells_what_is_unproven():
    metric = get_metric('gtm(exponent=2,search="exact")')

    assert metric.statistic_names == ("match_size", "candidate_length", "reference_length", "unproven")
    assert statistics('gtm(exponent=2,search="exact")', ["a b c"], ["a b c"])[0].tolist() == [3, 3, 3, 0]
    assert "search:exact(10s)" in str(metric.signature)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("gtm(exponent=0.5)", r"`exponent` must be at least 1 and at most 50; got 0\.5"),
        ("gtm(search='best')", r"`search` must be one of 'greedy', 'exact'; got 'best'"),
        ("gtm(e=2)", r"unknown parameter 'e'"),
    ],
)
def test_impossible_variants_are_refused(name, message):
    with pytest.raises(UsageError, match=message):
        get_metric(name)
