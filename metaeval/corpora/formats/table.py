"""Tidy tables: a row is a judgment or a text. TSV, CSV, JSON Lines, or Parquet.

Columns have roles, and by default the names of their roles:

=========================  =============================================================================
segment, document, line    which segment: its id, its document if ids are unique only there, or its line
system, reference          whose text it is
text, source               the text of the system or reference; the source text
judge, criterion, score    a judgment; without a judge, all scores are those of one
=========================  =============================================================================

A table of judgments may have a column for each criterion instead of criterion and score.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import Any, ClassVar

from metaeval.corpora.columns import Rows, numbers
from metaeval.corpora.draft import Draft
from metaeval.corpora.formats.contract import Glimpse
from metaeval.corpora.formats.delimited import Frame, json_objects, read_delimited, separator_of
from metaeval.corpora.judged import REFERENCE, SOURCE, SYSTEM, JudgmentRows, Key
from metaeval.corpora.lines import Files, packed_or_not
from metaeval.errors import UsageError, listing, unknown
from metaeval.parameters import parameter

ROLES = ("segment", "document", "line", "system", "reference", "text", "source", "judge", "criterion", "score")
_MISSING = {"", "na", "nan", "none", "null"}
_JSON, _PARQUET = (".jsonl", ".ndjson"), (".parquet",)
NOBODY = "unnamed"


@dataclass(frozen=True)
class Table:
    """Tidy TSV, CSV, JSON Lines or Parquet: one row a judgment or a text."""

    name: ClassVar[str] = "table"
    title: ClassVar[str] = "tidy table: TSV, CSV, JSON Lines or Parquet"
    expects: ClassVar[str] = (
        "a table with the columns segment (or line), system or reference, and text, or criterion and score"
    )

    columns: tuple[str, ...] = parameter((), doc='other names of columns, as "segment=sentence_id"')
    criteria: tuple[str, ...] = parameter(
        (), doc="the columns that hold scores, where each criterion has one of its own"
    )
    header: bool = parameter(True, doc="whether the first line names the columns; otherwise they are 1, 2, ...")
    separator: str | None = parameter(
        None, doc="the character between columns; found in the first line if none is given"
    )
    quoting: bool | None = parameter(
        None, doc="whether fields may stand in quotation marks; if not told, yes unless tabs separate"
    )

    def __post_init__(self) -> None:
        for entry in self.columns:
            role, sign, column = entry.partition("=")
            if role not in ROLES or not sign or not column:
                raise UsageError(
                    f"format 'table': `columns` must hold ROLE=COLUMN with a role of {', '.join(ROLES)}; got {entry!r}."
                )
        if self.separator is not None and len(self.separator) != 1:
            raise UsageError(f"format 'table': `separator` must be one character; got {self.separator!r}.")

    @classmethod
    def recognises(cls, glimpse: Glimpse) -> bool:
        """Return whether a file has columns that can be used as they are."""
        if glimpse.is_directory:
            return False
        if glimpse.suffix in _PARQUET:
            return True
        names: set[str]
        if glimpse.suffix in _JSON:
            names = {name for name in ROLES if f'"{name}"' in glimpse.head.partition("\n")[0]}
        else:
            first = glimpse.first_line
            names = {name.strip().strip('"') for name in first.split(separator_of(first))}
        named = {"segment", "line"} & names and {"system", "reference", "source"} & names
        return bool(named and {"text", "score", "source"} & names)

    def read(self, path: Path, files: Files, draft: Draft) -> None:
        """Read one table."""
        suffix = packed_or_not(path).suffix.lower()
        if suffix in _JSON:
            frame = _from_json(path, files)
        elif suffix in _PARQUET:
            frame = _from_parquet(path, files)
        else:
            frame = read_delimited(files, path, self.separator, header=self.header, quoting=self.quoting)
        if frame is None or not self._check(frame, files):
            return
        if not len(frame):
            files.problems.note(frame.place, "has no rows.")
            return
        role = self._roles(frame)
        if "line" in role:
            keys: list[Key] = [(None, number) for number in role["line"]]
        else:
            keys = list(zip(role.get("document", repeat("", len(frame))), role["segment"], strict=True))
        names, kinds = _names(role, len(frame))
        unnamed = next((row for row, name in enumerate(names) if not name and "source" not in role), None)
        if unnamed is not None:
            place = f"{frame.place}:{frame.lines[unnamed]}"
            files.problems.error(place, "names neither a system nor a reference.")
            return
        if "text" in role or "source" in role:
            self._texts(frame, role, keys, names, kinds, files, draft)
        scored = {name: frame.columns[name] for name in self.criteria}
        if scored or "score" in role:
            self._judgments(frame, role, keys, names, kinds, scored, files, draft)

    def _roles(self, frame: Frame) -> dict[str, list[str]]:
        """Return the columns by their roles."""
        named = dict(entry.split("=", 1) for entry in self.columns)
        used = set(named.values()) | set(self.criteria)
        chosen = {role: role for role in ROLES if role in frame.columns and role not in used} | named
        return {role: frame.columns[column] for role, column in chosen.items()}

    def _check(self, frame: Frame, files: Files) -> bool:
        """Note columns that are missing, and those that are not used."""
        named = dict(entry.split("=", 1) for entry in self.columns)
        for column in (*named.values(), *self.criteria):
            if column not in frame.columns:
                files.problems.error(f"{frame.place}:1", unknown("column", column, frame.columns))
                return False
        role = self._roles(frame)
        needs = [({"segment", "line"}, "segment"), ({"system", "reference", "source"}, "system")]
        if not self.criteria:
            needs.append(({"text", "score", "source"}, "text or score"))
        for alternatives, name in needs:
            if not alternatives & set(role):
                files.problems.error(
                    f"{frame.place}:1",
                    f"has no column {name}; the columns are {listing(frame.columns)}. Tell which is which: "
                    '--format \'table(columns=["segment=...", "system=..."])\'.',
                )
                return False
        if "score" in role and not self.criteria and "criterion" not in role:
            files.problems.error(f"{frame.place}:1", "has scores but no column criterion, which tells what was judged.")
            return False
        used = {*named.values(), *self.criteria, *ROLES}
        unused = [name for name in frame.columns if name not in used]
        if unused:
            files.problems.note(f"{frame.place}:1", f"has columns that are not used: {listing(unused)}.")
        return True

    def _texts(
        self,
        frame: Frame,
        role: dict[str, list[str]],
        keys: Sequence[Key],
        names: Sequence[str],
        kinds: Sequence[str],
        files: Files,
        draft: Draft,
    ) -> None:
        if "line" in role:
            files.problems.error(f"{frame.place}:1", "has texts, whose segments need ids: a column segment, not line.")
            return
        for row, (document, id_) in enumerate(keys):
            place = f"{frame.place}:{frame.lines[row]}"
            segment = draft.segment(document or "", id_)
            if "source" in role:
                draft.text(SOURCE, "", segment, role["source"][row], place)
            if "text" in role and names[row]:
                draft.text(kinds[row], names[row], segment, role["text"][row], place)

    def _judgments(
        self,
        frame: Frame,
        role: dict[str, list[str]],
        keys: Sequence[Key],
        names: Sequence[str],
        kinds: Sequence[str],
        scored: dict[str, list[str]],
        files: Files,
        draft: Draft,
    ) -> None:
        if not scored:
            blocks = [(role["criterion"], role["score"])]
        else:
            blocks = [([criterion] * len(frame), scores) for criterion, scores in scored.items()]
        if "judge" not in role:
            files.problems.note(
                f"{frame.place}:1",
                f'has no column judge, so that all scores are those of one judge, {NOBODY!r}; columns=["judge=..."] '
                "names one.",
            )
        judges = role.get("judge") or [NOBODY] * len(frame)
        missing = 0
        for criteria, scores in blocks:
            present = [row for row, score in enumerate(scores) if score.strip().lower() not in _MISSING]
            missing += len(frame) - len(present)
            rows = Rows(frame.place, [frame.lines[row] for row in present])
            values = numbers([scores[row].strip() for row in present], rows, files.problems)
            block = JudgmentRows(
                rows,
                [keys[row] for row in present],
                [names[row] for row in present],
                [judges[row] for row in present],
                [criteria[row] for row in present],
                values.tolist(),
            )
            for kind in (SYSTEM, REFERENCE):
                chosen = [position for position, row in enumerate(present) if kinds[row] == kind]
                if chosen:
                    draft.judge(block.at(chosen, kind) if len(chosen) < len(present) else block)
        if missing and "text" not in role:
            files.problems.note(frame.place, f"has {missing} missing scores.")


def _names(role: dict[str, list[str]], n: int) -> tuple[list[str], list[str]]:
    """Return whose text or judgment each row is, and whether it is a system or a reference."""
    systems, references = role.get("system") or [""] * n, role.get("reference") or [""] * n
    names = [system or reference for system, reference in zip(systems, references, strict=True)]
    return names, [SYSTEM if system else REFERENCE for system in systems]


def _from_json(path: Path, files: Files) -> Frame | None:
    objects = json_objects(files, path)
    names = dict.fromkeys(name for _, found in objects for name in found)
    place = files.place(path)
    columns = {name: [_plain(found.get(name)) for _, found in objects] for name in names}
    for name, column in columns.items():
        bad = next((row for row, value in enumerate(column) if value is None), None)
        if bad is not None:
            files.problems.error(f"{place}:{objects[bad][0]}", f"{name!r} must be a text or a number.")
            return None
    return Frame(
        place,
        {name: [value or "" for value in column] for name, column in columns.items()},
        [line for line, _ in objects],
    )


def _plain(value: Any) -> str | None:
    """Return a JSON value as text, "" for none, or None for what cannot stand in a table."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bool | int | float):
        return repr(value) if abs(value) < 1e300 else None
    return None


def _from_parquet(path: Path, files: Files) -> Frame | None:
    place = files.place(path)
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise UsageError("Parquet needs pyarrow: pip install 'metaeval[parquet]'.") from error
    content = files.content(path)
    if content is None:
        return None
    try:
        table = pyarrow.parquet.read_table(pyarrow.BufferReader(content))
        columns = {name: [_plain(value) for value in table.column(name).to_pylist()] for name in table.column_names}
    except (pyarrow.ArrowException, OSError, ValueError, UnicodeDecodeError) as error:
        files.problems.error(place, f"is no Parquet file that can be read: {str(error)[:200]}.")
        return None
    bad = [name for name, column in columns.items() if None in column]
    if bad:
        files.problems.error(place, f"has columns that hold neither texts nor numbers: {listing(bad)}.")
        return None
    shown = {name: [value or "" for value in column] for name, column in columns.items()}
    # A Parquet file has no lines; its rows are counted from 1.
    return Frame(place, shown, range(1, table.num_rows + 1))
