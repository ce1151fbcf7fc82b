"""Sizes of texts, in inches, and the breaking of long ones into lines."""

from __future__ import annotations

import functools
import re
import warnings
from collections.abc import Iterable

# A line is so many times as high as its letters are large.
LEADING = 1.25
# Hinting makes letters on a screen a little wider than those on paper.
_HINTING_FACTOR = 1.03


@functools.lru_cache(maxsize=50_000)
def _points(line: str, size: float, families: tuple[str, ...]) -> float:
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    with warnings.catch_warnings():
        # Such as of letters that a font lacks: it comes when the figure itself is drawn.
        warnings.simplefilter("ignore")
        font = FontProperties(family=list(families), size=size)
        return float(text_to_path.get_text_width_height_descent(line, font, False)[0])


def inches(text: str, size: float) -> float:
    """Return the width of the widest line of a text in points of a size, with the font of the settings in force."""
    from matplotlib import rcParams

    families = (*rcParams["font.family"], *rcParams["font.sans-serif"][:1])
    return max(_points(line, size, families) for line in text.split("\n")) * _HINTING_FACTOR / 72


def height(text: str, size: float) -> float:
    """Return the height of the lines of a text, in inches; 0 for no text."""
    return (text.count("\n") + 1) * size * LEADING / 72 if text else 0.0


def widest(texts: Iterable[str], size: float) -> float:
    """Return the width of the widest of some texts; 0 for none."""
    return max((inches(text, size) for text in texts), default=0.0)


def wrapped(text: str, width: float, size: float) -> str:
    """Return a text in lines that fit a width in inches: broken at blanks, else behind signs, else anywhere."""
    return "\n".join(line for paragraph in text.split("\n") for line in _lines(paragraph, width, size))


def _lines(text: str, width: float, size: float) -> list[str]:
    done = []
    line = ""
    for word in re.findall(r"\s*\S+", text):
        if inches((line + word).strip(), size) <= width:
            line += word
            continue
        if line:
            done.append(line)
        line = word.strip()
        if inches(line, size) > width:
            *full, line = _pieces(line, width, size)
            done += full
    return [*done, line] if line or not done else done


def _pieces(word: str, width: float, size: float) -> list[str]:
    """Return a word without blanks in lines: before a parameter or a capital, behind a sign, or anywhere."""
    done = []
    line = ""
    for piece in re.findall(r"\w+=[\w.]*\W?|[A-Z]*[^\W_A-Z]+(?=[A-Z])|[^\W_]+[^\w(\[\"']*_?|_|[^\w]", word):
        if line and inches(line + piece, size) > width:
            done.append(line)
            line = ""
        line += piece
        while len(line) > 1 and inches(line, size) > width:
            letters = max(1, min(len(line) - 1, int(len(line) * width / inches(line, size))))
            done.append(line[:letters])
            line = line[letters:]
    return [*done, line]
