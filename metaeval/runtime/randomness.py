"""Named random generators from one seed: every use of chance has its own.

A child depends on the seed and on its name alone. So adding a metric, a length or a figure changes no other number,
and the order or number of parallel jobs changes nothing.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

# Bytes of a name's digest that seed its generator.
_NAME_DIGEST_BYTES = 16


def generator(seed: int, *names: str | int) -> np.random.Generator:
    """Return the random generator that belongs to a seed and a name.

    Parameters
    ----------
    seed : int
        The seed of the experiment, not negative.
    *names : str or int
        What the numbers are for, from the general to the particular: ``"documents", 10``.

    Returns
    -------
    numpy.random.Generator
        A PCG64 generator, always the same for the same seed and names.
    """
    words = np.frombuffer(_digest(names)[:_NAME_DIGEST_BYTES], dtype="<u4")
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=tuple(map(int, words)))))


def seed_words(seed: int, names: Sequence[tuple[str | int, ...]]) -> npt.NDArray[np.uint32]:
    """Return the seeds of the generators of a seed and some names, as numpy's SeedSequence puts them together.

    Parameters
    ----------
    seed : int
    names : sequence of tuple of str and int

    Returns
    -------
    (names, words) uint32 array
    """
    of_names = np.frombuffer(b"".join(_digest(name)[:_NAME_DIGEST_BYTES] for name in names), dtype="<u4").reshape(
        len(names), -1
    )
    n_words = max(4, -(-seed.bit_length() // 32))
    of_seed = np.frombuffer(seed.to_bytes(4 * n_words, "little"), dtype="<u4")
    return np.hstack([np.broadcast_to(of_seed, (len(names), n_words)), of_names]).astype(np.uint32)


def random_bytes(rng: np.random.Generator, size: int) -> npt.NDArray[np.uint8]:
    """Return random bytes.

    Parameters
    ----------
    rng : numpy.random.Generator
    size : int
        How many.

    Returns
    -------
    (size,) uint8 array
    """
    # Whole words of a generator are several times faster than its method for bytes.
    words = rng.integers(0, 2**64 - 1, -(-size // 8), dtype=np.uint64, endpoint=True)
    return words.astype("<u8", copy=False).view(np.uint8)[:size]


def uniform_stream(seed: int, *names: str | int) -> random.Random:
    """Return a plain Python generator for a seed and a name, for work that is done one number at a time.

    Its method ``random`` gives the same numbers in every version of Python; the others need not.

    Parameters
    ----------
    seed, *names
        As for :func:`generator`; another stream than that.

    Returns
    -------
    random.Random
        Always the same for the same seed and names.
    """
    return random.Random(int.from_bytes(_digest((seed, *names))[:16], "little"))


def _digest(names: tuple[str | int, ...]) -> bytes:
    return hashlib.sha256("\x1f".join(map(str, names)).encode()).digest()
