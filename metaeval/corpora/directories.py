"""Directories that are there only when they are whole."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from metaeval.errors import UsageError
from metaeval.runtime.shutdown import removed_at_exit

# Seconds after which a temporary directory is taken for one that a killed process has left.
ABANDONED_AFTER_S = 86400.0
# How the names of temporary directories end.
_SUFFIX = ".metaeval-partial"


@contextmanager
def writing(directory: Path, partial: Path | None = None) -> Iterator[None]:
    """Name the place that the user knows where the system refuses something.

    Parameters
    ----------
    directory : Path
        That place.
    partial : Path, optional
        The temporary directory in its place; what is refused elsewhere is another matter.

    Raises
    ------
    UsageError
        If something cannot be written, such as for a full disk.
    """
    try:
        yield
    except OSError as error:
        # Of a file that is open already, the system does not give the name.
        inside = partial is None or Path(os.fsdecode(error.filename or partial)).is_relative_to(partial)
        if not inside or isinstance(error, BrokenPipeError):
            raise
        raise UsageError(f"{directory}: cannot be written: {error.strerror or error}.") from error


@contextmanager
def whole_directory(directory: Path) -> Iterator[Path]:
    """Yield a temporary directory that takes the name of `directory` when all went well, and vanishes otherwise.

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
    with ExitStack() as stack:
        with writing(directory):
            directory.parent.mkdir(parents=True, exist_ok=True)
            making = temporary_directory(directory.resolve().parent, f".{directory.name[:40]}-")
            partial = stack.enter_context(making)
        with writing(directory, partial):
            yield partial
        with writing(directory):
            partial.chmod(0o755)
            if directory.exists():
                directory.rmdir()
            partial.rename(directory)


@contextmanager
def temporary_directory(parent: Path, prefix: str) -> Iterator[Path]:
    """Yield a new directory that vanishes in the end; what killed processes left beside it a day ago vanishes now.

    Parameters
    ----------
    parent : Path
        Where it is made.
    prefix : str
        How its name begins.

    Raises
    ------
    OSError
        If it cannot be made.
    """
    for left in parent.glob(f"*{_SUFFIX}"):
        with suppress(OSError):  # another process may be faster
            if time.time() - left.stat().st_mtime > ABANDONED_AFTER_S:
                shutil.rmtree(left, ignore_errors=True)
    path = Path(tempfile.mkdtemp(dir=parent, prefix=prefix, suffix=_SUFFIX))
    with removed_at_exit(path):
        yield path
