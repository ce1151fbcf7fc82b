"""The schema of an experiment: one serves all published experiments. Unknown keys are errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from metaeval.components.coefficient import Coefficient
from metaeval.components.correction import Correction
from metaeval.components.design import Design
from metaeval.components.documents import DocumentUnits
from metaeval.components.figure import Figure
from metaeval.components.interval import Interval
from metaeval.components.registries import (
    COEFFICIENTS,
    CORRECTIONS,
    DEFAULT_PREPROCESSING,
    DOCUMENTS,
    FIGURES,
    INTERVALS,
    METHODS,
    TESTS,
)
from metaeval.components.registry import later
from metaeval.components.test import Test
from metaeval.config.bands import BandSettings
from metaeval.config.defaults import ALPHA, defaults_of
from metaeval.config.filters import FilterSettings
from metaeval.errors import UsageError, listing
from metaeval.parameters.fields import Named, Parsed, parameter

TIES = ("rounded", "exact")
RULES = ("mean", "median", "draw", "stored")
AVERAGE_BY = ("item", "system", "none")
ORIENTATIONS = ("aligned", "raw")
UNDEFINED = ("exclude", "zero")
RESAMPLED = ("text", "segments", "documents", "systems", "both")
REQUIRED = ("all", "any")
LIMITS = METHODS["bootstrap"]


@dataclass(frozen=True)
class ReferenceSettings:
    """[references]: what the candidates are compared with."""

    subsets: Literal["all", "each", "leave-one-out", "every", "random"] | tuple[str, ...] = parameter(
        "all",
        doc="all references together, each single one, all but one (jackknife), every or random subsets of a size, or "
        "a list of subsets such as ref1+ref2",
    )
    sizes: Literal["all"] | tuple[int, ...] = parameter(
        (), doc="references in a subset, for every and random; all: from one to all that there are", minimum=1
    )
    names: Literal["all"] | tuple[str, ...] = parameter(
        "all", doc="the references that subsets are made of, such as those that nearly every segment has"
    )
    count: int = parameter(100, doc="random subsets of each size", minimum=1, maximum=100_000)
    combine: Literal["separate", "documents", "scores", "correlations"] | None = parameter(
        None,
        doc="how several subsets make one line: document d uses subset d modulo their number (documents), or scores or "
        "correlations are averaged; by default scores for leave-one-out, documents for every and random, else separate",
    )
    require: str = parameter(
        "any", doc="whether a segment needs any or all references of the subset", choices=("any", "all")
    )


@dataclass(frozen=True)
class DocumentSettings(Parsed):
    """[documents]: the units that are scored."""

    kind: Named[DocumentUnits] = parameter(
        "pseudo",
        doc="the whole corpus, single segments, real or pseudo-documents",
        choices=tuple(DOCUMENTS),
        parse=DOCUMENTS.named,
    )
    lengths: tuple[int, ...] = parameter((), doc="segments in a pseudo-document", minimum=1, maximum=1_000_000)
    count: int = parameter(1000, doc="pseudo-documents of each length", minimum=1, maximum=1_000_000)
    replacement: bool = parameter(False, doc="whether a pseudo-document may hold a segment twice")

    @property
    def units(self) -> DocumentUnits:
        """The kind of documents."""
        return self.kind.kind

    def __post_init__(self) -> None:
        super().__post_init__()
        kind = self.units
        name = self.kind.written
        if kind.is_drawn and not self.lengths:
            raise UsageError("`documents.lengths` is missing: how many segments does a pseudo-document have?")
        if not kind.is_drawn and self.lengths:
            raise UsageError(f"`documents.lengths` belongs to pseudo-documents, not to kind {name!r}.")
        if not kind.is_drawn and (self.count, self.replacement) != (1000, False):
            raise UsageError(f"`documents.count` and `replacement` belong to pseudo-documents, not to kind {name!r}.")
        if len(set(self.lengths)) < len(self.lengths):
            raise UsageError(f"`documents.lengths` names one twice: {list(self.lengths)!r}.")


@dataclass(frozen=True)
class JudgmentSettings(Parsed):
    """[judgments]: how the human scores are made."""

    judges: str | tuple[str, ...] | None = parameter(
        None,
        doc="a judge group, names or patterns such as expert*, or all; by default the default group of the corpus, and "
        "all judges where it has none",
    )
    normalise: Named[Any] = parameter(
        "none",
        doc="none, or z-scores by judge: z, z(ddof=0)",
        parse=later("metaeval.judgments.normalisation:get_normalisation"),
    )
    rule: str = parameter(
        "mean",
        doc="what several judgments of one output (a segment of a system) become; stored: whole systems have the human "
        "scores that came with the corpus",
        choices=RULES,
    )
    ties: str = parameter(
        "rounded",
        doc="which human scores are equal: those that differ in their last bits only, as sums in another order do "
        "(rounded: 40 bits of the largest score count); or those with the same bits (exact), as in mt-metrics-eval",
        choices=TIES,
    )
    require: str | None = parameter(
        None,
        doc="which segments count: all, those where every system was judged; any, each system over the segments where "
        "it was judged; by default any for whole systems and single segments, else all",
        choices=REQUIRED,
    )
    metric_over: str | None = parameter(
        None,
        doc="what the metrics score with require = any: by default all segments, or judged, those of each system alone",
        choices=("all", "judged"),
    )
    inter_judge: bool = parameter(False, doc="whether two draws of judgments are correlated as well (rule draw)")
    ceiling: int = parameter(
        0, doc="splits of the judgments for the noise ceiling; 0: none", minimum=0, maximum=100_000
    )


@dataclass(frozen=True)
class CorrelationSettings(Parsed):
    """[correlation]: how metric and human scores are correlated."""

    coefficients: tuple[Named[Coefficient], ...] = parameter(
        ("spearman",), doc="pearson, spearman, ...", parse=COEFFICIENTS.named
    )
    average_by: str = parameter(
        "",
        doc="item: one coefficient for each document, across systems; system: one for each system, across documents; "
        "none: one over all of them, the default of coefficients that take grids; otherwise item",
        choices=AVERAGE_BY,
    )
    orientation: str = parameter(
        "aligned",
        doc="aligned: the sign is flipped where lower is better, so that positive means agreement; raw: it is not",
        choices=ORIENTATIONS,
    )
    undefined: str = parameter(
        "exclude",
        doc="whether a coefficient that is undefined, as with equal scores, is left out of the mean or counts 0",
        choices=UNDEFINED,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        of_grids = [coefficient.written for coefficient in self.coefficients if coefficient.kind.takes_grid]
        if not self.average_by:
            object.__setattr__(self, "average_by", "none" if of_grids else "item")
        if of_grids and self.average_by != "none":
            raise UsageError(
                f"the coefficient {of_grids[0]!r} takes all documents and systems together: "
                f"`correlation.average_by` must be 'none' or left out; got {self.average_by!r}."
            )
        if of_grids and len(of_grids) < len(self.coefficients):
            others = listing(coefficient for coefficient in self.coefficients if not coefficient.kind.takes_grid)
            raise UsageError(
                f"the coefficient {of_grids[0]!r} takes all documents and systems together, and {others} vectors; "
                "give each a run or a panel of its own."
            )


@dataclass(frozen=True)
class UncertaintySettings:
    """[uncertainty]: the interval of each mean coefficient, and the replicates of intervals and tests."""

    method: str | None = parameter(
        None,
        doc="of the confidence interval: denoised, of whole systems; t, of a mean over segments or real documents; "
        "standard-error, of a bootstrap; jackknife, over systems; bootstrap, by limits; fisher, over systems; "
        "normal, of the mean over these documents, which says nothing of new text; or none; by default the one of the "
        "first four that keeps its coverage for what is correlated and resampled",
        choices=tuple(METHODS),
    )
    confidence_level: float = parameter(0.95, doc="above 0, below 1", minimum=0.000001, maximum=0.999999)
    resample: str = parameter(
        "text",
        doc="what intervals and tests generalise to: other segments or documents, for these systems; other systems, on "
        "these texts; or both; text: documents where the corpus names them, else segments",
        choices=RESAMPLED,
    )
    limits: str | None = parameter(
        None, doc="of the method bootstrap: percentiles (percentile), or corrected (bca)", choices=LIMITS
    )
    n_resamples: int | None = parameter(
        None,
        doc="replicates of a bootstrap or permutation: 2000 unless given, and 100 for pseudo-documents",
        minimum=2,
        maximum=1_000_000,
    )

    @property
    def replicates(self) -> int:
        """The number of replicates."""
        assert self.n_resamples is not None
        return self.n_resamples

    @property
    def interval(self) -> Interval:
        """The interval that method and limits name."""
        assert self.method is not None
        return INTERVALS[self.limits or METHODS[self.method][0]]()

    def __post_init__(self) -> None:
        if self.limits is not None and self.method is None:
            object.__setattr__(self, "method", "bootstrap")
        if self.limits is not None and self.limits not in METHODS[self.method or ""]:
            raise UsageError(
                f"`uncertainty.limits` = {self.limits!r} belongs to `uncertainty.method` = 'bootstrap'; got "
                f"{self.method!r}."
            )


@dataclass(frozen=True)
class TestSettings(Parsed):
    """[[tests]]: a test between every two metrics."""

    method: Named[Test] | None = parameter(
        None,
        doc="the test: denoised, t, standard-error, williams, permutation, bootstrap, wilcoxon(zeros='pratt'), ...; by "
        "default one that keeps its error rate for what is correlated and resampled",
        parse=TESTS.named,
    )
    over: str | None = parameter(None, doc="what pairs two metrics; by default the test's first axis")
    correction: Named[Correction] = parameter(
        "holm",
        doc="over all pairs of metrics of a corpus, preprocessing, reference subset, criterion, length and coefficient",
        choices=tuple(CORRECTIONS),
        parse=CORRECTIONS.named,
    )
    alpha: float = parameter(
        ALPHA, doc="the significance level: a smaller corrected p is significant", minimum=0.000001, maximum=0.999999
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.method is None:
            return
        axes = self.test.axes
        if self.over is not None and self.over not in axes:
            raise UsageError(
                f"the test {self.method.written!r} pairs metrics over {' or '.join(axes)}; got `over = {self.over!r}`."
            )

    @property
    def test(self) -> Test:
        """The test that `method` names."""
        return self.named.kind

    @property
    def named(self) -> Named[Test]:
        """The method, with the name that was written."""
        assert self.method is not None
        return self.method

    @property
    def axis(self) -> str:
        """The axis that pairs two metrics."""
        return self.over or self.test.axes[0]

    @property
    def pairs_cells(self) -> bool:
        """True if two metrics are paired over several cells of an experiment."""
        return self.axis in self.test.cell_axes


@dataclass(frozen=True)
class Experiment(Parsed):
    """An experiment: the cross product of its lists under its settings."""

    title: str = parameter(doc="what the experiment is about, in one line; over the figures and in the report")
    corpora: tuple[str, ...] = parameter(doc="names of corpora, or paths that are relative to the config")
    metrics: tuple[Named[Any], ...] = parameter(
        doc="metrics by name (`metaeval metrics list` shows them), with parameters: gtm(exponent=2); files, as in "
        "my_metric.py:name, are relative to the config",
        parse=later("metaeval.metrics:get_metric"),
    )
    source: str = parameter("", doc="the paper it follows: a key of the bibliography, such as turian2003, or words")
    seed: int = parameter(1, doc="random seed: the same seed gives the same bits", minimum=0)
    preprocessing: tuple[Named[Any], ...] = parameter(
        (DEFAULT_PREPROCESSING,),
        doc="how texts are preprocessed before a metric sees them: case, nocase or stem, with a tokenizer; without a "
        "tokenizer, texts are split at white space, as tokenized texts should be",
        parse=later("metaeval.text.preprocessing:get_preprocessing"),
    )
    criteria: Literal["all"] | tuple[str, ...] = parameter(
        "all", doc="criteria of the judgments, as named in the corpus, such as adequacy; all unless given"
    )
    source_formats: tuple[str, ...] = parameter(
        (),
        doc="formats of corpora that are not in the neutral layout, one for all or one for each (`metaeval corpus "
        "formats` lists them); recognised unless given",
    )
    filter: FilterSettings = parameter(factory=FilterSettings, doc="the systems, documents and segments that take part")
    references: ReferenceSettings = parameter(factory=ReferenceSettings, doc="what to compare with")
    documents: DocumentSettings = parameter(factory=DocumentSettings, doc="the units that are scored")
    judgments: JudgmentSettings = parameter(factory=JudgmentSettings, doc="the human scores")
    correlation: CorrelationSettings = parameter(factory=CorrelationSettings, doc="how they are correlated")
    bands: BandSettings = parameter(
        factory=BandSettings, doc="coefficients among good systems alone, beside those of all; none unless given"
    )
    uncertainty: UncertaintySettings = parameter(factory=UncertaintySettings, doc="the intervals")
    tests: tuple[TestSettings, ...] = parameter(
        factory=lambda: (TestSettings(),),
        doc="tests between metrics; one unless given, by its default method; [] for none",
    )
    figures: tuple[Figure, ...] = parameter((), doc="pictures", tables=FIGURES)
    labels: Mapping[str, str] = parameter(factory=dict, doc="what metrics, criteria, corpora and systems are called")

    def __post_init__(self) -> None:
        super().__post_init__()
        lists: dict[str, object] = {
            "corpora": self.corpora,
            "metrics": tuple(metric.written for metric in self.metrics),
            "preprocessing": tuple(treatment.written for treatment in self.preprocessing),
            "criteria": self.criteria,
            "references.subsets": self.references.subsets,
            "references.names": self.references.names,
            "judgments.judges": "default" if self.judgments.judges is None else self.judgments.judges,
            "correlation.coefficients": tuple(coefficient.kind for coefficient in self.correlation.coefficients),
        }
        for name, values in lists.items():
            if not values:
                raise UsageError(f"`{name}` must name at least one; got an empty list.")
            if isinstance(values, tuple) and len(set(values)) < len(values):
                raise UsageError(f"`{name}` names one twice: {list(values)!r}.")
        if len(self.source_formats) not in (0, 1, len(self.corpora)):
            raise UsageError(
                f"`source_formats` must name one format for all {len(self.corpora)} corpora or one for each; got "
                f"{len(self.source_formats)}."
            )
        if self.judgments.inter_judge and self.judgments.rule != "draw":
            raise UsageError(f"`judgments.inter_judge` needs rule 'draw'; got {self.judgments.rule!r}.")
        self._check_documents()
        if self.require == "any" and any(
            coefficient.kind.needs_all_cells for coefficient in self.correlation.coefficients
        ):
            raise UsageError(
                f"the coefficient {self.correlation.coefficients[0].written!r} needs segments where every system was "
                "judged: `judgments.require` must be 'all' or left out; got 'any'."
            )
        if self.require == "all" and self.judgments.metric_over is not None:
            raise UsageError(
                f"`judgments.metric_over` = {self.judgments.metric_over!r} belongs to `judgments.require` = 'any'; "
                "with 'all', metrics and people have the same segments."
            )
        design = self.design
        for coefficient in self.correlation.coefficients:
            coefficient.kind.check(design)
        for figure in self.figures:
            figure.check(design)
        self._complete(design)
        self.uncertainty.interval.check(design)
        if len({(test.named.written, test.axis) for test in self.tests}) < len(self.tests):
            raise UsageError("`tests` names one twice.")
        for test in self.tests:
            test.test.check(design, test.axis)
        self._check_bands(design)

    def _check_bands(self, design: Design) -> None:
        self.bands.check(design)
        if not self.bands.keys:
            return
        interval = self.uncertainty.interval
        is_over_texts = interval.is_none or interval.needs_replicates or interval.of_values
        if not is_over_texts or interval.needs_jackknife:
            raise UsageError(
                "`bands` have intervals over texts, for these systems: the interval must be 'denoised', 't', "
                f"'standard-error', 'percentile' or 'none'; got {interval.name!r}."
            )
        for test in self.tests:
            if not test.test.gives_interval:
                raise UsageError(
                    "`bands` are compared over texts, for these systems: the test must be 'denoised', 't', "
                    f"'standard-error' or 'bootstrap'; got {test.named.written!r}."
                )
        if self.bands.segments_above is not None and self.correlation.undefined == "zero":
            raise UsageError(
                "`bands.segments_above` leaves segments without a coefficient, which say nothing of a metric: "
                "`correlation.undefined` must be 'exclude'; got 'zero'."
            )

    def _complete(self, design: Design) -> None:
        """Fill in the interval, the tests and the replicates that were not named."""
        defaults = defaults_of(design)
        settings = self.uncertainty
        method = settings.method or defaults.interval
        n_resamples = settings.n_resamples or defaults.n_resamples
        object.__setattr__(self, "uncertainty", replace(settings, method=method, n_resamples=n_resamples))
        default_test = Named(defaults.test, TESTS.named(defaults.test))
        tests = tuple(test if test.method is not None else replace(test, method=default_test) for test in self.tests)
        object.__setattr__(self, "tests", tests)

    def _check_documents(self) -> None:
        units = self.documents.units
        first = self.correlation.coefficients[0]
        if self.judgments.rule == "stored" and not units.is_whole:
            raise UsageError(f"the rule 'stored' needs `documents.kind` = 'all'; got {units.name!r}.")
        if self.judgments.rule == "draw" and units.fixed_length(1, 1) is None:
            raise UsageError("the rule 'draw' needs documents of equal length; real documents take 'mean' or 'median'.")
        if units.is_whole and self.correlation.average_by == "system":
            raise UsageError(
                '`correlation.average_by = "system"` correlates across the documents of a system, and '
                '`documents.kind = "all"` makes one document.'
            )
        if first.kind.takes_grid and (units.is_whole or units.is_drawn):
            raise UsageError(
                f"the coefficient {first.written!r} takes scores of segments or real documents, which pseudo-documents "
                f"would count several times: `documents.kind` must be 'segments' or 'real'; got {units.name!r}."
            )
        if first.kind.takes_grid and self.judgments.ceiling:
            raise UsageError(f"`judgments.ceiling` has no ceiling for the coefficient {first.written!r}.")

    @property
    def require(self) -> str:
        """The segments that count, ``all`` or ``any``: those where every system was judged, or some."""
        if self.judgments.require is not None:
            return self.judgments.require
        needs_all = any(coefficient.kind.needs_all_cells for coefficient in self.correlation.coefficients)
        return "all" if needs_all else self.documents.units.require

    @property
    def metric_over(self) -> str:
        """The segments that metrics score where ``any`` counts: ``all``, or those where the system was ``judged``."""
        return self.judgments.metric_over or "all"

    @property
    def design(self) -> Design:
        """The facts that its intervals, tests and figures check."""
        references = self.references
        one_size = references.subsets in ("all", "each", "leave-one-out") or (
            references.subsets in ("every", "random") and references.sizes != "all" and len(references.sizes) < 2
        )
        return Design(
            documents=self.documents.units,
            orientation=self.correlation.orientation,
            lengths=self.documents.lengths,
            coefficients=self.correlation.coefficients,
            average_by=self.correlation.average_by,
            draws_judgments=self.judgments.rule == "draw",
            resample=self.uncertainty.resample,
            metrics=self.metrics,
            one_score=references.combine != "correlations",
            subsets=references.subsets,
            several_sizes=not one_size,
        )

    def formats_of(self, corpus: str) -> tuple[str, ...]:
        """Return the format of one of the corpora; nothing where it is to be recognised."""
        if len(self.source_formats) < 2:
            return self.source_formats
        return (self.source_formats[self.corpora.index(corpus)],)

    @property
    def needs_replicates(self) -> bool:
        """True if an interval or a test needs bootstrap replicates."""
        of_interval = self.uncertainty.interval.needs_replicates
        return of_interval or any(test.test.needs_replicates for test in self.tests)
