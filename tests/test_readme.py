"""The README points to what there is, and its numbers are those of its script; tests/docs runs its commands."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

import metaeval
from metaeval.papers.config import load_config
from tests.support.gold import of_others

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.long
def test_the_table_holds_the_coefficients_that_its_script_finds(tmp_path, monkeypatch):
    # The stars rest on 10,000 replicates, and are not made again here.
    spec = importlib.util.spec_from_file_location("headline_results", ROOT / "scripts" / "headline_results.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    monkeypatch.setenv("METAEVAL_CACHE", str(tmp_path))
    for name in {corpus for corpus, _, _ in script.COLUMNS}:
        metaeval.fetch_corpus(name, of_others("raw"))
    rows = script.headline_rows(n_resamples=2)
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


def test_every_key_of_the_config_is_explained():
    from dataclasses import fields, is_dataclass
    from typing import get_type_hints

    from metaeval.papers.claims.settings import ClaimSettings
    from metaeval.papers.config import Printed
    from metaeval.papers.examples import ExampleSettings
    from metaeval.schema import Experiment

    text = (ROOT / "docs" / "experiments.md").read_text(encoding="utf-8")
    hints = get_type_hints(Experiment)
    for item in fields(Experiment):
        if is_dataclass(hints[item.name]):
            for inner in fields(hints[item.name]):
                assert f"`{item.name}.{inner.name}`" in text
        else:
            assert f"`{item.name}`" in text or f"`[[{item.name}]]`" in text
    assert "`[[panels]]`" in text
    for item in fields(Printed):
        assert f"`{item.name}`" in text or f"`[[{item.name}]]`" in text
    for item in fields(ClaimSettings):
        assert f"`{item.name}`" in text.partition("## Claims")[2]
    for item in fields(ExampleSettings):
        assert f"{item.name} = " in text.partition("## Worked examples")[2]
