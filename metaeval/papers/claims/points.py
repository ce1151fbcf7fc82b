"""The numbers that claims compare, and how uncertain a sum of them is.

A number is a mean correlation with its replicates, a share of the NIST score, or how many metrics are in a top cluster.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from metaeval.components.coefficient import Coefficient
from metaeval.components.mean_coefficient import MeanCoefficient
from metaeval.components.registries import COEFFICIENTS, INTERVALS
from metaeval.correlation.denoised import Denoised
from metaeval.correlation.denoised_inference import DenoisedTest
from metaeval.correlation.standard_error import deviation, error_of_mean
from metaeval.correlation.tolerances import EQUAL
from metaeval.datamodel.corpus import CONSTANT, INTER_JUDGE, FloatArray, IntArray
from metaeval.errors import UsageError
from metaeval.papers.claims.settings import TOP_CLUSTER
from metaeval.report.figures.nist_share import shares_by_system
from metaeval.results.grid import Grid
from metaeval.results.keys import Key
from metaeval.results.model import RunData
from metaeval.results.rows import BY_INTERVALS, Correlation


@dataclass(frozen=True, eq=False)
class Sample:
    """Values that vary as the mean of a point does.

    Attributes
    ----------
    values : (replicates,) or (documents,) float array
    drawn_with : hashable
        Points with the same are paired value by value.
    weights : (replicates,) float array, or None
        The probability of each replicate where all possible ones are listed.
    groups : (documents,) int array, or None
        Of single segments, the real document of each, where these are the units.
    """

    values: FloatArray
    drawn_with: Hashable
    weights: FloatArray | None = None
    groups: IntArray | None = None


@dataclass(frozen=True, eq=False)
class DenoisedScores:
    """The scores of whole systems behind a coefficient, high for good, with their replicates.

    Attributes
    ----------
    coefficient : Coefficient
    metric, human : (systems,) float arrays
    metric_replicates, human_replicates : (replicates, systems) float arrays
    drawn_with : hashable
        Those with the same are drawn together, with the same human scores.
    sample_sizes : mapping of str to float
        How many units there were to draw; of documents, how many of equal size would say as much.
    weights : (replicates,) float array, or None
        The probability of each replicate, where every possible one is listed.
    """

    coefficient: Coefficient
    metric: FloatArray
    human: FloatArray
    metric_replicates: FloatArray
    human_replicates: FloatArray
    drawn_with: Hashable
    sample_sizes: Mapping[str, float]
    weights: FloatArray | None = None

    def less(self, other: DenoisedScores, error: float) -> tuple[float, float]:
        """Return the interval of this coefficient less another one, with the chance `error` beyond each bound."""
        values = np.stack([self.metric, other.metric, self.human])
        drawn = np.stack([self.metric_replicates, other.metric_replicates, self.human_replicates], axis=1)
        a, b = (self.coefficient(scores[None], self.human[None]) for scores in values[:2])
        comparison = DenoisedTest().compare(
            MeanCoefficient(
                coefficients=[a, b],
                coefficient=self.coefficient,
                n_documents=1,
                n_systems=values.shape[1],
                replicates=Denoised(values, drawn, self.weights).coefficients((0, 1), [self.coefficient] * 2),
                weights=self.weights,
                confidence_level=1.0 - 2.0 * error,
                sample_sizes=self.sample_sizes,
            )
        )
        return comparison.lower, comparison.upper


@dataclass(frozen=True, eq=False)
class Point:
    """A number that a claim is about.

    Attributes
    ----------
    metric : str
        As the experiment writes it; ``inter-judge`` with the preprocessing "" for the judges.
    keys : mapping of str to str, float, int or None
        Where it stands, by the qualifiers of statements.
    mean : float
        The mean correlation; the mean share over the systems.
    signature : str
        All that determined the mean.
    replicates, documents : Sample, or None
        The mean in replicates; the coefficients of documents, where one document has one.
    denoised : DenoisedScores, or None
        What two points are compared by where both have it, as tables compare two metrics.
    systems : Series, or None
        The share of each system in place of both.
    is_exact : bool
        Whether the number is taken as it is: a count, which has none of these.
    """

    metric: str
    keys: Mapping[str, Any]
    mean: float
    signature: str
    replicates: Sample | None = None
    documents: Sample | None = None
    denoised: DenoisedScores | None = None
    systems: pd.Series[float] | None = None
    is_exact: bool = False

    @property
    def of_judges(self) -> bool:
        """True if it is the agreement of judges, not that of a metric of the same name."""
        return self.metric == INTER_JUDGE and self.keys["preprocessing"] == ""


def correlation_points(run: RunData, corpus: str) -> list[Point]:
    """Return the mean correlations of a corpus, a point for each row of correlations."""
    digests: dict[Key, str] = {}
    points = []
    rows = [row for row in run.tables.correlations if row.key.corpus == corpus and row.key.metric != CONSTANT]
    most = Counter[Key]()
    for row in rows:
        most |= Counter({row.key.place: row.n_systems})
    for row in rows:
        # A coefficient across fewer systems than those of others cannot be compared with them.
        if row.n_systems == most[row.key.place]:
            grid = run.find_grid(row.key)
            samples = (_replicates(row, grid), _documents(row, grid, digests)) if grid else (None, None)
            denoised = _denoised(row, grid) if grid else None
            points.append(Point(row.key.metric, _keys(row), row.mean, row.signature, *samples, denoised))
    return points


def _keys(row: Correlation) -> dict[str, Any]:
    key = row.key
    return {
        "panel": key.panel,
        "criterion": key.criterion,
        "preprocessing": key.preprocessing,
        "references": None if math.isnan(row.n_references) else row.n_references,
        # The whole corpus is one document whatever the number of its segments, which can vary with the criterion.
        "length": None if key.documents.units.is_whole else key.length,
        "coefficient": key.coefficient,
    }


def _replicates(row: Correlation, grid: Grid) -> Sample | None:
    values = grid.replicates(row.key.coefficient)
    return None if values is None else Sample(values[grid.position(row.key)], (grid.draws,), grid.weights)


def _denoised(row: Correlation, grid: Grid) -> DenoisedScores | None:
    position = grid.position(row.key)
    scores = grid.score_replicates(position)
    human = grid.human_replicates
    if not INTERVALS[row.interval].is_denoised or scores is None or human is None:
        return None
    # One document: the whole corpus.
    metric = grid.scores(position)[0]
    if not np.isfinite(metric).all():
        return None
    sign, human_sign = grid.metrics[position].signs
    coefficient = row.key.coefficient
    return DenoisedScores(
        COEFFICIENTS.named(coefficient),
        metric * sign,
        grid.human[0] * human_sign,
        scores * sign,
        human * human_sign,
        (grid.draws, grid.key, coefficient),
        {row.resampled: grid.sample_size},
        grid.weights,
    )


def _documents(row: Correlation, grid: Grid, digests: dict[Key, str]) -> Sample | None:
    values = grid.coefficients(row.key.coefficient)[grid.position(row.key)]
    if row.key.average_by != "item" or len(values) < 2:
        return None
    if grid.undefined == "zero":
        values = np.nan_to_num(values, nan=0.0)
    groups = grid.documents_of_segments if row.key.documents.units.is_single else None
    groups = None if groups is None else np.asarray(groups, dtype=np.int64)
    if grid.key not in digests:
        segments = grid.segments
        if segments is None:
            return Sample(values, grid.documents or (row.key,), groups=groups)
        # Documents of the same segments are the same documents, in whatever panel they were drawn.
        numbers = np.ascontiguousarray(segments)
        digests[grid.key] = hashlib.sha256(repr(numbers.shape).encode() + numbers.tobytes()).hexdigest()
    return Sample(values, digests[grid.key], groups=groups)


def top_cluster_points(run: RunData, corpus: str) -> list[Point]:
    """Count the metrics in the top cluster of each place: their intervals overlap with that of the best.

    There is nothing where the experiment has no intervals.
    """
    counts = Counter(
        row.key.place
        for row in run.tables.rankings
        if row.key.corpus == corpus and row.method == BY_INTERVALS and row.top_cluster
    )
    places = {row.key.place: row for row in run.tables.correlations}
    return [
        Point(TOP_CLUSTER, _keys(places[place]), float(count), signature=repr(place), is_exact=True)
        for place, count in counts.items()
    ]


def share_points(run: RunData, corpus: str) -> list[Point]:
    """Return the shares of n-gram orders in the NIST scores of the systems of a corpus.

    Those against several reference subsets of one size are averaged, system by system. There is nothing where NIST
    lacks an order below the highest.
    """
    scores = [row for row in run.system_scores() if row["corpus"] == corpus]
    points = []
    for panel in dict.fromkeys(row["panel"] for row in scores):
        try:
            table = shares_by_system(pd.DataFrame([row for row in scores if row["panel"] == panel]))
        except UsageError:
            continue
        for place, rows in table.groupby(["metric", "preprocessing", "references"], sort=False, dropna=False):
            metric, preprocessing, references = place
            systems = rows.groupby("system", sort=False)["share"].mean()
            keys = {"panel": panel, "criterion": "", "length": None, "coefficient": ""}
            keys |= {"preprocessing": preprocessing, "references": references}
            signature = "\n".join(dict.fromkeys(rows["signature"]))
            points.append(Point(str(metric), keys, float(systems.mean()), signature, systems=systems))
    return points


@dataclass(frozen=True)
class Spread:
    """The uncertainty of a sum of points.

    Attributes
    ----------
    standard_error : float
        ``nan`` where there is none.
    evidence : str
        ``replicates``, ``documents``, ``systems`` or ``none``.
    paired : bool
        Whether all points vary together; if not, the standard error is an upper bound.
    undefined : int
        Replicates or documents without a value.
    freedom : float, or None
        Degrees of freedom of the standard error: those of its values less 1; None where it is known.
    limits : (float, float), or None
        The lowest and the highest value over the systems, in place of a standard error; the value twice where it is
        taken as it is, which has the evidence ``none``.
    limits_at : callable, or None
        Gives the interval with a chance beyond each bound, in place of that of a standard error.
    """

    standard_error: float
    evidence: str
    paired: bool = True
    undefined: int = 0
    freedom: float | None = None
    limits: tuple[float, float] | None = None
    limits_at: Callable[[float], tuple[float, float]] | None = None

    def quantile(self, error: float) -> float:
        """Return the number of standard errors beyond which the chance is `error`, by Student's t or the normal law."""
        from scipy import special

        if self.freedom is None:
            return float(special.ndtri(1.0 - error))
        return float(special.stdtrit(max(self.freedom, 1), 1.0 - error))

    @property
    def is_exact(self) -> bool:
        """True if the value is taken as it is."""
        return self.evidence == "none" and self.limits is not None


def spread_of(parts: Sequence[tuple[float, Point]], constant: float = 0.0) -> Spread:
    """Return the uncertainty of a weighted sum of points and a constant.

    Points that vary together are summed value by value: the standard deviation of their sum in the replicates, or the
    standard error of its mean over the documents. The standard errors of parts that do not vary together are added
    up, which is an upper bound, whatever the correlation between them; the fewest values give the degrees of freedom.

    Parameters
    ----------
    parts : sequence of (float, Point)
        Weights and points; not empty.
    constant : float
        What is added to it, and varies with nothing.
    """
    if all(point.is_exact for _, point in parts):
        value = constant + sum(weight * point.mean for weight, point in parts)
        return Spread(math.nan, "none", limits=(value, value))
    for evidence in ("systems", "replicates", "documents"):
        values = [(weight, getattr(point, evidence)) for weight, point in parts]
        if any(sample is None for _, sample in values):
            continue
        if evidence == "systems":
            # A system without a share in one of the parts has no sum.
            sums = constant + sum(weight * shares for weight, shares in values)
            return Spread(math.nan, evidence, limits=(float(sums.min()), float(sums.max())))
        spread = _spread_of_samples(values, evidence)
        if evidence == "replicates" and constant == 0 and [weight for weight, _ in parts] == [1.0, -1.0]:
            first, second = (point.denoised for _, point in parts)
            if first is not None and second is not None and first.drawn_with == second.drawn_with:
                spread = replace(spread, limits_at=partial(first.less, second))
        return spread
    return Spread(math.nan, "none")


def _spread_of_samples(parts: Sequence[tuple[float, Sample]], evidence: str) -> Spread:
    sums: dict[Hashable, FloatArray] = {}
    for weight, sample in parts:
        sums[sample.drawn_with] = sums.get(sample.drawn_with, 0.0) + weight * sample.values
    weights = {sample.drawn_with: sample.weights for _, sample in parts}
    groups = {sample.drawn_with: sample.groups for _, sample in parts}
    total = 0.0
    undefined = 0
    freedoms = list[float]()
    for drawn_with, values in sums.items():
        defined = ~np.isnan(values)
        chances = weights[drawn_with]
        count = int(defined.sum())
        undefined += len(values) - count
        of_values = groups[drawn_with]
        if evidence == "documents" and of_values is not None:
            error, n_units = error_of_mean(values[defined], of_values[defined])
            freedoms.append(n_units - 1)
            total += error
            continue
        if chances is None:
            freedoms.append(count - 1)
        else:
            chances = chances[defined]
        error = _deviation(values[defined], chances)
        total += error / np.sqrt(count) if evidence == "documents" and count else error
    return Spread(float(total), evidence, len(sums) == 1, undefined, min(freedoms, default=None))


def _deviation(values: FloatArray, chances: FloatArray | None) -> float:
    """Return the standard deviation, of a sample (n - 1) or of all that there can be; ``nan`` for fewer than two."""
    if len(values) < 2:
        return math.nan
    if np.ptp(values) < EQUAL:
        return 0.0
    return deviation(values, chances)
