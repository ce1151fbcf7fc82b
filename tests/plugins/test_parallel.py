"""Metrics of users beside themselves, if their authors say that they may."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from metaeval.experiment import executor
from metaeval.experiment.executor import Executor
from metaeval.experiment.measure_texts import measure_texts
from metaeval.metrics import get_metric
from metaeval.records import Corpus
from tests.support.plugins import in_a_directory_of_its_own, module  # noqa: F401

TEXTS = Corpus.of_texts(
    {name: [f"{name} a b", None, name * 7, ""] for name in "ABCDEF"},
    {"r": ["a b", "c", None, "x"], "q": ["a", "", "d", "y"]},
)
SUBSETS = [("r",), ("r", "q")]
FUNCTION = """
import os, time
def length(candidate, references):
    return len(candidate) + sum(map(len, references)) / 7
def pid(candidate, references):
    time.sleep(0.02)
    return os.getpid()
def wrong(candidate, references):
    return "no" if candidate[:1] in ("D", "E") else 1.0
for one in (length, pid, wrong):
    one.parallel = {parallel}
"""
PROGRAM = """
import json, os, sys, time
for line in sys.stdin:
    time.sleep(0.02)
    print(json.dumps({"id": json.loads(line)["id"], "score": os.getpid()}), flush=True)
"""


@pytest.fixture
def at_once(monkeypatch):
    monkeypatch.setattr(executor, "pays", lambda *_: True)


def numbers(text, jobs, subsets=SUBSETS):
    return np.stack(measure_texts(TEXTS, subsets, get_metric(text), Executor(jobs)))


@pytest.mark.parametrize("text", ["mine.py:length", "chrf", "sacrebleu-bleu"])
def test_the_scores_are_the_same(text, at_once):
    module(FUNCTION.format(parallel=True))
    np.testing.assert_array_equal(numbers(text, 3), numbers(text, 1))


@pytest.mark.parametrize(("parallel", "n_processes"), [(True, 2), (False, 1), ("'yes'", 1)])
def test_as_many_processes_as_jobs_if_the_author_says_so(parallel, n_processes, at_once):
    module(FUNCTION.format(parallel=parallel))
    found = numbers("mine.py:pid", 2)[..., 0]
    assert len(np.unique(found[np.isfinite(found)])) == n_processes


@pytest.mark.parametrize(("parallel", "n_processes"), [(True, 3), (False, 1)])
@pytest.mark.parametrize("stdin", ["open", "close"])
def test_programs_as_often_as_there_are_jobs(parallel, n_processes, stdin, at_once):
    module(PROGRAM, "program.py")
    text = f'program(command="{sys.executable} program.py", parallel={parallel}, stdin="{stdin}")'
    found = numbers(text, 3, SUBSETS[1:])[..., 0]
    n_found = len(np.unique(found[np.isfinite(found)]))
    assert n_found == (n_processes if stdin == "open" else 6)


def test_the_first_error_is_told_whichever_comes_first(at_once):
    module(FUNCTION.format(parallel=True))
    with pytest.raises(Exception, match=r"mine\.py:wrong.*system 'D', segment 1") as found:
        numbers("mine.py:wrong", 3)
    with pytest.raises(type(found.value)) as alone:
        numbers("mine.py:wrong", 1)
    assert str(found.value) == str(alone.value)


def test_short_work_starts_one_process(monkeypatch):
    monkeypatch.setattr(executor, "pays", lambda *_: False)
    module(FUNCTION.format(parallel=True))
    found = numbers("mine.py:pid", 2)[..., 0]
    assert len(np.unique(found[np.isfinite(found)])) == 1
