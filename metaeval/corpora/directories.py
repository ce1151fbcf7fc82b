"""Directories that are there only when they are whole."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from metaeval.errors import UsageError
from metaeval.runtime.shutdown import removed_at_exit

# Seconds until what a killed process has left is removed where no lock tells whether its maker lives.
ABANDONED_AFTER = 86400.0
# Of this machine: a file system that several share may let each of them lock for itself alone.
_HOST_SUFFIX = f".metaeval-{hashlib.sha256(platform.node().encode()).hexdigest()[:8]}"


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
            making = temporary_directory(directory.resolve().parent, f".partial-{directory.name[:40]}-")
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
    """Yield a new directory that vanishes in the end; whatever killed processes have left beside it vanishes now.

    Its maker holds a lock on it, which the system takes away when the process ends, however it does.

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
    _remove_abandoned(parent)
    lock = None
    path = Path()
    # Before it is locked, another process may take it for abandoned.
    while lock is None or not path.exists():
        path = Path(tempfile.mkdtemp(dir=parent, prefix=prefix, suffix=_HOST_SUFFIX))
        with suppress(FileNotFoundError):
            lock = _lock(path)
    try:
        with removed_at_exit(path):
            yield path
    finally:
        if lock >= 0:
            os.close(lock)


def _remove_abandoned(parent: Path) -> None:
    """Remove temporary directories whose makers have ended, while other processes may do the same."""
    for path in parent.glob(f"*{'?' * 8}.metaeval-{'?' * 8}"):
        # Another process may be faster.
        with suppress(OSError):
            lock = _lock(path, wait=False) if path.name.endswith(_HOST_SUFFIX) else -1
            if lock >= 0 or time.time() - path.stat().st_mtime > ABANDONED_AFTER:
                shutil.rmtree(path, ignore_errors=True)
            if lock >= 0:
                os.close(lock)


def _lock(path: Path, *, wait: bool = True) -> int:
    """Lock a directory until the descriptor that is returned is closed; -1 where that is not possible.

    Raises
    ------
    OSError
        If there is no such directory, or another process holds it and should not be waited for.
    """
    try:
        import fcntl
    except ImportError:  # pragma: no cover - on Windows
        return -1
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(descriptor)
        if isinstance(error, BlockingIOError):
            raise
        return -1
    return descriptor
