"""What checks find: their sentences stand in findings.toml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from metaeval.resources import tables_of

OUTCOMES = ("ok", "note", "fails")
_TEXTS = tables_of(__file__)
_FINDINGS = {name: (outcome, sentence) for outcome in OUTCOMES for name, sentence in _TEXTS[outcome].items()}
# What is said of two measurements, by what was done between them.
COMPARED: Mapping[str, Mapping[str, str]] = _TEXTS["compared"]


@dataclass(frozen=True)
class Finding:
    """What one check found.

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


def found(name: str, example: str = "", /, **words: object) -> Finding:
    """Return a finding by its name, with the words that stand for the braces of its sentence; of no check yet."""
    outcome, sentence = _FINDINGS[name]
    return Finding("", "", outcome, sentence.format(**words), example)
