"""The README points to what there is, and its numbers are those of its script; tests/docs runs its commands."""

from __future__ import annotations

import importlib.util
import re
import tarfile
from pathlib import Path

import pytest

import metaeval
from metaeval.papers.config import load_config
from tests.support.gold import of_others

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.long
def test_the_table_holds_the_coefficients_that_its_script_finds(tmp_path, monkeypatch):
    # The stars rest on 2,000 replicates, and are not made again here.
    spec = importlib.util.spec_from_file_location("headline_results", ROOT / "scripts" / "headline_results.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    monkeypatch.setenv("METAEVAL_CACHE", str(tmp_path))
    for name in ("summeval", "webnlg2020-en"):
        metaeval.fetch_corpus(name, of_others("raw"))
    for pair in ("en-de", "zh-en"):
        with tarfile.open(of_others("corpora/wmt23") / f"wmt23-{pair}.tar.xz") as archive:
            archive.extractall(tmp_path, filter="data")
    rows = script.headline_rows(tmp_path / "wmt23", n_resamples=2)
    lines = ["| " + " | ".join(value.rstrip("\\*") for value in row.values()) + " |" for row in rows]
    plain = TEXT.replace("\\*", "")
    assert len(lines) == 7
    assert [line for line in lines if line not in plain] == []


def test_the_config_of_the_figure_can_be_loaded():
    config = load_config(ROOT / "docs" / "images" / "webnlg2020.toml")
    assert config.experiment.corpora == ("webnlg2020-en",)


def test_files_that_the_readme_points_to_exist():
    links = re.findall(r"\]\(([^)#]+)\)", TEXT)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_every_table_and_every_key_at_the_top_is_named():
    from dataclasses import fields

    from metaeval.config.schema import Experiment
    from metaeval.papers.config import Printed

    # What each key means stands in the reference (tests/docs/test_site.py).
    text = (ROOT / "docs" / "experiments.md").read_text(encoding="utf-8").partition("## Panels")[0]
    for name in ["panels", *(item.name for cls in (Experiment, Printed) for item in fields(cls))]:
        assert any(f"`{written}`" in text for written in (name, f"[{name}]", f"[[{name}]]")), name
