"""The interval, the test and the number of replicates that an experiment has where it names none.

They are those that keep their error rates in the calibration (docs/calibration.md), for what is resampled and what a
coefficient is taken over.
"""

from __future__ import annotations

from typing import NamedTuple

from metaeval.components.design import Design
from metaeval.components.registries import TESTS
from metaeval.errors import UsageError

# The significance level where none is named.
ALPHA = 0.05
# The relative error of a standard deviation is 1 / sqrt(2 n): 1.6 %, and 7 % where each replicate draws all documents
# again.
N_RESAMPLES = 2000
N_RESAMPLES_OF_DRAWN = 100


class Defaults(NamedTuple):
    """The interval, the test and the number of replicates where none is named."""

    interval: str
    test: str
    n_resamples: int


def defaults_of(design: Design) -> Defaults:
    """Return the methods that keep their error rates in a design.

    Parameters
    ----------
    design : Design
    """
    kind = design.documents
    first = design.coefficients[0].kind
    of_systems = (kind.is_whole or (design.takes_grid and first.needs_all_cells)) and design.one_score
    n_resamples = N_RESAMPLES_OF_DRAWN if kind.is_drawn else N_RESAMPLES
    if design.resample == "systems":
        aligned = kind.is_whole and design.one_score and design.orientation == "aligned"
        return Defaults(
            "jackknife" if aligned else "standard-error",
            "williams" if aligned and _williams_takes(design) else "standard-error",
            n_resamples,
        )
    if design.resample == "both":
        return Defaults("standard-error", "standard-error", n_resamples)
    if of_systems and not any(coefficient.kind.changes_with_scale for coefficient in design.coefficients):
        return Defaults("denoised", "denoised", n_resamples)
    if not kind.is_whole and not kind.is_drawn and design.average_by == "item" and not design.takes_grid:
        return Defaults("t", "t", n_resamples)
    return Defaults("standard-error", "standard-error", n_resamples)


def _williams_takes(design: Design) -> bool:
    """Return whether there is a formula for all coefficients."""
    try:
        TESTS["williams"]().check(design, "systems")
    except UsageError:
        return False
    return True
