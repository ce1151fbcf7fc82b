"""Compare the conclusions of two runs: order of metrics, the best one, stars and verdicts of claims."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from metaeval.errors import as_typed, counted
from metaeval.report.phrases import grouped
from metaeval.report.rankings import Ranking, rankings_of
from metaeval.results.across import listed
from metaeval.results.differences import place_of
from metaeval.results.model import RunData
from metaeval.results.row_matching import PLACE_COLUMNS, meaning, paired
from metaeval.results.tables import Record

_PLACE_COLUMNS = ("task", *PLACE_COLUMNS)
CONCLUSION = (*_PLACE_COLUMNS, "what", "metric", "old", "new", "starred")
# What can change at a place, with its name in a sentence.
_CHANGE_NAMES = {"best": "the best metric", "order": "the order of metrics", "star": "a star"}
# Limits of brief text: lines of one kind, values in a line, and places by name.
_MAX_LINES = 4
_MAX_VALUES = 9
_MAX_PLACES = 3


def find_conclusions(runs: tuple[RunData, RunData], across: Sequence[str]) -> tuple[list[Record], list[Record]]:
    """Return the places where both runs rank metrics, and what changed there.

    Parameters
    ----------
    runs : pair of RunData
        The old and the new one.
    across : sequence of str
        The settings that are left out of places.

    Returns
    -------
    (list of dict, list of dict)
        Of each place its columns, and what a star says; and a row for each change, with the columns of `CONCLUSION`:
        ``order`` where two metrics of both runs changed places, ``best`` (starred: whether the best of each run has a
        star in the other one), and ``star`` for each metric that has one in one run alone.
    """
    tables = [[_record(ranking) for ranking in rankings_of(run)] for run in runs]
    places: list[Record] = []
    changes: list[Record] = []
    for old, new in paired(tables, _PLACE_COLUMNS, across):
        if old is not None and new is not None:
            place = place_of((old, new), _PLACE_COLUMNS)
            rankings = old["ranking"], new["ranking"]
            stars = [ranking.star_words for ranking in rankings if ranking.star_words]
            places.append({**place, "star_words": " or ".join(dict.fromkeys(stars))})
            changes += ({**place, **change} for change in _changes(*rankings))
    return places, changes


def _record(ranking: Ranking) -> Record:
    key = ranking.key
    task = "" if ranking.task is None else ranking.task or "average of all tasks"
    columns = {name: getattr(key, name) for name in PLACE_COLUMNS}
    return {"task": task, **columns, "documents": key.documents.kind, "ranking": ranking}


def _changes(old: Ranking, new: Ranking) -> Iterator[Record]:
    old_metrics = {meaning("metric", ranked.metric): ranked for ranked in old.metrics}
    new_metrics = {meaning("metric", ranked.metric): ranked for ranked in new.metrics}
    common = [(before, new_metrics[name]) for name, before in old_metrics.items() if name in new_metrics]
    ranks = [
        (before.rank, after.rank) for before, after in common if before.rank is not None and after.rank is not None
    ]
    if any((a[0] - b[0]) * (a[1] - b[1]) < 0 for a, b in combinations(ranks, 2)):
        yield _change("order", _order(old), _order(new))
    old_best = [name for name, ranked in old_metrics.items() if ranked.rank == 1]
    new_best = [name for name, ranked in new_metrics.items() if ranked.rank == 1]
    if set(old_best) != set(new_best):
        old_names = " and ".join(old_metrics[name].metric for name in old_best)
        new_names = " and ".join(new_metrics[name].metric for name in new_best)
        counterparts = [new_metrics.get(name) for name in old_best] + [old_metrics.get(name) for name in new_best]
        stars = [ranked.star for ranked in counterparts if ranked is not None]
        starred = "yes" if all(stars) else "no"
        if len(stars) < len(counterparts):
            starred = ""
        yield _change("best", old_names or "none", new_names or "none", starred=starred)
    for before, after in common:
        if before.star != after.star:
            yield _change("star", "yes" if before.star else "no", "yes" if after.star else "no", metric=before.metric)


def _change(what: str, old: str, new: str, metric: str = "", starred: str = "") -> Record:
    return {"what": what, "metric": metric, "old": old, "new": new, "starred": starred}


def _order(ranking: Ranking) -> str:
    """Return the metrics that have a rank, from the best to the worst: ``bleu > ter = per``."""
    ranks = sorted({metric.rank for metric in ranking.metrics if metric.rank is not None})
    return " > ".join(" = ".join(metric.metric for metric in ranking.metrics if metric.rank == rank) for rank in ranks)


def conclusions_text(
    places: Sequence[Record], changes: Sequence[Record], claims: Sequence[Record], n_claims: int, *, brief: bool
) -> list[str]:
    """Return in lines what changed in conclusions: a sentence with counts, then the metrics, places and claims.

    Parameters
    ----------
    places, changes : sequence of dict
        As `find_conclusions` gives them.
    claims : sequence of dict
        The claims whose verdicts differ, or that one run alone has.
    n_claims : int
        The claims that both runs have.
    brief : bool
        Whether only the first of each kind are named, and the others counted.

    Returns
    -------
    list of str
        None where the runs have neither a place nor a claim in common; the sentence alone where nothing changed.
    """
    verdicts = [row for row in claims if row["found"] == "both"]
    if not changes and not verdicts:
        same = [f"order of metrics, best metric and stars in {counted(len(places), 'place')}"] if places else []
        same += [f"verdicts of {counted(n_claims, 'claim')}"] if n_claims else []
        return [f"No conclusion changed: the same {', and '.join(same)}."] if same else []
    varying = [name for name in _PLACE_COLUMNS if len({place[name] for place in places}) > 1]
    lines = [
        *_best(changes, varying, brief=brief),
        *_orders(changes, varying, brief=brief),
        *_stars(changes, varying, brief=brief),
        *_limited(
            [f"Claim: {row['statement']}: {row['old']} -> {row['new']}" for row in verdicts], "Claim", brief=brief
        ),
    ]
    if any(row["what"] == "star" or row["starred"] == "yes" for row in changes):
        words = dict.fromkeys(place["star_words"] for place in places if place["star_words"])
        lines.append(f"A star: {'; or '.join(words)}.")
    summary = [_counts(places, changes)] if places else []
    if n_claims:
        verdict_words = "its verdict" if len(verdicts) < 2 else "their verdicts"
        summary.append(f"Of {counted(n_claims, 'claim')}, {len(verdicts) or 'none'} changed {verdict_words}.")
    return [" ".join(summary), *lines]


def _counts(places: Sequence[Record], changes: Sequence[Record]) -> str:
    """Return in how many places what changed."""
    rows_by_change = {what: grouped((row for row in changes if row["what"] == what), _place) for what in _CHANGE_NAMES}
    starred = sum(row["starred"] == "yes" for row in changes)
    counts = [
        f"{_CHANGE_NAMES[what]}{'' if index else ' changed'} in {len(rows)}"
        f"{f' ({starred} with stars in both runs)' if what == 'best' and starred else ''}"
        for index, (what, rows) in enumerate((what, rows) for what, rows in rows_by_change.items() if rows)
    ]
    changed = f"{', '.join(counts)}; " if counts else ""
    unchanged = len(places) - len(grouped(changes, _place))
    return f"Of {counted(len(places), 'place')}, {changed}nothing changed in {unchanged}."


def _place(row: Mapping[str, Any]) -> tuple[object, ...]:
    return tuple(row[name] for name in _PLACE_COLUMNS)


def _best(changes: Sequence[Record], varying: Sequence[str], *, brief: bool) -> list[str]:
    """Return a line for each best metric that became another one, the most frequent change first."""
    rows = [row for row in changes if row["what"] == "best"]
    lines = [
        f"Best: {old} -> {new}{' (each has a star in both runs)' if starred == 'yes' else ''}"
        f"{_in_places(rows_of_change, varying, brief=brief)}"
        for (old, new, starred), rows_of_change in _by_number(rows, "old", "new", "starred")
    ]
    return _limited(lines, "Best", brief=brief)


def _orders(changes: Sequence[Record], varying: Sequence[str], *, brief: bool) -> list[str]:
    """Return the old and the new order of each place; none in brief where there are many places."""
    rows = [row for row in changes if row["what"] == "order"]
    if brief and len(rows) > _MAX_PLACES:
        return []
    return [f"Order{_in_places([row], varying, brief=brief)}: {row['old']} -> {row['new']}" for row in rows]


def _stars(changes: Sequence[Record], varying: Sequence[str], *, brief: bool) -> Iterator[str]:
    """Yield a line on the metrics that gained a star, and one on those that lost it."""
    for verb, value in (("gained", "yes"), ("lost", "no")):
        rows = [row for row in changes if row["what"] == "star" and row["new"] == value]
        parts = [
            f"{metric} in {counted(len(rows_of_metric), 'place')}"
            if brief and len(rows_of_metric) > _MAX_PLACES
            else f"{metric}{_in_places(rows_of_metric, varying, brief=brief)}"
            for (metric,), rows_of_metric in _by_number(rows, "metric")
        ]
        if parts:
            yield f"Star {verb}: {'; '.join(parts)}"


def _by_number(rows: Sequence[Record], *columns: str) -> list[tuple[tuple[Any, ...], list[Record]]]:
    """Return rows by the values of some columns, the most frequent values first."""
    of = grouped(rows, lambda row: tuple(row[name] for name in columns))
    return sorted(of.items(), key=lambda item: -len(item[1]))


def _in_places(rows: Sequence[Record], varying: Sequence[str], *, brief: bool) -> str:
    """Return the places of some rows by what varies among all: `` in fluency, length 1, 2; adequacy, length 5``."""
    if not varying:
        return ""
    *others, last = varying
    rows_by_setting = grouped(rows, lambda row: ", ".join(_named(row, name) for name in others if row[name] != ""))
    places = []
    for beginning, setting_rows in rows_by_setting.items():
        values = listed((str(row[last]) for row in setting_rows), _MAX_VALUES if brief else len(setting_rows))
        places.append(", ".join(filter(None, [beginning, f"length {values}" if last == "length" else values])))
    rest_counted = [f"{len(places) - _MAX_PLACES} more"] if brief and len(places) > _MAX_PLACES else []
    return f" in {'; '.join([*(places[:_MAX_PLACES] if brief else places), *rest_counted])}"


def _named(row: Record, column: str) -> str:
    return f"length {row[column]}" if column == "length" else str(row[column])


def _limited(lines: Sequence[str], start: str, *, brief: bool) -> list[str]:
    """Return lines that have the same start, in brief the first ones and how many there are besides."""
    if not brief or len(lines) <= _MAX_LINES:
        return list(lines)
    whole = as_typed(terminal="--verbose", python="`verbose=True`")
    return [*lines[:_MAX_LINES], f"{start}: {len(lines) - _MAX_LINES} more, which {whole} has"]
