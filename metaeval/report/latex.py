r"""Tables as LaTeX that needs no edits, for the package booktabs.

Each table stands in a `table` environment. One that may be wider than a column of a two-column page is put into a box
that shrinks where it does not fit and never grows. One that is longer than a page becomes several, such as one for each
criterion, which is then named in the caption. Numbers of a column have their points below each other: what a cell
lacks, such as a star, it has as a gap of that width.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from metaeval.report.letter_widths import display_width
from metaeval.report.tables import (
    Estimated,
    RankedValue,
    Rows,
    Styled,
    SummaryTable,
    fixed,
    heads_of,
    is_number,
    on_one_line,
)

# The width of a column of a two-column page, of a character, and of the gap between two columns of a table.
_COLUMN_POINTS = 219.0
_CHARACTER_POINTS = 5.0
_GAP_POINTS = 12.0
# The rows that fit on a page; and the mean rows of a group from which on each group has a table of its own.
_MAX_ROWS = 45
_MIN_ROWS = 10
# LaTeX stops when too many tables wait for a page: 18 in old versions.
_TABLES_PER_FLUSH = 15
_FLUSH = "\n\\clearpage"
_SHRINK = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
# p-values are texts, for some are too small to be written; all have as many digits.
_P_VALUE = re.compile(r"(?:< )?[01]\.\d{3}")
_ESCAPES = {
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
    return "".join(_ESCAPES.get(letter, letter) for letter in on_one_line(text))


def latex_row(cells: Iterable[str]) -> str:
    """Return a row of a LaTeX table; the cells are LaTeX."""
    # After \\\\ or a rule, a bracket would be taken for an option, and a star for that of \\\\*.
    return re.sub(r"^([\[*])", r"{}\1", " & ".join(cells)) + r" \\"


def number_tex(value: float, digits: int = 3) -> str:
    """Return a number as LaTeX: rounded, ``--`` if it is undefined."""
    return _with_minus(fixed(value, digits)) if math.isfinite(value) else "--"


def _with_minus(text: str) -> str:
    """Return LaTeX in which a hyphen before a number is a minus sign."""
    return re.sub(r"(?<![\w.)-])-(\.?\d+(?:\.\d+)?)", r"\\ensuremath{-\1}", text)


def _column_cells(values: Sequence[object]) -> list[str]:
    """Return the cells of a column, padded so that points, brackets and marks (stars) stand below each other."""
    estimates = [value for value in values if isinstance(value, Estimated)]
    shown = {name: _numbers_shown(estimates, name) for name in ("value", "lower", "upper")}
    has_minus = {name: any(map(_is_negative, numbers)) for name, numbers in shown.items()}
    has_interval = any(estimate.has_interval for estimate in estimates)
    has_mark = any(estimate.mark.strip() for estimate in estimates)

    def number(estimate: Estimated, name: str) -> str:
        value = getattr(estimate, name)
        gap = has_minus[name] and not _is_negative(value)
        return (r"\phantom{\ensuremath{-}}" if gap else "") + number_tex(value)

    ends = (r"\ensuremath{-}0.000" if has_minus[name] else "0.000" for name in ("lower", "upper"))
    no_interval = rf"\phantom{{ [{', '.join(ends)}]}}" if has_interval else ""

    def cell(value: object) -> str:
        if not isinstance(value, Estimated):
            return latex_cell(value)
        text = latex_cell("--") if math.isnan(value.value) else number(value, "value")
        if value.has_interval:
            text += f" [{number(value, 'lower')}, {number(value, 'upper')}]"
        else:
            text += no_interval
        mark = escaped(value.mark)
        return text + (mark or (r"\phantom{*}" if has_mark else ""))

    return [cell(value) for value in values]


def _numbers_shown(estimates: Sequence[Estimated], name: str) -> list[float]:
    """Return the values, or the limits of those that have an interval."""
    return [getattr(estimate, name) for estimate in estimates if name == "value" or estimate.has_interval]


def _is_negative(value: float) -> bool:
    return math.isfinite(value) and fixed(value).startswith("-")


def latex_cell(value: object) -> str:
    """Return a cell of a LaTeX table: numbers are rounded, and have a minus sign that is one."""
    if value is None:
        return ""
    if isinstance(value, Styled):
        text = _with_minus(escaped(value.text)) if value.is_number else escaped(value.text)
        return {"bold": rf"\textbf{{{text}}}", "underlined": rf"\underline{{{text}}}"}.get(value.style, text)
    if isinstance(value, RankedValue):
        text = _with_minus(escaped(value.text))
        raised = ",".join(filter(None, ["" if value.rank is None else str(value.rank), value.star.strip()]))
        bold = rf"\textbf{{{text}}}" if value.rank == 1 else text
        # It takes no room, so that the points of a column stay below each other.
        return bold + (rf"\rlap{{\textsuperscript{{{raised}}}}}" if raised else "")
    if isinstance(value, Estimated):
        return _column_cells([value])[0]
    if isinstance(value, int | float) and is_number(value):
        return number_tex(value, 3 if isinstance(value, float) else 0)
    return _with_minus(escaped(str(value)))


def plain_table(rows: Rows) -> str:
    """Return rows as a `tabular` alone, without caption and label."""
    return "\n".join(_tabular(SummaryTable("", rows)))


def _tabular(table: SummaryTable) -> list[str]:
    """Return the lines of a `tabular`; what a label repeats from the row above is left out."""
    names = table.columns
    labels = _labels(table)
    columns = [_column_cells([row.get(name) for row in table.rows]) for name in names]
    cells = [list(row) for row in zip(*columns, strict=True)]
    # Whether the first label stands for several rows that follow one another, and there are several such.
    is_grouped = len(labels) > 1 and 1 < len(_runs(table.rows, labels[0])) < len(table.rows)
    body = []
    for previous, row, texts in zip([{}, *table.rows], table.rows, cells, strict=False):
        if previous and is_grouped and row.get(labels[0]) != previous.get(labels[0]):
            body.append(r"\addlinespace")
        # Labels that are those of the row above are left out, but for the last.
        is_repeated = [name in previous and row.get(name) == previous[name] for name in labels[:-1]]
        n_repeated = [*is_repeated, False].index(False)
        body.append(latex_row([*[""] * n_repeated, *texts[n_repeated:]]))
    sides = ["r" if any(_stands_to_the_right(row.get(name)) for row in table.rows) else "l" for name in names]
    return [
        rf"\begin{{tabular}}{{{''.join(sides)}}}",
        r"\toprule",
        *(latex_row(map(escaped, head)) for head in heads_of(names)),
        r"\midrule",
        *body,
        r"\bottomrule",
        r"\end{tabular}",
    ]


def tables_latex(tables: Sequence[SummaryTable], comments: Iterable[str] = ()) -> str:
    r"""Return tables as LaTeX that needs no edits, one after the other.

    Parameters
    ----------
    tables : sequence of SummaryTable
    comments : iterable of str
        What stands behind the tables as comments.

    Returns
    -------
    str
        A `table` environment for each, with a caption and the label ``tab:metaeval-1`` and so on; what it shows, in
        sentences, stands before it as comments. The columns before the first number name a row: what they repeat from
        the row above is left out, and a little space parts the groups of the first of them. A table of more than 45
        rows becomes several. A comment above all names the packages that are needed.
    """
    pieces = [piece for table in tables for piece in _pieces(table)]
    bodies = [
        _table(piece, number) + (_FLUSH if number % _TABLES_PER_FLUSH == 0 and number < len(pieces) else "")
        for number, piece in enumerate(pieces, start=1)
    ]
    packages = ["booktabs", *(["graphicx"] if any(_SHRINK in body for body in bodies) else [])]
    header = [
        "% The tables of a run of metaeval. In the preamble:",
        *(rf"%   \usepackage{{{name}}}" for name in packages),
        "% Names in other scripts than Latin need xelatex or lualatex, and a font that has them.",
        r"% In the text: \input{tables.tex}, or copy a table; \ref{tab:metaeval-1} is the number of the first.",
    ]
    end = [f"% {on_one_line(text)}" for text in comments]
    return "\n\n".join(["\n".join(header), *bodies, *(["\n".join(end)] if end else [])]) + "\n"


def _pieces(table: SummaryTable) -> list[SummaryTable]:
    """Return a table as several that fit on a page."""
    if len(table.rows) <= _MAX_ROWS:
        return [table]
    labels = _labels(table)
    runs = {name: _runs(table.rows, name) for name in labels}
    several = [name for name in labels if 1 < len(runs[name]) < len(table.rows)]
    if not several:
        return _parts_of([[row] for row in table.rows], table)
    name = min(several, key=lambda name: len(runs[name]))
    if len(table.rows) < _MIN_ROWS * len(runs[name]):
        return _parts_of(runs[name], table)
    pieces = []
    for run in runs[name]:
        rows = [{key: value for key, value in row.items() if key != name} for row in run]
        heading = f"{table.heading.rstrip('.')}; {name} {run[0].get(name)}"
        pieces += _pieces(replace(table, heading=heading, rows=rows))
    return pieces


def _runs(rows: Rows, name: str) -> list[list[Mapping[str, Any]]]:
    """Return the rows in groups of neighbours that have the same value in a column."""
    return [list(run) for _, run in itertools.groupby(rows, lambda row: row.get(name))]


def _parts_of(groups: Sequence[Sequence[Mapping[str, Any]]], table: SummaryTable) -> list[SummaryTable]:
    """Return the rows of a table in parts as long as a page holds; what belongs together stays together."""
    parts: list[list[Mapping[str, Any]]] = [[]]
    for group in groups:
        if parts[-1] and len(parts[-1]) + len(group) > _MAX_ROWS:
            parts.append([])
        parts[-1].extend(group)
    heading = table.heading.rstrip(".")
    return [
        replace(table, heading=f"{heading}; part {number} of {len(parts)}", rows=rows)
        for number, rows in enumerate(parts, start=1)
    ]


def _labels(table: SummaryTable) -> list[str]:
    """Return the columns before the first that holds a number."""
    names = table.columns
    return list(itertools.takewhile(lambda name: not any(_holds_number(row.get(name)) for row in table.rows), names))


def _stands_to_the_right(value: object) -> bool:
    return _holds_number(value) or (isinstance(value, str) and _P_VALUE.fullmatch(value) is not None)


def _holds_number(value: object) -> bool:
    return is_number(value) or isinstance(value, Estimated)


def _table(table: SummaryTable, number: int) -> str:
    """Return a table in its environment, with caption and label; its answers stand before it as comments."""
    lines = _tabular(table)
    if _width(table) > _COLUMN_POINTS:
        lines = [_SHRINK, *lines[:-1], lines[-1] + "}"]
    words = " ".join(_sentence(text) for text in (table.heading, table.note_in("latex")) if text.strip())
    # A line of a caption may end inside long lists such as ref1+ref2+ref3.
    caption = re.sub(r"\+(?=\S)", r"+\\allowbreak{}", escaped(words))
    end = [rf"\caption{{{caption}}}", rf"\label{{tab:metaeval-{number}}}", r"\end{table}"]
    answers = [f"% {on_one_line(text)}" for text in table.answers]
    return "\n".join([*answers, r"\begin{table}", r"\centering", *lines, *end])


def _width(table: SummaryTable) -> float:
    """Return about how wide a table is, in points."""

    def length(value: object) -> int:
        return 5 if isinstance(value, float) else display_width(str("" if value is None else value))

    widest = [max([display_width(name), *(length(row.get(name)) for row in table.rows)]) for name in table.columns]
    return sum(widest) * _CHARACTER_POINTS + len(table.columns) * _GAP_POINTS


def _sentence(text: str) -> str:
    stripped = text.strip()
    return stripped if stripped.endswith((".", "!", "?")) else f"{stripped}."
