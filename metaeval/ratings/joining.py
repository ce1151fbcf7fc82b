"""Join tables of ratings on the same items, as where people and a judge have a file each.

The columns that tell items apart may be called differently in each table. They are joined where their values leave no
doubt: ids that are shared, or texts and other columns whose values are all different and mostly shared.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from metaeval.corpora.tables.delimited import Frame
from metaeval.corpora.tables.load import PartLine
from metaeval.errors import UsageError, as_typed, counted, listing
from metaeval.ratings.recognition import ANSWER_COLUMNS, QUESTION_COLUMNS, ROLES, Columns, plain, recognise_in_part
from metaeval.ratings.table import LENGTHS

# The column with the items of all tables, where these are told apart by columns that are no ids in all of them.
ITEM = "item in all tables"
# Values of the smaller table that the larger one must have, so that two columns are taken for the same items.
_MIN_SHARED = 0.8
_MIN_SHARED_VALUES = 5
# Roles whose columns get the name that they have in the first table.
_RENAMED_ROLES = ("document", "turn", "system", "system_a", "system_b", "rater", "value", "criterion")
# What may tell apart several items of one id.
_FURTHER_KEYS = ("turn", "system", "system_a", "system_b")
_WHOLE_NUMBER = re.compile(r"(-?\d+)\.0+")


@dataclass(frozen=True)
class _Table:
    """A table to be joined, with what its columns hold."""

    frame: Frame
    columns: Columns

    @property
    def location(self) -> str:
        """The file."""
        return self.frame.location

    @property
    def answer_columns(self) -> set[str]:
        """The columns that hold answers."""
        of_raters = (column for of_rater in self.columns.answers.values() for column, _ in of_rater)
        return {*of_raters, *(column for column, _ in self.columns.values)}

    def values(self, names: Sequence[str]) -> list[str]:
        """Return the cells of some columns, in each row."""
        cells = zip(*(self.frame.columns[name] for name in names), strict=True)
        return [" / ".join(_same_number(cell.strip()) for cell in row) for row in cells]


@dataclass(frozen=True)
class _Match:
    """Columns of two tables that hold the same items."""

    first: tuple[str, ...]
    second: tuple[str, ...]
    shared: int
    smaller: int
    pairs: frozenset[tuple[int, int]]


def join_tables(
    frames: Sequence[Frame], *, judges: Sequence[str], people: Sequence[str], columns: Sequence[str], document: str
) -> tuple[Frame, tuple[str, ...], list[str]]:
    """Return the rows of several tables as one, with the items called the same in all of them.

    Parameters
    ----------
    frames : sequence of Frame
    judges, people, columns, document
        As a user named them; of ``item=COLUMN`` there may be one for each table.

    Returns
    -------
    Frame
        Its lines say of which table they are.
    tuple of str
        What is left to say of its columns, as ``item=COLUMN``.
    list of str
        How the tables were joined, and how many items are in one of them alone.

    Raises
    ------
    UsageError
        If the values leave it open which columns hold the same items.
    """
    tables = [
        _Table(frame, recognise_in_part(frame, judges=judges, people=people, columns=columns, document=document))
        for frame in frames
    ]
    tables = _with_same_names(_with_rows_of_ratings(tables))
    tables, item, notes = _with_same_items(tables, columns)
    tables = _with_further_keys(tables, item)
    tables = _with_raters_once(tables, item)
    notes += _alone(tables, item)
    known = {name for table in tables for name in table.frame.columns}
    rest = [entry for entry in columns if entry.partition("=")[2] in known and not entry.startswith("item=")]
    unknown = [entry for entry in columns if not any(entry.partition("=")[2] in frame.columns for frame in frames)]
    return _one_after_another([table.frame for table in tables]), (f"item={item}", *rest, *unknown), notes


def _with_rows_of_ratings(tables: Sequence[_Table]) -> list[_Table]:
    """Return tables of which, where one has a row for each rating, all have."""
    long = next((table.columns for table in tables if table.columns.is_long), None)
    if long is None:
        return [*tables]
    rater, value = long.roles["rater"], long.values[0][0]
    return [table if table.columns.is_long else _with_a_row_a_rating(table, rater, value) for table in tables]


def _with_a_row_a_rating(table: _Table, rater: str, value: str) -> _Table:
    """Return a table with a column for each rater as one with a row for each rating, where it holds nothing else."""
    frame, columns = table.frame, table.columns
    is_plain = all(len(of_rater) == 1 and of_rater[0][1] == 0 for of_rater in columns.answers.values())
    if columns.by_scores or not columns.answers or not is_plain or {rater, value} & frame.columns.keys():
        return table
    column_of = {name: of_rater[0][0] for name, of_rater in columns.answers.items()}
    rows = [row for row in range(len(frame)) for _ in column_of]
    cells = [frame.columns[column][row] for row in range(len(frame)) for column in column_of.values()]
    made = frame.at(rows).without(*column_of.values())
    made = made.with_column(rater, [*column_of] * len(frame)).with_column(value, cells)
    raters = {
        "judges": (*frame.settings.get("judges", ()), *columns.judges),
        "people": (*frame.settings.get("people", ()), *columns.people),
    }
    return _Table(
        replace(made, settings={**frame.settings, **raters}),
        replace(columns, roles={**columns.roles, "rater": rater, "value": value}, values=((value, 0),), answers={}),
    )


def _with_same_names(tables: Sequence[_Table]) -> list[_Table]:
    """Return tables whose columns have the names that those of the same role have in the first table with one."""
    names = dict[str, str]()
    for table in tables:
        for role in _RENAMED_ROLES:
            if role in table.columns.roles:
                names.setdefault(role, table.columns.roles[role])
    renamed = list[_Table]()
    for table in tables:
        new = {table.columns.roles[role]: name for role, name in names.items() if role in table.columns.roles}
        new = {old: name for old, name in new.items() if old != name and name not in table.frame.columns}
        renamed.append(_renamed(table, new))
    return renamed


def _renamed(table: _Table, new: dict[str, str]) -> _Table:
    """Return a table with new names of some columns."""
    if not new:
        return table
    frame, columns = table.frame, table.columns
    renamed_frame = replace(
        frame,
        columns={new.get(name, name): cells for name, cells in frame.columns.items()},
        absent={new.get(name, name): rows for name, rows in frame.absent.items()},
    )
    renamed_columns = replace(
        columns,
        roles={role: new.get(name, name) for role, name in columns.roles.items()},
        values=_with_new_names(columns.values, new),
        answers={rater: _with_new_names(of_rater, new) for rater, of_rater in columns.answers.items()},
    )
    return _Table(renamed_frame, renamed_columns)


def _with_new_names(answers: Sequence[tuple[str, int]], new: dict[str, str]) -> tuple[tuple[str, int], ...]:
    """Return columns of answers with new names."""
    return tuple((new.get(name, name), shown) for name, shown in answers)


def _with_same_items(tables: Sequence[_Table], columns: Sequence[str]) -> tuple[list[_Table], str, list[str]]:
    """Return tables with a column of items that has the same name in all, that name, and how they were joined."""
    first, *others = tables
    matches = [_match(first, other, columns) for other in others]
    firsts = {match.first for match in matches}
    if len(firsts) > 1:
        shown = "; ".join(
            f"{other.location} by {listing(match.first)}" for other, match in zip(others, matches, strict=True)
        )
        raise UsageError(
            f"{first.location}: must be joined with all other tables by the same column; the values say {shown}. "
            + _how_to_name(tables)
        )
    (keys,) = firsts
    item = keys[0] if len(keys) == 1 and all(len(match.second) == 1 for match in matches) else ITEM
    made = [first.frame.with_column(item, first.values(keys))]
    notes = list[str]()
    for other, match in zip(others, matches, strict=True):
        frame = other.frame
        if item != ITEM and item not in match.second and item in frame.columns:
            frame = frame.with_column(f"{item} of {frame.location}", frame.columns[item])
        made.append(frame.without(*match.second).with_column(item, other.values(match.second)))
        if match.first == match.second:
            how = f"{listing(match.first)}, of which {counted(match.shared, 'value')} are in both"
        else:
            how = (
                f"its {listing(match.second)} and {listing(match.first)} of {first.location}, which share "
                f"{counted(match.shared, 'value')}"
            )
        notes.append(f"joined with {other.location} by {how}")
    joined = [_Table(frame, _columns_in(frame, table.columns)) for frame, table in zip(made, tables, strict=True)]
    return joined, item, notes


def _columns_in(frame: Frame, columns: Columns) -> Columns:
    """Return what columns hold, without those that a table has no more because they became its items."""
    return replace(columns, roles={role: name for role, name in columns.roles.items() if name in frame.columns})


def _match(first: _Table, second: _Table, columns: Sequence[str]) -> _Match:
    """Return the columns of two tables that hold the same items.

    Raises
    ------
    UsageError
        If there are none, or several that join the rows in different ways.
    """
    ids = [[(name,) for name in _ids(table, columns)] for table in (first, second)]
    same = [match for match in _matches(first, second, *ids) if match.first == match.second]
    are_parts = first.frame.columns.keys() == second.frame.columns.keys()
    if same and (same[0].shared or are_parts):
        return same[0]
    texts = [[*_texts(table)] for table in (first, second)]
    rest = [[(name,) for name in table.frame.columns if _names_items(table, name)] for table in (first, second)]
    for candidates, must_differ in ((ids, False), (texts, True), (rest, True)):
        sure = [
            match
            for match in _matches(first, second, *candidates)
            if _is_sure(first, second, match)
            and not (must_differ and not (_tells_apart(first, match.first) and _tells_apart(second, match.second)))
        ]
        best = [match for match in sure if match.shared == max(other.shared for other in sure)]
        if len({match.pairs for match in best}) > 1:
            shown = "; ".join(f"{listing(match.first)} with {listing(match.second)}" for match in best[:3])
            raise UsageError(
                f"{first.location} and {second.location} can be joined in several ways, which pair different rows: "
                f"{shown}. " + _how_to_name((first, second))
            )
        if best:
            return best[0]
    raise UsageError(_why_not(first, second, ids))


def _ids(table: _Table, columns: Sequence[str]) -> list[str]:
    """Return the columns that are called like ids; the one that a user named where there is one."""
    entries = [entry.partition("=")[2] for entry in columns if entry.startswith("item=")]
    named = [name for name in entries if name in table.frame.columns]
    if named:
        return named[:1]
    known = (*ROLES["item"], *ROLES["segment"])
    names = [name for name in table.frame.columns if plain(name) in known and name not in table.answer_columns]
    return sorted(names, key=lambda name: known.index(plain(name)))


def _texts(table: _Table) -> Iterator[tuple[str, ...]]:
    """Yield the columns with questions, with answers, and both together, where a table has them."""
    used = table.answer_columns.union(name for role, name in table.columns.roles.items() if role not in LENGTHS)
    names = {plain(name): name for name in reversed([*table.frame.columns]) if name not in used}
    questions = [names[short] for short in QUESTION_COLUMNS if short in names]
    answers = [names[short] for short in ANSWER_COLUMNS if short in names]
    yield from ((name,) for name in questions)
    yield from ((question, answer) for question in questions for answer in answers)
    yield from ((name,) for name in answers)


def _tells_apart(table: _Table, names: Sequence[str]) -> bool:
    """Return whether columns differ in each row, or in a table of ratings in each row of a rater."""
    values: list[Any] = table.values(names)
    if table.columns.is_long:
        rater = table.frame.columns[table.columns.roles["rater"]]
        values = [*zip(values, rater, strict=True)]
    return len(set(values)) == len(values) and "" not in values


def _names_items(table: _Table, name: str) -> bool:
    """Return whether a column of any name tells items apart; numbers in a row may only be those of its own rows."""
    if name in table.answer_columns:
        return False
    return _tells_apart(table, (name,)) and not all(map(str.isdigit, table.values((name,))))


def _matches(
    first: _Table, second: _Table, of_first: Sequence[tuple[str, ...]], of_second: Sequence[tuple[str, ...]]
) -> Iterator[_Match]:
    """Yield pairs of columns of two tables with the values that they share."""
    for names, others in product(of_first, of_second):
        rows, other_rows = _rows(first.values(names)), _rows(second.values(others))
        shared = rows.keys() & other_rows.keys()
        pairs = frozenset((rows[value], other_rows[value]) for value in shared)
        yield _Match(names, others, len(shared), min(len(rows), len(other_rows)), pairs)


def _rows(values: Sequence[str]) -> dict[str, int]:
    """Return the first row of each value."""
    rows = dict[str, int]()
    for at, value in enumerate(values):
        if value:
            rows.setdefault(value, at)
    return rows


def _is_sure(first: _Table, second: _Table, match: _Match) -> bool:
    """Return whether two columns are beyond doubt the same items: they share nearly all values of the smaller one.

    Numbers in a row, such as 0 to 59 and 1 to 60, may share nearly all by accident and must share all.
    """
    if match.shared < _MIN_SHARED_VALUES and match.shared < match.smaller:
        return False
    are_counted = all(
        value.isdigit()
        for table, names in ((first, match.first), (second, match.second))
        for value in table.values(names)
    )
    return bool(match.shared) and match.shared >= (1 if are_counted else _MIN_SHARED) * match.smaller


def _same_number(cell: str) -> str:
    """Return a whole number without its decimals, as where a program has written ids as 1.0 and 2.0."""
    whole = _WHOLE_NUMBER.fullmatch(cell)
    return whole[1] if whole else cell


def _why_not(first: _Table, second: _Table, ids: Sequence[Sequence[tuple[str, ...]]]) -> str:
    """Return the message for two tables whose items cannot be brought together."""
    said = []
    for table, names in zip((first, second), ids, strict=True):
        if names:
            (name,) = names[0]
            values = [*dict.fromkeys(table.values((name,)))]
            said.append(f"{table.location} has {name!r} with {listing(values, 3)}")
        else:
            said.append(f"{table.location} has no column of ids, but {listing(table.frame.columns, 6)}")
    counts = [sorted(map(int, set(table.values(names[0])))) for table, names in zip((first, second), ids, strict=True)
              if names and all(value.isdigit() for value in table.values(names[0]))]  # fmt: skip
    if len(counts) == 2 and {counts[0][0], counts[1][0]} == {0, 1} and len(counts[0]) == len(counts[1]):
        cause = "One seems to count from 0 and the other from 1: add 1 to the smaller ones. "
    else:
        cause = ""
    return (
        f"{first.location} and {second.location} must share values that say which rows are on the same item; "
        f"{' and '.join(said)}. {cause}" + _how_to_name((first, second))
    )


def _how_to_name(tables: Sequence[_Table]) -> str:
    """Return the words to type to name the column of items of each table."""
    typed = as_typed(
        terminal="--columns " + " ".join(f"item=COLUMN{at}" for at, _ in enumerate(tables, start=1)),
        python="columns=[" + ", ".join(f'"item=COLUMN{at}"' for at, _ in enumerate(tables, start=1)) + "]",
    )
    return f"Where a column of each holds the same ids or texts, name them, in any order: {typed}."


def _with_further_keys(tables: Sequence[_Table], item: str) -> list[_Table]:
    """Return tables that all say of which system and turn an item is, where only some of them do.

    Raises
    ------
    UsageError
        If an item has several, so that it cannot be known which of them a table without them means.
    """
    made = [*tables]
    for role in _FURTHER_KEYS:
        having = [table for table in made if role in table.columns.roles]
        if not having or len(having) == len(made):
            continue
        name = having[0].columns.roles[role]
        known = dict[str, str]()
        for table in having:
            cells = table.frame.columns
            for item_name, value in zip(cells[item], cells[name], strict=True):
                if known.setdefault(item_name, value) != value:
                    without = next(table.location for table in made if role not in table.columns.roles)
                    raise UsageError(
                        f"{table.location}: the item {item_name!r} has several values of {name!r}, "
                        f"{known[item_name]!r} and {value!r}, and {without} does not say which of them it rates. "
                        f"Give it a column {name!r}."
                    )
        for at, table in enumerate(made):
            if role not in table.columns.roles:
                cells_of_role = [known.get(item_name, "") for item_name in table.frame.columns[item]]
                made[at] = replace(table, frame=table.frame.with_column(name, cells_of_role))
    return made


def _with_raters_once(tables: Sequence[_Table], item: str) -> list[_Table]:
    """Return tables in which no rater of one table rates the same item in another.

    Raises
    ------
    UsageError
        If a rater has different answers there: they are probably two raters.
    """
    made = list[_Table]()
    known = dict[tuple[str, ...], tuple[str, str]]()
    for table in tables:
        again = list[tuple[str, int]]()
        known_of_table = dict[tuple[str, ...], tuple[str, str]]()
        for key, column, row in _ratings(table, item):
            answer = table.frame.columns[column][row].strip()
            if key not in known:
                known_of_table[key] = (answer, table.location)
                continue
            before, location = known[key]
            if before != answer:
                raise UsageError(_why_two_raters(table, location, key, (before, answer)))
            again.append((column, row))
        known |= known_of_table
        frame = table.frame
        for column in dict.fromkeys(name for name, _ in again):
            rows = {row for name, row in again if name == column}
            frame = frame.with_column(
                column, ["" if row in rows else cell for row, cell in enumerate(frame.columns[column])]
            )
        made.append(replace(table, frame=frame))
    return made


def _ratings(table: _Table, item: str) -> Iterator[tuple[tuple[str, ...], str, int]]:
    """Yield the rater and item of each rating of a table, with the column and the row of the answer."""
    frame, columns = table.frame, table.columns
    names = [item, *(columns.roles[role] for role in (*_FURTHER_KEYS, "criterion") if role in columns.roles)]
    for row in range(len(frame)):
        key = tuple(frame.columns[name][row] for name in names)
        for column, _ in columns.values:
            if frame.columns[column][row].strip():
                yield (*key, frame.columns[columns.roles["rater"]][row].strip(), ""), column, row
        for rater, of_rater in columns.answers.items():
            for at, (column, _) in enumerate(of_rater):
                if frame.columns[column][row].strip():
                    yield (*key, rater, str(at) if at else ""), column, row


def _why_two_raters(table: _Table, location: str, key: Sequence[str], answers: tuple[str, str]) -> str:
    """Return the message for a rater with different answers on the same item in two tables."""
    rater = key[-2]
    where = " in the column of raters" if table.columns.is_long else ", which are those of their columns"
    return (
        f"{location} and {table.location} both have ratings of {rater!r}, and they differ: of the item {key[0]!r} "
        f"{answers[0]!r} in {location} and {answers[1]!r} in {table.location}. If these are two raters, give them "
        f"different names{where}, such as {f'{rater}_1'!r} and {f'{rater}_2'!r}, or those of the models. "
        "If one rater was asked twice, put all its answers into one table with a row for each rating."
    )


def _alone(tables: Sequence[_Table], item: str) -> list[str]:
    """Describe the items of each table that no other table has."""
    sets = [{*table.frame.columns[item]} for table in tables]
    notes = []
    for at, (table, items_of_table) in enumerate(zip(tables, sets, strict=True)):
        others = set().union(*(of for other, of in enumerate(sets) if other != at))
        if alone := items_of_table - others:
            verb = "is" if len(alone) == 1 else "are"
            notes.append(
                f"of {counted(len(items_of_table), 'item')} of {table.location}, {len(alone)} {verb} in no other table"
            )
    return notes


def _one_after_another(frames: Sequence[Frame]) -> Frame:
    """Return the rows of several tables as one, whose lines say of which table they are."""
    names = dict.fromkeys(name for frame in frames for name in frame.columns)
    columns = {
        name: [cell for frame in frames for cell in frame.columns.get(name, [""] * len(frame))] for name in names
    }
    lines = [PartLine.in_part(line, frame.location) for frame in frames for line in frame.lines]
    unread = tuple(dict.fromkeys(name for frame in frames for name in frame.names if name not in names))
    settings: dict[str, Any] = {
        key: tuple(dict.fromkeys(name for frame in frames for name in frame.settings.get(key, ())))
        for key in ("criteria", "judges", "people")
    }
    settings["words"] = {word: number for frame in frames for word, number in frame.settings.get("words", {}).items()}
    return Frame(" + ".join(frame.location for frame in frames), lines, columns, unread=unread, settings=settings)
