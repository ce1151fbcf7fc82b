"""The workers of a real scheduler of dask, in processes of their own, give the same bytes as this process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time

import pytest

import metaeval
from metaeval.errors import UsageError

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
    backend="dask" if sys.argv[2] else "processes",
    scheduler=sys.argv[2] or None,
    progress=progress,
)
assert victim == 0, "no worker was ended"
"""


@pytest.fixture
def dask(tmp_path):
    """Start a scheduler and two workers; give the address of the one and the process ids of the others."""
    where = tmp_path / "scheduler.json"
    common = ["--scheduler-file", str(where), "--no-dashboard"]
    environment = {**os.environ, "METAEVAL_CACHE_LIMIT": "0"}

    def start(what, *arguments):
        command = [sys.executable, "-m", f"distributed.cli.dask_{what}", *common, *arguments]
        with (tmp_path / "log.txt").open("a") as log:
            return subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=log, stderr=log)

    processes = [start("scheduler", "--host", "127.0.0.1", "--port", "0")]
    try:
        while not where.exists():
            assert processes[0].poll() is None, (tmp_path / "log.txt").read_text()
            time.sleep(0.05)
        processes += [start("worker", "--host", "127.0.0.1", "--nthreads", "1", "--no-nanny") for _ in range(2)]
        yield json.loads(where.read_text())["address"], [one.pid for one in processes[1:]]
    finally:
        for one in reversed(processes):
            one.kill()
            one.wait()


def files(directory):
    return {
        path.relative_to(directory): path.read_bytes()
        for path in directory.rglob("*")
        if path.is_file() and path.name not in ("times.json", "manifest.json")
    }


def test_a_worker_that_is_ended_changes_no_byte(dask, tmp_path):
    address, workers = dask
    for name, scheduler, victim in (("dask", address, workers[0]), ("here", "", 0)):
        command = [sys.executable, "-c", RUN, str(tmp_path / name), scheduler, str(victim)]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    assert files(tmp_path / "dask") == files(tmp_path / "here")
    assert len(files(tmp_path / "here")) > 10


def test_nobody_who_answers_is_an_error_that_says_what_to_start(monkeypatch):
    from metaeval.experiment import backends

    monkeypatch.setattr(backends, "_PATIENCE", 0.2)
    said = r"--scheduler tcp://127\.0\.0\.1:9: no scheduler of dask answers there .*start one with `dask scheduler`"
    with pytest.raises(UsageError, match=said):
        metaeval.correlate("demo", "wer", backend="dask", scheduler="tcp://127.0.0.1:9")


@pytest.mark.parametrize(("backend", "scheduler"), [("dask", None), ("processes", "tcp://127.0.0.1:9")])
def test_a_scheduler_and_dask_belong_together(backend, scheduler):
    with pytest.raises(UsageError, match="belong together"):
        metaeval.correlate("demo", "wer", backend=backend, scheduler=scheduler)


def test_a_backend_that_is_unknown():
    with pytest.raises(UsageError, match=r"unknown backend 'spark'.*'processes' and 'dask'|'processes', 'dask'"):
        metaeval.correlate("demo", "wer", backend="spark")


def test_without_dask_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UsageError, match=r"needs dask; install it: pip install 'metaeval\[dask\]'"):
        metaeval.correlate("demo", "wer", backend="dask", scheduler="tcp://127.0.0.1:9")
