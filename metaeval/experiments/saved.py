"""What a finished run has left in its directory, and which rows of two runs are the same number."""

from __future__ import annotations

import json
import math
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from metaeval.errors import CorpusError, MetaevalError, UsageError
from metaeval.experiments.cells import Row
from metaeval.experiments.directory import CONFIG, MANIFEST, check_version
from metaeval.metrics import METRICS, get_metric
from metaeval.names import parse_call
from metaeval.text.preprocessing import get_preprocessing

Pair = tuple[Row | None, Row | None]
# Columns of correlations.tsv that may differ besides place and signature.
OTHERS = ("sd", "n_used", "n_undefined", "replicates_used", "replicates_undefined")
VALUES = ("mean", "lower", "upper", *OTHERS)


class SavedRun:
    """What a run has left in its directory."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        place = directory / MANIFEST
        try:
            self.manifest = json.loads(place.read_text(encoding="utf-8"))
        except OSError as error:
            raise UsageError(
                f"{directory}: is no directory of a run: {place} cannot be read ({error.strerror}); name a directory "
                "that `metaeval run` has written, such as runs/mine."
            ) from error
        except (ValueError, RecursionError) as error:
            raise CorpusError(f"{place}: is not what a run writes: {error}.") from error
        if not isinstance(self.manifest, dict) or not {"metaeval", "corpora", "seed"} <= self.manifest.keys():
            raise UsageError(f"{place}: is not the manifest of a run: it lacks `metaeval`, `corpora` or `seed`.")
        check_version(directory, self.manifest)
        _check_manifest(place, self.manifest)

    def has(self, table: str) -> bool:
        """Return whether a table was written."""
        return (self.directory / f"{table}.tsv").exists()

    def config(self) -> dict[str, Any] | None:
        """Return the config as it was run; None without the file."""
        text = self.config_text()
        try:
            return None if text is None else tomllib.loads(text)
        except ValueError as error:
            raise CorpusError(f"{self.directory / CONFIG}: is not what a run writes: {error}.") from error

    def config_text(self) -> str | None:
        """Return the config as it stands in its file; None without the file."""
        return _text(self.directory / CONFIG)

    def table(self, name: str) -> list[Row]:
        """Return the rows of a table as texts; none without the file."""
        path = self.directory / f"{name}.tsv"
        text = _text(path)
        if text is None:
            return []
        lines = text.removesuffix("\n").split("\n")
        header = lines[0].split("\t")
        rows = []
        for number, line in enumerate(lines[1:], start=2):
            cells = line.split("\t")
            if len(cells) != len(header):
                raise CorpusError(f"{path}:{number}: has {len(cells)} columns but the header has {len(header)}.")
            rows.append(dict(zip(header, cells, strict=True)))
        for row in rows[:1]:
            for column in _NEEDED.get(name, ()):
                if column not in row:
                    raise CorpusError(f"{path}: lacks the column {column!r}; a run writes it.")
        for number, row in enumerate(rows, start=2):
            for column in _NUMBERS.get(name, ()):
                if column in row:
                    try:
                        as_number(row[column])
                    except ValueError:
                        message = f"{path}:{number}: {column!r} must be a number; got {row[column]!r}."
                        raise CorpusError(message) from None
        return rows


def _text(path: Path) -> str | None:
    """Return what a file holds; None where there is none."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise CorpusError(f"{path}: is not UTF-8, at byte {error.start}.") from error
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror}).") from error


def _check_manifest(place: Path, manifest: Mapping[str, Any]) -> None:
    """Check that what is read of a manifest is of its kind; most of it may be absent."""
    corpora = manifest["corpora"]
    if not isinstance(corpora, list) or not all(
        isinstance(one, dict) and isinstance(one.get("name"), str) for one in corpora
    ):
        message = f"{place}: `corpora` must be a list of tables, each with a name; got {str(corpora)[:60]}."
        raise CorpusError(message)
    for told, kinds, where in [(manifest, _OF_MANIFEST, ""), *((one, _OF_CORPUS, one["name"]) for one in corpora)]:
        for key, kind in kinds.items():
            if key in told and not isinstance(told[key], kind):
                name = f"`{key}` of corpus {where!r}" if where else f"`{key}`"
                raise CorpusError(f"{place}: {name} must be {_KINDS[kind]}; got {str(told[key])[:60]}.")


_KINDS: dict[type, str] = {str: "text", list: "a list", dict: "a table"}
_OF_MANIFEST: dict[str, type] = {"warnings": list, "packages": dict, "started": str}
_OF_CORPUS: dict[str, type] = {"digest": str, "references": list, "signatures": dict}
_NEEDED = {
    "correlations": (
        "corpus",
        "preprocessing",
        "subset",
        "metric",
        "criterion",
        "average_by",
        "length",
        "coefficient",
        "mean",
        "signature",
    ),
    "tests": ("corpus", "metric_a", "metric_b", "p_corrected"),
    "claims": ("corpus", "statement", "verdict", "label", "notes"),
    "scores": ("corpus", "metric", "score"),
}
_NUMBERS = {
    "correlations": (*VALUES, "length"),
    "tests": ("difference", "p", "p_corrected"),
    "claims": ("difference", "lower", "upper"),
    "minimum_significant_differences": ("alpha",),
}


def as_number(text: str | None) -> float:
    """Return the number of a cell; an absent one is ``nan``."""
    return math.nan if not text else float(text)


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


def _call(text: str) -> str:
    return str(parse_call(text))


def _subset(text: str) -> str:
    return "+".join(sorted(text.split("+")))


_MEANINGS: dict[str, Callable[[str], str]] = {
    "preprocessing": _preprocessing,
    **dict.fromkeys(("metric", "metric_a", "metric_b"), _metric),
    **dict.fromkeys(("coefficient", "test"), _call),
    "subset": _subset,
}


def _read(column: str, text: str) -> str:
    return meaning(column, text) if column in _MEANINGS else text


def matched(tables: tuple[list[Row], list[Row]], keys: Sequence[str]) -> list[Pair]:
    """Return the rows of two tables in pairs: those that stand in the same place.

    Where one run alone has panels, a row is paired with that of the only panel which has its place.

    Parameters
    ----------
    tables : pair of lists of rows
        The old and the new one.
    keys : sequence of str
        The columns that tell the place.

    Returns
    -------
    list of pairs
        In the order of the old table, then those only in the new one; None stands for the row that is not there.
    """
    has_panels = [_has_panels(table) for table in tables]
    found: list[dict[tuple[object, ...], Row]] = []
    for table, with_panels in zip(tables, has_panels, strict=True):
        rows = [turned(row) for row in table]
        places = [tuple(_read(key, row.get(key) or "") for key in keys) for row in rows]
        if with_panels and not all(has_panels) and "panel" in keys:
            at = keys.index("panel")
            bare = [(*place[:at], "", *place[at + 1 :]) for place in places]
            often = Counter(bare)
            places = [short if often[short] == 1 else place for place, short in zip(places, bare, strict=True)]
        seen: Counter[tuple[str, ...]] = Counter()
        by_place = {}
        for row, place in zip(rows, places, strict=True):
            seen[place] += 1
            # Two rows of one place, which no run writes, are told apart by their order.
            by_place[(*place, seen[place])] = row
        found.append(by_place)
    old, new = found
    return [(row, new.get(place)) for place, row in old.items()] + [
        (None, row) for place, row in new.items() if place not in old
    ]


def _has_panels(table: Sequence[Row]) -> bool:
    return any(row.get("panel") for row in table)


def unmatched(tables: tuple[list[Row], list[Row]], without: Sequence[str] = ()) -> int:
    """Return how many rows of the longer remainder have no equal in the other table.

    Neither the order of rows, nor the way of writing names, nor a column of panels that one run alone has makes a
    difference, nor do columns that are to be left out.
    """
    if tables[0] == tables[1]:
        return 0
    ignored = (*without, *(() if all(map(_has_panels, tables)) else ("panel",)))
    counts = [
        Counter(
            frozenset((key, _read(key, value)) for key, value in row.items() if value and key not in ignored)
            for row in map(turned, table)
        )
        for table in tables
    ]
    return max((counts[0] - counts[1]).total(), (counts[1] - counts[0]).total())


def turned(row: Row) -> Row:
    """Return a row of tests.tsv with its two metrics in one order; a one-sided test stays as it is."""
    if "metric_b" not in row or "alternative" in row.get("test", ""):
        return row
    if meaning("metric", row["metric_a"]) <= meaning("metric", row["metric_b"]):
        return row
    limits = {"difference": "difference", "lower": "upper", "upper": "lower"}
    # Taken from 0, so that 0 has no sign.
    signs = {key: repr(0.0 - as_number(row[other])) for key, other in limits.items() if row.get(other)}
    return {**row, "metric_a": row["metric_b"], "metric_b": row["metric_a"], **signs}
