"""Check what the code of a user returned."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence, Set
from typing import Any

_MAX_SHOWN_CHARACTERS = 60


class UnusableError(Exception):
    """Raised where an object is no metric, or what it returned is no score; the text says why, without a full stop."""


def as_number(value: Any) -> float:
    """Return a score as a float.

    Raises
    ------
    UnusableError
        If it is no finite number.
    """
    if getattr(value, "shape", None) == () and hasattr(value, "item"):
        value = value.item()  # numpy's scalars, and those of other libraries of arrays
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise UnusableError(f"it returned {shortened(repr(value))}, which is not a number")
    number = float(value)
    if not math.isfinite(number):
        raise UnusableError(f"it returned {number}, which is not a finite number")
    return number


def as_sequence(value: Any, n: int) -> Sequence[Any]:
    """Return the scores of `n` segments as a sequence.

    Raises
    ------
    UnusableError
        If they have no order, or there are more or fewer.
    """
    required = f"a list of numbers, one for each of {n} segments"
    if isinstance(value, Set):
        raise UnusableError(
            f"it returned {shortened(repr(value))}, a set, which has no order; it must return {required}"
        )
    if isinstance(value, str | bytes | dict) or not hasattr(value, "__iter__"):
        is_number = isinstance(value, numbers.Real)
        hint = '; one number for a whole system needs the attribute `level = "corpus"`' if is_number else ""
        raise UnusableError(f"it returned {shortened(repr(value))} where it must return {required}{hint}")
    scores = list(value)
    if len(scores) != n:
        raise UnusableError(f"it returned {len(scores)} scores for {n} segments")
    return scores


def shortened(text: str, longest: int = _MAX_SHOWN_CHARACTERS) -> str:
    """Return the beginning of a text."""
    return text if len(text) <= longest else f"{text[:longest]}..."
