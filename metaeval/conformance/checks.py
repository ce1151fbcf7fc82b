"""The checks of a metric, a function each; `CHECKS` has those of texts that have a score, by the name in the report."""

from __future__ import annotations

import dataclasses
import itertools
import linecache
import math
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from metaeval.conformance.examples import EMPTY_OR_SHORT
from metaeval.conformance.finding import OUTCOMES, Finding, fails, note, ok
from metaeval.conformance.new_process import score_in_new_process
from metaeval.conformance.scoring import (
    EXACT,
    ROUNDING,
    CheckedMetric,
    ScoredTexts,
    Scores,
    number,
    part,
    short,
    text_words,
    with_candidates,
)
from metaeval.datamodel.corpus import Corpus, FloatArray
from metaeval.errors import MetricError
from metaeval.metrics.text_metric import TextMetric
from metaeval.runtime.randomness import generator
from metaeval.text.encoding import treat

# Faults by system and segment.
Problems = Mapping[tuple[int, int], str]
# References of fewer words are not damaged.
_MIN_WORDS = 4
_SHARES_OF_WORDS = (0.0, 0.25, 0.5, 0.75)
_KINDS_OF_DAMAGE = ("dropping", "replacing", "shuffling")
# Share of the largest change of scores by damage; a gain of less may be chance, as of a metric that hardly sees
# word order.
_CLEAR_GAIN_SHARE = 0.01
# More pairs of different candidates with equal scores than this share are worth a note.
_MAX_SHARE_OF_TIES = 1 / 3
# The speed is that of the fastest call in this time.
_SPEED_SECONDS = 0.2
_MAX_SPEED_CALLS = 20
# fmt: off
_INVENTED_WORDS = (
    "blorf", "quind", "zetch", "prusk", "vomble", "gritz", "fenk", "slarn", "dwoom", "hixel", "jorp", "yatt",
)
# fmt: on
_PLACE_OF_ERROR = re.compile(r"\((?P<file>[^()]+):(?P<line>\d+)\)\.?$")


def unscored_texts(metric: CheckedMetric, corpus: Corpus) -> Problems:
    """Return the texts that should have a score and have none, and why.

    If the metric fails for all of them, each segment is tried alone, and of one that fails each system.
    """
    try:
        scores = metric.score_texts(corpus).scores
    except MetricError as error:
        n_systems = len(corpus.systems)
        n_segments = corpus.n_segments
        if n_segments > 1:
            parts = [(0, segment, part(corpus, [segment])) for segment in range(n_segments)]
        elif n_systems > 1:
            parts = [(system, 0, part(corpus, systems=[system])) for system in range(n_systems)]
        else:
            return {(0, 0): str(error)}
        problems = dict[tuple[int, int], str]()
        for first_system, first_segment, texts in parts:
            for (system, segment), problem in unscored_texts(metric, texts).items():
                problems[first_system + system, first_segment + segment] = problem
        # If each alone has a score, it is all of them together that fail.
        return problems or {(0, segment): str(error) for segment in range(n_segments)}
    missing = np.argwhere(metric.expects_score(corpus) & ~np.isfinite(scores)).tolist()
    return {(k, i): f"its score is {'nan' if np.isnan(scores[k, i]) else 'infinite'}" for k, i in missing}


def every_text_has_a_score(corpus: Corpus, problems: Problems, *, examples: bool) -> dict[str, Finding]:
    """Check that every text has a score, and separately those that are empty or of one word."""
    special = {i for i, id_ in enumerate(corpus.segment_ids) if examples and id_ in EMPTY_OR_SHORT}
    findings = {}
    for name, is_special in (("texts", False), ("empty or short", True)):
        segments = [i for i in range(corpus.n_segments) if (i in special) == is_special]
        wrong = {cell: why for cell, why in problems.items() if cell[1] in segments}
        if wrong:
            findings[name] = _about_problems(corpus, wrong, may_refuse=is_special)
        elif segments:
            which = ", ".join(corpus.segment_ids[i] for i in segments) if examples else f"{len(segments)} segments"
            findings[name] = ok(f"Every text has a score ({which}).")
    return findings


def _about_problems(corpus: Corpus, problems: Problems, *, may_refuse: bool) -> Finding:
    (system, segment), why = next(iter(problems.items()))
    segments = dict.fromkeys(segment for _, segment in problems)
    ids = [repr(id_) for id_ in dict.fromkeys(corpus.segment_ids[i] for i in segments)]
    which = ", ".join(ids[:4])
    if len(ids) > 4:
        which += f" and {len(ids) - 4} more"
    if len(ids) > 1:
        which = f"the segments {which}"
    references = ", ".join(short(texts[segment], 24) for texts in corpus.references.values())
    example = f"{text_words(corpus, system, segment)}, references {references}: {why}"
    if may_refuse and all(map(_was_raised, problems.values())):
        return note(f"It refuses {which}. An experiment on data with such a text goes on without the metric.", example)
    has_reference = any(texts[i] for texts in corpus.references.values() for i in segments)
    if not has_reference and all(why == "its score is nan" for why in problems.values()):
        return note(
            f"The score is undefined where all references are empty, in {which}, as that of an error rate is.", example
        )
    return fails(f"There are texts without a score, in {which}.", example)


def _was_raised(error: str) -> bool:
    """Return whether an error came from a line that begins with ``raise``."""
    match = _PLACE_OF_ERROR.search(error)
    if match is None:
        return False
    linecache.checkcache(match["file"])
    return linecache.getline(match["file"], int(match["line"])).lstrip().startswith("raise ")


def prints_nothing(metric: CheckedMetric) -> Finding:
    """Check that the metric prints nothing to stdout, where the results of a program belong."""
    output = getattr(metric.metric, "guard", metric).output
    if not output.printed:
        return ok("It prints nothing.")
    sample = output.sample.strip()
    example = f"{output.printed} characters" + (f", such as {short(sample)}" if sample else "")
    return fails("It prints to stdout, where the results of a program belong; print to stderr, or not at all.", example)


def same_again(texts: ScoredTexts) -> Finding:
    """Check that the same texts have the same scores at a second call, and in a new process."""
    second_call = texts.must_equal(
        texts.again,
        "Two calls give the same",
        "Two calls with the same texts give different scores; set its random seed, and keep nothing between calls",
    )
    if second_call.outcome == "fails":
        return second_call
    scores = score_in_new_process(texts.metric, texts.corpus)
    if isinstance(scores, str):
        return note(f"{second_call.finding[:-1]}; in a new process it could not be made.", scores)
    new_process = texts.must_equal(
        scores,
        "Two calls and a new process give the same",
        "A new process gives other scores; sort sets before they are used, and use neither hash() nor what was scored "
        "before",
    )
    return max(new_process, second_call, key=lambda finding: OUTCOMES.index(finding.outcome))


def order_of_segments(texts: ScoredTexts) -> Finding:
    """Check that the score of a segment does not depend on its place among the others."""
    order = generator(0, "order").permutation(texts.corpus.n_segments)
    return texts.must_equal(
        texts.metric.score_texts(part(texts.corpus, order.tolist())).at(np.argsort(order)),
        "In another order of the segments, each has the score that it had",
        "In another order of the segments, a segment has another score; score each by its own texts alone",
    )


def order_of_references(texts: ScoredTexts) -> Finding:
    """Check whether the order of the references matters."""
    if len(texts.corpus.references) == 1:
        return ok("There is only one reference.")
    return texts.may_differ(
        texts.metric.score_texts(texts.corpus, list(texts.corpus.references)[::-1]),
        "The order of the references does not matter",
        "The order of the references matters",
    )


def reference_twice(texts: ScoredTexts) -> Finding:
    """Check whether a reference that is given twice counts twice."""
    name, reference = next(iter(texts.corpus.references.items()))
    references = {**texts.corpus.references, f"{name} again": reference}
    return texts.may_differ(
        texts.metric.score_texts(dataclasses.replace(texts.corpus, references=references)),
        "A reference given twice counts once",
        "A reference given twice counts differently from one given once",
    )


def absent_references(texts: ScoredTexts) -> Finding:
    """Check that an absent reference is as if it were not there, and that without any there is no score."""
    metric = texts.metric
    corpus = texts.corpus
    names = list(corpus.references)
    if corpus.n_segments > 1:
        bare = {name: (*texts_of_reference[:-1], None) for name, texts_of_reference in corpus.references.items()}
        last = metric.score_texts(dataclasses.replace(corpus, references=bare)).statistics[:, -1]
        for system in np.flatnonzero(~np.isnan(last).all(axis=-1)).tolist():
            return fails(
                "A segment without any reference has statistics; they must be nan there, because absent is not zero.",
                f"{texts.text_words(system, corpus.n_segments - 1)}: {', '.join(map(number, last[system].tolist()))}",
            )
    if len(names) == 1:
        return ok("Without any reference a segment has no statistics.")
    absent = {**corpus.references, names[0]: (None,) * corpus.n_segments}
    return texts.must_equal(
        metric.score_texts(dataclasses.replace(corpus, references=absent)),
        "Without any reference a segment has no statistics; one that lacks some has the score that the others give",
        "An absent reference changes the score; it must be as if it were not there",
        expected=metric.score_texts(corpus, names[1:]),
    )


def segment_alone(texts: ScoredTexts) -> Finding:
    """Check that a segment has the same score alone as among others, and find what matters if not."""
    metric = texts.metric
    corpus = texts.corpus
    n = corpus.n_segments
    alone = Scores.joined((metric.score_texts(part(corpus, [segment])) for segment in range(n)), axis=1)
    same = "A segment alone is scored as among all others"
    differs = (
        "The score of a segment depends on the candidates of other segments, so documents drawn from the corpus have "
        "scores that nothing else gives them; score each segment by its own texts alone"
    )
    finding = texts.must_equal(alone, same, differs)
    if finding.outcome != "fails":
        return finding
    # Every second segment keeps its candidates, and the others get those of the one two places further on.
    mixed = []
    for parity in (0, 1):
        order = list(range(n))
        others = order[1 - parity :: 2]
        order[1 - parity :: 2] = [*others[1:], *others[:1]]
        candidates = part(corpus, order).candidates
        mixed.append(metric.score_texts(dataclasses.replace(corpus, candidates=candidates)))
    with_others = texts.must_equal(Scores.joined((mixed[i % 2].at([i]) for i in range(n)), axis=1), same, differs)
    if with_others.outcome == "fails":
        return with_others
    return note(
        "The score of a segment depends on the other segments: not on their candidates, but on their references or "
        "number. So it belongs to the corpus, as that of NIST does.",
        finding.example,
    )


def system_alone(texts: ScoredTexts) -> Finding:
    """Check that the scores of a system do not depend on the other systems."""
    n_systems = len(texts.corpus.systems)
    if n_systems == 1:
        return ok("There is only one system.")
    alone = (texts.metric.score_texts(part(texts.corpus, systems=[system])) for system in range(n_systems))
    return texts.must_equal(
        Scores.joined(alone, axis=0),
        "A system alone is scored as among others",
        "The scores of a system depend on the other systems; score each by its own texts alone",
    )


def value_range(texts: ScoredTexts) -> Finding:
    """Find the lowest and the highest score."""
    scores = texts.first.scores
    ends = [np.unravel_index(int(choose(scores)), scores.shape) for choose in (np.argmin, np.argmax)]
    low, high = (number(float(scores[end])) for end in ends)
    if scores.min() == scores.max():
        return note(f"All scores are {low}.")
    places = [texts.text_words(*map(int, end)) for end in ends]
    return ok(f"The scores of the segments go from {low} to {high}.", f"{low}: {places[0]}; {high}: {places[1]}")


def identical_candidate(texts: ScoredTexts) -> Finding:
    """Check whether a candidate that is equal to a reference gets the best score."""
    references = _first_references(texts.corpus)
    rows = [i for i, text in enumerate(references) if text]
    corpus = part(texts.corpus, rows)
    candidates = dict(zip(corpus.systems, corpus.candidates, strict=True))
    corpus = with_candidates(corpus, {**candidates, "the reference itself": [references[i] for i in rows]})
    signed = texts.sign * texts.metric.score_texts(corpus).scores
    of_reference = signed[-1]
    of_systems = np.nan_to_num(signed[:-1], nan=-np.inf)
    margin = ROUNDING * (float(np.nanmax(np.abs(signed))) or 1.0)
    best = float(np.nanmax(signed))
    gain = np.nan_to_num(of_systems.max(axis=0) - of_reference, nan=-np.inf)

    def shown(score: float) -> str:
        return number(texts.sign * float(score))

    if gain.max() > margin:
        worst = int(np.argmax(gain))
        winner = int(np.argmax(of_systems[:, worst]))
        winning = f"{text_words(corpus, winner, worst)}: {shown(of_systems[winner, worst])}"
        n_beaten = int((gain > margin).sum())
        return note(
            f"In {n_beaten} of {len(rows)} segments another candidate gets a better score than a candidate equal to a "
            "reference.",
            f"{winning}; the reference {short(references[rows[worst]])}: {shown(of_reference[worst])}",
        )
    n_worse = int((of_reference < best - margin).sum())
    if not n_worse:
        return ok(f"A candidate equal to a reference gets {shown(of_reference.min())}, the best score of all.")
    worst = int(np.argmin(of_reference))
    return note(
        "A candidate equal to a reference gets the best score of its segment, but not always the best of all, "
        f"{shown(best)}: in {n_worse} of {len(rows)} segments a worse one.",
        f"{text_words(corpus, len(candidates), worst)}: {shown(of_reference[worst])}",
    )


def _first_references(corpus: Corpus) -> list[str | None]:
    """Return the first reference that each segment has."""
    rows = zip(*corpus.references.values(), strict=True)
    return [next((text for text in texts if text is not None), None) for texts in rows]


def direction(texts: ScoredTexts) -> Finding:
    """Check that a reference scores worse the more of its words are dropped, replaced or shuffled."""
    references = [text or "" for text in _first_references(texts.corpus)]
    rows = [i for i, text in enumerate(references) if len(text.split()) >= _MIN_WORDS]
    if not rows:
        return note("Not checked: no reference has enough words.")
    damaged = dict[str, list[str]]()
    for kind in _KINDS_OF_DAMAGE:
        for share in _SHARES_OF_WORDS:
            damaged[f"{kind} {share:.0%}"] = [_damaged(references[i], share, i)[kind] for i in rows]
    scored = texts.metric.score_texts(with_candidates(part(texts.corpus, rows), damaged))
    scores = texts.metric.score_pooled(scored.statistics.sum(axis=1))
    if np.isnan(scores).any():
        return note("Not checked: damaged texts have no score.")
    spread = float(np.nanmax(scored.scores) - np.nanmin(scored.scores))
    margin = ROUNDING * spread + EXACT * float(np.nanmax(np.abs([*scored.scores.ravel(), *scores])))
    clear = max(_CLEAR_GAIN_SHARE * float(np.ptp(scores)), margin)
    by_kind = dict(zip(_KINDS_OF_DAMAGE, np.split(texts.sign * scores, len(_KINDS_OF_DAMAGE)), strict=True))

    def shown(kind: str) -> str:
        shares = ", ".join(f"{share * 100:g}" for share in _SHARES_OF_WORDS)
        values = ", ".join(number(texts.sign * float(score)) for score in by_kind[kind])
        return f"{kind} {shares} % of the words of the references: {values}"

    improving = [kind for kind in _KINDS_OF_DAMAGE if by_kind[kind][-1] - by_kind[kind][0] > clear]
    if improving:
        better, other = ("higher", "False") if texts.sign > 0 else ("lower", "True")
        return fails(
            f"{_listed(improving).capitalize()} words improves the score. Is {better} really better? If not, set "
            f"`higher_is_better = {other}`.",
            shown(improving[0]),
        )
    seen = [kind for kind in _KINDS_OF_DAMAGE if np.ptp(by_kind[kind]) > margin]
    if not seen:
        return note("Damage to the texts does not change their score.", shown("dropping"))
    in_one_step = [kind for kind in _KINDS_OF_DAMAGE if np.diff(by_kind[kind]).max() > margin]
    if in_one_step:
        return note(
            f"{_listed(in_one_step).capitalize()} more words improves the score in one step.", shown(in_one_step[0])
        )
    unseen = [kind for kind in _KINDS_OF_DAMAGE if kind not in seen]
    also = f"; {_listed(unseen)} them changes nothing" if unseen else ""
    return ok(f"{_listed(seen).capitalize()} more and more words makes the score worse{also}.", shown(seen[0]))


def _damaged(text: str, share: float, segment: int) -> dict[str, str]:
    """Return a text with a share of its words damaged, in each way; a larger share damages the same words and more."""
    words = text.split()
    order = generator(0, "damage", segment).permutation(len(words)).tolist()
    chosen = order[: min(math.ceil(share * len(words)), len(words) - 1)]
    moved = dict(zip(sorted(chosen), chosen, strict=True))
    by_kind = {
        "dropping": [word for i, word in enumerate(words) if i not in moved],
        "replacing": [
            _INVENTED_WORDS[i % len(_INVENTED_WORDS)] if i in moved else word for i, word in enumerate(words)
        ],
        "shuffling": [words[moved.get(i, i)] for i in range(len(words))],
    }
    return {kind: " ".join(by_kind[kind]) for kind in _KINDS_OF_DAMAGE}


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


def ties(texts: ScoredTexts) -> Finding:
    """Find how often different candidates of a segment have the same score."""
    candidates: Sequence[Sequence[Any]] = texts.corpus.candidates
    if not isinstance(texts.metric.metric, TextMetric):
        candidates = [
            segments.tokens for segments in treat(texts.metric.preprocessing, texts.corpus.candidates, {}).candidates
        ]
    places = itertools.product(itertools.combinations(range(len(candidates)), 2), range(texts.corpus.n_segments))
    pairs = [(a, b, i) for (a, b), i in places if candidates[a][i] != candidates[b][i]]
    tied = [(a, b, i) for a, b, i in pairs if texts.first.scores[a, i] == texts.first.scores[b, i]]
    if not tied:
        return ok(f"Different candidates of a segment have different scores ({len(pairs)} pairs).")
    a, b, i = tied[0]
    example = f"{texts.text_words(a, i)} and {short(texts.corpus.candidates[b][i])}: {number(texts.first.scores[a, i])}"
    sentence = f"Of {len(pairs)} pairs of different candidates of a segment, {len(tied)} have equal scores."
    return (note if len(tied) > _MAX_SHARE_OF_TIES * len(pairs) else ok)(sentence, example)


def adding_up(texts: ScoredTexts) -> Finding:
    """Check that a document has the score of its text repeated, and the same score beside others as alone."""
    statistics = texts.first.statistics
    metric = texts.metric
    if not np.isfinite(statistics[metric.expects_score(texts.corpus)]).all():
        return fails("The statistics of a text that has a score are not finite.")
    pooled = np.nansum(statistics, axis=1)
    once = metric.score_pooled(pooled)
    twice = metric.score_pooled(2 * pooled)
    worst = int(np.argmax(np.abs(twice - once)))
    example = f"system {texts.corpus.systems[worst]!r}: once {number(once[worst])}, twice {number(twice[worst])}"
    if _are_equal(twice, 2 * once) and once.any():
        return fails(
            "A text that is repeated has twice the score: what was added is never divided by anything.", example
        )
    if not _are_equal(metric.score_pooled(np.stack([pooled, 2 * pooled])), np.stack([once, twice])):
        return fails("Many documents scored at once get other scores than one by one.", example)
    if not _are_equal(twice, once):
        return note("A text that is repeated has another score than once, as with some smoothing.", example)
    return ok("A text that is repeated has the score that it has once.")


def _are_equal(first: FloatArray, second: FloatArray) -> bool:
    return np.allclose(first, second, rtol=EXACT, atol=0)


def speed(texts: ScoredTexts) -> Finding:
    """Find how many candidates are scored in a second."""
    seconds: list[float] = []
    while not seconds or (sum(seconds) < _SPEED_SECONDS and len(seconds) < _MAX_SPEED_CALLS):
        start = time.perf_counter()
        texts.metric.score_texts(texts.corpus)
        seconds.append(time.perf_counter() - start)
    n = int(texts.metric.expects_score(texts.corpus).sum())
    fastest = min(seconds)
    rate = float(f"{n / max(fastest, 1e-9):.2g}")
    per_second = f"{rate:,.0f}" if rate >= 10 else f"{rate:g}"
    took = f"{fastest * 1000:.3g} ms" if fastest < 1 else f"{fastest:.3g} s"
    return ok(f"About {per_second} candidates a second ({n} in {took}).")


Check = Callable[[ScoredTexts], Finding]

CHECKS: Mapping[str, Check] = {
    "same again": same_again,
    "order of segments": order_of_segments,
    "order of references": order_of_references,
    "reference twice": reference_twice,
    "absent references": absent_references,
    "segment alone": segment_alone,
    "system alone": system_alone,
    "range": value_range,
    "identical candidate": identical_candidate,
    "direction": direction,
    "ties": ties,
    "adding up": adding_up,
    "speed": speed,
}
_REFERENCE_CHECKS: Iterable[Check] = (order_of_references, reference_twice, absent_references, identical_candidate)
# All others compare several calls, which says nothing of a metric that gives other scores each time.
_SINGLE_CALL_CHECKS: Iterable[Check] = (same_again, value_range, ties, speed)


def run_check(check: Check, texts: ScoredTexts) -> Finding:
    """Return the finding of a check, also where it says nothing of the metric, or the metric fails."""
    if check in _REFERENCE_CHECKS and not texts.metric.reads_references:
        return ok("It does not read references.")
    try:
        if check not in _SINGLE_CALL_CHECKS and not texts.are_repeatable:
            return note("Not checked, because two calls with the same texts give different scores.")
        return check(texts)
    except MetricError as error:
        return fails("It fails on texts of this check.", str(error))
