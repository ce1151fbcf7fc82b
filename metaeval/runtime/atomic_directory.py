"""The directory of a run, replaced as a whole: its files are written aside, under a lock, and the manifest comes last.

While a run is made, its directory holds ``.lock``, which a second writer meets, and ``.writer``, which says who has it;
both go in the end. New files are written to ``.new-*`` inside, and move when all are there: first the old manifest
goes, then files are replaced, then the new manifest is put in place. So a directory without a manifest is no run. Where
a process was killed between the two, the run is incomplete, and whoever reads it is told so; before, the earlier run is
whole.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from metaeval.errors import UsageError
from metaeval.runtime.shutdown import removed_at_exit

MANIFEST = "manifest.json"
LOCK, WRITER = ".lock", ".writer"
# How the name of a directory of new files begins.
NEW = ".new-"
# Seconds that a writer waits for one that is just finishing, and a reader for files that are being exchanged.
LOCK_TIMEOUT_S, READ_TIMEOUT_S = 1.0, 5.0


def is_internal(name: str) -> bool:
    """Return whether a file or folder of a run's directory is none of the run's, but of how it is written."""
    return name in (LOCK, WRITER) or name.startswith(NEW)


@contextlib.contextmanager
def locked(directory: Path) -> Iterator[None]:
    """Keep other processes from writing a directory, which need not exist; remove what a killed one has left there.

    Raises
    ------
    UsageError
        If another process is writing there, which is named, or it cannot be written.
    """
    from filelock import FileLock, Timeout  # help must not wait for it

    is_new = not directory.is_dir()
    resolved = directory.resolve()
    lock = FileLock(directory / LOCK, timeout=LOCK_TIMEOUT_S)
    try:
        directory.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except Timeout:
        raise UsageError(
            f"{directory}: {writer_of(directory)} is writing there; wait until it is done, or choose another `output` "
            "directory."
        ) from None
    except OSError as error:
        raise UsageError(f"{directory}: cannot be written: {error.strerror}.") from error
    try:
        import platform

        (resolved / WRITER).write_text(f"process {os.getpid()} on {platform.node()}", encoding="utf-8")
        for leftover in resolved.glob(f"{NEW}*"):
            shutil.rmtree(leftover, ignore_errors=True)
        # Whoever waits for the lock sees that its file is gone, and makes another.
        with removed_at_exit(resolved / LOCK), removed_at_exit(resolved / WRITER):
            yield
    finally:
        lock.release()
        if is_new:
            with contextlib.suppress(OSError):
                resolved.rmdir()  # nothing was written


def writer_of(directory: Path) -> str:
    """Describe the process that says that it is writing a directory."""
    with contextlib.suppress(OSError):
        return (directory / WRITER).read_text(encoding="utf-8", errors="replace") or "another process"
    return "another process"


@contextlib.contextmanager
def replaced(directory: Path, owned: Iterable[str] = ()) -> Iterator[Path]:
    """Yield a directory whose files go into one that is :func:`locked`, when all are written; else nothing has changed.

    Parameters
    ----------
    directory : Path
    owned : iterable of str
        The names of files of an earlier run, which go.
    """
    new = Path(tempfile.mkdtemp(prefix=NEW, dir=directory))
    with removed_at_exit(new):
        yield new
        files = [path for path in new.rglob("*") if path.is_file()]
        for path in files:
            _sync(path)
        (directory / MANIFEST).unlink(missing_ok=True)
        for name in {*owned} - {MANIFEST}:
            (directory / name).unlink(missing_ok=True)
            with contextlib.suppress(OSError):
                (directory / name).parent.rmdir()  # a folder of which nothing is left
        for path in sorted(files, key=lambda path: path == new / MANIFEST):
            target = directory / path.relative_to(new)
            target.parent.mkdir(exist_ok=True)
            path.replace(target)


def wait_for_writer(directory: Path) -> str:
    """Return the reason why a directory has no manifest; "" if one comes within seconds, or it was never a run."""
    end = time.monotonic() + READ_TIMEOUT_S
    while not (directory / MANIFEST).exists():
        if not _is_locked(directory):
            # Whoever had it may have finished meanwhile.
            return "incomplete" if (directory / WRITER).exists() and not (directory / MANIFEST).exists() else ""
        if time.monotonic() > end:
            return "being written"
        time.sleep(0.01)
    return ""


def _is_locked(directory: Path) -> bool:
    """Return whether another process writes a directory."""
    if not (directory / LOCK).exists():
        return False
    from filelock import FileLock, Timeout

    try:
        with FileLock(directory / LOCK, timeout=0):
            return False
    except Timeout:
        return True
    except OSError:  # of somebody else, who may let others read alone
        return False


def _sync(path: Path) -> None:
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
