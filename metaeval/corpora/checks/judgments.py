"""Tests of judgments: of other items than they stand at, copied, missing, reversed, or on another scale."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from metaeval.corpora.checks.common import FEWEST, RARE, Found, View, centred, copies, far, hole, r_of, t_of
from metaeval.errors import percent
from metaeval.records import BoolArray, FloatArray, IntArray

# Variances below are those of rounding.
_NOTHING = 1e-12


def agreement(
    score: FloatArray, item: IntArray, judge: IntArray, expected: FloatArray | None = None
) -> tuple[FloatArray, IntArray]:
    """Return how scores of judges agree with the mean of the other judges of the same items.

    Parameters
    ----------
    score : (scores,) float array
    item, judge : (scores,) int arrays
    expected : (scores,) float array, optional
        What to compare with where no item has two judges; nan where nothing is expected.

    Returns
    -------
    r : (judges,) float array
        Correlations; nan where there are too few scores.
    counts : (judges,) int array
        Scores that could be compared.
    """
    score = _less_means(score, judge)
    left = np.bincount(item)[item] - 1
    rest = (np.bincount(item, score)[item] - score) / np.maximum(left, 1)
    known = left > 0
    if expected is not None and not known.any():
        rest, known = expected, np.isfinite(expected)
    score, rest, judge = score[known], rest[known], judge[known]
    counts = np.bincount(judge)
    x, y = _less_means(score, judge), _less_means(rest, judge)
    products, squares, others = (np.bincount(judge, one) for one in (x * y, x**2, y**2))
    enough = (counts >= FEWEST) & (squares > _NOTHING) & (others > _NOTHING)
    return np.divide(products, np.sqrt(squares * others), out=np.full(len(counts), np.nan), where=enough), counts


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
            # What is expected is higher for the better.
            turned = 1 if view.corpus.criteria[a].higher_is_better else -1
            expected = turned * view.expected[judged.system[of], judged.segment[of]] if a == b else None
            for one, seen in _contrary(*agreement(score, item[of], judged.judge[of], expected)):
                yield f"judge {judged.judges[one]!r}", f"{what}: {seen}"


def _contrary(r: FloatArray, counts: IntArray) -> Iterator[tuple[int, str]]:
    """Give the members whose correlations lie far below the others', with what was seen: (members,) each."""
    known, r = np.flatnonzero(np.isfinite(r)), np.clip(r, -0.999, 0.999)
    usual = float(np.median(r[known])) if len(known) > 2 else 0.0
    if usual < 0.1:
        return
    spread = 1.4826 * np.median(np.abs(r[known] - usual))
    for one in known.tolist():
        below = (np.arctanh(usual) - np.arctanh(r[one])) / np.hypot(spread, (counts[one] - 3) ** -0.5)
        absent = below > far(len(known), 1e-5) and r[one] < usual / 4
        if absent or min(below, -r[one] * counts[one] ** 0.5) > far(len(known), 1e-3):
            yield one, f"correlation with the others {r[one]:.2f} over {counts[one]} items, usual is {usual:.2f}"


def contrary_systems(view: View) -> Iterator[Found]:
    """Find systems whose judgments are not those to be expected from others of the segment, and from the texts."""
    own, expected = centred(view.mean, (1,)), view.expected
    near = [np.roll(expected, step, axis=1) for step in (1, 0, -1)]
    r = np.array([[r_of(x, y) for y in there] for x, *there in zip(own, *near, strict=True)])
    t = np.array([[t_of(x * (y - z)) for y in there] for x, z, *there in zip(own, expected, *near, strict=True)])
    moved = (t.max(axis=1) > far(2 * len(own), 1e-3)) & (np.nan_to_num(r).max(axis=1) > 0.1)
    for place in np.flatnonzero(moved):
        yield view.names[place], _shift(r[place], "what the others and the text let expect")
    for one, seen in _contrary(r[:, 1], np.isfinite(own + expected).sum(axis=1)):
        yield view.names[one], seen


def _shift(r: FloatArray, what: str) -> str:
    step = int(np.nanargmax(r)) - 1
    side = "before" if step < 0 else "after"
    return f"correlation with {what}, of the segment {side} {r[step + 1]:.2f}, of the same segment {r[1]:.2f}"


def against_texts(view: View) -> Iterator[Found]:
    """Find judgments that fit the texts of other segments, or of another system, or are contrary to the texts.

    A text that is like the others of its segment is better than one that is not, on average; what segments and systems
    have as a whole is taken away on both sides.
    """
    if not view.varied or view.n_systems < 3:
        return
    judged, like = view.residuals
    moved = [np.roll(like, step, axis=1) for step in (1, 0, -1)]
    for criterion, values in zip(view.corpus.criteria, map(centred, view.cells), strict=True):
        r = np.array([r_of(values.ravel(), there.ravel()) for there in moved])
        t = [t_of(np.nansum(values * (there - like), axis=0)) for there in moved]
        if max(t) > far(2, 1e-3) and r.max() > 0.05:
            yield f"criterion {criterion.name!r}", _shift(r, "the likeness of the texts")
        elif t_of(np.nansum(values * like, axis=0)) < -far(1, 1e-4):
            yield f"criterion {criterion.name!r}", f"correlation with the likeness of the texts {r[1]:.2f}"
    pairs = list(combinations(range(view.n_systems), 2))
    t = [t_of((judged[a] - judged[b]) * (like[a] - like[b])) for a, b in pairs]
    for place in np.flatnonzero(np.array(t) < -far(len(pairs), 1e-3)) if np.median(t) > 1 else ():
        both = " and ".join(view.names[one] for one in pairs[place])
        yield both, "of both, the text that is less like the others is judged better"


def scale(view: View) -> Iterator[Found]:
    """Find judges, and systems, whose scores are all the same, all above or below, or values that no others have."""
    judged = view.corpus.judgments
    judges = [f"judge {one!r}" for one in judged.judges]
    for number, criterion in enumerate(view.corpus.criteria):
        rows = np.flatnonzero(judged.criterion == number)
        values, value, times = np.unique(judged.score[rows], return_inverse=True, return_counts=True)
        ranks = (np.cumsum(times) - times / 2)[value]
        for names, of in ((judges, judged.judge[rows]), (view.names, judged.system[rows])):
            n = np.bincount(of)
            given = np.unique(of * np.int64(len(values)) + value)
            givers = np.bincount(given % max(len(values), 1), minlength=1)
            alone = np.bincount(of, givers[value] == 1) / np.maximum(n, 1)
            for one in np.flatnonzero((n >= FEWEST) & (n < len(rows))):
                below = (ranks[of == one].sum() - n[one] ** 2 / 2) / (n[one] * (len(rows) - n[one]))
                own, seen = given[given // len(values) == one] % len(values), ""
                if len(own) == 1 and ((times[own[0]] - n[one]) / (len(rows) - n[one])) ** n[one] < RARE:
                    seen = f"all {n[one]} scores are {values[own[0]]:g}"
                elif not 0.03 < below < 0.97:
                    seen = f"a score is above {percent(below)} of others', on average"
                elif (givers[own] == 1).sum() > 2 and alone[one] > 0.2 and np.delete(alone, one).max() < 0.02:
                    seen = f"{percent(alone[one])} of the scores are such as no others are, from {values[own[0]]:g}"
                    seen += f" to {values[own[-1]]:g}"
                if seen:
                    yield names[one], f"{criterion.name}: {seen}"


def duplicated(view: View) -> Iterator[Found]:
    """Find systems, and stretches of segments, with the same judgments."""
    table = np.stack([cells for cells in view.cells if np.isfinite(cells).any()], axis=2)
    there = np.isfinite(table).all(axis=2)
    _, ids = np.unique(np.nan_to_num(table).reshape(-1, table.shape[2]), axis=0, return_inverse=True)
    ids = np.where(there, ids.reshape(there.shape), -1)
    for a, b, first, last in copies(ids):
        if not np.array_equal(view.equal[a], view.equal[b]):
            yield f"{view.names[a]} and {view.names[b]}", f"equal from segment {first + 1} to {last + 1}"
    _, rows = np.unique(ids, axis=1, return_inverse=True)
    # In numpy 2.0.0 they have a second axis.
    rows = np.where([len(np.unique(column[column >= 0])) > 4 for column in ids.T], rows.ravel(), -1)
    first_at: dict[int, int] = {}
    twice = [(place, first_at.setdefault(row, place)) for place, row in enumerate(rows.tolist()) if row >= 0]
    twice = [(place, first) for place, first in twice if first < place]
    if len(twice) >= max(5, 0.03 * view.n):
        place, first = twice[0]
        yield "all systems", f"{len(twice)} segments as segments before, the first segment {place + 1} as {first + 1}"


def thin(view: View) -> Iterator[Found]:
    """Find systems with far fewer judgments of each judge than the others have."""
    judged = view.corpus.judgments
    pairs = np.unique(judged.system.astype(np.int64) * len(judged.judges) + judged.judge) // len(judged.judges)
    judges, counts = (np.bincount(of, minlength=view.n_systems) for of in (pairs, judged.system))
    known = np.flatnonzero(counts)
    shares = counts[known] / judges[known]
    usual = np.median(shares)
    spread = 1.4826 * np.median(np.abs(shares - usual)) + 0.01 * usual
    for one in np.flatnonzero((shares < 0.8 * usual) & (usual - shares > 6 * spread)) if len(known) > 3 else ():
        yield view.names[known[one]], f"{shares[one]:.0f} judgments by a judge, of the others {usual:.0f}"


def holes(view: View) -> Iterator[Found]:
    """Find texts, and judgments, that are missing one after the other and hardly anywhere else."""
    judged = np.zeros((view.n_systems, view.n), dtype=bool)
    judged[view.corpus.judgments.system, view.corpus.judgments.segment] = True
    somebody = np.any(judged, axis=0)
    rows: list[tuple[str, str, BoolArray]] = [("all systems", "judgment", somebody)]
    rows += [(name, "judgment", own | ~somebody) for name, own in zip(view.names, judged, strict=False) if own.any()]
    rows += [(name, "text", own >= 0) for name, own in zip(view.names, view.equal, strict=True) if view.varied]
    for name, what, present in rows:
        if gap := hole(present):
            yield name, f"no {what} in segments {gap[0] + 1} to {gap[1] + 1}"
