"""Users' tokenizers, each in a process of its own; `metaeval.text.tokenizers.get_tokenizer` calls this."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from metaeval.errors import unknown
from metaeval.metrics.plugin_names import Target, file_target, installed, installed_target, is_file
from metaeval.plugins.loaded import hear, load, load_same
from metaeval.plugins.sentences import say
from metaeval.text.tokenizers import TOKENIZERS


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
        """What it is in messages."""
        return f"tokenizer {f'{self.target.place}:{self.target.name}'!r}"

    def __call__(self, texts: Sequence[str]) -> list[str]:
        """Return each text with a blank between its tokens.

        Raises
        ------
        MetricError
            If it fails, gives no tokens, or has changed since it was named.
        """
        process, found = load_same(self.target, self.subject, self.digest).process, []
        with process.asked():
            process.send(json.dumps({"rows": list(texts), "arguments": "{}"}))
            for number, text in enumerate(texts, start=1):
                where = f"{self.subject}, text {number} of {len(texts)}, {text[:60]!r}"
                answer = hear(process, f"{where}: cutting it into tokens")
                if "tokens" not in answer:
                    raise say.error("failed", where=where, why=answer.get("refused") or answer["error"])
                found.append(str(answer["tokens"]))
        lost = [text for text, tokens in zip(texts, found, strict=True) if text.strip() and not tokens]
        words = {"subject": self.subject, "n": len(lost), "of": len(texts), "first": "".join(lost[:1])[:60]}
        self.notes = (say("no_token", **words),) if lost else ()
        return found


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
        raise say.error("tokenizer_unknown", unknown=unknown("tokenizer", name, known, limit=len(known)))
    loaded = load(target, f"tokenizer {name!r}")
    signature = "-".join([target.name, *(value for _, value in loaded.origin)])
    return PluginTokenizer(target, signature, loaded.digest)
