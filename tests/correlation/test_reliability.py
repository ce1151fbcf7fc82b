"""Spearman and Brown's formula by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.correlation.ceiling import ceiling_of, stepped_up


def test_stepped_up_by_hand():
    # 2 * 0.6 / 1.6; 3 * 0.5 / 2; a correlation of 0 or 1 stays; below 0 it falls.
    np.testing.assert_allclose(stepped_up([0.6, 0.0, 1.0, -0.2], 2.0), [0.75, 0.0, 1.0, -0.5], atol=1e-15)
    assert stepped_up(0.5, 3.0) == pytest.approx(0.75, abs=1e-15)
    assert np.isnan(stepped_up([-0.5, -0.6], 3.0)).tolist() == [True, True]


@given(st.floats(-0.3, 1.0), st.floats(1.0, 2.0), st.floats(1.0, 2.0))
def test_stepping_up_twice_is_stepping_up_by_the_product(r, first, second):
    once = stepped_up(r, first * second)
    assert stepped_up(stepped_up(r, first), second) == pytest.approx(float(once), abs=1e-9)


def test_the_formula_of_errors():
    # Truth of variance 1 and errors of variance 3: one judgment has reliability 1/4, the mean of six 1 / (1 + 3/6).
    assert stepped_up(0.25, 6.0) == pytest.approx(2 / 3, abs=1e-15)
    # A number below 0 has no root, and is no share of truth.
    np.testing.assert_allclose(ceiling_of([0.25, 1.0, 0.0, -0.1, np.nan]), [0.5, 1.0, 0.0, np.nan, np.nan])
