"""Define what a metric is: three pure steps and declared facts."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np

from metaeval.datamodel.corpus import FloatArray, Segments
from metaeval.datamodel.pooling import Statistics
from metaeval.metrics.reference_metric import ByReference
from metaeval.metrics.segments import joined, part_of
from metaeval.parameters.calls import Signature

Ref = TypeVar("Ref", bound=Hashable)

# What a comparison with a reference takes beside its result, for each token and each text of a candidate.
_BYTES_PER_TOKEN = 12
_BYTES_PER_TEXT = 400


class Metric(Protocol):
    """A metric adds up over segments: statistics, a sum, and a score of the sum.

    A class that follows this protocol is a frozen dataclass whose fields are its parameters (see
    `metaeval.parameters.fields`).

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
        """List what to cite: keys of the bibliography, or words."""
        ...

    @property
    def statistic_names(self) -> tuple[str, ...]:
        """Name the columns of the statistics."""
        ...

    @property
    def signature(self) -> Signature:
        """Name, parameters and version."""
        ...

    @property
    def described(self) -> str:
        """Describe in plain words how the score is computed."""
        ...

    def prepare(self, references: Sequence[Segments]) -> Any:
        """Prepare what depends on the references alone; done once for a reference subset.

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


def measure(
    metric: Metric | ByReference[Any],
    candidates: Sequence[Segments],
    references: Sequence[Segments],
    memory: int | None = None,
) -> Statistics:
    """Return the statistics of all systems against one reference subset.

    Parameters
    ----------
    metric : Metric or ByReference
        What counts, for one metric or for several.
    candidates : sequence of Segments
        The systems.
    references : sequence of Segments
        The references of the subset.
    memory : int, optional
        As for :func:`measure_subsets`.

    Returns
    -------
    Statistics
        Values (systems, segments, statistics). They are ``nan`` where a segment has no reference of the subset, or the
        system gave nothing for it.
    """
    return measure_subsets(metric, candidates, dict(enumerate(references)), [range(len(references))], memory)[0]


def measure_subsets(
    metric: Metric | ByReference[Any],
    candidates: Sequence[Segments],
    references: Mapping[Ref, Segments],
    subsets: Sequence[Sequence[Ref]],
    memory: int | None = None,
) -> list[Statistics]:
    """Return the statistics of all systems against each of several reference subsets.

    Parameters
    ----------
    metric : Metric or ByReference
        What counts, for one metric or for several.
    candidates : sequence of Segments
        The systems.
    references : mapping of name to Segments
        All that the subsets name.
    subsets : sequence of sequences of names
        The names of the references of each subset.
    memory : int, optional
        About how many bytes may be taken beside texts and statistics; systems and segments are then compared in parts,
        which changes no bit.

    Returns
    -------
    list of Statistics
        One for each subset, values (systems, segments, statistics). They are ``nan`` where a segment has no reference
        of the subset, or the system has no output for it. A metric that compares with each reference separately does so
        once.
    """
    names = metric.statistic_names
    values = [np.empty((len(candidates), len(candidates[0]), len(names))) for _ in subsets]
    if isinstance(metric, ByReference):
        _by_reference(metric, candidates, references, subsets, values, memory)
    else:
        for of_subset, subset in zip(values, subsets, strict=True):
            once = metric.prepare([references[name] for name in subset])
            for row, texts in zip(of_subset, candidates, strict=True):
                row[:] = metric.statistics(texts, once)
    absent = ~np.stack([texts.present for texts in candidates])
    present = {name: references[name].present for name in dict.fromkeys(itertools.chain(*subsets))}
    for of_subset, subset in zip(values, subsets, strict=True):
        # No author of a metric must think of segments without a reference.
        of_subset[absent | ~np.any([present[name] for name in subset], axis=0)] = np.nan
    return [Statistics.of_values(of_subset, names) for of_subset in values]


def _by_reference(
    metric: ByReference[Any],
    candidates: Sequence[Segments],
    references: Mapping[Ref, Segments],
    subsets: Sequence[Sequence[Ref]],
    values: Sequence[FloatArray],
    memory: int | None,
) -> None:
    """Fill the statistics of each subset, comparing as many systems and segments at once as memory allows."""
    used = list(dict.fromkeys(itertools.chain(*subsets)))
    each = dict(zip(used, metric.prepare_each([references[name] for name in used]), strict=True))
    together = [metric.facts_of_subset([each[name] for name in subset]) for subset in subsets]
    n_segments = len(candidates[0])
    systems, rows = len(candidates), max(1, n_segments)
    if memory is not None:
        n_texts = max(1, systems * n_segments)
        bytes_of_tokens = _BYTES_PER_TOKEN * sum(len(texts.ids) for texts in candidates) // n_texts
        at_once = max(1, memory // ((bytes_of_tokens + _BYTES_PER_TEXT) * max(1, len(used))))
        # As many systems as can be together, so that what depends on the references alone is done once for them.
        systems = min(systems, at_once)
        rows = min(rows, max(1, at_once // systems))
    for start in range(0, n_segments, rows):
        part = slice(start, min(start + rows, n_segments))
        parts = [each[name].part(part) for name in used]
        for first in range(0, len(candidates), systems):
            block = candidates[first : first + systems]
            texts = joined([part_of(text, part) for text in block])
            # What depends on the references is the same for each system.
            prepared = [reference.for_systems(len(block)) for reference in parts]
            positions = np.tile(np.arange(part.start, part.stop), len(block))
            facts_of_subsets = [metric.facts_of_rows(facts, positions) for facts in together]
            compared = dict(zip(used, metric.compare_all(texts, prepared), strict=True))
            for of_subset, facts, subset in zip(values, facts_of_subsets, subsets, strict=True):
                counted = metric.combine_all(texts, facts, [compared[name] for name in subset])
                filled = of_subset[first : first + systems, part]
                filled[:] = counted.reshape(filled.shape)


# Statistics that are 1 for a text where a search ended early, and what this means.
UNFINISHED = {
    "unproven": "the exact search did not finish for {texts}; their size is the best matching found, a lower bound, "
    "and may differ on another machine (statistic `unproven`; parameter `time_limit`).",
    "stopped": "the search met more electable shifts than the limit in {texts}; their edits are those with the shifts "
    "made until then (statistic `stopped`; parameter `shift_choices`).",
}


def unfinished(names: Sequence[str], statistics: FloatArray, texts: str) -> list[str]:
    """Return a sentence for each kind of search that ended early.

    Parameters
    ----------
    names : sequence of str
        Of the statistics.
    statistics : (..., statistics) float array
        Of texts or pooled; ``nan`` where there is no reference.
    texts : str
        What the searches are of, such as ``segment(s)``.

    Returns
    -------
    list of str
        None where all searches were finished.
    """
    counts = {name: int(np.nansum(statistics[..., names.index(name)])) for name in UNFINISHED if name in names}
    return [UNFINISHED[name].format(texts=f"{count} {texts}") for name, count in counts.items() if count]
