"""Intervals as columns of tables for programs, and as cells of tables for people."""

from __future__ import annotations

import math
from typing import Any

from metaeval.ratings.means import Interval
from metaeval.report.tables import Estimated, fixed


def interval_columns(name: str, interval: Interval) -> dict[str, Any]:
    """Return the columns of an interval: the value, and its ends behind ``_lower`` and ``_upper``."""
    return {name: interval.value, f"{name}_lower": interval.lower, f"{name}_upper": interval.upper}


def interval_cell(interval: Interval, digits: int) -> str:
    """Return a cell such as ``0.61 [0.50, 0.71]``; ``--`` where there is no value."""
    if math.isnan(interval.value):
        return "--"
    return Estimated(interval.value, interval.lower, interval.upper).written(lambda value: fixed(value, digits))


def as_percentages(interval: Interval) -> Interval:
    """Return a share in percent."""
    return Interval(100 * interval.value, 100 * interval.lower, 100 * interval.upper, interval.missing_because)


def as_distance(likeness: Interval) -> Interval:
    """Return a likeness of grades or numbers as a distance, which is positive."""
    return Interval(-likeness.value, -likeness.upper, -likeness.lower, likeness.missing_because)
