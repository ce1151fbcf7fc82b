from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from metaeval.corpora.catalogue import check_corpus, load_corpus

ROOT = Path(__file__).parents[2]


def test_the_shipped_corpus_is_what_its_script_makes(tmp_path):
    subprocess.run([sys.executable, ROOT / "scripts" / "make_demo_corpus.py", tmp_path], check=True)
    made = {path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*.*")}
    shipped = {path.relative_to(ROOT / "data/demo"): path.read_bytes() for path in (ROOT / "data/demo").rglob("*.*")}

    assert len(made) == 14
    assert made == shipped


def test_the_shipped_corpus_is_in_order_and_says_what_it_is():
    _, problems = check_corpus("demo")

    assert problems.found == []
    assert "no evidence about any claim" in load_corpus("demo").facts["notes"]
