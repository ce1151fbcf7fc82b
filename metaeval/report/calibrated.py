"""Calibration results of default tests and intervals that miss their nominal level.

`calibrated.tsv` has the worst figures over its models, by coefficient, systems and segments. It is written by
`scripts/calibrate_defaults.py --write`; where a model was simulated again with more corpora, its figures there are
those of the larger number. docs/calibration.md has all figures.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from metaeval.components.registries import COEFFICIENTS, INTERVALS
from metaeval.report.phrases import grouped
from metaeval.results.rows import Correlation
from metaeval.results.tables import read_rows

# Percent: found different at 5 % although they are equally good, in all and in one direction; intervals that hold the
# truth.
MAX_FOUND_PERCENT = 6.0
MAX_IN_ONE_DIRECTION_PERCENT = 4.5
MIN_COVERAGE_PERCENT = 93.0


@dataclass(frozen=True)
class _Cell:
    coefficient: str
    systems: int
    segments: int
    size: float
    side: float
    coverage: float


@cache
def _cells() -> dict[str, list[_Cell]]:
    """Return the cells of the calibration, by coefficient."""
    cells = read_rows(_Cell, Path(__file__).with_suffix(".tsv"))
    return grouped(cells, lambda cell: repr(COEFFICIENTS.named(cell.coefficient)))


def note_on_calibration(row: Correlation, test: str) -> list[str]:
    """Return the figures of the calibration, where they are outside what the default test and interval promise.

    Parameters
    ----------
    row : Correlation
        Of a metric.
    test : str
        The test; "" without one.

    Returns
    -------
    list of str
        One line, or nothing: other tests and intervals have their own figures in docs/calibration.md.
    """
    coefficient = COEFFICIENTS.named(row.key.coefficient)
    cells = _cells().get(repr(coefficient), [])
    of_systems = INTERVALS[row.interval].is_denoised
    if not cells or row.interval != test or not (of_systems or coefficient.is_fitted) or math.isnan(row.lower):
        return []

    def distance(cell: _Cell) -> float:
        return abs(math.log(cell.systems / row.n_systems)) + abs(math.log(cell.segments / row.n_segments))

    cell = min(cells, key=distance)
    if (
        cell.size <= MAX_FOUND_PERCENT
        and cell.side <= MAX_IN_ONE_DIRECTION_PERCENT
        and cell.coverage >= MIN_COVERAGE_PERCENT
    ):
        return []
    where = f"Calibration, in the worst of its models with {cell.systems} systems and {cell.segments} segments"
    sentence = f"of metrics that are equally good, {cell.size:g} % are found different at 5 %"
    sentence += f", {cell.side:g} % in one direction"
    return [f"{where}: {sentence}, and {cell.coverage:g} % of the 95 % intervals hold the truth (docs/calibration.md)."]
