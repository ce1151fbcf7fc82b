"""A corpus that is made in Python, of tables and lists; it is identified by its content."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from metaeval.components.registries import READERS
from metaeval.corpora.builder import Draft
from metaeval.corpora.formats.table import Table
from metaeval.corpora.judgment_columns import Rows, look_up, numbers, unknown_name
from metaeval.corpora.judgment_rows import REFERENCE, SOURCE, SYSTEM
from metaeval.corpora.problems import Problems
from metaeval.corpora.stored_scores import ScoreFile, ScoreRows, given
from metaeval.corpora.tables.load import text_frame
from metaeval.corpora.text_files import Files
from metaeval.datamodel.columns import columns_of, is_frame, named_texts
from metaeval.datamodel.corpus import Corpus, Criterion
from metaeval.errors import UsageError
from metaeval.parameters.arguments import shown, text

# What a table has that says whose its rows are.
_KEY_COLUMNS = ("segment", "document", "source", "system")


def make_corpus(
    judgments: Any = None,
    *,
    outputs: Any = None,
    references: Any = None,
    sources: Any = None,
    scores: Any = None,
    criteria: Any = None,
    name: str = "corpus",
    source_format: str = "table",
    location: str = "judgments",
    keyword: str = "source_format",
) -> Corpus:
    """Return a corpus of tables and lists; parameters and errors are those of the public verb.

    `place` is what messages call the judgments, and `keyword` the argument that they propose for another format.
    """
    problems = Problems()
    files = Files(Path(text("name", name)), problems)
    files.keyword = keyword
    draft = Draft(files, name=name)
    table = READERS.named(text(keyword, source_format))
    if not isinstance(table, Table):
        raise UsageError(f"`{keyword}` must be table, or table(...) with parameters; got {source_format!r}.")
    if not name or not files.check_name(files.directory, name):
        raise UsageError(f"`name` must be a text that can stand in a table; got {name!r}.")
    declared = _criteria(criteria)
    for one in declared:
        draft.declare(one)
    counted = outputs is not None
    if outputs is not None:
        own: dict[str, list[Any]] = {}
        if is_frame(outputs):
            outputs = columns_of("outputs", outputs)
            own = {key: outputs.pop(key) for key in _KEY_COLUMNS if key in outputs}
            named = [references] if isinstance(references, str) else references
            if (
                isinstance(named, list | tuple)
                and named
                and all(isinstance(one, str) and one in outputs for one in named)
            ):
                references = {one: outputs.pop(one) for one in named}
            sources = own.get("source") if sources is None else sources
        texts = named_texts("outputs", outputs, absent=True)
        n, counted = len(next(iter(texts.values()), ())), "segment" not in own
        if not n:
            raise UsageError("`outputs` must hold a text of a segment at least; got none.")
        ids = own.get("segment", range(1, n + 1))
        for row, (id_, document) in enumerate(zip(ids, own.get("document", [None] * n), strict=True), start=1):
            if draft.segment("" if document is None else str(document), str(id_)) != row - 1:
                raise UsageError(f"`outputs`, row {row}: the segment {str(id_)!r} stands there already.")
        _add(draft, SYSTEM, "outputs", texts)
    if judgments is not None:
        columns = columns_of(location, judgments)
        numbered = columns.get("segment", ())
        if counted and 0 in numbered and all(isinstance(one, int) for one in numbered):
            hint = f"For a data frame: {location}.assign(segment={location}.segment + 1)."
            raise UsageError(f"`{location}`, row {numbered.index(0) + 1}: segments are counted from 1; got 0. {hint}")
        # Where criteria have a column each, the names that were declared say which these are.
        if "score" not in columns and not table.criteria and not table.judges:
            table = replace(table, criteria=tuple(one.name for one in declared if one.name in columns))
        frame = text_frame(files, location, columns, wanted=table.wanted)
        if frame is not None:
            table.put(frame, draft)
    if judgments is None and not draft.systems and not problems.errors:
        raise UsageError(
            '`outputs` is missing: there are no texts of systems, and no judgments. Give outputs={"A": ["first '
            'segment", ...], "B": [...]}, or a table with a column for each system.'
        )
    if references is not None:
        _add(draft, REFERENCE, "references", named_texts("references", references, absent=True))
    if sources is not None:
        of_segments = named_texts("sources", sources, absent=True)
        if len(of_segments) != 1:
            raise UsageError(f"`sources` must be one list, with a text for each segment; got {len(of_segments)}.")
        _add(draft, SOURCE, "sources", {"": of_segments.popitem()[1]})
    if scores is not None:
        _add_scores(draft, scores)
    made = draft.finish()
    problems.raise_errors()
    assert made is not None
    object.__setattr__(made, "digest", digest_of(made))
    object.__setattr__(made, "warnings", problems.with_severity("warning"))
    object.__setattr__(made, "notes", problems.with_severity("note"))
    return made


def _criteria(given: Any) -> list[Criterion]:
    """Return the criteria that a caller has declared."""
    if isinstance(given, Mapping):
        pairs: Iterable[tuple[Any, Any]] = given.items()
    elif isinstance(given, list | tuple):
        pairs = [("", criterion) for criterion in given]
    else:
        pairs = [] if given is None else [("", given)]
    found = []
    for name, one in pairs:
        numeric = isinstance(one, tuple | list) and len(one) == 2 and all(isinstance(n, int | float) for n in one)
        if name and isinstance(name, str) and numeric and one[0] < one[1]:
            one = Criterion(name, float(one[0]), float(one[1]), higher_is_better=True)
        if not isinstance(one, Criterion) or name not in ("", one.name):
            must = "ranges by name, such as {'adequacy': (1, 5)}, or a list of metaeval.Criterion"
            raise UsageError(f"`criteria` must be {must}; got {shown(one)}{f' for {name!r}' if name else ''}.")
        found.append(one)
    return found


def _add(draft: Draft, kind: str, argument: str, texts: Mapping[str, Sequence[str | None]]) -> None:
    """Add texts, which are as long as there are segments."""
    n = len(draft.segments)
    for name, segments in texts.items():
        location = f"{argument}[{name!r}]" if name else argument
        if len(segments) != n:
            raise UsageError(
                f"`{location}` must have {n} segments, as the outputs of the systems; got {len(segments)}."
            )
        draft.texts(kind, name, range(n), segments, location)


def _add_scores(draft: Draft, scores: Any) -> None:
    """Add scores of metrics: lists or numbers by metric and system, or a table with a column for each metric."""
    ids = [id_ for _, id_ in draft.segments]
    index: dict[Any, int | None] = {key: position for position, key in enumerate(draft.segments)}
    tables = [columns_of("scores", scores)] if is_frame(scores) else []
    if isinstance(scores, Mapping):
        tables = [_as_table(name, of_systems, [*draft.segments]) for name, of_systems in scores.items()]
    if not tables:
        raise UsageError(f"`scores` must be as {{'mine': {{'A': [0.1, ...]}}}}, or a table; got {shown(scores)}.")
    for columns in tables:
        frame = text_frame(draft.files, "scores", columns)
        if frame is None:
            continue
        of_segments = {key: frame.columns.pop(key, None) for key in _KEY_COLUMNS}
        systems, segments = of_segments["system"], of_segments["segment"]
        if systems is None:
            raise UsageError("`scores` must have a column system, one for each metric, and segment unless of systems.")
        keys = list(zip(of_segments["document"] or [""] * len(frame), segments or [""] * len(frame), strict=True))
        level = "system" if segments is None else "segment"
        for metric, values in frame.columns.items():
            kept = [row for row in range(len(frame)) if row not in frame.absent[metric]]
            rows = Rows("scores", [frame.lines[row] for row in kept])
            units: Any = [""] * len(kept)
            if segments is not None:
                say = unknown_name("segment", ids)
                asked = [keys[row] for row in kept]
                units = look_up(asked, index, rows, draft.files.problems, lambda key, say=say: say(key[1]))
            found = numbers([values[row] for row in kept], rows, draft.files.problems)
            made = ScoreRows(rows, [systems[row] for row in kept], units, found)
            draft.scores.append(ScoreFile("scores", metric, "metric", level, given(made)))


def _as_table(metric: Any, systems: Any, segments: Sequence[tuple[str, str]]) -> dict[str, list[Any]]:
    """Return the scores of a metric by system as a table."""
    location, n = f"scores[{metric!r}]", len(segments)
    lists = isinstance(systems, Mapping) and [isinstance(one, Iterable) for one in systems.values()]
    if not lists or not isinstance(systems, Mapping) or len(set(lists)) > 1 or not isinstance(metric, str):
        raise UsageError(f"`{location}` must have a list of numbers for each system, or a number for each.")
    if not lists[0]:
        return {"system": list(systems), metric: list(systems.values())}
    values = {system: list(one) for system, one in systems.items()}
    for system, one in values.items():
        if len(one) != n or isinstance(systems[system], str):
            raise UsageError(
                f"`{location}[{system!r}]` must have {n} scores, one a segment; got {shown(systems[system])}."
            )
    documents, ids = ([key[part] for key in segments] * len(values) for part in (0, 1))
    named = [system for system in values for _ in range(n)]
    given: list[Any] = [None if one != one else one for column in values.values() for one in column]
    plain = [one.item() if hasattr(one, "item") else one for one in given]
    return {"document": documents, "segment": ids, "system": named, metric: plain}


def digest_of(corpus: Corpus) -> str:
    """Return SHA-256 over the content of a corpus: texts, names, judgments, scores, and what is known of segments."""
    total = hashlib.sha256()

    def add(value: Any) -> None:
        if isinstance(value, np.ndarray):
            total.update(value.astype(np.float64 if value.dtype.kind == "f" else np.int64).tobytes())
            value = value.shape
        total.update(json.dumps(value, default=_parts).encode())

    def _parts(value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return add(value)
        return dict(value) if isinstance(value, Mapping) else vars(value)

    left_out = ("name", "title", "facts", "digest", "scores", "whole", "as_read", "warnings", "notes")
    add({key: value for key, value in vars(corpus).items() if key not in left_out})
    for one in corpus.scores:
        add([one.name, one.origin, one.level, one.systems, one.units, one.values])
    return total.hexdigest()
