"""The commands of docs/figures.md, as they stand there, and its table of kinds."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from metaeval.cli import main
from metaeval.components.registries import FIGURES

TEXT = (Path(__file__).parents[1] / "docs" / "figures.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", TEXT, re.DOTALL)
COMMANDS = [line for kind, block in BLOCKS if kind == "sh" for line in block.splitlines()]


def test_every_kind_is_explained():
    first = [line.split("|")[1].strip(" `") for line in TEXT.splitlines() if line.startswith("| `")]
    assert first == list(FIGURES)


def test_commands_do_and_print_what_the_page_shows(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for command in COMMANDS:
        assert main(shlex.split(command)[1:]) == 0, command
        out = capsys.readouterr().out
        if command.startswith("metaeval grid"):
            (shown,) = (block for kind, block in BLOCKS if kind == "text")
            assert out.startswith(shown)
    names = {path.name for path in (tmp_path / "runs" / "pictures" / "figures").iterdir()}
    assert {"heat-table_pearson.png", "scatter_adequacy.pdf", "agreement-column_fluency.png"} <= names
    assert {name for name in names if "-acl" in name} == {
        f"intervals-acl_{one}.{suffix}" for one in ("pearson", "spearman") for suffix in ("pdf", "tex", "txt")
    }
    assert {path.name[:21] for path in (tmp_path / "my-paper").iterdir()} == {"intervals-differences"}
    assert (tmp_path / "grid.svg").exists()


def test_the_python_of_the_page_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (code,) = (block for kind, block in BLOCKS if kind == "python" and "compare" in block)
    exec(code, {})
    assert (tmp_path / "differences.pdf").exists()
