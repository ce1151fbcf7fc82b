"""Tests of texts: in the wrong place, copied, absent, cut, or in a wrong encoding."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import numpy as np

from metaeval.corpora.damage.view import Found, View, break_of, copies, hole, outlying, segments
from metaeval.errors import percent

# Text in UTF-8 that was read as Latin-1 or Windows-1252: a letter that begins a sequence, and one that goes on.
_MISREAD = re.compile("[\u00c2-\u00f4][\u0080-\u00bf\u0152-\u02dc\u2013-\u2122\u20ac]")
_ENDED = re.compile(r"\W\s*$")
# Rows that are searched in the whole corpus.
_SEARCHED = 200


def displaced(view: View) -> Iterator[Found]:
    """Find texts that fit the texts of another segment, and not those of their own."""
    if not view.varied:
        return
    present = view.equal >= 0
    usual = np.median(np.where(present, view.likeness, 0), axis=0)
    for place, own in enumerate(view.likeness):
        rows = np.flatnonzero(present[place] & (own < 0.5 * usual))[:_SEARCHED]
        if len(rows) < max(5, 0.05 * view.n):
            continue
        whole, count = view.others(place)
        fit = (view.bags[place][rows] @ whole.T).toarray() / np.maximum(count, 1)
        best = fit.argmax(axis=1)
        height = fit[np.arange(len(rows)), best]
        moved = (height > 0.5 * usual[best]) & (height > 2 * own[rows] + 0.1) & (usual[best] > 0.1)
        if moved.sum() < max(5, 0.05 * view.n):
            continue
        steps = Counter((best - rows)[moved].tolist())
        (step, number), first = steps.most_common(1)[0], int(rows[moved][0])
        how = f"those of the segment {abs(step)} {'after' if step > 0 else 'before'}" if step else ""
        at = f"{moved.sum()} of {view.n} texts from segment {first + 1} on fit"
        if number >= 0.6 * moved.sum():
            yield Found(view.names[place], f"{at} {how}, not their own")
        else:
            yield Found(view.names[place], f"{at} other segments, {fit_words(rows, best, moved)}, not their own")


def fit_words(rows: np.ndarray, best: np.ndarray, moved: np.ndarray) -> str:
    """Return an example of a text in a wrong place."""
    place = int(np.flatnonzero(moved)[0])
    return f"as that of segment {rows[place] + 1} fits {best[place] + 1}"


def copied(view: View) -> Iterator[Found]:
    """Find texts that are equal to those of another system or reference, for long."""
    if view.varied:
        for a, b, first, last in copies(view.equal):
            yield Found(f"{view.names[a]} and {view.names[b]}", f"equal from segment {first + 1} to {last + 1}")


def empty(view: View) -> Iterator[Found]:
    """Find systems many of whose texts are empty or absent, where those of the others are not."""
    if view.varied:
        shares = (view.equal[: view.n_systems] < 0).mean(axis=1)
        for place in outlying(shares, 0.05):
            yield Found(view.names[place], f"{percent(shares[place])} of the texts are empty or absent")


def missing(view: View) -> Iterator[Found]:
    """Find texts that are absent one after the other, and nowhere else."""
    for place, present in enumerate(view.equal >= 0 if view.varied else ()):
        gap = hole(present)
        if gap:
            yield Found(view.names[place], f"no text in {segments(*gap)}")


def untranslated(view: View) -> Iterator[Found]:
    """Find systems many of whose texts are those of the source, where those of the others are not."""
    sources = view.corpus.sources
    if view.varied and sources is not None:
        shares = np.array(
            [np.mean([a == b for a, b in zip(texts, sources, strict=True) if a] or 0) for texts in view.texts]
        )
        for place in outlying(shares, 0.05):
            yield Found(view.names[place], f"{percent(shares[place])} of the texts are those of the source")


def repeated(view: View) -> Iterator[Found]:
    """Find systems that have a text again and again, where the others do not."""
    if view.varied:
        shares = np.array([np.bincount(row[row >= 0], minlength=1).max() / view.n for row in view.equal])
        for place in outlying(shares, 0.05):
            yield Found(view.names[place], f"one text stands in {percent(shares[place])} of the segments")


def cut(view: View) -> Iterator[Found]:
    """Find systems whose texts end where the length ends, or have no end, where those of the others have."""
    if not view.varied:
        return
    top = view.lengths.max(axis=1)
    shares = (view.lengths >= top[:, None] - 2).mean(axis=1)
    for place in outlying(shares, 0.2):
        yield Found(
            view.names[place], f"{percent(shares[place])} of the texts have {top[place]:.0f} characters or 1 or 2 less"
        )
    ended = [[bool(_ENDED.search(one)) for one in texts if one] for texts in view.texts]
    shares = np.array([1 - np.mean(row or [1]) for row in ended])
    for place in outlying(shares, 0.4):
        yield Found(view.names[place], f"{percent(shares[place])} of the texts end without a punctuation mark")


def shorter(view: View) -> Iterator[Found]:
    """Find systems whose texts are of another length, against those of the others, from a segment on."""
    if not view.varied:
        return
    logs = np.log(np.maximum(view.lengths, 1))
    usual = np.median(logs, axis=0)
    for place, own in enumerate(logs[: view.n_systems] - usual):
        where, statistic = break_of(own)
        before, after = (
            np.exp([np.median(own[: where + 1]), np.median(own[where + 1 :])]) if where + 1 < view.n else (1, 1)
        )
        if statistic > 3.5 and max(before / after, after / before) > 1.25:
            yield Found(
                view.names[place],
                f"{before:.2f} times as long as the others up to segment {where + 1}, {after:.2f} times from there on",
            )


def misread(view: View) -> Iterator[Found]:
    """Find texts in UTF-8 that were read as if they were in another encoding."""
    for name, texts in zip(view.names, view.texts, strict=True):
        places = [place for place, one in enumerate(texts) if one and not one.isascii() and _MISREAD.search(one)]
        if len(places) >= 3:
            shown = _MISREAD.search(texts[places[0]] or "")
            assert shown is not None
            yield Found(name, f"{shown.group()!r} in segment {places[0] + 1}, and the like in {len(places)} segments")
