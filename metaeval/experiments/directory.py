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

from metaeval.errors import UsageError

MANIFEST = "manifest.json"


def check_output(directory: Path) -> None:
    """Check that a run may be written to a directory, before any work is done.

    Raises
    ------
    UsageError
        If it is a file, holds something other than an earlier run, or cannot be written.
    """
    if directory.exists() and not directory.is_dir():
        raise UsageError(f"--output {directory}: is a file; it must be a directory.")
    if directory.is_dir() and any(directory.iterdir()) and not (directory / MANIFEST).exists():
        raise UsageError(
            f"--output {directory}: holds files but no {MANIFEST}, so it is not an earlier run; "
            "choose another directory or empty this one."
        )
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=directory.parent, prefix=f".{directory.name}-"):
            pass
    except OSError as error:
        raise UsageError(f"--output {directory}: cannot be written: {error.strerror}.") from error


@contextmanager
def new_run(directory: Path) -> Iterator[Path]:
    """Give a temporary directory beside `directory` that takes its place when all is written.

    An earlier run of that name is replaced only then; after an error nothing has changed.
    """
    partial = Path(tempfile.mkdtemp(dir=directory.parent, prefix=f".{directory.name}-"))
    partial.chmod(0o755)
    try:
        yield partial
        if directory.exists():
            shutil.rmtree(directory)
        partial.rename(directory)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def write_config(path: Path, content: Mapping[str, Any]) -> None:
    """Write the config as it was run, overrides included."""
    path.write_text(tomli_w.dumps(dict(content)), encoding="utf-8")


def write_manifest(path: Path, manifest: Mapping[str, Any]) -> None:
    """Write what else determined the run."""
    path.write_text(json.dumps(manifest, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def write_arrays(path: Path, arrays: Mapping[str, np.ndarray[Any, Any]]) -> None:
    """Write the arrays behind the tables, by path-like names, readable by `numpy.load`."""
    with path.open("wb") as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]
