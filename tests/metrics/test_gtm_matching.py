"""Matchings on the bitext grid against brute force, and the laws they obey."""

from __future__ import annotations

import itertools
import math
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metaeval import kernels
from metaeval.metrics.contract import measure
from metaeval.metrics.gtm import Gtm
from metaeval.metrics.gtm_matching import (
    capped_power_sum,
    column_positions,
    exact_matching,
    greedy_matching,
    matching_size,
    maximal_runs,
    side_by_side,
)
from tests.support import turian
from tests.support.gold import encode
from tests.support.kernels import as_segments

tokens = st.lists(st.integers(0, 2), max_size=6)
small_grids = st.tuples(tokens, st.lists(st.lists(st.integers(0, 2), max_size=3), min_size=1, max_size=2))
grids = st.tuples(
    st.lists(st.integers(0, 3), max_size=25), st.lists(st.lists(st.integers(0, 3), max_size=12), min_size=1, max_size=3)
)


def hits(candidate, references):
    """Return the cells of the grid, references side by side with a barrier after each."""
    columns = list(itertools.chain.from_iterable([*reference, None] for reference in references))
    return [(r, c) for r, token in enumerate(candidate) for c, other in enumerate(columns) if token == other]


def runs_of(candidate, references):
    return maximal_runs(candidate, column_positions(references))


def power_sum(matching, exponent):
    """Return the sum of length**exponent over the runs of a set of cells."""
    cells = set(matching)
    starts = [(r, c) for r, c in cells if (r - 1, c - 1) not in cells]
    return sum(next(n for n in itertools.count(1) if (r + n, c + n) not in cells) ** exponent for r, c in starts)


def all_matchings(cells):
    if not cells:
        yield []
        return
    (row, column), *rest = cells
    yield from all_matchings(rest)
    for matching in all_matchings([(r, c) for r, c in rest if r != row and c != column]):
        yield [(row, column), *matching]


@given(grids)
def test_every_hit_is_in_exactly_one_maximal_run(grid):
    runs = runs_of(*grid)
    covered = [(run.candidate + k, run.reference + k) for run in runs for k in range(run.length)]
    cells = set(hits(*grid))

    assert sorted(covered) == sorted(cells)
    for run in runs:
        assert (run.candidate - 1, run.reference - 1) not in cells
        assert (run.candidate + run.length, run.reference + run.length) not in cells


# Sentences with words that come again: the fewer different words, the more runs are in each other's way.
sentences = st.integers(1, 6).flatmap(lambda n_words: st.lists(st.integers(0, n_words), max_size=16))


@given(grids | st.tuples(sentences, st.lists(sentences, min_size=1, max_size=4)))
def test_greedy_matching_takes_the_longest_free_run_and_then_the_next(grid):
    assert turian.greedy_runs(*grid) == greedy_matching(runs_of(*grid))


def test_the_longest_free_run_by_hand():
    # a b c a b against a b, c a b and, behind barriers, in columns 0, 1, 3, 4, 5: "c a b" is the longest. What is left
    # is "a b" in rows 0 and 1, columns 0 and 1.
    assert turian.greedy_runs([0, 1, 2, 0, 1], [[0, 1], [2, 0, 1]]) == [(3, 2, 3), (2, 0, 0)]
    # Of three runs of one token each, the last row comes first, and in it the last column.
    assert turian.greedy_runs([0, 0], [[0], [0]]) == [(1, 1, 2), (1, 0, 0)]


@pytest.mark.parametrize("compiled", [True, False])
@given(
    st.lists(st.tuples(sentences, st.lists(sentences, min_size=3, max_size=3)), min_size=1, max_size=3),
    st.sampled_from([1, 1.5, 2.0, 3.0, 7.5]),
    st.booleans(),
    st.sets(st.integers(0, 2), max_size=2),
)
def test_gtm_is_as_turian_and_others_describe_it(compiled, texts, exponent, whole_cap, absent):
    metric = Gtm(exponent=exponent, cap="whole" if whole_cap else "float")
    systems = [[candidate for candidate, _ in texts], [candidate[::-1] for candidate, _ in texts]]
    references = [[None if k in absent else others[k] for _, others in texts] for k in range(3)]
    with pytest.MonkeyPatch.context() as patch:
        if not compiled:
            patch.setattr(kernels, "COMPILED", None)
        found = measure(metric, [as_segments(system) for system in systems], [*map(as_segments, references)]).values
    expected = [
        [
            turian.size(
                candidate, [text[i] for text in references if text[i] is not None], exponent, whole_cap=whole_cap
            )
            for i, candidate in enumerate(system)
        ]
        for system in systems
    ]
    np.testing.assert_allclose(found[..., 0], expected, rtol=1e-14)


@given(grids)
def test_a_matching_uses_each_row_and_column_once(grid):
    taken = greedy_matching(runs_of(*grid))
    rows = [run.candidate + k for run in taken for k in range(run.length)]
    columns = [run.reference + k for run in taken for k in range(run.length)]

    assert len(set(rows)) == len(rows)
    assert len(set(columns)) == len(columns)


@settings(deadline=None)
@given(small_grids, st.sampled_from([1.5, 2.0, 3.0]), st.integers(0, 6))
def test_the_exact_search_equals_brute_force(grid, exponent, cap):
    possible = [one for one in all_matchings(hits(*grid)) if len(one) <= cap]
    expected = max(power_sum(one, exponent) for one in possible)
    found = exact_matching(runs_of(*grid), exponent, cap, time_limit=60)

    assert found.proven
    assert expected == pytest.approx(found.power_sum, rel=1e-9, abs=1e-9)


@settings(deadline=None)
@given(small_grids, st.sampled_from([1.5, 2.0, 3.0]), st.sampled_from([0.5, 1.5, 2.25, 3.5]))
def test_a_fractional_cap_cuts_one_hit(grid, exponent, cap):
    # Of a matching with one hit too many, the last hit of one run may keep the fraction.
    whole, fraction = math.floor(cap), cap - math.floor(cap)
    expected = 0.0
    for one in all_matchings(hits(*grid)):
        if len(one) <= whole:
            expected = max(expected, power_sum(one, exponent))
        elif len(one) == whole + 1:
            cells = set(one)
            for row, column in one:
                if (row + 1, column + 1) not in cells:
                    length = next(n for n in itertools.count() if (row - n, column - n) not in cells)
                    cut = power_sum(one, exponent) - length**exponent + (length - 1 + fraction) ** exponent
                    expected = max(expected, cut)
    found = exact_matching(runs_of(*grid), exponent, cap, time_limit=60)

    assert expected == pytest.approx(found.power_sum, rel=1e-9, abs=1e-9)


@settings(deadline=None)
@given(grids, st.sampled_from([2.0, 3.0]), st.floats(0, 30))
def test_greedy_never_beats_the_exact_search(grid, exponent, cap):
    runs = runs_of(*grid)
    greedy = capped_power_sum([run.length for run in greedy_matching(runs)], cap, exponent)
    found = exact_matching(runs, exponent, cap, time_limit=60)

    assert found.proven
    assert greedy <= found.power_sum * (1 + 1e-9)


@pytest.mark.parametrize(
    ("lengths", "cap", "expected"),
    # Runs of 3 and 2 under e = 2: with 4.5 hits 3^2 + 1.5^2; with 4 hits 3^2 + 1; with 5 or more 13; with 2.5, 2.5^2.
    [((3, 2), 4.5, 11.25), ((3, 2), 4, 10.0), ((3, 2), 5, 13.0), ((3, 2), 9, 13.0), ((3, 2), 2.5, 6.25), ((), 3, 0.0)],
)
def test_the_cap_deletes_from_the_shortest_runs(lengths, cap, expected):
    assert capped_power_sum(lengths, cap, 2.0) == expected


@pytest.mark.parametrize(
    ("lengths", "cap", "exponent", "expected"),
    # sqrt(3^2 + 1.5^2) of 4.5 hits. 2000 (1 + 2^-50)^(1/50), and for two runs of 2000 2000 (1 + 1)^(1/50), of which a
    # cap of 3000 leaves 2000 (1 + 2^-50)^(1/50) again. No run, no size.
    [
        ((3, 2), 4.5, 2.0, math.sqrt(11.25)),
        ((2000, 1000), 3000, 50.0, 2000.0),
        ((2000, 2000), 4000, 50.0, 2000 * 2**0.02),
        ((2000, 2000), 3000, 50.0, 2000.0),
        ((2000,), 1000.5, 50.0, 1000.5),
        ((), 3, 2.0, 0.0),
    ],
)
def test_sizes_of_matchings(lengths, cap, exponent, expected):
    assert expected == pytest.approx(matching_size(lengths, cap, exponent), rel=1e-14)


def test_references_side_by_side():
    # Ids are numbered in the order in which tokens are met: a 0, b 1, c 2.
    ids, offsets = side_by_side(list(encode(["a b", "", "c"], ["c", None, "b a b"])), 9)

    assert ids.tolist() == [0, 1, 9, 2, 9, 9, 9, 2, 9, 1, 0, 1, 9]
    assert offsets.tolist() == [0, 5, 7, 13]


def test_a_search_that_may_not_finish_gives_a_bound_and_says_so():
    # Two tokens at random in 60 x 60 cells: far from settled in no time.
    candidate = [int(digit) for digit in f"{0xB5E1F0C3A96D2748:060b}"[:60]]
    reference = [int(digit) for digit in f"{0x6A2C91D7E3F0B584:060b}"[:60]]
    runs = runs_of(candidate, [reference])
    greedy = capped_power_sum([run.length for run in greedy_matching(runs)], 60, 2.0)
    found = exact_matching(runs, 2.0, 60, time_limit=0.0)

    assert not found.proven
    assert found.power_sum >= greedy


def test_a_grid_too_large_to_solve_gives_a_bound_at_once():
    rng = Random(1)
    candidate, reference = ([int(rng.random() < 0.03) for _ in range(250)] for _ in range(2))
    runs = runs_of(candidate, [reference])
    found = exact_matching(runs, 2.0, 300, time_limit=60)

    assert not found.proven
    assert found.power_sum > 0
