"""Plug-ins that tests write to the current directory, and texts to measure them on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from metaeval.datamodel.corpus import Corpus
from metaeval.metrics import get_metric
from metaeval.user_code import importing

# The last segment has no reference; the second system lacks a text.
TEXTS = Corpus.of_texts(
    {"A": ["a b", "c", ""], "B": ["a", None, "x y z"]}, {"r": ["a", "c d", None], "q": [None, "e", None]}
)


@pytest.fixture(autouse=True)
def in_a_directory_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Change to an empty directory, and forget the modules of plug-ins afterwards."""
    monkeypatch.chdir(tmp_path)
    yield
    importing._IMPORTED.clear()


def module(code: str, name: str = "mine.py") -> None:
    """Write a file of Python."""
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(code, encoding="utf-8")


def measured(text: str, corpus: Corpus = TEXTS, references: tuple[str, ...] = ("r", "q")) -> list[list[float]]:
    """Return the sums of segment scores: (systems, segments)."""
    found: list[list[float]] = get_metric(text).measure(corpus, references)[..., 0].tolist()
    return found
