"""Directories that are there only when they are whole."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from metaeval.errors import UsageError

ABANDONED_AFTER = 86400.0  # seconds until what a process left behind that was killed is removed


@contextmanager
def writing(directory: Path, partial: Path) -> Iterator[None]:
    """Name the place that the user knows where the system refuses something inside a temporary directory.

    Parameters
    ----------
    directory : Path
        That place.
    partial : Path
        The temporary directory.

    Raises
    ------
    UsageError
        If something inside it cannot be written, such as for a full disk.
    """
    try:
        yield
    except OSError as error:
        # Of a file that is open already, the system does not give the name.
        elsewhere = error.filename is not None and not Path(os.fsdecode(error.filename)).is_relative_to(partial)
        if elsewhere or isinstance(error, BrokenPipeError):
            raise
        raise UsageError(f"{directory}: cannot be written: {error.strerror or error}.") from error


@contextmanager
def whole_directory(directory: Path) -> Iterator[Path]:
    """Give a temporary directory that takes the name of `directory` when all went well, and vanishes otherwise.

    Parameters
    ----------
    directory : Path
        A directory that does not exist yet, or is empty.

    Raises
    ------
    UsageError
        If the directory holds something, or cannot be written.
    """
    if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        raise UsageError(f"{directory}: exists and is not an empty directory; choose another or remove it.")
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        partial = Path(tempfile.mkdtemp(dir=directory.resolve().parent, prefix=f".partial-{directory.name[:40]}-"))
    except OSError as error:
        raise UsageError(f"{directory}: cannot be written: {error.strerror}.") from error
    try:
        with writing(directory, partial):
            yield partial
        try:
            partial.chmod(0o755)
            if directory.exists():
                directory.rmdir()
            partial.rename(directory)
        except OSError as error:
            raise UsageError(f"{directory}: cannot be written: {error.strerror}.") from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def remove_abandoned(parent: Path) -> None:
    """Remove directories that were left behind long ago, while other processes may do the same.

    Parameters
    ----------
    parent : Path
        The directory that holds them.
    """
    for path in parent.iterdir():
        # Another process may be faster.
        with suppress(FileNotFoundError):
            if time.time() - path.stat().st_mtime > ABANDONED_AFTER:
                shutil.rmtree(path, ignore_errors=True)
