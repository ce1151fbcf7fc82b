"""The bitext grid of a segment: what a metric of matching runs sees, for people.

A row for each token of the candidate, a column for each token of the references, which stand side by side with a gap. A
hit is a cell whose tokens are equal. The blocks are the runs of the matching; the cap deletes hits from the shortest of
them. Melamed, Green and Turian (2003) and Turian, Shen and Melamed (2003) draw it so.
"""

from __future__ import annotations

import string
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metaeval.components.registry import load
from metaeval.errors import UsageError
from metaeval.report.letter_widths import display_width, fitting, in_lines, letters_of, padded
from metaeval.report.tables import SummaryTable, aligned
from metaeval.report.tabular import Tabular

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

WIDTH = 120
_MAX_ROW_LETTERS = 16
_MAX_HEAD_LETTERS = 10
# Letters of the runs; a small o is a hit that the cap deletes.
_RUN_LETTERS = string.ascii_uppercase + string.ascii_lowercase.replace("o", "")
_DELETED_SIGN = "o"
_PART_SIGN = "%"
_HIT_SIGN = "."


@dataclass(frozen=True)
class Block:
    """A run of the matching.

    Attributes
    ----------
    length : int
        Its hits.
    kept : float
        Those that count after the cap, from its beginning on; a fraction is part of one hit.
    row, column : int
        Its first cell.
    """

    length: int
    kept: float
    row: int
    column: int


@dataclass(frozen=True)
class Grid(Tabular):
    """The bitext grid of a candidate and its references, with the matching chosen in it.

    Printed, it is text for a terminal.

    Attributes
    ----------
    candidate : tuple of str
        Its tokens, one for each row.
    references : tuple of tuples of str
        The tokens of each.
    hits : tuple of (int, int)
        Rows and columns. Columns count over all references; each begins one column after the end of the one before it.
    blocks : tuple of Block
        By descending length.
    cap : float
        How many hits may stay.
    metric, signature : str
        What chose the blocks.
    size : float
        Of the matching, in hits; long runs count more if the exponent is above 1.
    precision, recall, f : float
        As the metric gives them, from 0 to 1.
    proven : bool
        Whether the matching is what was asked for; false where an exact search ended early.
    """

    candidate: tuple[str, ...]
    references: tuple[tuple[str, ...], ...]
    hits: tuple[tuple[int, int], ...]
    blocks: tuple[Block, ...]
    cap: float
    metric: str
    signature: str
    size: float
    precision: float
    recall: float
    f: float
    proven: bool = True

    @property
    def starts(self) -> tuple[int, ...]:
        """The first column of each reference."""
        return tuple(accumulate((len(words) + 1 for words in self.references[:-1]), initial=0))

    @property
    def n_deleted(self) -> float:
        """The hits of the matching that the cap deletes."""
        return sum(block.length - block.kept for block in self.blocks)

    def __str__(self) -> str:
        return grid_text(self)

    def to_frame(self) -> pd.DataFrame:
        """Return the runs of the matching as a new data frame, the longest first.

        Returns
        -------
        DataFrame
            ``length``, the hits of the run, and ``kept``, those that the cap leaves (float); ``candidate``, the number
            of its first token; ``reference``, that of the reference, and ``token``, of the first token in it, all from
            1; ``tokens``, the words of the run.
        """
        import pandas as pd

        columns = ["length", "kept", "candidate", "reference", "token", "tokens"]
        return pd.DataFrame(self._block_rows(), columns=columns)

    def _block_rows(self) -> list[dict[str, Any]]:
        """Return the rows of :meth:`to_frame`."""
        rows = []
        for block in self.blocks:
            reference = max(number for number, start in enumerate(self.starts) if start <= block.column)
            rows.append(
                {
                    "length": block.length,
                    "kept": block.kept,
                    "candidate": block.row + 1,
                    "reference": reference + 1,
                    "token": block.column - self.starts[reference] + 1,
                    "tokens": " ".join(self.candidate[block.row : block.row + block.length]),
                }
            )
        return rows

    def _tables_for_people(self) -> list[SummaryTable]:
        numbers = {"precision": self.precision, "recall": self.recall, "F": self.f}
        return [
            SummaryTable(f"Runs of {self.metric}", self._block_rows()),
            SummaryTable(self.signature, [{"match size": self.size, "cap": self.cap, **numbers}]),
        ]

    def figure(self) -> Figure:
        """Return the grid as a matplotlib figure.

        Returns
        -------
        Figure
            Of its own: no window shows it.
        """
        figure: Figure = load("metaeval.report.figures.grid:draw_grid")(self)
        return figure

    def save(self, path: str | Path) -> Path:
        """Write the grid as a picture; the same grid gives the same bytes.

        Parameters
        ----------
        path : str or Path
            A file that ends with .svg, .pdf or .png.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        UsageError
            If the name of the file does not end with .svg, .pdf or .png.
        """
        from metaeval.report.figures.drawing import figure_bytes
        from metaeval.report.figures.grid import GRID_LOOK

        checked = checked_picture(path)
        checked.write_bytes(figure_bytes(self.figure(), checked.suffix[1:], GRID_LOOK))
        return checked


def checked_picture(path: str | Path) -> Path:
    """Return the path of a picture.

    Raises
    ------
    UsageError
        If its name does not end with .svg, .pdf or .png.
    """
    path = Path(path)
    if path.suffix not in (".svg", ".pdf", ".png"):
        raise UsageError(f"a picture must be named .svg, .pdf or .png; got {str(path)!r}.")
    return path


def grid_text(grid: Grid, width: int = WIDTH) -> str:
    """Return a grid with its runs and numbers as text of at most `width` columns, 60 or more; no colour is needed."""
    parts = [*_pictures(grid, width), _legend(grid, width), _runs(grid, width), _numbers(grid)]
    if not grid.proven:
        parts.append("The search ended before this matching was proven to be the largest.")
    parts.append("\n".join(in_lines(grid.signature, width, break_long=True)))
    return "\n\n".join(filter(None, parts))


def _pictures(grid: Grid, width: int) -> Iterator[str]:
    """Yield the grid, in several parts where it is too wide for one."""
    if not grid.candidate or not any(grid.references):
        yield "There is no grid: " + ("the candidate has no token." if not grid.candidate else "no reference has one.")
        return
    words = shortened(grid.candidate, _MAX_ROW_LETTERS)
    margin = max(map(display_width, words)) + 2
    n_columns = grid.starts[-1] + len(grid.references[-1])
    step = (width - margin) // 2
    signs = _signs(grid)
    gaps = {start - 1 for start in grid.starts[1:]}
    heads: dict[int, list[str]] = {gap: [] for gap in gaps}
    for start, reference in zip(grid.starts, grid.references, strict=True):
        heads |= {
            start + offset: letters_of(word) for offset, word in enumerate(shortened(reference, _MAX_HEAD_LETTERS))
        }
    for first in range(0, n_columns, step):
        part = range(first, min(first + step, n_columns))
        height = max(len(heads[column]) for column in part)
        lines = [_reference_names(grid, part)]
        # Words end just above the grid.
        ending = [[""] * (height - len(heads[column])) + heads[column] for column in part]
        lines.extend("".join(padded(letter, 2) for letter in letters) for letters in zip(*ending, strict=True))
        lines.extend(
            "".join(padded("|" if column in gaps else signs.get((row, column), ""), 2) for column in part)
            for row in range(len(words))
        )
        labels = [""] * (height + 1) + words
        yield "\n".join((padded(label, margin) + line).rstrip() for label, line in zip(labels, lines, strict=True))


def _signs(grid: Grid) -> dict[tuple[int, int], str]:
    signs = dict.fromkeys(grid.hits, _HIT_SIGN)
    for letter, block in zip(_letters_of(grid), grid.blocks, strict=True):
        for step in range(block.length):
            left = block.kept - step
            if left >= 1:
                sign = letter
            elif left > 0:
                sign = _PART_SIGN
            else:
                sign = _DELETED_SIGN
            signs[block.row + step, block.column + step] = sign
    return signs


def _letters_of(grid: Grid) -> list[str]:
    return [_RUN_LETTERS[number] if number < len(_RUN_LETTERS) else "#" for number in range(len(grid.blocks))]


def _reference_names(grid: Grid, part: range) -> str:
    """Return a line that names the references above the columns in which they begin, where there are several."""
    line = ""
    if len(grid.references) == 1:
        return line
    for number, (start, words) in enumerate(zip(grid.starts, grid.references, strict=True), start=1):
        shown = [column for column in part if start <= column < start + len(words)]
        if shown:
            names = (f"reference {number}", f"ref {number}", str(number))
            name = next((name for name in names if len(name) < 2 * len(shown)), names[-1])
            line = line.ljust(2 * (shown[0] - part.start)) + name
    return line


def _legend(grid: Grid, width: int) -> str:
    shown = set(_signs(grid).values())
    explanations = [
        (bool(shown - {_HIT_SIGN, _DELETED_SIGN, _PART_SIGN}), "letters: the runs of the matching"),
        (_DELETED_SIGN in shown, f"{_DELETED_SIGN}: hits that the cap deletes"),
        (_PART_SIGN in shown, f"{_PART_SIGN}: a hit that counts a fraction"),
        (_HIT_SIGN in shown, f"{_HIT_SIGN}: other hits"),
    ]
    return "\n".join(in_lines("; ".join(text for holds, text in explanations if holds), width))


def _runs(grid: Grid, width: int) -> str:
    capped = grid.n_deleted > 0
    several = len(grid.references) > 1
    rows = [
        {"run": letter if run["kept"] else _DELETED_SIGN, "length": run["length"]}
        | ({"kept": f"{run['kept']:g}"} if capped else {})
        | {"candidate": _span(run["candidate"], run["length"])}
        | ({"in": run["reference"]} if several else {})
        | {"reference": _span(run["token"], run["length"])}
        | {"tokens": _shortened(run["tokens"], width - 60)}
        for letter, run in zip(_letters_of(grid), grid._block_rows(), strict=True)
    ]
    return aligned(rows) if rows else "There is no hit."


def _span(first: int, length: int) -> str:
    return str(first) if length == 1 else f"{first}-{first + length - 1}"


def _numbers(grid: Grid) -> str:
    lengths = [len(words) for words in grid.references]
    row = {
        "metric": grid.metric,
        "match size": grid.size,
        "cap": f"{grid.cap:g}",
        "candidate": len(grid.candidate),
        "mean reference": f"{sum(lengths) / len(lengths):.4g}",
        "precision": grid.precision,
        "recall": grid.recall,
        "F": grid.f,
    }
    return aligned([row])


def _shortened(word: str, longest: int) -> str:
    """Return a word in at most so many columns of a terminal, three dots standing for its end."""
    if display_width(word) <= longest:
        return word
    return "".join(fitting(letters_of(word), longest - 1)) + "\N{HORIZONTAL ELLIPSIS}"


def shortened(words: Sequence[str], longest: int) -> list[str]:
    """Return words in at most so many columns each, three dots standing for the end of long ones."""
    return [_shortened(word, longest) for word in words]
