"""A directory whose files are replaced together: who is at it is known, and what a kill has left is finished or undone.

While it is worked on, it holds ``.lock``, which names the process, and ``.new``, which is being written. When that is
whole it is called ``.ready``; then the manifest goes, the files move, and the new manifest moves last. So whoever finds
``.ready`` can finish what a kill has broken off, and a reader who finds the same manifest before and after has read one
run. The system lets go of the lock when a process ends, however it ends.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from metaeval import endings
from metaeval.errors import UsageError

try:
    import fcntl
except ImportError:  # pragma: no cover - on Windows, where two processes must not write to one directory at once
    fcntl = None  # type: ignore[assignment]

MANIFEST = "manifest.json"
LOCK, NEW, READY = ".lock", ".new", ".ready"
OWN = (LOCK, NEW, READY)
# In what is ready: the files of before that have no place in it.
_GONE = ".gone"
# Seconds that a reader waits for files that are just being exchanged.
_PATIENCE = 5.0


@contextlib.contextmanager
def alone(directory: Path, *, named: bool = True) -> Iterator[None]:
    """Keep other processes from writing a directory; what a killed one has left there is finished or removed.

    Parameters
    ----------
    directory : Path
        It need not exist.
    named : bool
        Whether the lock says which process has it; others wait some seconds for one that does not.

    Raises
    ------
    UsageError
        If another process is at it, which is named, or it cannot be written.
    """
    is_here = directory.is_dir()
    try:
        number = _locked(directory)
    except BlockingIOError as holder:
        raise UsageError(
            f"{directory}: {holder} is writing there; wait until it is done, or choose another `output` directory."
        ) from None
    except OSError as error:
        raise UsageError(f"{directory}: cannot be written: {error.strerror}.") from error
    import platform  # help must not wait for it

    place = directory.resolve()
    try:
        os.ftruncate(number, 0)
        if named:
            os.write(number, f"process {os.getpid()} on {platform.node()}".encode())
        with endings.vanishing(place / LOCK):
            _finish(place)
            yield
    finally:
        os.close(number)
        if not is_here:
            with contextlib.suppress(OSError):
                place.rmdir()  # nothing was written


def _locked(directory: Path) -> int:
    """Return an open file that is locked and still has its name.

    Raises
    ------
    BlockingIOError
        If another process has it: it says which.
    """
    path = directory / LOCK
    end = time.monotonic() + _PATIENCE
    while True:
        directory.mkdir(parents=True, exist_ok=True)
        try:
            number = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        except FileNotFoundError:
            continue  # whoever had it has just removed the directory
        try:
            if _is_taken(number):
                holder = os.pread(number, 1000, 0).decode(errors="replace")
                if _is_named(number, path) and (holder or time.monotonic() > end):
                    raise BlockingIOError(holder or "another process")
            elif _is_named(number, path):
                return number
        except BaseException:
            os.close(number)
            raise
        os.close(number)
        time.sleep(0.01)  # whoever had it has just removed it, or not yet written who it is


def _is_taken(number: int) -> bool:
    """Lock an open file, and return whether another has; a file system may be without locks."""
    if fcntl is not None:
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except OSError:
            return False
    return False


def _is_named(number: int, path: Path) -> bool:
    """Return whether an open file still has its name."""
    with contextlib.suppress(FileNotFoundError):
        return os.fstat(number).st_ino == path.stat().st_ino
    return False


def _finish(directory: Path) -> None:
    """Finish an exchange that was broken off, or remove what is not whole."""
    ready = directory / READY
    if (ready / MANIFEST).exists():
        import json

        (directory / MANIFEST).unlink(missing_ok=True)
        for path in sorted(_files(ready)):
            if path.name not in (MANIFEST, _GONE):
                target = directory / path.relative_to(ready)
                target.parent.mkdir(exist_ok=True)
                path.replace(target)
        with contextlib.suppress(FileNotFoundError):
            for name in json.loads((ready / _GONE).read_text(encoding="utf-8")):
                (directory / name).unlink(missing_ok=True)
                with contextlib.suppress(OSError):
                    (directory / name).parent.rmdir()  # a folder of which nothing is left
        # Only after it the run is there again.
        (ready / MANIFEST).replace(directory / MANIFEST)
    for left in (ready, directory / NEW):
        shutil.rmtree(left, ignore_errors=True)


def finished(directory: Path) -> Path:
    """Return a directory after what was broken off, or is just being done, is finished."""
    end = time.monotonic() + _PATIENCE
    while (directory / READY).is_dir() and time.monotonic() < end:
        try:
            # Soon done: a writer who begins meanwhile is to wait, and not to be told that somebody is writing.
            with alone(directory, named=False):
                pass
        except UsageError:
            time.sleep(0.01)
    return directory


@contextlib.contextmanager
def exchanged(directory: Path, *, keep: bool = False, owned: Iterable[str] = ()) -> Iterator[Path]:
    """Give a directory whose files go into one that this process is :func:`alone` at, when all are written.

    After an error nothing has changed.

    Parameters
    ----------
    directory : Path
    keep : bool
        Whether the files of the directory stay, but those that are new: they are there at the beginning, as links,
        which must be replaced and not written to.
    owned : iterable of str
        The names of those that stood there and go, if there are no new ones of their names.
    """
    place = directory.resolve()
    new, ready = place / NEW, place / READY
    with endings.vanishing(new):
        if keep:
            shutil.copytree(place, new, copy_function=_linked, ignore=lambda _, names: {*OWN} & {*names})
        else:
            new.mkdir()
        yield new
        import json

        written = {path.relative_to(new).as_posix() for path in _files(new)}
        (new / _GONE).write_text(json.dumps(sorted({*owned} - written)), encoding="utf-8")
        for path in _files(new):
            _sync(path)
        new.rename(ready)
        _finish(place)


def _files(directory: Path) -> Iterator[Path]:
    return (path for path in directory.rglob("*") if path.is_file())


def _linked(source: str, target: str) -> str:
    try:
        os.link(source, target)
    except OSError:  # a file system without hard links
        shutil.copy2(source, target)
    return target


def _sync(path: Path) -> None:
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
