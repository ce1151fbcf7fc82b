from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from metaeval.datamodel import pooling
from metaeval.datamodel.corpus import Documents
from metaeval.datamodel.pooling import (
    Column,
    Statistics,
    StatisticsTable,
    Sums,
    mean_of_sums,
    ordered_sum,
    pool,
    pool_drawn,
    settle,
)

seeds = st.integers(0, 2**32 - 1)


@given(seeds, st.integers(1, 4), st.integers(1, 9), st.integers(1, 5), st.integers(1, 6), st.integers(1, 7))
def test_indices_and_counts_give_the_same_sums_as_a_plain_loop(seed, systems, segments, k, documents, length):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 100, (systems, segments, k)).astype(float)
    indices = rng.integers(0, segments, (documents, length))
    counts = np.zeros((documents, segments))
    expected = np.zeros((documents, systems, k))
    for document in range(documents):
        for segment in indices[document]:
            counts[document, segment] += 1
            expected[document] += values[:, segment]

    assert expected.tolist() == pool(values, Documents(indices=indices)).tolist()
    assert expected.tolist() == pool(values, Documents(counts=counts)).tolist()


@given(seeds, st.integers(1, 9), st.integers(1, 40))
def test_sums_in_parts_are_those_of_a_plain_loop(seed, at_once, numbers):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 100, (4, 12, 3)).astype(float)
    segments, items = np.flatnonzero(rng.random(12) < 0.8), rng.random((4, 12)) < 0.7
    items = items[:, segments]
    if not len(segments):
        return
    taken = np.where(items[..., None], values[:, segments], 0)
    counts = rng.integers(0, 4, (5, len(segments))).astype(np.uint16)
    indices = rng.integers(0, len(segments), (5, 6))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pooling, "_SEGMENTS_AT_ONCE", at_once)
        patch.setattr(pooling, "_NUMBERS_AT_ONCE", numbers)
        for documents, expected in (
            (Documents(counts=counts), np.einsum("ds,ksn->dkn", counts, taken)),
            (Documents(indices=indices), taken[:, indices].sum(axis=2).swapaxes(0, 1)),
            (Documents(indices=indices[:1]), taken[:, indices[:1]].sum(axis=2).swapaxes(0, 1)),
            (Documents(indices=indices[:, :1]), taken[:, indices[:, 0]].swapaxes(0, 1)),
        ):
            np.testing.assert_array_equal(pool(values, documents, segments, items), expected)


@given(
    seeds, st.integers(1, 6), st.integers(0, 5), st.lists(st.integers(0, 5), min_size=1, unique=True),
    st.sampled_from([0, 1 << 24]),
)  # fmt: skip
def test_metrics_that_share_columns_have_the_sums_that_each_has_alone(seed, n_fractions, n_first, columns, at_once):
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 100, (3, 40, 6)).astype(float)
    table[..., n_fractions:] /= 7
    table[:, 5] = np.nan  # nobody has this segment
    segments = np.delete(np.arange(40), 5)
    counts = rng.integers(0, 4, (50, 39)).astype(np.uint16)
    indices = rng.integers(0, 39, (50, 6)).astype(np.int32)
    own = table[:, segments][..., columns]
    rows = np.ascontiguousarray(own.transpose(1, 0, 2)).reshape(39, -1)
    products, one_by_one = counts.astype(float) @ rows, np.zeros((50, rows.shape[1]))
    for column in indices.T:
        one_by_one += rows[column]
    first, second = StatisticsTable(table[..., :n_first]), StatisticsTable(table[..., n_first:])
    places = [Column(first, k) if k < n_first else Column(second, k - n_first) for k in range(6)]
    metrics = [Statistics(tuple(places[k] for k in one), ("",) * len(one)) for one in ((0, 1), (5,), tuple(columns))]
    np.testing.assert_array_equal(metrics[-1].values, table[..., columns])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pooling, "_NUMBERS_AT_ONCE", at_once)
        for documents, expected in ((Documents(counts=counts), products), (Documents(indices=indices), one_by_one)):
            *_, found = Sums(metrics, are_counted=documents.counts is not None).pool(documents, segments)
            np.testing.assert_array_equal(found, expected.reshape(50, 3, len(columns)))


@given(seeds)
def test_documents_that_part_the_corpus_add_up_to_it(seed):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 1000, (3, 12, 4)).astype(float)
    order = rng.permutation(12)
    parts = pool(values, Documents(indices=order.reshape(4, 3)))

    assert values.sum(axis=1).tolist() == parts.sum(axis=0).tolist()


@given(seeds)
def test_drawn_judgments_pool_to_the_sums_of_a_plain_loop(seed):
    rng = np.random.default_rng(seed)
    values = rng.integers(1, 6, 20).astype(float)
    drawn = rng.integers(0, 20, (4, 3, 5)).astype(np.int32)
    pooled = pool_drawn(values, drawn)

    assert [[sum(values[drawn[d, s]]) for s in range(3)] for d in range(4)] == pooled[..., 0].tolist()
    assert (pooled[..., 1] == 5).all()


def test_equal_judgments_in_another_order_have_equal_means():
    # 0.1 + 0.2 + 0.3 and 0.3 + 0.2 + 0.1 differ in the last bit.
    sums = np.array([[0.1 + 0.2 + 0.3, 3.0], [0.3 + 0.2 + 0.1, 3.0]])
    assert sums[0, 0] != sums[1, 0]
    first, second = mean_of_sums(sums, scale=0.3)

    assert first == second
    assert first == pytest.approx(0.2, abs=1e-12)


@given(st.lists(st.integers(-1000, 1000), min_size=1, max_size=9), st.integers(1, 60))
def test_settling_moves_by_less_than_a_billionth_and_twice_is_once(values, divisor):
    x = np.array(values) / divisor
    scale = float(np.abs(x).max())
    settled = settle(x, scale)

    assert np.abs(settled - x).max() <= scale * 1e-12
    assert settled.tolist() == settle(settled, scale).tolist()


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=9))
@example([1.7976931348623157e308])
def test_scores_of_very_different_sizes_are_settled_each_by_its_own(values):
    x = np.array(values)
    settled = settle(x, np.abs(x))

    # Half a unit of the 40th bit is at most 2**-40 of a number; below the smallest normal number nothing is finer.
    assert (np.abs(settled - x) <= np.abs(x) * 2.0**-40 + 5e-324).all()
    assert settled.tolist() == settle(settled, np.abs(settled)).tolist()
    assert np.isnan(settle(np.array([np.nan]), np.array([np.nan]))).all()


def test_a_mean_of_nothing_is_undefined():
    assert np.isnan(mean_of_sums(np.array([0.0, 0.0]), scale=5.0))


def test_documents_are_indices_or_counts():
    with pytest.raises(ValueError, match="either indices or counts"):
        Documents()


def test_numbers_are_added_in_order_and_rounded_each_time():
    # By hand: 1 + 1e100 is 1e100, so that both ones are lost; since Python 3.12 sum() gives 2.
    assert ordered_sum([1.0, 1e100, 1.0, -1e100]) == 0.0
    assert ordered_sum([]) == 0.0
    assert ordered_sum([0.1, 0.2]) == 0.30000000000000004


@pytest.mark.parametrize("most", [16383, 16384, 16385, 10**6, 0.5])
def test_products_with_counts_are_exact_around_what_single_precision_holds(most):
    # 1024 draws of `most`: 2**24 at 16384; odd numbers above it are what single precision lacks.
    counts = np.array([[1023, 1, 0], [1, 0, 1023]], dtype=np.uint16)
    table = np.array([[most, 1.0], [most - 1 if most > 1 else most, 0.0], [1.0, most]])
    expected = [[sum(int(c) * v for c, v in zip(row, column, strict=True)) for column in table.T] for row in counts]
    found = pooling.weigh(counts, lambda part: table[part])
    assert found.dtype == np.float64
    assert found.tolist() == expected
