"""The kinds of error that metaeval raises on purpose, and the sentences they share.

A message says what is wrong, what it must be, what it was, where, and the likely cause.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

_is_terminal = False


class MetaevalError(Exception):
    """Base of all errors that a user can fix; the command line prints them without a traceback."""

    exit_code = 1


class MetaevalWarning(UserWarning):
    """Warns of what can mislead a reader of results, or of a metric left out; the command line prints it as a note."""


class ReadingNote(str):
    """Tells how a corpus was read, such as what was guessed or left out; it stands before other notes, uncut.

    A text that is changed keeps the kind by ``type(note)(text)``.
    """

    __slots__ = ()


class UsageError(MetaevalError):
    """Raised when what was asked for is wrong: an unknown name, a bad parameter, an impossible experiment.

    Parameters
    ----------
    message : str
        What is wrong.
    place : str
        What stands before it: where the value is, such as ``my.toml:7:``, with a blank behind it.
    subject : str
        What stands between the two: what is being made, such as ``the config:``, with a blank behind it.
    """

    exit_code = 2

    def __init__(self, message: str, *, place: str = "", subject: str = "") -> None:
        super().__init__(f"{place}{subject}{message}")
        self.message = message
        self.place = place
        self.subject = subject


class CorpusError(MetaevalError):
    """Raised when the data are wrong: a missing file, a bad line, an unknown system."""

    exit_code = 3


class FetchError(MetaevalError):
    """Raised when files cannot be fetched: no network, a server that fails, a connection that breaks or crawls."""

    exit_code = 1


class MetricError(MetaevalError):
    """Raised when a user's own metric fails: its code, its program, or what it gives back.

    The message names the metric, the system, the segment and the cause. An experiment goes on with its other metrics.

    Attributes
    ----------
    metric : str or None
        The metric as the experiment writes it, where an experiment scores documents.
    """

    exit_code = 1
    metric: str | None = None


@contextmanager
def worded_for_terminal() -> Iterator[None]:
    """Word messages for the terminal, which has options, while the command line works; else they are for Python."""
    global _is_terminal
    before, _is_terminal = _is_terminal, True
    try:
        yield
    finally:
        _is_terminal = before


def warn(notes: Iterable[str], *, stacklevel: int) -> None:
    """Make notes Python warnings, unless the command line works, which prints them below its tables."""
    for note in () if _is_terminal else notes:
        warnings.warn(note, MetaevalWarning, stacklevel=stacklevel + 1)


def as_typed(*, terminal: str, python: str) -> str:
    """Return the words that a message proposes to type: an option in the terminal, a keyword or key in Python."""
    return terminal if _is_terminal else python


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun, such as ``1 line``, ``2 lines`` or, with a plural of its own, ``2 criteria``."""
    return f"{count} {noun if count == 1 else plural or noun + 's'}"


def judgments_per_item(counts: Mapping[int, int]) -> str:
    """Count the items that have so many judgments: ``2 on 501 items, 3 on 459``."""
    first = [f"{n} on {counted(items, 'item')}" for n, items in list(counts.items())[:1]]
    return ", ".join([*first, *(f"{n} on {items}" for n, items in list(counts.items())[1:])])


def listing(names: Iterable[object], limit: int = 12) -> str:
    """Return names as prose.

    Parameters
    ----------
    names : iterable of object
        What they are of, such as systems.
    limit : int, default 12
        How many are written out.

    Returns
    -------
    str
        Such as ``'a', 'b' and 3 more``; ``none`` if there is none.
    """
    shown = [repr(str(name)) for name in names]
    if not shown:
        return "none"
    if len(shown) > limit:
        return ", ".join(shown[:limit]) + f" and {len(shown) - limit} more"
    return ", ".join(shown)


def percent(share: float) -> str:
    """Return a share in percent, with the digits that keep it from 0 and from 100: ``41 %``, ``99.96 %``."""
    for digits in (0, 1, 2, 3):
        words = f"{100 * share:.{digits}f}"
        if share in (0, 1) or 0 < float(words) < 100:
            return f"{words} %"
    return "< 0.001 %" if share < 0.5 else "> 99.999 %"


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the known name that is most like another one, whatever the case; "" where none is, or two are equally."""
    import difflib  # only a mistake needs it

    lowered = {item.lower(): item for item in known}
    close = difflib.get_close_matches(name.lower(), list(lowered), n=2)
    likeness = [difflib.SequenceMatcher(a=name.lower(), b=item).ratio() for item in close]
    # Two names that are equally close, such as ref1 and ref2, are no help.
    return lowered[close[0]] if len(close) == 1 or (close and likeness[0] > likeness[1]) else ""


# Names that 0.2.0 once had: what is written now, by what each is a name of.
_PRESENT_NAMES = {("figure", "differences"): "'intervals' with of = \"differences\""}


def present_name(kind: str, name: object) -> str:
    """Return a sentence that gives the present name of something; "" where it was never called otherwise."""
    present = _PRESENT_NAMES.get((kind, str(name)))
    return "" if present is None else f" It is now {present}."


# How many of the known names a message about an unknown one has.
MAX_NAMES = 8
# Where all names of a kind are listed: in the terminal and in Python.
_NAME_LISTS = {
    "metric": ("`metaeval metrics list`", "`metaeval.list_metrics()`"),
    "corpus": ("`metaeval corpus list`", "`metaeval.list_corpora()`"),
    "public corpus": ("`metaeval corpus list`", "`metaeval.list_corpora()`"),
    "format": ("`metaeval corpus formats`", "`metaeval.list_formats()`"),
    "verb": ("`metaeval --help`", "`help(metaeval)`"),
    "key": ("docs/experiments.md", "docs/experiments.md"),
    "config": ("docs/papers.md and docs/shared-tasks.md", "docs/papers.md and docs/shared-tasks.md"),
    "coefficient": ("docs/experiments.md", "docs/experiments.md"),
    "interval": ("docs/experiments.md", "docs/experiments.md"),
    "figure": ("docs/figures.md", "docs/figures.md"),
    "width": ("docs/figures.md", "docs/figures.md"),
}


def unknown(kind: str, name: object, known: Iterable[object], plural: str | None = None, whole_list: str = "") -> str:
    """Return the message for a name that is not known: the closest that is, then some of them.

    Parameters
    ----------
    kind : str
        What it is a name of, such as ``metric``.
    name : object
        What was given.
    known : iterable of object
        All names that are known; the closest one is suggested.
    plural : str, optional
        Of `kind`, if not made by an s.
    whole_list : str
        Where a reader finds all names, if there are more than a message has.

    Returns
    -------
    str
        A sentence or two.
    """
    names = [str(item) for item in known]
    if renamed := present_name(kind, name):
        return f"unknown {kind} {str(name)!r}.{renamed}"
    close = nearest(str(name), names)
    hint = f"; did you mean {close!r}?" if close else "."
    if not whole_list and kind in _NAME_LISTS:
        terminal, python = _NAME_LISTS[kind]
        whole_list = as_typed(terminal=terminal, python=python)
    rest = f": {whole_list}" if whole_list and len(names) > MAX_NAMES else ""
    return f"unknown {kind} {str(name)!r}{hint} Known {plural or kind + 's'}: {listing(names, MAX_NAMES)}{rest}."
