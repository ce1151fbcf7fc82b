"""Tables: a row is a judgment or a text, or both. TSV, CSV, Excel, JSON Lines, Parquet or Arrow.

Columns have roles, and are found by the names that people give them; those of the roles themselves go before others:

=========================  =============================================================================
segment, document, line    which segment: its id, its document if ids are unique only there, or its line
system, reference          whose text it is
text, source               the text of the system or reference; the source text
judge, criterion, score    a judgment; without a judge, all scores are those of one
lp, domain                 facts of the segment
=========================  =============================================================================

A table of judgments may have a column for each criterion or for each judge, and one of texts columns with the texts of
references; an empty cell there is a missing score, or no reference. Where a text is null in JSON Lines, Parquet, Arrow
or Excel there is none; an empty one is an empty text. Without a system, all texts are those of one; without a segment,
rows of the same source are one segment, and without both each row is one.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from metaeval.corpora.builder import Draft
from metaeval.corpora.exports import EXPORTS
from metaeval.corpora.exports.inspect_logs import PACKED_LOG, is_log
from metaeval.corpora.formats.base import DESCRIBED, Glimpse, Reader, check_disjoint
from metaeval.corpora.judgment_columns import LABELLED_NUMBER, NUMBER
from metaeval.corpora.problems import Problems
from metaeval.corpora.tables.checks import without_checks
from metaeval.corpora.tables.delimited import Frame, read_delimited, separator_in
from metaeval.corpora.tables.headers import columns_for, fits_any, holds_scores
from metaeval.corpora.tables.json_rows import AROUND
from metaeval.corpora.tables.load import FRAMES, Wanted, from_dataset, from_logs, is_dataset
from metaeval.corpora.tables.prepare import prepare
from metaeval.corpora.tables.roles import ROLES, completed
from metaeval.corpora.tables.rows import Reading
from metaeval.corpora.text_files import Files, packed_or_not, visible
from metaeval.errors import UsageError
from metaeval.parameters.calls import Call
from metaeval.parameters.fields import parameter

_DOCS = DESCRIBED["table"]
# What stands for a number that the user is to fill in.
UNFILLED = "?"

_TEXT_SUFFIXES = (".csv", ".tsv")
_MISSING_SCORES = {"", "na", "n/a", "nan", "none", "null", "-"}
# What a message proposes to type.
_MAX_LINE_CHARACTERS = 1000
_MAX_NAME_CHARACTERS = 100
_NUMBER_WITH_THOUSANDS = re.compile(r"[+-]?[0-9]{1,3}(\.[0-9]{3})+(,[0-9]*)?")


@dataclass(frozen=True)
class Table(Reader, name="table"):
    """Everyday tables: one row a judgment, a text, or both."""

    columns: tuple[str, ...] = parameter((), doc=_DOCS["columns"])
    criteria: tuple[str, ...] = parameter((), doc=_DOCS["criteria"])
    judges: tuple[str, ...] = parameter((), doc=_DOCS["judges"])
    metrics: tuple[str, ...] = parameter((), doc=_DOCS["metrics"])
    reference_texts: tuple[str, ...] = parameter((), doc=_DOCS["reference_texts"])
    references: tuple[str, ...] = parameter((), doc=_DOCS["references"])
    ignore: tuple[str, ...] = parameter((), doc=_DOCS["ignore"])
    first_line: int = parameter(1, doc=_DOCS["first_line"], minimum=0)
    decimal: Literal[".", ","] = parameter(".", doc=_DOCS["decimal"])
    na: tuple[str, ...] = parameter((), doc=_DOCS["na"])
    labels: tuple[str, ...] = parameter((), doc=_DOCS["labels"])
    duplicates: Literal["error", "first", "last", "mean"] = parameter("error", doc=_DOCS["duplicates"])
    system: str = parameter("", doc=_DOCS["system"])
    judge: str = parameter("", doc=_DOCS["judge"])
    systems: tuple[str, ...] = parameter((), doc=_DOCS["systems"])
    lists: tuple[str, ...] = parameter((), doc=_DOCS["lists"])
    fill_down: tuple[str, ...] = parameter((), doc=_DOCS["fill_down"])
    samples: str = parameter("", doc=_DOCS["samples"])
    sheet: str = parameter("", doc=_DOCS["sheet"])
    header_rows: int = parameter(1, doc=_DOCS["header_rows"], minimum=0, maximum=3)
    skip_rows: int = parameter(0, doc=_DOCS["skip_rows"], minimum=0)
    separator: str | None = parameter(None, doc=_DOCS["separator"])
    quoting: bool | None = parameter(None, doc=_DOCS["quoting"])

    def __post_init__(self) -> None:
        for entry in self.columns:
            role, sign, column = entry.partition("=")
            if role not in ROLES or not sign or not column:
                hint = f' A criterion belongs in `criteria`, as in criteria=["{entry}"].'
                raise UsageError(
                    f"format 'table': `columns` must hold ROLE=COLUMN with a role of {', '.join(ROLES)}; got {entry!r}."
                    + (hint if role and role not in ROLES and column else "")
                )
        for entry in self.labels:
            words, _, value = entry.rpartition("=")
            if not words or not (value == UNFILLED or NUMBER.fullmatch(value)):
                raise UsageError(f"format 'table': `labels` must hold WORDS=NUMBER, as \"poor=1\"; got {entry!r}.")
        check_disjoint(self.references, self.ignore, self.name)
        if self.separator is not None and len(self.separator) != 1:
            raise UsageError(f"format 'table': `separator` must be one character; got {self.separator!r}.")

    @classmethod
    def recognises(cls, glimpse: Glimpse) -> bool:
        """Return whether a file looks like a table; it is the last format that is tried."""
        if glimpse.is_directory:
            return is_dataset(glimpse.entries) or bool(logs_in(glimpse) or packed_logs(glimpse.path))
        return (
            glimpse.suffix == PACKED_LOG
            or glimpse.suffix in (*_TEXT_SUFFIXES, *FRAMES)
            or separator_in(glimpse.head, fits_any) is not None
        )

    def read(self, path: Path, draft: Draft) -> None:
        """Read one table."""
        frame = self.frame(path, draft.files)
        if frame is not None:
            self.put(frame, draft)

    def frame(self, path: Path, files: Files) -> Frame | None:
        """Return the content of a table, None after noting what is wrong."""
        logs = logs_in(Glimpse.from_path(path)) if path.is_dir() else []
        if packed := packed_logs(path):
            files.error(packed[0], how_to_unpack(path))
            return None
        if logs:
            return from_logs(path, logs, files, Wanted(self.wanted, keeps_values=_keeps_values))
        read = from_dataset if path.is_dir() else FRAMES.get(packed_or_not(path).suffix.lower())
        if read is not None:
            return read(path, files, Wanted(self.wanted, self.sheet, self.header_rows, self.skip_rows, _keeps_values))
        text, location, problems = files.opened(path)
        names = (text or "").partition("\n")[0].rstrip("\r").split("\t")
        is_quoted = any(export.fits_names([name.strip('"') for name in names]) for export in EXPORTS)
        return read_delimited(
            text,
            location,
            problems,
            self.separator,
            header_rows=self.header_rows,
            skip_rows=self.skip_rows,
            quoting=is_quoted or None if self.quoting is None else self.quoting,
            fits=fits_any,
            guess=True,
        )

    def put(self, frame: Frame, draft: Draft) -> None:
        """Put the texts and judgments of a table that was read into the draft."""
        table = self._from_export(frame, draft.files)
        prepared = None if table is None else prepare(_without_checks(table, draft.files), self, draft.files)
        if prepared is None:
            return
        completed_ = completed(prepared, draft)
        if completed_ is not None:
            Reading(completed_, draft).read()

    def _from_export(self, frame: Frame, files: Files) -> Frame | None:
        """Return the table of what people said where a table is the export of a tool; None after noting what is wrong.

        A table whose own columns the user names is read as it is.
        """
        export = next((candidate for candidate in EXPORTS if candidate.fits(frame)), None) if len(frame) else None
        if export is None:
            return frame.without(AROUND)
        named = {entry.partition("=")[2] for entry in self.columns} | {*self.criteria, *self.judges, *self.lists}
        table = export.table(frame, files)
        if table is None:
            return None
        if (named & set(frame.names)) - set(table.columns):
            return frame.without(AROUND)
        files.note(frame.location, f"is an export of {export.tool}.")
        settings = {name: value for name, value in table.settings.items() if not getattr(self, name)}
        if self.judges or any(entry.startswith("score=") for entry in self.columns):
            settings.pop("criteria", None)
        return replace(table, settings=settings)

    def written(self, **changes: Any) -> str:
        """Return this format with some parameters changed, as a user writes it.

        Where that is too long for a message, dots stand for all names but one of each list.
        """
        changed = replace(self, **changes)
        fields = {item.name: (getattr(changed, item.name), item.default) for item in dataclasses.fields(changed)}
        changed_fields = {name: value for name, (value, default) in fields.items() if value != default}
        full = str(Call(self.name, changed_fields, ""))
        if len(full) <= _MAX_LINE_CHARACTERS:
            return full
        short = {
            name: _shortened(value) if isinstance(value, tuple) else value for name, value in changed_fields.items()
        }
        return str(Call(self.name, short, ""))

    def number(self, cell: str) -> str | None:
        """Return the number that a cell stands for, None where it is missing; what is no number stays as it is."""
        cell = cell.strip()
        if cell.lower() in _MISSING_SCORES.union(map(str.lower, self.na)):
            return None
        for entry in self.labels:
            label, _, value = entry.rpartition("=")
            if cell.lower() == label.lower():
                return value
        if self.decimal == "," and _NUMBER_WITH_THOUSANDS.fullmatch(cell):
            return f"{cell} with a point"
        number = cell.replace(",", ".", 1) if self.decimal == "," else cell
        if number.endswith("%") and NUMBER.fullmatch(percent := number[:-1].rstrip()):
            return percent
        labelled = LABELLED_NUMBER.fullmatch(number)
        if labelled:
            return labelled[1]
        return number if NUMBER.fullmatch(number) else cell

    def wanted(self, column: str) -> bool | None:
        """Return whether a column is used, if it is there; None if that is seen by what stands in it."""
        entries = (*self.columns, *self.criteria, *self.metrics, *self.reference_texts)
        named = {entry.partition("=")[2] for entry in entries}
        listed = (*self.criteria, *self.metrics, *self.judges, *self.reference_texts, *self.systems)
        is_named = column in named or column in listed or column in ROLES
        return True if is_named or fits_any(column) else None


def _without_checks(frame: Frame, files: Files) -> Frame:
    """Return a table without attention checks, tutorials and altered outputs, which are counted."""
    names = [name for role in ("segment", "document", "system") for name in columns_for(role, frame.columns)]
    rows, notes = without_checks(frame, range(len(frame)), names, keeps_duplicates=True)
    for note in notes:
        files.note(frame.location, f"{note}.")
    return frame.at(rows) if notes else frame


def _shortened(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the first of several names, unless that is long itself, and dots for the others."""
    first = names[:1] if len(names[0]) <= _MAX_NAME_CHARACTERS else ()
    return names if len(names) == len(first) else (*first, "...")


def _keeps_values(names: Collection[str]) -> bool:
    """Return whether columns of these names are those of a tool's export, whose values may hold others."""
    return any(export.fits_names(names) for export in EXPORTS)


def packed_logs(path: Path) -> list[Path]:
    """Return a log that is packed, or those of a folder."""
    return [log for log in ([path] if path.is_file() else visible(path)) if log.suffix == PACKED_LOG]


def logs_in(glimpse: Glimpse) -> list[str]:
    """Return the names of the logs of a framework for evaluation in a folder."""
    return [file.path.name for file in glimpse.first_files if file.suffix == ".json" and is_log(file.head)]


def how_to_unpack(path: Path) -> str:
    """Explain how to unpack packed logs of Inspect, or a folder with such."""
    return (
        f"is a log of Inspect that is packed. Write JSON with `inspect log convert {path.name} --to json --output-dir "
        "logs-json`, and name that directory."
    )


def columns_of_numbers(path: Path) -> list[str]:
    """Return the columns of a file that hold numbers which may be scores; none where it is no table."""
    table = Table()
    frame = None
    if Table.recognises(Glimpse.from_path(path)):
        frame = table.frame(path, Files(path.parent, Problems()))
    columns = {} if frame is None else frame.columns
    return [name for name, cells in columns.items() if holds_scores(name, cells, table.number)]
