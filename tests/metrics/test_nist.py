"""NIST: hand calculations, and laws."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.errors import UsageError
from metaeval.metrics import get_metric
from metaeval.metrics.nist import Nist
from tests.support.scores import corpus_score, statistics

words = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=9).map(" ".join)
VARIANTS = ["nist", "nist(information=False)", "nist(brevity=False)", "nist(order=2)"]


def test_information_and_score_by_hand():
    # Reference "a b a c": 4 tokens, a twice, b once: 1 and 2 bits. "a b" occurs once and "a" twice: 1 bit.
    # Candidate "a b": (1 + 2) / 2 + 1 / 1 = 2.5; its length is half: penalty 0.5 ** (ln 0.5 / ln 1.5) ** 2.
    assert statistics("nist(order=2)", ["a b"], ["a b a c"]).tolist() == [[3, 1, 2, 1, 2, 4]]
    assert corpus_score("nist(order=2,brevity=False)", ["a b"], ["a b a c"]) == pytest.approx(2.5, abs=1e-15)
    penalty = 0.5 ** (math.log(0.5) / math.log(1.5)) ** 2
    assert corpus_score("nist(order=2)", ["a b"], ["a b a c"]) == pytest.approx(2.5 * penalty, abs=1e-15)


def test_several_references_by_hand():
    # References "a b" and "a a c c": 6 tokens. a: 3 times, log2(6/3) = 1 bit; at most 2 in one reference.
    # c: twice, log2(6/2); at most 2. Candidate "a a a c": 2 bits of a, log2(3) of c; average length 3.
    row = statistics("nist(order=1)", ["a a a c"], ["a b"], ["a a c c"])[0].tolist()
    assert row == pytest.approx([2 + math.log2(3), 4, 4, 3], abs=1e-15)


@pytest.mark.parametrize(("candidate", "penalty"), [("a b", 0.5), ("a b c", 1.0), ("a b c c", 1.0)])
def test_the_penalty_is_a_half_at_two_thirds_of_the_length_and_spares_longer_candidates(candidate, penalty):
    with_penalty, without = (corpus_score(f"nist({p})", [candidate], ["a b c"]) for p in ("", "brevity=False"))
    assert with_penalty == pytest.approx(penalty * without, abs=1e-15)


def test_sums_are_divided_and_not_averaged():
    # "a b c d" and "a b": every token 1 of 8, 3 bits, or 1 of 4 for those that occur twice: a and b, 2 bits.
    # First: a, b match, 4 bits of 4 tokens; second: "x" none of 1. Pooled (4 + 0) / (4 + 1), not the mean of 1 and 0.
    score = corpus_score("nist(order=1,brevity=False)", ["a b x x", "x"], ["a b c d", "a b e f"])
    assert score == pytest.approx(4 / 5, abs=1e-15)


def test_information_comes_from_all_segments():
    # "b" is 1 of 2 tokens of its own reference, and 1 of 8 of both: 1 bit or 3 bits. Its own segment stays the same.
    assert statistics("nist(order=1)", ["b"], ["a b"])[0, 0] == 1.0
    assert statistics("nist(order=1)", ["b", "b"], ["a b", "c d e f g h"])[0, 0] == 3.0


def test_a_prefix_that_is_the_token_0_is_counted_like_all_others():
    # "0" occurs twice in 4 tokens and "0 a" once: log2(2/1) = 1 bit. An empty prefix would make it log2(4/1) = 2.
    zero, letter = (statistics("nist(order=2)", [f"{t} a"], [f"{t} a {t} b"]).tolist() for t in ("0", "x"))
    assert zero[0][1] == 1.0
    assert zero == letter


def test_unweighted_matches_by_hand():
    # "a b c d" against "a b x d": 3 of 4 tokens, 1 of 3 pairs, none of the longer ones: 3/4 + 1/3.
    score = corpus_score("nist(information=False)", ["a b c d"], ["a b x d"])
    assert score == pytest.approx(3 / 4 + 1 / 3, abs=1e-15)
    assert get_metric("nist(order=1,information=False)").statistic_names[0] == "matches_1"
    assert get_metric("nist(order=1)").statistic_names == (
        "information_1",
        "totals_1",
        "candidate_length",
        "reference_length",
    )


def test_absent_references_are_not_empty_ones():
    rows = statistics("nist(order=1)", ["a b", "a b", "a b"], ["a b", None, ""], [None, None, "a b c d"])

    assert rows[0, -1] == 2
    assert np.isnan(rows[1]).all()
    assert rows[2, -1] == 2
    assert np.isnan(Nist(order=1).score(rows[1]))
    assert np.isnan(Nist(order=1, brevity=False).score(rows[1]))


@pytest.mark.parametrize("name", VARIANTS)
def test_nothing_in_common_scores_zero(name):
    for candidate, reference in (("", "a"), ("a", ""), ("", ""), ("a", "b")):
        assert corpus_score(name, [candidate], [reference]) == 0.0


def test_an_order_without_ngrams_contributes_nothing():
    assert corpus_score("nist(order=5)", ["a b", "c"], ["a b", "c d"]) == pytest.approx(
        corpus_score("nist(order=2)", ["a b", "c"], ["a b", "c d"]), abs=1e-15
    )


LONG = [f"w{k}" for k in range(2000)]


@pytest.mark.parametrize(
    ("text", "score"),
    # Against itself. n different tokens: log2(n) bits each, and nothing is left to learn about longer n-grams. Equal
    # tokens: no information in one, log2(n / (n - 1)) in two of them, log2((n - 1) / (n - 2)) in three.
    [
        ("yes", 0.0),
        (" ".join(LONG), math.log2(2000)),
        (" ".join(["a"] * 2000), sum(math.log2((2001 - n) / (2000 - n)) for n in range(1, 5))),
        ("😀 ok 😁 👩\u200d💻", 2.0),
        ("שלום עולם طيب أهلا", 2.0),
    ],
)
def test_unusual_texts_against_themselves(text, score):
    assert corpus_score("nist", [text], [text]) == pytest.approx(score, abs=1e-12)


@given(st.lists(words, min_size=1, max_size=4))
def test_a_text_against_itself_keeps_all_information_and_has_no_penalty(texts):
    # All that there is to know, divided by the number of n-grams of each order: the entropy of the references.
    tokens = [text.split() for text in texts]
    expected, before = 0.0, {(): sum(map(len, tokens))}
    for n in range(1, 6):
        grams = [tuple(text[k : k + n]) for text in tokens for k in range(len(text) - n + 1)]
        counts = {gram: grams.count(gram) for gram in grams}
        expected += sum(math.log2(before[gram[:-1]] / counts[gram]) for gram in grams) / max(1, len(grams))
        before = counts

    assert corpus_score("nist", texts, texts) == pytest.approx(expected, abs=1e-12)
    assert corpus_score("nist(information=False)", texts, texts) == max(min(5, len(text)) for text in tokens)


@pytest.mark.parametrize("name", VARIANTS)
@given(st.lists(st.tuples(words, words, words), min_size=1, max_size=4))
def test_scores_have_their_range(name, texts):
    candidates, first, second = (list(column) for column in zip(*texts, strict=True))
    metric = get_metric(name)
    n_tokens = sum(len(text.split()) for text in first + second)
    most = metric.order * (math.log2(max(1, n_tokens)) if metric.information else 1.0)

    assert 0 <= corpus_score(name, candidates, first, second) <= most + 1e-12


@given(st.lists(st.tuples(words, words, words), min_size=1, max_size=4))
def test_references_in_any_order_and_all_of_them_twice_change_nothing(texts):
    candidates, first, second = (list(column) for column in zip(*texts, strict=True))
    rows = statistics("nist", candidates, first, second)

    assert rows.tolist() == statistics("nist", candidates, second, first).tolist()
    assert rows.tolist() == statistics("nist", candidates, first, second, first, second).tolist()


def test_one_reference_twice_changes_information_and_length():
    # a: 2 of 3 tokens of "a" and "a b"; 3 of 4 of "a", "a" and "a b". Average lengths 3/2 and 4/3.
    once, twice = (
        statistics("nist(order=1)", ["a"], ["a"], ["a b"]),
        statistics("nist(order=1)", ["a"], *["a"] * 2, ["a b"]),
    )
    assert once[0].tolist() == pytest.approx([math.log2(3 / 2), 1, 1, 3 / 2], abs=1e-15)
    assert twice[0].tolist() == pytest.approx([math.log2(4 / 3), 1, 1, 4 / 3], abs=1e-15)


@given(st.lists(st.tuples(words, words), min_size=2, max_size=6), st.data())
def test_the_statistics_of_any_partition_add_up(texts, data):
    # Without weights the parts need nothing of one another; with them they share the information of the whole.
    first_part = data.draw(st.lists(st.booleans(), min_size=len(texts), max_size=len(texts)))
    parts = [[text for text, here in zip(texts, first_part, strict=True) if here == wanted] for wanted in (True, False)]
    name = "nist(information=False)"
    total = sum(statistics(name, *map(list, zip(*part, strict=True))).sum(axis=0) for part in parts if part)
    assert statistics(name, *map(list, zip(*texts, strict=True))).sum(axis=0).tolist() == total.tolist()

    candidates, references = (list(column) for column in zip(*texts, strict=True))
    order = data.draw(st.permutations(range(len(texts))))
    moved = statistics("nist", [candidates[k] for k in order], [references[k] for k in order])
    assert statistics("nist", candidates, references)[list(order)].tolist() == moved.tolist()


def test_the_same_words_in_another_order_have_the_same_information_to_the_last_bit():
    # w1 once, w2 twice, up to w30: added one after the other, the logarithms give another sum in the other order.
    candidate = [f"w{k}" for k in range(1, 31)]
    reference = " ".join(" ".join([word] * k) for k, word in enumerate(candidate, start=1))
    bits = [math.log2(465 / k) for k in range(1, 31)]
    rows = statistics("nist(order=1)", [" ".join(candidate), " ".join(candidate[::-1])], [reference, reference])

    assert np.cumsum(bits)[-1] != np.cumsum(bits[::-1])[-1]
    assert rows[0].tolist() == rows[1].tolist()


def test_score_takes_any_leading_axes():
    metric = Nist(order=2)
    rows = np.random.default_rng(0).integers(0, 4, (3, 4, 6)).astype(float)
    expected = [[float(metric.score(rows[i, j])) for j in range(4)] for i in range(3)]

    assert (rows[..., 2:] == 0).any()
    assert expected == metric.score(rows).tolist()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nist(order=0)", r"`order` must be at least 1 and at most 30; got 0"),
        ("nist(information='no')", r"`information` must be true or false; got 'no'"),
        ("nist(length='closest')", r"unknown parameter 'length'"),
    ],
)
def test_impossible_variants_are_refused(name, message):
    with pytest.raises(UsageError, match=message):
        get_metric(name)


def test_signatures_tell_variants_apart():
    assert len({str(get_metric(name).signature) for name in VARIANTS}) == len(VARIANTS)
    assert str(Nist().signature).startswith("NIST|order:5|information:yes|brevity:yes|version:")
    assert Nist.higher_is_better
