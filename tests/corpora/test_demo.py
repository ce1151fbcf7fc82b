from __future__ import annotations

from pathlib import Path

import metaeval
from metaeval.corpora.catalogue import check_corpus, find_corpus, load_corpus

DEMO = Path(__file__).parents[2] / "data" / "demo"


def test_the_shipped_corpus_is_what_its_command_makes(tmp_path):
    metaeval.simulate_corpus("demo", tmp_path / "demo", seed=20031)
    made = {path.relative_to(tmp_path / "demo"): path.read_bytes() for path in (tmp_path / "demo").rglob("*.*")}
    shipped = {path.relative_to(DEMO): path.read_bytes() for path in DEMO.rglob("*.*")}

    assert len(made) == 23
    assert made == shipped


def test_the_shipped_corpus_is_in_order_and_says_what_it_is():
    _, problems = check_corpus("demo")

    assert [item for item in problems.entries if item.severity != "note"] == []
    assert "no evidence about any claim" in load_corpus("demo").facts["notes"]


def test_a_preset_is_made_when_it_is_first_used_and_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("METAEVAL_CACHE", str(tmp_path / "cache"))
    first = find_corpus("mtc-arabic-2003")
    written = (first / "corpus.toml").stat().st_mtime_ns

    assert first.is_relative_to(tmp_path / "cache")
    assert find_corpus("mtc-arabic-2003") == first
    assert (first / "corpus.toml").stat().st_mtime_ns == written
    assert load_corpus("mtc-arabic-2003").systems == ("sys1", "sys2")
