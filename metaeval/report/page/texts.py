"""Texts of a page: disagreements and segments, the most informative first, up to a limit in bytes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from metaeval.report.page.embedded import size_of
from metaeval.report.page.systems import short
from metaeval.results.model import RunData, ScoreBlock
from metaeval.results.tables import fields_of

# A place of disagreements and a row of correlations are of one place where these are the same.
_PLACE = ("panel", "corpus", "preprocessing", "subset", "criterion", "average_by", "length", "metric")
_SCORED = ("panel", "corpus", "preprocessing", "subset", "metric")
# Of all the room, what documents may take; and of what texts leave, what the scores of segments may take.
_SHARE_OF_DOCUMENTS, _SHARE_OF_SCORES = 0.6, 0.4


class _Page:
    """Room for objects, and the strings of disagreements that they use, with new numbers."""

    def __init__(self, strings: list[str], room: int) -> None:
        self.room, self.strings, self._old = room, list[str](), strings
        self._numbers: dict[int, int] = {}

    def takes(self, value: object, strings: list[int]) -> bool:
        """Return whether there is room for an object and the strings that it uses, and take it if so."""
        if self.room <= 0:  # whatever it takes
            return False
        new = [one for one in dict.fromkeys(strings) if one not in self._numbers]
        size = size_of(value) + sum(size_of(self._old[one]) + 1 for one in new)
        if size > self.room:
            return False
        self.room -= size
        for one in new:
            self._numbers[one] = len(self.strings)
            self.strings.append(self._old[one])
        return True

    def of(self, number: int) -> int:
        """Return the new number of a string."""
        return self._numbers[number]


def texts_of(run: RunData, room: int) -> tuple[dict[str, Any], list[str]]:
    """Return the texts of a page for its script, and what is said of those that are left out.

    Parameters
    ----------
    run : RunData
    room : int
        Bytes that they may have.

    Returns
    -------
    dict
        ``of``: by the number of a row of correlations where its documents stand in ``documents``. ``segments``,
        ``grids``, ``strings`` and ``systems`` as in disagreements.json; ``scores``: of segments, by metric.
    list of str
    """
    found = run.disagreements
    if not found:
        return {"of": {}, "segments": {}, "scores": []}, []
    keys = [tuple(fields_of(row.key, *_PLACE).values()) for row in run.tables.correlations]
    # A row takes its number and that of its documents.
    room = max(0, room - size_of(found["systems"]) - sum(size_of({str(n): n}) for n, _ in enumerate(keys)))
    page, told = _Page(found.get("strings", []), int(_SHARE_OF_DOCUMENTS * room)), list[str]()
    documents, places = list[Any](), dict[tuple[Any, ...], int]()
    for place in found["places"]:
        own = [_document(one) for one in place["documents"]]
        if page.takes(own, []):
            places[tuple(place.get(name) for name in _PLACE)] = len(documents)
            documents.append(own)
    lacking = len(found["places"]) - len(documents)
    if lacking:
        told.append(f"The documents of {lacking} of {len(found['places'])} places have no room on this page.")
    rows = {str(number): places[key] for number, key in enumerate(keys) if key in places}
    page.room += room - int(_SHARE_OF_DOCUMENTS * room)
    segments: dict[str, dict[str, Any]] = {}
    n = {"kept": 0, "all": 0}
    caused = {
        (place["corpus"], str(cause["segment"]))
        for place in found["places"]
        for document in place["documents"]
        for cause in document["causes"]
    }
    every = [(corpus, number, one) for corpus, own in found.get("segments", {}).items() for number, one in own.items()]
    every.sort(key=lambda one: (one[:2] not in caused, one[0], int(one[1])))
    grids = list[Any](found.get("grids", []))
    for first in (True, False):
        for corpus, number, one in every:
            if ((corpus, number) in caused) == first:
                n["all"] += 1
                if page.takes(one, list(_strings_of(one))):
                    n["kept"] += 1
                    segments.setdefault(corpus, {})[number] = _renumbered(one, page)
        if first:
            grids = [_grid(grid, page) for grid in grids]
    if n["kept"] < n["all"]:
        told.append(f"The texts of {n['all'] - n['kept']} of {n['all']} segments have no room on this page.")
    if None in grids:
        told.append(f"{grids.count(None)} of {len(grids)} bitext grids have no room on this page.")
    held = {"of": rows, "documents": documents, "segments": segments, "grids": grids, "strings": page.strings}
    return {**held, "systems": found["systems"], "scores": _scores(run, segments, page)}, told


def _document(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document with numbers as exact as they are shown."""
    causes = [
        {**cause, **{side: cause[side] and [short(one) for one in cause[side]] for side in ("metric", "people")}}
        for cause in entry["causes"]
    ]
    numbers = {name: short(entry[name]) for name in ("by_metric", "by_people", "contradiction")}
    sides = {side: [short(one) for one in entry[side]] for side in ("metric", "people")}
    return {**entry, **numbers, **sides, "causes": causes}


def _strings_of(segment: Mapping[str, Any]) -> Iterator[int]:
    yield from segment["references"].values()
    yield from segment["systems"].values()
    if "source" in segment:
        yield segment["source"]


def _renumbered(segment: Mapping[str, Any], page: _Page) -> dict[str, Any]:
    sides = {side: {name: page.of(one) for name, one in segment[side].items()} for side in ("references", "systems")}
    source = {"source": page.of(segment["source"])} if "source" in segment else {}
    return {**segment, **sides, **source}


def _grid(grid: Mapping[str, Any], page: _Page) -> dict[str, Any] | None:
    texts = [grid["candidate"], *(text for _, text in grid["references"])]
    if not page.takes(grid, texts):
        return None
    named = [[name, page.of(text)] for name, text in grid["references"]]
    return {**grid, "candidate": page.of(grid["candidate"]), "references": named}


def _scores(run: RunData, segments: Mapping[str, Mapping[str, Any]], page: _Page) -> list[dict[str, Any]]:
    """Return the scores of the segments that have texts, those of the first preprocessing and references first."""
    found, room = [], int(_SHARE_OF_SCORES * page.room)
    for block in run.scores:
        if (block.level, block.kind) == ("segment", "system") and block.key.corpus in segments:
            one = _block(block, segments[block.key.corpus])
            room -= size_of(one)
            if room < 0:
                break
            found.append(one)
    return found


def _block(block: ScoreBlock, segments: Mapping[str, Any]) -> dict[str, Any]:
    values = zip(block.units, block.values.tolist(), strict=True)
    return {
        **fields_of(block.key, *_SCORED),
        "names": block.names,
        "values": {unit: [short(one) for one in row] for unit, row in values if unit in segments},
    }
