"""Greedy matchings on the bitext grid: the kernel against the plain definition."""

from __future__ import annotations

import itertools
import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metaeval import kernels
from metaeval.kernels import greedy_matching as greedy_kernel
from metaeval.kernels import segment_pairs
from metaeval.metrics import get_metric
from metaeval.metrics.contract import measure
from metaeval.metrics.gtm_matching import (
    capped_power_sum,
    column_positions,
    greedy_matching,
    maximal_runs,
    side_by_side,
)
from metaeval.metrics.segments import joined
from tests.support.kernels import as_segments, needs_timer, read_only, stopped

pytestmark = pytest.mark.skipif(kernels.COMPILED is None, reason="nothing was compiled")

EXPONENTS = [1.5, 2.0, 3.0]
METRICS = [f'gtm(exponent={exponent},cap="{cap}")' for exponent in (1, *EXPONENTS, 50) for cap in ("float", "whole")]


def changed(rng, ids, length, tokens):
    """Return a text that shares runs with another: pieces of it in any order, and any tokens between them."""
    pieces = []
    while sum(map(len, pieces)) < length:
        start = rng.integers(0, max(len(ids), 1))
        pieces += [ids[start : start + rng.integers(1, 20)], rng.choice(tokens, size=rng.integers(0, 3)).tolist()]
    return list(itertools.chain.from_iterable(pieces))[:length]


@st.composite
def collections(draw, lengths, most_segments):
    """Return the segments of several systems, and those of each of several references; None is an absent one."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    tokens = np.arange(draw(st.sampled_from([1, 2, 3, 5, 20, 1000])))
    n_segments = draw(st.integers(1, most_segments))
    first = [rng.choice(tokens, size=draw(lengths)).tolist() for _ in range(n_segments)]
    others = [
        [changed(rng, text, draw(lengths), tokens) if draw(st.integers(0, 4)) else None for text in first]
        for _ in range(draw(st.integers(0, 3)))
    ]
    first = [text if draw(st.integers(0, 4)) else None for text in first]
    known = [next((text for text in texts if text), []) for texts in zip(first, *others, strict=True)]
    systems = [[changed(rng, text, draw(lengths), tokens) for text in known] for _ in range(draw(st.integers(1, 3)))]
    return systems, [first, *others]


short = collections(st.integers(0, 14), 4)
long = collections(st.sampled_from([0, 1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 129, 200]), 1)


def found_by(candidates, references, caps, exponent):
    """Return what the kernel adds up for each segment: the sum of length**exponent."""
    barrier = segment_pairs.vocabulary_size(candidates.ids, *(texts.ids for texts in references))
    grid = side_by_side(references, barrier)
    longest = max(candidates.lengths.max(initial=0), np.diff(grid[1]).max(initial=0))
    weights = np.array([float(length) ** exponent for length in range(longest + 1)])
    caps = np.array(caps, dtype=float)
    whole, rest = greedy_kernel.greedy_matching(candidates.ids, candidates.offsets, *grid, caps, weights)
    return [a + b**exponent for a, b in zip(whole.tolist(), rest.tolist(), strict=True)]


def expected_of(systems, references, caps, exponent):
    sums = []
    for place, cap in enumerate(caps):
        segment = place % len(systems[0])
        texts = [reference[segment] for reference in references if reference[segment] is not None]
        runs = greedy_matching(maximal_runs(systems[place // len(systems[0])][segment], column_positions(texts)))
        sums.append(capped_power_sum([run.length for run in runs], cap, exponent))
    return sums


def check(texts, caps, exponent):
    systems, references = texts
    candidates = joined([as_segments(system) for system in systems])
    found = found_by(candidates, [as_segments(reference) for reference in references], caps, exponent)
    assert found == expected_of(systems, references, caps, exponent)


@settings(max_examples=200)
@given(short, st.sampled_from(EXPONENTS), st.data())
def test_sums_are_those_of_the_plain_definition_to_the_last_bit(texts, exponent, data):
    n = len(texts[0]) * len(texts[0][0])
    caps = data.draw(st.lists(st.floats(0, 15) | st.integers(0, 15), min_size=n, max_size=n))
    check(texts, caps, exponent)


@settings(max_examples=40)
@given(long, st.sampled_from(EXPONENTS), st.sampled_from([math.inf, 60.25]))
def test_sums_of_longer_texts(texts, exponent, cap):
    check(texts, [cap] * len(texts[0]), exponent)


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 7, 8, 9, 63, 64, 65, 511, 512, 513, 1024])
def test_a_text_against_itself_is_one_run(length):
    texts = as_segments([[place % 700 for place in range(length)]])
    assert found_by(texts, [texts], [math.inf], 2.0) == [length**2]
    assert found_by(texts, [texts], [length - 0.5], 2.0) == [(length - 0.5) ** 2]


def test_ties_are_settled_by_position():
    # Of the runs of 2, "ab" in row 2 comes before "aa" in rows 0 and 1, which leaves "aa" whole: 4 + 4. With the last
    # column first, "aa" in row 1 would leave runs of 1.
    aaab, abaa = as_segments([[0, 0, 0, 1]]), as_segments([[0, 1, 0, 0]])
    assert found_by(aaab, [abaa], [4], 2.0) == [8.0]
    # "aa" in row 2 takes the columns 1 and 2, the last ones, which leaves runs of 1: 4 + 1 + 1. Row 0 before row 2, or
    # the columns 0 and 1, would leave a run of 2.
    assert found_by(abaa, [aaab], [4], 2.0) == [6.0]


def test_no_cap_is_nothing_to_match():
    text = as_segments([[1, 2], [1, 2]])
    assert math.isnan(found_by(text, [text], [math.nan, 2], 2.0)[0])
    assert found_by(text, [text], [math.nan, 2], 2.0)[1] == 4.0


def test_nothing_at_all():
    assert found_by(as_segments([]), [as_segments([])], [], 2.0) == []
    assert found_by(as_segments([[], []]), [as_segments([[], [1]])], [0, 0], 2.0) == [0.0, 0.0]
    assert found_by(as_segments([[1]]), [as_segments([None])], [1], 2.0) == [0.0]


# The metric.


@settings(max_examples=25)
@given(short)
@pytest.mark.parametrize("name", METRICS)
def test_the_metric_is_the_same_without_kernels(name, texts):
    metric = get_metric(name)
    systems, references = [list(map(as_segments, part)) for part in texts]
    own = measure(metric, systems, references).values
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "COMPILED", None)
        plain = measure(metric, systems, references).values
    assert np.array_equal(own, plain, equal_nan=True)
    absent = [all(reference[k] is None for reference in texts[1]) for k in range(len(texts[1][0]))]
    assert np.isnan(own).any(axis=(0, 2)).tolist() == absent


# Arrays that no kernel may see. The binding is called as the wrapper calls it.

I32, I64, F64 = np.int32, np.int64, np.float64


def good_arguments():
    """Return two systems of one segment, and its references: "1 4 3", an empty one, and "2"; 6 is the barrier."""
    return [
        np.array([0, 1, 4, 1, 2], I32),
        np.array([0, 3, 5], I64),
        np.array([1, 4, 3, 6, 6, 2, 6], I32),
        np.array([0, 7], I64),
        7,
        np.array([3.0, 2.0]),
        np.arange(4.0) ** 2,
        np.zeros(2),
        np.zeros(2),
    ]


BAD = {
    "ids of another type": (0, np.array([0, 1, 4, 1, 2], I64), TypeError),
    "ids in a list": (0, [0, 1, 4, 1, 2], TypeError),
    "every second id": (0, np.zeros(10, I32)[::2], ValueError),
    "a negative id": (0, np.array([0, 1, -1, 1, 2], I32), ValueError),
    "an id above the vocabulary": (0, np.array([0, 1, 7, 1, 2], I32), ValueError),
    "an id of a reference above the vocabulary": (2, np.array([1, 4, 3, 7, 6, 2, 6], I32), ValueError),
    "a negative id of a reference": (2, np.array([1, 4, 3, -1, 6, 2, 6], I32), ValueError),
    "offsets of another type": (1, np.array([0, 3, 5], I32), TypeError),
    "no offsets": (1, np.array([], I64), ValueError),
    "offsets that begin late": (1, np.array([1, 3, 5], I64), ValueError),
    "offsets that end early": (3, np.array([0, 6], I64), ValueError),
    "offsets that end late": (3, np.array([0, 8], I64), ValueError),
    "offsets that fall": (1, np.array([0, 6, 5], I64), ValueError),
    "offsets below 0": (1, np.array([0, -(2**60), 5], I64), ValueError),
    "half a system": (3, np.array([0, 1, 2, 3, 4, 5, 6, 7], I64), ValueError),
    "references without segments": (3, np.array([0], I64), ValueError),
    "no vocabulary": (4, 0, ValueError),
    "a vocabulary that is no number": (4, "7", TypeError),
    "a vocabulary beyond 64 bits": (4, 2**64, OverflowError),
    "too few caps": (5, np.array([3.0]), ValueError),
    "too many caps": (5, np.array([3.0, 2.0, 1.0]), ValueError),
    "caps of another type": (5, np.array([3, 2]), TypeError),
    "a cap below 0": (5, np.array([3.0, -1.0]), ValueError),
    "too few weights": (6, np.arange(3.0), ValueError),
    "no weights": (6, np.array([]), ValueError),
    "weights of another type": (6, np.arange(4, dtype=np.float32), TypeError),
    "too short a result": (7, np.zeros(1), ValueError),
    "too long a result": (8, np.zeros(3), ValueError),
    "a result of another type": (7, np.zeros(2, I64), TypeError),
    "a result that cannot be written": (8, read_only(np.zeros(2)), ValueError),
    "no result": (8, None, TypeError),
}


def test_the_arguments_that_the_bad_ones_are_made_of_are_good():
    arguments = good_arguments()
    kernels.COMPILED.greedy_matching(*arguments)
    # "0 1 4": a run of 2 below the cap of 3. "1 2": a run of 1, which the second one reaches the cap of 2 with.
    assert arguments[7].tolist() == [4.0, 1.0]
    assert arguments[8].tolist() == [0.0, 1.0]


@pytest.mark.parametrize("spoilt", BAD)
def test_bad_arrays_are_refused(spoilt):
    arguments = good_arguments()
    place, bad, error = BAD[spoilt]
    arguments[place] = bad
    with pytest.raises(error):
        kernels.COMPILED.greedy_matching(*arguments)


def test_too_few_arguments_are_refused():
    with pytest.raises(TypeError):
        kernels.COMPILED.greedy_matching(*good_arguments()[:-1])


# Very long segments.

# One token: 2e6 hits, runs of 700, 500 and 300 against three references; 500 rows get no column. Blocks of 1 to 199
# tokens in reverse order: each is a run, and their squares add up to 199 * 200 * 399 / 6. Two tokens, each in one
# half, the halves exchanged: two runs. At last, a text of 20,000 tokens against itself: one run.
LONG = """
import resource
import numpy as np
from metaeval.kernels import greedy_matching as greedy_kernel
weights = np.array([float(k) ** 2 for k in range(20_001)])
def match(candidate, *references):
    candidate = np.array(candidate, dtype=np.int32)
    references = np.concatenate([np.append(text, 30_000) for text in references]).astype(np.int32)
    offsets = np.array([0, len(candidate)]), np.array([0, len(references)])
    caps = np.array([np.inf])
    print(greedy_kernel.greedy_matching(candidate, offsets[0], references, offsets[1], caps, weights)[0][0])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
match(np.zeros(2_000), np.zeros(500), np.zeros(700), np.zeros(300))
ends = np.cumsum(np.arange(200))
blocks = [np.arange(start, end) for start, end in zip(ends, ends[1:])]
match(np.concatenate(blocks), np.concatenate(blocks[::-1]))
match(np.repeat([0, 1], 500), np.repeat([1, 0], 500))
match(np.arange(20_000) % 7_000, np.arange(20_000) % 7_000)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_20000_tokens_in_bounded_memory():
    pytest.importorskip("resource")
    run = subprocess.run([sys.executable, "-c", LONG], capture_output=True, text=True, check=True)
    *found, grown = map(float, run.stdout.split())
    assert found == [700**2 + 500**2 + 300**2, 199 * 200 * 399 / 6, 2 * 500**2, 20_000**2]
    kilobyte = 1 if sys.platform != "darwin" else 1024
    assert grown < 32_000 * kilobyte


def many_segments():
    ids = np.random.default_rng(1).integers(0, 3, 4_000_000).astype(np.int32)
    return ids, np.arange(8001) * 500


def one_segment():
    # One token in stretches of 1 to 1,400: as many lengths.
    ids = np.concatenate([[*itertools.repeat(0, length), 1] for length in np.random.default_rng(1).permutation(1400)])
    return ids.astype(np.int32), np.array([0, len(ids)])


@needs_timer
@pytest.mark.parametrize("texts", [many_segments, one_segment])
def test_the_user_can_stop(texts):
    ids, offsets = texts()
    caps, weights = np.full(len(offsets) - 1, np.inf), np.ones(1 + int(np.diff(offsets).max()))
    with stopped(0.1, within=1.1):  # to the end it takes more than 2 seconds
        greedy_kernel.greedy_matching(ids, offsets, ids[::-1].copy(), offsets, caps, weights)
