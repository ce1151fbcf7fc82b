"""Everything behind the figures of a run, as tidy rows: scores of documents, and coefficients of documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from metaeval.errors import UsageError, unknown
from metaeval.results.model import Array, RunData, Series
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
    """Give the rows of a run.

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
    chosen = list(run.series)
    for kind, wanted in (("metric", metrics), ("criterion", criteria), ("length", lengths)):
        known = dict.fromkeys(getattr(one.key, kind) for one in run.series)
        for name in wanted:
            if name not in known:
                plural = "criteria" if kind == "criterion" else None
                raise UsageError(f"the run: {unknown(kind, name, known, plural)}")
        chosen = [one for one in chosen if not wanted or getattr(one.key, kind) in wanted]
    give = _scores if what == "scores" else _coefficients
    return (row for one in chosen for row in give(run, one))


def _place(series: Series) -> Record:
    return fields_of(series.key, "panel", "corpus", "preprocessing", "subset", "criterion", "length", "metric")


def _scores(run: RunData, series: Series) -> Iterator[Record]:
    scores, human = run.arrays[series.scores], run.arrays[series.human]
    segments = None if series.segments is None else run.arrays[series.segments]
    of_subsets = scores if scores.ndim == 3 else scores[np.newaxis]
    for name, found in zip(series.subsets or (series.key.subset,), of_subsets, strict=True):
        for document, (of_systems, people) in enumerate(zip(found.tolist(), human.tolist(), strict=True)):
            head = {**_place(series), "subset": name, **_document(series, segments, document)}
            for system, score, said in zip(series.systems, of_systems, people, strict=True):
                yield {**head, "system": system, "score": score, "human": said}


def _coefficients(run: RunData, series: Series) -> Iterator[Record]:
    segments = None if series.segments is None else run.arrays[series.segments]
    for coefficient, path in series.coefficients.items():
        for number, value in enumerate(run.arrays[path].tolist()):
            unit: Record = {"document": "", "segments": "", "system": ""}
            if series.key.average_by == "item":
                unit |= _document(series, segments, number)
            elif series.key.average_by == "system":
                unit |= {"system": series.systems[number]}
            yield {**_place(series), **unit, "coefficient": coefficient, "value": value}


def _document(series: Series, segments: Array | None, number: int) -> Record:
    """Return the label of a document, its number where it has none, and the numbers of its segments."""
    label = series.documents[number] if series.documents else str(number + 1)
    # The whole corpus is no news in every row.
    held = "" if segments is None or label == "all" else " ".join(map(str, segments[number].tolist()))
    return {"document": label, "segments": held}
