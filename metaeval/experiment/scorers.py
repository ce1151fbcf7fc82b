"""Scorers of documents, which are correlated with human scores: a metric, other judges, or a constant."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from metaeval.components.coefficient import Coefficient
from metaeval.config.schema import Experiment
from metaeval.correlation.array_helpers import parts
from metaeval.correlation.averages import Relation, orient
from metaeval.datamodel.corpus import (
    CONSTANT,
    INTER_JUDGE,
    BoolArray,
    Corpus,
    Criterion,
    Documents,
    FloatArray,
    IntArray,
)
from metaeval.datamodel.pooling import Statistics, Sums, settle
from metaeval.errors import MetricError
from metaeval.experiment.judge import JudgedDocuments
from metaeval.experiment.statistics_by_metric import Measured
from metaeval.metrics import is_built_in
from metaeval.metrics.text_metric import TextMetric, mean_score
from metaeval.parameters.calls import Signature
from metaeval.sampling.references import ReferenceGroup
from metaeval.version import VERSION

# Documents whose statistics are added in one call, at most, and about how many statistics there are of them.
_BATCH_DOCUMENTS = 1 << 14
_BATCH_STATISTICS = 1 << 17

Score: TypeAlias = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True)
class PooledScore:
    """Document scores of a metric: statistics of segments are added, and a score is computed from the sums.

    Attributes
    ----------
    score : callable
        Of pooled statistics.
    statistics : sequence of Statistics
        One for each reference subset of a group, of the systems that are scored.
    combine : {"correlations", "scores", "documents", "separate"}
        How the group combines its subsets.
    scale : float
        The largest magnitude among segment scores of both signs, whose mean may be near 0; 0 if they have one sign.
    metric : str
        Its name, for messages.
    is_of_texts : bool
        Whether the metric has a score for each text, against one subset.
    """

    score: Score
    statistics: Sequence[Statistics]
    combine: str
    scale: float
    metric: str
    is_of_texts: bool

    def of_sums(self, sums: FloatArray) -> FloatArray:
        """Return the scores of pooled statistics; an error names the metric."""
        try:
            return self.score(sums)
        except MetricError as error:
            error.metric = self.metric
            raise

    def rounded(self, scores: FloatArray, length: int | None) -> FloatArray:
        """Return scores without rounding errors of sums, so that scores of equal texts are equal.

        Raises
        ------
        MetricError
            If one is infinite.
        """
        if np.isinf(scores).any():
            error = MetricError(
                f"metric {self.metric.strip()!r}: the score of a document is infinite: scores of its "
                "segments are too large to be added."
            )
            error.metric = self.metric
            raise error
        # The score of a single text is left as the metric gives it; only sums have rounding errors.
        return scores if length == 1 and self.is_of_texts else settle(scores, self.scale or np.abs(scores))


@dataclass(frozen=True)
class Scorer:
    """A metric under a preprocessing; or a second draw of judgments or a constant metric, to compare metrics with.

    Attributes
    ----------
    preprocessing, name : str
        As tables show them; the judges have no preprocessing.
    signature : Signature
        Of its scores.
    relations : mapping of str to Relation
        The coefficients by their names, with the sign that makes agreement positive.
    signs : (int, int)
        What metric and human scores are multiplied by so that high means good on both sides; (1, 1) for the
        orientation ``raw``.
    pooled : PooledScore or None
        How a metric scores documents; None for the judges and a constant.
    key : hashable
        Two scorers with the same key give the same scores for the same documents.
    can_be_sent : bool
        Whether every process has the code of its scores: the metric is one of metaeval's, or means of segment scores.
    is_stored : bool
        Whether its scores are of whole systems alone, so that no part of the corpus has one.
    unscored : (systems, segments) bool array, or None
        The texts without a score of their own, where there are any.
    published : (systems,) float array, or None
        Of whole systems, scores to the last published digit, in the place of means that are equal but for rounding.
    """

    preprocessing: str
    name: str
    signature: Signature
    relations: Mapping[str, Relation]
    signs: tuple[int, int] = (1, 1)
    pooled: PooledScore | None = None
    key: Hashable = ()
    can_be_sent: bool = True
    is_stored: bool = False
    unscored: BoolArray | None = None
    published: FloatArray | None = None

    @property
    def is_metric(self) -> bool:
        """True for a metric, which is ranked."""
        return self.pooled is not None

    @property
    def is_constant(self) -> bool:
        """True for the constant metric, which gives every text the same score."""
        return self.pooled is None and self.name == CONSTANT

    @property
    def is_judges(self) -> bool:
        """True for judges, whose scores are a second draw of judgments."""
        return self.pooled is None and self.name == INTER_JUDGE


def metric_scorer(
    corpus: Corpus,
    criterion: Criterion,
    group: ReferenceGroup,
    documents: JudgedDocuments,
    measured: Sequence[Measured],
    coefficients: Mapping[str, Coefficient],
    experiment: Experiment,
) -> Scorer:
    """Return the scorer of a metric against all subsets of a group.

    Parameters
    ----------
    corpus : Corpus
        Of the systems that are scored.
    criterion : Criterion
    group : ReferenceGroup
    documents : JudgedDocuments
        The documents that it scores.
    measured : sequence of Measured
        Its statistics for each subset of the group, of the same systems.
    coefficients : mapping of str to Coefficient
    experiment : Experiment
    """
    first = measured[0]
    metric = first.named.kind
    is_whole = experiment.documents.units.is_whole
    if is_whole and group.combine == "documents":
        # The one document uses the first subset, and so do its replicates.
        measured = measured[:1]
    orientation = experiment.correlation.orientation
    is_same_direction = metric.higher_is_better == criterion.higher_is_better
    is_raw = orientation == "raw"
    signature = metric.signature.with_pairs(first.preprocessing_signature.items)
    subsets = tuple(item.subset for item in measured)
    is_of_segments = isinstance(metric, TextMetric)
    # A mean of segment scores needs no code of the metric, which another process may lack.
    is_mean = is_of_segments and type(metric).score is TextMetric.score
    published = metric.system_scores(corpus) if is_whole and isinstance(metric, TextMetric) else None
    # Published scores are means over all segments; over fewer, as those that were judged, they have no replicates.
    is_over_all = documents.metric_items is None and len(documents.segments) == corpus.n_segments
    is_stored = isinstance(metric, TextMetric) and metric.of_whole_systems(corpus)
    is_stored |= published is not None and not is_over_all
    has_counts = not is_stored and first.statistics.names == ("sum", "count")
    return Scorer(
        first.preprocessing,
        first.named.written,
        signature,
        {
            text: orient(coefficient, same_direction=is_same_direction, orientation=orientation)
            for text, coefficient in coefficients.items()
        },
        (1 if is_raw or metric.higher_is_better else -1, 1 if is_raw or criterion.higher_is_better else -1),
        PooledScore(
            mean_score if is_mean else metric.score,
            [item.statistics for item in measured],
            group.combine,
            _scale(measured),
            first.named.written,
            is_of_segments and len(measured) == 1,
        ),
        (str(signature), first.named.written, subsets, group.combine),
        can_be_sent=is_mean or is_built_in(metric),
        is_stored=is_stored,
        unscored=first.statistics.values[..., 1] == 0 if has_counts else None,
        published=published,
    )


def _scale(measured: Sequence[Measured]) -> float:
    """Return the largest magnitude among scores of both signs; 0 if they have one sign."""
    low, high = 0.0, 0.0
    for item in measured:
        if item.statistics.names == ("sum", "count"):
            low = min(low, float(np.nanmin(item.statistics.values[..., 0], initial=0.0)))
            high = max(high, float(np.nanmax(item.statistics.values[..., 0], initial=0.0)))
    return max(-low, high) if low < 0 < high else 0.0


def judges_scorer(coefficients: Mapping[str, Coefficient]) -> Scorer:
    """Return the scorer that correlates a second draw of judgments with the first, as if it were a metric."""
    return _no_metric(INTER_JUDGE, "", coefficients)


def constant_scorer(preprocessing: str, coefficients: Mapping[str, Coefficient]) -> Scorer:
    """Return a metric that gives every text the same score."""
    return _no_metric(CONSTANT, preprocessing, coefficients)


def _no_metric(name: str, preprocessing: str, coefficients: Mapping[str, Coefficient]) -> Scorer:
    return Scorer(preprocessing, name, Signature(name).with_items(version=VERSION), dict(coefficients), key=name)


def score_documents(scorers: Sequence[Scorer], documents: JudgedDocuments, repeats: int = 1) -> list[FloatArray]:
    """Return the scores of documents by each of some scorers.

    Parameters
    ----------
    scorers : sequence of Scorer
        Of the same systems and group of reference subsets.
    documents : JudgedDocuments
    repeats : int
        How many replicates of an experiment's documents there are, one after the other.

    Returns
    -------
    list of (subsets or 1, documents, systems) float arrays
    """
    metrics = [scorer.pooled for scorer in scorers if scorer.pooled is not None]
    scores = []
    with np.errstate(over="ignore", invalid="ignore"):
        of_metrics = iter(
            pooled_scores(
                [(pooled.of_sums, pooled.statistics) for pooled in metrics],
                metrics[0].combine if metrics else "",
                documents.segments,
                documents.weights,
                documents.metric_items,
                repeats,
            )
        )
        for scorer in scorers:
            if scorer.pooled is not None:
                scores.append(scorer.pooled.rounded(next(of_metrics), documents.length))
            elif scorer.is_judges:
                assert documents.second is not None
                scores.append(documents.second[np.newaxis])
            else:
                scores.append(np.zeros((1, len(documents.weights), len(documents.items.counts))))
    return scores


def segment_scores(scorers: Sequence[Scorer], documents: JudgedDocuments, segments: Documents) -> list[FloatArray]:
    """Return the scores of single segments by each of some scorers, as :func:`score_documents` does."""
    return score_documents(scorers, replace(documents, weights=segments))


def pooled_scores(
    metrics: Sequence[tuple[Score, Sequence[Statistics]]],
    combine: str,
    segments: IntArray,
    documents: Documents,
    items: BoolArray | None = None,
    repeats: int = 1,
) -> list[FloatArray]:
    """Return the scores of documents against a group of reference subsets, by each of some metrics.

    Statistics that several metrics have in common are added once.

    Parameters
    ----------
    metrics : sequence of pairs
        The function of pooled statistics that gives scores, and the statistics for each subset of the group.
    combine : {"correlations", "scores", "documents", "separate"}
        How the group combines them.
    segments : (eligible,) int array
        The segments that `documents` points to.
    documents : Documents
    items : (systems, eligible) bool array, optional
        The items that count; all of them by default.
    repeats : int, default 1
        How many replicates of an experiment's documents there are: each begins with the first subset.

    Returns
    -------
    list of (subsets or 1, documents, systems) float arrays
        One for each subset where their coefficients are to be averaged; otherwise one for all.
    """

    def against_subset(number: int, documents: Documents) -> list[FloatArray]:
        """Return the scores of some documents against a subset, in batches whose statistics stay small."""
        statistics = [of_subsets[number] for _, of_subsets in metrics]
        scores = [np.empty((len(documents), n_systems)) for _ in statistics]
        sums = Sums(statistics, are_counted=documents.counts is not None)
        size = _BATCH_DOCUMENTS
        # A product with counts may have other last digits in other batches, so these have one size.
        if documents.indices is not None:
            n_columns = len({column for of_metric in statistics for column in of_metric.columns})
            size = min(size, max(_BATCH_STATISTICS // (n_systems * n_columns), len(segments)))
        for rows in parts(len(documents), size):
            pooled = sums.pool(documents.at(rows), segments, items)
            for (score, _), of_metric, of_sums in zip(metrics, scores, pooled, strict=True):
                of_metric[rows] = score(of_sums)
        return scores

    if not metrics:
        return []
    of_subsets = metrics[0][1]
    n_subsets = len(of_subsets)
    n_systems = of_subsets[0].n_systems
    if combine == "documents":
        whole = [np.empty((repeats, len(documents) // repeats, n_systems)) for _ in metrics]
        for number, part in enumerate(documents.interleaved_parts(n_subsets, repeats)[: whole[0].shape[1]]):
            for of_metric, scores in zip(whole, against_subset(number, part), strict=True):
                rows = of_metric[:, number::n_subsets]
                rows[:] = scores.reshape(rows.shape)
        return [of_metric.reshape(1, len(documents), n_systems) for of_metric in whole]
    by_subset = [against_subset(number, documents) for number in range(n_subsets)]
    by_metric = [np.stack(of_metric) for of_metric in zip(*by_subset, strict=True)]
    if combine == "scores":
        return [of_metric.mean(axis=0, keepdims=True) for of_metric in by_metric]
    return by_metric
