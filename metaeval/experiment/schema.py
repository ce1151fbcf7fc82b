"""The schema of an experiment: one serves all published experiments. Unknown keys are errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from metaeval.correlation.averages import AVERAGE_BY, ORIENTATIONS, UNDEFINED
from metaeval.correlation.coefficients import get_coefficient, takes_grid
from metaeval.correlation.families import CORRECTIONS
from metaeval.correlation.fisher import fisher_interval
from metaeval.correlation.intervals import LIMITS, METHODS
from metaeval.correlation.significance import TESTS, axes_of, get_test
from metaeval.errors import UsageError, listing
from metaeval.experiment.figure_settings import FigureSettings, check_figures
from metaeval.judgments.normalise import get_normalisation
from metaeval.judgments.rules import RULES
from metaeval.metrics import get_metric
from metaeval.parameters import parameter
from metaeval.sampling.resamples import RESAMPLED
from metaeval.text.preprocessing import get_preprocessing

KINDS = ("all", "segments", "real", "pseudo")


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
class DocumentSettings:
    """[documents]: the units that are scored."""

    kind: str = parameter("pseudo", doc="the whole corpus, single segments, real or pseudo-documents", choices=KINDS)
    lengths: tuple[int, ...] = parameter((), doc="segments in a pseudo-document", minimum=1, maximum=1_000_000)
    count: int = parameter(1000, doc="pseudo-documents of each length", minimum=1, maximum=1_000_000)
    replacement: bool = parameter(False, doc="whether a pseudo-document may hold a segment twice")


@dataclass(frozen=True)
class JudgmentSettings:
    """[judgments]: how the human scores are made."""

    judges: str | tuple[str, ...] | None = parameter(
        None,
        doc="a judge group, names or patterns such as expert*, or all; by default the default group of the corpus, and "
        "all judges where it has none",
    )
    normalise: str = parameter("none", doc="none, or z-scores by judge: z, z(ddof=0)", check=get_normalisation)
    rule: str = parameter("mean", doc="what several judgments of an item become", choices=RULES)
    inter_judge: bool = parameter(False, doc="whether two draws of judgments are related as well (rule draw)")
    ceiling: int = parameter(
        0, doc="splits of the judgments for the noise ceiling; 0: none", minimum=0, maximum=100_000
    )


@dataclass(frozen=True)
class CorrelationSettings:
    """[correlation]: how metric and human scores are related."""

    coefficients: tuple[str, ...] = parameter(("spearman",), doc="pearson, spearman, ...", check=get_coefficient)
    average_by: str = parameter(
        "", doc="what coefficients are averaged by; item by default, none for those that take grids", choices=AVERAGE_BY
    )
    orientation: str = parameter("aligned", doc="positive for agreement, or as it comes", choices=ORIENTATIONS)
    undefined: str = parameter("exclude", doc="what a constant side gives", choices=UNDEFINED)

    def __post_init__(self) -> None:
        of_grids = [text for text in self.coefficients if takes_grid(get_coefficient(text))]
        if not self.average_by:
            object.__setattr__(self, "average_by", "none" if of_grids else "item")
        if of_grids and self.average_by != "none":
            raise UsageError(
                f"the coefficient {of_grids[0]!r} takes all documents and systems together: "
                f"`correlation.average_by` must be 'none' or left out; got {self.average_by!r}."
            )
        if of_grids and len(of_grids) < len(self.coefficients):
            others = listing(text for text in self.coefficients if text not in of_grids)
            raise UsageError(
                f"the coefficient {of_grids[0]!r} takes all documents and systems together, and {others} vectors; "
                "give each a run or a panel of its own."
            )

    @property
    def takes_grid(self) -> bool:
        """Whether the coefficients take all documents and systems together."""
        return takes_grid(get_coefficient(self.coefficients[0]))


@dataclass(frozen=True)
class UncertaintySettings:
    """[uncertainty]: the interval of each mean coefficient, and the replicates of intervals and tests."""

    method: str = parameter("normal", doc="the kind of interval", choices=METHODS)
    confidence_level: float = parameter(0.95, doc="above 0, below 1", minimum=0.000001, maximum=0.999999)
    resample: str = parameter("segments", doc="what a bootstrap draws again", choices=RESAMPLED)
    limits: str = parameter("percentile", doc="of a bootstrap: percentiles, or corrected (BCa)", choices=LIMITS)
    n_resamples: int = parameter(1000, doc="replicates of a bootstrap or permutation", minimum=2, maximum=1_000_000)


_AXES = tuple(dict.fromkeys(axis for entry in TESTS.values() for axis in entry.axes))


@dataclass(frozen=True)
class TestSettings:
    """[[tests]]: a test between every two metrics."""

    method: str = parameter(doc="the test: wilcoxon, wilcoxon(zeros='pratt'), bootstrap, ...", check=get_test)
    over: str | None = parameter(None, doc="what pairs two metrics; by default the test's first axis", choices=_AXES)
    correction: str = parameter("holm", doc="for the pairs of metrics in one comparison", choices=CORRECTIONS)
    alpha: float = parameter(0.05, doc="a smaller p is significant", minimum=0.000001, maximum=0.999999)

    def __post_init__(self) -> None:
        axes = axes_of(get_test(self.method))
        if self.over is not None and self.over not in axes:
            raise UsageError(
                f"the test {self.method!r} pairs metrics over {' or '.join(axes)}; got `over = {self.over!r}`."
            )

    @property
    def axis(self) -> str:
        """The axis that pairs two metrics."""
        return self.over or axes_of(get_test(self.method))[0]


@dataclass(frozen=True)
class Experiment:
    """An experiment: the cross product of its lists under its settings."""

    title: str = parameter(doc="what the experiment is about, in one line; over the figures and in the report")
    corpora: tuple[str, ...] = parameter(doc="names of corpora, or paths that are relative to the config")
    metrics: tuple[str, ...] = parameter(
        doc="names of metrics, with parameters: gtm(exponent=2); files, as in my_metric.py:name, are relative to the "
        "current directory",
        check=get_metric,
    )
    source: str = parameter("", doc="the paper it follows: a key of the bibliography, such as turian2003, or words")
    seed: int = parameter(1, doc="all chance comes from it: the same seed gives the same bits", minimum=0)
    preprocessing: tuple[str, ...] = parameter(
        ("case",), doc='treatments of the text before a metric sees it: case(tokenizer="13a")', check=get_preprocessing
    )
    criteria: Literal["all"] | tuple[str, ...] = parameter(
        "all", doc="what was judged, by the names of the corpus, such as adequacy; all of them unless given"
    )
    source_formats: tuple[str, ...] = parameter(
        (), doc="formats of corpora that are files of others, one for all or one for each; recognised unless given"
    )
    references: ReferenceSettings = parameter(factory=ReferenceSettings, doc="what to compare with")
    documents: DocumentSettings = parameter(factory=DocumentSettings, doc="the units that are scored")
    judgments: JudgmentSettings = parameter(factory=JudgmentSettings, doc="the human scores")
    correlation: CorrelationSettings = parameter(factory=CorrelationSettings, doc="how they are related")
    uncertainty: UncertaintySettings = parameter(factory=UncertaintySettings, doc="the intervals")
    tests: tuple[TestSettings, ...] = parameter((), doc="tests between metrics")
    figures: tuple[FigureSettings, ...] = parameter((), doc="pictures")

    def __post_init__(self) -> None:
        lists = {
            "corpora": self.corpora,
            "metrics": self.metrics,
            "preprocessing": self.preprocessing,
            "criteria": self.criteria,
            "references.subsets": self.references.subsets,
            "references.names": self.references.names,
            "judgments.judges": "default" if self.judgments.judges is None else self.judgments.judges,
            "correlation.coefficients": tuple(map(get_coefficient, self.correlation.coefficients)),
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
        kind, lengths = self.documents.kind, self.documents.lengths
        if self.documents.kind == "pseudo" and not lengths:
            raise UsageError("`documents.lengths` is missing: how many segments has a pseudo-document?")
        if self.documents.kind != "pseudo" and lengths:
            raise UsageError(f"`documents.lengths` belongs to pseudo-documents, not to kind {kind!r}.")
        if kind != "pseudo" and (self.documents.count, self.documents.replacement) != (1000, False):
            raise UsageError(f"`documents.count` and `replacement` belong to pseudo-documents, not to kind {kind!r}.")
        if len(set(lengths)) < len(lengths):
            raise UsageError(f"`documents.lengths` names one twice: {list(lengths)!r}.")
        if self.judgments.inter_judge and self.judgments.rule != "draw":
            raise UsageError(f"`judgments.inter_judge` needs rule 'draw'; got {self.judgments.rule!r}.")
        if self.judgments.rule == "draw" and self.documents.kind == "real":
            raise UsageError("the rule 'draw' needs documents of equal length; real documents take 'mean' or 'median'.")
        check_figures(self)
        self._check_uncertainty()

    def formats_of(self, corpus: str) -> tuple[str, ...]:
        """Return the format of one of the corpora; nothing where it is to be recognised."""
        if len(self.source_formats) < 2:
            return self.source_formats
        return (self.source_formats[self.corpora.index(corpus)],)

    @property
    def needs_replicates(self) -> bool:
        """Whether an interval or a test is a bootstrap."""
        tests = (get_test(test.method).name for test in self.tests)
        return self.uncertainty.method == "bootstrap" or "bootstrap" in tests

    def _check_uncertainty(self) -> None:
        kind, average_by = self.documents.kind, self.correlation.average_by
        if kind == "all" and average_by == "system":
            raise UsageError(
                '`correlation.average_by = "system"` relates the documents of a system, and `documents.kind = "all"` '
                "makes one document."
            )
        of_grid, first = self.correlation.takes_grid, self.correlation.coefficients[0]
        if of_grid and kind not in ("segments", "real"):
            raise UsageError(
                f"the coefficient {first!r} takes the scores of segments or real documents, which pseudo-documents "
                f"would count several times: `documents.kind` must be 'segments' or 'real'; got {kind!r}."
            )
        if of_grid and self.judgments.ceiling:
            raise UsageError(f"`judgments.ceiling` knows no ceiling for the coefficient {first!r}.")
        if self.uncertainty.method == "fisher":
            if kind != "all":
                raise UsageError(
                    '`uncertainty.method = "fisher"` is for one coefficient over systems: `documents.kind` must be '
                    f"'all'; got {kind!r}."
                )
            for text in self.correlation.coefficients:
                fisher_interval(0.0, 10, get_coefficient(text))  # refuses those that have no formula
        bca = self.uncertainty.method == "bootstrap" and self.uncertainty.limits == "bca"
        if bca and kind == "pseudo":
            raise UsageError(
                '`uncertainty.limits = "bca"` needs the coefficient without each segment, and pseudo-documents do '
                'not have it: they are drawn again in each replicate. Choose "percentile".'
            )
        if bca and self.judgments.rule == "draw":
            raise UsageError("`uncertainty.limits = \"bca\"` needs the rule 'mean' or 'median'; got 'draw'.")
        if len({(test.method, test.axis) for test in self.tests}) < len(self.tests):
            raise UsageError("`tests` names one twice.")
        for test in self.tests:
            name = get_test(test.method).name
            if name == "wilcoxon" and test.axis == "documents" and average_by != "item":
                raise UsageError(
                    "a test over documents needs one coefficient for each document: `correlation.average_by` must be "
                    f"'item'; got {average_by!r}."
                )
            if name == "wilcoxon" and test.axis in ("lengths", "cells") and len(self.documents.lengths) < 2:
                raise UsageError(
                    f"a test over {test.axis} needs several `documents.lengths`; got {len(self.documents.lengths)}."
                )
            if name == "williams" and (kind != "all" or average_by == "system"):
                raise UsageError(
                    "the test 'williams' compares two coefficients over the systems of one document: `documents.kind` "
                    f"must be 'all' and `correlation.average_by` 'item' or 'none'; got {kind!r} and {average_by!r}."
                )
            if name == "permutation" and of_grid:
                raise UsageError(
                    f"the test 'permutation' does not take the coefficient {first!r}; choose the test 'bootstrap'."
                )
            if name == "permutation" and kind == "pseudo" and test.axis != "systems":
                raise UsageError(
                    f"the test 'permutation' over {test.axis} exchanges scores document by document, and "
                    "pseudo-documents share segments; choose over = 'systems', or the test 'bootstrap'."
                )
