"""The mean coefficients of metrics in a cell, and their replicates: what intervals and tests are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from metaeval.contracts import Interval, MeanCoefficient, Test
from metaeval.correlation.averages import systems_scored
from metaeval.experiment.cells import Cell
from metaeval.experiment.grid import Grid
from metaeval.records import BoolArray


def mean_coefficient(one: Grid, numbers: Sequence[int], text: str) -> MeanCoefficient:
    """Return the mean coefficient of one line of a cell, or of two that have scores of the same systems.

    Parameters
    ----------
    one : Grid
    numbers : sequence of one or two int
        The positions of the lines.
    text : str
        The name of the coefficient.
    """
    cell, systems = one.cell, systems_scored(one.scores[numbers[0]])
    n_systems = int(systems.sum())
    return MeanCoefficient(
        coefficients=[one.counted(number, text) for number in numbers],
        coefficient=cell.coefficients[text].of_systems(systems),
        n_documents=int(documents_scored(one, numbers).sum()),
        n_systems=n_systems,
        confidence_level=cell.experiment.uncertainty.confidence_level,
        sample_sizes=cell.drawn(n_systems),
        groups=cell.groups,
        pooled=cell.pooled,
    )


def with_replicates(
    estimate: MeanCoefficient, one: Grid, numbers: Sequence[int], text: str, kind: Interval | Test
) -> MeanCoefficient:
    """Return a mean coefficient with the replicates that an interval or a test needs."""
    replicates = one.replicates
    assert replicates is not None
    return replace(
        estimate,
        replicates=replicates.of(numbers, text, denoised=kind.is_denoised),
        weights=replicates.weights,
        n_units=_fewest_units(one.cell, estimate.n_used),
        jackknife=replicates.jackknife.get((numbers[0], text), ()) if len(numbers) == 1 else (),
    )


def documents_scored(one: Grid, numbers: Sequence[int]) -> BoolArray:
    """Return which documents have scores of some lines for all the systems that the first of them scores: (documents,).

    Where a line has scores for each reference subset, those of the first one are looked at.
    """
    systems = systems_scored(one.scores[numbers[0]])
    complete = [(np.isfinite(one.scores[number][0]) | ~systems).all(axis=1) for number in numbers]
    return np.asarray(np.logical_and.reduce(complete))


def _fewest_units(cell: Cell, n_used: int) -> int:
    """Return the fewest units that a bootstrap draws from: segments, documents with a coefficient, or systems."""
    n_systems, of_text = len(cell.corpus.systems), cell.n_units
    if not cell.experiment.documents.units.is_whole and cell.experiment.correlation.average_by == "item":
        of_text = min(of_text, n_used)
    sizes = {"segments": of_text, "documents": of_text, "systems": n_systems}
    return sizes.get(cell.resample, min(of_text, n_systems))
