"""What ROUGE counts: common subsequences by brute force and by the paper's table, skip-bigrams by hand."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.metrics.subsequences import count_skip_bigrams, lcs_length, runs_in_reference, weighted_lcs

ids = st.lists(st.integers(0, 3), max_size=7)


def subsequences(tokens):
    return {pick for size in range(len(tokens) + 1) for pick in itertools.combinations(tokens, size)}


@given(ids, ids)
def test_lcs_is_the_longest_of_all_common_subsequences(first, second):
    assert lcs_length(first, second) == max(map(len, subsequences(first) & subsequences(second)))


@given(ids, ids, st.sampled_from([1.0, 1.2, 2.0]))
def test_weighted_lcs_is_that_of_the_papers_table(first, second, exponent):
    def f(k):
        return k**exponent

    # The dynamic programme of the paper, cell by cell: c adds f(k + 1) - f(k), w is the run that ends at the cell.
    c, w = np.zeros((len(first) + 1, len(second) + 1)), np.zeros((len(first) + 1, len(second) + 1))
    for i, j in itertools.product(range(1, len(first) + 1), range(1, len(second) + 1)):
        if first[i - 1] == second[j - 1]:
            k = w[i - 1, j - 1]
            c[i, j], w[i, j] = c[i - 1, j - 1] + f(k + 1) - f(k), k + 1
        else:
            c[i, j] = max(c[i - 1, j], c[i, j - 1])
    assert weighted_lcs(first, second, f) == pytest.approx(c[-1, -1], abs=1e-12)
    assert weighted_lcs(first, second, f) == pytest.approx(weighted_lcs(second, first, f), abs=1e-12)


def test_runs_in_the_reference_may_be_torn_in_the_candidate():
    # The script matches all of "1 2 3": one run of 3 in the reference. In the paper the runs are 1 and 2 long.
    assert runs_in_reference([1, 2, 3], [1, 9, 2, 3], lambda k: k**2) == [3]
    assert weighted_lcs([1, 2, 3], [1, 9, 2, 3], lambda k: k**2) == 1 + 4
    assert runs_in_reference([1, 9, 2, 3], [1, 2, 3], lambda k: k**2) == [1, 2]


def test_skip_bigrams_by_hand():
    # "a b a b": neighbours ab, ba, ab; with one between: aa, bb; with two: ab.
    a, b = 0, 1
    near = {(a, b): 2, (b, a): 1}
    assert count_skip_bigrams([a, b, a, b], 0) == near
    assert count_skip_bigrams([a, b, a, b], 1) == near | {(a, a): 1, (b, b): 1}
    for skip in (2, 3, 10**9, None):
        assert count_skip_bigrams([a, b, a, b], skip) == near | {(a, a): 1, (b, b): 1, (a, b): 3}
    for skip in (0, 5, None):
        assert not count_skip_bigrams([], skip)
        assert not count_skip_bigrams([a], skip)
