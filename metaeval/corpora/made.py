"""A corpus that is made in Python, of tables and lists; it is identified by its content."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from metaeval.arguments import shown, text
from metaeval.corpora.columns import Rows
from metaeval.corpora.draft import Draft
from metaeval.corpora.formats.frames import text_frame
from metaeval.corpora.formats.table import Table
from metaeval.corpora.judged import REFERENCE, SOURCE, SYSTEM
from metaeval.corpora.lines import Files
from metaeval.corpora.problems import Problems
from metaeval.corpora.score_rows import ScoreFile, ScoreRows
from metaeval.corpora.score_rows import given as given_rows
from metaeval.errors import UsageError, unknown
from metaeval.records import Corpus, Criterion, Judgments
from metaeval.shapes import columns_of, is_frame, named_texts

# Columns of a table of texts that are none.
_OF_SEGMENTS = ("segment", "document", "source")


def make_corpus(
    judgments: Any = None,
    *,
    outputs: Any = None,
    references: Any = None,
    sources: Any = None,
    scores: Any = None,
    criteria: Any = None,
    name: str = "corpus",
    place: str = "judgments",
) -> Corpus:
    """Return a corpus of tables and lists; parameters and errors are those of the public verb.

    `place` is what messages call the judgments.
    """
    problems = Problems()
    files = Files(Path(text("name", name)), problems)
    draft = Draft(files, name=name)
    if not name or not files.check_name(files.directory, name):
        raise UsageError(f"`name` must be a text that can stand in a table; got {name!r}.")
    declared = _criteria(criteria)
    for one in declared:
        draft.declare(one)
    making = _Making(draft)
    if outputs is not None:
        references, sources = making.outputs(outputs, references, sources)
    if judgments is not None:
        columns = columns_of(place, judgments)
        # Where criteria have a column each, the names that were declared say which these are.
        named = tuple(one.name for one in declared if one.name in columns) if "score" not in columns else ()
        making.check_numbers(columns, place)
        frame = text_frame(files, place, columns, range(1, len(next(iter(columns.values()), ())) + 1), ())
        if frame is not None:
            Table(criteria=named).put(frame, files, draft)
    if not draft.systems and not problems.errors:
        raise UsageError(
            f"`outputs` is missing: {f'`{place}` has' if judgments is not None else 'there are'} no texts of systems. "
            'Give outputs={"A": ["first segment", ...], "B": [...]}, or a table with a column for each system.'
        )
    if references is not None:
        making.texts(REFERENCE, "references", named_texts("reference", references))
    if sources is not None:
        making.texts(SOURCE, "sources", {"": next(iter(named_texts("source", [*_one_list(sources)]).values()))})
    if scores is not None:
        making.scores(scores)
    made = draft.finish()
    problems.raise_errors()
    assert made is not None
    for key, value in {"digest": digest_of(made), "warnings": tuple(map(str, problems.found)), "as_read": True}.items():
        object.__setattr__(made, key, value)
    return made


def _one_list(sources: Any) -> Iterable[Any]:
    """Return the segments of the source, which has no name."""
    if isinstance(sources, str | bytes | Mapping) or is_frame(sources) or not isinstance(sources, Iterable):
        raise UsageError(f"`sources` must be a list with one string for each segment; got {shown(sources)}.")
    return sources


def _criteria(given: Any) -> list[Criterion]:
    """Return the criteria that a caller has declared."""
    if given is None:
        return []
    if isinstance(given, Criterion):
        given = [given]
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise UsageError(f"`criteria` must be ranges by name, as {{'adequacy': (1, 5)}}; got {shown(given)}.")
    found = []
    for name, one in (
        given.items() if isinstance(given, Mapping) else ((getattr(one, "name", one), one) for one in given)
    ):
        if not isinstance(one, Criterion):
            numbers = isinstance(one, tuple | list) and len(one) == 2 and all(isinstance(n, int | float) for n in one)
            if not numbers or not isinstance(name, str) or not one[0] < one[1]:
                raise UsageError(
                    f"`criteria[{name!r}]` must be (low, high), such as (1, 5), or a metaeval.Criterion; got "
                    f"{shown(one)}."
                )
            one = Criterion(name, float(one[0]), float(one[1]), higher_is_better=True)
        elif name != one.name:
            raise UsageError(f"`criteria[{name!r}]` is the criterion {one.name!r}; give both the same name.")
        found.append(one)
    return found


class _Making:
    """Puts what a caller gave into a draft."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.counted = False  # whether segments have numbers for ids

    def outputs(self, given: Any, references: Any, sources: Any) -> tuple[Any, Any]:
        """Put in the texts of systems; return references and source, which may be columns of the same table."""
        if is_frame(given):
            columns = columns_of("outputs", given)
            ids, documents, source = (columns.pop(one, None) for one in _OF_SEGMENTS)
            named = [references] if isinstance(references, str) else references
            if (
                isinstance(named, list | tuple)
                and named
                and all(isinstance(one, str) and one in columns for one in named)
            ):
                references = {one: columns.pop(one) for one in named}
            if isinstance(sources, str) and sources in columns:
                source = columns.pop(sources)
            sources = source if sources is None or isinstance(sources, str) else sources
            texts = named_texts("output", columns)
        else:
            texts, ids, documents = named_texts("output", given), None, None
        if not texts or not next(iter(texts.values())):
            raise UsageError("`outputs` must hold a segment of a system at least; got none.")
        n = len(next(iter(texts.values())))
        self.counted = ids is None
        ids = ids or list(range(1, n + 1))
        for number, one in enumerate(ids):
            if one is None or isinstance(one, bool) or not isinstance(one, str | int):
                raise UsageError(
                    f"`outputs`, row {number + 1}: `segment` must be a text or a whole number; got {shown(one)}."
                )
            document = documents[number] if documents else None
            if self.draft.segment("" if document is None else str(document), str(one)) != number:
                raise UsageError(f"`outputs`, row {number + 1}: the segment {str(one)!r} stands there already.")
        self.texts(SYSTEM, "outputs", texts)
        return references, sources

    def texts(self, kind: str, argument: str, texts: Mapping[str, Sequence[Any]]) -> None:
        """Put in texts, which are as long as there are segments."""
        n = len(self.draft.segments)
        for name, segments in texts.items():
            place = f"`{argument}[{name!r}]`" if name else f"`{argument}`"
            if len(segments) != n:
                raise UsageError(f"{place} must have {n} segments, as the outputs of the systems; got {len(segments)}.")
            plain = [None if one != one else one for one in segments]  # NaN, which stands for no text in a table
            for number, one in enumerate(plain, start=1):
                if not isinstance(one, str | None):
                    raise UsageError(
                        f"{place}, segment {number}: must be text, or None where there is none; got {shown(one)}."
                    )
            self.draft.texts(kind, name, range(n), plain, place)

    def check_numbers(self, columns: Mapping[str, Sequence[Any]], place: str) -> None:
        """Refuse segments that are counted from 0, where texts have no ids."""
        numbers = columns.get("segment", ())
        if self.counted and 0 in numbers and all(isinstance(one, int) for one in numbers):
            raise UsageError(
                f"`{place}`, row {numbers.index(0) + 1}: segments are counted from 1; got 0. For a data frame: "
                f"{place}.assign(segment={place}.segment + 1)."
            )

    def scores(self, given: Any) -> None:
        """Put in scores of metrics: lists or numbers by metric and system, or a table with a column for each metric."""
        if is_frame(given):
            given = self._from_table(columns_of("scores", given))
        if not isinstance(given, Mapping) or not all(isinstance(one, Mapping) for one in given.values()):
            raise UsageError(
                f"`scores` must be scores by metric and system, as {{'mine': {{'A': [0.1, ...]}}}}; got {shown(given)}."
            )
        n = len(self.draft.segments)
        for metric, systems in given.items():
            place = f"scores[{metric!r}]"
            rows: list[tuple[str, int, float]] = []
            levels = {isinstance(one, int | float | np.number) for one in systems.values()}
            if len(levels) != 1 or not isinstance(metric, str):
                raise UsageError(f"`{place}` must hold a list of numbers for each system, or a number for each.")
            for system, values in systems.items():
                of_system = [values] if True in levels else values
                if not isinstance(of_system, Iterable) or isinstance(of_system, str | Mapping):
                    raise UsageError(f"`{place}[{system!r}]` must be a list of numbers; got {shown(of_system)}.")
                of_system = list(of_system)
                if False in levels and len(of_system) != n:
                    raise UsageError(
                        f"`{place}[{system!r}]` must have {n} scores, one a segment; got {len(of_system)}."
                    )
                for number, one in enumerate(of_system):
                    value = float("nan") if one is None else one
                    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or np.isinf(value):
                        raise UsageError(
                            f"`{place}[{system!r}]`, segment {number + 1}: must be a number; got {shown(one)}."
                        )
                    if value == value:
                        rows.append((str(system), number, float(value)))
            if unheard := sorted({system for system, _, _ in rows} - set(self.draft.systems)):
                raise UsageError(f"`{place}`: {unknown('system', unheard[0], self.draft.systems)}")
            units: Any = [""] * len(rows) if True in levels else np.array([unit for _, unit, _ in rows], dtype=np.int64)
            lines = Rows(place, range(1, len(rows) + 1))
            found = ScoreRows(lines, [system for system, _, _ in rows], units, [value for _, _, value in rows])
            level = "system" if True in levels else "segment"
            self.draft.score(ScoreFile(place, metric, "metric", level, given_rows(found)))

    def _from_table(self, columns: dict[str, list[Any]]) -> dict[str, dict[str, Any]]:
        """Return the scores of a table by metric and system."""
        systems, ids, documents = (columns.pop(one, None) for one in ("system", "segment", "document"))
        if systems is None or not columns:
            raise UsageError("`scores` must have a column system, one for each metric, and segment unless of systems.")
        place = self.draft.segments
        found: dict[str, dict[str, Any]] = {metric: {} for metric in columns}
        for row, system in enumerate(systems):
            key = ("" if documents is None else str(documents[row]), "" if ids is None else str(ids[row]))
            if ids is not None and key not in place:
                raise UsageError(f"`scores`, row {row + 1}: {unknown('segment', key[1], [id_ for _, id_ in place])}")
            for metric, values in columns.items():
                if ids is None:
                    found[metric][str(system)] = float("nan") if values[row] is None else values[row]
                else:
                    found[metric].setdefault(str(system), [None] * len(place))[place[key]] = values[row]
        return found


def digest_of(corpus: Corpus) -> str:
    """Return SHA-256 over the content of a corpus: texts, names, judgments, scores, and what is known of segments."""
    total = hashlib.sha256()

    def add(*parts: Any) -> None:
        for part in parts:
            if isinstance(part, np.ndarray):
                array = np.ascontiguousarray(part)
                part = (array.dtype.kind, array.shape)
                total.update(array.astype(np.float64 if array.dtype.kind == "f" else np.int64).tobytes())
            total.update(json.dumps(part, default=str).encode())

    def add_judgments(judgments: Judgments) -> None:
        add(
            judgments.judges, *(getattr(judgments, one) for one in ("criterion", "system", "segment", "judge", "score"))
        )

    add(corpus.systems, corpus.candidates, list(corpus.references.items()), corpus.sources, corpus.segment_ids)
    add(corpus.documents, [vars(one) for one in corpus.criteria], corpus.judged_references, corpus.filter)
    add([vars(one) for one in corpus.judge_groups], list(corpus.segment_facts.items()))
    add_judgments(corpus.judgments)
    add_judgments(corpus.reference_judgments)
    for one in corpus.scores:
        add(one.name, one.origin, one.level, one.systems, one.units, one.values)
    if corpus.spans is not None:
        add(*vars(corpus.spans).values())
    return total.hexdigest()
