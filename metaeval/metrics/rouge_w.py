r"""ROUGE-W: the longest common subsequence, weighted so that long runs count more.

.. math:: R = f^{-1}\big(\mathrm{WLCS}(c, r) / f(|r|)\big), \quad P = f^{-1}\big(\mathrm{WLCS}(c, r) / f(|c|)\big),
          \qquad f(k) = k^{\mathrm{weight}}

WLCS adds the weights f(k) of the runs of k matched tokens, consecutive in both texts. `metaeval.metrics.rouge` has F,
several references and documents; the counts that it adds are WLCS and f of the lengths.

Linear weighting. The paper's other family is f(k) = alpha k - beta, a penalty of beta for each run, with f(0) = 0. It
gives no numbers for it, and its formulas above would give a text that has nothing in common with the reference a recall
above 0. What f^-1 does for powers is to turn a weight back into a length, that of the one run which weighs as much as
all the runs together; this length over that of the text is R and P. For powers that is the paper's formula. For the
linear family it is the number of matches, less beta / alpha for each run after the first, over the length of the text.
Only beta / alpha matters: it is the parameter `gap`. The counts that are added are these two lengths.

ROUGE-1.5.5 computes another ROUGE-W (``program="1.5.5"``): a run need not be consecutive in the candidate, and the
weight is applied twice to the length of a reference, so that recall is f^-1(hits / f(f(\|r\|))) and a text of several
tokens against itself does not get 1. Formula B chooses the reference before the second weighting.

Sources
-------
In `bibliography.toml`: linoch2004; lin2004 (the package, with the script ROUGE-1.5.5.pl).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metaeval.datamodel.corpus import FloatArray, Segments
from metaeval.datamodel.pooling import ordered_sum
from metaeval.errors import UsageError
from metaeval.kernels import common_subsequences as kernels
from metaeval.metrics.reference_metric import PreparedReference
from metaeval.metrics.rouge import Overlap, Rouge, overlaps
from metaeval.metrics.segments import texts_of
from metaeval.metrics.subsequences import runs_in_reference, weighted_lcs
from metaeval.parameters.fields import parameter

_DEFAULT_WEIGHT, _DEFAULT_GAP = 1.2, 0.5


@dataclass(frozen=True)
class RougeW(Rouge[Sequence[int]], name="rouge-w", title="ROUGE-W"):
    """F-measure of a common subsequence that rewards consecutive matches."""

    weighting: str = parameter(
        "power",
        doc="the weight of a run of k tokens: k ** weight (power), or k less a penalty (linear)",
        choices=("power", "linear"),
    )
    weight: float | None = parameter(
        None, doc="the exponent of the power (1.2 where none is given)", minimum=1.0, maximum=5.0
    )
    gap: float | None = parameter(
        None,
        doc="the penalty for each run in tokens, below 1, of the linear weighting (0.5 where none is given)",
        minimum=0.0,
        maximum=1.0,
    )
    program: str = parameter(
        "paper", doc="the paper's ROUGE-W, or that of the script ROUGE-1.5.5", choices=("paper", "1.5.5")
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        is_linear = self.weighting == "linear"
        if is_linear and self.weight is not None:
            raise UsageError("metric 'rouge-w': `weight` belongs to the power weighting, not to the linear one.")
        if not is_linear and self.gap is not None:
            raise UsageError("metric 'rouge-w': `gap` belongs to the linear weighting, not to the power.")
        if self.gap is not None and self.gap >= 1:
            raise UsageError(
                f"metric 'rouge-w': `gap` must be below 1, or a run of one token weighs nothing; got {self.gap!r}."
            )
        if is_linear and self.program == "1.5.5":
            raise UsageError("metric 'rouge-w': the program 1.5.5 has the power weighting only.")

    @property
    def _exponent(self) -> float:
        return _DEFAULT_WEIGHT if self.weight is None else self.weight

    @property
    def _penalty(self) -> float:
        return _DEFAULT_GAP if self.gap is None else self.gap

    def _own_items(self) -> dict[str, object]:
        number = self._exponent if self.weighting == "power" else self._penalty
        return {"weighting": f"{self.weighting}[{number:g}]", "program": self.program}

    def compare(self, candidate: Sequence[int], reference: Sequence[int]) -> Overlap:
        """Return hits and totals against one reference."""
        if self.weighting == "linear":
            weight = weighted_lcs(candidate, reference, self._less_penalty)
            return Overlap(weight + self._penalty if weight else 0.0, len(reference), len(candidate))
        if self.program == "1.5.5":
            hits = ordered_sum(map(self._power, runs_in_reference(reference, candidate, self._power)))
        else:
            hits = weighted_lcs(candidate, reference, self._power)
        return Overlap(hits, self._power(len(reference)), self._power(len(candidate)))

    def compare_compiled(self, candidates: Segments, reference: PreparedReference[Sequence[int]]) -> FloatArray | None:
        """Return :meth:`compare` of all segments by a compiled kernel: (segments, 3)."""
        lengths, candidate_lengths = reference.token_counts, candidates.lengths
        # Computed here, since a power can differ in the last bit from one library to another.
        weight = self._less_penalty if self.weighting == "linear" else self._power
        longest = max(lengths.max(initial=0), candidate_lengths.max(initial=0))
        weights = np.array([weight(length) for length in range(longest + 1)])
        kernel = kernels.weighted_runs if self.program == "1.5.5" else kernels.weighted_lcs
        hits = kernel(texts_of(candidates, reference.segments), weights)
        if hits is None:
            return None
        if self.weighting == "linear":
            return overlaps(np.where(hits > 0, hits + self._penalty, 0.0), lengths, candidate_lengths)
        return overlaps(hits, weights[lengths], weights[candidate_lengths])

    def _less_penalty(self, length: int) -> float:
        return length - self._penalty

    def _power(self, length: int) -> float:
        return float(length**self._exponent)

    def _reported_totals(self, totals: FloatArray) -> FloatArray:
        return np.asarray(totals**self._exponent) if self.program == "1.5.5" else totals

    def _rate(self, hits: FloatArray, totals: FloatArray) -> FloatArray:
        rate = super()._rate(hits, totals)
        return rate if self.weighting == "linear" else np.asarray(rate ** (1.0 / self._exponent))
