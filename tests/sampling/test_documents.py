from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from metaeval.datamodel.pooling import whole
from metaeval.errors import UsageError
from metaeval.sampling.documents import draw_documents, real, single


@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 20), st.integers(0, 2**32 - 1))
def test_without_replacement_no_segment_is_twice_in_a_document(n_segments, length, count, seed):
    length = min(length, n_segments)
    indices = draw_documents(n_segments, length, count, np.random.default_rng(seed)).indices

    assert indices.shape == (count, length)
    assert indices.min() >= 0
    assert indices.max() < n_segments
    assert all(len(set(document)) == length for document in indices.tolist())


def test_every_subset_is_equally_likely():
    # 6 choose 3 = 20 subsets, 10,000 draws: chi-squared with 19 degrees of freedom.
    indices = draw_documents(6, 3, 10_000, np.random.default_rng(4)).indices
    found = [tuple(sorted(document)) for document in indices.tolist()]
    counts = [found.count(subset) for subset in itertools.combinations(range(6), 3)]

    assert sum(counts) == 10_000
    assert chisquare(counts).pvalue > 0.001


def test_with_replacement_every_segment_is_equally_likely():
    indices = draw_documents(5, 8, 2000, np.random.default_rng(5), replacement=True).indices

    assert chisquare(np.bincount(indices.ravel(), minlength=5)).pvalue > 0.001
    assert any(len(set(document)) < 8 for document in indices.tolist())


def test_too_long_documents_are_refused_with_the_cure():
    with pytest.raises(
        UsageError, match=r"documents of 6 segments cannot be drawn without replacement from 5 eligible"
    ):
        draw_documents(5, 6, 1, np.random.default_rng(0))


def test_whole_single_and_real_documents():
    assert whole(3).indices.tolist() == [[0, 1, 2]]
    assert single([4, 7]).indices.tolist() == [[0], [1]]
    assert single([4, 7]).labels == ("4", "7")
    documents = real(["b", "a", "b"])
    assert documents.labels == ("b", "a")
    assert documents.counts.tolist() == [[1, 0, 1], [0, 1, 0]]
