"""Worked examples of a paper beside ours, as text for a terminal."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from decimal import Decimal

from metaeval.report.letter_widths import in_lines
from metaeval.report.phrases import preprocessing_words
from metaeval.results.rows import Example

_INDENT = 4
_LABEL = 12


def examples_text(rows: Sequence[Example], width: int = 100, *, all_of_them: bool = True) -> str:
    """Return the worked examples of a paper as text: what holds in brief, and on which texts others fail.

    Parameters
    ----------
    rows : rows
        As from :func:`metaeval.papers.examples.check_examples`.
    width : int
        Of a line.
    all_of_them : bool
        Whether those that hold are shown too, and the rule.
    """
    if not rows:
        return ""
    holding = sum(row.verdict == "holds" for row in rows)
    rule = (
        "An example holds if our number rounds to the printed one: it lies within half a unit of the last digit "
        "that the paper prints; a whole number must be equal."
    )
    if any(row.reading for row in rows):
        rule += " [R] marks our reading where the paper is silent."
    heading = f"Worked examples of the paper: {holding} of {len(rows)} hold."
    if all_of_them:
        return "\n".join([heading, *in_lines(rule, width), "", *(_example(row, width) for row in rows)])
    return "\n".join([heading, *(_example(row, width) for row in rows if row.verdict != "holds")])


def quantity_words(quantity: str) -> str:
    """Return what a worked example counts, in words: ``match size``, ``2-gram matches``."""
    return re.sub(r"^(\w+)_(\d+)$", r"\2-gram \1", quantity).replace("_", " ")


def _example(row: Example, width: int) -> str:
    """Return an example: in brief where it holds, with its texts where it fails."""
    reading = " [R]" if row.reading else ""
    lead = f"{row.example:>2}. "
    brief = f" ({row.metric}, {quantity_words(row.quantity)}: {_compared(row)})" if row.verdict == "holds" else ""
    lines = in_lines(f"{row.verdict.upper()}  {row.paper}{reading}{brief}", width, lead, " " * len(lead))
    if brief:
        return "\n".join(lines)
    several = " | " in row.references
    facts = {
        "metric": f"{row.metric}; {preprocessing_words(row.preprocessing)}",
        "candidate": row.candidate or "(empty)",
        "references" if several else "reference": row.references or "(empty)",
        quantity_words(row.quantity): _compared(row),
    }
    indent = max(_LABEL, *(len(label) + 2 for label in facts))
    for label, words in facts.items():
        start = " " * _INDENT + label.ljust(indent)
        lines += in_lines(words, width, start, " " * len(start))
    return "\n".join(lines)


def number_here(row: Example) -> str:
    """Return our number for a table, with more digits than papers print; ``--`` if it is undefined."""
    return "--" if math.isnan(row.ours) else f"{row.ours:.6g}"


def _compared(row: Example) -> str:
    """Return the two numbers; ours with two digits more than are printed, so that the rounding can be followed."""
    exponent = Decimal(row.value).as_tuple().exponent
    digits = -exponent if isinstance(exponent, int) else 0
    if math.isnan(row.ours):
        return f"{row.value} in the paper, undefined here"
    if not digits and row.ours.is_integer():
        return f"{row.value} in the paper, {row.ours:.0f} here"
    words = f"{row.value} in the paper, {row.ours:.{digits + 2}f} here"
    return words if row.verdict == "holds" else f"{words}: {row.difference:+.{digits + 2}f}"
