"""Recognise the export of a tool, and turn it into a table that can be read as any other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from metaeval.corpora.judgment_columns import NUMBER
from metaeval.corpora.tables.delimited import Frame
from metaeval.corpora.tables.headers import is_no_rating, names_rating
from metaeval.corpora.tables.nested import ERRORS, parsed_cells
from metaeval.corpora.text_files import Files

# A row of the table that is made: the row of the export that it comes from, and its values by their columns.
Made = tuple[int, Mapping[str, Any]]
_MAX_DIFFERENT_WORDS = 20
_MAX_WORD_CHARACTERS = 60
_SEVERITIES = {"neutral", "minor", "major", "critical"}


@dataclass(frozen=True)
class Export:
    """The files that a tool writes.

    Attributes
    ----------
    tool : str
        As users call it, with the kind of export where there are several.
    fits : callable
        Returns whether a table, as it was loaded, is such an export: by several of the tool's own columns.
    table : callable
        Returns the table of what people said, a row for each text and judge; None after noting what is wrong.
    fits_names : callable
        Returns whether columns of these names are those of such an export, so that fields between tabs may stand in
        quotation marks, and values that hold others are kept, whatever their columns are called.
    ratings : callable, optional
        Returns the table with what models said beside what people said, for comparing judges with people. Its
        `settings` have the names of automatic raters as ``judges``, of people as ``people``, and as ``words`` the
        numbers that the tool takes its words for. Without it, `table` is all that the tool has.
    """

    tool: str
    fits: Callable[[Frame], bool]
    table: Callable[[Frame, Files], Frame | None]
    fits_names: Callable[[Collection[str]], bool] = lambda names: False
    ratings: Callable[[Frame, Files], Frame | None] | None = None


class LeftOut:
    """Counts the rows of an export that are no ratings of people, by why they are none."""

    def __init__(self) -> None:
        self.counts = Counter[str]()

    def add(self, why: str, count: int = 1) -> None:
        """Count what is left out."""
        self.counts[why] += count

    def note(self, location: str, files: Files) -> None:
        """Note what was left out."""
        reasons = [f"{why} ({count})" for why, count in self.counts.items() if count]
        if reasons:
            files.note(location, f"left out: {', '.join(reasons)}.")


def cells_of(frame: Frame, name: str) -> Sequence[Any]:
    """Return the cells of a column, as values where they hold JSON; None where they are empty."""
    if name in frame.values:
        return frame.values[name]
    cells = frame.columns.get(name)
    if cells is None:  # it has values of kinds that are not read
        return [None] * len(frame)
    values = parsed_cells(cells)
    if values is not None:
        return values
    absent = frame.absent.get(name, ())
    return [None if row in absent or not cell else cell for row, cell in enumerate(cells)]


def chosen(answer: object) -> object:
    """Return the one answer of a question: ``4`` of ``{"1": false, "4": true}`` and of ``["4"]``; None for none.

    Several answers are joined by commas, which is no number.
    """
    if isinstance(answer, Mapping):
        chosen_keys = {
            key: value for key, value in answer.items() if value and str(value).lower() not in ("false", "0")
        }
        answers = [key if _is_mark(key, value) else value for key, value in chosen_keys.items()]
    elif isinstance(answer, list | tuple):
        answers = [chosen(part) for part in answer]
    else:
        return answer
    return answers[0] if len(answers) == 1 else ", ".join(map(str, answers)) or None


def _is_mark(key: object, value: object) -> bool:
    """Return whether a value only says that its key was chosen, as those of ``{"4": true}`` and ``{"4": 1}`` do."""
    text = str(value).strip().lower()
    return text == "true" or (_is_number(key) and (text == "1" or not _is_number(value)))


def _is_number(value: object) -> bool:
    return not isinstance(value, bool) and bool(NUMBER.fullmatch(str(value).strip()))


def table_of(frame: Frame, rows: Sequence[Made], answers: Iterable[str], unread: Iterable[str] = ()) -> Frame:
    """Return a table of rows that were made of an export.

    Parameters
    ----------
    frame : Frame
        The export, with the lines of its rows.
    rows : sequence of (int, mapping)
    answers : iterable of str
        The columns with answers of people, of which those are criteria that hold numbers or words of a scale.
    unread : iterable of str
        Columns of the export that are not taken over.
    """
    names = dict.fromkeys(name for _, values in rows for name in values)
    table = Frame(frame.location, [frame.lines[at] for at, _ in rows], {}, unread=(*frame.unread, *unread))
    for name in names:
        cells = [values.get(name) for _, values in rows]
        if name == ERRORS:
            table = table.with_values(name, [cell or [] for cell in cells])
        else:
            table = table.with_values(name, cells)
    criteria = criteria_among(table, [name for name in dict.fromkeys(answers) if name in table.columns])
    return replace(table, settings={"criteria": tuple(criteria)}) if criteria else table


def criteria_among(table: Frame, names: Sequence[str]) -> list[str]:
    """Return the columns of answers that are ratings: numbers, and words of a scale under the name of one."""
    numbers, words, scales = list[str](), list[str](), list[str]()
    for name in names:
        cells = [cell.strip() for cell in table.columns[name] if cell.strip()]
        different = set(cells)
        if not cells:
            continue
        if 2 * sum(bool(NUMBER.fullmatch(cell.split()[0].rstrip(".:)"))) for cell in cells) > len(cells):
            numbers.append(name)
        elif len(different) <= _MAX_DIFFERENT_WORDS and max(map(len, different)) <= _MAX_WORD_CHARACTERS:
            (words if names_rating(name) and not is_no_rating(name) else scales).append(name)
    criteria = {*numbers, *words} or {name for name in scales if len(set(table.columns[name])) < len(table)}
    return [name for name in names if name in criteria]


def error_of(start: object, end: object, label: str, *, in_source: bool = False) -> dict[str, Any]:
    """Return an error that was marked in a text; its label may hold severity and category, as ``Major/Accuracy``."""
    parts = [part.strip() for part in label.split("/")]
    severity = next((part for part in parts if part.lower() in _SEVERITIES), "")
    category = "/".join(part for part in parts if part != severity)
    error = {"start": start, "end": end, "severity": severity, "category": category}
    return {**error, "is_source_error": True} if in_source else error


def without_prefix(names: Sequence[str], prefixes: Sequence[str]) -> dict[str, str]:
    """Return the columns that begin with one of some prefixes, each with its name without it.

    One whose name would be that of another keeps its prefix.
    """
    short_names = dict[str, str]()
    for prefix in prefixes:
        for name in names:
            short = name[len(prefix) :]
            if name.startswith(prefix) and short:
                short_names[name] = name if short in short_names.values() else short
    return short_names


def one_of_each_scale(names: Sequence[str], sign: str) -> dict[str, dict[str, str]]:
    """Return the columns that are points of a scale, ``adequacy:::4``, by the name of that and by the point."""
    points_by_scale = dict[str, dict[str, str]]()
    for name in names:
        scale, between, point = name.rpartition(sign)
        if between and scale and point:
            points_by_scale.setdefault(scale, {})[point] = name
    return points_by_scale


def value_at(value: object, *keys: str | int) -> Any:
    """Return the value under keys and at places of lists; None where there is nothing."""
    for key in keys:
        if isinstance(key, str):
            value = value.get(key) if isinstance(value, Mapping) else None
        else:
            value = value[key] if isinstance(value, list) and -len(value) <= key < len(value) else None
    return value


def last_text(content: object) -> str | None:
    """Return a text, or the text of the last message of a conversation."""
    if isinstance(content, str) or content is None:
        return content
    if isinstance(content, list) and content:
        texts = [value_at(part, "text") for part in content if isinstance(value_at(part, "text"), str)]
        return "\n".join(texts) if texts else last_text(value_at(content[-1], "content") or str(content[0]))
    return str(content)
