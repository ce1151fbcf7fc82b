"""The alternatives of a test of two metrics: two-sided, or one metric agrees better."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from metaeval.components.test import Test
from metaeval.datamodel.corpus import FloatArray
from metaeval.errors import UsageError, unknown
from metaeval.parameters.fields import parameter

# The words of scipy.stats.
ALTERNATIVES = ("two-sided", "less", "greater")


@dataclass(frozen=True)
class Sided(Test):
    """A test of two metrics whose alternative can be chosen."""

    alternative: str = parameter("two-sided", doc="which differences count against equality", choices=ALTERNATIVES)


def check_alternative(alternative: str) -> None:
    """Raise UsageError if it is none of `ALTERNATIVES`."""
    if alternative not in ALTERNATIVES:
        raise UsageError(unknown("alternative", alternative, ALTERNATIVES))


def p_by(alternative: str, *, less: npt.ArrayLike, greater: npt.ArrayLike) -> FloatArray:
    """Return the p of a test by its alternative, from those of the two sides."""
    if alternative == "two-sided":
        return np.minimum(1.0, 2.0 * np.minimum(less, greater))
    return np.asarray(less if alternative == "less" else greater)
