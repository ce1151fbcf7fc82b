"""Tables as text: aligned columns for people, Markdown and LaTeX for papers, TSV and JSON for programs.

Numbers in TSV and JSON read back to the same bits; the others round.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TextIO

from metaeval.errors import UsageError, unknown

Rows = Sequence[Mapping[str, Any]]


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


def fixed(value: float, digits: int = 3) -> str:
    """Return a number with so many digits after the point, and no negative zero."""
    text = f"{value:.{digits}f}"
    return text if float(text) else text.lstrip("-")


def is_number(value: object) -> bool:
    """Return whether a cell holds a number."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def aligned(rows: Rows, columns: Sequence[str] | None = None) -> str:
    """Return rows as a table for people: text to the left, numbers to the right and rounded."""
    names, cells, numeric = _laid_out(rows, columns)
    widths = [max([len(name), *(len(line[k]) for line in cells)]) for k, name in enumerate(names)]

    def line(texts: Sequence[str]) -> str:
        padded = (
            text.rjust(width) if right else text.ljust(width)
            for text, width, right in zip(texts, widths, numeric, strict=True)
        )
        return "  ".join(padded).rstrip()

    return "\n".join([line(names), line(["-" * width for width in widths]), *map(line, cells)])


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
    names, cells, numeric = _laid_out(rows, columns)

    def line(texts: Sequence[str]) -> str:
        return "| " + " | ".join(texts) + " |"

    body = [line([text.replace("|", "\\|") for text in texts]) for texts in cells]
    return "\n".join([line(names), line(["---:" if right else "---" for right in numeric]), *body])


def latex(rows: Rows, columns: Sequence[str] | None = None) -> str:
    """Return rows as a LaTeX table for the package booktabs, which needs no edits; numbers are rounded."""
    names, cells, numeric = _laid_out(rows, columns)
    return "\n".join(tabular(names, numeric, [latex_row(map(_latex_cell, line)) for line in cells]))


def tabular(names: Sequence[str], numeric: Sequence[bool], body: Sequence[str]) -> list[str]:
    """Return the lines of a LaTeX table: the body below the names of the columns, those of numbers to the right."""
    return [
        rf"\begin{{tabular}}{{{''.join('r' if right else 'l' for right in numeric)}}}",
        r"\toprule",
        latex_row(map(escaped, names)),
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


def _latex_cell(text: str) -> str:
    return f"${text}$" if re.fullmatch(r"-\d+(\.\d+)?", text) else escaped(text)


FORMATS = ("table", "tsv", "json", "md", "latex")


def formatted(rows: Rows, kind: str) -> str:
    """Return rows in one of `FORMATS`."""
    if kind == "tsv":
        return tsv(rows).rstrip("\n")
    return {"json": as_json, "md": markdown, "latex": latex}.get(kind, aligned)(rows)


def _laid_out(rows: Rows, columns: Sequence[str] | None) -> tuple[list[str], list[list[str]], list[bool]]:
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
