"""Standard errors and Student's t against scipy and hand calculations, and the fewest units that allow an interval."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from metaeval.components.mean_coefficient import MeanCoefficient
from metaeval.correlation.coefficients import Pearson
from metaeval.correlation.kendall import Kendall
from metaeval.correlation.standard_error import (
    PairedT,
    StandardError,
    StandardErrorTest,
    Student,
    effective,
    error_of_mean,
    too_few,
)

RNG = np.random.default_rng(3)
A, B = RNG.normal(0.5, 0.2, 60), RNG.normal(0.4, 0.2, 60)


def estimate(*coefficients, **settings):
    n = len(coefficients[0])
    defaults = {"coefficient": Pearson(), "n_documents": n, "n_systems": 8, "sample_sizes": {"segments": n}}
    return MeanCoefficient(coefficients=coefficients, **{**defaults, **settings})


def test_the_interval_of_a_mean_is_that_of_scipy():
    found = Student().confidence_interval(estimate(A))
    expected = stats.t.interval(0.95, 59, loc=A.mean(), scale=stats.sem(A))
    assert (found.lower, found.upper) == pytest.approx(expected, abs=1e-12)
    holes = np.where(np.arange(60) % 7 == 0, np.nan, A)
    known = holes[~np.isnan(holes)]
    found = Student().confidence_interval(estimate(holes))
    expected = stats.t.interval(0.95, len(known) - 1, loc=known.mean(), scale=stats.sem(known))
    assert (found.lower, found.upper) == pytest.approx(expected, abs=1e-12)


def test_the_paired_test_is_that_of_scipy_for_each_alternative():
    for alternative in ("two-sided", "less", "greater"):
        found = PairedT(alternative=alternative).compare(estimate(A, B))
        expected = stats.ttest_rel(A, B, alternative=alternative)
        assert (found.statistic, found.p) == pytest.approx((expected.statistic, expected.pvalue), abs=1e-12)
        assert found.distribution == "t(59)"
    low, high = stats.ttest_rel(A, B).confidence_interval(0.95)
    found = PairedT().compare(estimate(A, B))
    assert (found.lower, found.upper) == pytest.approx((low, high), abs=1e-12)


def test_segments_of_a_document_are_one_unit():
    # Two documents of values 1, 3 and 2, 6: the mean is 3; sums about it are -2 and 2; the variance of the mean is
    # (4 + 4) * 2 / (2 - 1) / 4**2 = 1.
    assert error_of_mean(np.array([1.0, 3.0, 2.0, 6.0]), np.array([5, 5, 9, 9])) == (pytest.approx(1.0), 2)
    # A document for each segment changes nothing.
    alone, grouped = (Student().confidence_interval(estimate(A, groups=one)) for one in (None, np.arange(60)))
    assert (alone.lower, alone.upper) == pytest.approx((grouped.lower, grouped.upper), abs=1e-12)
    # One of 51 segments and nine of one say as much as 60**2 / (51**2 + 9) = 1.38 of equal size, ten of six as ten.
    assert effective(np.repeat(np.arange(10), [51, *[1] * 9])) == pytest.approx(3600 / 2610)
    assert effective(np.repeat(np.arange(10), 6)) == 10
    large = Student().confidence_interval(
        estimate(A, groups=np.repeat(np.arange(10), [51, *[1] * 9]), sample_sizes={"documents": 1.4})
    )
    assert large.undefined_because == "undecided: 10 documents, as good as 1.4 of equal size, are too few"
    two = Student().confidence_interval(estimate(A, groups=np.repeat([0, 1], 30), sample_sizes={"documents": 2}))
    assert two.undefined_because == "undecided: 2 documents are too few"
    # Documents whose segments are all the same are as many values as there are documents.
    repeated, groups = np.repeat(A[:15], 4), np.repeat(np.arange(15), 4)
    found = Student().confidence_interval(estimate(repeated, groups=groups, sample_sizes={"documents": 15}))
    expected = stats.t.interval(0.95, 14, loc=A[:15].mean(), scale=stats.sem(A[:15]))
    assert (found.lower, found.upper) == pytest.approx(expected, abs=1e-12)
    assert PairedT().compare(estimate(repeated, np.repeat(B[:15], 4), groups=groups)).p == pytest.approx(
        stats.ttest_rel(A[:15], B[:15]).pvalue, abs=1e-12
    )


@pytest.mark.parametrize("sizes", [[4, 4, 4], [1, 2, 9], [5, 1, 1, 1, 12], [30, 2, 8, 20]])
def test_the_error_of_a_mean_is_that_of_leaving_documents_out(sizes):
    values, groups = A[: sum(sizes)], np.repeat(np.arange(len(sizes)), sizes)
    without = np.array([values[groups != one].mean() for one in range(len(sizes))])
    expected = np.sqrt((len(sizes) - 1) / len(sizes) * np.square(without - values.mean()).sum())
    error, units = error_of_mean(values, groups)
    assert error == pytest.approx(expected, rel=1e-12)
    assert units == pytest.approx(sum(sizes) ** 2 / np.square(sizes).sum())
    found = Student().confidence_interval(estimate(values, groups=groups, sample_sizes={"documents": units}))
    if units >= 3:
        half = stats.t.ppf(0.975, units - 1) * expected
        assert (found.lower, found.upper) == pytest.approx((values.mean() - half, values.mean() + half), abs=1e-12)
    else:
        assert found.undefined_because.startswith(f"undecided: {len(sizes)} documents, as good as ")


def test_replicates_give_a_standard_error():
    replicates = RNG.normal(0.5, 0.05, 400)
    found = StandardError().confidence_interval(estimate(A, replicates=[replicates], sample_sizes={"segments": 500}))
    half = stats.t.ppf(0.975, 399) * replicates.std(ddof=1)
    assert (found.lower, found.upper) == pytest.approx((A.mean() - half, A.mean() + half), abs=1e-12)
    # Fewer units than replicates have fewer degrees of freedom; what cannot be exceeded is not.
    few = StandardError().confidence_interval(
        estimate(A, replicates=[replicates * 8], sample_sizes={"segments": 12}, coefficient=Kendall())
    )
    assert few.upper == 1.0
    assert few.lower == max(-1.0, A.mean() - stats.t.ppf(0.975, 11) * 8 * replicates.std(ddof=1))
    other = RNG.normal(0.4, 0.05, 400)
    test = StandardErrorTest().compare(estimate(A, B, replicates=(replicates, other), sample_sizes={"segments": 500}))
    t = (A - B).mean() / (replicates - other).std(ddof=1)
    assert test.p == pytest.approx(2 * stats.t.sf(abs(t), 399), rel=1e-9)
    # All possible replicates of five systems, each with its probability.
    weights = np.full(400, 1 / 400)
    found = StandardError().confidence_interval(
        estimate(A, replicates=[replicates], weights=weights, sample_sizes={"systems": 5})
    )
    half = stats.t.ppf(0.975, 4) * replicates.std()
    assert found.lower == pytest.approx(A.mean() - half, abs=1e-12)


@pytest.mark.parametrize(
    ("units", "pooled", "told"),
    [
        ({"segments": 9}, False, "it needs at least 10 segments, and there are 9"),
        ({"segments": 10}, False, ""),
        ({"documents": 2}, False, "it needs at least 3 documents, and there are 2"),
        ({"documents": 3.0}, False, ""),
        ({"segments": 99}, True, "it needs at least 100 segments that are pooled, and there are 99"),
        ({"segments": 100}, True, ""),
        ({"segments": 400, "systems": 4}, False, "it needs at least 5 systems, and there are 4"),
    ],
)
def test_too_few_units_have_a_reason(units, pooled, told):
    assert too_few(units, pooled=pooled) == told


def test_what_gives_no_p_says_why():
    assert PairedT().compare(estimate(A[:9], B[:9])).untested_because.startswith("it needs at least 10 segments")
    assert PairedT().compare(estimate(A, A)).p == 1.0
    constant = PairedT().compare(estimate(A, A - 0.1))
    assert (constant.untested_because, np.isnan(constant.p)) == ("the difference is the same everywhere", True)
    few = estimate(A, B, replicates=(A[:49], B[:49]))
    assert "it needs at least 50 bootstrap replicates" in StandardErrorTest().compare(few).untested_because
    mostly = estimate(A, B, replicates=(np.where(np.arange(60) < 31, np.nan, A), B))
    assert StandardErrorTest().compare(mostly).untested_because == "more than half of the replicates have no value"
    equal = estimate(A, A, replicates=(A, A))
    assert StandardErrorTest().compare(equal).p == 1.0
