"""Preprocessing: what is done to a text before it is scored.

``case`` keeps the tokens as they are, ``nocase`` lower-cases, ``stem`` lower-cases and stems with Porter's original
algorithm. Each takes a tokenizer: ``case(tokenizer="13a")`` is the default everywhere, and
``case(tokenizer="my_file.py:name")`` has a user's own. The order is: lower-case, tokenize, stem; a token is what white
space separates.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

from metaeval.components.registries import PREPROCESSING
from metaeval.errors import UsageError, unknown
from metaeval.parameters.calls import Call, Signature, parse_call
from metaeval.parameters.fields import build, parameter
from metaeval.text.tokenizers import ByWord, Cutter, check_tokenizer, get_tokenizer, tokenizer_sources


@dataclass(frozen=True)
class _Parameters:
    tokenizer: str = parameter("none", doc="how a text is cut into tokens", check=check_tokenizer)


@dataclass(frozen=True)
class Preprocessing:
    """A preprocessing of texts.

    Attributes
    ----------
    written : str
        The name as the user wrote it.
    lowercase, stem : bool
    tokenizer : str
        One of `metaeval.text.tokenizers.TOKENIZERS`, or a user's own.
    """

    written: str
    lowercase: bool
    stem: bool
    tokenizer: str

    @cached_property
    def _tokenizer(self) -> tuple[Cutter, str]:
        return get_tokenizer(self.tokenizer)

    @property
    def signature(self) -> Signature:
        """The steps of the preprocessing, with the versions of the programs that do them."""
        stemmer = "none"
        if self.stem:
            import importlib.metadata

            stemmer = f"porter-snowballstemmer{importlib.metadata.version('snowballstemmer')}"
        return Signature(
            self.written,
            (("case", "lower" if self.lowercase else "kept"), ("tok", self._tokenizer[1]), ("stem", stemmer)),
        )

    @property
    def sources(self) -> tuple[str, ...]:
        """Keys of the bibliography: the sources of tokenizer and stemmer."""
        return (*tokenizer_sources(self.tokenizer), *(("porter1980",) if self.stem else ()))

    def cut(self, texts: Iterable[str]) -> list[str]:
        """Return each text with white space between its tokens, before stemming."""
        return self._tokenizer[0](self._cased(texts))

    def by_word(self, texts: Iterable[str]) -> tuple[list[str], Callable[[str], str]] | None:
        """Return texts of which each word is cut by itself, and what cuts a word; None if the tokenizer sees more."""
        tokenize = self._tokenizer[0]
        return ([*map(tokenize.join, self._cased(texts))], tokenize.cut) if isinstance(tokenize, ByWord) else None

    def _cased(self, texts: Iterable[str]) -> list[str]:
        return list(map(str.lower, texts) if self.lowercase else texts)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the texts that were cut last, for a reader of their scores."""
        return getattr(self._tokenizer[0], "notes", ())

    @property
    def takes_notes(self) -> bool:
        """True if the tokenizer notes what is unusual in texts, as a user's may; then all are cut in one call."""
        return hasattr(self._tokenizer[0], "notes")

    def stems(self, words: Iterable[str]) -> list[str]:
        """Return the stem of each word."""
        import snowballstemmer

        return list(map(snowballstemmer.stemmer("porter").stemWord, words))

    def tokens(self, texts: Iterable[str]) -> list[list[str]]:
        """Return the tokens of each text."""
        cut = [text.split() for text in self.cut(texts)]
        return [self.stems(tokens) for tokens in cut] if self.stem else cut


def get_preprocessing(text: str) -> Preprocessing:
    """Return the preprocessing of a name such as ``stem`` or ``case(tokenizer="13a")``.

    Raises
    ------
    UsageError
        If the preprocessing, its parameter or the tokenizer is unknown.
    """
    if ".py" in text.partition("(")[0]:
        raise UsageError(f"a tokenizer stands in a preprocessing: write case(tokenizer={json.dumps(text.strip())}).")
    call = parse_call(text)
    if call.name not in PREPROCESSING:
        raise UsageError(unknown("preprocessing", call.name, PREPROCESSING))
    lowercase, stem = PREPROCESSING[call.name]
    parameters = build(_Parameters, call.arguments, subject=f"preprocessing {call.name!r}")
    return Preprocessing(call.written, lowercase, stem, parameters.tokenizer)


def make_preprocessing(*, tokenizer: str, lowercase: bool = False, stem: bool = False) -> Preprocessing:
    """Return a preprocessing by its parts; stemming lower-cases.

    Raises
    ------
    UsageError
        If the tokenizer is unknown or cannot be used.
    """
    check_tokenizer(tokenizer)
    name = "case"
    if stem:
        name = "stem"
    elif lowercase:
        name = "nocase"
    written = str(Call(name, {"tokenizer": tokenizer} if tokenizer != "none" else {}, ""))
    return Preprocessing(written, lowercase or stem, stem, tokenizer)
