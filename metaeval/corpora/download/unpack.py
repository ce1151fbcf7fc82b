"""Unpack archives of corpora: files alone, inside one directory, up to a number and a size."""

from __future__ import annotations

import lzma
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import IO, Any

from metaeval.corpora.directories import whole_directory
from metaeval.errors import CorpusError

MAX_FILES = 100_000
MAX_BYTES = 4 << 30  # unpacked, together
CHUNK_BYTES = 1 << 16
ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
_COMPRESSION_BY_SUFFIX = {".tar": "", ".gz": "gz", ".tgz": "gz", ".bz2": "bz2", ".xz": "xz"}
# Raised by the libraries where an archive is cut off, damaged, encrypted, or not what the end of its name says.
_ARCHIVE_ERRORS = (
    *(tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError),
    *(EOFError, LookupError, RuntimeError, ValueError),
)

# The name of a file, and a function that opens it, or returns None where it is no file.
_Member = tuple[str, Callable[[], IO[bytes] | None]]


def is_archive(path: Path) -> bool:
    """Return whether a file has the name of an archive that can be unpacked."""
    return path.name.lower().endswith(ARCHIVES)


def unpack(archive: Path, into: Path) -> None:
    """Unpack an archive; the directory is there only when all of it is unpacked.

    No link is made, so that each file lies where its name says: a link inside a tar file becomes a copy.

    Parameters
    ----------
    archive : Path
        A file whose name ends in .zip, .tar, .tar.gz, .tgz, .tar.bz2 or .tar.xz.
    into : Path
        A directory that does not exist yet, or is empty.

    Raises
    ------
    UsageError
        If the directory holds something or cannot be written.
    CorpusError
        If the archive cannot be read or is broken, a member would lie outside the directory or is neither a file nor a
        directory, or there are too many files or bytes.
    """
    members = _zip_members if archive.suffix.lower() == ".zip" else _tar_members
    with whole_directory(into) as directory:
        try:
            with closing(members(archive)) as entries:
                _write(archive, entries, directory.resolve())
        except (*_ARCHIVE_ERRORS, OSError) as error:
            # Errors of the disk have a number; those of gzip and bz2 have none.
            if getattr(error, "errno", None) is not None and str(getattr(error, "filename", "")) != str(archive):
                raise
            reason = getattr(error, "strerror", None) or error
            cause = "It was cut off or damaged, is encrypted, or is not what the end of its name says."
            raise CorpusError(f"{archive}: cannot be unpacked: {reason}. {cause}") from error


def _write(archive: Path, members: Iterable[_Member], directory: Path) -> None:
    """Write the files of an archive into a directory."""
    by_hand = "If you trust it, unpack it by other means and use the directory."
    n_bytes = 0
    for n_files, (name, opened) in enumerate(members, start=1):
        if n_files > MAX_FILES:
            raise CorpusError(f"{archive}: has more than {MAX_FILES} files. {by_hand}")
        path = (directory / name).resolve()
        if directory not in path.parents:
            raise CorpusError(f"{archive}: member {name!r} would lie outside the directory that it is unpacked into.")
        path.parent.mkdir(parents=True, exist_ok=True)
        content = opened()
        if content is None:
            raise CorpusError(f"{archive}: member {name!r} is neither a file nor a directory. {by_hand}")
        with content, path.open("wb") as file:
            while chunk := content.read(CHUNK_BYTES):
                n_bytes += len(chunk)
                if n_bytes > MAX_BYTES:
                    raise CorpusError(f"{archive}: unpacks to more than {MAX_BYTES} bytes. {by_hand}")
                file.write(chunk)


def _zip_members(archive: Path) -> Generator[_Member]:
    with zipfile.ZipFile(archive) as opened:
        for member in opened.infolist():
            # The content of a link would be the path that it leads to.
            is_file = stat.S_IFMT(member.external_attr >> 16) in (0, stat.S_IFREG)
            if not member.is_dir():
                yield member.filename, partial(opened.open, member.filename) if is_file else lambda: None


def _tar_members(archive: Path) -> Generator[_Member]:
    mode: Any = f"r:{_COMPRESSION_BY_SUFFIX[archive.suffix.lower()]}"
    with tarfile.open(archive, mode) as opened:
        for member in opened:
            if not member.isdir():
                yield member.name, partial(opened.extractfile, member)
        # For tarfile, an archive that is cut off or damaged between two members ends there.
        stream: Any = opened.fileobj
        stream.seek(opened.offset)
        if stream.read(tarfile.BLOCKSIZE) != bytes(tarfile.BLOCKSIZE):
            raise tarfile.ReadError("the mark of its end is missing")
        # The checksum of a compressed file comes last.
        while stream.read(CHUNK_BYTES):
            pass
