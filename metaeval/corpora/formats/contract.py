"""What a reader is: it recognises its format, and puts what it reads into a draft."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Protocol

from metaeval.corpora.draft import Draft
from metaeval.corpora.lines import Files, encoding_of, packed_or_not
from metaeval.corpora.problems import counted
from metaeval.errors import UsageError, listing
from metaeval.resources import open_file

_HEAD = 1 << 16


@dataclass(frozen=True)
class Glimpse:
    """What can be seen of a source without reading it.

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
    def of(cls, path: Path) -> Glimpse:
        """Look at a file or directory that exists."""
        if path.is_dir():
            return cls(path, tuple(sorted(entry.name for entry in path.iterdir())), "", "")
        with open_file(path) as file:
            start = file.read(_HEAD)
        if start.startswith(b"\x1f\x8b"):
            try:
                start = zlib.decompressobj(wbits=31).decompress(start, _HEAD)
            except zlib.error:
                start = b""
        head = start.decode(encoding_of(start), "replace").removeprefix("\ufeff")
        return cls(path, (), packed_or_not(path).suffix.lower(), head)

    @property
    def is_directory(self) -> bool:
        """Whether the source is a directory."""
        return self.path.is_dir()

    @property
    def first_line(self) -> str:
        """The first line of a file."""
        return self.head.partition("\n")[0].removesuffix("\r")

    def files(self) -> list[Glimpse]:
        """Return the files of a directory, or the file itself; hidden ones are left out."""
        if not self.is_directory:
            return [self]
        paths = (self.path / name for name in self.entries if not name.startswith("."))
        return [Glimpse.of(path) for path in paths if path.is_file()]


def chosen_files(path: Path, files: Files, fits: Callable[[Glimpse], bool]) -> list[Path]:
    """Return a file as it is, or the files of a directory that fit; the others are noted, but for corpus.toml."""
    if not path.is_dir():
        return [path]
    glimpse = Glimpse.of(path)
    found = glimpse.files()
    for name in glimpse.entries:
        if not name.startswith(".") and (path / name).is_dir():
            files.note(path / name, "is a directory, and is not read.")
    for one in found:
        if not fits(one) and one.path.name != "corpus.toml":
            files.note(one.path, "is not read: it does not look like one of the files wanted.")
    return [one.path for one in found if fits(one)]


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


class Reader(Protocol):
    """A format: a frozen dataclass whose fields are its parameters (see `metaeval.parameters`).

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

    @classmethod
    def recognises(cls, glimpse: Glimpse) -> bool:
        """Return whether a source is in this format, as far as its beginning shows."""
        ...

    def read(self, path: Path, files: Files, draft: Draft) -> None:
        """Put texts and judgments of a source into the draft; what is wrong is noted in ``files.problems``."""
        ...


def check_disjoint(references: tuple[str, ...], ignore: tuple[str, ...], subject: str) -> None:
    """Raise a UsageError if a system is both a reference and to be left out."""
    both = set(renamed(references)) & set(ignore)
    if both:
        raise UsageError(f"format {subject!r}: `references` and `ignore` both name {listing(sorted(both))}.")


def renamed(entries: tuple[str, ...]) -> dict[str, str]:
    """Return new names by old ones: ``"ref=refA"`` renames, and ``"refB"`` keeps its name."""
    return {old: new or old for old, _, new in (entry.partition("=") for entry in entries)}
