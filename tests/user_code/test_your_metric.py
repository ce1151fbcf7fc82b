"""Metrics of installed packages, and the guide: its files are written, and its commands run, as they stand there."""

from __future__ import annotations

import itertools
import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from metaeval import api
from metaeval.cli import main
from metaeval.datamodel.corpus import Corpus
from tests.support.plugins import in_a_directory_of_its_own, measured, module

__all__ = ["in_a_directory_of_its_own"]

ROOT = Path(__file__).parents[2]


# Installed packages.


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Return a directory with the template and a broken package in it, installed without the network."""
    base = tmp_path_factory.mktemp("packages")
    shutil.copytree(ROOT / "docs" / "template-metric", base / "template")
    install = ["install", "-q", "--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check"]
    command = [sys.executable, "-m", "pip", *install, "--target", str(base / "site"), str(base / "template")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    broken = base / "site" / "broken-1.0.dist-info"
    broken.mkdir()
    (broken / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (broken / "entry_points.txt").write_text("[metaeval.metrics]\nbroken = no_such_module_at_all:f\nbleu = x:y\n")
    return base


def metaeval(installed: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": f"{installed / 'site'}{os.pathsep}{ROOT}"}
    command = [sys.executable, "-m", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


def test_metrics_of_packages_have_names_like_ours(installed):
    listed = metaeval(installed, "metaeval", "metrics", "list", "--format", "tsv")
    rows = [line.split("\t") for line in listed.stdout.splitlines()]
    assert ["length-ratio", "", "", "", "metaeval-template-metric 0.1.0"] in rows
    assert ["broken", "", "", "", "broken 1.0"] in rows
    Path("c.txt").write_text("ab\nabc\n")
    Path("r.txt").write_text("abcd\nxyz\n")
    files = ["-c", "c.txt", "-r", "r.txt", "--format", "tsv", "--signature"]
    scored = metaeval(installed, "metaeval", "score", "-m", "length-ratio(power=2)", "bleu(order=1)", *files)
    # (2 / 4) squared and 1, their mean; a name of ours stays ours.
    _, first, second = (line.split("\t") for line in scored.stdout.splitlines())
    assert first[:3] == ["Length ratio(power=2)", "", "0.625"]
    assert re.match(r"length_ratio\|power:2\|package:metaeval-template-metric-0.1.0\|file:[0-9a-f]{8}\|", first[3])
    assert second[1:3] == ['case(tokenizer="13a")', "0.0"]


def test_a_broken_package_is_told_when_it_is_used(installed):
    used = metaeval(installed, "metaeval", "metrics", "show", "broken")
    assert used.returncode == 1
    assert (
        "metric 'broken': broken 1.0: loading it: ModuleNotFoundError: No module named 'no_such_module" in used.stderr
    )
    known = metaeval(installed, "metaeval", "metrics", "show", "length-ration")
    assert known.returncode == 2
    assert "did you mean 'length-ratio'" in known.stderr


def test_the_template_passes_its_own_test(installed):
    done = metaeval(installed, "pytest", "-q", "-p", "no:cacheprovider", str(installed / "template"))
    assert "2 passed" in done.stdout, done.stdout + done.stderr


# The guide.

GUIDE = (ROOT / "docs" / "your-metric.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", GUIDE, re.DOTALL)
COMMANDS = [line for kind, block in BLOCKS if kind == "sh" for line in block.splitlines()]


def write_guide() -> None:
    """Write the files of the guide."""
    for kind, block in BLOCKS:
        head = re.match(r"# (\w+\.py)\n", block)
        if kind == "python":
            assert head is not None, block
            module(block, head[1])
    truth = next(one for one in api.load_corpus("demo").scores if one.name == "adequacy-0.55")
    lines = [
        f"{s}\t{n + 1}\t{x}" for s, row in zip(truth.systems, truth.values, strict=True) for n, x in enumerate(row)
    ]
    Path("all-scores.tsv").write_text("\n".join(["system\tsegment\tscore", *lines]) + "\n")


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_of_the_guide(command, capsys, monkeypatch):
    write_guide()
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    words = shlex.split(command, comments=True)[1:]
    small = ["--resamples", "50", "--ceiling", "0", "--quiet"] if words[0] == "compare" else []
    assert main([*words, *small]) == 0
    out, err = capsys.readouterr()
    named = words[words.index("-m") + 1 :] if "-m" in words else words[-1:]
    named = list(itertools.takewhile(lambda word: not word.startswith("--"), named))
    titles = {
        "errors.py:missing(weight=0.5)": "Missing words(weight=0.5)",
        'program(command="python score.py",name="mine")': "mine",
        "scores:all-scores.tsv": "all-scores",
        "scores:all-scores.tsv(higher_is_better=False)": "all-scores",
    }
    for name in named:
        assert titles.get(name, name.rpartition(":")[2]).lower() in out.lower(), name
    assert "left out" not in err


def test_functions_of_the_guide():
    write_guide()
    one = replace(
        Corpus.of_texts({"A": ["the cat sat", "no"]}, {"r": ["a cat sat", "yes"], "q": ["the dog", None]}),
        sources=("abc", "ja"),
    )
    # Two of three words are in the first reference; none of one.
    assert measured("my_metric.py:words", one, ("r", "q"))[0] == [pytest.approx(2 / 3), 0]
    # "a" is missing of the first reference, "dog" of the second; half of that.
    assert measured("errors.py:missing(weight=0.5)", one, ("r", "q"))[0] == [0.5, 0.5]
    # "the" is worth 0.1, any other word 1.
    assert measured("neural.py:batch", one, ("r",))[0] == [pytest.approx(2.1), 1]
    assert measured("quality.py:quality", one, ())[0] == [3 / 11, 1]
    # the, cat, sat, no: of the whole system, whatever the segment.
    assert measured("diversity.py:types", one, ())[0] == [4, 4]


def test_links_of_the_guide():
    links = re.findall(r"\]\(([^)#]+)\)", GUIDE)
    assert links
    assert [link for link in links if not (ROOT / "docs" / link).exists()] == []
