"""Bootstrap limits and the paired bootstrap against scipy, nlpstats, hand calculations, and laws."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from metaeval.correlation.bootstrap_intervals import bootstrap_interval
from metaeval.correlation.coefficients import Pearson
from metaeval.correlation.paired_bootstrap import bootstrap_test
from metaeval.errors import UsageError
from metaeval.sampling.resamples import draw_resamples
from tests.support.gold import stats_gold, stats_scores

VALUES = st.floats(-5, 5).map(lambda x: round(x, 3))


def rng(seed=1):
    return np.random.Generator(np.random.PCG64(seed))


@pytest.mark.parametrize("confidence_level", [0.8, 0.95])
def test_percentiles_are_numpys(confidence_level):
    replicates = rng().normal(size=501)
    found = bootstrap_interval(0.0, replicates, confidence_level=confidence_level)
    tail = (1 - confidence_level) / 2

    assert [found.lower, found.upper] == pytest.approx(np.quantile(replicates, [tail, 1 - tail]), abs=1e-12)


def variance(x, y, axis=-1):
    return np.var(x, axis=axis) - np.mean(y, axis=axis) ** 2


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.skipif(scipy.__version__ < "1.15", reason="scipy before 1.15 has no `rng` to give it the same replicates")
def test_corrected_limits_equal_scipys_of_one_and_of_two_samples(seed):
    # The same replicates are given to scipy, which adds none and makes its own jackknife.
    x, y = rng(seed).normal(size=15), rng(seed + 9).exponential(size=9)
    for data, statistic in (((x,), lambda x, axis=-1: np.var(x, axis=axis)), ((x, y), variance)):
        drawn = stats.bootstrap(data, statistic, n_resamples=999, rng=rng(seed)).bootstrap_distribution
        given = SimpleNamespace(bootstrap_distribution=drawn)
        expected = stats.bootstrap(
            data, statistic, n_resamples=0, bootstrap_result=given, method="BCa"
        ).confidence_interval
        left_out = [
            np.array(
                [
                    statistic(*(np.delete(one, unit) if place == sample else one for place, one in enumerate(data)))
                    for unit in range(len(data[sample]))
                ]
            )
            for sample in range(len(data))
        ]
        found = bootstrap_interval(float(statistic(*data)), drawn, limits="bca", jackknife=left_out)
        assert [found.lower, found.upper] == pytest.approx([expected.low, expected.high], abs=1e-12)


def system_level(segments, systems):
    """Return replicates of the system-level Pearson between gold's metric A and people."""
    metric, human = stats_scores("metricA"), stats_scores("human")
    what = "both" if segments and systems else "segments" if segments else "systems"
    drawn = draw_resamples(what, 30, 8, 4000, rng_segments=rng(1), rng_systems=rng(2))
    counts = np.full((1, 30), 1.0) if drawn.segments is None else drawn.segments.astype(float)
    x, y = counts @ metric.T / 30, counts @ human.T / 30
    if drawn.systems is not None:
        x, y = (np.broadcast_to(one, (4000, 8)) for one in (x, y))
        x, y = (np.take_along_axis(one, drawn.systems, axis=1) for one in (x, y))
    return Pearson()(x, y)


@pytest.mark.parametrize(
    ("resample", "segments", "systems"), [("systems", False, True), ("inputs", True, False), ("both", True, True)]
)
def test_limits_of_system_correlations_equal_nlpstats(resample, segments, systems):
    # Origin: nlpstats, 3000 resamples; tolerance 0.03 for system-level limits. The low limit of "both" lies in a long
    # tail: over 40 seeds, 3000 resamples give 0.474 with a standard deviation of 0.030, of which 4 are allowed.
    gold = stats_gold("gold.json")["bootstrap_and_fisher"]
    expected = gold[f"nlpstats A vs human level=system pearson resample={resample} 95%"]
    found = bootstrap_interval(0.0, system_level(segments, systems))

    assert found.lower == pytest.approx(expected["lower"], abs=0.12 if resample == "both" else 0.03)
    assert found.upper == pytest.approx(expected["upper"], abs=0.03)


@pytest.mark.parametrize(("method", "limits"), [("percentile", "percentile"), ("BCa", "bca")])
def test_limits_over_segments_equal_scipy(method, limits):
    # Origin: scipy 1.17.1, 9,999 resamples; tolerance 0.02.
    gold = stats_gold("gold.json")["bootstrap_and_fisher"]
    expected = gold[f"scipy {method} pearson(metricA,adequacy) system s00, 9999"]
    x, y = stats_scores("metricA")[0], stats_scores("adequacy")[0]
    counts = draw_resamples("segments", 30, 8, 9999, rng_segments=rng(1), rng_systems=rng(2)).segments
    drawn = np.repeat(np.tile(np.arange(30), len(counts)), counts.ravel()).reshape(-1, 30)
    left_out = np.array([Pearson()(np.delete(x, unit), np.delete(y, unit)) for unit in range(30)])
    found = bootstrap_interval(
        float(Pearson()(x, y)), Pearson()(x[drawn], y[drawn]), limits=limits, jackknife=[left_out]
    )

    assert found.lower == pytest.approx(expected["lower"], abs=0.02)
    assert found.upper == pytest.approx(expected["upper"], abs=0.02)


@pytest.mark.parametrize(
    ("replicates", "settings", "because"),
    [
        # A perfect order stays one in every replicate, and rounding tells nothing either.
        ([1.0] * 9, {}, "all replicates are equal"),
        ([1.0, 1.0 - 1e-15, np.nan], {}, "all replicates are equal"),
        ([0.5], {}, "all replicates are equal"),
        ([0.2, 0.5], {"n_units": 1}, "there is one unit to draw from"),
        ([np.nan, np.nan], {}, "no replicate has a value"),
        ([0.2, 0.5, 0.9], {"limits": "bca", "jackknife": [np.array([0.1, 0.5, 0.6, 0.7])]}, "and there are 4"),
        ([0.2, 0.3, 0.4], {"limits": "bca", "jackknife": [np.arange(5.0)]}, "on one side of the value"),
        ([0.2, 0.5, 0.9], {"limits": "bca", "jackknife": [np.arange(5.0)]}, ""),
        ([0.2, 0.5, 0.9], {"n_units": 2}, ""),
    ],
)
def test_an_interval_without_limits_tells_why(replicates, settings, because):
    found = bootstrap_interval(0.5, np.array(replicates), **settings)

    assert because in found.undefined_because
    assert bool(because) == bool(found.undefined_because)
    assert np.isnan([found.lower, found.upper]).tolist() == [bool(because)] * 2


def test_equal_metrics_have_a_difference_of_0_without_limits():
    # Two of three replicates are 0.5 for both; the third is undefined for one.
    found = bootstrap_test(0.0, np.array([0.5, 0.5, 0.5]), np.array([0.5, 0.5, np.nan]), n_units=9)

    assert (found.difference, found.p, found.n_used, found.n_undefined) == (0.0, 1.0, 2, 1)
    assert np.isnan([found.lower, found.upper]).all()


def test_every_replicate_of_three_units_by_hand():
    # The means of 3 draws of 0, 1, 2: of 27, 1 sums to 0, 3 to 1, 6 to 2, 7 to 3, 6 to 4, 3 to 5, 1 to 6.
    drawn = draw_resamples("systems", 0, 3, 10, rng_segments=rng(), rng_systems=rng())
    assert len(drawn) == 10  # 5 choose 3
    sums = np.arange(3.0)[drawn.systems].sum(axis=1)
    chances = [drawn.weights[sums == total].sum() * 27 for total in range(7)]
    assert chances == pytest.approx([1, 3, 6, 7, 6, 3, 1])
    # 2.5 % is reached by the first (3.7 %), 97.5 % by the last only (96.3 % before). 80 % leaves 10 % on either side:
    # 4/27 = 14.8 % reach it at 1, and 26/27 at 5, 23/27 = 85 % at 4.
    whole = bootstrap_interval(1.0, sums, weights=drawn.weights)
    inner = bootstrap_interval(1.0, sums, weights=drawn.weights, confidence_level=0.8)
    assert (whole.lower, whole.upper) == (0.0, 6.0)
    assert (inner.lower, inner.upper) == (1.0, 5.0)


def test_degenerate_replicates_are_counted_and_left_out():
    found = bootstrap_interval(0.5, np.array([0.1, np.nan, 0.3, np.nan, 0.2]), confidence_level=0.5)
    assert (found.n_used, found.n_undefined) == (3, 2)
    assert (found.lower, found.upper) == pytest.approx((0.15, 0.25))
    nothing = bootstrap_interval(0.5, np.array([np.nan, np.nan]))
    assert np.isnan([nothing.lower, nothing.upper]).all()
    assert nothing.n_undefined == 2


def test_a_value_beyond_all_replicates_has_no_corrected_limits():
    found = bootstrap_interval(2.0, np.array([0.1, 0.2]), limits="bca", jackknife=[np.array([1.0, 2.0, 4.0])])
    assert np.isnan([found.lower, found.upper]).all()
    with pytest.raises(ValueError, match="needs the values without each unit"):
        bootstrap_interval(0.2, np.array([0.1, 0.3]), limits="bca")


def test_without_a_defined_jackknife_value_there_is_no_acceleration():
    # Half of the replicates lie on either side of the value, so the bias is 0 as well: plain percentiles are left.
    replicates = np.array([-2.0, -1.0, 1.0, 2.0])
    plain = bootstrap_interval(0.0, replicates)
    for jackknife in ([np.full(5, np.nan)], [np.array([0.3, *[np.nan] * 4])]):
        found = bootstrap_interval(0.0, replicates, limits="bca", jackknife=jackknife)
        assert (found.lower, found.upper) == pytest.approx((plain.lower, plain.upper), abs=1e-12)


@given(hnp.arrays(np.float64, st.integers(2, 40), elements=VALUES), st.floats(0.1, 3), st.floats(-2, 2))
def test_limits_follow_a_change_of_scale(replicates, factor, shift):
    plain = bootstrap_interval(float(replicates[0]), replicates)
    moved = bootstrap_interval(float(replicates[0]), factor * replicates + shift)
    expected = [factor * plain.lower + shift, factor * plain.upper + shift]
    assert [moved.lower, moved.upper] == pytest.approx(expected, nan_ok=True)
    # They are rounded to 3 digits, so that those which differ do so by more than rounding.
    assert (plain.lower <= plain.upper) == (len(set(replicates.tolist())) > 1)


@given(hnp.arrays(np.float64, st.integers(1, 40), elements=VALUES))
def test_equal_metrics_have_p_1_and_no_difference(replicates):
    # The second differs by rounding only, as coefficients of equal rank orders may.
    for weights in (None, np.full(len(replicates), 1 / len(replicates))):
        found = bootstrap_test(0.0, replicates, replicates + 4e-16, weights=weights)
        assert (found.difference, found.p) == (0.0, 1.0)
        assert np.isnan([found.lower, found.upper]).all()


def test_the_paired_bootstrap_by_hand():
    # Differences .1 .2 .3 -.1 and one undefined: of 4, one is at 0 or below, three at 0 or above.
    first = np.array([0.5, 0.6, 0.7, 0.3, np.nan])
    second = np.array([0.4, 0.4, 0.4, 0.4, 0.4])
    two_sided = bootstrap_test(0.2, first, second)
    assert two_sided.p == pytest.approx(2 * (1 + 1) / (4 + 1))
    assert (two_sided.n_used, two_sided.n_undefined) == (4, 1)
    assert bootstrap_test(0.2, first, second, alternative="greater").p == pytest.approx(2 / 5)
    assert bootstrap_test(0.2, first, second, alternative="less").p == pytest.approx(4 / 5)
    # Where all replicates are listed, nothing is added: weights .4 .3 .2 .05 .05, of the first four .95.
    weights = np.array([0.4, 0.3, 0.2, 0.05, 0.05])
    assert bootstrap_test(0.2, first, second, weights=weights).p == pytest.approx(2 * 0.05 / 0.95)
    with pytest.raises(UsageError, match=r"unknown alternative 'grater'; did you mean 'greater'\?"):
        bootstrap_test(0.2, first, second, alternative="grater")


@given(st.integers(0, 1000), st.floats(-1, 1))
def test_turned_round_the_paired_bootstrap_gives_the_same(seed, shift):
    x, y = rng(seed).normal(size=(2, 50)) * 0.3
    one, other = bootstrap_test(shift, x + shift, y), bootstrap_test(-shift, y, x + shift)
    assert one.p == pytest.approx(other.p, abs=1e-15)
    assert (one.lower, one.upper) == pytest.approx((-other.upper, -other.lower), abs=1e-12)
    assert 0 < one.p <= 1
    greater, less = (
        bootstrap_test(shift, first, second, alternative=side).p
        for first, second, side in ((x + shift, y, "greater"), (y, x + shift, "less"))
    )
    assert greater == pytest.approx(less, abs=1e-15)


def test_a_low_p_goes_with_limits_that_leave_out_0():
    x, y = rng(3).normal(size=(2, 2000)) * 0.1
    for shift in np.linspace(0.1, 0.4, 13):
        found = bootstrap_test(shift, x + shift, y)
        if abs(found.p - 0.05) > 0.002:
            assert (found.p < 0.05) == (found.lower > 0)
