"""Pairwise accuracy on the pairs of systems that people tell apart.

Where people see no difference, it is no mistake of a metric to see one. Which pairs people tell apart is tested on the
human scores of the items: by the rank-sum test where systems were judged by different people or on different items, or
by the signed-rank test of what was judged for both.

Sources
-------
Kocmi, Federmann, Grundkiewicz, Junczys-Dowmunt, Matsushita and Menezes (2021): To ship or not to ship: An extensive
evaluation of automatic metrics for machine translation.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from metaeval.components.coefficient import Coefficient
from metaeval.correlation.wilcoxon import Wilcoxon, rank_sum_p
from metaeval.datamodel.corpus import BoolArray, FloatArray, IntArray

PAIRS = ("all", "human-significant")
HUMAN_TESTS: dict[str, Callable[[FloatArray, FloatArray], float]] = {
    "rank-sum": rank_sum_p,
    "signed-rank": lambda x, y: Wilcoxon(method="approx")(x, y).p,
}


@dataclass(frozen=True, eq=False)
class SignificantPairs(Coefficient, name="pairwise-accuracy", sources=("kocmi2021",)):
    """Pairwise accuracy on some pairs of systems.

    Attributes
    ----------
    told_apart : (systems, systems) bool array
        Symmetric; False for a system and itself.
    epsilon : float
        Metric scores that differ by no more are tied.
    human_test : str
    alpha : float
        What the pairs were chosen by.
    """

    is_odd: ClassVar[bool] = False
    lowest: ClassVar[float] = 0.0
    pools_pairs: ClassVar[bool] = True

    told_apart: BoolArray
    epsilon: float
    human_test: str
    alpha: float

    @classmethod
    def from_items(cls, human: FloatArray, epsilon: float, human_test: str, alpha: float) -> SignificantPairs:
        """Return the accuracy on the pairs with p < alpha, from human scores (items, systems) with ``nan``."""
        p = human_p(human, human_test)
        return cls(p < alpha, epsilon, human_test, alpha)

    @property
    def needs_items(self) -> bool:
        """It did; which systems there are matters."""
        return True

    @property
    def chosen_pairs(self) -> BoolArray:
        """The pairs that people tell apart."""
        return self.told_apart

    @property
    def n_pairs(self) -> int:
        """The number of pairs that count."""
        return int(self.told_apart.sum()) // 2

    @property
    def signature_items(self) -> tuple[tuple[str, str], ...]:
        """The choice of pairs and their number, for signatures."""
        n = len(self.told_apart)
        return (
            ("epsilon", f"{self.epsilon:.15g}"),
            ("pairs", f"human-significant({self.n_pairs}/{n * (n - 1) // 2})"),
            ("human-test", self.human_test),
            ("alpha", f"{self.alpha:g}"),
        )

    def step(self, n: int) -> float:
        """Return what one of the pairs that count changes in the accuracy: 1 / pairs, or 0 without any."""
        return 1.0 / self.n_pairs if self.n_pairs else 0.0

    def of_systems(self, systems: BoolArray | IntArray) -> SignificantPairs:
        """Return the accuracy on the pairs of some systems."""
        return SignificantPairs(self.told_apart[np.ix_(systems, systems)], self.epsilon, self.human_test, self.alpha)

    def correlate(self, metric: FloatArray, human: FloatArray) -> FloatArray:
        """Correlate scores of systems (..., systems): (...); ``nan`` if people tell none apart."""
        first, later = np.nonzero(np.triu(self.told_apart))
        if not len(first):
            return np.full(np.broadcast_shapes(metric.shape, human.shape)[:-1], np.nan)
        differences, human_differences = (scores[..., first] - scores[..., later] for scores in (metric, human))
        return np.asarray(
            (
                np.where(np.abs(differences) <= self.epsilon, 0.0, np.sign(differences)) == np.sign(human_differences)
            ).mean(-1)
        )


def human_p(human: FloatArray, human_test: str) -> FloatArray:
    """Return the two-sided p-values of whether people tell two systems apart.

    Parameters
    ----------
    human : (items, systems) float array
        ``nan`` where nobody judged.
    human_test : "rank-sum" or "signed-rank"

    Returns
    -------
    (systems, systems) float array
        Symmetric; ``nan`` for a system and itself, and where there is nothing to compare.
    """
    p = np.full((human.shape[1], human.shape[1]), np.nan)
    for first, later in itertools.combinations(range(human.shape[1]), 2):
        p[first, later] = p[later, first] = HUMAN_TESTS[human_test](human[:, first], human[:, later])
    return p
