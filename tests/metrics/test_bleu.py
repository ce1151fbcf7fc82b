"""BLEU: hand calculations, sacreBLEU on random text, and laws; tests/test_worked_examples.py has those of papers."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st

import metaeval
from metaeval.errors import UsageError
from metaeval.metrics import get_metric
from metaeval.metrics.bleu import Bleu
from tests.support.gold import encode

words = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=9).map(" ".join)


def statistics(metric: Bleu, candidates: list[str], *references: list[str | None]) -> np.ndarray:
    first, *others = encode(candidates, *references)
    return metric.statistics(first, metric.prepare(others))


def corpus_score(name: str, candidates: list[str], *references: list[str | None]) -> float:
    metric = get_metric(name)
    return float(metric.score(statistics(metric, candidates, *references).sum(axis=0)))


def test_arithmetic_mean_by_hand():
    # "a b c" against "a b d": precisions 2/3, 1/2, 0/1 and none of order 4; their mean over 4 is (2/3 + 1/2) / 4.
    assert corpus_score('bleu(mean="arithmetic")', ["a b c"], ["a b d"]) == pytest.approx(
        (2 / 3 + 1 / 2) / 4, abs=1e-15
    )


def test_a_list_of_orders_by_hand():
    # Orders 2 and 3 of "a b c d" against "a b c x": 2/3 and 1/2, geometric mean sqrt(1/3).
    assert corpus_score("bleu(orders=[2,3])", ["a b c d"], ["a b c x"]) == pytest.approx(math.sqrt(1 / 3), abs=1e-15)


@pytest.mark.parametrize(
    ("length", "expected"),
    # Candidate of 4; references of 3, 5 and 7: closest is 3 (the shorter on a tie), shortest 3, average 5.
    [("closest", 3), ("shortest", 3), ("average", 5)],
)
def test_effective_reference_length(length, expected):
    row = statistics(Bleu(length=length), ["a b c d"], ["a b c"], ["a b c d e"], ["a b c d e f g"])
    assert row[0, -1] == expected


def test_smoothing_of_mteval_by_hand():
    # "yes" against "no": order 1 counts 1/(2 * 1), the absent orders log 1, divided by 4: 0.5 ** 0.25 = 0.841.
    assert corpus_score('bleu(smooth="mteval")', ["yes"], ["no"]) == pytest.approx(0.5**0.25, abs=1e-15)


@pytest.mark.parametrize("smooth", ["none", "mteval", "floor", "add-k", "exp"])
def test_an_empty_candidate_scores_zero(smooth):
    assert corpus_score(f'bleu(smooth="{smooth}")', [""], ["a b"]) == 0.0


def test_absent_references_are_not_empty_ones():
    metric = Bleu()
    rows = statistics(metric, ["a b", "a b", "a b"], ["a b", None, ""], [None, None, "a b c d e"])

    assert rows[0, -1] == 2
    assert np.isnan(rows[1]).all()
    # The empty reference (0) and the long one (5) are 2 and 3 away from 2: the empty one is closest.
    assert rows[2, -1] == 0


@given(
    st.lists(st.tuples(words, words, words), min_size=1, max_size=5), st.sampled_from(["none", "floor", "add-k", "exp"])
)
def test_corpora_equal_sacrebleu(texts, smooth):
    candidates, first, second = (list(column) for column in zip(*texts, strict=True))
    peer = sacrebleu.BLEU(tokenize="none", smooth_method=smooth, force=True)
    expected = peer.corpus_score(candidates, [first, second]).score / 100
    assert expected == pytest.approx(corpus_score(f'bleu(smooth="{smooth}")', candidates, first, second), abs=1e-12)


@given(st.lists(st.tuples(words, words), min_size=1, max_size=5))
def test_scores_are_from_0_to_1_and_references_in_any_order_or_number_count_once(texts):
    candidates, references = (list(column) for column in zip(*texts, strict=True))
    other = references[::-1]
    score = corpus_score("bleu", candidates, references, other)

    assert 0 <= score <= 1
    assert score == corpus_score("bleu", candidates, other, references, other)


@given(st.lists(st.lists(st.sampled_from("abcd"), min_size=4, max_size=9).map(" ".join), min_size=1, max_size=5))
def test_a_text_against_itself_is_perfect(texts):
    assert corpus_score("bleu", texts, texts) == 1.0


def test_equal_precisions_give_equal_scores():
    # 1/2 * 1/3 and 1/3 * 1/2 are equal; exp(mean(log)) of them need not be.
    metric = Bleu(order=2)
    rows = np.array(
        [[m1, m2, t1, t2, 9.0, 9.0] for m1, m2, t1, t2 in [(1, 1, 2, 3), (1, 1, 3, 2), (2, 5, 10, 6), (7, 1, 6, 7)]]
    )
    assert [Fraction(int(r[0] * r[1]), int(r[2] * r[3])) for r in rows] == [Fraction(1, 6)] * 4
    assert len(set(metric.score(rows).tolist())) == 1


def test_score_takes_any_leading_axes():
    metric = Bleu(smooth="exp")
    rows = np.random.default_rng(0).integers(0, 9, (3, 4, 10)).astype(float)
    expected = [[float(metric.score(rows[i, j])) for j in range(4)] for i in range(3)]
    assert expected == metric.score(rows).tolist()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("bleu(order=0)", r"`order` must be at least 1 and at most 30; got 0"),
        ("bleu(orders=[])", r"`orders` must be a list of different orders"),
        ("bleu(orders=[2,2])", r"`orders` must be a list of different orders"),
        ("bleu(order=2,orders=[2])", r"give `order` or `orders`, not both"),
        ("bleu(mean='harmonic')", r"`mean` must be one of 'geometric', 'arithmetic'; got 'harmonic'"),
        ("bleu(mean='arithmetic',smooth='exp')", r"`smooth` needs the geometric mean"),
        ("bleu(smooth_value=1)", r"`smooth_value` belongs to floor and add-k"),
        ("bleu(smooth='mteval',effective_order=True)", r"`effective_order` belongs to the geometric mean"),
        ("blue", r"unknown metric 'blue'; did you mean 'bleu'\?"),
    ],
)
def test_impossible_variants_are_refused(name, message):
    with pytest.raises(UsageError, match=message):
        get_metric(name)


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("bleu", "order:4|mean:geometric|length:closest|smooth:none|eff:no"),
        ("bleu(order=2)", "order:2|mean:geometric|length:closest|smooth:none|eff:no"),
        ("bleu(orders=[2,3])", "orders:2+3|mean:geometric|length:closest|smooth:none|eff:no"),
        ("bleu(length='average')", "order:4|mean:geometric|length:average|smooth:none|eff:no"),
        ("bleu(smooth='floor')", "order:4|mean:geometric|length:closest|smooth:floor[0.1]|eff:no"),
        ("bleu(smooth='floor',smooth_value=0.2)", "order:4|mean:geometric|length:closest|smooth:floor[0.2]|eff:no"),
        ("bleu(mean='arithmetic')", "order:4|mean:arithmetic|length:closest|smooth:none"),
        ("bleu(effective_order=True)", "order:4|mean:geometric|length:closest|smooth:none|eff:yes"),
    ],
)
def test_signatures_say_all_settings(name, settings):
    assert str(get_metric(name).signature) == f"BLEU|{settings}|version:{metaeval.__version__}"
