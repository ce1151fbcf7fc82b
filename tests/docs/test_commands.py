"""Every command, file and Python block of the documentation is run as it stands there."""

from __future__ import annotations

import configparser
import importlib
import inspect
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from metaeval.cli import main
from metaeval.papers.config import load_config
from tests.docs.pages import DOCS, ROOT, blocks, commands, play, written

# Whose tests run the commands of a page. All others are played here.
TESTED_BY = {
    "docs/agreement.md": "tests.ratings.agreement.test_corpus_agreement",
    "docs/corpora.md": "tests.cli.test_corpus",
    "docs/experiments.md": "tests.test_experiments_doc",
    "docs/figures.md": "tests.test_figures_doc",
    "docs/papers.md": "tests.test_papers_doc",
    "docs/neural-metrics.md": "tests.user_code.test_neural_metrics",
    "docs/shared-tasks.md": "tests.shared_tasks.test_docs",
    "docs/your-metric.md": "tests.user_code.test_your_metric",
}
# The steps of these pages need the files that the pages show, and are played from the beginning to that heading.
PLAYED = {
    "README.md": "",
    "docs/quick-start.md": "",
    "docs/reading-the-numbers.md": "",
    "docs/judges.md": "",
    "docs/quality-bands.md": "",
    "docs/report.md": "",
    "docs/cache.md": "",
    "docs/tutorials/claim.md": "",
    "docs/tutorials/figure.md": "",
    "docs/tutorials/metric.md": "",
    "docs/tutorials/spreadsheet.md": "",
    "docs/clusters.md": "",
    "docs/agreement.md": "## A corpus",
    "docs/corpora.md": "## Every way in",
    "docs/shared-tasks.md": "## A published task",
}
# A page that is played from a heading on; what stands before needs data of others, and has a test of its own.
BEGINS = {"README.md": "## Install"}
TEMPLATE = DOCS / "template-metric"
# The one block of Python there needs more than to run: its own tests look at what it prints.
PYTHON_TESTED_BY = {"docs/experiments.md": "tests.test_experiments_doc"}
NAMES = [path.relative_to(ROOT).as_posix() for path in written()]


def page(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def played(name: str) -> str:
    """Return the part of a page that is played here."""
    text, heading = page(name), PLAYED[name]
    if name in BEGINS:
        assert BEGINS[name] in text
        text = text[text.index(BEGINS[name]) :]
    assert heading in text
    return text.partition(heading)[0] if heading else text


@pytest.mark.parametrize("name", PLAYED)
def test_a_page_does_and_prints_what_it_shows(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    play(played(name), with_commands=True)


def others_with_python() -> list[str]:
    docs = [name for name in NAMES if name.startswith("docs/") and name not in {*PLAYED, *PYTHON_TESTED_BY}]
    return [name for name in docs if any(block.kind == "python" for block in blocks(page(name)))]


@pytest.mark.parametrize("name", others_with_python())
def test_python_of_a_page(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    play(page(name), with_commands=False)
    for block in blocks(page(name)):
        if block.kind == "python" and block.file is not None:
            run = [sys.executable, block.file]
            done = subprocess.run(run, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr


def test_python_that_is_tested_elsewhere_is_tested_there():
    for name, module in PYTHON_TESTED_BY.items():
        source = inspect.getsource(importlib.import_module(module))
        assert sum(block.kind == "python" for block in blocks(page(name))) == source.count("exec(compile(")
        assert 'if kind == "python"' in source
        assert "exec(" in source


def run_by(name: str) -> list[str]:
    """Return the commands that the tests of a page run: those that a test is parametrised with, or goes through."""
    module = importlib.import_module(TESTED_BY[name])
    functions = [item for key, item in vars(module).items() if key.startswith("test_")]
    marks = [mark for function in functions for mark in getattr(function, "pytestmark", [])]
    given = [mark.args[1] for mark in marks if mark.name == "parametrize" and mark.args[0] == "command"]
    run = [[getattr(value, "values", [value])[0] for value in values] for values in given]
    assert module.COMMANDS in run or "for command in COMMANDS" in inspect.getsource(module)
    return module.COMMANDS


def test_every_command_of_every_page_is_run_by_a_test():
    in_pages = {(name, command) for name in NAMES for command in commands(page(name))}
    run = {(name, command) for name in TESTED_BY for command in run_by(name)}
    run |= {(name, command) for name in PLAYED for command in commands(played(name))}
    template = (TEMPLATE / "README.md").relative_to(ROOT).as_posix()
    run |= {(template, command) for command in TEMPLATE_COMMANDS}
    # tests/test_readme.py plays what stands before the heading at which the page begins here.
    run |= {(name, command) for name, head in BEGINS.items() for command in commands(page(name).partition(head)[0])}
    assert len(in_pages) > 40
    assert in_pages - run == set()


# The package to begin with.

TEMPLATE_COMMANDS = commands((TEMPLATE / "README.md").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Return a directory in which the template lies as pip would put it there."""
    site = tmp_path_factory.mktemp("site")
    project = tomllib.loads((TEMPLATE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (site / "template_metric.py").write_bytes((TEMPLATE / "template_metric.py").read_bytes())
    info = site / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    entry_points = configparser.ConfigParser()
    entry_points.read_dict(project["entry-points"])
    with (info / "entry_points.txt").open("w") as file:
        entry_points.write(file)
    return site


@pytest.mark.parametrize("command", TEMPLATE_COMMANDS)
def test_commands_of_the_template(command, installed, tmp_path):
    words = shlex.split(command, comments=True)[1:]
    small = ["--resamples", "50", "--ceiling", "0", "--quiet"] if words[0] == "compare" else []
    environment = {**os.environ, "PYTHONPATH": f"{installed}{os.pathsep}{ROOT}"}
    run = [sys.executable, "-m", "metaeval", *words, *small]
    done = subprocess.run(run, capture_output=True, text=True, env=environment, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr
    assert "length-ratio" in done.stdout or "Length ratio" in done.stdout


# What stands in running text and tables.


def test_experiments_that_the_papers_page_names_can_be_loaded():
    inline = re.findall(r"(?<!`)`(metaeval run [^`]+)`", page("docs/papers.md"))
    assert len(inline) >= 12
    for command in inline:
        words = shlex.split(command)[2:]
        name, *options = words
        overrides = [value for flag, value in zip(options[::2], options[1::2], strict=True) if flag == "--set"]
        assert set(options[::2]) <= {"--set", "--corpus"}
        if name != "NAME":
            assert load_config(name, overrides=overrides).name == name


@pytest.mark.parametrize(
    ("file", "right", "wrong"),
    [
        ("my-texts/systems/B.txt", "there is rain to north\n", ""),
        ("scores.csv", "1,A,anna,5,5", "1,A,anna,6,5"),
        ("scores.csv", "1,A,anna,5,5", "1,a,anna,5,5"),
        ("scores.csv", "1,A,anna,5,5", "4,A,anna,5,5"),
        ("scores.csv", "2,C,ben,1,2\n", "2,C,ben,1,2\n1,A,anna,5,5\n"),
    ],
)
def test_what_the_page_says_of_wrong_files_is_what_is_said(file, right, wrong, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text = played("docs/corpora.md")
    for block in blocks(text):
        if block.file is not None:
            block.write()
    content = Path(file).read_text()
    assert right in content
    Path(file).write_text(content.replace(right, wrong, 1))
    (convert,) = (line for line in commands(text) if line.startswith("metaeval corpus convert"))
    assert main(shlex.split(convert)[1:]) == 3
    told = capsys.readouterr().err
    shown = re.findall(r"\| `([^`]+)` \|$", text.partition("| likely cause |")[2], re.MULTILINE)
    assert len(shown) == 5
    assert [one in told for one in shown].count(True) == 1
