"""Tokenizers by name; those of mteval, and more, are sacreBLEU's own."""

from __future__ import annotations

import importlib
from collections.abc import Callable

from metaeval.errors import UsageError, unknown

Tokenizer = Callable[[str], str]

# Name: (module of sacrebleu.tokenizers, class, arguments). `none` splits at white space and needs no library.
_SACREBLEU: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "13a": ("tokenizer_13a", "Tokenizer13a", ()),
    "intl": ("tokenizer_intl", "TokenizerV14International", ()),
    "char": ("tokenizer_char", "TokenizerChar", ()),
    "zh": ("tokenizer_zh", "TokenizerZh", ()),
    "ja-mecab": ("tokenizer_ja_mecab", "TokenizerJaMecab", ()),
    "ko-mecab": ("tokenizer_ko_mecab", "TokenizerKoMecab", ()),
    "flores101": ("tokenizer_spm", "TokenizerSPM", ("flores101",)),
    "flores200": ("tokenizer_spm", "TokenizerSPM", ("flores200",)),
    "spBLEU-1K": ("tokenizer_spm", "TokenizerSPM", ("spBLEU-1K",)),
}
TOKENIZERS = ("none", *_SACREBLEU)


def get_tokenizer(name: str) -> tuple[Tokenizer, str]:
    """Return a tokenizer and the name that stands for it in signatures, with its version.

    Parameters
    ----------
    name : str
        One of `TOKENIZERS`. ``none`` leaves the text as it is.

    Returns
    -------
    callable
        From a text to the text with blanks between its tokens.
    str
        For example ``13a-sacrebleu2.6.0``.

    Raises
    ------
    UsageError
        If the name is unknown, or the tokenizer needs a package that is not installed.
    """
    if name == "none":
        return _same, "none"
    if name not in _SACREBLEU:
        raise UsageError(unknown("tokenizer", name, TOKENIZERS))
    import sacrebleu

    module, cls, arguments = _SACREBLEU[name]
    try:
        tokenizer = getattr(importlib.import_module(f"sacrebleu.tokenizers.{module}"), cls)(*arguments)
    except (ImportError, RuntimeError) as error:
        raise UsageError(f"the tokenizer {name!r} cannot be used: {error}") from error
    return tokenizer, f"{name}-sacrebleu{sacrebleu.__version__}"


def _same(text: str) -> str:
    return text
