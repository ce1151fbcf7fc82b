"""Long sentences of messages stand in a file: each is used, and each that is used is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from metaeval.corpora import problems
from metaeval.corpora.problems import sentence
from metaeval.resources import tables_of

FOLDER = Path(problems.__file__).parent
USED = {
    name
    for path in FOLDER.rglob("*.py")
    for name in re.findall(r'sentence\(\s*"(\w+)"', path.read_text(encoding="utf-8"))
}


def test_each_sentence_is_used_and_there():
    assert set(tables_of(problems.__file__)) == USED


def test_a_sentence_takes_its_facts():
    assert sentence("no_judge", name="unnamed", typed="this") == (
        "has no column judge, so that all scores are those of one judge, 'unnamed'; this names one."
    )
    with pytest.raises(KeyError):
        sentence("no_judge", name="unnamed")
