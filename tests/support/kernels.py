"""Texts as kernels take them, and a user who presses Ctrl-C while one runs."""

from __future__ import annotations

import itertools
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from metaeval.datamodel.corpus import Segments

needs_timer = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timer of the process's own time")


def text_of(segments: Sequence[Sequence[int]]) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """Return segments as ids and offsets."""
    ids = np.array(list(itertools.chain.from_iterable(segments)), dtype=np.int32)
    return ids, np.cumsum([0, *map(len, segments)], dtype=np.int64)


def as_segments(segments: Sequence[Sequence[int] | None]) -> Segments:
    """Return lists of ids as a text; None is an absent segment."""
    ids, offsets = text_of([ids if ids is not None else [] for ids in segments])
    return Segments(tuple(None if ids is None else "" for ids in segments), ids, offsets, ())


def good_texts() -> list[npt.NDArray[Any]]:
    """Return ids and offsets of a candidate, two systems of one segment, and of its reference."""
    candidate = np.array([0, 1, 4, 1, 2], np.int32), np.array([0, 3, 5], np.int64)
    return [*candidate, np.array([1, 4, 3], np.int32), np.array([0, 3], np.int64)]


# What spoils these texts: a place among the arguments, what stands there, and the error. The size of the vocabulary, 5,
# comes after the texts.
BAD_TEXTS: dict[str, tuple[int, Any, type[Exception]]] = {
    "ids of another type": (0, np.array([0, 1, 4, 1, 2], np.int64), TypeError),
    "ids in a list": (0, [0, 1, 4, 1, 2], TypeError),
    "every second id": (0, np.zeros(10, np.int32)[::2], ValueError),
    "a negative id": (0, np.array([0, 1, -1, 1, 2], np.int32), ValueError),
    "an id above the vocabulary": (0, np.array([0, 1, 5, 1, 2], np.int32), ValueError),
    "the least id": (2, np.array([0, 1, -(2**31)], np.int32), ValueError),
    "the greatest id": (2, np.array([0, 1, 2**31 - 1], np.int32), ValueError),
    "offsets of another type": (1, np.array([0, 3, 5], np.int32), TypeError),
    "offsets as floats": (1, np.array([0, 3, 5], np.float64), TypeError),
    "no offsets": (1, np.array([], np.int64), ValueError),
    "offsets that begin late": (1, np.array([1, 3, 5], np.int64), ValueError),
    "offsets that end early": (1, np.array([0, 3, 4], np.int64), ValueError),
    "offsets that end late": (3, np.array([0, 4], np.int64), ValueError),
    "offsets that fall": (1, np.array([0, 6, 5], np.int64), ValueError),
    "offsets below 0": (1, np.array([0, -(2**60), 5], np.int64), ValueError),
    "the least offset": (1, np.array([0, -(2**63), 5], np.int64), ValueError),
    "half a system": (3, np.array([0, 1, 2, 3], np.int64), ValueError),
    "a reference without segments": (3, np.array([0], np.int64), ValueError),
    "no vocabulary": (4, 0, ValueError),
    "a negative vocabulary": (4, -1, ValueError),
    "a vocabulary that is no number": (4, "5", TypeError),
    "a vocabulary beyond 64 bits": (4, 2**64, OverflowError),
}


def read_only(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return an array that cannot be written any more."""
    array.flags.writeable = False
    return array


class Stopped(Exception):
    """What the user's Ctrl-C raises here."""


def _stop(number: int, frame: FrameType | None) -> None:
    raise Stopped


@contextmanager
def stopped(after: float, within: float) -> Iterator[None]:
    """Stop what is done inside the block after some seconds of the process's time; it must end within some."""
    before = signal.signal(signal.SIGPROF, _stop)
    start = time.process_time()
    try:
        signal.setitimer(signal.ITIMER_PROF, after)
        with pytest.raises(Stopped):
            yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
    assert time.process_time() - start < within
