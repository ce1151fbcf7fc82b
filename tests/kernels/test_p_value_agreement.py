"""The kernel of p-values of the normal distribution equals its plain definition, and refuses arrays that do not fit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from metaeval.correlation.soft_pairwise_accuracy import SoftOfSystems
from metaeval.kernels import COMPILED
from metaeval.kernels.p_value_agreement import _table, p_value_agreement
from tests.support.kernels import needs_timer, stopped

needs_kernels = pytest.mark.skipif(COMPILED is None, reason="nothing was compiled")


def of_lines(errors, human_errors, metrics, human):
    kinds = [SoftOfSystems(one, human_errors) for one in errors]
    return kinds[0].correlate_metrics(kinds, metrics, human)


@needs_kernels
@given(
    st.integers(1, 3), st.integers(0, 70), st.integers(2, 6), st.sampled_from([0.01, 1.0, 30.0]), st.integers(0, 2**32)
)
def test_it_equals_the_definitions(lines, rows, systems, scale, seed):
    rng = np.random.default_rng(seed)
    metrics, human = scale * rng.normal(size=(lines, rows, systems)), scale * rng.normal(size=(rows, systems))
    # Without an error there is no difference.
    pairs = systems * (systems - 1) // 2
    errors, human_errors = (rng.uniform(0.1, 1, size) * (rng.random(size) < 0.8) for size in ((lines, pairs), pairs))
    found = of_lines(errors, human_errors, metrics, human)
    first, later = np.triu_indices(systems, 1)
    with np.errstate(divide="ignore"):
        p, people = (
            np.where(one > 0, stats.norm.cdf((x[..., first] - x[..., later]) / one), 0.5)
            for x, one in ((metrics, errors[:, None]), (human, human_errors))
        )
    np.testing.assert_allclose(found, 1 - np.abs(p - people).mean(axis=2), rtol=0, atol=2e-13)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("metaeval.kernels.COMPILED", None)
        np.testing.assert_allclose(of_lines(errors, human_errors, metrics, human), found, rtol=0, atol=2e-13)


@needs_kernels
def test_the_table_has_thirteen_digits():
    # The distance of two systems against none, which is 1/2, everywhere and beyond the ends of the table.
    z = np.concatenate([np.linspace(-9, 9, 200_001), [-1e300, 1e300]])
    scores = np.stack([z, np.zeros(len(z))], axis=1)
    found = p_value_agreement(scores[None], np.zeros_like(scores), np.ones((1, 1)), np.ones(1))
    np.testing.assert_allclose(1 - found[0], np.abs(stats.norm.cdf(z) - 0.5), rtol=0, atol=1e-13)


@needs_kernels
def test_what_is_no_number_has_no_agreement():
    scores = np.array([[0.0, 1], [np.nan, 1], [np.inf, 1], [0, -np.inf]])
    found = p_value_agreement(scores[None], np.zeros_like(scores), np.ones((1, 1)), np.ones(1))
    assert np.isnan(found[0]).tolist() == [False, True, True, True]
    found = p_value_agreement(np.zeros((1, 4, 2)), scores, np.ones((1, 1)), np.ones(1))
    assert np.isnan(found[0]).tolist() == [False, True, True, True]
    # A scale that is none is no place outside the table either.
    assert 0 <= p_value_agreement(np.ones((1, 1, 2)), np.ones((1, 2)), np.full((1, 1), np.nan), np.ones(1))[0, 0] <= 1


def good() -> dict[str, object]:
    return {
        "x": np.zeros((2, 4, 3)),
        "y": np.zeros((4, 3)),
        "x_scale": np.ones((2, 3)),
        "y_scale": np.ones(3),
        "table": _table(),
        "lines": 2,
        "systems": 3,
        "agreement": np.empty((2, 4)),
    }


@needs_kernels
@pytest.mark.parametrize(
    ("name", "bad", "error"),
    [
        ("x", np.zeros((2, 4, 2)), ValueError),
        ("x", np.zeros((2, 4, 3), np.float32), TypeError),
        ("y", np.zeros((4, 2)), ValueError),
        ("y", np.zeros((5, 3)), ValueError),
        ("x_scale", np.ones(3), ValueError),
        ("y_scale", np.ones(2), ValueError),
        ("table", np.zeros((544, 6)), ValueError),
        ("lines", 1, ValueError),
        ("lines", -1, ValueError),
        ("lines", 2**62, ValueError),
        ("systems", 1, ValueError),
        ("systems", 2, ValueError),
        ("systems", 2**40, ValueError),
        ("agreement", np.empty(7), ValueError),
    ],
)
def test_arrays_that_do_not_fit_are_refused(name, bad, error):
    COMPILED.p_value_agreement(*good().values())
    with pytest.raises(error):
        COMPILED.p_value_agreement(*{**good(), name: bad}.values())


@needs_kernels
@needs_timer
def test_it_can_be_stopped():
    with stopped(after=0.2, within=5.0):
        p_value_agreement(np.zeros((5, 20_000, 100)), np.zeros((20_000, 100)), np.ones((5, 4950)), np.ones(4950))
