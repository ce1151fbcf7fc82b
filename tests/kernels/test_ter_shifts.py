"""The edits of TER: the kernel against the plain search, number for number."""

from __future__ import annotations

import itertools
import os
import random
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metaeval import kernels, load_corpus
from metaeval.kernels import segment_pairs
from metaeval.kernels import ter_shifts as shift_edits
from metaeval.metrics import get_metric
from metaeval.metrics.contract import measure
from metaeval.metrics.segments import joined, segment_ids
from metaeval.metrics.ter import Ter
from metaeval.metrics.ter_shifts import ShiftSearch
from metaeval.text.encoding import treat
from metaeval.text.preprocessing import get_preprocessing
from tests.support.gold import of_others
from tests.support.kernels import BAD_TEXTS, as_segments, good_texts, needs_timer, read_only, stopped, text_of

pytestmark = pytest.mark.skipif(kernels.COMPILED is None, reason="nothing was compiled")

LIMITS = ("places", "size", "distance", "beam", "choices")
METRICS = [
    "ter",
    "ter(normalise='closest',weighting='candidate')",
    "ter(normalise='reference',references='lowest-rate')",
    "ter(shifts='aligned',shift_size=None,shift_distance=None,beam=None,shift_choices=None)",
    "ter(shift_size=2,shift_distance=3,beam=1,shift_choices=4)",
]


def compiled(candidates, references, search, **options):
    limits = (getattr(search, name) for name in LIMITS)
    return shift_edits.shift_edits((*text_of(candidates), *text_of(references)), *limits, **options).tolist()


def plain(candidates, references, search):
    metric = Ter(search.places, shift_size=search.size, shift_distance=search.distance)
    object.__setattr__(metric, "_search", search)
    return [list(metric.compare(*pair)) for pair in zip(candidates, itertools.cycle(references), strict=False)]


def moved(rng, text):
    """Return a text of which a few blocks have moved, are missing or are new."""
    text, words = list(text), text or [0]
    for _ in range(rng.randrange(7)):
        start = rng.randrange(len(text) + 1)
        block = text[start : start + rng.choice((1, 1, 2, 3, 5, 11, 25))]
        what = rng.random()
        if what < 0.75:
            del text[start : start + len(block)]
        if what < 0.5:
            start = rng.randrange(len(text) + 1)
            text[start:start] = block
        elif what > 0.8:
            text[start:start] = rng.choices(words, k=rng.randrange(1, 25))
    return text


@st.composite
def collections(draw, longest, sizes):
    """Return segments of a reference, and those of some systems, one system after the other.

    Few words make many ties; of many words few stand in both texts.
    """
    rng = random.Random(draw(st.integers(0, 2**32)))
    words = range(draw(st.sampled_from(sizes)))
    references = [rng.choices(words, k=rng.randrange(longest + 1)) for _ in range(draw(st.integers(1, 3)))]
    candidates = [
        moved(rng, reference) if rng.random() < 0.7 else rng.choices(words, k=rng.randrange(longest + 1))
        for _ in range(draw(st.integers(1, 3)))
        for reference in references
    ]
    return candidates, references


searches = partial(
    st.builds,
    ShiftSearch,
    places=st.sampled_from(["tercom", "aligned"]),
    size=st.sampled_from([None, 0, 1, 2, 10]),
    distance=st.sampled_from([None, 0, 1, 5, 50]),
    beam=st.sampled_from([None, 0, 1, 2, 5, 20]),
)
# With few bytes most rows of the tables are made again when they are needed.
table_bytes = st.sampled_from([0, 500, 4000, 1 << 22])


@settings(max_examples=150)
@given(collections(12, [1, 2, 3, 5, 30]), searches(choices=st.sampled_from([None, 0, 3, 20, 10_000])), table_bytes)
def test_short_texts(texts, search, table_bytes):
    assert compiled(*texts, search, table_bytes=table_bytes) == plain(*texts, search)


@settings(max_examples=30)
@given(collections(60, [2, 4, 12, 60]), searches(choices=st.sampled_from([50, 500, 2000])), table_bytes)
def test_texts_of_up_to_sixty_words(texts, search, table_bytes):
    assert compiled(*texts, search, table_bytes=table_bytes) == plain(*texts, search)


@settings(max_examples=30)
@given(collections(200, [20, 60, 300]), searches(choices=st.sampled_from([50, 500])), table_bytes)
def test_texts_of_several_blocks(texts, search, table_bytes):
    assert compiled(*texts, search, table_bytes=table_bytes) == plain(*texts, search)


@pytest.mark.parametrize("length", [63, 64, 65, 127, 128, 129, 192])
@pytest.mark.parametrize("beam", [None, 3, 20])
def test_texts_whose_reference_ends_with_a_block(length, beam):
    rng = random.Random(length)
    reference = [rng.randrange(50) for _ in range(length)]
    candidates = [moved(rng, reference) for _ in range(4)]
    search = ShiftSearch(beam=beam)
    assert compiled(candidates, [reference], search) == plain(candidates, [reference], search)


@pytest.mark.parametrize("n_words", [3, 12, 60])
@pytest.mark.parametrize("places", ["tercom", "aligned"])
def test_texts_in_which_the_beam_overlooks_edits(n_words, places):
    rng = random.Random(n_words)
    references = [rng.choices(range(n_words), k=40) for _ in range(30)]
    candidates = [rng.choices(range(n_words), k=rng.choice((12, 25, 40, 55))) for _ in range(60)]
    beamed, free = (compiled(candidates, references, ShiftSearch(places, beam=beam)) for beam in (2, None))

    assert beamed == plain(candidates, references, ShiftSearch(places, beam=2))
    assert free == plain(candidates, references, ShiftSearch(places, beam=None))
    assert sum(one[0] > other[0] for one, other in zip(beamed, free, strict=True)) > 10


def test_lengths_that_differ_by_more_than_the_beam():
    rng = random.Random(21)
    references = [rng.choices(range(40), k=length) for length in (70, 75, 90, 140)]
    candidates = [
        [word for word in reference if rng.random() < share] for share in (0.3, 0.6, 0.7) for reference in references
    ]
    for search in (ShiftSearch(), ShiftSearch("aligned"), ShiftSearch(beam=19)):
        assert compiled(candidates, references, search) == plain(candidates, references, search)
        assert compiled(references, references, search) == plain(references, references, search)


def test_the_limit_on_electable_shifts_is_met_at_the_same_number():
    # A search of several rounds, ended by each limit that a round can meet, and by the next.
    reference, candidate = [0, 1, 2, 3, 4, 5, 6, 7, 0, 1], [3, 4, 0, 1, 2, 0, 1, 7, 5, 6]
    seen = {}
    for choices in range(200):
        search = ShiftSearch(choices=choices)
        (found,) = compiled([candidate], [reference], search)
        assert [found] == plain([candidate], [reference], search)
        seen.setdefault((found[4], found[6]), choices)
    # Stopped after no, one and more shifts, and not stopped at all.
    assert len(seen) >= 3
    assert max(seen.values()) < 150


@pytest.mark.parametrize("choices", [0, 100, 9_999, 10_000, 12_000])
def test_repeated_words_reach_the_limit(choices):
    rng = random.Random(choices)
    texts = [[rng.randrange(2) for _ in range(120)] for _ in range(2)]
    for beam in (None, 5):
        search = ShiftSearch(beam=beam, choices=choices)
        (found,) = compiled(texts[:1], texts[1:], search)
        assert [found] == plain(texts[:1], texts[1:], search)
        assert found[6] == 1


def test_empty_texts():
    texts = [[], [3], [1, 2, 3]], [[], [3], []]
    for search in (ShiftSearch(), ShiftSearch(size=None, distance=None, beam=None), ShiftSearch(beam=0, choices=0)):
        for table_bytes in (0, 1 << 22):
            assert compiled(*texts, search, table_bytes=table_bytes) == plain(*texts, search)
    assert compiled([], [], ShiftSearch()) == []
    assert compiled([], [[1]], ShiftSearch()) == []


def test_limits_above_all_lengths_are_none():
    rng = random.Random(6)
    texts = [[rng.choices(range(9), k=30) for _ in range(20)] for _ in range(2)]
    none = compiled(*texts, ShiftSearch(size=None, distance=None, beam=None, choices=None))
    for limit in (1_000_000, 2**31 - 1, 2**31, 2**62):
        assert compiled(*texts, ShiftSearch(size=limit, distance=limit, beam=limit, choices=limit)) == none


# The metric.


tokens = st.lists(st.integers(0, 5), max_size=10)


@settings(max_examples=20)
@given(st.integers(1, 4).flatmap(lambda n: st.lists(st.lists(tokens | st.none(), min_size=n, max_size=n), min_size=5)))
@pytest.mark.parametrize("name", METRICS)
def test_the_metric_is_the_same_without_kernels(name, texts):
    metric = get_metric(name)
    *candidates, first, second = map(as_segments, texts)
    assert metric.compare_compiled(joined(candidates), metric.prepare_each([first])[0]) is not None
    own = measure(metric, candidates, [first, second]).values
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "COMPILED", None)
        assert metric.compare_compiled(joined(candidates), metric.prepare_each([first])[0]) is None
        without = measure(metric, candidates, [first, second]).values
    assert np.array_equal(own, without, equal_nan=True)


@pytest.mark.parametrize(
    ("name", "n_compared"),
    # Real texts. The plain search needs 2 ms for a pair, so a sample is compared.
    [("webnlg2020-en", 200), ("wmt21-ted-zhen", 400), ("summeval", 60)],
)
def test_real_corpora(name, n_compared):
    corpus = load_corpus(of_others("corpora") / name)
    texts = treat(get_preprocessing("case"), corpus.candidates, corpus.references)
    candidates, metric = joined(texts.candidates), Ter()
    ids = segment_ids(candidates)
    chosen = random.Random(name).sample(range(len(ids) * len(texts.references)), n_compared)
    for number, reference in enumerate(texts.references.values()):
        found, theirs = metric.compare_compiled(candidates, metric.prepare_each([reference])[0]), segment_ids(reference)
        for place in (place % len(ids) for place in chosen if place // len(ids) == number):
            assert list(metric.compare(ids[place], theirs[place % len(theirs)])) == found[place].tolist()


# Arrays that no kernel may see. The binding is called as the wrapper calls it.

I32, F64 = np.int32, np.float64


def arguments():
    """Return good arguments: two systems of one segment, three tokens at most."""
    return [*good_texts(), 5, True, 10, 50, 20, -1, 1000, np.zeros((2, 9), I32)]


BAD = {
    **BAD_TEXTS,
    "a limit that is none": (6, None, TypeError),
    "a limit that is no whole number": (8, 2.5, TypeError),
    "a limit beyond 64 bits": (9, 2**64, OverflowError),
    "too short a result": (-1, np.zeros((1, 9), I32), ValueError),
    "too narrow a result": (-1, np.zeros((2, 8), I32), ValueError),
    "a result of another type": (-1, np.zeros((2, 9), F64), TypeError),
    "a result that cannot be written": (-1, read_only(np.zeros((2, 9), I32)), ValueError),
    "a result by columns": (-1, np.zeros((9, 2), I32).T, ValueError),
    "no result": (-1, None, TypeError),
}


def test_the_arguments_that_the_bad_ones_are_made_of_are_good():
    good = arguments()
    assert kernels.COMPILED.shift_edits(*good) is None
    # "0 1 4" against "1 4 3": one word too many, one missing. "1 2": one missing, one other word.
    assert good[-1][:, :5].tolist() == [[2, 1, 1, 0, 0], [2, 0, 1, 1, 0]]


@pytest.mark.parametrize("spoilt", BAD)
def test_bad_arguments_are_refused(spoilt):
    bad = arguments()
    place, value, error = BAD[spoilt]
    bad[place] = value
    with pytest.raises(error):
        kernels.COMPILED.shift_edits(*bad)


def test_too_few_arguments_are_refused():
    with pytest.raises(TypeError):
        kernels.COMPILED.shift_edits(*arguments()[:-1])


# Very long segments.


@pytest.mark.parametrize("table_bytes", [0, 1 << 22])
def test_without_shifts_the_edits_of_long_texts_are_those_of_wer(table_bytes):
    rng = np.random.default_rng(1)
    texts = [rng.integers(0, n_words, (2, length)).tolist() for n_words, length in ((3, 3000), (500, 2999), (9, 65))]
    candidates, references = [text[:-7] for text, _ in texts], [text for _, text in texts]
    found = compiled(candidates, references, ShiftSearch(size=0, beam=None), table_bytes=table_bytes)

    assert [[row[0] for row in found]] == segment_pairs.edit_distance(
        (*text_of(candidates), *text_of(references))
    ).tolist()
    assert [row[0] for row in found] == [sum(row[1:4]) for row in found]
    assert [row[1] - row[2] for row in found] == [-7, -7, -7]


# Each pair has 20,000 words. In the first, 30 blocks of 5 words have changed places with the 7 words that follow: 30
# shifts of the shorter blocks, as the longer ones are matched where they are. In the second all words are the same, one
# is too many. In the third no word is common. A table of one bit for each cell would take 50 MB, one of costs 1.6 GB.
LONG = """
import resource
import sys
import time
from pathlib import Path
import numpy as np
from metaeval.kernels.ter_shifts import shift_edits
reference = np.arange(20_000, dtype=np.int32)
candidate = reference.copy()
for start in range(100, 15_100, 500):
    candidate[start : start + 12] = np.roll(reference[start : start + 12], 5)
one = np.ones(20_000, dtype=np.int32)
offsets = np.array([0, 20_000])
used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + int(sys.argv[1]),) * 2)
begun = time.process_time()
for first, second, end in ((candidate, reference, 20_000), (one, one[1:], 19_999), (reference, one + 50_000, 20_000)):
    print(*shift_edits((first, offsets, second, np.array([0, end])), "tercom", 10, 50, 20, None)[0])
print(time.process_time() - begun)
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the memory in use is not told")
def test_20000_tokens_in_bounded_memory_and_time():
    # AddressSanitizer keeps what is freed for a while.
    most = (80 if "libasan" in os.environ.get("LD_PRELOAD", "") else 40) << 20
    run = subprocess.run([sys.executable, "-c", LONG, str(most)], capture_output=True, text=True, check=True)
    *found, (seconds,) = ([float(number) for number in line.split()] for line in run.stdout.splitlines())
    assert found == [
        [30, 0, 0, 0, 30, 150, 0, 20_000, 20_000],
        [1, 1, 0, 0, 0, 0, 0, 19_999, 20_000],
        [20_000, 0, 0, 20_000, 0, 0, 0, 20_000, 20_000],
    ]
    # With a whole table for each shift that is tried it would take many minutes.
    assert seconds < 20


def unrelated(rng):
    return (rng.integers(0, 3000, 20_000) for _ in range(2))


def repeated(rng):
    return rng.integers(0, 2, 20_000), rng.integers(0, 2, 20_000)


def turned(rng):
    words = rng.permutation(20_000)
    return np.roll(words, 9_000), words


def turned_words(rng):
    return np.arange(20_000) % 1000, (np.arange(20_000) + 500) % 1000


@needs_timer
@pytest.mark.parametrize("texts", [unrelated, repeated, turned, turned_words])
@pytest.mark.parametrize(
    "search", [ShiftSearch(), ShiftSearch(beam=None), ShiftSearch("aligned", None, None, None, None)], ids=str
)
def test_the_user_can_stop_inside_a_long_segment(texts, search):
    first, second = (ids.astype(np.int32) for ids in texts(np.random.default_rng(1)))
    arrays = np.tile(first, 400), np.arange(401) * 20_000, second, np.array([0, 20_000])
    with stopped(0.2, within=1.2):  # to the end it takes more than 5 seconds
        shift_edits.shift_edits(arrays, *(getattr(search, name) for name in LIMITS))
