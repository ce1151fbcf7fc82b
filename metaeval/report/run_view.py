"""A run as a terminal shows it: the answer, the best of each table, and of a paper's claims counts and exceptions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from metaeval.errors import as_typed
from metaeval.report.answers import answers_of
from metaeval.report.bands import band_tables
from metaeval.report.claims import claims_text
from metaeval.report.examples import examples_text
from metaeval.report.phrases import grouped
from metaeval.report.rankings import sortable
from metaeval.report.tables import Estimated, SummaryTable
from metaeval.report.task_matrix import task_matrix
from metaeval.report.terminal_table import fitted, wrapped
from metaeval.report.views import result_tables
from metaeval.results.model import RunData

# Limits of what is shown without `verbose`; of a table with more rows, the best ones of each criterion are shown.
_MAX_ANSWERS = 8
_MAX_TABLES = 6
_MAX_ROWS = 24
_BEST_ROWS = 5
_MAX_CLAIMS = 5
_LABEL_COLUMNS = ("criterion", "metric", "preprocessing")


def run_text(run: RunData, width: int, *, verbose: bool = False) -> str:
    """Return the results of a run, in lines of a width.

    Parameters
    ----------
    run : RunData
    width : int
    verbose : bool
        Whether all tables, claims and examples are shown, with all rows.
    """
    answers = answers_of(run)
    if len(answers) > _MAX_ANSWERS and not verbose:
        rest_counted = f"And {len(answers) - _MAX_ANSWERS + 1} more such answers: {_verbose()} has all."
        answers = [*answers[: _MAX_ANSWERS - 1], rest_counted]
    parts = ["\n".join(wrapped(answer, width, "  ") for answer in answers)]
    matrix = task_matrix(run)
    if matrix is not None:
        of_tasks = [*map(str, matrix.tables(width, both=verbose))]
        return "\n\n".join([*parts, *of_tasks, *(_table(table, width, verbose=verbose) for table in band_tables(run))])
    tables = result_tables(run)
    shown = tables if verbose else tables[:_MAX_TABLES]
    parts += [_table(table, width, verbose=verbose) for table in shown]
    notes = dict.fromkeys(table.note for table in shown if table.note)
    if len(shown) < len(tables):
        notes[f"{len(tables) - len(shown)} more tables: {_verbose()}, tables.md or report.html."] = None
    if notes:
        parts[-1] += "\n" + "\n".join(wrapped(note, width, "  ") for note in notes)
    return "\n\n".join([*parts, *_beside_paper(run, width, verbose=verbose)])


def _verbose() -> str:
    """Return the words to type to see everything."""
    return as_typed(terminal="--verbose", python="`verbose=True`")


def _table(table: SummaryTable, width: int, *, verbose: bool) -> str:
    """Return a table, metrics first; of a long one the best rows of each criterion."""
    rows = table.rows
    numbers = [name for name in table.columns if name not in _LABEL_COLUMNS]
    names = [name for name in ("metric", "preprocessing", *numbers) if name in table.columns]
    # Of many lengths, the ends tell most.
    first = (*numbers[:1], "preprocessing", *numbers[-1:])
    lines = [wrapped(table.heading, width, "  ")]

    def first_number(row: Mapping[str, Any]) -> float:
        cell = row.get(numbers[0])
        value = cell.value if isinstance(cell, Estimated) else cell
        return sortable(value) if isinstance(value, float) else -math.inf

    of_criterion = grouped(rows, lambda row: str(row.get("criterion", "")))
    for criterion, criterion_rows in of_criterion.items():
        shown = criterion_rows
        if len(rows) > _MAX_ROWS and not verbose:
            shown = sorted(criterion_rows, key=first_number, reverse=True)[:_BEST_ROWS]
        cut = (
            f", the best {len(shown)} of {len(criterion_rows)} by {numbers[0]}: {_verbose()} has all"
            if len(shown) < len(criterion_rows)
            else ""
        )
        if criterion or cut:
            lines.append(f"{criterion}{cut}" if criterion else f"The{cut.removeprefix(', the')}")
        lines += fitted(shown, width, names, first, "correlations.tsv")
    return "\n".join(lines)


def _beside_paper(run: RunData, width: int, *, verbose: bool) -> Iterator[str]:
    """Yield the claims and numbers of a paper beside ours, if the config has any; of many claims, those that fail."""
    tables = run.tables
    few = len(tables.claims) <= _MAX_CLAIMS
    claims = [row for row in tables.claims if verbose or few or row.verdict == "fails"]
    if claims:
        yield claims_text(claims if verbose else claims[:_MAX_CLAIMS], width, counted=verbose)
    if len(claims) > _MAX_CLAIMS and not verbose:
        yield f"{len(claims) - _MAX_CLAIMS} more claims fail: {_verbose()}, or claims.tsv."
    if tables.examples:
        yield examples_text(tables.examples, width, all_of_them=verbose)
    if tables.published:
        n_apart = sum(row.overlap is False for row in tables.published)
        of = f"; of {n_apart} the intervals do not overlap" if n_apart else ""
        differences = [abs(row.difference) for row in tables.published if not math.isnan(row.difference)]
        most = f", which differ by {max(differences):.3f} at most" if differences else ""
        yield wrapped(f"{len(tables.published)} printed numbers beside ours{most}{of}: published.tsv.", width, "  ")
