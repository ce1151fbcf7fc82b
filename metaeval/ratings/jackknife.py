"""The confidence interval of kappa, alpha and AC1: from the values without each segment, document or item.

Sources
-------
In `bibliography.toml`: tukey1958.
"""

from __future__ import annotations

import numpy as np

from metaeval.components.interval import ConfidenceInterval
from metaeval.correlation.standard_error import half_width
from metaeval.correlation.tolerances import EQUAL
from metaeval.datamodel.corpus import FloatArray

# With fewer items than this, of which one answer is more than that share of the ratings, intervals of kappa and alpha
# hold too seldom (docs/calibration.md).
MIN_SKEWED_ITEMS = 100
SKEWED_SHARE = 0.75


def jackknife_interval(
    value: float, without: FloatArray, confidence_level: float, units: str = "segments"
) -> ConfidenceInterval:
    """Return a coefficient -+ t times its standard error by leaving out one segment, document or item.

    The standard error of n of them is sqrt((n - 1) / n * sum of u**2), u being the distance of each value from their
    mean. Student's t has m - 1 degrees of freedom, where m = (sum of u**2)**2 / sum of u**4 is how many of equal
    influence would say as much about it: with n - 1, intervals of skewed ratings, in which few segments decide, are
    much too narrow. The interval ends at -1 and 1, beyond which no coefficient lies.

    Parameters
    ----------
    value : float
        The coefficient of all.
    without : (n,) float array
        The coefficient without each of them, two or more.
    confidence_level : float
        Between 0 and 1.
    units : str
        What is left out one at a time, for the reasons.
    """
    n = len(without)
    defined = ~np.isnan(without)
    counts = int(defined.sum()), int(n - defined.sum())
    if np.isnan(value):
        return ConfidenceInterval(n_used=counts[0], n_undefined=counts[1])
    if counts[1]:
        because = f"without one of the {units} all ratings are equal, and it has no value"
        return ConfidenceInterval(n_used=counts[0], n_undefined=counts[1], undefined_because=because)
    if np.ptp(without) <= EQUAL:
        because = f"it is the same without any one of the {units}"
        return ConfidenceInterval(n_used=n, n_undefined=0, undefined_because=because)
    squares = np.square(without - without.mean())
    equal = squares.sum() ** 2 / np.square(squares).sum()
    half = half_width(float(np.sqrt((n - 1) / n * squares.sum())), max(float(equal) - 1.0, 1.0), confidence_level)
    return ConfidenceInterval(max(value - half, -1.0), min(value + half, 1.0), n, 0)


def too_skewed(n_items: int, largest_share: float) -> str:
    """Explain why kappa and alpha have no interval if one answer is much more frequent than the others; "" if not.

    Parameters
    ----------
    n_items : int
        Items with two ratings or more.
    largest_share : float
        The share of their ratings that are the most frequent answer.
    """
    if n_items >= MIN_SKEWED_ITEMS or not largest_share > SKEWED_SHARE:
        return ""
    return (
        f"{100 * largest_share:.0f} % of the ratings are the same answer, and with fewer than {MIN_SKEWED_ITEMS} "
        "items intervals hold too seldom then"
    )
