"""Checks of what the scores say: their range and direction, ties, sums; and how fast they come."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from metaeval.metrics.text_metric import TextMetric
from metaeval.plugins.conformance.case import (
    EXACT,
    ROUNDING,
    Case,
    Outcome,
    expected_scores,
    number,
    place,
    short,
)
from metaeval.plugins.conformance.repetition import NO_REFERENCES
from metaeval.plugins.conformance.trial import part, repeated_corpus, with_candidates
from metaeval.randomness import generator
from metaeval.records import Corpus, FloatArray
from metaeval.text.encoding import treat

_SECONDS, _MOST_CALLS = 0.2, 20
_MANY_TIES = 1 / 3
_WAYS = ("dropping", "replacing", "shuffling")
_SHARES = (0.0, 0.25, 0.5, 0.75)
_FEWEST_WORDS = 4
# Of what all damage does: a gain of less may be chance, as of a metric that hardly sees the order of words.
_CLEAR = 0.01
_OTHER_WORDS = (
    "blorf",
    "quind",
    "zetch",
    "prusk",
    "vomble",
    "gritz",
    "fenk",
    "slarn",
    "dwoom",
    "hixel",
    "jorp",
    "yatt",
)


def value_range(case: Case) -> Outcome:
    """Tell the lowest and the highest score."""
    scores = case.measured.scores
    ends = [np.unravel_index(int(choose(scores)), scores.shape) for choose in (np.argmin, np.argmax)]
    low, high = (float(scores[end]) for end in ends)
    if low == high:
        return Outcome("note", f"All scores are {number(low)}.")
    return Outcome(
        "ok",
        f"The scores of the segments go from {number(low)} to {number(high)}.",
        "; ".join(f"{number(float(scores[end]))}: {case.place(int(end[0]), int(end[1]))}" for end in ends),
    )


def identical(case: Case) -> Outcome:
    """Tell whether a candidate that is equal to a reference gets the best score."""
    if not case.trial.reads_references:
        return NO_REFERENCES
    texts = _first_references(case.corpus)
    rows = [i for i, text in enumerate(texts) if text]
    corpus = part(case.corpus, rows)
    candidates = dict(zip(corpus.systems, corpus.candidates, strict=True))
    name = "the reference itself"
    together = with_candidates(corpus, {**candidates, name: tuple(texts[i] for i in rows)})
    signed = case.sign * case.trial.measure(together).scores
    own, others = signed[-1], np.max(np.nan_to_num(signed[:-1], nan=-np.inf), axis=0)
    best = float(np.nanmax(signed))
    margin = ROUNDING * (float(np.nanmax(np.abs(signed))) or 1.0)
    beaten = np.flatnonzero(others > own + margin)
    equal = own >= best - margin
    scored = f"{number(case.sign * float(own.min()))}"
    if len(beaten):
        worst = int(beaten[np.argmax((others - own)[beaten])])
        winner = int(np.argmax(np.nan_to_num(signed[:-1, worst], nan=-np.inf)))
        return Outcome(
            "note",
            f"In {len(beaten)} of {len(rows)} segments another candidate gets a better score than a candidate equal to "
            "a reference.",
            f"{place(together, winner, worst)}: {number(case.sign * float(others[worst]))}; the reference "
            f"{short(texts[rows[worst]])}: {number(case.sign * float(own[worst]))}",
        )
    if equal.all():
        return Outcome("ok", f"A candidate equal to a reference gets {scored}, the best score of all.")
    worst = int(np.argmin(own))
    return Outcome(
        "note",
        f"A candidate equal to a reference gets the best score of its segment, but not always the best of all, "
        f"{number(case.sign * best)}: in {int((~equal).sum())} of {len(rows)} segments a worse one.",
        f"{place(together, len(candidates), worst)}: {number(case.sign * float(own[worst]))}",
    )


def _first_references(corpus: Corpus) -> list[str | None]:
    """Return the first reference that each segment has."""
    return [
        next((text for text in texts if text is not None), None)
        for texts in zip(*corpus.references.values(), strict=True)
    ]


def direction(case: Case) -> Outcome:
    """Check that damage to good texts does not improve their score."""
    texts = [text if text is not None else "" for text in _first_references(case.corpus)]
    rows = [i for i, text in enumerate(texts) if len(text.split()) >= _FEWEST_WORDS]
    if not rows:
        return Outcome("note", "Not checked: no reference has enough words.")
    damaged = {
        (way, share): [_damage(texts[i].split(), way, share, i) for i in rows] for way in _WAYS for share in _SHARES
    }
    corpus = with_candidates(
        part(case.corpus, rows), {f"{way} {share:.0%}": found for (way, share), found in damaged.items()}
    )
    measured = case.trial.measure(corpus)
    scores = case.trial.score(measured.statistics.sum(axis=1))
    if np.isnan(scores).any():
        return Outcome("note", "Not checked: damaged texts have no score.")
    by_way = dict(zip(_WAYS, np.split(scores, len(_WAYS)), strict=True))
    largest = float(np.nanmax(np.abs([*measured.scores.ravel(), *scores])))
    spread = float(np.nanmax(measured.scores) - np.nanmin(measured.scores))
    return _judge_direction(by_way, case.sign, _CLEAR * float(np.ptp(scores)), ROUNDING * spread + EXACT * largest)


def _judge_direction(by_way: Mapping[str, FloatArray], sign: int, clear: float, margin: float) -> Outcome:
    def shown(way: str) -> str:
        shares = ", ".join(f"{share * 100:g}" for share in _SHARES)
        return f"{way} {shares} % of the words of the references: {', '.join(map(number, by_way[way].tolist()))}"

    gains = {way: np.diff(sign * found) for way, found in by_way.items()}
    worse = [way for way, found in by_way.items() if sign * (found[-1] - found[0]) > max(clear, margin)]
    better = "higher" if sign > 0 else "lower"
    if worse:
        return Outcome(
            "fails", f"{_listed(worse)} words improves the score. Is {better} really better?", shown(worse[0])
        )
    unseen = [way for way, found in by_way.items() if np.ptp(found) <= margin]
    if len(unseen) == len(by_way):
        return Outcome("note", "Damage to the texts does not change their score.", shown("dropping"))
    steps = [way for way, gain in gains.items() if gain.max() > margin]
    if steps:
        return Outcome("note", f"{_listed(steps)} more words improves the score in one step.", shown(steps[0]))
    seen = [way for way in by_way if way not in unseen]
    also = f"; {_listed(unseen).lower()} them changes nothing" if unseen else ""
    return Outcome("ok", f"{_listed(seen)} more and more words makes the score worse{also}.", shown(seen[0]))


def _listed(names: Sequence[str]) -> str:
    return (", ".join(names[:-1]) + " and " * (len(names) > 1) + names[-1]).capitalize()


def _damage(words: Sequence[str], way: str, share: float, segment: int) -> str:
    """Return a text of which a share of the words is damaged; a larger share damages the same words and more."""
    order = generator(0, "damage", segment).permutation(len(words))
    chosen = sorted(order[: min(math.ceil(share * len(words)), len(words) - 1)].tolist())
    if way == "dropping":
        return " ".join(word for i, word in enumerate(words) if i not in chosen)
    found = list(words)
    if way == "replacing":
        for i in chosen:
            found[i] = _OTHER_WORDS[i % len(_OTHER_WORDS)]
    else:
        for i, j in zip(chosen, [i for i in order.tolist() if i in chosen], strict=True):
            found[i] = words[j]
    return " ".join(found)


def ties(case: Case) -> Outcome:
    """Tell how often different candidates of a segment have the same score."""
    texts: Sequence[Sequence[Any]] = case.corpus.candidates
    if not isinstance(case.trial.metric, TextMetric):
        texts = [one.tokens for one in treat(case.trial.preprocessing, texts, {}).candidates]
    scores, pairs, tied = case.measured.scores, 0, []
    for a, b in itertools.combinations(range(len(texts)), 2):
        for i in range(case.corpus.n_segments):
            if texts[a][i] != texts[b][i]:
                pairs += 1
                if scores[a, i] == scores[b, i]:
                    tied.append((a, b, i))
    if not tied:
        return Outcome("ok", f"Different candidates of a segment have different scores ({pairs} pairs).")
    a, b, i = tied[0]
    return Outcome(
        "note" if len(tied) > _MANY_TIES * pairs else "ok",
        f"Of {pairs} pairs of different candidates of a segment, {len(tied)} have equal scores.",
        f"{case.place(a, i)} and {short(case.corpus.candidates[b][i])}: {number(scores[a, i])}",
    )


def adding_up(case: Case) -> Outcome:
    """Check that sums of statistics are the statistics of the sum."""
    statistics, names = case.measured.statistics, case.trial.metric.statistic_names
    if not np.isfinite(statistics[expected_scores(case.trial, case.corpus)]).all():
        return Outcome("fails", "The statistics of a text that has a score are not finite.")
    pooled = np.nansum(statistics, axis=1)
    once, twice = case.trial.score(pooled), case.trial.score(2 * pooled)
    worst = int(np.argmax(np.abs(twice - once)))
    shown = f"system {case.corpus.systems[worst]!r}: once {number(once[worst])}, twice {number(twice[worst])}"
    if np.allclose(twice, 2 * once, rtol=EXACT, atol=0) and once.any():
        return Outcome(
            "fails", "A text that is repeated has twice the score: what was added is never divided by anything.", shown
        )
    stacked = case.trial.score(np.stack([pooled, 2 * pooled]))
    if not np.allclose(stacked, np.stack([once, twice]), rtol=EXACT, atol=0):
        return Outcome("fails", "Many documents scored at once get other scores than one by one.", shown)
    again = case.trial.measure(repeated_corpus(case.corpus)).statistics[:, : case.corpus.n_segments]
    half = [k for k, name in enumerate(names) if _is_half(again[..., k], statistics[..., k])]
    if half:
        return Outcome(
            "fails",
            f"The statistic {names[half[0]]!r} of a segment is half as large in a text of twice the length: it is "
            "divided by the number of segments, and so does not add.",
        )
    whole = not isinstance(case.trial.metric, TextMetric) and (statistics % 1 == 0)[~np.isnan(statistics)].all()
    if whole and np.nanmin(statistics) < 0:
        where = np.unravel_index(int(np.nanargmin(statistics)), statistics.shape)
        return Outcome("note", f"The count {names[int(where[2])]!r} is below zero.", case.place(*map(int, where[:2])))
    if np.allclose(twice, once, rtol=EXACT, atol=0):
        return Outcome("ok", "A text that is repeated has the score that it has once.")
    return Outcome("note", "A text that is repeated has another score than once, as with some smoothing.", shown)


def _is_half(found: FloatArray, before: FloatArray) -> bool:
    used = np.isfinite(before) & (before != 0)
    return bool(used.any() and np.allclose(2 * found[used], before[used], rtol=EXACT, atol=0))


def speed(case: Case) -> Outcome:
    """Tell how many candidates are scored in a second."""
    times: list[float] = []
    while not times or (sum(times) < _SECONDS and len(times) < _MOST_CALLS):
        start = time.perf_counter()
        case.trial.measure(case.corpus)
        times.append(time.perf_counter() - start)
    n = int(expected_scores(case.trial, case.corpus).sum())
    rate = float(f"{n / max(min(times), 1e-9):.2g}")
    told = f"{rate:,.0f}" if rate >= 10 else f"{rate:g}"
    took = f"{min(times) * 1000:.3g} ms" if min(times) < 1 else f"{min(times):.3g} s"
    return Outcome("ok", f"About {told} candidates a second ({n} in {took}).")
