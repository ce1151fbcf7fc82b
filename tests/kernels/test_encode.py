"""Text to ids: the kernel against str.split and a dictionary."""

from __future__ import annotations

import itertools
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics import CHRF

from metaeval import kernels
from metaeval.kernels.encode import characters, encode
from metaeval.text.encoding import number_tokens

needs_kernels = pytest.mark.skipif(kernels.COMPILED is None, reason="nothing was compiled")
pytestmark = needs_kernels

SPACES = [chr(code) for code in range(sys.maxunicode + 1) if chr(code).isspace()]


def plain(texts: list[str]) -> tuple[list[int], list[int], list[str]]:
    """The definition: str.split and numbers in the order of the first mention."""
    numbers: dict[str, int] = {}
    ids, offsets = [], [0]
    for text in texts:
        ids += [numbers.setdefault(token, len(numbers)) for token in text.split()]
        offsets.append(len(ids))
    return ids, offsets, list(numbers)


def compiled(texts: list[str]) -> tuple[list[int], list[int], list[str]]:
    ids, offsets, vocabulary = encode(texts)
    return ids.tolist(), offsets.tolist(), list(vocabulary)


def test_all_white_space_of_unicode_separates():
    assert len(SPACES) == 29
    texts = [f"a{space}b{space}{space}" for space in SPACES] + SPACES + ["".join(SPACES)]
    assert compiled(texts) == plain(texts)


def test_every_other_character_is_a_token():
    texts = [chr(code) for code in range(sys.maxunicode + 1)]
    assert compiled(texts) == plain(texts)


@given(
    st.lists(st.text(st.sampled_from(["a", "b", "\x85", "\xa0", " ", "\u2003", "\u200b", "\u3000", "é", "\U0001f600"])))
)
def test_texts_with_much_white_space(texts):
    assert compiled(texts) == plain(texts)


@given(st.lists(st.text(max_size=60)))
def test_any_texts(texts):
    assert compiled(texts) == plain(texts)


@given(st.integers(0, 5000), st.integers(1, 40), st.integers(0, 3))
def test_many_tokens_of_any_length(count, length, seed):
    rng = np.random.default_rng(seed)
    words = ["".join(map(chr, rng.integers(97, 100, size=rng.integers(1, length + 1)))) for _ in range(count)]
    texts = [" ".join(words), *words[:50]]
    assert compiled(texts) == plain(texts)


def test_a_line_of_a_megabyte():
    text = "x" * 1_000_000
    assert compiled([text, f"{text}y {text}"]) == plain([text, f"{text}y {text}"])


def test_the_plain_definition_is_used_where_nothing_is_compiled(monkeypatch):
    monkeypatch.setattr("metaeval.kernels.COMPILED", None)
    ids, offsets, vocabulary = number_tokens(["b a b", "", "c\u3000a"])
    assert (ids.tolist(), offsets.tolist(), vocabulary) == ([0, 1, 0, 2, 1], [0, 3, 3, 5], ["b", "a", "c"])


# Letters, marks of ASCII's punctuation and others, white space, characters of two to four bytes, and halves of pairs.
pieces = st.text(st.sampled_from("ab9 .,(!~_\x00\x1c\t\x85\u3000é«猫\U0001f600\ud800\udc00"), max_size=30)


@given(st.lists(pieces | st.text(max_size=60)))
def test_characters_are_code_points(texts):
    for keep_space in (False, True):
        ids, offsets = characters(texts, keep_space=keep_space)
        kept = [text if keep_space else "".join(text.split()) for text in texts]
        assert ids.tolist() == [ord(character) for text in kept for character in text]
        assert offsets.tolist() == [0, *itertools.accumulate(map(len, kept))]


@given(st.lists(pieces | st.text(max_size=60)))
def test_marks_stand_apart_as_for_sacrebleu(texts):
    ids, offsets, vocabulary = encode(texts, marks_apart=True)
    expected = [CHRF()._remove_punctuation(text) for text in texts]
    assert [vocabulary[number] for number in ids.tolist()] == list(itertools.chain.from_iterable(expected))
    assert offsets.tolist() == [0, *itertools.accumulate(map(len, expected))]


I32, I64 = np.int32, np.int64


def encode_arguments():
    return [
        b"a b c",
        np.array([0, 5]),
        0,
        *(np.empty(size, kind) for size, kind in ((40, I32), (2, I64), (40, I64), (40, I64))),
    ]


def character_arguments():
    return [b"a b c", np.array([0, 5]), 0, np.empty(5, I32), np.empty(2, I64)]


GOOD = {"encode": encode_arguments, "characters": character_arguments}
BAD_OFFSETS = [np.array([0, 9]), np.array([0, 4, 2, 5]), np.array([0, -(2**63), 5]), np.empty(0, I64)]


@pytest.mark.parametrize(
    ("kernel", "place", "value"),
    [
        *((kernel, 1, offsets) for kernel in GOOD for offsets in BAD_OFFSETS),
        *((kernel, 0, "text") for kernel in GOOD),
        ("encode", 3, np.empty(1, I32)),
        ("encode", 4, np.empty(9, I64)),
        ("encode", 5, np.empty(1, I64)),
        ("encode", 6, np.empty(1, I64)),
        ("encode", 3, np.empty(40, I64)),
        ("encode", 3, np.empty(80, I32)[::2]),
        ("characters", 3, np.empty(4, I32)),
        ("characters", 3, np.empty(5, I64)),
        ("characters", 4, np.empty(3, I64)),
    ],
)  # fmt: skip
def test_wrong_arrays_are_refused(kernel, place, value):
    arguments = GOOD[kernel]()
    assert getattr(kernels.COMPILED, kernel)(*arguments) in (3, None)
    arguments[place] = value
    with pytest.raises((TypeError, ValueError, BufferError)):
        getattr(kernels.COMPILED, kernel)(*arguments)


def test_marks_apart_need_more_room():
    arguments = [
        b"a.a.",
        np.array([0, 2, 4]),
        1,
        np.empty(7, I32),
        np.empty(3, I64),
        np.empty(7, I64),
        np.empty(7, I64),
    ]
    assert kernels.COMPILED.encode(*arguments) == 2
    arguments[3] = np.empty(6, I32)
    with pytest.raises(ValueError, match="room"):
        kernels.COMPILED.encode(*arguments)
