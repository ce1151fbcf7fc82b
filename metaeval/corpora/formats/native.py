"""The neutral corpus directory, which any editor and any shell can read; or a corpus.toml that lists other files.

===========================  ==========================================================================
corpus.toml                  name, title, language, license, source, citation, notes, [[criteria]], [names]
source.txt                   one segment a line (optional)
references/NAME.txt          one segment a line; an empty line means: no such reference here
empty_references.tsv         reference, segment: references that are really empty (optional)
systems/NAME.txt             one segment a line; an empty line is an empty output
missing_outputs.tsv          system, segment: where a system gave nothing, not even an empty output (optional)
segments.tsv                 segment, id, document and any facts, such as domain (optional)
documents.tsv                segment, document and any facts (optional)
texts.jsonl                  instead of all these: one object a segment, whose texts may hold line feeds
judgments.tsv                segment, system, judge, criterion, score (optional)
reference_judgments.tsv      the same for human texts, with the column reference (optional)
metrics/NAME.tsv             system, segment, score: scores of a metric (optional)
human/NAME.tsv               the same for human scores that are no judgments (optional)
error_spans.tsv              segment, system, judge, text, start, end, severity, category (optional)
===========================  ==========================================================================

``NAME.document.tsv`` has the columns system, document, score, ``NAME.domain.tsv`` the same with domain, and
``NAME.system.tsv`` system, score. Error spans count characters from 0; the end lies behind the last one, both are -1
for something missing, and ``text`` is output or source. Each file but corpus.toml may be packed with gzip, its name
then ending in .gz. ``[names]`` gives the real names of systems, references and scores where the name of a file cannot
be the real one.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from metaeval.corpora.builder import Draft
from metaeval.corpora.description import Description, read_description
from metaeval.corpora.error_spans import Span
from metaeval.corpora.formats.base import Glimpse, Reader
from metaeval.corpora.formats.native_texts import OBJECTS, Tables, read_texts
from metaeval.corpora.judgment_columns import NUMBER, numbers
from metaeval.corpora.judgment_rows import REFERENCE, SOURCE, SYSTEM, JudgmentRows
from metaeval.corpora.problems import repeated
from metaeval.corpora.stored_scores import ScoreFile, ScoreRows
from metaeval.corpora.tables.delimited import Frame
from metaeval.corpora.text_files import packed_or_not, stem_of, visible
from metaeval.corpora.write_native import LEVELS, ORIGINS, PARTS, SPAN_COLUMNS, SPANS
from metaeval.datamodel.corpus import IntArray
from metaeval.errors import listing

_JUDGMENT_FILES = {SYSTEM: "judgments.tsv", REFERENCE: "reference_judgments.tsv"}
# What may lie there, with or without .gz; truth.toml and README.md describe a simulated corpus.
_KNOWN_FILES = {"corpus.toml", "source.txt", "segments.tsv", "documents.tsv", "truth.toml", "README.md", "LICENSE"}
_KNOWN_FILES |= {
    "systems",
    "references",
    "missing_outputs.tsv",
    "empty_references.tsv",
    *_JUDGMENT_FILES.values(),
    *ORIGINS,
}
_KNOWN_FILES |= {OBJECTS, SPANS}
_PLACES_OF_UNITS = {
    "document": "neither segments.tsv nor documents.tsv",
    "domain": "no column `domain` of segments.tsv",
}


@dataclass(frozen=True)
class Neutral(Reader, name="neutral"):
    """A directory in the neutral layout, or with a corpus.toml that lists files."""

    @classmethod
    def recognises(cls, glimpse: Glimpse) -> bool:
        """Return whether a directory has a corpus.toml, or texts, and must hear that corpus.toml is missing."""
        return bool({"corpus.toml", OBJECTS} & set(glimpse.entries)) or (glimpse.path / "systems").is_dir()

    def read(self, path: Path, draft: Draft) -> None:
        """Read one directory; the files that its corpus.toml lists are put into ``draft.listed``."""
        files = draft.files
        if not path.is_dir():
            files.error(path, "is a file; a corpus is a directory with corpus.toml, systems/ and references/.")
            return
        toml = path / "corpus.toml"
        description = read_description(files, toml)
        if description is not None and description.files:
            if description.names:
                files.error(
                    toml, "`names` is for files in the neutral layout; those of [[files]] have names themselves."
                )
            draft.describe(description)
            draft.listed += [(toml, entry) for entry in description.files]
        else:
            draft.has_tables = True
            _Layout(path, draft).read(description)
        # The name of a temporary directory is none.
        if not files.archive_of(path):
            draft.name = draft.name or path.resolve().name


class _Layout(Tables):
    """Reads one directory."""

    def __init__(self, directory: Path, draft: Draft) -> None:
        super().__init__(directory, draft.files, 0)
        self.draft = draft
        self.segments = np.empty(0, dtype=np.int32)  # in the draft, of each line
        self.names: Mapping[str, str] = {}  # real ones by those of files

    def read(self, description: Description | None) -> None:
        """Read all files; without a description as far as it goes."""
        files, draft, directory = self.files, self.draft, self.directory
        self._note_entries()
        texts = read_texts(directory, files)
        if description is None or texts is None:
            return
        draft.describe(description, files.location(directory / "corpus.toml"))
        self.names = description.names
        self.n_segments = len(texts.ids)
        toml = directory / "corpus.toml"
        for kind, stems in texts.by_kind.items():
            twice = repeated(map(self._real, stems))
            if twice:
                files.error(toml, f"`names` gives the same name to several {kind}s: {listing(twice)}.")
                return
        segments = list(map(draft.segment, texts.documents or [""] * len(texts.ids), texts.ids))
        self.segments = np.array(segments, dtype=np.int32)
        for name, values in texts.facts.items():
            draft.fact(name, segments, values)
        if texts.sources is not None:
            draft.texts(SOURCE, "", segments, texts.sources, files.location(texts.places[""]))
        for kind, of_kind in texts.by_kind.items():
            for stem, texts_of_stem in of_kind.items():
                draft.texts(kind, self._real(stem), segments, texts_of_stem, files.location(texts.places[stem]))
        stems_of_texts = [*texts.by_kind[SYSTEM], *texts.by_kind[REFERENCE]]
        named = {*stems_of_texts, *self._judgments(SYSTEM, texts.by_kind[SYSTEM]), *self._judgments(REFERENCE, None)}
        draft.file_of |= {self._real(stem): stem for stem in named}
        self._spans(stems_of_texts)
        units = {"document": texts.documents or (), "domain": texts.facts.get("domain", ())}
        named.update(*(self._scores(folder, stems_of_texts, units) for folder in ORIGINS))
        absent = [stem for stem in self.names if stem not in named]
        if absent:
            files.warning(toml, f"`names` names files that are not there: {listing(absent)}.")

    def _real(self, stem: str) -> str:
        return self.names.get(stem, stem)

    def _note_entries(self) -> None:
        """Note files and directories that are not read."""
        for path in visible(self.directory):
            name = path.name.removesuffix(".gz")
            if name not in _KNOWN_FILES:
                self.files.note(path, "is not read: no part of a corpus has this name.")
            elif name != path.name and (self.directory / name).exists():
                self.files.warning(path, f"is not read, because {name} is there too.")

    def _segments(self, table: Frame) -> IntArray:
        """Return the segments of a table by their indices in the draft; -1 for what is none, which is noted."""
        lines = self.lines(table)
        return np.where(lines < 0, -1, self.segments[lines])

    def _judgments(self, kind: str, stems: Iterable[str] | None) -> Iterable[str]:
        """Add judgments of the texts with some names, or with any name, and return the names."""
        columns = ("segment", kind, "judge", "criterion", "score")
        table = self.table(_JUDGMENT_FILES[kind], *columns)
        if table is None:
            return ()
        unused = ", ".join(name for name in table.columns if name not in columns)
        if unused:
            self.files.note(table.location, f"has further columns, which are not used: {unused}.")
        real = {stem: self._real(stem) for stem in (set(table.columns[kind]) if stems is None else stems)}
        names = self.named(table, kind, real, hint=f"; is {kind}s/{{name}}.txt missing?")
        criteria = {name: name for name in self.draft.criteria}
        judged_on = self.named(table, "criterion", criteria, "criteria", "; see corpus.toml.")
        occurring = set(judged_on)
        for name in (name for name in criteria if kind == SYSTEM and name not in occurring):
            self.files.note(table.location, f"has no judgment on {name!r}.")
        segments = self._segments(table)
        scores = numbers(table.columns["score"], table, self.files.problems)
        self.draft.judgments.append(
            JudgmentRows(table, segments, names, table.columns["judge"], judged_on, scores, kind)
        )
        return real

    def _spans(self, stems: Sequence[str]) -> None:
        """Add the errors that are marked in texts."""
        table = self.table(SPANS, *SPAN_COLUMNS)
        if table is None:
            return
        names = self.named(table, "system", {stem: self._real(stem) for stem in stems})
        parts = self.named(table, "text", {name: name for name in PARTS})
        columns = [table.columns[name] for name in ("judge", "severity", "category")]
        bounds = [table.columns[name] for name in ("start", "end")]
        for row, (segment, name, part, judge, severity, category, *cells) in enumerate(
            zip(self._segments(table).tolist(), names, parts, *columns, *bounds, strict=True)
        ):
            start, end = map(_position, cells)
            if start is None or end is None or not (start == end == -1 or 0 <= start <= end):
                must = "start and end must be whole numbers, the end not before the start, or both -1"
                self.files.error(table.location_of(row), f"{must}; got {cells[0]!r} and {cells[1]!r}.")
            elif name is not None and segment >= 0:
                self.draft.spans.append(Span(segment, name, judge, start, end, severity, category, part == PARTS[1]))

    def _scores(self, folder: str, stems: Sequence[str], units: Mapping[str, Sequence[str]]) -> Iterable[str]:
        """Add the scores of a folder, and return their names."""
        files = self.files
        names = []
        for path in visible(self.directory / folder):
            if packed_or_not(path).suffix != ".tsv":
                files.warning(path, "is not read: only files that end in .tsv are scores.")
                continue
            name, _, level = stem_of(path).rpartition(".")
            if not name or level not in LEVELS:
                name = stem_of(path)
                level = "segment"
            if not files.check_name(path, name):
                continue
            names.append(name)
            if level in units and not units[level]:
                files.error(path, f"has scores of {level}s, but {_PLACES_OF_UNITS[level]} gives the {level}s.")
                continue
            files.seal(path)
            read = partial(self._score_rows, path, level, stems, units.get(level, ()))
            self.draft.scores.append(ScoreFile(files.location(path), self._real(name), ORIGINS[folder], level, read))
        return names

    def _score_rows(self, path: Path, level: str, stems: Sequence[str], units: Sequence[str]) -> ScoreRows | None:
        """Return the rows of a file of scores."""
        table = self.table(path.relative_to(self.directory), *LEVELS[level], "score")
        if table is None:
            return None
        systems = self.named(table, "system", {stem: self._real(stem) for stem in stems})
        of_rows: Sequence[Hashable] | IntArray = [""] * len(table)
        if level == "segment":
            of_rows = self._segments(table)
        elif level != "system":
            of_rows = self.named(table, level, {name: name for name in units})
        return ScoreRows(table, systems, of_rows, numbers(table.columns["score"], table, self.files.problems))


def _position(cell: str) -> int | None:
    """Return the place of a character that stands in a cell, or -1; None for anything else."""
    number = float(cell) if NUMBER.fullmatch(cell) else math.nan
    return int(number) if abs(number) < 1e9 and number % 1 == 0 else None
