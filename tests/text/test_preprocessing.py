from __future__ import annotations

import importlib
import sys
from types import SimpleNamespace
from urllib.error import URLError

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

from metaeval.errors import UsageError
from metaeval.text.encoding import encode
from metaeval.text.preprocessing import get_preprocessing
from metaeval.text.tokenizers import get_tokenizer, morgenroth, rouge
from metaeval.version import VERSION


def tokens(preprocessing: str, *texts: str) -> list[list[str]]:
    (segments,) = encode(get_preprocessing(preprocessing), [texts])
    return [list(found) for found in segments.tokens]


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


def test_tercom_normalises_but_does_not_lower_case():
    # tercom 0.8.0, option -N: entities are characters, periods and commas stay between digits, 's is apart, a hyphen
    # only after a digit.
    assert tokens('case(tokenizer="tercom")', "Bush&amp;Co. paid $1,000.50 (1990-95), the firm's low-cost \"A\"!") == [
        ["Bush", "&", "Co", ".", "paid", "$", "1,000.50", "(", "1990", "-", "95", ")", ",", "the", "firm", "'s",
         "low-cost", '"', "A", '"', "!"]
    ]  # fmt: skip


def test_rouge_sees_ascii_letters_and_digits_and_nothing_else():
    # The bytes of a letter outside ASCII separate tokens; U.S. is two tokens; _ and - are no letters.
    assert tokens('case(tokenizer="rouge-1.5.5")', "The U.S. paid $1,000.50, \u00c9mile_B's low-cost na\u00efve") == [
        ["the", "u", "s", "paid", "1", "000", "50", "mile", "b", "s", "low", "cost", "na", "ve"]
    ]
    assert tokens('case(tokenizer="rouge-1.5.5")', "\u4e2d\u6587 \u2026") == [[]]


def test_rouge_lower_cases_bytes_and_not_characters():
    # The Kelvin sign is lower-cased to an ASCII letter, but its three bytes are none: lower-casing first changes them.
    assert tokens('case(tokenizer="rouge-1.5.5")', "5 \u212a") == [["5"]]
    assert tokens('nocase(tokenizer="rouge-1.5.5")', "5 \u212a") == [["5", "k"]]


@pytest.mark.parametrize(
    ("text", "expected"),
    # Morgenroth (2011): symbols apart; punctuation apart unless a number follows or precedes.
    [
        ("In 1990, it", ["In", "1990,", "it"]),  # intl: "1990" ","
        ("at -10 degrees", ["at", "-10", "degrees"]),  # intl: "-" "10"
        ("3.5 1,000", ["3.5", "1,000"]),
        ("(5) no. 7.", ["(5)", "no", ".", "7."]),
        # A fraction, a Roman and an Arabic number are numbers as well.
        ("\u00bd, \u2161. \u0663\u060c", ["\u00bd,", "\u2161.", "\u0663\u060c"]),
        ("$5 5% 2+2=4", ["$", "5", "5%", "2", "+", "2", "=", "4"]),  # $ + = are symbols, % is punctuation
        ("5 , x", ["5", ",", "x"]),  # white space is no number
        ("5$.", ["5", "$", "."]),  # the neighbour is the symbol, though it goes apart
        ("7.)", ["7.", ")"]),
        ("don't low-cost!?", ["don", "'", "t", "low", "-", "cost", "!", "?"]),
        ("\u20ac\u20ac\u2026", ["\u20ac", "\u20ac", "\u2026"]),
        (".", ["."]),
    ],
)
def test_morgenroth_keeps_punctuation_that_touches_a_number(text, expected):
    assert tokens('case(tokenizer="morgenroth")', text) == [expected]


def test_intl_keeps_punctuation_only_between_numbers():
    assert tokens('case(tokenizer="intl")', "In 1990, at -10 for 3.5") == [
        ["In", "1990", ",", "at", "-", "10", "for", "3.5"]
    ]


# Those that need no further package or file.
READY = ("none", "13a", "intl", "char", "tercom", "rouge-1.5.5", "morgenroth", "zh")


@pytest.mark.parametrize("name", READY)
def test_a_blank_text_has_no_tokens(name):
    assert tokens(f'case(tokenizer="{name}")', "", " ", "\t \u3000 \u00a0") == [[], [], []]


# What the rules of mteval-v13a look at, white space of all kinds, and what they do not know.
PIECES = [
    *"aZ09.,-'\"()[]{}&;<>/:@!?$%^*+=_`~|\\# \t\n\x1c\x85\u00a0\u3000\u200b\u00e9\u4e2d\u0663\u00bd\u2026\U0001f600",
    "&quot;", "&amp;", "&lt;", "&gt;", "<skipped>", "-\n", " ", "  ",
]  # fmt: skip


@given(st.lists(st.lists(st.sampled_from(PIECES), max_size=12).map("".join), max_size=4))
def test_13a_cuts_each_word_as_sacrebleu_cuts_the_text(texts):
    # sacreBLEU 2.6.0
    tokenize, theirs = get_tokenizer("13a")[0], Tokenizer13a()
    assert tokenize(texts) == [theirs(text) for text in texts]
    for name, case in (("case", str), ("nocase", str.lower)):
        preprocessing = get_preprocessing(f'{name}(tokenizer="13a")')
        (encoded,) = encode(preprocessing, [texts])
        assert encoded.tokens == tuple(tuple(theirs(case(text)).split()) for text in texts)
        # Ids are numbered in the order in which tokens are met.
        assert list(dict.fromkeys(encoded.ids.tolist())) == list(range(len(encoded.vocabulary)))


@given(st.text(st.characters(codec="utf-8"), max_size=40))
def test_the_tokenizers_of_metaeval_change_no_token_of_their_own(text):
    for tokenize in (rouge, morgenroth):
        once = tokenize(text).split()
        assert tokenize(" ".join(once)).split() == once


@given(st.text(st.characters(codec="utf-8"), max_size=40))
def test_morgenroth_only_adds_blanks(text):
    assert "".join(morgenroth(text).split()) == "".join(text.split())


def test_signatures_name_what_is_done_and_by_which_version():
    keys = dict(get_preprocessing('stem(tokenizer="13a")').signature.items)

    assert keys["case"] == "lower"
    assert keys["tok"] == f"13a-metaeval{VERSION}"
    assert keys["stem"].startswith("porter-snowballstemmer")
    assert str(get_preprocessing("case").signature) == "case|case:kept|tok:none|stem:none"
    assert dict(get_preprocessing('case(tokenizer="intl")').signature.items)["tok"].startswith("intl-sacrebleu")
    for name in ("rouge-1.5.5", "morgenroth"):
        tokenizer = dict(get_preprocessing(f'case(tokenizer="{name}")').signature.items)["tok"]
        assert tokenizer.startswith(f"{name}-metaeval{VERSION}")
    assert "-unicode" in tokenizer  # which characters are symbols depends on Unicode's version


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cases", r"unknown preprocessing 'cases'; did you mean 'case'\?"),
        (
            'case(tokenizer="13")',
            r"unknown tokenizer '13'; did you mean '13a'\? Known tokenizers: 'none', '13a', 'intl'",
        ),
        ("case(tokeniser='13a')", r"unknown parameter 'tokeniser'; did you mean 'tokenizer'\?"),
    ],
)
def test_unknown_names_are_refused(text, message):
    with pytest.raises(UsageError, match=message):
        get_preprocessing(text)


def test_a_tokenizer_whose_package_is_not_installed_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    with pytest.raises(UsageError) as caught:
        tokens('case(tokenizer="flores200")', "a")
    assert str(caught.value) == (
        "the tokenizer 'flores200' cannot be used: Please install the sentencepiece library for SPM tokenization: pip "
        "install sentencepiece"
    )


@pytest.mark.parametrize("error", [URLError("no route"), SystemExit(1)])
def test_a_tokenizer_whose_model_cannot_be_fetched_is_told(monkeypatch, tmp_path, error):
    # sacreBLEU's loader, with a network that fails, and no package where there is none.
    monkeypatch.setitem(sys.modules, "sentencepiece", SimpleNamespace(SentencePieceProcessor=object))
    loader = importlib.import_module("sacrebleu.tokenizers.tokenizer_spm")
    monkeypatch.setattr(loader, "SACREBLEU_DIR", str(tmp_path))

    def fail(*arguments):
        raise error

    monkeypatch.setattr(loader, "download_file", fail)
    with pytest.raises(UsageError) as caught:
        tokens('case(tokenizer="flores200")', "a")
    assert str(caught.value) == (
        f"the tokenizer 'flores200' cannot be used: sacreBLEU cannot fetch its model ({error}); is there no network?"
    )


@given(st.lists(st.lists(st.text("abc \u00a0\u3000\U0001f600", max_size=12), min_size=2, max_size=2), max_size=6))
def test_equal_tokens_have_equal_ids_and_nothing_is_lost(texts):
    first, second = encode(get_preprocessing("case"), [[pair[k] for pair in texts] for k in range(2)])
    words: dict[int, str] = {}
    for segments in (first, second):
        for number, tokens_ in enumerate(segments.tokens):
            ids = segments.ids[segments.offsets[number] : segments.offsets[number + 1]]
            assert len(ids) == len(tokens_) == segments.lengths[number]
            for index, token in zip(ids.tolist(), tokens_, strict=True):
                assert words.setdefault(index, token) == token
    assert len(set(words.values())) == len(words)


@pytest.mark.parametrize("name", ["case", "nocase", 'stem(tokenizer="13a")'])
def test_a_preprocessing_gives_the_tokens_that_are_encoded(name):
    texts = ["The Ponies, dying.", "", "the pony"]
    assert get_preprocessing(name).tokens(texts) == tokens(name, *texts)


def test_an_absent_text_has_no_tokens_but_is_not_present():
    (segments,) = encode(get_preprocessing("case"), [["a b", None, ""]])

    assert segments.present.tolist() == [True, False, True]
    assert segments.lengths.tolist() == [2, 0, 0]
