"""The jackknife over systems, by its formula from scipy's coefficients without each system."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from metaeval.components.mean_coefficient import MeanCoefficient
from metaeval.correlation.coefficients import Pearson
from metaeval.correlation.jackknife import Jackknife
from metaeval.correlation.kendall import Kendall

RNG = np.random.default_rng(8)
METRIC = RNG.normal(size=9)
HUMAN = METRIC + RNG.normal(size=9)


def estimate(value, without, coefficient):
    return MeanCoefficient(
        coefficients=[np.array([value])],
        coefficient=coefficient,
        n_documents=1,
        n_systems=len(without),
        jackknife=[np.array(without)],
    )


def without_each(measure):
    kept = [[other for other in range(9) if other != left] for left in range(9)]
    return [measure(METRIC[one], HUMAN[one]).statistic for one in kept]


def test_pearson_on_fisher_scale():
    r, without = stats.pearsonr(METRIC, HUMAN).statistic, without_each(stats.pearsonr)
    z = np.arctanh(without)
    half = stats.t.ppf(0.975, 7) * np.sqrt(8 / 9 * ((z - z.mean()) ** 2).sum())
    found = Jackknife().confidence_interval(estimate(r, without, Pearson()))
    assert (found.lower, found.upper) == pytest.approx(np.tanh([np.arctanh(r) - half, np.arctanh(r) + half]), abs=1e-12)


def test_kendall_as_it_is():
    tau, without = stats.kendalltau(METRIC, HUMAN).statistic, without_each(stats.kendalltau)
    half = stats.t.ppf(0.975, 7) * np.sqrt(8 / 9 * ((np.array(without) - np.mean(without)) ** 2).sum())
    found = Jackknife().confidence_interval(estimate(tau, without, Kendall()))
    assert (found.lower, found.upper) == pytest.approx((tau - half, min(tau + half, 1.0)), abs=1e-12)


@pytest.mark.parametrize(
    ("value", "without", "told"),
    [
        (0.9, [0.9, 0.8, 0.7, 0.9], "it needs at least 5 systems, and there are 4"),
        (0.9, [0.9, np.nan, 0.7, 0.9, 0.8], "there is no coefficient without some system"),
        (1.0, [1.0] * 6, "it is the same without each system"),
        (np.nan, [0.9, 0.8, 0.7, 0.9, 0.8], ""),
    ],
)
def test_what_has_no_interval_says_why(value, without, told):
    found = Jackknife().confidence_interval(estimate(value, without, Pearson()))
    assert found.undefined_because == told
    assert np.isnan([found.lower, found.upper]).all()
