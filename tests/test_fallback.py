"""Without compiled kernels everything works, and says so; where they are required, their absence is an error."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings

import pytest

import metaeval as api
from metaeval import kernels
from metaeval.api import shared
from metaeval.kernels import changed_since

SCORE = ["score", "-m", "bleu", "wer", "-c", "c.txt", "-r", "r.txt"]


def metaeval(tmp_path, arguments, required, blocked=False):
    """Run the command line in a process of its own; `blocked` hides the compiled module."""
    (tmp_path / "c.txt").write_text("a b c d\n")
    (tmp_path / "r.txt").write_text("a b c e\n")
    code = "import sys\n"
    if blocked:
        code += "sys.modules['metaeval.kernels._compiled'] = None\n"
    code += f"from metaeval.cli import main\nsys.exit(main({arguments!r}))"
    environment = {**os.environ, "METAEVAL_REQUIRE_KERNELS": required}
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)


def test_the_plain_definitions_give_the_same_and_say_so_once(tmp_path):
    plain = metaeval(tmp_path, SCORE, "", blocked=True)
    compiled = metaeval(tmp_path, SCORE, "")
    assert (plain.returncode, compiled.returncode) == (0, 0)
    assert plain.stdout == compiled.stdout
    assert plain.stderr.count("the compiled kernels are not used") == 1
    assert (
        "(they could not be compiled when metaeval was installed; install it again where a C compiler" in plain.stderr
    )
    assert "plain Python takes about 7 times as long to score and about 3 times to compare" in plain.stderr


def test_python_is_warned_once(monkeypatch):
    monkeypatch.setattr(kernels, "COMPILED", None)
    monkeypatch.setattr(shared, "_WARNED_ONCE", set())
    with pytest.warns(api.MetaevalWarning, match="the compiled kernels are not used"):
        api.score("wer", ["a b"], ["a c"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "the compiled kernels are not used" in api.score("wer", ["a b"], ["a c"]).warnings[0]


@pytest.mark.parametrize("verb", ["score", "correlate", "compare", "agreement"])
def test_each_result_has_it_among_its_warnings(verb, monkeypatch):
    monkeypatch.setattr(kernels, "COMPILED", None)
    calls = {
        "score": lambda: api.score("wer", ["a b"], ["a c"]),
        "correlate": lambda: api.correlate("demo", "wer", uncertainty={"method": "none"}),
        "compare": lambda: api.compare("demo", ["wer", "per"], interval="none", ceiling=0).results,
        "agreement": lambda: api.agreement("demo"),
    }
    found = [one for one in calls[verb]().warnings if "the compiled kernels are not used" in one]
    assert len(found) == 1


def test_kernels_that_are_required_but_absent_are_an_error(tmp_path):
    done = metaeval(tmp_path, SCORE, "1", blocked=True)
    assert done.returncode == 2
    assert "METAEVAL_REQUIRE_KERNELS=1, but the compiled kernels are not there" in done.stderr


def test_kernels_that_are_older_than_their_sources_are_known(tmp_path):
    for name, made in (("kernels.h", 9), ("b.c", 7), ("a.c", 5), ("compiled.so", 6)):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (made, made))
    assert changed_since(tmp_path / "compiled.so") == "b.c"
    os.utime(tmp_path / "compiled.so", (8, 8))
    assert changed_since(tmp_path / "compiled.so") == "kernels.h"
    os.utime(tmp_path / "compiled.so", (9, 9))
    assert changed_since(tmp_path / "compiled.so") == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ["run", "system-level", "--corpus", "demo", "--set", 'metrics=["bleu"]'],
        ["compare", "--corpus", "demo", "-m", "bleu", "wer", "--resamples", "100"],
        ["agreement", "--corpus", "demo"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_each_verb_tells_that_kernels_are_not_used(arguments, tmp_path):
    done = metaeval(tmp_path, arguments, "0")
    assert done.returncode == 0
    assert "(METAEVAL_REQUIRE_KERNELS is 0)" in done.stderr
    assert done.stderr.count("the compiled kernels are not used") == 1


@pytest.mark.parametrize("value", ["yes", "2"])
def test_other_values_of_the_variable_are_refused(value, tmp_path):
    done = metaeval(tmp_path, SCORE, value)
    assert done.returncode == 2
    assert f"METAEVAL_REQUIRE_KERNELS must be 0 or 1; got {value!r}" in done.stderr
