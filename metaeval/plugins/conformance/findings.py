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
class Outcome:
    """What a check found: ``ok``, ``note`` or ``fails``, a sentence, and an example."""

    outcome: str
    finding: str
    example: str = ""


def found(name: str, example: str = "", /, **words: object) -> Outcome:
    """Return what a check found, by its name, with the words that stand for the braces of its sentence."""
    outcome, sentence = _FINDINGS[name]
    return Outcome(outcome, sentence.format(**words), example)
