"""Rows that tools for annotation put among the others: attention checks, tutorials, pages around, altered outputs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from metaeval.corpora.tables.delimited import Frame
from metaeval.corpora.tables.headers import plain
from metaeval.errors import counted

# What the names of items, documents and systems have there, and what such rows are called.
_PATTERNS = (
    (re.compile(r"attention_check_"), "attention checks"),
    (re.compile(r"_#_tutorial_#_|^\w+-tutorial\d+$"), "tutorials"),
    (re.compile(r"^(welcome|goodbye)_\d+$"), "welcome and goodbye pages"),
    (re.compile(r"#bad\d*$"), "altered outputs (#bad)"),
)
# Documents that fill up a batch of Appraise and are rated a second time.
_DUPLICATES = (re.compile(r"#duplicate"), "duplicates")
# The types of items of Appraise: outputs of systems, altered ones, references, and outputs that are repeated.
_OUTPUT_TYPE = "TGT"
_CHECK_TYPES = ("BAD", "REF", "CHK")
_TYPE_COLUMNS = ("type", "itemtype")


def without_checks(
    frame: Frame, rows: Sequence[int], names: Sequence[str], *, keeps_duplicates: bool = False
) -> tuple[list[int], list[str]]:
    """Return the rows that rate outputs of systems, and how many of the others were left out.

    Parameters
    ----------
    frame : Frame
    rows : sequence of int
    names : sequence of str
        The columns with the names of items, documents and systems.
    keeps_duplicates : bool, default False
        Whether documents that were rated a second time count.
    """
    patterns = _PATTERNS if keeps_duplicates else (*_PATTERNS, _DUPLICATES)
    types = _types_of_appraise(frame)
    outputs, counts = list[int](), Counter[str]()
    for row in rows:
        texts = [frame.columns[name][row] for name in names]
        kind = next((kind for pattern, kind in patterns if any(map(pattern.search, texts))), "")
        if types and types[row] != _OUTPUT_TYPE:
            kind = f"quality control ({types[row]})"
        counts[kind] += 1
        if not kind:
            outputs.append(row)
    return outputs, [f"{counted(count, 'row')} of {kind} left out" for kind, count in counts.items() if kind]


def _types_of_appraise(frame: Frame) -> list[str]:
    """Return the type of each row, where a column has those of Appraise; it may have more behind a point: ``BAD.3``."""
    for name, cells in frame.columns.items():
        if plain(name) in _TYPE_COLUMNS:
            types = [cell.strip().partition(".")[0] for cell in cells]
            if _OUTPUT_TYPE in types and set(types) <= {_OUTPUT_TYPE, *_CHECK_TYPES}:
                return types
    return []
