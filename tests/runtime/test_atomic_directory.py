"""The directory of a run, replaced as a whole: wherever a process is killed, nobody takes a mix of two runs for one."""

from __future__ import annotations

import contextlib
import json
import os
import platform
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import metaeval
from metaeval.cli import main
from metaeval.errors import UsageError
from metaeval.results import store
from metaeval.results.store import read_run
from metaeval.runtime import atomic_directory as run_directory
from metaeval.runtime.atomic_directory import LOCK, MANIFEST, WRITER, is_internal, locked, replaced, wait_for_writer
from tests.support.processes import HANGS, started

OLD = {MANIFEST: "old", "a.txt": "old a", "b.txt": "old b", "figures/f.svg": "old f", "figures/g.svg": "old g"}
N_READINGS = 20
NEW = {MANIFEST: "new", "a.txt": "new a", "c.txt": "new c", "figures/f.svg": "new f"}


def written(directory, files):
    for name, text in files.items():
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / name).write_text(text)
    return directory


def contents(directory):
    files = {path.relative_to(directory).as_posix(): path for path in directory.rglob("*") if path.is_file()}
    return {
        name: path.read_text(errors="replace")
        for name, path in files.items()
        if not is_internal(name.partition("/")[0])
    }


def put(directory):
    with locked(directory), replaced(directory, owned=contents(directory)) as partial:
        written(partial, NEW)


class Killed(BaseException):
    """In the place of a signal that nothing can catch."""


def test_the_new_files_take_the_place_of_the_old(tmp_path):
    put(written(tmp_path, OLD))
    assert contents(tmp_path) == NEW
    assert {path.name for path in tmp_path.iterdir()} == {MANIFEST, "a.txt", "c.txt", "figures"}


def test_a_directory_that_is_not_there_is_made_and_goes_if_nothing_is_written(tmp_path):
    put(tmp_path / "mine")
    assert contents(tmp_path / "mine") == NEW
    with pytest.raises(ZeroDivisionError), locked(tmp_path / "other"):
        raise ZeroDivisionError
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_after_an_error_nothing_has_changed(tmp_path):
    written(tmp_path, OLD)

    def fail():
        with locked(tmp_path), replaced(tmp_path, owned=OLD) as partial:
            written(partial, NEW)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert contents(tmp_path) == OLD
    assert [path.name for path in tmp_path.iterdir() if is_internal(path.name)] == []


def test_wherever_it_is_killed_there_is_the_old_the_new_or_none(tmp_path, monkeypatch):
    found = []
    while (state := killed_before(len(found), tmp_path / str(len(found)), monkeypatch)) is not None:
        found.append(state)
    # A folder of new files is begun and filled; the manifest, a file and a figure that go; a folder, three files.
    assert found[0] == "old"
    assert found.count("none") >= 6
    assert found == sorted(found, key=["old", "none", "new"].index)


def killed_before(before, directory, monkeypatch):
    """Kill a writer before one of its steps, if it has so many, and return which run is there then."""
    written(directory, OLD)
    steps, killed = iter(range(99)), False

    def counted(own):
        def step(path, *arguments, **options):
            # A lock goes with the process.
            if path.name not in (LOCK, WRITER) and next(steps) == before:
                raise Killed
            return own(path, *arguments, **options)

        return step

    with monkeypatch.context() as patch:
        for name in ("replace", "unlink", "mkdir"):
            patch.setattr(Path, name, counted(getattr(Path, name)))
        # A process that is killed cleans nothing up.
        patch.setattr(shutil, "rmtree", lambda *_, **__: None)
        try:
            put(directory)
        except Killed:
            killed = True
            (directory / WRITER).write_text("process 7 on there")
    if not killed:
        assert contents(directory) == NEW
        return None
    if (directory / MANIFEST).exists():
        state = (directory / MANIFEST).read_text()
        assert contents(directory) == {"old": OLD, "new": NEW}[state]
        assert wait_for_writer(directory) == ""
    else:
        state = "none"
        assert wait_for_writer(directory) == "incomplete"
        with pytest.raises(UsageError, match="run there is incomplete: process 7 on there ended before it was done"):
            read_run(directory)
    # The next writer is not held up, and leaves nothing of the killed one.
    put(directory)
    assert contents(directory) == NEW
    assert [path.name for path in directory.iterdir() if is_internal(path.name)] == []
    return state


HOLD = """
import sys
from pathlib import Path
from metaeval.runtime.atomic_directory import locked
with locked(Path(sys.argv[1])):
    print("here", flush=True)
    sys.stdin.read()
"""


@contextlib.contextmanager
def held(directory):
    """Let another process write a directory, and give it."""
    command = [sys.executable, "-c", HOLD, str(directory)]
    with started(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"here\n"
        yield other
        other.stdin.close()
        other.wait(HANGS)


def test_a_second_writer_is_refused_with_the_name_of_the_first(tmp_path):
    with held(tmp_path) as other:
        with pytest.raises(UsageError, match=rf"^.*: process {other.pid} on .* is writing there; wait until") as told:
            put(tmp_path)
        assert str(told.value).startswith(str(tmp_path))
    put(tmp_path)
    assert contents(tmp_path) == NEW


def test_who_reads_a_run_that_is_being_made_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(run_directory, "READ_TIMEOUT_S", 0.1)
    with held(tmp_path) as other, pytest.raises(UsageError, match=rf"process {other.pid} on .* is writing there; read"):
        read_run(tmp_path)


def test_a_writer_that_was_killed_holds_nobody_up(tmp_path):
    with held(tmp_path) as other:
        other.kill()
        other.wait(HANGS)
        with pytest.raises(UsageError, match=rf"incomplete: process {other.pid} on .* ended before it was done"):
            read_run(tmp_path)
        put(tmp_path)
    assert contents(tmp_path) == NEW


def quick_run(metric, output):
    overrides = ["uncertainty.n_resamples=10", "figures=[]", 'criteria=["fluency"]', f'metrics=["{metric}"]']
    return metaeval.run("system-level", overrides=overrides, output=output)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    return [quick_run(metric, tmp_path_factory.mktemp(metric)) for metric in ("ter", "wer")]


def test_an_incomplete_run_is_told_and_made_again(runs, tmp_path, capsys):
    directory = tmp_path / "run"
    shutil.copytree(runs[0].directory, directory)
    (directory / MANIFEST).unlink()
    (directory / WRITER).write_text("process 7 on there")
    for verb in (["report"], ["figures"], ["export"], ["diff", str(runs[0].directory)]):
        assert main([verb[0], str(directory), *verb[1:]]) != 0
        assert "incomplete: process 7 on there ended" in capsys.readouterr().err
    quick_run("ter", directory)
    assert contents(directory).keys() == contents(runs[0].directory).keys()
    tables = [(one / "correlations.tsv").read_bytes() for one in (directory, runs[0].directory)]
    assert tables[0] == tables[1]


def test_a_directory_of_others_is_still_refused(tmp_path):
    (tmp_path / "thesis.tex").write_text("years of work")
    (tmp_path / WRITER).write_text("process 7 on there")
    with pytest.raises(UsageError, match=r"thesis\.tex"):
        quick_run("ter", tmp_path)
    assert (tmp_path / "thesis.tex").exists()


def test_a_reader_never_sees_a_mix_of_two_runs(runs, tmp_path):
    """While this thread reads, another one puts the other run there: what is read is one of both, whole.

    Each reading has one replacement beside it: a reader gives up where others never leave it in peace.
    """
    directory = tmp_path / "run"
    files_of = [{path: path.read_bytes() for path in run.directory.rglob("*") if path.is_file()} for run in runs]
    readings = threading.Semaphore(0)

    def replace_once_a_reading():
        for number in range(N_READINGS):
            readings.acquire()
            old, new = files_of[number % 2], files_of[(number + 1) % 2]
            with locked(directory), replaced(directory, owned=[path.name for path in old]) as partial:
                for path, content in new.items():
                    (partial / path.name).write_bytes(content)

    writer = threading.Thread(target=replace_once_a_reading, daemon=True)
    shutil.copytree(runs[0].directory, directory)
    writer.start()
    was_read = []
    for _ in range(N_READINGS):
        readings.release()
        was_read.append(read_run(directory))
    writer.join()
    tables_of = {metric: repr(run.data.tables) for metric, run in zip(("ter", "wer"), runs, strict=True)}
    for run in was_read:
        (metric,) = {row.key.metric for row in run.tables.correlations}
        assert repr(run.tables) == tables_of[metric]
        assert f'"{metric}"' in run.config
    assert len({run.config for run in was_read}) == 2


def test_a_reader_comes_again_where_the_manifest_was_taken_away_just_now(runs, tmp_path, monkeypatch):
    directory = shutil.copytree(runs[0].directory, tmp_path / "run")
    manifest = (directory / MANIFEST).read_bytes()

    def begin_to_replace(_directory):
        (directory / MANIFEST).unlink()
        (directory / WRITER).write_text("process 1 on host")
        monkeypatch.setattr(store, "wait_for_writer", end_of_it)
        return ""  # there was a manifest, a moment ago

    def end_of_it(_directory):
        (directory / MANIFEST).write_bytes(manifest)
        (directory / WRITER).unlink()
        return ""

    monkeypatch.setattr(store, "wait_for_writer", begin_to_replace)
    assert repr(read_run(directory).tables) == repr(runs[0].data.tables)


def test_two_runs_into_one_directory_at_once_give_one_of_them(tmp_path):
    """One of both is refused, or comes after the other; what lies there is always one run."""
    told = []

    def start(metric):
        try:
            quick_run(metric, tmp_path / "run")
        except UsageError as error:
            told.append(str(error))

    for _ in range(3):
        both = [threading.Thread(target=start, args=(metric,)) for metric in ("ter", "wer")]
        for one in both:
            one.start()
        for one in both:
            one.join()
        assert len({row.key.metric for row in metaeval.load_run(tmp_path / "run").data.tables.correlations}) == 1
        assert json.loads((tmp_path / "run" / MANIFEST).read_text())["files"].keys() > {"correlations.tsv"}
        assert [path.name for path in (tmp_path / "run").iterdir() if is_internal(path.name)] == []
    expected = f"process {os.getpid()} on {platform.node()} is writing there"
    assert [one for one in told if expected not in one] == []
