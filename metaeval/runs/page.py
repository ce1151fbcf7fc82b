"""The report of a run: one page of HTML, made from what lies in its directory alone."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from metaeval.report.figures.settings import FORMATS
from metaeval.report.page import EmbeddedPicture, render
from metaeval.results.model import RunData
from metaeval.results.store import read_run
from metaeval.runs.figures import Shown, draw_figures, wanted_of_run
from metaeval.runs.output import FIGURES, REPORT, replace_files

# Pictures are a third larger in a page than in their files.
_MAX_PICTURE_BYTES = 500_000
_MAX_PICTURES_BYTES = 2_000_000
_MEDIA_TYPES = {".svg": "image/svg+xml", ".png": "image/png"}


def write_report(run: RunData, directory: Path, drawn: Mapping[str, Shown] | None = None) -> Path:
    """Write the page of a run into its directory; the same run gives the same bytes.

    Parameters
    ----------
    run : RunData
    directory : Path
        Of the run, with its figures.
    drawn : mapping of str to Shown, optional
        The figures of its config by their names; they are drawn unless given.

    Returns
    -------
    Path
        The page, report.html.
    """
    (directory / REPORT).write_bytes(_page(run, directory, drawn))
    return directory / REPORT


def _page(run: RunData, directory: Path, drawn: Mapping[str, Shown] | None = None) -> bytes:
    if drawn is None:
        every = draw_figures(wanted_of_run(run), run, refused=lambda message, error: None)
        drawn = {figure.name: Shown(figure.file("svg"), figure.caption, figure.numbers) for figure in every}
    return render(run, *_pictures(drawn, directory / FIGURES)).encode("utf-8")


def renew_report(directory: Path) -> Path:
    """Write the page of a finished run anew, and its digest; errors as `replace_files` and `read_run`."""
    replace_files(directory, {REPORT: _page(read_run(directory), directory)})
    return directory / REPORT


def _pictures(drawn: Mapping[str, Shown], folder: Path) -> tuple[list[EmbeddedPicture], list[str]]:
    """Return the figures in the order of the config, and the files of those that have no room.

    They are drawings of lines where these are not too many.
    """
    pictures: list[EmbeddedPicture] = []
    left_out = []
    room = _MAX_PICTURES_BYTES
    for name, shown in drawn.items():
        dots = folder / f"{name}.png"
        every = {".svg": shown.svg, ".png": dots.read_bytes() if dots.is_file() else b""}
        fitting = [suffix for suffix, content in every.items() if 0 < len(content) <= min(room, _MAX_PICTURE_BYTES)]
        files = [f"{FIGURES}/{path.name}" for format_ in FORMATS if (path := folder / f"{name}.{format_}").is_file()]
        if not fitting:
            left_out.extend(files or [name])
            continue
        suffix = fitting[0]
        room -= len(every[suffix])
        pictures.append(
            EmbeddedPicture(f"{name}{suffix}", _MEDIA_TYPES[suffix], every[suffix], files, shown.caption, shown.numbers)
        )
    return pictures, left_out
