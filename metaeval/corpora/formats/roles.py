"""Which column of a table is what: found by the names of the columns and by what stands in them, and said."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from metaeval.corpora.formats.delimited import Frame
from metaeval.corpora.formats.layouts import BySystem, Crossed
from metaeval.corpora.headers import (
    columns_for,
    criterion_named,
    fits_any,
    holds_scores,
    is_criterion,
    is_no_rating,
    is_one_judge,
    is_one_reference,
    plain,
)
from metaeval.corpora.lines import Files
from metaeval.errors import listing

if TYPE_CHECKING:
    from metaeval.corpora.formats.table import Table

FACTS = ("lp", "domain")
ROLES = (
    *("segment", "document", "line", "system", "reference", "text", "source", "judge", "criterion", "score"),
    *FACTS,
)


def completed(table: Table, frame: Frame, files: Files, declared: Mapping[str, str]) -> Table | None:
    """Return a table whose parameters name all columns that are read, as far as their names say what they are.

    What was found otherwise than by the name of a role is noted, with what to type for the same.

    Parameters
    ----------
    table : Table
        What the user says.
    frame : Frame
    files : Files
    declared : mapping of str to str
        The criteria that are declared, by their names in lower case.

    Returns
    -------
    Table or None
        None where two columns may be the same, or a row is of several systems, which is noted as an error.
    """
    guess = _Guess(table, frame, declared)
    head = f"{frame.place}:1"
    if guess.doubts:
        for role, columns in guess.doubts.items():
            lines = " or ".join(
                files.typed(table.written(columns=(*table.columns, f"{role}={column}"))) for column in columns[:2]
            )
            files.error(head, f"may have the {role} in the columns {listing(columns)}. Say which is meant: {lines}.")
        return None
    by_system = guess.by_system()
    if by_system is not None:
        ratings = listing(next(iter(by_system.ratings.values())), 3)
        told = f"has a column with texts for each system, {listing(by_system.systems)}, and with ratings, {ratings}."
        files.error(head, f"{told} Make a row for each system {by_system.code(frame.load, frame.place)}.")
        return None
    if guess.said:
        typed = files.typed(guess.table.written(columns=guess.named(everything=False)))
        found = f"columns were found by their names: {', '.join(guess.said.values())}."
        files.note(head, f"{found} The same in words, to be changed where it is wrong: {typed}")
    # Without a segment that is an error, and one of the columns of numbers may be it.
    crossed = Crossed.find(guess.people) if guess.people and tell_segments(guess.roles) else None
    if crossed is not None:
        files.warning(head, _what_is_crossed(crossed, guess, frame, files))
    elif guess.people and tell_segments(guess.roles):
        named = guess.named(everything=False)
        typed = files.typed(guess.table.written(columns=named, judges=guess.people, criteria=()))
        found = f"has columns of numbers, {listing(guess.people)}, that were taken for criteria."
        files.warning(head, f"{found} If they are judges, type {typed}")
    return replace(guess.table, columns=guess.named(everything=True))


def _what_is_crossed(crossed: Crossed, guess: _Guess, frame: Frame, files: Files) -> str:
    """Return what to say of columns for each criterion and each judge, or each system where no column names these."""
    role = "judge" if {"system", "reference", "text"} & guess.roles.keys() else "system"
    whose = f"of {len(crossed.criteria)} criteria ({listing(crossed.criteria)}) by {len(crossed.others)} {role}s"
    told = f"has columns of numbers that look like those {whose} ({listing(crossed.others)})."
    several = f"For all criteria, make a row for each {role} {crossed.code(role, frame.load, frame.place)}."
    if role == "system":
        return f"{told} They were taken for criteria. {several}"
    first, named = crossed.criteria[0], guess.named(everything=False)
    one = guess.table.written(columns=named, judges=(*crossed.columns_of(first),), criteria=(criterion_named(first),))
    taken = f"They were taken for {len(crossed.column)} criteria of one judge."
    return f"{told} {taken} For one criterion, here {first!r}, type {files.typed(one)}. {several}"


class _Guess:
    """What the columns of a table are."""

    def __init__(self, table: Table, frame: Frame, declared: Mapping[str, str]) -> None:
        self.frame = frame
        self.roles = dict(entry.split("=", 1) for entry in table.columns)
        self.said: dict[str, str] = {}  # of each thing that was found, in order
        self.doubts: dict[str, list[str]] = {}
        self.people: tuple[str, ...] = ()
        self.found: list[str] = []  # columns of numbers
        scored = [*table.criteria, *table.judges, *table.reference_texts]
        self.taken = {*self.roles.values(), *scored, *(entry.partition("=")[2] for entry in scored)}
        for role in self._wanted(table):
            fitting = columns_for(role, (column for column in frame.columns if column not in self.taken))
            if len(fitting) > 1:
                self.doubts[role] = fitting
            elif fitting:
                self._take(role, fitting[0])
        self._doubt_text(table)
        self.table = table
        if not self.doubts:
            self._find_references()
            self._find_scores(declared)

    def named(self, *, everything: bool) -> tuple[str, ...]:
        """Return the columns by their roles, with or without those that have the names of their roles."""
        return tuple(f"{role}={column}" for role, column in self.roles.items() if everything or role != column)

    def by_system(self) -> BySystem | None:
        """Return columns with the texts and the ratings of each system, where no column names systems."""
        if {"system", "text"} & self.roles.keys():
            return None
        cells, number = self.frame.columns, self.table.number
        rest = [name for name in cells if name not in self.taken and any(cells[name]) and not is_no_rating(name)]
        texts = [name for name in rest if not (fits_any(name) or holds_scores(name, cells[name], number))]
        return BySystem.find(texts, self.found)

    def _wanted(self, table: Table) -> list[str]:
        """Return the roles that are looked for."""
        roles = self.roles
        is_line = "segment" not in roles and columns_for("line", set(self.frame.columns) - self.taken)
        not_wanted = {
            "segment": "line" in roles or is_line,
            "line": "segment" in roles,
            "score": table.criteria or table.judges,
            "criterion": table.criteria,
            "reference": table.reference_texts,
        }
        return [role for role in ROLES if role not in roles and not not_wanted.get(role)]

    def _doubt_text(self, table: Table) -> None:
        """Doubt that a column `text` holds outputs, where another may: it may be the article that was summarised."""
        text = self.roles.get("text")
        if text is None or "source" in self.roles or f"text={text}" in table.columns:
            return
        others = columns_for("text", (column for column in self.frame.columns if column not in self.taken))
        if others:
            self.doubts["text"] = [text, *others]

    def _take(self, role: str, column: str) -> None:
        self.roles[role] = column
        self.taken.add(column)
        if role != column:
            self.said[role] = f"{role} = {column!r}"

    def _drop(self, role: str) -> str:
        """Take back that a column has a role, and return the column."""
        self.said.pop(role, None)
        return self.roles.pop(role)

    def _find_references(self) -> None:
        """Find the columns with texts of references beside those of a system."""
        table, roles = self.table, self.roles
        if table.reference_texts or not {"text", "source"} & roles.keys():
            return
        found = [column for column in self.frame.columns if column not in self.taken and is_one_reference(column)]
        column = roles.get("reference")
        if column is not None and f"reference={column}" not in table.columns and self._has_texts(column):
            found.insert(0, self._drop("reference"))
        names = {column: "reference" if plain(column) in ("ref", "reftext") else column for column in found}
        self.taken.update(found)
        self.said |= {f"ref {name}": f"the texts of reference {name!r} = {of!r}" for of, name in names.items()}
        self.table = replace(table, reference_texts=_entries(names))

    def _has_texts(self, column: str) -> bool:
        """Return whether texts, and not names, stand in the column of references."""
        roles, columns = self.roles, self.frame.columns
        if "system" not in roles:
            # A row is about a reference where nothing says that it is about a system.
            return "text" in roles and ("score" in roles or roles["text"] != "text" or column != "reference")
        given = {row for row, cell in enumerate(columns[column]) if cell}
        beside = {row for row in given if columns[roles["system"]][row]}
        values = {columns[column][row] for row in beside}
        return bool(given) and beside == given and (len(values) > 1 or len(self.frame) == 1)

    def _find_scores(self, declared: Mapping[str, str]) -> None:
        """Find the columns with scores, where no column has the name of that."""
        table, roles = self.table, self.roles
        if table.criteria or table.judges or ("score" in roles and "criterion" in roles):
            return
        if "score" in roles:
            self._take_criteria([self._drop("score")], declared)
            return
        cells = self.frame.columns
        found = [
            column for column in cells if column not in self.taken and holds_scores(column, cells[column], table.number)
        ]
        self.found = found
        judges = tuple(column for column in found if is_one_judge(column))
        if judges and judges == tuple(found):
            self.table = replace(table, judges=judges)
            self.said["judges"] = f"the scores of judges = {listing(judges)}"
        elif found:
            self._take_criteria(found, declared)
            crossed = Crossed.find(found) is not None
            if len(found) > 1 and "judge" not in roles and (crossed or not any(map(is_criterion, found))):
                self.people = tuple(found)

    def _take_criteria(self, columns: Sequence[str], declared: Mapping[str, str]) -> None:
        found = {column: criterion_named(column) for column in columns}
        names = {column: declared.get(name, name) for column, name in found.items()}
        if len(set(names.values())) < len(names):
            names = {column: column for column in columns}
        self.said |= {f"in {column}": f"criterion {name!r} = column {column!r}" for column, name in names.items()}
        self.table = replace(self.table, criteria=_entries(names))
        self.taken.update(columns)
        self.roles.pop("criterion", None)


def tell_segments(roles: Collection[str]) -> bool:
    """Return whether columns of these roles tell of which segment a row is."""
    return not {"segment", "line", "source"}.isdisjoint(roles) or ("text" in roles and "system" not in roles)


def _entries(names: Mapping[str, str]) -> tuple[str, ...]:
    """Return columns with their names as parameters have them."""
    return tuple(column if name == column else f"{name}={column}" for column, name in names.items())
