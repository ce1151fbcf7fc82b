"""Base of readers: each recognises its format, and puts what it reads into a draft."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

from metaeval.corpora.builder import Draft
from metaeval.corpora.error_spans import Span, spans_in
from metaeval.corpora.judgment_rows import SYSTEM, Judgment, JudgmentRows
from metaeval.corpora.segment_index import Key
from metaeval.corpora.tables.delimited import json_number, json_objects
from metaeval.corpora.text_files import Files, encoding_of, packed_or_not
from metaeval.errors import UsageError, counted, listing
from metaeval.runtime.files import open_file, tables_of

# By so many files of a directory its format is recognised.
MAX_FILES = 1000
_HEAD_BYTES = 1 << 16
DESCRIBED = tables_of(str(Path(__file__).with_name("described")))


@dataclass(frozen=True)
class Glimpse:
    """A look at a source: its name, its files and the beginning of its text.

    Attributes
    ----------
    path : Path
    entries : tuple of str
        The names in a directory, sorted; empty for a file.
    suffix : str
        Of a file, lower-case, without ``.gz``.
    head : str
        The beginning of a file, unpacked, with U+FFFD for what is not UTF-8.
    """

    path: Path
    entries: tuple[str, ...]
    suffix: str
    head: str

    @classmethod
    def from_path(cls, path: Path) -> Glimpse:
        """Look at a file or directory that exists."""
        if path.is_dir():
            return cls(path, tuple(sorted(entry.name for entry in path.iterdir())), "", "")
        with open_file(path) as file:
            start = file.read(_HEAD_BYTES)
        if start.startswith(b"\x1f\x8b"):
            try:
                start = zlib.decompressobj(wbits=31).decompress(start, _HEAD_BYTES)
            except zlib.error:
                start = b""
        head = start.decode(encoding_of(start), "replace").removeprefix("\ufeff")
        return cls(path, (), packed_or_not(path).suffix.lower(), head)

    @property
    def is_directory(self) -> bool:
        """True if the source is a directory."""
        return self.path.is_dir()

    @property
    def first_line(self) -> str:
        """The first line of a file."""
        return self.head.partition("\n")[0].removesuffix("\r")

    def files(self) -> list[Glimpse]:
        """Return the files of a directory, or the file itself; hidden ones are left out."""
        if not self.is_directory:
            return [self]
        return [*map(Glimpse.from_path, self._paths())]

    @cached_property
    def first_files(self) -> list[Glimpse]:
        """The first `MAX_FILES` of these files, by which a format is recognised."""
        if not self.is_directory:
            return [self]
        return [*map(Glimpse.from_path, islice(self._paths(), MAX_FILES))]

    @property
    def has_more_files(self) -> bool:
        """True if there are files beyond the first ones."""
        return self.is_directory and next(islice(self._paths(), MAX_FILES, None), None) is not None

    def _paths(self) -> Iterator[Path]:
        paths = (self.path / name for name in self.entries if not name.startswith("."))
        return (path for path in paths if path.is_file())


def common_length(directory: Path, lengths: Mapping[str, int], files: Files) -> int | None:
    """Return the number of lines that most text files of a directory have, None without any; the others are errors."""
    if not lengths:
        return None
    ((expected, count),) = Counter(lengths.values()).most_common(1)
    model = next(name for name, length in lengths.items() if length == expected)
    others = f" and {counted(count - 1, 'other file')}" if count > 1 else ""
    for name, length in lengths.items():
        if length != expected:
            files.error(
                directory / name,
                f"has {counted(length, 'line')} but must have {expected}, as {model}{others}; each line is one "
                "segment, so a line was probably lost, added or broken.",
            )
    return expected


class Source:
    """A file as its lines are read: where messages point, and what goes into the draft.

    Parameters
    ----------
    path : Path
    draft : Draft
    """

    def __init__(self, path: Path, draft: Draft) -> None:
        self.path = path
        self.draft = draft
        self.files = draft.files
        self.location = draft.files.location(path)
        self.judged: list[Judgment] = []

    def at(self, line: int | None) -> str:
        """Return the place of a line, or that of the file where it has no lines."""
        return self.location if line is None else f"{self.location}:{line}"

    def error(self, line: int | None, message: str) -> None:
        """Note an error in a line, or in the file."""
        self.files.error(self.at(line), message)

    def objects(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the objects of JSON Lines, with their lines."""
        return json_objects(*self.files.opened(self.path))

    def text(self, kind: str, name: str, segment: int, text: str, line: int) -> None:
        """Add a text of a line."""
        self.draft.text(kind, name, segment, text, self.location, line)

    def score(
        self,
        line: int | None,
        key: Key | int,
        name: str,
        judge: str,
        criterion: str,
        value: object,
        noun: str = "the score",
    ) -> None:
        """Take a judgment, whose value JSON has; what is no number is noted."""
        score = json_number(self.files, value, self.at(line), noun)
        if score is not None:
            self.judged.append(Judgment(line or 1, key, name, judge, criterion, score))

    def judge(self, kind: str = SYSTEM, hint: str = "") -> None:
        """Add the judgments that were taken."""
        self.draft.judgments.append(JudgmentRows.from_judgments(self.location, self.judged, kind, hint))

    def spans(
        self, errors: object, line: int, segment: int | Key, name: str, judge: str, bounds: str = "start_i end_i"
    ) -> list[Span]:
        """Return errors of a line as spans; those that are none are noted."""
        return spans_in(errors, Span(segment, name, judge, -1, -1, "", ""), bounds.split(), self.files, self.at(line))


class Reader:
    """A format: a frozen dataclass whose fields are its parameters (see `metaeval.parameters.fields`).

    What it is, what it looks like and what its parameters mean stands in described.toml.

    Attributes
    ----------
    name : str
        As users write it: ``sgml``.
    title : str
        What it is, in a few words.
    expects : str
        What the source must look like, as a sentence that may follow an error.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    expects: ClassVar[str]

    def __init_subclass__(cls, name: str) -> None:
        cls.name = name
        cls.title = DESCRIBED[name]["title"]
        cls.expects = DESCRIBED[name]["expects"]

    @classmethod
    def fits(cls, file: Glimpse) -> bool:
        """Return whether a file is in this format, as far as its beginning shows."""
        return False

    @classmethod
    def recognises(cls, glimpse: Glimpse) -> bool:
        """Return whether a source is in this format: whether some of its files are, unless it is known otherwise."""
        return any(map(cls.fits, glimpse.first_files))

    def read(self, path: Path, draft: Draft) -> None:
        """Put texts and judgments of a source into the draft; what is wrong is noted in ``draft.files.problems``."""
        for file_path in self.chosen(path, draft.files):
            self.read_file(Source(file_path, draft))

    def read_file(self, file: Source) -> None:
        """Read one file, where a source is its files one by one."""

    def chosen(self, path: Path, files: Files) -> list[Path]:
        """Return a file as it is, or the files of a directory that fit; the others are noted, but for corpus.toml."""
        if not path.is_dir():
            return [path]
        glimpse = Glimpse.from_path(path)
        for name in glimpse.entries:
            if not name.startswith(".") and (path / name).is_dir():
                files.note(path / name, "is a directory, and is not read.")
        candidates = glimpse.files()
        for candidate in candidates:
            if not self.fits(candidate) and candidate.path.name != "corpus.toml":
                files.note(candidate.path, "is not read: it does not look like one of the files wanted.")
        return [candidate.path for candidate in candidates if self.fits(candidate)]


def check_disjoint(references: tuple[str, ...], ignore: tuple[str, ...], subject: str) -> None:
    """Raise a UsageError if a system is both a reference and to be left out."""
    in_both = set(renamed(references)) & set(ignore)
    if in_both:
        raise UsageError(f"format {subject!r}: `references` and `ignore` both name {listing(sorted(in_both))}.")


def renamed(entries: tuple[str, ...]) -> dict[str, str]:
    """Return new names by old ones: ``"ref=refA"`` renames, and ``"refB"`` keeps its name."""
    return {old: new or old for old, _, new in (entry.partition("=") for entry in entries)}
