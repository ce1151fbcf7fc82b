"""The tables of a corpus directory: judgments, segment ids, real documents, references that are really empty."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from pathlib import Path

from metaeval.corpora.columns import (
    NO_JUDGMENTS,
    Rows,
    check_judgments,
    look_up,
    numbers,
    positions,
    unknown_name,
)
from metaeval.corpora.lines import Files
from metaeval.errors import listing
from metaeval.records import Criterion, Judgments


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
    table = files.table(path, ("segment", kind, "judge", "criterion", "score"))
    if table is None or not table["segment"]:
        return NO_JUDGMENTS, tuple(names or ())
    segments, texts, judged_by, judged_on, scores, *others = table.values()
    if others:
        unused = ", ".join(list(table)[5:])
        files.problems.note(files.place(path), f"has further columns, which are not used: {unused}.")
    known = tuple(names) if names is not None else tuple(sorted(set(texts)))
    judges = tuple(sorted(set(judged_by)))
    problems, rows = files.problems, Rows(files.place(path), range(2, len(segments) + 2))
    before = len(problems.errors)
    numbered: dict[Hashable, int | None] = {text: _segment_index(text, n_segments) for text in set(segments)}
    segment = look_up(segments, numbered, rows, problems, lambda text: _bad_segment(text, n_segments))
    hint = f"; is {kind}s/{{name}}.txt missing?"
    system = look_up(texts, positions(known), rows, problems, unknown_name(kind, known, hint=hint))
    criterion_names = [criterion.name for criterion in criteria]
    criterion = look_up(
        judged_on,
        positions(criterion_names),
        rows,
        problems,
        unknown_name("criterion", criterion_names, "criteria", "; see corpus.toml."),
    )
    rows.report(judged_by, {""} & set(judged_by), problems, lambda _: "the judge has no name.")
    judge = look_up(judged_by, positions(judges), rows, problems, unknown_name("judge", judges))
    score = numbers(scores, rows, problems)
    unreadable = len(problems.errors) > before
    judgments = Judgments(judges, criterion, system, segment, judge, score)
    check_judgments(judgments, known, criteria, rows.place_of, problems, " in corpus.toml")
    return NO_JUDGMENTS if unreadable else judgments, known


def read_segment_columns(
    files: Files, path: Path, columns: tuple[str, ...], n_segments: int
) -> dict[str, tuple[str, ...]]:
    """Read a table that has a row for each segment: its columns in the order of the segments; none if it is wrong."""
    table = files.table(path, columns)
    if table is None:
        return {}
    header, rows = list(table), list(zip(*table.values(), strict=True))
    unused = [name for name in header if name not in ("segment", "id", "document")]
    if unused:
        files.problems.note(files.place(path), f"has further columns, which are not used: {', '.join(unused)}.")
    problems, place = files.problems, files.place(path)
    found: list[tuple[str, ...] | None] = [None] * n_segments
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


def read_pairs(files: Files, path: Path, kind: str, names: Sequence[str], n_segments: int) -> set[tuple[str, int]]:
    """Read a table with the columns `kind` (system or reference) and segment: pairs of name and segment index."""
    table = files.table(path, (kind, "segment"))
    pairs: set[tuple[str, int]] = set()
    rows = zip(table[kind], table["segment"], strict=True) if table else ()
    say = unknown_name(kind, names)
    for number, (name, segment) in enumerate(rows, start=2):
        index = _segment_index(segment, n_segments)
        place = f"{files.place(path)}:{number}"
        if name not in names:
            files.problems.error(place, say(name))
        elif index is None:
            files.problems.error(place, _bad_segment(segment, n_segments))
        else:
            pairs.add((name, index))
    return pairs


def _segment_index(text: str, n_segments: int) -> int | None:
    # Python refuses to read thousands of digits; no corpus has a billion segments.
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        return None
    number = int(text)
    return number - 1 if 1 <= number <= n_segments else None


def _bad_segment(text: str, n_segments: int) -> str:
    return f"the segment must be a line number from 1 to {n_segments}; got {text[:40]!r}."
