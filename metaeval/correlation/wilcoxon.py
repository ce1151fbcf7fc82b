"""Wilcoxon's signed-rank test of the difference between two metrics on the same documents, and his rank-sum test.

Sources
-------
Wilcoxon (1945): Individual comparisons by ranking methods. Biometrics Bulletin 1.
Pratt (1959): Remarks on zeros and ties in the Wilcoxon signed rank procedures. JASA 54.
Mann and Whitney (1947): On a test of whether one of two random variables is stochastically larger than the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from metaeval.components.coefficient import Coefficient
from metaeval.components.design import Design
from metaeval.components.documents import DocumentUnits
from metaeval.components.mean_coefficient import MeanCoefficient
from metaeval.components.test import Comparison, Test
from metaeval.correlation.alternatives import ALTERNATIVES, p_by
from metaeval.correlation.coefficients import midranks
from metaeval.correlation.tolerances import EQUAL
from metaeval.datamodel.corpus import FloatArray
from metaeval.errors import UsageError
from metaeval.parameters.fields import parameter
from metaeval.scipy_parts import special

# Up to so many pairs `auto` takes the exact distribution, whose cost grows as the cube of their number.
_AUTO_EXACT_PAIRS = 50
_MAX_EXACT_PAIRS = 300

ZEROS = ("wilcox", "pratt", "zsplit")
METHODS = ("auto", "exact", "approx")


@dataclass(frozen=True)
class Wilcoxon(Test, name="wilcoxon", sources=("wilcoxon1945",)):
    """Wilcoxon's signed-rank test of whether paired values differ by 0 in the median.

    On the coefficients of pseudo-documents (Turian, Shen and Melamed 2003) the pairs are not independent, because the
    documents overlap: p is an inference to documents of this corpus, not to new text.
    """

    axes: ClassVar[tuple[str, ...]] = ("documents", "lengths", "subsets", "cells")
    cell_axes: ClassVar[tuple[str, ...]] = ("lengths", "subsets", "cells")
    words: ClassVar[str] = "Wilcoxon signed-rank test"
    tested: ClassVar[str] = "differences over these {axis} that lie around 0, as if {axis} were independent"

    zeros: str = parameter(
        "wilcox",
        doc="pairs without a difference: left out (wilcox), ranked and left out (pratt), split between signs (zsplit)",
        choices=ZEROS,
    )
    correction: bool = parameter(False, doc="continuity correction of the normal approximation")
    method: str = parameter(
        "auto",
        doc=f"exact distribution, normal approximation, or exact up to {_AUTO_EXACT_PAIRS} pairs that all differ",
        choices=METHODS,
    )
    alternative: str = parameter("two-sided", doc="which differences count against equality", choices=ALTERNATIVES)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.method == "exact" and self.zeros == "zsplit":
            raise UsageError("test 'wilcoxon': zeros split between the signs have no exact distribution; use wilcox.")

    def described(
        self, replicates: str, resampled: str, axis: str, documents: DocumentUnits, coefficient: Coefficient
    ) -> str:
        """Return of which values it is."""
        values = {
            "documents": f"coefficients in single {documents.title.removeprefix('single ')}",
            "lengths": "mean coefficients at the lengths of documents",
            "subsets": "mean coefficients with each subset of the references",
            "cells": "mean coefficients at each length of documents with each subset of the references",
        }
        return f"Wilcoxon's signed-rank test of their {values[axis]}, which it takes as independent"

    def check(self, design: Design, axis: str) -> None:
        """Check that there is a coefficient for each document, or are several lengths."""
        if axis == "documents" and design.average_by != "item":
            raise UsageError(
                "a test over documents needs one coefficient for each document: `correlation.average_by` must be "
                f"'item'; got {design.average_by!r}."
            )
        n = len(design.lengths)
        if axis in ("lengths", "cells") and n < 2:
            raise UsageError(f"a test over {axis} needs several `documents.lengths`; got {n}.")

    def generalises_to(self, axis: str, unit: str, resampled: str) -> str:
        """Name what p is an inference to: other draws of the same documents or cells."""
        return "other draws of documents" if axis == "documents" else "other cells of this experiment"

    def warnings(self, design: Design, axis: str, others: Sequence[Test]) -> tuple[str, ...]:
        """Warn of pseudo-documents, which overlap."""
        if axis != "documents" or not design.documents.is_drawn:
            return ()
        companion = (
            "the rows of the test 'bootstrap' do"
            if any(other.needs_replicates for other in others)
            else 'add [[tests]] method = "bootstrap" for that'
        )
        message = (
            "the signed-rank test over pseudo-documents, which share segments, generalises to other draws of documents "
            "and not to new text, for which its Type I error is inflated: it rejects more often than not where two "
            f"metrics are equal; {companion} (docs/calibration.md)."
        )
        return (message,)

    def compare(self, estimate: MeanCoefficient) -> Comparison:
        """Test two metrics by their coefficients along the axis."""
        return self(*estimate.coefficients)

    def __call__(self, x: npt.ArrayLike, y: npt.ArrayLike) -> Comparison:
        """Test paired values.

        Parameters
        ----------
        x, y : (pairs,) array_like
            A pair of which one value is ``nan`` is left out. ``greater`` means that x tends to be greater than y.

        Returns
        -------
        Comparison
            The statistic is the sum of the ranks of positive differences. p is 1 if no pair differs, and ``nan`` if
            there is none.

        Raises
        ------
        ValueError
            If the shapes differ.
        """
        first = np.asarray(x, dtype=np.float64)
        second = np.asarray(y, dtype=np.float64)
        if first.shape != second.shape or first.ndim != 1:
            raise ValueError(f"`x` and `y` must be vectors of equal length; got {first.shape} and {second.shape}.")
        has_both = ~(np.isnan(first) | np.isnan(second))
        differences = first[has_both] - second[has_both]
        differences[np.abs(differences) < EQUAL] = 0.0
        n_pairs = len(differences)
        n_zero = int((differences == 0).sum())
        mean = float(differences.mean()) if n_pairs else np.nan
        counts = (n_pairs, n_zero, int((~has_both).sum()))
        if n_zero == n_pairs:
            return Comparison(mean, 1.0 if n_pairs else np.nan, *counts, "exact", 0.0)
        if self.method == "exact" and n_pairs > _MAX_EXACT_PAIRS:
            raise UsageError(
                f"test 'wilcoxon': the exact distribution of {n_pairs} pairs takes too long; it is for up to "
                f"{_MAX_EXACT_PAIRS}. Use method='approx' or 'auto'."
            )
        exact = self.method == "exact" or (self.method == "auto" and n_pairs <= _AUTO_EXACT_PAIRS and n_zero == 0)
        ranked = differences[differences != 0] if self.zeros == "wilcox" else differences
        # Equal magnitudes must share a rank although rounding may separate them.
        ranks = midranks(np.round(np.abs(ranked), 12))
        positive = float(ranks[ranked > 0].sum())
        if self.zeros == "zsplit":
            positive += float(ranks[ranked == 0].sum()) / 2.0
        if exact:
            p = self._exact(ranks[ranked != 0], float(ranks[ranked > 0].sum()))
        else:
            counted = ranks[ranked != 0] if self.zeros == "pratt" else ranks
            p = self._approximate(counted, positive)
        return Comparison(mean, p, *counts, "exact" if exact else "approx", positive)

    def _exact(self, ranks: FloatArray, positive: float) -> float:
        """Return p from the distribution of the rank sum over all signs, ties included."""
        doubled = np.round(2.0 * ranks).astype(np.int64)
        chances = np.zeros(int(doubled.sum()) + 1)
        chances[0] = 1.0
        for rank in doubled:
            shifted = np.zeros_like(chances)
            shifted[rank:] = chances[: len(chances) - rank]
            chances = 0.5 * (chances + shifted)
        observed = round(2.0 * positive)
        greater = float(chances[observed:].sum())
        less = float(chances[: observed + 1].sum())
        return float(p_by(self.alternative, less=less, greater=greater))

    def _approximate(self, ranks: FloatArray, positive: float) -> float:
        """Return p from the normal approximation; the squares of the mid-ranks correct the variance for ties."""
        mean = ranks.sum() / 2.0
        variance = np.square(ranks).sum() / 4.0
        sd = float(np.sqrt(variance))
        shift = 0.5 if self.correction else 0.0
        greater = float(special.ndtr(-(positive - mean - shift) / sd))
        less = float(special.ndtr((positive - mean + shift) / sd))
        if self.alternative == "two-sided" and self.correction:
            return min(1.0, 2.0 * float(special.ndtr(-max(0.0, abs(positive - mean) - shift) / sd)))
        return float(p_by(self.alternative, less=less, greater=greater))


def rank_sum_p(x: FloatArray, y: FloatArray) -> float:
    """Return the two-sided p-value of Wilcoxon's rank-sum test of two independent samples.

    By the normal approximation, with its corrections for ties and continuity.

    Parameters
    ----------
    x, y : (n,) and (m,) float arrays
        ``nan`` is left out.

    Returns
    -------
    float
        ``nan`` if a sample is empty; 1 if all values are equal.
    """
    first, second = (sample[~np.isnan(sample)] for sample in (x, y))
    n, m = len(first), len(second)
    if not n or not m:
        return np.nan
    ranks = midranks(np.concatenate([first, second]))
    # The variance of the rank sum: the mid-ranks' own, which is smaller with ties.
    variance = n * m * np.square(ranks - ranks.mean()).sum() / ((n + m) * (n + m - 1))
    if variance == 0:
        return 1.0
    distance = max(0.0, abs(float(ranks[:n].sum()) - n * (n + m + 1) / 2) - 0.5)
    return min(1.0, 2.0 * float(special.ndtr(-distance / np.sqrt(variance))))
