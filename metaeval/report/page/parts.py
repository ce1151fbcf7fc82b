"""What stands in one picture of a page: the lines of a part of a run, by criterion, along lengths or references."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from metaeval.records import INTER_JUDGE
from metaeval.report.page.columns import TextRows
from metaeval.report.words import (
    across,
    corpus_words,
    interval_words,
    n_references,
    quantity,
    subset_words,
    without_common_parameters,
)

_AXES = {
    "length": "segments in a document",
    "references": "references",
    "": "",
}


def parts_of(correlations: TextRows) -> dict[str, Any]:
    """Return the parts of a run for a script.

    Parameters
    ----------
    correlations : sequence of mappings of str to str
        The rows of correlations.tsv.

    Returns
    -------
    dict
        ``axis``: what the lines run along, if anything. ``metrics``: all lines. ``parts``: each with its title, where
        it is, the name of its quantity, what its intervals are, and its criteria; each of these with its lines, whose
        points are a place on the axis and the number of a row.
    """
    if not correlations:
        return {"axis": "", "parts": [], "metrics": []}
    along = _axis(correlations)
    metrics = list(dict.fromkeys(row["metric"] for row in correlations if row["metric"] != INTER_JUDGE))
    metrics += [INTER_JUDGE] if any(row["metric"] == INTER_JUDGE for row in correlations) else []
    keys = list(dict.fromkeys(_key(row, along) for row in correlations if row["preprocessing"]))
    titles = _titles(keys)
    parts = []
    for key, (title, where) in zip(keys, titles, strict=True):
        rows = [
            (number, row)
            for number, row in enumerate(correlations)
            if _key(row, along) == key or (not row["preprocessing"] and _without_preprocessing(_key(row, along), key))
        ]
        first = next(row for _, row in rows if row["preprocessing"])
        parts.append(
            {
                "title": title,
                "where": ", ".join(filter(None, [corpus_words(key[1], first["signature"]), where])),
                "quantity": quantity(first["coefficient"]),
                "interval": interval_words(first["signature"]),
                "criteria": [
                    {
                        "name": criterion,
                        "lines": _lines([one for one in rows if one[1]["criterion"] == criterion], along),
                    }
                    for criterion in dict.fromkeys(row["criterion"] for _, row in rows)
                ],
            }
        )
    return {"axis": _AXES[along], "along": along, "metrics": metrics, "parts": parts}


def _axis(rows: TextRows) -> str:
    """Return what varies along a line: ``length``, ``references`` or nothing."""
    lengths: dict[tuple[str, ...], set[str]] = {}
    numbers: dict[tuple[str, ...], list[float]] = {}
    for row in rows:
        line = (row["metric"], row["criterion"])
        lengths.setdefault((*_key(row, "length"), *line), set()).add(row["length"])
        numbers.setdefault((*_key(row, "references"), *line), []).append(_references(row))
    if any(len(found) > 1 for found in lengths.values()):
        return "length"
    # Several subsets of one number have no place of their own on such an axis.
    alone = all(len(set(found)) == len(found) for found in numbers.values())
    return "references" if alone and any(len(found) > 1 for found in numbers.values()) else ""


def _references(row: Mapping[str, str]) -> float:
    return n_references(row["subset"], row["signature"])


def _key(row: Mapping[str, str], along: str) -> tuple[str, ...]:
    """Return what is the same in all of a part, but for criterion, metric and what its lines run along."""
    subset = "" if along == "references" else row["subset"]
    length = "" if along == "length" else row["length"]
    places = (row.get("panel", ""), row["corpus"], row["preprocessing"], subset, length)
    return (*places, row["average_by"], row["coefficient"])


def _without_preprocessing(key: tuple[str, ...], other: tuple[str, ...]) -> bool:
    return key[:2] + key[3:] == other[:2] + other[3:]


def _titles(keys: Sequence[tuple[str, ...]]) -> list[tuple[str, str]]:
    """Return, for each part, a title that names what differs between them, and where it is, but for the corpus."""
    treatments, _ = without_common_parameters(list(dict.fromkeys(key[2] for key in keys)))
    words = [
        (
            key[0],
            key[1],
            treatments[key[2]],
            subset_words(key[3]) if key[3] else "",
            f"documents of {key[4]} segment{'' if key[4] in ('1', '1.0') else 's'}" if key[4] else "",
            across(key[5]),
            key[6],
        )
        for key in keys
    ]
    differs = [len({key[place] for key in keys}) > 1 for place in range(len(keys[0]))]
    return [
        (
            ", ".join(text for text, show in zip(one, differs, strict=True) if show and text) or quantity(one[-1]),
            ", ".join(filter(None, [key[2], *one[3:6]])),
        )
        for key, one in zip(keys, words, strict=True)
    ]


def _lines(rows: Sequence[tuple[int, Mapping[str, str]]], along: str) -> list[dict[str, Any]]:
    lines: dict[str, list[tuple[float, int]]] = {}
    for number, row in rows:
        places = {"length": float(row["length"] or "nan"), "references": _references(row), "": 0.0}
        place = places[along]
        if not math.isnan(place):
            lines.setdefault(row["metric"], []).append((place, number))
    return [{"metric": metric, "points": sorted(points)} for metric, points in lines.items()]
