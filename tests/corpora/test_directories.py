"""A directory that cannot be written is reported by the name that the user knows, and leaves nothing behind."""

from __future__ import annotations

import contextlib
import errno
import os
import time

import pytest

from metaeval.corpora.directories import ABANDONED_AFTER_S, temporary_directory, whole_directory
from metaeval.errors import UsageError
from metaeval.runs.output import new_run
from metaeval.runtime.atomic_directory import locked


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


@pytest.mark.parametrize("age", [0.0, 2 * ABANDONED_AFTER_S])
def test_what_a_killed_process_has_left_is_removed_after_a_day(tmp_path, age):
    with temporary_directory(tmp_path, "x-") as left:
        name = left.name
    others = tmp_path / "mine.metaeval"
    for path in (left, others):
        (path / "folder").mkdir(parents=True)
        os.utime(path, (time.time() - age,) * 2)
    with temporary_directory(tmp_path, "new-") as new:
        assert {path.name for path in tmp_path.iterdir()} == {others.name, new.name, *(() if age else (name,))}
    assert not new.exists()
