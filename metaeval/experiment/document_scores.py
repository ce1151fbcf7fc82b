"""Scores of documents by several metrics, which add what more than one of them counts once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from metaeval.correlation.vectors import parts
from metaeval.errors import MetricError
from metaeval.pooling import Statistics, Sums, settle
from metaeval.records import BoolArray, Documents, FloatArray, IntArray

# Documents whose statistics are added at once at most, and about how many statistics.
_DOCUMENTS, _AT_ONCE = 1 << 14, 1 << 17

Score: TypeAlias = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True)
class MetricScores:
    """How a metric scores documents.

    Attributes
    ----------
    score : callable
        Of pooled statistics.
    of_subsets : sequence of Statistics
        One for each reference subset of a group.
    combine : str
        How the group combines them.
    scale : float
        The largest magnitude among scores of both signs; 0 if they have one sign.
    written : str
        The name of the metric, for messages.
    is_of_texts : bool
        Whether it has a score for each text, against one subset.
    """

    score: Score
    of_subsets: Sequence[Statistics]
    combine: str
    scale: float
    written: str
    is_of_texts: bool

    def of_sums(self, statistics: FloatArray) -> FloatArray:
        """Return the scores of pooled statistics; an error says whose they are."""
        try:
            return self.score(statistics)
        except MetricError as error:
            error.metric = self.written
            raise

    def settled(self, found: FloatArray, length: int | None) -> FloatArray:
        """Return scores without rounding errors; they must be finite or absent."""
        if np.isinf(found).any():
            error = MetricError(
                f"metric {self.written.strip()!r}: the score of a document is infinite: scores of its "
                "segments are too large to be added."
            )
            error.metric = self.written
            raise error
        # A metric's score of a text is taken to the last bit; only what is added up here has a rounding error.
        return found if length == 1 and self.is_of_texts else settle(found, self.scale or np.abs(found))


def document_scores(
    metrics: Sequence[tuple[Score, Sequence[Statistics]]],
    combine: str,
    segments: IntArray,
    documents: Documents,
    items: BoolArray | None = None,
    repeats: int = 1,
) -> list[FloatArray]:
    """Return the scores of documents against a group of reference subsets, by each of some metrics.

    What several metrics count is added once.

    Parameters
    ----------
    metrics : sequence of pairs
        What gives the scores of pooled statistics, and the statistics for each subset of the group.
    combine : {"correlations", "scores", "documents", "separate"}
        How the group combines them.
    segments : (eligible,) int array
        What `documents` points into.
    documents : Documents
    items : (systems, eligible) bool array, optional
        The items that count; all of them unless given.
    repeats : int, default 1
        How many replicates of an experiment's documents there are: each begins with the first subset.

    Returns
    -------
    list of (subsets or 1, documents, systems) float arrays
        One for each subset where their coefficients are to be averaged; otherwise one for all.
    """

    def scored(place: int, documents: Documents) -> list[FloatArray]:
        """Return the scores of some documents against a subset, so many at once that their statistics stay small."""
        statistics = [of_subsets[place] for _, of_subsets in metrics]
        found = [np.empty((len(documents), len(one.table))) for one in statistics]
        # A product with counts may have other last digits in other parts.
        few = max(_AT_ONCE // max(1, *(one.table[:, 0].size for one in statistics)), len(segments))
        for rows in parts(len(documents), _DOCUMENTS if documents.indices is None else min(few, _DOCUMENTS)):
            sums = Sums(statistics, documents.at(rows), segments, items)
            for (score, _), one, of_metric in zip(metrics, statistics, found, strict=True):
                of_metric[rows] = score(sums.of(one))
        return found

    if not metrics:
        return []
    n, n_systems = len(metrics[0][1]), len(metrics[0][1][0].table)
    if combine == "documents":
        whole = [np.empty((repeats, len(documents) // repeats, n_systems)) for _ in metrics]
        for place, part in enumerate(documents.apart(n, repeats)[: whole[0].shape[1]]):
            for of_metric, found in zip(whole, scored(place, part), strict=True):
                rows = of_metric[:, place::n]
                rows[:] = found.reshape(rows.shape)
        return [of_metric.reshape(1, len(documents), n_systems) for of_metric in whole]
    each = [np.stack(of_metric) for of_metric in zip(*(scored(place, documents) for place in range(n)), strict=True)]
    return [one.mean(axis=0, keepdims=True) if combine == "scores" else one for one in each]
