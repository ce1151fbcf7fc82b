"""Checks of what the scores say: their range and direction, ties, sums; and how fast they come."""

from __future__ import annotations

import dataclasses
import itertools
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from metaeval.metrics.text_metric import TextMetric
from metaeval.plugins.conformance.case import EXACT, ROUNDING, Case, expected_scores, number, place, short
from metaeval.plugins.conformance.findings import Finding, found
from metaeval.plugins.conformance.trial import part, with_candidates
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
# fmt: off
_OTHER_WORDS = (
    "blorf", "quind", "zetch", "prusk", "vomble", "gritz", "fenk", "slarn", "dwoom", "hixel", "jorp", "yatt",
)
# fmt: on


def value_range(case: Case) -> Finding:
    """Find the lowest and the highest score."""
    scores = case.measured.scores
    ends = [np.unravel_index(int(choose(scores)), scores.shape) for choose in (np.argmin, np.argmax)]
    low, high = (number(float(scores[end])) for end in ends)
    if scores.min() == scores.max():
        return found("constant", low=low)
    places = [case.place(*map(int, end)) for end in ends]
    return found("range", f"{low}: {places[0]}; {high}: {places[1]}", low=low, high=high)


def identical(case: Case) -> Finding:
    """Find whether a candidate that is equal to a reference gets the best score."""
    texts = _first_references(case.corpus)
    rows = [i for i, text in enumerate(texts) if text]
    corpus = part(case.corpus, rows)
    candidates = dict(zip(corpus.systems, corpus.candidates, strict=True))
    corpus = with_candidates(corpus, {**candidates, "the reference itself": [texts[i] for i in rows]})
    signed = case.sign * case.trial.measure(corpus).scores
    own, others = signed[-1], np.nan_to_num(signed[:-1], nan=-np.inf)
    margin = ROUNDING * (float(np.nanmax(np.abs(signed))) or 1.0)
    best, gain = float(np.nanmax(signed)), np.nan_to_num(others.max(axis=0) - own, nan=-np.inf)

    def shown(score: float) -> str:
        return number(case.sign * float(score))

    if gain.max() > margin:
        worst = int(np.argmax(gain))
        winner = int(np.argmax(others[:, worst]))
        theirs = f"{place(corpus, winner, worst)}: {shown(others[winner, worst])}"
        example = f"{theirs}; the reference {short(texts[rows[worst]])}: {shown(own[worst])}"
        return found("beaten", example, n=int((gain > margin).sum()), of=len(rows))
    unequal = int((own < best - margin).sum())
    if not unequal:
        return found("reference best", score=shown(own.min()))
    worst = int(np.argmin(own))
    example = f"{place(corpus, len(candidates), worst)}: {shown(own[worst])}"
    return found("unequal", example, best=shown(best), n=unequal, of=len(rows))


def _first_references(corpus: Corpus) -> list[str | None]:
    """Return the first reference that each segment has."""
    return [
        next((text for text in texts if text is not None), None)
        for texts in zip(*corpus.references.values(), strict=True)
    ]


def _damaged(text: str, share: float, segment: int) -> dict[str, str]:
    """Return a text of which a share of the words is damaged, in each way; a larger share damages the same and more."""
    words = text.split()
    order = generator(0, "damage", segment).permutation(len(words)).tolist()
    chosen = order[: min(math.ceil(share * len(words)), len(words) - 1)]
    moved = dict(zip(sorted(chosen), chosen, strict=True))
    ways = {
        "dropping": [word for i, word in enumerate(words) if i not in moved],
        "replacing": [_OTHER_WORDS[i % len(_OTHER_WORDS)] if i in moved else word for i, word in enumerate(words)],
        "shuffling": [words[moved.get(i, i)] for i in range(len(words))],
    }
    return {way: " ".join(ways[way]) for way in _WAYS}


def direction(case: Case) -> Finding:
    """Check that damage to good texts does not improve their score."""
    texts = [text or "" for text in _first_references(case.corpus)]
    rows = [i for i, text in enumerate(texts) if len(text.split()) >= _FEWEST_WORDS]
    if not rows:
        return found("few words")
    damaged = {
        f"{way} {share:.0%}": [_damaged(texts[i], share, i)[way] for i in rows] for way in _WAYS for share in _SHARES
    }
    measured = case.trial.measure(with_candidates(part(case.corpus, rows), damaged))
    scores = case.trial.score(measured.statistics.sum(axis=1))
    if np.isnan(scores).any():
        return found("damaged unscored")
    by_way = dict(zip(_WAYS, np.split(scores, len(_WAYS)), strict=True))
    spread = float(np.nanmax(measured.scores) - np.nanmin(measured.scores))
    margin = ROUNDING * spread + EXACT * float(np.nanmax(np.abs([*measured.scores.ravel(), *scores])))
    return _judge_direction(by_way, case.sign, max(_CLEAR * float(np.ptp(scores)), margin), margin)


def _judge_direction(by_way: Mapping[str, FloatArray], sign: int, clear: float, margin: float) -> Finding:
    def shown(way: str) -> str:
        shares = ", ".join(f"{share * 100:g}" for share in _SHARES)
        return f"{way} {shares} % of the words of the references: {', '.join(map(number, by_way[way].tolist()))}"

    def listed(ways: Sequence[str]) -> str:
        return (", ".join(ways[:-1]) + " and " * (len(ways) > 1) + ways[-1]).capitalize()

    worse = [way for way, scores in by_way.items() if sign * (scores[-1] - scores[0]) > clear]
    if worse:
        better = "higher" if sign > 0 else "lower"
        return found("damage improves", shown(worse[0]), ways=listed(worse), better=better)
    seen = [way for way, scores in by_way.items() if np.ptp(scores) > margin]
    if not seen:
        return found("damage unseen", shown("dropping"))
    steps = [way for way, scores in by_way.items() if np.diff(sign * scores).max() > margin]
    if steps:
        return found("one step", shown(steps[0]), ways=listed(steps))
    unseen = [way for way in by_way if way not in seen]
    also = f"; {listed(unseen).lower()} them changes nothing" if unseen else ""
    return found("damage seen", shown(seen[0]), ways=listed(seen), also=also)


def ties(case: Case) -> Finding:
    """Find how often different candidates of a segment have the same score."""
    texts: Sequence[Sequence[Any]] = case.corpus.candidates
    if not isinstance(case.trial.metric, TextMetric):
        texts = [one.tokens for one in treat(case.trial.preprocessing, texts, {}).candidates]
    places = itertools.product(itertools.combinations(range(len(texts)), 2), range(case.corpus.n_segments))
    pairs = [(a, b, i) for (a, b), i in places if texts[a][i] != texts[b][i]]
    tied = [(a, b, i) for a, b, i in pairs if case.measured.scores[a, i] == case.measured.scores[b, i]]
    if not tied:
        return found("no ties", n=len(pairs))
    a, b, i = tied[0]
    example = f"{case.place(a, i)} and {short(case.corpus.candidates[b][i])}: {number(case.measured.scores[a, i])}"
    are_many = len(tied) > _MANY_TIES * len(pairs)
    return found("many ties" if are_many else "some ties", example, n=len(pairs), tied=len(tied))


def adding_up(case: Case) -> Finding:
    """Check that sums of statistics are the statistics of the sum."""
    statistics, names = case.measured.statistics, case.trial.metric.statistic_names
    if not np.isfinite(statistics[expected_scores(case.trial, case.corpus)]).all():
        return found("infinite")
    pooled = np.nansum(statistics, axis=1)
    once, twice = case.trial.score(pooled), case.trial.score(2 * pooled)
    worst = int(np.argmax(np.abs(twice - once)))
    shown = f"system {case.corpus.systems[worst]!r}: once {number(once[worst])}, twice {number(twice[worst])}"
    if _equal(twice, 2 * once) and once.any():
        return found("undivided", shown)
    if not _equal(case.trial.score(np.stack([pooled, 2 * pooled])), np.stack([once, twice])):
        return found("one by one", shown)
    half = next(_halved(case), None)
    if half is not None:
        return found("halved", name=names[half])
    whole = not isinstance(case.trial.metric, TextMetric) and (statistics % 1 == 0)[~np.isnan(statistics)].all()
    if whole and np.nanmin(statistics) < 0:
        where = np.unravel_index(int(np.nanargmin(statistics)), statistics.shape)
        return found("negative count", case.place(*map(int, where[:2])), name=names[int(where[2])])
    return found("repeated alike") if _equal(twice, once) else found("repeated otherwise", shown)


def _equal(one: FloatArray, other: FloatArray) -> bool:
    return np.allclose(one, other, rtol=EXACT, atol=0)


def _halved(case: Case) -> Iterator[int]:
    """Give the statistics that are half as large in a corpus with all its segments twice."""
    corpus, before = case.corpus, case.measured.statistics
    ids = (*corpus.segment_ids, *(f"{id_} (again)" for id_ in corpus.segment_ids))
    # Each with an id of its own, by which programs answer.
    repeated = dataclasses.replace(part(corpus, [*range(corpus.n_segments)] * 2), segment_ids=ids)
    half = case.trial.measure(repeated).statistics[:, : corpus.n_segments]
    for k in range(before.shape[-1]):
        used = np.isfinite(before[..., k]) & (before[..., k] != 0)
        if used.any() and _equal(2 * half[..., k][used], before[..., k][used]):
            yield k


def speed(case: Case) -> Finding:
    """Find how many candidates are scored in a second."""
    times: list[float] = []
    while not times or (sum(times) < _SECONDS and len(times) < _MOST_CALLS):
        start = time.perf_counter()
        case.trial.measure(case.corpus)
        times.append(time.perf_counter() - start)
    n, fastest = int(expected_scores(case.trial, case.corpus).sum()), min(times)
    rate = float(f"{n / max(fastest, 1e-9):.2g}")
    per_second = f"{rate:,.0f}" if rate >= 10 else f"{rate:g}"
    took = f"{fastest * 1000:.3g} ms" if fastest < 1 else f"{fastest:.3g} s"
    return found("speed", rate=per_second, n=n, took=took)
