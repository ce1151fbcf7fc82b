r"""What goes into a paper: the numbers of a run by name, and its tables, as LaTeX and Markdown that need no edits.

Keys of numbers. A key is made of the columns that say where a number belongs, joined by ``/``; empty ones are left
out. Inside a part, letters and digits of ASCII and the signs ``. , : ; + - * = ( ) [ ] @ ! ? _`` stay as they are,
quotes are left out, and each other character, which TeX could misread there, becomes a hyphen. The key is detokenized
where it is defined and where it is looked up, so that a sign which a language of the package babel has made active
names the same number. Rows whose keys are equal after that are all numbered, none keeps the plain key, and a comment
says which is which: a paper cannot print one for another.

Tables. Each stands in a `table` environment with rules of the package booktabs. One that may be wider than a column of
a two-column page is put into a box that shrinks where it does not fit and never grows. One that is longer than a page
becomes several, such as one for each criterion, which is then named in the caption.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from metaeval.report.letters import display_width
from metaeval.report.tables import (
    Estimated,
    Rows,
    SummaryTable,
    escaped,
    is_number,
    latex_cell,
    latex_row,
    number_tex,
    on_one_line,
    tabular,
)
from metaeval.report.words import SIMULATED, TEXTS
from metaeval.results.keys import Key
from metaeval.results.model import RunData

_UNFIT = re.compile(r"[^A-Za-z0-9.,:;+\-*=()\[\]@!?_]")
_QUOTES = re.compile("[\"']")


def numbers_tex(run: RunData) -> str:
    r"""Return the file numbers.tex: each number of a run as a name that LaTeX knows.

    Parameters
    ----------
    run : RunData

    Returns
    -------
    str
        A comment on how to use it, the command ``\metaeval``, and a definition for each number: the mean by its key,
        and the ends of its interval, where it has one, by the key with ``/lower`` and ``/upper``.
    """
    lines = [TEXTS["numbers"]]
    lines += [f"% {on_one_line(corpus)} is {SIMULATED}." for corpus in run.simulated]
    taken: set[str] = set()
    plain = [_name_of(row.key) for row in run.tables.correlations]
    counts = Counter(plain)
    for row, base in zip(run.tables.correlations, plain, strict=True):
        ends = {"/lower": row.lower, "/upper": row.upper}
        numbers = {"": row.mean} | {suffix: end for suffix, end in ends.items() if math.isfinite(end)}
        key, again = base, 0
        while counts[key] > (again == 0) or any(key + suffix in taken for suffix in numbers):
            again += 1
            key = f"{base}-{again}"
        if again:
            lines.append(f"% {on_one_line(' | '.join(_parts(row.key)))}:")
        for suffix, number in numbers.items():
            taken.add(key + suffix)
            lines.append(rf"\metaevalnumber{{{key}{suffix}}}{{{number_tex(number)}}}")
    return "\n".join(lines) + "\n"


def _name_of(key: Key) -> str:
    """Return the name of a number for TeX."""
    return "/".join(filter(None, (_UNFIT.sub("-", _QUOTES.sub("", part)) for part in _parts(key))))


def _parts(key: Key) -> list[str]:
    """Return the parts of a key that say where a number belongs, as they are; the whole corpus has no length."""
    length = "" if key.length is None or key.documents.units.is_whole else str(key.length)
    places = (key.panel, key.corpus, key.preprocessing, key.subset, key.criterion, key.metric, length, key.coefficient)
    return [text for text in places if text]


def tables_markdown(tables: Sequence[SummaryTable]) -> str:
    """Return the tables of a run as Markdown, one after the other.

    Parameters
    ----------
    tables : sequence of SummaryTable
    """
    return "\n\n".join(table.to_markdown() for table in tables) + "\n"


# The width of a column of a two-column page, of a character and between two columns, in points.
_NARROW, _CHARACTER, _BETWEEN = 219.0, 5.0, 12.0
# A page has room for so many rows, and a group of fewer than these is no table.
_LONGEST, _SHORTEST = 45, 10
# LaTeX stops when too many tables wait for a page: 18 in old versions.
_WAITING, _FLUSH = 15, "\n\\clearpage"
_SHRUNK = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"


def tables_latex(tables: Sequence[SummaryTable]) -> str:
    r"""Return the tables of a run as LaTeX that needs no edits, one after the other.

    Parameters
    ----------
    tables : sequence of SummaryTable

    Returns
    -------
    str
        A `table` environment for each, with a caption and the label ``tab:metaeval-1`` and so on. The columns before
        the first number name a row: what they repeat from the row above is left out, and a little space parts the
        groups of the first of them. A table of more than 45 rows becomes several. A comment above all names the
        packages that are needed.
    """
    pieces = [piece for table in tables for piece in _pieces(table)]
    bodies = [
        _table(piece, number) + (_FLUSH if number % _WAITING == 0 and number < len(pieces) else "")
        for number, piece in enumerate(pieces, start=1)
    ]
    packages = ["booktabs", *(["graphicx"] if any(_SHRUNK in body for body in bodies) else [])]
    header = [
        "% The tables of a run of metaeval. In the preamble:",
        *(rf"%   \usepackage{{{name}}}" for name in packages),
        "% Names in other scripts than Latin need xelatex or lualatex, and a font that has them.",
        r"% In the text: \input{tables.tex}, or copy a table; \ref{tab:metaeval-1} is the number of the first.",
    ]
    return "\n\n".join(["\n".join(header), *bodies]) + "\n"


def _pieces(table: SummaryTable) -> list[SummaryTable]:
    """Return a table as several that fit on a page."""
    if len(table.rows) <= _LONGEST:
        return [table]
    labels = _labels(table)
    runs = {name: _runs(table.rows, name) for name in labels}
    several = [name for name in labels if 1 < len(runs[name]) < len(table.rows)]
    if not several:
        return _parts_of([[row] for row in table.rows], table)
    name = min(several, key=lambda name: len(runs[name]))
    if len(table.rows) < _SHORTEST * len(runs[name]):
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
        if parts[-1] and len(parts[-1]) + len(group) > _LONGEST:
            parts.append([])
        parts[-1].extend(group)
    heading = table.heading.rstrip(".")
    return [
        replace(table, heading=f"{heading}; part {number} of {len(parts)}", rows=rows)
        for number, rows in enumerate(parts, start=1)
    ]


def _labels(table: SummaryTable) -> list[str]:
    """Return the columns before the first that holds a number."""

    def holds_words(name: str) -> bool:
        return not any(is_number(row.get(name)) or isinstance(row.get(name), Estimated) for row in table.rows)

    return list(itertools.takewhile(holds_words, table.columns))


def _table(table: SummaryTable, number: int) -> str:
    labels = _labels(table)
    # Whether the first label stands for several rows that follow one another, and there are several such.
    is_grouped = len(labels) > 1 and 1 < len(_runs(table.rows, labels[0])) < len(table.rows)
    body = []
    for before, row in itertools.pairwise([{}, *table.rows]):
        if before and is_grouped and row.get(labels[0]) != before.get(labels[0]):
            body.append(r"\addlinespace")
        # Labels that are those of the row above are left out, but for the last.
        same = [name in before and row.get(name) == before[name] for name in labels[:-1]]
        n_repeated = [*same, False].index(False)
        cells = (latex_cell(row.get(name)) for name in table.columns[n_repeated:])
        body.append(latex_row([*[""] * n_repeated, *cells]))
    lines = tabular(
        table.columns, [any(is_number(row.get(name)) for row in table.rows) for name in table.columns], body
    )
    if _width(table) > _NARROW:
        lines = [_SHRUNK, *lines[:-1], lines[-1] + "}"]
    words = " ".join(_sentence(text) for text in (table.heading, table.note_in("latex")) if text.strip())
    # A line of a caption may end inside long lists such as ref1+ref2+ref3.
    caption = re.sub(r"\+(?=\S)", r"+\\allowbreak{}", escaped(words))
    end = [rf"\caption{{{caption}}}", rf"\label{{tab:metaeval-{number}}}", r"\end{table}"]
    return "\n".join([r"\begin{table}", r"\centering", *lines, *end])


def _width(table: SummaryTable) -> float:
    """Return about how wide a table is, in points."""

    def length(value: object) -> int:
        return 5 if isinstance(value, float) else display_width(str("" if value is None else value))

    widest = [max([display_width(name), *(length(row.get(name)) for row in table.rows)]) for name in table.columns]
    return sum(widest) * _CHARACTER + len(table.columns) * _BETWEEN


def _sentence(text: str) -> str:
    stripped = text.strip()
    return stripped if stripped.endswith((".", "!", "?")) else f"{stripped}."
