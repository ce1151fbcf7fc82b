"""The catalogue of public corpora: what they hold, and which files of their owners they are made from.

An entry is a TOML file in entries/. It pins each file to a commit, a size and a SHA-256, so that what is fetched is
what the entry describes. No text of a corpus is in it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

from metaeval.corpora.description import CriterionEntry
from metaeval.errors import UsageError
from metaeval.parameters.fields import build, parameter

_ENTRIES_FOLDER = Path(__file__).parent / "entries"


def _matches(pattern: str, words: str) -> Callable[[str], None]:
    """Return a check that a text is what the words say."""

    def check(text: str) -> None:
        if not re.fullmatch(pattern, text):
            raise UsageError(f"{words}; got {text!r}.")

    return check


def _stays_inside(path: str) -> None:
    # An absolute path begins with an empty part.
    if "\\" in path or not {"", ".", ".."}.isdisjoint(path.split("/")):
        raise UsageError(f"a path must lie inside the repository, with '/' between its parts; got {path!r}.")


@dataclass(frozen=True)
class PublicFile:
    """A file of a public corpus, as its owner publishes it.

    Attributes
    ----------
    repository : str
        ``OWNER/NAME`` on GitHub.
    commit : str
    path : str
        Inside the repository, with ``/`` between its parts.
    bytes : int
        Its size.
    sha256 : str
        In hexadecimal digits.
    """

    repository: str = parameter(
        doc="OWNER/NAME on GitHub", check=_matches(r"\w[\w.-]*/\w[\w.-]*", "a repository must be OWNER/NAME")
    )
    commit: str = parameter(
        doc="of the repository", check=_matches("[0-9a-f]{40}", "a commit must be 40 hexadecimal digits")
    )
    path: str = parameter(doc="inside the repository", check=_stays_inside)
    bytes: int = parameter(doc="the size of the file", minimum=0)
    sha256: str = parameter(
        doc="of the content", check=_matches("[0-9a-f]{64}", "a SHA-256 must be 64 hexadecimal digits")
    )

    @property
    def name(self) -> str:
        """The path of the file in a directory of fetched files: ``REPOSITORY/PATH``."""
        return f"{self.repository}/{self.path}"


@dataclass(frozen=True, kw_only=True)
class PublicCorpus:
    """Facts on a public corpus before it is fetched.

    Attributes
    ----------
    name, title : str
    language, source_language : str
        Of the systems and references, and of the sources; the latter is empty where the sources are no language.
    license, source, citation, notes : str
    format : str
        The reader that turns the files into a corpus directory, with its arguments.
    systems, segments, references, judges, judgments : int
        How many there are. A segment may lack some of the references; ratings of references do not count.
    criteria : tuple of CriterionEntry
    files : tuple of PublicFile
    """

    name: str = parameter(doc="the short name of the corpus")
    title: str = parameter(doc="a title of one line")
    language: str = parameter(doc="of the systems and references")
    source_language: str = parameter("", doc="of the sources")
    license: str = parameter(doc="what may be done with it")
    source: str = parameter(doc="where it comes from")
    citation: str = parameter(doc="what to cite")
    notes: str = parameter(doc="what a user must know")
    format: str = parameter(doc="the reader of the files")
    systems: int = parameter(doc="how many systems", minimum=1)
    segments: int = parameter(doc="how many segments", minimum=1)
    references: int = parameter(doc="how many references", minimum=0)
    judges: int = parameter(doc="how many judges of systems", minimum=0)
    judgments: int = parameter(doc="how many judgments of systems", minimum=0)
    criteria: tuple[CriterionEntry, ...] = parameter(doc="what was judged")
    files: tuple[PublicFile, ...] = parameter(doc="what to fetch")

    @property
    def bytes(self) -> int:
        """The size of all files together."""
        return sum(file.bytes for file in self.files)


@cache
def public_names() -> tuple[str, ...]:
    """Return the names of the public corpora, which are those of their entries, in alphabetical order."""
    return tuple(sorted(path.stem for path in _ENTRIES_FOLDER.glob("*.toml")))


@cache
def public_corpora() -> Mapping[str, PublicCorpus]:
    """Return the public corpora that can be fetched, by name, in alphabetical order."""
    return MappingProxyType({name: read_entry(_ENTRIES_FOLDER / f"{name}.toml") for name in public_names()})


def read_entry(path: Path) -> PublicCorpus:
    """Read one entry of the catalogue.

    Raises
    ------
    UsageError
        If a key is unknown or missing, or a value is not what it must be.
    """
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    return build(PublicCorpus, content, subject="the entry", locate=lambda _: f"{path.name}: ", noun="key")
