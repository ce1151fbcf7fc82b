"""The texts of a corpus in the neutral layout: a line of each file, or an object of texts.jsonl, is a segment.

Lines cannot hold texts with line feeds, such as paragraphs. Objects can::

    {"id": "7", "document": "d1", "source": "...", "systems": {"A": "...", "B": null}, "references": {"ref1": "..."},
     "facts": {"domain": "news"}}

``systems`` alone must be there; null, or no such name, is a missing text, and "" an empty one.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from metaeval.corpora.formats.base import common_length
from metaeval.corpora.judgment_columns import look_up, unknown_name, whole_number
from metaeval.corpora.judgment_rows import REFERENCE, SYSTEM
from metaeval.corpora.problems import repeated
from metaeval.corpora.tables.delimited import Frame, json_objects, read_delimited
from metaeval.corpora.text_files import Files, existing, packed_or_not, stem_of, visible
from metaeval.datamodel.corpus import IntArray
from metaeval.errors import counted, listing

OBJECTS = "texts.jsonl"
# The tables of texts that are not what an empty line means, and what they are.
_MARK_TABLES = {SYSTEM: ("missing_outputs.tsv", "missing"), REFERENCE: ("empty_references.tsv", "empty")}
# Files and folders that the objects replace.
_REPLACED_FILES: tuple[str, ...] = ("systems", "references", "source.txt", "segments.tsv", "documents.tsv")
_REPLACED_FILES += tuple(name for name, _ in _MARK_TABLES.values())
_OBJECT_KEYS = ("id", "document", "source", "systems", "references", "facts")
_SEGMENT_COLUMNS = ("segment", "id", "document")


@dataclass
class Texts:
    """The texts of all files; all sequences have a member for each segment.

    Attributes
    ----------
    places : dict of str to Path
        The files of the systems and references, by these, and of the sources, by "".
    by_kind : dict of str to dicts of str to sequence of (str or None)
        Systems and references, by the names of their files.
    sources : sequence of (str or None), or None
    ids : sequence of str
    documents : sequence of str, or None
    facts : mapping of str to sequence of str
    """

    places: dict[str, Path] = field(default_factory=dict)
    by_kind: dict[str, dict[str, Sequence[str | None]]] = field(default_factory=dict)
    sources: Sequence[str | None] | None = None
    ids: Sequence[str] = ()
    documents: Sequence[str] | None = None
    facts: Mapping[str, Sequence[str]] = field(default_factory=dict)


class Tables:
    """Reads tables about the segments of a directory."""

    def __init__(self, directory: Path, files: Files, n_segments: int) -> None:
        self.directory, self.files, self.n_segments = directory, files, n_segments

    def table(self, name: str | Path, *columns: str) -> Frame | None:
        """Return a table whose header begins with some columns, or None if there is none or it is wrong."""
        path = existing(self.directory / name)
        frame = read_delimited(*self.files.opened(path), "\t", quoting=False) if path else None
        if frame is None or tuple(frame.columns)[: len(columns)] == columns:
            return frame
        must = f"must begin with the columns {', '.join(columns)}, separated by tabs"
        self.files.error(f"{frame.location}:1", f"{must}; got {tuple(frame.columns)!r}.")
        return None

    def named(
        self, table: Frame, column: str, known: Mapping[str, str], plural: str | None = None, hint: str = ""
    ) -> list[str | None]:
        """Return the meanings of the names in a column, None for those that are unknown, which are noted."""
        meanings = list(map(known.get, table.columns[column]))
        if None in meanings:
            say = unknown_name(column, list(known), plural, hint)
            table.report(table.columns[column], {*table.columns[column]} - known.keys(), self.files.problems, say)
        return meanings

    def lines(self, table: Frame) -> IntArray:
        """Return the segments of a table by the indices of their lines; -1 for what is none, which is noted."""
        column = table.columns["segment"]
        index: dict[Hashable, int | None] = {}
        for text in set(column):
            number = whole_number(text) or 0
            index[text] = number - 1 if 1 <= number <= self.n_segments else None

        def say(text: str) -> str:
            return f"the segment must be a line number from 1 to {self.n_segments}; got {text[:40]!r}."

        return look_up(column, index, table, self.files.problems, say)

    def of_segments(self, name: str, column: str) -> dict[str, list[str]]:
        """Return the columns of a table that has a row for each segment, in the order of the segments."""
        table = self.table(name, "segment", column)
        if table is None:
            return {}
        row_of: dict[int, int] = {}
        for row, index in enumerate(self.lines(table).tolist()):
            if index >= 0 and row_of.setdefault(index, row) != row:
                self.files.error(table.location_of(row), f"segment {index + 1} is listed a second time.")
        missing = [index + 1 for index in range(self.n_segments) if index not in row_of]
        if missing:
            self.files.error(table.location, f"has no row for the segments {listing(missing)}.")
            return {}
        rows = [row_of[index] for index in range(self.n_segments)]
        return {key: [values[row] for row in rows] for key, values in table.columns.items()}

    def marked(
        self, name: str, kind: str, meaning: str, texts: Mapping[str, Sequence[str]]
    ) -> set[tuple[str | None, int]]:
        """Return the names and lines of a table of texts that are missing or empty."""
        table = self.table(name, kind, "segment")
        if table is None:
            return set()
        names = self.named(table, kind, {stem: stem for stem in texts})
        marked = set(zip(names, self.lines(table).tolist(), strict=True))
        for stem, lines in texts.items():
            for number, line in enumerate(lines, start=1):
                if line and (stem, number - 1) in marked:
                    wrong = f"calls segment {number} of {stem!r} {meaning}, but it has a text."
                    self.files.error(table.location, wrong)
        return marked


def read_texts(directory: Path, files: Files) -> Texts | None:
    """Return the texts of a directory, or None after noting why there are none."""
    objects = existing(directory / OBJECTS)
    texts = _texts_from_lines(directory, files) if objects is None else _texts_from_objects(objects, directory, files)
    if texts is None:
        return None
    twice = repeated(texts.ids)
    if twice:
        files.error(objects or directory / "segments.tsv", f"gives the same id to several segments: {listing(twice)}.")
    for stem, outputs in texts.by_kind[SYSTEM].items():
        _note_outputs(texts.places[stem], stem, outputs, files)
    for stem, lines in texts.by_kind[REFERENCE].items():
        if None in lines:
            among = f"{lines.count(None)} of {counted(len(lines), 'segment')}"
            how = " (empty lines)" if objects is None else f" under {stem!r}"
            files.note(texts.places[stem], f"has no reference for {among}{how}.")
    return texts


def _texts_from_lines(directory: Path, files: Files) -> Texts | None:
    """Return the texts of files of lines; None after noting why there are none."""
    lines_of = {kind: _folder(directory, kind, files) for kind in _MARK_TABLES}
    source = existing(directory / "source.txt")
    sources = files.lines(source) if source else None
    lengths = {f"{kind}s/{stem}.txt": len(lines) for kind, texts in lines_of.items() for stem, lines in texts.items()}
    n_segments = common_length(directory, lengths | ({} if sources is None else {"source.txt": len(sources)}), files)
    if n_segments == 0:
        files.error(directory, "has no segments: its text files are empty.")
    if not n_segments:
        return None
    tables = Tables(directory, files, n_segments)
    columns = tables.of_segments("segments.tsv", "id")
    if "document" not in columns:
        columns = tables.of_segments("documents.tsv", "document") | columns
    texts = Texts({"": directory / "source.txt"}, sources=sources, documents=columns.get("document"))
    texts.ids = columns.get("id") or [str(number) for number in range(1, n_segments + 1)]
    texts.facts = {name: values for name, values in columns.items() if name not in _SEGMENT_COLUMNS}
    for kind, (name, meaning) in _MARK_TABLES.items():
        marked = tables.marked(name, kind, meaning, lines_of[kind])
        texts.by_kind[kind] = {
            stem: [_meant(line, (stem, index) in marked, kind) for index, line in enumerate(lines)]
            for stem, lines in lines_of[kind].items()
        }
        texts.places = {stem: directory / f"{kind}s" / f"{stem}.txt" for stem in lines_of[kind]} | texts.places
    return texts


def _meant(line: str, marked: bool, kind: str) -> str | None:
    """Return the text of a line: an empty one is an empty output, but no reference, unless it is marked."""
    is_absent = marked if kind == SYSTEM else not (line or marked)
    return None if is_absent else line


def _folder(directory: Path, kind: str, files: Files) -> dict[str, tuple[str, ...]]:
    """Return the lines of all NAME.txt of the folder of a kind, in alphabetical order of the names."""
    folder = directory / f"{kind}s"
    if not folder.is_dir():
        if kind == SYSTEM or folder.exists():
            files.error(folder, f"must be a directory with one text file (.txt) for each {kind}.")
        return {}
    texts: dict[str, tuple[str, ...]] = {}
    for path in sorted(visible(folder), key=lambda path: (stem_of(path), path.name)):
        if packed_or_not(path).suffix != ".txt":
            files.warning(path, "is not read: only files that end in .txt are texts.")
        elif stem_of(path) in texts:
            files.error(path, "is there packed and unpacked; remove one of the two.")
        elif (lines := files.lines(path)) is not None and files.check_name(path, stem_of(path)):
            texts[stem_of(path)] = lines
    if kind == SYSTEM and not texts:
        files.error(folder, "holds no text file (.txt).")
    return texts


def _texts_from_objects(path: Path, directory: Path, files: Files) -> Texts | None:
    """Return the texts of objects; None after noting what is wrong with them."""
    not_allowed = [name for name in _REPLACED_FILES if existing(directory / name)]
    if not_allowed:
        files.error(path, f"holds all texts, so that there must be no {listing(not_allowed)} beside it.")
        return None
    rows = list(json_objects(*files.opened(path)))
    location = files.location(path)
    before = len(files.problems.errors)
    if not rows:
        files.error(path, "holds no segment.")
    strange = dict.fromkeys(key for _, row in rows for key in row if key not in _OBJECT_KEYS)
    if strange:
        files.note(path, f"has further keys, which are not used: {listing(strange)}.")
    for line, row in rows:
        for fault in _faults(row):
            files.error(f"{location}:{line}", fault)
    if len(files.problems.errors) > before:
        return None
    objects = [row for _, row in rows]
    corpus_texts = Texts(by_kind={kind: _named(objects, f"{kind}s") for kind in _MARK_TABLES})
    corpus_texts.places = dict.fromkeys(["", *corpus_texts.by_kind[SYSTEM], *corpus_texts.by_kind[REFERENCE]], path)
    for name in (*corpus_texts.by_kind[SYSTEM], *corpus_texts.by_kind[REFERENCE]):
        files.check_name(path, name)
    corpus_texts.ids = [row.get("id") or str(number) for number, row in enumerate(objects, start=1)]
    if any(row.get("source") is not None for row in objects):
        corpus_texts.sources = [row.get("source") for row in objects]
    if any(row.get("document") for row in objects):
        corpus_texts.documents = [row.get("document") or "" for row in objects]
    corpus_texts.facts = {name: [text or "" for text in values] for name, values in _named(objects, "facts").items()}
    return corpus_texts


def _faults(row: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is wrong with an object."""
    for key in _OBJECT_KEYS:
        value = row.get(key)
        if key in ("systems", "references", "facts"):
            required = "an object of texts by name"
            texts = list(value.values()) if isinstance(value, dict) else []
            is_right = value is None or isinstance(value, dict)
        else:
            required = "a text or null"
            texts = [value]
            is_right = True
        if not is_right or not all(isinstance(text, str | None) for text in texts):
            yield f"{key!r} must be {required}; got {str(value)[:60]!r}."
    if not row.get("systems"):
        yield "must have the texts of systems, under 'systems'."


def _named(objects: Sequence[Mapping[str, Any]], key: str) -> dict[str, Sequence[str | None]]:
    names = sorted({name for row in objects for name in (row.get(key) or ())})
    return {name: [(row.get(key) or {}).get(name) for row in objects] for name in names}


def _note_outputs(path: Path, stem: str, outputs: Sequence[str | None], files: Files) -> None:
    of = f" of {stem!r}" if path.name.startswith(OBJECTS) else ""
    numbered = list(enumerate(outputs, start=1))
    empty = [number for number, line in numbered if line is not None and not line.strip()]
    if empty:
        files.note(path, f"has empty outputs{of}, in the lines {listing(empty)}.")
    missing = [number for number, line in numbered if line is None]
    if missing:
        among = f"{len(missing)} of {counted(len(outputs), 'segment')}"
        files.note(path, f"has no output{of} for {among}: {listing(missing)}.")
