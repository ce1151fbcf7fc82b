"""The kernel of running sums equals its plain definition, and refuses arrays that do not fit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.correlation import pairwise_accuracy as pairwise
from metaeval.kernels import COMPILED
from metaeval.kernels.largest_running_sums import largest_running_sums
from tests.support.kernels import needs_timer, stopped

needs_kernels = pytest.mark.skipif(COMPILED is None, reason="nothing was compiled")


def plainly(steps, starts, weights, counts):
    """Return the largest running sum of each replicate, one addition after the other."""
    found = []
    for drawn in counts.tolist():
        total = 0.0
        for start, times in zip(starts.tolist(), drawn, strict=True):
            total += start * times
        largest = total
        for step in steps.tolist():
            row = step if step >= 0 else ~step
            total += (1 if step >= 0 else -1) * (weights.tolist()[row] * drawn[row])
            largest = max(largest, total)
        found.append(largest)
    return found


@needs_kernels
@given(st.integers(0, 20), st.integers(1, 9), st.integers(0, 40), st.integers(0, 2**32 - 1))
def test_it_equals_the_definitions_bit_for_bit(replicates, rows, n_steps, seed):
    rng = np.random.default_rng(seed)
    steps = rng.integers(-rows, rows, n_steps, dtype=np.int32)
    starts, weights = rng.random(rows), rng.random(rows)
    counts = rng.integers(0, 5, (replicates, rows), dtype=np.uint16)
    expected = plainly(steps, starts, weights, counts)
    assert largest_running_sums(steps, starts, weights, counts).tolist() == expected
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("metaeval.kernels.COMPILED", None)
        assert pairwise._largest_sums(steps, starts, weights, counts).tolist() == expected


def good() -> dict[str, object]:
    return {
        "steps": np.array([0, -1, 1, -2], np.int32),
        "starts": np.ones(2),
        "weights": np.ones(2),
        "counts": np.ones((3, 2), np.uint16),
        "replicates": 3,
        "largest": np.empty(3),
    }


@needs_kernels
@pytest.mark.parametrize(
    ("name", "bad", "error"),
    [
        ("steps", np.array([2], np.int32), ValueError),
        ("steps", np.array([-3], np.int32), ValueError),
        ("steps", np.array([-(2**31)], np.int32), ValueError),
        ("steps", np.array([2**31 - 1], np.int32), ValueError),
        ("steps", np.zeros(1, np.int64), TypeError),
        ("starts", np.ones(3), ValueError),
        ("weights", np.ones(3), ValueError),
        ("weights", np.ones(0), ValueError),
        ("counts", np.ones((3, 3), np.uint16), ValueError),
        ("counts", np.ones((3, 2), np.int64), TypeError),
        ("replicates", 2, ValueError),
        ("replicates", -3, ValueError),
        ("replicates", 2**62, ValueError),
        ("largest", np.empty(2), ValueError),
    ],
)
def test_arrays_that_do_not_fit_are_refused(name, bad, error):
    COMPILED.largest_running_sums(*good().values())
    with pytest.raises(error):
        COMPILED.largest_running_sums(*{**good(), name: bad}.values())


@needs_kernels
def test_without_rows_the_sums_are_zero():
    none = np.zeros(0)
    assert largest_running_sums(np.zeros(0, np.int32), none, none, np.zeros((2, 0), np.uint16)).tolist() == [0.0, 0.0]


@needs_kernels
@needs_timer
def test_it_can_be_stopped():
    steps = np.zeros(2_000_000, np.int32)
    with stopped(after=0.2, within=5.0):
        largest_running_sums(steps, np.ones(1), np.ones(1), np.ones((4000, 1), np.uint16))
