"""Everything behind the figures of a run, as tidy rows: scores of documents, and coefficients of documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from metaeval.datamodel.corpus import IntArray
from metaeval.errors import UsageError, unknown
from metaeval.parameters.calls import spelt_as
from metaeval.results.grid import Grid
from metaeval.results.model import RunData
from metaeval.results.tables import Record, fields_of

WHAT = ("scores", "coefficients")


def export_rows(
    run: RunData,
    what: str = "scores",
    *,
    metrics: Sequence[str] = (),
    criteria: Sequence[str] = (),
    lengths: Sequence[int] = (),
) -> Iterator[Record]:
    """Yield the rows of a run.

    Parameters
    ----------
    run : RunData
    what : "scores" or "coefficients"
        ``scores``: a row for each document, system and metric, with the human score. ``coefficients``: a row for each
        coefficient that a mean is taken over.
    metrics, criteria : sequence of str
        Only these; all unless given.
    lengths : sequence of int
        Only documents of so many segments; all unless given.

    Raises
    ------
    UsageError
        If a name is none of the run, or the run is of tasks.
    """
    if what not in WHAT:
        raise UsageError(unknown("table", what, WHAT))
    if run.tables.tasks:
        raise UsageError(
            "a run of [[tasks]] keeps no scores of documents; its numbers are in tasks.tsv, averages.tsv and "
            "task_tests.tsv."
        )
    chosen = [(grid, position) for grid in run.grids for position in range(len(grid.metrics))]
    for kind, chosen_names in (("metric", metrics), ("criterion", criteria), ("length", lengths)):
        named = [(getattr(grid.key_of(position), kind), (grid, position)) for grid, position in chosen]
        names = dict.fromkeys(name for name, _ in named)
        if kind == "criterion":
            chosen_names = [spelt_as(name, names) for name in criteria]
        for name in chosen_names:
            if name not in names:
                plural = "criteria" if kind == "criterion" else None
                raise UsageError(f"the run: {unknown(kind, name, names, plural)}")
        chosen = [grid_and_position for name, grid_and_position in named if not chosen_names or name in chosen_names]
    rows_of = _scores if what == "scores" else _coefficients
    return (row for grid, position in chosen for row in rows_of(grid, position))


def _place(grid: Grid, position: int) -> Record:
    key = grid.key_of(position)
    return fields_of(key, "panel", "corpus", "preprocessing", "subset", "criterion", "length", "metric")


def _scores(grid: Grid, position: int) -> Iterator[Record]:
    scores = grid.scores(position)
    human = grid.human
    segments = grid.segments
    place = _place(grid, position)
    of_subsets = {grid.key.subset: scores} if scores.ndim == 2 else dict(zip(grid.subsets, scores, strict=True))
    for subset, of_documents in of_subsets.items():
        for document, (of_systems, people) in enumerate(zip(of_documents.tolist(), human.tolist(), strict=True)):
            head = {**place, "subset": subset, **_document(grid, segments, document)}
            for system, score, person_score in zip(grid.systems, of_systems, people, strict=True):
                yield {**head, "system": system, "score": score, "human": person_score}


def _coefficients(grid: Grid, position: int) -> Iterator[Record]:
    segments = grid.segments
    place = _place(grid, position)
    for coefficient in grid.coefficient_names:
        for number, value in enumerate(grid.coefficients(coefficient)[position].tolist()):
            unit: Record = {"document": "", "segments": "", "system": ""}
            if grid.key.average_by == "item":
                unit |= _document(grid, segments, number)
            elif grid.key.average_by == "system":
                unit |= {"system": grid.systems[number]}
            yield {**place, **unit, "coefficient": coefficient, "value": value}


def _document(grid: Grid, segments: IntArray | None, number: int) -> Record:
    """Return the label of a document, its number where it has none, and the numbers of its segments."""
    label = grid.documents[number] if grid.documents else str(number + 1)
    # The whole corpus is no news in every row.
    held = "" if segments is None or label == "all" else " ".join(map(str, segments[number].tolist()))
    return {"document": label, "segments": held}
