r"""Files of scores that were computed before: what stands in them, row by row, with its place.

A format is recognised by what stands in the file, whatever it is called; any may be packed with gzip.

=============================  =================================================================================
a table with a header          separated by tabs, commas or semicolons; columns by the names of :data:`ALIASES`
lines of JSON, a list of JSON  objects with such keys; MetricX writes ``prediction``
an object of JSON              ``comet-score --to_json``: for each file of a system, a list of objects
``FILE\tSegment 0\tscore: .8`` what ``comet-score`` prints
numbers                        one a line: the segments of one system, in their order
system and score               mt-metrics-eval: for each system, the segments in their order
rows without a header          submissions to the metrics task of WMT: :mod:`metaeval.plugins.submissions`
=============================  =================================================================================

``None``, ``nan`` and nothing are a missing score.

Sources
-------
READMEs of google-research/mt-metrics-eval, Unbabel/COMET and google-research/metricx, what their programs write, and
the calls of the metrics tasks of WMT19 to WMT25.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from metaeval.corpora.columns import NUMBER
from metaeval.corpora.headers import ALIASES as HEADERS
from metaeval.corpora.headers import plain
from metaeval.corpora.lines import GZIP, cut, unpacked
from metaeval.errors import listing
from metaeval.plugins.sentences import refuse, say
from metaeval.plugins.submissions import submission_columns
from metaeval.resources import read_file

# What columns and keys are called; the first that a file has is the one. A file may have an `id` beside a `segment_id`,
# and then it is something else.
ALIASES = {
    **{role: HEADERS[role] for role in ("system", "document", "segment", "lp", "text")},
    "score": ("score", "segmentscore", "systemscore", "overall", "prediction", "comet", "predictedscore"),
    "metric": ("metric", "metricname", "method"),
    "testset": ("testset", "setid"),
    "reference": ("reference", "refset"),
}
_MISSING = ("", "none", "nan", "na", "null")
_PRINTED = re.compile(
    r"(?P<system>[^\t]+)\t(?:Segment (?P<segment>\d{1,9})\t)?score: (?P<score>\S+)(?:\tvariance: \S+)?\s*"
)

Fields = Mapping[str, object]


@dataclass(frozen=True)
class Rows:
    """What stands in a file.

    Attributes
    ----------
    rows : list of (str, Fields)
        The place of each, ``FILE:LINE``, and its values by column.
    columns : mapping of str to str
        The names of the columns in the file, by those of :data:`ALIASES`; all others by themselves.
    ordered : bool
        Whether segments have no name, and are identified by their order alone.
    by_file : bool
        Whether systems are named by the files of their outputs.
    notes : tuple of str
        What was left out.
    """

    rows: list[tuple[str, Fields]]
    columns: Mapping[str, str]
    ordered: bool = False
    by_file: bool = False
    notes: tuple[str, ...] = ()


def read_content(path: Path, place: str) -> bytes:
    """Return what stands in a file.

    Raises
    ------
    CorpusError
        If it cannot be read.
    """
    try:
        return read_file(path)
    except OSError as error:
        raise say.error("rows_unreadable", place=place, error=error) from error


@lru_cache(maxsize=2)
def read_rows(content: bytes, place: str, systems: tuple[str, ...]) -> Rows:
    """Read a file of scores.

    Parameters
    ----------
    content : bytes
        Of the file.
    place : str
        The file as messages name it.
    systems : tuple of str
        Those of the corpus, which show what the columns of a file without a header are.

    Raises
    ------
    CorpusError
        If the file is in no known format, or a row is wrong; with file, line and value.
    """
    text = _text(content, place)
    lines = [(f"{place}:{number}", line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    refuse(not lines, "rows_empty", place=place)
    if text.lstrip()[0] in "{[":
        return _json(text, lines, place)
    if "\tscore: " in text and any(_PRINTED.fullmatch(line) for _, line in lines):
        return _printed(lines, place)
    for separator in "\t,;":
        header = lines[0][1].split(separator)
        if {"system", "score"} & _columns(header).keys():
            return _table(text, lines, separator, place)
    if all(is_score(line) for _, line in lines) and any(NUMBER.fullmatch(line.strip()) for _, line in lines):
        return Rows([(where, {"score": line}) for where, line in lines], {"score": "score"}, ordered=True)
    cells = [line if "\t" in lines[0][1] else "\t".join(line.split()) for _, line in lines]
    width = cells[0].count("\t") + 1
    for (where, _), line in zip(lines, cells, strict=True):
        if (n_fields := line.count("\t") + 1) != width:
            raise say.error("rows_width", where=where, width=width, got=n_fields)
    columns = cut(cells, "\t", width)
    names = submission_columns(columns, place, systems, is_score)
    rows: list[tuple[str, Fields]] = [
        (where, dict(zip(names, fields, strict=True)))
        for (where, _), fields in zip(lines, zip(*columns, strict=True), strict=True)
    ]
    return Rows(rows, dict(zip(names, names, strict=True)), ordered=names == ("system", "score"))


def is_score(text: str) -> bool:
    """Return whether a text is a number, or says that there is none."""
    text = text.strip()
    return bool(NUMBER.fullmatch(text)) or text.lower() in _MISSING


def score_of(value: object, where: str) -> float | None:
    """Return a score, None where it is missing.

    Raises
    ------
    CorpusError
        If it is no finite number.
    """
    if value is None or (isinstance(value, str) and value.strip().lower() in _MISSING) or value != value:
        return None
    if isinstance(value, str) and NUMBER.fullmatch(value.strip()):
        value = float(value.strip())
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e300:
        raise say.error("rows_score", where=where, value=value)
    return float(value)


def _text(content: bytes, place: str) -> str:
    try:
        if content.startswith(GZIP):
            content = unpacked(content)
    except ValueError as error:
        raise say.error("rows_gzip", place=place, error=error) from error
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise say.error("rows_utf8", place=f"{place}:{line}", byte=content[error.start]) from error


def _columns(names: Sequence[str]) -> dict[str, str]:
    """Return the names that columns have in a file, by what they are; others, such as metrics, by themselves."""
    written = {plain(name): name for name in reversed(names)}
    # In WMT25's files `method` is what people did, not a metric; COMET is the score where it stands beside its texts.
    others = {"method": "overall" in written, "comet": "mt" not in written}
    found = {}
    for column, aliases in ALIASES.items():
        known = (one for one in aliases if one in written and not others.get(one))
        if (alias := next(known, None)) is not None:
            found[column] = written[alias]
    taken = set(found.values())
    return found | {name.strip(): name for name in names if name not in taken}


def _named(rows: Sequence[tuple[str, Fields]], columns: Mapping[str, str]) -> Rows:
    """Return rows by the names of columns; systems or segments that have no name are one system, or in order."""
    columns = dict(columns)
    made: list[tuple[str, Fields]] = [
        (where, {column: fields[name] for column, name in columns.items() if name in fields}) for where, fields in rows
    ]
    if "lp" not in columns and {"source_lang", "target_lang"} <= columns.keys():
        columns["lp"] = "source_lang and target_lang"
        made = [(where, {**one, "lp": f"{one.get('source_lang')}-{one.get('target_lang')}"}) for where, one in made]
    ordered = "segment" not in columns and ("system" not in columns or "text" in columns)
    return Rows(made, columns, ordered=ordered)


def _table(text: str, lines: Sequence[tuple[str, str]], separator: str, place: str) -> Rows:
    if separator == "\t":
        cells = [(where, line.split("\t")) for where, line in lines]
    else:
        reader = csv.reader(text.split("\n"), strict=True, delimiter=separator)
        try:
            cells = [(f"{place}:{reader.line_num}", fields) for fields in reader if fields]
        except csv.Error as error:
            raise say.error("rows_csv", where=f"{place}:{reader.line_num}", error=error) from error
    (_, header), *rows = cells
    n, names = len(header), ", ".join(header)
    refuse(len({name.strip().lower() for name in header}) < n, "rows_twice", place=place, names=listing(header))
    for where, fields in rows:
        if len(fields) != n:
            raise say.error("rows_cells", where=where, n=n, names=names, got=len(fields))
    return _named([(where, dict(zip(header, fields, strict=True))) for where, fields in rows], _columns(header))


def _json(text: str, lines: Sequence[tuple[str, str]], place: str) -> Rows:
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        whole = None
    by_file = isinstance(whole, dict) and bool(whole) and all(isinstance(items, list) for items in whole.values())
    found: list[tuple[str, object]]
    if by_file:
        found = [
            (f"{place}: {file!r}, item {number}", {"system": file, **item} if isinstance(item, dict) else item)
            for file, items in whole.items()
            for number, item in enumerate(items, start=1)
        ]
    elif isinstance(whole, list):
        found = [(f"{place}: item {number}", item) for number, item in enumerate(whole, start=1)]
    else:
        found = list(_json_lines(lines))
    rows, names = list[tuple[str, Fields]](), dict[str, None]()
    for where, item in found:
        if not isinstance(item, dict):
            raise say.error("rows_object", where=where, item=item)
        rows.append((where, item))
        names |= dict.fromkeys(item)
    columns = _columns(list(names))
    has_scores = rows and {"score", "system"} & columns.keys()
    refuse(not has_scores, "rows_keys", place=place, keys=listing(columns))
    made = _named(rows, columns)
    return Rows(made.rows, made.columns, made.ordered or (by_file and "segment" not in columns), by_file)


def _json_lines(lines: Sequence[tuple[str, str]]) -> Iterator[tuple[str, object]]:
    for where, line in lines:
        try:
            yield where, json.loads(line)
        except (ValueError, RecursionError) as error:
            reason = "it is nested too deeply" if isinstance(error, RecursionError) else error
            raise say.error("rows_json", where=where, reason=reason) from error


def _printed(lines: Sequence[tuple[str, str]], place: str) -> Rows:
    rows, others = list[tuple[str, Fields]](), list[str]()
    for where, line in lines:
        found = _PRINTED.fullmatch(line)
        if found is None:
            others.append(where)
            continue
        # COMET counts from 0, everybody else from 1.
        segment = "" if found["segment"] is None else str(int(found["segment"]) + 1)
        rows.append((where, {"system": found["system"], "segment": segment, "score": found["score"]}))
    note = f"{place}: {len(others)} lines are no scores and were left out, the first at {others[0]}." if others else ""
    columns = {"system": "system", "segment": "segment", "score": "score"}
    return Rows(rows, columns, ordered=True, by_file=True, notes=(note,) if note else ())
