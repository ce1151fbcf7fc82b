"""Scores without the noise that is in them: their covariance, and that units, signs and order do not matter."""

from __future__ import annotations

import numpy as np
import pytest

from metaeval.correlation.averages import Oriented
from metaeval.correlation.coefficients import Pearson
from metaeval.correlation.denoised import Denoised, denoised, noise_covariance


@pytest.fixture(name="world")
def _world():
    rng = np.random.default_rng(4)
    quality = 0.3 * rng.normal(size=12) + 0.15 * rng.normal(size=(3, 12))
    segments = rng.normal(size=(200, 3, 12)) + quality
    weights = rng.multinomial(200, np.full(200, 1 / 200), size=3000) / 200
    values = segments.mean(axis=0)
    return segments, values, np.einsum("bn,nlk->blk", weights, segments)


def test_the_noise_of_replicates_is_that_of_the_segments(world):
    segments, values, replicates = world
    own = segments - values
    own = own - own.mean(axis=2, keepdims=True)
    # A mean of 200 has a 200th of the variance of one; 11 degrees of freedom among 12 systems.
    expected = np.einsum("nik,njk->ij", own, own) / 11 / 200 / 199
    np.testing.assert_allclose(noise_covariance(values, replicates), expected, rtol=0.1, atol=2e-4)


def test_the_noise_of_few_systems_by_hand_and_by_its_law():
    # Two replicates of two systems, (1, -1) and (-1, 1). Neither replicates nor systems have a mean, the squares add up
    # to 4, and one degree of freedom among two replicates times one among two systems is 1.
    drawn = np.array([[[1.0, -1.0]], [[-1.0, 1.0]]])
    assert noise_covariance(np.zeros((1, 2)), drawn) == pytest.approx(np.array([[4.0]]))
    # Three systems whose noise is independent and has the variances 1, 4 and 9: that of a system is 14 / 3 on average.
    rng = np.random.default_rng(2)
    drawn = rng.normal(size=(40_000, 1, 3)) * [1.0, 2.0, 3.0]
    shared = rng.normal(size=(40_000, 1, 1))  # of a replicate, by all systems: no coefficient across systems sees it
    assert noise_covariance(np.zeros((1, 3)), drawn + shared) == pytest.approx(np.array([[14 / 3]]), rel=0.02)


def test_the_covariance_of_the_denoised_is_less_by_the_noise(world):
    _, values, replicates = world
    noise = noise_covariance(values, replicates)
    assert np.linalg.eigvalsh(np.cov(values) - noise).min() > 0
    np.testing.assert_allclose(np.cov(denoised(values, noise)), np.cov(values) - noise, atol=1e-12)
    np.testing.assert_allclose(denoised(values, noise).mean(axis=1), values.mean(axis=1), atol=1e-12)
    np.testing.assert_allclose(denoised(values, 0 * noise), values, atol=1e-12)
    # More noise than there is variance leaves none.
    np.testing.assert_allclose(np.cov(denoised(values, 1e6 * noise)), 0, atol=1e-9)


def test_units_order_and_company_do_not_matter(world):
    _, values, replicates = world
    noise, plain = noise_covariance(values, replicates), denoised(values, noise_covariance(values, replicates))
    units = np.array([1000.0, -0.001, 1.0])[:, None]
    np.testing.assert_allclose(denoised(values * units, noise * units * units.T), plain * units, rtol=1e-6)
    order = np.random.default_rng(1).permutation(12)
    np.testing.assert_allclose(denoised(values[:, order], noise), plain[:, order], atol=1e-12)
    turned = denoised(values[[1, 0, 2]], noise[np.ix_([1, 0, 2], [1, 0, 2])])
    np.testing.assert_allclose(turned, plain[[1, 0, 2]], atol=1e-12)


def test_equal_and_constant_lines(world):
    _, values, replicates = world
    twice, drawn = values[[0, 0, 2]], replicates[:, [0, 0, 2]]
    moved = denoised(twice, noise_covariance(twice, drawn))
    np.testing.assert_allclose(moved[0], moved[1], atol=1e-12)
    flat = values.copy()
    flat[1] = 3.0
    noise = 0.01 * np.diag([1.0, 0.0, 1.0])
    np.testing.assert_array_equal(denoised(flat, noise)[1], flat[1])
    # The others are what they are without it.
    np.testing.assert_allclose(denoised(flat, noise)[[0, 2]], denoised(flat[[0, 2]], noise[[0, 2]][:, [0, 2]]))


def test_the_replicates_of_a_line_and_of_pairs(world):
    _, values, replicates = world
    pearson = Pearson()
    found = Denoised(values, replicates)
    alone = found.coefficients([0], [pearson])[0]
    raw = pearson(replicates[:, 0], replicates[:, 2])
    estimate = float(pearson(values[0], values[2]))
    # Resampling adds noise, so that the plain replicates lie below the estimate; these do not.
    assert raw.mean() < estimate - 0.01
    assert abs(alone.mean() - estimate) < 0.5 * abs(raw.mean() - estimate)
    a, b = found.coefficients([0, 1], [pearson] * 2)
    b_again, a_again = found.coefficients([1, 0], [pearson] * 2)
    np.testing.assert_allclose(a, a_again, atol=1e-12)
    np.testing.assert_allclose(b, b_again, atol=1e-12)
    # A metric that is low for good has the same replicates under a sign.
    turned = values * np.array([[-1.0], [1.0], [1.0]])
    signed = Denoised(turned, replicates * np.array([[-1.0], [1.0], [1.0]]))
    np.testing.assert_allclose(signed.coefficients([0], [Oriented(pearson)])[0], alone, atol=1e-9)


def test_a_replicate_without_some_score_has_no_value(world):
    _, values, replicates = world
    holes = replicates[:100].copy()
    holes[7, 1, 3] = np.nan
    found = Denoised(values, holes).coefficients([1], [Pearson()])[0]
    assert np.flatnonzero(np.isnan(found)).tolist() == [7]
    whole = Denoised(values, np.delete(holes, 7, axis=0)).coefficients([1], [Pearson()])[0]
    np.testing.assert_allclose(np.delete(found, 7), whole, atol=1e-12)


def test_a_line_without_some_replicates_takes_none_from_others(world):
    _, values, replicates = world
    holes = replicates[:200].copy()
    holes[:150, 1] = np.nan
    found, whole = Denoised(values, holes), Denoised(values[[0, 2]], replicates[:200][:, [0, 2]])
    np.testing.assert_allclose(
        found.coefficients([0], [Pearson()])[0], whole.coefficients([0], [Pearson()])[0], atol=1e-12
    )
    a, b = found.coefficients([0, 1], [Pearson()] * 2)
    assert np.isnan(a[:150]).all()
    assert not np.isnan(b[150:]).any()
    # One whose score is missing altogether has nothing, and leaves the others theirs.
    none = values.copy()
    none[1, 3] = np.nan
    np.testing.assert_allclose(
        Denoised(none, replicates[:200]).coefficients([0], [Pearson()])[0],
        whole.coefficients([0], [Pearson()])[0],
        atol=1e-12,
    )
    assert np.isnan(Denoised(none, replicates[:200]).coefficients([1], [Pearson()])[0]).all()
