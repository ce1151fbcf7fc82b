"""Names of the columns of tables, by their meaning."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from metaeval.corpora.judgment_columns import is_written_number, whole_number
from metaeval.errors import listing
from metaeval.runtime.files import tables_of

_NAMES_TABLE = tables_of(__file__)
ALIASES = {role: tuple(names.split()) for role, names in _NAMES_TABLE["names"].items()}
# Names that say little: they count where no other name fits.
_WEAK_NAMES = {"unit", "id"}
_MAX_NAME_CHARACTERS = 60  # of a name in a message


def plain(name: str) -> str:
    """Return the name of a column in lower case, without blanks, points, hyphens and quotation marks."""
    return re.sub(r"[\s_.\-\"'#]+", "", name.lower())


def columns_for(role: str, columns: Iterable[str]) -> list[str]:
    """Return the columns that a role may stand in: those whose names fit best, more than one if they fit as well."""
    ranks: dict[int, list[str]] = {}
    for column in columns:
        name = plain(column)
        if column == role or name in ALIASES[role]:
            if column == role:
                rank = 0
            elif name == role:
                rank = 1
            else:
                rank = 3 if name in _WEAK_NAMES else 2
            ranks.setdefault(rank, []).append(column)
    return ranks[min(ranks)] if ranks else []


def columns_listed(columns: Iterable[str]) -> str:
    """Return the names of columns as prose, of which a long one, such as a question, is cut."""
    return listing(
        name if len(name) <= _MAX_NAME_CHARACTERS else f"{name[: _MAX_NAME_CHARACTERS - 3]}..." for name in columns
    )


def fits_any(column: str) -> bool:
    """Return whether the name of a column says what it may be."""
    return any(plain(column) in names for names in ALIASES.values()) or is_one_reference(column)


def is_one_reference(column: str) -> bool:
    """Return whether a column is called as one of several references, such as ``ref1`` or ``refA``."""
    return bool(re.fullmatch(_NAMES_TABLE["patterns"]["one_reference"], column))


def is_one_judge(column: str) -> bool:
    """Return whether a column is called as one of several judges, such as ``rater1``."""
    return bool(re.fullmatch(_NAMES_TABLE["patterns"]["one_judge"], column))


def is_criterion(column: str) -> bool:
    """Return whether a column is called as people call what they judge."""
    return bool(re.match(_NAMES_TABLE["patterns"]["criteria"], plain(column)))


def names_rating(name: str) -> bool:
    """Return whether a name is that of a rating, of labels or of judgments."""
    return _matches("rating", name)


def is_no_rating(name: str) -> bool:
    """Return whether what has this name is no rating, whatever it holds: an id, a remark, a time."""
    return _matches("no_rating", name) or _matches("no_scores", name)


def is_vector(name: str) -> bool:
    """Return whether a name is that of numbers that a program computes for its own use, such as an embedding."""
    return _matches("vector", name)


def is_background(name: str) -> bool:
    """Return whether a name is that of facts about a row, such as its metadata."""
    return _matches("background", name)


def is_role_but_score(name: str) -> bool:
    """Return whether a name says what a column is, such as a system or a text, and that it holds no ratings."""
    return any(plain(name) in names for role, names in ALIASES.items() if role not in ("criterion", "score"))


def names_references(column: str) -> bool:
    """Return whether a column is called as one of lists with texts of references, such as ``human_summaries``."""
    return _matches("references", column)


def names_metric(column: str) -> bool:
    """Return whether a column is called as an automatic metric, such as ``BLEU`` or ``COMET-22``."""
    return _matches("metrics", column)


def is_name(column: str) -> bool:
    """Return whether a column is called as those with the names of systems, references or judges."""
    return any(plain(column) in ALIASES[role] for role in ("system", "judge"))


def names_outputs(name: str) -> bool:
    """Return whether a name is that of texts of systems, such as ``machine_summaries``."""
    return _matches("outputs", name)


def compared_in_pairs(columns: Iterable[str]) -> list[str]:
    """Return the columns of two systems that are compared in a row, such as ``model_a`` and ``model_b``; or none."""
    by_name = {plain(column): column for column in columns}
    for first in by_name:
        if first == "chosen" and "rejected" in by_name:
            return [by_name[first], by_name["rejected"]]
        match = re.fullmatch(_NAMES_TABLE["patterns"]["one_of_two"], first)
        if match:
            second, third = (first[:-1] + ends[match["end"]] for ends in ({"a": "b", "1": "2"}, {"a": "c", "1": "3"}))
            if second in by_name and third not in by_name:
                return [by_name[first], by_name[second]]
    return []


def _matches(pattern: str, name: str) -> bool:
    return bool(re.fullmatch(_NAMES_TABLE["patterns"][pattern], plain(name)))


def holds_scores(column: str, cells: Sequence[str], number: Callable[[str], str | None]) -> bool:
    """Return whether most of what stands in a column are numbers that may be scores, so that the others are mistakes.

    `number` reads a cell, None where nothing is given.
    """
    if not column or column.isdigit() or re.fullmatch(_NAMES_TABLE["patterns"]["no_scores"], plain(column)):
        return False
    read = {cell: number(cell) for cell in dict.fromkeys(cells)}
    values = [value for value in map(read.__getitem__, cells) if value is not None]
    n_numbers = sum(map(is_written_number, values))
    if not values or 2 * n_numbers <= len(values):
        return False
    first = whole_number(values[0])
    # Numbers that count the rows are none.
    return first is None or len(cells) < 3 or list(cells) != [str(first + row) for row in range(len(cells))]


def criterion_named(column: str) -> str:
    """Return the criterion of a column: ``Adequacy`` in ``Adequacy (1-5)``."""
    return re.sub(r"\s*[(\[].*", "", column, flags=re.DOTALL).strip() or column
