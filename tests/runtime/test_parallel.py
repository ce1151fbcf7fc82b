"""Calls side by side: results in order, the same here and in workers, and one sentence where a worker ends."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import joblib
import numpy as np
import pytest
from joblib.externals.loky import get_reusable_executor

import metaeval
from metaeval import kernels
from metaeval.errors import MetaevalError, MetricError
from metaeval.runtime import parallel
from metaeval.runtime.parallel import Call, Executor, WorkerError, configured_jobs, facts


def wait_for(path: Path) -> None:
    end = time.monotonic() + 60
    while not path.exists():
        assert time.monotonic() < end
        time.sleep(0.01)


def square(number: int) -> int:
    time.sleep(0.01 * (5 - number) if number < 5 else 0)  # the first is done last
    return number**2


def fail_last(mark: Path) -> None:
    wait_for(mark)
    raise MetricError("the first call")


def fail_first(mark: Path) -> None:
    mark.touch()
    raise MetricError("the second call")


def divide(number: int) -> float:
    return 1 / number


class OddError(Exception):
    def __init__(self, subject: str, reason: str) -> None:
        super().__init__(f"{subject}: {reason}")


def raise_odd() -> None:
    raise OddError("odd", "cannot be pickled")


def be_killed(parent: int) -> int:
    if os.getpid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)
    return parent


def process_of(*_: object) -> int:
    return os.getpid()


def thread_of() -> tuple[int, int]:
    return os.getpid(), threading.get_ident()


def variable(name: str) -> str | None:
    return os.environ.get(name)


def look_at(arrays: list[np.ndarray], number: int) -> tuple[int, int, list[float], bool, bool]:
    is_aligned = all(one.flags.aligned for one in arrays)
    return os.getpid(), id(arrays), [float(one.sum()) + number for one in arrays], arrays[1].flags.writeable, is_aligned


def processes_of_a_daemon() -> tuple[bool, set[int]]:
    return multiprocessing.current_process().daemon, set(Executor(2).run([Call(process_of)] * 4, "processes"))


@pytest.fixture
def new_workers():
    """Workers are started with the environment of this test, and end with it."""
    get_reusable_executor().shutdown(kill_workers=True)
    yield
    get_reusable_executor().shutdown(kill_workers=True)


KINDS = ["threads", "processes", "programs"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_results_come_in_the_order_of_the_calls(jobs, kind):
    assert list(Executor(jobs).run([Call(square, (number,)) for number in range(9)], kind)) == [
        0, 1, 4, 9, 16, 25, 36, 49, 64,
    ]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_the_error_is_that_of_the_first_call_in_order(kind, tmp_path):
    # The second call fails first.
    calls = [Call(square, (3,)), Call(fail_last, (tmp_path / "mark",)), Call(fail_first, (tmp_path / "mark",))]
    found = Executor(3).run(calls, kind)
    assert next(found) == 9
    with pytest.raises(MetricError, match=r"^the first call$") as raised:
        next(found)
    assert not getattr(raised.value, "__notes__", [])


def test_an_unexpected_error_brings_the_traceback_of_the_worker():
    with pytest.raises(ZeroDivisionError) as raised:
        list(Executor(2).run([Call(divide, (number,)) for number in (1, 0, 2)], "processes"))
    (note,) = raised.value.__notes__
    assert "in divide" in note
    assert "return 1 / number" in note


def test_an_error_that_cannot_be_pickled_is_described():
    with pytest.raises(RuntimeError) as raised:
        list(Executor(2).run([Call(raise_odd)] * 2, "processes"))
    assert str(raised.value) == "OddError: odd: cannot be pickled"
    assert "in raise_odd" in raised.value.__notes__[0]


def test_a_killed_worker_is_one_sentence_and_others_are_started_afterwards():
    calls = [Call(be_killed, (os.getpid(),), "replicates 1 to 25 of demo")] * 3
    with pytest.raises(WorkerError) as raised:
        list(Executor(2).run(calls, "processes"))
    assert str(raised.value) == (
        "replicates 1 to 25 of demo: a worker process ended before it or one of the next calls had a result, probably "
        "because memory ran out; fewer processes (`jobs`) need less."
    )
    assert list(Executor(2).run([Call(divide, (2,))] * 3, "processes")) == [0.5, 0.5, 0.5]


def test_arguments_of_many_calls_are_sent_once_and_are_the_same(monkeypatch):
    # Arrays of many kinds; those in workers are shared, and cannot be written. Functions need no name.
    arrays = [np.arange(7.0), np.ones((300, 1000)), np.asfortranarray(np.ones((3, 4))), np.empty(0), np.arange(9)[::2]]
    add = lambda arrays, number: look_at(arrays, number)  # noqa: E731
    found = list(Executor(2).run([Call(add, (arrays, number)) for number in range(40)], "processes"))
    # 0 + ... + 6 = 21; 300 * 1000; 3 * 4; nothing; 0 + 2 + 4 + 6 + 8 = 20.
    sums = [21, 300_000, 12, 0, 20]
    assert [one[2] for one in found] == [[value + number for value in sums] for number in range(40)]
    assert not any(one[3] for one in found)
    assert all(one[4] for one in found)
    workers = {one[0] for one in found}
    assert os.getpid() not in workers
    assert len({one[:2] for one in found}) == len(workers)


def test_the_files_that_workers_share_are_removed_with_the_calls(monkeypatch, tmp_path, new_workers):
    monkeypatch.setenv("JOBLIB_TEMP_FOLDER", str(tmp_path))
    arrays = [np.ones(9), np.ones(100_000)]
    found = list(Executor(2).run([Call(look_at, (arrays, number)) for number in range(4)], "processes"))
    assert [one[2] for one in found] == [[9.0 + number, 100_000.0 + number] for number in range(4)]
    end = time.monotonic() + 60
    while [*tmp_path.rglob("*.pkl")]:
        assert time.monotonic() < end
        time.sleep(0.01)


def test_arguments_that_cannot_be_sent_are_named():
    calls = [Call(look_at, (threading.Lock(), 0), "metric 'mine.py:words'")] * 2
    said = r"^metric 'mine\.py:words': it cannot be sent to worker processes \(TypeError: cannot pickle .*; `jobs=1`"
    with pytest.raises(MetaevalError, match=said):
        list(Executor(2).run(calls, "processes"))


def test_what_came_over_a_network_is_aligned():
    name, sizes, data = parallel._pack([Call(look_at, ([np.arange(5.0), np.arange(3)], 0))])
    # Behind a head of an odd length.
    moved = np.frombuffer(b"\0" * 3 + data.tobytes(), np.uint8)[3:]
    assert parallel._unpack(f"{name} moved", sizes, moved)[0].make()[2:] == ([10.0, 3.0], False, True)


@pytest.mark.parametrize("before", [None, "", "yes"])
def test_workers_do_not_import_from_the_current_directory(monkeypatch, new_workers, before):
    if before is None:
        monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    else:
        monkeypatch.setenv("PYTHONSAFEPATH", before)
    assert {*Executor(2).run([Call(variable, ("PYTHONSAFEPATH",))] * 4, "processes")} == {"1"}
    assert os.environ.get("PYTHONSAFEPATH") == before


@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
def test_calls_of_processes_go_where_joblib_is_configured_to(backend):
    with joblib.parallel_config(backend=backend, n_jobs=2):
        assert (configured_jobs(1), configured_jobs(3)) == (2, 3)
        found = list(Executor(configured_jobs(1)).run([Call(thread_of)] * 9, "processes"))
    assert ({process for process, _ in found} == {os.getpid()}) == (backend == "threading")
    assert (os.getpid(), threading.get_ident()) not in found
    assert configured_jobs(1) == 1


def test_calls_of_kernels_stay_in_threads_whatever_joblib_is_configured_to():
    with joblib.parallel_config(backend="multiprocessing", n_jobs=2):
        found = list(Executor(2).run([Call(thread_of)] * 4, "threads"))
    assert {process for process, _ in found} == {os.getpid()}
    assert threading.get_ident() not in {thread for _, thread in found}


def test_a_verb_makes_its_calls_as_joblib_is_configured(monkeypatch):
    seen = []
    run = Executor.run
    monkeypatch.setattr(Executor, "run", lambda self, calls, kind: (seen.append(self.jobs), run(self, calls, kind))[1])
    alone = metaeval.correlate("demo", ["wer"], uncertainty={"n_resamples": 60})
    with joblib.parallel_config(n_jobs=2):
        beside = metaeval.correlate("demo", ["wer"], uncertainty={"n_resamples": 60})
    assert {*seen} == {1, 2}
    assert alone.correlations.equals(beside.correlations)


def test_a_process_that_must_have_no_children_makes_its_calls_itself():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        is_daemon, processes = pool.apply(processes_of_a_daemon)
        assert is_daemon
        assert processes == {pool.apply(process_of)}


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="processors are chosen on Linux alone")
def test_there_are_no_more_jobs_than_processors_that_may_be_used():
    every = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(every)})
        assert [parallel._within_processors(jobs) for jobs in (1, 2, 3, 999)] == [1, 2, 2, 2]
    finally:
        os.sched_setaffinity(0, every)


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        (0, "9.9.9", r"^the worker on .* has metaeval .*, and this process 9\.9\.9; install the same version there\.$"),
        (1, kernels.COMPILED is None, r"uses the compiled kernels, and .* does not; install metaeval again where a C"),
        (2, "0" * 16, r"rounds otherwise \(fingerprint [0-9a-f]{16}, here 0{16}\), because its processor, or a"),
    ],
)
def test_a_worker_that_computes_other_numbers_is_refused(place, value, said, monkeypatch):
    expected = tuple(value if number == place else one for number, one in enumerate(facts()))
    monkeypatch.setattr(parallel, "facts", lambda: expected)
    with pytest.raises(WorkerError, match=said):
        list(Executor(2).run([Call(square, (9,))] * 2, "processes"))


@pytest.mark.skipif(kernels.COMPILED is None, reason="this process has no compiled kernels either")
def test_a_worker_without_kernels_is_refused(monkeypatch, new_workers):
    monkeypatch.setenv(kernels.VARIABLE, "0")
    with pytest.raises(WorkerError, match=r"^this process uses the compiled kernels, and the worker on"):
        list(Executor(2).run([Call(square, (9,))] * 2, "processes"))


def test_a_directory_where_nothing_can_be_written_is_named(monkeypatch, tmp_path, new_workers):
    (tmp_path / "file").touch()
    monkeypatch.setenv("JOBLIB_TEMP_FOLDER", str(tmp_path / "file"))
    calls = [Call(look_at, ([np.ones(100_000)], 0), "replicates 1 to 25 of demo")] * 2
    said = (
        r"^replicates 1 to 25 of demo: the data that worker processes share cannot be written to a "
        r"temporary file \(NotADirectoryError: .*/file/joblib_memmapping_folder_.*JOBLIB_TEMP_FOLDER to "
        r"a directory with more room, or take `jobs=1`, which needs none\.$"
    )
    with pytest.raises(MetaevalError, match=said):
        list(Executor(2).run(calls, "processes"))


def test_what_is_computed_one_after_the_other_imports_no_joblib():
    code = (
        "import sys, metaeval; metaeval.correlate('demo', ['wer'], uncertainty={'n_resamples': 60}); "
        "print('joblib' in sys.modules or 'multiprocessing.pool' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False"]


def test_a_temporary_directory_that_joblib_cannot_name(tmp_path, monkeypatch):
    # joblib's tracker of temporary folders takes ASCII alone.
    folder = tmp_path / "ü"
    folder.mkdir()
    monkeypatch.setenv("JOBLIB_TEMP_FOLDER", str(folder))
    calls = [Call(abs, (number,)) for number in (-1, -2)]
    with pytest.raises(MetaevalError, match=r"whose path has letters such as 'ü'; set .* JOBLIB_TEMP_FOLDER"):
        list(Executor(jobs=2).run(calls, "processes"))
