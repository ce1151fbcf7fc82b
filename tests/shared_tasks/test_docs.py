"""The command of the docs that runs a published task, on a small tree of that name."""

from __future__ import annotations

import pytest

from metaeval.cli import main
from tests.docs.pages import DOCS, commands
from tests.support import examples

COMMANDS = commands((DOCS / "shared-tasks.md").read_text(encoding="utf-8").partition("## A published task")[2])


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_of_the_docs(command, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mt-metrics-eval-v2").mkdir()
    tree = examples.tree(tmp_path / "mt-metrics-eval-v2" / "wmt23")
    (tree / "human-scores/en-de.mqm.sys.score").write_text("A\t-1.5\nB\t-0.5\n", encoding="utf-8")
    assert main([*command.split()[1:], "--set", "uncertainty.n_resamples=60"]) == 0
    assert "4 tasks, 1 metric" in capsys.readouterr().out
    rows = (tmp_path / "runs/wmt23/tasks.tsv").read_text(encoding="utf-8").splitlines()
    assert {row.split("\t")[1] for row in rows[1:]} == {"en-de"}
