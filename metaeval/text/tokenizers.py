"""Tokenizers by name: those of the original programs, so that their numbers can be reproduced from raw text.

``13a`` and ``intl`` are mteval's, and ``tercom`` is what tercom 0.8.0 does with its option -N. All but ``13a``,
``rouge-1.5.5`` and ``morgenroth`` are sacreBLEU's own, which are imported when they are used.

``13a``, the default, gives sacreBLEU's tokens, which are mteval-v13a's: entities become characters, most ASCII
punctuation is a token of its own, periods and commas are unless they stand between two digits, and so is a dash behind
a digit.

``rouge-1.5.5`` is what the script ROUGE-1.5.5 does without stemming. It sees bytes: A to Z become lower-case, and every
byte other than a to z and 0 to 9 separates tokens. So an accented letter cuts its word in two, and a text in another
alphabet has no tokens at all.

``morgenroth`` follows Morgenroth (2011). Every symbol (Unicode category S) is a token of its own. So is every
punctuation mark (P), unless the character before it or after it is a number (N): then it stays with whatever it
touches, so that "1990,", "-10" and "(5)" are one token each. The neighbours are those in the text itself; neither white
space nor the end of the text is a number. In ``intl`` a mark stays only between two numbers.
"""

from __future__ import annotations

import importlib
import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import partial

from metaeval.components.registry import load
from metaeval.errors import UsageError
from metaeval.runtime.files import tables_of
from metaeval.version import VERSION

Tokenizer = Callable[[str], str]
# It gets all texts at once, for a user's own runs in another process.
Cutter = Callable[[Sequence[str]], list[str]]

# What makes a tokenizer of a user's code; named here and imported for those who bring some.
PLUGIN_LOADER = "metaeval.user_code.tokenizers:get_plugin_tokenizer"


# The rules of mteval-v13a, in their order: characters that are tokens, and what looks at a neighbour as well.
_SEPARATE_CHARACTERS = str.maketrans({mark: f" {mark} " for mark in r""" !"#$%&()*+/:;<=>?@[\]^_`{|}~"""})
_PERIOD_AND_COMMA_RULES = ((r"([^0-9])([.,])", r"\1 \2 "), (r"([.,])([^0-9])", r" \1 \2"))
_DASH_RULE = (r"([0-9])(-)", r"\1 \2 ")
_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))


def _without_breaks(text: str) -> str:
    """Return a text without what mteval-v13a takes out: its mark of what was skipped, and breaks of lines and words."""
    return text.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")


def _cut_13a(text: str) -> str:
    """Return such a text with blanks between the tokens of mteval-v13a, as sacreBLEU cuts it."""
    for entity, character in _ENTITIES if "&" in text else ():
        text = text.replace(entity, character)
    text = f" {text} ".translate(_SEPARATE_CHARACTERS)
    # Most words have none of these, and a search takes as long as all else.
    if "." in text or "," in text:
        for pattern, replacement in _PERIOD_AND_COMMA_RULES:
            text = re.sub(pattern, replacement, text)
    if "-" in text:
        text = re.sub(*_DASH_RULE, text)
    return " ".join(text.split())


def rouge(text: str) -> str:
    """Return a text as ROUGE-1.5.5 reads it: lower-case ASCII letters, digits, and a blank for what is between them."""
    return re.sub(rb"[^a-z0-9]+", b" ", text.encode().lower()).decode()


def morgenroth(text: str) -> str:
    """Return a text with blanks around symbols, and around punctuation that touches no number."""
    padded = f" {text} "
    pieces = []
    for before, character, after in zip(padded, text, padded[2:], strict=False):
        kind = unicodedata.category(character)[0]
        is_separate = kind == "S" or (kind == "P" and not _is_number(before) and not _is_number(after))
        pieces.append(f" {character} " if is_separate else character)
    return "".join(pieces)


def _is_number(character: str) -> bool:
    return unicodedata.category(character)[0] == "N"


_TOKENIZER_TABLE = tables_of(__file__)
# Tokenizers of metaeval: the function, and what else its version depends on.
_OWN_TOKENIZERS: dict[str, tuple[Tokenizer, str]] = {
    "rouge-1.5.5": (rouge, ""),
    "morgenroth": (morgenroth, f"-unicode{unicodedata.unidata_version}"),
}
# `none` splits at white space and needs no library.
TOKENIZERS = ("none", *_TOKENIZER_TABLE)


def check_tokenizer(name: str) -> None:
    """Raise UsageError for a name that is neither of `TOKENIZERS` nor a user's own."""
    if name not in TOKENIZERS:
        load(PLUGIN_LOADER)(name)


def get_tokenizer(name: str) -> tuple[Cutter, str]:
    """Return a tokenizer and the name that stands for it in signatures, with its version.

    Parameters
    ----------
    name : str
        One of `TOKENIZERS`, or a user's own: ``my_file.py:name``, or that of an installed package. ``none`` leaves the
        texts as they are.

    Returns
    -------
    callable
        From texts to the texts with blanks between their tokens.
    str
        For example ``intl-sacrebleu2.6.0``; for metaeval's own its version, and Unicode's where it matters; for a
        user's own a digest of its file.

    Raises
    ------
    UsageError
        If there is no such tokenizer, or it needs a package that is not installed, or a model that cannot be fetched.
    """
    if name == "none":
        return list, "none"
    if name not in _TOKENIZER_TABLE:
        tokenizer = load(PLUGIN_LOADER)(name)
        return tokenizer, tokenizer.signature
    if name == "13a":
        return ByWord(_without_breaks, _cut_13a), f"{name}-metaeval{VERSION}"
    if name in _OWN_TOKENIZERS:
        function, version = _OWN_TOKENIZERS[name]
        return partial(_each, function), f"{name}-metaeval{VERSION}{version}"
    import sacrebleu

    entry = _TOKENIZER_TABLE[name]
    try:
        module = importlib.import_module(f"sacrebleu.tokenizers.{entry['module']}")
        tokenizer = getattr(module, entry["class"])(*entry.get("arguments", ()))
    except (ImportError, RuntimeError) as error:
        raise UsageError(f"the tokenizer {name!r} cannot be used: {' '.join(str(error).split())}") from error
    except (OSError, SystemExit) as error:
        # sacreBLEU fetches the models of some tokenizers, and may leave Python where it cannot.
        raise UsageError(
            f"the tokenizer {name!r} cannot be used: sacreBLEU cannot fetch its model ({error}); is there no network?"
        ) from error
    return partial(_each, tokenizer), f"{name}-sacrebleu{sacrebleu.__version__}"


def tokenizer_sources(name: str) -> tuple[str, ...]:
    """Return the sources of a tokenizer: keys of the bibliography; nothing for a user's own."""
    entry = _TOKENIZER_TABLE.get(name, {})
    return (*entry.get("sources", ()), *(("post2018",) if "module" in entry else ()))


class ByWord:
    """A tokenizer that looks no further than the white space around a word, so that each word need be cut but once.

    That of mteval-v13a is one, once lines are joined: a blank stands before the first word and behind the last, no rule
    sees beyond one, and none is about letters and digits alone. ``intl`` is none, because it cuts the first word of a
    text otherwise.

    Parameters
    ----------
    join : callable
        Makes a text in which only words matter.
    cut : callable
        Cuts a word, or such a text.
    """

    def __init__(self, join: Tokenizer, cut: Tokenizer) -> None:
        self.join = join
        self._cut = cut

    def cut(self, word: str) -> str:
        """Return a word with blanks between its tokens."""
        return word if word.isalnum() else self._cut(word)

    def __call__(self, texts: Sequence[str]) -> list[str]:
        """Return texts with blanks between their tokens."""
        return [self.cut(self.join(text)) for text in texts]


def _each(tokenize: Tokenizer, texts: Sequence[str]) -> list[str]:
    return [tokenize(text) for text in texts]
