"""Findings of the checks of a metric: all is well, something to know, or a fault to fix."""

from __future__ import annotations

from dataclasses import dataclass

OUTCOMES = ("ok", "note", "fails")


@dataclass(frozen=True)
class Finding:
    """The finding of one check.

    Attributes
    ----------
    check : str
        What was checked.
    texts : str
        Those that it was made on: ``examples``, the name of a corpus, or nothing if it needs none.
    outcome : {"ok", "note", "fails"}
        Whether all is well, there is something to know, or the metric must be fixed.
    finding : str
        A sentence.
    example : str
        Texts and numbers that show it, shortened.
    """

    check: str
    texts: str
    outcome: str
    finding: str
    example: str


def ok(finding: str, example: str = "") -> Finding:
    """Return that all is well."""
    return Finding("", "", "ok", finding, example)


def note(finding: str, example: str = "") -> Finding:
    """Return a note: nothing wrong, but good to know."""
    return Finding("", "", "note", finding, example)


def fails(finding: str, example: str = "") -> Finding:
    """Return a failure, which must be fixed."""
    return Finding("", "", "fails", finding, example)
