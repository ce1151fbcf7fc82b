"""Compare the conclusions of two runs: order of metrics, the best one, stars and verdicts of claims."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from metaeval.errors import as_typed, counted
from metaeval.report.phrases import grouped, joined_names
from metaeval.report.places_in_words import (
    AVERAGE_OF_TASKS,
    Wording,
    column_words,
    lengths_words,
    listed_in_sentence,
    varying_columns,
)
from metaeval.report.rankings import Ranking, rankings_of
from metaeval.results.differences import place_of
from metaeval.results.model import RunData
from metaeval.results.row_matching import PLACE_COLUMNS, meaning, paired
from metaeval.results.tables import Record

_PLACE_COLUMNS = ("task", *PLACE_COLUMNS)
CONCLUSION = (*_PLACE_COLUMNS, "what", "metric", "old", "new", "starred")
# What can change at a place, with its name in a sentence.
_CHANGE_NAMES = {"order": "the order of metrics", "best": "the best metric", "star": "stars"}
# What the best metrics of both runs have in common, by `Change.starred`.
_BEST_WORDS = {"yes": "each has a star in both runs", "": "one is in one run alone"}
# Limits of brief text: lines of one kind, values in a line, and places by name.
_MAX_LINES = 4
_MAX_VALUES = 9
_MAX_PLACES = 3
# Metrics by their ranks, from the best to the worst; those of one rank are equal.
Order = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Change:
    """A conclusion at a place that is not the same in both runs.

    Attributes
    ----------
    place : mapping
        Its columns.
    what : {"order", "best", "star"}
    old, new : tuple of tuple of str
        The order of metrics, or the best ones.
    swapped : tuple of pair of str
        Metrics that changed places: the one that is above now, and the one that was.
    metric : str
        That gained or lost a star.
    gained : bool
        Whether it gained it.
    starred : str
        Whether the best metric of each run has a star in the other one too: ``yes`` or ``no``, "" where that is not
        known.
    """

    place: Mapping[str, Any]
    what: str
    old: Order = ()
    new: Order = ()
    swapped: tuple[tuple[str, str], ...] = ()
    metric: str = ""
    gained: bool = False
    starred: str = ""

    @property
    def values(self) -> tuple[str, str]:
        """The old and the new value, with metrics as they are written."""
        if self.what == "star":
            return ("no", "yes") if self.gained else ("yes", "no")
        if self.what == "best":
            return " and ".join(*self.old) or "none", " and ".join(*self.new) or "none"
        return " > ".join(map(" = ".join, self.old)), " > ".join(map(" = ".join, self.new))

    def row(self) -> Record:
        """Return the change with the columns of `CONCLUSION`."""
        old, new = self.values
        rest = {"what": self.what, "metric": self.metric, "old": old, "new": new, "starred": self.starred}
        return {**self.place, **rest}


def find_conclusions(runs: tuple[RunData, RunData], across: Sequence[str]) -> tuple[list[Record], list[Change]]:
    """Return the places where both runs rank metrics, and what changed there.

    Parameters
    ----------
    runs : pair of RunData
        The old and the new one.
    across : sequence of str
        The settings that are left out of places.

    Returns
    -------
    (list of dict, list of Change)
        Of each place its columns, and what a star says; and each change: ``order`` where two metrics of both runs
        changed places, ``best``, and ``star`` for each metric that has one in one run alone.
    """
    tables = [[_record(ranking) for ranking in rankings_of(run)] for run in runs]
    places: list[Record] = []
    changes: list[Change] = []
    for old, new in paired(tables, _PLACE_COLUMNS, across):
        if old is not None and new is not None:
            place = place_of((old, new), _PLACE_COLUMNS)
            rankings = old["ranking"], new["ranking"]
            stars = [ranking.star_words for ranking in rankings if ranking.star_words]
            places.append({**place, "star_words": " or ".join(dict.fromkeys(stars))})
            changes += _changes(place, *rankings)
    return places, changes


def _record(ranking: Ranking) -> Record:
    key = ranking.key
    task = "" if ranking.task is None else ranking.task or AVERAGE_OF_TASKS
    columns = {name: getattr(key, name) for name in PLACE_COLUMNS}
    return {"task": task, **columns, "documents": key.documents.kind, "ranking": ranking}


def _changes(place: Record, old: Ranking, new: Ranking) -> Iterator[Change]:
    old_metrics = {meaning("metric", ranked.metric): ranked for ranked in old.metrics}
    new_metrics = {meaning("metric", ranked.metric): ranked for ranked in new.metrics}
    common = [(before, new_metrics[name]) for name, before in old_metrics.items() if name in new_metrics]
    ranks = [
        (before.metric, before.rank, after.rank)
        for before, after in common
        if before.rank is not None and after.rank is not None
    ]
    swapped = [
        (first[0], second[0]) if first[2] < second[2] else (second[0], first[0])
        for first, second in combinations(ranks, 2)
        if (first[1] - second[1]) * (first[2] - second[2]) < 0
    ]
    if swapped:
        yield Change(place, "order", _order(old), _order(new), swapped=tuple(swapped))
    old_best = [name for name, ranked in old_metrics.items() if ranked.rank == 1]
    new_best = [name for name, ranked in new_metrics.items() if ranked.rank == 1]
    if set(old_best) != set(new_best):
        old_names = tuple(old_metrics[name].metric for name in old_best)
        new_names = tuple(new_metrics[name].metric for name in new_best)
        counterparts = [new_metrics.get(name) for name in old_best] + [old_metrics.get(name) for name in new_best]
        stars = [ranked.star for ranked in counterparts if ranked is not None]
        starred = "yes" if all(stars) else "no"
        if len(stars) < len(counterparts):
            starred = ""
        yield Change(place, "best", (old_names,), (new_names,), starred=starred)
    for before, after in common:
        if before.star != after.star:
            yield Change(place, "star", metric=before.metric, gained=after.star)


def _order(ranking: Ranking) -> Order:
    """Return the metrics that have a rank, from the best to the worst."""
    ranks = sorted({metric.rank for metric in ranking.metrics if metric.rank is not None})
    return tuple(tuple(metric.metric for metric in ranking.metrics if metric.rank == rank) for rank in ranks)


def conclusions_text(
    places: Sequence[Record],
    changes: Sequence[Change],
    claims: Sequence[Record],
    n_claims: int,
    wording: Wording,
    *,
    brief: bool,
) -> list[str]:
    """Return in lines what changed in conclusions: a sentence with counts, then the metrics, places and claims.

    Parameters
    ----------
    places, changes : sequence of dict, sequence of Change
        As `find_conclusions` gives them.
    claims : sequence of dict
        The claims whose verdicts differ, or that one run alone has.
    n_claims : int
        The claims that both runs have.
    wording : Wording
        What metrics and places are called.
    brief : bool
        Whether only the first of each kind are named, and the others counted.

    Returns
    -------
    list of str
        None where the runs have neither a place nor a claim in common; the sentence alone where nothing changed.
    """
    verdicts = [row for row in claims if row["found"] == "both"]
    varying = varying_columns(places, _PLACE_COLUMNS)
    if not changes and not verdicts:
        same = [f"order of metrics, best metric and stars{_all_places_words(places, varying)}"] if places else []
        same += [f"{'verdict' if n_claims == 1 else 'verdicts'} on {counted(n_claims, 'claim')}"] if n_claims else []
        return [f"No conclusion changed: the same {', and the same '.join(same)}."] if same else []
    described = _Changes(changes, varying, wording, brief=brief)
    lines = [
        *described.best(),
        *described.orders(),
        *described.stars(),
        *_limited(
            [f"Claim: {wording.claim(row)}: {row['old']} -> {row['new']}" for row in verdicts],
            "Claim",
            brief=brief,
        ),
    ]
    if any(change.what == "star" or change.starred == "yes" for change in changes):
        words = dict.fromkeys(place["star_words"] for place in places if place["star_words"])
        lines.append(f"A star: {'; or '.join(words)}.")
    summary = [_counts(places, changes, varying)] if places else []
    if n_claims:
        summary.append(_verdicts_sentence(len(verdicts), n_claims))
    return [" ".join(summary), *lines]


def _all_places_words(places: Sequence[Record], varying: Sequence[str]) -> str:
    """Return in how many rankings nothing changed: `` in all 18 rankings (by criterion and document length)``."""
    return f" in {_number(len(places), len(places))} rankings{_by(varying)}" if len(places) > 1 else ""


def _number(part: int, whole: int) -> str:
    """Return how many of several rankings: ``both``, ``all 18``, ``3 of 18``."""
    if part < whole:
        return f"{part} of {whole}"
    return "both" if whole == 2 else f"all {whole}"


def _by(varying: Sequence[str]) -> str:
    words = [column_words(name) for name in varying]
    return f" (by {joined_names(words)})" if words else ""


def _verdicts_sentence(n_changed: int, n_claims: int) -> str:
    if n_claims == 1:
        return f"The verdict on the claim {'changed' if n_changed else 'is the same'}."
    if not n_changed:
        return f"The verdicts on {n_claims} claims are the same."
    noun = "verdict" if n_changed == 1 else "verdicts"
    return f"The {noun} on {_number(n_changed, n_claims)} claims changed."


def _counts(places: Sequence[Record], changes: Sequence[Change], varying: Sequence[str]) -> str:
    """Return in how many rankings conclusions changed, and what, with its number where that is less."""
    if not changes:
        return f"The order of metrics, the best metric and stars are the same{_all_places_words(places, varying)}."
    n_changed = len(grouped(changes, _place))
    where = f" in {_number(n_changed, len(places))} rankings{_by(varying)}" if len(places) > 1 else ""
    counts = []
    for what, name in _CHANGE_NAMES.items():
        if number := len(grouped((change for change in changes if change.what == what), _place)):
            words = f"{name} in {number}" if number < n_changed else name
            kinds = Counter(change.starred for change in changes if change.what == what == "best")
            remarks = [
                said if kinds[kind] == number else f"in {kinds[kind]} {said}"
                for kind, said in _BEST_WORDS.items()
                if kinds[kind]
            ]
            counts.append(f"{words} ({', '.join(remarks)})" if remarks else words)
    return f"Conclusions changed{where}: {joined_names(counts)}."


def _place(change: Change) -> tuple[object, ...]:
    return tuple(change.place[name] for name in _PLACE_COLUMNS)


class _Changes:
    """Changes of conclusions, in lines.

    Parameters
    ----------
    changes : sequence of Change
    varying : sequence of str
        The columns that are not the same at all places.
    wording : Wording
    brief : bool
    """

    def __init__(self, changes: Sequence[Change], varying: Sequence[str], wording: Wording, *, brief: bool) -> None:
        self.changes = changes
        self.varying = varying
        self.wording = wording
        self.brief = brief

    def best(self) -> list[str]:
        """Return a line for each best metric that became another one, the most frequent change first."""
        changes = [change for change in self.changes if change.what == "best"]
        # What holds for all of them is in the sentence with counts.
        has_kinds = len({change.starred for change in changes}) > 1
        ends = {kind: f" ({words})" for kind, words in _BEST_WORDS.items() if has_kinds}
        lines = [
            f"Best: {self._names(old[0])} -> {self._names(new[0])}{self._places_words(same)}{ends.get(starred, '')}"
            for (old, new, starred), same in _by_number(
                changes, lambda change: (change.old, change.new, change.starred)
            )
        ]
        return _limited(lines, "Best", brief=self.brief)

    def _names(self, metrics: Sequence[str]) -> str:
        names = [self.wording.metric(metric) for metric in metrics] or ["none"]
        return listed_in_sentence(names, _MAX_LINES if self.brief else len(names))

    def orders(self) -> list[str]:
        """Return in brief the pairs of metrics that changed places, else the old and the new order of each place."""
        changes = [change for change in self.changes if change.what == "order"]
        if not self.brief:
            return [
                f"Order{self._places_words([change])}: {self._order(change.old)} -> {self._order(change.new)}"
                for change in changes
            ]
        pairs = [(pair, change) for change in changes for pair in change.swapped]
        lines = [
            f"Order: {self.wording.metric(above)} is now above {self.wording.metric(below)}"
            f"{self._places_words([change for _, change in same])}"
            for (above, below), same in _by_number(pairs, lambda pair: pair[0])
        ]
        return _limited(lines, "Order", brief=True)

    def _order(self, order: Order) -> str:
        return " > ".join(" = ".join(map(self.wording.metric, metrics)) for metrics in order)

    def stars(self) -> list[str]:
        """Return a line for each metric that gained a star, and for each that lost one."""
        lines = []
        for verb in ("gained", "lost"):
            changes = [
                change for change in self.changes if change.what == "star" and change.gained == (verb == "gained")
            ]
            lines_of_verb = [
                f"Star {verb}: {self.wording.metric(metric)}{self._places_words(same)}"
                for metric, same in _by_number(changes, lambda change: change.metric)
            ]
            lines += _limited(lines_of_verb, f"Star {verb}", brief=self.brief)
        return lines

    def _places_words(self, changes: Sequence[Change]) -> str:
        """Return places by what varies among all: `` in fluency, 1 and 2 segments; adequacy, 5 segments``."""
        if not self.varying:
            return ""
        *others, last = self.varying
        changes_by_setting = grouped(
            changes,
            lambda change: ", ".join(filter(None, (self.wording.value(name, change.place[name]) for name in others))),
        )
        limit = _MAX_VALUES if self.brief else len(changes)
        places = []
        for beginning, same in changes_by_setting.items():
            values = [str(change.place[last]) for change in same]
            words = (
                lengths_words(list(dict.fromkeys(values)), limit)
                if last == "length"
                else listed_in_sentence([self.wording.value(last, value) for value in values], limit)
            )
            places.append(", ".join(filter(None, [beginning, words])))
        if self.brief and len(places) > _MAX_PLACES:
            return f" in {len(changes)} rankings"
        return f" in {'; '.join(places)}"


def _by_number(items: Sequence[Any], key: Callable[[Any], Any]) -> list[tuple[Any, list[Any]]]:
    """Return items by a key, the most frequent key first."""
    return sorted(grouped(items, key).items(), key=lambda item: -len(item[1]))


def _limited(lines: Sequence[str], start: str, *, brief: bool) -> list[str]:
    """Return lines that have the same start, in brief the first ones and how many there are besides."""
    if not brief or len(lines) <= _MAX_LINES:
        return list(lines)
    whole = as_typed(terminal="--verbose", python="`verbose=True`")
    return [*lines[:_MAX_LINES], f"{start}: {len(lines) - _MAX_LINES} more, which {whole} has"]
