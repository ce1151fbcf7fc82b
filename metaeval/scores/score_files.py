r"""Files of scores that were computed before: their rows, each with its place.

A format is recognised by what stands in the file, whatever it is called; any may be packed with gzip.

=============================  =================================================================================
a table with a header          separated by tabs, commas or semicolons; columns by the names of :data:`ALIASES`
lines of JSON, a list of JSON  objects with such keys; MetricX writes ``prediction``
an object of JSON              ``comet-score --to_json``: for each file of a system, a list of objects
``FILE\tSegment 0\tscore: .8`` what ``comet-score`` prints
numbers                        one a line: the segments of one system, in their order
system and score               mt-metrics-eval: for each system, the segments in their order
rows without a header          submissions to the metrics task of WMT: :mod:`metaeval.scores.wmt_submissions`
=============================  =================================================================================

``None``, ``nan`` and nothing are a missing score.

Sources
-------
READMEs of google-research/mt-metrics-eval, Unbabel/COMET and google-research/metricx, what their programs write, and
the calls of the metrics tasks of WMT19 to WMT25.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from metaeval.corpora.judgment_columns import NUMBER
from metaeval.corpora.problems import Strict
from metaeval.corpora.tables.delimited import Frame, json_objects, read_delimited
from metaeval.corpora.tables.headers import ALIASES as HEADERS
from metaeval.corpora.tables.headers import plain
from metaeval.corpora.text_files import decoded, unpacked_or_not
from metaeval.errors import CorpusError, listing
from metaeval.runtime.files import read_file
from metaeval.scores.wmt_submissions import submission_columns

# Names of columns and keys; the first that a file has is the one. A file may have an `id` beside a `segment_id`,
# and then it is something else.
ALIASES = {
    **{role: HEADERS[role] for role in ("system", "document", "segment", "lp", "text")},
    "score": ("score", "segmentscore", "systemscore", "overall", "prediction", "comet", "predictedscore"),
    "metric": ("metric", "metricname", "method"),
    "testset": ("testset", "setid"),
    "reference": ("reference", "refset"),
}
_MISSING_SCORES = ("", "none", "nan", "na", "null")
_COMET_LINE = re.compile(
    r"(?P<system>[^\t]+)\t(?:Segment (?P<segment>\d{1,9})\t)?score: (?P<score>\S+)(?:\tvariance: \S+)?\s*"
)


@dataclass(frozen=True)
class FileRows:
    """The rows of a file.

    Attributes
    ----------
    locations : sequence of str
        Of the rows, ``FILE:LINE``.
    cells : mapping of str to sequence of object
        What stands in the columns, by :data:`ALIASES` or their own names; None where a row has nothing.
    columns : mapping of str to str
        The names of the columns in the file, by those of :data:`ALIASES`; all others by themselves.
    ordered : bool
        Whether segments have no name, and are identified by their order alone.
    by_file : bool
        Whether systems are named by the files of their outputs.
    notes : tuple of str
        What was left out.
    """

    locations: Sequence[str]
    cells: Mapping[str, Sequence[object]]
    columns: Mapping[str, str]
    ordered: bool = False
    by_file: bool = False
    notes: tuple[str, ...] = ()

    def column(self, name: str, otherwise: object = None) -> Sequence[Any]:
        """Return the cells of a column; something else in each row where there is no such column."""
        return self.cells.get(name, [otherwise] * len(self.locations))

    def texts(self, column: str) -> list[str]:
        """Return the cells of a column, as text; "" where nothing does."""
        return ["" if cell is None else str(cell) for cell in self.column(column)]

    def values(self, column: str) -> list[str]:
        """Return the different texts in a column; none where there is no such column."""
        return list(dict.fromkeys(self.texts(column))) if column in self.cells else []

    def where(self, column: str, value: str) -> FileRows:
        """Return the rows with a value in a column."""
        return self.at(row for row, text in enumerate(self.texts(column)) if text == value)

    def at(self, rows: Iterable[int]) -> FileRows:
        """Return some rows."""
        chosen = list(rows)
        cells = {}
        for column, values in self.cells.items():
            cells[column] = [values[row] for row in chosen]
        return replace(self, locations=[self.locations[row] for row in chosen], cells=cells)


def read_content(path: Path, location: str) -> bytes:
    """Return the content of a file.

    Raises
    ------
    CorpusError
        If it cannot be read.
    """
    try:
        return read_file(path)
    except OSError as error:
        raise CorpusError(f"{location}: cannot be read: {error.strerror}.") from error


@lru_cache(maxsize=2)
def read_rows(content: bytes, location: str, systems: tuple[str, ...]) -> FileRows:
    """Read a file of scores.

    Parameters
    ----------
    content : bytes
        Of the file.
    location : str
        The file as messages name it.
    systems : tuple of str
        Those of the corpus, which show what the columns of a file without a header are.

    Raises
    ------
    CorpusError
        If the file is in no known format, or a row is wrong; with file, line and value.
    """
    text = str(decoded(unpacked_or_not(content, location, Strict()) or b"", location, Strict()))
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    # A line of blanks or of empty cells is none.
    lines = [line if line.strip() else "" for line in text.split("\n")]
    first = next(filter(None, lines), "")
    if not first:
        raise CorpusError(f"{location}: is empty.")
    if first.lstrip()[0] in "{[":
        return _rows_of_json(text, location)
    if "\tscore: " in text and any(map(_COMET_LINE.fullmatch, lines)):
        return _rows_of_comet(lines, location)
    for separator in "\t,;":
        if {"system", "score"} & _columns(first.split(separator)).keys():
            return _rows_of_table(lines, separator, location)
    for separator in ",;":
        header = [name.strip() for name in first.split(separator)]
        if len(header) > 2 and not any(map(is_score, header)):
            raise CorpusError(
                f"{location}: has the columns {listing(header, 6)}, and none that is called as systems or scores. A "
                "file of scores has a row for each system and segment, and the columns system, segment and score."
            )
    if all(map(is_score, lines)) and any(NUMBER.fullmatch(line.strip()) for line in lines):
        score_at = {f"{location}:{number}": line for number, line in enumerate(lines, start=1) if line}
        return FileRows([*score_at], {"score": [*score_at.values()]}, {"score": "score"}, ordered=True)
    frame = _frame(lines, "\t" if "\t" in first else " ", location, header=False)
    names = submission_columns([*frame.columns.values()], location, systems, is_score)
    cells = dict(zip(names, frame.columns.values(), strict=True))
    return FileRows(
        _locations(frame), cells, dict(zip(names, names, strict=True)), ordered=names == ("system", "score")
    )


def is_score(text: str) -> bool:
    """Return whether a text is a number, or says that there is none."""
    text = text.strip()
    return bool(NUMBER.fullmatch(text)) or text.lower() in _MISSING_SCORES


def score_of(value: object, where: str) -> float | None:
    """Return a score, None where it is missing.

    Raises
    ------
    CorpusError
        If it is no finite number.
    """
    if value is None or (isinstance(value, str) and value.strip().lower() in _MISSING_SCORES) or value != value:
        return None
    if isinstance(value, str) and NUMBER.fullmatch(value.strip()):
        value = float(value.strip())
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e300:
        raise CorpusError(
            f"{where}: the score must be a finite number with a decimal point, or nothing, nan or None where it is "
            f"missing; got {value!r:.60}."
        )
    return float(value)


def _columns(names: Sequence[str]) -> dict[str, str]:
    """Return the names that columns have in a file, by what they are; others, such as metrics, by themselves."""
    written = {plain(name): name for name in reversed(names)}
    # In WMT25's files `method` is what people did, not a metric; COMET is the score where it stands beside its texts.
    is_excluded = {"method": "overall" in written, "comet": "mt" not in written}
    columns = {}
    for column, aliases in ALIASES.items():
        for alias in aliases:
            if alias in written and not is_excluded.get(alias):
                columns[column] = written[alias]
                break
    taken = set(columns.values())
    return columns | {name.strip(): name for name in names if name not in taken}


def _named(locations: Sequence[str], cells: Mapping[str, Sequence[object]]) -> FileRows:
    """Return rows by what their columns are; systems or segments that have no name are one system, or in order."""
    columns = _columns(list(cells))
    cells_of = {column: cells[name] for column, name in columns.items()}
    if "lp" not in columns and {"source_lang", "target_lang"} <= columns.keys():
        columns["lp"] = "source_lang and target_lang"
        languages = zip(cells_of["source_lang"], cells_of["target_lang"], strict=True)
        cells_of["lp"] = [f"{source}-{target}" for source, target in languages]
    ordered = "segment" not in columns and ("system" not in columns or "text" in columns)
    return FileRows(locations, cells_of, columns, ordered=ordered)


def _frame(lines: Sequence[str], separator: str, location: str, *, header: bool) -> Frame:
    quoting = separator in ",;"
    frame = read_delimited("\n".join(lines), location, Strict(), separator, header_rows=int(header), quoting=quoting)
    assert frame is not None
    return frame


def _locations(frame: Frame) -> list[str]:
    return [f"{frame.location}:{line}" for line in frame.lines]


def _rows_of_table(lines: Sequence[str], separator: str, location: str) -> FileRows:
    frame = _frame(lines, separator, location, header=True)
    counts = Counter(name.lower() for name in frame.columns)
    repeated = [name for name in frame.columns if counts[name.lower()] > 1]
    if repeated:
        raise CorpusError(f"{location}:1: names columns twice: {listing(repeated)}.")
    return _named(_locations(frame), frame.columns)


def _rows_of_json(text: str, location: str) -> FileRows:
    """Return the rows of JSON Lines, a list, or an object with a list for each file of a system."""
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        whole = None
    by_file = isinstance(whole, dict) and bool(whole) and all(isinstance(items, list) for items in whole.values())
    items_at: list[tuple[str, Any]]
    if by_file:
        items_at = [
            (f"{location}: {file!r}, item {number}", {"system": file, **item} if isinstance(item, dict) else item)
            for file, items in whole.items()
            for number, item in enumerate(items, start=1)
        ]
    elif isinstance(whole, list):
        items_at = [(f"{location}: item {number}", item) for number, item in enumerate(whole, start=1)]
    else:
        items_at = [(f"{location}:{line}", item) for line, item in json_objects(text, location, Strict())]
    for where, item in items_at:
        if not isinstance(item, dict):
            raise CorpusError(f"{where}: must be an object in braces; got {item!r:.60}.")
    names = dict.fromkeys(name for _, item in items_at for name in item)
    cells = {}
    for name in names:
        cells[name] = [item.get(name) for _, item in items_at]
    rows = _named([where for where, _ in items_at], cells)
    has_scores = items_at and {"score", "system"} & rows.columns.keys()
    if not has_scores:
        raise CorpusError(
            f"{location}: must hold objects with the keys system, segment and score, what `comet-score --to_json` or "
            f"MetricX writes; the keys are {listing(rows.columns)}."
        )
    return replace(rows, ordered=rows.ordered or (by_file and "segment" not in rows.columns), by_file=by_file)


def _rows_of_comet(lines: Sequence[str], location: str) -> FileRows:
    """Return the rows of what `comet-score` prints; other lines are counted."""
    locations = []
    others = []
    cells: dict[str, list[str]] = {"system": [], "score": [], "segment": []}
    for number, line in enumerate(lines, start=1):
        if not line:
            continue
        match = _COMET_LINE.fullmatch(line)
        if match is None:
            others.append(f"{location}:{number}")
            continue
        locations.append(f"{location}:{number}")
        cells["system"].append(match["system"])
        cells["score"].append(match["score"])
        # COMET counts from 0, all other programs from 1.
        cells["segment"].append("" if match["segment"] is None else str(int(match["segment"]) + 1))
    notes: tuple[str, ...] = ()
    if others:
        notes = (f"{location}: {len(others)} lines are no scores and were left out, the first at {others[0]}.",)
    return FileRows(locations, cells, {name: name for name in cells}, ordered=True, by_file=True, notes=notes)
