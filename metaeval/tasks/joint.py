"""The joint resampling of many tasks: the error of weighted means of coefficients, and tests between all metrics.

The tasks of one corpus are made again from the same texts drawn again, so that a metric's errors in them are
correlated as they are; the texts of different corpora are independent. What is drawn differs where tasks of a corpus
take other segments; then their errors are added as if they were wholly correlated, which is never too small.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from metaeval.correlation.families import clusters, holm
from metaeval.correlation.standard_error import FEWEST
from metaeval.records import BoolArray, FloatArray, IntArray
from metaeval.scientific import special

# Replicates in which a difference must be defined.
_FEWEST = 50


@dataclass(frozen=True)
class JointErrors:
    """Replicates of weighted means of coefficients, added up corpus by corpus.

    Parameters
    ----------
    metrics : sequence of str
    """

    metrics: Sequence[str]
    _sums: dict[str, dict[str, FloatArray]] = field(default_factory=dict)
    _sizes: dict[tuple[str, str], float] = field(default_factory=dict)

    def add(
        self,
        corpus: str,
        units: str,
        replicates: Mapping[str, FloatArray],
        weight: float,
        sample_size: float = math.inf,
    ) -> None:
        """Add a coefficient on a corpus.

        Parameters
        ----------
        corpus, units : str
            Replicates of the same corpus and units are of the same draws.
        replicates : mapping of str to (replicates,) float array
            By metric.
        weight : float
            Of the coefficient in the mean.
        sample_size : float, optional
            How many units are drawn; of documents, how many of equal size would say as much. Too few have no error.
        """
        if not self.metrics:
            return
        if sample_size < FEWEST["documents"]:
            replicates = {metric: one * np.nan for metric, one in replicates.items()}
        self._sizes[corpus, units] = sample_size
        # Without any replicate, nothing is known of the error of the mean.
        n = len(next(iter(replicates.values()), " "))
        each = np.stack([replicates.get(metric, np.full(n, np.nan)) for metric in self.metrics], axis=1)
        of_corpus = self._sums.setdefault(corpus, {})
        of_corpus[units] = of_corpus.get(units, 0.0) + weight * each

    def errors(self) -> tuple[FloatArray, FloatArray]:
        """Return the standard errors of the means, (metrics,), and of their differences, (metrics, metrics)."""
        of_means, of_differences = np.zeros(len(self.metrics)), np.zeros((len(self.metrics),) * 2)
        for of_corpus in self._sums.values():
            parts = [_errors(one) for one in of_corpus.values()]
            of_means += sum(means for means, _ in parts) ** 2
            of_differences += sum(differences for _, differences in parts) ** 2
        if not self._sums:
            return of_means * np.nan, of_differences * np.nan
        return np.sqrt(of_means), np.sqrt(of_differences)

    @property
    def degrees(self) -> float:
        """Degrees of freedom: the fewest replicates, or units of a corpus that are drawn, less 1."""
        replicates = [len(one) for of_corpus in self._sums.values() for one in of_corpus.values()]
        return max(min([*replicates, *self._sizes.values()], default=1) - 1, 0)


def _errors(replicates: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the standard deviations of replicates (replicates, metrics), and of their differences."""
    n_metrics = replicates.shape[1]
    defined: BoolArray = np.isfinite(replicates)
    if defined.all():
        covariance = np.cov(replicates, rowvar=False).reshape(n_metrics, n_metrics)
        variances = np.diag(covariance)
        together = variances[:, None] + variances[None, :] - 2 * covariance
        return np.sqrt(variances), np.sqrt(np.maximum(together, 0.0))
    of_means, of_differences = np.full(n_metrics, np.nan), np.full((n_metrics, n_metrics), np.nan)
    for metric in range(n_metrics):
        differences = replicates - replicates[:, [metric]]
        enough = np.isfinite(differences).sum(axis=0) >= _FEWEST
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
    """

    lower: FloatArray
    upper: FloatArray
    p: FloatArray
    clusters: IntArray


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
    apart = np.abs(values[:, None] - values[None, :])
    with np.errstate(invalid="ignore", divide="ignore"):
        t = np.where(of_differences > 0, apart / of_differences, np.nan)
    # Two metrics that are the same in all replicates are the same, whatever the error.
    t = np.where((of_differences == 0) & (apart == 0), 0.0, t)
    p = np.full((n, n), np.nan)
    if errors.degrees:
        p[first, later] = holm(2 * special.stdtr(errors.degrees, -t[first, later]))
        p[later, first] = p[first, later]
    half = (
        special.stdtrit(errors.degrees, (1 + confidence_level) / 2) * of_means if errors.degrees else of_means * np.nan
    )
    found = np.zeros(n, dtype=np.intp)
    places = np.flatnonzero(ranked)
    tested = len(places) < 2 or bool(np.isfinite(p[np.ix_(places, places)]).any())
    if tested and len(places):
        order = np.argsort(-values[places], kind="stable")
        found[places] = clusters(order, p[np.ix_(places, places)], alpha)
    return Joint(values - half, values + half, p, found)
