"""What a shell offers when Tab is pressed; asked as argcomplete's shell code asks."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from argparse import Namespace
from dataclasses import fields
from importlib.metadata import entry_points

import pytest

from metaeval.cli import VERBS, completers
from metaeval.cli.command import Group
from metaeval.comparison.comparison import LEVELS
from metaeval.components.registries import COEFFICIENTS, METRICS, PREPROCESSING, READERS, TESTS
from metaeval.config.schema import Experiment
from metaeval.corpora.catalogue import known_corpora
from metaeval.corpora.download.public import public_corpora
from metaeval.corpora.simulation.presets import PRESETS
from metaeval.experiment.config_file import shipped_configs
from metaeval.papers.config import Printed
from metaeval.text.tokenizers import TOKENIZERS

COMMANDS = [one for verb in VERBS for one in (verb.commands if isinstance(verb, Group) else [verb])]
HEAVY = ("numpy", "scipy", "pandas", "matplotlib", "joblib", "sacrebleu")


def ask(line, folder, module="metaeval"):
    """Return what is offered for a command line, and what was imported for it."""
    code = (
        "import sys, os, argcomplete, metaeval.cli\n"
        "real = os._exit\n"
        f"os._exit = lambda code: (print(sorted(set({HEAVY!r}) & set(sys.modules))), sys.stdout.flush(), real(code))\n"
        "argcomplete.autocomplete.__class__.__call__.__defaults__ = tuple(\n"
        "    os._exit if one is real else one for one in argcomplete.autocomplete.__class__.__call__.__defaults__)\n"
        "metaeval.cli.main()"
    )
    answer = folder / ".answer"
    asked = {
        "COMP_LINE": line,
        "COMP_POINT": str(len(line.encode())),
        "COMP_WORDBREAKS": " \t\n\"'><=;|&(:",
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_IFS": "\n",
        "_ARGCOMPLETE_SUPPRESS_SPACE": "1",
        "_ARGCOMPLETE_STDOUT_FILENAME": str(answer),
    }
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **asked, "PYTHONPATH": os.pathsep.join(sys.path)},
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return answer.read_text(encoding="utf-8").split("\n"), done.stdout.strip()


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "system.txt").write_text("a\n", encoding="utf-8")
    (tmp_path / "mine.toml").write_text("", encoding="utf-8")
    (tmp_path / "mine.py").write_text("def good(a, b): ...\nclass Better: ...\ndef _hidden(): ...\n", encoding="utf-8")
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "corpus.toml").write_text('[[criteria]]\nname = "beauty"\n', encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("metaeval ru", ["run"]),
        ("metaeval run turian2003-c", ["turian2003-chinese"]),
        ("metaeval run m", ["melamed2003", "morgenroth2011", "mine.toml"]),
        ("metaeval run x --corpus de", ["demo"]),
        ("metaeval run x --corpus co", ["corpus/"]),
        ("metaeval run x --set documents.c", ["documents.count="]),
        ("metaeval compare --corpus demo -m gt", ["gtm"]),
        ("metaeval compare --corpus demo -m mine.", ["mine.py:", "mine.toml"]),
        # Words end at a colon in bash, so what stands before it is not repeated; here nothing tells how it splits them.
        ("metaeval compare --corpus demo -m mine.py:", ["mine.py:good", "mine.py:Better"]),
        ("metaeval compare --corpus demo --criterion ", ["adequacy", "fluency"]),
        ("metaeval compare --corpus corpus btec --criterion ", ["beauty", "grade"]),
        ("metaeval agreement --corpus summeval --criterion c", ["coherence", "consistency"]),
        ("metaeval agreement --corpus demo --judges ", ["all"]),
        ("metaeval agreement summeval --criterion c", ["coherence", "consistency"]),
        ("metaeval compare --coefficient pe", ["pearson"]),
        ("metaeval compare --test w", ["wilcoxon", "williams"]),
        ("metaeval compare --preprocessing ", ["case", "nocase", "stem"]),
        ("metaeval compare --format ", ["table", "tsv", "json", "md", "latex"]),
        ("metaeval compare --seed ", [""]),
        ("metaeval score --tokenize ro", ["rouge-1.5.5"]),
        ("metaeval score -m bleu -c sys", ["system.txt"]),
        ("metaeval corpus ch", ["check"]),
        ("metaeval corpus convert --source-format sg", ["sgml"]),
        ("metaeval completion ", ["--help", "bash", "zsh", "fish"]),
        # What is wrong before does not matter; what cannot be read is not told.
        ("metaeval run --wrong x --set documents.c", ["documents.count="]),
        ("metaeval score -m bleu -c /no/such/dir/", [""]),
        ("metaeval agreement --corpus /no/such --criterion ", [""]),
    ],
)
def test_offers(folder, line, offered):
    found, imported = ask(line, folder)
    assert found == offered
    assert imported == "[]"


def test_names_are_those_of_the_registries():
    def of(name, **typed):
        return completers.offered(name, "", Namespace(**typed))

    installed = {point.name for point in entry_points(group="metaeval.metrics")}
    assert set(of("metrics")) == {*METRICS.keys(), *installed, "scores:"}
    assert of("coefficients") == list(COEFFICIENTS)
    assert of("tests") == list(TESTS)
    assert of("preprocessing") == list(PREPROCESSING)
    assert of("tokenizers") == list(TOKENIZERS)
    assert of("formats") == list(READERS)
    assert of("levels") == list(LEVELS)
    assert of("configs") == sorted(shipped_configs())
    assert set(of("corpora")) == set(known_corpora())
    assert of("public") == sorted(public_corpora())
    assert of("presets") == list(PRESETS)
    for name, preset in PRESETS.items():
        assert tuple(of("criteria", corpora=[name])) == preset.criteria


def test_every_list_that_a_declaration_names_is_there():
    declared = [one for command in COMMANDS for one in command.arguments().values()]
    assert {name for one in declared for name in one.argument.complete.split()} == set(completers.LISTS)


def test_keys_are_those_of_the_schema():
    keys = completers.offered("config_keys", "", Namespace())
    top = {key.split(".")[0].rstrip("=") for key in keys}
    assert top == {item.name for item in (*fields(Experiment), *fields(Printed))} | {"tasks", "ranking", "by_corpus"}
    nested = {"filter", "ranking", "references", "documents", "judgments", "correlation", "uncertainty", "bands"}
    assert {key.split(".")[0] for key in keys if "." in key} == nested
    assert "uncertainty.n_resamples=" in keys
    assert all(key.endswith("=") for key in keys)


BASH = """
eval "$(PYTHONPATH={path} {python} -m metaeval completion bash)"
metaeval() {{ {python} -m metaeval "$@"; }}
line='metaeval run turian2003-c'
COMP_LINE=$line COMP_POINT=${{#line}} COMP_WORDS=($line) COMP_CWORD=2 COMP_TYPE=9
_python_argcomplete metaeval turian2003-c run
echo "${{COMPREPLY[0]}}|"
complete -p metaeval
"""


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_in_bash(tmp_path):
    script = BASH.format(python=sys.executable, path=os.pathsep.join(sys.path))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        ["bash", "--norc", "-c", script], capture_output=True, text=True, check=True, cwd=tmp_path, env=environment
    )
    answer, registered = done.stdout.splitlines()[-2:]
    assert answer == "turian2003-chinese |"
    assert registered.endswith("-F _python_argcomplete metaeval")


@pytest.mark.parametrize(("shell", "part"), [("zsh", "compdef"), ("fish", "complete --command")])
def test_code_for_each_shell(shell, part):
    done = subprocess.run(
        [sys.executable, "-m", "metaeval", "completion", shell], capture_output=True, text=True, check=True
    )
    assert part in done.stdout
    assert "metaeval" in done.stdout
