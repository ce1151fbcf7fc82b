"""Layouts of spreadsheets that are not read: what they look like, and how to make a table of them that is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from metaeval.corpora.headers import names_rating
from metaeval.corpora.pandas_code import code_for, literal

# Two names in that of a column, cut at the last sign between them, or at the first.
_CUTS = (
    re.compile(r"(.+?)[\s_./:-]+[(\[]?([^\s_./:()\[\]-]+)[)\]]?"),
    re.compile(r"([^\s_./:()\[\]-]+)[\s_./:-]+[(\[]?(.+?)[)\]]?"),
)


@dataclass(frozen=True)
class Crossed:
    """Columns of numbers with a column for each criterion and each of several others, such as judges.

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
        """Return how columns cross two lists, None if their names are not those of all pairs of two lists."""
        for cut in _CUTS:
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

    def columns_of(self, criterion: str) -> list[str]:
        """Return the columns of a criterion."""
        return [self.column[criterion, other] for other in self.others]

    def code(self, role: str, load: str, place: str) -> str:
        """Return the line of pandas that makes a row for each of the others, who have a role."""
        whole = all(column == f"{criterion} {other}" for (criterion, other), column in self.column.items())
        if whole:
            pick = f'**{{c: t[f"{{c}} {{one}}"] for c in {literal(self.criteria)}}}'
            over = f"for one in {literal(self.others)}"
        else:
            table = {other: {c: self.column[c, other] for c in self.criteria} for other in self.others}
            pick, over = "**{c: t[column] for c, column in of.items()}", f"for one, of in {literal(table)}.items()"
        step = f"t = pandas.concat(t.assign({role}=one, {pick}) {over})"
        return code_for(load, place, [step, f"t = t.drop(columns={literal([*self.column.values()])})"])


@dataclass(frozen=True)
class BySystem:
    """Columns with the texts of a system each, and with ratings of each.

    Attributes
    ----------
    systems : list of str
        The columns with texts.
    ratings : mapping of str to list of str
        The columns with the ratings of each system, in the same order.
    """

    systems: list[str]
    ratings: Mapping[str, list[str]]

    @classmethod
    def find(cls, texts: Sequence[str], numbers: Sequence[str]) -> BySystem | None:
        """Return which columns belong to which system, None unless the latter are named by the former."""
        named: dict[str, dict[str, str]] = {text: {} for text in texts}
        for column in numbers:
            # The longest name counts, where one begins as another does.
            parts = {text: part for text in texts if (part := _without(text, column)) is not None}
            if parts:
                owner = max(parts, key=len)
                named[owner][parts[owner]] = column
        systems = [text for text in texts if named[text]]
        kinds = [*named[systems[0]]] if systems else []
        if len(systems) < 2 or any({*named[system]} != {*kinds} for system in systems):
            return None
        return cls(systems, {kind: [named[system][kind] for system in systems] for kind in kinds})

    def code(self, load: str, place: str) -> str:
        """Return the line of pandas that makes a row for each system."""
        table = {
            system: {"text": system, **{kind: of[at] for kind, of in self.ratings.items()}}
            for at, system in enumerate(self.systems)
        }
        pick = "**{name: t[column] for name, column in of.items()}"
        step = f"t = pandas.concat(t.assign(system=one, {pick}) for one, of in {literal(table)}.items())"
        columns = [*self.systems, *(column for of in self.ratings.values() for column in of)]
        return code_for(load, place, [step, f"t = t.drop(columns={literal(columns)})"])


def _without(name: str, column: str) -> str | None:
    """Return the name of a column without another that it begins or ends with, None if it does not."""
    begins = re.fullmatch(rf"{re.escape(name)}[\s_./:-]+(.+)", column)
    ends = re.fullmatch(rf"(.+?)[\s_./:-]+{re.escape(name)}", column)
    found = begins or ends
    return None if found is None else found[1]


def melted(columns: Sequence[str], others: Sequence[str], value: str, load: str, place: str) -> str:
    """Return the line of pandas that makes a row for each of some columns, whose names are those of systems."""
    kept = f"id_vars={literal([*others])}, value_vars={literal([*columns])}"
    return code_for(load, place, [f't = t.melt({kept}, var_name="system", value_name="{value}")'])


def filled_down(columns: Sequence[str], load: str, place: str) -> str:
    """Return the line of pandas that fills empty cells with what stands above."""
    names = literal([*columns])
    return code_for(load, place, [f"t[{names}] = t[{names}].ffill()"])
