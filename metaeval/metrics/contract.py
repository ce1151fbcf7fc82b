"""What a metric is: three pure steps and declared facts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Protocol

import numpy as np

from metaeval.names import Signature
from metaeval.records import FloatArray, Segments, Statistics


class Metric(Protocol):
    """A metric adds up over segments: statistics, a sum, and a score of the sum.

    A class that follows this protocol is a frozen dataclass whose fields are its parameters (see
    `metaeval.parameters`).

    Attributes
    ----------
    name : str
        As users write it: ``bleu``.
    title : str
        As tables and figures may print it: ``BLEU``.
    source : str
        What to cite.
    higher_is_better : bool
        The direction of the score; a score is never negated.
    statistic_names : tuple of str
        The columns of the statistics.
    signature : Signature
        Name, parameters and version: all that determines the score of given tokens.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    source: ClassVar[str]
    higher_is_better: ClassVar[bool]

    @property
    def statistic_names(self) -> tuple[str, ...]:
        """The columns of the statistics."""
        ...

    @property
    def signature(self) -> Signature:
        """Name, parameters and version."""
        ...

    def prepare(self, references: Sequence[Segments]) -> Any:
        """Return what depends on the references alone; done once for a reference subset."""
        ...

    def statistics(self, candidates: Segments, prepared: Any) -> FloatArray:
        """Return the statistics of one system: (segments, statistics); ``nan`` where there is no reference."""
        ...

    def score(self, statistics: FloatArray) -> FloatArray:
        """Return the scores of pooled statistics: (..., statistics) to (...)."""
        ...


def measure(metric: Metric, candidates: Sequence[Segments], references: Sequence[Segments]) -> Statistics:
    """Return the statistics of all systems against one reference subset: values (systems, segments, statistics).

    They are ``nan`` where a segment has no reference of the subset, or the system gave nothing for it.
    """
    prepared = metric.prepare(references)
    values = np.stack([metric.statistics(texts, prepared) for texts in candidates])
    values[~np.stack([texts.present for texts in candidates])] = np.nan
    return Statistics(values, metric.statistic_names)
