"""What slow metrics have scored before they are ended is not asked for again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import metaeval
from metaeval.datamodel.corpus import Corpus
from tests.support.plugins import in_a_directory_of_its_own, measured, module
from tests.support.processes import HANGS, started

__all__ = ["in_a_directory_of_its_own"]

ROOT = Path(__file__).parents[2]
# Ten systems of three segments. The first time, the metric stops in the eighth; each text that it reads is noted.
FUNCTION = """
import os, time
def f(candidate, references):
    with open("read", "a") as file:
        file.write(candidate + "\\n")
    while candidate == "system 7 text 1" and not os.path.exists("again"):
        time.sleep(0.05)
    return len(candidate) + len(references[0]) / 7
def g(candidates, references):
    return [f(*pair) for pair in zip(candidates, references)]
f.higher_is_better = g.higher_is_better = True
"""
PROGRAM = """
import json, sys
from mine import f
for line in sys.stdin:
    told = json.loads(line)
    print(json.dumps({"id": told["id"], "score": f(told["candidate"], told["references"])}))
"""
METRICS = ["mine.py:f", "mine.py:g", f'program(command="{sys.executable} score.py")']


def command(metric: str) -> list[str]:
    systems = [word for k in range(10) for word in ("-c", f"s{k}.txt")]
    return [sys.executable, "-m", "metaeval", "score", "-m", metric, *systems, "-r", "r.txt", "--format", "tsv"]


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("metric", METRICS, ids=["segments", "batches", "program"])
def test_a_slow_metric_that_was_ended_in_the_eighth_system_goes_on_there(metric, monkeypatch):
    module(FUNCTION)
    module(PROGRAM, "score.py")
    for k in range(10):
        Path(f"s{k}.txt").write_text("".join(f"system {k} text {i}\n" for i in range(3)))
    Path("r.txt").write_text("a\nbb\nccc\n")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "METAEVAL_CACHE": str(Path("cache").resolve())}
    environment.pop("METAEVAL_CACHE_LIMIT")
    with started(command(metric), stdout=-1, stderr=-1, env=environment) as process:
        # Seven systems are in the cache: a program may be further than what metaeval has read of it.
        while len(list(Path("cache").rglob("*.npy"))) < 7 or "system 7 text 1" not in Path("read").read_text():
            assert process.poll() is None, process.communicate()
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=HANGS)
    assert process.returncode == 128 + signal.SIGTERM
    Path("again").write_text("")
    Path("read").unlink()
    again = subprocess.run(command(metric), capture_output=True, text=True, env=environment, check=True, timeout=HANGS)
    texts = [f"system {k} text {i}" for k in (7, 8, 9) for i in range(3)]
    assert Path("read").read_text().splitlines() == texts
    # The mean length of a candidate is 15, that of a reference 2.
    scores = [float(line.split("\t")[-1]) for line in again.stdout.splitlines()[1:]]
    assert scores == [pytest.approx(15 + 2 / 7)] * 10, again.stdout
    assert again.stderr == ""


TOGETHER = """
def f(candidates, references):
    with open("read", "a") as file:
        file.write(f"{candidates}\\n")
    return [len(candidate) for candidate in candidates]
f.batch = "all"
"""


def test_a_function_of_all_systems_is_asked_for_new_ones_alone(monkeypatch):
    monkeypatch.setenv("METAEVAL_CACHE_LIMIT", "10M")
    monkeypatch.setenv("METAEVAL_CACHE", str(Path("cache").resolve()))
    module(TOGETHER)
    first = Corpus.of_texts({"A": ["a", "bb"], "B": ["ccc", "d"]}, {"r": ["x", "y"]})
    more = Corpus.of_texts({"A": ["a", "bb"], "C": ["eeee", "f"], "B": ["ccc", "d"]}, {"r": ["x", "y"]})
    assert measured("mine.py:f", first, ("r",)) == [[1, 2], [3, 1]]
    assert measured("mine.py:f", more, ("r",)) == [[1, 2], [4, 1], [3, 1]]
    assert Path("read").read_text() == "['a', 'bb', 'ccc', 'd']\n['eeee', 'f']\n"


@pytest.mark.parametrize("metric", METRICS, ids=["segments", "batches", "program"])
def test_scores_outlive_a_new_version_of_metaeval(metric, tmp_path, monkeypatch):
    monkeypatch.setenv("METAEVAL_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("METAEVAL_CACHE_LIMIT", raising=False)
    module(FUNCTION)
    module(PROGRAM, "score.py")
    for version in ("1.0", "2.0"):
        for used_by in ("function_metric", "program"):
            monkeypatch.setattr(f"metaeval.user_code.{used_by}.VERSION", version)
        (scores,) = metaeval.score(metric, ["ab", "c"], ["x", "yz"])
        assert f"version:{version}" in str(scores.signature)
    assert Path("read").read_text().splitlines() == ["ab", "c"]
