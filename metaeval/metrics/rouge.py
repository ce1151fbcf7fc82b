r"""Score what a candidate has in common with a reference, for ROUGE-L, ROUGE-W and ROUGE-S: recall, precision and F.

.. math:: R = \mathrm{hits} / \mathrm{total}(r), \quad P = \mathrm{hits} / \mathrm{total}(c),
          \quad F = \frac{(1 + \beta^2) R P}{R + \beta^2 P}

The score of a document is the mean of the scores of its segments (``pooling="scores"``), or the score of the counts
added over its segments (``pooling="counts"``): two different numbers, between which the paper does not choose. Scores
are from 0 to 1.

Several references. The paper takes the best recall and the best precision, each over the references on its own
(``formula="paper"``); the two can come from different references. ROUGE-1.5.5 adds hits and totals over the references
(``"A"``), or takes all from the reference with the best recall, the first of equals (``"B"``): only where recalls are
equal does the order of the references matter, and only to precision and F. A reference given twice weighs twice in A,
and changes nothing in the others. With one reference the three are equal. Lin and Och's jackknife is a rule of
reference subsets, no part of the metric.

Conventions. Recall is 0 where the reference has nothing to find, precision 0 where the candidate has nothing, so an
empty candidate and an empty reference score 0, and 0 together too. F is 0 where R and P are.

Sources
-------
In `bibliography.toml`: linoch2004; lin2004 (the package, whose script ROUGE-1.5.5.pl has formulas A and B).
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from metaeval.datamodel.corpus import FloatArray, IntArray
from metaeval.errors import UsageError
from metaeval.metrics.descriptions import Described
from metaeval.metrics.division import quotient
from metaeval.metrics.reference_metric import PairMetric, View
from metaeval.metrics.segments import in_columns
from metaeval.parameters.calls import Signature
from metaeval.parameters.fields import parameter
from metaeval.version import VERSION

Numbers = FloatArray | IntArray


class Overlap(NamedTuple):
    """Count what a candidate has in common with one reference.

    Attributes
    ----------
    hits : float
        What is in both; never more than either total.
    reference_total, candidate_total : float
        What there is in each.
    """

    hits: float
    reference_total: float
    candidate_total: float


def overlaps(hits: Numbers, reference_totals: Numbers, candidate_totals: Numbers) -> FloatArray:
    """Return the numbers of the overlaps of all segments, each (segments,), as one array: (segments, 3)."""
    return in_columns(hits, reference_totals, candidate_totals)


@dataclass(frozen=True)
class Rouge(Described, PairMetric[View]):
    """Score overlaps; a metric of the family says what it sees of a text, and what two texts have in common."""

    mean: str = parameter("f", doc="F, precision or recall", choices=("f", "precision", "recall"))
    beta: float | Literal["auto"] = parameter(
        1.0, doc="the weight of recall in F; 'auto' is precision / recall", minimum=0.0, maximum=1000.0
    )
    formula: str = parameter(
        "paper",
        doc="several references: the best recall and the best precision (paper), counts added over them (A), "
        "or the one with the best recall (B)",
        choices=("paper", "A", "B"),
    )
    pooling: str = parameter(
        "scores",
        doc="what a document adds up: scores of segments, to give their mean, or counts",
        choices=("scores", "counts"),
    )

    def __post_init__(self) -> None:
        if self.mean != "f" and self.beta != type(self).beta:
            raise UsageError(f"metric {self.name!r}: `beta` belongs to F, not to {self.mean}; got {self.beta!r}.")

    @abstractmethod
    def _own_items(self) -> dict[str, object]:
        """Return the part of the signature that is the metric's own parameters."""

    def _rate(self, hits: FloatArray, totals: FloatArray) -> FloatArray:
        """Return recall or precision of hits and totals: (...) and (...) to (...)."""
        return quotient(hits, totals)

    def _reported_totals(self, totals: FloatArray) -> FloatArray:
        """Return the totals (references,) by which recall is divided once the references are chosen."""
        return totals

    @property
    def statistic_names(self) -> tuple[str, ...]:
        """Name the sum of segment scores and their count; or hits and totals behind recall, then behind precision."""
        if self.pooling == "scores":
            return ("score_sum", "count")
        return ("recall_hits", "reference_total", "precision_hits", "candidate_total")

    @property
    def signature(self) -> Signature:
        """Name, parameters and version."""
        beta = {"beta": self.beta if self.beta == "auto" else f"{self.beta:g}"} if self.mean == "f" else {}
        return Signature(self.title).with_items(
            **self._own_items(), formula=self.formula, mean=self.mean, **beta, pooling=self.pooling, version=VERSION
        )

    def combine(self, pairs: FloatArray) -> FloatArray:
        """Return the score of each segment and 1, or its counts."""
        counts = self._counts(pairs)
        if self.pooling == "counts":
            return counts
        scores = self._score_of_counts(counts)
        return np.stack([scores, np.ones_like(scores)], axis=1)

    def _counts(self, pairs: FloatArray) -> FloatArray:
        """Return hits and total behind recall, then behind precision: (references, segments, 3) to (segments, 4)."""
        hits, totals, candidate_totals = (pairs[..., k] for k in range(3))
        reported = self._reported_totals(totals)
        if self.formula == "A":
            sums = [np.nansum(table, axis=0) for table in (hits, reported, hits, candidate_totals)]
            return np.stack(sums, axis=1)
        if self.formula == "B":
            # The first of equal recalls.
            best = np.nanargmax(self._rate(hits, totals), axis=0)[np.newaxis]
            taken = [np.take_along_axis(table, best, axis=0)[0] for table in (hits, reported, hits, candidate_totals)]
            return np.stack(taken, axis=1)
        # Of equal recalls the one of the longer reference, so that the order of the references never matters.
        chosen = np.ones(hits.shape, dtype=bool)
        best = []
        for table in (self._rate(hits, reported), reported, hits):
            best.append(np.nanmax(np.where(chosen, table, np.nan), axis=0))
            chosen &= table == best[-1]
        _, recall_total, recall_hits = best
        return np.stack(
            [recall_hits, recall_total, np.nanmax(hits, axis=0), np.nanmax(candidate_totals, axis=0)], axis=1
        )

    def score(self, statistics: FloatArray) -> FloatArray:
        """Return F, precision or recall, 0 to 1, of pooled statistics: (..., statistics) to (...).

        With pooled scores it is ``nan`` where there are none.
        """
        if self.pooling == "scores":
            return quotient(statistics[..., 0], statistics[..., 1], otherwise=np.nan)
        return self._score_of_counts(statistics)

    def _score_of_counts(self, counts: FloatArray) -> FloatArray:
        recall = self._rate(counts[..., 0], counts[..., 1])
        precision = self._rate(counts[..., 2], counts[..., 3])
        if self.mean == "f":
            return f_measure(recall, precision, self.beta)
        return precision if self.mean == "precision" else recall


def f_measure(recall: FloatArray, precision: FloatArray, beta: float | Literal["auto"]) -> FloatArray:
    """Return the F-measure, 0 where both are 0.

    Parameters
    ----------
    recall, precision : (...) float array
        From 0 to 1.
    beta : float or "auto"
        Recall weighs beta times as much as precision; ``"auto"`` is precision / recall, as in Lin and Och (2004).

    Returns
    -------
    (...) float array
    """
    square = (quotient(precision, recall) if beta == "auto" else np.full(np.shape(recall), float(beta))) ** 2
    return quotient((1.0 + square) * recall * precision, recall + square * precision)
