"""Judgments are split by the kernel as by the plain definition; arrays that do not fit are refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.correlation.ceiling import KINDS, draw_parts
from metaeval.datamodel.pooling import JudgedValues
from metaeval.kernels import COMPILED
from metaeval.kernels.split_judgments import split_judgments

needs_kernels = pytest.mark.skipif(COMPILED is None, reason="nothing was compiled")


@needs_kernels
@given(
    st.lists(st.sampled_from([0, 1, 2, 3, 4, 7, 64, 65]), min_size=6, max_size=6),
    st.integers(1, 4),
    st.integers(0, 2**32 - 1),
)
def test_parts_of_judgments_are_the_same_without_kernels(counts, n_draws, seed):
    counts = np.reshape(counts, (2, 3))
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]]).reshape(counts.shape)
    values = np.random.default_rng(seed).choice([-0.0, 0.1, 0.7, 1e9, -3.3], counts.sum())

    def drawn():
        rng = np.random.Generator(np.random.PCG64(seed))
        judged = JudgedValues(values, starts, counts)
        return draw_parts(judged, n_draws, rng), rng.random()

    (compiled, after), (plain, after_plain) = drawn(), without_kernels(drawn)
    assert tuple(compiled) == KINDS
    assert after == after_plain
    for kind in KINDS:
        assert compiled[kind].shape == (2, n_draws, 2, 3)
        assert compiled[kind].tobytes() == plain[kind].tobytes()


def without_kernels(function):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("metaeval.kernels.COMPILED", None)
        return function()


@needs_kernels
def test_judgments_are_put_in_the_order_of_their_keys():
    # The order of the first draw is 30, 10, 20, that of the second, where two keys are equal, 20, 10, 30.
    values, keys = np.array([[10.0, 20.0, 30.0]]), np.array([[[0.5, 0.7, 0.2]], [[0.4, 0.1, 0.4]]])
    parts = [np.zeros((2, 5)) for _ in KINDS]
    assert split_judgments(values, keys, np.array([[True], [False]]), np.array([1]), 2, parts)
    single, rest, halves = (part.tolist() for part in parts)
    assert single == [[0, 30, 0, 20, 0], [0, 10, 0, 10, 0]]
    assert rest == [[0, 30, 0, 20, 0], [0, 15, 0, 20, 0]]
    assert halves == [[0, 20, 0, 20, 0], [0, 20, 0, 20, 0]]


SPLIT = {
    "values": np.zeros((2, 3)),
    "keys": np.zeros((4, 2, 3)),
    "longer": np.zeros((4, 2), bool),
    "places": np.array([0, 3]),
    "step": 5,
    "parts": [np.zeros((2, 19)), np.zeros(0), np.zeros((2, 19))],
}


@needs_kernels
@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"values": np.zeros((2, 2))}, "2 to 64 judgments of each item"),
        ({"values": np.zeros((2, 1)), "keys": np.zeros((4, 2, 1))}, "2 to 64 judgments of each item"),
        ({"keys": np.zeros((4, 2, 2))}, "2 to 64 judgments of each item"),
        ({"longer": np.zeros(0, bool)}, "2 to 64 judgments of each item"),
        ({"places": np.array([0, 4])}, "places of items must be cells in each draw"),
        ({"places": np.array([-1, 3])}, "places of items must be cells in each draw"),
        ({"step": -1}, "places of items must be cells in each draw"),
        ({"step": 2**62}, "places of items must be cells in each draw"),
        ({"parts": [np.zeros((2, 19)), np.zeros(0), np.zeros((2, 18))]}, "as many cells as those of another"),
        ({"parts": [np.zeros(19), np.zeros(0), np.zeros(0)]}, "as many cells as those of another"),
        ({"parts": [np.zeros(0), np.zeros(0), np.zeros(0)]}, "places of items must be cells in each draw"),
    ],
)
def test_judgments_and_parts_that_do_not_fit_are_refused(changed, message):
    assert split_judgments(**SPLIT)
    with pytest.raises(ValueError, match=message):
        split_judgments(**{**SPLIT, **changed})
