"""Metrics of users beside themselves, if their authors say that they may."""

from __future__ import annotations

import os
import pickle
import sys

import numpy as np
import pytest

from metaeval.datamodel.corpus import Corpus
from metaeval.errors import MetricError
from metaeval.experiment.measure_texts import measure_texts
from metaeval.metrics import get_metric
from metaeval.runtime.parallel import Executor
from metaeval.user_code.metric_from_object import held_metric
from tests.support.plugins import in_a_directory_of_its_own, module  # noqa: F401

TEXTS = Corpus.of_texts(
    {name: [f"{name} a b", None, name * 7, ""] for name in "ABCDEF"},
    {"r": ["a b", "c", None, "x"], "q": ["a", "", "d", "y"]},
)
SUBSETS = [("r",), ("r", "q")]
FUNCTION = """
import os
def length(candidate, references):
    return len(candidate) + sum(map(len, references)) / 7
def pid(candidate, references):
    return os.getpid()
def wrong(candidate, references):
    return "no" if candidate[:1] in ("D", "E") else 1.0
for one in (length, pid, wrong):
    one.parallel = {parallel}
"""
PROGRAM = """
import json, os, sys
for line in sys.stdin:
    print(json.dumps({"id": json.loads(line)["id"], "score": os.getpid()}), flush=True)
"""


def numbers(text, jobs, subsets=SUBSETS):
    return np.stack(measure_texts(TEXTS, subsets, get_metric(text), Executor(jobs)))


@pytest.mark.parametrize("text", ["mine.py:length", "chrf", "sacrebleu-bleu", "sacrebleu-ter"])
def test_the_scores_are_the_same(text):
    module(FUNCTION.format(parallel=True))
    np.testing.assert_array_equal(numbers(text, 3), numbers(text, 1))


@pytest.mark.parametrize("parallel", [False, "'yes'"])
def test_a_function_runs_in_this_process_unless_its_author_says_otherwise(parallel):
    module(FUNCTION.format(parallel=parallel))
    found = numbers("mine.py:pid", 2)[..., 0]
    assert np.unique(found[np.isfinite(found)]).tolist() == [os.getpid()]


def test_a_function_runs_in_workers_if_its_author_says_so():
    module(FUNCTION.format(parallel=True))
    found = numbers("mine.py:pid", 2)[..., 0]
    assert os.getpid() not in found


def test_a_file_that_changes_before_a_worker_loads_it_is_one_message():
    module(FUNCTION.format(parallel=True))
    metric = get_metric("mine.py:length")
    module(FUNCTION.format(parallel=True) + "# changed")
    with pytest.raises(MetricError, match=r"^metric 'mine\.py:length': mine\.py has changed since"):
        measure_texts(TEXTS, SUBSETS, metric, Executor(2))


def test_a_function_is_sent_as_its_file():
    module(FUNCTION.format(parallel=True))
    metric = get_metric("mine.py:length")
    assert metric.side_by_side == "processes"
    again = pickle.loads(pickle.dumps(metric))
    assert (again, str(again.signature), again.subject) == (metric, str(metric.signature), metric.subject)
    np.testing.assert_array_equal(again.measure(TEXTS, ("r",)), metric.measure(TEXTS, ("r",)))
    sent = pickle.dumps(metric)
    module(FUNCTION.format(parallel=True) + "# changed")
    with pytest.raises(MetricError, match=r"mine\.py has changed since the metric was named"):
        pickle.loads(sent)


def test_a_function_that_was_given_in_python_stays_here():
    def length(candidate):
        return len(candidate)

    length.parallel = True
    metric = held_metric(length).item
    assert metric.side_by_side == ""
    with pytest.raises(TypeError, match="metric 'length': a function that was given in Python stays in its process"):
        pickle.dumps(metric)


@pytest.mark.parametrize(("parallel", "n_started"), [(True, 3), (False, 1)])
def test_programs_as_often_as_there_are_jobs(parallel, n_started):
    module(PROGRAM, "program.py")
    text = f'program(command="{sys.executable} program.py", parallel={parallel})'
    found = numbers(text, 3)[..., 0]
    assert len(np.unique(found[np.isfinite(found)])) == n_started


def test_the_first_error_is_told_whichever_comes_first():
    module(FUNCTION.format(parallel=True))
    with pytest.raises(Exception, match=r"mine\.py:wrong.*system 'D', segment 1") as found:
        numbers("mine.py:wrong", 3)
    with pytest.raises(type(found.value)) as alone:
        numbers("mine.py:wrong", 1)
    assert str(found.value) == str(alone.value)
