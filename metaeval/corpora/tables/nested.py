"""Values that hold others, such as ``{"adequacy": 4}`` or ``[4, 5]``: keys become columns, and lists become rows.

Of the values under keys, those are read that may be ratings or that the names of their keys say to be a system, a text
or another role. Lists become rows where they hold a rating or an output of each of several systems or judges.
"""

from __future__ import annotations

import ast
import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from metaeval.corpora.judgment_columns import NUMBER
from metaeval.corpora.tables.delimited import Frame
from metaeval.corpora.tables.headers import (
    ALIASES,
    columns_for,
    holds_scores,
    is_background,
    is_criterion,
    is_no_rating,
    is_role_but_score,
    is_vector,
    names_outputs,
    names_rating,
    names_references,
    plain,
)
from metaeval.corpora.text_files import Files
from metaeval.errors import listing

if TYPE_CHECKING:
    from metaeval.corpora.formats.table import Table

# A key, or None for an element of a list, from the outside in.
Path = tuple[str | None, ...]
# The column with the place of a value in its list, or its key, where each becomes a row.
POSITION = "position"
# The column with the errors that were marked in a text, a list of objects with start, end, severity and category.
ERRORS = "errors marked in the text"
_MAX_DEPTH = 4  # lists inside lists that become rows
_MAX_PATHS = 500
_MAX_DIFFERENT_VALUES = 20
# A longer list of numbers is a vector, such as an embedding: nobody rates one text so often.
_MAX_RATINGS_IN_LIST = 64
_MAX_LABEL_CHARACTERS = 60


@dataclass
class Leaf:
    """The values at one path of a column.

    Attributes
    ----------
    row : int
        The first row that has one.
    cell : object
        What stands in its column there.
    numbers, labels : int
        How many of the values are numbers, and how many other short texts or truth values.
    texts : int
        How many are longer texts.
    different : set of str
        The first few that differ.
    """

    row: int
    cell: object
    numbers: int = 0
    labels: int = 0
    texts: int = 0
    different: set[str] = field(default_factory=set)

    def add(self, value: object) -> None:
        """Count a value."""
        text = str(value).strip()
        if isinstance(value, bool) or not (isinstance(value, int | float) or NUMBER.fullmatch(text)):
            is_label = len(text) <= _MAX_LABEL_CHARACTERS
            self.labels += is_label
            self.texts += not is_label
        else:
            self.numbers += 1
        if len(self.different) < _MAX_DIFFERENT_VALUES:
            self.different.add(text)


class Nested:
    """A column with values that hold others.

    Parameters
    ----------
    values : sequence of object
        Of each row; None where there is nothing.

    Attributes
    ----------
    leaves : dict of tuple to Leaf
        By path.
    lengths : list of int or None
        How long the lists are, row by row; None where there is no list.
    """

    def __init__(self, values: Sequence[Any]) -> None:
        self.values = values
        self.leaves = dict[Path, Leaf]()
        self.lengths = [len(value) if isinstance(value, list | tuple) else None for value in values]
        for row, value in enumerate(values):
            for path, leaf in _leaves(value):
                if path in self.leaves or len(self.leaves) < _MAX_PATHS:
                    self.leaves.setdefault(path, Leaf(row, value)).add(leaf)

    @property
    def longest(self) -> int:
        """The number of elements of the longest list."""
        return max((length or 0 for length in self.lengths), default=0)

    @property
    def keys(self) -> list[str]:
        """The outermost keys."""
        return list(dict.fromkeys(path[0] for path in self.leaves if path and path[0] is not None))


def _leaves(value: object) -> Iterator[tuple[Path, object]]:
    """Yield the values inside a value that hold nothing themselves, with their paths."""
    waiting: list[tuple[Path, object]] = [((), value)]
    while waiting:
        path, item = waiting.pop()
        if isinstance(item, Mapping):
            waiting += [((*path, str(key)), inner) for key, inner in reversed([*item.items()])]
        elif isinstance(item, list | tuple):
            waiting += [((*path, None), inner) for inner in reversed(item)]
        elif item is not None and item == item and str(item).strip():
            yield path, item


def is_nested(value: object) -> bool:
    """Return whether a value holds others."""
    return isinstance(value, Mapping | list | tuple)


def is_vector_of_numbers(value: Any) -> bool:
    """Return whether a value is a list of more numbers than anybody gives to one text, as an embedding is."""
    is_long = isinstance(value, list | tuple) and len(value) > _MAX_RATINGS_IN_LIST
    return is_long and all(isinstance(number, int | float) for number in value[:3])


def parsed_cells(cells: Sequence[str]) -> list[Any] | None:
    """Return cells of text as the values that they are as JSON or as Python writes them; None unless most are such."""
    if not any(cell.lstrip()[:1] in ("[", "{") for cell in set(cells)):
        return None
    filled = [cell for cell in cells if cell.strip()]
    if 2 * sum(cell.lstrip()[:1] in ("[", "{") for cell in filled) <= len(filled):
        return None
    values = [_parsed(cell) for cell in cells]
    return values if 2 * sum(map(is_nested, values)) > len(filled) else None


def _parsed(cell: str) -> object:
    """Parse a cell that is JSON, or that Python wrote; None for anything else."""
    if cell.strip()[:1] not in ("[", "{"):
        return None
    try:
        return json.loads(cell)
    except (ValueError, RecursionError):
        pass
    try:
        return ast.literal_eval(cell.strip())
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None


@dataclass(frozen=True)
class Unnested:
    """A table without values that hold others, as far as they are read.

    Attributes
    ----------
    frame : Frame
    user : Table
        What the user says, with what was found.
    findings : dict of str to str
        What was found, in words.
    """

    frame: Frame
    user: Table
    findings: dict[str, str]


def unnested(frame: Frame, user: Table, files: Files) -> Unnested | None:
    """Return a table whose values hold no others: keys became columns, and lists of ratings or outputs became rows.

    Parameters
    ----------
    frame : Frame
    user : Table
        What the user says of the table.
    files : Files
        Takes what is wrong: ratings that cannot be read.

    Returns
    -------
    Unnested or None
        None after noting what is wrong.
    """
    findings = dict[str, str]()
    done = set[str]()
    finder = _Finder(frame, user, done)
    for _ in range(_MAX_DEPTH):
        lists = finder.lists()
        if not lists:
            break
        role = finder.role_of_elements(lists)
        try:
            is_placed = role is not None or any(entry.endswith(f"={POSITION}") for entry in user.columns)
            frame = _rows_of_lists(frame, lists, finder.nested, position=is_placed)
        except _UnequalError as error:
            files.error(f"{frame.location}:{error.line}", str(error))
            return None
        done.update(lists)
        is_asked = set(lists) <= set(user.lists)
        user = replace(user, lists=(*dict.fromkeys((*user.lists, *lists)),))
        if role is not None:
            user = replace(user, columns=(*user.columns, f"{role}={POSITION}"))
        of_each = f"of several {role}s, called by their places," if role else "with a rating each"
        if not is_asked:
            findings[f"lists {lists[0]}"] = f"rows {of_each} in the lists {listing(lists)}"
        outputs = [name for name in lists if names_outputs(name)] if role == "system" else []
        if outputs and not any(entry.startswith("text=") for entry in user.columns):
            text = columns_for("text", frame.columns)
            source = [f"source={text[0]}"] if text and not columns_for("source", frame.columns) else []
            user = replace(user, columns=(*user.columns, f"text={outputs[0]}", *source))
        finder = _Finder(frame, user, done)
    references = finder.references()
    for name, columns in references.items():
        frame = frame.without(name)
        for new, texts in columns.items():
            frame = frame.with_values(new, texts)
        if not user.reference_texts:
            user = replace(user, reference_texts=(*columns,))
            findings[f"references {name}"] = f"the texts of references in the lists {name!r}"
    if references:
        finder = _Finder(frame, user, done)
    frame = finder.with_keys(findings)
    refused = finder.refusals()
    for row, message in refused:
        files.error(f"{frame.location}:{frame.lines[row]}", message)
    return None if refused else Unnested(frame, user, findings)


class _UnequalError(Exception):
    """Lists of one row that do not belong together: they are not equally long."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


def _rows_of_lists(frame: Frame, names: Sequence[str], nested: Mapping[str, Nested], *, position: bool) -> Frame:
    """Return a table with a row for each element of the lists, or each key of the objects, in some columns.

    A row whose lists are empty stays, with nothing in their columns.
    """
    rows = list[int]()
    positions = list[str]()
    elements = {name: list[Any]() for name in names}
    for row in range(len(frame)):
        cells = {name: nested[name].values[row] for name in names}
        filled = {name: cell for name, cell in cells.items() if cell is not None}
        keys = [*dict.fromkeys(str(key) for cell in filled.values() if isinstance(cell, Mapping) for key in cell)]
        lengths = {name: len(cell) for name, cell in filled.items() if not isinstance(cell, Mapping)}
        if len({*lengths.values()}) > 1 or (keys and lengths):
            sizes = ", ".join(f"{name!r} has {length}" for name, length in lengths.items())
            raise _UnequalError(
                frame.lines[row],
                "the lists of one row must be equally long, one value for each system or judge; "
                f"{sizes or 'got keys'}. Name those that belong together: "
                f"lists={json.dumps([*names][:1], ensure_ascii=False)}.",
            )
        n = len(keys) or max(lengths.values(), default=0)
        for at in range(max(n, 1)):
            rows.append(row)
            if n == 0:
                positions.append("")
            else:
                positions.append(keys[at] if keys else str(at + 1))
            for name in names:
                cell = filled.get(name)
                if not n or cell is None:
                    elements[name].append(None)
                else:
                    elements[name].append(cell.get(keys[at]) if isinstance(cell, Mapping) else cell[at])
    table = frame.at(rows)
    for name in names:
        table = table.with_values(name, elements[name])
    return table.with_column(POSITION, positions) if position else table


class _Finder:
    """Finds ratings, outputs and names of systems that stand inside other values of a table.

    Parameters
    ----------
    frame : Frame
    user : Table
        What the user says: columns that are named are read, whatever they hold.
    done : collection of str
        Columns whose lists became rows already.
    """

    def __init__(self, frame: Frame, user: Table, done: Collection[str]) -> None:
        self.frame = frame
        self.user = user
        self.done = done
        entries = (*user.columns, *user.criteria, *user.reference_texts)
        self.chosen = {*entries, *(entry.partition("=")[2] for entry in entries), *user.judges, *user.lists} - {""}
        self.nested = {name: Nested(values) for name, values in frame.values.items() if name != ERRORS}
        for name, cells in frame.columns.items():
            may_hold = name in self.chosen or not is_role_but_score(name)
            if may_hold and (values := parsed_cells(cells)) is not None:
                self.nested[name] = Nested(values)
        roles = {entry.partition("=")[0] for entry in user.columns}
        self.names_scores = bool(user.criteria or user.judges or "score" in roles)
        self.flat = [name for name in frame.columns if name not in self.nested]
        self.has = {role: role in roles or bool(columns_for(role, self.flat)) for role in ("system", "text", "judge")}
        self.has["system"] |= "reference" in roles
        self.has_scores = bool(self.nested) and any(
            holds_scores(name, frame.columns[name], user.number) for name in self.flat
        )
        self.taken = set[tuple[str, Path]]()

    def lists(self) -> list[str]:
        """Return the columns whose lists, or objects with a key for each system, are to become rows."""
        chosen = [name for name in self.user.lists if name in self.nested and self._may_be_rows(name)]
        if chosen:
            return chosen
        if not self.has["system"] and not any(entry.startswith("text=") for entry in self.user.columns):
            outputs = [name for name in self.nested if self._is_outputs(name)]
            if outputs:
                return [outputs[0], *self._beside(outputs[0])]
        ratings = [name for name in self.nested if self._is_list_of_ratings(name)]
        if self.has["judge"] and (self.has["system"] or self.has["text"]):
            return []  # several ratings by one judge, which nothing tells apart
        return [ratings[0], *(name for name in self._beside(ratings[0]) if name in ratings)] if ratings else []

    def _may_be_rows(self, name: str) -> bool:
        column = self.nested[name]
        return column.longest > 0 or (bool(column.keys) and name not in self.done)

    def _beside(self, name: str) -> list[str]:
        """Return the columns whose lists belong to those of another: equally long in each row, or of the same keys."""
        first = self.nested[name]
        columns_beside = []
        for other, second in self.nested.items():
            if other == name or not (self._ratings(other) or names_outputs(other)):
                continue
            same_keys = bool(first.keys) and set(second.keys) <= set(first.keys)
            if same_keys or (not first.keys and not second.keys and first.lengths == second.lengths):
                columns_beside.append(other)
        return columns_beside

    def references(self) -> dict[str, dict[str, list[Any]]]:
        """Return the columns with lists of texts of references, each as a column for each of these."""
        columns_of_references = dict[str, dict[str, list[Any]]]()
        for name, column in self.nested.items():
            has_texts = [*column.leaves] == [(None,)] and not column.leaves[None,].numbers
            if has_texts and names_references(name):
                width = column.longest
                references = [value if isinstance(value, list | tuple) else () for value in column.values]
                columns_of_references[name] = {
                    name if width == 1 else f"{name} {at + 1}": [
                        texts[at] if at < len(texts) else None for texts in references
                    ]
                    for at in range(width)
                }
        return columns_of_references

    def role_of_elements(self, lists: Sequence[str]) -> str | None:
        """Return of what each element of the lists is one: of a system or a judge; None where a column says it."""
        if any(entry.endswith(f"={POSITION}") for entry in self.user.columns):
            return None
        inner = {key for name in lists for path in self.nested[name].leaves for key in path[1:2] if key is not None}
        if not self.has["system"] and (any(map(self._is_outputs, lists)) or not self.has["text"]):
            return None if columns_for("system", inner) else "system"
        return None if self.has["judge"] or columns_for("judge", inner) else "judge"

    def with_keys(self, findings: dict[str, str]) -> Frame:
        """Return the table with a column for each value under keys that is read, and tell which these are."""
        frame = self.frame
        for name, column in self.nested.items():
            chosen = self._one_of_several(name) or self._chosen(name, {*frame.columns} - {name})
            ratings = self._ratings(name)
            for path in chosen.values():
                self.taken.add((name, path))
                self.has_scores |= path in ratings
            for new, path in chosen.items():
                values = [_at(value, path) for value in column.values]
                frame = frame.with_values(new, values, path=_written(name, path))
            if chosen and name not in chosen:
                frame = frame.without(name)
            renamed = [new for new in chosen if new != name]
            if renamed:
                findings[f"keys {name}"] = f"{listing(renamed)} = keys of {name!r}"
        return frame

    def _chosen(self, name: str, taken: Collection[str]) -> dict[str, Path]:
        """Return the paths of a column whose values are read, by the names of their columns, which are not taken."""
        column = self.nested[name]
        ratings = self._ratings(name) if not self.names_scores else {}
        paths = []
        for path in column.leaves:
            if not self._is_single(name, path):
                continue
            last, full = _last(name, path), _written(name, path)
            is_asked = full in self.chosen or (any(path) and last in self.chosen) or (not path and name in self.chosen)
            is_inside = any(path) and None not in path and not any(map(is_vector, [name, *filter(None, path)]))
            is_role = is_inside and is_role_but_score(last)
            if is_asked or is_role or path in ratings:
                paths.append(path)
        if not paths and name in self.chosen:
            single = [path for path in self._ratings(name) or column.leaves if self._is_single(name, path)]
            return dict.fromkeys([name], single[0]) if len(single) == 1 else {}
        if len(paths) == 1 and paths[0] in ratings and is_criterion(name):
            last = _last(name, paths[0])
            if not is_criterion(last) or plain(last) in ALIASES["score"]:
                return {name: paths[0]}  # what is rated stands in its name, and not in that of its key
        counts = Counter(_last(name, path) for path in paths)
        return {
            (last if counts[last] == 1 and last not in taken else _written(name, path)): path
            for path in paths
            for last in [_last(name, path)]
        }

    def _one_of_several(self, name: str) -> dict[str, Path]:
        """Return the columns of ratings that are keys, of which one is chosen: ``{"adequacy": {"4": true}}``."""
        leaves = [path for path in self._ratings(name) if path]
        if not leaves or not all(path[-1] is not None and NUMBER.fullmatch(path[-1]) for path in leaves):
            return {}
        return {_last(name, path[:-1]): path[:-1] for path in dict.fromkeys(leaves) if None not in path}

    def _is_single(self, name: str, path: Path) -> bool:
        """Return whether a row has at most one value at a path, as lists on the way have one element."""
        if None not in path:
            return True
        return all(_most_at(value, path) < 2 for value in self.nested[name].values)

    def _ratings(self, name: str) -> dict[Path, Leaf]:
        """Return the values of a column that may be ratings, by their paths."""
        column = self.nested[name]
        leaves = {path: leaf for path, leaf in column.leaves.items() if self._is_rating(name, path, leaf, column)}
        named = {path: leaf for path, leaf in leaves.items() if names_rating(_last(name, path))}
        return named or leaves

    def _is_rating(self, name: str, path: Path, leaf: Leaf, column: Nested) -> bool:
        parts = [name, *filter(None, path)]
        last = _last(name, path)
        if any(map(is_vector, parts)) or is_no_rating(last) or (len(parts) > 1 and is_role_but_score(last)):
            return False
        is_named = any(map(names_rating, parts))
        if leaf.labels and not leaf.numbers:
            may_be = len(leaf.different) < _MAX_DIFFERENT_VALUES and not any(map(is_no_rating, parts))
            return is_named and may_be and not (self.has_scores or leaf.texts)
        if not leaf.numbers or leaf.texts or (None in path and column.longest > _MAX_RATINGS_IN_LIST):
            return False
        # Numbers that nobody calls ratings may be, where they differ and there are no others.
        return is_named or not (self.has_scores or len(leaf.different) < 2 or any(map(is_background, parts)))

    def _is_outputs(self, name: str) -> bool:
        """Return whether the texts of several systems stand in one cell."""
        column = self.nested[name]
        texts = [
            path for path, leaf in column.leaves.items() if len(path) == 1 and leaf.labels + leaf.texts > leaf.numbers
        ]
        return bool(texts) and names_outputs(name) and (column.longest > 1 or len(column.keys) > 1)

    def _is_list_of_ratings(self, name: str) -> bool:
        """Return whether the cells of a column are lists with a rating, or an object with a rating, in each element."""
        column = self.nested[name]
        leaves = self._ratings(name)
        if column.longest < 2 or not leaves or (self.names_scores and name not in self.chosen):
            return False
        return all(
            path[:1] == (None,) and None not in path[1:] and leaf.numbers and not leaf.labels
            for path, leaf in leaves.items()
        )

    def refusals(self) -> list[tuple[int, str]]:
        """Explain why ratings are not read: a row, and a message, for each column that holds some."""
        if self.names_scores:
            return []
        messages = []
        for name in self.nested:
            left = {path: leaf for path, leaf in self._ratings(name).items() if not self._is_read(name, path)}
            # Words among numbers, beside ratings: what a judge said before it decided.
            is_mixed = all(leaf.labels and leaf.numbers for leaf in left.values())
            if not left or (is_mixed and self.has_scores):
                continue
            first = next(iter(left.values()))
            keys = [_written("", path) for path in left if any(path)]
            under = f", under {listing(keys, 6)}" if keys else ""
            noun = "labels" if first.labels else "ratings"
            problem = f"column {name!r} holds {noun} inside its values{under}: {_shown(first.cell)}."
            need = "A rating must be a number, and stand alone in its cell or under a key."
            messages.append((first.row, f"{problem} {need} If it holds no ratings, leave the column out."))
        return messages

    def _is_read(self, name: str, path: Path) -> bool:
        return any(taken == name and path[: len(start)] == start for taken, start in self.taken)


def _at(value: object, path: Path) -> object:
    """Return the value at a path of a value; None where there is none.

    Where the path ends at an object whose keys are numbers, of which one is chosen, it is the least that is.
    """
    for part in path:
        if part is None:
            value = value[0] if isinstance(value, list | tuple) and value else None
        else:
            value = value.get(part) if isinstance(value, Mapping) else None
    if isinstance(value, Mapping):
        chosen = [key for key, value_of_key in value.items() if value_of_key and NUMBER.fullmatch(str(key))]
        return min(chosen, key=float, default=None)
    return value[0] if isinstance(value, list | tuple) and len(value) == 1 else value


def _most_at(value: object, path: Path) -> int:
    """Count the values that a value holds at a path."""
    values = [value]
    for part in path:
        if part is None:
            values = [inner for container in values if isinstance(container, list | tuple) for inner in container]
        else:
            values = [container[part] for container in values if isinstance(container, Mapping) and part in container]
    return len(values)


def _last(name: str, path: Path) -> str:
    """Return the innermost name."""
    return next((part for part in reversed(path) if part is not None), name)


def _written(name: str, path: Path) -> str:
    """Return a column and the keys of a path as a text: ``evaluation.score``."""
    return ".".join(filter(None, (name, *path)))


def _shown(value: object) -> str:
    """Return the beginning of a value as Python writes it."""
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
