"""Tables in Markdown, and the limits of a share."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence


def line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table, which ends in a line feed."""
    return "\n".join(line(cells) for cells in (header, ["---"] * len(header), *rows)) + "\n"


def print_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table, each row as soon as it is there, and an empty line."""
    print(table(header, ()), end="")
    for row in rows:
        print(line(row), flush=True)
    print()


def wilson(k: int, n: int) -> tuple[float, float]:
    """Return the 95 % limits of a share (Wilson 1927)."""
    z2 = 1.959963984540054**2
    centre, half = (k + z2 / 2) / (n + z2), math.sqrt(z2) / (n + z2) * math.sqrt(k * (n - k) / n + z2 / 4)
    return centre - half, centre + half
