from __future__ import annotations

import os
import signal
import time

import pytest

from metaeval.errors import MetaevalError
from metaeval.experiment.executor import Executor


def square(number: int) -> int:
    time.sleep(0.01 * (5 - number))  # the first is done last
    return number**2


def killed(parent: int) -> None:
    assert os.getpid() != parent, "no process of its own"
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("kind", ["threads", "processes"])
@pytest.mark.parametrize("jobs", [1, 2, 10**8])
def test_results_come_in_the_order_of_the_calls(jobs, kind):
    assert list(Executor(jobs).run([(square, (number,)) for number in range(5)], kind)) == [0, 1, 4, 9, 16]


def test_a_process_that_is_killed_is_told():
    with pytest.raises(MetaevalError, match="a worker process was ended from outside"):
        list(Executor(2).run([(killed, (os.getpid(),))] * 2, "processes"))


@pytest.mark.parametrize("before", [None, "", "yes"])
def test_processes_do_not_import_from_the_current_directory(monkeypatch, before):
    if before is None:
        monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    else:
        monkeypatch.setenv("PYTHONSAFEPATH", before)
    assert set(Executor(2).run([(os.getenv, ("PYTHONSAFEPATH",))] * 2, "processes")) == {"1"}
    assert os.environ.get("PYTHONSAFEPATH") == before
