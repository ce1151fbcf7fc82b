from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from metaeval.correlation.coefficients import Pearson
from metaeval.correlation.grouping import correlate, orient, summarise

RNG = np.random.default_rng(3)
METRIC, HUMAN = RNG.normal(size=(2, 5, 4))


def scipy_pearson(x, y):
    return stats.pearsonr(x, y).statistic


@pytest.mark.parametrize(
    ("grouping", "expected"),
    [
        ("system", [scipy_pearson(METRIC[d], HUMAN[d]) for d in range(5)]),
        ("document", [scipy_pearson(METRIC[:, s], HUMAN[:, s]) for s in range(4)]),
        ("pooled", [scipy_pearson(METRIC.ravel(), HUMAN.ravel())]),
    ],
)
def test_groupings(grouping, expected):
    assert expected == pytest.approx(correlate(METRIC, HUMAN, Pearson(), grouping), abs=1e-12)


@pytest.mark.parametrize(
    ("same", "orientation", "sign"), [(True, "aligned", 1), (False, "aligned", -1), (True, "raw", 1), (False, "raw", 1)]
)
def test_only_the_aligned_coefficient_of_opposite_directions_is_turned(same, orientation, sign):
    assert (sign * METRIC[0]).tolist() == orient(METRIC[0], same_direction=same, orientation=orientation).tolist()


def test_summary_of_known_numbers():
    # Mean 0.3, s.d. sqrt(0.02 / 2) = 0.1, interval 0.3 -+ 1.959964 * 0.1 / sqrt(3).
    values = np.array([0.2, np.nan, 0.3, 0.4])
    summary = summarise(values, undefined="exclude", interval="normal", confidence_level=0.95)
    half = 1.959963984540054 * 0.1 / np.sqrt(3)

    assert (summary.n_used, summary.n_undefined) == (3, 1)
    assert [0.3, 0.1, 0.3 - half, 0.3 + half] == pytest.approx([summary.mean, summary.sd, summary.lower, summary.upper])


def test_undefined_can_count_zero_and_is_still_counted():
    summary = summarise(np.array([0.6, np.nan]), undefined="zero", interval="none", confidence_level=0.95)

    assert (summary.mean, summary.n_used, summary.n_undefined) == (0.3, 2, 1)
    assert np.isnan(summary.lower)


@pytest.mark.parametrize("values", [[], [np.nan, np.nan]])
def test_nothing_defined_is_undefined_not_zero(values):
    summary = summarise(np.array(values), undefined="exclude", interval="normal", confidence_level=0.95)

    assert np.isnan(summary.mean)
    assert (summary.n_used, summary.n_undefined) == (0, len(values))
