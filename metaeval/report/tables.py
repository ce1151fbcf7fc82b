"""Tables as text: aligned columns and Markdown for people, TSV and JSON for programs; `report/latex.py` has LaTeX.

Numbers in TSV and JSON read back to the same bits; the others round.
"""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TextIO

from metaeval.datamodel.data_frames import html_of
from metaeval.errors import UsageError, unknown
from metaeval.report.letter_widths import display_width, in_lines, padded

Rows = Sequence[Mapping[str, Any]]
# Letters of a line where nothing says how wide a terminal is.
WIDTH = 120


@dataclass(frozen=True)
class Estimated:
    """A number with its confidence interval, if it has one, and a mark behind it: what one cell shows."""

    value: float
    lower: float
    upper: float
    mark: str = ""

    @property
    def has_interval(self) -> bool:
        """True if both ends are defined."""
        return not (math.isnan(self.lower) or math.isnan(self.upper))

    def __str__(self) -> str:
        return "--" if math.isnan(self.value) else self.written(fixed)

    def written(self, number: Callable[[float], str]) -> str:
        """Return the cell with its numbers as a function writes them; the mark is as it is."""
        interval = f" [{number(self.lower)}, {number(self.upper)}]" if self.has_interval else ""
        return f"{number(self.value)}{interval}{self.mark}"


@dataclass(frozen=True)
class Styled:
    """A cell that stands out: bold or underlined, and where there are no such letters, by a sign.

    Attributes
    ----------
    text : str
    style : {"", "bold", "underlined"}
    is_number : bool
        Whether it stands to the right, above and below other numbers.
    """

    text: str
    style: Literal["", "bold", "underlined"] = ""
    is_number: bool = True

    def __str__(self) -> str:
        return f"{UNDERLINED}{self.text}" if self.style == "underlined" else self.text

    def to_markdown(self) -> str:
        """Return the cell as Markdown, which has no underlined letters: these are italic."""
        text = self.text.replace("|", "\\|")
        return {"bold": f"**{text}**", "underlined": f"*{text}*"}.get(self.style, text)


@dataclass(frozen=True)
class RankedValue:
    """A number as it is printed, with its rank and its star: rank 1 is bold where there are such letters.

    Attributes
    ----------
    text : str
    rank : int or None
    star : str
        Behind it; a blank where others of the column have one.
    """

    text: str
    rank: int | None = None
    star: str = ""

    def __str__(self) -> str:
        return f"{'' if self.rank is None else f'{self.rank} '}{self.text}{self.star}"

    def to_markdown(self) -> str:
        """Return the cell as Markdown."""
        text = str(self).strip().replace("*", "\\*")
        return f"**{text}**" if self.rank == 1 else text


# In a terminal, before what is underlined elsewhere.
UNDERLINED = "_"


def fixed(value: float, digits: int = 3) -> str:
    """Return a number with so many digits after the point, and no negative zero."""
    text = f"{value:.{digits}f}"
    return text if float(text) else text.lstrip("-")


def is_number(value: object) -> bool:
    """Return whether a cell holds a number."""
    return (
        value.is_number
        if isinstance(value, Styled)
        else isinstance(value, int | float | RankedValue) and not isinstance(value, bool)
    )


def aligned(rows: Rows, columns: Sequence[str] | None = None) -> str:
    """Return rows as a table for people: text to the left, numbers to the right and rounded."""
    names, cells, numeric = laid_out(rows, columns)
    heads = heads_of(names)
    return "\n".join(lined_up(heads, cells, _widths([*heads, *cells]), numeric))


def lined_up(
    heads: Iterable[Sequence[str]], body: Iterable[Sequence[str]], widths: Sequence[int], numeric: Sequence[bool]
) -> list[str]:
    """Return the lines of a table whose columns have these widths; numbers stand to the right."""

    def line(texts: Sequence[str]) -> str:
        cells = zip(texts, widths, numeric, strict=True)
        return "  ".join(padded(text, width, right=right) for text, width, right in cells).rstrip()

    return [*map(line, heads), line(["-" * width for width in widths]), *map(line, body)]


def _widths(lines: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(display_width, column)) for column in zip(*lines, strict=True)]


def at_the_bottom(columns: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return columns of lines as rows; what is short has empty lines above."""
    height = max(map(len, columns))
    return [
        list(row) for row in zip(*([""] * (height - len(column)) + list(column) for column in columns), strict=True)
    ]


def in_blocks(rows: Rows, columns: Sequence[str], width: int, groups: Sequence[str] | None = None) -> list[list[str]]:
    """Return columns in blocks whose tables are no wider than so many letters; each begins with the first column.

    Neighbours of one group, of which `groups` has one for each column, stay together where a block has room for them.
    """
    names, cells, _ = laid_out(rows, columns)
    first, *widths = _widths([*heads_of(names), *cells])
    columns_of = zip(groups or names, names, [0, *widths], strict=True)
    column_groups = [
        list(group_columns) for _, group_columns in itertools.groupby(list(columns_of)[1:], lambda column: column[0])
    ]
    blocks = list[list[str]]()
    room_left = 0
    room_per_block = width - first
    for group in column_groups:
        needed_by_group = sum(needed + 2 for _, _, needed in group)
        if needed_by_group > room_left and needed_by_group <= room_per_block and blocks and len(blocks[-1]) > 1:
            room_left = 0
        for _, name, needed in group:
            if needed + 2 > room_left:
                blocks.append([names[0]])
                room_left = room_per_block
            blocks[-1].append(name)
            room_left -= needed + 2
    return blocks


# Letters of a line of a head that has several.
_HEAD_LETTERS = 9


def heads_of(names: Sequence[str]) -> list[list[str]]:
    """Return the names of columns in rows, (rows, columns): one for each line of a name, several for a long one."""
    lines = [name.split("\n") for name in names]
    if len(lines) == sum(map(len, lines)):
        return [list(names)]
    heads = []
    for row in at_the_bottom(lines):
        heads += at_the_bottom([in_lines(text, _HEAD_LETTERS, at_hyphens=True) for text in row])
    return heads


def tsv(rows: Rows, columns: Sequence[str] | None = None) -> str:
    """Return rows as tab-separated text with a header; an undefined number is ``nan``, an absent value empty."""
    names = list(columns or (rows[0] if rows else ()))
    lines = ["\t".join(names)]
    lines.extend("\t".join(_exact(row.get(name)) for name in names) for row in rows)
    return "\n".join(lines) + "\n"


def row_writer(form: str) -> Callable[[Iterable[Mapping[str, Any]], TextIO], None]:
    """Return the writer of rows one by one, however many there are: as ``tsv`` or ``jsonl``.

    Raises
    ------
    UsageError
        If the form is another.
    """
    writers = {"tsv": _write_tsv, "jsonl": _write_json_lines}
    if form not in writers:
        raise UsageError(unknown("format", form, writers))
    return writers[form]


def _write_tsv(rows: Iterable[Mapping[str, Any]], file: TextIO) -> None:
    names: list[str] = []
    for row in rows:
        if not names:
            names = list(row)
            file.write("\t".join(names) + "\n")
        file.write("\t".join(_exact(row[name]) for name in names) + "\n")


def _write_json_lines(rows: Iterable[Mapping[str, Any]], file: TextIO) -> None:
    for row in rows:
        file.write(json.dumps(_plain(row), ensure_ascii=False) + "\n")


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row whose undefined numbers are null."""
    return {key: None if isinstance(value, float) and not math.isfinite(value) else value for key, value in row.items()}


def as_json(rows: Rows) -> str:
    """Return rows as a JSON list of objects; an undefined number is null."""
    return json.dumps([_plain(row) for row in rows], indent=1, ensure_ascii=False)


def markdown(rows: Rows, columns: Sequence[str] | None = None) -> str:
    """Return rows as a Markdown table; numbers are rounded and stand to the right."""
    names, cells, numeric = laid_out(rows, columns)

    def line(texts: Sequence[str]) -> str:
        return "| " + " | ".join(texts) + " |"

    body = [
        line([_markdown_cell(row.get(name), text) for name, text in zip(names, texts, strict=True)])
        for row, texts in zip(rows, cells, strict=True)
    ]
    heads = [name.replace("\n", " ") for name in names]
    return "\n".join([line(heads), line(["---:" if right else "---" for right in numeric]), *body])


def _markdown_cell(value: object, text: str) -> str:
    return value.to_markdown() if isinstance(value, Styled | RankedValue) else text.replace("|", "\\|")


def on_one_line(text: str) -> str:
    """Return a text without line breaks, tabs and control characters."""
    return " ".join(re.sub(r"[\x00-\x1f\x7f-\x9f]", " ", text).split())


FORMATS = ("table", "tsv", "json", "md", "latex")


def formatted(rows: Rows, kind: str) -> str:
    """Return rows in one of `FORMATS`."""
    if kind == "tsv":
        return tsv(rows).rstrip("\n")
    if kind == "latex":
        from metaeval.report.latex import plain_table  # which imports this module

        return plain_table(rows)
    return {"json": as_json, "md": markdown}.get(kind, aligned)(rows)


def laid_out(rows: Rows, columns: Sequence[str] | None) -> tuple[list[str], list[list[str]], list[bool]]:
    """Return the names of the columns, the texts of the cells, and which columns hold numbers."""
    names = list(columns or (rows[0] if rows else ()))
    cells = [[_rounded(row.get(name)) for name in names] for row in rows]
    numeric = [all(is_number(row.get(name)) or row.get(name) is None for row in rows) and bool(rows) for name in names]
    return names, cells, numeric


def _rounded(value: object) -> str:
    if value is None:
        return ""
    if not isinstance(value, float):
        return str(value)
    return "--" if math.isnan(value) else fixed(value)


def _exact(value: object) -> str:
    if value is None:
        return ""
    return repr(float(value)) if isinstance(value, float) else str(value)


@dataclass(frozen=True)
class SummaryTable:
    """A table with its heading and a note below.

    Attributes
    ----------
    heading : str
    rows : sequence of mapping
        From column to number, text, `Estimated` or `Styled`.
    note : str
    legend : mapping of str to str
        What stands before the note, where that depends on the form: ``table``, ``md`` or ``latex``.
    answers : sequence of str
        What the table shows, in sentences, each a paragraph of its own above it.
    """

    heading: str
    rows: Rows
    note: str = ""
    legend: Mapping[str, str] = field(default_factory=dict)
    answers: Sequence[str] = ()

    @property
    def columns(self) -> list[str]:
        """The columns that any row has something in, in the order in which they come up."""
        names = dict.fromkeys(name for cells in self.rows for name in cells)
        return [name for name in names if any(row.get(name) not in (None, "") for row in self.rows)]

    def __str__(self) -> str:
        table = aligned(self.rows, self.columns)
        return "\n".join(filter(None, [*self.answers, self.heading, table, self.note_in("table")]))

    def note_in(self, form: str) -> str:
        """Return the note below the table in a form."""
        return "\n".join(filter(None, [self.legend.get(form), self.note]))

    def to_html(self) -> str:
        """Return the table for a notebook."""
        import pandas as pd  # scoring must not wait for it

        names, cells, _ = laid_out(self.rows, self.columns)
        return html_of(
            "\n".join([*self.answers, self.heading]), pd.DataFrame(cells, columns=names), self.note_in("table")
        )

    def to_markdown(self) -> str:
        """Return the table with its heading above and its note below."""
        return "\n\n".join(
            filter(None, [*self.answers, self.heading, markdown(self.rows, self.columns), self.note_in("md")])
        )


def tables_markdown(tables: Sequence[SummaryTable]) -> str:
    """Return the tables of a run as Markdown, one after the other.

    Parameters
    ----------
    tables : sequence of SummaryTable
    """
    return "\n\n".join(table.to_markdown() for table in tables) + "\n"
