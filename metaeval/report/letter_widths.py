"""Display width of letters in a terminal: some take two columns, combining marks take none."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Sequence
from itertools import accumulate

# Stands behind a letter of two columns while lines are filled; no text has it, for it is no character.
_SECOND_COLUMN = "\ufdd0"


def display_width(text: str) -> int:
    """Return the number of terminal columns of a text: none for marks on letters, two for wide characters."""
    return len(text) if text.isascii() else sum(map(_width, text))


def _width(letter: str) -> int:
    if unicodedata.combining(letter) or unicodedata.category(letter) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def letters_of(text: str) -> list[str]:
    """Return the letters of a text, each with its marks."""
    letters: list[str] = []
    for letter in text:
        if letters and not _width(letter):
            letters[-1] += letter
        else:
            letters.append(letter)
    return letters


def fitting(letters: Sequence[str], columns: int) -> Sequence[str]:
    """Return the first letters, as many as so many columns hold."""
    return letters[: sum(end <= columns for end in accumulate(map(display_width, letters)))]


def padded(text: str, columns: int, *, right: bool = False) -> str:
    """Return a text with blanks behind it, or before it where it stands to the right, in so many columns."""
    blanks = " " * (columns - display_width(text))
    return blanks + text if right else text + blanks


def in_lines(
    text: str, width: int, first: str = "", rest: str = "", *, break_long: bool = False, at_hyphens: bool = False
) -> list[str]:
    """Return a text in lines of a width, the first of them with one indent and the rest with another."""
    filled = text if text.isascii() else "".join(letter + _SECOND_COLUMN * (_width(letter) - 1) for letter in text)
    lines = textwrap.wrap(
        filled,
        width,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=break_long,
        break_on_hyphens=at_hyphens,
    )
    return [line.replace(_SECOND_COLUMN, "") for line in lines]
