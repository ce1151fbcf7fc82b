"""Tables as text: aligned columns for people, Markdown and LaTeX for papers, TSV and JSON for programs.

Numbers in TSV and JSON read back to the same bits; the others round.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TextIO

from metaeval.errors import UsageError, unknown
from metaeval.framed import html_of
from metaeval.report.letters import display_width, in_lines, padded

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
        """Whether both ends are defined."""
        return not (math.isnan(self.lower) or math.isnan(self.upper))

    def __str__(self) -> str:
        return self.written(fixed)

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
        # Numbers without the sign end where those with it do.
        signed = {"bold": f"{self.text}{BOLD}", "underlined": f"{UNDERLINED}{self.text}"}
        return signed.get(self.style, f"{self.text} " if self.is_number else self.text)

    def to_markdown(self) -> str:
        """Return the cell as Markdown, which has no underlined letters: these are italic."""
        text = self.text.replace("|", "\\|")
        return {"bold": f"**{text}**", "underlined": f"*{text}*"}.get(self.style, text)

    def to_latex(self) -> str:
        """Return the cell as LaTeX."""
        text = _with_minus(escaped(self.text)) if self.is_number else escaped(self.text)
        return {"bold": rf"\textbf{{{text}}}", "underlined": rf"\underline{{{text}}}"}.get(self.style, text)


# In a terminal, behind what is bold elsewhere, and before what is underlined.
BOLD, UNDERLINED = "*", "_"


def fixed(value: float, digits: int = 3) -> str:
    """Return a number with so many digits after the point, and no negative zero."""
    text = f"{value:.{digits}f}"
    return text if float(text) else text.lstrip("-")


def is_number(value: object) -> bool:
    """Return whether a cell holds a number."""
    return (
        value.is_number if isinstance(value, Styled) else isinstance(value, int | float) and not isinstance(value, bool)
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
    most = max(map(len, columns))
    return [list(row) for row in zip(*([""] * (most - len(one)) + list(one) for one in columns), strict=True)]


def in_blocks(rows: Rows, columns: Sequence[str], width: int) -> list[list[str]]:
    """Return columns in blocks whose tables are no wider than so many letters; each begins with the first column."""
    names, cells, _ = laid_out(rows, columns)
    first, *widths = _widths([*heads_of(names), *cells])
    blocks, free = list[list[str]](), 0
    for name, needed in zip(names[1:], widths, strict=True):
        if needed + 2 > free:
            blocks.append([names[0]])
            free = width - first
        blocks[-1].append(name)
        free -= needed + 2
    return blocks


# Letters of a line of a head that has several.
_NARROW = 9


def heads_of(names: Sequence[str]) -> list[list[str]]:
    """Return the names of columns in rows, (rows, columns): one for each line of a name, several for a long one."""
    lines = [name.split("\n") for name in names]
    if len(lines) == sum(map(len, lines)):
        return [list(names)]
    heads = []
    for row in at_the_bottom(lines):
        heads += at_the_bottom([in_lines(text, _NARROW, at_hyphens=True) for text in row])
    return heads


def tsv(rows: Rows, columns: Sequence[str] | None = None) -> str:
    """Return rows as tab-separated text with a header; an undefined number is ``nan``, an absent value empty."""
    names = list(columns or (rows[0] if rows else ()))
    lines = ["\t".join(names)]
    lines.extend("\t".join(_exact(row.get(name)) for name in names) for row in rows)
    return "\n".join(lines) + "\n"


def row_writer(form: str) -> Callable[[Iterable[Mapping[str, Any]], TextIO], None]:
    """Return what writes rows one by one, however many there are: as ``tsv`` or ``jsonl``.

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
    return value.to_markdown() if isinstance(value, Styled) else text.replace("|", "\\|")


def latex(rows: Rows, columns: Sequence[str] | None = None) -> str:
    """Return rows as a LaTeX table for the package booktabs, which needs no edits; numbers are rounded."""
    names, _, numeric = laid_out(rows, columns)
    return "\n".join(tabular(names, numeric, [latex_row(latex_cell(row.get(name)) for name in names) for row in rows]))


def tabular(names: Sequence[str], numeric: Sequence[bool], body: Sequence[str]) -> list[str]:
    """Return the lines of a LaTeX table: the body below the names of the columns, those of numbers to the right."""
    return [
        rf"\begin{{tabular}}{{{''.join('r' if right else 'l' for right in numeric)}}}",
        r"\toprule",
        *(latex_row(map(escaped, head)) for head in heads_of(names)),
        r"\midrule",
        *body,
        r"\bottomrule",
        r"\end{tabular}",
    ]


_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    # Active in German and other languages; by its number it is a quote in every encoding of fonts.
    '"': r"\char34{}",
    **{sign: "\\" + sign for sign in "&%$#_{}"},
}


def escaped(text: str) -> str:
    """Return a text as LaTeX prints it; white space and control characters become blanks."""
    return "".join(_SPECIAL.get(letter, letter) for letter in on_one_line(text))


def on_one_line(text: str) -> str:
    """Return a text without line breaks, tabs and control characters."""
    return " ".join(re.sub(r"[\x00-\x1f\x7f-\x9f]", " ", text).split())


def latex_row(cells: Iterable[str]) -> str:
    """Return a row of a LaTeX table; the cells are LaTeX."""
    # After \\ or a rule, a bracket would be taken for an option, and a star for that of \\*.
    return re.sub(r"^([\[*])", r"{}\1", " & ".join(cells)) + r" \\"


def latex_cell(value: object) -> str:
    """Return a cell of a LaTeX table: numbers are rounded, and have a minus sign that is one."""
    if value is None:
        return ""
    if isinstance(value, Styled):
        return value.to_latex()
    if isinstance(value, Estimated):
        return replace(value, mark=escaped(value.mark)).written(number_tex)
    if isinstance(value, int | float) and is_number(value):
        return number_tex(value, 3 if isinstance(value, float) else 0)
    return _with_minus(escaped(str(value)))


def number_tex(value: float, digits: int = 3) -> str:
    """Return a number as LaTeX: rounded, ``--`` if it is undefined."""
    return _with_minus(fixed(value, digits)) if math.isfinite(value) else "--"


def _with_minus(text: str) -> str:
    """Return LaTeX in which a hyphen before a number is a minus sign."""
    return re.sub(r"(?<![\w.)-])-(\.?\d+(?:\.\d+)?)", r"\\ensuremath{-\1}", text)


FORMATS = ("table", "tsv", "json", "md", "latex")


def formatted(rows: Rows, kind: str) -> str:
    """Return rows in one of `FORMATS`."""
    if kind == "tsv":
        return tsv(rows).rstrip("\n")
    return {"json": as_json, "md": markdown, "latex": latex}.get(kind, aligned)(rows)


def laid_out(rows: Rows, columns: Sequence[str] | None) -> tuple[list[str], list[list[str]], list[bool]]:
    """Return the names of the columns, the texts of the cells, and which columns hold numbers."""
    names = list(columns or (rows[0] if rows else ()))
    cells = [[_rounded(row.get(name)) for name in names] for row in rows]
    numeric = [all(is_number(row.get(name)) or row.get(name) is None for row in rows) and bool(rows) for name in names]
    return names, cells, numeric


def _rounded(value: object) -> str:
    return "" if value is None else fixed(value) if isinstance(value, float) else str(value)


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
        May have several lines, each a paragraph of its own.
    rows : sequence of mapping
        From column to number, text, `Estimated` or `Styled`.
    note : str
    legend : mapping of str to str
        What stands before the note, where that depends on the form: ``table``, ``md`` or ``latex``.
    """

    heading: str
    rows: Rows
    note: str = ""
    legend: Mapping[str, str] = field(default_factory=dict)

    @property
    def columns(self) -> list[str]:
        """The columns that any row has, in the order in which they come up."""
        return list(dict.fromkeys(name for cells in self.rows for name in cells))

    def __str__(self) -> str:
        return "\n".join(filter(None, [self.heading, aligned(self.rows, self.columns), self.note_in("table")]))

    def note_in(self, form: str) -> str:
        """Return what stands below the table in a form."""
        return "\n".join(filter(None, [self.legend.get(form), self.note]))

    def to_html(self) -> str:
        """Return the table for a notebook."""
        import pandas as pd  # scoring must not wait for it

        names, cells, _ = laid_out(self.rows, self.columns)
        return html_of(self.heading, pd.DataFrame(cells, columns=names), self.note_in("table"))

    def to_latex(self) -> str:
        """Return the table for the package booktabs, with its heading and note as comments."""
        comments = [f"% {on_one_line(text)}" for text in (*self.heading.split("\n"), self.note_in("latex")) if text]
        return "\n".join([*comments, latex(self.rows, self.columns)])

    def to_markdown(self) -> str:
        """Return the table with its heading above and its note below."""
        heading = self.heading.replace("\n", "\n\n")
        return "\n\n".join(filter(None, [heading, markdown(self.rows, self.columns), self.note_in("md")]))
