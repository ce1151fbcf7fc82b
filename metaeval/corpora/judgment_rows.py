"""Judgments as tables have them, by names, become judgments by indices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar

import numpy as np

from metaeval.corpora.judgment_columns import (
    NO_JUDGMENTS,
    Rows,
    lines_in_all,
    look_up,
    positions,
    repeats,
    unknown_name,
)
from metaeval.corpora.problems import Problems
from metaeval.corpora.segment_index import Key, SegmentIndex
from metaeval.corpora.text_files import typed_formats
from metaeval.corpora.write_native import file_names
from metaeval.datamodel.corpus import Criterion, FloatArray, IntArray, Judgments

T = TypeVar("T")
SOURCE = "source"
SYSTEM = "system"
REFERENCE = "reference"
# Placeholder for the name of the file in that of a judge or a system.
FILE_NAME = "{file}"


class Judgment(NamedTuple):
    """A judgment as it stands in one line of a table; its key is that of a segment, or the index of a segment."""

    line: int
    key: Key | int
    name: str
    judge: str
    criterion: str
    score: float


@dataclass(frozen=True)
class JudgmentRows:
    """Judgments as they stand in one table; all columns are equally long.

    Attributes
    ----------
    rows : Rows
        Where they stand.
    keys : sequence of (document, id), or int array
        The segments. The document is "" where the table has none, None where the id is the number of a line.
        An array has the indices of the segments; -1 where the reader has noted that there is none.
    names, criteria : sequence of (str or None)
        Systems, or references, and what was judged; None where the reader has noted that a name is unknown.
    judges : sequence of str
    scores : sequence of float
    kind : {"system", "reference"}
        What the names are. A name under "system" that is no system may still be a reference of the corpus.
    hint : str
        What to say of a segment that is unknown.
    first_line : int
        The number of the first line, where lines are counted.
    again : str
        What to say where a judge judges an item again, behind a blank.
    by_file : tuple of str
        The formats of all sources that have the judge of this one named by its file; () where the table names judges.
    """

    rows: Rows
    keys: Sequence[Key] | IntArray
    names: Sequence[str | None]
    judges: Sequence[str]
    criteria: Sequence[str | None]
    scores: Sequence[float] | FloatArray
    kind: str = SYSTEM
    hint: str = ""
    first_line: int = 1
    again: str = ""
    by_file: tuple[str, ...] = ()

    @classmethod
    def from_judgments(
        cls, location: str, judgments: Sequence[Judgment], kind: str = SYSTEM, hint: str = ""
    ) -> JudgmentRows:
        """Return judgments, line by line, as a table."""
        keys: Sequence[Any] | IntArray = [judgment.key for judgment in judgments]
        if keys and isinstance(keys[0], int):
            keys = np.array(keys, dtype=np.int32)
        columns = map(list, zip(*judgments, strict=True)) if judgments else ([] for _ in Judgment._fields)
        lines, _, names, judges, criteria, scores = columns
        return cls(Rows(location, lines), keys, names, judges, criteria, scores, kind, hint)

    def at(self, rows: Sequence[int], kind: str) -> JudgmentRows:
        """Return the judgments of some rows."""

        def chosen(column: Sequence[T]) -> list[T]:
            return [column[row] for row in rows]

        return replace(
            self,
            rows=Rows(self.rows.location, chosen(self.rows.lines)),
            keys=self.keys[rows] if isinstance(self.keys, np.ndarray) else chosen(self.keys),
            names=chosen(self.names),
            judges=chosen(self.judges),
            criteria=chosen(self.criteria),
            scores=np.asarray(self.scores, dtype=np.float64)[rows],
            kind=kind,
        )


@dataclass(frozen=True)
class Resolver:
    """Looks up the names of judgments.

    Attributes
    ----------
    segments : SegmentIndex
    criteria : mapping of str to Criterion
        All that occur.
    declared : mapping of str to str
        Words for where criteria are declared.
    problems : Problems
        Takes what is wrong, each with its place.
    """

    segments: SegmentIndex
    criteria: Mapping[str, Criterion]
    declared: Mapping[str, str]
    problems: Problems

    def resolve(
        self,
        blocks: Sequence[JudgmentRows],
        systems: Sequence[str],
        references: Sequence[str],
        files: Mapping[str, str],
    ) -> tuple[Judgments, Judgments, tuple[str, ...]]:
        """Look up all names.

        Parameters
        ----------
        blocks : sequence of JudgmentRows
        systems, references : sequence of str
            The texts of the corpus. A judged reference need not be among them.
        files : mapping of str to str
            Files of names, by which judged references are sorted.

        Returns
        -------
        judgments, reference_judgments : Judgments
        judged_references : tuple of str
            What `reference_judgments.system` points to.
        """
        for block in blocks:
            if not isinstance(block.keys, np.ndarray):
                self.segments.check_documents(block.rows.location, block.keys, self.problems)
        parts = [part for block in blocks for part in _by_kind(block, set(systems), set(references))]
        names = set[str | None]().union(*(part.names for part in parts if part.kind == REFERENCE))
        judged = sorted(map(str, names - {None}))
        files = {**file_names([*systems, *references, *judged]), **files}
        judged_references = tuple(sorted(judged, key=files.__getitem__))
        of_systems = [part for part in parts if part.kind == SYSTEM]
        of_references = [part for part in parts if part.kind == REFERENCE]
        judgments = self._joined(of_systems, systems)
        reference_judgments = self._joined(of_references, judged_references)
        return judgments, reference_judgments, judged_references

    def _joined(self, parts: Sequence[JudgmentRows], names: Sequence[str]) -> Judgments:
        """Return judgments of several tables, all of systems or all of references, by indices."""
        if not any(len(part.keys) for part in parts):
            return NO_JUDGMENTS
        n_errors = len(self.problems.errors)
        judges = tuple(sorted(set().union(*(part.judges for part in parts))))
        of_criterion = positions(list(self.criteria))
        of_name = positions(names)
        of_judge = positions(judges)
        unknown_system = unknown_name(SYSTEM, names, hint="; the corpus has no texts of it.")
        columns = [
            (
                look_up(part.criteria, of_criterion, part.rows, self.problems, str),
                look_up(part.names, of_name, part.rows, self.problems, unknown_system),
                self.segments.look_up(part.keys, part.rows, self.problems, part.hint, part.first_line),
                look_up(part.judges, of_judge, part.rows, self.problems, str),
                np.asarray(part.scores, dtype=np.float64),
            )
            for part in parts
        ]
        judgments = Judgments(judges, *map(np.concatenate, zip(*columns, strict=True)))
        self._check(judgments, names, parts)
        return NO_JUDGMENTS if len(self.problems.errors) > n_errors else judgments

    def _check(self, judgments: Judgments, names: Sequence[str], parts: Sequence[JudgmentRows]) -> None:
        """Note scores outside their range, and items that a judge judged twice.

        A row of which something is unknown (-1) is checked too, as far as it goes, so that all errors are found.
        """
        tables = _JoinedTables(parts)
        self._check_ranges(judgments, tables)
        named = np.array([bool(judge) for judge in judgments.judges], dtype=bool)[judgments.judge]
        indices = (judgments.criterion, judgments.system, judgments.segment)
        complete = np.flatnonzero(np.logical_and.reduce([index >= 0 for index in indices]) & named)
        if len(complete):
            self._check_repeats(judgments, complete, names, tables)

    def _check_ranges(self, judgments: Judgments, tables: _JoinedTables) -> None:
        """Note scores outside the range of their criterion."""
        scores = judgments.score
        for position, criterion in enumerate(self.criteria.values()):
            outside = (scores < criterion.low) | (scores > criterion.high)
            rows = np.flatnonzero((judgments.criterion == position) & outside).tolist()
            if rows:
                self.problems.error(
                    tables.location_of(rows[0]),
                    f"the score {scores[rows[0]]:g} is outside the range of {criterion.name!r}, {criterion.low:g} to "
                    f"{criterion.high:g}{self.declared.get(criterion.name, '')}.{lines_in_all(len(rows))}",
                )

    def _check_repeats(
        self, judgments: Judgments, complete: IntArray, names: Sequence[str], tables: _JoinedTables
    ) -> None:
        """Note items that a judge judged twice, among the rows of which all is known."""
        criteria = list(self.criteria.values())
        judged = judgments.where(complete)
        sizes = (len(criteria), len(names), int(judged.segment.max()) + 1, len(judged.judges))
        keys = np.ravel_multi_index((judged.criterion, judged.system, judged.segment, judged.judge), sizes)
        pairs = [(int(complete[before]), int(complete[again])) for before, again in repeats(keys)]
        n_repeats = Counter(tables.number_of(again) for _, again in pairs)
        hinted = set[int]()
        # The rows of two tables that name no judges, with the numbers of the tables.
        between_tables: list[tuple[int, int, int, int]] = []
        for before, again in pairs:
            number = tables.number_of(again)
            part = tables.parts[number]
            earlier = tables.number_of(before)
            if earlier != number and tables.parts[earlier].by_file and part.by_file:
                between_tables.append((earlier, number, before, again))
                continue
            # The hint is given once for each table, and for one without judges nothing else.
            hint = "" if number in hinted else part.again
            hinted.add(number)
            if part.by_file:
                if not hint:
                    continue
                if n_repeats[number] > 1:
                    hint += f" ({n_repeats[number]} judgments in all)"
            first = tables.location_of(before)
            second = tables.location_of(again)
            file, _, line = first.rpartition(":")
            self.problems.error(
                second,
                f"judge {judgments.judges[judgments.judge[again]]!r} judged {names[judgments.system[again]]!r}, "
                f"segment {judgments.segment[again] + 1}, on {criteria[judgments.criterion[again]].name!r} already in "
                f"{f'line {line}' if file == second.rpartition(':')[0] else first}; one judge gives one score to an "
                f"item.{hint}",
            )
        if between_tables:
            involved = sorted({number for earlier, later, *_ in between_tables for number in (earlier, later)})
            advice = _several_judges_in_words([tables.parts[number] for number in involved])
            first, second = map(tables.location_of, between_tables[0][2:])
            self.problems.error(second, f"rates what {first} rates too{lines_in_all(len(between_tables))}, {advice}")


class _JoinedTables:
    """The tables whose judgments stand one after the other in arrays: where each of these stands in its file."""

    def __init__(self, parts: Sequence[JudgmentRows]) -> None:
        self.parts = parts
        self._starts = np.cumsum([0, *(len(part.keys) for part in parts)])

    def number_of(self, row: int) -> int:
        """Return the number of the table of a judgment."""
        return int(np.searchsorted(self._starts, row, side="right")) - 1

    def location_of(self, row: int) -> str:
        """Return ``file:line``."""
        number = self.number_of(row)
        return self.parts[number].rows.location_of(row - int(self._starts[number]))


def _several_judges_in_words(parts: Sequence[JudgmentRows]) -> str:
    """Explain that tables rate the same items, and none names judges."""
    finding = "and neither names its judge." if len(parts) == 2 else f"and none of {len(parts)} tables names its judge."
    # Each knows the format of its own source.
    formats = [*parts[0].by_file]
    for part in parts[1:]:
        pairs = zip(formats, part.by_file, strict=True)
        formats = [new if FILE_NAME in new else old for old, new in pairs]
    formats = formats[:1] if len(set(formats)) == 1 else formats
    return f"{finding} If each is of one judge, name the judges by their files: {typed_formats(formats)}."


def _by_kind(block: JudgmentRows, systems: set[str], references: set[str]) -> list[JudgmentRows]:
    """Return the judgments of systems and those of references that stand among them."""
    judged_references = set(block.names) & references - systems
    if block.kind == REFERENCE or not judged_references:
        return [block]
    rows: dict[str, list[int]] = {SYSTEM: [], REFERENCE: []}
    for row, name in enumerate(block.names):
        rows[REFERENCE if name in judged_references else SYSTEM].append(row)
    return [block.at(of_kind, kind) for kind, of_kind in rows.items()]
