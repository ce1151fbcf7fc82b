"""Tests of texts: in the wrong place, copied, absent, cut, or in a wrong encoding."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import numpy as np

from metaeval.corpora.checks.common import FEWEST, Found, View, break_of, copies
from metaeval.errors import percent

# Text in UTF-8 that was read as Latin-1 or Windows-1252: a letter that begins a sequence, and one that goes on.
_MISREAD = re.compile("[\u00c2-\u00f4][\u0080-\u00bf\u0152-\u02dc\u2013-\u2122\u20ac]")
# How many texts, about, are searched in the whole corpus.
_SEARCHED = 200


def displaced(view: View) -> Iterator[Found]:
    """Find texts that fit the texts of another segment, and not those of their own."""
    present = view.equal >= 0
    usual = np.median(np.where(present, view.likeness, 0), axis=0)
    for place, own in enumerate(view.likeness):
        unlike = np.flatnonzero(present[place] & (own < 0.5 * usual))
        if len(unlike) < max(5, 0.05 * view.n):
            continue
        rows = unlike[:: len(unlike) // _SEARCHED + 1]
        whole, n_others = view.others(place)
        fit = (view.bags[place][rows] @ whole.T).toarray() / np.maximum(n_others, 1)
        best = fit.argmax(axis=1)
        height = fit[np.arange(len(rows)), best]
        moved = (height > 0.5 * usual[best]) & (height > 2 * own[rows] + 0.1) & (usual[best] > 0.1)
        count = round(len(unlike) * moved.mean())
        if count < max(5, 0.05 * view.n):
            continue
        steps, where = (best - rows)[moved], rows[moved]
        step, number = Counter(steps.tolist()).most_common(1)[0]
        how = "of other segments"
        if number >= 0.6 * len(steps):
            how = f"of the segment {abs(step)} {'after' if step > 0 else 'before'}"
        seen = f"{count} of {view.n} texts from segment {where[0] + 1} on fit those {how} and not their own"
        yield view.names[place], f"{seen}, the first that of segment {best[moved][0] + 1}"


def copied(view: View) -> Iterator[Found]:
    """Find texts that are equal to those of another system or reference, for long."""
    for a, b, first, last in copies(view.equal):
        yield f"{view.names[a]} and {view.names[b]}", f"equal from segment {first + 1} to {last + 1}"


def unusual(view: View) -> Iterator[Found]:
    """Find systems many of whose texts are as hardly any of the others: empty, those of the source, cut off."""
    lengths = np.array([[len(one or "") for one in texts] for texts in view.texts])
    most = [np.bincount(row[row >= 0], minlength=1).argmax() for row in view.equal]
    sources = view.corpus.sources or ("",) * view.n
    untranslated = [[one == source != "" for one, source in zip(texts, sources, strict=True)] for texts in view.texts]
    open_ended = [[(one or "").rstrip()[-1:].isalnum() for one in texts] for texts in view.texts]
    absent = (view.equal < 0) & (np.arange(len(view.texts)) < view.n_systems)[:, None]
    for marks, floor, what in (
        (absent, 0.05, "are empty or absent"),
        (untranslated, 0.05, "are those of the source"),
        (view.equal == np.array(most)[:, None], 0.05, "are the same"),
        (lengths >= lengths.max(axis=1, keepdims=True) - 2, 0.2, "are as long as the longest, but for 2 characters"),
        (open_ended, 0.4, "end without a punctuation mark"),
    ):
        shares = np.sum(marks, axis=1) / np.maximum(np.sum((view.equal >= 0) | marks, axis=1), FEWEST)
        *_, second, first = [0, 0, *np.argsort(shares)]
        if len(shares) > 2 and shares[first] >= max(floor, 4 * shares[second]):
            yield (
                view.names[first],
                f"{percent(shares[first])} of the texts {what}, of others {percent(shares[second])}",
            )


def shorter(view: View) -> Iterator[Found]:
    """Find systems whose texts are of another length, against those of the others, from a segment on."""
    logs = np.log([[max(len(one or ""), 1) for one in texts] for texts in view.texts])
    usual = np.median(logs, axis=0)
    for name, own in zip(view.names, logs[: view.n_systems] - usual, strict=False):
        where, statistic = break_of(own)
        before, after = np.exp([np.median(own[:where]), np.median(own[where:])])
        if statistic > 3.5 and max(before / after, after / before) > 1.25:
            seen = f"{before:.2f} times as long as the others up to segment {where}, {after:.2f} times behind it"
            yield name, seen


def misread(view: View) -> Iterator[Found]:
    """Find texts in UTF-8 that were read as if they were in another encoding."""
    for name, texts in zip(view.names, view.texts, strict=True):
        matches = [_MISREAD.search(one) if one and not one.isascii() else None for one in texts]
        found = [(place, match.group()) for place, match in enumerate(matches, start=1) if match]
        if len(found) >= max(3, 0.01 * view.n):
            yield name, f"{found[0][1]!r} in segment {found[0][0]}, and the like in {len(found)} segments"
