"""Replicates for the bootstrap and for permutation tests: what is drawn again, before any score is seen.

Where there are so few units that all replicates can be listed, they are: the result is then exact.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from metaeval.datamodel.corpus import FloatArray, IntArray
from metaeval.datamodel.resampling import Resamples, Rows, Swaps
from metaeval.errors import as_typed, counted
from metaeval.runtime.randomness import random_bytes


def draw_resamples(
    unit: str,
    n_segments: int,
    n_systems: int,
    n_resamples: int,
    *,
    rng_segments: np.random.Generator,
    rng_systems: np.random.Generator,
    memory: int | None = None,
    listed: bool = True,
) -> Resamples:
    """Draw bootstrap replicates: as many units as there are, with replacement.

    Parameters
    ----------
    unit : "segments", "systems" or "both"
        What is drawn again. ``both`` draws the segments and the systems of ``segments`` and ``systems``.
    n_segments, n_systems : int
        The units there are. A segment may stand for any unit of text, such as a real document.
    n_resamples : int
        Replicates. Where all possible ones of a single kind of unit are no more than this, each is listed once with
        its probability, and nothing is drawn.
    rng_segments, rng_systems : Generator
    memory : int, optional
        The bytes that counts of segments may take; where they would take more, rows of them are drawn again whenever
        they are asked for, and are the same.
    listed : bool
        Whether all possible replicates may be listed.
    """
    if unit == "both":
        systems = _drawn(n_systems, n_resamples, rng_systems)
        return Resamples(_counts_or_redrawn(n_segments, n_resamples, rng_segments, memory), systems, None)
    n_units = n_segments if unit == "segments" else n_systems
    # There are at least 2**(n - 1), which spares a very large number for many units.
    if listed and 0 < n_units <= n_resamples.bit_length() and math.comb(2 * n_units - 1, n_units) <= n_resamples:
        systems, weights = _every(n_units)
        if unit == "systems":
            return Resamples(None, systems, weights)
        counts = np.stack([np.bincount(row, minlength=n_units) for row in systems]).astype(np.uint16)
        return Resamples(counts, None, weights)
    if unit == "systems":
        return Resamples(None, _drawn(n_systems, n_resamples, rng_systems))
    return Resamples(_counts_or_redrawn(n_segments, n_resamples, rng_segments, memory), None)


def draw_halves(documents: IntArray, n_resamples: int, length: int, rng: np.random.Generator) -> Resamples:
    """Draw half of the documents, rounded down, without replacement, with all of their segments.

    No segment is twice in a replicate, so that what is drawn from its segments has no segment twice that it would not
    have in the corpus. How far replicates are off depends on the share of the segments that they have (`shares`), which
    is ``nan`` where no half has as many segments as a pseudo-document (then `undefined_because` says so).

    Parameters
    ----------
    documents : (segments,) int array
        The document of each segment, from 0.
    n_resamples : int
        Replicates.
    length : int
        Segments in a pseudo-document. A half of fewer than twice as many is drawn again, if there are larger ones.
    rng : Generator
    """
    n_documents = int(documents.max(initial=-1)) + 1
    half = max(1, n_documents // 2)
    sizes = np.bincount(documents, minlength=n_documents)
    largest = int(np.sort(sizes)[-half:].sum())
    if n_documents < 2 or largest < length:
        segments = as_typed(terminal="--resample segments", python="`uncertainty.resample` = 'segments'")
        because = (
            f"a replicate draws from half of the {counted(n_documents, 'document')}, which have at most "
            f"{counted(largest, 'segment')}, fewer than the {length} of a pseudo-document; choose a length of at most "
            f"{largest}, or {segments}, which takes the segments of a document as independent"
        )
        everything = np.ones((n_resamples, len(documents)), np.uint16)
        none = np.full(n_resamples, np.nan)
        return Resamples(everything, None, shares=none, undefined_because=because)
    shortest = min(2 * length, largest)
    held = np.zeros((n_resamples, n_documents), dtype=np.uint16)
    for row in held:
        while True:
            chosen = np.argsort(rng.random(n_documents), kind="stable")[:half]
            if sizes[chosen].sum() >= shortest:
                break
        row[chosen] = 1
    return Resamples(held[:, documents], None, shares=held @ sizes / len(documents))


@dataclass(frozen=True)
class RandomRows:
    """Random bytes too many to be kept: rows of them are drawn whenever they are asked for."""

    shape: tuple[int, int]
    state: Any  # that of a PCG64

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: slice) -> npt.NDArray[Any]:
        start, stop, _ = rows.indices(len(self))
        words, before = divmod(start * self.shape[1], 8)
        size = max(0, stop - start) * self.shape[1]
        return random_bytes(self._from(words), before + size)[before:].reshape(-1, self.shape[1])

    def _from(self, words: int) -> np.random.Generator:
        """Return the generator behind so many words of 64 bits."""
        bits = np.random.PCG64()
        bits.state = self.state
        bits.advance(words)
        return np.random.Generator(bits)


class Redrawn(RandomRows):
    """Counts too many to be kept: rows of them are drawn whenever they are asked for."""

    def __getitem__(self, rows: slice | int) -> npt.NDArray[np.uint16]:
        if not isinstance(rows, slice):
            return np.asarray(self[rows : rows + 1][0])
        start, stop, _ = rows.indices(len(self))
        # An even number of replicates takes whole words; so many are passed over.
        before = start - start % 2
        rng = self._from(before * self.shape[1] // 2)
        return _counts(self.shape[1], max(0, stop - before), rng)[start - before :]


@dataclass(frozen=True)
class OfGroups:
    """Counts of the segments of documents, of which only those of the documents are kept."""

    documents: Rows
    groups: IntArray

    @property
    def shape(self) -> tuple[int, int]:
        """The replicates and the segments."""
        return len(self.documents), len(self.groups)

    def __len__(self) -> int:
        return len(self.documents)

    def __getitem__(self, rows: slice | int) -> npt.NDArray[np.uint16]:
        # Each segment comes as often as its document.
        return np.ascontiguousarray(self.documents[rows][..., self.groups])


def _counts_or_redrawn(n_units: int, n_resamples: int, rng: np.random.Generator, memory: int | None) -> Rows:
    if memory is None or 2 * n_resamples * n_units <= memory:
        return _counts(n_units, n_resamples, rng)
    return Redrawn((n_resamples, n_units), rng.bit_generator.state)


# Units in a batch of draws, which fit into a cache of the processor; other sizes give the same numbers.
_BATCH_UNITS = 1 << 17
# Bytes of exchanges that stay in memory; more of them are drawn whenever they are needed.
_MAX_SWAPS_BYTES = 1 << 28


def _units(words: npt.NDArray[np.uint32], n_units: int) -> npt.NDArray[np.int64]:
    """Return the units that random words encode.

    It is the product of 32 random bits with n, without its last 32 bits: each unit has the same chance to n / 2**32.
    """
    units = words.astype(np.int64)
    units *= n_units
    units >>= 32
    return units


def _words(n_units: int, n_resamples: int, rng: np.random.Generator) -> npt.NDArray[np.uint32]:
    return random_bytes(rng, 4 * n_resamples * n_units).view("<u4").reshape(n_resamples, n_units)


def _drawn(n_units: int, n_resamples: int, rng: np.random.Generator) -> npt.NDArray[np.int32]:
    """Draw units with replacement: (n_resamples, n_units)."""
    return _units(_words(n_units, n_resamples, rng), n_units).astype(np.int32)


def _counts(n_units: int, n_resamples: int, rng: np.random.Generator) -> npt.NDArray[np.uint16]:
    """Draw units with replacement, and count how often each was drawn: (n_resamples, n_units)."""
    counts = np.empty((n_resamples, n_units), dtype=np.uint16)
    # An even number of replicates takes whole words of 64 bits from the generator, so that none is lost between blocks.
    step = 2 * max(1, _BATCH_UNITS // 2 // max(1, n_units))
    for start in range(0, n_resamples, step):
        counts[start : start + step] = _counted(_words(n_units, min(step, n_resamples - start), rng))
    return counts


def _counted(words: npt.NDArray[np.uint32]) -> npt.NDArray[np.int64]:
    n_units = words.shape[1]
    places = _units(words, n_units)
    places += np.arange(len(places))[:, None] * n_units
    return np.bincount(places.ravel(), minlength=places.size).reshape(places.shape)


def _every(n_units: int) -> tuple[npt.NDArray[np.int32], FloatArray]:
    """Return every draw of n of n units whatever its order, (draws, n), and its probability, (draws,)."""
    draws = list(itertools.combinations_with_replacement(range(n_units), n_units))
    orders = [
        math.factorial(n_units) // math.prod(math.factorial(draw.count(unit)) for unit in set(draw)) for draw in draws
    ]
    return np.array(draws, dtype=np.int32), np.array(orders) / float(n_units**n_units)


def draw_swaps(unit: str, n_segments: int, n_systems: int, n_resamples: int, *, rng: np.random.Generator) -> Swaps:
    """Draw where two metrics exchange their scores, each cell with probability 1/2.

    Parameters
    ----------
    unit : "segments", "systems" or "both"
        Whether all scores of a segment are exchanged together, all of a system, or each score separately.
    n_segments, n_systems : int
        A segment may stand for any document.
    n_resamples : int
        Replicates. Where all possible ones are no more than this, each is listed once and nothing is drawn.
    rng : Generator
    """
    shape = (1 if unit == "systems" else n_segments, 1 if unit == "segments" else n_systems)
    n_cells = shape[0] * shape[1]
    if n_cells < 63 and 2**n_cells <= n_resamples:
        patterns = np.arange(2**n_cells)[:, None] >> np.arange(n_cells) & 1
        return Swaps(np.packbits(patterns.astype(np.uint8), axis=1), shape, exact=True)
    n_bytes = -(-n_cells // 8)
    if n_resamples * n_bytes > _MAX_SWAPS_BYTES:
        return Swaps(RandomRows((n_resamples, n_bytes), rng.bit_generator.state), shape, exact=False)
    return Swaps(random_bytes(rng, n_resamples * n_bytes).reshape(n_resamples, n_bytes), shape, exact=False)
