"""N-grams: matches, tables and information by kernels against plain definitions, and arrays that no kernel may see."""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metaeval import _kernels
from metaeval._kernels import ngrams as kernels
from metaeval.metrics import get_metric, ngrams
from metaeval.metrics.contract import measure
from tests.support.kernels import BAD_TEXTS, as_segments, good_texts, needs_timer, read_only, stopped, text_of

pytestmark = pytest.mark.skipif(_kernels.COMPILED is None, reason="nothing was compiled")

METRICS = ["bleu", "bleu(orders=[2,29])", "bleu(order=30)", "nist", "nist(order=30)", "nist(information=False)"]

tokens = st.lists(st.integers(0, 3) | st.integers(0, 90_000), max_size=12)
repeated = st.builds(lambda ids, times: (ids * times)[:200], tokens, st.integers(1, 30))


def of_order(ids: list[int], order: int) -> list[tuple[int, ...]]:
    return [tuple(ids[start : start + order]) for start in range(len(ids) - order + 1)]


def plain_hits(candidate: list[int], reference: list[int], longest: int) -> list[int]:
    """Return the hits by counting: the k-th n-gram of a kind is one where the reference has at least k."""
    hits = [0] * len(candidate)
    for order in range(1, longest + 1):
        there, met = Counter(of_order(reference, order)), Counter()
        for start, ngram in enumerate(of_order(candidate, order)):
            met[ngram] += 1
            hits[start] |= (met[ngram] <= there[ngram]) << (order - 1)
    return hits


@given(
    st.integers(1, 3).flatmap(lambda n: st.lists(st.lists(tokens | repeated, min_size=n, max_size=n), min_size=2)),
    st.sampled_from([1, 2, 4, 5, 12, 31, 32]),
)
def test_hits_are_those_of_the_definition(texts, longest):
    candidate, *references = texts
    together = text_of(list(itertools.chain.from_iterable(references)))
    found = kernels.ngram_hits(*text_of(candidate * 2), *together, len(references), longest)
    expected = [
        list(itertools.chain.from_iterable(map(plain_hits, candidate * 2, reference * 2, itertools.repeat(longest))))
        for reference in references
    ]
    assert found.tolist() == expected
    matches = kernels.ngram_matches(*text_of(candidate * 2), *together, len(references), longest)
    _, offsets = text_of(candidate * 2)
    for hits, of_reference in zip(found, matches.tolist(), strict=True):
        counts = [
            [sum(hit >> order & 1 for hit in hits[start:end].tolist()) for order in range(longest)]
            for start, end in itertools.pairwise(offsets)
        ]
        assert kernels.count_hits(hits, offsets, longest).tolist() == counts == of_reference


@given(st.lists(tokens | repeated, max_size=4), st.sampled_from([1, 2, 5, 12, 32]))
def test_a_table_holds_every_ngram_once_with_its_count_and_its_prefix(segments, longest):
    table = kernels.count_ngrams(*text_of(segments), longest)
    counts = Counter(
        ngram for ids in segments for order in range(1, longest + 1) for ngram in of_order(list(ids), order)
    )
    # Each n-gram is told by its count and, as far as the table tells it, by what its prefixes count.
    prefixed = Counter(tuple(counts[ngram[:length]] for length in range(len(ngram), 0, -1)) for ngram in counts)

    def chain(number: int) -> tuple[int, ...]:
        return () if number < 0 else (int(table.counts[number]), *chain(int(table.prefixes[number])))

    assert Counter(chain(number) for number in range(len(table.counts))) == prefixed


def information_and_sums(segments, longest, seed):
    """Return a table, information drawn for its n-grams, and the sums of all n-grams of each segment."""
    ids, offsets = text_of(segments)
    table = kernels.count_ngrams(ids, offsets, longest)
    information = np.random.default_rng(seed).exponential(size=len(table.counts)) * 10.0 ** (seed % 20 - 10)
    # Against itself every n-gram is a hit.
    (hits,) = kernels.ngram_hits(ids, offsets, ids, offsets, 1, longest)
    return table, information, kernels.sum_information(table, information, ids, offsets, hits)


seeds = st.integers(0, 2**32 - 1)


@given(st.lists(st.integers(0, 90_000), unique=True, max_size=40), st.sampled_from([1, 2, 5, 12]), seeds)
def test_information_is_the_exact_sum_rounded_once(ids, longest, seed):
    table, information, sums = information_and_sums([ids], longest, seed)
    # No token occurs twice, so an order has the information of all its n-grams: those whose prefixes are of the order
    # before.
    expected, level = [], {-1}
    for _ in range(longest):
        level = {number for number, prefix in enumerate(table.prefixes.tolist()) if prefix in level}
        expected.append(float(sum(Fraction(float(information[number])) for number in level)))
    assert sums.tolist() == [expected]


@given(st.lists(tokens | repeated, min_size=1, max_size=3), st.sampled_from([1, 2, 5, 12]), seeds)
def test_information_counts_as_often_as_its_ngram(segments, longest, seed):
    table, information, sums = information_and_sums(segments, longest, seed)
    assert sums.sum() == pytest.approx((table.counts * information).sum(), rel=1e-9, abs=0)


@settings(max_examples=20)
@given(st.integers(1, 4).flatmap(lambda n: st.lists(st.lists(tokens | st.none(), min_size=n, max_size=n), min_size=5)))
@pytest.mark.parametrize("name", METRICS)
def test_metrics_are_the_same_without_kernels(name, texts):
    metric = get_metric(name)
    *candidates, first, second = map(as_segments, texts)
    own = measure(metric, candidates, [first, second]).values
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_kernels, "COMPILED", None)
        plain = measure(metric, candidates, [first, second]).values
    assert np.allclose(own, plain, rtol=1e-12, atol=0, equal_nan=True)


def test_without_kernels_the_plain_definitions_serve(monkeypatch):
    monkeypatch.setattr(_kernels, "COMPILED", None)
    candidate, reference = as_segments([[1, 2, 1], [3]]), as_segments([[2, 1], []])
    (hits,) = ngrams.ngram_hits(candidate, [reference], 2)
    # "1" and "2 1" are in the reference, and "2", whose place is also that of "2 1".
    assert hits.tolist() == [1, 3, 0, 0]
    assert ngrams.count_hits(hits, candidate.offsets, 2).tolist() == [[2, 1], [0, 0]]


# Arrays that no kernel may see. The binding is called as the wrappers call it.

I32, I64, U32, U64, F64 = np.int32, np.int64, np.uint32, np.uint64, np.float64


def hits_arguments():
    """Return good arguments: two systems of one segment, one reference, two orders."""
    # The number of references stands before the size of the vocabulary.
    return [*good_texts(), 1, 5, 2, np.zeros((1, 5), U32)]


def match_arguments():
    return [*good_texts(), 1, 5, 2, np.zeros((1, 2, 2), I32)]


def count_arguments():
    return [np.array([1, 3, 0, 1, 0], U32), np.array([0, 3, 5], I64), 2, np.zeros((2, 2), I32)]


def table_arguments():
    return [*good_texts()[:2], 5, 2, 5, np.zeros(32, U64), np.zeros(32, I32), np.zeros(10, I64), np.zeros(10, I32)]


def information_arguments():
    made = table_arguments()
    found = _kernels.COMPILED.count_ngrams(*made)
    return [*made[:7], np.ones(found), np.array([3, 3, 1, 3, 1], U32), np.zeros((2, 2), F64)]


GOOD = {
    "ngram_hits": hits_arguments,
    "ngram_matches": match_arguments,
    "count_hits": count_arguments,
    "count_ngrams": table_arguments,
    "sum_information": information_arguments,
}
BAD_REFERENCES = {
    **{name: (place + (place == 4), *rest) for name, (place, *rest) in BAD_TEXTS.items()},
    "no reference": (4, 0, ValueError),
    "more references than segments": (4, 2, ValueError),
    "more references than can be multiplied": (4, 2**62, ValueError),
    "no order": (6, 0, ValueError),
}
BAD = {
    "ngram_hits": {
        **BAD_REFERENCES,
        "too many orders": (6, 33, ValueError),
        "too short a result": (7, np.zeros((1, 4), U32), ValueError),
        "a result of another type": (7, np.zeros((1, 5), F64), TypeError),
        "a result that cannot be written": (7, read_only(np.zeros((1, 5), U32)), ValueError),
    },
    "ngram_matches": {
        **BAD_REFERENCES,
        "more orders than can be multiplied": (6, 2**62, ValueError),
        "too short a result": (7, np.zeros((1, 3), I32), ValueError),
        "a result of another type": (7, np.zeros((1, 4), U32), TypeError),
    },
    "count_hits": {
        "hits of another type": (0, np.zeros(5, F64), TypeError),
        "too few hits": (0, np.zeros(4, U32), ValueError),
        "no offsets": (1, np.array([], I64), ValueError),
        "offsets that fall": (1, np.array([0, 6, 5], I64), ValueError),
        "offsets that begin late": (1, np.array([1, 3, 5], I64), ValueError),
        "the least offset": (1, np.array([0, -(2**63), 5], I64), ValueError),
        "no order": (2, 0, ValueError),
        "too many orders": (2, 33, ValueError),
        "too short a result": (3, np.zeros(3, I32), ValueError),
        "a result that cannot be written": (3, read_only(np.zeros((2, 2), I32)), ValueError),
    },
    "count_ngrams": {
        "a negative id": (0, np.array([0, 1, -1, 1, 2], I32), ValueError),
        "an id above the vocabulary": (2, 4, ValueError),
        "no order": (3, 0, ValueError),
        "too many orders": (3, 33, ValueError),
        "more orders than there is room for": (3, 3, ValueError),
        "another number of bits": (4, 6, ValueError),
        "too few bits": (4, 0, ValueError),
        "too many bits": (4, 63, ValueError),
        "a table without an empty place": (5, np.ones(32, U64), ValueError),
        "keys of another type": (5, np.zeros(32, I32), TypeError),
        "fewer numbers than keys": (6, np.zeros(16, I32), ValueError),
        "too few counts": (7, np.zeros(9, I64), ValueError),
        "too few prefixes": (8, np.zeros(9, I32), ValueError),
    },
    "sum_information": {
        "an id above the vocabulary": (2, 4, ValueError),
        "no order": (3, 0, ValueError),
        "another number of bits": (4, 6, ValueError),
        "numbers that are not of the table": (6, np.full(32, 99, I32), ValueError),
        "negative numbers": (6, np.full(32, -1, I32), ValueError),
        "less information than n-grams": (7, np.ones(2), ValueError),
        "information of another type": (7, np.ones(6, np.float32), TypeError),
        "too few hits": (8, np.zeros(4, U32), ValueError),
        "hits of n-grams beyond their segment": (8, np.array([3, 3, 3, 3, 1], U32), ValueError),
        "too short a result": (9, np.zeros(3, F64), ValueError),
        "a result that cannot be written": (9, read_only(np.zeros((2, 2), F64)), ValueError),
    },
}


def test_the_arguments_that_the_bad_ones_are_made_of_are_good():
    called = {kernel: make() for kernel, make in GOOD.items()}
    found = {kernel: getattr(_kernels.COMPILED, kernel)(*arguments) for kernel, arguments in called.items()}
    # "0 1 4" and "1 2" against "1 4 3": the tokens 1 and 4 and the bigram "1 4", then the token 1.
    assert called["ngram_hits"][-1].tolist() == [[0, 3, 1, 1, 0]]
    assert called["ngram_matches"][-1].tolist() == [[[2, 1], [1, 0]]]
    assert called["count_hits"][-1].tolist() == [[2, 1], [1, 0]]
    # Tokens 0, 1, 4 and 2; bigrams "0 1", "1 4" and "1 2".
    assert found["count_ngrams"] == 7
    assert called["sum_information"][-1].tolist() == [[3, 2], [2, 1]]


@pytest.mark.parametrize(("kernel", "spoilt"), [(kernel, name) for kernel, cases in BAD.items() for name in cases])
def test_bad_arguments_are_refused(kernel, spoilt):
    arguments = GOOD[kernel]()
    place, value, error = BAD[kernel][spoilt]
    arguments[place] = value
    with pytest.raises(error):
        getattr(_kernels.COMPILED, kernel)(*arguments)


@pytest.mark.parametrize("kernel", GOOD)
def test_too_few_arguments_are_refused(kernel):
    with pytest.raises(TypeError):
        getattr(_kernels.COMPILED, kernel)(*GOOD[kernel]()[:-1])


@needs_timer
def test_the_user_can_stop_while_matches_are_counted():
    ids = np.random.default_rng(1).integers(0, 3000, 8_000_000).astype(I32)
    offsets = np.arange(16_001) * 500
    with stopped(0.1, within=1.1):  # to the end it takes more than 3 seconds
        kernels.ngram_hits(ids, offsets, ids, offsets, 1, 30)
