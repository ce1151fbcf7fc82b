r"""TER: the translation edit rate, in which moving a block of words is one edit.

.. math:: \mathrm{TER} = \sum_s \mathrm{edits}_s \Big/ \sum_s \mathrm{length}_s

Insertions, deletions, substitutions and shifts cost 1 each. Which shifts are made, a greedy search decides
(`metaeval.metrics.ter_shifts`), with the defaults edit for edit as tercom 0.8.0 does. Edits and lengths are added over
the segments s of a document. Low is good, and a rate can exceed 1.

Conventions. With several references a segment has the fewest edits that any of them needs, divided by their average
length. A reference given twice counts twice in that average, as in tercom; otherwise neither the order nor the number
of equal references matters to a score. Of references that need equally few edits, the first has the kinds of its edits
counted.

An empty candidate costs as many edits as the reference has words. A reference can be really empty: its length is 0, and
every word of the candidate is an insertion. Edits over no length are a rate of 1 and no edits over no length one of 0,
as in tercom and sacreBLEU; beside segments with a length, the edits count as all others do.

``weighting="candidate"`` weights the rate of each segment by the length of its candidate, as Morgenroth writes for a
corpus; where all candidates are empty there are no weights, and it is edits over length again.

Other programs. Tercom has no limit on the electable shifts that a search may meet; ours (`shift_choices`) keeps texts
of hundreds of repeated words from taking minutes each, and the statistic ``stopped`` is 1 where it ended a search.
sacreBLEU's TER is a near port of tercom and differs from it, and so from ours, in some long segments: its limit of
distance is one of positions, not of places; a block that moves past words of its own lands one word further on; it has
a band around the diagonal instead of the beam; and it ends a search at 1000 shifts.

Sources
-------
In `bibliography.toml`: snover2006; morgenroth2011 (shifts to aligned places, weighting by candidate length).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from metaeval.datamodel.corpus import FloatArray, Segments
from metaeval.kernels.ter_shifts import shift_edits
from metaeval.metrics.descriptions import Described
from metaeval.metrics.division import quotient
from metaeval.metrics.error_rate import check_reference_rule, rates_of, taken_reference
from metaeval.metrics.reference_metric import PairMetric, PreparedReference
from metaeval.metrics.segments import texts_of
from metaeval.metrics.ter_shifts import ShiftSearch
from metaeval.parameters.calls import Signature
from metaeval.parameters.fields import parameter
from metaeval.version import VERSION

_MAX_LIMIT = 1_000_000


@dataclass(frozen=True)
class Ter(Described, PairMetric[Sequence[int]], name="ter", title="TER"):
    """Translation edit rate; the defaults equal tercom 0.8.0 edit for edit."""

    higher_is_better: ClassVar[bool] = False
    printed_times: ClassVar[int] = 100

    normalise: str = parameter(
        "average",
        doc="the length that edits are divided by: the average of all references, that of the reference closest to "
        "the candidate (the shorter one on ties), or that of the reference which the edits belong to",
        choices=("average", "closest", "reference"),
    )
    references: str = parameter(
        "minimum",
        doc="which of several references the edits belong to: the one with the fewest (on ties the longest), or the "
        "one with the lowest rate (on ties the one with the fewest edits)",
        choices=("minimum", "lowest-rate"),
    )
    weighting: str = parameter(
        "reference",
        doc="how segments weigh in a document: by the length that their edits are divided by, or by candidate length",
        choices=("reference", "candidate"),
    )
    shifts: str = parameter(
        "tercom",
        doc="where a block may go: also to places of deleted words and to the front, or only behind words that are "
        "aligned to the reference (Morgenroth, who sets no limits: give None for each)",
        choices=("tercom", "aligned"),
    )
    shift_size: int | None = parameter(
        10, doc="the most words that a shift moves; None: no limit", minimum=0, maximum=_MAX_LIMIT
    )
    shift_distance: int | None = parameter(
        50, doc="the most words between a block and its place; None: no limit", minimum=0, maximum=_MAX_LIMIT
    )
    beam: int | None = parameter(
        20,
        doc="how much more than the cheapest a way of editing may cost before it is forgotten; None: no way is",
        minimum=0,
        maximum=_MAX_LIMIT,
    )
    shift_choices: int | None = parameter(
        10_000,
        doc="a search that meets more electable shifts ends with the shifts made so far; None: no limit, as in tercom",
        minimum=0,
        maximum=1000 * _MAX_LIMIT,
    )

    def __post_init__(self) -> None:
        check_reference_rule(self.name, self.normalise, self.references)

    @property
    def statistic_names(self) -> tuple[str, ...]:
        """Edits, reference length, kinds of edits, whether the search was stopped; what the weighting needs.

        Insertions and deletions are named from the reference's side: a word missing from the candidate is deleted.
        """
        names = ("edits", "reference_length", "insertions", "deletions", "substitutions", "shifts", "words_shifted")
        weights = ("candidate_length", "weighted_rate") if self._weighs_candidates else ()
        return (*names, "stopped", *weights)

    @property
    def _weighs_candidates(self) -> bool:
        return self.weighting == "candidate"

    @property
    def signature(self) -> Signature:
        """Name, parameters and version."""
        choices = {name: getattr(self, name) for name in ("normalise", "references", "weighting", "shifts")}
        limits = zip(("size", "distance", "beam", "choices"), self._limits, strict=True)
        numbers = {name: "none" if limit is None else limit for name, limit in limits}
        return Signature(self.title).with_items(**choices, **numbers, version=VERSION)

    @property
    def _limits(self) -> tuple[int | None, int | None, int | None, int | None]:
        return self.shift_size, self.shift_distance, self.beam, self.shift_choices

    @cached_property
    def _search(self) -> ShiftSearch:
        return ShiftSearch(self.shifts, *self._limits)

    def compare(self, candidate: Sequence[int], reference: Sequence[int]) -> tuple[int, ...]:
        """Return the edits and their kinds, whether the search was stopped, and the lengths of both texts."""
        count = self._search.count(candidate, reference)
        kinds = (count.insertions, count.deletions, count.substitutions, count.shifts, count.words_shifted)
        return (count.edits, *kinds, count.stopped, len(reference), len(candidate))

    def compare_compiled(self, candidates: Segments, reference: PreparedReference[Sequence[int]]) -> FloatArray | None:
        """Return :meth:`compare` of all segments by a compiled kernel: (segments, 9)."""
        numbers = shift_edits(texts_of(candidates, reference.segments), self.shifts, *self._limits)
        return None if numbers is None else numbers.astype(np.float64)

    def combine(self, pairs: FloatArray) -> FloatArray:
        """Return edits, lengths and kinds of edits of each segment: (segments, statistics).

        ``stopped`` is 1 where the limit on electable shifts ended the search for one of the references.
        """
        candidate, numbers = np.nanmax(pairs[..., -1], axis=0), (pairs[..., 0], pairs[..., -2])
        taken, length = taken_reference(*numbers, candidate, self.normalise, self.references)
        chosen = np.take_along_axis(pairs, taken[..., np.newaxis], axis=0)[0]
        stopped = np.nanmax(pairs[..., 6], axis=0)
        columns = [chosen[:, 0], length, *(chosen[:, kind] for kind in range(1, 6)), stopped]
        if self._weighs_candidates:
            columns += [candidate, candidate * rates_of(chosen[:, 0], length, empty=1.0)]
        return np.stack(columns, axis=1)

    def score(self, statistics: FloatArray) -> FloatArray:
        """Return TER, 0 or more, of pooled statistics: (..., statistics) to (...)."""
        rates = rates_of(statistics[..., 0], statistics[..., 1], empty=1.0)
        # Where no candidate has a word there are no weights.
        return quotient(statistics[..., -1], statistics[..., -2], rates) if self._weighs_candidates else rates
