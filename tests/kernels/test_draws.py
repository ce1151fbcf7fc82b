"""The kernel that counts draws equals its plain definition, and refuses arrays that do not fit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval._kernels import COMPILED
from metaeval._kernels.draws import count_draws
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
