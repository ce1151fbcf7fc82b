"""Drawing and writing of figures of any kind: without a display, and with the same bytes for the same tables."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from metaeval.errors import UsageError
from metaeval.parameters.calls import file_part
from metaeval.report.figures.run_frames import FigureData
from metaeval.report.figures.settings import Look, NoRoom, SizedFigure
from metaeval.report.latex import escaped

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# How files of each format are written: arguments of matplotlib.
WRITTEN: dict[str, dict[str, Any]] = {
    "svg": {"metadata": {"Date": None, "Creator": "metaeval"}},
    "pdf": {"metadata": {"CreationDate": None, "Creator": "metaeval"}},
    # In three quarters of the time that the default takes, and a hundredth larger.
    "png": {"metadata": {"Software": "metaeval"}, "pil_kwargs": {"compress_level": 3}},
}
# Inches: a wider figure spans both columns of a paper.
_MAX_COLUMN_INCHES = 4.0


class NotDrawn(UsageError):
    """Raised when matplotlib fails on a figure, as it may on unusual letters of a name."""


@contextmanager
def _drawing() -> Iterator[None]:
    """Raise :class:`NotDrawn` for an unexpected error, so that one figure costs no run."""
    try:
        yield
    except (UsageError, MemoryError):
        raise
    except Exception as error:
        raise NotDrawn(f"it cannot be drawn ({type(error).__name__}: {error}); is a name in it unusual?") from error


def draw_figure(figure: SizedFigure, data: FigureData, title: str = "") -> dict[str, Figure]:
    """Return figures by the names of their files, which say what was asked for besides the kind.

    Parameters
    ----------
    figure : SizedFigure
        What is asked for.
    data : FigureData
    title : str
        Of the panel of the experiment that it belongs to; "" if there are none.

    Raises
    ------
    UsageError
        If the tables do not hold what the figure needs.
    NoRoom
        If the figure has no room for what it shows.
    NotDrawn
        If matplotlib fails.
    """
    words = (*figure.words, figure.of_width, title and file_part(title))
    suffix = "".join(f"-{word}" for word in words if word)
    try:
        with _drawing(), figure.settings():
            drawn = figure.draw(data, data.title(title))
    except NoRoom as error:
        raise NoRoom(f"the figure {figure.kind!r}: {error}") from None
    if not drawn:
        raise UsageError(f"the run has nothing that the figure {figure.kind!r} shows.")
    return {figure.kind + suffix + name[len(figure.kind) :]: picture for name, picture in drawn.items()}


def figure_bytes(figure: Figure, suffix: str, look: Look) -> bytes:
    """Return a figure as a file of a format; no date is written, so that bytes can be compared.

    Raises
    ------
    NotDrawn
        If matplotlib fails.
    """
    content = io.BytesIO()
    # It would tell a program that logs its own doings of every table of every font.
    logging.getLogger("fontTools").setLevel(logging.WARNING)
    with _drawing(), look.settings(), _fonts_without_layout():
        figure.savefig(content, format=suffix, dpi=look.dpi if suffix == "png" else 72, **WRITTEN[suffix])
    return content.getvalue()


def caption_of(figure: Any) -> str:
    """Return the heading and the caption of a figure as one text."""
    heading = getattr(figure, "heading", "")
    caption = getattr(figure, "caption", "")
    return " ".join(filter(None, (heading and f"{heading}.", caption)))


def caption_files(name: str, figure: Figure) -> dict[str, bytes]:
    """Return the files beside a figure, by suffix: its caption as text, and a LaTeX float that includes it."""
    caption = caption_of(figure)
    float_name = "figure*" if figure.get_figwidth() > _MAX_COLUMN_INCHES else "figure"
    lines = [
        rf"\begin{{{float_name}}}",
        r"\centering",
        rf"\includegraphics{{{name}}}",
        rf"\caption{{{escaped(caption)}}}",
        rf"\label{{fig:{name}}}",
        rf"\end{{{float_name}}}",
    ]
    return {"txt": f"{caption}\n".encode(), "tex": "\n".join([*lines, ""]).encode()}


@contextmanager
def _fonts_without_layout() -> Iterator[None]:
    """Embed fonts without the tables that programs lay out text with: it is laid out, and reading them takes long.

    Where a version of fontTools has no such list, fonts are embedded with all tables.
    """
    from fontTools.subset import Options

    known = getattr(Options, "_drop_tables_default", [])
    Options._drop_tables_default = [*known, "GDEF", "GPOS", "GSUB", "kern"]
    try:
        yield
    finally:
        Options._drop_tables_default = known
