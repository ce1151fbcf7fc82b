"""Keep computed arrays on disk: what metrics count in texts, and scores of users' metrics.

An array is a ``.npy`` file, named by the digest of all that determines it and followed by 32 bytes, the SHA-256 of its
name and content, by which damage is noticed. Files are written aside and renamed, so that several users and processes
may share the directory. Where there are more than the limit, those used least recently are removed.
"""

from __future__ import annotations

import functools
import hashlib
import os
import platform
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

from metaeval.errors import MetaevalWarning, as_typed
from metaeval.runtime.byte_sizes import size_of, written_size
from metaeval.runtime.files import cache_directory
from metaeval.runtime.platform_fingerprint import fingerprint
from metaeval.runtime.shutdown import removed_at_exit

LIMIT_VARIABLE = "METAEVAL_CACHE_LIMIT"
_DEFAULT_LIMIT = "5G"
# The share of the limit that each kind of array has. Scores can take hours, and statistics take seconds.
_SHARES = {"scores": 0.75, "statistics": 0.25}
KINDS = tuple(_SHARES)
# An array larger than this fraction of its limit is not kept; the limit is checked whenever as much was written.
_LARGEST_FRACTION = 1 / 16
_DIGEST_BYTES = 32
_TEMPORARY_PREFIX = ".new-"
# A file is written in moments: one that is still unfinished after a day was left by a process that was killed.
_ABANDONED_AFTER_S = 24 * 60 * 60
# A file that was used within this time is not marked as used again.
_USED_RESOLUTION_S = 60
_PACKAGES = ("numpy", "scipy", "sacrebleu", "snowballstemmer")

# Bytes that this process has written of each kind since it last checked the limit.
_written: dict[str, int] = {}
_is_disabled = ContextVar("_is_disabled", default=False)

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Entry:
    """A file of the cache.

    Attributes
    ----------
    path : Path
    kind : str
        One of `KINDS`.
    size : int
        In bytes.
    used : float
        When it was used last, in seconds since 1970.
    """

    path: Path
    kind: str
    size: int
    used: float


class DamagedError(Exception):
    """Raised when a file of the cache is not what was written."""


def directory() -> Path:
    """Return the directory of the cache."""
    return cache_directory() / "arrays"


def earlier_directory() -> Path:
    """Return the directory in which earlier versions kept arrays; nothing reads it any more."""
    return cache_directory() / "store"


def limit() -> int:
    """Return the number of bytes to keep at most: METAEVAL_CACHE_LIMIT, by default 5G; 0 for no cache at all."""
    return 0 if _is_disabled.get() else size_of(os.environ.get(LIMIT_VARIABLE) or _DEFAULT_LIMIT, LIMIT_VARIABLE)


def _limit_of(kind: str) -> int:
    return int(_SHARES[kind] * limit())


@contextmanager
def disabled() -> Iterator[None]:
    """Neither read nor write the cache inside the block."""
    token = _is_disabled.set(True)
    try:
        yield
    finally:
        _is_disabled.reset(token)


def cached(kind: str, parts: Sequence[Any], compute: Callable[[], Array], shape: tuple[int | None, ...]) -> Array:
    """Return an array from the cache, or compute it and write it there.

    Parameters
    ----------
    kind : str
        One of `KINDS`.
    parts : sequence
        All that determines the array, beside the code of metaeval and the machine: see :func:`digest`.
    compute : callable
    shape : tuple of int or None
        The shape that it must have; None is any length.
    """
    if not limit():
        return compute()
    # Scores of users' metrics do not depend on the code of metaeval, and may have taken hours.
    name = digest(kind, fingerprint() if kind == "scores" else environment_digest(), *parts)
    array = read(kind, name, shape)
    if array is None:
        array = compute()
        write(kind, name, array)
    return array


def read(kind: str, name: str, shape: tuple[int | None, ...]) -> Array | None:
    """Return an array by the digest that names it; None if it is not there. A damaged file is removed."""
    if not limit():
        return None
    path = _path(kind, name)
    try:
        array = _load(path)
        if array.ndim != len(shape) or any(n not in (m, None) for m, n in zip(array.shape, shape, strict=True)):
            raise DamagedError(f"its shape is {array.shape}")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except PermissionError:
        warnings.warn(
            f"{directory()}: files of other users cannot be read, and are computed again. Users who share the "
            "directory type `umask 002` before each command, so that their group may read what they write.",
            MetaevalWarning,
            stacklevel=2,
        )
        return None
    except (DamagedError, OSError) as error:
        warnings.warn(f"{path}: is damaged ({_reason(error)}); it is computed again.", MetaevalWarning, stacklevel=2)
        remove(path)
        return None
    with suppress(OSError):
        if time.time() - path.stat().st_mtime > _USED_RESOLUTION_S:
            os.utime(path)
    return array


def write(kind: str, name: str, array: Array) -> None:
    """Write an array under a digest; where that is impossible, a warning says so."""
    largest = _limit_of(kind) * _LARGEST_FRACTION
    file = BytesIO()
    np.lib.format.write_array(file, np.asarray(array, order="C"), version=(1, 0), allow_pickle=False)
    content = file.getvalue()
    if len(content) + _DIGEST_BYTES > largest:
        return
    path = _path(kind, name)
    try:
        if kind not in _written:
            _mention_earlier_directory()
            prune([kind])
            _written[kind] = 0
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f"{_TEMPORARY_PREFIX}{uuid.uuid4().hex}")
        with removed_at_exit(temporary):
            # Not by tempfile, whose files nobody else may read.
            temporary.write_bytes(content + _checksum(name, content))
            temporary.replace(path)
        _written[kind] += len(content)
        if _written[kind] > largest:
            prune([kind])
            _written[kind] = 0
    except OSError as error:
        warnings.warn(
            f"{directory()}: cannot be written ({error.strerror}), so what is computed now will be computed again next "
            f"time. {LIMIT_VARIABLE}=0 switches the cache off, METAEVAL_CACHE names another directory.",
            MetaevalWarning,
            stacklevel=2,
        )


def _load(path: Path) -> Array:
    """Return the array of a file after checking it.

    Raises
    ------
    FileNotFoundError
        If there is none.
    DamagedError
        If it is not what was written.
    """
    whole = path.read_bytes()
    content = whole[:-_DIGEST_BYTES]
    if _checksum(path.stem, content) != whole[-_DIGEST_BYTES:]:
        raise DamagedError("its checksum is wrong")
    try:
        array: Array = np.lib.format.read_array(BytesIO(content), allow_pickle=False)
    except ValueError as error:
        raise DamagedError(str(error)) from error
    return array


def _checksum(name: str, content: bytes) -> bytes:
    return hashlib.sha256(name.encode() + content).digest()


def _path(kind: str, name: str) -> Path:
    assert kind in KINDS
    return directory() / kind / name[:2] / f"{name}.npy"


def _reason(error: Exception) -> str:
    return str(error.strerror if isinstance(error, OSError) else error)


def remove(path: Path) -> None:
    """Remove a file, if it is there and this user may."""
    with suppress(OSError):
        path.unlink()


def entries(kinds: Sequence[str] = KINDS) -> Iterator[Entry]:
    """Yield the files of some kinds."""
    for kind in kinds:
        for path in sorted((directory() / kind).glob("??/[!.]*")):
            with suppress(FileNotFoundError):  # another process has removed it
                known = path.stat()
                yield Entry(path, kind, known.st_size, known.st_mtime)


def damage(path: Path) -> str:
    """Describe the fault of a file; "" where it has none."""
    try:
        _load(path)
    except (DamagedError, OSError) as error:
        return _reason(error)
    return ""


def prune(kinds: Sequence[str] = KINDS, size: int | None = None) -> list[Path]:
    """Remove the files that were used least recently, and what killed processes left; return what was removed.

    Parameters
    ----------
    kinds : sequence of str
    size : int, optional
        How many bytes of all these kinds together may stay; unless given, each kind keeps its share of the limit.
    """
    removed = list[Path]()
    for kind in kinds:
        for path in (directory() / kind).glob(f"??/{_TEMPORARY_PREFIX}*"):
            with suppress(OSError):  # another process has finished or removed it
                if time.time() - path.stat().st_mtime > _ABANDONED_AFTER_S:
                    removed.append(path)
    for group in [[kind] for kind in kinds] if size is None else [[*kinds]]:
        limit = _limit_of(group[0]) if size is None else size
        by_use = sorted(entries(group), key=lambda entry: entry.used)
        bytes_left = sum(entry.size for entry in by_use)
        for entry in by_use:
            if bytes_left <= limit:
                break
            removed.append(entry.path)
            bytes_left -= entry.size
    for path in removed:
        remove(path)
    return [path for path in removed if not path.exists()]


def files_in(folder: Path) -> list[Path]:
    """Return the files in a folder and in those inside it."""
    return [path for path in sorted(folder.rglob("*")) if path.is_file()]


def _mention_earlier_directory() -> None:
    if earlier_directory().is_dir() and not directory().exists():
        size = written_size(sum(path.stat().st_size for path in files_in(earlier_directory())))
        command = as_typed(terminal="`metaeval cache prune`", python="`metaeval.prune_cache()`")
        warnings.warn(
            f"{earlier_directory()}: an earlier version kept {size} there, which is not used any more; {command} "
            "removes it.",
            MetaevalWarning,
            stacklevel=2,
        )


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
    elif isinstance(value, Sequence) and len(value) > 1 and {*map(type, value)} <= {str, type(None)}:
        # All at once: a corpus can have millions.
        lengths = np.fromiter((-1 if item is None else len(item) for item in value), dtype=np.int64, count=len(value))
        _add(total, lengths)
        _add(total, "".join(filter(None, value)))
    elif isinstance(value, Sequence):
        total.update(f"l{len(value)}:".encode())
        for item in value:
            _add(total, item)
    else:
        raise TypeError(f"what determines an array must be plain values; got {type(value).__name__}")


@functools.cache
def environment_digest() -> str:
    """Return a digest of the code of metaeval, the packages that compute, and how the machine rounds."""
    root = Path(__file__).parents[1]
    files = sorted(path for path in root.rglob("*") if path.suffix in (".py", ".so", ".pyd", ".toml", ".tsv"))
    code = [(path.relative_to(root).as_posix(), hashlib.sha256(path.read_bytes()).digest()) for path in files]
    import importlib.metadata  # scoring a file must not wait for it

    packages = [importlib.metadata.version(name) for name in _PACKAGES]
    return digest(code, packages, platform.python_version(), fingerprint())
