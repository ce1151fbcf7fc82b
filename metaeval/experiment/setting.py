"""A setting of an experiment: its documents, scorers and scores, and the key and signature of its rows in tables."""

from __future__ import annotations

import copy
import statistics
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from metaeval.components.coefficient import Coefficient
from metaeval.config.schema import Experiment, UncertaintySettings
from metaeval.correlation.averages import coefficients_of_lines, line_coefficients, summarise
from metaeval.correlation.standard_error import effective, too_few
from metaeval.datamodel.corpus import BoolArray, Corpus, Criterion, FloatArray, IntArray
from metaeval.experiment.judge import CriterionDocuments, JudgedDocuments
from metaeval.experiment.scorers import Scorer, constant_scorer, judges_scorer, metric_scorer, score_documents
from metaeval.experiment.statistics_by_metric import Measured, select_systems
from metaeval.experiment.undefined import why_undefined
from metaeval.judgments.combining import reduce_items
from metaeval.parameters.calls import Signature
from metaeval.results.keys import DocumentKind, Key
from metaeval.results.rows import Undefined
from metaeval.sampling.references import ReferenceGroup
from metaeval.scores.precomputed import are_means

if TYPE_CHECKING:
    from metaeval.experiment.replicates import Replicates


@dataclass(eq=False)
class Setting:
    """A corpus, a criterion, a group of reference subsets and a length of documents, where metrics are compared.

    It also holds the scores, and the coefficients and replicates that are computed from them.

    Attributes
    ----------
    corpus : Corpus
        With the systems that somebody judged.
    experiment : Experiment
    panel : str
        The title of the panel or task that it belongs to, with which its keys begin; "" where there are none.
    criterion : Criterion
    judges : str
        Who judged, in words.
    group : ReferenceGroup
    systems : (systems,) int array
        The positions of its systems among those of the corpus that was read.
    documents : JudgedDocuments
        The documents that are scored, and the human scores.
    coefficients : mapping of str to Coefficient
        By their names; with the human scores of the items, where they need these.
    scorers : sequence of Scorer
        Metrics, with a constant metric after them where one is rewarded; or the judges alone.
    scores : sequence of (subsets or 1, documents, systems) float arrays
        Of each scorer; ``nan`` where there is none.
    replicates : Replicates or None
        None until they are made, and where no interval and no test needs them.
    """

    corpus: Corpus
    experiment: Experiment
    panel: str
    criterion: Criterion
    judges: str
    group: ReferenceGroup
    systems: IntArray
    documents: JudgedDocuments
    coefficients: Mapping[str, Coefficient]
    scorers: Sequence[Scorer]
    scores: Sequence[FloatArray]
    replicates: Replicates | None = None

    @property
    def name(self) -> str:
        """Its name in its panel, for messages."""
        length = "documents" if self.documents.length is None else str(self.documents.length)
        return f"{self.corpus.name}/{self.group}/{self.criterion.name}/{length}"

    @property
    def is_of_judges(self) -> bool:
        """True if judges are correlated with one another, and no metric."""
        return self.scorers[0].is_judges

    @property
    def human(self) -> FloatArray:
        """The human scores: (documents, systems)."""
        return self.documents.human

    @cached_property
    def has_stored_people(self) -> bool:
        """True if the human scores came with the corpus and are not means of its judgments, so parts have none."""
        if self.experiment.judgments.rule != "stored":
            return False
        return not are_means(self.human[0], reduce_items(self.documents.items, "mean")[..., 0])

    @cached_property
    def values(self) -> Mapping[str, Sequence[FloatArray]]:
        """The values of each coefficient for each scorer: (documents,), or (systems,), or (1,)."""
        return {
            text: coefficients_of_lines(
                [(scores, scorer.relations[text]) for scorer, scores in zip(self.scorers, self.scores, strict=True)],
                self.human,
                self.experiment.correlation.average_by,
            )
            for text in self.coefficients
        }

    @cached_property
    def why_no_replicates(self) -> str:
        """The reason why no replicate has a value; "" if one can, or if there are too few units for any interval."""
        if self.replicates is None or too_few(self.units(len(self.systems))):
            return ""
        return self.replicates.resamples.undefined_because

    def counted(self, number: int, text: str) -> FloatArray:
        """Return the values of a coefficient for a scorer; 0 for undefined if `correlation.undefined` is "zero"."""
        values = self.values[text][number]
        return np.nan_to_num(values, nan=0.0) if self.experiment.correlation.undefined == "zero" else values

    def mean(self, number: int, text: str) -> float:
        """Return the mean of a coefficient for a scorer, as it is reported."""
        return summarise(self.counted(number, text)).mean

    def reasons(self, number: int, text: str) -> Undefined:
        """Count the undefined values of a coefficient for a scorer, by the cause."""
        average_by = self.experiment.correlation.average_by
        return why_undefined(self.scores[number], self.human, np.isnan(self.values[text][number]), average_by)

    def metrics(self, preprocessing: str) -> list[int]:
        """Return the positions of the metrics of a preprocessing among the scorers."""
        return [
            number
            for number, scorer in enumerate(self.scorers)
            if scorer.is_metric and scorer.preprocessing == preprocessing
        ]

    def constant(self, preprocessing: str) -> int | None:
        """Return the position of the constant metric beside those of a preprocessing, if there is one."""
        numbers = (
            number
            for number, scorer in enumerate(self.scorers)
            if scorer.is_constant and scorer.preprocessing == preprocessing
        )
        return next(numbers, None)

    @cached_property
    def resampled_axis(self) -> str:
        """The axis of the data that is resampled: ``segments``, ``documents``, ``systems`` or ``both``.

        It is ``segments`` where the documents of an experiment are its real documents, each a cell of that axis; and
        ``documents`` where segments are resampled by the real documents that they belong to. `resampled` names units.
        """
        unit = self.experiment.uncertainty.resample
        if unit != "text":
            return unit
        units = self.experiment.documents.units
        documents = self.corpus.documents
        if units.unit == "documents" or documents is None:
            return "segments"
        n_documents = len({documents[segment] for segment in self.documents.segments})
        return "documents" if n_documents < len(self.documents.segments) else "segments"

    @property
    def _document_names(self) -> list[str]:
        """The name of the real document of each segment, (eligible,)."""
        assert self.corpus.documents is not None
        return [self.corpus.documents[segment] for segment in self.documents.segments]

    @property
    def _real_documents(self) -> IntArray:
        """The number of the real document of each segment, (eligible,)."""
        names = self._document_names
        number_of = {name: number for number, name in enumerate(dict.fromkeys(names))}
        return np.array([number_of[name] for name in names], dtype=np.int64)

    @cached_property
    def drawn_documents(self) -> tuple[str, ...]:
        """The names of the documents that are resampled, in the order in which they are counted.

        Where each segment is a document, they are those of the segments. There are none if the corpus names none, if
        systems are resampled, or if the experiment chooses segments.
        """
        unit = self.experiment.uncertainty.resample
        if unit in ("systems", "both"):
            return ()
        if self.experiment.documents.units.unit == "documents":
            return tuple(self.documents.weights.labels)
        if unit in ("text", "documents") and self.corpus.documents is not None:
            return tuple(dict.fromkeys(self._document_names))
        return ()

    @cached_property
    def documents_of_segments(self) -> IntArray | None:
        """The real document of each segment, (eligible,), if documents are resampled; None if segments are."""
        is_of_segments = self.experiment.documents.units.unit != "documents"
        return self._real_documents if is_of_segments and self.resampled_axis == "documents" else None

    @property
    def resampled(self) -> str:
        """The resampled units, for tables: ``segments``, ``documents``, ``systems``, or two of them with a plus."""
        unit = self.experiment.documents.units.unit
        return {"segments": unit, "both": f"{unit}+systems"}.get(self.resampled_axis, self.resampled_axis)

    @property
    def resampling_items(self) -> tuple[tuple[str, object], ...]:
        """The items of signatures that describe a bootstrap."""
        return (("resample", self.resampled), ("resamples", self.experiment.uncertainty.replicates))

    @property
    def n_units(self) -> int:
        """The number of segments or documents that replicates draw from, judged or not."""
        if (documents := self.documents_of_segments) is not None:
            return int(documents.max(initial=-1)) + 1
        kind = self.experiment.documents.units
        return len(self.documents.segments if kind.is_whole or kind.is_drawn else self.documents.weights)

    @cached_property
    def judged(self) -> BoolArray:
        """The segments that the human score of each system is over: (systems, eligible)."""
        counts = self.documents.items.counts
        return np.ones_like(counts, dtype=bool) if self.has_stored_people else counts > 0

    @property
    def _judged_masks(self) -> BoolArray:
        """Segments on which each system was judged: (systems, segments), or one row if they are the same for all.

        Where each document has a coefficient of its own: one row with the documents on which any system was judged.
        """
        kind = self.experiment.documents.units
        if not (kind.is_whole or kind.is_drawn):
            return np.atleast_2d(np.isfinite(self.human).any(axis=1))
        same: bool = (self.judged == self.judged[:1]).all()
        return self.judged[:1] if same else self.judged

    @cached_property
    def sample_size(self) -> float:
        """The number of segments or documents that human scores are over, and so what they say about others.

        Of documents of unequal size it is the number of documents of equal size that say as much. Where systems were
        judged on different segments, it is the harmonic mean over systems: the variance of a mean is inverse to it.
        """
        documents = self.documents_of_segments
        sizes = [float(mask.sum()) if documents is None else effective(documents[mask]) for mask in self._judged_masks]
        return statistics.harmonic_mean(sizes)

    @property
    def judged_documents(self) -> IntArray | None:
        """The document of each segment that human scores are over; None where systems were judged on different ones."""
        masks = self._judged_masks
        if self.documents_of_segments is None or len(masks) > 1:
            return None
        judged: IntArray = self.documents_of_segments[masks[0]]
        return judged

    def units(self, n_systems: int) -> dict[str, float]:
        """Return the number of units of each kind that is resampled, or that a mean is taken over."""
        is_of_segments = self.documents_of_segments is None
        unit = self.experiment.documents.units.unit if is_of_segments else "documents"
        of_text: dict[str, float] = {} if self.resampled_axis == "systems" else {unit: self.sample_size}
        return of_text | ({"systems": n_systems} if self.resampled_axis in ("systems", "both") else {})

    def fewest_units(self, n_documents: int) -> int:
        """Return the least number of units that a bootstrap draws from: segments, defined documents, or systems."""
        n_systems = len(self.corpus.systems)
        documents = self.documents_of_segments
        counts = [int(mask.sum()) if documents is None else len(set(documents[mask])) for mask in self._judged_masks]
        of_text = round(statistics.harmonic_mean(counts))
        if not self.experiment.documents.units.is_whole and self.experiment.correlation.average_by == "item":
            of_text = min(of_text, n_documents)
        sizes = {"segments": of_text, "documents": of_text, "systems": n_systems}
        return sizes.get(self.resampled_axis, min(of_text, n_systems))

    @property
    def is_pooled(self) -> bool:
        """True if a coefficient pools segments, or those of a system."""
        correlation = self.experiment.correlation
        whole_systems = all(named.kind.needs_all_cells for named in correlation.coefficients)
        return not self.experiment.documents.units.is_whole and correlation.average_by != "item" and not whole_systems

    @cached_property
    def human_key(self) -> Hashable:
        """Key of the human scores: equal keys have equal human scores for the same documents."""
        corpus = self.corpus
        experiment = self.experiment
        documents = self.documents
        items = documents.segments.tobytes(), self.systems.tobytes(), documents.second is not None
        judgments = repr(experiment.judgments), experiment.seed
        return corpus.name, corpus.digest, corpus.filter, self.criterion.name, self.judges, judgments, items

    @cached_property
    def score_key(self) -> Hashable:
        """Key of the scores: for equal keys, a scorer gives the same documents the same scores."""
        corpus = self.corpus
        items = self.documents.metric_items
        segments = self.documents.segments.tobytes(), None if items is None else items.tobytes()
        texts = corpus.name, corpus.digest, corpus.filter, self.systems.tobytes()
        return *texts, *segments, self.documents.length, self.group.label, self.group.subsets, self.group.combine

    def for_replicates(self) -> Setting:
        """Return the setting without what replicates do not read: texts, and code that another process may lack."""
        corpus = replace(self.corpus, candidates=(), references={}, sources=None, scores=(), whole=None)
        # Other processes may lack the code of a user's metric.
        experiment = copy.copy(self.experiment)
        for name in ("metrics", "figures"):
            object.__setattr__(experiment, name, ())
        return replace(self, corpus=corpus, experiment=experiment, scores=())

    def key(self, preprocessing: str = "", coefficient: str = "", metric: str = "") -> Key:
        """Return the key of a row or an array of the setting."""
        return Key(
            panel=self.panel,
            corpus=self.corpus.name,
            preprocessing=preprocessing,
            subset=str(self.group),
            criterion=self.criterion.name,
            judges=self.judges,
            documents=DocumentKind(self.experiment.documents.kind.written, self.documents.length),
            average_by=self.experiment.correlation.average_by,
            coefficient=coefficient,
            metric=metric,
        )

    @property
    def n_references(self) -> float:
        """References of a subset; where sizes differ, those that the segments have on average."""
        sizes = {len(subset.names) for subset in self.group.subsets}
        # Rounded, so that groups of the same references on other segments share a row in tables.
        return float(sizes.pop()) if len(sizes) == 1 else float(f"{self.documents.mean_references:.4g}")

    def segment_numbers(self) -> np.ndarray[Any, Any] | None:
        """Return the segment numbers of the documents, (documents, length), where they have equal lengths."""
        indices = self.documents.weights.indices
        return None if indices is None else self.corpus.numbers[self.documents.segments[indices]].astype(np.int32)

    @cached_property
    def _judged(self) -> str:
        """The rule for which segments count, and the number of their items that were judged, if not all."""
        required = self.experiment.require
        over = self.documents.metric_items is not None
        has = self.documents.items.counts > 0
        share = "" if has.all() else f"({int(has.sum())}/{has.size})"
        return f"{required}{share}{',metric-over=judged' if over else ''}"

    def signature(self, scored: Signature, coefficient: Coefficient) -> Signature:
        """Return the signature of a correlation from that of the metric's scores."""
        documents = self.experiment.documents
        judgments = self.experiment.judgments
        correlation = self.experiment.correlation
        uncertainty = self.experiment.uncertainty
        is_drawn = documents.units.is_drawn
        resamples = uncertainty.interval.needs_replicates
        is_random = is_drawn or judgments.rule == "draw" or resamples
        drawn = (
            ("segments", self.documents.length),
            ("count", documents.count),
            ("replacement", documents.replacement),
        )
        return scored.with_pairs(
            (
                *self.corpus.signature_items,
                ("refs", self.group),
                *((("combine", self.group.combine),) if len(self.group.subsets) > 1 else ()),
                ("nrefs", f"{self.documents.mean_references:.4g}"),
                ("require", self.experiment.references.require),
                ("criterion", self.criterion.name),
                ("judges", self.judges),
                ("normalise", judgments.normalise.kind),
                ("rule", judgments.rule),
                *((("ties", judgments.ties),) if judgments.ties == "exact" else ()),
                ("judged", self._judged),
                ("docs", documents.kind.written),
                *(drawn if is_drawn else ()),
                ("eligible", f"{len(self.documents.segments)}/{self.corpus.n_segments}"),
                ("coefficient", coefficient.name),
                *coefficient.signature_items,
                ("average_by", correlation.average_by),
                ("orientation", correlation.orientation),
                ("undefined", correlation.undefined),
                ("interval", _interval(uncertainty)),
                *(self.resampling_items if resamples else ()),
                *((("seed", self.experiment.seed),) if is_random else ()),
            )
        )


def _interval(settings: UncertaintySettings) -> str:
    interval = settings.interval
    return interval.name if interval.is_none else f"{interval.name}({settings.confidence_level:g})"


def settings_of(
    corpus: Corpus, measured: Sequence[Measured], judged: CriterionDocuments, experiment: Experiment, panel: str = ""
) -> Iterator[Setting]:
    """Yield the settings of a criterion and a reference group: of metrics for each length, then of judges.

    Their documents are scored.

    Parameters
    ----------
    corpus : Corpus
    measured : sequence of Measured
        The statistics of all systems of the corpus.
    judged : CriterionDocuments
    experiment : Experiment
    panel : str

    Raises
    ------
    MetricError
        If a metric fails.
    """
    scored_corpus = corpus.of_systems(judged.systems)
    group = judged.group
    subsets = {*judged.group.subsets}
    in_group = select_systems([item for item in measured if item.subset in subsets], judged.systems)
    by_subset = {(item.preprocessing, item.named, item.subset): item for item in in_group}
    metrics = list(dict.fromkeys((item.preprocessing, item.named) for item in in_group))
    shared = scored_corpus, experiment, panel, judged.criterion, judged.judges, group, judged.systems
    for documents in judged.documents:
        coefficients = _coefficients(documents, experiment)
        scorers = [
            metric_scorer(
                scored_corpus,
                judged.criterion,
                group,
                documents,
                [by_subset[preprocessing, named, subset] for subset in group.subsets],
                coefficients,
                experiment,
            )
            for preprocessing, named in metrics
        ]
        if _rewards_constants(documents.human, coefficients, experiment.correlation.average_by):
            treatments = dict.fromkeys(preprocessing for preprocessing, _ in metrics)
            scorers.extend(constant_scorer(preprocessing, coefficients) for preprocessing in treatments)
        yield Setting(*shared, documents, coefficients, scorers, _scores(scorers, documents))
    for documents in judged.inter_judge:
        coefficients = _coefficients(documents, experiment)
        scorers = [judges_scorer(coefficients)]
        yield Setting(*shared, documents, coefficients, scorers, _scores(scorers, documents))


def _scores(scorers: Sequence[Scorer], documents: JudgedDocuments) -> list[FloatArray]:
    """Return the scores of documents, with published scores of whole systems where a scorer has them."""
    return [
        scores if scorer.published is None else scorer.published[np.newaxis, np.newaxis]
        for scorer, scores in zip(scorers, score_documents(scorers, documents), strict=True)
    ]


def _coefficients(documents: JudgedDocuments, experiment: Experiment) -> dict[str, Coefficient]:
    """Return the coefficients of an experiment by name, with the human scores of items for those that need them."""
    coefficients = {named.written: named.kind for named in experiment.correlation.coefficients}
    if any(coefficient.needs_items for coefficient in coefficients.values()):
        human = reduce_items(documents.items, experiment.judgments.rule)[..., 0].T
        return {text: coefficient.of_items(human) for text, coefficient in coefficients.items()}
    return coefficients


def _rewards_constants(human: FloatArray, coefficients: Mapping[str, Coefficient], average_by: str) -> bool:
    """Return whether some coefficient gives a constant metric more than its least value, because people give ties."""
    constant = np.zeros((1, *human.shape))
    for coefficient in coefficients.values():
        if coefficient.counts_ties:
            values = line_coefficients(constant, human, coefficient, average_by)
            if (values > coefficient.lowest).any():
                return True
    return False
