"""The unit of a coefficient (`average_by`), its orientation, and the average of many coefficients.

==========  ==================================================================  =============================
average_by  one coefficient for each                                            elsewhere
==========  ==================================================================  =============================
item        document, across the systems (Turian, Finch, Lin and Och)           item, input; group by item
system      system, across the documents                                        sys; group by system
none        all documents and systems together (Melamed); a coefficient of a    none, global; no grouping
            grid knows which score is whose
==========  ==================================================================  =============================
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from metaeval.components.coefficient import Coefficient
from metaeval.datamodel.corpus import BoolArray, FloatArray, IntArray


@dataclass(frozen=True)
class Oriented:
    """A coefficient that is high for agreement although its sides have opposite directions.

    Other properties, such as that it takes a grid, are those of `coefficient`.
    """

    coefficient: Coefficient

    def of_systems(self, systems: BoolArray | IntArray) -> Oriented:
        """Return the coefficient for some of the systems."""
        return Oriented(self.coefficient.of_systems(systems))

    def among_pairs(self, pairs: BoolArray) -> Oriented:
        """Return the coefficient that counts some pairs of systems alone."""
        return Oriented(self.coefficient.among_pairs(pairs))

    def fitted(self, metric: FloatArray, human: FloatArray, where: BoolArray | None = None) -> Oriented:
        """Return the coefficient fitted to scores."""
        return Oriented(self.coefficient.fitted(-metric, human, where))

    def among_systems(self, metric: FloatArray, human: FloatArray) -> Oriented:
        """Return the coefficient that correlates the scores of whole systems in replicates."""
        return Oriented(self.coefficient.among_systems(-metric, human))

    def replicated_means(
        self, metric: FloatArray, human: FloatArray, counts: npt.ArrayLike, where: BoolArray | None = None
    ) -> FloatArray:
        """Return the means in replicates that draw rows, as the coefficient does; none that is fitted is odd."""
        return self.coefficient.replicated_means(-metric, human, counts, where)

    def __call__(self, metric: FloatArray, human: FloatArray) -> FloatArray:
        """Correlate two arrays (..., n) along their last axis: (...).

        The coefficient is negated, and the scores are not. Only one that is not odd, such as an accuracy, takes the
        negative scores: no sign gives its aligned value.
        """
        if self.coefficient.is_odd:
            return -self.coefficient(metric, human)
        return self.coefficient(-metric, human)


# A function that correlates metric scores with human scores, (..., n), along their last axis: (...).
Relation: TypeAlias = Coefficient | Oriented


_Kind = TypeVar("_Kind", bound=np.generic)


def arrange_rows(values: npt.NDArray[_Kind], average_by: str) -> npt.NDArray[_Kind]:
    """Arrange (..., documents, systems) so that each row has one coefficient: (..., rows, n)."""
    if average_by == "none":
        return values.reshape(*values.shape[:-2], 1, math.prod(values.shape[-2:]))
    return values.swapaxes(-1, -2) if average_by == "system" else values


def correlate(
    metric: FloatArray, human: FloatArray, coefficient: Relation, average_by: str, *, where: BoolArray | None = None
) -> FloatArray:
    """Correlate metric scores with human scores.

    Parameters
    ----------
    metric, human : (documents, systems) float arrays
    coefficient : Coefficient, as it comes or oriented
    average_by : "item", "system" or "none"
        Of a coefficient that takes a grid, ``none``.
    where : (documents, systems) bool array, optional
        The cells to take; others are ignored, and may be ``nan``.

    Returns
    -------
    (documents,), (systems,) or (1,) float array
        ``nan`` where undefined.
    """
    if coefficient.coefficient.takes_grid:
        if where is not None and not coefficient.coefficient.needs_all_cells:
            metric = np.where(where, metric, np.nan)
        return coefficient(metric, human).reshape(1)
    metric, human = arrange_rows(metric, average_by), arrange_rows(human, average_by)
    where = None if where is None else arrange_rows(where, average_by)
    # One fit for all rows, instead of one for each number of cells.
    if coefficient.coefficient.is_fitted:
        coefficient = coefficient.fitted(metric, human, where)
    if where is None or where.all():
        return coefficient(metric, human)
    values = np.full(len(metric), np.nan)
    numbers = where.sum(axis=1)
    # Rows with equally many cells to take are correlated together.
    for number in np.unique(numbers[numbers > 0]):
        rows = numbers == number
        # No copies where all rows are of this kind.
        x, y, taken = (metric, human, where) if rows.all() else (metric[rows], human[rows], where[rows])
        values[rows] = coefficient(x[taken].reshape(-1, number), y[taken].reshape(-1, number))
    return values


def line_coefficients(scores: FloatArray, human: FloatArray, relation: Relation, average_by: str) -> FloatArray:
    """Return the coefficients of a metric, over the cells that were judged.

    A system of which the metric has no score at all is left out; a document that lacks the score of another judged
    system (edits over empty references) has no coefficient.

    Parameters
    ----------
    scores : (subsets or 1, documents, systems) float array
    human : (documents, systems) float array
        ``nan`` where nobody judged.
    relation : Relation
    average_by : str

    Returns
    -------
    (documents,), (systems,) or (1,) float array
        The mean over the subsets; ``nan`` where it is undefined with one of them.
    """
    scored = systems_scored(scores)
    if scored.all():
        by_subset = [_correlate_defined(of_subset, human, relation, average_by) for of_subset in scores]
        return by_subset[0] if len(by_subset) == 1 else np.asarray(np.mean(by_subset, axis=0))
    coefficients = line_coefficients(scores[..., scored], human[:, scored], relation.of_systems(scored), average_by)
    if average_by != "system":
        return coefficients
    of_all = np.full(len(scored), np.nan)
    of_all[scored] = coefficients
    return of_all


def coefficients_of_lines(
    lines: Sequence[tuple[FloatArray, Relation]], human: FloatArray, average_by: str
) -> list[FloatArray]:
    """Return the coefficients of several metrics, as :func:`line_coefficients` does, by relations of one kind.

    The human scores are prepared once for all metrics, if none is missing.

    Parameters
    ----------
    lines : sequence of ((subsets or 1, documents, systems) float array, Relation)
    human : (documents, systems) float array
    average_by : str
    """
    kind = lines[0][1].coefficient
    is_plain = not (kind.is_fitted or kind.takes_grid) and bool(np.isfinite(human).all())
    people = kind.prepare(arrange_rows(human, average_by), is_human=True) if is_plain else None
    coefficients = []
    for scores, relation in lines:
        if people is None or not np.isfinite(scores).all():
            coefficients.append(line_coefficients(scores, human, relation, average_by))
            continue
        sides = [relation.coefficient.prepare(arrange_rows(of_subset, average_by)) for of_subset in scores]
        by_subset = correlate_lines([relation] * len(sides), sides, people)
        coefficients.append(by_subset[0] if len(by_subset) == 1 else by_subset.mean(axis=0))
    return coefficients


def systems_scored(scores: FloatArray) -> BoolArray:
    """Return a mask of the systems that a metric scored, (systems,), from (subsets or 1, documents, systems).

    Where it scored none, the mask has all of them, since no document has a coefficient anyway.
    """
    # The first document is enough if it has all scores, as most have.
    for part in (scores[:1, :1], scores):
        scored: BoolArray = np.asarray(np.isfinite(part).any(axis=(0, 1)))
        if scored.all():
            break
    return scored if scored.any() else np.ones(len(scored), dtype=bool)


def _correlate_defined(scores: FloatArray, human: FloatArray, coefficient: Relation, average_by: str) -> FloatArray:
    """Correlate the documents in which every judged system has a score; others have no coefficient."""
    judged = np.isfinite(human)
    present = np.isfinite(scores) | ~judged
    if present.all():
        return correlate(scores, human, coefficient, average_by, where=judged)
    defined = present.all(axis=1)
    values = correlate(scores[defined], human[defined], coefficient, average_by, where=judged[defined])
    if average_by != "item":
        return values
    everywhere = np.full(len(scores), np.nan)
    everywhere[defined] = values
    return everywhere


def correlate_sets(coefficient: Relation, metric: FloatArray, human: FloatArray, axis: int = 0) -> FloatArray:
    """Correlate sets of rows, such as replicates; a coefficient that is fitted is fitted to each set.

    Parameters
    ----------
    metric, human : (..., sets, ..., n) float arrays
    coefficient : Coefficient, as it comes or oriented
    axis : int
        That of the sets.

    Returns
    -------
    (..., sets, ...) float array
    """
    if not (coefficient.coefficient.is_fitted and metric.shape[axis]):
        return coefficient(metric, human)
    sets = zip(np.moveaxis(metric, axis, 0), np.moveaxis(human, axis, 0), strict=True)
    return np.stack([coefficient(*each) for each in sets], axis=axis)


def correlate_lines(relations: Sequence[Relation], metrics: Sequence[FloatArray], human: FloatArray) -> FloatArray:
    """Correlate metrics (..., n), each by its relation of one kind, with the same human scores: (metrics, ...).

    The scores of both sides were prepared by the coefficients (`Coefficient.prepare`).
    """
    kinds = [relation.coefficient for relation in relations]
    signs = [-1.0 if isinstance(relation, Oriented) else 1.0 for relation in relations]
    if kinds[0].is_odd:
        values = kinds[0].correlate_metrics(kinds, metrics, human)
        return np.stack([sign * of_metric for sign, of_metric in zip(signs, values, strict=True)])
    if -1.0 in signs:
        metrics = [sign * scores for sign, scores in zip(signs, metrics, strict=True)]
    return kinds[0].correlate_metrics(kinds, metrics, human)


def orient(coefficient: Coefficient, *, same_direction: bool, orientation: str) -> Relation:
    """Return a coefficient that is high for agreement (aligned), or as it comes (raw)."""
    return coefficient if orientation != "aligned" or same_direction else Oriented(coefficient)


@dataclass(frozen=True)
class Summary:
    """The mean of many coefficients, their standard deviation and their number.

    Attributes
    ----------
    mean : float
        ``nan`` if every coefficient is undefined.
    sd : float
        Standard deviation over the coefficients (n - 1); ``nan`` for fewer than two.
    n_used, n_undefined : int
        How many coefficients the mean is taken over, and how many have no value.
    """

    mean: float
    sd: float
    n_used: int
    n_undefined: int


def mean_of_defined(values: FloatArray, axis: int) -> FloatArray:
    """Return the means along an axis of the values that are not ``nan``; ``nan`` where none is."""
    defined = ~np.isnan(values)
    counts = defined.sum(axis=axis)
    sums = np.where(defined, values, 0.0).sum(axis=axis)
    return np.asarray(np.divide(sums, counts, out=np.full(counts.shape, np.nan), where=counts > 0))


def summarise(coefficients: FloatArray, *, undefined: str = "exclude") -> Summary:
    """Summarise coefficients by their mean.

    Parameters
    ----------
    coefficients : (n,) float array
        ``nan`` where undefined.
    undefined : "exclude" or "zero"
        Whether an undefined coefficient is left out or counts 0; it is counted either way.
    """
    defined = coefficients[~np.isnan(coefficients)]
    n_undefined = len(coefficients) - len(defined)
    used = np.nan_to_num(coefficients, nan=0.0) if undefined == "zero" else defined
    mean = float(used.mean()) if len(used) else np.nan
    sd = float(used.std(ddof=1)) if len(used) > 1 else np.nan
    return Summary(mean, sd, len(used), n_undefined)
