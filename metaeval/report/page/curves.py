"""Data of the line charts of a page: values by criterion, along document lengths or numbers of references."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from metaeval.datamodel.corpus import INTER_JUDGE
from metaeval.report.figures.run_frames import run_style_numbers
from metaeval.report.phrases import (
    across,
    coefficient_words,
    corpus_words,
    grouped,
    interval_caption,
    preprocessing_words,
    quantity,
    subset_words,
)
from metaeval.results.keys import DocumentKind, Key
from metaeval.results.model import RunData
from metaeval.results.rows import Correlation
from metaeval.results.tables import record_of

# Documents that are not drawn, by their kind.
_DOCUMENT_WORDS = {"all": "the whole corpus", "segments": "single segments", "real": "real documents"}
_AXIS_LABELS = {"length": "segments in a document", "references": "references", "": ""}


def parts_of(run: RunData) -> dict[str, Any]:
    """Return the parts of a run for a script.

    Parameters
    ----------
    run : RunData

    Returns
    -------
    dict
        ``axis``: what the lines run along, if anything. ``metrics``: all lines. ``style_numbers``: those of their
        styles, which are the same in figures. ``parts``: each with its title, where it is, the name of its quantity,
        what its intervals are, or why there are none, and its criteria; each of these with its lines, whose points are
        a place on the axis and the number of a row.
    """
    correlations = run.tables.correlations
    if not correlations:
        return {"axis": "", "parts": [], "metrics": []}
    along = _axis(correlations)
    metrics = dict.fromkeys(row.key.metric for row in correlations)
    # The judges come last.
    metrics |= {INTER_JUDGE: metrics.pop(INTER_JUDGE)} if INTER_JUDGE in metrics else {}
    numbered = grouped(enumerate(correlations), lambda numbered_row: _part_of(numbered_row[1], along))
    keys = list(dict.fromkeys(_part_of(row, along) for row in correlations if row.key.preprocessing))
    parts = []
    for key, (title, where) in zip(keys, _titles(keys), strict=True):
        rows = sorted(
            [*numbered[key], *numbered.get(key.with_names(preprocessing=""), [])],
            key=lambda numbered_row: numbered_row[0],
        )
        interval, no_interval = interval_caption([record_of(row) for _, row in numbered[key]])
        corpus = corpus_words(key.corpus, simulated=key.corpus in run.simulated)
        parts.append(
            {
                "title": title,
                "where": ", ".join(filter(None, [corpus, where])),
                "documents": documents_words(key),
                "quantity": quantity(key.coefficient),
                "interval": interval,
                "no_interval": no_interval,
                "criteria": [
                    {"name": criterion, "lines": _lines(of_criterion, along)}
                    for criterion, of_criterion in grouped(
                        rows, lambda numbered_row: numbered_row[1].key.criterion
                    ).items()
                ],
            }
        )
    return {
        "axis": _AXIS_LABELS[along],
        "along": along,
        "metrics": list(metrics),
        "style_numbers": run_style_numbers(run),
        "parts": parts,
    }


def documents_words(key: Key) -> str:
    """Name the documents at a place: ``documents of 10 segments``, ``the whole corpus``."""
    if key.documents.units.is_drawn:
        return f"documents of {key.length} segment{'' if key.length == 1 else 's'}"
    return _DOCUMENT_WORDS.get(key.documents.kind, key.documents.kind)


def _axis(rows: Sequence[Correlation]) -> str:
    """Name the quantity that varies along a line: ``length``, ``references`` or nothing."""

    def lines(along: str) -> Iterable[list[Correlation]]:
        of_line = grouped(rows, lambda row: (_part_of(row, along), row.key.metric, row.key.criterion))
        return of_line.values()

    if any(len({row.key.length for row in line}) > 1 for line in lines("length")):
        return "length"
    numbers = [[row.n_references for row in line] for line in lines("references")]
    # Several subsets of one number have no place of their own on such an axis.
    alone = all(len(set(line)) == len(line) for line in numbers)
    return "references" if alone and any(len(line) > 1 for line in numbers) else ""


def _part_of(row: Correlation, along: str) -> Key:
    """Return the part of a key that a whole part shares: all but criterion, metric and what its lines run along."""
    key = row.key.with_names(criterion="", metric="")
    if along == "references":
        return key.with_names(subset="")
    return key.with_names(documents=DocumentKind(key.documents.kind)) if along == "length" else key


def _titles(keys: Sequence[Key]) -> list[tuple[str, str]]:
    """Return, for each part, a title that names what differs between them, and where it is, but for the corpus."""
    words = [
        {
            "panel": key.panel,
            "corpus": key.corpus,
            "preprocessing": preprocessing_words(key.preprocessing),
            "subset": subset_words(key.subset) if key.subset else "",
            "documents": documents_words(key) if key.length is not None else "",
            "average_by": across(key.average_by),
            "coefficient": coefficient_words(key.coefficient),
        }
        for key in keys
    ]
    differs = [name for name in words[0] if len({getattr(key, name) for key in keys}) > 1]
    return [
        (
            ", ".join(key_words[name] for name in differs if key_words[name]) or quantity(key.coefficient),
            ", ".join(
                filter(
                    None,
                    [key_words["preprocessing"], key_words["subset"], key_words["documents"], key_words["average_by"]],
                )
            ),
        )
        for key, key_words in zip(keys, words, strict=True)
    ]


def _lines(rows: Sequence[tuple[int, Correlation]], along: str) -> list[dict[str, Any]]:
    lines: dict[str, list[tuple[float, int]]] = {}
    for number, row in rows:
        length = math.nan if row.key.length is None else float(row.key.length)
        position = {"length": length, "references": row.n_references, "": 0.0}[along]
        if not math.isnan(position):
            lines.setdefault(row.key.metric, []).append((position, number))
    return [{"metric": metric, "points": sorted(points)} for metric, points in lines.items()]
