from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chisquare

from metaeval.judgments.combining import draw_judgments, group_by_item, reduce_items, restrict

# Two systems, three segments. Item (0, 0) has 1, 2, 6; (0, 2) has 4; (1, 0) has 5, 3; (1, 1) has 2, 2; others none.
SYSTEMS = np.array([0, 1, 0, 0, 1, 0, 1, 1])
SEGMENTS = np.array([0, 0, 2, 0, 1, 0, 0, 1])
JUDGES = np.array([0, 0, 0, 1, 0, 2, 1, 1])
VALUES = np.array([1.0, 5.0, 4.0, 2.0, 2.0, 6.0, 3.0, 2.0])


@pytest.fixture
def judged():
    return group_by_item(SYSTEMS, SEGMENTS, JUDGES, VALUES, (2, 3))


def test_judgments_of_an_item_stand_together_by_judge(judged):
    assert judged.counts.tolist() == [[3, 0, 1], [2, 2, 0]]
    assert judged.values[judged.starts[0, 0] :][:3].tolist() == [1.0, 2.0, 6.0]
    assert judged.values[judged.starts[1, 0] :][:2].tolist() == [5.0, 3.0]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("mean", [[3.0, np.nan, 4.0], [4.0, 2.0, np.nan]]),
        ("draw", [[3.0, np.nan, 4.0], [4.0, 2.0, np.nan]]),
        ("median", [[2, np.nan, 4], [4, 2, np.nan]]),
    ],
)
def test_an_item_counts_once_however_often_it_was_judged(judged, rule, expected):
    reduced = reduce_items(judged, rule)

    np.testing.assert_array_equal(reduced[..., 0], expected)
    assert reduced[..., 1].tolist() == [[1, 0, 1], [1, 1, 0]]


def test_the_order_of_the_file_does_not_matter(judged):
    order = np.array([7, 3, 0, 6, 2, 5, 1, 4])
    again = group_by_item(SYSTEMS[order], SEGMENTS[order], JUDGES[order], VALUES[order], (2, 3))

    assert judged.values.tolist() == again.values.tolist()


def test_restricting_keeps_the_order_asked_for(judged):
    assert restrict(judged, np.array([1]), np.array([2, 0])).counts.tolist() == [[0, 2]]


def generators(n, seed=0):
    return [np.random.default_rng([seed, system]) for system in range(n)]


def test_a_draw_takes_a_judgment_of_the_item_and_the_second_is_another():
    rng = np.random.default_rng(1)
    counts = rng.integers(2, 5, (3, 6))
    systems, segments = np.repeat(np.indices((3, 6)).reshape(2, -1), counts.ravel(), axis=1)
    judged = group_by_item(systems, segments, np.arange(counts.sum()), np.arange(counts.sum(), dtype=float), (3, 6))
    chosen = rng.integers(0, 6, (200, 7))
    drawn = draw_judgments(judged, chosen, generators(3), two=True)
    for system in range(3):
        start = judged.starts[system][chosen]
        for positions in (drawn.first[:, system], drawn.second[:, system]):
            assert (positions >= start).all()
            assert (positions < start + counts[system][chosen]).all()
    assert (drawn.first != drawn.second).all()


def test_every_ordered_pair_of_judgments_is_equally_likely():
    judged = group_by_item(np.zeros(3, int), np.zeros(3, int), np.arange(3), np.arange(3.0), (1, 1))
    drawn = draw_judgments(judged, np.zeros((6000, 1), int), generators(1, 7), two=True)
    pairs = drawn.first.ravel() * 3 + drawn.second.ravel()
    counts = np.bincount(pairs, minlength=9)

    assert counts[[0, 4, 8]].tolist() == [0, 0, 0]
    assert chisquare(counts[[1, 2, 3, 5, 6, 7]]).pvalue > 0.001


def test_the_first_draw_does_not_depend_on_whether_there_is_a_second():
    judged = group_by_item(np.zeros(3, int), np.zeros(3, int), np.arange(3), np.arange(3.0), (1, 1))
    chosen = np.zeros((50, 2), int)
    one = draw_judgments(judged, chosen, generators(1), two=False)
    two = draw_judgments(judged, chosen, generators(1), two=True)

    assert one.second is None
    assert one.first.tolist() == two.first.tolist()
