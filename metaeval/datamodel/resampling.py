"""Replicates: how often a bootstrap draws each unit, and where metrics exchange their scores in a permutation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from metaeval.datamodel.corpus import FloatArray


class Rows(Protocol):
    """An array with a row for each replicate, or what makes rows of one when they are asked for."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The replicates, and how long a row is."""
        ...

    def __len__(self) -> int:
        """Return the number of replicates."""
        ...

    def __getitem__(self, rows: Any, /) -> npt.NDArray[Any]:
        """Return the row of a replicate, or those of some in a row."""
        ...


@dataclass(frozen=True)
class Resamples:
    """Bootstrap replicates: how often each segment, and which systems, each of them holds.

    Drawn once and shared by all metrics, criteria and preprocessing, so that differences between these are paired.

    Attributes
    ----------
    segments : (replicates, segments) Rows of uint16, or None
        How often each segment (or other unit, such as a real document) is in a replicate; each row sums to their
        number. None where all are taken as they are.
    systems : (replicates, systems) int array, or None
        The systems in a replicate, some more than once; None where all are taken as they are.
    weights : (replicates,) float array, or None
        The probability of each replicate, where every possible one is listed once; None for random ones.
    shares : (replicates,) float array, or None
        The share of the segments that each replicate holds, where it is a part without replacement; else None.
    undefined_because : str
        Why no replicate has a value, where that is known before any is made; else "".
    """

    segments: Rows | None
    systems: npt.NDArray[np.int32] | None
    weights: FloatArray | None = None
    shares: FloatArray | None = None
    undefined_because: str = ""

    def __post_init__(self) -> None:
        if self.segments is None and self.systems is None:
            raise ValueError("replicates resample segments, systems or both")

    def __len__(self) -> int:
        rows = self.segments if self.segments is not None else self.systems
        assert rows is not None
        return len(rows)


@dataclass(frozen=True)
class Swaps:
    """Permutation replicates: where two metrics exchange their scores in each of them.

    Attributes
    ----------
    packed : (replicates, ceil(cells / 8)) Rows of uint8
        A bit for each cell, as `numpy.packbits` packs them; 1 where the scores are exchanged.
    shape : (int, int)
        (documents, systems) of the cells; 1 on an axis along which all cells are exchanged together.
    exact : bool
        Whether every pattern is listed once, the one without any exchange among them.
    """

    packed: Rows
    shape: tuple[int, int]
    exact: bool

    def __len__(self) -> int:
        return len(self.packed)

    def signs(
        self, rows: slice, dtype: type[np.float32] | type[np.float64] = np.float32
    ) -> npt.NDArray[np.floating[Any]]:
        """Return -1 where scores are exchanged, else 1, of some replicates: (rows, documents or 1, systems or 1)."""
        cells = sign_table(dtype).take(self.packed[rows], axis=0)
        return cells.reshape(len(cells), 8 * self.packed.shape[1])[:, : self.shape[0] * self.shape[1]].reshape(
            -1, *self.shape
        )


def sign_table(dtype: type[np.float32] | type[np.float64]) -> npt.NDArray[np.floating[Any]]:
    """Return the signs of the eight cells of each byte of `Swaps.packed`: (256, 8)."""
    bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1)
    return np.where(bits, dtype(-1), dtype(1))
