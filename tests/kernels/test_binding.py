"""What the binding checks for all kernels alike: above all, memory that is written is not shared with another array."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from metaeval import kernels
from tests.kernels import (
    test_common_subsequences,
    test_count_exceedances,
    test_encode,
    test_greedy_matching,
    test_largest_running_sums,
    test_ngrams,
    test_p_value_agreement,
    test_pool_documents,
    test_rank_correlations,
    test_ter_shifts,
)
from tests.support.kernels import read_only

pytestmark = pytest.mark.skipif(kernels.COMPILED is None, reason="nothing was compiled")


GOOD = {
    **{name: lambda name=name: test_common_subsequences.arguments_of(name) for name in test_common_subsequences.CALLS},
    **test_ngrams.GOOD,
    "greedy_matching": test_greedy_matching.good_arguments,
    "shift_edits": test_ter_shifts.arguments,
    "split_judgments": lambda: [
        *(np.zeros((2, 3)), np.zeros((4, 2, 3)), np.zeros((4, 2), bool), np.array([0, 3]), 4, 5),
        *(np.zeros((2, 19)) for _ in range(3)),
    ],
    "largest_running_sums": lambda: list(test_largest_running_sums.good().values()),
    "count_exceedances": lambda: list(test_count_exceedances.good().values()),
    **{
        name: lambda name=name: list(test_pool_documents.good(name).values())
        for name in ("pool_documents", "seed_generators", "draw_judgments", "round_to_scale")
    },
    **{
        name: lambda name=name: list(test_rank_correlations.good(name).values())
        for name in ("spearman", "count_pairs", "ordinal_ranks")
    },
    "p_value_agreement": lambda: list(test_p_value_agreement.good().values()),
    "encode": lambda: [np.frombuffer(bytearray(b"a b c"), np.uint8), *test_encode.encode_arguments()[1:]],
    "characters": lambda: [np.frombuffer(bytearray(b"a b c"), np.uint8), *test_encode.character_arguments()[1:]],
}


def arrays_of(arguments):
    return [place for place, one in enumerate(arguments) if isinstance(one, np.ndarray)]


def written(kernel):
    """Return the places of the arrays that a kernel does not take when they cannot be written."""
    found = []
    for place in arrays_of(GOOD[kernel]()):
        arguments = GOOD[kernel]()
        arguments[place] = read_only(arguments[place])
        try:
            getattr(kernels.COMPILED, kernel)(*arguments)
        except (ValueError, BufferError):
            found.append(place)
    return found


def laid(arguments, places, gap=None):
    """Lay arrays into one memory, each some bytes, or its own length, behind the beginning of the one before."""
    memory, at, before = np.zeros(1 << 16, np.uint8), 0, list(arguments)
    for place in places:
        one = before[place]
        arguments[place] = memory[at : at + one.nbytes].view(one.dtype).reshape(one.shape)
        at += -(-one.nbytes // 8) * 8 if gap is None else gap
    for place in places:
        arguments[place][...] = before[place]
    return arguments


def test_every_kernel_is_here():
    assert {name for name in dir(kernels.COMPILED) if not name.startswith("_")} == GOOD.keys()


@pytest.mark.parametrize("kernel", GOOD)
def test_memory_that_is_written_is_not_shared(kernel):
    pairs = [(place, other) for place in written(kernel) for other in arrays_of(GOOD[kernel]()) if other != place]
    assert pairs
    for (place, other), gap in itertools.product(pairs, (0, 8)):
        # What is only read lies over what is written, so that nothing else is wrong with it.
        if gap < GOOD[kernel]()[place].nbytes:
            with pytest.raises(ValueError, match=r"^an array that is written must share no memory with another$"):
                getattr(kernels.COMPILED, kernel)(*laid(GOOD[kernel](), (place, other), gap))


def test_a_negative_vocabulary_is_refused_even_without_ids():
    empty = [np.zeros(0, np.int32), np.zeros(2, np.int64)]
    with pytest.raises(ValueError, match=r"^candidate: ids must be from 0 to below -1$"):
        kernels.COMPILED.ngram_hits(*empty, *empty, 1, -1, 4, np.zeros(0, np.uint8), np.zeros(0, np.int32))


@pytest.mark.parametrize("kernel", GOOD)
def test_arrays_that_touch_share_nothing(kernel):
    arguments = GOOD[kernel]()
    getattr(kernels.COMPILED, kernel)(*laid(arguments, arrays_of(arguments)))
