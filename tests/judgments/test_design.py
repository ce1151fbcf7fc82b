"""How far judges and systems are confounded, by hand and by published efficiency factors of block designs."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from metaeval.datamodel.corpus import Judgments
from metaeval.judgments.confounding import find_design
from metaeval.judgments.normalisation import z_scores


def judgments(counts):
    """Return as many judgments of each system by each judge as `counts`, (systems, judges), says, on new segments."""
    counts = np.array(counts)
    system, judge = np.divmod(np.repeat(np.arange(counts.size), counts.ravel()), counts.shape[1])
    names = tuple(f"j{number}" for number in range(counts.shape[1]))
    nothing = np.zeros(len(system), dtype=np.int64)
    return Judgments(names, nothing, system, np.arange(len(system)), judge, nothing.astype(float))


def design(counts, human_texts=None):
    no_texts = np.zeros((1, np.array(counts).shape[1]), dtype=int)
    return find_design(judgments(counts), judgments(no_texts if human_texts is None else human_texts))


def halves(crossed, n_systems=8):
    """Return counts of two judges, each of whom gave `crossed` of his 100 judgments of a system to the other half."""
    of_first = [100 - crossed] * (n_systems // 2) + [crossed] * (n_systems // 2)
    return np.stack([of_first, of_first[::-1]], axis=1)


def test_judges_who_judged_all_systems_equally_often_keep_all():
    # Each on segments of his own, and more of them or fewer: as in WMT, where a document belongs to one judge.
    assert design([[30, 10, 5]] * 4).kept_share == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("counts", [[[7], [5]], [[7, 5]]])
def test_one_judge_and_one_system_cannot_be_confounded(counts):
    found = design(counts)
    assert (found.kept_share, found.groups) == (1, ())


def test_groups_that_no_judge_connects_keep_nothing():
    # Judge 1 judged system 0; judges 0 and 2 judged 1 and 3, and 1 alone; nobody judged system 2.
    found = design([[0, 4, 0], [3, 0, 2], [0, 0, 0], [3, 0, 0]])
    assert found.kept_share == 0
    groups = [(g.systems.tolist(), g.judges.tolist(), g.n_items, g.share) for g in found.groups]
    assert groups == [([0], [1], 4, 1), ([1, 3], [0, 2], 8, 1)]


def test_items_are_counted_once():
    twice = judgments([[2, 0], [2, 0], [0, 2], [0, 2]])
    again = Judgments(twice.judges, twice.criterion, twice.system, twice.segment // 2, twice.judge, twice.score)
    assert [group.n_items for group in find_design(again, judgments([[0, 0]])).groups] == [2, 2]


@pytest.mark.parametrize(("crossed", "kept"), [(0, 0), (1, 0.0396), (5, 0.19), (10, 0.36), (25, 0.75), (50, 1)])
def test_two_judges_of_two_halves(crossed, kept):
    # The halves differ by 1: the means of the judges by 1 - 2c with c = crossed / 100, what the halves lose of their
    # own difference by (1 - 2c)^2. Differences within a half stay as they are.
    found = design(halves(crossed))
    assert found.kept_share == pytest.approx(kept, abs=1e-9)
    if 0 < crossed < 50:
        assert [group.systems.tolist() for group in found.groups] == [[0, 1, 2, 3], [4, 5, 6, 7]]
        assert [group.judges.tolist() for group in found.groups] == [[0], [1]]
        assert [group.share for group in found.groups] == pytest.approx([1 - crossed / 100] * 2)


def test_every_pair_of_systems_has_a_judge():
    # A balanced incomplete block design: every efficiency factor is v(k - 1) / k(v - 1) = 8/14, so the shape stays.
    counts = np.zeros((8, 28), dtype=int)
    for judge, pair in enumerate(itertools.combinations(range(8), 2)):
        counts[list(pair), judge] = 5
    assert design(counts).kept_share == pytest.approx(1, abs=1e-9)


def test_a_ring_of_pairs():
    # Judge j judged systems j and j + 1 of 8. The factors are (1 - cos(2 pi k / 8)) / 2, from k = 1 to k = 4.
    counts = sum(np.roll(np.eye(8, dtype=int), shift, axis=0) for shift in (0, 1))
    assert design(counts).kept_share == pytest.approx((1 - math.cos(math.pi / 4)) / 2, abs=1e-9)


def test_each_judgment_by_another_judge():
    found = design(np.kron(np.eye(3, dtype=int), np.ones((1, 4), dtype=int)))
    assert found.kept_share == 0
    assert [group.systems.tolist() for group in found.groups] == [[0], [1], [2]]


def test_judges_meet_in_human_texts():
    # Each judged four systems and the same human text, 10 times each. With systems at 1 and -1 and the text at 0 the
    # means of the judges are 0.8 and -0.8, so 0.2 stays; within a half all stays.
    assert design(halves(0) // 10, [[10, 10]]).kept_share == pytest.approx(0.2, abs=1e-9)
    # They did not meet in human texts of their own.
    assert design(halves(0), [[10, 0], [0, 10]]).kept_share == 0


def test_more_human_texts_of_one_judge_take_nothing_from_systems():
    assert design([[5, 5]] * 4, [[40, 0], [3, 0]]).kept_share == pytest.approx(1, abs=1e-9)


def test_judges_of_human_texts_alone_connect_nothing():
    assert design([[5, 0, 0], [0, 5, 0]], [[5, 0, 5], [0, 5, 5]]).kept_share == 0


@given(st.data())
def test_centred_means_correlate_as_much_as_the_inequality_of_kantorovich_says(data):
    # r >= 2 sqrt(kept) / (1 + kept) where systems have equally many judgments: each has 12, by judges in any shares.
    n_systems, n_judges = data.draw(st.integers(2, 6)), data.draw(st.integers(2, 5))
    row = st.lists(st.integers(0, n_judges - 1), min_size=12, max_size=12)
    counts = np.array([np.bincount(data.draw(row), minlength=n_judges) for _ in range(n_systems)])
    quality = np.array(data.draw(st.lists(st.integers(-9, 9), min_size=n_systems, max_size=n_systems)), dtype=float)
    found = design(counts)
    assume(found.kept_share > 1e-6 and np.ptp(quality) > 0)
    rows = judgments(counts)
    scores = quality[rows.system]
    means_of_judges = np.bincount(rows.judge, scores, n_judges) / np.maximum(np.bincount(rows.judge, None, n_judges), 1)
    means = np.bincount(rows.system, scores - means_of_judges[rows.judge]) / 12
    lowest = 2 * math.sqrt(found.kept_share) / (1 + found.kept_share)
    assert np.corrcoef(means, quality)[0, 1] >= lowest - 1e-6


def test_means_of_z_scores_fall_with_what_is_kept():
    # Systems of quality 0 to 7 in order, two judges with an offset of 10 between them, crossing 0, 5 and 50 in 100.
    found = []
    for crossed in (0, 5, 50):
        rows = judgments(halves(crossed))
        z, _ = z_scores(rows.system + 10.0 * rows.judge, rows.judge, 2, ddof=1)
        found.append(np.corrcoef(np.bincount(rows.system, z), np.arange(8))[0, 1])
    # By hand: without crossing both halves become -1.5, -0.5, 0.5, 1.5 in the same unit: r = 10 / sqrt(10 * 42).
    assert found[0] == pytest.approx(10 / math.sqrt(420), abs=1e-9)
    assert found[0] < found[1] < found[2]
    assert found[2] == pytest.approx(1, abs=1e-9)


@given(st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=2, max_size=6))
def test_every_group_has_systems_and_judges(counts):
    assume(sum(map(sum, counts)) > 0)
    found = design(counts)
    judged = [place for place, row in enumerate(counts) if any(row)]
    if found.groups:
        assert sorted(place for group in found.groups for place in group.systems) == judged
        assert found.kept_share > 0.9 or all(len(group.judges) for group in found.groups)
