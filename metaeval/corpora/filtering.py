"""A corpus with some of its segments alone, or with human texts as systems: all that belongs to it goes with them."""

from __future__ import annotations

import fnmatch
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

import numpy as np

from metaeval.datamodel.annotations import ErrorSpans, GivenScores, GivenTable
from metaeval.datamodel.corpus import BoolArray, Corpus, IntArray, Judgments

T = TypeVar("T")
_RANGE = re.compile(r"(-?\d+(?:\.\d+)?)?\.\.(-?\d+(?:\.\d+)?)?", re.ASCII)
_NUMBER = re.compile(r"-?\d+(\.\d+)?", re.ASCII)


def is_pattern(text: str) -> bool:
    """Return whether a text stands for all names that fit it."""
    return any(sign in text for sign in "*?[")


def fitting(values: Sequence[str], wanted: str) -> BoolArray:
    """Mark the values that a text stands for: (values,).

    Parameters
    ----------
    values : sequence of str
        Names, or facts of segments.
    wanted : str
        A value, a pattern such as ``online-*``; or where no value is written so, a number, or a range such as
        ``10..50``, ``10..`` or ``..50``.
    """
    fits = np.array([value == wanted or fnmatch.fnmatchcase(value, wanted) for value in values], dtype=bool)
    range_ = _RANGE.fullmatch(wanted)
    if _NUMBER.fullmatch(wanted):
        low = high = wanted
    elif range_ is not None:
        low, high = range_.groups()
    else:
        return fits
    if (low or high) and not fits.any():
        numbers = np.array([float(value) if _NUMBER.fullmatch(value) else np.nan for value in values])
        fits |= (numbers >= float(low or "-inf")) & (numbers <= float(high or "inf"))
    return fits


def facts_of(corpus: Corpus) -> Mapping[str, tuple[str, ...]]:
    """Return the facts of each segment, its document and the length of its source among them, by name."""
    lengths = {} if corpus.sources is None else {"source_length": tuple(str(len(text)) for text in corpus.sources)}
    documents = {} if corpus.documents is None else {"document": corpus.documents}
    return {**documents, **lengths, **corpus.segment_facts}


def with_humans(corpus: Corpus, names: Sequence[str]) -> Corpus:
    """Return a corpus in which references are systems, with their judgments; they stand behind the others.

    Parameters
    ----------
    corpus : Corpus
    names : sequence of str
        References.
    """
    if not names:
        return corpus
    known, theirs = corpus.judgments, corpus.reference_judgments
    judges = tuple(dict.fromkeys([*known.judges, *theirs.judges]))
    index_of_reference = {name: len(corpus.systems) + number for number, name in enumerate(names)}
    systems = np.array([index_of_reference.get(name, -1) for name in corpus.judged_references], dtype=np.int64)
    taken: BoolArray = systems[theirs.system] >= 0
    of_judge = np.array([judges.index(name) for name in theirs.judges], dtype=np.int64)
    moved = theirs.where(taken)
    moved = replace(moved, judges=judges, system=systems[moved.system], judge=of_judge[moved.judge])
    return replace(
        corpus,
        systems=(*corpus.systems, *names),
        candidates=(*corpus.candidates, *(corpus.references[name] for name in names)),
        references={name: texts for name, texts in corpus.references.items() if name not in index_of_reference},
        judgments=_joined(known, moved),
        reference_judgments=theirs.where(~taken),
    )


def _joined(first: Judgments, second: Judgments) -> Judgments:
    arrays = ("criterion", "system", "segment", "judge", "score")
    return Judgments(
        second.judges, *(np.concatenate([getattr(first, column), getattr(second, column)]) for column in arrays)
    )


def with_segments(corpus: Corpus, segments: IntArray) -> Corpus:
    """Return a corpus with some of its segments alone.

    Scores that came with it are those of these segments, of documents and domains that are still whole, and of whole
    systems where the segments are those of a domain that has stored scores of its own.

    Parameters
    ----------
    corpus : Corpus
    segments : (kept,) int array
        The segments, in order.
    """
    if len(segments) == corpus.n_segments:
        return corpus
    if corpus.whole is not None:
        # What is still whole shows beside all segments alone.
        whole, before = corpus.whole
        return with_segments(
            with_systems(whole, np.array([*map(whole.systems.index, corpus.systems)])), before[segments]
        )

    # The new place of each segment, -1 for one that is left out.
    position = np.full(corpus.n_segments, -1)
    position[segments] = np.arange(len(segments))

    def of(values: Sequence[T]) -> tuple[T, ...]:
        return tuple(values[segment] for segment in segments.tolist())

    def left(rows: Judgments) -> Judgments:
        remaining = rows.where(position[rows.segment] >= 0)
        return replace(remaining, segment=position[remaining.segment])

    spans = None if corpus.spans is None else _rows(corpus.spans, position[corpus.spans.segment] >= 0)
    changed = replace(
        corpus,
        candidates=tuple(map(of, corpus.candidates)),
        references={name: of(texts) for name, texts in corpus.references.items()},
        sources=None if corpus.sources is None else of(corpus.sources),
        segment_ids=of(corpus.segment_ids),
        documents=None if corpus.documents is None else of(corpus.documents),
        judgments=left(corpus.judgments),
        reference_judgments=left(corpus.reference_judgments),
        segment_facts={name: of(values) for name, values in corpus.segment_facts.items()},
        spans=spans and replace(spans, segment=position[spans.segment]),
        whole=(corpus, segments),
    )
    return replace(changed, scores=tuple(_scores(corpus, changed)))


def with_systems(corpus: Corpus, systems: IntArray) -> Corpus:
    """Return a corpus with some of its systems alone, with their judgments and error spans.

    Parameters
    ----------
    corpus : Corpus
    systems : (kept,) int array
        The systems, in order.
    """
    smaller = corpus.of_systems(systems)
    spans = corpus.spans
    if spans is None:
        return smaller
    left = [name in smaller.systems or name not in corpus.systems for name in spans.names]
    return replace(smaller, spans=_rows(spans, np.array(left, dtype=bool)[spans.text]))


def _rows(spans: ErrorSpans, mask: BoolArray) -> ErrorSpans | None:
    arrays = ("text", "segment", "judge", "start", "end", "severity", "category", "in_source")
    return replace(spans, **{name: getattr(spans, name)[mask] for name in arrays}) if mask.any() else None


def _scores(corpus: Corpus, changed: Corpus) -> Iterator[GivenScores]:
    """Yield the scores that hold for the segments that are left, not yet read."""
    domains = set(changed.segment_facts.get("domain", ()))
    whole = {
        "segment": set(changed.segment_ids),
        "document": _whole_units(corpus.documents, changed.documents),
        "domain": _whole_units(corpus.segment_facts.get("domain"), changed.segment_facts.get("domain")),
    }
    is_domain = len(domains) == 1 and domains == whole["domain"]
    for stored in corpus.scores:
        if stored.level in whole:
            yield GivenScores(
                stored.name, stored.origin, stored.level, partial(_unit_scores, stored, whole[stored.level])
            )
        if stored.level == "domain" and is_domain:
            yield GivenScores(stored.name, stored.origin, "system", partial(_unit_scores, stored, domains, ()))


def _whole_units(before: Sequence[str] | None, now: Sequence[str] | None) -> set[str]:
    """Return the documents or domains that have lost no segment."""
    names, left = Counter(before or ()), Counter(now or ())
    return {name for name, count in left.items() if name and count == names[name]}


def _unit_scores(scores: GivenScores, units: set[str], called: tuple[str, ...] | None = None) -> GivenTable:
    """Return the scores of some units; the file is read."""
    indices = [index for index, unit in enumerate(scores.units) if unit in units]
    names = tuple(scores.units[index] for index in indices) if called is None else called
    return GivenTable(scores.systems, names, scores.values[:, indices], scores.remarks)
