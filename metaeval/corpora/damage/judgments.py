"""Tests of judgments: of other items than they stand at, copied, missing, reversed, or on another scale."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations

import numpy as np

from metaeval.corpora.damage.view import FAR, FEWEST, RARE, Found, View, copies, hole, segments, t_of
from metaeval.errors import percent
from metaeval.records import FloatArray, IntArray

# Variances below are those of rounding.
_NOTHING = 1e-12


def _centred(values: FloatArray) -> FloatArray:
    """Return residuals of the means of systems and of segments: (systems, segments)."""
    for _ in range(2):
        for axis in (0, 1):
            count = np.isfinite(values).sum(axis=axis, keepdims=True)
            values = values - np.nansum(values, axis=axis, keepdims=True) / np.maximum(count, 1)
    return values


def _less_means(values: FloatArray, member: IntArray, counts: IntArray) -> FloatArray:
    """Return values less the mean of their member."""
    return values - (np.bincount(member, values, len(counts)) / np.maximum(counts, 1))[member]


def against_others(
    score: FloatArray, cell: IntArray, member: IntArray, n_cells: int, n: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return how scores of members agree with those of the other members in the same cells and those next to them.

    Parameters
    ----------
    score : (scores,) float array
    cell, member : (scores,) int arrays
        Such as items and judges, or segments and systems.
    n_cells, n : int
        How many cells there are, and how many of them, one after the other, are segments of one text.

    Returns
    -------
    r : (members, 3) float array
        Correlations with the cells before, the same cells and the cells behind; nan where there are too few.
    t : (members, 3) float array
        How many standard errors the agreement is higher than with the same cells.
    counts : (members,) int array
        Scores with others in the same cell.
    """
    n_members = int(member.max()) + 1
    score = _less_means(score, member, np.bincount(member, minlength=n_members))
    total, number = np.bincount(cell, score, n_cells), np.bincount(cell, minlength=n_cells)
    keys = member * n_cells + cell
    order = np.argsort(keys)
    rest = np.full((3, len(score)), np.nan)
    for row, step in enumerate((-1, 0, 1)):
        there = (cell % n + step >= 0) & (cell % n + step < n)
        other = np.where(there, cell + step, cell)
        wanted = member * n_cells + other
        place = order[np.minimum(np.searchsorted(keys[order], wanted), len(keys) - 1)]
        own = keys[place] == wanted
        left = number[other] - own
        np.divide(total[other] - own * score[place], left, out=rest[row], where=there & (left > 0))
    r, t = np.full((n_members, 3), np.nan), np.zeros((n_members, 3))
    counts = np.zeros(n_members, dtype=int)
    for step in (0, 2, 1):
        inside = np.isfinite(rest[step]) & np.isfinite(rest[1])
        of = member[inside]
        counts = np.bincount(of, minlength=n_members)
        x, y, same = (_less_means(one[inside], of, counts) for one in (score, rest[step], rest[1]))
        more = x * (y - same)
        products, squares, others, means, spreads = (
            np.bincount(of, one, n_members) / np.maximum(counts, 1) for one in (x * y, x**2, y**2, more, more**2)
        )
        known = (counts >= FEWEST) & (squares > _NOTHING) & (others > _NOTHING)
        np.divide(products, np.sqrt(squares * others), out=r[:, step], where=known)
        spreads = np.sqrt(np.maximum(spreads - means**2, 0))
        np.divide(means * np.sqrt(counts), spreads, out=t[:, step], where=known & (spreads > _NOTHING))
    return r, t, counts


@lru_cache(maxsize=1)
def _members(view: View) -> list[tuple[str, list[str], FloatArray, FloatArray, IntArray]]:
    """Return the agreement of judges with others of the same items, and of systems with others of the same segments.

    With the criterion, or the two whose difference it is, their names, r, t and counts.
    """
    judged, n, n_systems = view.corpus.judgments, view.n, view.n_systems
    names = [criterion.name for criterion in view.corpus.criteria]
    item = judged.system * n + judged.segment
    rows = [np.flatnonzero(judged.criterion == number) for number in range(len(names))]
    # Those of one item and judge on several criteria stand at the same place.
    key = judged.judge.astype(np.int64) * n_systems * n + item
    rows = [of[np.argsort(key[of], kind="stable")] for of in rows]
    judges, systems = [f"judge {name!r}" for name in judged.judges], view.names[:n_systems]
    found = []
    pairs = [(a, a) for a in range(len(names))] + list(combinations(range(len(names)), 2))
    for a, b in pairs:
        of = rows[a]
        if not len(of) or (a != b and not np.array_equal(key[of], key[rows[b]])):
            continue
        score = judged.score[of] if a == b else judged.score[of] - judged.score[rows[b]]
        what = names[a] if a == b else f"{names[a]} less {names[b]}"
        if len(judges) > 1:
            found.append((what, judges, *against_others(score, item[of], judged.judge[of], n_systems * n, n)))
        cells = view.cells[a] if a == b else view.cells[a] - view.cells[b]
        system, segment = np.nonzero(np.isfinite(cells))
        if len(system):
            found.append((what, systems, *against_others(cells[system, segment], segment, system, n, n)))
    return found


def misplaced(view: View) -> Iterator[Found]:
    """Find judges, and systems, whose scores agree with those of others for the segment before or behind."""
    for what, names, r, t, _ in _members(view):
        for one in np.flatnonzero(
            (t.max(axis=1) > FAR) & (np.nanmax(r, axis=1, initial=-1) > np.fmax(r[:, 1], 0) + 0.1)
        ):
            yield Found(names[one], _shift(r[one], f"scores of others, {what}"))


def _shift(r: FloatArray, what: str) -> str:
    step = int(np.nanargmax(r)) - 1
    side = "before" if step < 0 else "after"
    return f"correlation with {what}, of the segment {side}: {r[step + 1]:.2f}; of the same segment: {r[1]:.2f}"


def contrary(view: View) -> Iterator[Found]:
    """Find judges, and systems, whose scores agree with those of others not at all, or negatively."""
    for what, names, r, _, counts in _members(view):
        own = r[:, 1]
        known = np.flatnonzero(np.isfinite(own))
        usual = float(np.median(own[known])) if len(known) > 2 else 0.0
        if usual < 0.1:
            continue
        spread = 1.4826 * np.median(np.abs(own[known] - usual))
        for one in known:
            below = (np.arctanh(usual) - np.arctanh(max(own[one], -0.999))) / np.hypot(
                spread, (counts[one] - 3) ** -0.5
            )
            if below > FAR and own[one] < usual / 4 or own[one] * counts[one] ** 0.5 < -4.5:
                yield Found(
                    names[one],
                    f"{what}: correlation with the scores of others {own[one]:.2f} over {counts[one]} items, of the "
                    f"others {usual:.2f}",
                )


def against_texts(view: View) -> Iterator[Found]:
    """Find judgments that fit the texts of other segments, or of another system, or are contrary to the texts.

    A text that is like the others of its segment is better than one that is not, on average; what segments and systems
    have as a whole is taken away on both sides.
    """
    if not view.varied or view.n_systems < 3:
        return
    texts = np.where(view.equal >= 0, view.likeness, np.nan)[: view.n_systems]
    residuals = [_centred(np.where(np.isfinite(texts), cells, np.nan)) for cells in view.cells]
    judged: list[tuple[str, FloatArray]] = [
        (criterion.name, values / np.nanstd(values))
        for criterion, values in zip(view.corpus.criteria, residuals, strict=True)
        if np.nanstd(np.nan_to_num(values)) > 0
    ]
    for name, values in judged:
        like = _centred(np.where(np.isfinite(values), texts, np.nan))
        products = [np.nansum(values * np.roll(like, -step, axis=1), axis=0) for step in (-1, 0, 1)]
        t = [t_of(products[step] - products[1]) for step in (0, 1, 2)]
        scale = np.sqrt(np.nansum(values**2) * np.nansum(like**2))
        r = np.array([one.sum() for one in products]) / scale
        if max(t) > FAR:
            yield Found("all systems", f"{name}: " + _shift(r, "the likeness of the texts"))
        elif t_of(products[1]) < -FAR:
            yield Found(f"criterion {name!r}", f"correlation with the likeness of the texts {r[1]:.2f}")
    if judged:
        values = np.mean([values for _, values in judged], axis=0)
        like = _centred(np.where(np.isfinite(values), texts, np.nan))
        for a, b in combinations(range(view.n_systems), 2):
            products = (values[a] - values[b]) * (like[a] - like[b])
            if t_of(products) < -FAR:
                r = np.nansum(products)
                yield Found(
                    f"{view.names[a]} and {view.names[b]}",
                    "which is judged better in a segment is that whose text is less like the others",
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
            for one in np.flatnonzero((counts >= FEWEST) & (ends[1] - ends[0] <= middle / 5)):
                rest = score[column != one]
                inside = np.mean((rest >= ends[0, one]) & (rest <= ends[1, one])) if len(rest) else 1
                if inside < 0.2 and inside ** counts[one] < RARE:
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
    far = 1.4826 * np.median(np.abs(shares - usual)) + 0.01 * usual
    for one in np.flatnonzero((shares < 0.8 * usual) & (usual - shares > FAR * far)) if len(known) > 3 else ():
        yield Found(
            view.names[known[one]],
            f"{shares[one]:.0f} judgments by each of its judges, {usual:.0f} of the others' systems",
        )
