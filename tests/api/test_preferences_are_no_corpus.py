"""Preferences are no ratings of a corpus: the error names the functions that read them."""

from __future__ import annotations

import pytest

import metaeval
from metaeval.errors import CorpusError


def test_the_error_names_the_functions_that_read_preferences(tmp_path):
    path = tmp_path / "arena.csv"
    path.write_text("question,judge,model_a,model_b,winner\n1,ann,x,y,model_a\n2,ann,x,y,tie\n", encoding="utf-8")
    with pytest.raises(CorpusError, match=r"; `metaeval\.judge\(\)` and `metaeval\.agreement\(\)` read preferences\."):
        metaeval.load_corpus(path)
