"""Which texts have a score, and what is wrong with the others."""

from __future__ import annotations

import linecache
import re
import time
from collections.abc import Collection, Mapping

import numpy as np

from metaeval.errors import MetricError
from metaeval.plugins.conformance.case import expected_scores, place, short
from metaeval.plugins.conformance.findings import Finding, found
from metaeval.plugins.conformance.trial import Trial, part
from metaeval.records import Corpus

# What is wrong, by system and segment.
Problems = Mapping[tuple[int, int], str]

_NAN = "its score is nan"
_LONG = 100  # words
_SLOW = 1.0  # seconds
_PATIENCE = 30.0  # seconds
_FEWEST, _ENOUGH = 5, 3  # segments
_PLACE = re.compile(r"\((?P<file>[^()]+):(?P<line>\d+)\)\.?$")


def scored_segments(trial: Trial, corpus: Corpus, *, shorten: bool) -> tuple[list[int], list[int], Problems]:
    """Return which segments can serve for further checks.

    Parameters
    ----------
    trial : Trial
    corpus : Corpus
    shorten : bool
        Whether any segment may be left out where all would take long, as of a corpus; if not, only very long ones.

    Returns
    -------
    list of int
        The segments of which every system has a score.
    list of int
        Those among them that further checks should leave out, because these score the same texts many times.
    mapping of (system, segment) to str
        What is wrong where there must be a score and is none.
    """
    long = [i for i in range(corpus.n_segments) if any(len((of[i] or "").split()) > _LONG for of in corpus.candidates)]
    others = [i for i in range(corpus.n_segments) if i not in long]
    problems: dict[tuple[int, int], str] = {}
    seconds = []
    # The short ones first: the time of the first call is that of loading, too.
    for segments in (others, long):
        start = time.perf_counter()
        wrong_here = _problems(trial, part(corpus, segments)) if segments else {}
        seconds.append(time.perf_counter() - start)
        problems |= {(system, segments[i]): wrong for (system, i), wrong in wrong_here.items()}
    wrong = {segment for _, segment in problems}
    complete = np.flatnonzero(expected_scores(trial, corpus).all(axis=0)).tolist()
    usable = [segment for segment in complete if segment not in wrong]
    slow = set(long) if seconds[1] > max(_SLOW, seconds[0]) else set[int]()
    if shorten and seconds[0] > _SLOW:
        kept = max(_FEWEST, int(len(others) * _SLOW / seconds[0]))
        slow |= set(others[kept:])
    return usable, [segment for segment in usable if segment in slow], problems


def _problems(trial: Trial, corpus: Corpus) -> dict[tuple[int, int], str]:
    start = time.perf_counter()
    try:
        scores = trial.measure(corpus).scores
        wrong = np.argwhere(expected_scores(trial, corpus) & ~np.isfinite(scores)).tolist()
        return {(k, i): _NAN if np.isnan(scores[k, i]) else "its score is infinite" for k, i in wrong}
    except MetricError as error:
        of_all = str(error)
    n_systems, n_segments = len(corpus.systems), corpus.n_segments
    everything = {(0, segment): of_all for segment in range(n_segments)}
    if time.perf_counter() - start > _PATIENCE or n_systems == n_segments == 1:
        # It hangs, or takes too long to look for the text that it fails on; or this is the text.
        return everything
    if n_segments == 1:
        alone = [_problems(trial, part(corpus, systems=[system])) for system in range(n_systems)]
        return {(system, 0): wrong for system, found in enumerate(alone) for wrong in found.values()} or everything
    problems: dict[tuple[int, int], str] = {}
    for segment in range(n_segments):
        if segment == _ENOUGH and len(problems) == segment * n_systems:
            # Nothing has a score so far, so nothing will.
            return problems | {(0, later): of_all for later in range(segment, n_segments)}
        of_segment = _problems(trial, part(corpus, [segment]))
        problems |= {(system, segment): wrong for (system, _), wrong in of_segment.items()}
    # If each alone has a score, it is all of them together that fails.
    return problems or everything


def about_scores(
    corpus: Corpus, problems: Problems, special: Collection[str], slow: Collection[int]
) -> dict[str, Finding]:
    """Return whether every text has a score, and separately whether those segments do that are empty or short.

    Parameters
    ----------
    corpus : Corpus
    problems : mapping of (system, segment) to str
    special : collection of str
        The ids of segments that are empty or short, if that is known. A metric may refuse them.
    slow : collection of int
        The segments that further checks leave out.
    """
    groups = {"texts": [i for i, id_ in enumerate(corpus.segment_ids) if id_ not in special]}
    if special:
        groups["empty or short"] = [i for i, id_ in enumerate(corpus.segment_ids) if id_ in special]
    outcomes = {}
    for name, segments in groups.items():
        of_group = {cell: wrong for cell, wrong in problems.items() if cell[1] in segments}
        if of_group:
            outcomes[name] = _about_problems(corpus, of_group, may_refuse=name != "texts")
            continue
        kinds = ", ".join(corpus.segment_ids[i] for i in segments) if special else f"{len(segments)} segments"
        left_out = [corpus.segment_ids[i] for i in segments if i in slow]
        also = f"; the checks below leave out {_listed(left_out)}, because of the time" if left_out else ""
        outcomes[name] = found("every text", kinds=kinds, also=also)
    return outcomes


def _about_problems(corpus: Corpus, problems: Problems, *, may_refuse: bool) -> Finding:
    (system, segment), wrong = next(iter(problems.items()))
    which = _listed(dict.fromkeys(corpus.segment_ids[i] for _, i in problems))
    references = ", ".join(short(texts[segment], 24) for texts in corpus.references.values())
    example = f"{place(corpus, system, segment)}, references {references}: {wrong}"
    if may_refuse and all(map(_is_refusal, problems.values())):
        return found("refusal", example, which=which)
    nothing = all(not any(texts[i] for texts in corpus.references.values()) for _, i in problems)
    if nothing and all(wrong == _NAN for wrong in problems.values()):
        return found("empty references", example, which=which)
    return found("unscored", example, which=which)


def _listed(ids: Collection[str]) -> str:
    names = [repr(id_) for id_ in ids]
    return "the segments " * (len(names) > 1) + ", ".join(names[:4]) + f" and {len(names) - 4} more" * (len(names) > 4)


def _is_refusal(wrong: str) -> bool:
    """Return whether an error was raised on purpose: by a line that begins with ``raise``."""
    match = _PLACE.search(wrong)
    if match is None:
        return False
    linecache.checkcache(match["file"])
    return linecache.getline(match["file"], int(match["line"])).lstrip().startswith("raise ")
