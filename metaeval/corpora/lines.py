r"""Bytes become lines: UTF-8, and ``\n`` alone ends a line. Texts are kept as they are, to the last character."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from metaeval.corpora.problems import Problems

# Characters that other programs take for the end of a line, or that come from a conversion gone wrong.
_SUSPECTS = {
    "\r": "a carriage return (Windows line ends?)",
    "\x00": "a NUL character (UTF-16 read as UTF-8?)",
    "\ufeff": "a byte order mark",
    "\x0b": "a vertical tab (U+000B)",
    "\x0c": "a form feed (U+000C)",
    "\x1c": "a file separator (U+001C)",
    "\x1d": "a group separator (U+001D)",
    "\x1e": "a record separator (U+001E)",
    "\x85": "a next-line character (U+0085)",
    "\u2028": "a line separator (U+2028)",
    "\u2029": "a paragraph separator (U+2029)",
}
_SUSPECT = re.compile("[" + "".join(_SUSPECTS) + "]")


# What would break a table, or cannot be written at all (a lone surrogate stands for a byte that is not UTF-8).
_UNFIT = re.compile('[\x00-\x1f"\x7f\ud800-\udfff]')


class Files:
    """Reads the files of one corpus, notes what is wrong with them and digests their bytes."""

    def __init__(self, directory: Path, problems: Problems) -> None:
        self.directory = directory
        self.problems = problems
        self._digests: dict[str, str] = {}

    def text(self, path: Path) -> str | None:
        """Return the content of a file, or None after noting why it cannot be read."""
        place = self.place(path)
        try:
            content = path.read_bytes()
        except IsADirectoryError:
            self.problems.error(place, "is a directory where a file must be.")
            return None
        except FileNotFoundError:
            self.problems.error(place, "is missing.")
            return None
        except OSError as error:
            self.problems.error(place, f"cannot be read: {error.strerror}.")
            return None
        self._digests[place] = hashlib.sha256(content).hexdigest()
        try:
            return content.decode("utf-8")
        except UnicodeDecodeError as error:
            number = content.count(b"\n", 0, error.start) + 1
            self.problems.error(
                f"{place}:{number}",
                f"is not UTF-8: byte 0x{content[error.start]:02x} at offset {error.start} ({error.reason}); "
                "convert the file, for example with iconv.",
            )
            return None

    def lines(self, path: Path) -> tuple[str, ...] | None:
        """Return the lines of a text file, one a segment, with nothing stripped."""
        text = self.text(path)
        if text is None:
            return None
        lines = split_lines(text)
        if _SUSPECT.search(text):
            self._report_suspects(path, lines)
        return lines

    def rows(self, path: Path, columns: tuple[str, ...]) -> tuple[tuple[str, ...], list[list[str]]] | None:
        """Return the header and rows of a tab-separated table whose header begins with `columns`.

        Row i stands in line i + 2. A byte order mark and carriage returns at line ends are dropped with a warning.
        """
        text = self.text(path)
        if text is None:
            return None
        place = self.place(path)
        if text.startswith("\ufeff"):
            self.problems.warning(f"{place}:1", "begins with a byte order mark, which was skipped.")
            text = text[1:]
        if "\r\n" in text:
            self.problems.warning(f"{place}:1", "has Windows line ends, whose carriage returns were skipped.")
            text = text.replace("\r\n", "\n")
        lines = split_lines(text)
        header = tuple(lines[0].split("\t")) if lines else ()
        if header[: len(columns)] != columns:
            self.problems.error(
                f"{place}:1", f"must begin with the columns {', '.join(columns)}, separated by tabs; got {header!r}."
            )
            return None
        rows = [line.split("\t") for line in lines[1:]]
        wrong = [number for number, row in enumerate(rows, start=2) if len(row) != len(header)]
        for number in wrong:
            self.problems.error(
                f"{place}:{number}", f"must have {len(header)} columns, as the header; got {len(rows[number - 2])}."
            )
        return None if wrong else (header, rows)

    def check_name(self, path: Path, name: str) -> bool:
        """Check that a name can stand in a table, and note it if not."""
        if _UNFIT.search(name):
            self.problems.error(
                self.place(path),
                f"the name {name!r} must not contain control characters, quotation marks or what is not UTF-8.",
            )
            return False
        return True

    def place(self, path: Path) -> str:
        """Return the name of a file for messages; bytes that are not UTF-8 are escaped."""
        return str(path).encode("utf-8", "backslashreplace").decode()

    def digest(self) -> str:
        """Return SHA-256 over the names and contents of all files read so far."""
        total = hashlib.sha256()
        for name, digest in sorted(self._digests.items()):
            relative = Path(name).relative_to(self.place(self.directory)).as_posix()
            total.update(f"{relative}\t{digest}\n".encode())
        return total.hexdigest()

    def _report_suspects(self, path: Path, lines: tuple[str, ...]) -> None:
        seen: dict[str, list[int]] = {}
        for number, line in enumerate(lines, start=1):
            for character in set(_SUSPECT.findall(line)):
                seen.setdefault(character, []).append(number)
        for character, numbers in sorted(seen.items()):
            more = f" and in {len(numbers) - 1} more lines" if len(numbers) > 1 else ""
            self.problems.warning(
                f"{self.place(path)}:{numbers[0]}",
                f"contains {_SUSPECTS[character]}{more}; the text is kept as it is, only \\n ends a line.",
            )


def split_lines(text: str) -> tuple[str, ...]:
    r"""Return the lines of a text; only ``\n`` ends a line, and the last line needs no end."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return tuple(lines)
