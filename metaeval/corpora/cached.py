"""A corpus in the cache must still be the one that was put there: a record of its files lies among them."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from metaeval.resources import file_digest

# Hidden, so that no reader takes it for a part of the corpus.
RECORD = ".files.json"


def record(directory: Path) -> None:
    """Write the record of the files of a directory.

    Parameters
    ----------
    directory : Path
    """
    found = {
        name: None if stat.S_ISDIR(status.st_mode) else [*_outside(status), file_digest(directory / name)]
        for name, status in _entries(directory)
    }
    partial = directory / f"{RECORD}.{os.getpid()}"
    partial.write_text(json.dumps(found, indent=1), encoding="utf-8")
    partial.replace(directory / RECORD)


def damage(directory: Path) -> str | None:
    """Return what is wrong with a directory that has a record.

    Content is read only where the size or a time of a file has changed; the system notes the time of each change, and
    nobody can set that one.

    Parameters
    ----------
    directory : Path

    Returns
    -------
    str or None
        None if nothing is; empty if there is no such directory.
    """
    if not os.path.lexists(directory):
        return ""
    try:
        recorded = {
            name: facts if facts is None else (facts[:-1], facts[-1])
            for name, facts in json.loads((directory / RECORD).read_bytes()).items()
        }
    except NotADirectoryError:
        return "it is no directory"
    except (OSError, ValueError, TypeError, AttributeError):
        return f"{RECORD} cannot be read"
    found = dict(_entries(directory))
    for name in sorted(recorded.keys() ^ found.keys()):
        return f"{name} is {'missing' if name in recorded else 'new'}"
    touched = False
    for name, facts in recorded.items():
        kind = stat.S_ISREG if facts else stat.S_ISDIR
        if not kind(found[name].st_mode):
            return f"{name} is no {'file' if facts else 'directory'}"
        if facts and facts[0] != _outside(found[name]):
            try:
                if facts[1] != file_digest(directory / name):
                    return f"{name} has another content"
            except OSError as error:
                return f"{name} cannot be read: {error.strerror}"
            touched = True
    if touched:
        # What was copied or touched is not read again each time.
        with suppress(OSError):
            record(directory)
    return None


def _entries(directory: Path) -> Iterator[tuple[str, os.stat_result]]:
    """Give the name and the status of all that lies in a directory, but for what is hidden."""
    for folder, folders, files in os.walk(directory):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in [*folders, *sorted(name for name in files if not name.startswith("."))]:
            path = Path(folder, name)
            with suppress(FileNotFoundError):
                yield path.relative_to(directory).as_posix(), path.lstat()


def _outside(status: os.stat_result) -> list[int]:
    return [status.st_size, status.st_mtime_ns, status.st_ctime_ns]
