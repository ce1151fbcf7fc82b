"""Tables in as many letters as a terminal has: what has no room is left out and named, and nothing wraps."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import zip_longest

from metaeval.errors import as_typed
from metaeval.report.letter_widths import display_width, fitting, in_lines, letters_of
from metaeval.report.tables import WIDTH, Rows, at_the_bottom, laid_out, lined_up

# No table is laid out for less.
NARROWEST = 60
# Widths to which a name at the beginning of a row, other words and a head may be shortened; numbers never are.
_MIN_NAME_LETTERS = 20
_MIN_WORD_LETTERS = 18
_MIN_HEAD_LETTERS = 12
_NUMBER_BEGINNING = re.compile(r"$|[-+_<]? ?\d|--$|undecided$")
_PLAIN_NUMBER = re.compile(r"-?\d+(\.\d+)?|--")
# Where a name may go on in the next line.
_NAME_PIECE = re.compile(r"[^\s,;(/:=+_-]*(?:[\s,;(/:=+_-]+|$)")


def fitted(
    rows: Rows,
    width: int = WIDTH,
    columns: Sequence[str] | None = None,
    first: Sequence[str] = (),
    whole: str = "",
) -> list[str]:
    """Return the lines of a table that is no wider than so many letters.

    Names in the first column go on below if they must, other words are cut, and columns that still have no room are
    left out, the least important first; a line below the table names them.

    Parameters
    ----------
    rows : sequence of mapping
    width : int
        Of a line, in letters; taken for 60 if it is less.
    columns : sequence of str, optional
        Those that are shown if there is room; all unless given.
    first : sequence of str
        The most important columns, in this order; the others follow as they stand.
    whole : str
        Where a reader finds what was left out, beside in a wider terminal; the exact numbers unless given.
    """
    width = max(width, NARROWEST)
    whole = whole or as_typed(terminal="--format tsv", python="to_frame()")
    names, cells, numeric = laid_out(rows, columns)
    if not names:
        return []
    natural = [max((display_width(row[column]) for row in cells), default=0) for column in range(len(names))]
    min_widths = []
    for column, natural_width in enumerate(natural):
        # Names can begin with a digit.
        words = not numeric[column] and (column == 0 or not all(_NUMBER_BEGINNING.match(row[column]) for row in cells))
        numeric[column] |= column > 0 and all(_PLAIN_NUMBER.fullmatch(row[column]) for row in cells)
        floor = natural_width
        if words:
            floor = _MIN_NAME_LETTERS if column == 0 else _MIN_WORD_LETTERS
        min_widths.append(max(min(natural_width, floor), min(_head_width(names[column]), _MIN_HEAD_LETTERS)))

    def importance(column: int) -> int:
        return first.index(names[column]) if names[column] in first else len(first)

    order = sorted(range(1, len(names)), key=importance)
    fitting_columns = [0]
    room = width - min_widths[0]
    for column in order:
        if min_widths[column] + 2 <= room:
            fitting_columns.append(column)
            room -= min_widths[column] + 2
    widths = _widened(min_widths, natural, names, sorted(fitting_columns), room)
    lines = _lines(names, cells, numeric, widths)
    left_out = [" ".join(names[column].splitlines()) for column in range(len(names)) if column not in widths]
    if left_out:
        lines += wrapped(f"Left out: {', '.join(left_out)}; a wider terminal or {whole} has all.", width).split("\n")
    return lines


def _head_width(name: str) -> int:
    return max(map(display_width, name.split("\n")))


def _widened(
    min_widths: Sequence[int], natural: Sequence[int], names: Sequence[str], shown: Sequence[int], free: int
) -> dict[int, int]:
    """Return the widths of the columns that are shown: as wide as they like to be, as far as there is room."""
    wanted_widths = {column: max(natural[column], _head_width(names[column])) for column in shown}
    widths = {column: min_widths[column] for column in shown}
    while free > 0 and (narrowed := [column for column in shown if widths[column] < wanted_widths[column]]):
        # Whatever is cut least first, and names, which go on below, last.
        column = min(narrowed, key=lambda column: (column == 0, wanted_widths[column] - widths[column]))
        widths[column] += 1
        free -= 1
    return widths


def _lines(
    names: Sequence[str], cells: Sequence[Sequence[str]], numeric: Sequence[bool], widths: dict[int, int]
) -> list[str]:
    heads = [
        [piece for text in names[at].split("\n") for piece in in_pieces(text, width)] for at, width in widths.items()
    ]
    body: list[Sequence[str]] = []
    for row in cells:
        parts = [in_pieces(row[at], width, " ") if at == 0 else [cut(row[at], width)] for at, width in widths.items()]
        body += zip_longest(*parts, fillvalue="")
    return lined_up(at_the_bottom(heads), body, [*widths.values()], [numeric[at] for at in widths])


def cut(text: str, width: int) -> str:
    """Return a text that is no longer: words lose their end, a name its middle."""
    if display_width(text) <= width:
        return text
    letters = letters_of(text)
    if " " in text:
        return f"{''.join(fitting(letters, width - 3)).rstrip()}..."
    before = (width - 3) // 2
    end = fitting(letters[::-1], width - 3 - before)[::-1]
    return f"{''.join(fitting(letters, before))}...{''.join(end)}"


def in_pieces(text: str, width: int, indent: str = "") -> list[str]:
    """Return a name in lines of a width, broken behind a sign if it can be; all but the first are indented."""
    lines = [""]
    for piece in _NAME_PIECE.findall(text):
        while piece:
            room = width - display_width(lines[-1])
            if display_width(piece.rstrip()) <= room:
                lines[-1] += piece
                break
            if lines[-1].strip():
                lines.append(indent)
            else:
                letters = letters_of(piece)
                taken = "".join(fitting(letters, room) or letters[:1])
                lines[-1] += taken
                piece = piece[len(taken) :]
    return [line.rstrip() for line in lines]


def wrapped(text: str, width: int = WIDTH, rest: str = "") -> str:
    """Return words in lines of a width, longer words broken; lines stay lines."""
    return "\n".join(
        line
        for text_line in text.split("\n")
        for line in in_lines(text_line, max(width, NARROWEST), rest=rest, break_long=True) or [""]
    )
