"""The report of a run: one page of HTML, made from what lies in its directory alone."""

from __future__ import annotations

from pathlib import Path

from metaeval.errors import UsageError
from metaeval.report.page import Picture, render
from metaeval.results.model import RunData
from metaeval.runs.directory import FIGURES, REPORT

# Pictures are a third larger in a page than in their files.
_LARGEST_PICTURE = 500_000
_ALL_PICTURES = 2_000_000
_MEDIA_TYPES = {".svg": "image/svg+xml", ".png": "image/png"}


def write_report(run: RunData, directory: Path) -> Path:
    """Write the page of a run into its directory; the same run gives the same bytes.

    Parameters
    ----------
    run : RunData
    directory : Path
        Of the run, with its figures.

    Returns
    -------
    Path
        The page, report.html.

    Raises
    ------
    UsageError
        If the page cannot be written.
    """
    path = directory / REPORT
    page = render(run, *_pictures(directory / FIGURES))
    try:
        path.write_text(page, encoding="utf-8", newline="\n")
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror}); the report of a run goes there.") from error
    return path


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
