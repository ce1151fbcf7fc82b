"""What stands in one picture of a page: the lines of a part of a run, by criterion, along lengths or references."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from metaeval.records import INTER_JUDGE
from metaeval.report.words import (
    across,
    corpus_words,
    interval_words,
    quantity,
    subset_words,
    without_common_parameters,
)
from metaeval.results.keys import DocumentKind, Key
from metaeval.results.model import RunData
from metaeval.results.rows import Correlation
from metaeval.results.tables import record_of

_AXES = {
    "length": "segments in a document",
    "references": "references",
    "": "",
}


def parts_of(run: RunData) -> dict[str, Any]:
    """Return the parts of a run for a script.

    Parameters
    ----------
    run : RunData

    Returns
    -------
    dict
        ``axis``: what the lines run along, if anything. ``metrics``: all lines. ``parts``: each with its title, where
        it is, the name of its quantity, what its intervals are, and its criteria; each of these with its lines, whose
        points are a place on the axis and the number of a row.
    """
    correlations = run.tables.correlations
    if not correlations:
        return {"axis": "", "parts": [], "metrics": []}
    along = _axis(correlations)
    metrics = list(dict.fromkeys(row.key.metric for row in correlations if row.key.metric != INTER_JUDGE))
    metrics += [INTER_JUDGE] if any(row.key.metric == INTER_JUDGE for row in correlations) else []
    keys = list(dict.fromkeys(_part_of(row, along) for row in correlations if row.key.preprocessing))
    titles = _titles(keys)
    parts = []
    for key, (title, where) in zip(keys, titles, strict=True):
        rows = [
            (number, row)
            for number, row in enumerate(correlations)
            if _part_of(row, along) in (key, key.of(preprocessing=""))
        ]
        first = next(row for _, row in rows if row.key.preprocessing)
        corpus = corpus_words(key.corpus, simulated=key.corpus in run.simulated)
        parts.append(
            {
                "title": title,
                "where": ", ".join(filter(None, [corpus, where])),
                "quantity": quantity(key.coefficient),
                "interval": interval_words(record_of(first)),
                "criteria": [
                    {
                        "name": criterion,
                        "lines": _lines([one for one in rows if one[1].key.criterion == criterion], along),
                    }
                    for criterion in dict.fromkeys(row.key.criterion for _, row in rows)
                ],
            }
        )
    return {"axis": _AXES[along], "along": along, "metrics": metrics, "parts": parts}


def _axis(rows: Sequence[Correlation]) -> str:
    """Return what varies along a line: ``length``, ``references`` or nothing."""
    lengths: dict[Key, set[int | None]] = {}
    numbers: dict[Key, list[float]] = {}
    for row in rows:
        line = {"metric": row.key.metric, "criterion": row.key.criterion}
        lengths.setdefault(_part_of(row, "length").of(**line), set()).add(row.key.length)
        numbers.setdefault(_part_of(row, "references").of(**line), []).append(row.n_references)
    if any(len(found) > 1 for found in lengths.values()):
        return "length"
    # Several subsets of one number have no place of their own on such an axis.
    alone = all(len(set(found)) == len(found) for found in numbers.values())
    return "references" if alone and any(len(found) > 1 for found in numbers.values()) else ""


def _part_of(row: Correlation, along: str) -> Key:
    """Return what is the same in all of a part: the key without criterion, metric and what its lines run along."""
    key = row.key.of(criterion="", metric="")
    if along == "references":
        return key.of(subset="")
    return replace(key, documents=DocumentKind(key.documents.kind)) if along == "length" else key


def _titles(keys: Sequence[Key]) -> list[tuple[str, str]]:
    """Return, for each part, a title that names what differs between them, and where it is, but for the corpus."""
    treatments, _ = without_common_parameters(list(dict.fromkeys(key.preprocessing for key in keys)))
    words = [
        {
            "panel": key.panel,
            "corpus": key.corpus,
            "preprocessing": treatments[key.preprocessing],
            "subset": subset_words(key.subset) if key.subset else "",
            "documents": f"documents of {key.length} segment{'' if key.length == 1 else 's'}" if key.length else "",
            "average_by": across(key.average_by),
            "coefficient": key.coefficient,
        }
        for key in keys
    ]
    differs = [name for name in words[0] if len({getattr(key, name) for key in keys}) > 1]
    return [
        (
            ", ".join(one[name] for name in differs if one[name]) or quantity(key.coefficient),
            ", ".join(filter(None, [key.preprocessing, one["subset"], one["documents"], one["average_by"]])),
        )
        for key, one in zip(keys, words, strict=True)
    ]


def _lines(rows: Sequence[tuple[int, Correlation]], along: str) -> list[dict[str, Any]]:
    lines: dict[str, list[tuple[float, int]]] = {}
    for number, row in rows:
        length = math.nan if row.key.length is None else float(row.key.length)
        place = {"length": length, "references": row.n_references, "": 0.0}[along]
        if not math.isnan(place):
            lines.setdefault(row.key.metric, []).append((place, number))
    return [{"metric": metric, "points": sorted(points)} for metric, points in lines.items()]
