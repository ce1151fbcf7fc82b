"""The joint resampling of many tasks: the error of weighted means of coefficients, and tests between all metrics.

A replicate computes all tasks of one corpus on the same resampled texts, so that a metric's errors in them are
correlated as they are. So are those of corpora whose documents have the same names in the same order, as those of
language pairs out of one language: a replicate draws a document as often in each of them. Corpora without a document
in common are independent. The draws differ where tasks of a corpus use different segments, or corpora have only some
documents in common; then their errors are added as if they were wholly correlated, which is never too small.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from metaeval.correlation.multiple_tests import against_best, clusters, holm
from metaeval.correlation.standard_error import MIN_UNITS
from metaeval.datamodel.corpus import BoolArray, FloatArray, IntArray
from metaeval.scipy_parts import special

# Replicates in which a difference must be defined, at least.
_MIN_REPLICATES = 50


@dataclass
class _Draw:
    """Replicates of a weighted sum of coefficients that are all made from the same draws.

    Attributes
    ----------
    corpora, documents : set of str
        The corpora of the coefficients, and the names of the documents that are drawn.
    total : (replicates, metrics) float array
    sample_size : float
        How many units are drawn.
    """

    corpora: set[str]
    documents: set[str]
    total: FloatArray
    sample_size: float

    def may_depend_on(self, other: _Draw) -> bool:
        """Return whether both may have texts in common."""
        return not (self.corpora.isdisjoint(other.corpora) and self.documents.isdisjoint(other.documents))


@dataclass(frozen=True)
class JointErrors:
    """Replicates of weighted means of coefficients, added up draw by draw.

    Parameters
    ----------
    metrics : sequence of str
    """

    metrics: Sequence[str]
    _draws: dict[tuple[str, str | tuple[str, ...]], _Draw] = field(default_factory=dict)

    def add(
        self,
        corpus: str,
        units: str,
        replicates: Mapping[str, FloatArray],
        weight: float,
        sample_size: float = math.inf,
        documents: tuple[str, ...] = (),
    ) -> None:
        """Add a coefficient on a corpus.

        Parameters
        ----------
        corpus, units : str
            Replicates of the same corpus, units and documents are of the same draws.
        replicates : mapping of str to (replicates,) float array
            By metric.
        weight : float
            Of the coefficient in the mean.
        sample_size : float, optional
            The number of units; of documents, that of equal size with the same information. Too few have no error.
        documents : tuple of str, optional
            The names of the documents that are drawn, in their order. Replicates of the same units and documents are of
            the same draws in all corpora.
        """
        if not self.metrics:
            return
        fewest = MIN_UNITS["documents" if documents else "segments"]
        if sample_size < fewest:
            replicates = {metric: values * np.nan for metric, values in replicates.items()}
        # Without any replicate, the error of the mean is undefined.
        n = len(next(iter(replicates.values()), " "))
        each = np.stack([replicates.get(metric, np.full(n, np.nan)) for metric in self.metrics], axis=1)
        draw = self._draws.setdefault(
            (units, documents or corpus), _Draw(set(), set(documents), np.zeros_like(each), sample_size)
        )
        draw.corpora.add(corpus)
        draw.total += weight * each
        draw.sample_size = min(draw.sample_size, sample_size)

    def errors(self) -> tuple[FloatArray, FloatArray]:
        """Return the standard errors of the means, (metrics,), and of their differences, (metrics, metrics)."""
        of_means = np.zeros(len(self.metrics))
        of_differences = np.zeros((len(self.metrics),) * 2)
        if not self._draws:
            return of_means * np.nan, of_differences * np.nan
        parts = [(draw, *_errors(draw.total)) for draw in self._draws.values()]
        for (draw, means, differences), (other_draw, other_means, other_differences) in itertools.product(
            parts, repeat=2
        ):
            # The covariance of two errors is at most their product.
            if draw.may_depend_on(other_draw):
                of_means += means * other_means
                of_differences += differences * other_differences
        return np.sqrt(of_means), np.sqrt(of_differences)

    @property
    def degrees(self) -> float:
        """Degrees of freedom: the fewest replicates, or units that are drawn, less 1."""
        numbers = [number for draw in self._draws.values() for number in (len(draw.total), draw.sample_size)]
        return max(min(numbers, default=1) - 1, 0)


def _errors(replicates: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the standard deviations of replicates (replicates, metrics), and of their differences."""
    n_metrics = replicates.shape[1]
    defined: BoolArray = np.isfinite(replicates)
    if defined.all():
        covariance = np.cov(replicates, rowvar=False).reshape(n_metrics, n_metrics)
        variances = np.diag(covariance)
        variances_of_differences = variances[:, None] + variances[None, :] - 2 * covariance
        return np.sqrt(variances), np.sqrt(np.maximum(variances_of_differences, 0.0))
    of_means = np.full(n_metrics, np.nan)
    of_differences = np.full((n_metrics, n_metrics), np.nan)
    for metric in range(n_metrics):
        differences = replicates - replicates[:, [metric]]
        enough = np.isfinite(differences).sum(axis=0) >= _MIN_REPLICATES
        of_differences[metric, enough] = np.nanstd(differences[:, enough], axis=0, ddof=1)
        if enough[metric]:
            of_means[metric] = np.nanstd(replicates[:, metric], ddof=1)
    return of_means, of_differences


@dataclass(frozen=True)
class Joint:
    """Metrics ranked by weighted means, with tests between all of them.

    Attributes
    ----------
    lower, upper : (metrics,) float arrays
        The confidence intervals of the means.
    p : (metrics, metrics) float array
        Two-sided, corrected for all pairs (Holm); ``nan`` where there is no test.
    clusters : (metrics,) int array
        From 1; 0 of metrics without a mean.
    p_worse : (metrics,) float array
        That each is as good as the best; ``nan`` where there is no test.
    """

    lower: FloatArray
    upper: FloatArray
    p: FloatArray
    clusters: IntArray
    p_worse: FloatArray


def joint_family(values: FloatArray, errors: JointErrors, *, alpha: float, confidence_level: float) -> Joint:
    """Test all metrics against each other: t = difference / standard error, corrected by Holm's method.

    Parameters
    ----------
    values : (metrics,) float array
        The means; ``nan`` of a metric that is not ranked.
    errors : JointErrors
        Of the same metrics.
    alpha : float
        Of the clusters.
    confidence_level : float
        Of the intervals.
    """
    of_means, of_differences = errors.errors()
    n = len(values)
    ranked: BoolArray = ~np.isnan(values)
    first, later = np.triu_indices(n, 1)
    distances = np.abs(values[:, None] - values[None, :])
    with np.errstate(invalid="ignore", divide="ignore"):
        t = np.where(of_differences > 0, distances / of_differences, np.nan)
    # Two metrics that are the same in all replicates are the same, whatever the error.
    t = np.where((of_differences == 0) & (distances == 0), 0.0, t)
    p = np.full((n, n), np.nan)
    plain = np.full((n, n), np.nan)
    if errors.degrees:
        plain[first, later] = 2 * special.stdtr(errors.degrees, -t[first, later])
        p[first, later] = holm(plain[first, later])
        plain[later, first], p[later, first] = plain[first, later], p[first, later]
    half_width = of_means * np.nan
    if errors.degrees:
        half_width = special.stdtrit(errors.degrees, (1 + confidence_level) / 2) * of_means
    numbers = np.zeros(n, dtype=np.intp)
    positions = np.flatnonzero(ranked)
    tested = len(positions) < 2 or bool(np.isfinite(p[np.ix_(positions, positions)]).any())
    if tested and len(positions):
        order = np.argsort(-values[positions], kind="stable")
        numbers[positions] = clusters(order, p[np.ix_(positions, positions)], alpha)
    return Joint(values - half_width, values + half_width, p, numbers, _p_worse(values, plain, p))


def _p_worse(values: FloatArray, p: FloatArray, corrected: FloatArray) -> FloatArray:
    """Return the p-values that metrics are as good as the best, (metrics,), from those of all pairs.

    Parameters
    ----------
    values : (metrics,) float array
    p, corrected : (metrics, metrics) float array
        Two-sided; ``nan`` where there is no test.
    """
    ranked = np.flatnonzero(~np.isnan(values))
    p_values = np.full(len(values), np.nan)
    # Only what is higher is better.
    is_higher = values[ranked, None] > values[None, ranked]
    among = np.ix_(ranked, ranked)
    plain, of_all = (
        np.where(is_higher | np.isnan(pair_values[among]), pair_values[among], 1.0) for pair_values in (p, corrected)
    )
    if len(ranked):
        family = against_best(plain, of_all)
        tested = ~np.isnan(family)
        p_values[ranked] = np.where(tested.any(axis=0), family.min(axis=0, initial=1.0, where=tested), np.nan)
    return p_values
