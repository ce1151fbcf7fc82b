"""The directory of a run: config, manifest, tables, arrays and figures, put in place all at once."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from metaeval.corpora.directories import writing
from metaeval.errors import UsageError, listing
from metaeval.results.store import FILES, TIMES, renew_manifest
from metaeval.runtime.atomic_directory import MANIFEST, WRITER, is_internal, locked, replaced

REPORT = "report.html"
FIGURES = "figures"
FOR_PAPERS = ("tables.md", "tables.tex", "numbers.tex", "methods.tex", "methods.bib")
# What runs of earlier layouts hold in the place of grids.npz.
_EARLIER_FILES = ("documents.json", "documents.npz")
# All that a run writes or wrote; a directory that holds anything else is not replaced.
_ENTRIES = {*FILES, TIMES, *FOR_PAPERS, REPORT, FIGURES, *_EARLIER_FILES}


def check_output(directory: Path) -> None:
    """Check that a run may be written to a directory, before any work is done.

    Raises
    ------
    UsageError
        If it is a file, holds anything that no run has written, or cannot be written.
    """
    if directory.exists() and not directory.is_dir():
        raise UsageError(f"{directory}: is a file; it must be a directory.")
    if directory.is_dir():
        every = {path.name for path in directory.iterdir()}
        names = {name for name in every if not is_internal(name)}
        # A process that was killed while it replaced a run has left no manifest.
        if names and WRITER not in every and not _is_manifest(directory / MANIFEST):
            raise UsageError(
                f"{directory}: holds files but no {MANIFEST} of a run, so it is not an earlier run; "
                "choose another directory or empty this one."
            )
        if names - _ENTRIES:
            raise UsageError(
                f"{directory}: holds what no run has written: {listing(sorted(names - _ENTRIES))}; "
                "move that or choose another directory."
            )


@contextmanager
def new_run(directory: Path) -> Iterator[Path]:
    """Yield a directory whose files take the place of a run when all are written; after an error nothing has changed.

    Parameters
    ----------
    directory : Path
        Of the run, which the process must have `locked`.
    """
    of_run = (path for path in directory.rglob("*") if path.is_file())
    owned = [name.as_posix() for path in of_run if (name := path.relative_to(directory)).parts[0] in _ENTRIES]
    with writing(directory, directory.resolve()), replaced(directory.resolve(), owned) as partial:
        yield partial


def replace_files(directory: Path, files: Mapping[str, bytes]) -> None:
    """Write files of a finished run anew, by their names in it, and their digests into its manifest, in one step.

    Raises
    ------
    UsageError
        If they cannot be written; then nothing has changed.
    """
    with locked(directory), writing(directory, directory.resolve()), replaced(directory.resolve()) as partial:
        shutil.copy2(directory / MANIFEST, partial / MANIFEST)
        for name, content in files.items():
            path = partial / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)
        renew_manifest(partial, files)


def _is_manifest(path: Path) -> bool:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(content, dict) and {"metaeval", "config", "corpora", "seed"} <= content.keys()
