"""A folder of texts without corpus.toml: a file of lines for each system, sources, references, and tables of ratings.

===========================  ==================================================================
outputs/NAME.txt             one segment a line; the folder may be called otherwise (`_OUTPUT_FOLDERS`)
src.txt, source.de           the sources
ref.txt, refA.txt, refs/     references; an empty line means: no such reference here
any table                    ratings, whose column `line` or `segment` has the number of the line
===========================  ==================================================================

A language pair behind a name, as in ``gpt-5.de-en.txt``, is no part of it, and a carriage return before a line feed
belongs to the line end.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from metaeval.components.registries import READERS
from metaeval.corpora.builder import Draft
from metaeval.corpora.formats import recognise
from metaeval.corpora.formats.base import DESCRIBED, Glimpse, Reader, common_length
from metaeval.corpora.judgment_rows import REFERENCE, SOURCE, SYSTEM
from metaeval.corpora.problems import repeated
from metaeval.corpora.tables.load import FRAMES
from metaeval.corpora.text_files import Files, packed_or_not, visible
from metaeval.errors import UsageError, listing
from metaeval.parameters.calls import Call
from metaeval.parameters.fields import parameter

_DOCS = DESCRIBED["folder"]
_OUTPUT_FOLDERS = ("outputs", "output", "hyps", "hypotheses", "translations", "candidates", "predictions", "systems")
_REFERENCE_FOLDERS = ("references", "refs", "ref")
_SOURCE_NAME = re.compile(r"(src|source|sources)([._-].+)?")
_REFERENCE_NAME = re.compile(r"(ref|reference|references)([._-]?([A-Za-z]|[0-9]{1,2})|[._-].+)?")
_LANGUAGE_SUFFIX = re.compile(r"(.+?)[._]([a-z]{2,3}(?:[-_][a-z]{2,3})?)")
_TABLE_SUFFIXES = {".csv", ".tsv", *FRAMES} - {".json"}
_SUFFIXES_WITHOUT_LINES = {
    *_TABLE_SUFFIXES,
    ".json",
    ".md",
    ".rst",
    ".pdf",
    ".html",
    ".xml",
    ".sgm",
    ".log",
    ".py",
    ".sh",
    ".yaml",
    ".toml",
}
# What lies in folders in the neutral layout, which lack their corpus.toml alone.
_NEUTRAL_FILES = {"corpus.toml", "texts.jsonl"}
_NEUTRAL_NAMES_BESIDE_SYSTEMS = {"references", "source.txt", "segments.tsv", "documents.tsv", "judgments.tsv"}


@dataclass(frozen=True)
class Folder(Reader, name="folder"):
    """A folder with a file of lines for each system."""

    ratings: str = parameter("", doc=_DOCS["ratings"])

    @classmethod
    def recognises(cls, glimpse: Glimpse) -> bool:
        """Return whether a folder has one of outputs, and no corpus.toml or what belongs to one."""
        names = {name.removesuffix(".gz") for name in glimpse.entries}
        folder = _outputs_in(glimpse.path) if glimpse.is_directory else None
        if folder is None or names & _NEUTRAL_FILES or not any(map(_is_text, visible(folder))):
            return False
        return folder.name != "systems" or not names & _NEUTRAL_NAMES_BESIDE_SYSTEMS

    def read(self, path: Path, draft: Draft) -> None:
        """Read one folder."""
        files = draft.files
        folder = _outputs_in(path)
        if folder is None:
            files.error(path, f"must have a folder with a text file for each system: {listing(_OUTPUT_FOLDERS)}.")
            return
        texts = [file for file in visible(path) if file.is_file()]
        tables = list[Path]()
        files_of: dict[str, dict[str, Path]] = {SYSTEM: _named(folder, files), SOURCE: {}, REFERENCE: {}}
        for file in texts:
            (name,) = _without_languages([_stem(file)])
            if packed_or_not(file).suffix.lower() in _TABLE_SUFFIXES:
                tables.append(file)
            elif _is_text(file) and _SOURCE_NAME.fullmatch(name):
                files_of[SOURCE][name] = file
            elif _is_text(file) and _REFERENCE_NAME.fullmatch(name):
                files_of[REFERENCE][name] = file
            else:
                files.note(file, "is not read: its name is not that of a source, a reference or a table.")
        for directory in (directory for directory in visible(path) if directory.is_dir() and directory != folder):
            if directory.name in _REFERENCE_FOLDERS:
                files_of[REFERENCE] |= _named(directory, files)
            else:
                files.note(directory, "is a directory, and is not read.")
        if len(files_of[SOURCE]) > 1:
            files.error(
                path, f"has several files of sources: {listing(file.name for file in files_of[SOURCE].values())}."
            )
            return
        if not self._put(path, files_of, draft):
            return
        files.inside = lambda format_: str(Call(self.name, {"ratings": format_}, ""))
        try:
            for table in tables:
                reader = READERS.named(self.ratings) if self.ratings else recognise(Glimpse.from_path(table))
                if reader is None:
                    files.note(table, "is not read: it does not look like a table of ratings.")
                else:
                    reader.read(table, draft)
        except UsageError as error:
            files.error(path, str(error))
        finally:
            files.inside = lambda format_: format_

    def _put(self, path: Path, files_of: Mapping[str, Mapping[str, Path]], draft: Draft) -> bool:
        """Put the texts into the draft; return whether they are as long as each other."""
        files = draft.files
        windows = list[str]()
        lines = dict[Path, Sequence[str]]()
        for file in (file for named in files_of.values() for file in named.values()):
            file_lines = files.lines(file, carriage_returns=True)
            if file_lines is None:
                return False
            if any(line.endswith("\r") for line in file_lines):
                windows.append(file.name)
                file_lines = tuple(line.removesuffix("\r") for line in file_lines)
            lines[file] = file_lines
        if windows:
            files.note(path, f"has line ends of Windows (CR LF), which are no part of the texts: {listing(windows)}.")
        sources_of_kind = {
            kind: ", ".join(f"{file.name} = {name!r}" for name, file in named.items())
            for kind, named in files_of.items()
        }
        texts_of = [f"{kind}s {sources_of_kind[kind]}" for kind in (SYSTEM, REFERENCE) if sources_of_kind[kind]]
        texts_of += [f"the source {file.name}" for file in files_of[SOURCE].values()]
        files.note(path, f"texts were found by the names of files: {'; '.join(texts_of)}.")
        before = len(files.problems.errors)
        lengths = {file.relative_to(path).as_posix(): len(file_lines) for file, file_lines in lines.items()}
        n_segments = common_length(path, lengths, files)
        if not n_segments:
            files.error(path, "has no segments: its text files are empty.")
        if len(files.problems.errors) > before:
            return False
        segments = [draft.segment("", str(number)) for number in range(1, (n_segments or 0) + 1)]
        for kind, named in files_of.items():
            for name, file in named.items():
                texts = [line or None for line in lines[file]] if kind == REFERENCE else [*lines[file]]
                draft.texts(kind, "" if kind == SOURCE else name, segments, texts, files.location(file))
        return True


def _outputs_in(path: Path) -> Path | None:
    """Return the folder with the outputs of systems."""
    return next((path / name for name in _OUTPUT_FOLDERS if (path / name).is_dir()), None)


def _is_text(path: Path) -> bool:
    """Return whether a file may hold lines, by its suffix."""
    return path.is_file() and packed_or_not(path).suffix.lower() not in _SUFFIXES_WITHOUT_LINES


def _stem(path: Path) -> str:
    """Return the name of a file without .txt, so that a point in the name of a system stays."""
    return packed_or_not(path).name.removesuffix(".txt")


def _without_languages(stems: Sequence[str]) -> list[str]:
    """Return names without the language, or the pair of languages, that stands behind each of them."""
    matches = [match for match in map(_LANGUAGE_SUFFIX.fullmatch, stems) if match]
    is_common = len(matches) == len(stems) and len({match[2] for match in matches}) == 1
    names = [match[1] for match in matches]
    return names if is_common and len(set(names)) == len(names) else [*stems]


def _named(folder: Path, files: Files) -> dict[str, Path]:
    """Return the text files of a folder by the names of what they are of."""
    paths = [file for file in visible(folder) if _is_text(file)]
    for file in visible(folder):
        if file not in paths:
            files.note(file, "is not read: it is no file of lines.")
    names = _without_languages([_stem(file) for file in paths])
    for name in repeated(names):
        files.error(folder, f"has several files of {name!r}.")
    return {name: file for name, file in zip(names, paths, strict=True) if files.check_name(file, name)}
