"""Archives of corpora are unpacked so that they cannot write elsewhere, nor fill the disk.

Only directories and regular files are made, with their content and nothing else: no owners, rights, links or devices. A
link to a file of the archive becomes a copy of that file. So nothing is left to do for the filters of :mod:`tarfile`,
which the first releases of Python 3.11 lack.
"""

from __future__ import annotations

import bz2
import errno
import gzip
import lzma
import posixpath
import re
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from metaeval.corpora.directories import whole_directory
from metaeval.errors import CorpusError, UsageError, listing
from metaeval.resources import open_file

MOST_MEMBERS = 100_000
MOST_DIRECTORIES = 10_000
DEEPEST = 32
MOST_BYTES = 4 << 30  # unpacked, together
LARGEST_RATIO = 200  # of the unpacked size to that of the archive; text shrinks to a third or a tenth
LEAST_LIMIT = 16 << 20  # bytes up to which the ratio does not matter
_CHUNK = 1 << 16
_LONGEST_READ = 1 << 20  # no header is longer
_MOST_HOPS = 40  # from link to link, as in Linux
_LONGEST_TARGET = 4096  # bytes of the path that a link names

_OPENERS: dict[str, Callable[[Path], Any]] = {
    ".tar": lambda path: path.open("rb"),
    ".tar.gz": gzip.open,
    ".tgz": gzip.open,
    ".tar.bz2": bz2.open,
    ".tar.xz": lzma.open,
}
ARCHIVES = (".zip", *_OPENERS)
# What the libraries raise when a file is not what its name says, was cut off or was made to deceive.
_BROKEN = (tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, ValueError, RecursionError)
# What a file system says of a name that it cannot take, or that is taken.
_BAD_NAME = (errno.EEXIST, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG, errno.EINVAL, errno.EILSEQ)


def is_archive(path: Path) -> bool:
    """Return whether a file has the name of an archive that can be unpacked."""
    return path.name.lower().endswith(ARCHIVES)


def unpack(archive: Path, into: Path) -> None:
    """Unpack an archive; the directory is there only when all of it is unpacked.

    Parameters
    ----------
    archive : Path
        A file whose name ends in .zip, .tar, .tar.gz, .tgz, .tar.bz2 or .tar.xz.
    into : Path
        A directory that does not exist yet, or is empty.

    Raises
    ------
    UsageError
        If the archive is of another kind, or the directory holds something or cannot be written.
    CorpusError
        If the archive is missing or broken; if a member would lie outside the directory, is a device, is encrypted, or
        is a link to something that is not a file of the archive; or if members are too many or too large.
    """
    if not is_archive(archive):
        raise UsageError(f"{_printable(archive)}: the name of an archive must end in one of {listing(ARCHIVES)}.")
    try:
        with open_file(archive):
            size = archive.stat().st_size
    except OSError as error:
        raise CorpusError(f"{_printable(archive)}: cannot be read: {error.strerror}.") from error
    with whole_directory(into) as partial:
        unpacker = _Unpacker(archive, partial, min(MOST_BYTES, max(LEAST_LIMIT, LARGEST_RATIO * size)))
        try:
            (unpacker.unpack_zip if archive.name.lower().endswith(".zip") else unpacker.unpack_tar)()
        except (*_BROKEN, OSError) as error:
            # The system gives a number to its errors; those of gzip and bz2 have none.
            if getattr(error, "errno", None) is None:
                raise unpacker.broken(error) from error
            raise UsageError(f"{into}: cannot be written: {getattr(error, 'strerror', error)}.") from error


class _Unpacker:
    """Unpacks one archive, member by member; whoever calls removes what is there when one is refused."""

    def __init__(self, archive: Path, into: Path, limit: int) -> None:
        self.archive = archive
        self.into = into
        self.limit = limit
        self.n_members = self.declared = self.written = 0
        self.links: dict[str, str] = {}
        self.directories: set[str] = set()

    def unpack_zip(self) -> None:
        """Unpack a zip file."""
        with zipfile.ZipFile(self.archive) as archive:
            for info in archive.infolist():
                # The name up to a NUL character is not the name.
                name = self.look_at(info.orig_filename, info.file_size, is_directory=info.is_dir())
                kind = stat.S_IFMT(info.external_attr >> 16)
                is_link = kind == stat.S_IFLNK
                if info.flag_bits & 1:
                    raise self.refuse(name, "is encrypted; unpack the archive with its password and use the directory")
                if is_link and info.file_size > _LONGEST_TARGET:
                    raise self.refuse(name, "is a link to a path that is too long")
                if kind not in (0, stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK):
                    raise self.refuse(name, "is neither a file nor a directory")
                if info.is_dir() and not is_link:
                    continue
                try:
                    content = archive.open(info)
                except NotImplementedError as error:
                    raise self.refuse(name, f"is packed in a way that is not known here ({error})") from error
                with content:
                    if is_link:
                        self.link(name, content.read().decode(), posixpath.dirname(name))
                    else:
                        self.write(name, content)
        self.copy_links()

    def unpack_tar(self) -> None:
        """Unpack a tar file, which may be compressed."""
        suffix = next(suffix for suffix in _OPENERS if self.archive.name.lower().endswith(suffix))
        with _OPENERS[suffix](self.archive) as content:
            stream: Any = _Stream(content, self)
            with tarfile.open(fileobj=stream, mode="r:") as archive:
                for member in archive:
                    name = self.look_at(member.name, member.size, is_directory=member.isdir())
                    if member.issym() or member.islnk():
                        self.link(name, member.linkname, posixpath.dirname(name) if member.issym() else "")
                    elif member.isreg():
                        source = archive.extractfile(member)
                        assert source is not None
                        with source:
                            self.write(name, source)
                    elif not member.isdir():
                        raise self.refuse(name, "is neither a file nor a directory")
                # tarfile takes whatever it does not understand for the end.
                stream.seek(archive.offset)
                if stream.read(tarfile.BLOCKSIZE) != bytes(tarfile.BLOCKSIZE):
                    raise self.broken("the mark of its end is missing")
                # The checksums of compressed files come last.
                while stream.read(_CHUNK):
                    pass
        self.copy_links()

    def look_at(self, name: str, size: int, *, is_directory: bool) -> str:
        """Count a member, make its directories, and return its name without what means nothing.

        Raise if it cannot be unpacked.
        """
        self.n_members += 1
        if self.n_members > MOST_MEMBERS:
            raise self.error(f"has more than {MOST_MEMBERS} members. {_TRUST}")
        parts = [part for part in name.split("/") if part not in ("", ".")]
        if name.startswith("/") or ".." in parts:
            raise self.refuse(name, "would lie outside the directory that the archive is unpacked into")
        if re.search(r"[\x00-\x1f\x7f\\]|^[A-Za-z]:", name):
            raise self.refuse(name, "has a name with a backslash, a drive or a control character")
        if size < 0:
            raise self.broken(f"{name!r} has a negative size")
        self.declared += size
        self.check_size(self.declared)
        if len(parts) > DEEPEST:
            raise self.refuse(name[:200], f"lies more than {DEEPEST} directories deep")
        above = ("/".join(parts[:depth]) for depth in range(1, len(parts) + is_directory))
        for directory in above:
            if directory not in self.directories:
                self.directories.add(directory)
                if len(self.directories) > MOST_DIRECTORIES:
                    raise self.error(f"has more than {MOST_DIRECTORIES} directories. {_TRUST}")
                with self.creating(directory):
                    (self.into / directory).mkdir()
        return "/".join(parts)

    def link(self, name: str, path: str, folder: str) -> None:
        """Note a link and the name of the member that it leads to; `folder` is where its path starts."""
        target = posixpath.normpath(posixpath.join(folder, path))
        if target.startswith(("/", "../")) or target == "..":
            raise self.refuse(name, f"is a link to {path!r}, which lies outside the archive")
        if name in self.links:
            raise self.refuse(name, "is in the archive twice")
        self.links[name] = target

    def write(self, name: str, source: IO[bytes]) -> None:
        """Write a file, whatever it is said to hold, within the limit."""
        with self.creating(name):
            target = (self.into / name).open("xb")
        with target:
            while chunk := source.read(_CHUNK):
                self.written += len(chunk)
                self.check_size(self.written)
                target.write(chunk)

    def copy_links(self) -> None:
        """Put a copy of the file in the place of each link."""
        for name in self.links:
            target, hops = name, 0
            while target in self.links and hops < _MOST_HOPS:
                target, hops = self.links[target], hops + 1
            path = self.into / target
            if target in self.links or not path.is_file():
                raise self.refuse(name, f"is a link to {self.links[name]!r}, which is not a file of the archive")
            with path.open("rb") as source:
                self.write(name, source)

    def check_size(self, size: int) -> None:
        """Raise if the archive unpacks to too much."""
        if size > self.limit:
            much = f"unpacks to more than {self.limit} bytes, which is too much for a corpus"
            raise self.error(f"{much}, or for an archive of its size. {_TRUST}")

    @contextmanager
    def creating(self, name: str) -> Iterator[None]:
        """Refuse a member whose name cannot be created; other errors are the disk's fault, and not its own."""
        try:
            yield
        except OSError as error:
            if error.errno not in _BAD_NAME:
                raise
            why = f"({error.strerror}); its name is taken, or one that this file system refuses"
            raise self.refuse(name, f"cannot be created {why}") from error

    def error(self, words: str) -> CorpusError:
        """Return the error for the archive."""
        return CorpusError(f"{_printable(self.archive)}: {words}")

    def refuse(self, name: str, words: str) -> CorpusError:
        """Return the error for a member."""
        return self.error(f"member {name!r} {words}.")

    def broken(self, reason: object) -> CorpusError:
        """Return the error for an archive that cannot be read."""
        why = "It was cut off or damaged, or is not what the end of its name says."
        return self.error(f"cannot be unpacked: {reason}. {why}")


class _Stream:
    """The unpacked bytes of a tar file; neither a header nor its whole may be too large."""

    def __init__(self, content: Any, unpacker: _Unpacker) -> None:
        self.content = content
        self.unpacker = unpacker

    def tell(self) -> int:
        """Return the position."""
        position: int = self.content.tell()
        return position

    def seek(self, position: int) -> int:
        """Go to a position; on the way there everything is unpacked."""
        self.unpacker.check_size(position)
        reached: int = self.content.seek(position)
        return reached

    def read(self, size: int) -> bytes:
        """Return so many bytes, or fewer at the end."""
        if not 0 <= size <= _LONGEST_READ:
            raise self.unpacker.broken(f"a header of {size} bytes")
        chunk: bytes = self.content.read(size)
        self.unpacker.check_size(self.content.tell())
        return chunk


_TRUST = "If you trust it, unpack it by other means and use the directory."


def _printable(path: Path) -> str:
    return str(path).encode("utf-8", "backslashreplace").decode()
