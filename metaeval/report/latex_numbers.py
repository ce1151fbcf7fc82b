r"""The file numbers.tex: the numbers of a run by name, so that no number in a paper is typed by hand.

Keys of numbers. A key is made of the columns that say where a number belongs, joined by ``/``; empty ones are left
out. Inside a part, letters and digits of ASCII and the signs ``. , : ; + - * = ( ) [ ] @ ! ? _`` stay as they are,
quotes are left out, and each other character, which TeX could misread there, becomes a hyphen. The key is detokenized
where it is defined and where it is looked up, so that a sign which a language of the package babel has made active
names the same number. Rows whose keys are equal after that are all numbered, none keeps the plain key, and a comment
says which is which: a paper cannot print one for another.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from metaeval.report.comparisons_at import places_of
from metaeval.report.correlation_tables import averages_subsets
from metaeval.report.examples import number_here
from metaeval.report.latex import latex_cell, number_tex
from metaeval.report.phrases import SIMULATED, grouped
from metaeval.report.rankings import ranked_rows, rankings_of
from metaeval.report.tables import on_one_line
from metaeval.report.views import COMPARISON
from metaeval.results.keys import Key
from metaeval.results.model import RunData, Tables

_UNFIT_SIGN = re.compile(r"[^A-Za-z0-9.,:;+\-*=()\[\]@!?_]")
_QUOTE_SIGN = re.compile("[\"']")
# What numbers.tex begins with.
_FILE_HEADER = r"""% The numbers of a run of metaeval, by name, so that no number in a paper is typed by hand.
%
% In the preamble:  \input{numbers.tex}
% In the text:      ... a correlation of \metaeval{KEY} (\metaeval{KEY/lower} to \metaeval{KEY/upper}) ...
%
% KEY is one of those below: panel/corpus/preprocessing/subset/criterion/metric/length/coefficient, without what a row
% has not; the whole corpus has no length; of tasks it is task/metric, or average/metric. Besides KEY/lower and
% KEY/upper there are, where the tables have them, KEY/rank, KEY/difference (to the best), KEY/p (on which the star
% rests), KEY/ties, KEY/WMT-rank and KEY/average-rank; among the best systems KEY/best-8, KEY/best-8/range-alone and the
% like; and beside a paper KEY/printed, claim/corpus/number and example/number. Characters that TeX could misread are
% hyphens, and quotes are left out. Numbers have three digits, and the undefined are --. Where tables average several
% subsets of references, so do these numbers.
% A key that does not exist is an error of LaTeX, so a misspelt one cannot go unseen.
%
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


def numbers_tex(run: RunData) -> str:
    r"""Return the file numbers.tex: what the tables of a run show, each number as a name that LaTeX knows.

    Parameters
    ----------
    run : RunData

    Returns
    -------
    str
        A comment on how to use it, the command ``\metaeval``, and a definition for each number: the coefficient by its
        key, and behind the key ``/lower`` and ``/upper``, the ends of its interval, ``/rank``, ``/difference`` to the
        best, ``/p``, on which its star rests, and ``/ties``, where it has them. Where tables average reference subsets,
        so does this. Of tasks: the value by task and metric, and that of ``average``, with ``/rank``, ``/WMT-rank`` and
        ``/average-rank``. Then coefficients in bands, and what stands beside a paper.
    """
    lines = [_FILE_HEADER]
    lines += [f"% {on_one_line(corpus)}: {SIMULATED}." for corpus in run.simulated]
    taken: set[str] = set()
    shown = _task_numbers(run) if run.tables.tasks else _correlation_numbers(run)
    shown += [*_band_numbers(run), *_paper_numbers(run.tables)]
    plain = [_joined(parts) for parts, _ in shown]
    counts = Counter(plain)
    for (parts, values), base in zip(shown, plain, strict=True):
        numbers = {suffix: text for suffix, text in values.items() if text}
        key = base
        again = 0
        while counts[key] > (again == 0) or any(key + suffix in taken for suffix in numbers):
            again += 1
            key = f"{base}-{again}"
        if again:
            lines.append(f"% {on_one_line(' | '.join(parts))}:")
        for suffix, text in numbers.items():
            taken.add(key + suffix)
            lines.append(rf"\metaevalnumber{{{key}{suffix}}}{{{text}}}")
    return "\n".join(lines) + "\n"


# The parts of a key, and what stands under it, by its suffix.
_Shown = tuple[list[str], dict[str, str]]


def _correlation_numbers(run: RunData) -> list[_Shown]:
    """Return the numbers of the tables of correlations; those of more than a few subsets are averaged, as there."""
    rows = run.tables.correlations
    if averages_subsets(rows):
        by_number = grouped(rows, lambda row: row.key.with_names(subset=f"{row.n_references:g} references"))
        return [
            (_parts(key), {"": number_tex(sum(row.mean for row in rows_of_number) / len(rows_of_number))})
            for key, rows_of_number in by_number.items()
        ]
    numbers = []
    is_comparison = run.facts.get("config") == COMPARISON
    ties = {key: share for place in places_of(run) for key, share in place.shown_ties.items()} if is_comparison else {}
    for row, ranked in zip(rows, ranked_rows(run), strict=True):
        values = {"": number_tex(row.mean), **_ends(row.lower, row.upper)}
        values |= {"/ties": number_tex(ties[row.key])} if row.key in ties else {}
        if ranked is not None:
            values |= {"/rank": _whole(ranked.rank), "/p": _p(ranked.p)}
            has_difference = ranked.rank != 1 and not math.isnan(ranked.difference)
            values |= {"/difference": number_tex(ranked.difference) if has_difference else ""}
        numbers.append((_parts(row.key), values))
    return numbers


def _task_numbers(run: RunData) -> list[_Shown]:
    """Return the numbers of the matrix of tasks."""
    average_ranks = {row.metric: row.average_rank for row in run.tables.averages}
    return [
        (
            [ranking.task or "average", metric.metric],
            {
                "": number_tex(metric.value),
                **_ends(metric.lower, metric.upper),
                "/rank": _whole(metric.rank),
                "/WMT-rank": _whole(metric.cluster),
                "/p": _p(metric.p),
                **({} if ranking.task else {"/average-rank": number_tex(average_ranks[metric.metric], 2)}),
            },
        )
        for ranking in rankings_of(run)
        for metric in ranking.metrics
    ]


def _band_numbers(run: RunData) -> list[_Shown]:
    """Return the numbers of the tables of bands: the coefficient, and what to expect from the narrower range alone."""
    numbers: list[_Shown] = []
    for row in run.tables.bands:
        parts = [*_parts(row.key), str(row.name)]
        numbers.append((parts, {"": number_tex(row.value), **_ends(row.lower, row.upper)}))
        if not math.isnan(row.range_alone):
            ends = _ends(row.range_alone_lower, row.range_alone_upper)
            numbers.append(([*parts, "range-alone"], {"": number_tex(row.range_alone), **ends}))
    return numbers


def _paper_numbers(tables: Tables) -> list[_Shown]:
    """Return the numbers that stand beside claims, worked examples and printed numbers of a paper."""
    numbers: list[_Shown] = [
        (["claim", row.corpus, str(row.claim)], {"": number_tex(row.difference), **_ends(row.lower, row.upper)})
        for row in tables.claims
    ]
    numbers += [
        (["example", str(row.example)], {"": latex_cell(number_here(row)), "/printed": latex_cell(row.value)})
        for row in tables.examples
    ]
    numbers += [
        (
            [*_parts(row.key), "printed"],
            {
                "": number_tex(row.published),
                **_ends(row.published_lower, row.published_upper),
                "/ours": number_tex(row.ours),
                **{f"/ours{end}": text for end, text in _ends(row.lower, row.upper).items()},
                "/difference": number_tex(row.difference),
            },
        )
        for row in tables.published
    ]
    return numbers


def _ends(lower: float | None, upper: float | None) -> dict[str, str]:
    ends = (("/lower", lower), ("/upper", upper))
    return {name: number_tex(end) for name, end in ends if end is not None and math.isfinite(end)}


def _p(p: float) -> str:
    if math.isnan(p):
        return ""
    return r"\textless{} 0.001" if p < 0.001 else number_tex(p)


def _whole(number: int | None) -> str:
    return "" if number is None else str(number)


def _joined(parts: Sequence[str]) -> str:
    """Return the parts of a key as the name of a number for TeX."""
    return "/".join(filter(None, (_UNFIT_SIGN.sub("-", _QUOTE_SIGN.sub("", part)) for part in parts)))


def _parts(key: Key) -> list[str]:
    """Return the parts of a key that say where a number belongs, as they are; the whole corpus has no length."""
    length = "" if key.length is None or key.documents.units.is_whole else str(key.length)
    places = (key.panel, key.corpus, key.preprocessing, key.subset, key.criterion, key.metric, length, key.coefficient)
    return [text for text in places if text]
