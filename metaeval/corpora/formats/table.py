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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from metaeval.corpora.columns import Rows, more, numbers
from metaeval.corpora.draft import Draft
from metaeval.corpora.formats.contract import Glimpse, check_disjoint, renamed
from metaeval.corpora.formats.delimited import Frame, read_delimited, separator_of
from metaeval.corpora.formats.frames import from_json, from_parquet
from metaeval.corpora.judged import REFERENCE, SOURCE, SYSTEM, JudgmentRows, Key
from metaeval.corpora.lines import Files, packed_or_not
from metaeval.corpora.problems import counted, in_lines, repeated
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
        '"adequacy=Adequacy (1-5)" names the criterion of a column of another name',
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
        None, doc="whether fields may stand in quotation marks; if not given, yes unless tabs separate"
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
        if frame is not None:
            self.put(frame, files, draft)

    def put(self, frame: Frame, files: Files, draft: Draft) -> None:
        """Put the texts and judgments of a table that was read into the draft."""
        _Reading(self, frame, files, draft).read()

    def _wanted(self, column: str) -> bool:
        """Return whether a column is used, if it is there."""
        named = {entry.partition("=")[2] for entry in (*self.columns, *self.criteria)}
        return column in named or column in self.criteria or column in ROLES


class _Reading:
    """Reads one table."""

    def __init__(self, table: Table, frame: Frame, files: Files, draft: Draft) -> None:
        self.table, self.frame, self.files, self.draft = table, frame, files, draft
        self.head = f"{frame.place}:1"
        self.scored: list[tuple[str, str]] = []  # the criteria that have a column each, with their columns
        for entry in dict.fromkeys(table.criteria):
            name, _, column = entry.partition("=")
            # The name of a column may have an equals sign itself.
            renames = name and column and entry not in frame.columns
            self.scored.append((name, column) if renames else (entry, entry))
        named = dict(entry.split("=", 1) for entry in table.columns)
        self.asked = [*named.values(), *(column for _, column in self.scored)]
        # The names of the other columns by their roles.
        self.chosen = {role: role for role in ROLES if role in frame.columns and role not in self.asked} | named
        for role in ("segment",) * ("line" in self.chosen) + ("criterion", "score") * bool(table.criteria):
            self.chosen.pop(role, None)

    def read(self) -> None:
        """Put texts and judgments into the draft."""
        frame, files = self.frame, self.files
        errors = self._wrong_columns()
        for error in errors:
            files.error(self.head, error)
        if errors:
            return
        used = {*self.chosen.values(), *self.asked}
        unused = [name for name in (*frame.columns, *frame.unread) if name not in used]
        if unused:
            files.note(self.head, f"has columns that are not used: {listing(unused)}.")
        if not len(frame):
            files.note(frame.place, "has no rows.")
            return
        role = {role: frame.columns[column] for role, column in self.chosen.items()}
        nothing = [""] * len(frame)
        keys: list[Key] = list(zip(role.get("document", nothing), role.get("segment", nothing), strict=True))
        if "line" in role:
            keys = [(None, number) for number in role["line"]]
        systems, references = role.get("system", nothing), role.get("reference", nothing)
        names, kinds = self._names(systems, references)
        wrong = self._wrong_rows(keys, names, systems, references, nameless="source" in role)
        if "text" in role or "source" in role:
            if wrong:
                # What the other tables say of texts that were left out would be taken for errors.
                return
            self._texts(role, keys, names, kinds)
        if self.table.criteria or "score" in role:
            kept = [row for row in range(len(frame)) if row not in wrong and names[row] not in self.table.ignore]
            self._judgments(role, keys, names, kinds, kept)

    def _wrong_columns(self) -> list[str]:
        """Return what is wrong with the columns."""
        columns, criteria = self.frame.columns, self.table.criteria
        absent = [unknown("column", name, columns) for name in dict.fromkeys(self.asked) if name not in columns]
        if absent:
            return absent
        twice = repeated(name for name, _ in self.scored)
        if twice:
            return [f"`criteria` gives the same name to several columns: {listing(twice)}."]
        needs = [({"segment", "line"}, "segment"), ({"system", "reference", "source"}, "system")]
        needs += [] if criteria else [({"text", "score", "source"}, "text or score")]
        for alternatives, name in needs:
            if not alternatives & self.chosen.keys():
                hint = 'Say which is which in the format, as in table(columns=["segment=...", "system=..."]).'
                return [f"has no column {name}; the columns are {listing(columns)}. {hint}"]
        if "score" in self.chosen and "criterion" not in self.chosen:
            return ["has scores but no column criterion, which says what was judged."]
        return []

    def _names(self, systems: Sequence[str], references: Sequence[str]) -> tuple[list[str], list[str]]:
        """Return whose text or judgment each row is, and whether it is a system or a reference."""
        ignore, place = self.table.ignore, self.frame.place
        new_names, known = renamed(self.table.references), set(systems)
        for name in new_names:
            if name not in known:
                self.files.error(place, unknown("system", name, sorted(known - {""})))
        for name in ignore:
            if name not in known and name not in set(references):
                self.files.error(place, unknown("name", name, sorted({*known, *references} - {""})))
        kinds = [SYSTEM if name and name not in new_names else REFERENCE for name in systems]
        names = [system or reference for system, reference in zip(systems, references, strict=True)]
        if new_names:
            names = [new_names.get(name, name) for name in names]
        if ignore:
            count = sum(name in ignore for name in names)
            self.files.note(place, f"rows of {listing(ignore)}, which are left out: {count}.")
        return names, kinds

    def _wrong_rows(
        self,
        keys: Sequence[Key],
        names: Sequence[str],
        systems: Sequence[str],
        references: Sequence[str],
        nameless: bool,
    ) -> set[int]:
        """Note and return rows that name nobody, unless they may be `nameless`, or no segment, or two texts at once."""
        hint = "If the column 'reference' holds texts, give it another role or name."
        pairs = enumerate(zip(systems, references, strict=True))
        wrong = {
            "names neither a system nor a reference.": [at for at, name in enumerate(names) if not (name or nameless)],
            "names no segment.": [at for at, (_, id_) in enumerate(keys) if not id_],
            f"names a system and a reference; a row is about one of them. {hint}": [
                at for at, (system, reference) in pairs if system and reference
            ],
        }
        for message, rows in wrong.items():
            lines = {self.frame.lines[row] for row in rows}
            if lines:
                self.files.error(f"{self.frame.place}:{min(lines)}", message + more(len(lines)))
        return {row for rows in wrong.values() for row in rows}

    def _texts(
        self, role: Mapping[str, Sequence[str]], keys: Sequence[Key], names: Sequence[str], kinds: Sequence[str]
    ) -> None:
        frame, draft, ignored = self.frame, self.draft, set(self.table.ignore)
        if "line" in role:
            self.files.error(self.head, "has texts, whose segments need ids: a column segment, not line.")
            return
        texts, sources = role.get("text"), role.get("source")
        no_text, no_source = (frame.absent.get(self.chosen.get(kind, ""), ()) for kind in ("text", "source"))
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
        role: Mapping[str, Sequence[str]],
        keys: Sequence[Key],
        names: Sequence[str],
        kinds: Sequence[str],
        kept: Sequence[int],
    ) -> None:
        frame, lines = self.frame, self.frame.lines
        if "judge" not in role:
            self.files.note(
                self.head,
                f'has no column judge, so that all scores are those of one judge, {NOBODY!r}; columns=["judge=..."] '
                "names one.",
            )
        judges = role.get("judge") or [NOBODY] * len(frame)
        hint = "Where a score is missing, leave the cell empty."
        # Without its row, a missing score would take those on the other criteria along.
        blocks: list[tuple[Sequence[str], Sequence[str], dict[str, str]]] = [
            ([criterion] * len(frame), frame.columns[column], {"where": f" in column {column!r}", "hint": hint})
            for criterion, column in self.scored
        ] or [(role["criterion"], role["score"], {})]
        missing: list[int] = []
        judged: list[int] = []
        judged_on: list[str] = []
        values: list[float] = []
        for criteria, scores, words in blocks:
            given = {score for score in set(scores) if score.strip().lower() not in _MISSING}
            present = [row for row in kept if scores[row] in given]
            missing += [lines[row] for row in kept if scores[row] not in given]
            rows = Rows(frame.place, [lines[row] for row in present])
            values += numbers([scores[row].strip() for row in present], rows, self.files.problems, **words).tolist()
            judged += present
            judged_on += [criteria[row] for row in present]
        # One block of all criteria, so that a name that is unknown is noted once.
        block = JudgmentRows(
            Rows(frame.place, [lines[row] for row in judged]),
            [keys[row] for row in judged],
            [names[row] for row in judged],
            [judges[row] for row in judged],
            judged_on,
            values,
        )
        for kind in (SYSTEM, REFERENCE):
            chosen = [position for position, row in enumerate(judged) if kinds[row] == kind]
            if chosen:
                self.draft.judge(block.at(chosen, kind) if len(chosen) < len(judged) else block)
        if missing and "text" not in role:
            self.files.note(frame.place, f"has {counted(len(missing), 'missing score')}, {in_lines(missing)}.")
