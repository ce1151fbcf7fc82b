"""The README points to what there is, and its numbers are those of its script; tests/docs runs its commands."""

from __future__ import annotations

import re
import tarfile
from pathlib import Path

import pytest

from metaeval.papers.config import load_config
from tests.docs.pages import play
from tests.support.gold import of_others
from tests.support.scripts import load_script

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.long
def test_the_table_holds_what_its_script_finds(tmp_path, monkeypatch):
    # The ranks by WMT's permutations are those of tests/shared_tasks, and are not made again here.
    script = load_script("headline_results")
    monkeypatch.setenv("METAEVAL_CACHE", str(tmp_path))
    for pair in script.PAIRS:
        with tarfile.open(of_others("corpora/wmt23") / f"wmt23-{pair}.tar.xz") as archive:
            archive.extractall(tmp_path, filter="data")
    rows = script.headline_rows(tmp_path / "wmt23", permutations=20)
    assert len(rows) == 8
    lines = {line.split(" | ")[0].removeprefix("| "): line.split(" | ") for line in TEXT.splitlines() if " | " in line}
    for row in rows:
        metric, average, _rank, *coefficients = row.values()
        shown = lines[metric]
        assert [shown[1], *shown[3:]] == [average, *coefficients[:-1], f"{coefficients[-1]} |"]


def test_the_first_commands_print_what_they_show(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("METAEVAL_CACHE", str(tmp_path / "cache"))
    fetch = "metaeval corpus fetch webnlg2020-en"
    first = TEXT.partition("## Install")[0]
    assert fetch in first
    play(first.replace(fetch, f"{fetch} --from {of_others('raw')} --quiet"), with_commands=True)
    written = {path.name for path in (tmp_path / "runs/mine").rglob("*") if path.is_file()}
    assert {"report.html", "intervals.png", "tables.tex", "methods.tex"} <= written


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
