"""The kernels of what is drawn equal their plain definitions, and refuse arrays that do not fit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval._kernels import COMPILED
from metaeval._kernels.draws import count_draws, split
from metaeval.correlation.ceiling import KINDS, draw_parts
from metaeval.pooling import JudgedValues
from metaeval.sampling import resamples

needs_kernels = pytest.mark.skipif(COMPILED is None, reason="nothing was compiled")


@needs_kernels
@given(st.integers(0, 5), st.integers(1, 70), st.integers(0, 2**32 - 1))
def test_it_equals_the_definition(replicates, units, seed):
    words = np.random.default_rng(seed).integers(0, 2**32, (replicates, units), dtype=np.uint32)
    expected = [[sum(int(w) * units // 2**32 == unit for w in row) for unit in range(units)] for row in words]
    assert count_draws(words).tolist() == expected


@needs_kernels
def test_replicates_are_the_same_without_kernels(monkeypatch):
    def counts():
        return resamples._counts(878, 50, np.random.Generator(np.random.PCG64(3)))

    compiled = counts()
    monkeypatch.setattr("metaeval._kernels.COMPILED", None)
    assert np.array_equal(compiled, counts())


@needs_kernels
def test_extreme_words_stand_for_the_first_and_the_last_unit():
    words = np.array([[0, 2**32 - 1, 2**31]], dtype=np.uint32)
    assert count_draws(words).tolist() == [[1, 1, 1]]
    assert count_draws(np.full((1, 65_535), 2**32 - 1, dtype=np.uint32))[0, -1] == 65_535


@pytest.mark.parametrize("compiled", [pytest.param(True, marks=needs_kernels), False])
def test_a_count_that_does_not_fit_is_an_error(compiled):
    # Word 0 stands for the first unit, so it is drawn as often as there are units; the words of the second row for one
    # unit after the other: place p of 65,537 needs the word ceil(p * 2**32 / 65,537).
    for n_units, fits in ((65_535, True), (65_536, False), (65_537, False)):
        spread = [-(-(place << 32) // n_units) for place in range(n_units)]
        words = np.array([[0] * n_units, spread], dtype=np.uint32)
        count = count_draws if compiled else resamples._counted
        assert count(words[1:]).tolist() == [[1] * n_units]
        if fits:
            assert count(words)[0].tolist() == [n_units] + [0] * (n_units - 1)
        else:
            with pytest.raises(OverflowError, match="greater than its type"):
                count(words)


@needs_kernels
@pytest.mark.parametrize(
    ("words", "replicates", "units", "counts"),
    [
        (np.zeros(6, np.uint32), 2, 3, np.zeros(5, np.uint16)),
        (np.zeros(5, np.uint32), 2, 3, np.zeros(6, np.uint16)),
        (np.zeros(0, np.uint32), -1, 0, np.zeros(0, np.uint16)),
        (np.zeros(0, np.uint32), 2**62, 4, np.zeros(0, np.uint16)),
        (np.zeros(0, np.uint32), 0, 2**32, np.zeros(0, np.uint16)),
    ],
)
def test_arrays_that_do_not_fit_are_refused(words, replicates, units, counts):
    with pytest.raises(ValueError, match="must have a number for each replicate and unit"):
        COMPILED.count_draws(words, replicates, units, counts)


@needs_kernels
@pytest.mark.parametrize(("words", "counts"), [("d", "H"), ("I", "i"), ("I", "h")])
def test_arrays_of_another_type_are_refused(words, counts):
    with pytest.raises((TypeError, ValueError)):
        COMPILED.count_draws(np.zeros(4, words), 2, 2, np.zeros(4, counts))


@needs_kernels
@given(
    st.lists(st.sampled_from([0, 1, 2, 3, 4, 7, 64, 65]), min_size=6, max_size=6),
    st.integers(1, 4),
    st.sampled_from([KINDS, KINDS[2:], KINDS[:1]]),
    st.integers(0, 2**32 - 1),
)
def test_parts_of_judgments_are_the_same_without_kernels(counts, n_draws, kinds, seed):
    counts = np.reshape(counts, (2, 3))
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]]).reshape(counts.shape)
    values = np.random.default_rng(seed).choice([-0.0, 0.1, 0.7, 1e9, -3.3], counts.sum())

    def drawn():
        rng = np.random.Generator(np.random.PCG64(seed))
        judged = JudgedValues(values, starts, counts)
        return draw_parts(judged, n_draws, rng, kinds), rng.random()

    (compiled, after), (plain, after_plain) = drawn(), without_kernels(drawn)
    assert list(compiled) == list(kinds)
    assert after == after_plain
    for kind in kinds:
        assert compiled[kind].shape == (2, n_draws, 2, 3)
        assert compiled[kind].tobytes() == plain[kind].tobytes()


def without_kernels(function):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("metaeval._kernels.COMPILED", None)
        return function()


@needs_kernels
def test_judgments_are_put_in_the_order_of_their_keys():
    # The order of the first draw is 30, 10, 20, that of the second, where two keys are equal, 20, 10, 30.
    values, keys = np.array([[10.0, 20.0, 30.0]]), np.array([[[0.5, 0.7, 0.2]], [[0.4, 0.1, 0.4]]])
    parts = [np.zeros((2, 5)) for _ in KINDS]
    assert split(values, keys, np.array([[True], [False]]), np.array([1]), 2, parts)
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
    assert split(**SPLIT)
    with pytest.raises(ValueError, match=message):
        split(**{**SPLIT, **changed})
