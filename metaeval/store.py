"""What was computed once and need not be again: arrays in files, named by the digest of all that determines them.

A file is a plain ``.npy`` with 32 more bytes behind it, the SHA-256 of its name and its content, so that any damage is
noticed, an exchange of two files too, and what a crash of the machine leaves of one: nobody waits for the disk. It is
written beside its place and renamed, so any number of processes may share the directory: whoever computes the same
writes the same. What was used least recently goes first when there is more than the limit.
"""

from __future__ import annotations

import functools
import hashlib
import mmap
import os
import platform
import re
import shutil
import stat
import time
import uuid
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from metaeval.errors import MetaevalWarning
from metaeval.numerics import fingerprint
from metaeval.resources import cache_directory
from metaeval.runtime.shutdown import removed_at_exit
from metaeval.sizes import size_of

LIMIT = "METAEVAL_CACHE_LIMIT"
_DEFAULT_LIMIT = "5G"
# What takes hours, with the share of the limit that is its own, and what takes seconds: neither pushes out the other.
_GROUPS = ((0.75, ("scores",)), (0.25, ("statistics", "figures", "checks")))
# Each has a folder.
KINDS = tuple(kind for _, kinds in _GROUPS for kind in kinds)
# Folders of earlier versions, which nothing reads.
_FORMER_KINDS = ("replicates",)
_DIGEST = 32
_OF_TEXTS = {str, type(None)}
# A file is written in moments: one that is still unfinished after a day never will be.
_ABANDONED_SECONDS = 24 * 60 * 60
_NAME = re.compile(r"[0-9a-f]{64}\.npy")
# A share of the limit that is written before the limit is looked at again, and the most that one array may take.
_LARGEST = 16
_PACKAGES = ("numpy", "scipy", "sacrebleu", "snowballstemmer")
# Bytes that this process has written of a kind since its limit was looked at; none before it was.
_written: dict[str, int] = {}
_off = ContextVar("_off", default=False)

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Entry:
    """A file of the store.

    Attributes
    ----------
    path : Path
    kind : str
        One of `KINDS`.
    size : int
        Its bytes.
    used : float
        When it was used last, in seconds since 1970.
    """

    path: Path
    kind: str
    size: int
    used: float


class DamagedError(Exception):
    """Raised for a file of the store that is not what was written."""


def directory() -> Path:
    """Return where the store is."""
    return cache_directory() / "store"


def limit() -> int:
    """Return how many bytes may be kept: those of METAEVAL_CACHE_LIMIT, by default 5G; with 0 nothing is."""
    if _off.get():
        return 0
    return size_of(os.environ.get(LIMIT) or _DEFAULT_LIMIT, LIMIT)


@contextmanager
def nothing_kept() -> Iterator[None]:
    """Neither look for what was computed before nor keep anything, inside the block."""
    token = _off.set(True)
    try:
        yield
    finally:
        _off.reset(token)


def kept(kind: str, parts: Sequence[Any], make: Callable[[], Array], shape: tuple[int | None, ...]) -> Array:
    """Return an array that was computed before, or compute it and keep it.

    Parameters
    ----------
    kind : str
        One of `KINDS`.
    parts : sequence
        All that determines it, beside this version and this machine: see :func:`digest`.
    make : callable
        Computes it.
    shape : tuple of int or None
        What its shape must be; None is any length.

    Returns
    -------
    array
        Read-only where it was kept.
    """
    if not limit():
        return make()
    # Scores of other people's code do not depend on ours, and took long.
    name = digest(kind, fingerprint() if kind == "scores" else surroundings(), *parts)
    array = get(kind, name, shape)
    if array is None:
        array = make()
        put(kind, name, array)
    return array


def kept_bytes(kind: str, parts: Sequence[Any], make: Callable[[], bytes]) -> bytes:
    """Return bytes, kept as :func:`kept` keeps arrays."""
    if not limit():
        return make()
    return kept(kind, parts, lambda: np.frombuffer(make(), np.uint8), (None,)).tobytes()


def get(kind: str, name: str, shape: tuple[int | None, ...]) -> Array | None:
    """Return an array by the digest that names it; None if it is not there. One that is damaged is removed."""
    if not limit():
        return None
    path = _path(kind, name)
    try:
        found = read(path)
        if len(found.shape) != len(shape) or any(n not in (m, None) for m, n in zip(found.shape, shape, strict=True)):
            raise DamagedError(f"its shape is {found.shape}")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except PermissionError:
        warnings.warn(
            f"{directory()}: what other users keep there cannot be read, and is computed again; whoever shares a "
            "directory types `umask 002` before each command, so that its group may read what is kept.",
            MetaevalWarning,
            stacklevel=2,
        )
        return None
    except (DamagedError, OSError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        warnings.warn(f"{path}: is damaged ({why}); it is computed again.", MetaevalWarning, stacklevel=2)
        remove(path)
        return None
    with suppress(OSError):
        if time.time() - path.stat().st_mtime > 60:
            os.utime(path)
    return found


def limit_of(kind: str) -> tuple[int, tuple[str, ...]]:
    """Return how many bytes may be kept of a kind together with others, and these: their share of the limit."""
    return next((int(share * limit()), kinds) for share, kinds in _GROUPS if kind in kinds)


def put(kind: str, name: str, array: Array) -> None:
    """Keep an array under a digest; where that cannot be, a warning says so."""
    most, kinds = limit_of(kind)
    content = _content(name, array)
    if len(content) * _LARGEST > most:
        return
    path, folder = _path(kind, name), directory() / "new"
    try:
        if kinds[0] not in _written:
            _remove_abandoned(folder)
            prune(most, kinds)
            _written[kinds[0]] = 0
        folder.mkdir(parents=True, exist_ok=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = folder / uuid.uuid4().hex
        with removed_at_exit(temporary):
            # With the permissions of any new file: others may share the directory.
            with open(temporary, "xb") as file:
                file.write(content)
            os.replace(temporary, path)
        _written[kinds[0]] += len(content)
        if _written[kinds[0]] * _LARGEST > most:
            prune(most, kinds)
            _written[kinds[0]] = 0
    except OSError as error:
        warnings.warn(
            f"{directory()}: cannot be written ({error.strerror}); what is computed now must be computed again next "
            f"time. {LIMIT}=0 keeps nothing, METAEVAL_CACHE names another directory.",
            MetaevalWarning,
            stacklevel=2,
        )


def read(path: Path) -> Array:
    """Return the array of a file of the store, mapped into memory.

    Raises
    ------
    FileNotFoundError
        If there is none.
    DamagedError
        If it is not what was written, or nothing that this would have written.
    """
    # A pipe would wait for ever, and a link can lead anywhere.
    number = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0))
    with os.fdopen(number, "rb"):
        known = os.fstat(number)
        if not stat.S_ISREG(known.st_mode):
            raise DamagedError("it is no file")
        if known.st_size <= _DIGEST:
            raise DamagedError(f"it has {known.st_size} bytes")
        content = memoryview(mmap.mmap(number, 0, access=mmap.ACCESS_READ))
    if seal(path.stem, content[:-_DIGEST]) != content[-_DIGEST:]:
        raise DamagedError("its digest is another")
    head = BytesIO(bytes(content[:10240]))
    try:
        if np.lib.format.read_magic(head) != (1, 0):
            raise DamagedError("it is of another version")
        shape, by_column, dtype = np.lib.format.read_array_header_1_0(head)
    except DamagedError:
        raise
    except Exception as error:  # numpy has it read by Python's own parser, which fails in many ways
        raise DamagedError(f"its header is none: {error}") from error
    size = int(dtype.itemsize)
    for length in shape:
        size *= length
    is_plain = not (by_column or dtype.hasobject or dtype.names or min(shape, default=0) < 0)
    if not is_plain or head.tell() + size != len(content) - _DIGEST:
        raise DamagedError(f"its header does not describe its content: {dtype}, {shape}")
    return np.ndarray(shape, dtype, buffer=content, offset=head.tell())


def _content(name: str, array: Array) -> bytes:
    file = BytesIO()
    np.lib.format.write_array(file, np.asarray(array, order="C"), version=(1, 0), allow_pickle=False)
    return file.getvalue() + seal(name, file.getbuffer())


def seal(name: str, content: bytes | memoryview) -> bytes:
    """Return what stands behind the content of a file: a digest of its name and of that."""
    total = hashlib.sha256(name.encode())
    total.update(content)
    return total.digest()


def _path(kind: str, name: str) -> Path:
    assert kind in KINDS
    return directory() / kind / name[:2] / f"{name}.npy"


def remove(path: Path) -> None:
    """Remove a file of the store, if it is there."""
    with suppress(OSError):
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()


def _remove_abandoned(folder: Path) -> None:
    """Remove what was begun long ago, by a process that was killed.

    Whether a process is still there is not asked: on Windows, asking it with a signal ends it.
    """
    for path in folder.glob("*"):
        with suppress(OSError):  # another process has finished or removed it
            if time.time() - path.lstat().st_mtime > _ABANDONED_SECONDS:
                remove(path)


def entries(kinds: Sequence[str] = KINDS) -> Iterator[Entry]:
    """Give the files of the store, of each kind."""
    for kind in kinds:
        for path in sorted((directory() / kind).glob("??/*")):
            with suppress(FileNotFoundError):  # another process has removed it
                known = path.lstat()
                yield Entry(path, kind, known.st_size, known.st_mtime)


def flaw(entry: Entry) -> str:
    """Return what is wrong with a file of the store; "" if nothing."""
    if not _NAME.fullmatch(entry.path.name) or entry.path.name[:2] != entry.path.parent.name:
        return "no name of the store"
    try:
        read(entry.path)
    except (DamagedError, OSError) as error:
        return str(error.strerror if isinstance(error, OSError) else error)
    return ""


def prune_to_limits(kinds: Sequence[str] = KINDS) -> list[Entry]:
    """Remove of some kinds what is more than may be kept of them; return what was removed."""
    removed = list[Entry]()
    for _, group in _GROUPS:
        if some := [kind for kind in group if kind in kinds]:
            removed += prune(limit_of(some[0])[0], some)
    return removed


def prune(most: int, kinds: Sequence[str] = KINDS) -> list[Entry]:
    """Remove what was used least recently until what is left has at most so many bytes; return what was removed.

    What only earlier versions kept goes whatever its size.
    """
    removed = list[Entry]()
    for kind in _FORMER_KINDS:
        with suppress(FileNotFoundError):  # another process is removing it
            removed += entries([kind])
        shutil.rmtree(directory() / kind, ignore_errors=True)
    found = sorted(entries(kinds), key=lambda one: one.used)
    total = sum(one.size for one in found)
    for one in found:
        if total <= most:
            break
        remove(one.path)
        removed.append(one)
        total -= one.size
    return removed


def digest(*parts: Any) -> str:
    """Return the SHA-256 of values, the same for the same values in every process.

    Parameters
    ----------
    *parts : None, bool, int, float, str, bytes, array, sequence or mapping of these
        Floats count by their bits.

    Raises
    ------
    TypeError
        For anything else.
    """
    total = hashlib.sha256()
    _add(total, parts)
    return total.hexdigest()


def _add(total: Any, value: Any) -> None:
    if isinstance(value, np.ndarray):
        total.update(f"a{value.dtype.str}{value.shape}".encode())
        total.update(np.ascontiguousarray(value).view(np.uint8).data if value.size else b"")
    elif isinstance(value, str | bytes):
        content = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value
        total.update(f"{type(value).__name__[0]}{len(content)}:".encode())
        total.update(content)
    elif value is None or isinstance(value, bool | int | float):
        total.update(f"{type(value).__name__}{value.hex() if isinstance(value, float) else value};".encode())
    elif isinstance(value, Mapping):
        _add(total, sorted(value.items()))
    elif isinstance(value, Sequence) and len(value) > 1 and {*map(type, value)} <= _OF_TEXTS:
        # All at once: a corpus can have millions.
        lengths = np.fromiter((-1 if one is None else len(one) for one in value), dtype=np.int64, count=len(value))
        _add(total, lengths)
        _add(total, "".join(filter(None, value)))
    elif isinstance(value, Sequence):
        total.update(f"l{len(value)}:".encode())
        for one in value:
            _add(total, one)
    else:
        raise TypeError(f"what determines an array must be plain values; got {type(value).__name__}")


@functools.cache
def surroundings() -> str:
    """Return a digest of what determines numbers beside what is asked for: this code, packages, and the machine."""
    root = Path(__file__).parent
    files = sorted(path for path in root.rglob("*") if path.suffix in (".py", ".so", ".pyd", ".toml", ".tsv"))
    code = [(path.relative_to(root).as_posix(), hashlib.sha256(path.read_bytes()).digest()) for path in files]
    import importlib.metadata  # scoring a file must not wait for it

    packages = [importlib.metadata.version(name) for name in _PACKAGES]
    return digest(code, packages, platform.python_version(), fingerprint())
