"""Files: where those that ship with metaeval lie, configs/ and data/, and how those of others are opened."""

from __future__ import annotations

import errno
import stat
from pathlib import Path
from typing import BinaryIO


def shipped(folder: str) -> Path:
    """Return the shipped folder ``configs`` or ``data``.

    It lies inside the package when that is installed, and beside the package in a checkout.
    """
    package = Path(__file__).parent
    inside = package / folder
    return inside if inside.is_dir() else package.parent / folder


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
    """Return what stands in a file; errors as :func:`open_file`."""
    with open_file(path) as file:
        return file.read()
