"""The neutral corpus directory, which any editor and any shell can read; or a corpus.toml that lists other files.

===========================  ==========================================================================
corpus.toml                  name, title, language, license, source, citation, notes, [[criteria]], [names]
source.txt                   one segment a line (optional)
references/NAME.txt          one segment a line; an empty line means: no such reference here
empty_references.tsv         reference, segment: references that are really empty (optional)
systems/NAME.txt             one segment a line; an empty line is an empty output
missing_outputs.tsv          system, segment: where a system gave nothing, not even an empty output (optional)
segments.tsv                 segment, id, document (optional)
documents.tsv                segment, document (optional)
judgments.tsv                segment, system, judge, criterion, score (optional)
reference_judgments.tsv      the same for human texts, with the column reference (optional)
metrics/NAME.tsv             system, segment, score: scores of a metric (optional)
human/NAME.tsv               the same for human scores that are no judgments (optional)
===========================  ==========================================================================

``NAME.document.tsv`` has the columns system, document, score, and ``NAME.system.tsv`` system, score. Each file but
corpus.toml may be packed with gzip, its name then ending in .gz. ``[names]`` gives the real names of systems,
references and scores where the name of a file cannot be the real one.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from metaeval.corpora.columns import known, look_up, numbers, unknown_name, whole_number
from metaeval.corpora.description import Description, read_description
from metaeval.corpora.draft import Draft, ScoreRows
from metaeval.corpora.formats.contract import Glimpse, common_length
from metaeval.corpora.formats.delimited import Frame, read_delimited
from metaeval.corpora.judged import REFERENCE, SOURCE, SYSTEM, JudgmentRows
from metaeval.corpora.lines import Files, existing, packed_or_not, stem_of
from metaeval.corpora.problems import counted, repeated
from metaeval.corpora.write import LEVELS, ORIGINS
from metaeval.errors import listing
from metaeval.records import IntArray

_JUDGMENTS = {SYSTEM: "judgments.tsv", REFERENCE: "reference_judgments.tsv"}
# What may lie there, with or without .gz; truth.toml and README.md describe a simulated corpus.
_KNOWN = {"corpus.toml", "source.txt", "segments.tsv", "documents.tsv", "truth.toml", "README.md", "LICENSE"}
_KNOWN |= {"systems", "references", "missing_outputs.tsv", "empty_references.tsv", *_JUDGMENTS.values(), *ORIGINS}


@dataclass(frozen=True)
class Neutral:
    """A directory in the neutral layout, or with a corpus.toml that lists files."""

    name: ClassVar[str] = "neutral"
    title: ClassVar[str] = "directory in the neutral layout"
    expects: ClassVar[str] = "a directory with corpus.toml, systems/ and references/, or whose corpus.toml lists files"

    @classmethod
    def recognises(cls, glimpse: Glimpse) -> bool:
        """Return whether a directory has a corpus.toml, or systems/, and must hear that corpus.toml is missing."""
        return "corpus.toml" in glimpse.entries or (glimpse.path / "systems").is_dir()

    def read(self, path: Path, files: Files, draft: Draft) -> None:
        """Read one directory; the files that its corpus.toml lists are put into ``draft.listed``."""
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
            _Layout(path, files, draft).read(description)
        # The name of a temporary directory is none.
        if not files.archive_of(path):
            draft.name = draft.name or path.resolve().name


class _Layout:
    """Reads one directory."""

    def __init__(self, directory: Path, files: Files, draft: Draft) -> None:
        self.directory, self.files, self.draft = directory, files, draft
        self.n_segments = 0
        self.segments = np.empty(0, dtype=np.int32)  # in the draft, of each line
        self.names: Mapping[str, str] = {}  # real ones by those of files

    def read(self, description: Description | None) -> None:
        """Read all files; without a description as far as it goes."""
        files, draft, directory = self.files, self.draft, self.directory
        self._note_entries()
        systems, references = self._texts("systems"), self._texts("references")
        source = existing(directory / "source.txt")
        sources = files.lines(source) if source else None
        lengths = {f"systems/{stem}.txt": len(lines) for stem, lines in systems.items()}
        lengths |= {f"references/{stem}.txt": len(lines) for stem, lines in references.items()}
        lengths |= {} if sources is None else {"source.txt": len(sources)}
        n_segments = common_length(directory, lengths, files)
        if n_segments == 0:
            files.error(directory, "has no segments: its text files are empty.")
        if description is None or not n_segments:
            return
        draft.describe(description, files.place(directory / "corpus.toml"))
        self.n_segments, self.names = n_segments, description.names
        for kind, stems in (("systems", systems), ("references", references)):
            twice = repeated(map(self._real, stems))
            if twice:
                toml = directory / "corpus.toml"
                files.error(toml, f"`names` gives the same name to several {kind}: {listing(twice)}.")
                return
        ids, documents = self._ids()
        segments = list(map(draft.segment, documents or [""] * n_segments, ids))
        self.segments = np.array(segments, dtype=np.int32)
        if source and sources is not None:
            draft.texts(SOURCE, "", segments, sources, files.place(source))
        missing = self._marked("missing_outputs.tsv", "system", "missing", systems)
        for stem, lines in systems.items():
            outputs = [None if (stem, index) in missing else line for index, line in enumerate(lines)]
            path = directory / "systems" / f"{stem}.txt"
            self._note_outputs(path, outputs)
            draft.texts(SYSTEM, self._real(stem), segments, outputs, files.place(path))
        empty = self._marked("empty_references.tsv", "reference", "empty", references)
        for stem, lines in references.items():
            path = directory / "references" / f"{stem}.txt"
            texts = [line if line or (stem, index) in empty else None for index, line in enumerate(lines)]
            if None in texts:
                among = f"{texts.count(None)} of {counted(len(texts), 'segment')}"
                files.note(path, f"has no reference for {among} (empty lines).")
            draft.texts(REFERENCE, self._real(stem), segments, texts, files.place(path))
        named = {*systems, *references, *self._judgments(SYSTEM, systems), *self._judgments(REFERENCE, None)}
        draft.file_of |= {self._real(stem): stem for stem in named}
        named.update(*(self._scores(folder, [*systems, *references], documents or ()) for folder in ORIGINS))
        absent = [stem for stem in self.names if stem not in named]
        if absent:
            files.warning(directory / "corpus.toml", f"`names` names files that are not there: {listing(absent)}.")

    def _real(self, stem: str) -> str:
        return self.names.get(stem, stem)

    def _note_entries(self) -> None:
        """Note files and directories that are not read."""
        for path in sorted(self.directory.iterdir()):
            name = path.name.removesuffix(".gz")
            if name not in _KNOWN and not path.name.startswith("."):
                self.files.note(path, "is not read: no part of a corpus has this name.")
            elif name != path.name and (self.directory / name).exists():
                self.files.warning(path, f"is not read, because {name} is there too.")

    def _texts(self, name: str) -> dict[str, tuple[str, ...]]:
        """Return the lines of all NAME.txt of a folder, in alphabetical order of the names."""
        folder, files = self.directory / name, self.files
        if not folder.is_dir():
            if name == "systems" or folder.exists():
                files.error(folder, f"must be a directory with one text file (.txt) for each {name[:-1]}.")
            return {}
        texts: dict[str, tuple[str, ...]] = {}
        for path in sorted(folder.iterdir(), key=lambda path: (stem_of(path), path.name)):
            if path.name.startswith("."):
                continue
            if packed_or_not(path).suffix != ".txt":
                files.warning(path, "is not read: only files that end in .txt are texts.")
            elif stem_of(path) in texts:
                files.error(path, "is there packed and unpacked; remove one of the two.")
            elif (lines := files.lines(path)) is not None and files.check_name(path, stem_of(path)):
                texts[stem_of(path)] = lines
        if name == "systems" and not texts:
            files.error(folder, "holds no text file (.txt).")
        return texts

    def _note_outputs(self, path: Path, outputs: Sequence[str | None]) -> None:
        empty = [number for number, line in enumerate(outputs, start=1) if line is not None and not line.strip()]
        if empty:
            self.files.note(path, f"has empty outputs, in the lines {listing(empty)}.")
        missing = [number for number, line in enumerate(outputs, start=1) if line is None]
        if missing:
            among = f"{len(missing)} of {counted(len(outputs), 'segment')}"
            self.files.note(path, f"has no output for {among}: {listing(missing)}.")

    def _table(self, path: Path | None, *columns: str) -> Frame | None:
        """Return a table whose header begins with some columns, or None if there is none or it is wrong."""
        frame = read_delimited(self.files, path, "\t", quoting=False) if path else None
        if frame is None or tuple(frame.columns)[: len(columns)] == columns:
            return frame
        must = f"must begin with the columns {', '.join(columns)}, separated by tabs"
        self.files.error(f"{frame.place}:1", f"{must}; got {tuple(frame.columns)!r}.")
        return None

    def _segments(self, table: Frame) -> IntArray:
        """Return the segments of a table by their indices in the draft; -1 for what is none, which is noted."""
        lines = self._lines(table)
        return np.where(lines < 0, -1, self.segments[lines])

    def _lines(self, table: Frame) -> IntArray:
        """Return the segments of a table by the indices of their lines; -1 for what is none, which is noted."""
        column = table.columns["segment"]
        index: dict[Hashable, int | None] = {}
        for text in set(column):
            number = whole_number(text) or 0
            index[text] = number - 1 if 1 <= number <= self.n_segments else None

        def say(text: str) -> str:
            return f"the segment must be a line number from 1 to {self.n_segments}; got {text[:40]!r}."

        return look_up(column, index, table, self.files.problems, say)

    def _ids(self) -> tuple[Sequence[str], Sequence[str] | None]:
        """Return the ids of the segments, and their documents if there are any."""
        columns = self._of_segments("segments.tsv", "id")
        ids = columns.get("id") or [str(number) for number in range(1, self.n_segments + 1)]
        twice = repeated(ids)
        if twice:
            path = self.directory / "segments.tsv"
            self.files.error(path, f"gives the same id to several segments: {listing(twice)}.")
        documents = columns.get("document") or self._of_segments("documents.tsv", "document").get("document")
        return ids, documents

    def _of_segments(self, name: str, column: str) -> dict[str, list[str]]:
        """Return the columns of a table that has a row for each segment, in the order of the segments."""
        table = self._table(existing(self.directory / name), "segment", column)
        if table is None:
            return {}
        self._note_unused(table, "segment", "id", "document")
        row_of: dict[int, int] = {}
        for row, index in enumerate(self._lines(table).tolist()):
            if index >= 0 and row_of.setdefault(index, row) != row:
                self.files.error(table.place_of(row), f"segment {index + 1} is listed a second time.")
        missing = [index + 1 for index in range(self.n_segments) if index not in row_of]
        if missing:
            self.files.error(table.place, f"has no row for the segments {listing(missing)}.")
            return {}
        rows = [row_of[index] for index in range(self.n_segments)]
        return {key: [values[row] for row in rows] for key, values in table.columns.items()}

    def _note_unused(self, table: Frame, *used: str) -> None:
        unused = ", ".join(name for name in table.columns if name not in used)
        if unused:
            self.files.note(table.place, f"has further columns, which are not used: {unused}.")

    def _marked(
        self, name: str, kind: str, meaning: str, texts: Mapping[str, Sequence[str]]
    ) -> set[tuple[str | None, int]]:
        """Return the names and lines of a table of texts that are missing or empty."""
        table = self._table(existing(self.directory / name), kind, "segment")
        if table is None:
            return set()
        stems = {stem: stem for stem in texts}
        names = known(table.columns[kind], stems, table, self.files.problems, unknown_name(kind, list(texts)))
        marked = set(zip(names, self._lines(table).tolist(), strict=True))
        for stem, lines in texts.items():
            for index, line in enumerate(lines):
                if line and (stem, index) in marked:
                    self.files.error(
                        table.place, f"calls segment {index + 1} of {stem!r} {meaning}, but it has a text."
                    )
        return marked

    def _judgments(self, kind: str, stems: Iterable[str] | None) -> Iterable[str]:
        """Add judgments of the texts with some names, or with any name, and return the names."""
        columns = ("segment", kind, "judge", "criterion", "score")
        table = self._table(existing(self.directory / _JUDGMENTS[kind]), *columns)
        if table is None:
            return ()
        problems, criteria = self.files.problems, list(self.draft.criteria)
        self._note_unused(table, *columns)
        real = {stem: self._real(stem) for stem in (set(table.columns[kind]) if stems is None else stems)}
        say = unknown_name(kind, list(real), hint=f"; is {kind}s/{{name}}.txt missing?")
        names = known(table.columns[kind], real, table, problems, say)
        say = unknown_name("criterion", criteria, "criteria", "; see corpus.toml.")
        judged_on = known(table.columns["criterion"], {name: name for name in criteria}, table, problems, say)
        occurring = set(judged_on)
        for name in criteria if kind == SYSTEM else ():
            if name not in occurring:
                self.files.note(table.place, f"has no judgment on {name!r}.")
        segments, scores = self._segments(table), numbers(table.columns["score"], table, problems)
        self.draft.judge(JudgmentRows(table, segments, names, table.columns["judge"], judged_on, scores, kind))
        return real

    def _scores(self, folder: str, stems: Sequence[str], documents: Sequence[str]) -> Iterable[str]:
        """Add the scores of a folder, and return their names."""
        files, found = self.files, []
        for path in sorted((self.directory / folder).glob("*")):
            if path.name.startswith("."):
                continue
            if packed_or_not(path).suffix != ".tsv":
                files.warning(path, "is not read: only files that end in .tsv are scores.")
                continue
            name, _, level = stem_of(path).rpartition(".")
            if not name or level not in ("document", "system"):
                name, level = stem_of(path), "segment"
            table = self._table(path, *LEVELS[level], "score")
            if table is None or not files.check_name(path, name):
                continue
            found.append(name)
            if level == "document" and not documents:
                lacking = "neither segments.tsv nor documents.tsv gives the documents"
                files.error(path, f"has scores of documents, but {lacking}.")
                continue
            real = {stem: self._real(stem) for stem in stems}
            systems = known(table.columns["system"], real, table, files.problems, unknown_name("system", stems))
            units: Sequence[Hashable] = [""] * len(table)
            if level == "segment":
                units = self._segments(table).tolist()
            elif level == "document":
                index = {name: name for name in documents}
                say = unknown_name("document", list(index))
                units = known(table.columns["document"], index, table, files.problems, say)
            scores = numbers(table.columns["score"], table, files.problems)
            self.draft.score(ScoreRows(table, self._real(name), ORIGINS[folder], level, systems, units, scores))
        return found
