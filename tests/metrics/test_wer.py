"""WER and mWER: worked examples, choices of reference and length, and laws, also those that PER shares."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.errors import UsageError
from metaeval.metrics import get_metric
from metaeval.metrics.wer import Wer, edit_distance
from tests.support.gold import gold, inputs, lines
from tests.support.scores import corpus_score, statistics

words = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=9).map(" ".join)
ids = st.lists(st.integers(0, 3), max_size=9)
# What WER and PER share, and whether the order and the number of references never matter.
CHOICES = {
    "": True,
    "(references='lowest-rate')": True,
    "(normalise='closest')": True,
    "(normalise='shortest')": True,
    "(normalise='longest')": True,
    "(normalise='average')": False,
    "(ties='first')": False,
    "(references='lowest-rate',ties='first')": False,
}
ORDER_FREE = [f"{metric}{choice}" for metric in ("wer", "per") for choice, free in CHOICES.items() if free]
VARIANTS = [f"{metric}{choice}" for metric in ("wer", "per") for choice in CHOICES]


def test_morgenroths_example_takes_six_edits_without_shifts():
    # Morgenroth (2011): the example of TER has 6 edits if nothing is shifted; the reference has 9 words.
    index = lines(gold("inputs/edge1/ids.txt")).index("morgenroth_TER")
    candidates, references = inputs("edge1")
    metric = Wer()
    rows = metric.statistics(candidates["sys0"], metric.prepare(list(references.values())))

    assert rows[index].tolist() == [6, 9]


@pytest.mark.parametrize(
    ("candidate", "edits"),
    # By hand, against "police killed the gunman", the reference of Lin and Och's (2004) examples. One substitution. The
    # two others keep "the gunman" where two words are inserted before it and two deleted after it, which is as dear as
    # four substitutions. Four insertions. Nothing.
    [
        ("police kill the gunman", 1),
        ("the gunman kill police", 4),
        ("the gunman police killed", 4),
        ("", 4),
        ("police killed the gunman", 0),
    ],
)
def test_edits_by_hand(candidate, edits):
    assert statistics("wer", [candidate], ["police killed the gunman"]).tolist() == [[edits, 4]]


@pytest.mark.parametrize(
    ("name", "expected"),
    # Candidate "a b c d" of 4 tokens. Reference "a b x" needs 2 edits (rate 2/3), "a b c x y" 2 (rate 2/5),
    # "a b c d e f g" 3 (rate 3/7). Fewest edits 2, of the first two; lowest rate 2/5; lengths 3, 5, 7, on average 5;
    # 3 and 5 are equally close to 4.
    [
        ("wer", [2, 5]),
        ("wer(ties='first')", [2, 3]),
        ("wer(references='lowest-rate')", [2, 5]),
        ("wer(normalise='average')", [2, 5]),
        ("wer(normalise='closest')", [2, 3]),
        ("wer(normalise='shortest')", [2, 3]),
        ("wer(normalise='longest')", [2, 7]),
    ],
)
def test_reference_and_length_by_hand(name, expected):
    rows = statistics(name, ["a b c d"], ["a b x"], ["a b c x y"], ["a b c d e f g"])
    assert rows.tolist() == [expected]


def test_the_lowest_rate_can_have_more_edits():
    # "a b c": "a b x" needs 1 edit (1/3), "a b c d e f g h" 5 (5/8), "a b c d" 1 (1/4).
    # Against "x y" (3 edits, 3/2) and "a b q r s t u v w x" (8 edits, 8/10): fewest edits 3, lowest rate 8/10.
    assert statistics("wer", ["a b c"], ["a b x"], ["a b c d e f g h"], ["a b c d"]).tolist() == [[1, 4]]
    references = ["x y"], ["a b q r s t u v w x"]
    assert statistics("wer", ["a b c"], *references).tolist() == [[3, 2]]
    assert statistics("wer(references='lowest-rate')", ["a b c"], *references).tolist() == [[8, 10]]


def test_of_equal_rates_the_one_with_fewer_edits_counts():
    # "a b": 2 edits of 2 tokens, or 4 edits of 4 tokens.
    references = ["w x y z"], ["x y"]
    assert statistics("wer(references='lowest-rate')", ["a b"], *references).tolist() == [[2, 2]]
    assert statistics("wer(references='lowest-rate',ties='first')", ["a b"], *references).tolist() == [[4, 4]]


def test_corpora_are_sums_over_sums():
    # 1 edit of 4 and 3 of 2 are 4/6, not the mean of 1/4 and 3/2.
    score = corpus_score("wer", ["a b c x", "x y z"], ["a b c d", "a b"])
    assert score == pytest.approx(4 / 6, abs=1e-15)


def test_absent_references_are_not_empty_ones():
    rows = statistics("wer", ["a b", "a b", "a b", "a b"], ["a c", None, "", None], [None, None, None, "a b c d"])

    assert rows[0].tolist() == [1, 2]
    assert np.isnan(rows[1]).all()
    assert rows[2].tolist() == [2, 0]
    assert rows[3].tolist() == [2, 4]
    assert np.isnan(Wer().score(rows[1]))


def test_edits_over_no_length_have_no_rate_and_no_edits_over_no_length_are_no_error():
    assert np.isnan(corpus_score("wer", ["a b"], [""]))
    assert corpus_score("wer", [""], [""]) == 0.0
    # Beside a segment with a length, the 2 edits count: (2 + 1) / (0 + 2).
    assert corpus_score("wer", ["a b", "a b"], ["", "a c"]) == 1.5


@pytest.mark.parametrize(
    ("name", "expected"),
    # "a b" against "" (2 edits, no rate) and "x y z" (3 edits, rate 1).
    [
        ("wer", [2, 0]),
        ("wer(references='lowest-rate')", [3, 3]),
        ("wer(normalise='average')", [2, 1.5]),
        ("wer(normalise='closest')", [2, 3]),
        ("wer(normalise='shortest')", [2, 0]),
        ("wer(normalise='longest')", [2, 3]),
    ],
)
def test_an_empty_reference_beside_another(name, expected):
    assert statistics(name, ["a b"], [""], ["x y z"]).tolist() == [expected]


LONG = [f"w{k}" for k in range(2000)]


@pytest.mark.parametrize(
    ("candidate", "reference", "edits"),
    [
        ("yes", "no", 1),
        (" ".join(LONG), " ".join(LONG[1:] + LONG[:1]), 2),  # the first token deleted, and inserted at the end
        (" ".join(["a"] * 2000), " ".join(["a"] * 1500), 500),
        (" ".join(["a"] * 5), " ".join(["b"] * 7), 7),
        ("😀 ok 😁", "😀 fine 😁", 1),
        ("👩\u200d💻 👩", "👩 👩\u200d💻", 2),  # a joined emoji is another token than its first part
        ("שלום עולם טוב", "שלום עולם", 1),
        ("مرحبا بكم", "مرحبا \u200fبكم", 1),  # an invisible mark is part of a token
    ],
)
def test_edits_of_unusual_texts(candidate, reference, edits):
    assert statistics("wer", [candidate], [reference])[0, 0] == edits
    assert statistics("wer", [reference], [candidate])[0, 0] == edits
    assert corpus_score("wer", [candidate], [candidate]) == 0.0


def by_definition(first: tuple[int, ...], second: tuple[int, ...]) -> int:
    """Return the edit distance by the recursion that defines it."""

    @cache
    def distance(i: int, j: int) -> int:
        if not i or not j:
            return i + j
        same = distance(i - 1, j - 1) + (first[i - 1] != second[j - 1])
        return min(same, distance(i - 1, j) + 1, distance(i, j - 1) + 1)

    return distance(len(first), len(second))


@given(ids, ids)
def test_the_edit_distance_is_that_of_the_recursion(first, second):
    assert by_definition(tuple(first), tuple(second)) == edit_distance(first, second)


@given(ids, ids, ids)
def test_the_edit_distance_is_a_metric(first, second, third):
    distance = edit_distance(first, second)

    assert (distance == 0) == (first == second)
    assert distance == edit_distance(second, first)
    assert distance <= edit_distance(first, third) + edit_distance(third, second)
    assert abs(len(first) - len(second)) <= distance <= max(len(first), len(second))


@pytest.mark.parametrize("name", VARIANTS)
@given(st.lists(st.tuples(words, words), min_size=1, max_size=4))
def test_a_text_against_itself_is_perfect(name, texts):
    candidates, others = (list(column) for column in zip(*texts, strict=True))
    assert corpus_score(name, candidates, candidates) == 0.0
    assert corpus_score(name, candidates, others, candidates) == 0.0


@pytest.mark.parametrize("name", ORDER_FREE)
@given(st.lists(st.tuples(words, words, words, words), min_size=1, max_size=4))
def test_references_in_any_order_or_number_count_once(name, texts):
    candidates, *references = (list(column) for column in zip(*texts, strict=True))
    rows = statistics(name, candidates, *references)

    assert rows.tolist() == statistics(name, candidates, *references[::-1], references[1]).tolist()


def test_where_order_or_number_of_references_matters():
    # "a b" needs 1 edit for "a" and for "a b c"; the first gives the length. The mean of 1, 3, 3 is not that of 1, 3.
    assert statistics("wer(ties='first')", ["a b"], ["a"], ["a b c"]).tolist() == [[1, 1]]
    assert statistics("wer(ties='first')", ["a b"], ["a b c"], ["a"]).tolist() == [[1, 3]]
    assert statistics("wer(normalise='average')", ["a b"], ["a"], ["a b c"]).tolist() == [[1, 2]]
    assert statistics("wer(normalise='average')", ["a b"], ["a"], ["a b c"], ["a b c"])[0, 1] == pytest.approx(7 / 3)


@pytest.mark.parametrize("name", VARIANTS)
@given(st.lists(st.tuples(words, words, words), min_size=2, max_size=6), st.data())
def test_the_statistics_of_any_partition_add_up(name, texts, data):
    first_part = data.draw(st.lists(st.booleans(), min_size=len(texts), max_size=len(texts)))
    parts = [[text for text, here in zip(texts, first_part, strict=True) if here == wanted] for wanted in (True, False)]
    total = sum(statistics(name, *map(list, zip(*part, strict=True))).sum(axis=0) for part in parts if part)

    # Lengths of two references are halves at worst, so the sums are exact.
    assert statistics(name, *map(list, zip(*texts, strict=True))).sum(axis=0).tolist() == total.tolist()


@given(st.lists(st.tuples(words, words, words), min_size=1, max_size=4))
def test_another_reference_never_adds_edits_and_the_choices_keep_their_order(texts):
    candidates, first, second = (list(column) for column in zip(*texts, strict=True))
    both = {name: statistics(name, candidates, first, second) for name in VARIANTS if name.startswith("wer")}

    assert (both["wer"][:, 0] <= statistics("wer", candidates, first)[:, 0]).all()
    assert (both["wer(references='lowest-rate')"][:, 0] >= both["wer"][:, 0]).all()
    for between in ("wer", "wer(normalise='average')", "wer(normalise='closest')"):
        assert (both["wer(normalise='shortest')"][:, 1] <= both[between][:, 1]).all()
        assert (both[between][:, 1] <= both["wer(normalise='longest')"][:, 1]).all()


def test_score_takes_any_leading_axes():
    rows = np.random.default_rng(0).integers(0, 4, (3, 4, 2)).astype(float)
    expected = [[float(Wer().score(rows[i, j])) for j in range(4)] for i in range(3)]

    assert (rows[..., 1] == 0).any()
    assert np.array_equal(expected, Wer().score(rows), equal_nan=True)


@pytest.mark.parametrize("metric", ["wer", "per"])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("normalise='mean'", r"`normalise` must be one of 'reference', 'average', .*; got 'mean'"),
        ("references='all'", r"`references` must be one of 'minimum', 'lowest-rate'; got 'all'"),
        (
            "normalise='closest',references='lowest-rate'",
            r"`references` must be 'minimum' where `normalise` is 'closest'",
        ),
        ("normalise='average',ties='first'", r"`ties` belongs to normalise='reference'"),
        ("length='closest'", r"unknown parameter 'length'"),
    ],
)
def test_impossible_variants_are_refused(metric, arguments, message):
    with pytest.raises(UsageError, match=f"metric '{metric}'.*{message}"):
        get_metric(f"{metric}({arguments})")


def test_signatures_tell_variants_apart():
    assert len({str(get_metric(name).signature) for name in VARIANTS}) == len(VARIANTS)
    assert str(Wer().signature).startswith("WER|normalise:reference|references:minimum|ties:lowest|version:")
    assert "ties" not in str(Wer(normalise="average").signature)


def test_low_is_good():
    assert not Wer.higher_is_better
