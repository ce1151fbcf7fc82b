"""The rows of a table whose columns are known become texts and judgments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from statistics import fmean
from typing import TYPE_CHECKING

from metaeval.corpora.columns import DECIMAL_COMMA, Rows, more, numbers
from metaeval.corpora.draft import Draft
from metaeval.corpora.formats.contract import renamed
from metaeval.corpora.formats.delimited import Frame
from metaeval.corpora.formats.roles import FACTS
from metaeval.corpora.judged import REFERENCE, SOURCE, SYSTEM, JudgmentRows, Key
from metaeval.corpora.lines import Files
from metaeval.corpora.problems import counted, in_lines, repeated
from metaeval.errors import listing, unknown

if TYPE_CHECKING:
    from metaeval.corpora.formats.table import Table

# The judge or the system of a table that names none.
NOBODY = "unnamed"
_MOST_HINTS = 3


class Reading:
    """Reads one table.

    Parameters
    ----------
    user : Table
        What the user says of it.
    table : Table
        With all columns that are read, and their roles.
    frame : Frame
    files : Files
    draft : Draft
        Takes texts and judgments.
    """

    def __init__(self, user: Table, table: Table, frame: Frame, files: Files, draft: Draft) -> None:
        self.user, self.table, self.frame, self.files, self.draft = user, table, frame, files, draft
        self.head = f"{frame.place}:1"
        self.chosen = dict(entry.split("=", 1) for entry in table.columns)
        self.reference_texts = self._named(table.reference_texts)
        # The columns with scores: what was judged by whom; None where another column says it.
        self.scored: list[tuple[str | None, str | None, str]] = [
            (name, None, column) for name, column in ([] if table.judges else self._named(table.criteria))
        ]
        criterion = next(iter(table.criteria), None if "criterion" in self.chosen else "score")
        for entry in table.judges:
            fitting = [entry] if entry in frame.columns else [one for one in frame.columns if fnmatchcase(one, entry)]
            asked = {*self.chosen.values(), *(column for _, column in self.reference_texts)}
            self.scored += [(criterion, column, column) for column in fitting or [entry] if column not in asked]
        if "score" in self.chosen and not self.scored:
            self.scored = [(None, None, self.chosen["score"])]

    def _named(self, entries: Sequence[str]) -> list[tuple[str, str]]:
        """Return names with their columns; the name of a column may have an equals sign itself."""
        parts = [(entry, *entry.partition("=")[::2]) for entry in dict.fromkeys(entries)]
        return [
            (name, column) if name and column and entry not in self.frame.columns else (entry, entry)
            for entry, name, column in parts
        ]

    def read(self) -> None:
        """Put texts and judgments into the draft."""
        frame, files = self.frame, self.files
        errors = self._wrong_columns()
        for error in errors:
            files.error(self.head, error)
        if errors:
            return
        has_texts = bool({"text", "source"} & self.chosen.keys() or self.reference_texts)
        if not has_texts:
            for fact in FACTS:
                self.chosen.pop(fact, None)
        unused = [name for name in (*frame.columns, *frame.unread) if name not in self._used()]
        if unused:
            files.note(self.head, f"has columns that are not used: {listing(unused)}.")
        if not len(frame):
            files.note(frame.place, "has no rows.")
            return
        role = {role: frame.columns[column] for role, column in self.chosen.items()}
        nothing = [""] * len(frame)
        systems, references = role.get("system", nothing), role.get("reference", nothing)
        if "text" in role and not {"system", "reference"} & role.keys():
            systems = [NOBODY] * len(frame)
            files.note(
                self.head,
                f"has no column system, so that all texts are those of one system, {NOBODY!r}; "
                f"{self._typed('system')} names one.",
            )
        keys = self._keys(role)
        names, kinds = self._names(systems, references)
        wrong = self._wrong_rows(keys, names, systems, references, nameless="source" in role)
        if has_texts:
            if wrong:
                # What the other tables say of texts that were left out would be taken for errors.
                return
            self._texts(role, keys, names, kinds)
        if self.scored:
            kept = [row for row in range(len(frame)) if row not in wrong and names[row] not in self.table.ignore]
            self._judgments(role, keys, names, kinds, kept)

    def _used(self) -> set[str]:
        return {
            *self.chosen.values(),
            *(column for _, column in self.reference_texts),
            *(column for *_, column in self.scored),
        }

    def _typed(self, role: str, column: str = "...") -> str:
        """Return what a user types to say which column has a role."""
        return self.user.typed(columns=(*self.user.columns, f"{role}={column}"))

    def _wrong_columns(self) -> list[str]:
        """Return what is wrong with the columns."""
        columns, chosen = self.frame.columns, self.chosen
        asked = [column for column in self._used() if column not in columns]
        if asked:
            # In the order in which they were asked for.
            order = [
                *chosen.values(),
                *(column for *_, column in self.scored),
                *(one for _, one in self.reference_texts),
            ]
            return [unknown("column", name, columns) for name in dict.fromkeys(order) if name in asked]
        for what, names in (
            ("criteria", [name for name, judge, _ in self.scored if judge is None]),
            ("reference_texts", [name for name, _ in self.reference_texts]),
        ):
            twice = repeated(name for name in names if name)
            if twice:
                return [f"`{what}` gives the same name to several columns: {listing(twice)}."]
        missing = ""
        if not ({"segment", "line", "source"} & chosen.keys() or ("text" in chosen and "system" not in chosen)):
            missing = "segment"
        elif not {"system", "reference", "text", "source"} & chosen.keys():
            missing = "system"
        elif not ({"text", "source"} & chosen.keys() or self.scored):
            missing = "text or score"
        if missing:
            typed = self._typed("text" if missing.startswith("text") else missing)
            cause = "If it is no such table, name its format; `metaeval corpus formats` lists them."
            known = f"has no column {missing}; the columns are {listing(columns)}. Say which it is: {typed}."
            return [f"{known} {self.frame.hint or cause}"]
        if any(name is None for name, _, _ in self.scored) and "criterion" not in chosen:
            return ["has scores but no column criterion, which says what was judged."]
        return []

    def _keys(self, role: Mapping[str, Sequence[str]]) -> list[Key]:
        """Return the segment of each row."""
        n = len(self.frame)
        nothing = [""] * n
        if "line" in role:
            return [(None, number) for number in role["line"]]
        ids = role.get("segment")
        if ids is None:
            same = "the rows of one source are one segment" if "system" in role else "each row is a segment of its own"
            self.files.note(self.head, f"has no column segment, so that {same}; {self._typed('segment')} names one.")
            known: dict[tuple[str, ...], str] = {}
            facts = [role[fact] for fact in ("document", "source", *FACTS) if fact in role]
            ids = (
                [known.setdefault(fact, str(len(known) + 1)) for fact in zip(*facts, strict=True)]
                if "system" in role
                else [str(number) for number in range(1, n + 1)]
            )
        return list(zip(role.get("document", nothing), ids, strict=True))

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
        column = self.chosen.get("reference", "reference")
        hint = f"If the column {column!r} holds texts, type {self.user.typed(reference_texts=(column,))}."
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
        texts = role.get("text")
        beside = [(SOURCE, "", self.chosen["source"])] if "source" in role else []
        beside += [(REFERENCE, name, column) for name, column in self.reference_texts]
        no_text = frame.absent.get(self.chosen.get("text", ""), ())
        first: dict[tuple[str, str, int], tuple[str, int]] = {}
        facts: dict[str, dict[int, int]] = {fact: {} for fact in FACTS if fact in role}
        clashes: dict[str, list[str]] = {}
        for row, (document, id_) in enumerate(keys):
            if names[row] in ignored:
                continue
            segment = draft.segment(document or "", id_)
            of_row = [
                (kind, name, frame.columns[column][row])
                for kind, name, column in beside
                if row not in frame.absent.get(column, ()) and (kind == SOURCE or frame.columns[column][row])
            ]
            if texts is not None and names[row] and row not in no_text:
                of_row.append((kinds[row], names[row], texts[row]))
            for kind, name, text in of_row:
                known, at = first.setdefault((kind, name, segment), (text, row))
                if known is text or known.strip() == text.strip():
                    draft.text(kind, name, segment, text, frame.place, frame.lines[row])
                else:
                    what = f"{kind} {name!r}" if name else kind
                    clashes.setdefault(what, []).append(
                        f"{frame.place}:{frame.lines[row]}: {id_!r}, {text[:60]!r}, and in line {frame.lines[at]} "
                        f"{known[:60]!r}"
                    )
            for fact, of_segment in facts.items():
                at = of_segment.setdefault(segment, row)
                if role[fact][row] != role[fact][at]:
                    clashes.setdefault(fact, []).append(
                        f"{frame.place}:{frame.lines[row]}: {id_!r}, {role[fact][row]!r}, and in line "
                        f"{frame.lines[at]} {role[fact][at]!r}"
                    )
        self._report_clashes(clashes)
        for fact, of_segment in facts.items():
            values = [role[fact][row] for row in of_segment.values()]
            draft.fact(fact, of_segment, values)
            different = list(dict.fromkeys(filter(None, values)))
            if fact == "lp" and len(different) > 1:
                self.files.warning(
                    self.head,
                    f"has {len(different)} language pairs, {listing(different, 4)}; choose one by "
                    f"--filter where.lp={different[0]} where the corpus is used.",
                )

    def _report_clashes(self, clashes: Mapping[str, Sequence[str]]) -> None:
        """Note what the rows of a segment say differently, once for each kind of text or fact."""
        for what, found in clashes.items():
            place, _, said = found[0].partition(": ")
            if what == "lp":
                hint = (
                    f"Where each language pair counts its segments, type {self._typed('document', self.chosen['lp'])}."
                )
            elif "system" not in self.chosen and what == f"{SYSTEM} {NOBODY!r}":
                hint = f"Where rows are of several systems, type {self._typed('system')}."
            else:
                hint = "Rows of one segment must agree; are its ids unique only in a document or a language pair?"
            self.files.error(place, f"gives a segment another {what} than before: {said}. {hint}{more(len(found))}")

    def _judgments(
        self,
        role: Mapping[str, Sequence[str]],
        keys: Sequence[Key],
        names: Sequence[str],
        kinds: Sequence[str],
        kept: Sequence[int],
    ) -> None:
        frame, lines, table = self.frame, self.frame.lines, self.table
        if "judge" not in role and not table.judges:
            self.files.note(
                self.head,
                f"has no column judge, so that all scores are those of one judge, {NOBODY!r}; "
                f"{self._typed('judge')} names one.",
            )
        missing: list[int] = []
        shown: dict[str, str] = {}
        found: list[tuple[int, str, str, float]] = []
        # Without its row, a missing score would take those on the other criteria along.
        for criterion, judge, column in self.scored:
            cells = frame.columns[column]
            read = {cell: table.number(cell) for cell in dict.fromkeys(cells)}
            shown |= {cell: number for cell, number in read.items() if number is not None and number != cell.strip()}
            present = [row for row in kept if read[cells[row]] is not None]
            missing += [lines[row] for row in kept if read[cells[row]] is None]
            where = "" if column == self.chosen.get("score") else f" in column {column!r}"
            values = numbers(
                [read[cells[row]] or "" for row in present],
                Rows(frame.place, [lines[row] for row in present]),
                self.files.problems,
                where,
                _Cause(self.user),
            ).tolist()
            judges = [judge] * len(frame) if judge else role.get("judge") or [NOBODY] * len(frame)
            criteria = [criterion] * len(frame) if criterion else role["criterion"]
            found += [(row, judges[row], criteria[row], value) for row, value in zip(present, values, strict=True)]
        words = [f"{cell!r} as {number}" for cell, number in shown.items() if any(map(str.isalpha, cell))]
        if words and not table.labels:
            self.files.note(self.head, f"has scores with words, which were read as numbers: {', '.join(words[:5])}.")
        if table.duplicates != "error":
            found = self._once(found, keys, names, kinds)
        rows = [row for row, *_ in found]
        # One block of all criteria, so that a name that is unknown is noted once.
        block = JudgmentRows(
            Rows(frame.place, [lines[row] for row in rows]),
            [keys[row] for row in rows],
            [names[row] for row in rows],
            [judge for _, judge, _, _ in found],
            [criterion for _, _, criterion, _ in found],
            [value for *_, value in found],
            hint=self._segment_hint(role),
            first_line=table.first_line,
            again=f" Type {self.user.typed(duplicates='mean')} for their mean; first and last are possible too."
            + ("" if "judge" in role or table.judges else f" If there are several judges, {self._typed('judge')}."),
        )
        for kind in (SYSTEM, REFERENCE):
            chosen = [position for position, row in enumerate(rows) if kinds[row] == kind]
            if chosen:
                self.draft.judge(block.at(chosen, kind) if len(chosen) < len(rows) else block)
        if missing and ("text" not in role or found):
            self.files.note(frame.place, f"has {counted(len(missing), 'missing score')}, {in_lines(missing)}.")

    def _segment_hint(self, role: Mapping[str, Sequence[str]]) -> str:
        """Return what to say of a segment that is unknown where they are counted from 0."""
        column = self.chosen.get("line") or self.chosen.get("segment", "")
        if "0" not in (role.get("line") or role.get("segment") or ()) or self.table.first_line == 0:
            return ""
        entries = tuple(one for one in self.user.columns if not one.startswith(("segment=", "line=")))
        line = () if column == "line" else (f"line={column}",)
        return f"If they are counted from 0, type {self.user.typed(columns=(*entries, *line), first_line=0)}."

    def _once(
        self,
        found: Sequence[tuple[int, str, str, float]],
        keys: Sequence[Key],
        names: Sequence[str],
        kinds: Sequence[str],
    ) -> list[tuple[int, str, str, float]]:
        """Return one judgment for each judge, item and criterion; how many were taken together is noted."""
        items: dict[tuple[object, ...], list[tuple[int, str, str, float]]] = {}
        for one in found:
            row, judge, criterion, _ = one
            items.setdefault((keys[row], kinds[row], names[row], judge, criterion), []).append(one)
        several = [same for same in items.values() if len(same) > 1]
        kind = self.table.duplicates
        if several:
            lines = in_lines(self.frame.lines[row] for same in several for row, *_ in same)
            self.files.note(
                self.frame.place,
                f"has {counted(len(several), 'judgment')} in several rows, {lines}; the {kind} was taken.",
            )
        if kind == "mean":
            return [(*same[0][:3], fmean(value for *_, value in same)) for same in items.values()]
        return [same[0 if kind == "first" else -1] for same in items.values()]


class _Cause:
    """Says what to type where a score is no number, for the first few of them."""

    def __init__(self, user: Table) -> None:
        self.user, self.said = user, 0

    def __call__(self, text: str) -> str:
        """Return the sentence for one text."""
        self.said += 1
        if self.said > _MOST_HINTS:
            return ""
        if DECIMAL_COMMA.fullmatch(text):
            return f"Where decimals have a comma, type {self.user.typed(decimal=',')}."
        missing = self.user.typed(na=(*self.user.na, text[:40]))
        number = self.user.typed(labels=(*self.user.labels, f"{text[:40]}=4"))
        return f"Where it is a missing score, type {missing}; where it stands for a number, {number}."
