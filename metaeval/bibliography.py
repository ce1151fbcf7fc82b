"""Sources to cite: one list, `bibliography.toml`, to which everything refers by key.

A source is given by its key, ``papineni2002``, or, where it is not in the list, in words: ``Doe (2024): A metric.``
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from metaeval.parameters.fields import build, parameter
from metaeval.runtime.files import tables_of
from metaeval.version import VERSION

# The kinds of source, and what BibTeX calls them and their venue.
_KINDS = {
    "paper": ("inproceedings", "booktitle"),
    "article": ("article", "journal"),
    "software": ("misc", "howpublished"),
    "other": ("misc", "howpublished"),
}
OWN = "metaeval"


@dataclass(frozen=True)
class Source:
    """Something to cite; what is not known is empty.

    Attributes
    ----------
    key : str
        As in `bibliography.toml`.
    kind : {"paper", "article", "software", "other"}
    authors : tuple of str
        "Family, Given", or the name of a group.
    title, venue, volume, number, pages, doi, note : str
    year : int or None
    """

    kind: str = parameter("other", doc="what it is", choices=tuple(_KINDS))
    authors: tuple[str, ...] = parameter((), doc="Family, Given; or the name of a group")
    title: str = parameter("", doc="with capitals only where they stay")
    year: int | None = parameter(None, doc="of publication")
    venue: str = parameter("", doc="journal, proceedings, or where it is to be found")
    volume: str = parameter("", doc="of a journal")
    number: str = parameter("", doc="of a volume")
    pages: str = parameter("", doc="first and last, with a hyphen")
    doi: str = parameter("", doc="without https://doi.org/")
    note: str = parameter("", doc="what else there is to say")
    key: str = parameter("", doc="by which all else refers to it")

    def __str__(self) -> str:
        """Return the source as one line of text."""
        authors = ", ".join(" ".join(reversed(author.split(", ", 1))) for author in self.authors)
        year = f"({self.year})" if self.year else ""
        who = " ".join(part for part in (authors, year) if part)
        where = ", ".join(
            part
            for part in (
                self.venue,
                f"{self.volume}({self.number})" if self.number else self.volume,
                f"pages {self.pages}" if self.pages else "",
            )
            if part
        )
        sentences = [part.rstrip(".") for part in (self.title, where, self.note) if part]
        sentences = [part if part.endswith("?") else f"{part}." for part in sentences]
        doi = [f"doi:{self.doi}"] if self.doi else []
        return f"{who}: {' '.join([*sentences, *doi])}" if who else " ".join([*sentences, *doi])

    @property
    def cited_as(self) -> str:
        """Author and year in the text of a paper, ``Papineni et al., 2002``; the title where there is no author."""
        families = [author.partition(", ")[0] for author in self.authors]
        if not families:
            return self.title or self.note
        who = " and ".join(families) if len(families) < 3 else f"{families[0]} et al."
        return f"{who}, {self.year}" if self.year else who

    def bibtex(self, key: str) -> str:
        """Return the source as an entry of BibTeX under a key of the caller's choice."""
        kind, venue = _KINDS[self.kind]
        authors = " and ".join(_escaped(name) if ", " in name else f"{{{_escaped(name)}}}" for name in self.authors)
        fields = {
            "author": authors,
            "title": _title(self.title),
            "year": str(self.year or ""),
            venue: _escaped(self.venue),
            "volume": _escaped(self.volume),
            "number": _escaped(self.number),
            "pages": _escaped(self.pages.replace("-", "--")),
            "doi": self.doi,
            "note": _escaped(self.note),
            # Without an author, styles of author and year print this.
            "key": "" if self.authors else _escaped(self.cited_as),
        }
        lines = [f"  {name} = {{{value}}}" for name, value in fields.items() if value]
        return f"@{kind}{{{key},\n" + ",\n".join(lines) + "\n}"


@cache
def bibliography() -> Mapping[str, Source]:
    """Return the sources of the list, by key."""
    content = tables_of(__file__)
    content[OWN]["note"] = f"Version {VERSION}"
    return {
        key: build(Source, {**entry, "key": key}, subject=f"bibliography.toml: {key}", noun="key")
        for key, entry in content.items()
    }


def find_source(key_or_words: str) -> Source:
    """Return the source of a key; a text that is no key is a source in words."""
    known = bibliography()
    if key_or_words in known:
        return known[key_or_words]
    words = re.sub(r"\s+", " ", key_or_words).strip()
    return Source(note=words, key=_key(words))


def corpus_source(name: str, title: str, source: str, citation: str) -> Source:
    """Return the source of a corpus.

    Parameters
    ----------
    name, title, source, citation : str
        What the corpus says of itself; all but the name may be empty.
    """
    return Source(title=title or f"Corpus {name}", venue=source, note=citation, key=_key(f"corpus {name}"))


def as_bibtex(sources: Sequence[Source]) -> str:
    """Return sources as a file of BibTeX; each entry has a key of its own."""
    entries: list[str] = []
    taken: set[str] = set()
    for source in sources:
        key = source.key
        number = 1
        while key in taken:
            number += 1
            key = f"{source.key}-{number}"
        taken.add(key)
        entries.append(source.bibtex(key))
    return "\n\n".join(entries)


def _key(words: str) -> str:
    """Return a key made of the beginning of a text: ASCII letters and digits, with hyphens between."""
    parts = re.findall(r"[a-z0-9]+", words.lower())
    return "-".join(parts[:4]) or "source"


# How TeX writes the characters that mean something to it.
_TEX_ESCAPES = {
    "\\": r"\textbackslash{}",
    # Not \{ and \}: BibTeX counts these as braces too.
    "{": r"\textbraceleft{}",
    "}": r"\textbraceright{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{character: f"\\{character}" for character in "&%$#_"},
}


def _escaped(text: str) -> str:
    """Return a text that TeX prints as it stands; letters beyond ASCII stay."""
    return "".join(_TEX_ESCAPES.get(character, character) for character in text)


def _title(text: str) -> str:
    """Return a title in which words with capitals of their own are protected from lower-casing."""
    first, *others = text.split(" ")
    words = [_protected(first, first[1:]), *(_protected(word, word) for word in others)]
    return " ".join(words)


def _protected(word: str, seen: str) -> str:
    has_capital = any(character.isupper() for character in seen)
    return f"{{{_escaped(word)}}}" if has_capital else _escaped(word)
