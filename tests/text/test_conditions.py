from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.errors import UsageError
from metaeval.text.conditions import get_condition
from metaeval.text.encoding import Encoder


def tokens(condition: str, *texts: str) -> list[list[str]]:
    return get_condition(condition).tokens(texts)


def test_case_keeps_white_space_tokens_as_they_are():
    assert tokens("case", "The cat's  mat.", "") == [["The", "cat's", "mat."], []]


def test_nocase_lower_cases():
    assert tokens("nocase", "The CAT \u00c9t\u00e9") == [["the", "cat", "\u00e9t\u00e9"]]


def test_stem_is_porters_original_algorithm():
    # Porter (1980), examples of the steps: caresses -> caress, ponies -> poni, relational -> relat; dies -> di.
    assert tokens("stem", "Caresses ponies relational dies") == [["caress", "poni", "relat", "di"]]


def test_tokenizers_of_mteval():
    # mteval-v13a.pl: punctuation apart but for periods and commas between digits; intl splits by Unicode category.
    assert tokens('case(tokenizer="13a")', "It costs 1,000.5 (in U.S. dollars), no?") == [
        ["It", "costs", "1,000.5", "(", "in", "U", ".", "S", ".", "dollars", ")", ",", "no", "?"]
    ]
    assert tokens('case(tokenizer="intl")', "Hello \u2013 world\u2026") == [["Hello", "\u2013", "world", "\u2026"]]
    assert tokens('nocase(tokenizer="char")', "Ab c") == [["a", "b", "c"]]


def test_signatures_name_what_is_done_and_by_which_version():
    keys = dict(get_condition('stem(tokenizer="13a")').signature.items)

    assert keys["case"] == "lower"
    assert keys["tok"].startswith("13a-sacrebleu")
    assert keys["stem"].startswith("porter-snowballstemmer")
    assert str(get_condition("case").signature) == "case|case:kept|tok:none|stem:none"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cases", r"unknown condition 'cases'; did you mean 'case'\?"),
        ('case(tokenizer="13")', r"`tokenizer` must be one of 'none', '13a', 'intl', 'char'"),
        ("case(tokeniser='13a')", r"unknown parameter 'tokeniser'; did you mean 'tokenizer'\?"),
    ],
)
def test_unknown_names_are_refused(text, message):
    with pytest.raises(UsageError, match=message):
        get_condition(text)


@given(st.lists(st.lists(st.text("abc \u00a0\u3000\U0001f600", max_size=12), min_size=2, max_size=2), max_size=6))
def test_equal_tokens_have_equal_ids_and_nothing_is_lost(texts):
    encoder = Encoder(get_condition("case"))
    first, second = (encoder.encode([pair[k] for pair in texts]) for k in range(2))
    words: dict[int, str] = {}
    for segments in (first, second):
        for number, tokens_ in enumerate(segments.tokens):
            ids = segments.ids[segments.offsets[number] : segments.offsets[number + 1]]
            assert len(ids) == len(tokens_) == segments.lengths[number]
            for index, token in zip(ids.tolist(), tokens_, strict=True):
                assert words.setdefault(index, token) == token
    assert len(set(words.values())) == len(words)


def test_an_absent_text_has_no_tokens_but_is_not_present():
    segments = Encoder(get_condition("case")).encode(["a b", None, ""])

    assert segments.present.tolist() == [True, False, True]
    assert segments.lengths.tolist() == [2, 0, 0]
