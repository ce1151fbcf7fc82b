"""What a page needs of disagreements.json, so that a spoilt file is an error and not a broken page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

# A shape is a type, an object with the shapes of its keys, or a list: what an item is called, and its shape.
_CAUSE = {"segment": int, "people": list}
_DOCUMENT = {
    "n_segments": int,
    **dict.fromkeys(("segments", "systems", "metric", "people", "metric_ranks", "people_ranks", "references"), list),
    **dict.fromkeys(("by_metric", "by_people", "contradiction"), float),
    "causes": ("segment", _CAUSE),
}
_PLACE = {**dict.fromkeys(("corpus", "metric", "criterion", "average_by"), str), "documents": ("document", _DOCUMENT)}
_GRID = {"candidate": int, "references": list, "runs": list}
_TOP = {
    "notes": ("note", str),
    "most_documents": int,
    "most_segments": int,
    "grid_metric": str,
    "systems": dict,
    "places": ("place", _PLACE),
    "segments": dict,
    "grids": ("grid", _GRID),
    "strings": ("string", str),
}


def flaw_of(found: Any) -> str:
    """Return the first thing that keeps the content of disagreements.json from being shown; "" where there is none."""
    flaw = next(_flaws(found, _TOP, "it"), "")
    if flaw:
        return flaw
    corpora = enumerate((place["corpus"] for place in found["places"]), start=1)
    lacking = (f"`systems` has no corpus {name!r} of place {n}" for n, name in corpora if name not in found["systems"])
    return next(lacking, "")


def _flaws(value: Any, shape: Any, name: str) -> Iterator[str]:
    """Give what is not of a shape."""
    kind = dict if isinstance(shape, dict) else list if isinstance(shape, tuple) else shape
    if not isinstance(value, kind):
        yield f"{name} is {value!r:.60}, not of type {kind.__name__}"
    elif isinstance(shape, dict):
        for key, inner in shape.items():
            if key in value:
                yield from _flaws(value[key], inner, f"`{key}`" if name == "it" else f"`{key}` of {name}")
            else:
                yield f"{name} lacks `{key}`"
    elif isinstance(shape, tuple):
        noun, inner = shape
        for number, item in enumerate(value, start=1):
            yield from _flaws(item, inner, f"{noun} {number} of {name}")
