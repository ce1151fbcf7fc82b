"""Soft pairwise accuracy: whether a metric is as certain as human scores that one system is better than another.

Pairwise accuracy asks which of two systems is better. Here each side answers with the p-value of a paired permutation
test, so that a metric is not punished for a coin toss where human scores show no difference either.

Sources
-------
Thompson, Mathur, Deutsch and Khayrallah (2024): Improving statistical significance in human evaluation of automatic
metrics via soft pairwise accuracy.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from metaeval.contracts import Coefficient
from metaeval.correlation.signs import signed_sums
from metaeval.correlation.vectors import check_finite
from metaeval.parameters import parameter
from metaeval.randomness import generator, random_bytes
from metaeval.records import FloatArray, IntArray
from metaeval.replicates import Swaps

# Differences that are closer, as a share of the scores they are summed from, are equal.
_EQUAL = 1e-12


@dataclass(frozen=True)
class SoftAccuracy:
    """Soft pairwise accuracies and the p-values that they compare.

    Attributes
    ----------
    value : (...) float array
        One for each metric, from 0 to 1.
    metric_p : (..., systems, systems) float array
        At [i, j] the one-sided p-value that system i is better than system j, for each metric; ``nan`` for i = j.
    human_p : (systems, systems) float array
        The same, of human scores.
    n_resamples : int
        Replicates.
    exact : bool
        Whether these are all possible ones.
    """

    value: FloatArray
    metric_p: FloatArray
    human_p: FloatArray
    n_resamples: int
    exact: bool


def soft_pairwise_accuracy(metric: npt.ArrayLike, human: npt.ArrayLike, swaps: Swaps) -> SoftAccuracy:
    """Return one minus the mean difference between the p-values of metric and human scores, over the pairs of systems.

    In each replicate two systems exchange their scores on some segments. The p-value that i is better than j is the
    share of replicates whose difference is at least the observed one: (b + 1) / (m + 1), or b / m if the m replicates
    are all there are. As published, a pair counts in the order of the systems, first against later: where replicates
    equal the observed difference, the p-values of i over j and of j over i add up to more than 1, and the other order
    could give another value. Without such ties the order does not matter.

    The same replicates serve human scores and any number of metrics, which may be given at once.

    Parameters
    ----------
    metric : (..., documents, systems) array_like
        Finite scores, high for good, of one metric or of many. A document is usually a segment.
    human : (documents, systems) array_like
        Finite scores, high for good.
    swaps : Swaps
        Of the shape (documents, 1).

    Raises
    ------
    ValueError
        If shapes do not fit, a number is not finite, or there are fewer than two systems.
    """
    people, scores = np.asarray(human, dtype=np.float64), np.asarray(metric, dtype=np.float64)
    if people.ndim != 2 or people.shape[1] < 2:
        raise ValueError(f"`human` must be (documents, systems) with at least two systems; got {people.shape}.")
    if scores.shape[-2:] != people.shape:
        raise ValueError(f"`metric` must end in the shape of `human`, {people.shape}; got {scores.shape}.")
    if swaps.shape != (len(people), 1):
        raise ValueError(f"`swaps` must exchange whole documents, {(len(people), 1)}; got {swaps.shape}.")
    check_finite("metric", scores)
    check_finite("human", people)
    n_systems = people.shape[1]
    counts = _counts(np.concatenate([people[None], scores.reshape(-1, *people.shape)]), swaps)
    m = len(swaps)
    p = counts / m if swaps.exact else (counts + 1) / (m + 1)
    p[:, np.arange(n_systems), np.arange(n_systems)] = np.nan
    human_p, metric_p = p[0], p[1:].reshape(*scores.shape[:-2], n_systems, n_systems)
    first, later = np.triu_indices(n_systems, 1)
    value = 1.0 - np.abs(metric_p - human_p)[..., first, later].mean(axis=-1)
    return SoftAccuracy(np.asarray(value), metric_p, human_p, m, swaps.exact)


@dataclass(frozen=True)
class SoftPairwiseAccuracy(Coefficient):
    """Soft pairwise accuracy over all documents and systems, which it takes as a grid (averaged by ``none``)."""

    name: ClassVar[str] = "soft-pairwise-accuracy"
    sources: ClassVar[tuple[str, ...]] = ("thompson2024",)
    takes_grid: ClassVar[bool] = True
    needs_all_cells: ClassVar[bool] = True
    lowest: ClassVar[float] = 0.0
    # With the sign flipped, p becomes about 1 - p, but the accuracy is not about minus itself.
    is_odd: ClassVar[bool] = False

    n_resamples: int = parameter(1000, doc="replicates of each permutation test", minimum=1, maximum=1_000_000)
    seed: int = parameter(1, doc="random seed of the replicates", minimum=0)

    @property
    def signature_items(self) -> tuple[tuple[str, str], ...]:
        """The replicates and the seed."""
        return (("permutations", str(self.n_resamples)), ("permutation-seed", str(self.seed)))

    def __call__(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """Correlate metric scores with human scores (documents, systems): ()."""
        if x.shape[1] < 2 or not len(x):
            return np.asarray(np.nan)
        return soft_pairwise_accuracy(x, y, _drawn(len(x), self.n_resamples, self.seed)).value


@lru_cache(maxsize=4)
def _drawn(n_documents: int, n_resamples: int, seed: int) -> Swaps:
    """Return exchanges of whole documents, the same for all metrics."""
    n_bytes = -(-n_documents // 8)
    rng = generator(seed, "soft pairwise accuracy", n_documents)
    packed = random_bytes(rng, n_resamples * n_bytes)
    return Swaps(packed.reshape(n_resamples, n_bytes), (n_documents, 1), exact=False)


def _counts(scores: FloatArray, swaps: Swaps) -> IntArray:
    """Count the replicates in which the difference of two systems is at least the observed one.

    For scores (sides, documents, systems): (sides, systems, systems).
    """
    n_sides, n_documents, n_systems = scores.shape
    # What all systems have in common drops out of their differences, and would only cost digits.
    scores = scores - scores.mean(axis=2, keepdims=True)
    size = np.abs(scores).sum(axis=1)
    totals = scores.sum(axis=1)
    least = totals[:, :, None] - totals[:, None, :] - _EQUAL * (size[:, :, None] + size[:, None, :])
    sums = signed_sums(swaps, np.ascontiguousarray(scores.transpose(1, 0, 2)).reshape(n_documents, -1))
    sums = np.ascontiguousarray(sums.T).reshape(n_sides, n_systems, -1)
    counts = np.zeros((n_sides, n_systems, n_systems), dtype=np.int64)
    for first, later in itertools.combinations(range(n_systems), 2):
        differences = sums[:, first] - sums[:, later]
        counts[:, first, later] = (differences >= least[:, first, later, None]).sum(axis=1)
        counts[:, later, first] = (differences <= -least[:, later, first, None]).sum(axis=1)
    return counts
