"""Scores without the noise that is in them: their covariance, and that units, signs and order do not matter."""

from __future__ import annotations

import numpy as np
import pytest

from metaeval.correlation.denoised import denoised, noise_covariance


@pytest.fixture(name="world")
def _world():
    rng = np.random.default_rng(4)
    segments = rng.normal(size=(200, 3, 12)) + rng.normal(size=(3, 12)) * 0.6
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
    both = denoised(np.stack([values, values[[1, 0, 2]]]), np.stack([noise, noise[np.ix_([1, 0, 2], [1, 0, 2])]]))
    np.testing.assert_allclose(both, np.stack([plain, plain[[1, 0, 2]]]), atol=1e-12)


def test_equal_and_constant_lines(world):
    _, values, replicates = world
    twice, drawn = values[[0, 0, 2]], replicates[:, [0, 0, 2]]
    moved = denoised(twice, noise_covariance(twice, drawn))
    np.testing.assert_allclose(moved[0], moved[1], atol=1e-12)
    flat = values.copy()
    flat[1] = 3.0
    np.testing.assert_array_equal(denoised(flat, np.eye(3)), flat)
