"""Sizes of memory and disk, as people write them: ``4G``."""

from __future__ import annotations

import re

from metaeval.errors import UsageError

# About how many bytes a computation may take beside a corpus, unless a caller says otherwise, and the fewest.
DEFAULT_MEMORY = "1G"
_MIN_MEMORY_BYTES = 256 << 20
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def size_of(text: str, name: str, least: int = 0) -> int:
    """Return the number of bytes that a text means, such as ``500M`` or ``4G`` (powers of 1024).

    Parameters
    ----------
    text : str
    name : str
        What it was given as, for the message.
    least : int
        The fewest.

    Raises
    ------
    UsageError
        If it is no size, or less.
    """
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)B?\s*", str(text), re.IGNORECASE)
    size = int(float(match[1]) * _UNITS[match[2].upper()]) if match else -1
    if size < least:
        at_least = f", at least {least >> 20}M" if least else ""
        raise UsageError(f"{name} must be a size such as 4G or 512M{at_least}; got {text!r}.")
    return size


def memory_size(argument: str, given: str) -> int:
    """Return the bytes that a computation may take; errors as :func:`size_of`, also for too few to do anything."""
    return size_of(given, f"`{argument}`", _MIN_MEMORY_BYTES)


def written_size(size: int) -> str:
    """Return a number of bytes as people write it: ``1.2 GB``."""
    for unit, least in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size >= least:
            return f"{size / least:.1f} {unit}"
    return f"{size} bytes"
