"""What differs between two finished runs: their inputs, their signatures, and by how much each number moved."""

from __future__ import annotations

import json
import math
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from metaeval.errors import CorpusError, UsageError, unknown
from metaeval.names import signature_changes
from metaeval.report.differences import differences_text
from metaeval.report.summary import SummaryTable
from metaeval.report.tables import as_json, tsv
from metaeval.report.tabular import Tabular
from metaeval.results.matching import Pair, matched, paired, turned, unmatched
from metaeval.results.model import KINDS, RunData, ScoreBlock, score_records
from metaeval.results.store import CONFIG, read_run
from metaeval.results.tables import Record, texts_of

BOTH, ONLY_OLD, ONLY_NEW = "both", "only old", "only new"
DEFAULT_ALPHA = 0.05
_PLACE = ("panel", "corpus", "preprocessing", "subset", "criterion", "average_by", "length", "coefficient")
_NUMBER = (*_PLACE, "metric")
_TEST = (*_PLACE, "metric_a", "metric_b", "test", "over")
_CLAIM = ("corpus", "paper", "statement", "chosen", "over", "quantity")
_SCORE = ("panel", "corpus", "preprocessing", "subset", "metric", "level", "unit", "kind", "system")
# Columns of correlations.tsv that may differ besides place and signature.
OTHERS = ("sd", "n_used", "n_undefined", "replicates_used", "replicates_undefined")
VALUES = ("mean", "lower", "upper", *OTHERS)
_OF_CORPORA = ("digest", "systems", "segments", "references", "judgments")


@dataclass(frozen=True, eq=False, repr=False)
class RunsDiff(Tabular):
    """What differs between two runs, the old and the new one.

    The data frames are yours: changing one changes this record alone.

    Attributes
    ----------
    old, new : str
        The directories.
    n_compared : int
        Rows of correlations.tsv that both runs have.
    inputs : DataFrame
        Keys of the config, facts of corpora, versions, and the seed: columns kind, key, old, new. What one run does not
        have is None there.
    signatures : DataFrame
        Keys of signatures: columns kind (scores, correlations or tests), key, old, new, and n, how many numbers of that
        kind have these two values. Of numbers that both runs have.
    numbers : DataFrame
        Rows of correlations.tsv that are not the same, those in both runs first, by the size of the change; columns
        that tell the place, found (in which run), old, new, change, lower and upper (the old interval), new_lower and
        new_upper, outside (yes or no: whether the new mean has left the old interval; nothing where the old mean was
        not inside one, or a mean is undefined), differs (which columns do); and for sd and each count its value in
        both runs, such as old_sd and new_sd.
    tests : DataFrame
        Comparisons of two metrics whose corrected p-value crossed alpha, was defined in one run only, or that one run
        alone has.
    claims : DataFrame
        Claims with other verdicts, or that one run alone has.
    tables : DataFrame
        All tables that are not the same: columns table, old, new (their rows; None without the file), differ (rows
        that have no equal in the other run), and only (``signatures`` where nothing else differs).
    """

    old: str
    new: str
    n_compared: int
    inputs: pd.DataFrame
    signatures: pd.DataFrame
    numbers: pd.DataFrame
    tests: pd.DataFrame
    claims: pd.DataFrame
    tables: pd.DataFrame

    @property
    def is_empty(self) -> bool:
        """Whether the runs are the same in all that is compared."""
        return not any(len(getattr(self, name)) for name in PARTS)

    def rows(self, part: str) -> list[Record]:
        """Return the rows of one of the data frames.

        Parameters
        ----------
        part : str
            The name of the data frame: ``inputs``, ``signatures``, ``numbers``, ``tests``, ``claims`` or ``tables``.

        Returns
        -------
        list of dict of str to object
            The rows, with None for what is absent.

        Raises
        ------
        UsageError
            If there is no such part.
        """
        if part not in PARTS:
            raise UsageError(unknown("part", part, PARTS))
        return [
            {str(key): None if value is None or value is pd.NA else value for key, value in row.items()}
            for row in getattr(self, part).to_dict("records")
        ]

    def to_frame(self) -> pd.DataFrame:
        """Return all parts as one new data frame.

        Returns
        -------
        DataFrame
            The name of the part in the column ``part``, and the columns of all parts, as objects: None where a part
            has not the column, or a run not the value.
        """
        return pd.DataFrame(self._all_rows(), dtype=object)

    def _all_rows(self) -> list[Record]:
        rows = [{"part": part, **row} for part in PARTS for row in self.rows(part)]
        columns = dict.fromkeys(name for row in rows for name in row)
        return [{name: row.get(name) for name in columns} for row in rows]

    def text(self, kind: str = "table") -> str:
        """Return the differences as text.

        Parameters
        ----------
        kind : {"table", "tsv", "json"}, default "table"
            For people, in words; as one table; or as an object with a list for each part.

        Returns
        -------
        str
            The differences.
        """
        if kind == "tsv":
            return tsv(self._all_rows(), ("part",) if self.is_empty else None).rstrip("\n")
        if kind == "json":
            parts = {part: json.loads(as_json(self.rows(part))) for part in PARTS}
            facts = {"old": self.old, "new": self.new, "n_compared": self.n_compared}
            return json.dumps({**facts, **parts}, indent=1, ensure_ascii=False)
        return differences_text(self.old, self.new, self.n_compared, {part: self.rows(part) for part in PARTS})

    def _tables_for_people(self) -> list[SummaryTable]:
        runs = f"{self.old} and {self.new}"
        if self.is_empty:
            return [SummaryTable(f"{runs}: nothing differs", [{"compared": self.n_compared, "differ": 0}])]
        return [SummaryTable(f"{runs}: {part}", rows) for part in PARTS if (rows := self.rows(part))]

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        counts = ", ".join(f"{len(getattr(self, part))} {part}" for part in PARTS)
        return f"RunsDiff({self.old!r}, {self.new!r}: {counts})"


PARTS = tuple(item.name for item in fields(RunsDiff))[3:]


def diff_runs(old: Path, new: Path) -> RunsDiff:
    """Compare two finished runs.

    Rows of tables are those of one number where their places mean the same: a preprocessing, metric or coefficient may
    be written in another way, and the column of panels may be there or not. A table that a run lacks counts as empty.

    Parameters
    ----------
    old, new : Path
        Directories of runs.

    Returns
    -------
    RunsDiff
        All that differs.

    Raises
    ------
    UsageError
        If a directory is none of a run.
    CorpusError
        If a file of a run cannot be read as what it is.
    """
    runs = (read_run(old), read_run(new))
    correlations = matched("correlations", runs, _NUMBER)
    tests = matched("tests", runs, _TEST)
    # The one table that may be long.
    scores = ([], []) if _have_same_scores(*runs) else tuple(map(_score_rows, runs))
    of_scores = paired(scores, _SCORE)
    signatures = {"scores": of_scores, "correlations": correlations, "tests": tests}
    return RunsDiff(
        old=str(old),
        new=str(new),
        n_compared=sum(None not in pair for pair in correlations),
        inputs=_frame(_inputs(*runs, places=(old, new)), "kind", "key", "old", "new"),
        signatures=_frame(
            (row for kind, pairs in signatures.items() for row in _signatures(kind, pairs)), "kind", "key", "old", "new"
        ),
        numbers=_frame(_numbers(correlations), *_NUMBER, "found", "old", "new"),
        tests=_frame(_tests(tests, *(_alphas(run) for run in runs)), *_TEST, "found", "old", "new"),
        claims=_frame(_claims(matched("claims", runs, _CLAIM)), *_CLAIM, "found", "old", "new"),
        tables=_frame(_tables(runs, scores), "table", "old", "new"),
    )


def _have_same_scores(old: RunData, new: RunData) -> bool:
    def same(one: ScoreBlock, other: ScoreBlock) -> bool:
        names = ("key", "level", "kind", "units", "names", "n_references", "signature")
        heads = all(getattr(one, name) == getattr(other, name) for name in names)
        values = np.array_equal(one.values, other.values, equal_nan=True)
        return heads and values and np.array_equal(one.sizes, other.sizes)

    return len(old.scores) == len(new.scores) and all(map(same, old.scores, new.scores))


def _score_rows(run: RunData) -> list[Record]:
    return [row for block in run.scores for row in score_records(block)]


def _frame(rows: Iterable[Record], *columns: str) -> pd.DataFrame:
    # As objects, so that None, text and numbers in one column stay what they are.
    found = list(rows)
    return pd.DataFrame(found, columns=list(found[0]) if found else list(columns), dtype=object)


def _of(pair: Pair) -> Record:
    """Return the row that tells the place of a pair."""
    row = pair[0] or pair[1]
    assert row is not None
    return row


def _head(pair: Pair, keys: Sequence[str]) -> Record:
    old, new = pair
    found = ONLY_OLD if new is None else ONLY_NEW if old is None else BOTH
    row = _of(pair)
    place = {key: "" if row[key] is None else row[key] for key in keys}
    if "panel" in keys and new is not None:
        place["panel"] = place["panel"] or new["panel"]
    return {**place, "found": found}


def _inputs(old: RunData, new: RunData, *, places: tuple[Path, Path]) -> Iterator[Record]:
    def compared(kind: str, first: Mapping[str, Any], second: Mapping[str, Any]) -> Iterator[Record]:
        for key in dict.fromkeys([*first, *second]):
            values = first.get(key), second.get(key)
            if values[0] != values[1]:
                yield {"kind": kind, "key": key, "old": _shown(values[0]), "new": _shown(values[1])}

    if bool(old.config) != bool(new.config):
        told = ["there" if run.config else None for run in (old, new)]
        yield {"kind": "file", "key": CONFIG, "old": told[0], "new": told[1]}
    else:
        yield from compared("config", *(dict(_dotted(_config(*one))) for one in zip((old, new), places, strict=True)))
    first, second = old.facts, new.facts
    yield from compared("seed", {"seed": first["seed"]}, {"seed": second["seed"]})
    yield from compared("corpus", *(_corpora(run) for run in (old, new)))
    versions = [
        {key: run.get(key) for key in ("metaeval", "python", "numpy_bit_generator")} | dict(run.get("packages") or {})
        for run in (first, second)
    ]
    yield from compared("version", *versions)


def _config(run: RunData, directory: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(run.config)
    except ValueError as error:
        raise CorpusError(f"{directory / CONFIG}: is not what a run writes: {error}.") from error


def _dotted(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Give the keys of a config with their values; `seed` is told by the manifest."""
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
    return {f"{one.name}.{key}": getattr(one, key) for one in run.corpora for key in _OF_CORPORA}


def _shown(value: object) -> object:
    if value is None or isinstance(value, str | int | float):
        return value
    return json.dumps(value, ensure_ascii=False)


def _signatures(kind: str, pairs: Sequence[Pair]) -> Iterator[Record]:
    """Give the keys of signatures that differ, with the number of pairs that have these two values."""
    found: Counter[tuple[str, str | None, str | None]] = Counter()
    for old, new in pairs:
        if old is not None and new is not None and old["signature"] != new["signature"]:
            found.update(signature_changes(old["signature"], new["signature"]))
    for (key, first, second), number in found.items():
        yield {"kind": kind, "key": key, "old": first, "new": second, "n": number}


def _numbers(pairs: Sequence[Pair]) -> list[Record]:
    moved: list[tuple[tuple[float, float], Record]] = []
    single: list[tuple[tuple[float, float], Record]] = []
    for pair in pairs:
        old, new = ({key: math.nan if row is None else _number(row[key]) for key in VALUES} for row in pair)
        differs = [key for key in VALUES if not _same(old[key], new[key])]
        both = None not in pair
        if both and not differs:
            continue
        means = (old["mean"], new["mean"])
        row = {
            **_head(pair, _NUMBER),
            "old": None if pair[0] is None else means[0],
            "new": None if pair[1] is None else means[1],
            "change": means[1] - means[0],
            "lower": old["lower"],
            "upper": old["upper"],
            "new_lower": new["lower"],
            "new_upper": new["upper"],
            "outside": _outside(*means, old["lower"], old["upper"]),
            "differs": ", ".join(differs) if both else "",
            **{f"{run}_{key}": values[key] for key in OTHERS for run, values in (("old", old), ("new", new))},
        }
        (moved if both else single).append((means, row))
    # A mean that is defined in one run alone has no size and comes first.
    moved.sort(key=lambda item: (not _half_defined(item[0]), -_size(item[0][1] - item[0][0])))
    return [row for _, row in (*moved, *single)]


def _number(value: float | None) -> float:
    return math.nan if value is None else float(value)


def _outside(old: float, new: float, lower: float, upper: float) -> str:
    """Tell whether a mean has left its old interval; nothing where it was not in one."""
    if math.isnan(new) or not lower <= old <= upper:
        return ""
    return "no" if lower <= new <= upper else "yes"


def _same(first: float, second: float) -> bool:
    return first == second or (math.isnan(first) and math.isnan(second))


def _half_defined(values: Sequence[float]) -> bool:
    return math.isnan(values[0]) != math.isnan(values[1])


def _size(change: float) -> float:
    return 0.0 if math.isnan(change) else abs(change)


def _alphas(run: RunData) -> Mapping[tuple[str, ...], float]:
    """Return the levels of tests, by panel, test and axis."""
    return {(row.key.panel, row.test, row.over): row.alpha for row in run.tables.minimum_significant_differences}


def _tests(
    pairs: Sequence[Pair], old_alphas: Mapping[tuple[str, ...], float], new_alphas: Mapping[tuple[str, ...], float]
) -> Iterator[Record]:
    for pair in pairs:
        old, new = (None if row is None else row["p_corrected"] for row in pair)
        alphas = [
            None if row is None else found.get((row["panel"], row["test"], row["over"]))
            for row, found in zip(pair, (old_alphas, new_alphas), strict=True)
        ]
        first, second = (DEFAULT_ALPHA if alpha is None else alpha for alpha in alphas)
        found = {"old": old, "new": new, "old_alpha": None, "new_alpha": None, "became": ""}
        if old is not None and new is not None:
            if _half_defined((old, new)):
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
    of_scores = [[{name: str(value) for name, value in row.items()} for row in rows] for rows in scores]
    for name in (*KINDS, "scores"):
        tables = of_scores
        if name in KINDS:
            tables = [[texts_of(turned(row)) for row in getattr(run.tables, name)] for run in runs]
        differ = unmatched(tables)
        # A table without rows has no file.
        sizes = [len(rows) or None for rows in tables]
        if differ or (sizes[0] is None) != (sizes[1] is None):
            only = "signatures" if differ and not unmatched(tables, ("signature",)) else ""
            yield {"table": f"{name}.tsv", "old": sizes[0], "new": sizes[1], "differ": differ, "only": only}
