"""A paragraph for the methods section of a paper: sentences with their citations, as text, LaTeX and BibTeX."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from metaeval.bibliography import Source, as_bibtex, find_source
from metaeval.errors import UsageError, unknown
from metaeval.report.latex import escaped
from metaeval.report.phrases import grouped
from metaeval.report.terminal_table import wrapped

KINDS = ("text", "latex", "bibtex")

# Stands in a sentence for what replicates are, which is said once.
REPLICATES_SIGN = "\ufdd0"

_FILE_HEADER = r"""% What a run of metaeval did, for the methods section of a paper. In the preamble:
%   \usepackage{natbib}
% In the text: \input{methods.tex}; methods.bib, beside this file, has the entries of what is cited.
% Names in other scripts than Latin need xelatex or lualatex, and a font that has them.
"""


@dataclass(frozen=True)
class Cited:
    """Sources that are cited in a place of a sentence."""

    sources: tuple[Source, ...]


@dataclass(frozen=True)
class Replicated:
    """A part of a sentence on replicates, which are described where they are first spoken of."""

    text: str
    replicates: str


Part: TypeAlias = str | Cited | Replicated


Sentence: TypeAlias = tuple[Part, ...]


@dataclass(frozen=True)
class Methods:
    """Description of a run for the methods section of a paper.

    Attributes
    ----------
    sentences : tuple of Sentence
        Those of the paragraph.
    signatures : mapping of str to str
        Of each metric whose scores metaeval computed, by what the paragraph calls it.
    """

    sentences: tuple[Sentence, ...]
    signatures: Mapping[str, str]

    @cached_property
    def sources(self) -> tuple[Source, ...]:
        """Sources cited in the paragraph, in its order, each once."""
        cited = [part for sentence in self.sentences for part in sentence if isinstance(part, Cited)]
        return tuple(dict.fromkeys(source for part in cited for source in part.sources))

    @cached_property
    def _names(self) -> Mapping[Source, str]:
        """Author and year of each source; those that would be alike with a, b and so on behind the year."""
        name_of: dict[Source, str] = {}
        for name, same_name in grouped(self.sources, lambda source: source.cited_as).items():
            letters = "abcdefghijklmnopqrstuvwxyz" if len(same_name) > 1 else ""
            name_of |= {source: f"{name}{letters[index : index + 1]}" for index, source in enumerate(same_name)}
        return name_of

    def written(self, kind: str, width: int | None = None) -> str:
        """Return the paragraph with what it cites.

        Parameters
        ----------
        kind : {"text", "latex", "bibtex"}
            Text with a list of references; LaTeX for the package natbib; or the entries of BibTeX.
        width : int, optional
            Letters of a line of text.
        """
        if kind not in KINDS:
            raise UsageError(unknown("kind", kind, KINDS))
        if kind == "bibtex":
            return as_bibtex(self.sources) + "\n"
        return self._latex() if kind == "latex" else self._text(width)

    @property
    def paragraph(self) -> str:
        """The paragraph alone, as text."""
        return " ".join(self._sentences(str, lambda sources: f" ({'; '.join(map(self._names.__getitem__, sources))})"))

    @property
    def references(self) -> list[str]:
        """References of the paragraph as text, one for each source."""
        # A letter behind the year says which of several it is.
        names = self._names
        return [
            f"{source} [{names[source]}]" if names[source] != source.cited_as else str(source)
            for source in self.sources
        ]

    def _text(self, width: int | None) -> str:
        def lines(texts: Iterable[str], indent: str) -> str:
            return "\n".join(text if width is None else wrapped(text, width, indent) for text in texts)

        blocks = [lines([self.paragraph], "")]
        if self.signatures:
            # In one piece, whatever the width, so that they can be copied.
            blocks.append(
                "\n".join(["Signatures:", *(f"  {name}: {signature}" for name, signature in self.signatures.items())])
            )
        if self.sources:
            blocks.append(lines(["References:", *(f"  {reference}" for reference in self.references)], "    "))
        return "\n\n".join(blocks)

    def _latex(self) -> str:
        def cited(sources: Sequence[Source]) -> str:
            return rf"~\citep{{{','.join(source.key for source in sources)}}}"

        lines = self._sentences(escaped, cited)
        if self.signatures:
            # A line may end behind each part of a signature.
            each = "; ".join(
                rf"{escaped(name)}: \texttt{{{escaped(text)}}}" for name, text in self.signatures.items()
            ).replace(r"\textbar{}", r"\textbar\allowbreak{}")
            lines[-1] += rf"\footnote{{Signatures of the metrics: {each}.}}"
        return _FILE_HEADER + "\n".join(lines) + "\n"

    def _sentences(self, plain: Callable[[str], str], cited: Callable[[Sequence[Source]], str]) -> list[str]:
        named_replicates: set[str] = set()
        sentences = []
        for sentence in self.sentences:
            parts = []
            for part in sentence:
                if isinstance(part, Cited):
                    parts.append(cited(part.sources))
                elif isinstance(part, Replicated):
                    words = "the same replicates" if part.replicates in named_replicates else part.replicates
                    named_replicates.add(part.replicates)
                    parts.append(plain(part.text.replace(REPLICATES_SIGN, words)))
                else:
                    # A blank at the edge of a part stays.
                    parts.append(plain(f"x{part}x")[1:-1])
            text = "".join(parts)
            sentences.append(f"{text[:1].upper()}{text[1:]}.")
        return sentences


class HasMethods(ABC):
    """Base class of results that a methods section can describe."""

    def methods(self, kind: str = "text", width: int | None = None) -> str:
        """Return a paragraph for the methods section of a paper: data, judgments, what was compared, and statistics.

        Parameters
        ----------
        kind : {"text", "latex", "bibtex"}, default "text"
            Text with a list of references, and with the signatures of metrics; LaTeX for the package natbib; or the
            entries of BibTeX that this cites.
        width : int, optional
            Letters of a line of text; lines as long as they are unless given.

        Returns
        -------
        str
            The paragraph, or the entries.
        """
        return self._methods().written(kind, width)

    @abstractmethod
    def _methods(self) -> Methods:
        """Return the description of the run."""


def citation_of(*keys: str) -> Sentence:
    """Return the citation of some sources, by their keys in the bibliography; nothing without any."""
    return (Cited(tuple(find_source(key) for key in keys)),) if keys else ()


def each_cited_once(items: Iterable[tuple[str, Sequence[str]]]) -> list[Sentence]:
    """Return things with their citations, each where it is first needed."""
    sentences = list[Sentence]()
    cited_keys = set[str]()
    for text, keys in items:
        sentences.append((text, *citation_of(*(key for key in keys if key not in cited_keys))))
        cited_keys.update(keys)
    return sentences


def joined(items: Sequence[Sentence], last: str = " and ", between: str = ", ") -> Sentence:
    """Return things in a sentence, one behind the other."""
    parts: list[Part] = []
    for index, item in enumerate(items):
        if index:
            parts.append(last if index == len(items) - 1 else between)
        parts += item
    return tuple(parts)


def beginning_with(words: str, sentence: Sentence) -> Sentence:
    """Return a sentence that begins with other words."""
    first, *rest = sentence
    if isinstance(first, Replicated):
        return (Replicated(f"{words}{first.text[:1].lower()}{first.text[1:]}", first.replicates), *rest)
    assert isinstance(first, str)
    return (f"{words}{first[:1].lower()}{first[1:]}", *rest)
