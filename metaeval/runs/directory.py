"""The directory of a run: config, manifest, tables, arrays and figures, put in place all at once."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from metaeval.corpora.directories import writing
from metaeval.errors import UsageError, listing
from metaeval.renames import RENAMED
from metaeval.results.store import FILES, MANIFEST

REPORT = "report.html"
FIGURES = "figures"
FOR_PAPERS = ("tables.md", "tables.tex", "numbers.tex")
# All that a run writes; a directory that holds anything else is not replaced.
_ENTRIES = {*FILES, *FOR_PAPERS, REPORT, FIGURES, *RENAMED["file of a run"]}


def check_output(directory: Path) -> None:
    """Check that a run may be written to a directory, before any work is done.

    Raises
    ------
    UsageError
        If it is a file, holds anything that no run has written, or cannot be written.
    """
    if directory.exists() and not directory.is_dir():
        raise UsageError(f"--output {directory}: is a file; it must be a directory.")
    if directory.is_dir():
        found = {path.name for path in directory.iterdir()}
        if found and not _is_manifest(directory / MANIFEST):
            raise UsageError(
                f"--output {directory}: holds files but no {MANIFEST} of a run, so it is not an earlier run; "
                "choose another directory or empty this one."
            )
        if found - _ENTRIES:
            raise UsageError(
                f"--output {directory}: holds what no run has written: {listing(sorted(found - _ENTRIES))}; "
                "move that or choose another directory."
            )
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=_place_beside(directory), prefix=".run-"):
            pass
    except OSError as error:
        raise UsageError(f"--output {directory}: cannot be written: {error.strerror}.") from error


@contextmanager
def new_run(directory: Path) -> Iterator[Path]:
    """Give a temporary directory beside `directory` whose content takes its place when all is written.

    An earlier run there is replaced only then; after an error nothing has changed.
    """
    partial = Path(tempfile.mkdtemp(dir=_place_beside(directory), prefix=".run-"))
    try:
        with writing(directory, partial):
            yield partial
            directory.mkdir(exist_ok=True)
            for name in _ENTRIES:
                old = directory / name
                if old.is_dir():
                    shutil.rmtree(old)
                else:
                    old.unlink(missing_ok=True)
            for new in partial.iterdir():
                new.rename(directory / new.name)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _place_beside(directory: Path) -> Path:
    """Return the folder in which a temporary directory can be made from which files can be moved to `directory`."""
    return directory.resolve().parent


def _is_manifest(path: Path) -> bool:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(content, dict) and {"metaeval", "config", "corpora", "seed"} <= content.keys()
