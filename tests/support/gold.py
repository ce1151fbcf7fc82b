"""Figures of the original programs, and real corpora.

The figures on texts of our own stand in ``tests/gold``. Data of others may not be passed on: they are read from the
directory that METAEVAL_TEST_DATA names, with folders ``gold``, ``corpora``, ``raw`` and ``published``.
"""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from metaeval.datamodel.corpus import FloatArray, Segments
from metaeval.text.encoding import encode as encode_texts
from metaeval.text.preprocessing import get_preprocessing

GOLD = Path(__file__).parents[1] / "gold"


def of_others(path: str) -> Path:
    """Return where data of others stand; a test that asks for what is not there is skipped, or fails where it must run.

    The reason is the same for all, so that pytest names their number in one line.
    """
    directory = os.environ.get("METAEVAL_TEST_DATA")
    if directory is not None and (found := Path(directory) / path).exists():
        return found
    if os.environ.get("METAEVAL_REQUIRE_TEST_DATA") == "1":
        pytest.fail(f"METAEVAL_TEST_DATA={directory} must have {path}, because METAEVAL_REQUIRE_TEST_DATA is 1")
    pytest.skip(
        "data of others are read from METAEVAL_TEST_DATA=DIR, which is not set or lacks them (CONTRIBUTING.md)",
        allow_module_level=True,
    )


def gold(path: str) -> Path:
    """Return where a gold file stands: ``seg60`` is text of others."""
    return of_others(f"gold/{path}") if "seg60" in path else GOLD / path


def rows(path: str) -> list[dict[str, str]]:
    """Return the rows of a gold table; there is at least one."""
    with gold(path).open(encoding="utf-8", newline="\n") as file:
        found = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    assert found, path
    return found


def stats_scores(column: str) -> FloatArray:
    """Return a column of the scores that the figures of statistics are of: (systems, segments)."""
    table = rows("stats/scores.tsv")
    assert len(table) == 240
    return np.array([float(row[column]) for row in table]).reshape(8, 30)


def stats_gold(name: str) -> Any:
    """Return a file of the figures of statistics."""
    return json.loads((GOLD / "stats" / name).read_text())


def lines(path: Path) -> tuple[str, ...]:
    """Return the lines of a gold input."""
    return tuple(path.read_bytes().decode().split("\n")[:-1])


@cache
def inputs(name: str, preprocessing: str = "case") -> tuple[dict[str, Segments], dict[str, Segments]]:
    """Return the candidates and references of a gold input set, encoded together."""
    folder = gold(f"inputs/{name}")
    candidates = {path.name.split(".")[1]: path for path in sorted(folder.glob("hyp.*.txt"))}
    references = {path.name.split(".")[1]: path for path in sorted(folder.glob("ref.*.txt"))}
    assert candidates
    assert references
    encoded = iter(
        encode_texts(
            get_preprocessing(preprocessing), [lines(path) for path in (*candidates.values(), *references.values())]
        )
    )
    return {key: next(encoded) for key in candidates}, {key: next(encoded) for key in references}


@cache
def statistics_of(name: str, candidate: str, references: str, metric: Any, preprocessing: str = "case") -> FloatArray:
    """Return what a metric counts in a gold input set: (segments, statistics); references are joined by +."""
    candidates, known = inputs(name, preprocessing)
    return metric.statistics(candidates[candidate], metric.prepare([known[one] for one in references.split("+")]))


def encode(*texts: Sequence[str | None], preprocessing: str = "case") -> Iterator[Segments]:
    """Encode several texts together."""
    yield from encode_texts(get_preprocessing(preprocessing), texts)
