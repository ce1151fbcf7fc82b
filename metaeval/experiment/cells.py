"""One place of the grid of an experiment, the lines that stand in it, and how they are named in tables."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from metaeval.contracts import Coefficient
from metaeval.correlation.averages import Relation, line_coefficients, orient
from metaeval.correlation.standard_error import FEWEST, effective
from metaeval.experiment.document_scores import MetricScores, document_scores
from metaeval.experiment.humans import HumanScores, JudgedDocuments
from metaeval.experiment.measured import Measured
from metaeval.judgments.rules import reduce_items
from metaeval.metrics import is_built_in
from metaeval.metrics.text_metric import TextMetric, mean_score
from metaeval.names import Signature
from metaeval.records import CONSTANT, INTER_JUDGE, BoolArray, Corpus, FloatArray, IntArray
from metaeval.results.keys import DocumentKind, Key
from metaeval.schema import Experiment, UncertaintySettings
from metaeval.store import digest
from metaeval.version import VERSION

# Why scores of whole systems have no replicates of text.
STORED = 'scores of whole systems alone have no replicates over segments; resample = "systems" draws systems'


@dataclass(frozen=True)
class Cell:
    """A setting in which metrics are compared: a corpus, a criterion, reference subsets and a length of documents.

    Attributes
    ----------
    corpus, judged, scores, experiment
        What is correlated, and how.
    panel : str
        The title of the panel or task that it belongs to, with which its keys begin; "" where there are none.
    """

    corpus: Corpus
    judged: JudgedDocuments
    scores: HumanScores
    experiment: Experiment
    panel: str = ""

    @cached_property
    def coefficients(self) -> dict[str, Coefficient]:
        """The coefficients by their names, of the human scores of the items where they need these."""
        found = {one.written: one.kind for one in self.experiment.correlation.coefficients}
        if any(one.needs_items for one in found.values()):
            human = reduce_items(self.scores.items, self.experiment.judgments.rule)[..., 0].T
            found = {text: one.of_items(human) for text, one in found.items()}
        return found

    @property
    def rewards_constants(self) -> bool:
        """Whether some coefficient gives a constant metric more than its least value, for the ties of people."""
        coefficients = [one for one in self.coefficients.values() if one.counts_ties]
        human, average_by = self.scores.human, self.experiment.correlation.average_by
        scores = np.zeros((1, *human.shape))
        found = [(one, line_coefficients(scores, human, one, average_by)) for one in coefficients]
        return any(bool((values > one.lowest).any()) for one, values in found)

    @property
    def path(self) -> str:
        """The name of the cell in its panel, for messages."""
        length = "documents" if self.scores.length is None else str(self.scores.length)
        return f"{self.corpus.name}/{self.judged.group}/{self.judged.criterion.name}/{length}"

    @cached_property
    def resample(self) -> str:
        """What is drawn again, or generalised to: ``segments``, ``documents``, ``systems`` or ``both``."""
        what = self.experiment.uncertainty.resample
        if what != "text":
            return what
        units = self.experiment.documents.units
        fixed = not (units.is_whole or units.is_single) or self.experiment.judgments.rule == "draw"
        if fixed or self.corpus.documents is None:
            return "segments"
        n_documents = effective(self._documents_of_segments)
        return "documents" if FEWEST["documents"] <= n_documents < len(self.scores.segments) else "segments"

    @property
    def _documents_of_segments(self) -> IntArray:
        """The number of the real document of each segment, (eligible,)."""
        assert self.corpus.documents is not None
        names = [self.corpus.documents[segment] for segment in self.scores.segments]
        number = {name: place for place, name in enumerate(dict.fromkeys(names))}
        return np.array([number[name] for name in names], dtype=np.int64)

    @cached_property
    def groups(self) -> IntArray | None:
        """The real document of each segment, (eligible,), where documents are drawn again; None where segments are."""
        units = self.experiment.documents.units
        if self.resample != "documents" or not (units.is_whole or units.is_single):
            return None
        return self._documents_of_segments

    @property
    def resampled(self) -> str:
        """What is drawn again: ``segments``, ``documents``, ``systems``, or two of them with a plus."""
        unit = self.experiment.documents.units.unit
        return {"segments": unit, "both": f"{unit}+systems"}.get(self.resample, self.resample)

    @property
    def resampling_items(self) -> tuple[tuple[str, object], ...]:
        """What signatures say of a bootstrap."""
        return (("resample", self.resampled), ("resamples", self.experiment.uncertainty.replicates))

    @property
    def n_units(self) -> int:
        """How many segments or documents there are to draw."""
        if (groups := self.groups) is not None:
            return int(groups.max(initial=-1)) + 1
        kind = self.experiment.documents.units
        return len(self.scores.segments if kind.is_whole or kind.is_drawn else self.scores.documents)

    def drawn(self, n_systems: int) -> dict[str, int]:
        """Return how many units there are of each kind that is drawn again, or that a mean is taken over."""
        unit = self.experiment.documents.units.unit if self.groups is None else "documents"
        n_units = self.n_units if self.groups is None else effective(self.groups)
        of_text = {} if self.resample == "systems" else {unit: n_units}
        return of_text | ({"systems": n_systems} if self.resample in ("systems", "both") else {})

    @property
    def pooled(self) -> bool:
        """Whether a coefficient pools segments, or those of a system."""
        correlation = self.experiment.correlation
        whole_systems = all(one.kind.needs_all_cells for one in correlation.coefficients)
        return not self.experiment.documents.units.is_whole and correlation.average_by != "item" and not whole_systems

    def for_replicates(self) -> Cell:
        """Return the cell without what its replicates do not read: texts, and the documents of other lengths."""
        corpus = replace(self.corpus, candidates=(), references={}, sources=None, scores=(), whole=None)
        judged = replace(self.judged, scores=[], inter_judge=[])
        # The code of a metric that somebody has brought may not travel to a process.
        experiment = copy.copy(self.experiment)
        for name in ("metrics", "figures"):
            object.__setattr__(experiment, name, ())
        return replace(self, corpus=corpus, judged=judged, experiment=experiment)

    def key(self, preprocessing: str = "", coefficient: str = "", metric: str = "") -> Key:
        """Return where a number belongs."""
        return Key(
            panel=self.panel,
            corpus=self.corpus.name,
            preprocessing=preprocessing,
            subset=str(self.judged.group),
            criterion=self.judged.criterion.name,
            judges=self.judged.judges,
            documents=DocumentKind(self.experiment.documents.kind.written, self.scores.length),
            average_by=self.experiment.correlation.average_by,
            coefficient=coefficient,
            metric=metric,
        )

    @property
    def n_references(self) -> float:
        """References of a subset; where sizes differ, those that the segments have on average."""
        sizes = {len(subset.names) for subset in self.judged.group.subsets}
        # With so many digits, groups of the same references on other segments are one in tables.
        return float(sizes.pop()) if len(sizes) == 1 else float(f"{self.scores.mean_references:.4g}")

    def segment_numbers(self) -> np.ndarray[Any, Any] | None:
        """Return the segment numbers of the documents, (documents, length), where they have equal lengths."""
        indices = self.scores.documents.indices
        return None if indices is None else self.corpus.numbers[self.scores.segments[indices]].astype(np.int32)

    @cached_property
    def _judged(self) -> str:
        """Which segments count, and how many of their items were judged where some were not."""
        required, over = self.experiment.require, self.scores.metric_items is not None
        has = self.scores.items.counts > 0
        share = "" if has.all() else f"({int(has.sum())}/{has.size})"
        return f"{required}{share}{',metric-over=judged' if over else ''}"

    def signature(self, scored: Signature, coefficient: Coefficient) -> Signature:
        """Return the signature of a correlation from that of the score."""
        documents, judgments = self.experiment.documents, self.experiment.judgments
        correlation, uncertainty = self.experiment.correlation, self.experiment.uncertainty
        is_drawn, resamples = documents.units.is_drawn, uncertainty.interval.needs_replicates
        chance = is_drawn or judgments.rule == "draw" or resamples
        drawn = (("segments", self.scores.length), ("count", documents.count), ("replacement", documents.replacement))
        return scored.with_pairs(
            (
                *self.corpus.signature_items,
                ("refs", self.judged.group),
                *((("combine", self.judged.group.combine),) if len(self.judged.group.subsets) > 1 else ()),
                ("nrefs", f"{self.scores.mean_references:.4g}"),
                ("require", self.experiment.references.require),
                ("criterion", self.judged.criterion.name),
                ("judges", self.judged.judges),
                ("normalise", judgments.normalise.kind),
                ("rule", judgments.rule),
                *((("ties", judgments.ties),) if judgments.ties == "exact" else ()),
                ("judged", self._judged),
                ("docs", documents.kind.written),
                *(drawn if is_drawn else ()),
                ("eligible", f"{len(self.scores.segments)}/{self.corpus.n_segments}"),
                ("coefficient", coefficient.name),
                *coefficient.signature_items,
                ("average_by", correlation.average_by),
                ("orientation", correlation.orientation),
                ("undefined", correlation.undefined),
                ("interval", _interval(uncertainty)),
                *(self.resampling_items if resamples else ()),
                *((("seed", self.experiment.seed),) if chance else ()),
            )
        )


def _interval(settings: UncertaintySettings) -> str:
    interval = settings.interval
    return interval.name if interval.is_none else f"{interval.name}({settings.confidence_level:g})"


ScoresOf: TypeAlias = MetricScores | Callable[[HumanScores], FloatArray]


@dataclass(frozen=True)
class Line:
    """What is correlated with human scores in a cell: a metric under a preprocessing, or other judges.

    Attributes
    ----------
    preprocessing, name : str
        As tables show them.
    signature : Signature
        Of its scores.
    relations : mapping of str to Relation
        The oriented coefficients, by their names.
    signs : (int, int)
        What metric and human scores are multiplied by so that high means good on both sides; (1, 1) for the
        orientation ``raw``.
    scores_of : MetricScores or callable
        Gives the scores of documents: see :func:`scores_of_lines`.
    origin : callable
        Gives a digest of all that the scores of a metric or a constant depend on beside the documents, by which cells
        with the same documents share them; "" for judges.
    travels : bool
        Whether every process has the code of its scores: the metric is one of metaeval's, or means of segment scores.
    is_stored : bool
        Whether its scores are of whole systems alone, so that no part of the corpus has one.
    is_metric : bool
        Whether it is ranked: neither a constant nor judges.
    holes : (systems, segments) bool array, or None
        The texts without a score of their own, where there are any.
    published : (systems,) float array, or None
        Of whole systems, scores to the last published digit, in the place of means that are equal but for rounding.
    """

    preprocessing: str
    name: str
    signature: Signature
    relations: Mapping[str, Relation]
    signs: tuple[int, int]
    scores_of: ScoresOf
    origin: Callable[[], str]
    travels: bool = True
    is_stored: bool = False
    is_metric: bool = True
    holes: BoolArray | None = None
    published: FloatArray | None = None


def metric_line(cell: Cell, of_subsets: Sequence[Measured]) -> Line:
    """Return the line of a metric, scored against all subsets of the group of a cell."""
    first, group = of_subsets[0], cell.judged.group
    metric, criterion = first.named.kind, cell.judged.criterion
    orientation = cell.experiment.correlation.orientation
    if cell.experiment.documents.units.is_whole and group.combine == "documents":
        # The one document uses the first subset; its replicates are the same document and do so too.
        of_subsets, group = of_subsets[:1], replace(group, subsets=group.subsets[:1])
    relations = {
        text: orient(
            coefficient, same_direction=metric.higher_is_better == criterion.higher_is_better, orientation=orientation
        )
        for text, coefficient in cell.coefficients.items()
    }
    is_raw = orientation == "raw"
    signs = (1 if is_raw or metric.higher_is_better else -1, 1 if is_raw or criterion.higher_is_better else -1)

    is_of_texts = isinstance(metric, TextMetric) and len(of_subsets) == 1
    scale, written, combine = _scale(of_subsets), first.named.written, group.combine
    # Not the metric itself: its code may not travel to another process.
    is_mean = isinstance(metric, TextMetric) and type(metric).score is TextMetric.score
    score = mean_score if is_mean else metric.score
    statistics = [item.statistics for item in of_subsets]
    scored = metric.signature.with_pairs(first.preprocessing_signature.items)
    is_whole = cell.experiment.documents.units.is_whole
    published = metric.system_scores(cell.corpus) if is_whole and isinstance(metric, TextMetric) else None
    # Published scores are means over all segments; over fewer, as those that were judged, they have no replicates.
    over_all = cell.scores.metric_items is None and len(cell.scores.segments) == cell.corpus.n_segments
    stored = isinstance(metric, TextMetric) and metric.of_whole_systems(cell.corpus)
    stored |= published is not None and not over_all
    travels = is_mean or is_built_in(metric)
    scores_of = MetricScores(score, statistics, combine, scale, written, is_of_texts)
    is_sum = not stored and first.statistics.names == ("sum", "count")
    holes = first.statistics.values[..., 1] == 0 if is_sum else None
    return Line(
        first.preprocessing,
        written,
        scored,
        relations,
        signs,
        scores_of,
        lambda: digest(str(scored), combine, [item.digest for item in of_subsets]),
        travels,
        stored,
        holes=holes,
        published=published,
    )


def scores_of_lines(lines: Sequence[Line], scores: HumanScores) -> list[FloatArray]:
    """Return the scores of documents, (subsets or 1, documents, systems), by each of some lines of a cell."""
    metrics = [line.scores_of for line in lines if isinstance(line.scores_of, MetricScores)]
    found = []
    with np.errstate(over="ignore", invalid="ignore"):
        of_metrics = iter(
            document_scores(
                [(one.of_sums, one.of_subsets) for one in metrics],
                metrics[0].combine if metrics else "",
                scores.segments,
                scores.documents,
                scores.metric_items,
                scores.repeats,
            )
        )
        for line in lines:
            how = line.scores_of
            if isinstance(how, MetricScores):
                found.append(how.settled(next(of_metrics), scores.length))
            else:
                found.append(how(scores))
    return found


def _scale(of_subsets: Sequence[Measured]) -> float:
    """Return the largest magnitude among scores of both signs, whose mean may be near 0; 0 if they have one sign."""
    low, high = 0.0, 0.0
    for item in of_subsets:
        if item.statistics.names == ("sum", "count"):
            low = min(low, float(np.nanmin(item.statistics.values[..., 0], initial=0.0)))
            high = max(high, float(np.nanmax(item.statistics.values[..., 0], initial=0.0)))
    return max(-low, high) if low < 0 < high else 0.0


def judges_line(cell: Cell) -> Line:
    """Return the line that correlates a second draw of judgments with the first, as if it were a metric."""

    def scores_of(scores: HumanScores) -> FloatArray:
        assert scores.second is not None
        return scores.second[np.newaxis]

    return _no_metric(INTER_JUDGE, "", cell.coefficients, scores_of, str)


def constant_line(preprocessing: str, cell: Cell) -> Line:
    """Return the line of a metric that gives every text the same score."""
    n_systems = cell.scores.human.shape[1]

    def scores_of(scores: HumanScores) -> FloatArray:
        return np.zeros((1, len(scores.documents), n_systems))

    return _no_metric(CONSTANT, preprocessing, cell.coefficients, scores_of, lambda: digest(CONSTANT, n_systems))


def _no_metric(
    name: str,
    preprocessing: str,
    coefficients: Mapping[str, Coefficient],
    scores_of: ScoresOf,
    origin: Callable[[], str],
) -> Line:
    signature = Signature(name).with_items(version=VERSION)
    return Line(preprocessing, name, signature, dict(coefficients), (1, 1), scores_of, origin, is_metric=False)
