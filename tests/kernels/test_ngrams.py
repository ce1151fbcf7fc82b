"""N-grams: matches, tables and information by kernels against plain definitions, and arrays that no kernel may see."""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metaeval import kernels
from metaeval.kernels import ngrams as ngram_kernels
from metaeval.metrics import get_metric, ngrams
from metaeval.metrics.contract import measure
from tests.support.kernels import BAD_TEXTS, as_segments, good_texts, needs_timer, read_only, stopped, text_of

pytestmark = pytest.mark.skipif(kernels.COMPILED is None, reason="nothing was compiled")

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
    found = ngram_kernels.ngram_hits(*text_of(candidate * 2), *together, len(references), longest)
    expected = [
        list(itertools.chain.from_iterable(map(plain_hits, candidate * 2, reference * 2, itertools.repeat(longest))))
        for reference in references
    ]
    assert found.tolist() == expected
    matches = ngram_kernels.ngram_matches(*text_of(candidate * 2), *together, len(references), longest)
    _, offsets = text_of(candidate * 2)
    for hits, of_reference in zip(found, matches.tolist(), strict=True):
        counts = [
            [sum(hit >> order & 1 for hit in hits[start:end].tolist()) for order in range(longest)]
            for start, end in itertools.pairwise(offsets)
        ]
        assert ngram_kernels.count_hits(hits, offsets, longest).tolist() == counts == of_reference
        # Hits of longer n-grams are not looked at.
        for fewer in {1, longest // 2} - {0}:
            assert ngram_kernels.count_hits(hits, offsets, fewer).tolist() == [count[:fewer] for count in counts]


@given(
    st.integers(1, 3).flatmap(lambda n: st.lists(st.lists(tokens | repeated, min_size=n, max_size=n), min_size=2)),
    st.sampled_from([1, 2, 5, 12]),
    st.sampled_from([1, 20]),
)
def test_places_are_of_the_longest_ngram_that_a_reference_has(texts, longest, times):
    candidate, *references = texts
    references = [[[90_001]] * len(candidate)] * (times - 1) + references  # more than are looked at together
    ids, offsets = text_of(candidate)
    others, other_offsets = text_of(list(itertools.chain.from_iterable(references)))
    where = np.full(len(ids), -1, dtype=np.int32)
    ngram_kernels.ngram_hits(ids, offsets, others, other_offsets, len(references), longest, where)
    for number, segment in enumerate(candidate):
        known = {
            ngram for texts in references for order in range(longest + 1) for ngram in of_order(texts[number], order)
        }
        for start in range(len(segment)):
            length = max(
                n
                for n in range(min(longest, len(segment) - start) + 1)
                if tuple(segment[start : start + n]) in known | {()}
            )
            place = where[offsets[number] + start]
            assert others[place : place + length].tolist() == segment[start : start + length]


@given(st.lists(tokens | repeated, max_size=4), st.sampled_from([1, 2, 5, 12, 32]))
def test_numbers_are_of_ngrams_whose_prefixes_occur_again(segments, longest):
    ids, offsets = text_of(segments)
    found = ngram_kernels.number_ngrams(ids, offsets, longest)
    counts = Counter(
        ngram for ids in segments for order in range(1, longest + 1) for ngram in of_order(list(ids), order)
    )
    numbers = {}
    for segment, offset in zip(segments, offsets.tolist(), strict=False):
        for start, token in enumerate(segment):
            numbers[(token,)] = token
            for order in range(2, longest + 1):
                ngram, number = tuple(segment[start : start + order]), found.numbers[offset + start, order - 2]
                if len(ngram) < order or counts[ngram[:-1]] < 2:
                    assert number == -1
                else:
                    assert numbers.setdefault(ngram, number) == number
                    assert found.prefixes[number] == numbers[ngram[:-1]]
    assert len(set(numbers.values())) == len(numbers)
    assert set(numbers.values()) | set(range(found.unigrams)) == set(range(len(found.prefixes)))
    counted = ngram_kernels.count_numbers(found, [(ids, found.numbers)])
    assert {ngram: counted[number] for ngram, number in numbers.items()} == {
        ngram: count for ngram, count in counts.items() if ngram in numbers
    }
    assert found.counts.tolist() == counted.tolist()


def information_and_sums(segments, longest, seed):
    """Return the n-grams of segments that are there twice, information drawn for them, and the sums of each segment."""
    ids, offsets = text_of(segments)
    ngrams = ngram_kernels.number_ngrams(*text_of(segments * 2), longest)
    numbers = ngrams.numbers[: len(ids)]
    information = np.random.default_rng(seed).exponential(size=len(ngrams.prefixes)) * 10.0 ** (seed % 20 - 10)
    # Against itself every n-gram is a hit.
    where = np.empty(len(ids), dtype=np.int32)
    (hits,) = ngram_kernels.ngram_hits(ids, offsets, ids, offsets, 1, longest, where)
    counts = ngram_kernels.count_numbers(ngrams, [(ids, numbers)])
    return ngrams, counts, information, ngram_kernels.sum_information(offsets, where, ids, numbers, information, hits)


seeds = st.integers(0, 2**32 - 1)


@given(st.lists(st.integers(0, 90_000), unique=True, max_size=40), st.sampled_from([1, 2, 5, 12]), seeds)
def test_information_is_the_exact_sum_rounded_once(ids, longest, seed):
    ngrams, _, information, sums = information_and_sums([ids], longest, seed)
    # No token occurs twice, so an order has the information of all its n-grams: those whose prefixes are of the order
    # before.
    expected, level = [], set(ids)
    for _ in range(longest):
        expected.append(float(sum(Fraction(float(information[number])) for number in level)))
        level = {number for number, prefix in enumerate(ngrams.prefixes.tolist()) if prefix in level}
    assert sums.tolist() == [expected]


@given(st.lists(tokens | repeated, min_size=1, max_size=3), st.sampled_from([1, 2, 5]), seeds)
def test_hits_of_longer_ngrams_give_the_same_information(segments, longest, seed):
    ids, offsets = text_of(segments)
    ngrams, _, information, sums = information_and_sums(segments, longest, seed)
    where = np.empty(len(ids), dtype=np.int32)
    (hits,) = ngram_kernels.ngram_hits(ids, offsets, ids, offsets, 1, longest + 5, where)
    numbers = ngrams.numbers[: len(ids)]
    assert ngram_kernels.sum_information(offsets, where, ids, numbers, information, hits).tolist() == sums.tolist()


@given(st.lists(tokens | repeated, min_size=1, max_size=3), st.sampled_from([1, 2, 5, 12]), seeds)
def test_information_counts_as_often_as_its_ngram(segments, longest, seed):
    _, counts, information, sums = information_and_sums(segments, longest, seed)
    assert sums.sum() == pytest.approx((counts * information).sum(), rel=1e-9, abs=0)


@settings(max_examples=20)
@given(st.integers(1, 4).flatmap(lambda n: st.lists(st.lists(tokens | st.none(), min_size=n, max_size=n), min_size=5)))
@pytest.mark.parametrize("name", METRICS)
def test_metrics_are_the_same_without_kernels(name, texts):
    metric = get_metric(name)
    *candidates, first, second = map(as_segments, texts)
    own = measure(metric, candidates, [first, second]).values
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "COMPILED", None)
        plain = measure(metric, candidates, [first, second]).values
    assert np.allclose(own, plain, rtol=1e-12, atol=0, equal_nan=True)


def test_without_kernels_the_plain_definitions_serve(monkeypatch):
    monkeypatch.setattr(kernels, "COMPILED", None)
    candidate, reference = as_segments([[1, 2, 1], [3]]), as_segments([[2, 1], []])
    (hits,) = ngrams.ngram_hits(candidate, [reference], 2)
    # "1" and "2 1" are in the reference, and "2", whose place is also that of "2 1".
    assert hits.tolist() == [1, 3, 0, 0]
    assert ngrams.count_hits(hits, candidate.offsets, 2).tolist() == [[2, 1], [0, 0]]


# Arrays that no kernel may see. The binding is called as the wrappers call it.

I32, I64, U8, U32, F64 = np.int32, np.int64, np.uint8, np.uint32, np.float64


def hits_arguments():
    """Return good arguments: two systems of one segment, one reference, two orders."""
    # The number of references stands before the size of the vocabulary.
    return [*good_texts(), 1, 5, 2, np.zeros((1, 5), U8), np.zeros(5, I32)]


def match_arguments():
    return [*good_texts(), 1, 5, 2, np.zeros((1, 2, 2), I32)]


def count_arguments():
    return [np.array([1, 3, 0, 1, 0], U8), np.array([0, 3, 5], I64), 2, np.zeros((2, 2), I32)]


def number_arguments():
    return [*good_texts()[:2], 5, 2, np.zeros((5, 1), I32), np.zeros(10, I32), np.zeros(10, I32)]


def counted_arguments():
    """Return good arguments: in "0 1 4 1 2" the token 1 occurs twice, so that "1 4" and "1 2" have numbers."""
    return [good_texts()[0], np.array([[-1], [5], [-1], [6], [-1]], I32), 2, np.zeros(7, I32)]


def information_arguments():
    ids, numbers, orders, _ = counted_arguments()
    where, hits = np.array([0, 1, 2, 3, 4], I32), np.array([3, 3, 1, 3, 1], U8)
    return [np.array([0, 3, 5], I64), orders, where, ids, numbers, np.ones(7), hits, np.zeros((2, 2), F64)]


GOOD = {
    "ngram_hits": hits_arguments,
    "ngram_matches": match_arguments,
    "count_hits": count_arguments,
    "number_ngrams": number_arguments,
    "count_numbers": counted_arguments,
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
        "too short a result": (7, np.zeros((1, 4), U8), ValueError),
        "a result of another type": (7, np.zeros((1, 5), U32), TypeError),
        "a result that cannot be written": (7, read_only(np.zeros((1, 5), U8)), ValueError),
        "more orders than a byte has": (6, 9, ValueError),
        "too few places": (8, np.zeros(4, I32), ValueError),
    },
    "ngram_matches": {
        **BAD_REFERENCES,
        "more orders than can be multiplied": (6, 2**62, ValueError),
        "too short a result": (7, np.zeros((1, 3), I32), ValueError),
        "a result of another type": (7, np.zeros((1, 4), U32), TypeError),
    },
    "count_hits": {
        "hits of another type": (0, np.zeros(5, F64), TypeError),
        "too few hits": (0, np.zeros(4, U8), ValueError),
        "hits of one byte for many orders": (2, 9, ValueError),
        "no offsets": (1, np.array([], I64), ValueError),
        "offsets that fall": (1, np.array([0, 6, 5], I64), ValueError),
        "offsets that begin late": (1, np.array([1, 3, 5], I64), ValueError),
        "the least offset": (1, np.array([0, -(2**63), 5], I64), ValueError),
        "no order": (2, 0, ValueError),
        "too many orders": (2, 33, ValueError),
        "too short a result": (3, np.zeros(3, I32), ValueError),
        "a result that cannot be written": (3, read_only(np.zeros((2, 2), I32)), ValueError),
    },
    "number_ngrams": {
        "a negative id": (0, np.array([0, 1, -1, 1, 2], I32), ValueError),
        "an id above the vocabulary": (2, 4, ValueError),
        "no order": (3, 0, ValueError),
        "too many orders": (3, 33, ValueError),
        "more orders than there is room for": (3, 3, ValueError),
        "too few numbers": (4, np.zeros((4, 1), I32), ValueError),
        "too few counts": (5, np.zeros(9, I32), ValueError),
        "too few prefixes": (6, np.zeros(9, I32), ValueError),
    },
    "count_numbers": {
        "a negative id": (0, np.array([0, 1, -1, 1, 2], I32), ValueError),
        "an id without a count": (0, np.array([0, 1, 7, 1, 2], I32), ValueError),
        "a number without a count": (1, np.full((5, 1), 7, I32), ValueError),
        "too few numbers": (1, np.zeros((4, 1), I32), ValueError),
        "no order": (2, 0, ValueError),
        "too many orders": (2, 33, ValueError),
        "counts that cannot be written": (3, read_only(np.zeros(7, I32)), ValueError),
    },
    "sum_information": {
        "offsets that fall": (0, np.array([0, 6, 5], I64), ValueError),
        "no order": (1, 0, ValueError),
        "too many orders": (1, 33, ValueError),
        "a place that is not there": (2, np.array([0, 1, 2, 3, 5], I32), ValueError),
        "a negative place": (2, np.array([0, 1, 2, 3, -1], I32), ValueError),
        "too few places": (2, np.zeros(4, I32), ValueError),
        "a negative id": (3, np.array([0, 1, -1, 1, 2], I32), ValueError),
        "an id without information": (3, np.array([0, 1, 7, 1, 2], I32), ValueError),
        "a number without information": (4, np.full((5, 1), 7, I32), ValueError),
        "less information than n-grams": (5, np.ones(2), ValueError),
        "information of another type": (5, np.ones(7, np.float32), TypeError),
        "too few hits": (6, np.zeros(4, U8), ValueError),
        "too short a result": (7, np.zeros(3, F64), ValueError),
        "a result that cannot be written": (7, read_only(np.zeros((2, 2), F64)), ValueError),
    },
}


def test_the_arguments_that_the_bad_ones_are_made_of_are_good():
    called = {kernel: make() for kernel, make in GOOD.items()}
    found = {kernel: getattr(kernels.COMPILED, kernel)(*arguments) for kernel, arguments in called.items()}
    # "0 1 4" and "1 2" against "1 4 3": the tokens 1 and 4 and the bigram "1 4", then the token 1.
    assert called["ngram_hits"][-2].tolist() == [[0, 3, 1, 1, 0]]
    # Places in "1 4 3": those of the tokens 1 and 4, and 0 for what is not there.
    assert called["ngram_hits"][-1].tolist() == [0, 0, 1, 0, 0]
    assert called["ngram_matches"][-1].tolist() == [[[2, 1], [1, 0]]]
    assert called["count_hits"][-1].tolist() == [[2, 1], [1, 0]]
    # The ids 0 to 4, and two bigrams that begin with the token that occurs twice.
    assert found["number_ngrams"] == 7
    assert called["number_ngrams"][4].tolist() == [[-1], [5], [-1], [6], [-1]]
    assert called["count_numbers"][-1].tolist() == [1, 2, 1, 0, 1, 1, 1]
    assert called["sum_information"][-1].tolist() == [[3, 1], [2, 1]]


@pytest.mark.parametrize(("kernel", "spoilt"), [(kernel, name) for kernel, cases in BAD.items() for name in cases])
def test_bad_arguments_are_refused(kernel, spoilt):
    arguments = GOOD[kernel]()
    place, value, error = BAD[kernel][spoilt]
    arguments[place] = value
    with pytest.raises(error):
        getattr(kernels.COMPILED, kernel)(*arguments)


@pytest.mark.parametrize("kernel", GOOD)
def test_too_few_arguments_are_refused(kernel):
    with pytest.raises(TypeError):
        getattr(kernels.COMPILED, kernel)(*GOOD[kernel]()[:-1])


@needs_timer
def test_the_user_can_stop_while_matches_are_counted():
    ids = np.random.default_rng(1).integers(0, 3000, 8_000_000).astype(I32)
    offsets = np.arange(16_001) * 500
    with stopped(0.1, within=1.1):  # to the end it takes more than 3 seconds
        ngram_kernels.ngram_hits(ids, offsets, ids, offsets, 1, 30)


def test_more_ngrams_than_can_be_numbered_are_no_lack_of_memory():
    # 16 references of 1,000 tokens, 32,766 orders: 5.2e8 n-grams, of 5 units of memory each, and numbers end at 2**31.
    orders, references = 32_766, np.zeros(16_000, I32)
    text, matches = (np.zeros(1, I32), np.array([0, 1])), np.zeros((16, 1, orders), I32)
    with pytest.raises(ValueError, match=r"^references: a segment has more n-grams than can be numbered"):
        kernels.COMPILED.ngram_matches(*text, references, np.arange(17) * 1000, 16, 1, orders, matches)
