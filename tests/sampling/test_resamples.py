from __future__ import annotations

import itertools
from math import comb, factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare, multinomial

from metaeval.correlation.sign_sums import signed_sums
from metaeval.datamodel.resampling import Resamples, Swaps, sign_table
from metaeval.sampling import resamples
from metaeval.sampling.resamples import OfGroups, draw_halves, draw_resamples, draw_swaps


def resampled(what: str, n_segments: int, n_systems: int, n: int, seed: int = 1) -> Resamples:
    segments, systems = np.random.default_rng([seed, 1]), np.random.default_rng([seed, 2])
    return draw_resamples(what, n_segments, n_systems, n, rng_segments=segments, rng_systems=systems)


def swapped(what: str, n_segments: int, n_systems: int, n: int, seed: int = 1) -> Swaps:
    return draw_swaps(what, n_segments, n_systems, n, rng=np.random.default_rng(seed))


@given(st.sampled_from(["segments", "systems", "both"]), st.integers(1, 30), st.integers(1, 30), st.integers(1, 40))
def test_every_replicate_has_as_many_units_as_there_are(what, n_segments, n_systems, n):
    drawn = resampled(what, n_segments, n_systems, n)

    assert (drawn.segments is None) == (what == "systems")
    assert (drawn.systems is None) == (what == "segments")
    if drawn.segments is not None:
        assert drawn.segments.shape == (len(drawn), n_segments)
        assert (drawn.segments.sum(axis=1) == n_segments).all()
    if drawn.systems is not None:
        assert drawn.systems.shape == (len(drawn), n_systems)
        assert drawn.systems.min() >= 0
        assert drawn.systems.max() < n_systems
    units = {"segments": n_segments, "systems": n_systems}.get(what)
    listed = units is not None and comb(2 * units - 1, units) <= n
    assert (drawn.weights is not None) == listed
    assert len(drawn) == (comb(2 * units - 1, units) if listed else n)


def test_every_unit_is_equally_likely():
    # 13 units are no divisor of 2**32: a wrong reduction of random bits would favour some.
    drawn = resampled("both", 13, 11, 5000)
    assert chisquare(drawn.segments.sum(axis=0, dtype=int)).pvalue > 0.001
    assert chisquare(np.bincount(drawn.systems.ravel(), minlength=11)).pvalue > 0.001


@given(st.integers(0, 5), st.integers(1, 70), st.integers(0, 2**32 - 1))
def test_a_word_stands_for_the_unit_at_its_share_of_all_words(replicates, units, seed):
    words = np.random.default_rng(seed).integers(0, 2**32, (replicates, units), dtype=np.uint32)
    expected = [[sum(int(w) * units // 2**32 == unit for w in row) for unit in range(units)] for row in words]
    assert resamples._counted(words).tolist() == expected


def test_extreme_words_stand_for_the_first_and_the_last_unit():
    assert resamples._counted(np.array([[0, 2**32 - 1, 2**31]], dtype=np.uint32)).tolist() == [[1, 1, 1]]


def test_draws_are_independent():
    # The number of times that a given unit of 7 is drawn is binomial, B(7, 1/7); its mean 1, its variance 6/7. Counts
    # of two units have the covariance -1/7.
    counts = resampled("segments", 7, 1, 1000).segments.astype(float)
    assert len(counts) == 1000  # 1716 possible ones, not listed
    expected = 1000 * np.array([comb(7, k) * (1 / 7) ** k * (6 / 7) ** (7 - k) for k in range(3)])
    found = np.bincount(counts[:, 2].astype(int), minlength=8)
    assert chisquare([*found[:3], found[3:].sum()], [*expected, 1000 - expected.sum()]).pvalue > 0.001
    # Five standard errors of a covariance of 1000 are below 0.15.
    assert np.cov(counts, rowvar=False) == pytest.approx(np.eye(7) - 1 / 7, abs=0.15)


def test_all_replicates_are_listed_where_they_are_few():
    # Origin of the weights: scipy's multinomial distribution of the counts.
    for n_units in (1, 2, 3, 4):
        possible = comb(2 * n_units - 1, n_units)
        segments, systems = (resampled(what, n_units, n_units, possible) for what in ("segments", "systems"))
        counts = segments.segments

        assert len({tuple(row) for row in counts.tolist()}) == len(segments) == possible
        assert segments.weights.sum() == pytest.approx(1.0, abs=1e-15)
        chances = multinomial(n_units, np.full(n_units, 1 / n_units)).pmf(counts)
        np.testing.assert_allclose(segments.weights, chances, rtol=1e-12)
        # Systems are listed alike, by their names.
        np.testing.assert_array_equal(systems.weights, segments.weights)
        np.testing.assert_array_equal([np.bincount(row, minlength=n_units) for row in systems.systems], counts)


def test_one_replicate_fewer_than_all_is_drawn():
    # Of three units there are ten: the hand-written weight of 0 1 2 is 3! / 27.
    assert resampled("segments", 3, 9, 9).weights is None
    listed = resampled("systems", 9, 3, 10)
    assert listed.segments is None
    assert listed.weights[listed.systems.tolist().index([0, 1, 2])] == pytest.approx(factorial(3) / 27, abs=1e-15)
    # Both kinds are never listed.
    assert resampled("both", 2, 2, 1000).weights is None


def test_segments_do_not_depend_on_what_is_drawn_beside_them():
    alone, beside = resampled("segments", 20, 9, 50), resampled("both", 20, 9, 50)
    np.testing.assert_array_equal(alone.segments, beside.segments)
    np.testing.assert_array_equal(resampled("systems", 20, 9, 50).systems, beside.systems)


@pytest.mark.parametrize("n_segments", [3, 50_001, 70_001, 200_000])
def test_blocks_change_no_draw(n_segments):
    # The definition: 32 random bits for each unit of each replicate, from one stream of words of 64 bits, and unit
    # w * n // 2**32 for the bits w. The blocks of the implementation hold 2**17 units.
    drawn = resampled("both", n_segments, 3, 5)
    rng = np.random.default_rng([1, 1])
    words = rng.integers(0, 2**64, size=-(-5 * n_segments // 2), dtype=np.uint64).astype("<u8").view("<u4")
    units = words[: 5 * n_segments].reshape(5, -1).astype(np.uint64) * np.uint64(n_segments) >> np.uint64(32)
    expected = [np.bincount(row.astype(np.int64), minlength=n_segments) for row in units]
    np.testing.assert_array_equal(drawn.segments, expected)


@pytest.mark.parametrize("n_segments", [7, 8, 70_001])
def test_counts_that_are_not_kept_are_drawn_again_the_same(n_segments):
    kept = resampled("both", n_segments, 3, 11).segments
    rngs = (np.random.default_rng([1, 1]), np.random.default_rng([1, 2]))
    memory = kept.nbytes - 1
    again = draw_resamples("both", n_segments, 3, 11, rng_segments=rngs[0], rng_systems=rngs[1], memory=memory).segments

    assert not isinstance(again, np.ndarray)
    assert (len(again), again.shape) == (11, kept.shape)
    for rows in (slice(None), slice(0, 4), slice(3, 8), slice(4, 5), slice(9, 20), slice(11, 12), 0, 5, 10):
        np.testing.assert_array_equal(again[rows], kept[rows])
    groups = np.arange(20) % n_segments % 5
    of_segments = OfGroups(again, groups)
    assert of_segments.shape == (11, 20)
    np.testing.assert_array_equal(of_segments[2:5], kept[2:5][:, groups])
    np.testing.assert_array_equal(of_segments[3], kept[3][groups])


SHAPES = {"segments": (7, 1), "systems": (1, 5), "both": (7, 5)}


@pytest.mark.parametrize("what", SHAPES)
def test_each_cell_is_exchanged_half_the_time_and_independently(what):
    n = 4000 if what == "both" else 31 if what == "systems" else 127  # one fewer than can be listed
    swaps = swapped(what, 7, 5, n)
    signs = swaps.signs(slice(None)).reshape(n, -1).astype(float)

    assert not swaps.exact
    assert swaps.shape == SHAPES[what]
    assert signs.shape == (n, np.prod(swaps.shape))
    assert set(np.unique(signs)) == {-1.0, 1.0}
    # Means and products have the standard error 1 / sqrt(n).
    assert np.abs(signs.mean(axis=0)).max() < 4.5 / n**0.5
    products = signs.T @ signs / n
    assert np.abs(products - np.eye(len(products))).max() < 4.5 / n**0.5


@pytest.mark.parametrize(("what", "n_cells"), [("segments", 3), ("systems", 4), ("both", 12)])
def test_all_exchanges_are_listed_where_they_are_few(what, n_cells):
    swaps = swapped(what, 3, 4, 2**n_cells)
    rows = swaps.signs(slice(None)).reshape(len(swaps), -1)

    assert swaps.exact
    assert {tuple(row) for row in rows.tolist()} == set(itertools.product([-1.0, 1.0], repeat=n_cells))
    assert len(swaps) == 2**n_cells
    assert (rows[0] == 1).all()
    assert not swapped(what, 3, 4, 2**n_cells - 1).exact


@given(st.integers(1, 9), st.integers(1, 9), st.integers(1, 20), st.integers(0, 2**32 - 1), st.integers(0, 19))
def test_signs_are_the_bits_that_were_packed(n_segments, n_systems, n, seed, start):
    bits = np.random.default_rng(seed).integers(0, 2, size=(n, n_segments, n_systems))
    swaps = Swaps(np.packbits(bits.reshape(n, -1).astype(np.uint8), axis=1), (n_segments, n_systems), exact=False)
    rows = slice(start, start + 3)

    assert len(swaps) == n
    for dtype in (np.float32, np.float64):
        signs = swaps.signs(rows, dtype)
        assert signs.dtype == dtype
        np.testing.assert_array_equal(signs, 1 - 2 * bits[rows])


@pytest.mark.parametrize("what", SHAPES)
def test_exchanges_that_are_not_kept_are_drawn_again_the_same(what, monkeypatch):
    kept = swapped(what, 77, 19, 40)
    monkeypatch.setattr(resamples, "_MAX_SWAPS_BYTES", 10)
    again = swapped(what, 77, 19, 40)

    assert not isinstance(again.packed, np.ndarray)
    assert (len(again), again.packed.shape, again.shape) == (40, kept.packed.shape, kept.shape)
    for rows in (slice(None), slice(0, 3), slice(5, 6), slice(38, 50)):
        np.testing.assert_array_equal(again.signs(rows), kept.signs(rows))
    weights = np.random.default_rng(3).normal(size=(np.prod(kept.shape), 2))
    np.testing.assert_array_equal(signed_sums(again, weights), signed_sums(kept, weights))


def test_signs_of_a_byte():
    # The first cell is the highest bit, as numpy packs them: 0b10000001 exchanges the first and the last.
    assert sign_table(np.float32)[0b10000001].tolist() == [-1, 1, 1, 1, 1, 1, 1, -1]


def test_the_same_generator_draws_the_same():
    for draw in (swapped, resampled):
        first, again, other = (draw("segments", 40, 3, 20, seed) for seed in (1, 1, 2))
        name = "packed" if draw is swapped else "segments"
        np.testing.assert_array_equal(getattr(first, name), getattr(again, name))
        assert (getattr(first, name) != getattr(other, name)).any()


@given(st.lists(st.integers(1, 9), min_size=2, max_size=9), st.integers(1, 20), st.integers(0, 9))
def test_halves_hold_whole_documents_once(sizes, length, seed):
    documents = np.repeat(np.arange(len(sizes)), sizes)
    found = draw_halves(documents, 12, length, np.random.default_rng(seed))
    largest = sum(sorted(sizes)[len(sizes) - len(sizes) // 2 :])
    if largest < length:
        assert np.isnan(found.shares).all()
        return
    for counts, share in zip(found.segments, found.shares, strict=True):
        held = {*documents[counts == 1]}
        assert len(held) == len(sizes) // 2
        assert counts.tolist() == [int(one in held) for one in documents]
        assert share == pytest.approx(counts.sum() / len(documents))
        assert counts.sum() >= min(2 * length, largest)
