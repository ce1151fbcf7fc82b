"""Person equivalents: by hand, by laws, and on ratings whose truth is known."""

from __future__ import annotations

import numpy as np
import pytest

from metaeval.ratings.equivalents import person_equivalents
from metaeval.ratings.likeness import PeopleRatings
from tests.ratings.support import of_matrix, published


def found_in(people, judge, kind="number", cluster=None):
    """Return the person equivalents of a judge beside (people, items)."""
    ratings = of_matrix(people, {"judge": judge}, kind)
    of_people = PeopleRatings.from_ratings(ratings, ratings.rater < len(people))
    items = np.arange(len(judge)) if cluster is None else cluster
    return person_equivalents(np.array(judge, dtype=float), of_people, items, is_label=kind == "label")


def test_by_hand():
    # Two people x, y and a judge z on 12 items, means 0: c = mean xy, v = mean (x^2 + y^2) / 2, b = mean z (x + y) / 2.
    x = np.array([1, -1, 2, -2, 1, -1, 0, 0, 2, -2, 1, -1], dtype=float)
    y = np.array([1, -1, 1, -1, 2, -2, 1, -1, 1, -1, 0, 0], dtype=float)
    z = np.array([2, -2, 0, 0, 1, -1, 1, -1, 0, 0, 1, -1], dtype=float)
    # xy sums to 14, x^2 to 22 and y^2 to 16, zx to 8 and zy to 10, z^2 to 14: c = 14 / 12, v = 19 / 12, b = 9 / 12,
    # w = 14 / 12, so that B = b^2 / w = 27 / 56, and k = B (v - c) / (c (c - B)) = .2515528.
    # Five times over, because fewer than 50 items are refused.
    x, y, z = (np.tile(one, 5) for one in (x, y, z))
    assert found_in([x, y], z).value == pytest.approx(0.2515528, abs=1e-6)
    # The means of raters and the scale of the judge do not matter.
    assert found_in([x + 3, y - 2], z * 5 + 1).value == pytest.approx(0.2515528, abs=1e-6)


def simulated(rng, n, people, judge_variance):
    """Return (people, items) and a judge with independent errors: a person has error variance 1, the truth 1."""
    truth = rng.normal(size=n)
    return truth + rng.normal(size=(people, n)), truth + rng.normal(size=n) * judge_variance**0.5


@pytest.mark.parametrize(("judge_variance", "expected"), [(1.0, 1.0), (0.5, 2.0), (2.0, 0.5)])
def test_a_judge_with_the_errors_of_k_people_is_worth_k(judge_variance, expected):
    # The mean of k people has error variance 1 / k.
    people, judge = simulated(np.random.default_rng(5), 40_000, 3, judge_variance)
    found = found_in(people, judge)
    assert found.value == pytest.approx(expected, rel=0.06)
    assert found.lower < expected < found.upper


def test_where_it_ends_and_where_it_is_refused():
    rng = np.random.default_rng(8)
    people, judge = simulated(rng, 60, 3, 0.2)
    assert found_in(people, judge).upper == np.inf
    against = found_in(*simulated(rng, 2000, 3, 1.0)[:1], -simulated(rng, 2000, 3, 1.0)[1])
    assert against.lower == 0
    noise = found_in(rng.normal(size=(3, 50)), rng.normal(size=50))
    assert noise.missing_because == "these people are not shown to agree more than by chance"
    assert "9 items or documents are too few" in found_in(people[:, :9], judge[:9]).missing_because
    assert found_in(people[:, :49], judge[:49]).missing_because == "49 items are too few, 50 are needed"
    assert "never disagree" in found_in([people[0]] * 3, judge).missing_because
    assert found_in(people, np.full(60, 2.0)).missing_because == "the judge always gives the same answer"


def test_the_people_of_the_published_data_are_worth_about_one_person():
    # Four people of one pool on 2,552 items: each as the judge of the others.
    ratings = published("framing")
    matrix, _ = ratings.matrix()
    worth = []
    for at in range(4):
        others = PeopleRatings.from_ratings(ratings, (ratings.rater != at) & (ratings.rater < 4))
        worth.append(person_equivalents(matrix[:, at], others, ratings.cluster, is_label=True))
    assert all(one.lower < 1 < one.upper for one in worth)
