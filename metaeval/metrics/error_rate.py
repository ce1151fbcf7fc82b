r"""Divide edits by a reference length, for WER and PER, with one reference or several.

.. math:: \mathrm{rate} = \sum_s \mathrm{edits}_s \Big/ \sum_s \mathrm{length}_s

Edits and lengths are added over the segments s of a document. Low is good, and a rate can exceed 1.

Conventions. With several references a segment has the fewest edits that any of them needs (Nießen et al.). The papers
do not say which length these edits are divided by, so it is a parameter; by default it is the length of the reference
that the edits belong to. Where several references need equally few edits, the one with the lowest rate, which is the
longest, is taken; a script that keeps the first it finds depends on their order (``ties="first"``).

A reference can be really empty: its length is 0. A rate with no edits over no length is 0, since nothing is wrong; one
with edits over no length has no value and is ``nan``. Both concern whole documents: beside segments with a length, the
edits count as all others do.

Sources
-------
In `bibliography.toml`: niessen2000 (several references).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from metaeval.datamodel.corpus import FloatArray, IntArray, Segments
from metaeval.errors import UsageError
from metaeval.metrics.descriptions import Described
from metaeval.metrics.division import quotient
from metaeval.metrics.effective_length import effective_length
from metaeval.metrics.keys import StatisticKey, reference_length
from metaeval.metrics.reference_metric import PairMetric, PreparedReference
from metaeval.metrics.segments import in_columns
from metaeval.parameters.calls import Signature
from metaeval.parameters.fields import parameter
from metaeval.version import VERSION


@dataclass(frozen=True)
class ErrorRate(Described, PairMetric[Sequence[int]]):
    """Edits over a reference length; a metric says what an edit is."""

    higher_is_better: ClassVar[bool] = False
    printed_times: ClassVar[int] = 100
    statistic_names: ClassVar[tuple[str, ...]] = ("edits", "reference_length")

    normalise: str = parameter(
        "reference",
        doc="the length that edits are divided by: that of the reference which they belong to, or of all references "
        "the average, the closest to the candidate (the shorter one on ties), the shortest or the longest",
        choices=("reference", "average", "closest", "shortest", "longest"),
    )
    references: str = parameter(
        "minimum",
        doc="which of several references counts: the one with the fewest edits, or with the lowest rate",
        choices=("minimum", "lowest-rate"),
    )
    ties: str = parameter(
        "lowest",
        doc="of references with equally few edits, the one with the lowest rate, and of equally low rates, the one "
        "with the fewest edits; or always the first, so that the order of the references matters",
        choices=("lowest", "first"),
    )

    def __post_init__(self) -> None:
        check_reference_rule(self.name, self.normalise, self.references)
        if self.normalise != "reference" and self.ties != "lowest":
            raise UsageError(
                f"metric {self.name!r}: `ties` belongs to normalise='reference', where the reference taken decides on "
                f"the length; it has no meaning for normalise={self.normalise!r}."
            )

    @property
    def statistic_keys(self) -> tuple[StatisticKey, ...]:
        """List what each statistic depends on; the fewest edits are the same whatever they are divided by."""
        edits = StatisticKey("edits", self.title if self.references == "minimum" else self)
        is_own = self.normalise == "reference"
        return edits, StatisticKey("reference_length", self) if is_own else reference_length(self.normalise)

    @property
    def signature(self) -> Signature:
        """Name, parameters and version."""
        ties = {"ties": self.ties} if self.normalise == "reference" else {}
        return Signature(self.title).with_items(
            normalise=self.normalise, references=self.references, **ties, version=VERSION
        )

    def compare(self, candidate: Sequence[int], reference: Sequence[int]) -> tuple[int, int, int]:
        """Return the edits that turn the candidate into the reference, and the lengths of reference and candidate."""
        return self._edits(candidate, reference), len(reference), len(candidate)

    @staticmethod
    @abstractmethod
    def _edits(candidate: Sequence[int], reference: Sequence[int]) -> int:
        """Return the edits that turn a candidate into a reference."""

    def compare_each_compiled(
        self, candidates: Segments, references: Sequence[PreparedReference[Sequence[int]]]
    ) -> Sequence[FloatArray | None]:
        """Return edits and lengths by compiled kernels: (segments, 3) for each reference."""
        edits = self._compiled_edits(candidates, references)
        if edits is None:
            return [None] * len(references)
        length = candidates.lengths
        return [
            in_columns(of_one, reference.token_counts, length)
            for of_one, reference in zip(edits, references, strict=True)
        ]

    @staticmethod
    @abstractmethod
    def _compiled_edits(
        candidates: Segments, references: Sequence[PreparedReference[Sequence[int]]]
    ) -> Sequence[IntArray] | IntArray | None:
        """Return the edits of all segments for each reference by a compiled kernel, or None without it."""

    def combine(self, pairs: FloatArray) -> FloatArray:
        """Return edits and reference length of each segment."""
        edits, lengths, candidate = (pairs[..., column] for column in range(3))
        taken, length = taken_reference(edits, lengths, candidate, self.normalise, self.references, self.ties)
        return np.stack([np.take_along_axis(edits, taken, axis=0)[0], length], axis=1)

    def score(self, statistics: FloatArray) -> FloatArray:
        """Return the rate, 0 or more, of pooled statistics: (..., statistics) to (...).

        ``nan`` where there are edits but no length.
        """
        return rates_of(statistics[..., 0], statistics[..., 1], empty=np.nan)


def check_reference_rule(metric: str, normalise: str, references: str) -> None:
    """Refuse a choice of the reference by its rate where all references share one length."""
    if normalise != "reference" and references != "minimum":
        raise UsageError(
            f"metric {metric!r}: `references` must be 'minimum' where `normalise` is {normalise!r}: all references "
            f"then share one length, so the fewest edits are the lowest rate; got {references!r}."
        )


def rates_of(edits: FloatArray, lengths: FloatArray, empty: float) -> FloatArray:
    """Return edits / lengths; where there is no length, `empty`, or 0 without edits.

    Equal ratios are equal quotients: a division rounds the one value that they have.
    """
    return quotient(edits, lengths, np.where(edits == 0, 0.0, empty))


def taken_reference(
    edits: FloatArray, lengths: FloatArray, candidate: FloatArray, normalise: str, rule: str, ties: str = "lowest"
) -> tuple[IntArray, FloatArray]:
    """Return the reference that the edits belong to, and the length that they are divided by.

    Parameters
    ----------
    edits, lengths : (references, segments) float array
        ``nan`` for absent references.
    candidate : (segments,) or (references, segments) float array
        Its lengths.
    normalise, rule, ties : str
        The parameters of `ErrorRate`; `rule` is that of `references`.

    Returns
    -------
    (1, segments) int array
    (segments,) float array
    """
    edits = np.where(np.isnan(edits), np.inf, edits)
    if normalise != "reference":
        return np.argmin(edits, axis=0)[np.newaxis], effective_length(normalise, lengths, candidate)
    taken = best_reference(edits, lengths, rule, ties)
    return taken, np.take_along_axis(lengths, taken, axis=0)[0]


def best_reference(edits: FloatArray, lengths: FloatArray, rule: str, ties: str = "lowest") -> IntArray:
    """Choose the reference with the fewest edits or the lowest rate, of equals the least of the other.

    Parameters
    ----------
    edits, lengths : (references, segments) float arrays
        Infinite edits where a reference is absent.
    rule : {"minimum", "lowest-rate"}
    ties : {"lowest", "first"}
        With ``first``, or where edits and rates are equal, the first one is taken.

    Returns
    -------
    (1, segments) int array
    """
    rates = np.where(np.isinf(edits), np.inf, rates_of(edits, lengths, empty=np.inf))
    first, second = (edits, rates) if rule == "minimum" else (rates, edits)
    if ties == "first":
        return np.asarray(np.argmin(first, axis=0))[np.newaxis]
    least = first == first.min(axis=0)
    # A rate may be infinite; so the others are distinguished by `least`, not by what they are set to here.
    among = np.where(least, second, np.inf)
    return np.asarray(np.argmax(least & (among == among.min(axis=0)), axis=0))[np.newaxis]
