"""How large texts are, in inches, and how long ones are broken into lines."""

from __future__ import annotations

import functools
import re
import textwrap
import warnings
from collections.abc import Iterable

# A line is so many times as high as its letters are large.
LEADING = 1.25
# Hinting makes letters on a screen a little wider than those on paper.
_SLACK = 1.03
# Where a line of a name may end, the best first: behind a blank, before a parameter, behind a sign that opens nothing,
# anywhere.
_ENDS = (r"(?<=\s)", r",(?=\w+=)", r"""(?:[^\w"'(\[]|_)(?![\d,)\]])""", ".")


@functools.lru_cache(maxsize=50_000)
def _points(line: str, size: float, family: tuple[str, ...]) -> float:
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    with warnings.catch_warnings():
        # Such as of letters that a font lacks: it comes when the figure itself is drawn.
        warnings.simplefilter("ignore")
        font = FontProperties(family=list(family), size=size)
        return float(text_to_path.get_text_width_height_descent(line, font, False)[0])


def inches(text: str, size: float) -> float:
    """Return how wide the widest line of a text is in points of a size, with the font of the settings in force."""
    from matplotlib import rcParams

    family = (*rcParams["font.family"], *rcParams["font.sans-serif"][:1])
    return max(_points(line, size, family) for line in text.split("\n")) * _SLACK / 72


def height(text: str, size: float) -> float:
    """Return how high the lines of a text are, in inches; 0 for no text."""
    return (text.count("\n") + 1) * size * LEADING / 72 if text else 0.0


def widest(texts: Iterable[str], size: float) -> float:
    """Return the width of the widest of some texts; 0 for none."""
    return max((inches(text, size) for text in texts), default=0.0)


def broken(name: str, width: float, size: float) -> str:
    """Return a name in lines that fit a width in inches.

    It is broken at a blank or before a parameter if it can be, or else behind a sign, or else anywhere.
    """
    if "\n" in name:
        return "\n".join(broken(line, width, size) for line in name.split("\n"))
    lines, fits, too_many = [name], 0, len(name)
    if too_many <= 1 or widest(lines, size) <= width:
        return name
    # Not letter by letter: each try breaks the whole name.
    while too_many - fits > 1:
        letters = (fits + too_many) // 2
        tried = _parts(name, letters)
        if widest(tried, size) <= width:
            lines, fits = tried, letters
        else:
            too_many = letters
    return "\n".join(filter(None, lines if fits else _parts(name, 1)))


def _parts(name: str, letters: int) -> list[str]:
    """Return a name in lines of so many letters at most."""
    if letters < 2:
        return [*map(str.strip, name)]
    line = f".{{1,{letters - 1}}}"
    return [part.strip() for part in re.findall("|".join(line + end for end in (".$", *_ENDS)) + "|.", name)]


def wrapped(text: str, width: float, size: float) -> str:
    """Return words in lines that fit a width in inches."""
    letters = max(8, int(width * 72 / (0.62 * size)))
    while True:
        lines = [part for line in text.split("\n") for part in textwrap.wrap(line, letters, break_on_hyphens=False)]
        if letters <= 8 or not lines or inches("\n".join(lines), size) <= width:
            return "\n".join(lines)
        letters -= 1
