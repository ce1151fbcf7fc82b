"""What a page needs of disagreements.json, so that a spoilt file is an error and not a broken page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_TOP: Mapping[str, type] = {
    "notes": list,
    "most_documents": int,
    "most_segments": int,
    "grid_metric": str,
    "systems": dict,
    "places": list,
    "segments": dict,
    "grids": list,
    "strings": list,
}
_PLACE: Mapping[str, type] = {"corpus": str, "metric": str, "criterion": str, "average_by": str, "documents": list}
_DOCUMENT: Mapping[str, type] = {
    "n_segments": int,
    "segments": list,
    "systems": list,
    "metric": list,
    "people": list,
    "metric_ranks": list,
    "people_ranks": list,
    "by_metric": float,
    "by_people": float,
    "contradiction": float,
    "references": list,
    "causes": list,
}
_CAUSE: Mapping[str, type] = {"segment": int, "people": list}
_GRID: Mapping[str, type] = {"candidate": int, "references": list, "runs": list}


def flaw_of(found: object) -> str:
    """Return the first thing that keeps the content of disagreements.json from being shown; "" where there is none."""
    flaw = _lacks(found, _TOP, "it")
    if flaw:
        return flaw
    assert isinstance(found, dict)
    for text in [*found["strings"], *found["notes"]]:
        if not isinstance(text, str):
            return "`strings` and `notes` must hold texts alone"
    flaws = [_lacks(grid, _GRID, f"grid {n}") for n, grid in enumerate(found["grids"], start=1)]
    for n, place in enumerate(found["places"], start=1):
        flaws.append(_lacks(place, _PLACE, f"place {n}"))
        if flaws[-1]:
            break
        if place["corpus"] not in found["systems"]:
            flaws.append(f"`systems` has no corpus {place['corpus']!r} of place {n}")
        for document in place["documents"]:
            where = f"a document of place {n}"
            flaws.append(_lacks(document, _DOCUMENT, where))
            if not flaws[-1]:
                flaws += [_lacks(cause, _CAUSE, f"a segment of {where}") for cause in document["causes"]]
    return next(filter(None, flaws), "")


def _lacks(value: Any, needed: Mapping[str, type], name: str) -> str:
    if not isinstance(value, dict):
        return f"{name} is {value!r:.60}, not an object"
    for key, kind in needed.items():
        if not isinstance(value.get(key), kind):
            return f"{name} lacks `{key}`" if key not in value else f"`{key}` of {name} is not of type {kind.__name__}"
    return ""
