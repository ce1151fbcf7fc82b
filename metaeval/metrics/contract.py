"""What a metric is: three pure steps and declared facts."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np

from metaeval.metrics.by_reference import ByReference, PreparedReference
from metaeval.metrics.segments import joined
from metaeval.names import Signature
from metaeval.records import FloatArray, Segments, Statistics

Ref = TypeVar("Ref", bound=Hashable)


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
    sources : tuple of str
        What to cite for these parameters: keys of `metaeval/bibliography.toml`, or words.
    higher_is_better : bool
        The direction of the score; a score is never negated.
    statistic_names : tuple of str
        The columns of the statistics.
    signature : Signature
        Name, parameters and version: all that determines the score of given tokens.
    described : str
        How the score is computed, in two to five sentences of plain words that name every parameter's effect.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    higher_is_better: ClassVar[bool]

    @property
    def sources(self) -> tuple[str, ...]:
        """What to cite: keys of the bibliography, or words."""
        ...

    @property
    def statistic_names(self) -> tuple[str, ...]:
        """The columns of the statistics."""
        ...

    @property
    def signature(self) -> Signature:
        """Name, parameters and version."""
        ...

    @property
    def described(self) -> str:
        """How the score is computed, in plain words."""
        ...

    def prepare(self, references: Sequence[Segments]) -> Any:
        """Return what depends on the references alone; done once for a reference subset.

        Parameters
        ----------
        references : sequence of Segments
            Those of the subset, each with all segments.

        Returns
        -------
        object
            Whatever :meth:`statistics` needs.
        """
        ...

    def statistics(self, candidates: Segments, prepared: Any) -> FloatArray:
        """Return the statistics of one system.

        Parameters
        ----------
        candidates : Segments
            All segments of the system.
        prepared : object
            What :meth:`prepare` gave.

        Returns
        -------
        (segments, statistics) float array
            Numbers that add up over segments. What stands where a segment has no reference is not looked at.
        """
        ...

    def score(self, statistics: FloatArray) -> FloatArray:
        """Return the scores of pooled statistics.

        Parameters
        ----------
        statistics : (..., statistics) float array
            Added over the segments of each document.

        Returns
        -------
        (...) float array
            A score for each document, in the direction of `higher_is_better`.
        """
        ...


def measure(metric: Metric, candidates: Sequence[Segments], references: Sequence[Segments]) -> Statistics:
    """Return the statistics of all systems against one reference subset.

    Parameters
    ----------
    metric : Metric
        What counts.
    candidates : sequence of Segments
        The systems.
    references : sequence of Segments
        The references of the subset.

    Returns
    -------
    Statistics
        Values (systems, segments, statistics). They are ``nan`` where a segment has no reference of the subset, or the
        system gave nothing for it.
    """
    return measure_subsets(metric, candidates, dict(enumerate(references)), [range(len(references))])[0]


def measure_subsets(
    metric: Metric, candidates: Sequence[Segments], references: Mapping[Ref, Segments], subsets: Sequence[Sequence[Ref]]
) -> list[Statistics]:
    """Return the statistics of all systems against each of several reference subsets.

    Parameters
    ----------
    metric : Metric
        What counts.
    candidates : sequence of Segments
        The systems.
    references : mapping of name to Segments
        All that the subsets name.
    subsets : sequence of sequences of names
        The names of the references of each subset.

    Returns
    -------
    list of Statistics
        One for each subset, values (systems, segments, statistics). They are ``nan`` where a segment has no reference
        of the subset, or the system has no output for it. A metric that compares with each reference separately does so
        once.
    """
    values: list[list[FloatArray]] = [[] for _ in subsets]
    if isinstance(metric, ByReference):
        used = list(dict.fromkeys(name for subset in subsets for name in subset))
        prepared = [PreparedReference(metric, references[name]) for name in used]
        systems = joined(candidates)
        compared = dict(zip(used, metric.compare_all(systems, prepared), strict=True))
        for of_subset, subset in zip(values, subsets, strict=True):
            together = metric.look_at_subset([references[name] for name in subset])
            statistics = metric.combine_all(systems, together, [compared[name] for name in subset])
            of_subset.extend(np.split(statistics, len(candidates)))
    else:
        for of_subset, subset in zip(values, subsets, strict=True):
            once = metric.prepare([references[name] for name in subset])
            of_subset.extend(metric.statistics(texts, once) for texts in candidates)
    missing = ~np.stack([texts.present for texts in candidates])
    found = []
    for of_subset, subset in zip(values, subsets, strict=True):
        stacked = np.stack(of_subset).astype(np.float64, copy=False)
        stacked[missing] = np.nan
        # No author of a metric must think of segments without a reference.
        present = np.any([references[name].present for name in subset], axis=0)
        stacked[:, ~np.broadcast_to(present, stacked.shape[1:2])] = np.nan
        found.append(Statistics(stacked, metric.statistic_names))
    return found
