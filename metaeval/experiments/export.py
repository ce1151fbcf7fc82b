"""Everything behind the figures of a run, as tidy rows: scores of documents, and coefficients of documents."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from metaeval.errors import CorpusError, UsageError, unknown
from metaeval.experiments.cells import Row
from metaeval.experiments.directory import INDEX

WHAT = ("scores", "coefficients")
_PLACE = ("panel", "corpus", "preprocessing", "subset", "criterion", "length", "metric")


def export_rows(
    directory: Path,
    what: str = "scores",
    *,
    metrics: Sequence[str] = (),
    criteria: Sequence[str] = (),
    lengths: Sequence[int] = (),
) -> Iterator[Row]:
    """Give the rows of a run.

    Parameters
    ----------
    directory : Path
        Of a run.
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
        If the directory holds no run, or a name is none of the run.
    CorpusError
        If the files of the run do not belong together.
    """
    if what not in WHAT:
        raise UsageError(unknown("table", what, WHAT))
    try:
        index = json.loads((directory / INDEX).read_text(encoding="utf-8"))["arrays"]
        arrays = np.load(directory / "documents.npz")
    except OSError as error:
        raise UsageError(f"{directory}: is no directory of a run: {error.filename} cannot be read.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise CorpusError(f"{directory / INDEX}: is not what a run writes: {error}.") from error
    for kind, wanted, known in (
        ("metric", metrics, [item["metric"] for item in index]),
        ("criterion", criteria, [item["criterion"] for item in index]),
        ("length", lengths, [item["length"] for item in index]),
    ):
        for name in wanted:
            if name not in known:
                plural = "criteria" if kind == "criterion" else None
                raise UsageError(f"{directory}: {unknown(kind, name, dict.fromkeys(known), plural)}")
    for item in index:
        chosen = (
            (not metrics or item["metric"] in metrics)
            and (not criteria or item["criterion"] in criteria)
            and (not lengths or item["length"] in lengths)
        )
        if chosen:
            try:
                yield from _scores(item, arrays) if what == "scores" else _coefficients(item, arrays)
            except KeyError as error:
                raise CorpusError(f"{directory}: documents.npz lacks what {INDEX} names: {error}.") from error


def _scores(item: dict[str, Any], arrays: Any) -> Iterator[Row]:
    scores, human = arrays[item["scores"]], arrays[item["human"]]
    segments = None if item["segments"] is None else arrays[item["segments"]]
    of_subsets = scores if scores.ndim == 3 else scores[np.newaxis]
    names = item["subsets"] or [item["subset"]]
    for name, found in zip(names, of_subsets, strict=True):
        for document, (of_systems, people) in enumerate(zip(found.tolist(), human.tolist(), strict=True)):
            head = (
                {key: item[key] for key in _PLACE if key in item}
                | {"subset": name}
                | _document(item, segments, document)
            )
            for system, score, said in zip(item["systems"], of_systems, people, strict=True):
                yield {**head, "system": system, "score": score, "human": said}


def _coefficients(item: dict[str, Any], arrays: Any) -> Iterator[Row]:
    segments = None if item["segments"] is None else arrays[item["segments"]]
    for coefficient, path in item["coefficients"].items():
        values = arrays[path].tolist()
        for number, value in enumerate(values):
            unit: Row = {"document": "", "segments": "", "system": ""}
            if item["average_by"] == "item":
                unit |= _document(item, segments, number)
            elif item["average_by"] == "system":
                unit |= {"system": item["systems"][number]}
            yield {
                **{key: item[key] for key in _PLACE if key in item},
                **unit,
                "coefficient": coefficient,
                "value": value,
            }


def _document(item: dict[str, Any], segments: Any, number: int) -> Row:
    """Return the label of a document, its number where it has none, and the numbers of its segments."""
    label = item["documents"][number] if item["documents"] else str(number + 1)
    # The whole corpus is no news in every row.
    held = "" if segments is None or label == "all" else " ".join(map(str, segments[number].tolist()))
    return {"document": label, "segments": held}
