"""The workers of a real scheduler of dask, in processes of their own, give the same bytes as this process."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import ExitStack

import pytest

import metaeval
from metaeval.datamodel.corpus import Corpus
from metaeval.errors import MetaevalError, UsageError
from metaeval.experiment.measure_texts import measure_texts
from metaeval.metrics import get_metric
from metaeval.runtime import parallel
from metaeval.runtime.parallel import SERIAL, Call, Executor, WorkerError, dask_cluster
from tests.support.processes import started

# A run that ends a worker, by its process id, when it has the first replicates.
RUN = """
import os, signal, sys
import metaeval

victim = int(sys.argv[3])

def progress(step):
    global victim
    if step.stage == "correlate" and step.done > 25 and victim:
        os.kill(victim, signal.SIGKILL)
        victim = 0

metaeval.run(
    "turian2003-chinese",
    corpora="demo",
    overrides={
        "documents": {"count": 20, "lengths": [1, 10, 100]},
        "uncertainty": {"n_resamples": 75},
        "criteria": ["fluency"],
        "figures": [],
    },
    output=sys.argv[1],
    scheduler=sys.argv[2] or None,
    progress=progress,
)
assert victim == 0, "no worker was ended"
"""
# A worker where metaeval is not installed.
BARE = "import sys; sys.modules['metaeval'] = None; from distributed.cli.dask_worker import main; main()"


@pytest.fixture
def start(tmp_path):
    """Start a scheduler and so many workers; give its address and process id, and their process ids."""
    where, log = tmp_path / "scheduler.json", tmp_path / "log.txt"
    common = ["--scheduler-file", str(where), "--no-dashboard", "--host", "127.0.0.1"]

    with ExitStack() as stack, log.open("a") as file:

        def program(settings, *command):
            environment = {**os.environ, "METAEVAL_CACHE_LIMIT": "0", **settings}
            command = [sys.executable, *command, *common]
            return stack.enter_context(started(command, cwd=tmp_path, env=environment, stdout=file, stderr=file))

        def cluster(workers, *options, by=("-m", "distributed.cli.dask_worker"), **settings):
            scheduler = program(settings, "-m", "distributed.cli.dask_scheduler", "--port", "0")
            while not where.exists():
                assert scheduler.poll() is None, log.read_text()
                time.sleep(0.05)
            all_of_them = [program(settings, *by, "--nthreads", "1", *options).pid for _ in range(workers)]
            return json.loads(where.read_text())["address"], scheduler.pid, all_of_them

        yield cluster


def files(directory):
    return {
        path.relative_to(directory): path.read_bytes()
        for path in directory.rglob("*")
        if path.is_file() and path.name not in ("times.json", "manifest.json")
    }


def test_a_worker_that_is_ended_changes_no_byte(start, tmp_path):
    address, _, workers = start(2, "--no-nanny")
    for name, scheduler, victim in (("dask", address, workers[0]), ("here", "", 0)):
        command = [sys.executable, "-c", RUN, str(tmp_path / name), scheduler, str(victim)]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    assert files(tmp_path / "dask") == files(tmp_path / "here")
    assert len(files(tmp_path / "here")) > 10


def test_one_worker_makes_all_calls_and_a_scheduler_that_ends_is_named(start):
    address, scheduler, workers = start(1, "--no-nanny")

    def until_it_ends():
        with dask_cluster(address) as cluster:
            for number in (1, 3, 1):
                yield from Executor(cluster=cluster).run([Call(os.getpid)] * number, "processes")

    calls = until_it_ends()
    assert [next(calls) for _ in range(4)] == workers * 4
    os.kill(scheduler, signal.SIGKILL)
    gone = f"the scheduler at {address}, or the last of its workers, is gone; start it again and give the same command."
    with pytest.raises(MetaevalError, match=re.escape(gone)):
        next(calls)


# A run that ends the scheduler, by its process id, when it has the first replicates.
GONE = """
import os, signal, sys
import metaeval

def progress(step):
    if step.stage == "correlate" and step.done > 25:
        os.kill(int(sys.argv[3]), signal.SIGKILL)

try:
    metaeval.run("turian2003-chinese", corpora="demo", output=sys.argv[1], scheduler=sys.argv[2], progress=progress)
except metaeval.MetaevalError as error:
    print(error)
"""


def test_a_scheduler_that_ends_in_the_middle_is_one_sentence(start, tmp_path):
    address, scheduler, _ = start(1, "--no-nanny")
    command = [sys.executable, "-c", GONE, str(tmp_path / "run"), address, str(scheduler)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.startswith(f"the scheduler at {address}, or the last of its workers, is gone;")
    assert (done.stdout.count("\n"), done.stderr) == (1, "")


def test_a_worker_without_metaeval_is_named(start):
    address, *_ = start(1, "--no-nanny", by=("-c", BARE))
    said = r"the worker at tcp://127\.0\.0\.1:\d+ has no metaeval \(.*\); install metaeval .* there"
    with pytest.raises(WorkerError, match=said), dask_cluster(address):
        pass


def test_a_call_that_ends_its_worker_is_named(start):
    address, *_ = start(2, "--no-nanny", DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES="0")
    calls = [Call(os._exit, (1,), "replicates 1 to 25 of demo"), Call(os.getpid)]
    said = "^replicates 1 to 25 of demo: a worker process ended before it or one of the next calls had a result, prob"
    with pytest.raises(WorkerError, match=said), dask_cluster(address) as cluster:
        list(Executor(cluster=cluster).run(calls, "processes"))


def test_metrics_of_sacrebleu_are_scored_by_workers_and_those_of_users_here(start, tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(
        "def length(candidate):\n    return float(len(candidate))\n\n\nlength.parallel = True\n"
    )
    address, *_ = start(2, "--no-nanny")
    corpus = Corpus.of_texts({name: [f"{name} a b", "c"] for name in "ABC"}, {"r": ["a b", "c"]})
    run, ran = Executor.run, []
    monkeypatch.setattr(
        Executor, "run", lambda self, calls, kind: (ran.append((self.cluster, len(calls))), run(self, calls, kind))[1]
    )
    metrics = [get_metric("sacrebleu-ter"), get_metric(f"{tmp_path / 'mine.py'}:length")]
    with dask_cluster(address) as cluster:
        cluster.wait_for_workers(2)
        for metric in metrics:
            there, here = (
                measure_texts(corpus, [("r",)], metric, one) for one in (Executor(2, cluster=cluster), SERIAL)
            )
            assert there[0].tolist() == here[0].tolist()
        assert ran == [(cluster, 2), (None, 2)]


@pytest.mark.parametrize("scheduler", ["foo", "http://127.0.0.1:9", ""])
def test_what_is_no_address_is_refused_and_nothing_else_is_said(scheduler):
    command = [sys.executable, "-m", "metaeval", "compare", "--corpus", "demo", "-m", "wer"]
    done = subprocess.run([*command, "--scheduler", scheduler], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(f"metaeval: `scheduler` {scheduler!r}: no scheduler of dask answers there (")
    assert done.stderr.count("\n") == 1


def test_nobody_who_answers_is_an_error_that_says_what_to_start(monkeypatch):
    monkeypatch.setattr(parallel, "_DASK_TIMEOUT_SECONDS", 0.2)
    said = r"`scheduler` 'tcp://127\.0\.0\.1:9': no scheduler of dask answers there .*start one with `dask scheduler`"
    with pytest.raises(UsageError, match=said):
        metaeval.correlate("demo", "wer", scheduler="tcp://127.0.0.1:9")


def test_without_dask_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UsageError, match=r"needs dask; install it: pip install 'metaeval\[dask\]'"):
        metaeval.correlate("demo", "wer", scheduler="tcp://127.0.0.1:9")
