from __future__ import annotations

import numpy as np

from metaeval.runtime.randomness import generator


def test_children_of_other_names_or_seeds_differ():
    first = [generator(*key).random() for key in ((1, "a"), (2, "a"), (1, "b"), (1, "a", "b"), (1, "ab"), (1, "a", 1))]

    assert len(set(first)) == len(first)


def test_the_stream_never_changes():
    # SHA-256 of b"documents\x1f10" begins with these 16 bytes (`printf 'documents\x1f10' | sha256sum`).
    words = np.frombuffer(bytes.fromhex("453d4276958fe3a11ebdf6b53605e2db"), dtype="<u4")
    expected = np.random.Generator(np.random.PCG64(np.random.SeedSequence(1, spawn_key=tuple(map(int, words)))))

    assert generator(1, "documents", 10).random(5).tolist() == expected.random(5).tolist()
