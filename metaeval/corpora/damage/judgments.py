"""Tests of judgments: of other items than they stand at, copied, missing, reversed, or on another scale."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from metaeval.corpora.damage.view import FEWEST, RARE, Found, View, centred, copies, far, hole, segments, standard, t_of
from metaeval.errors import percent
from metaeval.records import FloatArray, IntArray

# Variances below are those of rounding.
_NOTHING = 1e-12


def agreement(score: FloatArray, item: IntArray, judge: IntArray) -> tuple[FloatArray, IntArray]:
    """Return how scores of judges agree with the mean of the other judges of the same items.

    Parameters
    ----------
    score : (scores,) float array
    item, judge : (scores,) int arrays

    Returns
    -------
    r : (judges,) float array
        Correlations; nan where there are too few scores.
    counts : (judges,) int array
        Scores with others of the same item.
    """
    score = _less_means(score, judge)
    left = np.bincount(item)[item] - 1
    score, item, judge, left = (one[left > 0] for one in (score, item, judge, left))
    counts = np.bincount(judge)
    x, y = _less_means(score, judge), _less_means((np.bincount(item, score)[item] - score) / left, judge)
    products, squares, others = (np.bincount(judge, one) for one in (x * y, x**2, y**2))
    known = (counts >= FEWEST) & (squares > _NOTHING) & (others > _NOTHING)
    return np.divide(products, np.sqrt(squares * others), out=np.full(len(counts), np.nan), where=known), counts


def _less_means(values: FloatArray, member: IntArray) -> FloatArray:
    """Return values less the mean of their member."""
    return values - (np.bincount(member, values) / np.maximum(np.bincount(member), 1))[member]


def contrary_judges(view: View) -> Iterator[Found]:
    """Find judges whose scores agree with those of others not at all or negatively, or so of two criteria."""
    judged, n_items = view.corpus.judgments, view.n_systems * view.n
    names = [criterion.name for criterion in view.corpus.criteria]
    item = judged.system.astype(np.int64) * view.n + judged.segment
    key = judged.judge * n_items + item
    # Those of one item and judge on several criteria stand at the same place.
    rows = [np.flatnonzero(judged.criterion == number) for number in range(len(names))]
    rows = [of[np.argsort(key[of], kind="stable")] for of in rows]
    for a, b in [*zip(range(len(names)), range(len(names)), strict=True), *combinations(range(len(names)), 2)]:
        of, scores = rows[a], judged.score
        if len(of) and (a == b or np.array_equal(key[of], key[rows[b]])):
            score = scores[of] if a == b else scores[of] - scores[rows[b]]
            what = names[a] if a == b else f"{names[a]} less {names[b]}"
            for one, seen in _contrary(*agreement(score, item[of], judged.judge[of])):
                yield Found(f"judge {judged.judges[one]!r}", f"{what}: {seen}")


def _contrary(r: FloatArray, counts: IntArray) -> Iterator[tuple[int, str]]:
    """Give the members whose correlations lie far below the others', with what was seen: (members,) each."""
    known = np.flatnonzero(np.isfinite(r))
    usual = float(np.median(r[known])) if len(known) > 2 else 0.0
    if usual < 0.1:
        return
    spread = 1.4826 * np.median(np.abs(r[known] - usual))
    for one in known.tolist():
        below = (np.arctanh(usual) - np.arctanh(max(r[one], -0.999))) / np.hypot(spread, (counts[one] - 3) ** -0.5)
        absent = below > far(len(known), 1e-6) and r[one] < usual / 4
        if absent or min(below, -r[one] * counts[one] ** 0.5) > far(len(known), 1e-3):
            yield one, f"correlation with the others {r[one]:.2f} over {counts[one]} items, usual is {usual:.2f}"


def contrary_systems(view: View) -> Iterator[Found]:
    """Find systems whose judgments are not those that others of a segment, and the texts, let expect, or of the next."""
    if view.mean is None:
        return
    own = view.mean - np.nanmean(view.mean, axis=1, keepdims=True)
    total, number = np.nansum(own, axis=0), np.isfinite(own).sum(axis=0)
    r, t, counts = np.full((len(own), 3), np.nan), np.zeros((len(own), 3)), np.zeros(len(own), dtype=int)
    for place, score in enumerate(own):
        left = number - np.isfinite(score)
        expected = standard(np.divide(total - np.nan_to_num(score), left, out=np.full(view.n, np.nan), where=left > 0))
        expected = expected + (standard(view.residuals[1][place]) if view.varied else 0)
        for step in (0, 1, 2):
            there = np.roll(expected, 1 - step)
            inside = np.flatnonzero(np.isfinite(score + there + expected))
            if len(inside) >= FEWEST and min(score[inside].std(), there[inside].std()) > _NOTHING:
                counts[place] = len(inside)
                r[place, step] = np.corrcoef(score[inside], there[inside])[0, 1]
                t[place, step] = t_of((score - score[inside].mean())[inside] * (there - expected)[inside])
    moved = (t.max(axis=1) > far(2 * len(own), 1e-3)) & (np.nan_to_num(r).max(axis=1) > 0.1)
    for one in np.flatnonzero(moved):
        yield Found(view.names[one], _shift(r[one], "what the others and the text let expect"))
    for one, seen in _contrary(r[:, 1], counts):
        yield Found(view.names[one], seen)


def _shift(r: FloatArray, what: str) -> str:
    step = int(np.nanargmax(r)) - 1
    side = "before" if step < 0 else "after"
    return f"correlation with {what}, of the segment {side} {r[step + 1]:.2f}, of the same segment {r[1]:.2f}"


def against_texts(view: View) -> Iterator[Found]:
    """Find judgments that fit the texts of other segments, or of another system, or are contrary to the texts.

    A text that is like the others of its segment is better than one that is not, on average; what segments and systems
    have as a whole is taken away on both sides.
    """
    if not view.varied or view.n_systems < 3 or view.mean is None:
        return
    for criterion, cells in zip(view.corpus.criteria, view.cells, strict=True):
        values, like = centred(cells), view.residuals[1]
        products = [np.nansum(values * np.roll(like, 1 - step, axis=1), axis=0) for step in (0, 1, 2)]
        r = np.array([one.sum() for one in products]) / np.sqrt(
            max(np.nansum(values**2) * np.nansum(like**2), _NOTHING)
        )
        name = f"criterion {criterion.name!r}"
        if max(t_of(one - products[1]) for one in products) > far(2, 1e-4) and r.max() > 0.1:
            yield Found(name, _shift(r, "the likeness of the texts"))
        elif t_of(products[1]) < -far(1, 1e-4):
            yield Found(name, f"correlation with the likeness of the texts {r[1]:.2f}")
    judged, like = view.residuals
    pairs = list(combinations(range(view.n_systems), 2))
    t = np.array([t_of((judged[a] - judged[b]) * (like[a] - like[b])) for a, b in pairs])
    for place in np.flatnonzero(t < -far(len(pairs), 1e-3)) if np.median(t) > 1 else ():
        a, b = pairs[place]
        yield Found(
            f"{view.names[a]} and {view.names[b]}",
            "the one whose text is less like the others is the one judged better",
        )


def narrow(view: View) -> Iterator[Found]:
    """Find judges, and systems, all of whose scores are in a small part of the range, where few of the others are."""
    judged = view.corpus.judgments
    for number, criterion in enumerate(view.corpus.criteria):
        rows = np.flatnonzero(judged.criterion == number)
        score = judged.score[rows]
        for names, column in (
            ([f"judge {one!r}" for one in judged.judges], judged.judge[rows]),
            (view.names, judged.system[rows]),
        ):
            ends = np.full((2, int(column.max(initial=0)) + 1), np.nan)
            np.fmin.at(ends[0], column, score)
            np.fmax.at(ends[1], column, score)
            counts = np.bincount(column, minlength=ends.shape[1])
            middle = np.nanmedian(ends[1] - ends[0])
            for one in np.flatnonzero((counts >= FEWEST) & (ends[1] - ends[0] <= middle / 8)):
                rest = score[column != one]
                inside = np.mean((rest >= ends[0, one]) & (rest <= ends[1, one])) if len(rest) else 1
                if inside < (0.5 if ends[0, one] == ends[1, one] else 0.15) and inside ** counts[one] < RARE:
                    yield Found(
                        names[one],
                        f"{criterion.name}: all {counts[one]} scores from {ends[0, one]:g} to {ends[1, one]:g}, where "
                        f"{percent(inside)} of the others are",
                    )


def duplicated(view: View) -> Iterator[Found]:
    """Find systems, and stretches of segments, with the same judgments."""
    if view.n < FEWEST or not view.cells:
        return
    table = np.stack(view.cells, axis=2)
    there = np.isfinite(table).all(axis=2)
    _, ids = np.unique(np.nan_to_num(table).reshape(-1, table.shape[2]), axis=0, return_inverse=True)
    ids = np.where(there, ids.reshape(there.shape), -1)
    for a, b, first, last in copies(ids):
        if not np.array_equal(view.equal[a], view.equal[b]):
            yield Found(f"{view.names[a]} and {view.names[b]}", f"equal in {segments(first, last)}")
    _, rows = np.unique(ids, axis=1, return_inverse=True)
    rows = np.where([len(np.unique(column[column >= 0])) > 4 for column in ids.T], rows, -1)
    first_at: dict[int, int] = {}
    twice = [(place, first_at.setdefault(row, place)) for place, row in enumerate(rows.tolist()) if row >= 0]
    twice = [(place, first) for place, first in twice if first < place]
    if len(twice) >= max(5, 0.03 * view.n):
        yield Found(
            "all systems", f"{len(twice)} segments as segments before, segment {twice[0][0] + 1} as {twice[0][1] + 1}"
        )


def unjudged(view: View) -> Iterator[Found]:
    """Find systems, and segments, without the judgments that the others have."""
    judged = view.corpus.judgments
    if view.n < FEWEST or not len(judged):
        return
    there = np.zeros((view.n_systems, view.n), dtype=bool)
    there[judged.system, judged.segment] = True
    if gap := hole(there.any(axis=0)):
        yield Found("all systems", f"no judgments of {segments(*gap)}")
        return
    for name, present in zip(view.names, there, strict=False):
        if present.any() and (gap := hole(present)):
            yield Found(name, f"no judgments of {segments(*gap)}")
    known = np.flatnonzero(there.any(axis=1))
    judges = [len(np.unique(judged.judge[judged.system == one])) for one in known]
    shares = np.bincount(judged.system, minlength=view.n_systems)[known] / np.maximum(judges, 1)
    usual = np.median(shares)
    spread = 1.4826 * np.median(np.abs(shares - usual)) + 0.01 * usual
    for one in np.flatnonzero((shares < 0.8 * usual) & (usual - shares > 6 * spread)) if len(known) > 3 else ():
        yield Found(view.names[known[one]], f"{shares[one]:.0f} judgments by a judge, of the others {usual:.0f}")
