"""What differs between two runs: inputs, signatures, numbers, tests, claims and tables.

Rows of two tables are those of one number where their places mean the same, however their names are written.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from metaeval.errors import MetaevalError
from metaeval.kinds import METRICS
from metaeval.metrics import get_metric
from metaeval.names import parse_call, signature_changes
from metaeval.results.model import KINDS, RunData, ScoreBlock, score_records
from metaeval.results.rows import TestResult
from metaeval.results.store import CONFIG, config_content, read_run
from metaeval.results.tables import Record, record_of, texts_of
from metaeval.sampling.references import names_of
from metaeval.text.preprocessing import get_preprocessing

Pair = tuple[Record | None, Record | None]
DEFAULT_ALPHA = 0.05
PLACE = ("panel", "corpus", "preprocessing", "subset", "criterion", "average_by", "length", "coefficient")
NUMBER = (*PLACE, "metric")
_TEST = (*PLACE, "metric_a", "metric_b", "test", "over")
_CLAIM = ("corpus", "paper", "statement", "chosen", "over", "quantity")
_SCORE = ("panel", "corpus", "preprocessing", "subset", "metric", "level", "unit", "kind", "system")
# The columns of each part of the differences, as far as they do not depend on what is found.
PARTS = {
    "inputs": ("kind", "key", "old", "new"),
    "signatures": ("kind", "key", "old", "new"),
    "numbers": (*NUMBER, "found", "old", "new"),
    "tests": (*_TEST, "found", "old", "new"),
    "claims": (*_CLAIM, "found", "old", "new"),
    "tables": ("table", "old", "new"),
}
# Columns of correlations.tsv that may differ besides place and signature, each with those of its two values here.
OTHERS = ("sd", "n_used", "n_undefined", "replicates_used", "replicates_undefined")
VALUES = {
    "mean": ("old", "new"),
    "lower": ("lower", "new_lower"),
    "upper": ("upper", "new_upper"),
    **{name: (f"old_{name}", f"new_{name}") for name in OTHERS},
}


def find_differences(old: Path, new: Path) -> tuple[int, dict[str, list[Record]]]:
    """Return how many correlations two runs have in common, and the rows of each part of what differs.

    Parameters
    ----------
    old, new : Path
        Their directories.
    """
    runs = (read_run(old), read_run(new))
    correlations, tests, claims = (
        paired([[record_of(turned(row)) for row in getattr(run.tables, name)] for run in runs], keys)
        for name, keys in (("correlations", NUMBER), ("tests", _TEST), ("claims", _CLAIM))
    )
    # The one table that may be long.
    scores: list[list[Record]] = [[], []]
    if not _have_same_scores(*runs):
        scores = [[row for block in run.scores for row in score_records(block)] for run in runs]
    signed = {"scores": paired(scores, _SCORE), "correlations": correlations, "tests": tests}
    parts: dict[str, Iterable[Record]] = {
        "inputs": _inputs(*runs, places=(old, new)),
        "signatures": (row for kind, pairs in signed.items() for row in _signatures(kind, pairs)),
        "numbers": _numbers(correlations),
        "tests": _tests(tests, runs),
        "claims": _claims(claims),
        "tables": _tables(runs, scores),
    }
    return sum(None not in pair for pair in correlations), {name: list(rows) for name, rows in parts.items()}


def differing(row: Mapping[str, Any]) -> list[str]:
    """Return the columns of a number that differ between the runs; none where one run alone has it."""
    if row["found"] != "both":
        return []
    pairs = {name: (row[old], row[new]) for name, (old, new) in VALUES.items()}
    return [name for name, (old, new) in pairs.items() if old != new and not (math.isnan(old) and math.isnan(new))]


def _have_same_scores(old: RunData, new: RunData) -> bool:
    def same(one: ScoreBlock, other: ScoreBlock) -> bool:
        names = ("key", "level", "kind", "units", "names", "n_references", "signature")
        heads = all(getattr(one, name) == getattr(other, name) for name in names)
        values = np.array_equal(one.values, other.values, equal_nan=True)
        return heads and values and np.array_equal(one.sizes, other.sizes)

    return len(old.scores) == len(new.scores) and all(map(same, old.scores, new.scores))


def _inputs(old: RunData, new: RunData, *, places: tuple[Path, Path]) -> Iterator[Record]:
    def compared(kind: str, first: Mapping[str, Any], second: Mapping[str, Any]) -> Iterator[Record]:
        for key in dict.fromkeys([*first, *second]):
            values = first.get(key), second.get(key)
            if values[0] != values[1]:
                yield {"kind": kind, "key": key, "old": _plain(values[0]), "new": _plain(values[1])}

    if bool(old.config) != bool(new.config):
        yield from compared("file", *({CONFIG: "there"} if run.config else {} for run in (old, new)))
    else:
        contents = [config_content(run.config, place) for run, place in zip((old, new), places, strict=True)]
        yield from compared("config", *(dict(_dotted(one)) for one in contents))
    yield from compared("seed", *({"seed": run.facts["seed"]} for run in (old, new)))
    for kind, facts_of in (("corpus", _corpora), ("version", _versions)):
        yield from compared(kind, facts_of(old), facts_of(new))


def _plain(value: object) -> object:
    """Return a value of a config as one that a table can hold."""
    if value is None or isinstance(value, str | int | float):
        return value
    return json.dumps(value, ensure_ascii=False)


def _dotted(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Give the keys of a config with their values, but for `seed`, which the manifest has."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if name or key != "seed":
                yield from _dotted(inner, f"{name}.{key}" if name else key)
    elif isinstance(value, list) and value and all(isinstance(item, Mapping) for item in value):
        for number, item in enumerate(value):
            # A panel keeps its name where another one is put before it.
            label = item["title"] if name == "panels" and "title" in item else number
            yield from _dotted(item, f"{name}[{label}]")
    else:
        yield name, value


def _corpora(run: RunData) -> dict[str, Any]:
    keys = ("digest", "systems", "segments", "references", "judgments")
    return {f"{one.name}.{key}": getattr(one, key) for one in run.corpora for key in keys}


def _versions(run: RunData) -> dict[str, Any]:
    own = {key: run.facts.get(key) for key in ("metaeval", "python", "numpy_bit_generator", "fingerprint")}
    return own | dict(run.facts.get("packages") or {})


def _signatures(kind: str, pairs: Sequence[Pair]) -> Iterator[Record]:
    """Give the keys of signatures that differ, with the number of pairs that have these two values."""
    found: Counter[tuple[str, str | None, str | None]] = Counter()
    for old, new in pairs:
        if old is not None and new is not None and old["signature"] != new["signature"]:
            found.update(signature_changes(old["signature"], new["signature"]))
    for (key, first, second), number in found.items():
        yield {"kind": kind, "key": key, "old": first, "new": second, "n": number}


def _head(pair: Pair, keys: Sequence[str]) -> Record:
    """Return the place of a pair of rows, and which runs have it."""
    old, new = pair
    row = old or new
    assert row is not None
    place = {key: "" if row[key] is None else row[key] for key in keys}
    if "panel" in keys and new is not None:
        place["panel"] = place["panel"] or new["panel"]
    return {**place, "found": "only old" if new is None else "only new" if old is None else "both"}


def _numbers(pairs: Sequence[Pair]) -> list[Record]:
    """Return the correlations that differ: those in both runs by the size of the change, then those in one alone."""
    rows = []
    for pair in pairs:
        old, new = ({} if row is None else row for row in pair)
        values: Record = {}
        for name, columns in VALUES.items():
            numbers = (math.nan if run.get(name) is None else float(run[name]) for run in (old, new))
            values |= zip(columns, numbers, strict=True)
        mean, now, lower, upper = (values[name] for name in ("old", "new", "lower", "upper"))
        # Only a mean that was in its interval can leave it.
        is_known = lower <= mean <= upper and not math.isnan(now)
        row = {
            **_head(pair, NUMBER),
            "old": mean if old else None,
            "new": now if new else None,
            "change": now - mean,
            **{name: values[name] for name in ("lower", "upper", "new_lower", "new_upper")},
            "outside": ("no" if lower <= now <= upper else "yes") if is_known else "",
            "differs": "",
            **{column: values[column] for name in OTHERS for column in VALUES[name]},
        }
        row["differs"] = ", ".join(differing(row))
        if row["differs"] or not (old and new):
            rows.append(row)
    return sorted(rows, key=_by_change)


def _by_change(row: Record) -> tuple[bool, bool, float]:
    """Return what numbers are sorted by."""
    if row["found"] != "both":
        return True, True, 0.0
    # A mean that is defined in one run alone has no size and comes first.
    is_half_defined = math.isnan(row["old"]) != math.isnan(row["new"])
    return False, not is_half_defined, 0.0 if math.isnan(row["change"]) else -abs(row["change"])


def _tests(pairs: Sequence[Pair], runs: tuple[RunData, RunData]) -> Iterator[Record]:
    """Give the tests that crossed alpha, were defined in one run only, or that one run alone has."""
    alphas = [
        {(row.key.panel, row.test, row.over): row.alpha for row in run.tables.minimum_significant_differences}
        for run in runs
    ]
    for pair in pairs:
        old, new = (None if row is None else row["p_corrected"] for row in pair)
        found: Record = {"old": old, "new": new, "old_alpha": None, "new_alpha": None, "became": ""}
        if old is not None and new is not None:
            first, second = (
                known.get((row["panel"], row["test"], row["over"]), DEFAULT_ALPHA)
                for row, known in zip(pair, alphas, strict=True)
                if row is not None
            )
            if math.isnan(old) != math.isnan(new):
                became = "undefined" if math.isnan(new) else "defined"
            elif (old < first) != (new < second):
                became = "significant" if new < second else "not significant"
            else:
                continue
            found |= {"old_alpha": first, "new_alpha": second, "became": became}
        yield {**_head(pair, _TEST), **found}


def _claims(pairs: Sequence[Pair]) -> Iterator[Record]:
    for pair in pairs:
        old, new = (None if row is None else row["verdict"] for row in pair)
        if old != new:
            yield {**_head(pair, _CLAIM), "old": old, "new": new}


def _tables(runs: tuple[RunData, RunData], scores: Sequence[list[Record]]) -> Iterator[Record]:
    for name in (*KINDS, "scores"):
        if name in KINDS:
            tables = [[texts_of(turned(row)) for row in getattr(run.tables, name)] for run in runs]
        else:
            tables = [[{key: str(value) for key, value in row.items()} for row in rows] for rows in scores]
        differ = unmatched(tables)
        # A table without rows has no file.
        sizes = [len(rows) or None for rows in tables]
        if differ or (sizes[0] is None) != (sizes[1] is None):
            only = "signatures" if differ and not unmatched(tables, ("signature",)) else ""
            yield {"table": f"{name}.tsv", "old": sizes[0], "new": sizes[1], "differ": differ, "only": only}


@cache
def meaning(column: str, text: str) -> str:
    """Return a text that is the same for all ways of writing the same preprocessing, metric, coefficient or subset."""
    try:
        return _MEANINGS[column](text)
    except MetaevalError:
        # Of a plug-in, a file, or another version.
        return text


def _preprocessing(text: str) -> str:
    preprocessing = get_preprocessing(text)
    return f"{preprocessing.lowercase} {preprocessing.stem} {preprocessing.tokenizer}"


def _metric(text: str) -> str:
    # The code of others is not run for this.
    call = parse_call(text)
    return str(get_metric(text).signature if call.name in METRICS else call)


def _subset(text: str) -> str:
    kind, names = names_of(text)
    return f"{kind} {'+'.join(sorted(names))}" if names else text


_MEANINGS: dict[str, Callable[[str], str]] = {
    "preprocessing": _preprocessing,
    **dict.fromkeys(("metric", "metric_a", "metric_b"), _metric),
    **dict.fromkeys(("coefficient", "test"), lambda text: str(parse_call(text))),
    "subset": _subset,
}


def _read(column: str, value: Any) -> Any:
    return meaning(column, value) if column in _MEANINGS else value


def paired(tables: Sequence[Sequence[Record]], keys: Sequence[str]) -> list[Pair]:
    """Return the rows of two tables in pairs: those that stand in the same place.

    Where one run alone has panels, a row is paired with that of the only panel which has its place.

    Parameters
    ----------
    tables : pair of sequences of rows
        The old and the new one.
    keys : sequence of str
        The columns that tell the place.

    Returns
    -------
    list of pairs
        In the order of the old table, then those only in the new one; None stands for the row that is not there.
    """
    has_panels = [_has_panels(table) for table in tables]
    found: list[dict[tuple[object, ...], Record]] = []
    for table, with_panels in zip(tables, has_panels, strict=True):
        places = [tuple(_read(key, row[key]) for key in keys) for row in table]
        if with_panels and not all(has_panels) and "panel" in keys:
            at = keys.index("panel")
            bare = [(*place[:at], "", *place[at + 1 :]) for place in places]
            often = Counter(bare)
            places = [short if often[short] == 1 else place for place, short in zip(places, bare, strict=True)]
        seen: Counter[tuple[object, ...]] = Counter()
        by_place = {}
        for row, place in zip(table, places, strict=True):
            seen[place] += 1
            # Two rows of one place, which no run writes, are distinguished by their order.
            by_place[(*place, seen[place])] = row
        found.append(by_place)
    old, new = found
    return [(row, new.get(place)) for place, row in old.items()] + [
        (None, row) for place, row in new.items() if place not in old
    ]


def _has_panels(table: Sequence[Mapping[str, Any]]) -> bool:
    return any(row.get("panel") for row in table)


def unmatched(tables: Sequence[Sequence[Mapping[str, str]]], without: Sequence[str] = ()) -> int:
    """Return how many rows of the longer remainder have no equal in the other table, both as texts.

    Neither the order of rows, nor the way of writing names, nor panels that one run alone has make a difference, nor
    do columns that are to be left out.
    """
    if tables[0] == tables[1]:
        return 0
    ignored = (*without, *(() if all(map(_has_panels, tables)) else ("panel",)))
    counts = [
        Counter(
            frozenset((key, _read(key, value)) for key, value in row.items() if value and key not in ignored)
            for row in table
        )
        for table in tables
    ]
    return max((counts[0] - counts[1]).total(), (counts[1] - counts[0]).total())


def turned(row: Any) -> Any:
    """Return a test with its two metrics in one order; a one-sided test, and any other row, stays as it is."""
    if not isinstance(row, TestResult) or row.alternative != "two-sided":
        return row
    if meaning("metric", row.metric_a) <= meaning("metric", row.metric_b):
        return row
    # Taken from 0, so that 0 has no sign.
    difference, lower, upper = 0.0 - row.difference, 0.0 - row.upper, 0.0 - row.lower
    return replace(row, metric_a=row.metric_b, metric_b=row.metric_a, difference=difference, lower=lower, upper=upper)
