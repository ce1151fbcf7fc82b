r"""Files of scores that were computed before: what stands in them, row by row, with its line.

====================================  =========================================================================
a table with a header                 tab-separated, or CSV where the name ends in ``.csv``: columns ``system``,
                                      ``score`` and, for segments, ``segment``; optional ``metric``, ``document``
lines of JSON                         objects with the same keys
``NAME.seg.score``, ``.sys.score``    mt-metrics-eval: system and score, the segments by their order in the file
rows without a header                 submissions to the metrics task of WMT, by their number of columns
====================================  =========================================================================

Any of them may be packed with gzip. ``None``, ``nan`` and nothing are a missing score.

Sources
-------
README of google-research/mt-metrics-eval, and its reader of submissions.
"""

from __future__ import annotations

import csv
import gzip
import json
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from metaeval.errors import CorpusError, UsageError, listing, unknown
from metaeval.resources import read_file

# Columns of submissions: those for segments end in number and score, those for systems in the score.
_SUBMISSIONS = {
    "segment": {
        9: ("metric", "lp", "testset", "domain", "document", "reference", "system", "segment", "score"),
        8: ("metric", "lp", "testset", "domain", "reference", "system", "segment", "score"),
        7: ("metric", "lp", "testset", "reference", "system", "segment", "score"),
        6: ("metric", "lp", "testset", "system", "segment", "score"),
    },
    "system": {
        7: ("metric", "lp", "testset", "domain", "reference", "system", "score"),
        6: ("metric", "lp", "testset", "reference", "system", "score"),
        5: ("metric", "lp", "testset", "system", "score"),
    },
}
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_MISSING = ("", "none", "nan", "na", "null")
_POSITIONAL = re.compile(r"\.(seg|sys|doc)\.score(\.gz)?$")
_GZIP = b"\x1f\x8b"
_MOST_LINES = 3


@dataclass(frozen=True)
class ScoreRow:
    """A score as it stands in a file; None where it is missing. The segment of positional files is their order."""

    line: int
    system: str
    document: str
    segment: str
    value: float | None


@dataclass(frozen=True)
class ScoreTable:
    """The scores of one metric in a file.

    Attributes
    ----------
    place : str
        The file, for messages.
    metric : str
        Its name, where the file has it.
    level : {"segment", "system"}
    positional : bool
        Whether segments are identified by their order alone.
    rows : tuple of ScoreRow
    """

    place: str
    metric: str
    level: str
    positional: bool
    rows: tuple[ScoreRow, ...]


_Fields = tuple[int, Mapping[str, object]]


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
        raise CorpusError(f"{place}: cannot be read: {error.strerror}.") from error


def read_scores(content: bytes, name: str, place: str, *, metric: str, level: str, only: Sequence[str]) -> ScoreTable:
    """Read the scores of one metric.

    Parameters
    ----------
    content : bytes
        Of the file.
    name : str
        Of the file, without its directory; its end shows the format.
    place : str
        The file as messages name it.
    metric : str
        Which of several to take; "" if there is one.
    level : str
        ``segment`` or ``system``; "" to recognise it.
    only : sequence of str
        ``column=value``: rows with another value there are left out.

    Raises
    ------
    CorpusError
        If the file is in no known format, or a row is wrong; with file, line and value.
    UsageError
        If the file holds scores of several metrics, language pairs or references and nothing says which to take.
    """
    text = _text(content, place)
    found = _POSITIONAL.search(name)
    if found is not None:
        if metric or only:
            raise UsageError(
                f"{place}: holds one metric and nothing to choose from, so `metric` and `only` do not fit."
            )
        if found[1] == "doc":
            raise CorpusError(f"{place}: holds scores of documents; only those of segments and systems can be used.")
        return _positional(text, place, name[: found.start()], {"seg": "segment", "sys": "system"}[found[1]], level)
    rows, columns = _rows(text, place, name.removesuffix(".gz"))
    rows = _chosen(rows, columns, place, metric, only)
    names = list(dict.fromkeys(str(fields["metric"]) for _, fields in rows if "metric" in fields))
    value_column = "score" if "score" in columns else metric
    has_segments = "segment" in columns
    if level == "segment" and not has_segments:
        raise CorpusError(f"{place}: has no column `segment` (it has {listing(columns)}), so no scores of segments.")
    if level == "system" and has_segments:
        # A table of both levels leaves the segment empty at system level.
        rows = [(line, fields) for line, fields in rows if not str(fields.get("segment", "")).strip()]
        if not rows:
            raise CorpusError(f"{place}: every row has a segment, so there are no system-level scores.")
    level = level or ("segment" if has_segments else "system")
    return ScoreTable(
        place,
        names[0] if names else metric,
        level,
        positional=False,
        rows=tuple(_row(place, line, fields, value_column, level) for line, fields in rows),
    )


def _text(content: bytes, place: str) -> str:
    try:
        if content.startswith(_GZIP):
            content = gzip.decompress(content)
    except (OSError, EOFError, zlib.error) as error:
        raise CorpusError(f"{place}: cannot be unpacked with gzip: {error}.") from error
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise CorpusError(f"{place}:{line}: is not UTF-8: byte 0x{content[error.start]:02x}.") from error


def _positional(text: str, place: str, name: str, level: str, wanted: str) -> ScoreTable:
    if wanted and wanted != level:
        raise UsageError(f"{place}: holds scores of {level}s, as its name says; `level` is {wanted!r}.")
    rows, counts = [], dict[str, int]()
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        parts = line.split("\t") if "\t" in line else line.split()
        if len(parts) != 2:
            raise CorpusError(f"{place}:{number}: must have a system and a score; got {line[:60]!r}.")
        system = parts[0].strip()
        counts[system] = counts.get(system, 0) + 1
        segment = str(counts[system]) if level == "segment" else ""
        rows.append(ScoreRow(number, system, "", segment, _value(parts[1], f"{place}:{number}")))
    return ScoreTable(place, name, level, positional=level == "segment", rows=tuple(rows))


def _rows(text: str, place: str, name: str) -> tuple[list[_Fields], tuple[str, ...]]:
    """Return the rows of a table with their lines, and the names of the columns."""
    if name.endswith((".jsonl", ".ndjson")) or text.lstrip()[:1] == "{":
        return _json_rows(text, place)
    if name.endswith(".csv"):
        reader = csv.reader(text.split("\n"), strict=True)
        try:
            lines = [(reader.line_num, fields) for fields in reader if fields]
        except csv.Error as error:
            raise CorpusError(f"{place}:{reader.line_num}: is not CSV: {error}.") from error
    else:
        lines = [(number, line.split("\t")) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    if not lines:
        raise CorpusError(f"{place}: is empty.")
    header = tuple(field.strip().lower() for field in lines[0][1])
    if "system" in header:
        if len(set(header)) < len(header):
            raise CorpusError(f"{place}:1: names a column twice: {listing(header)}.")
        # Columns may bear the names of metrics, which keep their capitals.
        columns = tuple(
            low if low in ("system", "segment", "score", "metric", "document") else field.strip()
            for low, field in zip(header, lines[0][1], strict=True)
        )
        lines = lines[1:]
    else:
        columns = _submission(lines, place)
    for number, fields in lines:
        if len(fields) != len(columns):
            raise CorpusError(
                f"{place}:{number}: must have {len(columns)} columns ({', '.join(columns)}); got {len(fields)}."
            )
    return [(number, dict(zip(columns, fields, strict=True))) for number, fields in lines], columns


def _submission(lines: Sequence[tuple[int, list[str]]], place: str) -> tuple[str, ...]:
    """Return the columns of a submission to the metrics task; the segment is a whole number in every row."""
    width = len(lines[0][1])
    whole = width > 1 and all(len(fields) == width and fields[-2].strip().isdigit() for _, fields in lines)
    columns = _SUBMISSIONS["segment" if whole else "system"].get(width)
    if columns is None:
        raise CorpusError(
            f"{place}:1: must begin with a header with the columns system, segment and score (system and score at "
            "system level), or be a submission to the metrics task of WMT (metric, lp, testset, ..., system, segment "
            f"number, score); got {chr(9).join(lines[0][1])[:80]!r}."
        )
    return columns


def _json_rows(text: str, place: str) -> tuple[list[_Fields], tuple[str, ...]]:
    rows: list[_Fields] = []
    columns: dict[str, None] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            fields = json.loads(line)
        except ValueError as error:
            raise CorpusError(f"{place}:{number}: is not JSON: {error}.") from error
        if not isinstance(fields, dict) or "system" not in fields:
            raise CorpusError(f"{place}:{number}: must be an object with the key `system`; got {line[:60]!r}.")
        rows.append((number, fields))
        columns |= dict.fromkeys(fields)
    if not rows:
        raise CorpusError(f"{place}: is empty.")
    return rows, tuple(columns)


def _chosen(rows: list[_Fields], columns: Sequence[str], place: str, metric: str, only: Sequence[str]) -> list[_Fields]:
    """Return the rows that the user wants, of one metric, language pair, test set and reference."""
    for item in only:
        column, equals, value = item.partition("=")
        if not equals or column not in columns:
            raise UsageError(f"{place}: `only` must be column=value; {unknown('column', column, columns)}")
        values = dict.fromkeys(str(fields.get(column, "")) for _, fields in rows)
        if value not in values:
            raise UsageError(f"{place}: `only`: column {column!r} has no {value!r}; it has {listing(values)}.")
        rows = [(line, fields) for line, fields in rows if str(fields.get(column, "")) == value]
    if "metric" in columns:
        names = dict.fromkeys(str(fields.get("metric", "")) for _, fields in rows)
        if metric:
            if metric not in names:
                raise UsageError(f"{place}: {unknown('metric', metric, names)}")
            rows = [(line, fields) for line, fields in rows if str(fields.get("metric", "")) == metric]
        elif len(names) > 1:
            raise UsageError(f"{place}: holds several metrics; name one with `metric`: {listing(names)}.")
    elif "score" not in columns and metric not in columns:
        raise CorpusError(
            f"{place}: has neither a column `score` nor one that `metric` names (got {metric!r}); it has "
            f"{listing(columns)}."
        )
    elif "score" in columns and metric:
        raise UsageError(f"{place}: has no column `metric`, so `metric` has nothing to choose from.")
    for column in ("lp", "testset", "reference"):
        values = dict.fromkeys(str(fields.get(column, "")) for _, fields in rows)
        if len(values) > 1:
            raise UsageError(
                f"{place}: holds several values of {column!r} ({listing(values)}); choose with "
                f'only=["{column}={next(iter(values))}"].'
            )
    return rows


def _row(place: str, line: int, fields: Mapping[str, object], value_column: str, level: str) -> ScoreRow:
    where = f"{place}:{line}"
    system, segment = fields["system"], fields.get("segment", "")
    if not isinstance(system, str) or not system.strip():
        raise CorpusError(f"{where}: the system must be a name; got {system!r}.")
    if isinstance(segment, bool) or not isinstance(segment, str | int):
        raise CorpusError(f"{where}: the segment must be an id or a number; got {segment!r}.")
    shown = str(segment).strip()
    if level == "segment" and not shown:
        raise CorpusError(f"{where}: has no segment.")
    document = str(fields.get("document") or "").strip()
    return ScoreRow(line, system.strip(), document, shown, _value(fields.get(value_column), where))


def _value(value: object, where: str) -> float | None:
    """Return a score, None where it is missing."""
    if value is None or (isinstance(value, str) and value.strip().lower() in _MISSING) or value != value:
        return None
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e300:
        raise CorpusError(
            f"{where}: the score must be a finite number, or None where it is missing; got {value!r:.60}."
        )
    return float(value)


def lines_of(rows: Sequence[ScoreRow], place: str) -> Iterator[str]:
    """Give the places of some rows: the first ones, and how many more there are."""
    yield from (f"{place}:{row.line}" for row in rows[:_MOST_LINES])
    if len(rows) > _MOST_LINES:
        yield f"and {len(rows) - _MOST_LINES} more lines"
