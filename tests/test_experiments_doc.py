"""The commands and the Python of docs/experiments.md, as they stand there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from metaeval.cli import main
from metaeval.components.registries import TESTS
from tests.docs.pages import with_long

TEXT = (Path(__file__).parents[1] / "docs" / "experiments.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", TEXT, re.DOTALL)
PYTHON = [block for kind, block in BLOCKS if kind == "python"]
COMMANDS = [line for kind, block in BLOCKS if kind == "sh" for line in block.splitlines()]


@pytest.mark.parametrize("command", with_long(COMMANDS, "both-tests"))
def test_commands(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "agreement.py").write_text(PYTHON[0], encoding="utf-8")
    assert main([*shlex.split(command, comments=True)[1:], *(["--output", "runs/own"] * ("compare" in command))]) == 0
    assert next((tmp_path / "runs").iterdir()).joinpath("correlations.tsv").exists()


def test_python(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    variables = {}
    function, first, second = PYTHON
    exec(compile(function, "experiments.md", "exec"), variables)
    # Of equal scores it is 1, and of turned ones -1.
    assert [float(variables["ccc"](np.arange(4.0), sign * (np.arange(4.0) - 1.5) + 1.5)) for sign in (1, -1)] == [1, -1]
    exec(compile(first, "experiments.md", "exec"), variables)
    assert r"\toprule" in capsys.readouterr().out
    exec(compile(second, "experiments.md", "exec"), variables)
    printed = TEXT.partition(second)[2].partition("```text\n")[2].partition("```")[0]
    assert capsys.readouterr().out == printed


def test_every_test_is_explained_with_its_axes():
    for name, entry in TESTS.items():
        rows = [line for line in TEXT.splitlines() if line.startswith(f"| `{name}` |")]
        assert {axis for row in rows for axis in re.findall(r"`([^`]*)`", row.split("|")[2])} == set(entry.axes)
