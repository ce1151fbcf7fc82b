"""Differences between two runs: settings, inputs, signatures, numbers, tests, claims and tables."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from metaeval.config.defaults import ALPHA
from metaeval.parameters.calls import signature_changes
from metaeval.results.across import Names, Runs, Separation, dotted, listed, settings_left_out
from metaeval.results.model import KINDS, RunData, ScoreBlock, score_records
from metaeval.results.row_matching import (
    NUMBER,
    PLACE_COLUMNS,
    SETTINGS,
    Pair,
    columns_of_settings,
    meaning,
    paired,
    unmatched,
    value_of,
)
from metaeval.results.rows import TestResult
from metaeval.results.store import CONFIG, config_content
from metaeval.results.tables import Record, record_of, texts_of

# The columns that identify a test, a claim and a score.
_TEST_COLUMNS = (*PLACE_COLUMNS, "metric_a", "metric_b", "test", "over")
CLAIM_COLUMNS = ("corpus", "paper", "statement", "chosen", "over", "quantity")
_SCORE_COLUMNS = ("panel", "corpus", "preprocessing", "subset", "metric", "level", "unit", "kind", "system")
# The columns of each part of the differences, except those that depend on the values of the runs.
PARTS = {
    "settings": ("setting", "old", "new"),
    "inputs": ("kind", "key", "old", "new"),
    "signatures": ("kind", "key", "old", "new"),
    "numbers": (*NUMBER, "found", "old", "new"),
    "tests": (*_TEST_COLUMNS, "found", "old", "new"),
    "claims": (*CLAIM_COLUMNS, "found", "old", "new"),
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


@dataclass(frozen=True)
class Differences:
    """The differences between two runs.

    Attributes
    ----------
    across : tuple of str
        The settings that are left out of places.
    n_compared, n_claims : int
        Correlations, and claims, that both runs have.
    parts : dict of str to list of rows
        The rows of each of `PARTS`.
    separation : Separation or None
        Why the runs have no correlation in common; None where they have.
    setting_values : dict of str to pair of lists of str
        The settings that are left out, with the values of the correlations that are compared in spite of them.
    """

    across: tuple[str, ...]
    n_compared: int
    n_claims: int
    parts: dict[str, list[Record]]
    separation: Separation | None
    setting_values: dict[str, tuple[list[str], list[str]]]


def find_differences(runs: Runs, names: Names, across: Sequence[str]) -> Differences:
    """Compare two runs.

    Where they have no correlation in common because of one setting alone, that is left out of places.

    Parameters
    ----------
    runs : pair of RunData
        The old and the new one.
    names : pair of Path
        Their directories.
    across : sequence of str
        The settings to leave out of places.

    Raises
    ------
    UsageError
        If several rows of a run are the same without these settings.
    """
    left_out, separation = settings_left_out(runs, names, tuple(across))
    correlations, tests, claims = (
        paired([[record_of(turned(row)) for row in getattr(run.tables, name)] for run in runs], columns, left_out)
        for name, columns in (("correlations", NUMBER), ("tests", _TEST_COLUMNS), ("claims", CLAIM_COLUMNS))
    )
    # The one table that may be long.
    scores: list[list[Record]] = [[], []]
    if not _have_same_scores(*runs):
        scores = [[row for block in run.scores for row in score_records(block)] for run in runs]
    signed = {"scores": paired(scores, _SCORE_COLUMNS, left_out), "correlations": correlations, "tests": tests}
    setting_values = _setting_values(correlations, left_out)
    parts: dict[str, Iterable[Record]] = {
        "settings": (
            {"setting": name, "old": listed(old), "new": listed(new)} for name, (old, new) in setting_values.items()
        ),
        "inputs": _inputs(*runs, places=names),
        "signatures": (row for kind, pairs in signed.items() for row in _signatures(kind, pairs)),
        "numbers": _numbers(correlations),
        "tests": _tests(tests, runs),
        "claims": _claims(claims),
        "tables": _tables(runs, scores, left_out),
    }
    n_compared, n_claims = (sum(None not in pair for pair in pairs) for pairs in (correlations, claims))
    lists = {name: list(rows) for name, rows in parts.items()}
    return Differences(left_out, n_compared, n_claims, lists, separation, setting_values)


def _setting_values(pairs: Sequence[Pair], across: Sequence[str]) -> dict[str, tuple[list[str], list[str]]]:
    """Return the settings that are left out, with the values of the correlations that are compared."""
    values_by_setting = {}
    for name in across:
        columns = SETTINGS[name].columns
        values = [(value_of(old, columns), value_of(new, columns)) for old, new in pairs if old and new]
        differ = [(old, new) for old, new in values if old != new]
        if differ:
            old, new = (list(dict.fromkeys(texts)) for texts in zip(*differ, strict=True))
            values_by_setting[name] = (old, new)
    return values_by_setting


def differing(row: Mapping[str, Any]) -> list[str]:
    """Return the columns of a number that differ between the runs; none where one run alone has it."""
    if row["found"] != "both":
        return []
    pairs = {name: (row[old], row[new]) for name, (old, new) in VALUES.items()}
    return [name for name, (old, new) in pairs.items() if old != new and not (math.isnan(old) and math.isnan(new))]


def _have_same_scores(old: RunData, new: RunData) -> bool:
    def same(first: ScoreBlock, second: ScoreBlock) -> bool:
        names = ("key", "level", "kind", "units", "names", "n_references", "signature")
        heads = all(getattr(first, name) == getattr(second, name) for name in names)
        values = np.array_equal(first.values, second.values, equal_nan=True)
        return heads and values and np.array_equal(first.sizes, second.sizes)

    return len(old.scores) == len(new.scores) and all(map(same, old.scores, new.scores))


def _inputs(old: RunData, new: RunData, *, places: Names) -> Iterator[Record]:
    def compared(kind: str, first: Mapping[str, Any], second: Mapping[str, Any]) -> Iterator[Record]:
        for key in dict.fromkeys([*first, *second]):
            values = first.get(key), second.get(key)
            if values[0] != values[1]:
                yield {"kind": kind, "key": key, "old": _plain(values[0]), "new": _plain(values[1])}

    if bool(old.config) != bool(new.config):
        yield from compared("file", *({CONFIG: "there"} if run.config else {} for run in (old, new)))
    else:
        contents = [config_content(run.config, place) for run, place in zip((old, new), places, strict=True)]
        yield from compared("config", *(dict(dotted(content)) for content in contents))
    yield from compared("seed", *({"seed": run.facts["seed"]} for run in (old, new)))
    for kind, facts_of in (("corpus", _corpora), ("version", _versions)):
        yield from compared(kind, facts_of(old), facts_of(new))


def _plain(value: object) -> object:
    """Return a value of a config as one that a table can hold."""
    if value is None or isinstance(value, str | int | float):
        return value
    return json.dumps(value, ensure_ascii=False)


def _corpora(run: RunData) -> dict[str, Any]:
    keys = ("digest", "systems", "segments", "references", "judgments")
    return {f"{corpus.name}.{key}": getattr(corpus, key) for corpus in run.corpora for key in keys}


def _versions(run: RunData) -> dict[str, Any]:
    versions = {key: run.facts.get(key) for key in ("metaeval", "python", "numpy_bit_generator", "fingerprint")}
    return versions | dict(run.facts.get("packages") or {})


def _signatures(kind: str, pairs: Sequence[Pair]) -> Iterator[Record]:
    """Yield the keys of signatures that differ, with the number of pairs that have these two values."""
    counts: Counter[tuple[str, str | None, str | None]] = Counter()
    for old, new in pairs:
        if old is not None and new is not None and old["signature"] != new["signature"]:
            counts.update(signature_changes(old["signature"], new["signature"]))
    for (key, first, second), number in counts.items():
        yield {"kind": kind, "key": key, "old": first, "new": second, "n": number}


def place_of(pair: Pair, columns: Sequence[str]) -> Record:
    """Return the columns of the place of two rows; of a setting that was left out, both values."""
    old, new = pair
    row = old or new
    assert row is not None
    place = {name: "" if row[name] is None else row[name] for name in columns}
    if old is not None and new is not None:
        for name in PLACE_COLUMNS:
            if name in place:
                place[name] = _value_of_both(name, old[name], new[name])
    return place


def _head(pair: Pair, columns: Sequence[str]) -> Record:
    """Return the place of two rows, and which runs have it."""
    old, new = pair
    return {**place_of(pair, columns), "found": "only old" if new is None else "only new" if old is None else "both"}


def _value_of_both(column: str, old: Any, new: Any) -> Any:
    """Return the value of a column of a place: both where it was left out of the place."""
    if not old or not new:
        return old or new or ""
    return old if meaning(column, old) == meaning(column, new) else f"{old} -> {new}"


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
    """Return the sort key of numbers."""
    if row["found"] != "both":
        return True, True, 0.0
    # A mean that is defined in one run alone has no size and comes first.
    is_half_defined = math.isnan(row["old"]) != math.isnan(row["new"])
    return False, not is_half_defined, 0.0 if math.isnan(row["change"]) else -abs(row["change"])


def _tests(pairs: Sequence[Pair], runs: Runs) -> Iterator[Record]:
    """Yield the tests that crossed alpha, were defined in one run only, or that one run alone has."""
    alphas = [
        {(row.key.panel, row.test, row.over): row.alpha for row in run.tables.minimum_significant_differences}
        for run in runs
    ]
    for pair in pairs:
        old, new = (None if row is None else row["p_corrected"] for row in pair)
        numbers: Record = {"old": old, "new": new, "old_alpha": None, "new_alpha": None, "became": ""}
        if old is not None and new is not None:
            first, second = (
                known.get((row["panel"], row["test"], row["over"]), ALPHA)
                for row, known in zip(pair, alphas, strict=True)
                if row is not None
            )
            if math.isnan(old) != math.isnan(new):
                became = "undefined" if math.isnan(new) else "defined"
            elif (old < first) != (new < second):
                became = "significant" if new < second else "not significant"
            else:
                continue
            numbers |= {"old_alpha": first, "new_alpha": second, "became": became}
        yield {**_head(pair, _TEST_COLUMNS), **numbers}


def _claims(pairs: Sequence[Pair]) -> Iterator[Record]:
    for pair in pairs:
        old, new = (None if row is None else row["verdict"] for row in pair)
        if old != new:
            yield {**_head(pair, CLAIM_COLUMNS), "old": old, "new": new}


def _tables(runs: Runs, scores: Sequence[list[Record]], across: Sequence[str]) -> Iterator[Record]:
    left_out = columns_of_settings(across)
    for name in (*KINDS, "scores"):
        if name in KINDS:
            tables = [[texts_of(turned(row)) for row in getattr(run.tables, name)] for run in runs]
        else:
            tables = [[{key: str(value) for key, value in row.items()} for row in rows] for rows in scores]
        differ = unmatched(tables, left_out)
        # A table without rows has no file.
        sizes = [len(rows) or None for rows in tables]
        if differ or (sizes[0] is None) != (sizes[1] is None):
            only = "signatures" if differ and not unmatched(tables, ("signature", *left_out)) else ""
            yield {"table": f"{name}.tsv", "old": sizes[0], "new": sizes[1], "differ": differ, "only": only}


def turned(row: Any) -> Any:
    """Return a test with its two metrics in one order; a one-sided test, and any other row, stays as it is."""
    if not isinstance(row, TestResult) or row.alternative != "two-sided":
        return row
    if meaning("metric", row.metric_a) <= meaning("metric", row.metric_b):
        return row
    # Taken from 0, so that 0 has no sign.
    difference = 0.0 - row.difference
    lower = 0.0 - row.upper
    upper = 0.0 - row.lower
    return replace(row, metric_a=row.metric_b, metric_b=row.metric_a, difference=difference, lower=lower, upper=upper)
