"""docs/papers.md: its commands as they stand there, and that it tells of every experiment and claim that ships."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from metaeval.cli import main
from metaeval.experiment.config_file import shipped_configs
from metaeval.papers.config import load_config
from tests.docs.pages import with_long

TEXT = (Path(__file__).parents[1] / "docs" / "papers.md").read_text(encoding="utf-8")
COMMANDS = [line for block in re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL) for line in block.splitlines()]
PAPERS = sorted(name for name in set(shipped_configs()) - {"system-level"} if not name.startswith("wmt"))


@pytest.mark.parametrize("command", with_long(COMMANDS, "linoch-quick"))
def test_commands(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(shlex.split(command)[1:]) == 0


@pytest.mark.parametrize("name", PAPERS)
def test_every_claim_stands_in_the_docs_with_its_number_and_reading(name):
    assert f"| `{name}` |" in TEXT
    for number, claim in enumerate(load_config(name).printed.claims, start=1):
        reading = " [R]" if claim.reading else ""
        assert f"| {number} | {claim.paper}{reading} | " in TEXT
