"""The kinds of row that a run has, one a table.

A number without a value is ``nan``; what does not apply is None.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar

from metaeval.results.keys import Key


class Cause(StrEnum):
    """Why a coefficient has no value."""

    NO_SCORE = "no score"
    BOTH_CONSTANT = "metric scores and human scores all equal"
    METRIC_CONSTANT = "metric scores all equal"
    HUMAN_CONSTANT = "human scores all equal"
    TOO_FEW = "too few values or ties, or the coefficient has no value for them"


@dataclass(frozen=True)
class Undefined:
    """Numbers of coefficients without a value, by the cause.

    Attributes
    ----------
    no_score : int
        A document has no score of the metric for some system.
    both_constant, metric_constant, human_constant : int
        All scores of a side are the same.
    too_few : int
        Too few values, ties that leave nothing to compare, or a coefficient that has no value for other reasons, such
        as a user's function that returns ``nan``.
    """

    no_score: int = field(default=0, metadata={"column": "n_no_score"})
    both_constant: int = field(default=0, metadata={"column": "n_both_constant"})
    metric_constant: int = field(default=0, metadata={"column": "n_metric_constant"})
    human_constant: int = field(default=0, metadata={"column": "n_human_constant"})
    too_few: int = field(default=0, metadata={"column": "n_too_few"})

    @property
    def causes(self) -> dict[Cause, int]:
        """The causes that there are, with their numbers."""
        return {cause: count for cause, count in zip(Cause, vars(self).values(), strict=True) if count}

    def __str__(self) -> str:
        return "; ".join(f"{cause}: {count}" for cause, count in self.causes.items())


@dataclass(frozen=True)
class Correlation:
    """The agreement of a metric with people: the mean of coefficients, its interval and its signature.

    Attributes
    ----------
    key : Key
        What was related to what, and how. The preprocessing of judges is "".
    mean : float
        From -1 to 1 for a correlation; ``nan`` if no coefficient is defined. Positive means that metric and people
        agree, whichever direction is better, unless the orientation is ``raw``.
    sd : float
        The standard deviation of the coefficients (n - 1); ``nan`` for fewer than two.
    lower, upper : float
        The confidence interval; ``nan`` where there is none.
    interval : str
        ``denoised``, ``t``, ``standard-error`` or ``jackknife``, the defaults for kinds of documents,
        ``normal``, ``percentile``, ``bca``, ``fisher`` or ``none``.
    confidence_level : float or None
        Of the interval; between 0 and 1.
    resampled : str
        What a bootstrap draws again, such as ``segments`` or ``documents+systems``; "" without one.
    n_used, n_undefined : int
        Coefficients in the mean, and coefficients without a value.
    undefined : Undefined
        Why these have none.
    no_interval_because : str
        Why a bootstrap finds no interval.
    replicates_used, replicates_undefined : int or None
        None without replicates.
    n_systems, n_documents, n_segments : int
        Systems, documents, and the segments that documents are made of.
    n_items, n_judged : int
        Segments of systems, and those of them that somebody judged.
    n_scored : int
        Segments of the systems scored that have a score of the metric.
    n_references : float
        References of the subset; on average over its segments where subsets of several sizes make one line.
    signature : str
        All that determined the value. It is for people: no number is computed from it.
    """

    key: Key
    mean: float
    sd: float
    lower: float
    upper: float
    interval: str
    confidence_level: float | None
    resampled: str
    n_used: int
    n_undefined: int
    undefined: Undefined
    no_interval_because: str
    replicates_used: int | None
    replicates_undefined: int | None
    n_systems: int
    n_documents: int
    n_segments: int
    n_items: int
    n_judged: int
    n_scored: int
    n_references: float
    signature: str

    @property
    def scored_in_part(self) -> str:
        """Of how many of the texts of its systems the metric has a score, ``480 of 960``; "" where of all."""
        n = self.n_segments * self.n_systems
        return f"{self.n_scored} of {n}" if self.n_scored < n else ""


@dataclass(frozen=True)
class TestResult:
    """A comparison of two metrics.

    Attributes
    ----------
    key : Key
        Without a metric.
    metric_a, metric_b : str
    test, over : str
        The test as the experiment writes it, and what pairs the two metrics.
    correction : str
        Over the pairs.
    alternative : str
        ``two-sided``, or the direction of a one-sided test.
    difference, lower, upper : float
        Of the coefficients, a less b, with the confidence interval where the test has one.
    adjusted_lower, adjusted_upper : float
        The interval at the level of the corrected p: it excludes 0 where that is significant.
    statistic, p, p_corrected : float
    is_smallest_p : bool
        Whether p is the smallest that its random replicates can give.
    needs_resamples : int or None
        Undecided: how many replicates it takes for such a p to be significant once it is corrected.
    n_used, n_zero, n_undefined : int
    resampled : str
        What a bootstrap draws again; "" of other tests.
    untested_because : str
        Why there is no p, where both coefficients are defined.
    signature : str
    """

    without: ClassVar[tuple[str, ...]] = ("metric",)

    key: Key
    metric_a: str
    metric_b: str
    test: str
    over: str
    correction: str = field(default="holm", kw_only=True)
    alternative: str
    difference: float
    lower: float
    upper: float
    adjusted_lower: float = field(default=math.nan, kw_only=True)
    adjusted_upper: float = field(default=math.nan, kw_only=True)
    statistic: float
    p: float
    p_corrected: float
    is_smallest_p: bool
    needs_resamples: int | None = field(default=None, kw_only=True)
    n_used: int
    n_zero: int
    n_undefined: int
    resampled: str
    untested_because: str
    signature: str


# The method of a ranking by overlapping intervals; other methods are tests.
BY_INTERVALS = "intervals"
# Why scores of whole systems have neither interval nor test over texts.
ONLY_SYSTEM_SCORES = "scores of whole systems alone have no replicates over segments"
# Why two metrics are not tested: the difference of coefficients across different systems says nothing about them.
LACKS_SYSTEMS = "one of them lacks scores of some system"


@dataclass(frozen=True)
class MetricRank:
    """The rank of a metric, by intervals (`BY_INTERVALS`; ``over`` is "") or by a test.

    Attributes
    ----------
    rank, cluster : int or None
        From 1; None for a metric without any coefficient, and of intervals no cluster.
    top_cluster : bool
        Whether it has a star: it is the best, or its method does not tell it from the best.
    p_worse : float
        That it is as good as the best, where a test tells; see `metaeval.correlation.multiple_tests.against_best`.
    """

    key: Key
    method: str
    over: str
    rank: int | None
    mean: float
    cluster: int | None
    top_cluster: bool
    p_worse: float = math.nan


@dataclass(frozen=True)
class MinimumDifference:
    """From which difference on all compared pairs are significant, over all lengths together."""

    without: ClassVar[tuple[str, ...]] = ("metric", "length")

    key: Key
    test: str
    over: str
    alpha: float
    minimum_significant_difference: float
    largest_not_significant: float
    largest_difference: float
    n_pairs: int
    n_significant: int
    n_references: float


@dataclass(frozen=True)
class Influence:
    """The coefficient across whole systems without some of them."""

    key: Key
    systems: str
    left_out: str
    n_systems: int
    value: float
    change: float


# Kinds of bands: of all, beside which the others stand; of the best systems, close pairs of them, and good segments.
ALL_SYSTEMS, BEST_SYSTEMS, NEAR_PAIRS, GOOD_SEGMENTS = "all", "best", "pairs within", "segments better than"


@dataclass(frozen=True)
class BandName:
    """The size of a band: its kind, and how many systems, which distance or which score; None of all systems."""

    band: str
    limit: float | None = None

    @property
    def is_whole(self) -> bool:
        """True for that of all systems."""
        return self.band == ALL_SYSTEMS

    def __str__(self) -> str:
        return self.band if self.limit is None else f"{self.band} {self.limit:g}"


@dataclass(frozen=True)
class Band:
    """The coefficient of a metric among some of the systems, or on some of their pairs, for these systems.

    Attributes
    ----------
    key : Key
    name : BandName
    systems : str
        The names of the systems, the best by people first.
    n_systems, n_pairs, n_segments, n_items : int
        Systems that the metric scored; pairs that count, of systems or of what is correlated; segments; and judged
        segments of these systems.
    value, lower, upper : float
        The coefficient with its confidence interval.
    confidence_level : float or None
    resampled : str
        What a bootstrap draws again; "" without one.
    no_interval_because : str
    range_alone, range_alone_lower, range_alone_upper : float
        The median and the middle 95 % for a metric that agrees equally well everywhere, and over all systems as this
        one does; see `metaeval.correlation.bands`. ``nan`` for all systems, and for segments.
    """

    key: Key
    name: BandName
    systems: str
    n_systems: int
    n_pairs: int
    n_segments: int
    n_items: int
    value: float
    lower: float
    upper: float
    confidence_level: float | None
    resampled: str
    no_interval_because: str
    range_alone: float
    range_alone_lower: float
    range_alone_upper: float

    @property
    def is_below_range_alone(self) -> bool:
        """True if it is lower than the narrower range explains."""
        return self.value < self.range_alone_lower


@dataclass(frozen=True)
class BandTest:
    """A comparison of two metrics in a band; p is corrected for all pairs of metrics in all bands of a place.

    Attributes
    ----------
    key : Key
        The place, without a metric.
    name : BandName
    metric_a, metric_b : str
    test, correction : str
    alpha : float
        Significant is a corrected p below it.
    difference, lower, upper : float
        The coefficient of `metric_a` less that of `metric_b`, with its confidence interval.
    p, p_corrected : float
    family : int
        For how many comparisons it is corrected.
    untested_because : str
    """

    without: ClassVar[tuple[str, ...]] = ("metric",)

    key: Key
    name: BandName
    metric_a: str
    metric_b: str
    test: str
    correction: str
    alpha: float
    difference: float
    lower: float
    upper: float
    p: float
    p_corrected: float
    family: int
    untested_because: str

    @property
    def better(self) -> str:
        """The metric that is significantly better; "" if neither is."""
        if not self.p_corrected < self.alpha:
            return ""
        return self.metric_a if self.difference > 0 else self.metric_b


# Rows of a metric: what it reaches of the ceiling, and what it gets where the systems' human scores are exchanged.
FRACTION = "fraction of ceiling"
CHANCE = "chance"
# Rows of a preprocessing, without a metric: what the best of its metrics gets there, all in the same exchanges.
BEST_OF_CHANCE = "chance of the best"


@dataclass(frozen=True)
class Ceiling:
    """Human scores against human scores, in rows without a metric; the fraction that a metric reaches; and chance."""

    key: Key
    kind: str
    value: float
    lower: float = math.nan
    upper: float = math.nan
    sd: float = math.nan
    n_draws: int | None = None
    items_used: int | None = None
    share_of_items: float | None = None
    n_undefined: int | None = None


@dataclass(frozen=True)
class Filtered:
    """Systems, segments or judgments of a corpus that a rule leaves out; `names` are those of systems."""

    without: ClassVar[tuple[str, ...]] = (
        *("preprocessing", "subset", "criterion", "judges", "documents", "length", "average_by", "coefficient"),
        "metric",
    )

    key: Key
    what: str
    rule: str
    n_left_out: int
    n_before: int
    names: str


# The label of a claim that was judged on a simulated corpus.
NO_EVIDENCE = "simulation: no evidence about the claim"


@dataclass(frozen=True)
class Claim:
    """A claim of a paper, with the verdict and the comparison that decided it."""

    corpus: str
    claim: int
    paper: str
    statement: str
    chosen: str
    over: str
    quantity: str
    reading: bool
    verdict: str
    why: str
    compared: str
    notes: str
    difference: float
    lower: float
    upper: float
    margin: float
    evidence: str
    n_comparisons: int
    n_for: int
    n_against: int
    n_open: int
    label: str

    @property
    def simulated(self) -> bool:
        """True if it was judged on a simulated corpus."""
        return NO_EVIDENCE in self.label.split("; ")

    @property
    def names_read(self) -> list[str]:
        """Which names of the paper were read as others: ``adequacy read as accuracy``."""
        return [part for part in self.label.split("; ") if part and part != NO_EVIDENCE]


@dataclass(frozen=True)
class Example:
    """A score that a paper works out, beside ours."""

    example: int
    paper: str
    metric: str
    preprocessing: str
    candidate: str
    references: str
    quantity: str
    value: str
    ours: float
    difference: float
    reading: bool
    verdict: str
    signature: str


@dataclass(frozen=True)
class Published:
    """A number that a paper prints, beside ours; `overlap` is None where an interval is missing."""

    key: Key
    printed_as: str
    published: float
    published_lower: float | None
    published_upper: float | None
    ours: float
    lower: float | None
    upper: float | None
    difference: float
    overlap: bool | None


@dataclass(frozen=True)
class TaskScore:
    """The value and rank of a metric in a task.

    Attributes
    ----------
    task, corpora, level, coefficient, average_by : str
        As tables call them.
    weight : float
        Of the task in the averages; all weights sum to 1.
    metric : str
    value, lower, upper : float
        The coefficient with its confidence interval; ``nan`` where it is undefined, or the metric has no scores.
    rank, cluster : int or None
        By value, and by the published test (PERM-BOTH, uncorrected, one-sided); None where the metric is not ranked.
    rank_joint, cluster_joint : int or None
        By the tests of the experiment, corrected for all pairs of metrics.
    n : int
        Systems, segments or documents that are correlated; pairs of systems where accuracy counts those of all corpora.
    missing : str
        What the metric lacks; "" if nothing.
    variant : str
        The title of its table in the config, and its filter, where it has any.
    p_worse : float
        That it is as good as the best, by the tests of the experiment; see
        `metaeval.correlation.multiple_tests.against_best`.
    """

    task: str
    corpora: str
    level: str
    coefficient: str
    average_by: str
    weight: float
    metric: str
    value: float
    lower: float
    upper: float
    rank: int | None
    cluster: int | None
    rank_joint: int | None
    cluster_joint: int | None
    n: int
    missing: str
    variant: str = ""
    p_worse: float = field(default=math.nan, kw_only=True)


@dataclass(frozen=True)
class TaskTest:
    """A comparison of two metrics in a task, or on the average of all tasks, where `task` is "".

    Attributes
    ----------
    task, better, worse : str
    difference : float
        Of the two values; not negative.
    p : float
        Of the published test (PERM-BOTH): one-sided, uncorrected.
    p_joint : float
        Of the test of the experiment, two-sided and corrected for all pairs of metrics.
    """

    task: str
    better: str
    worse: str
    difference: float
    p: float
    p_joint: float


@dataclass(frozen=True)
class TaskAverage:
    """The value and rank of a metric on the average of all tasks.

    Attributes
    ----------
    metric : str
    average_correlation, lower, upper : float
        The weighted mean of its values, of correlations of (r + 1) / 2, with the confidence interval over other texts.
    average_rank : float
        The weighted mean of its clusters, of its ranks where there are no clusters.
    cluster, rank_joint, cluster_joint : int or None
        By the published test on the average, and by one joint resampling of all tasks.
    n_tasks : int
        In which it has a rank; without all of them it has no average.
    missing : str
        The tasks that it lacks.
    rank : int or None
        By the average.
    p_worse : float
        That it is as good as the best, by one joint resampling of all tasks.
    """

    metric: str
    average_correlation: float
    lower: float
    upper: float
    average_rank: float
    cluster: int | None
    rank_joint: int | None
    cluster_joint: int | None
    n_tasks: int
    missing: str
    rank: int | None = field(default=None, kw_only=True)
    p_worse: float = field(default=math.nan, kw_only=True)

    @property
    def value(self) -> float:
        """The weighted mean of its values."""
        return self.average_correlation
