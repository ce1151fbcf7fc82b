"""How fonts are embedded in PDF: as matplotlib does it, but for what takes long and no figure needs."""

from __future__ import annotations

import io
import logging
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache, partial
from typing import Any

# Letters of Latin alphabets, dashes, quotation marks, a minus and ligatures: what most texts of figures are written in.
_COMMON = (*range(0x20, 0x180), *range(0x2010, 0x2027), 0x2212, *range(0xFB00, 0xFB05))
# What programs lay out text with; here it is laid out.
_OF_LAYOUT = ("GDEF", "GPOS", "GSUB", "kern")

# Takes a font and the numbers of glyphs, and gives the part of it that has these alone.
Choose = Callable[[Any, set[int]], AbstractContextManager[Any]]


class _File(io.BytesIO):
    """A font in memory, as matplotlib knows one in a file."""

    face_index = 0


@contextmanager
def light_fonts() -> Iterator[None]:
    """Embed fonts without tables for layout, and take common glyphs from a small part that is made once.

    The bytes are those that the whole font would give. A version of matplotlib that asks for characters instead of
    glyphs takes them from the whole font.
    """
    from fontTools import subset
    from matplotlib.backends import _backend_pdf_ps as fonts

    # It would tell a program that logs its own doings of every table of every font.
    logging.getLogger("fontTools").setLevel(logging.WARNING)
    load, choose = subset.load_font, fonts.get_glyphs_subset
    subset.load_font = partial(_light, load)
    if hasattr(fonts, "SubsetResults"):
        fonts.get_glyphs_subset = partial(_chosen, choose)
    try:
        yield
    finally:
        subset.load_font, fonts.get_glyphs_subset = load, choose


def _light(load: Callable[..., Any], *args: Any, **options: Any) -> Any:
    font = load(*args, **options)
    for table in _OF_LAYOUT:
        if table in font:
            del font[table]
    return font


@contextmanager
def _chosen(choose: Choose, path: Any, glyphs: set[int]) -> Iterator[Any]:
    content, numbers = _common_part(choose, path)
    if not numbers.keys() >= set(glyphs):
        with choose(path, glyphs) as found:
            yield found
        return
    with choose(_File(content), {numbers[one] for one in glyphs}) as found:
        yield found._replace(glyph_index_map={one: found.glyph_index_map[numbers[one]] for one in glyphs})


@cache
def _common_part(choose: Choose, path: Any) -> tuple[bytes, dict[int, int]]:
    """Return the part of a font with common glyphs, and their numbers in it by those in the font."""
    from matplotlib.font_manager import get_font

    font, content = get_font(path), io.BytesIO()
    with choose(path, {number for one in _COMMON if (number := font.get_char_index(one))}) as part:
        part.font.save(content, reorderTables=False)
        return content.getvalue(), part.glyph_index_map
