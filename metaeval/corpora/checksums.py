"""Check whether a corpus in the cache is still the one that was put there, by the SHA-256 of its files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from metaeval.runtime.files import file_digest

# In the form of sha256sum. Hidden, so that no reader takes it for a part of the corpus.
CHECKSUMS = ".sha256sums"


def write_checksums(directory: Path) -> None:
    """Write the list of the files of a directory and their SHA-256 into it."""
    names = sorted(path.relative_to(directory).as_posix() for path in directory.rglob("*") if path.is_file())
    lines = [f"{file_digest(directory / name)}  {name}\n" for name in names]
    (directory / CHECKSUMS).write_text("".join(lines), encoding="utf-8")


def listed_damage(directory: Path) -> str | None:
    """Check a directory that has such a list, and describe the first fault; None without any."""
    try:
        lines = (directory / CHECKSUMS).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return f"its list of files, {CHECKSUMS}, cannot be read"
    expected = dict(line.split("  ", 1)[::-1] for line in lines if "  " in line)
    return damage(directory, expected) if len(expected) == len(lines) > 0 else f"{CHECKSUMS} is incomplete"


def damage(directory: Path, checksums: Mapping[str, str]) -> str | None:
    """Name the first file of a directory whose SHA-256 differs from the list, and why; None without any."""
    for name, expected in checksums.items():
        try:
            if file_digest(directory / name) != expected:
                return f"{name} has another content"
        except FileNotFoundError:
            return f"{name} is missing"
        except OSError as error:
            return f"{name} cannot be read: {error.strerror}"
    return None
