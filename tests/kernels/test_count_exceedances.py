"""The kernel that counts differences of systems equals its plain definition, and refuses arrays that do not fit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.correlation.soft_pairwise_accuracy import twice_counted
from metaeval.kernels import COMPILED
from metaeval.kernels.count_exceedances import count_exceedances
from tests.support.kernels import needs_timer, stopped

needs_kernels = pytest.mark.skipif(COMPILED is None, reason="nothing was compiled")


@needs_kernels
@given(st.integers(0, 3), st.integers(1, 5), st.integers(0, 300), st.integers(0, 2**32))
def test_it_equals_the_definitions(sides, systems, replicates, seed):
    rng = np.random.default_rng(seed)
    # Whole numbers: many differences equal a bound.
    sums, least = (
        rng.integers(0, 3, (sides, systems, replicates)) * 1.0,
        rng.integers(-2, 3, (sides, systems, systems)) * 1.0,
    )
    found = count_exceedances(sums, least)
    for side in range(sides):
        for i in range(systems):
            for j in range(systems):
                reached = int(
                    sum(a - b >= least[side, i, j] for a, b in zip(sums[side, i], sums[side, j], strict=True))
                )
                assert found[side, i, j] == (0 if i == j else reached)
    totals = rng.integers(0, 3, (sides, systems)) * 1.0
    for tails in ("mid", "wmt"):
        fast = twice_counted(sums, totals, totals, tails)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("metaeval.kernels.COMPILED", None)
            np.testing.assert_array_equal(twice_counted(sums, totals, totals, tails), fast)


@needs_kernels
@given(st.integers(1, 9), st.integers(1, 5), st.integers(0, 300), st.integers(0, 2**32))
def test_exchanged_scores_are_added(sides, systems, replicates, seed):
    rng = np.random.default_rng(seed)
    sums, added = rng.integers(0, 3, (2, 4, systems, replicates)) * 1.0
    first, second = rng.integers(0, 4, (2, sides))
    totals = rng.integers(0, 3, (sides, systems)) * 1.0
    found = twice_counted(sums, totals, totals, "mid", (added, first, second))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("metaeval.kernels.COMPILED", None)
        expected = twice_counted(sums[first] + added[second], totals, totals, "mid")
        np.testing.assert_array_equal(twice_counted(sums, totals, totals, "mid", (added, first, second)), expected)
    np.testing.assert_array_equal(found, expected)


def good() -> dict[str, object]:
    return {
        "sums": np.zeros((2, 3, 4)),
        "added": np.zeros((1, 3, 4)),
        "first": np.array([0, 1], np.int32),
        "second": np.array([0, 0], np.int32),
        "least": np.zeros((2, 3, 3)),
        "systems": 3,
        "replicates": 4,
        "counts": np.empty((2, 3, 3), np.int64),
    }


@needs_kernels
@pytest.mark.parametrize(
    ("name", "bad", "error"),
    [
        ("sums", np.zeros((2, 3, 3)), ValueError),
        ("sums", np.zeros((2, 3, 4), np.float32), TypeError),
        ("added", np.zeros((1, 3, 3)), ValueError),
        ("added", np.zeros(0), ValueError),
        ("first", np.array([0, 2], np.int32), ValueError),
        ("first", np.array([-1, 0], np.int32), ValueError),
        ("first", np.array([0], np.int32), ValueError),
        ("second", np.array([0, 1], np.int32), ValueError),
        ("second", np.array([0], np.int32), ValueError),
        ("least", np.zeros((2, 3, 2)), ValueError),
        ("least", np.zeros((1, 3, 3)), ValueError),
        ("systems", 0, ValueError),
        ("systems", -3, ValueError),
        ("systems", 2**40, ValueError),
        ("systems", 2, ValueError),
        ("replicates", 3, ValueError),
        ("replicates", -4, ValueError),
        ("replicates", 2**62, ValueError),
        ("counts", np.empty((2, 3, 2), np.int64), ValueError),
        ("counts", np.empty((2, 3, 3)), TypeError),
    ],
)
def test_arrays_that_do_not_fit_are_refused(name, bad, error):
    COMPILED.count_exceedances(*good().values())
    with pytest.raises(error):
        COMPILED.count_exceedances(*{**good(), name: bad}.values())


@needs_kernels
@needs_timer
def test_it_can_be_stopped():
    with stopped(after=0.2, within=5.0):
        count_exceedances(np.zeros((1, 2000, 1000)), np.zeros((1, 2000, 2000)))
