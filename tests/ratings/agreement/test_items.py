"""Krippendorff's alpha against his own example, another program, and laws; the design by hand."""

from __future__ import annotations

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from metaeval.datamodel.corpus import Criterion, Judgments
from metaeval.ratings.agreement.items import describe_design, judgment_pairs, sort_by_item
from metaeval.ratings.agreement.krippendorff import LEVELS, alpha_without_each_segment, krippendorff_alpha

# Krippendorff (2011), four observers and twelve units; nan where an observer gave no value.
NAN = np.nan
EXAMPLE = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
)


def from_matrix(scores, n_systems=1, *, low=0.0, high=9.0):
    """Return the judgments of a matrix (judges, items), items being the segments of each system in turn."""
    judge, item = np.nonzero(~np.isnan(scores))
    n_segments = scores.shape[1] // n_systems
    return sort_by_item(
        Judgments(
            tuple(f"j{k}" for k in range(len(scores))),
            np.zeros(len(judge), int),
            item // n_segments,
            item % n_segments,
            judge,
            scores[judge, item],
        ),
        Criterion("quality", low, high, True),
        [f"s{k}" for k in range(n_systems)],
        n_segments,
    )


grades = hnp.arrays(
    float, st.tuples(st.integers(2, 5), st.integers(1, 12)), elements=st.sampled_from([NAN, 1.0, 2.0, 2.5, 4.0, 7.0])
)


@pytest.mark.parametrize(("level", "expected"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_the_example_of_its_author(level, expected):
    # As printed, with three decimals.
    assert expected == pytest.approx(float(krippendorff_alpha(from_matrix(EXAMPLE), level)[0]), abs=0.0005)


def test_by_hand():
    # Items 1 1, 1 2, 3 3: six scores, each weighs 1. Interval: within items 2 (1 - 2)^2 = 2; between all pairs
    # of 1 1 1 2 3 3: 2 (3 * 1 + 6 * 4 + 2 * 1) = 58. alpha = 1 - (2 / 6) / (58 / 30).
    judgments = from_matrix(np.array([[1.0, 1, 3], [1, 2, 3]]))
    assert krippendorff_alpha(judgments, "interval")[0] == pytest.approx(1 - 10 / 58, abs=1e-15)
    # Nominal: within 2; between 2 (3 * 1 + 3 * 2 + 1 * 2) = 22.
    assert krippendorff_alpha(judgments, "nominal")[0] == pytest.approx(1 - 10 / 22, abs=1e-15)
    # Ordinal: the mid-ranks of 1, 2, 3 are 2, 4, 5.5. Within 2 * 4; between 2 (3 * 4 + 6 * 12.25 + 2 * 2.25) = 180.
    assert krippendorff_alpha(judgments, "ordinal")[0] == pytest.approx(1 - 40 / 180, abs=1e-15)


def defined(scores):
    """Return whether another program gives alpha: two values at least among those with a partner."""
    paired = scores[:, (~np.isnan(scores)).sum(axis=0) > 1]
    return len(np.unique(paired[~np.isnan(paired)])) > 1


@given(grades, st.sampled_from(LEVELS))
def test_equals_krippendorff_0_9_0(scores, level):
    own = krippendorff_alpha(from_matrix(scores), level)

    assert own.shape == (1,)
    if defined(scores):
        assert krippendorff.alpha(scores, level_of_measurement=level) == pytest.approx(own[0], abs=1e-12)
    else:
        assert np.isnan(own[0])


@given(st.integers(0, 2**32 - 1), st.sampled_from(LEVELS))
def test_replicates_equal_the_same_segments_written_out(seed, level):
    rng = np.random.default_rng(seed)
    scores = np.where(rng.random((3, 2, 6)) < 0.8, rng.integers(0, 4, (3, 2, 6)), NAN)
    weights = rng.multinomial(6, np.ones(6) / 6, size=3)
    own = krippendorff_alpha(from_matrix(scores.reshape(3, 12), n_systems=2), level, weights)
    for row, value in zip(weights, own, strict=True):
        # Both systems of a segment come along.
        again = np.repeat(scores, row, axis=2).reshape(3, -1)
        if defined(again):
            assert krippendorff.alpha(again, level_of_measurement=level) == pytest.approx(value, abs=1e-12)
        else:
            assert np.isnan(value)


@pytest.mark.parametrize("level", LEVELS)
def test_alpha_without_each_segment_is_that_of_the_others(level):
    # The last unit has one value only, and is no segment to leave out.
    own = alpha_without_each_segment(from_matrix(EXAMPLE), level)
    others = [krippendorff.alpha(np.delete(EXAMPLE, unit, axis=1), level_of_measurement=level) for unit in range(11)]
    np.testing.assert_allclose(own, others, atol=1e-12)


def test_many_replicates_are_computed_in_blocks(monkeypatch):
    weights = np.random.default_rng(1).integers(0, 3, (50, 12))
    whole = {level: krippendorff_alpha(from_matrix(EXAMPLE), level, weights) for level in LEVELS}
    monkeypatch.setattr("metaeval.ratings.agreement.krippendorff._MAX_VALUES_PER_BLOCK", 100)
    for level, expected in whole.items():
        np.testing.assert_array_equal(krippendorff_alpha(from_matrix(EXAMPLE), level, weights), expected)


@given(grades)
def test_laws(scores):
    value = {level: krippendorff_alpha(from_matrix(scores), level)[0] for level in LEVELS}
    for name, changed in (
        ("judges", scores[::-1]),
        ("items", scores[:, ::-1]),
        (
            "singles",
            np.concatenate([scores, np.eye(1, len(scores)).T * 9 + np.where(np.eye(1, len(scores)).T, 0, NAN)], 1),
        ),
    ):
        for level in LEVELS:
            again = krippendorff_alpha(from_matrix(changed), level)[0]
            assert again == pytest.approx(value[level], abs=1e-12, nan_ok=True), (name, level)
    assert krippendorff_alpha(from_matrix(7 - 3 * scores), "interval")[0] == pytest.approx(
        value["interval"], abs=1e-12, nan_ok=True
    )
    assert krippendorff_alpha(from_matrix(np.exp(scores)), "ordinal")[0] == pytest.approx(
        value["ordinal"], abs=1e-12, nan_ok=True
    )


def test_perfect_agreement_and_none():
    same = np.tile(np.array([0.1, 0.1, 0.3, 0.7]), (3, 1))
    opposite = np.array([[1.0, 2], [2, 1]])
    for level in LEVELS:
        assert krippendorff_alpha(from_matrix(same), level)[0] == pytest.approx(1.0, abs=1e-15)
        assert krippendorff_alpha(from_matrix(opposite), level)[0] < 0
        assert np.isnan(krippendorff_alpha(from_matrix(np.full((3, 4), 0.1)), level)[0])
        assert np.isnan(krippendorff_alpha(from_matrix(np.array([[1.0, NAN], [NAN, 2]])), level)[0])


def test_an_unknown_level():
    with pytest.raises(ValueError, match="`level` must be one of"):
        krippendorff_alpha(from_matrix(EXAMPLE), "ratio")


def test_the_design_by_hand():
    # Judges 0 and 1 share items 0 and 1, judge 2 shares item 1 with both; 3 and 4 share item 2; 5 is alone with item 3.
    scores = np.full((7, 6), NAN)
    for judge, item in [(0, 0), (1, 0), (0, 1), (1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (0, 4)]:
        scores[judge, item] = judge
    design = describe_design(from_matrix(scores, n_systems=2), possible_items=6, simulated=False)

    assert (design.judgments, design.judges, design.items, design.possible_items) == (9, 6, 5, 6)
    assert design.judgments_an_item == "1 on 2 items, 2 on 2, 3 on 1"
    assert (design.pairs, design.pairs_sharing) == (15, 4)
    assert design.median_shared == 1.0  # of 2, 1, 1, 1
    assert (design.groups, design.largest_group) == (3, 3)


def test_every_two_judgments_of_an_item():
    judgments = from_matrix(EXAMPLE)
    first, second = judgment_pairs(judgments)
    found = sorted(zip(judgments.item[first], judgments.judge[first], judgments.judge[second], strict=True))
    expected = [
        (item, a, b)
        for item in range(12)
        for a in range(4)
        for b in range(a + 1, 4)
        if not np.isnan(EXAMPLE[[a, b], item]).any()
    ]
    assert found == expected
    assert (judgments.item[first] == judgments.item[second]).all()


def test_positions_follow_the_file():
    # Judge 0 judges segments 2, 0, 1 in this order, judge 1 in between segments 1 and 2.
    rows = Judgments(
        ("a", "b"),
        np.zeros(5, int),
        np.zeros(5, int),
        np.array([2, 1, 0, 2, 1]),
        np.array([0, 1, 0, 1, 0]),
        np.arange(5.0),
    )
    judgments = sort_by_item(rows, Criterion("quality", 0.0, 9.0, True), ["s"], 3)
    assert judgments.segment.tolist() == [0, 1, 2]
    assert judgments.judge.tolist() == [0, 0, 1, 0, 1]
    assert judgments.score.tolist() == [2.0, 4.0, 1.0, 0.0, 3.0]
    assert judgments.position.tolist() == [1, 2, 0, 0, 1]
