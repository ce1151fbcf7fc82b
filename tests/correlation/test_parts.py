"""Two parts of the judgments of each item: what they are made of, and that every split is equally likely."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chisquare

from metaeval.correlation.ceiling import KINDS, draw_parts, length_factor
from metaeval.judgments.combining import group_by_item


def grouped(counts, values=None):
    """Return judgments for an array of counts (systems, segments); powers of 2 unless values are given."""
    counts = np.asarray(counts)
    systems, segments = np.repeat(np.indices(counts.shape).reshape(2, -1), counts.ravel(), axis=1)
    n = int(counts.sum())
    values = 2.0 ** np.arange(n) if values is None else np.asarray(values, float)
    return group_by_item(systems, segments, np.arange(n), values, counts.shape)


def test_parts_are_made_of_different_judgments_and_of_all():
    # A sum of powers of 2 shows which are in it.
    counts = np.array([[2, 3, 5], [4, 1, 0]])
    judged = grouped(counts)
    parts = draw_parts(judged, 40, np.random.default_rng(1))

    for kind in KINDS:
        assert (parts[kind][0][:, 1, 1:] == 0).all()
        assert (parts[kind][1][:, 1, 1:] == 0).all()
    sizes = {item: set() for item in zip(*np.nonzero(counts > 1), strict=True)}
    for item, seen in sizes.items():
        count = counts[item]
        members = {judged.values[judged.starts[item] + k] for k in range(count)}
        for draw in range(40):
            one, other = (side[draw][item] for side in parts["inter-judge"])
            assert {one, other} <= members
            assert one != other
            assert parts["one-against-rest"][0][draw][item] == one
            assert parts["one-against-rest"][1][draw][item] * (count - 1) + one == sum(members)
            # The halves: a size that makes the first a sum of members, the second being the sum of all others.
            first, second = (side[draw][item] for side in parts["split-half"])
            fits = [k for k in range(1, count) if first * k + second * (count - k) == pytest.approx(sum(members))]
            seen.update(fits)
            assert fits
    # An odd number is split either way.
    assert sizes == {(0, 0): {1}, (0, 1): {1, 2}, (0, 2): {2, 3}, (1, 0): {2}}


def test_every_split_is_equally_likely():
    parts = draw_parts(grouped([[4]]), 6000, np.random.default_rng(2))
    pairs, n_pairs = np.unique(
        parts["inter-judge"][0].ravel() * 100 + parts["inter-judge"][1].ravel(), return_counts=True
    )
    halves, n_halves = np.unique(parts["split-half"][0].ravel(), return_counts=True)
    assert (len(pairs), len(halves)) == (12, 6)
    assert chisquare(n_pairs).pvalue > 0.001
    assert chisquare(n_halves).pvalue > 0.001


def test_which_half_of_an_odd_number_is_longer_is_drawn():
    parts = draw_parts(grouped([[3]]), 3000, np.random.default_rng(3))
    # Halves of one are 1, 2 or 4; halves of two are 1.5, 2.5 or 3.
    values, counts = np.unique(parts["split-half"][0].ravel(), return_counts=True)
    assert values.tolist() == [1, 1.5, 2, 2.5, 3, 4]
    assert chisquare(counts).pvalue > 0.001


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ([2, 2], 2.0),
        ([4, 6, 8], 2.0),
        # Halves of 1 and 2: (1 + 1/2) / 2 = 3/4, against 1/3.
        ([3, 3], 2.25),
        # (1 + 3/4) / 2 against (1/2 + 1/3) / 2.
        ([2, 3], (7 / 8) / (5 / 12)),
        # (1/2 + 1/3) / 2 against 1/5.
        ([5], 25 / 12),
        # Items judged once have no halves.
        ([[2, 1], [0, 2]], 2.0),
    ],
)
def test_length_factor_by_hand(counts, expected):
    assert length_factor(np.array(counts)) == pytest.approx(expected, abs=1e-15)


def test_without_halves_there_is_no_length_factor():
    assert np.isnan(length_factor(np.array([1, 0])))
