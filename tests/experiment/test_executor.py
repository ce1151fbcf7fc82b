"""Calls side by side: in order, in other processes only where it pays, and made again where these end."""

from __future__ import annotations

import gc
import os
import signal
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import joblib
import numpy as np
import pytest

from metaeval import _kernels as kernels
from metaeval.cli import main
from metaeval.errors import MetaevalError
from metaeval.experiment import backends, executor, workers
from metaeval.experiment.executor import Call, Executor, LostError
from metaeval.experiment.measure import measure_all, treat_all
from metaeval.experiment.workers import Shared, WorkerError
from metaeval.metrics import get_metric
from metaeval.metrics.text_metric import TextMetric
from metaeval.names import Signature
from metaeval.parameters import Named
from metaeval.records import Corpus
from metaeval.sampling.references import ReferenceGroup, ReferenceSubset
from metaeval.text.preprocessing import get_preprocessing

FACTS = workers.facts()


def square(number: int) -> int:
    time.sleep(max(0, 0.01 * (5 - number)))  # the first is done last
    return number**2


def killed(parent: int, mark: Path, *, times: int = 10**6) -> str:
    """End the process, unless as often has been noted in a file; the parent waits until another one has noted that."""
    if os.getpid() == parent:
        end = time.monotonic() + 60
        while not mark.exists():
            assert time.monotonic() < end
            time.sleep(0.01)
        return "here"
    with mark.open("a") as stream:
        stream.write("x")
    if len(mark.read_text()) > times:
        return "done"
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def survivor(mark, times):
    return lambda parent: killed(parent, mark, times=times)


def failing(number: int) -> int:
    raise ValueError(number)


def added(arrays, number):
    return [(float(one.sum()) + number, one.flags.writeable) for one in arrays]


def process(_: int) -> int:
    time.sleep(0.05)
    return os.getpid()


TAKEN = threading.Event()


def left_to_others(parent: int) -> int:
    """Wait for what another one takes."""
    assert os.getpid() != parent or TAKEN.wait(60)
    return os.getpid()


def beside(main: int) -> int:
    """Wait for another thread."""
    if threading.get_ident() == main:
        assert TAKEN.wait(60)
    TAKEN.set()
    return threading.get_ident()


@pytest.fixture(autouse=True)
def nothing_taken():
    TAKEN.clear()


@pytest.fixture
def at_once(monkeypatch):
    """Calls go to other processes from the first on, because these are there."""
    monkeypatch.setattr(executor, "pays", lambda *_: True)
    backends.PROCESSES.start(2, workers.load, []).result()


def calls(function, n, **others):
    return [Call(function, (number,), **others) for number in range(n)]


@pytest.mark.parametrize("kind", ["threads", "processes"])
@pytest.mark.parametrize("jobs", [1, 2, 10**8])
def test_results_come_in_the_order_of_the_calls(jobs, kind, at_once):
    assert list(Executor(jobs).run(calls(square, 5), kind)) == [0, 1, 4, 9, 16]


@pytest.fixture
def nobody_there():
    """No processes were started before."""
    backends.PROCESSES.end()


def test_short_work_is_done_here(nobody_there):
    assert set(Executor(2).run(calls(process, 4), "processes")) == {os.getpid()}


def test_processes_take_what_is_left_of_long_work(nobody_there, monkeypatch):
    monkeypatch.setattr(executor, "pays", lambda spent, made, left: made > 0)
    elsewhere = executor._ByProcesses.elsewhere
    monkeypatch.setattr(executor._ByProcesses, "elsewhere", lambda *one: (elsewhere(*one), TAKEN.set())[0])
    here = os.getpid()
    first, *others = Executor(2).run([Call(left_to_others, (here,))] * 5, "processes")
    assert first == here
    assert {*others} - {here}


def test_threads_take_what_is_left_of_long_programs(monkeypatch):
    monkeypatch.setattr(executor, "pays", lambda spent, made, left: made > 0)
    here = threading.get_ident()
    first, *others = Executor(2).run([Call(beside, (here,))] * 5, "programs")
    assert first == here
    assert {*others} != {here}


@pytest.mark.parametrize(
    ("spent", "made", "left", "pays"),
    [
        (0.1, 1, 100, False),  # too short to be sure
        (5.0, 0, 100, False),  # how long these take is not known
        (5.0, 10, 5, True),  # 2.5 s are left
        (5.0, 10, 4, False),  # 2 s are left
    ],
)
def test_others_are_started_where_enough_is_left(spent, made, left, pays):
    assert executor.pays(spent, made, left) is pays


def test_processes_begin_ahead_of_a_run_that_takes_long(nobody_there):
    Executor(1).start_ahead("colorsys")
    assert not backends.PROCESSES.are_started(1)
    Executor(2).start_ahead("colorsys")
    assert backends.PROCESSES.submit(eval, "'colorsys' in __import__('sys').modules").result()


def holding(seconds: float) -> int:
    HELD.append(np.ones(40_000_000))  # 320 MB
    time.sleep(seconds)
    return os.getpid()


HELD: list = []


def test_a_process_that_holds_much_goes_on(nobody_there):
    # After more than a second loky compares what it holds with what it held after its first call.
    backends.PROCESSES.start(1, os.getpid)
    first, second = (backends.PROCESSES.submit(holding, seconds).result() for seconds in (1.1, 0))
    backends.PROCESSES.end()
    assert first == second


def test_processes_that_are_there_begin_before_anybody_asks(at_once, tmp_path):
    found = Executor(2).run([Call(Path.touch, (tmp_path / name,)) for name in "ab"], "processes")
    end = time.monotonic() + 60
    while len([*tmp_path.iterdir()]) < 2:
        assert time.monotonic() < end
        time.sleep(0.01)
    assert list(found) == [None, None]


def test_an_error_of_a_call_comes_in_its_place(at_once):
    found = Executor(2).run([*calls(square, 2), *calls(failing, 1), *calls(square, 2)], "processes")
    assert [next(found), next(found)] == [0, 1]
    with pytest.raises(ValueError, match="0"):
        next(found)


def test_a_call_whose_process_always_ends_is_named(tmp_path, at_once):
    one = Call(killed, (os.getpid(), tmp_path / "mark"), what="replicates 1 to 25 of demo")
    with pytest.raises(LostError, match=r"^replicates 1 to 25 of demo: the worker process ended 3 times before"):
        list(Executor(2).run([one] * 2, "processes"))


@pytest.mark.parametrize("times", [1, 2])
def test_what_was_lost_with_a_process_is_made_again(times, tmp_path, at_once):
    lost = Call(survivor(tmp_path / "mark", times), (os.getpid(),))
    # One of the two stays here, whichever it is.
    found = list(Executor(2).run([*calls(square, 3), lost, lost, *calls(square, 9)], "processes"))
    assert sorted(found[3:5]) == ["done", "here"]
    assert found[:3] + found[5:] == [0, 1, 4, 0, 1, 4, 9, 16, 25, 36, 49, 64]


@pytest.mark.parametrize("before", [None, "", "yes"])
def test_processes_do_not_import_from_the_current_directory(monkeypatch, before):
    if before is None:
        monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    else:
        monkeypatch.setenv("PYTHONSAFEPATH", before)
    backends.PROCESSES.end()
    backends.PROCESSES.start(2, workers.load, []).result()
    assert backends.PROCESSES.submit(os.getenv, "PYTHONSAFEPATH").result() == "1"
    assert os.environ.get("PYTHONSAFEPATH") == before


def test_a_shared_value_is_the_same_here_and_there(at_once):
    arrays = [np.arange(7.0), np.ones((300, 1000)), np.asfortranarray(np.ones((3, 4))), np.empty(0), np.arange(9)[::2]]
    shared = Shared([lambda: 1, *arrays][1:])
    here = [Call(added, (number,), shared).make() for number in range(3)]
    there = list(Executor(2).run(calls(added, 3, shared=shared), "processes"))
    assert [[value for value, _ in one] for one in there] == [[value for value, _ in one] for one in here]


def test_what_was_sent_is_opened_once():
    shared = Shared({"a": np.ones(5)})
    first, second = (workers.make(FACTS, shared.sent, id, ()) for _ in range(2))
    assert first == second
    assert first != id(shared.value)


def test_a_place_where_nothing_can_be_shared_is_named(tmp_path):
    shared = Shared(np.ones(5))
    with pytest.raises(MetaevalError, match=r"/absent: what processes share cannot be written \(No such file"):
        shared.file(str(tmp_path / "absent"))
    assert shared.file(str(tmp_path))[0] in os.listdir(tmp_path)


def test_the_file_of_a_shared_value_vanishes_with_it(tmp_path):
    shared = Shared([np.arange(5), "text", np.empty(0)])
    array, text, empty = workers._open(shared.file(str(tmp_path)))
    assert shared.file(str(tmp_path)) == shared.file("elsewhere")
    assert len([*tmp_path.iterdir()]) == 1
    del shared
    assert not [*tmp_path.iterdir()]
    assert (array.tolist(), array.flags.writeable, text, len(empty)) == ([0, 1, 2, 3, 4], False, "text", 0)


def test_a_backend_of_joblib_takes_the_calls():
    with joblib.parallel_config(backend="threading", n_jobs=2):
        assert set(Executor(1).run(calls(process, 4), "processes")) == {os.getpid()}
    with joblib.parallel_config(backend="multiprocessing", n_jobs=2):
        found = set(Executor(1).run(calls(process, 4), "processes"))
    assert os.getpid() not in found


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        (0, "9.9.9", r"^the worker on .* has metaeval .*, and this process 9\.9\.9; install the same version there\.$"),
        (1, kernels.COMPILED is None, r"uses the compiled kernels, and .* does not; install metaeval again where a C"),
        (2, "0" * 16, r"rounds otherwise \(fingerprint [0-9a-f]{16}, here 0{16}\), because its processor, or a"),
    ],
)
def test_a_worker_that_computes_other_numbers_is_refused(place, value, said):
    expected = tuple(value if number == place else one for number, one in enumerate(FACTS))
    found = workers.make(expected, None, square, (1,))
    with pytest.raises(WorkerError, match=said):
        raise found.error


@pytest.mark.skipif(kernels.COMPILED is None, reason="this process has no compiled kernels either")
def test_a_process_without_kernels_is_refused(monkeypatch):
    backends.PROCESSES.end()  # so that others are started, with the environment of now
    monkeypatch.setenv(kernels.VARIABLE, "0")
    backends.PROCESSES.start(2, workers.load, []).result()
    try:
        with pytest.raises(WorkerError, match=r"^this process uses the compiled kernels, and the worker on"):
            list(Executor(2).run(calls(square, 3), "processes"))
    finally:
        backends.PROCESSES.end()


@dataclass(frozen=True)
class Deadly(TextMetric):
    """A metric that counts characters, and ends a process that is not the one it was made in."""

    parent: int
    mark: Path

    name = title = "deadly"
    higher_is_better = True
    side_by_side = "processes"
    signature = Signature("deadly")
    described = ""

    def measure(self, corpus, references):
        killed(self.parent, self.mark)
        return np.array([[[len(text), 1.0] for text in texts] for texts in corpus.candidates])


@dataclass(frozen=True)
class DeadlyWords:
    """The same, of tokens."""

    parent: int
    mark: Path

    name = title = "deadly"
    higher_is_better = True
    statistic_names = ("words",)
    signature = Signature("deadly")

    def prepare(self, references):
        return None

    def statistics(self, candidates, prepared):
        killed(self.parent, self.mark)
        return np.ones((len(candidates), 1))


@pytest.mark.parametrize("deadly", [pytest.param(Deadly, marks=pytest.mark.long), DeadlyWords])
def test_a_metric_whose_process_always_ends_is_left_out_as_one_that_fails(deadly, at_once, monkeypatch, tmp_path):
    # So that tokens go to processes too.
    monkeypatch.setattr("metaeval.experiment.measure.kernels", SimpleNamespace(COMPILED=None))
    corpus = Corpus.of_texts({name: [f"{name} b", "c"] for name in "ABC"}, {"r": ["a", "c"]})
    metrics = [Named("deadly", deadly(os.getpid(), tmp_path / "mark")), Named("chrf", get_metric("chrf"))]
    failures: dict = {}
    groups = [ReferenceGroup("r", (ReferenceSubset(("r",)),))]
    treated = treat_all(corpus, [get_preprocessing("case")])
    found = measure_all(corpus, treated, groups, metrics, Executor(2), failures)
    assert [one.named.written for one in found] == ["chrf"]
    (said,) = failures.values()
    assert said.startswith("metric 'deadly'")
    assert "the worker process ended 3 times before it had an answer" in said


def test_arrays_that_came_in_memory_of_any_kind_begin_where_they_should():
    name, whole, places = Shared([np.arange(5.0), np.arange(3)]).sent
    # As it comes over a network: behind a head of an odd length.
    moved = np.frombuffer(b"\0" * 3 + whole.tobytes(), np.uint8)[3:]
    first, second = workers._open((f"{name} moved", moved, places))
    assert first.flags.aligned
    assert second.flags.aligned
    assert (first.tolist(), second.tolist()) == ([0.0, 1.0, 2.0, 3.0, 4.0], [0, 1, 2])


def test_other_processes_look_for_garbage_as_seldom_and_end_with_a_command(monkeypatch):
    monkeypatch.setattr("sys.argv", ["metaeval", "metrics", "list"])
    before = gc.get_threshold()
    backends.PROCESSES.end()
    try:
        gc.set_threshold(12_345, 7, 7)
        assert backends.PROCESSES.start(1, gc.get_threshold).result() == (12_345, 7, 7)
        assert main() == 0
        assert not backends.PROCESSES.are_started(1)
    finally:
        gc.unfreeze()
        gc.set_threshold(*before)


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="processors are chosen on Linux alone")
def test_there_are_no_more_jobs_than_processors_that_may_be_used():
    every = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(every)})
        assert [backends.within_processors(jobs) for jobs in (1, 2, 3, 999)] == [1, 2, 2, 2]
    finally:
        os.sched_setaffinity(0, every)
