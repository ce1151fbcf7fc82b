"""Kernels on pairs of segments against plain definitions: edits, overlap, common subsequences, skip-bigrams."""

from __future__ import annotations

import itertools
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metaeval import kernels
from metaeval.kernels import common_subsequences, segment_pairs
from metaeval.metrics import get_metric
from metaeval.metrics.contract import measure
from metaeval.metrics.ngrams import clipped_matches
from metaeval.metrics.segments import joined
from metaeval.metrics.subsequences import count_skip_bigrams, lcs_length, runs_in_reference, weighted_lcs
from metaeval.metrics.wer import edit_distance
from tests.support.kernels import BAD_TEXTS, as_segments, good_texts, needs_timer, read_only, stopped, text_of

pytestmark = pytest.mark.skipif(kernels.COMPILED is None, reason="nothing was compiled")

WEIGHTS = {
    "power 1": float,
    "power 1.2": lambda length: float(length**1.2),
    "power 2": lambda length: float(length**2),
    "less 0.5": lambda length: length - 0.5,
    "less 0.9": lambda length: length - 0.9,
}
SKIPS = [None, 0, 1, 4, 63, 64, 10**30]
SINGLES = ["none", "all", "but-last"]
METRICS = [
    "rouge-l",
    "rouge-l(formula='A',pooling='counts')",
    "rouge-w",
    "rouge-w(weight=2,formula='B')",
    "rouge-w(weighting='linear',pooling='counts')",
    "rouge-w(program='1.5.5')",
    "rouge-w(program='1.5.5',formula='B',pooling='counts')",
    "rouge-s",
    "rouge-s(skip=0,formula='A')",
    "rouge-s(skip=4,unigram=True,pooling='counts')",
    "rouge-s(unigram=True,program='1.5.5',formula='B')",
]


def changed(rng, ids, length, tokens):
    """Return a text that shares runs with another: pieces of it in any order, and tokens of its own between them."""
    pieces = []
    while sum(map(len, pieces)) < length:
        start = rng.integers(0, max(len(ids), 1))
        pieces += [ids[start : start + rng.integers(1, 9)], rng.choice(tokens, size=rng.integers(0, 3)).tolist()]
    return list(itertools.chain.from_iterable(pieces))[:length]


@st.composite
def collections(draw, lengths, segments):
    """Return segments of a reference, and those of some systems, one system after the other."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    # The ids need not be dense, and every one may occur in one text alone.
    tokens = draw(
        st.sampled_from([np.arange(1), np.arange(2), np.arange(9), np.arange(2000), np.arange(0, 90_000, 777)])
    )
    references = [rng.choice(tokens, size=draw(lengths)).tolist() for _ in range(draw(segments))]
    candidates = [
        changed(rng, reference, draw(lengths), tokens)
        for _ in range(draw(st.integers(1, 3)))
        for reference in references
    ]
    return candidates, references


short = collections(st.integers(0, 12), st.integers(0, 4))
# A strip of the bit-parallel kernel has 64 tokens, a block of the way back 128.
long = collections(st.sampled_from([0, 1, 63, 64, 65, 127, 128, 129, 192, 193, 260, 300]), st.just(1))


def pairs_of(candidates, references):
    return zip(candidates, itertools.cycle(references), strict=False)


def check_pair_numbers(candidates, references):
    texts = *text_of(candidates), *text_of(references)
    both = list(pairs_of(candidates, references))
    check_strips(segment_pairs.edit_distance, edit_distance, candidates, references)
    shared = [sum(min(one.count(token), other.count(token)) for token in set(one)) for one, other in both]
    assert segment_pairs.bag_overlap(texts).tolist() == shared


def check_strips(kernel, plain, candidates, references):
    # More than are looked at together, and of different lengths.
    several = [[one[::step] for one in references] for step in (1, -1, 2, 3, 400)]
    texts = *text_of(candidates), *text_of(list(itertools.chain(*several)))
    found = kernel(texts, n_references=len(several))
    assert found.tolist() == [[plain(*pair) for pair in pairs_of(candidates, each)] for each in several]


def check_lcs(candidates, references):
    check_strips(common_subsequences.lcs_length, lcs_length, candidates, references)


def check_weights(candidates, references, weight):
    table = np.array([weight(length) for length in range(1 + max(map(len, [*candidates, *references]), default=0))])
    texts = *text_of(candidates), *text_of(references)
    found = common_subsequences.weighted_lcs(texts, table)
    assert found.tolist() == [weighted_lcs(*pair, weight) for pair in pairs_of(candidates, references)]
    expected = []
    for candidate, reference in pairs_of(candidates, references):
        total = 0.0  # sum() would round otherwise in Python 3.12 and later
        for run in runs_in_reference(reference, candidate, weight):
            total += weight(run)
        expected.append(total)
    assert common_subsequences.weighted_runs(texts, table).tolist() == expected


def check_pairs(candidates, references, skip, singles):
    found = common_subsequences.skip_bigram_hits((*text_of(candidates), *text_of(references)), skip, singles)

    def counts(ids):
        counted = count_skip_bigrams(ids, skip)
        counted.update((token,) for token in {"none": [], "all": ids, "but-last": ids[:-1]}[singles])
        return counted

    expected = [
        clipped_matches(counts(candidate), counts(reference))
        for candidate, reference in pairs_of(candidates, references)
    ]
    assert found.tolist() == expected


@given(short)
def test_edits_and_overlap(texts):
    check_pair_numbers(*texts)


@settings(max_examples=40)
@given(long)
def test_edits_and_overlap_of_several_strips(texts):
    check_pair_numbers(*texts)


@given(short)
def test_lcs(texts):
    check_lcs(*texts)


@settings(max_examples=40)
@given(long)
def test_lcs_of_several_strips(texts):
    check_lcs(*texts)


@given(st.lists(st.integers(60, 63) | st.integers(192, 195)))
def test_lcs_where_strips_between_have_nothing(candidate):
    # What the first strip changes in the fourth goes through the two between them.
    check_lcs([candidate], [list(range(200))])


@given(short, st.sampled_from(sorted(WEIGHTS)))
def test_weights_to_the_last_bit(texts, weight):
    check_weights(*texts, WEIGHTS[weight])


@settings(max_examples=25)
@given(long, st.sampled_from(sorted(WEIGHTS)))
def test_weights_of_several_blocks_to_the_last_bit(texts, weight):
    check_weights(*texts, WEIGHTS[weight])


def test_rounding_settles_ties_as_in_the_script():
    # Had f(k + 1) - f(k) been computed before it is added, two ways would tie differently: runs of 3, 5 and 3 tokens.
    reference, candidate = [1, 0, 1, 0, 0, 1, 1, 1, 0, 1, 1, 0, 1, 0, 0], [1, 1, 0, 0, 0, 1, 0, 1, 1, 1, 0, 1, 0, 1]
    assert runs_in_reference(reference, candidate, WEIGHTS["power 1.2"]) == [2, 3, 1, 5]
    check_weights([candidate], [reference], WEIGHTS["power 1.2"])


@given(short, st.sampled_from(SKIPS), st.sampled_from(SINGLES))
def test_skip_bigrams(texts, skip, singles):
    check_pairs(*texts, skip, singles)


@settings(max_examples=40)
@given(long, st.sampled_from(SKIPS), st.sampled_from(SINGLES))
def test_skip_bigrams_of_long_texts(texts, skip, singles):
    check_pairs(*texts, skip, singles)


@pytest.mark.parametrize("skip", [None, 0, 4, 400])
@pytest.mark.parametrize("distinct", [512, 513])
def test_skip_bigrams_of_a_reference_with_many_distinct_tokens(skip, distinct):
    # Up to 512 there is one table for all pairs.
    rng = np.random.default_rng(distinct)
    reference = [*rng.permutation(distinct).tolist(), *rng.integers(0, 20, size=90).tolist()]
    candidates = [changed(rng, reference, length, np.arange(700)) for length in (600, 0, 3)]
    for singles in SINGLES:
        check_pairs(candidates, [reference], skip, singles)


@pytest.mark.parametrize("length", [65_535, 65_536])
def test_skip_bigrams_of_a_reference_that_is_very_long(length):
    # From 65,536 tokens on, a pair may occur more often than 32 bits can count.
    rng = np.random.default_rng(length)
    reference = rng.integers(0, 30, size=length).tolist()
    check_pairs([changed(rng, reference, 5000, np.arange(40))], [reference], 2, "all")


# The metrics.


tokens = st.lists(st.integers(0, 5), max_size=10)


@settings(max_examples=30)
@given(st.integers(1, 4).flatmap(lambda n: st.lists(st.lists(tokens | st.none(), min_size=n, max_size=n), min_size=5)))
@pytest.mark.parametrize("name", METRICS)
def test_metrics_are_the_same_without_kernels(name, texts):
    metric = get_metric(name)
    *candidates, first, second = map(as_segments, texts)
    references = [one.for_systems(len(candidates)) for one in metric.prepare_each([first])]
    (compiled,) = metric.compare_each_compiled(joined(candidates), references)
    assert compiled is not None
    own = measure(metric, candidates, [first, second]).values
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "COMPILED", None)
        assert metric.compare_each_compiled(joined(candidates), references) == [None]
        plain = measure(metric, candidates, [first, second]).values
        (comparison,) = metric.compare_all(joined(candidates), references)
    present = np.tile(first.present, len(candidates))
    assert np.allclose(compiled[present], comparison[present], rtol=1e-12, atol=0)
    assert np.allclose(own, plain, rtol=1e-12, atol=0, equal_nan=True)


# Arrays that no kernel may see. The binding is called as the wrappers call it.

I32, I64, F64 = np.int32, np.int64, np.float64
CALLS = {
    "edit_distance": lambda: [1, 5, np.zeros(2, I32)],
    "bag_overlap": lambda: [5, np.zeros(2, I32)],
    "lcs_length": lambda: [1, 5, np.zeros(2, I32)],
    "weighted_lcs": lambda: [5, np.arange(4.0), np.zeros(2, F64)],
    "weighted_runs": lambda: [5, np.arange(4.0), np.zeros(2, F64)],
    "skip_bigrams": lambda: [5, 1, 0, np.zeros(2, I64)],
}


def arguments_of(kernel):
    """Return good arguments: two systems of one segment, three tokens at most."""
    return [*good_texts(), *CALLS[kernel]()]


BAD_REST = {
    "short weights": (["weighted_lcs", "weighted_runs"], 5, np.arange(3.0), ValueError),
    "no weights": (["weighted_lcs", "weighted_runs"], 5, np.array([]), ValueError),
    "single weights": (["weighted_lcs", "weighted_runs"], 5, np.arange(4, dtype=np.float32), TypeError),
    "no references": (["edit_distance", "lcs_length"], 4, 0, ValueError),
    "two references": (["edit_distance", "lcs_length"], 4, 2, ValueError),
    "no reach": (["skip_bigrams"], 5, 0, ValueError),
    "negative reach": (["skip_bigrams"], 5, -1, ValueError),
    "unknown singles": (["skip_bigrams"], 6, 3, ValueError),
    "negative singles": (["skip_bigrams"], 6, -1, ValueError),
    "too short a result": (list(CALLS), -1, lambda result: result[:1], ValueError),
    "too long a result": (list(CALLS), -1, lambda result: np.zeros(3, result.dtype), ValueError),
    "a result of another type": (list(CALLS), -1, lambda result: result.astype(np.int16), TypeError),
    "a result of unsigned numbers": (list(CALLS), -1, lambda result: result.astype(np.uint64), TypeError),
    "a result that cannot be written": (list(CALLS), -1, read_only, ValueError),
    "no result": (list(CALLS), -1, lambda result: None, TypeError),
}


@pytest.mark.parametrize("kernel", CALLS)
def test_the_arguments_that_the_bad_ones_are_made_of_are_good(kernel):
    assert getattr(kernels.COMPILED, kernel)(*arguments_of(kernel)) is None


@pytest.mark.parametrize("kernel", CALLS)
@pytest.mark.parametrize("spoilt", BAD_TEXTS)
def test_bad_texts_are_refused(kernel, spoilt):
    arguments = arguments_of(kernel)
    place, arguments_there, error = BAD_TEXTS[spoilt]
    arguments[place] = arguments_there
    with pytest.raises(error):
        getattr(kernels.COMPILED, kernel)(*arguments)


@pytest.mark.parametrize(
    ("kernel", "spoilt"), [(kernel, name) for name, (hit, *_) in BAD_REST.items() for kernel in hit]
)
def test_bad_weights_and_results_are_refused(kernel, spoilt):
    arguments = arguments_of(kernel)
    _, place, bad, error = BAD_REST[spoilt]
    arguments[place] = bad(arguments[place]) if callable(bad) else bad
    with pytest.raises(error):
        getattr(kernels.COMPILED, kernel)(*arguments)


@pytest.mark.parametrize("kernel", CALLS)
def test_too_few_arguments_are_refused(kernel):
    with pytest.raises(TypeError):
        getattr(kernels.COMPILED, kernel)(*arguments_of(kernel)[:-1])


# Very long segments.

# Every tenth of 20,000 different tokens is another one in the candidate: 2,000 runs of 9 remain. A table with one bit
# for each pair of tokens would take 50 MB.
LONG = """
import resource
import sys
from pathlib import Path
import numpy as np
from metaeval.kernels import common_subsequences
reference = np.arange(20_000, dtype=np.int32)
candidate = np.where(reference % 10 == 9, reference + 20_000, reference).astype(np.int32)
offsets = np.array([0, 20_000])
weights = np.array([float(k ** 2) for k in range(20_001)])
texts = candidate, offsets, reference, offsets
few = np.resize(np.arange(4, dtype=np.int32), 20_000)
used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + int(sys.argv[1]),) * 2)
print(common_subsequences.lcs_length(texts)[0, 0])
print(common_subsequences.weighted_lcs(texts, weights)[0])
print(common_subsequences.weighted_runs(texts, weights)[0])
print(common_subsequences.skip_bigram_hits(texts, None, "none")[0])
print(common_subsequences.skip_bigram_hits(texts, 4, "but-last")[0])
print(common_subsequences.skip_bigram_hits((few, offsets, few, offsets), None, "none")[0])
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the memory in use is not told")
def test_20000_tokens_in_bounded_memory():
    run = subprocess.run([sys.executable, "-c", LONG, str(32 << 20)], capture_output=True, text=True, check=True)
    found = [float(line) for line in run.stdout.split()]
    # A token is the first of 5 pairs with at most 4 tokens between the two, but the last five begin 4, 3, 2, 1 and 0.
    # No pair has two changed tokens; 1,999 of these are in 10 pairs, and the last of all tokens is in 5.
    near = 5 * 20_000 - 15 - 10 * 1_999 - 5
    assert found == [18_000, 2_000 * 81, 2_000 * 81, 18_000 * 17_999 / 2, near + 18_000, 20_000 * 19_999 / 2]


@needs_timer
@pytest.mark.parametrize("kernel", ["edits", "lcs", "weighted", "runs", "pairs by rows", "pairs in a table"])
def test_the_user_can_stop_inside_a_long_segment(kernel):
    n_systems, length = {"edits": (2, 200_000), "lcs": (10, 400_000)}.get(kernel, (40, 20_000))
    reference = np.arange(length, dtype=np.int32) % (4 if kernel == "pairs in a table" else length)
    candidate = np.tile(reference, n_systems)
    texts = candidate, np.arange(n_systems + 1) * length, reference, np.array([0, length])
    calls = {
        "edits": lambda: segment_pairs.edit_distance(texts),
        "lcs": lambda: common_subsequences.lcs_length(texts),
        "weighted": lambda: common_subsequences.weighted_lcs(texts, np.arange(length + 1.0)),
        "runs": lambda: common_subsequences.weighted_runs(texts, np.arange(length + 1.0)),
    }
    with stopped(0.1, within=1.1):  # to the end it takes more than 5 seconds
        calls.get(kernel, lambda: common_subsequences.skip_bigram_hits(texts, None, "none"))()
