"""Files: the folders that ship with metaeval, configs/ and data/, and reading of files of users."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import Any, BinaryIO

from metaeval.errors import MetaevalError


def shipped(folder: str) -> Path:
    """Return the shipped folder ``configs`` or ``data``.

    It lies inside the package when that is installed, and beside the package in a checkout.

    Raises
    ------
    MetaevalError
        If it is in neither place: without it, a name such as ``demo`` would mean another corpus.
    """
    package = Path(__file__).parents[1]
    for path in (package / folder, package.parent / folder):
        if path.is_dir():
            return path
    raise MetaevalError(
        f"the folder {folder!r} that ships with metaeval must be in {package} or beside it, and is not; install "
        "metaeval again."
    )


def cache_directory() -> Path:
    """Return the directory of what is made, fetched or kept: that of METAEVAL_CACHE, or the platform's for caches."""
    chosen = os.environ.get("METAEVAL_CACHE")
    if chosen:
        return Path(chosen).expanduser()
    import platformdirs

    return Path(platformdirs.user_cache_dir("metaeval"))


def tables_of(module: str) -> dict[str, Any]:
    """Return the content of the TOML file that lies beside a module and bears its name."""
    import tomllib  # help must not wait for it

    return tomllib.loads(Path(module).with_suffix(".toml").read_text(encoding="utf-8"))


def open_file(path: Path) -> BinaryIO:
    """Open a file for reading.

    Raises
    ------
    OSError
        If it cannot be read, or is a pipe, a socket or a device, which may never end. What a shell hands over as a path
        of an open file, as for ``<(...)``, is taken as it is.
    """
    handed_over = path.as_posix().startswith(("/dev/fd/", "/dev/stdin", "/proc/self/fd/"))
    kind = stat.S_IFMT(path.stat().st_mode)
    if kind not in (stat.S_IFREG, stat.S_IFDIR) and not handed_over:
        raise OSError(errno.EINVAL, "It is a pipe, a socket or a device, where a file must be", str(path))
    return path.open("rb")


def read_file(path: Path) -> bytes:
    """Return the bytes of a file; errors as :func:`open_file`."""
    with open_file(path) as file:
        return file.read()


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file, which need not fit into memory."""
    import hashlib  # help must not wait for it

    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
