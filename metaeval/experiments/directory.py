"""The directory of a run: config, manifest, tables, arrays and figures, put in place all at once."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import tomli_w

from metaeval.corpora.directories import writing
from metaeval.errors import UsageError, listing

MANIFEST = "manifest.json"
CONFIG = "config.toml"
INDEX = "documents.json"
REPORT = "report.html"
# All that a run writes; a directory that holds anything else is not replaced.
TABLES = (
    "correlations",
    "tests",
    "rankings",
    "minimum_significant_differences",
    "influence",
    "ceiling",
    "scores",
    "claims",
    "examples",
    "published",
)
_FOR_PAPERS = ("tables.md", "tables.tex", "numbers.tex")
_ENTRIES = {
    MANIFEST,
    CONFIG,
    *(f"{name}.tsv" for name in TABLES),
    *_FOR_PAPERS,
    "documents.npz",
    INDEX,
    "disagreements.json",
    REPORT,
    "figures",
}


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


def check_version(directory: Path, manifest: Mapping[str, Any]) -> None:
    """Check that a run was written by a version whose files have the names of this one.

    Raises
    ------
    UsageError
        If it was not.
    """
    version = str(manifest.get("metaeval", ""))
    if version.startswith("0.1."):
        raise UsageError(
            f"{directory}: was written by metaeval {version}, which had other names; run it again: metaeval run "
            f"{manifest.get('config', 'CONFIG')}."
        )


def _is_manifest(path: Path) -> bool:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(content, dict) and {"metaeval", "config", "corpora", "seed"} <= content.keys()


def write_config(path: Path, content: Mapping[str, Any]) -> None:
    """Write the config as it was run, overrides included."""
    path.write_text(tomli_w.dumps(dict(content)), encoding="utf-8")


def write_manifest(path: Path, manifest: Mapping[str, Any]) -> None:
    """Write what else determined the run, or what its arrays are."""
    path.write_text(json.dumps(manifest, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def write_arrays(path: Path, arrays: Mapping[str, np.ndarray[Any, Any]]) -> None:
    """Write the arrays behind the tables, by path-like names, readable by `numpy.load`."""
    with path.open("wb") as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]
