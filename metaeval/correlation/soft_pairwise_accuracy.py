"""Soft pairwise accuracy: whether a metric is as certain as human scores that one system is better than another.

Pairwise accuracy asks which of two systems is better. Here each side answers with the p-value of a paired permutation
test, so that a metric is not punished for a coin toss where human scores show no difference either.

A null difference may equal the observed one. ``mid`` counts half of those that do: the p-values of i over j and of j
over i add up to 1, a difference of 0 has 1/2, and the order of the systems does not matter. ``wmt`` counts all of them,
as published and as mt-metrics-eval does (``pce``); there a pair counts in the order of the systems, first against
later, and where scores are coarse or few another order gives another value.

Sources
-------
Thompson, Mathur, Deutsch and Khayrallah (2024): Improving statistical significance in human evaluation of automatic
metrics via soft pairwise accuracy.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from metaeval.components.coefficient import Coefficient
from metaeval.correlation.sign_sums import signed_sums
from metaeval.correlation.tolerances import EQUAL
from metaeval.datamodel.array_checks import check_finite
from metaeval.datamodel.corpus import FloatArray, IntArray
from metaeval.datamodel.resampling import Swaps
from metaeval.errors import UsageError
from metaeval.kernels.count_exceedances import count_exceedances
from metaeval.kernels.p_value_agreement import p_value_agreement
from metaeval.parameters.fields import parameter
from metaeval.runtime.randomness import generator, random_bytes
from metaeval.scipy_parts import special

TAILS = ("mid", "wmt")


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


def soft_pairwise_accuracy(
    metric: npt.ArrayLike, human: npt.ArrayLike, swaps: Swaps, *, tails: str = "mid"
) -> SoftAccuracy:
    """Return one minus the mean difference between the p-values of metric and human scores, over the pairs of systems.

    In each replicate two systems exchange their scores on some segments. Of m replicates, b have a larger difference
    than the observed one, and e one that equals it. The p-value that i is better than j is

    =====  ==========================================================================
    tails  p
    =====  ==========================================================================
    mid    (b + e/2 + 1/2) / (m + 1), or (b + e/2) / m if the m replicates are all there are
    wmt    (b + e) / m
    =====  ==========================================================================

    The same replicates serve human scores and any number of metrics, which may be given at once.

    Parameters
    ----------
    metric : (..., documents, systems) array_like
        Finite scores, high for good, of one metric or of many. A document is usually a segment.
    human : (documents, systems) array_like
        Finite scores, high for good.
    swaps : Swaps
        Of the shape (documents, 1).
    tails : "mid" or "wmt"
        How replicates count that equal the observed difference. With ``wmt`` a value depends on the order of systems.

    Raises
    ------
    ValueError
        If shapes do not fit, a number is not finite, or there are fewer than two systems.
    UsageError
        If `tails` is unknown.
    """
    people = np.asarray(human, dtype=np.float64)
    scores = np.asarray(metric, dtype=np.float64)
    if people.ndim != 2 or people.shape[1] < 2:
        raise ValueError(f"`human` must be (documents, systems) with at least two systems; got {people.shape}.")
    if scores.shape[-2:] != people.shape:
        raise ValueError(f"`metric` must end in the shape of `human`, {people.shape}; got {scores.shape}.")
    if swaps.shape != (len(people), 1):
        raise ValueError(f"`swaps` must exchange whole documents, {(len(people), 1)}; got {swaps.shape}.")
    check_finite("metric", scores)
    check_finite("human", people)
    if tails not in TAILS:
        raise UsageError(f"`tails` must be one of {TAILS}; got {tails!r}.")
    n_systems = people.shape[1]
    plus = 1 if tails == "mid" and not swaps.exact else 0
    twice = twice_counted(*null_sums(np.concatenate([people[None], scores.reshape(-1, *people.shape)]), swaps), tails)
    p = (twice + plus) / (2 * (len(swaps) + plus))
    p[:, np.arange(n_systems), np.arange(n_systems)] = np.nan
    human_p = p[0]
    metric_p = p[1:].reshape(*scores.shape[:-2], n_systems, n_systems)
    value = accuracies(twice[1:], twice[0], len(swaps) + plus).reshape(scores.shape[:-2])
    return SoftAccuracy(value, metric_p, human_p, len(swaps), swaps.exact)


@dataclass(frozen=True)
class SoftPairwiseAccuracy(Coefficient, name="soft-pairwise-accuracy", sources=("thompson2024",)):
    """Soft pairwise accuracy over all documents and systems, which it takes as a grid (averaged by ``none``)."""

    takes_grid: ClassVar[bool] = True
    # Two systems exchange all that they have on a document.
    needs_all_cells: ClassVar[bool] = True
    lowest: ClassVar[float] = 0.0
    # With the sign flipped, p becomes about 1 - p, but the accuracy is not about minus itself.
    is_odd: ClassVar[bool] = False

    n_resamples: int = parameter(1000, doc="replicates of each permutation test", minimum=1, maximum=1_000_000)
    seed: int = parameter(1, doc="random seed of the replicates", minimum=0)
    tails: str = parameter(
        "mid",
        doc="how replicates count that equal the observed difference: half (mid), or all, in the order of the systems, "
        "as in shared tasks (wmt)",
        choices=TAILS,
    )

    @property
    def described(self) -> str:
        """Soft pairwise accuracy, with the number of its permutations."""
        return f"soft pairwise accuracy with {self.n_resamples:,} permutations"

    @property
    def counts_ties(self) -> bool:
        """Yes: of equal scores, both p-values are the same."""
        return True

    @property
    def signature_items(self) -> tuple[tuple[str, str], ...]:
        """The replicates, the seed and the tails."""
        return (("permutations", str(self.n_resamples)), ("permutation-seed", str(self.seed)), ("tails", self.tails))

    def correlate(self, metric: FloatArray, human: FloatArray) -> FloatArray:
        """Correlate metric scores with human scores (documents, systems): ()."""
        if metric.shape[1] < 2 or not len(metric):
            return np.asarray(np.nan)
        return soft_pairwise_accuracy(metric, human, self.swaps(len(metric)), tails=self.tails).value

    def swaps(self, n_documents: int) -> Swaps:
        """Return exchanges of whole documents, the same for all metrics."""
        return _drawn(n_documents, self.n_resamples, self.seed)

    def among_systems(self, metric: FloatArray, human: FloatArray) -> SoftOfSystems:
        """Return the accuracy from scores of whole systems, with the null distributions of this grid."""
        return SoftOfSystems(_null_errors(metric), _null_errors(human))


@dataclass(frozen=True, eq=False)
class SoftOfSystems(Coefficient, name="soft-pairwise-accuracy"):
    """Soft pairwise accuracy of replicates: p-values from the normal distribution, whose null errors stay the same.

    A permutation test for each pair of systems in each replicate would take a thousand times as long, and the spread
    of the replicates is all that is asked of them.

    Attributes
    ----------
    metric_errors, human_errors : (pairs,) float arrays
        The standard deviations of the difference of two systems when they exchange their scores at random.
    """

    lowest: ClassVar[float] = 0.0
    is_odd: ClassVar[bool] = False

    metric_errors: FloatArray
    human_errors: FloatArray

    def correlate(self, metric: FloatArray, human: FloatArray) -> FloatArray:
        """Correlate scores of systems (..., systems): (...)."""
        p = [_p(scores, errors) for scores, errors in ((metric, self.metric_errors), (human, self.human_errors))]
        return np.asarray(1.0 - np.abs(p[0] - p[1]).mean(axis=-1))

    def correlate_metrics(
        self, kinds: Sequence[Coefficient], metrics: Sequence[FloatArray], human: FloatArray
    ) -> FloatArray:
        """Correlate metrics (rows, systems) with the same human scores, whose p-values serve all of them."""
        of_systems = [kind for kind in kinds if isinstance(kind, SoftOfSystems)]
        if len(of_systems) == len(kinds) and human.ndim == 2:
            scales = [_inverse(kind.metric_errors) for kind in of_systems]
            values = p_value_agreement(np.asarray(metrics), human, np.stack(scales), _inverse(self.human_errors))
            if values is not None:
                return values
        return super().correlate_metrics(kinds, metrics, human)


def _inverse(errors: FloatArray) -> FloatArray:
    return np.divide(1.0, errors, out=np.zeros(errors.shape), where=errors > 0)


def _p(scores: FloatArray, errors: FloatArray) -> FloatArray:
    first, later = np.triu_indices(scores.shape[-1], 1)
    differences = scores[..., first] - scores[..., later]
    return np.asarray(special.ndtr(np.divide(differences, errors, out=np.zeros(differences.shape), where=errors > 0)))


def _null_errors(scores: FloatArray) -> FloatArray:
    first, later = np.triu_indices(scores.shape[1], 1)
    return np.asarray(np.sqrt(np.square(scores[:, first] - scores[:, later]).sum(axis=0)) / len(scores))


@lru_cache(maxsize=4)
def _drawn(n_documents: int, n_resamples: int, seed: int) -> Swaps:
    n_bytes = -(-n_documents // 8)
    rng = generator(seed, "soft pairwise accuracy", n_documents)
    packed = random_bytes(rng, n_resamples * n_bytes)
    return Swaps(packed.reshape(n_resamples, n_bytes), (n_documents, 1), exact=False)


def null_sums(scores: FloatArray, swaps: Swaps) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the sums from which the p-values of scores (sides, documents, systems) are counted.

    The sums of each system in replicates (sides, systems, replicates), as they are (sides, systems), and what rounding
    is a share of (sides, systems).
    """
    n_sides, n_documents, n_systems = scores.shape
    # What all systems have in common drops out of their differences, and would only cost digits.
    scores = scores - scores.mean(axis=2, keepdims=True)
    sums = signed_sums(swaps, np.ascontiguousarray(scores.transpose(1, 0, 2)).reshape(n_documents, -1))
    sums = np.ascontiguousarray(sums.T).reshape(n_sides, n_systems, -1)
    return sums, scores.sum(axis=1), np.abs(scores).sum(axis=1)


def twice_counted(
    sums: FloatArray,
    totals: FloatArray,
    size: FloatArray,
    tails: str,
    exchanged: tuple[FloatArray, IntArray, IntArray] | None = None,
) -> IntArray:
    """Count twice the replicates in which the difference of two systems is at least the observed one.

    What :func:`null_sums` gives, to (sides, systems, systems). With mid tails, those that equal it count half. Where
    metrics exchange scores, the sums of a side are ``sums[first] + added[second]``, by ``added, first, second``.
    """
    least = totals[:, :, None] - totals[:, None, :] - EQUAL * (size[:, :, None] + size[:, None, :])
    if (counts := count_exceedances(sums, least, *exchanged or ())) is None:
        if exchanged is not None:
            added, first, second = exchanged
            sums = sums[first] + added[second]
        counts = np.zeros(least.shape, dtype=np.int64)
        for first_system, second_system in itertools.combinations(range(totals.shape[1]), 2):
            differences = sums[:, first_system] - sums[:, second_system]
            counts[:, first_system, second_system] = (differences >= least[:, first_system, second_system, None]).sum(
                axis=1
            )
            counts[:, second_system, first_system] = (differences <= -least[:, second_system, first_system, None]).sum(
                axis=1
            )
    # The replicates that are not larger are those that are at least as large the other way round.
    return counts + (sums.shape[2] - counts.swapaxes(1, 2) if tails == "mid" else counts)


def accuracies(metrics: IntArray, human: IntArray, m: int) -> FloatArray:
    """Return soft pairwise accuracies (metrics,) from what :func:`twice_counted` counts in m replicates."""
    first, later = np.triu_indices(len(human), 1)
    # Whole numbers until the end, so that no order of the pairs changes a digit.
    distances = np.abs(metrics - human)[:, first, later].sum(axis=-1)
    return np.asarray(1.0 - distances / (2 * m * len(first)))
