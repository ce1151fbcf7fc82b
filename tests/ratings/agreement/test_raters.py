"""Judges two by two and one by one: hand examples, scikit-learn's and scipy's values, plain definitions, laws."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from metaeval.datamodel.corpus import Criterion, Judgments
from metaeval.ratings.agreement.items import is_sorted, sort_by_item
from metaeval.ratings.agreement.raters import adjusted_offsets, compare_pairs, judge_habits, means_without_judges
from metaeval.results.tables import records
from tests.ratings.agreement.test_items import NAN, from_matrix


def columns(rows):
    """Return typed rows as a table, with their columns as attributes."""
    return pd.DataFrame(records(rows))


# Two judges, eight items.
A = np.array([1.0, 2, 3, 3, 4, 5, 5, 2])
B = np.array([1.0, 3, 3, 2, 4, 4, 5, 1])


def test_a_pair_by_hand():
    (pair,) = compare_pairs(from_matrix(np.stack([A, B])), 8)

    assert (pair.judge_a, pair.judge_b, pair.shared) == ("j0", "j1", 8)
    # Unweighted: 4 of 8 are equal. A has 1, 2, 2, 1, 2 of the grades 1 to 5 and B 2, 1, 2, 2, 1, so that by chance
    # (2 + 2 + 4 + 2 + 2) / 64 = 3 / 16 are equal: (1 / 2 - 3 / 16) / (1 - 3 / 16) = 5 / 13.
    assert pair.kappa == pytest.approx(5 / 13, abs=1e-15)
    # Four items differ, by 1 each. All 64 pairs of a score of A and one of B differ by 100, their squares by 242.
    # cohen_kappa_score of scikit-learn 1.9.1 gives 0.6799999999999999 and 0.8677685950413223.
    assert pair.kappa_linear == pytest.approx(1 - (4 / 8) / (100 / 64), abs=1e-15)
    assert pair.kappa_linear == pytest.approx(0.68, abs=1e-15)
    assert pair.kappa_quadratic == pytest.approx(1 - (4 / 8) / (242 / 64), abs=1e-15)
    assert pair.kappa_quadratic == pytest.approx(0.8677685950413223, abs=1e-15)
    # scipy 1.17.1: pearsonr, spearmanr.
    assert pair.pearson == pytest.approx(0.8823529411764707, abs=1e-15)
    assert pair.spearman == pytest.approx(0.8888888888888887, abs=1e-15)
    assert pair.difference == pytest.approx(2 / 8, abs=1e-15)


def random_scores(seed, shape=(6, 40), share=0.5, values=5):
    rng = np.random.default_rng(seed)
    return np.where(rng.random(shape) < share, rng.integers(1, values + 1, shape), NAN)


@given(st.integers(0, 2**32 - 1))
def test_every_pair_equals_its_plain_definition(seed):
    scores = random_scores(seed, (4, 15))
    pairs = {(pair.judge_a, pair.judge_b): pair for pair in compare_pairs(from_matrix(scores), 4)}
    for a in range(4):
        for b in range(a + 1, 4):
            both = ~np.isnan(scores[[a, b]]).any(axis=0)
            x, y = scores[a, both], scores[b, both]
            assert ((f"j{a}", f"j{b}") in pairs) == bool(len(x))
            if not len(x):
                continue
            pair = pairs[f"j{a}", f"j{b}"]
            assert pair.shared == len(x)
            found = [pair.pearson, pair.spearman, pair.kappa, pair.kappa_linear, pair.kappa_quadratic]
            if len(x) < 4:
                assert np.isnan([*found, pair.difference]).all()
                continue
            constant = np.ptp(x) == 0 or np.ptp(y) == 0
            ranks = scipy.stats.rankdata(x), scipy.stats.rankdata(y)
            expected = [np.nan if constant else np.corrcoef(*two)[0, 1] for two in ((x, y), ranks)]
            for distance in (np.not_equal, lambda a, b: np.abs(a - b), lambda a, b: (a - b) ** 2):
                chance = distance(x[:, None], y).mean()
                expected.append(1 - distance(x, y).mean() / chance if chance else np.nan)
            np.testing.assert_allclose(found, expected, atol=1e-12)
            assert pair.difference == pytest.approx((x - y).mean(), abs=1e-12)


def test_unweighted_kappa_does_not_depend_on_the_numbers_of_the_labels():
    # 10 items: both say "first" of 3, both "second" of 4; A "tie" and B "first" of 1, A "second" and B "tie" of 2.
    first, second, tie = 1.0, 2.0, 0.0
    for labels in ((first, second, tie), (5.0, -3.0, 0.25)):
        one, two, even = labels
        a = np.array([one] * 3 + [two] * 4 + [even] + [two] * 2)
        b = np.array([one] * 3 + [two] * 4 + [one] + [even] * 2)
        (pair,) = compare_pairs(from_matrix(np.stack([a, b]), low=-9), 10)
        # Equal: 0.7. By chance: first .3 * .4, second .6 * .4, tie .1 * .2: .38. (.7 - .38) / (1 - .38) = 16 / 31.
        assert pair.kappa == pytest.approx(16 / 31, abs=1e-15)


def test_judges_who_share_nothing_are_no_pair():
    assert compare_pairs(from_matrix(np.array([[1.0, NAN], [NAN, 2.0]])), 2) == []


def test_one_score_throughout_has_kappa_only_if_the_other_differs():
    pairs = columns(compare_pairs(from_matrix(np.array([[0.1, 0.1, 0.1], [0.1, 0.1, 0.1], [0.1, 0.2, 0.3]])), 2))
    assert np.isnan(pairs.pearson).all()
    assert np.isnan([pairs.kappa[0], pairs.kappa_linear[0]]).all()
    # A judge with one score agrees with another as chance would.
    np.testing.assert_allclose([pairs.kappa[1:], pairs.kappa_linear[1:], pairs.kappa_quadratic[1:]], 0.0, atol=1e-12)


def test_habits_by_hand():
    # Items: 1 and 3; 2, 2 and 5; 4 alone; 5 and 1.
    scores = np.array([[1.0, 2, 4, 5], [3, 2, NAN, 1], [NAN, 5, NAN, NAN], [NAN] * 4])
    habits = columns(judge_habits(from_matrix(scores, low=1, high=5)))

    assert habits["judge"].tolist() == ["j0", "j1", "j2"]  # the last one has no judgment
    assert habits["n"].tolist() == [4, 3, 1]
    assert habits["n_shared"].tolist() == [3, 3, 1]
    np.testing.assert_allclose(habits["mean"], [3, 2, 5])
    np.testing.assert_allclose(habits["sd"], [np.sqrt(10 / 3), 1, NAN])
    np.testing.assert_allclose(habits["extreme"], [2 / 4, 1 / 3, 1])
    # Residuals of the first: 1 - 3, 2 - 3.5, 5 - 1. Of the second: 3 - 1, 2 - 3.5, 1 - 5. Of the third: 5 - 2.
    first, second = np.array([-2, -1.5, 4]), np.array([2, -1.5, -4])
    np.testing.assert_allclose(habits.offset, [first.mean(), second.mean(), 3])
    # Places 0, 1, 3 and 0, 1, 2: slopes (8/3 + 1/2 + 20/3) / (16/9 + 1/9 + 25/9) and -6 / 2 a judgment.
    np.testing.assert_allclose(habits.drift, [100 * 59 / 28, -300, NAN])
    for judge, residuals, places in ((0, first, [0, 1, 3]), (1, second, [0, 1, 2])):
        # scipy: Student's intervals of a mean and of a slope.
        interval = scipy.stats.t.interval(0.95, 2, residuals.mean(), scipy.stats.sem(residuals))
        np.testing.assert_allclose([habits.offset_lower[judge], habits.offset_upper[judge]], interval)
        line = scipy.stats.linregress(places, residuals)
        half = 100 * line.stderr * scipy.stats.t.ppf(0.975, 1)
        np.testing.assert_allclose(habits.drift_upper[judge] - habits.drift[judge], half)
        np.testing.assert_allclose(habits.drift[judge] - habits.drift_lower[judge], half)
    assert np.isnan([habits.offset_lower[2], habits.drift_upper[2]]).all()


def test_a_scale_without_ends_ends_at_the_scores_given():
    judgments = from_matrix(np.array([[3.0, 7, 9, 4], [3, 3, 5, 4]]), low=-np.inf, high=np.inf)
    assert [habits.extreme for habits in judge_habits(judgments)] == [2 / 4, 2 / 4]


def test_a_drift_that_was_put_in_is_found():
    rng = np.random.default_rng(3)
    quality = rng.normal(size=400)
    scores = quality + rng.normal(scale=0.3, size=(3, 400))
    scores[1] += 0.004 * np.arange(400)
    habits = columns(judge_habits(from_matrix(scores)))
    assert habits.drift_lower[1] < 0.4 < habits.drift_upper[1]
    assert habits.drift_lower[1] > 0.3
    assert habits.drift_upper[0] < -0.1  # beside the one who drifts, at half the pace


@given(st.integers(0, 2**32 - 1))
def test_adjusted_offsets_where_all_judged_all_are_the_offsets(seed):
    scores = random_scores(seed, (4, 9), share=1.0)
    judgments = from_matrix(scores)
    np.testing.assert_allclose(adjusted_offsets(judgments), columns(judge_habits(judgments)).offset, atol=1e-9)


def test_adjusted_offsets_know_who_the_others_were():
    # Judge 1 is 1 above judge 0 and 2 above judge 2; each pair shares one item, and 0 and 2 share none. Two more judges
    # make a group of their own, and one is alone.
    own = np.array([0.0, 1, -1, 5, 9, 3])
    scores = np.full((6, 4), NAN)
    for judge, item in [(0, 0), (1, 0), (1, 1), (2, 1), (3, 2), (4, 2), (5, 3)]:
        scores[judge, item] = 10 * item + own[judge]
    judgments = from_matrix(scores)
    # The means of the others are 0, -0.5, 0.5 in the first group.
    np.testing.assert_allclose(adjusted_offsets(judgments), [0, 1.5, -1.5, -4, 4, NAN], atol=1e-9)
    # Beside judge 1 alone, judge 0 looks lower, and judge 2 by 2.
    np.testing.assert_allclose(columns(judge_habits(judgments)).offset, [-1, 1.5, -2, -4, 4, NAN], atol=1e-12)


@given(st.integers(0, 2**32 - 1))
def test_means_without_a_judge_are_those_of_the_judgments_left(seed):
    scores = random_scores(seed, (4, 12), share=0.4)
    with_all, without, items_lost = means_without_judges(from_matrix(scores, n_systems=3))

    def means(of):
        counts = (~np.isnan(of)).sum(axis=0)
        items = np.where(counts > 0, np.nansum(of, axis=0) / np.maximum(counts, 1), NAN).reshape(3, 4)
        n = (~np.isnan(items)).sum(axis=1)
        return np.where(n > 0, np.nansum(items, axis=1) / np.maximum(n, 1), NAN), n.sum()

    expected, n_items = means(scores)
    np.testing.assert_allclose(with_all, expected, atol=1e-10)
    for judge in range(4):
        expected, n_left = means(np.delete(scores, judge, axis=0))
        np.testing.assert_allclose(without[judge], expected, atol=1e-10)
        assert items_lost[judge] == n_items - n_left


def test_means_that_are_equal_are_equal_to_the_bit():
    # The first system has 0.1, 0.2, 0.3 and the second the same in another order.
    scores = np.array([[0.1, 0.2, 0.3, 0.3, 0.1, 0.2], [0.5] * 6])
    with_all, without, _ = means_without_judges(from_matrix(scores, n_systems=2))
    assert with_all[0] == with_all[1]
    assert without[1, 0] == without[1, 1] == pytest.approx(0.2, abs=1e-10)


@pytest.mark.parametrize(
    ("places", "expected"),
    [
        ([(0, 0), (0, 2), (1, 1)], True),  # by system
        ([(0, 0), (1, 0), (0, 1)], True),  # by segment
        ([(0, 2), (0, 1), (1, 0)], False),
    ],
)
def test_whether_the_file_is_sorted(places, expected):
    systems, segments = np.array(places).T
    other = (np.zeros(1, int), np.full(1, 2))  # another judge before them breaks no order
    rows = Judgments(
        ("a", "b"),
        np.zeros(4, int),
        np.concatenate([other[0], systems]),
        np.concatenate([other[1], segments]),
        np.array([1, 0, 0, 0]),
        np.arange(4.0),
    )
    assert is_sorted(sort_by_item(rows, Criterion("quality", 0.0, 9.0, True), ["s0", "s1"], 3)) is expected
