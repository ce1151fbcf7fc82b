"""Tests of judgments: of other items than they stand at, copied, missing, reversed, or on another scale."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np

from metaeval.corpora.damage.view import FEWEST, RARE, Found, View, centred, copies, far, hole, segments, standard, t_of
from metaeval.errors import percent
from metaeval.records import FloatArray, IntArray

# Variances below are those of rounding.
_NOTHING = 1e-12


def _less_means(values: FloatArray, member: IntArray, counts: IntArray) -> FloatArray:
    """Return values less the mean of their member."""
    return values - (np.bincount(member, values, len(counts)) / np.maximum(counts, 1))[member]


def against_others(
    score: FloatArray, item: IntArray, judge: IntArray, n_items: int, n: int
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return how scores of judges agree with the mean of the other judges of the same item and of those next to it.

    Parameters
    ----------
    score : (scores,) float array
    item, judge : (scores,) int arrays
        Items are the segments of each system, one system after the other.
    n_items, n : int
        How many items there are, and how many segments.

    Returns
    -------
    r : (judges, 3) float array
        Correlations with the segment before, the same and the one behind; nan where there are too few scores.
    t : (judges, 3) float array
        How many standard errors the agreement is higher than with the same segment.
    counts : (judges,) int array
        Scores with others of the same item.
    """
    n_judges = int(judge.max()) + 1
    score = _less_means(score, judge, np.bincount(judge, minlength=n_judges))
    total, number = np.bincount(item, score, n_items), np.bincount(item, minlength=n_items)
    keys = judge * n_items + item
    order = np.argsort(keys)
    rest = np.full((3, len(score)), np.nan)
    for row, step in enumerate((-1, 0, 1)):
        there = (item % n + step >= 0) & (item % n + step < n)
        other = np.where(there, item + step, item)
        wanted = judge * n_items + other
        place = order[np.minimum(np.searchsorted(keys[order], wanted), len(keys) - 1)]
        own = keys[place] == wanted
        left = number[other] - own
        np.divide(total[other] - own * score[place], left, out=rest[row], where=there & (left > 0))
    r, t = np.full((n_judges, 3), np.nan), np.zeros((n_judges, 3))
    counts = np.zeros(n_judges, dtype=int)
    for step in (0, 2, 1):
        inside = np.isfinite(rest[step]) & np.isfinite(rest[1])
        of = judge[inside]
        counts = np.bincount(of, minlength=n_judges)
        x, y, same = (_less_means(one[inside], of, counts) for one in (score, rest[step], rest[1]))
        more = x * (y - same)
        products, squares, others, means, spreads = (
            np.bincount(of, one, n_judges) / np.maximum(counts, 1) for one in (x * y, x**2, y**2, more, more**2)
        )
        known = (counts >= FEWEST) & (squares > _NOTHING) & (others > _NOTHING)
        np.divide(products, np.sqrt(squares * others), out=r[:, step], where=known)
        spreads = np.sqrt(np.maximum(spreads - means**2, 0))
        np.divide(means * np.sqrt(counts), spreads, out=t[:, step], where=known & (spreads > _NOTHING))
    return r, t, counts


class _Agreement(NamedTuple):
    """How scores of some judges or systems agree with what is expected of them; arrays as of `against_others`."""

    what: str
    names: Sequence[str]
    r: FloatArray
    t: FloatArray
    counts: IntArray


@lru_cache(maxsize=1)
def _agreements(view: View) -> list[_Agreement]:
    """Return the agreement of judges with others, by criterion and by difference of two criteria, and of systems."""
    judged, n, n_items = view.corpus.judgments, view.n, view.n_systems * view.n
    names = [criterion.name for criterion in view.corpus.criteria]
    item, found = judged.system.astype(np.int64) * n + judged.segment, []
    key = judged.judge * n_items + item
    # Those of one item and judge on several criteria stand at the same place.
    rows = [np.flatnonzero(judged.criterion == number) for number in range(len(names))]
    rows = [of[np.argsort(key[of], kind="stable")] for of in rows]
    pairs = [(a, a) for a in range(len(names))] + list(combinations(range(len(names)), 2))
    for a, b in pairs if len(judged.judges) > 1 and n >= FEWEST else ():
        of = rows[a]
        if len(of) and (a == b or np.array_equal(key[of], key[rows[b]])):
            score = judged.score[of] if a == b else judged.score[of] - judged.score[rows[b]]
            what = names[a] if a == b else f"{names[a]} less {names[b]}"
            judges = [f"judge {name!r}" for name in judged.judges]
            found.append(_Agreement(what, judges, *against_others(score, item[of], judged.judge[of], n_items, n)))
    return [*found, *_of_systems(view)]


def _of_systems(view: View) -> Iterator[_Agreement]:
    """Give the agreement of the judgments of systems with those of others of the segment, and with their texts."""
    if view.mean is None:
        return
    own = view.mean - np.nanmean(view.mean, axis=1, keepdims=True)
    total, number = np.nansum(own, axis=0), np.isfinite(own).sum(axis=0)
    r, t, counts = np.full((len(own), 3), np.nan), np.zeros((len(own), 3)), np.zeros(len(own), dtype=int)
    for place, score in enumerate(own):
        left = number - np.isfinite(score)
        others = np.divide(total - np.nan_to_num(score), left, out=np.full(view.n, np.nan), where=left > 0)
        expected = standard(others)
        if view.varied:
            expected = expected + standard(view.residuals[1][place])
        for step in (0, 1, 2):
            there = np.roll(expected, 1 - step)
            inside = np.flatnonzero(np.isfinite(score + there + expected))
            if len(inside) >= FEWEST and min(score[inside].std(), there[inside].std()) > _NOTHING:
                counts[place] = len(inside)
                r[place, step] = np.corrcoef(score[inside], there[inside])[0, 1]
                t[place, step] = t_of((score - score[inside].mean())[inside] * (there - expected)[inside])
    yield _Agreement("mean of the criteria", view.names, r, t, counts)


def misplaced(view: View) -> Iterator[Found]:
    """Find judges, and systems, whose scores agree with those of others for the segment before or behind."""
    for what, names, r, t, _ in _agreements(view):
        for one in np.flatnonzero(t.max(axis=1) > far(2 * np.isfinite(r[:, 1]).sum(), 1e-3)):
            if np.nanmax(r[one]) > max(r[one, 1], 0) + 0.1:
                yield Found(names[one], f"{what}: {_shift(r[one], 'what others let expect')}")


def _shift(r: FloatArray, what: str) -> str:
    step = int(np.nanargmax(r)) - 1
    side = "before" if step < 0 else "after"
    return f"correlation with {what}, of the segment {side} {r[step + 1]:.2f}, of the same segment {r[1]:.2f}"


def contrary(view: View) -> Iterator[Found]:
    """Find judges, and systems, whose scores agree with those of others not at all, or negatively."""
    for what, names, r, _, counts in _agreements(view):
        known = np.flatnonzero(np.isfinite(r[:, 1]))
        usual = float(np.median(r[known, 1])) if len(known) > 2 else 0.0
        if usual < 0.1:
            continue
        spread, limit = 1.4826 * np.median(np.abs(r[known, 1] - usual)), far(len(known), 1e-6)
        for one in known:
            own = max(r[one, 1], -0.999)
            below = (np.arctanh(min(usual, 0.999)) - np.arctanh(own)) / np.hypot(spread, (counts[one] - 3) ** -0.5)
            if below > limit and own < usual / 4:
                seen = f"{own:.2f} over {counts[one]} items, of the others {usual:.2f}"
                yield Found(names[one], f"{what}: correlation with what others let expect {seen}")


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
