"""Layouts of spreadsheets, brought into one: a row for each system and judge, and a column for each criterion."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from metaeval.corpora.tables.delimited import Frame
from metaeval.corpora.tables.headers import fits_any, is_criterion, names_rating

# Two names in that of a column, cut at the last sign between them, or at the first.
_CUT_PATTERNS = (
    re.compile(r"(.+?)[\s_./:-]+[(\[]?([^\s_./:()\[\]-]+)[)\]]?"),
    re.compile(r"([^\s_./:()\[\]-]+)[\s_./:-]+[(\[]?(.+?)[)\]]?"),
)
# Numbers at the end of the name of a column, as in Q1_4.
_NUMBERED_NAME = re.compile(r"(.*?)[\s_./:-]*\d+(?:[\s_./:-]+\d+)*")


@dataclass(frozen=True)
class Crossed:
    """Columns of scores with a column for each criterion and each of several others, which are judges or systems.

    Attributes
    ----------
    criteria, others : list of str
    column : mapping of (str, str) to str
        The column of a criterion and one of the others.
    """

    criteria: list[str]
    others: list[str]
    column: Mapping[tuple[str, str], str]

    @classmethod
    def find(cls, columns: Sequence[str]) -> Crossed | None:
        """Find two lists that columns cross; None if their names are not those of all pairs of two lists."""
        for cut in _CUT_PATTERNS:
            parts = [cut.fullmatch(column) for column in columns]
            pairs = [(part[1], part[2]) for part in parts if part]
            first, second = ([*dict.fromkeys(names)] for names in ((a for a, _ in pairs), (b for _, b in pairs)))
            if len(set(pairs)) < len(columns) or min(len(first), len(second)) < 2:
                continue
            if len(first) * len(second) != len(pairs):
                continue
            if any(map(names_rating, second)) and not any(map(names_rating, first)):
                flipped = [(b, a) for a, b in pairs]
                return cls(second, first, dict(zip(flipped, columns, strict=True)))
            return cls(first, second, dict(zip(pairs, columns, strict=True)))
        return None

    @classmethod
    def named(cls, columns: Sequence[str], criteria: Sequence[str], others: Sequence[str]) -> Crossed | None:
        """Return the columns that cross these criteria and others; None if some pair has no column of its own."""
        column_of_pair = dict[tuple[str, str], str]()
        for criterion in criteria:
            for other in others:
                fitting = [column for column in columns if _without(criterion, column) == other]
                if len(fitting) != 1:
                    return None
                column_of_pair[criterion, other] = fitting[0]
        return cls([*criteria], [*others], column_of_pair) if column_of_pair else None

    @property
    def is_sure(self) -> bool:
        """True if the names alone say which list holds the criteria."""
        return any(map(is_criterion, self.criteria)) and not any(map(is_criterion, self.others))

    def rows(self, frame: Frame, role: str) -> Frame:
        """Return the table with a row for each of the others, whose names stand in a column called as their role."""
        of_each = {
            other: {criterion: self.column[criterion, other] for criterion in self.criteria} for other in self.others
        }
        return _melted(frame, role, of_each)


@dataclass(frozen=True)
class BySystem:
    """Columns with the texts or scores of a system each, and with ratings of each.

    Attributes
    ----------
    column : mapping of str to mapping of str to str
        The columns of each system, by what they hold: ``text``, or what is behind the name of the system.
    """

    column: Mapping[str, Mapping[str, str]]

    @classmethod
    def find(cls, texts: Sequence[str], numbers: Sequence[str]) -> BySystem | None:
        """Find the columns of each system; None unless the latter are named by the former.

        Parameters
        ----------
        texts : sequence of str
            Columns of texts, which may be called as systems.
        numbers : sequence of str
            Columns of scores.
        """
        named = _parts(texts, numbers)
        systems = [text for text in texts if named[text]]
        kinds = {*named[systems[0]]} if systems else set()
        if len(systems) < 2 or any({*named[system]} != kinds for system in systems):
            return None
        return cls({system: {"text": system, **named[system]} for system in systems})

    @classmethod
    def named(cls, columns: Sequence[str], numbers: Sequence[str], entries: Sequence[str]) -> BySystem | None:
        """Return the columns of the systems that a user names, by names or patterns; None if there are none.

        Parameters
        ----------
        columns : sequence of str
            All columns.
        numbers : sequence of str
            Those of scores.
        entries : sequence of str
        """
        named = dict.fromkeys(
            column
            for entry in entries
            for column in (
                [entry]
                if entry in columns
                else [column for column in columns if fnmatchcase(column, entry) and not fits_any(column)]
            )
        )
        owned = {column for parts in _parts([*named], numbers).values() for column in parts.values()}
        systems = [column for column in named if column not in owned]
        parts = _parts(systems, [column for column in numbers if column not in systems])
        columns_of_system = {
            system: {"score" if system in numbers else "text": system, **parts[system]} for system in systems
        }
        return cls(columns_of_system) if columns_of_system else None

    def rows(self, frame: Frame) -> Frame:
        """Return the table with a row for each system, whose name stands in a column ``system``."""
        return _melted(frame, "system", self.column)


def _parts(names: Sequence[str], columns: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return the columns that begin or end with each of some names, by what else stands in theirs."""
    parts_by_name: dict[str, dict[str, str]] = {name: {} for name in names}
    for column in columns:
        # The longest name counts, where one begins as another does.
        parts = {name: part for name in names if (part := _without(name, column)) is not None}
        if parts:
            owner = max(parts, key=len)
            parts_by_name[owner][parts[owner]] = column
    return parts_by_name


def _melted(frame: Frame, role: str, of_each: Mapping[str, Mapping[str, str]]) -> Frame:
    """Return a table with a row for each name, where other columns take the place of its own."""
    names = [*of_each]
    n = len(frame)
    kinds = [*dict.fromkeys(kind for columns in of_each.values() for kind in columns)]
    wide = frame.without(*(column for columns in of_each.values() for column in columns.values()))
    melted = wide.at([row for row in range(n) for _ in names])
    melted = melted.with_column(role, names * n)
    for kind in kinds:
        columns = [frame.columns.get(of_each[name].get(kind, ""), [""] * n) for name in names]
        absent = [frame.absent.get(of_each[name].get(kind, ""), set()) for name in names]
        melted = melted.with_column(kind, [column[row] for row in range(n) for column in columns])
        melted.absent[kind] = {row * len(names) + at for at, missing in enumerate(absent) for row in missing if row < n}
    return melted


def first_word(column: str) -> str:
    """Return the first of several words in the name of a column, or all of it if it is one."""
    match = _CUT_PATTERNS[1].fullmatch(column)
    return match[1] if match else column


def numbered_alike(columns: Sequence[str]) -> list[str]:
    """Return the columns of a table whose names differ in numbers alone, three or more; none if there are fewer."""
    stems = dict[str, list[str]]()
    for column in columns:
        if match := _NUMBERED_NAME.fullmatch(column):
            stems.setdefault(match[1], []).append(column)
    return max(stems.values(), key=len) if stems and max(map(len, stems.values())) > 2 else []


def _without(name: str, column: str) -> str | None:
    """Return the name of a column without another that it begins or ends with, None if it does not."""
    prefixed = re.fullmatch(rf"{re.escape(name)}[\s_./:-]+(?:[(\[]([^()\[\]]+)[)\]]|(.+))", column)
    suffixed = re.fullmatch(rf"(.+?)[\s_./:-]+[(\[]?{re.escape(name)}[)\]]?", column)
    match = prefixed or suffixed
    return None if match is None else match[match.lastindex or 1]


def filled_down(frame: Frame, names: Sequence[str]) -> Frame:
    """Return a table whose empty cells in some columns have what stands above them, as in merged cells."""
    filled = frame
    for name in names:
        cells = list[str]()
        last = ""
        for cell in frame.columns[name]:
            last = cell or last
            cells.append(last)
        filled = filled.with_column(name, cells)
        filled.absent.pop(name, None)
    return filled
