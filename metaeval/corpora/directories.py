"""Directories that are there only when they are whole."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from metaeval.errors import UsageError


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
        yield partial
        partial.chmod(0o755)
        if directory.exists():
            directory.rmdir()
        partial.rename(directory)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
