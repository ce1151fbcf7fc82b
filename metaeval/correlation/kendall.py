"""Kendall's coefficients: agreement counted in pairs.

Of all pairs, C are concordant, D discordant, M tied in the metric's scores only, H tied in the human scores only, and B
tied in both.

=======  ==============================================================  ============================
variant  value                                                           source
=======  ==============================================================  ============================
b        (C - D) / sqrt((C + D + M) (C + D + H))                         Kendall 1945
c        2 (C - D) / (n^2 (k - 1) / k), k distinct values on the side    Stuart 1953
         that has fewer
23       (C + B - D - M - H) / (C + D + M + H + B)                       Deutsch et al. 2023
wmt10    (C - D - M) / (C + D + M)                                       WMT 2010; pooled, darr
wmt13    (C - D) / (C + D)                                               WMT 2013
wmt14    (C - D) / (C + D + M)                                           WMT 2014 and 2015
=======  ==============================================================  ============================

Sources
-------
Kendall (1945): The treatment of ties in ranking problems. Biometrika 33.
Stuart (1953): The estimation and comparison of strengths of association in contingency tables. Biometrika 40.
Callison-Burch et al. (2010): Findings of the 2010 Joint Workshop on Statistical Machine Translation and Metrics for
Machine Translation.
Macháček and Bojar (2013, 2014): Results of the WMT13 (WMT14) metrics shared task.
Mathur et al. (2020): Results of the WMT20 metrics shared task, where human scores must differ by 25 points; the pairs
of all segments were taken together, as ``darr`` does.
Deutsch, Foster and Freitag (2023): Ties matter: Meta-evaluating modern metrics with pairwise accuracy and tie
calibration.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metaeval.components.coefficient import Coefficient
from metaeval.correlation.pair_counts import PairCounts, count_pairs
from metaeval.datamodel.corpus import FloatArray, IntArray
from metaeval.errors import UsageError
from metaeval.parameters.fields import parameter

VARIANTS = ("b", "c", "23", "wmt10", "wmt13", "wmt14")


@dataclass(frozen=True)
class Kendall(Coefficient, name="kendall"):
    """Kendall's rank correlation, or one of its variants.

    Where there is nothing to divide by it is ``nan``. With wmt10, wmt14 and 23 a constant metric has a value: each pair
    that it fails to order counts against it. Without thresholds, time grows as n log(n) squared; with one, as n
    squared. Memory does not grow with n squared.
    """

    variant: str = parameter("b", doc="how ties count", choices=VARIANTS)
    epsilon: float = parameter(0.0, doc="metric scores that differ by no more are tied; not for c", minimum=0)
    gap: float = parameter(
        0.0, doc="for wmt10, wmt13 and wmt14: the least difference of human scores that counts", minimum=0
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.variant == "c" and self.epsilon:
            raise UsageError(
                "coefficient 'kendall': `epsilon` must be 0 for variant 'c', which counts distinct values; got "
                f"{self.epsilon!r}."
            )
        if self.gap and not self.variant.startswith("wmt"):
            raise UsageError(
                f"coefficient 'kendall': `gap` must be 0 for variant {self.variant!r}; got {self.gap!r}. It is for "
                "wmt10, wmt13 and wmt14, which leave out human ties."
            )

    @property
    def is_odd(self) -> bool:
        """True if flipping the sign of one side flips that of the value: false if ties count as disagreement."""
        return self.variant not in ("23", "wmt10")

    @property
    def sources(self) -> tuple[str, ...]:
        """Kendall, or who proposed the variant that counts ties as an agreement."""
        return ("deutsch2023",) if self.variant == "23" else ("kendall1945",)

    @property
    def described(self) -> str:
        """Kendall's tau with its variant, and which scores are tied."""
        names = {"b": "Kendall's tau-b", "c": "Stuart's tau-c", "23": "Kendall's tau with a reward for tied pairs"}
        years = {"wmt10": "2010", "wmt13": "2013", "wmt14": "2014"}
        name = names.get(self.variant) or f"the variant of Kendall's tau of WMT {years[self.variant]}"
        tied = f" where metric scores within {self.epsilon:g} are ties" if self.epsilon else ""
        left_out = f" without pairs whose human scores are less than {self.gap:g} apart" if self.gap else ""
        return f"{name}{left_out}{tied}"

    def step(self, n: int) -> float:
        """Return 2 of n (n - 1) / 2 pairs."""
        return 4.0 / (n * (n - 1)) if n > 1 else 0.0

    @property
    def per_right_pair(self) -> float | None:
        """2 where ties are pairs too: tau 23 is twice the share of the right ones, minus 1."""
        return 2.0 if self.variant == "23" and self.epsilon == 0 else None

    @property
    def counts_ties(self) -> bool:
        """The variant 23 does."""
        return self.variant == "23"

    @property
    def signature_items(self) -> tuple[tuple[str, str], ...]:
        """The variant and the differences that are ties."""
        epsilon = () if self.variant == "c" else (("epsilon", f"{self.epsilon:.15g}"),)
        gap = (("gap", f"{self.gap:.15g}"),) if self.variant.startswith("wmt") else ()
        return (("variant", self.variant), *epsilon, *gap)

    def correlate(self, metric: FloatArray, human: FloatArray) -> FloatArray:
        """Correlate metric scores with human scores (..., n) along their last axis: (...)."""
        counts = count_pairs(metric, human, epsilon=self.epsilon, gap=self.gap)
        c = counts.concordant
        d = counts.discordant
        m = counts.metric_ties
        h = counts.human_ties
        if self.variant == "b":
            return _quotient(c - d, np.sqrt((c + d + m).astype(np.float64) * (c + d + h)))
        if self.variant == "c":
            return _stuart(counts, metric, human)
        if self.variant == "23":
            return _quotient(c + counts.both_ties - d - m - h, counts.total)
        if self.variant == "wmt13":
            return _quotient(c - d, c + d)
        return _quotient(c - d - m if self.variant == "wmt10" else c - d, c + d + m)


def _stuart(counts: PairCounts, x: FloatArray, y: FloatArray) -> FloatArray:
    n = x.shape[-1]
    if n < 2:
        return np.full(x.shape[:-1], np.nan)
    classes = np.minimum(_distinct(x), _distinct(y))
    return _quotient(2 * (counts.concordant - counts.discordant) * classes, n**2 * (classes - 1))


def _distinct(values: FloatArray) -> IntArray:
    """Return the number of distinct values along the last axis."""
    ordered = np.sort(values, axis=-1)
    return np.asarray(1 + (ordered[..., 1:] != ordered[..., :-1]).sum(axis=-1))


def _quotient(numerator: IntArray, denominator: IntArray | FloatArray) -> FloatArray:
    """Divide; ``nan`` where the denominator is 0."""
    quotient = np.full(np.shape(numerator), np.nan)
    np.divide(numerator, denominator, out=quotient, where=denominator > 0)
    return np.asarray(np.clip(quotient, -1.0, 1.0))
