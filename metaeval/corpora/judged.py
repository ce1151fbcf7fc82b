"""Judgments as tables have them, by names, become judgments by indices."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from metaeval.corpora.columns import NO_JUDGMENTS, Rows, check_duplicates, check_ranges, look_up, positions
from metaeval.corpora.problems import Problems
from metaeval.corpora.write import file_names
from metaeval.errors import unknown
from metaeval.records import Criterion, IntArray, Judgments

T = TypeVar("T")
# The document, "" where it is not told, and the id of a segment; or None and the 1-based number of its line.
Key = tuple[str | None, str]
SOURCE, SYSTEM, REFERENCE = "source", "system", "reference"


@dataclass(frozen=True)
class JudgmentRows:
    """Judgments as they stand in one table; all columns are equally long.

    Attributes
    ----------
    rows : Rows
        Where they stand.
    keys : sequence of (document, id)
        The segments. The document is "" where the table does not tell it, None where the id is the number of a line.
    names : sequence of str
        Systems, or references.
    judges, criteria : sequence of str
    scores : sequence of float
    kind : {"system", "reference"}
        What the names are. A name under "system" that is no system may still be a reference of the corpus.
    """

    rows: Rows
    keys: Sequence[Key]
    names: Sequence[str]
    judges: Sequence[str]
    criteria: Sequence[str]
    scores: Sequence[float]
    kind: str = SYSTEM

    def at(self, rows: Sequence[int], kind: str) -> JudgmentRows:
        """Return the judgments of some rows."""

        def chosen(column: Sequence[T]) -> list[T]:
            return [column[row] for row in rows]

        return JudgmentRows(
            replace(self.rows, lines=chosen(self.rows.lines)),
            chosen(self.keys),
            chosen(self.names),
            chosen(self.judges),
            chosen(self.criteria),
            chosen(self.scores),
            kind,
        )


def resolve(
    blocks: Sequence[JudgmentRows],
    segments: Mapping[tuple[str, str], int],
    systems: Sequence[str],
    references: Sequence[str],
    criteria: Sequence[Criterion],
    problems: Problems,
) -> tuple[Judgments, Judgments, tuple[str, ...]]:
    """Look up all names.

    Parameters
    ----------
    blocks : sequence of JudgmentRows
    segments : mapping of (document, id) to index
    systems, references : sequence of str
        The texts of the corpus. A judged reference need not be among them.
    criteria : sequence of Criterion
        All that occur.
    problems : Problems
        Takes what is wrong, each with its place.

    Returns
    -------
    judgments, reference_judgments : Judgments
    judged_references : tuple of str
        What `reference_judgments.system` points to.
    """
    parts = [part for block in blocks for part in _by_kind(block, set(systems), set(references))]
    judged = {name for part in parts if part.kind == REFERENCE for name in part.names}
    files = file_names([*systems, *references, *sorted(judged)])
    judged_references = tuple(sorted(judged, key=lambda name: files[name]))
    of_systems, of_references = (
        _resolve_kind([part for part in parts if part.kind == kind], segments, names, criteria, problems)
        for kind, names in ((SYSTEM, systems), (REFERENCE, judged_references))
    )
    return of_systems, of_references, judged_references


def _by_kind(block: JudgmentRows, systems: set[str], references: set[str]) -> list[JudgmentRows]:
    """Return the judgments of systems and those of references that stand among them."""
    elsewhere = set(block.names) & references - systems
    if block.kind == REFERENCE or not elsewhere:
        return [block]
    of_references = [row for row, name in enumerate(block.names) if name in elsewhere]
    of_systems = [row for row, name in enumerate(block.names) if name not in elsewhere]
    return [block.at(of_systems, SYSTEM), block.at(of_references, REFERENCE)]


def _resolve_kind(
    parts: Sequence[JudgmentRows],
    segments: Mapping[tuple[str, str], int],
    names: Sequence[str],
    criteria: Sequence[Criterion],
    problems: Problems,
) -> Judgments:
    if not any(len(part.keys) for part in parts):
        return NO_JUDGMENTS
    before = len(problems.errors)
    judges = tuple(sorted({judge for part in parts for judge in part.judges}))
    criterion_names = [criterion.name for criterion in criteria]
    columns: list[list[IntArray]] = [[], [], [], []]
    for part in parts:
        look_ups: tuple[tuple[Sequence[Hashable], dict[Hashable, int | None], Callable[..., str]], ...] = (
            (part.criteria, positions(criterion_names), str),
            (part.names, positions(names), lambda name: _unknown_system(name, names)),
            (part.keys, _segment_indices(part.keys, segments), lambda key: _unknown_segment(key, segments)),
            (part.judges, positions(judges), str),
        )
        for column, (values, index, say) in zip(columns, look_ups, strict=True):
            column.append(look_up(values, index, part.rows, problems, say))
    if len(problems.errors) > before:
        return NO_JUDGMENTS
    criterion, name, segment, judge = map(np.concatenate, columns)
    scores = np.concatenate([np.asarray(part.scores, dtype=np.float64) for part in parts])
    judgments = Judgments(judges, criterion, name, segment, judge, scores)
    starts = np.cumsum([0, *(len(part.keys) for part in parts)])

    def place_of(row: int) -> str:
        number = int(np.searchsorted(starts, row, side="right")) - 1
        return parts[number].rows.place_of(row - int(starts[number]))

    check_ranges(judgments, criteria, place_of, problems)
    check_duplicates(judgments, names, criterion_names, place_of, problems)
    return judgments


def _segment_indices(keys: Sequence[Key], segments: Mapping[tuple[str, str], int]) -> dict[Hashable, int | None]:
    """Return the segment of each key: by document and id, by an id that is unique, or by ``document:id``."""
    by_id: dict[str, int | None] = {}
    for (document, id_), segment in segments.items():
        by_id[id_] = segment if id_ not in by_id else None
        if document:
            by_id.setdefault(f"{document}:{id_}", segment)
    told = any(document for document, _ in segments)

    def look(key: Key) -> int | None:
        document, id_ = key
        if document is None:
            number = int(id_) if id_.isascii() and id_.isdigit() and len(id_) < 10 else 0
            return number - 1 if 1 <= number <= len(segments) else None
        exact = segments.get((document, id_))
        return by_id.get(id_) if exact is None and not (document and told) else exact

    return {key: look(key) for key in set(keys)}


def _unknown_system(name: object, names: Sequence[str]) -> str:
    return unknown(SYSTEM, name, names).rstrip(".") + "; the corpus has no texts of it."


def _unknown_segment(key: Key, segments: Mapping[tuple[str, str], int]) -> str:
    document, id_ = key
    if document is None:
        return f"the segment must be a line number from 1 to {len(segments)}; got {id_!r}."
    if not document and sum(id_ == other for _, other in segments) > 1:
        return f"segment {id_!r} is in several documents; the table must tell the document too."
    known = [f"{document}:{id_}" if document else id_ for document, id_ in segments]
    return unknown("segment", f"{document}:{id_}" if document else id_, known)
