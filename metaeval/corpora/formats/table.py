"""Tidy tables: a row is a judgment or a text. TSV, CSV, JSON Lines, or Parquet.

Columns have roles, and by default the names of their roles:

=========================  =============================================================================
segment, document, line    which segment: its id, its document if ids are unique only there, or its line
system, reference          whose text it is
text, source               the text of the system or reference; the source text
judge, criterion, score    a judgment; without a judge, all scores are those of one
=========================  =============================================================================

A table of judgments may have a column for each criterion instead of criterion and score; an empty cell there is a
missing score. Where a text is null in JSON Lines or Parquet there is none; an empty one is an empty text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import ClassVar

from metaeval.corpora.columns import Rows, numbers
from metaeval.corpora.draft import Draft
from metaeval.corpora.formats.contract import Glimpse, check_disjoint, renamed
from metaeval.corpora.formats.delimited import Frame, read_delimited, separator_of
from metaeval.corpora.formats.frames import from_json, from_parquet
from metaeval.corpora.judged import REFERENCE, SOURCE, SYSTEM, JudgmentRows, Key
from metaeval.corpora.lines import Files, packed_or_not
from metaeval.corpora.problems import counted, in_lines
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
        (),
        doc="the columns that hold scores, where each criterion has one of its own; "
        '"adequacy=Adequacy (1-5)" tells the criterion of a column of another name',
    )
    references: tuple[str, ...] = parameter(
        (), doc='names in the column system that are references; "HUMAN=refA" gives one another name'
    )
    ignore: tuple[str, ...] = parameter((), doc="names in the columns system and reference whose rows are left out")
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
                hint = f' A criterion belongs in `criteria`, as in criteria=["{entry}"].'
                raise UsageError(
                    f"format 'table': `columns` must hold ROLE=COLUMN with a role of {', '.join(ROLES)}; got {entry!r}."
                    + (hint if role and role not in ROLES and column else "")
                )
        check_disjoint(self.references, self.ignore, self.name)
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
            frame = from_json(path, files, self._wanted)
        elif suffix in _PARQUET:
            frame = from_parquet(path, files, self._wanted)
        else:
            frame = read_delimited(files, path, self.separator, header=self.header, quoting=self.quoting)
        if frame is None or not self._check(frame, files):
            return
        if not len(frame):
            files.note(frame.place, "has no rows.")
            return
        role = self._roles(frame)
        if "line" in role:
            keys: list[Key] = [(None, number) for number in role["line"]]
        else:
            keys = list(zip(role.get("document", repeat("", len(frame))), role["segment"], strict=True))
        names, kinds = self._names(frame, role, files)
        wrong = self._wrong_rows(frame, role, keys, names, files)
        if "text" in role or "source" in role:
            if wrong:
                # What the other tables say of texts that were left out would be taken for errors.
                return
            self._texts(frame, role, keys, names, kinds, files, draft)
        if self.criteria or "score" in role:
            kept = [row for row in range(len(frame)) if row not in wrong and names[row] not in self.ignore]
            self._judgments(frame, role, keys, names, kinds, kept, files, draft)

    def _wanted(self, column: str) -> bool:
        """Return whether a column is used, if it is there."""
        named = {entry.partition("=")[2] for entry in self.columns}
        scored = {*self.criteria, *(entry.partition("=")[2] for entry in self.criteria if "=" in entry)}
        return column in named or column in scored or column in ROLES

    def _roles(self, frame: Frame) -> dict[str, list[str]]:
        """Return the columns by their roles."""
        return {role: frame.columns[column] for role, column in self._chosen(frame).items()}

    def _scored(self, frame: Frame) -> list[tuple[str, str]]:
        """Return the criteria that have a column each, with their columns."""
        pairs = []
        for entry in dict.fromkeys(self.criteria):
            name, _, column = entry.partition("=")
            # The name of a column may have an equals sign itself.
            renames = name and column and entry not in frame.columns
            pairs.append((name, column) if renames else (entry, entry))
        return pairs

    def _chosen(self, frame: Frame) -> dict[str, str]:
        """Return the names of the columns by their roles."""
        named = dict(entry.split("=", 1) for entry in self.columns)
        used = {*named.values(), *(column for _, column in self._scored(frame))}
        chosen = {role: role for role in ROLES if role in frame.columns and role not in used} | named
        if "line" in chosen:
            chosen.pop("segment", None)
        if self.criteria:
            chosen = {role: column for role, column in chosen.items() if role not in ("criterion", "score")}
        return chosen

    def _check(self, frame: Frame, files: Files) -> bool:
        """Note columns that are missing, and those that are not used."""
        named = dict(entry.split("=", 1) for entry in self.columns)
        scored = self._scored(frame)
        absent = [
            column for column in (*named.values(), *(column for _, column in scored)) if column not in frame.columns
        ]
        for column in dict.fromkeys(absent):
            files.error(f"{frame.place}:1", unknown("column", column, frame.columns))
        if absent:
            return False
        twice = sorted(name for name, count in Counter(name for name, _ in scored).items() if count > 1)
        if twice:
            files.error(f"{frame.place}:1", f"`criteria` gives the same name to several columns: {listing(twice)}.")
            return False
        role = self._roles(frame)
        needs = [({"segment", "line"}, "segment"), ({"system", "reference", "source"}, "system")]
        if not self.criteria:
            needs.append(({"text", "score", "source"}, "text or score"))
        for alternatives, name in needs:
            if not alternatives & set(role):
                files.error(
                    f"{frame.place}:1",
                    f"has no column {name}; the columns are {listing(frame.columns)}. Tell which is which "
                    'in the format, as in table(columns=["segment=...", "system=..."]).',
                )
                return False
        if "score" in role and not self.criteria and "criterion" not in role:
            files.error(f"{frame.place}:1", "has scores but no column criterion, which tells what was judged.")
            return False
        used = {*self._chosen(frame).values(), *(column for _, column in scored)}
        unused = [name for name in (*frame.columns, *frame.unread) if name not in used]
        if unused:
            files.note(f"{frame.place}:1", f"has columns that are not used: {listing(unused)}.")
        return True

    def _names(self, frame: Frame, role: dict[str, list[str]], files: Files) -> tuple[list[str], list[str]]:
        """Return whose text or judgment each row is, and whether it is a system or a reference."""
        systems, references = (role.get(kind) or [""] * len(frame) for kind in ("system", "reference"))
        names = [system or reference for system, reference in zip(systems, references, strict=True)]
        kinds = [SYSTEM if system else REFERENCE for system in systems]
        new_names = renamed(self.references)
        known = set(systems)
        for name in new_names:
            if name not in known:
                files.error(frame.place, unknown("system", name, sorted(known - {""})))
        for name in self.ignore:
            if name not in known and name not in set(references):
                files.error(frame.place, unknown("name", name, sorted({*known, *references} - {""})))
        if new_names:
            kinds = [REFERENCE if system in new_names else kind for system, kind in zip(systems, kinds, strict=True)]
            names = [new_names.get(name, name) for name in names]
        if self.ignore:
            count = sum(name in self.ignore for name in names)
            files.note(frame.place, f"rows of {listing(self.ignore)}, which are left out: {count}.")
        return names, kinds

    def _wrong_rows(
        self, frame: Frame, role: dict[str, list[str]], keys: Sequence[Key], names: Sequence[str], files: Files
    ) -> set[int]:
        """Note and return rows that name nobody, two texts at once, or no segment."""
        wrong: set[int] = set()
        rows = Rows(frame.place, frame.lines)
        if "source" not in role:
            rows.report(names, {""} & set(names), files.problems, lambda _: "names neither a system nor a reference.")
            wrong.update(row for row, name in enumerate(names) if not name)
        ids = [id_ for _, id_ in keys]
        rows.report(ids, {""} & set(ids), files.problems, lambda _: "names no segment.")
        wrong.update(row for row, id_ in enumerate(ids) if not id_)
        if "system" in role and "reference" in role:
            both = [
                "both" if system and reference else ""
                for system, reference in zip(role["system"], role["reference"], strict=True)
            ]
            rows.report(
                both,
                {"both"} & set(both),
                files.problems,
                lambda _: (
                    "names a system and a reference; a row is about one of them. If the column 'reference' holds "
                    "texts, give it another role or name."
                ),
            )
            wrong.update(row for row, mark in enumerate(both) if mark)
        return wrong

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
            files.error(f"{frame.place}:1", "has texts, whose segments need ids: a column segment, not line.")
            return
        texts, sources = role.get("text"), role.get("source")
        no_text, no_source = (frame.absent.get(self._chosen(frame).get(kind, ""), ()) for kind in ("text", "source"))
        ignored = set(self.ignore)
        for row, (document, id_) in enumerate(keys):
            if names[row] in ignored:
                continue
            segment = draft.segment(document or "", id_)
            if sources is not None and row not in no_source:
                draft.text(SOURCE, "", segment, sources[row], frame.place, frame.lines[row])
            if texts is not None and names[row] and row not in no_text:
                draft.text(kinds[row], names[row], segment, texts[row], frame.place, frame.lines[row])

    def _judgments(
        self,
        frame: Frame,
        role: dict[str, list[str]],
        keys: Sequence[Key],
        names: Sequence[str],
        kinds: Sequence[str],
        kept: Sequence[int],
        files: Files,
        draft: Draft,
    ) -> None:
        # Without its row, a missing score would take those on the other criteria along.
        blocks: list[tuple[Sequence[str], Sequence[str], dict[str, str]]] = [
            (
                [criterion] * len(frame),
                frame.columns[column],
                {"where": f" in column {column!r}", "hint": "Where a score is missing, leave the cell empty."},
            )
            for criterion, column in self._scored(frame)
        ] or [(role["criterion"], role["score"], {})]
        if "judge" not in role:
            files.note(
                f"{frame.place}:1",
                f'has no column judge, so that all scores are those of one judge, {NOBODY!r}; columns=["judge=..."] '
                "names one.",
            )
        judges = role.get("judge") or [NOBODY] * len(frame)
        missing: list[int] = []
        judged: list[int] = []
        judged_on: list[str] = []
        values: list[float] = []
        for criteria, scores, words in blocks:
            given = {score for score in set(scores) if score.strip().lower() not in _MISSING}
            present = [row for row in kept if scores[row] in given]
            missing += [frame.lines[row] for row in kept if scores[row] not in given]
            rows = Rows(frame.place, [frame.lines[row] for row in present])
            values += numbers([scores[row].strip() for row in present], rows, files.problems, **words).tolist()
            judged += present
            judged_on += [criteria[row] for row in present]
        # One block of all criteria, so that a name that is unknown is told once.
        block = JudgmentRows(
            Rows(frame.place, [frame.lines[row] for row in judged]),
            [keys[row] for row in judged],
            [names[row] for row in judged],
            [judges[row] for row in judged],
            judged_on,
            values,
        )
        for kind in (SYSTEM, REFERENCE):
            chosen = [position for position, row in enumerate(judged) if kinds[row] == kind]
            if chosen:
                draft.judge(block.at(chosen, kind) if len(chosen) < len(judged) else block)
        if missing and "text" not in role:
            files.note(frame.place, f"has {counted(len(missing), 'missing score')}, {in_lines(missing)}.")
