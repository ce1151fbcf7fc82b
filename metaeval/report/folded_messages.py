"""Messages of one kind, folded into one of them and a count."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from metaeval.report.words import grouped

if TYPE_CHECKING:
    from metaeval.results.model import RunData

# Messages that begin alike, but for names and numbers, are of one kind.
_BEGINNING = 5
_PLACE = re.compile(r"^(?:(?:(?:_(?:, |; | and )?)+|# (?:tasks|panels)):\s*)+")


def folded(messages: Sequence[str], names: Iterable[str] = ()) -> list[str]:
    """Return the messages, of those of one kind the first sentence of the first, and how many more there are.

    Parameters
    ----------
    messages : sequence of str
    names : iterable of str
        Of corpora, criteria, metrics and the like: messages that differ in these and in numbers are of one kind.
    """
    known = sorted(filter(None, names), key=len, reverse=True)
    name = re.compile("|".join(rf"(?<!\w){re.escape(one)}(?!\w)" for one in known)) if known else None
    kinds = grouped(dict.fromkeys(messages), lambda one: _kind(one, name))
    found = []
    for alike in kinds.values():
        alone = len(alike) == 1
        found.append(alike[0] if alone else f"{_first_sentence(alike[0])} (and {len(alike) - 1} more like this)")
    return found


def names_of(run: RunData) -> set[str]:
    """Return the names in the results of a run that do not make the kind of a message."""
    keys = [row.key for row in run.tables.correlations]
    return {name for key in keys for name in (key.panel, key.corpus, key.preprocessing, key.subset, key.criterion)} | {
        key.metric for key in keys
    }


def _kind(message: str, name: re.Pattern[str] | None) -> str:
    text = name.sub("_", message) if name else message
    text = _PLACE.sub("", re.sub(r"\d[\d.,]*", "#", text))
    return " ".join(text.split()[:_BEGINNING])


def _first_sentence(message: str) -> str:
    # A full stop ends one where a capital follows.
    found = re.match(r".+?[.](?= [A-Z])", message.replace("\n", " "))
    return found[0] if found else message.replace("\n", " ")
