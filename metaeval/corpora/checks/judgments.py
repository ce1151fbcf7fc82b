"""Checks of judgments, a function each: each returns its warning, or None where all is well."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from metaeval.corpora.checks.common import (
    MAX_CHANCE,
    MIN_SEGMENTS,
    ROUNDING,
    CheckedCorpus,
    chance_limit,
    copied_blocks,
    correlation,
    less_means,
    missing_block,
    t_statistic,
    warning,
)
from metaeval.datamodel.corpus import BoolArray, FloatArray, IntArray
from metaeval.errors import percent

# Scores are on another scale if their spread is this many times larger or smaller than is usual.
MIN_RATIO_OF_SCALES = 4


def inverted_judges(checked: CheckedCorpus) -> str | None:
    """Find judges who used a scale upside down, exchanged two criteria, or agree with the others in nothing."""
    judged = checked.corpus.judgments
    criteria = checked.corpus.criteria
    item = judged.system.astype(np.int64) * checked.n_segments + judged.segment
    form = judged.judge.astype(np.int64) * (checked.n_systems * checked.n_segments) + item
    # The judgments on each criterion, in the order of judges and items.
    rows_of = [np.flatnonzero(judged.criterion == number) for number in range(len(criteria))]
    rows_of = [rows[np.argsort(form[rows], kind="stable")] for rows in rows_of]
    predicted = checked.predicted_judgment[judged.system, judged.segment]
    compared = []
    for criterion, rows in zip(criteria, rows_of, strict=True):
        sign = 1 if criterion.higher_is_better else -1
        compared.append((criterion.name, rows, judged.score[rows] * sign, predicted[rows]))
    for (a, rows), (b, others) in combinations(zip(criteria, rows_of, strict=True), 2):
        if np.array_equal(form[rows], form[others]):
            difference = judged.score[rows] - judged.score[others]
            compared.append((f"{a.name} less {b.name}", rows, difference, np.full(len(rows), np.nan)))
    findings: dict[int, str] = {}
    for name, rows, score, expected in compared:
        if not len(rows):
            continue
        r, n_items = agreement_of_judges(score, item[rows], judged.judge[rows], expected)
        for judge in contrary(r, n_items):
            subject = f"judge {judged.judges[judge]!r} on {name}"
            usual = np.nanmedian(r)
            agreement = f"correlation with the others {r[judge]:.2f} over {n_items[judge]} items, usual is {usual:.2f}"
            findings.setdefault(judge, f"{subject}: {agreement}")
    advice = "Check whether the scale was taken the other way round, criteria were exchanged, or rows were moved."
    return warning([*findings.values()], advice)


def differing_scales(checked: CheckedCorpus) -> str | None:
    """Find judges and systems on another scale than the others, such as 0 to 10 beside 0 to 100."""
    judged = checked.corpus.judgments
    findings = []
    judges = [f"judge {name!r}" for name in judged.judges]
    for names, members in ((judges, judged.judge), (checked.names, judged.system)):
        for number, criterion in enumerate(checked.corpus.criteria):
            rows = judged.criterion == number
            score = judged.score[rows]
            member = members[rows]
            spread = _standard_deviations(score, member)
            compared = np.bincount(member) >= MIN_SEGMENTS
            usual = float(np.median(spread[compared])) if compared.any() else 0.0
            differs = (spread * MIN_RATIO_OF_SCALES < usual) | (spread > usual * MIN_RATIO_OF_SCALES)
            for position in np.flatnonzero(differs & compared & (spread > 0) & (usual > 0)):
                own_scores = score[member == position]
                others = score[member != position]
                # A judge who uses a small part of the scale, or a system that is always good, is within these.
                low, high = np.quantile(others, [0.1, 0.9])
                if not low <= np.median(own_scores) <= high:
                    findings.append(
                        f"{names[position]} on {criterion.name}: scores from {own_scores.min():g} to "
                        f"{own_scores.max():g} (median {np.median(own_scores):g}), the others' from {others.min():g} "
                        f"to {others.max():g} (median {np.median(others):g})"
                    )
    return warning(findings, "Check whether another scale was used.")


def constant_judges(checked: CheckedCorpus) -> str | None:
    """Find judges who gave the same score to everything, though the others seldom give it."""
    judged = checked.corpus.judgments
    findings = []
    for number, criterion in enumerate(checked.corpus.criteria):
        rows = judged.criterion == number
        score = judged.score[rows]
        judge = judged.judge[rows]
        n_scores = np.bincount(judge)
        constant = _standard_deviations(score, judge) == 0
        for position in np.flatnonzero(constant & (n_scores >= MIN_SEGMENTS) & (n_scores < len(score))):
            value = score[judge == position][0]
            share = float((score[judge != position] == value).mean())
            if share ** n_scores[position] < MAX_CHANCE:
                subject = f"judge {judged.judges[position]!r} on {criterion.name}"
                findings.append(
                    f"{subject}: all {n_scores[position]} scores are {value:g}, as are {percent(share)} of the others'"
                )
    return warning(findings, "Check whether a preset answer was never changed.")


def inverted_systems(checked: CheckedCorpus) -> str | None:
    """Find systems whose scores are upside down, or have nothing to do with those of other systems in the segment."""
    judgments = less_means(checked.mean_judgment, 1)
    predicted = checked.predicted_judgment
    r = np.array([correlation(x, y) for x, y in zip(judgments, predicted, strict=True)])
    n_items = np.isfinite(judgments + predicted).sum(axis=1)
    findings = [
        f"{checked.names[system]}: correlation with the other systems' scores and texts {r[system]:.2f} over "
        f"{n_items[system]} segments, usual is {np.nanmedian(r):.2f}"
        for system in contrary(r, n_items)
    ]
    return warning(findings, "Check whether its scores were taken the other way round, or belong to other segments.")


def inverted_criteria(checked: CheckedCorpus) -> str | None:
    """Find criteria on which a text is judged better the less it is like the others of its segment."""
    similarity = checked.relative_similarity
    findings = []
    for criterion, judged in zip(checked.corpus.criteria, checked.judgments, strict=True):
        judged = less_means(less_means(judged, 0), 1)
        if t_statistic(np.nansum(judged * similarity, axis=0)) < -chance_limit(1e-4, 1):
            r = correlation(judged.ravel(), similarity.ravel())
            findings.append(f"criterion {criterion.name!r}: correlation with the similarity of texts {r:.2f}")
    return warning(findings, "Check whether a higher score is better there, and `higher_is_better` says so.")


def misaligned_judgments(checked: CheckedCorpus) -> str | None:
    """Find judgments that stand one segment too early or too late, as where segments were counted from 0."""
    judgments = less_means(checked.mean_judgment, 1)
    predicted = checked.predicted_judgment
    findings = list[str]()
    for k in range(checked.n_systems):
        rows = slice(k, k + 1)
        moves = _moves(judgments[rows], predicted[rows], n_tests=2 * checked.n_systems, min_correlation=0.1)
        findings += [f"{checked.names[k]}: {move}" for move in moves]
    for criterion, judged in zip(checked.corpus.criteria, checked.judgments, strict=True):
        relative = less_means(less_means(judged, 0), 1)
        moves = _moves(relative, checked.relative_similarity, n_tests=2, min_correlation=0.05)
        findings += [f"criterion {criterion.name!r}: {move}" for move in moves]
    return warning(findings, "Check whether rows were moved, or segments are counted from 0.")


def _moves(judged: FloatArray, expected: FloatArray, *, n_tests: int, min_correlation: float) -> Iterator[str]:
    """Describe how judgments fit the segments after or before, if they do so better than their own.

    Parameters
    ----------
    judged, expected : (systems, segments) float arrays
    n_tests : int
        How many such tests there are of a corpus.
    min_correlation : float
        The lowest correlation that counts.
    """
    r = correlation(judged.ravel(), expected.ravel())
    for where, step in (("after", -1), ("before", 1)):
        moved = np.roll(expected, step, axis=1)
        r_moved = correlation(judged.ravel(), moved.ravel())
        t = t_statistic(np.nansum(judged * (moved - expected), axis=0))
        if t > chance_limit(1e-3, n_tests) and r_moved > min_correlation:
            yield f"the scores fit the segment {where} (correlation {r_moved:.2f}), not their own ({r:.2f})"


def duplicated_judgments(checked: CheckedCorpus) -> str | None:
    """Find systems with the judgments of another one, and segments with those of segments before."""
    cells = np.stack([means for means in checked.judgments if np.isfinite(means).any()], axis=2)
    present = np.isfinite(cells).all(axis=2)
    _, numbers = np.unique(np.nan_to_num(cells).reshape(-1, cells.shape[2]), axis=0, return_inverse=True)
    numbers = np.where(present, numbers.reshape(present.shape), -1)
    findings = [
        f"{checked.names[a]} and {checked.names[b]}: the same judgments from segment {first + 1} to {last + 1}"
        for a, b, first, last in copied_blocks(numbers)
        if not np.array_equal(checked.text_numbers[a], checked.text_numbers[b])
    ]
    # Segments with four different judgments or fewer are equal by chance.
    columns: dict[bytes, int] = {}
    repeated = []
    for segment, column in enumerate(numbers.T):
        if len(np.unique(column[column >= 0])) > 4:
            first = columns.setdefault(column.tobytes(), segment)
            if first < segment:
                repeated.append((segment, first))
    if len(repeated) >= max(5, 0.03 * checked.n_segments):
        segment, first = repeated[0]
        findings.append(
            f"all systems: {len(repeated)} segments have the same judgments as one before, segment {segment + 1} as "
            f"{first + 1}"
        )
    return warning(findings, "Check whether rows were copied.")


def missing_judgments(checked: CheckedCorpus) -> str | None:
    """Find a block of segments that nobody judged, or nobody for one system."""
    judged = np.zeros((checked.n_systems, checked.n_segments), dtype=bool)
    judged[checked.corpus.judgments.system, checked.corpus.judgments.segment] = True
    in_any_system = judged.any(axis=0)
    rows: list[tuple[str, BoolArray]] = [("all systems", np.asarray(in_any_system))]
    rows += [(name, row | ~in_any_system) for name, row in zip(checked.names, judged, strict=False) if row.any()]
    blocks = [(name, missing_block(present)) for name, present in rows]
    findings = [f"{name}: no judgment in segments {block[0] + 1} to {block[1] + 1}" for name, block in blocks if block]
    return warning(findings, "Check whether the table was cut off.")


def agreement_of_judges(
    score: FloatArray, item: IntArray, judge: IntArray, predicted: FloatArray
) -> tuple[FloatArray, IntArray]:
    """Return the correlation of each judge with the mean of the other judges of the same items.

    Parameters
    ----------
    score : (judgments,) float array
    item, judge : (judgments,) int arrays
    predicted : (judgments,) float array
        Compared with instead, where no item has two judges.

    Returns
    -------
    r : (judges,) float array
        nan where there are too few judgments.
    n_items : (judges,) int array
        Judgments that could be compared.
    """
    score = _less_mean_of_judge(score, judge)
    n_others = np.bincount(item)[item] - 1
    others = (np.bincount(item, score)[item] - score) / n_others if n_others.any() else predicted
    is_known = np.isfinite(others) & ((n_others > 0) | ~n_others.any())
    x, y = (_less_mean_of_judge(values[is_known], judge[is_known]) for values in (score, others))
    n_items, *sums = (np.bincount(judge[is_known], weights, judge.max() + 1) for weights in (None, x * y, x * x, y * y))
    products, squares, others_squares = sums
    varies = (squares > ROUNDING) & (others_squares > ROUNDING) & (n_items >= MIN_SEGMENTS)
    return np.where(varies, products / np.sqrt(squares * others_squares), np.nan), n_items


def _less_mean_of_judge(values: FloatArray, judge: IntArray) -> FloatArray:
    return np.asarray(values - (np.bincount(judge, values) / np.bincount(judge))[judge])


def _standard_deviations(values: FloatArray, member: IntArray) -> FloatArray:
    """Return the standard deviation of the values of each judge or system; exactly 0 where they are equal."""
    counts = np.bincount(member)
    one_value = np.zeros(len(counts))
    one_value[member] = values
    differences = values - one_value[member]
    differences -= (np.bincount(member, differences) / np.maximum(counts, 1))[member]
    return np.asarray(np.sqrt(np.bincount(member, differences**2) / np.maximum(counts, 1)))


def contrary(r: FloatArray, n_items: IntArray) -> list[int]:
    """Return the judges or systems whose correlation is near zero or negative, while those of the others are not.

    The differences from the median are taken on Fisher's scale, where chance alone gives a correlation of n items a
    standard error of 1 / sqrt(n - 3), to which the spread of the others is added.

    Parameters
    ----------
    r : (members,) float array
        Correlations; nan where one is unknown.
    n_items : (members,) int array
    """
    is_known = np.isfinite(r)
    usual = float(np.median(r[is_known])) if is_known.sum() > 2 else 0.0
    if usual < 0.1:
        return []
    spread = 1.4826 * np.median(np.abs(r[is_known] - usual))
    below = (np.arctanh(usual) - np.arctanh(np.clip(r, -0.999, 0.999))) / np.hypot(spread, (n_items - 3.0) ** -0.5)
    unrelated = (below > chance_limit(1e-5, int(is_known.sum()))) & (r < usual / 4)
    negative = np.minimum(below, -r * n_items**0.5) > chance_limit(1e-3, int(is_known.sum()))
    return np.flatnonzero(is_known & (unrelated | negative)).tolist()
