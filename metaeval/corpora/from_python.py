"""A corpus that is made in Python, of tables and lists; it is identified by its content."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from metaeval.components.registries import READERS
from metaeval.corpora.builder import Draft
from metaeval.corpora.formats.table import Table
from metaeval.corpora.judgment_columns import Rows, look_up, numbers, unknown_name
from metaeval.corpora.judgment_rows import REFERENCE, SOURCE, SYSTEM
from metaeval.corpora.problems import Problems
from metaeval.corpora.stored_scores import ScoreFile, ScoreRows, reader_of
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

    `location` is what messages call the judgments, and `keyword` the argument that they propose for another format.
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
    for criterion in declared:
        draft.declare(criterion)
    counted = outputs is not None
    if outputs is not None:
        texts = _texts_in(outputs, references, sources)
        references = texts.references
        sources = texts.sources
        counted = "segment" not in texts.keys
        _add_outputs(draft, texts)
    if judgments is not None:
        columns = columns_of(location, judgments)
        numbered = columns.get("segment", ())
        if counted and 0 in numbered and all(isinstance(number, int) for number in numbered):
            hint = f"For a data frame: {location}.assign(segment={location}.segment + 1)."
            raise UsageError(f"`{location}`, row {numbered.index(0) + 1}: segments are counted from 1; got 0. {hint}")
        # Where criteria have a column each, the names that were declared say which these are.
        if "score" not in columns and not table.criteria and not table.judges:
            table = replace(
                table, criteria=tuple(criterion.name for criterion in declared if criterion.name in columns)
            )
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
    corpus = draft.finish()
    problems.raise_errors()
    assert corpus is not None
    object.__setattr__(corpus, "digest", digest_of(corpus))
    object.__setattr__(corpus, "warnings", problems.reading_notes())
    object.__setattr__(corpus, "notes", problems.with_severity("note"))
    return corpus


class _Texts(NamedTuple):
    """Texts as a caller has them, and the columns that say of which segment each row of the outputs is."""

    outputs: Any
    references: Any
    sources: Any
    keys: Mapping[str, Sequence[Any]]


def _texts_in(outputs: Any, references: Any, sources: Any) -> _Texts:
    """Return the texts of systems, references and sources; a table of outputs may have columns of the latter two."""
    if not is_frame(outputs):
        return _Texts(outputs, references, sources, {})
    outputs = columns_of("outputs", outputs)
    keys = {key: outputs.pop(key) for key in _KEY_COLUMNS if key in outputs}
    named = [references] if isinstance(references, str) else references
    is_named = isinstance(named, list | tuple) and bool(named)
    if is_named and all(isinstance(column, str) and column in outputs for column in named):
        if len(set(named)) < len(named):
            raise UsageError(f"`references` must name each column once; got {shown(references)}.")
        references = {column: outputs.pop(column) for column in named}
    return _Texts(outputs, references, keys.get("source") if sources is None else sources, keys)


def _add_outputs(draft: Draft, texts: _Texts) -> None:
    """Add the texts of systems, and the segments that they are of."""
    outputs = named_texts("outputs", texts.outputs, absent=True)
    n = len(next(iter(outputs.values()), ()))
    if not n:
        raise UsageError("`outputs` must hold a text of a segment at least; got none.")
    ids = texts.keys.get("segment", range(1, n + 1))
    documents = texts.keys.get("document", [None] * n)
    for row, (id_, document) in enumerate(zip(ids, documents, strict=True), start=1):
        if draft.segment("" if document is None else str(document), str(id_)) != row - 1:
            raise UsageError(f"`outputs`, row {row}: the segment {str(id_)!r} stands there already.")
    _add(draft, SYSTEM, "outputs", outputs)


def _criteria(declared: Any) -> list[Criterion]:
    """Return the criteria that a caller has declared."""
    if isinstance(declared, Mapping):
        pairs: Iterable[tuple[Any, Any]] = declared.items()
    elif isinstance(declared, list | tuple):
        pairs = [("", criterion) for criterion in declared]
    else:
        pairs = [] if declared is None else [("", declared)]
    criteria = []
    for name, criterion in pairs:
        numeric = (
            isinstance(criterion, tuple | list)
            and len(criterion) == 2
            and all(isinstance(n, int | float) for n in criterion)
        )
        if name and isinstance(name, str) and numeric and criterion[0] < criterion[1]:
            criterion = Criterion(name, float(criterion[0]), float(criterion[1]), higher_is_better=True)
        if not isinstance(criterion, Criterion) or name not in ("", criterion.name):
            must = "ranges by name, such as {'adequacy': (1, 5)}, or a list of metaeval.Criterion"
            raise UsageError(f"`criteria` must be {must}; got {shown(criterion)}{f' for {name!r}' if name else ''}.")
        criteria.append(criterion)
    return criteria


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
            rows_with_score = [row for row in range(len(frame)) if row not in frame.absent[metric]]
            rows = Rows("scores", [frame.lines[row] for row in rows_with_score])
            units: Any = [""] * len(rows_with_score)
            if segments is not None:
                say = unknown_name("segment", ids)
                keys_with_score = [keys[row] for row in rows_with_score]
                units = look_up(keys_with_score, index, rows, draft.files.problems, lambda key, say=say: say(key[1]))
            values_with_score = numbers([values[row] for row in rows_with_score], rows, draft.files.problems)
            score_rows = ScoreRows(rows, [systems[row] for row in rows_with_score], units, values_with_score)
            draft.scores.append(ScoreFile("scores", metric, "metric", level, reader_of(score_rows)))


def _as_table(metric: Any, systems: Any, segments: Sequence[tuple[str, str]]) -> dict[str, list[Any]]:
    """Return the scores of a metric by system as a table."""
    location = f"scores[{metric!r}]"
    n = len(segments)
    lists = isinstance(systems, Mapping) and [isinstance(of_system, Iterable) for of_system in systems.values()]
    if not lists or not isinstance(systems, Mapping) or len(set(lists)) > 1 or not isinstance(metric, str):
        raise UsageError(f"`{location}` must have a list of numbers for each system, or a number for each.")
    if not lists[0]:
        return {"system": list(systems), metric: list(systems.values())}
    values = {system: list(of_system) for system, of_system in systems.items()}
    for system, of_system in values.items():
        if len(of_system) != n or isinstance(systems[system], str):
            raise UsageError(
                f"`{location}[{system!r}]` must have {n} scores, one a segment; got {shown(systems[system])}."
            )
    documents, ids = ([key[part] for key in segments] * len(values) for part in (0, 1))
    named = [system for system in values for _ in range(n)]
    cells: list[Any] = [None if value != value else value for column in values.values() for value in column]
    plain = [value.item() if hasattr(value, "item") else value for value in cells]
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
    for stored in corpus.scores:
        add([stored.name, stored.origin, stored.level, stored.systems, stored.units, stored.values])
    return total.hexdigest()
