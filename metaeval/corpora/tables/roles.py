"""Find the roles of the columns of a table, by their names and by what stands in them, and note what was found."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from metaeval.corpora.builder import Draft
from metaeval.corpora.judgment_columns import whole_number
from metaeval.corpora.tables.delimited import Frame
from metaeval.corpora.tables.headers import (
    columns_for,
    columns_listed,
    criterion_named,
    fits_any,
    holds_scores,
    is_criterion,
    is_no_rating,
    is_one_judge,
    is_one_reference,
    names_metric,
    plain,
)
from metaeval.corpora.tables.layouts import BySystem, Crossed, first_word, numbered_alike
from metaeval.corpora.tables.prepare import Prepared
from metaeval.corpora.text_files import Files
from metaeval.errors import listing
from metaeval.parameters.calls import spelt_as

if TYPE_CHECKING:
    from metaeval.corpora.formats.table import Table

FACTS = ("lp", "domain")
_MAX_NOTE_CHARACTERS = 800  # of the columns that were found
ROLES = (
    *("segment", "document", "line", "system", "reference", "text", "source", "judge", "criterion", "score"),
    *FACTS,
)


def completed(prepared: Prepared, draft: Draft) -> Prepared | None:
    """Return a table whose parameters name all columns that are read, as far as their names say what they are.

    What was found otherwise than by the name of a role is noted, with what to type for the same.

    Parameters
    ----------
    prepared : Prepared
        What the user says.
    draft : Draft
        Has the criteria that are declared and the systems that have texts, and takes notes.

    Returns
    -------
    Prepared or None
        None where the user must say what columns are, which is noted as an error.
    """
    files = draft.files
    declared = (*draft.criteria,)
    frame = prepared.frame
    user = prepared.user
    findings = dict(prepared.findings)
    guess = _Guess(prepared.table, frame, declared)
    head = f"{frame.location}:1"
    by_system = None if guess.doubts else guess.by_system(draft.systems)
    names_nobody = not {"system", "reference", "text", "source"} & guess.roles.keys()
    is_short = sum(map(len, guess.people)) < _MAX_NOTE_CHARACTERS
    if guess.people and by_system is None and names_nobody and is_short and Crossed.find(guess.people) is None:
        files.error(head, _whose_columns(guess, None, guess.typed(user), files))
        return None
    if by_system is not None:
        systems = (*by_system.column,)
        findings["systems"] = f"a column for each system = {listing(systems)}"
        frame = by_system.rows(frame)
        user = replace(user, systems=systems)
        guess = _Guess(replace(prepared.table, columns=(*prepared.table.columns, "system=system")), frame, declared)
    crossed = Crossed.find(guess.people) if guess.people and tell_segments(guess.roles) else None
    if crossed is not None and crossed.is_sure:
        role = guess.role_beside_criteria()
        names = {column: spelt_as(criterion_named(column), declared) for column in crossed.criteria}
        criteria = _entries(names)
        others = (*crossed.others,)
        findings["crossed"] = (
            f"a column for each of the criteria {listing(crossed.criteria)} and {role}s {listing(others)}"
        )
        frame = crossed.rows(frame, role)
        user = _with_columns_of(user, role, others, criteria)
        base = replace(prepared.table, criteria=criteria, columns=(*prepared.table.columns, f"{role}={role}"))
        guess = _Guess(base, frame, declared)
    questions = _questions(guess, crossed, user, files)
    for question in questions:
        files.error(head, question)
    if questions:
        return None
    _note_columns(guess, guess.typed(user), findings, files)
    return Prepared(frame, replace(guess.table, columns=guess.named(everything=True)), user, findings)


def _questions(guess: _Guess, crossed: Crossed | None, user: Table, files: Files) -> list[str]:
    """Return what the user must say of columns whose names do not say what they are."""
    if guess.doubts:
        questions = []
        for role, columns in guess.doubts.items():
            lines = " or ".join(
                files.typed(user.written(columns=(*user.columns, f"{role}={column}"))) for column in columns[:2]
            )
            questions.append(f"may have the {role} in the columns {listing(columns)}. Say which is meant: {lines}.")
        return questions
    of_each_system = guess.table.judges or guess.people
    if user.systems and of_each_system and not (user.judges or user.criteria) and tell_segments(guess.roles):
        stems = {first_word(column) for column in of_each_system}
        of_criteria = files.typed(replace(user, criteria=of_each_system).written())
        of_judges = files.typed(
            replace(user, judges=of_each_system, criteria=tuple(stems) if len(stems) == 1 else ()).written()
        )
        question = (
            f"has columns of the systems {listing(user.systems, 6)}, and for each of them columns of numbers, "
            f"{listing(of_each_system, 6)}. If these are of judges, type {of_judges}. If they are criteria, type "
            f"{of_criteria}."
        )
        return [question]
    is_unclear = bool(numbered_alike(guess.people)) or crossed is not None
    if guess.people and tell_segments(guess.roles) and is_unclear:
        return [_whose_columns(guess, crossed, guess.typed(user), files)]
    return []


def _note_columns(guess: _Guess, typed: Table, findings: dict[str, str], files: Files) -> None:
    """Note what was found of columns, and what to type for the same; warn of numbers that were taken for criteria."""
    head = f"{guess.frame.location}:1"
    if findings or guess.findings:
        # Those with the names of their roles too, so that it is seen what is what.
        roles = {role: f"{role} = {column!r}" for role, column in guess.roles.items()}
        summary = _shortened([*(findings | roles | guess.findings).values()])
        found = "typed or found by their names" if guess.table.columns else "found by their names"
        files.note(
            head,
            f"columns were {found}: {summary}. The same in words, to be changed where it is wrong: "
            f"{files.typed(typed.written())}",
        )
    # Without a segment that is an error, and one of the columns of numbers may be it.
    if guess.people and tell_segments(guess.roles):
        judges = files.typed(replace(typed, judges=guess.people, criteria=()).written())
        files.warning(
            head,
            f"has columns of numbers, {columns_listed(guess.people)}, that were taken for criteria; if they are "
            f"judges, type {judges}",
        )


def _shortened(parts: Sequence[str]) -> str:
    """Return sentences on columns as prose, as many as a note has place for."""
    shown = list[str]()
    for part in parts:
        if shown and len(part) + sum(map(len, shown)) > _MAX_NOTE_CHARACTERS:
            return f"{', '.join(shown)} and {len(parts) - len(shown)} more"
        shown.append(part)
    return ", ".join(shown)


def _whose_columns(guess: _Guess, crossed: Crossed | None, typed: Table, files: Files) -> str:
    """Ask about columns of numbers whose names do not say whether they are of judges or criteria."""
    role = guess.role_beside_criteria()
    finding = f"has columns of numbers, {listing(guess.people, 6)}, whose names do not say what they are."
    if crossed is None:
        of_criteria = replace(typed, criteria=guess.people)
        of_others = _with_columns_of(typed, role, guess.people, ())
        ways = [("If each is of a criterion", of_criteria), (f"if each is of a {role}", of_others)]
        if role == "system":
            of_judges = _with_columns_of(typed, "judge", guess.people, ())
            one_system = "if all rows are of one system, and each column is of a"
            ways = [
                ("If each is of a system", of_others),
                (f"{one_system} judge", replace(of_judges, system="NAME")),
                (f"{one_system} criterion", replace(of_criteria, system="NAME")),
            ]
    else:
        first = (*crossed.criteria,)
        second = (*crossed.others,)
        ways = [
            (
                f"If {listing(first, 4)} are criteria and the others {role}s",
                _with_columns_of(typed, role, second, first),
            ),
            (f"if {listing(second, 4)} are criteria", _with_columns_of(typed, role, first, second)),
            ("if each column is a criterion", replace(typed, criteria=guess.people)),
        ]
    lines = "; ".join(f"{when}, type {files.typed(table.written())}" for when, table in ways)
    return f"{finding} {lines}."


def _with_columns_of(table: Table, role: str, others: tuple[str, ...], criteria: tuple[str, ...]) -> Table:
    """Return parameters that say which columns of scores are of judges, or of systems, and of which criteria."""
    if role == "judge":
        return replace(table, criteria=criteria, judges=others)
    return replace(table, criteria=criteria, judges=(), systems=others)


class _Guess:
    """A guess of the roles of the columns of a table."""

    def __init__(self, table: Table, frame: Frame, declared: Sequence[str]) -> None:
        self.frame = frame
        self.roles = dict(entry.split("=", 1) for entry in table.columns)
        self.findings: dict[str, str] = {}  # of each thing that was found, in order
        self.doubts: dict[str, list[str]] = {}
        self.people: tuple[str, ...] = ()
        self.numbers: list[str] = []  # columns of numbers
        scored = [*table.criteria, *table.metrics, *table.judges, *table.reference_texts]
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

    def typed(self, user: Table) -> Table:
        """Return the words to type for the columns that were found, beside the layout that `user` has."""
        added = {f"{role}={role}" for role in ("system", "judge")}
        table = self.table
        return replace(
            table,
            columns=tuple(entry for entry in self.named(everything=False) if entry not in added),
            criteria=user.criteria or table.criteria,
            judges=user.judges or table.judges,
            systems=user.systems,
        )

    def role_beside_criteria(self) -> str:
        """Name what columns of scores may be of besides criteria: judges, or systems where no column names these."""
        return "judge" if {"system", "reference", "text"} & self.roles.keys() else "system"

    def by_system(self, systems: Collection[str]) -> BySystem | None:
        """Return columns with the texts and the ratings of each system, where no column names systems.

        Parameters
        ----------
        systems : collection of str
            Those that have texts in other files: columns called so hold their scores.
        """
        if {"system", "text"} & self.roles.keys() or self.table.judges:
            return None
        cells = self.frame.columns
        number = self.table.number
        named = [name for name in self.numbers if name in systems]
        if len(named) > 1:
            return BySystem.named([*cells], self.numbers, named)
        others = [name for name in cells if name not in self.taken and any(cells[name]) and not is_no_rating(name)]
        texts = [name for name in others if not (fits_any(name) or holds_scores(name, cells[name], number))]
        return BySystem.find(texts, self.numbers)

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
            self.findings[role] = f"{role} = {column!r}"

    def _drop(self, role: str) -> str:
        """Take back that a column has a role, and return the column."""
        self.findings.pop(role, None)
        return self.roles.pop(role)

    def _find_references(self) -> None:
        """Find the columns with texts of references beside those of a system."""
        table = self.table
        roles = self.roles
        if table.reference_texts or not {"text", "source"} & roles.keys():
            return
        references = [column for column in self.frame.columns if column not in self.taken and is_one_reference(column)]
        column = roles.get("reference")
        if column is not None and f"reference={column}" not in table.columns and self._has_texts(column):
            references.insert(0, self._drop("reference"))
        names = {column: "reference" if plain(column) in ("ref", "reftext") else column for column in references}
        self.taken.update(references)
        for column, name in names.items():
            self.findings[f"ref {name}"] = f"the texts of reference {name!r} = {column!r}"
        self.table = replace(table, reference_texts=_entries(names))

    def _has_texts(self, column: str) -> bool:
        """Return whether texts, and not names, stand in the column of references."""
        roles = self.roles
        columns = self.frame.columns
        if "system" not in roles:
            # A row is about a reference where nothing says that it is about a system.
            return "text" in roles and ("score" in roles or roles["text"] != "text" or column != "reference")
        filled = {row for row, cell in enumerate(columns[column]) if cell}
        with_system = {row for row in filled if columns[roles["system"]][row]}
        values = {columns[column][row] for row in with_system}
        return bool(filled) and with_system == filled and (len(values) > 1 or len(self.frame) == 1)

    def _find_scores(self, declared: Sequence[str]) -> None:
        """Find the columns with scores, where no column has the name of that."""
        table = self.table
        roles = self.roles
        cells = self.frame.columns
        if table.criteria or table.judges:
            free = [column for column in cells if column not in self.taken and names_metric(column)]
            self._take_metrics([column for column in free if holds_scores(column, cells[column], table.number)])
            return
        if "score" in roles and "criterion" in roles:
            return
        if "score" in roles:
            # Ratings inside the values of other columns stand beside it.
            inner = [
                name
                for name in self.frame.paths
                if name not in self.taken and name in cells and holds_scores(name, cells[name], table.number)
            ]
            self._take_criteria([self._drop("score"), *inner], declared)
            return
        numbers = [
            column
            for column in cells
            if column not in self.taken
            and holds_scores(column, cells[column], table.number)
            and not self._counts_segments(column)
        ]
        self.numbers = numbers = self._take_metrics(numbers)
        judges = tuple(column for column in numbers if is_one_judge(column))
        if judges and judges == tuple(numbers):
            self.table = replace(table, judges=judges)
            self.findings["judges"] = f"the scores of judges = {listing(judges)}"
        elif numbers:
            self._take_criteria(numbers, declared)
            crossed = Crossed.find(numbers) is not None or len({first_word(column) for column in numbers}) == 1
            if len(numbers) > 1 and "judge" not in roles and (crossed or not any(map(is_criterion, numbers))):
                self.people = tuple(numbers)

    def _counts_segments(self, column: str) -> bool:
        """Return whether a column holds the numbers of the segments, which another column names too: no scores."""
        if is_criterion(column) or names_metric(column) or is_one_judge(column):
            return False
        cells = self.frame.columns
        roles = {role: self.roles.get(role) for role in ("document", "segment", "line", "source")}
        # A column that was typed may not be there.
        named = {role: cells[name] for role, name in roles.items() if name in cells}
        if not {"segment", "line", "source"} & named.keys():
            return False
        numbers = [whole_number(cell.strip()) for cell in cells[column]]
        distinct = [*dict.fromkeys(number for number in numbers if number is not None)]
        if None in numbers or not 2 < len(distinct) < len(numbers):
            return False
        # Scores on which all systems agree are as many as segments too, but seldom count up.
        if distinct != [*range(distinct[0], distinct[0] + len(distinct))]:
            return False
        segments = [*zip(*named.values(), strict=True)]
        return len({*segments}) == len({*zip(numbers, segments, strict=True)}) == len(distinct)

    def _take_metrics(self, columns: Sequence[str]) -> list[str]:
        """Take the columns that are called as automatic metrics for their scores, and return the others."""
        metrics = [] if self.table.metrics else [column for column in columns if names_metric(column)]
        if metrics:
            self.findings["metrics"] = f"scores of the metrics {listing(metrics)}"
            self.table = replace(self.table, metrics=tuple(metrics))
            self.taken.update(metrics)
        return [column for column in columns if column not in metrics]

    def _take_criteria(self, columns: Sequence[str], declared: Sequence[str]) -> None:
        names = {column: spelt_as(criterion_named(column), declared) for column in columns}
        if len(set(names.values())) < len(names):
            names = {column: column for column in columns}
        self.findings |= {f"in {column}": f"criterion {name!r} = column {column!r}" for column, name in names.items()}
        self.table = replace(self.table, criteria=_entries(names))
        self.taken.update(columns)
        self.roles.pop("criterion", None)


def tell_segments(roles: Collection[str]) -> bool:
    """Return whether columns of these roles tell of which segment a row is."""
    return not {"segment", "line", "source"}.isdisjoint(roles) or ("text" in roles and "system" not in roles)


def _entries(names: Mapping[str, str]) -> tuple[str, ...]:
    """Return columns with their names as parameters have them."""
    return tuple(column if name == column else f"{name}={column}" for column, name in names.items())
