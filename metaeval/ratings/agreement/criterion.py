"""The rows of ``metaeval agreement`` for one criterion, from who judged what to the systems without single judges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from metaeval.components import registries
from metaeval.components.interval import ConfidenceInterval
from metaeval.correlation.bootstrap_intervals import bootstrap_interval
from metaeval.correlation.ceiling import ceilings
from metaeval.correlation.coefficients import Spearman, midranks
from metaeval.correlation.kendall import Kendall
from metaeval.correlation.standard_error import too_few
from metaeval.datamodel.corpus import Corpus, Criterion, Judgments
from metaeval.datamodel.pooling import whole
from metaeval.judgments.combining import group_by_item
from metaeval.ratings.agreement.items import ItemJudgments, describe_design, is_sorted, sort_by_item
from metaeval.ratings.agreement.krippendorff import LEVELS, alpha_without_each_segment, krippendorff_alpha
from metaeval.ratings.agreement.raters import compare_pairs, judge_habits, means_without_judges
from metaeval.ratings.jackknife import jackknife_interval, too_skewed
from metaeval.results.agreement import (
    MAX_SEGMENTS_LEFT_OUT,
    AgreementRow,
    AgreementSettings,
    Alpha,
    NoiseCeiling,
    Pair,
    PairMeans,
    SystemsWithoutJudge,
)
from metaeval.results.tables import fields_of
from metaeval.runtime.randomness import generator
from metaeval.sampling.documents import single
from metaeval.sampling.resamples import draw_resamples

COEFFICIENTS = ("pearson", "spearman", "kendall")
# What the means over pairs are of.
_PAIR_COEFFICIENTS = ("pearson", "spearman", "kappa", "kappa_linear", "kappa_quadratic")
# With more different scores than this, it says little that two are not exactly equal.
_MAX_GRADES = 10
# With fewer segments than these, intervals of alpha miss it too often where ratings are skewed (docs/calibration.md).
FEW_SEGMENTS = 100


def agreement_on(
    corpus: Corpus, criterion: Criterion, judgments: Judgments, settings: AgreementSettings
) -> tuple[list[AgreementRow], list[str]]:
    """Return the rows of all tables for one criterion, and the warnings that belong to them.

    Parameters
    ----------
    corpus : Corpus
    criterion : Criterion
    judgments : Judgments
        On that criterion, one at least; in the order of the file.
    settings : AgreementSettings

    Returns
    -------
    list of rows
        Of several tables; those that need two judgments of an item only where there are such.
    list of str
    """
    # From here on, systems and segments without a judgment do not exist.
    systems, system = np.unique(judgments.system, return_inverse=True)
    segments, segment = np.unique(judgments.segment, return_inverse=True)
    judgments = replace(judgments, system=system, segment=segment)
    items = sort_by_item(judgments, criterion, [corpus.systems[number] for number in systems], len(segments))
    possible_items = len(corpus.systems) * corpus.n_segments
    design = describe_design(items, possible_items=possible_items, simulated=corpus.is_simulated)
    rows: list[AgreementRow] = [
        design,
        *judge_habits(items, confidence_level=settings.confidence_level),
        *_systems_without_judges(items),
    ]
    warnings = []
    if not (items.counts > 1).any():
        who = "by one judge" if design.judges == 1 else f"once, by one of {design.judges} judges"
        warnings.append(
            f"no agreement can be measured, because every one of the {design.items} judged items (a segment of a "
            f"system) was judged {who}; two judgments of the same items are needed."
        )
    else:
        pairs = compare_pairs(items, settings.min_shared)
        alphas, warnings_on_alpha = _alpha(items, settings)
        warnings += warnings_on_alpha
        rows += [*alphas, *_ceilings(judgments, items, settings), *pairs]
        rows.append(_pair_means(pairs, settings.min_shared))
        if design.groups > 1:
            warnings.append(
                f"the judges fall into {design.groups} groups that share no item, the largest of "
                f"{design.largest_group}; judges of different groups cannot be compared."
            )
        if is_sorted(items):
            warnings.append(
                "the judgments of each judge are sorted by segment or by system. If that is not the order in which "
                "they were made, drift shows how early segments or systems differ from late ones."
            )
    if unjudged := len(corpus.systems) - len(systems):
        warnings.append(f"{unjudged} of {len(corpus.systems)} systems have no judgment and are left out.")
    return rows, warnings


def _alpha(items: ItemJudgments, settings: AgreementSettings) -> tuple[list[Alpha], list[str]]:
    """Return alpha at each level with its interval, and why an interval is missing or not to be relied on."""
    paired = items.counts > 1
    n_segments = len(np.unique(items.segment[paired]))
    of_paired = items.score[paired[items.item]]
    levels = LEVELS if len(np.unique(of_paired)) <= _MAX_GRADES else LEVELS[1:]
    largest_share = float(np.unique(of_paired, return_counts=True)[1].max() / len(of_paired))
    few = too_few({"segments": n_segments})
    skewed = too_skewed(int(paired.sum()), largest_share)
    rows: list[Alpha] = []
    missing: dict[str, list[str]] = {}
    for level in reversed(levels):
        (value,) = krippendorff_alpha(items, level).tolist()
        if few:
            interval = ConfidenceInterval(undefined_because=few)
        else:
            interval = _alpha_interval(items, level, value, n_segments, settings)
        if skewed and not np.isnan(interval.lower):
            interval = replace(interval, lower=np.nan, upper=np.nan, undefined_because=skewed)
        if interval.undefined_because and not np.isnan(value):
            missing.setdefault(interval.undefined_because, []).append(level)
        rows.append(
            Alpha(
                criterion=items.criterion.name,
                level=level,
                alpha=value,
                **fields_of(interval, "lower", "upper"),
                items=int(paired.sum()),
                judgments=len(of_paired),
                segments=n_segments,
                replicates=interval.n_used or 0,
                undefined=interval.n_undefined or 0,
            )
        )
    warnings = [
        f"Krippendorff's alpha ({', '.join(of_levels)}) has no confidence interval: {because}."
        for because, of_levels in missing.items()
    ]
    if any(not np.isnan(row.lower) for row in rows) and n_segments < FEW_SEGMENTS:
        warnings.append(
            f"the confidence intervals of Krippendorff's alpha rest on {n_segments} segments. If most ratings are "
            "alike and a few far off, 95 % intervals contain the true value in as few as 71 % of simulated sets of 10 "
            "segments, 82 % of 20 and 87 % of 40; with 100 segments, or other ratings, in 92 % or more."
        )
    return rows, warnings


def _alpha_interval(
    items: ItemJudgments, level: str, value: float, n_segments: int, settings: AgreementSettings
) -> ConfidenceInterval:
    """Return the interval of alpha by leaving out each segment, or by a bootstrap if there are many."""
    if n_segments <= MAX_SEGMENTS_LEFT_OUT:
        return jackknife_interval(value, alpha_without_each_segment(items, level), settings.confidence_level)
    rngs: dict[str, Any] = {
        f"rng_{unit}": generator(settings.seed, "agreement", unit) for unit in ("segments", "systems")
    }
    resamples = draw_resamples("segments", items.n_segments, len(items.systems), settings.n_resamples, **rngs)
    assert resamples.segments is not None
    replicates = krippendorff_alpha(items, level, resamples.segments[:])
    return bootstrap_interval(value, replicates, confidence_level=settings.confidence_level, weights=resamples.weights)


def _ceilings(judgments: Judgments, items: ItemJudgments, settings: AgreementSettings) -> Iterator[NoiseCeiling]:
    criterion = items.criterion.name
    n_segments = items.n_segments
    shape = (len(items.systems), n_segments)
    judged = group_by_item(judgments.system, judgments.segment, judgments.judge, judgments.score, shape)
    for level, documents, averages in (
        ("segment", single(range(1, n_segments + 1)), ("none", "item")),
        ("corpus", whole(n_segments), ("item",)),
    ):
        relations = [(name, average_by) for average_by in averages for name in COEFFICIENTS]
        ceilings_of = ceilings(
            judged,
            documents,
            [(registries.COEFFICIENTS.named(name), average_by) for name, average_by in relations],
            n_draws=settings.n_draws,
            rng=generator(settings.seed, "ceiling", criterion, level),
        )
        for (name, average_by), of_relation in zip(relations, ceilings_of, strict=True):
            for row in of_relation:
                yield NoiseCeiling(
                    criterion=criterion,
                    documents=level,
                    average_by=average_by,
                    coefficient=name,
                    kind=row.kind,
                    value=row.value,
                    sd=row.sd,
                    draws=row.n_draws,
                    items=row.items_used,
                    share_of_items=row.share_of_items,
                    undefined=row.n_undefined,
                )


def _pair_means(pairs: Sequence[Pair], min_shared: int) -> PairMeans:
    compared = [pair for pair in pairs if pair.shared >= min_shared]

    def mean(values: Sequence[float]) -> float:
        defined = ~np.isnan(values)
        shared = np.array([pair.shared for pair in compared])
        return float(np.average(np.array(values)[defined], weights=shared[defined])) if defined.any() else np.nan

    return PairMeans(
        criterion=pairs[0].criterion,
        pairs_sharing=len(pairs),
        too_few_shared=len(pairs) - len(compared),
        compared=len(compared),
        shared=sum(pair.shared for pair in compared),
        **{name: mean([getattr(pair, name) for pair in compared]) for name in _PAIR_COEFFICIENTS},
        absolute_difference=mean([abs(pair.difference) for pair in compared]),
        undefined=sum(bool(np.isnan(pair.pearson)) for pair in compared),
    )


def _systems_without_judges(items: ItemJudgments) -> Iterator[SystemsWithoutJudge]:
    judgments = np.bincount(items.judge, minlength=len(items.judges))
    if len(items.systems) < 2 or np.count_nonzero(judgments) < 2:
        return
    with_all, without, lost = means_without_judges(items)
    sign = -1.0 if items.criterion.higher_is_better else 1.0
    ranks_with_all = midranks(sign * with_all)
    for judge in np.flatnonzero(judgments):
        means = without[judge]
        row = SystemsWithoutJudge(
            criterion=items.criterion.name,
            left_out=items.judges[judge],
            judgments=int(judgments[judge]),
            items_lost=int(lost[judge]),
            systems=len(items.systems),
        )
        # A system that only this judge judged has no place without him or her.
        if not np.isnan(means).any():
            ranks_without = midranks(sign * means)
            farthest = np.argsort(-np.abs(ranks_without - ranks_with_all), kind="stable")
            moved = [
                f"{items.systems[k]} {ranks_with_all[k]:g}>{ranks_without[k]:g}"
                for k in farthest
                if ranks_with_all[k] != ranks_without[k]
            ]
            row = replace(
                row,
                kendall=float(Kendall()(with_all, means)),
                spearman=float(Spearman()(with_all, means)),
                largest_change=float(np.abs(means - with_all).max()),
                n_moved=len(moved),
                moved="; ".join(moved),
            )
        yield row
