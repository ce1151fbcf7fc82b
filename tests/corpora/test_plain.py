"""Files of lines that are scored without a corpus."""

from __future__ import annotations

import re

import pytest

from metaeval.corpora.line_files import read_plain
from metaeval.errors import CorpusError


@pytest.fixture
def texts(tmp_path):
    (tmp_path / "refs").mkdir()
    for name in ("c.txt", "refs/a.txt", "refs/b.txt"):
        (tmp_path / name).write_text("one\ntwo\n")
    return tmp_path


def test_the_texts_of_a_directory_are_references_in_alphabetical_order(texts):
    candidates, references, messages = read_plain([texts / "c.txt"], [texts / "refs"])
    assert candidates == {f"{texts}/c.txt": ("one", "two")}
    assert list(references) == [f"{texts}/refs/a.txt", f"{texts}/refs/b.txt"]
    assert messages == []


def test_a_reference_that_its_directory_holds_too_is_named_twice(texts):
    files = [str(texts / "refs" / name) for name in ("a.txt", "b.txt", "a.txt")]
    with pytest.raises(CorpusError, match=re.escape(f"a file is named twice among {', '.join(files)}.")):
        read_plain([texts / "c.txt"], [texts / "refs", texts / "refs" / "a.txt"])
