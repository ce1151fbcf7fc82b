"""Sums of weights with signs against a plain product."""

from __future__ import annotations

import numpy as np
import pytest

from metaeval.correlation.sign_sums import signed_sums
from metaeval.sampling.resamples import draw_swaps


@pytest.mark.parametrize(("n_segments", "n_systems"), [(1, 1), (3, 3), (300, 7)])
@pytest.mark.parametrize("k", [1, 4])
def test_equals_a_plain_product(n_segments, n_systems, k):
    # Replicates and cells are more than are handled at once, and the cells do not fill their last byte.
    rng = np.random.default_rng(1)
    swaps = draw_swaps("both", n_segments, n_systems, 300, rng=rng)
    weights = rng.normal(size=(n_segments * n_systems, k))
    signs = swaps.signs(slice(None), np.float64).reshape(len(swaps), -1)
    np.testing.assert_allclose(signed_sums(swaps, weights), signs @ weights, atol=1e-11)


@pytest.mark.parametrize("largest", [9, 2**24 - 1, 2**24 + 1, 2**40 + 1])
def test_whole_numbers_are_summed_exactly(largest):
    # Beyond 2**24, single precision would lose the last digit.
    rng = np.random.default_rng(2)
    swaps = draw_swaps("segments", 40, 1, 50, rng=rng)
    weights = rng.integers(-largest, largest, size=40)
    weights[0] = largest
    signs = swaps.signs(slice(None)).reshape(len(swaps), -1).astype(np.int64)
    assert signed_sums(swaps, weights[:, None].astype(float))[:, 0].tolist() == (signs @ weights).tolist()


def test_no_weights():
    swaps = draw_swaps("segments", 9, 1, 5, rng=np.random.default_rng(3))
    assert signed_sums(swaps, np.empty((9, 0))).shape == (5, 0)
