"""The rows of a table whose columns are known become texts and judgments."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache, partial
from statistics import fmean
from typing import Any

import numpy as np

from metaeval.corpora.builder import Draft
from metaeval.corpora.error_spans import Span, spans_in
from metaeval.corpora.formats.base import renamed
from metaeval.corpora.judgment_columns import NUMBER, Rows, has_decimal_comma, lines_in_all, numbers, whole_number
from metaeval.corpora.judgment_rows import FILE_NAME, REFERENCE, SOURCE, SYSTEM, JudgmentRows
from metaeval.corpora.problems import in_lines, repeated
from metaeval.corpora.segment_index import Key, SegmentIndex, segment_name
from metaeval.corpora.stored_scores import ScoreFile, ScoreRows
from metaeval.corpora.tables.comparisons import read_by
from metaeval.corpora.tables.headers import columns_listed, compared_in_pairs, is_criterion, is_no_rating, names_rating
from metaeval.corpora.tables.load import SHEET
from metaeval.corpora.tables.nested import ERRORS, POSITION
from metaeval.corpora.tables.prepare import Prepared
from metaeval.corpora.tables.roles import FACTS, tell_segments
from metaeval.datamodel.corpus import FloatArray
from metaeval.errors import as_typed, counted, listing, unknown

# The judge or the system of a table that names none.
NOBODY = "unnamed"
_MAX_WORDS = 10
_MAX_WORD_CHARACTERS = 40


@dataclass
class _Scores:
    """Scores as they stand in a table, as lists with a member for each: its row, text, column, judge and criterion.

    `missing` has the lines of those that are missing.
    """

    rows: list[int] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    columns: list[str] = field(default_factory=list)
    judges: list[str] = field(default_factory=list)
    criteria: list[str] = field(default_factory=list)
    missing: list[int] = field(default_factory=list)


class Reading:
    """Reads one table.

    Parameters
    ----------
    prepared : Prepared
        With all columns that are read, and their roles.
    draft : Draft
        Takes texts and judgments.
    """

    def __init__(self, prepared: Prepared, draft: Draft) -> None:
        self.user = prepared.user
        self.table = table = prepared.table
        self.frame = frame = prepared.frame
        self.draft = draft
        self.files = draft.files
        self.head = f"{frame.location}:1"
        self.role: dict[str, Sequence[str]] = {}  # what stands in their columns
        self.chosen = dict(entry.split("=", 1) for entry in table.columns)
        self.reference_texts = self._named(table.reference_texts)
        self.metrics = self._named(table.metrics)
        # The columns with scores: what was judged by whom; None where another column says it.
        self.scored: list[tuple[str | None, str | None, str]] = []
        if not table.judges:
            self.scored = [(name, None, column) for name, column in self._named(table.criteria)]
        criterion = next(iter(table.criteria), None if "criterion" in self.chosen else "score")
        for entry in table.judges:
            fitting = [entry]
            if entry not in frame.columns:
                fitting = [column for column in frame.columns if fnmatchcase(column, entry)]
            taken = {*self.chosen.values(), *(column for _, column in self.reference_texts)}
            self.scored += [(criterion, column, column) for column in fitting or [entry] if column not in taken]
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
        frame = self.frame
        files = self.files
        chosen = self.chosen
        refused = self._words_for_ratings()
        for line, message in refused:
            files.error(f"{frame.location}:{line}", message)
        errors = self._wrong_columns()
        for error in errors:
            files.error(self.head, error)
        if errors or refused:
            return
        has_texts = bool({"text", "source"} & chosen.keys() or self.reference_texts)
        for fact in FACTS if not has_texts else ():
            column = chosen.pop(fact, None)
            if f"{fact}={column}" in self.user.columns:
                files.error(
                    self.head,
                    f"has no texts, and {fact}={column} would do nothing: facts of segments are read beside texts. "
                    "Leave it out here, and name it where the texts are.",
                )
        unused = self._unused()
        if unused:
            texts = self._type(columns=(*self.user.columns, "text=..."), reference_texts=("...",))
            hint = "" if has_texts else f" If they hold texts of systems and references, type {texts}."
            files.note(self.head, f"has columns that are not used: {columns_listed(unused)}.{hint}")
        if not len(frame):
            files.note(frame.location, "has no rows.")
            return
        self.role.update({role: frame.columns[column] for role, column in chosen.items()})
        if "text" in chosen and not {"system", "reference"} & chosen.keys():
            self.role["system"] = [NOBODY] * len(frame)
            files.note(
                self.head,
                f"has no column system, so that all texts are those of one system, {NOBODY!r}"
                f"{self._names_one('system')}.",
            )
        self.keys = self._keys()
        self.names, self.kinds = self._names()
        wrong = self._wrong_rows()
        # What the other tables say of texts that were left out would be taken for errors.
        if has_texts and not wrong:
            self._texts()
        if ERRORS in frame.values and not wrong:
            self._errors()
        if not wrong:
            self._metric_scores()
        if self.scored and not (has_texts and wrong):
            ignore = self.table.ignore
            self._judgments([row for row in range(len(frame)) if row not in wrong and self.names[row] not in ignore])

    def _used(self) -> dict[str, None]:
        """Return the columns that are read, in the order in which users name them."""
        named = [column for *_, column in self.scored]
        named += [column for _, column in (*self.metrics, *self.reference_texts)]
        return dict.fromkeys([*self.chosen.values(), *named])

    def _unused(self) -> list[str]:
        """Return the columns that are not read."""
        used = self._used()
        return [name for name in self.frame.names if name not in used and name not in (POSITION, SHEET, ERRORS)]

    def _words_for_ratings(self) -> list[tuple[int, str]]:
        """Ask about columns of words that seem to be ratings, where no column has scores.

        Where the user names the columns with scores, the others are left out on purpose.
        """
        table = self.user
        named = table.criteria or table.judges or any(entry.startswith("score=") for entry in table.columns)
        if named or self.scored:
            return []
        messages = [self._refuse_words(name) for name in self._unused() if name in self.frame.columns]
        return [message for message in messages if message]

    def _refuse_words(self, name: str) -> tuple[int, str] | None:
        """Ask about a column that is called as a rating and holds a few words, again and again."""
        if not names_rating(name) or is_no_rating(name):
            return None
        cells = self.frame.columns[name]
        rows = [row for row, cell in enumerate(cells) if self.table.number(cell) is not None]
        words = [*dict.fromkeys(cells[row].strip() for row in rows)]
        if not 1 < len(words) <= min(_MAX_WORDS, len(rows) - 1) or max(map(len, words)) > _MAX_WORD_CHARACTERS:
            return None
        typed = self._type(criteria=(name,), labels=(*self.user.labels, *(f"{word}=?" for word in words)))
        message = (
            f"column {name!r} seems to hold ratings, but a rating must be a number; got {words[0]!r}. Type {typed}, "
            "with a number in the place of each ?. If it holds no ratings, leave the column out."
        )
        return self.frame.lines[rows[0]], message

    def _type(self, **changes: Any) -> str:
        """Return the words to type to change parameters."""
        return self.files.typed(self.user.written(**changes))

    def _typed(self, role: str, column: str = "...") -> str:
        """Return the words to type to say which column has a role."""
        return self._type(columns=(*self.user.columns, f"{role}={column}"))

    def _why_absent(self, name: str) -> str:
        """Explain that a column that the user names cannot be read."""
        values = self.frame.values.get(name)
        if values is None:
            return unknown("column", name, self.frame.columns)
        cell = next((value for value in values if value), None)
        typed = self._type(lists=(*self.user.lists, name))
        return (
            f"{name!r} must be a text or a number; got {str(cell)[:40]!r}. If it has a value for each system or judge, "
            f"type {typed}."
        )

    def _names_one(self, role: str) -> str:
        """Return the words to type to give a role to one of the columns that are not read; "" where all are read."""
        return f"; {self._typed(role)} names one" if self._unused() else ""

    def _wrong_columns(self) -> list[str]:
        """Return the faults of the columns."""
        columns = self.frame.columns
        chosen = self.chosen
        absent = [name for name in self._used() if name not in columns]
        if absent:
            return [self._why_absent(name) for name in absent]
        for parameter, names in (
            ("criteria", [name for name, judge, _ in self.scored if judge is None]),
            ("metrics", [name for name, _ in self.metrics]),
            ("reference_texts", [name for name, _ in self.reference_texts]),
        ):
            shared = repeated(name for name in names if name)
            if shared:
                return [f"`{parameter}` gives the same name to several columns: {listing(shared)}."]
        missing = ""
        compared = compared_in_pairs(columns)
        if not tell_segments(chosen):
            missing = "segment"
        elif not {"system", "reference", "text"} & chosen.keys() and (
            "source" not in chosen or self.scored or compared
        ):
            missing = "system"
        elif not ({"text", "source"} & chosen.keys() or self.scored or self.metrics):
            missing = "text or score"
        if not missing:
            return []
        column = self._column_of_segments() if missing == "segment" else "..."
        typed = self._typed("text" if missing.startswith("text") else missing, column)
        every = columns_listed(self.frame.names)
        finding = f"has no column {missing}; the columns are {every}. Say which it is: {typed}."
        if compared:
            pairs = (
                f"The columns {listing(compared)} look like preferences, which cannot be read as ratings of a corpus; "
                f"{read_by()} where no format is given."
            )
            return [f"{finding} {pairs}"]
        cause = "If it is no such table, name its format; `metaeval corpus formats` lists them."
        scores = [column for *_, column in self.scored]
        if missing == "system" and len(scores) > 1 and not (self.user.criteria or self.user.judges):
            line = self._type(systems=tuple(scores))
            cause = f"If each of the columns {columns_listed(scores)} is of a system, type {line}."
        elif missing == "system":
            cause = f"If all rows are of one system, name it: {self._type(system='NAME')}. {cause}"
        return [f"{finding} {self.frame.hint or cause}"]

    def _column_of_segments(self) -> str:
        """Return a column of whole numbers, each of which a system has once for each judge; "..." if there is none."""
        columns = self.frame.columns
        beside = [columns[name] for role in ("system", "judge", "criterion") if (name := self.chosen.get(role))]
        for name, cells in columns.items():
            numbers = {whole_number(cell.strip()) for cell in cells}
            # A column without a name, as pandas writes for its index, cannot be named.
            is_free = name and name not in self.chosen.values() and not is_criterion(name) and None not in numbers
            if is_free and 2 < len(numbers) < len(cells) == len({*zip(cells, *beside, strict=True)}):
                return name
        return "..."

    def _of(self, role: str, otherwise: str = "") -> Sequence[str]:
        """Return the cells of the column of a role in each row."""
        return self.role.get(role) or [otherwise] * len(self.frame)

    def _keys(self) -> list[Key]:
        """Return the segment of each row."""
        role = self.role
        if "line" in role:
            return [(None, number) for number in role["line"]]
        ids = role.get("segment")
        if ids is None:
            named = bool({"system", "reference"} & self.chosen.keys())
            same = "the rows of one source are one segment" if named else "each row is a segment of its own"
            self.files.note(self.head, f"has no column segment, so that {same}; {self._typed('segment')} names one.")
            facts = [role[fact] for fact in ("document", "source", *FACTS) if fact in role] if named else []
            id_of: dict[object, str] = {}
            rows = zip(*facts, strict=True) if named else range(len(self.frame))
            ids = [id_of.setdefault(row, str(len(id_of) + 1)) for row in rows]
        return list(zip(self._of("document"), ids, strict=True))

    def _names(self) -> tuple[list[str], list[str]]:
        """Return the name of the text or judgment of each row, and whether it is a system or a reference."""
        systems = self._of("system")
        references = self._of("reference")
        ignore = self.table.ignore
        new_names = renamed(self.table.references)
        different = set(systems)
        people = different.union(references) - {""}
        wrong = [unknown("system", name, sorted(different - {""})) for name in new_names if name not in different]
        wrong += [unknown("name", name, sorted(people)) for name in ignore if name not in people]
        for message in wrong:
            self.files.error(self.frame.location, message)
        kinds = [SYSTEM if name and name not in new_names else REFERENCE for name in systems]
        pairs = zip(systems, references, strict=True)
        names = [system or reference for system, reference in pairs]
        names = [new_names.get(name, name) for name in names] if new_names else names
        if ignore:
            count = sum(name in ignore for name in names)
            self.files.note(self.frame.location, f"rows of {listing(ignore)}, which are left out: {count}.")
        return names, kinds

    def _wrong_rows(self) -> set[int]:
        """Note and return rows that name nobody, though they have no source, or no segment, or two texts at once."""
        column = self.chosen.get("reference", "reference")
        nameless = "source" in self.role
        hint = f"If the column {column!r} holds texts, type {self._type(reference_texts=(column,))}."
        two_texts = f"names a system and a reference; a row is about one of them. {hint}"
        pairs = enumerate(zip(self._of("system"), self._of("reference"), strict=True))
        nobody = [at for at, name in enumerate(self.names) if not (name or nameless)]
        nowhere = [at for at, (_, id_) in enumerate(self.keys) if not id_]
        neither = set(nobody).intersection(nowhere)
        wrong = {
            "names neither a segment nor a system; delete rows of means, totals or remarks.": neither,
            "names neither a system nor a reference.": set(nobody) - neither,
            "names no segment.": set(nowhere) - neither,
            two_texts: {at for at, (system, reference) in pairs if system and reference},
        }
        for message, rows in wrong.items():
            lines = {self.frame.lines[row] for row in rows}
            if lines:
                fill = self._fill_down(rows) if message == "names no segment." else ""
                self.files.error(f"{self.frame.location}:{min(lines)}", message + lines_in_all(len(lines)) + fill)
        return {row for rows in wrong.values() for row in rows}

    def _fill_down(self, rows: Collection[int]) -> str:
        """Propose to fill down rows without a segment where one stands above them, as in merged cells."""
        if 0 in rows or "segment" not in self.chosen:
            return ""
        columns = self.frame.columns
        used = [name for name in self._used() if name in columns]
        empty = [name for name in used if columns[name][0] and not any(columns[name][row] for row in rows)]
        return (
            " Where it stands in the first row of a block alone, as in merged cells, type "
            f"{self._type(fill_down=tuple(empty))}."
        )

    def _texts(self) -> None:
        """Add the texts and facts of segments; rows of one segment must agree."""
        frame = self.frame
        draft = self.draft
        chosen = self.chosen
        keys = self.keys
        names = self.names
        if "line" in chosen:
            typed = self._typed("segment", chosen["line"])
            self.files.error(
                self.head, f"has texts, whose segments need ids: a column segment, not line. Type {typed}."
            )
            return
        segments = list[int | None]()
        for (document, id_), name in zip(keys, names, strict=True):
            segments.append(None if name in self.table.ignore else draft.segment(document or "", id_))
        # The role of a column, its reference and its name; a text is of the system or reference that its row names.
        columns = [(role, "", chosen[role]) for role in ("text", SOURCE, *FACTS) if role in chosen]
        columns += [(REFERENCE, name, column) for name, column in self.reference_texts]
        first: dict[tuple[str, str, int], tuple[str, int]] = {}
        clashes: dict[tuple[str, str], list[tuple[int, str]]] = {}
        for role, reference, column in columns:
            cells = frame.columns[column]
            absent = frame.absent.get(column, ())
            for row, segment in enumerate(segments):
                kind, name = (self.kinds[row], names[row]) if role == "text" else (role, reference)
                # An empty cell in a column of references is no reference, and a text without a name is none either.
                is_present = cells[row] if role == REFERENCE else name or role != "text"
                if segment is None or row in absent or not is_present:
                    continue
                earlier, at = first.setdefault((kind, name, segment), (cells[row], row))
                if earlier is not cells[row] and earlier.strip() != cells[row].strip():
                    difference = (
                        f"{keys[row][1]!r}, {cells[row][:60]!r}, and in line {frame.lines[at]} {earlier[:60]!r}"
                    )
                    clashes.setdefault((kind, name), []).append((row, difference))
                elif role not in FACTS:
                    draft.text(kind, name, segment, cells[row], frame.location, frame.lines[row])
        for (kind, name), rows_and_differences in clashes.items():
            row, difference = rows_and_differences[0]
            subject = f"{kind} {name!r}" if name else kind
            hint = "Rows of one segment must agree; are its ids unique only in a document or a language pair?"
            if kind == "lp":
                hint = f"Where each language pair counts its segments, type {self._typed('document', chosen['lp'])}."
            elif name == NOBODY:
                hint = f"Where rows are of several systems, type {self._typed('system')}."
            count = lines_in_all(len(rows_and_differences))
            message = f"gives a segment another {subject} than before: {difference}. {hint}{count}"
            self.files.error(f"{frame.location}:{frame.lines[row]}", message)
        for fact in (fact for fact in FACTS if fact in chosen):
            values = {segment: value for (kind, _, segment), (value, _) in first.items() if kind == fact}
            draft.fact(fact, values, values.values())
            if fact == "lp":
                self._warn_of_pairs(list(dict.fromkeys(filter(None, values.values()))))

    def _warn_of_pairs(self, pairs: Sequence[str]) -> None:
        """Warn of several language pairs in one corpus."""
        if len(pairs) > 1:
            choice = as_typed(
                terminal=f"--filter where.lp={pairs[0]}", python=f"`filter={{'where': {{'lp': {pairs[0]!r}}}}}`"
            )
            self.files.warning(
                self.head,
                f"has {len(pairs)} language pairs, {listing(pairs, 4)}; choose one by {choice} where the corpus is "
                "used.",
            )

    def _errors(self) -> None:
        """Add the errors that were marked in the text of each row."""
        judges = self._of("judge", NOBODY)
        count = 0
        for row, errors in enumerate(self.frame.values[ERRORS]):
            if self.names[row] not in self.table.ignore:
                text = Span(self.keys[row], self.names[row], judges[row], -1, -1, "", "")
                spans = spans_in(errors, text, ("start", "end"), self.files, self.frame.location_of(row))
                self.draft.spans += spans
                count += len(spans)
        if count:
            self.files.note(
                self.frame.location, f"has {counted(count, 'marked error')}, which are read as error spans."
            )

    def _metric_scores(self) -> None:
        """Add the scores of metrics that stand beside texts and judgments, once for each output."""
        frame = self.frame
        lines = frame.lines
        rows = [row for row, name in enumerate(self.names) if name and name not in self.table.ignore]
        for name, column in self.metrics:
            cells = frame.columns[column]
            values = {cell: self.table.number(cell) for cell in dict.fromkeys(cells)}
            first: dict[tuple[str, Key], int] = {}
            for row in rows:
                # There is a row for each judge, with the same scores.
                if values[cells[row]] is None:
                    continue
                at = first.setdefault((self.names[row], self.keys[row]), row)
                if values[cells[at]] != values[cells[row]]:
                    self.files.error(
                        f"{frame.location}:{lines[row]}",
                        f"gives {self.names[row]!r} another score by {name!r} than line {lines[at]}: {cells[row]!r}, "
                        f"there {cells[at]!r}.",
                    )
                    return
            chosen = [*first.values()]
            file_rows = Rows(frame.location, [lines[row] for row in chosen])
            texts = [values[cells[row]] or "" for row in chosen]
            hint = "A missing score is empty."
            scores = numbers(texts, file_rows, self.files.problems, f" in column {column!r}", hint)
            systems = [self.names[row] for row in chosen]
            keys = [self.keys[row] for row in chosen]
            read = partial(self._score_rows, file_rows, systems, keys, scores)
            self.draft.scores.append(ScoreFile(frame.location, name, "metric", "segment", read))

    def _score_rows(
        self, file_rows: Rows, systems: Sequence[str], keys: Sequence[Key], scores: FloatArray
    ) -> ScoreRows:
        """Return scores with the indices of their segments, which are known when all sources were read."""
        segments = SegmentIndex(self.draft.segments)
        index = {key: segments.find(key, self.table.first_line) for key in dict.fromkeys(keys)}
        if unknown_keys := [key for key, at in index.items() if at is None]:
            self.files.warning(
                file_rows.location,
                f"has scores of {counted(len(unknown_keys), 'segment')} that the corpus lacks, such as "
                f"{segment_name(unknown_keys[0][0] or '', unknown_keys[0][1])!r}; they are left out.",
            )
        units = np.array([-1 if (at := index[key]) is None else at for key in keys], dtype=np.int64)
        return ScoreRows(file_rows, systems, units, scores)

    def _judgments(self, used: Sequence[int]) -> None:
        """Add the judgments of the rows that are used."""
        frame = self.frame
        lines = frame.lines
        table = self.table
        nameless = "judge" not in self.chosen and not table.judges
        if nameless:
            self.files.note(
                self.head,
                f"has no column judge, so that all scores are those of one judge, {NOBODY!r}"
                f"{self._names_one('judge')}.",
            )
        scores = self._scores(used)
        rows = scores.rows
        judges = scores.judges
        criteria = scores.criteria
        values = self._values(scores.texts, Rows(frame.location, [lines[row] for row in rows]), scores.columns)
        if table.duplicates != "error":
            items = [(self.keys[row], self.kinds[row], self.names[row]) for row in rows]
            chosen, values = self._once(list(zip(items, judges, criteria, strict=True)), rows, values)
            judges = [judges[at] for at in chosen]
            criteria = [criteria[at] for at in chosen]
            rows = [rows[at] for at in chosen]
        again = f" Type {self._type(duplicates='mean')} for their mean; first and last are possible too."
        if nameless:
            unused = [name for name in self._unused() if name in frame.columns and name]
            example = f", as in {self._typed('judge', unused[0])}" if unused else ""
            again = f" If there are several judges, a column must name them{example}. If there is one:{again}"
        # One block of all criteria, so that a name that is unknown is noted once.
        block = JudgmentRows(
            Rows(frame.location, [lines[row] for row in rows]),
            [self.keys[row] for row in rows],
            [self.names[row] for row in rows],
            judges,
            criteria,
            values,
            hint=self._segment_hint(),
            first_line=table.first_line,
            again=again,
            by_file=self.files.formats_with(self.user.written(judge=FILE_NAME))
            if nameless and not self.user.judge
            else (),
        )
        self.draft.judge_by_kind(block, [self.kinds[row] for row in rows])
        if scores.missing and ("text" not in self.chosen or values):
            count = counted(len(scores.missing), "missing score")
            self.files.note(frame.location, f"has {count}, {in_lines(scores.missing)}.")

    def _scores(self, used: Sequence[int]) -> _Scores:
        """Return the scores in the rows that are used; those that were read out of words are noted."""
        cells_of = self.frame.columns
        scores = _Scores()
        with_words = dict[str, None]()
        judge_of = self._of("judge", NOBODY)
        criterion_of = self._of("criterion", NOBODY)
        # Without its row, a missing score would take those on the other criteria along.
        for criterion, judge, column in self.scored:
            cells = cells_of[column]
            read = {cell: self.table.number(cell) for cell in dict.fromkeys(cells)}
            scored = [row for row in used if read[cells[row]] is not None]
            scores.missing += [self.frame.lines[row] for row in used if read[cells[row]] is None]
            for cell, number in read.items():
                if number and number != cell.strip() and any(map(str.isalpha, cell)):
                    with_words[f"{cell!r} as {number}"] = None
            scores.rows += scored
            scores.texts += [read[cells[row]] or "" for row in scored]
            scores.columns += [column] * len(scored)
            scores.judges += [judge or judge_of[row] for row in scored]
            scores.criteria += [criterion or criterion_of[row] for row in scored]
        if with_words and not self.table.labels:
            read_as = ", ".join([*with_words][:5])
            self.files.note(self.head, f"has scores with words, which were read as numbers: {read_as}.")
        return scores

    def _values(self, texts: Sequence[str], rows: Rows, columns: Sequence[str]) -> list[float]:
        """Return the numbers that stand in the columns; what is none is noted once for all of them."""

        @cache
        def column_of() -> dict[str, str]:
            order = sorted(range(len(texts)), key=rows.lines.__getitem__)
            return {texts[at]: columns[at] for at in reversed(order)}  # where it stands first

        def where(text: str) -> str:
            column = column_of()[text]
            return "" if column == self.chosen.get("score") else f" in column {column!r}"

        return [*map(float, numbers(texts, rows, self.files.problems, where, self._cause(texts)))]

    def _cause(self, texts: Sequence[str]) -> Callable[[str], str]:
        """Return a function that says what to type where a score is no number: once for all words."""
        no_numbers = [text for text in dict.fromkeys(texts) if not NUMBER.fullmatch(text)]
        words = [text[:40] for text in no_numbers if not has_decimal_comma(text)][:_MAX_WORDS]

        def cause(text: str) -> str:
            if has_decimal_comma(text):
                return f"Where decimals have a comma, type {self._type(decimal=',')}."
            if words[:1] != [text[:40]]:
                return ""
            missing = self._type(na=(*self.user.na, *words))
            number = self._type(labels=(*self.user.labels, *(f"{word}=?" for word in words)))
            if words[1:]:
                return (
                    f"Where these words stand for numbers, type {number}, with a number in the place of each ?; where "
                    f"they are missing scores, {missing}."
                )
            return (
                f"Where it is a missing score, type {missing}; where it stands for a number, {number}, with that in "
                "the place of the ?."
            )

        return cause

    def _segment_hint(self) -> str:
        """Explain that a segment may be unknown because they are counted from 0."""
        column = self.chosen.get("line") or self.chosen.get("segment", "")
        if "0" not in (self.role.get("line") or self._of("segment")) or self.table.first_line == 0:
            return ""
        entries = tuple(entry for entry in self.user.columns if not entry.startswith(("segment=", "line=")))
        line = () if column == "line" else (f"line={column}",)
        return f"If they are counted from 0, type {self._type(columns=(*entries, *line), first_line=0)}."

    def _once(
        self, items: Sequence[tuple[object, ...]], rows: Sequence[int], values: Sequence[float]
    ) -> tuple[list[int], list[float]]:
        """Choose the judgments that stay, one for each judge, item and criterion, and their scores, with a note."""
        positions: dict[tuple[object, ...], list[int]] = {}
        for at, item in enumerate(items):
            positions.setdefault(item, []).append(at)
        several = [same for same in positions.values() if len(same) > 1]
        kind = self.table.duplicates
        if several:
            where = in_lines(self.frame.lines[rows[at]] for same in several for at in same)
            count = counted(len(several), "judgment")
            self.files.note(self.frame.location, f"has {count} in several rows, {where}; the {kind} was taken.")
        chosen = [same[-1 if kind == "last" else 0] for same in positions.values()]
        if kind == "mean":
            return chosen, [fmean(values[at] for at in same) for same in positions.values()]
        return chosen, [values[at] for at in chosen]
