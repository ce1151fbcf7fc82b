"""What follows from the coefficients of one metric, or of two on the same documents, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from metaeval.components.mean_coefficient import MeanCoefficient
from metaeval.correlation.coefficients import Pearson

A, B = np.array([0.5, np.nan, 0.25, 0.75]), np.array([0.25, 0.5, 0.5, np.nan])


def mean_coefficient(*coefficients, **settings):
    return MeanCoefficient(coefficients=coefficients, coefficient=Pearson(), n_documents=4, n_systems=5, **settings)


def test_of_one_metric_is_the_mean_of_its_coefficients():
    # .5, .25 and .75: the mean is .5, and the deviations 0, -.25 and .25 have the variance .125 / 2.
    one = mean_coefficient(A, replicates=[B])
    assert one.values.tolist() == pytest.approx(A.tolist(), nan_ok=True)
    assert one.replicate_values.tolist() == pytest.approx(B.tolist(), nan_ok=True)
    assert (one.value, one.sd, one.n_used) == (0.5, 0.25, 3)


def test_of_two_metrics_is_the_mean_difference_where_both_are_defined():
    # Both are defined in the first and the third place: .25 and -.25.
    two = mean_coefficient(A, B, replicates=[B, A])
    assert two.values.tolist() == pytest.approx([0.25, np.nan, -0.25, np.nan], nan_ok=True)
    assert two.replicate_values.tolist() == pytest.approx([-0.25, np.nan, 0.25, np.nan], nan_ok=True)
    assert (two.value, two.n_used) == (0.0, 2)


def test_nothing_defined_has_no_value():
    nothing = mean_coefficient(A[1:2])
    assert np.isnan([nothing.value, nothing.sd]).all()
    assert nothing.n_used == 0
    # One coefficient has a mean and no standard deviation.
    assert (mean_coefficient(A[:1]).value, np.isnan(mean_coefficient(A[:1]).sd)) == (0.5, True)
