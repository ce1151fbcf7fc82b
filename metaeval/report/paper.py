r"""What goes into a paper: the numbers of a run by name, and its tables, as LaTeX and Markdown that need no edits.

Keys of numbers. A key is made of the columns that tell where a number belongs, joined by ``/``; empty ones are left
out. Inside a part, letters and digits of ASCII and the signs ``. , : ; + - * = ( ) [ ] @ ! ? _`` stay as they are,
quotes are left out, and each other character, which TeX could misread there, becomes a hyphen. The key is detokenized
where it is defined and where it is looked up, so that a sign which a language of the package babel has made active
names the same number. Rows whose keys are equal after that are all numbered, none keeps the plain key, and a comment
tells which is which: a paper cannot print one for another.

Tables. Each stands in a `table` environment with rules of the package booktabs. One that may be wider than a column of
a two-column page is put into a box that shrinks where it does not fit and never grows. One that is longer than a page
becomes several, such as one for each criterion, which is then named in the caption.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from metaeval.report.summary import SummaryTable
from metaeval.report.tables import Rows, escaped, latex_row, on_one_line
from metaeval.report.words import SIMULATED
from metaeval.results.keys import Key
from metaeval.results.model import RunData
from metaeval.results.rows import Correlation

_DIGITS = 3
_NUMBERS = r"""% The numbers of a run of metaeval, by name, so that no number in a paper is typed by hand.
%
% In the preamble:  \input{numbers.tex}
% In the text:      ... a correlation of \metaeval{KEY} (\metaeval{KEY/lower} to \metaeval{KEY/upper}) ...
%
% KEY is one of those below: panel/corpus/preprocessing/subset/criterion/metric/length/coefficient, without what a row
% has not; the whole corpus has no length. Characters that TeX could misread are hyphens, and quotes are left out.
% Numbers have three digits, the undefined are --, and the limits are those of correlations.tsv.
% A key that does not exist is an error of LaTeX, so a misspelt one cannot go unseen.
"""
_COMMANDS = r"""%
\providecommand{\metaeval}[1]{%
  \ifcsname metaeval@\detokenize{#1}\endcsname
    \csname metaeval@\detokenize{#1}\endcsname
  \else
    \PackageError{metaeval}{There is no number '\detokenize{#1}'}{The keys stand in numbers.tex.}%
    \textbf{??}%
  \fi}
\providecommand{\metaevalnumber}[2]{%
  \ifcsname metaeval@\detokenize{#1}\endcsname
    \PackageError{metaeval}{The number '\detokenize{#1}' is defined twice}{Do two runs have equal keys?}%
  \else
    \expandafter\gdef\csname metaeval@\detokenize{#1}\endcsname{#2}%
  \fi}
"""
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
        and the limits, where there are any, by the key with ``/lower`` and ``/upper``.
    """
    lines = [_NUMBERS + _COMMANDS]
    lines += [f"% {on_one_line(corpus)} is {SIMULATED}." for corpus in run.simulated]
    taken: set[str] = set()
    plain = [_name_of(row.key) for row in run.tables.correlations]
    counts = Counter(plain)
    for row, base in zip(run.tables.correlations, plain, strict=True):
        numbers = _means(row)
        key, number = base, 0
        while counts[key] > (number == 0) or any(key + suffix in taken for suffix in numbers):
            number += 1
            key = f"{base}-{number}"
        if number:
            lines.append(f"% {on_one_line(' | '.join(_parts(row.key)))}:")
        for suffix, text in numbers.items():
            taken.add(key + suffix)
            lines.append(rf"\metaevalnumber{{{key}{suffix}}}{{{text}}}")
    return "\n".join(lines) + "\n"


def _means(row: Correlation) -> dict[str, str]:
    limits = {"/lower": row.lower, "/upper": row.upper}
    told = {name: number_tex(limit) for name, limit in limits.items() if math.isfinite(limit)}
    return {"": number_tex(row.mean)} | told


def number_tex(value: float, digits: int = _DIGITS) -> str:
    """Return a number as LaTeX: rounded, with a minus sign that is one, ``--`` if it is undefined."""
    if not math.isfinite(value):
        return "--"
    text = f"{value:.{digits}f}"
    if not float(text):
        return text.lstrip("-")  # no negative zero
    return rf"\ensuremath{{{text}}}" if text.startswith("-") else text


def _name_of(key: Key) -> str:
    """Return the name of a number for TeX."""
    return "/".join(filter(None, (_UNFIT.sub("-", _QUOTES.sub("", part)) for part in _parts(key))))


def _parts(key: Key) -> list[str]:
    """Return the parts of a key that tell where a number belongs, as they are; the whole corpus has no length."""
    length = "" if key.length is None or key.documents.units.is_whole else str(key.length)
    places = (key.panel, key.corpus, key.preprocessing, key.subset, key.criterion, key.metric, length, key.coefficient)
    return [text for text in places if text]


def tables_markdown(tables: Sequence[SummaryTable]) -> str:
    """Return the tables of a run as Markdown, one after the other.

    Parameters
    ----------
    tables : sequence of SummaryTable
    """
    return (
        "\n\n".join(replace(table, rows=_without_negative_zeros(table.rows)).to_markdown() for table in tables) + "\n"
    )


def _without_negative_zeros(rows: Rows) -> Rows:
    def settled(value: object) -> object:
        if isinstance(value, float) and round(value, _DIGITS) == 0:
            return 0.0
        return re.sub(r"(?<![\w.])-(0\.0+)(?!\d)", r"\1", value) if _limits(value) and isinstance(value, str) else value

    return [{name: settled(value) for name, value in row.items()} for row in rows]


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
    labels = list(_labels(table.rows, _columns(table.rows)))
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


def _table(table: SummaryTable, number: int) -> str:
    columns = _columns(table.rows)
    labels = list(_labels(table.rows, columns))
    grouped = _grouped(table.rows, labels)
    body = []
    for place, row in enumerate(table.rows):
        before = table.rows[place - 1] if place else {}
        if place and grouped and row.get(labels[0]) != before.get(labels[0]):
            body.append(r"\addlinespace")
        repeated = _repeated(row, before, labels)
        cells = ("" if name in repeated else _cell(row.get(name)) for name in columns)
        body.append(latex_row(cells))
    numeric = [any(_is_number(row.get(name)) for row in table.rows) for name in columns]
    tabular = [
        rf"\begin{{tabular}}{{{''.join('r' if right else 'l' for right in numeric)}}}",
        r"\toprule",
        latex_row(map(escaped, columns)),
        r"\midrule",
        *body,
        r"\bottomrule",
        r"\end{tabular}",
    ]
    if _width(table.rows, columns) > _NARROW:
        tabular = [_SHRUNK, *tabular[:-1], tabular[-1] + "}"]
    words = " ".join(_sentence(text) for text in (table.heading, table.note) if text.strip())
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            *tabular,
            rf"\caption{{{_breakable(escaped(words))}}}",
            rf"\label{{tab:metaeval-{number}}}",
            r"\end{table}",
        ]
    )


def _columns(rows: Rows) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row))


def _labels(rows: Rows, columns: Sequence[str]) -> Iterator[str]:
    """Give the columns before the first that holds a number."""
    for name in columns:
        if any(_is_number(row.get(name)) or _limits(row.get(name)) for row in rows):
            return
        yield name


def _grouped(rows: Rows, labels: Sequence[str]) -> bool:
    """Return whether the first label stands for several rows that follow one another, and there are several such."""
    if len(labels) < 2:
        return False
    return 1 < len(_runs(rows, labels[0])) < len(rows)


def _repeated(row: Mapping[str, Any], before: Mapping[str, Any], labels: Sequence[str]) -> set[str]:
    """Return the labels that are those of the row above; the last is never left out."""
    repeated = set()
    for name in labels[:-1]:
        if name not in before or row.get(name) != before[name]:
            break
        repeated.add(name)
    return repeated


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return number_tex(value, _DIGITS if isinstance(value, float) else 0)
    limits = _limits(value)
    if limits:
        mean, lower, upper, mark = limits
        return f"{number_tex(float(mean))} [{number_tex(float(lower))}, {number_tex(float(upper))}]{escaped(mark)}"
    return escaped(str(value))


_LIMITED = re.compile(r"({0}) \[({0}), ({0})\](\S?)".format(r"-?\d+\.\d+|nan"))


def _limits(value: object) -> tuple[str, ...]:
    """Return the parts of a number with its limits, as `metaeval.report.summary` writes them; nothing if it is none."""
    found = _LIMITED.fullmatch(value) if isinstance(value, str) else None
    return found.groups() if found else ()


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _width(rows: Rows, columns: Sequence[str]) -> float:
    """Return about how wide a table is, in points."""

    def length(value: object) -> int:
        return _DIGITS + 2 if isinstance(value, float) else len(str("" if value is None else value))

    widest = [max([len(name), *(length(row.get(name)) for row in rows)]) for name in columns]
    return sum(widest) * _CHARACTER + len(columns) * _BETWEEN


def _breakable(text: str) -> str:
    """Let a line of a caption end inside long lists such as ref1+ref2+ref3."""
    return re.sub(r"\+(?=\S)", r"+\\allowbreak{}", text)


def _sentence(text: str) -> str:
    stripped = text.strip()
    return stripped if stripped.endswith((".", "!", "?")) else f"{stripped}."
