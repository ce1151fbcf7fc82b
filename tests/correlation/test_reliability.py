"""Spearman and Brown's formula and fractions of a ceiling by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from metaeval.correlation.ceiling import ceiling_of, fraction_of_ceiling, stepped_up


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


def test_shares_and_what_has_none():
    rng = np.random.default_rng(2)
    metric, ceiling = rng.normal(0.5, 0.05, 103), rng.normal(0.8, 0.02, 103)
    metric[0], ceiling[1], ceiling[2] = np.nan, 0.0, -0.1
    fractions = metric[3:] / ceiling[3:]
    share = fraction_of_ceiling(0.6, metric, ceiling, {"segments": 60}, confidence_level=0.5)
    # 60 segments are fewer than 100 replicates; the quartile of Student's t.
    half = stats.t.ppf(0.75, 59) * fractions.std(ddof=1)
    assert (share.lower, share.upper) == pytest.approx((0.6 - half, 0.6 + half), abs=1e-12)
    assert (share.n_used, share.n_undefined) == (100, 3)
    # At a ceiling of 0.8 no metric reaches more than 1 / 0.8 = 1.25 of it, in either direction.
    wide = fraction_of_ceiling(1.0, np.tile([-1.0, 1.0], 50), np.full(100, 0.8), {"segments": 60}, largest=1.25)
    assert (wide.lower, wide.upper) == (-1.25, 1.25)
    weighted = fraction_of_ceiling(
        0.6, metric[3:], ceiling[3:], {"segments": 60}, confidence_level=0.5, weights=np.full(100, 0.01)
    )
    assert weighted.upper == pytest.approx(0.6 + stats.t.ppf(0.75, 59) * fractions.std(), abs=1e-12)
    nothing = fraction_of_ceiling(0.6, metric[3:], np.zeros(100), {"segments": 60})
    assert np.isnan([nothing.lower, nothing.upper]).all()
    assert (nothing.n_used, nothing.n_undefined) == (0, 100)
    with pytest.raises(ValueError, match="must be equally long"):
        fraction_of_ceiling(0.6, metric, ceiling[:2], {"segments": 60})
