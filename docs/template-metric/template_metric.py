"""A metric that compares lengths: good enough to show where things belong."""

from __future__ import annotations


def length_ratio(candidate: str, references: list[str], power: float = 1.0) -> float:
    """Return how near the candidate's length is to that of the nearest reference, in characters: 1 is equal.

    Parameters
    ----------
    candidate : str
    references : list of str
        Those that the segment has; at least one.
    power : float
        Small differences count less if it is above 1: `length-ratio(power=2)`.
    """
    length = len(candidate)
    ratios = [min(length, len(text)) / max(length, len(text), 1) for text in references]
    return max(ratios) ** power


length_ratio.higher_is_better = True
length_ratio.title = "Length ratio"
length_ratio.sources = ["Nobody (2026): a template."]
