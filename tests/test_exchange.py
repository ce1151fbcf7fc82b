"""A directory whose files are replaced together: wherever a process is killed, there is the old or the new."""

from __future__ import annotations

import fcntl
import json
import multiprocessing
import os
import platform
import shutil
import threading
from pathlib import Path

import pytest

import metaeval
from metaeval import exchange
from metaeval.errors import UsageError
from metaeval.exchange import MANIFEST, alone, exchanged, finished
from metaeval.results.store import read_run

OLD = {MANIFEST: "old", "a.txt": "old a", "b.txt": "old b", "figures/f.svg": "old f", "figures/g.svg": "old g"}
NEW = {MANIFEST: "new", "a.txt": "new a", "c.txt": "new c", "figures/f.svg": "new f"}


def written(directory, files):
    for name, text in files.items():
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / name).write_text(text)
    return directory


def contents(directory):
    return {path.relative_to(directory).as_posix(): path.read_text() for path in directory.rglob("*") if path.is_file()}


def put(directory):
    owned = [name for name in contents(directory) if not name.startswith(".")]
    with alone(directory), exchanged(directory, owned=owned) as partial:
        written(partial, NEW)


class Killed(BaseException):
    """In the place of a signal that nothing can catch."""


def test_the_new_files_take_the_place_of_the_old(tmp_path):
    put(written(tmp_path, OLD))
    assert contents(tmp_path) == NEW


def test_a_directory_that_is_not_there_is_made_and_goes_if_nothing_is_written(tmp_path):
    put(tmp_path / "mine")
    assert contents(tmp_path / "mine") == NEW
    with pytest.raises(ZeroDivisionError), alone(tmp_path / "other"):
        raise ZeroDivisionError
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_wherever_it_is_killed_there_is_the_old_or_the_new(tmp_path, monkeypatch):
    steps = 0
    while killed_before(steps, tmp_path / str(steps), monkeypatch):
        steps += 1
    # A folder, what is renamed, the manifest, two files, a figure, two that go, the manifest again.
    assert steps >= 10


def killed_before(before, directory, monkeypatch):
    """Kill an exchange before one of its steps, if it has so many; whatever it leaves must be whole when finished."""
    written(directory, OLD)
    steps = iter(range(99))

    def counted(own):
        def step(path, *arguments, **options):
            # A lock goes with the process.
            if path.name != exchange.LOCK and next(steps) == before:
                raise Killed
            return own(path, *arguments, **options)

        return step

    killed = False
    with monkeypatch.context() as patch:
        for name in ("rename", "replace", "unlink", "mkdir"):
            patch.setattr(Path, name, counted(getattr(Path, name)))
        # A process that is killed cleans nothing up.
        patch.setattr(shutil, "rmtree", lambda *_, **__: None)
        try:
            put(directory)
        except Killed:
            killed = True
    if (directory / MANIFEST).exists() and not (directory / exchange.READY).exists():
        is_new = (directory / MANIFEST).read_text() == "new"
        found = {name: text for name, text in contents(directory).items() if not name.startswith(".")}
        assert found == (NEW if is_new else OLD)
    finished(directory)
    with alone(directory):
        assert contents(directory).keys() - {".lock"} in (OLD.keys(), NEW.keys())
    assert contents(directory) in (OLD, NEW)
    put(directory)
    assert contents(directory) == NEW
    return killed


def test_files_that_stay_are_not_written_to(tmp_path):
    directory = written(tmp_path / "run", OLD)
    (directory / "notes.md").write_text("mine")

    def fail(partial):
        (partial / "a.txt").unlink()
        (partial / "a.txt").write_text("new a")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), alone(directory), exchanged(directory, keep=True) as partial:
        fail(partial)
    assert contents(directory) == {**OLD, "notes.md": "mine"}
    with alone(directory), exchanged(directory, keep=True) as partial:
        (partial / "a.txt").unlink()
        (partial / "a.txt").write_text("new a")
    assert contents(directory) == {**OLD, "notes.md": "mine", "a.txt": "new a"}


def hold(directory, ready, done):
    with alone(Path(directory)):
        ready.set()
        done.wait(60)


def test_who_is_at_a_directory_is_named(tmp_path):
    context = multiprocessing.get_context("spawn")
    ready, done = context.Event(), context.Event()
    other = context.Process(target=hold, args=(str(tmp_path), ready, done))
    other.start()
    try:
        assert ready.wait(60)
        with pytest.raises(UsageError, match=rf"^.*: process {other.pid} on .* is writing there; wait until") as told:
            put(tmp_path)
        assert str(told.value).startswith(str(tmp_path))
    finally:
        done.set()
        other.join(60)
    put(tmp_path)
    assert contents(tmp_path) == NEW


def test_a_lock_that_a_killed_process_has_left_holds_nobody_up(tmp_path):
    (tmp_path / exchange.LOCK).write_text("process 1 on elsewhere")
    put(tmp_path)
    assert contents(tmp_path) == NEW


def quick_run(metric, output):
    overrides = ["uncertainty.n_resamples=10", "figures=[]", 'criteria=["fluency"]', f'metrics=["{metric}"]']
    return metaeval.run("system-level", overrides=overrides, output=output)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    return [quick_run(metric, tmp_path_factory.mktemp(metric)) for metric in ("ter", "wer")]


def test_a_reader_never_sees_a_mix_of_two_runs(runs, tmp_path):
    """One thread puts two runs there in turn, while this one reads: each that it gets is one of both, whole."""
    directory = tmp_path / "run"
    sources = [{path: path.read_bytes() for path in run.directory.rglob("*") if path.is_file()} for run in runs]
    stop = threading.Event()

    def exchange_them():
        number = 0
        while not stop.is_set():
            run, number = sources[number % 2], number + 1
            with alone(directory), exchanged(directory, owned=[one.name for one in sources[number % 2]]) as partial:
                for path, content in run.items():
                    (partial / path.name).write_bytes(content)

    writer = threading.Thread(target=exchange_them)
    shutil.copytree(runs[0].directory, directory)
    writer.start()
    try:
        found = [read_run(directory) for _ in range(20)]
    finally:
        stop.set()
        writer.join()
    of_metric = {metric: repr(run.data.tables) for metric, run in zip(("ter", "wer"), runs, strict=True)}
    for one in found:
        (metric,) = {row.key.metric for row in one.tables.correlations}
        assert repr(one.tables) == of_metric[metric]
        assert f'"{metric}"' in one.config


def test_who_has_just_locked_a_directory_is_named_as_soon_as_it_says_who_it_is(tmp_path):
    with (tmp_path / exchange.LOCK).open("w+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        writer = threading.Timer(0.1, lambda: (lock.write("process 7 on there"), lock.flush()))
        writer.start()
        with pytest.raises(UsageError, match="process 7 on there is writing there"), alone(tmp_path):
            pass
        writer.join()


def test_a_lock_that_is_just_let_go_is_taken(tmp_path):
    with (tmp_path / exchange.LOCK).open("w+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        remover = threading.Timer(0.1, (tmp_path / exchange.LOCK).unlink)
        remover.start()
        with alone(tmp_path):
            assert (tmp_path / exchange.LOCK).read_text() == f"process {os.getpid()} on {platform.node()}"
        remover.join()


@pytest.mark.parametrize("n_times", [3, pytest.param(20, marks=pytest.mark.long)])
def test_two_runs_into_one_directory_at_once_give_one_of_them(tmp_path, n_times):
    """One of both is refused, or comes after the other; what lies there is always one run."""
    told = []

    def start(metric):
        try:
            quick_run(metric, tmp_path / "run")
        except UsageError as error:
            told.append(str(error))

    for _ in range(n_times):
        both = [threading.Thread(target=start, args=(metric,)) for metric in ("ter", "wer")]
        for one in both:
            one.start()
        for one in both:
            one.join()
        assert len({row.key.metric for row in metaeval.load_run(tmp_path / "run").data.tables.correlations}) == 1
        assert json.loads((tmp_path / "run" / MANIFEST).read_text())["files"].keys() > {"correlations.tsv"}
        assert not {path.name for path in (tmp_path / "run").iterdir()} & {*exchange.OWN}
    expected = f"process {os.getpid()} on {platform.node()} is writing there"
    assert [one for one in told if expected not in one] == []
