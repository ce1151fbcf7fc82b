"""Statistics and human scores to correlations, and tests between metrics."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from metaeval.correlation.coefficients import Coefficient, get_coefficient
from metaeval.correlation.grouping import Relation, correlate, orient, summarise
from metaeval.correlation.significance import get_test, holm
from metaeval.experiments.config import Experiment, UncertaintySettings
from metaeval.experiments.humans import HumanScores, JudgedDocuments
from metaeval.experiments.measure import Measured
from metaeval.judgments.normalise import get_normalisation
from metaeval.names import Signature
from metaeval.pooling import pool, settle
from metaeval.records import INTER_JUDGE, Corpus, Documents, FloatArray, IntArray
from metaeval.sampling.references import ReferenceGroup
from metaeval.version import VERSION

Row = dict[str, Any]


@dataclass
class Related:
    """The results of an experiment, row by row.

    Attributes
    ----------
    correlations, tests : list of rows
    arrays : mapping of str to array
        The documents behind the rows: segments, scores and coefficients, by a path-like name.
    messages : list of str
        What a reader of the rows must know.
    """

    correlations: list[Row] = field(default_factory=list)
    tests: list[Row] = field(default_factory=list)
    arrays: dict[str, np.ndarray[Any, Any]] = field(default_factory=dict)
    messages: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Cell:
    """One place of the grid: a corpus, a criterion, a group of reference subsets and a length."""

    corpus: Corpus
    judged: JudgedDocuments
    scores: HumanScores
    experiment: Experiment

    @property
    def path(self) -> str:
        """The name of the cell among the arrays."""
        length = "documents" if self.scores.length is None else str(self.scores.length)
        return f"{self.corpus.name}/{self.judged.group}/{self.judged.criterion.name}/{length}"

    def keys(self, condition: str, coefficient: str) -> Row:
        """Return the columns that tell where a number belongs."""
        return {
            "corpus": self.corpus.name,
            "condition": condition,
            "subset": str(self.judged.group),
            "criterion": self.judged.criterion.name,
            "grouping": self.experiment.correlation.grouping,
            "length": self.scores.length,
            "coefficient": coefficient,
        }

    def segment_numbers(self) -> np.ndarray[Any, Any] | None:
        """Return the segment numbers of the documents, (documents, length), where they have equal lengths."""
        indices = self.scores.documents.indices
        return None if indices is None else (self.scores.segments[indices] + 1).astype(np.int32)

    def signature(self, scored: Signature, coefficient: Coefficient) -> Signature:
        """Return the signature of a correlation from that of the score."""
        documents, judgments = self.experiment.documents, self.experiment.judgments
        correlation = self.experiment.correlation
        is_random = documents.kind == "random"
        drawn = (("segments", self.scores.length), ("count", documents.count), ("replacement", documents.replacement))
        return scored.with_pairs(
            (
                ("corpus", f"{self.corpus.name}@{self.corpus.digest[:8]}"),
                ("refs", self.judged.group),
                *((("combine", self.judged.group.combine),) if len(self.judged.group.subsets) > 1 else ()),
                ("nrefs", f"{self.scores.mean_references:.4g}"),
                ("require", self.experiment.references.require),
                ("criterion", self.judged.criterion.name),
                ("judges", self.judged.judges),
                ("normalise", get_normalisation(judgments.normalise)),
                ("rule", judgments.rule),
                ("docs", documents.kind),
                *(drawn if is_random else ()),
                ("eligible", f"{len(self.scores.segments)}/{self.corpus.n_segments}"),
                ("coefficient", coefficient.name),
                *coefficient.signature_items,
                ("grouping", correlation.grouping),
                ("orientation", correlation.orientation),
                ("undefined", correlation.undefined),
                ("interval", _interval(self.experiment.uncertainty)),
                *((("seed", self.experiment.seed),) if is_random or judgments.rule == "draw" else ()),
            )
        )

    def row(
        self, condition: str, metric: str, text: str, coefficient: Coefficient, values: FloatArray, scored: Signature
    ) -> Row:
        """Return a row of correlations.tsv."""
        keys = self.keys(condition, text)
        summary = summarise(
            values,
            undefined=self.experiment.correlation.undefined,
            interval=self.experiment.uncertainty.method,
            confidence_level=self.experiment.uncertainty.confidence_level,
        )
        return {
            **{key: keys[key] for key in ("corpus", "condition", "subset")},
            "metric": metric,
            **{key: keys[key] for key in ("criterion", "grouping", "length", "coefficient")},
            "mean": summary.mean,
            "sd": summary.sd,
            "lower": summary.lower,
            "upper": summary.upper,
            "n_used": summary.n_used,
            "n_undefined": summary.n_undefined,
            "signature": str(self.signature(scored, coefficient)),
        }


def _interval(settings: UncertaintySettings) -> str:
    return f"{settings.method}({settings.confidence_level:g})" if settings.method != "none" else "none"


def relate_all(
    corpus: Corpus, measured: Sequence[Measured], judged: Sequence[JudgedDocuments], experiment: Experiment
) -> Related:
    """Relate every metric to every criterion, and the judges to one another."""
    related = Related()
    coefficients = {text: get_coefficient(text) for text in experiment.correlation.coefficients}
    by_subset = {(item.condition, item.named, item.subset): item for item in measured}
    lines = list(dict.fromkeys((item.condition, item.named) for item in measured))
    for documents in judged:
        for condition in dict.fromkeys(condition for condition, _ in lines):
            metrics = [
                [by_subset[condition, named, subset] for subset in documents.group.subsets]
                for of_condition, named in lines
                if of_condition == condition
            ]
            for scores in documents.scores:
                _relate_metrics(related, _Cell(corpus, documents, scores, experiment), metrics, coefficients)
        for scores in documents.inter_judge:
            _relate_judges(related, _Cell(corpus, documents, scores, experiment), coefficients)
    return related


def _relate_metrics(
    related: Related, cell: _Cell, metrics: Sequence[Sequence[Measured]], coefficients: Mapping[str, Coefficient]
) -> None:
    """Relate metrics, each measured against all subsets of the group, to people."""
    scores, settings = cell.scores, cell.experiment.correlation
    values_of: dict[str, dict[str, FloatArray]] = {text: {} for text in coefficients}
    _keep_documents(related, cell, cell.path)
    related.arrays[f"{cell.path}/human"] = scores.human
    condition = metrics[0][0].condition
    for of_subsets in metrics:
        metric, written = of_subsets[0].named.metric, of_subsets[0].named.written
        metric_scores = _settled(document_scores(of_subsets, cell.judged.group, scores.segments, scores.documents))
        undefined = int((~np.isfinite(metric_scores)).any(axis=(0, 2)).sum())
        if undefined:
            related.messages.append(
                f"{cell.path}, {written}: {undefined} of {len(scores.human)} documents have no score for some system, "
                "because their references are empty; they are left out."
            )
        path = f"{cell.path}/{condition}/{written}"
        related.arrays[path] = metric_scores[0] if len(metric_scores) == 1 else metric_scores
        scored = metric.signature.with_pairs(of_subsets[0].condition_signature.items)
        for text, coefficient in coefficients.items():
            oriented = orient(
                coefficient,
                same_direction=metric.higher_is_better == cell.judged.criterion.higher_is_better,
                orientation=settings.orientation,
            )
            by_subset = [_correlate_defined(one, scores.human, oriented, settings.grouping) for one in metric_scores]
            # A coefficient that is undefined with one of the subsets has no mean over them.
            values = by_subset[0] if len(by_subset) == 1 else np.mean(by_subset, axis=0)
            values_of[text][written] = related.arrays[f"{path}/{text}"] = values
            related.correlations.append(cell.row(condition, written, text, coefficient, values, scored))
    for text, by_metric in values_of.items():
        related.tests.extend(_tests(cell, condition, text, by_metric))


def document_scores(
    measured: Sequence[Measured], group: ReferenceGroup, segments: IntArray, documents: Documents
) -> FloatArray:
    """Return the scores of documents against a group of reference subsets.

    Parameters
    ----------
    measured : sequence of Measured
        One for each subset of the group.
    group : ReferenceGroup
    segments : (eligible,) int array
        What `documents` points into.
    documents : Documents

    Returns
    -------
    (subsets or 1, documents, systems) float array
        One for each subset where their coefficients are to be averaged; otherwise one for all.
    """
    metric = measured[0].named.metric
    if group.combine == "documents":
        found = np.empty((len(documents), len(measured[0].statistics.values)))
        for place, item in enumerate(measured):
            if place < len(documents):
                part = documents.at(slice(place, None, len(measured)))
                found[place :: len(measured)] = metric.score(pool(item.statistics.values[:, segments], part))
        return found[np.newaxis]
    each = np.stack([metric.score(pool(item.statistics.values[:, segments], documents)) for item in measured])
    if group.combine == "scores":
        each = each.mean(axis=0, keepdims=True)
    return each


def _settled(scores: FloatArray) -> FloatArray:
    return settle(scores, float(np.abs(scores[np.isfinite(scores)]).max(initial=0.0)))


def _correlate_defined(scores: FloatArray, human: FloatArray, coefficient: Relation, grouping: str) -> FloatArray:
    """Correlate where every system has a score; a document without (edits over empty references) has no coefficient."""
    defined = np.isfinite(scores).all(axis=1)
    if defined.all():
        return correlate(scores, human, coefficient, grouping)
    values = correlate(scores[defined], human[defined], coefficient, grouping)
    if grouping != "system":
        return values
    everywhere = np.full(len(scores), np.nan)
    everywhere[defined] = values
    return everywhere


def _relate_judges(related: Related, cell: _Cell, coefficients: Mapping[str, Coefficient]) -> None:
    """Relate two draws of judgments, as if the second were a metric."""
    scores = cell.scores
    assert scores.second is not None
    path = f"{cell.path}/{INTER_JUDGE}"
    _keep_documents(related, cell, path)
    related.arrays[f"{path}/first"], related.arrays[f"{path}/second"] = scores.human, scores.second
    scored = Signature(INTER_JUDGE).with_items(version=VERSION)
    for text, coefficient in coefficients.items():
        values = correlate(scores.second, scores.human, coefficient, cell.experiment.correlation.grouping)
        related.arrays[f"{path}/{text}"] = values
        related.correlations.append(cell.row("", INTER_JUDGE, text, coefficient, values, scored))


def _keep_documents(related: Related, cell: _Cell, path: str) -> None:
    numbers = cell.segment_numbers()
    if numbers is not None:
        related.arrays[f"{path}/segments"] = numbers


def _tests(cell: _Cell, condition: str, coefficient: str, values_of: Mapping[str, FloatArray]) -> list[Row]:
    """Test every two metrics against each other; the pairs are the family of the correction."""
    rows: list[Row] = []
    if cell.experiment.correlation.undefined == "zero":
        values_of = {name: np.nan_to_num(values, nan=0.0) for name, values in values_of.items()}
    pairs = list(itertools.combinations(values_of, 2))
    for settings in cell.experiment.tests:
        test = get_test(settings.method)
        results = [test(values_of[first], values_of[second]) for first, second in pairs]
        p_values = [result.p for result in results]
        corrected = holm(p_values) if settings.correction == "holm" else np.array(p_values)
        tested = test.signature.with_items(over=settings.over, correction=settings.correction, family=len(pairs))
        signature = cell.signature(tested, get_coefficient(coefficient))
        for (first, second), result, p in zip(pairs, results, corrected, strict=True):
            rows.append(
                {
                    **cell.keys(condition, coefficient),
                    "metric_a": first,
                    "metric_b": second,
                    "difference": result.difference,
                    "rank_sum_positive": result.positive,
                    "rank_sum_negative": result.negative,
                    "p": result.p,
                    "p_corrected": float(p),
                    "n_pairs": result.n_pairs,
                    "n_zero": result.n_zero,
                    "signature": str(signature.with_items(distribution=result.method)),
                }
            )
    return rows
