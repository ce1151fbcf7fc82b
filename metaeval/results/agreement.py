"""The kinds of row of ``metaeval agreement``, one for each table, and its settings.

An item is a segment of a system. A number without a value is ``nan``; what does not apply is None.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from metaeval.errors import UsageError, as_typed

# Of more segments than these, the interval of alpha is that of a bootstrap: leaving out each would take longer.
MAX_SEGMENTS_LEFT_OUT = 1000


@dataclass(frozen=True)
class AgreementSettings:
    """The settings of the tables.

    Attributes
    ----------
    n_resamples : int
        Bootstrap replicates of the segments, for the intervals of alpha of more than 1,000 segments.
    n_draws : int
        How often the judgments of each item are split, for the ceilings.
    min_shared : int
        Items that two judges must share to be compared.
    confidence_level : float
        Of all intervals.
    seed : int
        The random seed.
    """

    n_resamples: int = 1000
    n_draws: int = 100
    min_shared: int = 10
    confidence_level: float = 0.95
    seed: int = 1

    def __post_init__(self) -> None:
        for name, least in (("n_resamples", 2), ("n_draws", 1), ("min_shared", 2), ("seed", 0)):
            value = getattr(self, name)
            if value < least:
                raise UsageError(f"`{name}` must be at least {least}; got {value!r}.")
        if not 0.0 < self.confidence_level < 1.0:
            called = as_typed(terminal="--confidence", python="`confidence_level`")
            raise UsageError(f"{called} must lie between 0 and 1; got {self.confidence_level!r}.")


@dataclass(frozen=True)
class Design:
    """The numbers of judgments, judges and items of a criterion.

    Attributes
    ----------
    criterion : str
    judgments, judges, items : int
        Those there are on the criterion.
    possible_items : int
        Systems times segments.
    judgments_an_item : str
        How many items have 1, 2, ... judgments.
    pairs, pairs_sharing : int
        Pairs of judges, and those of them with an item in common.
    median_shared : float
        Items in common, over the pairs that have any; ``nan`` without such a pair.
    groups : int
        Groups of judges that nothing connects: with more than one, no comparison of a judge of one group with a judge
        of another rests on the same items, not even by way of a third.
    largest_group : int
        Judges in the largest of them.
    simulated : bool
        Whether the corpus is simulated, so that no number is evidence.
    """

    title: ClassVar[str] = "design"

    criterion: str
    judgments: int
    judges: int
    items: int
    possible_items: int
    judgments_an_item: str
    pairs: int
    pairs_sharing: int
    median_shared: float
    groups: int
    largest_group: int
    simulated: bool


@dataclass(frozen=True)
class Alpha:
    """Krippendorff's alpha for scores of a level (nominal, ordinal or interval), with its confidence interval.

    `items` and `judgments` are those of items with two judgments or more, and `segments` those that have such an item.
    `replicates` and `undefined` count the alphas that the interval rests on, with a value and without: one without each
    segment, or, of more than 1,000 segments, bootstrap replicates of the segments.
    """

    title: ClassVar[str] = "alpha"

    criterion: str
    level: str
    alpha: float
    lower: float
    upper: float
    items: int
    judgments: int
    segments: int
    replicates: int
    undefined: int


@dataclass(frozen=True)
class NoiseCeiling:
    """A correlation of human scores with human scores; see `metaeval.correlation.ceiling`.

    `documents` is ``segment`` or ``corpus``.
    """

    title: ClassVar[str] = "ceiling"

    criterion: str
    documents: str
    average_by: str
    coefficient: str
    kind: str
    value: float
    sd: float
    draws: int
    items: int
    share_of_items: float
    undefined: int


@dataclass(frozen=True)
class PairMeans:
    """The means over pairs of judges, weighted by the items that they share.

    `compared` pairs share enough items; `undefined` ones of them have no correlation.
    """

    title: ClassVar[str] = "pair-means"

    criterion: str
    pairs_sharing: int
    too_few_shared: int
    compared: int
    shared: int
    pearson: float
    spearman: float
    kappa: float
    kappa_linear: float
    kappa_quadratic: float
    absolute_difference: float
    undefined: int


@dataclass(frozen=True)
class Pair:
    """Two judges on the items that both judged.

    Attributes
    ----------
    criterion, judge_a, judge_b : str
    shared : int
        Items that both judged.
    pearson, spearman, kappa, kappa_linear, kappa_quadratic : float
        Kappa is unweighted, as for labels, or weighted by the difference of the scores or its square.
        ``nan`` where fewer items are shared than asked for, or where a judge gave the same score to all of them (for
        kappa: where both gave the same one score).
    difference : float
        Mean of the first judge's scores minus those of the second; ``nan`` where fewer items are shared.
    """

    title: ClassVar[str] = "pairs"

    criterion: str
    judge_a: str
    judge_b: str
    shared: int
    pearson: float
    spearman: float
    kappa: float
    kappa_linear: float
    kappa_quadratic: float
    difference: float


@dataclass(frozen=True)
class JudgeHabits:
    """Remarkable habits of a judge.

    A *residual* is the judge's score of an item minus the mean of the other judges there, as an estimate of the item's
    quality.

    Attributes
    ----------
    criterion, judge : str
    n : int
        Judgments.
    mean, sd : float
        Of the scores; `sd` with n - 1, ``nan`` for a single one.
    extreme : float
        Share of scores at either end of the scale.
    n_shared : int
        Judgments of items that others judged too.
    offset, offset_lower, offset_upper : float
        Mean residual: how much higher than the others' the judge's scores are on the same items, with an interval by
        Student's t.
    adjusted : float
        The same where all judges had judged all items of their group.
    drift, drift_lower, drift_upper : float
        Slope of the residual against the place among the judge's judgments, for 100 judgments, with an interval by
        Student's t. It presumes that the file keeps the order of judging.
    """

    title: ClassVar[str] = "judges"

    criterion: str
    judge: str
    n: int
    mean: float
    sd: float
    extreme: float
    n_shared: int
    offset: float
    offset_lower: float
    offset_upper: float
    adjusted: float
    drift: float
    drift_lower: float
    drift_upper: float


@dataclass(frozen=True)
class SystemsWithoutJudge:
    """The order of the systems without a judge, compared with that by all judges.

    Attributes
    ----------
    criterion, left_out : str
    judgments : int
        Of that judge.
    items_lost : int
        Items that nobody else judged.
    systems : int
    kendall, spearman : float
        Between the means of the systems with and without the judge; ``nan`` where a system has no judgment left.
    largest_change : float
        Of the mean of a system.
    n_moved : int or None
        Systems that change places.
    moved : str or None
        These, farthest first: name, place before and after; 1 is best.
    """

    title: ClassVar[str] = "systems"

    criterion: str
    left_out: str
    judgments: int
    items_lost: int
    systems: int
    kendall: float = math.nan
    spearman: float = math.nan
    largest_change: float = math.nan
    n_moved: int | None = None
    moved: str | None = None


@dataclass(frozen=True)
class MetricWithoutJudge:
    """A metric related to the human scores without a judge ("" for none), on the whole test set.

    Attributes
    ----------
    criterion, left_out, metric, preprocessing : str
    segments : int
        Those where every system still has a judgment.
    pearson, spearman, kendall : float
        Across the systems.
    rank_pearson, rank_spearman, rank_kendall : float
        Of the metric among all, 1 being the best; equal metrics share a rank, and one without a coefficient has none.
    """

    title: ClassVar[str] = "metrics"

    criterion: str
    left_out: str
    metric: str
    preprocessing: str
    segments: int
    pearson: float
    rank_pearson: float
    spearman: float
    rank_spearman: float
    kendall: float
    rank_kendall: float


AgreementRow = Design | Alpha | NoiseCeiling | PairMeans | Pair | JudgeHabits | SystemsWithoutJudge | MetricWithoutJudge
# The kind of row of each table, in the order of the tables.
KINDS: dict[str, type[AgreementRow]] = {
    kind.title: kind
    for kind in (Design, Alpha, NoiseCeiling, PairMeans, Pair, JudgeHabits, SystemsWithoutJudge, MetricWithoutJudge)
}
