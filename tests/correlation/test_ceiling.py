"""The noise ceiling against errors of known variance, by hand, and against the plain way to compute it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from metaeval.components.registries import COEFFICIENTS
from metaeval.correlation import ceiling
from metaeval.correlation.ceiling import KINDS, ceiling_of, draw_parts, length_factor, stepped_up
from metaeval.datamodel.corpus import Documents
from metaeval.datamodel.pooling import whole
from metaeval.judgments.combining import group_by_item, restrict
from metaeval.sampling.documents import real, single

PEARSON, SPEARMAN, KENDALL = (COEFFICIENTS.named(name) for name in ("pearson", "spearman", "kendall"))


def grouped(counts, values=None):
    """Return judgments for an array of counts (systems, segments); powers of 2 unless values are given."""
    counts = np.asarray(counts)
    systems, segments = np.repeat(np.indices(counts.shape).reshape(2, -1), counts.ravel(), axis=1)
    n = int(counts.sum())
    values = 2.0 ** np.arange(n) if values is None else np.asarray(values, float)
    return group_by_item(systems, segments, np.arange(n), values, counts.shape)


def ceilings(judged, documents, coefficient, average_by, **rest):
    (rows,) = ceiling.ceilings(judged, documents, [(coefficient, average_by)], **rest)
    return rows


def by_kind(rows):
    assert tuple(row.kind for row in rows) == (*KINDS, "reliability", "ceiling")
    return {row.kind: row for row in rows}


def simulated(counts, error, seed):
    """Return a truth of variance 1, and judgments that are the truth plus errors of a variance."""
    rng = np.random.default_rng(seed)
    counts = np.asarray(counts)
    truth = rng.normal(size=counts.shape)
    noise = np.sqrt(error) * rng.normal(size=counts.sum())
    return truth, grouped(counts, np.repeat(truth.ravel(), counts.ravel()) + noise)


@pytest.mark.parametrize("error", [0.25, 2.0])
def test_known_errors_give_the_correlations_that_theory_says(error):
    # With 6,000 items a correlation errs by about 0.013 (1 / sqrt(n)); four times that is allowed.
    counts = np.random.default_rng(1).integers(2, 6, (6, 1000))
    truth, judged = simulated(counts, error, 2)
    rows = by_kind(ceilings(judged, single(range(1, 1001)), PEARSON, "none", n_draws=20, rng=np.random.default_rng(3)))

    def expected(first, second):
        """Return the correlation where the error of each part is that of a mean of so many judgments."""
        return 1 / np.sqrt((1 + error * np.mean(1 / first)) * (1 + error * np.mean(1 / second)))

    one, small = np.ones_like(counts), counts // 2
    half = 1 / (1 + error * np.mean(0.5 / small + 0.5 / (counts - small)))
    whole_error = 1 + error * np.mean(1 / counts)
    observed = np.array([judged.values[s : s + c].mean() for s, c in zip(judged.starts.flat, counts.flat, strict=True)])
    perfect = np.corrcoef(truth.ravel(), observed)[0, 1]

    assert rows["inter-judge"].value == pytest.approx(expected(one, one), abs=0.05)
    assert rows["one-against-rest"].value == pytest.approx(expected(one, counts - 1), abs=0.05)
    assert rows["split-half"].value == pytest.approx(half, abs=0.05)
    assert rows["reliability"].value == pytest.approx(1 / whole_error, abs=0.05)
    assert rows["ceiling"].value == pytest.approx(1 / np.sqrt(whole_error), abs=0.04)
    # A metric that is the truth reaches the ceiling.
    assert rows["ceiling"].value == pytest.approx(perfect, abs=0.03)
    assert all((row.n_draws, row.items_used, row.share_of_items) == (20, 6000, 1.0) for row in rows.values())


def test_documents_average_errors_away():
    # 20 segments a document: the variance of the truth and that of the errors both fall by 20, so reliability stays.
    truth, judged = simulated(np.full((10, 4000), 3), 1.5, 4)
    documents = real([str(k // 20) for k in range(4000)])
    rows = by_kind(ceilings(judged, documents, PEARSON, "none", n_draws=20, rng=np.random.default_rng(5)))
    means = judged.values.reshape(10, 200, 20, 3).mean(axis=(2, 3))
    perfect = np.corrcoef(truth.reshape(10, 200, 20).mean(axis=2).ravel(), means.ravel())[0, 1]

    # 2,000 scores: a correlation errs by about 0.022.
    assert rows["reliability"].value == pytest.approx(1 / 1.5, abs=0.09)
    assert rows["ceiling"].value == pytest.approx(perfect, abs=0.05)


def test_two_judgments_by_hand():
    # Systems with judgments (1, 3), (2, 2), (5, 4): all three kinds are one judgment and the other. The draws pair
    # 1 2 5 with 3 2 4, or 1 2 4 with 3 2 5, or the same the other way round.
    judged = grouped([[2], [2], [2]], [1, 3, 2, 2, 5, 4])
    both = [np.corrcoef([1, 2, 5], [3, 2, 4])[0, 1], np.corrcoef([1, 2, 4], [3, 2, 5])[0, 1]]
    rows = by_kind(ceilings(judged, whole(1), PEARSON, "item", n_draws=4000, rng=np.random.default_rng(6)))
    for kind in KINDS:
        assert rows[kind].value == pytest.approx(np.mean(both), abs=0.01)
        assert rows[kind].sd == pytest.approx(abs(both[0] - both[1]) / 2, abs=0.01)
    r = rows["split-half"].value
    assert rows["reliability"].value == pytest.approx(2 * r / (1 + r), abs=1e-12)
    assert rows["ceiling"].value == pytest.approx(np.sqrt(2 * r / (1 + r)), abs=1e-12)
    assert rows["reliability"].sd == pytest.approx(np.ptp(stepped_up(both, 2.0)) / 2, abs=0.01)


def test_halves_that_correlate_below_0_have_neither_reliability_nor_ceiling():
    # Two judges of opposite views, with (1, 3), (2, 2) and (3, 1): a draw pairs 1 2 3 with 3 2 1, or 1 2 1 with 3 2 3,
    # and both correlate by -1, where 2 r / (1 + r) has no value.
    judged = grouped([[2], [2], [2]], [1, 3, 2, 2, 3, 1])
    rows = by_kind(ceilings(judged, whole(1), PEARSON, "item", n_draws=50, rng=np.random.default_rng(6)))
    assert rows["split-half"].value == pytest.approx(-1.0)
    # With (1, 3), (2, 2) and (4, 1) a draw pairs 1 2 4 with 3 2 1, or 3 2 4 with 1 2 1.
    judged = grouped([[2], [2], [2]], [1, 3, 2, 2, 4, 1])
    both = [np.corrcoef(one, other)[0, 1] for one, other in (([1, 2, 4], [3, 2, 1]), ([3, 2, 4], [1, 2, 1]))]
    r = np.mean(both)
    assert -1 < r < 0
    assert 2 * r / (1 + r) < -2
    found = by_kind(ceilings(judged, whole(1), PEARSON, "item", n_draws=4000, rng=np.random.default_rng(6)))
    assert found["split-half"].value == pytest.approx(r, abs=0.01)
    for rows_of in (rows, found):
        assert np.isnan([rows_of[kind].value for kind in ("reliability", "ceiling")]).all()
        assert np.isnan([rows_of[kind].sd for kind in ("reliability", "ceiling")]).all()


def test_fixed_judgments_give_the_coefficient_of_the_means():
    # Where all judgments of an item are equal there is nothing to draw: every row is that of a metric equal to people.
    rng = np.random.default_rng(7)
    means = rng.integers(0, 4, (5, 8)).astype(float)
    judged = grouped(np.full((5, 8), 3), np.repeat(means, 3))
    documents = Documents(counts=rng.integers(0, 3, (6, 8)).astype(float) + np.eye(6, 8))
    for average_by in ("item", "system", "none"):
        rows = ceilings(judged, documents, SPEARMAN, average_by, n_draws=3, rng=rng)
        assert [row.value for row in rows] == pytest.approx([1.0] * 5, abs=1e-12)
        assert [row.sd for row in rows] == pytest.approx([0.0] * 5, abs=1e-12)


@pytest.mark.parametrize("average_by", ["item", "system", "none"])
def test_equals_the_plain_way(average_by, monkeypatch):
    # The same parts, pooled and related with loops; in one block or in blocks of one draw.
    rng = np.random.default_rng(8)
    counts = rng.integers(1, 5, (4, 9))
    counts[:, 0] = 2
    judged = grouped(counts, rng.integers(1, 6, counts.sum()))
    documents = Documents(indices=np.stack([rng.permutation(9)[:4] for _ in range(7)] + [np.array([0, 1, 2, 3])]))
    found = by_kind(ceilings(judged, documents, KENDALL, average_by, n_draws=5, rng=np.random.default_rng(9)))

    parts = draw_parts(judged, 5, np.random.default_rng(9))
    use = counts > 1
    for kind in KINDS:
        values = []
        for draw in range(5):
            sides = []
            for side in (part[draw] for part in parts[kind]):
                table = np.full((len(documents), 4), np.nan)
                for place, segments in enumerate(documents.indices):
                    for system in range(4):
                        held = [side[system, segment] for segment in segments if use[system, segment]]
                        table[place, system] = np.mean(held) if held else np.nan
                sides.append(np.round(table, 9))
            whole_rows = ~np.isnan(sides[0]).any(axis=1)
            if average_by == "none":
                cells = ~np.isnan(sides[0])
                pairs = [(sides[0][cells], sides[1][cells])]
            elif average_by == "item":
                pairs = list(zip(sides[0][whole_rows], sides[1][whole_rows], strict=True))
            else:
                pairs = list(zip(sides[0][whole_rows].T, sides[1][whole_rows].T, strict=True))
            values.append(np.nanmean([float(KENDALL(*pair)) for pair in pairs]))
        assert found[kind].value == pytest.approx(np.mean(values), abs=1e-12)
        assert found[kind].sd == pytest.approx(np.std(values, ddof=1), abs=1e-12)
    held = np.unique(documents.indices)
    assert found["ceiling"].items_used == use[:, held].sum()
    assert found["ceiling"].share_of_items == pytest.approx(use[:, held].mean(), abs=1e-15)


def test_items_with_one_judgment_are_left_out_and_counted():
    counts = np.array([[2, 1, 0, 2], [2, 2, 0, 1], [3, 2, 0, 2]])
    judged = grouped(counts)
    rows = by_kind(ceilings(judged, single("1234"), SPEARMAN, "item", n_draws=9, rng=np.random.default_rng(1)))
    # Of nine judged items seven remain; only the first segment has all systems.
    assert (rows["inter-judge"].items_used, rows["inter-judge"].share_of_items) == (7, 7 / 9)
    first = restrict(judged, np.arange(3), np.array([0]))
    only = by_kind(ceilings(first, whole(1), SPEARMAN, "item", n_draws=9, rng=np.random.default_rng(1)))
    # Powers of 2 in the order of the systems: whatever is drawn, they rank alike.
    assert rows["split-half"].value == only["split-half"].value == 1.0


@pytest.mark.parametrize("counts", [[[1, 1], [1, 0]], [[0, 0], [0, 0]]])
def test_nobody_judged_twice(counts):
    rows = ceilings(grouped(counts), single("12"), PEARSON, "none", n_draws=3, rng=np.random.default_rng(1))
    assert tuple(row.kind for row in rows) == (*KINDS, "reliability", "ceiling")
    assert all(np.isnan([row.value, row.sd]).all() for row in rows)
    assert all((row.n_draws, row.items_used) == (0, 0) for row in rows)
    assert all(row.share_of_items == 0 or not np.sum(counts) for row in rows)


def test_undefined_coefficients_are_counted():
    # In the first document all systems are equal; in the second never.
    judged = grouped([[2, 2], [2, 2], [2, 2]], [1, 1, 2, 2, 1, 1, 3, 3, 1, 1, 7, 7])
    rows = ceilings(judged, single("12"), PEARSON, "item", n_draws=4, rng=np.random.default_rng(1))
    assert [row.value for row in rows] == pytest.approx([1.0] * 5)
    assert [row.n_undefined for row in rows] == [4] * 5


def test_an_accuracy_has_no_reliability():
    rng = np.random.default_rng(1)
    _, judged = simulated(np.full((3, 8), 4), 1.0, 3)
    rows = ceilings(judged, single(range(8)), COEFFICIENTS.named("pairwise-accuracy"), "item", n_draws=3, rng=rng)
    assert tuple(row.kind for row in rows) == KINDS


def test_several_coefficients_see_the_same_draws():
    _, judged = simulated(np.full((4, 12), 3), 1.0, 4)
    relations = [(PEARSON, "none"), (KENDALL, "item")]
    together = ceiling.ceilings(judged, single(range(12)), relations, n_draws=6, rng=np.random.default_rng(2))
    for (coefficient, average_by), rows in zip(relations, together, strict=True):
        assert rows == ceilings(
            judged, single(range(12)), coefficient, average_by, n_draws=6, rng=np.random.default_rng(2)
        )


def test_stepped_up_by_hand():
    # 2 * 0.6 / 1.6; 3 * 0.5 / 2; a correlation of 0 or 1 stays; below 0 it falls.
    np.testing.assert_allclose(stepped_up([0.6, 0.0, 1.0, -0.2], 2.0), [0.75, 0.0, 1.0, -0.5], atol=1e-15)
    assert stepped_up(0.5, 3.0) == pytest.approx(0.75, abs=1e-15)
    assert np.isnan(stepped_up([-0.5, -0.6], 3.0)).tolist() == [True, True]


@given(st.floats(-0.3, 1.0), st.floats(1.0, 2.0), st.floats(1.0, 2.0))
def test_stepping_up_twice_is_stepping_up_by_the_product(r, first, second):
    once = stepped_up(r, first * second)
    assert stepped_up(stepped_up(r, first), second) == pytest.approx(float(once), abs=1e-9)


def test_the_formula_of_errors():
    # Truth of variance 1 and errors of variance 3: one judgment has reliability 1/4, the mean of six 1 / (1 + 3/6).
    assert stepped_up(0.25, 6.0) == pytest.approx(2 / 3, abs=1e-15)
    # A number below 0 has no root, and is no share of truth.
    np.testing.assert_allclose(ceiling_of([0.25, 1.0, 0.0, -0.1, np.nan]), [0.5, 1.0, 0.0, np.nan, np.nan])


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
