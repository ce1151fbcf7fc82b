"""PER: hand calculations, and laws; what it shares with WER is in test_wer.py."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.metrics import get_metric
from metaeval.metrics.per import Per
from tests.metrics.test_wer import CHOICES
from tests.support.scores import corpus_score, statistics

words = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=9).map(" ".join)
VARIANTS = [f"per{choice}" for choice in CHOICES]


@pytest.mark.parametrize(
    ("candidate", "edits"),
    # By hand, against "police killed the gunman", the reference of Lin and Och's (2004) examples: one word differs, one
    # word differs, all words are there, two are missing, two of six are too many, "the" counts once.
    [
        ("police kill the gunman", 1),
        ("the gunman kill police", 1),
        ("the gunman police killed", 0),
        ("the gunman", 2),
        ("the gunman who police killed then", 2),
        ("the the the the", 3),
        ("", 4),
    ],
)
def test_edits_by_hand(candidate, edits):
    assert statistics("per", [candidate], ["police killed the gunman"]).tolist() == [[edits, 4]]


def test_surpluses_of_two_segments_do_not_cancel_out():
    # One word too many and one too few: 2 edits of 2 + 3 words, not max(5, 5) - 4 = 1.
    assert corpus_score("per", ["a b c", "d e"], ["a b", "d e f"]) == pytest.approx(2 / 5, abs=1e-15)


@pytest.mark.parametrize(
    ("name", "expected"),
    # Candidate "a b c d" of 4 tokens. Reference "b a x" needs 2 edits (rate 2/3), "c a b x y" 2 (rate 2/5),
    # "g f e d c b a" 3 (rate 3/7).
    [
        ("per", [2, 5]),
        ("per(ties='first')", [2, 3]),
        ("per(references='lowest-rate')", [2, 5]),
        ("per(normalise='average')", [2, 5]),
        ("per(normalise='closest')", [2, 3]),
        ("per(normalise='shortest')", [2, 3]),
        ("per(normalise='longest')", [2, 7]),
    ],
)
def test_reference_and_length_by_hand(name, expected):
    rows = statistics(name, ["a b c d"], ["b a x"], ["c a b x y"], ["g f e d c b a"])
    assert rows.tolist() == [expected]


def test_absent_references_are_not_empty_ones():
    rows = statistics("per", ["a b", "a b", "a b"], ["c a", None, ""], [None, None, None])

    assert rows[0].tolist() == [1, 2]
    assert np.isnan(rows[1]).all()
    assert rows[2].tolist() == [2, 0]
    assert np.isnan(Per().score(rows[1:])).all()
    assert corpus_score("per", [""], [""]) == 0.0


LONG = [f"w{k}" for k in range(2000)]


@pytest.mark.parametrize(
    ("candidate", "reference", "edits"),
    [
        ("yes", "no", 1),
        (" ".join(LONG), " ".join(LONG[::-1]), 0),
        (" ".join(LONG), " ".join(LONG[:-1]), 1),
        (" ".join(["a"] * 2000), " ".join(["a"] * 1500), 500),
        ("😀 ok 😁", "😁 fine 😀", 1),
        ("שלום עולם טוב", "עולם שלום", 1),
        ("مرحبا بكم", "بكم مرحبا", 0),
    ],
)
def test_edits_of_unusual_texts(candidate, reference, edits):
    assert statistics("per", [candidate], [reference])[0, 0] == edits
    assert statistics("per", [reference], [candidate])[0, 0] == edits


@pytest.mark.parametrize("name", VARIANTS)
@given(st.lists(st.tuples(words, words, st.randoms(use_true_random=False)), min_size=1, max_size=4))
def test_a_text_against_itself_in_any_order_of_words_is_perfect(name, texts):
    candidates = [" ".join(generator.sample(text.split(), len(text.split()))) for text, _, generator in texts]
    same, others = [text for text, _, _ in texts], [other for _, other, _ in texts]

    assert corpus_score(name, candidates, same) == 0.0
    assert corpus_score(name, candidates, others, same) == 0.0


@given(words, words, words)
def test_the_edits_are_a_metric_of_bags(first, second, third):
    def edits(candidate: str, reference: str) -> float:
        return float(statistics("per", [candidate], [reference])[0, 0])

    assert (edits(first, second) == 0) == (sorted(first.split()) == sorted(second.split()))
    assert edits(first, second) == edits(second, first)
    assert edits(first, second) <= edits(first, third) + edits(third, second)
    assert abs(len(first.split()) - len(second.split())) <= edits(first, second)
    assert edits(first, second) <= max(len(first.split()), len(second.split()))


@given(st.lists(st.tuples(words, words, words), min_size=1, max_size=4))
def test_per_is_at_most_wer(texts):
    candidates, first, second = (list(column) for column in zip(*texts, strict=True))

    assert (statistics("per", candidates, first) <= statistics("wer", candidates, first)).all()
    # With several references the same holds for the edits, and for the rate where the length is the same.
    assert (
        statistics("per", candidates, first, second)[:, 0] <= statistics("wer", candidates, first, second)[:, 0]
    ).all()
    per, wer = (statistics(f"{name}(normalise='average')", candidates, first, second) for name in ("per", "wer"))
    assert (per <= wer).all()


def test_signatures_and_direction():
    assert str(Per().signature).startswith("PER|normalise:reference|references:minimum|ties:lowest|version:")
    assert len({str(get_metric(name).signature) for name in VARIANTS}) == len(VARIANTS)
    assert not Per.higher_is_better
