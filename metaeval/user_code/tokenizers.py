"""Users' tokenizers; `metaeval.text.tokenizers.get_tokenizer` calls this."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from metaeval.errors import UsageError, unknown
from metaeval.metrics.naming import Target, file_target, installed, installed_target, is_file
from metaeval.text.tokenizers import TOKENIZERS
from metaeval.user_code.importing import imported_before, origin
from metaeval.user_code.metric_from_name import guard_of, load
from metaeval.user_code.returned import UnusableError, shortened
from metaeval.user_code.running import errors_named
from metaeval.user_code.signatures import find_object

_MAX_SHOWN_CHARACTERS = 60


@dataclass
class PluginTokenizer:
    """A user's tokenizer.

    Attributes
    ----------
    target : Target
        Where it is.
    signature : str
        Its name, with a digest of its files.
    digest : str
        Of the files.
    notes : tuple of str
        What can mislead a reader of the scores of the texts that it cut last.
    """

    target: Target
    signature: str
    digest: str
    notes: tuple[str, ...] = ()

    @property
    def subject(self) -> str:
        """The tokenizer, in messages."""
        return f"tokenizer {f'{self.target.place}:{self.target.name}'!r}"

    def __call__(self, texts: Sequence[str]) -> list[str]:
        """Return each text with a blank between its tokens.

        Raises
        ------
        MetricError
            If it fails, gives no tokens, or has changed since it was named.
        """
        module = imported_before(self.target, self.subject, self.digest)
        cut = list[str]()
        function = find_object(module.module, self.target.name)
        with guard_of(module, self.subject).surrounded():
            for number, text in enumerate(texts, start=1):
                with errors_named(f"{self.subject}, text {number} of {len(texts)}, {text[:_MAX_SHOWN_CHARACTERS]!r}"):
                    cut.append(as_tokens(function(text)))
        lost = [text for text, tokens in zip(texts, cut, strict=True) if text.strip() and not tokens]
        self.notes = ()
        if lost:
            first = lost[0][:_MAX_SHOWN_CHARACTERS]
            self.notes = (f"{self.subject}: {len(lost)} of {len(texts)} texts have no token, such as {first!r}.",)
        return cut


def get_plugin_tokenizer(name: str) -> PluginTokenizer:
    """Return the tokenizer of a file, ``my_file.py:name``, or of an installed package.

    Raises
    ------
    UsageError
        If there is none of the name, or it is no tokenizer.
    MetricError
        If its code cannot be loaded.
    """
    target = file_target(name, "tokenizer")[0] if is_file(name) else installed_target(name, "tokenizer")
    if target is None:
        known = (*TOKENIZERS, *installed("tokenizer"))
        message = unknown("tokenizer", name, known)
        raise UsageError(f"{message} A tokenizer of your own is named my_file.py:name.")
    subject = f"tokenizer {name!r}"
    module, item = load(target, subject, tokenizers_in)
    if not takes_a_text(item):
        raise UsageError(f"{subject}: it must be a function of one text, which returns the list of its tokens.")
    signature = "-".join([target.name, *(value for _, value in origin(target, module.digest))])
    return PluginTokenizer(target, signature, module.digest)


def tokenizers_in(module: ModuleType) -> list[str]:
    """Return the names of all that could be a tokenizer."""
    return [name for name, item in vars(module).items() if not name.startswith("_") and takes_a_text(item)]


def takes_a_text(item: Any) -> bool:
    """Return whether an object can be called with one argument."""
    if inspect.isclass(item) or not callable(item):
        return False
    try:
        inspect.signature(item).bind("")
    except TypeError:
        return False
    except ValueError:  # compiled code does not always tell
        pass
    return True


def as_tokens(value: Any) -> str:
    """Return the tokens of a tokenizer as a text with a blank between them; those that are white space are left out.

    Raises
    ------
    UnusableError
        If it is neither a text nor a list of texts without white space inside.
    """
    if isinstance(value, str):
        return " ".join(value.split())
    shown = shortened(repr(value))
    if isinstance(value, bytes | Mapping | Set) or not hasattr(value, "__iter__"):
        raise UnusableError(f"it returned {shown} where it must return a list of tokens, or a text with blanks")
    tokens = list(value)
    for token in tokens:
        if not isinstance(token, str):
            raise UnusableError(
                f"its token {shortened(repr(token))} is of type {type(token).__name__}; it must be text, as str(token) "
                "is"
            )
        if len(token.split()) > 1:
            raise UnusableError(
                f"its token {shortened(repr(token))} has white space inside, which separates tokens; return several "
                "tokens, or write another character for it"
            )
    return " ".join(stripped for token in tokens if (stripped := token.strip()))
