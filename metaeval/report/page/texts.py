"""Texts of a page: disagreements and segments, the most informative first, up to a limit in bytes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from metaeval.report.page.embedded import size_of
from metaeval.report.page.systems import short
from metaeval.results.model import RunData, ScoreBlock
from metaeval.results.tables import fields_of

# A place of disagreements and a row of correlations are of one place where these are the same.
_CORRELATION_KEY = ("panel", "corpus", "preprocessing", "subset", "criterion", "average_by", "length", "metric")
_SCORE_KEY = ("panel", "corpus", "preprocessing", "subset", "metric")
# The share of all the room that documents may take, and the share of what texts leave that scores of segments may take.
_DOCUMENTS_SHARE = 0.6
_SCORES_SHARE = 0.4


class _Page:
    """Room for objects, and the strings of disagreements that they use, with new numbers."""

    def __init__(self, strings: list[str], room: int) -> None:
        self.room = room
        self.strings = list[str]()
        self._old = strings
        self._numbers: dict[int, int] = {}

    def takes(self, value: object, strings: list[int]) -> bool:
        """Return whether there is room for an object and the strings that it uses, and take it if so."""
        if self.room <= 0:  # whatever it takes
            return False
        new = [string for string in dict.fromkeys(strings) if string not in self._numbers]
        size = size_of(value) + sum(size_of(self._old[string]) + 1 for string in new)
        if size > self.room:
            return False
        self.room -= size
        for string in new:
            self._numbers[string] = len(self.strings)
            self.strings.append(self._old[string])
        return True

    def number_of(self, number: int) -> int:
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
    disagreements = run.disagreements
    if not disagreements:
        return {"of": {}, "segments": {}, "scores": []}, []
    keys = [tuple(fields_of(row.key, *_CORRELATION_KEY).values()) for row in run.tables.correlations]
    # A row takes its number and that of its documents.
    room = max(0, room - size_of(disagreements["systems"]) - sum(size_of({str(n): n}) for n, _ in enumerate(keys)))
    page = _Page(disagreements.get("strings", []), int(_DOCUMENTS_SHARE * room))
    documents, document_of_place = _documents(disagreements["places"], page)
    rows = {str(number): document_of_place[key] for number, key in enumerate(keys) if key in document_of_place}
    page.room += room - int(_DOCUMENTS_SHARE * room)
    segments, grids = _segments_and_grids(disagreements, page)
    texts = {"of": rows, "documents": documents, "segments": segments, "grids": grids, "strings": page.strings}
    notes = _notes(disagreements, documents, segments, grids)
    return {**texts, "systems": disagreements["systems"], "scores": _scores(run, segments, page)}, notes


def _documents(
    places: Sequence[Mapping[str, Any]], page: _Page
) -> tuple[list[list[dict[str, Any]]], dict[tuple[Any, ...], int]]:
    """Return the documents of the places that a page has room for, and where in them a place is, by its key."""
    documents = list[list[dict[str, Any]]]()
    document_of_place = dict[tuple[Any, ...], int]()
    for place in places:
        place_documents = [_document(document) for document in place["documents"]]
        if page.takes(place_documents, []):
            document_of_place[tuple(place.get(name) for name in _CORRELATION_KEY)] = len(documents)
            documents.append(place_documents)
    return documents, document_of_place


def _segments_and_grids(
    disagreements: Mapping[str, Any], page: _Page
) -> tuple[dict[str, dict[str, Any]], list[dict[str, Any] | None]]:
    """Return the segments of documents, then bitext grids, then other segments, as far as a page has room for them."""
    cited = {
        (place["corpus"], str(cause["segment"]))
        for place in disagreements["places"]
        for document in place["documents"]
        for cause in document["causes"]
    }
    by_number = [
        (corpus, number, segment)
        for corpus, of_corpus in sorted(disagreements.get("segments", {}).items())
        for number, segment in sorted(of_corpus.items(), key=lambda item: int(item[0]))
    ]
    segments: dict[str, dict[str, Any]] = {}

    def add(some: Iterable[tuple[str, str, Mapping[str, Any]]]) -> None:
        for corpus, number, segment in some:
            if page.takes(segment, list(_strings_of(segment))):
                segments.setdefault(corpus, {})[number] = _renumbered(segment, page)

    add(entry for entry in by_number if entry[:2] in cited)
    grids = [_grid(grid, page) for grid in disagreements.get("grids", [])]
    add(entry for entry in by_number if entry[:2] not in cited)
    return segments, grids


def _notes(
    disagreements: Mapping[str, Any],
    documents: Sequence[Any],
    segments: Mapping[str, Mapping[str, Any]],
    grids: Sequence[object],
) -> list[str]:
    """Return what is left out of a page, a sentence each."""
    notes = []
    n_places = len(disagreements["places"])
    if len(documents) < n_places:
        notes.append(f"The documents of {n_places - len(documents)} of {n_places} places have no room on this page.")
    n_segments = sum(map(len, disagreements.get("segments", {}).values()))
    n_shown = sum(map(len, segments.values()))
    if n_shown < n_segments:
        notes.append(f"The texts of {n_segments - n_shown} of {n_segments} segments have no room on this page.")
    if None in grids:
        notes.append(f"{grids.count(None)} of {len(grids)} bitext grids have no room on this page.")
    return notes


def _document(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document with numbers as exact as they are shown."""
    causes = [
        {**cause, **{side: cause[side] and [short(value) for value in cause[side]] for side in ("metric", "people")}}
        for cause in entry["causes"]
    ]
    numbers = {name: short(entry[name]) for name in ("by_metric", "by_people", "contradiction")}
    sides = {side: [short(value) for value in entry[side]] for side in ("metric", "people")}
    return {**entry, **numbers, **sides, "causes": causes}


def _strings_of(segment: Mapping[str, Any]) -> Iterator[int]:
    yield from segment["references"].values()
    yield from segment["systems"].values()
    if "source" in segment:
        yield segment["source"]


def _renumbered(segment: Mapping[str, Any], page: _Page) -> dict[str, Any]:
    sides = {
        side: {name: page.number_of(string) for name, string in segment[side].items()}
        for side in ("references", "systems")
    }
    source = {"source": page.number_of(segment["source"])} if "source" in segment else {}
    return {**segment, **sides, **source}


def _grid(grid: Mapping[str, Any], page: _Page) -> dict[str, Any] | None:
    texts = [grid["candidate"], *(text for _, text in grid["references"])]
    if not page.takes(grid, texts):
        return None
    named = [[name, page.number_of(text)] for name, text in grid["references"]]
    return {**grid, "candidate": page.number_of(grid["candidate"]), "references": named}


def _scores(run: RunData, segments: Mapping[str, Mapping[str, Any]], page: _Page) -> list[dict[str, Any]]:
    """Return the scores of the segments that have texts, those of the first preprocessing and references first."""
    score_blocks = []
    room = int(_SCORES_SHARE * page.room)
    for block in run.scores:
        if (block.level, block.kind) == ("segment", "system") and block.key.corpus in segments:
            score_block = _block(block, segments[block.key.corpus])
            room -= size_of(score_block)
            if room < 0:
                break
            score_blocks.append(score_block)
    return score_blocks


def _block(block: ScoreBlock, segments: Mapping[str, Any]) -> dict[str, Any]:
    values = zip(block.units, block.values.tolist(), strict=True)
    return {
        **fields_of(block.key, *_SCORE_KEY),
        "names": block.names,
        "values": {unit: [short(value) for value in row] for unit, row in values if unit in segments},
    }
