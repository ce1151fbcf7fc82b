"""Check the shape of disagreements.json, so that a damaged file is an error instead of a broken page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

# A shape is a type, an object with the shapes of its keys, or a list: what an item is called, and its shape.
_CAUSE_SHAPE = {"segment": int, "people": list}
_DOCUMENT_SHAPE = {
    "n_segments": int,
    **dict.fromkeys(("segments", "systems", "metric", "people", "metric_ranks", "people_ranks", "references"), list),
    **dict.fromkeys(("by_metric", "by_people", "contradiction"), float),
    "causes": ("segment", _CAUSE_SHAPE),
}
_PLACE_SHAPE = {
    **dict.fromkeys(("corpus", "metric", "criterion", "average_by"), str),
    "documents": ("document", _DOCUMENT_SHAPE),
}
_GRID_SHAPE = {"candidate": int, "references": list, "runs": list}
_FILE_SHAPE = {
    "notes": ("note", str),
    "most_documents": int,
    "most_segments": int,
    "grid_metric": str,
    "systems": dict,
    "places": ("place", _PLACE_SHAPE),
    "segments": dict,
    "grids": ("grid", _GRID_SHAPE),
    "strings": ("string", str),
}


def flaw_of(content: Any) -> str:
    """Return the first error in the shape of disagreements.json; "" if it can be shown."""
    flaw = next(_flaws(content, _FILE_SHAPE, "it"), "")
    if flaw:
        return flaw
    corpora = enumerate((place["corpus"] for place in content["places"]), start=1)
    lacking = (
        f"`systems` has no corpus {name!r} of place {n}" for n, name in corpora if name not in content["systems"]
    )
    return next(lacking, "")


def _flaws(value: Any, shape: Any, name: str) -> Iterator[str]:
    """Yield the flaws of a content whose shape is wrong."""
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
