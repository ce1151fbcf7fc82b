"""The report of a run: one page of HTML, made from what lies in its directory alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from metaeval.errors import CorpusError, UsageError
from metaeval.experiments.directory import REPORT
from metaeval.experiments.disagreements import DISAGREEMENTS
from metaeval.experiments.saved import SavedRun
from metaeval.report.page import TABLES, PageData, Picture, render
from metaeval.report.page.drill import flaw_of

# Pictures are a third larger in a page than in their files.
_LARGEST_PICTURE = 500_000
_ALL_PICTURES = 2_000_000
_MEDIA_TYPES = {".svg": "image/svg+xml", ".png": "image/png"}


def write_report(directory: Path) -> Path:
    """Write the report of a run into its directory; the same directory gives the same bytes.

    Parameters
    ----------
    directory : Path
        Of a run. Config, manifest, tables, disagreements.json and figures are read, as far as they are there.

    Returns
    -------
    Path
        The page, report.html.

    Raises
    ------
    UsageError
        If the directory holds no run, or the page cannot be written.
    CorpusError
        If a file of it is not what a run writes.
    """
    run = SavedRun(directory)
    pictures, left_out = _pictures(directory / "figures")
    page = render(
        PageData(
            manifest=run.manifest,
            config=run.config_text() or "",
            tables={name: run.table(name) for name in TABLES},
            disagreements=_disagreements(directory / DISAGREEMENTS),
            pictures=pictures,
            left_out=left_out,
        )
    )
    path = directory / REPORT
    try:
        path.write_text(page, encoding="utf-8", newline="\n")
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror}); the page of a run goes there.") from error
    return path


def _disagreements(path: Path) -> dict[str, Any]:
    if not path.exists():
        return {}
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise CorpusError(f"{path}: is not what a run writes: {error}.") from error
    flaw = flaw_of(found)
    if flaw:
        raise CorpusError(f"{path}: is not what a run writes: {flaw}.")
    return dict(found)


def _pictures(folder: Path) -> tuple[list[Picture], list[str]]:
    """Return the figures, drawn as lines where these are not too many, and the names of those that have no room."""
    pictures: list[Picture] = []
    left_out, room = [], _ALL_PICTURES
    names = sorted({path.stem if path.suffix in _MEDIA_TYPES else "" for path in folder.glob("*")} - {""})
    for name in names:
        files = [folder / f"{name}{suffix}" for suffix in _MEDIA_TYPES]
        fitting = [path for path in files if path.is_file() and path.stat().st_size <= min(room, _LARGEST_PICTURE)]
        if not fitting:
            left_out.append(name)
            continue
        content = fitting[0].read_bytes()
        room -= len(content)
        pictures.append(Picture(fitting[0].name, _MEDIA_TYPES[fitting[0].suffix], content))
    return pictures, left_out
