"""Which metrics are significantly better than which: the grey of p-values in a square of metrics."""

from __future__ import annotations

from metaeval.report.figures.cells import Cell

# A p-value below these shares of alpha is darker: at 0.05, below 0.05, 0.01 and 0.001.
SHARES = (1.0, 0.2, 0.02)
_GREYS = (0.0, 0.27, 0.6, 1.0)
DIAGONAL = Cell(0.06, faint=True)


def cell_of(p: float, alpha: float, *, strictly: bool = True) -> Cell:
    """Return how a p-value is drawn: darker where it is smaller, a dash where there is none."""
    if p != p:
        return Cell(0.0, ("\N{EN DASH}",), faint=True)
    level = sum(p < share * alpha or (not strictly and p == share * alpha) for share in SHARES)
    return Cell(_GREYS[level], faint=True)


def steps(alpha: float) -> str:
    """Return the steps of grey in words."""
    return ", ".join(f"{share * alpha:.3g}" for share in SHARES)
