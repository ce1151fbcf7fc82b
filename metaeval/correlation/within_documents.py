"""Coefficients of differences within documents, pooled over all documents: daRR and pairwise difference Pearson.

Each document (a segment, in shared tasks) compares its systems; the comparisons of all documents are then taken
together, so that a document with more pairs weighs more. Scores need not be comparable from document to document, and a
metric that only knows which documents are hard gains nothing. Systems that a document lacks are left out there.

======  ================================================  ==========================================================
name    pairs                                             value
======  ================================================  ==========================================================
darr    human scores differ by ``gap`` or more            (C - D) / (C + D); ties of the metric count in D
pdp     all, in both orders                               Pearson's of the differences
======  ================================================  ==========================================================

Sources
-------
Bojar, Graham and Kamran (2017): Results of the WMT17 metrics shared task. Direct assessments as relative rankings.
Ma, Wei, Bojar and Graham (2019): Results of the WMT19 metrics shared task.
Mathur, Wei, Freitag, Ma and Bojar (2020): Results of the WMT20 metrics shared task.
DiIanni and Deutsch (2025): Don't sweat the small stuff: Segment-level meta-evaluation based on pairwise difference
correlation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from metaeval.components.coefficient import Coefficient
from metaeval.correlation.pair_counts import count_pairs
from metaeval.correlation.pairwise_accuracy import rows_of_one_length
from metaeval.datamodel.array_checks import checked
from metaeval.datamodel.corpus import BoolArray, FloatArray
from metaeval.parameters.fields import parameter


@dataclass(frozen=True)
class RelativeRanking(Coefficient, name="darr", sources=("bojar2017", "ma2019", "mathur2020-wmt")):
    """daRR of WMT 2017 to 2020: on how many pairs of systems that people tell apart the metric decides as they do.

    The pairs are of systems on one document whose human scores differ by ``gap`` or more, those of all documents
    together: (C - D) / (C + D), where a pair that the metric ties counts as discordant.
    """

    takes_grid: ClassVar[bool] = True
    # A tie of the metric is discordant either way round.
    is_odd: ClassVar[bool] = False

    gap: float = parameter(25.0, doc="the least difference of human scores that counts", minimum=0)

    @property
    def title(self) -> str:
        """As the shared tasks write it."""
        return "daRR"

    @property
    def described(self) -> str:
        """DaRR, with the difference that counts."""
        return f"daRR, the Kendall-like agreement on pairs of systems whose human scores differ by {self.gap:g} or more"

    @property
    def signature_items(self) -> tuple[tuple[str, str], ...]:
        """The difference that counts."""
        return (("gap", f"{self.gap:.15g}"),)

    def correlate(self, metric: FloatArray, human: FloatArray) -> FloatArray:
        """Correlate metric scores with human scores (documents, systems), ``nan`` where missing: ()."""
        x, y, present = _present(metric, human)
        right, wrong = 0, 0
        for _, scores, people in rows_of_one_length(x, y, present):
            counts = count_pairs(scores, people, gap=self.gap)
            right += int(counts.concordant.sum())
            wrong += int((counts.discordant + counts.metric_ties).sum())
        return np.asarray((right - wrong) / (right + wrong) if right + wrong else np.nan)


@dataclass(frozen=True)
class DifferencePearson(Coefficient, name="pairwise-difference-pearson", sources=("diianni2025",)):
    """Pairwise difference Pearson: that of all differences of two systems on one document, in both orders.

    The differences of all documents together. Those of n scores have n times the sums of squares and products of the
    centred scores, so that no pair is formed.
    """

    takes_grid: ClassVar[bool] = True
    is_odd: ClassVar[bool] = True

    @property
    def title(self) -> str:
        """As the field shortens it."""
        return "PDP"

    @property
    def described(self) -> str:
        """Pairwise difference Pearson, in full."""
        return "PDP, the Pearson correlation of pairwise differences"

    def correlate(self, metric: FloatArray, human: FloatArray) -> FloatArray:
        """Correlate metric scores with human scores (documents, systems), ``nan`` where missing: ()."""
        x, y, present = _present(metric, human)
        parts = [
            (_centred(scores, np.sqrt(scores.shape[1])), _centred(people, np.sqrt(people.shape[1])))
            for _, scores, people in rows_of_one_length(x, y, present)
        ]
        if not parts:
            return np.asarray(np.nan)
        # Scaled so that squares of huge and tiny numbers stay in range.
        first, second = (_scaled(np.concatenate([part[side].ravel() for part in parts])) for side in (0, 1))
        squares = np.dot(first, first) * np.dot(second, second)
        return np.asarray(np.clip(np.dot(first, second) / np.sqrt(squares), -1.0, 1.0) if squares > 0 else np.nan)


def _present(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Return two grids and where both have scores; raise ValueError if they do not fit, or a score is infinite."""
    missing = np.isnan(x) | np.isnan(y) if np.shape(x) == np.shape(y) else None
    x, y = checked(x, y, where=None if missing is None else ~missing)
    if x.ndim != 2:
        raise ValueError(f"`x` and `y` must be (documents, systems); got {x.shape}.")
    assert missing is not None  # the shapes are equal
    return x, y, ~missing


def _centred(rows: FloatArray, weight: float) -> FloatArray:
    """Return rows (documents, values) without their means, weighted; exactly 0 where a row is constant."""
    rows = rows - rows[:, :1]
    return np.asarray(weight * (rows - rows.mean(axis=1, keepdims=True)))


def _scaled(values: FloatArray) -> FloatArray:
    largest = np.abs(values).max()
    return values / largest if largest > 0 else values
