"""A directory that cannot be written is reported by the name that the user knows, and leaves nothing behind."""

from __future__ import annotations

import errno

import pytest

from metaeval.corpora.directories import whole_directory
from metaeval.errors import UsageError
from metaeval.runs.directory import new_run

FULL = (errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("making", [whole_directory, new_run])
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


@pytest.mark.parametrize("making", [whole_directory, new_run])
@pytest.mark.parametrize("error", [PermissionError(errno.EACCES, "Permission denied", "/other"), BrokenPipeError()])
def test_what_fails_elsewhere_is_another_error(tmp_path, making, error):
    with pytest.raises(type(error)), making(tmp_path / "mine"):
        raise error
    assert list(tmp_path.iterdir()) == []
