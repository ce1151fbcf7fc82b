"""Figures of the original programs, and real corpora, which stand beside the checkout in ../shared."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

from metaeval.records import Segments
from metaeval.text.conditions import get_condition
from metaeval.text.encoding import encode as encode_texts

SHARED = Path(__file__).parents[3] / "shared"
GOLD = SHARED / "gold"
CORPORA = SHARED / "corpora"

needs_gold = pytest.mark.skipif(not GOLD.is_dir(), reason="the figures of the original programs (../shared) are absent")
RAW = SHARED / "raw"
needs_raw = pytest.mark.skipif(
    not RAW.is_dir(), reason="the owners' files of the public corpora (../shared/raw) are absent"
)
needs_corpora = pytest.mark.skipif(not CORPORA.is_dir(), reason="the real corpora (../shared/corpora) are absent")


def rows(path: str) -> list[dict[str, str]]:
    """Return the rows of a gold table; there is at least one."""
    with (GOLD / path).open(encoding="utf-8", newline="\n") as file:
        found = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    assert found, path
    return found


def lines(path: Path) -> tuple[str, ...]:
    """Return the lines of a gold input."""
    return tuple(path.read_bytes().decode().split("\n")[:-1])


@cache
def inputs(name: str, condition: str = "case") -> tuple[dict[str, Segments], dict[str, Segments]]:
    """Return the candidates and references of a gold input set, encoded together."""
    folder = GOLD / "inputs" / name
    candidates = {path.name.split(".")[1]: path for path in sorted(folder.glob("hyp.*.txt"))}
    references = {path.name.split(".")[1]: path for path in sorted(folder.glob("ref.*.txt"))}
    assert candidates
    assert references
    encoded = iter(
        encode_texts(get_condition(condition), [lines(path) for path in (*candidates.values(), *references.values())])
    )
    return {key: next(encoded) for key in candidates}, {key: next(encoded) for key in references}


def encode(*texts: Sequence[str | None], condition: str = "case") -> Iterator[Segments]:
    """Encode several texts together."""
    yield from encode_texts(get_condition(condition), texts)
