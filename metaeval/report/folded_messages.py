"""Notes on results: those of one kind folded into one, what can change a conclusion first, and few of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from metaeval.errors import ReadingNote, as_typed
from metaeval.report.phrases import coefficient_words, grouped
from metaeval.report.titles_in_words import titles_in_words

if TYPE_CHECKING:
    from metaeval.results.model import RunData

# Notes that are shown after a table and on a page, besides those on the reading of corpora.
MAX_NOTES = 3
# Words of notes that can change a conclusion: a metric, system or judgments left out, but by the user's own filter; too
# few documents; a system that decides.
_LEFT_OUT = re.compile(r"(?:was|were|is|are|:) left out(?! by the filter)")
_DECISIVE = re.compile(
    rf"depends on single systems|{_LEFT_OUT.pattern}|failed|nobody judged|were judged|"
    r"lacks? a judgment|[Nn]o confidence interval|too few|because they are few|is an outlier|"
    r"higher_is_better|confounded"
)
_NOT_COUNTED = re.compile(rf"{_LEFT_OUT.pattern}|failed|nobody judged|were judged|lacks? a judgment")
# Messages that begin alike, but for names and numbers, are of one kind.
_BEGINNING_WORDS = 5
# A note with a line to type, which is another for each file.
_LINE_TO_TYPE = re.compile(r"\btype |source.format")
_PLACE_PREFIX = re.compile(r"^(?:(?:(?:_(?:, |; | and )?)+|# (?:tasks|panels)):\s*)+")


def folded(messages: Sequence[str], names: Iterable[str] = ()) -> list[str]:
    """Return the messages, of those of one kind the first sentence of the first, and how many more there are.

    Notes on reading that have a line to type stay as they are: the line of one file does not help with another.

    Parameters
    ----------
    messages : sequence of str
    names : iterable of str
        Of corpora, criteria, metrics and the like: messages that differ in these and in numbers are of one kind.
    """
    known = sorted(filter(None, names), key=len, reverse=True)
    name = re.compile("|".join(rf"(?<!\w){re.escape(text)}(?!\w)" for text in known)) if known else None

    def kind(message: str) -> tuple[type[str], str]:
        is_whole = isinstance(message, ReadingNote) and _LINE_TO_TYPE.search(message)
        return type(message), message if is_whole else _kind(message, name)

    kinds = grouped(dict.fromkeys(messages), kind)
    lines = []
    for messages_of_kind in kinds.values():
        is_single = len(messages_of_kind) == 1
        lines.append(
            messages_of_kind[0]
            if is_single
            else type(messages_of_kind[0])(
                f"{_first_sentence(messages_of_kind[0])} (and {len(messages_of_kind) - 1} more like this)"
            )
        )
    return lines


def can_change_a_conclusion(message: str) -> bool:
    """Return whether a note is about something that can change which metric is the best, or how sure that is."""
    return _DECISIVE.search(message) is not None


def tells_of_something_left_out(message: str) -> bool:
    """Return whether a message says that what was asked for was left out, other than by a filter."""
    return _LEFT_OUT.search(message) is not None


def order(note: str) -> int:
    """Return the place of a note: how a corpus was read, what can change a conclusion, and others.

    Of what can change a conclusion, that something was left out or not judged comes first: the answer does not say it,
    as it says that there are too few documents or that one system decides.
    """
    if isinstance(note, ReadingNote):
        return 0
    if not can_change_a_conclusion(note):
        return 3
    return 1 if _NOT_COUNTED.search(note) else 2


def number_shown(notes: Sequence[str]) -> int:
    """Return how many notes are shown of those in order: all on the reading of corpora, and a few others."""
    return sum(isinstance(note, ReadingNote) for note in notes) + MAX_NOTES


def brief(notes: Sequence[str]) -> list[str]:
    """Return the notes on reading, the first others, each cut to its first sentence, and how many more there are."""
    lines = [note if isinstance(note, ReadingNote) else _first_sentence(note) for note in notes[: number_shown(notes)]]
    more = notes[len(lines) :]
    has_all = as_typed(terminal="--verbose has all", python="`notes` has all")
    if more:
        n_decisive = sum(map(can_change_a_conclusion, more))
        of_them = (
            f"{n_decisive} of which can change a conclusion"
            if n_decisive < len(more)
            else "which can change a conclusion"
        )
        decisive = f", {of_them}" if n_decisive else ""
        lines.append(f"{len(more)} more note{'' if len(more) == 1 else 's'}{decisive}: {has_all}.")
    elif lines != list(notes):
        lines[-1] += f" ({has_all})"
    return lines


def names_of(run: RunData) -> set[str]:
    """Return the names in the results of a run that do not make the kind of a message."""
    keys = [row.key for row in run.tables.correlations]
    names = {name for key in keys for name in (key.panel, key.corpus, key.preprocessing, key.subset, key.criterion)}
    # Notes on a part of a run begin with its words.
    in_words = {coefficient_words(name) for name in {key.coefficient for key in keys}}
    return {*names, *(key.metric for key in keys), *in_words, *titles_in_words(run).values()}


def _kind(message: str, name: re.Pattern[str] | None) -> str:
    text = name.sub("_", message) if name else message
    text = _PLACE_PREFIX.sub("", re.sub(r"\d[\d.,]*", "#", text))
    return " ".join(text.split()[:_BEGINNING_WORDS])


def _first_sentence(message: str) -> str:
    # A full stop ends one where a capital follows.
    match = re.match(r".+?[.](?= [A-Z])", message.replace("\n", " "))
    return match[0] if match else message.replace("\n", " ")
