"""Every command of the README and the docs is run as it stands there."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

import metaeval
from metaeval.cli import main
from tests.support.corpus import TOML, judgments, write

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", TEXT, re.DOTALL)
COMMANDS = [
    line for kind, block in BLOCKS if kind == "sh" for line in block.splitlines() if line.startswith("metaeval ")
]


def test_the_readme_was_read():
    assert len(COMMANDS) == 15


@pytest.fixture(scope="module")
def finished_runs(tmp_path_factory):
    """Two small runs that differ in their criteria, as the commands for finished runs name them."""
    directory = tmp_path_factory.mktemp("finished") / "runs"
    quick = ["uncertainty.n_resamples=10", 'metrics=["ter"]', "figures=[]"]
    metaeval.run("system-level", overrides=quick, output=directory / "system")
    metaeval.run("system-level", overrides=[*quick, 'criteria=["fluency"]'], output=directory / "other")
    return directory


@pytest.mark.parametrize("command", COMMANDS)
def test_commands(command, tmp_path, monkeypatch, request):
    monkeypatch.chdir(tmp_path)
    if command.startswith(("metaeval report", "metaeval diff")):
        shutil.copytree(request.getfixturevalue("finished_runs"), tmp_path / "runs")
    table = "\n".join(judgments()).replace("errors", "Fluency") + "\n"
    description = TOML.replace("errors", "Fluency")
    long = {name: "\n".join(f"{name} says {n} of the words" for n in range(60)) + "\n" for name in ("A", "B", "C")}
    rows = [row.split("\t", 1) for row in table.splitlines()[1:] if row.startswith("1\t")]
    many = "\n".join([table.splitlines()[0], *(f"{n}\t{rest}" for n in range(1, 61) for _, rest in rows)]) + "\n"
    files = {f"systems__{name}": text for name, text in long.items()}
    write(
        tmp_path / "DIR",
        corpus=description,
        judgments=many,
        references__ref1=None,
        references__ref2=None,
        references__refA=long["A"],
        **files,
    )
    for name in ("system", "ref1", "ref2"):
        (tmp_path / f"{name}.txt").write_text(long["A"])
    assert main(shlex.split(command, comments=True)[1:]) == 0


def test_python(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (code,) = (block for kind, block in BLOCKS if kind == "python")
    exec(compile(code, "README.md", "exec"), {})
    assert "inter-judge" in capsys.readouterr().out


def test_files_that_the_readme_points_to_exist():
    links = re.findall(r"\]\(([^)#]+)\)", TEXT)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_every_key_of_the_config_is_explained():
    from dataclasses import fields, is_dataclass
    from typing import get_type_hints

    from metaeval.experiments.claims.settings import ClaimSettings
    from metaeval.experiments.config import Experiment
    from metaeval.experiments.examples import ExampleSettings
    from metaeval.experiments.load import Printed

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
