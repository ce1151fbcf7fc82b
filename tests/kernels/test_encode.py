"""Text to ids: the kernel against str.split and a dictionary."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval import _kernels
from metaeval._kernels.encode import encode
from metaeval.text.encoding import number_tokens

needs_kernels = pytest.mark.skipif(_kernels.COMPILED is None, reason="nothing was compiled")
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
    monkeypatch.setattr("metaeval._kernels.COMPILED", None)
    ids, offsets, vocabulary = number_tokens(["b a b", "", "c\u3000a"])
    assert (ids.tolist(), offsets.tolist(), vocabulary) == ([0, 1, 0, 2, 1], [0, 3, 3, 5], ["b", "a", "c"])


@pytest.mark.parametrize(
    "spoil",
    [
        lambda a: a.__setitem__(1, np.array([0, 9], dtype=np.int64)),
        lambda a: a.__setitem__(1, np.array([0, 4, 2, 5], dtype=np.int64)),
        lambda a: a.__setitem__(1, np.array([0, -(2**63), 5], dtype=np.int64)),
        lambda a: a.__setitem__(1, np.empty(0, dtype=np.int64)),
        lambda a: a.__setitem__(2, np.empty(1, dtype=np.int32)),
        lambda a: a.__setitem__(3, np.empty(9, dtype=np.int64)),
        lambda a: a.__setitem__(4, np.empty(1, dtype=np.int64)),
        lambda a: a.__setitem__(5, np.empty(1, dtype=np.int64)),
        lambda a: a.__setitem__(2, np.empty(40, dtype=np.int64)),
        lambda a: a.__setitem__(2, np.empty(80, dtype=np.int32)[::2]),
        lambda a: a.__setitem__(0, "text"),
    ],
)
def test_wrong_arrays_are_refused(spoil):
    arrays = [
        b"a b c",
        np.array([0, 5], dtype=np.int64),
        np.empty(40, dtype=np.int32),
        np.empty(2, dtype=np.int64),
        np.empty(40, dtype=np.int64),
        np.empty(40, dtype=np.int64),
    ]
    assert _kernels.COMPILED.encode(*arrays) == 3
    spoil(arrays)
    with pytest.raises((TypeError, ValueError, BufferError)):
        _kernels.COMPILED.encode(*arrays)
