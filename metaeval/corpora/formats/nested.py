"""Values that hold others, such as ``{"adequacy": 4}`` or ``[4, 5]``: ratings inside them cannot be read.

A column of such values is left out with a note where nothing in it can be a rating or an output of a system. Otherwise
the table is refused, with a line of pandas that makes one with a column for each rating.
"""

from __future__ import annotations

import ast
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from metaeval.corpora.columns import NUMBER
from metaeval.corpora.headers import (
    columns_for,
    is_background,
    is_no_rating,
    is_role_but_score,
    is_vector,
    names_outputs,
    names_rating,
)
from metaeval.corpora.pandas_code import code_for, literal
from metaeval.errors import listing

# A key, or None for an element of a list, from the outside in.
Path = tuple[str | None, ...]
_MOST_PATHS = 500
_MOST_DIFFERENT_VALUES = 20
# A longer list of numbers is a vector, such as an embedding: nobody rates one text so often.
_LONGEST_LIST_OF_RATINGS = 64
_LONGEST_LABEL = 60


@dataclass
class Leaf:
    """The values at one path of a column.

    Attributes
    ----------
    line : int
        Of the first row that has one.
    value, cell : object
        The first one, and what stands in its column.
    numbers, labels : int
        How many of the values are numbers, and how many other short texts or truth values.
    texts : int
        How many are longer texts.
    different : set of str
        The first few that differ.
    """

    line: int
    value: object
    cell: object
    numbers: int = 0
    labels: int = 0
    texts: int = 0
    different: set[str] = field(default_factory=set)

    def add(self, value: object) -> None:
        """Count a value."""
        text = str(value).strip()
        if isinstance(value, bool) or not (isinstance(value, int | float) or NUMBER.fullmatch(text)):
            is_label = len(text) <= _LONGEST_LABEL
            self.labels += is_label
            self.texts += not is_label
        else:
            self.numbers += 1
        if len(self.different) < _MOST_DIFFERENT_VALUES:
            self.different.add(text)


@dataclass
class Nested:
    """A column with values that hold others.

    Attributes
    ----------
    leaves : dict of tuple to Leaf
        By path.
    lengths : list of int or None
        How long the lists are, row by row; None where there is no list.
    is_text : bool
        Whether the values stand as text in the cells of a table.
    is_json : bool
        Whether such text is JSON; otherwise it is written as Python writes it.
    """

    leaves: dict[Path, Leaf] = field(default_factory=dict)
    lengths: list[int | None] = field(default_factory=list)
    is_text: bool = False
    is_json: bool = True

    @classmethod
    def after(cls, rows: int) -> Nested:
        """Return a column that has had nothing in its first rows."""
        return cls(lengths=[None] * rows)

    def add(self, line: int, value: object) -> None:
        """Take the value of a row; None where there is none."""
        self.lengths.append(len(value) if isinstance(value, list | tuple) else None)
        for path, leaf in _leaves(value):
            if path not in self.leaves and len(self.leaves) >= _MOST_PATHS:
                continue
            self.leaves.setdefault(path, Leaf(line, leaf, value)).add(leaf)

    @property
    def longest(self) -> int:
        """The number of elements of the longest list."""
        return max((length or 0 for length in self.lengths), default=0)

    @property
    def keys(self) -> list[str]:
        """The outermost keys."""
        return list(dict.fromkeys(path[0] for path in self.leaves if path and path[0] is not None))


def _leaves(value: object) -> Iterator[tuple[Path, object]]:
    """Give what a value holds that holds nothing itself, with its path."""
    waiting: list[tuple[Path, object]] = [((), value)]
    while waiting:
        path, one = waiting.pop()
        if isinstance(one, Mapping):
            waiting += [((*path, str(key)), inner) for key, inner in reversed([*one.items()])]
        elif isinstance(one, list | tuple):
            waiting += [((*path, None), inner) for inner in reversed(one)]
        elif one is not None and one == one and str(one).strip():
            yield path, one


def is_nested(value: object) -> bool:
    """Return whether a value holds others."""
    return isinstance(value, Mapping | list | tuple)


def nested_cells(cells: Sequence[str], lines: Sequence[int]) -> Nested | None:
    """Return a column of text as one of nested values, None unless most of its cells are such, as JSON or as Python."""
    given = [cell for cell in cells if cell.strip()]
    if not given or 2 * sum(cell.lstrip()[:1] in ("[", "{") for cell in given) <= len(given):
        return None
    found, count = Nested(is_text=True), 0
    for cell, line in zip(cells, lines, strict=True):
        value, is_json = _parsed(cell)
        count += is_nested(value)
        found.is_json &= is_json
        found.add(line, value if is_nested(value) else None)
    return found if 2 * count > len(given) else None


def _parsed(cell: str) -> tuple[object, bool]:
    """Return what a cell says that is JSON, or that Python wrote, and whether it is JSON; None for anything else."""
    if cell.strip()[:1] not in ("[", "{"):
        return None, True
    try:
        return json.loads(cell), True
    except (ValueError, RecursionError):
        pass
    try:
        return ast.literal_eval(cell.strip()), False
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None, True


@dataclass(frozen=True)
class Refusal:
    """Why a table is refused.

    Attributes
    ----------
    line : int
        Where the first of the values stands.
    message : str
    """

    line: int
    message: str


class Unusable:
    """Finds ratings and outputs of systems that stand inside other values of a table.

    Parameters
    ----------
    nested : mapping of str to Nested
        The columns that hold such values and that nobody asked for.
    roles : mapping of str to str
        The other columns by their roles.
    has_scores : bool
        Whether other columns hold scores.
    asks_ratings, asks_texts : bool
        Whether ratings and outputs are looked for: not where the user says which columns hold them.
    load : str
        The expression by which pandas reads the table; "" where it is a data frame already.
    place : str
        The file.
    """

    def __init__(
        self,
        nested: Mapping[str, Nested],
        roles: Mapping[str, str],
        *,
        has_scores: bool,
        asks_ratings: bool,
        asks_texts: bool,
        load: str,
        place: str,
    ) -> None:
        self.nested, self.roles, self.has_scores, self.load = nested, roles, has_scores, load
        self.asks_ratings, self.asks_texts = asks_ratings, asks_texts
        self.place = place
        self.has_systems = bool({"system", "reference"} & {*roles})

    def refusals(self) -> list[Refusal]:
        """Return what must be said of the columns: ratings first, then outputs and names of systems."""
        ratings, outputs = dict[str, dict[Path, Leaf]](), dict[str, Nested]()
        for name, column in self.nested.items():
            if self.asks_ratings and (leaves := self._ratings(name, column)):
                ratings[name] = leaves
            elif self.asks_texts and not self.has_systems and self._is_outputs(name, column):
                outputs[name] = column
        found = [self._refuse_ratings(name, leaves) for name, leaves in ratings.items()]
        found += [_refuse_outputs(name, column) for name, column in outputs.items()]
        systems = {} if self.has_systems or outputs else self._hidden_systems()
        found += [_refuse_hidden(name, self.nested[name], key) for name, key in systems.items()]
        if found:
            # One script does it all, so that it is said once.
            found[0] = replace(found[0], message=f"{found[0].message} {self._remedy(ratings, outputs, systems)}")
        return found

    def _ratings(self, name: str, column: Nested) -> dict[Path, Leaf]:
        """Return the values of a column that may be ratings, by their paths."""
        found = {path: leaf for path, leaf in column.leaves.items() if self._is_rating(name, path, leaf, column)}
        named = {path: leaf for path, leaf in found.items() if names_rating(_last(name, path))}
        return named or found

    def _is_rating(self, name: str, path: Path, leaf: Leaf, column: Nested) -> bool:
        parts = [name, *filter(None, path)]
        last = _last(name, path)
        if any(map(is_vector, parts)) or is_no_rating(last) or (len(parts) > 1 and is_role_but_score(last)):
            return False
        is_named = any(map(names_rating, parts))
        if leaf.labels and not leaf.numbers:
            may_be = len(leaf.different) < _MOST_DIFFERENT_VALUES and not any(map(is_no_rating, parts))
            return is_named and may_be and not (self.has_scores or leaf.texts)
        if not leaf.numbers or leaf.texts or (None in path and column.longest > _LONGEST_LIST_OF_RATINGS):
            return False
        # Numbers that nobody calls ratings may be, where they differ and there are no others.
        return is_named or not (self.has_scores or len(leaf.different) < 2 or any(map(is_background, parts)))

    def _is_outputs(self, name: str, column: Nested) -> bool:
        """Return whether the texts of several systems stand in one cell."""
        texts = [
            path for path, leaf in column.leaves.items() if len(path) == 1 and leaf.labels + leaf.texts > leaf.numbers
        ]
        return bool(texts) and names_outputs(name) and (column.longest > 1 or len(column.keys) > 1)

    def _hidden_systems(self) -> dict[str, str]:
        """Return the columns inside which rows name their systems, so that all would be those of one, and the key."""
        return {
            name: key
            for name, column in self.nested.items()
            for key in column.keys
            if columns_for("system", [key]) and (key,) in column.leaves and len(column.leaves[key,].different) > 1
        }

    def _refuse_ratings(self, name: str, leaves: Mapping[Path, Leaf]) -> Refusal:
        first = next(iter(leaves.values()))
        keys = [_written(path) for path in leaves if any(path)]
        under = f", under {listing(keys, 6)}" if keys else ""
        what = "labels" if first.labels else "ratings"
        told = f"column {name!r} holds {what} inside its values{under}: {_shown(first.cell)}."
        need = "A rating must be a number in a column of its own, and have a row of its own."
        return Refusal(first.line, f"{told} {need} If it holds no ratings, leave the column out.")

    def _remedy(
        self, ratings: Mapping[str, Mapping[Path, Leaf]], outputs: Mapping[str, Nested], systems: Mapping[str, str]
    ) -> str:
        """Return the line of pandas that makes a table that can be read."""
        before, steps, flat = "Make such a table", list[str](), dict(ratings)
        texts = next(iter(outputs), "")
        lists = [name for name, leaves in ratings.items() if self._is_list_of_ratings(name, leaves)]
        alike = [name for name in (*ratings, *outputs) if texts and self._is_parallel(texts, name)]
        if texts:
            before = "Make a row for each system"
            steps += self._by_system(texts, alike)
        elif lists:
            first = lists[0]
            alike = [name for name in self.nested if name in lists and self._is_parallel(first, name)]
            who = "judge" if self.has_systems or "text" in self.roles else "system"
            before = f"Make a row for each rating, where those of one list are of several {who}s"
            steps += [*self._parse(alike), f"t = t.explode({literal(alike)})"]
            if who not in self.roles:
                steps.append(f't["{who}"] = t.groupby(level=0).cumcount() + 1')
        taken = list[str]()
        for name in alike:
            inner = {path[1:]: leaf for path, leaf in flat.pop(name, {}).items() if any(path[1:])}
            steps += [
                f"{_pandas_column(new)} = {_pandas_column(name)}{_steps(path)}"
                for path, new in self._columns(name, inner).items()
            ]
        normalised = False
        for name, leaves in flat.items():
            if _is_one_of_several(leaves):
                steps += [
                    f"{_pandas_column(path[-1] or name)} = {self._column(name)}{_steps(path)}.map(min)"
                    for path in dict.fromkeys(path[:-1] for path in leaves)
                ]
                taken.append(name)
            elif not self.nested[name].is_text and all(None not in path for path in leaves):
                normalised = True
            elif not any(any(path) for path in leaves) and not self._is_single(name, leaves):
                before = f"{before}, of the number of labels where that is a rating,"
                steps.append(f"{_pandas_column(name)} = {self._column(name)}.str.len()")
            else:
                columns = self._columns(name, leaves)
                steps += [
                    f"{_pandas_column(new)} = {self._column(name)}{_steps(path)}" for path, new in columns.items()
                ]
                taken += [name] * (name not in columns.values())
        for name in systems:
            roles = [key for key in self.nested[name].keys if is_role_but_score(key)]
            steps += [f"{_pandas_column(key)} = {self._column(name)}{_steps((key,))}" for key in roles]
            taken.append(name)
        if taken:
            steps.append(f"t = t.drop(columns={literal([*dict.fromkeys(taken)])})")
        if normalised:
            steps.append('t = pandas.json_normalize(t.to_dict("records"))')
        return f"{before} {code_for(self.load, self.place, steps)}."

    def _is_list_of_ratings(self, name: str, leaves: Mapping[Path, Leaf]) -> bool:
        """Return whether the cells of a column are lists with a rating in each element."""
        every = all(path[:1] == (None,) and None not in path[1:] and leaf.numbers for path, leaf in leaves.items())
        return every and self.nested[name].longest > 1 and not any(leaf.labels for leaf in leaves.values())

    def _is_single(self, name: str, leaves: Mapping[Path, Leaf]) -> bool:
        """Return whether the lists of a column have one element, which is the rating or label."""
        return self.nested[name].longest < 2 and all(path == (None,) for path in leaves)

    def _is_parallel(self, one: str, other: str) -> bool:
        """Return whether two columns have lists that are equally long in every row, or objects of the same keys."""
        first, second = self.nested[one], self.nested[other]
        if first.keys and first.keys == second.keys:
            return all(len(path) == 1 for path in (*first.leaves, *second.leaves))
        return not first.keys and first.lengths == second.lengths

    def _by_system(self, texts: str, alike: Sequence[str]) -> list[str]:
        """Return the steps that make a row of each text."""
        steps = self._parse(alike)
        if self.nested[texts].keys:
            of = ", ".join(f'"{name}": {_pandas_column(name)}.str[s]' for name in alike)
            systems = f"dict.fromkeys(s for one in {_pandas_column(texts)} for s in one)"
            steps.append(f"t = pandas.concat(t.assign(system=s, **{{{of}}}) for s in {systems})")
        else:
            steps.append(f"t = t.explode({literal(alike)})")
            steps.append('t["system"] = t.groupby(level=0).cumcount() + 1')
        other, names = self.roles.get("text"), {texts: "text"}
        if other is not None and "source" in self.roles:
            steps.append(f"t = t.drop(columns={literal([other])})")
        elif other is not None:
            names = {other: "source", **names}
        return [*steps, f"t = t.rename(columns={literal(names)})"]

    def _parse(self, names: Sequence[str]) -> list[str]:
        return [f"{_pandas_column(name)} = {self._column(name)}" for name in names if self.nested[name].is_text]

    def _column(self, name: str) -> str:
        """Return a column in pandas, with what stands in its cells as text parsed."""
        column = self.nested[name]
        parse = f".dropna().map({'json.loads' if column.is_json else 'ast.literal_eval'})" if column.is_text else ""
        return f"{_pandas_column(name)}{parse}"

    def _columns(self, name: str, leaves: Mapping[Path, Leaf]) -> dict[Path, str]:
        """Return the names of new columns for ratings, by their paths."""
        if len(leaves) == 1:
            return dict.fromkeys(leaves, name)
        last = {path: _last(name, path) for path in leaves}
        counts = Counter(last.values())
        return {path: one if counts[one] == 1 else f"{name}.{_written(path)}" for path, one in last.items()}


def tables_in_json(text: str, place: str) -> str:
    """Return why JSON that is not JSON Lines is refused, and the line of pandas that makes them; "" for other files.

    Parameters
    ----------
    text : str
        What stands in the file.
    place : str
        The file.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    told = "is one JSON value, where a table must have a row for each judgment or text: JSON Lines, an object a line."
    load, rows = f'json.loads(pathlib.Path({literal(place)}).read_text(encoding="utf-8"))', ""
    inner = [*value.values()] if isinstance(value, dict) else []
    if isinstance(value, list) and all(isinstance(one, dict) for one in value):
        rows = f"pandas.json_normalize({load})"
    elif len(inner) == 1 and isinstance(inner[0], list) and all(isinstance(one, dict) for one in inner[0]):
        rows = f"pandas.json_normalize({load}[{literal(next(iter(value)))}])"
    elif inner and all(isinstance(of, dict) and all(isinstance(one, dict) for one in of.values()) for of in inner):
        told += " Its outer keys are taken for systems, and the inner ones for segments; exchange them if it is so."
        made = '{"system": s, "segment": i, **one} for s, of in d.items() for i, one in of.items()'
        rows = f"d = {load}; t = pandas.json_normalize([{made}])"
    if not rows:
        return (
            f"{told} Write it with a row for each judgment, with its segment, system and score in columns of their own."
        )
    rows = rows if rows.startswith("d = ") else f"t = {rows}"
    target = f"{place.removesuffix('.gz').removesuffix('.json')}.jsonl"
    write = f't.to_json({literal(target)}, orient="records", lines=True, force_ascii=False)'
    return f"{told} Make a table with pandas: `import json, pandas, pathlib; {rows}; {write}`."


def _refuse_outputs(name: str, column: Nested) -> Refusal:
    leaf = next(iter(column.leaves.values()))
    told = f"column {name!r} holds several texts in a cell, probably those of several systems: {_shown(leaf.cell)}."
    return Refusal(leaf.line, f"{told} Each text must have a row of its own, which names the system.")


def _refuse_hidden(name: str, column: Nested, key: str) -> Refusal:
    leaf = column.leaves[key,]
    told = f"column {name!r} names the systems inside its values, under {key!r}: {_shown(leaf.cell)}."
    need = "The system must stand in a column of its own; without it, all rows would be those of one system."
    return Refusal(leaf.line, f"{told} {need}")


def _is_one_of_several(leaves: Mapping[Path, Leaf]) -> bool:
    """Return whether the ratings are the keys, of which one is chosen: ``{"adequacy": {"4": true}}``."""
    keys = [path[-1] for path in leaves if path]
    return len(keys) == len(leaves) and all(key is not None and NUMBER.fullmatch(key) for key in keys)


def _pandas_column(name: str) -> str:
    """Return a column in pandas."""
    return f"t[{literal(name)}]"


def _last(name: str, path: Path) -> str:
    """Return the innermost name."""
    return next((part for part in reversed(path) if part is not None), name)


def _written(path: Path) -> str:
    """Return the keys of a path as a text: ``evaluation.score``."""
    return ".".join(part for part in path if part is not None)


def _steps(path: Path) -> str:
    """Return what takes a value out of those of a column in pandas: ``.str[0].str["rating"]``."""
    return "".join(".str[0]" if part is None else f".str[{literal(part)}]" for part in path)


def _shown(value: object) -> str:
    """Return the beginning of a value as Python writes it."""
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
