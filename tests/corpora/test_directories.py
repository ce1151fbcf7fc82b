"""A directory that cannot be written is reported by the name that the user knows, and leaves nothing behind."""

from __future__ import annotations

import contextlib
import errno
import os
import subprocess
import sys
import time

import pytest

from metaeval.corpora import directories
from metaeval.corpora.directories import _HOST_SUFFIX, ABANDONED_AFTER, temporary_directory, whole_directory
from metaeval.errors import UsageError
from metaeval.runs.output import new_run
from metaeval.runtime.atomic_directory import locked
from tests.support.processes import HANGS, started


@contextlib.contextmanager
def whole_run(directory):
    with locked(directory), new_run(directory) as partial:
        yield partial


FULL = (errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("making", [whole_directory, whole_run])
@pytest.mark.parametrize("named", [True, False])
def test_a_full_disk(tmp_path, making, named):
    # The system names a file that it does not open, and none that is open already.
    target = tmp_path / "mine"

    def make() -> None:
        with making(target) as partial:
            (partial / "file").write_text("half")
            raise OSError(*FULL, str(partial / "other")) if named else OSError(*FULL)

    with pytest.raises(UsageError) as told:
        make()
    assert str(told.value) == f"{target}: cannot be written: No space left on device."
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("making", [whole_directory, whole_run])
@pytest.mark.parametrize("error", [PermissionError(errno.EACCES, "Permission denied", "/other"), BrokenPipeError()])
def test_what_fails_elsewhere_is_another_error(tmp_path, making, error):
    with pytest.raises(type(error)), making(tmp_path / "mine"):
        raise error
    assert list(tmp_path.iterdir()) == []


MAKING = """
import sys, time
from pathlib import Path
from metaeval.corpora.directories import whole_directory
with whole_directory(Path(sys.argv[1])) as partial:
    (partial / "half").write_text("")
    print(flush=True)
    time.sleep(1000)
"""


def hidden(folder):
    return [path.name for path in folder.iterdir() if path.name.startswith(".partial-")]


@pytest.mark.skipif(os.name != "posix", reason="locks")
def test_what_a_killed_process_has_left_is_removed_and_what_others_make_is_not(tmp_path):
    command = [sys.executable, "-c", MAKING, str(tmp_path / "theirs")]
    with started(command, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"\n"
        with whole_directory(tmp_path / "first"):
            assert len(hidden(tmp_path)) == 2
        (theirs,) = hidden(tmp_path)
        process.kill()
        process.wait(HANGS)
        assert hidden(tmp_path) == [theirs]
        with whole_directory(tmp_path / "second"):
            assert theirs not in hidden(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["first", "second"]


@pytest.mark.parametrize("age", [0.0, 2 * ABANDONED_AFTER])
def test_where_nothing_tells_whether_the_maker_lives_age_does(tmp_path, monkeypatch, age):
    # Of another machine, whose locks may not be seen here; or of this one, on a file system without locks.
    elsewhere = tmp_path / "x-12345678.metaeval-elsewher"
    here = tmp_path / f"x-12345678{_HOST_SUFFIX}"
    mine = tmp_path / "mine.metaeval"
    for path in (elsewhere, here, mine):
        path.mkdir()
        os.utime(path, (time.time() - age,) * 2)

    def refused(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("fcntl.flock", refused)
    with temporary_directory(tmp_path, "new-") as new:
        assert set(tmp_path.iterdir()) == {mine, new, *(() if age else (elsewhere, here))}
    assert not new.exists()


def test_a_directory_that_is_removed_before_it_is_locked_is_made_again(tmp_path, monkeypatch):
    lock, removed = directories._lock, []

    def slow(path, **how):
        if not removed:
            removed.append(path)
            path.rmdir()
        return lock(path, **how)

    monkeypatch.setattr(directories, "_lock", slow)
    with temporary_directory(tmp_path, "new-") as new:
        assert list(tmp_path.iterdir()) == [new]
        assert [new] != removed
