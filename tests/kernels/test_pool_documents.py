"""The kernels that add documents, draw judgments and round sums equal their plain definitions bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.datamodel.corpus import Documents
from metaeval.datamodel.pooling import JudgedValues, pool, settle
from metaeval.judgments.combining import pool_judgments
from metaeval.kernels import COMPILED
from metaeval.kernels import pool_documents as kernels
from metaeval.runtime.randomness import generator, seed_words
from tests.support.kernels import needs_timer, stopped

pytestmark = pytest.mark.skipif(COMPILED is None, reason="nothing was compiled")
SIZES = st.integers(1, 4), st.integers(1, 9), st.integers(1, 12), st.integers(1, 5), st.integers(1, 7)


def plainly(function, *arguments, **options):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("metaeval.kernels.COMPILED", None)
        return function(*arguments, **options)


def same_bits(found, expected):
    assert found.shape == expected.shape
    assert np.ascontiguousarray(found).tobytes() == np.ascontiguousarray(expected).tobytes()


@given(*SIZES, st.integers(0, 2**32 - 1))
def test_sums_of_documents(systems, segments, statistics, documents, length, seed):
    rng = np.random.default_rng(seed)
    values = rng.choice([-0.0, 0.0, 0.1, 0.3, 1e9, -7.25], (systems, segments + 2, statistics))
    # Small whole numbers are added in another way, up to sums that just fit, or just do not.
    wholes = rng.choice([0, 1, 40, 65535 // length, 65535 // length + 1], values.shape)
    values = np.where(rng.random(statistics) < 0.6, wholes, values)
    values[:, [0, -1]] = rng.choice([0.0, np.nan])  # of segments that may not be chosen
    chosen = np.sort(1 + rng.permutation(segments)[: rng.integers(1, segments + 1)])
    held = Documents(indices=rng.integers(0, len(chosen), (documents, length), dtype=np.int32))
    assert kernels.pool_documents(values, chosen, held.indices) is not None
    same_bits(pool(values, held, chosen), plainly(pool, values, held, chosen))


@given(st.integers(0, 2**200), st.lists(st.text(max_size=3), min_size=1, max_size=3))
def test_states_are_those_of_the_generators_of_numpy(seed, names):
    words, states = seed_words(seed, [(name, 7) for name in names]), np.empty((len(names), 4), dtype=np.uint64)
    COMPILED.seed_generators(words, len(names), states)
    for name, found in zip(names, states.tolist(), strict=True):
        state = generator(seed, name, 7).bit_generator.state["state"]
        assert [state["state"], state["inc"]] == [found[0] << 64 | found[1], found[2] << 64 | found[3]]


# Systems are drawn for side by side, eight, four or fewer of them.
@given(st.integers(1, 19), *SIZES[1:], st.booleans(), st.integers(1, 3), st.integers(0, 2**32 - 1))
def test_judgments_are_those_of_the_generators_of_numpy(systems, segments, most, documents, length, two, repeats, seed):
    rng = np.random.default_rng(seed)
    counts = rng.integers(int(two), most + 1, (systems, segments))
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]]).reshape(counts.shape)
    judged = JudgedValues(rng.choice([-0.0, 0.1, 0.7, 1e9], counts.sum()), starts, counts)
    held = rng.integers(0, segments, (repeats * documents, length), dtype=np.int32)

    def drawn():
        streams = [[(repeat, system) for system in range(systems)] for repeat in range(repeats)]
        return pool_judgments(judged, held, seed, streams, two=two)

    found = drawn()
    assert len(found) == 1 + two
    for one, expected in zip(found, plainly(drawn), strict=True):
        same_bits(one, expected)


NUMBERS = st.floats() | st.sampled_from([0.0, -0.0, 0.5, -2.5, 2.0**51 + 0.5, -(2.0**52) + 0.5, 5e-324, 1.7e308])


@given(st.lists(NUMBERS, max_size=9), st.floats(0, allow_infinity=False), st.booleans())
def test_scores_are_settled(scores, scale, by_each):
    values = np.array(scores)
    scales = np.where(np.isfinite(values), np.abs(values), 1.0) if by_each else scale
    with np.errstate(all="ignore"):
        same_bits(settle(values, scales), plainly(settle, values, scales))


def good(name):
    arguments = {
        "pool_documents": {
            "values": np.ones(12),
            "segments": np.array([0, 2]),
            "indices": np.array([0, 1, 1, 0], np.int32),
            "systems": 2,
            "statistics": 2,
            "documents": 2,
            "sums": np.empty(8),
        },
        "draw_judgments": {
            "states": np.ones(8, np.uint64),
            "segments": np.array([0, 1, 1, 0], np.int32),
            "starts": np.array([0, 1, 3, 4]),
            "counts": np.array([1, 2, 1, 2]),
            "values": np.ones(6),
            "systems": 2,
            "documents": 2,
            "two": 1,
            "sums": np.empty(8),
            "numbers": np.empty(8),
        },
        "seed_generators": {"words": np.ones(10, np.uint32), "streams": 2, "states": np.empty(8, np.uint64)},
        "round_to_scale": {"scores": np.ones(3), "scales": np.ones(1), "found": np.empty(3)},
    }
    return arguments[name]


@pytest.mark.parametrize(
    ("name", "argument", "bad"),
    [
        ("pool_documents", "values", np.ones(11)),
        ("pool_documents", "segments", np.array([0, 3])),
        ("pool_documents", "segments", np.array([-1, 0])),
        ("pool_documents", "segments", np.array([0])),
        ("pool_documents", "indices", np.array([0, 1, 2, 0], np.int32)),
        ("pool_documents", "indices", np.array([0, 1, -1, 0], np.int32)),
        ("pool_documents", "indices", np.array([0, 1, 1], np.int32)),
        ("pool_documents", "systems", 0),
        ("pool_documents", "systems", 2**62),
        ("pool_documents", "statistics", -1),
        ("pool_documents", "documents", 0),
        ("pool_documents", "documents", 5),
        ("pool_documents", "sums", np.empty(7)),
        ("draw_judgments", "states", np.ones(7, np.uint64)),
        ("draw_judgments", "states", np.ones(4, np.uint64)),
        ("draw_judgments", "segments", np.array([0, 1, 2, 0], np.int32)),
        ("draw_judgments", "starts", np.array([0, 1, 3, 5])),
        ("draw_judgments", "starts", np.array([-1, 1, 3, 4])),
        ("draw_judgments", "starts", np.zeros(3, np.int64)),
        ("draw_judgments", "counts", np.array([0, 2, 1, 2])),
        ("draw_judgments", "counts", np.array([1, 2, 1, 2**40])),
        ("draw_judgments", "values", np.ones(5)),
        ("draw_judgments", "documents", 3),
        ("draw_judgments", "systems", 0),
        ("draw_judgments", "systems", 3),
        ("draw_judgments", "states", np.ones(24, np.uint64)),
        ("draw_judgments", "sums", np.empty(4)),
        ("draw_judgments", "numbers", np.empty(4)),
        ("seed_generators", "words", np.ones(9, np.uint32)),
        ("seed_generators", "streams", 0),
        ("seed_generators", "streams", -2),
        ("seed_generators", "states", np.empty(9, np.uint64)),
        ("round_to_scale", "scales", np.ones(2)),
        ("round_to_scale", "scales", np.ones(0)),
        ("round_to_scale", "found", np.empty(2)),
    ],
)
def test_arrays_that_do_not_fit_are_refused(name, argument, bad):
    getattr(COMPILED, name)(*good(name).values())
    with pytest.raises(ValueError, match="must"):
        getattr(COMPILED, name)(*{**good(name), argument: bad}.values())


@needs_timer
def test_they_can_be_stopped():
    held = np.zeros((4_000, 10_000), np.int32)
    with stopped(after=0.2, within=5.0):
        kernels.pool_documents(np.ones((200, 1, 4)), np.zeros(1, np.int64), held)
