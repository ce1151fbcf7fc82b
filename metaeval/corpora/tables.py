"""The tables of a corpus directory: judgments, segment ids, real documents, references that are really empty."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from metaeval.corpora.lines import Files
from metaeval.corpora.problems import Problems
from metaeval.errors import listing, unknown
from metaeval.records import BoolArray, Criterion, FloatArray, IntArray, Judgments

_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_NONE = np.empty(0, dtype=np.int32)
NO_JUDGMENTS = Judgments((), _NONE, _NONE, _NONE, _NONE, np.empty(0))


def read_judgments(
    files: Files, path: Path, kind: str, names: Sequence[str] | None, criteria: Sequence[Criterion], n_segments: int
) -> tuple[Judgments, tuple[str, ...]]:
    """Read a table with the columns segment, `kind`, judge, criterion, score.

    Parameters
    ----------
    files : Files
        The reader of the corpus directory.
    path : Path
        The table.
    kind : str
        ``system`` or ``reference``.
    names : sequence of str or None
        The known systems. None: all names in the table are taken, in alphabetical order.
    criteria : sequence of Criterion
        The known criteria.
    n_segments : int
        The number of segments of the corpus.

    Returns
    -------
    Judgments
        None at all if there was any error; each is noted.
    tuple of str
        The names that `Judgments.system` points to.
    """
    table = files.rows(path, ("segment", kind, "judge", "criterion", "score"))
    if table is None or not table[1]:
        return NO_JUDGMENTS, tuple(names or ())
    if len(table[0]) > 5:
        unused = ", ".join(table[0][5:])
        files.problems.note(files.place(path), f"has further columns, which are not used: {unused}.")
    segments, texts, judged_by, judged_on, scores = list(zip(*table[1], strict=True))[:5]
    known = tuple(names) if names is not None else tuple(sorted(set(texts)))
    judges = tuple(sorted(set(judged_by)))
    problems, place = files.problems, files.place(path)
    before = len(problems.errors)
    segment = _segment_indices(segments, n_segments, place, problems)
    system = _indices(texts, known, kind, place, problems, hint=f"; is {kind}s/{{name}}.txt missing?")
    criterion_names = [criterion.name for criterion in criteria]
    criterion = _indices(judged_on, criterion_names, "criterion", place, problems, "criteria", "; see corpus.toml.")
    judge = _indices(judged_by, judges, "judge", place, problems)
    score = _numbers(scores, place, problems)
    if len(problems.errors) > before:
        return NO_JUDGMENTS, known
    judgments = Judgments(judges, criterion, system, segment, judge, score)
    _check_ranges(judgments, criteria, place, problems)
    _check_duplicates(judgments, known, criterion_names, place, problems)
    return judgments, known


def read_segment_columns(
    files: Files, path: Path, columns: tuple[str, ...], n_segments: int
) -> dict[str, tuple[str, ...]]:
    """Read a table that has a row for each segment: its columns in the order of the segments; none if it is wrong."""
    table = files.rows(path, columns)
    if table is None:
        return {}
    header, rows = table
    problems, place = files.problems, files.place(path)
    found: list[list[str] | None] = [None] * n_segments
    for number, row in enumerate(rows, start=2):
        index = _segment_index(row[0], n_segments)
        if index is None:
            problems.error(f"{place}:{number}", _bad_segment(row[0], n_segments))
        elif found[index] is not None:
            problems.error(f"{place}:{number}", f"segment {row[0]} stands here a second time.")
        else:
            found[index] = row
    missing = [index + 1 for index, row in enumerate(found) if row is None]
    if missing:
        problems.error(place, f"has no row for the segments {listing(missing)}.")
        return {}
    ordered = [row for row in found if row is not None]
    return {name: tuple(row[position] for row in ordered) for position, name in enumerate(header)}


def read_empty_references(files: Files, path: Path, names: Sequence[str], n_segments: int) -> set[tuple[str, int]]:
    """Read which references are really empty: pairs of reference name and segment index."""
    table = files.rows(path, ("reference", "segment"))
    pairs: set[tuple[str, int]] = set()
    for number, row in enumerate(table[1] if table else [], start=2):
        index = _segment_index(row[1], n_segments)
        place = f"{files.place(path)}:{number}"
        if row[0] not in names:
            files.problems.error(place, unknown("reference", row[0], names))
        elif index is None:
            files.problems.error(place, _bad_segment(row[1], n_segments))
        else:
            pairs.add((row[0], index))
    return pairs


def _segment_index(text: str, n_segments: int) -> int | None:
    if not (text.isascii() and text.isdigit()):
        return None
    number = int(text)
    return number - 1 if 1 <= number <= n_segments else None


def _bad_segment(text: str, n_segments: int) -> str:
    return f"the segment must be a line number from 1 to {n_segments}; got {text!r}."


def _segment_indices(texts: Sequence[str], n_segments: int, place: str, problems: Problems) -> IntArray:
    index = {text: _segment_index(text, n_segments) for text in set(texts)}
    bad = {text for text, value in index.items() if value is None}
    for text, (line, count) in _first_lines(texts, bad).items():
        problems.error(f"{place}:{line}", _bad_segment(text, n_segments) + _more(count))
    return np.array([index[text] or 0 for text in texts], dtype=np.int32)


def _indices(
    texts: Sequence[str],
    known: Sequence[str],
    kind: str,
    place: str,
    problems: Problems,
    plural: str | None = None,
    hint: str = "",
) -> IntArray:
    """Return the position of each text among the known ones; each unknown one is noted once."""
    index = {name: position for position, name in enumerate(known)}
    for text, (line, count) in _first_lines(texts, set(texts) - set(index)).items():
        message = unknown(kind, text, known, plural).rstrip(".") + (hint.format(name=text) or ".")
        problems.error(f"{place}:{line}", message + _more(count))
    return np.array([index.get(text, 0) for text in texts], dtype=np.int32)


def _first_lines(texts: Sequence[str], wanted: set[str]) -> dict[str, tuple[int, int]]:
    """Return, for each wanted text, the line in which it stands first and in how many it stands."""
    found: dict[str, tuple[int, int]] = {}
    if wanted:
        for line, text in enumerate(texts, start=2):
            if text in wanted:
                first, count = found.get(text, (line, 0))
                found[text] = (first, count + 1)
    return found


def _more(count: int) -> str:
    return f" ({count} lines in all)" if count > 1 else ""


def _numbers(texts: Sequence[str], place: str, problems: Problems) -> FloatArray:
    number: dict[str, float] = {}
    bad = set()
    for text in set(texts):
        # Python also reads other digits than ours, and 1_0; no other program does.
        if _NUMBER.fullmatch(text) and np.isfinite(float(text)):
            number[text] = float(text)
        else:
            bad.add(text)
    for text, (line, count) in _first_lines(texts, bad).items():
        hint = " A missing judgment has no line."
        problems.error(f"{place}:{line}", f"the score must be a finite number; got {text!r}.{hint}{_more(count)}")
    return np.array([number.get(text, np.nan) for text in texts], dtype=np.float64)


def _check_ranges(judgments: Judgments, criteria: Sequence[Criterion], place: str, problems: Problems) -> None:
    for position, criterion in enumerate(criteria):
        outside: BoolArray = (judgments.criterion == position) & (
            (judgments.score < criterion.low) | (judgments.score > criterion.high)
        )
        rows = np.flatnonzero(outside)
        if len(rows):
            problems.error(
                f"{place}:{rows[0] + 2}",
                f"the score {judgments.score[rows[0]]:g} is outside the range of {criterion.name!r}, "
                f"{criterion.low:g} to {criterion.high:g} in corpus.toml.{_more(len(rows))}",
            )


def _check_duplicates(
    judgments: Judgments, names: Sequence[str], criteria: Sequence[str], place: str, problems: Problems
) -> None:
    sizes = (len(criteria), len(names), int(judgments.segment.max()) + 1, len(judgments.judges))
    keys = np.ravel_multi_index((judgments.criterion, judgments.system, judgments.segment, judgments.judge), sizes)
    order = np.argsort(keys, kind="stable")
    again = np.flatnonzero(keys[order][1:] == keys[order][:-1])
    for position in again:
        first, second = order[position], order[position + 1]
        problems.error(
            f"{place}:{second + 2}",
            f"judge {judgments.judges[judgments.judge[second]]!r} judged {names[judgments.system[second]]!r}, segment "
            f"{judgments.segment[second] + 1}, on {criteria[judgments.criterion[second]]!r} already in line "
            f"{first + 2}; one judge gives one score to an item.",
        )
