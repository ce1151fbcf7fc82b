r"""Bytes become lines: UTF-8, and ``\n`` alone ends a line. Texts are kept as they are, to the last character."""

from __future__ import annotations

import codecs
import gzip
import hashlib
import io
import re
import shlex
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path, PurePath

from metaeval.corpora.problems import Problems
from metaeval.errors import as_typed, counted
from metaeval.runtime.files import read_file

# Characters that other programs take for the end of a line, or that come from a conversion gone wrong.
_SUSPECTS = {
    "\r": "a carriage return (Windows line ends?)",
    "\0": "a NUL character (UTF-16 read as UTF-8?)",
    "\ufeff": "a byte order mark",
    "\v": "a vertical tab (U+000B)",
    "\f": "a form feed (U+000C)",
    "\x1c": "a file separator (U+001C)",
    "\x1d": "a group separator (U+001D)",
    "\x1e": "a record separator (U+001E)",
    "\x85": "a next-line character (U+0085)",
    "\u2028": "a line separator (U+2028)",
    "\u2029": "a paragraph separator (U+2029)",
}
_SUSPECT_CHARACTERS = re.compile("[" + "".join(_SUSPECTS) + "]")

_CHUNK_LINES = 1 << 14  # of a table that are cut at once
# First bytes of a file that was packed with gzip.
GZIP = b"\x1f\x8b"
# Text shrinks to a third or a tenth; tables of repeated names to a hundredth. Far beyond that lies mischief.
_MAX_UNPACKED_RATIO = 200
_MIN_LIMIT_BYTES = 1 << 20
_MAX_UNPACKED_BYTES = 2 << 30

# Characters that would break a table, or cannot be written at all (a lone surrogate is a byte that is not UTF-8).
_UNFIT_CHARACTERS = re.compile('[\x00-\x1f"\x7f\ud800-\udfff]')


class Files:
    """Reads the files of one corpus, notes what is wrong with them and digests their bytes.

    Parameters
    ----------
    directory : Path
        Where they lie; the digest takes their names relative to it.
    problems : Problems
        Takes what is wrong or unusual.

    Attributes
    ----------
    formats : list of str
        What the user says of the format of each source; "" for nothing.
    source : int or None
        Which of the sources is read; None while it is a file that a corpus.toml lists.
    keyword : str
        The argument by which a caller says how a table in Python is to be read, such as source_format; "" for files.
    """

    keyword = ""

    def __init__(self, directory: Path, problems: Problems) -> None:
        self.directory = directory
        self.problems = problems
        self.formats = [""]
        self.source: int | None = 0
        # The format of a source, where that of a file inside it is known.
        self.inside: Callable[[str], str] = lambda format_: format_
        self._digests: dict[str, str] = {}
        self._shown: dict[Path, Path] = {}

    def text(self, path: Path) -> str | None:
        """Return the content of a file, or None after noting why it cannot be read."""
        content = self.content(path)
        return None if content is None else decoded(content, self.location(path), self.problems)

    def opened(self, path: Path) -> tuple[str | None, str, Problems]:
        """Return the content of a file, its location, and the problems, as parsers of texts take them."""
        return self.text(path), self.location(path), self.problems

    def content(self, path: Path) -> bytes | None:
        """Return the bytes of a file, unpacked if it is a gzip file, or None after noting why it cannot be read."""
        content = self.seal(path)
        return None if content is None else unpacked_or_not(content, self.location(path), self.problems)

    def seal(self, path: Path) -> bytes | None:
        """Return the content of a file, which is part of the corpus as it is now, even if it is read later or never.

        None after noting why it cannot be read, or that it has changed.
        """
        content, wrong = None, ""
        try:
            content = read_file(path)
        except IsADirectoryError:
            wrong = "is a directory where a file must be."
        except FileNotFoundError:
            wrong = "is missing."
        except OSError as error:
            wrong = f"cannot be read: {error.strerror}."
        if content is not None:
            digest = hashlib.sha256(content).hexdigest()
            if self._digests.setdefault(self.location(path), digest) != digest:
                wrong = "has changed since the corpus was read; read the corpus again."
        if wrong:
            self.error(path, wrong)
        return None if wrong else content

    def lines(self, path: Path, *, carriage_returns: bool = False) -> tuple[str, ...] | None:
        """Return the lines of a text file, one a segment, with nothing stripped.

        What other programs take for the end of a line is noted, and a carriage return at the end of a line unless
        `carriage_returns`.
        """
        text = self.text(path)
        if text is None:
            return None
        lines = split_lines(text)
        looked_at = tuple(line.removesuffix("\r") for line in lines) if carriage_returns else lines
        if _SUSPECT_CHARACTERS.search("\n".join(looked_at) if carriage_returns else text):
            self._report_suspects(path, looked_at)
        return lines

    def check_name(self, path: Path, name: str) -> bool:
        """Check that a name can stand in a table, and note it if not; no name at all is another matter."""
        if "\ufeff" in name:
            self.error(
                path,
                f"the name {name!r} has a byte order mark (U+FEFF) in it, which cannot be seen; was the file saved "
                'twice as "UTF-8 with BOM"? Save it as UTF-8 without the mark.',
            )
            return False
        if _UNFIT_CHARACTERS.search(name):
            self.error(
                path,
                f"the name {name!r} must not contain control characters, quotation marks or what is not UTF-8.",
            )
            return False
        return True

    def error(self, where: Path | str, message: str) -> None:
        """Note an error at a file, or at a place that messages show already."""
        self.problems.error(where if isinstance(where, str) else self.location(where), message)

    def warning(self, where: Path | str, message: str) -> None:
        """Note a warning, as :meth:`error` notes an error."""
        self.problems.warning(where if isinstance(where, str) else self.location(where), message)

    def note(self, where: Path | str, message: str) -> None:
        """Note what is worth knowing, as :meth:`error` notes an error."""
        self.problems.note(where if isinstance(where, str) else self.location(where), message)

    def archive_of(self, path: Path) -> Path | None:
        """Return the temporary directory of the archive that a file comes from, if it comes from one."""
        return next((directory for directory in self._shown if path.is_relative_to(directory)), None)

    def show_as(self, directory: Path, archive: Path) -> None:
        """Show the files of a temporary directory as those of the archive that they come from."""
        self._shown[directory] = archive

    def location(self, path: Path) -> str:
        """Return the name of a file for messages; bytes that are not UTF-8 are escaped."""
        for directory, archive in self._shown.items():
            if path.is_relative_to(directory):
                path = archive / path.relative_to(directory)
        return str(path).encode("utf-8", "backslashreplace").decode()

    @property
    def whole(self) -> str:
        """The subject of a message about all files: the only one, or their directory."""
        return next(iter(self._digests)) if len(self._digests) == 1 else self.location(self.directory)

    def typed(self, format_: str) -> str:
        """Return the words to type to have the source that is read in another format."""
        if self.keyword:
            return f"{self.keyword}={self.inside(format_)!r}"
        if self.source is None:
            return f"format = '{self.inside(format_)}' in corpus.toml"
        return typed_formats(self.formats_with(format_))

    def formats_with(self, format_: str) -> tuple[str, ...]:
        """Return the formats of all sources, with another for the one that is read."""
        at = self.source or 0
        format_ = self.inside(format_)
        return (*self.formats[:at], format_, *self.formats[at + 1 :])

    def digest(self) -> str:
        """Return SHA-256 over the names and contents of all files read or sealed so far."""
        total = hashlib.sha256()
        base = Path(self.location(self.directory))
        for name, digest in sorted(self._digests.items()):
            path = Path(name)
            relative = path.relative_to(base).as_posix() if path.is_relative_to(base) else path.name
            total.update(f"{relative}\t{digest}\n".encode())
        return total.hexdigest()

    def _report_suspects(self, path: Path, lines: tuple[str, ...]) -> None:
        lines_by_character: dict[str, list[int]] = {}
        for number, line in enumerate(lines, start=1):
            for character in set(_SUSPECT_CHARACTERS.findall(line)):
                lines_by_character.setdefault(character, []).append(number)
        for character, numbers in sorted(lines_by_character.items()):
            more = f" and in {counted(len(numbers) - 1, 'more line')}" if len(numbers) > 1 else ""
            message = f"contains {_SUSPECTS[character]}{more}; the text is kept as it is, only \\n ends a line."
            self.warning(f"{self.location(path)}:{numbers[0]}", message)


def typed_formats(formats: Sequence[str]) -> str:
    """Return the words to type to have sources read in these formats, one for each or one for all."""
    options = " ".join(f"--source-format {shlex.quote(format_)}" for format_ in formats)
    return as_typed(terminal=options, python=f"source_formats={(formats[0] if len(formats) == 1 else [*formats])!r}")


def encoding_of(content: bytes) -> str:
    """Return the encoding of a file: UTF-16 if its first bytes say so, else UTF-8."""
    return "utf-16" if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8"


def decoded(content: bytes, location: str, problems: Problems) -> str | None:
    """Return the text that bytes are, or None after noting why they are none."""
    encoding = encoding_of(content)
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        number = content.count(b"\n", 0, error.start) + 1
        name = PurePath(location).name
        excel = 'in Excel save it as "CSV UTF-8", or ' if name.lower().endswith(".csv") else ""
        problems.error(
            f"{location}:{number}",
            f"is not {encoding.upper()}: byte 0x{content[error.start]:02x} at offset {error.start} ({error.reason}); "
            f"{excel}convert the file, such as from Windows' Latin letters: iconv -f WINDOWS-1252 -t UTF-8 "
            f"{shlex.quote(name)} > {shlex.quote(f'utf8-{name}')}",
        )
        return None
    if encoding == "utf-16":
        problems.note(location, "is UTF-16, and was read as such.")
    return text


def unpacked_or_not(content: bytes, location: str, problems: Problems) -> bytes | None:
    """Return bytes, unpacked if they are a gzip file, or None after noting why they cannot be."""
    try:
        return unpacked(content) if content.startswith(GZIP) else content
    except ValueError as error:
        problems.error(location, f"cannot be unpacked with gzip: {error}.")
        return None


def unpacked(content: bytes) -> bytes:
    """Return the content of a gzip file, which may have several members.

    Raises
    ------
    ValueError
        If it is broken, or so much larger than the file that it cannot be text.
    """
    limit = largest_size(len(content))
    with gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
        try:
            whole = file.read(limit + 1)
        except EOFError as error:
            raise ValueError("it ends too early, so it was probably cut off") from error
        except (OSError, zlib.error) as error:
            raise ValueError(str(error)) from error
    if len(whole) > limit:
        raise ValueError(f"it grows beyond {limit} bytes, which no text does")
    return whole


def largest_size(packed: int) -> int:
    """Return the most bytes that a packed file of some size may hold, if it is honest."""
    return min(_MAX_UNPACKED_BYTES, _MIN_LIMIT_BYTES + _MAX_UNPACKED_RATIO * packed)


def cut(lines: Sequence[str], separator: str, width: int) -> list[list[str]]:
    """Return the columns of lines that all have `width` fields.

    Equal fields of a column are one object, so that a table of a million judgments stays small and is looked up fast.
    """
    columns: list[list[str]] = [[] for _ in range(width)]
    known: list[dict[str, str]] = [{} for _ in range(width)]
    for start in range(0, len(lines), _CHUNK_LINES):
        fields = separator.join(lines[start : start + _CHUNK_LINES]).split(separator)
        for position, (column, same) in enumerate(zip(columns, known, strict=True)):
            part = fields[position::width]
            column.extend(map(same.setdefault, part, part))
    return columns


def visible(folder: Path) -> list[Path]:
    """Return the entries of a folder in alphabetical order, but for hidden ones; nothing if there is no folder."""
    return sorted(path for path in (folder.iterdir() if folder.is_dir() else ()) if not path.name.startswith("."))


def packed_or_not(path: Path) -> Path:
    """Return the path without the suffix ``.gz``."""
    return path.with_suffix("") if path.suffix == ".gz" else path


def stem_of(path: Path) -> str:
    """Return the name of a file without its suffix and without ``.gz``."""
    return packed_or_not(path).stem


def existing(path: Path) -> Path | None:
    """Return the path, or that of the same file packed with gzip, or None if there is neither."""
    packed = path.with_name(path.name + ".gz")
    return next((file for file in (path, packed) if file.exists()), None)


def split_lines(text: str) -> tuple[str, ...]:
    r"""Return the lines of a text; only ``\n`` ends a line, and the last line needs no end."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return tuple(lines)
